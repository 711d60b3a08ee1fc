//! A protocol's description as a constant: what most dissectors are.

use super::dissector::{Dissector, Encoder, Evidence, NoteDoc, Observation, PortNames, Session, Setting, Table};
use super::flow_info::FlowInfo;
use super::options::Options;
use super::outline::Outline;
use super::public::Public;
use crate::codec::layout::Field;
use crate::codec::schema::Encoding;
use crate::flow::Transport;

/// The [`Dissector`] of a protocol that is known when the program is compiled: a `static` with the
/// fields it needs, and `..Protocol::new(..)` for those that keep their default.
///
/// A dissector that is built at run time implements the trait itself.
pub struct Protocol {
    /// The name on the command line and in the output: `riptide`.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The transports whose conversations may be recognised as this protocol, and all of which `-p`
    /// takes.
    pub transports: &'static [Transport],
    /// Transports over which nothing tells the protocol: taken only where `--port` names it.
    pub transports_by_port: &'static [Transport],
    /// Carriers whose lines its conversations have too.
    pub carriers: &'static [&'static str],
    /// The port that its servers usually have: where messages without an address are written to.
    pub port: Option<u16>,
    /// The layouts of its messages, by version and direction.
    pub tables: &'static [Table],
    /// The values that its analysis adds beside the fields, for documentation and filters.
    pub derived: &'static [&'static Field],
    /// The fields that say what a message is about, the most telling first: its route, its id.
    pub subjects: &'static [&'static str],
    /// The `-s` settings it takes.
    pub settings: &'static [Setting],
    /// The notes it may raise.
    pub notes: &'static [NoteDoc],
    /// How values are encoded in payloads, for the users' schemas; empty: it takes none.
    pub encodings: &'static [Encoding],
    /// What of its messages is its own: what redaction keeps.
    pub public: Public,
    /// The messages of its streams that name ports for datagrams beside them.
    pub port_names: Option<PortNames>,
    /// What its tables leave open, for a file that describes it; or why no file can.
    pub outline: Result<Outline, &'static str>,
    /// How `dump` reads bytes that come without a transport.
    pub dump_transport: fn(&Options) -> Transport,
    /// Is a conversation over one of the `transports` of this protocol? See [`Dissector::identify`].
    pub identify: fn(&Observation<'_>) -> Evidence,
    /// The memory for a new conversation.
    pub session: fn(&FlowInfo<'_>) -> Box<dyn Session>,
    /// The memory for encoding a sequence of messages.
    pub encoder: fn(&Options) -> Box<dyn Encoder>,
}

impl Protocol {
    /// A protocol over UDP, without settings and notes, which is read only where the user names it.
    pub const fn new(
        name: &'static str,
        session: fn(&FlowInfo<'_>) -> Box<dyn Session>,
        encoder: fn(&Options) -> Box<dyn Encoder>,
    ) -> Protocol {
        Protocol {
            name,
            about: "",
            transports: &[Transport::Udp],
            transports_by_port: &[],
            carriers: &[],
            port: None,
            tables: &[],
            derived: &[],
            subjects: &[],
            settings: &[],
            notes: &[],
            encodings: &[],
            public: Public { fields: &[], words: &[], lines: &[] },
            port_names: None,
            outline: Err("it does not say what its tables leave open"),
            dump_transport: |_| Transport::Udp,
            identify: |_| Evidence::No,
            session,
            encoder,
        }
    }
}

impl Dissector for Protocol {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn carriers(&self) -> &'static [&'static str] {
        self.carriers
    }

    fn tables(&self) -> &'static [Table] {
        self.tables
    }

    fn derived(&self) -> &'static [&'static Field] {
        self.derived
    }

    fn subjects(&self) -> &'static [&'static str] {
        self.subjects
    }

    fn settings(&self) -> &'static [Setting] {
        self.settings
    }

    fn notes(&self) -> &'static [NoteDoc] {
        self.notes
    }

    fn takes(&self, transport: Transport, named: bool) -> bool {
        self.transports.contains(&transport) || named && self.transports_by_port.contains(&transport)
    }

    fn identify(&self, observation: &Observation<'_>) -> Evidence {
        match self.transports.contains(&observation.transport) {
            true => (self.identify)(observation),
            false => Evidence::No,
        }
    }

    fn session(&self, flow_info: &FlowInfo<'_>) -> Box<dyn Session> {
        (self.session)(flow_info)
    }

    fn port(&self) -> Option<u16> {
        self.port
    }

    fn port_names(&self) -> Option<PortNames> {
        self.port_names
    }

    fn dump_transport(&self, options: &Options) -> Transport {
        (self.dump_transport)(options)
    }

    fn encodings(&self) -> &'static [Encoding] {
        self.encodings
    }

    fn outline(&self) -> Result<&Outline, &'static str> {
        self.outline.as_ref().map_err(|why| *why)
    }

    fn public(&self) -> Public {
        self.public
    }

    fn encoder(&self, options: &Options) -> Box<dyn Encoder> {
        (self.encoder)(options)
    }
}
