//! Relations and delivery by `[numbers]` and `[requests]`, compared with the fields themselves.

use crate::common::{Scratch, Wire, fixture};
use crate::described::cases::{lines, pcap, toml};
use crate::described::run;
use netkit::capture::{Capture, LinkType, PcapWriter, Time};
use serde_json::{Value as Json, json};
use std::collections::HashMap;

fn reported(args: &[&str]) -> Vec<Json> {
    let done = run(args);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    lines(&String::from_utf8(done.stdout).unwrap())
}

/// A line's place in references: its frame, and its index among that frame's lines.
fn place(line: &Json) -> (u64, u64) {
    (line["frame"].as_u64().unwrap(), line["part"][0].as_u64().unwrap_or(1))
}

/// The messages to which a line has a relation of this kind.
fn related(line: &Json, kind: &str) -> Vec<(u64, u64)> {
    let all = line["related"].as_array().into_iter().flatten().filter(|one| one["kind"] == kind);
    all.map(|one| (one["frame"].as_u64().unwrap(), one["index"].as_u64().unwrap_or(1))).collect()
}

#[test]
fn copies_and_acknowledgements_are_related_as_their_numbers_say() {
    // Copies and first acknowledgements of both sides, as in *.delivery.json.
    for (case, copies, acknowledged) in [("enet", 0, 23 + 15), ("enet-loss", 5 + 2, 23 + 15)] {
        let reported = reported(&["decode", &pcap(case), "-p", &toml("enet"), "-f", "ndjson", "--link"]);
        let mut first: HashMap<(String, u64, u64), (u64, u64)> = HashMap::new();
        let mut by: HashMap<(u64, u64), (u64, u64)> = HashMap::new();
        let (mut copied, mut acked) = (0, 0);
        for line in &reported {
            let (packet, from) = (&line["packet"], line["from"].as_str().unwrap().to_owned());
            let channel = packet["channel_id"].as_u64().unwrap();
            let mut wanted = None;
            if packet["acknowledge"] == true {
                let number = packet["reliable_sequence_number"].as_u64().unwrap();
                match first.get(&(from.clone(), channel, number)) {
                    Some(one) => wanted = Some(*one),
                    None => _ = first.insert((from.clone(), channel, number), place(line)),
                }
            }
            copied += wanted.is_some() as u64;
            assert_eq!(related(line, "copy_of"), Vec::from_iter(wanted), "{case}: {line}");
            let mut wanted = None;
            if line["message"] == "acknowledge" {
                let number = line["fields"]["received_reliable_sequence_number"].as_u64().unwrap();
                let other = if from == "client" { "server" } else { "client" };
                wanted = first.get(&(other.into(), channel, number)).filter(|one| !by.contains_key(one)).copied();
                wanted.into_iter().for_each(|one| _ = by.insert(one, place(line)));
            }
            acked += wanted.is_some() as u64;
            assert_eq!(related(line, "acknowledges"), Vec::from_iter(wanted), "{case}: {line}");
        }
        assert_eq!((copied, acked), (copies, acknowledged), "{case}");
        for line in &reported {
            let wanted = by.get(&place(line)).copied();
            assert_eq!(related(line, "acked_by"), Vec::from_iter(wanted), "{case}: {line}");
        }
    }
}

#[test]
fn wholes_are_related_to_their_parts() {
    for (case, file) in [("enet", "enet"), ("kcp", "kcp"), ("luanti", "luanti"), ("a2s", "a2s")] {
        let reported = reported(&["decode", &pcap(case), "-p", &toml(file), "-f", "ndjson", "--link"]);
        let mut wholes = 0;
        for line in reported.iter().filter(|line| line["derived"].get("joined").is_some()) {
            let frames = line["derived"]["joined"]["frames"].as_array().unwrap();
            let own = line["frame"].as_u64().unwrap();
            let mut from: Vec<u64> = related(line, "joined_from").iter().map(|(frame, _)| *frame).collect();
            from.push(own);
            from.sort_unstable();
            from.dedup();
            assert_eq!(&json!(from), &line["derived"]["joined"]["frames"], "{case}: {line}");
            wholes += 1;
            for part in reported.iter().filter(|part| related(part, "fragment_of").contains(&place(line))) {
                assert!(frames.contains(&part["frame"]), "{case}: {part}");
            }
            assert_eq!(
                reported.iter().filter(|part| related(part, "fragment_of").contains(&place(line))).count(),
                related(line, "joined_from").len(),
                "{case}: {line}"
            );
        }
        assert!(wholes > 0, "{case}");
    }
}

#[test]
fn answers_name_their_questions() {
    let reported = reported(&["decode", &pcap("a2s"), "-p", &toml("a2s"), "-f", "ndjson", "--link"]);
    let questions = reported.iter().filter(|line| line["from"] == "client");
    for question in questions {
        let by = related(question, "answered_by");
        let answer = reported.iter().find(|line| Some(&place(line)) == by.first()).expect("an answer");
        assert_eq!(related(answer, "answers"), [place(question)]);
        assert!(answer["message"] != "info_request" && answer["from"] == "server");
    }
    let stats = run(&["stats", &pcap("a2s"), "-p", &toml("a2s"), "--unanswered", "-F", "message == rules_request"]);
    assert!(String::from_utf8_lossy(&stats.stdout).contains("none"));
}

/// Copies of a message get a new number: `seq` counts datagrams, `id` the messages in them.
const RENUMBERED: &str = r#"
protocol = "renumbered"
encoding = "be"
[udp]
ports = [7001]
[packet.fields]
kind    = { type = "u8", hidden = true }
message = { type = "message", by = "kind" }
[numbers.all]
number     = "data.seq"
resent_as  = "item.id"
ack_ranges = { field = "acks", from = "first", to = "last" }
nack       = { field = "lacks", from = "first", to = "last" }
[struct.range]
first = "u8"
last  = "u8"
[[message]]
id = 1
name = "data"
[message.fields]
seq   = "u8"
items = "item[*]"
[struct.item]
message = { type = "message", by = "u8", hidden_id = true }
[[message]]
message = "data"
id = 7
name = "item"
[message.fields]
id   = "u16"
text = "string8"
[[message]]
id = 2
name = "ack"
[message.fields]
acks = "range[*]"
[[message]]
id = 3
name = "nak"
[message.fields]
lacks = "range[*]"
"#;

#[test]
fn copies_under_new_numbers_are_known_by_their_own() {
    let folder = Scratch::new("described-renumbered");
    // A carrier's field is part of the headers of its messages: either name refers to it.
    for name in ["data.seq", "packet.seq"] {
        renumbered(&folder, &RENUMBERED.replace("data.seq", name));
    }
}

