//! `netkit stats --track`: follows one field over time.

use super::output::{self, style};
use crate::cli::{Form, Global, Stats as Args};
use crate::dissect::Options;
use crate::filter::{FieldPath, Names};
use crate::process::names;
use crate::process::parallel::InputReader;
use crate::process::stopped::{ended, warning};
use crate::process::usage::{Usage, usage};
use crate::read::Pick;
use crate::render::Output;
use crate::stats::{Rows, Sparklines, Track};
use std::io::{self, Write};

/// Runs the command, below a heading.
pub fn run(
    args: &Args,
    heading: &str,
    field: &str,
    options: &Options,
    global: &Global,
    pick: Pick,
) -> anyhow::Result<u8> {
    let names = Names::new(options);
    let parse =
        |text: &str, option: &str| FieldPath::parse(text, &names).map_err(|why| Usage(format!("{option}: {why}")));
    if args.by.as_deref().is_some_and(|by| by.contains(',')) {
        return usage("--by: with --track one field, not several");
    }
    let by = args.by.as_deref().map(|by| parse(by, "--by")).transpose()?;
    let track = Track::new(parse(field, "--track")?, by);
    let reading = InputReader::new(options, global);
    let separator = match args.format {
        Form::Text => {
            io::stdout().write_all(heading.as_bytes())?;
            let (picked, done) = reading.count(&args.files, args.join, pick, Sparklines::new(track));
            let mut text = warning(args.path(), &done);
            text += &format!("{}: {field}\n\n", names::names(&args.files));
            picked.sink.text(style(global, false).width, &mut text);
            output::text(text.as_bytes())?;
            return Ok(picked.pick.status(args.path(), done?, global));
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
    let (picked, done) = reading.count(&args.files, args.join, pick, Rows { track, separator, output });
    let mut output = picked.sink.output;
    if let (Ok(Some(stopped)), false) = (&done, separator.is_some()) {
        output.buffer().extend_from_slice(ended(stopped).as_bytes());
    }
    output.finish()?;
    Ok(picked.pick.status(args.path(), done?, global))
}
