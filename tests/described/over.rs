//! Files over another protocol: a game over ENet and a game over Riptide, each described in one file, and structs of
//! protobuf.

use crate::common::{Scratch, fixture};
use crate::described::cases::{lines, pcap, toml};
use crate::described::run;
use crate::described::words::{plain, read};
use netkit::codec::schema::Schemas;
use netkit::protocols::described::{load, load_over};
use serde_json::{Value as Json, json};

fn decode(capture: &str, args: &[&str]) -> Vec<Json> {
    let mut all = vec!["decode", "-q", "-f", "ndjson", capture];
    all.extend(args);
    let reported = run(&all);
    assert_eq!(reported.status.code(), Some(0), "{}", String::from_utf8_lossy(&reported.stderr));
    lines(&String::from_utf8(reported.stdout).unwrap())
}

/// The lines of a made-up game over ENet have what the game logged when it sent it, with ENet's headers around it. The
/// line of the last fragment has the joined message.
#[test]
fn a_game_over_enet_in_one_file() {
    let (capture, file) = (pcap("enet-game"), toml("enet-game"));
    let got = decode(&capture, &["-p", &file]);
    let truth = lines(&std::fs::read_to_string(fixture("described/enet-game.truth.ndjson")).unwrap());
    for side in ["client", "server"] {
        let mut sent: Vec<&Json> = truth.iter().filter(|message| message["from"] == side).collect();
        let spoken = got.iter().filter(|line| line["from"] == side && line["proto"] == "harbour");
        let mut joined = 0;
        for line in spoken {
            let (name, fields) = match line["derived"].get("joined") {
                Some(whole) => {
                    joined += 1;
                    (&whole["message"], &whole["fields"])
                }
                None => (&line["message"], &line["fields"]),
            };
            // Unsequenced and reliable ones may overtake each other.
            if let Some(at) =
                sent.iter().position(|message| message["message"] == *name && same(&message["fields"], fields))
            {
                sent.remove(at);
            } else {
                assert!(truth.iter().all(|message| message["message"] != *name), "nobody sent {line}");
            }
            assert!(line.get("fault").is_none(), "{line}");
        }
        assert!(sent.is_empty(), "{side}: {sent:?}");
        assert_eq!(joined, usize::from(side == "server"));
    }
    let moves: Vec<&Json> = got.iter().filter(|line| line["message"] == "move").collect();
    assert!(moves.len() == 40 && moves.iter().all(|line| line["packet"]["unreliable_sequence_number"].is_u64()));
    // The page's example has two of its fields.
    let page = include_str!("../../src/docs/protocol_files.md");
    let example = page
        .split("```toml\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .find(|text| text.contains("[over]"));
    let folder = Scratch::new("over-page");
    let example = folder.write("page.toml", example.unwrap());
    let part = decode(&capture, &["-p", &example]);
    let part: Vec<&Json> = part.iter().filter(|line| line["message"] == "move").collect();
    assert!(part.len() == 40 && part.iter().zip(&moves).all(|(a, b)| a["fields"]["x"] == b["fields"]["x"]));
    // Everything is written back, and `--schema` takes the file, too.
    let reported = run(&["decode", &capture, "-p", &file, "--check"]);
    assert_eq!(reported.status.code(), Some(0), "{}", String::from_utf8_lossy(&reported.stdout));
    assert_eq!(decode(&capture, &["-p", "harbour", "--schema", &file]), got);
}

/// Numbers of 32 bits are logged with the digits of 64.
fn same(want: &Json, got: &Json) -> bool {
    match (want, got) {
        (Json::Number(a), Json::Number(b)) => a.as_f64().map(|v| v as f32) == b.as_f64().map(|v| v as f32),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => want == got,
    }
}

/// The same file with the language's own types and with Riptide's gives the same fields, and the bytes back.
#[test]
fn a_game_over_riptide_in_one_file() {
    let (file, schema) = (toml("riptide-game"), fixture("schemas/riptide.toml").display().to_string());
    let mut opened = 0;
    for name in ["riptide20-udp", "riptide22-udp", "riptide22-tcp"] {
        let capture = fixture(&format!("riptide/{name}.pcap")).display().to_string();
        let own = decode(&capture, &["-p", &file]);
        let other = decode(&capture, &["-p", "riptide", "--schema", &schema]);
        assert_eq!(own.len(), other.len());
        for (own, other) in own.iter().zip(&other) {
            if [200, 202].contains(&own["fields"]["message_id"].as_u64().unwrap_or(0)) {
                assert_eq!(own, other, "{name}");
                opened += usize::from(own["fields"]["payload"].is_object());
            }
        }
        for args in [["--protocol-file", &file], ["--schema", &file]] {
            assert_eq!(decode(&capture, &["-p", "riptide", args[0], args[1]]), own, "{name} {args:?}");
        }
        let reported = run(&["decode", &capture, "-p", &file, "--check"]);
        assert_eq!(reported.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&reported.stdout));
    }
    assert!(opened > 10, "{opened}");
}

