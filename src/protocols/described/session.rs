//! One conversation of a described protocol: packets to lines, parts to wholes, and what is
//! remembered from one packet to the next.

use super::frames::{Begins, Frame};
use super::join::{self, Parts};
use super::lines::{self, Mark, Reveal, Split};
use super::reader::{Known, Work, read};
use super::traffic::Traffic;
use super::{
    Description, FRAME, FRAMES, JOINED, JOINED_BULK, JOINED_BYTES, JOINED_FIELDS, JOINED_LENGTH, JOINED_NAME,
    JOINED_PACKET, MEMORY,
};
use crate::codec::kinds::{COMPUTED, UNKNOWN};
use crate::codec::layout::flag;
use crate::codec::node::Node;
use crate::codec::reader::TRAILING;
use crate::codec::{Fault, Level, Tree, Value};
use crate::dissect::framed::{Framed, Next, Pdu, StreamState};
use crate::dissect::{Dissection, FlowInfo, Out, Provenance, Role, Roles, Session, StreamEvent};
use crate::flow::{Side, Stream, Transport};
use crate::plural::Plural;
use crate::protocols::websocket::{Carrier, CarrierStep, http};
use std::cell::Cell;

/// What carries the packets of a stream.
#[derive(Debug)]
enum Way {
    /// Not known yet: nobody has said enough.
    Unknown,
    Tcp,
    WebSocket(Box<Carrier>),
}

/// One conversation.
#[derive(Debug)]
pub struct DescribedSession {
    description: &'static Description,
    server: Option<Side>,
    /// The user, or the file's own condition, has said who the server is.
    certain: bool,
    /// Who spoke first.
    first: Option<Side>,
    memory: Vec<[u64; 2]>,
    values: Vec<u64>,
    parts: [Parts; 2],
    traffic: Traffic,
    way: Way,
    lost: [bool; 2],
    stream: StreamState,
    begun: [bool; 2],
    ratio: usize,
}

impl DescribedSession {
    /// The memory for a new conversation.
    pub fn new(description: &'static Description, flow_info: &FlowInfo<'_>) -> DescribedSession {
        let said = flow_info.server_by_option().or_else(|| flow_info.server_by_from(Side::A));
        let port =
            || flow_info.server_by_port(|port| description.ports(flow_info.transport).any(|known| known == port));
        let named = || flow_info.server_by_named_port(description.name);
        let server = said.or_else(named).or_else(port).or_else(|| flow_info.server_by_syn());
        let way = match (&description.tcp, description.websocket) {
            (_, None) => Way::Tcp,
            _ => Way::Unknown,
        };
        let values = (0..description.values.len()).map(|k| description.setting(k, flow_info.options));
        DescribedSession {
            description,
            server,
            certain: said.is_some(),
            first: None,
            memory: description.memory.iter().map(|(_, first)| [*first; 2]).collect(),
            values: values.collect(),
            parts: Default::default(),
            traffic: Traffic::new(&description.traffic),
            way,
            lost: flow_info.begun.map(|begun| !begun),
            stream: StreamState::default(),
            begun: flow_info.begun,
            ratio: flow_info.options.limits.peer.inflate_ratio,
        }
    }

