//! `netkit check`: checks a file that describes a protocol, alone and against captures.

use super::described::{self, Files};
use super::output::{self, style};
use crate::capture::{self, Input, Packets};
use crate::cli::{Check, Form, Global};
use crate::codec::schema::{SchemaError, Schemas};
use crate::dissect::{Dissector, Options, Registry};
use crate::encode::deeply;
use crate::printable::Json;
use crate::process::notify::warn;
use crate::process::outfile::stdout_is_no_input;
use crate::process::parallel::InputReader;
use crate::process::usage::{broken_pipe, usage};
use crate::process::{input, interrupt};
use crate::protocols;
use crate::protocols::described::check::{Capture, CaptureTally, Findings, Seen};
use crate::protocols::described::{Collector, Described, carrier, mistakes_over};
use crate::read::Any;
use anyhow::Context;
use std::io::{self, Cursor, Write};
use std::path::Path;

/// Runs the command.
pub fn run(args: &Check, global: &Global) -> anyhow::Result<u8> {
    let inputs = args.captures.iter().chain([&args.file]);
    stdout_is_no_input(&super::options::inputs(inputs, &args.dissect)?)?;
    if args.suggest {
        return suggest(args);
    }
    deeply(|| checked(args, global))?
}

/// Prints a first protocol file for the traffic of the captures. If one is damaged, the frames before the damage count.
fn suggest(args: &Check) -> anyhow::Result<u8> {
    let mut collector = Collector::default();
    let read = std::iter::once(&args.file).chain(&args.captures).try_for_each(|path| {
        let mut read = || {
            let capture = capture::Capture::new(Input::new(input::open(path)?)?)?;
            anyhow::Ok(collector.read(&mut Packets::new(capture))?)
        };
        read().with_context(|| input::name(path))
    });
    match collector.suggest(args.server) {
        Ok(file) => io::stdout().write_all(file.as_bytes())?,
        // An error of reading is the reason.
        Err(_) if read.is_err() => {}
        Err(why) => {
            warn(format_args!("{why}"));
            return Ok(1);
        }
    }
    read.map(|()| 0)
}

fn checked(args: &Check, global: &Global) -> anyhow::Result<u8> {
    let file = args.file.display().to_string();
    let bytes = input::bytes(&args.file).with_context(|| file.clone())?;
    if Input::new(Box::new(Cursor::new(bytes.clone()))).is_ok_and(|input| input.format().is_some()) {
        return usage(format!("{file} is a capture: netkit check GAME.toml {file}"));
    }
    let text = std::str::from_utf8(&bytes);
    // The built-in protocol whose payloads the file describes.
    let payloads = text.ok().and_then(carrier).filter(|name| protocols::by_name(name).is_some());
    let mistakes = match text {
        Ok(text) if payloads.is_some() => {
            let added = Schemas::default().add(&file, text, &described::encodings);
            added.err().into_iter().collect()
        }
        Ok(text) => mistakes_over(&file, text, &|name| files(args).carrier(name)),
        Err(error) => {
            let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let line = 1 + good.iter().filter(|b| **b == b'\n').count();
            vec![SchemaError { file: file.clone(), line, reason: "not UTF-8, as TOML is".into() }]
        }
    };
    let mut findings = Findings { file, described: None, mistakes, captures: Vec::new(), unseen: None };
    let mut failed = None;
    if findings.mistakes.is_empty() && (payloads.is_none() || !args.captures.is_empty()) {
        let (options, own) = options(args)?;
        findings.described = Some(own);
        failed = against(args, global, &options, own, &mut findings)?;
    }
    print(args, global, &findings)?;
    let mut stopped = false;
    for (path, capture) in args.captures.iter().zip(&findings.captures) {
        stopped |= capture.stopped.inspect(|stopped| _ = stopped.report(path)).is_some();
    }
    if let Some(error) = failed {
        return Err(error);
    }
    let endless = args.captures.iter().any(|path| path.as_os_str() == "-");
    if let Some(status) = interrupt::status(endless).filter(|_| stopped) {
        return Ok(status);
    }
    Ok(!findings.hold(args.allow_empty) as u8)
}

/// The files of the run.
fn files(args: &Check) -> Files<'_> {
    let dissect = &args.dissect;
    Files { protocols: &dissect.protocol_file, schemas: &dissect.schema, own: Some(&args.file) }
}

/// Returns the options, with the protocol of the file.
fn options(args: &Check) -> anyhow::Result<(Options, &'static Described)> {
    let dissect = &args.dissect;
    let loaded = files(args).load()?;
    let own = loaded.all.iter().find(|described| Some(described.facts().name) == loaded.own.as_deref());
    let Some(own) = own.copied() else {
        let why = "describes payloads of a built-in protocol: netkit decode CAPTURE --schema reads them";
        return usage(format!("{}: {why}", args.file.display()));
    };
    let mut options = Options { from: dissect.from, server: args.server, ..protocols::options() };
    options.registry = Registry::new(options.registry.iter().chain(loaded.dissectors()));
    match dissect.proto.as_deref() {
        None | Some("auto") => {}
        Some(name) if name == own.facts().name || Path::new(name) == args.file => {
            options.proto = Some(own.facts().name.into())
        }
        Some(other) => {
            let (file, name) = (args.file.display(), own.facts().name);
            return usage(format!("-p {other}: {file} describes {name}: -p {name} reads every packet as {name}"));
        }
    }
    super::selection::ports(&args.port, &mut options)?;
    super::selection::limits(&args.limit, &mut options)?;
    super::options::settings(&dissect.set, &mut options)?;
    options.schemas = loaded.schemas.into();
    Ok((options, own))
}

/// Reads the captures. Returns the first error.
fn against(
    args: &Check,
    global: &Global,
    options: &Options,
    own: &'static Described,
    findings: &mut Findings,
) -> anyhow::Result<Option<anyhow::Error>> {
    let (mut seen, mut failed) = (Seen::default(), None);
    for path in &args.captures {
        let mut reading = CaptureTally::new(own, options, args.first.into(), seen);
        let done = InputReader::new(options, global).file(path, &mut Any(&mut reading));
        let (tally, all) = reading.end();
        seen = all;
        let (stopped, error) = match done {
            Ok(stopped) => (stopped, None),
            Err(error) if broken_pipe(&error) => return Err(error),
            Err(error) => (None, Some(error)),
        };
        let why = error.as_ref().map(|error| format!("{error:#}"));
        findings.captures.push(Capture { name: input::name(path), tally, stopped, error: why });
        failed = failed.or(error);
        if stopped.is_some() {
            break;
        }
    }
    if !args.captures.is_empty() {
        findings.unseen = Some(own.unseen(&|name, from| seen.has(name, from)));
    }
    Ok(failed)
}

fn print(args: &Check, global: &Global, findings: &Findings) -> anyhow::Result<()> {
    if args.format == Form::Json {
        writeln!(io::stdout(), "{}", Json(format!("{:#}", findings.json(args.allow_empty))))?;
    } else {
        let style = style(global, false);
        output::page(&findings.text(args.allow_empty, style.colour), style.colour)?;
    }
    Ok(())
}
