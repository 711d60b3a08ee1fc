//! Generated files: shell completions and the man page.

use crate::cli::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_complete::env::{CompleteEnv, Elvish, EnvCompleter, Fish};
use std::io::{self, Write};

/// The environment variable with which a shell requests completions.
const VARIABLE: &str = "NETKIT_COMPLETE";

/// Answers a shell's request for completions, and exits.
pub fn complete() {
    if std::env::var_os(VARIABLE).is_some() {
        CompleteEnv::with_factory(Cli::command).var(VARIABLE).complete();
    }
}

/// Writes completions for a shell to stdout. Those for bash and zsh contain all names; fish and elvish call this
/// program. PowerShell's contain commands and options only, because its dynamic script would evaluate what is being
/// typed.
pub fn completions(shell: Shell) -> anyhow::Result<u8> {
    let mut text = Vec::new();
    let asking: Option<&dyn EnvCompleter> = match shell {
        Shell::Fish => Some(&Fish),
        Shell::Elvish => Some(&Elvish),
        _ => None,
    };
    match asking {
        Some(shell) => shell.write_registration(VARIABLE, "netkit", "netkit", "netkit", &mut text)?,
        None => clap_complete::generate(shell, &mut Cli::command(), "netkit", &mut text),
    }
    io::stdout().write_all(&text)?;
    Ok(0)
}

/// Writes the man page to stdout, with all commands on one page.
pub fn man() -> anyhow::Result<u8> {
    let mut text = Vec::new();
    // The man page also contains the options that short help leaves out.
    let all = |arg: clap::Arg| arg.hide_short_help(false);
    let mut command = Cli::command().mut_args(all).mut_subcommands(|sub| sub.mut_args(all));
    command.build();
    let mut first = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut first)?;
    for line in String::from_utf8_lossy(&first).lines() {
        // References to subcommands' pages become references to sections of this page.
        match line.strip_prefix("netkit\\-").and_then(|rest| rest.strip_suffix("(1)")) {
            Some(sub) => writeln!(text, "\\fBnetkit {sub}\\fR")?,
            None => writeln!(text, "{line}")?,
        }
    }
    for sub in command.get_subcommands().filter(|c| c.get_name() != "help") {
        // The first section has the options of all commands.
        let own = sub.clone().mut_args(|arg| match arg.is_global_set() || arg.get_id() == "help" {
            true => arg.hide(true),
            false => arg,
        });
        let page = clap_mangen::Man::new(own.display_name(format!("netkit {}", sub.get_name())));
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
