//! The options of `netkit proxy`.

use super::forms::{Format, one_of, relayed};
use super::help::Tasks;
use super::interface::size;
use super::names::{network, proto, protocol_file, setting};
use super::shared::{limit, port};
use super::times::{DAY, MILLISECOND, SECOND, time};
use crate::codec::digits;
use crate::live::proxy::Impairments;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// `netkit proxy`.
#[derive(Args, Debug)]
#[command(tasks = PROXY)]
pub struct Proxy {
    /// Listen for clients here: :PORT on this machine alone, ADDR:PORT on that address
    #[arg(value_name = "LISTEN", value_parser = listen)]
    pub listen: std::net::SocketAddr,
    /// Forward to this server: HOST:PORT
    #[arg(value_name = "TARGET")]
    pub target: crate::live::net::Target,
    /// Use only this transport: relay datagrams or streams
    ///
    /// Default: both, or the one that the impairments are for.
    #[arg(long, value_enum, value_name = "T", help_heading = "Session", hide_short_help = true)]
    pub transport: Option<ProxyTransport>,
    /// The impairments of each direction.
    #[command(flatten)]
    pub directions: Directions,
    /// Read a timetable of impairments from a file
    ///
    /// A line is 'from 10s to 20s: loss 5%/4, up delay 80ms'.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Impairments", hide_short_help = true)]
    pub profile: Option<PathBuf>,
    /// Impair packets as in this capture: delay, bursts of losses, reordering
    ///
    /// The delay is what the capture's delays exceed the shortest one by.
    #[arg(long, value_name = "CAPTURE", value_hint = clap::ValueHint::FilePath, help_heading = "Impairments", hide_short_help = true)]
    pub like: Option<PathBuf>,
    /// Act on matching messages; may be repeated
    #[arg(long, value_name = "EXPR: [after N] [once] ACTION, ..", help_heading = "Rules")]
    pub on: Vec<String>,
    /// Read rules like those of --on from a file, one on each line
    ///
    /// `#` begins a comment. The file is read again when it changes, and on SIGHUP.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Rules", hide_short_help = true)]
    pub rules: Option<PathBuf>,
    /// Exit with status 1 when rules acted too often or too rarely: 'not_applied > 0'
    #[arg(long, value_name = "LIMIT", help_heading = "Checks", hide_short_help = true)]
    pub fail_on: Vec<crate::live::rules::Bound>,
    /// Choose which packets are impaired: the same number impairs the same ones
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Impairments", hide_short_help = true)]
    pub seed: u64,
    /// Show the messages on the terminal, as netkit view; hold, edit and drop them
    #[arg(long, conflicts_with_all = ["format", "columns", "status"], help_heading = "Inspector")]
    pub view: bool,
    /// Hold matching messages until you pass, edit or drop them
    #[arg(long, value_name = "EXPR", requires = "view", help_heading = "Inspector", hide_short_help = true)]
    pub hold: Option<String>,
    /// Pass a held message after this time
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = time(SECOND, DAY), requires = "view", help_heading = "Inspector", hide_short_help = true)]
    pub hold_for: Duration,
    /// Hold at most N messages at once, and pass further ones
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000), requires = "view", help_heading = "Inspector", hide_short_help = true)]
    pub most_held: u32,
    /// Choose the form of the output
    #[arg(short, long, default_value = "summary", value_parser = one_of(relayed()), value_name = "F", help_heading = "Output")]
    pub format: Format,
    /// Choose the columns of csv, tsv and summary: time,src,message,message_id
    #[arg(long, value_name = "A,B.C", value_delimiter = ',', help_heading = "Output", hide_short_help = true)]
    pub columns: Vec<String>,
    /// Record both legs as pcapng, with each packet's outcome as its comment
    ///
    /// If the name ends in .pcapng, comments also have the messages, as with decode -f pcapng.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Output")]
    pub pcap: Option<PathBuf>,
    /// Begin another recording file before this one exceeds SIZE
    ///
    /// 500K, 20M, 1G. run.pcapng becomes run_00001.pcapng, run_00002.pcapng, ..
    #[arg(long, value_name = "SIZE", value_parser = size, requires = "pcap", help_heading = "Output", hide_short_help = true)]
    pub pcap_size: Option<u64>,
    /// Keep the last N files of --pcap-size and remove older ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), requires = "pcap_size", help_heading = "Output", hide_short_help = true)]
    pub pcap_files: Option<u32>,
    /// Print the counts so far on stderr at this interval; SIGUSR1 prints them once
    #[arg(long, value_name = "TIME", value_parser = time(100 * MILLISECOND, DAY), help_heading = "Output", hide_short_help = true)]
    pub status: Option<Duration>,
    /// Replace an existing output file
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub force: bool,
    /// Accept at most N clients at once
    #[arg(long, alias = "clients", value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = "Limits", hide_short_help = true)]
    pub most_clients: u32,
    /// Forget a UDP client that was silent for this long
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = time(SECOND, DAY), help_heading = "Limits", hide_short_help = true)]
    pub idle: Duration,
    /// Set the protocol, or the file that describes it, instead of recognising it
    #[arg(short, long, value_name = "P", value_parser = proto(), help_heading = "Protocol")]
    pub proto: Option<String>,
    /// Load a protocol that a file describes (TOML); may be repeated
    #[arg(long, value_name = "FILE", env = "NETKIT_PROTOCOLS", value_parser = protocol_file(), value_delimiter = crate::platform::LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath, help_heading = "Protocol", hide_short_help = true)]
    pub protocol_file: Vec<PathBuf>,
    /// Change a setting of a protocol, as `netkit fields PROTO` lists them
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = setting(), hide_possible_values = true, help_heading = "Protocol", hide_short_help = true)]
    pub set: Vec<String>,
    /// Load the layouts of your game's payloads (TOML); may be repeated
    #[arg(long, value_name = "FILE", env = "NETKIT_SCHEMA", value_parser = protocol_file(), value_delimiter = crate::platform::LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath, help_heading = "Protocol", hide_short_help = true)]
    pub schema: Vec<PathBuf>,
    /// Name the protocol of a port, as 7000=riptide
    #[arg(long, value_name = "PORT=P", value_parser = port, help_heading = "Protocol", hide_short_help = true)]
    pub port: Vec<(u16, String)>,
    /// Change a limit of memory; `netkit fields` lists them, N may end in K, M, G
    #[arg(long, value_name = "NAME=N", value_parser = limit, help_heading = "Limits", hide_short_help = true)]
    pub limit: Vec<String>,
}

