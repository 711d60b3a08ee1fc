//! GNE. Bytes of gne-probe.pcap: trunk's server (little-endian), 0.70's (big-endian).

use super::peer::*;
use crate::common::side_by_side;
use netkit::live::probe::Request;
use std::sync::Arc;

/// The request that reads the same in both byte orders.
const STRANGER: &str =
    "4e4c0030474e45ffffffff0000000000000000000000000000000000000000000000000000000000000000ffffffff0000000000";
const REFUSED_LE: &str =
    "4e4c002c474e4500000007005374617273686970204475656c0000000000000000000000000000000000000003020100";
const REFUSED_BE: &str =
    "4e4c002c474e4500000000075374617273686970204475656c0000000000000000000000000000000000000000010203";
const REQUEST_LE: &str =
    "4e4c0030474e45000007005374617273686970204475656c00000000000000000000000000000000000000030201000000000000";
const ACCEPTED_LE: &str = "4e4c000c474e450100190000ffffffff";
const EXIT: &str = "4e4c000202ff";

/// Allows whole HawkNL frames of at most 512 bytes.
fn check(mut bytes: &[u8]) -> Result<(), String> {
    while !bytes.is_empty() {
        let [b'N', b'L', high, low, rest @ ..] = bytes else { return Err("no frame".into()) };
        let length = u16::from_be_bytes([*high, *low]) as usize;
        if length == 0 || length > 512 || rest.len() < length {
            return Err("an empty, oversize or unfinished frame".into());
        }
        bytes = &rest[length..];
    }
    Ok(())
}

#[test]
fn identification_is_one_refusal() {
    for (refusal, order) in [(REFUSED_LE, "little-endian"), (REFUSED_BE, "big-endian")] {
        let peer = tcp(check, move |conn| {
            conn.read(52);
            conn.write(&hex(refusal));
            conn.read(1);
        });
        let report = ask(&request("gne", &[]), &peer.addr.to_string());
        assert_eq!((outcome(&report), version(&report)), ("ok", Some("0.0.7")), "{}", text(&report));
        assert_eq!(fact(&report, "game"), "Starship Duel");
        assert_eq!(fact(&report, "user_version"), 0x010203);
        assert_eq!(fact(&report, "byte_order"), order);
        assert_eq!(report.samples.len(), 1);
        assert_eq!(peer.sent(), [hex(STRANGER)], "one connection, 52 bytes");
    }
}

/// The time between the header of a ping's answer and its content.
const CONTENT: std::time::Duration = ms(250);

/// A server that refuses strangers and accepts its own clients; answers pings if `pings`; records how its clients
/// leave.
fn server(pings: bool, ends: Arc<std::sync::Mutex<Vec<&'static str>>>) -> impl FnMut(&mut Conn) + Send {
    move |conn| {
        let asked = conn.read(52);
        if asked == hex(STRANGER) {
            conn.write(&hex(REFUSED_LE));
            conn.drain();
            return;
        }
        conn.write(&hex(ACCEPTED_LE));
        loop {
            let head = conn.read(4);
            let [_, _, high, low] = head[..] else {
                ends.lock().unwrap().push("gone without exit");
                return;
            };
            let content = conn.read(u16::from_be_bytes([high, low]) as usize);
            match content[0] {
                2 => {
                    conn.write(&hex(EXIT));
                    // A client that has waited a second is gone.
                    let _ = conn.stream.shutdown(std::net::Shutdown::Write);
                    ends.lock().unwrap().push(if conn.drain() { "left" } else { "never ended" });
                    return;
                }
                4 if pings => {
                    // The same id, T2 and T3 as in the capture; the header is sent first, by itself.
                    conn.write(&hex("4e4c0016"));
                    std::thread::sleep(CONTENT);
                    let times = hex("a3c7006ab7990800");
                    conn.write(&[&content[..5], &times, &times, &[0xff]].concat());
                }
                _ => {}
            }
        }
    }
}

#[test]
fn handshake_pings_and_exit() {
    // A ping counts as lost after a second.
    unless_late(CONTENT, 0..10, |_| {
        let ends = Arc::default();
        let peer = tcp(check, server(true, Arc::clone(&ends)));
        let mut request = request("gne", &[]);
        request.connect = true;
        let report = ask(&request, &peer.addr.to_string());
        assert_eq!(outcome(&report), "ok", "{}", text(&report));
        assert_eq!(fact(&report, "accepted"), true);
        assert_eq!(fact(&report, "max_rate"), 6400);
        let sent = peer.sent();
        assert!(sent[1].starts_with(&hex(REQUEST_LE)), "the refusal's own values");
        assert!(sent[1].ends_with(&hex(EXIT)));
        drop(peer);
        assert_eq!(*ends.lock().unwrap(), ["left"]);
        let pings = &report.samples;
        ensure(pings.iter().all(|sample| sample.rtt.is_some()), format!("{pings:?}"))?;
        assert!(pings.iter().all(|s| s.method == "ping"), "the refusal's time is none of theirs: {pings:?}");
        assert_eq!(pings.len(), 3);
        // Timed at the header: the content arrives later.
        ensure(pings.iter().all(|s| s.rtt.is_some_and(|rtt| rtt < CONTENT)), format!("{pings:?}"))
    });
}

