//! The section of the messages: the parts for the script, and a text for readers without scripts.

use super::data::data;
use super::held::Held;
use super::{Context, Html, section};
use crate::plural::Plural;

/// Writes the section and its data.
pub fn write(held: &Held<'_>, context: &Context<'_>, html: &mut Html) {
    section("messages", "Messages", html, |html| {
        if let Some(omission) = held.omission() {
            html.el("p").class("omission").text(omission);
        }
        if held.entries.is_empty() {
            if held.seen == 0 {
                html.el("p").class("hint").text("No messages.");
            }
            return;
        }
        html.el("noscript").with(|html| {
            let count = Plural(held.entries.len(), "message");
            html.el("p").class("hint").text(format_args!(
                "Scripts are off, so the {count} of this page cannot be shown. Everything else can be read; \
                 `netkit decode` prints the messages."
            ));
        });
        html.el("div").attr("id", "viewer").class("viewer").attr("hidden", "").with(|_| ());
        let data = data(held, context);
        html.bytes("messages-columns", &data.columns);
        html.bytes("messages-bytes", &data.bytes);
    });
}
