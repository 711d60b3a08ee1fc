//! The file's rules for delivery: the fields that number messages, the fields that acknowledge them, and the messages
//! that answer others.

use super::super::conditions;
use super::super::lines::{Nameless, Names};
use super::path::{Fields, Path, Shown};
use crate::codec::layout::{Field, Kind, Name, When};
use crate::codec::schema::compile::{Compiled, Compiler, KEY_FIELDS, statics};
use crate::codec::schema::known::Carried;
use crate::codec::schema::named::leak;
use crate::codec::schema::text::{File, NumbersText, Place as PlaceText, RequestsText};
use crate::nearest::{hint, nearest};

/// The rules of a file.
#[derive(Debug, Default)]
pub struct Rules {
    pub numbers: Vec<Numbers>,
    pub requests: Vec<Requests>,
}

/// `[numbers.X]`.
#[derive(Debug)]
pub struct Numbers {
    pub number: Path,
    pub when: Test,
    pub per: Vec<Path>,
    pub acks: Vec<Ack>,
    pub resent_as: Option<Path>,
    /// The modulus at which the numbers wrap.
    pub modulus: i64,
}

/// A condition on a line's fields.
#[derive(Debug, Default)]
pub struct Test {
    when: Option<When>,
    /// The names in the condition.
    names: Vec<(Name, Path)>,
}

impl Test {
    fn new(when: When, fields: &Fields) -> Test {
        match when {
            When::Always => Test::default(),
            when => {
                let names = when.names().into_iter().map(|name| (name, fields.asked(name.text)));
                Test { names: names.collect(), when: Some(when) }
            }
        }
    }

    /// Whether the condition holds for a line. It does not if the line is cut before a field that it asks for.
    pub fn holds(&self, line: Shown<'_>) -> bool {
        let Some(when) = &self.when else { return true };
        if line.cut && self.names.iter().any(|(_, path)| path.number(line).is_none()) {
            return false;
        }
        let value = |name: &Name| {
            let (_, path) = self.names.iter().find(|(known, _)| std::ptr::eq(known.text, name.text))?;
            path.number(line)
        };
        conditions::holds(when, &value)
    }

    /// Whether it asks for a field: all names in it are fields.
    fn asks_for_fields(&self) -> bool {
        !self.names.is_empty()
    }

    /// Whether it holds for every line.
    pub fn is_always(&self) -> bool {
        self.when.is_none()
    }
}

/// The names of the first and the last number of a range.
#[derive(Clone, Copy, Debug)]
pub struct RangeEnds {
    pub from: &'static str,
    pub to: &'static str,
}

/// An acknowledgement.
#[derive(Debug)]
pub struct Ack {
    pub what: What,
    pub field: Path,
    pub when: Test,
    pub range: Option<RangeEnds>,
    /// The width of its field in bits; 64 if that varies.
    pub bits: u32,
    /// Whether its field has a sign.
    pub signed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    One,
    Below,
    Bits,
    Ranges,
    Lacks,
}

/// `[requests.X]`.
#[derive(Debug)]
pub struct Requests {
    pub asks: Vec<&'static str>,
    pub answers: Vec<&'static str>,
    pub by: Option<(Path, Path)>,
    /// If packets without a message both ask and answer: the condition for an answer, which is that for the server.
    pub answer: Option<Test>,
}

impl Rules {
    /// Whether messages are numbered.
    pub fn has_numbers(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.requests.is_empty()
    }
}

/// Compiles the rules for delivery.
pub fn compile(
    file: &File,
    compiler: &Compiler<'_>,
    fields: &Fields,
    carried: &[Carried],
    lines: Names,
) -> Compiled<Rules> {
    let mut rules = Rules::default();
    for text in &file.numbers {
        rules.numbers.push(numbers(text, compiler, fields)?);
    }
    for text in &file.requests {
        let mut one = requests(text, fields, carried, lines)?;
        let packet = [lines.name(Nameless::Packet)];
        if let Some((line, server)) = &file.recognise.server
            && one.asks == packet
            && one.answers == packet
            && let Ok(when) = condition(Some(server), *line, compiler, fields)
        {
            let test = Test::new(when, fields);
            one.answer = Some(test).filter(Test::asks_for_fields);
        }
        rules.requests.push(one);
    }
    Ok(rules)
}

/// Compiles a condition on any of a line's fields.
fn condition(text: Option<&str>, line: usize, compiler: &Compiler<'_>, fields: &Fields) -> Compiled<When> {
    let Some(text) = text else { return Ok(When::Always) };
    let known = fields.all.iter().map(|(_, field)| *field);
    let when = conditions::condition(text, line, "if", compiler, known)?;
    match when.names().iter().find(|name| !fields.asked(name.text).is_known()) {
        Some(name) => Err((line, format!("if: {name}: only fields can be asked for here"))),
        None => Ok(when),
    }
}

