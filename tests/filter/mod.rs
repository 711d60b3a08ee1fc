//! Filters on the tree select the same messages as the same condition on the JSON lines.

mod condition;
mod counted;
mod ends;
mod link;
mod related;

use crate::common::{args_of, feed, fixture, netkit};
use netkit::filter::{Filter, Names};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::LazyLock;

fn decode(file: &str, filter: Option<&str>) -> Vec<Json> {
    decode_with(file, filter, &["-q"])
}

fn decode_with(file: &str, filter: Option<&str>, args: &[&str]) -> Vec<Json> {
    let path = fixture(file);
    let mut command = netkit(&["decode", "-f", "ndjson"]);
    command.arg(&path).args(args).args(args_of(&path));
    command.args(filter.into_iter().flat_map(|filter| ["-F", filter]));
    feed(&mut command, b"").ok().lines()
}

/// Captures whose lines are read once.
static CAPTURES: LazyLock<Vec<(&str, Vec<Json>)>> = LazyLock::new(|| {
    [
        "riptide/riptide22-udp.pcap",
        "dnp/dnp-states.pcap",
        "nano/pomelo-ws.pcap",
        "gne/gne-be-udp-full.pcap",
        "acknex/acknex-steps45.pcap",
    ]
    .map(|file| (file, decode(file, None)))
    .into()
});

/// Fields of the user's own schema: `-F` knows them only with the schema.
#[test]
fn fields_of_schemas() {
    let schema = ["-q", "--schema", concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/schemas/riptide.toml")];
    let file = "riptide/riptide22-udp.pcap";
    let all = decode_with(file, None, &schema);
    for (filter, path, least) in [
        ("payload.position.x > 100", "/position/0", 100.0),
        ("payload.position.y > 1", "/position/1", 1.0),
        ("riptide.payload.rotation[1] > 0x0", "/rotation/1", 0.0),
        ("payload.count > 0x3e8", "/count", 1000.0),
        ("riptide.reliable.payload.count > 3", "/count", 3.0),
    ] {
        let inside = |line: &&Json| {
            let value = line["fields"]["payload"].pointer(path).and_then(Json::as_f64);
            value.is_some_and(|n| n > least) && (!filter.contains("reliable") || line["message"] == "reliable")
        };
        let want: Vec<&Json> = all.iter().filter(inside).collect();
        assert!(!want.is_empty(), "{filter}");
        assert_eq!(decode_with(file, Some(filter), &schema).iter().collect::<Vec<_>>(), want, "{filter}");
    }
}

/// `data[0]` is a number and `data[0..4]` is hex, with or without quotes, for the bytes of each protocol.
#[test]
fn bytes_by_index_and_by_range() {
    fn texts<'a>(value: &'a Json, path: &[&str], all: &mut Vec<&'a str>) {
        match (value, path) {
            (Json::Array(list), _) => list.iter().for_each(|inner| texts(inner, path, all)),
            (Json::String(text), []) => all.push(text),
            (value, [name, path @ ..]) => value.get(name).into_iter().for_each(|inner| texts(inner, path, all)),
            _ => {}
        }
    }
    for (file, name) in [
        ("riptide/riptide20-udp.pcap", "payload"),
        ("dnp/dnp-basic.pcap", "data"),
        ("nano/nano-tcp.pcap", "payload"),
        ("gne/gne-be-udp-full.pcap", "packets.data"),
        ("acknex/acknex-malformed.pcap", "unparsed"),
    ] {
        let all = decode(file, None);
        let path: Vec<&str> = name.split('.').collect();
        let begins = |line: &Json, hex: &str| {
            let mut found = Vec::new();
            texts(&line["fields"], &path, &mut found);
            found.iter().any(|text| text.starts_with(hex))
        };
        let mut found = Vec::new();
        all.iter().for_each(|line| texts(&line["fields"], &path, &mut found));
        let four = &found.iter().find(|text| text.len() > 8).unwrap_or_else(|| panic!("{file}"))[..8];
        let byte = u8::from_str_radix(&four[..2], 16).unwrap();
        for (condition, hex) in [
            (format!("{name}[0] == {byte}"), &four[..2]),
            (format!("{name}[0] == {byte:#x}"), &four[..2]),
            (format!("{name}[0] in {{{byte}}}"), &four[..2]),
            (format!("{name}[0..4] == \"{}\"", four.to_uppercase()), four),
            (format!("{name}[..4] == {four}"), four),
        ] {
            let want: Vec<&Json> = all.iter().filter(|line| begins(line, hex)).collect();
            assert!(!want.is_empty(), "{file} {condition}");
            assert_eq!(decode(file, Some(&condition)).iter().collect::<Vec<_>>(), want, "{file} {condition}");
        }
    }
}

