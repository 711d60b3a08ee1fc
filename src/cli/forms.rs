//! The values of `-f`: a list of allowed forms for each command.

use crate::render;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A form of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One of the library's forms.
    Printed(render::Format),
    /// Columns, with a file for each message.
    Parquet,
    /// The capture itself, with the messages as packet comments.
    Pcapng,
    /// No messages at all.
    None,
}

/// A form of figures, findings and reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// JSON objects, one per line.
    Ndjson,
    /// One JSON value.
    Json,
    /// Comma-separated values.
    Csv,
    /// The same with tabs.
    Tsv,
    /// Columns, with a file for each table.
    Parquet,
    /// Tables for a comment or a build's summary.
    Markdown,
    /// JUnit's XML.
    Junit,
    /// Prometheus' text format.
    Prometheus,
    /// InfluxDB's line protocol.
    Influx,
    /// A Nagios plugin's line.
    Nagios,
}

/// A form that a command allows: its name, the form, and its help. A form without help is not listed.
pub type Allowed<T> = (&'static str, T, &'static str);

/// Returns the help of a form that the build may lack.
const fn columns(about: &'static str) -> &'static str {
    if cfg!(feature = "parquet") { about } else { "" }
}

impl Format {
    /// Whether it is one of these.
    pub fn is(self, forms: &[render::Format]) -> bool {
        matches!(self, Format::Printed(form) if forms.contains(&form))
    }

    /// Returns the value of `-f`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Printed(form) => form.name,
            Format::Parquet => "parquet",
            Format::Pcapng => "pcapng",
            Format::None => "none",
        }
    }
}

/// Returns the forms of decode and dump.
pub fn messages() -> Vec<Allowed<Format>> {
    let printed = render::Format::ALL.iter().map(|form| (form.name, Format::Printed(*form), form.about));
    let parquet = columns("Columns for DuckDB, Polars and Spark: decode -o DIR, one file for each message type");
    let pcapng = "The capture itself, with packet comments: decode only, for Wireshark, see `netkit help wireshark`";
    printed.chain([("parquet", Format::Parquet, parquet), ("pcapng", Format::Pcapng, pcapng)]).collect()
}

/// Returns the forms of proxy, summaries first. Two of them are refused with an error that names the alternative.
pub fn relayed() -> Vec<Allowed<Format>> {
    let mut list = messages();
    list.swap(0, 1);
    for (name, _, about) in &mut list {
        *about = match *name {
            "table" => "A table, at the end, for a few messages",
            "dialogue" => "Client at the left, server at the right",
            "parquet" | "pcapng" => "",
            _ => about,
        };
    }
    list.insert(list.len() - 2, ("none", Format::None, "Nothing but the counts at the end"));
    list
}

/// The forms of statistics.
pub const STATS: [Allowed<Form>; 6] = [
    ("text", Form::Text, "For people"),
    ("ndjson", Form::Ndjson, "One JSON object for each row"),
    ("json", Form::Json, "One JSON object"),
    ("csv", Form::Csv, "Comma-separated values after a line of names; see --columns"),
    ("tsv", Form::Tsv, "The same with tabs"),
    ("parquet", Form::Parquet, columns("Columns for DuckDB, Polars and Spark: -o DIR, one file for each table")),
];

/// The forms of differences.
pub const DIFF: [Allowed<Form>; 4] = [
    ("text", Form::Text, "For people"),
    ("json", Form::Json, "One JSON object"),
    ("markdown", Form::Markdown, "Tables for a comment or a build's summary"),
    ("junit", Form::Junit, "JUnit's XML, for build servers: a case for each limit"),
];

/// The forms of a check's findings.
pub const CHECK: [Allowed<Form>; 2] = [("text", Form::Text, "For people"), ("json", Form::Json, "One JSON object")];

/// The forms of the documentation.
pub const FIELDS: [Allowed<Form>; 3] = [
    ("text", Form::Text, "For people"),
    ("json", Form::Json, "For tools"),
    ("parquet", Form::Parquet, columns("The columns that decode -f parquet writes, and their types")),
];

/// The forms of live tables.
pub const TOP: [Allowed<Form>; 2] = [
    ("text", Form::Text, "Tables that are redrawn on a terminal; lines of NAME=VALUE in a pipe"),
    ("ndjson", Form::Ndjson, "One JSON object for each update"),
];

/// The forms of a replay's report.
pub const REPLAY: [Allowed<Form>; 2] = [
    ("text", Form::Text, "For people"),
    (
        "ndjson",
        Form::Ndjson,
        "One JSON object for each refusal, unsent message and divergence, then one for the session; with --clients one each \
         second, then one for all",
    ),
];

/// The forms of a probe's results.
pub const PROBE: [Allowed<Form>; 6] = [
    ("text", Form::Text, "For people"),
    ("ndjson", Form::Ndjson, "One JSON object for each round trip, then one for each server"),
    ("json", Form::Json, "One JSON array with an object for each server"),
    ("prometheus", Form::Prometheus, "Prometheus' text format"),
    ("influx", Form::Influx, "InfluxDB's line protocol: one line for each server"),
    (
        "nagios",
        Form::Nagios,
        "A Nagios plugin's line; exit status 0 OK, 1 WARNING (answers were lost), 2 CRITICAL (a server does not \
         answer), 3 UNKNOWN (one could not be asked)",
    ),
];

/// The parser of a value of `-f`.
pub fn one_of<T>(list: impl Into<Vec<Allowed<T>>>) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let list = list.into();
    let values = list.iter().map(|(name, _, about)| PossibleValue::new(*name).help(*about).hide(about.is_empty()));
    PossibleValuesParser::new(values.collect::<Vec<_>>()).try_map(move |name| {
        list.iter().find(|(own, ..)| *own == name).map(|(_, form, _)| *form).ok_or_else(|| format!("no form {name}"))
    })
}
