//! Writes both legs of a proxy into one capture, in order of time. Each leg is an interface. The outcome of each packet
//! is its comment.

use super::passed::{Addresses, Ended, Passed, Sent};
use crate::capture::connection::{Connection, handshake, last, most};
use crate::capture::{Body, Bound, Leg, LinkType, PcapNgWriter, Segment, Time, ethernet};
use crate::live::proxy::Direction;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::io::{self, Write};
use std::net::SocketAddr;

/// The maximum size of a packet in the file without its bytes and its comment.
const BLOCK: usize = 48;
/// The maximum number of streams whose sequence numbers are kept. Beyond it, they start anew.
const STREAMS: usize = 1 << 16;
/// The maximum number of unsent packets that are listed at the end of the file.
const NAMED: usize = 1000;
/// The interfaces.
const CLIENT: u32 = 0;
const SERVER: u32 = 1;

/// Writes both legs: each packet when it arrives, and when it is sent.
#[derive(Debug)]
pub struct LegWriter<W: Write> {
    out: PcapNgWriter<W>,
    /// Each leg of a stream, by its endpoints, until it has ended.
    connections: FxHashMap<(u32, [SocketAddr; 2]), Stream>,
    /// The number of legs of streams so far.
    opened: u64,
    /// Arrivals whose bytes are not sent yet, with their frames.
    waiting: BTreeMap<u64, u64>,
    frame: Vec<u8>,
    /// The number of bytes that may still be written.
    left: Bound,
    written: u64,
    missing: u64,
}

/// One leg of a stream.
#[derive(Debug)]
struct Stream {
    connection: Connection,
    /// The directions that have ended.
    ended: [bool; 2],
}

/// Returns the leg on which a direction arrives, and the leg on which it is sent.
fn legs(direction: Direction) -> [u32; 2] {
    match direction {
        Direction::Up => [CLIENT, SERVER],
        Direction::Down => [SERVER, CLIENT],
    }
}

/// Returns the endpoints of a leg: first the client, or the proxy in its place.
fn ends(addresses: Addresses, leg: u32) -> [SocketAddr; 2] {
    let Addresses { ends, own } = addresses;
    if leg == CLIENT { [ends[0], own[0]] } else { [own[1], ends[1]] }
}

/// Returns the leg and the endpoints of a stream's bytes.
fn key(payload: &Payload<'_>) -> (u32, [SocketAddr; 2]) {
    (payload.leg, ends(payload.addresses, payload.leg))
}

/// Bytes on one leg.
struct Payload<'p> {
    leg: u32,
    addresses: Addresses,
    direction: Direction,
    time: Time,
    datagram: bool,
    bytes: &'p [u8],
}

