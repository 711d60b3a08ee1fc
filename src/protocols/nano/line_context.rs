//! The context of a line beyond its bytes: how it arrived.

use crate::dissect::Dissection;
use crate::dissect::framed::note_gap;

/// The context of a line.
#[derive(Debug, Default)]
pub struct LineContext {
    /// The number of bytes missing before it.
    pub gap: Option<u64>,
    /// It is from a client's frame without a mask.
    pub unmasked: bool,
    /// It was given up because a new message began.
    pub given_up: bool,
    /// The number of frames of the message in which it began. They are not listed again.
    pub many_frames: usize,
}

impl LineContext {
    /// Adds the notes of the context.
    pub fn note(&self, dissection: &mut Dissection) {
        note_gap(self.gap, dissection);
        if self.unmasked {
            dissection.notes.warn("websocket.unmasked", format_args!("a client's frame without mask"));
        }
        if self.many_frames > 0 {
            let text = format_args!("began in a message of {} frames, listed with its first package", self.many_frames);
            dissection.notes.note("websocket.many_frames", text);
        }
        if self.given_up {
            let text = format_args!("unfinished, and the next WebSocket message begins with a package of its own");
            dissection.notes.warn("websocket.package_cut", text);
        }
    }
}
