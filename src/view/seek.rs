//! Finds messages and hides others, in parts, so that the screen goes on.

use super::fits::Fits;
use super::layout::Pane;
use super::state::{Sheet, State};
use super::store::Progress;

impl State {
    /// Selects the next message that fits the filter, or the one before.
    pub fn next_fit(&mut self, forward: bool) {
        let Some(fits) = &self.fits else { return self.show_status("no filter: press / to enter one") };
        let here = self.current().unwrap_or(0);
        let found = if forward {
            let at = fits.found.partition_point(|number| *number as usize <= here);
            fits.found.get(at)
        } else {
            let at = fits.found.partition_point(|number| (*number as usize) < here);
            at.checked_sub(1).and_then(|at| fits.found.get(at))
        };
        match (found.copied(), forward && fits.looked < self.len) {
            (Some(number), _) => self.go_to(number as usize),
            (None, true) => self.show_status("still looking"),
            (None, false) => {
                self.show_status(if forward { "no message after it matches" } else { "no message before it matches" })
            }
        }
    }

    /// Shows the messages that fit, or goes to them. A list that follows live input goes on doing so.
    pub fn apply(&mut self, fits: Fits) {
        (self.seeking, self.entered) = (self.current().filter(|_| !(self.at_end && fits.only)), None);
        self.fits = Some(fits);
        self.look_on();
    }

    /// Shows only the messages of a row of this page, and selects the first of them, or the last.
    pub fn enter_from(&mut self, page: Sheet, fits: Fits, last: bool) {
        (self.sheet, self.focus, self.at_end) = (Sheet::Panes, Pane::Messages, false);
        (self.entered, self.seeking) = (Some(page), Some(if last { usize::MAX } else { 0 }));
        self.trail.clear();
        self.fits = Some(fits);
        self.look_on();
    }

    /// Goes back to where a link was followed, or to the page whose row was entered.
    pub fn go_back(&mut self) {
        match (self.trail.pop(), self.entered) {
            (Some(number), _) => self.go_to(number),
            (None, Some(page)) => {
                self.show_all();
                self.sheet = page;
            }
            (None, None) => self.show_status("nothing to go back to"),
        }
    }

    /// Shows all messages again.
    pub fn show_all(&mut self) {
        let here = self.current().filter(|_| !self.at_end);
        (self.fits, self.seeking, self.entered) = (None, None, None);
        here.into_iter().for_each(|number| self.go_to(number));
    }

    /// Whether something is to be done with new messages.
    pub fn looks(&self) -> bool {
        self.fits.is_some() || self.sheet == Sheet::Figures
    }

    /// Tests and counts some more messages. Returns whether there are still more.
    pub fn look_on(&mut self) -> bool {
        let counting = self.count_on();
        self.seek_on() || counting
    }

    fn seek_on(&mut self) -> bool {
        let whole = self.store.progress() != Progress::Reading;
        let Some(fits) = &mut self.fits else { return false };
        // A match that depends on later messages is not known before the end.
        if fits.looked >= self.store.len() || !whole && fits.filter.later().is_some() {
            return false;
        }
        fits.look_on(&self.store);
        let more = fits.looked < self.store.len();
        if let Some(here) = self.seeking {
            // The first one from here on; where there is none, the last one before.
            let mut found = fits.found.iter().map(|number| *number as usize);
            let next = found.clone().find(|number| *number >= here);
            if let Some(to) = next.or(if more { None } else { found.next_back() }) {
                self.seeking = None;
                self.go_to(to);
            } else if !more {
                self.seeking = None;
                self.show_status("no message matches");
            }
        }
        more
    }
}
