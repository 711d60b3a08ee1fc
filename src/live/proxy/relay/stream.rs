//! A stream's two sockets, and the bytes between them.

use super::config::Config;
use super::counts::Counts;
use super::passed::{Output, Passed};
use crate::capture::Time;
use crate::live::net::now as time_of_day;
use crate::live::proxy::path::Path;
use crate::live::proxy::{Gone, Impairments, Passing, Seen, Watch, Way};
use mio::event::Event;
use mio::net::TcpStream;
use mio::{Interest, Registry, Token};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::time::{Duration, Instant};

/// The most bytes of a direction that wait: then the sender waits.
const MOST: usize = 256 << 10;
/// So often a direction is read before others have their turn.
const READS: usize = 8;

/// When a pair wants to go on.
pub enum Turn {
    /// It is over.
    Over,
    /// Then.
    At(Instant),
    /// When others had their turn.
    Again,
    /// When a socket tells.
    Wait,
}

/// How a direction ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Fin,
    Reset,
}

/// One socket.
struct Socket {
    socket: TcpStream,
    readable: bool,
    writable: bool,
}

/// What goes one way.
struct Direction {
    path: Path,
    chunks: VecDeque<(Instant, Vec<u8>, usize)>,
    bytes: usize,
    last: Instant,
    end: Option<(Instant, End)>,
    closed: bool,
}

/// A client's connection and ours to the server.
pub struct Pair {
    ends: [SocketAddr; 2],
    own: [SocketAddr; 2],
    sockets: [Socket; 2],
    directions: [Direction; 2],
    connected: bool,
}

/// Ends a connection at once.
pub fn reset(stream: &TcpStream) {
    let _ = socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO));
}

impl Pair {
    /// A client's connection, and the beginning of one to the server.
    pub fn new(
        client: TcpStream,
        address: SocketAddr,
        config: &Config,
        number: u64,
        registry: &Registry,
        tokens: [Token; 2],
    ) -> io::Result<Pair> {
        let server = TcpStream::connect(config.target).inspect_err(|_| reset(&client))?;
        let own = [client.local_addr()?, server.local_addr()?];
        let mut sockets = [client, server].map(|socket| Socket { socket, readable: true, writable: true });
        for (end, token) in sockets.iter_mut().zip(tokens) {
            // A relay that waits for more adds a delay of its own.
            let _ = end.socket.set_nodelay(true);
            registry.register(&mut end.socket, token, Interest::READABLE | Interest::WRITABLE)?;
        }
        let direction = |way: usize| Direction {
            path: Path::new(config.seed, number, way),
            chunks: VecDeque::new(),
            bytes: 0,
            last: Instant::now(),
            end: None,
            closed: false,
        };
        Ok(Pair {
            ends: [address, config.target],
            own,
            sockets,
            directions: [direction(0), direction(1)],
            connected: false,
        })
    }

    /// The client's and the server's address.
    pub fn ends(&self) -> [SocketAddr; 2] {
        self.ends
    }

    /// A socket has something to tell.
    pub fn ready(&mut self, which: usize, event: &Event) {
        let end = &mut self.sockets[which];
        end.readable |= event.is_readable() || event.is_read_closed() || event.is_error();
        end.writable |= event.is_writable() || event.is_write_closed() || event.is_error();
    }

    /// The sockets are closed.
    pub fn deregister(&mut self, registry: &Registry) {
        for end in &mut self.sockets {
            let _ = registry.deregister(&mut end.socket);
        }
    }

    /// Reads and writes what can be.
    pub fn go(
        &mut self,
        config: &Config,
        counts: &mut Counts,
        buffer: &mut [u8],
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn Output,
    ) -> io::Result<Turn> {
        if !self.connected {
            let server = &self.sockets[1].socket;
            match server.take_error() {
                Ok(None) => match server.peer_addr() {
                    Ok(_) => self.connected = true,
                    Err(error) if error.kind() == ErrorKind::NotConnected => {}
                    Err(error) => return Ok(self.unreached(&error, counts, watch, out)),
                },
                Ok(Some(error)) | Err(error) => return Ok(self.unreached(&error, counts, watch, out)),
            }
            if self.connected {
                self.own[1] = self.sockets[1].socket.local_addr().unwrap_or(self.own[1]);
            }
        }
        let (mut next, mut again): (Option<Instant>, bool) = (None, false);
        for way in Way::BOTH {
            again |= self.read(way, config, counts, buffer, watch, out)?;
            next = [next, self.waiting(way, config, watch, out)?].into_iter().flatten().min();
            match self.write(way, counts) {
                Ok(at) => {
                    next = [next, at].into_iter().flatten().min();
                    let (from, direction) = (&self.sockets[way.index()], &self.directions[way.index()]);
                    // What waited for room: no event tells of it again.
                    let open = self.connected || way == Way::Up;
                    again |= open && from.readable && direction.end.is_none() && direction.bytes < MOST;
                }
                Err(()) => {
                    self.sockets.iter().for_each(|end| reset(&end.socket));
                    counts.reset += 1;
                    if let Some(watch) = watch {
                        watch.ended(self.ends, way, true, time_of_day());
                        watch.forget(self.ends);
                    }
                    return Ok(Turn::Over);
                }
            }
        }
        if self.directions.iter().all(|direction| direction.closed) {
            if let Some(watch) = watch {
                watch.forget(self.ends);
            }
            return Ok(Turn::Over);
        }
        Ok(match (again, next) {
            (true, _) => Turn::Again,
            (false, Some(at)) => Turn::At(at),
            (false, None) => Turn::Wait,
        })
    }

