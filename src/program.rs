//! The program: parse, run, exit status.

use crate::commands::extcap::Call;
use crate::printable::Lines;
use crate::process::usage;
use crate::{cli, commands};
use clap::error::ErrorKind;
use std::ffi::OsString;
use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
use std::io::{self, Write};
use std::process::ExitCode;

/// Runs the program `netkit` with the arguments of this process. Returns its exit status.
pub fn program() -> ExitCode {
    commands::complete();
    let args: Vec<OsString> = std::env::args_os().collect();
    ExitCode::from(match commands::extcap::call(&args) {
        Ok(Call::None) => netkit(args),
        // Wireshark ends a capture with a signal: that is a success.
        Ok(Call::Capture(args)) => match netkit(args) {
            129 | 130 | 143 => 0,
            status => status,
        },
        Ok(Call::Answered(status)) => status,
        Err(error) => fail(format_args!("{error:#}"), usage::status(&error)),
    })
}

/// Parses the arguments and runs the command. Returns the exit status.
fn netkit(args: Vec<OsString>) -> u8 {
    let nagios = asks_for_nagios(&args);
    let cli = match cli::parse(args, commands::inspects()) {
        Ok(cli) => cli,
        Err(error) if nagios && error.use_stderr() => {
            let _ = commands::unknown(&cli::one_line(&error));
            return 3;
        }
        Err(error) if error.use_stderr() && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return fail(cli::one_line(&error), 2);
        }
        // Help and version.
        Err(error) => error.exit(),
    };
    match commands::run(&cli) {
        Ok(status) => status,
        Err(error) => {
            // A closed pipe means that its reader has enough: that is a success.
            if usage::broken_pipe(&error) {
                return 0;
            }
            // Errors of files name them, so that they are not the system's own: this one is of stdout.
            let own = error.downcast_ref().filter(|error: &&io::Error| error.raw_os_error().is_some());
            let full = matches!(own.map(io::Error::kind), Some(StorageFull | FileTooLarge | QuotaExceeded));
            let place = if full && error.chain().len() == 1 { "stdout: " } else { "" };
            fail(format_args!("{place}{error:#}"), usage::status(&error))
        }
    }
}

/// Whether the output is for Nagios, for which status 2, wrong usage, would be its state CRITICAL.
fn asks_for_nagios(args: &[OsString]) -> bool {
    let pairs = args.iter().zip(args.iter().skip(1));
    let apart = pairs.clone().any(|(option, value)| (option == "-f" || option == "--format") && value == "nagios");
    args.iter().skip(1).any(|arg| arg == "probe")
        && (apart || args.iter().any(|arg| arg == "-fnagios" || arg == "-f=nagios" || arg == "--format=nagios"))
}

/// Reports an error on stderr. Returns the exit status.
fn fail(what: impl std::fmt::Display, status: u8) -> u8 {
    // If stderr is closed, nothing can be done, but that is no reason to panic.
    let _ = writeln!(std::io::stderr(), "netkit: {}", Lines(what));
    status
}
