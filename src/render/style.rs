//! What the output is for.

use super::times::TimeForm;

/// What the output is for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// The terminal's width; `None` where output is no terminal.
    pub width: Option<usize>,
    /// ANSI colours.
    pub colour: bool,
    /// All bytes, all elements, documentation.
    pub verbose: bool,
    /// Summaries begin with a line that names their columns.
    pub heading: bool,
    /// JSON: adds the messages' bytes.
    pub bytes: bool,
    /// How times are shown to people; `None`: as the format has them.
    pub time: Option<TimeForm>,
}

impl Style {
    /// Whether times depend on one message alone: those relative to the previous message need that
    /// message, whichever worker writes it.
    pub(super) fn divides(self) -> bool {
        self.time != Some(TimeForm::Delta)
    }
}
