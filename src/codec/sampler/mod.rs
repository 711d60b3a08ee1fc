//! Makes random valid messages from the tables, for tests and examples.

mod wire;

use crate::codec::bits::BitBuf;
use crate::codec::context::{Context, Scope};
use crate::codec::layout::{Charset, Count, Ends, Field, Kind, Len, Look, Name, Order, flag};
use crate::codec::{EncodeError, bits, kinds, walk};

/// Writes random valid values. The same seed gives the same messages.
pub struct Sampler<'a> {
    state: u64,
    pub(super) out: BitBuf,
    pub(super) scope: Scope,
    order: Order,
    context: Option<&'a mut dyn Context>,
    /// Whether a field that depends on the bytes left was left out, so that everything after it is, too.
    pub(super) ended: bool,
    depth: u32,
    measures: Vec<(usize, u32, Order)>,
    /// The presence bits already decided: the position of their number, and the bit.
    settled: Vec<(u32, u8)>,
}

impl<'a> Sampler<'a> {
    /// Creates a sampler for this seed.
    pub fn new(seed: u64) -> Sampler<'a> {
        Sampler {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            out: BitBuf::default(),
            scope: Scope::default(),
            order: Order::Little,
            context: None,
            ended: false,
            depth: 0,
            measures: Vec::new(),
            settled: Vec::new(),
        }
    }

    /// Sets the conversation's state.
    pub fn context(mut self, context: &'a mut dyn Context) -> Self {
        self.order = context.order();
        self.context = Some(context);
        self
    }

    /// Returns one random message.
    ///
    /// # Errors
    /// If a layout needs something that cannot be generated.
    pub fn sample(mut self, fields: &'static [Field]) -> Result<Vec<u8>, EncodeError> {
        walk::walk(fields, &mut self)?;
        for (at, count, order) in std::mem::take(&mut self.measures) {
            let after = (self.out.len() - at) as u64 / 8 - count as u64 / 8;
            self.out.patch_number(at, after, count, order.within(self.order));
        }
        Ok(self.out.into_bytes())
    }

    /// A random number below `n` (at least 1).
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    pub(super) fn next(&mut self) -> u64 {
        // xorshift64*
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Writes a number of `count` bits.
    pub fn put(&mut self, value: u64, count: u32, order: Order) {
        self.out.put_number(value, count, order.within(self.order));
    }

    /// Returns a number of that width: a small one, an edge value, or any.
    pub(super) fn number(&mut self, width: u32) -> u64 {
        let any = self.next();
        match self.below(4) {
            0 => any & 3 & bits::mask(width),
            1 => bits::mask(width) - (any & 1 & bits::mask(width)),
            _ => any & bits::mask(width),
        }
    }

    fn size(&mut self) -> u64 {
        match self.below(8) {
            0 => 0,
            1 => self.below(300),
            _ => self.below(12),
        }
    }

    pub(super) fn put_prefix(&mut self, prefix: &'static Field, n: u64) -> Result<(), EncodeError> {
        match prefix.kind {
            Kind::UInt { bits, order } | Kind::Int { bits, order } => self.put(n, bits as u32, order),
            Kind::VarInt { sign, .. } => self.out.put_varint(sign.write(n as i128).unwrap_or(n)),
            Kind::Extended(extended) => extended.sample(n, self),
            Kind::Custom(codec) => {
                let json = serde_json::json!({ prefix.name: n });
                let mut writer = super::Writer::new(&json);
                if codec.write(prefix, &mut writer).is_ok() {
                    let written = writer.write_bits(&[])?;
                    self.out.put_bytes(written.bytes());
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes content preceded by its length in bytes, a base-128 number. Within it, fields that
    /// extend to the end of the message end with it.
    pub(super) fn delimited(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let (at, ended) = (self.out.len(), self.ended);
        self.ended = false;
        write(self)?;
        self.ended = ended;
        let content = self.out.split_off(at);
        self.out.put_varint(content.bytes().len() as u64);
        self.out.put_bytes(content.bytes());
        Ok(())
    }

    /// Returns a random number of elements. Writes it, or sets it in the field that holds the count.
    ///
    /// # Errors
    /// As [`Sampler::sample`].
    pub fn count(&mut self, count: &Count) -> Result<u64, EncodeError> {
        // Lists get shorter with depth, so that nesting ends.
        let most = 5 >> self.depth.min(3);
        let n = self.below(most + 1);
        Ok(match count {
            Count::Const(n) => *n as u64,
            Count::Prefix(prefix) => {
                self.put_prefix(prefix, n)?;
                n
            }
            Count::Field(name) => self.counted(name, n),
            Count::While(_) => 1,
            Count::Until(_) | Count::UntilOrEnd(_) | Count::Rest => n,
        })
    }

    pub(super) fn text(&mut self, len: u64, charset: Charset) -> Vec<u8> {
        const WORDS: [&str; 6] = ["a", "Z", "7", "ü", "\u{1f680}", " "];
        let mut text = Vec::new();
        while (text.len() as u64) < len {
            match charset {
                Charset::Latin1 => text.push(1 + self.below(255) as u8),
                // A single byte is no UTF-16 letter.
                Charset::Utf16(_) if len - text.len() as u64 == 1 => break,
                Charset::Utf16(order) => {
                    let letter = char::from(b'a' + self.below(26) as u8);
                    text.extend(kinds::to_utf16(letter.encode_utf8(&mut [0; 4]), order.within(self.order)));
                }
                Charset::Utf8 => {
                    let word = WORDS[self.below(6) as usize].as_bytes();
                    text.extend(if text.len() + word.len() <= len as usize { word } else { b"x" });
                }
            }
        }
        text
    }

    fn prefix_max(prefix: &Field) -> u64 {
        match prefix.kind {
            Kind::UInt { bits, .. } => bits::mask(bits as u32),
            Kind::Int { bits, .. } => bits::mask(bits as u32 - 1),
            _ => 32767,
        }
    }

    fn content(&mut self, len: Len, charset: Option<Charset>) -> Result<(), EncodeError> {
        let size = match len {
            Len::Const(n) => n as u64,
            Len::Padded(n) => self.below(n as u64),
            Len::Bits(n) => {
                let v = self.next();
                (0..n).for_each(|k| self.out.put(v >> (k % 64), 1));
                return Ok(());
            }
            Len::Prefix(prefix) => {
                let n = self.size().min(Self::prefix_max(prefix));
                self.put_prefix(prefix, n)?;
                n
            }
            Len::Field(ref name) => {
                let n = self.size();
                self.counted(name, n)
            }
            Len::Rest if self.ended => return Ok(()),
            Len::Until(_) | Len::Through(_) | Len::Rest => self.size(),
        };
        let mut content = match charset {
            Some(charset) => self.text(size, charset),
            None => (0..size).map(|_| self.next() as u8).collect(),
        };
        match len {
            Len::Until(stop) => {
                content.iter_mut().for_each(|b| *b = if *b == stop { stop ^ 1 } else { *b });
                content.push(stop);
            }
            Len::Through(Ends { any: [end, ..], .. }) => {
                content.iter_mut().filter(|b| **b < 0x80).for_each(|b| *b = b'_');
                content.retain(|b| b != end);
                content.push(*end);
            }
            Len::Padded(n) => content.resize(n as usize, 0),
            Len::Rest => self.ended = true,
            _ => {}
        }
        self.out.put_bytes(&content);
        Ok(())
    }

    /// Sets an earlier length or count, or returns the value that another field has already set there.
    pub(super) fn counted(&mut self, name: &Name, n: u64) -> u64 {
        let Some(entry) = self.scope.entry(name) else { return 0 };
        if std::mem::replace(&mut entry.counted, true) { entry.value } else { self.complete(name, n) }
    }

    /// Sets an earlier length or count, as far as its width allows; returns the value set.
    pub(super) fn complete(&mut self, name: &Name, value: u64) -> u64 {
        let Some(entry) = self.scope.entry(name) else { return 0 };
        let Some((count, order)) = entry.field.kind.width() else { return entry.value };
        let value = value.min(bits::mask(count));
        entry.value = value;
        let at = entry.bit as usize;
        self.out.patch_number(at, value, count, order.within(self.order));
        value
    }

    /// Sets an earlier number, or a part of one.
    pub(super) fn complete_with(&mut self, name: &Name, value: u64) {
        let Some(entry) = self.scope.entry(name) else { return };
        entry.value = value;
        let (at, within) = (entry.bit as usize, entry.within);
        match within {
            Some(within) => _ = within.patch(&mut self.out, at, value, self.order),
            None => _ = self.complete(name, value),
        }
    }

    /// Decides at random whether a field is present whose bit is in a presence number. Only the first field that
    /// depends on the bit decides.
    fn toss(&mut self, name: &Name, bit: u8) {
        let Some(entry) = self.scope.entry(name).copied() else { return };
        let settled = (entry.bit, bit);
        if !entry.field.is(flag::PRESENCE) || self.settled.contains(&settled) {
            return;
        }
        self.settled.push(settled);
        if self.below(2) == 0 {
            self.complete(name, entry.value | 1u64.checked_shl(bit as u32).unwrap_or(0));
        }
    }

    /// Returns the value of an earlier field, or of the conversation.
    pub(super) fn known(&self, name: &Name) -> Option<u64> {
        self.scope.get(name).or_else(|| self.context.as_ref()?.value(name.slot()?))
    }
}

impl Look for Sampler<'_> {
    fn value(&mut self, name: &Name) -> Option<u64> {
        self.known(name)
    }

    fn left(&mut self, _bits: u32) -> Option<bool> {
        let there = !self.ended && self.below(2) == 0;
        self.ended |= !there;
        Some(there)
    }

    fn setting(&mut self, name: &str) -> u64 {
        self.context.as_ref().map_or(0, |context| context.setting(name))
    }
}
