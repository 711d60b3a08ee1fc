//! The options of `netkit encode`.

use super::Dissect;
use super::forms::{Allowed, one_of};
use super::help::Tasks;
use super::names::message;
use crate::live::probe::Carrier;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `netkit encode`.
#[derive(Args, Debug)]
#[command(tasks = ENCODE, arg_required_else_help = true)]
pub struct Encode {
    /// The message: PROTO.MESSAGE, or MESSAGE with -p
    #[arg(conflicts_with = "json", value_parser = message(), hide_possible_values = true)]
    pub message: Option<String>,
    /// Its fields, as `netkit fields PROTO.MESSAGE` names them
    #[arg(value_name = "FIELD=VALUE", conflicts_with = "json")]
    pub fields: Vec<String>,
    /// Read messages as JSON: an object on each line, or an array; `-` is stdin
    ///
    /// It is what decode -f ndjson or -f json prints, or is written by hand.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Input")]
    pub json: Option<PathBuf>,
    /// Options of the dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Choose the form of the bytes
    ///
    /// Default: pcap if the output's name ends in .pcap, else hex.
    #[arg(long = "as", alias = "to", value_enum, value_name = "FORM", help_heading = "Output")]
    pub to: Option<To>,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Replace an existing output file
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Use the framing of this transport: a length, a header or a WebSocket frame
    ///
    /// Default: none; for pcap the transport of the message's JSON line.
    #[arg(long, value_parser = one_of(TRANSPORTS), value_name = "T", help_heading = "Output")]
    pub transport: Option<Carrier>,
    /// Report messages that cannot be written, and continue with the next
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub keep_going: bool,
}

/// The form of the written bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum To {
    /// One line for each message.
    Hex,
    /// The bytes and nothing else.
    Raw,
    /// A capture file: Ethernet, IP, UDP or TCP around each message.
    Pcap,
    /// A constant in C, with a comment for each field
    C,
    /// The same in Rust
    Rust,
    /// The same in Python
    Python,
}

/// The transports of the messages.
const TRANSPORTS: [Allowed<Carrier>; 3] = [
    ("udp", Carrier::Udp, "UDP: the message alone"),
    ("tcp", Carrier::Tcp, "TCP: the protocol's length or header before it"),
    ("ws", Carrier::Ws, "WebSocket: a frame of type binary"),
];

const ENCODE: &str = "\
Examples:
  netkit encode riptide.heartbeat ping_id=3 rtt=20
  netkit encode -p riptide -s riptide.version=2.2 reject reason=server_full
  netkit encode riptide.heartbeat ping_id=3 --transport tcp   with its length before it
  netkit decode a.pcap -f ndjson | netkit encode --json - --as pcap -o b.pcap
  netkit encode riptide.heartbeat ping_id=3 rtt=20 --as c     for a test in C
  netkit decode a.pcap -f ndjson -F 'message == reliable' |
      jq -c '.fields.payload=\"00\"' | netkit encode --json -

Fields:
  a=5  a=0x1f  a=server_full  numbers, also in hex; names of enumerations
  a=x|y                       flags by name
  data=0801ff                 bytes are hex
  t2.sec=5                    nested fields
  links[0].link_id=4          elements of lists
  values='[{\"type\":\"uint8\",\"value\":7}]'   or as JSON; FIELD:=JSON is always JSON
  derived.links='[..]'        what is known from earlier messages
  a='{\"raw\":\"ff\",\"bits\":8}' exact bits, for any field

Lengths, counts and masks are computed; given ones are written as they are, right or wrong. A \
message that cannot be encoded is not written, and the exit status is 3.";
