//! `netkit fields`: the tables as documentation.

use super::Usage;
use crate::cli::{Fields, FieldsFormat};
use netkit::codec::layout::{Field, Kind, flag};
use netkit::codec::schema::{Form, SchemaMessage};
use netkit::codec::{Layout, describe};
use netkit::protocols::{self, Dissector, Role, Table};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::io::{self, Write as _};

/// Runs the command.
pub fn run(args: &Fields) -> anyhow::Result<u8> {
    let mut out = String::new();
    let (proto, message) =
        match args.what.as_deref().map(|w| w.split_once('.').map_or((w, None), |(p, m)| (p, Some(m)))) {
            None => (None, None),
            Some((proto, message)) => {
                let name = crate::cli::known_proto(proto).map_err(Usage)?;
                (protocols::by_name(&name), message)
            }
        };
    if let (Some(d), Some(m)) = (proto, message) {
        let all = || d.tables().iter().flat_map(|t| t.layouts.iter().map(|l| l.name));
        if !all().any(|n| n == m) {
            let near = netkit::nearest::nearest(m, all());
            return Err(Usage(format!("{} has no message {m:?}{}", d.name(), netkit::nearest::hint(near))).into());
        }
    }
    let schemas = super::schemas(&args.schema)?;
    match (args.format, proto) {
        (FieldsFormat::Json, Some(d)) => writeln!(out, "{:#}", protocol_json(d, message))?,
        (FieldsFormat::Json, None) => {
            let all: Vec<Json> = protocols::ALL.iter().map(|d| protocol_json(*d, None)).collect();
            writeln!(out, "{:#}", Json::from(all))?;
        }
        (FieldsFormat::Text, None) => overview(&mut out),
        (FieldsFormat::Text, Some(d)) => protocol_text(d, message, &mut out),
    }
    if args.format == FieldsFormat::Text && message.is_none() {
        for d in protocols::ALL.iter().filter(|d| proto.is_none_or(|p| p.name() == d.name())) {
            schema_text(*d, schemas.messages(d.name()), &mut out);
        }
    }
    // The users' schemas are quoted in it.
    match args.format {
        FieldsFormat::Json => write!(io::stdout(), "{}", netkit::printable::Json(out))?,
        FieldsFormat::Text => write!(io::stdout(), "{}", netkit::printable::Lines(out))?,
    }
    Ok(0)
}

fn overview(out: &mut String) {
    for d in protocols::ALL {
        let _ = writeln!(out, "{:10} {}", d.name(), d.about());
        let mut names: Vec<&str> = d.tables().iter().flat_map(|t| t.layouts.iter().map(|l| l.name)).collect();
        names.sort_unstable();
        names.dedup();
        let _ = writeln!(out, "{:10} messages: {}\n", "", names.join(" "));
    }
    out.push_str("`netkit fields PROTO` tells more, `netkit fields PROTO.MESSAGE` one message's fields.\n");
}

fn protocol_text(d: &dyn Dissector, only: Option<&str>, out: &mut String) {
    if only.is_none() {
        let _ = writeln!(out, "{}: {}\n\nMessages", d.name(), d.about());
    }
    // Tables that have the same layout of a message share one paragraph.
    let mut shown: Vec<(String, Vec<String>)> = Vec::new();
    for table in d.tables() {
        for layout in table.layouts.iter().filter(|l| only.is_none_or(|n| n == l.name)) {
            let text = layout_text(d.name(), layout);
            match shown.iter_mut().find(|(t, _)| *t == text) {
                Some((_, where_)) => where_.push(label(table)),
                None => shown.push((text, vec![label(table)])),
            }
        }
    }
    for (text, mut where_) in shown {
        where_.retain(|w| !w.is_empty());
        let (head, body) = text.split_once('\n').unwrap_or((&text, ""));
        match where_.is_empty() {
            true => {
                let _ = writeln!(out, "{head}\n{body}");
            }
            false => {
                let _ = writeln!(out, "{head}   [{}]\n{body}", where_.join(", "));
            }
        }
    }
    if only.is_some() {
        return;
    }
    if !d.derived().is_empty() {
        let fields = d.derived();
        out.push_str("Derived (known from elsewhere, not on the message's wire)\n");
        fields.iter().for_each(|f| fields_text(std::slice::from_ref(*f), describe::kind, out));
        out.push('\n');
    }
    schema_words(d, out);
    if !d.settings().is_empty() {
        out.push_str("Settings (-s KEY=VALUE)\n");
        for s in d.settings() {
            let values = if s.values.is_empty() { String::new() } else { format!(" ({})", s.values.join(", ")) };
            let _ = writeln!(out, "  {}={}{values}\n      {}", s.key, s.default, s.doc);
        }
        out.push('\n');
    }
    out.push_str("Notes\n");
    for n in d.notes() {
        let _ = writeln!(out, "  {:32} {:8} {}", n.code, n.level, n.doc);
    }
}

/// The words that schemas may use for its payloads.
fn schema_words(d: &dyn Dissector, out: &mut String) {
    let Some(first) = d.encodings().first() else { return };
    let id = first.keys.ids.map(|(least, most)| format!("id = {least} to {most}"));
    let route = first.keys.routes.map(|words| match words {
        [] => "route = \"..\"".into(),
        words => format!("route = {:?}", words.join(", ")),
    });
    let keys: Vec<String> = id.into_iter().chain(route).collect();
    let _ = writeln!(
        out,
        "Payload schemas (--schema): {}, message = {}",
        keys.join(" or "),
        first.keys.carriers.join(", ")
    );
    for encoding in d.encodings() {
        let name = match encoding.versions {
            [] if d.encodings().len() > 1 => format!("encoding = {:?}", encoding.name),
            [] => String::new(),
            versions => versions.join(", "),
        };
        let bits = encoding.bits.then_some("bits(1) to bits(64)");
        let words: Vec<&str> = encoding.types.iter().map(|(word, _)| *word).chain(bits).collect();
        let name = if name.is_empty() { name } else { format!("{name}: ") };
        let _ = writeln!(out, "  {name}{}", words.join(" "));
    }
    out.push('\n');
}

