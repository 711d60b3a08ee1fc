//! Evaluates the file by a capture's messages: counts, and the first of each finding. Its memory does not grow with the
//! capture.

use super::excerpt::Excerpt;
use super::rejected::Rejected;
use crate::capture::Time;
use crate::codec::Value;
use crate::dissect::{Closed, Decision, Dissector, Message, Observation, Options, Role, Sink, UnitKind};
use crate::flow::Transport;
use crate::protocols::described::{Described, Misfit, MisfitKind};
use crate::read::CaptureSink;
use crate::render::{Again, Compared};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The number of places that are counted separately.
const PLACES: usize = 256;

/// A share: some of all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    pub of: u64,
    pub all: u64,
}

impl Share {
    fn add(&mut self, all: u64, of: u64) {
        self.all += all;
        self.of += of;
    }
}

/// A packet that does not fit.
#[derive(Debug)]
pub struct Shown {
    pub frame: u64,
    pub frames: Vec<u64>,
    pub flow: u64,
    pub from: Role,
    pub src: String,
    pub dst: String,
    pub message: &'static str,
    pub length: usize,
    pub misfit: Misfit,
    pub excerpt: Excerpt,
}

/// A packet whose bytes encode does not reproduce.
#[derive(Debug)]
pub struct Difference {
    pub frame: u64,
    pub flow: u64,
    pub message: &'static str,
    /// The offset of the first byte that differs.
    pub at: usize,
    pub was: Excerpt,
    /// The result of encode, or the reason why it fails.
    pub gives: Result<Excerpt, String>,
}

/// The packets that do not fit at one place of the file.
#[derive(Debug)]
pub struct Spot {
    pub packets: u64,
    pub frame: u64,
    pub what: String,
}

/// The counts.
#[derive(Debug, Default)]
pub struct Tally {
    pub frames: u64,
    /// The protocol's share of all UDP and TCP traffic: conversations, packets, payload bytes.
    pub conversations: Share,
    pub packets: Share,
    pub bytes: Share,
    /// The explained share of the protocol's own packets, and of their bytes.
    pub explained: Share,
    pub explained_bytes: Share,
    /// Packets that the capture contains only in part.
    pub cut: u64,
    /// Bytes of its streams that belong to no packet.
    pub skipped: u64,
    pub misfits: Vec<Shown>,
    pub spots: BTreeMap<(MisfitKind, String), Spot>,
    /// The number of packets at further places, which are not listed.
    pub elsewhere: u64,
    /// Conversations that were first read as the protocol, and later given up.
    pub given_up: Share,
    /// Conversations that are not claimed: the first ones with a port of the file, and the first others.
    pub rejected: Vec<Rejected>,
    pub rejected_all: u64,
    /// The number of them for each reason.
    pub rejected_by: BTreeMap<&'static str, u64>,
    /// The number of them that each other protocol claimed.
    pub taken: BTreeMap<&'static str, u64>,
    /// The number of them with a port of the file that a packet ruled out.
    pub broken_claims: u64,
    pub messages: u64,
    /// The share of packets that encode does not reproduce.
    pub different: Share,
    pub differences: Vec<Difference>,
}

impl Tally {
    /// Returns the number of packets that were tried.
    pub fn tried(&self) -> u64 {
        self.explained.all
    }

    /// Returns the places with packets that do not fit, the one with the most first.
    pub fn spots(&self) -> Vec<(&(MisfitKind, String), &Spot)> {
        let mut spots: Vec<_> = self.spots.iter().collect();
        spots.sort_by_key(|(_, spot)| (std::cmp::Reverse(spot.packets), spot.frame));
        spots
    }

    /// Whether everything fits.
    pub fn holds(&self) -> bool {
        self.explained.of == self.explained.all
            && self.skipped == 0
            && self.different.of == 0
            && self.given_up.of == 0
            && self.broken_claims == 0
    }
}

/// The messages that were seen, with their senders.
#[derive(Debug, Default)]
pub struct Seen(HashSet<(String, u64)>);

impl Seen {
    /// Whether it was seen from that side (1 the client, 2 the server; 0: either).
    pub fn has(&self, name: &str, from: u64) -> bool {
        let has = |from: u64| self.0.contains(&(name.to_owned(), from));
        if from == 0 { (0..3).any(has) } else { has(from) || has(0) }
    }

    fn add(&mut self, name: &str, from: Role) {
        let from = match from {
            Role::Client => 1,
            Role::Server => 2,
            Role::Unknown => 0,
        };
        // The names are the file's, so their number is bounded.
        let key = (name.to_owned(), from);
        if !self.0.contains(&key) {
            self.0.insert(key);
        }
    }
}

