//! `decode -w`: writes the frames of messages as a capture.

use crate::common;
use crate::common::{Done, Scratch, Wire, args_of, fixture, records, run};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

fn decode(path: &str, args: &[&str]) -> Done {
    run(&[&["decode", path], args].concat(), b"")
}

/// All frames of these lines.
fn frames(lines: &[Json]) -> BTreeSet<u64> {
    let list = |line: &Json| match line["frames"].as_array() {
        Some(frames) => frames.iter().filter_map(Json::as_u64).collect(),
        None => vec![line["frame"].as_u64().expect("a number")],
    };
    lines.iter().flat_map(list).collect()
}

#[test]
fn the_frames_of_messages_unchanged() {
    let folder = Scratch::new("cut");
    for (capture, filter) in [
        ("riptide/riptide22-lossy.pcap", "message == reliable and from == client"),
        // In IP fragments.
        ("dnp/dnp-frag.pcap", "length > 1000"),
        // Over TCP, in several segments.
        ("nano/nano-tcp-bad.pcap", "message in {handshake, request}"),
        ("riptide/riptide22-lossy.pcap", "frame == 0"),
    ] {
        let path = fixture(capture);
        let path = path.to_str().expect("UTF-8");
        let args = args_of(Path::new(path));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (cut, next) = (folder.file("cut.pcap"), folder.file("cut.PCAPNG"));
        for to in [&cut, &next] {
            let done = decode(path, &[&["-F", filter, "-w", to, "--force"], &args[..]].concat()).ok();
            assert_eq!(done.text(), "", "{capture}: nothing is printed");
        }
        let lines = decode(path, &[&["-F", filter, "-f", "ndjson"], &args[..]].concat()).ok().lines();
        let wanted = frames(&lines);
        let all = records(&std::fs::read(path).expect("a capture"));
        let chosen: Vec<Vec<u8>> = wanted.iter().map(|frame| all[*frame as usize - 1].clone()).collect();
        assert_eq!(records(&std::fs::read(&cut).expect("written")), chosen, "{capture}");
        assert!(filter == "frame == 0" || chosen.len() > 1 && chosen.len() < all.len(), "{capture}: {}", chosen.len());
        // Both files have the same content.
        let both = [&cut, &next].map(|file| decode(file, &[&["-f", "ndjson", "-q"], &args[..]].concat()).ok());
        assert_eq!(both[0], both[1], "{capture}");
        assert_eq!(&std::fs::read(&next).expect("written")[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
    }
}

#[test]
fn whole_conversations() {
    let folder = Scratch::new("cut-whole");
    for (capture, filter, flow) in [
        ("riptide/riptide22-lossy.pcap", "flow == 2 and message == welcome", "2"),
        ("gne/gne-le-two-clients.pcap", "flow == 3", "3"),
        ("dnp/dnp-frag.pcap", "length > 1000 and flow == 1", "1"),
    ] {
        let path = fixture(capture);
        let (path, cut) = (path.to_str().expect("UTF-8"), folder.file("cut.pcap"));
        let args = args_of(Path::new(path));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        decode(path, &[&["-F", filter, "--whole", "-w", &cut, "--force", "-c", "1"], &args[..]].concat()).ok();
        let plain = |done: Done| -> Vec<Json> {
            let pick = |line: Json| serde_json::json!([line["time"], line["src"], line["message"], line["fields"]]);
            done.lines().into_iter().map(pick).collect()
        };
        let got = plain(decode(&cut, &[&["-f", "ndjson"], &args[..]].concat()).ok());
        let expected = plain(decode(path, &[&["-f", "ndjson", "--flow", flow], &args[..]].concat()).ok());
        assert!(expected.len() > 2, "{capture}: {}", expected.len());
        assert_eq!(got, expected, "{capture}");
    }
}

/// Frames that the format cannot hold are refused, and no file is left.
#[test]
fn frames_of_two_kinds() {
    use netkit::capture::{Capture, LinkType, PcapWriter, Time};
    let folder = Scratch::new("cut-kinds");
    let mut wire = Wire::default();
    let ends = ["127.0.0.1:50000".parse().expect("an end"), "127.0.0.1:7777".parse().expect("an end")];
    (0..3).for_each(|_| wire.datagram(ends, true, &[5, 3, 20, 0]));
    let a = folder.write("a.pcap", wire.file());
    let mut raw = Vec::new();
    let mut writer = PcapWriter::new(&mut raw, LinkType(101), 9).expect("a header");
    for (k, record) in records(&wire.file()).iter().enumerate() {
        // One frame was cut when it was captured: it stays cut.
        let data = &record[30..];
        writer.record(Time { secs: 90_000 + k as i64, frac: 1, digits: 9 }, data, data.len() + 7 * k).expect("written");
    }
    let b = folder.write("b.pcap", raw);
    let options = ["-p", "riptide", "-s", "riptide.version=2.0", "--join"];
    let to = |name: &str| {
        let (name, mut args) = (folder.file(name), vec!["decode", &*a, &*b]);
        args.extend(options);
        args.extend(["-w", &name]);
        run(&args, b"")
    };
    let done = to("both.pcap");
    assert_eq!(done.status, Some(3), "{}", done.err);
    assert!(done.err.contains("frame 4: ") && done.err.contains("name the file .pcapng"), "{}", done.err);
    assert_eq!(common::entries(folder.path()).len(), 2, "nothing is left behind");
    to("both.pcapng").ok();
    let file = std::fs::File::open(folder.file("both.pcapng")).expect("it");
    let mut capture = Capture::open(Box::new(file)).expect("a capture");
    let mut seen = Vec::new();
    while let Some(frame) = capture.next().expect("a frame") {
        seen.push((frame.link.0, frame.time.digits, frame.length - frame.data.len()));
    }
    assert_eq!(seen, [(1, 6, 0), (1, 6, 0), (1, 6, 0), (101, 9, 0), (101, 9, 7), (101, 9, 14)]);
}

#[test]
fn what_is_refused() {
    let folder = Scratch::new("cut-refused");
    let capture = std::fs::read(fixture("riptide/riptide20-udp.pcap")).expect("it");
    let path = folder.write("a.pcap", &capture);
    let (older, text) = (folder.write("older.pcap", "older"), folder.write("text", "08 01 00 01 00\n"));
    let new = folder.file("new.pcap");
    for (args, status, why) in [
        (vec![&*path, "-w", &older], 2, "--force"),
        (vec![&*path, "-w", &path, "--force"], 2, "a.pcap"),
        (vec!["-", "-w", &new], 2, "more than once"),
        (vec![&*path, &*path, "-w", &new], 2, "--join"),
        (vec![&*path, "-w", &new, "-f", "ndjson"], 2, "cannot be used with"),
        (vec![&*path, "--whole"], 2, "--write"),
        (vec![&*text, "-w", &new, "-p", "riptide"], 3, "hex text has no frames"),
        (vec!["nosuch.pcap", "-w", &new], 3, "nosuch.pcap"),
    ] {
        let done = run(&[&["decode"], &args[..]].concat(), &capture);
        assert_eq!(done.status, Some(status), "{args:?}: {}", done.err);
        assert!(done.err.contains(why), "{args:?}: {}", done.err);
        assert!(!Path::new(&new).exists(), "{args:?}");
    }
    assert_eq!(std::fs::read_to_string(&older).expect("it"), "older");
    // A truncated capture: the readable part is written, and the status reports the rest.
    let cut = folder.write("cut.pcap", &capture[..3000]);
    let done = run(&["decode", &cut, "-w", &new], b"");
    assert_eq!(done.status, Some(3), "{}", done.err);
    assert!(records(&std::fs::read(&new).expect("written")).len() > 10);
    // Gates have the same result as without -w.
    let done = run(&["decode", &path, "-w", &new, "--force", "--reject", "message == welcome"], b"");
    assert_eq!(done.status, Some(1), "{}", done.err);
}

/// The captures that are redacted here.
fn fixtures_to_redact() -> Vec<std::path::PathBuf> {
    common::all_fixtures().into_iter().filter(|path| common::ends_in(path, "pcap")).collect()
}

/// The shape of a value: names of members and texts by their lengths; numbers as they are.
fn shape(value: &Json) -> Json {
    match value {
        Json::String(text) => Json::from(format!("{} bytes", text.len())),
        Json::Array(list) => list.iter().map(shape).collect(),
        // Bits that are not a valid number are replaced by others, which may be one.
        Json::Object(map) if map.len() == 2 && map.contains_key("raw") && map.contains_key("bits") => "bits".into(),
        // Right checksums are left out, and computed again.
        Json::Object(map) => {
            let sum = |key: &str, value: &Json| ["crc", "checksum"].contains(&key) && value.is_number();
            map.iter().filter(|(key, value)| !sum(key, value)).map(|(_, value)| shape(value)).collect()
        }
        other => other.clone(),
    }
}

/// Whether two shapes are equal, except that bits which are not a valid number may have become one.
fn alike(before: &Json, after: &Json) -> bool {
    match (before, after) {
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Json::String(bits), Json::Number(number)) => bits == "bits" && number.is_f64(),
        _ => before == after,
    }
}

/// Collects the words of a value, at least six letters long, that a person may have written.
fn words(value: &Json, list: &mut BTreeSet<String>) {
    match value {
        Json::String(text) => {
            let letters = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() >= 6;
            list.extend(text.split(|c: char| !c.is_alphanumeric()).filter(letters).map(String::from));
        }
        Json::Array(items) => items.iter().for_each(|value| words(value, list)),
        Json::Object(map) => map.iter().for_each(|(name, value)| {
            words(&Json::from(name.as_str()), list);
            words(value, list);
        }),
        _ => {}
    }
}

/// `--redact`: the output has the fields, lengths, numbers and notes of the original, and none of its addresses.
#[test]
fn redacted_messages_are_of_the_same_form() {
    let mut checked = 0;
    for path in fixtures_to_redact() {
        let args = args_of(&path);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let path = path.to_str().expect("UTF-8");
        let given = [&["-q", "-f", "ndjson", "--bytes"], &args[..]].concat();
        let (plain, other) = (decode(path, &given), decode(path, &[&given[..], &["--redact"]].concat()));
        assert_eq!(
            (plain.status, plain.text().lines().count()),
            (other.status, other.text().lines().count()),
            "{path}"
        );
        for (a, b) in plain.lines().iter().zip(other.lines()) {
            for key in ["src", "dst"] {
                let ends = [&a[key], &b[key]].map(|end| end.as_str().unwrap_or_default().to_string());
                let only = ends[0].starts_with("[::1]:");
                assert_eq!(ends[0] == ends[1], only || ends[0].is_empty(), "{path}: {ends:?}");
                let [port, other] = ends.each_ref().map(|end| end.rsplit(':').next().unwrap_or_default());
                assert_eq!(port, other, "ports stay");
            }
            for key in ["fields", "derived", "packet", "bytes"] {
                assert_eq!(shape(&a[key]), shape(&b[key]), "{path}: {a} {b}");
            }
            for key in ["frame", "time", "flow", "proto", "from", "message", "length", "related", "part"] {
                assert_eq!(a[key], b[key], "{path}: {key}");
            }
            let codes = |line: &Json| {
                line["notes"].as_array().map(|all| all.iter().map(|n| n["code"].clone()).collect::<Vec<_>>())
            };
            assert_eq!(codes(a), codes(&b), "{path}");
            checked += 1;
        }
    }
    assert!(checked > 10_000, "{checked}");
}

/// The addresses in the headers of a pcap file. (Elsewhere their bytes may occur by chance: a checksum before an empty
/// urgent pointer and an option reads as 127.0.0.1 once in 256 packets.)
fn addresses(file: &[u8]) -> BTreeSet<std::net::IpAddr> {
    let mut found = BTreeSet::new();
    let mut rest = &file[24..];
    while let Some((head, after)) = rest.split_at_checked(16) {
        let (frame, after) = after.split_at(u32::from_le_bytes(head[8..12].try_into().unwrap()) as usize);
        match etherparse::SlicedPacket::from_ethernet(frame).expect("Ethernet").net {
            Some(etherparse::NetSlice::Ipv4(ip)) => {
                found.extend([ip.header().source_addr(), ip.header().destination_addr()].map(std::net::IpAddr::V4));
            }
            Some(etherparse::NetSlice::Ipv6(ip)) => {
                found.extend([ip.header().source_addr(), ip.header().destination_addr()].map(std::net::IpAddr::V6));
            }
            _ => {}
        }
        rest = after;
    }
    assert!(!found.is_empty(), "no address was found");
    found
}

/// Redacts a capture into every form of output. Returns the secrets that are shown, each with the output.
fn leaks(capture: &str, path: &str, args: &[&str], secrets: &BTreeSet<String>, folder: &Scratch) -> BTreeSet<String> {
    let mut outputs = Vec::new();
    for format in ["tree", "summary", "table", "ndjson", "json", "csv", "dialogue"] {
        let more: &[&str] = match format {
            "csv" => &["--columns", "time,src,dst,message,route,payload,body,data"],
            "dialogue" => &["--flow", "1"],
            "ndjson" | "json" => &["--bytes", "--link"],
            _ => &["-vv"],
        };
        let done = decode(path, &[&["-f", format, "--redact"], more, args].concat());
        outputs.push((format.to_string(), done.text().to_string() + &done.err));
    }
    let name = path.rsplit('/').next().expect("a name").split('.').next().expect("a stem");
    for more in [
        &["-f", "json"][..],
        &["--by", "src,route", "-f", "csv"],
        &["--unanswered", "--latency"],
        &["--track", "route", "-f", "csv"],
        &["--track", "length"],
        &["--by", "peer"],
    ] {
        let done = run(&[&["stats", path, "--redact"], more, args].concat(), b"");
        assert!(!done.text().contains(&format!("{name}.pcap")), "{name}: {}", done.text());
        outputs.push((more.join(" "), done.text().to_string() + &done.err.replace(path, "")));
    }
    let top = run(&[&["top", path, "--redact"], args].concat(), b"").ok();
    assert!(!top.text().contains(&format!("{name}.pcap")), "{name}: {}", top.text());
    outputs.push(("top".into(), top.text().to_string()));
    let to = folder.file("redacted.pcap");
    decode(path, &[&["--redact", "-w", &to, "--force"], args].concat());
    let file = std::fs::read(&to).expect("written");
    let mut found = BTreeSet::new();
    for secret in secrets {
        for (name, text) in &outputs {
            // A new address may begin as an old one does: 10.0.0.161.
            let is_longer = |at: usize| {
                let next = text[at + secret.len()..].chars().next();
                match secret.parse::<std::net::IpAddr>() {
                    Ok(ip) => {
                        next.is_some_and(|c| if ip.is_ipv4() { c.is_ascii_digit() } else { c.is_ascii_hexdigit() })
                    }
                    Err(_) => false,
                }
            };
            let place = text.match_indices(secret.as_str()).map(|(at, _)| at).find(|at| !is_longer(*at));
            if place.is_some() {
                found.insert(format!("{capture} {name}: {secret}"));
            }
        }
        let is_address = |ip: std::net::IpAddr| addresses(&file).contains(&ip);
        if file.windows(secret.len()).any(|part| part == secret.as_bytes()) || secret.parse().is_ok_and(is_address) {
            found.insert(format!("{capture} -w: {secret}"));
        }
    }
    found
}

/// No format of output contains an address, a word or a hex string of the application.
#[test]
fn nothing_of_a_redacted_capture_is_shown() {
    let folder = Scratch::new("redact-leaks");
    for capture in [
        "nano/pomelo-ws.pcap",
        "nano/nano-tcp.pcap",
        "nano/pitaya-codec-tcp.pcap",
        "riptide/riptide22-udp.pcap",
        "riptide/riptide20-tcp.pcap",
        "dnp/dnp-frag.pcap",
        "dnp/dnp-ipv6.pcap",
        "gne/gne-edge.pcap",
        "acknex/acknex-steps45.pcap",
        "described/mqtt.pcap",
        "described/luanti.pcap",
    ] {
        let path = fixture(capture);
        let args = args_of(&path);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let path = path.to_str().expect("UTF-8");
        let plain = decode(path, &[&["-q", "-f", "ndjson"], &args[..]].concat()).lines();
        let mut secrets = BTreeSet::new();
        for line in &plain {
            for key in ["fields", "derived"] {
                // Names of fields are netkit's, those of JSON members the application's.
                match key {
                    "derived" => ["json", "route", "message"].iter().for_each(|k| words(&line[key][k], &mut secrets)),
                    _ => line[key].as_object().into_iter().flatten().for_each(|(name, value)| match value {
                        Json::Object(_) | Json::Array(_) => {}
                        // Header names of the handshake are HTTP's.
                        Json::String(head) if name == "head" => {
                            let own = |line: &&str| !line.starts_with("Sec-WebSocket-");
                            head.lines().filter(own).for_each(|line| words(&Json::from(line), &mut secrets));
                        }
                        value => words(value, &mut secrets),
                    }),
                }
            }
            for key in ["src", "dst"] {
                let end = line[key].as_str().expect("text");
                if !end.starts_with("[::1]") {
                    secrets.insert(end.rsplit_once(':').expect("a port").0.to_string());
                }
            }
        }
        // Texts of netkit itself, which it prints for any capture.
        let own = run(&["fields", "-f", "json"], b"").ok().text().to_string()
            + &plain
                .iter()
                .map(|l| format!("{} {} {}", l["notes"], l["message"], l["fault"]["path"]))
                .collect::<String>()
            + "netkit websocket heartbeat serializer protoVersion dictVersion useDict usePrototype routeToCode codeToRoute repeated required \
               optional protobuf servertime Connection Upgrade Extensions permessage deflate Switching Protocols server \
               context takeover window client version Version Accept Content Length charset message string double";
        secrets.retain(|word| !own.contains(word.as_str()));
        assert!(secrets.len() > 1, "{capture}: {secrets:?}");
        // Words are replaced by random ones of the same form: one of six letters may be another secret. A secret that is
        // shown is there again.
        let shown = leaks(capture, path, &args, &secrets, &folder);
        if !shown.is_empty() {
            let again = leaks(capture, path, &args, &secrets, &folder);
            let both: Vec<_> = shown.intersection(&again).collect();
            assert!(both.is_empty(), "{both:#?}");
        }
    }
}

/// A redacted page has neither the addresses of a filter nor the path of a file that is not whole.
#[test]
fn a_redacted_page_shows_no_filter_and_no_path() {
    let folder = Scratch::new("redact-page");
    let whole = std::fs::read(fixture("riptide/riptide20-udp.pcap")).expect("a capture");
    let cut = folder.write("frieda.pcap", &whole[..whole.len() / 2]);
    let page = folder.file("page.html");
    for files in [&[&*cut][..], &[&*cut, &*cut, &*cut]] {
        let args = ["report", "--redact", "--force", "-p", "riptide", "-F", "src != 203.0.113.7", "-o", &page];
        let done = run(&[&args[..], files].concat(), b"");
        assert!(done.status == Some(3) && done.err.contains("frieda.pcap"), "{:?} {}", done.status, done.err);
        let html = std::fs::read_to_string(&page).expect("a page");
        assert!(html.contains("Only") && html.contains("-F .."), "that there is a filter is named");
        for secret in ["src != ", "203.0.113.7", "frieda", folder.path().to_str().expect("UTF-8")] {
            assert!(!html.contains(secret), "{secret} is in the page of {} files", files.len());
        }
    }
    // A name of one letter changes no words.
    std::fs::rename(&cut, folder.file("e")).expect("renamed");
    let args = ["report", "--redact", "--force", "-p", "riptide", "-o", "page.html", "e"];
    let done = common::feed(common::netkit(&args).current_dir(folder.path()), b"");
    let html = std::fs::read_to_string(&page).expect("a page");
    assert!(html.contains("the capture is truncated after"), "{}", done.err);
}

/// Text in ten scripts: none of it is in any format, neither as text nor as JSON escapes.
#[test]
fn planted_words_of_ten_scripts_are_gone() {
    let planted = [
        "Żółć Gęślą",
        "Катерина Їжакевич",
        "Αλέξανδρος",
        "محمد العربي",
        "שרה כהן",
        "अनुष्का शर्मा",
        "สมชาย ใจดี",
        "張偉 李娜 王芳",
        "さくら タナカ",
        "김민준 이서연",
        "frieda.mueller@example.org",
        "eyJhbGciOiJIUzI1NiJ9",
        "a4:83:e7:5b:1f:c2",
        "/home/frieda/.ssh/identity",
    ];
    let escape = |text: &str| -> String { text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect() };
    let package = |kind: u8, body: &[u8]| [&[kind, 0, (body.len() >> 8) as u8, body.len() as u8], body].concat();
    let message = |text: &str| {
        let body = format!("{{\"content\":\"{text}\",\"{text}\":[\"{text}\"]}}");
        package(4, &[&[6, 4][..], b"chat", body.as_bytes()].concat())
    };
    let mut sent = vec![
        (true, package(1, br#"{"sys":{"type":"js","version":"1.0"},"user":{}}"#)),
        (false, package(1, br#"{"code":200,"sys":{"heartbeat":30}}"#)),
        (true, package(2, b"")),
    ];
    sent.extend(planted.iter().map(|text| (false, message(text))));
    sent.extend(planted.iter().map(|text| (false, message(&escape(text)))));
    let mut wire = Wire::default();
    wire.stream(["10.1.2.3:50000".parse().expect("an end"), "10.9.8.7:3250".parse().expect("an end")], &sent);
    // The last words of a connection.
    for (port, text) in (50001..).zip(planted) {
        let kick = package(5, format!("{{\"reason\":\"{text}\"}}").as_bytes());
        let ends = [format!("10.1.2.3:{port}").parse().expect("an end"), "10.9.8.7:3250".parse().expect("an end")];
        wire.stream(ends, &[&sent[..3], &[(false, kick)]].concat());
    }
    // The planted link address is that of both ends.
    let mac = [0xa4, 0x83, 0xe7, 0x5b, 0x1f, 0xc2];
    let mut file = wire.file();
    let mut at = 24;
    while at < file.len() {
        let length = u32::from_le_bytes(file[at + 8..at + 12].try_into().expect("four bytes")) as usize;
        file[at + 16..at + 22].copy_from_slice(&mac);
        file[at + 22..at + 28].copy_from_slice(&mac);
        at += 16 + length;
    }
    let folder = Scratch::new("redact-planted");
    let path = folder.write("frieda-mueller.pcap", file);
    let plain = decode(&path, &["-p", "nano", "-f", "ndjson"]).ok();
    assert!(planted.iter().all(|text| plain.text().contains(text)), "it is there: {}", plain.text());
    let ends = run(&["stats", &path, "-p", "nano", "-f", "json"], b"").ok();
    assert!(
        planted.iter().all(|text| ends.text().contains(&format!("\"end_data\":{}", json!(text)))),
        "{}",
        ends.text()
    );
    let (to, all) = (folder.file("redacted.pcap"), folder.file("all.pcap"));
    // The planted words in all outputs of one run.
    let leaks = || {
        decode(&path, &["-p", "nano", "--redact", "--force", "-w", &to]).ok();
        decode(&path, &["-p", "nano", "--redact", "--redact-unknown", "--force", "-w", &all]).ok();
        let mut outputs = Vec::new();
        for written in [&to, &all] {
            let bytes = std::fs::read(written).expect("written");
            assert!(!bytes.windows(6).any(|window| window == mac), "{written}: the link address");
            outputs.push(String::from_utf8_lossy(&bytes).into_owned());
            outputs.push(hex::encode(bytes));
        }
        for args in [
            "decode -f tree -vv",
            "decode -f summary",
            "decode -f table",
            "decode -f dialogue --flow 1",
            "decode -f ndjson --bytes --link",
            "decode -f json --bytes --link",
            "decode -f csv --columns time,src,dst,message,route,body,json",
            "decode -f tsv --columns time,src,dst,message,route,body,json",
            "stats",
            "stats -f json",
            "stats -f csv --delivery",
            "stats --by route,src",
            "stats --track json.content -f csv",
            "stats --unanswered --latency",
            "diff -f text",
            "diff -f json",
            "diff -f markdown",
            "diff -f junit --fail-on messages>1%",
            "top",
        ] {
            let mut args: Vec<&str> = args.split(' ').collect();
            args.splice(1..1, [&*path, "-p", "nano", "--redact"]);
            if args[0] == "diff" {
                args.insert(1, &path);
            }
            // What is printed on stderr names the files as the user did.
            let done = run(&args, b"");
            assert!(
                matches!(done.status, Some(0 | 1)) && !done.out.is_empty(),
                "{args:?}: {:?} {}",
                done.status,
                done.err
            );
            outputs.push(done.text().to_owned());
            outputs.push(done.err.replace(&path, ""));
        }
        let page = folder.file("redacted.html");
        run(&["report", "-p", "nano", &path, "--redact", "--force", "-o", &page], b"").ok();
        outputs.push(std::fs::read_to_string(&page).expect("written"));
        let mut found = BTreeSet::new();
        for text in planted {
            // Parts long enough to be rare by chance.
            let parts =
                text.split(|c: char| !c.is_alphanumeric()).filter(|part| part.chars().count() > 4 || part.len() > 5);
            for part in parts.chain([text]) {
                let forms = [
                    part.to_owned(),
                    escape(part),
                    escape(part).to_uppercase().replace("\\U", "\\u"),
                    hex::encode(part),
                ];
                for form in forms {
                    if outputs.iter().any(|output| output.contains(&form)) {
                        found.insert(format!("{part}: {form}"));
                    }
                }
            }
        }
        assert!(!outputs.iter().any(|output| output.contains("frieda")));
        found
    };
    // The other words are random in each run: a short one may be the planted one. What leaks does so in every run.
    let mut found = leaks();
    for _ in 0..3 {
        if !found.is_empty() {
            let again = leaks();
            found.retain(|form| again.contains(form));
        }
    }
    assert!(found.is_empty(), "{found:?}");
    let foreign =
        decode(fixture("foreign/rtp.pcap").to_str().expect("UTF-8"), &["--redact", "-w", &folder.file("none.pcap")]);
    assert_eq!(foreign.status, Some(1));
    assert!(foreign.err.contains("unclaimed traffic: 200 packets left out"), "{}", foreign.err);
}

/// The words with which a server refuses or ends a connection: the same form, in every table and sentence, but not the
/// same words. Statuses are the protocol's.
#[test]
fn last_words_are_redacted() {
    let folder = Scratch::new("redact-ends");
    let close = |words: &str| [&[0x88, 2 + words.len() as u8, 3, 0xf0][..], words.as_bytes()].concat();
    let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    let asked = format!("GET / HTTP/1.1\r\nHost: game\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{key}");
    let accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    let answer = format!("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{accept}");
    let mut wire = Wire::default();
    let ends = ["10.1.2.3:50000", "10.9.8.7:3250"].map(|end| end.parse().expect("an end"));
    let sent = [(true, asked.into_bytes()), (false, answer.into_bytes()), (false, close("Frieda is banned"))];
    wire.stream(ends, &sent);
    let closed = folder.write("closed.pcap", wire.file());
    let [riptide, nano] = ["riptide/riptide20-udp.pcap", "nano/pomelo-ws.pcap"].map(fixture);
    for (path, args, known) in [
        (&*closed, &["-p", "nano"][..], &["1008 Frieda is banned"][..]),
        (riptide.to_str().expect("UTF-8"), &[], &["🎮 日本語 81020000", "Nope: player 🎮 67ffffff"]),
        (nano.to_str().expect("UTF-8"), &[], &["kicked by admin", "1000"]),
    ] {
        let stats = |more: &[&str]| run(&[&["stats", path][..], args, more].concat(), b"").ok();
        let words = |more: &[&str]| -> Vec<String> {
            let all = common::json(stats(&[&["-f", "json"], more].concat()).text());
            let ends = all["end"].as_array().expect("the ends").iter();
            ends.filter_map(|end| end["end_data"].as_str().map(String::from)).collect()
        };
        let (plain, redacted) = (words(&[]), words(&["--redact"]));
        assert_eq!(plain.len(), redacted.len(), "{path}");
        let page = folder.file("ends.html");
        run(&[&["report", path, "--redact", "--force", "-o", &page][..], args].concat(), b"").ok();
        let texts = [stats(&["--redact"]).text().to_owned(), std::fs::read_to_string(&page).expect("written")];
        for words in known {
            let at = plain.iter().position(|own| own == words).unwrap_or_else(|| panic!("{words}: {plain:?}"));
            let shown = &redacted[at];
            let is_status = |word: &&str| word.len() == 4 && word.starts_with("10");
            for (own, other) in words.split(' ').zip(shown.split(' ')) {
                assert_eq!(own.len(), other.len(), "{words}: {shown}");
                assert_eq!(own == other, is_status(&own), "{words}: {shown}");
            }
            // The other output has random words, too, but none of these. A kick is also one in netkit's words.
            let own = |word: &&str| word.len() > 4 && *word != "kicked";
            for word in words.split(' ').filter(own) {
                assert!(stats(&[]).text().contains(word), "{word} is in the text");
                assert!(!texts.iter().any(|text| text.contains(word)), "{word}");
            }
        }
    }
}

/// Ten scripts, by the letters of which words are made here.
const SCRIPTS: [(u32, u32); 10] = [
    (0x61, 0x7a),
    (0x430, 0x44f),
    (0x3b1, 0x3c9),
    (0x628, 0x63a),
    (0x5d0, 0x5ea),
    (0x915, 0x939),
    (0xe01, 0xe2e),
    (0x4e00, 0x9fa5),
    (0x3042, 0x3093),
    (0xac00, 0xd7a3),
];

/// Guesses of somebody who has the dictionary, and knows the method: the redacted words' places in the dictionary.
fn guesses(dictionary: &[String], redacted: &[String], own: &[String]) -> [Vec<usize>; 4] {
    let apart =
        |a: &str, b: &str| -> u32 { a.chars().zip(b.chars()).map(|(a, b)| (a as u32).abs_diff(b as u32)).sum() };
    let bits = |a: &str, b: &str| -> u32 { a.bytes().zip(b.bytes()).map(|(a, b)| (a ^ b).count_ones()).sum() };
    let nearest = |list: &[String], by: &dyn Fn(&str, &str) -> u32| -> Vec<usize> {
        let one = |word: &String| (0..list.len()).min_by_key(|at| by(&list[*at], word)).expect("a word");
        redacted.iter().map(one).collect()
    };
    let order = |list: &[String]| {
        let mut places: Vec<usize> = (0..list.len()).collect();
        places.sort_by_key(|at| &list[*at]);
        places
    };
    let mut by_order = vec![0; redacted.len()];
    order(redacted).into_iter().zip(order(dictionary)).for_each(|(at, guess)| by_order[at] = guess);
    // The last one has run the program, too, with the dictionary.
    [nearest(dictionary, &apart), nearest(dictionary, &bits), by_order, nearest(own, &apart)]
}

/// Somebody with a list of all words of a capture, and this program, finds out no more of them than by chance.
#[test]
fn a_dictionary_is_of_no_use() {
    const WORDS: usize = 40;
    const ROUNDS: usize = 5;
    let mut random = common::Random(7);
    let folder = Scratch::new("redact-dictionary");
    let ends = ["10.1.2.3:50000", "10.9.8.7:3250"].map(|end| end.parse().expect("an end"));
    let package = |body: &[u8]| [&[4, 0, 0, body.len() as u8], body].concat();
    let (mut hits, mut weak, mut tries) = ([0; 4], 0, 0);
    for _ in 0..ROUNDS {
        for (first, last) in SCRIPTS {
            let mut letter =
                || char::from_u32(first + random.below((last - first + 1) as usize) as u32).expect("a letter");
            let mut words: BTreeSet<String> = BTreeSet::new();
            while words.len() < WORDS {
                words.insert([letter(), letter(), letter(), letter()].iter().collect());
            }
            // Their order in the capture is no help.
            let mut words: Vec<String> = words.into_iter().collect();
            (1..WORDS).for_each(|k| words.swap(k, random.below(k + 1)));
            let mut wire = Wire::default();
            let push = |word: &String| (false, package(format!("\x06\x01r[\"{word}\"]").as_bytes()));
            wire.stream(ends, &words.iter().map(push).collect::<Vec<_>>());
            let path = folder.write("words.pcap", wire.file());
            let redacted = || -> Vec<String> {
                let lines = decode(&path, &["-q", "-p", "nano", "-f", "ndjson", "--redact"]).ok().lines();
                lines.iter().map(|line| line["derived"]["json"][0].as_str().expect("a word").into()).collect()
            };
            let (seen, own) = (redacted(), redacted());
            let of_form = |word: &String| word.chars().count() == 4 && word.len() == words[0].len();
            assert!(seen.len() == WORDS && seen.iter().all(of_form), "{words:?}: {seen:?}");
            for (hits, guesses) in hits.iter_mut().zip(guesses(&words, &seen, &own)) {
                *hits += guesses.iter().enumerate().filter(|(at, guess)| at == *guess).count();
            }
            // The attack works where four bits of each letter change.
            let mut four = |c: char| char::from_u32(c as u32 ^ random.below(16) as u32).unwrap_or(c);
            let four: Vec<String> = words.iter().map(|word| word.chars().map(&mut four).collect()).collect();
            weak += guesses(&words, &four, &own)[0].iter().enumerate().filter(|(at, guess)| at == *guess).count();
            tries += WORDS;
        }
    }
    // By chance one word of each list is found: the count is Poisson's, with a deviation of its root.
    let chance = tries as f64 / WORDS as f64;
    for hits in hits {
        assert!((hits as f64) < chance + 5.0 * chance.sqrt(), "{hits} of {tries} found, {chance} by chance");
    }
    assert!(weak * 2 > tries, "the attack finds {weak} of {tries}");
}

/// `--redact-unknown`: packets that nobody claims are kept, with their times and lengths, and nothing of their payload;
/// messages beside them are redacted as without it.
#[test]
fn unclaimed_packets_are_kept_without_their_payload() {
    let planted = [
        "Катерина Їжакевич",
        "張偉 李娜 王芳",
        "frieda.mueller@example.org",
        "eyJhbGciOiJIUzI1NiJ9",
        "a4:83:e7:5b:1f:c2",
    ];
    let ends = |client: &str, server: &str| [client, server].map(|end| end.parse().expect("an end"));
    let (game, udp, tcp) = (
        ends("10.1.2.3:50000", "10.9.8.7:3250"),
        ends("10.1.2.3:50001", "203.0.113.9:5353"),
        ends("10.1.2.4:50002", "203.0.113.9:443"),
    );
    let package = |kind: u8, body: &[u8]| [&[kind, 0, 0, body.len() as u8], body].concat();
    let mut wire = Wire::default();
    let sent: Vec<(bool, Vec<u8>)> = planted.iter().map(|text| (true, format!("say {text}").into_bytes())).collect();
    wire.stream(tcp, &sent);
    for (up, bytes) in &sent {
        wire.datagram(udp, *up, bytes);
    }
    let shakes = [
        (true, package(1, br#"{"sys":{"type":"js","version":"1.0"},"user":{}}"#)),
        (false, package(1, br#"{"code":200,"sys":{"heartbeat":30}}"#)),
        (true, package(2, b"")),
    ];
    wire.stream(game, &shakes);
    let file = wire.file();
    let folder = Scratch::new("redact-unknown");
    let path = folder.write("a.pcap", &file);
    let account = |path: &str| {
        decode(path, &["-q", "-f", "ndjson", "--account"]).ok().lines().pop().expect("a line")["account"].clone()
    };
    let before = account(&path);
    assert_eq!(before["unclaimed"]["conversations"], 2, "{before}");
    let (to, without) = (folder.file("new.pcap"), folder.file("without.pcap"));
    let done = decode(&path, &["--redact", "--redact-unknown", "-w", &to]).ok();
    let packets = before["unclaimed"]["packets"].as_u64().expect("a count");
    let kept = format!("unclaimed traffic: {packets} packets kept, with other bytes as payload");
    assert!(done.err.contains(&kept) && !done.err.contains("left out"), "{}", done.err);
    let after = account(&to);
    assert_eq!(after["unclaimed"], before["unclaimed"]);
    decode(&path, &["--redact", "-w", &without]).ok();
    let messages =
        |path: &str| decode(path, &["-q", "-f", "csv", "--columns", "time,message,length"]).ok().text().to_owned();
    assert_eq!(messages(&to), messages(&without));
    // Nothing of the text or of the addresses is there. The handshake of TCP has no payload.
    let written = std::fs::read(&to).expect("written");
    for text in planted {
        for part in text.split(' ').map(str::as_bytes) {
            assert!(
                file.windows(part.len()).any(|window| window == part)
                    && !written.windows(part.len()).any(|window| window == part),
                "{text}"
            );
        }
    }
    assert!(addresses(&written).is_disjoint(&addresses(&file)));
    let shape = |file: &[u8], port: u16| -> Vec<(Vec<u8>, usize)> {
        let of = |record: Vec<u8>| {
            let frame = etherparse::SlicedPacket::from_ethernet(&record[16..]).expect("Ethernet");
            let (ports, payload) = match frame.transport.expect("a transport") {
                etherparse::TransportSlice::Udp(udp) => {
                    ([udp.source_port(), udp.destination_port()], udp.payload().len())
                }
                etherparse::TransportSlice::Tcp(tcp) => {
                    ([tcp.source_port(), tcp.destination_port()], tcp.payload().len())
                }
                _ => return None,
            };
            ports.contains(&port).then(|| (record[..8].to_vec(), payload))
        };
        records(file).into_iter().filter_map(of).collect()
    };
    for port in [5353, 443] {
        assert_eq!(shape(&written, port), shape(&file, port), "times and lengths of port {port}");
    }
    // A capture without any message is a result, too, and a selection is refused.
    let rtp = fixture("foreign/rtp.pcap");
    let rtp = rtp.to_str().expect("UTF-8");
    let done = decode(rtp, &["--redact", "--redact-unknown", "-w", &to, "--force"]).ok();
    assert!(done.err.contains("unclaimed traffic: 200 packets kept"), "{}", done.err);
    let done = decode(rtp, &["--redact", "--redact-unknown", "-F", "length > 1", "-w", &to, "--force"]);
    assert_eq!(done.status, Some(2), "{}", done.err);
}

/// A redacted capture reads like the original: the same messages with the same fields and lengths.
#[test]
fn redacted_captures_read_as_before() {
    let folder = Scratch::new("redacted");
    for capture in [
        "riptide/riptide20-udp.pcap",
        "riptide/riptide22-lossy.pcap",
        "riptide/riptide22-tcp.pcap",
        "dnp/dnp-lossy.pcap",
        "dnp/dnp-ipv6.pcap",
        "nano/nano-tcp.pcap",
        "nano/pomelo-ws.pcap",
        "nano/nano-protobuf-tcp.pcap",
        "gne/gne-le-two-clients.pcap",
        "acknex/acknex-sim-le.pcap",
        "described/enet-loss.pcap",
        "described/kcp.pcap",
    ] {
        let path = fixture(capture);
        let args = args_of(&path);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let path = path.to_str().expect("UTF-8");
        let to = folder.file("redacted.pcap");
        let done = decode(path, &[&["--redact", "-w", &to, "--force"], &args[..]].concat()).ok();
        assert!(done.err.contains("redacted"), "{}", done.err);
        let lines = |path: &str| decode(path, &[&["-q", "-f", "ndjson"], &args[..]].concat()).ok().lines();
        let (before, after) = (lines(path), lines(&to));
        assert_eq!(before.len(), after.len(), "{capture}");
        for (a, b) in before.iter().zip(&after) {
            // Frames get new numbers: TCP handshakes are added where they are needed.
            let of = |line: &Json| {
                let mut derived = line["derived"].clone();
                if let Some(pings) = derived["pings"].as_array_mut() {
                    pings.iter_mut().for_each(|ping| ping["request_frame"] = Json::Null);
                }
                [
                    line["message"].clone(),
                    line["length"].clone(),
                    line["time"].clone(),
                    shape(&line["fields"]),
                    shape(&derived),
                ]
            };
            assert!(of(a).iter().zip(&of(b)).all(|(a, b)| alike(a, b)), "{capture}: {a} {b}");
        }
    }
    // `-f pcapng` cannot be redacted and is refused.
    let done = decode(
        fixture("riptide/riptide20-udp.pcap").to_str().expect("UTF-8"),
        &["--redact", "-f", "pcapng", "-o", &folder.file("new")],
    );
    assert_eq!(done.status, Some(2), "{}", done.err);
    let path = fixture("riptide/riptide20-udp.pcap");
    let path = path.to_str().expect("UTF-8");
    for (more, why) in [(&["--whole"][..], "--whole"), (&[], "pcap")] {
        let to = folder.file(if more.is_empty() { "new.pcapng" } else { "new.pcap" });
        let done = decode(path, &[&["--redact", "-w", &to], more].concat());
        assert_eq!((done.status, Path::new(&to).exists()), (Some(2), false), "{}", done.err);
        assert!(done.err.contains(why), "{}", done.err);
    }
}

/// A conversation that was given up to bound memory, and comes back, goes on in the redacted capture.
#[test]
fn resumed_conversations_go_on_in_a_redacted_capture() {
    let folder = Scratch::new("redact-resumed");
    let (path, to) = (fixture("riptide/riptide22-tcp.pcap"), folder.file("redacted.pcap"));
    let path = path.to_str().expect("UTF-8");
    let given = ["-p", "riptide", "--limit", "conversations=1"];
    let done = decode(path, &[&["--redact", "-w", &to, "--force"][..], &given].concat()).ok();
    assert!(done.err.contains("under the same number"), "{}", done.err);
    let messages = |done: Done| {
        let lines = done.ok().lines();
        lines.iter().map(|line| (line["message"].clone(), line["length"].clone())).collect::<Vec<_>>()
    };
    let before = messages(decode(path, &[&["-f", "ndjson"][..], &given].concat()));
    assert_eq!(before, messages(decode(&to, &["-p", "riptide", "-f", "ndjson"])));
}

/// The frames that begin and end TCP connections are written with all messages of a conversation alone.
#[test]
fn frames_of_a_connection_go_with_all_its_messages() {
    let folder = Scratch::new("cut-connections");
    let (path, to) = (fixture("nano/nano-tcp.pcap"), folder.file("cut.pcap"));
    let path = path.to_str().expect("UTF-8");
    for (given, whole) in [(&["--flow", "1"][..], true), (&["-c", "20"], false), (&["-F", "length > 0"], false)] {
        let messages = frames(&decode(path, &[&["-f", "ndjson"], given].concat()).ok().lines());
        decode(path, &[&["-w", &to, "--force"], given].concat()).ok();
        let written = records(&std::fs::read(&to).expect("written")).len();
        // A SYN and a FIN of each side are the least.
        let holds = if whole { written >= messages.len() + 4 } else { written == messages.len() };
        assert!(holds, "{given:?}: {written} frames, {} of messages", messages.len());
    }
}

/// Sessions in a capture of the messages' frames, and in a redacted one, begin and end as in the original, and what it
/// lacks of their streams is missing, too.
#[test]
fn sessions_in_a_new_capture_end_as_before() {
    let folder = Scratch::new("new-sessions");
    let (mut ends, mut kinds) = (0, BTreeSet::new());
    for path in fixtures_to_redact() {
        let args = args_of(&path);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let capture = path.to_str().expect("UTF-8");
        // An address in the options, and bytes before each message, are those of the original.
        if args.iter().any(|arg| *arg == "--server" || arg.starts_with("acknex.skip=")) {
            continue;
        }
        let [redacted, frames] = ["redacted.pcap", "frames.pcapng"].map(|name| folder.file(name));
        if decode(capture, &[&["--redact", "-w", &redacted, "--force"], &args[..]].concat()).status == Some(1) {
            continue;
        }
        decode(capture, &[&["-w", &frames, "--force"], &args[..]].concat());
        let seen = |path: &str| {
            let stats = run(&[&["stats", path, "-f", "json"], &args[..]].concat(), b"").ok();
            let stats = common::json(stats.text());
            let list = |name: &str, keys: &[&str]| {
                let rows = stats[name].as_array().cloned().unwrap_or_default();
                let mut rows: Vec<_> =
                    rows.iter().map(|row| keys.iter().map(|key| row[key].to_string()).collect::<Vec<_>>()).collect();
                rows.sort();
                rows
            };
            let ends = list("end", &["proto", "connection", "end", "end_by", "transport_end"]);
            (stats["faults"].clone(), ends, list("verdicts", &["rule", "from"]))
        };
        let before = seen(capture);
        // Random bytes in place of a message that could not be read may be one that can.
        if before.0 != 0 {
            continue;
        }
        for new in [redacted, frames] {
            assert_eq!(before, seen(&new), "{capture}: {new}");
        }
        ends += before.1.len();
        kinds.extend(before.1.into_iter().map(|end| end[2..].to_vec()));
    }
    assert!(ends > 200 && kinds.len() > 12, "{ends} {kinds:?}");
}

/// JSON text in a message, compressed or not: it is replaced completely, and nothing else changes.
#[test]
fn texts_of_json_are_redacted_whole() {
    let folder = Scratch::new("redact-json");
    let secret = "Wilhelmina Quartermaine of Ashby-de-la-Zouch";
    let package = |body: &[u8]| [&[4, 0, 0, body.len() as u8], body].concat();
    let sent =
        [json!({"who": secret, "level": 17, "where": {"where": secret}}), json!([secret, "", "x", true, secret])];
    let mut wire = Wire::default();
    let ends = ["10.0.0.1:5000", "10.0.0.2:3250"].map(|end| end.parse().expect("an address"));
    let push = |value: &Json, packed: bool| {
        let text = value.to_string();
        let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(text.as_bytes()).expect("written");
        let packed_text = packer.finish().expect("packed");
        (
            false,
            package(&match packed {
                true => [b"\x16\x01r", &packed_text[..]].concat(),
                false => [b"\x06\x01r", text.as_bytes()].concat(),
            }),
        )
    };
    let pushes = [false, true].into_iter().flat_map(|packed| sent.iter().map(move |value| push(value, packed)));
    wire.stream(ends, &pushes.collect::<Vec<_>>());
    let file = folder.write("json.pcap", wire.file());
    let shown =
        |more: &[&str]| decode(&file, &[&["-q", "-p", "nano", "-f", "ndjson", "--bytes"], more].concat()).lines();
    let (plain, other) = (shown(&[]), shown(&["--redact"]));
    let json_of = |lines: &[Json]| lines.iter().map(|line| line["derived"]["json"].clone()).collect::<Vec<_>>();
    let twice: Vec<Json> = sent.iter().chain(&sent).cloned().collect();
    assert_eq!(json_of(&plain), twice);
    for (before, after) in twice.iter().zip(json_of(&other)) {
        let texts = |value: &Json| {
            let mut texts = Vec::new();
            let mut left = vec![value.clone()];
            while let Some(value) = left.pop() {
                match value {
                    Json::String(text) => texts.push(text),
                    Json::Array(items) => left.extend(items),
                    Json::Object(map) => left.extend(map.into_iter().map(|(_, value)| value)),
                    _ => {}
                }
            }
            texts
        };
        assert_eq!(shape(before), shape(&after), "{after}");
        let (before, after) = (texts(before), texts(&after));
        assert!(!before.is_empty());
        for (before, after) in before.iter().zip(&after) {
            let words = |text: &str| text.split(|c: char| !c.is_alphanumeric()).map(String::from).collect::<Vec<_>>();
            for (a, b) in words(before).iter().zip(&words(after)) {
                assert!(a.is_empty() || a != b && a.len() == b.len(), "{before}: {after}");
            }
            let between = |text: &str| text.chars().filter(|c| !c.is_alphanumeric()).collect::<String>();
            assert_eq!(between(before), between(after));
        }
    }
    // If it is not compressed, the payload's bytes are those of the printed text.
    for (line, value) in other.iter().zip(json_of(&other)).take(sent.len()) {
        assert!(line["bytes"].as_str().is_some_and(|bytes| bytes.ends_with(&hex::encode(value.to_string()))), "{line}");
    }
}
