//! The options of `netkit stats`.

use super::decode::TIMES;
use super::forms::{self, Form, one_of};
use super::names::{filter, table};
use super::{Dissect, Gates, Interface, Interfaces, Traffic};
use clap::{Args, ValueEnum};
use netkit::render::TimeForm;
use std::path::{Path, PathBuf};

/// `netkit stats`.
#[derive(Args, Clone, Debug)]
#[command(after_help = STATS)]
pub struct Stats {
    /// A capture; `-` is stdin. Several are told each, and then together as one capture
    #[arg(required_unless_present_any = ["interface", "list_interfaces"], value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Read several files as one capture, in the order of their first frames: rotated files
    #[arg(long)]
    pub join: bool,
    /// Live capture.
    #[command(flatten)]
    pub interface: Interface,
    /// Instead of it.
    #[command(flatten)]
    pub interfaces: Interfaces,
    /// Options that concern dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Options that concern captures.
    #[command(flatten)]
    pub traffic: Traffic,
    /// One table: by message, flow, peer or second; or by any fields, with commas between them, as
    /// message_id,second; with --track: the field that tells series apart
    #[arg(long, value_name = "message|flow|peer|second|FIELD,..", value_parser = table(), hide_possible_values = true)]
    pub by: Option<String>,
    /// By steps of time instead of seconds: 500ms, 1m; with --by also by its fields
    #[arg(long, value_name = "TIME", value_parser = step, conflicts_with_all = ["delivery", "track"])]
    pub every: Option<i64>,
    /// --by FIELD: in order of this column; default: of time or of bytes
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["delivery", "track"])]
    pub sort: Option<String>,
    /// --by FIELD: only the first N groups
    #[arg(long, value_name = "N", conflicts_with_all = ["delivery", "track"])]
    pub top: Option<usize>,
    /// List the messages that nothing in the capture answers
    #[arg(long, conflicts_with_all = ["by", "every", "delivery", "track"])]
    pub unanswered: bool,
    /// List the messages that nothing in the capture acknowledges
    #[arg(long, conflicts_with_all = ["by", "every", "delivery", "track"])]
    pub never_acked: bool,
    /// List the messages that were answered or acknowledged after this time or later: 200ms
    #[arg(long, value_name = "TIME", value_parser = slow, conflicts_with_all = ["by", "every", "delivery", "track"])]
    pub slow: Option<i64>,
    /// --unanswered, --never-acked, --slow: how times are shown; default: relative on narrow terminals, else utc;
    /// epoch in csv and tsv
    #[arg(long, value_enum, value_name = TIMES, hide_possible_values = true)]
    pub time: Option<TimeForm>,
    /// Draw bytes a second over time, as wide as the terminal, stacked by message or direction
    #[arg(long, value_enum, value_name = "message|direction", num_args = 0..=1, require_equals = true, default_missing_value = "message", hide_possible_values = true, conflicts_with_all = ["by", "every", "delivery", "track", "unanswered", "never_acked", "slow", "latency"])]
    pub plot: Option<PlotBy>,
    /// How long messages waited for answers and acknowledgements, by message and route
    #[arg(long, conflicts_with_all = ["by", "every", "delivery", "track"])]
    pub latency: bool,
    /// What became of numbered messages, requests and links
    #[arg(long, conflicts_with = "by")]
    pub delivery: bool,
    /// Follow a field: a line each time it occurs; in text a sparkline
    #[arg(long, value_name = "FIELD", conflicts_with = "delivery", value_parser = filter(), hide_possible_values = true)]
    pub track: Option<String>,
    /// What has to hold.
    #[command(flatten)]
    pub gates: Gates,
    /// Form of the output
    #[arg(short, long, default_value = "text", value_parser = one_of(forms::STATS), value_name = "F")]
    pub format: Form,
    /// csv, tsv and --by FIELD: these columns of the table, with commas between them
    #[arg(long, value_name = "A,B", value_delimiter = ',', conflicts_with = "track")]
    pub columns: Vec<String>,
    /// parquet: the folder of its files, which is new or empty
    #[arg(short, long = "output", value_name = "DIR", value_hint = clap::ValueHint::DirPath, hide = cfg!(not(feature = "parquet")), conflicts_with_all = ["by", "every", "track", "unanswered", "never_acked", "slow", "latency", "plot"])]
    pub out: Option<PathBuf>,
    /// -i: keep the frames; a name that ends in .pcapng is pcapng, others pcap
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub write: Option<PathBuf>,
    /// -w, -o: replace files that are there
    #[arg(long)]
    pub force: bool,
    /// Read a file with N threads; default: as many as there are processors
    #[arg(long, value_name = "N", conflicts_with = "track")]
    pub threads: Option<usize>,
}

fn slow(text: &str) -> Result<i64, String> {
    netkit::duration::has_unit(text)?;
    step(text)
}

fn step(text: &str) -> Result<i64, String> {
    let nanos = netkit::duration::nanos(text).map_err(|e| e.to_string())?;
    i64::try_from(nanos).ok().filter(|n| *n > 0).ok_or_else(|| "expected more than nothing, as 500ms".into())
}

impl Stats {
    /// The first file.
    pub fn path(&self) -> &Path {
        self.files.first().map_or(Path::new(""), PathBuf::as_path)
    }
}

/// What a picture is stacked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlotBy {
    /// The message's name.
    Message,
    /// The sender.
    Direction,
}

const STATS: &str = "\
Examples:
  netkit stats capture.pcap                    all of it
  netkit stats capture.pcap --by second -f csv
  netkit stats capture.pcap --by flow -f ndjson
  netkit stats capture.pcap --by message -f csv --columns message,messages,bytes
  netkit stats --join ring_*.pcapng            rotated files
  netkit stats capture.pcap --by message_id,second -f csv
  netkit stats capture.pcap --by src --every 500ms --sort resent --top 10
  netkit stats capture.pcap --unanswered --slow 200ms --latency
  netkit stats capture.pcap --plot=direction
  netkit stats capture.pcap --delivery         losses, resends, delays
  netkit stats capture.pcap --delivery -f json   every numbered message, too
  netkit stats capture.pcap -F 'from == server' --since 1m --until 2m
  netkit stats game.pcap --track acknex.update2.position --by entity
  netkit stats game.pcap --schema game.toml --track payload.hp -f csv
  netkit stats -i eth0 --port 7777=riptide     live, until Ctrl-C

`netkit help figures` explains every figure. Rates are a second of the capture, sizes bytes, delays \
milliseconds.";
