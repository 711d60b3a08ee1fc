//! Random protocol files and random packets: with every file that loads, every packet encodes to its bytes, and no key
//! occurs twice in an object.

use crate::common::Random;
use netkit::dissect::inspector;
use netkit::dissect::{Dissector, Message, Options, Role, Sink};
use netkit::encode::{Encoders, Entry, Source};
use netkit::protocols::described::load;
use netkit::render::Ndjson;
use std::collections::HashSet;
use std::fmt::Write;

#[derive(Default)]
struct Lines(Vec<String>);

impl Sink for Lines {
    fn message(&mut self, message: &Message<'_>) {
        let mut line = Vec::new();
        Ndjson::new(false).message(message, &mut line);
        self.0.push(String::from_utf8(line).expect("UTF-8"));
    }
}

/// The first key that occurs twice in an object of this JSON.
fn twice(text: &str) -> Option<String> {
    let (mut open, mut rest) = (Vec::<HashSet<String>>::new(), text.char_indices());
    let mut newest = String::new();
    while let Some((_, c)) = rest.next() {
        match c {
            '{' | '[' => open.push(HashSet::new()),
            '}' | ']' => drop(open.pop()),
            '"' => {
                newest.clear();
                while let Some((_, c)) = rest.next().filter(|(_, c)| *c != '"') {
                    newest.push(c);
                    if c == '\\' {
                        newest.extend(rest.next().map(|(_, c)| c));
                    }
                }
                if text[rest.offset()..].starts_with(':') && !open.last_mut()?.insert(newest.clone()) {
                    return Some(newest);
                }
            }
            _ => {}
        }
    }
    None
}

