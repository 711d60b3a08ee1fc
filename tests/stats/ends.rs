//! The reasons why connections ended, compared with the captured programs: their logs, and the frozen and refused
//! clients in the notes of the captures.

use super::{fixture, run, stats};
use crate::common::{Scratch, Wire, all_fixtures, args_of, direction, ends_in, records};
use netkit::capture::{Body, Segment};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;

/// A capture and some of its connections: flow, connection, end, the side that ended it, reason, the application's
/// data.
type Truth = (&'static str, &'static [(u64, u64, &'static str, &'static str, &'static str, &'static str)]);

const TRUTHS: [Truth; 14] = [
    // The client's process was stopped at 3.0 s; the server logged TimedOut 5 s later. A goodbye followed.
    ("real/end-timed-out-22.pcap", &[(1, 1, "timed_out", "server", "", "")]),
    // The client logged PoorConnection.
    ("real/end-poor-connection-22.pcap", &[(1, 1, "poor_connection", "client", "", "")]),
    // Its application had switched the disconnect for poor quality off.
    ("real/given-up-quality-off-22.pcap", &[(1, 1, "left", "client", "disconnected", "")]),
    // A whole life cycle: stop, kick, leave, full, a frozen client, an application that refuses with and without data,
    // and a request to a port without a server.
    (
        "riptide/riptide20-udp.pcap",
        &[
            (1, 1, "left", "server", "server_stopped", ""),
            (2, 1, "kicked", "server", "kicked", "🎮 日本語 81020000"),
            (3, 1, "left", "client", "disconnected", ""),
            (4, 1, "refused", "server", "server_full", ""),
            (5, 1, "timed_out", "server", "", ""),
            (6, 1, "refused", "server", "custom", "Nope: player 🎮 67ffffff"),
            (7, 1, "refused", "server", "rejected", ""),
            (9, 1, "unanswered", "", "", ""),
        ],
    ),
    (
        "riptide/riptide22-tcp.pcap",
        &[
            (4, 1, "refused", "server", "server_full", ""),
            (5, 1, "timed_out", "server", "", ""),
            (6, 1, "refused", "server", "custom", "Nope: Zoë ok 29feffff"),
        ],
    ),
    // Through a relay that stopped forwarding: the client receives nothing for 5 s (2.0), or drops the connection
    // (2.2).
    ("riptide/riptide20-lossy.pcap", &[(2, 1, "timed_out", "client", "", "")]),
    ("riptide/riptide22-lossy.pcap", &[(2, 1, "poor_connection", "client", "", "")]),
    // The client gave up after five requests. The server, whose acceptance was lost, closes later.
    ("dnp/dnp-lossy.pcap", &[(1, 1, "unanswered", "", "", ""), (2, 1, "left", "server", "closed", "")]),
    (
        "dnp/dnp-basic.pcap",
        &[
            (1, 1, "left", "client", "closed", ""),
            (3, 1, "refused", "server", "no_common_protocol", ""),
            (4, 1, "refused", "server", "rejected", ""),
            (5, 1, "unanswered", "", "", ""),
            (7, 1, "timed_out", "client", "", ""),
        ],
    ),
    // A client that sends nothing, and one whose handshake the validator refuses without an answer.
    (
        "nano/nano-tcp.pcap",
        &[
            (2, 1, "timed_out", "server", "", ""),
            (3, 1, "refused", "server", "closed", ""),
            (4, 1, "left", "client", "", ""),
        ],
    ),
    (
        "nano/pomelo-ws.pcap",
        &[
            (1, 1, "kicked", "server", "kick", "kicked by admin"),
            (2, 1, "refused", "server", "code_501", ""),
            (3, 1, "refused", "server", "code_500", ""),
            (5, 1, "left", "client", "close", "1000"),
            (6, 1, "timed_out", "server", "", "1000"),
        ],
    ),
    ("nano/pitaya-codec-tcp.pcap", &[(3, 1, "refused", "server", "code_400", "")]),
    ("gne/gne-be-refused-user.pcap", &[(1, 1, "refused", "server", "user_version", "")]),
    ("gne/gne-le-tcponly.pcap", &[(1, 1, "left", "client", "exit", "")]),
];

fn text(value: &Json) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn ends_are_those_of_the_programs() {
    for (capture, truths) in TRUTHS {
        let all = stats(&fixture(capture), &[]);
        let rows = all["end"].as_array().expect("the ends");
        for (flow, connection, end, by, reason, data) in truths {
            let row = rows.iter().find(|row| row["flow"] == *flow && row["connection"] == *connection);
            let row = row.unwrap_or_else(|| panic!("{capture}: flow {flow}"));
            let got = ["end", "end_by", "end_reason", "end_data"].map(|key| text(&row[key]));
            assert_eq!(got, [*end, *by, *reason, *data], "{capture}: flow {flow}");
            // A verdict reports the end, unless a peer left or the capture ended.
            let reported = all["verdicts"].as_array().unwrap().iter().any(|verdict| {
                (&verdict["rule"], &verdict["flow"], &verdict["connection"])
                    == (&"end".into(), &(*flow).into(), &(*connection).into())
            });
            assert_eq!(reported, !["left", "open"].contains(end), "{capture}: flow {flow}");
        }
    }
}

/// A pipe is read once. A connection whose only message is the one that it is recognised by has its end there, too.
#[test]
fn a_pipe_has_the_same_ends() {
    let file = std::fs::read(fixture("nano/nano-tcp.pcap")).expect("a fixture");
    let all = crate::common::json(run(&["stats", "-", "-f", "json", "-q"], &file).ok().text());
    let row = all["end"].as_array().expect("the ends").iter().find(|row| row["flow"] == 3).expect("flow 3");
    assert_eq!(["end", "end_by", "end_reason"].map(|key| text(&row[key])), ["refused", "server", "closed"]);
}

