//! Selection of a capture's messages.

use super::usage::Usage;
use crate::capture::{Time, TimeSpec};
use crate::cli::{Legs, Traffic};
use crate::dissect::{Account, Message, Options, Wants};
use crate::filter::{Filter, FilterError, Names};
use crate::plural::Plural;
use std::sync::Arc;

/// Applies `--limit`.
///
/// # Errors
/// Fails if a limit is unknown or invalid.
pub fn limits(given: &[String], options: &mut Options) -> anyhow::Result<()> {
    for limit in given {
        options.limits.set(limit).map_err(|why| Usage(format!("--limit: {why}")))?;
    }
    Ok(())
}

/// The user's selection of messages: `--flow`, `-F`, `--since`, `--until`.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Whether every message is selected, because no selection was given.
    pub all: bool,
    flow: Option<u64>,
    filter: Option<Arc<Filter>>,
    /// Messages that match one of these are left out.
    left_out: Vec<Arc<Filter>>,
    since: Option<TimeSpec>,
    until: Option<TimeSpec>,
    /// Whether selected messages are redacted: see [`super::redact::shown`].
    pub redact: bool,
    /// Whether the input can be read twice.
    links: bool,
    /// The time span in nanoseconds since the epoch, known from the first frame on.
    span: Option<(i128, i128)>,
}

impl Selection {
    /// Whether it leaves out messages of selected conversations.
    pub fn cuts(&self) -> bool {
        self.filter.is_some() || !self.left_out.is_empty() || self.since.is_some() || self.until.is_some()
    }

    /// Creates it from the command line, and stores the settings of the dissection in `options`.
    ///
    /// # Errors
    /// Fails if a filter is invalid, or uses values that only later messages determine.
    pub fn new(traffic: &Traffic, options: &mut Options) -> anyhow::Result<Selection> {
        Selection::with(traffic, options, false)
    }

    /// Creates the same for a command that can read twice: filters may use values that only later messages determine.
    ///
    /// # Errors
    /// Fails if a filter is invalid.
    pub fn linking(traffic: &Traffic, options: &mut Options) -> anyhow::Result<Selection> {
        Selection::with(traffic, options, true)
    }

    fn with(traffic: &Traffic, options: &mut Options, links: bool) -> anyhow::Result<Selection> {
        options.server = traffic.server;
        options.leg = traffic.leg.unwrap_or(Legs::Client).one();
        for (_, name) in &traffic.port {
            super::described::known(name, &options.registry)?;
        }
        options.ports.clone_from(&traffic.port);
        limits(&traffic.limit, options)?;
        if traffic.redact {
            super::redact::begin();
        }
        let names = Names::new(options);
        let selection = Selection { links, ..Selection::default() };
        let parse = |text: &String| selection.parse(text, &names).map_err(|e| Usage(format!("-F: {e}")));
        let limited = traffic.filter.is_some() || traffic.since.is_some() || traffic.until.is_some();
        Ok(Selection {
            all: traffic.flow.is_none() && !limited,
            flow: traffic.flow,
            filter: traffic.filter.as_ref().map(parse).transpose()?.map(Arc::new),
            left_out: Vec::new(),
            since: traffic.since,
            until: traffic.until,
            span: None,
            redact: traffic.redact,
            links,
        })
    }

    /// Leaves out messages that match one of these filters.
    ///
    /// # Errors
    /// Fails if a filter is invalid.
    pub fn leave_out(&mut self, filters: &[String], options: &Options) -> anyhow::Result<()> {
        let names = Names::new(options);
        for text in filters {
            let filter = self.parse(text, &names).map_err(|e| Usage(format!("--ignore: {e}")))?;
            self.left_out.push(Arc::new(filter));
            self.all = false;
        }
        Ok(())
    }

    /// Parses a filter or a condition of the command.
    ///
    /// # Errors
    /// Fails if it is invalid, or uses values that the command cannot know.
    pub fn parse(&self, text: &str, names: &Names<'_>) -> Result<Filter, FilterError> {
        if self.links { Filter::parse(text, names) } else { Filter::parse_unlinked(text, names) }
    }

    /// Whether it uses values that only later messages determine.
    pub fn later(&self) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.later().is_some())
    }

    /// Returns the parts of a message that it reads: all, if messages are redacted.
    pub fn reads(&self) -> Wants {
        let least = if self.redact { Wants::ALL } else { Wants::FIELDS };
        self.filter.iter().chain(&self.left_out).fold(least, |all, filter| all | filter.reads())
    }

    /// Selects every message.
    pub fn every() -> Selection {
        Selection { all: true, ..Selection::default() }
    }

    /// Starts the next file.
    pub fn begin(&mut self) {
        self.span = None;
    }

    /// Processes a frame's time. Returns whether it is the file's first frame, the origin of relative times.
    #[inline]
    pub fn frame(&mut self, time: Time) -> bool {
        let first = self.span.is_none();
        if first {
            let since = self.since.map_or(i128::MIN, |m| m.nanos(time));
            self.span = Some((since, self.until.map_or(i128::MAX, |m| m.nanos(time))));
        }
        first
    }

    /// Whether this message is selected.
    #[inline]
    pub fn wants(&self, message: &Message<'_>) -> bool {
        self.all || self.picks(message)
    }

    /// Returns the number of conversations, or the length of the capture, if the requested conversation or time is not
    /// in it.
    pub fn outside(&self, account: &Account) -> Option<String> {
        let all = account.conversations();
        if let Some(flow) = self.flow.filter(|flow| account.frames > 0 && *flow > all) {
            let verb = if all == 1 { "is" } else { "are" };
            return Some(format!("--flow {flow}: there {verb} {}", Plural(all, "conversation")));
        }
        let (first, last) = account.span?;
        let since = self.since?.nanos(first) - last.nanos();
        let (lasts, before) = (last.since(first) as f64 / 1e9, since as f64 / 1e9);
        (since > 0).then(|| format!("--since: the capture lasts {lasts:.3} s, and ends {before:.3} s before that"))
    }

    fn picks(&self, message: &Message<'_>) -> bool {
        self.spans(message)
            && self.filter.as_ref().is_none_or(|filter| filter.matches(message))
            && !self.left_out.iter().any(|filter| filter.matches(message))
    }

    /// Whether it belongs to the selected conversation and time, regardless of the filter.
    pub fn spans(&self, message: &Message<'_>) -> bool {
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