impl Proxy {
    /// The form in which messages are printed.
    pub fn printed(&self) -> Format {
        if self.view { Format::None } else { self.format }
    }
}

/// The transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProxyTransport {
    /// UDP.
    Udp,
    /// TCP, and what it carries.
    Tcp,
}

/// The impairments of each direction. Options after `--up` or `--down` apply to that one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Directions(pub Box<[Impairments; 2]>);

/// Name, value name and help, in the order in which they are printed.
const KNOBS: [(&str, &str, &str); 13] = [
    ("delay", "TIME", "Delay everything by this time"),
    ("jitter", "TIME", "Add a random delay, exponential with this mean, and keep the order"),
    ("jitter-reorder", "TIME", "Add such a delay to each datagram alone, so that they overtake each other"),
    ("loss", "P%[/BURST]", "Lose this share of datagrams: each alone, or BURST in a row on average"),
    ("duplicate", "P%", "Duplicate this share of datagrams"),
    ("reorder", "P%", "Swap this share of datagrams with the next one"),
    ("corrupt", "P%", "Flip one bit of this share of datagrams, or of a stream's chunks"),
    ("outage", "TIME/EVERY", "Let nothing pass for a part of each period, as 2s/30s; a stream waits"),
    ("rate", "RATE", "Limit the bits per second, headers included: 64kbit, 1.5mbit, 1gbit"),
    ("rate-payload", "RATE", "Limit as --rate does, without the IP, UDP and TCP headers"),
    ("stall", "P%/TIME", "Delay this share of a stream's chunks, and what follows, as after a loss"),
    ("reset", "P%", "Reset the connection at this share of a stream's chunks"),
    ("network", "NAME", "Impair as wifi, lte, 3g, satellite or bad (`netkit help impairments`)"),
];
const TURNS: [(&str, &str); 3] = [
    ("up", "Apply the impairments that follow to what clients send"),
    ("down", "Apply the impairments that follow to what the server sends"),
    ("both", "Apply the impairments that follow to both directions (the default)"),
];
/// The heading of the impairments.
const HEADING: &str = "Impairments";
/// The impairments that short help shows.
const USUAL: [&str; 3] = ["delay", "loss", "network"];