/// A capture of one direction, as `tcpdump dst port N` makes it, contradicts no end of the whole capture: it shows the
/// same one, or that it is not known.
#[test]
fn one_direction_contradicts_no_end() {
    let scratch = Scratch::new("one-direction");
    let (mut halves, mut reported, mut same, mut unknown) = (0, 0, 0, 0);
    for path in all_fixtures().into_iter().filter(|path| ends_in(path, "pcap")) {
        let capture = std::fs::read(&path).expect("a fixture");
        let whole = stats(&path, &[]);
        let rows = |of: &Json| of["end"].as_array().cloned().unwrap_or_default();
        let ends = |row: &Json| ["client", "server"].map(|key| text(&row[key]).parse::<SocketAddr>().ok());
        let servers: BTreeSet<SocketAddr> = rows(&whole).iter().filter_map(|row| ends(row)[1]).collect();
        // Peers without fixed roles have no two directions.
        let both = rows(&whole).iter().any(|row| ends(row)[0].is_some_and(|client| servers.contains(&client)));
        if capture.get(..4) != Some(&[0xd4, 0xc3, 0xb2, 0xa1]) || servers.is_empty() || both {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        // A simulated server that accepts a client and then refuses it.
        if name == "edge20-udp.pcap" {
            continue;
        }
        for by_server in [true, false] {
            let half = scratch.write(name, direction(&capture, &servers, by_server));
            scratch.write(&name.replace(".pcap", ".args"), args_of(&path).join(" "));
            let half = stats(Path::new(&half), &[]);
            halves += 1;
            let rules = half["verdicts"].as_array().into_iter().flatten();
            reported += usize::from(rules.map(|verdict| text(&verdict["rule"])).any(|rule| rule == "one_direction"));
            for row in rows(&half) {
                let end =
                    |row: &Json| ["end", "end_by", "end_reason", "end_data"].map(|key| text(&row[key]).to_owned());
                let got = end(&row);
                let truths: Vec<_> = rows(&whole).iter().filter(|of| ends(of) == ends(&row)).map(end).collect();
                same += usize::from(truths.contains(&got));
                match got.each_ref().map(String::as_str) {
                    ["open", ..] | ["left", "", ..] => unknown += 1,
                    // The reason is in the client's request.
                    ["refused", by, "unknown", _] => assert!(truths.iter().any(|of| of[..2] == ["refused", by])),
                    _ => assert!(truths.contains(&got), "{name}, by the server: {by_server}: {row}, not {truths:?}"),
                }
            }
        }
    }
    println!("{halves} halves, {reported} reported; ends: {same} the same, {unknown} unknown");
    assert!(
        halves > 150 && reported * 4 > halves * 3 && same * 8 > unknown,
        "{reported} of {halves}; {same}, {unknown}"
    );
}

/// A server that was asked by broadcast answers from its own address, in another conversation.
#[test]
fn answers_to_broadcasts_are_elsewhere() {
    for (server, end) in
        [("192.168.7.9:7777", "unanswered"), ("192.168.7.255:7777", "open"), ("[ff02::1]:7777", "open")]
    {
        let client = if server.starts_with('[') { "[fe80::5]:50000" } else { "192.168.7.5:50000" };
        let ends: [SocketAddr; 2] = [client, server].map(|end| end.parse().unwrap());
        let mut wire = Wire::default();
        (0..4).for_each(|_| wire.datagram(ends, true, &[3]));
        let done = run(&["stats", "-", "-f", "json", "-q", "-p", "riptide", "-s", "riptide.version=2.0"], &wire.file());
        let all = crate::common::json(done.ok().text());
        assert_eq!(text(&all["end"][0]["end"]), end, "{server}");
        assert_eq!(all["verdicts"].as_array().map(Vec::len), Some(usize::from(end == "unanswered")));
    }
}

/// A server that answers one client and no longer another one is in the capture: it has not answered a third one.
#[test]
fn a_server_with_packets_in_the_capture_has_not_answered() {
    let asks = [(true, "03"); 3];
    let joins = [(true, "03"), (false, "0801000100"), (true, "0101000100"), (true, "0801000100")];
    let beats = ["05010000", "05020000", "05030000"].map(|digits| (true, digits));
    // The second client's packets are the same, and nothing of the server's.
    let unheard: Vec<_> = joins.iter().chain(&beats).copied().filter(|(by_client, _)| *by_client).collect();
    let (mut wire, mut at) = (Wire::default(), 0);
    for (client, sent) in [("127.0.0.1:50000", &asks[..]), ("127.0.0.1:50001", &unheard), ("127.0.0.1:50002", &joins)] {
        let ends: [SocketAddr; 2] = [client, "127.0.0.1:7777"].map(|end| end.parse().unwrap());
        for (by_client, digits) in sent {
            wire.at(at).datagram(ends, *by_client, &hex(digits));
            at += 1000;
        }
    }
    let folder = Scratch::new("ends-answered");
    let file = folder.write("ends.pcap", wire.file());
    let args = [&*file, "-p", "riptide", "-s", "riptide.version=2.0", "--server", "127.0.0.1:7777"];
    check(&args, "unanswered", "", "", None);
}

/// A selection may lack the messages that show the end.
#[test]
fn nothing_ends_in_a_selection() {
    let path = fixture("riptide/riptide20-udp.pcap");
    for selection in [&["-F", "from == server"][..], &["--since", "1s"], &["--until", "1s"]] {
        let all = stats(&path, selection);
        assert_eq!(all["end"].as_array().map(Vec::len), Some(0), "{selection:?}");
        assert!(all["flow"].as_array().unwrap().iter().all(|row| row["end"].is_null()), "{selection:?}");
    }
    assert_eq!(text(&stats(&path, &["--flow", "5"])["end"][0]["end"]), "timed_out");
}

/// Nor does it show what was lost or not answered.
#[test]
fn nothing_is_lost_or_unanswered_in_a_selection() {
    for (file, selection) in [
        ("nano/nano-tcp.pcap", &["-F", "message == request"][..]),
        ("riptide/riptide22-lossy.pcap", &["-F", "from == client"]),
        ("riptide/riptide22-lossy.pcap", &["--until", "5s"]),
        ("dnp/dnp-lossy.pcap", &["--since", "1s"]),
    ] {
        let all = stats(&fixture(file), selection);
        for verdict in all["verdicts"].as_array().expect("verdicts") {
            let rule = text(&verdict["rule"]);
            assert!(!["never_acked", "lost", "unanswered"].contains(&rule), "{file} {selection:?}: {verdict}");
            assert!(!text(&verdict["text"]).contains("every message"), "{verdict}");
        }
        let rows = |table: &str| all[table].as_array().cloned().unwrap_or_default();
        let rows = [rows("delivery"), rows("request")].concat();
        assert!(!rows.is_empty(), "{file} {selection:?}");
        for key in ["never_acked", "lost", "lost_share", "unanswered"] {
            let figures = rows.iter().filter_map(|row| row.get(key));
            figures.for_each(|figure| assert!(figure.is_null(), "{file} {selection:?}: {key} {figure}"));
        }
    }
}

/// DNP's numbers begin at 0: one that comes after the next one fills the gap.
#[test]
fn numbers_of_the_beginning_may_come_late() {
    let ends: [SocketAddr; 2] = ["127.0.0.1:50000", "127.0.0.1:3413"].map(|end| end.parse().unwrap());
    let sent = [(true, "0001000000"), (false, "01000000"), (true, "04010061"), (true, "04000061")];
    let mut wire = Wire::default();
    for (by_client, digits) in sent.iter().chain(&[(false, "06000000"), (false, "06010000")]) {
        wire.datagram(ends, *by_client, &hex(digits));
    }
    let done = run(&["stats", "-", "-f", "json", "-q", "-p", "dnp"], &wire.file()).ok();
    let stats = crate::common::json(done.text());
    let row = stats["delivery"].as_array().unwrap().iter().find(|row| row["from"] == "client").expect("a row");
    assert_eq!(["messages", "missing", "late", "lost"].map(|key| row[key].as_u64()), [2, 1, 1, 0].map(Some), "{row}");
    assert_eq!(stats["verdicts"].as_array().map(Vec::len), Some(0), "{}", stats["verdicts"]);
}

/// A capture of one direction shows for no connection which side left first.
#[test]
fn each_connection_of_one_direction_is_judged_alike() {
    let ends: [SocketAddr; 2] = ["127.0.0.1:50000", "127.0.0.1:3413"].map(|end| end.parse().unwrap());
    let mut wire = Wire::default();
    for digits in ["0001000000", "04000061", "02", "0001000000", "04000061", "02"] {
        wire.datagram(ends, true, &hex(digits));
    }
    let done = run(&["stats", "-", "-f", "json", "-q", "-p", "dnp"], &wire.file()).ok();
    let stats = crate::common::json(done.text());
    let rows = stats["end"].as_array().unwrap();
    assert!(rows.len() == 2 && rows.iter().all(|row| row["end_by"].is_null()), "{rows:?}");
}

/// Settings of the library that the applications have changed.
#[test]
fn settings_of_the_library_count() {
    let end = |args: &[&str]| stats(&fixture("real/end-timed-out-22.pcap"), args)["end"][0]["end"].clone();
    assert_eq!((end(&[]), end(&["-s", "riptide.timeout=30s"])), ("timed_out".into(), "left".into()));
    let end = |args: &[&str]| stats(&fixture("real/end-poor-connection-22.pcap"), args)["end"][0]["end"].clone();
    assert_eq!((end(&[]), end(&["-s", "riptide.quality=off"])), ("poor_connection".into(), "open".into()));
    assert_eq!(end(&["-s", "riptide.attempts=20"]), "open");
}

/// Frames of a capture, each with its time in milliseconds.
fn timed(frames: &Wire, times: &[u32]) -> Vec<u8> {
    let mut file = frames.file();
    let (mut at, mut times) = (24, times.iter());
    while at < file.len() {
        let time = times.next().expect("a time for each frame");
        let length = u32::from_le_bytes(file[at + 8..at + 12].try_into().unwrap()) as usize;
        file[at..at + 4].copy_from_slice(&(1_700_000_000 + time / 1000).to_le_bytes());
        file[at + 4..at + 8].copy_from_slice(&(time % 1000 * 1000).to_le_bytes());
        at += 16 + length;
    }
    assert_eq!(times.next(), None, "a frame for each time");
    file
}

fn hex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

/// A case: protocol, datagrams (time in milliseconds, whether the client sends it, bytes as hex digits), end, the side
/// that ended it, reason, silence in seconds.
type Case<'a> = (&'a str, &'a [(u32, bool, &'a str)], &'a str, &'a str, &'a str, Option<f64>);

