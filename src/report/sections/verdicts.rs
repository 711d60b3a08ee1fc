//! The verdicts with the messages they rest on, and all notes and faults.

use super::super::figures::{Count, body, heading, place_link, region};
use super::super::{Context, Html, section};
use super::nothing;
use crate::codec::Level;
use crate::dissect::{Expected, Target};
use crate::flow::Side;
use crate::plural::Plural;
use crate::stats::noted::{NAMED, Noted, Places};
use crate::stats::sides::side_named;
use crate::stats::{RULES, Stats, Verdict, verdicts};
use std::collections::BTreeMap;

/// The most verdicts that are shown.
const SHOWN: usize = 60;
/// The most kinds of faults that are listed.
const FAULTS: usize = 100;

/// Returns the side that a verdict is about.
fn side_of(stats: &Stats, verdict: &Verdict) -> Side {
    side_named(stats.flow(verdict.flow).and_then(|flow| flow.server), verdict.from)
}

/// Writes the section.
pub fn section_of(context: &Context<'_>, noted: &Noted, html: &mut Html) {
    section("verdicts", "Verdicts", html, |html| {
        let all = verdicts(context.stats);
        list(context, noted, &all, true, html);
        html.line().el("details").with(|html| {
            html.el("summary").text("Rules of the verdicts");
            html.el("dl").class("rules").with(|html| {
                for (rule, when) in RULES {
                    html.el("dt").with(|html| html.el("code").text(rule));
                    html.el("dd").text(when);
                }
            });
        });
        notes(context, noted, html);
        faults(noted, html);
    });
}

/// Writes the verdicts of a run in a comparison: its messages are not in the page, so nothing is linked.
pub fn plain(context: &Context<'_>, noted: &Noted, html: &mut Html) {
    list(context, noted, &verdicts(context.stats), false, html);
}

/// Writes the verdicts; `linked`: the page has the messages.
fn list(context: &Context<'_>, noted: &Noted, all: &[Verdict], linked: bool, html: &mut Html) {
    if all.is_empty() {
        let why = "No rule applies: nothing was resent, lost or left unanswered in a way that the rules describe.";
        return nothing(why, html);
    }
    html.line().el("ul").class("verdicts").with(|html| {
        for verdict in all.iter().take(SHOWN) {
            html.line().el("li").attr("data-rule", verdict.rule).with(|html| {
                html.el("p").with(|html| {
                    html.el("span").class("sign").attr("aria-hidden", true).text("▲");
                    html.text(&verdict.text);
                });
                if linked {
                    evidence(context, noted, verdict, html);
                }
            });
        }
    });
    if all.len() > SHOWN {
        let more = all.len() - SHOWN;
        html.el("p").class("more").text(format_args!("and {more} more: netkit stats -f json has all"));
    }
}

/// Writes the messages that a verdict rests on, and their notes.
fn evidence(context: &Context<'_>, noted: &Noted, verdict: &Verdict, html: &mut Html) {
    let Verdict { rule, flow, proto, from, .. } = *verdict;
    let expected = match rule {
        "never_acked" => Some(Expected::Ack),
        "unanswered" => Some(Expected::Answer),
        _ => None,
    };
    let (places, codes) = match expected {
        Some(expected) => {
            // These messages have no connection: all of the conversation are meant.
            let own = context
                .waiting
                .waits(expected)
                .filter(|(_, f, p, role)| (*f, *p) == (flow, proto) && (*role == from || *role == "unknown"));
            let mut places = Places::default();
            own.for_each(|(target, ..)| places.add(target));
            (places, BTreeMap::new())
        }
        None => {
            let found = noted.evidence(verdict, side_of(context.stats, verdict));
            found.map(|e| (e.messages.clone(), e.codes.clone())).unwrap_or_default()
        }
    };
    if places.first.is_empty() && codes.is_empty() {
        return;
    }
    html.el("p").class("evidence").with(|html| {
        if !places.first.is_empty() {
            html.text(if rule == "lost" { "gaps at " } else { "" });
            html.text(if places.first.len() == 1 { "frame " } else { "frames " });
            links(&places, html);
        }
        if !codes.is_empty() {
            html.text("; notes ");
            for (k, (code, n)) in codes.iter().take(NAMED).enumerate() {
                html.text(if k > 0 { ", " } else { "" });
                html.el("a").class("code").to(format_args!("note-{code}")).text(code);
                html.text(format_args!(" ×{}", Count(*n)));
            }
        }
    });
}

/// Writes links to the first messages, and their number.
fn links(places: &Places, html: &mut Html) {
    for (k, Target { frame, index }) in places.first.iter().enumerate() {
        html.text(if k > 0 { ", " } else { "" });
        place_link(*frame, (*index > 1).then_some(u64::from(*index)), html);
    }
    let more = places.count.saturating_sub(places.first.len() as u64);
    if more > 0 {
        html.text(format_args!(" and {} more", Count(more)));
    }
}

fn notes(context: &Context<'_>, noted: &Noted, html: &mut Html) {
    let all: Vec<_> = noted.notes().collect();
    if all.is_empty() {
        return nothing("No message has a note.", html);
    }
    let docs: BTreeMap<&str, &str> =
        context.registry.iter().flat_map(|dissector| dissector.notes()).map(|note| (note.code, note.doc)).collect();
    region("notes", "Notes on messages, worst first", html, |html| {
        heading([("level", "t"), ("note", "t"), ("times", "n"), ("meaning", "t"), ("first frames", "t")], html);
        html.el("tbody").with(|html| {
            let mut before = Vec::new();
            for (level, code, places) in all {
                let (class, sign) = match level {
                    Level::Error => ("level error", "✕"),
                    Level::Warning => ("level warning", "!"),
                    Level::Note => ("level note", "•"),
                };
                // A code may have two levels; a link means the worse level, which is listed first.
                let mut tr = html.line().el("tr").attr("data-note", code);
                if !before.contains(&code) {
                    tr = tr.attr("id", format_args!("note-{code}"));
                    before.push(code);
                }
                tr.with(|html| {
                    html.el("td").class("t").with(|html| {
                        html.el("span").attr("class", class).with(|html| {
                            html.el("span").class("sign").attr("aria-hidden", true).text(sign);
                            html.text(level.name());
                        });
                    });
                    html.el("td").class("t").with(|html| html.el("code").text(code));
                    html.el("td").class("n").attr("data-c", "times").text(Count(places.count));
                    html.el("td").class("t wide").text(docs.get(code).copied().unwrap_or(""));
                    html.el("td").class("t").with(|html| links(places, html));
                });
            }
        });
    });
}

fn faults(noted: &Noted, html: &mut Html) {
    let all: Vec<_> = noted.faults().collect();
    if all.is_empty() {
        return;
    }
    let caption = format!(
        "Faults: {} with a broken field",
        Plural(all.iter().map(|(.., places)| places.count).sum::<u64>(), "message")
    );
    region("faults", &caption, html, |html| {
        heading([("protocol", "t"), ("message", "t"), ("times", "n"), ("first frames", "t")], html);
        body(all.into_iter().take(FAULTS), html, |(proto, name, places), html| {
            html.el("td").class("t").text(proto);
            html.el("td").class("t").text(name);
            html.el("td").class("n").attr("data-c", "times").text(Count(places.count));
            html.el("td").class("t").with(|html| links(places, html));
        });
    });
}
