//! Sessions with a peer that floods end in time: at the user's request at once, and at the overall deadline.

use crate::common::side_by_side;
use crate::endless::peer::{HANG, Peer, hex};
use netkit::capture::{Capture, Input, Packets};
use netkit::dissect::{Options, Role};
use netkit::live::probe::{self, Carrier, Report, Request, Shared};
use netkit::live::replay::{Changes, Choices, Conversation, Order, Pace, Recording, Report as Replayed, Waiting};
use netkit::live::{CancelToken, NetError, Observer, Target};
use netkit::protocols;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// The length of the session and the way it is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// Two samples, each with a short timeout.
    Soon,
    /// A thousand samples with a very long timeout, until the user cancels.
    Cancelled,
    /// The same, until `--max-time`.
    MaxTime,
}

/// A server that floods clients that probe it.
struct Flood {
    proto: &'static str,
    carrier: Carrier,
    connect: bool,
    /// TCP: the number of bytes that it reads from the client first.
    awaits: usize,
    /// TCP: the number of later clients that it waits for before it answers one.
    later: usize,
    first: &'static str,
    again: Vec<u8>,
}

const REFUSAL: &str =
    "4e4c002c474e4500000007005374617273686970204475656c0000000000000000000000000000000000000003020100";
const NANO: &str = "0100002c7b22636f6465223a3230302c22737973223a7b22686561727462656174223a333030307d7d";

fn floods() -> Vec<Flood> {
    let flood = |proto, carrier, awaits, first, again: &str| Flood {
        proto,
        carrier,
        connect: false,
        awaits,
        later: 0,
        first,
        again: hex(again),
    };
    let (udp, tcp, ws) = (Carrier::Udp, Carrier::Tcp, Carrier::Ws);
    // Whole messages that are not answers, and bytes of no protocol.
    let pages = |one: &str| one.replace(' ', "").repeat(1 << 11);
    vec![
        flood("riptide", udp, 0, "08 01 00 01 00", "05 ff"),
        flood("riptide", udp, 0, "", "de ad be ef"),
        flood("riptide", udp, 0, "08 01 00 01 00", "07 05 00 01 00"),
        flood("dnp", udp, 0, "", "03 00 01"),
        Flood { connect: true, ..flood("dnp", udp, 0, "01 02", "03 00 01") },
        flood("acknex", udp, 0, "", "07 09 00 00 80 3f"),
        flood("acknex", udp, 0, "", "ff ff ff"),
        flood("riptide", tcp, 3, "05 00 08 01 00 01 00", &pages("02 00 05 ff")),
        // It answers when the other form is asked, too: two conversations are open.
        Flood { later: 1, ..flood("riptide", tcp, 3, "05 00 08 01 00 01 00", &pages("02 00 05 ff")) },
        flood("riptide", tcp, 3, "", &pages("00 00 00 00")),
        flood("gne", tcp, 52, "", &pages("4e 4c 00 02 02 ff")),
        Flood { connect: true, ..flood("gne", tcp, 52, REFUSAL, &pages("4e 4c 00 02 00 ff")) },
        flood("nano", tcp, 40, NANO, &pages("03 00 00 00")),
        flood("nano", tcp, 40, "", &pages("03 00 00 00")),
        flood("nano", ws, 40, "", &pages("89 00")),
    ]
}

/// Runs `run` in a thread, and fails if it never ends.
fn ends<T: Send + 'static>(what: &str, run: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, reported) = mpsc::channel();
    std::thread::spawn(move || sender.send(run()));
    reported.recv_timeout(HANG).unwrap_or_else(|_| panic!("{what}: it goes on as long as the peer does"))
}

/// Cancels a token once the peer has begun to flood.
fn cancel(peer: &Peer, stop: &CancelToken) {
    let (sent, stop) = (peer.sent.clone(), stop.clone());
    std::thread::spawn(move || {
        while sent.load(Ordering::Relaxed) < 200 {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(50));
        stop.set();
    });
}

/// Probes a server, if necessary again and again with more time: a busy machine may not let it flood before the end.
fn probe(flood: &Flood, how: How) -> Report {
    let tries = (0..8).map(|doubled| try_to_probe(flood, how, 1 << doubled));
    let flooded = tries.into_iter().find_map(|(report, flooded)| flooded.then_some(report));
    flooded.unwrap_or_else(|| panic!("{} {:?} {how:?}: it never flooded", flood.proto, flood.carrier))
}

