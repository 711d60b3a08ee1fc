//! Who talks with whom.

use crate::capture::Time;
use std::cell::OnceCell;
use std::fmt;
use std::net::SocketAddr;

/// The transport protocol of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Datagrams.
    Udp,
    /// A byte stream each way.
    Tcp,
}

impl Transport {
    /// The name in lower case: `udp` or `tcp`.
    pub const fn name(self) -> &'static str {
        match self {
            Transport::Udp => "udp",
            Transport::Tcp => "tcp",
        }
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One of the two ends of a conversation, also the direction of what it sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Who sent the first packet of the conversation that the capture has.
    A,
    /// The other end.
    B,
}

impl Side {
    /// Both, `A` first.
    pub const BOTH: [Side; 2] = [Side::A, Side::B];

    /// The end that this one talks with.
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }

    /// 0 for `A`, 1 for `B`: where an array by side has it.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Why a direction of a TCP conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// Its sender's FIN, once all bytes before it are there or given up.
    Fin,
    /// Its sender's RST.
    Rst,
    /// The same addresses and ports began a new conversation.
    Reused,
    /// A cap was reached and the conversation was the one that was silent longest.
    Evicted,
    /// The capture ended.
    Capture,
}

/// One conversation: what is known of it, and the state that the handler keeps with it.
///
/// Arrays of two are by [`Side::index`]. The table looks conversations up by `transport` and
/// `ends`: a handler must leave these alone.
#[derive(Clone, Debug)]
pub struct Conversation<S> {
    /// Its number, from 1 in the order of first packets.
    pub id: u64,
    /// Datagrams or streams.
    pub transport: Transport,
    /// The addresses.
    pub ends: [SocketAddr; 2],
    /// The addresses as text.
    pub names: Names,
    /// TCP: the side that sent the SYN or received the SYN-ACK; `None` while neither was seen.
    pub opener: Option<Side>,
    /// TCP: whether the capture has the side's own SYN or SYN-ACK, so that its stream begins with
    /// its first byte.
    pub syn_seen: [bool; 2],
    /// TCP: why the side's direction ended; `None` while it is open.
    pub ended: [Option<End>; 2],
    /// When the first packet came.
    pub first: Time,
    /// When the last packet came.
    pub last: Time,
    /// Packets that the side sent.
    pub packets: [u64; 2],
    /// Payload bytes that the side sent, repeated ones too, as long as they were on the wire.
    pub bytes: [u64; 2],
    /// What the handler remembers.
    pub state: S,
}

impl<S: Default> Conversation<S> {
    /// A conversation without packets yet, begun by `src`.
    pub(super) fn new(id: u64, transport: Transport, src: SocketAddr, dst: SocketAddr, time: Time) -> Self {
        Conversation {
            id,
            transport,
            ends: [src, dst],
            names: Names::default(),
            opener: None,
            syn_seen: [false; 2],
            ended: [None; 2],
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
        &self.names.of(&self.ends)[side.index()]
    }
}

/// Both addresses as `ADDR:PORT`, IPv6 in brackets: made when they are asked for, since most of
/// 100,000 conversations may say nothing that is shown.
#[derive(Clone, Debug, Default)]
pub struct Names(OnceCell<Box<[String; 2]>>);

impl Names {
    /// Those of a conversation's ends, which are always the same.
    #[inline]
    pub fn of(&self, ends: &[SocketAddr; 2]) -> &[String; 2] {
        self.0.get_or_init(|| Box::new(ends.map(name)))
    }
}

/// `ADDR:PORT` without an IPv6 scope, which no capture has.
fn name(end: SocketAddr) -> String {
    let mut name = SocketAddr::new(end.ip(), end.port()).to_string();
    // There may be 100,000 of them.
    name.shrink_to_fit();
    name
}
