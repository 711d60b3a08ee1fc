//! Messages grouped by any fields: `stats --by message_id,second`.
//!
//! Every message is in exactly one group, so that the groups sum up to the total: messages without the field form a
//! group, a list of values counts as one value, and messages above the cap on groups share the last one. Parts of
//! `related` are different: a message is in the group of each of its relations, once in each, so that these groups may
//! sum up to more than the number of messages.

use super::connections::{longest, percentile};
use super::figure::{Figure, Measure};
use super::histogram::Delays;
use super::order::{Order, by_column, compare, unknown};
use super::table::{Cell, Column, Shape, Table, column};
use super::tables::{Counted, TRAFFIC};
use crate::capture::Time;
use crate::dissect::delivery::Event;
use crate::dissect::{Message, Relation, RelationKind, Sink};
use crate::filter::{FieldMatch, FieldPath, FilterError, Names, RelatedField};
use crate::read::CaptureSink;
use crate::traffic::sequence::Seen;
use rustc_hash::FxHashMap;

/// A property by which messages are grouped.
#[derive(Debug)]
enum Key {
    /// A field of the message or its envelope.
    Field(FieldPath),
    /// The step of time since the capture's first frame.
    Step,
    /// A part of a relation.
    Related(RelatedField),
}

/// The name of the group of messages above the cap.
const REST: &str = "(further groups)";

/// The counters of a group.
#[derive(Clone, Debug, Default)]
struct Group {
    messages: u64,
    bytes: u64,
    largest: u64,
    faults: u64,
    warnings: u64,
    resent: u64,
    duplicates: u64,
    missing: u64,
    late: u64,
    /// The delays since the message that one of this group is the first to answer or acknowledge.
    delays: Delays,
}

impl Group {
    /// Counts a message, and the delays of the relations `of`.
    fn add<'r>(&mut self, message: &Message<'_>, of: impl IntoIterator<Item = &'r Relation>) {
        let dissection = message.dissection;
        let bytes = message.counted();
        self.messages += 1;
        self.bytes += bytes;
        self.largest = self.largest.max(bytes);
        let warned = dissection.notes.worst().is_some_and(|level| level > crate::codec::Level::Note);
        if dissection.fault.is_some() {
            self.faults += 1
        } else {
            self.warnings += u64::from(warned)
        }
        for event in dissection.delivery.iter() {
            if let Event::Sent { seen, .. } = event {
                match seen {
                    Seen::Copy { .. } if event.is_duplicate() => self.duplicates += 1,
                    Seen::Copy { .. } => self.resent += 1,
                    Seen::Ahead(missing) => self.missing += u64::from(*missing),
                    Seen::Late => self.late += 1,
                    _ => {}
                }
            }
        }
        for relation in of {
            if matches!(relation.kind, RelationKind::Answers | RelationKind::Acknowledges)
                && let Some(after) = relation.after
            {
                self.delays.add(after);
            }
        }
    }
}

/// The figures of a group, besides those of its traffic.
const FIGURES: [Column<Group>; 10] = [
    column("faults", |g| g.faults.into()),
    column("warnings", |g| g.warnings.into()),
    column("resent", |g| g.resent.into()),
    column("duplicates", |g| g.duplicates.into()),
    column("missing", |g| g.missing.into()),
    column("late", |g| g.late.into()),
    column("answered", |g| g.delays.all().into()),
    column("answered_p50", |g| percentile(&g.delays, 50.0)),
    column("answered_p90", |g| percentile(&g.delays, 90.0)),
    column("answered_max", |g| longest(&g.delays)),
];

/// Counts messages by the values of some fields.
#[derive(Debug)]
pub struct Groups {
    keys: Vec<Key>,
    names: Vec<String>,
    /// The length of a step of time, in nanoseconds.
    step: i64,
    limit: usize,
    /// The time of the first frame, from which steps of time count.
    start: Option<i64>,
    /// The times of the first and the last message.
    first: i64,
    last: i64,
    groups: FxHashMap<Vec<u8>, Group>,
    rest: Group,
    /// The number of messages and bytes, each counted once.
    total: [u64; 2],
    /// The keys of the current message, if it may be in several groups, each with the index of its relation.
    several: Vec<(Vec<u8>, usize)>,
    /// A reusable buffer for the current message's values.
    key: Vec<u8>,
}

