//! What of a protocol's messages is its own, and no secret of whoever uses it.

/// What redaction keeps of a protocol's text and bytes: without it the messages could not be read
/// again. Names of fields and numbers are kept anyway.
#[derive(Clone, Copy, Debug, Default)]
pub struct Public {
    /// Fields whose text or bytes are the protocol's: masks, headers, names out of its own tables.
    pub fields: &'static [&'static str],
    /// Words in text that are the protocol's, with blanks between; letters may be small or capital.
    pub words: &'static str,
    /// How lines begin that are the protocol's, in small letters: headers of HTTP.
    pub lines: &'static [&'static str],
}
