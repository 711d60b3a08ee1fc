//! `stats --unanswered`, `--never-acked`, `--slow`, `--latency`: lists of the relations that `decode --link` prints for
//! each message.

use super::{delivery_files, stats};
use crate::common::{Done, Scratch, Wire, args_of, feed, fixture, json, netkit, run};
use serde_json::Value as Json;
use std::collections::BTreeMap;

const FILES: [&str; 6] = [
    "riptide/riptide20-lossy.pcap",
    "riptide/riptide20-tcp.pcap",
    "dnp/dnp-lossy.pcap",
    "nano/nano-ws-bad.pcap",
    "gne/gne-be-udp-full.pcap",
    "acknex/acknex-sim-le.pcap",
];

fn on(file: &str, command: &str, args: &[&str]) -> Done {
    let path = fixture(file);
    feed(netkit(&[command, "-q"]).arg(&path).args(args_of(&path)).args(args), b"")
}

fn listed(file: &str, args: &[&str]) -> Json {
    serde_json::from_str(on(file, "stats", &[args, &["-f", "json"]].concat()).ok().text()).unwrap()
}

fn key(row: &Json) -> (u64, u64) {
    (row["frame"].as_u64().unwrap(), row["index"].as_u64().unwrap_or(1))
}

/// The lines of decode --link, each with its index in its frame.
fn linked(file: &str, filter: &str) -> Vec<Json> {
    on(file, "decode", &["--link", "-f", "ndjson", "-F", filter]).ok().lines()
}

#[test]
fn lists_are_those_of_the_linked_lines() {
    let mut some = [0; 3];
    for file in FILES {
        let all = listed(file, &["--unanswered", "--never-acked", "--slow", "50ms"]);
        let rows = |name: &str| all[name].as_array().unwrap().clone();
        for (k, (name, filter)) in [
            ("unanswered", "has unanswered"),
            ("never_acked", "has never_acked"),
            // Pings are not requests.
            ("slow", "related.kind in {answered_by, acked_by} and related.after_ms >= 50 and message != heartbeat"),
        ]
        .into_iter()
        .enumerate()
        {
            let lines = linked(file, filter);
            let frames = |list: &[Json]| list.iter().map(|one| one["frame"].as_u64().unwrap()).collect::<Vec<_>>();
            assert_eq!(frames(&rows(name)), frames(&lines), "{file} {name}");
            for (row, line) in rows(name).iter().zip(&lines) {
                for (column, field) in [
                    ("time", "time"),
                    ("flow", "flow"),
                    ("from", "from"),
                    ("peer", "src"),
                    ("proto", "proto"),
                    ("message", "message"),
                ] {
                    assert_eq!(
                        row[column].to_string().trim_end_matches('0'),
                        line[field].to_string().trim_end_matches('0')
                    );
                }
            }
            some[k] += lines.len();
        }
    }
    assert!(some.iter().all(|n| *n > 0), "{some:?}");
}

/// Times have all their digits, also those of captures with nanoseconds.
#[test]
fn times_are_those_of_the_lines() {
    let path = fixture("nano/nano-ws-bad.pcap");
    let mut capture = std::fs::read(&path).unwrap();
    assert_eq!(capture[..4], [0xd4, 0xc3, 0xb2, 0xa1], "microseconds, in little endian");
    // The same fractions are nanoseconds.
    capture[..4].copy_from_slice(&[0x4d, 0x3c, 0xb2, 0xa1]);
    let folder = Scratch::new("waiting-times");
    let file = folder.write("nanoseconds.pcap", capture);
    let run = |args: &[&str]| feed(netkit(args).args(["-q", &file]).args(args_of(&path)), b"").ok();
    let lines = run(&["decode", "-f", "ndjson", "-F", "has unanswered"]).lines();
    let all = json(run(&["stats", "--unanswered", "-f", "json"]).text());
    let times = |rows: &[Json]| rows.iter().map(|row| row["time"].to_string()).collect::<Vec<_>>();
    assert_eq!(times(all["unanswered"].as_array().unwrap()), times(&lines));
    assert!(!lines.is_empty());
}

/// The applications' own record: the numbered messages that were never acknowledged, and the copies.
#[test]
fn never_acked_are_those_of_the_delivery_files() {
    let (mut checked, mut some) = (0, 0);
    for (capture, want) in delivery_files() {
        let Some(conversations) = want["conversations"].as_array() else { continue };
        let mut frames = BTreeMap::new();
        for of in conversations.iter().flat_map(|c| ["client", "server"].map(|side| &c["from"][side])) {
            for row in of["reliable"].as_array().into_iter().flatten().filter(|row| row["acked_frame"].is_null()) {
                frames.insert(row["first_frame"].as_u64().unwrap(), row["copies"].as_u64().unwrap());
            }
        }
        let got = stats(&capture, &["--never-acked"]);
        let rows = got["never_acked"].as_array().unwrap();
        let got: BTreeMap<u64, u64> = rows.iter().map(|row| (key(row).0, row["sent"].as_u64().unwrap())).collect();
        assert_eq!(got, frames, "{}", capture.display());
        checked += 1;
        some += frames.len();
    }
    assert!(checked >= 3 && some > 0, "{checked} {some}");
}

