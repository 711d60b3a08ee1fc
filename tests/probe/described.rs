//! Servers of a described protocol: the questions of its `[probe]`, and the figures from their answers.

use super::peer::*;
use serde_json::{Value, json};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const QUESTION: &str = "ff ff ff ff 54 53 6f 75 72 63 65 20 45 6e 67 69 6e 65 20 51 75 65 72 79 00";
/// The answer of a server of the game (fixtures/described/a2s.pcap), without optional fields.
const ANSWER: &str = "ff ff ff ff 49 11 54 65 73 74 00 64 65 5f 64 75 73 74 00 63 73 00 47 61 6d 65 00 f0 00
    03 10 01 64 6c 00 01 31 2e 30 00";

fn a2s() -> String {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/protocols/a2s.toml").display().to_string()
}

fn netkit(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_netkit"));
    command.env_remove("NETKIT_PROTOCOLS").env("XDG_CONFIG_HOME", "/nonexistent");
    command.args(["probe"]).args(args).stdin(Stdio::null()).output().unwrap()
}

/// Allows only the question, with and without a challenge.
fn question(bytes: &[u8]) -> Result<(), String> {
    match bytes.strip_prefix(&hex(QUESTION)[..]) {
        Some([] | [1, 2, 3, 4]) => Ok(()),
        _ => Err("not the question".into()),
    }
}

fn summary(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap_or_default()).unwrap_or_else(|_| panic!("{output:?}"))
}

