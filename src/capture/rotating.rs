//! A recording that is divided into several files.

use super::block::{ENHANCED, OBSOLETE, SIMPLE, STATISTICS};
use super::input::Format;
use super::interface::u32_at;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The lengths of a pcap file's header, of a record's, and of the least block of pcapng.
const FILE: usize = 24;
const RECORD: usize = 16;
const BLOCK: usize = 12;

/// Asks a [`Rotating`] for another file before the next packet.
#[derive(Clone, Debug, Default)]
pub struct Turn(Arc<AtomicBool>);

impl Turn {
    /// Asks for it.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Takes a capture as netkit's writers write it (little-endian), and begins another file where the one that
/// is being written is full. Each is a capture of its own: it begins with the header and the interfaces
/// that were described before.
#[derive(Debug)]
pub struct Rotating<W, F> {
    next: F,
    out: W,
    most: u64,
    turn: Turn,
    format: Option<Format>,
    /// The bytes that every file begins with.
    head: Vec<u8>,
    /// The number of bytes in this file, and whether it has packets.
    written: u64,
    filled: bool,
    /// The beginning of a block or record.
    begun: Vec<u8>,
}

/// The kind of a part of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Record {
    Head,
    Packet,
    Statistics,
}

impl<W: Write, F: FnMut() -> io::Result<W>> Rotating<W, F> {
    /// Begins the first file. No file gets more than `most` bytes, unless its first packet alone needs them.
    ///
    /// # Errors
    /// The first file's.
    pub fn new(most: u64, turn: Turn, mut next: F) -> io::Result<Rotating<W, F>> {
        let out = next()?;
        Ok(Rotating {
            next,
            out,
            most,
            turn,
            format: None,
            head: Vec::new(),
            written: 0,
            filled: false,
            begun: Vec::new(),
        })
    }

    /// The first record of these bytes and its length; `None`: it is not whole.
    fn record(&mut self, bytes: &[u8]) -> io::Result<Option<(Record, usize)>> {
        if self.format.is_none() && bytes.len() >= 4 {
            self.format = Some(Format::of(bytes).ok_or(ErrorKind::InvalidData)?);
        }
        let length = |at| u32_at(bytes, at, false) as usize;
        let (record, length) = match self.format {
            Some(Format::Pcap) if self.head.is_empty() => (Record::Head, FILE),
            Some(Format::Pcap) if bytes.len() >= RECORD => (Record::Packet, length(8).saturating_add(RECORD)),
            Some(Format::PcapNg) if bytes.len() >= BLOCK => match u32_at(bytes, 0, false) {
                _ if length(4) < BLOCK => return Err(ErrorKind::InvalidData.into()),
                ENHANCED | SIMPLE | OBSOLETE => (Record::Packet, length(4)),
                STATISTICS => (Record::Statistics, length(4)),
                _ => (Record::Head, length(4)),
            },
            _ => return Ok(None),
        };
        Ok((bytes.len() >= length).then_some((record, length)))
    }

    /// Whether this part begins another file.
    fn turns(&mut self, record: Record, length: usize) -> bool {
        let full = self.written.saturating_add(length as u64) > self.most;
        let due = record == Record::Packet && (self.turn.0.swap(false, Ordering::Relaxed) || full);
        due && self.filled
    }
}

impl<W: Write, F: FnMut() -> io::Result<W>> Write for Rotating<W, F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        let mut all = std::mem::take(&mut self.begun);
        let (mut from, mut at) = (0, 0);
        while let Some((record, length)) = self.record(&all[at..])? {
            if self.turns(record, length) {
                self.out.write_all(&all[from..at])?;
                self.out.flush()?;
                self.out = (self.next)()?;
                self.out.write_all(&self.head)?;
                (from, self.written) = (at, self.head.len() as u64);
            }
            if record == Record::Head {
                self.head.extend_from_slice(&all[at..at + length]);
            }
            self.filled |= record == Record::Packet;
            self.written += length as u64;
            at += length;
        }
        self.out.write_all(&all[from..at])?;
        all.drain(..at);
        self.begun = all;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Capture, Frame, LinkType, Time, Writer};
    use std::path::Path;
    use std::sync::Mutex;

    /// A file in memory.
    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<Vec<u8>>>);

    impl Write for Memory {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Passes on a few bytes at a time.
    struct Slow<W>(W);

    impl<W: Write> Write for Slow<W> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(&bytes[..bytes.len().min(7)])
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }

    /// The lengths of the frames of each file, of frames of 1 to `count` bytes.
    fn files(name: &str, most: u64, count: usize, turns: &[usize]) -> (Vec<Vec<usize>>, Vec<usize>) {
        let (list, turn) = (Arc::new(Mutex::new(Vec::<Memory>::new())), Turn::default());
        let own = Arc::clone(&list);
        let next = move || {
            own.lock().unwrap().push(Memory::default());
            Ok(own.lock().unwrap().last().unwrap().clone())
        };
        let out = Slow(Rotating::new(most, turn.clone(), next).unwrap());
        let mut writer = Writer::new(Path::new(name), out).unwrap();
        for length in 1..=count {
            if turns.contains(&length) {
                turn.ask();
            }
            let time = Time { secs: 7, frac: length as u64, digits: 6 };
            let data = vec![length as u8; length];
            let frame =
                Frame { number: 1, time, link: LinkType::ETHERNET, interface: 0, leg: None, data: &data, length };
            writer = writer.frame(&frame).unwrap();
        }
        writer.finish(LinkType::ETHERNET).unwrap();
        let bytes: Vec<Vec<u8>> = list.lock().unwrap().iter().map(|file| file.0.lock().unwrap().clone()).collect();
        let lengths = bytes.iter().map(|file| {
            let mut capture = Capture::open(Box::new(io::Cursor::new(file.clone()))).unwrap();
            let mut lengths = Vec::new();
            while let Some(frame) = capture.next().unwrap() {
                assert_eq!(frame.time.frac, frame.length as u64, "the resolution is described in each file");
                lengths.push(frame.length);
            }
            lengths
        });
        (lengths.collect(), bytes.iter().map(Vec::len).collect())
    }

    #[test]
    fn every_file_is_a_capture_within_the_limit() {
        for name in ["a.pcap", "a.pcapng"] {
            let (frames, sizes) = files(name, 400, 30, &[]);
            assert_eq!(frames.concat(), (1..=30).collect::<Vec<_>>(), "{name}");
            assert!(frames.len() > 2 && sizes.iter().all(|size| *size <= 400), "{name}: {sizes:?}");
            // One that does not fit anywhere has a file to itself.
            let (frames, _) = files(name, 1, 3, &[]);
            assert_eq!(frames, [[1], [2], [3]], "{name}");
            let (frames, _) = files(name, u64::MAX, 6, &[1, 3, 4]);
            assert_eq!(frames, [vec![1, 2], vec![3], vec![4, 5, 6]], "{name}: none is begun for no packet");
        }
    }
}
