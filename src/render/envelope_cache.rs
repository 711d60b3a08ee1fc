//! Caches the parts of a line that are the same for many messages: the second, and the text of a conversation's side.
//! They are half of a line. Caching the side's text saves 297 of 2,900 instructions a message of ndjson (of 4,538 of
//! json); see [`crate::render`].

use super::files::FileNames;
use super::times::{Second, seconds};
use crate::capture::{Leg, Time};
use crate::codec::json::line::Line;
use crate::codec::json::numbers::int;
use crate::dissect::{FlowInfo, Message, Role};
use crate::flow::Transport;
use std::net::SocketAddr;

/// The number of cached conversations; a power of two.
const CONVERSATIONS: usize = 512;

/// The cached parts of recent lines.
#[derive(Debug, Default)]
pub struct EnvelopeCache {
    sides: Sides,
    second: Second,
    /// Set if several files are read.
    pub(super) files: Option<FileNames>,
}

/// A text for each side of recent conversations.
#[derive(Debug, Default)]
pub struct Sides(Vec<Head>);

#[derive(Clone, Debug, Default)]
struct Head {
    key: Option<Key>,
    text: Vec<u8>,
}

/// The values that determine a side's text. The side itself is not among them, since it selects the entry. Names are
/// compared by address: an equal name at another address is formatted again.
#[derive(Clone, Copy, Debug)]
struct Key {
    serial: u64,
    flow: u64,
    proto: &'static str,
    version: Option<&'static str>,
    from: Role,
    transport: Transport,
    /// Another capture may use the same number for another conversation.
    ends: Option<[SocketAddr; 2]>,
    leg: Option<Leg>,
}

impl Key {
    fn new(message: &Message<'_>) -> Key {
        let (dissection, flow_info) = (message.dissection, message.flow_info);
        Key {
            serial: flow_info.serial,
            flow: flow_info.flow,
            proto: dissection.proto,
            version: dissection.version,
            from: dissection.from,
            transport: flow_info.transport,
            ends: flow_info.ends,
            leg: flow_info.leg,
        }
    }

    #[inline(always)]
    fn is_of(&self, message: &Message<'_>) -> bool {
        let (dissection, flow_info) = (message.dissection, message.flow_info);
        (match flow_info.serial {
            0 => self.is_between(flow_info),
            serial => self.serial == serial,
        }) && std::ptr::eq(self.proto, dissection.proto)
            && match (self.version, dissection.version) {
                (Some(a), Some(b)) => std::ptr::eq(a, b),
                (a, b) => a.is_none() && b.is_none(),
            }
            && self.from == dissection.from
    }

    /// Compares conversations without a serial number: comparing the endpoints takes 45 instructions.
    #[inline(never)]
    fn is_between(&self, flow_info: &FlowInfo<'_>) -> bool {
        (self.flow, self.transport, self.ends, self.leg)
            == (flow_info.flow, flow_info.transport, flow_info.ends, flow_info.leg)
    }
}

impl Sides {
    /// Returns the text of the message's side. If it is not cached, `write` appends it; it may depend only on the side
    /// and the values in [`Key`].
    #[inline(always)]
    pub fn of(&mut self, message: &Message<'_>, write: impl FnOnce(&Message<'_>, &mut Vec<u8>)) -> &[u8] {
        if self.0.is_empty() {
            self.begin();
        }
        // Conversations are numbered consecutively, so concurrent ones have different entries.
        let place = (message.flow_info.flow as usize % CONVERSATIONS) * 2 + message.place.side.index();
        let head = &mut self.0[place];
        if !head.key.as_ref().is_some_and(|key| key.is_of(message)) {
            write(message, head.begin(message));
        }
        &head.text
    }

    #[cold]
    fn begin(&mut self) {
        self.0.resize(CONVERSATIONS * 2, Head::default());
    }
}

impl EnvelopeCache {
    /// Returns the members from `flow` (or `proto`, if there are no conversations) to the message's name, with a comma
    /// before them.
    #[inline(always)]
    pub fn of(&mut self, message: &Message<'_>) -> &[u8] {
        self.sides.of(message, side)
    }