    /// In the middle of a conversation in which this is remembered.
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
        DescribedSession {
            description,
            server,
            certain: true,
            first: None,
            memory,
            values,
            parts: Default::default(),
            traffic: Traffic::default(),
            way: Way::Tcp,
            lost: [false; 2],
            stream: StreamState::default(),
            begun: [true; 2],
            ratio: 0,
        }
    }

    /// What is remembered after a packet.
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
        let from = match self.role(place.side) {
            Role::Client => 1,
            Role::Server => 2,
            Role::Unknown => 0,
        };
        // Who speaks second is the server.
        let likely = match (from, self.first) {
            (0, Some(first)) if guess => {
                if first == place.side {
                    1
                } else {
                    2
                }
            }
            (from, _) => from,
        };
        let (used, mut tree) = (Cell::new(0), std::mem::take(&mut work.tree));
        work.used = 0;
        let mut known = Known {
            description: self.description,
            memory: &self.memory,
            values: &self.values,
            from,
            likely,
            used: &used,
            sources: &mut work.sources,
            used_sources: &mut work.used,
        };
        let fault = read(self.description.packet, (place.bytes, place.length, 0), &mut known, &mut tree);
        work.tree = tree;
        (fault, used.get())
    }

    /// Who sends, from what the packet says. True: it has to be read again.
    fn learn(&mut self, work: &Work, side: Side, addressed: bool) -> bool {
        let before = self.server;
        if let (Some(when), false) = (&self.description.server, self.certain) {
            let tree = &work.tree;
            let end = tree.nodes().len();
            let names = super::recognise::names(when);
            if names.iter().all(|name| lines::visible(tree, end, name).is_some()) {
                let server = join::holds(when, tree, end, &|_| None);
                self.server = Some(if server { side } else { side.other() });
                self.certain = true;
            }
        }
        if self.server.is_none() {
            let message = work.tree.nodes().iter().filter(|node| node.field.is(flag::MESSAGE));
            let from = message.filter_map(|node| self.description.from(node)).find(|from| *from > 0);
            self.server = match from {
                Some(1) => Some(side.other()),
                Some(_) => Some(side),
                // Who speaks second is the server.
                None if addressed => self.first.map(Side::other),
                None => None,
            };
        }
        self.server != before
    }

    /// One packet: a datagram, a frame of a stream, a WebSocket message.
    fn packet(&mut self, place: &Provenance<'_>, unmasked: bool, out: &mut Out<'_>) {
        let addressed = out.flow_info.ends.is_some();
        self.first.get_or_insert(place.side);
        let mut work = out.dissection.scratch.take::<Work>();
        let (mut fault, mut used) = self.take_in(&mut work, place, addressed);
        if !(self.certain || self.server.is_some() && self.description.server.is_none())
            && self.learn(&work, place.side, addressed)
        {
            (fault, used) = self.take_in(&mut work, place, addressed);
        }
        self.derive_presence(&mut work.tree);
        let mut marks = std::mem::take(&mut work.lines);
        lines::find(&work.tree, &mut marks);
        let count = marks.len();
        // The headers of a part that is not the first stand in another part's bytes.
        let whole = if count > 1 {
            work.source().map(|(source, buffer)| {
                buffer.extend_from_slice(place.bytes);
                source
            })
        } else {
            None
        };
        for (k, mark) in marks.iter().enumerate() {
            let end = marks.get(k + 1).map(|next| next.start as usize);
            let last = end.is_none();
            let from = (mark.start as usize).min(place.bytes.len());
            let to = end.unwrap_or(place.bytes.len()).clamp(from, place.bytes.len());
            let length = if last { place.length.saturating_sub(from) } else { to - from };
            let bytes = place.bytes.get(from..to).unwrap_or_default();
            let own = Provenance { bytes, length, ..*place };
            let dissection = out.begin(self.description.name);
            dissection.from = self.role(place.side);
            dissection.part = (count > 1).then_some((k as u32 + 1, count as u32));
            let mut trees = (std::mem::take(&mut dissection.packet), std::mem::take(&mut dissection.tree));
            dissection.message = self.line(&work.tree, *mark, last, whole, fault.is_some(), &mut trees);
            (dissection.packet, dissection.tree) = trees;
            if last {
                dissection.fault = fault.take();
            }
            if k == 0 {
                self.stream.note_gap(place.side, dissection);
                if unmasked {
                    let text = format_args!("a client's frame without mask");
                    dissection.notes.add(Level::Warning, "websocket.unmasked", text);
                }
            }
            self.notes(dissection);
            self.joined(*mark, &mut work, place, dissection);
            self.remembered(used, dissection);
            self.traffic.see(&self.description.traffic, (&own, mark.start), self.description, dissection);
            let sources = work.sources.get_mut(..work.used).unwrap_or_default();
            out.dissection.exchange(sources);
            out.emit(&own);
            out.dissection.exchange(sources);
        }
        self.description.remember(&work.tree, &mut self.memory);
        work.lines = marks;
        out.dissection.scratch.give(work);
    }

    /// Fills a line's trees; returns its name.
    fn line(
        &self,
        tree: &Tree,
        mark: Mark,
        last: bool,
        whole: Option<u8>,
        broken: bool,
        trees: &mut (Tree, Tree),
    ) -> &'static str {
        let node = mark.node.and_then(|node| tree.nodes().get(node as usize));
        let name = match node {
            Some(node) if node.field.is(flag::MESSAGE) => node.field.name,
            _ => {
                let range = match (mark.node, node) {
                    (Some(k), Some(node)) => k as usize + 1..node.end as usize,
                    _ => 0..tree.nodes().len(),
                };
                let mut inside = tree.nodes().get(range).unwrap_or_default().iter();
                let part = inside.any(|node| self.description.hook(node).is_some_and(|hook| hook.join.is_some()));
                if part { "fragment" } else { "packet" }
            }
        };
        let known = node.is_some_and(|node| node.field.is(flag::MESSAGE) && !std::ptr::eq(node.field, &UNKNOWN));
        let reveal = match (broken, known) {
            (true, _) => Reveal::Everything,
            (false, false) => Reveal::Selectors,
            (false, true) => Reveal::Nothing,
        };
        let split = Split { tree, mark, last, whole, own: 0, reveal };
        split.fill(&mut trees.0, &mut trees.1);
        name
    }

    /// Shows hidden presence bits that encoding would write otherwise.
    fn derive_presence(&self, tree: &mut Tree) {
        let hook = |node: &Node| self.description.hook(node).and_then(|hook| hook.presence.as_ref());
        for k in 0..tree.nodes().len() {
            let Some(node) = tree.nodes().get(k).filter(|node| node.field.hook > 0 && node.hidden()) else { continue };
            let (Some((masks, more)), Some(value)) = (hook(node), node.number()) else { continue };
            let simple = masks.iter().filter(|mask| value & **mask != 0).fold(0, |all, mask| all | mask);
            if simple != value || value & more != 0 {
                tree.reveal(k);
            }
        }
    }

    /// What the fields themselves say is odd.
    fn notes(&self, dissection: &mut Dissection) {
        let codes = self.description.codes;
        let Dissection { tree, packet, notes, message, .. } = dissection;
        if *message == "unknown" {
            let id = tree.number("id").unwrap_or(0);
            notes.add(Level::Note, codes.unknown_id, format_args!("no message has the number {id}"));
        }
        for node in packet.nodes().iter().chain(tree.nodes()) {
            if std::ptr::eq(node.field, &COMPUTED) {
                let computed = node.number().unwrap_or(0);
                notes.add(Level::Warning, codes.checksum, format_args!("the sum of these bytes is {computed:#x}"));
            } else if node.field.hook == u16::MAX || std::ptr::eq(node.field, &TRAILING) {
                let bytes = Plural(node.bits.div_ceil(8), "byte");
                notes.add(Level::Note, codes.trailing, format_args!("{bytes} behind what is described"));
            }
        }
    }

    /// The wholes that a line's parts complete.
    fn joined(&mut self, mark: Mark, work: &mut Work, place: &Provenance<'_>, dissection: &mut Dissection) {
        if !self.description.joins() {
            return;
        }
        let tree = std::mem::take(&mut work.tree);
        let range = match mark.node {
            Some(node) => node as usize..tree.nodes().get(node as usize).map_or(0, |n| n.end as usize),
            None => 0..tree.nodes().len(),
        };
        for k in range {
            let Some(node) = tree.nodes().get(k) else { break };
            let Some(join) = self.description.hook(node).and_then(|hook| hook.join) else { continue };
            let sources = crate::codec::Sources { main: place.bytes, more: &work.sources };
            let Some(bytes) = node.bytes(sources) else { continue };
            let (memory, values, description) = (&self.memory, &self.values, self.description);
            let known = |name: &str| description.remembered(name, memory, values);
            let Some(came) = join.came(&tree, k, bytes, place.frame, &known) else { continue };
            let (mut whole, mut frames) = (Vec::new(), std::mem::take(&mut work.frames));
            frames.clear();
            let done = self.parts[place.side.index()].take(join, came, &mut whole, &mut frames);
            if done {
                self.whole(join, whole, &frames, work, place, dissection);
            }
            work.frames = frames;
        }
        work.tree = tree;
    }

    /// Shows a whole: its frames, its length, what it is.
    fn whole(
        &self,
        join: &super::compile::Join,
        bytes: Vec<u8>,
        frames: &[u64],
        work: &mut Work,
        place: &Provenance<'_>,
        dissection: &mut Dissection,
    ) {
        let Some((source, buffer)) = work.source() else { return };
        *buffer = bytes;
        let length = buffer.len();
        let fields = match join.whole.get() {
            Some(fields) => Some(*fields),
            None if join.is_packet => Some(self.description.packet),
            None => None,
        };
        let mut tree = std::mem::take(&mut work.whole);
        let mut fault = None;
        if let Some(fields) = fields {
            let from = match self.role(place.side) {
                Role::Client => 1,
                Role::Server => 2,
                Role::Unknown => 0,
            };
            let used = Cell::new(0);
            let bytes = work.sources.get_mut(source as usize - 1).map(std::mem::take).unwrap_or_default();
            let mut known = Known {
                description: self.description,
                memory: &self.memory,
                values: &self.values,
                from,
                likely: from,
                used: &used,
                sources: &mut work.sources,
                used_sources: &mut work.used,
            };
            fault = read(fields, (&bytes, bytes.len(), source), &mut known, &mut tree);
            if let Some(place) = work.sources.get_mut(source as usize - 1) {
                *place = bytes;
            }
        }
        let derived = &mut dissection.derived;
        let group = derived.open(&JOINED, Value::Group, 0);
        let list = derived.open(&FRAMES, Value::List, 0);
        frames.iter().for_each(|frame| _ = derived.push(&FRAME, Value::UInt(*frame), 0, 0));
        derived.close(list, 0);
        derived.push(&JOINED_LENGTH, Value::UInt(length as u64), 0, 0);
        let value = Value::Bytes { bit: 0, bits: length as u32 * 8 };
        if fields.is_none() || fault.is_some() {
            derived.push_from(source, &JOINED_BYTES, value, 0, length as u32 * 8);
            derived.close(group, 0);
            work.whole = tree;
            if let Some(fault) = fault
                && dissection.fault.is_none()
            {
                let text = format_args!("the whole of these parts does not fit: {fault}");
                dissection.notes.add(Level::Warning, self.description.codes.trailing, text);
            }
            return;
        }
        let mut marks = std::mem::take(&mut work.whole_lines);
        lines::find(&tree, &mut marks);
        for (k, mark) in marks.iter().enumerate() {
            let mut trees = (Tree::default(), Tree::default());
            let mark = Mark { start: 0, ..*mark };
            let last = k + 1 == marks.len();
            let node = mark.node.and_then(|node| tree.nodes().get(node as usize));
            let name = node.filter(|n| n.field.is(flag::MESSAGE)).map_or("packet", |n| n.field.name);
            let split = Split { tree: &tree, mark, last, whole: None, own: source, reveal: Reveal::Nothing };
            split.fill(&mut trees.0, &mut trees.1);
            let derived = &mut dissection.derived;
            if let Some((text, buffer)) = work.source() {
                buffer.extend_from_slice(name.as_bytes());
                derived.push_from(text, &JOINED_NAME, Value::Text { bit: 0, bits: name.len() as u32 * 8 }, 0, 0);
            }
            for (field, tree) in [(&JOINED_PACKET, &trees.0), (&JOINED_FIELDS, &trees.1)] {
                if tree.nodes().iter().all(Node::hidden) && std::ptr::eq(field, &JOINED_PACKET) {
                    continue;
                }
                let inner = derived.open(field, Value::Group, 0);
                derived.append(tree, 0..tree.nodes().len(), |_| {});
                derived.close(inner, 0);
            }
            if !last {
                // Further messages of the whole are left to its bytes.
                break;
            }
        }
        work.whole_lines = marks;
        let derived = &mut dissection.derived;
        derived.push_from(source, &JOINED_BULK, value, 0, length as u32 * 8);
        derived.close(group, 0);
        work.whole = tree;
    }

    /// What this reading used of what is remembered.
    fn remembered(&self, used: u64, dissection: &mut Dissection) {
        if used == 0 {
            return;
        }
        let own = if dissection.from == Role::Server { 1 } else { 0 };
        let group = dissection.derived.open(&MEMORY, Value::Group, 0);
        for (k, field) in self.description.memory_fields.iter().enumerate() {
            if used >> k & 1 == 1
                && let Some(value) = self.memory.get(k).and_then(|sides| sides.get(own))
            {
                dissection.derived.push(field, Value::UInt(*value), 0, 0);
            }
        }
        dissection.derived.close(group, 0);
    }

    /// The first bytes that anybody says tell what carries the packets.
    fn decide(&mut self, stream: &Stream, last: bool) {
        match http::begins(stream.bytes()) {
            _ if stream.bytes().is_empty() => {}
            Some(true) => {
                let carrier = Carrier::new(true, self.begun);
                self.way = Way::WebSocket(Box::new(carrier.inflating(self.ratio)));
            }
            Some(false) if self.description.tcp.is_some() => self.way = Way::Tcp,
            // Frames from their middle.
            Some(false) => {
                let carrier = Carrier::new(false, [false; 2]);
                self.way = Way::WebSocket(Box::new(carrier.inflating(self.ratio)));
            }
            None if last => self.way = Way::Tcp,
            None => {}
        }
    }

    /// Everything that WebSocket frames bring.
    fn websocket(&mut self, side: Side, stream: &mut Stream, event: StreamEvent<'_>, out: &mut Out<'_>) {
        loop {
            let mut roles = Roles::new(self.server);
            let Way::WebSocket(carrier) = &mut self.way else { return };
            let step = carrier.step(side, stream, &mut roles, out);
            self.server = roles.client().map(Side::other).or(self.server);
            match step {
                CarrierStep::Wait => break,
                CarrierStep::Done => {}
                CarrierStep::Message => {
                    let Way::WebSocket(carrier) = &mut self.way else { return };
                    let message = carrier.take(side);
                    if let Some(missing) = message.gap {
                        self.stream.lose(side, missing);
                    }
                    let frames: &[u64] = if message.frames.len() > 1 { &message.frames } else { &[] };
                    let (bytes, origin) = (&message.bytes[..], message.origin);
                    let place =
                        Provenance { side, bytes, length: bytes.len(), frame: origin.frame, frames, time: origin.time };
                    self.packet(&place, message.unmasked, out);
                    if let Way::WebSocket(carrier) = &mut self.way {
                        carrier.give_back(side, message);
                    }
                }
            }
        }
        let roles = Roles::new(self.server);
        let Way::WebSocket(carrier) = &mut self.way else { return };
        if !matches!(event, StreamEvent::Data { .. }) {
            carrier.end(side, stream, &roles, out);
        }
        if let StreamEvent::Gap { missing } = event {
            carrier.lose(side, missing);
        }
    }
}