fn label(table: &Table) -> String {
    match (table.version, table.from) {
        ("", Role::Unknown) => String::new(),
        ("", from) => format!("from the {}", from.name()),
        (version, Role::Unknown) => version.into(),
        (version, from) => format!("{version} from the {}", from.name()),
    }
}

fn layout_text(proto: &str, layout: &Layout) -> String {
    let mut out = format!("{proto}.{}\n  {}\n", layout.name, layout.doc);
    fields_text(layout.fields, describe::kind, &mut out);
    out
}

/// A line a field, indented by its depth.
fn fields_text(fields: &'static [Field], kind: fn(&Field) -> String, out: &mut String) {
    describe::lines(fields, &mut |depth, field| {
        let indent = "  ".repeat(depth + 2);
        let name = if field.name.is_empty() { "-" } else { field.name };
        let mut more = Vec::new();
        more.extend(describe::condition(&field.when));
        if let Kind::Tag { value, .. } = field.kind {
            more.push(format!("= {value}"));
        }
        if field.is(flag::HIDDEN) {
            more.push("not shown in JSON".into());
        }
        if !field.unit.is_empty() {
            more.push(format!("in {}", field.unit));
        }
        if !field.doc.is_empty() {
            more.push(field.doc.into());
        }
        let width = 26usize.saturating_sub(indent.len());
        let line = format!("{indent}{name:width$} {:22} {}", kind(field), more.join("; "));
        let _ = writeln!(out, "{}", line.trim_end());
        if let Some(names) = describe::names(&field.show) {
            let list = names.iter().map(|(v, n)| format!("{n}={v}")).collect::<Vec<_>>().join(" ");
            let _ = writeln!(out, "{indent}  {list}");
        }
    });
}

fn schema_text(d: &dyn Dissector, messages: &[SchemaMessage], out: &mut String) {
    if !messages.is_empty() {
        let _ = writeln!(out, "\nPayloads of {} by your schemas", d.name());
    }
    for m in messages {
        let Some(k) = m.fields.iter().rposition(Option::is_some) else { continue };
        let (Some(encoding), Some(fields)) = (d.encodings().get(k), m.fields(k)) else { continue };
        let mut found = vec![if m.message.is_empty() { "message".into() } else { m.message.clone() }];
        found.extend(m.number.map(|n| n.to_string()).or(m.word.clone()));
        if !m.from.is_empty() {
            found.push(format!("from the {}", m.from));
        }
        if d.encodings().len() > 1 && encoding.versions.is_empty() {
            found.push(format!("as {}", encoding.name));
        }
        let doc = if m.doc.is_empty() { m.name } else { m.doc };
        let _ = writeln!(out, "{}.{}   [{}]\n  {doc}", d.name(), m.name, found.join(" "));
        let kind = if encoding.form == Form::Members { describe::member } else { describe::kind };
        fields_text(fields, kind, out);
        out.push('\n');
    }
}

fn protocol_json(d: &dyn Dissector, only: Option<&str>) -> Json {
    let tables: Vec<Json> = d
        .tables()
        .iter()
        .map(|t| {
            let layouts: Vec<Json> = t
                .layouts
                .iter()
                .filter(|l| only.is_none_or(|n| n == l.name))
                .map(|l| json!({"message": l.name, "doc": l.doc, "fields": fields_json(l.fields)}))
                .collect();
            json!({"version": t.version, "from": t.from.name(), "messages": layouts})
        })
        .collect();
    let settings: Vec<Json> = d
        .settings()
        .iter()
        .map(|s| json!({"key": s.key, "default": s.default, "values": s.values, "doc": s.doc}))
        .collect();
    let notes: Vec<Json> = d.notes().iter().map(|n| json!({"code": n.code, "level": n.level, "doc": n.doc})).collect();
    let derived: Vec<Json> = d.derived().iter().flat_map(|f| fields_json(std::slice::from_ref(*f))).collect();
    json!({"proto": d.name(), "about": d.about(), "tables": tables, "derived": derived, "settings": settings, "notes": notes})
}

/// The fields as a flat list with their depth: a table may contain itself.
fn fields_json(fields: &'static [Field]) -> Vec<Json> {
    let mut list = Vec::new();
    describe::lines(fields, &mut |depth, f| {
        let mut item = json!({"name": f.name, "depth": depth, "type": describe::kind(f)});
        let mut set = |key: &str, value: Json| {
            item[key] = value;
        };
        if let Some(bits) = describe::bits(f) {
            set("bits", bits.into());
        }
        if let Some(when) = describe::condition(&f.when) {
            set("when", when.into());
        }
        if !f.doc.is_empty() {
            set("doc", f.doc.into());
        }
        if !f.unit.is_empty() {
            set("unit", f.unit.into());
        }
        if let Some(names) = describe::names(&f.show) {
            set("names", names.iter().map(|(v, n)| json!({"value": v, "name": n})).collect());
        }
        if f.is(flag::HIDDEN) {
            set("hidden", true.into());
        }
        list.push(item);
    });
    list
}
