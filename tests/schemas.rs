//! Values that real applications logged when they sent them, compared with netkit's values by a schema of their types:
//! `fixtures/PROTOCOL/NAME.values.ndjson` beside `NAME.pcap`.

mod common;

use common::{Scratch, feed, fixture, json_lines as lines, netkit};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn decode(capture: &Path, schema: impl AsRef<Path>, args: &[&str]) -> Vec<Json> {
    let mut command = netkit(&["decode", "-q", "-f", "ndjson"]);
    feed(command.arg(capture).arg("--schema").arg(schema.as_ref()).args(args), b"").ok().lines()
}

/// Numbers are compared as numbers: a float of 32 bits may be written with other digits.
fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(x), Json::Number(y)) => {
            x == y || x.as_f64().map(|v| v as f32) == y.as_f64().map(|v| v as f32) && x.is_f64()
        }
        (Json::Array(x), Json::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y)),
        (Json::Object(x), Json::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(k, v)| y.get(k).is_some_and(|w| same(v, w)))
        }
        _ => a == b,
    }
}

/// `byte[](5)` is a fixed count, `bits5` a number of bits.
fn word(logged: &str) -> String {
    if let Some(bits) = logged.strip_prefix("bits") {
        return format!("bits({bits})");
    }
    match logged.split_once("[](") {
        Some((element, n)) => format!("{element}[{}]", n.trim_end_matches(')')),
        None => logged.into(),
    }
}

#[test]
fn riptide_values_are_what_the_applications_sent() {
    let mut checked = 0;
    for name in ["riptide20-udp", "riptide20-tcp", "riptide22-udp", "riptide22-tcp", "pytide-tcp"] {
        let values = lines(&fixture(&format!("riptide/{name}.values.ndjson")));
        // A schema of the types that the application logged.
        let mut messages: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in &values {
            let key = row["message_id"].as_u64().map_or("route = \"notify\"".into(), |id| format!("id = {id}"));
            let types =
                row["types"].as_array().expect("types").iter().map(|t| word(t.as_str().expect("text"))).collect();
            messages.insert(key, types);
        }
        let mut schema =
            String::from("proto = \"riptide\"\n[struct.thing]\nhp = \"int\"\nname = \"string\"\nalive = \"bool\"\n");
        for (k, (key, types)) in messages.iter().enumerate() {
            schema += &format!("[[message]]\n{key}\nname = \"m{k}\"\n[message.fields]\n");
            types.iter().enumerate().for_each(|(k, t)| schema += &format!("v{k} = {t:?}\n"));
        }
        let folder = Scratch::new(&format!("schemas-{name}"));
        let file = folder.write("it.toml", schema);
        let mut decoded: BTreeMap<u64, Vec<Json>> = BTreeMap::new();
        for line in decode(&fixture(&format!("riptide/{name}.pcap")), &file, &["-p", "riptide"]) {
            decoded.entry(line["frame"].as_u64().expect("a frame")).or_default().push(line);
        }
        for row in &values {
            let frame = row["frame"].as_u64().expect("a frame");
            let want: Vec<&Json> = row["values"].as_array().expect("values").iter().collect();
            let found = decoded[&frame]
                .iter()
                .filter(|l| l["fields"].get("message_id") == row.get("message_id").filter(|v| !v.is_null()));
            let matches = found.clone().any(|line| {
                let got = line["fields"]["payload"].as_object().expect("a payload with names");
                got.len() == want.len() && want.iter().enumerate().all(|(k, w)| same(&got[&format!("v{k}")], w))
            });
            assert!(matches, "{name} frame {frame}: sent {}, decoded {:?}", row["values"], found.collect::<Vec<_>>());
            checked += 1;
        }
        std::fs::remove_file(&file).expect("removed");
    }
    assert!(checked > 400, "{checked}");
}

/// GNE: the expected lines with the schema of the applications' packets.
#[test]
fn gne_values_are_what_the_applications_sent() {
    let schema = fixture("schemas/gne.toml");
    let (mut files, folder) = (0, fixture("gne"));
    for entry in std::fs::read_dir(&folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".values.ndjson") else { continue };
        let (want, got) = (lines(&path), decode(&folder.join(format!("{stem}.pcap")), &schema, &["-p", "gne"]));
        assert_eq!(want.len(), got.len(), "{stem}");
        for (want, got) in want.iter().zip(&got) {
            assert!(same(&want["fields"], &got["fields"]), "{stem}: expected {want}, got {got}");
            assert_eq!(want.get("fault").is_some(), got.get("fault").is_some(), "{stem}: {got}");
        }
        files += 1;
    }
    assert!(files > 5, "{files}");
}

