//! Addresses and ports, Wireshark's operators, and comparisons that can never hold.

use super::{CAPTURES, decode};
use netkit::filter::{Filter, Names};
use serde_json::Value as Json;
use std::net::SocketAddr;

const UDP: &str = "riptide/riptide22-udp.pcap";

fn frames(filter: &str) -> Vec<u64> {
    decode(UDP, Some(filter)).iter().map(|line| line["frame"].as_u64().expect("a number")).collect()
}

/// The frames by the lines themselves: those whose endpoints fit.
fn wanted(fits: impl Fn(SocketAddr, SocketAddr) -> bool) -> Vec<u64> {
    let end = |line: &Json, key: &str| line[key].as_str().expect("an end").parse().expect("an end");
    let (_, lines) = &CAPTURES[0];
    let fit = lines.iter().filter(|line| fits(end(line, "src"), end(line, "dst")));
    fit.map(|line| line["frame"].as_u64().expect("a number")).collect()
}

#[test]
fn hosts_ports_and_nets() {
    let all = wanted(|_, _| true);
    let server = wanted(|src, _| src.port() == 17820);
    let clients = wanted(|_, dst| dst.port() == 17820);
    let others = wanted(|src, _| src.port() != 17820);
    let one = wanted(|src, dst| src.port() == 37491 || dst.port() == 37491);
    assert!(!server.is_empty() && !clients.is_empty() && !one.is_empty() && one.len() < all.len());
    let rest: Vec<u64> = all.iter().copied().filter(|frame| !one.contains(frame)).collect();
    let none = Vec::new();
    for (filter, want) in [
        ("src == 127.0.0.1", &all),
        ("dst == 127.0.0.1", &all),
        ("src != 127.0.0.1", &none),
        ("src == 127.0.0.1:17820", &server),
        ("src != 127.0.0.1:17820", &others),
        ("dst == 127.0.0.1:17820", &clients),
        ("host == 127.0.0.1", &all),
        ("host == 127.0.0.2", &none),
        ("host == 127.0.0.1:37491", &one),
        ("ip in 127.0.0.0/8", &all),
        ("ip in 10.0.0.0/8", &none),
        ("ip in {10.0.0.0/8, 127.0.0.1}", &all),
        ("src in 127.0.0.0/31 and dst in {::1, 127.0.0.1:17820}", &clients),
        ("ip in ::/0", &none),
        ("host == \"127.0.0.1\"", &all),
        ("port == 37491", &one),
        ("port == 0x9273", &one),
        ("port in {1, 37491}", &one),
        ("port != 37491", &rest),
        ("port > 65534", &none),
        ("port >= 37491 and port <= 37491 and port == 37491", &one),
        ("port==37491&&host==127.0.0.1", &one),
        ("port == 1 || port == 37491", &one),
        ("!(port == 1) && ! port == 2 && not port == 3", &all),
        ("!src == 127.0.0.1:17820", &others),
        ("src ~ \":17820$\"", &server),
        ("host contains \"127.\"", &all),
    ] {
        assert_eq!(&frames(filter), want, "{filter}");
    }
}

fn parsed(text: &str) -> Result<(), (String, usize)> {
    let options = netkit::protocols::options();
    let names = Names::new(&options);
    Filter::parse(text, &names).map(drop).map_err(|why| (why.what, why.at))
}

