//! The parts of messages that belong to the protocol and reveal nothing about its users.

/// The words and lines in text that redaction keeps: without them the messages could not be read again. Names of fields,
/// numbers, and [public](crate::codec::layout::Field::public) fields are always kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct Public {
    /// Words in text that belong to the protocol, separated by blanks, in any case.
    pub words: &'static str,
    /// The beginnings of lines that belong to the protocol, in lower case: HTTP headers.
    pub lines: &'static [&'static str],
}
