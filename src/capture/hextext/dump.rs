//! Dumps with an offset column: `xxd`, `hexdump -C`, `od -t x1`, `tcpdump -x`, Wireshark.
//!
//! The offsets are verified: each must be the number of bytes of the message so far.

use super::column::{Shape, mismatch};
use super::error::{HexError, HexErrorKind, excerpt};
use super::line::Line;
use super::offset::{Column, Offset};
use super::{Form, LineStep};

/// One message of a dump.
#[derive(Debug)]
pub(super) struct Dump {
    pub form: Form,
    /// The offset 0.
    pub offset: Offset,
    shape: Shape,
    /// The number bases in which all offsets so far were right.
    bases: Vec<u32>,
    /// The number of bytes of the previous line.
    width: usize,
    /// The line of a `*` whose end is not known yet.
    star: Option<usize>,
    /// Whether a text column has shown that the bytes of a group are in their original order.
    in_order: bool,
    first: usize,
}

impl Dump {
    /// A dump that starts at a line with this offset.
    pub(super) fn new(line: Line<'_>, offset: Offset) -> Self {
        let (form, bases) = offset.form(line);
        let bare = offset.column == Column::Bare;
        let shape = Shape { group: bare.then_some(2), mid_gap: bare, text: None };
        Self { form, offset, shape, bases: bases.into(), width: 0, star: None, in_order: false, first: line.number }
    }

    /// Reads one line.
    pub(super) fn line(&mut self, line: Line<'_>, out: &mut Vec<u8>) -> Result<LineStep, HexError> {
        let due = out.len();
        if line.text.trim() == "*" {
            if self.width == 0 || self.star.is_some() {
                return Err(line.error(line.indent(), HexErrorKind::Star("before")));
            }
            self.star = Some(line.number);
            return Ok(LineStep::More);
        }
        let found = Offset::find(line);
        if due > 0 && found.is_some_and(|offset| self.is_next(&offset, line)) {
            return Ok(LineStep::Before);
        }
        let Some(offset) = found.filter(|offset| offset.column == self.offset.column) else {
            let error = line.error(line.indent(), HexErrorKind::OffsetDue { expected: due as u64 });
            return Err(HexError { character: line.text.trim_start().chars().next(), ..error });
        };
        self.continues(line, &offset, out)?;
        if line.rest(offset.end).trim().is_empty() {
            // hexdump and od end with the length on a line of its own.
            return if self.width > 0 && offset.column == Column::Bare {
                Ok(LineStep::Done)
            } else {
                Err(line.stray(line.text.len()))
            };
        }
        let start = out.len();
        let text = self.shape.split(line, offset.end, out)?;
        let got = out.get(start..).unwrap_or_default();
        self.width = got.len();
        let size = self.shape.group.unwrap_or(2) / 2;
        if let Some(text) = text {
            self.shape.text = Some(true);
            if (1..=got.len()).contains(&size) {
                let turned: Vec<u8> = got.chunks(size).flat_map(|c| c.iter().rev().copied()).collect();
                self.in_order |= mismatch(&turned, text).is_some();
            }
        } else if got.iter().any(|b| *b != b' ') {
            // A line of blanks has an invisible text column, so it proves nothing.
            self.shape.text.get_or_insert(false);
        }
        Ok(LineStep::More)
    }

    /// Whether a line with this offset begins the next message.
    fn is_next(&self, offset: &Offset, line: Line<'_>) -> bool {
        // A zero with a different number of digits from the first offset is a broken offset.
        let alike = offset.column != self.offset.column || offset.digits == self.offset.digits;
        let more = !line.rest(offset.end).trim().is_empty();
        alike && offset.is_zero(line) && more && matches!(Offset::first(line), Ok(Some(_)))
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
                line.push_room(offset.start, out.len(), missing)?;
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
        Err(line.error(offset.start, kind))
    }

    /// Checks the message at its end.
    pub(super) fn finish(&self, out: &[u8]) -> Result<(), HexError> {
        if let Some(number) = self.star {
            return Err(Line::start(number).error(0, HexErrorKind::Star("after")));
        }
        // xxd -e takes groups of 2, 4 or 8 bytes; its default is 4.
        if let Some(group @ (8 | 16)) = self.shape.group
            && self.form == Form::Xxd
            && !self.in_order
            && out.chunks(group / 2).any(|c| c.iter().ne(c.iter().rev()))
        {
            return Err(Line::start(self.first).error(0, HexErrorKind::GroupOrder(group)));
        }
        Ok(())
    }
}
