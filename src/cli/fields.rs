//! The options of `netkit fields`.

use super::forms::{self, Form, one_of};
use super::help::Tasks;
use super::names::{documented, protocol_file};
use clap::Args;
use std::path::PathBuf;

/// `netkit fields`.
#[derive(Args, Debug)]
#[command(tasks = FIELDS)]
pub struct Fields {
    /// A protocol, or one of its messages; nothing: all protocols
    #[arg(value_name = "PROTO[.MESSAGE]", value_parser = documented(), hide_possible_values = true)]
    pub what: Option<String>,
    /// Load the layouts of your game's payloads (TOML), to document them
    #[arg(long, value_name = "FILE", env = "NETKIT_SCHEMA", value_parser = protocol_file(), value_delimiter = crate::platform::LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath)]
    pub schema: Vec<PathBuf>,
    /// Load a protocol that a file describes (TOML), to document it
    #[arg(long, value_name = "FILE", env = "NETKIT_PROTOCOLS", value_parser = protocol_file(), value_delimiter = crate::platform::LIST_SEPARATOR, value_hint = clap::ValueHint::FilePath)]
    pub protocol_file: Vec<PathBuf>,
    /// List built-in protocol files, print the one named, or write all into DIR/
    #[arg(long, conflicts_with = "format")]
    pub examples: bool,
    /// Convert a description in another language (.proto, .ksy) into a protocol file
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with_all = ["what", "format", "examples", "as_toml"])]
    pub from: Option<PathBuf>,
    /// Choose the form of the output
    #[arg(short, long, default_value = "text", value_parser = one_of(forms::FIELDS), value_name = "F")]
    pub format: Form,
    /// Print the protocol's tables as a protocol file (TOML), to begin your own
    #[arg(long, requires = "what", conflicts_with = "format")]
    pub as_toml: bool,
}

const FIELDS: &str = "\
Examples:
  netkit fields                      the protocols
  netkit fields riptide              messages, settings, notes
  netkit fields riptide.heartbeat    one message's fields, in wire order
  netkit fields dnp -f json          for tools
  netkit fields dnp --as-toml        a protocol file to begin your own with
  netkit fields --examples enet > enet.toml    a protocol described in a file
  netkit fields --from game.ksy > game.toml    begin with another description";
