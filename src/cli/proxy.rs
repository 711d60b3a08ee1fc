//! The options of `netkit proxy`.

use super::forms::{Format, one_of, relayed};
use super::names::{proto, protocol_file, setting};
use super::shared::{limit, port};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use netkit::codec::digits;
use netkit::duration::between;
use netkit::live::proxy::Impairments;
use std::path::PathBuf;
use std::time::Duration;

/// `netkit proxy`.
#[derive(Args, Debug)]
#[command(after_help = PROXY)]
pub struct Proxy {
    /// Where clients come: :PORT is on this machine alone, ADDR:PORT where that address is
    #[arg(value_name = "LISTEN", value_parser = listen)]
    pub listen: std::net::SocketAddr,
    /// Where they are brought: HOST:PORT
    #[arg(value_name = "TARGET")]
    pub target: netkit::live::net::Target,
    /// Datagrams or streams alone; default: both, or what the other options are for
    #[arg(long, value_enum, value_name = "T")]
    pub transport: Option<ProxyTransport>,
    /// What is done to the directions.
    #[command(flatten)]
    pub ways: Ways,
    /// Impairments by a timetable: lines as 'from 10s to 20s: loss 5%/4, up delay 80ms'
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub profile: Option<PathBuf>,
    /// Delay above the minimum, losses and their rows, order: as this capture had them
    #[arg(long, value_name = "CAPTURE", value_hint = clap::ValueHint::FilePath)]
    pub like: Option<PathBuf>,
    /// Do something to messages that fit; may be given several times
    #[arg(long, value_name = "EXPR: [after N] [once] ACTION, ..")]
    pub on: Vec<String>,
    /// Rules as those of --on, one a line, `#` before what is none; read again when the file changes, and on SIGHUP
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub rules: Option<PathBuf>,
    /// Exit with status 1 when rules did so often, or so rarely, what they should: 'not_applied > 0'
    #[arg(long, value_name = "FIGURE>N")]
    pub fail_on: Vec<netkit::live::rules::Bound>,
    /// Which packets are lost, late, changed: the same number, the same ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Form of the output
    #[arg(short, long, default_value = "summary", value_parser = one_of(relayed()), value_name = "F")]
    pub format: Format,
    /// csv, tsv and summary: these columns, as for decode
    #[arg(long, value_name = "A,B.C", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Record both legs, with what was done to each packet as its comment (pcapng). A name in .pcapng: its
    /// messages, too, as decode -f pcapng has them
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub pcap: Option<PathBuf>,
    /// Replace the output file where there is one
    #[arg(long)]
    pub force: bool,
    /// The most clients at once
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub clients: u32,
    /// A client that is silent for so long has gone (datagrams)
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = idle)]
    pub idle: Duration,
    /// The protocol; default: recognise it
    #[arg(short, long, value_name = "P", value_parser = proto())]
    pub proto: Option<String>,
    /// A protocol that a file describes (TOML); may be given several times
    #[arg(long, value_name = "FILE", env = "NETKIT_PROTOCOLS", value_parser = protocol_file(), value_delimiter = crate::platform::LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath)]
    pub protocol_file: Vec<PathBuf>,
    /// A setting of a protocol, as `netkit fields PROTO` lists them
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = setting(), hide_possible_values = true)]
    pub set: Vec<String>,
    /// The layouts of your game's payloads (TOML)
    #[arg(long, value_name = "FILE", env = "NETKIT_SCHEMA", value_delimiter = crate::platform::LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath)]
    pub schema: Vec<PathBuf>,
    /// Which protocol a port carries, as 7000=riptide
    #[arg(long, value_name = "PORT=P", value_parser = port)]
    pub port: Vec<(u16, String)>,
    /// Another bound for memory: `netkit fields` lists them; N may end in K, M, G
    #[arg(long, value_name = "NAME=N", value_parser = limit)]
    pub limit: Vec<String>,
}

/// Which transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProxyTransport {
    /// UDP.
    Udp,
    /// TCP, and what it carries.
    Tcp,
}

/// What is done to either direction: the options that follow `--up` or `--down` are for that one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ways(pub Box<[Impairments; 2]>);

/// Name, value name, help. They stand in the order in which they are printed.
const KNOBS: [(&str, &str, &str); 13] = [
    ("delay", "TIME", "Delay everything by this time"),
    ("jitter", "TIME", "And by a random time more, exponential with this mean; in order"),
    ("jitter-reorder", "TIME", "As --jitter, but each datagram for itself: they overtake each other"),
    ("loss", "P%[/BURST]", "Datagrams are lost: each for itself, or BURST in a row on average"),
    ("duplicate", "P%", "Datagrams come twice"),
    ("reorder", "P%", "Datagrams come after the one that follows"),
    ("corrupt", "P%", "Flip one bit of this share of datagrams, or of a stream's pieces"),
    ("outage", "TIME/EVERY", "Nothing passes for 2s in every 30s, as 2s/30s; a stream waits"),
    ("rate", "RATE", "At most 64kbit, 1.5mbit, 1gbit a second on the wire, headers included"),
    ("rate-payload", "RATE", "As --rate, but without the IP, UDP and TCP headers"),
    ("stall", "P%/TIME", "Streams: delay this share of all pieces, and what follows meanwhile, as after a loss"),
    ("reset", "P%", "Streams: this share of all pieces resets the connection"),
    ("network", "NAME", "As on wifi, lte, 3g, satellite, bad: `netkit help impairments` has their figures"),
];
const TURNS: [(&str, &str); 3] = [
    ("up", "The impairments that follow are for what clients send"),
    ("down", "The impairments that follow are for what the server sends"),
    ("both", "The impairments that follow are for both directions, as those in front are"),
];

