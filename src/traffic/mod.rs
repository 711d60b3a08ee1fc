//! What conversations of any protocol have in common, beyond packets and bytes.
//!
//! [`life`] follows a connection from its request to its end, and concludes why it ended. [`path`]
//! concludes from numbers and acknowledgements what the network lost.

pub(crate) mod histogram;
pub mod life;
pub mod path;
