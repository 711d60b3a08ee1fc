//! One DNP conversation: its server, and the state of its connection.

use super::joined::Joined;
use super::layout::Message::{self, *};
use super::layout::{self, NUMBER, RESULT, UPDATE_LAYOUT};
use super::links::{Links, Recall};
use super::payloads;
use super::reliable::Direction;
use super::types::Types;
use super::values::UNKNOWN_TYPE;
use crate::codec::layout::Field;
use crate::codec::reader::UNPARSED;
use crate::codec::{Reader, Reason, Stop, Value};
use crate::dissect::delivery::{Event, Step};
use crate::dissect::numbered::ONE_SIDE;
use crate::dissect::{Dissection, FlowInfo, Out, Provenance, Role, Session, Target};
use crate::flow::Side;
use crate::plural::Plural;

/// The port of DNP servers.
pub const PORT: u16 = 3413;

/// The state of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// The capture begins in the middle, or there was no message yet.
    #[default]
    None,
    /// The client has sent a request.
    Requested,
    /// The server has accepted.
    Connected,
    /// The server has accepted, and the client asks again.
    Again,
    /// Closed or refused: the next request begins another connection.
    Ended,
}

/// One conversation.
#[derive(Debug, Default)]
pub struct DnpSession {
    /// The server's side by `--server`, or by `--from` for bytes without addresses: no message changes it.
    named: Option<Side>,
    /// The server's side by the last request or answer.
    from_messages: Option<Side>,
    /// The server's side by its port, by `--from`, or by other conversations.
    elsewhere: Option<Side>,
    phase: Phase,
    /// The time of the last acceptance, in nanoseconds since the epoch.
    accepted: i64,
    closed: bool,
    /// The sides of which a datagram was captured.
    captured: [bool; 2],
    pub(super) directions: [Direction; 2],
    pub(super) links: Links,
    pub(super) joined: Joined,
    pub(super) set: Types,
    pub(super) specification: bool,
    /// `dnp.resend` in nanoseconds.
    pub(super) resend: i64,
    /// `dnp.timeout` in nanoseconds.
    timeout: i64,
}

/// The findings of one reading besides the fields.
#[derive(Default)]
pub(super) struct ReadFindings {
    /// A fault, or unknown types.
    pub(super) broken: bool,
    /// The fault's cause, if it is not a length.
    pub(super) cause: Option<&'static str>,
    /// The number of bytes after the last field.
    pub(super) trailing: usize,
    /// See [`Recall`].
    pub(super) not_in_force: Option<(u16, Target)>,
    /// See [`Recall`].
    pub(super) unknown: Option<u16>,
    /// See [`Recall`].
    pub(super) out_of_range: Option<(u16, u16, usize)>,
}

impl DnpSession {
    /// The state of a new conversation.
    pub fn new(flow_info: &FlowInfo<'_>) -> DnpSession {
        let settings = &flow_info.options.settings;
        let from = flow_info.server_by_from(Side::A).filter(|_| flow_info.ends.is_none());
        let named = flow_info.server_by_option().or(from);
        let port = flow_info.server_by_named_port("dnp").or_else(|| flow_info.server_by_port(|port| port == PORT));
        let elsewhere = port.or_else(|| flow_info.server_by_from(Side::A));
        DnpSession {
            named,
            elsewhere,
            set: settings.get("dnp.types").and_then(|text| text.parse().ok()).unwrap_or_default(),
            specification: settings.get(UPDATE_LAYOUT) == Some("specification"),
            resend: settings.get("dnp.resend").and_then(|text| super::seconds(text).ok()).unwrap_or(super::RESEND),
            timeout: settings.get("dnp.timeout").and_then(|text| super::seconds(text).ok()).unwrap_or(super::TIMEOUT),
            ..DnpSession::default()
        }
    }

