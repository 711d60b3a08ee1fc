//! One Acknex conversation: its edition, its server, the readings of its bytes.
//!
//! A datagram is read in this order: the bytes to skip, the edition, the sender, the width of coordinates, and then its
//! messages, each as a line.

use super::PORT;
use super::commands::Version;
use super::creates::Creates;
use super::layout::{MISDIRECTED, Message, UNDEFINED, UNREADABLE};
use super::reading::{Asked, WireVariant};
use super::votes::{AngleVote, WidthVote};
use super::whole::Datagram;
use crate::capture::Time;
use crate::codec::{Fault, Layout, Notes, Reader, Reason, Tree};
use crate::dissect::delivery::{Event, Step};
use crate::dissect::{FlowInfo, Out, Provenance, Role, Session};
use crate::flow::Side;

/// The ports that the engine's manuals allow for a server.
const PORTS: std::ops::RangeInclusive<u16> = 2300..=2400;

/// The server drops a client after this silence, in nanoseconds.
const SILENCE: i128 = 5_000_000_000;

/// One conversation.
#[derive(Debug, Default)]
pub struct AcknexSession {
    pub(super) asked: Asked,
    pub(super) version: Version,
    /// The server's side according to the user, the ports, or other conversations.
    given: Option<Side>,
    /// The server's side according to a whole datagram.
    learned: Option<Side>,
    pub(super) angles: AngleVote,
    widths: WidthVote,
    /// The coordinate width of the server's last datagram.
    fixed: bool,
    pub(super) creates: Creates,
    /// The time when each side last sent something.
    received: [Option<Time>; 2],
    pub(super) skin_noted: bool,
    /// A reused tree for trial readings.
    trial: Tree,
}

/// The notes for the first line of a datagram.
#[derive(Clone, Copy, Debug, Default)]
struct News {
    /// It showed that the conversation is A5.
    version: bool,
    /// It changed the coordinate width.
    width: bool,
    /// The client's silence before it, in nanoseconds.
    silent: Option<i128>,
}

/// The server's side, as far as it is known without the conversation's bytes.
pub fn server_named(flow_info: &FlowInfo<'_>) -> Option<Side> {
    if flow_info.ends.is_none() {
        return flow_info.server_by_from(Side::A);
    }
    flow_info
        .server_by_option()
        .or_else(|| flow_info.server_by_named_port("acknex"))
        .or_else(|| flow_info.server_by_port(|port| port == PORT))
        .or_else(|| flow_info.server_by_port(|port| PORTS.contains(&port)))
        .or_else(|| flow_info.server_by_from(Side::A))
}

impl AcknexSession {
    /// The state of a new conversation.
    pub fn new(flow_info: &FlowInfo<'_>) -> AcknexSession {
        let asked = Asked::of(flow_info.options);
        AcknexSession {
            version: asked.version.unwrap_or(Version::A6),
            fixed: asked.fixed.unwrap_or(false),
            asked,
            given: server_named(flow_info),
            ..AcknexSession::default()
        }
    }

    /// Whether angles are read low byte first.
    pub(super) fn angle_le(&self) -> bool {
        self.asked.angle_le.or(self.angles.settled()).unwrap_or(false)
    }

    /// The reading of the next message. The byte order of angles may change within a datagram.
    fn reading(&self) -> WireVariant {
        WireVariant { angle_le: self.angle_le(), fixed: self.fixed, ..self.asked.reading(self.version) }
    }

    /// Recognises A5 by an info that is not a client's.
    fn see_version(&mut self, bytes: &[u8], length: usize, side: Side) -> bool {
        let open = self.asked.version.is_none() && self.version == Version::A6;
        let known = FlowInfo::role(self.given.or(self.learned), side);
        if !open || known == Role::Client || !Datagram::new(&self.asked, Version::A6, bytes, length).marks_a5() {
            return false;
        }
        self.version = Version::A5;
        true
    }

    /// Finds the sender by the ports or the user's settings, by earlier datagrams, or by the bytes.
    fn sender(&mut self, datagram: &Datagram<'_>, side: Side) -> Role {
        if let Some(server) = self.given.or(self.learned) {
            return FlowInfo::role(Some(server), side);
        }
        let (role, whole) = datagram.sender(&mut self.trial);
        if whole {
            self.learned = if role == Role::Server { Some(side) } else { Some(side.other()) };
        }
        role
    }

    /// Updates the coordinate width for this datagram of the server. `true`: it has changed.
    fn see_width(&mut self, datagram: &Datagram<'_>) -> bool {
        if self.asked.fixed.is_some() {
            return false;
        }
        if !self.widths.settled() {
            let packed = datagram.walk(Role::Server, false, &mut self.trial);
            if packed.position {
                let fixed = datagram.walk(Role::Server, true, &mut self.trial);
                self.widths.see(packed.whole, fixed.whole);
            }
        }
        let before = std::mem::replace(&mut self.fixed, self.widths.fixed());
        before != self.fixed
    }

    fn silence(&mut self, role: Role, place: &Provenance<'_>) -> Option<i128> {
        let slot = self.received.get_mut(place.side.index())?;
        let silent = slot.replace(place.time).map(|last| place.time.since(last));
        silent.filter(|gap| role == Role::Client && *gap > SILENCE)
    }