/// A comparison with a printed time is exact: two microseconds of this century may be one float.
#[test]
fn times_as_printed() {
    let file = "riptide/riptide22-lossy.pcap";
    // In microseconds, from the digits.
    let micros = |line: &Json| line["time"].to_string().replacen('.', "", 1).parse::<u64>().unwrap();
    let all = decode(file, None);
    let texts: Vec<String> = all.iter().map(|line| line["time"].to_string()).collect();
    assert!(texts.iter().all(|text| text.len() == "1795231815.801386".len() || text.contains('.')), "{texts:?}");
    let all: Vec<(u64, &Json)> = all
        .iter()
        .zip(&texts)
        .map(|(line, text)| {
            let digits = text.split_once('.').map_or(0, |(_, fraction)| fraction.len()) as u32;
            (micros(line) * 10u64.pow(6 - digits), line)
        })
        .collect();
    let some = |fits: &dyn Fn(u64) -> bool| -> Vec<&Json> {
        all.iter().filter(|(micros, _)| fits(*micros)).map(|(_, line)| *line).collect()
    };
    let third: Vec<usize> = (0..all.len()).step_by(3).collect();
    let list = third.iter().map(|k| texts[*k].as_str()).collect::<Vec<_>>().join(", ");
    let times: BTreeSet<u64> = third.iter().map(|k| all[*k].0).collect();
    let wanted = some(&|micros| times.contains(&micros));
    assert_eq!(decode(file, Some(&format!("time in {{{list}}}"))).iter().collect::<Vec<_>>(), wanted);
    for k in [0, all.len() / 3, all.len() / 2, all.len() - 1] {
        let (at, text) = (all[k].0, &texts[k]);
        let next = format!("{}.{:06}1", at / 1_000_000, at % 1_000_000);
        for (filter, wanted) in [
            (format!("time == {text}"), some(&|micros| micros == at)),
            (format!("time != {text}"), some(&|micros| micros != at)),
            (format!("time >= {text}"), some(&|micros| micros >= at)),
            (format!("time <= {text}"), some(&|micros| micros <= at)),
            (format!("time > {text}"), some(&|micros| micros > at)),
            (format!("time < {text}"), some(&|micros| micros < at)),
            // A tenth of a microsecond later.
            (format!("time == {next}"), vec![]),
            (format!("time > {next}"), some(&|micros| micros > at)),
        ] {
            assert_eq!(decode(file, Some(&filter)).iter().collect::<Vec<_>>(), wanted, "{filter}");
        }
    }
}

/// Bytes contain bytes, not half ones: `f420` is not in `3f 42 0f`.
#[test]
fn bytes_contain_whole_bytes() {
    let file = "riptide/riptide22-lossy.pcap";
    let all = decode(file, None);
    let payload = |line: &Json| line["fields"]["payload"].as_str().unwrap_or_default().to_owned();
    let of = |hex: &str| {
        let has = |line: &&Json| {
            let text = payload(line);
            text.as_bytes()
                .chunks(2)
                .collect::<Vec<_>>()
                .windows(hex.len() / 2)
                .any(|some| some.concat() == hex.as_bytes())
        };
        all.iter().filter(has).collect::<Vec<_>>()
    };
    assert!(all.iter().any(|line| payload(line).contains("f420")), "a capture with half bytes that look like it");
    for (hex, any) in [("f420", false), ("420f", true), ("3f42", true)] {
        assert_eq!(!of(hex).is_empty(), any, "{hex}");
        assert_eq!(
            decode(file, Some(&format!("payload contains {hex:?}"))).iter().collect::<Vec<_>>(),
            of(hex),
            "{hex}"
        );
    }
}

