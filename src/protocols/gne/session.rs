//! One GNE connection over TCP: identifies the message in each frame by direction and order.

use super::PROTO;
use super::datagrams::{GneDatagramSession, party};
use super::handshake::Handshake;
use super::layout::END;
use super::layout::Message::{self, *};
use super::link::{Link, Shared, lock};
use super::packets::{empty, packets};
use crate::codec::layout::Order;
use crate::dissect::framed::{Framed, Next, Pdu, StreamState};
use crate::dissect::{Dissection, FlowInfo, Out, Provenance, Role, Session, StreamEvent};
use crate::flow::{Side, Stream};
use crate::protocols::hawknl::framing::{Chunk, Framing};
use crate::protocols::hawknl::{self, HEADER, lines};
use std::mem;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

/// The first bytes of every handshake content except the client's port.
pub const MAGIC: &[u8] = b"GNE";
/// The longest answer of a server. A longer content that begins with "GNE" is a request.
const LONGEST_ANSWER: usize = 44;

/// The position of the next content in its direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// The first content; `Cut`: first or later, because the beginning is not in the capture.
    #[default]
    First,
    Cut,
    /// The client's second content.
    Second,
    /// A later content.
    Rest,
    /// This direction is not GNE.
    Foreign,
}

/// The only possible sender of a message.
fn sender(message: Option<Message>) -> Role {
    match message {
        Some(ConnectionRequest | ClientPort) => Role::Client,
        Some(ConnectionRefused | ConnectionAccepted) => Role::Server,
        Some(Packets) | None => Role::Unknown,
    }
}

#[derive(Debug, Default)]
struct Direction {
    begun: bool,
    framing: Framing,
    stage: Stage,
    /// In a direction captured from its middle: `lists` counts the contents that could be lists of packets, `others`
    /// the rest.
    lists: u32,
    others: u32,
    /// Bytes were missing before these, and no frame was found since.
    after_gap: bool,
    /// The gap that follows has the rest of the content that was read last, and nothing else.
    completes: bool,
}

/// The state of a connection.
#[derive(Debug)]
pub struct GneSession {
    link: Shared,
    handshake: Handshake,
    directions: [Direction; 2],
    /// Found from the messages, if neither the SYN nor the user identifies the server.
    server: Option<Side>,
    /// The user named the protocol, or its port.
    named: bool,
    /// `gne.message`, for `dump`.
    message: Option<Message>,
    /// The server's address for UDP, until [`Session::expects`] returns it.
    announced: Option<SocketAddr>,
    /// The number of bytes that are missing after those that are now read, if they end where bytes are missing.
    missing: Option<u64>,
    stream: StreamState,
}

impl GneSession {
    /// The state of a new connection.
    pub fn new(flow_info: &FlowInfo<'_>) -> GneSession {
        let options = flow_info.options;
        let ours = |port: u16| options.ports.iter().any(|(p, name)| *p == port && name == PROTO);
        let mut link = Link::new(options);
        link.tcp_flow = flow_info.flow;
        GneSession {
            link: Arc::new(Mutex::new(link)),
            handshake: Handshake::default(),
            directions: Default::default(),
            server: None,
            named: options.proto.as_deref() == Some(PROTO)
                || flow_info.ends.is_some_and(|ends| ends.iter().any(|end| ours(end.port()))),
            message: options.settings.get("gne.message").and_then(Message::named),
            announced: None,
            missing: None,
            stream: StreamState::default(),
        }
    }

    fn direction(&mut self, side: Side) -> &mut Direction {
        &mut self.directions[side.index()]
    }

    /// The sender's role in this direction, as far as addresses, SYN and user identify it.
    fn role(&self, flow_info: &FlowInfo<'_>, side: Side) -> Role {
        if flow_info.ends.is_none() {
            return flow_info.options.from.unwrap_or_default();
        }
        let server = flow_info
            .server_by_syn()
            .or_else(|| flow_info.server_by_option())
            .or(self.server)
            .or_else(|| flow_info.server_by_named_port(PROTO))
            .or_else(|| flow_info.server_by_from(Side::A));
        FlowInfo::role(server, side)
    }

