//! Compares every capture with its truth, encodes it back to its bytes, and checks delivery by hand-checked numbers.

use crate::common::fixture;
use crate::described::run;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// The captures, and the protocol file of each.
pub const CASES: [(&str, &str); 10] = [
    ("a2s", "a2s"),
    ("enet", "enet"),
    ("enet-loss", "enet"),
    ("io-tcp", "io"),
    ("kcp", "kcp"),
    ("laminar", "laminar"),
    ("luanti", "luanti"),
    ("minecraft-login", "minecraft"),
    ("mqtt", "mqtt"),
    ("quake3", "quake3"),
];

pub fn toml(name: &str) -> String {
    fixture(&format!("protocols/{name}.toml")).display().to_string()
}

pub fn pcap(name: &str) -> String {
    fixture(&format!("described/{name}.pcap")).display().to_string()
}

/// The objects of ndjson lines.
pub fn lines(text: &str) -> Vec<Json> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The factor between the file's scaled numbers and the truth, which has them as on the wire.
fn scale(case: &str, name: &str) -> f64 {
    match (case, name) {
        ("luanti", "position" | "speed" | "pitch" | "yaw") => 100.0,
        ("luanti", "fov") => 80.0,
        _ => 1.0,
    }
}

/// All values by their names, in groups of any depth.
fn leaves(value: &Json, name: &str, scale: &dyn Fn(&str) -> f64, out: &mut Vec<(String, String)>) {
    match value {
        Json::Object(map) if !map.contains_key("raw") => {
            map.iter().for_each(|(name, value)| leaves(value, name, scale, out));
        }
        Json::Array(list) => list.iter().for_each(|value| leaves(value, name, scale, out)),
        Json::Number(n) if n.is_f64() || scale(name) != 1.0 => {
            let n = n.as_f64().unwrap_or(f64::NAN) * scale(name);
            out.push((name.into(), format!("{n:.4e}")));
        }
        // The truth may write a whole number as 64.0.
        Json::Number(n) => out.push((name.into(), format!("{n}"))),
        other => out.push((name.into(), other.to_string())),
    }
}

/// The values of a line that the truth has, too.
fn values(line: &Json, scale: &dyn Fn(&str) -> f64) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for part in ["packet", "fields"] {
        if let Some(value) = line.get(part) {
            leaves(value, "", scale, &mut all);
        }
    }
    // `low` of MQTT is another view of the truth's dup, qos, retain or flags; definitions of Luanti are inflated here,
    // and compressed there. Laminar's constant is hidden. The end of a Quake command, and players, are outside its
    // truth's fields.
    let ignored = ["low", "flags", "definitions", "compressed", "inflated", "sha256", "length"];
    let others = ["protocol_version", "command", "players"];
    let ignored = [&ignored[..], &others].concat();
    all.retain(|(name, _)| !ignored.contains(&name.as_str()));
    all.iter_mut().for_each(|(_, value)| {
        if let Ok(n) = value.parse::<f64>() {
            *value = format!("{n:.4e}");
        }
    });
    all.sort();
    all
}

#[test]
fn every_message_is_as_the_truth_has_it() {
    for (case, file) in CASES {
        let reported = run(&["decode", &pcap(case), "-p", &toml(file), "-f", "ndjson", "--bytes"]);
        assert_eq!(reported.status.code(), Some(0), "{case}: {}", String::from_utf8_lossy(&reported.stderr));
        let reported = lines(&String::from_utf8(reported.stdout).unwrap());
        let truth = std::fs::read_to_string(fixture(&format!("described/{case}.truth.ndjson"))).unwrap();
        let truth = lines(&truth);
        let mut by: BTreeMap<(u64, String), Vec<&Json>> = BTreeMap::new();
        for line in &reported {
            let key = (line["frame"].as_u64().unwrap(), line["from"].as_str().unwrap().into());
            by.entry(key).or_default().push(line);
        }
        for want in &truth {
            let key = (want["frame"].as_u64().unwrap(), want["from"].as_str().unwrap().into());
            let queue = by.get_mut(&key).unwrap_or_else(|| panic!("{case}: not told: {want}"));
            let have = queue.remove(0);
            assert_eq!(have["message"], want["message"], "{case}: {have}");
            let own = |name: &str| if have["message"] == "move_player" { 1.0 } else { scale(case, name) };
            let own = |name: &str| {
                let message = have["message"].as_str().unwrap_or("");
                let scaled = ["playerpos", "interact"].contains(&message);
                if scaled { own(name) } else { 1.0 }
            };
            assert_eq!(values(have, &own), values(want, &|_| 1.0), "{case}: {have}");
            assert!(have.get("fault").is_none(), "{case}: {have}");
            if let Some(whole) = want.get("reassembled") {
                let joined = &have["derived"]["joined"];
                assert_eq!(joined["length"], whole["length"], "{case}: {have}");
                assert_eq!(joined["frames"], whole["frames"], "{case}: {have}");
                let bytes = joined["bytes"].as_str().expect("the bytes of the whole");
                assert_eq!(bytes.len() as u64 / 2, whole["length"].as_u64().unwrap());
                if let Some(message) = whole.get("message") {
                    assert_eq!(&joined["message"], message, "{case}: {have}");
                }
            }
        }
        assert_eq!(by.values().map(Vec::len).sum::<usize>(), 0, "{case}: lines too many");
    }
}

