//! The parts of messages that belong to the protocol and reveal nothing about its users.

/// The text and bytes that redaction keeps: without them the messages could not be read again. Names of fields and
/// numbers are always kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct Public {
    /// Fields whose text or bytes belong to the protocol: masks, headers, names from its own tables.
    pub fields: &'static [&'static str],
    /// Words in text that belong to the protocol, separated by blanks, in any case.
    pub words: &'static str,
    /// The beginnings of lines that belong to the protocol, in lower case: HTTP headers.
    pub lines: &'static [&'static str],
}
