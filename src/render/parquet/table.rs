//! The file of one message: its envelope, the headers around it, its fields, then derived values and findings.

use super::column::{Column, Leaf};
use super::encoder::Encoder;
use super::plan::{Builder, Group, Plan, grouped};
use super::row::Row;
use super::shape::{Member, Shape, derived, members};
use super::shred::{Others, Shredder};
use crate::codec::json::fields::Walks;
use crate::dissect::{Message, Options};
use parquet::basic::{Encoding, Repetition};
use parquet::errors::Result;
use parquet::file::properties::EnabledStatistics;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, TypePtr};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Returns the columns before every message's fields, in order.
fn envelope() -> Vec<(&'static str, Kind)> {
    vec![
        ("file", Kind::Leaf(Leaf::Text)),
        ("file_frame", Kind::Leaf(Leaf::Int)),
        ("frame", Kind::Leaf(Leaf::Int)),
        ("frames", Kind::Shape(Shape::list(Shape::int()))),
        ("time", Kind::Leaf(Leaf::Time)),
        ("time_ns", Kind::Leaf(Leaf::Int)),
        ("flow", Kind::Leaf(Leaf::Int)),
        ("proto", Kind::Leaf(Leaf::Word)),
        ("version", Kind::Leaf(Leaf::Word)),
        ("from", Kind::Leaf(Leaf::Word)),
        ("transport", Kind::Leaf(Leaf::Word)),
        ("src", Kind::Leaf(Leaf::Text)),
        ("dst", Kind::Leaf(Leaf::Text)),
        ("message", Kind::Leaf(Leaf::Word)),
        ("length", Kind::Leaf(Leaf::Int)),
        ("part", Kind::Shape(Shape::list(Shape::int()))),
    ]
}

/// Returns the columns after every message's fields.
fn appendix() -> [Member; 5] {
    let text = |name| Member::new(name, Shape::Text);
    let number = |name| Member::new(name, Shape::int());
    let note = vec![text("level"), text("code"), text("text")];
    let fault = vec![text("path"), number("bit"), number("need"), number("have"), text("text")];
    let related = vec![text("kind"), number("frame"), number("index"), Member::new("after_ms", Shape::F64)];
    let other = vec![text("path"), Member::new("json", Shape::Json)];
    [
        Member::new("related", Shape::list(Shape::Group(related))),
        Member::new("notes", Shape::list(Shape::Group(note))),
        Member::new("fault", Shape::Group(fault)),
        Member::new("other", Shape::list(Shape::Group(other))),
        Member::new("bytes", Shape::Bytes),
    ]
}

enum Kind {
    Leaf(Leaf),
    Shape(Shape),
}

/// The groups of columns that the tables determine, by their names in JSON.
const GROUPS: [&str; 3] = ["packet", "fields", "derived"];

/// Returns the headers around a message, its fields and its derived values, for all versions and directions.
pub fn shapes(proto: &str, message: &str, options: &Options) -> [Vec<Member>; 3] {
    let mut payload = Vec::new();
    for schema in options.schemas.messages(proto) {
        if schema.message.is_empty() || schema.message == message {
            schema.fields.iter().flatten().for_each(|fields| members(fields, &[], &mut payload));
        }
    }
    let (mut packet, mut fields, mut known) = (Vec::new(), Vec::new(), Vec::new());
    let dissectors = options.registry.iter().filter(|d| d.name() == proto || d.carriers().contains(&proto));
    for dissector in dissectors {
        members(dissector.headers(), &payload, &mut packet);
        let layouts = dissector.tables().iter().flat_map(|table| table.layouts).filter(|layout| layout.name == message);
        layouts.for_each(|layout| members(layout.fields, &payload, &mut fields));
        dissector.derived().iter().for_each(|field| derived(field, &payload, &mut known));
    }
    super::shape::add(&mut fields, Member::new("unparsed", Shape::Bytes));
    [packet, fields, known]
}

