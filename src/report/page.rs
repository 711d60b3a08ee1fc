//! The page's sections in their order.

use super::charts::patterns;
use super::sections::{bandwidth, delays, delivery, overview, requests, verdicts};
use super::{About, Context, Html, Run, sequence, viewer};
use std::fmt::Display;

/// The sections of a page, as its head lists them.
const SECTIONS: [(&str, &str); 8] = [
    ("overview", "What it is"),
    ("verdicts", "Verdicts"),
    ("bandwidth", "Bandwidth"),
    ("round-trips", "Round trips"),
    ("delivery", "Delivery"),
    ("requests", "Requests"),
    ("sequences", "Sequences"),
    ("messages", "Messages"),
];

/// The page of one capture.
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
            overview::section_of(&context, html);
            verdicts::section_of(&context, &run.noted, html);
            bandwidth::section_of(&run.by_message, &run.by_direction, html);
            delays::section_of(&context, &run.course, html);
            delivery::section_of(&context, html);
            requests::section_of(&context, html);
            let held = run.messages.held();
            sequence::write(&held, &context, html);
            viewer::write(&held, &context, html);
        });
        foot(html);
    })
}

/// The last part of a path: a heading has no room for more.
fn short_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().filter(|last| !last.is_empty()).unwrap_or(name)
}

/// The head of the page: where one is, and the way to the sections.
fn head(sections: &[(&'static str, &str)], html: &mut Html, title: impl FnOnce(&mut Html)) {
    html.line().el("a").class("skip").to("main").text("To the content");
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

/// One line below the title.
fn under(context: &Context<'_>, html: &mut Html) {
    html.el("p").class("under").with(|html| {
        html.text(overview::protocols(context));
        if let Some(start) = context.start {
            html.text(if context.stats.messages > 0 { " · " } else { "" });
            overview::time(start, html);
        }
    });
}

/// What is missing.
fn cut(about: &About, html: &mut Html) {
    if let Some(why) = &about.cut {
        warning(format_args!("{}: not whole: {why}", about.name), html);
    }
}

fn warning(text: impl Display, html: &mut Html) {
    html.line().el("p").class("cut").attr("role", "note").with(|html| {
        html.el("span").class("sign").attr("aria-hidden", true).text("▲");
        html.text(text);
    });
}

fn foot(html: &mut Html) {
    html.line().el("footer").with(|html| {
        html.el("p").text(concat!(
            "Made by netkit ",
            env!("CARGO_PKG_VERSION"),
            ". One file that loads nothing; charts and tables are of every message. It holds addresses, names and bytes of \
             the capture."
        ));
    });
}
