//! One name for a payload's values: `payload.X` in filters, groups, rules and `encode`, in each encoding of nano's
//! payloads. The expected values are those that the peers sent and received.
#![cfg(unix)]

use crate::common::program;
use crate::proxy::command::{GUARD, Proxy};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A payload's values, and a function that encodes them.
type Values = (u8, &'static str, bool);
type Writer = fn(Values) -> Vec<u8>;

const PAYLOAD: [Values; 3] = [(10, "ann", true), (20, "bob", false), (30, "cat", true)];

fn json((hp, name, keep): Values) -> Vec<u8> {
    format!("{{\"hp\":{hp},\"name\":\"{name}\",\"keep\":{keep}}}").into_bytes()
}

fn tagged((hp, name, keep): Values) -> Vec<u8> {
    [&[8, hp, 0x12, name.len() as u8], name.as_bytes(), &[0x18, u8::from(keep)]].concat()
}

fn after(number: [u8; 4], (_, name, keep): Values) -> Vec<u8> {
    [&number[..], &[name.len() as u8], name.as_bytes(), &[u8::from(keep)]].concat()
}

const PROTOS: &str = r#"{"client":{"game.move":{"hp":{"option":"required","type":"uInt32","tag":1},
    "name":{"option":"required","type":"string","tag":2},"keep":{"option":"optional","type":"bool","tag":3}}},"server":{}}"#;

/// An encoding: its name, the fields of its schema, the function that writes it.
const ENCODINGS: [(&str, &str, Writer); 6] = [
    ("json", "hp = \"int\"\nname = \"string\"\nkeep = \"bool\"", json),
    (
        "protobuf",
        "hp = { tag = 1, type = \"int\" }\nname = { tag = 2, type = \"string\" }\nkeep = { tag = 3, type = \"bool\" }",
        tagged,
    ),
    ("le", "hp = \"integer\"\nname = \"string8\"\nkeep = \"bool\"", |v| after(u32::from(v.0).to_le_bytes(), v)),
    ("be", "hp = \"int\"\nname = \"string8\"\nkeep = \"bool\"", |v| after(u32::from(v.0).to_be_bytes(), v)),
    ("none", "", json),
    ("protos", "", tagged),
];

fn package(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind], &(body.len() as u32).to_be_bytes()[1..], body].concat()
}

fn request(flags: u8, id: u8, payload: &[u8]) -> Vec<u8> {
    package(4, &[&[flags, id, 9], &b"game.move"[..], payload].concat())
}

/// Reads a package, as a peer does.
fn receive(stream: &mut TcpStream) -> Vec<u8> {
    let mut head = [0; 4];
    stream.read_exact(&mut head).unwrap();
    let mut body = vec![0; u32::from_be_bytes([0, head[1], head[2], head[3]]) as usize];
    stream.read_exact(&mut body).unwrap();
    [&head[..], &body].concat()
}

struct Case {
    name: &'static str,
    write: Writer,
    /// The flags of its messages.
    flags: u8,
    /// `--schema FILE`, if it has one.
    schema: Vec<String>,
    files: PathBuf,
}

