//! What fields and their types share on the way to the language.

use super::conditions::Scope;

/// The keys of a field, the type first.
pub type Keys = Vec<(&'static str, String)>;

/// A field's keys, for each form that it has: with the term by which the form is told.
pub type Forms = Vec<(Option<String>, Keys)>;

/// Where fields stand.
pub struct Place {
    /// The message's name, then more that tells it from others: for names of enumerations.
    pub names: Vec<String>,
    pub scope: Scope,
}

/// A field that cannot be said, and why: nothing behind it can be, either.
pub struct Unsaid(pub String);

/// The names that something of a field's may have, the best first.
pub fn wanted(name: &str, place: &[String]) -> Vec<String> {
    let mut all = vec![name.to_owned()];
    let mut own = name.to_owned();
    for (k, part) in place.iter().enumerate() {
        own = if k == 0 { format!("{part}_{own}") } else { format!("{own}_{part}") };
        all.push(own.clone());
    }
    all
}
