//! The report at the end, for people and for programs.

use netkit::live::replay::{Counts, Divergence, Report, RoundTrip, Unsent};
use serde_json::json;
use std::time::Duration;

fn report() -> Report {
    let unsent = |frame, message: &str, why: &str| Unsent { frame, message: message.into(), why: why.into() };
    Report {
        steps: 12,
        sent: 11,
        expected: 9,
        received: 8,
        uncompared: 0,
        unsent: [31, 34, 40].map(|frame| unsent(frame, "gne.packets", "the session was over")).into(),
        refused: vec![unsent(12, "gne.packets", "an empty datagram or frame ends the connection")],
        live: [("answers to exits", 1)].into(),
        dropped: 2,
        unknown: 1,
        counts: Counts {
            more_trips: 0,
            acknowledged: 5,
            resent: 3,
            unacknowledged: 1,
            copies: 2,
            live: 6,
            round_trips: [9, 1, 4]
                .map(|ms| RoundTrip { subject: "ping".into(), took: Duration::from_millis(ms), resent: false })
                .into(),
        },
        remarks: vec!["no datagrams are granted".into()],
        ended: Some("exit".into()),
        stopped: false,
        trouble: Some("interrupted".into()),
        divergences: vec![
            Divergence::Missing { frame: 20, message: "packets ping".into() },
            Divergence::Extra { message: "packets 16".into(), content: json!({"packets": [{"id": 16}]}) },
            Divergence::Differs {
                frame: 22,
                message: "packets rate_adjust".into(),
                fields: vec![("packets[0].rate".into(), json!(2500), json!(5000))],
            },
        ],
        others: vec![("pings", Divergence::Missing { frame: 25, message: "packets ping".into() })],
        took: Duration::from_millis(1250),
    }
}

#[test]
fn for_people() {
    let expected = "\
trouble       interrupted
the peer ended the session: exit
sent          11 of 12 messages in 1.250 s
acknowledged  5, 1 not; 3 resends
received      8 of 9 messages
generated     6: acknowledgements, heartbeats, answers, goodbyes
round trips   3: min 1.00, median 4.00, max 9.00 ms
not repeated  answers to exits (1)
dropped       2
left out      1 message of an unknown sender: --server ADDR names the server
refused       frame 12 gne.packets: an empty datagram or frame ends the connection (--allow-dangerous sends it)
not sent      3 messages, frames 31 to 40: the session was over
note          no datagrams are granted
the peer diverged from the capture in 3 places:
  frame 22 packets rate_adjust packets[0].rate: 5000, was 2500
  frame 20 packets ping: did not arrive
  packets 16: not in the capture: {\"packets\":[{\"id\":16}]}
ignored differences: pings (1) (-v lists them)
";
    assert_eq!(report().to_string(), expected);
    let quiet =
        Report { steps: 1, sent: 1, expected: 1, received: 1, took: Duration::from_millis(3), ..Report::default() };
    let expected = "\
sent          1 of 1 message in 0.003 s
received      1 of 1 message
the peer sent the same messages as in the capture
";
    assert_eq!(quiet.to_string(), expected);
}

#[test]
fn for_programs() {
    let mut text = String::new();
    report().ndjson(&mut text);
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<_> = lines.iter().map(|l| (l["report"].as_str().unwrap(), l["kind"].as_str())).collect();
    let divergence = "divergence";
    assert_eq!(
        kinds,
        [
            ("refused", None),
            ("unsent", None),
            ("unsent", None),
            ("unsent", None),
            (divergence, Some("missing")),
            (divergence, Some("extra")),
            (divergence, Some("differs")),
            (divergence, Some("missing")),
            ("session", None)
        ]
    );
    assert_eq!(lines[6]["fields"], json!([{"path": "packets[0].rate", "captured": 2500, "live": 5000}]));
    assert_eq!((&lines[4]["others"], &lines[7]["others"]), (&json!(null), &json!("pings")));
    let session = &lines[8];
    assert_eq!((&session["complete"], &session["diverged"]), (&false.into(), &true.into()));
    assert_eq!(session["round_trip_ms"], json!({"count": 3, "min": 1.0, "median": 4.0, "max": 9.0}));
    assert_eq!((&session["seconds"], &session["unacknowledged"]), (&1.25.into(), &1.into()));
}