    /// Identifies the message in a content by the direction's rules, and advances the direction's stage. `None`: only a
    /// carrier's frame.
    fn what(&mut self, side: Side, bytes: &[u8], flow_info: &FlowInfo<'_>) -> Option<Message> {
        let role = self.role(flow_info, side);
        let (dump, named, set) = (flow_info.ends.is_none(), self.named, self.message);
        let is_port = bytes.len() == 4 && (self.handshake.port.is_some() || self.is_port(bytes));
        let direction = self.direction(side);
        let (what, next) = match direction.stage {
            Stage::Foreign => (None, Stage::Foreign),
            Stage::First | Stage::Cut if bytes.starts_with(MAGIC) => {
                let what = hello(role, bytes, set.filter(|_| dump));
                let client = role == Role::Client || what == Some(ConnectionRequest);
                (what, if client { Stage::Second } else { Stage::Rest })
            }
            _ if dump && set == Some(ClientPort) => {
                self.message = None;
                (Some(ClientPort), Stage::Rest)
            }
            _ if dump => (Some(Packets), Stage::Rest),
            Stage::First => (None, Stage::Foreign),
            Stage::Cut if named => (Some(Packets), Stage::Rest),
            Stage::Cut if is_list(bytes) => {
                direction.lists = direction.lists.saturating_add(1);
                (Some(Packets), Stage::Cut)
            }
            Stage::Cut => {
                direction.others = direction.others.saturating_add(1);
                let foreign = direction.others > direction.lists.saturating_add(MOST_OTHERS);
                (None, if foreign { Stage::Foreign } else { Stage::Cut })
            }
            Stage::Second if is_port => (Some(ClientPort), Stage::Rest),
            Stage::Second | Stage::Rest => (Some(Packets), Stage::Rest),
        };
        self.direction(side).stage = next;
        what
    }

    /// Whether a client that asked for UDP sends its port in these bytes, although the capture has no acceptance. A list of
    /// packets ends in another way.
    fn is_port(&self, bytes: &[u8]) -> bool {
        let order = lock(&self.link).order().unwrap_or(Order::Little);
        !self.handshake.answered
            && self.handshake.unreliable
            && match (order, bytes) {
                (Order::Little, [low, high, 0, 0]) | (Order::Big, [0, 0, high, low]) => (*high, *low) != (0, 0),
                _ => false,
            }
    }

    /// Reads the content of one frame, or the only content of a `dump`.
    fn content(&mut self, place: &Provenance<'_>, after_gap: bool, out: &mut Out<'_>) {
        let (side, flow_info) = (place.side, out.flow_info);
        let second = self.direction(side).stage == Stage::Second;
        let what = self.what(side, place.bytes, flow_info);
        let from = match (flow_info.ends, sender(what), self.role(flow_info, side)) {
            (None, Role::Unknown, role) => role,
            (None, sender, _) | (Some(_), sender, Role::Unknown) => sender,
            (Some(_), _, role) => role,
        };
        if flow_info.ends.is_some() && self.server.is_none() && sender(what) != Role::Unknown {
            self.server = Some(if from == Role::Server { side } else { side.other() });
        }
        if let Some(message) = what {
            let dissection = out.begin(PROTO);
            dissection.from = from;
            let link = Arc::clone(&self.link);
            let mut link = lock(&link);
            match message {
                ConnectionRequest => self.handshake.request(place, dissection, &mut link),
                ConnectionRefused => self.handshake.refused(place, dissection, &mut link),
                ConnectionAccepted => self.accepted(place, flow_info, dissection, &mut link),
                ClientPort => self.handshake.client_port(place, dissection, &mut link),
                Packets => {
                    packets(party(from, side), flow_info, place, dissection, &mut link);
                    if after_gap {
                        link.pings.hide(party(from, side), dissection);
                    }
                }
            }
            if let (Packets, true, Some(port)) = (message, second, self.handshake.port) {
                dissection.notes.error(
                    "gne.client_port_missing",
                    format_args!("the server gave UDP port {port} and now waits for the client's, 4 bytes: silence"),
                );
            }
        } else {
            let dissection = lines::content(place.bytes, from, out);
            if place.length == 0 {
                empty(dissection);
            }
        }
        self.emit(place, out);
    }

