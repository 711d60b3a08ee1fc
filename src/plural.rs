//! `1 message`, `2 messages`: counts in text.

use std::fmt;

/// A count and its noun, in the singular.
///
/// ```
/// use netkit::plural::Plural;
///
/// assert_eq!(Plural(1, "message").to_string(), "1 message");
/// assert_eq!(Plural(0, "byte").to_string(), "0 bytes");
/// assert_eq!(Plural(2u64, "reply").to_string(), "2 replies");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plural<'a, N>(pub N, pub &'a str);

impl<N: fmt::Display + PartialEq + From<u8>> fmt::Display for Plural<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plural(count, one) = self;
        if *count == N::from(1) {
            return write!(f, "{count} {one}");
        }
        match one.strip_suffix('y') {
            Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => write!(f, "{count} {stem}ies"),
            _ if one.ends_with(['s', 'x']) => write!(f, "{count} {one}es"),
            _ => write!(f, "{count} {one}s"),
        }
    }
}
