//! `netkit diff`: two captures at message level.

use super::gates::Pick;
use super::notify::notify;
use super::outfile::stdout_is_no_input;
use super::output::{self, style};
use super::selection::Selection;
use super::stats::count;
use super::stopped::Stopped;
use super::{input, inputs, interrupt, options};
use crate::cli::{Diff, DiffFormat, Global};
use netkit::printable::Lines;
use netkit::stats::{Stats, Wanted, aligned_text, diff};
use std::io::{self, Write};
use std::path::Path;

/// Runs the command.
pub fn run(args: &Diff, global: &Global) -> anyhow::Result<u8> {
    stdout_is_no_input(&inputs([&args.a, &args.b], &args.dissect.schema))?;
    let mut options = options(&args.dissect)?;
    // One filter per capture: relative times refer to its own first frame.
    let selections = [Selection::new(&args.traffic, &mut options)?, Selection::new(&args.traffic, &mut options)?];
    let mut cut = Ok(());
    let mut read = |path: &Path, selection: Selection| {
        let stats = Stats::new(&options, Wanted { rows: false, fields: true });
        let pick = Pick::of(selection);
        let (picked, done) = count(&[path.into()], args.join, &options, global, pick, stats);
        let stats = picked.sink;
        // What could be read is compared, also if the capture ends in an error.
        match done {
            Err(why) if stats.messages == 0 => Err(why),
            Err(why) => {
                cut = Err(why);
                Ok((stats, None))
            }
            Ok(stopped) => Ok((stats, stopped)),
        }
    };
    let mut both = Vec::new();
    for (path, selection) in [&args.a, &args.b].into_iter().zip(selections) {
        let (stats, stopped) = read(path, selection)?;
        if let Some(stopped) = stopped {
            return nothing(args, path, &stopped);
        }
        both.push(stats);
    }
    let (a, b) = (&both[0], &both[1]);
    let found = diff::differences(a, b);
    let table = diff::table(&found, &args.fail_on, args.format == DiffFormat::Text);
    match args.format {
        DiffFormat::Text => {
            let mut text = String::new();
            for (name, path, stats) in [("a", &args.a, a), ("b", &args.b, b)] {
                text += &format!("{name}: {}: {}\n", input::name(path), stats.sums());
            }
            text.push('\n');
            match found.is_empty() {
                true => text.push_str("no difference\n"),
                false => aligned_text(&table, style(global, false).width, &mut text),
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
        notify(global, format_args!("netkit: {broken} of the differences above the limits of --fail-on"));
    }
    let empty = [(&args.a, a), (&args.b, b)].into_iter().filter(|(_, stats)| stats.messages == 0);
    let empty: Vec<String> = empty.map(|(path, _)| input::name(path)).collect();
    let empty = !empty.is_empty() && !args.fail_on.is_empty() && !args.allow_empty && {
        let names = empty.join(", ");
        notify(
            global,
            format_args!("netkit: --fail-on: {}: no message to compare (--allow-empty accepts that)", Lines(names)),
        );
        true
    };
    cut.map(|()| (broken > 0 || empty) as u8)
}

/// The result of a stopped run: nothing is compared, since unread messages would count as
/// differences.
fn nothing(args: &Diff, path: &Path, stopped: &Stopped) -> anyhow::Result<u8> {
    let _ = writeln!(io::stderr(), "netkit: {}: {stopped}; nothing is compared", Lines(input::name(path)));
    if args.format == DiffFormat::Json {
        io::stdout().write_all(b"{\"differences\":null,\"stopped\":true}\n")?;
    }
    Ok(interrupt::status(false).unwrap_or(1))
}