/// Writes fields in a row; `last`: one may take the rest of the packet.
fn fields(random: &mut Random, structs: usize, last: bool) -> String {
    let mut text = String::new();
    let mut number: Option<String> = None;
    let count = 1 + random.below(6);
    for k in 0..count {
        let name = format!("f{k}");
        let following = number.clone();
        let condition = match &following {
            Some(number) if random.below(3) == 0 => match random.below(5) {
                0 => format!(", if = \"{number} & 1\""),
                1 => format!(", if = \"{number} in 1..3 or {number} == 7\""),
                2 => format!(", if = \"not ({number} == 2)\""),
                3 => format!(", if = \"{number} > 2 and {number} < 200\""),
                _ => format!(", if = \"{number} != 0\""),
            },
            _ => String::new(),
        };
        let word =
            *random.one(&["u8", "u16", "i16le", "u24", "varint", "zigzag32", "bool", "f32", "ushort", "varlong"]);
        let line = match random.below(if last && k + 1 == count { 18 } else { 15 }) {
            2 if random.below(3) == 0 => match random.below(4) {
                0 => format!(
                    "{name} = {{ type = \"{}\"{condition} }}",
                    random.one(&[
                        "u64\", scale = \"1/1000",
                        "f32\", scale = \"7/3",
                        "f64le\", scale = \"1/10",
                        "f16[2]\", scale = \"1/10",
                        "i64le[u8]\", scale = \"1/256",
                        "text\", until = \";\", number = { text = \"dec\" }, scale = \"1/10"
                    ])
                ),
                1 => format!(
                    "{name} = {{ type = \"{}\", xor = {}{condition} }}",
                    random.one(&["u32", "u32le", "i64", "f32", "u32le[2]"]),
                    random.one(&["0x1234567", "7", "\"0102\"", "\"seq\""])
                ),
                2 => format!(
                    "{name} = {{ type = \"u4\", 13 = \"u8\", 14 = {{ type = \"u16\", plus = 269 }}{condition} }}\n\
                     {name}v = {{ type = \"bytes\", size = {{ type = \"u4\", 13 = {{ type = \"u8\", plus = 13 }} }}{condition} }}"
                ),
                _ => format!(
                    "{name} = {{ type = \"u8[u4]\"{condition} }}\n{name}v = {{ type = \"u4\", enum = {{ one = 1 }}{condition} }}"
                ),
            },
            2 => match random.below(7) {
                0 => {
                    format!("{name} = {{ type = \"u8\", 6 = \"u16\", 7 = {{ type = \"u24\", plus = 3 }}{condition} }}")
                }
                1 => format!("{name} = {{ type = \"u8[u8]\", plus = {}{condition} }}", random.one(&["-1", "2"])),
                2 => format!("{name} = {{ type = \"u8[*]\", while = \"{name} & 1\"{condition} }}"),
                3 => format!("{name} = {{ type = \"{}\"{condition} }}", random.one(&["ipv6", "mac", "uuid"])),
                4 => format!("{name} = {{ type = \"u8[*]\", until = 3, or_end = true{condition} }}"),
                5 => format!(
                    "{name} = {{ type = \"string8[*]\", until = 0, joined = \";\", back = {}{condition} }}",
                    random.one(&["0xc000", "0x8000", "{ at = \"low 13 bits\", from = \"packet\" }"])
                ),
                _ => format!(
                    "{name}n = {{ type = \"u8\", 2 = \"u16\", 3 = \"u8\", hidden = true }}\n\
                     {name} = {{ type = \"bytes\", size = \"{name}n\" }}"
                ),
            },
            0..3 => {
                if condition.is_empty() && ["u8", "u16", "varint"].contains(&word) {
                    number = Some(name.clone());
                }
                format!("{name} = {{ type = \"{word}\"{condition} }}")
            }
            3 if random.below(2) == 0 => format!(
                "{name} = {{ type = \"{}\"{condition} }}",
                random.one(&[
                    "u32le\", time = \"unix",
                    "i64\", time = \"unix_ms",
                    "u64\", time = \"ntp",
                    "varint[2]\", time = \"unix"
                ])
            ),
            3 => format!("{name} = {{ type = \"u8\", enum = {{ one = 1, two = 2 }}{condition} }}"),
            4 => format!(
                "{name} = {{ type = \"u16\", bits = {{ {name}a = \"15..13\", {name}b = 12, {name}c = \"7..0\" }}{condition} }}"
            ),
            5 => format!("{name} = {{ type = \"string8\"{condition} }}"),
            6 => format!("{name} = {{ type = \"cstring\"{condition} }}"),
            7 => format!("{name} = {{ type = \"text\", until = \";,\"{condition} }}"),
            8 => format!(
                "{name} = {{ type = \"text\", size = {{ type = \"u8\", scale = 2 }}, charset = \"utf-16be\"{condition} }}"
            ),
            9 => format!("{name} = {{ type = \"{word}[u8]\"{condition} }}"),
            10 => {
                format!("{name} = {{ type = \"u8[*]\", until = {}{condition} }}", random.one(&["255", "\"\\n\"", "0"]))
            }
            11 if structs > 0 => {
                let list = *random.one(&["", "", "[2]", "[u8]"]);
                format!("{name} = {{ type = \"s{}{list}\"{condition} }}", random.below(structs))
            }
            12 => format!(
                "{name}n = {{ type = \"u8\", hidden = true }}\n{name} = {{ type = \"bytes\", size = \"{name}n\" }}"
            ),
            13 if random.below(3) == 0 => format!(
                "{name} = {{ type = \"u8\", value = {}, hidden = true{condition} }}\n\
                 {name}m = {{ type = \"u8\", value = 3, optional = true{condition} }}\n\
                 {name}v = {{ type = \"u8\", if = \"{name}m\" }}",
                random.one(&["1", "2"])
            ),
            13 => match following {
                Some(number) => format!(
                    "{name}a = {{ name = \"{name}\", type = \"u8\", if = \"{number} < 4\" }}\n\
                     {name}b = {{ name = \"{name}\", type = \"string8\", if = \"{number} >= 4\" }}"
                ),
                None => format!("{name} = {{ type = \"u8\", value = 7, optional = true }}"),
            },
            14 => match random.below(5) {
                3 => format!("{name} = {{ type = \"text\", until = \";\", number = {{ text = \"hex\" }}{condition} }}"),
                4 => format!(
                    "{name}n = {{ type = \"text\", {}, number = {{ text = \"dec\" }}, hidden = true }}\n\
                     {name} = {{ type = \"bytes\", size = \"{name}n\" }}",
                    random.one(&["until = \";\"", "size = 2"])
                ),
                0 => format!("{name} = {{ type = \"text\", until = \";\", hidden = true }}"),
                1 => format!("{name} = {{ type = \"string8\", align = 4{condition} }}"),
                _ => format!(
                    "{name} = {{ type = \"bytes\", size = {{ type = \"u8\", plus = {} }}{condition} }}",
                    random.one(&["1", "2", "-1"])
                ),
            },
            15 => format!("{name} = {{ type = \"text\"{condition} }}"),
            16 if structs > 0 => format!("{name} = {{ type = \"s{}[*]\"{condition} }}", random.below(structs)),
            17 => format!("{name} = {{ type = \"text\", until = \"/\", or_end = true }}"),
            _ => format!("{name} = \"ipv4\""),
        };
        let _ = writeln!(text, "{line}");
    }
    text
}

