//! The results of reading a capture, apart from its messages.

use crate::capture::{self, CaptureError, Frame, Leg, OtherKind, Others, Time, Tunnels};
use crate::dissect::{Counters, SetBack};
use crate::flow;

/// The results of reading a capture, apart from its messages.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// The recognised conversations, and the account of the capture.
    pub counters: Counters,
    /// Frames that are neither UDP nor TCP.
    pub others: Others,
    /// The tunnels of the packets.
    pub tunnels: Tunnels,
    /// The number of frames of any kind.
    pub frames: u64,
    /// The times of the first and the last frame.
    pub span: Option<(Time, Time)>,
    /// The largest step back in time from one frame to the next.
    set_back: Option<SetBack>,
    /// The number of UDP and TCP packets.
    pub packets: u64,
    /// The counters of the flow table.
    pub flows: flow::Statistics,
    /// The counters of IP fragments.
    pub fragments: capture::Statistics,
    /// The leg of a proxy's recording that was read, if the other one was skipped.
    pub leg: Option<Leg>,
    /// The error that ended the capture early.
    pub error: Option<CaptureError>,
    /// Whether the caller stopped the reading early.
    pub stopped: bool,
}

impl Summary {
    /// Counts a frame.
    #[inline(always)]
    pub(super) fn frame(&mut self, frame: &Frame<'_>) {
        self.frames = frame.number;
        let (_, last) = self.span.get_or_insert((frame.time, frame.time));
        let before = std::mem::replace(last, frame.time);
        if frame.time.secs < before.secs {
            self.steps_back(frame, before);
        }
    }

    #[cold]
    fn steps_back(&mut self, frame: &Frame<'_>, before: Time) {
        let seconds = before.since(frame.time) as f64 / 1e9;
        if seconds >= self.set_back.map_or(1.0, |most| most.seconds) {
            self.set_back = Some(SetBack { frame: frame.number, seconds });
        }
    }

    /// Completes the account.
    pub(super) fn account(&mut self) {
        let account = &mut self.counters.account;
        (account.frames, account.span, account.set_back) = (self.frames, self.span, self.set_back);
        account.sides_unknown = self.counters.sideless.count();
        account.not_ip += self.others.of(OtherKind::NotIp);
        account.not_udp_tcp += self.others.of(OtherKind::NotUdpTcp);
        account.damaged += self.others.of(OtherKind::Damaged);
        let (flows, fragments) = (&self.flows, &self.fragments);
        for (name, times) in [
            ("conversations", flows.evicted - flows.evicted_by_bytes),
            ("buffered_bytes", flows.evicted_by_bytes),
            ("returning", flows.forgotten),
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
