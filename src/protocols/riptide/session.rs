//! One Riptide conversation: its version, its server, its acknowledgements.

use super::farewell::farewell;
use super::framing::{self, Framing};
use super::layout::Message::{
    Ack, AckExtra, ClientConnected, ClientDisconnected, Connect, Disconnect, Heartbeat, Notify, Reject, Unknown,
    Unreliable, UnreliableAutoRelay, Welcome,
};
use super::layout::{ACKS, FOR_SEQ, LAST, Message, NOTIFY_ACKS, PING, REASON, RTT, SEQUENCE, is_numbered};
use super::reliable::{Reliable, Tries};
use super::remarks;
use super::values::Payloads;
use super::version::{Candidates, Version, fits, is_written, trailing};
use crate::capture::Time;
use crate::codec::layout::Field;
use crate::codec::schema::Schemas;
use crate::codec::{Layout, Reader, Tree};
use crate::dissect::counts::is_near;
use crate::dissect::delivery::{Event, Step};
use crate::dissect::framed::{Framed, Next, Pdu, StreamState};
use crate::dissect::payload::Made;
use crate::dissect::{
    Dissection, FlowInfo, Out, Provenance, RelationKind, Role, Session, Settings, StreamEvent, Target, payload,
};
use crate::duration;
use crate::flow::{Side, Stream, Transport};
use std::collections::VecDeque;

/// The port of Riptide's own samples.
pub const PORT: u16 = 7777;

/// The library's own timeout, in nanoseconds.
const TIMEOUT: i64 = 5_000_000_000;

/// The number of heartbeats that may wait for their answers. A client sends one a second, also when the round trip is
/// longer.
const PINGS: usize = 8;

/// A heartbeat that waits for its answer: its sender, ping id, time and place.
type Ping = (Side, u64, Time, Target);

/// One conversation.
#[derive(Debug)]
pub struct RiptideSession {
    /// Set by the user: nothing is inferred then.
    set: Option<Version>,
    /// The protocol was recognised, not named by the user, and may turn out to be another.
    recognised: bool,
    candidates: Candidates,
    /// An ack in 2.1's form was seen.
    acks_of_21: bool,
    /// The version of the last line.
    shown: Option<Version>,
    server: Option<Side>,
    /// The message that identifies the server, and its first byte.
    learned_from: Option<(u8, Message)>,
    /// The sides that have sent messages.
    senders: [bool; 2],
    reliable: Reliable,
    /// The latest heartbeats that wait for their answers.
    pings: VecDeque<Ping>,
    framing: Framing,
    /// It is from text without addresses, so its end is where the text was cut.
    from_text: bool,
    /// The time for which a heartbeat keeps a side alive, in nanoseconds: `riptide.timeout`.
    timeout: i64,
    /// Each side's last reliable id.
    ids: [Option<u16>; 2],
    stream: StreamState,
}

impl RiptideSession {
    /// The state of a new conversation.
    pub fn new(flow_info: &FlowInfo<'_>) -> RiptideSession {
        let set = flow_info.options.settings.get("riptide.version").and_then(Version::named);
        let server = flow_info
            .server_by_option()
            .or_else(|| flow_info.server_by_from(Side::A))
            .or_else(|| flow_info.server_by_syn())
            .or_else(|| flow_info.server_by_named_port("riptide"))
            .or_else(|| flow_info.server_by_port(|port| port == PORT));
        let tcp = flow_info.transport == Transport::Tcp;
        let framing = Framing::new(set, flow_info.options.settings.get("riptide.framing"), tcp, flow_info.begun);
        RiptideSession {
            set,
            recognised: set.is_none() && flow_info.options.proto.is_none(),
            candidates: Candidates::default(),
            acks_of_21: false,
            shown: None,
            server,
            learned_from: None,
            senders: [false; 2],
            reliable: Reliable::new(Tries::of(&flow_info.options.settings)),
            pings: VecDeque::new(),
            framing,
            from_text: flow_info.ends.is_none(),
            timeout: timeout(&flow_info.options.settings),
            ids: [None; 2],
            stream: StreamState::default(),
        }
    }

