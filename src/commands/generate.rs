//! What the program generates about itself: completions and the man page.

use crate::cli::Cli;
use clap::CommandFactory;
use std::io::{self, Write};

/// Completions for a shell, to stdout.
pub fn completions(shell: clap_complete::Shell) -> anyhow::Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "netkit", &mut text);
    io::stdout().write_all(&text)?;
    Ok(0)
}

/// The man page, to stdout: all commands on one page.
pub fn man() -> anyhow::Result<u8> {
    let mut text = Vec::new();
    let mut command = Cli::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    for sub in command.get_subcommands().filter(|c| c.get_name() != "help") {
        let page = clap_mangen::Man::new(sub.clone().display_name(format!("netkit {}", sub.get_name())));
        writeln!(text, ".SH \"{}\"", page_title(sub.get_name()))?;
        page.render_synopsis_section(&mut text)?;
        page.render_description_section(&mut text)?;
        page.render_options_section(&mut text)?;
    }
    io::stdout().write_all(&text)?;
    Ok(0)
}

fn page_title(name: &str) -> String {
    format!("NETKIT {}", name.to_uppercase())
}