/// Conditions, counts, masks and regions of the language work in payloads of a built-in protocol.
#[test]
fn the_whole_language_in_payloads() {
    let text = "protocol = \"toy\"\nencoding = \"be\"\n[over]\nprotocol = \"dnp.reliable_message\"\n[[message]]\nid = \"1..3\"\nname = \"m\"\n\
        [message.fields]\nkind = \"u8\"\nbits = { type = \"u8be\", bits = { high = \"7..4\", on = 0 } }\n\
        length = { type = \"u16be\", hidden = true, if = \"kind in 2..3\" }\n\
        data = { type = \"bytes\", size = \"length\", if = \"kind in 2..3\" }\nrest = \"text\"\nsum = \"u24\"\n";
    let mut schemas = Schemas::default();
    let encodings = |name: &str| Some(netkit::protocols::by_name(name)?.encodings());
    schemas.add("toy.toml", text, &encodings).unwrap();
    assert_eq!(schemas.messages("dnp").len(), 3);
    let fields = schemas.messages("dnp")[0].fields(0).unwrap();
    for (hex, want) in [
        ("02310002abcd6869000102", json!({"kind": 2, "high": 3, "on": true, "data": "abcd", "rest": "hi", "sum": 258})),
        ("0100000001", json!({"kind": 1, "high": 0, "on": false, "rest": "", "sum": 1})),
    ] {
        let bytes = hex::decode(hex).unwrap();
        let mut tree = netkit::codec::Tree::default();
        let outcome = netkit::codec::Reader::new(&bytes, &mut tree).read(fields);
        let mut text = Vec::new();
        netkit::codec::json::fields_json(&tree, netkit::codec::Sources { main: &bytes, more: &[] }, &mut text);
        let got: Json = serde_json::from_slice(&text).unwrap();
        assert_eq!((outcome.stop, &got), (None, &want), "{hex}");
        assert_eq!(netkit::codec::Writer::new(&got).write(fields).map(hex::encode), Ok(hex.into()));
    }
}

/// Values that are not the payload's own bytes: an address, a text in UTF-16, and a masked one.
#[test]
fn converted_values_in_payloads() {
    let folder = Scratch::new("over-converted");
    let fields = "kind = \"u8\"\nip = \"ipv4\"\nword = { type = \"text\", charset = \"utf-16le\", size = \"u8\" }\n\
        mask = { type = \"text\", xor = 32 }\n";
    // The kind, 10.0.0.1, "hi" in four bytes, and "HI", each of whose bytes is combined with 32.
    let payload = "0a0a00000104680069006869";
    // An unreliable message with the id 7, and one whose first byte is the id.
    for (proto, id, head, set) in [("riptide", 7, "000700", &["-s", "riptide.version=2.0"][..]), ("dnp", 10, "03", &[])]
    {
        let message = format!("[[message]]\nid = {id}\nname = \"m\"\n[message.fields]\n{fields}");
        let text = format!("protocol = \"toy\"\nencoding = \"le\"\n[over]\nprotocol = \"{proto}\"\n{message}");
        let (file, packet) = (folder.write("toy.toml", text), format!("{head}{payload}"));
        let done = run(&[&["dump", "-q", "-f", "ndjson", "-p", proto, "--schema", &file, &packet], set].concat());
        let out = String::from_utf8(done.stdout).unwrap();
        let line = &lines(&out)[0];
        let shown = line["fields"].get("payload").or(line["derived"].get("payload"));
        assert_eq!(shown, Some(&json!({"kind": 10, "ip": "10.0.0.1", "word": "hi", "mask": "HI"})), "{line}");
        assert!(line.get("fault").is_none(), "{line}");
    }
}

