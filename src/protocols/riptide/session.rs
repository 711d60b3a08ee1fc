//! One Riptide conversation: which version it speaks, who the server is, what is acknowledged.

use super::framing::{self, Framing};
use super::reliable::Reliable;
use super::values::Payloads;
use super::version::{Candidates, Version, fits};
use super::{evidence, remarks};
use crate::capture::Time;
use crate::codec::{Layout, Level, Reader, Tree};
use crate::dissect::delivery::Event;
use crate::dissect::framed::{Framed, Next, Pdu, StreamState};
use crate::dissect::{
    Dissection, FlowInfo, Out, Provenance, RelationKind, Role, Session, StreamEvent, Target, payload,
};
use crate::flow::{Side, Stream, Transport};

/// The port of Riptide's own samples.
pub const PORT: u16 = 7777;

/// One conversation.
#[derive(Debug)]
pub struct RiptideSession {
    /// Set by the user: nothing is guessed then.
    set: Option<Version>,
    /// Nobody has named the protocol: it was recognised, and may turn out to be another.
    recognised: bool,
    candidates: Candidates,
    /// An ack of 2.1's kind was seen.
    acks_of_21: bool,
    /// The version of the line before.
    shown: Option<Version>,
    server: Option<Side>,
    reliable: Reliable,
    /// The heartbeat that waits for its answer: who sent it, its ping id, when.
    ping: Option<(Side, u64, Time, Target)>,
    framing: Framing,
    /// It comes from text, without addresses: its end is where somebody stopped copying.
    from_text: bool,
    /// Each side's reliable id before.
    ids: [Option<u16>; 2],
    stream: StreamState,
}

impl RiptideSession {
    /// The memory for a new conversation.
    pub fn new(flow_info: &FlowInfo<'_>) -> RiptideSession {
        let set = flow_info.options.settings.get("riptide.version").and_then(Version::by_name);
        let server = flow_info
            .server_by_option()
            .or_else(|| flow_info.server_by_from(Side::A))
            .or_else(|| flow_info.server_by_syn())
            .or_else(|| flow_info.server_by_named_port("riptide"))
            .or_else(|| flow_info.server_by_port(|port| port == PORT));
        let framing =
            Framing::new(set, flow_info.options.settings.get("riptide.framing"), flow_info.transport == Transport::Tcp);
        RiptideSession {
            set,
            recognised: set.is_none() && flow_info.options.proto.is_none(),
            candidates: Candidates::default(),
            acks_of_21: false,
            shown: None,
            server,
            reliable: Reliable::default(),
            ping: None,
            framing,
            from_text: flow_info.ends.is_none(),
            ids: [None; 2],
            stream: StreamState::default(),
        }
    }

    /// The version by which this message is read; it counts as evidence itself.
    fn version(&mut self, data: &[u8], length: usize) -> Version {
        if let Some(set) = self.set {
            return set;
        }
        let version = match self.framing.version() {
            Some(version) => version,
            None => {
                self.candidates.see(data, length);
                self.candidates.first()
            }
        };
        // 2.1 sends the seventh byte whether the flag says so or not.
        let long_ack = version == Version::V22 && length == 7 && data.first().is_some_and(|b| b & 15 == 1);
        self.acks_of_21 |= long_ack && data.get(4).is_some_and(|b| b & 0x10 == 0);
        if version == Version::V22 && self.acks_of_21 { Version::V21 } else { version }
    }

    /// Hex text that ends inside a frame: what is there is shown. In a capture such a message was
    /// never completed, and is no message.
    fn cut(&self, bytes: &[u8]) -> Next<()> {
        match self.framing.cut(bytes) {
            Some((header, length)) => {
                let there = bytes.len().saturating_sub(header);
                Next::Pdu(Pdu { kind: (), header, there, length })
            }
            None if bytes.is_empty() => Next::Wait,
            None => Next::Skip(bytes.len()),
        }
    }

