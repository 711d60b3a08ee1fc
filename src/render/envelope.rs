//! What stands around a message's fields in both JSON forms.

use super::json_fields::Walks;
use super::json_text::{Escaping, hex, int, string};
use crate::capture::Time;
use crate::flow::Transport;
use crate::protocols::{Message, Role};
use std::fmt::Write;
use std::net::SocketAddr;

/// How many beginnings are kept.
const KEPT: usize = 512;

/// What lines of one conversation, one way, have in common: it is written once and copied after
/// that. Nothing but memory: without it every line would be the same.
#[derive(Debug)]
pub struct Heads {
    /// By conversation and side; those that share a place take it from each other.
    kept: Vec<Kept>,
    second: i64,
    /// `,"time":1795229852`.
    time: Vec<u8>,
}

#[derive(Debug, Default)]
struct Kept {
    flow: u64,
    ends: Option<[SocketAddr; 2]>,
    side: usize,
    proto: &'static str,
    version: Option<&'static str>,
    from: Role,
    /// From `flow` on, up to the quote before the message's name.
    text: Vec<u8>,
}

impl Default for Heads {
    fn default() -> Heads {
        let kept = (0..KEPT).map(|_| Kept::default()).collect();
        Heads { kept, second: 0, time: b",\"time\":0".to_vec() }
    }
}

impl Heads {
    /// Appends everything up to and with the key `fields`.
    #[inline]
    pub fn head(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        let Message { draft, place, talk, .. } = message;
        out.push(b'{');
        if place.frame > 0 {
            out.extend_from_slice(b"\"frame\":");
            int(place.frame, out);
            if place.frames.len() > 1 {
                frames(place.frames, out);
            }
            if place.time.secs != self.second {
                self.second = place.time.secs;
                self.time.truncate(8);
                int(self.second, &mut self.time);
            }
            out.extend_from_slice(&self.time);
            if place.time.digits > 0 {
                out.push(b'.');
                fraction(place.time, out);
            }
            out.push(b',');
        }
        let side = place.side.index();
        let place_of = (talk.flow as usize).wrapping_mul(2).wrapping_add(side) % KEPT;
        match self.kept.get_mut(place_of) {
            Some(kept) if talk.ends.is_some() => {
                if kept.flow != talk.flow
                    || kept.side != side
                    || kept.from != draft.from
                    || kept.ends != talk.ends
                    || !same(kept.proto, draft.proto)
                    || !same(kept.version.unwrap_or(""), draft.version.unwrap_or(""))
                {
                    kept.fill(message, side);
                }
                out.extend_from_slice(&kept.text);
            }
            _ => middle(message, out),
        }
        out.extend_from_slice(draft.message.as_bytes());
        out.extend_from_slice(b"\",\"length\":");
        int(place.length, out);
        out.extend_from_slice(b",\"fields\":");
    }
}

/// The same constant: its letters are not looked at.
#[inline(always)]
fn same(a: &'static str, b: &'static str) -> bool {
    std::ptr::eq(a, b)
}

impl Kept {
    #[cold]
    fn fill(&mut self, message: &Message<'_>, side: usize) {
        let Message { draft, talk, .. } = message;
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        middle(message, &mut text);
        let (flow, ends, proto, version, from) = (talk.flow, talk.ends, draft.proto, draft.version, draft.from);
        *self = Kept { flow, ends, side, proto, version, from, text };
    }
}

/// From `flow` on, up to the quote before the message's name.
fn middle(message: &Message<'_>, out: &mut Vec<u8>) {
    let Message { draft, talk, .. } = message;
    if talk.ends.is_some() {
        out.extend_from_slice(b"\"flow\":");
        int(talk.flow, out);
        out.push(b',');
    }
    out.extend_from_slice(b"\"proto\":\"");
    out.extend_from_slice(draft.proto.as_bytes());
    if let Some(version) = draft.version {
        out.extend_from_slice(b"\",\"version\":\"");
        out.extend_from_slice(version.as_bytes());
    }
    out.extend_from_slice(match draft.from {
        Role::Client => b"\",\"from\":\"client",
        Role::Server => b"\",\"from\":\"server",
        Role::Unknown => b"\",\"from\":\"unknown",
    });
    if talk.ends.is_some() {
        out.extend_from_slice(match talk.transport {
            Transport::Udp => b"\",\"transport\":\"udp\",\"src\":\"",
            Transport::Tcp => b"\",\"transport\":\"tcp\",\"src\":\"",
        });
        out.extend_from_slice(message.src().as_bytes());
        out.extend_from_slice(b"\",\"dst\":\"");
        out.extend_from_slice(message.dst().as_bytes());
    }
    out.extend_from_slice(b"\",\"message\":\"");
}

/// Appends everything behind `fields`, with the closing brace.
#[inline]
pub fn tail(message: &Message<'_>, bytes: bool, walks: &mut Walks, out: &mut Vec<u8>) {
    let draft = message.draft;
    if draft.tree.has_derived() || !draft.derived.is_empty() {
        let mark = out.len();
        out.extend_from_slice(b",\"derived\":");
        if !walks.derived(&draft.tree, &draft.derived, message.sources(), out) {
            out.truncate(mark);
        }
    }
    if !draft.notes.is_empty() {
        notes(message, out);
    }
    if draft.fault.is_some() {
        fault(message, out);
    }
    if bytes {
        out.extend_from_slice(b",\"bytes\":\"");
        hex(message.place.bytes, out);
        out.push(b'"');
    }
    out.push(b'}');
}

#[cold]
fn frames(frames: &[u64], out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"frames\":");
    for (k, frame) in frames.iter().enumerate() {
        out.push(if k == 0 { b'[' } else { b',' });
        int(*frame, out);
    }
    out.push(b']');
}

#[cold]
fn notes(message: &Message<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"notes\":[");
    for (k, (note, text)) in message.draft.notes.iter().enumerate() {
        out.extend_from_slice(if k == 0 { b"{\"level\":\"" } else { b",{\"level\":\"" });
        out.extend_from_slice(note.level.name().as_bytes());
        out.extend_from_slice(b"\",\"code\":\"");
        out.extend_from_slice(note.code.as_bytes());
        out.extend_from_slice(b"\",\"text\":");
        string(text.as_bytes(), out);
        out.push(b'}');
    }
    out.push(b']');
}

#[cold]
fn fault(message: &Message<'_>, out: &mut Vec<u8>) {
    let Some(fault) = &message.draft.fault else { return };
    out.extend_from_slice(b",\"fault\":{\"path\":");
    string(fault.path.as_bytes(), out);
    out.extend_from_slice(b",\"bit\":");
    int(fault.bit, out);
    out.extend_from_slice(b",\"need\":");
    int(fault.need, out);
    out.extend_from_slice(b",\"have\":");
    int(fault.have, out);
    out.extend_from_slice(b",\"text\":\"");
    // Writing to a vector cannot fail.
    let _ = write!(Escaping(out), "{fault}");
    out.extend_from_slice(b"\"}");
}

/// Seconds with every digit of the capture's resolution.
#[inline]
pub fn time(time: Time, out: &mut Vec<u8>) {
    int(time.secs, out);
    if time.digits > 0 {
        out.push(b'.');
        fraction(time, out);
    }
}

/// The digits behind the point.
#[inline]
pub fn fraction(time: Time, out: &mut Vec<u8>) {
    // A one in front keeps the zeros.
    let digits = u32::from(time.digits.min(18));
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(10u64.pow(digits).saturating_add(time.frac)).as_bytes();
    out.extend_from_slice(text.get(1..).unwrap_or(&[]));
}