    fn unreached(
        &self,
        error: &io::Error,
        counts: &mut Counts,
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn Output,
    ) -> Turn {
        out.note(format!("{}: the server is not reached: {error}", self.ends[0]));
        counts.refused += u64::from(error.kind() == ErrorKind::ConnectionRefused);
        counts.reset += 1;
        reset(&self.sockets[0].socket);
        if let Some(watch) = watch {
            watch.forget(self.ends);
        }
        Turn::Over
    }

    /// Takes what came. Is there more than the budget allows?
    fn read(
        &mut self,
        way: Way,
        config: &Config,
        counts: &mut Counts,
        buffer: &mut [u8],
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn Output,
    ) -> io::Result<bool> {
        let (ends, own) = (self.ends, self.own);
        let from = &mut self.sockets[way.index()];
        let direction = &mut self.directions[way.index()];
        let impairments = &config.impairments[way.index()];
        let counts = &mut counts.ways[way.index()];
        if way == Way::Down && !self.connected {
            return Ok(false);
        }
        for _ in 0..READS {
            if !from.readable || direction.end.is_some() || direction.bytes >= MOST {
                return Ok(false);
            }
            let read = from.socket.read(buffer);
            // Behind the read: what is late must not be so by less than was asked.
            let now = Instant::now();
            let end = match read {
                Ok(0) => End::Fin,
                Ok(length) => {
                    let came = buffer.get(..length).unwrap_or_default();
                    counts.came += 1;
                    counts.bytes += length as u64;
                    let time = time_of_day();
                    let passing = watch.as_mut().map(|watch| watch.bytes(ends, way, came, time, now));
                    let passing = passing.unwrap_or_default();
                    count(&passing.seen, counts);
                    let frame = watch.as_ref().map_or(0, |watch| watch.frame());
                    let place = Place { ends, own, way, time, frame };
                    let broken = passing.broken.is_some();
                    if let Some(why) = passing.broken {
                        out.note(format!("{}: {why}: the connection is reset", ends[0]));
                    }
                    if direction.take(impairments, came, passing, place, now, out)? && !broken {
                        continue;
                    }
                    direction.chunks.clear();
                    direction.last = now;
                    End::Reset
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    from.readable = false;
                    return Ok(false);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => End::Reset,
            };
            if let Some(watch) = watch {
                let time = time_of_day();
                let passing = watch.ended(ends, way, end == End::Reset, time);
                let place = Place { ends, own, way, time, frame: watch.frame() };
                if end == End::Fin || !passing.seen.is_empty() {
                    direction.take(
                        &Impairments { reset: 0.0, ..impairments.clone() },
                        &[],
                        passing,
                        place,
                        now,
                        out,
                    )?;
                }
            }
            // The end comes behind what was sent before it, as late as that.
            direction.end = Some(((now + impairments.delay).max(direction.last), end));
            return Ok(false);
        }
        Ok(true)
    }

    /// What waits for the rest of its message passes after a time. When?
    fn waiting(
        &mut self,
        way: Way,
        config: &Config,
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn Output,
    ) -> io::Result<Option<Instant>> {
        let Some(watch) = watch else { return Ok(None) };
        let (ends, own, now) = (self.ends, self.own, Instant::now());
        match watch.deadline(ends, way) {
            Some(at) if at <= now => {
                let passing = Passing { gone: Some(watch.overdue(ends, way, now)), ..Passing::default() };
                let place = Place { ends, own, way, time: time_of_day(), frame: watch.frame() };
                let impairments = Impairments { reset: 0.0, ..config.impairments[way.index()].clone() };
                self.directions[way.index()].take(&impairments, &[], passing, place, now, out)?;
                Ok(watch.deadline(ends, way).filter(|at| *at > now))
            }
            at => Ok(at),
        }
    }

    /// Passes on what is due. When is the next?
    fn write(&mut self, way: Way, counts: &mut Counts) -> Result<Option<Instant>, ()> {
        let to = &mut self.sockets[way.other().index()];
        let direction = &mut self.directions[way.index()];
        if way == Way::Up && !self.connected {
            return Ok(None);
        }
        let now = Instant::now();
        let counts = &mut counts.ways[way.index()];
        while let Some((due, bytes, done)) = direction.chunks.front_mut() {
            if *due > now {
                return Ok(Some(*due));
            }
            if !to.writable {
                return Ok(None);
            }
            match to.socket.write(bytes.get(*done..).unwrap_or_default()) {
                Ok(written) => {
                    *done += written;
                    direction.bytes -= written;
                    if *done >= bytes.len() {
                        counts.passed += 1;
                        direction.chunks.pop_front();
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => to.writable = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Nobody takes it any more.
                Err(_) => return Err(()),
            }
        }
        match direction.end {
            Some((due, _)) if due > now => Ok(Some(due)),
            Some((_, End::Reset)) => Err(()),
            Some((_, End::Fin)) if !direction.closed => {
                direction.closed = true;
                let _ = to.socket.shutdown(Shutdown::Write);
                Ok(None)
            }
            _ => Ok(None),
        }
    }
}

/// Where and when something of a stream passes.
#[derive(Clone, Copy)]
struct Place {
    ends: [SocketAddr; 2],
    own: [SocketAddr; 2],
    way: Way,
    time: Time,
    frame: u64,
}

impl Direction {
    /// Takes what passes on, and tells of it. `false`: the connection is to be reset.
    fn take(
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
}

/// What rules have done to messages.
fn count(seen: &[Seen], counts: &mut super::counts::WayCounts) {
    counts.dropped += seen.iter().filter(|one| one.dropped).count() as u64;
    counts.edited +=
        seen.iter().filter(|one| one.edited.as_ref().is_some_and(|edited| edited.not.is_none())).count() as u64;
    counts.copies += seen.iter().map(|one| u64::from(one.copies)).sum::<u64>();
}
