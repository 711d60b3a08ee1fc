//! Conversations: the two endpoints and the properties of the traffic between them.

#[cfg(feature = "cli")]
use crate::capture::{Body, Packet};
use crate::capture::{Leg, Time};
use std::cell::OnceCell;
use std::fmt;
use std::net::SocketAddr;
use std::ops::AddAssign;
use std::sync::atomic::{AtomicU64, Ordering};

/// The transport protocol of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Datagrams.
    #[default]
    Udp,
    /// A byte stream in each direction.
    Tcp,
}

crate::named!(Transport: Udp = "udp", Tcp = "tcp");

#[cfg(feature = "cli")]
impl Transport {
    /// Returns the transport of a packet.
    pub(crate) fn of(packet: &Packet<'_>) -> Transport {
        match packet.body {
            Body::Udp { .. } => Transport::Udp,
            Body::Tcp(_) => Transport::Tcp,
        }
    }
}

/// The endpoints and the transport of a conversation, the same in both directions.
#[cfg(feature = "cli")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pair(Transport, [SocketAddr; 2]);

#[cfg(feature = "cli")]
impl Pair {
    /// Creates it from both endpoints, in any order.
    pub(crate) fn new(transport: Transport, [a, b]: [SocketAddr; 2]) -> Pair {
        Pair(transport, [a.min(b), a.max(b)])
    }

    /// Returns that of a packet.
    pub(crate) fn of(packet: &Packet<'_>) -> Pair {
        Pair::new(Transport::of(packet), [packet.src, packet.dst])
    }

    /// Whether the conversation is one over TCP.
    pub(crate) fn is_tcp(&self) -> bool {
        self.0 == Transport::Tcp
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One of the two endpoints of a conversation; also the direction of the data it sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The sender of the conversation's first packet in the capture.
    A,
    /// The other endpoint.
    B,
}

impl Side {
    /// Both sides, `A` first.
    pub const BOTH: [Side; 2] = [Side::A, Side::B];

    /// The other side.
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }

    /// 0 for `A`, 1 for `B`: the index in arrays by side.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The reasons for which a direction of a TCP conversation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// Its sender's FIN, once all bytes before it are in order or given up.
    Fin,
    /// Its sender's RST.
    Rst,
    /// A new conversation began with the same addresses and ports.
    Reused,
    /// A cap was reached, and the conversation was idle for longest.
    Evicted,
    /// The capture ended.
    Capture,
}

/// The bytes of a TCP direction that show losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamLosses {
    /// Bytes that the capture already had: lost after the capture point, or resent too soon.
    pub resent: u64,
    /// Bytes that arrived after later ones: lost before the capture point, or overtaken there.
    pub filled: u64,
    /// Bytes that the receiver acknowledged and the capture never had: lost by the capture.
    pub missing: u64,
    /// The time at which the receiver had the last of the missing bytes, in nanoseconds since the epoch.
    pub missing_until: Option<i64>,
    /// Segments whose bytes fit nowhere: far from the others, or new after the end.
    pub ignored: u64,
    /// Whether the receiver acknowledged one more than all captured bytes, and no FIN is captured: it is missing, and
    /// may have been the first one.
    pub end: bool,
}

impl AddAssign for StreamLosses {
    fn add_assign(&mut self, other: StreamLosses) {
        self.resent += other.resent;
        self.filled += other.filled;
        self.missing += other.missing;
        self.missing_until = self.missing_until.max(other.missing_until);
        self.ignored += other.ignored;
        self.end |= other.end;
    }
}

/// The end of a conversation's transport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Closing {
    /// The reason for the end of each side's direction; `None` for UDP.
    pub by: [Option<End>; 2],
    /// The side whose direction ended first, and the time of that, in nanoseconds since the epoch.
    pub first: Option<(Side, i64)>,
    /// The bytes that show losses, by the side that sent them; 0 for UDP.
    pub(crate) losses: [StreamLosses; 2],
    /// The number of packets that each side sent; 0 for both before the end.
    pub packets: [u64; 2],
}

