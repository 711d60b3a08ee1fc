//! The page: its sections in their order.

use super::charts::patterns;
use super::figures::short_name;
use super::index::{Summary, captures};
use super::rounds::{self, Rounds};
use super::sections::{bandwidth, delays, delivery, overview, requests, verdicts};
use super::{About, Context, Html, Run, compare, section, sequence, viewer};
use std::fmt::Display;

/// The sections of a page, as listed in its head.
const SECTIONS: [(&str, &str); 8] = [
    ("overview", "Overview"),
    ("verdicts", "Verdicts"),
    ("bandwidth", "Bandwidth"),
    ("round-trips", "Round trips"),
    ("delivery", "Delivery"),
    ("requests", "Requests"),
    ("sequences", "Sequences"),
    ("messages", "Messages"),
];

/// Writes the page of one capture.
pub fn single(run: &Run, about: &About) -> String {
    let context = run.context(about);
    let name = short_name(&about.name);
    Html::document(format_args!("{name}: netkit report"), |html| {
        patterns(html);
        head(&SECTIONS, html, |html| {
            html.el("h1").text(name);
            under(&context, html);
        });
        html.line().el("main").attr("id", "main").with(|html| {
            cut(about, html);
            overview::section_of(&context, &run.by_message, html);
            verdicts::section_of(&context, &run.noted, html);
            bandwidth::section_of(&run.by_message, &run.by_direction, html);
            delays::section_of(&context, &run.course, html);
            delivery::section_of(&context, html);
            requests::section_of(&context, html);
            let held = run.messages.held();
            sequence::write(&held, &context, html);
            viewer::write(&held, &context, html);
        });
        foot(CAPTURE, html);
    })
}

/// The sections of a comparison.
const COMPARED: [(&str, &str); 6] = [
    ("overview", "Overview"),
    ("changes", "What changed"),
    ("bandwidth", "Bandwidth"),
    ("round-trips", "Round trips"),
    ("verdicts", "Verdicts"),
    ("delivery", "Delivery"),
];

/// Writes the page that compares two captures.
pub fn comparison(runs: [&Run; 2], abouts: [&About; 2]) -> String {
    let contexts = [runs[0].context(abouts[0]), runs[1].context(abouts[1])];
    let contexts = [&contexts[0], &contexts[1]];
    let names = abouts.map(|about| short_name(&about.name));
    Html::document(format_args!("{} and {}: netkit report", names[0], names[1]), |html| {
        patterns(html);
        head(&COMPARED, html, |html| {
            html.el("h1").text(format_args!("{} → {}", names[0], names[1]));
            html.el("p").class("under").with(|html| {
                html.text("A is the first capture, B the second; for their messages, make a report of each alone");
            });
            only(&abouts[0].selected, html);
        });
        html.line().el("main").attr("id", "main").with(|html| {
            abouts.into_iter().for_each(|about| cut(about, html));
            section("overview", "Overview", html, |html| overview::two(contexts, html));
            compare::changes(contexts, html);
            compare::curves(runs, html);
            compare::delays(runs, html);
            compare::each(runs, contexts, html);
        });
        foot(CAPTURE, html);
    })
}

/// Writes the page that lists captures.
pub fn index(rows: &[Summary], selected: &[String]) -> String {
    Html::document("netkit report", |html| {
        head(&[("overview", "The captures")], html, |html| {
            html.el("h1").text(format_args!("{} captures", rows.len()));
            html.el("p").class("under").text("For one of them: netkit report CAPTURE");
            only(selected, html);
        });
        html.line().el("main").attr("id", "main").with(|html| captures(rows, html));
        foot("This page contains the names of captures, and sums.", html);
    })
}

/// Writes the options that selected messages.
fn only(selected: &[String], html: &mut Html) {
    if !selected.is_empty() {
        html.el("p").class("under").with(|html| {
            html.text("Only ");
            html.el("code").text(selected.join(" "));
        });
    }
}

/// Writes the page of a load's seconds, or of a probe's rounds. `name` is that of the file.
pub fn of_rounds(rounds: &Rounds, name: &str) -> String {
    let name = short_name(name);
    Html::document(format_args!("{name}: netkit report"), |html| {
        patterns(html);
        head(&rounds::SECTIONS, html, |html| {
            html.el("h1").text(name);
            let kind = if rounds.is_load() { "the seconds of a load" } else { "the rounds of a probe" };
            html.el("p").class("under").text(kind);
        });
        html.line().el("main").attr("id", "main").with(|html| {
            if let Some(why) = &rounds.cut {
                warning(format_args!("{name}: incomplete: {why}"), html);
            }
            rounds::sections(rounds, html);
        });
        foot("This page contains the names of servers, and the kinds of messages.", html);
    })
}

/// Writes the head of the page: the title and links to the sections.
fn head(sections: &[(&'static str, &str)], html: &mut Html, title: impl FnOnce(&mut Html)) {
    html.line().el("a").class("skip").to("main").text("Skip to the content");
    html.line().el("header").class("top").with(|html| {
        html.el("p").class("brand").text("netkit report");
        title(html);
    });
    html.line().el("nav").attr("aria-label", "Sections").with(|html| {
        html.el("ul").with(|html| {
            for (id, name) in sections {
                html.el("li").with(|html| html.el("a").to(id).text(name));
            }
        });
    });
}

/// Writes the line below the title.
fn under(context: &Context<'_>, html: &mut Html) {
    html.el("p").class("under").with(|html| {
        html.text(overview::protocols(context));
        if let Some(start) = context.start {
            html.text(if context.stats.messages > 0 { " · " } else { "" });
            overview::second(start, html);
        }
    });
}

/// Writes a warning if the capture is incomplete.
fn cut(about: &About, html: &mut Html) {
    if let Some(why) = &about.cut {
        warning(format_args!("{}: incomplete: {why}", about.name), html);
    }
}

fn warning(text: impl Display, html: &mut Html) {
    html.line().el("p").class("cut").attr("role", "note").with(|html| {
        html.el("span").class("sign").attr("aria-hidden", true).text("▲");
        html.text(text);
    });
}

/// The contents of a capture's page.
const CAPTURE: &str =
    "Charts and tables cover every message. This page contains addresses, names and bytes of the capture.";

fn foot(holds: &str, html: &mut Html) {
    html.line().el("footer").with(|html| {
        let made = concat!("Made by netkit ", env!("CARGO_PKG_VERSION"), ". A single file that loads no others.");
        html.el("p").text(format_args!("{made} {holds}"));
    });
}