#[test]
fn mistakes_over_another_protocol() {
    let encodings = |name: &str| netkit::protocols::by_name(name).map(|d| d.encodings()).filter(|e| !e.is_empty());
    let head = "protocol = \"toy\"\n[over]\nprotocol = \"dnp\"\n";
    for (text, line, what) in [
        ("[udp]\nports = [1]\n", 4, "udp has no meaning over dnp, which has its own"),
        ("[memory]\na = 1\n", 4, "memory has no meaning over dnp"),
        ("[[message]]\nname = \"m\"\n", 4, "needs an id, a route, or the protocol's message that carries it"),
        ("[[message]]\nid = \"250..256\"\nname = \"m\"\n", 5, "expected 0 to 255, got 256"),
        ("[[message]]\nid = \"one\"\nname = \"m\"\n", 5, "expected a number"),
        ("[[message]]\nid = 1\nname = \"m\"\nif = \"a == 1\"\n", 7, "if has no meaning over dnp"),
        (
            "[[message]]\nid = 1\nname = \"m\"\nfields = { a = { type = \"message\", by = \"u8\" } }\n",
            7,
            "found by the protocol that carries them",
        ),
        (
            "[[message]]\nid = 1\nname = \"m\"\nfields = { a = { type = \"u8\", hidden = true } }\n",
            7,
            "could not restore it",
        ),
        (
            "[[message]]\nid = 1\nname = \"m\"\nfields = { a = { type = \"u8\", if = \"from == client\" } }\n",
            7,
            "memory is called \"from\"",
        ),
        (
            "[[message]]\nid = 1\nname = \"m\"\nfields = { a = { type = \"vector\", size = 3 } }\n",
            7,
            "size is not for vector",
        ),
    ] {
        let error = Schemas::default().add("toy.toml", &format!("{head}{text}"), &encodings).expect_err(text);
        assert!(error.line == line && error.reason.contains(what), "{text}: {error}");
    }
    let base = "protocol = \"base\"\nencoding = \"be\"\n[packet.fields]\nkind = { type = \"u8\", hidden = true }\n\
        message = { type = \"message\", by = \"kind\" }\n[struct.both]\na = \"u8\"\n\
        [[message]]\nid = 1\nname = \"one\"\nfields = { both = \"both\", data = \"payload\" }\n\
        [[message]]\nid = 2\nname = \"two\"\nfields = { both = \"both\", data = \"payload\" }\n\
        [[message]]\nid = 3\nname = \"none\"\n";
    let carriers = |name: &str| (name == "base").then(|| ("base.toml".to_owned(), base.to_owned()));
    let own = |over: &str, more: &str| {
        format!(
            "protocol = \"toy\"\n[over]\nprotocol = {over:?}\n[[message]]\nid = 1\nname = \"m\"\nfields = {{ x = \"u8\" }}\n{more}"
        )
    };
    for (text, line, what) in [
        (own("bass", ""), 3, "no file describes \"bass\""),
        (own("base.on", ""), 3, "base has no message \"on\", did you mean \"one\"?"),
        (own("base.none", ""), 3, "base.none has no field of the type payload"),
        (own("base", ""), 1, "two have the same fields around their payload"),
        (own("base.one", "[[message]]\nid = 2\nname = \"none\"\n"), 10, "base has one of this name"),
        (own("base.one", "[struct.both]\nb = \"u8\"\n"), 8, "struct both: base has one of this name"),
        (own("tcp", ""), 3, "[tcp] is missing"),
        (own("base.one", "[tcp]\nports = [7000]\n"), 8, "base has no [tcp], and so no frame"),
        (own("base.one", "[tcp]\nports = [7000]\nframe = { length = \"u8\" }\n"), 8, "frame is that of base"),
    ] {
        let error = load_over("toy.toml", &text, &carriers).expect_err(&text);
        assert!(error.line == line && error.reason.contains(what), "{text}: {error}");
    }
    // One of them alone is distinguished from the other.
    load_over("toy.toml", &own("base.one", ""), &carriers).unwrap();
    // A mistake of the carrier is in its own file.
    let broken = |_: &str| {
        Some((
            "base.toml".to_owned(),
            format!("{base}[struct.c]\nd = \"u9\"\n[[message]]\nid = 4\nname = \"four\"\nfields = {{ c = \"c\" }}\n"),
        ))
    };
    let error = load_over("toy.toml", &own("base.one", ""), &broken).expect_err("u9");
    assert_eq!((error.file.as_str(), error.line), ("base.toml", 20), "{error}");
    assert!(load("toy.toml", &own("base", "")).expect_err("alone").reason.contains("name it with --protocol-file"));
}

