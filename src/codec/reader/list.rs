//! Reads lists, and finds their end.

use super::Reader;
use crate::codec::fault::{Fault, Reason, Stop};
use crate::codec::layout::{Count, Field, Kind, Len, When};

/// Returns the minimal size of a field in bits, such as an element of a list.
pub(in crate::codec) fn least_bits(field: &Field) -> u64 {
    match (&field.when, &field.kind) {
        (
            When::Always,
            Kind::UInt { bits, .. }
            | Kind::Int { bits, .. }
            | Kind::Float { bits, .. }
            | Kind::Bool { bits }
            | Kind::Tag { bits, .. },
        ) => *bits as u64,
        (When::Always, Kind::Struct(fields) | Kind::Inline(fields)) => {
            fields.iter().map(least_bits).fold(0, u64::saturating_add)
        }
        (When::Always, Kind::VarInt { .. }) => 8,
        (When::Always, Kind::Text { len, .. } | Kind::Bytes { len }) => match len {
            Len::Const(n) | Len::Padded(n) => *n as u64 * 8,
            Len::Bits(n) => *n as u64,
            Len::Prefix(prefix) => least_bits(prefix),
            Len::Until(_) => 8,
            Len::Field(_) | Len::Through(_) | Len::Rest => 0,
        },
        (When::Always, Kind::Array { count, of }) => match count {
            Count::Const(n) => (*n as u64).saturating_mul(least_bits(of)),
            Count::Prefix(prefix) => least_bits(prefix),
            Count::Until(_) => 8,
            Count::While(_) => least_bits(of),
            Count::Field(_) | Count::UntilOrEnd(_) | Count::Rest => 0,
        },
        _ => 0,
    }
}

/// An open list.
pub struct List {
    /// The position of its count, in bits and in nodes; its own position if it has none.
    pub start: (u32, usize),
    pub node: usize,
    /// The node of the hidden count that precedes it.
    pub count_node: Option<usize>,
    pub left: Remaining,
    pub last_at: u32,
    pub started: bool,
    /// The field of an element.
    pub of: &'static Field,
    /// The length of the scope before the list.
    pub scope: usize,
    /// The mark that ended it, if nothing follows the mark.
    pub mark: Option<&'static Field>,
}

/// The rest of a list: the number of elements, or the condition that ends it.
pub enum Remaining {
    Elements(u64),
    Until(u8),
    UntilOrEnd(&'static Field),
    While(&'static When),
    Rest,
}

impl Reader<'_> {
    /// Whether there is another element.
    #[inline]
    pub(super) fn more_of(&mut self, field: &'static Field, list: &mut List) -> Result<bool, Stop> {
        self.room(field)?;
        match &mut list.left {
            Remaining::Elements(0) => Ok(false),
            // Elements that take no bits would let a count alone drive the loop.
            Remaining::Elements(n) if list.started && self.at == list.last_at && *n > 1 => {
                let have = (self.end - self.at) as u64;
                Err(self.broken(field, Fault::new(Reason::Count, self.at, 0, have)))
            }
            Remaining::Elements(n) => {
                *n -= 1;
                (list.started, list.last_at) = (true, self.at);
                Ok(true)
            }
            Remaining::Until(stop) => match self.peek(8) {
                None => Err(self.short(field, self.at, 8, format!("the list ends with {stop:#04x}"))),
                Some(byte) if byte == *stop as u64 => {
                    self.at += 8;
                    Ok(false)
                }
                // Elements without bits never reach the end byte.
                Some(_) if list.started && self.at == list.last_at => {
                    Err(self.broken(field, Fault::new(Reason::Count, self.at, 0, (self.end - self.at) as u64)))
                }
                Some(_) => {
                    (list.started, list.last_at) = (true, self.at);
                    Ok(true)
                }
            },
            Remaining::UntilOrEnd(_) if self.at >= self.end && !self.is_cut() => Ok(false),
            Remaining::UntilOrEnd(mark) if self.peek(8) == mark.default.map(|mark| mark as u64) => {
                self.at += 8;
                list.mark = (self.at >= self.end).then_some(*mark);
                Ok(false)
            }
            Remaining::While(when) if list.started => {
                let more = self.holds(when);
                self.tree.scope.truncate(list.scope);
                match more && self.at == list.last_at {
                    true => Err(self.broken(field, Fault::new(Reason::Count, self.at, 0, (self.end - self.at) as u64))),
                    false => {
                        list.last_at = self.at;
                        Ok(more)
                    }
                }
            }
            Remaining::UntilOrEnd(_) if list.started && self.at == list.last_at => {
                Err(self.broken(field, Fault::new(Reason::Count, self.at, 0, (self.end - self.at) as u64)))
            }
            Remaining::UntilOrEnd(_) | Remaining::While(_) => {
                (list.started, list.last_at) = (true, self.at);
                Ok(true)
            }
            // What the capture cut off may be an element.
            Remaining::Rest if self.at >= self.end && self.is_cut() => {
                Err(self.short(field, self.at, 8, String::new()))
            }
            // Padding of the last byte is not an element.
            Remaining::Rest
                if !self.is_cut()
                    && matches!(self.end - self.at, 1..8)
                    && least_bits(list.of) > (self.end - self.at) as u64 =>
            {
                Ok(false)
            }
            Remaining::Rest => Ok(self.end > self.at && !(list.started && self.at == list.last_at)).inspect(|_| {
                (list.started, list.last_at) = (true, self.at);
            }),
        }
    }
}