    /// The layout of the message that begins with this command.
    fn layout(&self, from: Role, command: u8, notes: &mut Notes) -> &'static Layout {
        let book = self.version.book();
        if let Some(layout) = book.find(from, command) {
            return layout;
        }
        let [undecided] = &UNREADABLE;
        match (book.defines(command), from) {
            (true, Role::Unknown) => {
                notes.warn(
                    "acknex.direction_unknown",
                    format_args!(
                        "the meaning of command {command:#04x} depends on its sender: name it (--server, --from)"
                    ),
                );
                undecided
            }
            (true, _) => {
                let other = from.other().name();
                notes.error(
                    "acknex.wrong_direction",
                    format_args!("only a {other} sends command {command:#04x}: is --server right?"),
                );
                &MISDIRECTED
            }
            (false, _) => {
                notes.error(
                    "acknex.unknown_command",
                    format_args!(
                        "unknown command {command:#04x}: perhaps encrypted (dplay_encrypt), a transport header before \
                         it (-s acknex.skip=), A5 (01), or another library"
                    ),
                );
                &UNDEFINED
            }
        }
    }

    fn messages(
        &mut self,
        datagram: &Datagram<'_>,
        from: Role,
        mut news: News,
        place: &Provenance<'_>,
        out: &mut Out<'_>,
    ) {
        let mut at = 0;
        let silent = news.silent.is_some();
        while let Some((&command, rest)) = datagram.bytes.get(at..).and_then(|rest| Some((rest.first()?, rest))) {
            let length = datagram.length.saturating_sub(at);
            let dissection = out.begin("acknex");
            dissection.version = Some(self.version.name());
            dissection.from = from;
            let layout = self.layout(from, command, &mut dissection.notes);
            dissection.message = layout.name;
            let mut reading = self.reading();
            let outcome = Reader::new(rest, &mut dissection.tree)
                .named("acknex", layout.name)
                .wire_length(length)
                .context(&mut reading)
                .read(layout.fields);
            let whole = outcome.stop.is_none();
            let size = if whole { (outcome.bits as usize / 8).clamp(1, rest.len()) } else { rest.len() };
            dissection.ended(outcome);
            note(std::mem::take(&mut news), self, &mut dissection.notes);
            let message = Message::of(layout);
            if from == Role::Client && at == 0 {
                // The server has dropped a client that was silent: this is another connection.
                if silent && message == Message::Join {
                    dissection.delivery.push(Event::Begin);
                }
                dissection.delivery.push(Event::Step(Step::Alive(SILENCE as i64)));
            }
            let bytes = rest.get(..size).unwrap_or(rest);
            let length = if whole { size } else { length };
            let line = Provenance { bytes, length, ..*place };
            self.analyse(message, &reading, &line, dissection);
            out.emit(&line);
            if !whole {
                return;
            }
            at += size;
        }
        if datagram.length > datagram.bytes.len() {
            self.cut(datagram.length - at, from, news, place, out);
        }
    }

    /// Emits a line for a capture that is cut between two messages of a datagram: nothing of the next one is there.
    fn cut(&mut self, missing: usize, from: Role, news: News, place: &Provenance<'_>, out: &mut Out<'_>) {
        let dissection = out.begin("acknex");
        (dissection.version, dissection.from, dissection.message) = (Some(self.version.name()), from, "unknown");
        let path = "acknex.unknown.command".into();
        dissection.fault = Some(Fault { path, ..Fault::new(Reason::Cut, 0, 8, 0) });
        note(news, self, &mut dissection.notes);
        out.emit(&Provenance { bytes: &[], length: missing, ..*place });
    }
}

fn note(news: News, conversation: &AcknexSession, notes: &mut Notes) {
    if news.version {
        notes.note("acknex.version", format_args!("an info of A5's form: read as a5 from here on"));
    }
    if news.width {
        let (now, before) = if conversation.fixed { ("fixed", "packed") } else { ("packed", "fixed") };
        notes.note(
            "acknex.position_width",
            format_args!(
                "positions of updates are read as {now} from here on, {before} before: so datagrams end as they should"
            ),
        );
    }
    if let Some(gap) = news.silent {
        let seconds = gap as f64 / 1e9;
        notes.warn(
            "acknex.client_silent",
            format_args!("the client was silent for {seconds:.3} s: after 5 s the server drops it"),
        );
    }
}

impl Session for AcknexSession {
    fn memory(&self) -> usize {
        self.angles.memory() + self.creates.memory() + self.trial.memory()
    }

    fn set_server(&mut self, server: Side) {
        if self.learned.is_none() {
            self.given.get_or_insert(server);
        }
    }

    fn server(&self, _flow_info: &FlowInfo<'_>) -> Option<Side> {
        self.given.or(self.learned)
    }

    fn datagram(&mut self, place: &Provenance<'_>, out: &mut Out<'_>) {
        let version = self.see_version(place.bytes, place.length, place.side);
        let datagram = Datagram::new(&self.asked, self.version, place.bytes, place.length);
        if datagram.length == 0 {
            // It makes no line, but ends the silence.
            let role = FlowInfo::role(self.given.or(self.learned), place.side);
            self.silence(role, place);
            return;
        }
        let from = self.sender(&datagram, place.side);
        let silent = self.silence(from, place);
        let width = from == Role::Server && self.see_width(&datagram);
        self.messages(&datagram, from, News { version, width, silent }, place, out);
    }
}
