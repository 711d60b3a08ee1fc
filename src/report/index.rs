//! The page of many captures: a row of sums for each.

use super::figures::{Count, body, heading, region, short_name};
use super::sections::overview::{protocols, second};
use super::{About, Html, Run, section};
use crate::capture::Time;
use crate::stats::{directions, verdicts};
use std::collections::BTreeSet;

/// The sums of one capture.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    name: String,
    /// The reason why it is incomplete, or was not read.
    cut: Option<String>,
    protocols: String,
    start: Option<Time>,
    duration: f64,
    messages: u64,
    bytes: u64,
    conversations: u64,
    faults: u64,
    warnings: u64,
    /// Transmissions of numbered messages, and those of them that were resends.
    sent: [u64; 2],
    /// The account of what was left out, in words.
    left_out: String,
    /// The first verdicts' texts, and the number of all.
    verdict: Option<String>,
    verdicts: usize,
}

impl Summary {
    /// The sums of a run.
    pub fn of(run: &Run, about: &About) -> Summary {
        let context = run.context(about);
        let stats = run.stats();
        let all = verdicts(stats);
        let sent = directions::summed(stats)
            .iter()
            .fold([0, 0], |[sent, resent], sum| [sent + sum.tally.sent, resent + sum.tally.resent]);
        Summary {
            name: about.name.clone(),
            cut: about.cut.clone(),
            protocols: protocols(&context),
            start: context.start.or(stats.first),
            duration: stats.duration(),
            messages: stats.messages,
            bytes: stats.bytes,
            conversations: stats.flows.len() as u64,
            faults: stats.faults,
            warnings: stats.warnings,
            sent,
            left_out: about.account.to_string(),
            verdicts: all.len(),
            verdict: all.into_iter().next().map(|verdict| verdict.text),
        }
    }

    /// A capture that could not be read, and the reason.
    pub fn unread(name: String, why: String) -> Summary {
        Summary { name, cut: Some(why), ..Summary::default() }
    }
}

/// The columns of text and of numbers.
const COLUMNS: [(&str, &str); 12] = [
    ("capture", "t"),
    ("messages", "n"),
    ("bytes", "n"),
    ("seconds", "n"),
    ("conversations", "n"),
    ("faults", "n"),
    ("warnings", "n"),
    ("resent", "n"),
    ("verdict", "t"),
    ("protocols", "t"),
    ("first frame", "t"),
    ("left out", "t"),
];

/// Writes the section with the table.
pub fn captures(rows: &[Summary], html: &mut Html) {
    let names: BTreeSet<&str> = rows.iter().map(|row| short_name(&row.name)).collect();
    let unique = names.len() == rows.len();
    section("overview", "The captures", html, |html| {
        region("captures", "In the order in which they were named", html, |html| {
            heading(COLUMNS, html);
            body(rows, html, |row, html| {
                let name = if unique { short_name(&row.name) } else { &row.name };
                html.el("th").attr("scope", "row").class("t").short(80, name);
                count("messages", row.messages, html);
                count("bytes", row.bytes, html);
                html.el("td").class("n").attr("data-c", "duration").text(format_args!("{:.3}", row.duration));
                count("conversations", row.conversations, html);
                count("faults", row.faults, html);
                count("warnings", row.warnings, html);
                html.el("td").class("n").attr("data-c", "resent_share").with(|html| match row.sent {
                    [0, _] => html.el("span").class("none").text("–"),
                    [sent, resent] => _ = html.text(format_args!("{:.1} %", resent as f64 * 100.0 / sent as f64)),
                });
                html.el("td").class("t").attr("data-c", "verdict").with(|html| {
                    row.verdict.iter().for_each(|text| _ = html.text(text));
                    if row.verdicts > 1 {
                        html.text(format_args!(" (and {} more)", row.verdicts - 1));
                    }
                });
                text(&row.protocols, html);
                html.el("td").class("t").with(|html| {
                    row.start.into_iter().for_each(|at| second(at, html));
                });
                text(row.cut.as_ref().unwrap_or(&row.left_out), html);
            });
        });
    });
}

fn count(name: &str, n: u64, html: &mut Html) {
    html.el("td").class("n").attr("data-c", name).attr("data-v", n).text(Count(n));
}

fn text(text: &str, html: &mut Html) {
    html.el("td").class("t").short(240, text);
}
