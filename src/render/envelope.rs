//! The members around a message's fields, in both JSON forms.

use super::envelope_cache::EnvelopeCache;
use crate::capture::Time;
use crate::codec::json::fields::Walks;
use crate::codec::json::fixed_line::Pieces;
use crate::codec::json::flat;
use crate::codec::json::numbers::{int, uint};
use crate::codec::json::text::{Escaping, hex, string};
use crate::dissect::{Dissection, Message};
use std::fmt::Write;

/// The key `fields` with an object.
pub const OBJECT: &[u8; 11] = b",\"fields\":{";
/// What follows a message's name.
const BEHIND_NAME: &[u8; 11] = b"\",\"length\":";

/// The key `fields` with an array.
pub const ARRAY: &[u8; 11] = b",\"fields\":[";

/// Appends everything up to and including the key `fields`, as [`OBJECT`] or [`ARRAY`].
#[inline]
pub fn head(message: &Message<'_>, envelope_cache: &mut EnvelopeCache, fields: &[u8; 11], out: &mut Vec<u8>) {
    let (place, from) = (message.place, out.len());
    if place.frame > 0 {
        out.extend_from_slice(b"{\"frame\":");
        uint(place.frame, out);
        if place.frames.len() > 1 {
            frames(place.frames, out);
        }
        if let Some(files) = &mut envelope_cache.files {
            files.keys(place.frame, out);
        }
        envelope_cache.time(place.time, out);
    }
    out.extend_from_slice(envelope_cache.of(message));
    if place.frame == 0 {
        // Replaces the comma at its start.
        out[from] = b'{';
    }
    out.extend_from_slice(message.dissection.message.as_bytes());
    out.extend_from_slice(BEHIND_NAME);
    uint(place.length as u64, out);
    if message.dissection.part.is_some() || !message.dissection.packet.is_empty() {
        headers(message, &mut envelope_cache.walks, out);
    }
    out.extend_from_slice(fields);
}

/// The place in the packet, and the fields of the headers.
fn headers(message: &Message<'_>, walks: &mut Walks, out: &mut Vec<u8>) {
    let dissection = message.dissection;
    if let Some((part, of)) = dissection.part {
        out.extend_from_slice(b",\"part\":[");
        uint(part as u64, out);
        out.push(b',');
        uint(of as u64, out);
        out.push(b']');
    }
    if !dissection.packet.is_empty() {
        let mark = out.len();
        out.extend_from_slice(PACKET);
        walks.fields(&dissection.packet, message.sources(), out);
        if out.get(mark + PACKET.len()..) == Some(b"}") {
            out.truncate(mark);
        }
    }
}

/// The key `packet` with an object.
const PACKET: &[u8; 11] = b",\"packet\":{";

/// As [`headers`], into a line of fixed size.
#[inline(never)]
fn plain_headers(message: &Message<'_>, line: &mut Pieces<'_>) -> Option<()> {
    let Dissection { part, packet, .. } = message.dissection;
    if let Some((part, of)) = part {
        line.constant(b",\"part\":[");
        line.uint(*part as u64);
        line.constant(b",");
        line.uint(*of as u64);
        line.constant(b"]");
    }
    if flat::is_shown(packet) {
        line.constant(PACKET);
        flat::fields(packet, message.sources(), line)?;
    }
    Some(())
}

