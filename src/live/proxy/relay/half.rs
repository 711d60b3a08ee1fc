//! One direction of a stream: the bytes that wait, and its end.

use super::counts::DirectionCounts;
use super::measured::Measured;
use super::passed::{Addresses, Arrival, Ended, Passed, RelayOutput, Sent};
use crate::capture::Time;
use crate::live::net::now as time_of_day;
use crate::live::proxy::path::{Path, corrupt};
use crate::live::proxy::{Direction, Gone, Impairments, Passing};
use mio::net::TcpStream;
use std::collections::VecDeque;
use std::io::{ErrorKind, Write};
use std::net::Shutdown;
use std::time::{Duration, Instant};

/// The kinds of end of a half.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    Fin,
    Reset,
}

/// One socket.
pub struct Socket {
    pub socket: TcpStream,
    pub readable: bool,
    pub writable: bool,
    /// A write has failed: the peer has reset the connection. What it sent before is still to be read.
    pub broken: bool,
}

/// One direction of a stream.
pub struct Half {
    pub path: Path,
    pub chunks: VecDeque<Chunk>,
    pub bytes: usize,
    pub last: Instant,
    /// The times when the sender's half-close and reset are passed on. A reset may follow a half-close.
    pub fin: Option<Instant>,
    pub reset: Option<Instant>,
    /// Whether the half-close was passed on.
    finished: bool,
    /// The receiver is gone: nothing more is sent.
    pub lost: bool,
    /// A message waits for the user: nothing is read.
    pub held: bool,
}

/// Bytes that wait.
pub struct Chunk {
    due: Instant,
    bytes: Vec<u8>,
    /// The number of bytes that are sent.
    done: usize,
    arrival: Arrival,
}

/// The place and time of a chunk of a stream.
#[derive(Clone, Copy)]
pub struct Place {
    /// The number of the arrival.
    pub number: u64,
    pub addresses: Addresses,
    pub direction: Direction,
    pub time: Time,
    pub frame: u64,
}

impl Half {
    /// Creates a half without bytes.
    pub fn new(path: Path) -> Half {
        let (chunks, last) = (VecDeque::new(), Instant::now());
        let (fin, reset, finished, lost, held) = (None, None, false, false, false);
        Half { path, chunks, bytes: 0, last, fin, reset, finished, lost, held }
    }

    /// Whether nothing more is read.
    pub fn has_ended(&self) -> bool {
        self.fin.is_some() || self.reset.is_some()
    }

    /// Whether further bytes would be sent.
    pub fn takes(&self) -> bool {
        !self.lost && self.reset.is_none()
    }

    /// Whether nothing more is to be sent.
    pub fn is_over(&self) -> bool {
        let reset = || self.chunks.is_empty() && self.reset.is_some_and(|due| due <= Instant::now());
        self.lost || if self.reset.is_some() { reset() } else { self.finished }
    }

    /// Drops the bytes that wait, since the receiver is gone.
    pub fn lose(&mut self, out: &mut dyn RelayOutput) {
        self.chunks.drain(..).for_each(|chunk| out.dropped(chunk.arrival.number));
        (self.bytes, self.lost) = (0, true);
    }

