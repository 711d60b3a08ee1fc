//! The constant properties of a protocol. One list defines their type, their defaults, and the methods of a dissector
//! that return them.

use super::dissector::{Dissector, NoteDoc, PortNames, Senders, Setting, Table};
use super::options::Options;
use super::outline::Outline;
use super::public::Public;
use crate::codec::layout::Field;
use crate::codec::schema::Encoding;
use crate::flow::Transport;

macro_rules! facts {
    ($($(#[$doc:meta])* $fact:ident: $type:ty = $default:expr,)*) => {
        /// The constant properties of a protocol: those that differ from the defaults, and `..Facts::new(..)`.
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
    /// The transports over which conversations may be recognised as this protocol, and of which `-p` assigns all.
    transports: &'static [Transport] = &[Transport::Udp],
    /// The transports over which the protocol cannot be recognised: claimed only if `--port` names it.
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
    /// The fields with the subject of a message, the most specific first: its route, its id.
    subjects: &'static [&'static Field] = &[],
    /// The protocol's `-s` settings.
    settings: &'static [Setting] = &[],
    /// The notes it can raise.
    notes: &'static [NoteDoc] = &[],
    /// Whether the protocol yields to any other that is sure of a conversation.
    yields: bool = false,
    /// Whether it reads single datagrams among those of another protocol: see
    /// [`Session::offered`](super::Session::offered).
    reads_offered: bool = false,
    /// Whether nearly any payload is a valid message, so that reading it without a fault proves nothing.
    lenient: bool = false,
    /// The encodings of values in payloads, for the users' schemas; without one, the protocol has no schemas.
    encodings: &'static [Encoding] = &[],
    /// The parts of the messages that belong to the protocol: redaction keeps them.
    public: Public = Public { words: "", lines: &[] },
    /// The messages that only one of the sides sends, with that side.
    senders: Senders = &[],
    /// The messages of the streams that name ports for associated datagrams.
    port_names: Option<PortNames> = None,
    /// The part of the protocol that its tables do not describe, for a file with its description; or the reason why no
    /// file can describe it.
    outline: Result<Outline, &'static str> = Err("it does not say what its tables leave open"),
    /// The transport that `dump` assumes for bytes without packet headers: datagrams, or one direction of a stream.
    dump_transport: fn(&Options) -> Transport = |_| Transport::Udp,
}

impl<'a> dyn Dissector + 'a {
    /// The first usual port of its servers.
    pub fn port(&self) -> Option<u16> {
        self.ports().first().copied()
    }

    /// Whether `-p` assigns every conversation over this transport to it. `named`: whether `--port` does.
    pub fn takes(&self, transport: Transport, named: bool) -> bool {
        self.transports().contains(&transport) || named && self.transports_by_port().contains(&transport)
    }
}
