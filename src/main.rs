//! The `netkit` command line: parse, run, exit code. Everything else is the library's.

mod cli;
mod commands;

use clap::Parser;
use netkit::printable::Lines;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    match commands::run(&cli) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            // Whoever read our output has enough: that is success.
            if commands::broken_pipe(&error) {
                return ExitCode::SUCCESS;
            }
            // Nothing can be done where stderr is gone; it is no reason to panic either.
            let _ = writeln!(std::io::stderr(), "netkit: {}", Lines(format_args!("{error:#}")));
            ExitCode::from(commands::status(&error))
        }
    }
}
