//! Decodes frames to packets: link layer, IP, fragments and transport, in one loop.

use super::fragments::{FragmentCaps, Fragments, Joined, Key};
use super::held::Held;
use super::layers::{Layer, Noticed, Reached, walk};
use super::span::Span;
use super::transport::Transport;
use super::{Again, Body, Capture, CaptureError, Frame, Other, Others, Packet, Tunnels, fast};
use std::net::{IpAddr, SocketAddr};

/// The result of decoding a frame.
#[derive(Clone, Debug)]
pub enum Decoded<'a> {
    /// A UDP datagram or TCP segment.
    Packet(Packet<'a>),
    /// Anything else, with the reason.
    Other(Other),
}

/// A frame and the result of decoding it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Item<'a> {
    /// The frame as captured.
    pub frame: Frame<'a>,
    /// The decoded content.
    pub decoded: Decoded<'a>,
}

/// The packets of a capture, in the order of its frames.
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
    others: Others,
    /// A frame with several packets.
    again: Held,
}

impl Packets {
    /// The packets of an opened capture.
    pub fn new(capture: Capture) -> Packets {
        Packets { capture, fragments: Fragments::default(), others: Others::default(), again: Held::default() }
    }

    /// Sets other caps for fragments.
    pub fn caps(mut self, caps: FragmentCaps) -> Packets {
        self.fragments = Fragments::new(caps);
        self
    }

    /// Opens the capture that `reader` holds.
    ///
    /// # Errors
    /// Those of [`Capture::new`].
    pub fn open(reader: Box<dyn std::io::Read + Send>) -> Result<Packets, CaptureError> {
        Capture::open(reader).map(Packets::new)
    }

    /// The next frame and the result of decoding it; `None` at the end of the file.
    ///
    /// # Errors
    /// Those of [`Capture::next`].
    #[inline(always)]
    #[expect(clippy::should_implement_trait, reason = "a lending iterator cannot")]
    pub fn next(&mut self) -> Result<Option<Item<'_>>, CaptureError> {
        if let Some(at) = self.fragments.next {
            return Ok(Some(self.rest(at)));
        }
        let Some(frame) = self.capture.next()? else { return Ok(None) };
        let decoded = decode(&frame, &mut self.fragments);
        if let Decoded::Other(other) = decoded {
            self.others.add(other);
        }
        Ok(Some(Item { frame, decoded }))
    }

    /// Passes the next frame and the result of decoding it to `then`, and returns the result of `then`. Unlike
    /// [`Packets::next`], this does not move packets in memory, which costs as much as decoding them.
    ///
    /// # Errors
    /// Those of [`Capture::next`].
    #[inline(always)]
    pub fn next_with<R>(
        &mut self,
        then: impl FnOnce(&Frame<'_>, &Decoded<'_>) -> R,
    ) -> Result<Option<R>, CaptureError> {
        if let Some(at) = self.fragments.next {
            let item = self.rest(at);
            return Ok(Some(then(&item.frame, &item.decoded)));
        }
        let Some(frame) = self.capture.next()? else { return Ok(None) };
        let others = &mut self.others;
        Ok(Some(packet(&frame, &mut self.fragments, |decoded| {
            if let Decoded::Other(other) = decoded {
                others.add(other);
            }
            then(&frame, &decoded)
        })))
    }

    /// The next packet of the previous frame.
    #[cold]
    fn rest(&mut self, at: usize) -> Item<'_> {
        // Swapped only at the first packet: results borrow from the copy, so it must not be written again.
        if at == 0 {
            std::mem::swap(&mut self.again, &mut self.fragments.held);
        }
        let item = subframe(&self.again, at, &mut self.fragments);
        if let Decoded::Other(other) = item.decoded {
            self.others.add(other);
        }
        item
    }

    /// Takes the way to open the capture again; `None` if it can be read only once.
    pub(crate) fn take_again(&mut self) -> Option<Again> {
        self.capture.take_again()
    }

    /// The underlying capture.
    pub fn capture(&self) -> &Capture {
        &self.capture
    }

    /// Counts of the frames that are neither UDP nor TCP.
    pub fn others(&self) -> &Others {
        &self.others
    }

    /// The tunnels of the packets.
    pub fn tunnels(&self) -> &Tunnels {
        &self.fragments.tunnels
    }

    /// The state of IP reassembly, with its counters.
    pub fn fragments(&self) -> &Fragments {
        &self.fragments
    }
}

