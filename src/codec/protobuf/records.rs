//! Splits a message's bytes into records: key, value, key, value.

use super::WireType;
use crate::codec::bits;
use crate::codec::fault::Reason;

/// Groups nested deeper than this are rejected.
const DEEPEST: usize = 64;

/// One record. All positions are bits of the source.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub number: u64,
    pub wire: WireType,
    /// Its first bit.
    pub start: u32,
    /// The range of the value, without its length.
    pub value: (u32, u32),
    /// The bit after it.
    pub end: u32,
    /// Whether key and length are encoded in the fewest bytes.
    pub shortest: bool,
}

/// The reason why the next record could not be read.
#[derive(Clone, Copy, Debug)]
pub struct Broken {
    pub reason: Reason,
    /// The field's number, if it could be read.
    pub number: Option<u64>,
    /// The number of bits that the record needs.
    pub need: u64,
    pub limit: &'static str,
}

/// The records of `data` from bit `at` to bit `end`.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a> {
    pub data: &'a [u8],
    pub at: u32,
    pub end: u32,
}

/// A varint: its value, and whether it is encoded in the fewest bytes.
struct Groups {
    value: u64,
    shortest: bool,
}

impl Records<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = (self.end - self.at >= 8).then(|| bits::get(self.data, self.at as usize, 8) as u8)?;
        self.at += 8;
        Some(byte)
    }

    fn varint(&mut self, start: u32, number: Option<u64>) -> Result<Groups, Broken> {
        let mut value = 0u64;
        for count in 0..10 {
            let Some(byte) = self.byte() else {
                let need = (self.at - start) as u64 + 8;
                return Err(Broken { reason: Reason::Short, number, need, limit: "a varint without an end" });
            };
            value |= ((byte & 0x7f) as u64) << (7 * count);
            if byte & 0x80 == 0 {
                return Ok(Groups { value, shortest: byte != 0 || count == 0 });
            }
        }
        Err(Broken { reason: Reason::TooLong, number, need: 0, limit: "at most 10 groups" })
    }

    fn skip(&mut self, start: u32, bits: u64, number: u64, limit: &'static str) -> Result<(), Broken> {
        if bits > (self.end - self.at) as u64 {
            let need = ((self.at - start) as u64).saturating_add(bits);
            return Err(Broken { reason: Reason::Short, number: Some(number), need, limit });
        }
        self.at += bits as u32;
        Ok(())
    }

    /// Skips the value of a record. The value of a group is not skipped. Returns the value's first bit, and whether its
    /// length was encoded in the fewest bytes.
    fn value(&mut self, start: u32, number: u64, wire: WireType) -> Result<(u32, bool), Broken> {
        let mut at = self.at;
        let mut shortest = true;
        match wire {
            WireType::Varint => {
                self.varint(start, Some(number))?;
            }
            WireType::Fixed64 => self.skip(start, 64, number, "")?,
            WireType::Fixed32 => self.skip(start, 32, number, "")?,
            WireType::Bytes => {
                let length = self.varint(start, Some(number))?;
                (at, shortest) = (self.at, length.shortest);
                self.skip(start, length.value.saturating_mul(8), number, "the length before it")?;
            }
            WireType::Group => {}
        }
        Ok((at, shortest))
    }

    /// Reads a key: its number, its wire type (`None` at the end of a group), and whether it has the fewest bytes.
    fn key(&mut self, start: u32) -> Result<(u64, Option<WireType>, bool), Broken> {
        let key = self.varint(start, None)?;
        let number = key.value >> 3;
        let undefined = |what| Err(Broken { reason: Reason::Undefined(what), number: None, need: 0, limit: "" });
        let wire = match key.value & 7 {
            0 => Some(WireType::Varint),
            1 => Some(WireType::Fixed64),
            2 => Some(WireType::Bytes),
            3 => Some(WireType::Group),
            4 => None,
            5 => Some(WireType::Fixed32),
            _ => return undefined("no such wire type"),
        };
        if number == 0 || number > super::LARGEST {
            return undefined("no field has this number");
        }
        Ok((number, wire, key.shortest))
    }

    /// Reads the next record.
    pub fn next(&mut self) -> Result<Option<Record>, Broken> {
        if self.at >= self.end {
            return Ok(None);
        }
        let start = self.at;
        let (number, wire, key) = self.key(start)?;
        let stray = Broken { reason: Reason::Undefined("a group that never began"), number: None, need: 0, limit: "" };
        let Some(wire) = wire else { return Err(stray) };
        let (value, length) = self.value(start, number, wire)?;
        if wire == WireType::Group {
            self.group(start, number)?;
        }
        let shortest = key && length;
        Ok(Some(Record { number, wire, start, value: (value, self.at), end: self.at, shortest }))
    }

    /// Skips to the end of a group, including groups nested in it.
    fn group(&mut self, start: u32, number: u64) -> Result<(), Broken> {
        let mut open = vec![number];
        while let Some(innermost) = open.last().copied() {
            match self.key(start)? {
                (ended, None, _) if ended == innermost => {
                    open.pop();
                }
                (_, None, _) => {
                    let reason = Reason::Undefined("the end of another group");
                    return Err(Broken { reason, number: Some(number), need: 0, limit: "" });
                }
                (_, Some(WireType::Group), _) if open.len() >= DEEPEST => {
                    return Err(Broken { reason: Reason::Depth, number: Some(number), need: 0, limit: "" });
                }
                (inner, Some(WireType::Group), _) => open.push(inner),
                (inner, Some(wire), _) => {
                    self.value(start, inner, wire)?;
                }
            }
        }
        Ok(())
    }
}
