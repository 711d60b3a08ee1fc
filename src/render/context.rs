//! `--context`: prints the messages around the matching ones, as grep does with lines.

use super::{Form, Renderer};
use crate::capture::Time;
use crate::dissect::Message;
use std::collections::VecDeque;

/// The maximum size of the text that waits for a matching message.
const HELD: usize = 16 << 20;

/// Prints the messages around the matching ones.
pub struct Context {
    before: usize,
    after: usize,
    form: Box<dyn Form>,
    /// Whether a line divides groups that are not adjacent.
    divider: bool,
    /// The messages before the next matching one.
    held: VecDeque<Vec<u8>>,
    bytes: usize,
    /// The number of messages that are still printed after the last matching one.
    left: usize,
    /// Whether a message was printed, and whether messages were left out since.
    begun: bool,
    gap: bool,
}

impl Context {
    /// Creates it for these numbers of messages before and after. `form` writes them.
    pub fn new([before, after]: [usize; 2], form: Box<dyn Form>, divider: bool) -> Context {
        Context { before, after, form, divider, held: VecDeque::new(), bytes: 0, left: 0, begun: false, gap: false }
    }

    /// Whether further messages are printed even if they do not match.
    pub fn goes_on(&self) -> bool {
        self.left > 0
    }

    /// Begins a file and sets the origin of its times, like [`Renderer::origin`]. Its messages are not around those of
    /// the file before.
    pub fn origin(&mut self, time: Time) {
        self.form.origin(time);
        self.gap |= self.begun;
        self.held.clear();
        (self.bytes, self.left) = (0, 0);
    }

    /// Prints a message, or holds it back.
    pub fn message(&mut self, message: &Message<'_>, fits: bool, to: &mut Renderer) {
        let mut text = Vec::new();
        self.form.message(message, &mut text);
        self.form.pause(&mut text);
        if fits || self.left > 0 {
            if fits && self.begun && self.gap && self.divider {
                to.rendered(b"--\n");
            }
            self.held.drain(..).for_each(|text| to.rendered(&text));
            to.rendered(&text);
            (self.bytes, self.begun, self.gap) = (0, true, false);
            self.left = if fits { self.after } else { self.left - 1 };
            return;
        }
        self.bytes += text.len();
        self.held.push_back(text);
        while (self.held.len() > self.before || self.bytes > HELD)
            && let Some(text) = self.held.pop_front()
        {
            self.bytes -= text.len();
            self.gap = true;
        }
    }
}
