//! Messages as rows of a table: the columns that a user named.

mod lines;
mod values;

pub use lines::Lines;

use super::files::Files;
use super::form::Form;
use super::line_writer::LineWriter;
use super::style::Style;
use crate::capture::Time;
use crate::dissect::{Message, Wants};
use crate::filter::{FieldPath, FilterError, Names};
use crate::nearest::{hint, nearest};
use std::sync::Arc;

/// The columns if none are named.
pub const USUAL: [&str; 10] = ["frame", "time", "flow", "proto", "from", "src", "dst", "message", "length", "fields"];

/// The keys of an ndjson line, which are not fields.
const KEYS: [(&str, Source); 14] = [
    ("file", Source::File),
    ("file_frame", Source::FileFrame),
    ("frame", Source::Frame),
    ("frames", Source::Frames),
    ("time", Source::Time),
    ("flow", Source::Flow),
    ("related", Source::Related),
    ("notes", Source::Notes),
    ("fault", Source::Fault),
    ("part", Source::Part),
    ("packet", Source::Packet),
    ("fields", Source::Fields),
    ("derived", Source::Derived),
    ("bytes", Source::Bytes),
];

/// The source of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    File,
    FileFrame,
    Frame,
    Frames,
    Time,
    Flow,
    Related,
    Notes,
    Fault,
    Part,
    Packet,
    Fields,
    Derived,
    Bytes,
}

#[derive(Debug)]
enum Value {
    Key(Source),
    Path(FieldPath),
}

impl Value {
    /// Returns the value of a name that is known without a protocol.
    fn of_envelope(name: &str) -> Option<Value> {
        let key = KEYS.iter().find(|(key, _)| *key == name).map(|(_, key)| Value::Key(*key));
        key.or_else(|| FieldPath::envelope(name).map(Value::Path))
    }

    /// Returns the parts of a message that it reads.
    fn reads(&self) -> Wants {
        match self {
            Value::Key(Source::Related) => Wants::RELATIONS,
            Value::Key(Source::Notes) => Wants { notes: true, ..Wants::FIELDS },
            Value::Key(Source::Derived) => Wants::DERIVED,
            Value::Key(_) => Wants::FIELDS,
            Value::Path(path) => path.reads(),
        }
    }

    /// Whether it depends only on the conversation's side; see [`FieldPath::is_of_side`].
    fn is_of_side(&self) -> bool {
        match self {
            Value::Key(key) => *key == Source::Flow,
            Value::Path(path) => path.is_of_side(),
        }
    }
}

/// Named columns: ndjson keys, names of the envelope, fields of messages and schemas.
#[derive(Clone, Debug)]
pub struct Columns(Arc<Vec<(String, Value)>>);

impl Columns {
    /// Looks up the columns by name. If `proto` is set, a field must belong to that protocol.
    ///
    /// # Errors
    /// Returns the place of an unknown name, and the nearest name.
    pub fn parse<S: AsRef<str>>(list: &[S], proto: Option<&str>, names: &Names<'_>) -> Result<Columns, FilterError> {
        let one = |name: &S| {
            let name = name.as_ref().trim();
            if let Some(value) = Value::of_envelope(name) {
                return Ok((name.to_owned(), value));
            }
            let near = |mut error: FilterError| {
                if !error.what.contains("did you mean") {
                    error.what += &hint(nearest(name, KEYS.iter().map(|(key, _)| *key)));
                }
                error
            };
            let path = FieldPath::parse(name, names).map_err(near)?;
            if let Some(proto) = proto.filter(|_| path.any_protocol()) {
                // The column also finds the field in carriers of the protocol, so only the name is checked.
                FieldPath::parse(&format!("{proto}.{name}"), names).map_err(near)?;
            }
            Ok((name.to_owned(), Value::Path(path)))
        };
        Ok(Columns(Arc::new(list.iter().map(one).collect::<Result<_, _>>()?)))
    }

    /// Returns the columns that are shown if none are named.
    pub fn usual() -> Columns {
        let known = |name: &&str| Some((name.to_string(), Value::of_envelope(name)?));
        Columns(Arc::new(USUAL.iter().filter_map(known).collect()))
    }

    /// Returns the same with the columns that packets need: they may hold several messages, and parts of longer ones.
    pub fn usual_of_packets() -> Columns {
        let known = |name: &&str| Some((name.to_string(), Value::of_envelope(name)?));
        Columns(Arc::new(USUAL.iter().chain(&["part", "packet", "derived"]).filter_map(known).collect()))
    }

    /// Returns the names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

/// Writes rows of separated values.
#[derive(Debug)]
pub struct Separated {
    lines: Lines,
    separator: u8,
    divides: bool,
}

impl Separated {
    /// Creates a writer of the given columns, or of the usual ones.
    pub fn new(separator: u8, style: Style, columns: Option<&Columns>, files: Option<&Files>) -> Separated {
        let columns = columns.cloned().unwrap_or_else(Columns::usual);
        Separated { lines: Lines::new(columns, style, files), separator, divides: style.divides() }
    }
}

impl Form for Separated {
    fn reads(&self) -> Wants {
        self.lines.reads()
    }

    fn origin(&mut self, time: Time) {
        self.lines.origin(time);
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        self.lines.header(self.separator, out);
    }

    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        self.lines.row(message, self.separator, out);
    }

    fn divide(&mut self) -> bool {
        self.divides
    }
}

/// Writes columns of text.
#[derive(Debug)]
pub struct Texts {
    lines: Lines,
    style: Style,
}

impl Texts {
    /// Creates a writer for this terminal.
    pub fn new(columns: &Columns, style: Style, files: Option<&Files>) -> Texts {
        Texts { lines: Lines::new(columns.clone(), style, files), style }
    }
}

impl Form for Texts {
    fn reads(&self) -> Wants {
        self.lines.reads()
    }

    fn origin(&mut self, time: Time) {
        self.lines.origin(time);
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        if self.style.heading {
            let mut line = LineWriter::new(out, self.style.colour);
            line.paint(line.palette.dim);
            self.lines.heading(&mut line);
            line.reset().newline();
        }
    }

    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        let mut line = LineWriter::new(out, self.style.colour);
        self.lines.text(message, self.style, &mut line);
        line.newline();
    }

    fn divide(&mut self) -> bool {
        self.style.divides()
    }
}