/// DNP applications logged each value of a message with its type: every message is read with a schema of exactly these
/// types.
#[test]
fn dnp_values_are_what_the_applications_wrote() {
    use netkit::codec::schema::Schemas;
    use netkit::codec::{Reader, Sources, Tree};
    use netkit::dissect::Dissector;
    let dnp: &dyn Dissector = netkit::protocols::by_name("dnp").expect("a protocol");
    let mut checked = 0;
    for name in ["dnp-basic", "dnp-states", "dnp-frag", "dnp-python", "dnp-ipv6"] {
        let expected = lines(&fixture(&format!("dnp/{name}.expected.ndjson")));
        for row in lines(&fixture(&format!("dnp/{name}.values.ndjson"))) {
            let line = &expected[row["line"].as_u64().expect("a line") as usize - 1];
            let joined = line["derived"]["message"].as_str();
            let bytes = joined.or(line["fields"]["data"].as_str()).or(line["fields"]["message"].as_str());
            let bytes = hex::decode(bytes.expect("bytes")).expect("hex");
            let values = row["payload"].as_array().expect("values");
            let mut schema = String::from(
                "proto = \"dnp\"\n[[message]]\nmessage = \"reliable_message\"\nname = \"m\"\n[message.fields]\n",
            );
            for (k, value) in values.iter().enumerate() {
                schema += &format!("v{k} = {}\n", value["type"]);
            }
            let mut schemas = Schemas::default();
            schemas.add(name, &schema, &|_| Some(dnp.encodings())).expect("a schema");
            let fields = schemas.messages("dnp")[0].fields(0).expect("fields");
            let mut tree = Tree::default();
            let outcome = Reader::new(&bytes, &mut tree).read(fields);
            assert_eq!((outcome.stop, outcome.bits as usize), (None, bytes.len() * 8), "{name} line {}", row["line"]);
            let mut text = Vec::new();
            netkit::codec::json::fields_json(&tree, Sources { main: &bytes, more: &[] }, &mut text);
            let got: Json = serde_json::from_slice(&text).expect("JSON");
            for (k, value) in values.iter().enumerate() {
                let (want, got) = (&value["value"], &got[&format!("v{k}")]);
                assert!(same_number(want, got), "{name} line {}: v{k}: wrote {want}, read {got}", row["line"]);
            }
            checked += 1;
        }
    }
    assert!(checked > 80, "{checked}");
}

/// nano's benchmark: `Ping {1: string}` is answered by `Pong {2: string}` with "re:" before the text, and every request
/// and notify is pushed back unchanged; read with the programs' documented types.
#[test]
fn nano_values_are_what_the_benchmark_sent() {
    let expected = lines(&fixture("nano/nano-protobuf-tcp.expected.ndjson"));
    let schema = fixture("schemas/nano.toml");
    let got = decode(&fixture("nano/nano-protobuf-tcp.pcap"), &schema, &["-p", "nano"]);
    assert_eq!(expected.len(), got.len());
    let (mut asked, mut checked) = (String::new(), 0);
    for (want, got) in expected.iter().zip(&got) {
        assert_eq!((&want["fields"], got.get("fault")), (&got["fields"], None));
        let content = got["derived"]["payload"]["content"].as_str().unwrap_or("");
        // One string: its key, its length, its bytes.
        let payload = hex::decode(want["fields"]["payload"].as_str().unwrap_or("")).expect("hex");
        let at = if payload.len() > 129 { 3 } else { 2 };
        assert_eq!(content.as_bytes(), payload.get(at..).unwrap_or_default(), "{got}");
        match got["message"].as_str().expect("a name") {
            "request" | "notify" => asked = content.into(),
            "response" => assert_eq!(content, format!("re:{asked}")),
            "push" => assert_eq!(content, asked),
            _ => continue,
        }
        checked += 1;
    }
    assert!(checked >= 25, "{checked}");
}