fn renumbered(folder: &Scratch, text: &str) {
    let file = folder.write("renumbered.toml", text);
    let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:7001".parse().unwrap()];
    let item = |id: u16, text: &str| [&[7][..], &id.to_be_bytes(), &[text.len() as u8], text.as_bytes()].concat();
    let mut wire = Wire::default();
    let data = |seq: u8, items: &[Vec<u8>]| [vec![1, seq], items.concat()].concat();
    wire.datagram(ends, true, &data(254, &[item(1, "a"), item(2, "b")]));
    wire.datagram(ends, true, &data(255, &[item(3, "c")]));
    // The numbers wrap around; 0 is lost before the capture.
    wire.datagram(ends, true, &data(1, &[item(5, "e")]));
    wire.datagram(ends, false, &[3, 254, 254]);
    // The messages of 254 are sent again in two datagrams, with a new one.
    wire.datagram(ends, true, &data(2, &[item(1, "a"), item(6, "f")]));
    wire.datagram(ends, true, &data(3, &[item(2, "b")]));
    wire.datagram(ends, false, &[2, 255, 2]);
    // 254 arrived after all; 3 is never acknowledged.
    wire.datagram(ends, false, &[2, 254, 254]);
    let capture = folder.write("renumbered.pcap", wire.file());
    let reported = reported(&["decode", &capture, "-p", &file, "-f", "ndjson", "--link"]);
    let at = |frame: u64, part: u64| reported.iter().find(|line| place(line) == (frame, part)).expect("the line");
    assert_eq!(reported.len(), 10);
    assert_eq!(related(at(5, 1), "copy_of"), [(1, 1)]);
    assert_eq!(related(at(6, 1), "copy_of"), [(1, 2)]);
    assert!(at(5, 2).get("related").is_none_or(|_| related(at(5, 2), "copy_of").is_empty()));
    let note = |line: &Json, code: &str| {
        let notes = line["notes"].as_array().into_iter().flatten();
        notes.filter(|note| note["code"] == code).map(|note| note["text"].as_str().unwrap().to_owned()).next()
    };
    assert_eq!(note(at(3, 1), "renumbered.gap").as_deref(), Some("1 message missing before it: 0"));
    assert_eq!(note(at(4, 1), "renumbered.nack").as_deref(), Some("the other side lacks 1 message"));
    // 255 had one message, 1 another, and 2 a copy of the first with a new one; 0 was never seen.
    assert_eq!(related(at(7, 1), "acknowledges"), [(2, 1), (3, 1), (1, 1), (5, 2)]);
    assert!(note(at(7, 1), "renumbered.acked_unseen").unwrap().starts_with("acknowledges 0, not seen"));
    // The first message of 254 was acknowledged with its copy.
    assert_eq!(related(at(8, 1), "acknowledges"), [(1, 2)]);
    assert_eq!(related(at(1, 2), "acked_by"), [(8, 1)]);
    let stats = run(&["stats", &capture, "-p", &file, "-f", "json"]);
    let stats: Json = serde_json::from_slice(&stats.stdout).unwrap();
    let client = stats["delivery"].as_array().unwrap().iter().find(|row| row["from"] == "client").unwrap();
    for (name, want) in [
        ("messages", 5),
        ("sent", 7),
        ("resent", 2),
        ("duplicates", 0),
        ("never_acked", 0),
        ("gaps", 1),
        ("missing", 1),
    ] {
        assert_eq!(client[name], want, "{name}: {client}");
    }
}

/// Acknowledgements of everything below a number, of single numbers, and bits for the numbers before one, with one
/// number space for each channel.
const CHANNELS: &str = r#"
protocol = "lanes"
encoding = "be"
[udp]
ports = [7001]
[packet.fields]
kind    = { type = "u8", hidden = true }
lane    = "u8"
message = { type = "message", by = "kind" }
[numbers.lanes]
number    = "data.seq"
per       = ["lane"]
ack       = "ack.last"
ack_bits  = "ack.bits"
ack_below = "next.seq"
[requests.times]
asks    = "ask"
answers = "answer"
by      = { ask = "what", answer = "about" }
[[message]]
id = 1
name = "data"
[message.fields]
seq = "u16"
[[message]]
id = 2
name = "ack"
[message.fields]
last = "u16"
bits = "u8"
[[message]]
id = 3
name = "next"
[message.fields]
seq = "u16"
[[message]]
id = 4
name = "ask"
[message.fields]
what = "string8"
[[message]]
id = 5
name = "answer"
[message.fields]
about = "string8"
"#;

#[test]
fn each_space_has_numbers_of_its_own() {
    let folder = Scratch::new("described-lanes");
    let file = folder.write("lanes.toml", CHANNELS);
    let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:7001".parse().unwrap()];
    let mut wire = Wire::default();
    for seq in 0..4 {
        wire.datagram(ends, true, &[1, 0, 0, seq]);
    }
    wire.datagram(ends, true, &[1, 9, 0, 2]);
    // 3, and of the numbers before it 2 - 1 = 1.
    wire.datagram(ends, false, &[2, 0, 0, 3, 0b10]);
    // All below 3: 0 and 2.
    wire.datagram(ends, false, &[3, 0, 0, 3]);
    wire.datagram(ends, false, &[3, 0, 0, 3]);
    wire.at(9_000_000).datagram(ends, true, &[4, 0, 2, b'h', b'p']);
    wire.at(9_000_500).datagram(ends, true, &[4, 0, 2, b'h', b'p']);
    wire.datagram(ends, true, &[4, 0, 2, b'x', b'y']);
    wire.datagram(ends, false, &[5, 0, 2, b'h', b'p']);
    let capture = folder.write("lanes.pcap", wire.file());
    let reported = reported(&["decode", &capture, "-p", &file, "-f", "ndjson"]);
    let of = |frame: usize, kind: &str| related(&reported[frame - 1], kind).iter().map(|(f, _)| *f).collect::<Vec<_>>();
    assert_eq!(of(6, "acknowledges"), [2, 4]);
    assert_eq!(of(7, "acknowledges"), [1, 3]);
    assert_eq!(of(8, "acknowledges"), [0; 0]);
    assert_eq!(of(10, "copy_of"), [9]);
    assert_eq!(of(12, "answers"), [9]);
    let waits = |option: &str| {
        let done = run(&["stats", &capture, "-p", &file, option, "-f", "json"]);
        let stats: Json = serde_json::from_slice(&done.stdout).unwrap();
        let key = option.trim_start_matches("--").replace('-', "_");
        stats[key].as_array().unwrap_or_else(|| panic!("{stats}")).iter().map(|row| row["frame"].clone()).collect()
    };
    let unanswered: Vec<Json> = waits("--unanswered");
    assert_eq!(unanswered, [json!(11)]);
    let never_acked: Vec<Json> = waits("--never-acked");
    assert_eq!(never_acked, [json!(5)], "lane 9 has a 2 of its own");
}

