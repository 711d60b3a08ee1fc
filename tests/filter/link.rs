//! `--link`: relations in both directions, and missing answers, printed with the message itself.

use super::{args_of, decode_with, feed, fixture, netkit};
use serde_json::Value as Json;
use std::collections::BTreeSet;

const FILES: [&str; 6] = [
    "riptide/riptide20-lossy.pcap",
    "riptide/riptide20-tcp.pcap",
    "dnp/dnp-lossy.pcap",
    "nano/nano-ws-bad.pcap",
    "gne/gne-be-udp-full.pcap",
    "acknex/acknex-sim-le.pcap",
];

const LINK: [&str; 2] = ["-q", "--link"];

fn related(line: &Json) -> &[Json] {
    line["related"].as_array().map_or(&[], Vec::as_slice)
}

fn inverse(kind: &str) -> Option<&'static str> {
    match kind {
        "acknowledges" => Some("acked_by"),
        "answers" => Some("answered_by"),
        "joined_from" => Some("fragment_of"),
        _ => None,
    }
}

/// A relation: frame and index, kind, other frame, time between.
type Link = (u64, u64, String, u64, String);

/// All relations of the lines: the inverse of those that later messages print, and the forward ones.
fn both(lines: &[Json]) -> [BTreeSet<Link>; 2] {
    let mut sets = [BTreeSet::new(), BTreeSet::new()];
    let mut acked = BTreeSet::new();
    for (at, line) in lines.iter().enumerate() {
        let frame = line["frame"].as_u64().unwrap();
        let own = 1 + lines[..at].iter().filter(|other| other["frame"] == line["frame"]).count() as u64;
        for one in related(line) {
            let (kind, other) = (one["kind"].as_str().unwrap(), one["frame"].as_u64().unwrap());
            let (index, after) = (one["index"].as_u64().unwrap_or(1), one["after_ms"].to_string());
            match inverse(kind) {
                // Only the first acknowledgement is printed.
                Some("acked_by") if !acked.insert((other, index)) => {}
                Some(kind) => _ = sets[0].insert((other, index, kind.into(), frame, after)),
                None if ["acked_by", "answered_by", "fragment_of"].contains(&kind) => {
                    sets[1].insert((frame, own, kind.into(), other, after));
                }
                None => {}
            }
        }
    }
    sets
}

#[test]
fn both_directions_are_filled() {
    let mut kinds = BTreeSet::new();
    for file in FILES {
        let lines = decode_with(file, None, &LINK);
        let [report, turned] = both(&lines);
        assert!(!report.is_empty(), "{file}");
        assert_eq!(report, turned, "{file}");
        kinds.extend(report.into_iter().map(|one| one.2));
        // Everything printed without --link is unchanged.
        let plain = decode_with(file, None, &["-q"]);
        assert_eq!(plain.len(), lines.len());
        for (plain, line) in plain.iter().zip(&lines) {
            assert!(related(line).starts_with(related(plain)), "{line}");
            for key in ["fields", "derived", "frame", "message", "fault"] {
                assert_eq!(plain[key], line[key]);
            }
        }
    }
    assert_eq!(kinds.len(), 3, "{kinds:?}");
}

