//! Writes pcapng: frames with their own link types, resolutions and lengths, named interfaces, comments.

use super::block::{self, COMMENT, INTERFACE, SECTION, STATISTICS};
use super::{Frame, LinkType, Time};
use std::io::{self, Write};

/// The largest number of decimals in times: 64 bits of nanoseconds last beyond 2500.
const DIGITS: u8 = 9;

/// Writes a pcapng file of one section, little-endian. Give it a buffered writer.
#[derive(Debug)]
pub struct PcapNgWriter<W: Write> {
    out: W,
    block: Vec<u8>,
    /// The link type and digits of each interface.
    interfaces: Vec<(LinkType, u8)>,
}

impl<W: Write> PcapNgWriter<W> {
    /// Begins a capture: writes the section header.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn new(out: W) -> io::Result<PcapNgWriter<W>> {
        let mut writer = PcapNgWriter { out, block: Vec::new(), interfaces: Vec::new() };
        block::begin(SECTION, false, &mut writer.block);
        // The byte order and version 1.0; the section's length is not known in advance.
        writer.block.extend_from_slice(&0x1a2b_3c4du32.to_le_bytes());
        writer.block.extend_from_slice(&[1, 0, 0, 0]);
        writer.block.extend_from_slice(&u64::MAX.to_le_bytes());
        writer.end()?;
        Ok(writer)
    }

    /// Describes a new interface, and returns its number. An empty name is omitted.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn interface(&mut self, link: LinkType, digits: u8, name: &str) -> io::Result<u32> {
        let digits = digits.min(DIGITS);
        block::begin(INTERFACE, false, &mut self.block);
        // No snap length.
        self.block.extend_from_slice(&(link.0 & 0xffff).to_le_bytes());
        self.block.extend_from_slice(&0u32.to_le_bytes());
        if !name.is_empty() {
            block::option(2, name.as_bytes(), false, &mut self.block);
        }
        // if_tsresol: 10^-digits.
        block::option(9, &[digits], false, &mut self.block);
        block::option(0, &[], false, &mut self.block);
        self.end()?;
        self.interfaces.push((link, digits));
        Ok(self.interfaces.len() as u32 - 1)
    }

    /// The interface of this link type and resolution; describes it if there is none yet.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn interface_of(&mut self, link: LinkType, digits: u8) -> io::Result<u32> {
        match self.interfaces.iter().position(|known| *known == (link, digits.min(DIGITS))) {
            Some(known) => Ok(known as u32),
            None => self.interface(link, digits, ""),
        }
    }

    /// Writes a frame of which `length` bytes were on the wire, on the [interface](PcapNgWriter::interface_of) of its
    /// link type.
    ///
    /// # Errors
    /// Those of [`PcapNgWriter::packet`].
    pub fn frame(&mut self, link: LinkType, time: Time, data: &[u8], length: usize) -> io::Result<()> {
        let interface = self.interface_of(link, time.digits)?;
        self.packet(interface, time, data, length, [])
    }

    /// Writes a frame of this interface, with comments. Empty comments are omitted; longer ones are cut to 65,535
    /// bytes.
    ///
    /// # Errors
    /// Errors of the writer; [`io::ErrorKind::InvalidInput`] if the format cannot hold the frame.
    pub fn packet<'c>(
        &mut self,
        interface: u32,
        time: Time,
        data: &[u8],
        length: usize,
        comments: impl IntoIterator<Item = &'c str>,
    ) -> io::Result<()> {
        let (ticks, length) = self.ticks(interface, time, data, length)?;
        block::packet(interface, ticks, data, length, &mut self.block);
        let start = self.block.len();
        for comment in comments.into_iter().filter(|comment| !comment.is_empty()) {
            let mut end = comment.len().min(block::LONGEST_OPTION);
            while !comment.is_char_boundary(end) {
                end -= 1;
            }
            block::option(COMMENT, comment.get(..end).unwrap_or_default().as_bytes(), false, &mut self.block);
        }
        if self.block.len() > start {
            block::option(0, &[], false, &mut self.block);
        }
        self.end()
    }

    /// Adds a statistics block of an interface, with comments only.
    ///
    /// # Errors
    /// Those of [`PcapNgWriter::packet`].
    pub fn statistics<'c>(
        &mut self,
        interface: u32,
        time: Time,
        comments: impl IntoIterator<Item = &'c str>,
    ) -> io::Result<()> {
        let (ticks, _) = self.ticks(interface, time, &[], 0)?;
        block::begin(STATISTICS, false, &mut self.block);
        for word in [interface, (ticks >> 32) as u32, ticks as u32] {
            self.block.extend_from_slice(&word.to_le_bytes());
        }
        for comment in comments {
            block::option(COMMENT, comment.as_bytes(), false, &mut self.block);
        }
        block::option(0, &[], false, &mut self.block);
        self.end()
    }

    /// The frame's time in the interface's unit, and its length in the format's type.
    fn ticks(&self, interface: u32, time: Time, data: &[u8], length: usize) -> io::Result<(u64, u32)> {
        let invalid = |what| io::Error::new(io::ErrorKind::InvalidInput, what);
        let digits = self.interfaces.get(interface as usize).map_or(DIGITS, |(_, digits)| *digits);
        // Usually both have the same digits, and no number needs more than 64 bits.
        let same = || {
            let second = 10u64.checked_pow(u32::from(digits)).filter(|_| time.digits == digits)?;
            u64::try_from(time.secs).ok()?.checked_mul(second)?.checked_add(time.frac)
        };
        let unit = || 10i128.pow(9 - u32::from(digits));
        let ticks = same()
            .or_else(|| u64::try_from(time.nanos().div_euclid(unit())).ok())
            .ok_or_else(|| invalid("the time does not fit into a pcapng file"))?;
        match (u32::try_from(data.len()), u32::try_from(length)) {
            (Ok(_), Ok(length)) => Ok((ticks, length)),
            _ => Err(invalid("the frame does not fit into a pcapng file")),
        }
    }

    /// Begins the block of a frame in `out`, for use by other threads: everything before its options.
    ///
    /// # Errors
    /// Those of [`PcapNgWriter::packet`].
    pub(crate) fn begin(&self, interface: u32, frame: &Frame<'_>, out: &mut Vec<u8>) -> io::Result<()> {
        let (ticks, length) = self.ticks(interface, frame.time, frame.data, frame.length)?;
        block::packet(interface, ticks, frame.data, length, out);
        Ok(())
    }

    /// Completes the block and writes it.
    fn end(&mut self) -> io::Result<()> {
        let whole = block::end(0, false, &mut self.block);
        let done = match whole {
            true => self.out.write_all(&self.block),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "the frame does not fit into a pcapng file")),
        };
        self.block.clear();
        done
    }

    /// Whether no interface is described, so that there is no frame.
    pub fn is_empty(&self) -> bool {
        self.interfaces.is_empty()
    }

    /// The writer.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
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
        let mut writer = PcapNgWriter::new(&mut file).unwrap();
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

    #[test]
    fn comments_as_long_as_the_format_allows() {
        let mut file = Vec::new();
        let mut writer = PcapNgWriter::new(&mut file).unwrap();
        let named = writer.interface(LinkType::ETHERNET, 9, "client side").unwrap();
        let long = "é".repeat(40_000);
        writer.packet(named, Time::micros(1, 2), b"abc", 3, ["", "one", &long]).unwrap();
        let block = block::Block::first(&file[28 + 48..], false).expect("a block");
        let mut comments = Vec::new();
        block.options(3, |code, value| comments.push((code, String::from_utf8(value.to_vec()).unwrap())));
        assert_eq!(comments, [(1, "one".into()), (1, "é".repeat(32_767))]);
        let mut capture = Capture::open(Box::new(std::io::Cursor::new(file))).unwrap();
        let frame = capture.next().unwrap().unwrap();
        assert_eq!((frame.time.to_string().as_str(), frame.data), ("1.000002000", &b"abc"[..]));
        assert!(capture.next().unwrap().is_none());
    }
}