impl Args for Directions {
    fn augment_args(command: Command) -> Command {
        let turns = TURNS.iter().map(|(name, help)| {
            // A flag whose every position matters.
            let flag = Arg::new(*name).long(*name).help(*help).action(ArgAction::Append).num_args(0);
            flag.default_missing_value("yes").help_heading(HEADING).hide_short_help(true)
        });
        let knobs = KNOBS.iter().map(|(name, value, help)| {
            let check = move |text: &str| Impairments::default().set(name, text).map(|()| text.to_string());
            let knob = Arg::new(*name).long(*name).value_name(*value).help(*help).action(ArgAction::Append);
            let knob = if *name == "network" { knob.value_parser(network()) } else { knob.value_parser(check) };
            knob.hide_possible_values(true).help_heading(HEADING).hide_short_help(!USUAL.contains(name))
        });
        command.args(turns).args(knobs)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Directions::augment_args(command)
    }
}

impl FromArgMatches for Directions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Directions, clap::Error> {
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
        // Users who write --loss 5% --up expect another effect.
        let mut next = list.iter().skip(1).map(|(.., value)| value.is_some());
        if let Some((_, name, _)) = list.iter().find(|(.., value)| !next.next().unwrap_or(false) && value.is_none()) {
            return Err(wrong(format!("--{name}: no impairment follows it: it is for the ones after it")));
        }
        let (mut directions, mut turn) = (Directions::default(), [true; 2]);
        for (_, name, value) in list {
            match (name, value) {
                ("up", _) => turn = [true, false],
                ("down", _) => turn = [false, true],
                (_, None) => turn = [true; 2],
                (name, Some(value)) => {
                    for (impairments, _) in directions.0.iter_mut().zip(turn).filter(|(_, is)| *is) {
                        impairments.set(name, value).map_err(wrong)?;
                    }
                }
            }
        }
        Ok(directions)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Directions::from_arg_matches(matches)?;
        Ok(())
    }
}

fn listen(text: &str) -> Result<std::net::SocketAddr, String> {
    let wrong = || format!("{text:?}: expected :PORT or ADDR:PORT, such as :7777, 0.0.0.0:7777 or [::1]:7777");
    match text.strip_prefix(':').filter(|port| !port.contains(':')) {
        Some(port) => {
            let port: u16 = digits::unsigned(port).ok_or_else(wrong)?;
            Ok(std::net::SocketAddr::from(([127, 0, 0, 1], port)))
        }
        None => text.parse().map_err(|_| wrong()),
    }
}

const PROXY: &str = "\
Examples:
  netkit proxy :7777 192.0.2.7:7777                              see the messages, change nothing
  netkit proxy :7777 192.0.2.7:7777 --delay 60ms --jitter 15ms --loss 2%/4 --pcap run.pcapng
  netkit proxy :7777 192.0.2.7:7777 --network lte --down --rate 2mbit
  netkit proxy :7777 192.0.2.7:7777 --up --loss 5% --down --delay 200ms
  netkit proxy :7777 192.0.2.7:7777 -p riptide --on 'message == ack and from == server: drop 30%' \\
      --on 'message == heartbeat: delay 400ms' --on 'message_id == 7: payload=00ff'
  netkit proxy :7777 192.0.2.7:7777 --view --hold 'message == request'
  netkit proxy :7777 192.0.2.7:7777 -f ndjson | jq 'select(.outcome == \"lost\")'

The proxy listens at LISTEN, for UDP and TCP; clients connect to it instead of the server. \
Without impairments and rules all bytes pass unchanged. Loss, duplication and reordering are for \
datagrams, since all bytes of a stream arrive, once and in order. With the same seed, --loss, \
--duplicate, --reorder and --corrupt meet the same datagrams of each client; jitter, outages and \
full queues depend on time. `netkit help impairments` explains the options, `netkit help rules` \
the rules. SIGUSR1 prints the counts so far; Ctrl-C ends the proxy, with its counts and status 0.";
