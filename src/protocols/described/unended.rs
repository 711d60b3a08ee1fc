//! Messages of a stream that end where their own fields end: which fields have no end of their own.

use crate::codec::kinds::Extent;
use crate::codec::layout::{Count, Field, Kind, Len, When, flag};

/// The beginning of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// More bytes are needed: this many from the beginning on, at least.
    More(usize),
    /// A message: the number of bytes before it, its length, and the number of bytes after it.
    Message(usize, usize, usize),
    /// No message.
    Nothing,
}

/// The deepest nesting of fields that is followed.
const DEEPEST: usize = 64;

/// Returns the reason why fields have no end of their own: one of them takes everything, or depends on what is left.
pub fn unended(fields: &'static [Field], depth: usize) -> Option<String> {
    if depth > DEEPEST {
        return Some("they are nested too deeply".into());
    }
    fields.iter().find_map(|field| one(field, depth + 1))
}

fn one(field: &'static Field, depth: usize) -> Option<String> {
    if asks_left(&field.when) {
        return Some(format!("{} depends on how many bytes are left", field.name));
    }
    let takes_all = |takes: bool| takes.then(|| format!("{} takes everything up to the end", field.name));
    match &field.kind {
        Kind::Text { len, .. } | Kind::Bytes { len } => match len {
            Len::Through(ends) => takes_all(ends.or_end),
            len => takes_all(matches!(len, Len::Rest)),
        },
        Kind::Numeral(numeral) => takes_all(matches!(numeral.len, Len::Rest)),
        Kind::Array { count: Count::Rest | Count::UntilOrEnd(_), .. } => takes_all(true),
        Kind::Array { .. } if field.is(flag::CHECKED) => {
            Some(format!("{} is checked against what is left", field.name))
        }
        Kind::Array { count: Count::While(when), .. } if asks_left(when) => {
            Some(format!("{} depends on how many bytes are left", field.name))
        }
        Kind::Array { of, .. } => one(of, depth),
        // Its size is known before it.
        Kind::Region(region) => match region.extent {
            Extent::Own => unended(region.fields.get(..1).unwrap_or_default(), depth),
            Extent::Less(_) => one(&region.fields[0], depth),
            Extent::Prefix(_) | Extent::Field(_) | Extent::Const(_) | Extent::Until(_) => None,
        },
        Kind::Packed(packed) => match packed.bits {
            Some(_) => None,
            None => one(&packed.fields[0], depth).or(takes_all(true)),
        },
        Kind::Protobuf(_) => takes_all(true),
        Kind::Chosen(chosen) => chosen.among.iter().find_map(|choice| match asks_left(&choice.when) {
            true => Some(format!("{} depends on how many bytes are left", choice.field.name)),
            false => unended(choice.layout.fields, depth),
        }),
        Kind::Struct(fields) | Kind::Inline(fields) | Kind::Ring { fields, .. } => unended(fields, depth),
        _ => None,
    }
}

fn asks_left(when: &When) -> bool {
    match when {
        When::Left(_) => true,
        When::Not(one) => asks_left(one),
        When::All(all) | When::Any(all) => all.iter().any(asks_left),
        _ => false,
    }
}
