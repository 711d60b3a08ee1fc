//! Reads and writes capture files and streams and hex text; decodes link, network and transport headers.
//!
//! All input is untrusted: nothing here panics, and memory is bounded by documented caps.
//!
//! [`Packets`] combines the parts: file ([`Capture`]), link and network layers, IP fragments
//! ([`Fragments`]). [`PcapWriter`] and [`ethernet`] write.

pub(crate) mod block;
mod bound;
mod build;
mod classic;
mod clock;
pub(crate) mod connection;
mod dumped;
mod error;
mod fast;
mod file;
mod fragments;
mod gzip;
mod held;
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
mod rotating;
mod span;
#[cfg(test)]
mod tests;
pub(crate) mod time;
pub(crate) mod time_spec;
mod transport;
mod tunnels;
mod whole;
mod write;
mod write_ng;
mod writer;
mod zstd;

pub use bound::Bound;
pub use build::{BuildError, ethernet};
pub use dumped::{dumped_packet, forced_packet, frame};
pub use error::{CaptureError, Flaw, Place, Reached};
pub use file::{Capture, Ended, Frame, NextFile};
pub use fragments::{FragmentCaps, Fragments, Statistics};
pub use hextext::HexText;
pub(crate) use input::Tap;
pub use input::{Again, Format, Input};
pub use interface::Leg;
pub use link::LinkType;
pub use other::{Other, OtherKind};
pub use others::Others;
pub use packet::{Body, Packet, Segment};
pub use packets::{Decoded, Item, Packets, decode};
pub use record::LONGEST;
pub use rotating::{Rotating, Turn};
pub use time::Time;
pub use time_spec::TimeSpec;
pub use tunnels::{Tunnel, Tunnels};
pub use whole::whole_packet;
pub use write::PcapWriter;
pub use write_ng::PcapNgWriter;
pub use writer::Writer;
