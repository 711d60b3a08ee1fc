//! Random schemas of each encoding: random values are written and read again as the same values, and as the same bytes.

use crate::common::Random;
use netkit::codec::json::fields_json;
use netkit::codec::layout::{Field, Order};
use netkit::codec::schema::{Encoding, Form, Schemas};
use netkit::codec::{Context, Reader, Sampler, Sources, Tree, Writer};
use netkit::protocols;
use serde_json::Value as Json;
use std::fmt::Write;

struct Order2(Order);

impl Context for Order2 {
    fn order(&self) -> Order {
        self.0
    }
}

/// The types that take all remaining bytes.
const REST: [&str; 2] = ["text", "bytes"];
/// Whole numbers, which may be counts, have names, or be scaled.
const WHOLE: [&str; 18] = [
    "u8", "i8", "u16", "i16", "u32", "i32", "byte", "sbyte", "short", "ushort", "int", "uint", "int32", "uint32",
    "sint32", "fixed32", "sfixed32", "u16be",
];

/// The fields of a struct or message, as written in the file.
fn fields(random: &mut Random, encoding: &Encoding, structs: usize, last: bool) -> String {
    let mut text = String::new();
    let words: Vec<&str> =
        encoding.types.iter().map(|(w, _)| *w).filter(|w| !REST.contains(w) && *w != "packet").collect();
    let (mut counter, mut kind) = (None, None);
    for k in 0..1 + random.below(7) {
        let (mut word, mut more) = (random.one(&words).to_string(), String::new());
        if structs > 0 && random.below(4) == 0 {
            word = format!("s{}", random.below(structs));
        }
        if encoding.bits && random.below(6) == 0 {
            word = format!("bits({})", 1 + random.below(64));
        }
        // JSON's numbers have 64 bits, which cannot be scaled.
        let whole = WHOLE.contains(&word.as_str()) && encoding.form != Form::Members;
        let unsigned = ["u8", "byte", "uint32"].contains(&word.as_str());
        if whole {
            match random.below(6) {
                0 => {
                    let signed = ["i8", "i16", "i32", "sbyte", "short", "int", "int32", "sint32", "sfixed32"];
                    let none = if signed.contains(&word.as_str()) { "none = -1, " } else { "" };
                    let _ = write!(more, ", enum = {{ {none}one = 1, two = 2, most = 127 }}");
                }
                1 => more += ", flags = { low = 1, high = 64 }",
                2 => more += ", scale = 0.01, unit = \"m\"",
                3 => more += ", scale = \"1/128\"",
                _ => {}
            }
        }
        let plain = more.is_empty();
        let list = match encoding.form {
            Form::Tagged => random.below(3) == 0,
            _ => random.below(3) == 0 && word != "string" || random.below(5) == 0,
        };
        // Bytes are shown as hex.
        let list = list && (plain || word != encoding.byte);
        if list {
            word += match (encoding.form, encoding.length.is_some(), counter) {
                (Form::Tagged, ..) => "[]".into(),
                (_, true, _) if random.below(2) == 0 => "[]".into(),
                (_, _, Some(name)) if random.below(2) == 0 => format!("[n{name}]"),
                _ => format!("[{}]", random.below(5)),
            }
            .as_str();
        } else if let (true, true, Form::Sequence) = (unsigned, plain, encoding.form) {
            match random.below(2) {
                0 => counter = Some(k),
                _ => kind = Some(k),
            }
        }
        if encoding.form == Form::Tagged {
            let _ = write!(more, ", tag = {}", 1 + k + 8 * random.below(300));
            if list
                && random.below(4) == 0
                && !["string", "bytes"].iter().any(|w| word.starts_with(w))
                && !word.starts_with('s')
            {
                more += ", packed = false";
            }
        } else if let (Some(name), true, false) = (kind, random.below(3) == 0, counter == Some(k) || kind == Some(k)) {
            let _ = write!(more, ", if = \"n{name} {}\"", random.one(&["== 1", "in 0, 2, 3", "& 2"]));
        }
        let name = if counter == Some(k) || kind == Some(k) { 'n' } else { 'f' };
        let _ = writeln!(text, "{name}{k} = {{ type = \"{word}\"{more} }}");
    }
    if last && encoding.form == Form::Sequence && random.below(3) == 0 {
        let word = random.one(&words);
        let _ = writeln!(text, "rest = \"{word}[*]\"");
    }
    text
}

