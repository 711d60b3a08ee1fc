//! Usage errors in one line, like all other errors: `netkit: WHAT: WHY`.

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use netkit::nearest::{hint, nearest};

/// clap's error without its paragraphs: what is wrong, suggestions, the help command.
pub fn one_line(error: &clap::Error) -> String {
    if let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(given))) =
        (error.kind(), error.get(ContextKind::InvalidSubcommand))
    {
        let command = super::Cli::command();
        let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        let hint = hint(nearest(given, names.iter().copied()));
        return format!("no command {given:?}{hint}; there are {}", names.join(", "));
    }
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let words = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let mut line = words(paragraphs.next().unwrap_or("").trim_start_matches("error:").trim());
    for paragraph in paragraphs {
        if let Some(tip) = paragraph.trim().strip_prefix("tip:") {
            line += &format!("; {}", words(tip.trim()));
        }
    }
    if let Some(ours) = super::meant::instead(error) {
        // clap suggests to escape the option, which is never what was intended.
        return format!("{}; {ours}", line.split("; ").next().unwrap_or_default());
    }
    if let (ErrorKind::UnknownArgument | ErrorKind::MissingRequiredArgument, Some(usage)) =
        (error.kind(), error.get(ContextKind::Usage))
        && let ContextValue::StyledStr(usage) = usage
    {
        // `Usage: netkit decode [OPTIONS] <FILE>...`: the command is the text before its arguments.
        let usage = usage.to_string();
        let command = usage.split_whitespace().skip(1).take_while(|w| !w.starts_with(['[', '<', '-']));
        line += &format!(" ({} --help tells more)", command.collect::<Vec<_>>().join(" "));
    }
    line
}