impl Case {
    fn new((name, fields, write): (&'static str, &str, Writer)) -> Case {
        static CASES: AtomicU32 = AtomicU32::new(0);
        let number = CASES.fetch_add(1, Ordering::Relaxed);
        let files = std::env::temp_dir().join(format!("netkit-payloads-{number}-{}", std::process::id()));
        std::fs::create_dir_all(&files).unwrap();
        let mut case = Case { name, write, flags: 0, schema: Vec::new(), files };
        if !fields.is_empty() {
            let head = format!("proto = \"nano\"\nencoding = \"{name}\"\n[[message]]\nroute = \"game.move\"\n");
            let text = format!("{head}message = \"request\"\nname = \"move\"\n[message.fields]\n{fields}\n");
            std::fs::write(case.file("schema.toml"), text).unwrap();
            case.schema = vec!["--schema".into(), case.file("schema.toml")];
        }
        std::fs::write(case.file("protos.json"), PROTOS).unwrap();
        case
    }

    fn file(&self, name: &str) -> String {
        self.files.join(name).to_str().unwrap().into()
    }

    fn spoken(&self, values: [Values; 3]) -> Vec<Vec<u8>> {
        (1..).zip(values).map(|(id, values)| request(self.flags, id, &(self.write)(values))).collect()
    }

    /// Sends the three messages through a proxy with this rule; returns the messages that the server receives.
    fn through(&self, rule: Option<&str>) -> Vec<Vec<u8>> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = listener.local_addr().unwrap().to_string();
        let pcap = self.file("run.pcap");
        let mut args = vec!["--transport", "tcp", "-p", "nano", "-f", "none"];
        args.extend(rule.into_iter().flat_map(|rule| ["--on", rule]));
        args.extend(rule.is_none().then_some(["--pcap", &pcap, "--force"]).into_iter().flatten());
        args.extend(self.schema.iter().map(String::as_str));
        let proxy = Proxy::to(&target, &args);
        let mut client = TcpStream::connect(&proxy.at).unwrap();
        let mut server = listener.accept().unwrap().0;
        [&client, &server].into_iter().for_each(|stream| stream.set_read_timeout(Some(GUARD)).unwrap());
        let protos = if self.name == "protos" { PROTOS } else { "{}" };
        let answer = format!("{{\"code\":200,\"sys\":{{\"heartbeat\":9,\"protos\":{protos}}}}}");
        client.write_all(&package(1, b"{\"sys\":{\"type\":\"t\",\"version\":\"1\"}}")).unwrap();
        receive(&mut server);
        server.write_all(&package(1, answer.as_bytes())).unwrap();
        receive(&mut client);
        client.write_all(&[package(2, b""), self.spoken(PAYLOAD).concat()].concat()).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        receive(&mut server);
        let mut got = Vec::new();
        server.read_to_end(&mut got).unwrap();
        drop((client, server));
        let (_, reported) = proxy.end();
        let (mut all, mut rest) = (Vec::new(), &got[..]);
        while let [_, a, b, c, ..] = rest {
            let (one, following) = rest.split_at(4 + u32::from_be_bytes([0, *a, *b, *c]) as usize);
            all.push(one.to_vec());
            rest = following;
        }
        assert!(rest.is_empty(), "{}: {reported}", self.name);
        all
    }