fn file(random: &mut Random) -> String {
    let mut text = String::from("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n");
    let words = random.below(3) == 0;
    match words {
        true => text += "kind = { type = \"cstring\", hidden = true }\n",
        false => text += "kind = { type = \"u8\", hidden = true }\n",
    }
    text += "seq = \"u8\"\nbody = { type = \"message\", by = \"kind\" }\n";
    let structs = random.below(3);
    for k in 0..structs {
        // It may contain itself.
        let own = match random.below(6) {
            0 => format!("own = {{ type = \"s{k}\", if = \"first & 4\" }}\n"),
            1 => format!("own = {{ type = \"s{k}[u8]\", if = \"first & 2\" }}\n"),
            2 => format!("own = {{ type = \"s{k}[*]\", until = 3 }}\n"),
            3 => format!("own = {{ type = \"s{k}[*]\", size = \"u8\", if = \"first < 5\" }}\n"),
            _ => String::new(),
        };
        let _ = write!(text, "[struct.s{k}]\nfirst = \"u8\"\n{}{own}", fields(random, k, false));
    }
    for k in 0..1 + random.below(3) {
        let id = if words { format!("\"m{k}\"") } else { k.to_string() };
        let _ = write!(
            text,
            "[[message]]\nid = {id}\nname = \"m{k}\"\n[message.fields]\n{}",
            fields(random, structs, true)
        );
    }
    text
}

fn packet(random: &mut Random, words: bool) -> Vec<u8> {
    let mut bytes = match words {
        true => format!("m{}\0", random.below(4)).into_bytes(),
        false => vec![random.below(4) as u8],
    };
    let length = random.below(24);
    bytes.extend((0..length).map(|_| match random.below(4) {
        0 => random.below(256) as u8,
        1 => *random.one(b";,/\n\0\xff12;0"),
        _ => random.below(9) as u8,
    }));
    bytes
}

#[test]
fn what_loads_gives_its_packets_back() {
    let mut random = Random(33);
    let mut loaded = 0;
    while loaded < 1000 {
        let text = file(&mut random);
        let described = match load("test.toml", &text) {
            Ok(described) => described,
            // A name may follow a length of varying size.
            Err(why) if why.reason.contains("its place in the packet is not known") => continue,
            Err(why) => panic!("{why}\n{text}"),
        };
        loaded += 1;
        let words = text.contains("\"cstring\", hidden");
        gives_back(described, (0..24).map(|_| packet(&mut random, words)), &text);
    }
}

