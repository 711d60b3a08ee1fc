//! One line of a dump after its offset: the bytes and the text column.
//!
//! The text column can look like bytes (`61 62 63 64  abcd`). It is recognised by its content: each
//! position at which it could begin is tried, and accepted only if the text spells exactly the
//! bytes before it.

use super::error::{HexError, HexErrorKind, Line, excerpt};
use super::{MAX_COLUMNS, digits};

/// The layout of a form's lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The number of digits in a group, if known from earlier lines.
    pub group: Option<usize>,
    /// Whether the form has a wider gap after the eighth byte.
    pub mid_gap: bool,
    /// Whether earlier lines had a text column.
    pub text: Option<bool>,
}

/// The parts of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split<'a> {
    /// The number of bytes appended.
    pub bytes: usize,
    /// The number of digits in a group.
    pub group: usize,
    /// The text column, if there is one.
    pub text: Option<&'a str>,
}

/// Appends the bytes that begin at byte `from` of the line.
pub(super) fn split<'a>(line: Line<'a>, from: usize, shape: Shape, out: &mut Vec<u8>) -> Result<Split<'a>, HexError> {
    let start = out.len();
    let end = line.text.trim_end().len();
    let text = line.text.get(..end).unwrap_or_default();
    let mut at = skip_blank(text, from);
    let mut group = shape.group;
    // Candidates for the start of the text column: the bytes before it, and its position in the line.
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    let mut refused = None;
    let mut short = false;
    while at < end {
        let bytes = out.len() - start;
        if bytes > 0 && (is_wide_gap(text, at) || text[at..].starts_with(['|', '>'])) {
            cuts.push((bytes, at));
            // A gap ends the bytes, except after the eighth byte.
            if !(shape.mid_gap && bytes == 8) {
                refused = Some(None);
                break;
            }
        }
        let length = digits::digits(&text[at..]);
        let token = &text[at..at + length];
        let next = text[at + length..].chars().next();
        if length == 0 || next.is_some_and(|c| !matches!(c, ' ' | '\t' | '|' | '>')) {
            refused = Some(Some((at + length, line.stray(at + length))));
            break;
        }
        let width = *group.get_or_insert(length);
        if short || length > width || (length < width && shape.mid_gap) {
            let kind = HexErrorKind::Uneven(excerpt(token));
            refused = Some(Some((at, HexError::at(line, at, kind))));
            break;
        }
        short = length < width;
        if bytes + length / 2 > MAX_COLUMNS {
            refused = Some(Some((at, HexError::at(line, at, HexErrorKind::WideDump))));
            break;
        }
        if let Err(odd) = digits::push_digits(line, at, token, out) {
            refused = Some(Some((at, odd)));
            break;
        }
        at = skip_blank(text, at + length);
    }
    let group = group.unwrap_or(2);
    let got = out.get(start..).unwrap_or_default();
    let spelled = |&(bytes, at): &(usize, usize)| text_matches(got.get(..bytes).unwrap_or_default(), &text[at..]);
    let mut found = cuts.iter().filter(|cut| spelled(cut).is_ok());
    let cut = found.next().copied();
    let whole = refused.is_none();
    match cut {
        Some((_, at)) if whole && shape.text.is_none() || found.next().is_some() => {
            Err(HexError::at(line, at, HexErrorKind::TextOrData(excerpt(&text[at..]))))
        }
        Some((bytes, at)) if !(whole && shape.text == Some(false)) => {
            out.truncate(start + bytes);
            Ok(Split { bytes, group, text: Some(&text[at..]) })
        }
        _ if whole => Ok(Split { bytes: got.len(), group, text: None }),
        _ => Err(match (refused.flatten(), cuts.last()) {
            (Some((_, error)), None) => error,
            // The digits after the last gap were read before the error: it was not a text column.
            (Some((at, error)), Some(cut)) if at > cut.1 => error,
            (_, Some(cut)) => match spelled(cut) {
                Err(Mismatch::At { found, byte, skip }) => {
                    let kind = HexErrorKind::TextColumn { found, byte };
                    HexError::at(line, cut.1 + skip, kind)
                }
                _ => HexError::at(line, cut.1, HexErrorKind::TextLength(excerpt(&text[cut.1..]))),
            },
            (None, None) => line.stray(at),
        }),
    }
}

