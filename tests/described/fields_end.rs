//! Streams whose messages end where their own fields end (`frame = { fields = true }`).

use crate::common::{Random, Scratch, Wire, fixture};
use crate::described::cases::{lines, pcap, toml};
use crate::described::run;
use serde_json::Value as Json;

/// The values of a RESP message, by the columns of tshark: lengths of lists, numbers, texts, errors, contents.
fn values(value: &Json, out: &mut [Vec<String>; 5]) {
    let text = |value: &Json| value.as_str().map_or(value.to_string(), str::to_owned);
    match value["kind"].as_str().expect("a kind") {
        "text" => out[2].push(text(&value["text"])),
        "error" => out[3].push(text(&value["text"])),
        "number" => out[1].push(text(&value["number"])),
        "bulk" => out[4].extend(value["bulk"].as_str().map(hex::encode)),
        _ => {
            let items = value["items"].as_array().expect("a list");
            out[0].push(items.len().to_string());
            items.iter().for_each(|item| values(item, out));
        }
    }
}

#[test]
fn redis_is_as_tshark_says() {
    let table = std::fs::read_to_string(fixture("described/resp.tshark.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|row| row.split('\t').collect()).collect();
    let done = run(&["decode", &pcap("resp"), "-p", &toml("resp"), "-f", "ndjson"]);
    let all = lines(&String::from_utf8(done.stdout).unwrap());
    assert!(all.iter().all(|line| line.get("fault").is_none()), "{all:#?}");
    let mut compared = 0;
    for row in &rows {
        // tshark has all messages that end in a frame in one row.
        let mut ours = <[Vec<String>; 5]>::default();
        let frame = row[0].parse().ok();
        let ends = |line: &&Json| match line["frames"].as_array() {
            Some(frames) => frames.last().and_then(Json::as_u64) == frame,
            None => line["frame"].as_u64() == frame,
        };
        all.iter().filter(ends).for_each(|line| values(&line["fields"]["value"], &mut ours));
        for (column, ours) in row.iter().skip(1).zip(&ours) {
            let wanted: Vec<&str> = column.split('|').filter(|value| !value.is_empty()).collect();
            let ours: Vec<&String> = ours.iter().filter(|value| !value.is_empty()).collect();
            assert_eq!(ours, wanted, "frame {}", row[0]);
            compared += wanted.len();
        }
    }
    assert!(compared > 90, "{compared} values");
    // A length that encode does not derive.
    let null = all.iter().filter(|line| line["fields"]["value"]["length"] == -1).count();
    assert_eq!(null, 1);
    let done = run(&["check", &toml("resp"), &pcap("resp")]);
    let human = String::from_utf8(done.stdout).unwrap();
    assert!(human.contains(&format!("{} packets, each encodes back to its bytes", all.len())), "{human}");
}

/// A protocol in which every kind of end occurs, and as many of its messages.
fn messages(random: &mut Random, count: usize) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for _ in 0..count {
        let mut one = vec![random.below(4) as u8 + 1];
        match one[0] {
            1 => one.extend((0..4).map(|_| random.below(256) as u8)),
            2 => {
                let length = random.below(300);
                one.extend([0x80 | (length & 0x7f) as u8, (length >> 7) as u8]);
                one.extend((0..length).map(|_| random.below(256) as u8));
            }
            3 => {
                one.extend((0..random.below(40)).map(|_| b'a' + random.below(26) as u8));
                one.push(0);
            }
            _ => {
                for _ in 0..random.below(20) {
                    one.extend([1 + random.below(200) as u8, 2, b'h', b'i']);
                }
                one.push(0);
                one.push(if random.below(2) == 0 { 7 } else { 9 });
                if one.last() == Some(&7) {
                    one.push(random.below(256) as u8);
                }
            }
        }
        all.push(one);
    }
    all
}

const FILE: &str = r#"
protocol = "ends"
encoding = "be"
[tcp]
ports = [7777]
frame = { fields = true }
[packet.fields]
message = { type = "message", by = "u8" }
[[message]]
id = 1
name = "number"
[message.fields]
n = "u32"
[[message]]
id = 2
name = "blob"
[message.fields]
data = { type = "bytes", size = "varint" }
[[message]]
id = 3
name = "word"
[message.fields]
word = "cstring"
[[message]]
id = 4
name = "list"
[message.fields]
pairs = { type = "pair[*]", until = 0 }
more  = "u8"
last  = { type = "u8", if = "more == 7" }
[struct.pair]
key   = "u8"
value = "string8"
"#;

#[test]
fn messages_are_the_same_however_the_stream_is_cut() {
    let scratch = Scratch::new("fields-end");
    let file = scratch.write("ends.toml", FILE);
    let mut random = Random(7);
    let all = messages(&mut random, 60);
    let stream = all.concat();
    let ends = ["10.0.0.1:40000".parse().unwrap(), "10.0.0.2:7777".parse().unwrap()];
    for round in 0..12 {
        let (mut capture, mut segments, mut rest) = (Wire::default(), Vec::new(), &stream[..]);
        while !rest.is_empty() {
            let most = [1, 3, 20, 1400][round % 4];
            let (one, later) = rest.split_at((1 + random.below(most)).min(rest.len()));
            segments.push((true, one.to_vec()));
            rest = later;
        }
        capture.stream(ends, &segments);
        let pcap = scratch.write("ends.pcap", capture.file());
        let done = run(&["decode", &pcap, "-p", &file, "-f", "ndjson", "--bytes"]);
        let lines = lines(&String::from_utf8(done.stdout).unwrap());
        let got: Vec<&str> = lines.iter().filter_map(|line| line["bytes"].as_str()).collect();
        let wanted: Vec<String> = all.iter().map(hex::encode).collect();
        assert_eq!(got, wanted, "round {round}");
    }
}
