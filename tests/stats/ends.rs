//! The reasons why connections ended, compared with the captured programs: their logs, and the frozen and refused
//! clients in the notes of the captures.

use super::{fixture, stats};
use serde_json::Value as Json;

/// A capture and some of its connections: flow, connection, end, the side that ended it, reason, the application's
/// data.
type Truth = (&'static str, &'static [(u64, u64, &'static str, &'static str, &'static str, &'static str)]);

const TRUTHS: [Truth; 13] = [
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
            let told = all["verdicts"].as_array().unwrap().iter().any(|verdict| {
                (&verdict["rule"], &verdict["flow"], &verdict["connection"])
                    == (&"end".into(), &(*flow).into(), &(*connection).into())
            });
            assert_eq!(told, !["left", "open"].contains(end), "{capture}: flow {flow}");
        }
    }
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

/// Settings of the library that the applications have changed.
#[test]
fn settings_of_the_library_count() {
    let end = |args: &[&str]| stats(&fixture("real/end-timed-out-22.pcap"), args)["end"][0]["end"].clone();
    assert_eq!((end(&[]), end(&["-s", "riptide.timeout=30s"])), ("timed_out".into(), "left".into()));
    let end = |args: &[&str]| stats(&fixture("real/end-poor-connection-22.pcap"), args)["end"][0]["end"].clone();
    assert_eq!((end(&[]), end(&["-s", "riptide.quality=off"])), ("poor_connection".into(), "open".into()));
    assert_eq!(end(&["-s", "riptide.attempts=20"]), "open");
}
