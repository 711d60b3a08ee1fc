//! `netkit decode --check`: encodes every message again from its own JSON line and compares the bytes, to verify that
//! no information is lost.

use super::gates::merged;
use crate::capture::Capture;
use crate::cli::{Decode, Global};
use crate::dissect::{Message, Options, Sink};
use crate::encode::deeply;
use crate::plural::Plural;
use crate::printable::Lines;
use crate::process::notify::notify;
use crate::process::parallel::{InputReader, Shared};
use crate::process::{input, interrupt};
use crate::read::{CaptureSink, Gate, Pick, Producer, Receiver, Summary};
use crate::render::{Again, Compared};
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
                "{}: different when encoded again: {} of {}; the first: {}",
                Lines(input::name(path)),
                check.results.different,
                Plural(check.results.messages, "message"),
                Lines(first)
            )
            .map_err(|error| check.pick.unwritten(error))?;
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
    Ok(!(check.pick.holds() && whole) as u8)
}

/// The result for a message.
enum Checked {
    Same,
    Different,
    /// The first difference in a thread.
    First(String),
}

/// Encodes messages again and compares them. Each thread has its own.
struct Checker<'a> {
    again: Again<'a>,
    /// Whether a difference was found.
    found: bool,
}

impl<'a> Checker<'a> {
    fn new(options: &'a Options) -> Checker<'a> {
        Checker { again: Again::new(options), found: false }
    }

    fn check(&mut self, message: &Message<'_>) -> Checked {
        let what = match self.again.compare(message) {
            Compared::Begun | Compared::Same => return Checked::Same,
            Compared::Different(_) if std::mem::replace(&mut self.found, true) => return Checked::Different,
            Compared::Different(Ok(bytes)) => {
                format!("encoded as {}, captured as {}", hex::encode(bytes), hex::encode(self.again.packet()))
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
