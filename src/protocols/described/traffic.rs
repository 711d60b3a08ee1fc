//! What a file says of delivery: which field numbers messages, which ones acknowledge them, which
//! messages answer which. The same events as those of the built-in protocols follow from it.

use super::codes::Codes;
use super::compile::statics;
use super::compile::{Compiled, Compiler};
use super::text::{File, NumbersText, Place as PlaceText, RequestsText};
use crate::codec::kinds::Choice;
use crate::codec::layout::{Field, When};
use crate::codec::names as field_names;
use crate::codec::node::Node;
use crate::codec::schema::named::leak;
use crate::codec::{Level, Tree, Value, bits};
use crate::dissect::{Dissection, Event, Provenance};
use crate::duration::Millis;
use crate::flow::Side;
use crate::flow::sequence::{Acked, Seen, Sequence};
use crate::nearest::{hint, nearest};
use crate::plural::Plural;
use rustc_hash::FxHasher;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// How many messages a direction remembers in each number space, how many spaces it has, and how
/// many questions wait for an answer.
const WINDOW: usize = 2048;
const SPACES: usize = 256;
const WAITING: usize = 1024;
/// How many identities of messages that get new numbers are remembered.
const COPIES: usize = 1024;
/// How many numbers one range or field of bits names at most.
const NAMED: u64 = 4096;

/// What a file says.
#[derive(Debug, Default)]
pub struct Rules {
    numbers: Vec<Numbers>,
    requests: Vec<Requests>,
}

/// `[numbers.X]`.
#[derive(Debug)]
struct Numbers {
    number: Path,
    when: When,
    per: Vec<Path>,
    acks: Vec<Ack>,
    resent_as: Option<Path>,
    /// How many numbers there are before they begin again.
    modulus: i64,
}

/// What acknowledges.
#[derive(Debug)]
struct Ack {
    what: What,
    field: Path,
    when: When,
    range: Option<(&'static str, &'static str)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    One,
    Below,
    Bits,
    Ranges,
    Lacks,
}

/// `[requests.X]`.
#[derive(Debug)]
struct Requests {
    asks: Vec<&'static str>,
    answers: Vec<&'static str>,
    by: Option<(Path, Path)>,
}

/// A field of a line.
#[derive(Clone, Debug)]
struct Path {
    /// Only in this message; "packet": only in its headers.
    of: Option<&'static str>,
    name: &'static str,
}

impl Path {
    /// The field, and whether it stands in the headers.
    fn find<'t>(&self, dissection: &'t Dissection) -> Option<(&'t Node, &'t Tree, bool)> {
        let own = || find(&dissection.tree, self.name).map(|node| (node, &dissection.tree, false));
        let around = || find(&dissection.packet, self.name).map(|node| (node, &dissection.packet, true));
        match self.of {
            Some("packet") => around().or_else(|| if dissection.message == "packet" { own() } else { None }),
            Some(message) if message != dissection.message => None,
            Some(_) => own(),
            None => own().or_else(around),
        }
    }

    fn number(&self, dissection: &Dissection) -> Option<u64> {
        self.find(dissection)?.0.number()
    }
}

/// The field of that name: the innermost, which is the last one of the headers.
fn find<'t>(tree: &'t Tree, name: &str) -> Option<&'t Node> {
    tree.find(name).or_else(|| tree.nodes().iter().rev().find(|node| node.field.name == name))
}

/// All fields of a protocol, by the message that has them; "packet" has the headers.
struct Fields {
    all: Vec<(&'static str, &'static Field)>,
}

impl Fields {
    fn new(headers: &'static [Field], carried: &[(&'static str, &'static [Choice])]) -> Fields {
        let mut all = Vec::new();
        field_names::everywhere(headers, &mut |field| all.push(("packet", field)));
        for choice in carried.iter().flat_map(|(_, list)| list.iter()) {
            let name = choice.field.name;
            field_names::everywhere(choice.layout.fields, &mut |field| all.push((name, field)));
        }
        Fields { all }
    }

