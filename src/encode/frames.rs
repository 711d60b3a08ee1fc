//! Messages as a capture file: Ethernet, IP, UDP or TCP headers for each, with correct lengths and
//! checksums.
//!
//! Addresses, times and conversation numbers are those of the lines, if given. A message without addresses uses two
//! documentation addresses (RFC 5737) and the protocol's usual port; one without a time is a millisecond after the
//! previous one. Messages that were captured in one frame over UDP are written as one datagram again, as soon as the
//! next datagram begins.

use super::Entry;
use crate::capture::connection::{Connection, handshake, last, most};
use crate::capture::{Body, BuildError, LinkType, Packet, PcapWriter, Segment, Time, ethernet};
use crate::dissect::{Evidence, Observation, Options, Role};
use crate::flow::{Side, Transport};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use thiserror::Error;

/// The cap on TCP connections with state; above it, the oldest one is forgotten and has to be opened again.
const CONNECTIONS: usize = 65_536;
/// The addresses of messages without addresses.
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));
/// The first port of clients, and the number of ports (RFC 6335).
const CLIENT_PORTS: (u16, u64) = (49_152, 16_384);
/// The server's port if its protocol has no usual one.
const SERVER_PORT: u16 = 7777;

/// The reasons for which a message cannot be written to a capture file.
#[derive(Debug, Error)]
pub enum FrameError {
    /// The message does not fit into a frame; the next one may.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The time is outside the format's range.
    #[error("time: {0}: a capture holds 0 to 4294967295 seconds")]
    Time(Time),
    /// Writing failed.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// The conversation number and both endpoints: the key of a connection, the same for both directions.
type Key = (u64, SocketAddr, SocketAddr);

/// Checks that the format holds a time.
fn check(time: Time) -> Result<(), FrameError> {
    if u32::try_from(time.secs).is_err() { Err(FrameError::Time(time)) } else { Ok(()) }
}

/// The key of a conversation between these endpoints.
fn key(flow: u64, a: SocketAddr, b: SocketAddr) -> Key {
    (flow, a.min(b), a.max(b))
}

/// Writes messages into a capture file.
pub struct Frames<'a, W: Write> {
    options: &'a Options,
    /// The file. Its time resolution is that of the first message.
    file: Option<PcapWriter<W>>,
    out: Option<W>,
    connections: FxHashMap<Key, (Connection, SocketAddr)>,
    order: VecDeque<Key>,
    opened: u64,
    last: Option<Time>,
    cut: u64,
    frame: Vec<u8>,
    datagram: Datagram,
}

/// The frame of a datagram, its conversation and its endpoints.
#[derive(Clone, Copy, PartialEq)]
struct Origin {
    frame: u64,
    flow: u64,
    src: SocketAddr,
    dst: SocketAddr,
}

/// The last datagram. It is not written yet: more messages of its frame may follow.
#[derive(Default)]
struct Datagram {
    of: Option<Origin>,
    time: Time,
    payload: Vec<u8>,
    frame: Vec<u8>,
}

