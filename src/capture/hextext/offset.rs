//! The offset column: its notations, and the lines that start a dump.

use super::Form;
use super::error::{HexError, HexErrorKind, excerpt};
use super::line::{BLANK, Line};

/// The notation of the offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// `00000000:`, as xxd does.
    Colon,
    /// `0x0000:`, as tcpdump does.
    ZeroX,
    /// `00000000`, as hexdump, od and Wireshark do.
    Bare,
}

/// A possible offset of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offset {
    /// Its notation.
    pub column: Column,
    /// The position of its digits.
    pub start: usize,
    /// The number of its digits.
    pub digits: usize,
    /// The position after it.
    pub end: usize,
}

impl Offset {
    /// Finds the offset at the start of the line, by its notation alone.
    pub(super) fn find(line: Line<'_>) -> Option<Self> {
        let blank = line.skip_blank(0);
        let zero_x = line.rest(blank).starts_with("0x");
        let start = if zero_x { blank + 2 } else { blank };
        let digits = line.digits(start).len();
        let colon = line.rest(start + digits).starts_with(':');
        let end = start + digits + usize::from(colon);
        let column = match (zero_x, colon) {
            (true, true) => Column::ZeroX,
            (false, true) => Column::Colon,
            (false, false) => Column::Bare,
            (true, false) => return None,
        };
        let ends = line.rest(end).is_empty() || line.rest(end).starts_with(BLANK);
        (ends && (4..=16).contains(&digits)).then_some(Self { column, start, digits, end })
    }

    /// Finds the offset of a message's first line. Bare digits count as an offset only if nothing else is possible; an
    /// ambiguous line is rejected.
    pub(super) fn first(line: Line<'_>) -> Result<Option<Self>, HexError> {
        let Some(offset) = Self::find(line) else { return Ok(None) };
        if offset.column != Column::Bare {
            return Ok(Some(offset));
        }
        let next = line.text.len() - line.rest(offset.end).trim_start().len();
        let token = line.digits(next).len();
        // A single token is data: an offset is followed by something.
        if token == 0 {
            return Ok(None);
        }
        let wide = line.is_wide_gap(offset.end);
        let more = !line.rest(next + token).trim().is_empty();
        let kind = match (offset.digits, offset.is_zero(line)) {
            (7, true) if token == 2 && !wide => return Ok(Some(offset)),
            // od -t u1 and -t d1 print wide columns of decimals.
            (7, _) => HexErrorKind::Words,
            (_, false) => return Ok(None),
            (_, true) if token == 2 && (wide || more) => return Ok(Some(offset)),
            (_, true) => HexErrorKind::OffsetOrData,
        };
        Err(line.error(offset.start, kind(excerpt(line.rest(offset.start).trim_end()))))
    }

    /// The offset's digits.
    pub(super) fn text<'a>(&self, line: Line<'a>) -> &'a str {
        line.digits(self.start)
    }

    /// Whether the offset is 0, in every base.
    pub(super) fn is_zero(&self, line: Line<'_>) -> bool {
        self.text(line).bytes().all(|b| b == b'0')
    }

    /// The form of a dump whose first line has this offset, and the number bases of its offsets: xxd -d prints decimal
    /// offsets, od octal ones by default.
    pub(super) fn form(&self, line: Line<'_>) -> (Form, &'static [u32]) {
        match (self.column, self.digits) {
            (Column::Colon, _) => (Form::Xxd, &[16, 10]),
            (Column::ZeroX, _) => (Form::Tcpdump, &[16]),
            (Column::Bare, 4 | 5) => (Form::Wireshark, &[16]),
            (Column::Bare, digits) => {
                let framed = line.text.trim_end().ends_with('|');
                let bases: &[u32] = if digits == 7 { &[8, 16, 10] } else { &[16] };
                (if framed { Form::Hexdump } else { Form::Od }, bases)
            }
        }
    }
}