/// A number that comes late is below the first one of its own space: it fills no gap of another one.
#[test]
fn late_numbers_fill_no_gap_of_another_space() {
    let folder = Scratch::new("described-late-lanes");
    let file = folder.write("lanes.toml", CHANNELS);
    let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:7001".parse().unwrap()];
    let mut wire = Wire::default();
    // Lane 0 lacks 6. Lane 9 begins with 105, so that its 104 was never missing.
    for [lane, seq] in [[0, 5], [0, 7], [9, 105], [9, 104]] {
        wire.datagram(ends, true, &[1, lane, 0, seq]);
    }
    let client = delivery_of_client(&folder.write("lanes.pcap", wire.file()), &file);
    let figures = ["messages", "missing", "late", "lost"].map(|key| client[key].as_u64());
    assert_eq!(figures, [4, 1, 1, 1].map(Some), "{client}");
}

/// Messages of which some are acknowledged, and others are numbered only.
const SOME_ACKED: &str = r#"
protocol = "firm"
encoding = "be"
[udp]
ports = [7001]
[packet.fields]
message = { type = "message", by = "u8" }
[numbers.loose]
number = "loose.seq"
[numbers.firm]
number = "firm.id"
ack    = "ack.id"
[[message]]
id = 1
name = "loose"
fields = { seq = "u16" }
[[message]]
id = 2
name = "firm"
fields = { id = "u16" }
[[message]]
id = 3
name = "ack"
fields = { id = "u16" }
"#;

#[test]
fn only_what_the_protocol_acknowledges_is_listed_as_never_acked() {
    let folder = Scratch::new("described-some-acked");
    let file = folder.write("firm.toml", SOME_ACKED);
    let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:7001".parse().unwrap()];
    let mut wire = Wire::default();
    for bytes in [[1, 0, 1], [1, 0, 2], [2, 0, 7], [2, 0, 8]] {
        wire.datagram(ends, true, &bytes);
    }
    wire.datagram(ends, false, &[3, 0, 7]);
    let capture = folder.write("firm.pcap", wire.file());
    let done = run(&["stats", &capture, "-p", &file, "-f", "json", "--delivery"]);
    let stats: Json = serde_json::from_slice(&done.stdout).unwrap();
    let client = stats["delivery"].as_array().unwrap().iter().find(|row| row["from"] == "client").unwrap();
    assert_eq!((&client["messages"], &client["never_acked"]), (&json!(4), &json!(1)), "{client}");
    assert_eq!(stats["connections"][0]["from"]["client"]["never_acked"], json!([8]), "{stats}");
}

/// The figures of delivery of the client's messages.
fn delivery_of_client(capture: &str, file: &str) -> Json {
    let done = run(&["stats", capture, "-p", file, "-f", "json"]);
    let stats: Json = serde_json::from_slice(&done.stdout).unwrap();
    stats["delivery"].as_array().unwrap().iter().find(|row| row["from"] == "client").unwrap().clone()
}

#[test]
fn bits_of_a_signed_number_are_as_many_as_it_has() {
    let folder = Scratch::new("described-signed-bits");
    let file = folder.write("lanes.toml", CHANNELS.replace("bits = \"u8\"", "bits = \"i32\""));
    let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:7001".parse().unwrap()];
    let mut wire = Wire::default();
    (0..=40).for_each(|seq| wire.datagram(ends, true, &[1, 0, 0, seq]));
    // 40, and the 32 before it: not 0 to 7.
    wire.datagram(ends, false, &[2, 0, 0, 40, 0xff, 0xff, 0xff, 0xff]);
    let client = delivery_of_client(&folder.write("lanes.pcap", wire.file()), &file);
    assert_eq!((&client["messages"], &client["never_acked"]), (&json!(41), &json!(8)), "{client}");
}

/// Of ranges with more numbers than are taken (4,096), the newest ones are acknowledged, in any order of the ranges.
#[test]
fn long_ranges_acknowledge_their_newest_numbers() {
    let folder = Scratch::new("described-long-ranges");
    let text = "protocol = \"ranges\"\nencoding = \"be\"\n[udp]\nports = [7001]\n[packet.fields]\n\
        message = { type = \"message\", by = \"u8\" }\n[struct.range]\nfirst = \"u16\"\nlast = \"u16\"\n\
        [numbers.all]\nnumber = \"data.seq\"\nack_ranges = { field = \"acks\", from = \"first\", to = \"last\" }\n\
        [[message]]\nid = 1\nname = \"data\"\nfields = { seq = \"u16\" }\n\
        [[message]]\nid = 2\nname = \"ack\"\nfields = { acks = \"range[*]\" }\n";
    let file = folder.write("ranges.toml", text);
    let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:7001".parse().unwrap()];
    let mut wire = Wire::default();
    for seq in 5000..5004u16 {
        wire.datagram(ends, true, &[&[1][..], &seq.to_be_bytes()].concat());
    }
    let sent = wire.file();
    // 5001 is in none of several ranges.
    for (ranges, open) in [
        (&[[0u16, 5003]][..], 0),
        (&[[0, 99], [101, 5000], [5002, 5003]], 1),
        (&[[5002, 5003], [101, 5000], [0, 99]], 1),
    ] {
        let acks: Vec<u8> = ranges.iter().flatten().flat_map(|n| n.to_be_bytes()).collect();
        let mut answer = Wire::default();
        answer.at(4_000_000).datagram(ends, false, &[&[2][..], &acks].concat());
        let capture = [&sent[..], &answer.file()[24..]].concat();
        let client = delivery_of_client(&folder.write("ranges.pcap", capture), &file);
        assert_eq!((&client["messages"], &client["never_acked"]), (&json!(4), &json!(open)), "{ranges:?}: {client}");
    }
}

/// Everything that counts is before the payload; a condition and a key are after the number.
const SNAPPED: &str = r#"
protocol = "snapped"
encoding = "be"
[udp]
ports = [7001]
[packet.fields]
kind    = { type = "u8", hidden = true }
message = { type = "message", by = "kind" }
[numbers.all]
number   = "data.seq"
if       = "not loose"
per      = ["lane"]
ack      = "last"
ack_bits = "bits"
nack     = { field = "lacks", from = "first", to = "to" }
[requests.keyed]
asks    = "ask"
answers = "answer"
by      = "key"
[requests.ordered]
asks    = "query"
answers = "reply"
[struct.range]
first = "u16"
to    = "u16"
[[message]]
id = 1
name = "data"
[message.fields]
seq   = "u16"
lane  = "u8"
loose = "u8"
text  = "bytes"
[[message]]
id = 2
name = "ack"
[message.fields]
last  = "u16"
lane  = "u8"
bits  = "u8"
lacks = "range[*]"
[[message]]
id = 3
name = "ask"
from = "client"
[message.fields]
key  = "u32"
text = "bytes"
[[message]]
id = 5
name = "answer"
from = "server"
[message.fields]
key  = "u32"
text = "bytes"
[[message]]
id = 6
name = "query"
from = "client"
[message.fields]
text = "cstring"
[[message]]
id = 7
name = "reply"
from = "server"
[message.fields]
text = "cstring"
"#;

