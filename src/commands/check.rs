//! `netkit decode --check`: encodes every message again from its own JSON line and compares the bytes, to verify that
//! no information is lost.

use super::gates::{Pick, merged};
use super::notify::notify;
use super::parallel::{InputReader, Shared};
use super::{input, interrupt};
use crate::capture::Capture;
use crate::cli::{Decode, Global};
use crate::dissect::{Message, Options, Sink};
use crate::encode::{self, Encoders, Entry, Source, deeply};
use crate::plural::Plural;
use crate::printable::Lines;
use crate::read::{CaptureSink, Gate, Producer, Receiver, Summary};
use crate::render::Ndjson;
use std::io::Write;

/// Runs the check over the files. Returns exit status 1 if bytes differ, or if there are no messages.
pub fn run(args: &Decode, pick: Pick, options: &Options, global: &Global) -> anyhow::Result<u8> {
    deeply(|| files(args, pick, options, global))?
}

fn files(args: &Decode, pick: Pick, options: &Options, global: &Global) -> anyhow::Result<u8> {
    let mut check = Check::new(options, pick);
    let (mut whole, mut checked, mut stopped) = (true, 0, None);
    let reading = InputReader { options, global, threads: args.threads, follow: false, link: false };
    for path in &args.files {
        check.next();
        let read = reading.file(path, &mut check);
        checked += check.results.messages;
        whole &= check.results.different == 0;
        if let Some(first) = &check.results.first {
            writeln!(
                std::io::stdout(),
                "{}: {} of {} differ; the first: {}",
                Lines(input::name(path)),
                check.results.different,
                check.results.messages,
                Lines(first)
            )?;
        }
        stopped = read?;
        match stopped {
            Some(stopped) => _ = stopped.report(path),
            None if check.pick.done() => {}
            None => check.pick.end(&input::name(path)),
        }
        if stopped.is_some() || check.pick.done() {
            break;
        }
    }
    if whole && checked > 0 {
        let until = if stopped.is_some() { " until it was stopped" } else { "" };
        let checked = Plural(checked, "message");
        notify(global, format_args!("{checked}{until}, each encodes back to its bytes"));
    }
    let endless = args.follow || args.files.iter().any(|path| path.as_os_str() == "-");
    if let Some(status) = stopped.and_then(|_| interrupt::status(endless)) {
        return Ok(status);
    }
    Ok(!(check.pick.holds(global) && whole) as u8)
}

/// The result for a message.
enum Checked {
    Same,
    Different,
    /// The first difference in a thread.
    First(String),
}

/// The result for a message, which may be one of several in a packet.
pub enum Compared {
    /// The packet is not complete; its last message has its bytes.
    Begun,
    /// The bytes are the same.
    Same,
    /// The bytes differ, or encoding failed for this reason.
    Different(Result<Vec<u8>, String>),
}

/// Encodes messages again and compares them. Each thread has its own.
pub struct Checker<'a> {
    source: Source,
    encoders: Encoders<'a>,
    printer: Ndjson,
    line: Vec<u8>,
    /// The bytes of the packet so far, if messages are parts of one.
    packet: Vec<u8>,
    /// Whether a difference was found.
    found: bool,
}

impl<'a> Checker<'a> {
    /// Creates it with these options.
    pub fn new(options: &'a Options) -> Checker<'a> {
        let (encoders, printer) = (Encoders::new(options), Ndjson::new(false));
        let source = Source::new(options.registry.clone());
        Checker { source, encoders, printer, line: Vec::new(), packet: Vec::new(), found: false }
    }

    /// Encodes the message from its own JSON line.
    fn again(&mut self, message: &Message<'_>) -> Result<Option<Vec<u8>>, String> {
        self.line.clear();
        self.printer.message(message, &mut self.line);
        let object = encode::json(&self.line).map_err(|e| format!("the line is not JSON: {e}"))?;
        let entry = Entry::new(object, &self.source).map_err(|e| e.to_string())?;
        self.encoders.part(&entry).map_err(|e| e.to_string())
    }

    /// Returns the bytes so far of the packet with the last message.
    pub fn packet(&self) -> &[u8] {
        &self.packet
    }

    /// Encodes a message again. If it is the last one of its packet, compares the packet.
    pub fn compare(&mut self, message: &Message<'_>) -> Compared {
        if message.dissection.part.is_none_or(|(part, _)| part == 1) {
            self.packet.clear();
        }
        self.packet.extend_from_slice(message.place.bytes);
        match self.again(message) {
            Ok(None) => Compared::Begun,
            Ok(Some(bytes)) if bytes == self.packet => Compared::Same,
            Ok(Some(bytes)) => Compared::Different(Ok(bytes)),
            Err(why) => Compared::Different(Err(why)),
        }
    }

    fn check(&mut self, message: &Message<'_>) -> Checked {
        let what = match self.compare(message) {
            Compared::Begun | Compared::Same => return Checked::Same,
            Compared::Different(_) if std::mem::replace(&mut self.found, true) => return Checked::Different,
            Compared::Different(Ok(bytes)) => {
                format!("gives {}, was {}", hex::encode(bytes), hex::encode(&self.packet))
            }
            Compared::Different(Err(why)) => why,
        };
        let dissection = message.dissection;
        Checked::First(format!("frame {} {}.{}: {what}", message.place.frame, dissection.proto, dissection.message))
    }
}

impl Producer<Checked> for Checker<'_> {
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<Checked>) -> bool {
        out.push(self.check(message));
        true
    }
}

/// Checks messages, and counts the results.
struct Check<'a> {
    checker: Checker<'a>,
    results: Results,
    pick: Pick,
}

/// The results for a file.
#[derive(Default)]
struct Results {
    messages: u64,
    different: u64,
    first: Option<String>,
}

impl Receiver<Checked> for Results {
    fn receive(&mut self, items: &[Checked]) {
        self.messages += items.len() as u64;
        for item in items {
            self.different += u64::from(!matches!(item, Checked::Same));
            if let (Checked::First(what), None) = (item, &self.first) {
                self.first = Some(what.clone());
            }
        }
    }
}

impl<'a> Check<'a> {
    fn new(options: &'a Options, pick: Pick) -> Check<'a> {
        Check { checker: Checker::new(options), results: Results::default(), pick }
    }

    /// Starts the next file.
    fn next(&mut self) {
        self.results = Results::default();
        self.checker.found = false;
    }
}

impl Sink for Check<'_> {
    fn message(&mut self, message: &Message<'_>) {
        if self.pick.wants(message) {
            self.results.receive(&[self.checker.check(message)]);
        }
    }
}

impl Shared for Check<'_> {
    fn divides(&self) -> bool {
        self.pick.divides()
    }

    fn shared(&mut self, capture: Capture, options: &Options, count: usize) -> Summary {
        self.begin();
        let checkers = std::iter::repeat_with(|| Checker::new(options)).take(count + 1).collect();
        merged(capture, options, checkers, &mut self.pick, &mut self.results)
    }
}

impl CaptureSink for Check<'_> {
    fn gate(&mut self) -> Option<&mut dyn Gate> {
        Some(&mut self.pick)
    }
}
