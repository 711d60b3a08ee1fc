//! One conversation of a described protocol: packets to lines, parts to joined messages, and the values that are
//! remembered between packets.

mod line;
mod opening;
mod others;
pub(super) mod step;
mod stream;
mod whole;

pub use others::Explained;
pub use whole::WHOLE_DOES_NOT_FIT;

use super::frames::Frame;
use super::join::{self, Parts};
use super::key::Key;
use super::reader::{Known, Work, read};
use super::recognise::weigh_tree;
use super::state::{State, sender};
use super::supposed::Supposed;
use super::traffic::Traffic;
use super::{Description, lines};
use crate::codec::Fault;
use crate::codec::kinds::UNKNOWN;
use crate::codec::layout::flag;
use crate::dissect::delivery::{Event, Step};
use crate::dissect::framed::{Framed, StreamState};
use crate::dissect::{Dissection, FlowInfo, Out, Provenance, Role, Session, StreamEvent};
use crate::flow::{Side, Stream, Transport};
use crate::protocols::websocket::Carrier;
use opening::Opening;
use others::Others;
use step::Starts;
use stream::Wait;

/// The carrier of a stream's packets.
#[derive(Debug)]
enum Channel {
    /// Unknown: too few bytes so far.
    Unknown,
    Tcp,
    WebSocket(Box<Carrier>),
}

/// The state of one conversation.
#[derive(Debug)]
pub struct DescribedSession {
    /// One of its ports is the file's WebSocket port, and none is its TCP port.
    websocket_port: bool,
    description: &'static Description,
    server: Option<Side>,
    /// The user, or the file's own condition, has identified the server.
    certain: bool,
    /// The side that sent first.
    first: Option<Side>,
    memory: Vec<[u64; 2]>,
    values: Vec<u64>,
    frame: Option<&'static Frame>,
    parts: [Parts; 2],
    traffic: Traffic,
    opening: Opening,
    channel: Channel,
    lost: [bool; 2],
    starts: [Starts; 2],
    waits: [Wait; 2],
    /// Reusable memory for finding the ends of messages.
    work: Option<Box<Work>>,
    stream: StreamState,
    begun: [bool; 2],
    ratio: usize,
    others: Others,
    /// Whether the values that its missing beginning has set are unknown.
    resumes: bool,
}

impl DescribedSession {
    /// The state of a new conversation.
    pub fn new(description: &'static Description, flow_info: &FlowInfo<'_>) -> DescribedSession {
        let given = flow_info.server_by_option().or_else(|| flow_info.server_by_from(Side::A));
        let port =
            || flow_info.server_by_port(|port| description.ports(flow_info.transport).any(|known| known == port));
        let named = || flow_info.server_by_named_port(description.facts.name);
        let server = given.or_else(named).or_else(port).or_else(|| flow_info.server_by_syn());
        let channel = match (&description.tcp, description.websocket) {
            (_, None) => Channel::Tcp,
            _ => Channel::Unknown,
        };
        let values = description.settings_of(flow_info.options);
        let at = |ports: &[u16]| {
            let ends = flow_info.ends.iter().flatten();
            ends.into_iter().any(|end| ports.contains(&end.port()))
        };
        let websocket_port =
            description.websocket.is_some_and(at) && !description.tcp.as_ref().is_some_and(|(ports, _)| at(ports));
        DescribedSession {
            websocket_port,
            server,
            certain: given.is_some(),
            channel,
            lost: flow_info.begun.map(|begun| !begun),
            begun: flow_info.begun,
            traffic: Traffic::over(flow_info.transport),
            ratio: flow_info.options.limits.peer.inflate_ratio,
            resumes: !description.tries.is_empty() && flow_info.begun == [false; 2],
            ..DescribedSession::remembering(description, description.first_memory(), values)
        }
    }

    /// A conversation over TCP or UDP from its beginning, with these remembered values.
    fn remembering(description: &'static Description, memory: Vec<[u64; 2]>, values: Vec<u64>) -> DescribedSession {
        DescribedSession {
            websocket_port: false,
            description,
            server: None,
            certain: true,
            first: None,
            memory,
            frame: description.frame(&values),
            values,
            parts: Default::default(),
            traffic: Traffic::default(),
            opening: Opening::default(),
            channel: Channel::Tcp,
            lost: [false; 2],
            starts: Default::default(),
            waits: Default::default(),
            work: None,
            stream: StreamState::default(),
            begun: [true; 2],
            ratio: 0,
            others: Others::default(),
            resumes: false,
        }
    }

    /// Supposes who is the server, and what is remembered.
    pub fn suppose(&mut self, supposed: &Supposed) {
        self.server = self.server.or(supposed.server);
        self.memory.clone_from(&supposed.memory);
    }

