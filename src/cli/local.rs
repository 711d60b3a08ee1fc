//! Refuses URLs as names of files before anything is read or written: all files are local.

use clap::ValueHint;
use clap::error::{Error, ErrorKind};

/// The options that name output files.
const WRITTEN: [&str; 5] = ["out", "output", "write", "pcap", "textfile"];

/// The error for the first file of the command that is named by a URL (`SCHEME://..`).
pub fn url(command: &mut clap::Command, matches: &clap::ArgMatches) -> Option<Error> {
    let (name, given) = matches.subcommand()?;
    let files = command
        .find_subcommand(name)?
        .get_arguments()
        .filter(|arg| matches!(arg.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath));
    let (arg, name) =
        files.flat_map(|arg| values(arg, given).into_iter().map(move |value| (arg, value))).find(|(_, v)| is_url(v))?;
    let option =
        arg.get_short().map_or_else(|| arg.get_long().map(|long| format!("--{long} ")), |c| Some(format!("-{c} ")));
    let what = match WRITTEN.contains(&arg.get_id().as_str()) {
        true => "write a local file, and upload it",
        false => "download it, or pipe it: aws s3 cp URL - | netkit decode -",
    };
    let why = format!("{}{name}: is a URL, expected a local file: {what}", option.unwrap_or_default());
    Some(command.error(ErrorKind::ValueValidation, why))
}

/// Returns the values of an argument. A list was split at the colon of a URL, so it is joined again.
fn values(arg: &clap::Arg, given: &clap::ArgMatches) -> Vec<String> {
    let all = given.get_raw(arg.get_id().as_str()).into_iter().flatten().map(|value| value.to_string_lossy().into());
    match arg.get_value_delimiter() {
        Some(delimiter) => vec![all.collect::<Vec<String>>().join(delimiter.encode_utf8(&mut [0; 4]))],
        None => all.collect(),
    }
}

fn is_url(name: &str) -> bool {
    name.split_once("://").is_some_and(|(before, _)| {
        let scheme = before.rsplit(':').next().unwrap_or_default();
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    })
}
