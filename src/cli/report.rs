//! The options of `netkit report`.

use super::help::Tasks;
use super::{Dissect, Interface, Traffic};
use clap::Args;
use std::path::PathBuf;

/// `netkit report`.
#[derive(Args, Clone, Debug)]
#[command(tasks = REPORT)]
pub struct Report {
    /// A capture; `-` is stdin. Two are compared: before and after; more are listed
    #[arg(required_unless_present = "interface", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// A live capture.
    #[command(flatten)]
    pub interface: Interface,
    /// Write the page to this file
    #[arg(short, long = "output", value_name = "PAGE", required = true, value_hint = clap::ValueHint::FilePath, help_heading = "Output")]
    pub out: PathBuf,
    /// Replace an existing page
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Read rotated files as one capture, in the order of their first frames
    #[arg(long, help_heading = "Input")]
    pub join: bool,
    /// Include up to N messages with fields and bytes, those near warnings first
    ///
    /// Charts and tables are of all messages. Without this option 100,000, or as many as fit into a page of about 8 MB.
    #[arg(long, value_name = "N", help_heading = "Output", hide_short_help = true)]
    pub messages: Option<usize>,
    /// Options of the dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Options of captures.
    #[command(flatten)]
    pub traffic: Traffic,
}

const REPORT: &str = "\
Examples:
  netkit report capture.pcap -o report.html
  netkit report before.pcap after.pcap -o change.html    compare two runs
  netkit report nightly/*.pcap -o index.html             a row for each capture
  netkit report --join ring_*.pcapng -o report.html      rotated files
  netkit report capture.pcap -o report.html --flow 3 --messages 5000
  netkit report -i eth0 -o report.html                   live, until Ctrl-C
  netkit report load.ndjson -o load.html                 what replay --clients or probe --every printed

The page is one file and loads nothing. Its scripts only search, zoom and open messages; the \
rest can be read without them. It contains addresses, names and bytes of the capture: everyone \
who has the page has these.";
