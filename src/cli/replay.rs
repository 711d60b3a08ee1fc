//! The options of `netkit replay`.

use super::forms::{self, Form, one_of};
use super::help::Tasks;
use super::names::{filter, proto, protocol_file, setting};
use super::shared::{Legs, limit, port, role};
use super::times::{DAY, seconds, time};
use crate::dissect::{Role, Server};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// `netkit replay`.
#[derive(Args, Debug)]
#[command(tasks = REPLAY)]
pub struct Replay {
    /// A capture; `-` is stdin
    #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Read rotated files as one capture, in the order of their first frames
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    pub join: bool,
    /// Send to this peer: HOST:PORT, [IPV6]:PORT, ws://HOST:PORT/PATH
    #[arg(long, value_name = "HOST:PORT", required_unless_present_any = ["listen", "list", "dry_run"], conflicts_with = "listen", help_heading = "Session")]
    pub to: Option<crate::live::net::Target>,
    /// Wait for a peer at this address; with port 0 the system chooses one
    #[arg(long, value_name = "ADDR:PORT", help_heading = "Session")]
    pub listen: Option<std::net::SocketAddr>,
    /// List the conversations that can be played, and do nothing else
    #[arg(long, conflicts_with_all = ["to", "listen"], help_heading = "Session")]
    pub list: bool,
    /// Select the conversation of this number; default: the only one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Selection")]
    pub flow: Option<u64>,
    /// Select one leg of a proxy's recording; default: client
    #[arg(long, value_enum, value_name = "LEG", help_heading = "Selection", hide_short_help = true)]
    pub leg: Option<Legs>,
    /// Set which side is played; default: client with --to, server with --listen
    #[arg(long, value_name = "client|server", value_parser = role, help_heading = "Selection", hide_short_help = true)]
    pub from: Option<Role>,
    /// Play this many times as fast as captured
    #[arg(long, value_name = "X", default_value = "1", value_parser = speed, conflicts_with = "asap", help_heading = "Session", hide_short_help = true)]
    pub speed: f64,
    /// Play as fast as the peer allows
    #[arg(long, help_heading = "Session", hide_short_help = true)]
    pub asap: bool,
    /// Shorten pauses longer than this to this time, as 1s or 200ms
    #[arg(long, value_name = "TIME", value_parser = time(Duration::ZERO, DAY), help_heading = "Session", hide_short_help = true)]
    pub max_gap: Option<Duration>,
    /// Play N sessions, one after the other
    #[arg(long = "loop", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Session", hide_short_help = true)]
    pub times: u32,
    /// Play N sessions at once, and report how the server handles them
    ///
    /// Each session has its own ids. The report has the counts of sessions that connected, were refused or dropped, and the
    /// server's response times.
    #[arg(long, value_name = "N", requires = "to", value_parser = clap::value_parser!(u32).range(1..=100_000),
        conflicts_with_all = ["list", "dry_run", "expect", "pcap", "times", "from"], help_heading = "Load")]
    pub clients: Option<u32>,
    /// Begin this many sessions each second, with --clients
    #[arg(long, value_name = "RATE", default_value = "50/s", value_parser = per_second, requires = "clients", help_heading = "Load", hide_short_help = true)]
    pub ramp: f64,
    /// Change the rate of new sessions evenly to each of these: 10/s:30s,100/s:1m,0:10s
    ///
    /// The first stage starts at 0. --clients N is the largest number of sessions at once.
    #[arg(long, value_name = "RATE:TIME,..", requires = "clients", conflicts_with_all = ["ramp", "lasting"], help_heading = "Load", hide_short_help = true)]
    pub stages: Option<crate::live::load::Stages>,
    /// Replace sessions that end, for this long; default: each is played once
    #[arg(long = "for", value_name = "TIME", value_parser = time(Duration::ZERO, DAY), requires = "clients", help_heading = "Load", hide_short_help = true)]
    pub lasting: Option<Duration>,
    /// Exit with status 1 when a figure of --clients is out of bounds: 'p99>200ms'
    ///
    /// Other limits are 'dropped>1%' and 'connected<1000'; may be repeated.
    #[arg(long, value_name = "LIMIT", requires = "clients", help_heading = "Checks", hide_short_help = true)]
    pub fail_on: Vec<crate::live::load::Bound>,
    /// Allow a peer in a network that is not private
    #[arg(long, requires = "to", help_heading = "Limits", hide_short_help = true)]
    pub allow_public: bool,
    /// Leave out everything after this frame
    #[arg(long, alias = "until", value_name = "FRAME", help_heading = "Selection", hide_short_help = true)]
    pub last_frame: Option<u64>,
    /// Wait this long for an answer that the protocol needs
    #[arg(short = 'W', long, value_name = "TIME", default_value = "5s", value_parser = seconds(Duration::ZERO, DAY), help_heading = "Limits", hide_short_help = true)]
    pub timeout: Duration,
    /// End a session after this long, whatever the peer sends
    ///
    /// Default: the recording's time at this speed (0 with --asap), plus the longer of 30s and -W.
    #[arg(long, value_name = "TIME", value_parser = seconds(Duration::ZERO, DAY), help_heading = "Limits", hide_short_help = true)]
    pub max_time: Option<Duration>,
    /// Act on matching messages; may be repeated
    #[arg(
        long,
        alias = "edit",
        value_name = "EXPR: [after N] [once] ACTION, ..",
        help_heading = "Rules",
        hide_short_help = true
    )]
    pub on: Vec<String>,
    /// The older form of --on 'EXPR: drop'
    #[arg(long, value_name = "EXPR", value_parser = filter(), hide_possible_values = true, hide = true)]
    pub drop: Vec<String>,
    /// Choose which messages `drop P%` drops: the same number drops the same ones
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Rules", hide_short_help = true)]
    pub seed: u64,
    /// Print what would be sent, and send nothing
    #[arg(long, help_heading = "Session")]
    pub dry_run: bool,
    /// Send messages that may harm the peer, too: broken and empty ones
    #[arg(long, help_heading = "Limits", hide_short_help = true)]
    pub allow_dangerous: bool,
    /// Exit with status 1 when the peer diverges from the capture
    #[arg(long, help_heading = "Checks")]
    pub expect: bool,
    /// Select the peer's messages that are compared, as 'message != push'
    #[arg(short = 'F', long, value_name = "EXPR", value_parser = filter(), hide_possible_values = true, conflicts_with = "clients", help_heading = "Checks", hide_short_help = true)]
    pub filter: Option<String>,
    /// Choose the form of the output
    #[arg(short, long, default_value = "text", value_parser = one_of(forms::REPLAY), value_name = "F", help_heading = "Output", hide_short_help = true)]
    pub format: Form,
    /// Record the exchange: pcap, or pcapng with its messages if FILE ends in .pcapng
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Output", hide_short_help = true)]
    pub pcap: Option<PathBuf>,
    /// Replace an existing output file
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub force: bool,
    /// Set the protocol, or the file that describes it, instead of recognising it
    #[arg(short, long, value_name = "P", value_parser = proto(), help_heading = "Protocol")]
    pub proto: Option<String>,
    /// Load a protocol that a file describes (TOML); may be repeated
    #[arg(long, value_name = "FILE", env = "NETKIT_PROTOCOLS", value_parser = protocol_file(), value_delimiter = crate::platform::LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath, help_heading = "Protocol", hide_short_help = true)]
    pub protocol_file: Vec<PathBuf>,
    /// Change a setting of a protocol, as `netkit fields PROTO` lists them
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = setting(), hide_possible_values = true, help_heading = "Protocol", hide_short_help = true)]
    pub set: Vec<String>,
    /// Load the layouts of your game's payloads (TOML), for --on
    #[arg(long, value_name = "FILE", env = "NETKIT_SCHEMA", value_parser = protocol_file(), value_delimiter = crate::platform::LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath, help_heading = "Protocol", hide_short_help = true)]
    pub schema: Vec<PathBuf>,
    /// Name the protocol of a port, as 7000=riptide
    #[arg(long, value_name = "PORT=P", value_parser = port, help_heading = "Protocol", hide_short_help = true)]
    pub port: Vec<(u16, String)>,
    /// Name the captured server's address, if ports do not show it
    #[arg(long, value_name = "ADDR[:PORT]", help_heading = "Protocol", hide_short_help = true)]
    pub server: Option<Server>,
    /// Change a limit of memory; `netkit fields` lists them, N may end in K, M, G
    #[arg(long, value_name = "NAME=N", value_parser = limit, help_heading = "Limits", hide_short_help = true)]
    pub limit: Vec<String>,
}

