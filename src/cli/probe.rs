//! The options of `netkit probe`.

use super::forms::{self, Form, one_of};
use super::names::{proto, protocol_file, setting};
use super::shared::limit;
use crate::platform::LIST_SEPARATOR;
use clap::{Args, ValueEnum};
use netkit::duration::between;
use netkit::live::probe::ConnectData;
use std::path::PathBuf;
use std::time::Duration;

/// `netkit probe`.
#[derive(Args, Debug)]
#[command(after_help = PROBE)]
pub struct Probe {
    /// Servers: HOST:PORT, [IPV6]:PORT, ws://HOST:PORT/PATH; HOST alone with --proto
    #[arg(value_name = "HOST:PORT", required_unless_present = "targets")]
    pub target: Vec<String>,
    /// More servers, one a line: [LABEL=VALUE..] HOST:PORT [PROTOCOL]; `#` begins a comment; `-` is
    /// stdin
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub targets: Option<PathBuf>,
    /// The protocol; default: try all of them, in an order that harms none
    #[arg(short, long, value_name = "P", value_parser = proto())]
    pub proto: Option<String>,
    /// A protocol that a file describes (TOML), whose [probe] says what is asked; without -p only
    /// those of such files are asked
    #[arg(long, value_name = "FILE", env = "NETKIT_PROTOCOLS", value_parser = protocol_file(), value_delimiter = crate::platform::LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath)]
    pub protocol_file: Vec<PathBuf>,
    /// Only over this transport; default: what the protocol has, one after the other
    #[arg(long, value_enum, value_name = "T")]
    pub transport: Option<ProbeTransport>,
    /// A setting of a protocol, as `netkit fields PROTO` lists them: riptide.version=2.0
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = setting(), hide_possible_values = true)]
    pub set: Vec<String>,
    /// How many round trips to measure
    #[arg(short = 'n', long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub samples: u32,
    /// From one to the next
    #[arg(short, long, value_name = "TIME", default_value = "200ms", value_parser = interval)]
    pub interval: Duration,
    /// How long to wait for an answer, as 500ms, 5s or 1m30s; default: the protocol's own
    #[arg(short = 'W', long, value_name = "TIME", value_parser = timeout)]
    pub timeout: Option<Duration>,
    /// How long a server may take in all, whatever it sends; default: 30s, and what -n, -i and -W ask for
    #[arg(long, value_name = "TIME", value_parser = timeout)]
    pub max_time: Option<Duration>,
    /// dnp, gne: complete the handshake, which makes a player for a moment
    #[arg(long)]
    pub connect: bool,
    /// acknex: create an entity of this model for exact round trips, and remove it. Changes the
    /// running game
    #[arg(long, value_name = "MODEL")]
    pub create: Option<String>,
    /// acknex: the player's name to join with
    #[arg(long, value_name = "NAME", default_value = "netkit", value_parser = player)]
    pub name: String,
    /// riptide, nano: what the server's application expects of those who connect, a password or a
    /// token: hex, text:WORDS, or a JSON object (nano's "user"; riptide's by the schema of connect)
    #[arg(long, value_name = "DATA")]
    pub connect_data: Option<ConnectData>,
    /// The layouts of your game's payloads (TOML), connect, welcome and reject among them; may be given
    /// several times
    #[arg(long, value_name = "FILE", env = "NETKIT_SCHEMA", value_delimiter = LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath)]
    pub schema: Vec<PathBuf>,
    /// Form of the output
    #[arg(short, long, default_value = "text", value_parser = one_of(forms::PROBE), value_name = "F")]
    pub format: Form,
    /// Ask again and again: from the beginning of one round to that of the next; until Ctrl-C
    #[arg(long, value_name = "TIME", value_parser = every)]
    pub every: Option<Duration>,
    /// Write -f prometheus into this file, beside it and then renamed: for node_exporter's textfile
    /// collector, NAME.prom
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub textfile: Option<PathBuf>,
    /// Record the exchange as a capture: pcap. A name in .pcapng: pcapng, with its messages as comments
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub pcap: Option<PathBuf>,
    /// Replace the output file where there is one
    #[arg(long)]
    pub force: bool,
    /// How many servers are asked at once
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub parallel: u16,
    /// Another bound for memory: `netkit fields` lists them; N may end in K, M, G
    #[arg(long, value_name = "NAME=N", value_parser = limit)]
    pub limit: Vec<String>,
}

fn interval(text: &str) -> Result<Duration, String> {
    between(text, Duration::from_millis(20), Duration::from_secs(60))
}

fn every(text: &str) -> Result<Duration, String> {
    between(text, Duration::from_millis(100), Duration::from_secs(86_400))
}

fn timeout(text: &str) -> Result<Duration, String> {
    between(text, Duration::from_millis(10), Duration::from_secs(600))
}

/// A player's name as engines take it.
fn player(text: &str) -> Result<String, String> {
    match text.is_ascii() && (1..=16).contains(&text.len()) && !text.chars().any(|c| c.is_ascii_control()) {
        true => Ok(text.into()),
        false => Err("expected 1 to 16 ASCII characters".into()),
    }
}

/// What a probe goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProbeTransport {
    /// UDP.
    Udp,
    /// TCP.
    Tcp,
    /// WebSocket.
    Ws,
}

const PROBE: &str = "\
Examples:
  netkit probe game.example:7777               which protocol, version, how far
  netkit probe game.example:7777 -p riptide -n 20 -i 0.5
  netkit probe [2001:db8::1]:7777 -p riptide --transport tcp
  netkit probe ws://game.example:3250/nano -p nano -v   every message as a tree
  netkit probe game.example -p dnp --connect --pcap exchange.pcap
  netkit probe game.example:7777 --max-time 5s    no longer, whatever it sends
  netkit probe game.example:7777 -p riptide --connect-data text:secret
  netkit probe --targets servers.txt -p riptide -f ndjson |
      jq -r 'select(.outcome)|[.target,.outcome]|@tsv'
  netkit probe --targets servers.txt --every 60s --textfile /var/lib/node_exporter/game.prom
  netkit probe game.example:7777 -p riptide -f nagios

A server is asked as its own client would ask, a few times, and left properly, also on Ctrl-C. \
riptide's and nano's handshakes are completed; dnp and gne make no player without --connect. \
Jitter is the mean difference between one round trip and the next.

Outcomes: ok, resolve_failed, no_route, refused, silent, other_protocol, other_version, rejected, \
full, pending, closed, broken, timed_out (--max-time), interrupted, failed. Exit status 0 when all servers answered, \
1 otherwise, 130 after Ctrl-C (with --every: 0).";
