//! Riptide over TCP, against servers that read like the real ones; they count the sockets that stay open.
//!
//! The C# library checks how many bytes are available, and reads a length only if it is complete. So it never notices
//! the end of a connection by itself: its socket stays open until a message ends it.

use super::peer::{ask, ask_until, brief, ensure, hex, ms, outcome, patiently, request, text, unless_late, version};
use crate::common::{HANG, side_by_side};
use netkit::live::CancelToken;
use netkit::live::probe::{Carrier, Report, Request};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// u16 lengths.
    V20,
    /// i32 lengths; a length that is not above zero is skipped.
    V22,
    /// The same; such a length ends the connection.
    Later,
    /// The same; such a length blocks it forever.
    Pytide,
    /// The same; it rejects everybody, three times as the library does, and closes no socket by itself.
    Rejects,
    /// The same; the rejection has data, as for a wrong password.
    Password,
    /// The same; it is full.
    Full,
    /// pytide that is full: it rejects clients with the library's message.
    FullPytide,
    /// Its application decides later than any client waits.
    Pending,
    /// The same with 2.0.
    Pending20,
    /// Reads, and sends nothing.
    Silent,
    /// As V22; it ends the connection at the third heartbeat.
    Ends,
}

/// The server's record of a probe.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// The sockets that are still open.
    open: usize,
    /// The longest time from one look at the sockets to the next: a busy machine delays the server itself.
    delay: Duration,
    /// The messages, in order.
    messages: Vec<Vec<u8>>,
    /// The reason why it hangs, or waits for bytes that never arrive.
    harmed: Option<String>,
}

struct Server {
    at: SocketAddr,
    end: Arc<AtomicBool>,
    seen: Arc<Mutex<Seen>>,
    thread: Option<JoinHandle<()>>,
}

/// The delay of a server from which on netkit may rightly take it for another one, or for one that is gone.
const DELAYED: Duration = ms(40);

impl Server {
    fn start(kind: Kind) -> Server {
        Server::late(kind, Duration::ZERO)
    }

    /// A server that reads all messages this late.
    fn late(kind: Kind, late: Duration) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let at = listener.local_addr().unwrap();
        let (end, seen): (Arc<AtomicBool>, Arc<Mutex<Seen>>) = Default::default();
        let (ended, printed) = (Arc::clone(&end), Arc::clone(&seen));
        let mut looked = Instant::now();
        let thread = std::thread::spawn(move || {
            // The stream, the length of the next message, and the time since when bytes wait.
            let mut clients: Vec<(TcpStream, Option<usize>, Option<Instant>)> = Vec::new();
            loop {
                // What was sent before the end is read, however late that is.
                let last = ended.load(Ordering::Relaxed);
                while let Ok((stream, _)) = listener.accept() {
                    stream.set_nonblocking(true).unwrap();
                    clients.push((stream, None, None));
                }
                let mut seen = printed.lock().unwrap();
                clients.retain_mut(|(stream, next, since)| {
                    if stream.peek(&mut [0]).unwrap_or(0) == 0
                        || since.get_or_insert_with(Instant::now).elapsed() < late && !last
                    {
                        return true;
                    }
                    *since = None;
                    receive(kind, stream, next, &mut seen)
                });
                seen.open = clients.len();
                seen.delay = seen.delay.max(looked.elapsed());
                looked = Instant::now();
                drop(seen);
                if last {
                    return;
                }
                std::thread::sleep(ms(2));
            }
        });
        Server { at, end, seen, thread: Some(thread) }
    }

    fn seen(self) -> Seen {
        self.seen_after(ms(60))
    }

    /// The same once no client has a socket any more: a late server, or a busy machine, may take longer. A server that
    /// was delayed may keep one, and is not waited for without end.
    fn left_after(self, time: Duration) -> Seen {
        std::thread::sleep(time);
        let begun = Instant::now();
        let keeps = || {
            let seen = self.seen.lock().unwrap();
            seen.open > 0 && begun.elapsed() < if seen.delay > DELAYED { ms(5_000) } else { HANG }
        };
        while keeps() {
            std::thread::sleep(ms(20));
        }
        self.seen_after(Duration::ZERO)
    }

    fn seen_after(mut self, time: Duration) -> Seen {
        std::thread::sleep(time);
        self.end.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
        self.seen.lock().unwrap().clone()
    }
}

