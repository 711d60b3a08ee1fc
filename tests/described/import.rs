//! `netkit fields --from`: descriptions in other languages become protocol files, which load, and read what the libraries
//! of these languages wrote.

use crate::common::{Scratch, fixture};
use crate::described::run;
use crate::described::words::read;
use netkit::protocols::described::{import, load};
use serde_json::{Value as Json, json};

/// A description that imports no file.
fn none(_: &str, _: &str) -> Option<(String, String)> {
    None
}

/// The bytes are those of Google's protobuf for Python, and the values those that it was given.
#[test]
fn a_proto_file() {
    let path = fixture("described/game.proto").display().to_string();
    let reported = run(&["fields", "--from", &path]);
    let (text, err) = (String::from_utf8(reported.stdout).unwrap(), String::from_utf8(reported.stderr).unwrap());
    assert_eq!(
        (reported.status.code(), err.trim_end().ends_with("game.proto: 29 of 35 statements (83 %)")),
        (Some(0), true),
        "{err}"
    );
    for (line, what) in [
        (3, "import \"google/protobuf/any.proto\""),
        (11, "oneof body"),
        (18, "any: google.protobuf.Any is in another file"),
        (34, "left: Tree contains itself"),
        (40, "KIND_WALK: the same number as KIND_MOVE"),
        (44, "service Arena"),
    ] {
        let comment = format!("# game.proto:{line}: {what}");
        assert!(text.contains(&comment), "{comment}: {text}");
    }
    let cases: [(&str, Json); 2] = [
        (
            "0885808080802010d7041a0d01feffffffffffffffff01ac0220042005321e0a150d07000000150000c03f1900000000000002c020010a050d\
             090000003a050a0161100340fdffffffffffffffff014a060a02100110045a0201026200",
            json!({
                "sequence": 1_099_511_627_781_u64, "heading": -300, "scores": [1, -2, 300], "loose": [4, 5],
                "snapshot": {"entities": [{"id": 7, "x": 1.5, "y": -2.25, "alive": true}, {"id": 9}]},
                "counts": [{"key": "a", "value": 3}], "kind": "KIND_BAD", "tree": {"left": "1001", "value": 4},
                "unknown_": "0102", "nothing": "",
            }),
        ),
        (
            "08012a0b0a0368c3a91201611201624001",
            json!({"sequence": 1, "chat": {"text": "hé", "to": ["a", "b"]}, "kind": "KIND_MOVE"}),
        ),
    ];
    for (hex, want) in cases {
        let lines = read(&text, &hex::decode(hex).unwrap());
        assert_eq!(lines[0]["fields"]["message"], want, "{text}");
    }
}

/// proto2: lists are not packed unless the file says so. Nothing to describe is a packet of bytes.
#[test]
fn other_proto_files() {
    let text = "syntax = \"proto2\";\nmessage A { repeated uint32 a = 1; repeated uint32 b = 2 [packed = true]; optional int32 c = 3 [default = 7];\n\
        optional group G = 4 { optional int32 d = 1; } extensions 100 to 199; }\n/* message B { */ extend A { optional int32 e = 100; }\n";
    let done = import("dir/a b.proto", text, &none).unwrap();
    assert_eq!((done.carried, done.all), (4, 8), "{}", done.text);
    assert!(done.text.contains("protocol = \"a_b\""), "{}", done.text);
    let lines = read(&done.text, b"\x08\x01\x08\x02\x12\x02\x03\x04");
    assert_eq!(lines[0]["fields"]["message"], json!({"a": [1, 2], "b": [3, 4]}));
    // Names that no file can have.
    for name in ["riptide", "auto", "udp", "tcp", "ws"] {
        load("x.toml", &import(&format!("{name}.proto"), "", &none).unwrap().text).unwrap();
    }
    for (text, line, what) in [
        ("message A {\n", 1, "the closing } is missing"),
        ("\nmassage A {}", 2, "expected message or enum, got \"massage\""),
        ("message A {\n  int32 = 1; }", 2, "expected a name, got \"=\""),
        ("message A { int32 a = x; }", 1, "a: expected its number"),
        ("message A { int32 a = 536870912; }", 1, "a: expected its number"),
        ("message A { int32 a 1; }", 1, "expected \"=\", got \"1\""),
    ] {
        let (at, why) = import("a.proto", text, &none).expect_err(text);
        assert!(at == line && why.contains(what), "{text}: {at}: {why}");
    }
    let deep = "message A { ".repeat(40);
    assert!(import("a.proto", &deep, &none).expect_err("deep").1.contains("more than 16 deep"));
    // A chain of messages is no recursion of the importer's.
    let chain = |most: usize| (0..most).map(|k| format!("message A{k} {{ A{} a = 1; }}\n", k + 1)).collect::<String>();
    assert_eq!(import("a.proto", &chain(1024), &none).unwrap().all, 2048);
    assert_eq!(import("a.proto", &chain(1025), &none).expect_err("many"), (1025, "more than 1024 messages".into()));
    assert_eq!(import("a.txt", "", &none).expect_err("no language").0, 0);
}