/// Digits of both cases are equal, also in a pattern.
#[test]
fn patterns_of_bytes_have_no_case() {
    let of = |pattern: &str| decode("riptide/riptide22-lossy.pcap", Some(&format!("payload ~ {pattern:?}")));
    let found = of("^.*420f");
    assert!(!found.is_empty());
    assert_eq!(of("^.*420F"), found);
}

/// Messages without a version have none to compare.
#[test]
fn no_version_is_no_other_version() {
    let file = "dnp/dnp-states.pcap";
    let all = decode(file, None);
    assert!(all.iter().all(|line| line.get("version").is_none()));
    for (filter, kept) in [
        ("version != 2.2", 0),
        ("version == 2.2", 0),
        ("version ~ \"^\"", 0),
        ("version", 0),
        ("not version == 2.2", all.len()),
    ] {
        assert_eq!(decode(file, Some(filter)).len(), kept, "{filter}");
    }
    let file = "riptide/riptide22-udp.pcap";
    for (filter, kept) in [("version", true), ("version == 2.2", true), ("version != 2.2", false)] {
        assert_eq!(!decode(file, Some(filter)).is_empty(), kept, "{filter}");
    }
}

/// `copy` is the same in every protocol that resends: a copy of an earlier message is not the first transmission.
#[test]
fn copies_of_any_protocol() {
    for file in
        ["riptide/riptide22-lossy.pcap", "dnp/dnp-lossy.pcap", "described/enet-loss.pcap", "described/raknet.pcap"]
    {
        let copies = decode(file, Some("copy > 1"));
        assert!(!copies.is_empty() && copies == decode(file, Some("related.kind == copy_of")), "{file}");
        assert_eq!(decode(file, Some("copy")), copies, "{file}");
        // Lines name the copy in Riptide alone.
        let named = decode(file, Some("derived.copy > 2"));
        assert_eq!(file.starts_with("riptide"), !named.is_empty(), "{file}");
        if !named.is_empty() {
            assert_eq!(decode(file, Some("copy > 2")), named, "{file}");
        }
    }
}

/// Every name that completions offer for a filter is valid.
#[test]
fn offered_names_are_known() {
    let options = netkit::protocols::options();
    let names = Names::new(&options);
    let all = names.all();
    assert!(all.len() > 150 && all.contains(&"riptide.heartbeat".into()) && all.contains(&"nano.json".into()));
    for name in all {
        let alone = Filter::parse(&name, &names).is_ok();
        let compared = ["~ x", "== 1"].iter().any(|test| Filter::parse(&format!("{name} {test}"), &names).is_ok());
        assert!(alone || compared, "{name}");
    }
}

/// Every field that decode prints for the captures is valid in a filter.
#[test]
fn printed_fields_are_known() {
    fn paths(value: &Json, path: &str, all: &mut BTreeSet<String>) {
        match value {
            // A value that plain JSON would not encode to the same bits.
            Json::Object(map) if map.len() == 2 && map.contains_key("raw") && map.contains_key("bits") => {}
            Json::Object(map) => map.iter().for_each(|(name, inner)| {
                // Applications may use any name; filters take only words.
                if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                    let path = format!("{path}.{name}");
                    paths(inner, &path, all);
                    all.insert(path);
                }
            }),
            Json::Array(list) => list.iter().for_each(|inner| paths(inner, path, all)),
            _ => {}
        }
    }
    let options = netkit::protocols::options();
    let names = Names::new(&options);
    let mut all = BTreeSet::new();
    for (_, lines) in CAPTURES.iter() {
        for line in lines {
            let of = |part: &str| {
                format!("{}.{}.{part}", line["proto"].as_str().unwrap(), line["message"].as_str().unwrap())
            };
            for part in ["fields", "derived"] {
                paths(&line[part], &of(part), &mut all);
            }
        }
    }
    assert!(all.len() > 200, "{}", all.len());
    for path in all {
        assert!(Filter::parse(&path, &names).is_ok(), "{path}");
    }
}