/// Decodes one frame. IP fragments are joined with those of earlier frames in `fragments`; the packet that completes a
/// datagram borrows its bytes from there. If an 802.11 frame has several packets, only the first is returned;
/// [`Packets`] returns all.
#[inline(always)]
pub fn decode<'a>(frame: &Frame<'a>, fragments: &'a mut Fragments) -> Decoded<'a> {
    packet(frame, fragments, |decoded| decoded)
}

#[inline(always)]
fn packet<'a, R>(frame: &Frame<'a>, fragments: &'a mut Fragments, then: impl FnOnce(Decoded<'a>) -> R) -> R {
    // The paths do not share the rest of this function: joining them would move the packet through memory.
    match fast::network(frame.link, frame.data) {
        Some((at, true)) => {
            if let Some((src, dst, found)) = fast::v4(&frame.data[at..]) {
                return by_transport(frame, src, dst, found, then);
            }
        }
        Some((at, false)) => {
            if let Some((src, dst, found)) = fast::v6(&frame.data[at..]) {
                return by_transport(frame, src, dst, found, then);
            }
        }
        None => {}
    }
    then(slow(frame, fragments))
}

/// Passes on a packet. Datagrams and segments are separate cases: a common one would move the larger type for both.
#[inline(always)]
fn by_transport<'a, R>(
    frame: &Frame<'a>,
    src: IpAddr,
    dst: IpAddr,
    found: Transport<'a>,
    then: impl FnOnce(Decoded<'a>) -> R,
) -> R {
    match found.body {
        Body::Udp { .. } => then(Decoded::Packet(join(frame, src, dst, found, &[]))),
        Body::Tcp(_) => then(Decoded::Packet(join(frame, src, dst, found, &[]))),
    }
}

/// Decodes a frame that [`fast`] does not handle.
#[cold]
pub(super) fn slow<'a>(frame: &Frame<'a>, fragments: &'a mut Fragments) -> Decoded<'a> {
    let mut noticed = Noticed::new(&mut fragments.tunnels);
    let found = walk(Layer::Link(frame.link), Span::new(frame.data, frame.length), &mut noticed);
    if let Some(left) = noticed.left {
        fragments.held.keep(frame, left);
        fragments.next = Some(0);
    }
    finish(frame, found, fragments)
}

/// The packet at `at` of the stored subframes.
#[cold]
fn subframe<'a>(held: &'a Held, at: usize, fragments: &'a mut Fragments) -> Item<'a> {
    let mut noticed = Noticed::new(&mut fragments.tunnels);
    let found = walk(Layer::Aggregate, held.subframes(at), &mut noticed);
    fragments.next = noticed.left.map(|left| held.place(left));
    let frame = held.frame();
    let decoded = finish(&frame, found, fragments);
    Item { frame, decoded }
}

fn finish<'a>(frame: &Frame<'a>, found: Result<Reached<'a>, Other>, fragments: &'a mut Fragments) -> Decoded<'a> {
    match found.and_then(|found| joined(frame, found, fragments)) {
        Ok(packet) => Decoded::Packet(packet),
        Err(other) => Decoded::Other(other),
    }
}

/// Adds a fragment to its datagram.
fn joined<'a>(frame: &Frame<'a>, found: Reached<'a>, fragments: &'a mut Fragments) -> Result<Packet<'a>, Other> {
    let (src, dst, fragment, inner) = match found {
        Reached::Transport(src, dst, found) => return Ok(join(frame, src, dst, found, &[])),
        Reached::Fragment(src, dst, fragment, inner) => (src, dst, fragment, inner),
    };
    if inner.data.len() < inner.length {
        return Err(fragments.cut());
    }
    let key = Key::new(src, dst, fragment.id, inner.protocol);
    let Joined { inner, frames, tunnels } = fragments.add(key, frame, fragment, inner).ok_or(Other::Fragment)?;
    // The datagram may contain further headers and tunnels.
    let layer = Layer::Carried(src, dst, inner.protocol);
    match walk(layer, Span::new(inner.data, inner.length), &mut Noticed::new(tunnels))? {
        Reached::Transport(src, dst, found) => Ok(join(frame, src, dst, found, frames)),
        Reached::Fragment(..) => Err(Other::Nested),
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
        leg: frame.leg,
        body: found.body,
    }
}