/// The protocol file of a description in fixtures/described, and the numbers of its enumerations' names.
fn imported(name: &str) -> (String, Vec<(String, i64)>) {
    let reported = run(&["fields", "--from", &fixture(name).display().to_string()]);
    assert_eq!(reported.status.code(), Some(0), "{}", String::from_utf8_lossy(&reported.stderr));
    let text = String::from_utf8(reported.stdout).unwrap();
    // `NAME = 3`: the values of enumerations are among them.
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_end_matches(',')).collect();
    let number = |w: &[&str]| Some((w[0].to_owned(), w[2].parse().ok().filter(|_| w[1] == "=")?));
    let names = words.windows(3).filter_map(number).collect();
    (text, names)
}

/// Compares a value with Kaitai's. Its bits are booleans, its bytes hex digits after `hex:`, and it shows constants, too.
fn compare(place: &str, kaitai: &Json, ours: &Json, names: &[(String, i64)], wrong: &mut Vec<String>) {
    match (kaitai, ours) {
        (Json::Object(all), Json::Object(own)) => {
            for (key, value) in all {
                match own.get(key).or_else(|| own.get(&format!("{key}_"))) {
                    Some(ours) => compare(&format!("{place}.{key}"), value, ours, names, wrong),
                    None if ["magic", "last"].contains(&key.as_str()) && place.is_empty() => {}
                    None => wrong.push(format!("{place}.{key}: missing")),
                }
            }
            // Bytes after a terminator in a field of fixed size are shown, too.
            let new = |key: &&String| !all.contains_key(key.trim_end_matches('_')) && !key.ends_with("_trailing");
            if let Some(more) = own.keys().find(new) {
                wrong.push(format!("{place}.{more}: not Kaitai's"));
            }
        }
        (Json::Array(all), Json::Array(own)) if all.len() == own.len() => {
            for (k, (a, b)) in all.iter().zip(own).enumerate() {
                compare(&format!("{place}[{k}]"), a, b, names, wrong);
            }
        }
        (Json::Number(n), Json::String(name))
            if names.iter().any(|(known, value)| known == name && n.as_i64() == Some(*value)) => {}
        (Json::Number(a), Json::Number(b)) if a.as_f64() == b.as_f64() => {}
        (Json::String(a), Json::String(b)) if a.strip_prefix("hex:").unwrap_or(a) == b => {}
        (a, b) if a == b => {}
        (a, b) => wrong.push(format!("{place}: Kaitai {a}, netkit {b}")),
    }
}

/// `game.kaitai.ndjson` has bytes, and the values of Kaitai's own parser (`tests/described/kaitai.js`). Encoding gives
/// the bytes back.
#[test]
fn a_ksy_file() {
    let (text, names) = imported("described/game.ksy");
    let truth = std::fs::read_to_string(fixture("described/game.kaitai.ndjson")).unwrap();
    let mut wrong = Vec::new();
    for line in truth.lines() {
        let line: Json = serde_json::from_str(line).unwrap();
        let hex = line["hex"].as_str().unwrap();
        let lines = read(&text, &hex::decode(hex).unwrap());
        assert_eq!(lines.len(), 1, "{lines:?}");
        compare("", &line["values"], &lines[0]["fields"], &names, &mut wrong);
    }
    assert!(wrong.is_empty() && truth.lines().count() == 5, "{wrong:#?}");
}

