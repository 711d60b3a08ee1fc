//! A capture file as a stream of frames.

use super::classic::Classic;
use super::error::CaptureError;
use super::input::{Format, Input};
use super::pcapng::PcapNg;
use super::record::Record;
use super::{LinkType, Time};
use std::io::Read;

/// One captured frame. Its bytes are borrowed from the reader's buffer.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Its number in the capture, from 1, over all interfaces and sections.
    pub number: u64,
    /// When it was captured; zero without digits if the file does not tell.
    pub time: Time,
    /// The type of its first header.
    pub link: LinkType,
    /// The index of its interface in its pcapng section.
    pub interface: u32,
    /// The captured bytes.
    pub data: &'a [u8],
    /// Its length on the wire, at least that of `data`.
    pub length: usize,
}

enum Reader {
    Classic(Classic),
    PcapNg(PcapNg),
}

/// Reads the frames of a pcap or pcapng file, or of a gzip or zstd file of either.
///
/// A frame is given out as soon as its last byte has arrived. Memory is constant: a read block,
/// or a record of up to [`LONGEST`](super::LONGEST) bytes.
///
/// ```
/// use netkit::capture::{Capture, LinkType, PcapWriter, Time};
///
/// let mut file = Vec::new();
/// let mut writer = PcapWriter::new(&mut file, LinkType::ETHERNET, 6)?;
/// writer.frame(Time::micros(7, 8), b"abc")?;
///
/// let mut capture = Capture::open(Box::new(std::io::Cursor::new(file)))?;
/// while let Some(frame) = capture.next()? {
///     assert_eq!((frame.number, frame.data), (1, &b"abc"[..]));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Capture {
    input: Input,
    reader: Reader,
    frames: u64,
    done: bool,
}

impl Capture {
    /// Opens a capture of any supported format.
    ///
    /// # Errors
    /// As [`Capture::new`].
    pub fn open(reader: Box<dyn Read + Send>) -> Result<Capture, CaptureError> {
        Capture::new(Input::new(reader)?)
    }

    /// Opens an input whose format has been determined. Call [`Input::format`] first if it may be
    /// something else, since this consumes the input.
    ///
    /// # Errors
    /// [`CaptureError::NotACapture`]; other errors if the file header cannot be read.
    pub fn new(mut input: Input) -> Result<Capture, CaptureError> {
        let reader = match input.format() {
            Some(Format::Pcap) => Reader::Classic(Classic::open(&mut input)?),
            Some(Format::PcapNg) => Reader::PcapNg(PcapNg::default()),
            None => {
                let first = input.data().iter().copied().take(4).collect();
                return Err(CaptureError::NotACapture { first });
            }
        };
        Ok(Capture { input, reader, frames: 0, done: false })
    }

    /// The next frame, `None` at the end of the file. After an error there are no more frames.
    ///
    /// # Errors
    /// If the file is cut, damaged or cannot be read; all frames before have been returned.
    #[inline(always)]
    #[expect(clippy::should_implement_trait, reason = "a lending iterator cannot")]
    pub fn next(&mut self) -> Result<Option<Frame<'_>>, CaptureError> {
        // The two formats do not share a tail: joining the paths would move the record through
        // memory.
        match &mut self.reader {
            Reader::Classic(reader) => {
                if let Some(record) = reader.buffered(&mut self.input) {
                    return Ok(Some(self.frame(record)));
                }
            }
            Reader::PcapNg(reader) => {
                if let Some(record) = reader.buffered(&mut self.input) {
                    return Ok(Some(self.frame(record)));
                }
            }
        }
        match self.read_on()? {
            Some(record) => Ok(Some(self.frame(record))),
            None => Ok(None),
        }
    }

    #[inline(never)]
    fn read_on(&mut self) -> Result<Option<Record>, CaptureError> {
        if self.done {
            return Ok(None);
        }
        let record = match &mut self.reader {
            Reader::Classic(reader) => reader.next(&mut self.input, self.frames),
            Reader::PcapNg(reader) => reader.next(&mut self.input, self.frames),
        };
        if !matches!(record, Ok(Some(_))) {
            self.done = true;
            // Otherwise the fast path would find the frames after a damaged block.
            self.input.close();
        }
        record
    }

    #[inline(always)]
    fn frame(&mut self, record: Record) -> Frame<'_> {
        self.frames += 1;
        Frame {
            number: self.frames,
            time: record.time,
            link: record.link,
            interface: record.interface,
            data: self.input.behind(record.captured, record.tail),
            length: record.length,
        }
    }

    /// How many bytes of the (unpacked) file the frames returned so far took.
    pub fn position(&self) -> u64 {
        self.input.position()
    }

    /// How many bytes have arrived and were not returned yet: if 0, the next frame has to be waited
    /// for.
    pub fn waiting(&self) -> usize {
        self.input.data().len()
    }

    /// How many frames were returned so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }
}
