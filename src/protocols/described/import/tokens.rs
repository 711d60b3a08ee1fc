//! The words and signs of a `.proto` file, with their lines.

use crate::codec::digits;

/// A word, a sign, or a text in quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub line: usize,
    pub text: &'a str,
}

/// Splits a file; comments are left out.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            quoted(rest, quote)
        } else {
            rest.find(|c: char| !(c.is_alphanumeric() || "_.-+".contains(c))).filter(|n| *n > 0).unwrap_or_else(|| {
                let first = rest.chars().next().map_or(1, char::len_utf8);
                if rest.starts_with(|c: char| c.is_alphanumeric() || "_.-+".contains(c)) { rest.len() } else { first }
            })
        };
        let (token, _) = rest.split_at(length);
        if !token.trim().is_empty() && !token.starts_with("//") && !token.starts_with("/*") {
            all.push(Token { line, text: token });
        }
        line += token.matches('\n').count();
        at += length;
    }
    all
}

/// The length of a text in quotes.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// A whole number, in decimal or hex digits.
pub fn number(text: &str) -> Option<i64> {
    let (minus, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let number = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => digits::unsigned::<u64>(digits).and_then(|n| i64::try_from(n).ok())?,
    };
    Some(if minus { -number } else { number })
}

/// The name of a message or enumeration in another one.
pub fn within(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.into() } else { format!("{scope}.{name}") }
}
