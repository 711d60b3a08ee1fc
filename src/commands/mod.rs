//! The subcommands, one per file, and below them what several of them share to read options and to print. No file here
//! imports this one.

mod check;
mod check_file;
mod cut;
mod decode;
mod described;
mod diff;
mod dump;
mod encode;
mod examples;
pub mod extcap;
mod fields;
mod figures;
mod gates;
mod generate;
pub mod help;
mod load;
mod options;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
mod pcapng;
mod probe;
mod probe_print;
mod proxy;
mod proxy_like;
mod proxy_print;
mod proxy_view;
mod redacted;
mod replay;
mod replay_print;
mod report;
mod selection;
mod stats;
mod targets;
mod top;
mod track;
mod view;
mod wireshark;

pub use generate::complete;
pub use probe::unknown;
pub use view::inspects;

use crate::cli::{Cli, Command};
use crate::process::{capture, pager};

/// Runs a command. Returns its exit status, or an error of input or output.
pub fn run(cli: &Cli) -> anyhow::Result<u8> {
    if cli.global.verbose > 0 && !cli.global.quiet {
        described::name_files();
    }
    let done = match &cli.command {
        Command::Decode(args) => decode::run(args, &cli.global),
        Command::View(args) => view::run(args, &cli.global),
        Command::Dump(args) => dump::run(args, &cli.global),
        Command::Probe(args) => probe::run(args, &cli.global),
        Command::Replay(args) => replay::run(args, &cli.global),
        Command::Proxy(args) => proxy::run(args, &cli.global),
        Command::Encode(args) => encode::run(args, &cli.global),
        Command::Diff(args) => diff::run(args, &cli.global),
        Command::Report(args) => report::run(args, &cli.global),
        Command::Stats(args) => stats::run(args, &cli.global),
        Command::Top(args) => top::run(args, &cli.global),
        Command::Check(args) => check_file::run(args, &cli.global),
        Command::Fields(args) => fields::run(args, &cli.global),
        Command::Completions { shell } => generate::completions(*shell),
        Command::Man => generate::man(),
        Command::Wireshark(args) => wireshark::run(args, &cli.global),
        Command::Help { topic } => help::run(topic.as_deref(), &cli.global),
    };
    let ended = capture::end(&cli.global);
    pager::end();
    done.and_then(|status| ended.map(|()| status))
}