/// Probes a server with a multiple of the usual time. Returns also whether it flooded.
fn try_to_probe(flood: &Flood, how: How, times: u32) -> (Report, bool) {
    let peer = match flood.carrier {
        Carrier::Udp => Peer::datagrams(vec![hex(flood.first)], flood.again.clone()),
        _ => Peer::late_stream(flood.later, flood.awaits, hex(flood.first), flood.again.clone()),
    };
    let soon = how == How::Soon;
    let request = Request {
        clients: protocols::clients(),
        proto: protocols::by_name(flood.proto),
        carrier: Some(flood.carrier),
        options: Options { proto: Some(flood.proto.into()), ..protocols::options() },
        samples: if soon { 2 } else { 1000 },
        interval: Duration::from_millis(20),
        timeout: Some(if soon { Duration::from_millis(500) * times } else { Duration::from_secs(600) }),
        connect: flood.connect,
        create: None,
        name: "netkit".into(),
        data: None,
        max_time: (how == How::MaxTime).then_some(Duration::from_millis(200) * times),
        rounds: false,
    };
    let stop = CancelToken::default();
    if how == How::Cancelled {
        cancel(&peer, &stop);
    }
    let target: Target = peer.at.to_string().parse().expect("a target");
    let name = format!("{} {:?} {how:?}", flood.proto, flood.carrier);
    let report = ends(&name, move || {
        let shared = Shared { recorder: None, stop: &stop, flows: &AtomicU64::new(0), memory: &Default::default() };
        probe::run(&request, &target, &shared, None, &|_| ())
    });
    // A refusal ends the probe, maybe before the flood.
    let refused = flood.connect && report.outcome.name() == "rejected";
    let flooded = refused || peer.floods();
    (report, flooded)
}

#[test]
fn probes_end_in_time() {
    side_by_side(floods(), |flood| {
        let report = probe(&flood, How::Soon);
        assert!(!matches!(report.outcome.name(), "interrupted" | "timed_out"), "{report:?}");
    });
}

/// Some probes finish before they are stopped: then there is nothing to stop.
fn stops(how: How, outcome: &str) {
    let mut stopped = 0;
    for flood in floods() {
        let report = probe(&flood, how);
        let text = report.failure.as_ref().map_or("", |failure| &failure.text);
        let seen = matches!(report.outcome.name(), "broken" | "other_protocol" | "closed" | "silent" | "rejected");
        assert!(report.outcome.name() == outcome || seen, "{how:?} {}: {} {text}", flood.proto, report.outcome.name());
        stopped += usize::from(report.outcome.name() == outcome);
    }
    assert!(stopped >= 10, "{stopped} of {}", floods().len());
}

#[test]
fn probes_heed_the_user() {
    stops(How::Cancelled, "interrupted");
}

#[test]
fn probes_heed_the_deadline() {
    stops(How::MaxTime, "timed_out");
}

fn conversation(path: &str, flow: u64) -> Conversation {
    let path = format!("{}/fixtures/{path}", env!("CARGO_MANIFEST_DIR"));
    let packets =
        Packets::new(Capture::new(Input::new(Box::new(std::fs::File::open(path).unwrap())).unwrap()).unwrap());
    Recording::read(packets, &protocols::options(), &protocols::clients(), &Changes::default())
        .unwrap()
        .take(Some(flow))
        .unwrap()
}

fn order<'a>(conversation: &'a Conversation, role: Role, stop: &'a CancelToken, how: How) -> Order<'a> {
    let none: Option<Observer<'a>> = None;
    Order {
        conversation,
        choices: Choices { role, allow_dangerous: false, until: None },
        // Too slow to finish.
        pace: Pace { speed: Some(0.001), max_gap: None },
        timeout: Duration::from_secs(600),
        linger: netkit::live::replay::LINGER,
        host: "127.0.0.1",
        path: None,
        recorder: None,
        observer: none,
        stop,
        max_time: (how == How::MaxTime).then_some(Duration::from_millis(200)),
        flow: 1,
    }
}

/// A client's request to the server of `gne-le-tcponly.pcap`.
const REQUEST: &str =
    "4e4c0030474e45000007006c6f626279000000000000000000000000000000000000000000000000000000010000000000000000";

