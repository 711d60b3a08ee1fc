//! `netkit probe`: probes live servers.

use super::options::{described_options, inputs};
use super::output::style;
use super::probe_print::{Printer, Update};
use super::selection::limits;
use super::targets;
use crate::cli::{self, Dissect, Global, Probe, protocol_files_given};
use crate::dissect::{Dissector, Options, Server};
use crate::live::net::Recorder;
use crate::live::probe::asked::Asked;
use crate::live::probe::trees::Trees;
use crate::live::probe::{self, Memory, Request, Shared, pool};
use crate::live::{Client, Clients, Observer};
use crate::printable::Printable;
use crate::process::interrupt;
use crate::process::outfile::{self, OutFile, Recording};
use crate::process::usage::{Usage, broken_pipe, usage};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// The interval in which a wait checks whether it was ended.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The limit for a peer's messages is divided by this for the messages that are shown.
const SHOWN: usize = 64;

/// Runs the command. For Nagios, every error is the state UNKNOWN.
pub fn run(args: &Probe, global: &Global) -> anyhow::Result<u8> {
    match rounds(args, global) {
        Err(why) if args.format == cli::Form::Nagios && !broken_pipe(&why) => {
            unknown(&format!("{why:#}"))?;
            Ok(3)
        }
        done => done,
    }
}

/// Prints an error in the form of Nagios.
///
/// # Errors
/// Returns the errors of the output.
pub fn unknown(why: &str) -> io::Result<()> {
    writeln!(io::stdout(), "NETKIT UNKNOWN - {}", Printable(why.replace('|', "/")))
}

fn rounds(args: &Probe, global: &Global) -> anyhow::Result<u8> {
    let format = match (&args.textfile, args.format) {
        (Some(_), cli::Form::Text | cli::Form::Prometheus) => cli::Form::Prometheus,
        (Some(_), _) => return usage("--textfile: only with -f prometheus"),
        (None, format) => format,
    };
    if args.every.is_some() && matches!(format, cli::Form::Json | cli::Form::Nagios) {
        let why = "--every: not with -f json, which is one array (ndjson), nor with -f nagios, whose server repeats the probe";
        return usage(why);
    }
    let targets = targets::all(args)?;
    let requests = requests(args, &targets)?;
    let dissect = Dissect::of(args.proto.as_ref(), &args.protocol_file, &args.set, &args.schema);
    let inputs = inputs(&args.targets, &dissect)?;
    let file = outfile::check("--pcap", args.pcap.as_deref(), &inputs, args.force)?;
    textfile(args, &inputs)?;
    // All requests have the user's limits.
    let most = requests.first().map_or(usize::MAX, |(_, request)| request.options.limits.live.pcap_bytes);
    let read = || recorded(&targets, &requests);
    let recording = file.map(|file| Recording::begin(file, most, read)).transpose()?;
    let (stop, flows, memory) = (interrupt::stop(), AtomicU64::new(0), Memory::default());
    let round = Round { targets: &targets, requests: &requests, args, global, format, flows: &flows, memory: &memory };
    let asked = round.all(recording.as_ref(), &inputs);
    // The recording is completed even if the reader of the output is gone.
    let ended = recording.map_or(Ok(()), |recording| recording.end(global, args.every.is_some()));
    let status = asked?;
    ended?;
    // Rounds have no end of their own: Ctrl-C ends them.
    match (args.every.is_some(), format) {
        (true, _) if stop.is_set() => Ok(interrupt::status(true).unwrap_or(0)),
        (_, cli::Form::Nagios) => Ok(status),
        _ => Ok(interrupt::status(false).unwrap_or(status)),
    }
}