    fn path(&self, text: &str, line: usize, key: &str) -> Compiled<(Path, &'static Field)> {
        let (of, name) = match text.split_once('.') {
            Some((of, name)) => (Some(of), name),
            None => (None, text),
        };
        if let Some(of) = of.filter(|of| self.all.iter().all(|(message, _)| message != of)) {
            let near = hint(nearest(of, self.all.iter().map(|(message, _)| *message)));
            return Err((line, format!("{key}: no message {of:?} has fields{near}")));
        }
        let fits = |(message, field): &&(&'static str, &'static Field)| {
            field.name == name && !name.is_empty() && of.is_none_or(|of| of == *message)
        };
        match self.all.iter().find(fits) {
            Some((_, field)) => Ok((Path { of: of.map(leak), name: leak(name) }, field)),
            None => {
                let known = self.all.iter().filter(|(message, _)| of.is_none_or(|of| of == *message));
                let near = hint(nearest(name, known.map(|(_, field)| field.name)));
                let whose = of.map_or("no message has such a field".into(), |of| format!("{of} has no such field"));
                Err((line, format!("{key}: {text}: {whose}{near}")))
            }
        }
    }
}

/// What a file says of delivery.
pub fn compile(
    file: &File,
    compiler: &Compiler<'_>,
    headers: &'static [Field],
    carried: &[(&'static str, &'static [Choice])],
) -> Compiled<Rules> {
    let fields = Fields::new(headers, carried);
    let mut rules = Rules::default();
    for text in &file.numbers {
        rules.numbers.push(numbers(text, compiler, &fields)?);
    }
    for text in &file.requests {
        rules.requests.push(requests(text, &fields, carried)?);
    }
    Ok(rules)
}

/// A condition on any of a line's fields.
fn condition(text: Option<&str>, line: usize, compiler: &Compiler<'_>, fields: &Fields) -> Compiled<When> {
    let Some(text) = text else { return Ok(When::Always) };
    let known = fields.all.iter().map(|(_, field)| *field);
    super::conditions::condition(text, line, "if", compiler, known)
}

fn numbers(text: &NumbersText, compiler: &Compiler<'_>, fields: &Fields) -> Compiled<Numbers> {
    let key = |what: &str| format!("numbers.{}: {what}", text.name);
    let Some(place) = &text.number else { return Err((text.line, key("number is missing"))) };
    let (number, field) = fields.path(&place.field, place.line, &key("number"))?;
    let modulus = match field.kind.width() {
        Some((bits @ 1..=32, _)) => 1i64 << bits,
        _ => 1i64 << 48,
    };
    let mut per = Vec::new();
    for name in &text.per {
        per.push(fields.path(name, text.per_line, &key("per"))?.0);
    }
    let mut acks = Vec::new();
    for (what, place, name) in [
        (What::One, &text.ack, "ack"),
        (What::Below, &text.ack_below, "ack_below"),
        (What::Bits, &text.ack_bits, "ack_bits"),
        (What::Ranges, &text.ack_ranges, "ack_ranges"),
        (What::Lacks, &text.nack, "nack"),
    ] {
        let Some(place) = place else { continue };
        acks.push(ack(what, place, &key(name), compiler, fields)?);
    }
    if acks.iter().any(|ack| ack.what == What::Bits) && !acks.iter().any(|ack| ack.what == What::One) {
        return Err((text.line, key("ack_bits: ack is missing: the number before which the bits begin")));
    }
    let resent_as = match &text.resent_as {
        Some(place) => Some(fields.path(&place.field, place.line, &key("resent_as"))?.0),
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
    Ok(Numbers { number, when, per, acks, resent_as, modulus })
}

fn ack(what: What, place: &PlaceText, key: &str, compiler: &Compiler<'_>, fields: &Fields) -> Compiled<Ack> {
    let (field, _) = fields.path(&place.field, place.line, key)?;
    let when = condition(place.condition.as_deref(), place.line, compiler, fields)?;
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
            Some((leak(&place.from), leak(to)))
        }
        (true, false, _) => return Err((place.line, format!("{key}: from is missing: where a range begins"))),
    };
    Ok(Ack { what, field, when, range })
}