/// A conversation with messages of the protocol, while it is open.
#[derive(Default)]
struct Open {
    messages: u64,
    /// The bytes of its streams that belong to messages, and the offset up to which each side is counted.
    units: u64,
    ends: [u64; 2],
    /// Whether the place of some messages is unknown.
    unknown: bool,
    /// It was claimed by another protocol, which offers datagrams to this one.
    offered: bool,
}

/// Reads one capture.
pub struct CaptureTally<'a> {
    described: &'static Described,
    options: &'a Options,
    first: usize,
    again: Again<'a>,
    tally: Tally,
    seen: Seen,
    open: HashMap<u64, Open>,
    /// The misfit of the packet that is being read, and its message.
    misfit: Option<(Misfit, &'static str)>,
    unexplained: u64,
    before: usize,
}

impl<'a> CaptureTally<'a> {
    /// Creates it with the messages that were seen in other captures.
    pub fn new(described: &'static Described, options: &'a Options, first: usize, seen: Seen) -> CaptureTally<'a> {
        CaptureTally {
            described,
            options,
            first,
            again: Again::new(options),
            tally: Tally::default(),
            seen,
            open: HashMap::new(),
            misfit: None,
            unexplained: 0,
            before: 0,
        }
    }

    /// Returns the counts, and the messages that were seen.
    pub fn end(self) -> (Tally, Seen) {
        (self.tally, self.seen)
    }

    /// Counts the bytes of a message in its stream, also if it is the carrier's.
    fn unit(&mut self, message: &Message<'_>) {
        if message.flow_info.transport != Transport::Tcp {
            return;
        }
        let open = self.open.entry(message.flow_info.flow).or_default();
        let Some(unit) = message.dissection.unit else {
            open.unknown = true;
            return;
        };
        let end = &mut open.ends[message.place.side.index()];
        open.units += unit.end.saturating_sub(unit.start.max(*end));
        *end = unit.end.max(*end);
        open.unknown |= unit.kind != UnitKind::Framed;
    }

    /// Completes a packet.
    fn packet(&mut self, message: &Message<'_>) {
        let length = self.again.packet().len();
        let misfit = self.misfit.take();
        let unexplained = std::mem::take(&mut self.unexplained).div_ceil(8).min(length as u64);
        let tally = &mut self.tally;
        let Some((misfit, name)) = misfit else {
            tally.explained.add(1, 1);
            tally.explained_bytes.add(length as u64, length as u64);
            return;
        };
        if misfit.kind == MisfitKind::Cut {
            tally.cut += 1;
            return;
        }
        tally.explained.add(1, 0);
        tally.explained_bytes.add(length as u64, length as u64 - unexplained);
        let place = message.place;
        // Each unknown number is a place of its own.
        let spot = match misfit.kind {
            MisfitKind::Unknown => (misfit.kind, misfit.what.clone()),
            kind => (kind, without_places(&misfit.path)),
        };
        let full = tally.spots.len() >= PLACES;
        match tally.spots.get_mut(&spot) {
            Some(spot) => spot.packets += 1,
            None if full => tally.elsewhere += 1,
            None => {
                let what = misfit.what.clone();
                tally.spots.insert(spot, Spot { packets: 1, frame: place.frame, what });
            }
        }
        if tally.misfits.len() < self.first {
            let at = misfit.bit.map(|bit| bit as usize / 8);
            tally.misfits.push(Shown {
                frame: place.frame,
                frames: place.frames.iter().copied().take(16).collect(),
                flow: message.flow_info.flow,
                from: message.dissection.from,
                src: message.src().into(),
                dst: message.dst().into(),
                message: name,
                length,
                misfit,
                excerpt: Excerpt::around(self.again.packet(), at),
            });
        }
    }

    fn compared(&mut self, message: &Message<'_>) {
        let tally = &mut self.tally;
        tally.messages += 1;
        let gives = match self.again.compare(message) {
            Compared::Begun => return,
            Compared::Same => return tally.different.add(1, 0),
            Compared::Different(gives) => gives,
        };
        tally.different.add(1, 1);
        if tally.differences.len() >= self.first {
            return;
        }
        let was = self.again.packet();
        let at = gives.as_ref().map_or(0, |gives| was.iter().zip(gives).take_while(|(a, b)| a == b).count());
        tally.differences.push(Difference {
            frame: message.place.frame,
            flow: message.flow_info.flow,
            message: message.dissection.message,
            at,
            was: Excerpt::around(was, Some(at)),
            gives: gives.map(|gives| Excerpt::around(&gives, Some(at))),
        });
    }

    fn reject(&mut self, rejected: Rejected) {
        let tally = &mut self.tally;
        tally.rejected_all += 1;
        *tally.rejected_by.entry(rejected.by).or_default() += 1;
        if let Some((name, _)) = rejected.taken {
            *tally.taken.entry(name).or_default() += 1;
        }
        tally.broken_claims += u64::from(rejected.is_of_the_file());
        let like = tally.rejected.iter().filter(|other| other.port == rejected.port).count();
        if like < self.first {
            tally.rejected.push(rejected);
        }
    }
}