impl<'a, W: Write> Frames<'a, W> {
    /// Writes to `out`, which should be buffered. The file header is written with the first
    /// message.
    pub fn new(out: W, options: &'a Options) -> Frames<'a, W> {
        Frames {
            options,
            file: None,
            out: Some(out),
            connections: FxHashMap::default(),
            order: VecDeque::new(),
            opened: 0,
            last: None,
            cut: 0,
            frame: Vec::new(),
            datagram: Datagram::default(),
        }
    }

    /// Writes one message's frames: `bytes` as UDP payload, or as the next bytes of its direction's stream. A handshake
    /// precedes them if the connection is new and may begin with this message; otherwise it is read from its middle.
    ///
    /// # Errors
    /// [`FrameError::Build`] and [`FrameError::Time`], after which nothing of the message was written;
    /// [`FrameError::Output`].
    pub fn message(&mut self, entry: &Entry, transport: Transport, bytes: &[u8]) -> Result<(), FrameError> {
        let time = entry.time.unwrap_or_else(|| self.next_time());
        check(time)?;
        let (src, dst) = ends(entry);
        match transport {
            Transport::Udp => self.datagram(Origin { frame: entry.frame, flow: entry.flow, src, dst }, time, bytes)?,
            Transport::Tcp => {
                self.complete()?;
                self.stream(entry, time, src, dst, bytes)?;
            }
        }
        self.last = Some(time);
        Ok(())
    }

    /// Begins a TCP connection with these parts of its handshake: the client's and the server's SYN. Without both, a
    /// connection that is known goes on.
    ///
    /// # Errors
    /// Those of [`message`](Self::message).
    pub fn begin_connection(
        &mut self,
        flow: u64,
        ends: [SocketAddr; 2],
        begun: [bool; 2],
        time: Time,
    ) -> Result<(), FrameError> {
        check(time)?;
        if begun == [false; 2] && self.connections.contains_key(&key(flow, ends[0], ends[1])) {
            return Ok(());
        }
        self.complete()?;
        self.open(flow, ends, begun, time).map(|_| ())
    }

    /// Leaves out this many bytes of a direction, which the capture lacks.
    pub fn skip(&mut self, flow: u64, [src, dst]: [SocketAddr; 2], missing: u64) {
        if let Some((connection, client)) = self.connections.get_mut(&key(flow, src, dst)) {
            connection.skip((src != *client) as usize, missing);
        }
    }

    /// Ends a direction of a connection that has begun, with a RST or a FIN.
    ///
    /// # Errors
    /// Those of [`message`](Self::message).
    pub fn end_direction(
        &mut self,
        flow: u64,
        [src, dst]: [SocketAddr; 2],
        reset: bool,
        time: Time,
    ) -> Result<(), FrameError> {
        check(time)?;
        self.complete()?;
        let Some((connection, client)) = self.connections.get_mut(&key(flow, src, dst)) else { return Ok(()) };
        let segment = connection.next((src != *client) as usize, last(reset));
        ethernet(src, dst, &Body::Tcp(segment), &mut self.frame)?;
        self.write(time)
    }

    /// Writes the frame of a packet of another protocol. Its TCP numbers and flags are kept, so that its streams can be
    /// followed.
    ///
    /// # Errors
    /// Those of [`message`](Self::message).
    pub fn packet(&mut self, packet: &Packet<'_>) -> Result<(), FrameError> {
        check(packet.time)?;
        self.complete()?;
        ethernet(packet.src, packet.dst, &packet.body, &mut self.frame)?;
        self.write(packet.time)?;
        self.last = Some(packet.time);
        Ok(())
    }

    fn datagram(&mut self, of: Origin, time: Time, bytes: &[u8]) -> Result<(), FrameError> {
        let more = of.frame > 0 && self.datagram.of == Some(of);
        let before = if more { self.datagram.payload.len() } else { 0 };
        let mut payload = std::mem::take(&mut self.frame);
        payload.clear();
        payload.extend_from_slice(self.datagram.payload.get(..before).unwrap_or(&[]));
        payload.extend_from_slice(bytes);
        let mut frame = Vec::new();
        let built = ethernet(of.src, of.dst, &Body::Udp { payload: &payload, length: payload.len() }, &mut frame);
        if let Err(error) = built {
            self.frame = payload;
            return Err(error.into());
        }
        if !more {
            self.complete()?;
        }
        self.frame = std::mem::replace(&mut self.datagram.payload, payload);
        (self.datagram.frame, self.datagram.of) = (frame, Some(of));
        self.datagram.time = time;
        Ok(())
    }

    /// Writes the last datagram.
    fn complete(&mut self) -> Result<(), FrameError> {
        if self.datagram.of.take().is_none() {
            return Ok(());
        }
        std::mem::swap(&mut self.frame, &mut self.datagram.frame);
        self.write(self.datagram.time)
    }

    fn stream(
        &mut self,
        entry: &Entry,
        time: Time,
        src: SocketAddr,
        dst: SocketAddr,
        bytes: &[u8],
    ) -> Result<(), FrameError> {
        let key = key(entry.flow, src, dst);
        let (mut connection, client) = match self.connections.get(&key) {
            Some(known) => *known,
            None => {
                let ends = if entry.from == Role::Server { [dst, src] } else { [src, dst] };
                let begun = self.may_begin(entry, ends, bytes);
                self.open(entry.flow, ends, [begun; 2], time)?
            }
        };
        for payload in bytes.chunks(most(src.is_ipv6())) {
            let segment = connection.next((src != client) as usize, Segment { payload, ..Segment::default() });
            ethernet(src, dst, &Body::Tcp(segment), &mut self.frame)?;
            self.write(time)?;
        }
        self.connections.insert(key, (connection, client));
        Ok(())
    }

    /// Whether this message is rather one with which a connection between the client and the server begins than one from
    /// its middle, by its protocol's evidence.
    pub fn may_begin(&self, entry: &Entry, ends: [SocketAddr; 2], bytes: &[u8]) -> bool {
        let sender = if entry.from == Role::Server { Side::B } else { Side::A };
        let bits = |begun: bool| {
            let observation = Observation {
                transport: Transport::Tcp,
                ends,
                payloads: &[(sender, bytes, bytes.len())],
                begun: [begun; 2],
                last: false,
                few: true,
                time: entry.time,
                options: self.options,
            };
            match entry.dissector.identify(&observation) {
                Evidence::No => None,
                Evidence::Bits(bits, _) => Some(bits),
            }
        };
        // Without evidence for either, as of a protocol that has no rules, it is the first one.
        bits(true) >= bits(false)
    }

    /// Adds a connection, and writes its handshake: all of it, or what was `begun` by each side.
    fn open(
        &mut self,
        flow: u64,
        [client, server]: [SocketAddr; 2],
        begun: [bool; 2],
        time: Time,
    ) -> Result<(Connection, SocketAddr), FrameError> {
        let mut connection = Connection::new(self.opened);
        for (side, segment) in handshake() {
            let (from, to) = if side == 0 { (client, server) } else { (server, client) };
            let captured = if segment.syn { begun[side] } else { begun == [true; 2] };
            if captured {
                ethernet(from, to, &Body::Tcp(connection.next(side, segment)), &mut self.frame)?;
                self.write(time)?;
            }
        }
        self.opened += 1;
        if self.connections.len() >= CONNECTIONS
            && let Some(oldest) = self.order.pop_front()
        {
            self.connections.remove(&oldest);
        }
        let key = key(flow, client, server);
        self.order.push_back(key);
        self.connections.insert(key, (connection, client));
        Ok((connection, client))
    }

    /// The time a millisecond after the previous message.
    fn next_time(&self) -> Time {
        let Some(Time { secs, frac, digits }) = self.last else { return Time::micros(0, 0) };
        let unit = 10u64.saturating_pow(digits.clamp(3, 18) as u32);
        let frac = if digits < 3 { frac.saturating_mul(10u64.pow(3 - digits as u32)) } else { frac };
        let frac = frac.saturating_add(unit / 1000);
        Time { secs: secs.saturating_add((frac / unit) as i64), frac: frac % unit, digits: digits.max(3) }
    }

    fn write(&mut self, time: Time) -> Result<(), FrameError> {
        self.begin(time.digits)?;
        match &mut self.file {
            Some(file) => {
                self.cut += u64::from(!file.is_exact(time));
                Ok(file.frame(time, &self.frame)?)
            }
            None => Ok(()),
        }
    }

    /// The number of frames whose times were cut: they had more digits than the file's resolution, which is that of the
    /// first frame.
    pub fn cut_times(&self) -> u64 {
        self.cut
    }

    fn begin(&mut self, digits: u8) -> io::Result<()> {
        if let Some(out) = self.out.take() {
            self.file = Some(PcapWriter::new(out, LinkType::ETHERNET, digits)?);
        }
        Ok(())
    }

    /// Flushes everything but the last datagram.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), |file| file.flush())
    }

