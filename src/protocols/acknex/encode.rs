//! Encodes Acknex messages. The bits of an update's command follow from the fields that are given.

use super::commands::Version;
use super::layout::{ALBEDO, AMBIENT, Message, SKIN, UNREADABLE};
use super::reading::{Asked, READING, WireVariant};
use crate::codec::layout::Field;
use crate::codec::{EncodeError, Layout, Writer};
use crate::dissect::{Encoder, Line, Options, Role};
use serde_json::Value as Json;

/// The encoder. It keeps no state between lines.
pub struct Writing {
    asked: Asked,
    from: Role,
}

impl Writing {
    /// An encoder with the user's settings.
    pub fn new(options: &Options) -> Writing {
        Writing { asked: Asked::of(options), from: options.from.unwrap_or_default() }
    }

    /// The possible layouts of a message with that name.
    fn layouts(&self, version: Version, line: &Line<'_>) -> Result<Vec<&'static Layout>, EncodeError> {
        let [unreadable] = &UNREADABLE;
        if line.message == unreadable.name {
            return Ok(vec![unreadable]);
        }
        let book = version.book();
        let from = if line.from == Role::Unknown { self.from } else { line.from };
        let roles: &[Role] = match from {
            Role::Unknown => &[Role::Client, Role::Server],
            Role::Client => &[Role::Client],
            Role::Server => &[Role::Server],
        };
        let mut found: Vec<&'static Layout> =
            roles.iter().filter_map(|role| book.by_name(*role, line.message)).collect();
        found.dedup_by(|a, b| std::ptr::eq(*a, *b));
        if !found.is_empty() {
            return Ok(found);
        }
        Err(match book.by_name(from.other(), line.message) {
            Some(_) => EncodeError::new("message", format!("only the {} sends {}", from.other().name(), line.message)),
            None => {
                let names = book.names().chain([unreadable.name]);
                line.no_such_message(format_args!("acknex {}", version.name()), names)
            }
        })
    }

    fn reading(&self, version: Version, line: &Line<'_>) -> Result<WireVariant, EncodeError> {
        let mut reading = self.asked.reading(version);
        if let Some(noted) = line.derived(&READING) {
            reading = reading.of_line(version, noted)?;
        }
        reading.skin_by_bit |= skin_is_first(line);
        Ok(reading)
    }
}

/// Whether a broken update has its skin but lacks the ambient or albedo of its command: then neither was before the
/// skin.
fn skin_is_first(line: &Line<'_>) -> bool {
    let command = line.fields.get("command").and_then(Json::as_u64).unwrap_or(0);
    let lacks = |bit: u32, field: &Field| command >> bit & 1 == 1 && line.field(field).is_none();
    line.broken
        && line.message == Message::Update1
        && line.field(&SKIN).is_some()
        && (lacks(3, &AMBIENT) || lacks(4, &ALBEDO))
}

impl Encoder for Writing {
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError> {
        let version = line.version(Version::named, "a5 or a6")?.or(self.asked.version).unwrap_or(Version::A6);
        if line.is_empty() {
            return Ok(Vec::new());
        }
        let reading = self.reading(version, line)?;
        let mut written: Vec<Result<Vec<u8>, EncodeError>> = Vec::new();
        for layout in self.layouts(version, line)? {
            let mut reading = reading;
            let writer = Writer::new(line.fields).derived(line.derived).broken(line.broken).context(&mut reading);
            written.push(writer.write(layout.fields));
        }
        // Both sides may send a message with that name. The fields decide, unless both forms encode alike.
        match written.as_slice() {
            [Ok(client), Ok(server)] if client != server => {
                let what = format!("client and server send {} in different forms: name the side", line.message);
                Err(EncodeError::new("from", what))
            }
            [Err(_), Ok(server)] => Ok(server.clone()),
            _ => written.into_iter().next().unwrap_or(Ok(Vec::new())),
        }
    }

    fn remembers(&self, _proto: &str, _message: &str) -> bool {
        false
    }
}
