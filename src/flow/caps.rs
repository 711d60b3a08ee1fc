//! The caps of the flow layer, and its counters.

/// The caps on memory of a [`Table`](super::Table), with any capture.
///
/// The defaults are generous for game traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// The number of conversations at a time. Above it, the one idle for longest is evicted. At least 1.
    pub conversations: usize,
    /// Evicted conversations whose numbers are kept in case they come back: 17 to 40 bytes each. Further ones that come
    /// back get another number.
    pub returning: usize,
    /// Out-of-order bytes buffered for one direction. Above it, the missing bytes before them are
    /// given up.
    pub held_bytes: usize,
    /// Out-of-order segments buffered for one direction: bounds the memory if every segment has one byte.
    pub held_segments: usize,
    /// Bytes of one direction that are in order but not consumed by the handler, including the
    /// records of their frames (48 bytes per segment). Above it they are dropped, as a gap with
    /// `GapCause::Unread`.
    pub unread_bytes: usize,
    /// Bytes buffered for all directions of all conversations, and in the handler's states
    /// ([`Handler::memory`](super::Handler::memory)). Above it, conversations are evicted, starting
    /// with the one idle for longest.
    ///
    /// The cap is checked once per epoch, so that the decision does not depend on the number of threads. An epoch is an
    /// amount of traffic: 1/32 of this cap, from 4 KiB to 512 KiB; each packet counts 64 bytes more than its payload.
    /// The check uses the memory of four epochs before. So the memory can exceed the cap by five epochs of traffic.
    pub buffered_bytes: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Caps {
            conversations: 100_000,
            returning: 1 << 20,
            held_bytes: 1 << 20,
            held_segments: 1024,
            // Room for two of nano's largest packages (16 MiB each).
            unread_bytes: 32 << 20,
            buffered_bytes: 256 << 20,
        }
    }
}

/// The counters of a [`Table`](super::Table).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Conversations seen. One that was evicted and comes back is counted once, unless its number was not kept.
    pub conversations: u64,
    /// Evictions because a cap was reached. The conversation's next packet [resumes](super::Conversation::resumed) it.
    pub evicted: u64,
    /// The part of `evicted` that concerns conversations evicted before.
    pub evicted_again: u64,
    /// Evicted conversations whose numbers were not kept.
    pub forgotten: u64,
    /// The part of `evicted` caused by the cap on buffered bytes, not by that on conversations.
    pub evicted_by_bytes: u64,
    /// Directions whose unread bytes were dropped at their cap.
    pub unread: u64,
    /// Gaps that were given up at the cap on held bytes.
    pub held_bytes: u64,
    /// Gaps that were given up at the cap on held segments.
    pub held_segments: u64,
    /// Conversations that ended because their ports were reused.
    pub reused: u64,
    /// Gaps reported to the handler.
    pub gaps: u64,
    /// Bytes never captured: those in gaps, and those missing at the end of a direction.
    pub missing_bytes: u64,
    /// Captured but unread bytes dropped at a gap, by a cap or by an eviction.
    pub dropped_bytes: u64,
    /// TCP segments whose bytes fit no plausible sequence number, or are new after the end of their direction.
    pub ignored_segments: u64,
}

impl Statistics {
    /// Adds the counters of a [`Partition`](super::Partition).
    pub fn add(&mut self, other: &Statistics) {
        let Statistics { conversations, evicted, evicted_by_bytes, unread, held_bytes, held_segments, .. } = other;
        let Statistics {
            evicted_again, forgotten, reused, gaps, missing_bytes, dropped_bytes, ignored_segments, ..
        } = other;
        self.conversations += conversations;
        self.evicted += evicted;
        self.evicted_by_bytes += evicted_by_bytes;
        self.evicted_again += evicted_again;
        self.forgotten += forgotten;
        self.unread += unread;
        self.held_bytes += held_bytes;
        self.held_segments += held_segments;
        self.reused += reused;
        self.gaps += gaps;
        self.missing_bytes += missing_bytes;
        self.dropped_bytes += dropped_bytes;
        self.ignored_segments += ignored_segments;
    }
}
