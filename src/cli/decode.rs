//! The options of `netkit decode`.

use super::{Dissect, Interface, Interfaces, Output, Traffic};
use clap::{Args, ValueEnum};
use netkit::render::TimeForm;
use std::path::PathBuf;

/// The forms of times.
pub(super) const TIMES: &str = "relative|delta|utc|local|epoch";

/// `netkit decode`.
#[derive(Args, Debug)]
#[command(after_help = DECODE)]
pub struct Decode {
    /// Captures or hex text; `-` is stdin
    #[arg(required_unless_present_any = ["read", "interface", "list_interfaces"], value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// A capture, as tshark and tcpdump have it
    #[arg(short = 'r', value_name = "FILE", hide = true, conflicts_with = "files")]
    pub read: Vec<PathBuf>,
    /// Live capture.
    #[command(flatten)]
    pub interface: Interface,
    /// Instead of it.
    #[command(flatten)]
    pub interfaces: Interfaces,
    /// Options that concern dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Options that concern captures.
    #[command(flatten)]
    pub traffic: Traffic,
    /// Dissect a file with N threads; default: as many as there are processors
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Read twice, and tell with each message what later ones say of it: answered_by, acked_by, that
    /// nobody answers; of a pipe as much as --limit link_bytes holds
    #[arg(long, conflicts_with_all = ["follow", "check", "interface"])]
    pub link: bool,
    /// How messages are printed.
    #[command(flatten)]
    pub output: Output,
    /// ndjson and json: a last line with what was read and what was left out: {"account":{..}}
    #[arg(long, conflicts_with_all = ["check", "write"])]
    pub account: bool,
    /// Read the files as one capture, in the order of their first frames: rotated files
    #[arg(long, conflicts_with_all = ["follow", "check", "interface"])]
    pub join: bool,
    /// Instead of printing: write the frames of the messages that fit, unchanged; a name that ends in
    /// .pcapng is pcapng, others pcap. With -i: print, and keep all frames that were captured
    #[arg(short = 'w', long = "write", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub write: Option<PathBuf>,
    /// -w: all frames between the ends of these messages
    #[arg(long, requires = "write", conflicts_with = "interface")]
    pub whole: bool,
    /// Go on when the end is reached: a file that grows, a named pipe; until Ctrl-C
    #[arg(long, conflicts_with = "interface")]
    pub follow: bool,
    /// How times are shown; default: relative in trees and on narrow terminals, else utc; epoch in
    /// csv and tsv
    #[arg(long, value_enum, value_name = TIMES, hide_possible_values = true)]
    pub time: Option<TimeForm>,
    /// pcapng: the file, instead of stdout; parquet: the folder of its files, which is new or empty
    #[arg(short, long = "output", value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub out: Option<PathBuf>,
    /// pcapng: what comments have: lines for people, and the tree that Wireshark's script draws, or the
    /// lines alone
    #[arg(long, value_enum, value_name = "tree|plain", hide_possible_values = true)]
    pub comments: Option<Comments>,
    /// -w, -o: replace the output file where there is one; parquet: the files of the folder
    #[arg(long)]
    pub force: bool,
    /// Instead of printing: write every message again from its JSON line, and compare the bytes
    #[arg(long, conflicts_with_all = ["format", "bytes"])]
    pub check: bool,
}

const DECODE: &str = "\
Examples:
  netkit decode capture.pcap                   trees, each field with its bytes
  netkit decode capture.pcap -f summary        a line a message
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
  netkit decode capture.pcap -F 'message in {reliable, ack} and from == server'
  netkit decode capture.pcap -f ndjson --fail-on fault > /dev/null
  netkit decode capture.pcap -F 'ip in 10.0.0.0/8 && !(port == 53)' --expect 'message == welcome'

Filters compare fields (message_id, payload.position.x, riptide.heartbeat.rtt, derived.route) and \
the envelope (frame time flow proto version from transport src dst host port message length note) \
with == != < <= > >= in {..} contains ~ (regular expression), and join with and, or, not or && || !, \
and ( ). host (or ip) and port are those of either end; an address fits any port, as in \
src == 10.0.0.5, and nets are written ip in 10.0.0.0/8. `has fault`, `has warning` and a field alone \
test that it is there. What can never hold (a byte == 300) is refused. `netkit fields` lists the \
names.";

/// What comments have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Comments {
    /// Lines for people, and the tree for the script.
    Tree,
    /// Lines for people.
    Plain,
}