fn numbers(text: &NumbersText, compiler: &Compiler<'_>, fields: &Fields) -> Compiled<Numbers> {
    let key = |what: &str| format!("numbers.{}: {what}", text.name);
    let Some(place) = &text.number else { return Err((text.line, key("number is missing"))) };
    let (number, field) = fields.path(&place.field, place.line, &key("number"))?;
    counts(field, place, &key("number"))?;
    let modulus = match field.kind.width() {
        Some((bits @ 1..=32, _)) => 1i64 << bits,
        _ => 1i64 << 48,
    };
    if text.per.len() > KEY_FIELDS {
        return Err((text.per_line, key(&format!("per: more than {KEY_FIELDS} fields"))));
    }
    let mut per = Vec::new();
    for name in &text.per {
        per.push(fields.path(name, text.per_line, &key("per"))?.0);
    }
    let mut acks = Vec::new();
    for (name, place) in &text.acks {
        let what = match name.as_str() {
            "ack" => What::One,
            "ack_below" => What::Below,
            "ack_bits" => What::Bits,
            "ack_ranges" => What::Ranges,
            _ => What::Lacks,
        };
        acks.push(ack(what, place, &key(name), compiler, fields)?);
    }
    acks.sort_by_key(|ack| ack.what);
    if acks.iter().any(|ack| ack.what == What::Bits) && !acks.iter().any(|ack| ack.what == What::One) {
        return Err((text.line, key("ack_bits: ack is missing: the number before which the bits begin")));
    }
    let resent_as = match &text.resent_as {
        Some(place) => {
            let (path, field) = fields.path(&place.field, place.line, &key("resent_as"))?;
            counts(field, place, &key("resent_as"))?;
            Some(path)
        }
        None => None,
    };
    let when = condition(text.condition.as_deref(), text.condition_line, compiler, fields)?;
    let when = match (&place.condition, when) {
        (None, when) => when,
        (more @ Some(_), when) => {
            let more = condition(more.as_deref(), place.line, compiler, fields)?;
            When::All(statics(vec![when, more]))
        }
    };
    let when = Test::new(when, fields);
    Ok(Numbers { number, when, per, acks, resent_as, modulus })
}

/// Refuses fields that are never a whole number.
fn counts(field: &Field, place: &PlaceText, key: &str) -> Compiled<()> {
    match field.kind {
        Kind::Text { .. }
        | Kind::Bytes { .. }
        | Kind::Struct(_)
        | Kind::Array { .. }
        | Kind::Float { .. }
        | Kind::Chosen(_) => Err((place.line, format!("{key}: {} is not a whole number", place.field))),
        _ => Ok(()),
    }
}

fn ack(what: What, place: &PlaceText, key: &str, compiler: &Compiler<'_>, fields: &Fields) -> Compiled<Ack> {
    let (field, found) = fields.path(&place.field, place.line, key)?;
    if matches!(what, What::One | What::Below | What::Bits) {
        counts(found, place, key)?;
    }
    let bits = found.kind.width().map_or(64, |(bits, _)| bits.min(64));
    let when = Test::new(condition(place.condition.as_deref(), place.line, compiler, fields)?, fields);
    let range = match (place.from.is_empty(), place.to.is_empty(), what) {
        (true, true, What::Ranges) => {
            return Err((place.line, format!("{key}: expected {{ field, from, to }}: the ends of each range")));
        }
        (true, true, _) => None,
        (false, _, _) => {
            for name in [&place.from, &place.to].into_iter().filter(|name| !name.is_empty()) {
                if !fields.all.iter().any(|(_, field)| field.name == *name) {
                    let near = hint(nearest(name, fields.all.iter().map(|(_, field)| field.name)));
                    return Err((place.line, format!("{key}: {name}: no message has such a field{near}")));
                }
            }
            let to = if place.to.is_empty() { &place.from } else { &place.to };
            Some(RangeEnds { from: leak(&place.from), to: leak(to) })
        }
        (true, false, _) => return Err((place.line, format!("{key}: from is missing: where a range begins"))),
    };
    Ok(Ack { what, field, when, range, bits, signed: found.kind.is_signed() })
}

fn requests(text: &RequestsText, fields: &Fields, carried: &[Carried], lines: Names) -> Compiled<Requests> {
    // A packet without messages may be a request or an answer itself.
    let packet = std::iter::once(lines.name(Nameless::Packet));
    let all = || carried.iter().flat_map(|(_, list)| list.iter()).map(|choice| choice.field.name).chain(packet.clone());
    let named = |names: &[String], key: &str| -> Compiled<Vec<&'static str>> {
        let one = |name: &String| match all().find(|known| known == name) {
            Some(known) => Ok(known),
            None => {
                let near = hint(nearest(name, all()));
                Err((text.lines.at(key), format!("requests.{}: {key}: no message {name:?}{near}", text.name)))
            }
        };
        names.iter().map(one).collect()
    };
    let (asks, answers) = (named(&text.asks, "asks")?, named(&text.answers, "answers")?);
    let by = match &text.by {
        Some((ask, answer)) => {
            let (key, line) = (format!("requests.{}: by", text.name), text.lines.at("by"));
            let one = |name: &str, of: &[&'static str]| -> Compiled<Path> {
                let path = fields.path(name, line, &key)?.0;
                match of.iter().any(|message| path.may_be_of(message)) {
                    true => Ok(path),
                    false => Err((line, format!("{key}: {} has no field {name}", of.join(", ")))),
                }
            };
            Some((one(ask, &asks)?, one(answer, &answers)?))
        }
        None => None,
    };
    Ok(Requests { asks, answers, by, answer: None })
}