/// The same for nearly all messages, into a line of fixed size: those of one frame of the only file,
/// with a time in microseconds, in plain headers. What is added to [`head`] has to be added, or refused, here.
#[inline(always)]
pub fn plain_head(
    message: &Message<'_>,
    envelope_cache: &mut EnvelopeCache,
    fields: &[u8; 11],
    line: &mut Pieces<'_>,
) -> Option<()> {
    let place = message.place;
    let one_frame = place.frame > 0 && place.frames.len() <= 1 && envelope_cache.files.is_none();
    if !one_frame || place.time.digits != 6 || place.time.secs < 0 {
        return None;
    }
    line.constant(b"{\"frame\":");
    line.uint(place.frame);
    // So the compiler knows that there are decimals.
    let time = Time { digits: 6, ..place.time };
    line.short(envelope_cache.second(time));
    line.six_digits(time.frac);
    line.text(envelope_cache.of(message));
    line.name(message.dissection.message);
    line.constant(BEHIND_NAME);
    line.uint(place.length as u64);
    if message.dissection.part.is_some() || !message.dissection.packet.is_empty() {
        plain_headers(message, line)?;
    }
    line.constant(fields);
    Some(())
}

/// Does something come behind the fields, other than bytes? What is added to [`tail`] has to be added
/// here.
#[inline(always)]
pub fn has_tail(message: &Message<'_>) -> bool {
    let dissection = message.dissection;
    let derived = dissection.tree.has_derived() || !dissection.derived.is_empty() || dissection.packet.has_derived();
    derived || !dissection.related.is_empty() || !dissection.notes.is_empty() || dissection.fault.is_some()
}

/// Appends everything after `fields`, except for the closing brace.
#[inline]
pub fn tail(message: &Message<'_>, bytes: bool, walks: &mut Walks, out: &mut Vec<u8>) {
    let dissection = message.dissection;
    if dissection.tree.has_derived() || !dissection.derived.is_empty() || dissection.packet.has_derived() {
        let mark = out.len();
        out.extend_from_slice(b",\"derived\":");
        let trees = [&dissection.packet, &dissection.tree];
        if !walks.derived(trees, &dissection.derived, message.sources(), bytes, out) {
            out.truncate(mark);
        }
    }
    if !dissection.related.is_empty() {
        related(message, out);
    }
    if !dissection.notes.is_empty() {
        notes(message, out);
    }
    if dissection.fault.is_some() {
        fault(message, out);
    }
    if bytes {
        out.extend_from_slice(b",\"bytes\":\"");
        hex(message.place.bytes, out);
        out.push(b'"');
    }
}

#[cold]
pub(super) fn frames(frames: &[u64], out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"frames\":");
    for (k, frame) in frames.iter().enumerate() {
        out.push(if k == 0 { b'[' } else { b',' });
        int(*frame, out);
    }
    out.push(b']');
}

#[cold]
pub(super) fn related(message: &Message<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"related\":");
    for (k, relation) in message.dissection.related.iter().enumerate() {
        out.extend_from_slice(if k == 0 { b"[{\"kind\":\"" } else { b",{\"kind\":\"" });
        out.extend_from_slice(relation.kind.name().as_bytes());
        out.extend_from_slice(b"\",\"frame\":");
        int(relation.target.frame, out);
        if let Some(index) = relation.index() {
            out.extend_from_slice(b",\"index\":");
            int(index, out);
        }
        if let Some(after) = relation.after {
            out.extend_from_slice(b",\"after_ms\":");
            millis(after, out);
        }
        out.push(b'}');
    }
    out.push(b']');
}

/// Nanoseconds as milliseconds, exactly: `10.573`.
pub fn millis(nanos: i64, out: &mut Vec<u8>) {
    if nanos < 0 {
        out.push(b'-');
    }
    let (whole, rest) = (nanos.unsigned_abs() / 1_000_000, nanos.unsigned_abs() % 1_000_000);
    int(whole, out);
    out.push(b'.');
    let start = out.len();
    // The leading one preserves zeros and is taken away.
    int(1_000_000 + rest, out);
    out.remove(start);
    while out.len() > start + 1 && out.ends_with(b"0") {
        out.pop();
    }
}

#[cold]
pub(super) fn notes(message: &Message<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"notes\":[");
    for (k, (note, text)) in message.dissection.notes.iter().enumerate() {
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
pub(super) fn fault(message: &Message<'_>, out: &mut Vec<u8>) {
    let Some(fault) = &message.dissection.fault else { return };
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
