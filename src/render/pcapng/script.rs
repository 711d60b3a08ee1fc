//! The Wireshark script with its lists of fields, from the registry's tables and the users' schemas.

use super::types::Type;
use crate::codec::describe;
use crate::codec::layout::{Count, Field, Kind, Other, Show};
use crate::codec::schema::Schemas;
use crate::dissect::{Dissector, Options, RelationKind};
use crate::printable::Printable;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The script without its lists.
const SCRIPT: &str = include_str!("netkit.lua");
/// The line that the lists replace.
const LISTS: &str = "--@LISTS@\n";
/// Fields nested deeper have no names of their own, and are shown in a general form.
const DEPTH: usize = 8;
/// The maximum number of fields. No protocol has as many, but files could describe any number.
const FIELDS: usize = 100_000;

/// Names that any message may have besides those of its table.
const ANYWHERE: [&str; 2] = ["unparsed", "trailing"];

/// The Lua script that draws netkit's comments in Wireshark, with the fields of all protocols and
/// schemas of these options.
pub fn script(options: &Options) -> String {
    let mut lists = Lists::default();
    for dissector in options.registry.iter() {
        lists.dissector(dissector, &options.schemas);
    }
    SCRIPT.replacen(LISTS, &lists.lua(), 1)
}

#[derive(Clone, Debug)]
struct Entry {
    kind: Type,
    unit: &'static str,
    doc: &'static str,
    names: Vec<(u64, &'static str)>,
}

#[derive(Debug, Default)]
struct Lists {
    fields: BTreeMap<String, Entry>,
    messages: BTreeMap<String, &'static str>,
}

/// The state of the walk through one protocol.
struct Walk<'a> {
    schemas: &'a Schemas,
    proto: &'static str,
    /// The groups that are open: a table may contain itself.
    open: Vec<*const Field>,
}

impl Lists {
    fn dissector(&mut self, dissector: &'static dyn Dissector, schemas: &Schemas) {
        // Carriers' messages are listed under the carrier's name.
        let protos = std::iter::once(dissector.name()).chain(dissector.carriers().iter().copied());
        for proto in protos {
            let mut walk = Walk { schemas, proto, open: Vec::new() };
            for layout in dissector.tables().iter().flat_map(|table| table.layouts) {
                let message = format!("{proto}.{}", layout.name);
                for prefix in [message.as_str(), proto] {
                    self.list(layout.fields, prefix, &mut walk);
                    for name in ANYWHERE {
                        self.add(&format!("{prefix}.{name}"), Type::Bytes, &Entry::plain("what no field explains"));
                    }
                }
                if usable(&message) {
                    self.messages.entry(message).or_insert(layout.doc);
                }
            }
            self.list(dissector.headers(), &format!("{proto}.packet"), &mut walk);
            for field in dissector.derived() {
                self.list(std::slice::from_ref(*field), &format!("{proto}.derived"), &mut walk);
            }
        }
        let proto = dissector.name();
        let mut walk = Walk { schemas, proto, open: Vec::new() };
        let carriers: Vec<&str> =
            dissector.encodings().iter().flat_map(|encoding| encoding.keys.carriers).copied().collect();
        for message in schemas.messages(proto) {
            for fields in message.fields.iter().flatten() {
                let own = [message.message.as_str()];
                let carriers = if message.message.is_empty() { &carriers[..] } else { &own[..] };
                for carrier in carriers {
                    self.list(fields, &format!("{proto}.{carrier}.payload"), &mut walk);
                }
                for place in ["payload", "derived.payload"] {
                    self.list(fields, &format!("{proto}.{place}"), &mut walk);
                }
            }
        }
        // A message's own name denotes the message.
        self.fields.retain(|name, _| !self.messages.contains_key(name));
    }

    fn list(&mut self, fields: &'static [Field], prefix: &str, walk: &mut Walk<'_>) {
        fields.iter().for_each(|field| self.field(field, prefix, walk));
    }

