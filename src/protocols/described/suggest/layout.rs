//! The fields of a group of packets, one after the other: numbers that were found, and the bytes between them.

use super::frame::number;
use super::kind::{Kind, entropy};
use super::numbers::{Does, Number};
use super::sample::Sent;
use crate::plural::Plural;
use std::fmt::Write;

/// The share of packets that a text has to fit, in per cent.
const TEXTS: usize = 90;
/// The fewest packets in which the same byte counts as a constant.
const CONSTANT: usize = 8;

/// A field to write.
#[derive(Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its purpose, as its first name: seq, ack, length, time, kind; empty: not known.
    pub does: &'static str,
    /// Its type in the language.
    pub kind: String,
    /// A constant's bytes.
    pub value: Option<String>,
    /// The type of the length before it.
    pub size: Option<String>,
    /// The names of its upper and lower four bits, if the upper ones are the kind.
    pub parts: Option<[String; 2]>,
    /// The evidence.
    pub doc: String,
}

/// The fields of these packets from `from` to `to`, which all have, and what follows.
pub fn fields(packets: &[&Sent], from: usize, to: usize, numbers: &[Number], open: bool) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut at = from;
    for number in numbers {
        between(packets, at, number.at, &mut fields);
        fields.push(numbered(packets, number));
        at = number.end();
    }
    let text = (at..=to).find_map(|begin| Some((begin, text(packets, begin)?)));
    between(packets, at, text.as_ref().map_or(to, |(begin, _)| *begin), &mut fields);
    match text {
        Some((_, text)) if open => {
            let rest = text.kind != "text" || text.size.is_some();
            fields.push(text);
            if rest {
                fields.push(Field::new("rest", "bytes", "what follows the text".into()));
            }
        }
        Some((begin, _)) => between(packets, begin, to, &mut fields),
        None if open && packets.iter().any(|sent| sent.length > to) => {
            let longest = packets.iter().map(|sent| sent.length).max().unwrap_or(to);
            fields.push(Field::new("rest", "bytes", format!("0 to {} bytes", longest - to)));
        }
        None => {}
    }
    fields
}

impl Field {
    /// The field that selects the message.
    pub fn kind(kind: &Kind) -> Field {
        let doc = format!("{} values; each predicts {:.1} bits of what follows", kind.values, kind.bits);
        let parts = kind.high.then(|| ["kind".into(), "low".into()]);
        Field { does: "kind", parts, ..Field::new(if kind.high { "first" } else { "kind" }, "u8", doc) }
    }

    /// The name by which it selects the message.
    pub fn selects(&self) -> Option<&str> {
        let name = self.parts.as_ref().map_or(&self.name, |[kind, _]| kind);
        (self.does == "kind").then_some(name)
    }

    /// Its name and those of its parts.
    pub fn names(&self) -> Vec<String> {
        std::iter::once(&self.name).chain(self.parts.iter().flatten()).cloned().collect()
    }

    /// Its line in a protocol file.
    pub fn line(&self) -> String {
        let given = |key: &str, value: &Option<String>| value.as_ref().map(|value| format!(", {key} = \"{value}\""));
        let value = given("value", &self.value).or(given("size", &self.size)).unwrap_or_default();
        let parts =
            self.parts.as_ref().map(|[high, low]| format!(", bits = {{ {high} = \"7..4\", {low} = \"3..0\" }}"));
        let parts = parts.unwrap_or_default();
        format!("{} = {{ type = \"{}\"{value}{parts}, doc = \"{}\" }}\n", self.name, self.kind, self.doc)
    }

    fn new(name: &str, kind: &str, doc: String) -> Field {
        Field { name: name.into(), does: "", kind: kind.into(), value: None, size: None, parts: None, doc }
    }
}

/// The word for a whole number of that width and order.
fn word(width: usize, big: Option<bool>) -> String {
    let order = match (width, big) {
        (1, _) => "",
        (_, Some(false)) => "le",
        _ => "be",
    };
    format!("u{}{order}", width * 8)
}

fn numbered(packets: &[&Sent], number: &Number) -> Field {
    let order = if number.width > 1 && number.big.is_none() { "; the order of its bytes is not shown" } else { "" };
    let (name, doc) = match &number.does {
        Does::Constant => return constant(packets, number),
        Does::Counts(ones) => ("seq", format!("counts: {ones} % of its steps are 1{order}")),
        Does::Clock(rate) => ("time", format!("a clock: {rate} per second")),
        Does::Length(0, share) => ("length", format!("the bytes after it, in {share} % of packets")),
        Does::Length(plus, share) => {
            let sign = if *plus < 0 { "minus" } else { "plus" };
            ("length", format!("the bytes after it {sign} {}, in {share} % of packets", plus.unsigned_abs()))
        }
        Does::Acknowledges(share) => ("ack", format!("what the other side counted, in {share} % of packets")),
    };
    Field { does: name, ..Field::new(name, &word(number.width, number.big), doc) }
}

