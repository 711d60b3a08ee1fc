//! A capture file in the format of its name's extension.

use super::{Frame, LinkType, PcapNgWriter, PcapWriter};
use std::io::{self, Write};
use std::path::Path;

/// A capture that is being written.
pub enum Writer<W: Write> {
    /// pcap before its first frame, which determines the header.
    Waiting(W),
    /// pcap with frames of this link type.
    Classic(PcapWriter<W>, LinkType),
    /// pcapng.
    Next(PcapNgWriter<W>),
}

impl<W: Write> Writer<W> {
    /// Begins a capture: pcapng if the name ends in `.pcapng`, else pcap.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn new(name: &Path, out: W) -> io::Result<Writer<W>> {
        let next = name.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pcapng"));
        Ok(if next { Writer::Next(PcapNgWriter::new(out)?) } else { Writer::Waiting(out) })
    }

    /// Flushes the buffered bytes.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            Writer::Waiting(_) => Ok(()),
            Writer::Classic(writer, _) => writer.flush(),
            Writer::Next(writer) => writer.flush(),
        }
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// Errors of the output; also if pcap cannot hold the frame together with the previous ones.
    pub fn frame(self, frame: &Frame<'_>) -> io::Result<Writer<W>> {
        let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, what);
        let (mut writer, link) = match self {
            Writer::Next(mut writer) => {
                writer.frame(frame.link, frame.time, frame.data, frame.length)?;
                return Ok(Writer::Next(writer));
            }
            Writer::Waiting(out) => (PcapWriter::new(out, frame.link, frame.time.digits)?, frame.link),
            Writer::Classic(writer, link) => (writer, link),
        };
        if frame.link != link {
            return Err(invalid("another link type than before, which pcap cannot hold: name the file .pcapng"));
        }
        if !writer.is_exact(frame.time) {
            return Err(invalid("finer times than before, which pcap cannot hold: name the file .pcapng"));
        }
        writer.record(frame.time, frame.data, frame.length)?;
        Ok(Writer::Classic(writer, link))
    }

    /// Completes the capture. `link` is the link type of a capture without frames.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn finish(self, link: LinkType) -> io::Result<()> {
        match self {
            Writer::Waiting(out) => PcapWriter::new(out, link, 6)?.flush(),
            Writer::Classic(mut writer, _) => writer.flush(),
            Writer::Next(mut writer) => {
                if writer.is_empty() {
                    writer.interface_of(link, 6)?;
                }
                writer.flush()
            }
        }
    }
}