/// The bytes of a frame before the payload of UDP, and before what follows `loose`, `bits` and `key`.
const HEADERS: usize = 14 + 20 + 8;
const COUNTED: usize = HEADERS + 5;

#[test]
fn messages_that_the_capture_cut_count_as_far_as_they_are_there() {
    let folder = Scratch::new("described-snapped");
    let file = folder.write("snapped.toml", SNAPPED);
    let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:7001".parse().unwrap()];
    let mut wire = Wire::default();
    let mut send = |by_client: bool, start: &[u8], length: usize| {
        wire.datagram(ends, by_client, &[start, &vec![b'x'; length], b"\0"].concat());
    };
    for seq in 0..30u8 {
        // Every third is long. 7 is lost before the capture, and 9 is sent twice.
        let length = if seq.is_multiple_of(3) { 90 } else { 3 };
        for _ in 0..u8::from(seq != 7) + u8::from(seq == 9) {
            send(true, &[1, 0, seq, 4, 0], length);
        }
        if seq % 4 == 3 {
            send(false, &[2, 0, seq, 4, 0b111, 0, 1, 0, 2, 0], 2);
        }
        send(true, &[3, 0, 0, 0, seq], length);
        send(false, &[5, 0, 0, 0, seq], length);
        send(true, &[6], length);
        send(false, &[7], length);
    }
    let counted = |snap: usize| {
        let capture = folder.write(&format!("{snap}.pcap"), wire.cut(snap));
        let done = run(&["stats", &capture, "-p", &file, "-f", "json"]);
        let stats: Json = serde_json::from_slice(&done.stdout).unwrap();
        let reported = reported(&["decode", &capture, "-p", &file, "-f", "ndjson", "--link"]);
        let faults = reported.iter().filter(|line| line.get("fault").is_some()).count();
        let related = reported.iter().map(|line| line["related"].clone()).collect::<Vec<_>>();
        let noted = |code: &str| {
            let of = |line: &&Json| line["notes"].as_array().into_iter().flatten().any(|note| note["code"] == code);
            reported.iter().filter(of).count()
        };
        let noted = ["snapped.gap", "snapped.acked_unseen", "snapped.nack"].map(noted);
        (stats["delivery"].clone(), stats["request"].clone(), related, noted, faults)
    };
    let whole = counted(usize::MAX);
    let client = whole.0.as_array().unwrap().iter().find(|row| row["from"] == "client").unwrap();
    for (name, want) in [("messages", 29), ("sent", 30), ("resent", 1), ("missing", 1), ("never_acked", 2)] {
        assert_eq!(client[name], want, "{name}: {client}");
    }
    let requests = whole.1.as_array().unwrap().iter().find(|row| row["from"] == "client").unwrap();
    assert_eq!((&requests["requests"], &requests["responses"]), (&json!(60), &json!(60)));
    assert_eq!((whole.3, whole.4), ([1, 1, 7], 0));
    for snap in COUNTED..COUNTED + 60 {
        let cut = counted(snap);
        assert!(cut.4 >= 39, "{snap}: {}", cut.4);
        assert_eq!((&cut.0, &cut.1, &cut.2), (&whole.0, &whole.1, &whole.2), "{snap}");
        assert_eq!(cut.3[..2], whole.3[..2], "{snap}");
        // How much the other side lacks is known of whole lists alone.
        let nacks = if snap < HEADERS + 13 { 0 } else { 7 };
        assert_eq!(cut.3[2], nacks, "{snap}");
    }
    // Numbers whose condition or key is not there count in no space, and neither do their acknowledgements.
    for snap in HEADERS + 1..COUNTED {
        let cut = counted(snap);
        let numbered = cut.0.as_array().into_iter().flatten().filter(|row| row["messages"] != 0).count();
        assert_eq!((numbered, cut.3), (0, [0; 3]), "{snap}: {}", cut.0);
    }
}

/// Packets without messages, whose number is in a group.
const QUERIES: &str = r#"
protocol = "queries"
encoding = "be"
[udp]
ports = [7001]
[packet.fields]
head = "head"
more = { type = "extra", size = "u8" }
text = "text"
[struct.head]
kind = "u8"
id   = "id"
[struct.id]
number = "u16"
epoch  = "u8"
[struct.extra]
number = "u16"
[requests.all]
asks    = "packet"
answers = "packet"
by      = "packet.head.id.number"
"#;

#[test]
fn requests_are_matched_by_a_field_of_a_group() {
    let folder = Scratch::new("described-groups");
    let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:7001".parse().unwrap()];
    let packet = |number: u8, more: u8| [1, 0, number, 9, 2, 0, more, b'x'];
    let mut wire = Wire::default();
    wire.datagram(ends, true, &packet(5, 1));
    wire.datagram(ends, true, &packet(6, 2));
    wire.datagram(ends, false, &packet(6, 1));
    wire.datagram(ends, false, &packet(5, 2));
    wire.datagram(ends, true, &packet(6, 2));
    let capture = folder.write("groups.pcap", wire.file());
    let by = |name: &str| {
        let file = folder.write("groups.toml", QUERIES.replace("packet.head.id.number", name));
        let reported = reported(&["decode", &capture, "-p", &file, "-f", "ndjson"]);
        reported.iter().map(|line| related(line, "answers")).collect::<Vec<_>>()
    };
    let (none, first, second) = (vec![], vec![(1, 1)], vec![(2, 1)]);
    for name in ["packet.head.id.number", "head.id.number", "id.number"] {
        assert_eq!(by(name), [none.clone(), none.clone(), second.clone(), first.clone(), none.clone()], "{name}");
    }
    assert_eq!(by("more.number"), [none.clone(), none.clone(), first, second, none], "another field of that name");
    for (name, why) in [
        ("packet.head.id.numbr", "packet.head.id.numbr: id has no field \"numbr\", did you mean \"number\"?"),
        ("packet.head.number", "head has no field \"number\""),
        ("packet.heat.id", "packet.heat.id: packet has no such field, did you mean \"head\"?"),
        ("heads.id.number", "no message \"heads\" has fields"),
        ("id.epohc", "id has no field \"epohc\", did you mean \"epoch\"?"),
    ] {
        let file = folder.write("groups.toml", QUERIES.replace("packet.head.id.number", name));
        let done = run(&["check", &file]);
        let reported = [done.stderr, done.stdout].concat();
        let reported = String::from_utf8_lossy(&reported);
        assert!(reported.contains("line 21: requests.all: by: ") && reported.contains(why), "{reported}");
    }
}

