//! The selection of a capture's messages.

use crate::capture::{Time, TimeSpec};
use crate::dissect::{Account, Message, Wants};
use crate::filter::{Filter, FilterError, Names};
use crate::plural::Plural;
use std::sync::Arc;

/// The user's selection of messages: `--flow`, `-F`, `--since`, `--until`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// Whether every message is selected, because no selection was given.
    pub(crate) all: bool,
    /// The selected conversation.
    pub(crate) flow: Option<u64>,
    /// The filter.
    pub(crate) filter: Option<Arc<Filter>>,
    /// Messages that match one of these are left out.
    pub(crate) left_out: Vec<Arc<Filter>>,
    /// The selected time.
    pub(crate) since: Option<TimeSpec>,
    /// Its end.
    pub(crate) until: Option<TimeSpec>,
    /// Whether selected messages are redacted: just before they are shown.
    pub(crate) redact: bool,
    /// Whether the input can be read twice.
    pub(crate) links: bool,
    /// The time span in nanoseconds since the epoch, known from the first frame on.
    pub(crate) span: Option<(i128, i128)>,
}

impl Selection {
    /// Whether it leaves out messages of selected conversations.
    pub(crate) fn cuts(&self) -> bool {
        self.filter.is_some() || !self.left_out.is_empty() || self.since.is_some() || self.until.is_some()
    }

    /// Parses a filter or a condition of the command.
    ///
    /// # Errors
    /// Fails if it is invalid, or uses values that the command cannot know.
    pub(crate) fn parse(&self, text: &str, names: &Names<'_>) -> Result<Filter, FilterError> {
        if self.links { Filter::parse(text, names) } else { Filter::parse_unlinked(text, names) }
    }

    /// Whether it uses values that only later messages determine.
    pub(crate) fn later(&self) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.later().is_some())
    }

    /// Returns the parts of a message that it reads: all, if messages are redacted.
    pub(crate) fn reads(&self) -> Wants {
        let least = if self.redact { Wants::ALL } else { Wants::FIELDS };
        self.filter.iter().chain(&self.left_out).fold(least, |all, filter| all | filter.reads())
    }

    /// Selects every message.
    pub(crate) fn every() -> Selection {
        Selection { all: true, ..Selection::default() }
    }

    /// Starts the next file.
    pub(crate) fn begin(&mut self) {
        self.span = None;
    }

    /// Processes a frame's time. Returns whether it is the file's first frame, the origin of relative times.
    #[inline]
    pub(crate) fn frame(&mut self, time: Time) -> bool {
        let first = self.span.is_none();
        if first {
            let since = self.since.map_or(i128::MIN, |m| m.nanos(time));
            self.span = Some((since, self.until.map_or(i128::MAX, |m| m.nanos(time))));
        }
        first
    }

    /// Whether this message is selected.
    #[inline]
    pub(crate) fn wants(&self, message: &Message<'_>) -> bool {
        self.all || self.picks(message)
    }

    /// Returns the number of conversations, or the length of the capture, if the requested conversation or time is not
    /// in it.
    pub(crate) fn outside(&self, account: &Account) -> Option<String> {
        let all = account.conversations();
        if let Some(flow) = self.flow.filter(|flow| account.frames > 0 && *flow > all) {
            let verb = if all == 1 { "is" } else { "are" };
            return Some(format!("--flow {flow}: there {verb} {}", Plural(all, "conversation")));
        }
        let (first, last) = account.span?;
        let since = self.since?.nanos(first) - last.nanos();
        let (lasts, before) = (last.since(first) as f64 / 1e9, since as f64 / 1e9);
        (since > 0).then(|| format!("--since: {before:.3} s after the end of the capture, which lasts {lasts:.3} s"))
    }

    fn picks(&self, message: &Message<'_>) -> bool {
        self.spans(message)
            && self.filter.as_ref().is_none_or(|filter| filter.matches(message))
            && !self.left_out.iter().any(|filter| filter.matches(message))
    }

    /// Whether it belongs to the selected conversation and time, regardless of the filter.
    pub(crate) fn spans(&self, message: &Message<'_>) -> bool {
        if self.flow.is_some_and(|flow| flow != message.flow_info.flow) {
            return false;
        }
        if (self.since.is_some() || self.until.is_some())
            && let Some((since, until)) = self.span
            && !(since..until).contains(&message.place.time.nanos())
        {
            return false;
        }
        true
    }
}
