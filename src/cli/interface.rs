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
}

/// Which interfaces there are.
#[derive(Args, Clone, Debug, Default)]
pub struct Interfaces {
    /// List the interfaces
    #[arg(short = 'D', long, conflicts_with_all = ["files", "interface"])]
    pub list_interfaces: bool,
}
