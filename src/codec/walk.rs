//! The one interpreter of the tables. Each direction defines what happens at a field: a [`Reader`]
//! reads it, a [`Writer`] writes it, a [`Sampler`] generates it.

use super::kinds::Ring;
use super::layout::{Count, Field, Kind, Len, Name, Order, Other, When, flag};
use super::{EncodeError, Reader, Sampler, Stop, Writer};

/// A direction in which tables are walked.
pub trait Wire {
    /// The reason why the walk ended early.
    type Stop;
    /// The state of an open group.
    type Group;
    /// The state of an open list.
    type List;

    /// Whether this field is present. Called only if its condition is not `Always`.
    fn present(&mut self, field: &'static Field) -> Result<bool, Self::Stop>;
    /// Walks a number, text or bytes.
    fn leaf(&mut self, field: &'static Field) -> Result<(), Self::Stop>;
    /// Walks a [`Kind::UInt`] or [`Kind::Tag`] that is always present. Most fields are, so they have a fast path.
    #[inline(always)]
    fn unsigned(&mut self, field: &'static Field, _bits: u8, _order: Order) -> Result<(), Self::Stop> {
        self.leaf(field)
    }
    /// Passes over a hidden [`Kind::Tag`] that nobody reads. Returns false if it has to be walked.
    #[inline(always)]
    fn skips(&mut self, _bits: u8) -> bool {
        false
    }
    /// Walks a [`Kind::Bytes`] that is always present and has no fields of its own. Most messages have such a payload,
    /// so it has a fast path, too. Saves about 40 of 2,330 instructions per message as ndjson (see `render`).
    #[inline(always)]
    fn opaque(&mut self, field: &'static Field, _len: Len) -> Result<(), Self::Stop> {
        self.leaf(field)
    }
    /// Walks a value known from earlier messages.
    fn derived(&mut self, field: &'static Field) -> Result<(), Self::Stop>;
    /// Begins a group.
    fn enter(&mut self, field: &'static Field) -> Result<Self::Group, Self::Stop>;
    /// Ends a group. `whole`: nothing in it ended the walk.
    fn leave(&mut self, field: &'static Field, group: Self::Group, whole: bool);
    /// Begins a level of a group that contains itself, before its group.
    fn nest(&mut self, field: &'static Field, ring: &'static Ring) -> Result<(), Self::Stop>;
    /// Ends the innermost such level.
    fn unnest(&mut self);
    /// Begins a list.
    fn begin(
        &mut self,
        field: &'static Field,
        count: &'static Count,
        of: &'static Field,
    ) -> Result<Self::List, Self::Stop>;
    /// Whether there is another element.
    fn more(&mut self, field: &'static Field, list: &mut Self::List) -> Result<bool, Self::Stop>;
    /// Ends a list. `whole`: it was walked to its end.
    fn finish(&mut self, field: &'static Field, list: Self::List, whole: bool) -> Result<(), Self::Stop>;
    /// Returns the value of an earlier referenced field.
    fn referenced(&self, name: &Name) -> Option<u64>;
    /// Returns the fields that the conversation's state or the user's schema has for this place.
    fn ask(&mut self, field: &'static Field, value: Option<u64>) -> Option<&'static [Field]>;
    /// Walks the payload's fields, from its schema.
    fn payload(&mut self, field: &'static Field, fields: &'static [Field]) -> Result<(), Self::Stop>;
    /// Ends the walk because the value has no layout, which is a fault.
    fn undefined(&mut self, field: &'static Field, what: &'static str) -> Self::Stop;
    /// Ends the walk although nothing is broken.
    fn unknown(&mut self) -> Self::Stop;
}

/// The codec of a field that the vocabulary cannot express.
pub trait Custom: Sync + std::fmt::Debug {
    /// Reads the field and appends its node.
    fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop>;
    /// Writes the field from [`Writer::input`].
    fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), super::writer::WriteStop>;
    /// Writes a random valid value.
    fn sample(&self, field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError>;
    /// One line for the documentation: the encoding on the wire.
    fn describe(&self) -> &'static str;
    /// Whether its text is converted, and has other bytes than the field.
    fn converts(&self) -> bool {
        false
    }
    /// A field of the vocabulary whose values are of the same kind as the codec's.
    fn like(&self) -> Option<&'static Field> {
        None
    }
    /// A field of the vocabulary that reads and writes the same bytes, or nearly so, if there is one. A file that
    /// describes the protocol uses it instead.
    fn word(&self) -> Option<&'static Field> {
        None
    }
}

/// Walks a list of fields.
#[inline]
pub fn walk<W: Wire>(fields: &'static [Field], wire: &mut W) -> Result<(), W::Stop> {
    for f in fields {
        match f.kind {
            Kind::Tag { bits, .. } if f.flags == flag::HIDDEN && matches!(f.when, When::Always) && wire.skips(bits) => {
            }
            Kind::UInt { bits, order } | Kind::Tag { bits, order, .. } if matches!(f.when, When::Always) => {
                wire.unsigned(f, bits, order)?;
            }
            Kind::Bytes { len } if matches!(f.when, When::Always) => {
                match if f.is(flag::PAYLOAD) { wire.ask(f, None) } else { None } {
                    Some(fields) => wire.payload(f, fields)?,
                    None => wire.opaque(f, len)?,
                }
            }
            _ => field(f, wire)?,
        }
    }
    Ok(())
}

/// Walks one field.
pub fn field<W: Wire>(f: &'static Field, wire: &mut W) -> Result<(), W::Stop> {
    if !matches!(f.when, When::Always) && !wire.present(f)? {
        return Ok(());
    }
    match &f.kind {
        Kind::Struct(fields) => {
            let group = wire.enter(f)?;
            let done = walk(fields, wire);
            wire.leave(f, group, done.is_ok());
            done
        }
        Kind::Ring { ring, .. } => {
            wire.nest(f, ring)?;
            let done = wire.enter(f).and_then(|group| {
                let done = walk(ring.fields(), wire);
                wire.leave(f, group, done.is_ok());
                done
            });
            wire.unnest();
            done
        }
        Kind::Inline(fields) => walk(fields, wire),
        Kind::Array { count, of } => {
            let mut list = wire.begin(f, count, of)?;
            let done = elements(f, of, &mut list, wire);
            let ended = wire.finish(f, list, done.is_ok());
            done.and(ended)
        }
        Kind::Switch { on, cases, other } => {
            let value = wire.referenced(on);
            match (cases.iter().find(|c| Some(c.value) == value), other) {
                (Some(case), _) => walk(case.fields, wire),
                (None, Other::Fields(fields)) => walk(fields, wire),
                (None, Other::Fault(what)) => Err(wire.undefined(f, what)),
                (None, Other::Ask) => match wire.ask(f, value) {
                    Some(fields) => walk(fields, wire),
                    None => Err(wire.unknown()),
                },
            }
        }
        Kind::Derived => wire.derived(f),
        _ if f.is(flag::PAYLOAD) => match wire.ask(f, None) {
            Some(fields) => wire.payload(f, fields),
            None => wire.leaf(f),
        },
        _ => wire.leaf(f),
    }
}

fn elements<W: Wire>(f: &'static Field, of: &'static Field, list: &mut W::List, wire: &mut W) -> Result<(), W::Stop> {
    while wire.more(f, list)? {
        field(of, wire)?;
    }
    Ok(())
}