/// Captures; their conversations; the server's first bytes, and those of its flood; the first bytes of a client.
const SESSIONS: [(&str, u64, &str, &str, &str); 6] = [
    ("riptide/riptide22-udp.pcap", 2, "18 00 10 00 00", "04 f0", "02"),
    ("riptide/riptide20-tcp.pcap", 1, "05 00 08 01 00 01 00", "02 00 05 ff", "01 00 03"),
    ("dnp/dnp-basic.pcap", 1, "01 00 00 00", "03 00 01", "00 01 00 00 00"),
    ("acknex/acknex-sim-le.pcap", 1, "", "07 09 00 00 80 3f", "02 6e 00"),
    ("gne/gne-le-tcponly.pcap", 1, "", "4e 4c 00 02 00 ff", REQUEST),
    ("nano/nano-protobuf-tcp.pcap", 1, NANO, "03 00 00 00", "01 00 00 00"),
];

fn replayed(report: &Replayed, how: How, name: &str) {
    let trouble = report.trouble.as_deref().unwrap_or_default();
    let wanted = if how == How::MaxTime { "ended after 0.200 s (--max-time)" } else { "interrupted" };
    assert!(report.stopped && trouble == wanted, "{name}: {report}");
}

fn replay(how: How) {
    side_by_side(SESSIONS, |(path, flow, first, again, _)| {
        let datagrams = conversation(path, flow).transport == netkit::flow::Transport::Udp;
        let peer = match datagrams {
            true => Peer::datagrams(vec![hex(first)], hex(again)),
            false => Peer::stream(1, hex(first), hex(again).repeat(1 << 11)),
        };
        let stop = CancelToken::default();
        if how == How::Cancelled {
            cancel(&peer, &stop);
        }
        let at = peer.at;
        let report = ends(path, move || {
            let conversation = conversation(path, flow);
            let order = order(&conversation, Role::Client, &stop, how);
            order.to(at, &order.options(&protocols::options()), &mut |_| {}).expect("a session")
        });
        replayed(&report, how, path);
    });
}

#[test]
fn replays_heed_the_user() {
    replay(How::Cancelled);
}

#[test]
fn replays_heed_the_deadline() {
    replay(How::MaxTime);
}

/// A client that floods the side that waits for it.
fn listen(how: How) {
    for (path, flow, _, again, first) in SESSIONS {
        let stop = CancelToken::default();
        let heeded = stop.clone();
        let (sender, reported) = mpsc::channel();
        let (done, ended) = mpsc::channel();
        let (plays, playing) = mpsc::channel();
        std::thread::spawn(move || {
            let conversation = conversation(path, flow);
            let waiting = Waiting::on("127.0.0.1:0".parse().unwrap(), conversation.transport).unwrap();
            sender.send((waiting.local().unwrap(), conversation.transport)).unwrap();
            let order = order(&conversation, Role::Server, &heeded, how);
            let answered =
                order.answer(&waiting, &order.options(&protocols::options()), None, &mut |_| _ = plays.send(()));
            done.send(answered).unwrap();
        });
        let (at, transport) = reported.recv().unwrap();
        let peer = match transport {
            netkit::flow::Transport::Udp => Peer::guest(at, hex(first), hex(again)),
            netkit::flow::Transport::Tcp => Peer::client(at, hex(first), hex(again).repeat(1 << 11)),
        };
        if how == How::Cancelled {
            // Until then nobody has been accepted as the client.
            playing.recv_timeout(HANG).unwrap_or_else(|_| panic!("{path}: nothing is played"));
            cancel(&peer, &stop);
        }
        let report = ended.recv_timeout(HANG).unwrap_or_else(|_| panic!("{path}: it goes on")).expect("a session");
        replayed(&report, how, path);
    }
}

#[test]
fn listeners_heed_the_user() {
    listen(How::Cancelled);
}

#[test]
fn listeners_heed_the_deadline() {
    listen(How::MaxTime);
}

/// `--max-time` limits a session: waiting for a client may last forever.
#[test]
fn waiting_for_a_client_is_no_session() {
    let stop = CancelToken::default();
    let conversation = conversation("riptide/riptide22-udp.pcap", 2);
    let waiting = Waiting::on("127.0.0.1:0".parse().unwrap(), conversation.transport).unwrap();
    let order = order(&conversation, Role::Server, &stop, How::MaxTime);
    let until = std::time::Instant::now() + Duration::from_millis(600);
    let none = order.answer(&waiting, &order.options(&protocols::options()), Some(until), &mut |_| {});
    assert!(matches!(none, Err(NetError::NoAnswer)), "{none:?}");
}
