//! The subcommands: one file each, thin wrappers of the library.

mod annotated;
mod capture;
mod check;
mod check_file;
mod cut;
mod decode;
mod described;
mod diff;
mod dump;
mod encode;
mod ending;
mod examples;
pub mod extcap;
mod fields;
mod figures;
mod fit;
mod gates;
mod generate;
pub mod help;
mod hex;
mod input;
mod interrupt;
mod join;
mod link;
mod load;
mod markdown;
mod merging;
mod monitor;
mod notify;
mod outfile;
#[cfg(feature = "parquet")]
mod outfolder;
mod output;
mod packets;
mod paint;
mod parallel;
#[cfg(feature = "parquet")]
mod parquet;
mod pcapng;
mod printed;
mod probe;
mod probe_print;
mod proxy;
mod proxy_fate;
mod proxy_form;
mod proxy_like;
mod proxy_print;
mod proxy_rules;
mod read;
mod redact;
mod redacted;
mod replay;
mod report;
mod selection;
mod sink;
mod stats;
mod stopped;
mod targets;
mod top;
mod track;
mod unclaimed;
mod wireshark;
mod written;

/// The answer to `-f parquet` of a program without it.
#[cfg(not(feature = "parquet"))]
const NO_PARQUET: &str = "this netkit was built without parquet: `cargo build --features parquet` adds it";

pub use described::configured;
pub use generate::complete;
pub use probe::unknown;

use crate::cli::{Cli, Command, Dissect};
use anyhow::Context;
use netkit::codec::schema::Schemas;
use netkit::dissect::{Options, Registry};
use netkit::protocols;
use std::io;
use std::path::{Path, PathBuf};

/// A usage error that the argument parser cannot detect: exit status 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Runs a command: its exit status, or an error of input or output.
pub fn run(cli: &Cli) -> anyhow::Result<u8> {
    if cli.global.verbose > 0 && !cli.global.quiet {
        described::name_files();
    }
    let done = match &cli.command {
        Command::Decode(args) => decode::run(args, &cli.global),
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
    done.and_then(|status| ended.map(|()| status))
}

/// Has the reader of the output closed the pipe?
pub fn broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|e| e.downcast_ref::<io::Error>()).any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// The exit status of an error.
pub fn status(error: &anyhow::Error) -> u8 {
    if error.downcast_ref::<Usage>().is_some() { 2 } else { 3 }
}

/// The user's options for dissection.
pub fn options(dissect: &Dissect) -> anyhow::Result<Options> {
    described_options(dissect).map(|(options, _)| options)
}

/// The same, and the protocols that files describe.
pub fn described_options(dissect: &Dissect) -> anyhow::Result<(Options, described::Loaded)> {
    let mut options = Options { from: dissect.from, ..protocols::options() };
    let named = dissect.proto.clone().filter(|name| name != "auto");
    let own = named.as_deref().filter(|name| crate::cli::is_file(name)).map(PathBuf::from);
    let described = described::load(&dissect.protocol_file, own.as_deref())?;
    options.registry = Registry::new(options.registry.iter().chain(described.dissectors()));
    options.proto = described.own.map(Into::into).or(named.filter(|_| own.is_none()));
    if let Some(name) = &options.proto {
        described::known(name, &options.registry)?;
    }
    for text in &dissect.set {
        options.set(text).map_err(|why| Usage(format!("-s {text}: {why}")))?;
    }
    options.schemas = schemas(&dissect.schema)?.into();
    Ok((options, described))
}

/// All files that a command reads: none of them may be its output.
pub fn inputs<'a>(read: impl IntoIterator<Item = &'a PathBuf>, schemas: &'a [PathBuf]) -> Vec<&'a Path> {
    read.into_iter().chain(schemas).map(PathBuf::as_path).collect()
}

/// Reads the users' schemas.
pub fn schemas(files: &[PathBuf]) -> anyhow::Result<Schemas> {
    let mut schemas = Schemas::default();
    let encodings = |proto: &str| protocols::by_name(proto).map(|d| d.encodings()).filter(|e| !e.is_empty());
    for path in files {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        schemas.add(&path.display().to_string(), &text, &encodings).map_err(|e| Usage(e.to_string()))?;
    }
    Ok(schemas)
}