    fn field(&mut self, field: &'static Field, prefix: &str, walk: &mut Walk<'_>) {
        if walk.open.len() > DEPTH || walk.open.contains(&std::ptr::from_ref(field)) || self.fields.len() > FIELDS {
            return;
        }
        walk.open.push(field);
        self.inner(field, prefix, walk);
        walk.open.pop();
    }

    fn inner(&mut self, field: &'static Field, prefix: &str, walk: &mut Walk<'_>) {
        match &field.kind {
            kind if field.is_inline() => return self.list(kind.fields(), prefix, walk),
            Kind::Switch { cases, other, .. } => {
                cases.iter().for_each(|case| self.list(case.fields, prefix, walk));
                match other {
                    Other::Fields(fields) => self.list(fields, prefix, walk),
                    // A schema's fields may be in this place.
                    Other::Ask if walk.open.len() > 1 => {
                        let schemas = walk.schemas;
                        for fields in schemas.messages(walk.proto).iter().flat_map(|m| &m.fields).flatten() {
                            self.list(fields, prefix, walk);
                        }
                    }
                    Other::Ask | Other::Fault(_) => {}
                }
                return;
            }
            _ => {}
        }
        // A count is a field of its own if the array could not be read to its end.
        if let Kind::Array { count: Count::Prefix(count), .. } = &field.kind {
            self.field(count, prefix, walk);
        }
        let path = format!("{prefix}.{}", field.name);
        self.add(&path, Type::of(field), &Entry::of(innermost(field), field.doc));
        match &field.kind {
            Kind::Array { of, .. } => match &innermost(of).kind {
                Kind::Switch { .. } | Kind::Inline(_) => self.field(of, &path, walk),
                kind => self.list(kind.fields(), &path, walk),
            },
            kind => self.list(kind.fields(), &path, walk),
        }
    }

    fn add(&mut self, path: &str, kind: Type, entry: &Entry) {
        if !usable(path) {
            return;
        }
        match self.fields.get_mut(path) {
            None => _ = self.fields.insert(path.into(), Entry { kind, ..entry.clone() }),
            Some(known) => {
                known.kind = known.kind.with(kind);
                if known.unit != entry.unit {
                    known.unit = "";
                }
                let differs = |(n, name): &(u64, &str)| entry.names.iter().any(|(m, other)| n == m && name != other);
                if known.names.iter().any(differs) {
                    // Versions use the same names for different numbers, so the names are the value.
                    known.kind = Type::Text;
                }
                let new = entry.names.iter().filter(|(n, _)| known.names.iter().all(|(other, _)| other != n));
                let new: Vec<_> = new.copied().collect();
                known.names.extend(new);
            }
        }
    }

    fn lua(&self) -> String {
        let mut out = String::new();
        let mut enums: Vec<&[(u64, &str)]> = Vec::new();
        let mut rows = String::new();
        for (path, entry) in &self.fields {
            let Entry { kind, unit, doc, names } = entry;
            let mut tail = String::new();
            if !names.is_empty() && matches!(kind, Type::U32 | Type::U64 | Type::I32 | Type::I64) {
                let at = enums.iter().position(|known| known == names).unwrap_or_else(|| {
                    enums.push(names);
                    enums.len() - 1
                });
                tail = format!(", {}", at + 1);
            }
            let row =
                format!("    {{ {}, \"{}\", {}, {}{tail} }},\n", Quoted(path), kind.name(), shown(unit), shown(doc));
            rows.push_str(&row);
        }
        // Writing to a String cannot fail.
        let _ = writeln!(out, "ENUMS = {{");
        for names in enums {
            let list: Vec<String> = names.iter().map(|(n, name)| format!("[{n}] = {}", shown(name))).collect();
            let _ = writeln!(out, "    {{ {} }},", list.join(", "));
        }
        let _ = writeln!(out, "}}\nFIELDS = {{\n{rows}}}\nMESSAGES = {{");
        for (name, doc) in &self.messages {
            let _ = writeln!(out, "    {{ {}, {} }},", Quoted(name), shown(doc));
        }
        let _ = writeln!(out, "}}\nRELATIONS = {{");
        for (kind, name, doc) in RelationKind::ALL {
            let _ = writeln!(out, "    {{ \"{name}\", {}, \"{}\" }},", Quoted(doc), frame_type(kind));
        }
        out.push_str("}\n");
        out
    }
}

