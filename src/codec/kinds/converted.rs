//! Text that is converted from other bytes: from UTF-16, or from an address.

use super::Address;
use crate::codec::layout::{Field, Order, flag};
use crate::codec::node::Value;
use crate::codec::{Reader, bits};

/// Fills a new source. Returns its number and its length in bytes.
fn sourced(reader: &mut Reader<'_>, fill: impl FnOnce(&mut Vec<u8>)) -> Option<(u8, u32)> {
    let context = reader.context.as_mut()?;
    let (source, mut bytes) = context.take_source()?;
    fill(&mut bytes);
    let length = bytes.len().min(crate::codec::reader::LONGEST) as u32;
    context.give_source(source, bytes);
    Some((source, length))
}

/// Returns the bytes of a text in UTF-16.
pub fn to_utf16(text: &str, order: Order) -> Vec<u8> {
    let big = order == Order::Big;
    text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

/// Appends UTF-16 text as UTF-8. Returns false if the bytes are not UTF-16.
fn from_utf16(bytes: &[u8], order: Order, text: &mut Vec<u8>) -> bool {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let unit = |pair: &[u8; 2]| if order == Order::Big { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) };
    let mut whole = rest.is_empty();
    for unit in char::decode_utf16(pairs.iter().map(unit)) {
        match unit {
            Ok(c) => text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(_) => whole = false,
        }
    }
    whole
}

impl Reader<'_> {
    /// Shows the bits from `start` on as the text that `fill` makes of their content. If `fill` returns false, or no
    /// source is left, shows them raw and returns false.
    pub(super) fn converted(
        &mut self,
        field: &'static Field,
        start: u32,
        bit: u32,
        bits: u32,
        fill: impl FnOnce(&mut Vec<u8>) -> bool,
    ) -> bool {
        let (mut whole, own) = (true, self.position() - start);
        let source = sourced(self, |text| whole = fill(text)).filter(|_| whole);
        match source {
            Some((source, length)) => {
                self.tree.push_from(source, field, Value::Text { bit: 0, bits: length * 8 }, start, own);
            }
            None => _ = self.tree.push(field, Value::Raw { bit, bits }, start, own),
        }
        source.is_some()
    }

    /// Shows UTF-16 text whose content has already been passed.
    pub(in crate::codec) fn utf16(&mut self, field: &'static Field, start: u32, bit: u32, bits: u32, order: Order) {
        let order = order.within(self.order);
        let content = bits::bytes(self.data, bit, bits);
        self.converted(field, start, bit, bits, |text| from_utf16(&content, order, text));
    }

    /// Reads bytes with a notation.
    pub(in crate::codec) fn address(
        &mut self,
        field: &'static Field,
        address: Address,
    ) -> Result<(), crate::codec::Stop> {
        let (start, size) = (self.position(), address.bits());
        self.need(field, start, size as u64)?;
        self.skip(size);
        let content = bits::bytes(self.data, start, size);
        self.converted(field, start, start, size, |text| address.show(&content, text));
        if field.is(flag::REFERENCED) {
            let number = bits::swap(bits::get(self.data, start as usize, size.min(64)), size.min(64));
            self.tree.scope.push(field, number, start, true);
        }
        Ok(())
    }
}
