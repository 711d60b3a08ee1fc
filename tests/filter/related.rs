//! `related`: the relation in a note's text is the one in the data, and filters by it select the same messages as the
//! same condition on the lines.

use super::{decode, decode_with};
use crate::common::{Scratch, feed, fixture, netkit};
use netkit::filter::{Filter, Names};
use serde_json::{Value as Json, json};

/// One capture with relations for each protocol, those of several kinds first.
const FILES: [&str; 7] = [
    "riptide/riptide20-lossy.pcap",
    "dnp/dnp-lossy.pcap",
    "dnp/dnp-sim-wrap.pcap",
    "dnp/dnp-states.pcap",
    "nano/pomelo-ws.pcap",
    "gne/gne-be-udp-full.pcap",
    "acknex/acknex-sim-le.pcap",
];

fn related(line: &Json) -> &[Json] {
    line["related"].as_array().map_or(&[], Vec::as_slice)
}

/// The numbers after `frame ` in a text.
fn frames(text: &str) -> Vec<u64> {
    let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok();
    text.split("frame ").skip(1).filter_map(digits).collect()
}

#[test]
fn texts_and_relations_name_the_same_frames() {
    let notes = [
        ("riptide.acked_by", "acknowledges"),
        ("riptide.resent", "copy_of"),
        ("riptide.duplicate", "copy_of"),
        ("dnp.acknowledges", "acknowledges"),
        ("dnp.retransmission", "copy_of"),
        ("dnp.link_accepted", "answers"),
        ("dnp.link_ended", "closes"),
        ("nano.answers", "answers"),
        ("gne.ping_reply", "answers"),
        ("acknex.create_answered", "answers"),
    ];
    let mut seen = [0; 10];
    for line in FILES.iter().flat_map(|file| decode(file, None)) {
        for note in line["notes"].as_array().into_iter().flatten() {
            let Some(at) = notes.iter().position(|(code, _)| note["code"] == *code) else { continue };
            let named = frames(note["text"].as_str().unwrap());
            let of_kind = related(&line).iter().filter(|one| one["kind"] == notes[at].1);
            let reported: Vec<u64> = of_kind.map(|one| one["frame"].as_u64().unwrap()).collect();
            assert!(!named.is_empty() && named.iter().all(|frame| reported.contains(frame)), "{line}");
            seen[at] += 1;
        }
        for one in related(&line) {
            assert!(one["frame"].as_u64() <= line["frame"].as_u64(), "{line}");
            assert!(one.get("after_ms").is_none_or(|after| after.as_f64() >= Some(0.0)), "{line}");
        }
    }
    assert!(seen.iter().all(|n| *n > 0), "{seen:?}");
}

/// `after_ms` is exactly the time between the two lines of a relation.
#[test]
fn the_time_is_that_between_the_two_messages() {
    let nanos = |line: &Json| {
        let text = line["time"].to_string();
        let (secs, frac) = text.split_once('.').unwrap();
        secs.parse::<i64>().unwrap() * 1_000_000_000 + format!("{frac:0<9}").parse::<i64>().unwrap()
    };
    for file in FILES {
        let lines = decode(file, None);
        let mut some = 0;
        for line in &lines {
            for one in related(line) {
                let Some(after) = one["after_ms"].as_f64() else { continue };
                let index = one["index"].as_u64().unwrap_or(1) as usize;
                let mut there = lines.iter().filter(|other| other["frame"] == one["frame"]);
                let other = there.nth(index - 1).unwrap();
                let between = (nanos(line) - nanos(other)) as f64 / 1e6;
                assert!((between - after).abs() < 0.001, "{file}: {one} {between}");
                some += 1;
            }
        }
        assert!(some > 0, "{file}");
    }
}