/// Returns Wireshark's mark for the other frame in the packet list.
fn frame_type(kind: RelationKind) -> &'static str {
    match kind {
        RelationKind::Acknowledges | RelationKind::AckedBy => "ACK",
        RelationKind::Answers => "REQUEST",
        RelationKind::AnsweredBy => "RESPONSE",
        _ => "NONE",
    }
}

impl Entry {
    fn plain(doc: &'static str) -> Entry {
        Entry { kind: Type::Text, unit: "", doc, names: Vec::new() }
    }

    fn of(field: &Field, doc: &'static str) -> Entry {
        let names = match field.show {
            // Flags are shown one by one.
            Show::Flags(_) => Vec::new(),
            show => describe::names(&show).unwrap_or_default(),
        };
        // Lua represents only these numbers exactly.
        let names = names.into_iter().filter(|(n, _)| *n < 1 << 53).collect();
        Entry { kind: Type::Text, unit: field.unit, doc, names }
    }
}

fn innermost(field: &'static Field) -> &'static Field {
    if let Kind::Array { of, .. } = &field.kind { innermost(of) } else { field }
}

/// Whether Wireshark can have a field of this name.
fn usable(path: &str) -> bool {
    path.split('.')
        .all(|step| !step.is_empty() && step.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')))
}

/// A Lua string literal. It stays one string, whatever a schema's author wrote.
struct Quoted<'a>(&'a str);

/// Quotes a text for people. Wireshark prints texts that are not values unchanged, even control characters.
fn shown(text: &str) -> String {
    Quoted(&Printable(text).to_string()).to_string()
}

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                // Wireshark would end the text there.
                '\0' => f.write_str(" ")?,
                c if c.is_control() => {
                    c.encode_utf8(&mut [0; 4]).bytes().try_for_each(|byte| write!(f, "\\{byte:03}"))?;
                }
                c => f.write_char(c)?,
            }
        }
        f.write_str("\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_lua() {
        let hostile = "a\"]]\\\n\r\0\u{9b}1--é";
        assert_eq!(Quoted(hostile).to_string(), "\"a\\\"]]\\\\\\010\\013 \\194\\1551--é\"");
        assert_eq!(shown("m\n\u{1b}]]\""), "\"m\\\\n\\\\u{1b}]]\\\"\"");
        assert!(!usable("a..b") && !usable("a.b\n") && !usable("") && !usable("a.é") && usable("a.b-c_9"));
    }

    #[test]
    fn every_field_has_one_place() {
        let script = script(&crate::protocols::options());
        assert!(!script.contains(LISTS) && !script.contains('\r'));
        for name in ["riptide.heartbeat.rtt\", \"i32\", \"ms\"", "nano.derived.route\"", "riptide.rtt\"", "websocket."]
        {
            assert!(script.contains(&format!("{{ \"{name}")), "{name}");
        }
        let lists = script.split("FIELDS = {\n").nth(1).and_then(|rest| rest.split("\n}").next()).expect("a list");
        let mut names: Vec<&str> = lists.lines().filter_map(|line| line.split('"').nth(1)).collect();
        let all = names.len();
        names.dedup();
        assert!(all > 500 && names.len() == all, "{all}");
    }

    #[test]
    fn fields_of_all_protocols() {
        let script = crate::render::pcapng::script(&crate::protocols::options());
        assert!(script.contains("\"riptide.heartbeat.rtt\"") && script.contains("\"nano.derived.route\""));
    }
}
