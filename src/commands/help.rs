//! `netkit help`: prints a command's help, or a page of the documentation.

use super::output::style;
use crate::cli::{Cli, Global, topics};
use crate::nearest::{hint, nearest};
use crate::printable::Lines;
use crate::process::usage::usage;
use crate::render::markdown;
use clap::CommandFactory;
use clap::builder::StyledStr;
use std::fmt::Write as _;
use std::io::{self, Write as _};

/// The maximum width of a page: longer lines are hard to read.
const WIDEST: usize = 100;

/// Runs the command.
pub fn run(topic: Option<&str>, global: &Global) -> anyhow::Result<u8> {
    let style = style(global, false);
    let width = style.width.unwrap_or(WIDEST).min(WIDEST);
    let mut command = Cli::command();
    command.build();
    let Some(topic) = topic else {
        let mut text = shown(&command.render_long_help(), style.colour);
        text.push_str("\nTopics (netkit help TOPIC):\n");
        let longest = topics().map(|page| page.name.len()).max().unwrap_or(0);
        for page in topics() {
            writeln!(text, "  {:longest$}  {}", page.name, page.about)?;
        }
        write!(io::stdout(), "{text}")?;
        return Ok(0);
    };
    // A page contains more than the help of the command with the same name, which --help prints.
    let page = topics().find(|page| page.name == topic);
    if let (None, Some(sub)) = (page, command.find_subcommand_mut(topic)) {
        write!(io::stdout(), "{}", shown(&sub.render_long_help(), style.colour))?;
        return Ok(0);
    }
    let Some(page) = page else {
        let commands = command.get_subcommands().map(clap::Command::get_name);
        let near = nearest(topic, commands.chain(topics().map(|page| page.name)));
        let why = format!("no command or topic {topic:?}{} (netkit help lists them)", hint(near));
        return usage(why);
    };
    let text = markdown::plain(page.text, width, style.colour);
    match style.colour {
        // The text is entirely the program's own, so it needs no escaping.
        true => write!(io::stdout(), "{text}")?,
        false => write!(io::stdout(), "{}", Lines(text))?,
    }
    Ok(0)
}

fn shown(help: &StyledStr, colour: bool) -> String {
    if colour { help.ansi().to_string() } else { help.to_string() }
}
