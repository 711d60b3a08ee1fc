//! `netkit dump`: hex text to messages.

use super::hex::{self, Bytes};
use super::output::{Printer, say};
use super::read::Live;
use super::selection::Selection;
use super::{input, options};
use crate::cli::{Dump, Global};
use std::io::{self, BufReader, IsTerminal};
use std::path::Path;

/// Runs the command.
pub fn run(args: &Dump, global: &Global) -> anyhow::Result<u8> {
    let mut options = options(&args.dissect)?;
    options.server = args.server;
    options.ports.clone_from(&args.port);
    let bytes = match (args.payload, args.packet) {
        (true, _) => Bytes::Payload,
        (_, true) => Bytes::Packet,
        _ => Bytes::Told,
    };
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    if path.as_os_str() == "-" && io::stdin().is_terminal() {
        say(global, format_args!("netkit: reading hex from the terminal; end with Ctrl-D"));
    }
    let mut printer = Printer::new(&args.output, global, Selection::default(), None);
    // Whoever types it sees what it means at once.
    printer.live(Live::Each);
    let read = input::open(path)
        .and_then(|reader| hex::text(BufReader::new(reader), args.lines, bytes, &options, global, &mut printer))
        .map_err(|e| e.context(input::name(path)));
    let status = printer.finish(global)?;
    read.map(|()| status)
}
