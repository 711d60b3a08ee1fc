//! What a relay tells.

use crate::capture::Time;
use crate::live::proxy::{Seen, Way};
use crate::live::rules::RuleSet;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// What became of a datagram, or of a piece of a stream.
#[derive(Debug)]
pub struct Passed<'p> {
    /// The client's and the server's address.
    pub ends: [SocketAddr; 2],
    /// The proxy's address towards the client, and towards the server.
    pub own: [SocketAddr; 2],
    /// Which way it went.
    pub way: Way,
    /// Is it a datagram?
    pub datagram: bool,
    /// As it came.
    pub came: &'p [u8],
    /// As it was, or is going to be, passed on.
    pub goes: &'p [u8],
    /// When it came.
    pub time: Time,
    /// How much later it goes.
    pub delayed: Duration,
    /// Why it is not passed on.
    pub lost: Option<&'static str>,
    /// It goes so often beside the first time.
    pub copies: u32,
    /// It goes behind the one that follows.
    pub behind: bool,
    /// Its number among all that passed, from 1; 0 if nobody reads.
    pub frame: u64,
    /// The messages that were read.
    pub seen: Vec<Seen>,
}

/// Who is told.
pub trait Output {
    /// Something passed.
    ///
    /// # Errors
    /// It cannot be written: the relay ends.
    fn passed(&mut self, passed: Passed<'_>) -> io::Result<()>;

    /// Something that the user should know.
    fn note(&mut self, text: String);

    /// Other rules, if there are some since the last call. Called often.
    fn rules(&mut self) -> Option<Arc<RuleSet>> {
        None
    }
}
