//! The page of figures: what its keys do.

use super::figures::{Aim, Figures};
use super::fits::Fits;
use super::state::{Sheet, State};
use crate::filter::{Filter, Names};

impl State {
    /// Shows the figures, or the panes again.
    pub fn show_figures(&mut self) {
        self.turn_to(Sheet::Figures);
        let new = || Box::new(Figures::new(self.store.options(), self.subject.selected));
        self.figures.get_or_insert_with(new);
    }

    /// The figures, if they are shown.
    pub fn figures_shown(&mut self) -> Option<&mut Figures> {
        self.figures.as_deref_mut().filter(|_| self.sheet == Sheet::Figures)
    }

    /// Counts some more messages, if figures are shown. Returns whether there are still more.
    pub fn count_on(&mut self) -> bool {
        let store = std::sync::Arc::clone(&self.store);
        self.figures_shown().is_some_and(|figures| figures.count_on(&store))
    }

    /// Writes the lines of the figures for the screen.
    pub fn refresh_figures(&mut self) {
        let height = self.size.height.saturating_sub(self.areas.overview.height + 2);
        let (width, colour) = (self.size.width, self.subject.colour);
        self.figures_shown().into_iter().for_each(|figures| figures.draw(width, height, colour));
    }

    /// Shows only the messages of the selected row.
    pub fn enter_figures(&mut self) {
        let Some(aim) = self.figures_shown().and_then(|figures| figures.aim()) else { return };
        let Some(Aim { filter: text, part, last }) = aim else {
            return self.show_status("a sum of several conversations: c lists them");
        };
        match Filter::parse(&text, &Names::new(self.store.options())) {
            Ok(filter) => self.enter_from(Sheet::Figures, Fits { part, ..Fits::new(&text, filter, true) }, last),
            Err(why) => self.show_status(&why.what),
        }
    }
}
