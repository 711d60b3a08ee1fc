//! `netkit dump`: reads messages from hex text.

use super::options::{inputs, options};
use super::output::{Live, Printer};
use super::selection::ports;
use crate::capture::Input;
use crate::cli::{Dump, Format, Global};
use crate::process::notify::notify;
use crate::process::outfile::stdout_is_no_input;
use crate::process::read::text;
use crate::process::usage::usage;
use crate::process::{input, interrupt};
use crate::read::hex::Bytes;
use crate::read::{Pick, Selection};
use std::io::{self, BufReader, Cursor, IsTerminal, Read};
use std::path::{Path, PathBuf};

/// Runs the command.
pub fn run(args: &Dump, global: &Global) -> anyhow::Result<u8> {
    stdout_is_no_input(&inputs(&args.input, &args.dissect)?)?;
    let Format::Printed(_) = args.output.format else {
        let name = args.output.format.name();
        return usage(format!("-f {name} is for decode: captures have frames, times and endpoints"));
    };
    let mut options = options(&args.dissect)?;
    options.server = args.server;
    ports(&args.port, &mut options)?;
    let bytes = match (args.payload, args.packet) {
        (true, _) => Bytes::Payload,
        (_, true) => Bytes::Packet,
        _ => Bytes::Detect,
    };
    let (reader, name) = opened(&args.input, global)?;
    let endless = name == "stdin";
    let pick = Pick::new(Selection::every(), &args.output.gates, false, &options)?;
    let mut printer = Printer::new(&args.output, global, pick, None, &options, None, false)?;
    // The messages of interactive input are printed at once.
    printer.live(Live::Each);
    let read = text(BufReader::new(reader), args.lines, bytes, &options, global, &mut printer)
        .map_err(|error| error.context(name.clone()));
    printer.pick.end(&name);
    let status = printer.finish(global)?;
    read.map(|stopped| stopped.and_then(|_| interrupt::status(endless)).unwrap_or(status))
}

/// Opens the hex text, and returns its name: a file, stdin, or the arguments themselves if they are not files.
fn opened(args: &[PathBuf], global: &Global) -> anyhow::Result<(Box<dyn Read + Send>, String)> {
    let path = match args {
        [] => Path::new("-"),
        [path] if path.as_os_str() == "-" || path.exists() => path,
        _ => {
            if let Some(text) = literal(args) {
                return Ok((Box::new(Cursor::new(text)), "the argument".into()));
            }
            let [path] = args else {
                return usage("several arguments that are not all hex digits: dump reads one file");
            };
            anyhow::bail!("{}: no such file, and not hex digits", path.display());
        }
    };
    let is_file = path.as_os_str() != "-" && std::fs::metadata(path).is_ok_and(|about| about.is_file());
    let is_capture = |file| Input::new(file).is_ok_and(|input| input.format().is_some());
    if is_file && input::open(path).is_ok_and(is_capture) {
        return usage(format!("{} is a capture: netkit decode reads it", input::name(path)));
    }
    if path.as_os_str() == "-" && io::stdin().is_terminal() {
        notify(global, format_args!("reading hex from the terminal; end with Ctrl-D"));
    }
    let reader = input::open(path).map_err(|error| error.context(input::name(path)))?;
    Ok((reader, input::name(path)))
}

/// Returns arguments that consist of hex digits and separators only.
fn literal(args: &[PathBuf]) -> Option<String> {
    let texts: Vec<&str> = args.iter().map(|arg| arg.to_str()).collect::<Option<_>>()?;
    let hex = |text: &&str| {
        text.bytes().any(|b| b.is_ascii_hexdigit())
            && text.bytes().all(|b| b.is_ascii_hexdigit() || b" \t\n,:;xX-".contains(&b))
    };
    if !texts.iter().all(hex) {
        return None;
    }
    // Pure digits are never offsets here: arguments have no offset column.
    let pure = |text: &&str| text.len().is_multiple_of(2) && text.bytes().all(|b| b.is_ascii_hexdigit());
    let words: Vec<&str> = texts.iter().flat_map(|text| text.split([' ', '\t'])).filter(|w| !w.is_empty()).collect();
    let lines = texts.iter().any(|text| text.contains('\n'));
    Some(if !lines && words.iter().all(pure) { words.concat() } else { texts.join(" ") })
}
