//! Peers that send without end, read nothing, or answer everything: probe and replay end in time, obey the user, and
//! neither send nor store without bound.
//!
//! No test asserts how long something takes: each peer continues until the session has ended, so a session that waited
//! for the peer would never end.

mod answers;
mod floods;
#[cfg(unix)]
mod leaving;
mod peer;