/// Two rules that match in order, and a request that may be resent under its number.
const IN_ORDER: &str = r#"
protocol = "ordered"
encoding = "be"
[udp]
ports = [7001]
[tcp]
ports = [7001]
frame = { length = "u8" }
[packet.fields]
message = { type = "message", by = "u8", hidden_id = true }
[numbers.all]
number = "seq"
ack    = "ack"
[requests.infos]
asks    = ["info", "join"]
answers = "about"
[requests.rules]
asks    = "rules"
answers = "ruled"
[[message]]
id = 1
name = "info"
from = "client"
[[message]]
id = 2
name = "about"
from = "server"
[[message]]
id = 3
name = "rules"
from = "client"
[[message]]
id = 4
name = "ruled"
from = "server"
[[message]]
id = 5
name = "join"
from = "client"
[message.fields]
seq = "u16"
[[message]]
id = 6
name = "joined"
from = "server"
[message.fields]
ack = "u16"
"#;

/// Requests without a key, in datagrams: a client asks at these times, and the server answers after a while in order,
/// but not the requests at these places.
#[test]
fn a_lost_response_shifts_no_later_one() {
    let folder = Scratch::new("described-order");
    let file = folder.write("ordered.toml", IN_ORDER);
    let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:7001".parse().unwrap()];
    let steps = |step: u64| (0..40).map(|n| n * step).collect::<Vec<u64>>();
    let bursts = (0..45).map(|n| n / 3 * 4000 + n % 3).collect::<Vec<u64>>();
    for (what, asked, after, lost) in [
        ("as many do", steps(5000), 30, &[3, 4, 20][..]),
        ("the first ones", steps(1000), 30, &[0, 1, 9]),
        ("once a second", (0..40).map(|n| n * 1000 + n % 7 * 9).collect(), 30, &[8, 20, 21]),
        ("twice a second", steps(500), 30, &[8, 20, 21]),
        ("a slow server", steps(500), 2010, &[]),
        ("a slow server that is waited for", steps(2500), 1500, &[9]),
        ("several at once", bursts, 30, &[5, 15, 16, 17]),
    ] {
        // The time, the kind of the message, and for a response the place of its request.
        let mut sent: Vec<(u64, u8, Option<usize>)> = Vec::new();
        for (k, at) in asked.iter().enumerate() {
            // Every eighth is of the other rule, whose requests are all answered.
            let (ask, answer) = if k % 8 == 7 { (3, 4) } else { (1, 2) };
            sent.push((*at, ask, None));
            if !lost.contains(&k) {
                sent.push((at + after, answer, Some(k)));
            }
        }
        sent.sort();
        let mut wire = Wire::default();
        let mut frames = HashMap::new();
        for (k, (at, kind, of)) in sent.iter().enumerate() {
            wire.at(*at).datagram(ends, of.is_none(), &[*kind]);
            if of.is_none() {
                frames.insert(frames.len(), k as u64 + 1);
            }
        }
        let capture = folder.write("ordered.pcap", wire.file());
        let reported = reported(&["decode", &capture, "-p", &file, "-f", "ndjson"]);
        for (line, (_, _, of)) in reported.iter().zip(&sent) {
            let wanted = Vec::from_iter(of.map(|k| (frames[&k], 1)));
            assert_eq!(related(line, "answers"), wanted, "{what}: {line}");
        }
        let stats = run(&["stats", &capture, "-p", &file, "--unanswered", "-f", "json"]);
        let stats: Json = serde_json::from_slice(&stats.stdout).unwrap();
        let unanswered: Vec<_> = stats["unanswered"].as_array().unwrap().iter().map(|row| &row["frame"]).collect();
        assert_eq!(unanswered, lost.iter().map(|k| &frames[k]).collect::<Vec<_>>(), "{what}");
    }
}

/// Keys of one and of four bytes; requests of the second kind may have a number.
const KEYED: &str = r#"
protocol = "keyed"
encoding = "be"
[udp]
ports = [7001]
[packet.fields]
message = { type = "message", by = "u8", hidden_id = true }
[numbers.all]
number = "get.seq"
if     = "get.seq > 0"
ack    = "ack"
[requests.counted]
asks    = "ask"
answers = "answer"
by      = "key"
[requests.tokens]
asks    = "get"
answers = "got"
by      = "token"
[[message]]
id = 1
name = "ask"
from = "client"
[message.fields]
key = "u8"
[[message]]
id = 2
name = "answer"
from = "server"
[message.fields]
key = "u8"
[[message]]
id = 3
name = "get"
from = "client"
[message.fields]
token = "u32"
seq   = "u16"
[[message]]
id = 4
name = "got"
from = "server"
[message.fields]
token = "u32"
[[message]]
id = 5
name = "ack"
from = "server"
[message.fields]
ack = "u16"
"#;

/// Each case is a list of the times at which a request is sent, and of its response; several transmissions of one are
/// the same request.
#[test]
fn keys_that_return_are_new_requests_and_resent_ones_are_not() {
    type Asked = (Vec<u64>, Option<u64>, [Vec<u8>; 2]);
    let counted = |key: usize| [vec![1, key as u8], vec![2, key as u8]];
    let got = |token: u32, seq: u8| {
        let token = token.to_be_bytes();
        [[&[3][..], &token, &[0, seq]].concat(), [&[4][..], &token].concat()]
    };
    let once = |at: u64, lost: bool, bytes| -> Asked { (vec![at], (!lost).then_some(at + 20), bytes) };
    let constant = |step: u64| -> Vec<Asked> { (0..20).map(|n| once(n * step, n == 3, got(7, 0))).collect() };
    let rounds = |step: u64| -> Vec<Asked> {
        (0..600).map(|n| once(n * step, n == 5 || n == 400, counted(n as usize))).collect()
    };
    // Others are asked and answered in between.
    let others = |step: u64, count: u64| -> Vec<Asked> {
        (0..count).map(|n| once(n * step + 1, false, got(1000 + n as u32, 0))).collect()
    };
    let backs_off = vec![50, 550, 1550, 3550, 7550, 15_550, 31_550];
    let with = |more: Asked, mut all: Vec<Asked>| {
        all.push(more);
        all
    };
    for (what, asked) in [
        ("one token for all", constant(10_000)),
        ("one token for all, faster", constant(2000)),
        ("one token for all, numbered and resent", {
            let numbered = |n: u64| -> Asked {
                let times = if n == 3 { vec![n * 5000, n * 5000 + 2000] } else { vec![n * 5000] };
                (times.clone(), Some(times[times.len() - 1] + 20), got(7, n as u8 + 1))
            };
            (0..20).map(numbered).collect()
        }),
        ("keys of a byte", rounds(100)),
        ("keys of a byte, faster", rounds(16)),
        ("keys of a byte, slower", rounds(3000)),
        ("a request that backs off", with((backs_off, Some(31_580), got(7, 0)), others(500, 80))),
        ("a request that is resent late", with((vec![50, 5050], Some(5070), counted(3)), others(100, 80))),
        ("a token that returns", {
            let again = once(60_050, false, got(7, 0));
            with(once(50, true, got(7, 0)), with(again, others(1000, 80)))
        }),
    ] {
        let folder = Scratch::new("described-keys");
        let file = folder.write("keyed.toml", KEYED);
        let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:7001".parse().unwrap()];
        // The time, the request, and the transmission of it; `usize::MAX`: its response.
        let mut sent: Vec<(u64, usize, usize)> = Vec::new();
        for (k, (times, answered, _)) in asked.iter().enumerate() {
            sent.extend(times.iter().enumerate().map(|(n, at)| (*at, k, n)));
            sent.extend(answered.map(|at| (at, k, usize::MAX)));
        }
        sent.sort();
        let mut wire = Wire::default();
        for (at, k, n) in &sent {
            let [request, response] = &asked[*k].2;
            let (by_client, bytes) = if *n == usize::MAX { (false, response) } else { (true, request) };
            wire.at(*at).datagram(ends, by_client, bytes);
        }
        let capture = folder.write("keyed.pcap", wire.file());
        let first = |k: usize| sent.iter().position(|one| (one.1, one.2) == (k, 0)).unwrap() as u64 + 1;
        let reported = reported(&["decode", &capture, "-p", &file, "-f", "ndjson"]);
        assert_eq!(reported.len(), sent.len());
        for (line, (_, k, n)) in reported.iter().zip(&sent) {
            let [answers, copies] = match *n {
                usize::MAX => [Some((first(*k), 1)), None],
                0 => [None, None],
                _ => [None, Some((first(*k), 1))],
            };
            assert_eq!(related(line, "answers"), Vec::from_iter(answers), "{what}: {line}");
            assert_eq!(related(line, "copy_of"), Vec::from_iter(copies), "{what}: {line}");
        }
        let stats = run(&["stats", &capture, "-p", &file, "-f", "json"]);
        let stats: Json = serde_json::from_slice(&stats.stdout).unwrap();
        let client = stats["request"].as_array().unwrap().iter().find(|row| row["from"] == "client").unwrap();
        let lost = asked.iter().filter(|one| one.1.is_none()).count();
        assert_eq!((&client["requests"], &client["unanswered"]), (&json!(asked.len()), &json!(lost)), "{what}");
    }
}