/// Reads a connection once, which is a tick of the server. Returns `false` if it is closed.
fn receive(kind: Kind, stream: &mut TcpStream, next: &mut Option<usize>, seen: &mut Seen) -> bool {
    let width = if matches!(kind, Kind::V20 | Kind::Pending20) { 2 } else { 4 };
    let mut late = Vec::new();
    loop {
        let wanted = next.unwrap_or(width);
        let mut buffer = vec![0; wanted.min(4096)];
        let available = stream.peek(&mut buffer).unwrap_or(0);
        if available < wanted {
            if wanted > 1300 {
                seen.harmed = Some(format!("waits for {wanted} bytes"));
            }
            let _ = stream.write_all(&late);
            return true;
        }
        stream.read_exact(&mut buffer).unwrap();
        if next.take().is_some() {
            seen.messages.push(buffer.clone());
            if kind == Kind::Ends && buffer[0] == 0x24 && buffer[1] & 15 == 0 {
                return false;
            }
            for answer in answers(kind, &buffer) {
                let length = (answer.len() as u32).to_le_bytes();
                let answer = [&length[..width], &answer].concat();
                // pytide answers a heartbeat at the end of its tick, unless the client has left in the same one.
                if kind == Kind::FullPytide && buffer[0] & 15 == 4 {
                    late.extend(answer);
                    continue;
                }
                // The client may have left already.
                let _ = stream.write_all(&answer);
            }
            let goodbye = if width == 2 { buffer[0] == 6 } else { buffer[0] & 15 == 5 };
            if goodbye {
                return false;
            }
            continue;
        }
        let length = match width {
            2 => i64::from(u16::from_le_bytes([buffer[0], buffer[1]])),
            _ => i64::from(i32::from_le_bytes(buffer.try_into().unwrap())),
        };
        match kind {
            _ if length > 0 => *next = Some(length as usize),
            Kind::Later => return false,
            Kind::Pytide | Kind::FullPytide => seen.harmed = Some(format!("never comes out of a length of {length}")),
            _ => {}
        }
    }
}

fn answers(kind: Kind, message: &[u8]) -> Vec<Vec<u8>> {
    let say = |text: &str| vec![hex(text)];
    match (kind, message) {
        (Kind::Silent, _) => Vec::new(),
        (Kind::V20, [3, ..]) => say("08 01 00 01 00"),
        (Kind::V20, [8, ..]) => say("01 01 00 01 00"),
        (Kind::V20, [5, ping, ..]) => vec![vec![5, *ping]],
        (Kind::Pending20, [3]) => say("03"),
        (Kind::V20 | Kind::Pending20, _) => Vec::new(),
        (Kind::Rejects | Kind::FullPytide, [2]) => vec![hex("33 00"); 3],
        (Kind::Password, [2]) => vec![hex("43 80 96 06"); 3],
        (Kind::Full, [2]) => vec![hex("23 00"); 3],
        (Kind::Pending, [2]) => say("02"),
        // The library answers no heartbeat of a client that it has not welcomed.
        (Kind::Rejects | Kind::Password | Kind::Full | Kind::Pending, _) => Vec::new(),
        (Kind::Pytide, [2]) => say("28 00 10 00 00"),
        (_, [2]) => say("18 00 10 00 00"),
        (_, [first, ..]) if first & 15 == 8 => say("11 00 10 00 00"),
        (_, [first, second, ..]) if first & 15 == 4 => vec![vec![*first, second & 15]],
        _ => Vec::new(),
    }
}

fn probe(kind: Kind, request: Request) -> (Report, Seen) {
    let server = Server::start(kind);
    let request = Request { carrier: Some(Carrier::Tcp), ..request };
    let report = ask(&request, &server.at.to_string());
    (report, server.seen())
}

/// The socket with which the server was not found stays open: that does not hide the end of the other.
#[test]
fn an_end_in_the_middle_is_reported() {
    let (report, _) = probe(Kind::Ends, request("riptide", &[]));
    assert_eq!(outcome(&report), "closed", "{}", text(&report));
}