/// A filter selects the messages that are listed, not the answers that count.
#[test]
fn a_filter_takes_no_answer_away() {
    let file = "nano/nano-ws-bad.pcap";
    let all = listed(file, &["--unanswered", "--latency"]);
    let some = listed(file, &["--unanswered", "--latency", "-F", "message == request"]);
    assert_eq!(all["unanswered"], some["unanswered"]);
    assert_eq!(all["latency"], some["latency"]);
    let none = listed(file, &["--unanswered", "-F", "message == response"]);
    assert_eq!(none["unanswered"], serde_json::json!([]));
}

#[test]
fn latency_is_that_of_the_relations() {
    for file in FILES {
        let mut want: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
        for line in linked(file, "related.kind in {answered_by, acked_by}") {
            for one in line["related"].as_array().unwrap() {
                let waits_for = match one["kind"].as_str() {
                    Some("answered_by") => "answer",
                    Some("acked_by") => "ack",
                    _ => continue,
                };
                let after = one["after_ms"].as_f64().unwrap();
                want.entry((line["message"].to_string(), waits_for.into())).or_default().push(after);
            }
        }
        let rows = listed(file, &["--latency"]);
        let mut got: BTreeMap<(String, String), (u64, f64)> = BTreeMap::new();
        for row in rows["latency"].as_array().unwrap().iter().filter(|row| row["answered"] != 0) {
            let one = got.entry((row["message"].to_string(), row["waits_for"].as_str().unwrap().into())).or_default();
            one.0 += row["answered"].as_u64().unwrap();
            one.1 = one.1.max(row["answered_max"].as_f64().unwrap());
            let [p50, p90, p99, max] =
                ["answered_p50", "answered_p90", "answered_p99", "answered_max"].map(|p| row[p].as_f64().unwrap());
            assert!(p50 <= p90 && p90 <= p99 && p99 <= max, "{row}");
        }
        for (kind, (count, max)) in &got {
            let Some(delays) = want.get(kind) else { panic!("{file}: {kind:?}") };
            // A link_state waits for an answer and an ack; its row has the one it waits for.
            assert!(*count <= delays.len() as u64 && *count > 0, "{file} {kind:?} {count}");
            assert!((delays.iter().fold(0.0, |a: f64, b| a.max(*b)) - max).abs() < 0.001, "{file} {kind:?} {max}");
        }
        // It has only pings that are answered.
        assert_eq!(got.is_empty(), file.starts_with("gne"), "{file}");
    }
}

#[test]
fn what_is_not_followed_is_counted() {
    let path = fixture("riptide/riptide20-lossy.pcap");
    let done = feed(netkit(&["stats", "--never-acked", "--limit", "waiting=1", "-f", "json"]).arg(&path), b"").ok();
    let all: Json = serde_json::from_str(done.text()).unwrap();
    assert!(all["not_followed"].as_u64() > Some(0) && done.err.contains("waiting=N"), "{}", done.err);
    for args in
        [&["--unanswered", "--by", "flow"][..], &["--slow", "0"], &["--unanswered", "--slow", "1s", "-f", "csv"]]
    {
        assert_eq!(feed(netkit(&["stats"]).arg(&path).args(args), b"").status, Some(2), "{args:?}");
    }
    let one = feed(netkit(&["stats", "--unanswered", "-f", "csv"]).arg(&path), b"").ok();
    assert!(one.text().starts_with("frame,index,time,flow,from,peer,proto,message,route,sent\n"), "{}", one.text());
}

