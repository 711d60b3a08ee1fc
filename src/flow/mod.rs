//! Conversations: the flow table, and TCP reassembly.
//!
//! A [`Table`] receives the packets of a capture one by one. It assigns each to a [`Conversation`], reassembles TCP
//! streams, and passes the results to a [`Handler`]: datagrams, new bytes at the end of a [`Stream`], gaps, the end of
//! a direction. It knows nothing about protocols; a conversation has a `state` of any type `S` for them.
//!
//! No input causes a panic, and [`Caps`] bound the memory for a capture of any length.
//!
//! ```
//! use netkit::capture::{Body, Packet, Segment, Time};
//! use netkit::flow::{Caps, Conversation, Delivery, End, Gap, Handler, Side, Stream, Table};
//!
//! /// Collects the lines of every stream.
//! #[derive(Default)]
//! struct Lines(Vec<(u64, String)>);
//!
//! impl Handler<()> for Lines {
//!     fn datagram(&mut self, _: &mut Conversation<()>, _: Side, _: &Packet, _: &[u8], _: usize) {}
//!     fn data(&mut self, _: &mut Conversation<()>, _: Side, stream: &mut Stream, _: &Delivery) {
//!         while let Some(at) = stream.bytes().iter().position(|&b| b == b'\n') {
//!             let line = String::from_utf8_lossy(&stream.bytes()[..at]).into_owned();
//!             stream.consume(at + 1);
//!             self.0.push((stream.consumed().map_or(0, |last| last.frame), line));
//!         }
//!     }
//!     fn gap(&mut self, _: &mut Conversation<()>, _: Side, _: &mut Stream, _: &Gap) {}
//!     fn end(&mut self, _: &mut Conversation<()>, _: Side, _: &mut Stream, _: End, _: u64) {}
//!     fn closed(&mut self, _: &mut Conversation<()>) {}
//! }
//!
//! let mut table = Table::new(Caps::default());
//! let mut lines = Lines::default();
//! for (frame, seq, payload) in [(1, 100, &b"one\ntw"[..]), (2, 106, b"o\n")] {
//!     let segment = Segment { seq, payload, length: payload.len(), ..Segment::default() };
//!     table.packet(&Packet {
//!         frame,
//!         frames: &[],
//!         time: Time::micros(frame as i64, 0),
//!         src: "10.0.0.1:5000".parse().unwrap(),
//!         dst: "10.0.0.2:80".parse().unwrap(),
//!         leg: None,
//!         body: Body::Tcp(segment),
//!     }, &mut lines);
//! }
//! table.finish(&mut lines);
//! assert_eq!(lines.0, [(1, "one".into()), (2, "two".into())]);
//! ```

mod caps;
mod conversation;
mod drive;
mod entry;
mod epoch;
mod handler;
mod held;
mod key;
mod partition;
mod position;
mod slots;
mod stream;
mod table;
mod tcp;
#[cfg(test)]
mod tests;

pub use caps::Caps;
pub(crate) use caps::Statistics;
#[cfg(feature = "cli")]
pub(crate) use conversation::Pair;
pub(crate) use conversation::StreamLosses;
pub use conversation::{Closing, Conversation, End, Side, Transport};
pub(crate) use epoch::Report;
pub(crate) use handler::GapCause;
pub use handler::{Delivery, Gap, Handler};
pub(crate) use partition::{Carried, Moved, Partition};
pub(crate) use stream::Origin;
pub use stream::Stream;
pub use table::Table;