/// The JSON of pitaya's programs, some of it compressed, is the same with a schema as without.
#[test]
fn nano_json_is_what_it_was() {
    let expected = lines(&fixture("nano/pitaya-codec-tcp.expected.ndjson"));
    let folder = Scratch::new("schemas-nano");
    let text = "proto = \"nano\"\nencoding = \"json\"\n\
        [[message]]\nroute = \"room.room.join\"\nmessage = \"request\"\nname = \"join\"\n[message.fields]\nname = \"string\"\n\
        [[message]]\nroute = \"onMembers\"\nname = \"members\"\n[message.fields]\nmembers = \"string[]\"\n\
        [[message]]\nroute = \"room.room.join\"\nmessage = \"response\"\nname = \"joined\"\n[message.fields]\nresult = \"integer\"\n";
    let schema = folder.write("nano.toml", text);
    let got = decode(&fixture("nano/pitaya-codec-tcp.pcap"), &schema, &["-p", "nano"]);
    let mut wrong = 0;
    for (want, got) in expected.iter().zip(&got) {
        if let Some(derived) = want.get("derived").and_then(|d| d.get("json")) {
            assert_eq!(derived, &got["derived"]["json"]);
        }
        // The one member with a wrong type in the schema.
        if want["derived"]["route"] == "room.room.join" && want["message"] == "response" {
            let fault = &got["fault"];
            assert_eq!(fault["path"], "nano.response.payload.result");
            assert!(fault["text"].as_str().is_some_and(|t| t.ends_with("(expected integer, got string)")), "{fault}");
            wrong += 1;
        } else {
            assert_eq!(want.get("fault").is_some(), got.get("fault").is_some(), "{got}");
        }
    }
    assert!(wrong > 0 && expected.len() == got.len());
}

/// Floats were logged at the width of the program's own numbers.
fn same_number(want: &Json, got: &Json) -> bool {
    match (want, got) {
        (Json::Number(a), Json::Number(b)) => a == b || a.as_f64().map(|v| v as f32) == b.as_f64().map(|v| v as f32),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_number(a, b)),
        _ => want == got,
    }
}

