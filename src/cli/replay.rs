//! The options of `netkit replay`.

use super::forms::{self, Form, one_of};
use super::names::{filter, proto, setting};
use super::shared::{Legs, limit, port, role};
use clap::Args;
use netkit::dissect::{Role, Server};
use netkit::duration::between;
use std::path::PathBuf;
use std::time::Duration;

/// `netkit replay`.
#[derive(Args, Debug)]
#[command(after_help = REPLAY)]
pub struct Replay {
    /// A capture; `-` is stdin
    #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Read several files as one capture, in the order of their first frames: rotated files
    #[arg(long)]
    pub join: bool,
    /// Go to this peer: HOST:PORT, [IPV6]:PORT, ws://HOST:PORT/PATH
    #[arg(long, value_name = "HOST:PORT", required_unless_present_any = ["listen", "list", "dry_run"], conflicts_with = "listen")]
    pub to: Option<netkit::live::net::Target>,
    /// Wait for a peer here; port 0: any
    #[arg(long, value_name = "ADDR:PORT")]
    pub listen: Option<std::net::SocketAddr>,
    /// List the conversations that can be played, and do nothing else
    #[arg(long, conflicts_with_all = ["to", "listen"])]
    pub list: bool,
    /// Play the conversation of that number; default: the only one
    #[arg(long, value_name = "N")]
    pub flow: Option<u64>,
    /// Of a proxy's recording, this leg [default: client]
    #[arg(long, value_enum, value_name = "LEG")]
    pub leg: Option<Legs>,
    /// Which side is played [default: client with --to, server with --listen]
    #[arg(long, value_name = "client|server", value_parser = role)]
    pub from: Option<Role>,
    /// How many times as fast as captured
    #[arg(long, value_name = "X", default_value = "1", value_parser = speed, conflicts_with = "asap")]
    pub speed: f64,
    /// As fast as the peer allows
    #[arg(long)]
    pub asap: bool,
    /// No pause is longer, as 1s or 200ms
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_gap: Option<Duration>,
    /// How many sessions, one after the other
    #[arg(long = "loop", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub times: u32,
    /// Play so many sessions at once, each with ids of its own, and tell how the server bears it: how
    /// many connect, are refused and dropped, and how long it takes to answer
    #[arg(long, value_name = "N", requires = "to", value_parser = clap::value_parser!(u32).range(1..=100_000),
        conflicts_with_all = ["list", "dry_run", "expect", "pcap", "times", "from"])]
    pub clients: Option<u32>,
    /// With --clients: so many begin each second, as 50/s
    #[arg(long, value_name = "RATE", default_value = "50/s", value_parser = per_second, requires = "clients")]
    pub ramp: f64,
    /// With --clients, which is then the most at once: sessions begin at rates that are reached one after
    /// the other, as 10/s:30s,100/s:1m,0:10s
    #[arg(long, value_name = "RATE:TIME,..", requires = "clients", conflicts_with_all = ["ramp", "lasting"])]
    pub stages: Option<netkit::live::load::Stages>,
    /// With --clients: sessions that end are followed by new ones, for so long [default: one each]
    #[arg(long = "for", value_name = "TIME", value_parser = duration, requires = "clients")]
    pub lasting: Option<Duration>,
    /// With --clients: exit with status 1 when a figure is beyond that, as 'p99>200ms', 'dropped>1%',
    /// 'connected<1000'; may be given several times
    #[arg(long, value_name = "FIGURE>AMOUNT", requires = "clients")]
    pub fail_on: Vec<netkit::live::load::Bound>,
    /// The peer may be in a network that is not private
    #[arg(long, requires = "to")]
    pub allow_public: bool,
    /// Leave out everything behind this frame
    #[arg(long, value_name = "FRAME")]
    pub until: Option<u64>,
    /// How long the peer may take where the protocol needs its answer
    #[arg(short = 'W', long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub timeout: Duration,
    /// How long a session may take in all, whatever the peer sends; default: as long as the recording
    /// at this speed, and 30s (with --asap 30s), or -W where that is longer
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_time: Option<Duration>,
    /// Change messages that fit; may be given several times
    #[arg(long, value_name = "EXPR: [after N] [once] ACTION, ..")]
    pub edit: Vec<String>,
    /// Leave out messages that fit; may be given several times
    #[arg(long, value_name = "EXPR", value_parser = filter(), hide_possible_values = true)]
    pub drop: Vec<String>,
    /// Which messages `drop P%` leaves out: another number, others
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Print what would be sent, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Say also what may harm the peer: broken and empty messages
    #[arg(long)]
    pub allow_dangerous: bool,
    /// Exit with status 1 when the peer diverges from the capture
    #[arg(long)]
    pub expect: bool,
    /// Compare only the peer's messages that match, as 'message != push'
    #[arg(short = 'F', long, value_name = "EXPR", value_parser = filter(), hide_possible_values = true, conflicts_with = "clients")]
    pub filter: Option<String>,
    /// Form of the report
    #[arg(short, long, default_value = "text", value_parser = one_of(forms::REPLAY), value_name = "F")]
    pub format: Form,
    /// Record the exchange as a capture: pcap. A name in .pcapng: pcapng, with its messages as comments
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub pcap: Option<PathBuf>,
    /// Replace the output file where there is one
    #[arg(long)]
    pub force: bool,
    /// The protocol; default: recognise it
    #[arg(short, long, value_name = "P", value_parser = proto())]
    pub proto: Option<String>,
    /// A setting of a protocol, as `netkit fields PROTO` lists them
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = setting(), hide_possible_values = true)]
    pub set: Vec<String>,
    /// The layouts of your game's payloads (TOML), for --edit
    #[arg(long, value_name = "FILE", env = "NETKIT_SCHEMA", value_delimiter = crate::platform::LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath)]
    pub schema: Vec<PathBuf>,
    /// Which protocol a port carries, as 7000=riptide
    #[arg(long, value_name = "PORT=P", value_parser = port)]
    pub port: Vec<(u16, String)>,
    /// The captured server's address, where ports cannot tell
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub server: Option<Server>,
    /// Another bound for memory: `netkit fields` lists them; N may end in K, M, G
    #[arg(long, value_name = "NAME=N", value_parser = limit)]
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
      --edit 'riptide.message_id == 7: position.x=10' --drop 'message == notify'
  netkit replay game.pcap --to 127.0.0.1:7777 --clients 500 --ramp 50/s --for 30s --fail-on 'p99>200ms'
  netkit replay game.pcap --to 127.0.0.1:7777 --edit 'message == request: after 5 once delay 2s' \\
      --edit 'message == notify: drop 30%' --edit 'message_id == 9: name=\"A b\", team=3'

--edit and --drop follow one grammar (`netkit help rules`): drop [P%], delay TIME, duplicate, FIELD=VALUE, with commas \
between. All is checked and written before the first packet; what cannot be as it is written, or what the live session \
decides itself, is refused. --dry-run shows the bytes; the live session's own numbers may differ in them.

Ids, numbers, ports and byte orders that the peer decides are taken from its answers; \
acknowledgements and heartbeats are made live; recorded resends are not repeated. Messages that may harm a server (broken, cut, \
empty) are refused. The session is left politely, also after Ctrl-C.";

fn per_second(text: &str) -> Result<f64, String> {
    match text.strip_suffix("/s").unwrap_or(text).parse::<f64>() {
        Ok(x) if (0.001..=1e5).contains(&x) => Ok(x),
        _ => Err("expected sessions a second from 0.001/s to 100000/s".into()),
    }
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if (0.001..=1e6).contains(&x) => Ok(x),
        _ => Err("expected a number from 0.001 to 1000000".into()),
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    between(text, Duration::ZERO, Duration::from_secs(86_400))
}