    /// The version by which this message is read. The message itself also counts as evidence.
    fn version(&mut self, data: &[u8], length: usize, tree: &mut Tree) -> Version {
        if let Some(set) = self.set {
            return set;
        }
        let version = match self.framing.version() {
            Some(version) => version,
            None => {
                self.candidates.see(data, length, tree);
                self.candidates.first()
            }
        };
        // 2.1 sends the seventh byte even if the flag is clear.
        let long_ack = version == Version::V22 && length == 7 && data.first().is_some_and(|b| b & 15 == 1);
        self.acks_of_21 |= long_ack && data.get(4).is_some_and(|b| b & 0x10 == 0);
        if version == Version::V22 && self.acks_of_21 { Version::V21 } else { version }
    }

    /// Hex text that ends inside a frame: the bytes up to the end are shown. In a capture such a message was never
    /// completed, and makes no line.
    fn cut(&self, bytes: &[u8]) -> Next<bool> {
        match self.framing.cut(bytes) {
            Some((header, length)) => {
                let there = bytes.len().saturating_sub(header);
                Next::Pdu(Pdu { kind: false, header, there, length })
            }
            None if bytes.is_empty() => Next::Wait,
            None => Next::Pdu(Pdu::whole(true, 0, bytes.len())),
        }
    }

