//! The options of `netkit diff`.

use super::forms::{self, Form, one_of};
use super::help::Tasks;
use super::names::filter;
use super::{Dissect, Traffic};
use clap::Args;
use std::path::PathBuf;

/// `netkit diff`.
#[derive(Args, Debug)]
#[command(tasks = DIFF)]
pub struct Diff {
    /// The first capture
    #[arg(value_name = "A", value_hint = clap::ValueHint::FilePath)]
    pub a: PathBuf,
    /// The second capture
    #[arg(value_name = "B", value_hint = clap::ValueHint::FilePath)]
    pub b: PathBuf,
    /// Read the files of a pattern, as 'before_*.pcap', as one capture
    #[arg(long, help_heading = "Input")]
    pub join: bool,
    /// Options of the dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Options of captures.
    #[command(flatten)]
    pub traffic: Traffic,
    /// Exit with status 1 on such a difference, as 'message_rate > 10%'
    ///
    /// [PROTO.[MESSAGE.]]FIGURE > AMOUNT, appeared, vanished or fields; may be repeated.
    #[arg(long, value_name = "LIMIT", help_heading = "Checks")]
    pub fail_on: Vec<crate::stats::diff::Limit>,
    /// Leave out matching messages of both captures; may be repeated
    #[arg(long, value_name = "EXPR", value_parser = filter(), hide_possible_values = true, help_heading = "Selection")]
    pub ignore: Vec<String>,
    /// Accept that there is nothing to compare
    ///
    /// Without this option, --fail-on fails if there is nothing.
    #[arg(long, help_heading = "Checks", hide_short_help = true)]
    pub allow_empty: bool,
    /// Choose the form of the output
    #[arg(short, long, default_value = "text", value_parser = one_of(forms::DIFF), value_name = "F", help_heading = "Output")]
    pub format: Form,
}

const DIFF: &str = "\
Examples:
  netkit diff before.pcap after.pcap
  netkit diff before.pcap after.pcap -f json
  netkit diff --join 'before_*.pcap' 'after_*.pcap'
  netkit diff before.pcap after.pcap --fail-on 'message_rate > 10% and > 5 messages' --fail-on vanished
  netkit diff before.pcap after.pcap --ignore 'message == heartbeat' \\
      --fail-on 'riptide.reliable.byte_rate > 10%' --fail-on 'client.ack_p90 > 50ms' \\
      --fail-on 'resent_share > 2pp' -f junit > netkit.xml

Figures of messages: messages, message_rate (/s), byte_rate (bytes/s), size_mean (bytes). \
Figures of a side: the shares resent_share and lost_share (pp: percentage points); counts such \
as resent, lost, given_up, never_acked and unanswered; the delays ack_p50, ack_p90, ack_p99, \
response_p50, response_p90 and response_p99 (ms). All figures also take % of the first capture, \
and multiples: 'resent > 2x'. A rise exceeds a limit; for a fall, write message_rate < -10% or < \
0.5x. A floor (and > 5 messages) must be exceeded, too. A limit with no data to check fails. \
`netkit help builds` explains limits, `netkit help figures` all figures and their older names.";