/// A group, and the cells of its keys.
struct Keyed<'g> {
    keys: Vec<Cell>,
    group: &'g Group,
}

impl Groups {
    /// Groups by these fields, at most `limit` groups. The field `second` is a step of time of `step` nanoseconds.
    ///
    /// # Errors
    /// An unknown field, with the nearest name.
    pub fn new(by: &[&str], step: i64, limit: usize, names: &Names<'_>) -> Result<Groups, FilterError> {
        let key = |name: &&str| match name.trim() {
            "second" => Ok(Key::Step),
            name if name == "related" || name.starts_with("related.") => match RelatedField::by_name(name) {
                Some(RelatedField::Any) | None => {
                    let parts = RelatedField::ALL.iter().map(|(name, ..)| *name).skip(1).collect::<Vec<_>>();
                    let what = format!("{name:?} is not a value to group by: there are {}", parts.join(", "));
                    Err(FilterError { what, text: name.into(), at: 0, len: name.chars().count() })
                }
                Some(part) => Ok(Key::Related(part)),
            },
            name => FieldPath::parse(name, names).map(Key::Field),
        };
        let again = by.iter().enumerate().find(|(k, name)| by[..*k].iter().any(|before| before.trim() == name.trim()));
        if let Some((_, name)) = again {
            let (name, at) = (name.trim(), 0);
            let what = format!("{name:?} is named twice");
            return Err(FilterError { what, text: name.into(), at, len: name.chars().count() });
        }
        Ok(Groups {
            keys: by.iter().map(key).collect::<Result<_, _>>()?,
            names: by.iter().map(|name| name.trim().to_owned()).collect(),
            step: step.max(1),
            limit,
            start: None,
            first: i64::MAX,
            last: i64::MIN,
            groups: FxHashMap::default(),
            rest: Group::default(),
            total: [0; 2],
            several: Vec::new(),
            key: Vec::new(),
        })
    }

