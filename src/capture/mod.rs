//! Where frames come from: capture files, streams of them, and hex text; and the link, network and
//! transport headers around what the protocols say.
//!
//! Everything here reads untrusted bytes: no input panics, and no memory grows with anything but
//! the caps that each part names.

pub mod hextext;
pub mod packet;
pub mod time;

pub use packet::{Body, Packet, Segment};
pub use time::Time;
