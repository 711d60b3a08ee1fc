//! The options of `netkit diff`.

use super::forms::{self, Form, one_of};
use super::names::filter;
use super::{Dissect, Traffic};
use clap::Args;
use std::path::PathBuf;

/// `netkit diff`.
#[derive(Args, Debug)]
#[command(after_help = DIFF)]
pub struct Diff {
    /// The first capture
    #[arg(value_name = "A", value_hint = clap::ValueHint::FilePath)]
    pub a: PathBuf,
    /// The second capture
    #[arg(value_name = "B", value_hint = clap::ValueHint::FilePath)]
    pub b: PathBuf,
    /// Read the files of a pattern, as 'before_*.pcap', as one capture: rotated files
    #[arg(long)]
    pub join: bool,
    /// Options that concern dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Options that concern captures.
    #[command(flatten)]
    pub traffic: Traffic,
    /// Exit with status 1 when there is such a difference: [PROTO.[MESSAGE.]]FIGURE > AMOUNT,
    /// appeared, vanished, fields; may be given several times
    #[arg(long, value_name = "LIMIT")]
    pub fail_on: Vec<netkit::stats::diff::Limit>,
    /// Leave out messages that fit, of both captures; may be given several times
    #[arg(long, value_name = "EXPR", value_parser = filter(), hide_possible_values = true)]
    pub ignore: Vec<String>,
    /// Nothing to compare is well, too: else --fail-on does not hold
    #[arg(long)]
    pub allow_empty: bool,
    /// Form of the output
    #[arg(short, long, default_value = "text", value_parser = one_of(forms::DIFF), value_name = "F")]
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

Figures of messages: messages, message_rate (/s), byte_rate (bytes/s), size_mean (bytes); of each \
side the shares resent_share, lost_share (pp: percentage points), counts as resent, lost, given_up, \
never_acked, unanswered, and ack_p50, ack_p90, ack_p99, response_p50, response_p90, response_p99 (ms); \
`netkit help figures` has all, and their older names. Each also takes % of the first capture, and \
multiples: 'resent > 2x'. More, longer and larger breaks a limit; what falls is written \
message_rate < -10% or < 0.5x. Floors (and > 5 messages) have to be exceeded, too. A limit that was held \
against nothing does not hold.";
