//! Messages as rows of a table: the columns that a user named.

use super::cells;
use super::envelope;
use super::files::{FileNames, Files};
use super::line_writer::LineWriter;
use super::style::Style;
use super::times::{Clock, TimeForm};
use crate::codec::json::fields::Walks;
use crate::codec::json::text::hex;
use crate::dissect::Message;
use crate::filter::{FieldPath, FilterError, Names};
use crate::nearest::{hint, nearest};
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

/// Writes rows. Its only state is reusable memory, and what times are counted from.
#[derive(Debug)]
pub struct Lines {
    columns: Columns,
    pub(super) clock: Clock,
    time: TimeForm,
    value: Vec<u8>,
    walks: Walks,
    files: Option<FileNames>,
}

impl Lines {
    /// Rows of these columns. Times are seconds since 1970 if the style does not say.
    pub fn new(columns: Columns, style: Style, files: Option<&Files>) -> Lines {
        let time = style.time.unwrap_or(TimeForm::Epoch);
        let files = files.map(FileNames::new);
        Lines { columns, clock: Clock::default(), time, value: Vec::new(), walks: Walks::default(), files }
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
        for k in 0..self.columns.0.len() {
            out.extend((k > 0).then_some(separator));
            self.evaluate(k, message);
            cells::json(&self.value, separator, out);
        }
        out.push(b'\n');
    }

    /// The line of names over columns of text.
    pub fn heading(&self, line: &mut LineWriter<'_>) {
        let mut at = 0;
        for name in self.columns.names() {
            line.pad(at);
            line.untrusted(name);
            at += room(name, self.time);
        }
    }

    /// One message as columns of text, within the width of the style.
    pub fn text(&mut self, message: &Message<'_>, style: Style, line: &mut LineWriter<'_>) {
        let limit = style.width.unwrap_or(usize::MAX);
        let mut at = 0;
        for k in 0..self.columns.0.len() {
            self.evaluate(k, message);
            let name = &self.columns.0[k].0;
            match at > 0 && line.column >= at {
                true => line.put(" "),
                false => line.pad(at),
            }
            let value = match self.value.as_slice() {
                b"null" => String::new(),
                [b'"', .., b'"'] => serde_json::from_slice(&self.value)
                    .unwrap_or_else(|_| String::from_utf8_lossy(&self.value).into_owned()),
                value => String::from_utf8_lossy(value).into_owned(),
            };
            let last = k + 1 == self.columns.0.len();
            let widest = if style.width.is_none() || last { usize::MAX } else { WIDEST };
            let left = limit.saturating_sub(line.column);
            if left == 0 {
                break;
            }
            line.untrusted_cut(&value, widest.min(left));
            at += room(name, self.time);
        }
    }

    /// The value of a column, as JSON; `null` if the message has none.
    fn evaluate(&mut self, k: usize, message: &Message<'_>) {
        self.value.clear();
        let (out, place) = (&mut self.value, message.place);
        let Some((_, value)) = self.columns.0.get(k) else { return };
        let key = match value {
            Value::Path(path) => {
                path_value(path, message, out);
                return;
            }
            Value::Key(key) => *key,
        };
        match key {
            Source::File | Source::FileFrame if place.frame > 0 => {
                if let Some(files) = &mut self.files {
                    let (name, own) = files.of(place.frame);
                    match key {
                        Source::File => out.extend_from_slice(name),
                        _ => cells::plain(own, out),
                    }
                }
            }
            Source::Frame if place.frame > 0 => cells::plain(place.frame, out),
            Source::Flow if message.flow_info.flow > 0 => cells::plain(message.flow_info.flow, out),
            Source::Time if place.frame > 0 => {
                let quoted = matches!(self.time, TimeForm::Utc) || is_local(self.time);
                out.extend(quoted.then_some(b'"'));
                self.clock.plain(self.time, place.time, out);
                out.extend(quoted.then_some(b'"'));
            }
            Source::Frames if place.frame > 0 => {
                let own = [place.frame];
                envelope::frames(if place.frames.is_empty() { &own } else { place.frames }, out);
                out.drain(..b",\"frames\":".len());
            }
            Source::Related if !message.dissection.related.is_empty() => {
                envelope::related(message, out);
                out.drain(..b",\"related\":".len());
            }
            Source::Notes if !message.dissection.notes.is_empty() => {
                envelope::notes(message, out);
                out.drain(..b",\"notes\":".len());
            }
            Source::Fault if message.dissection.fault.is_some() => {
                envelope::fault(message, out);
                out.drain(..b",\"fault\":".len());
            }
            Source::Part => {
                if let Some((part, of)) = message.dissection.part {
                    out.push(b'[');
                    cells::plain(part, out);
                    out.push(b',');
                    cells::plain(of, out);
                    out.push(b']');
                }
            }
            Source::Packet if !message.dissection.packet.is_empty() => {
                out.push(b'{');
                self.walks.fields(&message.dissection.packet, message.sources(), out);
            }
            Source::Fields => {
                out.push(b'{');
                self.walks.fields(&message.dissection.tree, message.sources(), out);
            }
            Source::Derived => {
                let dissection = message.dissection;
                self.walks.derived(
                    [&dissection.packet, &dissection.tree],
                    &dissection.derived,
                    message.sources(),
                    false,
                    out,
                );
            }
            Source::Bytes => {
                out.push(b'"');
                hex(place.bytes, out);
                out.push(b'"');
            }
            _ => {}
        }
        if out.is_empty() {
            out.extend_from_slice(b"null");
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
    let (mut count, mut list) = (0, false);
    path.each(message, |found| {
        match count {
            0 => {
                list = path.repeats(found, message);
                out.extend(list.then_some(b'['));
            }
            1 if !list => {
                // Several fields of one name, as the members of a choice.
                list = true;
                out.insert(0, b'[');
                out.push(b',');
            }
            _ => out.push(b','),
        }
        count += 1;
        path.json(found, message, out);
    });
    if count == 0 {
        out.extend_from_slice(b"null");
    }
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
