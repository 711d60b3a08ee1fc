//! Riptide Networking: all wire families from 1.0 to 2.2, over UDP and TCP.
//!
//! A C# library for games made with Unity and others. There is no version, magic or connection id
//! on the wire: the version is found per conversation (`version`). 2.1 and later are bit-packed.
//!
#![doc = include_str!("README.md")]

pub(crate) mod client;
pub(crate) mod encode;
pub(crate) mod evidence;
mod farewell;
pub(crate) mod framing;
mod identify;
pub(crate) mod layout;
pub(crate) mod notes;
pub(crate) mod receiver;
pub(crate) mod reliable;
mod remarks;
pub(crate) mod session;
pub(crate) mod values;
pub(crate) mod version;

use crate::dissect::{Facts, Outline, Protocol, Role, Setting, StreamFrame};
use crate::duration;
use crate::flow::Transport;
use layout::Message;

static SETTINGS: [Setting; 5] = [
    Setting::among(
        "riptide.version",
        &["auto", "1.0", "1.2", "2.0", "2.1", "2.2"],
        "the wire family; auto: found for each conversation by striking out what does not fit",
    ),
    Setting::among(
        "riptide.framing",
        &["auto", "none", "u16", "i32"],
        "the length before each message: reads dump's input as a TCP stream (auto: none in dump)",
    ),
    Setting::text(
        "riptide.timeout",
        "5s",
        |text| duration::with_unit(text).map(drop),
        "the time without a heartbeat after which a side drops the connection (Connection.TimeoutTime)",
    ),
    Setting::text(
        "riptide.attempts",
        "15",
        |text| match text.parse() {
            Ok(1u32..) => Ok(()),
            _ => Err("expected a number from 1".into()),
        },
        "the most times that a reliable message is sent (Connection.MaxSendAttempts)",
    ),
    Setting::among(
        "riptide.quality",
        &["on", "off"],
        "off: the application forbids to drop a poor connection (Connection.CanQualityDisconnect)",
    ),
];

const OUTLINE: Outline = Outline {
    version: "2.2",
    udp: Some(&[session::PORT]),
    tcp: &[
        StreamFrame { versions: &["1.0", "1.2", "2.0"], header: "", length: "u16le" },
        StreamFrame { versions: &["2.1", "2.2"], header: "", length: "i32le" },
    ],
    left_out: &[
        "The version of each conversation is not found: the setting says it.",
        "An empty frame of a stream, which the library skips, is a line packet.",
        "What the numbers say (acknowledged by, resent, never acknowledged) is for [numbers], which the tables do not have.",
    ],
    ..Outline::new("type")
};

/// The dissector.
pub(crate) static RIPTIDE: Protocol = Protocol {
    facts: Facts {
        about: "Riptide Networking 1.0 to 2.2, over UDP and TCP",
        transports: &[Transport::Udp, Transport::Tcp],
        ports: &[session::PORT],
        tables: &layout::TABLES,
        derived: &[&reliable::ACKED, &reliable::COPY, &remarks::DERIVED_ID, &remarks::DERIVED_REASON],
        settings: &SETTINGS,
        subjects: &[&layout::ID],
        notes: notes::NOTES,
        senders: &[(
            Role::Server,
            &[Message::Reject.name(), Message::ClientConnected.name(), Message::ClientDisconnected.name()],
        )],
        lenient: true,
        encodings: &values::ENCODINGS,
        dump_transport: |options| match options.settings.get("riptide.framing") {
            Some("u16" | "i32") => Transport::Tcp,
            _ => Transport::Udp,
        },
        outline: Ok(OUTLINE),
        ..Facts::new("riptide")
    },
    identify: identify::identify,
    session: |flow_info| Box::new(session::RiptideSession::new(flow_info)),
    encoder: |options| Box::new(encode::Writing::new(options)),
};
