//! RakNet as a described protocol, with the traffic of a real implementation, compared with tshark's own dissector
//! (`fixtures/described/raknet.tshark.tsv`, made once).

use crate::common::fixture;
use crate::described::cases::{lines, pcap, toml};
use crate::described::run;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// tshark's names, and our paths: in the packet or the fields of each line, or in each element of a list.
const NAMES: [(&str, &[&str]); 18] = [
    ("raknet.packet_number", &["number"]),
    ("raknet.message.reliability", &["reliability"]),
    ("raknet.message.has_split_packet", &["split"]),
    ("raknet.reliable.number", &["reliable_number"]),
    ("raknet.sequencing.index", &["sequence_number"]),
    ("raknet.ordering.index", &["order_number"]),
    ("raknet.ordering.channel", &["order_channel"]),
    ("raknet.split.count", &["split_count"]),
    ("raknet.split.id", &["split_id"]),
    ("raknet.split.index", &["split_index"]),
    ("raknet.reassembled.length", &["joined.length"]),
    ("raknet.range.packet_number.min", &["records.first"]),
    ("raknet.range.packet_number.max", &["records.last"]),
    ("raknet.MTU", &["mtu"]),
    ("raknet.proto_ver", &["protocol"]),
    ("raknet.client.guid", &["client_guid"]),
    ("raknet.server_id", &["server_guid"]),
    ("raknet.server_id_str", &["server"]),
];

const RELIABILITIES: [&str; 8] = [
    "unreliable",
    "unreliable_sequenced",
    "reliable",
    "reliable_ordered",
    "reliable_sequenced",
    "unreliable_receipt",
    "reliable_receipt",
    "reliable_ordered_receipt",
];

/// A value as tshark prints it.
fn printed(name: &str, value: &Json) -> Option<String> {
    Some(match value {
        Json::Bool(set) => u8::from(*set).to_string(),
        Json::Number(n) if name.ends_with("guid") || name == "raknet.server_id" => format!("{:016x}", n.as_u64()?),
        Json::Number(n) => n.to_string(),
        Json::String(text) => match RELIABILITIES.iter().position(|known| known == text) {
            Some(place) => place.to_string(),
            None => text.clone(),
        },
        _ => return None,
    })
}

/// The values of a name in a line, in order.
fn values(line: &Json, path: &str, out: &mut Vec<Json>) {
    let (first, rest) = path.split_once('.').map_or((path, None), |(a, b)| (a, Some(b)));
    for part in ["packet", "fields", "derived"] {
        let Some(value) = line.get(part).and_then(|part| part.get(first)) else { continue };
        match (rest, value) {
            (None, value) => out.push(value.clone()),
            (Some(rest), Json::Array(list)) => out.extend(list.iter().filter_map(|one| one.get(rest).cloned())),
            (Some(rest), value) => out.extend(value.get(rest).cloned()),
        }
    }
}

#[test]
fn the_file_says_what_tshark_says() {
    let reported = run(&["decode", &pcap("raknet"), "-p", &toml("raknet"), "-f", "ndjson"]);
    assert_eq!(reported.status.code(), Some(0), "{}", String::from_utf8_lossy(&reported.stderr));
    let mut frames: BTreeMap<u64, Vec<Json>> = BTreeMap::new();
    for line in lines(&String::from_utf8(reported.stdout).unwrap()) {
        assert!(line.get("fault").is_none() && line["message"] != "unknown", "{line}");
        frames.entry(line["frame"].as_u64().unwrap()).or_default().push(line);
    }
    let table = std::fs::read_to_string(fixture("described/raknet.tshark.tsv")).unwrap();
    let mut rows = table.lines().map(|row| row.split('\t').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let (mut compared, mut rows_seen) = (BTreeMap::<&str, usize>::new(), 0);
    for row in rows {
        rows_seen += 1;
        let frame = &frames[&row[0].parse().unwrap()];
        for (name, want) in head.iter().zip(&row) {
            let Some((_, ours)) = NAMES.iter().find(|(known, _)| known == name) else { continue };
            let mut have = Vec::new();
            for (k, line) in frame.iter().enumerate() {
                // All messages of a datagram have its number.
                if k == 0 || *name != "raknet.packet_number" {
                    ours.iter().for_each(|path| values(line, path, &mut have));
                }
            }
            let have: Vec<String> = have.iter().filter_map(|value| printed(name, value)).collect();
            assert_eq!(have.join(","), *want, "frame {}: {name}: {frame:?}", row[0]);
            *compared.entry(name).or_default() += usize::from(!want.is_empty());
        }
    }
    assert_eq!(rows_seen, frames.len());
    // Each of them occurred at least once.
    for (name, _) in NAMES {
        assert!(compared[name] > 0, "{name}: {compared:?}");
    }
}

#[test]
fn its_packets_are_given_back_and_its_copies_counted() {
    let check = run(&["decode", &pcap("raknet"), "-p", &toml("raknet"), "--check"]);
    assert_eq!(check.status.code(), Some(0), "{}", String::from_utf8_lossy(&check.stderr));
    let stats = run(&["stats", &pcap("raknet"), "-p", &toml("raknet"), "-f", "json"]);
    let stats: Json = serde_json::from_slice(&stats.stdout).unwrap();
    let row = |from: &str| stats["delivery"].as_array().unwrap().iter().find(|row| row["from"] == from).unwrap();
    // Counted in tshark's output: frames 48, 58, 70 and 110 repeat 40, 50, 66 and 105 of the client; the server sent
    // 122 late.
    for (from, messages, copies, gaps, late) in [("client", 35, 39, 0, 0), ("server", 29, 29, 1, 1)] {
        let row = row(from);
        for (name, want) in
            [("messages", messages), ("sent", copies), ("never_acked", 0), ("gaps", gaps), ("late", late), ("lost", 0)]
        {
            assert_eq!(row[name], want, "{from} {name}: {row}");
        }
    }
}
