//! Messages as rows of a table: the columns that a user named.

use super::cells;
use super::envelope;
use super::envelope_cache::Sides;
use super::files::{FileNames, Files};
use super::form::Form;
use super::line_writer::LineWriter;
use super::style::Style;
use super::times::{Clock, TimeForm};
use crate::capture::Time;
use crate::codec::json::fields::Walks;
use crate::codec::json::line::Stage;
use crate::codec::json::numbers::uint;
use crate::codec::json::text::hex;
use crate::codec::{Sources, Tree};
use crate::dissect::{Message, Wants};
use crate::filter::{FieldPath, FilterError, Names};
use crate::nearest::{hint, nearest};
use std::ops::Range;
use std::sync::Arc;

/// The columns if none are named.
pub const USUAL: [&str; 10] = ["frame", "time", "flow", "proto", "from", "src", "dst", "message", "length", "fields"];

/// Keys of a line of ndjson that are no fields of their own.
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

/// The widest that one cell is on a terminal.
const WIDEST: usize = 40;

/// Where the values of a column come from.
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
    /// What needs no protocol to be known.
    fn of_envelope(name: &str) -> Option<Value> {
        let key = KEYS.iter().find(|(key, _)| *key == name).map(|(_, key)| Value::Key(*key));
        key.or_else(|| FieldPath::envelope(name).map(Value::Path))
    }

    /// What it reads of messages.
    fn reads(&self) -> Wants {
        match self {
            Value::Key(Source::Related) => Wants::RELATIONS,
            Value::Key(Source::Notes) => Wants { notes: true, ..Wants::FIELDS },
            Value::Key(Source::Derived) => Wants::DERIVED,
            Value::Key(_) => Wants::FIELDS,
            Value::Path(path) => path.reads(),
        }
    }

    /// See [`FieldPath::is_of_side`].
    fn is_of_side(&self) -> bool {
        match self {
            Value::Key(key) => *key == Source::Flow,
            Value::Path(path) => path.is_of_side(),
        }
    }
}

/// Named columns: keys of ndjson, names of the envelope, fields of messages and schemas.
#[derive(Clone, Debug)]
pub struct Columns(Arc<Vec<(String, Value)>>);

impl Columns {
    /// Looks up the columns' names; with `proto`, only fields of that protocol.
    ///
    /// # Errors
    /// There is no such field: its place, and the nearest name.
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
                // It is looked for in what carries the protocol, too: only the name is checked.
                FieldPath::parse(&format!("{proto}.{name}"), names).map_err(near)?;
            }
            Ok((name.to_owned(), Value::Path(path)))
        };
        Ok(Columns(Arc::new(list.iter().map(one).collect::<Result<_, _>>()?)))
    }

    /// The columns that are shown if none are named.
    pub fn usual() -> Columns {
        let known = |name: &&str| Some((name.to_string(), Value::of_envelope(name)?));
        Columns(Arc::new(USUAL.iter().filter_map(known).collect()))
    }

    /// The same where packets may hold several messages, and parts of longer ones.
    pub fn usual_of_packets() -> Columns {
        let known = |name: &&str| Some((name.to_string(), Value::of_envelope(name)?));
        Columns(Arc::new(USUAL.iter().chain(&["part", "packet", "derived"]).filter_map(known).collect()))
    }

    /// The names, in order.
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
    /// Rows of the columns that are asked for, or of the usual ones.
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
    /// Rows for this terminal.
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
            line.reset();
            line.newline();
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

/// Writes rows. Its only state is reusable memory, and what times are counted from.
#[derive(Debug)]
pub struct Lines {
    columns: Columns,
    groups: Vec<Group>,
    values: Values,
    scratch: Vec<u8>,
}

/// Neighbouring columns: one, or several that depend only on a conversation's side, whose cells are
/// kept ready.
#[derive(Debug)]
struct Group {
    columns: Range<usize>,
    sides: Option<Sides>,
}

impl Group {
    fn all(columns: &Columns) -> Vec<Group> {
        let mut end = 0;
        let chunks = columns.0.chunk_by(|(_, a), (_, b)| a.is_of_side() && b.is_of_side());
        let group = |chunk: &[(String, Value)]| {
            let columns = end..end + chunk.len();
            end = columns.end;
            Group { columns, sides: chunk.iter().all(|(_, value)| value.is_of_side()).then(Sides::default) }
        };
        chunks.map(group).collect()
    }
}