    fn message(&mut self, place: &Provenance<'_>, out: &mut Out<'_>) {
        let schemas = &out.flow_info.options.schemas;
        let dissection = out.begin("riptide");
        let Some(&first) = place.bytes.first() else {
            // Nothing captured of it, or nothing sent at all.
            let version = self.shown.or(self.set).unwrap_or(self.candidates.first());
            dissection.version = Some(version.name());
            dissection.message = "unknown";
            dissection.from = FlowInfo::role(self.server, place.side);
            remarks::empty(place, dissection);
            out.emit(place);
            return;
        };
        let version = self.version(place.bytes, place.length);
        let layout = version.layout(first);
        dissection.version = Some(version.name());
        dissection.message = layout.name;
        let from = FlowInfo::role(self.server, place.side);
        let reader =
            Reader::new(place.bytes, &mut dissection.tree).named("riptide", layout.name).wire_length(place.length);
        let outcome = match schemas.is_empty() {
            true => reader.read(layout.fields),
            false => reader
                .context(&mut Payloads {
                    schemas,
                    version,
                    message: layout.name,
                    from,
                    id: None,
                    data: has_data(layout, place),
                })
                .read(layout.fields),
        };
        dissection.ended(outcome);
        if !schemas.is_empty() {
            payload::trailing(&dissection.tree, &mut dissection.notes);
        }
        self.stream.note_gap(place.side, dissection);
        if let Some(shown) = self.shown
            && shown != version
        {
            dissection.notes.add(
                Level::Note,
                "riptide.version",
                format_args!("read as {} from here on, {} before", version.name(), shown.name()),
            );
        }
        self.shown = Some(version);
        dissection.from = from;
        if self.server.is_none() {
            self.learn_server(layout.name, version, place.side, dissection);
            dissection.from = FlowInfo::role(self.server, place.side);
        }
        self.analyse(layout.name, version, place, dissection);
        if self.recognised && !self.behaves(version, place) {
            out.doubt();
        }
        out.emit(place);
    }

    /// Is it what the library of this version writes, with an id near the side's one before? Nearly
    /// anything has the form of a message.
    fn behaves(&mut self, version: Version, place: &Provenance<'_>) -> bool {
        let Some(id) = evidence::reliable_id(version, place.bytes) else {
            return fits(version, place.bytes, place.length);
        };
        let before = self.ids[place.side.index()].replace(id);
        before.is_none_or(|before| evidence::is_near(id, before)) && fits(version, place.bytes, place.length)
    }

    /// Messages that only one side sends tell who the server is.
    fn learn_server(&mut self, message: &str, version: Version, side: Side, dissection: &Dissection) {
        let whole = dissection.fault.is_none() && dissection.tree.find("trailing").is_none();
        let is_server = match message {
            "connect" => Some(false),
            "reject" | "client_connected" | "client_disconnected" => Some(true),
            "heartbeat" if whole => Some(dissection.tree.find("rtt").is_none()),
            "disconnect" if whole && !matches!(version, Version::V10 | Version::V12) => {
                Some(dissection.tree.find("reason").is_some())
            }
            _ => None,
        };
        self.server = is_server.map(|yes| if yes { side } else { side.other() });
    }

    /// A client's heartbeat asks, the server's with the same ping id answers.
    fn heartbeat(&mut self, place: &Provenance<'_>, dissection: &mut Dissection) {
        let Some(ping) = dissection.tree.number("ping_id") else { return };
        match dissection.tree.find("rtt") {
            Some(_) => {
                self.ping = Some((place.side, ping, place.time, dissection.target(place)));
                dissection.delivery.push(Event::Request);
            }
            None => {
                let asked = self.ping.take_if(|(side, id, ..)| *side != place.side && *id == ping);
                if let Some((.., at, request)) = asked {
                    let after = place.time.since(at) as i64;
                    dissection.delivery.push(Event::Answer(after));
                    dissection.related.add(RelationKind::Answers, request, Some(after));
                }
            }
        }
    }

