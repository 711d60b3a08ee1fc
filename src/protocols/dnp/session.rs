//! One DNP conversation: who the server is, and what the connection in it remembers.

use super::joined::{Chain, Joined, Kind};
use super::layout::{self, OUT_OF_RANGE, PART_BITS, READ_ONLY, UPDATE_LAYOUT};
use super::links::{Answered, Ended, Links, Recall, State, index_of, types};
use super::reliable::{Direction, Fresh, Numbered};
use super::types::Types;
use super::values::UNKNOWN_TYPE;
use crate::codec::layout::Field;
use crate::codec::{Level, Node, Reader, Reason, Stop, Value, reader::UNPARSED};
use crate::flow::Side;
use crate::protocols::{Draft, Out, Place, Role, Session, Talk};
use std::fmt;

/// How many values of a link an update can hold.
const MOST_VALUES: usize = 255;

/// The port of DNP servers.
pub const PORT: u16 = 3413;

/// How far the connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The capture begins in the middle, or nothing was said yet.
    None,
    /// The client has asked.
    Requested,
    /// The server has accepted.
    Connected,
    /// Closed or refused: the next request begins another connection.
    Ended,
}

/// One conversation.
#[derive(Debug)]
pub struct Conversation {
    /// By `--server` or `--from`: nothing that is said changes it.
    named: Option<Side>,
    /// By what was said last.
    told: Option<Side>,
    /// By a port.
    port: Option<Side>,
    phase: Phase,
    closed: bool,
    directions: [Direction; 2],
    links: Links,
    joined: Joined,
    set: Types,
    specification: bool,
    /// `dnp.resend` in nanoseconds.
    resend: i64,
}

/// What one reading has found beside the fields.
#[derive(Default)]
struct Found {
    /// A fault, or types that are not known.
    broken: bool,
    cause: Option<&'static str>,
    trailing: usize,
    not_in_force: Option<(u16, u64)>,
    unknown: Option<u16>,
    out_of_range: Option<(u16, u16, usize)>,
}

impl Conversation {
    /// The memory for a new conversation.
    pub fn new(talk: &Talk<'_>) -> Conversation {
        let settings = &talk.options.settings;
        let named = talk.server_by_option().or_else(|| talk.server_by_from(Side::A));
        let port = talk.server_by_named_port("dnp").or_else(|| talk.server_by_port(|port| port == PORT));
        Conversation {
            named,
            told: None,
            port,
            phase: Phase::None,
            closed: false,
            directions: Default::default(),
            links: Links::default(),
            joined: Joined::default(),
            set: settings.get("dnp.types").and_then(|text| text.parse().ok()).unwrap_or_default(),
            specification: settings.get(UPDATE_LAYOUT) == Some("specification"),
            resend: settings.get("dnp.resend").and_then(|text| super::seconds(text).ok()).unwrap_or(super::RESEND),
        }
    }

