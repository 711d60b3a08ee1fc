//! `netkit fields --from`: descriptions in other languages become protocol files, which load, and read what the libraries
//! of these languages wrote.

use crate::common::{Scratch, fixture};
use crate::run;
use crate::words::read;
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
    load("x.toml", &import("riptide.proto", "", &none).unwrap().text).unwrap();
    for (text, line, what) in [
        ("message A {\n", 1, "the bracket { does not end"),
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
