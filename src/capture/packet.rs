//! The result of decoding link and network layers: one UDP datagram or one TCP segment.

use super::{Leg, Time};
use std::net::SocketAddr;

/// One transport packet of a capture, after the link and network headers.
///
/// Its bytes are borrowed from the capture's buffer, or from the reassembly buffer for IP fragments.
#[derive(Clone, Debug)]
pub struct Packet<'a> {
    /// The frame's number in the capture, from 1. For reassembled IP fragments, the frame that
    /// completed the datagram.
    pub frame: u64,
    /// All frames of a datagram that arrived in IP fragments, in order of arrival; else empty.
    pub frames: &'a [u64],
    /// The capture time of `frame`.
    pub time: Time,
    /// The sender.
    pub src: SocketAddr,
    /// The receiver.
    pub dst: SocketAddr,
    /// The leg of a proxy's recording that `frame` is on.
    pub leg: Option<Leg>,
    /// The transport layer.
    pub body: Body<'a>,
}

/// The transport layer of a [`Packet`].
#[derive(Clone, Debug)]
pub enum Body<'a> {
    /// A UDP datagram.
    Udp {
        /// The captured bytes, at most `length`.
        payload: &'a [u8],
        /// The payload's length on the wire; more than that of `payload` if the snap length cut it.
        length: usize,
    },
    /// A TCP segment.
    Tcp(Segment<'a>),
}

/// A TCP segment: the header fields needed for reassembly, and its bytes.
#[derive(Clone, Debug, Default)]
pub struct Segment<'a> {
    /// Sequence number of the first byte (of the SYN itself if `syn` is set).
    pub seq: u32,
    /// Acknowledgement number; valid if `has_ack` is set.
    pub ack: u32,
    /// The ACK flag.
    pub has_ack: bool,
    /// The SYN flag.
    pub syn: bool,
    /// The FIN flag.
    pub fin: bool,
    /// The RST flag.
    pub rst: bool,
    /// The captured bytes.
    pub payload: &'a [u8],
    /// The payload's length on the wire.
    pub length: usize,
}
