//! The tokens of a filter.

use super::FilterError;

/// One token and its position, in characters.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub kind: TokenKind,
    pub at: usize,
    pub len: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// A name, a bare word or a number: letters, digits and `_ . - : [ ]` and similar characters.
    Word(String),
    /// `"quoted"` or `'quoted'`.
    Quoted(String),
    /// `==`, `&&`, `(`, ..
    Sign(&'static str),
}

const SIGNS: [&str; 18] =
    ["==", "!=", "<=", ">=", "&&", "||", "<", ">", "=", "!", "~", "(", ")", "{", "}", ",", "&", "|"];

/// Splits a filter into tokens.
pub fn tokens(text: &str) -> Result<Vec<Token>, FilterError> {
    let chars: Vec<char> = text.chars().collect();
    let fail = |what: String, at: usize, len: usize| FilterError { what, text: text.into(), at, len };
    let (mut list, mut at) = (Vec::new(), 0);
    while let Some(&c) = chars.get(at) {
        if c.is_whitespace() {
            at += 1;
            continue;
        }
        let start = at;
        let kind = if c == '"' || c == '\'' {
            let mut quoted = String::new();
            at += 1;
            loop {
                match chars.get(at) {
                    None => return Err(fail("the closing quote is missing".into(), start, 1)),
                    Some(&q) if q == c => break,
                    Some('\\') if matches!(chars.get(at + 1), Some('\\' | '"' | '\'')) => {
                        quoted.push(chars[at + 1]);
                        at += 2;
                    }
                    Some(&other) => {
                        quoted.push(other);
                        at += 1;
                    }
                }
            }
            at += 1;
            TokenKind::Quoted(quoted)
        } else if let Some(sign) =
            SIGNS.into_iter().find(|s| s.chars().enumerate().all(|(k, x)| chars.get(start + k) == Some(&x)))
        {
            at += sign.len();
            TokenKind::Sign(sign)
        } else if is_word(c) {
            while chars.get(at).is_some_and(|c| is_word(*c)) {
                at += 1;
            }
            TokenKind::Word(chars[start..at].iter().collect())
        } else {
            return Err(fail(format!("unexpected {c:?}"), start, 1));
        };
        list.push(Token { kind, at: start, len: at - start });
    }
    Ok(list)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_.-:[]*/+%@$".contains(c)
}
