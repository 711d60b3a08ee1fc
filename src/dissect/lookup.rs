//! Finds the version and the layout of a line, for every encoder.

use super::encoder::Line;
use crate::codec::layout::UNKNOWN;
use crate::codec::{EncodeError, Layout};
use crate::nearest::{hint, nearest};
use std::fmt::Display;

impl Line<'_> {
    /// The version that the line names, if it names one. `expected` lists all versions, for the error.
    ///
    /// # Errors
    /// An unknown version.
    pub fn version<V>(&self, by_name: impl Fn(&str) -> Option<V>, expected: &str) -> Result<Option<V>, EncodeError> {
        let Some(name) = self.version else { return Ok(None) };
        let found = by_name(name);
        found.map(Some).ok_or_else(|| EncodeError::new("version", format!("no version {name:?}: expected {expected}")))
    }

    /// The layout of the line's message. `owner` is the owner of the layouts, for the error.
    ///
    /// # Errors
    /// An unknown message, with the nearest name.
    pub fn layout<'t>(
        &self,
        owner: impl Display,
        layouts: impl IntoIterator<Item = &'t Layout, IntoIter: Clone>,
    ) -> Result<&'t Layout, EncodeError> {
        let mut layouts = layouts.into_iter();
        let all = layouts.clone();
        let found = layouts.find(|layout| layout.name == self.message);
        found.ok_or_else(|| self.no_such_message(owner, all.map(|layout| layout.name)))
    }

    /// The error for a message that `owner` does not have, with the nearest name that it has.
    pub fn no_such_message(&self, owner: impl Display, names: impl IntoIterator<Item = &'static str>) -> EncodeError {
        let near = hint(nearest(self.message, names));
        EncodeError::new("message", format!("{owner} has no message {:?}{near}", self.message))
    }

    /// Whether the line is a datagram without captured bytes: not even the type is there as a field.
    pub fn is_empty(&self) -> bool {
        self.broken && self.message == UNKNOWN && self.fields.as_object().is_some_and(|fields| fields.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissect::Role;
    use serde_json::{Value as Json, json};

    static LAYOUTS: [Layout; 2] = [Layout::new("connect", "", &[]), Layout::new("unknown", "", &[])];

    fn line<'a>(message: &'a str, version: Option<&'a str>, fields: &'a Json, broken: bool) -> Line<'a> {
        Line {
            message,
            proto: "toy",
            version,
            from: Role::Unknown,
            flow: 0,
            fields,
            derived: None,
            packet: None,
            part: None,
            broken,
        }
    }

    #[test]
    fn versions_and_layouts_by_name() {
        let fields = json!({});
        let by_name = |name: &str| name.parse::<u8>().ok();
        assert_eq!(line("connect", None, &fields, false).version(by_name, "1 or 2"), Ok(None));
        assert_eq!(line("connect", Some("2"), &fields, false).version(by_name, "1 or 2"), Ok(Some(2)));
        let error = line("connect", Some("x"), &fields, false).version(by_name, "1 or 2").unwrap_err();
        assert_eq!((&*error.path, &*error.what), ("version", "no version \"x\": expected 1 or 2"));
        let found = line("connect", None, &fields, false).layout("toy", &LAYOUTS).unwrap();
        assert!(std::ptr::eq(found, &LAYOUTS[0]));
        let error = line("conect", None, &fields, false).layout("toy", &LAYOUTS).unwrap_err();
        let text = "toy has no message \"conect\", did you mean \"connect\"?";
        assert_eq!((&*error.path, &*error.what), ("message", text));
        let error = line("zzzzzzzz", None, &fields, false).layout("toy", &LAYOUTS).unwrap_err();
        assert_eq!(error.what, "toy has no message \"zzzzzzzz\"");
    }

    #[test]
    fn only_a_broken_line_without_fields_is_empty() {
        let (none, some) = (json!({}), json!({"unparsed": "00"}));
        assert!(line("unknown", None, &none, true).is_empty());
        for other in [
            line("unknown", None, &none, false),
            line("unknown", None, &some, true),
            line("connect", None, &none, true),
        ] {
            assert!(!other.is_empty(), "{other:?}");
        }
    }
}
