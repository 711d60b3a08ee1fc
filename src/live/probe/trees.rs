//! The messages of a server as trees.

use crate::dissect::{Message, Sink};
use crate::render::{Details, Form, Format, Style};

/// Renders messages as trees, into memory, up to a limit.
pub(crate) struct Trees {
    form: Box<dyn Form>,
    text: Vec<u8>,
    /// The number of bytes that may still be shown, and whether that was too little.
    left: usize,
    cut: bool,
}

impl Trees {
    /// Creates it without messages; `left`: the number of bytes that may be shown.
    pub(crate) fn new(style: Style, left: usize) -> Trees {
        // One byte more, so that what is left out is noticed.
        let style = Style { most: Some(left + 1), ..style };
        Trees { left, cut: false, form: (Format::TREE.form)(style, &Details::default()), text: Vec::new() }
    }

    /// Returns the text since the last call.
    pub(crate) fn take(&mut self) -> Option<Vec<u8>> {
        Some(std::mem::take(&mut self.text)).filter(|text| !text.is_empty())
    }
}

impl Sink for Trees {
    fn message(&mut self, message: &Message<'_>) {
        if self.left == 0 {
            if !std::mem::replace(&mut self.cut, true) {
                self.text.extend_from_slice(b"further messages of this server are not shown (--limit live_kept)\n");
            }
            return;
        }
        let before = self.text.len();
        self.form.message(message, &mut self.text);
        let room = before + self.left;
        if self.text.len() > room {
            let line = self.text.get(..room).and_then(|text| text.iter().rposition(|byte| *byte == b'\n'));
            self.text.truncate(line.map_or(before, |end| end + 1).max(before));
            self.text.shrink_to_fit();
            self.left = 0;
        }
        self.left = self.left.saturating_sub(self.text.len() - before);
    }
}