    /// Reads the fields.
    fn read(
        &self,
        fields: &'static [Field],
        message: &'static str,
        place: &Provenance<'_>,
        dissection: &mut Dissection,
    ) -> ReadFindings {
        let mut recall = Recall::new(&self.links, &self.set, self.specification);
        let outcome = Reader::new(place.bytes, &mut dissection.tree)
            .named("dnp", message)
            .wire_length(place.length)
            .context(&mut recall)
            .read(fields);
        let mut found = ReadFindings {
            not_in_force: recall.not_in_force,
            unknown: recall.unknown,
            out_of_range: recall.out_of_range,
            ..ReadFindings::default()
        };
        match &outcome.stop {
            Some(Stop::Fault(fault)) => {
                found.broken = true;
                found.cause = if let Reason::Undefined(what) = fault.reason { Some(what) } else { None };
            }
            Some(Stop::Unknown { .. }) => found.broken = true,
            None => {
                let (read, there) = (outcome.bits, place.bytes.len() as u32 * 8);
                if let Some(bits) = there.checked_sub(read).filter(|bits| *bits > 0) {
                    dissection.tree.push(&UNPARSED, Value::Bytes { bit: read, bits }, read, bits);
                }
                found.trailing = place.length.saturating_sub(read as usize / 8);
            }
        }
        dissection.ended(outcome);
        found
    }

    /// The sender's role, as far as it is known with this message.
    fn role(&self, side: Side) -> Role {
        FlowInfo::role(self.named.or(self.from_messages).or(self.elsewhere), side)
    }

    fn request(&mut self, side: Side, dissection: &mut Dissection) {
        self.from_messages = Some(side.other());
        match self.phase {
            Phase::None | Phase::Ended => self.begin(Phase::Requested, dissection),
            Phase::Requested => {
                dissection.notes.note("dnp.request_repeated", format_args!("not answered so far"));
            }
            Phase::Connected | Phase::Again => {
                self.phase = Phase::Again;
                dissection.notes.warn(
                    "dnp.request_while_connected",
                    format_args!("accepted before: servers ignore it, also when the acknowledgement was lost"),
                );
            }
        }
        dissection.delivery.push(Event::Step(Step::Asked));
    }

    /// Begins another connection.
    fn begin(&mut self, phase: Phase, dissection: &mut Dissection) {
        self.phase = phase;
        self.closed = false;
        self.directions.iter_mut().for_each(Direction::begin);
        self.links.clear();
        dissection.delivery.push(Event::Begin);
    }

    fn answer(&mut self, side: Side, now: i64, dissection: &mut Dissection) {
        self.from_messages = Some(side);
        // A server in a connection accepts nothing: this one was started again. A copy of its answer arrives sooner.
        let is_restarted = self.phase == Phase::Again && now.saturating_sub(self.accepted) >= self.timeout;
        match dissection.tree.number(&RESULT) {
            Some(0) if self.closed => {}
            Some(0) => {
                // A refusal is no close: the capture lacks the request that this accepts.
                if is_restarted || self.phase == Phase::Ended {
                    self.begin(Phase::Connected, dissection);
                }
                (self.phase, self.accepted) = (Phase::Connected, now);
                dissection.delivery.push(Event::Step(Step::Accepted));
            }
            None => {}
            Some(result) => {
                self.phase = Phase::Ended;
                let (reason, why) = match result {
                    1 => ("rejected", "the server takes no connections"),
                    2 => ("no_common_protocol", "the server speaks none of the protocols"),
                    _ => ("unknown", "for a reason that is not specified"),
                };
                dissection.delivery.push(Event::Step(Step::Refused(reason)));
                dissection.notes.note("dnp.connection_refused", format_args!("{why}"));
            }
        }
    }

