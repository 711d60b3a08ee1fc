//! Writing frames of captures to pcapng as they were: with their own link types, resolutions and lengths.

use super::{LinkType, Time};
use std::io::{self, Write};

/// Times are written with at most so many decimals: 64 bits of nanoseconds last beyond 2500.
const DIGITS: u8 = 9;

/// Writes a pcapng file of one section, little-endian. Interfaces are described when their first
/// frame comes. Give it a buffered writer.
pub struct PcapNgFrames<W: Write> {
    out: W,
    /// Link type and digits of each interface.
    interfaces: Vec<(LinkType, u8)>,
}

impl<W: Write> PcapNgFrames<W> {
    /// Writes the section header.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn new(out: W) -> io::Result<PcapNgFrames<W>> {
        let mut writer = PcapNgFrames { out, interfaces: Vec::new() };
        let mut body = 0x1a2b_3c4du32.to_le_bytes().to_vec();
        body.extend_from_slice(&[1, 0, 0, 0]);
        // The section's length is not known in advance.
        body.extend_from_slice(&u64::MAX.to_le_bytes());
        writer.block(0x0a0d_0d0a, &[&body])?;
        Ok(writer)
    }

    fn block(&mut self, kind: u32, parts: &[&[u8]]) -> io::Result<()> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let pad = length.next_multiple_of(4) - length;
        let total = u32::try_from(12 + length + pad)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "the frame does not fit into a pcapng file"))?
            .to_le_bytes();
        self.out.write_all(&kind.to_le_bytes())?;
        self.out.write_all(&total)?;
        parts.iter().try_for_each(|part| self.out.write_all(part))?;
        self.out.write_all(&[0; 3][..pad])?;
        self.out.write_all(&total)
    }

    /// Describes an interface.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn interface(&mut self, link: LinkType, digits: u8) -> io::Result<u32> {
        let digits = digits.min(DIGITS);
        if let Some(known) = self.interfaces.iter().position(|known| *known == (link, digits)) {
            return Ok(known as u32);
        }
        let mut body = Vec::new();
        // No snap length; if_tsresol: 10^-digits; the end of the options.
        body.extend_from_slice(&(link.0 & 0xffff).to_le_bytes());
        body.extend_from_slice(&0u32.to_le_bytes());
        body.extend_from_slice(&[9, 0, 1, 0, digits, 0, 0, 0, 0, 0, 0, 0]);
        self.block(1, &[&body])?;
        self.interfaces.push((link, digits));
        Ok(self.interfaces.len() as u32 - 1)
    }

    /// Writes a frame of which `length` bytes were on the wire.
    ///
    /// # Errors
    /// Errors of the writer; [`io::ErrorKind::InvalidInput`] if the format cannot hold it.
    pub fn frame(&mut self, link: LinkType, time: Time, data: &[u8], length: usize) -> io::Result<()> {
        let invalid = |what| io::Error::new(io::ErrorKind::InvalidInput, what);
        let interface = self.interface(link, time.digits)?;
        let unit = 10i128.pow(9 - u32::from(time.digits.min(DIGITS)));
        let ticks = u64::try_from(time.nanos().div_euclid(unit))
            .map_err(|_| invalid("the time does not fit into a pcapng file"))?;
        let mut head = [0; 20];
        let words = [interface, (ticks >> 32) as u32, ticks as u32, data.len() as u32, length as u32];
        for (place, word) in head.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        self.block(6, &[&head, data])
    }

    /// True when there is no frame yet.
    pub fn is_empty(&self) -> bool {
        self.interfaces.is_empty()
    }

    /// Flushes the writer.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Capture;

    #[test]
    fn what_is_written_is_read() {
        let mut file = Vec::new();
        let mut writer = PcapNgFrames::new(&mut file).unwrap();
        let time = |frac, digits| Time { secs: 1_795_229_852, frac, digits };
        let frames = [
            (LinkType::ETHERNET, time(841_544, 6), &b"abc"[..], 3),
            (LinkType(228), time(7, 9), b"", 60),
            (LinkType::ETHERNET, time(1, 6), b"abcd", 1500),
            (LinkType::ETHERNET, time(0, 0), b"abcde", 5),
        ];
        for (link, time, data, length) in frames {
            writer.frame(link, time, data, length).unwrap();
        }
        let before = Time { secs: -1, frac: 0, digits: 6 };
        assert!(writer.frame(LinkType::ETHERNET, before, b"", 0).is_err());
        writer.flush().unwrap();
        let mut capture = Capture::open(Box::new(std::io::Cursor::new(file))).unwrap();
        for (link, time, data, length) in frames {
            let frame = capture.next().unwrap().unwrap();
            assert_eq!((frame.link, frame.time, frame.data, frame.length), (link, time, data, length));
        }
        assert!(capture.next().unwrap().is_none());
    }
}
