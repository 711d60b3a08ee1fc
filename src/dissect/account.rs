//! The account of a capture: the parts that were read as messages, those that were skipped, and the reasons.

use crate::capture::Time;
use crate::plural::Plural;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

/// A number of conversations, with their packets and payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// The number of conversations.
    pub conversations: u64,
    /// The number of their packets in both directions.
    pub packets: u64,
    /// Their payload on the wire.
    pub bytes: u64,
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Amount) {
        self.conversations += other.conversations;
        self.packets += other.packets;
        self.bytes += other.bytes;
    }
}

/// The account of a capture. Every reader of captures fills it, and every output format prints it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Account {
    /// Frames read.
    pub frames: u64,
    /// Frames without IP.
    pub not_ip: u64,
    /// IP packets that are neither UDP nor TCP.
    pub not_udp_tcp: u64,
    /// Frames whose headers are cut or inconsistent, and fragments of incomplete datagrams.
    pub damaged: u64,
    /// Conversations that were read as a protocol.
    pub(crate) claimed: Amount,
    /// Conversations with payload that no protocol claimed.
    pub(crate) unclaimed: Amount,
    /// The part of `unclaimed` with an endpoint that is a server of claimed conversations.
    pub(crate) at_claimed_servers: Amount,
    /// Conversations without any payload.
    pub(crate) silent: Amount,
    /// Conversations that were read as a protocol at first, but then given up.
    pub given_up: u64,
    /// The part of `claimed` that has messages, but in which no packet shows which side is the client.
    pub sides_unknown: u64,
    /// The limits that were reached, with the number of times.
    pub limits: BTreeMap<&'static str, u64>,
    /// The times of the first and the last frame.
    pub span: Option<(Time, Time)>,
    /// The largest backward step in time, if it or the number of all is notable.
    pub(crate) backward_step: Option<BackwardStep>,
    /// The duplicates among packets, if the capture seems to have each one twice.
    pub(crate) duplicates: Option<DuplicatePackets>,
    /// The frames that the snap length cut, if there are any.
    pub(crate) cut_frames: Option<CutFrames>,
    /// The packets that the interfaces dropped while the capture was made, by its own statistics.
    pub(crate) dropped: u64,
}

/// A frame whose time is before that of the frame before it: the clock was set back, the frames are not in the order of
/// their times, or the frame has no time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BackwardStep {
    /// The frame's number.
    pub(crate) frame: u64,
    /// The seconds between the two times.
    pub(crate) seconds: f64,
    /// The number of all such frames.
    pub(crate) frames: u64,
}

impl BackwardStep {
    /// Whether it changes figures, in a capture of this many frames: it is a second, or one of many. A program that captures
    /// with several processors may write a few frames in another order.
    pub(crate) fn is_notable(&self, frames: u64) -> bool {
        self.seconds >= 1.0 || self.frames >= 3 && self.frames * 100 >= frames
    }
}

/// Packets with a payload that is equal to that of one at most 1 ms before them, with the same ends, and over TCP the same
/// sequence number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DuplicatePackets {
    /// The number of packets that were compared: the first of the capture.
    pub(crate) compared: u64,
    /// The number of those that are equal to an earlier one.
    pub(crate) duplicates: u64,
}

/// Frames of which the capture has only the first bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CutFrames {
    /// Their number.
    pub(crate) frames: u64,
    /// The most bytes that the capture has of one of them.
    pub(crate) bytes: u64,
}

/// The limit on packets that wait until their conversation is claimed: older ones are not read.
pub const UNDECIDED: &str = "undecided";

impl Account {
    /// Records that a limit was reached `times` times.
    pub fn limit(&mut self, name: &'static str, times: u64) {
        if times > 0 {
            *self.limits.entry(name).or_default() += times;
        }
    }

