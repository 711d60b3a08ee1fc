//! The parts of a line that are the same for many messages: the second, and what a conversation's
//! side says of itself. They are half of a line, so they are kept ready: the side's text saves 297 of
//! 2,900 instructions a message of ndjson (of 4,538 of json); see [`crate::render`].

use super::files::FileNames;
use super::times::{Second, seconds};
use crate::capture::Time;
use crate::codec::json::line::Line;
use crate::codec::json::numbers::int;
use crate::dissect::{FlowInfo, Message, Role};
use crate::flow::Transport;
use std::net::SocketAddr;

/// The number of cached conversations; a power of two.
const CONVERSATIONS: usize = 512;

/// The parts of recent lines, by what they depend on.
#[derive(Debug, Default)]
pub struct EnvelopeCache {
    sides: Sides,
    second: Second,
    /// Where several files are read.
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

/// What a side's text depends on, beside the side, which is part of its place. Names are compared by address: an equal name at another address is only formatted again.
#[derive(Clone, Copy, Debug)]
struct Key {
    serial: u64,
    flow: u64,
    proto: &'static str,
    version: Option<&'static str>,
    from: Role,
    transport: Transport,
    /// In another capture the same number may be another conversation's.
    ends: Option<[SocketAddr; 2]>,
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

    /// The same where the conversation has no serial number: comparing the ends takes 45 instructions.
    #[inline(never)]
    fn is_between(&self, flow_info: &FlowInfo<'_>) -> bool {
        (self.flow, self.transport, self.ends) == (flow_info.flow, flow_info.transport, flow_info.ends)
    }
}

impl Sides {
    /// The text of the message's side, which `write` appends if it is not there: it may depend only on
    /// what a [`Key`] holds, and on the side.
    #[inline(always)]
    pub fn of(&mut self, message: &Message<'_>, write: impl FnOnce(&Message<'_>, &mut Vec<u8>)) -> &[u8] {
        if self.0.is_empty() {
            self.begin();
        }
        // Conversations are numbered consecutively, so those of the same time have different
        // entries.
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
    /// The members from `flow` (or `proto`, if there are no conversations) to the message's name,
    /// with the comma before them.
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

/// The key `time`, and whole seconds.
#[cold]
fn time_key(secs: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"time\":");
    int(secs, out);
}

impl Head {
    /// The empty text of the message's side.
    #[cold]
    #[inline(never)]
    fn begin(&mut self, message: &Message<'_>) -> &mut Vec<u8> {
        self.key = Some(Key::new(message));
        self.text.clear();
        &mut self.text
    }
}

/// See [`EnvelopeCache::of`].
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
            // With serial numbers, too: and those without do not take what has one.
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
