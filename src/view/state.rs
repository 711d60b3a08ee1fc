//! The state of the screen. Keys change it ([`super::keys`]); drawing only reads it.

use super::detail::{Detail, Subject};
use super::figures::Figures;
use super::fits::Fits;
use super::layout::{Areas, Pane};
use super::prompt::Prompt;
use super::record::Row;
use super::store::{Progress, Store};
use crate::dissect::Target;
use ratatui_core::layout::Size;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The page that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// The panes.
    Panes,
    /// The list of conversations.
    Conversations,
    /// The selected message's conversation, with arrows.
    Sequence,
    /// Figures as tables.
    Figures,
    /// The keys.
    Help,
}

/// An action outside the state that a key asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// End the program.
    Quit,
    /// Stop as a job of the shell.
    Suspend,
    /// Put this into the clipboard.
    Copy(String),
    /// Write the messages that are shown into this file.
    Write(String),
}

/// The state of the screen.
#[derive(Debug)]
pub struct State {
    /// The messages.
    pub store: Arc<Store>,
    /// The input and its options.
    pub subject: Subject,
    /// The page.
    pub sheet: Sheet,
    /// The pane that keys are for.
    pub focus: Pane,
    /// That pane alone is shown.
    pub zoom: bool,
    /// The terminal's columns and rows.
    pub size: Size,
    /// The areas of the panes.
    pub areas: Areas,
    /// The number of messages on the screen's side; a pause keeps it.
    pub len: usize,
    /// The position of the selected message among those shown, and of the first on the screen.
    pub selected: usize,
    /// See `selected`.
    pub top: usize,
    /// The selection stays on the last message.
    pub at_end: bool,
    /// New messages are not shown.
    pub paused: bool,
    /// The selected message.
    pub detail: Option<Detail>,
    /// The filter.
    pub fits: Option<Fits>,
    /// The message from which on the first one that fits is looked for.
    pub seeking: Option<usize>,
    /// The line that is being typed.
    pub prompt: Option<Prompt>,
    /// The last report, until the next key.
    pub status: String,
    /// Messages that links were followed from.
    pub trail: Vec<usize>,
    /// The selected line of the conversations, and the first on the screen.
    pub conversation: (usize, usize),
    /// The figures, once they were shown.
    pub figures: Option<Box<Figures>>,
    /// The page whose row was entered.
    pub entered: Option<Sheet>,
    /// The changes of messages that wait at a proxy, as typed.
    pub edits: BTreeMap<u64, String>,
}

impl State {
    /// The screen of a store.
    pub fn new(store: Arc<Store>, subject: Subject, size: impl Into<Size>) -> State {
        let at_end = subject.live;
        let mut state = State {
            store,
            subject,
            sheet: Sheet::Panes,
            focus: Pane::Messages,
            zoom: false,
            size: size.into(),
            areas: Areas::default(),
            len: 0,
            selected: 0,
            top: 0,
            at_end,
            paused: false,
            detail: None,
            fits: None,
            seeking: None,
            prompt: None,
            status: String::new(),
            trail: Vec::new(),
            conversation: (0, 0),
            figures: None,
            entered: None,
            edits: BTreeMap::new(),
        };
        state.refresh();
        state
    }

    /// The filter, if it hides other messages.
    pub fn hiding(&self) -> Option<&Fits> {
        self.fits.as_ref().filter(|fits| fits.only)
    }

    /// The number of messages that are shown.
    pub fn shown(&self) -> usize {
        self.hiding().map_or(self.len, |fits| fits.found.partition_point(|number| (*number as usize) < self.len))
    }

    /// The number of the message at a position.
    pub fn number(&self, position: usize) -> Option<usize> {
        match self.hiding() {
            Some(fits) => fits.found.get(position).map(|number| *number as usize),
            None => (position < self.len).then_some(position),
        }
    }

    /// The number of the selected message.
    pub fn current(&self) -> Option<usize> {
        self.number(self.selected)
    }

    /// The row of the selected message.
    pub fn row(&self) -> Option<Row> {
        self.store.row(self.current()?)
    }

    /// The number of messages that arrived while the screen was paused or did not show the end.
    pub fn waiting(&self) -> usize {
        if self.paused { self.store.len().saturating_sub(self.len) } else { 0 }
    }

    /// The number of messages that a pane shows.
    pub fn page(&self) -> usize {
        let rows = match self.sheet {
            Sheet::Sequence => self.size.height.saturating_sub(self.areas.overview.height + 3),
            _ => self.areas.list.map_or(1, |area| area.height.saturating_sub(1)),
        };
        usize::from(rows).max(1)
    }

