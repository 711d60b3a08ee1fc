//! The expectation of a file at a place: a type, a constant, possible values.

use super::Description;
use crate::codec::describe;
use crate::codec::layout::{Field, Kind};

/// The most names that are listed.
const LISTED: usize = 12;

fn list(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    match all.get(..LISTED) {
        Some(first) if all.len() > LISTED => format!("{}, and {} more", first.join(", "), all.len() - LISTED),
        _ => all.join(", "),
    }
}

/// Describes a field: `u16be`, `the constant 494f`, `u8: one of lobby=0, game=1`. `names`: includes the names of its
/// enumeration.
pub fn expected(field: &'static Field, names: bool) -> String {
    match (&field.kind, field.kind.fields()) {
        (Kind::Constant(constant), _) => return format!("the constant {}", hex::encode(constant.wire)),
        // A wrapper without a name is described by its content.
        (Kind::Parts(_) | Kind::Region(_) | Kind::Packed(_), [of, ..]) if field.is_inline() => {
            return expected(of, names);
        }
        _ => {}
    }
    let mut text = describe::kind(field);
    if (names || field.is(crate::codec::layout::flag::CLOSED))
        && let Some(names) = describe::names(&field.show)
    {
        text += &format!(": one of {}", list(names.iter().map(|(value, name)| format!("{name}={value}"))));
    }
    if let Some(condition) = describe::condition(&field.when) {
        text += &format!(", {condition}");
    }
    text
}

/// The names of the messages, and their numbers unless they are found by texts, if a single field selects all of them.
pub fn ids(description: &Description, numbers: bool) -> String {
    let [(_, choices)] = &description.carried[..] else { return String::new() };
    let range = |(least, most): &(u64, u64)| if least == most { least.to_string() } else { format!("{least}..{most}") };
    let one = |choice: &crate::codec::kinds::Choice| {
        if !numbers {
            return choice.field.name.to_owned();
        }
        let ids: Vec<String> = choice.ids.iter().map(range).collect();
        format!("{}={}", choice.field.name, ids.join("|"))
    };
    format!("one of {}", list(choices.iter().map(one)))
}

/// Finds the field of a path, `commands[0].connect.mtu`.
pub fn resolve(description: &Description, path: &str) -> Option<&'static Field> {
    let names: Vec<&str> = path.split('.').map(|part| part.split('[').next().unwrap_or(part)).collect();
    inside(description.packet, &names)
}

fn inside(fields: &'static [Field], path: &[&str]) -> Option<&'static Field> {
    fields.iter().find_map(|field| below(field, path))
}

fn below(field: &'static Field, path: &[&str]) -> Option<&'static Field> {
    let (name, rest) = path.split_first()?;
    if let Kind::Chosen(chosen) = field.kind {
        let mut named = chosen.among.iter().filter(|choice| choice.field.name == *name);
        return match rest {
            [] if field.name == *name => Some(field),
            [] => named.next().map(|choice| choice.field),
            _ => named.find_map(|choice| inside(choice.layout.fields, rest)),
        };
    }
    match &field.kind {
        kind if field.is_inline() => inside(kind.fields(), path),
        _ if field.name != *name => None,
        _ if rest.is_empty() => Some(field),
        Kind::Array { of, .. } => match &of.kind {
            Kind::Struct(list) | Kind::Inline(list) => inside(list, rest),
            _ => below(of, rest),
        },
        kind => inside(kind.fields(), rest),
    }
}
