//! Command lines without a subcommand, and those of other tools: `netkit capture.pcap` decodes.

use super::{Cli, Command};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Parses the arguments, the first of which is the program. If they name a file instead of a
/// subcommand, `decode` is assumed; subcommands take precedence over files of the same name.
///
/// # Errors
/// Errors of clap.
pub fn parse(args: Vec<OsString>) -> Result<Cli, clap::Error> {
    let mut cli = match parsed(&args) {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument) => {
            if !names_a_file(args.get(1..).unwrap_or_default()) {
                return Err(error);
            }
            let decode = [args.first().cloned().unwrap_or_default(), "decode".into()];
            parsed(&decode.into_iter().chain(args.into_iter().skip(1)).collect::<Vec<_>>())?
        }
        done => done?,
    };
    if let Command::Decode(decode) = &mut cli.command {
        decode.files.append(&mut decode.read);
    }
    // What the capture program writes is read as stdin is.
    let (interface, files) = match &mut cli.command {
        Command::Decode(decode) => (&decode.interface, &mut decode.files),
        Command::Stats(stats) => (&stats.interface, &mut stats.files),
        Command::Report(report) => (&report.interface, &mut report.files),
        _ => return Ok(cli),
    };
    if interface.interface.is_some() {
        *files = vec!["-".into()];
    }
    Ok(cli)
}

/// What `decode -w` does not go with, unless the frames are captured: then messages are printed, too.
const NOT_WITH_WRITE: [&str; 10] =
    ["follow", "check", "format", "bytes", "columns", "time", "link", "threads", "out", "comments"];

fn parsed(args: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = Cli::command().try_get_matches_from(args)?;
    if let Some(("decode", given)) = matches.subcommand()
        && given.contains_id("write")
        && !given.contains_id("interface")
        && let Some(other) = NOT_WITH_WRITE.iter().find(|id| given.value_source(id) == Some(ValueSource::CommandLine))
    {
        let mut command = Cli::command();
        command.build();
        let decode = command.find_subcommand("decode");
        let shown = |id: &str| {
            decode.iter().flat_map(|d| d.get_arguments()).find(|arg| arg.get_id() == id).map(|arg| arg.to_string())
        };
        let (write, other) = (shown("write").unwrap_or_default(), shown(other).unwrap_or_default());
        let why = format!("the argument '{write}' cannot be used with '{other}'");
        return Err(command.error(ErrorKind::ArgumentConflict, why));
    }
    Cli::from_arg_matches(&matches)
}

/// Is there a file, or an interface, where a subcommand is expected?
fn names_a_file(args: &[OsString]) -> bool {
    let mut option = false;
    let capturing = |arg: &OsString| {
        let arg = arg.to_string_lossy();
        ["-i", "-D", "--interface", "--list-interfaces"].contains(&&*arg) || arg.starts_with("--interface=")
    };
    if args.first().is_some_and(capturing) {
        return true;
    }
    for arg in args {
        let dashed = arg != "-" && arg.as_encoded_bytes().starts_with(b"-");
        if !dashed {
            match (is_file(arg), option) {
                (true, _) => return true,
                // It may be the value of the previous option.
                (false, true) => {}
                (false, false) => return false,
            }
        }
        option = dashed;
    }
    false
}

fn is_file(arg: &OsStr) -> bool {
    let command = Cli::command();
    let text = arg.to_string_lossy();
    let named = command.get_subcommands().any(|c| c.get_name() == text);
    // A name with a dot or a directory is a file even if it does not exist: the error then says so.
    !named && (arg == "-" || text.contains(['.', '/', std::path::MAIN_SEPARATOR]) || Path::new(arg).is_file())
}

/// The netkit equivalent of an unknown option of tshark or tcpdump.
pub fn instead(error: &clap::Error) -> Option<&'static str> {
    let Some(ContextValue::String(arg)) = error.get(ContextKind::InvalidArg) else { return None };
    Some(match arg.get(..2)? {
        "-r" => "files need no option: netkit decode FILE",
        "-Y" => "filters are -F EXPR, where messages are chosen: decode, stats, diff",
        "-i" | "-D" => "interfaces are read by decode, stats, top and report: netkit decode -i IFACE",
        "-V" => "trees are what decode and dump print; -f tree asks for them, -v for all of each",
        "-T" => "the form of the output is -f: tree, summary, table, ndjson, json",
        "-w" => "frames are written by decode -w, messages by encode: netkit encode --json A -o B.pcap",
        "-x" => "each message as hex is --bytes with -f ndjson, and stands in every tree with -v",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(args: &str) -> Result<Vec<String>, ErrorKind> {
        match parse(args.split(' ').map(OsString::from).collect()).map_err(|e| e.kind())?.command {
            Command::Decode(decode) => Ok(decode.files.iter().map(|p| p.display().to_string()).collect()),
            _ => Ok(vec!["other".into()]),
        }
    }

    #[test]
    fn a_file_is_decoded() {
        for args in [
            "netkit a.pcap",
            "netkit -q a.pcap",
            "netkit -f summary a.pcap",
            "netkit a.pcap -f summary",
            "netkit --color never -p riptide a.pcap -c 3",
            "netkit -r a.pcap",
            "netkit -r a.pcap -Y frame==3",
            "netkit decode -r a.pcap -F frame==3",
        ] {
            assert_eq!(files(args), Ok(vec!["a.pcap".into()]), "{args}");
        }
        assert_eq!(files("netkit -"), Ok(vec!["-".into()]));
        assert_eq!(files("netkit folder/x a.pcap"), Ok(vec!["folder/x".into(), "a.pcap".into()]));
        // A file of this project without a dot or directory in its name.
        assert_eq!(files("netkit LICENSE-MIT"), Ok(vec!["LICENSE-MIT".into()]));
    }

    #[test]
    fn subcommands_win() {
        assert_eq!(files("netkit stats a.pcap"), Ok(vec!["other".into()]));
        assert_eq!(files("netkit decod a.pcap"), Err(ErrorKind::InvalidSubcommand));
        assert_eq!(files("netkit stats --nosuch a.pcap"), Err(ErrorKind::UnknownArgument));
        assert_eq!(files("netkit nosuch"), Err(ErrorKind::InvalidSubcommand));
        assert_eq!(files("netkit decode"), Err(ErrorKind::MissingRequiredArgument));
    }
}