    /// What the analysis has to say: about reliability, then about what the library would not write.
    fn analyse(&mut self, message: &str, version: Version, place: &Provenance<'_>, dissection: &mut Dissection) {
        let whole = dissection.fault.is_none();
        let number = |tree: &Tree, name: &str| tree.number(name).map(|n| n as u16);
        match message {
            "unreliable" | "unreliable_auto_relay" => remarks::message_id(version, place, dissection),
            "reliable" | "reliable_auto_relay" => {
                self.reliable(version, place, dissection);
                remarks::message_id(version, place, dissection);
            }
            "ack" | "ack_extra" => {
                if whole {
                    let (last, bits) =
                        (number(&dissection.tree, "last_received_seq_id"), number(&dissection.tree, "acks_bitfield"));
                    let extra = number(&dissection.tree, "for_seq_id");
                    self.reliable.ack(last.unwrap_or(0), bits.unwrap_or(0), extra, place, dissection);
                }
                remarks::trailing(dissection);
            }
            "heartbeat" => {
                if whole {
                    self.heartbeat(place, dissection);
                }
                remarks::trailing(dissection);
            }
            "welcome" | "client_connected" | "client_disconnected" => {
                self.reliable(version, place, dissection);
                remarks::trailing(dissection);
            }
            "connect" if dissection.from == Role::Server => {
                dissection.notes.add(
                    Level::Note,
                    "riptide.pending",
                    format_args!("the server's application has not decided yet: wait"),
                );
            }
            "connect" => self.reliable.connect(dissection),
            "reject" | "disconnect" => {
                let server = self.server;
                if message == "disconnect" {
                    self.reliable.never_acked(|side| FlowInfo::role(server, side).name(), dissection);
                }
                self.reliable.end();
                remarks::reason(message, version, place, dissection);
                remarks::trailing(dissection);
            }
            "unknown" => {
                if let Some(sequence) = number(&dissection.tree, "sequence_id") {
                    self.reliable.unknown(sequence, version, place.side);
                }
                dissection.notes.add(
                    Level::Warning,
                    "riptide.unknown_type",
                    format_args!("no such message type: the library takes it for a reliable message"),
                );
            }
            _ => {}
        }
        if place.length > version.largest() {
            dissection.notes.add(
                Level::Note,
                "riptide.too_big",
                format_args!("{} bytes, the library's default limit is {}", place.length, version.largest()),
            );
        }
    }

    /// A message with a sequence id, where that could be read.
    fn reliable(&mut self, version: Version, place: &Provenance<'_>, dissection: &mut Dissection) {
        if let Some(sequence) = dissection.tree.number("sequence_id") {
            self.reliable.message(sequence as u16, version, place, dissection);
        }
    }
}

/// Does a message have bytes behind its type, and the reason or the ids? Padding is no data.
fn has_data(layout: &Layout, place: &Provenance<'_>) -> bool {
    let head = match layout.name {
        "reject" | "disconnect" => 2,
        "welcome" => 5,
        _ => 1,
    };
    place.bytes.len() > head
}

impl Framed for RiptideSession {
    type Kind = ();

    fn state(&mut self) -> &mut StreamState {
        &mut self.stream
    }

    fn next(&mut self, side: Side, stream: &Stream, event: &StreamEvent<'_>) -> Next<()> {
        let bytes = stream.bytes();
        if self.framing.is_lost(side) {
            let StreamEvent::Data { new, segments, .. } = *event else { return Next::Wait };
            let version = self.set.or(self.framing.version()).unwrap_or(Version::V20);
            let skip = self.framing.find(side, bytes, new, segments, |data| fits(version, data, data.len()));
            match skip {
                0 if bytes.is_empty() => return Next::Wait,
                0 => {}
                skip => return Next::Skip(skip),
            }
        }
        match self.framing.next(bytes) {
            framing::Next::Message { prefix, length } => Next::Pdu(Pdu::whole((), prefix, length)),
            framing::Next::Skip(bytes) => Next::Skip(bytes),
            framing::Next::More if self.from_text && matches!(event, StreamEvent::End) => self.cut(bytes),
            framing::Next::More => Next::Wait,
            framing::Next::Lost => {
                self.framing.lose(side);
                Next::Wait
            }
        }
    }

    fn pdu(&mut self, (): (), place: &Provenance<'_>, out: &mut Out<'_>) {
        self.message(place, out);
    }

    fn lost(&mut self, side: Side) {
        self.framing.lose(side);
    }
}

impl Session for RiptideSession {
    fn memory(&self) -> usize {
        self.reliable.memory() + self.stream.memory()
    }

    fn datagram(&mut self, place: &Provenance<'_>, out: &mut Out<'_>) {
        self.message(place, out);
    }

    fn stream(&mut self, side: Side, stream: &mut Stream, event: StreamEvent<'_>, out: &mut Out<'_>) {
        self.read(side, stream, event, out);
    }
}
