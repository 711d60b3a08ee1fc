//! `netkit stats --by FIELD`, `--step`, and the lists of waiting messages: `--unanswered`, `--never-acked`, `--slow`,
//! `--latency`.

use super::output::{page, style};
use crate::capture::Time;
use crate::cli::{Form, Global, Stats as Args};
use crate::dissect::{Account, Message, Options, Sink};
use crate::filter::Names;
use crate::plural::Plural;
use crate::process::names;
use crate::process::notify::warn;
use crate::process::parallel::InputReader;
use crate::process::stopped::{ReadResult, ended, warning};
use crate::process::usage::{Usage, usage};
use crate::read::{Any, CaptureSink, Gate, Pick, Picked};
use crate::redact::run;
use crate::render::TimeForm;
use crate::stats::{Groups, Listed, Order, Plot, Report, Stacked, Table, Waiting, aligned_text};
use std::io::{self, Write};

/// A second, the default time step.
const SECOND: i64 = 1_000_000_000;

/// Runs the requested part of it, below a heading; returns `pick` again if none was requested.
pub fn run(
    args: &Args,
    heading: &str,
    options: &Options,
    global: &Global,
    pick: Pick,
) -> anyhow::Result<Result<u8, Pick>> {
    let listed = Listed {
        unanswered: args.unanswered,
        never_acked: args.never_acked,
        slow: args.slow,
        latency: args.latency,
        slowest: None,
    };
    let lists = listed.unanswered || listed.never_acked || listed.slow.is_some();
    if args.time.is_some() && !lists {
        return usage("--time: only with --unanswered, --never-acked and --slow, which list messages");
    }
    let ordered = args.sort.is_some() || args.top.is_some();
    if ordered && args.by.is_none() && args.step.is_none() {
        return usage("--sort, --top: only with --by and --step");
    }
    if lists || listed.latency {
        return waiting(args, heading, listed, options, global, pick).map(Ok);
    }
    if let Some(by) = args.plot {
        return plot(args, heading, by, options, global, pick).map(Ok);
    }
    let by = match (&args.by, args.step) {
        (None, Some(_)) => "second".to_owned(),
        (None, None) => return Ok(Err(pick)),
        (Some(by), None) if by.parse::<Report>().is_ok() => return Ok(Err(pick)),
        (Some(by), Some(_)) if !by.split(',').any(|name| name.trim() == "second") => format!("second,{by}"),
        (Some(by), _) => by.clone(),
    };
    groups(args, heading, &by, options, global, pick).map(Ok)
}

/// Follows all messages, and reports the selected ones.
struct Follow {
    pick: Pick,
    waiting: Waiting,
}

impl Sink for Follow {
    fn message(&mut self, message: &Message<'_>) {
        let selected = self.pick.wants(message);
        run::shown(self.pick.selection.redact, message, |message| self.waiting.message(message, selected));
    }
}

impl CaptureSink for Follow {
    fn origin(&mut self, time: Time) {
        self.waiting.origin(time);
    }

    fn gate(&mut self) -> Option<&mut dyn Gate> {
        Some(&mut self.pick)
    }
}

fn waiting(
    args: &Args,
    heading: &str,
    listed: Listed,
    options: &Options,
    global: &Global,
    pick: Pick,
) -> anyhow::Result<u8> {
    if !args.columns.is_empty() && !matches!(args.format, Form::Csv | Form::Tsv) {
        return usage("--columns: only with -f csv and tsv, and with --by FIELD");
    }
    io::stdout().write_all(heading.as_bytes())?;
    let mut follow = Follow { pick, waiting: Waiting::new(listed, options.limits.lists.waiting) };
    let done = InputReader::new(options, global).files(&args.files, args.join, &mut Any(&mut follow));
    let Follow { mut pick, waiting } = follow;
    pick.ended(&args.files, &done);
    pick.account.limit("waiting", waiting.lost);
    if waiting.lost > 0 {
        let lost = Plural(waiting.lost, "message");
        warn(format_args!("not followed or listed: {lost} (--limit waiting=N raises the limit)"));
    }
    let extras = Extras {
        notes: Vec::new(),
        members: vec![("not_followed", waiting.lost)],
        columns: &args.columns,
        account: &pick.account,
    };
    let form = match args.format {
        Form::Text => Some(args.time.unwrap_or(TimeForm::usual(style(global, false).width))),
        Form::Csv | Form::Tsv => args.time,
        _ => None,
    };
    print(args, &waiting.tables(form, args.format != Form::Text), &extras, global, &done)?;
    Ok(pick.status(args.path(), done?, global))
}

