//! A packet within a packet: the same fields as on the top level, or 255 alone for none.

use super::layout::{END, PACKET};
use crate::codec::layout::{Field, Order};
use crate::codec::walk::{self, Custom, Wire};
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Fault, Reader, Reason, Sampler, Stop, Value, Writer};

/// How deep packets may stand in each other. Each level takes a byte of a frame of at most 512.
pub const LEVELS: usize = 512;

/// The codec.
#[derive(Debug)]
pub struct Embedded;

/// Walks the packet's fields as a group named by the field.
fn packet<W: Wire>(field: &'static Field, wire: &mut W) -> Result<(), W::Stop> {
    let group = wire.enter(field)?;
    let done = walk::walk(&PACKET, wire);
    wire.leave(field, group, done.is_ok());
    done
}

impl Custom for Embedded {
    fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let at = reader.position();
        match reader.peek(8) {
            None => Err(reader.short(field, at, 8, String::new())),
            Some(byte) if byte == END as u64 => {
                reader.skip(8);
                reader.tree().push(field, Value::Null, at, 8);
                Ok(())
            }
            Some(_) if reader.depth() >= LEVELS => {
                let left = reader.left() as u64;
                Err(reader.broken(field, Fault::new(Reason::Depth, at, 0, left)))
            }
            Some(_) => packet(field, reader),
        }
    }

    fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        match writer.input(field) {
            None => Err(writer.missing(field)),
            Some(value) if value.is_null() => {
                writer.put_bytes(&[END]);
                Ok(())
            }
            Some(_) => packet(field, writer),
        }
    }

    fn sample(&self, field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        // Chains end by themselves.
        match sampler.below(3) {
            0 => packet(field, sampler),
            _ => {
                sampler.put(END as u64, 8, Order::Little);
                Ok(())
            }
        }
    }

    fn describe(&self) -> &'static str {
        "packet, or 255 for none"
    }
}
