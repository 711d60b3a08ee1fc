//! Sequence diagrams: the messages of a conversation between its two endpoints, from the top down.
//!
//! Not all messages of every conversation are drawn. Conversations with warnings come first, and so do messages around
//! warnings; a row counts the messages that are left out at its place. A message that arrived in parts is drawn as one
//! arrow.

use super::arrows::{self, Arrow, End, Row};
use super::data::waits;
use super::entry::Entry;
use super::held::Held;
use super::sections::nothing;
use super::{Context, Html, section};
use crate::dissect::Target;
use crate::plural::Plural;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// The most messages of a conversation that are drawn.
const ARROWS: usize = 200;
/// The most conversations that are drawn.
const CONVERSATIONS: usize = 8;
/// The number of conversations that are open at first.
const OPEN: usize = 2;
/// The most characters above an arrow.
const LABEL: usize = 52;

/// The shortest silence that is drawn, in nanoseconds.
const PAUSE: i128 = 1_000_000_000;

/// Writes the section.
pub fn write(held: &Held<'_>, context: &Context<'_>, html: &mut Html) {
    if held.entries.is_empty() {
        return section("sequences", "Sequences", html, |html| nothing("The page has no messages to draw.", html));
    }
    let mut flows: FxHashMap<u64, Vec<&Entry>> = FxHashMap::default();
    held.entries.iter().for_each(|entry| flows.entry(entry.flow).or_default().push(entry));
    let all = flows.len();
    let mut flows: Vec<(u64, Vec<&Entry>)> = flows.into_iter().collect();
    flows.sort_by_key(|(flow, list)| (Reverse(warned(list)), Reverse(list.len()), *flow));
    flows.truncate(CONVERSATIONS);
    let open: Vec<u64> = flows.iter().take(OPEN).map(|(flow, _)| *flow).collect();
    flows.sort_by_key(|(flow, _)| *flow);
    section("sequences", "Sequences", html, |html| {
        if all > CONVERSATIONS {
            html.el("p").class("omission").text(format_args!(
                "{CONVERSATIONS} of {all} conversations are drawn: those with most warnings, then the longest."
            ));
        }
        for (flow, list) in &flows {
            one(*flow, list, open.contains(flow), held, context, html);
        }
    });
}

fn warned(list: &[&Entry]) -> usize {
    list.iter().filter(|entry| entry.warned()).count()
}

/// Writes one conversation.
fn one(flow: u64, list: &[&Entry], open: bool, held: &Held<'_>, context: &Context<'_>, html: &mut Html) {
    let Some(ends) = held.flows.get(&flow) else { return };
    let server = ends.server.unwrap_or(1).min(1);
    let (left, right) = (&ends.names[1 - server], &ends.names[server]);
    let roles = if ends.server.is_some() { ["client", "server"] } else { ["", ""] };
    let rows = rows(list, server, held, context);
    let drawn = rows.iter().filter(|row| matches!(row, Row::Arrow(_))).count();
    let proto = list.first().and_then(|entry| held.kinds.get(entry.kind)).map_or("", |kind| kind.0);
    let counted = context.stats.flows.iter().find(|one| one.id == flow).map(|one| one.messages.iter().sum());
    let messages = counted.unwrap_or(list.len() as u64);
    let title = format!("Conversation {flow}: {proto}, {left} and {right}");
    let details = html.line().el("details").class("conversation");
    let details = if open { details.attr("open", "") } else { details };
    details.with(|html| {
        html.el("summary").with(|html| {
            html.el("b").text(format_args!("Conversation {flow}"));
            html.text(format_args!(" {proto} · {left} ↔ {right} · {}", Plural(messages, "message")));
            let warned = warned(list);
            if warned > 0 {
                html.text(" · ");
                html.el("span").class("warned").text(format_args!("! {warned} with a warning or a fault"));
            }
        });
        html.el("figure").class("sequence").with(|html| {
            html.el("figcaption").class("unseen").text(&title);
            if rows.iter().any(|row| matches!(row, Row::Left(_))) {
                let drawn = Plural(drawn, "arrow");
                html.el("p").class("hint").text(format_args!("{drawn} drawn, those around warnings first."));
            }
            if list.iter().any(|entry| entry.joined().next().is_some()) {
                html.el("p").class("hint").text("A message in parts is drawn once, at its last part.");
            }
            html.el("div").class("scroll").attr("tabindex", 0).attr("role", "region").attr("aria-label", &title).with(
                |html| {
                    arrows::draw(
                        &rows,
                        [End { role: roles[0], name: left }, End { role: roles[1], name: right }],
                        &title,
                        html,
                    )
                },
            );
            html.el("details").with(|html| {
                html.el("summary").text("As a table");
                table(&rows, [roles[0], roles[1]], [left, right], html);
            });
        });
    });
}

