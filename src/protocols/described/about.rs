//! The user's view of a described protocol: its messages, settings and notes.

use super::codes::Codes;
use super::description::Value;
use super::lines::{self, Nameless, Names};
use super::traffic;
use crate::codec::digits::whole;
use crate::codec::layout::{Field, Layout};
use crate::codec::names::everywhere;
use crate::codec::schema::compile::statics;
use crate::codec::schema::known::Carried;
use crate::codec::schema::named::leak;
use crate::codec::schema::text::{First, Word};
use crate::dissect::dissector::{note, warning};
use crate::dissect::{GAP, NoteDoc, Role, Setting, Table};
use rustc_hash::FxHashMap;

/// The user's setting for a value of `[settings]`. Named values are a closed list; this check accepts any number.
pub fn setting(name: &str, text: &First, (_, value, names): &Value) -> Setting {
    let truth = matches!(text.value, Word::Number(0 | 1)) && names.is_empty();
    let shown = names.iter().find(|(n, _)| n == value).map(|(_, name)| *name);
    let default = match (shown, truth) {
        (Some(name), _) => name,
        (None, true) if *value == 1 => "true",
        (None, true) => "false",
        (None, false) => leak(&value.to_string()),
    };
    let values: &'static [&'static str] = match names.is_empty() {
        false => statics(names.iter().map(|(_, name)| *name).collect()),
        true => &[],
    };
    Setting {
        key: leak(&format!("{name}.{}", text.name)),
        default,
        values,
        parse: |text| match text == "true" || text == "false" || whole(text).is_some() {
            true => Ok(()),
            false => Err(format!("{text:?}: expected a number, true or false")),
        },
        doc: leak(&text.doc),
    }
}

pub fn notes(codes: Codes, traffic: &traffic::Rules, has_streams: bool) -> Vec<NoteDoc> {
    let mut all = vec![
        note(codes.trailing, "bytes follow after what the file describes"),
        warning(codes.checksum, "a checksum is not that of the bytes"),
        note(codes.unknown_id, "no message of the file has this number"),
    ];
    all.extend(has_streams.then_some(GAP));
    if traffic.has_numbers() {
        let numbered = codes.numbered;
        all.push(note(numbered.resent, "a further copy of a message that was not acknowledged yet"));
        all.push(note(numbered.duplicate, "a further copy of a message that was acknowledged"));
        all.push(note(numbered.gap, "numbers before this one are missing"));
        all.push(note(numbered.late, "a number below the newest"));
        all.push(note(numbered.acked_by, "which messages it acknowledges first, and how long after each"));
        all.push(warning(numbered.acked_unseen, "it acknowledges numbers that the capture does not have"));
        all.push(note(codes.nack, "the other side reports that messages are missing"));
    }
    if !traffic.requests.is_empty() {
        all.push(note(codes.answers, "which message it answers, and after how long"));
        all.push(note(codes.asked_again, "a request was repeated before its response"));
    }
    all
}

/// The messages as tables, by sender.
pub fn tables(carried: &[Carried], packet: &'static [Field], names: Names) -> &'static [Table] {
    let mut tables = Vec::new();
    for (from, role) in [(0, Role::Unknown), (1, Role::Client), (2, Role::Server)] {
        let choices = carried.iter().flat_map(|(_, list)| list.iter()).filter(|choice| choice.from == from);
        let mut layouts: Vec<Layout> =
            choices.map(|choice| Layout::new(choice.layout.name, choice.layout.doc, choice.layout.fields)).collect();
        if from == 0 {
            for (line, doc, fields) in [
                (Nameless::Packet, "a packet without a message", packet),
                (Nameless::Unknown, "a number that no message has", lines::unknown()),
                (Nameless::Fragment, "a part of a longer message", lines::fragment()),
            ] {
                layouts.push(Layout::new(names.name(line), doc, fields));
            }
        }
        if !layouts.is_empty() {
            tables.push(Table { version: "", from: role, layouts: statics(layouts) });
        }
    }
    statics(tables)
}

/// A field for each name, for the numbers by which messages are found.
pub fn by_name(packet: &'static [Field], carried: &[Carried]) -> FxHashMap<&'static str, &'static Field> {
    let mut all = FxHashMap::default();
    let mut each = |field: &'static Field| _ = all.entry(field.name).or_insert(field);
    everywhere(packet, &mut each);
    for choice in carried.iter().flat_map(|(_, list)| list.iter()) {
        everywhere(choice.layout.fields, &mut each);
    }
    all
}