impl Lines {
    /// Rows of these columns. Times are seconds since 1970 if the style does not say.
    pub fn new(columns: Columns, style: Style, files: Option<&Files>) -> Lines {
        let time = style.time.unwrap_or(TimeForm::Epoch);
        let files = files.map(FileNames::new);
        let (clock, walks, stage) = (Clock::default(), Walks::default(), Stage::default());
        let values = Values { clock, time, walks, stage, files };
        Lines { groups: Group::all(&columns), columns, values, scratch: Vec::new() }
    }

    /// The same, with nothing kept from other rows.
    #[cfg(test)]
    pub(super) fn alone(columns: Columns) -> Lines {
        let groups = (0..columns.0.len()).map(|k| Group { columns: k..k + 1, sides: None }).collect();
        Lines { groups, ..Lines::new(columns, Style::default(), None) }
    }

    /// What the columns read of messages.
    pub fn reads(&self) -> Wants {
        self.columns.0.iter().fold(Wants::FIELDS, |all, (_, value)| all | value.reads())
    }

    /// A capture begins, at this time.
    pub fn origin(&mut self, time: Time) {
        self.values.clock.origin(time);
    }

    /// The line of names.
    pub fn header(&self, separator: u8, out: &mut Vec<u8>) {
        for (k, name) in self.columns.names().enumerate() {
            out.extend((k > 0).then_some(separator));
            cells::text(name, separator, out);
        }
        out.push(b'\n');
    }

    /// One message as separated values.
    pub fn row(&mut self, message: &Message<'_>, separator: u8, out: &mut Vec<u8>) {
        for Group { columns, sides } in &mut self.groups {
            if columns.start > 0 {
                out.push(separator);
            }
            let columns = self.columns.0.get(columns.clone()).unwrap_or_default();
            let mut write = |message: &Message<'_>, out: &mut Vec<u8>| {
                for (k, (_, value)) in columns.iter().enumerate() {
                    if k > 0 {
                        out.push(separator);
                    }
                    let start = out.len();
                    self.values.append(value, message, out);
                    cells::finish(start, separator, &mut self.scratch, out);
                }
            };
            match sides {
                Some(sides) => out.extend_from_slice(sides.of(message, write)),
                None => write(message, out),
            }
        }
        out.push(b'\n');
    }

    /// The line of names over columns of text.
    pub fn heading(&self, line: &mut LineWriter<'_>) {
        let mut at = 0;
        for name in self.columns.names() {
            line.pad(at);
            line.untrusted(name);
            at += room(name, self.values.time);
        }
    }

    /// One message as columns of text, within the width of the style.
    pub fn text(&mut self, message: &Message<'_>, style: Style, line: &mut LineWriter<'_>) {
        let limit = style.width.unwrap_or(usize::MAX);
        let mut at = 0;
        for (k, (name, value)) in self.columns.0.iter().enumerate() {
            match at > 0 && line.column >= at {
                true => line.put(" "),
                false => line.pad(at),
            }
            self.scratch.clear();
            self.values.append(value, message, &mut self.scratch);
            let value = match self.scratch.as_slice() {
                b"null" => String::new(),
                text @ [b'"', .., b'"'] => {
                    serde_json::from_slice(text).unwrap_or_else(|_| String::from_utf8_lossy(text).into_owned())
                }
                value => String::from_utf8_lossy(value).into_owned(),
            };
            let last = k + 1 == self.columns.0.len();
            let widest = if style.width.is_none() || last { usize::MAX } else { WIDEST };
            let left = limit.saturating_sub(line.column);
            if left == 0 {
                break;
            }
            line.untrusted_cut(&value, widest.min(left));
            at += room(name, self.values.time);
        }
    }
}

/// Evaluates columns.
#[derive(Debug)]
struct Values {
    clock: Clock,
    time: TimeForm,
    walks: Walks,
    stage: Stage,
    files: Option<FileNames>,
}

