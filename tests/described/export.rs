//! Built-in protocols written as protocol files: `netkit fields NAME --as-toml`. For every fixture, the written file
//! must decode to the same fields as the built-in protocol, and encode to the same bytes.

use crate::common::{Scratch, all_fixtures, args_of, ends_in, fixture};
use crate::described::run;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

const WRITTEN: [&str; 4] = ["riptide", "dnp", "acknex", "nano"];

/// The lines of one protocol, with their bytes.
fn decode(args: &[&str], proto: &str) -> Vec<Json> {
    let done = run(&[&["decode", "-f", "ndjson", "--bytes"], args].concat());
    let reported = String::from_utf8_lossy(&done.stderr);
    assert!(matches!(done.status.code(), Some(0 | 3)), "{args:?}: {reported}");
    let lines = std::str::from_utf8(&done.stdout).expect("UTF-8").lines();
    lines.map(|line| serde_json::from_str(line).expect("JSON")).filter(|line: &Json| line["proto"] == proto).collect()
}

/// The lines by frame and index in that frame.
fn by_place(lines: Vec<Json>) -> BTreeMap<(u64, usize), Json> {
    let mut count = BTreeMap::new();
    let place = |line: Json| {
        let frame = line["frame"].as_u64().expect("a frame");
        let before = count.entry(frame).or_insert(0);
        *before += 1;
        ((frame, *before), line)
    };
    lines.into_iter().map(place).collect()
}

/// The settings for one frame that the built-in protocol recognises itself and the file needs to be given.
fn settings(proto: &str, lines: &[&Json], args: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    let mut set = |name: &str, value: &str| all.push(format!("my_{proto}.{name}={value}"));
    if let Some(version) = lines[0]["version"].as_str() {
        set("version", version);
    }
    if proto == "acknex" {
        let reading = |name: &str| lines.iter().find_map(|line| line["derived"]["reading"][name].as_str());
        let plane = if reading("no_z") == Some("yes") { "_xy" } else { "" };
        set("positions", &format!("{}{plane}", reading("position").unwrap_or("packed")));
        set("angle", reading("angle").unwrap_or("be"));
        set("skin_place", reading("skin").unwrap_or("table"));
        set("color_order", if reading("color").is_some() { "other" } else { "usual" });
        let skip = args.iter().find_map(|arg| arg.strip_prefix("acknex.skip="));
        set("skip", skip.unwrap_or("0"));
    }
    all
}

/// Whether fewer bytes are there than nano's header declares.
fn is_cut(package: &str) -> bool {
    let length = package.get(2..8).and_then(|hex| usize::from_str_radix(hex, 16).ok());
    length.is_none_or(|length| package.len() < 8 + 2 * length)
}

/// The expected message and fields by the file, for a line of the built-in protocol; `None`: the page lists it as left
/// out.
fn expected(proto: &str, line: &Json) -> Option<(String, Json)> {
    let name = line["message"].as_str().expect("a name");
    let mut fields = line["fields"].clone();
    let name = match (proto, name) {
        ("dnp", "link_update") | ("nano", "unknown" | "data") => return None,
        ("acknex", "unknown") if line["from"] == "unknown" => return None,
        ("nano", _) if is_cut(line["bytes"].as_str().expect("hex")) => return None,
        // An id of more than ten groups.
        ("nano", _) if fields["id"]["bits"].as_u64() > Some(80) => return None,
        // Not a byte of it was there.
        (_, "unknown") if line["bytes"] == "" => "packet",
        ("riptide", "unknown") => "unknown_type",
        ("dnp" | "acknex", "unknown") => "unknown_command",
        (_, name) => name,
    };
    // A group of which no field could be read.
    if let (Some(_), "acknex", Some(map)) = (line.get("fault"), proto, fields.as_object_mut()) {
        map.retain(|_, value| *value != json!({}));
    }
    // Bytes after a complete message.
    if let (None, Some(map)) = (line.get("fault"), fields.as_object_mut())
        && let Some(following) = map.shift_remove("unparsed")
    {
        map.insert("trailing".into(), following);
    }
    Some((name.into(), fields))
}

