//! Differences between two captures, and limits for them.

mod common;

use common::{Done, Wire, fixture, run};
use serde_json::Value as Json;

const LEG: &str = "riptide/riptide22-gap40-serverleg.pcap";
const GAP: &str = "riptide/riptide22-gap40.pcap";

fn diff(a: &str, b: &str, more: &[&str]) -> Done {
    let [a, b] = [a, b].map(|name| fixture(name).to_str().expect("UTF-8").to_owned());
    run(&[&["diff", "-p", "riptide", &a, &b], more].concat(), b"")
}

fn status(a: &str, b: &str, limit: &str) -> Option<i32> {
    diff(a, b, &["--fail-on", limit]).status
}

/// One of the two captures is of the leg where messages were lost and sent again.
#[test]
fn worse_fails_and_better_does_not() {
    for limit in [
        "message_rate > 10%",
        "riptide.reliable.byte_rate > 10%",
        "riptide.reliable.messages > 39 messages",
        "riptide.reliable.messages > 30%",
        "resent_share > 25pp",
        "riptide.client.resent_share > 25pp",
        "client.ack_p90 > 80ms",
        "ack_p50 > 0.04s",
        "message_rate > 10% and > 39 messages",
        "riptide.reliable.message_rate > 10% and > 5 messages/s",
        // The older names of the same figures.
        "rate > 10%",
        "riptide.reliable.bytes_rate > 10%",
        "riptide.reliable.bandwidth > 10%",
        "riptide.reliable.count > 39 messages",
        "resent > 25%",
        "client.ack.p90 > 80ms",
        "ack.p50 > 0.04s",
    ] {
        assert_eq!(status(LEG, GAP, limit), Some(1), "{limit}");
        if !limit.starts_with("ack") {
            assert_eq!(status(GAP, LEG, limit), Some(0), "{limit}: an improvement");
        }
    }
    for limit in [
        "message_rate > 35%",
        "riptide.reliable.messages > 40 messages",
        "resent_share > 26pp",
        "server.resent_share > 0pp",
        "message_rate > 10% and > 40 messages",
        "message_rate < -10%",
        "client.ack_p90 > 90ms",
        "vanished",
    ] {
        assert_eq!(status(LEG, GAP, limit), Some(0), "{limit}");
    }
    assert_eq!(status(GAP, LEG, "message_rate < -10%"), Some(1), "what falls, where that is asked for");
}

#[test]
fn wrong_limits_are_refused() {
    for (limit, why) in [
        ("riptide.relible.rate > 10%", "no message of riptide \"relible\", did you mean \"reliable\"?"),
        ("ripide.rate > 10%", "no protocol \"ripide\", did you mean \"riptide\"?"),
        ("resent_share > 10%", "in points"),
        ("rate > 10% and > 3ms", "rate is not measured in ms"),
    ] {
        let done = diff(LEG, GAP, &["--fail-on", limit]);
        assert_eq!((done.status, done.text()), (Some(2), ""), "{limit}");
        assert!(done.err.contains(why), "{limit}: {}", done.err);
    }
    assert_eq!(diff(LEG, GAP, &["--ignore", "mesage == ack"]).status, Some(2));
}

/// A limit that nothing was held against does not hold, in every format.
#[test]
fn nothing_is_no_success() {
    let limit = "riptide.notify.rate > 10%";
    for format in ["text", "json", "markdown", "junit"] {
        let done = diff(LEG, GAP, &["-f", format, "--fail-on", limit]);
        assert_eq!(done.status, Some(1), "{format}");
        assert!(done.err.contains(&format!("--fail-on {limit}: nothing of that is in both captures")), "{}", done.err);
        let said = match format {
            "json" => "\"compared\":0,\"broken\":0,\"holds\":false",
            "markdown" => "**nothing to compare**",
            "junit" => "<failure message=\"nothing to compare\">",
            _ => "a: ",
        };
        assert!(done.text().contains(said), "{format}: {}", done.text());
        assert_eq!(diff(LEG, GAP, &["-f", format, "--fail-on", limit, "--allow-empty"]).status, Some(0));
        let empty = diff(LEG, "foreign/rtp.pcap", &["-f", format, "--fail-on", "rate > 10%"]);
        assert_eq!(empty.status, Some(1), "{format}: {}", empty.err);
    }
}

/// A message that is in one capture only counts as none in the other where a limit names it.
#[test]
fn messages_of_one_capture() {
    let (a, b) = ("riptide/riptide20-lossy.pcap", "riptide/riptide22-lossy.pcap");
    let names = |limit: &str| diff(a, b, &["-f", "json", "--fail-on", limit]);
    assert_eq!(names("riptide.notify.count > 0 messages").status, Some(1));
    assert_eq!(names("riptide.notify.appeared").status, Some(1));
    assert_eq!(names("riptide.reliable.appeared").status, Some(0), "it is in both");
    assert_eq!(names("appeared").status, Some(1));
    let all = common::json(names("count > 1000 messages").text());
    assert!(all["limits"][0]["compared"].as_u64() > Some(5), "{all}");
    assert_eq!(all["limits"][0]["holds"], Json::Bool(true));
}

#[test]
fn rows_by_importance_without_what_is_the_same() {
    let rows = |more: &[&str]| -> Vec<Json> {
        let done = diff(LEG, GAP, &[&["-f", "json"], more].concat());
        common::json(done.text())["differences"].as_array().expect("rows").clone()
    };
    let all = rows(&[]);
    assert!(all.iter().all(|row| row["what"] != "messages" || row["a"] != row["b"]));
    assert!(all.iter().all(|row| row["change"].as_f64().is_none_or(|change| change.abs() >= 0.001)), "{all:?}");
    assert!(!all.iter().any(|row| row["of"] == "riptide.connect"), "{all:?}");
    // What breaks a limit comes first, whatever it is.
    let first = &rows(&["--fail-on", "riptide.reliable.message_rate > 1%"])[0];
    assert_eq!((&first["of"], &first["what"]), (&"riptide.reliable".into(), &"message_rate".into()));
    let share = all.iter().find(|row| row["what"] == "resent_share").expect("a row");
    assert_eq!((&share["unit"], &share["change"]), (&"pp".into(), &share["b"]));
    let ignored = rows(&["--ignore", "message == reliable", "--ignore", "message == ack"]);
    assert!(!ignored.iter().any(|row| row["of"] == "riptide.reliable" || row["of"] == "riptide.ack"), "{ignored:?}");
}

/// Names of files are anybody's: they neither end an element nor a table's cell.
#[test]
fn hostile_names() {
    let folder = common::Scratch::new("diff");
    let mut wire = Wire::default();
    let ends = ["127.0.0.1:50000".parse().expect("an end"), "127.0.0.1:7777".parse().expect("an end")];
    (0..3).for_each(|_| wire.datagram(ends, true, &[5, 3, 20, 0]));
    let file = folder.write("a|b<&\"`\u{1b}[2J\u{202e}\n.pcap", wire.file());
    for format in ["junit", "markdown"] {
        let done = run(&["diff", "-p", "riptide", "-f", format, &file, &file, "--fail-on", "rate > 5%"], b"").ok();
        let text = done.text();
        assert!(!text.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{text}");
        match format {
            "junit" => {
                assert!(text.contains("a|b&lt;&amp;&quot;`\\u{1b}[2J\\u{202e}\\n.pcap"), "{text}");
                let opened = text.matches("<test").count() - text.matches("/>").count();
                assert_eq!(opened, text.matches("</test").count(), "{text}");
            }
            _ => assert!(text.contains("a\\|b\\<\\&\"\\`"), "{text}"),
        }
    }
}