    /// Makes everything fit together again: after keys, new messages, another size.
    pub fn refresh(&mut self) {
        self.areas = Areas::of(self.size, self.focus, self.zoom, self.prompt.as_ref());
        if !self.paused {
            self.len = self.store.len();
        }
        let shown = self.shown();
        if self.at_end {
            let flow = self.row().filter(|_| self.sheet == Sheet::Sequence).map(|row| row.flow);
            let last = flow.and_then(|flow| self.along(flow, shown, false, 1).pop());
            self.selected = last.unwrap_or(usize::MAX);
        }
        self.selected = self.selected.min(shown.saturating_sub(1));
        let page = self.page();
        let margin = (page / 4).min(3);
        let most = shown.saturating_sub(page);
        let (low, high) = ((self.selected + margin + 1).saturating_sub(page), self.selected.saturating_sub(margin));
        self.top = self.top.clamp(low.min(high), high).min(most);
        let number = self.current();
        let ended = self.store.progress() != Progress::Reading;
        match number.filter(|_| matches!(self.sheet, Sheet::Panes | Sheet::Sequence)) {
            Some(number) => {
                let before = self.detail.take();
                let width = self.areas.tree.map(|area| area.width);
                self.detail = Detail::of(&self.store, &self.subject, number, width, ended, before);
            }
            None => self.detail = None,
        }
        if let Some(detail) = &mut self.detail {
            detail.scroll(&self.areas);
        }
        self.refresh_figures();
        self.refresh_holds();
        let lines = usize::from(self.size.height.saturating_sub(3)).max(1);
        let (at, top) = self.conversation;
        self.conversation = (at, top.clamp((at + 1).saturating_sub(lines), at));
    }

    /// Selects a message by its number; where a filter hides it, everything is shown again.
    pub fn go_to(&mut self, number: usize) {
        if self.paused && number >= self.len {
            return self.show_status("that message arrived after the pause: p shows it");
        }
        let at = self.hiding().map(|fits| fits.found.binary_search(&(number as u32)));
        self.selected = match at {
            Some(Ok(at)) => at,
            Some(Err(_)) => {
                self.status = "it was hidden by the filter: all messages are shown".into();
                self.fits = self.fits.take().map(|fits| Fits { only: false, ..fits });
                number
            }
            None => number,
        };
        self.at_end = false;
    }

    /// Moves the selection.
    pub fn move_by(&mut self, by: isize) {
        let last = self.shown().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
        self.at_end = self.selected == last && by > 0 && self.store.progress() == Progress::Reading;
    }

    /// Selects the next message with a note as bad as this, or worse.
    pub fn next_bad(&mut self, least: u8, forward: bool) {
        let here = self.current().unwrap_or(0);
        let from = if forward { Some(here + 1) } else { here.checked_sub(1) };
        match from.and_then(|from| self.store.next(from, forward, |row| row.severity >= least)) {
            Some(number) if number < self.len => self.go_to(number),
            _ if forward => self.show_status("no warning and no fault after it"),
            _ => self.show_status("no warning and no fault before it"),
        }
    }

    /// Selects the message that the selected one is related to: a later one, or an earlier one.
    pub fn follow_link(&mut self, later: bool) {
        let (Some(number), Some(detail)) = (self.current(), &self.detail) else { return };
        let own = (detail.frame(), detail.opened.dissection().index);
        let is_later = |target: &Target| (target.frame, target.index) > own;
        let targets = detail.opened.dissection().related.iter().map(|relation| (relation.kind, relation.target));
        let found = targets.filter(|(_, target)| is_later(target) == later).find_map(|(kind, target)| {
            let to = self.store.find(target)?;
            Some((kind.name(), target.frame, to))
        });
        match found {
            Some((kind, frame, to)) => {
                if !self.paused || to < self.len {
                    self.trail.push(number);
                }
                self.show_status(&format!("{}: frame {frame}; Backspace goes back", kind.replace('_', " ")));
                self.go_to(to);
            }
            None if self.store.progress() == Progress::Reading && later => {
                self.show_status("relations to later messages are known when the input has been read")
            }
            None if later => self.show_status("no later message is related to it"),
            None => self.show_status("no earlier message is related to it"),
        }
    }

    /// Selects a frame or a time.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn go_to_place(&mut self, text: &str) -> Result<(), String> {
        let number = match text.parse::<u64>() {
            Ok(frame) => {
                let found = self.store.find(Target { frame, index: 1 });
                found.unwrap_or_else(|| self.store.partition(|row| row.frame < frame))
            }
            Err(_) => {
                let at = text.parse::<crate::capture::TimeSpec>()?.nanos(self.store.origin().unwrap_or_default());
                self.store.partition(|row| i128::from(row.nanos) < at)
            }
        };
        self.go_to(number.min(self.len.saturating_sub(1)));
        if number >= self.len && self.len > 0 && self.status.is_empty() {
            self.show_status("no message is at or after it: this is the last one");
        }
        Ok(())
    }

    /// Shows a text in the last line until the next key.
    pub fn show_status(&mut self, text: &str) {
        self.status = text.into();
    }
}
