//! Writing classic pcap files.

use super::{LinkType, Time};
use std::io::{self, Write};

/// The snap length written: tcpdump's default, larger than any frame built here.
const SNAP: u32 = 262_144;

/// Writes a classic pcap file, little-endian. Give it a buffered writer.
pub struct PcapWriter<W: Write> {
    out: W,
    nanos: bool,
}

impl<W: Write> PcapWriter<W> {
    /// Writes the file header. Timestamps have nanoseconds if `digits` is above 6, else
    /// microseconds: pass [`Time::digits`] of the first frame.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn new(mut out: W, link: LinkType, digits: u8) -> io::Result<PcapWriter<W>> {
        let nanos = digits > 6;
        let magic: u32 = if nanos { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
        let version = 2u32 | 4 << 16;
        for word in [magic, version, 0, 0, SNAP, link.0] {
            out.write_all(&word.to_le_bytes())?;
        }
        Ok(PcapWriter { out, nanos })
    }

    /// Writes one frame. Digits of `time` beyond the file's resolution are cut off.
    ///
    /// # Errors
    /// Errors of the writer; [`io::ErrorKind::InvalidInput`] if the time is before 1970 or after
    /// 2106, or the frame has more than 262144 bytes: the format cannot hold those.
    pub fn frame(&mut self, time: Time, data: &[u8]) -> io::Result<()> {
        self.record(time, data, data.len())
    }

    /// Writes one frame of which `wire` bytes were on the wire.
    ///
    /// # Errors
    /// Those of [`PcapWriter::frame`].
    pub fn record(&mut self, time: Time, data: &[u8], wire: usize) -> io::Result<()> {
        let invalid = |what| io::Error::new(io::ErrorKind::InvalidInput, what);
        let nanos = time.nanos();
        let secs = u32::try_from(nanos.div_euclid(1_000_000_000))
            .map_err(|_| invalid("the time does not fit into a pcap file"))?;
        let nanos = nanos.rem_euclid(1_000_000_000) as u32;
        let length = match u32::try_from(data.len()) {
            Ok(length @ ..=SNAP) => length,
            _ => return Err(invalid("the frame does not fit into a pcap file")),
        };
        let wire = u32::try_from(wire).map_err(|_| invalid("the frame does not fit into a pcap file"))?;
        let mut header = [0; 16];
        let words = [secs, if self.nanos { nanos } else { nanos / 1000 }, length, wire];
        for (place, word) in header.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        self.out.write_all(&header)?;
        self.out.write_all(data)
    }

    /// Whether the file's resolution can represent `time` exactly.
    pub fn is_exact(&self, time: Time) -> bool {
        let (unit, digits) = if self.nanos { (1, 9) } else { (1000, 6) };
        let more = u32::from(time.digits.min(18)).saturating_sub(digits);
        time.frac.is_multiple_of(10u64.pow(more)) && (time.digits > 9 || time.nanos().rem_euclid(unit) == 0)
    }

    /// Flushes the writer.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// The writer, which may hold buffered bytes.
    pub fn into_inner(self) -> W {
        self.out
    }
}
