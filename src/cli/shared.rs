//! Options that several commands have in common.

use super::forms::{Format, messages, one_of};
use super::names::{filter, named_proto, proto, protocol_file, setting};
use crate::platform::LIST_SEPARATOR;
use clap::{Args, ValueEnum};
use netkit::capture::{Leg, TimeSpec};
use netkit::codec::digits;
use netkit::dissect::Limits;
use netkit::dissect::{Role, Server};
use std::path::PathBuf;

/// Options that concern dissection.
#[derive(Args, Clone, Debug, Default)]
pub struct Dissect {
    /// The protocol, or a file that describes one; default: recognise it
    #[arg(short, long, alias = "protocol", value_name = "P", value_parser = proto())]
    pub proto: Option<String>,
    /// A protocol that a file describes (TOML); may be given several times
    #[arg(long, value_name = "FILE", env = "NETKIT_PROTOCOLS", value_parser = protocol_file(), value_delimiter = LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath)]
    pub protocol_file: Vec<PathBuf>,
    /// The layouts of your game's payloads (TOML); may be given several times
    #[arg(long, value_name = "FILE", env = "NETKIT_SCHEMA", value_delimiter = LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath)]
    pub schema: Vec<PathBuf>,
    /// A setting of a protocol, as `netkit fields PROTO` lists them
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = setting(), hide_possible_values = true)]
    pub set: Vec<String>,
    /// Who sent the bytes, or the first packet of a conversation, where nothing else tells
    #[arg(long, value_name = "client|server", value_parser = role)]
    pub from: Option<Role>,
}

pub fn role(text: &str) -> Result<Role, String> {
    match Role::by_name(text) {
        Some(role @ (Role::Client | Role::Server)) => Ok(role),
        _ => Err("expected client or server".into()),
    }
}

/// Options that concern captures.
#[derive(Args, Clone, Debug)]
pub struct Traffic {
    /// Which protocol a port carries, as 7000=riptide
    #[arg(long, value_name = "PORT=P", value_parser = port)]
    pub port: Vec<(u16, String)>,
    /// The server's address, where ports cannot tell
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub server: Option<Server>,
    /// Only the conversation of that number
    #[arg(long, value_name = "N")]
    pub flow: Option<u64>,
    /// Of a proxy's recording, the client's or the server's leg; decode: both, other commands: client
    #[arg(long, value_enum, value_name = "LEG")]
    pub leg: Option<Legs>,
    /// Only messages that fit: "riptide.message_id == 7 and not has fault"
    #[arg(short = 'F', short_alias = 'Y', long, value_name = "EXPR", value_parser = filter(), hide_possible_values = true)]
    pub filter: Option<String>,
    /// Only messages from then on: 10s, 1m30s after the first frame, or 2026-11-21T12:00:00Z
    #[arg(long, value_name = "TIME")]
    pub since: Option<TimeSpec>,
    /// Only messages before then: as --since
    #[arg(long, value_name = "TIME")]
    pub until: Option<TimeSpec>,
    /// Show and write other addresses, words and bytes of the application instead of those of the
    /// capture, one to one; lengths, numbers and times stay: to be sent to somebody
    #[arg(long)]
    pub redact: bool,
    /// Another bound for memory: `netkit fields` lists them; N may end in K, M, G
    #[arg(long, value_name = "NAME=N", value_parser = limit)]
    pub limit: Vec<String>,
}

/// Which legs of a proxy's recording are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Legs {
    /// Between the client and the proxy.
    Client,
    /// Between the proxy and the server.
    Server,
    /// Both: each message that passed is there twice.
    Both,
}

impl Legs {
    /// The leg, if it is one alone.
    pub fn one(self) -> Option<Leg> {
        match self {
            Legs::Client => Some(Leg::Client),
            Legs::Server => Some(Leg::Server),
            Legs::Both => None,
        }
    }
}

pub fn limit(text: &str) -> Result<String, String> {
    Limits::default().set(text).map(|()| text.into())
}

/// How messages are printed.
#[derive(Args, Clone, Debug)]
pub struct Output {
    /// Form of the output
    #[arg(short, long, default_value = "tree", value_parser = one_of(messages()), value_name = "F")]
    pub format: Format,
    /// csv, tsv and summary: these columns, with commas between them: time,src,message,message_id.
    /// Keys of ndjson, names of the envelope, fields; fields.NAME for a field with such a name
    #[arg(long, value_name = "A,B.C", value_delimiter = ',', value_parser = filter(), hide_possible_values = true)]
    pub columns: Vec<String>,
    /// ndjson and json: add the whole message as hex, `"bytes":".."`
    #[arg(long)]
    pub bytes: bool,
    /// Stop after N messages
    #[arg(short, long, value_name = "N")]
    pub count: Option<u64>,
    /// What has to hold.
    #[command(flatten)]
    pub gates: Gates,
}

/// What has to hold for the messages, as the exit status tells.
#[derive(Args, Clone, Debug, Default)]
pub struct Gates {
    /// Exit with status 1 when a message has a fault, or a warning; when conversations are of no known
    /// protocol; when a limit was reached
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "fault|warning|unclaimed|limit",
        hide_possible_values = true
    )]
    pub fail_on: Vec<FailOn>,
    /// Exit with status 1 unless a message fits; may be given several times
    #[arg(long, value_name = "EXPR", value_parser = filter(), hide_possible_values = true)]
    pub expect: Vec<String>,
    /// Exit with status 1 when a message fits, and name the first three; may be given several times
    #[arg(long, value_name = "EXPR", value_parser = filter(), hide_possible_values = true)]
    pub reject: Vec<String>,
    /// No message at all is well, too: else --check, --fail-on, --expect and --reject do not hold
    #[arg(long)]
    pub allow_empty: bool,
}

/// What makes the exit status 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum FailOn {
    /// A warning, an error or a fault.
    Warning,
    /// A fault.
    Fault,
    /// A conversation with payload that no protocol has.
    Unclaimed,
    /// A limit that was reached.
    Limit,
}

pub fn port(text: &str) -> Result<(u16, String), String> {
    let (port, name) = text.split_once('=').ok_or("expected PORT=PROTOCOL, as 7000=riptide")?;
    let port = digits::unsigned(port).ok_or_else(|| format!("{port:?} is no port: expected 0 to 65535"))?;
    Ok((port, named_proto(name)?))
}