    /// Writes the key `time`, with all digits of the capture's resolution.
    #[inline(always)]
    pub fn time(&mut self, time: Time, line: &mut Line<'_>) {
        if time.digits == 6 && time.secs >= 0 {
            line.short(self.second.text(Time { digits: 6, ..time }, time_key));
            line.six_digits(time.frac);
        } else {
            self.any_time(time, line.rest());
        }
    }

    #[inline(never)]
    fn any_time(&mut self, time: Time, out: &mut Vec<u8>) {
        if time.secs < 0 {
            out.extend_from_slice(b",\"time\":");
            return seconds(time, out);
        }
        self.second.append(time, out, time_key);
    }
}

/// Writes the key `time`, and whole seconds.
#[cold]
fn time_key(secs: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"time\":");
    int(secs, out);
}

impl Head {
    /// Returns the text of the message's side, emptied.
    #[cold]
    #[inline(never)]
    fn begin(&mut self, message: &Message<'_>) -> &mut Vec<u8> {
        self.key = Some(Key::new(message));
        self.text.clear();
        &mut self.text
    }
}

/// Writes the text for [`EnvelopeCache::of`].
#[cold]
#[inline(never)]
fn side(message: &Message<'_>, out: &mut Vec<u8>) {
    let (dissection, flow_info) = (message.dissection, message.flow_info);
    // A dump has packets, but no conversations.
    if flow_info.ends.is_some() && flow_info.flow > 0 {
        out.extend_from_slice(b",\"flow\":");
        int(flow_info.flow, out);
    }
    out.extend_from_slice(b",\"proto\":\"");
    out.extend_from_slice(dissection.proto.as_bytes());
    if let Some(version) = dissection.version {
        out.extend_from_slice(b"\",\"version\":\"");
        out.extend_from_slice(version.as_bytes());
    }
    out.extend_from_slice(b"\",\"from\":\"");
    out.extend_from_slice(dissection.from.name().as_bytes());
    if flow_info.ends.is_some() {
        out.extend_from_slice(match flow_info.transport {
            Transport::Udp => b"\",\"transport\":\"udp",
            Transport::Tcp => b"\",\"transport\":\"tcp",
        });
        out.extend_from_slice(b"\",\"src\":\"");
        out.extend_from_slice(message.src().as_bytes());
        out.extend_from_slice(b"\",\"dst\":\"");
        out.extend_from_slice(message.dst().as_bytes());
    }
    if let Some(leg) = flow_info.leg {
        out.extend_from_slice(b"\",\"leg\":\"");
        out.extend_from_slice(leg.name().as_bytes());
    }
    out.extend_from_slice(b"\",\"message\":\"");
}

#[cfg(test)]
mod tests {
    use super::super::tests::fixture::{PLAIN, with};
    use super::*;
    use crate::flow::Side;

    #[test]
    fn the_same_number_in_another_capture_is_another_conversation() {
        with(&PLAIN, &[1], |message| {
            let mut envelope_cache = EnvelopeCache::default();
            let first = envelope_cache.of(message).to_vec();
            assert_eq!(envelope_cache.of(message), first);
            let ends = ["127.0.0.1:9999", "127.0.0.1:58817"];
            let flow_info = FlowInfo { ends: Some(ends.map(|end| end.parse().unwrap())), ..*message.flow_info };
            let other = Message { flow_info: &flow_info, names: ends, ..*message };
            assert!(String::from_utf8_lossy(envelope_cache.of(&other)).contains("\"src\":\"127.0.0.1:9999\""));
            let place = crate::dissect::Provenance { side: Side::B, ..*message.place };
            let back = Message { place: &place, ..*message };
            assert!(String::from_utf8_lossy(envelope_cache.of(&back)).contains("\"dst\":\"127.0.0.1:3413\""));
            assert_eq!(envelope_cache.of(message), first);
            // With serial numbers, too. Messages without one do not use the entry of a message that has one.
            for (serial, ends) in [(1, ends), (2, message.names), (3, ends), (0, message.names), (0, ends)] {
                let between = Some(ends.map(|end| end.parse().unwrap()));
                let flow_info = FlowInfo { serial, ends: between, ..*message.flow_info };
                let other = Message { flow_info: &flow_info, names: ends, ..*message };
                let text = String::from_utf8_lossy(envelope_cache.of(&other)).into_owned();
                assert!(text.contains(ends[0]) && text.contains(ends[1]), "{serial} {ends:?}: {text}");
            }
        });
    }
}
