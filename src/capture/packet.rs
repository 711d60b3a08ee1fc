//! What the link and network layers leave over: one UDP datagram or one TCP segment.

use super::Time;
use std::net::SocketAddr;

/// One transport packet of a capture, after the link and network headers.
///
/// Its bytes are borrowed from the capture's buffer, or from the one in which IP fragments were
/// joined.
#[derive(Clone, Debug)]
pub struct Packet<'a> {
    /// The frame's number in the capture, from 1. For joined IP fragments the frame that
    /// completed the datagram.
    pub frame: u64,
    /// All frames of a datagram that came in IP fragments, in order of arrival; else empty.
    pub frames: &'a [u64],
    /// When `frame` was captured.
    pub time: Time,
    /// Who sent it.
    pub src: SocketAddr,
    /// Whom it is for.
    pub dst: SocketAddr,
    /// The transport's part.
    pub body: Body<'a>,
}

/// The transport's part of a [`Packet`].
#[derive(Clone, Debug)]
pub enum Body<'a> {
    /// A UDP datagram.
    Udp {
        /// The bytes that the capture holds of it, at most `length`.
        payload: &'a [u8],
        /// How many bytes were on the wire; more than `payload` has where a snap length cut it.
        length: usize,
    },
    /// A TCP segment.
    Tcp(Segment<'a>),
}

/// A TCP segment: what reassembly needs of its header, and its bytes.
#[derive(Clone, Debug, Default)]
pub struct Segment<'a> {
    /// Sequence number of the first byte (of the SYN itself where `syn` is set).
    pub seq: u32,
    /// Acknowledgement number; means something where `has_ack` is set.
    pub ack: u32,
    /// The ACK flag.
    pub has_ack: bool,
    /// The SYN flag.
    pub syn: bool,
    /// The FIN flag.
    pub fin: bool,
    /// The RST flag.
    pub rst: bool,
    /// The bytes that the capture holds.
    pub payload: &'a [u8],
    /// How many payload bytes were on the wire.
    pub length: usize,
}
