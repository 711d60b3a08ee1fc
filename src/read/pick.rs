//! Selects messages, and checks conditions on them: `--fail-on`, `--expect`, `--reject`. Without any message, conditions
//! fail unless the user allows that.

use super::{Gate, Selection};
use crate::capture::Time;
use crate::codec::Level;
use crate::dissect::{Account, Amount, Message, Wants};
use crate::filter::Filter;
use crate::plural::Plural;
use std::sync::Arc;

/// The conditions for an exit status of 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(crate) enum FailOn {
    /// A warning, an error or a fault.
    Warning,
    /// A fault.
    Fault,
    /// A conversation with payload that no protocol has.
    Unclaimed,
    /// A limit that was reached.
    Limit,
}

/// The number of failing or rejected messages that are reported individually.
const NAMED: usize = 3;

/// Messages that break a condition: their number, and the first ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Breaking {
    pub(crate) count: u64,
    /// The first ones in words.
    first: Vec<(Position, String)>,
}

/// The place of a message among those of all files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    /// The number of its file, from 1.
    pub(crate) file: u64,
    /// Its sequence number there.
    pub(crate) sequence: u64,
}

impl Breaking {
    fn add(&mut self, message: &Message<'_>, position: Position) {
        self.count += 1;
        if self.first.len() < NAMED {
            let (dissection, frame) = (message.dissection, message.place.frame);
            let name = format!("{}.{}", dissection.proto, dissection.message);
            // Hex text has no frames.
            let place = if frame > 0 { format!("frame {frame} {name}") } else { name };
            self.first.push((position, place));
        }
    }

    /// Adds those of another thread.
    fn merge(&mut self, other: Breaking) {
        self.count += other.count;
        self.first.extend(other.first);
        self.first.sort_by_key(|(position, _)| *position);
        self.first.truncate(NAMED);
    }

    /// Returns the first ones in words, and how many more there are.
    fn named(&self) -> String {
        let named = self.first.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
        match self.count.saturating_sub(self.first.len() as u64) {
            0 => named,
            more => format!("{named}, and {more} more"),
        }
    }
}

/// The selection of messages and the state of the conditions. Each thread has one; they are merged.
#[derive(Clone, Default)]
pub(crate) struct Pick {
    /// `--flow`, `-F`, `--since` and `--until`.
    pub(crate) selection: Selection,
    /// Whether every message is selected and none is tested: known when a file begins.
    pub(crate) plain: bool,
    /// The user's conditions as text, for errors; empty: there are none.
    pub(crate) conditions: Vec<String>,
    pub(crate) fail_on: Vec<FailOn>,
    pub(crate) allow_empty: bool,
    pub(crate) expect: Vec<Expected>,
    pub(crate) reject: Vec<Arc<Filter>>,
    /// Messages of the current file; `picked` counts those selected in all files.
    pub(crate) file: u64,
    pub(crate) picked: u64,
    /// The number of messages that may still be selected: `--count`.
    pub(crate) left: Option<u64>,
    /// The first file without a selected message.
    pub(crate) empty: Option<String>,
    /// The account of all files.
    pub(crate) account: Account,
    /// Messages with a fault, and those with warnings, if `counts_trouble` is set.
    pub(crate) troubled: [u64; 2],
    /// Whether they are counted.
    pub(crate) counts_trouble: bool,
    /// Messages that fail `--fail-on`.
    pub(crate) failed: Breaking,
    /// Messages that match `--reject`.
    pub(crate) rejected: Breaking,
    /// The place of the current message.
    pub(crate) position: Position,
}

/// A condition that at least one message must meet.
#[derive(Clone)]
pub(crate) struct Expected {
    pub(crate) text: String,
    pub(crate) filter: Arc<Filter>,
    pub(crate) met: bool,
}

impl Pick {
    /// Creates a selection without conditions.
    pub(crate) fn of(selection: Selection) -> Pick {
        Pick { selection, ..Pick::default() }
    }

    /// Whether it uses values that only later messages determine.
    pub(crate) fn later(&self) -> bool {
        let conditions = self.expect.iter().map(|expected| &expected.filter).chain(&self.reject);
        self.selection.later() || conditions.into_iter().any(|filter| filter.later().is_some())
    }

