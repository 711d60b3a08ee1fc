//! An option has one meaning in all commands; older names are still read.

use super::Cli;
use clap::{CommandFactory, Parser};
use std::collections::BTreeMap;

/// Options whose value has several names, and the reason.
const EXCEPTIONS: [(&str, &str); 7] = [
    ("--columns", "columns of messages and of figures"),
    ("--expect", "a replay compares with the whole recording; its -F selects the messages"),
    ("--fail-on", "findings of a capture, limits of figures, limits of a run: each makes the status 1"),
    ("--from", "the sender of messages; the file in another language that a protocol file is made from"),
    ("--output", "a file, a page or a folder: what the command makes"),
    ("-o", "as --output"),
    ("-W", "as in tcpdump where packets are written, as in ping where a peer is asked"),
];

#[test]
fn an_option_has_one_meaning() {
    let mut seen: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    let mut root = Cli::command();
    root.build();
    for command in root.get_subcommands() {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set() && !arg.is_positional()) {
            let values: Vec<String> =
                arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
            let value = if arg.get_action().takes_values() { values.join(" ") } else { String::new() };
            let names = [arg.get_short().map(|c| format!("-{c}")), arg.get_long().map(|l| format!("--{l}"))];
            for name in names.into_iter().flatten() {
                seen.entry(name).or_default().entry(value.clone()).or_default().push(command.get_name().into());
            }
        }
    }
    let two: Vec<_> = seen
        .iter()
        .filter(|(name, values)| values.len() > 1 && !EXCEPTIONS.iter().any(|(known, _)| known == name))
        .collect();
    assert!(two.is_empty(), "{two:#?}");
    for (name, _) in EXCEPTIONS {
        assert!(seen[name].len() > 1, "{name} needs no exception");
    }
}

/// The help of an option begins with the same verb in all commands.
#[test]
fn an_option_has_one_verb() {
    let mut root = Cli::command();
    root.build();
    let mut seen: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for command in root.get_subcommands() {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let Some(long) = arg.get_long() else { continue };
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let verb = help.split(' ').next().unwrap_or_default().to_owned();
            seen.entry(long.into()).or_default().entry(verb).or_default().push(command.get_name().into());
        }
    }
    // `--from` of fields names a file, see EXCEPTIONS.
    let two: Vec<_> = seen.iter().filter(|(long, verbs)| verbs.len() > 1 && *long != "from").collect();
    assert!(seen.len() > 100 && two.is_empty(), "{}: {two:#?}", seen.len());
}

/// Of a file and an interface, one would be left out in silence.
#[test]
fn a_file_and_an_interface_exclude_each_other() {
    for line in ["decode -r a -i lo", "decode -r a -D", "decode -r a b"] {
        let parsed = Cli::try_parse_from(std::iter::once("netkit").chain(line.split(' ')));
        let kind = parsed.err().map(|error| error.kind());
        assert_eq!(kind, Some(clap::error::ErrorKind::ArgumentConflict), "{line}");
    }
}

#[test]
fn older_options_are_read() {
    let pairs = [
        ("replay a --list --edit 'x' --until 3", "replay a --list --on 'x' --last-frame 3"),
        ("proxy :1 h:1 --clients 3", "proxy :1 h:1 --most-clients 3"),
        ("probe h:1 -i 300ms", "probe h:1 --interval 300ms"),
        ("stats a --by src --every 5s", "stats a --by src --step 5s"),
        ("top --every 5s", "top --redraw 5s"),
        ("encode a --to hex", "encode a --as hex"),
    ];
    let read = |line: &str| {
        let parsed = Cli::try_parse_from(std::iter::once("netkit").chain(line.split(' ')));
        format!("{:?}", parsed.unwrap_or_else(|e| panic!("{line}: {e}")).command)
    };
    for (older, newer) in pairs {
        assert_eq!(read(older), read(newer));
    }
}

/// A number without a unit may be milliseconds or seconds, bytes or more: it is refused with the units. The exceptions
/// are options whose numbers are seconds in other programs.
#[test]
fn a_number_without_a_unit_is_refused() {
    const SECONDS: [&str; 5] = ["timeout", "interval", "since", "until", "max-time"];
    let mut root = Cli::command();
    root.build();
    let (mut seen, mut refused) = (std::collections::BTreeSet::new(), 0);
    for command in root.get_subcommands() {
        for arg in command.get_arguments() {
            let names: Vec<String> =
                arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
            let value = match names.join(" ").as_str() {
                "TIME" | "SIZE" | "RATE" => "200",
                "TIME/EVERY" => "2/30",
                "P%/TIME" => "5%/200",
                "RATE:TIME,.." => "10/s:200",
                _ => continue,
            };
            let Some(long) = arg.get_long() else { continue };
            seen.insert(long.to_owned());
            let parsed = Cli::try_parse_from(["netkit", command.get_name(), &format!("--{long}={value}")]);
            let why = parsed.err().map(|error| error.to_string()).unwrap_or_default();
            // Sessions a second have no other unit.
            let takes = SECONDS.contains(&long) || long == "ramp";
            let units = ["200ms or 200s", "2ms or 2s", "200K or 200M", "64kbit, 1.5mbit or 1gbit"];
            let says = units.iter().any(|units| why.contains(units));
            assert_ne!(takes, says, "{} --{long}: {why}", command.get_name());
            refused += usize::from(says);
        }
    }
    assert!(SECONDS.iter().all(|known| seen.contains(*known)), "{seen:?}");
    assert!(refused >= 18, "{refused}: {seen:?}");
}