    /// The figures of groups, which `sort` can name.
    pub fn figures() -> impl Iterator<Item = &'static str> {
        TRAFFIC.iter().map(|column| column.figure.name).chain(FIGURES.iter().map(|column| column.figure.name))
    }

    /// The number of messages without a group of their own, because there were too many groups.
    pub fn past_limit(&self) -> u64 {
        self.rest.messages
    }

    /// The number of messages, each counted once.
    pub fn messages(&self) -> u64 {
        self.total[0]
    }

    /// Writes the message's values as JSON, each with a line end: JSON contains no line end.
    fn key(&mut self, message: &Message<'_>, nanos: i64, relation: Option<&Relation>) {
        self.key.clear();
        for key in &self.keys {
            match key {
                Key::Step => {
                    let since = nanos.saturating_sub(self.start.unwrap_or(nanos)).max(0);
                    self.key.extend_from_slice(itoa::Buffer::new().format(since / self.step).as_bytes());
                }
                Key::Field(path) => value(path, message, &mut self.key),
                Key::Related(part) => match relation {
                    Some(relation) => part.json(relation, &mut self.key),
                    None => self.key.extend_from_slice(b"null"),
                },
            }
            self.key.push(b'\n');
        }
    }

    /// The groups as a table, and the number of groups, messages and bytes that `order` omits. `chosen` are the columns
    /// after the keys; all if it is empty.
    ///
    /// # Errors
    /// An unknown column.
    pub fn table(&self, order: &Order, chosen: &[String]) -> Result<(Table, [u64; 3]), String> {
        let seconds = self.seconds();
        let none = Group::default();
        let mut all: Vec<Keyed<'_>> =
            self.groups.iter().map(|(key, group)| Keyed { keys: self.cells(key), group }).collect();
        all.extend(self.empty_steps().map(|key| Keyed { keys: self.cells(&key), group: &none }));
        let mut table = self.rows(&all, seconds);
        self.sort(&mut table, order)?;
        let omitted: Vec<_> = table.rows.drain(order.top.unwrap_or(usize::MAX).min(table.rows.len())..).collect();
        let sum = |name: &str| {
            let place = table.place(name);
            let cell = |row: &Vec<Cell>| place.and_then(|at| row.get(at)).and_then(Cell::number);
            omitted.iter().filter_map(cell).sum::<f64>() as u64
        };
        let left_out = [omitted.len() as u64, sum("messages"), sum("bytes")];
        if self.rest.messages > 0 {
            let keys = self.keys.iter().map(|_| Cell::from(REST)).collect();
            table.rows.extend(self.rows(&[Keyed { keys, group: &self.rest }], seconds).rows);
        }
        Ok((if chosen.is_empty() { table } else { self.select(table, chosen)? }, left_out))
    }

    /// The keys and the figures of these groups.
    fn rows(&self, groups: &[Keyed<'_>], seconds: f64) -> Table {
        // The user's names, for one table: they are never freed.
        let own = |name: &String| -> &'static Figure {
            let measure = if name == "second" { Measure::Seconds } else { Measure::Word };
            Box::leak(Box::new(Figure::new(Box::leak(name.clone().into_boxed_str()), measure)))
        };
        let names: Vec<_> = self.names.iter().map(own).collect();
        let mut table = Table::new(Shape { kind: "group", title: "", keys: self.keys.len() }, &names);
        table.rows = groups.iter().map(|one| one.keys.clone()).collect();
        let counted = |Keyed { group, .. }: &Keyed<'_>| Counted {
            messages: group.messages,
            bytes: group.bytes,
            largest: group.largest,
            total: self.total,
            seconds,
            ..Counted::default()
        };
        let counts: Vec<Counted> = groups.iter().map(counted).collect();
        let groups: Vec<Group> = groups.iter().map(|one| one.group.clone()).collect();
        table.with(&TRAFFIC, &counts).with(&FIGURES, &groups)
    }

    /// The keys of steps of time without a message, if time is the only key.
    fn empty_steps(&self) -> impl Iterator<Item = Vec<u8>> {
        let start = self.start.filter(|_| matches!(self.keys.as_slice(), [Key::Step]));
        let step = |start: i64, nanos: i64| nanos.saturating_sub(start).max(0) / self.step;
        let steps = match start {
            Some(start) if self.total[0] > 0 => step(start, self.first)..step(start, self.last) + 1,
            _ => 0..0,
        };
        let steps = if (steps.end - steps.start) as u64 > self.limit as u64 { 0..0 } else { steps };
        let keys = steps.map(|step| format!("{step}\n").into_bytes());
        keys.filter(|key| !self.groups.contains_key(key))
    }

    /// The table with its keys and the chosen columns only.
    fn select(&self, table: Table, chosen: &[String]) -> Result<Table, String> {
        let mut places: Vec<usize> = (0..self.keys.len()).collect();
        for name in chosen {
            let place = table.place(name).ok_or_else(|| unknown(name, &table))?;
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let row = |row: Vec<Cell>| places.iter().filter_map(|k| row.get(*k).cloned()).collect();
        let columns = places.iter().filter_map(|k| table.columns.get(*k).copied()).collect();
        Ok(Table { shape: table.shape, columns, rows: table.rows.into_iter().map(row).collect() })
    }

    /// The duration of a group in seconds: from the first message to the last, or of a step.
    fn seconds(&self) -> f64 {
        match self.keys.iter().any(|key| matches!(key, Key::Step)) {
            true => self.step as f64 / 1e9,
            false if self.total[0] > 0 => self.last.saturating_sub(self.first) as f64 / 1e9,
            false => 0.0,
        }
    }

    fn cells(&self, key: &[u8]) -> Vec<Cell> {
        self.keys.iter().zip(key.split(|b| *b == b'\n')).map(|(k, v)| self.cell(k, v)).collect()
    }

    fn cell(&self, key: &Key, value: &[u8]) -> Cell {
        let text = String::from_utf8_lossy(value);
        match (key, serde_json::from_slice(value)) {
            (Key::Step, Ok(serde_json::Value::Number(n))) => {
                let decimals = if self.step % 1_000_000_000 == 0 { 0 } else { 3 };
                Cell::Real(n.as_f64().unwrap_or(0.0) * self.step as f64 / 1e9, decimals)
            }
            (_, Ok(serde_json::Value::Null)) | (_, Err(_)) => Cell::Null,
            (_, Ok(serde_json::Value::String(text))) => Cell::Text(text),
            (_, Ok(serde_json::Value::Bool(yes))) => Cell::Flag(yes),
            (_, Ok(serde_json::Value::Number(n))) => match (n.as_u64(), n.as_f64()) {
                (Some(n), _) => Cell::Int(n),
                (None, Some(x)) => Cell::Exact(x, text.into_owned()),
                (None, None) => Cell::Text(text.into_owned()),
            },
            _ => Cell::Text(text.into_owned()),
        }
    }

    fn sort(&self, table: &mut Table, order: &Order) -> Result<(), String> {
        // Sorted by the keys first, so that equal rows have a fixed order.
        let keys = self.keys.len();
        table.rows.sort_by(|a, b| compare(&a[..keys], &b[..keys]));
        let by = match &order.sort {
            Some(name) => name.as_str(),
            None if self.keys.iter().any(|key| matches!(key, Key::Step)) => return Ok(()),
            None => "bytes",
        };
        // A key may have the name of a figure; without --sort the figure counts.
        let figure = table.columns.iter().skip(keys).position(|figure| figure.name == by).map(|at| at + keys);
        let by = order.sort.as_ref().map_or(figure, |_| table.place(by));
        let by = by.ok_or_else(|| unknown(order.sort.as_deref().unwrap_or_default(), table))?;
        by_column(table, by);
        Ok(())
    }
}

