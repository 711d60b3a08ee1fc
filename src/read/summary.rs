//! The results of reading a capture, beside its messages.

use crate::capture::{self, CaptureError, Frame, Leg, OtherKind, Others, Time, Tunnels};
use crate::dissect::Counters;
use crate::flow;

/// The results of reading a capture, beside its messages.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// What conversations were recognised, and the account of all that was read and left out.
    pub counters: Counters,
    /// Frames without UDP or TCP.
    pub others: Others,
    /// The tunnels that packets came through.
    pub tunnels: Tunnels,
    /// The number of frames of any kind.
    pub frames: u64,
    /// The times of the first and the last of them.
    pub span: Option<(Time, Time)>,
    /// The number of packets of UDP and TCP.
    pub packets: u64,
    /// The counters of the flow table.
    pub flows: flow::Statistics,
    /// The counters of IP fragments.
    pub fragments: capture::Statistics,
    /// The leg that was read of a proxy's recording, where the other one was left out.
    pub leg: Option<Leg>,
    /// The error that ended the capture early.
    pub error: Option<CaptureError>,
    /// Its caller stopped the reading early.
    pub stopped: bool,
}

impl Summary {
    /// Counts a frame.
    #[inline(always)]
    pub(super) fn frame(&mut self, frame: &Frame<'_>) {
        self.frames = frame.number;
        let (_, last) = self.span.get_or_insert((frame.time, frame.time));
        *last = frame.time;
    }

    /// Completes the account.
    pub(super) fn account(&mut self) {
        let account = &mut self.counters.account;
        (account.frames, account.span) = (self.frames, self.span);
        account.not_ip += self.others.of(OtherKind::NotIp);
        account.not_udp_tcp += self.others.of(OtherKind::NotUdpTcp);
        account.damaged += self.others.of(OtherKind::Damaged);
        let (flows, fragments) = (&self.flows, &self.fragments);
        for (name, times) in [
            ("conversations", flows.evicted - flows.evicted_by_bytes),
            ("buffered_bytes", flows.evicted_by_bytes),
            ("unread_bytes", flows.unread),
            ("held_bytes", flows.held_bytes),
            ("held_segments", flows.held_segments),
            ("fragments", fragments.evicted - fragments.evicted_by_bytes),
            ("fragment_bytes", fragments.evicted_by_bytes),
        ] {
            account.limit(name, times);
        }
        if let Some(reached) = self.error.as_ref().and_then(CaptureError::limit) {
            account.limit(reached.name, 1);
        }
    }
}
