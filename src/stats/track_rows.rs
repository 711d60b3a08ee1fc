//! The values of a field, a row for each at once.

use super::{Track, separated_text};
use crate::dissect::{Message, Sink};
use crate::read::CaptureSink;
use crate::render::Output;
use std::io::Write;

/// Writes a row for each value at once.
pub(crate) struct Rows {
    /// The field.
    pub(crate) track: Track,
    /// The separator of values; `None`: JSON lines.
    pub(crate) separator: Option<char>,
    /// The output.
    pub(crate) output: Output,
}

impl CaptureSink for Rows {}

impl Sink for Rows {
    fn message(&mut self, message: &Message<'_>) {
        let (out, separator) = (self.output.buffer(), self.separator);
        let place = message.place;
        self.track.each(message, |key, value| {
            // Writing to memory cannot fail.
            let _ = match separator {
                Some(c) => {
                    let mut cells = String::new();
                    plain(key, c, &mut cells);
                    cells.push(c);
                    plain(value, c, &mut cells);
                    writeln!(out, "{}{c}{}{c}{}{c}{cells}", place.time, place.frame, message.flow_info.flow)
                }
                None => {
                    let [key, value] = [key, value].map(String::from_utf8_lossy);
                    let key = if key.is_empty() { "null" } else { &key };
                    writeln!(
                        out,
                        "{{\"frame\":{},\"time\":{},\"flow\":{},\"key\":{key},\"value\":{value}}}",
                        place.frame, place.time, message.flow_info.flow
                    )
                }
            };
        });
        self.output.complete();
    }
}

/// Writes a cell: texts without quotes, lists with blanks between their elements.
fn plain(json: &[u8], separator: char, out: &mut String) {
    let text = String::from_utf8_lossy(json);
    match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(serde_json::Value::String(text)) => separated_text(&text, separator, out),
        Ok(serde_json::Value::Array(list)) if list.iter().all(|v| !v.is_array() && !v.is_object()) => {
            // Numbers are not formulas.
            match list.iter().all(serde_json::Value::is_number) {
                true => out.push_str(&text.trim_matches(['[', ']']).replace(',', " ")),
                false => separated_text(&text.trim_matches(['[', ']']).replace(',', " "), separator, out),
            }
        }
        Ok(serde_json::Value::Number(_)) => out.push_str(&text),
        _ => separated_text(&text, separator, out),
    }
}
