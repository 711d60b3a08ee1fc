//! One connection to a server that is asked.

use super::RiptideClient;
use crate::live::probe::{Ask, Carrier, Failure, Session};

/// One socket, and what is known of the server behind it.
pub struct Asked<'a> {
    pub(super) session: Session<'a>,
    pub(super) version: &'static str,
    pub(super) pending: bool,
    /// The server has said something that reads as this version.
    pub(super) heard: bool,
    /// An ack has told 2.1 from 2.2.
    pub(super) told: bool,
    /// The last round trip, in milliseconds, as the next heartbeat tells it; -1: none.
    pub(super) rtt: i64,
    /// The connect has data of the user's.
    pub(super) given: bool,
}

impl<'a> Asked<'a> {
    pub(super) fn open(carrier: Carrier, version: &'static str, ask: &Ask<'a>) -> Result<Asked<'a>, Failure> {
        let mut options = ask.options.clone();
        // 2.1 and 2.2 are told apart by an ack: the session does that where nothing is set.
        let _ = options.set(if version == "2.0" { "riptide.version=2.0" } else { "riptide.version=auto" });
        let session = Session::open(ask, &RiptideClient, carrier, Some(version), &options)?;
        Ok(Asked { session, version, pending: false, heard: false, told: false, rtt: -1, given: ask.data.is_some() })
    }

    /// The version, as far as it is known.
    pub(super) fn spoken(&self) -> &'static str {
        if self.version == "2.0" || self.told { self.version } else { "2.1 or 2.2" }
    }

    /// Gives the place back.
    pub(super) fn leave(&mut self) {
        self.session.leave();
    }
}