fn requests(text: &RequestsText, fields: &Fields, carried: &[(&'static str, &'static [Choice])]) -> Compiled<Requests> {
    let all = || carried.iter().flat_map(|(_, list)| list.iter()).map(|choice| choice.field.name);
    let named = |names: &[String], key: &str| -> Compiled<Vec<&'static str>> {
        let one = |name: &String| match all().find(|known| known == name) {
            Some(known) => Ok(known),
            None => {
                let near = hint(nearest(name, all()));
                Err((text.at(key), format!("requests.{}: {key}: no message {name:?}{near}", text.name)))
            }
        };
        names.iter().map(one).collect()
    };
    let by = match &text.by {
        Some((ask, answer)) => {
            let key = format!("requests.{}: by", text.name);
            Some((fields.path(ask, text.at("by"), &key)?.0, fields.path(answer, text.at("by"), &key)?.0))
        }
        None => None,
    };
    Ok(Requests { asks: named(&text.asks, "asks")?, answers: named(&text.answers, "answers")?, by })
}

impl Rules {
    /// Are messages numbered?
    pub fn has_numbers(&self) -> bool {
        !self.numbers.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.requests.is_empty()
    }
}

/// What a conversation has of numbers and questions.
#[derive(Debug, Default)]
pub struct Traffic {
    spaces: Vec<Space>,
    waiting: VecDeque<Question>,
    /// Identities of numbered messages: which rule, side, value; the number it had last.
    copies: VecDeque<(usize, Side, u64, i64)>,
    /// The last answer of each side: further parts of it are no answers to nothing.
    answered: [Option<&'static str>; 2],
    nothing: bool,
}

/// The numbers of one side in one space.
#[derive(Debug)]
struct Space {
    rule: usize,
    side: Side,
    key: u64,
    sequence: Sequence,
}

#[derive(Clone, Copy, Debug)]
struct Question {
    rule: usize,
    side: Side,
    key: u64,
    time: i64,
}

impl Traffic {
    /// Of a conversation by these rules.
    pub fn new(rules: &Rules) -> Traffic {
        Traffic { nothing: rules.is_empty(), ..Traffic::default() }
    }

    /// How many bytes it holds.
    pub fn memory(&self) -> usize {
        let spaces: usize = self.spaces.iter().map(|space| space.sequence.memory() + size_of::<Space>()).sum();
        spaces + self.waiting.capacity() * size_of::<Question>() + self.copies.capacity() * 40
    }

