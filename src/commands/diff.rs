//! `netkit diff`: compares two captures by their messages.

use super::options::{inputs, options};
use super::output::{self, style};
use crate::cli::{Diff, Form, Global};
use crate::dissect::Options;
use crate::filter::Names;
use crate::nearest::{hint, nearest};
use crate::plural::Plural;
use crate::printable::{Lines, Printable};
use crate::process::notify::{about, warn};
use crate::process::outfile::stdout_is_no_input;
use crate::process::parallel::InputReader;
use crate::process::usage::usage;
use crate::process::{input, interrupt, names};
use crate::read::{Pick, Selection, Stopped};
use crate::stats::verdicts::one_direction;
use crate::stats::{Stats, Wanted, aligned_text, diff};
use std::io::{self, Write};
use std::path::Path;

/// Runs the command.
pub fn run(args: &Diff, global: &Global) -> anyhow::Result<u8> {
    stdout_is_no_input(&inputs([&args.a, &args.b], &args.dissect)?)?;
    let mut options = options(&args.dissect)?;
    // One filter per capture: relative times refer to its own first frame.
    let mut selections = [Selection::new(&args.traffic, &mut options)?, Selection::new(&args.traffic, &mut options)?];
    for selection in &mut selections {
        selection.leave_out(&args.ignore, &options)?;
    }
    known(&args.fail_on, &options)?;
    let (mut cut, mut outside) = (Ok(()), false);
    let mut read = |path: &Path, selection: Selection| {
        about(&input::name(path));
        let stats = Stats::new(&options, Wanted { rows: false, fields: true });
        let pick = Pick::of(selection);
        let (picked, done) = InputReader::new(&options, global).count(&[path.into()], args.join, pick, stats);
        outside |= !args.allow_empty && picked.pick.is_outside(&names::name(path), &done, global);
        let mut stats = picked.sink;
        stats.selected = picked.pick.selection.cuts();
        stats.account = picked.pick.account;
        // Everything that could be read is compared, even if the capture ends in an error.
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
        // Whatever the other side did seems to have vanished.
        if let Some(verdict) = one_direction(&stats) {
            warn(format_args!("{}: {}", names::name(path), verdict.text));
        }
        both.push(stats);
    }
    let (a, b) = (&both[0], &both[1]);
    let found = diff::compare(a, b, &args.fail_on);
    let captures = [(&args.a, a), (&args.b, b)].map(|(path, stats)| (names::name(path), stats.sums()));
    match args.format {
        Form::Text => {
            let (mut text, style) = (String::new(), style(global, false));
            for (name, (path, sums)) in ["a", "b"].iter().zip(&captures) {
                text += &format!("{name}: {}: {sums}\n", Printable(path));
            }
            if !found.as_long {
                text += "Their durations differ: rates are compared, not counts of messages.\n";
            }
            text.push('\n');
            match (found.differences.is_empty(), found.notable().next().is_some()) {
                (true, _) => text.push_str("no difference\n"),
                (_, false) => text.push_str("no notable difference\n"),
                _ => aligned_text(&found.shown(), style.width, style.colour, &mut text),
            }
            text += &found.folded();
            if !found.limits.is_empty() {
                text.push('\n');
                text += &found.limits_text(args.allow_empty);
            }
            output::page(&text, style.colour)?;
        }
        Form::Json => {
            let mut out = b"{\"differences\":".to_vec();
            found.table().json(&mut out);
            if !found.limits.is_empty() {
                out.extend_from_slice(b",\n\"limits\":");
                found.limits_json(args.allow_empty, &mut out);
            }
            writeln!(out, ",\n\"account\":[{},{}]}}", a.account.json(), b.account.json())?;
            io::stdout().write_all(&out)?;
        }
        Form::Markdown => {
            output::text(found.markdown(&captures, args.allow_empty).as_bytes())?;
        }
        _ => output::text(found.junit(&captures, args.allow_empty).as_bytes())?,
    }
    let broken = found.differences.iter().filter(|d| d.broken.is_some()).count();
    if broken > 0 {
        warn(format_args!("{} above the limits of --fail-on", Plural(broken, "difference")));
    }
    let both_sides = a.messages > 0 && b.messages > 0;
    let idle = found.limits.iter().filter(|verdict| verdict.compared == 0 && both_sides && !args.allow_empty);
    for verdict in idle {
        let none = "no data to compare: not in both captures (--allow-empty accepts that)";
        let why = verdict.beyond.as_deref().unwrap_or(none);
        warn(format_args!("--fail-on {}: {why}", Lines(&verdict.limit)));
    }
    let failed = found.limits.iter().any(|verdict| !verdict.holds(args.allow_empty));
    let empty = [(&args.a, a), (&args.b, b)].into_iter().filter(|(_, stats)| stats.messages == 0);
    let empty: Vec<String> = empty.map(|(path, _)| input::name(path)).collect();
    let empty = !empty.is_empty() && !args.fail_on.is_empty() && !args.allow_empty && {
        let names = empty.join(", ");
        warn(format_args!("--fail-on: {}: no message to compare (--allow-empty accepts that)", Lines(names)));
        true
    };
    cut.map(|()| (failed || empty || outside) as u8)
}

/// Checks that limits name known protocols and messages.
fn known(limits: &[diff::Limit], options: &Options) -> anyhow::Result<()> {
    for limit in limits {
        let wrong = |what: &str, name: &str, near: Option<&str>| {
            usage(format!("--fail-on {limit}: no {what} {name:?}{}", hint(near)))
        };
        let Some(proto) = limit.subject.proto.as_deref() else { continue };
        let names = Names::new(options);
        let Some((_, dissector)) = names.proto(proto) else {
            return wrong("protocol", proto, nearest(proto, options.registry.names()));
        };
        let Some(of) = limit.subject.of.as_deref() else { continue };
        let schemas = options.schemas.messages(dissector.name()).iter().map(|message| message.name);
        let layouts = dissector.tables().iter().flat_map(|table| table.layouts).map(|layout| layout.name);
        let known: Vec<&str> = layouts.chain(schemas).chain(["client", "server"]).collect();
        if !known.contains(&of) {
            return wrong(&format!("message of {proto}"), of, nearest(of, known.iter().copied()));
        }
    }
    Ok(())
}

/// Prints the result of a stopped run: nothing is compared, since unread messages would count as differences.
fn nothing(args: &Diff, path: &Path, stopped: &Stopped) -> anyhow::Result<u8> {
    let _ = writeln!(io::stderr(), "netkit: {}: {stopped}; nothing is compared", Lines(input::name(path)));
    if args.format == Form::Json {
        io::stdout().write_all(b"{\"differences\":null,\"stopped\":true}\n")?;
    }
    Ok(interrupt::status(false).unwrap_or(1))
}
