//! Analyses for conversations of every protocol, above packets and bytes.
//!
//! [`life`] follows a connection from its request to its end, and concludes why it ended. [`path`] derives the
//! network's losses from numbers and acknowledgements. [`sequence`] holds the numbers themselves: copies, gaps, wraps and
//! acknowledgements.

pub(crate) mod histogram;
pub mod life;
pub mod path;
pub mod sequence;