    /// Writes the last datagram at the end of the messages. Without any message, writes nothing.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn stop(&mut self) -> Result<(), FrameError> {
        self.complete()?;
        Ok(self.flush()?)
    }

    /// Completes the file, which is a valid capture even without messages, and returns the writer.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn finish(mut self) -> Result<W, FrameError> {
        self.begin(self.datagram.time.digits)?;
        self.stop()?;
        let out = self.file.map(PcapWriter::into_inner).or(self.out);
        out.ok_or_else(|| io::Error::other("no writer").into())
    }
}

/// The sender and the receiver.
fn ends(entry: &Entry) -> (SocketAddr, SocketAddr) {
    let port = entry.dissector.port().unwrap_or(SERVER_PORT);
    let client = SocketAddr::new(CLIENT, CLIENT_PORTS.0 + (entry.flow % CLIENT_PORTS.1) as u16);
    let server = SocketAddr::new(SERVER, port);
    let (src, dst) = if entry.from == Role::Server { (server, client) } else { (client, server) };
    // If one endpoint is given, the other must have the same IP version.
    let same_version = |known: SocketAddr, other: SocketAddr| match known {
        SocketAddr::V4(_) => other,
        SocketAddr::V6(_) => SocketAddr::new(IpAddr::V6(mapped(other.ip())), other.port()),
    };
    match entry.ends {
        [Some(src), Some(dst)] => (src, dst),
        [Some(src), None] => (src, same_version(src, dst)),
        [None, Some(dst)] => (same_version(dst, src), dst),
        [None, None] => (src, dst),
    }
}

/// An IPv6 documentation address (RFC 3849) that corresponds to an IPv4 one.
fn mapped(ip: IpAddr) -> std::net::Ipv6Addr {
    match ip {
        IpAddr::V4(v4) => std::net::Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, v4.octets()[3] as u16),
        IpAddr::V6(v6) => v6,
    }
}
