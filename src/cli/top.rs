//! The options of `netkit top`.

use super::Source;
use super::forms::{self, Form, one_of};
use super::help::Tasks;
use super::times::{MILLISECOND, SECOND, time};
use crate::stats::top::SORTS;
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;
use std::time::Duration;

/// `netkit top`.
#[derive(Args, Debug)]
#[command(tasks = TOP)]
pub struct Top {
    /// A growing capture; `-` is stdin
    #[arg(id = "files", value_name = "FILE", default_value = "-", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,
    /// The source of frames, and which of them are read.
    #[command(flatten)]
    pub source: Source,
    /// Sort by this column, the largest first
    ///
    /// Default: byte_rate on a terminal; in a pipe, rows are sorted by name.
    #[arg(long, value_name = "COLUMN", value_parser = PossibleValuesParser::new(SORTS), help_heading = "Output")]
    pub sort: Option<String>,
    /// Update the tables at this interval
    #[arg(long, alias = "every", value_name = "TIME", default_value = "1s", value_parser = time(100 * MILLISECOND, 3600 * SECOND), help_heading = "Output", hide_short_help = true)]
    pub redraw: Duration,
    /// Choose the form of the output
    #[arg(short, long, default_value = "text", value_parser = one_of(forms::TOP), value_name = "F", help_heading = "Output")]
    pub format: Form,
}

const TOP: &str = "\
Examples:
  netkit top -i eth0 --port 7777=riptide
  tcpdump -i eth0 -U -w - udp | netkit top
  netkit top --follow growing.pcap --sort client_rtt_p50
  tcpdump -i eth0 -U -w - | netkit top - -f ndjson | jq .byte_rate
  netkit top --follow growing.pcap -F 'from == server' --redraw 5s

Keys: q ends; j, k, arrows, PgUp, PgDn, g and G scroll; Tab changes to the other table (a small \
terminal shows one at a time, first the conversations); b, r sort by byte_rate and message_rate, \
m, y by messages and bytes, f by faults, t by the client's round trip (client_rtt_p50), s by \
resends, l by losses, i by idle.

Rates are those since the previous update; at the end, those of the whole input by its own \
clock. client_rtt_p50 and server_rtt_p50 are medians of what that side sent, in ms: from a \
message to its acknowledgement, else from a ping to its pong, else from a request to its \
response. resent_share is the share of resends in all transmissions of numbered messages, \
lost_share that of lost numbers in all numbers. idle is the time since the conversation's last \
message, in s. The limits are those of `netkit stats`. The exit status is 0, also after q and \
Ctrl-C.";
