//! Command lines without a subcommand, and those of other tools. For example, `netkit capture.pcap` shows the capture
//! on a terminal, and elsewhere decodes it.

use super::{Cli, Command};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Parses the arguments, the first of which is the program. If they name a file instead of a
/// subcommand, `view` is assumed where somebody looks (`inspects`) and no option concerns printing, else `decode`;
/// subcommands take precedence over files of the same name.
///
/// # Errors
/// Returns the errors of clap.
pub fn parse(args: Vec<OsString>, inspects: bool) -> Result<Cli, clap::Error> {
    let mut cli = match parsed(&args) {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument) => {
            if !names_a_file(args.get(1..).unwrap_or_default()) {
                return Err(error);
            }
            let (program, rest) = args.split_first().map_or((OsString::new(), &[][..]), |(p, rest)| (p.clone(), rest));
            let with = |command: &str| parsed(&[&[program.clone(), command.into()], rest].concat());
            match inspects.then(|| with("view").ok().filter(only_files)).flatten() {
                Some(view) => view,
                None => with("decode")?,
            }
        }
        done => done?,
    };
    if let Command::Decode(decode) = &mut cli.command {
        decode.files.append(&mut decode.read);
    }
    let (interface, traffic, files) = match &mut cli.command {
        Command::Decode(decode) => (&decode.interface, &mut decode.traffic, Some(&mut decode.files)),
        Command::Stats(stats) => (&stats.interface, &mut stats.traffic, Some(&mut stats.files)),
        Command::Report(report) => (&report.interface, &mut report.traffic, Some(&mut report.files)),
        Command::View(view) => (&view.source.interface, &mut view.source.traffic, Some(&mut view.files)),
        Command::Top(top) => (&top.source.interface, &mut top.source.traffic, None),
        _ => return Ok(cli),
    };
    traffic.until = traffic.until.or(interface.autostop);
    // The output of the capture program is read like stdin.
    if let (Some(_), Some(files)) = (&interface.interface, files) {
        *files = vec!["-".into()];
    }
    Ok(cli)
}

/// Whether the command shows files, and no option asks for more or less text.
fn only_files(cli: &Cli) -> bool {
    let Command::View(view) = &cli.command else { return false };
    let source = &view.source;
    let other = source.interface.interface.is_some() || source.interfaces.list_interfaces;
    // What is typed at the terminal are the keys.
    let stdin = view.files.iter().any(|file| file.as_os_str() == "-");
    !other && !stdin && !cli.global.quiet && cli.global.verbose == 0
}

/// Options of a command that exclude others. Only those on the command line count, not variables of the environment.
/// `decode -w` excludes none where frames are captured live: then messages are printed as well.
const EXCLUDED: [(&str, &str, &[&str]); 3] = [
    (
        "decode",
        "write",
        &["follow", "check", "format", "bytes", "columns", "time", "link", "threads", "out", "comments"],
    ),
    ("fields", "as_toml", &["schema"]),
    ("check", "suggest", &["schema"]),
];

fn parsed(args: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = Cli::command();
    let matches = command.try_get_matches_from_mut(args)?;
    if let Some(why) = excluded(&command, &matches) {
        return Err(command.error(ErrorKind::ArgumentConflict, why));
    }
    super::local::url(&mut command, &matches).map_or_else(|| Cli::from_arg_matches(&matches), Err)
}

/// Returns the error for an option that another one excludes.
fn excluded(command: &clap::Command, matches: &clap::ArgMatches) -> Option<String> {
    let (name, given) = matches.subcommand()?;
    let is_given = |id: &str| given.value_source(id) == Some(ValueSource::CommandLine);
    let (_, id, others) = EXCLUDED.iter().find(|(of, id, _)| *of == name && is_given(id))?;
    if *id == "write" && given.contains_id("interface") {
        return None;
    }
    let other = others.iter().find(|other| is_given(other))?;
    let found = command.find_subcommand(name)?;
    let shown = |id: &str| found.get_arguments().find(|arg| arg.get_id() == id).map(|arg| arg.to_string());
    Some(format!("the argument '{}' cannot be used with '{}'", shown(id)?, shown(other)?))
}

/// Whether there is a file, or an interface, in place of a subcommand.
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
                // It may be the value of the preceding option.
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
    // A name with a dot or a directory is a file even if it does not exist, so that the error reports that.
    !named && (arg == "-" || text.contains(['.', '/', std::path::MAIN_SEPARATOR]) || Path::new(arg).is_file())
}

/// Returns netkit's equivalent of an unknown option of tshark or tcpdump.
pub fn instead(error: &clap::Error) -> Option<&'static str> {
    let Some(ContextValue::String(arg)) = error.get(ContextKind::InvalidArg) else { return None };
    // Short options may have their value attached.
    Some(match if arg.starts_with("--") { arg } else { arg.get(..2)? } {
        "-r" => "files need no option: netkit decode FILE",
        "-Y" => "filters are -F EXPR, in decode, view, stats, diff, top and report: netkit decode FILE -F EXPR",
        "-i" | "-D" => "interfaces are read by decode, view, stats, top and report: netkit decode -i IFACE",
        "-V" => "decode and dump print trees; -v prints their bytes in full",
        "-T" | "-e" => {
            "fields are -f csv --columns time,src,message_id; other forms are -f ndjson, json, summary, tree"
        }
        "--json" => "JSON is -f json, or -f ndjson with a line for each message",
        "-n" => "addresses are always printed as numbers",
        "-w" => "frames are written by decode -w, messages by encode: netkit encode --json A -o B.pcap",
        "-x" => "decode and dump print bytes with -v, and as hex with -f ndjson --bytes",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(args: &str, inspects: bool) -> Result<Command, ErrorKind> {
        parse(args.split(' ').map(OsString::from).collect(), inspects).map(|cli| cli.command).map_err(|e| e.kind())
    }

    fn files(args: &str) -> Result<Vec<String>, ErrorKind> {
        match command(args, false)? {
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
    fn a_file_is_shown_on_a_terminal() {
        for args in ["a.pcap", "a.pcap b.pcap", "-p riptide a.pcap", "--follow a.pcap", "a.pcap -F frame==3"] {
            let shown = command(&format!("netkit {args}"), true);
            assert!(matches!(shown, Ok(Command::View(_))), "{args}: {shown:?}");
        }
        for args in [
            "a.pcap -f summary",
            "-q a.pcap",
            "a.pcap -v",
            "-",
            "-i eth0",
            "-r a.pcap",
            "a.pcap -w b.pcap",
            "a.pcap --check",
            "a.pcap --no-pager",
            "decode a.pcap",
        ] {
            let printed = command(&format!("netkit {args}"), true);
            assert!(matches!(printed, Ok(Command::Decode(_))), "{args}: {printed:?}");
        }
        assert_eq!(command("netkit a.pcap --nosuch", true).err(), Some(ErrorKind::UnknownArgument));
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
