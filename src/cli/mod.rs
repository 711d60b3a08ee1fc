//! The command line: all options and their help texts, with a file per command. Help, man page and
//! completions are generated from here.

mod check;
mod decode;
mod diff;
mod dump;
mod encode;
mod fields;
mod forms;
mod help;
mod interface;
mod local;
mod meant;
mod names;
mod probe;
mod proxy;
mod replay;
mod report;
mod shared;
mod stats;
#[cfg(test)]
mod tests;
mod times;
mod top;
mod view;
mod wireshark;
mod wrong;

pub use check::Check;
use clap::builder::PossibleValue;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
pub use decode::{Comments, Decode};
pub use diff::Diff;
pub use dump::Dump;
pub use encode::{Encode, To};
pub use fields::Fields;
pub use forms::{Form, Format};
use help::Tasks;
pub use interface::{Interface, Interfaces, Rotation};
pub use meant::parse;
use names::{Listed, plain};
pub use names::{configured, is_file, named_proto, protocol_files_given, topics};
pub use probe::Probe;
pub use proxy::{Proxy, ProxyTransport};
pub use replay::Replay;
pub use report::Report;
pub use shared::{Dissect, Gates, Legs, OutputArgs, Source, Traffic};
pub use stats::Stats;
pub use top::Top;
pub use view::View;
pub use wireshark::{What, Wireshark};
pub use wrong::one_line;

/// Show, measure and test the network traffic of games
#[derive(Debug, Parser)]
#[command(name = "netkit", version, max_term_width = 100, after_long_help = EXIT, arg_required_else_help = true, disable_help_subcommand = true)]
#[command(help_template = help::ROOT, before_help = help::OVERVIEW, override_usage = "netkit COMMAND [OPTIONS], netkit FILE")]
pub struct Cli {
    /// Options of all commands.
    #[command(flatten)]
    pub global: Global,
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT: &str = "\
Exit status:
  0  finished (also when the reader of a pipe went away, unless a condition was to be checked)
  1  finished, but a check failed: a fault with --fail-on, no message that matches --expect,
     or no message to check
  2  wrong usage
  3  input or output failed: no such file, a truncated capture (what could be read was printed)
  130  stopped by Ctrl-C before the end of its input (143: by SIGTERM, 129: by SIGHUP)

Environment:
  NETKIT_CAPTURE    the program that captures for -i: tcpdump or dumpcap
  COLUMNS           the width of text, instead of the terminal's
  NO_COLOR          no colours, as with --color never; TERM=dumb does the same
  NETKIT_PAGER      the pager of decode on a terminal, instead of PAGER and less; cat: none
  NETKIT_SCHEMA     schemas, as with --schema; several with : between them
  NETKIT_PROTOCOLS  protocol files, as with --protocol-file; empty: none at all";

/// Options of all commands.
#[derive(Args, Clone, Debug)]
pub struct Global {
    /// Choose when to print in colour
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN", hide_short_help = true)]
    pub color: Color,
    /// Print no progress and no summaries on stderr
    #[arg(short, long, global = true, hide_short_help = true)]
    pub quiet: bool,
    /// Print more: whole hex, why a protocol was recognised, what other frames were
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

impl Global {
    /// Returns the options of a reading that prints nothing of its own.
    pub fn silent() -> Global {
        Global { color: Color::Never, quiet: true, verbose: 0 }
    }
}

/// The condition for colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the messages of captures or hex text, each field with its bytes
    Decode(Decode),
    /// Show messages, fields and bytes on the terminal: find, filter, follow links
    View(View),
    /// Print the messages of hex text: plain, 0x lists, C arrays, xxd, tcpdump -x
    Dump(Dump),
    /// Write messages from FIELD=VALUE, or from the JSON lines that decode prints
    Encode(Encode),
    /// Count messages, bytes, losses, delays and round trips of a capture
    Stats(Stats),
    /// Watch live messages and conversations with their rates
    Top(Top),
    /// Compare two captures: messages, rates, sizes, fields and delivery
    Diff(Diff),
    /// Make an HTML page of a capture, or compare two: charts, sequences, messages
    Report(Report),
    /// Ask servers what they are, measure round trips, and report why one fails
    Probe(Probe),
    /// Play one side of a captured conversation to a live peer
    Replay(Replay),
    /// Relay live traffic to a server: show, delay, lose and edit messages
    Proxy(Proxy),
    /// Show netkit's analysis in Wireshark: its script, and live capture
    Wireshark(Wireshark),
    /// Check a file that describes a protocol, and how well it explains captures
    Check(Check),
    /// Document the messages, fields, settings and notes of protocols
    Fields(Fields),
    /// Print the completions for a shell
    #[command(tasks = COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page
    #[command(tasks = "Examples:\n  netkit man | man -l -")]
    Man,
    /// Explain a command, a protocol or a topic
    Help {
        /// A command, or a topic as `netkit help` lists them
        #[arg(value_name = "TOPIC", value_parser = Listed::of(topic), hide_possible_values = true)]
        topic: Option<String>,
    },
}

/// Returns the topics of `netkit help`.
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
