//! Many clients at once: the figures for servers that answer, refuse, stay silent or drop clients.

use crate::common::{Receive, side_by_side, until};
use serde_json::Value;
use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Its first 18 frames have four requests, each with its answer.
const CAPTURE: &str = "nano/nano-tcp.pcap";

/// The behaviour of a server.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Answers,
    /// Sends nothing at all.
    Silent,
    /// Closes the connection after the handshake.
    Drops,
    /// Answers no request.
    Handshakes,
    /// Answers each request after this delay.
    Slow(Duration),
    /// Accepts this many sessions of this total. Answers requests when all have connected, and those accepted have had
    /// the answers to their handshakes.
    Capped(usize, usize),
    /// Answers at most one request in this time.
    Paced(Duration),
    /// Answers nothing in the second half of each such period.
    Stalls(Duration),
    /// Answers requests of one route after this delay, others at once.
    SlowRoute(&'static str, Duration),
}

/// The answers of a server to requests.
#[derive(Default)]
struct Answers {
    /// The time of the next answer, if it paces them.
    next: Mutex<Option<Instant>>,
    /// The time that each request has waited in the server, in milliseconds.
    waits: Mutex<Vec<f64>>,
}

impl Answers {
    /// Waits until a request may be answered.
    fn wait(&self, manner: Manner, body: &[u8], begin: Instant) {
        let now = Instant::now();
        let at = match manner {
            Manner::Slow(time) => now + time,
            Manner::SlowRoute(route, time) if body.windows(route.len()).any(|part| part == route.as_bytes()) => {
                now + time
            }
            Manner::Paced(every) => {
                let mut next = self.next.lock().unwrap();
                let at = next.map_or(now, |next| next.max(now));
                *next = Some(at + every);
                at
            }
            Manner::Stalls(period) => {
                let since = Duration::from_nanos(((now - begin).as_nanos() % period.as_nanos()) as u64);
                if since >= period / 2 { now + (period - since) } else { now }
            }
            _ => now,
        };
        std::thread::sleep(at - now);
        self.waits.lock().unwrap().push(now.elapsed().as_secs_f64() * 1e3);
    }

    /// Returns the shortest wait of the given share of the longest ones, and the number of all.
    fn percentile(&self, percent: f64) -> f64 {
        let mut waits = self.waits.lock().unwrap().clone();
        waits.sort_by(f64::total_cmp);
        waits[((waits.len() as f64 * percent / 100.0).ceil() as usize).clamp(1, waits.len()) - 1]
    }
}

/// The connections of a server.
#[derive(Default)]
struct Counts {
    all: AtomicUsize,
    open: AtomicUsize,
    most_at_once: AtomicUsize,
    /// Those whose client has acknowledged the handshake.
    acknowledged: AtomicUsize,
}

/// A server of nano's family.
struct Server {
    at: SocketAddr,
    counts: Arc<Counts>,
    /// The bodies of all requests with a route.
    texts: Arc<Mutex<Vec<String>>>,
    answers: Arc<Answers>,
}