/// A field's value as JSON: an array if there are several, null if there is none.
fn value(path: &FieldPath, message: &Message<'_>, out: &mut Vec<u8>) {
    let (start, mut count) = (out.len(), 0);
    path.each(message, |found| {
        if count == 1 {
            out.insert(start, b'[');
        }
        if count > 0 {
            out.push(b',');
        }
        count += 1;
        let at = out.len();
        path.json(found, message, out);
        // The envelope always has every key; an empty value counts as none.
        if found == FieldMatch::Envelope && out.get(at..) == Some(b"\"\"") {
            out.truncate(at);
            out.extend_from_slice(b"null");
        }
    });
    match count {
        0 => out.extend_from_slice(b"null"),
        1 => {}
        _ => out.push(b']'),
    }
}

impl Groups {
    /// Counts the message in the group of the current key.
    fn count<'r>(&mut self, message: &Message<'_>, of: impl IntoIterator<Item = &'r Relation>) {
        // Only a new group takes memory.
        let full = self.groups.len() >= self.limit;
        match self.groups.get_mut(&self.key) {
            Some(group) => group.add(message, of),
            None if full => self.rest.add(message, of),
            None => self.groups.entry(self.key.clone()).or_default().add(message, of),
        }
    }

    /// Counts the message once in the group of each of its relations.
    fn each_relation(&mut self, message: &Message<'_>, nanos: i64) {
        let mut several = std::mem::take(&mut self.several);
        several.clear();
        for (k, relation) in message.dissection.related.iter().enumerate() {
            self.key(message, nanos, Some(relation));
            several.push((self.key.clone(), k));
        }
        several.sort();
        for same in several.chunk_by(|a, b| a.0 == b.0) {
            self.key.clone_from(&same[0].0);
            let of = same.iter().filter_map(|(_, k)| message.dissection.related.iter().nth(*k));
            self.count(message, of);
        }
        self.several = several;
    }
}

impl CaptureSink for Groups {
    /// Sets the start, from which steps of time count.
    fn origin(&mut self, time: Time) {
        self.start.get_or_insert(time.near_nanos());
    }
}

impl Sink for Groups {
    fn message(&mut self, message: &Message<'_>) {
        let nanos = message.place.time.near_nanos();
        self.start.get_or_insert(nanos);
        (self.first, self.last) = (self.first.min(nanos), self.last.max(nanos));
        self.total = [self.total[0] + 1, self.total[1] + message.counted()];
        let related = self.keys.iter().any(|key| matches!(key, Key::Related(_)));
        if related && message.dissection.related.iter().next().is_some() {
            return self.each_relation(message, nanos);
        }
        self.key(message, nanos, None);
        self.count(message, message.dissection.related.iter());
    }
}