/// A relation to a frame with several messages has the index of the message.
#[test]
fn several_messages_of_a_frame_are_distinguished() {
    let mut with = [0; 2];
    for file in ["riptide/riptide20-tcp.pcap", "riptide/edge22-tcp.pcap", "nano/nano-ws-bad.pcap"] {
        let lines = decode(file, None);
        let all = lines.iter().enumerate().flat_map(|(at, line)| related(line).iter().map(move |one| (at, one)));
        for (at, one) in all {
            // The index depends on the messages known at that time.
            let several = lines[..at].iter().filter(|line| line["frame"] == one["frame"]).count() > 1;
            assert_eq!(one.get("index").is_some(), several, "{file}: {one}");
            with[several as usize] += 1;
        }
    }
    assert!(with[0] > 0 && with[1] > 0, "{with:?}");
}

#[test]
fn conditions_joined_by_and_are_about_one_relation() {
    let file = "riptide/riptide20-lossy.pcap";
    let all = decode(file, None);
    let after = |one: &Json| one["after_ms"].as_f64().unwrap_or(-1.0);
    let is = |one: &Json, kind: &str| one["kind"] == kind;
    type Condition = fn(&[Json], &dyn Fn(&Json) -> f64) -> bool;
    let cases: [(&str, Condition); 7] = [
        ("related", |list, _| !list.is_empty()),
        ("related.kind == acknowledges and related.after_ms > 60", |list, after| {
            list.iter().any(|one| one["kind"] == "acknowledges" && after(one) > 60.0)
        }),
        ("(related.after_ms < 10) and message == ack and related.after_ms > 5", |list, after| {
            list.iter().any(|one| after(one) > 5.0 && after(one) < 10.0)
        }),
        ("related.after_ms in {4.294, 49.669}", |list, after| {
            list.iter().any(|one| [4.294, 49.669].contains(&after(one)))
        }),
        ("not related.kind == copy_of", |list, _| !list.iter().any(|one| one["kind"] == "copy_of")),
        ("related.kind != copy_of", |list, _| !list.is_empty() && !list.iter().any(|one| one["kind"] == "copy_of")),
        ("related.frame == 2 or related.kind ~ \"^copy\"", |list, _| {
            list.iter().any(|one| one["frame"] == 2 || one["kind"] == "copy_of")
        }),
    ];
    for (filter, condition) in cases {
        let ack = |line: &Json| !filter.contains("message == ack") || line["message"] == "ack";
        let want: Vec<&Json> = all.iter().filter(|line| ack(line) && condition(related(line), &after)).collect();
        assert!(!want.is_empty() && want.len() < all.len(), "{filter}");
        assert_eq!(decode(file, Some(filter)).iter().collect::<Vec<_>>(), want, "{filter}");
    }
    // Two relations, one for each condition: both conditions hold, but not for a single relation.
    let mixed = |line: &&Json| {
        let list = related(line);
        list.iter().any(|one| is(one, "acknowledges") && after(one) > 50.0) && list.iter().any(|one| after(one) < 50.0)
    };
    assert!(all.iter().any(|line| mixed(&line)), "no such message: the test shows nothing");
    assert!(decode(file, Some("related.after_ms > 60 and related.after_ms < 5")).is_empty());
}

#[test]
fn wrong_names_and_values_are_refused() {
    let options = netkit::protocols::options();
    let names = Names::new(&options);
    let why = |text: &str| Filter::parse(text, &names).unwrap_err().what;
    assert!(why("related.kind == answer").contains("did you mean"), "{}", why("related.kind == answer"));
    assert!(why("related.after > 5").contains("related.after_ms"), "{}", why("related.after > 5"));
    assert!(why("related.frame == x").contains("expected a number"));
    assert!(why("related == 5").contains("related.kind"));
    assert!(why("related ~ \"x\"").contains("related.kind"));
    for text in ["related.frame contains 5", "related.after_ms ~ \"^5\""] {
        assert!(why(text).contains("is a number: compare it"), "{text}: {}", why(text));
    }
    // The caret marks 13 characters, which have 15 bytes.
    let done = feed(netkit(&["stats", "--track", "route == \"öö\""]).arg(fixture(FILES[0])), b"");
    assert_eq!((done.status, done.err.matches('^').count()), (Some(2), 13), "{}", done.err);
    let later = |text: &str| Filter::parse(text, &names).unwrap().later();
    assert_eq!(later("frame > 1 and not has unanswered"), Some("unanswered"));
    assert_eq!(later("has never_acked or fault"), Some("never_acked"));
    assert_eq!(later("related.kind in {answers, acked_by}"), Some("acked_by"));
    assert_eq!(later("related.kind ~ \"^acked\""), Some("acked_by"));
    assert_eq!(later("related.kind contains \"answered\""), Some("answered_by"));
    assert_eq!(later("related.kind == answers"), None);
}