    fn run(&self, args: &[&str]) -> String {
        let output = program().args(args).args(&self.schema).output().unwrap();
        assert!(output.status.success(), "{} {args:?}: {}", self.name, String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// The uses of the name, in each encoding.
#[test]
fn one_name_for_a_payloads_values() {
    let mut cells = 0;
    for case in ENCODINGS.map(Case::new) {
        let spoken = case.spoken(PAYLOAD);
        assert_eq!(case.through(None), spoken, "{}: untouched", case.name);
        let pcap = case.file("run.pcap");
        let read = ["-q", "-p", "nano", "--leg", "client"];
        for (filter, want) in [("payload.keep == false", 1), ("payload.hp > 15", 2), ("payload.name in {ann, cat}", 2)]
        {
            let lines = case.run(&[&["decode", "-F", filter, "-f", "ndjson", &pcap], &read[..]].concat());
            assert_eq!(lines.lines().count(), want, "{}: -F {filter}: {lines}", case.name);
        }
        let groups = case.run(&[&["stats", "--by", "payload.name", "-f", "csv", &pcap], &read[..]].concat());
        let count = |name: &str| groups.lines().filter(|line| line.starts_with(&format!("{name},1,"))).count();
        assert_eq!(["ann", "bob", "cat"].map(count), [1; 3], "{}: --by: {groups}", case.name);
        for rule in ["payload.keep == false: drop", "payload.hp == 20 and payload.name == bob: drop"] {
            let want = [spoken[0].clone(), spoken[2].clone()];
            assert_eq!(case.through(Some(rule)), want, "{}: {rule}", case.name);
        }
        let [first, second, third] = PAYLOAD;
        for (rule, want) in [
            ("payload.hp == 20: payload.name='much longer'", [first, (20, "much longer", false), third]),
            ("message == request: payload.hp=77", [(77, first.1, true), (77, second.1, false), (77, third.1, true)]),
            ("payload.name == cat: keep=false", [first, second, (30, "cat", false)]),
        ] {
            assert_eq!(case.through(Some(rule)), case.spoken(want), "{}: {rule}", case.name);
        }
        let protos = format!("nano.protos={}", case.file("protos.json"));
        let protos = if case.name == "protos" { vec!["-s", &*protos] } else { Vec::new() };
        for fields in [["payload.hp=20", "payload.name=bob", "payload.keep=false"], ["hp=20", "name=bob", "keep=false"]]
        {
            let args = [&["encode", "nano.request", "route=game.move", "id=2"][..], &fields, &protos].concat();
            assert_eq!(case.run(&args).trim(), hex::encode(&spoken[1]), "{}: {fields:?}", case.name);
        }
        cells += 5;
        std::fs::remove_dir_all(&case.files).unwrap();
    }
    assert_eq!(cells, 30);
}

/// Values that a rule does not name stay unchanged, or the whole message does; JSON may have any spaces.
#[test]
fn what_is_written_otherwise_stays() {
    let spaced: Writer =
        |(hp, name, keep)| format!("{{ \"hp\": {hp}, \"name\": \"{name}\", \"keep\": {keep} }}").into();
    let case = Case { write: spaced, ..Case::new(ENCODINGS[4]) };
    let got = case.through(Some("payload.name == cat: payload.hp=5"));
    assert_eq!(got, [&case.spoken(PAYLOAD)[..2], &[request(0, 3, &json((5, "cat", true)))]].concat());
    // A varint with one byte more than it needs.
    let long: Writer = |values| {
        let mut bytes = tagged(values);
        bytes.splice(1..2, [values.0 | 0x80, 0]);
        bytes
    };
    // protobuf keeps the long varint, pomelo's form cannot.
    let name = |(hp, _, keep): Values| (hp, "x", keep);
    for (which, want) in [(1, PAYLOAD.map(name)), (5, PAYLOAD)] {
        let case = Case { write: long, ..Case::new(ENCODINGS[which]) };
        assert_eq!(case.through(Some("message == request: payload.name=x")), case.spoken(want), "{}", case.name);
        std::fs::remove_dir_all(&case.files).unwrap();
    }
    std::fs::remove_dir_all(&case.files).unwrap();
}

/// A compressed payload is changed as well, whatever compressor made it; the others keep their bytes.
#[test]
fn compressed_payloads() {
    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::none());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }
    let writers: [(usize, Writer, Writer); 3] =
        [(4, |v| packed(&json(v)), json), (1, |v| packed(&tagged(v)), tagged), (5, |v| packed(&tagged(v)), tagged)];
    for (which, write, plain) in writers {
        let case = Case { write, flags: 0x10, ..Case::new(ENCODINGS[which]) };
        let spoken = case.spoken(PAYLOAD);
        let got = case.through(Some("payload.hp == 20: payload.name='much longer'"));
        assert_eq!([&got[0], &got[2]], [&spoken[0], &spoken[2]], "{}", case.name);
        // The package's and the message's header.
        let mut inflated = Vec::new();
        flate2::read::ZlibDecoder::new(&got[1][4 + 12..]).read_to_end(&mut inflated).unwrap();
        assert_eq!(inflated, plain((20, "much longer", false)), "{}", case.name);
        assert_eq!(case.through(Some("payload.keep == false: drop")), [spoken[0].clone(), spoken[2].clone()]);
        std::fs::remove_dir_all(&case.files).unwrap();
    }
}

/// The same name in protocols whose payloads are listed packets, parts of the fields, or bytes of another name: in
/// filters, groups, rules and `encode`.
#[test]
fn one_name_in_each_protocol() {
    let fixture = |name: &str| format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    let run = |args: &[&str]| {
        let output = program().args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    for (proto, capture, (field, value, count), others, (edit, edited), (given, bytes)) in [
        (
            "gne",
            "gne/gne-le-udp-full.pcap",
            ("msg", "Hello, server!", 1),
            11,
            ("msg=Hi", "10024869ff"),
            (&["gne.packets", "payload.id=16", "payload.msg=hi"][..], "10026869ff"),
        ),
        (
            "riptide",
            "riptide/riptide20-udp.pcap",
            ("text", "player 🎮", 5),
            2,
            ("text=xy", "070a00dc000278796002b91e"),
            (
                &["riptide.reliable", "message_id=220", "sequence_id=10", "payload.text=hi", "payload.count=5"],
                "070a00dc0002686905000000",
            ),
        ),
        (
            "dnp",
            "dnp/dnp-basic.pcap",
            ("short_text", "hello", 1),
            1,
            ("short_text=hi", "0400000202686"),
            (&["dnp.unreliable_message", "payload.code=9", "payload.text=hi"], "0309026869"),
        ),
    ] {
        let (capture, schema) = (fixture(capture), fixture(&format!("schemas/{proto}.toml")));
        let options = ["-p", proto, "--schema", &schema];
        let filter = format!("payload.{field} == \"{value}\"");
        let found = run(&[&["decode", "-q", &capture, "-f", "ndjson", "-F", &filter][..], &options].concat());
        assert_eq!(found.lines().count(), count, "{proto}: {found}");
        let by = format!("payload.{field}");
        let groups = run(&[&["stats", "-q", &capture, "--by", &by, "-f", "csv"][..], &options].concat());
        let group = |line: &&str| {
            line.starts_with(&format!("{value},{count},")) || line.starts_with(&format!("\"{value}\",{count},"))
        };
        assert_eq!(groups.lines().filter(group).count(), 1, "{proto}: {groups}");
        // The header, the messages without the field, and the other values.
        assert_eq!(groups.lines().count(), 2 + others, "{proto}: {groups}");
        let dry = |rule: &str| {
            run(&[&["replay", &capture, "--flow", "1", "--dry-run", "--allow-dangerous", "--on", rule][..], &options]
                .concat())
        };
        let whole = dry(&format!("{filter} and frame == 0: drop"));
        for prefix in ["payload.", ""] {
            let changed = dry(&format!("{filter}: {prefix}{edit}"));
            assert!(changed.lines().any(|line| line.trim().starts_with(edited)), "{proto} {prefix}: {changed}");
        }
        let dropped = dry(&format!("{filter}: drop"));
        let sent = |text: &str| text.lines().filter(|line| line.contains(&format!("  {proto}."))).count();
        assert_eq!(sent(&whole), sent(&dropped) + count.min(1), "{proto}: {dropped}");
        assert_eq!(run(&[&["encode"][..], given, &["--schema", &schema]].concat()).trim(), bytes, "{proto}");
    }
}

/// A rule changes the named value in each packet of a list, and in no other.
#[test]
fn packets_of_a_list_are_changed_in_their_places() {
    let schema = format!("{}/fixtures/schemas/gne.toml", env!("CARGO_MANIFEST_DIR"));
    let frame = |content: &[u8]| [b"NL", &(content.len() as u16).to_be_bytes()[..], content].concat();
    let hello = |text: &str| [&[16, text.len() as u8], text.as_bytes()].concat();
    let list =
        |first: &str, x: u8, last: &str| frame(&[&hello(first)[..], &[18, x, 0, 2, 0], &hello(last), &[255]].concat());
    let game = [&b"lobby"[..], &[0; 27]].concat();
    let request = frame(&[&b"GNE\0\0\x07\0"[..], &game, &[1, 0, 0, 0, 0, 0, 0, 0, 0]].concat());
    let accepted = frame(&[&b"GNE\x01"[..], &[0; 4], &[255; 4]].concat());
    for (rule, received) in [
        ("message == packets: payload.msg=longer", list("longer", 1, "longer")),
        ("message == packets: msg=now, payload.x=7", list("now", 7, "now")),
        ("payload.msg == two: packets[2].msg=now", list("one", 1, "now")),
        ("payload.msg == two: drop", Vec::new()),
        ("payload.msg == three: drop", list("one", 1, "two")),
        ("message == packets: payload.v=7", list("one", 1, "two")),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = listener.local_addr().unwrap().to_string();
        let options = ["--transport", "tcp", "-p", "gne", "-f", "ndjson", "--schema", &schema, "--on", rule];
        let proxy = Proxy::to(&target, &options);
        let mut client = TcpStream::connect(&proxy.at).unwrap();
        let mut server = listener.accept().unwrap().0;
        [&client, &server].into_iter().for_each(|stream| stream.set_read_timeout(Some(GUARD)).unwrap());
        client.write_all(&request).unwrap();
        server.read_exact(&mut vec![0; request.len()]).unwrap();
        server.write_all(&accepted).unwrap();
        client.read_exact(&mut vec![0; accepted.len()]).unwrap();
        client.write_all(&list("one", 1, "two")).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let mut got = Vec::new();
        server.read_to_end(&mut got).unwrap();
        assert_eq!(hex::encode(got), hex::encode(received), "{rule}");
        drop((client, server));
        let (out, reported) = proxy.end();
        assert_eq!(out.contains("no packet has a field \\\"v\\\""), rule.ends_with("v=7"), "{rule}: {out}");
        assert!(out.contains("edited\":[\"payload.msg\"]") == rule.ends_with("payload.msg=longer"), "{out} {reported}");
    }
}
