//! The results of reading a capture, apart from its messages.

use super::duplicates::{COMPARED, Duplicates};
use crate::capture::{self, CaptureError, Frame, Leg, OtherKind, Others, Packet, Time, Tunnels};
use crate::dissect::{BackwardStep, Counters, CutFrames};
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
    /// The largest backward step in time from one frame to the next, and the number of all.
    backward_step: Option<BackwardStep>,
    duplicates: Duplicates,
    /// The frames that the snap length cut.
    cut_frames: CutFrames,
    /// The number of UDP and TCP packets.
    pub packets: u64,
    /// The counters of the flow table.
    pub flows: flow::Statistics,
    /// The counters of IP fragments.
    pub fragments: capture::Statistics,
    /// The leg of a proxy's recording that was read, if the other one was skipped.
    pub leg: Option<Leg>,
    /// The packets that the interfaces dropped, by the capture's own statistics.
    pub dropped: u64,
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
        if (frame.time.secs, frame.time.frac) < (before.secs, before.frac) {
            self.step_back(frame, before);
        }
        if frame.data.len() < frame.length {
            self.cut(frame);
        }
    }

    /// Counts a packet.
    #[inline(always)]
    pub(super) fn packet(&mut self, packet: &Packet<'_>) {
        self.packets += 1;
        if self.packets <= COMPARED {
            self.duplicates.packet(packet);
        }
    }

    #[cold]
    fn cut(&mut self, frame: &Frame<'_>) {
        let CutFrames { frames, bytes } = &mut self.cut_frames;
        (*frames, *bytes) = (*frames + 1, (*bytes).max(frame.data.len() as u64));
    }

    #[cold]
    fn step_back(&mut self, frame: &Frame<'_>, before: Time) {
        // Interfaces may have different units.
        let nanos = before.since(frame.time);
        if nanos <= 0 {
            return;
        }
        let (frame, seconds) = (frame.number, nanos as f64 / 1e9);
        let largest = self.backward_step.get_or_insert(BackwardStep { frame, seconds, frames: 0 });
        largest.frames += 1;
        if seconds > largest.seconds {
            (largest.frame, largest.seconds) = (frame, seconds);
        }
    }

    /// Completes the account.
    pub(super) fn account(&mut self) {
        let account = &mut self.counters.account;
        (account.frames, account.span) = (self.frames, self.span);
        account.backward_step = self.backward_step.filter(|step| step.is_notable(self.frames));
        account.duplicates = self.duplicates.notable();
        account.cut_frames = Some(self.cut_frames).filter(|cut| cut.frames > 0);
        account.dropped = self.dropped;
        account.sides_unknown = self.counters.sideless.count();
        account.not_ip += self.others.of(OtherKind::NotIp);
        account.not_udp_tcp += self.others.of(OtherKind::NotUdpTcp);
        account.damaged += self.others.of(OtherKind::Damaged) + self.fragments.incomplete();
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
