//! The command line: all options and their help texts, with a file per command. Help, man page and
//! completions are generated from here.

mod check;
mod decode;
mod diff;
mod dump;
mod encode;
mod fields;
mod forms;
mod interface;
mod meant;
mod names;
mod probe;
mod proxy;
mod replay;
mod report;
mod shared;
mod stats;
mod top;
mod wireshark;
mod wrong;

pub use check::Check;
use clap::builder::PossibleValue;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
pub use decode::{Comments, Decode};
pub use diff::Diff;
pub use dump::Dump;
pub use encode::{Carried, Encode, To};
pub use fields::Fields;
pub use forms::{Form, Format};
pub use interface::{Interface, Interfaces};
pub use meant::parse;
use names::{Listed, plain};
pub use names::{configured, is_file, named_proto, protocol_files_given, topics};
pub use probe::{Probe, ProbeTransport};
pub use proxy::{Proxy, ProxyTransport};
pub use replay::Replay;
pub use report::Report;
pub use shared::{Dissect, FailOn, Gates, Legs, Output, Traffic};
pub use stats::{PlotBy, Stats};
pub use top::Top;
pub use wireshark::{What, Wireshark};
pub use wrong::one_line;

/// Decode, encode, replay and probe game-networking protocols
///
/// Riptide, DNP (Drag[en]gine), nano/pomelo, GNE over HawkNL and Acknex/Gamestudio, from captures,
/// hex text and live servers.
#[derive(Debug, Parser)]
#[command(name = "netkit", version, max_term_width = 100, after_help = EXIT, arg_required_else_help = true, disable_help_subcommand = true)]
pub struct Cli {
    /// Options of all commands.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT: &str = "\
Exit status:
  0  done (also when the reader of a pipe went away)
  1  done, but something that was asked about is not so: a fault under --fail-on, no message
     that fits --expect; also where there is no message to ask about
  2  wrong usage
  3  input or output failed: no such file, a cut capture (what was read stands)
  130  stopped by Ctrl-C before the end of its input (143: by SIGTERM, 129: by SIGHUP)

Environment:
  NETKIT_CAPTURE    the program that -i captures with: a tcpdump or dumpcap
  COLUMNS           the width of text, instead of the terminal's
  NO_COLOR          no colours, as with --color never
  NETKIT_SCHEMA     schemas, as with --schema; several with : between them
  NETKIT_PROTOCOLS  protocol files, as with --protocol-file; empty: none at all";

/// Options of all commands.
#[derive(Args, Debug)]
pub struct Global {
    /// Colours and highlights
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// No progress, no summaries on stderr
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print more: whole hex, why a protocol was recognised, what the other frames were
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Dissect captures (pcap, pcapng, .gz or .zst of them) or hex text into annotated field trees
    Decode(Decode),
    /// Dissect hex text: plain, 0x lists, C arrays, xxd, hexdump -C, tcpdump -x, Wireshark
    Dump(Dump),
    /// Write messages: from FIELD=VALUE, or from the JSON lines that decode prints
    Encode(Encode),
    /// Count a capture's messages: conversations, bandwidth, delivery, round trips, series of a field
    Stats(Stats),
    /// Watch input that goes on: messages and conversations with their rates, drawn each second
    Top(Top),
    /// Compare two captures: messages that appeared or vanished, rates, sizes, fields, delivery
    Diff(Diff),
    /// Make one HTML page of a capture: charts, sequence diagrams, messages; or compare two
    Report(Report),
    /// Ask live servers: is it there, what is it, how far away, and if not, why not
    Probe(Probe),
    /// Play one side of a captured conversation to a live peer
    Replay(Replay),
    /// Relay conversations with a server: show, delay, lose and edit what is said
    Proxy(Proxy),
    /// Show netkit's analysis in Wireshark: its script, and live capture
    Wireshark(Wireshark),
    /// Check a file that describes a protocol: its mistakes, and how well it explains captures
    Check(Check),
    /// Document the messages, fields, settings and notes of the protocols
    Fields(Fields),
    /// Print the completions for a shell
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page
    #[command(after_help = "Examples:\n  netkit man | man -l -")]
    Man,
    /// Explain a command, a protocol or a topic: riptide, output, filters, schemas, ...
    Help {
        /// A command, or a topic as `netkit help` lists them
        #[arg(value_name = "TOPIC", value_parser = Listed::of(topic), hide_possible_values = true)]
        topic: Option<String>,
    },
}

/// What `netkit help` can explain.
fn topic() -> Vec<PossibleValue> {
    let commands = Cli::command();
    let mut list = plain(commands.get_subcommands().map(|command| command.get_name().to_owned()));
    list.extend(plain(topics().map(|page| page.name)));
    list
}

const COMPLETIONS: &str = "\
Examples:
  netkit completions bash > ~/.local/share/bash-completion/completions/netkit
  netkit completions zsh > ~/.zfunc/_netkit
  netkit completions fish > ~/.config/fish/completions/netkit.fish";
