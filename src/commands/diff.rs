//! `netkit diff`: two captures at message level.

use super::output::{say, style};
use super::selection::Selection;
use super::stats::count;
use super::{input, options};
use crate::cli::{Diff, DiffFormat, Global};
use netkit::stats::{Stats, Wanted, aligned, diff};
use std::io::{self, Write};
use std::path::Path;

/// Runs the command.
pub fn run(args: &Diff, global: &Global) -> anyhow::Result<u8> {
    let mut options = options(&args.dissect)?;
    // A filter is read once for each capture: relative times count from its own first frame.
    let read = |path: &Path, options: &netkit::protocols::Options, selection: Selection| {
        let stats = Stats::new(&options.schemas, Wanted { rows: false, fields: true });
        let (stats, done) = count(path, options, global, selection, stats);
        done.map(|()| stats)
    };
    let selections = [Selection::new(&args.traffic, &mut options)?, Selection::new(&args.traffic, &mut options)?];
    let [first, second] = selections;
    let a = read(&args.a, &options, first)?;
    let b = read(&args.b, &options, second)?;
    let found = diff::differences(&a, &b);
    let table = diff::table(&found, &args.fail_on, args.format == DiffFormat::Text);
    let mut out = Vec::new();
    match args.format {
        DiffFormat::Text => {
            let mut text = String::new();
            for (name, path, stats) in [("a", &args.a, &a), ("b", &args.b, &b)] {
                text += &format!(
                    "{name}: {}: {} message{}, {} bytes, {:.3} s\n",
                    input::name(path),
                    stats.messages,
                    if stats.messages == 1 { "" } else { "s" },
                    stats.bytes,
                    stats.duration()
                );
            }
            text.push('\n');
            match found.is_empty() {
                true => text.push_str("no difference\n"),
                false => aligned::text(&table, style(global, false).width, &mut text),
            }
            out.extend_from_slice(text.as_bytes());
        }
        DiffFormat::Json => {
            out.extend_from_slice(b"{\"differences\":");
            table.json(&mut out);
            out.extend_from_slice(b"}\n");
        }
    }
    io::stdout().write_all(&out)?;
    let broken = found.iter().filter(|d| args.fail_on.iter().any(|limit| d.change.breaks(*limit))).count();
    if broken > 0 {
        say(global, format_args!("netkit: {broken} of the differences above the limits of --fail-on"));
    }
    Ok((broken > 0) as u8)
}
