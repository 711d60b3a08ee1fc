//! One direction of a stream: the bytes that wait, and the end behind them.

use super::counts::WayCounts;
use super::passed::{Output, Passed};
use crate::capture::Time;
use crate::live::proxy::path::Path;
use crate::live::proxy::{Gone, Impairments, Passing, Seen, Way};
use mio::net::TcpStream;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::net::{Shutdown, SocketAddr};
use std::time::{Duration, Instant};

/// How a direction ends.
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
}

/// What goes one way.
pub struct Direction {
    pub path: Path,
    pub chunks: VecDeque<(Instant, Vec<u8>, usize)>,
    pub bytes: usize,
    pub last: Instant,
    pub end: Option<(Instant, End)>,
    pub closed: bool,
}

/// Where and when something of a stream passes.
#[derive(Clone, Copy)]
pub struct Place {
    pub ends: [SocketAddr; 2],
    pub own: [SocketAddr; 2],
    pub way: Way,
    pub time: Time,
    pub frame: u64,
}

impl Direction {
    /// Nothing has come yet.
    pub fn new(path: Path) -> Direction {
        Direction { path, chunks: VecDeque::new(), bytes: 0, last: Instant::now(), end: None, closed: false }
    }

    /// Takes what passes on, and tells of it. `false`: the connection is to be reset.
    pub fn take(
        &mut self,
        impairments: &Impairments,
        came: &[u8],
        passing: Passing,
        place: Place,
        now: Instant,
        out: &mut dyn Output,
    ) -> io::Result<bool> {
        let Passing { gone, mut seen, .. } = passing;
        let gone = gone.unwrap_or_else(|| vec![Gone { bytes: came.to_vec(), delay: Duration::ZERO }]);
        let (mut dues, mut kept) = (Vec::with_capacity(gone.len()), true);
        for Gone { bytes, delay } in gone {
            let Some(due) = self.path.piece(impairments, bytes.len(), now) else {
                kept = false;
                break;
            };
            self.last = (due + delay).max(self.last);
            let delayed = self.last.saturating_duration_since(now);
            if delay > Duration::ZERO {
                seen.iter_mut().filter(|one| one.delay == delay).for_each(|one| one.delayed = Some(delayed));
            }
            dues.push((delayed, self.chunks.len()));
            self.bytes += bytes.len();
            self.chunks.push_back((self.last, bytes, 0));
        }
        let mut seen = Some(seen);
        let mut came = Some(came);
        let mut tell = |delayed: Duration, goes: &[u8], lost: Option<&'static str>| {
            let Place { ends, own, way, time, frame } = place;
            out.passed(Passed {
                ends,
                own,
                way,
                datagram: false,
                came: came.take().unwrap_or_default(),
                goes,
                time,
                delayed,
                lost,
                copies: 0,
                behind: false,
                frame,
                seen: seen.take().unwrap_or_default(),
            })
        };
        for (delayed, at) in &dues {
            tell(*delayed, self.chunks.get(*at).map_or(&[], |(_, bytes, _)| bytes), None)?;
        }
        match kept {
            true if dues.is_empty() => tell(Duration::ZERO, &[], None)?,
            true => {}
            false => tell(Duration::ZERO, &[], Some("reset"))?,
        }
        Ok(kept)
    }

    /// Passes on what is due. When is the next?
    pub fn write(&mut self, to: &mut Socket, counts: &mut WayCounts) -> Result<Option<Instant>, ()> {
        let now = Instant::now();
        while let Some((due, bytes, done)) = self.chunks.front_mut() {
            if *due > now {
                return Ok(Some(*due));
            }
            if !to.writable {
                return Ok(None);
            }
            match to.socket.write(bytes.get(*done..).unwrap_or_default()) {
                Ok(written) => {
                    *done += written;
                    self.bytes -= written;
                    if *done >= bytes.len() {
                        counts.passed += 1;
                        self.chunks.pop_front();
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => to.writable = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Nobody takes it any more.
                Err(_) => return Err(()),
            }
        }
        match self.end {
            Some((due, _)) if due > now => Ok(Some(due)),
            Some((_, End::Reset)) => Err(()),
            Some((_, End::Fin)) if !self.closed => {
                self.closed = true;
                let _ = to.socket.shutdown(Shutdown::Write);
                Ok(None)
            }
            _ => Ok(None),
        }
    }
}

/// What rules have done to messages.
pub fn count(seen: &[Seen], counts: &mut WayCounts) {
    counts.dropped += seen.iter().filter(|one| one.dropped).count() as u64;
    counts.edited +=
        seen.iter().filter(|one| one.edited.as_ref().is_some_and(|edited| edited.not.is_none())).count() as u64;
    counts.copies += seen.iter().map(|one| u64::from(one.copies)).sum::<u64>();
}
