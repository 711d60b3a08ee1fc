//! Writes one node's value as JSON, in the form in which its field is shown.

use super::numbers::{f32, f64, int, uint};
use crate::codec::json::text::{clip, escaped, hex_bits, latin1, string};
use crate::codec::layout::{Flags, Show};
use crate::codec::{Clock, Node, Sources, Value, bits, half_text};

/// Appends the value of a leaf; groups and lists are walked in [`crate::codec::json::fields`].
#[inline]
pub fn value(node: &Node, sources: Sources<'_>, out: &mut Vec<u8>) {
    match node.value {
        Value::UInt(n) => match node.field.show {
            Show::Plain => uint(n, out),
            show => shown(show, n, false, out),
        },
        Value::Int(n) => match node.field.show {
            Show::Plain => int(n, out),
            // A signed number without a name keeps its sign.
            Show::Enum(names) if name_of(names, n as u64).is_none() => int(n, out),
            show => shown(show, n as u64, true, out),
        },
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::F16(bits) => f64(half_text::shortest(bits), out),
        Value::F32(v) => f32(v, out),
        Value::F64(v) => f64(v, out),
        Value::Bytes { bit, bits } => {
            out.push(b'"');
            hex_bits(sources.get(node.source), bit, bits, out);
            out.push(b'"');
        }
        Value::Text { bit, bits } => text(sources.get(node.source), bit, bits, out),
        Value::Latin1 { bit, bits } => {
            out.push(b'"');
            each_byte(sources.get(node.source), bit, bits, |byte| latin1(byte, out));
            out.push(b'"');
        }
        Value::Json { start, len } => {
            let (start, len) = (start as usize, len as usize);
            // An empty text would break the line's JSON. A range outside the source can only be a bug in netkit.
            match sources.get(node.source).get(start..start + len) {
                Some(json) if !json.is_empty() => out.extend_from_slice(json),
                _ => out.extend_from_slice(b"null"),
            }
        }
        Value::Raw { bit, bits } => {
            let (_, count) = clip(sources.get(node.source), bit, bits);
            out.extend_from_slice(b"{\"raw\":\"");
            hex_bits(sources.get(node.source), bit, bits, out);
            out.extend_from_slice(b"\",\"bits\":");
            int(count, out);
            out.push(b'}');
        }
        Value::Null | Value::Group | Value::List => out.extend_from_slice(b"null"),
    }
}

/// Returns the name of a value. Most tables are dense, so the value itself is tried as the index first.
#[inline]
pub fn name_of(names: &'static [(u64, &'static str)], n: u64) -> Option<&'static str> {
    match names.get(n as usize) {
        Some((value, name)) if *value == n => Some(name),
        _ => names.iter().find(|(value, _)| *value == n).map(|(_, name)| *name),
    }
}

fn shown(show: Show, n: u64, signed: bool, out: &mut Vec<u8>) {
    match show {
        Show::Plain | Show::Asked(_) => int(n, out),
        Show::Enum(names) => match name_of(names, n) {
            Some(name) => {
                out.push(b'"');
                out.extend_from_slice(name.as_bytes());
                out.push(b'"');
            }
            None => int(n, out),
        },
        Show::Flags(table) => {
            out.push(b'[');
            flags(table, n, |flag| {
                match flag {
                    Ok(name) => string(name.as_bytes(), out),
                    Err(mask) => int(mask, out),
                }
                out.push(b',');
            });
            match out.last_mut() {
                Some(last @ b',') => *last = b']',
                _ => out.push(b']'),
            }
        }
        Show::Scaled(scale) => f64(scale.shown(if signed { n as i64 as f64 } else { n as f64 }), out),
        Show::Time { clock, signed: true } => time(clock, (n as i64).into(), out),
        Show::Time { clock, signed: false } => time(clock, n.into(), out),
    }
}

/// Appends a point in time, or the number, if it means none.
#[cold]
fn time(clock: Clock, number: i128, out: &mut Vec<u8>) {
    let quote: &[u8] = if clock.means(number) { b"\"" } else { b"" };
    out.extend_from_slice(quote);
    clock.show(number, out);
    out.extend_from_slice(quote);
}

/// Calls `each` with the name of every set bit, from the lowest up. A bit without a name is passed as its number.
pub fn flags(table: &Flags, n: u64, mut each: impl FnMut(Result<&'static str, u128>)) {
    let mut left = n;
    while left != 0 {
        let mask = left & left.wrapping_neg();
        left &= left - 1;
        each(match table.names.iter().find(|(bit, _)| *bit == mask) {
            Some((_, name)) => Ok(name),
            None => Err((mask as u128) << (table.shift & 63)),
        });
    }
}

fn text(data: &[u8], bit: u32, bits: u32, out: &mut Vec<u8>) {
    let (at, count) = clip(data, bit, bits);
    out.push(b'"');
    if at.is_multiple_of(8) {
        escaped(data.get(at / 8..(at + count) / 8).unwrap_or(&[]), out);
    } else {
        // A character's bytes must be escaped together: the C1 controls are two bytes long in
        // UTF-8.
        let mut held = None;
        each_byte(data, bit, bits, |byte| match held.take() {
            Some(first) => escaped(&[first, byte], out),
            None if byte == 0xc2 => held = Some(byte),
            None => escaped(&[byte], out),
        });
        out.extend(held);
    }
    out.push(b'"');
}

/// Appends every whole byte of a range that may start at any bit.
#[cfg(feature = "parquet")]
#[inline]
pub fn append_bytes(data: &[u8], bit: u32, bits: u32, out: &mut Vec<u8>) {
    let (at, count) = clip(data, bit, bits);
    match at % 8 {
        0 => out.extend_from_slice(data.get(at / 8..(at + count) / 8).unwrap_or(&[])),
        _ => out.extend((0..count / 8).map(|k| bits::get(data, at + k * 8, 8) as u8)),
    }
}

/// Calls `each` with every whole byte of a range that may start at any bit.
#[inline]
pub fn each_byte(data: &[u8], bit: u32, bits: u32, mut each: impl FnMut(u8)) {
    let (at, count) = clip(data, bit, bits);
    match at % 8 {
        0 => data.get(at / 8..(at + count) / 8).unwrap_or(&[]).iter().for_each(|b| each(*b)),
        _ => (0..count / 8).for_each(|k| each(bits::get(data, at + k * 8, 8) as u8)),
    }
}
