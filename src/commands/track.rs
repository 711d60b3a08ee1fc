//! `netkit stats --track`: follows one field over time.

use super::counted::count;
use super::ending::{ended, status, warning};
use super::gates::Pick;
use super::join;
use super::output::{self, style};
use super::usage::{Usage, usage};
use crate::cli::{Form, Global, Stats as Args};
use crate::dissect::{Message, Options, Sink};
use crate::filter::{FieldPath, Names};
use crate::read::CaptureSink;
use crate::render::Output;
use crate::stats::{Sparklines, Track, separated_text};
use std::io::{self, Write};

/// Writes a row for each value at once.
struct Rows {
    track: Track,
    /// The separator of values; `None`: JSON lines.
    separator: Option<char>,
    output: Output,
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

/// Runs the command.
pub fn run(args: &Args, field: &str, options: &Options, global: &Global, pick: Pick) -> anyhow::Result<u8> {
    let names = Names::new(options);
    let parse =
        |text: &str, option: &str| FieldPath::parse(text, &names).map_err(|why| Usage(format!("{option}: {why}")));
    let by = args.by.as_deref().map(|by| parse(by, "--by")).transpose()?;
    let track = Track::new(parse(field, "--track")?, by);
    let separator = match args.format {
        Form::Text => {
            let (picked, done) = count(&args.files, args.join, options, global, pick, Sparklines::new(track));
            let mut text = warning(args.path(), &done);
            text += &format!("{}: {field}\n\n", join::name(&args.files));
            picked.sink.text(style(global, false).width, &mut text);
            output::text(text.as_bytes())?;
            return Ok(status(args.path(), done?, &picked.pick, global));
        }
        Form::Csv => Some(','),
        Form::Tsv => Some('\t'),
        Form::Ndjson => None,
        _ => return usage("-f json: a series is written with -f ndjson, csv or tsv"),
    };
    let mut output = Output::new(Box::new(io::stdout()));
    if let Some(c) = separator {
        // Writing to memory cannot fail.
        let _ = writeln!(output.buffer(), "time{c}frame{c}flow{c}key{c}value");
    }
    let (picked, done) = count(&args.files, args.join, options, global, pick, Rows { track, separator, output });
    let mut output = picked.sink.output;
    if let (Ok(Some(stopped)), false) = (&done, separator.is_some()) {
        output.buffer().extend_from_slice(ended(stopped).as_bytes());
    }
    output.finish()?;
    Ok(status(args.path(), done?, &picked.pick, global))
}
