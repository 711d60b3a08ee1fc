//! What is constant of a protocol: one list, which is the type of the facts, their defaults, and the questions
//! that can be asked of any dissector.

use super::dissector::{Dissector, NoteDoc, PortNames, Senders, Setting, Table};
use super::options::Options;
use super::outline::Outline;
use super::public::Public;
use crate::codec::layout::Field;
use crate::codec::schema::Encoding;
use crate::flow::Transport;

macro_rules! facts {
    ($($(#[$doc:meta])* $fact:ident: $type:ty = $default:expr,)*) => {
        /// What is constant of a protocol: those that it needs, and `..Facts::new(..)` for the others.
        #[derive(Clone, Copy, Debug)]
        pub struct Facts {
            /// The name on the command line and in the output: `riptide`.
            pub name: &'static str,
            $($(#[$doc])* pub $fact: $type,)*
        }

        impl Facts {
            /// A protocol over UDP, without settings and notes.
            pub const fn new(name: &'static str) -> Facts {
                Facts { name, $($fact: $default,)* }
            }
        }

        impl<'a> dyn Dissector + 'a {
            /// See [`Facts::name`].
            pub fn name(&self) -> &'static str {
                self.facts().name
            }

            $($(#[$doc])* pub fn $fact(&self) -> $type {
                self.facts().$fact
            })*
        }
    };
}

facts! {
    /// One line of description.
    about: &'static str = "",
    /// The transports over which conversations may be recognised as this protocol, and all of which `-p` takes.
    transports: &'static [Transport] = &[Transport::Udp],
    /// Transports over which nothing tells the protocol: taken only where `--port` names it.
    transports_by_port: &'static [Transport] = &[],
    /// The `proto` names of carriers whose messages appear in its conversations.
    carriers: &'static [&'static str] = &[],
    /// The usual ports of its servers; the first is the destination of messages without an address.
    ports: &'static [u16] = &[],
    /// The layouts of its messages, by version and direction.
    tables: &'static [Table] = &[],
    /// The fields of the headers around its messages, for documentation and filters.
    headers: &'static [Field] = &[],
    /// The values that its analysis adds to the fields, for documentation and filters.
    derived: &'static [&'static Field] = &[],
    /// The fields that say what a message is about, the most telling first: its route, its id.
    subjects: &'static [&'static Field] = &[],
    /// The `-s` settings it has.
    settings: &'static [Setting] = &[],
    /// The notes it can raise.
    notes: &'static [NoteDoc] = &[],
    /// Whether it gives way to any other protocol that is sure of a conversation.
    yields: bool = false,
    /// Whether nearly any payload is one of its messages, so that reading it without a fault says nothing.
    lenient: bool = false,
    /// How values are encoded in payloads, for the users' schemas; empty: it has no schemas.
    encodings: &'static [Encoding] = &[],
    /// What of its messages is its own: what redaction keeps.
    public: Public = Public { fields: &[], words: "", lines: &[] },
    /// The messages that only one of the sides sends, and which one.
    senders: Senders = &[],
    /// The messages of its streams that name ports for datagrams beside them.
    port_names: Option<PortNames> = None,
    /// What its tables leave open, for a file that describes it; or why no file can.
    outline: Result<Outline, &'static str> = Err("it does not say what its tables leave open"),
    /// The transport that `dump` assumes for bytes without packet headers: a datagram, or one direction of a
    /// stream.
    dump_transport: fn(&Options) -> Transport = |_| Transport::Udp,
}

impl<'a> dyn Dissector + 'a {
    /// The usual port of its servers.
    pub fn port(&self) -> Option<u16> {
        self.ports().first().copied()
    }

    /// Whether `-p` assigns every conversation over this transport to it. `named`: by `--port`.
    pub fn takes(&self, transport: Transport, named: bool) -> bool {
        self.transports().contains(&transport) || named && self.transports_by_port().contains(&transport)
    }
}