impl Args for Ways {
    fn augment_args(command: Command) -> Command {
        let turns = TURNS.iter().map(|(name, help)| {
            // A flag of which every place counts.
            Arg::new(*name).long(*name).help(*help).action(ArgAction::Append).num_args(0).default_missing_value("yes")
        });
        let knobs = KNOBS.iter().map(|(name, value, help)| {
            let check = move |text: &str| Impairments::default().set(name, text).map(|()| text.to_string());
            Arg::new(*name).long(*name).value_name(*value).help(*help).action(ArgAction::Append).value_parser(check)
        });
        command.args(turns).args(knobs)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Ways::augment_args(command)
    }
}

impl FromArgMatches for Ways {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Ways, clap::Error> {
        let mut list: Vec<(usize, &str, Option<&String>)> = Vec::new();
        for (name, _) in TURNS {
            list.extend(matches.indices_of(name).into_iter().flatten().map(|at| (at, name, None)));
        }
        for (name, ..) in KNOBS {
            let values = matches.get_many::<String>(name).into_iter().flatten();
            let places = matches.indices_of(name).into_iter().flatten();
            list.extend(places.zip(values).map(|(at, value)| (at, name, Some(value))));
        }
        list.sort_unstable_by_key(|(at, ..)| *at);
        let wrong = |what: String| clap::Error::raw(clap::error::ErrorKind::ValueValidation, what);
        // Whoever writes --loss 5% --up means something else than what would be done.
        let mut next = list.iter().skip(1).map(|(.., value)| value.is_some());
        if let Some((_, name, _)) = list.iter().find(|(.., value)| !next.next().unwrap_or(false) && value.is_none()) {
            return Err(wrong(format!("--{name}: no impairment follows it, and it is for those that do")));
        }
        let (mut ways, mut turn) = (Ways::default(), [true; 2]);
        for (_, name, value) in list {
            match (name, value) {
                ("up", _) => turn = [true, false],
                ("down", _) => turn = [false, true],
                (_, None) => turn = [true; 2],
                (name, Some(value)) => {
                    for (impairments, _) in ways.0.iter_mut().zip(turn).filter(|(_, is)| *is) {
                        impairments.set(name, value).map_err(wrong)?;
                    }
                }
            }
        }
        Ok(ways)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Ways::from_arg_matches(matches)?;
        Ok(())
    }
}

fn listen(text: &str) -> Result<std::net::SocketAddr, String> {
    let wrong = || format!("{text:?}: expected :PORT or ADDR:PORT, as :7777, 0.0.0.0:7777 or [::1]:7777");
    match text.strip_prefix(':').filter(|port| !port.contains(':')) {
        Some(port) => {
            let port: u16 = digits::unsigned(port).ok_or_else(wrong)?;
            Ok(std::net::SocketAddr::from(([127, 0, 0, 1], port)))
        }
        None => text.parse().map_err(|_| wrong()),
    }
}

fn idle(text: &str) -> Result<Duration, String> {
    between(text, Duration::from_secs(1), Duration::from_secs(86_400))
}

const PROXY: &str = "\
Examples:
  netkit proxy :7777 192.0.2.7:7777                              see what is said, change nothing
  netkit proxy :7777 192.0.2.7:7777 --delay 60ms --jitter 15ms --loss 2%/4 --pcap run.pcapng
  netkit proxy :7777 192.0.2.7:7777 --network lte --down --rate 2mbit
  netkit proxy :7777 192.0.2.7:7777 --up --loss 5% --down --delay 200ms
  netkit proxy :7777 192.0.2.7:7777 -p riptide --on 'message == ack and from == server: drop 30%' \\
      --on 'message == heartbeat: delay 400ms' --on 'message_id == 7: payload=00ff'
  netkit proxy :7777 192.0.2.7:7777 -f ndjson | jq 'select(.outcome == \"lost\")'

LISTEN is UDP and TCP. Clients are told LISTEN in place of the server. Without impairments and rules all bytes pass as \
they are, in their order; half-closes and resets are passed on. Loss, copies and another order are for datagrams: a \
stream's bytes come all, once and in order. What is lost, copied or changed of a direction follows from seed, \
client and the packet's number alone. In streams rules act on whole messages (`netkit help rules`); more in `netkit help impairments`. Ctrl-C ends it, with the counts and status 0.";
