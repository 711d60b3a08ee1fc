//! `netkit probe`: probes live servers.

use super::outfile::{self, Recording};
use super::output::style;
use super::selection::limits;
use super::{Usage, input, inputs, interrupt, options};
use crate::cli::{Dissect, Global, Probe, ProbeFormat, ProbeTransport};
use anyhow::Context;
use netkit::dissect::{Message, Sink};
use netkit::live::Observer;
use netkit::live::net::Target;
use netkit::live::probe::{self, Carrier, Event, Found, Outcome, Report, Request, Shared, pool, report};
use netkit::printable::{Json, Lines};
use netkit::protocols;
use netkit::render::{self, Renderer, Style};
use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Write};
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

/// The cap on targets.
const TARGETS: usize = 100_000;

/// An update from a worker.
enum Update {
    Event(Event),
    Tree(Vec<u8>),
    Done(Box<Report>),
}

/// Runs the command.
pub fn run(args: &Probe, global: &Global) -> anyhow::Result<u8> {
    let request = request(args)?;
    let targets = targets(args, &request)?;
    let [file] = outfile::check([("--pcap", args.pcap.as_deref())], &inputs(&args.targets, &[]), args.force)?;
    let recording = file.map(Recording::begin).transpose()?;
    let recorder = recording.as_ref().map(Recording::recorder);
    let stop = interrupt::stop();

    let (flows, style) = (AtomicU64::new(0), style(global, false));
    let shared = Shared { recorder, stop, flows: &flows };
    let work = |number: usize, send: &dyn Fn(Update)| {
        let Some(target) = targets.get(number) else { return };
        if stop.is_set() {
            return;
        }
        let trees = (global.verbose > 0).then(|| Rc::new(RefCell::new(Trees::new(style))));
        let forward =
            || trees.iter().for_each(|t| t.borrow().take().into_iter().for_each(|text| send(Update::Tree(text))));
        let observer = trees.clone().map(|trees| trees as Observer<'_>);
        let report = probe::run(&request, target, &shared, observer, &|event| {
            forward();
            send(Update::Event(event));
        });
        forward();
        send(Update::Done(Box::new(report)));
    };
    let mut printer = Printer::new(args.format, &targets);
    let mut failed = None;
    pool::run(targets.len(), args.parallel as usize, work, |number, update| match printer.update(number, update) {
        Ok(()) => true,
        Err(error) => {
            stop.set();
            failed.get_or_insert(error);
            false
        }
    });
    if let Some(recording) = recording {
        recording.end(global)?;
    }
    match failed {
        Some(error) => return Err(error.into()),
        None => printer.finish()?,
    }
    Ok(interrupt::status(false).unwrap_or((printer.answered < targets.len()) as u8))
}

fn request(args: &Probe) -> anyhow::Result<Request> {
    let dissect = Dissect { proto: args.proto.clone(), set: args.set.clone(), ..Dissect::default() };
    let mut options = options(&dissect)?;
    limits(&args.limit, &mut options)?;
    let carrier = args.transport.map(|transport| match transport {
        ProbeTransport::Udp => Carrier::Udp,
        ProbeTransport::Tcp => Carrier::Tcp,
        ProbeTransport::Ws => Carrier::Ws,
    });
    let proto = options.proto.as_deref().and_then(|name| options.registry.by_name(name));
    if let (Some(dissector), Some(carrier)) = (proto, carrier) {
        let methods = protocols::clients().probe(dissector.name()).map_or(&[][..], |probe| probe.servers().methods);
        if !methods.iter().any(|course| course.carrier == carrier) {
            let mut all: Vec<&str> = methods.iter().map(|course| course.carrier.name()).collect();
            all.dedup();
            let all = all.join(", ");
            let text = format!("--transport {}: {} goes over {all}", carrier.name(), dissector.name());
            return Err(Usage(text).into());
        }
    }
    Ok(Request {
        proto,
        carrier,
        clients: protocols::clients(),
        options,
        samples: args.samples,
        interval: args.interval,
        timeout: args.timeout,
        connect: args.connect,
        create: args.create.clone(),
        name: args.name.clone(),
        max_time: args.max_time,
    })
}

/// All targets, in order.
fn targets(args: &Probe, request: &Request) -> anyhow::Result<Vec<Target>> {
    let mut texts: Vec<(String, String)> = args.target.iter().map(|t| (String::new(), t.clone())).collect();
    if let Some(path) = &args.targets {
        let reader = BufReader::new(input::open(path).with_context(|| input::name(path))?);
        for (k, line) in reader.lines().enumerate() {
            let line = line.with_context(|| input::name(path))?;
            let text = line.split('#').next().unwrap_or("").trim();
            if !text.is_empty() {
                texts.push((format!("{} line {}: ", input::name(path), k + 1), text.into()));
            }
            if texts.len() > TARGETS {
                return Err(Usage(format!("{}: more than {TARGETS} targets", input::name(path))).into());
            }
        }
    }
    if texts.is_empty() {
        let list = args.targets.as_deref().map_or("the list".into(), input::name);
        return Err(Usage(format!("no target: {list} has none")).into());
    }
    let target = |(place, text): (String, String)| {
        let target: Target = text.parse().map_err(|why| Usage(format!("{place}{why}")))?;
        probe::port(request, &target).map_err(|why| Usage(format!("{place}{why}")))?;
        Ok(target)
    };
    texts.into_iter().map(target).collect()
}

/// Renders messages as trees, into memory.
struct Trees {
    renderer: Renderer,
    text: Memory,
}

#[derive(Clone, Default)]
struct Memory(Rc<RefCell<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Trees {
    fn new(style: Style) -> Trees {
        let text = Memory::default();
        Trees { renderer: Renderer::new(render::Format::Tree, style, Box::new(text.clone())), text }
    }

    fn take(&self) -> Option<Vec<u8>> {
        Some(std::mem::take(&mut *self.text.0.borrow_mut())).filter(|text| !text.is_empty())
    }
}

impl Sink for Trees {
    fn message(&mut self, message: &Message<'_>) {
        self.renderer.message(message);
        self.renderer.flush();
    }
}

/// Prints updates, in the order of the targets.
struct Printer<'a> {
    format: ProbeFormat,
    targets: &'a [Target],
    introduced: Option<Found>,
    printed: usize,
    answered: usize,
}

impl<'a> Printer<'a> {
    fn new(format: ProbeFormat, targets: &'a [Target]) -> Printer<'a> {
        Printer { format, targets, introduced: None, printed: 0, answered: 0 }
    }

    fn update(&mut self, number: usize, update: Update) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let target = self.targets.get(number).map_or("", |target| &target.text);
        match (update, self.format) {
            (Update::Tree(text), ProbeFormat::Text) => out.write_all(&text)?,
            // Stdout stays valid JSON: the trees go to stderr.
            (Update::Tree(text), _) => io::stderr().write_all(&text)?,
            (Update::Event(Event::Found(found)), format) => {
                if format == ProbeFormat::Text {
                    write!(out, "{}", Lines(report::found_text(target, &found)))?;
                }
                self.introduced = Some(found);
            }
            (Update::Event(Event::Sample(sample)), ProbeFormat::Text) => {
                write!(out, "{}", Lines(report::sample_text(&sample)))?;
            }
            (Update::Event(Event::Sample(sample)), ProbeFormat::Ndjson) => {
                writeln!(out, "{}", Json(report::sample_json(target, &sample)))?;
            }
            (Update::Event(Event::Sample(_)), ProbeFormat::Json) => {}
            (Update::Done(result), format) => {
                self.answered += usize::from(result.outcome == Outcome::Ok);
                let introduced = self.introduced.take();
                match format {
                    ProbeFormat::Text => {
                        write!(out, "{}", Lines(report::summary_text(&result, introduced.as_ref())))?;
                    }
                    ProbeFormat::Ndjson => writeln!(out, "{}", Json(report::summary_json(&result, false)))?,
                    ProbeFormat::Json => {
                        let before = if self.printed == 0 { "[\n" } else { ",\n" };
                        write!(out, "{before}{}", Json(report::summary_json(&result, true)))?;
                    }
                }
                self.printed += 1;
            }
        }
        out.flush()
    }

    fn finish(&mut self) -> io::Result<()> {
        if self.format != ProbeFormat::Json {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(if self.printed == 0 { b"[]\n" } else { b"\n]\n" })?;
        out.flush()
    }
}
