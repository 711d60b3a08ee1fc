//! The words with which a side refuses or ends a connection.

use std::fmt;

/// The words of a message that ends its connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Farewell {
    /// The protocol's part, such as a status; it may be empty.
    pub code: Box<str>,
    /// The application's words, which `--redact` replaces.
    pub words: Box<str>,
}

impl<T: Into<Box<str>>> From<T> for Farewell {
    /// The words of an application, without a code.
    fn from(words: T) -> Farewell {
        Farewell { code: "".into(), words: words.into() }
    }
}

impl fmt::Display for Farewell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gap = if self.code.is_empty() || self.words.is_empty() { "" } else { " " };
        write!(f, "{}{gap}{}", self.code, self.words)
    }
}
