//! The options of `netkit diff`.

use super::{Dissect, Traffic};
use clap::{Args, ValueEnum};
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
    /// Exit with status 1 when there is such a difference: METRIC>PERCENT, appeared, vanished,
    /// fields; may be given several times
    #[arg(long, value_name = "LIMIT")]
    pub fail_on: Vec<netkit::stats::diff::Limit>,
    /// A capture without a message is well, too: else --fail-on does not hold
    #[arg(long)]
    pub allow_empty: bool,
    /// Form of the output
    #[arg(short, long, value_enum, default_value_t = DiffFormat::Text, value_name = "F")]
    pub format: DiffFormat,
}

/// Form of the differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}

const DIFF: &str = "\
Examples:
  netkit diff before.pcap after.pcap
  netkit diff before.pcap after.pcap -f json
  netkit diff --join 'before_*.pcap' 'after_*.pcap'
  netkit diff before.pcap after.pcap --fail-on 'rate>10%' --fail-on vanished

Metrics: rate, bandwidth (a second), size (mean), count of each message; resent, lost (shares, \
compared by their difference), ack, answer (median milliseconds) of each side. A change counts up \
and down.";