    fn read(&self, fields: &'static [Field], message: &'static str, place: &Place<'_>, draft: &mut Draft) -> Found {
        let mut recall = Recall::new(&self.links, &self.set, self.specification);
        let outcome = Reader::new(place.bytes, &mut draft.tree)
            .named("dnp", message)
            .wire_length(place.length)
            .context(&mut recall)
            .read(fields);
        let mut found = Found {
            not_in_force: recall.not_in_force,
            unknown: recall.unknown,
            out_of_range: recall.out_of_range,
            ..Found::default()
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
                    draft.tree.push(&UNPARSED, Value::Bytes { bit: read, bits }, read, bits);
                }
                found.trailing = place.length.saturating_sub(read as usize / 8);
            }
        }
        draft.ended(outcome);
        found
    }

    /// Who sent it, as far as is known with this message.
    fn role(&self, side: Side) -> Role {
        Talk::role(self.named.or(self.told).or(self.port), side)
    }

    fn request(&mut self, side: Side, draft: &mut Draft) {
        self.told = Some(side.other());
        match self.phase {
            Phase::None | Phase::Ended => {
                self.phase = Phase::Requested;
                self.closed = false;
                self.directions.iter_mut().for_each(Direction::begin);
                self.links.clear();
            }
            Phase::Requested => {
                draft.notes.add(Level::Note, "dnp.request_repeated", format_args!("not answered so far"));
            }
            Phase::Connected => draft.notes.add(
                Level::Warning,
                "dnp.request_while_connected",
                format_args!("accepted before: servers ignore it, also when the acknowledge was lost"),
            ),
        }
    }

    fn answer(&mut self, side: Side, draft: &mut Draft) {
        self.told = Some(side);
        match draft.tree.number("result") {
            Some(0) if self.phase != Phase::Ended => self.phase = Phase::Connected,
            Some(0) | None => {}
            Some(result) => {
                self.phase = Phase::Ended;
                let why = match result {
                    1 => "the server takes no connections",
                    2 => "the server speaks none of the protocols",
                    _ => "for a reason that is not specified",
                };
                draft.notes.add(Level::Note, "dnp.connection_refused", format_args!("{why}"));
            }
        }
    }

    fn close(&mut self, side: Side, draft: &mut Draft) {
        self.phase = Phase::Ended;
        if std::mem::replace(&mut self.closed, true) {
            return;
        }
        let [own, other] = [side, side.other()].map(|side| self.directions[side.index()].unacknowledged());
        let code = "dnp.unacknowledged";
        let text = "never acknowledged";
        match (own, other) {
            (None, None) => {}
            (Some(own), None) => {
                draft.notes.add(Level::Warning, code, format_args!("{text}: of this side {own}"));
            }
            (None, Some(other)) => {
                draft.notes.add(Level::Warning, code, format_args!("{text}: of the other side {other}"));
            }
            (Some(own), Some(other)) => draft.notes.add(
                Level::Warning,
                code,
                format_args!("{text}: of this side {own}; of the other side {other}"),
            ),
        }
    }

    /// A numbered command: 4, 5, 10 or 11.
    fn numbered(&mut self, command: u8, broken: bool, place: &Place<'_>, draft: &mut Draft) {
        let Some(number) = draft.tree.number("number") else { return };
        let flags = draft.tree.number("flags").unwrap_or(0);
        let kind = match command {
            10 => Some(Kind::Message),
            11 => Some(Kind::LinkState),
            _ => None,
        };
        let part = kind.filter(|_| !broken).map(|kind| {
            let (first, last) = PART_BITS[kind as usize];
            (flags & first != 0, flags & last != 0)
        });
        let direction = &mut self.directions[place.side.index()];
        let numbered = Numbered { command, number: number as u16, part };
        let fresh = direction.command(numbered, place, self.resend, &mut draft.notes);
        let read_only = flags & READ_ONLY != 0;
        match (fresh, kind) {
            (Fresh::New(number, Some(chain)), Some(kind)) => {
                self.part(number, chain, kind, read_only, place, draft);
            }
            (Fresh::New(..) | Fresh::Uncounted, None) if command == 5 && !broken => {
                if let Some(types) = types(&draft.tree) {
                    self.offer(types, read_only, place, draft);
                }
            }
            _ => {}
        }
    }

    fn part(&mut self, number: i64, chain: Chain, kind: Kind, read_only: bool, place: &Place<'_>, draft: &mut Draft) {
        let content = |name: &str| draft.tree.find(name).and_then(|node| node.bytes(draft.sources(place.bytes)));
        let (message, data) = match kind {
            Kind::Message => (content("data").unwrap_or(&[]), &[][..]),
            Kind::LinkState => (content("message").unwrap_or(&[]), content("data").unwrap_or(&[])),
        };
        let parts = &mut self.directions[place.side.index()].parts[kind as usize];
        parts.keep(number, message, data, read_only);
        let Chain::Whole(begin, end) = chain else { return };
        if !self.joined.take(parts, begin, end) {
            return;
        }
        let readable = self.joined.show(kind, draft);
        if kind == Kind::Message {
            return;
        }
        match types(&draft.derived).filter(|_| readable) {
            Some(types) => self.offer(types, self.joined.read_only, place, draft),
            None => draft.notes.add(
                Level::Warning,
                "dnp.values_unreadable",
                format_args!("the joined data is not one count and values, nor is that of each part"),
            ),
        }
    }

    /// A whole link_state, or what completes a long one.
    fn offer(&mut self, types: Box<[u8]>, read_only: bool, place: &Place<'_>, draft: &mut Draft) {
        let Some(id) = draft.tree.number("link_id").map(|id| id as u16) else { return };
        if let Some((_, state)) = self.links.in_force(id) {
            let state = Shown(state);
            draft.notes.add(
                Level::Warning,
                "dnp.link_id_in_use",
                format_args!("link {id} is in force: {state}; receivers do not answer"),
            );
        }
        if let Some(state) = self.links.offered(place.side.other(), id) {
            let frame = state.frame;
            draft.notes.add(
                Level::Warning,
                "dnp.link_id_collision",
                format_args!("the other side offers link {id} itself, in frame {frame}: neither is answered"),
            );
        }
        self.links.offer(place.side, id, State { types, read_only, frame: place.frame });
    }

    fn link_answer(&mut self, up: bool, side: Side, draft: &mut Draft) {
        let Some(id) = draft.tree.number("link_id").map(|id| id as u16) else { return };
        let notes = &mut draft.notes;
        if up {
            match self.links.up(side, id) {
                Answered::Accepted(state) => {
                    let state = Shown(state);
                    notes.add(Level::Note, "dnp.link_accepted", format_args!("{state}"));
                }
                Answered::Already => {}
                Answered::Unknown => notes.add(
                    Level::Warning,
                    "dnp.link_unknown",
                    format_args!("the other side has not offered link {id}"),
                ),
            }
            return;
        }
        match self.links.down(side, id) {
            Ended::Refused(state) => {
                notes.add(Level::Note, "dnp.link_refused", format_args!("{}", Shown(&state)));
            }
            Ended::Down(state) => notes.add(Level::Note, "dnp.link_ended", format_args!("{}", Shown(&state))),
            Ended::Unknown => notes.add(
                Level::Warning,
                "dnp.link_unknown",
                format_args!("link {id} is neither offered by the other side nor in force"),
            ),
        }
    }

    fn update(&self, found: &Found, place: &Place<'_>, draft: &mut Draft) {
        let (tree, notes) = (&draft.tree, &mut draft.notes);
        if let Some((id, frame)) = found.not_in_force {
            notes.add(
                Level::Warning,
                "dnp.link_up_missing",
                format_args!("read by the link_state of frame {frame} for link {id}, which no link_up has accepted"),
            );
        }
        if let Some(id) = found.unknown {
            notes.add(
                Level::Warning,
                "dnp.unknown_types",
                format_args!("no link_state is known for link {id}: give its types with -s dnp.types={id}:..."),
            );
        }
        if let Some((id, index, count)) = found.out_of_range.filter(|_| found.cause == Some(OUT_OF_RANGE)) {
            notes.add(
                Level::Error,
                "dnp.index_out_of_range",
                format_args!("index {index} of link {id}, which has {count} values"),
            );
        }
        let Some(list) = index_of(tree, None, "links") else { return };
        for link in tree.children(Some(list)) {
            let Some(id) = tree.child(Some(link), "link_id").and_then(Node::number) else { continue };
            let Some(values) = index_of(tree, Some(link), "values") else {
                notes.add(
                    Level::Note,
                    "dnp.bare_link_id",
                    format_args!("the sender's state object was destroyed with a change pending"),
                );
                continue;
            };
            let count = tree.children(Some(values)).take(MOST_VALUES).count();
            if count > 0
                && let Some((by, state)) = self.links.in_force(id as u16)
                && state.read_only
                && *by != place.side
                && !notes.has("dnp.read_only_update")
            {
                let frame = state.frame;
                notes.add(
                    Level::Warning,
                    "dnp.read_only_update",
                    format_args!("link {id} of frame {frame} is read-only: forbidden, but the programs apply it"),
                );
            }
            if count == MOST_VALUES && !self.specification && !notes.has("dnp.values_lost") {
                notes.add(
                    Level::Warning,
                    "dnp.values_lost",
                    format_args!("{MOST_VALUES} values of link {id}: the C++ library never sends further ones"),
                );
            }
        }
    }

    /// What the place of a message in the connection says.
    fn phase_notes(&self, command: u8, side: Side, draft: &mut Draft) {
        if self.closed && command != 0 {
            draft.notes.add(Level::Note, "dnp.after_close", format_args!("the connection was closed before"));
        } else if self.phase == Phase::Requested && self.told == Some(side) && command > 1 {
            draft.notes.add(
                Level::Note,
                "dnp.before_acknowledge",
                format_args!("the server has not accepted yet: clients drop reliable ones until then"),
            );
        }
    }
}

