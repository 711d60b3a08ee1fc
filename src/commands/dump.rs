//! `netkit dump`: hex text to messages.

use super::gates::Pick;
use super::outfile::stdout_is_no_input;
use super::output::{Printer, say};
use super::read::Live;
use super::selection::Selection;
use super::{hex, input, inputs, interrupt, options};
use crate::cli::{Dump, Global};
use std::io::{self, BufReader, IsTerminal};
use std::path::Path;

/// Runs the command.
pub fn run(args: &Dump, global: &Global) -> anyhow::Result<u8> {
    stdout_is_no_input(&inputs(&args.file, &args.dissect.schema))?;
    let options = options(&args.dissect)?;
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    if path.as_os_str() == "-" && io::stdin().is_terminal() {
        say(global, format_args!("netkit: reading hex from the terminal; end with Ctrl-D"));
    }
    let pick = Pick::new(Selection::every(), &args.output.gates, args.output.fail_on, false, &options)?;
    let mut printer = Printer::new(&args.output, global, pick, None);
    // Whoever types it sees what it means at once.
    printer.live(Live::Each);
    let read = input::open(path)
        .and_then(|reader| hex::text(BufReader::new(reader), args.lines, &options, global, &mut printer))
        .map_err(|e| e.context(input::name(path)));
    printer.pick.end(&input::name(path));
    let status = printer.finish(global)?;
    read.map(|stopped| stopped.and_then(|_| interrupt::status(path.as_os_str() == "-")).unwrap_or(status))
}