/// The position of the next token.
fn skip_blank(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    text.len() - rest.trim_start_matches([' ', '\t']).len()
}

/// Whether there are two blanks or a tab around byte `at`.
pub(super) fn is_wide_gap(text: &str, at: usize) -> bool {
    let blank = |b: &u8| matches!(b, b' ' | b'\t');
    let bytes = text.as_bytes();
    let before = bytes.get(..at).unwrap_or_default();
    let after = bytes.get(at..).unwrap_or_default();
    let around = before.iter().rev().take_while(|b| blank(b));
    let mut around = around.chain(after.iter().take_while(|b| blank(b)));
    matches!((around.next(), around.next()), (Some(_), Some(_)) | (Some(b'\t'), None))
}

/// The ways in which a text column differs from the bytes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mismatch {
    /// Another character for a byte, `skip` bytes into the text.
    At { found: char, byte: u8, skip: usize },
    /// Longer or shorter.
    Length,
}

/// Checks whether the text is a dump's text column for the bytes: `|....|`, `>....<`, bare, or with a blank in its
/// middle.
pub(super) fn text_matches(bytes: &[u8], text: &str) -> Result<(), Mismatch> {
    if bytes.is_empty() || bytes.len() > MAX_COLUMNS {
        return Err(Mismatch::Length);
    }
    let text = text.trim_end();
    let framed =
        text.strip_prefix('|').and_then(|t| t.strip_suffix('|')).or_else(|| text.strip_prefix('>')?.strip_suffix('<'));
    let inner = framed.map(|inner| spells(bytes, inner));
    let first = spells(bytes, text);
    // Blanks at the start of the text column are indistinguishable from those before it.
    let blanks = bytes.iter().take_while(|b| **b == b' ').count();
    let fits = first.is_ok()
        || matches!(inner, Some(Ok(())))
        || (1..=blanks).any(|n| spells(bytes.get(n..).unwrap_or_default(), text).is_ok())
        || halves(bytes, text);
    match (fits, inner) {
        (true, _) => Ok(()),
        (false, Some(Err(Mismatch::At { found, byte, skip }))) => Err(Mismatch::At { found, byte, skip: skip + 1 }),
        (false, Some(error)) => error,
        (false, None) => first,
    }
}

/// Whether the text is a text column with a blank after the eighth character, as in Wireshark's streams.
fn halves(bytes: &[u8], text: &str) -> bool {
    let Some((left, right)) = bytes.split_at_checked(8) else { return false };
    let Some((middle, _)) = text.char_indices().nth(8) else { return false };
    let (text_left, text_right) = text.split_at(middle);
    !right.is_empty()
        && spells(left, text_left).is_ok()
        && text_right.strip_prefix(' ').is_some_and(|t| spells(right, t).is_ok())
}

/// Compares byte by byte. Trailing blanks may be missing: copying loses them.
fn spells(bytes: &[u8], text: &str) -> Result<(), Mismatch> {
    let mut chars = text.char_indices();
    for &byte in bytes {
        let Some((skip, found)) = chars.next() else {
            if byte == b' ' {
                continue;
            }
            return Err(Mismatch::Length);
        };
        let right = match byte {
            0x21..=0x7e => found == char::from(byte),
            b' ' => found == ' ' || found == '.',
            // Other locales print letters for bytes from 0x80 on; some tools print a middle dot.
            _ => found == '.' || !found.is_ascii(),
        };
        if !right {
            return Err(Mismatch::At { found, byte, skip });
        }
    }
    match chars.next() {
        None => Ok(()),
        Some(_) => Err(Mismatch::Length),
    }
}
