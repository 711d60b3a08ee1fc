//! Command lines without a subcommand, and those of other tools: `netkit capture.pcap` decodes.

use super::{Cli, Command};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Parses the arguments, the first of which is the program. If they name a file instead of a
/// subcommand, `decode` is assumed; subcommands take precedence over files of the same name.
///
/// # Errors
/// Errors of clap.
pub fn parse(args: Vec<OsString>) -> Result<Cli, clap::Error> {
    let mut cli = match Cli::try_parse_from(&args) {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument) => {
            if !names_a_file(args.get(1..).unwrap_or_default()) {
                return Err(error);
            }
            let decode = [args.first().cloned().unwrap_or_default(), "decode".into()];
            Cli::try_parse_from(decode.into_iter().chain(args.into_iter().skip(1)))?
        }
        done => done?,
    };
    if let Command::Decode(decode) = &mut cli.command {
        decode.files.append(&mut decode.read);
    }
    Ok(cli)
}

/// Is there a file where a subcommand is expected?
fn names_a_file(args: &[OsString]) -> bool {
    let mut option = false;
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
        "-i" => "an interface is read through tcpdump: tcpdump -i IFACE -U -w - | netkit decode -",
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
        assert_eq!(files("netkit stats -w a.pcap"), Err(ErrorKind::UnknownArgument));
        assert_eq!(files("netkit nosuch"), Err(ErrorKind::InvalidSubcommand));
        assert_eq!(files("netkit decode"), Err(ErrorKind::MissingRequiredArgument));
    }
}
