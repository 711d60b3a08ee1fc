//! From frames to packets: link layer, IP, fragments and transport, in one loop.

use super::fragments::{FragmentCaps, Fragments, Key};
use super::ip::{Ip, extensions, v4, v6};
use super::link::header_len;
use super::transport::{Transport, transport};
use super::{Capture, CaptureError, Frame, Other, Packet};
use etherparse::ip_number;
use std::net::{IpAddr, SocketAddr};

/// What a frame turned out to be.
#[derive(Clone, Debug)]
pub enum Decoded<'a> {
    /// A UDP datagram or TCP segment.
    Packet(Packet<'a>),
    /// Anything else, and why.
    Other(Other),
}

/// A frame and what it turned out to be.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    /// The frame as captured.
    pub frame: Frame<'a>,
    /// What it carries.
    pub decoded: Decoded<'a>,
}

/// The packets of a capture, in its order.
///
/// ```
/// use netkit::capture::{Body, Decoded, LinkType, Packets, PcapWriter, Time, ethernet};
///
/// let mut frame = Vec::new();
/// let (client, server) = ("10.0.0.1:50000".parse()?, "10.0.0.2:7777".parse()?);
/// ethernet(client, server, &Body::Udp { payload: b"hello", length: 5 }, &mut frame)?;
/// let mut file = Vec::new();
/// PcapWriter::new(&mut file, LinkType::ETHERNET, 9)?.frame(Time::micros(0, 1), &frame)?;
///
/// let mut packets = Packets::open(Box::new(std::io::Cursor::new(file)))?;
/// while let Some(item) = packets.next()? {
///     match item.decoded {
///         Decoded::Packet(packet) => assert_eq!((packet.src, packet.dst), (client, server)),
///         Decoded::Other(other) => println!("frame {}: {other}", item.frame.number),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Packets {
    capture: Capture,
    fragments: Fragments,
}

impl Packets {
    /// The packets of an opened capture.
    pub fn new(capture: Capture) -> Packets {
        Packets { capture, fragments: Fragments::default() }
    }

    /// With other caps for fragments.
    pub fn caps(mut self, caps: FragmentCaps) -> Packets {
        self.fragments = Fragments::new(caps);
        self
    }

    /// Opens whatever capture `reader` holds.
    ///
    /// # Errors
    /// As [`Capture::new`].
    pub fn open(reader: Box<dyn std::io::Read + Send>) -> Result<Packets, CaptureError> {
        Capture::open(reader).map(Packets::new)
    }

    /// The next frame and what it is; `None` at the end of the file.
    ///
    /// # Errors
    /// As [`Capture::next`].
    #[inline(always)]
    #[expect(clippy::should_implement_trait, reason = "a lending iterator cannot")]
    pub fn next(&mut self) -> Result<Option<Item<'_>>, CaptureError> {
        let Some(frame) = self.capture.next()? else {
            return Ok(None);
        };
        let decoded = decode(&frame, &mut self.fragments);
        Ok(Some(Item { frame, decoded }))
    }

    /// Shows the next frame, and what it is, to `then`, whose answer it returns: what
    /// [`Packets::next`] does, without moving packets about in memory, which costs as much as
    /// finding them.
    ///
    /// # Errors
    /// As [`Capture::next`].
    #[inline(always)]
    pub fn next_with<R>(
        &mut self,
        then: impl FnOnce(&Frame<'_>, &Decoded<'_>) -> R,
    ) -> Result<Option<R>, CaptureError> {
        let Some(frame) = self.capture.next()? else {
            return Ok(None);
        };
        Ok(Some(packet(&frame, &mut self.fragments, |decoded| then(&frame, &decoded))))
    }

    /// The file behind the packets.
    pub fn capture(&self) -> &Capture {
        &self.capture
    }

    /// The IP fragments that wait, and what became of others.
    pub fn fragments(&self) -> &Fragments {
        &self.fragments
    }
}

/// What one frame is. Joins IP fragments with those that `fragments` keeps of frames before; the
/// packet that completes a datagram borrows its bytes from there.
#[inline(always)]
pub fn decode<'a>(frame: &Frame<'a>, fragments: &'a mut Fragments) -> Decoded<'a> {
    packet(frame, fragments, |decoded| decoded)
}

#[inline(always)]
fn packet<'a, R>(frame: &Frame<'a>, fragments: &'a mut Fragments, then: impl FnOnce(Decoded<'a>) -> R) -> R {
    let head = match header_len(frame.link, frame.data) {
        Ok(head) => head,
        Err(other) => return then(Decoded::Other(other)),
    };
    let data = frame.data.get(head..).unwrap_or_default();
    let length = frame.length.saturating_sub(head);
    // Each version goes on by itself: bringing them together here would go through memory, and
    // cost as much as all the rest.
    match data.first() {
        Some(0x40..=0x4f) => inner(frame, v4(data, length), fragments, then),
        Some(0x60..=0x6f) => inner(frame, v6(data, length), fragments, then),
        Some(_) => then(Decoded::Other(Other::Malformed("ip"))),
        None => then(Decoded::Other(Other::Cut("ip"))),
    }
}

#[inline(always)]
fn inner<'a, R>(
    frame: &Frame<'a>,
    ip: Result<Ip<'a>, Other>,
    fragments: &'a mut Fragments,
    then: impl FnOnce(Decoded<'a>) -> R,
) -> R {
    match ip {
        Ok(Ip { src, dst, inner, piece: None }) if matches!(inner.protocol, ip_number::UDP | ip_number::TCP) => {
            match transport(inner) {
                Ok(found) => then(Decoded::Packet(join(frame, src, dst, found, &[]))),
                Err(other) => then(Decoded::Other(other)),
            }
        }
        Ok(ip) => then(match unusual(frame, ip, fragments) {
            Ok(packet) => Decoded::Packet(packet),
            Err(other) => Decoded::Other(other),
        }),
        Err(other) => then(Decoded::Other(other)),
    }
}

/// Extension headers and fragments.
#[cold]
fn unusual<'a>(frame: &Frame<'a>, ip: Ip<'a>, fragments: &'a mut Fragments) -> Result<Packet<'a>, Other> {
    let (found, piece) = match ip.piece {
        None => extensions(ip.inner)?,
        piece => (ip.inner, piece),
    };
    let Some(piece) = piece else {
        return Ok(join(frame, ip.src, ip.dst, transport(found)?, &[]));
    };
    if found.data.len() < found.length {
        return Err(fragments.cut());
    }
    let key = Key::new(ip.src, ip.dst, piece.id, found.protocol);
    let joined = fragments.add(key, frame, piece, found).ok_or(Other::Fragment)?;
    // There may be further extension headers inside what was fragmented.
    match extensions(joined.inner)? {
        (found, None) => Ok(join(frame, ip.src, ip.dst, transport(found)?, joined.frames)),
        (_, Some(_)) => Err(Other::Nested),
    }
}

#[inline(always)]
fn join<'a>(frame: &Frame<'_>, src: IpAddr, dst: IpAddr, found: Transport<'a>, frames: &'a [u64]) -> Packet<'a> {
    Packet {
        frame: frame.number,
        frames,
        time: frame.time,
        src: SocketAddr::new(src, found.src),
        dst: SocketAddr::new(dst, found.dst),
        body: found.body,
    }
}
