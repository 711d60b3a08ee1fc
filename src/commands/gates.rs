//! Which messages are wanted, and what has to hold for them: `--fail-on`, `--expect`, `--reject`.
//! What is asked of no message at all does not hold, unless the user says that it does.

use super::Usage;
use super::output::say;
use super::read::CaptureSink;
use super::selection::Selection;
use crate::cli::{FailOn, Gates, Global};
use netkit::capture::Time;
use netkit::codec::Level;
use netkit::dissect::{Message, Options, Sink};
use netkit::filter::{Filter, Names};
use netkit::flow::End;
use netkit::printable::Lines;
use std::sync::Arc;

/// So many messages are named that were rejected.
const NAMED: usize = 3;

/// Which messages were asked for, and what was found in them. Each thread has one; they are merged.
#[derive(Clone, Default)]
pub struct Pick {
    /// By `--flow`, `-F`, `--since` and `--until`.
    pub selection: Selection,
    /// The user's options in words, for what is told; empty: nothing has to hold.
    asked: Vec<String>,
    fail_on: Option<FailOn>,
    allow_empty: bool,
    expect: Vec<Expected>,
    reject: Vec<Arc<Filter>>,
    /// Messages of the file that is read; of all of them those that were picked.
    file: u64,
    picked: u64,
    /// A file without a message.
    empty: Option<String>,
    /// Messages that `--fail-on` is about.
    failed: u64,
    rejected: u64,
    /// The first ones of them, with the turn at which they came.
    named: Vec<(u64, String)>,
    sequence: u64,
}

/// A condition that some message has to fit.
#[derive(Clone)]
struct Expected {
    text: String,
    filter: Arc<Filter>,
    met: bool,
}

impl Pick {
    /// Nothing has to hold for what is picked.
    pub fn of(selection: Selection) -> Pick {
        Pick { selection, ..Pick::default() }
    }

    /// By the command line. `check`: bytes are compared, which counts as something that has to hold.
    ///
    /// # Errors
    /// An expression that makes no sense.
    pub fn new(
        selection: Selection,
        gates: &Gates,
        fail_on: Option<FailOn>,
        check: bool,
        options: &Options,
    ) -> anyhow::Result<Pick> {
        let names = Names::new(options);
        let parse = |option: &str, text: &String| {
            Filter::parse(text, &names).map(Arc::new).map_err(|e| Usage(format!("{option}: {e}")))
        };
        let expected =
            |text: &String| parse("--expect", text).map(|filter| Expected { text: text.clone(), filter, met: false });
        let expect = gates.expect.iter().map(expected).collect::<Result<Vec<_>, _>>()?;
        let reject = gates.reject.iter().map(|text| parse("--reject", text)).collect::<Result<Vec<_>, _>>()?;
        let given = [
            ("--check", check),
            ("--fail-on", fail_on.is_some()),
            ("--expect", !expect.is_empty()),
            ("--reject", !reject.is_empty()),
        ];
        let asked = given.into_iter().filter(|(_, given)| *given).map(|(option, _)| option.into()).collect();
        let allow_empty = gates.allow_empty;
        Ok(Pick { selection, asked, fail_on, allow_empty, expect, reject, ..Pick::default() })
    }

    /// Another file begins.
    pub fn begin(&mut self) {
        self.selection.begin();
        self.file = 0;
    }

    /// What comes from now on is of that turn, as [`netkit::dissect::Sink::sequence`] counts them.
    #[inline]
    pub fn sequence(&mut self, sequence: u64) {
        self.sequence = sequence;
    }

    /// Is this message asked for? Then it counts for what has to hold.
    #[inline]
    pub fn wants(&mut self, message: &Message<'_>) -> bool {
        self.file += 1;
        if !self.selection.wants(message) {
            return false;
        }
        self.picked += 1;
        if !self.asked.is_empty() {
            self.test(message);
        }
        true
    }

