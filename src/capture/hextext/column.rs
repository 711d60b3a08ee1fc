//! One line of a dump after its offset: the bytes and the text column.
//!
//! The text column can look like bytes (`61 62 63 64  abcd`). It is recognised by its content: each
//! position at which it could begin is tried, and accepted only if the text spells exactly the
//! bytes before it.

use super::MAX_COLUMNS;
use super::error::{HexError, HexErrorKind, excerpt};
use super::line::Line;

/// The layout of a dump's lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The number of digits in a group, if known from earlier lines.
    pub group: Option<usize>,
    /// Whether the form has a wider gap after the eighth byte.
    pub mid_gap: bool,
    /// Whether earlier lines had a text column.
    pub text: Option<bool>,
}

/// A position at which the text column could begin.
#[derive(Clone, Copy, Debug, Default)]
struct Cut {
    /// The number of bytes before it.
    bytes: usize,
    /// Its position in the line.
    at: usize,
}

impl Shape {
    /// Appends the bytes that begin at byte `from` of the line. Returns the text column, if there is one.
    pub(super) fn split<'a>(
        &mut self,
        line: Line<'a>,
        from: usize,
        out: &mut Vec<u8>,
    ) -> Result<Option<&'a str>, HexError> {
        let line = Line { text: line.text.trim_end(), ..line };
        let start = out.len();
        let mut cuts = Vec::new();
        let ended = self.groups(line, line.skip_blank(from), &mut cuts, out);
        let whole = matches!(ended, Ok(end) if line.rest(end).is_empty());
        let got = out.get(start..).unwrap_or_default();
        let differs = |cut: &Cut| mismatch(got.get(..cut.bytes).unwrap_or_default(), line.rest(cut.at));
        let mut found = cuts.iter().filter(|cut| differs(cut).is_none());
        let last = cuts.last().copied().unwrap_or_default();
        match (found.next(), ended) {
            (Some(cut), _) if whole && self.text.is_none() || found.next().is_some() => {
                Err(line.error(cut.at, HexErrorKind::TextOrData(excerpt(line.rest(cut.at)))))
            }
            (Some(cut), _) if !(whole && self.text == Some(false)) => {
                out.truncate(start + cut.bytes);
                Ok(Some(line.rest(cut.at)))
            }
            _ if whole => Ok(None),
            // If digits after the last gap were read before the error, it was not a text column.
            (_, Err(error)) if error.column > line.column(last.at) => Err(error),
            _ => differs(&last).map_or(Ok(None), |(skip, kind)| Err(line.error(last.at + skip, kind))),
        }
    }

    /// Appends the groups of digits from byte `at` on, up to the gap that ends them, and adds the positions of the gaps
    /// to `cuts`. Returns the position of the end.
    fn groups(
        &mut self,
        line: Line<'_>,
        mut at: usize,
        cuts: &mut Vec<Cut>,
        out: &mut Vec<u8>,
    ) -> Result<usize, HexError> {
        let start = out.len();
        while at < line.text.len() {
            let bytes = out.len() - start;
            if bytes > 0 && (line.is_wide_gap(at) || line.rest(at).starts_with(['|', '>'])) {
                cuts.push(Cut { bytes, at });
                if !(self.mid_gap && bytes == 8) {
                    break;
                }
            }
            let token = line.digits(at);
            let end = at + token.len();
            if token.is_empty() || !line.rest(end).is_empty() && !line.rest(end).starts_with([' ', '\t', '|', '>']) {
                return Err(line.stray(end));
            }
            let width = *self.group.get_or_insert(token.len());
            // Only the last group may be short, and only where groups have several bytes.
            let follows_short = !(bytes * 2).is_multiple_of(width);
            if follows_short || token.len() > width || (token.len() < width && self.mid_gap) {
                return Err(line.error(at, HexErrorKind::Uneven(excerpt(token))));
            }
            if bytes + token.len() / 2 > MAX_COLUMNS {
                return Err(line.error(at, HexErrorKind::WideDump));
            }
            line.push_digits(at, token, out)?;
            at = line.skip_blank(end);
        }
        Ok(at)
    }
}

/// The first difference between the bytes and a dump's text column for them: its position in the text, and the error.
/// The text column is `|....|`, `>....<`, bare, or has a blank in its middle.
pub(super) fn mismatch(bytes: &[u8], text: &str) -> Option<(usize, HexErrorKind)> {
    if bytes.len() > MAX_COLUMNS {
        return Some((0, HexErrorKind::WideDump));
    }
    let text = text.trim_end();
    let framed =
        text.strip_prefix('|').and_then(|t| t.strip_suffix('|')).or_else(|| text.strip_prefix('>')?.strip_suffix('<'));
    let (inner, frame) = framed.map_or((text, 0), |inner| (inner, 1));
    // Wireshark's streams have a blank after the eighth character.
    let middle = text.char_indices().nth(8).filter(|(_, c)| *c == ' ');
    let joined = middle.map(|(at, _)| [&text[..at], &text[at + 1..]].concat());
    // Blanks at the start of the text column are indistinguishable from those before it.
    let blanks = bytes.iter().take_while(|b| **b == b' ').count();
    let fits = (0..=blanks).any(|n| spells(bytes.get(n..).unwrap_or_default(), text).is_ok())
        || joined.is_some_and(|text| spells(bytes, &text).is_ok());
    let length = || (0, HexErrorKind::TextLength(excerpt(text)));
    match spells(bytes, inner) {
        Err(other) if !fits => Some(other.map_or_else(length, |(skip, kind)| (skip + frame, kind))),
        _ => None,
    }
}

/// Compares byte by byte. Trailing blanks may be missing: copying loses them.
/// The error is the first other character with its position, or `None` for a text that is longer or shorter.
fn spells(bytes: &[u8], text: &str) -> Result<(), Option<(usize, HexErrorKind)>> {
    let mut chars = text.char_indices();
    for &byte in bytes {
        match (chars.next(), byte) {
            (None | Some((_, ' ' | '.')), b' ') => {}
            (None, _) => return Err(None),
            (Some((_, found)), 0x21..=0x7e) if found == char::from(byte) => {}
            // Other locales print letters for bytes from 0x80 on; some tools print a middle dot.
            (Some((_, found)), ..=0x1f | 0x7f..) if found == '.' || !found.is_ascii() => {}
            (Some((skip, found)), _) => return Err(Some((skip, HexErrorKind::TextColumn { found, byte }))),
        }
    }
    chars.next().map_or(Ok(()), |_| Err(None))
}
