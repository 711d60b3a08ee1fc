//! The caps on memory, by the names of the `--limit` option.
//!
//! ```
//! use netkit::dissect::Limits;
//! let mut limits = Limits::default();
//! limits.set("conversations=2K")?;
//! assert_eq!(limits.flow.conversations, 2048);
//! assert!(limits.set("conversation=1").is_err_and(|why| why.contains("did you mean")));
//! # Ok::<(), String>(())
//! ```

use crate::capture::FragmentCaps;
use crate::codec::digits;
use crate::flow::Caps;
use crate::nearest::{hint, nearest};

/// All caps that can be set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The caps on conversations and their streams.
    pub flow: Caps,
    /// The caps on IP fragments.
    pub fragments: FragmentCaps,
    /// The caps on data under a peer's control that it can reference repeatedly.
    pub peer: PeerCaps,
    /// The caps on stored facts about messages.
    pub lists: ListCaps,
    /// The caps on sessions with live peers.
    pub live: LiveCaps,
}

/// Caps on the memory and disk space of sessions with live peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveCaps {
    /// Messages of a recording that are stored for replay.
    pub messages: usize,
    /// Memory for them.
    pub message_bytes: usize,
    /// Bytes of a capture that is written from a session.
    pub pcap_bytes: usize,
    /// Bytes in a proxy that wait to be forwarded.
    pub queue_bytes: usize,
}

impl Default for LiveCaps {
    fn default() -> LiveCaps {
        LiveCaps { messages: 1 << 20, message_bytes: 1 << 30, pcap_bytes: 2 << 30, queue_bytes: 64 << 20 }
    }
}

/// Caps on facts about messages that are stored for later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListCaps {
    /// Relations, and messages that wait for an answer or acknowledgement.
    pub links: usize,
    /// Bytes of a pipe that are read ahead for them.
    pub link_bytes: usize,
    /// Messages that statistics follow to their answers, and list.
    pub waiting: usize,
    /// Groups in statistics.
    pub groups: usize,
}

impl Default for ListCaps {
    fn default() -> ListCaps {
        ListCaps { links: 1 << 20, link_bytes: 64 << 20, waiting: 128 << 10, groups: 64 << 10 }
    }
}

/// Caps on text and bytes under a peer's control, which it can reference repeatedly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerCaps {
    /// The length of a name that a peer defines once and messages refer to by number.
    pub name_bytes: usize,
    /// The ratio between a compressed message and the inflated one.
    pub inflate_ratio: usize,
    /// Bytes of an incomplete message of a live peer.
    pub live_unread_bytes: usize,
    /// Memory for a live peer's messages that are stored for the report.
    pub live_kept_bytes: usize,
}

impl Default for PeerCaps {
    fn default() -> PeerCaps {
        PeerCaps { name_bytes: 256, inflate_ratio: 256, live_unread_bytes: 1 << 20, live_kept_bytes: 64 << 20 }
    }
}

impl PeerCaps {
    /// A name for printing. Above the cap it is its beginning, `...` and its length; `which` distinguishes it from
    /// others with the same beginning.
    ///
    /// ```
    /// use netkit::dissect::PeerCaps;
    /// let caps = PeerCaps { name_bytes: 3, ..PeerCaps::default() };
    /// assert_eq!(caps.name("abc", "tag 1"), "abc");
    /// assert_eq!(caps.name("abcdef", "tag 1"), "abc... (6 bytes, tag 1)");
    /// ```
    pub fn name<'a>(&self, name: &'a str, which: impl std::fmt::Display) -> std::borrow::Cow<'a, str> {
        if name.len() <= self.name_bytes {
            return name.into();
        }
        let whole = (0..=self.name_bytes).rev().find(|at| name.is_char_boundary(*at));
        let start = name.get(..whole.unwrap_or(0)).unwrap_or_default();
        format!("{start}... ({} bytes, {which})", name.len()).into()
    }

    /// The number of bytes to which a message of `packed` bytes may inflate.
    pub fn inflated(&self, packed: usize, free: usize) -> usize {
        packed.saturating_mul(self.inflate_ratio).max(free)
    }
}

/// One cap.
#[derive(Debug)]
pub struct Limit {
    /// The cap's name.
    pub name: &'static str,
    /// The quantity that it bounds, and the effect above it.
    pub doc: &'static str,
    place: fn(&mut Limits) -> &mut usize,
}

/// A row for each cap: its name, its place in [`Limits`], its description.
macro_rules! limits {
    ($($name:literal $caps:ident.$cap:ident $doc:literal,)*) => {
        [$(Limit { name: $name, doc: $doc, place: |limits| &mut limits.$caps.$cap },)*]
    };
}