impl Session for Conversation {
    fn datagram(&mut self, place: &Place<'_>, out: &mut Out<'_>) {
        if place.length == 0 {
            return;
        }
        // None: not even that byte was captured.
        let first = place.bytes.first().copied();
        let (layout, command) = (layout::by_command(first), first.unwrap_or(3));
        let draft = out.begin("dnp");
        draft.message = layout.name;
        let found = self.read(layout.fields, layout.name, place, draft);
        self.phase_notes(command, place.side, draft);
        match command {
            0 => self.request(place.side, draft),
            1 => self.answer(place.side, draft),
            2 => self.close(place.side, draft),
            3 => {}
            4 | 5 | 10 | 11 => self.numbered(command, found.broken, place, draft),
            6 => {
                let other = &mut self.directions[place.side.other().index()];
                let result = draft.tree.number("result");
                if let Some(number) = draft.tree.number("number") {
                    other.acknowledged(number as u16, result, place.time.nanos() as i64, &mut draft.notes);
                }
            }
            7 | 8 => self.link_answer(command == 7, place.side, draft),
            9 => self.update(&found, place, draft),
            _ => draft.notes.add(
                Level::Warning,
                "dnp.unknown_command",
                format_args!("{command} is no command of DNP: receivers ignore it"),
            ),
        }
        let extra = draft.tree.number("flags").filter(|flags| command == 5 && flags & !READ_ONLY != 0);
        if let Some(flags) = extra {
            draft.notes.add(
                Level::Note,
                "dnp.flags_ignored",
                format_args!("flags {flags:#04x} are not just read_only: receivers take the link as read-write"),
            );
        }
        if found.cause == Some(UNKNOWN_TYPE) {
            draft.notes.add(Level::Error, "dnp.unknown_type", format_args!("types end with 37, quaternion_f64"));
        }
        if found.trailing > 0 {
            let bytes = found.trailing;
            draft.notes.add(
                Level::Warning,
                "dnp.trailing_bytes",
                format_args!("{bytes} bytes behind the last field: receivers ignore them"),
            );
        }
        draft.from = self.role(place.side);
        out.emit(place);
    }
}

/// `frame 4: 12 values, read only`.
struct Shown<'a>(&'a State);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { types, read_only, frame } = self.0;
        let count = types.len();
        let end = if *read_only { ", read-only" } else { "" };
        match count {
            1 => write!(f, "link_state of frame {frame}: 1 value{end}"),
            _ => write!(f, "link_state of frame {frame}: {count} values{end}"),
        }
    }
}