    fn accepted(
        &mut self,
        place: &Provenance<'_>,
        flow_info: &FlowInfo<'_>,
        dissection: &mut Dissection,
        link: &mut Link,
    ) {
        if flow_info.ends.is_some() {
            link.learn_order(place.bytes.get(8..12));
        }
        self.handshake.accepted(place, dissection, link);
        if let (Some(port), Some(ends)) = (self.handshake.port, flow_info.ends) {
            self.announced = Some(SocketAddr::new(ends[place.side.index()].ip(), port));
        }
    }

    fn emit(&mut self, place: &Provenance<'_>, out: &mut Out<'_>) {
        self.stream.note_gap(place.side, out.dissection);
        out.emit(place);
    }

    /// Advances the stage past a content that is never complete, so that contents after the gap are identified.
    fn unfinished(&mut self, side: Side, bytes: &[u8], role: Role) {
        let direction = self.direction(side);
        direction.stage = match direction.stage {
            Stage::First | Stage::Cut if bytes.starts_with(MAGIC) && role == Role::Client => Stage::Second,
            Stage::First | Stage::Cut if bytes.starts_with(MAGIC) => Stage::Rest,
            Stage::First if bytes.len() >= MAGIC.len() => Stage::Foreign,
            stage => stage,
        };
    }
}

/// In a direction captured from its middle, contents that are not lists may outnumber the lists by this much: the
/// client's port is one.
const MOST_OTHERS: u32 = 2;

/// Whether a content could be a list of packets, judged by the mark at its end. One of 256 other contents ends so too.
pub fn is_list(bytes: &[u8]) -> bool {
    bytes.last() == Some(&END) && (bytes.len() == 1 || bytes.first() != Some(&END))
}

/// Identifies a content that begins with "GNE" and is the first of its direction.
fn hello(role: Role, bytes: &[u8], set: Option<Message>) -> Option<Message> {
    let answer = match bytes.get(MAGIC.len()) {
        None => None,
        Some(0) => Some(ConnectionRefused),
        Some(_) => Some(ConnectionAccepted),
    };
    match (role, set) {
        (Role::Client, _) => Some(ConnectionRequest),
        (Role::Server, _) => answer,
        (Role::Unknown, _) if bytes.len() > LONGEST_ANSWER => Some(ConnectionRequest),
        // If a request was cut short, only the user can know.
        (Role::Unknown, Some(ConnectionRequest)) => Some(ConnectionRequest),
        (Role::Unknown, Some(ConnectionRefused | ConnectionAccepted)) if answer.is_some() => set,
        (Role::Unknown, _) => answer,
    }
}

impl Framed for GneSession {
    type Kind = Chunk;

    fn state(&mut self) -> &mut StreamState {
        &mut self.stream
    }

    fn next(&mut self, side: Side, stream: &Stream, event: &StreamEvent<'_>) -> Next<Chunk> {
        let last = !matches!(event, StreamEvent::Data { .. });
        self.missing = match event {
            StreamEvent::Gap { missing } | StreamEvent::End { missing: missing @ 1.. } => Some(*missing),
            _ => None,
        };
        let Some(chunk) = self.direction(side).framing.next(stream, last) else { return Next::Wait };
        Next::Pdu(match chunk {
            Chunk::Content { length } => Pdu::whole(chunk, HEADER, length),
            // The capture may contain no more than its header.
            Chunk::Unfinished { there, .. } => Pdu::whole(chunk, 0, HEADER + there),
            Chunk::Stub { there: length } | Chunk::Noise { count: length, .. } => Pdu::whole(chunk, 0, length),
        })
    }

