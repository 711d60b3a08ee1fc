//! The areas of the panes on a terminal of any size.

use super::prompt::Prompt;
use ratatui_core::layout::{Rect, Size};

/// A part of the screen that takes keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The list of messages.
    #[default]
    Messages,
    /// The selected message's fields.
    Tree,
    /// Its bytes.
    Bytes,
}

impl Pane {
    /// All of them, in the order of Tab.
    pub const ALL: [Pane; 3] = [Pane::Messages, Pane::Tree, Pane::Bytes];

    /// The text above it.
    pub fn title(self) -> &'static str {
        ["Messages", "Fields", "Bytes"][self as usize]
    }

    /// The next pane, or the one before.
    pub fn next(self, forward: bool) -> Pane {
        let step = if forward { 1 } else { Pane::ALL.len() - 1 };
        Pane::ALL[(self as usize + step) % Pane::ALL.len()]
    }
}

/// The parts of the screen. The first row of a pane is its title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    /// The input, and its rate over time.
    pub overview: Rect,
    /// The list of messages.
    pub list: Option<Rect>,
    /// The fields.
    pub tree: Option<Rect>,
    /// The bytes.
    pub bytes: Option<Rect>,
    /// The line for typing and reports.
    pub status: Rect,
}

/// The smallest terminal that is drawn on.
pub const LEAST: (u16, u16) = (40, 12);
/// From this width on, bytes are beside the fields.
const WIDE: u16 = 80;
/// The columns of the bytes, on wide terminals sixteen a row, else eight.
const BYTES: [(u16, u16); 2] = [(150, 75), (WIDE, 39)];

impl Areas {
    /// The areas of a terminal.
    pub fn of(size: Size, focus: Pane, zoom: bool, prompt: Option<&Prompt>) -> Areas {
        let Size { width, height } = size;
        let row = |y: u16, rows: u16| Rect::new(0, y, width, rows);
        let above = (if height < 16 { 1 } else { 2 }).min(height);
        let below = match prompt {
            Some(prompt) if prompt.asked.is_checked() => 3,
            _ => 1,
        };
        let below = below.min(height - above);
        let body = height - above - below;
        let mut areas = Areas { overview: row(0, above), status: row(height - below, below), ..Areas::default() };
        let details = if zoom { body } else { body - (body * 9).div_ceil(20).min(body) };
        if zoom && focus == Pane::Messages || details < 2 {
            areas.list = Some(row(above, body));
            return areas;
        }
        if !zoom {
            areas.list = Some(row(above, body - details));
        }
        let lower = row(above + body - details, details);
        let wide = BYTES.iter().find(|(least, _)| width >= *least).filter(|_| !zoom);
        match (wide, focus) {
            (Some((_, bytes)), _) => {
                areas.tree = Some(Rect { width: width - bytes - 1, ..lower });
                areas.bytes = Some(Rect { x: width - bytes, width: *bytes, ..lower });
            }
            (None, Pane::Bytes) => areas.bytes = Some(lower),
            (None, _) => areas.tree = Some(lower),
        }
        areas
    }

    /// The pane at a place of the screen.
    pub fn at(&self, x: u16, y: u16) -> Option<(Pane, u16)> {
        let areas = [(Pane::Messages, self.list), (Pane::Tree, self.tree), (Pane::Bytes, self.bytes)];
        areas.into_iter().find_map(|(pane, area)| {
            let area = area.filter(|area| area.contains((x, y).into()))?;
            Some((pane, (y - area.y).checked_sub(1)?))
        })
    }
}