    /// Emits what is not read: a datagram without a byte, or bytes of a stream that are no message.
    #[cold]
    fn unread(
        &mut self,
        fault: fn(Version, &Provenance<'_>, &mut Dissection),
        place: &Provenance<'_>,
        out: &mut Out<'_>,
    ) {
        let version = self.shown.or(self.set).or(self.framing.version()).unwrap_or(self.candidates.first());
        let dissection = out.begin("riptide");
        dissection.version = Some(version.name());
        dissection.message = Message::Unknown.name();
        dissection.from = FlowInfo::role(self.server, place.side);
        fault(version, place, dissection);
        self.stream.note_gap(place.side, dissection);
        out.emit(place);
    }

    fn message(&mut self, place: &Provenance<'_>, out: &mut Out<'_>) {
        let Some(&first) = place.bytes.first() else { return self.unread(remarks::empty, place, out) };
        let schemas = &out.flow_info.options.schemas;
        let dissection = out.begin("riptide");
        let version = self.version(place.bytes, place.length, &mut dissection.tree);
        let layout = version.layout(first);
        let message = Message::of(layout);
        dissection.version = Some(version.name());
        dissection.message = layout.name;
        let from = FlowInfo::role(self.server, place.side);
        if schemas.is_empty() {
            let reader = Reader::new(place.bytes, &mut dissection.tree).named("riptide", layout.name);
            let outcome = reader.wire_length(place.length).read(layout.fields);
            dissection.ended(outcome);
        } else {
            read_by_schemas(schemas, version, from, layout, place, dissection);
        }
        self.stream.note_gap(place.side, dissection);
        if let Some(shown) = self.shown
            && shown != version
        {
            dissection.notes.note(
                "riptide.version",
                format_args!("read as {} from here on, {} before", version.name(), shown.name()),
            );
            if self.learned_from.take_if(|(first, message)| Message::of(version.layout(*first)) != *message).is_some() {
                self.server = None;
            }
        }
        self.shown = Some(version);
        self.senders[place.side.index()] = true;
        dissection.from = from;
        // A server that has not decided answers with a connect, too: any other message shows more.
        let by_connect = matches!(self.learned_from, Some((_, Connect))) && message != Connect;
        if (self.server.is_none() || by_connect)
            && let Some(server) = RiptideSession::server_by(message, version, place.side, dissection)
        {
            self.server = Some(server);
            self.learned_from = Some((first, message));
            dissection.from = FlowInfo::role(self.server, place.side);
        }
        self.analyse(message, version, place, dissection);
        if self.recognised && !self.behaves(message, version, place.side, &out.dissection.tree) {
            out.doubt();
        }
        out.emit(place);
    }

    /// Whether the library of this version writes such a message, with an id near the side's last one. The form alone
    /// proves little: almost any bytes have it. A fault is a doubt anyway.
    fn behaves(&mut self, message: Message, version: Version, side: Side, tree: &Tree) -> bool {
        let number = if is_numbered(message) { tree.number(&SEQUENCE) } else { None };
        let near = number.is_none_or(|id| {
            let before = self.ids[side.index()].replace(id as u16);
            before.is_none_or(|before| is_near(id as u16, before))
        });
        near && is_written(version, message, tree)
    }

    /// The server by a message that only one side sends.
    fn server_by(message: Message, version: Version, side: Side, dissection: &Dissection) -> Option<Side> {
        let whole = dissection.fault.is_none() && trailing(&dissection.tree).is_none();
        let is_server = match message {
            Connect => Some(false),
            Reject | ClientConnected | ClientDisconnected => Some(true),
            Heartbeat if whole => Some(dissection.tree.find(&RTT).is_none()),
            Disconnect if whole && !matches!(version, Version::V10 | Version::V12) => {
                Some(dissection.tree.find(&REASON).is_some())
            }
            _ => None,
        };
        is_server.map(|yes| if yes { side } else { side.other() })
    }

    /// Matches a client's heartbeat with the server's that has the same ping id.
    fn heartbeat(&mut self, place: &Provenance<'_>, dissection: &mut Dissection) {
        let Some(ping) = dissection.tree.number(&PING) else { return };
        match dissection.tree.find(&RTT) {
            Some(_) => {
                if self.pings.len() == PINGS {
                    self.pings.pop_front();
                }
                self.pings.push_back((place.side, ping, place.time, dissection.target(place)));
                dissection.delivery.push(Event::Ping);
                dissection.delivery.push(Event::Step(Step::Alive(self.timeout)));
            }
            None => {
                dissection.delivery.push(Event::Step(Step::Alive(self.timeout)));
                let asked = self.pings.iter().rposition(|(side, id, ..)| *side != place.side && *id == ping);
                if let Some((.., at, request)) = asked.and_then(|at| self.pings.remove(at)) {
                    let after = place.time.since(at) as i64;
                    dissection.delivery.push(Event::Pong(after));
                    dissection.related.add(RelationKind::Answers, request, Some(after));
                }
            }
        }
    }

    /// Adds the notes: about reliability, then about forms that the library does not write.
    fn analyse(&mut self, message: Message, version: Version, place: &Provenance<'_>, dissection: &mut Dissection) {
        let whole = dissection.fault.is_none();
        let number = |tree: &Tree, field: &Field| tree.number(field).map(|n| n as u16);
        match message {
            Unreliable | UnreliableAutoRelay => remarks::message_id(version, place, dissection),
            Message::Reliable | Message::ReliableAutoRelay => {
                self.reliable(version, place, dissection);
                remarks::message_id(version, place, dissection);
            }
            Ack | AckExtra => {
                if whole {
                    let (last, bits) = (number(&dissection.tree, &LAST), number(&dissection.tree, &ACKS));
                    let extra = number(&dissection.tree, &FOR_SEQ);
                    self.reliable.ack(last.unwrap_or(0), bits.unwrap_or(0), extra, place, dissection);
                }
                remarks::trailing(dissection);
            }
            Notify => {
                let fields = [&SEQUENCE, &LAST, &NOTIFY_ACKS].map(|field| number(&dissection.tree, field));
                if let [Some(own), Some(last), Some(bits)] = fields {
                    self.reliable.notify(own, last, bits, place.side, dissection);
                }
            }
            Heartbeat => {
                if whole {
                    self.heartbeat(place, dissection);
                }
                remarks::trailing(dissection);
            }
            Welcome | ClientConnected | ClientDisconnected => {
                self.reliable(version, place, dissection);
                remarks::trailing(dissection);
                if message == Welcome {
                    // The client's welcome answers one that the capture may lack.
                    dissection.delivery.push(Event::Step(Step::Accepted));
                    dissection.delivery.push(Event::Step(Step::Alive(self.timeout)));
                }
            }
            Connect if dissection.from == Role::Server => {
                dissection
                    .notes
                    .note("riptide.pending", format_args!("the server's application has not decided yet: wait"));
                dissection.delivery.push(Event::Step(Step::Undecided));
            }
            Connect => {
                self.reliable.connect(place, dissection);
                dissection.delivery.push(Event::Step(Step::Asked));
            }
            Reject | Disconnect => {
                let server = self.server;
                if message == Message::Disconnect {
                    let role = |side| FlowInfo::role(server, side).name();
                    self.reliable.never_acked(role, self.senders, dissection);
                }
                self.reliable.end();
                remarks::reason(message, version, place, dissection);
                farewell(message, version, self.timeout, place, dissection);
                remarks::trailing(dissection);
            }
            Unknown => {
                self.reliable(version, place, dissection);
                dissection.notes.warn(
                    "riptide.unknown_type",
                    format_args!("no such message type: the library takes it for a reliable message"),
                );
            }
        }
        if place.length > version.largest() {
            dissection.notes.note(
                "riptide.too_big",
                format_args!("{} bytes: the library's default limit is {} bytes", place.length, version.largest()),
            );
        }
    }

    /// Handles a message with a sequence id, if the id could be read.
    fn reliable(&mut self, version: Version, place: &Provenance<'_>, dissection: &mut Dissection) {
        if let Some(sequence) = dissection.tree.number(&SEQUENCE) {
            self.reliable.message(sequence as u16, version, place, dissection);
        }
    }
}

/// The time for which a heartbeat keeps a side alive, in nanoseconds.
fn timeout(settings: &Settings) -> i64 {
    settings
        .get("riptide.timeout")
        .and_then(|text| duration::with_unit(text).ok())
        .map_or(TIMEOUT, |time| time.clamp(0, i64::MAX.into()) as i64)
}

/// Whether a message has bytes after its type and its reason or ids. Padding is not data.
fn has_data(message: Message, place: &Provenance<'_>) -> bool {
    let head = match message {
        Reject | Disconnect => 2,
        Welcome => 5,
        _ => 1,
    };
    place.bytes.len() > head
}

/// Frames of a TCP stream. `Kind`: whether the bytes are no message.
impl Framed for RiptideSession {
    type Kind = bool;