    /// Adds the account of another part of the capture, or of another capture.
    pub fn add(&mut self, other: &Account) {
        let Account { frames, not_ip, not_udp_tcp, damaged, claimed, unclaimed, at_claimed_servers, silent, .. } =
            other;
        self.frames += frames;
        self.not_ip += not_ip;
        self.not_udp_tcp += not_udp_tcp;
        self.damaged += damaged;
        self.claimed += *claimed;
        self.unclaimed += *unclaimed;
        self.at_claimed_servers += *at_claimed_servers;
        self.silent += *silent;
        self.given_up += other.given_up;
        self.sides_unknown += other.sides_unknown;
        self.span = match (self.span, other.span) {
            (Some((a, b)), Some((c, d))) => {
                Some((if c.nanos() < a.nanos() { c } else { a }, if d.nanos() > b.nanos() { d } else { b }))
            }
            (own, other) => own.or(other),
        };
        self.backward_step = either(self.backward_step, other.backward_step, |a, b| {
            let largest = if b.seconds > a.seconds { b } else { a };
            BackwardStep { frames: a.frames + b.frames, ..largest }
        });
        self.duplicates = either(self.duplicates, other.duplicates, |a, b| DuplicatePackets {
            compared: a.compared + b.compared,
            duplicates: a.duplicates + b.duplicates,
        });
        self.cut_frames = either(self.cut_frames, other.cut_frames, |a, b| CutFrames {
            frames: a.frames + b.frames,
            bytes: a.bytes.max(b.bytes),
        });
        self.dropped = self.dropped.saturating_add(other.dropped);
        other.limits.iter().for_each(|(name, times)| self.limit(name, *times));
    }

    /// Returns what makes figures of messages doubtful: wrong times, packets that the capture has twice or lacks, and
    /// cut frames.
    pub(crate) fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        if self.claimed.conversations == 0 {
            return doubts;
        }
        let times = match (self.backward_step, self.span) {
            (Some(BackwardStep { frame, seconds: seconds @ 1.0.., .. }), _) => {
                Some(format!("the time of frame {frame} is {seconds:.3} s before that of the frame before it"))
            }
            (Some(BackwardStep { seconds, frames, .. }), _) => Some(format!(
                "{frames} of {} frames are up to {:.3} ms earlier than the frame before them, so that an answer may come \
                 before its request (reordercap sorts frames)",
                self.frames,
                seconds * 1e3
            )),
            // Two may be that close.
            (None, Some((first, last))) if first == last && self.frames > 2 => {
                Some(format!("all {} frames have the same time", self.frames))
            }
            _ => None,
        };
        doubts.extend(times.map(|times| format!("{times}: durations, delays, rates and ends may be wrong")));
        if let Some(DuplicatePackets { compared, duplicates }) = self.duplicates {
            doubts.push(format!(
                "{duplicates} of the first {compared} packets are duplicates of one at most 1 ms before: they were \
                 recorded or sent twice. Figures of datagrams include both, and streams seem to be resent (editcap -d \
                 removes what was recorded twice)"
            ));
        }
        if let Some(CutFrames { frames, bytes }) = self.cut_frames {
            doubts.push(format!(
                "{frames} of {} frames cut to {bytes} bytes or less: messages end in faults, and more of a stream may \
                 be lost or misread (a snap length of 0 captures whole frames)",
                self.frames
            ));
        }
        if self.dropped > 0 {
            doubts.push(format!(
                "the capture lacks {} that its interface dropped: what is lost, unanswered or never acknowledged may be \
                 among them",
                Plural(self.dropped, "packet")
            ));
        }
        doubts
    }

    /// All conversations.
    pub fn conversations(&self) -> u64 {
        self.claimed.conversations + self.unclaimed.conversations + self.silent.conversations
    }

    /// The figures by name, without the limits.
    pub fn figures(&self) -> [(&'static str, u64); 22] {
        let Account { claimed, unclaimed, at_claimed_servers, silent, .. } = self;
        [
            ("frames", self.frames),
            ("not_ip", self.not_ip),
            ("not_udp_tcp", self.not_udp_tcp),
            ("damaged", self.damaged),
            ("claimed_conversations", claimed.conversations),
            ("claimed_packets", claimed.packets),
            ("claimed_bytes", claimed.bytes),
            ("unclaimed_conversations", unclaimed.conversations),
            ("unclaimed_packets", unclaimed.packets),
            ("unclaimed_bytes", unclaimed.bytes),
            ("at_claimed_servers_conversations", at_claimed_servers.conversations),
            ("at_claimed_servers_packets", at_claimed_servers.packets),
            ("at_claimed_servers_bytes", at_claimed_servers.bytes),
            ("no_payload_conversations", silent.conversations),
            ("no_payload_packets", silent.packets),
            ("given_up", self.given_up),
            ("sides_unknown", self.sides_unknown),
            ("backward_step_frames", self.backward_step.map_or(0, |step| step.frames)),
            ("duplicate_packets", self.duplicates.map_or(0, |packets| packets.duplicates)),
            ("cut_frames", self.cut_frames.map_or(0, |cut| cut.frames)),
            ("dropped_packets", self.dropped),
            ("limits_reached", self.limits.values().sum()),
        ]
    }

    /// The account as a JSON object.
    pub fn json(&self) -> Json {
        let amount = |of: Amount| json!({"conversations": of.conversations, "packets": of.packets, "bytes": of.bytes});
        let mut unclaimed = amount(self.unclaimed);
        unclaimed["at_claimed_servers"] = amount(self.at_claimed_servers);
        let mut account = json!({
            "frames": self.frames,
            "not_ip": self.not_ip,
            "not_udp_tcp": self.not_udp_tcp,
            "damaged": self.damaged,
            "claimed": amount(self.claimed),
            "unclaimed": unclaimed,
            "no_payload": amount(self.silent),
            "given_up": self.given_up,
            "sides_unknown": self.sides_unknown,
            "limits": self.limits,
        });
        if let Some(BackwardStep { frame, seconds, frames }) = self.backward_step {
            account["backward_step"] = json!({"frame": frame, "seconds": seconds, "frames": frames});
        }
        if let Some(DuplicatePackets { compared, duplicates }) = self.duplicates {
            account["duplicate_packets"] = json!({"compared": compared, "duplicates": duplicates});
        }
        if let Some(CutFrames { frames, bytes }) = self.cut_frames {
            account["cut_frames"] = json!({"frames": frames, "bytes": bytes});
        }
        if self.dropped > 0 {
            account["dropped_packets"] = self.dropped.into();
        }
        account
    }
}

