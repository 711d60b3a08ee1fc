//! The limits of the flow layer, and what it counts.

/// What bounds the memory of a [`Table`](super::Table), whatever the capture holds.
///
/// Each limit can be set; the defaults are generous for game traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Conversations kept at once. The one that was silent longest goes first. At least 1 is kept.
    pub conversations: usize,
    /// Bytes held of one direction because bytes before them are missing. When they are more, the
    /// missing bytes are given up.
    pub held_bytes: usize,
    /// Pieces held of one direction because bytes before them are missing: what bounds the memory
    /// where each segment holds one byte.
    pub held_segments: usize,
    /// Bytes of one direction that are in order but that the handler has not consumed, with the
    /// records of which frame brought which of them (48 bytes a segment). More are dropped,
    /// as a gap with [`GapCause::Unread`](super::GapCause::Unread).
    pub unread_bytes: usize,
    /// Bytes buffered in all directions of all conversations together, and what their states hold
    /// ([`Handler::memory`](super::Handler::memory)). When they are more,
    /// conversations are evicted, the one that was silent longest first.
    ///
    /// It is looked at only now and then, so that any number of threads decides alike: after every
    /// 32nd part of it in traffic (of 4 KiB at least, of 512 KiB at most; a packet counts 64 bytes more
    /// than its payload), by what was held four such parts before. So what is remembered of five
    /// parts of traffic may come on top of it.
    pub buffered_bytes: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Caps {
            conversations: 100_000,
            held_bytes: 1 << 20,
            held_segments: 1024,
            // Two of nano's largest packages (16 MiB each).
            unread_bytes: 32 << 20,
            buffered_bytes: 256 << 20,
        }
    }
}

/// What a [`Table`](super::Table) has counted since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Conversations seen.
    pub conversations: u64,
    /// Conversations given up because a cap was reached. Their next packet begins a new one.
    pub evicted: u64,
    /// Conversations that ended because their ports were used again.
    pub reused: u64,
    /// Gaps told to the handler.
    pub gaps: u64,
    /// Bytes that never came: those of the gaps, and those missing before a FIN.
    pub missing_bytes: u64,
    /// Bytes that came and were unread when a gap, a cap or an eviction dropped them.
    pub dropped_bytes: u64,
    /// TCP segments with bytes that no plausible sequence number explains, or behind the end of
    /// their direction.
    pub ignored_segments: u64,
}

impl Statistics {
    /// Counts what a [`Partition`](super::Partition) has counted too.
    pub fn add(&mut self, other: &Statistics) {
        let Statistics { conversations, evicted, reused, gaps, missing_bytes, dropped_bytes, ignored_segments } = other;
        self.conversations += conversations;
        self.evicted += evicted;
        self.reused += reused;
        self.gaps += gaps;
        self.missing_bytes += missing_bytes;
        self.dropped_bytes += dropped_bytes;
        self.ignored_segments += ignored_segments;
    }
}