    fn state(&mut self) -> &mut StreamState {
        &mut self.stream
    }

    fn next(&mut self, side: Side, stream: &Stream, event: &StreamEvent<'_>) -> Next<bool> {
        let bytes = stream.bytes();
        if self.framing.is_lost(side) {
            let StreamEvent::Data { new, segments, .. } = *event else { return Next::Wait };
            let set = self.set;
            let skip = self.framing.find(side, bytes, new, segments, |version, data, length| {
                fits(set.or(version).unwrap_or(Version::V20), data, length)
            });
            match skip {
                Some(0) if !bytes.is_empty() => {}
                Some(skip @ 1..) => return Next::Skip(skip),
                _ => return Next::Wait,
            }
        }
        match self.framing.next(bytes) {
            framing::Next::Message { prefix, length } => Next::Pdu(Pdu::whole(false, prefix, length)),
            framing::Next::Skip(bytes) => Next::Skip(bytes),
            framing::Next::More if self.from_text && matches!(event, StreamEvent::End { .. }) => self.cut(bytes),
            framing::Next::More => Next::Wait,
            // In text it is shown as a message that is cut.
            framing::Next::Lost if self.from_text && matches!(event, StreamEvent::End { .. }) => self.cut(bytes),
            framing::Next::Lost if self.from_text => Next::Wait,
            framing::Next::Lost => {
                self.framing.lose(side);
                Next::Pdu(Pdu::whole(true, 0, bytes.len()))
            }
        }
    }

