//! What conversations of any protocol have in common, beyond packets and bytes.
//!
//! [`life`] follows a connection from its request to its end, and concludes why it ended.

pub mod life;
