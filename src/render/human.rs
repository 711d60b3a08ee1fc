//! Explanations of a value beyond the value itself: its unit, an enumeration's number, the meaning
//! of raw bits.

use super::bytes::ByteIter;
use crate::codec::json::value::{flags, name_of};
use crate::codec::layout::{Kind, Order, Show};
use crate::codec::{Node, Sources, Value, bits, half_text};
use std::fmt::Write;

/// Writes the explanation of a leaf, or nothing if its plain value suffices.
pub fn human(node: &Node, sources: Sources<'_>, to: &mut impl Write) {
    // The writers used here cannot fail.
    let _ = match (node.value, node.field.show) {
        (Value::UInt(_) | Value::Int(_), Show::Enum(names)) => named(names, node, to).and_then(|()| unit(node, to)),
        (Value::UInt(_) | Value::Int(_), Show::Flags(_)) => {
            plain(node, to).and_then(|()| write!(to, " ({:#x})", node.number().unwrap_or(0)))
        }
        (Value::UInt(_) | Value::Int(_), Show::Scaled(_) | Show::Time { .. }) => {
            plain(node, to).and_then(|()| unit(node, to)).and_then(|()| write!(to, " (raw {})", Signed(node.value)))
        }
        (Value::Raw { bit, bits }, _) => raw(node, sources.get(node.source), bit, bits, to),
        (Value::UInt(_) | Value::Int(_) | Value::F16(_) | Value::F32(_) | Value::F64(_), _)
            if !node.field.unit.is_empty() =>
        {
            plain(node, to).and_then(|()| unit(node, to))
        }
        _ => Ok(()),
    };
}

/// Returns the byte order of a magic number: a tag of several whole bytes, which is best shown as letters.
fn magic(node: &Node) -> Option<Order> {
    match node.field.kind {
        Kind::Tag { bits, order, .. } if (9..=64).contains(&node.bits) && bits.is_multiple_of(8) => Some(order),
        _ => None,
    }
}

/// Whether it is a number shown in plain decimal digits.
#[inline]
pub fn is_decimal(node: &Node) -> bool {
    matches!(node.field.show, Show::Plain) && magic(node).is_none()
}

/// Writes a value in its shortest form: an enumeration's name, `a|b` for flags.
pub fn plain(node: &Node, to: &mut impl Write) -> std::fmt::Result {
    match (node.value, node.field.show) {
        (Value::Null, _) => to.write_str("null"),
        (Value::Bool(b), _) => to.write_str(if b { "true" } else { "false" }),
        (Value::UInt(_) | Value::Int(_), Show::Enum(names)) => match node.number().and_then(|n| name_of(names, n)) {
            Some(name) => to.write_str(name),
            None => whole(node.value, to),
        },
        (Value::UInt(_) | Value::Int(_), Show::Flags(table)) => {
            let mut done = Ok(());
            let mut first = true;
            flags(table, node.number().unwrap_or(0), |flag| {
                let bar = if std::mem::take(&mut first) { "" } else { "|" };
                done = done.and(match flag {
                    Ok(name) => write!(to, "{bar}{name}"),
                    Err(mask) => write!(to, "{bar}{mask:#x}"),
                });
            });
            if first { to.write_str("none") } else { done }
        }
        (Value::UInt(n), Show::Scaled(scale)) => float(scale.shown(n as f64), to),
        (Value::Int(n), Show::Scaled(scale)) => float(scale.shown(n as f64), to),
        (value @ (Value::UInt(_) | Value::Int(_)), Show::Time { clock, .. }) => {
            to.write_str(&clock.text(value.whole().unwrap_or(0)))
        }
        (Value::UInt(n), Show::Plain) if magic(node).is_some() => {
            let wire = if magic(node) == Some(Order::Big) { n.swap_bytes() >> (64 - node.bits) } else { n };
            let bytes = wire.to_le_bytes();
            let bytes = bytes.get(..node.bits as usize / 8).unwrap_or(&[]);
            match bytes.iter().all(|b| b.is_ascii_graphic()) {
                true => write!(to, "{:?}", String::from_utf8_lossy(bytes)),
                false => write!(to, "{n:#x}"),
            }
        }
        (Value::UInt(_) | Value::Int(_), Show::Plain) => whole(node.value, to),
        (Value::F16(h), _) => float(half_text::shortest(h), to),
        (Value::F32(v), _) => to.write_str(zmij::Buffer::new().format(v)),
        (Value::F64(v), _) => float(v, to),
        _ => Ok(()),
    }
}

struct Signed(Value);

impl std::fmt::Display for Signed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        whole(self.0, f)
    }
}

fn whole(value: Value, to: &mut impl Write) -> std::fmt::Result {
    match value {
        Value::UInt(n) => to.write_str(itoa::Buffer::new().format(n)),
        Value::Int(n) => to.write_str(itoa::Buffer::new().format(n)),
        _ => Ok(()),
    }
}

fn float(v: f64, to: &mut impl Write) -> std::fmt::Result {
    to.write_str(zmij::Buffer::new().format(v))
}

fn unit(node: &Node, to: &mut impl Write) -> std::fmt::Result {
    match node.field.unit {
        "" => Ok(()),
        unit => write!(to, " {unit}"),
    }
}

fn named(names: &'static [(u64, &'static str)], node: &Node, to: &mut impl Write) -> std::fmt::Result {
    match node.number().and_then(|n| name_of(names, n)) {
        Some(name) => write!(to, "{name} ({})", Signed(node.value)),
        None => write!(to, "{} (unknown)", Signed(node.value)),
    }
}

/// Writes the meaning of bits without a plain form.
fn raw(node: &Node, data: &[u8], bit: u32, count: u32, to: &mut impl Write) -> std::fmt::Result {
    match node.field.kind {
        Kind::Float { bits: width @ (16 | 32 | 64), order } if count == width as u32 => {
            let number = bits::get(data, bit as usize, count);
            let little = not_a_number(number, width);
            match (order, not_a_number(bits::swap(number, count), width)) {
                (Order::Little, _) => to.write_str(little),
                (Order::Big, big) => to.write_str(big),
                // The field was read in the byte order in which it is not a number.
                (_, big) => to.write_str(if little.is_empty() { big } else { little }),
            }
        }
        Kind::VarInt { .. } => {
            let groups = ByteIter::new(data, bit, count);
            let (mut value, mut count, mut lost) = (0u64, 0u32, false);
            for byte in groups {
                let low = (byte & 0x7f) as u64;
                match count {
                    0..=8 => value |= low << (7 * count),
                    9 => {
                        value |= low << 63;
                        lost |= low > 1;
                    }
                    _ => lost |= low != 0,
                }
                count += 1;
            }
            if lost { write!(to, "more than 64 bits in {count} bytes") } else { write!(to, "{value} in {count} bytes") }
        }
        Kind::Bool { .. } => write!(to, "{}, neither 0 nor 1", bits::get(data, bit as usize, count.min(64))),
        Kind::Text { .. } => to.write_str("not UTF-8"),
        _ => Ok(()),
    }
}

fn not_a_number(bits: u64, width: u8) -> &'static str {
    let v = match width {
        16 => half::f16::from_bits(bits as u16).to_f64(),
        32 => f32::from_bits(bits as u32) as f64,
        _ => f64::from_bits(bits),
    };
    match v {
        v if v.is_nan() => "NaN",
        f64::INFINITY => "infinity",
        f64::NEG_INFINITY => "-infinity",
        _ => "",
    }
}
