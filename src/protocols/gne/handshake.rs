//! The handshake: whether the request was accepted, and the reason if it was not. A refusal contains no reason: it
//! follows from both sides' values (README.md, "Handshake").

use super::layout::{BUILD, CLIENT, PORT, SERVER, SUB_VERSION, UNRELIABLE, USER_VERSION, VERSION};
use super::link::{Link, order_name};
use super::packets::{Ended, frame_size, read};
use crate::codec::layout::{Field, Order, u8};
use crate::codec::schema::Schemas;
use crate::codec::{Level, Tree, Value};
use crate::dissect::delivery::{Event, Step};
use crate::dissect::{Dissection, Provenance};
use crate::plural::Plural;

/// The receiver's buffer for handshake frames.
const BUFFER: usize = 64;
/// The number of characters of a game's name that the library compares.
const NAME: usize = 31;

/// Derived, see its documentation.
pub static REASON: Field = u8("reason").names(REASONS).doc("why the server refused, as the client finds out");
const REASONS: &[(u64, &str)] = &[(0, "none"), (1, "version"), (2, "byte_order"), (3, "game"), (4, "user_version")];

/// The sender's values in a request or refusal.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    version: u64,
    sub_version: u64,
    build: u64,
    game: [u8; NAME],
    user_version: u64,
    order: Option<Order>,
}

impl Identity {
    fn of(tree: &Tree, name: Option<&[u8]>, order: Option<Order>) -> Option<Identity> {
        let mut game = [0; NAME];
        let name = name?.iter().take_while(|b| **b != 0);
        game.iter_mut().zip(name).for_each(|(to, from)| *to = *from);
        Some(Identity {
            version: tree.number(&VERSION)?,
            sub_version: tree.number(&SUB_VERSION)?,
            build: tree.number(&BUILD)?,
            game,
            user_version: tree.number(&USER_VERSION)?,
            order,
        })
    }

    fn name(&self) -> std::borrow::Cow<'_, str> {
        let end = self.game.iter().position(|b| *b == 0).unwrap_or(NAME);
        String::from_utf8_lossy(self.game.get(..end).unwrap_or(&[]))
    }
}

/// The state of a connection's handshake.
#[derive(Debug, Default)]
pub struct Handshake {
    /// The request, if it was read whole.
    request: Option<Identity>,
    /// The client asked for UDP.
    pub unreliable: bool,
    /// The server's UDP port, if it sent one.
    pub port: Option<u16>,
    /// Whether the server's answer was read.
    pub answered: bool,
}

impl Handshake {
    /// Reads a connection request.
    pub fn request(&mut self, place: &Provenance<'_>, dissection: &mut Dissection, link: &mut Link) {
        let build = field(place.bytes, 5);
        let order = link.own_order(build);
        let ended = self.read(&CLIENT[0], place, dissection, link, order, 48);
        undecided(build, order, dissection);
        game_name(place.bytes, 7, dissection);
        dissection.delivery.push(Event::Step(Step::Asked));
        link.request_order = order;
        link.build = dissection.tree.number(&BUILD);
        if ended != Ended::Broken {
            self.request = Identity::of(&dissection.tree, place.bytes.get(7..39), order);
            // Any value other than 0 is true, and shown raw.
            self.unreliable = dissection.tree.find(&UNRELIABLE).is_some_and(|n| n.value != Value::Bool(false));
        }
    }

    /// Reads a refusal.
    pub fn refused(&mut self, place: &Provenance<'_>, dissection: &mut Dissection, link: &mut Link) {
        self.answered = true;
        let build = field(place.bytes, 6);
        let order = link.own_order(build);
        let ended = self.read(&SERVER[0], place, dissection, link, order, 44);
        undecided(build, order, dissection);
        game_name(place.bytes, 8, dissection);
        link.refusal_order = order;
        let server = Identity::of(&dissection.tree, place.bytes.get(8..40), order).filter(|_| ended != Ended::Broken);
        match (&self.request, server) {
            (Some(client), Some(server)) => refusal(client, &server, dissection),
            _ => dissection.notes.note(
                "gne.refused",
                format_args!("the server refuses; without both sides' values the reason is unknown"),
            ),
        }
        let reason = dissection.derived.number(&REASON).and_then(|reason| REASONS.get(reason as usize));
        dissection.delivery.push(Event::Step(Step::Refused(reason.map_or("unknown", |(_, name)| name))));
    }