    fn pdu(&mut self, chunk: Chunk, place: &Provenance<'_>, out: &mut Out<'_>) {
        let role = self.role(out.flow_info, place.side);
        match chunk {
            Chunk::Content { .. } => {
                let after_gap = mem::take(&mut self.direction(place.side).after_gap);
                return self.content(place, after_gap, out);
            }
            Chunk::Unfinished { length, there } => {
                lines::unfinished(length, place.bytes, role, self.missing.is_some(), out);
                self.direction(place.side).completes = self.missing == Some((length - there) as u64);
                let content = place.bytes.get(HEADER..).unwrap_or(&[]);
                self.unfinished(place.side, content, role);
                return self.emit(&Provenance { length: content.len(), ..*place }, out);
            }
            Chunk::Stub { .. } => {
                lines::stub(place.bytes, role, self.missing.is_some(), out);
            }
            Chunk::Noise { wrong, .. } => {
                let after_gap = self.direction(place.side).after_gap;
                lines::noise(wrong, place.bytes, role, after_gap, out);
            }
        }
        self.emit(place, out);
    }

    fn lost(&mut self, side: Side) {
        lock(&self.link).pings.unsure = true;
        let direction = self.direction(side);
        direction.framing.search();
        direction.after_gap = true;
        let completes = mem::take(&mut direction.completes);
        direction.stage = match direction.stage {
            Stage::First => Stage::Cut,
            // The missing bytes contain the content that would have been the second.
            Stage::Second if !completes => Stage::Rest,
            stage => stage,
        };
    }
}

impl Session for GneSession {
    fn memory(&self) -> usize {
        lock(&self.link).pings.memory()
    }

    fn datagram(&mut self, _place: &Provenance<'_>, _out: &mut Out<'_>) {}

    fn stream(&mut self, side: Side, stream: &mut Stream, event: StreamEvent<'_>, out: &mut Out<'_>) {
        let begun = out.flow_info.begun[side.index()];
        let direction = self.direction(side);
        if !mem::replace(&mut direction.begun, true) {
            if !begun {
                direction.framing.search();
                (direction.stage, direction.after_gap) = (Stage::Cut, true);
            }
            if out.flow_info.begun != [true; 2] {
                lock(&self.link).pings.unsure = true;
            }
            // Hex text without the carrier's header is one content.
            let data = matches!(event, StreamEvent::Data { .. });
            if out.flow_info.ends.is_none() && data && !stream.bytes().starts_with(&hawknl::MAGIC) {
                let (bytes, length) = (stream.bytes(), stream.bytes().len());
                let place = Provenance { side, bytes, length, frame: 0, frames: &[], time: Default::default() };
                self.content(&place, false, out);
                stream.consume(length);
                return;
            }
        }
        self.read(side, stream, event, out);
    }

    fn server(&self, flow_info: &FlowInfo<'_>) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.role(flow_info, *side) == Role::Server)
    }

    fn settled(&self) -> bool {
        lock(&self.link).request_order.is_some()
    }

    fn set_server(&mut self, server: Side) {
        self.server.get_or_insert(server);
    }

    fn sibling(&self, flow_info: &FlowInfo<'_>) -> Option<Box<dyn Session>> {
        let other = GneSession::new(flow_info);
        lock(&other.link).request_order = lock(&self.link).request_order;
        Some(Box::new(other))
    }

    fn affects_others(&self) -> bool {
        true
    }

    fn expects(&mut self) -> Option<(SocketAddr, Box<dyn Session>)> {
        let server = self.announced.take()?;
        Some((server, Box::new(GneDatagramSession::of(&self.link, server))))
    }
}
