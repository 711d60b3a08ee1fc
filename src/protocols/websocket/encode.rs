//! Encodes the carrier's lines.

use super::frame::{self, opcode};
use super::layout;
use super::layout::{COMPRESSED, HEADER, MASK, Message, OPCODE};
use crate::codec::layout::Field;
use crate::codec::{EncodeError, Writer};
use crate::dissect::{Line, Role};
use serde_json::{Map, Value as Json};

/// Encodes one of the carrier's lines: an HTTP head, or frames.
///
/// # Errors
/// The path of the field that is wrong.
pub fn encode(line: &Line<'_>) -> Result<Vec<u8>, EncodeError> {
    let layout = line.layout(super::NAME, &layout::LAYOUTS)?;
    let message = Message::of(layout);
    let op = match message {
        Message::Close => opcode::CLOSE,
        Message::Ping => opcode::PING,
        Message::Pong => opcode::PONG,
        Message::Text => opcode::TEXT,
        Message::Binary => opcode::BINARY,
        Message::Frame => match line.field(&OPCODE).map(|v| v.as_u64()) {
            Some(Some(n @ 0..=15)) => n as u8,
            Some(_) => return Err(EncodeError::new("opcode", "expected a number from 0 to 15")),
            None => return Writer::new(line.fields).broken(true).write(&[]),
        },
        _ => return Writer::new(line.fields).broken(line.broken).write(layout.fields),
    };
    // Mask and opcode belong to the head. The rest is the payload.
    let empty = Map::new();
    let fields = line.fields.as_object().unwrap_or(&empty);
    let head = [MASK.name, OPCODE.name];
    let rest = fields.iter().filter(|(name, _)| !head.contains(&name.as_str()));
    let rest = Json::Object(rest.map(|(name, value)| (name.clone(), value.clone())).collect());
    let after: &'static [Field] = match layout.fields {
        [first, after @ ..] if head.contains(&first.name) => after,
        all => all,
    };
    let after = if message == Message::Frame { &[] } else { after };
    let mut payload = Writer::new(&rest).broken(line.broken).write(after)?;
    if let Some(compressed) = line.derived(&COMPRESSED) {
        payload = hex_of("derived.compressed", compressed)?;
    }
    if let Some(header) = line.derived(&HEADER) {
        return Ok(frame::rebuild(&hex_of("derived.header", header)?, &payload));
    }
    let mask = fields.get(MASK.name).map(|mask| hex_of("mask", mask)).transpose()?;
    let mask: Option<[u8; 4]> = match mask {
        Some(bytes) => Some(bytes.try_into().map_err(|_| EncodeError::new("mask", "expected 8 hex digits"))?),
        None => None,
    };
    Ok(frame::write(op, mask, &payload))
}

fn hex_of(path: &str, value: &Json) -> Result<Vec<u8>, EncodeError> {
    value.as_str().and_then(|text| hex::decode(text).ok()).ok_or_else(|| EncodeError::new(path, "expected hex"))
}

/// Puts a message into a frame, masked if a client sends it. The carrier's own lines are frames and heads already.
pub fn wrap(message: &[u8], line: &Line<'_>) -> Vec<u8> {
    if line.proto == super::NAME {
        return message.to_vec();
    }
    // The mask is a hash of the message, so the same message gives the same bytes.
    let key = (line.from == Role::Client).then(|| {
        let sum = message.iter().fold(0x811c_9dc5u32, |sum, b| (sum ^ *b as u32).wrapping_mul(0x0100_0193));
        sum.to_be_bytes()
    });
    frame::write(opcode::BINARY, key, message)
}