/// The caps by name.
pub static LIMITS: [Limit; 20] = limits! {
    "conversations" flow.conversations "conversations at once; the one silent longest is evicted",
    "returning" flow.returning
        "evicted conversations that keep their numbers if they come back; further ones get another",
    "buffered_bytes" flow.buffered_bytes
        "bytes held in all conversations together; those silent longest are evicted",
    "unread_bytes" flow.unread_bytes "bytes of one TCP direction that make no whole message yet; then they are a gap",
    "held_bytes" flow.held_bytes "bytes of one TCP direction after missing ones; then the missing ones are given up",
    "held_segments" flow.held_segments "segments of one TCP direction after missing bytes; then the missing bytes are given up",
    "fragments" fragments.datagrams "IP datagrams that wait for fragments; the oldest is given up",
    "fragment_bytes" fragments.bytes "bytes of datagrams that wait for fragments; the oldest are given up",
    "name_bytes" peer.name_bytes
        "bytes of a route or a field's name that a handshake brings; longer ones are truncated, with a note",
    "inflate_ratio" peer.inflate_ratio
        "inflated size of a compressed message, as a multiple (64K are free, 1M of a WebSocket); larger ones are \
        left as they are",
    "live_unread" peer.live_unread_bytes
        "replay, probe: bytes of the peer that make no whole message yet; beyond them netkit leaves the peer",
    "live_kept" peer.live_kept_bytes
        "replay: memory for the peer's messages, to be compared; further ones are counted alone",
    "replay_messages" live.messages "replay: messages of the recording; only its beginning is played",
    "replay_bytes" live.message_bytes "replay: memory for the recording's messages; only its beginning is played",
    "pcap_bytes" live.pcap_bytes "--pcap of replay, probe and proxy: bytes of the file; later packets are not recorded",
    "proxy_queue" live.queue_bytes "proxy: bytes that wait to be forwarded; further datagrams are lost",
    "links" lists.links
        "--link: relations, and messages that wait for an answer; those beyond are not linked, which is reported",
    "link_bytes" lists.link_bytes "--link: bytes of a pipe that are buffered; later ones are not linked",
    "waiting" lists.waiting
        "stats --unanswered, --never-acked, --slow, --latency: messages followed at once or listed, and kinds; those \
        beyond are counted",
    "groups" lists.groups "stats --by FIELD: groups; messages of further ones share the last",
};

impl Limit {
    /// The default value, as accepted by [`Limits::set`].
    pub fn default(&self) -> String {
        let value = *(self.place)(&mut Limits::default());
        match value {
            n if n > 0 && n % (1 << 30) == 0 => format!("{}G", n >> 30),
            n if n > 0 && n % (1 << 20) == 0 => format!("{}M", n >> 20),
            n if n > 0 && n % (1 << 10) == 0 => format!("{}K", n >> 10),
            n => n.to_string(),
        }
    }
}

impl Limits {
    /// Sets `NAME=N`; N may end in K, M or G (powers of 1024).
    ///
    /// # Errors
    /// The mistake and the expected form, if it is invalid.
    pub fn set(&mut self, text: &str) -> Result<(), String> {
        let (name, value) = text.split_once('=').ok_or("expected NAME=N, such as conversations=1000")?;
        let Some(limit) = LIMITS.iter().find(|limit| limit.name == name) else {
            let near = nearest(name, LIMITS.iter().map(|limit| limit.name));
            let all = LIMITS.iter().map(|limit| limit.name).collect::<Vec<_>>().join(", ");
            return Err(match near {
                Some(_) => format!("no limit {name:?}{}", hint(near)),
                None => format!("no limit {name:?}: expected {all}"),
            });
        };
        *(limit.place)(self) = digits::amount(value)
            .ok_or_else(|| format!("{name}: expected a number, such as 1000, 64K or 16M, got {value:?}"))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_takes_its_own_default() {
        for limit in &LIMITS {
            let mut limits = Limits::default();
            limits.set(&format!("{}={}", limit.name, limit.default())).unwrap();
            assert_eq!(limits, Limits::default(), "{}", limit.name);
            limits.set(&format!("{}=7", limit.name)).unwrap();
            assert_eq!(*(limit.place)(&mut limits), 7);
            assert_ne!(limits, Limits::default());
        }
    }

    #[test]
    fn invalid_limits() {
        let why = |text: &str| Limits::default().set(text).unwrap_err();
        assert!(why("conversations").contains("NAME=N"));
        assert!(why("zebra=1").contains("held_bytes"));
        for value in ["", "K", "-1", "1.5M", "99999999999999999999", "18014398509481984K"] {
            assert!(why(&format!("held_bytes={value}")).contains("expected a number"), "{value}");
        }
    }
}