fn constant(packets: &[&Sent], number: &Number) -> Field {
    let bytes = hex::encode(&packets[0].bytes[number.at..number.end()]);
    let doc = format!("the same in all {} packets", packets.len());
    Field { value: Some(bytes), ..Field::new("magic", &format!("bytes[{}]", number.width), doc) }
}

/// The bytes from `from` to `to` that nothing is known of: each that changes by itself, those that do not together.
fn between(packets: &[&Sent], from: usize, to: usize, fields: &mut Vec<Field>) {
    let same =
        |at: usize| packets.len() >= CONSTANT && packets.iter().all(|sent| sent.bytes[at] == packets[0].bytes[at]);
    let mut at = from;
    while at < to {
        let run = (at..to).take_while(|other| same(*other) == same(at)).count();
        let name = format!("bytes_{at}");
        let doc = if same(at) {
            format!("{} in all {} packets", hex::encode(&packets[0].bytes[at..at + run]), packets.len())
        } else {
            changing(packets, at, run)
        };
        let kind = if run == 1 { "u8".into() } else { format!("bytes[{run}]") };
        fields.push(Field::new(&name, &kind, doc));
        at += run;
    }
}

/// The evidence of bytes that change: how many values, and the entropy of each.
fn changing(packets: &[&Sent], at: usize, run: usize) -> String {
    let mut doc = String::from("bits of entropy:");
    for at in at..at + run.min(8) {
        let (bits, values) = entropy(packets.iter().map(|sent| sent.bytes[at]), packets.len() as f64);
        let _ = write!(doc, " {bits:.1} ({})", Plural(values as u64, "value"));
    }
    if run > 8 {
        doc.push_str(" ..");
    }
    doc
}

/// A text that begins at this offset in nearly all packets: after its length, up to a zero, or up to the end.
fn text(packets: &[&Sent], at: usize) -> Option<Field> {
    let printable = |bytes: &[u8]| {
        std::str::from_utf8(bytes).is_ok_and(|text| !text.chars().any(|c| c.is_control() && !c.is_ascii_whitespace()))
    };
    let fits = |length: &dyn Fn(&Sent) -> Option<(usize, usize)>| {
        let texts = packets.iter().filter_map(|sent| {
            let (begin, end) = length(sent)?;
            sent.bytes.get(begin..end).filter(|bytes| printable(bytes)).map(<[u8]>::len)
        });
        let (count, longest, sum) =
            texts.fold((0, 0, 0), |(n, most, sum), length| (n + 1, most.max(length), sum + length));
        // Single letters and empty texts are in any bytes.
        (count * 100 >= packets.len() * TEXTS && longest >= 3 && sum >= 2 * count && sum >= 8).then_some(count)
    };
    let prefix = |width: usize, big: bool| {
        move |sent: &Sent| {
            let begin = at + width;
            Some((begin, begin + number(sent.bytes.get(at..begin)?, big) as usize))
        }
    };
    let all = packets.len();
    let reported = |count: usize, what: &str| format!("text {what} in {} % of packets", count * 100 / all);
    for (width, big) in [(2, true), (2, false), (1, true)] {
        if let Some(count) = fits(&prefix(width, big)) {
            let doc = reported(count, "after its length");
            return Some(Field { size: Some(word(width, Some(big))), ..Field::new("text", "text", doc) });
        }
    }
    let zero = |sent: &Sent| Some((at, at + sent.bytes.get(at..)?.iter().position(|byte| *byte == 0)?));
    if let Some(count) = fits(&zero) {
        return Some(Field::new("text", "cstring", reported(count, "up to a zero")));
    }
    let end = |sent: &Sent| Some((at, sent.bytes.len())).filter(|(at, end)| at <= end);
    fits(&end).map(|count| Field::new("text", "text", reported(count, "up to the end")))
}

/// Gives each field a name that no other one has, nor one of those around them: seq, seq_2, ..
pub fn unique(fields: &mut [Field], used: &[String]) {
    let mut used = used.to_vec();
    for field in fields {
        field.name = free(&field.name, &used);
        if let Some(parts) = &mut field.parts {
            *parts = [free(&parts[0], &used), free(&parts[1], &used)];
        }
        used.extend(field.names());
    }
}

/// The name, with a number if it is used.
pub fn free(name: &str, used: &[String]) -> String {
    let numbered = (2..).map(|n| format!("{name}_{n}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !used.contains(name)).unwrap_or_default()
}