    /// Returns the parts of a message that its filters read.
    pub(crate) fn reads(&self) -> Wants {
        let conditions = self.expect.iter().map(|expected| &expected.filter).chain(&self.reject);
        conditions.fold(self.selection.reads(), |all, filter| all | filter.reads())
    }

    /// Limits the number of messages.
    pub(crate) fn count(self, left: Option<u64>) -> Pick {
        Pick { left, ..self }
    }

    /// Whether several threads can select messages. `--count` needs a single thread that sees all messages. So does
    /// `--redact`, because pseudonyms are assigned in the order of the capture.
    pub(crate) fn divides(&self) -> bool {
        self.left.is_none() && !self.selection.redact
    }

    /// Whether this message is selected. If so, it is tested against the conditions.
    #[inline(always)]
    pub(crate) fn wants(&mut self, message: &Message<'_>) -> bool {
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
        self.troubled[1] += u64::from(warned && message.dissection.fault.is_none());
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
        if self.fail_on.iter().any(fails) {
            self.failed.add(message, self.position);
        }
        for expected in self.expect.iter_mut().filter(|expected| !expected.met) {
            expected.met = expected.filter.matches(message);
        }
        if self.reject.iter().any(|filter| filter.matches(message)) {
            self.rejected.add(message, self.position);
        }
    }

    /// Adds the results of another thread for the same file.
    pub(crate) fn merge(&mut self, other: Pick) {
        self.position.file = self.position.file.max(other.position.file);
        self.file += other.file;
        self.picked += other.picked;
        self.troubled.iter_mut().zip(other.troubled).for_each(|(own, other)| *own += other);
        self.failed.merge(other.failed);
        self.rejected.merge(other.rejected);
        self.expect.iter_mut().zip(other.expect).for_each(|(own, other)| own.met |= other.met);
    }

    /// Returns a copy without results, for another thread.
    pub(crate) fn part(&self) -> Pick {
        let mut part = self.clone();
        (part.file, part.picked, part.troubled) = (0, 0, [0; 2]);
        (part.failed, part.rejected) = Default::default();
        part.plain = self.is_plain();
        part
    }

    /// Ends a file.
    pub(crate) fn end(&mut self, name: &str) {
        if self.file == 0 {
            self.empty.get_or_insert_with(|| name.into());
        }
    }

    /// Whether any messages were selected.
    pub(crate) fn any(&self) -> bool {
        self.picked > 0
    }

    /// The numbers of selected messages, and of those with faults and warnings, in one line.
    pub(crate) fn sums(&self) -> String {
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
    pub(crate) fn reports_none(&self) -> bool {
        !self.conditions.is_empty() && !self.allow_empty
    }

    /// Returns the number of conversations, or the length of the capture, if the requested conversation or time is not
    /// in it.
    pub(crate) fn outside(&self) -> Option<String> {
        if self.picked > 0 || self.allow_empty {
            return None;
        }
        self.selection.outside(&self.account)
    }

    /// Returns the conditions that do not hold, in words.
    pub(crate) fn broken(&self) -> Vec<String> {
        let conditions = self.conditions.join(", ");
        let nothing = match &self.empty {
            Some(name) if self.account.frames == 0 => Some(format!("{name}: no frames")),
            Some(name) => Some(format!("{name}: no message of a known protocol")),
            None => self.outside().or((self.picked == 0).then(|| "no message matches the selection".into())),
        };
        let mut wrong = Vec::new();
        if let Some(why) = nothing.filter(|_| !self.allow_empty) {
            wrong.push(format!("{conditions}: {why}: nothing was tested (--allow-empty accepts that)"));
        }
        let of = Plural(self.picked, "message");
        let missing = self.expect.iter().filter(|expected| !expected.met && self.picked > 0);
        wrong.extend(missing.map(|expected| format!("--expect {}: none of {of} matches", expected.text)));
        if self.rejected.count > 0 {
            wrong.push(format!("--reject: {}", self.rejected.named()));
        }
        if self.failed.count > 0 {
            // A warning is the wider condition.
            let what = if self.fail_on.contains(&FailOn::Warning) { "warning" } else { "fault" };
            let messages = Plural(self.failed.count, "message");
            wrong.push(format!("--fail-on {what}: {messages}: {}", self.failed.named()));
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
        wrong
    }
}

impl Gate for Pick {
    fn begin(&mut self) {
        self.selection.begin();
        self.position.file += 1;
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
