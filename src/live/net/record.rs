//! Writes the exchange as a capture: each datagram, and TCP as segments built around the bytes that were sent and
//! received.

use crate::capture::connection::{Connection, handshake, last, most};
use crate::capture::{Body, Bound, LinkType, PcapWriter, Segment, Time, ethernet};
use std::io::{self, ErrorKind, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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
    /// The error after which nothing more is written. The sessions go on without the recording.
    failed: Option<(ErrorKind, String)>,
}

impl Recorder {
    /// Creates a recorder that writes to any writer.
    ///
    /// # Errors
    /// Returns the writer's error.
    pub fn new(out: Box<dyn Write + Send>) -> io::Result<Recorder> {
        let out = PcapWriter::new(out, LinkType::ETHERNET, 9)?;
        Ok(Recorder(Mutex::new(Bounded { out, left: Bound::default(), missing: 0, failed: None })))
    }

    /// Limits the file to this many bytes. Further frames are only [counted](Recorder::missing).
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

    fn write(&self, src: SocketAddr, dst: SocketAddr, body: &Body<'_>, time: Time) {
        let mut frame = Vec::new();
        let built = ethernet(src, dst, body, &mut frame).map_err(io::Error::other);
        let mut file = self.lock();
        if file.failed.is_some() {
            return;
        }
        // A shorter frame after a missing one would hide that one is missing.
        let written = match file.missing == 0 && file.left.take(frame.len() + RECORD) {
            true => built.and_then(|()| file.out.frame(time, &frame)),
            false => {
                file.missing += 1;
                Ok(())
            }
        };
        if let Err(error) = written {
            file.failed = Some((error.kind(), error.to_string()));
        }
    }

    /// Writes everything that waits.
    ///
    /// # Errors
    /// Returns the writer's error, also an earlier one.
    pub fn flush(&self) -> io::Result<()> {
        let mut file = self.lock();
        match &file.failed {
            Some((kind, why)) => Err(io::Error::new(*kind, why.clone())),
            None => file.out.flush(),
        }
    }
}

/// The time of day at which a clock that is never set began. If the time of day is set back, the latest is kept.
static BEGAN: AtomicI64 = AtomicI64::new(i64::MIN);

/// Returns the time of day by a clock that is never set. `wall` was read before `passed`; all are nanoseconds.
fn steady(began: &AtomicI64, wall: i64, passed: i64) -> i64 {
    let own = wall.saturating_sub(passed);
    began.fetch_max(own, Ordering::Relaxed).max(own).saturating_add(passed)
}

/// Returns the time of day, for captures and sessions. It never goes back or stops, even if the system's clock is set
/// back, because a recording is in the order of time.
pub fn now() -> Time {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    let begin = BEGIN.get_or_init(Instant::now);
    let nanos = |time: Duration| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
    let wall = nanos(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
    let nanos = steady(&BEGAN, wall, nanos(begin.elapsed()));
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
    pub fn bytes(&mut self, from: usize, bytes: &[u8], datagram: bool, time: Time) {
        if datagram {
            return self.write(from, &Body::Udp { payload: bytes, length: bytes.len() }, time);
        }
        let data = |payload| Segment { payload, ..Segment::default() };
        bytes.chunks(most(false)).for_each(|payload| self.segment(from, data(payload), time));
    }

    fn segment(&mut self, from: usize, segment: Segment<'_>, time: Time) {
        let segment = self.connection.next(from, segment);
        self.write(from, &Body::Tcp(segment), time);
    }

    fn write(&self, from: usize, body: &Body<'_>, time: Time) {
        let Some(recorder) = self.recorder else { return };
        let [src, dst] = if from == 0 { self.ends } else { [self.ends[1], self.ends[0]] };
        recorder.write(src, dst, body, time);
    }

    /// Records that the connection was made. `by`: 0 if we opened it, 1 if the peer did.
    pub fn connected(&mut self, by: usize, time: Time) {
        handshake().into_iter().for_each(|(side, segment)| self.segment(side ^ by, segment, time));
    }

    /// Records that one side has sent its last byte.
    pub fn ended(&mut self, from: usize, reset: bool, time: Time) {
        self.segment(from, last(reset), time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on_after_the_clock_was_set_back() {
        let (began, hour) = (AtomicI64::new(i64::MIN), 3_600 * SECOND);
        let at = |wall, passed| steady(&began, wall, passed);
        assert_eq!(at(10 * hour, 0), 10 * hour);
        assert_eq!(at(9 * hour + SECOND, SECOND), 10 * hour + SECOND);
        assert_eq!(at(9 * hour + 2 * SECOND, 2 * SECOND), 10 * hour + 2 * SECOND);
        assert_eq!(at(12 * hour, 3 * SECOND), 12 * hour, "set forward, or after a suspension");
    }
}
