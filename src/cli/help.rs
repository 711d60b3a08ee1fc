//! The order of help (purpose, examples, options), and the overview that `netkit` alone prints.

use clap::Command;

/// The template of the overview.
pub const ROOT: &str = "{before-help}{usage-heading} {usage}\n\nOptions:\n{options}{after-help}\n";

/// The purpose of netkit, and its commands; the most used ones have an example.
pub const OVERVIEW: &str = "\
Shows, measures and tests the network traffic of games: Riptide, DNP, nano/pomelo, GNE over HawkNL, \
Acknex, and protocols that a file describes; in captures, in hex text, and with live servers.

Most used:
  netkit decode game.pcap                print each message with its fields
  netkit stats game.pcap                 count messages, losses and delays
  netkit report game.pcap -o game.html   make a page of charts and messages
  netkit probe 127.0.0.1:7777            identify a server; measure round trips
  netkit proxy :7000 127.0.0.1:7777      relay traffic; show, delay and lose it
  netkit fields riptide                  list a protocol's messages and fields

More for captures:
  view         show messages, fields and bytes on the terminal
  dump         print the messages of hex text
  diff         compare two captures
  top          watch live messages and conversations with their rates
  wireshark    show netkit's analysis in Wireshark

Traffic of your own:
  encode       write messages as bytes, hex or a capture
  replay       play one side of a capture to a live peer
  check        check a file that describes a protocol

Help and setup:
  help         explain a command, a protocol or a topic: netkit help filters
  completions  print the completions for a shell
  man          print the man page";

/// The number of lines of examples in short help, with their heading.
const FEW: usize = 5;

/// Puts a command's examples before its options.
pub trait Tasks {
    /// Adds the text. It begins with examples; the part after the first blank line is printed after the options.
    #[must_use]
    fn tasks(self, text: &'static str) -> Self;
}

impl Tasks for Command {
    fn tasks(self, text: &'static str) -> Command {
        let (examples, notes) = text.split_once("\n\n").unwrap_or((text, ""));
        let few = examples.match_indices('\n').nth(FEW - 1).map_or(examples, |(end, _)| &examples[..end]);
        let command = self
            .help_template("{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}\n")
            .before_help(few)
            .before_long_help(examples);
        if notes.is_empty() { command } else { command.after_long_help(notes) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::*;
    use clap::CommandFactory;

    fn commands() -> Vec<Command> {
        let mut command = Cli::command();
        command.build();
        command.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned().collect()
    }

    #[test]
    fn the_overview_has_each_command() {
        for command in commands() {
            let name = command.get_name();
            let there = |line: &str| line.trim().trim_start_matches("netkit ").split(' ').next() == Some(name);
            assert!(OVERVIEW.lines().any(there), "{name}");
        }
    }

    /// The verbs with which help begins.
    const VERBS: &str = "Accept Act Add Allow Apply Ask Begin Buffer Capture Change Check Choose Compare Complete \
        Convert Count Create Decode Delay Document Draw Duplicate Encode End Exit Explain Flip Follow Forget Frame Hold \
        Impair Include Install Join Keep Leave Let Limit List Load Lose Make Measure Name Pass Play Print Read Record \
        Relay Repeat Replace Report Reset Select Send Set Shorten Show Sort Spend Stop Swap Update Use Wait Watch Write";

    #[test]
    fn first_lines_are_short_imperatives_and_short_help_has_ten_options() {
        for command in commands() {
            let name = command.get_name().to_owned();
            let first = |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string).unwrap_or_default();
            let options = || command.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set());
            let about = [(name.clone(), first(command.get_about()))];
            let lines = options().map(|arg| (format!("{name} {arg}"), first(arg.get_help()))).chain(about);
            for (what, line) in lines {
                assert!((1..=80).contains(&line.len()), "{what}: {line:?}");
                let verb = line.split(' ').next();
                let known = VERBS.split_whitespace().any(|known| Some(known) == verb);
                assert!(known || what.ends_with("--help"), "{what}: not an imperative: {line:?}");
            }
            let shown: Vec<_> =
                options().filter(|arg| !arg.is_hide_short_help_set()).map(ToString::to_string).collect();
            assert!(shown.len() <= 10, "{name}: {shown:?}");
        }
    }
}