    fn pdu(&mut self, out_of_step: bool, place: &Provenance<'_>, out: &mut Out<'_>) {
        if out_of_step { self.unread(remarks::too_long, place, out) } else { self.message(place, out) }
    }

    fn lost(&mut self, side: Side) {
        self.framing.lose(side);
    }
}

/// Reads a message with the user's schemas. Apart, because most runs have none.
#[cold]
fn read_by_schemas(
    schemas: &Schemas,
    version: Version,
    from: Role,
    layout: &'static Layout,
    place: &Provenance<'_>,
    dissection: &mut Dissection,
) {
    let message = Message::of(layout);
    let (data, made) = (has_data(message, place), Made::of(dissection));
    let mut payloads = Payloads { schemas, version, message, from, id: None, data, made };
    let reader = Reader::new(place.bytes, &mut dissection.tree).named("riptide", layout.name);
    let outcome = reader.wire_length(place.length).context(&mut payloads).read(layout.fields);
    dissection.ended(outcome);
    payloads.made.keep(dissection);
    payload::trailing(&dissection.tree, &mut dissection.notes);
}

impl Session for RiptideSession {
    fn settled(&self) -> bool {
        self.set.is_some() || self.framing.version().is_some() || self.candidates.is_one()
    }

    fn set_server(&mut self, server: Side) {
        self.server.get_or_insert(server);
    }

    fn sibling(&self, flow_info: &FlowInfo<'_>) -> Option<Box<dyn Session>> {
        let mut other = RiptideSession::new(flow_info);
        other.candidates = self.candidates.lent();
        other.acks_of_21 = self.acks_of_21;
        Some(Box::new(other))
    }

    fn server(&self, _flow_info: &FlowInfo<'_>) -> Option<Side> {
        self.server
    }

    fn memory(&self) -> usize {
        self.reliable.memory() + self.stream.memory() + self.pings.capacity() * size_of::<Ping>()
    }

    fn datagram(&mut self, place: &Provenance<'_>, out: &mut Out<'_>) {
        self.message(place, out);
    }

