//! Finds all mistakes of a file that are independent of each other.

use super::load::all;
use super::over::Carriers;
use crate::codec::schema::SchemaError;

/// The cap on reported mistakes.
const MOST: usize = 16;

/// The mistakes of a protocol file, by line; none: it loads.
pub fn mistakes(name: &str, text: &str) -> Vec<SchemaError> {
    mistakes_over(name, text, &|_| None)
}

/// The mistakes of a protocol file that may be over another one.
pub fn mistakes_over(name: &str, text: &str, carriers: Carriers<'_>) -> Vec<SchemaError> {
    let mut wrong = all(name, text, carriers).err().unwrap_or_default();
    wrong.sort_by(|a, b| (a.line, &a.reason).cmp(&(b.line, &b.reason)));
    wrong.dedup();
    wrong.truncate(MOST);
    wrong
}
