//! The numbered messages of one direction, listed individually with their transmissions.

use rustc_hash::FxHashMap;

/// The listed messages of one direction.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The messages in order of first appearance.
    pub messages: Vec<Row>,
    /// Frames with a number past the next one, and the number of skipped numbers.
    pub gaps: Vec<(u64, u32)>,
    /// Frames of first transmissions with a number below the highest.
    pub late: Vec<u64>,
    places: FxHashMap<i64, usize>,
}

/// One numbered message.
#[derive(Clone, Debug)]
pub struct Row {
    /// The number without wrap.
    pub extended: i64,
    /// The number on the wire.
    pub number: u64,
    /// The message's name.
    pub message: &'static str,
    /// The application's number for it.
    pub message_id: Option<u64>,
    /// The transmissions in order.
    pub copies: Vec<Copied>,
    /// The frame of the first acknowledgement.
    pub acked: Option<u64>,
    /// Whether the protocol acknowledges it.
    pub awaits: bool,
}

impl Row {
    /// Whether no transmission passed the receiver's filter. False if the filter is not known.
    pub fn never_handled(&self) -> bool {
        self.copies.iter().all(|copy| copy.handled == Some(false))
    }

    /// The frames of the transmissions that passed.
    pub fn handled(&self) -> impl Iterator<Item = u64> {
        self.copies.iter().filter(|copy| copy.handled == Some(true)).map(|copy| copy.frame)
    }
}

/// One transmission of a numbered message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The frame.
    pub frame: u64,
    /// Whether it is the same bytes again after an acknowledgement.
    pub duplicate: bool,
    /// Whether it passed the receiver's filter; `None` if that is not known.
    pub handled: Option<bool>,
}

impl Rows {
    /// The row of this message, added if it is new.
    pub fn row(&mut self, new: Row) -> &mut Row {
        let place = *self.places.entry(new.extended).or_insert(self.messages.len());
        if place == self.messages.len() {
            self.messages.push(new);
        }
        &mut self.messages[place]
    }

    /// The row of a message.
    pub fn get(&mut self, extended: i64) -> Option<&mut Row> {
        self.messages.get_mut(*self.places.get(&extended)?)
    }
}
