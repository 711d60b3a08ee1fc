//! A protocol's tables as JSON documentation: the output of `netkit fields -f json`.

use super::Dissector;
use crate::codec::describe;
use crate::codec::layout::{Field, flag};
use serde_json::{Value as Json, json};

/// The names of a protocol's messages, sorted, each once.
#[cfg(feature = "cli")]
pub(crate) fn message_names(d: &dyn Dissector) -> Vec<&'static str> {
    let names: std::collections::BTreeSet<_> =
        d.tables().iter().flat_map(|table| table.layouts).map(|layout| layout.name).collect();
    names.into_iter().collect()
}

/// A protocol, or one of its messages: tables, derived values, settings and notes.
pub fn document(d: &dyn Dissector, only: Option<&str>) -> Json {
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

/// The fields as a flat list with their depth; a table that contains itself is expanded once.
fn fields_json(fields: &'static [Field]) -> Vec<Json> {
    let mut list = Vec::new();
    describe::lines(fields, &mut |depth, f| {
        let mut item = json!({"name": f.name, "depth": depth, "type": describe::kind(f)});
        let mut set = |key: &str, value: Json| {
            item[key] = value;
        };
        if let Some(bits) = f.bits() {
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
