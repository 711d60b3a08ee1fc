//! Data that fields and their types share during export.

use super::conditions::Scope;

/// The keys of a field, the type first.
pub type Keys = Vec<(&'static str, String)>;

/// A field's keys for each of its forms, with the term that selects the form.
pub type Forms = Vec<(Option<String>, Keys)>;

/// The place of fields.
pub struct Place {
    /// The message's name, then further names that distinguish it: for naming enumerations.
    pub names: Vec<String>,
    pub scope: Scope,
}

/// The reason why a field cannot be expressed. Later fields cannot be either.
pub struct Inexpressible(pub String);

/// The possible names for a part of a field, the best first.
pub fn wanted(name: &str, place: &[String]) -> Vec<String> {
    let mut all = vec![name.to_owned()];
    let mut own = name.to_owned();
    for (k, part) in place.iter().enumerate() {
        own = if k == 0 { format!("{part}_{own}") } else { format!("{own}_{part}") };
        all.push(own.clone());
    }
    all
}