/// Returns the options for reading the recording: the probed targets are the servers.
fn recorded(targets: &[Asked], requests: &[(Option<String>, Request)]) -> Options {
    let mut options = requests.first().map_or_else(crate::protocols::options, |(_, request)| request.options.clone());
    let mut ports = BTreeMap::new();
    for Asked { target, proto, .. } in targets {
        let request = requests.iter().find(|(of, _)| of == proto).map(|(_, request)| request);
        if let Some((request, port)) = request.and_then(|request| Some((request, probe::port(request, target).ok()?))) {
            let known = ports.entry(port).or_insert_with(|| request.options.proto.clone());
            *known = known.take().filter(|known| Some(known) == request.options.proto.as_ref());
        }
    }
    options.servers = ports.keys().map(|port| Server::at_port(*port)).collect();
    if ports.values().any(|proto| *proto != options.proto) {
        options.proto = None;
        options.ports.extend(ports.into_iter().filter_map(|(port, proto)| Some((port, proto?))));
    }
    options
}

/// Checks the file for node_exporter, which is replaced each time.
fn textfile(args: &Probe, inputs: &[&Path]) -> anyhow::Result<Option<OutFile>> {
    let file = outfile::check("--textfile", args.textfile.as_deref(), inputs, true)?;
    if args.textfile.as_ref().is_some_and(|name| name.extension().is_none_or(|ending| ending != "prom")) {
        return usage("--textfile: node_exporter reads only names that end in .prom");
    }
    Ok(file)
}

/// The state that all rounds share.
struct Round<'a> {
    targets: &'a [Asked],
    requests: &'a [(Option<String>, Request)],
    args: &'a Probe,
    global: &'a Global,
    format: cli::Form,
    flows: &'a AtomicU64,
    memory: &'a Memory,
}