/// A capture twice, the second time two minutes later; the first time without the frames from this one on.
fn twice(case: &str, without: u64) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = PcapWriter::new(&mut file, LinkType::ETHERNET, 9).unwrap();
    for (last, later) in [(without, 0), (u64::MAX, 120)] {
        let bytes = std::fs::read(fixture(&format!("described/{case}.pcap"))).unwrap();
        let mut capture = Capture::open(Box::new(std::io::Cursor::new(bytes))).unwrap();
        while let Some(frame) = capture.next().unwrap().filter(|frame| frame.number < last) {
            assert_eq!(frame.link, LinkType::ETHERNET, "{case}");
            let time = Time { secs: frame.time.secs + later, ..frame.time };
            writer.record(time, frame.data, frame.length).unwrap();
        }
    }
    writer.flush().unwrap();
    file
}

/// The same conversation on the same ports again, with a goodbye before it and without one: `[session]` names the
/// message that opens it.
#[test]
fn another_session_begins_its_numbers_again() {
    for (case, closes) in [("enet", "disconnect"), ("luanti", "disco"), ("raknet", "disconnect")] {
        let decoded = |capture: &str| reported(&["decode", capture, "-p", &toml(case), "-f", "ndjson", "--link"]);
        let once = decoded(&pcap(case));
        let goodbye = once.iter().find(|line| line["message"] == closes).expect("a goodbye")["frame"].as_u64().unwrap();
        let all = once.last().unwrap()["frame"].as_u64().unwrap() + 1;
        let folder = Scratch::new("described-twice");
        for first in [all, goodbye] {
            let capture = folder.write("twice.pcap", twice(case, first));
            let second = decoded(&capture);
            let second: Vec<Json> = second.into_iter().filter(|line| line["frame"].as_u64() >= Some(first)).collect();
            assert_eq!(second.len(), once.len(), "{case}");
            for (again, line) in second.iter().zip(&once) {
                assert_eq!(place(again), (place(line).0 + first - 1, place(line).1), "{case}");
                for key in ["message", "packet", "fields", "notes"] {
                    // Notes name frames.
                    let codes = |line: &Json| {
                        let notes = line[key].as_array().into_iter().flatten();
                        notes.map(|note| note["code"].clone()).collect::<Vec<_>>()
                    };
                    assert_eq!(codes(again), codes(line), "{case}: {again}");
                    assert!(key == "notes" || again[key] == line[key], "{case}: {again}");
                }
                assert_eq!(
                    again["derived"].get("joined").is_some(),
                    line["derived"].get("joined").is_some(),
                    "{again}"
                );
                for kind in ["copy_of", "acknowledges", "acked_by", "answers", "joined_from"] {
                    let related_later =
                        related(line, kind).iter().map(|(f, k)| (f + first - 1, *k)).collect::<Vec<_>>();
                    assert_eq!(related(again, kind), related_later, "{case}: {again}");
                }
            }
            let done = run(&["stats", &capture, "-p", &toml(case), "-f", "json"]);
            let stats: Json = serde_json::from_slice(&done.stdout).unwrap();
            let of = |stats: &Json, connection: u64| {
                let rows = stats["delivery"].as_array().unwrap().iter();
                let rows = rows.filter(|row| row["connection"].as_u64().unwrap_or(1) == connection);
                rows.map(|row| ["messages", "sent", "resent", "duplicates"].map(|key| row[key].clone()))
                    .collect::<Vec<_>>()
            };
            let done = run(&["stats", &pcap(case), "-p", &toml(case), "-f", "json"]);
            let wanted = of(&serde_json::from_slice(&done.stdout).unwrap(), 1);
            assert!(wanted.len() == 2 && wanted == of(&stats, 2), "{case}: {}", stats["delivery"]);
            assert!(of(&stats, 1).iter().all(|[.., duplicates]| duplicates == 0), "{case}: {}", stats["delivery"]);
            let start = |k: usize| stats["end"][k]["start"].as_f64().unwrap();
            assert!(start(0) < 1.0 && start(1) >= 119.0, "{case}: {}", stats["end"]);
            // The goodbye ends its own session.
            let end = |k: usize| ["end", "end_reason"].map(|key| stats["end"][k][key].clone());
            let left = [json!("left"), json!(closes)];
            assert_eq!(end(1), left, "{case}");
            assert_eq!(end(0) == left, first == all, "{case}: {}", stats["end"]);
        }
    }
}