const REPLAY: &str = "\
Examples:
  netkit replay game.pcap --list
  netkit replay game.pcap --dry-run
  netkit replay game.pcap --flow 2 --to 127.0.0.1:7777     the client's side
  netkit replay game.pcap --to 127.0.0.1:7777 --asap --expect
  netkit replay game.pcap --listen 127.0.0.1:7777          the server's side
  netkit replay game.pcap --to ws://127.0.0.1:3010/ --speed 2 --max-gap 1s
  netkit replay game.pcap --to 127.0.0.1:7777 --max-time 1m        whatever it sends
  netkit replay game.pcap --to 127.0.0.1:7777 --schema game.toml \\
      --on 'riptide.message_id == 7: position.x=10' --on 'message == notify: drop'
  netkit replay game.pcap --to 127.0.0.1:7777 --clients 500 --ramp 50/s --for 30s --fail-on 'p99>200ms'
  netkit replay game.pcap --to 127.0.0.1:7777 --on 'message == request: after 5 once delay 2s' \\
      --on 'message == notify: drop 30%' --on 'message_id == 9: name=\"A b\", team=3'

--on takes rules (`netkit help rules`): drop [P%], delay TIME, duplicate, FIELD=VALUE, separated \
by commas. netkit checks and encodes all edits before the first packet, and refuses an edit that \
cannot be encoded or that the live session would undo. --dry-run shows the bytes; ids and \
numbers of the live session may differ.

netkit takes ids, numbers, ports and byte orders from the live peer's answers, makes \
acknowledgements and heartbeats live, and does not repeat recorded resends. It refuses messages \
that may harm a server (broken, truncated, empty), and closes the session properly, even after \
Ctrl-C.";

fn per_second(text: &str) -> Result<f64, String> {
    match text.strip_suffix("/s").unwrap_or(text).parse::<f64>() {
        Ok(x) if (0.001..=1e5).contains(&x) => Ok(x),
        _ => Err("expected sessions per second from 0.001/s to 100000/s".into()),
    }
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if (0.001..=1e6).contains(&x) => Ok(x),
        _ => Err("expected a number from 0.001 to 1000000".into()),
    }
}