/// Messages of a TCP stream.
impl Framed for DescribedSession {
    type Kind = ();

    fn state(&mut self) -> &mut StreamState {
        &mut self.stream
    }

    fn next(&mut self, side: Side, stream: &Stream, event: &StreamEvent<'_>) -> Next<()> {
        let bytes = stream.bytes();
        let Some((_, frame)) = &self.description.tcp else { return Next::Skip(bytes.len()) };
        if bytes.is_empty() {
            return Next::Wait;
        }
        let lost = &mut self.lost[side.index()];
        if *lost {
            // In step again where messages follow each other up to the end of what is there.
            match in_step(frame, bytes) {
                true => *lost = false,
                false if matches!(event, StreamEvent::Data { .. }) && bytes.len() < 4 => return Next::Wait,
                false => return Next::Skip(bytes.len()),
            }
        }
        match frame.begins(bytes) {
            Begins::Message(header, length, 0) => Next::Pdu(Pdu::whole((), header, length)),
            Begins::Message(0, 0, behind) => Next::Skip(behind),
            // What ended the line before is skipped with this one.
            Begins::Message(header, length, _) => Next::Pdu(Pdu::whole((), header, length)),
            Begins::More if matches!(event, StreamEvent::Data { .. }) => Next::Wait,
            Begins::More => {
                let (header, length) = frame.announced(bytes).unwrap_or((0, bytes.len()));
                let header = header.min(bytes.len());
                Next::Pdu(Pdu { kind: (), header, there: bytes.len() - header, length })
            }
            Begins::Nothing => {
                *lost = true;
                Next::Pdu(Pdu::whole((), 0, bytes.len()))
            }
        }
    }

