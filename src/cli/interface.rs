//! The options of commands that can capture live.

use super::times::{DAY, MILLISECOND, time};
use crate::capture::TimeSpec;
use crate::codec::digits;
use clap::Args;
use std::time::Duration;

/// A live capture, as the source of frames instead of a file.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Input")]
pub struct Interface {
    /// Capture from a network interface, with tcpdump or dumpcap, until Ctrl-C
    #[arg(short, long, value_name = "IFACE", conflicts_with = "files")]
    pub interface: Option<String>,
    /// Capture only packets that this tcpdump filter selects, as 'udp port 7777'
    ///
    /// Default: the ports of --port and -p.
    #[arg(long, value_name = "EXPR", hide_short_help = true)]
    pub capture_filter: Option<String>,
    /// Buffer up to this many MiB of captured frames (tcpdump's -B is in KiB)
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=2047), hide_short_help = true)]
    pub buffer: u32,
    /// Set --until as tshark does: duration:10
    #[arg(short = 'a', value_name = "duration:TIME", value_parser = autostop, hide = true, conflicts_with = "until")]
    pub autostop: Option<TimeSpec>,
}

fn autostop(text: &str) -> Result<TimeSpec, String> {
    let time = text.strip_prefix("duration:").ok_or("expected duration:TIME; -c N stops after N messages")?;
    time.parse()
}

/// The rotation of the file of -w.
#[derive(Args, Clone, Debug, Default)]
pub struct Rotation {
    /// Begin another file of -i -w before this one exceeds SIZE
    ///
    /// 500K, 20M, 1G. run.pcap becomes run_00001.pcap, run_00002.pcap, ..
    #[arg(short = 'C', long, value_name = "SIZE", value_parser = size, requires = "write", help_heading = "Output", hide_short_help = true)]
    pub file_size: Option<u64>,
    /// Begin another file of -i -w after this time
    #[arg(short = 'G', long, value_name = "TIME", value_parser = time(MILLISECOND, 366 * DAY), requires = "write", help_heading = "Output", hide_short_help = true)]
    pub file_time: Option<Duration>,
    /// Keep the last N files of -C and -G and remove older ones
    #[arg(short = 'W', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), requires = "write", help_heading = "Output", hide_short_help = true)]
    pub file_count: Option<u32>,
}

impl Rotation {
    /// Whether any of it was given.
    pub fn any(&self) -> bool {
        self.file_size.is_some() || self.file_time.is_some() || self.file_count.is_some()
    }
}

pub(super) fn size(text: &str) -> Result<u64, String> {
    if digits::unsigned::<u64>(text).is_some_and(|number| number > 0) {
        return Err(format!("{text:?} has no unit: {text}K or {text}M?"));
    }
    let size = digits::amount(text).map(|size| size as u64).filter(|size| *size > 0);
    size.ok_or_else(|| format!("expected a size, such as 500K, 20M or 1G, got {text:?}"))
}

/// The list of interfaces.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Input")]
pub struct Interfaces {
    /// List the network interfaces
    #[arg(short = 'D', long, conflicts_with_all = ["files", "interface"], hide_short_help = true)]
    pub list_interfaces: bool,
}
