//! Dumps with an offset column: `xxd`, `hexdump -C`, `od -t x1`, `tcpdump -x`, Wireshark.
//!
//! The offsets are verified: each must be the number of bytes of the message so far.

use super::column::{self, Shape, Split};
use super::error::{HexError, HexErrorKind, Line, excerpt};
use super::offset::{Column, Offset};
use super::{Form, LineStep, push_room};

/// One message of a dump.
#[derive(Debug)]
pub(super) struct Dump {
    form: Form,
    /// The number of digits of the offset 0.
    digits: usize,
    /// The number bases in which all offsets so far were right.
    bases: Vec<u32>,
    /// The number of bytes of the previous line.
    width: usize,
    /// The line of a `*` whose end is not known yet.
    star: Option<usize>,
    group: Option<usize>,
    text: Option<bool>,
    /// Whether a text column has shown that the bytes of a group are in their original order.
    in_order: bool,
    first: usize,
}

impl Dump {
    /// A dump that starts at a line with this offset.
    pub(super) fn new(line: Line<'_>, offset: &Offset) -> Self {
        Self {
            form: offset.form(line),
            digits: offset.digits,
            bases: offset.bases(),
            width: 0,
            star: None,
            group: (offset.column == Column::Bare).then_some(2),
            text: None,
            in_order: false,
            first: line.number,
        }
    }

    /// The form.
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// The number of digits of its offsets, if only their column identifies them.
    pub(super) fn bare_digits(&self) -> Option<usize> {
        (self.form.column() == Column::Bare).then_some(self.digits)
    }

    /// Reads one line.
    pub(super) fn line(&mut self, line: Line<'_>, out: &mut Vec<u8>) -> Result<LineStep, HexError> {
        let due = out.len() as u64;
        if line.text.trim() == "*" {
            let at = line.text.find('*').unwrap_or(0);
            if self.width == 0 || self.star.is_some() {
                return Err(HexError::at(line, at, HexErrorKind::Star("before")));
            }
            self.star = Some(line.number);
            return Ok(LineStep::More);
        }
        let found = Offset::find(line);
        if due > 0 && found.is_some_and(|o| self.is_next(&o, line)) {
            return Ok(LineStep::Before);
        }
        let Some(offset) = found.filter(|o| o.column == self.form.column()) else {
            let at = line.text.len() - line.text.trim_start().len();
            let kind = HexErrorKind::OffsetDue { expected: due };
            let mut error = HexError::at(line, at, kind);
            error.character = line.text.trim_start().chars().next();
            return Err(error);
        };
        self.continues(line, &offset, out)?;
        let rest = line.text.get(offset.end..).unwrap_or_default();
        if rest.trim().is_empty() {
            // hexdump and od end with the length on a line of its own.
            return if self.width > 0 && offset.column == Column::Bare {
                Ok(LineStep::Done)
            } else {
                Err(line.stray(line.text.len()))
            };
        }
        let shape = Shape { group: self.group, mid_gap: offset.column == Column::Bare, text: self.text };
        let split = column::split(line, offset.end, shape, out)?;
        self.order(&split, out);
        self.width = split.bytes;
        self.group = Some(split.group);
        // A line of blanks has an invisible text column, so it proves nothing.
        if split.text.is_some() {
            self.text = Some(true);
        } else if out.iter().rev().take(split.bytes).any(|b| *b != b' ') {
            self.text.get_or_insert(false);
        }
        Ok(LineStep::More)
    }

    /// Whether a line with this offset begins the next message.
    fn is_next(&self, offset: &Offset, line: Line<'_>) -> bool {
        // A zero with a different number of digits from the first offset is a broken offset.
        let alike = offset.column != self.form.column() || offset.digits == self.digits;
        let rest = line.text.get(offset.end..).unwrap_or_default();
        alike && offset.is_zero(line) && !rest.trim().is_empty() && matches!(Offset::first(line), Ok(Some(_)))
    }

    /// Checks a line's offset against the bytes so far, and expands a `*` before it.
    fn continues(&mut self, line: Line<'_>, offset: &Offset, out: &mut Vec<u8>) -> Result<(), HexError> {
        let due = out.len() as u64;
        let written = offset.text(line);
        let width = self.width as u64;
        let star = self.star.take().is_some();
        let gap = |base: u32| {
            let gap = u64::from_str_radix(written, base).ok()?.checked_sub(due)?;
            if star { (gap > 0 && gap.checked_rem(width)? == 0).then_some(gap) } else { (gap == 0).then_some(0) }
        };
        let mut gaps: Vec<u64> = self.bases.iter().filter_map(|b| gap(*b)).collect();
        gaps.dedup();
        self.bases.retain(|b| gap(*b).is_some());
        let kind = match (gaps.as_slice(), due) {
            ([0], _) => return Ok(()),
            (&[gap], _) => {
                let missing = usize::try_from(gap).unwrap_or(usize::MAX);
                push_room(line, offset.start, out.len(), missing)?;
                let from = out.len() - self.width;
                for _ in 0..missing / self.width {
                    out.extend_from_within(from..from + self.width);
                }
                return Ok(());
            }
            ([], 0) => HexErrorKind::NotAtZero(excerpt(written)),
            ([], _) => HexErrorKind::Gap { found: excerpt(written), expected: due },
            _ => HexErrorKind::StarBase(excerpt(written)),
        };
        Err(HexError::at(line, offset.start, kind))
    }

    /// Records whether the text column proves the order of bytes in the groups.
    fn order(&mut self, split: &Split<'_>, out: &[u8]) {
        let got = out.get(out.len() - split.bytes..).unwrap_or_default();
        let size = split.group / 2;
        if let Some(text) = split.text
            && got.len() >= size
            && size > 0
        {
            let turned: Vec<u8> = got.chunks(size).flat_map(|c| c.iter().rev().copied()).collect();
            self.in_order |= column::text_matches(&turned, text).is_err();
        }
    }

    /// Checks the message at its end.
    pub(super) fn finish(&self, line: Line<'_>, out: &[u8]) -> Result<(), HexError> {
        let place = |number| Line { number, text: "" };
        if let Some(number) = self.star {
            return Err(HexError::at(place(number), 0, HexErrorKind::Star("after")));
        }
        // xxd -e takes groups of 2, 4 or 8 bytes; its default is 4.
        if let Some(group @ (8 | 16)) = self.group
            && self.form == Form::Xxd
            && !self.in_order
            && out.chunks(group / 2).any(|c| c.iter().ne(c.iter().rev()))
        {
            let kind = HexErrorKind::GroupOrder(group);
            return Err(HexError::at(place(self.first), 0, kind));
        }
        if out.is_empty() {
            return Err(HexError::at(line, 0, HexErrorKind::NoBytes));
        }
        Ok(())
    }
}