    fn test(&mut self, message: &Message<'_>) {
        if let Some(least) = self.fail_on {
            let warned = message.dissection.notes.worst().is_some_and(|level| level >= Level::Warning);
            self.failed += (message.dissection.fault.is_some() || least == FailOn::Warning && warned) as u64;
        }
        for expected in self.expect.iter_mut().filter(|expected| !expected.met) {
            expected.met = expected.filter.matches(message);
        }
        if self.reject.iter().any(|filter| filter.matches(message)) {
            self.rejected += 1;
            if self.named.len() < NAMED {
                let (dissection, frame) = (message.dissection, message.place.frame);
                let name = format!("{}.{}", dissection.proto, dissection.message);
                // Hex text has no frames.
                let place = if frame > 0 { format!("frame {frame} {name}") } else { name };
                self.named.push((self.sequence, place));
            }
        }
    }

    /// Takes over what another thread has found in the same file.
    pub fn merge(&mut self, other: Pick) {
        self.file += other.file;
        self.picked += other.picked;
        self.failed += other.failed;
        self.rejected += other.rejected;
        self.expect.iter_mut().zip(other.expect).for_each(|(own, other)| own.met |= other.met);
        self.named.extend(other.named);
        self.named.sort_by_key(|(sequence, _)| *sequence);
        self.named.truncate(NAMED);
    }

    /// A copy for another thread, which has found nothing yet.
    pub fn part(&self) -> Pick {
        let mut part = self.clone();
        (part.file, part.picked, part.failed, part.rejected) = (0, 0, 0, 0);
        part.named.clear();
        part
    }

    /// A file was read to its end.
    pub fn end(&mut self, name: &str) {
        if self.file == 0 {
            self.empty.get_or_insert_with(|| name.into());
        }
    }

    /// Were there messages that were asked for?
    pub fn any(&self) -> bool {
        self.picked > 0
    }

    /// Is it told by [`Pick::holds`] where there was no message?
    pub fn tells_of_none(&self) -> bool {
        !self.asked.is_empty() && !self.allow_empty
    }

    /// Does all hold that has to? Tells what does not.
    pub fn holds(&self, global: &Global) -> bool {
        if self.asked.is_empty() {
            return true;
        }
        let asked = self.asked.join(", ");
        let nothing = match &self.empty {
            Some(name) => Some(format!("{name}: no message of a protocol we know")),
            None if self.picked == 0 => Some("no message fits what was asked for".into()),
            None => None,
        };
        let mut wrong = Vec::new();
        if let Some(why) = nothing.filter(|_| !self.allow_empty) {
            wrong.push(format!("{asked}: {why}: nothing was tested (with --allow-empty that is well)"));
        }
        let of = if self.picked == 1 { "1 message".into() } else { format!("{} messages", self.picked) };
        let missing = self.expect.iter().filter(|expected| !expected.met && self.picked > 0);
        wrong.extend(missing.map(|expected| format!("--expect {}: none of {of} fits", expected.text)));
        if self.rejected > 0 {
            let named = self.named.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
            let more = match self.rejected - self.named.len() as u64 {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            wrong.push(format!("--reject: {named}{more}"));
        }
        wrong.iter().for_each(|text| say(global, format_args!("netkit: {}", Lines(text))));
        wrong.is_empty() && self.failed == 0
    }
}

/// Hands the messages that are wanted to another sink.
pub struct Picked<S> {
    /// What gets them.
    pub sink: S,
    /// Which ones.
    pub pick: Pick,
}

impl<S: Sink> Sink for Picked<S> {
    fn message(&mut self, message: &Message<'_>) {
        if self.pick.wants(message) {
            self.sink.message(message);
        }
    }

    fn ended(&mut self, flow: u64, how: [Option<End>; 2]) {
        self.sink.ended(flow, how);
    }
}

impl<S: Sink> CaptureSink for Picked<S> {
    fn begin(&mut self) {
        self.pick.begin();
    }

    fn frame(&mut self, time: Time) {
        self.pick.selection.frame(time);
    }
}
