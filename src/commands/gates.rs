//! Selects messages, and checks the conditions `--fail-on`, `--expect`, `--reject`. Without any
//! message, conditions fail unless the user allows that.

use super::notify::{notify, warn};
use super::read::drive;
use super::redact;
use super::selection::Selection;
use super::usage::Usage;
use crate::capture::{Capture, Decoded, Frame, Time};
use crate::cli::{FailOn, Gates, Global};
use crate::codec::Level;
use crate::dissect::{Account, Amount, Message, Options, Sink, Wants};
use crate::filter::{Filter, Names};
use crate::flow::Closing;
use crate::plural::Plural;
use crate::printable::Lines;
use crate::read::{CaptureSink, Gate, Producer, Receiver, Summary};
use std::sync::Arc;

/// The number of rejected messages that are reported individually.
const NAMED: usize = 3;

/// The selection of messages and the state of the conditions. Each thread has one; they are merged.
#[derive(Clone, Default)]
pub struct Pick {
    /// `--flow`, `-F`, `--since` and `--until`.
    pub selection: Selection,
    /// Whether every message is selected and none is tested: known when a file begins.
    plain: bool,
    /// The user's conditions as text, for errors; empty: there are none.
    conditions: Vec<String>,
    fail_on: Vec<FailOn>,
    allow_empty: bool,
    expect: Vec<Expected>,
    reject: Vec<Arc<Filter>>,
    /// Messages of the current file; `picked` counts those selected in all files.
    file: u64,
    picked: u64,
    /// The number of messages that may still be selected: `--count`.
    left: Option<u64>,
    /// The first file without a selected message.
    empty: Option<String>,
    /// The account of all files.
    pub account: Account,
    /// Messages with a fault, and those with warnings, if `counts_trouble` is set.
    pub troubled: [u64; 2],
    /// Whether they are counted.
    pub counts_trouble: bool,
    /// Messages that fail `--fail-on`.
    failed: u64,
    rejected: u64,
    /// The first rejected ones, with their sequence number.
    named: Vec<(u64, String)>,
    sequence: u64,
}

/// A condition that at least one message must meet.
#[derive(Clone)]
struct Expected {
    text: String,
    filter: Arc<Filter>,
    met: bool,
}

impl Pick {
    /// Creates a selection without conditions.
    pub fn of(selection: Selection) -> Pick {
        Pick { selection, ..Pick::default() }
    }

