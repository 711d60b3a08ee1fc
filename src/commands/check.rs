//! `netkit decode --check`: encodes every message again from its own JSON line and compares the
//! bytes, to verify that no information is lost.

use super::gates::Pick;
use super::notify::notify;
use super::sink::CaptureSink;
use super::{input, interrupt, read};
use crate::cli::{Decode, Global};
use netkit::capture::Time;
use netkit::dissect::{Message, Options, Sink};
use netkit::encode::{self, Encoders, Entry, Source, deeply};
use netkit::plural::Plural;
use netkit::printable::Lines;
use netkit::render::Ndjson;
use std::io::Write;

/// Runs the check over the files: exit status 1 if bytes differ, or if there are no messages.
pub fn run(args: &Decode, pick: Pick, options: &Options, global: &Global) -> anyhow::Result<u8> {
    deeply(|| files(args, pick, options, global))?
}

fn files(args: &Decode, pick: Pick, options: &Options, global: &Global) -> anyhow::Result<u8> {
    let mut check = Check::new(options, pick, args.output.count);
    let (mut whole, mut checked, mut stopped) = (true, 0, None);
    for path in &args.files {
        (check.messages, check.different, check.first) = (0, 0, None);
        let read = read::file(path, options, global, &mut check);
        checked += check.messages;
        whole &= check.different == 0;
        if let Some(first) = &check.first {
            writeln!(
                std::io::stdout(),
                "{}: {} of {} differ; the first: {}",
                Lines(input::name(path)),
                check.different,
                check.messages,
                Lines(first)
            )?;
        }
        stopped = read?;
        match stopped {
            Some(stopped) => _ = stopped.report(path),
            None if check.left == Some(0) => {}
            None => check.pick.end(&input::name(path)),
        }
        if stopped.is_some() || check.left == Some(0) {
            break;
        }
    }
    if whole && checked > 0 {
        let until = if stopped.is_some() { " until it was stopped" } else { "" };
        let checked = Plural(checked, "message");
        notify(global, format_args!("netkit: {checked}{until}, every one gives its bytes back"));
    }
    let endless = args.follow || args.files.iter().any(|path| path.as_os_str() == "-");
    if let Some(status) = stopped.and_then(|_| interrupt::status(endless)) {
        return Ok(status);
    }
    Ok(!(check.pick.holds(global) && whole) as u8)
}

/// Encodes messages again and compares.
struct Check<'a> {
    source: Source,
    encoders: Encoders<'a>,
    printer: Ndjson,
    line: Vec<u8>,
    messages: u64,
    different: u64,
    first: Option<String>,
    pick: Pick,
    /// The number of messages left until `--count` is reached.
    left: Option<u64>,
}

impl<'a> Check<'a> {
    fn new(options: &'a Options, pick: Pick, left: Option<u64>) -> Check<'a> {
        let (encoders, printer) = (Encoders::new(options), Ndjson::new(false));
        let source = Source::new(options.registry.clone());
        Check { source, encoders, printer, line: Vec::new(), messages: 0, different: 0, first: None, pick, left }
    }

    /// Encodes the message from its own JSON line.
    fn again(&mut self, message: &Message<'_>) -> Result<Vec<u8>, String> {
        self.line.clear();
        self.printer.message(message, &mut self.line);
        let object = encode::json(&self.line).map_err(|e| format!("the line is no JSON: {e}"))?;
        let entry = Entry::new(object, &self.source).map_err(|e| e.to_string())?;
        self.encoders.encode(&entry).map_err(|e| e.to_string())
    }
}

impl Sink for Check<'_> {
    fn message(&mut self, message: &Message<'_>) {
        if self.left == Some(0) || !self.pick.wants(message) {
            return;
        }
        self.left = self.left.map(|left| left - 1);
        self.messages += 1;
        let again = self.again(message);
        if again.as_deref() == Ok(message.place.bytes) {
            return;
        }
        self.different += 1;
        if self.first.is_none() {
            let what = match again {
                Ok(bytes) => format!("gives {}, was {}", hex::encode(bytes), hex::encode(message.place.bytes)),
                Err(why) => why,
            };
            let dissection = message.dissection;
            self.first =
                Some(format!("frame {} {}.{}: {what}", message.place.frame, dissection.proto, dissection.message));
        }
    }
}

impl CaptureSink for Check<'_> {
    fn begin(&mut self) {
        self.pick.begin();
    }

    fn frame(&mut self, time: Time) {
        self.pick.selection.frame(time);
    }

    fn go_on(&mut self, _: impl FnOnce() -> bool) -> bool {
        self.left != Some(0)
    }
}