#[test]
fn a_stream_loses_no_response_and_a_resent_request_is_one() {
    let folder = Scratch::new("described-order-kept");
    let file = folder.write("ordered.toml", IN_ORDER);
    let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:7001".parse().unwrap()];
    let decoded = |wire: &Wire| {
        let capture = folder.write("ordered.pcap", wire.file());
        let reported = reported(&["decode", &capture, "-p", &file, "-f", "ndjson"]);
        let stats = run(&["stats", &capture, "-p", &file, "-f", "json"]);
        let stats: Json = serde_json::from_slice(&stats.stdout).unwrap();
        let client = stats["request"].as_array().unwrap().iter().find(|row| row["from"] == "client").unwrap();
        let answers = reported.iter().flat_map(|line| related(line, "answers")).map(|(frame, _)| frame);
        (answers.collect::<Vec<_>>(), client["requests"].clone())
    };
    // The frames of a stream are 1,000 s apart, the first two its handshake.
    let mut wire = Wire::default();
    let message = |by_client: bool| (by_client, vec![1, if by_client { 1 } else { 2 }]);
    wire.stream(ends, &[true, true, true, false, false, false].map(message));
    assert_eq!(decoded(&wire), (vec![3, 4, 5], json!(3)));
    let mut wire = Wire::default();
    for (at, by_client, bytes) in [
        (0, true, &[5, 0, 1][..]),
        (200, true, &[5, 0, 1]),
        (900, true, &[5, 0, 1]),
        (930, false, &[6, 0, 1]),
        (940, false, &[2]),
        (2000, true, &[1]),
        (2030, false, &[2]),
    ] {
        wire.at(at).datagram(ends, by_client, bytes);
    }
    assert_eq!(decoded(&wire), (vec![1, 6], json!(2)));
}

/// If a file declares no acknowledgement, arrival is unknown: no figure and no list calls a message never acknowledged.
#[test]
fn without_acknowledgements_nothing_is_never_acked() {
    let text = std::fs::read_to_string(toml("io")).unwrap();
    let scratch = Scratch::new("no-acks");
    let without = text.replace("ack    = \"snapshot.ack\"\n", "");
    assert_ne!(without, text);
    let bare = scratch.write("io.toml", without);
    let of = |file: &str, more: &[&str]| {
        let capture = pcap("io-tcp");
        let done = run(&[&["stats", "-q", "-f", "json", "-p", file, &capture], more].concat());
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
        serde_json::from_slice::<Json>(&done.stdout).unwrap()
    };
    for (file, known) in [(toml("io").as_str(), true), (bare.as_str(), false)] {
        let all = of(file, &["--delivery"]);
        let rows: Vec<&Json> = all["delivery"].as_array().unwrap().iter().collect();
        assert!(rows.iter().any(|row| row["messages"].as_u64() > Some(10)), "{rows:?}");
        assert!(rows.iter().all(|row| row["never_acked"].is_u64() == known), "{rows:?}");
        let listed = of(file, &["--latency"]);
        let waits = listed["latency"].as_array().unwrap().iter().filter(|row| row["waits_for"] == "ack").count();
        assert_eq!(waits > 0, known, "{listed}");
    }
}

/// The lines of a capture of datagrams, given as milliseconds, sender and hex, and the row of requests of each side.
fn asked(folder: &Scratch, port: u16, file: &str, datagrams: &[(u64, bool, &str)]) -> (Vec<Json>, Json) {
    let ends = ["127.0.0.1:40000".parse().unwrap(), format!("127.0.0.1:{port}").parse().unwrap()];
    let mut wire = Wire::default();
    for (at, by_client, hex) in datagrams {
        wire.at(*at).datagram(ends, *by_client, &hex::decode(hex).unwrap());
    }
    let capture = folder.write("asked.pcap", wire.file());
    let stats = run(&["stats", &capture, "-p", file, "-f", "json"]);
    let stats = serde_json::from_slice(&stats.stdout).unwrap();
    (reported(&["decode", &capture, "-p", file, "-f", "ndjson", "--link"]), stats)
}

/// The requests, responses and unmatched responses of a side.
fn requests_of(stats: &Json, side: &str) -> Option<[Json; 3]> {
    let row = stats["request"].as_array()?.iter().find(|row| row["from"] == side)?;
    Some(["requests", "responses", "unmatched"].map(|key| row[key].clone()))
}

/// A DNS answer whose query is not in the capture asks nothing, also after one that was matched.
#[test]
fn an_answer_without_its_query_is_unmatched() {
    let folder = Scratch::new("described-unmatched");
    let (query, answer) = ("01000001000000000000016100 00010001", "81000001000000000000016100 00010001");
    let of = |id: &str, rest: &str| format!("{id}{}", rest.replace(' ', ""));
    let packets = [
        (0, true, of("0001", query)),
        (10, false, of("0001", answer)),
        (500, false, of("0009", answer)),
        (600, false, of("0008", answer)),
        (1000, true, of("0002", query)),
        (1010, false, of("0002", answer)),
    ];
    let packets: Vec<_> = packets.iter().map(|(at, by_client, hex)| (*at, *by_client, hex.as_str())).collect();
    let (lines, stats) = asked(&folder, 53, &toml("dns"), &packets);
    assert_eq!(requests_of(&stats, "client"), Some([2, 2, 2].map(Json::from)), "{}", stats["request"]);
    assert_eq!(requests_of(&stats, "server"), None, "{}", stats["request"]);
    let answers: Vec<_> = lines.iter().map(|line| related(line, "answers")).collect();
    assert_eq!(answers, [vec![], vec![(1, 1)], vec![], vec![], vec![], vec![(5, 1)]]);
    let unanswered = |line: &Json| line["notes"].to_string().contains("link.unanswered");
    assert!(!lines.iter().any(unanswered), "{lines:?}");
}

/// `opens` begins another session also where no message has a number: its requests are none of the session before.
#[test]
fn another_session_begins_its_requests_again() {
    let folder = Scratch::new("described-reopened");
    let mut text = "protocol = \"reopen\"\nencoding = \"be\"\n[udp]\nports = [7001]\n\
        [requests.all]\nasks = \"ask\"\nanswers = \"answer\"\nby = \"n\"\n\
        [session]\nopens = \"hello\"\nopened = \"welcome\"\ncloses = \"bye\"\n"
        .to_string();
    for (id, name) in [(1, "hello"), (2, "welcome"), (3, "ask"), (4, "answer"), (5, "bye")] {
        let fields = if (3..5).contains(&id) { "fields = { n = \"u8\" }\n" } else { "" };
        text += &format!("[[message]]\nid = {id}\nname = \"{name}\"\n{fields}");
    }
    let file = folder.write("reopen.toml", text);
    let packets = [
        (0, true, "01"),
        (100, false, "02"),
        (200, true, "0301"),
        (300, false, "0401"),
        (400, true, "0302"),
        (600, true, "05"),
        (1500, true, "01"),
        (1600, false, "02"),
        (1700, true, "0302"),
        (1800, false, "0402"),
    ];
    let (lines, stats) = asked(&folder, 7001, &file, &packets);
    assert_eq!((related(&lines[8], "copy_of"), related(&lines[9], "answers")), (vec![], vec![(9, 1)]));
    let ends: Vec<_> = stats["end"].as_array().unwrap().iter().map(|row| &row["end"]).collect();
    assert_eq!(ends, ["left", "open"], "{}", stats["end"]);
}

