//! Filters: on the tree they select what the same condition, evaluated on the JSON lines, selects.

#[path = "../common/mod.rs"]
mod common;
mod condition;
mod counted;
mod ends;
mod link;
mod related;

use common::{args_of, feed, fixture, netkit};
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

/// Fields of the user's own layouts, which `-F` knows with the schema only.
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

/// What completions offer to begin a filter with is taken.
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

/// Every field that decode prints of the captures can be asked for.
#[test]
fn printed_fields_are_known() {
    fn paths(value: &Json, path: &str, all: &mut BTreeSet<String>) {
        match value {
            // A leaf that plain JSON would not give back.
            Json::Object(map) if map.len() == 2 && map.contains_key("raw") && map.contains_key("bits") => {}
            Json::Object(map) => map.iter().for_each(|(name, inner)| {
                // Names of applications may be anything; filters take words.
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
