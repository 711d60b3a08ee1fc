//! What is told of a line beside its bytes: how it came about.

use crate::codec::Level;
use crate::dissect::Dissection;
use crate::dissect::framed::note_gap;

/// How a line came about.
#[derive(Debug, Default)]
pub struct LineContext {
    /// So many bytes are missing before it.
    pub gap: Option<u64>,
    /// It came in a client's frame without mask.
    pub unmasked: bool,
    /// It was given up because a message began anew.
    pub given_up: bool,
    /// It began in a message of so many frames, which are not listed again.
    pub many_frames: usize,
}

impl LineContext {
    /// Notes them.
    pub fn tell(&self, dissection: &mut Dissection) {
        note_gap(self.gap, dissection);
        if self.unmasked {
            dissection.notes.add(Level::Warning, "websocket.unmasked", format_args!("a client's frame without mask"));
        }
        if self.many_frames > 0 {
            let text = format_args!("began in a message of {} frames, listed with its first package", self.many_frames);
            dissection.notes.add(Level::Note, "websocket.many_frames", text);
        }
        if self.given_up {
            let text = format_args!("unfinished, and the next WebSocket message begins with a package of its own");
            dissection.notes.add(Level::Warning, "websocket.package_cut", text);
        }
    }
}
