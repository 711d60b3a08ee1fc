//! A capture file as a stream of frames.

use super::classic::Classic;
use super::error::{CaptureError, Reached};
use super::input::{Again, Format, Input};
use super::pcapng::PcapNg;
use super::record::Record;
use super::{Leg, LinkType, Time};
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
    /// Frames of the files before this one.
    before: u64,
    done: bool,
    joined: Option<Joined>,
    again: Option<Again>,
    /// How many records without a byte came one after the other.
    empty: u64,
    /// The leg that is read of a proxy's recording.
    leg: Option<Leg>,
    /// Were frames of the other one left out?
    left_out: bool,
}

/// How many records without a byte may come one after the other: unpacked zeros are such records.
const EMPTY: u64 = 1 << 20;

/// Files that follow, and the time of the last frame.
struct Joined {
    next: Box<dyn NextFile>,
    last: Option<Time>,
}

/// How a file of several ended.
#[derive(Debug)]
pub struct Ended {
    /// The frames so far, of all files.
    pub frames: u64,
    /// The time of the last of them.
    pub last: Option<Time>,
    /// Why it ended early.
    pub error: Option<CaptureError>,
}

/// Captures that are read as one: their frames are counted on.
pub trait NextFile: Send {
    /// A file has ended: the next one, `None` after the last.
    fn next(&mut self, ended: Ended) -> Option<Input>;
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
        let reader = Capture::reader(&mut input)?;
        let again = input.again.take();
        Ok(Capture {
            input,
            reader,
            frames: 0,
            before: 0,
            done: false,
            joined: None,
            again,
            empty: 0,
            leg: None,
            left_out: false,
        })
    }

    /// Goes on with other files when this one has ended.
    pub fn joined(mut self, next: Box<dyn NextFile>) -> Capture {
        self.joined = Some(Joined { next, last: None });
        self
    }

    /// The same capture, with how it is opened once more.
    #[must_use]
    pub fn reopening(self, again: Again) -> Capture {
        Capture { again: Some(again), ..self }
    }

    /// Takes what opens it once more; `None`: it can be read only once.
    pub fn take_again(&mut self) -> Option<Again> {
        self.again.take()
    }

    fn reader(input: &mut Input) -> Result<Reader, CaptureError> {
        Ok(match input.format() {
            Some(Format::Pcap) => Reader::Classic(Classic::open(input)?),
            Some(Format::PcapNg) => Reader::PcapNg(PcapNg::default()),
            None => {
                let first = input.data().iter().copied().take(4).collect();
                return Err(CaptureError::NotACapture { first });
            }
        })
    }

    /// The next frame, `None` at the end of the file. After an error there are no more frames; of
    /// [joined](Capture::joined) files the next one is told of it.
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
        loop {
            let own = self.frames - self.before;
            if self.empty > EMPTY {
                let reached = Reached { name: "empty_records", what: "records without a byte in a row", most: EMPTY };
                let at = self.input.place(0);
                self.input.close();
                self.done = true;
                return Err(CaptureError::Limit { at, frames: self.frames, reached });
            }
            let record = match &mut self.reader {
                Reader::Classic(reader) => reader.next(&mut self.input, own),
                Reader::PcapNg(reader) => reader.next(&mut self.input, own),
            };
            if let Reader::PcapNg(reader) = &mut self.reader
                && reader.skipped > 0
            {
                self.frames += std::mem::take(&mut reader.skipped);
                self.left_out = true;
            }
            let error = match record {
                Ok(Some(record)) => return Ok(Some(record)),
                Ok(None) => None,
                Err(error) => Some(error),
            };
            // Otherwise the fast path would find the frames after a damaged block.
            self.input.close();
            let Some(joined) = &mut self.joined else {
                self.done = true;
                return error.map_or(Ok(None), Err);
            };
            let mut ended = Ended { frames: self.frames, last: joined.last, error };
            loop {
                let Some(mut input) = joined.next.next(ended) else {
                    self.done = true;
                    return Ok(None);
                };
                match Capture::reader(&mut input) {
                    Ok(reader) => {
                        (self.input, self.reader, self.before) = (input, reader, self.frames);
                        self.begin_leg();
                        break;
                    }
                    Err(error) => {
                        ended = Ended { frames: self.frames, last: joined.last, error: Some(error) };
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn frame(&mut self, record: Record) -> Frame<'_> {
        self.frames += 1;
        self.empty = if record.length == 0 { self.empty + 1 } else { 0 };
        if let Some(joined) = &mut self.joined {
            joined.last = Some(record.time);
        }
        Frame {
            number: self.frames,
            time: record.time,
            link: record.link,
            interface: record.interface,
            data: self.input.behind(record.captured, record.tail),
            length: record.length,
        }
    }

    /// Reads this leg alone of a proxy's recording, or both.
    #[must_use]
    pub fn leg(mut self, leg: Option<Leg>) -> Capture {
        self.leg = leg;
        self.begin_leg();
        self
    }

    /// The leg that was read of a proxy's recording, where frames of the other one were left out.
    pub fn one_leg(&self) -> Option<Leg> {
        self.leg.filter(|_| self.left_out)
    }

    fn begin_leg(&mut self) {
        if let Reader::PcapNg(reader) = &mut self.reader {
            reader.leg = self.leg;
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