#[test]
fn a_challenge_goes_into_the_question() {
    let peer = udp(V4, question, |bytes| match bytes.len() {
        25 => say("ff ff ff ff 41 01 02 03 04"),
        _ => say(ANSWER),
    });
    let target = peer.addr.to_string();
    // The question is sent again after a third of the timeout.
    let output = netkit(&[&target, "--protocol-file", &a2s(), "-n", "3", "--interval=20ms", "-W", "30s"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for line in ["a2s over udp", "  name: Test\n", "  map: de_dust\n", "  players: 3\n", "3 sent, 3 answered"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // The challenge is requested once, and is valid for the other round trips.
    assert_eq!(peer.sent().iter().map(Vec::len).collect::<Vec<_>>(), [25, 29, 29, 29]);
    let output = netkit(&[&target, "-p", &a2s(), "-n", "1", "-W", "30s", "-f", "ndjson"]);
    let reported = summary(&output);
    assert_eq!(
        (&reported["outcome"], &reported["proto"], &reported["facts"]["map"]),
        (&json!("ok"), &json!("a2s"), &json!("de_dust"))
    );
    assert_eq!(reported["rtt"]["received"], 1);
}

#[test]
fn a_lost_question_is_asked_again_and_not_counted() {
    let mut asked = 0;
    let peer = udp(V4, question, move |_| {
        asked += 1;
        if asked < 3 { Vec::new() } else { say(ANSWER) }
    });
    let target = peer.addr.to_string();
    let reported = summary(&netkit(&[&target, "-p", &a2s(), "-n", "2", "--interval=20ms", "-W", "3s", "-f", "ndjson"]));
    assert_eq!(reported["outcome"], "ok");
    assert_eq!(
        reported["notes"],
        json!(["no answer to 2 transmissions of the first request: its time is not counted"])
    );
    assert_eq!((&reported["rtt"]["sent"], &reported["rtt"]["received"]), (&json!(2), &json!(2)));
    assert_eq!(peer.sent().len(), 5);
}

#[test]
fn silent_servers_are_distinguished() {
    let fails = |answer: &'static str, timeout: Duration| {
        let peer = udp(V4, question, move |_| if answer.is_empty() { Vec::new() } else { say(answer) });
        let timeout = format!("{}ms", timeout.as_millis());
        let output = netkit(&[&peer.addr.to_string(), "-p", &a2s(), "-n", "1", "-W", &timeout, "-f", "ndjson"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        (summary(&output)["outcome"].as_str().unwrap().to_owned(), peer.sent().len())
    };
    assert_eq!(fails("", ms(300)), ("silent".into(), 3));
    // Half an answer; and a Riptide server's.
    for (answer, wanted) in [("ff ff ff ff 49 11 54 65", "broken"), ("01 01 00 01 00", "other_protocol")] {
        patiently(|timeout| {
            let (outcome, _) = fails(answer, timeout);
            ensure(outcome == wanted, format!("{answer}: {outcome}"))
        });
    }
    let output = netkit(&[&closed_udp().to_string(), "-p", &a2s(), "-f", "ndjson"]);
    assert_eq!(summary(&output)["outcome"], "refused");
    // A server that always wants another challenge is not asked without end.
    let peer = udp(V4, |_| Ok(()), |_| say("ff ff ff ff 41 01 02 03 04"));
    let output = netkit(&[&peer.addr.to_string(), "-p", &a2s(), "-W", "600ms", "-f", "ndjson"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(peer.sent().len() <= 3 * 5, "{}", peer.sent().len());
}

#[test]
fn a_file_that_says_nothing_of_servers_is_refused() {
    let kcp = a2s().replace("a2s", "kcp");
    for args in [["127.0.0.1:9", "-p", &kcp], ["127.0.0.1:9", "--protocol-file", &kcp]] {
        let output = netkit(&args);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("[probe]"), "{output:?}");
    }
}

#[test]
fn over_tcp_and_with_values_that_the_answer_has_to_have() {
    let folder = std::env::temp_dir().join(format!("netkit-{}-described-tcp.toml", std::process::id()));
    let file = r#"
        protocol = "toy"
        encoding = "be"
        [tcp]
        ports = [7001]
        frame = { length = "u8" }
        [probe]
        send   = "ping"
        fields = { token = 513 }
        answer = "pong"
        expect = { token = 513 }
        [[message]]
        id = 1
        name = "ping"
        from = "client"
        [message.fields]
        token = "u16"
        [[message]]
        id = 2
        name = "pong"
        from = "server"
        [message.fields]
        token = "u16"
        players = "u8"
    "#;
    std::fs::write(&folder, file).unwrap();
    // The first answer is for somebody else.
    let peer = tcp(
        |_| Ok(()),
        |conn| {
            if conn.read(4) == [3, 1, 2, 1] {
                conn.write(&hex("04 02 00 07 09  04 02 02 01 05"));
            }
            conn.drain();
        },
    );
    let output = netkit(&[&peer.addr.to_string(), "-p", &folder.display().to_string(), "-n", "1", "-f", "ndjson"]);
    let reported = summary(&output);
    assert_eq!((&reported["outcome"], &reported["facts"]), (&json!("ok"), &json!({"token": 513, "players": 5})));
    // All answers have another value: this is the protocol.
    let refuses = tcp(
        |_| Ok(()),
        |conn| {
            conn.read(4);
            conn.write(&hex("04 02 00 07 09"));
            conn.drain();
        },
    );
    let args = ["-p", &folder.display().to_string(), "-n", "1", "-W", "500ms", "-f", "ndjson"];
    let reported = summary(&netkit(&[&[&*refuses.addr.to_string()], &args[..]].concat()));
    std::fs::remove_file(&folder).unwrap();
    assert_eq!(
        (&reported["outcome"], &reported["details"]["answer"]["token"]),
        (&json!("rejected"), &json!(7)),
        "{reported}"
    );
}

/// A packet with a wrong checksum answers nothing.
#[test]
fn answers_have_right_checksums() {
    let path = std::env::temp_dir().join(format!("netkit-{}-described-sum.toml", std::process::id()));
    let file = r#"
        protocol = "toy"
        encoding = "be"
        [udp]
        ports = [7001]
        [packet.fields]
        sum  = { type = "crc32", over = "after" }
        body = { type = "message", by = "u8" }
        [probe]
        send   = "ping"
        answer = "pong"
        [[message]]
        id = 1
        name = "ping"
        [[message]]
        id = 2
        name = "pong"
        [message.fields]
        players = "u8"
    "#;
    std::fs::write(&path, file).unwrap();
    let answers = |sum: &'static str, timeout: Duration| {
        let peer = udp(V4, |_| Ok(()), move |_| say(sum));
        let target = peer.addr.to_string();
        let timeout = format!("{}ms", timeout.as_millis());
        let args = [&*target, "-p", path.to_str().unwrap(), "-n", "1", "-W", &timeout, "-f", "ndjson"];
        summary(&netkit(&args))["outcome"].clone()
    };
    patiently(|timeout| ensure(answers("03 85 84 f2 02 05", timeout) == "ok", "a right sum"));
    assert_ne!(answers("03 85 84 f3 02 05", ms(300)), "ok");
    std::fs::remove_file(&path).unwrap();
}

/// A probe whose question opens a session leaves it, with the values that the server has chosen.
#[test]
fn who_opens_a_session_leaves_it() {
    let peer = udp(
        V4,
        |_| Ok(()),
        |bytes| match bytes.len() {
            13 => say("4f 45 74 03 00 01 00 03 ff dc 00 01 00 07"),
            _ => Vec::new(),
        },
    );
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/protocols/luanti.toml");
    let output = netkit(&[&peer.addr.to_string(), "-p", &file.display().to_string(), "-n", "1", "-W", "30s"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text.contains("luanti over udp\n  peer id: 7\n"), "{text}");
    let sent = peer.sent();
    assert_eq!(sent[0], hex("4f 45 74 03 00 00 00 03 ff dc 01 00 00"));
    assert!(sent.len() > 1 && sent[1..].iter().all(|one| *one == hex("4f 45 74 03 00 07 00 00 03")), "{sent:02x?}");
}