fn groups(args: &Args, heading: &str, by: &str, options: &Options, global: &Global, pick: Pick) -> anyhow::Result<u8> {
    let names = Names::new(options);
    let keys: Vec<&str> = by.split(',').collect();
    let groups = Groups::new(&keys, args.step.unwrap_or(SECOND), options.limits.lists.groups, &names)
        .map_err(|why| Usage(format!("--by: {why}")))?;
    let order = Order { sort: args.sort.clone(), top: args.top };
    // A wrong name is reported before anything is read.
    groups.table(&order, &args.columns).map_err(Usage)?;
    io::stdout().write_all(heading.as_bytes())?;
    let (Picked { mut pick, sink: groups }, done) =
        InputReader::new(options, global).count(&args.files, args.join, pick, groups);
    let (table, [more, messages, bytes]) = groups.table(&order, &args.columns).map_err(Usage)?;
    pick.account.limit("groups", groups.past_limit());
    if groups.past_limit() > 0 {
        let past = Plural(groups.past_limit(), "message");
        warn(format_args!("counted in \"(further groups)\": {past} (--limit groups=N raises the limit)"));
    }
    let mut notes = Vec::new();
    if more > 0 {
        let (messages, bytes) = (Plural(messages, "message"), Plural(bytes, "byte"));
        let groups = if more == 1 { "group" } else { "groups" };
        notes.push(format!("and {more} more {groups}: {messages}, {bytes}"));
    }
    let members = vec![
        ("messages", groups.messages()),
        ("past_limit", groups.past_limit()),
        ("omitted_groups", more),
        ("omitted_messages", messages),
        ("omitted_bytes", bytes),
    ];
    print(args, &[table], &Extras { notes, members, columns: &[], account: &pick.account }, global, &done)?;
    Ok(pick.status(args.path(), done?, global))
}

fn plot(args: &Args, heading: &str, by: Stacked, options: &Options, global: &Global, pick: Pick) -> anyhow::Result<u8> {
    if args.format != Form::Text {
        return usage("--plot: text only; --step 1s -f csv gives the figures");
    }
    io::stdout().write_all(heading.as_bytes())?;
    let plot = Plot::new(by, args.traffic.since);
    let (Picked { pick, sink: plot }, done) =
        InputReader::new(options, global).count(&args.files, args.join, pick, plot);
    let style = style(global, false);
    let colours: &[&str] = match (style.colour, by) {
        (false, _) => &[],
        (true, Stacked::Message) => &["\x1b[36m", "\x1b[33m", "\x1b[35m", "\x1b[32m", "\x1b[94m", "\x1b[2m"],
        // The same colours as in decode.
        (true, Stacked::Direction) => &["\x1b[32m", "\x1b[35m", "\x1b[2m"],
    };
    let mut page = warning(args.path(), &done);
    plot.text(style.width, colours, "\x1b[0m", &mut page);
    // The plot's names come from tables, so it contains no characters of the capture.
    io::stdout().write_all(page.as_bytes())?;
    Ok(pick.status(args.path(), done?, global))
}

/// Additions to the tables.
struct Extras<'a> {
    /// Lines after the tables, in text.
    notes: Vec<String>,
    /// Members of the JSON output, if they are not 0.
    members: Vec<(&'static str, u64)>,
    columns: &'a [String],
    /// A member of the JSON output.
    account: &'a Account,
}

fn print(args: &Args, tables: &[Table], extras: &Extras<'_>, global: &Global, done: &ReadResult) -> anyhow::Result<()> {
    let mut out = Vec::new();
    match args.format {
        Form::Text => {
            let style = style(global, false);
            let mut text = warning(args.path(), done);
            for (k, table) in tables.iter().enumerate() {
                text.push_str(if k > 0 { "\n" } else { "" });
                match table.rows.is_empty() {
                    true if table.shape.title.is_empty() => text.push_str("no message\n"),
                    true => text += &format!("{}\nnone\n", table.shape.title),
                    false => aligned_text(table, style.width, style.colour, &mut text),
                }
            }
            extras.notes.iter().for_each(|note| text += &format!("{note}\n"));
            return Ok(page(&text, style.colour)?);
        }
        Form::Ndjson => {
            tables.iter().for_each(|table| table.ndjson(&mut out));
            done.iter().flatten().for_each(|stopped| out.extend_from_slice(ended(stopped).as_bytes()));
        }
        Form::Json | Form::Parquet => {
            write!(out, "{{\"capture\":{}", serde_json::Value::from(names::names(&args.files)))?;
            for (name, n) in extras.members.iter().filter(|(name, n)| *n > 0 || *name == "messages") {
                write!(out, ",\"{name}\":{n}")?;
            }
            if matches!(done, Ok(Some(_))) {
                out.extend_from_slice(b",\"stopped\":true");
            }
            write!(out, ",\n\"account\":{}", extras.account.json())?;
            for table in tables {
                write!(out, ",\n\"{}\":", table.shape.kind)?;
                table.json(&mut out);
            }
            out.extend_from_slice(b"}\n");
        }
        _ => {
            let separator = if args.format == Form::Csv { ',' } else { '\t' };
            let mut rows = String::new();
            let [table] = tables else { return usage("-f csv and tsv: one table, not several") };
            table.separated(separator, extras.columns, &mut rows).map_err(|why| Usage(format!("--columns: {why}")))?;
            out = rows.into_bytes();
        }
    }
    Ok(io::stdout().write_all(&out)?)
}