/// A struct whose fields have tags is a message of protobuf; what it does not know is kept.
#[test]
fn structs_of_protobuf() {
    let file = "a = { type = \"p\", size = \"u8\" }\nb = \"u8\"\n[struct.p]\nid = { type = \"uint32\", tag = 1 }\n\
        name = { type = \"string\", tag = 2 }\nlist = { type = \"sint32[]\", tag = 3 }\ninner = { type = \"q\", tag = 4 }\n\
        [struct.q]\nx = { type = \"fixed32\", tag = 1 }\n";
    let bytes = b"\x14\x08\xac\x02\x12\x02hi\x1a\x02\x01\x04\x22\x05\x0d\x07\0\0\0\x28\x05\x09";
    assert_eq!(
        plain(file, bytes),
        json!({
            "a": {"id": 300, "name": "hi", "list": [-1, 2], "inner": {"x": 7}, "unknown": [{"number": 5, "varint": 5}]},
            "b": 9
        })
    );
    let file =
        "protocol = \"toy\"\n[[message]]\nid = 7\nname = \"m\"\n[message.fields]\nx = { type = \"bool\", tag = 2 }\n";
    let got = read(file, b"\x07\x10\x01");
    assert_eq!((&got[0]["message"], &got[0]["fields"]), (&json!("m"), &json!({"x": true})));
    for (fields, what) in [
        ("a = \"p\"\n[struct.p]\nx = { type = \"uint32\", tag = 1 }\ny = \"uint32\"\n", "y: tag is missing"),
        ("a = \"p\"\n[struct.p]\nx = { type = \"u8\", tag = 1 }\n", "no type \"u8\" in the encoding protobuf"),
        ("a = \"p\"\n[struct.p]\nx = { type = \"p\", tag = 1 }\n", "struct p contains itself"),
        (
            "a = { type = \"p\", inline = true }\n[struct.p]\nx = { type = \"bool\", tag = 1 }\n",
            "fields with tags cannot be inline",
        ),
        ("a = { type = \"u8\", tag = 1 }\n", "a: tag is for structs and messages all of whose fields have a tag"),
    ] {
        let file = format!("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n{fields}");
        let why = load("test.toml", &file).expect_err(fields).reason;
        assert!(why.contains(what), "{fields}: {why}");
    }
}

/// Messages of Google's protobuf, each after its length, are what they were made of, and are written back.
#[test]
fn a_game_with_protobuf() {
    let (capture, file) = (pcap("protobuf-game"), toml("protobuf-game"));
    let got = decode(&capture, &["-p", &file]);
    let truth = lines(&std::fs::read_to_string(fixture("described/protobuf-game.truth.ndjson")).unwrap());
    assert_eq!(got.len(), truth.len());
    for (got, want) in got.iter().zip(&truth) {
        assert_eq!((&got["from"], &got["fields"]), (&want["from"], &want["fields"]), "{got}");
    }
    let reported = run(&["check", &file, &capture, "-p", "protobuf_game"]);
    let text = String::from_utf8(reported.stdout).unwrap();
    assert!(text.contains("round trip  24 packets, each encodes back to its bytes"), "{text}");
}

/// The key of a protobuf field, by hand: the parts of a number of varying length.
#[test]
fn bits_of_a_varint() {
    let file = "key = { type = \"varint\", bits = { tag = \"63..3\", wire = \"2..0\" } }\ndata = { type = \"u8\", if = \"wire == 0\" }";
    for (bytes, want) in [
        (&b"\xac\x02"[..], json!({"tag": 37, "wire": 4})),
        (b"\x08\x09", json!({"tag": 1, "wire": 0, "data": 9})),
        (b"\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01", json!({"tag": u64::MAX >> 3, "wire": 5})),
        (b"\x89\x00", json!({"tag": 1, "wire": 1, "key": {"raw": "8900", "bits": 16}})),
    ] {
        assert_eq!(plain(file, bytes), want);
    }
    let file = "protocol = \"toy\"\n[packet.fields]\nkey = { type = \"varint\", bits = { tag = \"62..3\", wire = \"2..0\" } }\n";
    assert_eq!(
        load("t.toml", file).expect_err("a gap").reason,
        "key: bits: the parts of a varint are 63..0, all of them"
    );
}

/// `netkit check` takes files over other protocols.
#[test]
fn check_takes_them() {
    for name in ["enet-game", "riptide-game"] {
        let reported = run(&["check", &toml(name)]);
        assert_eq!(reported.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&reported.stdout));
    }
    let reported = run(&["check", &toml("enet-game"), &pcap("enet-game")]);
    assert_eq!(reported.status.code(), Some(0), "{}", String::from_utf8_lossy(&reported.stdout));
    let folder = Scratch::new("over");
    let file = folder.write("g.toml", "proto = \"riptide\"\n[[message]]\nid = 7\nfields = { a = \"u9\" }\n");
    let reported = run(&["check", &file]);
    assert_eq!(reported.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&reported.stdout).contains("no type \"u9\""),
        "{}",
        String::from_utf8_lossy(&reported.stdout)
    );
}

/// Each id has an entry, so their number is bounded.
#[test]
fn ids_of_payloads_are_bounded() {
    let head = "proto = \"riptide\"\n";
    let message = |from: &str| format!("[[message]]\nid = \"0..65535\"\nname = \"{from}\"\nfrom = \"{from}\"\n");
    let add = |text: &str| {
        Schemas::default().add("x.toml", text, &|proto| Some(netkit::protocols::by_name(proto)?.encodings()))
    };
    add(&format!("{head}{}", message("client"))).unwrap();
    let why = add(&format!("{head}{}{}", message("client"), message("server"))).unwrap_err().to_string();
    assert!(why.starts_with("x.toml: line 6: ") && why.contains("more than 65536 ids"), "{why}");
}