/// The figures in verdicts equal those in the tables, and a capture without problems has no verdict.
#[test]
fn verdicts_are_of_the_figures() {
    let path = fixture("riptide/riptide20-lossy.pcap");
    let all = stats(&path, &["--delivery"]);
    let verdicts = all["verdicts"].as_array().unwrap();
    assert!(verdicts.len() >= 6, "{verdicts:?}");
    for verdict in verdicts {
        let of = |table: &str| {
            let same = |row: &&Json| ["flow", "connection", "from"].iter().all(|key| row[*key] == verdict[*key]);
            all[table].as_array().unwrap().iter().find(same).cloned().unwrap_or(Json::Null)
        };
        let text = verdict["text"].as_str().unwrap();
        let number = |row: &Json, key: &str| row[key].as_u64().unwrap();
        let figures = match verdict["rule"].as_str().unwrap() {
            "resends" => {
                let row = of("delivery");
                assert_eq!(text.contains("every message was acknowledged"), number(&row, "never_acked") == 0, "{text}");
                // The share is the table's: resent transmissions of all.
                let [sent, resent, twice] = ["sent", "resent", "duplicates"].map(|key| number(&row, key));
                let share = row["resent_share"].as_f64().unwrap() * 100.0;
                assert!((share - 100.0 * resent as f64 / sent as f64).abs() < 1e-4, "{row}");
                match (resent, twice) {
                    (0, _) => format!(
                        ": {twice} of {sent} transmissions ({:.1} %) were duplicates",
                        100.0 * twice as f64 / sent as f64
                    ),
                    (_, 0) => format!(": {resent} of {sent} transmissions ({share:.1} %) were resent"),
                    _ => format!(
                        ": {resent} of {sent} transmissions ({share:.1} %) were resent and {twice} were duplicates"
                    ),
                }
            }
            "never_acked" => format!("{} of {} messages", of("delivery")["never_acked"], of("delivery")["messages"]),
            "unanswered" => format!("{} of {} requests", of("request")["unanswered"], of("request")["requests"]),
            // Compared with the truth in another test.
            "end" => String::new(),
            other => panic!("{other}"),
        };
        assert!(text.contains(&figures), "{text}: {figures}");
    }
    let well = stats(&fixture("dnp/dnp-ipv6.pcap"), &["--delivery"]);
    assert_eq!(well["verdicts"], serde_json::json!([]), "{}", well["verdicts"]);
}

/// The notes and the table count the same messages as given up, except for senders that went on: their application had
/// switched the quality disconnect off.
#[test]
fn given_up_is_what_the_library_gave_up() {
    let mut seen = [0, 0];
    for (file, truth) in [
        ("riptide/riptide20-lossy.pcap", 1),
        ("riptide/riptide22-lossy.pcap", 1),
        ("riptide/riptide22-gap40.pcap", 0),
        ("real/given-up-quality-off-22.pcap", 0),
    ] {
        let lines = on(file, "decode", &["-f", "ndjson"]).ok().lines();
        let noted = |code: &str| {
            let notes = lines.iter().flat_map(|line| line["notes"].as_array().into_iter().flatten());
            notes.filter(|note| note["code"] == code).count() as u64
        };
        let all = listed(file, &["--delivery"]);
        let counted: u64 =
            all["delivery"].as_array().unwrap().iter().map(|row| row["given_up"].as_u64().unwrap()).sum();
        let sides = all["connections"].as_array().unwrap().iter().flat_map(|c| c["from"].as_object().unwrap().values());
        let rows: usize = sides.map(|side| side["given_up"].as_array().unwrap().len()).sum();
        let (given_up, goes_on) = (noted("riptide.given_up"), noted("riptide.goes_on"));
        assert_eq!((counted, rows as u64, given_up - goes_on), (truth, truth, truth), "{file}");
        seen = [seen[0] + given_up, seen[1] + goes_on];
    }
    assert_eq!(seen, [3, 1]);
}

/// A link_state waits for its acknowledgement and for an answer. That of flow 4 got only the first.
#[test]
fn links_wait_for_an_answer_too() {
    let file = "dnp/dnp-lossy.pcap";
    let all = listed(file, &["--unanswered", "--never-acked"]);
    let frames = |name: &str| all[name].as_array().unwrap().iter().map(|row| key(row).0).collect::<Vec<_>>();
    assert_eq!(frames("unanswered"), [21]);
    assert!(!frames("never_acked").contains(&21));
    let verdicts = stats(&fixture(file), &[])["verdicts"].clone();
    let own = verdicts.as_array().unwrap().iter().find(|verdict| verdict["rule"] == "unanswered").expect("a verdict");
    assert_eq!(own["text"], "server of flow 4: 1 of 1 offered link without an answer");
}

/// A clock that was set back takes no reply away.
#[test]
fn replies_before_their_messages_count() {
    let ends = ["127.0.0.1:50000", "127.0.0.1:3413"].map(|end| end.parse().unwrap());
    let mut wire = Wire::default();
    let sent: [(u64, bool, &[u8]); 4] = [
        (0, true, &[0, 1, 0, 0, 0]),
        (10, false, &[1, 0, 0, 0]),
        (9_000, true, &[4, 0, 0, 97]),
        (8_000, false, &[6, 0, 0, 0]),
    ];
    sent.into_iter().for_each(|(at, by_client, bytes)| wire.at(at).datagram(ends, by_client, bytes));
    let all = json(run(&["stats", "-", "-p", "dnp", "-q", "-f", "json", "--latency"], &wire.file()).ok().text());
    let row = &all["latency"][0];
    assert_eq!((&row["answered"], &row["waiting"], &row["answered_p50"]), (&1.into(), &0.into(), &Json::Null), "{row}");
}
