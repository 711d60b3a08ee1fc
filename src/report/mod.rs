//! One page that shows what happened in a capture: `netkit report`.
//!
//! A [`Run`] is fed with every message of a capture as the statistics are, and keeps no more than
//! bounds allow; [`single`] and [`comparison`] make HTML of one and of two of them. Nothing
//! is counted here: figures are those of [`crate::stats`], which `netkit stats` prints.
//!
//! # What the parts agree on
//!
//! - **Into the page** only [`Html`] writes: `html.el("td").class("n").attr("data-v", n).text(x)`,
//!   `html.el("ul").with(|html| ..)`. All text and all values are escaped there, controls and bidi marks
//!   made visible, endless text cut. No markup can be passed, no `style`, no handler, no `href` but to a
//!   place of the page ([`Element::to`]). What only the script reads is
//!   [`Html::bytes`].
//! - **One reading**: each message comes once, in order. What only later messages tell (who answers it)
//!   is the inverse of the relations that these later messages have; that nothing answers or
//!   acknowledges one is said by [`Waiting::expected`] when the page is made.
//! - **Sections** are functions or methods `(&self, &Context, &mut Html)`, each writes one
//!   `<section id=".." aria-labelledby="..-title">` with [`section`], in this order:
//!   `overview`, `verdicts`, `bandwidth`, `round-trips`, `delivery`, `requests` (here),
//!   `sequences` and `messages` (with its data), both made of [`Messages::held`].
//! - **[`Messages`]** holds those that the user selected, up to a bound; of more, those around warnings.
//! - **Places** that links name: `#frame-N` a message (the first of that frame), `#frame-N-K` the Kth of
//!   its frame, `#note-CODE` a note's row in the table of notes; the script shows a message for the
//!   first two, and may offer the messages with a note for the third.
//! - **Charts** are `<figure class="chart" data-from data-to>` (seconds since the start) with
//!   `<svg class="plot" viewBox="0 0 1000 H" preserveAspectRatio="none">`, whose x is time, and
//!   `<svg class="axis-x">` with `<text x="..%">` below it: a script zooms by the `viewBox`'s x and
//!   width, and writes the axis again. Strokes do not scale.
//! - **Colours** are variables of `style.css` (`--text`, `--muted`, `--line`, `--surface`, `--accent`,
//!   `--client`, `--server`, `--warn`, `--error`, `--s0` to `--s5`), light and dark; `viewer.css` uses them and
//!   is appended to it. `script.js` is the only script, at the end of the body.

mod arrows;
mod charts;
mod compare;
mod data;
mod entry;
mod escape;
mod figures;
mod held;
mod messages;
mod page;
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
pub use escape::{Element, Html};
pub use messages::{MESSAGES, Messages};
pub use page::{comparison, single};
use std::fmt::Display;

/// The messages that waited longest, so many of those answered and of those acknowledged.
const SLOWEST: usize = 12;

/// How much is kept of a run.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// Messages with their trees and bytes; 0: none, for a comparison.
    pub messages: usize,
    /// The fields of each kind of message, to compare them.
    pub fields: bool,
}

/// What a capture is called, and what became of the reading of it.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// What it is called: a file's name, `stdin`.
    pub name: String,
    /// The files, if it was put together of several.
    pub files: Vec<String>,
    /// Why it is not whole: stopped, or cut.
    pub cut: Option<String>,
    /// What was selected of it: the options that say so.
    pub selected: Vec<String>,
    /// What was read, and what was left out.
    pub account: Account,
}

/// What is collected of one capture.
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

/// What sections are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// The capture.
    pub about: &'a About,
    /// Its counts.
    pub stats: &'a Stats,
    /// Which messages nothing answers or acknowledges.
    pub waiting: &'a Waiting,
    /// The protocols.
    pub registry: &'a Registry,
    /// The time of the first frame, from which times are told.
    pub start: Option<Time>,
    /// How many frames were read.
    pub frames: u64,
}

impl Run {
    /// Without messages. `options` are those with which the capture is read.
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

    /// A frame was read.
    pub fn frame(&mut self, time: Time) {
        if self.start.is_none() {
            self.start = Some(time);
            self.by_message.origin(time);
            self.by_direction.origin(time);
            self.course.origin(time);
        }
        self.frames += 1;
    }

    /// A message. Those that are not selected answer and acknowledge others, and are not told.
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

    /// All was read: the capture's account, and whether only selected messages were counted.
    pub fn read(&mut self, account: Account, selected: bool) {
        self.stats.account = account;
        self.stats.selected = selected;
    }

    /// A conversation ended.
    pub fn ended(&mut self, flow: u64, how: Closing) {
        self.stats.ended(flow, how);
    }

    /// The counts.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// For sections.
    pub(crate) fn context<'a>(&'a self, about: &'a About) -> Context<'a> {
        let Run { stats, waiting, registry, start, frames, .. } = self;
        Context { about, stats, waiting, registry, start: *start, frames: *frames }
    }
}

/// Writes a section with its heading.
pub fn section(id: &'static str, title: impl Display, html: &mut Html, content: impl FnOnce(&mut Html)) {
    let heading = format!("{id}-title");
    html.line().el("section").attr("id", id).attr("aria-labelledby", &heading).with(|html| {
        html.el("h2").attr("id", &heading).text(title);
        content(html);
    });
}