/// Returns the rows of a conversation.
fn rows<'a>(list: &[&'a Entry], server: usize, held: &Held<'_>, context: &Context<'_>) -> Vec<Row<'a>> {
    let parts: FxHashSet<Target> = list.iter().flat_map(|entry| entry.joined()).collect();
    let part = |entry: &Entry| parts.contains(&entry.own);
    let whole: Vec<&&Entry> = list.iter().filter(|entry| !part(entry)).collect();
    let mut ranks: Vec<usize> = (0..whole.len()).collect();
    ranks.sort_by_key(|at| (Reverse((whole[*at].warned(), whole[*at].near)), *at));
    ranks.truncate(ARROWS);
    let drawn: FxHashSet<u64> = ranks.into_iter().map(|at| whole[at].order).collect();
    let made = list.iter().filter(|entry| drawn.contains(&entry.order)).flat_map(|entry| entry.joined());
    let made: FxHashSet<Target> = made.collect();
    let start = context.start.unwrap_or_default();
    let (mut rows, mut before, mut last) = (Vec::new(), 0, None);
    for entry in list {
        // Parts are not drawn themselves: they count as drawn with the message they are joined into.
        before += u64::from(made.contains(&entry.own));
        if part(entry) || !drawn.contains(&entry.order) {
            continue;
        }
        let skipped = entry.nth.saturating_sub(before + 1);
        if skipped > 0 {
            rows.push(Row::Left(skipped));
        }
        let time = entry.time.since(start);
        if let Some(last) = last
            && time - last >= PAUSE
        {
            rows.push(Row::Pause(time - last));
        }
        rows.push(Row::Arrow(arrow(entry, time, server, held, context)));
        (before, last) = (entry.nth, Some(time));
    }
    if let Some(entry) = list.last().filter(|entry| entry.nth > before) {
        rows.push(Row::Left(entry.nth - before));
    }
    rows
}

fn arrow<'a>(entry: &'a Entry, time: i128, server: usize, held: &Held<'_>, context: &Context<'_>) -> Arrow<'a> {
    let message = held.kinds.get(entry.kind).map_or("", |kind| kind.2);
    let label = format!("{message} {}", entry.summary(LABEL.saturating_sub(message.len())));
    let (copy, [no_answer, no_ack]) = (entry.copy(), waits(entry, context));
    let parts = entry.joined().count();
    let joined = if parts > 0 { parts + 1 } else { entry.frames };
    let mut marks = Vec::new();
    if entry.warned() {
        marks.push(entry.mark.to_owned());
    }
    if copy {
        marks.push("sent again".to_owned());
    }
    let silences = [(no_ack, "never acknowledged"), (no_answer, "no answer")];
    marks.extend(silences.into_iter().filter(|(is, _)| *is).map(|(_, word)| word.to_owned()));
    if joined > 1 {
        marks.push(format!("of {}", Plural(joined, if parts > 0 { "part" } else { "frame" })));
    }
    Arrow { entry, right: entry.side != server, time, label, marks, copy, lost: no_answer || no_ack, joined }
}

/// Writes the same as a table, for people who cannot see the drawing.
fn table(rows: &[Row<'_>], roles: [&str; 2], ends: [&str; 2], html: &mut Html) {
    html.el("div").class("scroll-x").attr("tabindex", 0).attr("role", "region").attr("aria-label", "As a table").with(
        |html| {
            html.el("table").with(|html| {
                html.el("thead").with(|html| {
                    html.el("tr").with(|html| {
                        for word in ["Frame", "Time (s)", "From", "Message", "Marks"] {
                            html.el("th").attr("scope", "col").text(word);
                        }
                    });
                });
                html.el("tbody").with(|html| rows.iter().for_each(|row| line(row, roles, ends, html)));
            });
        },
    );
}

fn line(row: &Row<'_>, roles: [&str; 2], ends: [&str; 2], html: &mut Html) {
    html.line().el("tr").with(|html| match row {
        Row::Arrow(arrow) => {
            let from = if arrow.right { 0 } else { 1 };
            html.el("td").class("n").with(|html| {
                html.el("a").to(arrow.entry.place()).text(arrow.entry.own.frame);
            });
            html.el("td").class("n").text(arrows::seconds(arrow.time));
            html.el("td").text(if roles[from].is_empty() { ends[from] } else { roles[from] });
            html.el("td").text(&arrow.label);
            html.el("td").text(arrow.marks.join(", "));
        }
        Row::Left(count) => {
            html.el("td").attr("colspan", 5).text(format_args!("{} not drawn", Plural(*count, "message")));
        }
        Row::Pause(nanos) => {
            html.el("td").attr("colspan", 5).text(format_args!("{} s later", arrows::seconds(*nanos)));
        }
    });
}
