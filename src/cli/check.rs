//! The options of `netkit check`.

use super::Dissect;
use super::forms::{self, Form, one_of};
use super::help::Tasks;
use super::shared::{limit, port};
use crate::dissect::Server;
use clap::Args;
use std::path::PathBuf;

/// `netkit check`.
#[derive(Args, Debug)]
#[command(tasks = CHECK)]
pub struct Check {
    /// The file that describes a protocol (TOML): `netkit help protocol-files`
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,
    /// Captures or hex text with its packets; `-` is stdin
    #[arg(value_name = "CAPTURE", value_hint = clap::ValueHint::FilePath)]
    pub captures: Vec<PathBuf>,
    /// Print a first file for an unknown protocol, from what the bytes show
    ///
    /// FILE is then the capture. Of several servers, the one with the most traffic is described; --server names another.
    #[arg(long, conflicts_with_all = ["format", "first", "allow_empty", "proto", "set", "from", "port"], help_heading = "Output")]
    pub suggest: bool,
    /// Options of the dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Name the protocol of a port, as 7000=mygame
    #[arg(long, value_name = "PORT=P", value_parser = port, help_heading = "Protocol")]
    pub port: Vec<(u16, String)>,
    /// Name the server's address, if ports do not show it
    #[arg(long, value_name = "ADDR[:PORT]", help_heading = "Protocol", hide_short_help = true)]
    pub server: Option<Server>,
    /// Show at most N packets that do not fit, and N places of any other finding
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(0..=1000), help_heading = "Output")]
    pub first: u16,
    /// Choose the form of the output
    #[arg(short, long, default_value = "text", value_parser = one_of(forms::CHECK), value_name = "F", help_heading = "Output")]
    pub format: Form,
    /// Accept captures without packets of the protocol
    #[arg(long, help_heading = "Checks")]
    pub allow_empty: bool,
    /// Change a limit of memory; `netkit fields` lists them, N may end in K, M, G
    #[arg(long, value_name = "NAME=N", value_parser = limit, help_heading = "Limits", hide_short_help = true)]
    pub limit: Vec<String>,
}

const CHECK: &str = "\
Examples:
  netkit check game.toml                     mistakes of the file, and advice
  netkit check game.toml play.pcap           how much of the capture it explains
  netkit check game.toml play.pcap -p mygame     everything is read as its protocol
  netkit check game.toml a.pcap b.pcap -f json
  tcpdump -w - udp | netkit check game.toml -
  netkit check --suggest play.pcap > game.toml       a first file for an unknown protocol

Exit status: 0 if the file explains every packet; 1 if it has mistakes, if a packet does not fit \
or does not encode back to its bytes, or if no packet is of the protocol (--allow-empty accepts \
that).";
