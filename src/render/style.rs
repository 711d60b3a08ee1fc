//! The style of the output.

use super::times::TimeForm;

/// The style of the output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// The terminal's width; `None` where output is not a terminal.
    pub width: Option<usize>,
    /// ANSI colours.
    pub colour: bool,
    /// Whether all bytes, all elements and the documentation are shown.
    pub verbose: bool,
    /// The most bytes of text of one message's tree if all its bytes are shown; the rest is left out. `None`: no limit.
    pub most: Option<usize>,
    /// Whether summaries begin with a line that names their columns.
    pub heading: bool,
    /// Whether JSON includes the messages' bytes.
    pub bytes: bool,
    /// The form of times for people; `None`: the format's own.
    pub time: Option<TimeForm>,
}

impl Style {
    /// Whether each time depends on one message alone. Times relative to the previous message also need that message,
    /// which another worker may write.
    pub(super) fn divides(self) -> bool {
        self.time != Some(TimeForm::Delta)
    }
}