    /// The side, the number in the statistics, and the key of each number space.
    pub fn spaces(&self) -> impl Iterator<Item = (Side, i64, Key)> + '_ {
        self.traffic.spaces()
    }

    /// The bits of the longest key that an answer had in common with its request.
    pub fn answered_bits(&self) -> u32 {
        self.traffic.answered_bits()
    }

    /// A state in the middle of a conversation, with these remembered values.
    pub fn at(
        description: &'static Description,
        memory: Vec<[u64; 2]>,
        values: Vec<u64>,
        from: Role,
    ) -> DescribedSession {
        let server = match from {
            Role::Client => Some(Side::B),
            Role::Server => Some(Side::A),
            Role::Unknown => None,
        };
        DescribedSession { server, ..DescribedSession::remembering(description, memory, values) }
    }

    /// The remembered values after a packet.
    pub fn after(&mut self, bytes: &[u8]) -> Vec<[u64; 2]> {
        let mut work = Work::default();
        let (side, length, time) = (Side::A, bytes.len(), Default::default());
        let place = Provenance { side, bytes, length, frame: 0, frames: &[], time };
        self.take_in(&mut work, &place, false);
        self.description.remember(&work.tree, &mut self.memory);
        std::mem::take(&mut self.memory)
    }

    fn role(&self, side: Side) -> Role {
        FlowInfo::role(self.server, side)
    }

    /// Reads a packet into the tree.
    fn take_in(&self, work: &mut Work, place: &Provenance<'_>, guess: bool) -> (Option<Fault>, u64) {
        let from = sender(self.role(place.side));
        // The side that sends second is the server.
        let likely = match (from, self.first) {
            (0, Some(first)) if guess => 1 + u64::from(first != place.side),
            (from, _) => from,
        };
        work.used = 0;
        let state = State { memory: &self.memory, values: &self.values, from, likely };
        let mut known = Known::new(self.description, state, &mut work.sources, &mut work.used);
        let fault = read(self.description.packet, place.bytes, place.length, 0, &mut known, &mut work.tree);
        (fault, known.used.get())
    }

    /// Finds the server by the packet's content. True: the packet must be read again.
    fn learn(&mut self, work: &Work, side: Side, guess: bool) -> bool {
        let before = self.server;
        if let (Some(when), false) = (&self.description.server, self.certain) {
            let tree = &work.tree;
            let end = tree.nodes().len();
            if self.description.server_names.iter().all(|name| lines::visible(tree, end, name).is_some()) {
                match join::holds(when, tree, end, &|_| None) {
                    true => (self.server, self.certain) = (Some(side), true),
                    // Both sides may send such a packet.
                    false => self.server = self.server.or(Some(side.other())),
                }
            }
        }
        if self.server.is_none() {
            let message = work.tree.nodes().iter().filter(|node| node.field.is(flag::MESSAGE));
            let from = message.filter_map(|node| self.description.from(node)).find(|from| *from > 0);
            self.server = match from {
                Some(1) => Some(side.other()),
                Some(_) => Some(side),
                // The side that sends second is the server. The middle of a stream does not show that.
                None if guess => self.first.map(Side::other),
                None => None,
            };
        }
        self.server != before
    }

    /// Forgets the parts and numbers of the session before, if a message opens another one. Reports the messages that open
    /// and close sessions.
    fn open_or_close(&mut self, message: &'static str, place: &Provenance<'_>, dissection: &mut Dissection) {
        if !dissection.fault.as_ref().is_none_or(Fault::is_cut) {
            return;
        }
        let rules = self.description.session.rules();
        let now = place.time.near_nanos();
        if self.opening.begins(rules.opens[0], rules.closes, message, place.side, now) {
            self.parts = Default::default();
            self.traffic.begin(dissection);
        }
        if rules.opens[0].contains(&message) {
            dissection.delivery.push(Event::Step(Step::Asked));
        } else if rules.closes.contains(&message) {
            dissection.delivery.push(Event::Step(Step::Left(message)));
        }
    }

    /// Reads one packet: a datagram, a frame of a stream, a WebSocket message.
    fn packet(&mut self, place: &Provenance<'_>, unmasked: bool, out: &mut Out<'_>) {
        let addressed = out.flow_info.ends.is_some();
        let before = (self.first, self.server, self.certain);
        self.first.get_or_insert(place.side);
        let mut work = out.dissection.scratch.take::<Work>();
        let (mut fault, mut used) = self.take_in(&mut work, place, addressed);
        if !(self.certain || self.server.is_some() && self.description.server.is_none())
            && self.learn(&work, place.side, addressed && out.flow_info.transport == Transport::Udp)
        {
            (fault, used) = self.take_in(&mut work, place, addressed);
        }
        lines::find(&work.tree, &mut work.found);
        if !fits(&work, fault.as_ref()) && self.others.offer(self.description, before.1, place, out) {
            (self.first, self.server, self.certain) = before;
            out.dissection.scratch.give(work);
            return;
        }
        self.derive_presence(&mut work.tree, &work.found.hooked);
        let (count, odd) = (work.found.lines.len(), work.found.odd);
        // Headers may be in the bytes of another part, so each part needs a source with the whole packet.
        let whole = if count > 1 {
            work.source().map(|(source, buffer)| {
                buffer.extend_from_slice(place.bytes);
                source
            })
        } else {
            None
        };
        let broken = fault.is_some();
        for k in 0..count {
            let Some(mark) = work.found.lines.get(k).copied() else { break };
            let end = work.found.lines.get(k + 1).map(|next| next.start as usize);
            let last = end.is_none();
            let from = (mark.start as usize).min(place.bytes.len());
            let to = end.unwrap_or(place.bytes.len()).clamp(from, place.bytes.len());
            let length = if last { place.length.saturating_sub(from) } else { to - from };
            let bytes = place.bytes.get(from..to).unwrap_or_default();
            let own = Provenance { bytes, length, ..*place };
            let dissection = out.begin(self.description.facts.name);
            dissection.from = self.role(place.side);
            dissection.part = (count > 1).then_some((k as u32 + 1, count as u32));
            let (name, split) = self.line(&work.tree, mark, last, whole, broken);
            split.fill(&mut dissection.packet, &mut dissection.tree);
            dissection.message = name;
            if last && broken {
                dissection.fault = fault.take();
            }
            if k == 0 {
                self.stream.note_gap(place.side, dissection);
                if unmasked {
                    let text = format_args!("a client's frame without mask");
                    dissection.notes.warn("websocket.unmasked", text);
                }
            }
            self.notes(odd, dissection);
            self.open_or_close(name, place, dissection);
            self.joined(mark, &mut work, place, dissection);
            self.remembered(used, dissection);
            let Description { traffic, codes, .. } = self.description;
            self.traffic.see(traffic, &own, mark.start, codes, dissection);
            let sources = work.sources.get_mut(..work.used).unwrap_or_default();
            out.dissection.exchange(sources);
            out.emit(&own);
            out.dissection.exchange(sources);
        }
        if !self.memory.is_empty() {
            let hooked = work.found.hooked.iter().filter_map(|k| work.tree.nodes().get(*k as usize));
            self.description.remember_at(hooked, &mut self.memory);
        }
        out.dissection.scratch.give(work);
    }
}

