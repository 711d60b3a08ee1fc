//! Selection of messages, and the conditions `--fail-on`, `--expect`, `--reject`. Without any
//! message, conditions fail unless the user allows that.

use super::Usage;
use super::notify::notify;
use super::redact;
use super::selection::Selection;
use super::sink::CaptureSink;
use crate::cli::{FailOn, Gates, Global};
use netkit::capture::Time;
use netkit::codec::Level;
use netkit::dissect::{Message, Options, Sink};
use netkit::filter::{Filter, Names};
use netkit::flow::End;
use netkit::plural::Plural;
use netkit::printable::Lines;
use std::sync::Arc;

/// How many rejected messages are reported individually.
const NAMED: usize = 3;

/// The selected messages and the state of the conditions. One per thread; they are merged.
#[derive(Clone, Default)]
pub struct Pick {
    /// `--flow`, `-F`, `--since` and `--until`.
    pub selection: Selection,
    /// The user's conditions as text, for errors; empty: there are none.
    conditions: Vec<String>,
    fail_on: Option<FailOn>,
    allow_empty: bool,
    expect: Vec<Expected>,
    reject: Vec<Arc<Filter>>,
    /// Messages of the current file; `picked` counts those selected in all files.
    file: u64,
    picked: u64,
    /// The first file without a selected message.
    empty: Option<String>,
    /// Messages that fail `--fail-on`.
    failed: u64,
    rejected: u64,
    /// The first rejected ones, with their sequence number.
    named: Vec<(u64, String)>,
    sequence: u64,
}

/// A condition that some message has to meet.
#[derive(Clone)]
struct Expected {
    text: String,
    filter: Arc<Filter>,
    met: bool,
}

impl Pick {
    /// A selection without conditions.
    pub fn of(selection: Selection) -> Pick {
        Pick { selection, ..Pick::default() }
    }

    /// From the command line. `check`: bytes are compared, which counts as a condition.
    ///
    /// # Errors
    /// An invalid expression.
    pub fn new(
        selection: Selection,
        gates: &Gates,
        fail_on: Option<FailOn>,
        check: bool,
        options: &Options,
    ) -> anyhow::Result<Pick> {
        let names = Names::new(options);
        let parse = |option: &str, text: &String| {
            selection.parse(text, &names).map(Arc::new).map_err(|e| Usage(format!("{option}: {e}")))
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
        let conditions = given.into_iter().filter(|(_, given)| *given).map(|(option, _)| option.into()).collect();
        let allow_empty = gates.allow_empty;
        Ok(Pick { selection, conditions, fail_on, allow_empty, expect, reject, ..Pick::default() })
    }

    /// Does it ask for what only later messages tell?
    pub fn later(&self) -> bool {
        let conditions = self.expect.iter().map(|expected| &expected.filter).chain(&self.reject);
        self.selection.later() || conditions.into_iter().any(|filter| filter.later().is_some())
    }

    /// Begins the next file.
    pub fn begin(&mut self) {
        self.selection.begin();
        self.file = 0;
    }

    /// Sets the sequence number of the next messages, see [`netkit::dissect::Sink::sequence`].
    #[inline]
    pub fn sequence(&mut self, sequence: u64) {
        self.sequence = sequence;
    }

    /// Is this message selected? If so, it is tested against the conditions.
    #[inline(always)]
    pub fn wants(&mut self, message: &Message<'_>) -> bool {
        self.file += 1;
        if !self.selection.wants(message) {
            return false;
        }
        self.picked += 1;
        if !self.conditions.is_empty() {
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

    /// Adds the results of another thread for the same file.
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

    /// A copy without results, for another thread.
    pub fn part(&self) -> Pick {
        let mut part = self.clone();
        (part.file, part.picked, part.failed, part.rejected) = (0, 0, 0, 0);
        part.named.clear();
        part
    }

    /// Ends a file.
    pub fn end(&mut self, name: &str) {
        if self.file == 0 {
            self.empty.get_or_insert_with(|| name.into());
        }
    }

    /// Were any messages selected?
    pub fn any(&self) -> bool {
        self.picked > 0
    }

    /// Does [`Pick::holds`] report that there were no messages?
    pub fn reports_none(&self) -> bool {
        !self.conditions.is_empty() && !self.allow_empty
    }

    /// Do all conditions hold? Reports those that do not.
    pub fn holds(&self, global: &Global) -> bool {
        if self.conditions.is_empty() {
            return true;
        }
        let conditions = self.conditions.join(", ");
        let nothing = match &self.empty {
            Some(name) => Some(format!("{name}: no message of a protocol we know")),
            None if self.picked == 0 => Some("no message fits what was asked for".into()),
            None => None,
        };
        let mut wrong = Vec::new();
        if let Some(why) = nothing.filter(|_| !self.allow_empty) {
            wrong.push(format!("{conditions}: {why}: nothing was tested (--allow-empty accepts that)"));
        }
        let of = Plural(self.picked, "message");
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
        wrong.iter().for_each(|text| notify(global, format_args!("netkit: {}", Lines(text))));
        wrong.is_empty() && self.failed == 0
    }
}

/// A sink that passes on the selected messages.
pub struct Picked<S> {
    /// The next sink.
    pub sink: S,
    /// The selection.
    pub pick: Pick,
}

impl<S: Sink> Sink for Picked<S> {
    fn message(&mut self, message: &Message<'_>) {
        if self.pick.wants(message) {
            redact::shown(self.pick.selection.redact, message, |message| self.sink.message(message));
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
