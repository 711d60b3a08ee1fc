//! The options of `netkit dump`.

use super::{Dissect, Output};
use clap::Args;
use std::path::PathBuf;

/// `netkit dump`.
#[derive(Args, Debug)]
#[command(after_help = DUMP)]
pub struct Dump {
    /// Hex text; `-` or nothing is stdin
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// Options that concern dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Each line of plain hex is a message of its own (default: up to a blank line)
    #[arg(long)]
    pub lines: bool,
    /// How messages are printed.
    #[command(flatten)]
    pub output: Output,
}

const DUMP: &str = "\
Examples:
  echo 0801000100 | netkit dump                recognise the protocol
  echo '18 00 10 00 00' | netkit dump -p riptide
  xxd message.bin | netkit dump -p dnp
  netkit dump -p nano -f ndjson < pasted.txt

Messages are separated by blank lines. A form that cannot be told for sure is refused with line and \
column: nothing is guessed.";
