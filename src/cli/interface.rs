//! The options of commands that can capture live.

use clap::Args;

/// Where frames come from, if not from a file.
#[derive(Args, Clone, Debug, Default)]
pub struct Interface {
    /// Read what an interface sends and receives, until Ctrl-C; tcpdump or dumpcap captures it
    #[arg(short, long, value_name = "IFACE", conflicts_with = "files")]
    pub interface: Option<String>,
    /// -i: only such packets, in tcpdump's words: 'udp port 7777'; default: the ports of --port and -p
    #[arg(long, value_name = "EXPR")]
    pub capture_filter: Option<String>,
    /// -i: MiB of frames that may wait for netkit, before frames are lost (tcpdump's -B)
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=2047))]
    pub buffer: u32,
}

/// Which interfaces there are.
#[derive(Args, Clone, Debug, Default)]
pub struct Interfaces {
    /// List the interfaces
    #[arg(short = 'D', long, conflicts_with_all = ["files", "interface"])]
    pub list_interfaces: bool,
}