/// Sets the token after this time. Returns how late that was.
fn interrupt(stop: &CancelToken, moment: Duration) -> Duration {
    let begun = Instant::now();
    std::thread::sleep(moment);
    stop.set();
    begun.elapsed().saturating_sub(moment)
}

#[test]
fn no_socket_stays_with_a_server() {
    for kind in [Kind::V20, Kind::V22, Kind::Later] {
        let wanted = if kind == Kind::V20 { "2.0" } else { "2.2" };
        for settings in [&[][..], &[if kind == Kind::V20 { "riptide.version=2.0" } else { "riptide.version=2.1" }]] {
            let (report, seen) = probe(kind, request("riptide", settings));
            assert_eq!((outcome(&report), version(&report)), ("ok", Some(wanted)), "{kind:?}: {}", text(&report));
            assert_eq!((seen.open, &seen.harmed), (0, &None), "{kind:?} {settings:?}: {seen:?}");
            assert!(report.notes.iter().all(|note| !note.contains("CLOSE_WAIT")));
        }
    }
}

/// 2.1's server and pytide's keep the sockets of rejected and of waiting clients: the goodbye ends them. pytide is
/// blocked forever by a length below zero; its heartbeat identifies it.
#[test]
fn who_is_not_let_in_leaves() {
    let kinds = [
        (Kind::Rejects, "rejected", 0),
        (Kind::Password, "rejected", 0),
        (Kind::Full, "full", 0),
        (Kind::Pending, "pending", 0),
        (Kind::Pending20, "pending", 0),
        (Kind::FullPytide, "rejected", 1),
    ];
    side_by_side(kinds, |(kind, wanted, left)| {
        let version = if kind == Kind::Pending20 { "riptide.version=2.0" } else { "riptide.version=2.1" };
        // A server that leaves the decision to its application is waited for in vain.
        let within = |timeout, settings: &[&str]| {
            let (report, seen) = probe(kind, Request { timeout: Some(timeout), ..request("riptide", settings) });
            let about = format!("{kind:?} {settings:?}: {} {}, {seen:?}", outcome(&report), text(&report));
            (report, seen, about)
        };
        patiently(|timeout| {
            let (report, seen, about) = within(timeout, &[version]);
            ensure((outcome(&report), seen.open, seen.harmed) == (wanted, 0, None), about)?;
            // If 2.0 was tried first, that socket must be ended, too.
            let (report, seen, about) = within(timeout, &[]);
            ensure((outcome(&report), seen.open, seen.harmed) == (wanted, left, None), about.as_str())?;
            let noted = report.notes.iter().any(|note| note.contains("CLOSE_WAIT"));
            ensure(noted == (left > 0), format!("{about}: {:?}", report.notes))?;
            ensure(report.left == left as u64, about)
        });
    });
}

/// Whenever it is interrupted, also before the server is identified.
#[test]
fn who_is_interrupted_leaves() {
    let kinds = [Kind::V20, Kind::V22, Kind::Later, Kind::Rejects, Kind::Password, Kind::Pending, Kind::Pending20];
    let moments = [0, 1, 3, 8, 40, 230, 310, 400].map(ms);
    let cases: Vec<_> = kinds.iter().flat_map(|kind| moments.map(|moment| (*kind, moment))).collect();
    let left = |kind: Kind, moment: Duration| {
        let server = Server::start(kind);
        let mut request = brief("riptide", &[]);
        (request.carrier, request.samples) = (Some(Carrier::Tcp), 10_000);
        let stop = CancelToken::default();
        let report = std::thread::scope(|scope| {
            scope.spawn(|| interrupt(&stop, moment));
            ask_until(&request, &server.at.to_string(), &stop)
        });
        let seen = if report.left > 0 { server.seen() } else { server.left_after(ms(60)) };
        let held = (seen.open, &seen.harmed, report.left) == (0, &None, 0);
        assert!(held || seen.delay > DELAYED, "{kind:?} {moment:?} {}, {}: {seen:?}", outcome(&report), report.left);
        held
    };
    side_by_side(cases, |(kind, moment)| {
        // A delayed server is asked again.
        unless_late(Duration::ZERO, 0..10, |_| ensure(left(kind, moment), format!("{kind:?} {moment:?}")));
    });
}

