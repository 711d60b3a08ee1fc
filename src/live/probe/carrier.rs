//! The carrier of a probed server's messages.

use crate::flow::Transport;

/// The carrier of a protocol's messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carrier {
    /// UDP datagrams.
    #[default]
    Udp,
    /// A TCP stream.
    Tcp,
    /// WebSocket, over TCP.
    Ws,
}

crate::named!(Carrier: Udp = "udp", Tcp = "tcp", Ws = "ws");

impl Carrier {
    /// The transport below it.
    pub const fn transport(self) -> Transport {
        match self {
            Carrier::Udp => Transport::Udp,
            Carrier::Tcp | Carrier::Ws => Transport::Tcp,
        }
    }
}