/// Every request is either answered or reported as unanswered.
#[test]
fn what_nobody_answers_is_reported() {
    let has = |line: &Json, code: &str| {
        line["notes"].as_array().into_iter().flatten().any(|note| note["code"].as_str() == Some(code))
    };
    for file in FILES {
        let lines = decode_with(file, None, &LINK);
        let kind = |line: &Json, kind: &str| related(line).iter().any(|one| one["kind"] == kind);
        for line in &lines {
            assert!(!(has(line, "link.unanswered") && kind(line, "answered_by")), "{line}");
            assert!(!(has(line, "link.never_acked") && kind(line, "acked_by")), "{line}");
            if line["proto"] == "nano" && line["message"] == "request" && line.get("fault").is_none() {
                assert!(has(line, "link.unanswered") || kind(line, "answered_by"), "{line}");
            }
        }
        for (state, code) in [("unanswered", "link.unanswered"), ("never_acked", "link.never_acked")] {
            let want: Vec<&Json> = lines.iter().filter(|line| has(line, code)).collect();
            // The filter alone is enough: it makes the program read ahead.
            let got = decode_with(file, Some(&format!("has {state}")), &["-q"]);
            assert_eq!(got.iter().collect::<Vec<_>>(), want, "{file} {state}");
        }
    }
    // The client's own log lists frames 43, 310, 311 and 323 in the whole capture, of which this is a part.
    let lines = decode_with("nano/nano-tcp-midstream.pcap", Some("has unanswered"), &["-q"]);
    let ids: Vec<_> = lines.iter().map(|line| line["fields"]["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [54, 55, 56]);
}

#[test]
fn a_pipe_is_held_back_and_gives_the_same() {
    let path = fixture("nano/nano-tcp-midstream.pcap");
    let bytes = std::fs::read(&path).unwrap();
    let pipe = |more: &[&str], bytes: &[u8]| {
        feed(netkit(&["decode", "-", "--link", "-f", "ndjson"]).args(args_of(&path)).args(more), bytes).ok()
    };
    let mut command = netkit(&["decode", "--link", "-f", "ndjson"]);
    let file = feed(command.arg(&path).args(args_of(&path)), b"").ok();
    assert!(file.text().contains("answered_by") && pipe(&[], &bytes).text() == file.text());
    for threads in ["1", "2", "3"] {
        let mut command = netkit(&["decode", "--link", "-f", "ndjson", "--threads", threads]);
        assert_eq!(feed(command.arg(&path).args(args_of(&path)), b"").ok().text(), file.text());
    }
    // Beyond the bound nothing is known, so nothing is called unanswered.
    let some = bytes.len() - 200;
    let cut = pipe(&["--limit", &format!("link_bytes={some}")], &bytes);
    assert!(cut.err.contains(&format!("only the first {some} bytes of stdin were read ahead")), "{}", cut.err);
    assert!(cut.text().contains("answered_by") && !cut.text().contains("link.unanswered"));
    assert_eq!(cut.text().lines().count(), file.text().lines().count());
    let exact = format!("link_bytes={}", bytes.len());
    let whole = pipe(&["--limit", &exact], &bytes);
    assert!(whole.text() == file.text() && !whole.err.contains("read ahead"), "{}", whole.err);
}

/// Nothing is called unanswered in a capture that cannot be read to its end, whichever way it is read.
#[test]
fn a_cut_capture_claims_nothing() {
    let path = fixture("nano/nano-tcp-midstream.pcap");
    let whole = std::fs::read(&path).unwrap();
    let cut = &whole[..whole.len() - 5];
    let scratch = crate::common::Scratch::new("link-cut");
    let file = scratch.write("cut.pcap", cut);
    let linked = |files: &[&str], input: &[u8]| {
        feed(netkit(&["decode", "--link", "-f", "ndjson"]).args(files).args(args_of(&path)), input)
    };
    assert!(linked(&["-"], &whole).ok().text().contains("link.unanswered"));
    for files in [&[file.as_str()][..], &["-"], &["--join", file.as_str()]] {
        let done = linked(files, cut);
        assert!(done.status == Some(3) && done.text().contains("answered_by"), "{files:?}: {}", done.err);
        assert!(!done.text().contains("link.unanswered"), "{files:?}");
    }
}

#[test]
fn a_full_memory_is_reported_and_claims_nothing() {
    let path = fixture("riptide/riptide20-lossy.pcap");
    let mut command = netkit(&["decode", "--link", "-f", "ndjson", "--limit", "links=20"]);
    let few = feed(command.arg(&path).args(args_of(&path)), b"").ok();
    assert!(few.err.contains("missing from some messages: ") && few.err.contains("--limit links=N"), "{}", few.err);
    let all = decode_with("riptide/riptide20-lossy.pcap", None, &LINK);
    for (some, all) in few.lines().iter().zip(&all) {
        assert!(related(some).iter().all(|one| related(all).contains(one)), "{some}");
        let codes = |line: &Json| -> Vec<String> {
            line["notes"].as_array().into_iter().flatten().map(|note| note["code"].to_string()).collect()
        };
        assert!(codes(some).iter().all(|code| codes(all).contains(code)), "{some}");
    }
}

#[test]
fn commands_that_read_once_refuse_it() {
    let path = fixture("riptide/riptide20-lossy.pcap");
    for args in [
        &["stats", "-F", "has unanswered"][..],
        &["stats", "--reject", "related.kind == acked_by"],
        &["stats", "--reject", "related.kind ~ \"^acked\""],
        &["stats", "--reject", "related.kind contains \"answered\""],
        &["decode", "--check", "-F", "has never_acked"],
    ] {
        let done = feed(netkit(args).arg(&path), b"");
        assert!(done.status == Some(2) && done.err.contains("depends on later messages"), "{args:?} {}", done.err);
    }
    // The condition of a gate makes the program read ahead, too.
    let gate = |state: &str| feed(netkit(&["decode", "-q", "--reject", state]).arg(&path), b"").status;
    assert_eq!([gate("has never_acked"), gate("has unanswered and message == ack")], [Some(1), Some(0)]);
}

/// Relations cross the ends of rotated files.
#[test]
fn joined_files_are_linked_as_one() {
    let path = fixture("riptide/riptide20-lossy.pcap");
    let whole = std::fs::read(&path).unwrap();
    let (header, mut rest) = whole.split_at(24);
    let mut files = [header.to_vec(), header.to_vec()];
    for k in 0.. {
        let Some(length) = rest.get(8..12) else { break };
        let length = 16 + u32::from_le_bytes(length.try_into().unwrap()) as usize;
        files[usize::from(k >= 300)].extend_from_slice(&rest[..length]);
        rest = &rest[length..];
    }
    let scratch = crate::common::Scratch::new("link-join");
    let names = ["a.pcap", "b.pcap"].map(|name| scratch.file(name));
    names.iter().zip(files).for_each(|(name, bytes)| std::fs::write(name, bytes).unwrap());
    let joined = feed(netkit(&["decode", "-q", "--join", "--link", "-f", "ndjson"]).args(&names), b"").ok();
    let one = feed(netkit(&["decode", "-q", "--link", "-f", "ndjson"]).arg(&path), b"").ok();
    assert!(one.lines().len() > 400);
    for (one, joined) in one.lines().iter().zip(&joined.lines()) {
        assert_eq!((related(one), &one["notes"]), (related(joined), &joined["notes"]));
    }
}
