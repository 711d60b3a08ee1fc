//! Both legs of a proxy as one capture: an interface for each, what was done as a comment.

use super::passed::Passed;
use crate::capture::{Body, Bound, LinkType, PcapNgWriter, Segment, Time, ethernet};
use crate::live::proxy::Way;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::io::{self, Write};
use std::net::SocketAddr;

/// A link type of Ethernet frames.
const ETHERNET: LinkType = LinkType(1);
/// More than a segment on an Ethernet has never.
const MSS: usize = 1460;
/// The most that a packet takes in the file beside its bytes and its comment.
const BLOCK: usize = 48;
/// Of so many streams the sequence numbers are kept; then they begin anew.
const STREAMS: usize = 1 << 16;
/// The interfaces.
const CLIENT: u32 = 0;
const SERVER: u32 = 1;

/// Writes both legs.
#[derive(Debug)]
pub struct Legs<W: Write> {
    out: PcapNgWriter<W>,
    /// The next sequence numbers of each leg of a stream, by its ends.
    next: FxHashMap<(u32, [SocketAddr; 2]), [u32; 2]>,
    frame: Vec<u8>,
    /// So many bytes may still be written.
    left: Bound,
    missing: u64,
}

impl<W: Write> Legs<W> {
    /// Begins the capture.
    ///
    /// # Errors
    /// The writer's.
    pub fn new(out: W) -> io::Result<Legs<W>> {
        let mut out = PcapNgWriter::new(out)?;
        for name in ["client side", "server side"] {
            out.interface(ETHERNET, 9, name)?;
        }
        Ok(Legs { out, next: FxHashMap::default(), frame: Vec::new(), left: Bound::default(), missing: 0 })
    }

    /// At most so many bytes: packets that come then are [counted](Legs::missing) alone.
    #[must_use]
    pub fn bounded(mut self, most: Bound) -> Legs<W> {
        self.left = most;
        self
    }

    /// How many packets were not written, because there were too many before them.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Adds what came on one leg, and what goes on the other.
    ///
    /// # Errors
    /// The writer's.
    pub fn passed(&mut self, passed: &Passed<'_>) -> io::Result<()> {
        let Passed { ends, own, way, time, delayed, lost, copies, .. } = *passed;
        // Each leg: the client's end, or what stands for it, first.
        let legs = [[ends[0], own[0]], [own[1], ends[1]]];
        let (from, to) = match way {
            Way::Up => (CLIENT, SERVER),
            Way::Down => (SERVER, CLIENT),
        };
        let comment = comment(passed);
        self.packet(from, legs[from as usize], passed, passed.came, time, &comment)?;
        if lost.is_some() {
            return Ok(());
        }
        let nanos = time.nanos() + delayed.as_nanos() as i128;
        let second = 1_000_000_000;
        let later = Time { secs: nanos.div_euclid(second) as i64, frac: nanos.rem_euclid(second) as u64, digits: 9 };
        for _ in 0..=copies {
            self.packet(to, legs[to as usize], passed, passed.goes, later, &comment)?;
        }
        Ok(())
    }

    fn packet(
        &mut self,
        leg: u32,
        ends: [SocketAddr; 2],
        passed: &Passed<'_>,
        bytes: &[u8],
        time: Time,
        comment: &str,
    ) -> io::Result<()> {
        let way = passed.way;
        if passed.datagram {
            let body = Body::Udp { payload: bytes, length: bytes.len() };
            return self.frame(leg, ends, way, &body, time, comment);
        }
        if self.next.len() > STREAMS {
            self.next.clear();
        }
        if let Entry::Vacant(place) = self.next.entry((leg, ends)) {
            place.insert([1000, 5000]);
            self.segment(leg, ends, Way::Up, Segment { syn: true, ..Segment::default() }, time, "")?;
            self.segment(leg, ends, Way::Down, Segment { syn: true, has_ack: true, ..Segment::default() }, time, "")?;
        }
        for payload in bytes.chunks(MSS) {
            let segment = Segment { payload, length: payload.len(), has_ack: true, ..Segment::default() };
            self.segment(leg, ends, way, segment, time, comment)?;
        }
        Ok(())
    }

    fn segment(
        &mut self,
        leg: u32,
        ends: [SocketAddr; 2],
        way: Way,
        segment: Segment<'_>,
        time: Time,
        comment: &str,
    ) -> io::Result<()> {
        let next = self.next.entry((leg, ends)).or_insert([1000, 5000]);
        let (seq, ack) = (next[way.index()], next[way.other().index()]);
        next[way.index()] = seq.wrapping_add(segment.payload.len() as u32 + u32::from(segment.syn));
        let body = Body::Tcp(Segment { seq, ack: if segment.has_ack { ack } else { 0 }, ..segment });
        self.frame(leg, ends, way, &body, time, comment)
    }

    fn frame(
        &mut self,
        leg: u32,
        ends: [SocketAddr; 2],
        way: Way,
        body: &Body<'_>,
        time: Time,
        comment: &str,
    ) -> io::Result<()> {
        let [src, dst] = [ends[way.index()], ends[way.other().index()]];
        ethernet(src, dst, body, &mut self.frame).map_err(io::Error::other)?;
        // What comes behind a missing packet would look as if that had never been.
        if self.missing > 0 || !self.left.take(self.frame.len() + comment.len() + BLOCK) {
            self.missing += 1;
            return Ok(());
        }
        self.out.packet(leg, time, &self.frame, self.frame.len(), [comment])
    }

    /// Writes out what is waiting.
    ///
    /// # Errors
    /// The writer's.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// What was done, in words; nothing where it passed as it is.
fn comment(passed: &Passed<'_>) -> String {
    let mut words: Vec<String> = Vec::new();
    match passed.lost {
        Some(why) => words.push(why.replace('_', " ")),
        None => {
            if passed.delayed.as_micros() > 0 {
                words.push(format!("delayed {:.3} ms", passed.delayed.as_secs_f64() * 1e3));
            }
            if passed.copies > 0 {
                words.push(format!("sent {} times", passed.copies + 1));
            }
            if passed.behind {
                words.push("behind the next".into());
            }
        }
    }
    let edited = passed.seen.iter().filter_map(|seen| seen.edited.as_ref()).filter(|edited| edited.not.is_none());
    words.extend(edited.map(|edited| format!("edited {}", edited.fields.join(", "))));
    words.join(", ")
}
