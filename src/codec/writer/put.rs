//! Writes bits, bytes, and values given as raw bits.

use super::{RawBits, WriteStop, Writer};
use crate::codec::layout::Order;
use crate::plural::Plural;
use serde_json::Value as Json;

/// Parses `{"raw":"hex","bits":n}`.
pub(in crate::codec) fn raw_form(value: &Json) -> Option<Result<RawBits, String>> {
    let map = value.as_object()?;
    let (raw, count) = (map.get("raw")?.as_str()?, map.get("bits")?.as_u64()? as usize);
    Some(match hex::decode(raw) {
        Err(why) => Err(format!("raw: expected hex: {why}")),
        Ok(bytes) if bytes.len() != count.div_ceil(8) => {
            Err(format!("raw: {} cannot hold {}", Plural(bytes.len(), "byte"), Plural(count, "bit")))
        }
        Ok(bytes) => Ok(RawBits { bytes, count }),
    })
}

impl<'a> Writer<'a> {
    /// The number of bits written so far.
    pub fn position(&self) -> usize {
        self.out.len()
    }

    /// Writes a number of `count` bits.
    pub fn put(&mut self, value: u64, count: u32, order: Order) {
        self.out.put_number(value, count, order.within(self.order));
    }

    /// Writes a base-128 number.
    pub fn put_varint(&mut self, v: u64) {
        self.out.put_varint(v);
    }

    /// Writes content preceded by its length in bytes, a base-128 number.
    pub(in crate::codec) fn delimited(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), WriteStop>,
    ) -> Result<(), WriteStop> {
        let at = self.out.len();
        let done = write(self);
        let content = self.out.split_off(at);
        self.put_varint(content.len().div_ceil(8) as u64);
        self.put_raw(content.bytes(), content.len());
        done
    }

    /// Writes whole bytes.
    pub fn put_bytes(&mut self, bytes: &[u8]) {
        self.out.put_bytes(bytes);
    }

    /// Writes a value given as `{"raw":"hex","bits":n}`.
    ///
    /// # Errors
    /// If it is no such value.
    pub fn put_raw_form(&mut self, value: &'a Json) -> Result<(), WriteStop> {
        let raw = self.hex_or_raw(value)?;
        self.put_raw(&raw.bytes, raw.count);
        Ok(())
    }

    pub(in crate::codec) fn put_raw(&mut self, bytes: &[u8], count: usize) {
        self.out.put_bytes(&bytes[..count / 8]);
        if !count.is_multiple_of(8) {
            self.out.put(bytes[count / 8] as u64, count as u32 % 8);
        }
    }

    /// Parses hex text, or `{"raw":"hex","bits":n}`.
    pub(in crate::codec) fn hex_or_raw(&self, value: &Json) -> Result<RawBits, WriteStop> {
        if let Some(raw) = raw_form(value) {
            return raw.map_err(|what| self.fail(what));
        }
        match value.as_str().map(hex::decode) {
            Some(Ok(bytes)) => Ok(RawBits::whole(bytes)),
            Some(Err(why)) => Err(self.fail(format!("expected hex: {why}"))),
            None => Err(WriteStop::Error(self.wrong("hex", value))),
        }
    }
}
