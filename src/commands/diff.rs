//! `netkit diff`: two captures at message level.

use super::outfile::stdout_is_no_input;
use super::output::{self, say, style};
use super::selection::Selection;
use super::stats::count;
use super::{input, inputs, options};
use crate::cli::{Diff, DiffFormat, Global};
use netkit::stats::{Stats, Wanted, aligned, diff};
use std::io::{self, Write};
use std::path::Path;

/// Runs the command.
pub fn run(args: &Diff, global: &Global) -> anyhow::Result<u8> {
    stdout_is_no_input(&inputs([&args.a, &args.b], &args.dissect.schema))?;
    let mut options = options(&args.dissect)?;
    // A filter is read once for each capture: relative times count from its own first frame.
    let selections = [Selection::new(&args.traffic, &mut options)?, Selection::new(&args.traffic, &mut options)?];
    let mut cut = Ok(());
    let mut read = |path: &Path, selection: Selection| {
        let stats = Stats::new(&options.schemas, Wanted { rows: false, fields: true });
        let (stats, done) = count(path, &options, global, selection, stats);
        // What could be read is compared, also where it ends in an error.
        match done {
            Err(why) if stats.messages == 0 => return Err(why),
            Err(why) => cut = Err(why),
            Ok(()) => {}
        }
        Ok(stats)
    };
    let [first, second] = selections;
    let (a, b) = (read(&args.a, first)?, read(&args.b, second)?);
    let found = diff::differences(&a, &b);
    let table = diff::table(&found, &args.fail_on, args.format == DiffFormat::Text);
    match args.format {
        DiffFormat::Text => {
            let mut text = String::new();
            for (name, path, stats) in [("a", &args.a, &a), ("b", &args.b, &b)] {
                text += &format!("{name}: {}: {}\n", input::name(path), stats.sums());
            }
            text.push('\n');
            match found.is_empty() {
                true => text.push_str("no difference\n"),
                false => aligned::text(&table, style(global, false).width, &mut text),
            }
            output::text(text.as_bytes())?;
        }
        DiffFormat::Json => {
            let mut out = b"{\"differences\":".to_vec();
            table.json(&mut out);
            out.extend_from_slice(b"}\n");
            io::stdout().write_all(&out)?;
        }
    }
    let broken = found.iter().filter(|d| args.fail_on.iter().any(|limit| d.change.breaks(*limit))).count();
    if broken > 0 {
        say(global, format_args!("netkit: {broken} of the differences above the limits of --fail-on"));
    }
    cut.map(|()| (broken > 0) as u8)
}
