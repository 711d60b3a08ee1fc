//! The options of `netkit stats`.

use super::decode::TIMES;
use super::forms::{self, Form, one_of};
use super::help::Tasks;
use super::names::{filter, sort, table};
use super::{Dissect, Gates, Interface, Interfaces, Rotation, Traffic};
use crate::dissect::Part;
use crate::render::TimeForm;
use crate::stats::Stacked;
use clap::Args;
use std::path::{Path, PathBuf};

/// `netkit stats`.
#[derive(Args, Clone, Debug)]
#[command(tasks = STATS)]
pub struct Stats {
    /// Captures; `-` is stdin. Several are reported one by one, then together
    #[arg(required_unless_present_any = ["interface", "list_interfaces"], value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Read rotated files as one capture, in the order of their first frames
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    pub join: bool,
    /// A live capture.
    #[command(flatten)]
    pub interface: Interface,
    /// The list of interfaces, instead of a capture.
    #[command(flatten)]
    pub interfaces: Interfaces,
    /// Options of the dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Select part K of N of the conversations, as 3/8; each is in one part
    #[arg(long, value_name = "K/N", help_heading = "Selection", hide_short_help = true)]
    pub conversations: Option<Part>,
    /// Options of captures.
    #[command(flatten)]
    pub traffic: Traffic,
    /// Print one table: by message, flow, peer, second or any fields
    ///
    /// Several fields are separated by commas: message_id,second. With --track, each value of the field is a series.
    #[arg(long, value_name = "message|flow|peer|second|FIELD,..", value_parser = table(), hide_possible_values = true, help_heading = "Tables")]
    pub by: Option<String>,
    /// Count in steps of this time instead of seconds: 500ms, 1m
    ///
    /// Add --by to also group each step by fields.
    #[arg(long, alias = "every", value_name = "TIME", value_parser = step, conflicts_with_all = ["delivery", "track"], help_heading = "Tables", hide_short_help = true)]
    pub step: Option<i64>,
    /// Sort the table of --by by this column; default of groups: time or bytes
    #[arg(long, value_name = "COLUMN", value_parser = sort(), hide_possible_values = true, conflicts_with_all = ["delivery", "track"], help_heading = "Tables", hide_short_help = true)]
    pub sort: Option<String>,
    /// Print only the first N rows of --by
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..), conflicts_with_all = ["delivery", "track"], help_heading = "Tables", hide_short_help = true)]
    pub top: Option<usize>,
    /// List the messages that nothing in the capture answers
    #[arg(long, conflicts_with_all = ["by", "step", "delivery", "track"], help_heading = "Tables", hide_short_help = true)]
    pub unanswered: bool,
    /// List the messages that nothing in the capture acknowledges
    #[arg(long, conflicts_with_all = ["by", "step", "delivery", "track"], help_heading = "Tables", hide_short_help = true)]
    pub never_acked: bool,
    /// List messages answered or acknowledged after this time or later: 200ms
    #[arg(long, value_name = "TIME", value_parser = step, conflicts_with_all = ["by", "step", "delivery", "track"], help_heading = "Tables", hide_short_help = true)]
    pub slow: Option<i64>,
    /// Choose the form of times of --unanswered, --never-acked and --slow
    ///
    /// Default: relative on terminals, else utc; epoch in csv and tsv.
    #[arg(long, value_enum, value_name = TIMES, hide_possible_values = true, help_heading = "Output", hide_short_help = true)]
    pub time: Option<TimeForm>,
    /// Draw the bytes per second over time, stacked by message or direction
    #[arg(long, value_parser = stacked, value_name = "message|direction", num_args = 0..=1, require_equals = true, default_missing_value = "message", conflicts_with_all = ["by", "step", "delivery", "track", "unanswered", "never_acked", "slow", "latency"], help_heading = "Tables", hide_short_help = true)]
    pub plot: Option<Stacked>,
    /// Show how long messages waited for responses and acknowledgements
    #[arg(long, conflicts_with_all = ["by", "step", "delivery", "track"], help_heading = "Tables", hide_short_help = true)]
    pub latency: bool,
    /// Show which numbered messages, requests and links arrived, and when
    #[arg(long, conflicts_with = "by", help_heading = "Tables")]
    pub delivery: bool,
    /// Follow a field: print each of its values; in text, a sparkline
    #[arg(long, value_name = "FIELD", conflicts_with = "delivery", value_parser = filter(), hide_possible_values = true, help_heading = "Tables", hide_short_help = true)]
    pub track: Option<String>,
    /// Conditions on the messages.
    #[command(flatten)]
    pub gates: Gates,
    /// Choose the form of the output
    #[arg(short, long, default_value = "text", value_parser = one_of(forms::STATS), value_name = "F", help_heading = "Output")]
    pub format: Form,
    /// Choose the columns of csv, tsv and --by FIELD
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        conflicts_with = "track",
        help_heading = "Output",
        hide_short_help = true
    )]
    pub columns: Vec<String>,
    /// Write parquet into this folder, which is new or empty
    #[arg(short, long = "output", value_name = "DIR", value_hint = clap::ValueHint::DirPath, hide = cfg!(not(feature = "parquet")), conflicts_with_all = ["by", "step", "track", "unanswered", "never_acked", "slow", "latency", "plot"], help_heading = "Output", hide_short_help = true)]
    pub out: Option<PathBuf>,
    /// Write the frames captured with -i: pcapng if FILE ends in .pcapng, else pcap
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Output", hide_short_help = true)]
    pub write: Option<PathBuf>,
    /// The rotation of the file of -w.
    #[command(flatten)]
    pub rotation: Rotation,
    /// Replace existing output files
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub force: bool,
    /// Read a file with N threads; default: the number of processors, at most 8
    #[arg(long, value_name = "N", conflicts_with = "track", help_heading = "Limits", hide_short_help = true)]
    pub threads: Option<usize>,
}

fn step(text: &str) -> Result<i64, String> {
    let nanos = crate::duration::with_unit(text)?;
    i64::try_from(nanos).ok().filter(|n| *n > 0).ok_or_else(|| "expected a time above 0, such as 500ms".into())
}

/// Has no possible values, because shells would complete them as the next word, which is a file.
fn stacked(text: &str) -> Result<Stacked, String> {
    Stacked::named(text).ok_or_else(|| "expected message or direction".into())
}

impl Stats {
    /// Returns the first file.
    pub fn path(&self) -> &Path {
        self.files.first().map_or(Path::new(""), PathBuf::as_path)
    }
}

const STATS: &str = "\
Examples:
  netkit stats capture.pcap                    all of it
  netkit stats capture.pcap --delivery         losses, resends, delays
  netkit stats capture.pcap --by second -f csv
  netkit stats capture.pcap --by flow -f ndjson
  netkit stats capture.pcap --by message -f csv --columns message,messages,bytes
  netkit stats --join ring_*.pcapng            rotated files
  netkit stats capture.pcap --by message_id,second -f csv
  netkit stats capture.pcap --by src --step 500ms --sort resent --top 10
  netkit stats capture.pcap --unanswered --slow 200ms --latency
  netkit stats capture.pcap --plot=direction
  netkit stats capture.pcap --delivery -f json   every numbered message, too
  netkit stats capture.pcap -F 'from == server' --since 1m --until 2m
  netkit stats game.pcap --track acknex.update2.position --by entity
  netkit stats game.pcap --schema game.toml --track payload.hp -f csv
  netkit stats -i eth0 --port 7777=riptide     live, until Ctrl-C

`netkit help figures` explains every figure. Rates are per second of the capture, sizes in bytes, delays \
in milliseconds.";