impl Server {
    fn start(manner: Manner) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let counts: Arc<Counts> = Arc::default();
        let own = Arc::clone(&counts);
        let texts: Arc<Mutex<Vec<String>>> = Arc::default();
        let received = Arc::clone(&texts);
        let answers: Arc<Answers> = Arc::default();
        let (given, begin) = (Arc::clone(&answers), Instant::now());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (counts, received, given) = (Arc::clone(&own), Arc::clone(&received), Arc::clone(&given));
                counts.all.fetch_add(1, Ordering::SeqCst);
                let open = counts.open.fetch_add(1, Ordering::SeqCst) + 1;
                counts.most_at_once.fetch_max(open, Ordering::SeqCst);
                std::thread::spawn(move || {
                    // A reset of the connection ends it, too.
                    let taken = !matches!(manner, Manner::Capped(most, _) if open > most);
                    let _ = if taken { serve(stream, (manner, begin), &counts, &received, &given) } else { Ok(()) };
                    counts.open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Server { at, counts, texts, answers }
    }

    fn all(&self) -> usize {
        self.counts.all.load(Ordering::SeqCst)
    }

    fn most(&self) -> usize {
        self.counts.most_at_once.load(Ordering::SeqCst)
    }

    /// Checks that it has had every session that was started, also those that it accepts after their end.
    fn has_seen(&self, all: &Value) {
        let started = all["started"].as_u64().unwrap() as usize;
        until("all sessions are accepted", || self.all() >= started);
        assert_eq!(self.all(), started, "{all}");
    }

    /// Waits until all clients have left.
    fn is_left(&self) {
        let end = Instant::now() + Duration::from_secs(20);
        while self.counts.open.load(Ordering::SeqCst) > 0 {
            assert!(Instant::now() < end, "{} are left", self.counts.open.load(Ordering::SeqCst));
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn serve(
    mut stream: TcpStream,
    (manner, begin): (Manner, Instant),
    counts: &Counts,
    texts: &Mutex<Vec<String>>,
    answers: &Answers,
) -> std::io::Result<()> {
    let package = |kind: u8, body: &[u8]| [&[kind, 0, 0, body.len() as u8], body].concat();
    loop {
        let mut head = [0; 4];
        stream.read_exact(&mut head)?;
        let mut body = vec![0; u32::from_be_bytes([0, head[1], head[2], head[3]]) as usize];
        stream.read_exact(&mut body)?;
        match (head[0], manner) {
            (_, Manner::Silent) => {}
            (1, _) => stream.write_all(&package(1, br#"{"code":200,"sys":{"heartbeat":60}}"#))?,
            (2 | 4, Manner::Drops) => return Ok(()),
            (2, _) => _ = counts.acknowledged.fetch_add(1, Ordering::SeqCst),
            (4, Manner::Handshakes) => {}
            // A request: its number, of one or more bytes, follows the flags.
            (4, _) if body[0] >> 1 & 7 == 0 => {
                if let Manner::Capped(most, all) = manner {
                    while counts.all.load(Ordering::SeqCst) < all || counts.acknowledged.load(Ordering::SeqCst) < most {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
                answers.wait(manner, &body, begin);
                if let Some(at) = body.iter().position(|byte| *byte == b'{') {
                    texts.lock().unwrap().push(String::from_utf8_lossy(&body[at..]).into_owned());
                }
                let end = 1 + body[1..].iter().position(|byte| byte & 0x80 == 0).unwrap();
                stream.write_all(&package(4, &[&[4], &body[1..=end], br#"{"code":200}"#].concat()))?;
            }
            _ => {}
        }
    }
}

fn command(to: &str, args: &[&str]) -> Command {
    let mut command = crate::common::program();
    let fixed = ["replay", CAPTURE, "--flow", "1", "--to", to, "--last-frame", "18", "--asap", "-f", "ndjson"];
    // Longer than a busy machine delays a server.
    let patience: &[&str] = if args.contains(&"-W") { &[] } else { &["-W", "10s"] };
    command.args(fixed).args(patience).args(args).current_dir(format!("{}/fixtures", env!("CARGO_MANIFEST_DIR")));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(at: SocketAddr, args: &[&str]) -> (Vec<Value>, String, Option<i32>) {
    read(&command(&at.to_string(), args).output().unwrap())
}

/// The report's lines, the last one for all sessions; stderr; the status.
fn read(output: &Output) -> (Vec<Value>, String, Option<i32>) {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (lines, String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
}

/// Each session is separate, all are counted, also by second, and none stays open.
#[test]
fn all_are_answered() {
    let server = Server::start(Manner::Slow(Duration::from_millis(20)));
    let (lines, reported, status) = run(server.at, &["--clients", "30", "--ramp", "300/s"]);
    let all = lines.last().unwrap();
    assert_eq!((status, &all["complete"], &reported[..]), (Some(0), &true.into(), ""), "{all}");
    for name in ["started", "connected", "finished"] {
        assert_eq!(all[name], 30, "{name}: {all}");
    }
    assert_eq!(all["requests"], 4 * 30, "{all}");
    let kind = &all["kinds"]["request Room.Echo"];
    assert_eq!((&kind["requests"], &kind["p99"]), (&all["requests"], &all["p99"]), "{all}");
    // No answer is faster than the server.
    assert!(all["p50"].as_f64() >= Some(20.0) && all["p50"].as_f64() <= all["p99"].as_f64(), "{all}");
    assert!(all["p99"].as_f64() <= all["max"].as_f64(), "{all}");
    let parts = &lines[..lines.len() - 1];
    assert!(parts.iter().all(|part| part["report"] == "interval"), "{lines:#?}");
    for name in ["started", "connected", "finished", "requests", "resent"] {
        let sum: u64 = parts.iter().map(|part| part[name].as_u64().unwrap()).sum();
        assert_eq!(all[name], sum, "{name}: {lines:#?}");
    }
    has_page(&lines);
    server.is_left();
    assert_eq!(server.all(), 30);
    assert!(server.most() <= 30 && all["most_at_once"].as_u64() <= Some(30));
}

/// A report reads these lines whole, with the figures of the run.
fn has_page(lines: &[Value]) {
    let scratch = crate::common::Scratch::new("load-page");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (lines, page) = (scratch.write("load.ndjson", text), scratch.file("load.html"));
    crate::common::run(&["report", &lines, "-o", &page], b"").ok();
    let html = std::fs::read_to_string(page).unwrap();
    assert!(
        html.contains("Figures of the whole run")
            && html.contains("request Room.Echo")
            && !html.contains("incomplete:")
    );
}

/// Each client sends its own values. A value that cannot be written for all clients is refused before the first packet.
#[test]
fn each_client_has_its_own_name() {
    let server = Server::start(Manner::Answers);
    let edit = "message == request and id == 1: payload.q=\"bot{client}\"";
    let (lines, reported, status) = run(server.at, &["--clients", "12", "--ramp", "1000/s", "--on", edit]);
    assert_eq!((status, &reported[..]), (Some(0), ""), "{lines:?}");
    server.is_left();
    let mut names: Vec<String> = server.texts.lock().unwrap().iter().filter(|t| t.contains("bot")).cloned().collect();
    names.sort_by_key(|name| (name.len(), name.clone()));
    let wanted: Vec<String> = (1..=12).map(|n| format!(r#"{{"q":"bot{n}"}}"#)).collect();
    assert_eq!(names, wanted);
    // A session alone is client 1.
    let alone = ["replay", CAPTURE, "--flow", "1", "--last-frame", "10", "--dry-run", "-f", "ndjson", "--on", edit];
    let alone = crate::common::program()
        .args(alone)
        .current_dir(format!("{}/fixtures", env!("CARGO_MANIFEST_DIR")))
        .output()
        .unwrap();
    let hex: String = "bot1".bytes().map(|byte| format!("{byte:02x}")).collect();
    let printed = String::from_utf8(alone.stdout).unwrap();
    assert!(printed.contains(&hex) && !printed.contains("client}"), "{printed}");
    let number = ["--clients", "5", "--on", "message == request: id={client}"];
    let (_, reported, status) = run(server.at, &number);
    assert!(status == Some(2) && reported.contains("id is a number, got \"{client}\""), "{reported}");
    // An unknown name is refused before the first packet, and double braces are text.
    let before = server.all();
    let unknown = ["--clients", "5", "--on", "message == request and id == 1: payload.q=\"bot{nr}\""];
    let (_, reported, status) = run(server.at, &unknown);
    assert!(status == Some(2) && reported.contains("no placeholder {nr}: there is {client}"), "{reported}");
    assert_eq!(server.all(), before);
    let literal = ["--clients", "2", "--on", "message == request and id == 1: payload.q=\"{{client}} {client}\""];
    let (_, reported, status) = run(server.at, &literal);
    assert_eq!((status, &reported[..]), (Some(0), ""));
    server.is_left();
    let received = server.texts.lock().unwrap();
    assert!([1, 2].iter().all(|n| received.contains(&format!(r#"{{"q":"{{client}} {n}"}}"#))), "{received:?}");
}

/// A server that accepts twelve of twenty sessions is reported as the limit.
#[test]
fn capped() {
    let server = Server::start(Manner::Capped(12, 20));
    let (lines, _, status) = run(server.at, &["--clients", "20", "--ramp", "1000/s", "-W", "60s"]);
    let all = lines.last().unwrap();
    let figures = ["connected", "finished", "refused", "dropped", "silent", "own", "most_at_once", "requests"];
    assert_eq!(figures.map(|name| all[name].as_u64().unwrap()), [12, 12, 8, 0, 0, 0, 12, 48], "{all}");
    assert_eq!((status, &all["limit"]), (Some(1), &"server".into()), "{all}");
    server.is_left();
}

/// The figures of a server that answers a limited number of requests a second, or none for half of each period, are
/// those that the server has measured itself. Its own waits are a lower bound of ours, however busy the machine is, and
/// the rate has an upper one; a single second has it only if nothing delays the answers, in one of several runs.
#[test]
fn a_limited_server_is_described_as_it_is() {
    const PACE: Duration = Duration::from_millis(10);
    const RUNS: usize = 5;
    let paced = std::iter::repeat_n(Manner::Paced(PACE), RUNS);
    let mut least_busiest = f64::MAX;
    for manner in paced.chain([Manner::Stalls(Duration::from_millis(400))]) {
        if manner == Manner::Paced(PACE) && least_busiest <= 105.0 {
            continue;
        }
        let server = Server::start(manner);
        let (lines, reported, status) =
            run(server.at, &["--clients", "12", "--ramp", "1000/s", "--for", "3s", "-W", "60s"]);
        let all = lines.last().unwrap();
        assert_eq!(status, Some(0), "{reported} {all}");
        server.is_left();
        let [seconds, requests] = ["seconds", "requests"].map(|name| all[name].as_f64().unwrap());
        let answered = server.answers.waits.lock().unwrap().len() as f64;
        // At most one request of each client is answered when nobody waits for it any more.
        assert!(requests <= answered && answered <= requests + 12.0, "{answered}: {all}");
        if manner == Manner::Paced(PACE) {
            assert!(requests / seconds <= 100.0 * 1.05, "{all}");
            let [rate, busiest] = ["rate", "busiest_second"].map(|name| all[name].as_f64().unwrap());
            // On a busy machine a second has answers that are late, too.
            assert!(rate <= 105.0 && rate.floor() <= busiest, "{all}");
            least_busiest = least_busiest.min(busiest);
        }
        for (name, percent) in [("p50", 50.0), ("p90", 90.0), ("max", 100.0)] {
            let (reported, own) = (all[name].as_f64().unwrap(), server.answers.percentile(percent));
            assert!(reported >= own * 0.95 || requests < answered, "{name}: {own} ms in the server: {all}");
        }
        let parts = lines.iter().filter(|line| line["report"] == "interval");
        assert_eq!(parts.map(|part| part["requests"].as_u64().unwrap()).sum::<u64>() as f64, requests);
    }
    assert!(least_busiest <= 105.0, "{least_busiest} answers in the busiest second of each run");
}

/// The times of a kind of request are its own: one that the server delays slows no other.
#[test]
fn a_slow_kind_is_apart() {
    let server = Server::start(Manner::SlowRoute("Room.Slow", Duration::from_secs(2)));
    let edit = "message == request and id == 127: route=\"Room.Slow\"";
    let (lines, reported, status) = run(server.at, &["--clients", "5", "--ramp", "1000/s", "--on", edit]);
    let all = lines.last().unwrap();
    assert_eq!(status, Some(0), "{reported} {all}");
    let [slow, echo] = ["request Room.Slow", "request Room.Echo"].map(|kind| &all["kinds"][kind]);
    assert_eq!((&slow["requests"], &echo["requests"]), (&5.into(), &15.into()), "{all}");
    assert!(["p50", "max"].iter().all(|name| slow[name].as_f64() >= Some(1990.0)), "{all}");
    // Most of the others wait for none of the slow ones.
    assert!(echo["p50"].as_f64() < slow["p50"].as_f64(), "{all}");
    server.is_left();
}

/// A shortage on the client's side is its own failure, and breaks no limit on the server's.
#[cfg(unix)]
#[test]
fn no_descriptors() {
    let server = Server::start(Manner::Silent);
    let limited = command(
        &server.at.to_string(),
        &["--clients", "100", "--ramp", "10000/s", "-W", "1s", "--fail-on", "dropped>1%"],
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 64 && exec \"$0\" \"$@\""]).arg(limited.get_program()).args(limited.get_args());
    let (lines, reported, status) = read(&shell.current_dir(limited.get_current_dir().unwrap()).output().unwrap());
    let all = lines.last().unwrap();
    assert!(status == Some(0) && reported.contains("the system allows 64 open files"), "{reported}");
    let [own, silent] = ["own", "silent"].map(|name| all[name].as_u64().unwrap());
    assert!(own > 30 && own + silent == 100 && all["dropped"] == 0, "{all}");
    assert_eq!(all["limit"], "client", "{all}");
    server.is_left();
}

/// Complete sessions are replaced at once: the requested number runs, however slowly they started.
#[test]
fn as_many_as_asked_for() {
    let server = Server::start(Manner::Slow(Duration::from_millis(20)));
    let (lines, ..) = run(server.at, &["--clients", "10", "--ramp", "20/s", "--for", "3s", "-W", "60s"]);
    let all = lines.last().unwrap();
    // Each takes at least 80 ms: the ramp alone would keep two running.
    assert_eq!(all["most_at_once"], 10, "{all}");
    server.is_left();
}

/// Sessions start at the rates of the stages, and all leave at the end.
#[test]
fn stages() {
    let server = Server::start(Manner::Answers);
    let stages = "40/s:500ms,40/s:500ms,0:1s";
    let (lines, _, status) = run(server.at, &["--clients", "1000", "--stages", stages, "-W", "60s"]);
    let all = lines.last().unwrap();
    assert_eq!(status, Some(0), "{all}");
    // 10, 20 and 20, without those whose start a busy machine has missed before the end.
    assert!((20..=50).contains(&all["started"].as_u64().unwrap()), "{all}");
    assert!(all["seconds"].as_f64() >= Some(2.0), "{all}");
    assert_eq!(all["not_begun"], Value::Null, "{all}");
    server.has_seen(all);
    server.is_left();
    for args in [["--stages", "10/s"], ["--stages", "0:5s"]] {
        let (_, reported, status) = run(server.at, &[&["--clients", "5"], &args[..]].concat());
        assert!(status == Some(2) && reported.contains("--stages"), "{reported}");
    }
}

/// The sessions for which no client was free are counted: each takes longer than the stages.
#[test]
fn stages_that_want_more_clients() {
    let server = Server::start(Manner::Slow(Duration::from_millis(500)));
    let stages = "40/s:500ms,40/s:1s";
    let (lines, ..) = run(server.at, &["--clients", "1", "--stages", stages, "-W", "60s"]);
    let all = lines.last().unwrap();
    // 10 and 40, without those whose start a busy machine has missed before the end.
    assert_eq!(all["started"], 1, "{all}");
    assert!(all["not_begun"].as_u64().is_some_and(|count| (1..=49).contains(&count)), "{all}");
    server.is_left();
}

/// `--for`: new sessions replace those that end, but never exceed the requested number.
#[test]
fn for_a_time() {
    let server = Server::start(Manner::Answers);
    let begun = Instant::now();
    let (lines, _, status) = run(server.at, &["--clients", "3", "--ramp", "1000/s", "--for", "1500ms"]);
    let all = lines.last().unwrap();
    assert_eq!(status, Some(0), "{all}");
    assert!(begun.elapsed() >= Duration::from_millis(1500), "{all}");
    assert!(all["started"].as_u64() > Some(6), "{all}");
    server.has_seen(all);
    assert_eq!(
        all["started"].as_u64(),
        Some(all["finished"].as_u64().unwrap() + all["left"].as_u64().unwrap()),
        "{all}"
    );
    server.is_left();
    // A busy server sees late that a client has left: so its own most is no exact bound.
    assert!(all["most_at_once"].as_u64().is_some_and(|most| most <= 3), "{all}");
    assert!((server.most() as u64) < all["started"].as_u64().unwrap(), "{} at once: {all}", server.most());
}

/// Servers that do not answer, refuse or drop are reported as such, and that is a failure.
#[test]
fn failures_are_distinguished() {
    let closed = crate::common::closed_tcp();
    let silent = Server::start(Manner::Silent);
    let drops = Server::start(Manner::Drops);
    for (at, name, patience) in [(closed, "refused", "9s"), (silent.at, "silent", "1s"), (drops.at, "dropped", "9s")] {
        let (lines, _, status) = run(at, &["--clients", "4", "--ramp", "1000/s", "-W", patience]);
        let all = lines.last().unwrap();
        assert_eq!((status, &all[name], &all["finished"]), (Some(1), &4.into(), &0.into()), "{name}: {all}");
        assert_eq!(all["reasons"].as_object().unwrap().values().filter_map(Value::as_u64).sum::<u64>(), 4, "{all}");
        assert_ne!(all["limit"], Value::Null, "{all}");
    }
    [silent, drops].iter().for_each(Server::is_left);
}

/// Responses that do not arrive are counted, and fail a run only by the user's limit.
#[test]
fn unanswered_requests() {
    let server = Server::start(Manner::Handshakes);
    let cases = [(&[][..], 0), (&["--fail-on", "unanswered>11"], 1), (&["--fail-on", "unanswered>12"], 0)];
    side_by_side(cases, |(limit, status)| {
        let (lines, reported, ended) = run(server.at, &[&["--clients", "3", "-W", "3s"], limit].concat());
        let all = lines.last().unwrap();
        assert_eq!(
            (ended, &all["finished"], &all["unanswered"]),
            (Some(status), &3.into(), &12.into()),
            "{reported} {all}"
        );
        assert_eq!(all["requests"], 0, "{all}");
    });
    server.is_left();
}

/// The user's limits decide instead, also those without data to check.
#[test]
fn bounds() {
    let server = Server::start(Manner::Slow(Duration::from_millis(30)));
    let closed = crate::common::closed_tcp();
    for (at, bound, broken) in [
        (server.at, "p50>5s", None),
        (server.at, "p50 > 5ms", Some(" ms")),
        (server.at, "connected<5", None),
        (server.at, "connected<6", Some("5")),
        (server.at, "dropped>0%", None),
        (closed, "dropped>0", None),
        (closed, "refused>=100%", Some("100.000 %")),
        (closed, "p99>1s", Some("there is no data to check")),
    ] {
        let (lines, reported, status) = run(at, &["--clients", "5", "--ramp", "1000/s", "--fail-on", bound]);
        assert_eq!(status, Some(broken.is_some().into()), "{bound}: {lines:?}");
        match broken {
            Some(value) => {
                assert!(reported.contains(&format!("--fail-on {bound}: ")) && reported.contains(value), "{reported}")
            }
            None => assert_eq!(reported, "", "{bound}"),
        }
    }
    server.is_left();
    let (_, reported, status) = run(closed, &["--clients", "5", "--fail-on", "p98>1s"]);
    assert_eq!(status, Some(2), "{reported}");
    assert!(reported.contains("p98"), "{reported}");
}

/// Ctrl-C: all sessions leave, and the figures so far are reported.
#[cfg(unix)]
#[test]
fn stopped() {
    let server = Server::start(Manner::Slow(Duration::from_millis(50)));
    let mut child = command(&server.at.to_string(), &["--clients", "10", "--ramp", "1000/s", "--for", "60s"]);
    let child = child.spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    while server.all() < 10 {
        assert!(Instant::now() < end);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let (lines, _, status) = read(&child.wait_with_output().unwrap());
    let all = lines.last().unwrap();
    assert_eq!((status, &all["report"], &all["stopped"]), (Some(130), &"load".into(), &true.into()), "{all}");
    assert_eq!((&all["refused"], &all["dropped"], &all["silent"]), (&0.into(), &0.into(), &0.into()), "{all}");
    server.is_left();
}

/// Sessions start one after the other, at the requested rate and no faster.
#[test]
fn the_ramp_is_kept() {
    let server = Server::start(Manner::Answers);
    let (lines, _, status) = run(server.at, &["--clients", "4", "--ramp", "4/s"]);
    let all = lines.last().unwrap();
    assert_eq!((status, &all["finished"]), (Some(0), &4.into()), "{all}");
    assert!(
        all["seconds"].as_f64() >= Some(0.75),
        "three quarters of a second lie between the first and the last: {all}"
    );
    server.is_left();
}

/// All clients say goodbye at once when the time is over, and again if the first goodbye is lost.
#[test]
fn goodbyes_are_repeated() {
    const CLIENTS: usize = 40;
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let at = socket.local_addr().unwrap();
    // Riptide 2.2: the type is in the first four bits. The first disconnect of each client is lost.
    let server = std::thread::spawn(move || {
        let (mut buffer, mut goodbyes) = ([0; 2048], Vec::<SocketAddr>::new());
        let mut gone = HashSet::new();
        while gone.len() < CLIENTS {
            let (_, client) = socket.receive_from(&mut buffer).expect("a client said goodbye once at most");
            let answer: &[u8] = match buffer[0] & 15 {
                2 => &[0x18, 0, 0x10, 0, 0],
                8 => &[0x11, 0, 0x10, 0, 0],
                5 => {
                    if goodbyes.contains(&client) {
                        gone.insert(client);
                    }
                    goodbyes.push(client);
                    continue;
                }
                _ => continue,
            };
            socket.send_to(answer, client).unwrap();
        }
        goodbyes
    });
    let many = CLIENTS.to_string();
    let load = ["--clients", &many, "--ramp", "1000/s", "--for", "2s", "-W", "60s", "--speed", "0.001"];
    let output = datagrams(at, &load).output().unwrap();
    let (lines, ..) = read(&output);
    let goodbyes = server.join().unwrap();
    let all = lines.last().unwrap();
    assert_eq!((&all["started"], &all["left"]), (&CLIENTS.into(), &CLIENTS.into()), "{all}");
    let first: HashSet<SocketAddr> = goodbyes.iter().take(CLIENTS).copied().collect();
    assert_eq!(first.len(), CLIENTS, "no client waits for the goodbyes of another");
}

/// A session of Riptide 2.2 over UDP, played by many.
fn datagrams(at: SocketAddr, args: &[&str]) -> Command {
    let mut command = crate::common::program();
    command.args(["replay", "real/asap-first-notify.pcap", "--flow", "1", "--to", &at.to_string(), "-f", "ndjson"]);
    command.args(args).current_dir(format!("{}/fixtures", env!("CARGO_MANIFEST_DIR")));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The answer to the connect arrives in time, but this side is stopped until it is too late for one.
#[test]
fn who_is_late_reads_before_giving_up() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let child = datagrams(socket.local_addr().unwrap(), &["--clients", "1", "-W", "4s"]).spawn().unwrap();
    let (mut buffer, mut stopped) = ([0; 2048], false);
    loop {
        let (_, client) = socket.receive_from(&mut buffer).expect("the answer to the welcome");
        match buffer[0] & 15 {
            2 if !stopped => {
                stopped = true;
                crate::common::signal(&child, "-STOP");
                socket.send_to(&[0x18, 0, 0x10, 0, 0], client).unwrap();
                std::thread::sleep(Duration::from_secs(6));
                crate::common::signal(&child, "-CONT");
            }
            8 => break,
            _ => {}
        }
    }
    // Nothing acknowledges what follows, so the session ends.
    let (lines, ..) = read(&child.wait_with_output().unwrap());
    let all = lines.last().unwrap();
    assert_eq!((&all["connected"], &all["silent"]), (&1.into(), &0.into()), "{all}");
}

/// The reader of the output goes away: a bound that was not tested to the end does not hold, nor does a comparison that
/// has failed already.
#[test]
fn nobody_reads_the_figures() {
    let server = Server::start(Manner::Answers);
    let args = ["--clients", "2", "--for", "60s", "--fail-on", "p99>60s"];
    let mut child = command(&server.at.to_string(), &args).spawn().unwrap();
    let mut first = [0];
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut first).unwrap();
    drop(out);
    let done = child.wait_with_output().unwrap();
    let reported = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(
        done.status.code() == Some(3) && reported.contains("--fail-on p99>60s: not tested to the end"),
        "{reported}"
    );
    let silent = Server::start(Manner::Handshakes);
    let mut child = command(&silent.at.to_string(), &["--expect", "-W", "300ms"]).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
