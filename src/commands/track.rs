//! `netkit stats --track`: one field over time.

use super::gates::Pick;
use super::output::{self, style};
use super::stats::{count, ended, status, warning};
use super::{Usage, input};
use crate::cli::{Global, Stats as Args, StatsFormat};
use netkit::dissect::{Message, Options, Sink};
use netkit::filter::{FieldPath, Names};
use netkit::printable::Printable;
use netkit::render::Output;
use netkit::stats::{Sparklines, Track, csv_text};
use std::io::{self, Write};

/// Writes a row for each value at once.
struct Rows {
    track: Track,
    csv: bool,
    output: Output,
}

impl Sink for Rows {
    fn message(&mut self, message: &Message<'_>) {
        let (out, csv) = (self.output.buffer(), self.csv);
        let place = message.place;
        self.track.each(message, |key, value| {
            // Writing to memory cannot fail.
            let _ = match csv {
                true => {
                    let mut cells = String::new();
                    csv_text(&plain(key), &mut cells);
                    cells.push(',');
                    csv_text(&plain(value), &mut cells);
                    writeln!(out, "{},{},{},{cells}", place.time, place.frame, message.flow_info.flow)
                }
                false => {
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

/// A CSV cell: texts without quotes, lists with blanks between their elements.
fn plain(json: &[u8]) -> String {
    let text = String::from_utf8_lossy(json);
    match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(serde_json::Value::String(text)) => Printable(text).to_string(),
        Ok(serde_json::Value::Array(list)) if list.iter().all(|v| !v.is_array() && !v.is_object()) => {
            text.trim_matches(['[', ']']).replace(',', " ")
        }
        _ => text.into_owned(),
    }
}

/// Runs the command.
pub fn run(args: &Args, field: &str, options: &Options, global: &Global, pick: Pick) -> anyhow::Result<u8> {
    let names = Names::new(options);
    let parse =
        |text: &str, option: &str| FieldPath::parse(text, &names).map_err(|why| Usage(format!("{option}: {why}")));
    let by = args.by.as_deref().map(|by| parse(by, "--by")).transpose()?;
    let track = Track::new(parse(field, "--track")?, by);
    let csv = match args.format {
        StatsFormat::Text => {
            let (picked, done) = count(&args.file, options, global, pick, Sparklines::new(track));
            let mut text = warning(&args.file, &done);
            text += &format!("{}: {field}\n\n", input::name(&args.file));
            picked.sink.text(style(global, false).width, &mut text);
            output::text(text.as_bytes())?;
            return Ok(status(&args.file, done?, &picked.pick, global));
        }
        StatsFormat::Csv => true,
        StatsFormat::Ndjson => false,
        StatsFormat::Json => {
            return Err(Usage("-f json: a series is written with -f ndjson or -f csv".into()).into());
        }
    };
    let mut output = Output::new(Box::new(io::stdout()));
    if csv {
        output.buffer().extend_from_slice(b"time,frame,flow,key,value\n");
    }
    let (picked, done) = count(&args.file, options, global, pick, Rows { track, csv, output });
    let mut output = picked.sink.output;
    if let (Ok(Some(stopped)), false) = (&done, csv) {
        output.buffer().extend_from_slice(ended(stopped).as_bytes());
    }
    output.finish()?;
    Ok(status(&args.file, done?, &picked.pick, global))
}
