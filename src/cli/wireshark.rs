//! The options of `netkit wireshark`.

use super::help::Tasks;
use super::names::protocol_file;
use crate::platform::LIST_SEPARATOR;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `netkit wireshark`.
#[derive(Args, Debug)]
#[command(tasks = WIRESHARK, arg_required_else_help = true)]
pub struct Wireshark {
    /// Install, remove or print the script
    #[arg(value_enum, value_name = "install|remove|print", hide_possible_values = true)]
    pub what: What,
    /// Load a protocol that a file describes (TOML), to add its fields
    #[arg(long, value_name = "FILE", env = "NETKIT_PROTOCOLS", value_parser = protocol_file(), value_delimiter = LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath)]
    pub protocol_file: Vec<PathBuf>,
    /// Load the layouts of your game's payloads (TOML), to add their fields
    #[arg(long, value_name = "FILE", env = "NETKIT_SCHEMA", value_parser = protocol_file(), value_delimiter = LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath)]
    pub schema: Vec<PathBuf>,
}

/// The action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Write script and extcap entry into Wireshark's personal folders.
    Install,
    /// Remove what `install` wrote.
    Remove,
    /// Print the script, and its place on stderr.
    Print,
}

const WIRESHARK: &str = "\
Examples:
  netkit wireshark install                     for Wireshark and tshark of this user
  netkit wireshark install --schema game.toml  with the fields of your game's payloads
  netkit wireshark print > netkit.lua          only look at it, or put it elsewhere
  netkit wireshark remove
  tshark -i netkit -O netkit                   afterwards: live, with netkit's fields

netkit writes two files: netkit.lua, which draws what netkit has written into a capture (netkit \
decode -f pcapng), and an entry that lists netkit among the interfaces. Both have a marker; \
netkit does not touch a file of that name without it (`netkit help wireshark`).";