#[test]
fn what_can_never_hold_is_refused() {
    // The error points at the place of `^`, which is removed.
    for marked in [
        "src == ^abc",
        "src == ^127.0.0.1:70000",
        "dst == ^10.0.0.0/33",
        "host in {10.0.0.1, ^10}",
        "ip in ^example.com",
        "src < ^127.0.0.1",
        "port == ^65536",
        "port == ^http",
        "port > ^65535",
        "port contains ^80",
        "port in {1, ^-1}",
        "frame == ^-1",
        "frame == ^1.5",
        "frame < ^0",
        "frame ~ ^x",
        "length > ^18446744073709551615",
        "flow in ^{3",
        "version >= ^2.0",
        "message < ^reliable",
        "transport == ^ws",
        "riptide.reliable.sequence_id == ^65536",
        "riptide.message_id == ^-1",
        "riptide.message_id < ^0",
        "riptide.message_id == ^7.5",
        "riptide.message_id contains ^7",
        "riptide.message_id ~ ^7",
        "riptide.is_extra == ^7",
        "riptide.is_extra > ^false",
        "riptide.payload == ^abc",
        "riptide.payload > ^05",
        "riptide.payload contains ^xyz",
        "riptide.payload contains ^abc",
        "dnp.link_state.flags contains ^nosuch",
        "dnp.link_state.flags ~ ^read",
        "riptide.reject.reason == ^nosuch",
        "riptide.reject.reason < ^server_full",
        "riptide.reject.reason ~ ^\"^zzz\"",
        "riptide.reject.reason contains ^full",
        "acknex.update2.entity == ^65536",
        // Hidden, unless it is wrong.
        "riptide.reliable.type == ^3",
    ] {
        let at = marked.chars().position(|c| c == '^').expect("a mark");
        let text = marked.replacen('^', "", 1);
        let (what, place) = parsed(&text).err().unwrap_or_else(|| panic!("{text} is taken"));
        assert_eq!(place, if marked.contains("^{3") { text.chars().count() } else { at }, "{text}: {what}");
    }
    for text in [
        "riptide.message_id == 65535",
        "riptide.message_id != 70000",
        "riptide.message_id > 0xfffe",
        "riptide.message_id == 7.0",
        "riptide.payload == AB",
        "riptide.payload ~ \"^ab\"",
        "riptide.is_extra == true",
        "frame > 18446744073709551614",
        "time < 0",
        "packets.id == exit",
        "position.x > 1e300",
        "route < b",
        "route == 5",
        "dnp.values.value == anything or dnp.links.values.value > 1e99",
        "json.code == 500",
        "version == 2.2",
        "port >= 65535",
        "gne.port == -1",
        "riptide.reliable.type",
        "riptide.type == 3",
    ] {
        assert_eq!(parsed(text), Ok(()), "{text}");
    }
}

/// Every value that decode prints is accepted in a filter, and the filter finds its message.
#[test]
fn printed_values_are_possible() {
    fn leaves(value: &Json, path: &str, all: &mut Vec<(String, Json)>) {
        match value {
            // Shown raw: not a value of the field.
            Json::Object(map) if map.len() == 2 && map.contains_key("raw") => {}
            Json::Object(map) => map.iter().for_each(|(name, inner)| {
                if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                    leaves(inner, &format!("{path}.{name}"), all);
                }
            }),
            Json::Array(list) => list.iter().for_each(|inner| leaves(inner, path, all)),
            Json::Null => {}
            leaf => all.push((path.into(), leaf.clone())),
        }
    }
    let options = netkit::protocols::options();
    let names = Names::new(&options);
    let mut count = 0;
    let mut filters = std::collections::BTreeMap::new();
    for (file, lines) in CAPTURES.iter() {
        for line in lines {
            let word = |key: &str| line[key].as_str().expect("a word");
            let mut all = Vec::new();
            for part in ["fields", "derived"] {
                leaves(&line[part], &format!("{}.{}.{part}", word("proto"), word("message")), &mut all);
            }
            for (path, value) in all {
                let literal = match &value {
                    Json::String(text) if text.chars().any(char::is_control) => continue,
                    Json::String(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
                    other => other.to_string(),
                };
                let text = format!("{path} == {literal}");
                if let Err(why) = Filter::parse(&text, &names) {
                    panic!("{why}");
                }
                count += 1;
                let frame = line["frame"].as_u64().expect("a number");
                filters.entry((*file, path)).or_insert((text, frame));
            }
        }
    }
    assert!(count > 3000, "{count}");
    // A filter of every seventh field is run, too.
    assert!(filters.len() > 100, "{}", filters.len());
    for ((file, _), (text, frame)) in filters.iter().step_by(7) {
        let found = decode(file, Some(text));
        assert!(found.iter().any(|line| line["frame"] == *frame), "{file} {text}: frame {frame}");
    }
}
