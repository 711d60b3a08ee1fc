//! pcapng's description of an interface: its link type, and its time base.

use super::LinkType;
use super::clock::Clock;

/// `if_name`.
const NAME: u16 = 2;
/// `if_tsresol`, the exponent of the time unit.
const RESOLUTION: u16 = 9;
/// `if_tsoffset`, seconds to add.
const OFFSET: u16 = 14;

/// A leg of a proxy's recording: the traffic between the proxy and one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leg {
    /// Between the client and the proxy.
    Client,
    /// Between the proxy and the server.
    Server,
}

crate::named!(Leg: Client = "client", Server = "server");

impl Leg {
    /// The name of its interface in a recording.
    pub fn interface(self) -> &'static str {
        match self {
            Leg::Client => "client side",
            Leg::Server => "server side",
        }
    }
}

/// An interface that a section describes.
#[derive(Clone)]
pub(super) struct Interface {
    pub link: LinkType,
    /// The snap length, 0 for none.
    pub snap: u32,
    pub clock: Clock,
    /// The leg of a proxy's recording, if the interface has the name of one.
    pub leg: Option<Leg>,
    /// The packets that it and its system have dropped, by its statistics.
    pub dropped: u64,
}

/// Calls `each` with the code and value of every option. One that does not fit ends the list; those before it count.
pub(super) fn options<'a>(mut list: &'a [u8], big: bool, mut each: impl FnMut(u16, &'a [u8])) {
    while let Some((head, rest)) = list.split_at_checked(4) {
        let (code, length) = (u16_at(head, 0, big), usize::from(u16_at(head, 2, big)));
        let Some(value) = rest.get(..length).filter(|_| code != 0) else { return };
        each(code, value);
        list = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
}

/// A number of eight bytes.
pub(super) fn u64_of(bytes: [u8; 8], big: bool) -> u64 {
    if big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) }
}

impl Interface {
    /// Reads the block's body; `None` if it is shorter than its fixed part.
    pub(super) fn read(body: &[u8], big: bool) -> Option<Interface> {
        let (head, list) = body.split_at_checked(8)?;
        let (mut resolution, mut offset, mut leg) = (6, 0, None);
        options(list, big, |code, value| match (code, value) {
            (NAME, name) => leg = Leg::ALL.iter().copied().find(|leg| leg.interface().as_bytes() == name),
            (RESOLUTION, &[exponent]) => resolution = exponent,
            (OFFSET, value) => {
                if let Ok(value) = value.try_into() {
                    offset = u64_of(value, big) as i64;
                }
            }
            _ => {}
        });
        Some(Interface {
            link: LinkType(u16_at(head, 0, big).into()),
            snap: u32_at(head, 4, big),
            clock: Clock::new(resolution, offset),
            leg,
            dropped: 0,
        })
    }
}

/// The number at `at`; 0 past the end (the callers check the bounds).
#[inline(always)]
pub(super) fn u32_at(bytes: &[u8], at: usize, big: bool) -> u32 {
    match *bytes.get(at..).unwrap_or_default() {
        [a, b, c, d, ..] if big => u32::from_be_bytes([a, b, c, d]),
        [a, b, c, d, ..] => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// Like [`u32_at`], for two bytes.
pub(super) fn u16_at(bytes: &[u8], at: usize, big: bool) -> u16 {
    match *bytes.get(at..).unwrap_or_default() {
        [a, b, ..] if big => u16::from_be_bytes([a, b]),
        [a, b, ..] => u16::from_le_bytes([a, b]),
        _ => 0,
    }
}