/// Whether a packet fits as far as it was captured.
fn fits(work: &Work, fault: Option<&Fault>) -> bool {
    let marks = work.found.lines.iter().filter_map(|mark| work.tree.nodes().get(mark.node? as usize));
    let unknown = marks.into_iter().any(|node| std::ptr::eq(node.field, &UNKNOWN));
    fault.is_none_or(Fault::is_cut) && !work.found.odd && !unknown
}

impl Session for DescribedSession {
    fn begun(&self, side: Side) -> Option<u64> {
        if let Channel::WebSocket(carrier) = &self.channel { carrier.begun(side) } else { None }
    }

    fn datagram(&mut self, place: &Provenance<'_>, out: &mut Out<'_>) {
        self.packet(place, false, out);
    }

    fn offered(&mut self, place: &Provenance<'_>, bits: u32, out: &mut Out<'_>) -> bool {
        self.others = Others::none();
        let mut work = out.dissection.scratch.take::<Work>();
        let (fault, _) = self.take_in(&mut work, place, true);
        let from = sender(self.role(place.side));
        let state = State { memory: &self.memory, values: &self.values, from, likely: from };
        let found = weigh_tree(self.description, &work.tree, fault.as_ref(), &state);
        out.dissection.scratch.give(work);
        let fits = found.is_some_and(|found| found >= bits);
        if fits {
            self.packet(place, false, out);
        }
        fits
    }

    fn stream(&mut self, side: Side, stream: &mut Stream, event: StreamEvent<'_>, out: &mut Out<'_>) {
        debug_assert_eq!(out.flow_info.transport, Transport::Tcp);
        if let Channel::Unknown = self.channel {
            self.decide(stream, !matches!(event, StreamEvent::Data { .. }));
        }
        match &self.channel {
            Channel::Unknown => {
                // The first bytes are missing.
                if let StreamEvent::Gap { missing } = event {
                    self.begun[side.index()] = false;
                    self.stream.lose(side, missing);
                    Framed::lost(self, side);
                }
            }
            Channel::Tcp => {
                if let (true, StreamEvent::Data { new, segments, .. }) = (self.lost[side.index()], event) {
                    self.starts[side.index()].add(stream, new, segments);
                }
                self.read(side, stream, event, out);
            }
            Channel::WebSocket(_) => self.websocket(side, stream, event, out),
        }
    }

    fn client(&self) -> Option<Side> {
        self.server.map(Side::other)
    }

    fn set_server(&mut self, server: Side) {
        self.server.get_or_insert(server);
    }

    fn agrees(&self) -> bool {
        self.traffic.agrees()
    }

    fn memory(&self) -> usize {
        let parts: usize = self.parts.iter().map(Parts::memory).sum();
        let carrier = if let Channel::WebSocket(carrier) = &self.channel { carrier.memory() } else { 0 };
        let starts: usize = self.starts.iter().map(Starts::memory).sum();
        let work = self.work.as_ref().map_or(0, |work| size_of::<Work>() + size_of_val(work.tree.nodes()));
        parts + carrier + starts + work + self.others.memory() + self.traffic.memory() + self.stream.memory()
    }
}
