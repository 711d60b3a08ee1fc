//! The options of `netkit dump`.

use super::shared::port;
use super::{Dissect, Output};
use clap::Args;
use netkit::dissect::Server;
use std::path::PathBuf;

/// `netkit dump`.
#[derive(Args, Debug)]
#[command(after_help = DUMP)]
pub struct Dump {
    /// Hex text; `-` or nothing is stdin; where there is no such file, the hex digits themselves
    #[arg(value_name = "FILE|HEX", value_hint = clap::ValueHint::FilePath)]
    pub input: Vec<PathBuf>,
    /// Options that concern dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Each line of plain hex is a message of its own (default: up to a blank line)
    #[arg(long)]
    pub lines: bool,
    /// The bytes are messages, also where they look like an IP packet
    #[arg(long, conflicts_with = "packet")]
    pub payload: bool,
    /// The bytes are packets (Ethernet, IP, loopback, Linux cooked), whatever their lengths say
    #[arg(long)]
    pub packet: bool,
    /// Packets: which protocol a port carries, as 7000=riptide
    #[arg(long, value_name = "PORT=P", value_parser = port)]
    pub port: Vec<(u16, String)>,
    /// Packets: the server's address, where ports cannot tell
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub server: Option<Server>,
    /// How messages are printed.
    #[command(flatten)]
    pub output: Output,
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
Wireshark's bytes) are recognised by their lengths and checksums; their ports count as in a capture. A form that cannot be told for sure is refused with line and \
column: nothing is guessed.";
