//! The exchange as a capture: each datagram, and TCP as segments built around what was sent and
//! received.

use crate::capture::{Body, Bound, LinkType, PcapWriter, Segment, Time, ethernet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// A link type of Ethernet frames.
const ETHERNET: LinkType = LinkType(1);
/// More than a segment on an Ethernet has never.
const MSS: usize = 1460;

/// Nanoseconds.
const SECOND: i64 = 1_000_000_000;
/// What a frame takes in the file beside its bytes.
const RECORD: usize = 16;

/// Where exchanges are written; several threads share it.
pub struct Recorder(Mutex<Bounded>);

/// A file, and how many bytes more it may take.
struct Bounded {
    out: PcapWriter<Box<dyn Write + Send>>,
    left: Bound,
    missing: u64,
}

impl Recorder {
    /// Writes into a file, which it makes or empties.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn create(path: &Path) -> io::Result<Recorder> {
        Recorder::new(Box::new(BufWriter::new(File::create(path)?)))
    }

    /// Writes to any writer.
    ///
    /// # Errors
    /// The writer's.
    pub fn new(out: Box<dyn Write + Send>) -> io::Result<Recorder> {
        let out = PcapWriter::new(out, ETHERNET, 9)?;
        Ok(Recorder(Mutex::new(Bounded { out, left: Bound::default(), missing: 0 })))
    }

    /// The same, with at most so many bytes: frames that come then are [counted](Recorder::missing) alone.
    #[must_use]
    pub fn bounded(self, most: Bound) -> Recorder {
        let inner = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        Recorder(Mutex::new(Bounded { left: most, ..inner }))
    }

    /// How many frames were not written, because there were too many before them.
    pub fn missing(&self) -> u64 {
        self.lock().missing
    }

    fn lock(&self) -> MutexGuard<'_, Bounded> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, src: SocketAddr, dst: SocketAddr, body: &Body<'_>, time: Time) -> io::Result<()> {
        let mut frame = Vec::new();
        ethernet(src, dst, body, &mut frame).map_err(io::Error::other)?;
        let mut file = self.lock();
        // A shorter frame behind a missing one would look as if that had never been.
        match file.missing == 0 && file.left.take(frame.len() + RECORD) {
            true => file.out.frame(time, &frame),
            false => {
                file.missing += 1;
                Ok(())
            }
        }
    }

    /// Writes out what is waiting.
    ///
    /// # Errors
    /// The writer's.
    pub fn flush(&self) -> io::Result<()> {
        self.lock().out.flush()
    }
}

/// Returns the time of day, for captures and sessions. It never goes back, also where the system's
/// clock is set: a recording is in the order of time.
pub fn now() -> Time {
    static LAST: AtomicI64 = AtomicI64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let nanos = i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
    let nanos = LAST.fetch_max(nanos, Ordering::Relaxed).max(nanos);
    Time { secs: nanos / SECOND, frac: (nanos % SECOND) as u64, digits: 9 }
}

/// One conversation's frames.
pub struct Tape<'a> {
    recorder: Option<&'a Recorder>,
    /// Our end, the peer's end.
    ends: [SocketAddr; 2],
    /// TCP: the next sequence number of each end.
    next: [u32; 2],
}

impl<'a> Tape<'a> {
    /// The tape of a conversation between our end and the peer's.
    pub fn new(recorder: Option<&'a Recorder>, ends: [SocketAddr; 2]) -> Tape<'a> {
        Tape { recorder, ends, next: [1000, 5000] }
    }

    fn ends(&self, from: usize) -> (SocketAddr, SocketAddr) {
        if from == 0 { (self.ends[0], self.ends[1]) } else { (self.ends[1], self.ends[0]) }
    }

    /// A datagram or bytes of a stream; `from`: 0 is our end, 1 the peer's.
    ///
    /// # Errors
    /// The writer's.
    pub fn bytes(&mut self, from: usize, bytes: &[u8], datagram: bool, time: Time) -> io::Result<()> {
        if datagram { self.datagram(from, bytes, time) } else { self.data(from, bytes, time) }
    }

    /// A datagram; `from`: 0 is our end, 1 the peer's.
    ///
    /// # Errors
    /// The writer's.
    pub fn datagram(&mut self, from: usize, payload: &[u8], time: Time) -> io::Result<()> {
        let Some(recorder) = self.recorder else { return Ok(()) };
        let (src, dst) = self.ends(from);
        recorder.write(src, dst, &Body::Udp { payload, length: payload.len() }, time)
    }

    fn segment(&mut self, from: usize, segment: Segment<'_>, time: Time) -> io::Result<()> {
        let Some(recorder) = self.recorder else { return Ok(()) };
        let (src, dst) = self.ends(from);
        let (mine, other) = if from == 0 { (0, 1) } else { (1, 0) };
        let taken = segment.payload.len() as u32 + segment.syn as u32 + segment.fin as u32;
        let has_ack = !segment.syn || segment.has_ack;
        let ack = if has_ack { self.next[other] } else { 0 };
        let segment = Segment { seq: self.next[mine], ack, has_ack, length: segment.payload.len(), ..segment };
        self.next[mine] = self.next[mine].wrapping_add(taken);
        recorder.write(src, dst, &Body::Tcp(segment), time)
    }

    /// The connection was made; `by`: 0, we asked for it, 1, the peer did.
    ///
    /// # Errors
    /// The writer's.
    pub fn connected(&mut self, by: usize, time: Time) -> io::Result<()> {
        let syn = |has_ack| Segment { syn: true, has_ack, ..Segment::default() };
        self.segment(by, syn(false), time)?;
        self.segment(1 - by.min(1), syn(true), time)?;
        self.segment(by, Segment::default(), time)
    }

    /// Bytes of a stream.
    ///
    /// # Errors
    /// The writer's.
    pub fn data(&mut self, from: usize, bytes: &[u8], time: Time) -> io::Result<()> {
        bytes.chunks(MSS).try_for_each(|payload| self.segment(from, Segment { payload, ..Segment::default() }, time))
    }

    /// One end has sent its last byte.
    ///
    /// # Errors
    /// The writer's.
    pub fn ended(&mut self, from: usize, reset: bool, time: Time) -> io::Result<()> {
        self.segment(from, Segment { fin: !reset, rst: reset, ..Segment::default() }, time)
    }
}
