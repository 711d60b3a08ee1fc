//! The options of `netkit decode`.

use super::help::Tasks;
use super::{Dissect, Interface, Interfaces, OutputArgs, Rotation, Traffic};
use crate::dissect::Part;
use crate::render::TimeForm;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The forms of times.
pub(super) const TIMES: &str = "relative|delta|utc|local|epoch";

/// `netkit decode`.
#[derive(Args, Debug)]
#[command(tasks = DECODE)]
pub struct Decode {
    /// Captures or hex text; `-` is stdin
    #[arg(required_unless_present_any = ["read", "interface", "list_interfaces"], value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// A capture, as tshark and tcpdump have it
    #[arg(short = 'r', value_name = "FILE", hide = true, conflicts_with_all = ["files", "interface", "list_interfaces"])]
    pub read: Vec<PathBuf>,
    /// A live capture.
    #[command(flatten)]
    pub interface: Interface,
    /// The list of interfaces, instead of a capture.
    #[command(flatten)]
    pub interfaces: Interfaces,
    /// Options of the dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Select part K of N of the conversations, as 3/8; each is in one part
    #[arg(long, value_name = "K/N", help_heading = "Selection", hide_short_help = true)]
    pub conversations: Option<Part>,
    /// Options of captures.
    #[command(flatten)]
    pub traffic: Traffic,
    /// Print also the N messages before each that matches -F
    #[arg(short = 'B', long, value_name = "N", requires = "filter", value_parser = context(), help_heading = "Selection", hide_short_help = true)]
    pub before_context: Option<u16>,
    /// Print also the N messages after each that matches -F
    #[arg(short = 'A', long, value_name = "N", requires = "filter", value_parser = context(), help_heading = "Selection", hide_short_help = true)]
    pub after_context: Option<u16>,
    /// Print also the N messages before and after each that matches -F
    #[arg(long, value_name = "N", requires = "filter", value_parser = context(), conflicts_with_all = ["before_context", "after_context"], help_heading = "Selection", hide_short_help = true)]
    pub context: Option<u16>,
    /// Read a file with N threads; default: the number of processors, at most 8
    #[arg(long, value_name = "N", help_heading = "Limits", hide_short_help = true)]
    pub threads: Option<usize>,
    /// Read twice, to add to each message its relations to later ones
    ///
    /// Its response, its acknowledgement, or that there is none. A pipe is buffered up to --limit link_bytes.
    #[arg(long, conflicts_with_all = ["follow", "check", "interface"], help_heading = "Input", hide_short_help = true)]
    pub link: bool,
    /// The output of messages.
    #[command(flatten)]
    pub output: OutputArgs,
    /// End ndjson and json with what was read and what was left out
    #[arg(long, conflicts_with_all = ["check", "write"], help_heading = "Output", hide_short_help = true)]
    pub account: bool,
    /// Read rotated files as one capture, in the order of their first frames
    #[arg(long, conflicts_with_all = ["follow", "check", "interface"], help_heading = "Input", hide_short_help = true)]
    pub join: bool,
    /// Write the frames of matching messages, unchanged, instead of printing
    ///
    /// The file is pcapng if its name ends in .pcapng, else pcap. With -i, messages are printed, and all captured
    /// frames are written.
    #[arg(short = 'w', long = "write", value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Output")]
    pub write: Option<PathBuf>,
    /// The rotation of the file of -i -w.
    #[command(flatten)]
    pub rotation: Rotation,
    /// Write all frames between the endpoints of matching messages, with -w
    #[arg(long, requires = "write", conflicts_with = "interface", help_heading = "Output", hide_short_help = true)]
    pub whole: bool,
    /// Keep unclaimed packets, with other bytes as payload, with --redact -w
    #[arg(long, requires_all = ["redact", "write"], conflicts_with_all = ["interface", "follow", "join"], help_heading = "Output", hide_short_help = true)]
    pub redact_unknown: bool,
    /// Wait for more at the end of a growing file or named pipe, until Ctrl-C
    #[arg(long, conflicts_with = "interface", help_heading = "Input", hide_short_help = true)]
    pub follow: bool,
    /// Choose the form of times
    ///
    /// Default: relative in trees and on terminals, else utc; epoch in csv and tsv.
    #[arg(long, value_enum, value_name = TIMES, hide_possible_values = true, help_heading = "Output", hide_short_help = true)]
    pub time: Option<TimeForm>,
    /// Write pcapng into this file, or parquet into this folder
    ///
    /// The folder is new or empty.
    #[arg(short, long = "output", value_name = "PATH", value_hint = clap::ValueHint::AnyPath, help_heading = "Output", hide_short_help = true)]
    pub out: Option<PathBuf>,
    /// Choose what the comments of pcapng hold
    ///
    /// tree: lines for people, and the tree that Wireshark's script draws; plain: the lines alone.
    #[arg(
        long,
        value_enum,
        value_name = "tree|plain",
        hide_possible_values = true,
        help_heading = "Output",
        hide_short_help = true
    )]
    pub comments: Option<Comments>,
    /// Replace existing output files
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub force: bool,
    /// Print without a pager
    ///
    /// On a terminal, text that is longer than the screen goes through NETKIT_PAGER, PAGER, or less.
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub no_pager: bool,
    /// Encode every message again and compare the bytes, instead of printing
    #[arg(long, conflicts_with_all = ["format", "bytes"], help_heading = "Checks", hide_short_help = true)]
    pub check: bool,
}

fn context() -> clap::builder::RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=1000)
}

const DECODE: &str = "\
Examples:
  netkit decode capture.pcap                   trees, each field with its bytes
  netkit decode capture.pcap -f summary        one line for each message
  netkit decode capture.pcap -F 'message in {reliable, ack} and from == server'
  netkit decode capture.pcap -f ndjson | jq .fields
  netkit decode capture.pcap -f csv --columns time,src,message,message_id,payload.hp > hits.csv
  netkit decode capture.pcap -f summary --columns time,from,message,route --time local
  netkit decode -i eth0 --port 7777=riptide -w run.pcap    live, and the frames are kept
  ssh host tcpdump -U -w - udp | netkit decode -           live from elsewhere
  netkit decode --join ring_*.pcapng -f ndjson   what tcpdump -C, -G or dumpcap -b wrote
  netkit decode capture.pcap -F 'has fault' -w faults.pcap
  netkit decode capture.pcap -f pcapng -o annotated.pcapng   for Wireshark
  netkit decode capture.pcapng -F 'message == reject' --whole -w rejected.pcapng
  netkit decode --follow growing.pcap -F 'has warning'
  netkit decode game.pcap --port 7000=riptide -s riptide.version=2.2
  netkit decode capture.pcap -f ndjson --fail-on fault > /dev/null
  netkit decode capture.pcap -F 'ip in 10.0.0.0/8 && !(port == 53)' --expect 'message == welcome'

Filters compare fields (message_id, payload.position.x, riptide.heartbeat.rtt, derived.route) \
and the envelope (frame time flow proto version from transport src dst host port message length \
note) with == != < <= > >= in {..} contains ~ (regular expression); and, or, not and ( ) join \
comparisons. `has fault`, `has warning` and a field alone test that the message has one. `netkit \
help filters` explains them; `netkit fields` lists the names.";

/// The contents of comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Comments {
    /// Lines for people, and the tree for the script.
    Tree,
    /// Lines for people.
    Plain,
}