/// Mistakes are reported with their line, and with the valid choices.
#[test]
fn wrong_schemas_are_refused_with_their_line() {
    use netkit::codec::schema::Schemas;
    let nano = "proto = \"nano\"\n[[message]]\nroute = \"a\"\nname = \"m\"\n";
    let dnp = "proto = \"dnp\"\n[[message]]\nid = 1\nname = \"m\"\n[message.fields]\n";
    let cases = [
        (nano, "", 2, "encoding is missing: one of json, protobuf, le, be, text"),
        (nano, "encoding = \"protobuff\"", 5, "no encoding \"protobuff\", did you mean \"protobuf\"?"),
        (nano, "encoding = \"protobuf\"\n[message.fields]\na = \"string\"", 7, "tag is missing"),
        (
            nano,
            "encoding = \"protobuf\"\n[message.fields]\na = { tag = 0, type = \"bool\" }",
            7,
            "expected 1 to 536870911",
        ),
        (
            nano,
            "encoding = \"protobuf\"\n[message.fields]\na = { tag = 1, type = \"strin\" }",
            7,
            "did you mean \"string\"?",
        ),
        (
            nano,
            "encoding = \"protobuf\"\n[message.fields]\na = { tag = 1, type = \"bool\" }\nb = { tag = 1, type = \"bool\" }",
            8,
            "b: another field has this tag",
        ),
        (
            nano,
            "encoding = \"protobuf\"\n[message.fields]\nunknown = { tag = 1, type = \"bool\" }",
            7,
            "the name is taken",
        ),
        (
            nano,
            "encoding = \"protobuf\"\n[message.fields]\na = { tag = 1, type = \"bool[5]\" }",
            7,
            "lists are written bool[]",
        ),
        (
            nano,
            "encoding = \"le\"\n[message.fields]\na = { tag = 1, type = \"u8\" }",
            7,
            "tag has no meaning in the encoding le",
        ),
        (
            nano,
            "encoding = \"le\"\n[message.fields]\na = \"text\"\nb = \"cstring\"",
            7,
            "takes everything up to the end",
        ),
        (nano, "encoding = \"le\"\n[message.fields]\na = \"text[3]\"", 7, "takes everything up to the end"),
        (nano, "encoding = \"json\"\n[message.fields]\na = \"u8\"", 7, "no type \"u8\" in the encoding json"),
        (nano, "encoding = \"json\"\n[message.fields]\n\"a\\\"b\" = \"string\"", 7, "without quotes and backslashes"),
        (nano, "encoding = \"le\"\n[message.fields]\n\"a-b\" = \"u8\"", 7, "expected a name of letters, digits and _"),
        (nano, "message = \"pushh\"", 5, "no message \"pushh\" carries payloads, did you mean \"push\"?"),
        (
            nano,
            "encoding = \"text\"\n[[message]]\nroute = \"a\"\nencoding = \"json\"\nname = \"n\"",
            6,
            "m is selected in the same way, so this one is never used",
        ),
        (nano, "id = 1", 5, "payloads have no ids here"),
        (dnp, "a = \"u8[]\"", 6, "write u8[5], u8[FIELD] or u8[*]"),
        (dnp, "count = \"u8\"\na = \"u16[cuont]\"", 7, "no earlier field is called \"cuont\", did you mean \"count\"?"),
        (
            dnp,
            "a = { type = \"u8\", if = \"b == 1\" }\nb = \"u8\"",
            6,
            "no earlier field, setting or memory is called \"b\"",
        ),
        (dnp, "n = \"string8\"\na = \"u8[n]\"", 7, "n is not a number"),
        (dnp, "a = { type = \"f32\", enum = { one = 1 } }", 6, "enum, flags and rounded are for whole numbers"),
        (dnp, "a = { type = \"u8\", enum = \"none\" }", 6, "no [enum.none]"),
        (dnp, "a = { type = \"u8\", flags = { three = 3 } }", 6, "flag three is not one bit"),
        (dnp, "a = { type = \"u8\", enum = { none = -1 } }", 6, "none = -1: the number is 0 to 255"),
        (dnp, "a = { type = \"i8\", enum = { most = 128 } }", 6, "most = 128: the number is -128 to 127"),
        (
            dnp,
            "a = \"u8\"\nb = { type = \"u8\", if = \"a == walk\" }",
            7,
            "\"walk\" is neither a number nor a name of a value of a",
        ),
        (dnp, "a = { type = \"u8\", scale = 0 }", 6, "expected a number above 0"),
        ("proto = \"dnp\"\n[[message]]\nid = 256\nname = \"m\"\n", "", 3, "expected 0 to 255, got 256"),
        ("proto = \"gne\"\n[[message]]\nid = 8\nname = \"m\"\n", "", 3, "expected 9 to 254, got 8"),
        (
            "proto = \"gne\"\n[[message]]\nid = 9\nname = \"m\"\n[message.fields]\n",
            "x = \"u8\"\nid = \"u8\"",
            7,
            "id: the name is taken",
        ),
        ("proto = \"riptide\"\n[[message]]\nroute = \"x\"\nname = \"m\"\n", "", 3, "expected notify, got \"x\""),
        ("proto = \"dmp\"\n", "", 1, "no protocol \"dmp\" that takes schemas"),
    ];
    let encodings = |name: &str| netkit::protocols::by_name(name).map(|d| d.encodings()).filter(|e| !e.is_empty());
    for (head, text, line, why) in cases {
        let error = Schemas::default().add("game.toml", &format!("{head}{text}\n"), &encodings).expect_err(why);
        assert!(error.line == line && error.reason.contains(why), "{text}: {error}, and not line {line}: {why}");
        assert!(error.to_string().starts_with(&format!("game.toml: line {line}: ")), "{error}");
    }
    // A small schema with millions of fields.
    let mut bomb = format!("{dnp}x = \"s0\"\n");
    for k in 0..15 {
        let of = if k == 14 { "u8".into() } else { format!("s{}", k + 1) };
        bomb += &format!("[struct.s{k}]\n");
        (0..8).for_each(|f| bomb += &format!("f{f} = {of:?}\n"));
    }
    let error = Schemas::default().add("game.toml", &bomb, &encodings).expect_err("a bomb");
    assert!(error.reason.contains("more than 8192 fields"), "{error}");
}

/// A schema's left-over bytes are the application's, and the schema of notifies reads no message of an unknown type.
#[test]
fn riptide_schemas_read_what_they_are_for() {
    let folder = Scratch::new("schemas-riptide");
    let read = |version: &str, key: &str, field: &str, hex: &str| {
        let text = format!("proto = \"riptide\"\n[[message]]\n{key}\nname = \"m\"\n[message.fields]\n{field}\n");
        let (schema, set) = (folder.write("riptide.toml", text), format!("riptide.version={version}"));
        let args = ["dump", "-q", "-p", "riptide", "-s", &set, "--schema", &schema, "-f", "ndjson"];
        common::run(&args, hex.as_bytes()).ok().lines().remove(0)
    };
    // A reject with the reason custom, and two bytes of data.
    let line = read("2.0", "message = \"reject\"", "code = \"byte\"", "04 05 07 08");
    let noted = |code: &str| line["notes"].as_array().is_some_and(|list| list.iter().any(|note| note["code"] == code));
    assert_eq!(line["fields"]["data"]["code"], 7, "{line}");
    assert!(noted("schema.trailing") && !noted("riptide.trailing"), "{line}");
    // Four bits of type, then 40 bits of a notify's numbers or 16 bits of an unknown message's, and the float.
    for (hex, message) in [("06000000000000000000", "notify"), ("0b200000000000", "unknown")] {
        let line = read("2.2", "route = \"notify\"", "x = \"float\"", hex);
        let has_x = line["fields"]["payload"].get("x").is_some();
        assert_eq!((&line["message"], has_x), (&message.into(), message == "notify"), "{line}");
    }
}

