//! Writes the exchange as a capture: each datagram, and TCP as segments built around the bytes that were sent and
//! received.

use crate::capture::connection::{Connection, handshake, last, most};
use crate::capture::{Body, Bound, LinkType, PcapWriter, Segment, Time, ethernet};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds in a second.
const SECOND: i64 = 1_000_000_000;
/// The bytes that a frame takes in the file besides its own.
const RECORD: usize = 16;

/// Writes exchanges. Several threads share it.
pub struct Recorder(Mutex<Bounded>);

/// A file, and the number of bytes that it may still take.
struct Bounded {
    out: PcapWriter<Box<dyn Write + Send>>,
    left: Bound,
    missing: u64,
}

impl Recorder {
    /// Creates a recorder that writes to any writer.
    ///
    /// # Errors
    /// Returns the writer's error.
    pub fn new(out: Box<dyn Write + Send>) -> io::Result<Recorder> {
        let out = PcapWriter::new(out, LinkType::ETHERNET, 9)?;
        Ok(Recorder(Mutex::new(Bounded { out, left: Bound::default(), missing: 0 })))
    }

    /// Limits the file to this many bytes. Further frames are only [counted](Recorder::missing).
    #[must_use]
    pub(crate) fn bounded(self, most: Bound) -> Recorder {
        let inner = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        Recorder(Mutex::new(Bounded { left: most, ..inner }))
    }

    /// The number of frames that were not written, because the file was full.
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
        // A shorter frame after a missing one would hide that one is missing.
        match file.missing == 0 && file.left.take(frame.len() + RECORD) {
            true => file.out.frame(time, &frame),
            false => {
                file.missing += 1;
                Ok(())
            }
        }
    }

    /// Writes everything that waits.
    ///
    /// # Errors
    /// Returns the writer's error.
    pub fn flush(&self) -> io::Result<()> {
        self.lock().out.flush()
    }
}

/// Returns the time of day, for captures and sessions. It never goes back, even if the system's clock is set, because a
/// recording is in the order of time.
pub fn now() -> Time {
    static LAST: AtomicI64 = AtomicI64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let nanos = i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
    let nanos = LAST.fetch_max(nanos, Ordering::Relaxed).max(nanos);
    Time { secs: nanos / SECOND, frac: (nanos % SECOND) as u64, digits: 9 }
}

/// The frames of one conversation.
pub struct Tape<'a> {
    recorder: Option<&'a Recorder>,
    /// Our address and the peer's.
    ends: [SocketAddr; 2],
    connection: Connection,
}

impl<'a> Tape<'a> {
    /// Creates the tape of a conversation between our address and the peer's.
    pub fn new(recorder: Option<&'a Recorder>, ends: [SocketAddr; 2]) -> Tape<'a> {
        Tape { recorder, ends, connection: Connection::default() }
    }

    /// Records a datagram, or bytes of a stream. `from`: 0 is our side, 1 the peer's.
    ///
    /// # Errors
    /// Returns the writer's error.
    pub fn bytes(&mut self, from: usize, bytes: &[u8], datagram: bool, time: Time) -> io::Result<()> {
        if datagram {
            return self.write(from, &Body::Udp { payload: bytes, length: bytes.len() }, time);
        }
        let data = |payload| Segment { payload, ..Segment::default() };
        bytes.chunks(most(false)).try_for_each(|payload| self.segment(from, data(payload), time))
    }

    fn segment(&mut self, from: usize, segment: Segment<'_>, time: Time) -> io::Result<()> {
        let segment = self.connection.next(from, segment);
        self.write(from, &Body::Tcp(segment), time)
    }

    fn write(&self, from: usize, body: &Body<'_>, time: Time) -> io::Result<()> {
        let Some(recorder) = self.recorder else { return Ok(()) };
        let [src, dst] = if from == 0 { self.ends } else { [self.ends[1], self.ends[0]] };
        recorder.write(src, dst, body, time)
    }

    /// Records that the connection was made. `by`: 0 if we opened it, 1 if the peer did.
    ///
    /// # Errors
    /// Returns the writer's error.
    pub fn connected(&mut self, by: usize, time: Time) -> io::Result<()> {
        handshake().into_iter().try_for_each(|(side, segment)| self.segment(side ^ by, segment, time))
    }

    /// Records that one side has sent its last byte.
    ///
    /// # Errors
    /// Returns the writer's error.
    pub fn ended(&mut self, from: usize, reset: bool, time: Time) -> io::Result<()> {
        self.segment(from, last(reset), time)
    }
}