/// The lines of a packet, and what they encode to, in hex.
pub fn bytes_of(described: &'static dyn Dissector, packet: &[u8], options: &Options) -> (Vec<String>, String) {
    let mut lines = Lines::default();
    inspector::dump(described, packet, options, &mut Default::default(), &mut lines);
    let (mut encoders, source) = (Encoders::new(options), Source::new(options.registry.clone()));
    let mut back = None;
    for line in &lines.0 {
        assert_eq!(twice(line), None, "{line}");
        let value = serde_json::from_str(line).expect("JSON");
        let entry = Entry::new(value, &source).unwrap_or_else(|why| panic!("{why}: {line}"));
        back = encoders.part(&entry).unwrap_or_else(|why| panic!("{why}: {line}"));
    }
    (lines.0, hex::encode(back.unwrap_or_default()))
}

/// Holds that each packet encodes to its bytes. Returns the number of whole lines that show the field `hid`.
pub fn gives_back(described: &'static dyn Dissector, packets: impl Iterator<Item = Vec<u8>>, text: &str) -> usize {
    let (mut options, mut shown) = (Options::new(netkit::protocols::registry().with(described)), 0);
    options.from = Some(Role::Client);
    for packet in packets {
        let (lines, written) = bytes_of(described, &packet, &options);
        assert_eq!(written, hex::encode(&packet), "{lines:?}\n{text}");
        shown += lines.iter().filter(|line| line.contains("\"hid\"") && !line.contains("\"fault\"")).count();
    }
    shown
}

/// Each line of a packet has its whole header, with the header's lists.
#[test]
fn a_list_before_the_messages_is_written_once() {
    let text = "protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\nacks = \"ack[u8]\"\nitems = \"item[*]\"\n\
                [struct.ack]\nseq = \"u8\"\n\
                [struct.item]\nkind = { type = \"u8\", hidden = true }\nbody = { type = \"message\", by = \"kind\" }\n\
                [[message]]\nid = 1\nname = \"ping\"\n[message.fields]\nn = \"u8\"\n";
    let described = load("test.toml", text).expect("a protocol");
    // The number of acks, one ack, and two or three pings.
    let packets = [vec![1, 5, 1, 7, 1, 8], vec![1, 5, 1, 7, 1, 8, 1, 9]];
    gives_back(described, packets.into_iter(), text);
}

#[test]
fn names_that_occur_twice_are_refused_or_proven_apart() {
    let head = "protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\nk = \"u8\"\n";
    for (fields, good) in [
        ("s = { type = \"s\", inline = true }\nn = \"u16\"\n[struct.s]\nn = \"u8\"", false),
        (
            "s = { type = \"s\", inline = true, if = \"k == 1\" }\nn = { type = \"u16\", if = \"k == 1\" }\n[struct.s]\nn = \"u8\"",
            false,
        ),
        (
            "s = { type = \"s\", inline = true, if = \"k == 1\" }\nn = { type = \"u16\", if = \"k in 2..9\" }\n[struct.s]\nn = \"u8\"",
            true,
        ),
        (
            "a = { name = \"n\", type = \"u8\", if = \"k & 1\" }\nb = { name = \"n\", type = \"u8\", if = \"k & 2\" }",
            false,
        ),
        (
            "a = { name = \"n\", type = \"u8\", if = \"k & 1\" }\nb = { name = \"n\", type = \"u8\", if = \"not k & 1\" }",
            true,
        ),
        (
            "a = { name = \"n\", type = \"u8\", if = \"k < 4\" }\nb = { name = \"n\", type = \"u8\", if = \"k > 2\" }",
            false,
        ),
        ("a = { type = \"u8\", bits = { n = \"3..0\" } }\nn = \"u8\"", false),
        ("a = { type = \"bytes\", size = \"u8\" }\nn = \"u8\"\nx = { name = \"a_length\", type = \"u8\" }", true),
    ] {
        let done = load("test.toml", &format!("{head}{fields}\n"));
        match (good, done) {
            (true, done) => assert!(done.is_ok(), "{fields}: {:?}", done.err()),
            (false, done) => {
                let why = done.expect_err(fields);
                assert!(why.reason.contains("the name is given twice"), "{fields}: {why}");
            }
        }
    }
}
