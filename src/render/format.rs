//! The forms of output: each is registered once, in [`Format::ALL`].

#[cfg(feature = "cli")]
use super::Rows;
use super::columns::{Separated, Texts};
use super::dialogue::Dialogue;
use super::hexdump::Hexdump;
use super::summary::Summaries;
use super::{Columns, Files, Form, Json, Ndjson, Style, Trees};
use crate::dissect::Options;
use std::fmt;

/// A form of output by its name.
#[derive(Clone, Copy)]
pub struct Format {
    /// The value of `-f`.
    pub name: &'static str,
    /// One line of help about its output.
    pub about: &'static str,
    /// Makes a writer of this form.
    pub form: fn(Style, &Details) -> Box<dyn Form>,
}

/// Settings of the output besides the style.
#[derive(Clone, Debug, Default)]
pub struct Details {
    /// The columns of summary, csv and tsv.
    pub(crate) columns: Option<Columns>,
    /// The files, if several are read.
    pub(crate) files: Option<Files>,
}

impl Format {
    /// Returns the columns of separated values if none are named and messages may have headers around them, or share a
    /// packet.
    pub(crate) fn columns(self, options: &Options) -> Option<Columns> {
        let separated = [Format::CSV, Format::TSV].contains(&self);
        let headers = || options.registry.iter().any(|dissector| !dissector.headers().is_empty());
        (separated && headers()).then(Columns::usual_of_packets)
    }

    /// Annotated field trees, as text.
    pub const TREE: Format = Format {
        name: "tree",
        about: "Annotated trees: each field with its bytes",
        form: |style, _| Box::new(Trees::new(style)),
    };
    /// One line of text per message.
    pub const SUMMARY: Format = Format {
        name: "summary",
        about: "One line for each message",
        form: |style, details| match &details.columns {
            Some(columns) => Box::new(Texts::new(columns, style, details.files.as_ref())),
            None => Box::new(Summaries::new(style)),
        },
    };
    /// A table, as text, for few messages; with the feature `cli`.
    #[cfg(feature = "cli")]
    pub const TABLE: Format =
        Format { name: "table", about: "A table, for a few messages", form: |style, _| Box::new(Rows::new(style)) };
    /// One line of JSON per message: values.
    pub const NDJSON: Format = Format {
        name: "ndjson",
        about: "One JSON object for each message: values",
        form: |style, details| Box::new(Ndjson::new(style.bytes).files(details.files.as_ref())),
    };
    /// One JSON array: values, types, ranges.
    pub const JSON: Format = Format {
        name: "json",
        about: "One JSON array of annotated trees",
        form: |style, details| Box::new(Json::new(style.bytes, style.verbose).files(details.files.as_ref())),
    };
    /// A line of comma-separated values per message, after a line of names: RFC 4180.
    pub const CSV: Format = Format {
        name: "csv",
        about: "Comma-separated values after a line of names; see --columns",
        form: |style, details| Box::new(Separated::new(b',', style, details.columns.as_ref(), details.files.as_ref())),
    };
    /// Like [`Format::CSV`], separated by tabs.
    pub const TSV: Format = Format {
        name: "tsv",
        about: "The same with tabs",
        form: |style, details| Box::new(Separated::new(b'\t', style, details.columns.as_ref(), details.files.as_ref())),
    };
    /// Conversations in two columns, as text: client and server.
    pub const DIALOGUE: Format = Format {
        name: "dialogue",
        about: "Client at the left, server at the right: for one conversation, see --flow",
        form: |style, _| Box::new(Dialogue::new(style)),
    };
    /// The messages' bytes with offsets, directions and times.
    pub const HEXDUMP: Format = Format {
        name: "hexdump",
        about: "Bytes with offsets: for netkit dump and Wireshark's text2pcap",
        form: |_, _| Box::new(Hexdump),
    };

    /// All forms, in the order in which help lists them.
    pub const ALL: &[Format] = &[
        Format::TREE,
        Format::SUMMARY,
        #[cfg(feature = "cli")]
        Format::TABLE,
        Format::NDJSON,
        Format::JSON,
        Format::CSV,
        Format::TSV,
        Format::DIALOGUE,
        Format::HEXDUMP,
    ];
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
