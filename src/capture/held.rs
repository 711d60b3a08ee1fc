//! A frame with several packets, held until all of them have been returned.

use super::span::Span;
use super::{Frame, LinkType, Time};

/// A copy of an aggregated 802.11 frame, and of its subframes after the first.
#[derive(Default)]
pub(super) struct Held {
    number: u64,
    time: Time,
    link: u32,
    interface: u32,
    length: usize,
    data: Vec<u8>,
    subframes: Vec<u8>,
    /// The subframes' length on the wire.
    left: usize,
}

impl Held {
    /// Stores a frame, reusing the buffers of the last one.
    pub(super) fn keep(&mut self, frame: &Frame<'_>, subframes: Span<'_>) {
        (self.number, self.time, self.link) = (frame.number, frame.time, frame.link.0);
        (self.interface, self.length, self.left) = (frame.interface, frame.length, subframes.length);
        for (buffer, bytes) in [(&mut self.data, frame.data), (&mut self.subframes, subframes.data)] {
            buffer.clear();
            buffer.extend_from_slice(bytes);
        }
    }

    /// The stored frame.
    pub(super) fn frame(&self) -> Frame<'_> {
        Frame {
            number: self.number,
            time: self.time,
            link: LinkType(self.link),
            interface: self.interface,
            // A proxy records no aggregated frames.
            leg: None,
            data: &self.data,
            length: self.length,
        }
    }

    /// The frame's subframes from `at` on.
    pub(super) fn subframes(&self, at: usize) -> Span<'_> {
        let at = at.min(self.subframes.len());
        Span::new(&self.subframes[at..], self.left.saturating_sub(at))
    }

    /// The position of `rest`, the remaining subframes.
    pub(super) fn place(&self, rest: Span<'_>) -> usize {
        self.left.saturating_sub(rest.length)
    }
}