/// A line with relations encodes to its bytes, and bytes without frames have no relations.
#[test]
fn encode_takes_them_and_dump_has_none() {
    let lines = decode_with("nano/pomelo-ws.pcap", Some("related"), &["-q", "--bytes"]);
    let line = lines.first().unwrap();
    let back = super::feed(&mut super::netkit(&["encode", "--json", "-"]), line.to_string().as_bytes()).ok();
    assert!(back.text().contains(line["bytes"].as_str().unwrap()), "{}", back.text());
    let text = lines.iter().map(|line| line["bytes"].as_str().unwrap()).collect::<Vec<_>>().join("\n\n");
    let dumped = super::feed(&mut super::netkit(&["dump", "-q", "-p", "nano", "-f", "ndjson"]), text.as_bytes());
    assert!(dumped.lines().iter().all(|line| line.get("related").is_none()), "{}", json!(dumped.lines()));
}

/// A clock that is set back between two messages: the time between them is negative, in lines, in the note and for
/// filters.
#[test]
fn a_clock_that_is_set_back() {
    let file = "riptide/riptide22-udp.pcap";
    let lines = decode(file, None);
    let (line, one) = lines
        .iter()
        .find_map(|line| Some((line, related(line).iter().find(|one| one.get("after_ms").is_some())?)))
        .expect("a relation with a time");
    let (late, early) = (line["frame"].as_u64().unwrap(), one["frame"].as_u64().unwrap());
    // The time of the earlier frame minus 2.5 ms, written into the record of the later one.
    let mut capture = std::fs::read(fixture(file)).unwrap();
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!(word(&capture, 0), 0xa1b2_c3d4, "microseconds, in little endian");
    let mut places = vec![24];
    while let Some(at) = places.last().copied().filter(|at| *at < capture.len()) {
        places.push(at + 16 + word(&capture, at + 8) as usize);
    }
    let [late, early] = [late, early].map(|frame| places[frame as usize - 1]);
    let micros = u64::from(word(&capture, early)) * 1_000_000 + u64::from(word(&capture, early + 4)) - 2_500;
    capture[late..late + 4].copy_from_slice(&((micros / 1_000_000) as u32).to_le_bytes());
    capture[late + 4..late + 8].copy_from_slice(&((micros % 1_000_000) as u32).to_le_bytes());
    let scratch = Scratch::new("related-back");
    let back = scratch.write("back.pcap", capture);
    let decode = |filter: &[&str]| {
        let args = [&["decode", &back, "-p", "riptide", "-f", "ndjson", "-q"], filter].concat();
        feed(&mut netkit(&args), b"").ok().lines()
    };
    let all = decode(&[]);
    let after = |line: &Json| related(line).iter().filter_map(|one| one["after_ms"].as_f64()).fold(0.0, f64::min);
    let negative: Vec<_> = all.iter().filter(|line| after(line) < 0.0).collect();
    assert!(negative.iter().any(|line| after(line) == -2.5), "{negative:?}");
    assert_eq!(decode(&["-F", "related.after_ms < 0"]).iter().collect::<Vec<_>>(), negative);
}