#[test]
fn lines_give_their_packets_back() {
    for (case, file) in CASES {
        let reported = run(&["decode", &pcap(case), "-p", &toml(file), "-f", "ndjson", "--bytes"]);
        let text = String::from_utf8(reported.stdout).unwrap();
        let mut packets: Vec<String> = Vec::new();
        for line in lines(&text).iter().filter(|line| line["proto"] == file) {
            let bytes = line["bytes"].as_str().unwrap();
            match line["part"][0].as_u64() {
                Some(2..) => packets.last_mut().unwrap().push_str(bytes),
                _ => packets.push(bytes.into()),
            }
        }
        let path = std::env::temp_dir().join(format!("netkit-described-{}-{case}.ndjson", std::process::id()));
        // Without `--bytes` the lines have only the fields.
        let plain = run(&["decode", &pcap(case), "-p", &toml(file), "-f", "ndjson"]);
        std::fs::write(&path, plain.stdout).unwrap();
        let back = run(&["encode", "--json", &path.display().to_string(), "--protocol-file", &toml(file)]);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(back.status.code(), Some(0), "{case}: {}", String::from_utf8_lossy(&back.stderr));
        let back = String::from_utf8(back.stdout).unwrap();
        assert_eq!(back.lines().map(String::from).collect::<Vec<_>>(), packets, "{case}");
    }
}

#[test]
fn a_part_that_is_missing_is_named() {
    let reported = run(&["decode", &pcap("enet"), "-p", &toml("enet"), "-f", "ndjson"]);
    let text = String::from_utf8(reported.stdout).unwrap();
    let first: Vec<&str> = text.lines().filter(|line| line.contains("\"part\":[1,2]")).take(1).collect();
    let path = std::env::temp_dir().join(format!("netkit-described-{}-part.ndjson", std::process::id()));
    std::fs::write(&path, first.join("\n")).unwrap();
    let back = run(&["encode", "--json", &path.display().to_string(), "--protocol-file", &toml("enet")]);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(back.status.code(), Some(3));
    let why = String::from_utf8(back.stderr).unwrap();
    assert!(why.contains("part 2 of 2 is missing"), "{why}");
}

/// The figures of delivery, by sender.
fn delivery(case: &str, file: &str) -> Vec<BTreeMap<String, u64>> {
    let reported = run(&["stats", &pcap(case), "-p", &toml(file), "-f", "json"]);
    assert_eq!(reported.status.code(), Some(0), "{}", String::from_utf8_lossy(&reported.stderr));
    let stats: Json = serde_json::from_slice(&reported.stdout).unwrap();
    let mut sides = Vec::new();
    for from in ["client", "server"] {
        let rows = stats["delivery"].as_array().unwrap();
        let side = rows.iter().find(|row| row["from"] == from).unwrap_or_else(|| panic!("{from}: {rows:?}"));
        let number = |name: &str| side[name].as_u64().unwrap_or_else(|| panic!("{name} of {side}"));
        let names = ["messages", "sent", "resent", "duplicates", "never_acked"];
        sides.push(names.into_iter().map(|name| (name.into(), number(name))).collect());
    }
    sides
}

#[test]
fn delivery_is_counted_as_the_captures_were_checked_by_hand() {
    for (case, file) in [("enet", "enet"), ("enet-loss", "enet"), ("kcp", "kcp"), ("luanti", "luanti")] {
        let text = std::fs::read_to_string(fixture(&format!("described/{case}.delivery.json"))).unwrap();
        let truth: Json = serde_json::from_str(&text).unwrap();
        for (side, want) in delivery(case, file).iter().zip(truth["delivery"].as_array().unwrap()) {
            for (name, own) in [("numbers", "messages"), ("copies", "sent"), ("never_acked", "never_acked")] {
                assert_eq!(Some(side[own]), want[name].as_u64(), "{case} {}: {own}", want["from"]);
            }
            if let Some(acked) = want.get("acknowledged") {
                assert_eq!(Some(side["messages"] - side["never_acked"]), acked.as_u64(), "{case} {}", want["from"]);
            }
            // The truth counts every copy; copies after an acknowledgement are duplicates here.
            assert_eq!(side["sent"] - side["messages"], side["resent"] + side["duplicates"], "{case}");
        }
    }
}