impl Closing {
    /// The side that sent all packets of the conversation: the capture has none of the other one's.
    pub(crate) fn only_sender(&self) -> Option<Side> {
        match self.packets.into() {
            (1.., 0) => Some(Side::A),
            (0, 1..) => Some(Side::B),
            _ => None,
        }
    }
}

/// One conversation: its properties, and the handler's state for it.
///
/// Arrays of two are indexed by [`Side::index`]. The table looks conversations up by `transport`
/// and `ends`: a handler must not change them.
#[derive(Clone, Debug)]
pub struct Conversation<S> {
    /// The conversation's number, from 1 in the order of first packets.
    pub id: u64,
    /// The conversation's number among those of all tables of this process, from 1.
    pub serial: u64,
    /// Whether it was evicted before, and has come back. It kept its number; the rest of the facts begins anew.
    pub resumed: bool,
    /// UDP or TCP.
    pub transport: Transport,
    /// The addresses of the two endpoints.
    pub ends: [SocketAddr; 2],
    /// The addresses as text.
    pub names: Names,
    /// The leg of a proxy's recording that its first packet is on.
    pub leg: Option<Leg>,
    /// TCP: the side that sent the SYN or received the SYN-ACK; `None` until one of them is seen.
    pub opener: Option<Side>,
    /// TCP: whether the capture has the side's own SYN or SYN-ACK, so that its stream starts at its
    /// first byte.
    pub syn_seen: [bool; 2],
    /// TCP: the reason for the end of the side's direction; `None` while it is open.
    pub ended: [Option<End>; 2],
    /// TCP: the side whose direction ended first, and the time of that, in nanoseconds since the epoch.
    pub first_ended: Option<(Side, i64)>,
    /// TCP: the bytes of ended directions that show losses, if there are any.
    pub(crate) losses: Option<Box<[StreamLosses; 2]>>,
    /// The time of the first packet.
    pub first: Time,
    /// The time of the last packet.
    pub last: Time,
    /// The number of packets that the side sent.
    pub packets: [u64; 2],
    /// Payload bytes on the wire sent by the side, including retransmissions.
    pub bytes: [u64; 2],
    /// The handler's state of the conversation.
    pub state: S,
}

impl<S: Default> Conversation<S> {
    /// A conversation without packets yet; `src` is [`Side::A`].
    pub(super) fn new(
        id: u64,
        transport: Transport,
        src: SocketAddr,
        dst: SocketAddr,
        time: Time,
        leg: Option<Leg>,
    ) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Conversation {
            id,
            serial: LAST.fetch_add(1, Ordering::Relaxed) + 1,
            resumed: false,
            transport,
            ends: [src, dst],
            names: Names::default(),
            leg,
            opener: None,
            syn_seen: [false; 2],
            ended: [None; 2],
            first_ended: None,
            losses: None,
            first: time,
            last: time,
            packets: [0; 2],
            bytes: [0; 2],
            state: S::default(),
        }
    }
}

impl<S> Conversation<S> {
    /// The address of a side, as `ADDR:PORT`.
    pub fn name(&self, side: Side) -> &str {
        self.names.of(&self.ends)[side.index()]
    }
}

/// Both addresses as `ADDR:PORT`, IPv6 in brackets. Formatted on first use, since most of 100,000 conversations may
/// have no message to show.
#[derive(Clone, Debug, Default)]
pub struct Names(OnceCell<Box<str>>);

impl Names {
    /// The names for `ends`, which must be the same in every call.
    #[inline]
    pub fn of(&self, ends: &[SocketAddr; 2]) -> [&str; 2] {
        // The two names in a row, after the length of the first as a character: with 100,000 conversations, one
        // allocation per conversation matters.
        let all = self.0.get_or_init(|| {
            let [a, b] = ends.map(name);
            let length = u8::try_from(a.len()).map_or('\0', char::from);
            format!("{length}{a}{b}").into()
        });
        let length = all.bytes().next().unwrap_or_default();
        all.get(1..).and_then(|both| both.split_at_checked(length.into())).unwrap_or_default().into()
    }
}

/// The address as `ADDR:PORT`, less than 128 characters. Without the IPv6 scope, which captures do not have.
fn name(end: SocketAddr) -> String {
    SocketAddr::new(end.ip(), end.port()).to_string()
}