    /// A line came. `start`: the first of its bytes in the packet.
    pub fn see(
        &mut self,
        rules: &Rules,
        (place, start): (&Provenance<'_>, u32),
        codes: Codes,
        dissection: &mut Dissection,
    ) {
        if self.nothing || dissection.fault.is_some() {
            return;
        }
        for (rule, numbers) in rules.numbers.iter().enumerate() {
            self.numbered(rule, numbers, (place, start), codes, dissection);
            self.acknowledged(rule, numbers, (place, start), codes, dissection);
        }
        for (rule, requests) in rules.requests.iter().enumerate() {
            self.asked(rule, requests, place, dissection);
        }
    }

    /// The numbers of a side in a space; the space's place among all of them.
    fn space(&mut self, rule: usize, side: Side, key: u64, modulus: i64) -> usize {
        let found = self.spaces.iter().position(|s| s.rule == rule && s.side == side && s.key == key);
        found.unwrap_or_else(|| {
            if self.spaces.len() >= SPACES {
                self.spaces.remove(0);
            }
            self.spaces.push(Space { rule, side, key, sequence: Sequence::wide(modulus, WINDOW) });
            self.spaces.len() - 1
        })
    }

    fn numbered(
        &mut self,
        rule: usize,
        numbers: &Numbers,
        (place, start): (&Provenance<'_>, u32),
        codes: Codes,
        dissection: &mut Dissection,
    ) {
        if !holds(&numbers.when, dissection) {
            return;
        }
        let Some((node, _, around)) = numbers.number.find(dissection) else { return };
        let Some(number) = node.number() else { return };
        if around && shared(node, start, dissection) {
            return;
        }
        let key = key(&numbers.per, dissection);
        let at = self.space(rule, place.side, key, numbers.modulus);
        let now = place.time.nanos() as i64;
        let identity = numbers.resent_as.as_ref().and_then(|path| path.number(dissection));
        let Some(space) = self.spaces.get_mut(at) else { return };
        let sequence = &mut space.sequence;
        let newest = sequence.newest();
        let extended = sequence.extend_wide(number as i64);
        let mut seen = sequence.sent(extended, place.frame, now);
        if let Some(identity) = identity {
            let known = self.copies.iter().position(|c| c.0 == rule && c.1 == place.side && c.2 == identity);
            match known.and_then(|known| self.copies.get_mut(known)) {
                Some((.., before)) => {
                    let earlier = std::mem::replace(before, extended);
                    if earlier != extended
                        && let Some(sent) = sequence.get_mut(earlier)
                    {
                        seen = Seen::Copy { before: *sent };
                    }
                }
                None => {
                    if self.copies.len() >= COPIES {
                        self.copies.pop_front();
                    }
                    self.copies.push_back((rule, place.side, identity, extended));
                }
            }
        }
        // Numbers of different spaces are different messages.
        let event = Event::Sent {
            number,
            extended: extended + ((at as i64) << 50),
            seen,
            message_id: None,
            last_try: false,
            handled: None,
        };
        dissection.delivery.push(event);
        let notes = &mut dissection.notes;
        match seen {
            Seen::Next | Seen::Forgotten => {}
            Seen::Late => {
                let newest = sequence.wire_wide(newest.unwrap_or(extended));
                notes.add(Level::Note, codes.late, format_args!("behind the newest, {newest}"));
            }
            Seen::Ahead(1) => {
                let missing = sequence.wire_wide(extended - 1);
                notes.add(Level::Note, codes.gap, format_args!("1 number missing before it: {missing}"));
            }
            Seen::Ahead(missing) => {
                let (from, to) = (sequence.wire_wide(extended - missing as i64), sequence.wire_wide(extended - 1));
                let missing = Plural(missing, "number");
                notes.add(Level::Note, codes.gap, format_args!("{missing} missing before it: {from} to {to}"));
            }
            Seen::Copy { before } => {
                let (copy, frame) = (before.copies + 1, before.frame);
                let passed = Millis(now - before.time);
                if before.acked {
                    let text =
                        format_args!("copy {copy} of frame {frame}, {passed} later; it was acknowledged already");
                    notes.add(Level::Note, codes.duplicate, text);
                } else {
                    let text = format_args!("copy {copy}, {passed} after the first in frame {frame}");
                    notes.add(Level::Note, codes.resent, text);
                }
            }
        }
    }

    fn acknowledged(
        &mut self,
        rule: usize,
        numbers: &Numbers,
        (place, start): (&Provenance<'_>, u32),
        codes: Codes,
        dissection: &mut Dissection,
    ) {
        let mut base = None;
        for ack in &numbers.acks {
            if !holds(&ack.when, dissection) {
                continue;
            }
            let Some((node, tree, around)) = ack.field.find(dissection) else { continue };
            if around && shared(node, start, dissection) {
                continue;
            }
            let key = key(&numbers.per, dissection);
            let (mut named, mut below, mut lacks) = (Vec::new(), None, 0u64);
            match (ack.what, node.number()) {
                (What::One, Some(number)) => {
                    base = Some(number as i64);
                    named.push(number as i64);
                }
                (What::Below, Some(number)) => below = Some(number as i64),
                (What::Bits, Some(set)) => {
                    let Some(base) = base else { continue };
                    let bits = (0..64i64).filter(|k| set >> k & 1 == 1);
                    named.extend(bits.map(|k| (base - 1 - k).rem_euclid(numbers.modulus)));
                }
                (What::Lacks, Some(_)) => lacks = 1,
                (What::Ranges | What::Lacks, None) => {
                    let mut left = NAMED;
                    for (from, to) in ranges(tree, node, ack.range) {
                        let count = (to - from).rem_euclid(numbers.modulus) as u64 + 1;
                        if ack.what == What::Lacks {
                            lacks += count;
                            continue;
                        }
                        let count = count.min(left);
                        left -= count;
                        named.extend((0..count as i64).map(|k| (from + k).rem_euclid(numbers.modulus)));
                    }
                }
                _ => {}
            }
            if lacks > 0 {
                let text = format_args!("the other side lacks {}", Plural(lacks, "message"));
                dissection.notes.add(Level::Note, codes.nack, text);
                continue;
            }
            let at = self.space(rule, place.side.other(), key, numbers.modulus);
            let Some(space) = self.spaces.get_mut(at) else { continue };
            let sequence = &mut space.sequence;
            let mut all: Vec<i64> = named.iter().map(|number| sequence.extend_wide(*number)).collect();
            if let Some(below) = below {
                let below = sequence.extend_wide(below);
                all.extend(sequence.unacknowledged().map(|(n, _)| n).take_while(|n| *n < below));
            }
            for extended in all {
                let acked = sequence.acknowledged(extended);
                if !matches!(acked, Acked::Unknown) {
                    dissection.delivery.push(Event::Acked { extended: extended + ((at as i64) << 50), acked });
                }
            }
        }
    }

    fn asked(&mut self, rule: usize, requests: &Requests, place: &Provenance<'_>, dissection: &mut Dissection) {
        let message = dissection.message;
        let (side, now) = (place.side, place.time.nanos() as i64);
        if requests.answers.contains(&message) {
            let key = match &requests.by {
                Some((_, answer)) => match identity(answer, dissection, place) {
                    Some(key) => key,
                    None => return,
                },
                None => 0,
            };
            let found = self.waiting.iter().position(|q| q.rule == rule && q.side == side.other() && q.key == key);
            if let Some(question) = found.and_then(|at| self.waiting.remove(at)) {
                dissection.delivery.push(Event::Answer(now - question.time));
                self.answered[side.index()] = Some(message);
                return;
            }
            if !requests.asks.contains(&message) {
                // A further part of the same answer is no answer to nothing.
                if self.answered[side.index()] != Some(message) {
                    dissection.delivery.push(Event::Unmatched);
                }
                return;
            }
        }
        if requests.asks.contains(&message) {
            let key = match &requests.by {
                Some((ask, _)) => match identity(ask, dissection, place) {
                    Some(key) => key,
                    None => return,
                },
                None => 0,
            };
            let again = |q: &Question| q.rule == rule && q.side == side && q.key == key;
            if requests.by.is_some() && self.waiting.iter().any(again) {
                return;
            }
            self.answered[side.other().index()] = None;
            dissection.delivery.push(Event::Request);
            if self.waiting.len() >= WAITING {
                self.waiting.pop_front();
            }
            self.waiting.push_back(Question { rule, side, key, time: now });
        }
    }
}

/// Does a header's field stand in the bytes of an earlier part, with which it was counted?
fn shared(node: &Node, start: u32, dissection: &Dissection) -> bool {
    dissection.part.is_some_and(|(part, _)| part > 1) && node.bit < start * 8
}

/// The space of numbers that a line's are in.
fn key(per: &[Path], dissection: &Dissection) -> u64 {
    let mut hasher = FxHasher::default();
    for path in per {
        path.number(dissection).hash(&mut hasher);
    }
    hasher.finish()
}

/// The value by which a question and its answer belong together.
fn identity(path: &Path, dissection: &Dissection, place: &Provenance<'_>) -> Option<u64> {
    let (node, ..) = path.find(dissection)?;
    let mut hasher = FxHasher::default();
    match (node.number(), node.value) {
        (Some(number), _) => number.hash(&mut hasher),
        (None, Value::F32(_) | Value::F64(_) | Value::F16(_)) => {
            bits::get(place.bytes, node.bit as usize, node.bits.min(64)).hash(&mut hasher);
        }
        _ => node.bytes(dissection.sources(place.bytes))?.hash(&mut hasher),
    }
    Some(hasher.finish())
}

/// The ranges of a list: each element's first and last number.
fn ranges(tree: &Tree, list: &Node, names: Option<(&'static str, &'static str)>) -> Vec<(i64, i64)> {
    let Some((from, to)) = names else { return Vec::new() };
    let nodes = tree.nodes();
    let Some(at) = nodes.iter().position(|node| std::ptr::eq(node, list)) else { return Vec::new() };
    let element = |k: usize| {
        let named = |name: &str| tree.child(Some(k), name).and_then(Node::number).map(|n| n as i64);
        let first = named(from)?;
        Some((first, named(to).unwrap_or(first)))
    };
    tree.children(Some(at)).filter_map(element).take(NAMED as usize).collect()
}

/// Does a condition hold for a line?
fn holds(when: &When, dissection: &Dissection) -> bool {
    let value = |name: &str| {
        let name = name.rsplit('.').next().unwrap_or(name);
        find(&dissection.tree, name).or_else(|| find(&dissection.packet, name)).and_then(Node::number)
    };
    super::conditions::holds(when, &value)
}
