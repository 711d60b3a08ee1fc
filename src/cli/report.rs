//! The options of `netkit report`.

use super::{Dissect, Interface, Traffic};
use clap::Args;
use std::path::PathBuf;

/// `netkit report`.
#[derive(Args, Clone, Debug)]
#[command(after_help = REPORT)]
pub struct Report {
    /// A capture; `-` is stdin. Two are compared: before and after
    #[arg(required_unless_present = "interface", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Live capture.
    #[command(flatten)]
    pub interface: Interface,
    /// The page that is written
    #[arg(short, long = "output", value_name = "PAGE", required = true, value_hint = clap::ValueHint::FilePath)]
    pub out: PathBuf,
    /// -o: replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Read several files as one capture, in the order of their first frames: rotated files
    #[arg(long)]
    pub join: bool,
    /// How many messages the page holds, with their fields and bytes; of more, those near warnings
    /// come first. Charts and tables are of all
    #[arg(long, value_name = "N", default_value_t = netkit::report::MESSAGES)]
    pub messages: usize,
    /// Options that concern dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Options that concern captures.
    #[command(flatten)]
    pub traffic: Traffic,
}

const REPORT: &str = "\
Examples:
  netkit report capture.pcap -o report.html
  netkit report before.pcap after.pcap -o change.html    compare two runs
  netkit report --join ring_*.pcapng -o report.html      rotated files
  netkit report capture.pcap -o report.html --flow 3 --messages 5000
  netkit report -i eth0 -o report.html                   live, until Ctrl-C

The page is one file and loads nothing. It can be read with scripts off: these only search, zoom and \
open messages. It holds addresses, names and bytes of the capture: whoever has the page has these.";
