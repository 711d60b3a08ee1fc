//! Reads and writes capture files and streams and hex text; decodes link, network and transport headers.
//!
//! All input is untrusted: nothing here panics, and memory is bounded by documented caps.
//!
//! [`Packets`] combines the parts: file ([`Capture`]), link and network layers, IP fragments. [`PcapWriter`] and
//! [`ethernet`] write.

pub(crate) mod block;
mod bound;
mod build;
mod classic;
mod clock;
pub(crate) mod connection;
#[cfg(feature = "cli")]
mod dumped;
mod error;
mod fast;
mod file;
mod fragments;
mod gzip;
mod held;
#[doc(hidden)]
pub mod hextext;
mod input;
mod interface;
mod ip;
mod layers;
mod link;
mod magic;
mod other;
mod others;
pub(crate) mod packet;
mod packets;
mod parts;
mod pcapng;
mod record;
#[cfg(feature = "cli")]
mod rotating;
mod span;
#[cfg(test)]
mod tests;
pub(crate) mod time;
#[cfg(feature = "cli")]
pub(crate) mod time_spec;
mod transport;
mod tunnels;
mod whole;
mod write;
mod write_ng;
#[cfg(feature = "cli")]
mod writer;
mod zstd;

#[cfg(feature = "cli")]
pub(crate) use self::{
    dumped::{dumped_packet, forced_packet, frame},
    file::Ended,
    hextext::HexText,
    input::Tap,
    rotating::{Rotating, Turn},
    time_spec::TimeSpec,
    tunnels::Tunnel,
    whole::whole_packet,
    writer::Writer,
};
pub(crate) use bound::Bound;
#[doc(hidden)]
pub use build::BuildError;
pub use build::ethernet;
pub use error::CaptureError;
#[doc(hidden)]
pub use error::Flaw;
pub(crate) use error::Reached;
pub(crate) use file::NextFile;
pub use file::{Capture, Frame};
#[doc(hidden)]
pub use fragments::{FragmentCaps, Fragments, Statistics};
pub(crate) use input::Again;
#[doc(hidden)]
pub use input::Format;
pub use input::Input;
#[doc(hidden)]
pub use interface::Leg;
pub use link::LinkType;
#[doc(hidden)]
pub use other::Other;
pub(crate) use other::OtherKind;
pub(crate) use others::Others;
pub use packet::{Body, Packet, Segment};
#[doc(hidden)]
pub use packets::decode;
pub use packets::{Decoded, Item, Packets};
#[doc(hidden)]
pub use record::LONGEST;
pub use time::Time;
pub(crate) use tunnels::Tunnels;
pub use write::PcapWriter;
pub use write_ng::PcapNgWriter;
