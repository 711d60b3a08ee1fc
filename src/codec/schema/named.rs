//! Names: of fields, and of numbers.

use super::reading::{Named, Names};
use crate::codec::bits;
use crate::codec::layout::Kind;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Makes a text that lives as long as the program, as schemas do. Their size is bounded by the user's files. Equal
/// texts are one in memory, so that comparing them compares addresses.
pub fn leak(text: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(same) = known.get(text) {
        return same;
    }
    let new: &'static str = Box::leak(text.to_owned().into_boxed_str());
    known.insert(new);
    new
}

/// Checks that this is a valid field name, and that it is not taken.
pub fn identifier(name: &str, taken: &[&str]) -> Result<(), String> {
    let good = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match good {
        true if taken.contains(&name) => Err(format!("{name}: the name is taken")),
        true => Ok(()),
        false => Err(format!("{name:?}: expected a name of letters, digits and _")),
    }
}

/// Checks that this is a member name of a JSON object that can be printed unescaped.
pub fn member(name: &str) -> Result<(), String> {
    match !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b'\\')) {
        true => Ok(()),
        false => Err(format!("{name:?}: expected ASCII letters, digits and signs, without quotes and backslashes")),
    }
}

/// Returns the names of an enumeration or of flags, with their values. The values must be in the range of the field's
/// kind; negative ones are in two's complement.
pub fn names(
    named: &Named,
    all: &[(String, Names)],
    what: &str,
    kind: &Kind,
) -> Result<Vec<(u64, &'static str)>, String> {
    let list = match named {
        Named::Here(list) => list,
        Named::Reference(name) => match all.iter().find(|(n, _)| n == name) {
            Some((_, list)) => list,
            None => {
                let near = crate::nearest::nearest(name, all.iter().map(|(n, _)| n.as_str()));
                return Err(format!("no [{what}.{name}]{}", crate::nearest::hint(near)));
            }
        },
    };
    let (least, most) = match kind {
        // A flag of a signed number may be its highest bit.
        Kind::Int { bits, .. } if what == "flags" => (0, bits::mask(*bits as u32) as i128),
        _ => kind.range().unwrap_or((i64::MIN.into(), u64::MAX.into())),
    };
    if let Some((name, value)) = list.iter().find(|(_, value)| !(least..=most).contains(value)) {
        return Err(format!("{name} = {value}: the number is {least} to {most}"));
    }
    let mut names: Vec<(u64, &'static str)> = list.iter().map(|(n, v)| (*v as u64, leak(n))).collect();
    names.sort_unstable();
    match names.windows(2).find(|w| w[0].0 == w[1].0) {
        Some(twice) => Err(format!("{} and {} have the same value {}", twice[0].1, twice[1].1, twice[0].0)),
        None => Ok(names),
    }
}
