//! The options of `netkit dump`.

use super::help::Tasks;
use super::shared::port;
use super::{Dissect, OutputArgs};
use crate::dissect::Server;
use clap::Args;
use std::path::PathBuf;

/// `netkit dump`.
#[derive(Args, Debug)]
#[command(tasks = DUMP)]
pub struct Dump {
    /// A file of hex text, `-` for stdin (the default), or the hex digits themselves
    #[arg(value_name = "FILE|HEX", value_hint = clap::ValueHint::FilePath)]
    pub input: Vec<PathBuf>,
    /// Options of the dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Read each line of plain hex as a message of its own
    ///
    /// By default a message ends at a blank line.
    #[arg(long, help_heading = "Input")]
    pub lines: bool,
    /// Read the bytes as messages, even if they look like an IP packet
    #[arg(long, conflicts_with = "packet", help_heading = "Input")]
    pub payload: bool,
    /// Read the bytes as packets, even if their lengths or checksums are wrong
    ///
    /// The link layer is Ethernet, IP, loopback or Linux cooked.
    #[arg(long, help_heading = "Input")]
    pub packet: bool,
    /// Name the protocol of a port of packets, as 7000=riptide
    #[arg(long, value_name = "PORT=P", value_parser = port, help_heading = "Protocol")]
    pub port: Vec<(u16, String)>,
    /// Name the server's address in packets, if ports do not show it
    #[arg(long, value_name = "ADDR[:PORT]", help_heading = "Protocol", hide_short_help = true)]
    pub server: Option<Server>,
    /// The output of messages.
    #[command(flatten)]
    pub output: OutputArgs,
}

const DUMP: &str = "\
Examples:
  echo 0801000100 | netkit dump                recognise the protocol
  netkit dump 0801000100                       the same
  echo '18 00 10 00 00' | netkit dump -p riptide
  xxd message.bin | netkit dump -p dnp
  netkit dump -p nano -f ndjson < pasted.txt
  tcpdump -r game.pcap -X -c 5 | netkit dump   whole packets

Messages are separated by blank lines. Whole packets (tcpdump -x, -X, -xx, -XX, tshark -x, \
Wireshark's bytes) are recognised by their lengths and checksums; their ports count as in a \
capture. Ambiguous text is refused with its line and column.";
