//! The `netkit` command line: parse, run, exit code. Everything else is the library's.

mod cli;
mod commands;
mod platform;

use clap::error::ErrorKind;
use netkit::printable::Lines;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    commands::complete();
    let cli = match cli::parse(std::env::args_os().collect()) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return told(cli::one_line(&error), 2);
        }
        // Help and version.
        Err(error) => error.exit(),
    };
    match commands::run(&cli) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            // Whoever read our output has enough: that is success.
            if commands::broken_pipe(&error) {
                return ExitCode::SUCCESS;
            }
            told(format_args!("{error:#}"), commands::status(&error))
        }
    }
}

/// Says on stderr what is wrong.
fn told(what: impl std::fmt::Display, status: u8) -> ExitCode {
    // Nothing can be done where stderr is gone; it is no reason to panic either.
    let _ = writeln!(std::io::stderr(), "netkit: {}", Lines(what));
    ExitCode::from(status)
}
