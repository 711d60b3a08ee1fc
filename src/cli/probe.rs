//! The options of `netkit probe`.

use super::forms::{self, Allowed, Form, one_of};
use super::help::Tasks;
use super::names::{proto, protocol_file, setting};
use super::shared::limit;
use super::times::{DAY, MILLISECOND, SECOND, seconds, time};
use crate::live::probe::{Carrier, ConnectData};
use crate::platform::LIST_SEPARATOR;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// `netkit probe`.
#[derive(Args, Debug)]
#[command(tasks = PROBE)]
pub struct Probe {
    /// Servers: HOST:PORT, [IPV6]:PORT, ws://HOST:PORT/PATH; HOST alone with --proto
    #[arg(value_name = "HOST:PORT", required_unless_present = "targets")]
    pub target: Vec<String>,
    /// Read more servers from a file, one on each line; `-` is stdin
    ///
    /// A line is [LABEL=VALUE..] HOST:PORT [PROTOCOL]; `#` begins a comment.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Input")]
    pub targets: Option<PathBuf>,
    /// Set the protocol; default: try all of them, in an order that harms none
    #[arg(short, long, value_name = "P", value_parser = proto(), help_heading = "Protocol")]
    pub proto: Option<String>,
    /// Load a protocol whose file (TOML) has a [probe]; may be repeated
    ///
    /// Without -p, only the protocols of such files are tried.
    #[arg(long, value_name = "FILE", env = "NETKIT_PROTOCOLS", value_parser = protocol_file(), value_delimiter = crate::platform::LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath, help_heading = "Protocol", hide_short_help = true)]
    pub protocol_file: Vec<PathBuf>,
    /// Use only this transport; default: each that the protocol has, in turn
    #[arg(long, value_parser = one_of(TRANSPORTS), value_name = "T", help_heading = "Protocol", hide_short_help = true)]
    pub transport: Option<Carrier>,
    /// Change a setting of a protocol, as `netkit fields PROTO` lists them
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = setting(), hide_possible_values = true, help_heading = "Protocol", hide_short_help = true)]
    pub set: Vec<String>,
    /// Measure N round trips
    #[arg(short = 'n', long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Session")]
    pub samples: u32,
    /// Wait this long between round trips
    #[arg(short_alias = 'i', long, value_name = "TIME", default_value = "200ms", value_parser = seconds(20 * MILLISECOND, 60 * SECOND), help_heading = "Session")]
    pub interval: Duration,
    /// Wait this long for an answer; default: the protocol's own
    #[arg(short = 'W', long, value_name = "TIME", value_parser = seconds(10 * MILLISECOND, 600 * SECOND), help_heading = "Limits")]
    pub timeout: Option<Duration>,
    /// End the probe of a server after this long, whatever it sends
    ///
    /// Default: 30s, or more if -n, --interval and -W need more.
    #[arg(long, value_name = "TIME", value_parser = seconds(10 * MILLISECOND, 600 * SECOND), help_heading = "Limits", hide_short_help = true)]
    pub max_time: Option<Duration>,
    /// Complete the handshake of dnp and gne, which makes a player for a moment
    #[arg(long, help_heading = "Session", hide_short_help = true)]
    pub connect: bool,
    /// Create an acknex entity of this model for exact round trips, and remove it
    ///
    /// This changes the running game.
    #[arg(long, value_name = "MODEL", help_heading = "Session", hide_short_help = true)]
    pub create: Option<String>,
    /// Join acknex with this player's name
    #[arg(long, value_name = "NAME", default_value = "netkit", value_parser = player, help_heading = "Session", hide_short_help = true)]
    pub name: String,
    /// Send this to connect: hex, text:WORDS or a JSON object
    ///
    /// For riptide and nano servers whose application expects a password or a token. A JSON object is nano's "user"; for
    /// riptide, the schema of connect encodes it.
    #[arg(long, value_name = "DATA", help_heading = "Session")]
    pub connect_data: Option<ConnectData>,
    /// Load the layouts of your game's payloads (TOML); may be repeated
    ///
    /// They also describe the data of connect, welcome and reject.
    #[arg(long, value_name = "FILE", env = "NETKIT_SCHEMA", value_parser = protocol_file(), value_delimiter = LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath, help_heading = "Protocol", hide_short_help = true)]
    pub schema: Vec<PathBuf>,
    /// Choose the form of the output
    #[arg(short, long, default_value = "text", value_parser = one_of(forms::PROBE), value_name = "F", help_heading = "Output")]
    pub format: Form,
    /// Repeat the probe at this interval, until Ctrl-C
    #[arg(long, value_name = "TIME", value_parser = time(100 * MILLISECOND, DAY), help_heading = "Session")]
    pub every: Option<Duration>,
    /// Write -f prometheus to a file, for node_exporter's textfile collector
    ///
    /// The name ends in .prom. The file is always complete: it is written under another name and renamed.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Output", hide_short_help = true)]
    pub textfile: Option<PathBuf>,
    /// Record the exchange: pcap, or pcapng with its messages if FILE ends in .pcapng
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Output", hide_short_help = true)]
    pub pcap: Option<PathBuf>,
    /// Replace an existing output file
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub force: bool,
    /// Ask at most N servers at once
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Limits", hide_short_help = true)]
    pub parallel: u16,
    /// Change a limit of memory; `netkit fields` lists them, N may end in K, M, G
    #[arg(long, value_name = "NAME=N", value_parser = limit, help_heading = "Limits", hide_short_help = true)]
    pub limit: Vec<String>,
}

/// Checks a player's name, as engines accept it.
fn player(text: &str) -> Result<String, String> {
    match text.is_ascii() && (1..=16).contains(&text.len()) && !text.chars().any(|c| c.is_ascii_control()) {
        true => Ok(text.into()),
        false => Err("expected 1 to 16 ASCII characters".into()),
    }
}

/// The transports of a probe.
const TRANSPORTS: [Allowed<Carrier>; 3] =
    [("udp", Carrier::Udp, "UDP"), ("tcp", Carrier::Tcp, "TCP"), ("ws", Carrier::Ws, "WebSocket")];

const PROBE: &str = "\
Examples:
  netkit probe game.example:7777               which protocol, version, round trip
  netkit probe game.example:7777 -p riptide -n 20 --interval 500ms
  netkit probe [2001:db8::1]:7777 -p riptide --transport tcp
  netkit probe ws://game.example:3250/nano -p nano -v   every message as a tree
  netkit probe game.example -p dnp --connect --pcap exchange.pcap
  netkit probe game.example:7777 --max-time 5s    no longer, whatever it sends
  netkit probe game.example:7777 -p riptide --connect-data text:secret
  netkit probe --targets servers.txt -p riptide -f ndjson |
      jq -r 'select(.outcome)|[.target,.outcome]|@tsv'
  netkit probe --targets servers.txt --every 60s --textfile /var/lib/node_exporter/game.prom
  netkit probe game.example:7777 -p riptide -f nagios

netkit asks a server a few times, as the server's own client would, and closes its session \
properly, even after Ctrl-C (`netkit help output` names servers that still keep a socket). It \
completes the handshakes of riptide and nano; dnp and gne create a player only with --connect. \
Jitter is the mean difference between consecutive round trips.

Outcomes: ok, resolve_failed, no_route, refused, silent, other_protocol, other_version, \
rejected, full, pending, closed, broken, timed_out (--max-time), interrupted, failed. The exit \
status is 0 if all servers answered, 1 if not, 130 after Ctrl-C (with --every: 0).";
