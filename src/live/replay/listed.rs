//! The conversations of a recording, and the messages that a session would send, before anything is sent.

use super::{Conversation, Order, Recording, Unsent};
use crate::dissect::Options;
use crate::plural::Plural;
use crate::printable::{Json, Lines};
use crate::render::palette::Palette;
use std::io::{self, Write};

/// Writes the conversations that can be played: as text, or as lines of JSON.
///
/// # Errors
/// Returns the errors of the output.
pub(crate) fn list(recording: &Recording, text: bool, palette: &Palette, out: &mut dyn Write) -> io::Result<()> {
    for conversation in recording.flows.values().filter(|conversation| conversation.is_whole()) {
        let Conversation { flow, dissector, ends, messages, known, .. } = conversation;
        let transport = conversation.carrier();
        let version = conversation.version().unwrap_or("");
        let seconds = conversation.duration().as_secs_f64();
        let [client, server] = ends;
        match text {
            true => {
                let arrow = if *known { "->" } else { "--" };
                let proto = format!("{} {version}", dissector.name());
                let count = Plural(messages.len(), "message");
                let Palette { reset, title, dim, .. } = palette;
                // If the roles are unknown, neither endpoint has a role's colour.
                let [left, right] = if *known { [palette.client, palette.server] } else { ["", ""] };
                let (client, server) = (format!("{left}{client}{reset}"), format!("{right}{server}{reset}"));
                writeln!(
                    out,
                    "{flow:>5}  {title}{proto:<12}{reset} {transport:<3}  {client} {arrow} {server}  {dim}{count} in {seconds:.3} s{reset}"
                )?;
            }
            false => {
                let line = serde_json::json!({"flow": flow, "proto": dissector.name(), "version": conversation.version(),
                    "transport": transport, "client": client.to_string(), "server": server.to_string(),
                    "server_known": known, "messages": messages.len(), "seconds": seconds});
                writeln!(out, "{}", Json(line))?;
            }
        }
    }
    Ok(())
}

/// Writes the messages that would be sent, and those that would not: as text, or as lines of JSON.
///
/// # Errors
/// Returns the errors of the output.
pub(crate) fn plan(order: &Order<'_>, options: &Options, text: bool, out: &mut dyn Write) -> io::Result<()> {
    let (plan, _) = order.plan(options);
    for step in &plan.steps {
        let message = &step.recorded.decoded;
        let (frame, delay) = (step.recorded.frame, step.recorded.changed.delay);
        let edited = if step.recorded.edited { " (edited)" } else { "" };
        let late = if delay.is_zero() { String::new() } else { format!(" (delayed {delay:?})") };
        let bytes = hex::encode(message.bytes());
        match text {
            true => writeln!(
                out,
                "{frame:>6}  {}.{}{edited}{late} {}",
                message.proto,
                message.message,
                Lines(Json(message.to_json()))
            )
            .and_then(|()| match edited {
                "" => Ok(()),
                _ => writeln!(out, "        {bytes}"),
            })?,
            false => {
                let mut line = serde_json::json!({"frame": frame, "proto": message.proto, "version": message.version,
                    "from": message.from.name(), "message": message.message, "fields": message.to_json(),
                    "bytes": bytes, "edited": step.recorded.edited, "after": step.after});
                if !delay.is_zero() {
                    line["delayed_ms"] = (delay.as_secs_f64() * 1e3).into();
                }
                writeln!(out, "{}", Json(line))?;
            }
        }
    }
    for unsent in &plan.refused {
        let Unsent { frame, message, why, .. } = unsent;
        match text {
            true => write!(out, "{}", Lines(format_args!("refused: frame {frame} {message}: {why}\n")))?,
            false => {
                let line = serde_json::json!({"report": "refused", "frame": frame, "message": message, "why": why});
                writeln!(out, "{}", Json(line))?;
            }
        }
    }
    if text {
        for (kind, count) in &plan.live {
            writeln!(out, "not repeated: {kind} ({count})")?;
        }
        if plan.dropped > 0 {
            writeln!(out, "dropped: {}", plan.dropped)?;
        }
        if plan.unknown > 0 {
            let messages = Plural(plan.unknown, "message");
            writeln!(out, "left out: {messages} of an unknown sender: --server ADDR names the server")?;
        }
    }
    out.flush()
}