/// A schema with a message and its structs.
fn schema(random: &mut Random, proto: &str, encoding: &Encoding, named: bool) -> String {
    let key = match encoding.keys.ids {
        Some((_, most)) => format!("id = {most}"),
        None => "route = \"r\"".into(),
    };
    let mut text = format!("proto = {proto:?}\n");
    if named {
        let _ = writeln!(text, "encoding = {:?}", encoding.name);
    }
    let structs = random.below(4);
    let _ = writeln!(
        text,
        "[[message]]\n{key}\nname = \"m\"\n[message.fields]\n{}",
        fields(random, encoding, structs, true)
    );
    for k in 0..structs {
        let _ = writeln!(text, "[struct.s{k}]\n{}", fields(random, encoding, k, false));
    }
    text
}

fn read(bytes: &[u8], fields: &'static [Field], order: Order) -> (Json, bool) {
    let mut tree = Tree::default();
    let outcome = Reader::new(bytes, &mut tree).context(&mut Order2(order)).read(fields);
    let mut text = Vec::new();
    fields_json(&tree, Sources { main: bytes, more: &[] }, &mut text);
    (serde_json::from_slice(&text).expect("JSON"), outcome.stop.is_none())
}

fn write(values: &Json, fields: &'static [Field], order: Order, broken: bool) -> Result<Vec<u8>, String> {
    Writer::new(values).broken(broken).context(&mut Order2(order)).write(fields).map_err(|e| e.to_string())
}

/// Tests random schemas of one encoding with random messages.
fn try_encoding(proto: &str, place: usize, encoding: &'static Encoding, encodings: &'static [Encoding]) {
    let named = encodings.len() > 1 && encoding.versions.is_empty();
    let (mut made, mut compiled) = (0, 0);
    for seed in 1..=400 {
        let mut random = Random(seed * 0x9e37_79b9 + place as u64);
        let text = schema(&mut random, proto, encoding, named);
        let mut schemas = Schemas::default();
        if let Err(why) = schemas.add("random.toml", &text, &|_| Some(encodings)) {
            // Two fields may have drawn the same number.
            assert!(why.reason.contains("has this tag"), "{why}\n{text}");
            continue;
        }
        compiled += 1;
        let fields = schemas.messages(proto)[0].fields(place).unwrap_or_else(|| panic!("{}: {text}", encoding.name));
        for sample in 0..12 {
            let order = if sample % 2 == 0 { Order::Little } else { Order::Big };
            let Ok(bytes) = Sampler::new(seed * 100 + sample).context(&mut Order2(order)).sample(fields) else {
                continue;
            };
            let (values, whole) = read(&bytes, fields, order);
            let hex = hex::encode(&bytes);
            match write(&values, fields, order, !whole) {
                Ok(again) => {
                    assert_eq!(hex::encode(&again), hex, "{proto} {} seed {seed}: {values}\n{text}", encoding.name)
                }
                Err(why) => panic!("{proto} {} seed {seed}: {why}: {hex} {values}\n{text}", encoding.name),
            }
            made += whole as u64;
        }
    }
    assert!(compiled > 150 && made > 1500, "{proto} {}: {compiled} schemas, {made} whole messages", encoding.name);
}

#[test]
fn values_written_by_random_schemas_are_read_again() {
    for dissector in protocols::ALL.iter().filter(|d| !d.encodings().is_empty()) {
        for (place, encoding) in dissector.encodings().iter().enumerate() {
            // JSON is text: `json_by_random_schemas`.
            if encoding.form != Form::Members {
                try_encoding(dissector.name(), place, encoding, dissector.encodings());
            }
        }
    }
}