    fn pdu(&mut self, (): (), place: &Provenance<'_>, out: &mut Out<'_>) {
        self.packet(place, false, out);
    }

    fn lost(&mut self, side: Side) {
        self.lost[side.index()] = true;
    }
}

/// Do messages follow each other from the first byte to the last?
fn in_step(frame: &Frame, bytes: &[u8]) -> bool {
    if let Frame::Until(_) = frame {
        return true;
    }
    let (mut at, mut whole) = (0, 0);
    loop {
        match frame.begins(bytes.get(at..).unwrap_or_default()) {
            Begins::Message(header, length, behind) if header + length + behind > 0 => {
                at += header + length + behind;
                whole += 1;
            }
            _ => return at == bytes.len() && whole > 0,
        }
    }
}

impl Session for DescribedSession {
    fn begun(&self, side: Side) -> Option<u64> {
        if let Way::WebSocket(carrier) = &self.way { carrier.begun(side) } else { None }
    }

    fn datagram(&mut self, place: &Provenance<'_>, out: &mut Out<'_>) {
        self.packet(place, false, out);
    }

    fn stream(&mut self, side: Side, stream: &mut Stream, event: StreamEvent<'_>, out: &mut Out<'_>) {
        debug_assert_eq!(out.flow_info.transport, Transport::Tcp);
        if let Way::Unknown = self.way {
            self.decide(stream, !matches!(event, StreamEvent::Data { .. }));
        }
        match &self.way {
            Way::Unknown => {}
            Way::Tcp => self.read(side, stream, event, out),
            Way::WebSocket(_) => self.websocket(side, stream, event, out),
        }
    }

    fn client(&self) -> Option<Side> {
        self.server.map(Side::other)
    }

    fn memory(&self) -> usize {
        let parts: usize = self.parts.iter().map(Parts::memory).sum();
        let carrier = if let Way::WebSocket(carrier) = &self.way { carrier.memory() } else { 0 };
        parts + carrier + self.traffic.memory() + self.stream.memory()
    }
}
