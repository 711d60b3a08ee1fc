//! Writing pcapng: several interfaces, a comment a packet.

use super::{LinkType, Time};
use std::io::{self, Write};

/// The most bytes of a comment.
const LONGEST: usize = 4096;

/// Writes a capture of several interfaces, in nanoseconds.
#[derive(Debug)]
pub struct PcapNgWriter<W: Write> {
    out: W,
    block: Vec<u8>,
}

impl<W: Write> PcapNgWriter<W> {
    /// Begins a capture with these interfaces, by name.
    ///
    /// # Errors
    /// The writer's.
    pub fn new(out: W, interfaces: &[&str], link: LinkType) -> io::Result<PcapNgWriter<W>> {
        let mut writer = PcapNgWriter { out, block: Vec::new() };
        // The section: byte order, version 1.0, of unknown length.
        writer.block.extend_from_slice(&0x1a2b_3c4d_u32.to_le_bytes());
        writer.block.extend_from_slice(&[1, 0, 0, 0]);
        writer.block.extend_from_slice(&u64::MAX.to_le_bytes());
        writer.end(0x0a0d_0d0a)?;
        for name in interfaces {
            let link = u16::try_from(link.0).map_err(io::Error::other)?;
            writer.block.extend_from_slice(&link.to_le_bytes());
            writer.block.extend_from_slice(&[0; 6]);
            writer.option(2, name.as_bytes());
            // if_tsresol: nanoseconds.
            writer.option(9, &[9]);
            writer.option(0, &[]);
            writer.end(1)?;
        }
        Ok(writer)
    }

    /// Adds a packet that was seen whole on an interface; an empty comment is none.
    ///
    /// # Errors
    /// The writer's.
    pub fn frame(&mut self, interface: u32, time: Time, data: &[u8], comment: &str) -> io::Result<()> {
        let nanos = u64::try_from(time.nanos()).unwrap_or(0);
        let length = u32::try_from(data.len()).map_err(io::Error::other)?;
        for word in [interface, (nanos >> 32) as u32, nanos as u32, length, length] {
            self.block.extend_from_slice(&word.to_le_bytes());
        }
        self.block.extend_from_slice(data);
        self.pad();
        if !comment.is_empty() {
            let end = comment.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= LONGEST).last();
            self.option(1, comment.get(..end.unwrap_or(0)).unwrap_or_default().as_bytes());
            self.option(0, &[]);
        }
        self.end(6)
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.block.extend_from_slice(&code.to_le_bytes());
        self.block.extend_from_slice(&(value.len() as u16).to_le_bytes());
        self.block.extend_from_slice(value);
        self.pad();
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    /// Writes the block.
    fn end(&mut self, kind: u32) -> io::Result<()> {
        let length = (self.block.len() as u32 + 12).to_le_bytes();
        self.out.write_all(&kind.to_le_bytes())?;
        self.out.write_all(&length)?;
        self.out.write_all(&self.block)?;
        self.out.write_all(&length)?;
        self.block.clear();
        Ok(())
    }

    /// Writes out what is waiting.
    ///
    /// # Errors
    /// The writer's.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
