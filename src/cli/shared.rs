//! Options that several commands share.

use super::forms::{Format, messages, one_of};
use super::interface::{Interface, Interfaces};
use super::names::{filter, named_proto, proto, protocol_file, setting};
use crate::capture::{Leg, TimeSpec};
use crate::codec::digits;
use crate::dissect::{Limits, Role, Server};
use crate::platform::LIST_SEPARATOR;
use crate::read::FailOn;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of the dissection.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Protocol")]
pub struct Dissect {
    /// Set the protocol, or the file that describes it, instead of recognising it
    #[arg(short, long, alias = "protocol", value_name = "P", value_parser = proto())]
    pub proto: Option<String>,
    /// Load a protocol that a file describes (TOML); may be repeated
    #[arg(long, value_name = "FILE", env = "NETKIT_PROTOCOLS", value_parser = protocol_file(), value_delimiter = LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath, hide_short_help = true)]
    pub protocol_file: Vec<PathBuf>,
    /// Load the layouts of your game's payloads (TOML); may be repeated
    #[arg(long, value_name = "FILE", env = "NETKIT_SCHEMA", value_parser = protocol_file(), value_delimiter = LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath)]
    pub schema: Vec<PathBuf>,
    /// Change a setting of a protocol, as `netkit fields PROTO` lists them
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = setting(), hide_possible_values = true, hide_short_help = true)]
    pub set: Vec<String>,
    /// Set which side sent the bytes, if nothing else shows it
    ///
    /// In a capture: which side sent the first packet of each conversation.
    #[arg(long, value_name = "client|server", value_parser = role, hide_short_help = true)]
    pub from: Option<Role>,
}

impl Dissect {
    /// Those of a command with a live peer, which has options of its own for them.
    pub fn of(proto: Option<&String>, protocol_file: &[PathBuf], set: &[String], schema: &[PathBuf]) -> Dissect {
        let (protocol_file, set, schema) = (protocol_file.to_vec(), set.to_vec(), schema.to_vec());
        Dissect { proto: proto.cloned(), protocol_file, schema, set, from: None }
    }
}

/// The options of a command that shows a capture while it goes on.
#[derive(Args, Clone, Debug)]
pub struct Source {
    /// An interface instead of files.
    #[command(flatten)]
    pub interface: Interface,
    /// The list of interfaces, instead of a capture.
    #[command(flatten)]
    pub interfaces: Interfaces,
    /// Wait for more at the end of a growing file, until q or Ctrl-C
    #[arg(long, conflicts_with = "interface", help_heading = "Input")]
    pub follow: bool,
    /// Options of the dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Options of captures.
    #[command(flatten)]
    pub traffic: Traffic,
}

pub fn role(text: &str) -> Result<Role, String> {
    match Role::named(text) {
        Some(role @ (Role::Client | Role::Server)) => Ok(role),
        _ => Err("expected client or server".into()),
    }
}

/// Options of captures.
#[derive(Args, Clone, Debug)]
pub struct Traffic {
    /// Name the protocol of a port, as 7000=riptide
    #[arg(long, value_name = "PORT=P", value_parser = port, help_heading = "Protocol")]
    pub port: Vec<(u16, String)>,
    /// Name the server's address, if ports do not show it
    #[arg(long, value_name = "ADDR[:PORT]", help_heading = "Protocol", hide_short_help = true)]
    pub server: Option<Server>,
    /// Select the conversation of this number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Selection", hide_short_help = true)]
    pub flow: Option<u64>,
    /// Select one leg of a proxy's recording
    ///
    /// Default: both for decode and view, the client's leg for other commands.
    #[arg(long, value_enum, value_name = "LEG", help_heading = "Selection", hide_short_help = true)]
    pub leg: Option<Legs>,
    /// Select messages: 'riptide.message_id == 7 and not has fault'
    #[arg(short = 'F', short_alias = 'Y', long, value_name = "EXPR", value_parser = filter(), hide_possible_values = true, help_heading = "Selection")]
    pub filter: Option<String>,
    /// Select messages from this time on: 10s, 1m30s, 2026-11-21T12:00:00Z
    ///
    /// Durations count from the first frame.
    #[arg(long, value_name = "TIME", help_heading = "Selection", hide_short_help = true)]
    pub since: Option<TimeSpec>,
    /// Select messages before this time, written as for --since
    ///
    /// A live capture ends then; durations count from its beginning.
    #[arg(long, value_name = "TIME", help_heading = "Selection", hide_short_help = true)]
    pub until: Option<TimeSpec>,
    /// Replace addresses and application data with consistent pseudonyms
    ///
    /// For sharing. Lengths, numbers and times are kept.
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub redact: bool,
    /// Change a limit of memory; `netkit fields` lists them, N may end in K, M, G
    #[arg(long, value_name = "NAME=N", value_parser = limit, help_heading = "Limits", hide_short_help = true)]
    pub limit: Vec<String>,
}

/// The legs of a proxy's recording that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Legs {
    /// Between the client and the proxy.
    Client,
    /// Between the proxy and the server.
    Server,
    /// Both: each message that passed appears twice.
    Both,
}

impl Legs {
    /// Returns the leg, unless it is both.
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

/// The output of messages.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Choose the form of the output
    #[arg(short, long, default_value = "tree", value_parser = one_of(messages()), value_name = "F")]
    pub format: Format,
    /// Choose the columns of csv, tsv and summary: time,src,message,message_id
    ///
    /// A column is a key of ndjson, a name of the envelope, or a field; fields.NAME if the envelope has that name, too.
    #[arg(long, value_name = "A,B.C", value_delimiter = ',', value_parser = filter(), hide_possible_values = true, hide_short_help = true)]
    pub columns: Vec<String>,
    /// Add the whole message as hex to ndjson and json: `"bytes":".."`
    #[arg(long, hide_short_help = true)]
    pub bytes: bool,
    /// Stop after N messages
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Conditions on the messages.
    #[command(flatten)]
    pub gates: Gates,
}

/// Conditions on the messages, which determine the exit status.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Checks")]
pub struct Gates {
    /// Exit with status 1 on faults, warnings, unclaimed traffic or reached limits
    ///
    /// fault: a message has a fault; warning: it has a warning or a fault; unclaimed: a conversation is of no known
    /// protocol; limit: a limit was reached.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "fault|warning|unclaimed|limit",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub fail_on: Vec<FailOn>,
    /// Exit with status 1 unless a message matches; may be repeated
    #[arg(long, value_name = "EXPR", value_parser = filter(), hide_possible_values = true, hide_short_help = true)]
    pub expect: Vec<String>,
    /// Exit with status 1 if a message matches; may be repeated
    ///
    /// The error names the first three messages that match.
    #[arg(long, value_name = "EXPR", value_parser = filter(), hide_possible_values = true, hide_short_help = true)]
    pub reject: Vec<String>,
    /// Accept that there are no messages to check
    ///
    /// Without this option, --fail-on, --expect, --reject and --check, where they exist, fail if there are none.
    #[arg(long, hide_short_help = true)]
    pub allow_empty: bool,
}

pub fn port(text: &str) -> Result<(u16, String), String> {
    let (port, name) = text.split_once('=').ok_or("expected PORT=PROTOCOL, such as 7000=riptide")?;
    let port = digits::unsigned(port).ok_or_else(|| format!("{port:?} is not a port: expected 0 to 65535"))?;
    Ok((port, named_proto(name)?))
}
