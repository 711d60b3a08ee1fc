//! The members around a message's fields, for both JSON forms.

use super::envelope_cache::EnvelopeCache;
use crate::codec::json::fields::Walks;
use crate::codec::json::line::Line;
use crate::codec::json::numbers::int;
use crate::codec::json::text::{Escaping, string};
use crate::dissect::Message;
use std::fmt::Write;

/// The key `fields` with an object.
pub const OBJECT: &[u8; 11] = b",\"fields\":{";

/// The key `fields` with an array.
pub const ARRAY: &[u8; 11] = b",\"fields\":[";

/// Writes everything up to and including the key `fields`, as [`OBJECT`] or [`ARRAY`].
#[inline(always)]
pub fn head(
    message: &Message<'_>,
    envelope_cache: &mut EnvelopeCache,
    walks: &mut Walks,
    fields: &[u8; 11],
    line: &mut Line<'_>,
) {
    let (dissection, place) = (message.dissection, message.place);
    if place.frame > 0 {
        line.constant(b"{\"frame\":");
        line.uint(place.frame);
        if place.frames.len() > 1 {
            line.constant(b",\"frames\":");
            frames(place.frames, line);
        }
        if let Some(files) = &mut envelope_cache.files {
            files.keys(place.frame, line.rest());
        }
        envelope_cache.time(place.time, line);
        line.text(envelope_cache.of(message));
    } else {
        // A brace in place of the comma.
        line.constant(b"{");
        line.text(envelope_cache.of(message).get(1..).unwrap_or_default());
    }
    line.name(dissection.message);
    line.constant(b"\",\"length\":");
    line.uint(place.length as u64);
    if dissection.part.is_some() || !dissection.packet.is_empty() {
        headers(message, walks, line);
    }
    line.constant(fields);
}

/// Writes the place in the packet, and the fields of the headers.
#[inline(never)]
fn headers(message: &Message<'_>, walks: &mut Walks, line: &mut Line<'_>) {
    let dissection = message.dissection;
    if let Some((part, of)) = dissection.part {
        line.constant(b",\"part\":");
        self::part(part, of, line);
    }
    if !dissection.packet.is_empty() {
        let mark = line.len();
        line.constant(b",\"packet\":{");
        let start = line.len();
        walks.fields(&dissection.packet, message.sources(), line);
        if line.len() == start + 1 {
            line.truncate(mark);
        }
    }
}

/// Writes the message's number in its packet, and the number of the packet's messages.
pub(super) fn part(part: u32, of: u32, line: &mut Line<'_>) {
    line.constant(b"[");
    line.uint(part.into());
    line.constant(b",");
    line.uint(of.into());
    line.constant(b"]");
}

/// Writes everything after `fields`, except for the closing brace.
#[inline(always)]
pub fn tail(message: &Message<'_>, bytes: bool, walks: &mut Walks, line: &mut Line<'_>) {
    let dissection = message.dissection;
    if dissection.tree.has_derived() || !dissection.derived.is_empty() || dissection.packet.has_derived() {
        derived(message, bytes, walks, line);
    }
    if !dissection.related.is_empty() {
        line.constant(b",\"related\":");
        related(message, line);
    }
    if !dissection.notes.is_empty() {
        line.constant(b",\"notes\":");
        notes(message, line);
    }
    if dissection.fault.is_some() {
        line.constant(b",\"fault\":");
        fault(message, line.rest());
    }
    if bytes {
        line.constant(b",\"bytes\":\"");
        line.hex(message.place.bytes);
        line.constant(b"\"");
    }
}

#[inline(never)]
fn derived(message: &Message<'_>, bytes: bool, walks: &mut Walks, line: &mut Line<'_>) {
    let (dissection, mark) = (message.dissection, line.len());
    line.constant(b",\"derived\":");
    if !walks.derived([&dissection.packet, &dissection.tree], &dissection.derived, message.sources(), bytes, line) {
        line.truncate(mark);
    }
}

#[cold]
pub(super) fn frames(frames: &[u64], line: &mut Line<'_>) {
    line.constant(b"[");
    for frame in frames {
        line.uint(*frame);
        line.constant(b",");
    }
    line.close(b']');
}

#[inline(never)]
pub(super) fn related(message: &Message<'_>, line: &mut Line<'_>) {
    line.constant(b"[");
    for relation in message.dissection.related.iter() {
        line.constant(b"{\"kind\":\"");
        line.name(relation.kind.name());
        line.constant(b"\",\"frame\":");
        line.uint(relation.target.frame);
        if let Some(index) = relation.index() {
            line.constant(b",\"index\":");
            line.uint(index.into());
        }
        if let Some(after) = relation.after {
            line.constant(b",\"after_ms\":");
            millis(after, line);
        }
        line.constant(b"},");
    }
    line.close(b']');
}

/// Writes nanoseconds as milliseconds, exactly: `10.573`.
pub fn millis(nanos: i64, line: &mut Line<'_>) {
    if nanos < 0 {
        line.constant(b"-");
    }
    line.uint(nanos.unsigned_abs() / 1_000_000);
    line.constant(b".");
    let start = line.len();
    line.six_digits(nanos.unsigned_abs() % 1_000_000);
    while line.len() > start + 1 && line.last_mut() == Some(&mut b'0') {
        line.truncate(line.len() - 1);
    }
}

#[inline(never)]
pub(super) fn notes(message: &Message<'_>, line: &mut Line<'_>) {
    line.constant(b"[");
    for (note, text) in message.dissection.notes.iter() {
        line.constant(b"{\"level\":\"");
        line.name(note.level.name());
        line.constant(b"\",\"code\":\"");
        line.name(note.code);
        line.constant(b"\",\"text\":");
        line.string(text.as_bytes());
        line.constant(b"},");
    }
    line.close(b']');
}

#[cold]
pub(super) fn fault(message: &Message<'_>, out: &mut Vec<u8>) {
    let Some(fault) = &message.dissection.fault else { return };
    out.extend_from_slice(b"{\"path\":");
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
