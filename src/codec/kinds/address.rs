//! An IPv4 address: four bytes, shown as usual.

use super::packed::sourced;
use crate::codec::fault::Stop;
use crate::codec::layout::{Field, flag};
use crate::codec::node::Value;
use crate::codec::walk::Custom;
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Writer};
use std::io::Write as _;
use std::net::Ipv4Addr;

/// `127.0.0.1`, the first byte first.
#[derive(Debug)]
pub struct Address;

impl Custom for Address {
    fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let start = reader.position();
        reader.need(field, start, 32)?;
        let bytes = reader.take(32, crate::codec::layout::Order::Big) as u32;
        // Writing to a vector cannot fail.
        let source = sourced(reader, |text| _ = write!(text, "{}", Ipv4Addr::from_bits(bytes)));
        match source {
            Some((source, length)) => {
                reader.tree().push_from(source, field, Value::Text { bit: 0, bits: length * 8 }, start, 32);
            }
            None => _ = reader.tree().push(field, Value::Raw { bit: start, bits: 32 }, start, 32),
        }
        if field.is(flag::REFERENCED) {
            reader.tree().scope.push(field, bytes as u64, start, true);
        }
        Ok(())
    }

    fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let Some(value) = writer.input(field) else { return Err(writer.missing(field)) };
        match value.as_str().map(str::parse::<Ipv4Addr>) {
            Some(Ok(address)) => {
                writer.put_bytes(&address.octets());
                Ok(())
            }
            None if value.is_object() => writer.put_raw_form(value),
            _ => Err(WriteStop::Error(writer.wrong("an address, as 10.0.0.1", value))),
        }
    }

    fn sample(&self, _field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        let bytes = (sampler.next() as u32).to_be_bytes();
        sampler.out.put_bytes(&bytes);
        Ok(())
    }

    fn bits(&self) -> Option<u32> {
        Some(32)
    }

    fn describe(&self) -> &'static str {
        "an IPv4 address"
    }
}