#[test]
fn other_names_and_numbers_work_as_well() {
    let text = std::fs::read_to_string(toml("enet")).unwrap();
    let changed = text
        .replace("protocol = \"enet\"", "protocol = \"other\"")
        .replace("channel_id", "lane")
        .replace("reliable_sequence_number", "serial")
        .replace("\"fragment\"", "\"part\"")
        .replace("[struct.fragment]", "[struct.part]")
        .replace("send_reliable", "message_of_the_day");
    let path = std::env::temp_dir().join(format!("netkit-described-{}-other.toml", std::process::id()));
    std::fs::write(&path, changed).unwrap();
    let own = run(&["decode", &pcap("enet"), "-p", &toml("enet"), "-f", "ndjson"]);
    let other = run(&["decode", &pcap("enet"), "-p", &path.display().to_string(), "-f", "ndjson"]);
    std::fs::remove_file(&path).unwrap();
    let own = String::from_utf8(own.stdout).unwrap();
    let other = String::from_utf8(other.stdout).unwrap();
    let back = other
        .replace("\"proto\":\"other\"", "\"proto\":\"enet\"")
        .replace("other.", "enet.")
        .replace("lane", "channel_id")
        .replace("serial", "reliable_sequence_number")
        .replace("message_of_the_day", "send_reliable");
    assert_eq!(own, back);
}

#[test]
fn filters_find_headers_and_fields() {
    let count = |filter: &str| {
        let reported = run(&["decode", &pcap("enet"), "-p", &toml("enet"), "-f", "ndjson", "-F", filter]);
        assert_eq!(reported.status.code(), Some(0), "{filter}: {}", String::from_utf8_lossy(&reported.stderr));
        reported.stdout.iter().filter(|byte| **byte == b'\n').count()
    };
    let all = count("proto == enet");
    assert_eq!(all, 101);
    assert_eq!(count("enet.send_fragment"), count("message == send_fragment"));
    assert_eq!(count("packet.channel_id == 255"), count("channel_id == 255"));
    assert_eq!(count("channel_id == 255") + count("channel_id != 255"), all);
    assert_eq!(count("mtu == 1400"), 2);
    assert_eq!(count("derived.joined.length == 4000"), 2);
}

#[test]
fn conversations_are_recognised_and_no_others_claimed() {
    let all: std::collections::BTreeSet<String> =
        CASES.iter().map(|(_, file)| toml(file)).chain([toml("raknet")]).collect();
    let files: Vec<String> = all.into_iter().collect();
    let claimed = |capture: &str| {
        let mut args = vec!["decode", capture, "-f", "ndjson"];
        files.iter().for_each(|file| args.extend(["--protocol-file", file]));
        let reported = run(&args);
        let mut protos: Vec<String> =
            lines(&String::from_utf8(reported.stdout).unwrap()).iter().map(|line| line["proto"].to_string()).collect();
        protos.dedup();
        protos
    };
    for (case, file) in CASES.into_iter().chain([("raknet", "raknet")]) {
        assert_eq!(claimed(&pcap(case)), [format!("{file:?}")], "{case}");
    }
    // These captures have two messages of MQTT, messages of KCP, and queries of Quake.
    for capture in crate::common::entries(&fixture("foreign")) {
        let protos = claimed(&capture.display().to_string());
        assert!(
            protos.is_empty()
                || protos == ["\"mqtt\""]
                || protos == ["\"kcp\""] && capture.ends_with("foreign-kcp_push_conv_0x20.pcap")
                || protos == ["\"quake3\""] && capture.ends_with("foreign-quake_oob.pcap"),
            "{}: {protos:?}",
            capture.display()
        );
    }
    for proto in ["riptide", "dnp", "gne", "acknex"] {
        let captures = crate::common::entries(&fixture(proto)).into_iter();
        for capture in captures.filter(|path| crate::common::ends_in(path, "pcap")).take(3) {
            let protos = claimed(&capture.display().to_string());
            assert!(
                protos.iter().all(|p| [format!("{proto:?}"), "\"hawknl\"".into()].contains(p)),
                "{}: {protos:?}",
                capture.display()
            );
        }
    }
}

#[test]
fn every_form_shows_headers_parts_and_wholes() {
    let shown = |format: &str, filter: &str| {
        let reported = run(&["decode", &pcap("enet"), "-p", &toml("enet"), "-f", format, "-F", filter]);
        assert_eq!(reported.status.code(), Some(0), "{format}: {}", String::from_utf8_lossy(&reported.stderr));
        String::from_utf8(reported.stdout).unwrap()
    };
    // Frame 3 has an acknowledgement and a ping.
    for format in ["summary", "table", "tree"] {
        let text = shown(format, "frame == 3");
        for part in ["enet acknowledge 1/2", "enet ping 2/2"] {
            assert!(text.contains(part), "{format}: {part}: {text}");
        }
        assert_eq!(text.matches("channel_id").count(), 2, "{format}: {text}");
        let whole = shown(format, "derived.joined.length == 2500");
        assert!(whole.contains("joined") && whole.contains("2500"), "{format}: {whole}");
    }
    // The message's own fields come first.
    let summary = shown("summary", "message == connect");
    assert!(summary.find("mtu=1400").unwrap() < summary.find("peer_id=4095").unwrap(), "{summary}");
    for (format, separator) in [("csv", ","), ("tsv", "\t")] {
        let text = shown(format, "frame == 3");
        let head = text.lines().next().unwrap();
        assert!(head.ends_with(&["fields", "part", "packet", "derived"].join(separator)), "{head}");
        assert!(text.contains("[2,2]") && text.contains("channel_id"), "{text}");
        assert!(shown(format, "derived.joined.length == 2500").contains("joined"));
    }
}