    /// Queues the bytes that pass, reports them, and counts the chunks with a flipped bit. Returns false if the
    /// connection must be reset. Bytes that arrive for a receiver that is gone are reported alone.
    #[allow(clippy::too_many_arguments, reason = "one chunk")]
    pub fn take(
        &mut self,
        impairments: &Impairments,
        received: &[u8],
        passing: Passing,
        place: Place,
        now: Instant,
        corrupted: &mut u64,
        out: &mut dyn RelayOutput,
    ) -> bool {
        let Passing { gone, mut seen, held, .. } = passing;
        self.held = held;
        let takes = self.takes();
        let gone = match gone {
            _ if !takes => Vec::new(),
            Some(gone) => gone,
            None => vec![Gone { bytes: received.to_vec(), delay: Duration::ZERO }],
        };
        let (mut first, mut kept, before, flipped) = (None, true, self.chunks.len(), *corrupted);
        for Gone { mut bytes, delay } in gone {
            let Some((due, flip)) = self.path.chunk(impairments, bytes.len(), now) else {
                // An arrival has one outcome. The connection is reset before it.
                self.bytes -= self.chunks.drain(before..).map(|chunk| chunk.bytes.len()).sum::<usize>();
                (first, kept, *corrupted) = (None, false, flipped);
                break;
            };
            if let Some(number) = flip {
                corrupt(&mut bytes, number);
                *corrupted += 1;
            }
            self.last = (due + delay).max(self.last);
            let delayed = self.last.saturating_duration_since(now);
            if delay > Duration::ZERO {
                seen.iter_mut().filter(|one| one.delay == delay).for_each(|one| one.delayed = Some(delayed));
            }
            first = first.or(Some(delayed));
            self.bytes += bytes.len();
            let arrival = Arrival { number: place.number, at: now, remark: Box::default() };
            self.chunks.push_back(Chunk { due: self.last, bytes, done: 0, arrival });
        }
        let Place { number, addresses, direction, time, frame } = place;
        let passed = Passed {
            number,
            addresses,
            direction,
            datagram: false,
            received,
            time,
            delayed: first.unwrap_or_default(),
            lost: (!takes || !kept).then_some("reset"),
            copies: 0,
            reordered: false,
            corrupted: *corrupted > flipped,
            held,
            frame,
            seen,
        };
        if out.records() {
            let remark: Box<str> = passed.remark().into();
            self.chunks.iter_mut().skip(before).for_each(|chunk| chunk.arrival.remark = remark.clone());
        }
        out.passed(passed);
        kept
    }

    /// Sends the bytes that are due, and then the half-close. Returns the time of the next ones, or of the end.
    ///
    /// # Errors
    /// The receiver is gone.
    pub fn write(
        &mut self,
        to: &mut Socket,
        counts: &mut DirectionCounts,
        mut measured: Option<(&mut Measured, &Impairments)>,
        addresses: Addresses,
        direction: Direction,
        out: &mut dyn RelayOutput,
    ) -> Result<Option<Instant>, ()> {
        let now = Instant::now();
        if self.lost {
            return Ok(None);
        }
        while let Some(Chunk { due, bytes, done, arrival }) = self.chunks.front_mut() {
            if *due > now {
                return Ok(Some(*due));
            }
            if !to.writable {
                return Ok(None);
            }
            match to.socket.write(bytes.get(*done..).unwrap_or_default()) {
                Ok(written) => {
                    let sent = bytes.get(*done..*done + written).unwrap_or_default();
                    let waited = if *due > arrival.at { arrival.at.elapsed() } else { Duration::ZERO };
                    let (time, delayed) = (time_of_day(), waited);
                    out.sent(&Sent { arrival, addresses, direction, datagram: false, bytes: sent, time, delayed });
                    if let Some((measured, impairments)) = &mut measured {
                        if *done == 0 {
                            measured.delay(now.saturating_duration_since(arrival.at));
                        }
                        if let Some(rate) = impairments.rate {
                            let bytes = if rate.payload { written } else { self.path.stream_on_wire(written) };
                            self.path.measure(bytes, now).into_iter().for_each(|bits| measured.rate(bits));
                        }
                    }
                    *done += written;
                    self.bytes -= written;
                    if *done >= bytes.len() {
                        counts.passed += 1;
                        self.chunks.pop_front();
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => to.writable = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(()),
            }
        }
        match self.fin.filter(|_| !self.finished) {
            Some(due) if due > now => return Ok(Some(due)),
            Some(_) => {
                self.finished = true;
                let _ = to.socket.shutdown(Shutdown::Write);
                out.ended(&Ended { addresses, direction, arrived: false, reset: false, time: time_of_day() });
            }
            None => {}
        }
        // Closing the socket sends a reset.
        Ok(self.reset.filter(|due| *due > now))
    }
}
