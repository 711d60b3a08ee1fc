//! pcapng: blocks in sections, each section with its own byte order and interfaces.
//!
//! The blocks are parsed here and not by pcap-parser: it allocates for the options of packet blocks, does not know the
//! obsolete packet block, and reads `if_tsoffset` as little-endian in every section.

use super::Time;
use super::error::{CaptureError, Flaw, Reached};
use super::input::Input;
use super::interface::{Interface, Leg, options, u16_at, u32_at, u64_of};
use super::record::{LONGEST, Record, ended};
use pcap_parser::{BOM_MAGIC, EPB_MAGIC, IDB_MAGIC, ISB_MAGIC, SHB_MAGIC, SPB_MAGIC};

/// The packet block of versions before 2004.
const OPB_MAGIC: u32 = 2;
/// `isb_ifdrop` and `isb_osdrop`: the packets that an interface and its system have dropped since the capture began.
const DROPPED: [u16; 2] = [5, 7];
/// The cap on interfaces per section.
const INTERFACES: usize = 65_536;
/// Type and length before a block's body; the length is repeated after it.
const BLOCK_HEADER: usize = 8;
const BLOCK_FRAME: usize = BLOCK_HEADER + 4;

/// The current section.
#[derive(Default)]
pub(super) struct PcapNg {
    big: bool,
    interfaces: Vec<Interface>,
    /// The only leg to be read of a proxy's recording: packets of others are skipped.
    pub(super) leg: Option<Leg>,
    /// The interfaces of a recording if only one leg is read: kept apart, so that the fast path finds none.
    of_legs: Vec<Interface>,
    /// The legs of a proxy's recording that the section describes.
    legs: [bool; 2],
    /// It describes both.
    pub(super) has_legs: bool,
    /// The number of packets skipped since the last one.
    pub(super) skipped: u64,
    /// The packets that interfaces dropped, by their statistics.
    pub(super) dropped: u64,
}

/// The properties of the packet in a packet block.
struct Packet {
    interface: u32,
    time: Option<u64>,
    captured: u32,
    length: u32,
    /// The number of bytes of the body before the packet.
    head: usize,
}

impl PcapNg {
    /// The next packet, if it is in an enhanced block that is valid and complete in the buffer; else call
    /// [`PcapNg::next`]. Separate for speed, as in classic files.
    #[inline(always)]
    pub(super) fn buffered(&self, input: &mut Input) -> Option<Record> {
        let data = input.data();
        let head = data.first_chunk::<28>()?;
        let word = |at| self.u32(head, at);
        let length = word(4);
        if word(0) != EPB_MAGIC || !(32..=LONGEST).contains(&length) || !length.is_multiple_of(4) {
            return None;
        }
        let (size, captured) = (length as usize, word(20) as usize);
        let last = data.get(size - 4..size)?;
        if captured > size - 32 || self.u32(last, 0) != length {
            return None;
        }
        let interface = self.interfaces.get(word(8) as usize)?;
        let units = u64::from(word(12)) << 32 | u64::from(word(16));
        let record = Record {
            time: interface.clock.time(units),
            link: interface.link,
            interface: word(8),
            captured,
            length: captured.max(word(24) as usize),
            tail: size - 28 - captured,
        };
        input.consume(size);
        Some(record)
    }

    /// The next packet, of any block type.
    #[inline(never)]
    pub(super) fn next(&mut self, input: &mut Input, frames: u64) -> Result<Option<Record>, CaptureError> {
        loop {
            let frames = frames + self.skipped;
            if !input.want(BLOCK_HEADER)? {
                return ended(input, "block header", BLOCK_HEADER, frames, true);
            }
            let at = input.place(0);
            let bad = |flaw| Err(CaptureError::Bad { at, frames, flaw });
            if input.data().starts_with(&SHB_MAGIC.to_be_bytes()) {
                if !input.want(12)? {
                    return ended(input, "section header", 12, frames, false);
                }
                self.big = match u32_at(input.data(), 8, true) {
                    BOM_MAGIC => true,
                    magic if magic == BOM_MAGIC.swap_bytes() => false,
                    magic => return bad(Flaw::ByteOrder { magic }),
                };
            }
            let kind = self.u32(input.data(), 0);
            let length = self.u32(input.data(), 4);
            if length < BLOCK_FRAME as u32 || !length.is_multiple_of(4) {
                return bad(Flaw::BlockLength { kind, length });
            }
            if length > LONGEST {
                return bad(Flaw::TooLong { length, most: LONGEST });
            }
            let size = length as usize;
            if !input.want(size)? {
                return ended(input, "block", size, frames, false);
            }
            let last = self.u32(input.data(), size - 4);
            if last != length {
                return bad(Flaw::Lengths { first: length, last });
            }
            input.consume(size);
            let body = input.passed(size - BLOCK_FRAME, 4);
            let found = match kind {
                EPB_MAGIC => self.enhanced(body),
                SPB_MAGIC => self.simple(body),
                OPB_MAGIC => self.obsolete(body),
                IDB_MAGIC => self.interface(body).map(|()| None),
                SHB_MAGIC => self.section(body).map(|()| None),
                ISB_MAGIC => {
                    let more = self.statistics(body).unwrap_or(0);
                    self.dropped = self.dropped.saturating_add(more);
                    continue;
                }
                _ => continue,
            };
            let packet = match found {
                Ok(Some(packet)) => packet,
                Ok(None) => continue,
                Err(Some(Flaw::Interfaces(reached))) => return Err(CaptureError::Limit { at, frames, reached }),
                Err(Some(flaw)) => return bad(flaw),
                // The body is shorter than its type's fixed part.
                Err(None) => return bad(Flaw::BlockLength { kind, length }),
            };
            let interfaces = if self.of_legs.is_empty() { &self.interfaces } else { &self.of_legs };
            let Some(interface) = interfaces.get(packet.interface as usize) else {
                let known = interfaces.len() as u32;
                return bad(Flaw::Interface { id: packet.interface, known });
            };
            let room = body.len() - packet.head;
            if packet.captured as usize > room {
                return bad(Flaw::Captured { length: packet.captured, room: room as u32 });
            }
            if !self.of_legs.is_empty() && interface.leg.is_some_and(|leg| Some(leg) != self.leg) {
                self.skipped += 1;
                continue;
            }
            let captured = packet.captured as usize;
            return Ok(Some(Record {
                time: packet.time.map_or(Time::default(), |units| interface.clock.time(units)),
                link: interface.link,
                interface: packet.interface,
                captured,
                length: captured.max(packet.length as usize),
                tail: room - captured + 4,
            }));
        }
    }

