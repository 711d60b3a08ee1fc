//! Bytes in source code: `{ 0x08, 0x01 }`, `b"\x08\x01"`, bare `0x08, 0x01` and `\x08\x01`.
//!
//! A message is one array, or adjacent strings. Only a declaration may precede it; anything else is
//! rejected.

use super::error::{HexError, HexErrorKind, excerpt};
use super::lexer::{self, Token};
use super::line::Line;
use super::{Form, LineStep};

/// The cap on nesting of brackets: `Buffer.from(new Uint8Array([` needs three.
const MAX_DEPTH: usize = 8;

/// The cap on words before the bytes: computing the column of each costs time.
const MAX_WORDS: usize = 100;

/// The reader's position in a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Before the bytes: at the start, or in a declaration.
    #[default]
    Before,
    /// In the brackets of an array.
    Array,
    /// In `0x` numbers without brackets.
    Bare,
    /// In string literals.
    Strings,
    /// In `\x` escapes without quotes.
    Escapes,
    /// After the bytes: only closing brackets and semicolons may follow.
    After,
}

/// The previous token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Last {
    /// None, or an opening bracket.
    #[default]
    Open,
    Equals,
    Comma,
    Semicolon,
    Other,
}

/// One message of source code.
#[derive(Debug, Default)]
pub(super) struct Source {
    phase: Phase,
    last: Last,
    form: Option<Form>,
    /// The open brackets, with the error for each if it is never closed.
    stack: Vec<(char, HexError)>,
    /// The start of the declaration, as the error if no bytes follow.
    declaration: Option<HexError>,
    /// A number that is valid only as the size of an array, as the error otherwise.
    number: Option<HexError>,
    /// Strings without any escape so far, as the error for them.
    unescaped: Option<HexError>,
    sure: bool,
    words: usize,
}

impl Source {
    /// Whether brackets are open, so that a blank line does not end the message.
    pub(super) fn is_open(&self) -> bool {
        !self.stack.is_empty()
    }

    /// Whether the message could end here.
    pub(super) fn has_bytes(&self) -> bool {
        self.phase != Phase::Before
    }

    /// Reads one line whose comments have been replaced by blanks.
    pub(super) fn line(&mut self, line: Line<'_>, out: &mut Vec<u8>) -> Result<LineStep, HexError> {
        let (mut from, mut first) = (0, true);
        while let Some((at, end, token)) = lexer::next(line, from)? {
            if first && self.stack.is_empty() && self.begins_another(token) {
                return Ok(LineStep::Before);
            }
            // A backslash at the end of a line joins it with the next one.
            if first || !matches!(token, Token::Punct('\\')) {
                self.token(line, at, token, out)?;
            }
            first = false;
            from = end;
        }
        let complete = self.phase == Phase::After
            && self.stack.is_empty()
            && (self.form == Some(Form::Array) || self.last == Last::Semicolon);
        Ok(if complete { LineStep::Done } else { LineStep::More })
    }

    /// Whether a line that begins with this token starts the next message.
    fn begins_another(&self, token: Token<'_>) -> bool {
        let tail = matches!(token, Token::Punct(')' | ']' | '}' | ',' | ';'));
        let name = matches!(token, Token::Word);
        self.phase == Phase::After && !tail || self.phase == Phase::Strings && name
    }

