//! `netkit decode --check`: every message is written again from its own JSON line, and the bytes
//! are compared. A user's proof that nothing is lost.

use super::output::say;
use super::selection::{Picked, Selection};
use super::{input, read};
use crate::cli::{Decode, Global};
use netkit::dissect::{Message, Options, Sink};
use netkit::encode::{self, Encoders, Entry, Source, deeply};
use netkit::plural::Plural;
use netkit::printable::Lines;
use netkit::render::Ndjson;
use std::io::Write;

/// Runs the check over the files: exit status 1 where bytes differ.
pub fn run(args: &Decode, selection: Selection, options: &Options, global: &Global) -> anyhow::Result<u8> {
    deeply(|| files(args, selection, options, global))?
}

fn files(args: &Decode, selection: Selection, options: &Options, global: &Global) -> anyhow::Result<u8> {
    let (mut whole, mut checked) = (true, 0);
    for path in &args.files {
        let mut picked = Picked { sink: Check::new(options), selection: selection.clone() };
        read::file(path, options, global, &mut picked)?;
        let check = picked.sink;
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
    }
    if whole {
        say(global, format_args!("netkit: {}, every one gives its bytes back", Plural(checked, "message")));
    }
    Ok(!whole as u8)
}

/// Writes messages again and compares.
struct Check<'a> {
    encoders: Encoders<'a>,
    printer: Ndjson,
    line: Vec<u8>,
    messages: u64,
    different: u64,
    first: Option<String>,
}

impl<'a> Check<'a> {
    fn new(options: &'a Options) -> Check<'a> {
        let (encoders, printer) = (Encoders::new(options), Ndjson::new(false));
        Check { encoders, printer, line: Vec::new(), messages: 0, different: 0, first: None }
    }

    /// What the message's own line gives.
    fn again(&mut self, message: &Message<'_>) -> Result<Vec<u8>, String> {
        self.line.clear();
        self.printer.message(message, &mut self.line);
        let object = encode::json(&self.line).map_err(|e| format!("the line is no JSON: {e}"))?;
        let entry = Entry::new(object, &Source::default()).map_err(|e| e.to_string())?;
        self.encoders.encode(&entry).map_err(|e| e.to_string())
    }
}

impl Sink for Check<'_> {
    fn message(&mut self, message: &Message<'_>) {
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
            let draft = message.draft;
            self.first = Some(format!("frame {} {}.{}: {what}", message.place.frame, draft.proto, draft.message));
        }
    }
}
