//! The options of `netkit encode`.

use super::Dissect;
use super::names::message;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `netkit encode`.
#[derive(Args, Debug)]
#[command(after_help = ENCODE, arg_required_else_help = true)]
pub struct Encode {
    /// The message: PROTO.MESSAGE, or MESSAGE with -p
    #[arg(required_unless_present = "json", conflicts_with = "json", value_parser = message(), hide_possible_values = true)]
    pub message: Option<String>,
    /// Its fields, as `netkit fields PROTO.MESSAGE` names them
    #[arg(value_name = "FIELD=VALUE", conflicts_with = "json")]
    pub fields: Vec<String>,
    /// Messages as JSON objects: lines of decode -f ndjson, the array of -f json, or written by
    /// hand; `-` is stdin
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub json: Option<PathBuf>,
    /// Options that concern dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Form of the bytes [default: hex; pcap where the output's name ends so]
    #[arg(long, value_enum, value_name = "FORM")]
    pub to: Option<To>,
    /// Where to write; default: stdout
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Replace the output file where there is one
    #[arg(long)]
    pub force: bool,
    /// Add what stands around each message in a stream: a length, a header, a WebSocket frame
    /// [default: none; for pcap as the line says]
    #[arg(long, value_enum, value_name = "udp|tcp|ws", hide_possible_values = true)]
    pub transport: Option<Carried>,
    /// Report messages that cannot be written, and go on with the next
    #[arg(long)]
    pub keep_going: bool,
}

/// Form of the written bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum To {
    /// A line a message.
    Hex,
    /// The bytes and nothing else.
    Raw,
    /// A capture file: Ethernet, IP, UDP or TCP around each message.
    Pcap,
}

/// What carries the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Carried {
    /// UDP: nothing around them.
    Udp,
    /// TCP: the protocol's own framing.
    Tcp,
    /// WebSocket: a binary message each.
    Ws,
}

const ENCODE: &str = "\
Examples:
  netkit encode riptide.heartbeat ping_id=3 rtt=20
  netkit encode -p riptide -s riptide.version=2.2 reject reason=server_full
  netkit encode riptide.heartbeat ping_id=3 --transport tcp   behind its length
  netkit decode a.pcap -f ndjson | netkit encode --json - --to pcap -o b.pcap
  netkit decode a.pcap -f ndjson -F 'message == reliable' |
      jq -c '.fields.payload=\"00\"' | netkit encode --json -

Fields:
  a=5  a=0x1f  a=server_full  numbers, also in hex; names of enumerations
  a=x|y                       flags by name
  data=0801ff                 bytes are hex
  t2.sec=5                    nested fields
  links[0].link_id=4          elements of lists
  values='[{\"type\":\"uint8\",\"value\":7}]'   or as JSON; FIELD:=JSON is always JSON
  derived.links='[..]'        what earlier messages would tell
  a='{\"raw\":\"ff\",\"bits\":8}' bits as they stand, for any field

Lengths, counts and masks are computed. Those that are given are written as given, right or wrong. \
Nothing is written for a message that is not right: exit status 3.";