    fn token(&mut self, line: Line<'_>, at: usize, token: Token<'_>, out: &mut Vec<u8>) -> Result<(), HexError> {
        if let Some(error) = self.number.take()
            && !matches!(token, Token::Punct(']'))
        {
            return Err(error);
        }
        let last = std::mem::replace(&mut self.last, Last::Other);
        let error = |kind| line.error(at, kind);
        match (self.phase, token) {
            (_, Token::Punct(c @ (')' | ']' | '}'))) => return self.close(line, at, c, last),
            (Phase::Before, Token::Punct(c @ ('(' | '[' | '{'))) => {
                self.words += 1;
                if self.stack.len() == MAX_DEPTH || self.words > MAX_WORDS {
                    return Err(line.misplaced(at));
                }
                self.stack.push((c, error(HexErrorKind::Unclosed(c))));
                self.last = Last::Open;
            }
            (Phase::Before | Phase::Array, Token::Hex(digits)) if self.in_array(last) => {
                if digits.len() > 2 {
                    return Err(error(HexErrorKind::Wide(excerpt(digits))));
                }
                self.enter(Phase::Array, Form::Array);
                return line.push_digits(at + 2, digits, out);
            }
            (Phase::Before | Phase::Bare, Token::Hex(digits)) if self.is_bare() => {
                self.enter(Phase::Bare, Form::HexList);
                return line.push_digits(at + 2, digits, out);
            }
            (Phase::Before | Phase::Strings, Token::Str { body, bytes })
                if self.phase == Phase::Strings || matches!(last, Last::Open | Last::Equals) =>
            {
                line.push_room(at, out.len(), body.len())?;
                let body_at = at + 1 + usize::from(bytes);
                self.sure |= lexer::unescape(line, body_at, body_at + body.len(), out)? || bytes;
                self.unescaped.get_or_insert_with(|| error(HexErrorKind::NoEscape));
                self.enter(Phase::Strings, Form::Escaped);
            }
            (Phase::Strings, Token::Punct('+')) => {}
            (Phase::Before | Phase::Escapes, Token::Escape(digits)) if self.is_bare() => {
                self.enter(Phase::Escapes, Form::Escaped);
                return line.push_digits(at + 2, digits, out);
            }
            (Phase::Array, Token::Punct(',')) | (Phase::Bare, Token::Punct(',' | ';')) if last == Last::Other => {
                self.last = Last::Comma;
            }
            (Phase::Strings | Phase::After, Token::Punct(c @ (',' | ';')))
                if self.stack.is_empty() && last == Last::Other =>
            {
                self.phase = Phase::After;
                self.last = if c == ';' { Last::Semicolon } else { Last::Comma };
            }
            (Phase::Array | Phase::Bare, Token::Number(text)) => {
                return Err(error(HexErrorKind::Decimal(excerpt(text))));
            }
            (Phase::Before, Token::Word | Token::Number(_) | Token::Punct(_)) => return self.declare(line, at, token),
            // An error in the declaration is reported first if it affects the meaning of the bytes.
            (Phase::Before, _) => {
                return Err(match self.declaration.take() {
                    Some(start) => HexError { kind: HexErrorKind::Misplaced(start.character.unwrap_or(' ')), ..start },
                    None => line.misplaced(at),
                });
            }
            _ => return Err(line.misplaced(at)),
        }
        Ok(())
    }

    fn enter(&mut self, phase: Phase, form: Form) {
        self.phase = phase;
        self.form = Some(form);
    }

    /// Whether a number is allowed here in the brackets of an array: after the bracket or a number.
    fn in_array(&self, last: Last) -> bool {
        !self.stack.is_empty() && (self.phase == Phase::Array || last == Last::Open)
    }

    /// Whether no bracket is open and there is no declaration before.
    fn is_bare(&self) -> bool {
        self.stack.is_empty() && self.declaration.is_none()
    }

    /// Reads a token of the declaration before the bytes.
    fn declare(&mut self, line: Line<'_>, at: usize, token: Token<'_>) -> Result<(), HexError> {
        self.words += 1;
        match token {
            _ if self.words > MAX_WORDS => return Err(line.misplaced(at)),
            Token::Number(text) => {
                self.number = Some(line.error(at, HexErrorKind::Decimal(excerpt(text))));
            }
            Token::Punct('=') => self.last = Last::Equals,
            Token::Punct(';') if self.stack.is_empty() => {
                return Err(self.declaration.take().unwrap_or_else(|| line.error(at, HexErrorKind::NoBytes)));
            }
            Token::Punct(';' | ':' | '&' | '*' | '!' | '.' | ',' | '<' | '>') | Token::Word => {}
            _ => return Err(line.misplaced(at)),
        }
        self.declaration.get_or_insert_with(|| HexError {
            character: line.rest(at).chars().next(),
            ..line.error(at, HexErrorKind::NoBytes)
        });
        Ok(())
    }

    fn close(&mut self, line: Line<'_>, at: usize, c: char, last: Last) -> Result<(), HexError> {
        let pair = |open: char| matches!((open, c), ('(', ')') | ('[', ']') | ('{', '}'));
        if !self.stack.last().is_some_and(|(open, _)| pair(*open)) || last == Last::Semicolon {
            return Err(line.misplaced(at));
        }
        self.stack.pop();
        if self.phase != Phase::Before {
            self.phase = Phase::After;
        }
        Ok(())
    }

    /// Checks the end of the message; returns its form.
    pub(super) fn finish(mut self) -> Result<Form, HexError> {
        if let Some((_, open)) = self.stack.pop() {
            return Err(open);
        }
        let strings = self.unescaped.filter(|_| !self.sure);
        if let Some(error) = self.number.or(strings) {
            return Err(error);
        }
        let nothing = || Line::start(1).error(0, HexErrorKind::NoBytes);
        self.form.ok_or_else(|| self.declaration.unwrap_or_else(nothing))
    }
}
