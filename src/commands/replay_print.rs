//! Prints the report of `netkit replay`, the conversations of a capture, and the messages that would be sent.

use super::output::style;
use crate::cli::{Form, Global};
use crate::dissect::Options;
use crate::live::replay::{Conversation, Order, Recording, Report};
use crate::plural::Plural;
use crate::printable;
use crate::render::palette::Palette;
use std::fmt::Display;
use std::io::{self, Write};

/// Prints the report of a session.
pub fn report(report: &Report, format: Form, all: bool) -> io::Result<()> {
    let mut text = String::new();
    match format {
        Form::Text if all => text = format!("{report:#}"),
        Form::Text => text = report.to_string(),
        _ => report.ndjson(&mut text),
    }
    print(format, text)
}

/// Prints a part of a report: text, or lines of JSON.
pub fn print(format: Form, text: impl Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match format {
        Form::Text => write!(out, "{}", printable::Lines(text))?,
        _ => write!(out, "{}", printable::Json(text))?,
    }
    out.flush()
}

/// Lists the conversations that can be played.
pub fn list(recording: &Recording, format: Form, global: &Global) -> anyhow::Result<u8> {
    list_to(recording, format, Palette::of(style(global, false).colour), &mut io::stdout())?;
    Ok(0)
}

/// Lists them on another output.
pub fn list_to(recording: &Recording, format: Form, palette: &Palette, out: &mut dyn Write) -> io::Result<()> {
    for conversation in recording.flows.values().filter(|conversation| conversation.is_whole()) {
        let Conversation { flow, dissector, ends, messages, known, .. } = conversation;
        let transport = conversation.carrier();
        let version = conversation.version().unwrap_or("");
        let seconds = conversation.duration().as_secs_f64();
        let [client, server] = ends;
        match format {
            Form::Text => {
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
            _ => {
                let line = serde_json::json!({"flow": flow, "proto": dissector.name(), "version": conversation.version(),
                    "transport": transport, "client": client.to_string(), "server": server.to_string(),
                    "server_known": known, "messages": messages.len(), "seconds": seconds});
                writeln!(out, "{}", printable::Json(line))?;
            }
        }
    }
    Ok(())
}

/// Prints the messages that would be sent.
pub fn dry(order: &Order<'_>, options: &Options, format: Form) -> anyhow::Result<u8> {
    let (plan, _) = order.plan(options);
    let mut out = io::stdout().lock();
    for step in &plan.steps {
        let message = &step.recorded.decoded;
        let (frame, delay) = (step.recorded.frame, step.recorded.changed.delay);
        let edited = if step.recorded.edited { " (edited)" } else { "" };
        let late = if delay.is_zero() { String::new() } else { format!(" (delayed {delay:?})") };
        let bytes = hex::encode(message.bytes());
        match format {
            Form::Text => writeln!(
                out,
                "{frame:>6}  {}.{}{edited}{late} {}",
                message.proto,
                message.message,
                printable::Lines(printable::Json(message.to_json()))
            )
            .and_then(|()| match edited {
                "" => Ok(()),
                _ => writeln!(out, "        {bytes}"),
            })?,
            _ => {
                let mut line = serde_json::json!({"frame": frame, "proto": message.proto, "version": message.version,
                    "from": message.from.name(), "message": message.message, "fields": message.to_json(),
                    "bytes": bytes, "edited": step.recorded.edited, "after": step.after});
                if !delay.is_zero() {
                    line["delayed_ms"] = (delay.as_secs_f64() * 1e3).into();
                }
                writeln!(out, "{}", printable::Json(line))?;
            }
        }
    }
    let mut text = String::new();
    for unsent in &plan.refused {
        match format {
            Form::Text => {
                text.push_str(&format!("refused: frame {} {}: {}\n", unsent.frame, unsent.message, unsent.why))
            }
            _ => {
                let line = serde_json::json!({"report": "refused", "frame": unsent.frame, "message": unsent.message, "why": unsent.why});
                text.push_str(&format!("{line}\n"));
            }
        }
    }
    if format == Form::Text {
        for (kind, count) in &plan.live {
            text.push_str(&format!("made live: {count} {kind}\n"));
        }
        if plan.dropped > 0 {
            text.push_str(&format!("dropped: {}\n", plan.dropped));
        }
    }
    print(format, text)?;
    Ok(0)
}
