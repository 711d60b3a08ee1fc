//! The names that the file refers to. Referenced values are kept while reading; counts and selectors are derived by
//! encode.

use super::{Compiler, statics};
use crate::codec::schema::named::leak;
use crate::codec::schema::parse::condition::Expr;
use crate::codec::schema::text::{FieldText, File, IdText, Place, ValueText, Word};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// In place of a line: the name is not that of an earlier field of its list.
const ANYWHERE: usize = 0;

/// The names that the file refers to.
#[derive(Debug, Default)]
pub struct References {
    /// All of them, with and without their group.
    referred: FxHashSet<String>,
    /// The names of lengths, counts and numbers with views, and the lines of their fields.
    derived: FxHashSet<(String, usize)>,
    selecting: FxHashSet<String>,
}

/// The names that any part of a file refers to, including conversations and joins.
pub fn asked(file: &File) -> FxHashSet<String> {
    let mut all = References::of(file);
    for join in file.fields().filter_map(|field| field.join.as_ref()) {
        let more = [&join.index, &join.offset, &join.count, &join.total, &join.remaining];
        more.into_iter().flatten().chain(&join.key).for_each(|text| all.refer(text));
    }
    let frames = file.tcp.iter().flat_map(|ports| &ports.frames);
    frames.flat_map(|frame| &frame.condition).for_each(|text| all.refer(text));
    for numbers in &file.numbers {
        numbers.condition.iter().chain(&numbers.per).for_each(|text| all.refer(text));
        for Place { field, condition, .. } in numbers.places() {
            condition.iter().chain([field]).for_each(|text| all.refer(text));
        }
    }
    all.referred
}

/// The words of a condition that may be names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).filter(|word| !word.is_empty())
}

/// The texts that fields are compared with, or by which messages are found, sorted.
pub fn texts(file: &File) -> &'static [&'static str] {
    let mut all = BTreeSet::new();
    let messages = file.messages.iter();
    for id in messages.clone().flat_map(|m| m.ids.iter().flatten()) {
        if let IdText::One(Word::Name(text)) = id {
            all.insert(text.clone());
        }
    }
    let joins = file.fields().filter_map(|field| field.join.as_ref());
    let conditions = file.fields().flat_map(|field| [&field.condition, &field.repeats, &field.holds_if]);
    let conditions = conditions.chain(joins.map(|join| &join.condition)).chain(messages.map(|m| &m.condition));
    for expr in conditions.flatten().filter_map(|text| Expr::parse(text).ok()) {
        expr.texts(&mut |text| _ = all.insert(text.to_owned()));
    }
    statics(all.iter().map(|text| leak(text)).collect())
}

/// The names and words that hold the length or count of a field.
pub(super) fn lengths(field: &FieldText) -> impl Iterator<Item = &str> {
    let sizes = field.size.iter().map(|size| size.word.as_str()).chain(field.inflated.as_deref());
    let counts = field.kind.split('[').skip(1).filter_map(|times| times.split(']').next());
    sizes.chain(counts).map(str::trim)
}

impl References {
    /// The references of a file.
    pub fn of(text: &File) -> References {
        let mut references = References::default();
        for fields in text.lists() {
            let each = fields.iter().enumerate();
            each.for_each(|(k, field)| references.collect(field, fields.get(..k).unwrap_or_default()));
        }
        for m in &text.messages {
            m.condition.iter().for_each(|text| references.refer(text));
            for word in m.condition.iter().flat_map(|text| words(text)) {
                references.selecting.insert(word.into());
            }
        }
        text.recognise.server.iter().for_each(|(_, text)| references.refer(text));
        references
    }

    fn refer(&mut self, text: &str) {
        for word in words(text) {
            self.referred.insert(word.into());
            word.split('.').for_each(|part| _ = self.referred.insert(part.into()));
        }
    }

    /// Adds the names that a field refers to. `earlier`: the fields before it in its list.
    fn collect(&mut self, field: &FieldText, earlier: &[FieldText]) {
        let texts =
            [&field.condition, &field.by, &field.of, &field.holds, &field.holds_if, &field.inflated, &field.repeats];
        texts.into_iter().flatten().for_each(|text| self.refer(text));
        if let Some(ValueText::Text(text)) = &field.xor {
            self.refer(text);
        }
        if let Some(by) = &field.by {
            self.selecting.insert(by.rsplit('.').next().unwrap_or(by).into());
        }
        field.join.iter().flat_map(|join| &join.condition).for_each(|text| self.refer(text));
        for word in lengths(field).chain(field.of.as_deref()) {
            self.refer(word);
            let all = earlier.iter().flat_map(|one| one.bits.iter().map(|part| &part.own).chain([one]));
            let mut lines: Vec<usize> = all.filter(|one| one.name == word).map(|one| one.line).collect();
            if lines.is_empty() {
                lines.push(ANYWHERE);
            }
            let name = word.rsplit('.').next().unwrap_or(word);
            self.derived.extend(lines.into_iter().map(|line| (name.to_owned(), line)));
        }
    }
}

impl Compiler<'_> {
    /// Whether the file refers to this name.
    pub fn is_referred(&self, name: &str) -> bool {
        self.references.referred.contains(name)
    }

    /// Whether a message is found by this name.
    pub fn selects(&self, name: &str) -> bool {
        self.references.selecting.contains(name)
    }

    /// Whether encode derives the number of this name in this line.
    pub fn is_derived(&self, name: &str, line: usize) -> bool {
        [ANYWHERE, line].iter().any(|line| self.references.derived.contains(&(name.to_owned(), *line)))
    }
}
