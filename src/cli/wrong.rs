//! Writes usage errors in one line, like all other errors: `netkit: WHAT: WHY`.

use crate::nearest::{hint, nearest};
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error;
use std::num::{IntErrorKind, ParseIntError};

/// The maximum number of values that an error lists.
const LISTED: usize = 20;

/// Returns clap's error without its paragraphs: the mistake, suggestions, the help command.
pub fn one_line(error: &clap::Error) -> String {
    if let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(given))) =
        (error.kind(), error.get(ContextKind::InvalidSubcommand))
    {
        let command = super::Cli::command();
        let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        let hint = hint(nearest(given, names.iter().copied()));
        return format!("no command {given:?}{hint}; there are {}", names.join(", "));
    }
    let context = |kind| if let Some(ContextValue::String(text)) = error.get(kind) { text.as_str() } else { "" };
    let given = context(ContextKind::InvalidArg);
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let words = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let mut line = words(paragraphs.next().unwrap_or("").trim_start_matches("error:").trim());
    match (error.kind(), super::meant::instead(error)) {
        (ErrorKind::UnknownArgument, ours) if given.starts_with('-') => {
            line = format!("no option '{given}' here");
            match (ours, error.get(ContextKind::SuggestedArg)) {
                (Some(ours), _) => return format!("{line}: {ours}"),
                (None, Some(ContextValue::String(near))) => line += &format!(", did you mean '{near}'?"),
                _ => {}
            }
        }
        (ErrorKind::InvalidValue, _) if context(ContextKind::InvalidValue).is_empty() => {
            // The names for filters are too many to help.
            line = format!("'{given}' needs a value");
            if let Some(ContextValue::Strings(known)) = error.get(ContextKind::ValidValue)
                && (1..=LISTED).contains(&known.len())
            {
                line += &format!(": {}", known.join(", "));
            }
        }
        (ErrorKind::ValueValidation, _) if let Some(number) = error.source().and_then(|e| e.downcast_ref()) => {
            let number: &ParseIntError = number;
            let why = match number.kind() {
                IntErrorKind::PosOverflow => "the number is too large",
                _ => "expected a whole number",
            };
            line = line.replace(&number.to_string(), why);
        }
        (ErrorKind::ValueValidation, _)
            if let Some((before, range)) =
                line.rsplit_once(" is not in ").filter(|(_, range)| range.contains("..")) =>
        {
            let before = before.rsplit_once(": ").map_or(before, |(before, _)| before);
            line = format!("{before}: {}", expected(range));
        }
        _ => {
            for tip in paragraphs.filter_map(|paragraph| paragraph.trim().strip_prefix("tip:")) {
                line += &format!("; {}", words(tip.trim()));
            }
        }
    }
    if let (ErrorKind::UnknownArgument | ErrorKind::MissingRequiredArgument, Some(usage)) =
        (error.kind(), error.get(ContextKind::Usage))
        && let ContextValue::StyledStr(usage) = usage
    {
        // Takes the command from `Usage: netkit decode [OPTIONS] <FILE>...`: the text before its arguments.
        let usage = usage.to_string();
        let command = usage.split_whitespace().skip(1).take_while(|w| !w.starts_with(['[', '<', '-']));
        line += &format!(" (see {} --help)", command.collect::<Vec<_>>().join(" "));
    }
    line
}

/// Returns the numbers of a range as clap writes it: `1..=1000`, or `1..MAX` if there is no end.
fn expected(range: &str) -> String {
    match range.split_once("..") {
        Some((least, most)) if most.starts_with('=') => {
            format!("expected a number from {least} to {}", most.trim_start_matches('='))
        }
        Some((least, _)) => format!("expected at least {least}"),
        None => format!("expected {range}"),
    }
}
