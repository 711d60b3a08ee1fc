//! `netkit check`: checks a file that describes a protocol, alone and against captures.

mod excerpt;
mod json;
mod rejected;
mod suggested;
mod tally;
mod text;

use super::described::{self, Files};
use super::outfile::stdout_is_no_input;
use super::output::{self, style};
use super::stopped::Stopped;
use super::usage::{Usage, usage};
use super::{input, interrupt, read};
use crate::capture::Input;
use crate::cli::{Check, Form, Global};
use crate::codec::schema::{SchemaError, Schemas};
use crate::dissect::{Dissector, Options, Registry};
use crate::encode::deeply;
use crate::printable::Json;
use crate::protocols::{
    self,
    described::{Described, carrier, mistakes_over},
};
use anyhow::Context;
use std::io::{Cursor, Write};
use std::path::Path;
use tally::Tally;

/// The findings for a file.
pub struct Findings {
    /// Its name.
    file: String,
    /// The protocol, if the file has no mistakes.
    described: Option<&'static Described>,
    mistakes: Vec<SchemaError>,
    captures: Vec<Capture>,
    /// The file's messages that occur in no capture; `None`: there are no captures.
    unseen: Option<Vec<String>>,
}

/// The findings for a capture.
struct Capture {
    name: String,
    tally: Tally,
    stopped: Option<Stopped>,
    /// The reason why it could not be read to its end.
    error: Option<String>,
}

impl Findings {
    /// Whether there are no errors. `empty`: captures without the protocol's packets are accepted.
    fn hold(&self, empty: bool) -> bool {
        let tried = self.captures.iter().any(|capture| capture.tally.tried() > 0);
        self.mistakes.is_empty()
            && self.captures.iter().all(|capture| capture.tally.holds())
            && (tried || empty || self.captures.is_empty())
    }
}

/// Runs the command.
pub fn run(args: &Check, global: &Global) -> anyhow::Result<u8> {
    let inputs = args.captures.iter().chain([&args.file]).chain(&args.dissect.protocol_file);
    stdout_is_no_input(&super::options::inputs(inputs, &args.dissect.schema))?;
    if args.suggest {
        return suggested::run(args);
    }
    deeply(|| checked(args, global))?
}

fn checked(args: &Check, global: &Global) -> anyhow::Result<u8> {
    let file = args.file.display().to_string();
    let text = input::bytes(&args.file).with_context(|| file.clone())?;
    if Input::new(Box::new(Cursor::new(text.clone()))).is_ok_and(|input| input.format().is_some()) {
        return usage(format!("{file} is a capture: netkit check GAME.toml {file}"));
    }
    let found = match std::str::from_utf8(&text) {
        Ok(text) => match payloads_of(text) {
            Some(_) => {
                let added = Schemas::default().add(&file, text, &described::encodings);
                added.err().into_iter().collect()
            }
            None => mistakes_over(&file, text, &|name| files(args).carrier(name)),
        },
        Err(error) => {
            let line =
                1 + text.get(..error.valid_up_to()).map_or(0, |good| good.iter().filter(|b| **b == b'\n').count());
            vec![SchemaError { file: file.clone(), line, reason: "not UTF-8, as TOML is".into() }]
        }
    };
    let mut findings = Findings { file, described: None, mistakes: found, captures: Vec::new(), unseen: None };
    let mut ended = Ended::default();
    let payloads = std::str::from_utf8(&text).ok().and_then(payloads_of);
    if findings.mistakes.is_empty() && (payloads.is_none() || !args.captures.is_empty()) {
        let (options, own) = options(args)?;
        findings.described = Some(own);
        against(args, global, &options, own, &mut findings, &mut ended)?;
    }
    print(args, global, &findings)?;
    for stopped in &ended.stopped {
        stopped.0.report(&stopped.1);
    }
    if let Some(error) = ended.error {
        return Err(error);
    }
    let endless = args.captures.iter().any(|path| path.as_os_str() == "-");
    if let Some(status) = interrupt::status(endless).filter(|_| !ended.stopped.is_empty()) {
        return Ok(status);
    }
    Ok(!findings.hold(args.allow_empty) as u8)
}

/// The end of the reading.
#[derive(Default)]
struct Ended {
    stopped: Vec<(Stopped, std::path::PathBuf)>,
    error: Option<anyhow::Error>,
}

/// The files of the run.
fn files(args: &Check) -> Files<'_> {
    let dissect = &args.dissect;
    Files { protocols: &dissect.protocol_file, schemas: &dissect.schema, own: Some(&args.file) }
}

/// The built-in protocol whose payloads a file describes.
fn payloads_of(text: &str) -> Option<String> {
    carrier(text).filter(|name| protocols::by_name(name).is_some())
}

/// Returns the options, with the protocol of the file.
fn options(args: &Check) -> anyhow::Result<(Options, &'static Described)> {
    let dissect = &args.dissect;
    let loaded = files(args).load()?;
    let own = loaded.all.iter().find(|described| Some(described.facts().name) == loaded.own.as_deref());
    let own = *own.context("the payloads of a built-in protocol: netkit decode CAPTURE --schema reads them")?;
    let mut options = Options { from: dissect.from, server: args.server, ..protocols::options() };
    options.registry = Registry::new(options.registry.iter().chain(loaded.dissectors()));
    match dissect.proto.as_deref() {
        None | Some("auto") => {}
        Some(name) if name == own.facts().name || Path::new(name) == args.file => {
            options.proto = Some(own.facts().name.into())
        }
        Some(other) => {
            let (file, name) = (args.file.display(), own.facts().name);
            return usage(format!("-p {other}: {file} describes {name}: -p {name} reads everything as it"));
        }
    }
    for (_, name) in &args.port {
        described::known(name, &options.registry)?;
    }
    options.ports.clone_from(&args.port);
    super::selection::limits(&args.limit, &mut options)?;
    for text in &dissect.set {
        options.set(text).map_err(|why| Usage(format!("-s {text}: {why}")))?;
    }
    options.schemas = loaded.schemas.into();
    Ok((options, own))
}

/// Reads the captures.
fn against(
    args: &Check,
    global: &Global,
    options: &Options,
    own: &'static Described,
    findings: &mut Findings,
    ended: &mut Ended,
) -> anyhow::Result<()> {
    let mut seen = tally::Seen::default();
    for path in &args.captures {
        let mut reading = tally::CaptureTally::new(own, options, args.first.into(), seen);
        let done = read::file(path, options, global, &mut reading);
        let (tally, all) = reading.end();
        seen = all;
        let (stopped, error) = match done {
            Ok(stopped) => (stopped, None),
            Err(error) if super::usage::broken_pipe(&error) => return Err(error),
            Err(error) => (None, Some(error)),
        };
        let why = error.as_ref().map(|error| format!("{error:#}"));
        findings.captures.push(Capture { name: input::name(path), tally, stopped, error: why });
        ended.error = ended.error.take().or(error);
        if let Some(stopped) = stopped {
            ended.stopped.push((stopped, path.clone()));
            break;
        }
    }
    if !args.captures.is_empty() {
        findings.unseen = Some(own.unseen(&|name, from| seen.has(name, from)));
    }
    Ok(())
}

fn print(args: &Check, global: &Global, findings: &Findings) -> anyhow::Result<()> {
    if args.format == Form::Json {
        let holds = findings.hold(args.allow_empty);
        writeln!(std::io::stdout(), "{}", Json(format!("{:#}", json::json(findings, holds))))?;
    } else {
        let style = style(global, false);
        output::page(&text::text(findings, args.allow_empty, style.colour), style.colour)?;
    }
    Ok(())
}
