//! Names for numbers, and conditions: what a schema says of a field beside its type.

use super::parse::{Named, Names};
use crate::codec::layout::When;

/// Schemas live as long as the program; there are as many as the user's files have lines.
pub fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// Is this a name for a field, and free?
pub fn identifier(name: &str, taken: &[&str]) -> Result<(), String> {
    let good = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match good {
        true if taken.contains(&name) => Err(format!("{name}: the name is taken")),
        true => Ok(()),
        false => Err(format!("{name:?} is no name: letters, digits and _")),
    }
}

/// The names of an enumeration or of flags, by their values.
pub fn names(named: &Named, all: &[(String, Names)], what: &str) -> Result<Vec<(u64, &'static str)>, String> {
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
    let mut names: Vec<(u64, &'static str)> = list.iter().map(|(n, v)| (*v, leak(n))).collect();
    names.sort_unstable();
    match names.windows(2).find(|w| w[0].0 == w[1].0) {
        Some(twice) => Err(format!("{} and {} have the same value {}", twice[0].1, twice[1].1, twice[0].0)),
        None => Ok(names),
    }
}

/// `kind == 2`, `kind in 1, 2`, `flags & 4`.
pub fn condition(text: &str) -> Result<When, String> {
    let number = |t: &str| {
        let t = t.trim();
        let parsed = t.strip_prefix("0x").map_or_else(|| t.parse().ok(), |h| u64::from_str_radix(h, 16).ok());
        parsed.or((t == "true").then_some(1)).or((t == "false").then_some(0)).ok_or(format!("{t:?} is no number"))
    };
    if let Some((name, value)) = text.split_once("==") {
        return Ok(When::Eq(leak(name.trim()), number(value)?));
    }
    if let Some((name, values)) = text.split_once(" in ") {
        let values = values
            .trim()
            .trim_start_matches('[')
            .trim_end_matches(']')
            .split(',')
            .map(number)
            .collect::<Result<Vec<u64>, String>>()?;
        return Ok(When::In(leak(name.trim()), Box::leak(values.into_boxed_slice())));
    }
    if let Some((name, mask)) = text.split_once('&') {
        let mask = number(mask)?;
        return match mask.is_power_of_two() {
            true => Ok(When::Bit(leak(name.trim()), mask.trailing_zeros() as u8)),
            false => Err(format!("{mask} is not one bit")),
        };
    }
    Err(format!("if: expected FIELD == N, FIELD in N, N or FIELD & BIT, got {text:?}"))
}

/// The field that a condition asks.
pub fn condition_name(text: &str) -> &str {
    text.split(['=', '&', ' ']).next().unwrap_or("").trim()
}