    #[inline(always)]
    fn u32(&self, bytes: &[u8], at: usize) -> u32 {
        u32_at(bytes, at, self.big)
    }

    #[inline]
    fn enhanced(&self, body: &[u8]) -> Result<Option<Packet>, Option<Flaw>> {
        if body.len() < 20 {
            return Err(None);
        }
        let (high, low) = (self.u32(body, 4), self.u32(body, 8));
        Ok(Some(Packet {
            interface: self.u32(body, 0),
            time: Some(u64::from(high) << 32 | u64::from(low)),
            captured: self.u32(body, 12),
            length: self.u32(body, 16),
            head: 20,
        }))
    }

    fn obsolete(&self, body: &[u8]) -> Result<Option<Packet>, Option<Flaw>> {
        // A 16-bit interface and a drop count, instead of a 32-bit interface.
        let packet = self.enhanced(body)?;
        let interface = u16_at(body, 0, self.big).into();
        Ok(packet.map(|packet| Packet { interface, ..packet }))
    }

    /// Reads a simple packet. It has no time and no captured length: the latter follows from the snap length of the
    /// first interface, which captures all simple packets by definition.
    fn simple(&self, body: &[u8]) -> Result<Option<Packet>, Option<Flaw>> {
        if body.len() < 4 {
            return Err(None);
        }
        let snap = match self.interfaces.first() {
            Some(Interface { snap: snap @ 1.., .. }) => *snap,
            _ => u32::MAX,
        };
        let length = self.u32(body, 0);
        let captured = length.min(snap).min(body.len() as u32 - 4);
        Ok(Some(Packet { interface: 0, time: None, captured, length, head: 4 }))
    }

    /// The leg that an interface is.
    pub(super) fn leg_of(&self, interface: u32) -> Option<Leg> {
        let list = if self.of_legs.is_empty() { &self.interfaces } else { &self.of_legs };
        list.get(interface as usize)?.leg
    }

    fn section(&mut self, body: &[u8]) -> Result<(), Option<Flaw>> {
        if body.len() < 16 {
            return Err(None);
        }
        self.interfaces.clear();
        self.of_legs.clear();
        (self.legs, self.has_legs) = ([false; 2], false);
        match (u16_at(body, 4, self.big), u16_at(body, 6, self.big)) {
            (1, _) => Ok(()),
            (major, minor) => Err(Some(Flaw::Version { major, minor })),
        }
    }

    /// Reads how many packets an interface has dropped since its last statistics.
    fn statistics(&mut self, body: &[u8]) -> Option<u64> {
        let (big, id) = (self.big, self.u32(body, 0) as usize);
        let interfaces = if self.of_legs.is_empty() { &mut self.interfaces } else { &mut self.of_legs };
        let (interface, mut dropped) = (interfaces.get_mut(id)?, 0u64);
        options(body.get(12..)?, big, |code, value| {
            if let (true, Ok(value)) = (DROPPED.contains(&code), value.try_into()) {
                dropped = dropped.saturating_add(u64_of(value, big));
            }
        });
        let more = dropped.saturating_sub(interface.dropped);
        interface.dropped += more;
        Some(more)
    }

    fn interface(&mut self, body: &[u8]) -> Result<(), Option<Flaw>> {
        let interface = Interface::read(body, self.big).ok_or(None)?;
        if self.interfaces.len().max(self.of_legs.len()) == INTERFACES {
            let what = "interfaces in a section";
            return Err(Some(Flaw::Interfaces(Reached { name: "interfaces", what, most: INTERFACES as u64 })));
        }
        if !self.of_legs.is_empty() {
            self.of_legs.push(interface);
            return Ok(());
        }
        if let Some(leg) = interface.leg {
            self.legs[leg as usize] = true;
            self.has_legs = self.legs == [true; 2];
        }
        self.interfaces.push(interface);
        if self.leg.is_some() && self.has_legs {
            self.of_legs = std::mem::take(&mut self.interfaces);
        }
        Ok(())
    }
}