    fn close(&mut self, side: Side, now: i64, dissection: &mut Dissection) {
        self.phase = Phase::Ended;
        if std::mem::replace(&mut self.closed, true) {
            return;
        }
        let gave_up = self.directions[side.index()].gave_up(now, self.resend, self.timeout);
        dissection.delivery.push(Event::Step(gave_up.map_or(Step::Left("closed"), Step::Unacknowledged)));
        let [own, other] = [side, side.other()].map(|side| self.directions[side.index()].unacknowledged());
        let code = "dnp.unacknowledged";
        let text = "never acknowledged";
        let one_side = if self.captured[side.other().index()] { "" } else { ONE_SIDE };
        match (own, other) {
            (None, None) => {}
            (Some(own), None) => {
                dissection.notes.warn(code, format_args!("{text}: of this side {own}{one_side}"));
            }
            (None, Some(other)) => {
                dissection.notes.warn(code, format_args!("{text}: of the other side {other}"));
            }
            (Some(own), Some(other)) => {
                dissection.notes.warn(code, format_args!("{text}: of this side {own}; of the other side {other}"))
            }
        }
    }

    /// Notes a message that does not fit the connection's phase.
    fn phase_notes(&self, message: Message, side: Side, dissection: &mut Dissection) {
        if self.closed && message != ConnectionRequest {
            dissection.notes.note("dnp.after_close", format_args!("the connection was closed before"));
        } else if self.phase == Phase::Requested
            && self.from_messages == Some(side)
            && !matches!(message, ConnectionRequest | ConnectionAcknowledge)
        {
            dissection.notes.note(
                "dnp.before_acknowledge",
                format_args!("the server has not accepted yet: clients drop reliable ones until then"),
            );
        }
    }
}

impl Session for DnpSession {
    fn set_server(&mut self, server: Side) {
        self.elsewhere.get_or_insert(server);
    }

    fn server(&self, _flow_info: &FlowInfo<'_>) -> Option<Side> {
        self.named.or(self.from_messages).or(self.elsewhere)
    }

    fn memory(&self) -> usize {
        let directions: usize = self.directions.iter().map(Direction::memory).sum();
        directions + self.links.memory() + self.joined.memory()
    }

    fn datagram(&mut self, place: &Provenance<'_>, out: &mut Out<'_>) {
        if place.length == 0 {
            return;
        }
        self.captured[place.side.index()] = true;
        // `None`: not even the first byte was captured.
        let first = place.bytes.first().copied();
        let layout = layout::by_command(first);
        // Without a byte it may be any command but one that is unknown.
        let message = if first.is_some() { Message::of(layout) } else { Message::UnreliableMessage };
        let schemas = &out.flow_info.options.schemas;
        let dissection = out.begin("dnp");
        dissection.message = layout.name;
        let found = self.read(layout.fields, layout.name, place, dissection);
        self.phase_notes(message, place.side, dissection);
        match message {
            ConnectionRequest => self.request(place.side, dissection),
            ConnectionAcknowledge => self.answer(place.side, place.time.near_nanos(), dissection),
            ConnectionClose => self.close(place.side, place.time.near_nanos(), dissection),
            UnreliableMessage => {}
            ReliableMessage | LinkState | LongMessage | LongLinkState => {
                self.numbered(message, found.broken, place, dissection);
            }
            ReliableAcknowledge => {
                let other = &mut self.directions[place.side.other().index()];
                let result = dissection.tree.number(&RESULT);
                if let Some(number) = dissection.tree.number(&NUMBER) {
                    other.acknowledged(number as u16, result, place.time.near_nanos(), dissection);
                }
            }
            LinkUp | LinkDown => self.link_answer(message == LinkUp, place, dissection),
            LinkUpdate => self.update(&found, place, dissection),
            Unknown => dissection.notes.warn(
                "dnp.unknown_command",
                format_args!("{} is not a command of DNP: receivers ignore it", first.unwrap_or_default()),
            ),
        }
        if found.cause == Some(UNKNOWN_TYPE) {
            dissection.notes.error("dnp.unknown_type", format_args!("types end with 37, quaternion_f64"));
        }
        if found.trailing > 0 {
            let bytes = Plural(found.trailing, "byte");
            dissection
                .notes
                .warn("dnp.trailing_bytes", format_args!("{bytes} after the last field: receivers ignore them"));
        }
        dissection.from = self.role(place.side);
        payloads::show(schemas, message, place.bytes, dissection);
        out.emit(place);
    }
}