impl Values {
    /// Appends a tree as an object.
    fn object(&mut self, tree: &Tree, sources: Sources<'_>, out: &mut Vec<u8>) {
        self.stage.line(out, |line| {
            line.constant(b"{");
            self.walks.fields(tree, sources, line);
        });
    }

    /// Appends the value of a column, as JSON; nothing, or `null`, if the message has none.
    fn append(&mut self, value: &Value, message: &Message<'_>, out: &mut Vec<u8>) {
        let place = message.place;
        let key = match value {
            Value::Path(path) => return path_value(path, message, out),
            Value::Key(key) => *key,
        };
        match key {
            Source::File | Source::FileFrame if place.frame > 0 => {
                if let Some(files) = &mut self.files {
                    let (name, own) = files.of(place.frame);
                    match key {
                        Source::File => out.extend_from_slice(name),
                        _ => uint(own, out),
                    }
                }
            }
            Source::Frame if place.frame > 0 => uint(place.frame, out),
            Source::Flow if message.flow_info.flow > 0 => uint(message.flow_info.flow, out),
            Source::Time if place.frame > 0 => {
                let quoted = matches!(self.time, TimeForm::Utc) || is_local(self.time);
                out.extend(quoted.then_some(b'"'));
                self.clock.plain(self.time, place.time, out);
                out.extend(quoted.then_some(b'"'));
            }
            Source::Frames if place.frame > 0 => {
                let own = [place.frame];
                let frames = if place.frames.is_empty() { &own } else { place.frames };
                self.stage.line(out, |line| envelope::frames(frames, line));
            }
            Source::Related if !message.dissection.related.is_empty() => {
                self.stage.line(out, |line| envelope::related(message, line));
            }
            Source::Notes if !message.dissection.notes.is_empty() => {
                self.stage.line(out, |line| envelope::notes(message, line));
            }
            Source::Fault if message.dissection.fault.is_some() => {
                envelope::fault(message, out);
            }
            Source::Part => {
                if let Some(part) = message.dissection.part {
                    self.stage.line(out, |line| envelope::part(part, line));
                }
            }
            Source::Packet if !message.dissection.packet.is_empty() => {
                self.object(&message.dissection.packet, message.sources(), out);
            }
            Source::Fields => self.object(&message.dissection.tree, message.sources(), out),
            Source::Derived => {
                let (dissection, sources) = (message.dissection, message.sources());
                let trees = [&dissection.packet, &dissection.tree];
                let walks = &mut self.walks;
                self.stage.line(out, |line| walks.derived(trees, &dissection.derived, sources, false, line));
            }
            Source::Bytes => {
                out.push(b'"');
                hex(place.bytes, out);
                out.push(b'"');
            }
            _ => {}
        }
    }
}

#[cfg(feature = "cli")]
fn is_local(form: TimeForm) -> bool {
    form == TimeForm::Local
}

#[cfg(not(feature = "cli"))]
fn is_local(_: TimeForm) -> bool {
    false
}

/// A field's value; an array of them where its path leads through the elements of a list.
fn path_value(path: &FieldPath, message: &Message<'_>, out: &mut Vec<u8>) {
    let (start, mut count, mut list) = (out.len(), 0, false);
    path.each(message, |found| {
        match count {
            0 => {
                list = path.repeats(found, message);
                out.extend(list.then_some(b'['));
            }
            1 if !list => {
                // Several fields of one name, as the members of a choice.
                list = true;
                out.insert(start, b'[');
                out.push(b',');
            }
            _ => out.push(b','),
        }
        count += 1;
        path.json(found, message, out);
    });
    out.extend(list.then_some(b']'));
}

/// How wide a column of text is. It does not depend on other messages: lines are printed as they
/// come, by any number of threads.
fn room(name: &str, time: TimeForm) -> usize {
    let usual = match name {
        "frame" => 6,
        "time" => match time {
            TimeForm::Relative | TimeForm::Delta => 12,
            TimeForm::Epoch => 18,
            _ if is_local(time) => 33,
            _ => 28,
        },
        "flow" | "length" | "file_frame" => 6,
        "from" | "proto" | "version" | "transport" => 9,
        "src" | "dst" => 22,
        "message" => 18,
        _ => 12,
    };
    usual.max(name.chars().count() + 2)
}
