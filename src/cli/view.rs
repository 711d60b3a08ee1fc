//! The options of `netkit view`.

use super::Source;
use super::decode::TIMES;
use super::help::Tasks;
use crate::render::TimeForm;
use clap::Args;
use std::path::PathBuf;

/// `netkit view`.
#[derive(Args, Debug)]
#[command(tasks = VIEW)]
pub struct View {
    /// Captures or hex text, read as one; `-` is stdin
    #[arg(required_unless_present_any = ["interface", "list_interfaces"], value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// The source of frames, and which of them are read.
    #[command(flatten)]
    pub source: Source,
    /// Read a file with N threads; default: the number of processors, at most 8
    #[arg(long, value_name = "N", help_heading = "Limits", hide_short_help = true)]
    pub threads: Option<usize>,
    /// Choose the form of times; default: relative on narrow terminals, else utc
    #[arg(long, value_enum, value_name = TIMES, hide_possible_values = true, help_heading = "Output")]
    pub time: Option<TimeForm>,
}

const VIEW: &str = "\
Examples:
  netkit view capture.pcap
  netkit view -i eth0 --port 7777=riptide
  netkit view --follow growing.pcap
  ssh host tcpdump -U -w - udp | netkit view -
  netkit view ring_*.pcapng -F 'has warning'

Keys: ? lists them. q ends, / finds, F filters, Tab goes to the next pane, Enter opens, [ and ] \
follow a message to its response or acknowledgement. `netkit help inspector` explains them.";
