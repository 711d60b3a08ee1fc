//! Names that are used twice in one object: refused, unless their conditions exclude each other.

use super::exclusive::excludes;
use super::sizes::takes_the_rest;
use crate::codec::kinds::{Extent, Region};
use crate::codec::layout::{Count, Field, Kind, Len, When, flag};
use crate::codec::schema::text::FieldText;
use rustc_hash::FxHashMap;

/// The deepest nesting of unnamed fields that is followed.
const DEEPEST: usize = 64;

/// A name, the conditions on which it is present, and the index of the file's field.
type Member = (&'static str, Vec<When>, usize);

/// The first name that is used twice in an object of these fields: its line and the reason.
pub fn twice(fields: &'static [Field], texts: &[FieldText]) -> Option<(usize, String)> {
    let mut members = Vec::new();
    for (k, field) in fields.iter().enumerate() {
        member(field, &[], k, DEEPEST, &mut members);
    }
    let mut known: FxHashMap<&str, Vec<&Member>> = FxHashMap::default();
    for one in &members {
        let others = known.entry(one.0).or_default();
        let apart = |other: &Member| one.1.iter().any(|a| other.1.iter().any(|b| excludes(a, b)));
        if others.iter().any(|other| !apart(other)) {
            let text = texts.get(one.2)?;
            let inner = if text.name == one.0 { String::new() } else { format!("{}: ", one.0) };
            let why = match text.name == one.0 && text.bits.iter().any(|part| part.own.name == one.0) {
                true => {
                    "a part has the name of its number, and the number is shown if bits outside its parts are set: rename one"
                }
                false => "the name is given twice: each needs a condition (if), of which only one can hold",
            };
            return Some((text.line, format!("{}: {inner}{why}", text.name)));
        }
        others.push(one);
    }
    None
}

fn member(field: &'static Field, chain: &[When], place: usize, left: usize, out: &mut Vec<Member>) {
    let mut chain = chain.to_vec();
    if !matches!(field.when, When::Always) {
        chain.push(field.when);
    }
    let prefix = match &field.kind {
        Kind::Array { count: Count::Prefix(prefix), .. } => Some(*prefix),
        Kind::Text { len: Len::Prefix(prefix), .. } | Kind::Bytes { len: Len::Prefix(prefix) } => Some(*prefix),
        Kind::Region(Region { extent: Extent::Prefix(prefix), .. }) => Some(*prefix),
        _ => None,
    };
    if let Some(prefix) = prefix.filter(|prefix| !prefix.name.is_empty()) {
        out.push((prefix.name, chain.clone(), place));
    }
    match &field.kind {
        _ if field.is(flag::DERIVED) || left == 0 => {}
        // The trailing bytes of a field that may leave some.
        Kind::Region(Region { fields: [of, trailing, padding], extent, align, .. }) => {
            member(of, &chain, place, left - 1, out);
            if !takes_the_rest(of) && !matches!(extent, Extent::Own) {
                member(trailing, &chain, place, left - 1, out);
            }
            if *align > 0 {
                member(padding, &chain, place, left - 1, out);
            }
        }
        Kind::Packed(packed) if packed.bits.is_some() => member(&packed.fields[0], &chain, place, left - 1, out),
        kind if field.is_inline() => {
            kind.fields().iter().for_each(|inner| member(inner, &chain, place, left - 1, out));
        }
        // A message is a line of its own, and a switch is not followed.
        Kind::Chosen(_) | Kind::Switch { .. } => {}
        _ if field.name.is_empty() => {}
        _ => out.push((field.name, chain, place)),
    }
}
