//! One page that shows what happened in a capture: `netkit report`.
//!
//! A [`Run`] receives every message of a capture, as the statistics do, and stores a bounded part of it; [`single`] and
//! [`comparison`] make HTML of one and of two runs. Nothing is counted here: figures are those of [`crate::stats`], which
//! `netkit stats` prints. [`index`] lists many captures, each by its [`Summary`]. [`of_rounds`] makes HTML of what a load or a probe printed.
//!
//! # Rules of the parts
//!
//! - **Only `Html` writes the page**: `html.el("td").class("n").attr("data-v", n).text(x)`,
//!   `html.el("ul").with(|html| ..)`. It escapes all text and all values, shows controls and bidi marks, and cuts very
//!   long text. It takes no markup, no `style`, no handler, and no `href` except an id of the page (`Element::to`).
//!   `Html::bytes` writes data that only the script reads.
//! - **One pass**: each message arrives once, in order. Relations to later messages (what answers it) are the inverse
//!   of those messages' own relations; [`Waiting::expected`] reports, when the page is made, that nothing answers or
//!   acknowledges a message.
//! - **Sections** are functions or methods `(&self, &Context, &mut Html)`; each writes one
//!   `<section id=".." aria-labelledby="..-title">` with `section`, in this order: `overview`, `verdicts`,
//!   `bandwidth`, `round-trips`, `delivery`, `requests` (here), `sequences` and `messages` (with its data), both made
//!   of `Messages::held`.
//! - **`Messages`** holds the messages that the user selected, up to a bound; beyond it, those around warnings.
//! - **Link targets**: `#frame-N` is a message (the first of that frame), `#frame-N-K` the Kth of its frame,
//!   `#note-CODE` a note's row in the table of notes. The script shows a message for the first two, and may offer the
//!   messages with a note for the third.
//! - **Charts** are `<figure class="chart" data-from data-to>` (seconds since the start) with
//!   `<svg class="plot" viewBox="0 0 1000 H" preserveAspectRatio="none">`, whose x is time, and `<svg class="axis-x">`
//!   with `<text x="..%">` below it. A script zooms by the `viewBox`'s x and width, and rewrites the axis. Strokes do
//!   not scale.
//! - **Colours** are variables of `style.css` (`--text`, `--muted`, `--line`, `--surface`, `--accent`, `--client`,
//!   `--server`, `--warn`, `--error`, `--s0` to `--s5`), light and dark; `viewer.css` uses them and is appended to it.
//!   `script.js` is the only script, at the end of the body.

mod arrows;
mod charts;
mod compare;
mod data;
mod entry;
mod escape;
mod figures;
mod held;
mod index;
mod messages;
mod page;
mod rounds;
mod scale;
mod sections;
mod sequence;
#[cfg(test)]
mod tests;
mod viewer;

use crate::capture::Time;
use crate::dissect::{Account, Message, Options, Registry, Sink};
use crate::flow::Closing;
use crate::read::CaptureSink;
use crate::stats::course::Course;
use crate::stats::noted::Noted;
use crate::stats::{Listed, Plot, Stacked, Stats, Waiting, Wanted};
pub(crate) use escape::Html;
pub use index::Summary;
pub(crate) use messages::Messages;
pub use page::{comparison, index, of_rounds, single};
pub use rounds::Rounds;
use std::fmt::Display;

/// The number of slowest messages kept, each for answers and for acknowledgements.
const SLOWEST: usize = 12;

/// The parts of a run that are stored.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The most messages with their trees and bytes; 0 for a comparison, which shows none; `None`: as many as a page
    /// opens quickly with.
    pub messages: Option<usize>,
    /// Whether to store the fields of each kind of message, to compare them.
    pub fields: bool,
}

/// The name of a capture, and the result of reading it.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Its name: a file's name, or `stdin`.
    pub name: String,
    /// The files, if it was merged from several.
    pub files: Vec<String>,
    /// The reason why it is incomplete: stopped, or cut.
    pub cut: Option<String>,
    /// The options that selected a part of it.
    pub selected: Vec<String>,
    /// The counts of what was read and what was left out.
    pub account: Account,
}

/// The figures and messages of one capture.
#[derive(Debug)]
pub struct Run {
    stats: Stats,
    waiting: Waiting,
    noted: Noted,
    by_message: Plot,
    by_direction: Plot,
    course: Course,
    messages: Messages,
    registry: Registry,
    start: Option<Time>,
    frames: u64,
}

/// The data that sections are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// The capture.
    pub about: &'a About,
    /// Its counts.
    pub stats: &'a Stats,
    /// The messages that nothing answers or acknowledges.
    pub waiting: &'a Waiting,
    /// The protocols.
    pub registry: &'a Registry,
    /// The time of the first frame, to which times are relative.
    pub start: Option<Time>,
    /// The number of frames read.
    pub frames: u64,
}

impl Run {
    /// Starts an empty run. `options` are those with which the capture is read.
    pub fn new(options: &Options, kept: Kept) -> Run {
        let listed = Listed { unanswered: true, never_acked: true, latency: true, slowest: Some(SLOWEST), slow: None };
        Run {
            stats: Stats::new(options, Wanted { rows: false, fields: kept.fields }),
            waiting: Waiting::new(listed, options.limits.lists.waiting),
            noted: Noted::default(),
            by_message: Plot::new(Stacked::Message, None),
            by_direction: Plot::new(Stacked::Direction, None),
            course: Course::default(),
            messages: Messages::new(kept.messages, options),
            registry: options.registry.clone(),
            start: None,
            frames: 0,
        }
    }

    /// Sets the time of the first frame, unless it is known.
    pub fn origin(&mut self, time: Time) {
        if self.start.is_none() {
            self.start = Some(time);
            self.by_message.origin(time);
            self.by_direction.origin(time);
            self.course.origin(time);
        }
    }

    /// Adds a frame.
    pub fn frame(&mut self, time: Time) {
        self.origin(time);
        self.frames += 1;
    }

    /// Adds a message. A message that is not selected may answer or acknowledge others, but is not shown.
    pub fn message(&mut self, message: &Message<'_>, selected: bool) {
        self.waiting.message(message, selected);
        if selected {
            self.stats.message(message);
            self.noted.message(message, self.stats.connection(message.flow_info.flow));
            self.by_message.message(message);
            self.by_direction.message(message);
            self.course.message(message);
            self.messages.message(message);
        }
    }

    /// Stores the capture's account when all is read, and whether only selected messages were counted.
    pub fn read(&mut self, account: Account, selected: bool) {
        self.stats.account = account;
        self.stats.selected = selected;
    }

    /// Ends a conversation.
    pub fn ended(&mut self, flow: u64, how: Closing) {
        self.stats.ended(flow, how);
    }

    /// Returns the counts.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Returns the data for sections.
    pub(crate) fn context<'a>(&'a self, about: &'a About) -> Context<'a> {
        let Run { stats, waiting, registry, start, frames, .. } = self;
        Context { about, stats, waiting, registry, start: *start, frames: *frames }
    }
}

/// Writes a section with its heading.
pub(crate) fn section(id: &'static str, title: impl Display, html: &mut Html, content: impl FnOnce(&mut Html)) {
    let heading = format!("{id}-title");
    html.line().el("section").attr("id", id).attr("aria-labelledby", &heading).with(|html| {
        html.el("h2").attr("id", &heading).text(title);
        content(html);
    });
}
