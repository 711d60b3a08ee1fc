//! Classic pcap: a file header, then records.

use super::error::{CaptureError, Flaw};
use super::input::Input;
use super::record::{LONGEST, Record, ended};
use super::{LinkType, Time};
use pcap_parser::parse_pcap_header;

const FILE_HEADER: usize = 24;

/// The properties of the records, from the file header.
pub(super) struct Classic {
    link: LinkType,
    big: bool,
    nanos: bool,
    /// The length of a record header: 16, or 24 with Kuznetzov's patch of 1999, which added interface, protocol and
    /// direction after the lengths.
    header: usize,
}

impl Classic {
    /// Reads the file header.
    pub(super) fn open(input: &mut Input) -> Result<Classic, CaptureError> {
        if !input.want(FILE_HEADER)? {
            ended(input, "file header", FILE_HEADER, 0, false)?;
        }
        let mut head = [0; FILE_HEADER];
        head.copy_from_slice(&input.data()[..FILE_HEADER]);
        // pcap-parser knows Kuznetzov's magic in one byte order only; the differing bit does not
        // affect the rest of the header.
        let modified = matches!(head, [0x34, 0xcd, ..] | [_, _, 0xcd, 0x34, ..]);
        match head.first_chunk_mut::<4>() {
            Some(magic @ [0x34, ..]) => *magic = [0xd4, 0xc3, 0xb2, 0xa1],
            Some(magic @ [_, _, 0xcd, _]) => *magic = [0xa1, 0xb2, 0xc3, 0xd4],
            _ => {}
        }
        let Ok((_, header)) = parse_pcap_header(&head) else {
            let first = head[..4].to_vec();
            return Err(CaptureError::NotACapture { first });
        };
        if header.version_major != 2 {
            let flaw = Flaw::Version { major: header.version_major, minor: header.version_minor };
            return Err(CaptureError::Bad { at: input.place(4), frames: 0, flaw });
        }
        input.consume(FILE_HEADER);
        Ok(Classic {
            // The upper bits hold the length of the frame check sequence.
            link: LinkType(header.network.0 as u32 & 0x03ff_ffff),
            big: header.is_bigendian(),
            nanos: header.is_nanosecond_precision(),
            header: if modified { 24 } else { 16 },
        })
    }

    /// The next record; `None` if the buffer does not hold all of it: then call [`Classic::next`]. Separate, since the
    /// path without error handling is twice as fast.
    #[inline(always)]
    pub(super) fn buffered(&self, input: &mut Input) -> Option<Record> {
        let &head = input.data().first_chunk::<16>()?;
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (mut secs, mut frac, mut captured, mut length) = (word(0), word(4), word(8), word(12));
        if self.big {
            (secs, frac) = (secs.swap_bytes(), frac.swap_bytes());
            (captured, length) = (captured.swap_bytes(), length.swap_bytes());
        }
        let record = self.header + captured as usize;
        if captured > LONGEST || record > input.data().len() {
            return None;
        }
        input.consume(record);
        let (per_second, digits) = if self.nanos { (1_000_000_000, 9) } else { (1_000_000, 6) };
        let mut secs = u64::from(secs);
        if frac >= per_second {
            secs += u64::from(frac / per_second);
            frac %= per_second;
        }
        Some(Record {
            time: Time { secs: secs as i64, frac: frac.into(), digits },
            link: self.link,
            interface: 0,
            captured: captured as usize,
            length: captured.max(length) as usize,
            tail: 0,
        })
    }

    /// Reads until the next record is complete.
    #[inline(never)]
    pub(super) fn next(&mut self, input: &mut Input, frames: u64) -> Result<Option<Record>, CaptureError> {
        if !input.want(self.header)? {
            return ended(input, "record header", self.header, frames, true);
        }
        let captured = match *input.data() {
            [_, _, _, _, _, _, _, _, a, b, c, d, ..] if self.big => u32::from_be_bytes([a, b, c, d]),
            [_, _, _, _, _, _, _, _, a, b, c, d, ..] => u32::from_le_bytes([a, b, c, d]),
            _ => 0,
        };
        if captured > LONGEST {
            let flaw = Flaw::TooLong { length: captured, most: LONGEST };
            return Err(CaptureError::Bad { at: input.place(0), frames, flaw });
        }
        let record = self.header + captured as usize;
        if !input.want(record)? {
            return ended(input, "record", record, frames, false);
        }
        Ok(self.buffered(input))
    }
}