    fn stream(&mut self, side: Side, stream: &mut Stream, event: StreamEvent<'_>, out: &mut Out<'_>) {
        self.read(side, stream, event, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::RIPTIDE;
    use super::*;
    use crate::codec::Reason;
    use crate::protocols::tests::{Conversation, dump, options};

    fn conversation(transport: Transport, args: &[&str]) -> Conversation {
        let ends = [50_000, PORT].map(|port| ([10, 0, 0, 1], port).into());
        let options = options(&[&["-p", "riptide"], args].concat());
        Conversation::begun(&RIPTIDE, transport, ends, options, Some(Side::A), [true; 2])
    }

    /// After a gap only a whole frame that fits shows the width of the length, in whichever direction it is.
    #[test]
    fn the_middle_of_a_message_does_not_decide_the_width() {
        for (side, hex, message) in [(Side::A, "0100000002", "connect"), (Side::B, "050000001800100000", "welcome")] {
            let mut talk = conversation(Transport::Tcp, &[]);
            talk.gap(Side::A, 1400);
            assert_eq!(talk.data(Side::A, b"ABCDEF"), []);
            let rows = talk.data(side, &hex::decode(hex).expect("hex"));
            let read: Vec<_> = rows.iter().map(|row| (row.message, row.version)).collect();
            assert_eq!(read, [(message, Some("2.2"))], "{rows:?}");
        }
    }

    /// A capture may begin within a message.
    #[test]
    fn a_stream_from_its_middle_begins_where_a_segment_fits() {
        let ends = [50_000, PORT].map(|port| ([10, 0, 0, 1], port).into());
        for (hex, message, version) in
            [("0100000002", "connect", "2.2"), ("0a0007020005006161616161", "reliable", "2.0")]
        {
            let options = || options(&["-p", "riptide"]);
            let mut talk = Conversation::begun(&RIPTIDE, Transport::Tcp, ends, options(), None, [false; 2]);
            assert_eq!(talk.data(Side::A, b"aaaaaaaaaaaa"), []);
            let rows = talk.data(Side::A, &hex::decode(hex).expect("hex"));
            let read: Vec<_> = rows.iter().map(|row| (row.message, row.version)).collect();
            assert_eq!(read, [(message, Some(version))], "{rows:?}");
            // A tail of one byte, and one that looks like the beginning of a long message, hide no segment.
            for tail in [&b"z"[..], &[0xe8, 3, 0, 0, 0x50, 0x10, 0x7a], &[0xe8, 3, 0, 5, 0, 0x7a]] {
                let mut talk = Conversation::begun(&RIPTIDE, Transport::Tcp, ends, options(), None, [false; 2]);
                assert_eq!(talk.data(Side::A, tail), []);
                let rows = talk.data(Side::A, &hex::decode(hex).expect("hex"));
                assert_eq!(rows.iter().map(|row| row.message).collect::<Vec<_>>(), [message], "{tail:02x?}");
            }
            // The first bytes may be a whole message, in several segments.
            let mut talk = Conversation::begun(&RIPTIDE, Transport::Tcp, ends, options(), None, [false; 2]);
            let bytes = hex::decode(hex).expect("hex");
            let rows: Vec<_> = bytes.chunks(2).flat_map(|two| talk.data(Side::A, two)).collect();
            assert_eq!((rows.len(), rows[0].message, rows[0].version), (1, message, Some(version)));
        }
    }

    /// Two bytes of length before a message of 2.0, read as four: no sender makes such a long message.
    #[test]
    fn text_with_an_impossible_length_is_shown_as_cut() {
        let options = options(&["-p", "riptide", "-s", "riptide.framing=i32"]);
        let [row] = &dump(&RIPTIDE, &[5, 0, 8, 1, 0, 1, 0], &options)[..] else { panic!("one line") };
        assert_eq!((&row.bytes[..], row.length), (&[0, 1, 0][..], 0x0108_0005));
        assert_eq!(row.fault.as_ref().map(|fault| fault.reason), Some(Reason::Cut), "{row:?}");
    }

    #[test]
    fn text_that_ends_in_a_length_is_shown() {
        let options = options(&["-p", "riptide", "-s", "riptide.framing=u16"]);
        let [_, row] = &dump(&RIPTIDE, &[1, 0, 3, 5], &options)[..] else { panic!("two lines") };
        assert_eq!(row.bytes, [5]);
        assert_eq!(row.fault.as_ref().map(|fault| fault.reason), Some(Reason::Short), "{row:?}");
    }

    /// In a capture, too; the stream is read on from a segment that begins with a whole message.
    #[test]
    fn a_stream_with_an_impossible_length_is_shown() {
        let mut talk = conversation(Transport::Tcp, &[]);
        let mut read = |hex: &str| talk.data(Side::A, &hex::decode(hex).expect("hex"));
        assert_eq!(read("0100000002")[0].message, "connect");
        let [row] = &read("000000020700")[..] else { panic!("one line") };
        assert_eq!((row.message, row.version, row.bytes.len()), ("unknown", Some("2.2"), 6));
        assert_eq!(row.fault.as_ref().map(|fault| fault.path.as_str()), Some("riptide.unknown.length"));
        assert_eq!(read("0700"), []);
        assert_eq!(read("0100000002")[0].message, "connect");
    }

    /// A type has eight bits up to 2.0, and four since then.
    #[test]
    fn an_empty_datagram_lacks_the_type_of_its_version() {
        for (version, need) in [("1.0", 8), ("2.0", 8), ("2.1", 4), ("2.2", 4)] {
            let mut talk = conversation(Transport::Udp, &["-s", &format!("riptide.version={version}")]);
            let rows = talk.datagram(Side::A, Time::default(), &[], 0);
            assert_eq!(rows[0].fault.as_ref().map(|fault| fault.need), Some(need), "{version}");
        }
    }
}