/// The lines' packets, in hex.
fn packets(lines: &[Json]) -> Vec<String> {
    let (mut all, mut packet) = (Vec::new(), String::new());
    for line in lines {
        packet += line["bytes"].as_str().expect("bytes");
        if line["part"].is_null() || line["part"][0] == line["part"][1] {
            all.push(std::mem::take(&mut packet));
        }
    }
    all
}

/// The packets that `netkit encode` writes for these lines, in hex.
fn encode(lines: &[Json], more: &[&str]) -> Vec<String> {
    let mut command = crate::common::netkit(&[&["encode", "--json", "-"], more].concat());
    command.env("XDG_CONFIG_HOME", crate::common::root().join("fixtures")).stdin(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the program");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A thread writes the input: it may be larger than a pipe's buffer.
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let feeder = std::thread::spawn(move || _ = stdin.write_all(text.as_bytes()));
    let done = child.wait_with_output().expect("the program");
    feeder.join().expect("the input is written");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("UTF-8").lines().map(String::from).collect()
}

/// Compares a protocol on every fixture; returns the number of compared lines, by version.
fn compare(proto: &str) -> BTreeMap<String, usize> {
    let folder = Scratch::new(&format!("export-{proto}"));
    let written = run(&["fields", proto, "--as-toml"]);
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let toml = folder.write("written.toml", &written.stdout);
    let mine = format!("my_{proto}");
    let mut compared = BTreeMap::new();
    for capture in all_fixtures().into_iter().filter(|path| ends_in(path, "pcap")) {
        let path = capture.display().to_string();
        let args = args_of(&capture);
        let given: Vec<&str> = args.iter().map(String::as_str).collect();
        let built_in = decode(&[&[&path[..]], &given[..]].concat(), proto);
        if built_in.is_empty() {
            continue;
        }
        // Options about conversations, not about the protocol.
        let about = args.windows(2).filter(|two| two[0] == "--server" || two[0] == "--from");
        let about: Vec<&str> = about.flatten().map(String::as_str).collect();
        let built_in = by_place(built_in);
        let mut frames: BTreeMap<u64, Vec<&Json>> = BTreeMap::new();
        built_in.iter().for_each(|((frame, _), line)| frames.entry(*frame).or_default().push(line));
        let read_by: BTreeMap<u64, Vec<String>> =
            frames.iter().map(|(frame, lines)| (*frame, settings(proto, lines, &args))).collect();
        let groups: BTreeSet<&Vec<String>> = read_by.values().collect();
        for group in groups {
            let set: Vec<&str> = group.iter().flat_map(|one| ["-s", one]).collect();
            let by_file = ["--protocol-file", &toml[..]];
            let lines = decode(&[&[&path[..], "-p", &mine], &by_file[..], &about, &set].concat(), &mine);
            assert_eq!(encode(&lines, &[&by_file[..], &set].concat()), packets(&lines), "{path} {group:?}");
            let lines = by_place(lines);
            // Directions of nano's streams that are out of step: the file does not search for the next package. A
            // direction that begins in the middle is in step if whole packages end with a segment.
            let (mut lost, mut begun) = (BTreeSet::new(), BTreeSet::new());
            for (place, line) in built_in.iter().filter(|((frame, _), _)| read_by[frame] == *group) {
                let direction = (line["flow"].as_u64(), line["src"].as_str());
                if (proto, line["message"].as_str()) == ("nano", Some("unknown")) {
                    lost.insert(direction);
                }
                let first = begun.insert(direction);
                if proto == "nano" && first && line["message"] != "handshake" && line["frames"].is_array() {
                    continue;
                }
                if lost.contains(&direction) {
                    continue;
                }
                // A package in two WebSocket messages: each is an incomplete packet.
                let begins = line["frames"][0].as_u64().and_then(|frame| lines.get(&(frame, 1)));
                let half = |line: &Json| line["message"] == "packet" && line.get("fault").is_some();
                if proto == "nano" && begins.is_some_and(half) {
                    continue;
                }
                let Some((name, mut fields)) = expected(proto, line) else { continue };
                let Some(found) = lines.get(place) else { panic!("{path} {place:?}: no line, but {line}") };
                // A broken update of Acknex has a command, which the file puts into the header.
                let command = fields["command"].as_u64().filter(|_| proto == "acknex" && name != "unknown_command");
                if let Some(command) = command {
                    assert_eq!(found["packet"]["command"], command, "{path} {place:?}");
                    fields.as_object_mut().expect("fields").shift_remove("command");
                }
                assert_eq!((&found["message"], &found["fields"]), (&json!(name), &fields), "{path} {place:?}: {found}");
                // Bytes before the first message belong to the packet, so to its first line.
                let (mine, own) = (found["bytes"].as_str().expect("hex"), line["bytes"].as_str().expect("hex"));
                let skipped = if place.1 == 1 { found["packet"]["skipped"].as_str().unwrap_or("") } else { "" };
                assert_eq!(mine, format!("{skipped}{own}"), "{path} {place:?}");
                assert_eq!(found.get("fault").is_some(), line.get("fault").is_some(), "{path} {place:?}: {found}");
                *compared.entry(line["version"].as_str().unwrap_or("").to_owned()).or_insert(0) += 1;
            }
        }
    }
    compared
}

#[test]
fn riptide_by_its_file_is_riptide() {
    let compared = compare("riptide");
    assert!(["1.0", "1.2", "2.0", "2.1", "2.2"].iter().all(|version| compared[*version] > 20), "{compared:?}");
    assert!(compared.values().sum::<usize>() > 5_000, "{compared:?}");
}

#[test]
fn dnp_by_its_file_is_dnp() {
    assert!(compare("dnp")[""] > 1_500);
}

#[test]
fn acknex_by_its_file_is_acknex() {
    let compared = compare("acknex");
    assert!(compared["a5"] > 20 && compared["a6"] > 1_500, "{compared:?}");
}

#[test]
fn nano_by_its_file_is_nano() {
    assert!(compare("nano")[""] > 1_000);
}

#[test]
fn what_cannot_be_written_says_why() {
    let refused = |args: &[&str], what: &str| {
        let done = run(&[&["fields"], args].concat());
        let reported = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{reported}");
        assert!(done.stdout.is_empty() && reported.contains(what), "{reported}");
    };
    refused(&["gne", "--as-toml"], "gne cannot be written as a protocol file: a packet may contain a packet");
    refused(&["riptide.ack", "--as-toml"], "a whole protocol");
    refused(&["--as-toml"], "PROTO");
    let enet = fixture("protocols/enet.toml").display().to_string();
    refused(&["enet", "--protocol-file", &enet, "--as-toml"], "a file describes it already");
}

#[test]
fn what_is_left_out_is_in_the_file_and_on_the_page() {
    let page = include_str!("../../src/docs/protocol_files.md");
    for proto in WRITTEN {
        let text = run(&["fields", proto, "--as-toml"]).stdout;
        let text = String::from_utf8(text).expect("UTF-8");
        assert!(text.contains("# Left out:\n# - "), "{proto}");
        assert!(page.to_lowercase().contains(&format!("\n| {proto} | ")), "{proto}");
        // The text is the same in every run.
        assert_eq!(text.as_bytes(), run(&["fields", proto, "--as-toml"]).stdout, "{proto}");
    }
    // Parts that the language cannot describe are bytes, with the reason in a comment before them.
    let dnp = String::from_utf8(run(&["fields", "dnp", "--as-toml"]).stdout).expect("UTF-8");
    assert!(dnp.contains("known from earlier messages only\nundescribed = "), "{dnp}");
}