/// The same text works for Riptide's encodings: values read from 2.0's bytes are written bit-packed and read again.
/// (1.x has no lists of more than 255.)
#[test]
fn one_text_for_riptide_2_0_and_2_2() {
    let encodings = protocols::by_name("riptide").expect("it").encodings();
    let mut moved = 0;
    for seed in 1..=300 {
        let mut random = Random(seed * 0x9e37_79b9);
        // Only types that all of them have.
        let text = schema(&mut random, "riptide", &encodings[1], false);
        let mut schemas = Schemas::default();
        schemas.add("random.toml", &text, &|_| Some(encodings)).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let message = &schemas.messages("riptide")[0];
        let fields: Vec<_> = (0..3).map(|k| message.fields(k).expect("fields")).collect();
        for sample in 0..10 {
            let Ok(bytes) = Sampler::new(seed * 100 + sample).sample(fields[1]) else { continue };
            let (values, whole) = read(&bytes, fields[1], Order::Little);
            if !whole {
                continue;
            }
            let bytes =
                write(&values, fields[2], Order::Little, false).unwrap_or_else(|e| panic!("{e}: {values}\n{text}"));
            let (mut again, whole) = read(&bytes, fields[2], Order::Little);
            // The bits that fill the last byte may be read as elements of a list without a count.
            if text.contains("bool[*]") {
                again["rest"] = values["rest"].clone();
            }
            assert!(whole && again == values, "{values} became {again}\n{text}");
            moved += 1;
        }
    }
    assert!(moved > 2000, "{moved}");
}

/// A varint's value, and its length in bytes.
fn varint(bytes: &[u8]) -> (u64, usize) {
    let count = bytes.iter().position(|b| b & 0x80 == 0).expect("an end") + 1;
    (bytes[..count].iter().rev().fold(0, |n, b| n << 7 | (b & 0x7f) as u64), count)
}

/// A protobuf message cut into its records.
fn records(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let (key, at) = varint(bytes);
        let rest = &bytes[at..];
        let length = match key & 7 {
            0 => varint(rest).1,
            1 => 8,
            5 => 4,
            _ => {
                let (length, at) = varint(rest);
                at + length as usize
            }
        };
        all.push(bytes[..at + length].to_vec());
        bytes = &bytes[at + length..];
    }
    all
}

