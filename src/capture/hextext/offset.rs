//! The offset column: its notations, and the lines that start a dump.

use super::Form;
use super::column::is_wide_gap;
use super::digits::digits;
use super::error::{HexError, HexErrorKind, Line, excerpt};

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

impl Form {
    /// The notation of the form's offsets; forms without offsets count as bare.
    pub(super) fn column(self) -> Column {
        match self {
            Self::Xxd => Column::Colon,
            Self::Tcpdump => Column::ZeroX,
            _ => Column::Bare,
        }
    }
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
        let text = line.text;
        let blank = text.len() - text.trim_start_matches([' ', '\t']).len();
        let zero_x = text.get(blank..)?.starts_with("0x");
        let start = if zero_x { blank + 2 } else { blank };
        let digits = digits(text.get(start..)?);
        let after = text.get(start + digits..)?;
        let colon = after.strip_prefix(':');
        let ends = colon.unwrap_or(after);
        let column = match (zero_x, colon) {
            (true, Some(_)) => Column::ZeroX,
            (false, Some(_)) => Column::Colon,
            (false, None) => Column::Bare,
            (true, None) => return None,
        };
        if !(4..=16).contains(&digits) || !(ends.is_empty() || ends.starts_with([' ', '\t'])) {
            return None;
        }
        Some(Self { column, start, digits, end: text.len() - ends.len() })
    }

    /// Finds the offset of a message's first line. Bare digits count as an offset only if nothing else is possible; an
    /// ambiguous line is rejected.
    pub(super) fn first(line: Line<'_>) -> Result<Option<Self>, HexError> {
        let Some(offset) = Self::find(line) else { return Ok(None) };
        if offset.column != Column::Bare {
            return Ok(Some(offset));
        }
        let text = line.text;
        let rest = text.get(offset.end..).unwrap_or_default().trim_start();
        let token = digits(rest);
        // A single token is data: an offset is followed by something.
        if token == 0 {
            return Ok(None);
        }
        let wide = is_wide_gap(text, offset.end);
        let more = rest.get(token..).is_some_and(|t| !t.trim().is_empty());
        let kind = if offset.digits == 7 {
            // od -t u1 and -t d1 print wide columns of decimals.
            if token == 2 && !wide && offset.is_zero(line) {
                return Ok(Some(offset));
            }
            HexErrorKind::Words
        } else if !offset.is_zero(line) {
            return Ok(None);
        } else if token == 2 && (wide || more) {
            return Ok(Some(offset));
        } else {
            HexErrorKind::OffsetOrData
        };
        let shown = excerpt(text.get(offset.start..).unwrap_or_default().trim_end());
        Err(HexError::at(line, offset.start, kind(shown)))
    }

    /// The offset's digits.
    pub(super) fn text<'a>(&self, line: Line<'a>) -> &'a str {
        let range = self.start..self.start + self.digits;
        line.text.get(range).unwrap_or_default()
    }

    /// Whether the offset is 0, in every base.
    pub(super) fn is_zero(&self, line: Line<'_>) -> bool {
        self.text(line).bytes().all(|b| b == b'0')
    }

    /// The form of a dump whose first line has this offset.
    pub(super) fn form(&self, line: Line<'_>) -> Form {
        match (self.column, self.digits) {
            (Column::Colon, _) => Form::Xxd,
            (Column::ZeroX, _) => Form::Tcpdump,
            (Column::Bare, 4 | 5) => Form::Wireshark,
            (Column::Bare, _) if line.text.trim_end().ends_with('|') => Form::Hexdump,
            (Column::Bare, _) => Form::Od,
        }
    }

    /// The number bases of the form's offsets: xxd -d prints decimal offsets, od octal ones by default.
    pub(super) fn bases(&self) -> Vec<u32> {
        match (self.column, self.digits) {
            (Column::Colon, _) => vec![16, 10],
            (Column::Bare, 7) => vec![8, 16, 10],
            _ => vec![16],
        }
    }
}