impl Round<'_> {
    /// Probes in rounds, as often as requested. Returns the last exit status.
    fn all(&self, recording: Option<&Recording>, inputs: &[&Path]) -> anyhow::Result<u8> {
        let stop = interrupt::stop();
        loop {
            let begun = Instant::now();
            let status = self.ask(recording.map(Recording::recorder), inputs)?;
            let Some(every) = self.args.every.filter(|_| !stop.is_set()) else { return Ok(status) };
            recording.map_or(Ok(()), Recording::flush)?;
            while begun.elapsed() < every && !stop.is_set() {
                std::thread::sleep(LOOK_AGAIN.min(every.saturating_sub(begun.elapsed())));
            }
            if stop.is_set() {
                return Ok(status);
            }
        }
    }

    /// Probes all targets once. Returns the exit status.
    fn ask(&self, recorder: Option<&Recorder>, inputs: &[&Path]) -> anyhow::Result<u8> {
        let (targets, stop, style) = (self.targets, interrupt::stop(), style(self.global, false));
        let shared = Shared { recorder, stop, flows: self.flows, memory: self.memory };
        let work = |number: usize, send: &dyn Fn(Update)| {
            let Some(asked) = targets.get(number) else { return };
            let Some((_, request)) = self.requests.iter().find(|(proto, _)| *proto == asked.proto) else { return };
            if stop.is_set() {
                return;
            }
            // The text for a target waits in memory until the targets before it are finished.
            let shown = request.options.limits.peer.live_kept_bytes / SHOWN;
            let trees = (self.global.verbose > 0).then(|| Rc::new(RefCell::new(Trees::new(style, shown))));
            let forward = || {
                trees.iter().for_each(|t| t.borrow_mut().take().into_iter().for_each(|text| send(Update::Tree(text))))
            };
            let observer = trees.clone().map(|trees| trees as Observer<'_>);
            let report = probe::run(request, &asked.target, &shared, observer, &|event| {
                forward();
                send(Update::Event(event));
            });
            forward();
            send(Update::Done(Box::new(report)));
        };
        let mut printer = Printer::new(self.format, targets, style.colour);
        let mut failed = None;
        // Each server needs a few files at a time.
        let _ = crate::platform::raise_files();
        pool::run(targets.len(), self.args.parallel as usize, work, |number, update| {
            match printer.update(number, update) {
                Ok(()) => true,
                Err(error) => {
                    stop.set();
                    failed.get_or_insert(error);
                    false
                }
            }
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        let status = match textfile(self.args, inputs)? {
            // A stopped round does not cover all servers, so the older file stays.
            Some(_) if stop.is_set() => None,
            Some(mut file) => {
                let mut to = file.open()?;
                to.write_all(printer.prometheus().as_bytes()).map_err(|error| file.named(error))?;
                drop(to);
                file.commit()?;
                None
            }
            None => printer.finish()?,
        };
        Ok(status.unwrap_or((printer.answered < targets.len()) as u8))
    }
}

/// Returns a request for each requested protocol.
fn requests(args: &Probe, targets: &[Asked]) -> anyhow::Result<Vec<(Option<String>, Request)>> {
    let mut list: Vec<(Option<String>, Request)> = Vec::new();
    for asked in targets {
        if !list.iter().any(|(proto, _)| *proto == asked.proto) {
            list.push((asked.proto.clone(), request(args, asked.proto.as_ref())?));
        }
        let request = list.iter().find(|(proto, _)| *proto == asked.proto).map(|(_, request)| request);
        if let Some(Err(why)) = request.map(|request| probe::port(request, &asked.target)) {
            return usage(format!("{}{why}", asked.place));
        }
    }
    Ok(list)
}

/// Returns a request. `proto`: set if the target's own line names a protocol.
fn request(args: &Probe, proto: Option<&String>) -> anyhow::Result<Request> {
    let dissect = Dissect::of(proto.or(args.proto.as_ref()), &args.protocol_file, &args.set, &args.schema);
    let (mut options, described) = described_options(&dissect)?;
    let mut clients = described.clients();
    limits(&args.limit, &mut options)?;
    let proto = options.proto.as_deref().and_then(|name| options.registry.by_name(name));
    if let Some(dissector) = proto.filter(|dissector| clients.probe(dissector.name()).is_none()) {
        let name = dissector.name();
        let why = format!("{name}: its file has no [probe], which describes the question: netkit help protocol-files");
        return usage(why);
    }
    if proto.is_none() && protocol_files_given() {
        let given: Vec<&str> = described.all.iter().map(|described| described.facts().name).collect();
        let asked = |client: &Client| client.probe.is_some() && given.contains(&client.dissector.name());
        let asked: Vec<_> = clients.iter().filter(asked).collect();
        if asked.is_empty() {
            let why = format!("{}: no file has a [probe], which says what is asked", given.join(", "));
            return usage(why);
        }
        clients = Clients::new(asked);
    }
    if let (Some(dissector), Some(carrier)) = (proto, args.transport) {
        let methods = clients.probe(dissector.name()).map_or(&[][..], |probe| probe.servers().methods);
        if !methods.iter().any(|course| course.carrier == carrier) {
            let mut all: Vec<&str> = methods.iter().map(|course| course.carrier.name()).collect();
            all.dedup();
            let all = all.join(", ");
            let text = format!("--transport {}: {} goes over {all}", carrier.name(), dissector.name());
            return usage(text);
        }
    }
    let costs = proto.and_then(|dissector| Some((dissector, clients.probe(dissector.name())?.costs(args.connect)?)));
    if let (Some((dissector, why)), Some(_)) = (costs, args.every) {
        return usage(format!("--every: {}: {why}", dissector.name()));
    }
    let data = match (&args.connect_data, proto) {
        (None, _) => None,
        // A password must only be sent to servers of its own protocol.
        (Some(_), None) => return usage("--connect-data: name its protocol with -p"),
        (Some(data), Some(dissector)) => {
            let data = clients.probe(dissector.name()).map(|probe| probe.data(data));
            let wrong = |why: String| Usage(format!("--connect-data: {}: {why}", dissector.name()));
            data.transpose().map_err(wrong)?
        }
    };
    Ok(Request {
        proto,
        carrier: args.transport,
        clients,
        options,
        samples: args.samples,
        interval: args.interval,
        timeout: args.timeout,
        connect: args.connect,
        create: args.create.clone(),
        name: args.name.clone(),
        data,
        max_time: args.max_time,
        rounds: args.every.is_some(),
    })
}