/// Fields may have any order, be repeated, be packed or not, be unknown, have longer keys than needed: the bytes are
/// encoded again, whatever they are.
#[test]
fn protobuf_in_any_order() {
    let encodings = protocols::by_name("nano").expect("it").encodings();
    let place = encodings.iter().position(|e| e.form == Form::Tagged).expect("protobuf");
    let (mut tidy, mut untidy, mut broken) = (0, 0, 0);
    for seed in 1..=300 {
        let mut random = Random(seed * 0x9e37_79b9);
        let text = schema(&mut random, "nano", &encodings[place], true);
        let mut schemas = Schemas::default();
        if schemas.add("random.toml", &text, &|_| Some(encodings)).is_err() {
            continue;
        }
        let fields = schemas.messages("nano")[0].fields(place).expect("fields");
        for sample in 0..12 {
            let bytes = Sampler::new(seed * 100 + sample).sample(fields).expect("a sample");
            let mut list = records(&bytes);
            for _ in 0..random.below(4) {
                let at = random.below(list.len() + 1);
                let more = match random.below(6) {
                    0 if !list.is_empty() => random.one(&list).clone(),
                    1 => vec![0xf8, 0xff, 0x7f, 0x96, 0x01],
                    2 => vec![0xfa, 0xff, 0x7f, 3, 1, 2, 3],
                    3 => vec![0xfb, 0xff, 0x7f, 0x08, 0x01, 0xfc, 0xff, 0x7f],
                    4 => vec![0x88, 0x00, 0x80, 0x00],
                    _ => vec![0x0d, 1, 2, 3, 4],
                };
                list.insert(at, more);
            }
            if random.below(2) == 0 && list.len() > 1 {
                let (a, b) = (random.below(list.len()), random.below(list.len()));
                list.swap(a, b);
            }
            let mut bytes = list.concat();
            if random.below(4) == 0 && !bytes.is_empty() {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            let (values, whole) = read(&bytes, fields, Order::Little);
            if !whole {
                broken += 1;
                continue;
            }
            let again = write(&values, fields, Order::Little, false);
            let context = format!("seed {seed}: {} {values}\n{text}", hex::encode(&bytes));
            assert_eq!(again.map(hex::encode), Ok(hex::encode(&bytes)), "{context}");
            let referenced = values.get("wire").is_some();
            (tidy, untidy) = (tidy + !referenced as u64, untidy + referenced as u64);
        }
    }
    assert!(tidy > 300 && untidy > 300 && broken > 50, "{tidy} {untidy} {broken}");
}

/// A random value of a JSON field.
fn member(field: &'static Field, random: &mut Random) -> Json {
    use netkit::codec::layout::{Count, Kind, Show};
    let scaled = |n: i64| match field.show {
        Show::Enum(names) => names.iter().find(|(v, _)| *v == n as u64).map_or(n.into(), |(_, name)| (*name).into()),
        _ => Json::from(n),
    };
    match &field.kind {
        Kind::Text { .. } => ["", "a\"b\\", "\u{1f680} \u{7f}", "0"][random.below(4)].into(),
        Kind::Float { .. } => [0.5, -1e300, 3.0, 5e-324][random.below(4)].into(),
        Kind::Int { .. } => {
            scaled([1, 2, 127, i64::MIN, -1][random.below(if matches!(field.show, Show::Plain) { 5 } else { 3 })])
        }
        Kind::Bool { .. } => (random.below(2) == 0).into(),
        Kind::Struct(fields) => object(fields, random),
        Kind::Array { count, of } => {
            let n = if let Count::Const(n) = count { *n as usize } else { random.below(4) };
            (0..n).map(|_| member(of, random)).collect()
        }
        _ => serde_json::json!({"any": [1, null]}),
    }
}

fn object(fields: &'static [Field], random: &mut Random) -> Json {
    fields.iter().map(|f| (f.name.to_string(), member(f, random))).collect::<serde_json::Map<_, _>>().into()
}

#[test]
fn json_by_random_schemas() {
    use netkit::dissect::{Dissection, Message, Options, Sink, inspector};
    use netkit::encode::{Encoders, Entry, Source};
    struct Lines(Vec<(Json, Option<String>)>);
    impl Sink for Lines {
        fn message(&mut self, message: &Message<'_>) {
            let mut text = Vec::new();
            netkit::codec::json::derived_json(
                &message.dissection.tree,
                &message.dissection.derived,
                message.sources(),
                &mut text,
            );
            let json = serde_json::from_slice(&text).expect("JSON");
            self.0.push((json, message.dissection.fault.as_ref().map(ToString::to_string)));
        }
    }
    let nano = protocols::by_name("nano").expect("it");
    let encoding = nano.encodings().iter().find(|e| e.form == Form::Members).expect("JSON");
    let place = nano.encodings().iter().position(|e| e.form == Form::Members).expect("JSON");
    for seed in 1..=200 {
        let mut random = Random(seed * 0x9e37_79b9);
        let text = schema(&mut random, "nano", encoding, true).replace("enum = { one", "doc = \"d\", enum = { one");
        let mut schemas = Schemas::default();
        schemas.add("random.toml", &text, &|_| Some(nano.encodings())).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let fields = schemas.messages("nano")[0].fields(place).expect("fields");
        let options = Options { schemas: schemas.into(), ..netkit::protocols::options() };
        for _ in 0..6 {
            let payload = object(fields, &mut random);
            let line =
                serde_json::json!({"proto": "nano", "message": "push", "fields": {"route": "r", "payload": payload}});
            let entry = Entry::new(line, &Source::new(netkit::protocols::registry())).expect("an entry");
            let bytes = Encoders::new(&options).encode(&entry).unwrap_or_else(|e| panic!("{e}: {payload}\n{text}"));
            let mut lines = Lines(Vec::new());
            inspector::dump(nano, &bytes, &options, &mut Dissection::default(), &mut lines);
            let [(derived, None)] = &lines.0[..] else { panic!("{:?}: {payload}\n{text}", lines.0) };
            assert_eq!(derived["json"], payload, "{text}");
        }
    }
}
