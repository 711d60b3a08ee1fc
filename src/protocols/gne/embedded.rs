//! A packet within a packet: the same fields as on the top level, or the single byte 255 for none.
//!
//! Every byte of a frame can open one more level. Levels are kept on an explicit stack, not on the thread's: 512 levels
//! would need megabytes there in a build without optimisation.

use super::layout::{CASES, END, PACKET};
use crate::codec::layout::{Field, Kind, Name, Order, When};
use crate::codec::walk::{self, Custom, Wire};
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Fault, Reader, Reason, Sampler, Stop, Value, Writer};

/// The deepest nesting of packets. Each level takes a byte of a frame of at most 512.
pub const LEVELS: usize = 512;

/// The codec.
#[derive(Debug)]
pub struct Embedded;

/// A direction (reading, writing, sampling) in which the embedded packet may be absent.
trait Optional: Wire {
    /// Whether there is a packet.
    fn packet(&mut self, field: &'static Field) -> Result<bool, Self::Stop>;
}

/// An open packet: its field, its group and its remaining fields.
struct Level<G> {
    field: &'static Field,
    group: G,
    rest: &'static [Field],
}

/// The open packets. The first needs no allocation.
struct Levels<G> {
    first: Option<Level<G>>,
    more: Vec<Level<G>>,
}

impl<G> Levels<G> {
    fn push(&mut self, level: Level<G>) {
        match self.first {
            None => self.first = Some(level),
            Some(_) => self.more.push(level),
        }
    }

    fn last(&mut self) -> Option<&mut Level<G>> {
        self.more.last_mut().or(self.first.as_mut())
    }

    fn pop(&mut self) -> Option<Level<G>> {
        self.more.pop().or_else(|| self.first.take())
    }
}

/// Walks an embedded packet and all packets within it.
fn embedded<W: Optional>(field: &'static Field, wire: &mut W) -> Result<(), W::Stop> {
    let mut levels = Levels { first: None, more: Vec::new() };
    let done = descend(field, &mut levels, wire);
    // The stack is empty unless the walk was stopped.
    while let Some(level) = levels.pop() {
        wire.leave(level.field, level.group, false);
    }
    done
}

fn descend<W: Optional>(field: &'static Field, levels: &mut Levels<W::Group>, wire: &mut W) -> Result<(), W::Stop> {
    open(field, levels, wire)?;
    while let Some(level) = levels.last() {
        let Some((next, rest)) = level.rest.split_first() else {
            if let Some(level) = levels.pop() {
                wire.leave(level.field, level.group, true);
            }
            continue;
        };
        level.rest = rest;
        match (&next.kind, next.when) {
            // These tables and their schemas have no other custom kind.
            (Kind::Custom(_), When::Always) => open(next, levels, wire)?,
            (Kind::Custom(_), _) if !wire.present(next)? => {}
            (Kind::Custom(_), _) => open(next, levels, wire)?,
            _ => walk::field(next, wire)?,
        }
    }
    Ok(())
}

/// The field that selects a packet's layout.
static BY: Name = Name::new(super::layout::ID.name);

/// Opens a packet, if there is one, and finds its fields by its id.
fn open<W: Optional>(field: &'static Field, levels: &mut Levels<W::Group>, wire: &mut W) -> Result<(), W::Stop> {
    let [id, by_id] = &PACKET;
    if !wire.packet(field)? {
        return Ok(());
    }
    let group = wire.enter(field)?;
    levels.push(Level { field, group, rest: &[] });
    walk::field(id, wire)?;
    let value = wire.referenced(&BY);
    let rest = match CASES.iter().find(|case| Some(case.value) == value) {
        Some(case) => case.fields,
        None => wire.ask(by_id, value).ok_or_else(|| wire.unknown())?,
    };
    if let Some(level) = levels.last() {
        level.rest = rest;
    }
    Ok(())
}

impl Optional for Reader<'_> {
    fn packet(&mut self, field: &'static Field) -> Result<bool, Stop> {
        let at = self.position();
        match self.peek(8) {
            None => Err(self.short(field, at, 8, String::new())),
            Some(byte) if byte == END as u64 => {
                self.skip(8);
                self.tree().push(field, Value::Null, at, 8);
                Ok(false)
            }
            Some(_) if self.depth() >= LEVELS => {
                let left = self.left() as u64;
                Err(self.broken(field, Fault::new(Reason::Depth, at, 0, left)))
            }
            Some(_) => Ok(true),
        }
    }
}

impl Optional for Writer<'_> {
    fn packet(&mut self, field: &'static Field) -> Result<bool, WriteStop> {
        match self.input(field) {
            None => Err(self.missing(field)),
            Some(value) if value.is_null() => {
                self.put_bytes(&[END]);
                Ok(false)
            }
            Some(_) => Ok(true),
        }
    }
}

impl Optional for Sampler<'_> {
    fn packet(&mut self, _field: &'static Field) -> Result<bool, EncodeError> {
        // Sampled chains end by themselves.
        let there = self.below(3) == 0;
        if !there {
            self.put(END as u64, 8, Order::Little);
        }
        Ok(there)
    }
}

impl Custom for Embedded {
    fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        embedded(field, reader)
    }

    fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        embedded(field, writer)
    }

    fn sample(&self, field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        embedded(field, sampler)
    }

    fn describe(&self) -> &'static str {
        "packet, or 255 for none"
    }
}