    /// Reads an acceptance.
    pub fn accepted(&mut self, place: &Provenance<'_>, dissection: &mut Dissection, link: &mut Link) {
        self.answered = true;
        let order = link.order();
        // The specification also allows 8 bytes, without a port. The library accepts only 12.
        self.read(&SERVER[1], place, dissection, link, order, 12);
        dissection.delivery.push(Event::Step(Step::Accepted));
        let Some(port) = dissection.tree.number(&PORT).map(|n| n as i64) else { return };
        self.port = u16::try_from(port).ok().filter(|p| *p > 0);
        if !(-1..=65535).contains(&port) {
            let text = format_args!("invalid port number {port}; the client ends the connection");
            dissection.notes.error("gne.port", text);
        }
        if matches!(port, -1 | 0) && self.unreliable {
            dissection.notes.note(
                "gne.udp_denied",
                format_args!("the client asked for UDP, the server has none: all packets go over TCP"),
            );
        }
    }

    /// Reads the client's UDP port.
    pub fn client_port(&mut self, place: &Provenance<'_>, dissection: &mut Dissection, link: &mut Link) {
        let order = link.order();
        self.read(&CLIENT[1], place, dissection, link, order, 4);
        let Some(port) = dissection.tree.number(&PORT).map(|n| n as i64) else { return };
        link.client_port = u16::try_from(port).ok();
        if link.client_port.is_none() {
            dissection.notes.error("gne.port", format_args!("invalid port number {port}; the server never answers"));
        }
    }

    fn read(
        &mut self,
        layout: &'static crate::codec::Layout,
        place: &Provenance<'_>,
        dissection: &mut Dissection,
        link: &Link,
        order: Option<Order>,
        size: usize,
    ) -> Ended {
        let ended = read(layout, place, dissection, &mut link.reading(order, &Schemas::default(), dissection.from));
        dissection.version = order.map(order_name);
        match place.length {
            n if n == size => {}
            8 if size == 12 => dissection
                .notes
                .error("gne.size", format_args!("8 bytes: valid by the specification, but the library takes 12 only")),
            n => dissection
                .notes
                .error("gne.size", format_args!("{}: the library takes exactly {size}", Plural(n, "byte"))),
        }
        frame_size(place.length, BUFFER, dissection);
        ended
    }
}

/// The two bytes of a build field.
fn field(bytes: &[u8], at: usize) -> Option<[u8; 2]> {
    bytes.get(at..at + 2)?.try_into().ok()
}

fn undecided(build: Option<[u8; 2]>, order: Option<Order>, dissection: &mut Dissection) {
    if let (Some([a, b]), None) = (build, order) {
        dissection.notes.note(
            "gne.order_unknown",
            format_args!("the build field {a:02x} {b:02x} shows no byte order: read as little-endian"),
        );
    }
}

fn game_name(bytes: &[u8], at: usize, dissection: &mut Dissection) {
    let Some(name) = bytes.get(at..at + 32) else { return };
    let text = match name.iter().position(|b| *b == 0) {
        None => "no zero byte in the 32 bytes of the name: release 0.70 reads on after it",
        Some(end) if name.iter().skip(end).any(|b| *b != 0) => "bytes after the zero that ends the name",
        Some(_) => return,
    };
    dissection.notes.warn("gne.game_name", format_args!("{text}"));
}

/// Derives the reason of a refusal.
fn refusal(client: &Identity, server: &Identity, dissection: &mut Dissection) {
    let (c, s) = (client, server);
    let orders = c.order.zip(s.order).filter(|(a, b)| a != b);
    let mut say = |reason: u64, level: Level, text: std::fmt::Arguments<'_>| {
        dissection.derived.push(&REASON, Value::UInt(reason), 0, 0);
        dissection.notes.add(level, "gne.refused", text);
    };
    if (c.version, c.sub_version) != (s.version, s.sub_version) || orders.is_none() && c.build != s.build {
        say(
            1,
            Level::Note,
            format_args!(
                "protocol version {}.{}.{}, the server has {}.{}.{}",
                c.version, c.sub_version, c.build, s.version, s.sub_version, s.build
            ),
        );
    } else if let Some((client, server)) = orders {
        say(
            2,
            Level::Warning,
            format_args!(
                "the client writes {}, the server {}: it sees another protocol version",
                order_name(client),
                order_name(server)
            ),
        );
    } else if c.game != s.game {
        say(3, Level::Note, format_args!("game {:?}, the server has {:?}", c.name(), s.name()));
    } else if c.user_version != s.user_version {
        say(4, Level::Note, format_args!("user version {}, the server has {}", c.user_version, s.user_version));
    } else {
        say(0, Level::Note, format_args!("both sides' values are equal: just refused"));
    }
}
