//! The carrier's lines back to bytes.

use super::frame::{self, opcode};
use super::layout;
use crate::codec::{EncodeError, Writer};
use crate::protocols::{Line, Role};
use serde_json::{Map, Value as Json};

/// The bytes of one of the carrier's lines: a head, a frame; of `text` and `binary` the message.
///
/// # Errors
/// The path of what is wrong.
pub fn encode(line: &Line<'_>) -> Result<Vec<u8>, EncodeError> {
    let Some(layout) = layout::LAYOUTS.iter().find(|l| l.name == line.message) else {
        let near = crate::nearest::nearest(line.message, layout::LAYOUTS.iter().map(|l| l.name));
        let what = format!("no message {:?}{}", line.message, crate::nearest::hint(near));
        return Err(EncodeError { path: "message".into(), what });
    };
    let op = match layout.name {
        "close" => opcode::CLOSE,
        "ping" => opcode::PING,
        "pong" => opcode::PONG,
        "frame" => match line.fields.get("opcode").map(|v| v.as_u64()) {
            Some(Some(n @ 0..=15)) => n as u8,
            Some(_) => return Err(wrong("opcode", "expected a number from 0 to 15")),
            None => opcode::BINARY,
        },
        _ => return Writer::new(line.fields).broken(line.broken).write(layout.fields),
    };
    // Mask and opcode belong to the head; the rest is the payload.
    let empty = Map::new();
    let fields = line.fields.as_object().unwrap_or(&empty);
    let rest: Map<String, Json> = fields
        .iter()
        .filter(|(k, _)| !["mask", "opcode"].contains(&k.as_str()))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect();
    let payload = match layout.name {
        "frame" => Writer::new(&Json::Object(rest)).broken(true).write(&[])?,
        _ => Writer::new(&Json::Object(rest)).broken(line.broken).write(layout.fields.get(1..).unwrap_or_default())?,
    };
    if layout.name == "frame" && !fields.contains_key("opcode") {
        return Ok(payload);
    }
    let mask = fields.get("mask").map(|mask| hex_of("mask", mask)).transpose()?;
    let mask: Option<[u8; 4]> = match mask {
        Some(bytes) => Some(bytes.try_into().map_err(|_| wrong("mask", "expected 8 hex digits"))?),
        None => None,
    };
    let frame = frame::write(op, mask, &payload);
    match line.derived.and_then(|d| d.get("header")) {
        None => Ok(frame),
        Some(header) => {
            let mut out = hex_of("derived.header", header)?;
            let body = frame.len().saturating_sub(payload.len());
            out.extend_from_slice(frame.get(body..).unwrap_or_default());
            Ok(out)
        }
    }
}

fn wrong(path: &str, what: &str) -> EncodeError {
    EncodeError { path: path.into(), what: what.into() }
}

fn hex_of(path: &str, value: &Json) -> Result<Vec<u8>, EncodeError> {
    value.as_str().and_then(|text| hex::decode(text).ok()).ok_or_else(|| wrong(path, "expected hex"))
}

/// Puts a message into a frame: masked where a client sends it. What is a frame or a head already
/// stays as it is.
pub fn wrap(message: &[u8], line: &Line<'_>) -> Vec<u8> {
    let own = line.proto == super::NAME;
    let op = match line.message {
        "text" if own => opcode::TEXT,
        _ if !own => opcode::BINARY,
        "binary" => opcode::BINARY,
        _ => return message.to_vec(),
    };
    // The same message gives the same bytes: the mask is a sum of it.
    let key = (line.from == Role::Client).then(|| {
        let sum = message.iter().fold(0x811c_9dc5u32, |sum, b| (sum ^ *b as u32).wrapping_mul(0x0100_0193));
        sum.to_be_bytes()
    });
    frame::write(op, key, message)
}