#[test]
fn always_by_the_exit() {
    let mut request = request("gne", &[]);
    request.connect = true;
    // The application answers no pings.
    let ends = Arc::default();
    let peer = tcp(check, server(false, Arc::clone(&ends)));
    let report = ask(&request, &peer.addr.to_string());
    assert_eq!(outcome(&report), "ok");
    assert!(report.notes.iter().any(|n| n.contains("does not answer pings")), "{:?}", report.notes);
    drop(peer);
    assert_eq!(*ends.lock().unwrap(), ["left"]);
    // Interrupted. The server's close is waited for a second.
    (request.samples, request.interval) = (10_000, ms(50));
    unless_late(ms(1000), 0..10, |_| {
        let ends = Arc::default();
        let peer = tcp(check, server(true, Arc::clone(&ends)));
        // The request has 52 bytes: with more, the client is accepted and sends pings.
        let report = interrupted(&request, &peer, |sent| sent.iter().any(|stream| stream.len() > 52));
        assert_eq!(outcome(&report), "interrupted");
        drop(peer);
        let ends = ends.lock().unwrap();
        assert!(!ends.contains(&"gone without exit"), "{ends:?}");
        ensure(*ends == ["left"], format!("{ends:?}"))
    });
}

#[test]
fn refused_though_all_is_equal() {
    let peer = tcp(check, |conn| {
        conn.read(52);
        conn.write(&hex(REFUSED_LE));
        conn.drain();
    });
    let mut request = request("gne", &[]);
    request.connect = true;
    let report = ask(&request, &peer.addr.to_string());
    assert_eq!(outcome(&report), "rejected");
    assert_eq!(fact(&report, "game"), "Starship Duel", "what was found is told");
}

#[test]
fn others() {
    let quiet = tcp(check, |conn| _ = conn.drain());
    let report = ask(&brief("gne", &[]), &quiet.addr.to_string());
    assert_eq!(outcome(&report), "silent");
    assert!(text(&report).contains("0.70"), "{}", text(&report));
    let cases = [
        ("4e4c000401020304", "other_protocol", "hawknl"),
        ("0100000c7b22636f6465223a3530307d", "other_protocol", "nano"),
        ("0500 0801000100", "other_protocol", "riptide"),
        ("485454502f312e3120343030204261642052657175657374 0d0a0d0a", "other_protocol", ""),
        ("16030100", "other_protocol", ""),
        ("4e4c002c474e4500", "broken", ""),
    ];
    side_by_side(cases, |(answer, wanted, other)| {
        patiently(|timeout| {
            let peer = tcp(check, move |conn| {
                conn.read(52);
                conn.write(&hex(answer));
                if answer == "4e4c002c474e4500" {
                    return;
                }
                conn.drain();
            });
            let request = Request { timeout: Some(timeout), ..request("gne", &[]) };
            let report = ask(&request, &peer.addr.to_string());
            let about = format!("{answer}: {} {}", outcome(&report), text(&report));
            ensure(outcome(&report) == wanted, about.as_str())?;
            ensure(detail(&report, "other").as_str().unwrap_or("") == other, about)
        });
    });
    let peer = tcp(check, |_| {});
    assert_eq!(outcome(&ask(&request("gne", &[]), &peer.addr.to_string())), "closed");
    assert_eq!(outcome(&ask(&request("gne", &[]), &closed_tcp().to_string())), "refused");
}

/// Each refusal costs the server a socket: a run has one, however many rounds.
#[cfg(unix)]
#[test]
fn rounds_are_refused_once() {
    let ends = Arc::default();
    let peer = tcp(check, server(true, Arc::clone(&ends)));
    let target = peer.addr.to_string();
    let run = |more: &[&str]| {
        let args = [&["probe", &target, "-p", "gne", "-n", "1", "-W", "3s", "--every", "100ms"], more].concat();
        crate::common::program().args(args).stdout(std::process::Stdio::piped()).spawn().unwrap()
    };
    let child = run(&["--connect", "-f", "ndjson"]);
    peer.until(|sent| sent.iter().filter(|stream| stream.ends_with(&hex(EXIT))).count() > 3);
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let out = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let rounds: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut summaries = rounds.iter().filter(|line| line["type"] == "summary" && line["outcome"] == "ok");
    assert_eq!(summaries.next().unwrap()["sockets_left"], 1);
    assert!(summaries.clone().count() > 1 && summaries.all(|line| line["sockets_left"].is_null()), "{out}");
    assert_eq!(peer.sent().iter().filter(|stream| stream.starts_with(&hex(STRANGER))).count(), 1);
    // Without it each round would be refused.
    let refused = crate::common::program().args(["probe", &target, "-p", "gne", "--every", "1s"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("costs the server a socket"), "{refused:?}");
    assert!(ends.lock().unwrap().iter().all(|end| *end == "left"));
}

/// Every format reports the socket that a probe costs the server.
#[test]
fn what_it_costs_is_reported() {
    let message = [
        ("text", "costs the server a socket"),
        ("ndjson", "\"sockets_left\":1"),
        ("json", "\"sockets_left\":1"),
        ("prometheus", "netkit_probe_sockets_left{"),
        ("influx", ",sockets_left=1i "),
        ("nagios", "'sockets_left'=1;;;0"),
    ];
    for (format, words) in message {
        let peer = tcp(check, move |conn| {
            conn.read(52);
            conn.write(&hex(REFUSED_LE));
            conn.drain();
        });
        let args = ["probe", &peer.addr.to_string(), "-p", "gne", "-f", format];
        let done = crate::common::program().args(args).output().unwrap();
        let out = String::from_utf8(done.stdout).unwrap();
        assert!(out.contains(words), "{format}: {out}");
    }
}