/// A server that nobody has called Riptide, and that says nothing, is left at once. A Riptide server is not mistaken for
/// one: it answers within a tick. Where the machine delays the server itself, the report says that a socket stays open.
#[test]
fn a_stranger_is_left_at_once() {
    let kinds = [Kind::Silent, Kind::V20, Kind::V22, Kind::Later, Kind::Rejects, Kind::Pending];
    let cases: Vec<_> = kinds.iter().flat_map(|kind| [0, 30, 400, 1000].map(|at| (*kind, ms(at)))).collect();
    let asked = |kind: Kind, moment: Duration| {
        let server = Server::late(kind, ms(20));
        let mut request = request("", &[]);
        // Without the signal it would take a minute.
        (request.carrier, request.samples, request.timeout) = (Some(Carrier::Tcp), 10_000, Some(ms(60_000)));
        let stop = CancelToken::default();
        let (report, late, took) = std::thread::scope(|scope| {
            let stopped = scope.spawn(|| (interrupt(&stop, moment), Instant::now()));
            let report = ask_until(&request, &server.at.to_string(), &stop);
            let (late, at) = stopped.join().unwrap();
            (report, late, at.elapsed())
        });
        let reported = report.left > 0;
        let settled = kind == Kind::Silent || reported;
        let seen = if settled { server.seen_after(ms(100)) } else { server.left_after(ms(100)) };
        let about = format!("{kind:?} {moment:?} {}, {took:?}: {seen:?}", outcome(&report));
        assert!(kind != Kind::Silent || took < ms(30_000), "{about}");
        // A socket may stay open only if that is reported.
        assert!(kind == Kind::Silent || seen.open == 0 || reported, "{about}");
        let left = kind == Kind::Silent || seen.open == 0;
        let held = left && (outcome(&report), &seen.harmed) == ("interrupted", &None);
        // A late interruption may follow the answer to 2.2's connect.
        assert!(held || seen.delay > DELAYED || late > DELAYED, "{about}");
        held
    };
    side_by_side(cases, |(kind, moment)| {
        // A delayed server is asked again.
        unless_late(Duration::ZERO, 0..10, |_| ensure(asked(kind, moment), format!("{kind:?} {moment:?}")));
    });
}

/// The user's timeout counts from the first answer on; the time until 2.2 is tried is not part of it.
#[test]
fn a_pending_server_has_the_users_time() {
    let server = Server::start(Kind::Pending20);
    let mut request = request("riptide", &[]);
    (request.carrier, request.timeout) = (Some(Carrier::Tcp), Some(ms(2500)));
    let report = ask(&request, &server.at.to_string());
    assert_eq!(outcome(&report), "pending");
    assert!(text(&report).contains("(2.0)"), "{}", text(&report));
    let seen = server.seen();
    assert_eq!((seen.messages, seen.harmed), (vec![vec![3], vec![6]], None), "2.2 is not tried");
}

/// Data is sent only to a server of known version: a connect without data finds the version.
#[test]
fn data_goes_where_the_version_is_known() {
    for (kind, connect, with) in [(Kind::V20, "03", "03 07"), (Kind::V22, "02", "72 00")] {
        let server = Server::start(kind);
        let mut request = request("riptide", &[]);
        (request.carrier, request.data) = (Some(Carrier::Tcp), Some("07".into()));
        let report = ask(&request, &server.at.to_string());
        let seen = server.left_after(ms(60));
        let connects: Vec<_> = seen.messages.iter().filter(|m| m[0] & 15 == hex(connect)[0]).collect();
        assert_eq!(connects, [&hex(connect), &hex(with)], "{kind:?}: {} {seen:?}", text(&report));
        assert_eq!((seen.open, &seen.harmed), (0, &None), "{kind:?}: {seen:?}");
    }
}

/// A server that may have another version gets only the connect of 2.0, and not its goodbye.
#[test]
fn a_set_version_goes_alone() {
    let (report, seen) = probe(Kind::V22, brief("riptide", &["riptide.version=2.0"]));
    assert_eq!(outcome(&report), "silent");
    assert_eq!((seen.messages.len(), seen.harmed), (0, None), "2.0's goodbye is a length of 17 MB there");
    assert!(text(&report).contains("CLOSE_WAIT") && seen.open == 1, "{}", text(&report));
    let (report, seen) = probe(Kind::V22, request("riptide", &["riptide.version=2.2"]));
    assert_eq!((outcome(&report), seen.messages.first()), ("ok", Some(&vec![2])));
    assert_eq!(seen.messages.iter().filter(|message| message[..] == [2]).count(), 1);
}

