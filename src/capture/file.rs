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
    /// The frame's number in the capture, from 1, over all interfaces and sections.
    pub number: u64,
    /// The capture time; zero without digits if the file does not record it.
    pub time: Time,
    /// The type of its first header.
    pub link: LinkType,
    /// The index of its interface in its pcapng section.
    pub interface: u32,
    /// The leg of a proxy's recording that it is on, where the section has both.
    pub leg: Option<Leg>,
    /// The captured bytes.
    pub data: &'a [u8],
    /// The frame's length on the wire, at least that of `data`.
    pub length: usize,
}

enum Reader {
    Classic(Classic),
    PcapNg(PcapNg),
}

/// Reads the frames of a pcap or pcapng file, or of a gzip or zstd file of either.
///
/// A frame is returned as soon as its last byte has arrived. Memory is constant: one read block, or one record of up to
/// [`LONGEST`](super::LONGEST) bytes.
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
    /// The number of consecutive records without a byte.
    empty: u64,
    /// The only leg to be read of a proxy's recording.
    leg: Option<Leg>,
    /// Whether frames of the other leg were skipped.
    left_out: bool,
    /// The packets that interfaces dropped, by the files before this one.
    dropped: u64,
}

/// The largest number of consecutive records without a byte: unpacked zeros are such records.
const EMPTY: u64 = 1 << 20;

/// The files that follow, and the time of the last frame.
struct Joined {
    next: Box<dyn NextFile>,
    last: Option<Time>,
}

/// The end of one of several joined files.
#[derive(Debug)]
pub struct Ended {
    /// The number of frames so far, in all files.
    pub frames: u64,
    /// The time of the last of them.
    pub last: Option<Time>,
    /// The reason, if it ended early.
    pub error: Option<CaptureError>,
}

/// The source of further captures that are read as one. Frames are numbered across all of them.
pub trait NextFile: Send {
    /// Returns the file after the one that has ended; `None` after the last.
    ///
    /// # Errors
    /// The error that ends the reading of all.
    fn next(&mut self, ended: Ended) -> Result<Option<Input>, CaptureError>;
}

impl<F: FnMut(Ended) -> Result<Option<Input>, CaptureError> + Send> NextFile for F {
    fn next(&mut self, ended: Ended) -> Result<Option<Input>, CaptureError> {
        self(ended)
    }
}

impl Capture {
    /// Opens a capture of any supported format.
    ///
    /// # Errors
    /// Those of [`Capture::new`].
    pub fn open(reader: Box<dyn Read + Send>) -> Result<Capture, CaptureError> {
        Capture::new(Input::new(reader)?)
    }

    /// Reads an input, which this consumes. Call [`Input::format`] first if it may not be a capture.
    ///
    /// # Errors
    /// [`CaptureError::NotACapture`]; other errors if the file header cannot be read.
    pub fn new(mut input: Input) -> Result<Capture, CaptureError> {
        let reader = Capture::reader(&mut input)?;
        let (again, next) = (input.again.take(), input.next.take());
        Ok(Capture {
            input,
            reader,
            frames: 0,
            before: 0,
            done: false,
            joined: next.map(|next| Joined { next, last: None }),
            again,
            empty: 0,
            leg: None,
            left_out: false,
            dropped: 0,
        })
    }

    /// Continues with other files at the end of this one.
    pub(crate) fn joined(mut self, next: Box<dyn NextFile>) -> Capture {
        self.joined = Some(Joined { next, last: None });
        self
    }

    /// Continues with other captures at the end of this one; frames are numbered across all of them. An error ends the
    /// reading of all.
    #[must_use]
    pub fn followed_by(self, mut others: impl Iterator<Item = Input> + Send + 'static) -> Capture {
        self.joined(Box::new(move |ended: Ended| ended.error.map_or_else(|| Ok(others.next()), Err)))
    }

    /// Sets the way to open the capture again.
    #[must_use]
    pub fn reopening(self, again: Again) -> Capture {
        Capture { again: Some(again), ..self }
    }

    /// Takes the way to open the capture again; `None` if it can be read only once.
    pub(crate) fn take_again(&mut self) -> Option<Again> {
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

    /// The next frame, `None` at the end of the file. There are no more frames after an error; with
    /// joined files, the error is passed to what opens the next file instead.
    ///
    /// # Errors
    /// If the file is cut, damaged or cannot be read; all frames before have been returned.
    #[inline(always)]
    #[expect(clippy::should_implement_trait, reason = "a lending iterator cannot")]
    pub fn next(&mut self) -> Result<Option<Frame<'_>>, CaptureError> {
        // The two formats do not share the rest of this function: joining the paths would move the record through
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
        if let Some(record) = self.read_on()? { Ok(Some(self.frame(record))) } else { Ok(None) }
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
                Reader::PcapNg(reader) => {
                    let record = reader.next(&mut self.input, own);
                    if reader.skipped > 0 {
                        self.frames += std::mem::take(&mut reader.skipped);
                        self.left_out = true;
                    }
                    record
                }
            };
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
                self.done = true;
                let Some(mut input) = joined.next.next(ended)? else { return Ok(None) };
                match Capture::reader(&mut input) {
                    Ok(reader) => {
                        self.dropped = self.dropped();
                        (self.input, self.reader, self.before, self.done) = (input, reader, self.frames, false);
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
        let leg = match &self.reader {
            Reader::PcapNg(reader) if reader.has_legs => reader.leg_of(record.interface),
            _ => None,
        };
        Frame {
            number: self.frames,
            time: record.time,
            link: record.link,
            interface: record.interface,
            leg,
            data: self.input.passed(record.captured, record.tail),
            length: record.length,
        }
    }

    /// Limits the reading of a proxy's recording to one leg; `None` reads both.
    #[must_use]
    pub fn leg(mut self, leg: Option<Leg>) -> Capture {
        self.leg = leg;
        self.begin_leg();
        self
    }

    /// The one leg that was read of a proxy's recording, if frames of the other one were skipped.
    pub fn one_leg(&self) -> Option<Leg> {
        self.leg.filter(|_| self.left_out)
    }

    /// The packets that the interfaces dropped while the capture was made, by its statistics. The files of one capture
    /// each count from its beginning.
    pub fn dropped(&self) -> u64 {
        match &self.reader {
            Reader::PcapNg(reader) => self.dropped.max(reader.dropped),
            _ => self.dropped,
        }
    }

    fn begin_leg(&mut self) {
        if let Reader::PcapNg(reader) = &mut self.reader {
            reader.leg = self.leg;
        }
    }

    /// The number of bytes that have arrived but are not returned yet. If 0, the next frame has to be waited for.
    pub fn waiting(&self) -> usize {
        self.input.data().len()
    }

    /// The number of frames returned so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }
}