    /// Creates it from the command line. `check`: bytes are compared, which counts as a condition.
    ///
    /// # Errors
    /// Fails if an expression is invalid.
    pub fn new(selection: Selection, gates: &Gates, check: bool, options: &Options) -> anyhow::Result<Pick> {
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
            ("--fail-on", !gates.fail_on.is_empty()),
            ("--expect", !expect.is_empty()),
            ("--reject", !reject.is_empty()),
        ];
        let conditions = given.into_iter().filter(|(_, given)| *given).map(|(option, _)| option.into()).collect();
        let (allow_empty, fail_on) = (gates.allow_empty, gates.fail_on.clone());
        Ok(Pick { selection, conditions, fail_on, allow_empty, expect, reject, ..Pick::default() })
    }

    /// Whether it uses values that only later messages determine.
    pub fn later(&self) -> bool {
        let conditions = self.expect.iter().map(|expected| &expected.filter).chain(&self.reject);
        self.selection.later() || conditions.into_iter().any(|filter| filter.later().is_some())
    }

    /// Returns the parts of a message that its filters read.
    pub fn reads(&self) -> Wants {
        let conditions = self.expect.iter().map(|expected| &expected.filter).chain(&self.reject);
        conditions.fold(self.selection.reads(), |all, filter| all | filter.reads())
    }

    /// Limits the number of messages.
    #[must_use]
    pub fn count(self, left: Option<u64>) -> Pick {
        Pick { left, ..self }
    }

    /// Whether several threads can select messages. `--count` needs a single thread that sees all messages. So does
    /// `--redact`, because pseudonyms are assigned in the order of the capture.
    pub fn divides(&self) -> bool {
        self.left.is_none() && !self.selection.redact
    }

    /// Whether this message is selected. If so, it is tested against the conditions.
    #[inline(always)]
    pub fn wants(&mut self, message: &Message<'_>) -> bool {
        if !self.plain {
            return self.examines(message);
        }
        self.file += 1;
        self.picked += 1;
        true
    }

    /// The same with a selection, a limit or conditions.
    #[inline(never)]
    fn examines(&mut self, message: &Message<'_>) -> bool {
        if self.left == Some(0) {
            return false;
        }
        self.file += 1;
        if !self.selection.wants(message) {
            return false;
        }
        self.picked += 1;
        self.left = self.left.map(|left| left - 1);
        if self.counts_trouble {
            self.count_trouble(message);
        }
        if !self.conditions.is_empty() {
            self.test(message);
        }
        true
    }

    fn is_plain(&self) -> bool {
        self.selection.all && self.left.is_none() && self.conditions.is_empty() && !self.counts_trouble
    }

    fn count_trouble(&mut self, message: &Message<'_>) {
        let warned = message.dissection.notes.worst().is_some_and(|level| level >= Level::Warning);
        self.troubled[0] += message.dissection.fault.is_some() as u64;
        self.troubled[1] += warned as u64;
    }

    fn test(&mut self, message: &Message<'_>) {
        let fails = |fail_on: &FailOn| match fail_on {
            FailOn::Fault => message.dissection.fault.is_some(),
            FailOn::Warning => {
                let warned = message.dissection.notes.worst().is_some_and(|level| level >= Level::Warning);
                message.dissection.fault.is_some() || warned
            }
            FailOn::Unclaimed | FailOn::Limit => false,
        };
        self.failed += self.fail_on.iter().any(fails) as u64;
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
        self.troubled.iter_mut().zip(other.troubled).for_each(|(own, other)| *own += other);
        self.failed += other.failed;
        self.rejected += other.rejected;
        self.expect.iter_mut().zip(other.expect).for_each(|(own, other)| own.met |= other.met);
        self.named.extend(other.named);
        self.named.sort_by_key(|(sequence, _)| *sequence);
        self.named.truncate(NAMED);
    }

    /// Returns a copy without results, for another thread.
    pub fn part(&self) -> Pick {
        let mut part = self.clone();
        (part.file, part.picked, part.failed, part.rejected) = (0, 0, 0, 0);
        part.troubled = [0; 2];
        part.plain = self.is_plain();
        part.named.clear();
        part
    }

    /// Ends a file.
    pub fn end(&mut self, name: &str) {
        if self.file == 0 {
            self.empty.get_or_insert_with(|| name.into());
        }
    }

    /// Whether any messages were selected.
    pub fn any(&self) -> bool {
        self.picked > 0
    }

    /// The numbers of selected messages, and of those with faults and warnings, in one line.
    pub fn sums(&self) -> String {
        let [faults, warned] = self.troubled;
        let mut sums = Plural(self.picked, "message").to_string();
        // Of all messages, these are the conversations, too.
        if self.selection.all && self.left.is_none() {
            sums += &format!(", {}", Plural(self.account.claimed.conversations, "conversation"));
        }
        if faults > 0 {
            sums += &format!(", {}", Plural(faults, "fault"));
        }
        if warned > 0 {
            sums += &format!(", {} with warnings", Plural(warned, "message"));
        }
        sums
    }

    /// Whether [`Pick::holds`] reports that there were no messages.
    pub fn reports_none(&self) -> bool {
        !self.conditions.is_empty() && !self.allow_empty
    }

    /// Returns the number of conversations, or the length of the capture, if the requested conversation or time is not
    /// in it.
    pub fn outside(&self) -> Option<String> {
        if self.picked > 0 || self.allow_empty {
            return None;
        }
        self.selection.outside(&self.account)
    }

    /// Whether all conditions hold. Reports those that do not.
    pub fn holds(&self, global: &Global) -> bool {
        let outside = self.outside();
        if self.conditions.is_empty() {
            if let Some(why) = &outside {
                warn(format_args!("{why}"));
            }
            return outside.is_none();
        }
        let conditions = self.conditions.join(", ");
        let nothing = match &self.empty {
            Some(name) if self.account.frames == 0 => Some(format!("{name}: no frames")),
            Some(name) => Some(format!("{name}: no message of a known protocol")),
            None if outside.is_some() => outside,
            None if self.picked == 0 => Some("no message matches the selection".into()),
            None => None,
        };
        let mut wrong = Vec::new();
        if let Some(why) = nothing.filter(|_| !self.allow_empty) {
            wrong.push(format!("{conditions}: {why}: nothing was tested (--allow-empty accepts that)"));
        }
        let of = Plural(self.picked, "message");
        let missing = self.expect.iter().filter(|expected| !expected.met && self.picked > 0);
        wrong.extend(missing.map(|expected| format!("--expect {}: none of {of} matches", expected.text)));
        if self.rejected > 0 {
            let named = self.named.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
            let more = match self.rejected - self.named.len() as u64 {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            wrong.push(format!("--reject: {named}{more}"));
        }
        let Amount { conversations, .. } = self.account.unclaimed;
        if self.fail_on.contains(&FailOn::Unclaimed) && conversations > 0 {
            let (n, verb) = (Plural(conversations, "conversation"), if conversations == 1 { "is" } else { "are" });
            wrong.push(format!("--fail-on unclaimed: {n} {verb} of no known protocol (-v lists them)"));
        }
        if self.fail_on.contains(&FailOn::Limit) && !self.account.limits.is_empty() {
            let limits = self.account.limits.keys().copied().collect::<Vec<_>>().join(", ");
            wrong.push(format!("--fail-on limit: reached: {limits}"));
        }
        wrong.iter().for_each(|text| notify(global, format_args!("{}", Lines(text))));
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

impl<S: CaptureSink> Sink for Picked<S> {
    fn message(&mut self, message: &Message<'_>) {
        if self.pick.wants(message) {
            redact::shown(self.pick.selection.redact, message, |message| self.sink.message(message));
        }
    }

    fn ended(&mut self, flow: u64, how: Closing) {
        self.sink.ended(flow, how);
    }
}

impl<S: CaptureSink> CaptureSink for Picked<S> {
    fn gate(&mut self) -> Option<&mut dyn Gate> {
        Some(&mut self.pick)
    }

    fn origin(&mut self, time: Time) {
        self.sink.origin(time);
    }

    fn raw(&mut self, frame: &Frame<'_>, decoded: &Decoded<'_>) {
        self.sink.raw(frame, decoded);
    }

    fn go_on(&mut self, waits: &dyn Fn() -> bool) -> bool {
        self.sink.go_on(waits) && !self.pick.done()
    }
}

impl Gate for Pick {
    fn begin(&mut self) {
        self.selection.begin();
        self.file = 0;
        self.plain = self.is_plain();
    }

    #[inline]
    fn frame(&mut self, time: Time) -> bool {
        self.selection.frame(time)
    }

    fn account(&mut self, account: &Account) {
        self.account.add(account);
    }

    fn done(&self) -> bool {
        self.left == Some(0)
    }
}

/// A thread's producer, with the thread's own selection.
struct Selected<M> {
    pick: Pick,
    producer: M,
}

impl<T, M: Producer<T>> Producer<T> for Selected<M> {
    fn first(&mut self, time: Time) {
        if self.pick.selection.frame(time) {
            self.producer.first(time);
        }
    }

    #[inline]
    fn sequence(&mut self, sequence: u64) {
        self.pick.sequence = sequence;
    }

    #[inline]
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<T>) -> bool {
        self.pick.wants(message) && self.producer.message(message, out)
    }

    fn ended(&mut self, flow: u64, how: Closing, out: &mut Vec<T>) {
        self.producer.ended(flow, how, out);
    }
}

/// Reads a capture with a thread for each producer except one. Each producer selects its own messages.
pub fn merged<T: Send, M: Producer<T>>(
    capture: Capture,
    options: &Options,
    producers: Vec<M>,
    pick: &mut Pick,
    receiver: &mut dyn Receiver<T>,
) -> Summary {
    let producers = producers.into_iter().map(|producer| Selected { pick: pick.part(), producer }).collect();
    let (summary, producers) = drive(options).divide(capture, producers, receiver);
    producers.into_iter().for_each(|selected| pick.merge(selected.pick));
    summary
}