/// A socket that cannot be ended is reported.
#[test]
fn what_is_left_open_is_reported() {
    let (report, seen) = probe(Kind::Pytide, request("riptide", &[]));
    assert_eq!((outcome(&report), seen.harmed), ("ok", None));
    assert!(seen.open == 1 && report.notes.iter().any(|note| note.contains("CLOSE_WAIT")), "{:?}", report.notes);
    let (report, seen) = probe(Kind::Silent, brief("riptide", &[]));
    assert_eq!((outcome(&report), seen.harmed), ("silent", None));
    assert!(text(&report).contains("connect of 2.0, and of 2.2") && text(&report).contains("CLOSE_WAIT"));
    assert_eq!(seen.messages, [vec![2], vec![5]], "the second one is left as 2.2 has it");
}

/// A server that answers late is waited for before it is left, whenever the user interrupts, and with any timeout.
#[test]
fn a_late_server_keeps_no_socket() {
    const LATE: Duration = Duration::from_millis(600);
    let kinds = [Kind::V20, Kind::V22, Kind::Later, Kind::Rejects, Kind::Full, Kind::Pending, Kind::Pending20];
    let mut cases: Vec<_> = kinds.iter().flat_map(|kind| [10, 400, 1600].map(|at| (*kind, Some(ms(at))))).collect();
    // A server of 2.0 that is later than the timeout has been asked in the other form.
    cases.extend([Kind::V22, Kind::Later, Kind::Rejects, Kind::Full].map(|kind| (kind, None)));
    let left = |kind: Kind, interrupted: Option<Duration>| {
        let server = Server::late(kind, LATE);
        let mut request = request("riptide", &[]);
        (request.carrier, request.samples) = (Some(Carrier::Tcp), 10_000);
        request.timeout = Some(if interrupted.is_some() { ms(5000) } else { ms(200) });
        let stop = CancelToken::default();
        let (report, late) = std::thread::scope(|scope| {
            let stop = &stop;
            let stopped = interrupted.map(|moment| scope.spawn(move || interrupt(stop, moment)));
            let report = ask_until(&request, &server.at.to_string(), stop);
            (report, stopped.map_or(Duration::ZERO, |stopped| stopped.join().unwrap()))
        });
        // The goodbye is read late, too.
        let seen = if report.left > 0 { server.seen() } else { server.left_after(LATE * 3) };
        let wanted = if interrupted.is_some() { "interrupted" } else { "silent" };
        let ended = (seen.open, &seen.harmed) == (0, &None);
        let held = ended && (outcome(&report), report.left) == (wanted, 0);
        let about = format!("{kind:?} {interrupted:?} {}, {}: {seen:?}", outcome(&report), report.left);
        // After a late interruption, the answer to 2.2's connect may be there.
        assert!(held || seen.delay > DELAYED || late > DELAYED, "{about}");
        held
    };
    side_by_side(cases, |(kind, interrupted)| {
        // A delayed server is asked again.
        unless_late(Duration::ZERO, 0..10, |_| ensure(left(kind, interrupted), format!("{kind:?} {interrupted:?}")));
    });
}

/// A 2.0 server that answers only after 2.2's connect keeps the socket of that one.
#[test]
fn an_answer_after_both_connects_is_reported() {
    // A probe on a busy machine may find the answer before it sends the second connect.
    unless_late(ms(2200), 0..10, |_| {
        let server = Server::late(Kind::V20, ms(2200));
        let request = Request { carrier: Some(Carrier::Tcp), samples: 1, ..request("riptide", &[]) };
        let report = ask(&request, &server.at.to_string());
        let about = format!("{} {}: {:?}, {:?}", outcome(&report), text(&report), report.notes, server.seen());
        assert_eq!(version(&report), Some("2.0"), "{about}");
        let noted = report.notes.iter().any(|note| note.contains("asked in 2.2's form"));
        assert_eq!(noted, report.left == 1, "{about}");
        ensure(noted, about)
    });
}