/// Memory that tables share.
#[derive(Debug, Default)]
pub struct Memory {
    others: Others,
    seen: Vec<bool>,
    walks: Walks,
    bytes: Vec<u8>,
}

/// One file, and its current row group.
pub struct Table {
    /// The file's number in the encoder.
    file: usize,
    columns: Vec<Column>,
    packet: Group,
    fields: Group,
    known: Group,
    /// The first column after the fields.
    after: usize,
    /// The number of rows in the row group, and their approximate size in bytes.
    rows: usize,
    pub held: usize,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table").field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl Table {
    /// Begins the file of a message.
    ///
    /// # Errors
    /// Fails with errors of the file system.
    pub fn create(path: &Path, proto: &str, message: &str, options: &Options, encoder: &mut Encoder) -> Result<Table> {
        let (schema, plan, columns) = plan(proto, message, options)?;
        let mut properties = super::properties();
        // Names and addresses repeat, numbers and payloads do not.
        for name in ["file", "proto", "version", "from", "transport", "src", "dst", "message"] {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(name), true);
        }
        // Numbers that grow in small steps.
        for name in ["file_frame", "frame", "time", "time_ns"] {
            properties = properties.set_column_encoding(ColumnPath::from(name), Encoding::DELTA_BINARY_PACKED);
        }
        // Statistics help no reader to skip groups if the file's name determines the value, or if all groups contain
        // the same values.
        for name in ["file", "proto", "version", "from", "transport", "src", "dst", "message", "bytes"] {
            properties = properties.set_column_statistics_enabled(ColumnPath::from(name), EnabledStatistics::None);
        }
        let file = File::create_new(path)?;
        let file = encoder.begin(SerializedFileWriter::new(file, schema, Arc::new(properties.build()))?)?;
        let [packet, fields, known] = plan;
        let after = known.columns.end;
        Ok(Table { file, columns, packet, fields, known, after, rows: 0, held: 0 })
    }

    /// Adds a message: that of frame `number` of `file`. Returns its approximate size in bytes.
    pub fn add(&mut self, file: &str, number: u64, message: &Message<'_>, bytes: bool, memory: &mut Memory) -> usize {
        let (place, dissection, info) = (message.place, message.dissection, message.flow_info);
        let mut row = Row { columns: &mut self.columns, row: self.rows, at: 0, bytes: 0 };
        let time = if place.frame > 0 { i64::try_from(place.time.nanos()).ok() } else { None };
        row.text(Some(file));
        row.int((place.frame > 0).then_some(number as i64));
        row.int((place.frame > 0).then_some(place.frame as i64));
        row.numbers(if place.frames.len() > 1 { place.frames } else { &[] });
        row.int(time.map(|ns| ns.div_euclid(1000)));
        row.int(time);
        row.int((info.flow > 0).then_some(info.flow as i64));
        row.word(Some(dissection.proto));
        row.word(dissection.version);
        row.word(Some(dissection.from.name()));
        let ends = info.ends.is_some();
        row.word(ends.then(|| info.transport.name()));
        row.text(ends.then(|| message.src()));
        row.text(ends.then(|| message.dst()));
        row.word(Some(dissection.message));
        row.int(Some(place.length as i64));
        if let Some((part, of)) = dissection.part {
            row.numbers(&[part.into(), of.into()])
        } else {
            row.numbers(&[])
        }
        let mut taken = row.bytes;
        memory.others.clear();
        let mut shredder = Shredder {
            columns: &mut self.columns,
            row: self.rows,
            tree: &dissection.packet,
            sources: message.sources(),
            others: &mut memory.others,
            bytes: 0,
            root: "packet",
            derived: false,
            seen: &mut memory.seen,
            walks: &mut memory.walks,
        };
        shredder.top(&self.packet);
        (shredder.root, shredder.tree) = ("fields", &dissection.tree);
        shredder.top(&self.fields);
        (shredder.root, shredder.derived) = ("derived", true);
        for tree in [&dissection.packet, &dissection.tree] {
            if tree.has_derived() {
                shredder.tree = tree;
                shredder.derived_nodes();
            }
        }
        shredder.tree = &dissection.derived;
        shredder.top(&self.known);
        taken += shredder.bytes;
        let mut row = Row { columns: &mut self.columns, row: self.rows, at: self.after, bytes: 0 };
        row.related(message);
        row.notes(message);
        row.fault(message, &mut memory.bytes);
        row.others(&memory.others);
        row.leaf(bytes.then_some(place.bytes));
        taken += row.bytes;
        self.rows += 1;
        self.held += taken;
        taken
    }

    /// Writes the row group, and begins the next one.
    ///
    /// # Errors
    /// Returns the error that stopped the output.
    pub fn flush(&mut self, encoder: &mut Encoder) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.held = 0;
        if rows > 0 { encoder.write(self.file, &mut self.columns, rows) } else { Ok(()) }
    }
}

