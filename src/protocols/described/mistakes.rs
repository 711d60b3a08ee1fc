//! Finds all mistakes of a file that are independent of each other.

use super::load::build;
use crate::codec::schema::SchemaError;
use crate::codec::schema::parse;

/// The cap on reported mistakes.
const MOST: usize = 16;

/// The mistakes of a protocol file, by line; none: it loads.
pub fn mistakes(name: &str, text: &str) -> Vec<SchemaError> {
    let mut all = match parse::parse_all(name, text) {
        Ok(parsed) => {
            let wrong = build(&parsed, text).err().unwrap_or_default();
            wrong.into_iter().map(|(line, reason)| SchemaError { file: name.into(), line, reason }).collect()
        }
        Err(all) => all,
    };
    all.sort_by(|a, b| (a.line, &a.reason).cmp(&(b.line, &b.reason)));
    all.dedup();
    all.truncate(MOST);
    all
}