/// Lengths and counts that encoding computes are right also in forms that are longer, seen through another field, or
/// below one.
#[test]
fn hidden_lengths_of_several_forms_are_written_as_they_were_read() {
    let folder = Scratch::new("described-hidden");
    let head = "protocol = \"hid\"\nencoding = \"be\"\n[packet.fields]\n";
    for (fields, bytes) in [
        (
            "length = { type = \"u4\", 13 = { type = \"u8\", plus = 13 }, hidden = true }\nkind = \"u4\"\n\
             words = { type = \"text\", size = \"length\" }\n",
            "216869",
        ),
        (
            "head = { type = \"u8\", hidden = true }\n\
             size = { of = \"head\", 255 = { type = \"u16\", plus = 255 }, hidden = true }\n\
             words = { type = \"text\", size = \"size\" }\n",
            "026869",
        ),
        ("count = { type = \"u8\", plus = -1, hidden = true }\nlist = \"u8[count]\"\n", "010506"),
    ] {
        let file = folder.write("hid.toml", format!("{head}{fields}"));
        let line = run(&["dump", "-p", &file, bytes, "-f", "ndjson", "-q"]).stdout;
        let line = folder.write("line.ndjson", line);
        let back = run(&["encode", "--protocol-file", &file, "--json", &line]);
        let got = String::from_utf8(back.stdout).unwrap();
        assert_eq!(got.trim(), bytes, "{fields}: {}", String::from_utf8_lossy(&back.stderr));
    }
}

/// Requests to a server of which no packet was captured may have been answered, also those of another client.
#[test]
fn requests_to_an_uncaptured_server_are_not_called_unanswered() {
    let folder = Scratch::new("described-uncaptured");
    let query = hex::decode("00010100000100000000000001610000010001").unwrap();
    for (others, verdicts) in [(0u64, 1), (8, 0)] {
        let mut wire = Wire::default();
        for (client, count) in [("127.0.0.1:40000", 1), ("127.0.0.1:40001", others)] {
            let ends = [client, "127.0.0.2:53"].map(|end| end.parse().unwrap());
            for k in 0..count {
                let own = [&[k as u8, 1], &query[2..]].concat();
                wire.at(k * 3000).datagram(ends, true, &own);
            }
        }
        let capture = folder.write("queries.pcap", wire.file());
        let stats = run(&["stats", &capture, "-p", &toml("dns"), "-f", "json"]);
        let stats: Json = serde_json::from_slice(&stats.stdout).unwrap();
        let rules = stats["verdicts"].as_array().unwrap().iter().filter(|verdict| verdict["rule"] == "unanswered");
        assert_eq!(rules.count(), verdicts, "{others}: {}", stats["verdicts"]);
    }
}

/// A request that was acknowledged still waits for its answer.
#[test]
fn a_request_with_a_number_waits_for_both_replies() {
    let folder = Scratch::new("described-both");
    let ends = ["127.0.0.1:40000", "127.0.0.1:5683"].map(|end| end.parse().unwrap());
    let mut wire = Wire::default();
    // Two confirmable requests of CoAP; the first one is acknowledged, and nothing answers either.
    wire.datagram(ends, true, &[0x41, 1, 0, 7, 9]);
    wire.datagram(ends, false, &[0x60, 0, 0, 7]);
    wire.datagram(ends, true, &[0x41, 1, 0, 8, 10]);
    let capture = folder.write("both.pcap", wire.file());
    let done = run(&["stats", &capture, "-p", &toml("coap"), "--unanswered", "--never-acked", "-f", "json"]);
    let stats: Json = serde_json::from_slice(&done.stdout).unwrap();
    let frames = |key: &str| stats[key].as_array().unwrap().iter().map(|row| row["frame"].clone()).collect::<Vec<_>>();
    assert_eq!((frames("unanswered"), frames("never_acked")), (vec![json!(1), json!(3)], vec![json!(3)]));
}

/// A file with numbers, a field after the message, and a checksum.
const NUMBERED: &str = r#"
protocol = "toy"
encoding = "be"
[packet.fields]
kind = "u8"
seq = "u16"
message = { type = "message", by = "kind" }
footer = "u8"
sum = { type = "crc32", over = "before" }
[[message]]
id = 1
name = "chat"
fields = { text = "string8" }
[numbers.packets]
number = "packet.seq"
"#;

/// A receiver drops a packet whose checksum is wrong, so its number does not count.
#[test]
fn a_packet_with_a_wrong_checksum_has_no_number() {
    let folder = Scratch::new("wrong-sum");
    let file = folder.write("toy.toml", NUMBERED);
    let line = |seq: u16, sum: &str| {
        format!(
            "{{\"proto\":\"toy\",\"message\":\"chat\",\"packet\":{{\"seq\":{seq},\"footer\":3{sum}}},\"fields\":{{\"text\":\"a\"}}}}\n"
        )
    };
    let json = folder.write("toy.ndjson", line(1, "") + &line(1000, ",\"sum\":5") + &line(2, ""));
    let capture = folder.path().join("toy.pcap").display().to_string();
    assert!(
        run(&["encode", "--protocol-file", &file, "--json", &json, "--as", "pcap", "-o", &capture]).status.success()
    );
    let done = run(&["stats", &capture, "-p", &file, "-f", "json", "-q"]);
    let stats: Json = serde_json::from_slice(&done.stdout).expect("JSON");
    let rows = stats["delivery"].as_array().expect("rows");
    let of = |key: &str| rows.iter().map(|row| row[key].as_u64().unwrap_or(0)).sum::<u64>();
    assert_eq!(["messages", "missing", "lost"].map(of), [2, 0, 0], "{rows:?}");
}

/// Fields of the header that follow the message are given as those before it, with and without `packet.`.
#[test]
fn fields_after_the_message_can_be_given() {
    let folder = Scratch::new("trailer");
    let file = folder.write("toy.toml", NUMBERED);
    let encode = |fields: &[&str]| {
        let done = run(&[&["encode", "-p", &file, "chat", "text=a"], fields].concat());
        (done.status.code(), String::from_utf8([done.stdout, done.stderr].concat()).expect("text"))
    };
    let (status, hex) = encode(&["seq=1", "footer=3"]);
    assert_eq!((status, &hex[..12]), (Some(0), "010001016103"), "{hex}");
    assert_eq!(encode(&["packet.seq=1", "packet.footer=3"]), (status, hex));
    assert!(encode(&["seq=1"]).1.contains("footer: required"));
    let built_in = run(&["encode", "riptide.heartbeat", "ping_id=3", "packet.x=1"]);
    assert_eq!(built_in.status.code(), Some(2), "{}", String::from_utf8_lossy(&built_in.stderr));
}
