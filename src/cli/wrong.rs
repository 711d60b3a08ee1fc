//! Wrong usage in one line, as every other error: `netkit: WHAT: WHY`.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// clap's error without its paragraphs: what is wrong, what may have been meant, where help is.
pub fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let words = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let mut line = words(paragraphs.next().unwrap_or("").trim_start_matches("error:").trim());
    for paragraph in paragraphs {
        if let Some(tip) = paragraph.trim().strip_prefix("tip:") {
            line += &format!("; {}", words(tip.trim()));
        }
    }
    if let (ErrorKind::UnknownArgument | ErrorKind::MissingRequiredArgument, Some(usage)) =
        (error.kind(), error.get(ContextKind::Usage))
        && let ContextValue::StyledStr(usage) = usage
    {
        // `Usage: netkit decode [OPTIONS] <FILE>...`: the command is what stands before its arguments.
        let usage = usage.to_string();
        let command = usage.split_whitespace().skip(1).take_while(|w| !w.starts_with(['[', '<', '-']));
        line += &format!(" ({} --help tells more)", command.collect::<Vec<_>>().join(" "));
    }
    line
}