impl<W: Write> LegWriter<W> {
    /// Starts the capture.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn new(out: W) -> io::Result<LegWriter<W>> {
        let mut out = PcapNgWriter::new(out)?;
        for &leg in Leg::ALL {
            out.interface(LinkType::ETHERNET, 9, leg.interface())?;
        }
        let (left, connections) = (Bound::default(), FxHashMap::default());
        let (waiting, frame) = (BTreeMap::new(), Vec::new());
        Ok(LegWriter { out, connections, opened: 0, waiting, frame, left, written: 0, missing: 0 })
    }

    /// Limits the size of the file. Packets beyond it are only [counted](LegWriter::missing).
    pub fn bounded(mut self, most: Bound) -> LegWriter<W> {
        self.left = most;
        self
    }

    /// Returns the number of packets that were not written, because the file was full.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Adds a packet that arrived on one leg.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn passed(&mut self, passed: &Passed<'_>) -> io::Result<()> {
        let Passed { number, addresses, direction, time, delayed, lost, datagram, received: bytes, .. } = *passed;
        let comment = match lost {
            Some(why) => why.replace('_', " "),
            None => comment(delayed, &passed.remark()),
        };
        let [leg, _] = legs(direction);
        self.payload(&Payload { leg, addresses, direction, time, datagram, bytes }, &comment)?;
        // A queue limits their number.
        if lost.is_none() && (!delayed.is_zero() || passed.held && datagram) && self.missing == 0 {
            self.waiting.insert(number, self.written);
        }
        Ok(())
    }

    /// Adds a packet that was sent on the other leg.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn sent(&mut self, sent: &Sent<'_>) -> io::Result<()> {
        let Sent { arrival, addresses, direction, time, delayed, datagram, bytes } = *sent;
        self.waiting.remove(&arrival.number);
        let comment = comment(delayed, &arrival.remark);
        let [_, leg] = legs(direction);
        self.payload(&Payload { leg, addresses, direction, time, datagram, bytes }, &comment)
    }

    /// Forgets an arrival that waited, and is not sent.
    pub fn dropped(&mut self, arrival: u64) {
        self.waiting.remove(&arrival);
    }

    /// Adds the end of a direction on one leg.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn ended(&mut self, ended: &Ended) -> io::Result<()> {
        let Ended { addresses, direction, arrived, reset, time } = *ended;
        let [from, to] = legs(direction);
        let leg = if arrived { from } else { to };
        let payload = Payload { leg, addresses, direction, time, datagram: false, bytes: &[] };
        self.open(&payload)?;
        self.segment(&payload, direction, last(reset), "")?;
        // The same client may open the next connection from the same port.
        if let Entry::Occupied(mut place) = self.connections.entry(key(&payload)) {
            let over = &mut place.get_mut().ended;
            over[direction.index()] = true;
            if reset || *over == [true; 2] {
                place.remove();
            }
        }
        Ok(())
    }

    fn payload(&mut self, payload: &Payload<'_>, comment: &str) -> io::Result<()> {
        let bytes = payload.bytes;
        if payload.datagram {
            let body = Body::Udp { payload: bytes, length: bytes.len() };
            return self.frame(payload, payload.direction, &body, comment);
        }
        self.open(payload)?;
        let data = |payload| Segment { payload, ..Segment::default() };
        bytes.chunks(most(false)).try_for_each(|part| self.segment(payload, payload.direction, data(part), comment))
    }

    /// Adds a stream's handshake before its first segment.
    fn open(&mut self, payload: &Payload<'_>) -> io::Result<()> {
        if self.connections.len() > STREAMS {
            self.connections.clear();
        }
        if let Entry::Vacant(place) = self.connections.entry(key(payload)) {
            self.opened += 1;
            place.insert(Stream { connection: Connection::new(self.opened), ended: [false; 2] });
            let [(_, syn), (_, answer), _] = handshake();
            self.segment(payload, Direction::Up, syn, "")?;
            self.segment(payload, Direction::Down, answer, "")?;
        }
        Ok(())
    }

    fn segment(
        &mut self,
        payload: &Payload<'_>,
        direction: Direction,
        segment: Segment<'_>,
        comment: &str,
    ) -> io::Result<()> {
        let Some(Stream { connection, .. }) = self.connections.get_mut(&key(payload)) else { return Ok(()) };
        let body = Body::Tcp(connection.next(direction.index(), segment));
        self.frame(payload, direction, &body, comment)
    }

    fn frame(&mut self, payload: &Payload<'_>, direction: Direction, body: &Body<'_>, comment: &str) -> io::Result<()> {
        let ends = ends(payload.addresses, payload.leg);
        let [src, dst] = [ends[direction.index()], ends[direction.other().index()]];
        ethernet(src, dst, body, &mut self.frame).map_err(io::Error::other)?;
        // Packets after a missing one would hide the gap.
        if self.missing > 0 || !self.left.take(self.frame.len() + comment.len() + BLOCK) {
            self.missing += 1;
            return Ok(());
        }
        self.out.packet(payload.leg, payload.time, &self.frame, self.frame.len(), [comment])?;
        self.written += 1;
        Ok(())
    }

    /// Lists the packets that were never sent, and writes the buffered output.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn finish(&mut self, time: Time) -> io::Result<()> {
        let name = |(_, frame): (&u64, &u64)| format!("frame {frame}: still waiting when the recording ended");
        let mut comments: Vec<String> = self.waiting.iter().take(NAMED).map(name).collect();
        if let Some(more) = self.waiting.len().checked_sub(NAMED + 1) {
            comments.push(format!("and {} more", more + 1));
        }
        if !comments.is_empty() && self.missing == 0 {
            self.out.statistics(CLIENT, time, comments.iter().map(String::as_str))?;
        }
        self.out.flush()
    }
}

/// Describes the outcome of a packet; empty if it passed unchanged.
fn comment(delayed: std::time::Duration, remark: &str) -> String {
    let delay = match delayed.as_micros() {
        0 => String::new(),
        _ => format!("delayed {:.3} ms", delayed.as_secs_f64() * 1e3),
    };
    let separator = if delay.is_empty() || remark.is_empty() { "" } else { ", " };
    format!("{delay}{separator}{remark}")
}