/// Returns the columns of a message's file: its type, and the columns of each of [`GROUPS`].
fn plan(proto: &str, message: &str, options: &Options) -> Result<(TypePtr, [Group; 3], Vec<Column>)> {
    let mut builder = Builder::default();
    let mut types = Vec::new();
    for (name, kind) in envelope() {
        types.push(match kind {
            Kind::Leaf(leaf) => builder.leaf(name, leaf)?.0,
            Kind::Shape(shape) => builder.member(name, &shape)?.0,
        });
    }
    let mut plans = Vec::new();
    for (name, members) in GROUPS.into_iter().zip(shapes(proto, message, options)) {
        let (below, group) = builder.group(&members)?;
        // A group without columns is left out.
        if !below.is_empty() {
            types.push(grouped(name, Repetition::REQUIRED, below)?);
        }
        plans.push(group);
    }
    for member in appendix() {
        types.push(builder.member(&member.name, &member.shape)?.0);
    }
    let schema = parquet::schema::types::Type::group_type_builder(message).with_fields(types).build()?;
    let plans = plans.try_into().unwrap_or_else(|_| unreachable!("one plan for each group"));
    Ok((Arc::new(schema), plans, builder.columns))
}

/// Returns all columns of a message's file with their types, for documentation: `fields.rtt`, `BIGINT`.
pub fn describe(proto: &str, message: &str, options: &Options) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = envelope()
        .into_iter()
        .map(|(name, kind)| {
            let word = match kind {
                Kind::Leaf(Leaf::Time) => "TIMESTAMP WITH TIME ZONE".into(),
                Kind::Leaf(leaf) => word(leaf).into(),
                Kind::Shape(shape) => sql(&shape),
            };
            (name.into(), word)
        })
        .collect();
    for (name, members) in GROUPS.into_iter().zip(shapes(proto, message, options)) {
        if !members.is_empty() {
            lines.push((name.into(), sql(&Shape::Group(members))));
        }
    }
    lines.extend(appendix().into_iter().map(|member| (member.name, sql(&member.shape))));
    lines
}

fn word(leaf: Leaf) -> &'static str {
    match leaf {
        Leaf::Int => "BIGINT",
        Leaf::UInt => "UBIGINT",
        Leaf::F32 => "FLOAT",
        Leaf::F64 => "DOUBLE",
        Leaf::Bool => "BOOLEAN",
        Leaf::Text | Leaf::Word | Leaf::Json => "VARCHAR",
        Leaf::Bytes => "BLOB",
        Leaf::Time => "TIMESTAMP",
    }
}

/// Returns the type in SQL.
fn sql(shape: &Shape) -> String {
    match shape {
        Shape::Group(members) => {
            let members: Vec<String> =
                members.iter().map(|member| format!("\"{}\" {}", member.name, sql(&member.shape))).collect();
            format!("STRUCT({})", members.join(", "))
        }
        Shape::List(of) => format!("{}[]", sql(of)),
        Shape::Flags => "VARCHAR[]".into(),
        leaf => match Builder::default().member("", leaf) {
            Ok((_, Plan::Leaf(leaf, _))) => word(leaf).into(),
            _ => String::new(),
        },
    }
}