/// Returns both values as one, or the one that there is.
fn either<T>(a: Option<T>, b: Option<T>, both: impl FnOnce(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(both(a, b)),
        (a, b) => a.or(b),
    }
}

/// Writes the skipped parts: `3 of 9 conversations (40 packets) of no known protocol`. Empty if nothing was skipped.
impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        let Amount { conversations, packets, .. } = self.unclaimed;
        if conversations > 0 {
            let (all, packets) = (Plural(self.conversations(), "conversation"), Plural(packets, "packet"));
            parts.push(format!("{conversations} of {all} ({packets}) of no known protocol"));
        }
        for (n, what) in [
            (self.given_up, "given up after some messages"),
            (self.not_ip, "frames without IP"),
            (self.not_udp_tcp, "without UDP or TCP"),
            (self.damaged, "with damaged headers"),
        ] {
            if n > 0 {
                parts.push(format!("{n} {what}"));
            }
        }
        if !self.limits.is_empty() {
            let limits: Vec<String> = self.limits.iter().map(|(name, n)| format!("{name} ({n})")).collect();
            parts.push(format!("limits reached: {}", limits.join(", ")));
        }
        f.write_str(&parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_json_and_adds_up() {
        let unclaimed = Amount { conversations: 2, packets: 5, bytes: 70 };
        let mut account = Account { frames: 9, unclaimed, given_up: 1, ..Account::default() };
        account.limit("conversations", 3);
        account.limit("links", 0);
        account.backward_step = Some(BackwardStep { frame: 4, seconds: 0.5, frames: 3 });
        let mut twice = account.clone();
        twice.add(&account);
        let account = twice.json();
        assert_eq!((&account["frames"], &account["given_up"]), (&18.into(), &2.into()));
        assert_eq!((&account["unclaimed"]["packets"], &account["claimed"]["packets"]), (&10.into(), &0.into()));
        assert_eq!(account["unclaimed"]["at_claimed_servers"]["conversations"], 0);
        assert_eq!(account["limits"], json!({"conversations": 6}));
        assert_eq!(account["backward_step"], json!({"frame": 4, "seconds": 0.5, "frames": 6}));
        let mut later =
            Account { backward_step: Some(BackwardStep { frame: 9, seconds: 2.0, frames: 1 }), ..Account::default() };
        later.duplicates = Some(DuplicatePackets { compared: 5, duplicates: 2 });
        later.cut_frames = Some(CutFrames { frames: 3, bytes: 64 });
        twice.add(&later);
        later.add(&twice);
        let account = later.json();
        assert_eq!(account["backward_step"], json!({"frame": 9, "seconds": 2.0, "frames": 8}));
        assert_eq!(account["duplicate_packets"], json!({"compared": 10, "duplicates": 4}));
        assert_eq!(account["cut_frames"], json!({"frames": 6, "bytes": 64}));
    }
}