/// Negative numbers can have names, and conditions may use them. A message needs no name: its id or route names it.
#[test]
fn messages_without_a_name() {
    let folder = common::Scratch::new("schemas");
    let named = |capture: &str, text: &str| {
        let schema = folder.write("s.toml", text);
        let mut command = netkit(&["stats", "-q", "-f", "json"]);
        let done = feed(command.arg(fixture(capture)).arg("--schema").arg(schema), b"").ok();
        let rows = common::json(done.text())["schema"].as_array().expect("rows").clone();
        rows.iter().map(|row| row["schema"].as_str().expect("a name").to_string()).collect::<BTreeSet<_>>()
    };
    let id = "proto = \"riptide\"\n[[message]]\nid = 200\n[message.fields]\na_byte = \"byte\"\n";
    assert_eq!(named("riptide/riptide20-udp.pcap", id), BTreeSet::from(["id_200".into()]));
    let routes = "proto = \"nano\"\nencoding = \"le\"\n[[message]]\nroute = \"Room.Say\"\n[message.fields]\na = \"i32\"\n\
                  [[message]]\nroute = \"*\"\n[message.fields]\na = \"i32\"\n";
    let names = ["Room_Say", "any"].map(String::from);
    assert_eq!(named("nano/nano-tcp.pcap", routes), BTreeSet::from(names));
}

#[test]
fn names_of_negative_numbers() {
    use netkit::codec::schema::Schemas;
    use netkit::codec::{Reader, Sources, Tree, Writer};
    let text = "proto = \"dnp\"\n[[message]]\nid = 1\nname = \"m\"\n[message.fields]\n\
        kind = { type = \"i16\", enum = \"kind\" }\nreason = { type = \"u8\", if = \"kind == none\" }\n\
        bits = { type = \"i8\", flags = { low = 1, sign = 128 } }\n[enum.kind]\nnone = -1\nwalk = 1\n";
    let mut schemas = Schemas::default();
    schemas.add("game.toml", text, &|name| Some(netkit::protocols::by_name(name)?.encodings())).expect("a schema");
    let fields = schemas.messages("dnp")[0].fields(0).expect("fields");
    for (hex, want) in [
        ("ffff0781", serde_json::json!({"kind": "none", "reason": 7, "bits": ["low", "sign"]})),
        ("010002", serde_json::json!({"kind": "walk", "bits": [2]})),
        ("feff00", serde_json::json!({"kind": -2, "bits": []})),
    ] {
        let bytes = hex::decode(hex).expect("hex");
        let (mut tree, mut json) = (Tree::default(), Vec::new());
        let outcome = Reader::new(&bytes, &mut tree).read(fields);
        netkit::codec::json::fields_json(&tree, Sources { main: &bytes, more: &[] }, &mut json);
        let got: Json = serde_json::from_slice(&json).expect("JSON");
        assert_eq!((outcome.stop, &got), (None, &want));
        assert_eq!(Writer::new(&got).write(fields).map(hex::encode), Ok(hex.into()));
    }
}

/// A variable of the environment is for all commands: it excludes no option. Only `--schema` itself does.
#[test]
fn the_variable_excludes_no_option() {
    let (schema, capture) = (fixture("schemas/riptide.toml"), fixture("described/a2s.pcap"));
    let capture = capture.to_str().expect("UTF-8");
    for args in [["fields", "dnp", "--as-toml"], ["check", "--suggest", capture]] {
        let plain = feed(&mut netkit(&args), b"").ok();
        assert_eq!(feed(netkit(&args).env("NETKIT_SCHEMA", &schema), b""), plain, "{args:?}");
        let refused = feed(netkit(&args).arg("--schema").arg(&schema), b"");
        assert!(refused.status == Some(2) && refused.err.contains("cannot be used with"), "{}", refused.err);
    }
}