/// Returns `commands[0].mtu` as `commands[].mtu`.
fn without_places(path: &str) -> String {
    let mut inside = false;
    path.chars()
        .filter(|c| {
            let kept = !inside || *c == ']';
            inside = *c == '[' || inside && *c != ']';
            kept
        })
        .collect()
}

impl Sink for CaptureTally<'_> {
    fn message(&mut self, message: &Message<'_>) {
        let dissection = message.dissection;
        let own = dissection.proto == self.described.facts().name;
        if own
            || self.open.contains_key(&message.flow_info.flow)
            || self.described.facts().carriers.contains(&dissection.proto)
        {
            self.unit(message);
        }
        if !own {
            return;
        }
        self.open.entry(message.flow_info.flow).or_default().messages += 1;
        if dissection.part.is_none_or(|(part, _)| part == 1) {
            (self.misfit, self.unexplained, self.before) = (None, 0, 0);
        }
        if let Some(misfit) = self.described.misfit(message, self.before) {
            self.unexplained += misfit.bits;
            // A fault outweighs any other misfit.
            let worse = self
                .misfit
                .as_ref()
                .is_none_or(|(first, _)| misfit.kind == MisfitKind::Fault && first.kind != MisfitKind::Fault);
            if worse {
                self.misfit = Some((misfit, dissection.message));
            }
        }
        self.before += message.place.bytes.len();
        self.seen.add(dissection.message, dissection.from);
        for node in dissection.derived.nodes().iter().filter(|node| node.field.name == "message") {
            if let Value::Text { bit, bits } = node.value {
                let range = bit as usize / 8..(bit + bits) as usize / 8;
                let name = message.sources().get(node.source).get(range).unwrap_or_default();
                self.seen.add(&String::from_utf8_lossy(name), dissection.from);
            }
        }
        self.compared(message);
        if dissection.part.is_none_or(|(part, count)| part == count) {
            self.packet(message);
        }
    }

    fn decided(&mut self, decision: &Decision<'_>) {
        if decision.taken.is_some_and(|(name, _)| name == self.described.facts().name) {
            return;
        }
        if decision.taken.is_some() {
            self.open.entry(decision.flow).or_default().offered = true;
        }
        let observation = Observation::again(decision, self.options);
        let port = self.described.has_port(decision.transport, &decision.ends);
        let rejection = self.described.rejection(&observation);
        self.reject(Rejected::new(decision, port, rejection));
    }

    fn closed(&mut self, closed: &Closed) {
        let delivered = closed.claim.filter(|(name, _)| *name == self.described.facts().name).map(|(_, bytes)| bytes);
        let own = delivered.is_some();
        let tally = &mut self.tally;
        let of = |n: u64| if own { n } else { 0 };
        let new = u64::from(!closed.resumed);
        tally.conversations.add(new, of(new));
        tally.packets.add(closed.packets, of(closed.packets));
        tally.bytes.add(closed.bytes, of(closed.bytes));
        if let Some(rejected) = tally.rejected.iter_mut().find(|rejected| rejected.flow == closed.flow) {
            (rejected.packets, rejected.bytes) = (closed.packets, closed.bytes);
        }
        let Some(open) = self.open.remove(&closed.flow) else { return };
        if !own && !open.offered && open.messages > 0 {
            tally.given_up.add(open.messages, 1);
        }
        if let (Some(delivered), false, true) = (delivered, open.unknown, self.described.counts_all_bytes()) {
            tally.skipped += delivered.saturating_sub(open.units);
        }
    }
}

impl CaptureSink for CaptureTally<'_> {
    fn looks_ahead(&self) -> bool {
        false
    }

    fn frame(&mut self, _: Time) {
        self.tally.frames += 1;
    }
}