/// If node finds Kaitai's compiler and its runtime (`NODE_PATH`), the values are still those.
#[test]
fn the_values_are_those_of_kaitai() {
    let script = fixture("../tests/described/kaitai.js");
    let (ksy, truth) = (fixture("described/game.ksy"), fixture("described/game.kaitai.ndjson"));
    let done = match std::process::Command::new("node").arg(script).arg(ksy).arg(&truth).output() {
        Ok(done) if done.status.code() != Some(77) => done,
        _ => return eprintln!("skipped: node, kaitai-struct-compiler, kaitai-struct or js-yaml is missing"),
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let parsed = |text: &str| -> Vec<Json> { text.lines().map(|line| serde_json::from_str(line).unwrap()).collect() };
    assert_eq!(parsed(&String::from_utf8(done.stdout).unwrap()), parsed(&std::fs::read_to_string(truth).unwrap()));
}

/// Words of conditions and types are no names, and neither is one of a nearer field; a size or byte order that is not
/// known ends the reading, or is bytes up to the end.
#[test]
fn what_a_ksy_file_cannot_carry_over() {
    let text = "meta:\n  id: x\n  endian:\n    switch-on: left\n    cases: {1: le}\nseq:\n  - {id: left, type: u1}\n  - {id: u8, type: u1}\n  - id: body\n    size: u8\n    type: body\n    if: left != 0\n  - {id: other, size: u8 * left}\n  - {id: more, type: u1}\ntypes:\n  body:\n    seq:\n      - {id: u8, type: u1}\n      - {id: list, type: item, repeat: expr, repeat-expr: _parent.u8}\n  item:\n    seq: [{id: n, type: u4}]\n";
    let done = import("a.ksy", text, &none).unwrap();
    for comment in [
        "# a.ksy:3: endian depends on the data",
        "# a.ksy:13: other: size: u8 * left: arithmetic is not supported",
        "# a.ksy:14: more: after other, which is not described",
        "# a.ksy:19: list: repeat-expr: _parent.u8: u8_ is shadowed by a field of an inner type",
        "# a.ksy:20: type item: not used by any field",
    ] {
        assert!(done.text.contains(comment), "{comment}\n{}", done.text);
    }
    let lines = read(&done.text, &[1, 2, 9, 8, 7, 6]);
    assert_eq!(
        lines[0]["fields"],
        json!({"left_": 1, "u8_": 2, "body": {"u8_": 9, "undescribed": "08"}, "undescribed": "0706"})
    );
    // A type with a list that nothing ends is not one that can be read: reading ends at it.
    let ring = "meta: {id: x, endian: be}\nseq: [{id: a, type: x, repeat: eos}]\n";
    let done = import("ring.ksy", ring, &none).unwrap();
    assert!(done.carried < done.all && done.text.contains("fault"), "{}", done.text);
    load("x.toml", &done.text).unwrap();
}

/// Bits that name their order are carried over only if it is that of their type.
#[test]
fn bits_with_an_order_of_their_own() {
    let drafted = |meta: &str, order: &str| {
        let seq = format!("seq:\n  - {{id: low, type: b6{order}}}\n  - {{id: high, type: b2{order}}}\n");
        import("a.ksy", &format!("meta: {{id: x{meta}}}\n{seq}"), &none).unwrap()
    };
    for (meta, order) in [("", "le"), (", bit-endian: le", "be")] {
        let done = drafted(meta, order);
        assert!(done.text.contains(&format!("type b6{order} is not supported")), "{}", done.text);
        load("x.toml", &done.text).unwrap();
    }
    // 0x85 is 10 000101 and 100001 01.
    for (meta, order, want) in
        [(", bit-endian: le", "le", json!({"low": 5, "high": 2})), ("", "be", json!({"low": 33, "high": 1}))]
    {
        assert_eq!(read(&drafted(meta, order).text, b"\x85")[0]["fields"], want);
    }
}

/// Mistakes have their line. Whatever else the text is, the file that it becomes loads.
#[test]
fn other_ksy_files() {
    for (text, line, what) in [
        ("", 1, "no value"),
        ("meta: {id: x}\nseq: [}\n", 2, "YAML"),
        ("meta: {id: x}\nmeta: {id: y}\n", 2, "the key \"meta\" is given twice"),
        ("meta: {id: x}\n---\nmeta: {id: y}\n", 2, "a second document"),
        ("seq: []\n", 1, "expected meta, with the id"),
        ("meta: {id: x}\nseq: {a: 1}\n", 2, "seq: expected a list"),
        ("meta: {id: x}\ntypes:\n  a:\n    types: [1]\n", 4, "types: expected a map"),
        ("meta: {id: x}\na: &a [*a]\n", 2, "an alias in its own value"),
        (&format!("meta: {{id: x}}\na:\n  {}1", "- ".repeat(70)), 3, "more than 64 deep"),
    ] {
        let (at, why) = import("a.ksy", text, &none).expect_err(text);
        assert!(at == line && why.contains(what), "{text}: {at}: {why}");
    }
    let laughs: String =
        (1..30).map(|k| format!("a{k}: &a{k} [{}]\n", vec![format!("*a{}", k - 1); 9].join(","))).collect();
    let laughs = format!("meta: {{id: x}}\na0: &a0 [x]\n{laughs}");
    assert!(import("a.ksy", &laughs, &none).expect_err("aliases").1.contains("more than 262144 values"));
    let types: String = (0..1024).map(|k| format!("  t{k}: {{seq: [{{id: a, type: u1}}]}}\n")).collect();
    let why = import("a.ksy", &format!("meta: {{id: x}}\ntypes:\n{types}"), &none).expect_err("types");
    assert_eq!(why, (1026, "more than 1024 types".into()));
    let long = " ".repeat((4 << 20) + 1);
    assert!(import("a.ksy", &long, &none).expect_err("long").1.contains("more than 4194304 bytes"));
    let head = "meta: {id: x, endian: be}\nseq:\n  - {id: a, type: u1}\n";
    let doubling: String = (0..60).map(|k| format!("  i{k}: {{value: i{} + i{}}}\n", k + 1, k + 1)).collect();
    for (what, text) in [
        ("brackets", format!("{head}  - {{id: b, type: u1, if: \"{}a{}\"}}\n", "(".repeat(5000), ")".repeat(5000))),
        ("nots", format!("{head}  - {{id: b, type: u1, if: \"{}a\"}}\n", "not ".repeat(5000))),
        ("choices", format!("{head}  - {{id: b, size: \"{}1\"}}\n", "a ? 2 : ".repeat(5000))),
        ("instances", format!("{head}  - {{id: b, size: i0}}\ninstances:\n{doubling}  i60: {{value: a}}\n")),
        ("a ring of instances", format!("{head}  - {{id: b, size: i}}\ninstances:\n  i: {{value: i + 1}}\n")),
        ("bits", format!("{head}  - {{id: b, type: b64}}\n  - {{id: c, type: b3, if: a}}\n  - {{id: d, type: u2}}\n")),
        ("no field", "meta: {id: x}\n".to_owned()),
    ] {
        let done = import("a.ksy", &text, &none).unwrap_or_else(|why| panic!("{what}: {why:?}"));
        load("x.toml", &done.text).unwrap_or_else(|why| panic!("{what}: {why}\n{}", done.text));
    }
}

/// `fields --examples DIR/` writes what the pages use. What is there stays.
#[test]
fn the_examples_are_written_into_a_folder() {
    let folder = Scratch::new("examples-written");
    let place = folder.path().join("demo");
    let target = format!("{}/", place.display());
    let reported = run(&["fields", "--examples", &target]);
    assert_eq!(reported.status.code(), Some(0), "{}", String::from_utf8_lossy(&reported.stderr));
    for name in ["fixtures/protocols/enet.toml", "fixtures/described/tutorial/2.toml", "fixtures/described/kcp.pcap"] {
        let own = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        assert_eq!(std::fs::read(place.join(name)).unwrap(), std::fs::read(own).unwrap(), "{name}");
    }
    let kept = place.join("fixtures/protocols/enet.toml");
    std::fs::write(&kept, "mine").unwrap();
    assert_eq!(run(&["fields", "--examples", &target]).status.code(), Some(0));
    assert_eq!(std::fs::read(&kept).unwrap(), b"mine");
}