/// Scripted sessions for the ends that no captured program had, from each library's timers.
#[test]
fn ends_of_scripted_peers() {
    const JOIN: (u32, bool, &str) = (0, true, "02536c6f7700");
    const INFO: (u32, bool, &str) = (30, false, "070900002041");
    const ASK: (u32, bool, &str) = (0, true, "0001000000");
    const TAKEN: (u32, bool, &str) = (20, false, "01000000");
    const MESSAGE: &str = "0401000b0777656c636f6d65";
    let beats = |from: u32, to: u32, by: bool, bytes: &'static str| {
        (from..to).step_by(1000).map(move |at| (at, by, bytes)).collect::<Vec<_>>()
    };
    // An Acknex client stops after 2 s; the server drops it after 5 s and sends no more.
    let mut stops = [vec![JOIN, INFO], beats(100, 2000, true, "07"), beats(200, 7000, false, "07")].concat();
    stops.sort_by_key(|(at, ..)| *at);
    // The same, but the capture ends 3 s after the client stops.
    let cut: Vec<_> = stops.iter().copied().filter(|(at, ..)| *at < 4500).collect();
    // A DNP server's message is not acknowledged in 3 s: the server closes.
    let unacked =
        [vec![ASK, TAKEN], (0..7).map(|k| (100 + 500 * k, false, MESSAGE)).collect(), vec![(3150, false, "02")]];
    let unacked = unacked.concat();
    let joined: &[(u32, bool, &str)] = &[
        (0, true, "03"),
        (10, false, "0801000100"),
        (20, true, "0101000100"),
        (21, true, "0801000100"),
        (30, false, "0101000100"),
    ];
    let heartbeats: Vec<_> = (1..4).map(|k| (1000 * k, true, "05010000")).collect();
    let and = |more: &[(u32, bool, &'static str)]| [joined, &heartbeats, more].concat();
    let [kicked, stopped, leaves, open] =
        [&[(3100, false, "0604026279")][..], &[(3100, false, "0605")], &[(3100, true, "06")], &[]].map(and);
    let refuses = |reason: &'static str| [(0, true, "03"), (1000, true, "03"), (1100, false, reason)];
    let [already, pending, custom] = ["0401", "0402", "0405034e6f21"].map(refuses);
    // The server stops when it would have dropped the client soon: it states the reason.
    let stopped_late = and(&[(8500, false, "0605")]);
    // Without the server's packets nobody knows whether it was there.
    let client_only: Vec<_> = and(&[]).into_iter().filter(|(_, by_client, _)| *by_client).collect();
    let cases: [Case<'_>; 21] = [
        ("riptide", &stopped_late, "left", "server", "server_stopped", None),
        ("riptide", &client_only, "open", "", "", None),
        // The message is not resent: its acknowledge is missing in the capture.
        ("dnp", &[ASK, TAKEN, (100, false, MESSAGE), (6000, false, "02")], "left", "server", "closed", None),
        ("riptide", &kicked, "kicked", "server", "kicked", None),
        ("riptide", &stopped, "left", "server", "server_stopped", None),
        ("riptide", &leaves, "left", "client", "disconnected", None),
        ("riptide", &open, "open", "", "", None),
        ("riptide", &already, "refused", "server", "already_connected", None),
        ("riptide", &pending, "refused", "server", "pending", None),
        ("riptide", &custom, "refused", "server", "custom", None),
        ("dnp", &[ASK, TAKEN, (100, false, MESSAGE), (110, true, "06010000")], "open", "", "", None),
        ("dnp", &[ASK, (20, false, "0101")], "refused", "server", "rejected", None),
        (
            "riptide",
            &[(0, true, "03"), (1000, true, "03"), (1010, false, "03"), (4000, false, "03")],
            "pending",
            "",
            "",
            None,
        ),
        ("riptide", &[(0, true, "03"), (1000, true, "03"), (2000, true, "03")], "unanswered", "", "", None),
        (
            "riptide",
            &[(0, true, "03"), (1000, true, "03"), (1100, false, "0403")],
            "refused",
            "server",
            "server_full",
            None,
        ),
        ("acknex", &[JOIN, (3000, true, "02536c6f7700")], "unanswered", "", "", None),
        // Each one is a connection: no message is more than a request.
        ("acknex", &[0, 6000, 12_000, 18_000].map(|at| (at, true, JOIN.2)), "unanswered", "", "", None),
        ("acknex", &cut, "open", "", "", None),
        ("dnp", &[ASK, (1000, true, "0001000000"), (2000, true, "0001000000")], "unanswered", "", "", None),
        ("dnp", &unacked, "timed_out", "server", "", Some(3.05)),
        (
            "dnp",
            &[ASK, TAKEN, (100, false, MESSAGE), (110, true, "06010000"), (200, false, "02")],
            "left",
            "server",
            "closed",
            None,
        ),
    ];
    let folder = Scratch::new("ends");
    let ends: [SocketAddr; 2] = ["127.0.0.1:50000", "127.0.0.1:7777"].map(|end| end.parse().unwrap());
    for (proto, datagrams, end, by, reason, silence) in cases {
        let mut wire = Wire::default();
        for (_, by_client, digits) in datagrams {
            wire.datagram(ends, *by_client, &hex(digits));
        }
        let times: Vec<u32> = datagrams.iter().map(|(at, ..)| *at).collect();
        let file = folder.write("ends.pcap", timed(&wire, &times));
        check(
            &[&file, "-p", proto, "-s", "riptide.version=2.0", "--server", "127.0.0.1:7777"],
            end,
            by,
            reason,
            silence,
        );
    }
    // Where resends are rarer than the timeout, a message that has hardly waited is no timeout.
    let mut wire = Wire::default();
    let early = [ASK, TAKEN, (100, false, MESSAGE), (600, false, "02")];
    early.iter().for_each(|(_, by_client, digits)| wire.datagram(ends, *by_client, &hex(digits)));
    let file = folder.write("ends.pcap", timed(&wire, &early.map(|(at, ..)| at)));
    check(
        &[&file, "-p", "dnp", "-s", "dnp.resend=10s", "--server", "127.0.0.1:7777"],
        "left",
        "server",
        "closed",
        None,
    );
    let mut wire = Wire::default();
    stops.iter().for_each(|(_, by_client, digits)| wire.datagram(ends, *by_client, &hex(digits)));
    // Another conversation goes on: the capture does not end before the server's timer.
    let other: [SocketAddr; 2] = ["127.0.0.1:50001", "127.0.0.1:7777"].map(|end| end.parse().unwrap());
    wire.datagram(other, true, &hex("07"));
    let times: Vec<u32> = stops.iter().map(|(at, ..)| *at).chain([12_000]).collect();
    let file = folder.write("ends.pcap", timed(&wire, &times));
    check(&[&file, "-p", "acknex", "--server", "127.0.0.1:7777"], "timed_out", "server", "", Some(5.0));
    // The same client joins again: that is another connection, and the server had dropped the first one.
    let mut again = Wire::default();
    let joins = [(12_000, true, JOIN.2), (12_030, false, INFO.2)];
    let all: Vec<_> = stops.iter().copied().chain(joins).collect();
    all.iter().for_each(|(_, by_client, digits)| again.datagram(ends, *by_client, &hex(digits)));
    let times: Vec<u32> = all.iter().map(|(at, ..)| *at).collect();
    let file = folder.write("ends.pcap", timed(&again, &times));
    check(&[&file, "-p", "acknex", "--server", "127.0.0.1:7777"], "timed_out", "server", "", Some(5.0));
}

/// A client's heartbeats leave every second, also if each answer takes longer.
#[test]
fn slow_heartbeats_are_matched() {
    let ends: [SocketAddr; 2] = ["127.0.0.1:50000", "127.0.0.1:7777"].map(|end| end.parse().unwrap());
    let beat = |id: u32, by_client| if by_client { format!("05{id:02x}0000") } else { format!("05{id:02x}") };
    let mut all: Vec<_> = (0..20).flat_map(|id| [(1000 * id, true, id), (1000 * id + 1300, false, id)]).collect();
    all.sort_unstable();
    let mut wire = Wire::default();
    all.iter().for_each(|(_, by_client, id)| wire.datagram(ends, *by_client, &hex(&beat(*id, *by_client))));
    let times: Vec<u32> = all.iter().map(|(at, ..)| *at).collect();
    let args = ["stats", "-", "-f", "json", "-q", "-p", "riptide", "-s", "riptide.version=2.0"];
    let stats = crate::common::json(run(&args, &timed(&wire, &times)).ok().text());
    let row = &stats["ping"][0];
    let trip = |key: &str| row[key].as_f64().unwrap();
    assert_eq!((&row["pings"], &row["pongs"]), (&20.into(), &20.into()), "{row}");
    assert!(trip("ping_max") == 1300.0 && (trip("ping_p50") - 1300.0).abs() < 21.0, "{row}");
}

/// A server that has not decided sends a connect, too. The capture lacks the client's, or has it after that.
#[test]
fn a_connect_of_the_server_makes_it_no_client() {
    let ends: [SocketAddr; 2] = ["127.0.0.1:50000", "127.0.0.1:9000"].map(|end| end.parse().unwrap());
    let other: [SocketAddr; 2] = ["127.0.0.1:50001", "127.0.0.1:9000"].map(|end| end.parse().unwrap());
    let folder = Scratch::new("pending");
    let joined =
        [(300, false, "0801000100"), (310, true, "0101000100"), (311, true, "0801000100"), (320, false, "0101000100")];
    let beats = (1..9).flat_map(|k| [(1000 * k, true, "0501ffff"), (1000 * k + 10, false, "0501")]).collect::<Vec<_>>();
    for first in [&[(0, false, "03")][..], &[(0, false, "03"), (0, true, "03")]] {
        let all = [first, &joined[..], &beats[..]].concat();
        let mut wire = Wire::default();
        all.iter().for_each(|(_, by_client, digits)| wire.datagram(ends, *by_client, &hex(digits)));
        wire.datagram(other, true, &hex("03"));
        let times: Vec<u32> = all.iter().map(|(at, ..)| *at).chain([20_000]).collect();
        let file = folder.write("pending.pcap", timed(&wire, &times));
        check(&[&file, "-p", "riptide", "-s", "riptide.version=2.0"], "timed_out", "server", "", Some(5.0));
    }
}

/// The ends of connections in fixtures that lack one frame: the file, the frame, the client's address, and the end.
#[test]
fn one_packet_less_blames_nobody_else() {
    let folder = Scratch::new("one-less");
    for (name, frame, client, expected) in [
        // An answer to a client that froze later, and a copy of a message: the server heard nothing more.
        ("riptide/riptide22-udp.pcap", 290, "127.0.0.1:36597", ["timed_out", "server"]),
        ("riptide/riptide22-lossy.pcap", 935, "127.0.0.1:45247", ["timed_out", "server"]),
        // The server's welcome.
        ("riptide/riptide22-udp.pcap", 248, "127.0.0.1:36597", ["timed_out", "server"]),
        // The client's exit, which the server's answers.
        ("gne/gne-probe.pcap", 132, "127.0.0.1:50642", ["left", ""]),
    ] {
        let whole = std::fs::read(fixture(name)).expect("a fixture");
        let kept = records(&whole).into_iter().enumerate().filter(|(k, _)| k + 1 != frame);
        let less = kept.fold(whole[..24].to_vec(), |file, (_, record)| [&file[..], &record].concat());
        let proto = name.split('/').next().unwrap_or_default();
        let all = stats(Path::new(&folder.write("less.pcap", less)), &["-p", proto]);
        let row = all["end"].as_array().unwrap().iter().find(|row| row["client"] == client).expect("a row");
        assert_eq!(["end", "end_by"].map(|key| text(&row[key])), expected, "{name} without {frame}: {row}");
    }
}

/// Numbers that arrive late are those that were skipped only if they are above the first one of the capture.
#[test]
fn late_numbers_below_the_first_one_fill_no_gap() {
    let ends: [SocketAddr; 2] = ["127.0.0.1:50000", "127.0.0.1:7777"].map(|end| end.parse().unwrap());
    // Ids 8 and 9 come late; of 12 to 14, one does.
    let ids = [10, 8, 11, 9, 15, 13, 16];
    let mut wire = Wire::default();
    ids.iter().for_each(|id| wire.datagram(ends, true, &hex(&format!("07{id:02x}00010007"))));
    let args = ["stats", "-", "-f", "json", "-q", "-p", "riptide", "-s", "riptide.version=2.0"];
    let stats = crate::common::json(run(&args, &wire.file()).ok().text());
    let row = &stats["delivery"][0];
    let figures = ["messages", "missing", "late", "lost"].map(|key| row[key].as_u64());
    assert_eq!(figures, [7, 3, 3, 2].map(Some), "{row}");
    let verdicts = stats["verdicts"].as_array().expect("verdicts");
    let lost = verdicts.iter().find(|verdict| verdict["rule"] == "lost").expect("lost messages");
    assert!(text(&lost["text"]).contains("2 numbered messages are not in the capture"), "{lost}");
}

/// The sender repeats a message after its acknowledgement until its last try: it is still acknowledged.
#[test]
fn a_message_that_was_acknowledged_is_not_given_up() {
    let ends: [SocketAddr; 2] = ["127.0.0.1:50000", "127.0.0.1:7777"].map(|end| end.parse().unwrap());
    let mut wire = Wire::default();
    // Message 1 of each side, welcome, is acknowledged; then message 2 of the client, and the acknowledgement of both.
    let opened = [(true, "03"), (false, "0801000100"), (true, "0101000100"), (true, "0801000100")];
    let sent = [(true, "070200010007"), (false, "0102000300"), (true, "070200010007"), (true, "070200010007")];
    let all = opened.iter().chain(&[(false, "0101000100")]).chain(&sent);
    for (k, (by_client, digits)) in (0..).zip(all) {
        wire.at(20 * k).datagram(ends, *by_client, &hex(digits));
    }
    let args = ["stats", "-", "-f", "json", "-q", "-p", "riptide", "-s", "riptide.version=2.0"];
    let args = [&args[..], &["-s", "riptide.attempts=3", "--server", "127.0.0.1:7777"]].concat();
    let stats = crate::common::json(run(&args, &wire.file()).ok().text());
    let row = stats["delivery"].as_array().unwrap().iter().find(|row| row["from"] == "client").expect("a row");
    let figures = ["messages", "sent", "never_acked", "given_up"].map(|key| row[key].as_u64());
    assert_eq!(figures, [2, 4, 0, 0].map(Some), "{row}");
}

/// Streams: a handshake without an answer, closed by the server, and an accepted one that either side resets.
#[test]
fn ends_of_scripted_streams() {
    let frame = |body: &[u8]| [&b"NL"[..], &(body.len() as u16).to_be_bytes(), body].concat();
    let gne =
        frame(&hex("474e45000007006c6f626279000000000000000000000000000000000000000000000000000000010000000000000000"));
    let accepted_gne = vec![(true, gne.clone()), (false, frame(&hex("474e450100000000ffffffff")))];
    // Riptide 2.0 puts a length of 16 bits before each message.
    let sized = |digits: &str| [&(digits.len() as u16 / 2).to_le_bytes()[..], &hex(digits)].concat();
    let riptide = vec![
        (true, sized("03")),
        (false, sized("0801000100")),
        (true, sized("0101000100")),
        (true, sized("0801000100")),
    ];
    let package = |kind: u8, text: &str| [&[kind, 0, 0, text.len() as u8][..], text.as_bytes()].concat();
    let asked = package(1, r#"{"sys":{"version":"1.1.1","type":"js-websocket"}}"#);
    let accepted = package(1, r#"{"code":200,"sys":{"heartbeat":30}}"#);
    let kick = package(5, r#"{"reason":"bye"}"#);
    let folder = Scratch::new("ends-streams");
    let ends: [SocketAddr; 2] = ["127.0.0.1:50000", "127.0.0.1:7777"].map(|end| end.parse().unwrap());
    for (proto, spoken, close, end, by, reason) in [
        ("gne", vec![(true, gne.clone())], None, "unanswered", "", ""),
        ("gne", vec![(true, gne)], Some((false, true)), "refused", "server", "closed"),
        ("gne", accepted_gne.clone(), None, "open", "", ""),
        ("gne", accepted_gne.clone(), Some((false, false)), "reset", "server", ""),
        ("gne", accepted_gne.clone(), Some((true, true)), "left", "client", ""),
        ("gne", [&accepted_gne[..], &[(true, frame(&[2, 0xff]))]].concat(), None, "left", "client", "exit"),
        ("riptide", riptide[..1].to_vec(), None, "unanswered", "", ""),
        ("riptide", riptide[..1].to_vec(), Some((false, true)), "refused", "server", "closed"),
        ("riptide", riptide.clone(), None, "open", "", ""),
        ("riptide", riptide.clone(), Some((true, false)), "reset", "client", ""),
        ("riptide", riptide, Some((false, true)), "left", "server", ""),
        ("nano", vec![(true, asked.clone())], None, "unanswered", "", ""),
        ("nano", vec![(true, asked.clone()), (false, kick)], None, "kicked", "server", "kick"),
        ("nano", vec![(true, asked.clone()), (false, accepted.clone())], Some((true, false)), "reset", "client", ""),
        ("nano", vec![(true, asked.clone()), (false, accepted.clone())], Some((false, false)), "reset", "server", ""),
        ("nano", vec![(true, asked.clone()), (false, accepted.clone())], Some((false, true)), "left", "server", ""),
        ("nano", vec![(true, asked), (false, accepted)], None, "open", "", ""),
    ] {
        let mut wire = Wire::default();
        wire.stream(ends, &spoken);
        let sent = [true, false].map(|side| {
            let lengths =
                spoken.iter().filter(|(by_client, _)| *by_client == side).map(|(_, bytes)| bytes.len() as u32);
            lengths.sum::<u32>() + 1
        });
        let mut times: Vec<u32> = (0..2 + spoken.len() as u32).map(|k| k * 10).collect();
        if let Some((by_client, fin)) = close {
            let [seq, ack] = if by_client { sent } else { [sent[1], sent[0]] };
            let segment = Segment { has_ack: true, seq, ack, fin, rst: !fin, ..Segment::default() };
            wire.packet(ends, by_client, &Body::Tcp(segment));
            times.push(1000);
        }
        // The capture goes on for 3 s.
        let other: [SocketAddr; 2] = ["127.0.0.1:50001", "127.0.0.1:7777"].map(|end| end.parse().unwrap());
        wire.packet(other, true, &Body::Tcp(Segment { syn: true, ..Segment::default() }));
        times.push(3000);
        let file = folder.write("ends.pcap", timed(&wire, &times));
        check(&[&file, "-p", proto, "--server", "127.0.0.1:7777"], end, by, reason, None);
    }
}

/// The capture lacks one FIN, and has its acknowledgement. Only one before the other FIN may have been first.
#[test]
fn a_fin_that_the_capture_lacks() {
    let ends: [SocketAddr; 2] = ["127.0.0.1:50000", "127.0.0.1:7777"].map(|end| end.parse().unwrap());
    let all = [
        (true, package(1, br#"{"sys":{"version":"1.1.1","type":"js-websocket"}}"#)),
        (false, package(1, br#"{"code":200,"sys":{"heartbeat":3}}"#)),
        (true, package(2, b"")),
    ];
    let next = [true, false]
        .map(|side| 1 + all.iter().filter(|(by, _)| *by == side).map(|(_, b)| b.len() as u32).sum::<u32>());
    let folder = Scratch::new("missing-fin");
    // The server's FIN acknowledges the client's. The client's last segment acknowledges the server's, after its own.
    let of_server = Segment { has_ack: true, seq: next[1], ack: next[0] + 1, fin: true, ..Segment::default() };
    let of_client = Segment { has_ack: true, seq: next[0], ack: next[1], fin: true, ..Segment::default() };
    let after = Segment { has_ack: true, seq: next[0] + 1, ack: next[1] + 1, ..Segment::default() };
    for (name, last, by) in
        [("client", vec![(false, of_server)], ""), ("server", vec![(true, of_client), (true, after)], "client")]
    {
        let mut wire = Wire::default();
        wire.stream(ends, &all);
        let mut times = vec![0, 0, 10, 20, 30];
        for (k, (by_client, segment)) in last.into_iter().enumerate() {
            wire.packet(ends, by_client, &Body::Tcp(segment));
            times.push(1_000 + 10 * k as u32);
        }
        check(&[&folder.write(name, timed(&wire, &times))], "left", by, "", None);
    }
}

/// A server closes the stream 10 s after the client's last heartbeat in the capture, twice its timeout. If the client's
/// later ones are missing in the capture, but acknowledged, the client was not silent.
#[test]
fn missing_heartbeats_are_no_silence() {
    let package = |kind: u8, text: &str| [&[kind, 0, 0, text.len() as u8][..], text.as_bytes()].concat();
    let beat = package(3, "");
    let begun = [
        (0, true, package(1, r#"{"sys":{"version":"1.1.1","type":"js-websocket"}}"#)),
        (10, false, package(1, r#"{"code":200,"sys":{"heartbeat":3}}"#)),
        (20, true, package(2, "")),
    ];
    let both = |at: u32| [(at, true, beat.clone()), (at + 1, false, beat.clone())];
    let beats = [both(3000), both(6000), both(9000), both(12_000), both(15_000)].concat();
    let spoken = [&begun[..], &beats].concat();
    let ends: [SocketAddr; 2] = ["127.0.0.1:50000", "127.0.0.1:7777"].map(|end| end.parse().unwrap());
    let folder = Scratch::new("missing-heartbeats");
    for (lost, end) in [(true, "left"), (false, "timed_out")] {
        // Messages 8, 10 and 12 are the client's at 9, 12 and 15 s: not captured, or never sent.
        let missing = |k: usize| [8, 10, 12].contains(&k);
        let all: Vec<_> = spoken.iter().enumerate().filter(|(k, _)| lost || !missing(k + 1)).collect();
        let mut wire = Wire::default();
        wire.stream(ends, &all.iter().map(|(_, (_, side, bytes))| (*side, bytes.clone())).collect::<Vec<_>>());
        let mut times: Vec<u32> = [0, 0].into_iter().chain(all.iter().map(|(_, (at, ..))| *at)).collect();
        if lost {
            for k in [12, 10, 8] {
                wire.lose(2 + k);
                times.remove(1 + k);
            }
        }
        let sent = [true, false].map(|side| {
            1 + all.iter().filter(|(_, m)| m.1 == side).map(|(_, (.., bytes))| bytes.len() as u32).sum::<u32>()
        });
        let segment = Segment { has_ack: true, seq: sent[1], ack: sent[0], fin: true, ..Segment::default() };
        wire.packet(ends, false, &Body::Tcp(segment));
        times.push(16_000);
        let file = folder.write("ends.pcap", timed(&wire, &times));
        check(&[&file], end, "server", "", (!lost).then_some(6.0));
    }
}

/// A message over TCP: the time in milliseconds, whether the client sends it, its bytes. Without bytes it is a FIN.
type Sent = (u32, bool, Vec<u8>);

fn package(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind, 0, 0, body.len() as u8][..], body].concat()
}

/// A connection whose handshake ends at 20 ms.
fn session(sent: &[Sent]) -> Vec<u8> {
    let ends: [SocketAddr; 2] = ["127.0.0.1:50000", "127.0.0.1:7777"].map(|end| end.parse().unwrap());
    let (mut wire, mut times, mut next) = (Wire::default(), vec![0, 10], [1u32; 2]);
    wire.stream(ends, &[]);
    for (time, by_client, bytes) in sent {
        let side = usize::from(!by_client);
        let fin = bytes.is_empty();
        let (seq, ack) = (next[side], next[1 - side]);
        let segment =
            Segment { payload: bytes, length: bytes.len(), seq, ack, has_ack: true, fin, ..Segment::default() };
        wire.packet(ends, *by_client, &Body::Tcp(segment));
        next[side] += bytes.len() as u32 + u32::from(fin);
        times.push(*time);
    }
    timed(&wire, &times)
}

const ASKED: &[u8] = br#"{"sys":{"version":"0.0.1","type":"js-websocket"}}"#;

/// nano's servers (as pitaya's and cherry's) and all clients count any package as a sign of life. pomelo's and pinus's
/// servers count heartbeats.
#[test]
fn who_sends_packages_is_not_silent() {
    let folder = Scratch::new("ends-alive");
    let [nano, pitaya, unknown, pomelo, pinus] = [
        r#"{"code":200,"sys":{"heartbeat":3,"servertime":1700000000}}"#,
        r#"{"code":200,"sys":{"heartbeat":3,"dict":{},"serializer":"json"}}"#,
        r#"{"code":200,"sys":{"heartbeat":3}}"#,
        r#"{"code":200,"sys":{"heartbeat":3,"dict":{},"routeToCode":{},"codeToRoute":{},"useDict":true}}"#,
        r#"{"code":200,"sys":{"heartbeat":3,"useDict":true}}"#,
    ];
    let notify = |at: u32| (at, true, package(4, b"\x02\x03a.b{}"));
    let push = |at: u32| (at, false, package(4, b"\x06\x03a.b{}"));
    // A package whose type does not exist.
    let unknown_type = |at: u32| (at, true, package(6, b"{}"));
    let beat = |by_client: bool| move |at: u32| (at, by_client, package(3, b""));
    let every = |from: u32, to: u32, sent: &dyn Fn(u32) -> Sent| (from..to).step_by(1000).map(sent).collect::<Vec<_>>();
    let (all, half) = ((1000, 8500), (1000, 2500));
    type Side<'a> = ((u32, u32), &'a dyn Fn(u32) -> Sent);
    let cases: [(&str, [Side<'_>; 2], bool, &str, &str); 12] = [
        // The client sends notifies and no heartbeats; the server closes at 8.5 s.
        (nano, [(all, &notify), (all, &beat(false))], false, "left", "server"),
        (pitaya, [(all, &notify), (all, &beat(false))], false, "left", "server"),
        (unknown, [(all, &notify), (all, &beat(false))], false, "left", "server"),
        (pomelo, [(all, &notify), (all, &beat(false))], false, "timed_out", "server"),
        (pinus, [(all, &notify), (all, &beat(false))], false, "timed_out", "server"),
        (pomelo, [(all, &beat(true)), (all, &beat(false))], false, "left", "server"),
        // What cannot be read may be a heartbeat.
        (pomelo, [(all, &unknown_type), (all, &beat(false))], false, "left", "server"),
        // It stops after 2 s.
        (nano, [(half, &notify), (all, &beat(false))], false, "timed_out", "server"),
        // The server sends pushes and no heartbeats; the client leaves at 8.5 s.
        (nano, [(all, &beat(true)), (all, &push)], true, "left", "client"),
        (pomelo, [(all, &beat(true)), (all, &push)], true, "left", "client"),
        (nano, [(all, &beat(true)), (half, &push)], true, "timed_out", "client"),
        (pomelo, [(all, &beat(true)), (half, &push)], true, "timed_out", "client"),
    ];
    for (answer, [(of_client, client), (of_server, server)], client_closes, end, by) in cases {
        let mut sent = vec![
            (20, true, package(1, ASKED)),
            (30, false, package(1, answer.as_bytes())),
            (40, true, package(2, b"")),
        ];
        sent.extend(every(of_client.0, of_client.1, client));
        sent.extend(every(of_server.0 + 100, of_server.1, server));
        sent.push((8500, client_closes, Vec::new()));
        sent.sort_by_key(|(time, ..)| *time);
        let file = folder.write("ends.pcap", session(&sent));
        check(&[&file, "-p", "nano"], end, by, "", (end == "timed_out").then_some(6.0));
    }
}

/// The server's direction is not in the capture: it may have answered the handshake, and closed the stream first. With
/// both directions, an ack shows that the client has not waited.
#[test]
fn an_ack_follows_an_answer() {
    let folder = Scratch::new("ends-ack");
    let [client, server] = ["127.0.0.1:50000", "127.0.0.1:7777"].map(|end| end.parse().unwrap());
    let request = package(4, b"\x00\x01\x03a.b{}");
    let sent = [package(1, ASKED), package(2, b""), request, Vec::new()];
    let mut wire = Wire::default();
    wire.packet([client, server], true, &Body::Tcp(Segment { syn: true, ..Segment::default() }));
    let mut seq = 1;
    for payload in &sent {
        let (length, fin) = (payload.len(), payload.is_empty());
        let segment = Segment { payload, length, seq, ack: 1, has_ack: true, fin, ..Segment::default() };
        wire.packet([client, server], true, &Body::Tcp(segment));
        seq += length as u32;
    }
    let file = folder.write("one-side.pcap", timed(&wire, &[0, 20, 40, 1000, 2000]));
    check(&[&file, "-p", "nano"], "left", "", "", None);
    let [asked, ack, ..] = sent;
    let file = folder.write("both.pcap", session(&[(20, true, asked), (21, true, ack), (50, false, Vec::new())]));
    check(&[&file, "-p", "nano"], "refused", "server", "closed", None);
}

/// A server that has agreed on a WebSocket, or answers its pings, has not answered the handshake in it.
#[test]
fn a_carrier_is_no_answer() {
    let folder = Scratch::new("ends-carrier");
    let upgrade = b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
    let agreed = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
    // Masked with zeros.
    let masked = |opcode: u8, body: &[u8]| [&[0x80 | opcode, 0x80 | body.len() as u8, 0, 0, 0, 0][..], body].concat();
    let frame = |opcode: u8, body: &[u8]| [&[0x80 | opcode, body.len() as u8][..], body].concat();
    const BINARY: u8 = 2;
    let opened =
        [(20, true, upgrade.to_vec()), (30, false, agreed.to_vec()), (40, true, masked(BINARY, &package(1, ASKED)))];
    let (ping, pong) = ((50, true, masked(9, b"")), (60, false, frame(10, b"")));
    let (last_ping, last_pong) = ((5000, true, masked(9, b"")), (5010, false, frame(10, b"")));
    let accepted = frame(BINARY, &package(1, br#"{"code":200,"sys":{}}"#));
    // The server's answer is cut by the end of its stream.
    let unread = (70, false, accepted[..8].to_vec());
    let (answer, closed) = ((70, false, accepted), (80, false, Vec::new()));
    for (sent, end, by, reason) in [
        (vec![&closed], "refused", "server", "closed"),
        (vec![&ping, &pong, &closed], "refused", "server", "closed"),
        (vec![&ping, &pong, &last_ping, &last_pong], "unanswered", "", ""),
        (vec![&ping, &pong, &answer, &closed], "left", "server", ""),
        (vec![&ping, &pong, &answer, &last_ping, &last_pong], "open", "", ""),
        (vec![&ping, &pong, &unread, &closed], "left", "server", ""),
    ] {
        let sent: Vec<Sent> = opened.iter().chain(sent).cloned().collect();
        let file = folder.write("ends.pcap", session(&sent));
        check(&[&file, "-p", "nano"], end, by, reason, None);
    }
}

/// Checks the end of the first connection of a capture, and that the text states the silence.
fn check(args: &[&str], end: &str, by: &str, reason: &str, silence: Option<f64>) {
    let all = run(&[&["stats", "-f", "json", "-q"], args].concat(), b"").ok();
    let all = crate::common::json(all.text());
    let row = &all["end"][0];
    let got = ["end", "end_by", "end_reason"].map(|key| text(&row[key]));
    assert_eq!(got, [end, by, reason], "{args:?}: {all}");
    match silence {
        Some(silence) => {
            assert!((row["end_silence"].as_f64().unwrap() - silence * 1000.0).abs() < 1.0, "{args:?}: {row}");
        }
        None => assert!(row["end_silence"].is_null(), "{args:?}: {row}"),
    }
}

/// The ends of a capture's connections: connection, end, side.
fn ends_of(wire: &Wire, name: &str, args: &[&str]) -> Vec<(u64, String, String)> {
    let folder = Scratch::new(name);
    let path = folder.write("capture.pcap", wire.file());
    let rows = stats(Path::new(&path), args)["end"].as_array().expect("the ends").clone();
    let row = |row: &Json| (row["connection"].as_u64().unwrap(), text(&row["end"]).into(), text(&row["end_by"]).into());
    rows.iter().map(row).collect()
}

fn row(connection: u64, end: &str, by: &str) -> (u64, String, String) {
    (connection, end.into(), by.into())
}

/// A client that has its welcome sends no connect again, and a side that times out sends nothing.
#[test]
fn a_client_that_returns_to_its_port_begins_another_connection() {
    let ends = ["10.0.0.1:50000", "10.0.0.2:7777"].map(|end| end.parse().unwrap());
    let mut wire = Wire::default();
    let opening =
        [(true, "02"), (false, "1800100000"), (true, "1100100000"), (true, "1800100000"), (false, "1100100000")];
    for begin in [0, 20_000] {
        for (k, (by_client, hex)) in opening.iter().enumerate() {
            wire.at(begin + 10 * k as u64).datagram(ends, *by_client, &hex::decode(hex).unwrap());
        }
    }
    wire.at(21_000).datagram(ends, true, &[5]);
    let got = ends_of(&wire, "ends-returns", &["-p", "riptide"]);
    assert_eq!(got.len(), 2, "{got:?}");
    assert_eq!(got[1], row(2, "left", "client"));
}

/// A client that gives up twice on one port: the goodbye of a server whose acceptance was lost answers neither.
#[test]
fn each_connection_has_its_own_first_message() {
    let ends = ["10.0.0.1:50000", "10.0.0.2:3413"].map(|end| end.parse().unwrap());
    let mut wire = Wire::default();
    for begin in [0, 60_000] {
        (0..5).for_each(|k| wire.at(begin + 1000 * k).datagram(ends, true, &hex("0001000000")));
        wire.at(begin + 9000).datagram(ends, false, &[2]);
    }
    let got = ends_of(&wire, "ends-twice", &["-p", "dnp"]);
    assert_eq!(got, [row(1, "unanswered", ""), row(2, "unanswered", "")]);
}

/// A goodbye is no sign of life before itself: the client's last one ends a silence.
#[test]
fn a_goodbye_after_the_timeout_ends_a_silence() {
    let ends = ["10.0.0.1:50000", "10.0.0.2:7777"].map(|end| end.parse().unwrap());
    let mut wire = Wire::default();
    for (k, (by_client, digits)) in
        [(true, "03"), (false, "0801000100"), (true, "0101000100"), (true, "0801000100"), (false, "0101000100")]
            .iter()
            .enumerate()
    {
        wire.at(10 * k as u64).datagram(ends, *by_client, &hex(digits));
    }
    (1..4).for_each(|k| wire.at(1000 * k).datagram(ends, true, &hex("05010000")));
    wire.at(11_000).datagram(ends, true, &[6]);
    let folder = Scratch::new("ends-frozen");
    let path = folder.write("capture.pcap", wire.file());
    let done = run(&["stats", "-p", "riptide", "-s", "riptide.version=2.0", &path], b"").ok();
    assert!(done.text().contains("the server heard nothing from the client for 5.0 s"), "{}", done.text());
}

/// DNP: a request, a refusal, an accept, a message with its acknowledgement, and a goodbye.
const REFUSED_THEN_ACCEPTED: [(bool, &str); 6] =
    [(true, "0001000000"), (false, "0102"), (false, "01000000"), (true, "04000061"), (false, "06000000"), (true, "02")];

/// The capture lacks the request that the server accepts after a refusal.
#[test]
fn an_accept_after_a_refusal_is_another_connection() {
    let ends = ["10.0.0.1:50000", "10.0.0.2:3413"].map(|end| end.parse().unwrap());
    let mut wire = Wire::default();
    for (k, (by_client, hex)) in REFUSED_THEN_ACCEPTED.iter().enumerate() {
        wire.at(100 * k as u64).datagram(ends, *by_client, &hex::decode(hex).unwrap());
    }
    let got = ends_of(&wire, "ends-accepted", &["-p", "dnp"]);
    assert_eq!(got, [row(1, "refused", "server"), row(2, "left", "client")]);
}

/// A stream that gave way to another one on the same ports was observed for half a second: later traffic of others does
/// not make that a time-out. Without the other one it does.
#[test]
fn a_replaced_stream_has_not_timed_out() {
    let package = |kind: u8, body: &str| [&[kind, 0, 0, body.len() as u8][..], body.as_bytes()].concat();
    let hello = package(1, r#"{"sys":{},"user":{}}"#);
    let welcome = package(1, r#"{"code":200,"sys":{"heartbeat":1}}"#);
    let messages =
        [(true, hello), (false, welcome), (true, package(2, "")), (false, package(3, "")), (true, package(3, ""))];
    let ends = ["10.0.0.1:50000", "10.0.0.2:3250"].map(|end| end.parse().unwrap());
    for (again, ended) in [(false, "timed_out"), (true, "open")] {
        let mut wire = Wire::default();
        // Both sides begin with the number `first`; a frame each 50 ms.
        let stream = |wire: &mut Wire, begin: u64, first: u32| {
            let mut sent = [first; 2];
            let none = Vec::new();
            let syns = [(true, true, &none), (false, true, &none)].into_iter();
            let all = syns.chain(messages.iter().map(|(by_client, payload)| (*by_client, false, payload)));
            for (k, (by_client, syn, payload)) in all.enumerate() {
                let [own, other] = if by_client { [0, 1] } else { [1, 0] };
                let (seq, ack, has_ack) = (sent[own], sent[other], !(syn && by_client));
                let segment = Segment { seq, ack, has_ack, syn, payload, length: payload.len(), ..Segment::default() };
                wire.at(begin + 50 * k as u64).packet(ends, by_client, &Body::Tcp(segment));
                sent[own] += payload.len() as u32 + syn as u32;
            }
        };
        stream(&mut wire, 0, 1_000);
        if again {
            stream(&mut wire, 600, 500_000);
        }
        for k in 0..40 {
            let other = ["10.0.0.3:50000", "10.0.0.2:3413"].map(|end| end.parse().unwrap());
            wire.at(1_200 + k * 100).datagram(other, true, &hex::decode("0361").unwrap());
        }
        let got = ends_of(&wire, "ends-replaced", &["-p", "auto", "--port", "3250=nano", "--port", "3413=dnp"]);
        assert_eq!(got[0].1, ended, "{got:?}");
    }
}

/// A capture that ends at a message's last try does not show what the sender did next: it went on.
#[test]
fn a_last_try_at_the_end_of_the_capture_is_no_dropped_connection() {
    let whole = std::fs::read(fixture("real/given-up-quality-off-22.pcap")).unwrap();
    let folder = Scratch::new("ends-last-try");
    let frames: Vec<Vec<u8>> = records(&whole).into_iter().take(72).collect();
    let path = folder.write("cut.pcap", [whole[..24].to_vec(), frames.concat()].concat());
    let all = stats(Path::new(&path), &[]);
    let verdicts: Vec<_> = all["verdicts"].as_array().unwrap().iter().map(|verdict| text(&verdict["text"])).collect();
    assert!(verdicts.iter().any(|text| text.ends_with("was not acknowledged when the capture ended")), "{verdicts:?}");
    assert!(!verdicts.iter().any(|text| text.contains("dropped the connection")), "{verdicts:?}");
}

/// The ends of the earlier connections of a conversation are listed, however many conversations there are.
#[test]
fn earlier_ends_are_listed_with_few_conversations_shown() {
    let server: SocketAddr = "10.0.0.2:3413".parse().unwrap();
    let (mut wire, mut at) = (Wire::default(), 0);
    // A request, an accept and a goodbye. The first client is refused before it is accepted.
    let once = [(true, "0001000000"), (false, "01000000"), (true, "02")];
    for (client, sent) in
        [("10.0.0.1:50001", &REFUSED_THEN_ACCEPTED[..]), ("10.0.0.1:50002", &once), ("10.0.0.1:50003", &once)]
    {
        for (by_client, hex) in sent {
            wire.at(at).datagram([client.parse().unwrap(), server], *by_client, &hex::decode(hex).unwrap());
            at += 100;
        }
    }
    let folder = Scratch::new("ends-earlier");
    let path = folder.write("capture.pcap", wire.file());
    let args = ["stats", "-q", "-p", "dnp", "--by", "flow", "--top", "1", "--sort", "client_messages", &path];
    let text = run(&args, b"").ok();
    assert!(text.text().contains("refused") && text.text().contains("and 2 more"), "{}", text.text());
}
