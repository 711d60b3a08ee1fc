//! The names available to filters: from the tables, the derived values, and the users' schemas.

use super::Envelope;
use crate::codec::layout::{Count, Field, Kind, Other, flag};
use crate::codec::protobuf;
use crate::codec::schema::Schemas;
use crate::dissect::{Dissector, LINK_NOTES, Options, Registry};
use crate::nearest::nearest;
use std::collections::VecDeque;
use std::iter;

/// The scope of name lookup.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The protocols.
    pub registry: &'a Registry,
    /// The users' schemas.
    pub schemas: &'a Schemas,
    /// The protocol that the user named: then names in its payloads may be guessed.
    pub proto: Option<&'a str>,
}

/// The result of looking up a path.
#[derive(Debug, Default)]
pub struct NamedFields<'f> {
    /// The fields that the path can denote.
    pub fields: Vec<&'f Field>,
    /// Whether the path leads through something whose names are not known in advance: JSON, or a custom codec.
    pub open: bool,
    /// Whether one of the fields is a list's element.
    pub listed: bool,
}

impl NamedFields<'_> {
    /// The fields, or the names near them if there are none. Some names can be anywhere.
    fn or(mut self, steps: &[&str], mut deepest: Deepest) -> Result<Self, Deepest> {
        self.open |= ANYWHERE.contains(steps.last().unwrap_or(&""));
        if self.fields.is_empty() && !self.open {
            deepest.names.sort_unstable();
            deepest.names.dedup();
            return Err(deepest);
        }
        Ok(self)
    }

    /// Whether any name would be accepted there.
    pub fn guessed(&self) -> bool {
        self.open && self.fields.is_empty()
    }

    /// The names of the fields' values. Each version and direction has its own tables, and these share many names.
    pub fn value_names(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = Vec::new();
        for (_, name) in self.fields.iter().flat_map(|f| crate::codec::describe::names(&f.show).unwrap_or_default()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// The depth to which a name is searched.
const NESTED: usize = 4;
/// Names that can appear anywhere.
const ANYWHERE: [&str; 2] = ["unparsed", "trailing"];

impl<'a> Names<'a> {
    /// The names of a run.
    pub fn new(options: &'a Options) -> Names<'a> {
        Names { registry: &options.registry, schemas: &options.schemas, proto: options.proto.as_deref() }
    }

    /// The protocol of this name, or the dissector of this carrier.
    pub fn proto(&self, name: &str) -> Option<(&'static str, &'static dyn Dissector)> {
        self.registry.iter().find_map(|d| match d.name() == name {
            true => Some((d.name(), d)),
            false => d.carriers().iter().find(|c| **c == name).map(|c| (*c, d)),
        })
    }

    /// The message of this name.
    pub fn message(&self, dissector: &dyn Dissector, name: &str) -> Option<&'static str> {
        dissector.tables().iter().flat_map(|t| t.layouts).map(|l| l.name).find(|n| *n == name)
    }

    /// All message names.
    pub fn messages(&self) -> impl Iterator<Item = &'static str> {
        self.registry.messages()
    }

    /// The messages of this name, as `PROTO.MESSAGE`.
    pub fn called(&self, name: &str) -> impl Iterator<Item = String> {
        self.registry.iter().filter_map(move |d| Some(format!("{}.{}", d.name(), self.message(d, name)?)))
    }

    /// The codes of all notes.
    pub fn notes(&self) -> impl Iterator<Item = &'static str> {
        let codes = self.registry.iter().flat_map(|d| d.notes()).map(|note| note.code);
        codes.chain(LINK_NOTES.iter().map(|(code, _)| *code))
    }

    /// The filter for a name that is not a field here: a name of Wireshark, or the code of a note.
    pub fn elsewhere(&self, name: &str) -> Option<String> {
        let meant = match name {
            "udp.port" | "udp.srcport" | "udp.dstport" | "tcp.port" | "tcp.srcport" | "tcp.dstport" => "port",
            "ip.addr" | "ipv6.addr" => "ip",
            "ip.src" | "ipv6.src" => "src",
            "ip.dst" | "ipv6.dst" => "dst",
            "frame.number" => "frame",
            "frame.time" | "frame.time_epoch" => "time",
            "frame.len" | "udp.length" | "tcp.len" => "length",
            "udp.stream" | "tcp.stream" => "flow",
            "udp" => "transport == udp",
            "tcp" => "transport == tcp",
            "note.level" => "has warning",
            "note.code" => "note",
            _ => {
                self.notes().find(|code| *code == name || code.rsplit('.').next() == Some(name))?;
                return Some(format!("note == {name}"));
            }
        };
        Some(meant.into())
    }

    /// Names for completion: those of the envelope, then `PROTO.MESSAGE` and `PROTO.FIELD` of the
    /// top-level fields.
    pub fn all(&self) -> Vec<String> {
        let mut list = Vec::new();
        for dissector in self.registry.iter() {
            let mut fields = Deepest::default();
            for layout in dissector.tables().iter().flat_map(|t| t.layouts) {
                list.push(format!("{}.{}", dissector.name(), layout.name));
                // A path of one step matches top-level fields only.
                walk(layout.fields, &[""], 0, &mut NamedFields::default(), &mut fields);
            }
            dissector.derived().iter().for_each(|f| walk_one(f, &[""], 0, &mut NamedFields::default(), &mut fields));
            let names = fields.names.into_iter().filter(|name| !name.is_empty());
            list.extend(names.map(|name| format!("{}.{name}", dissector.name())));
        }
        list.sort_unstable();
        list.dedup();
        super::envelope().chain(super::related()).map(|(name, _)| name.to_string()).chain(list).collect()
    }

    /// The values that a part of the envelope can have, if they are listed.
    pub(super) fn of_envelope(&self, envelope: Envelope) -> Option<Vec<&'static str>> {
        Some(match envelope {
            Envelope::Proto => self.registry.names().collect(),
            Envelope::From => vec!["client", "server", "unknown"],
            Envelope::Transport => vec!["udp", "tcp"],
            Envelope::Leg => vec!["client", "server"],
            Envelope::Message => self.messages().collect(),
            Envelope::Note => self.notes().flat_map(|code| [code, code.rsplit('.').next().unwrap_or(code)]).collect(),
            _ => return None,
        })
    }

    /// Values for completion: those of a name of [`Names::all`] that has listed ones.
    pub fn values(&self, name: &str) -> Vec<&'static str> {
        let envelope = Envelope::ALL.into_iter().find(|(own, ..)| *own == name);
        if let Some((_, envelope, _)) = envelope {
            let mut list = self.of_envelope(envelope).unwrap_or_default();
            list.sort_unstable();
            list.dedup();
            return list;
        }
        let steps: Vec<&str> = name.split('.').collect();
        let found = self.find(None, None, &steps).or_else(|wrong| match steps.split_first() {
            Some((proto, rest)) => self.find(Some(proto), None, rest),
            None => Err(wrong),
        });
        found.map_or_else(|_| Vec::new(), |found| found.value_names())
    }

    /// The shortest path such as `data.pw`, where `data` is one of the `known` fields of a message and has a field
    /// `pw`.
    pub fn inside(
        &self,
        proto: Option<&str>,
        message: Option<&str>,
        name: &str,
        known: &[&'static str],
    ) -> Option<String> {
        // The payload, which a schema describes, is searched first.
        let around = iter::once("payload").chain(known.iter().copied());
        let mut paths: VecDeque<Vec<&'static str>> = around.map(|around| vec![around]).collect();
        while let Some(path) = paths.pop_front() {
            let steps: Vec<&str> = path.iter().copied().chain([name]).collect();
            match self.find(proto, message, &steps) {
                Ok(found) if !found.open => return Some(steps.join(".")),
                Err(Deepest { step: at, names: known }) if at == path.len() && at < NESTED => {
                    paths.extend(known.into_iter().map(|next| path.iter().copied().chain([next]).collect()));
                }
                _ => {}
            }
        }
        None
    }

    /// The list of a message whose elements have the fields that `payload.X` names.
    pub fn payloads(&self, proto: &str, message: &str) -> Option<&'static str> {
        let dissector = self.registry.for_line(proto)?;
        let layouts = dissector.tables().iter().flat_map(|t| t.layouts).filter(|l| l.name == message);
        layouts.flat_map(|l| l.fields).find(|f| f.is(flag::PAYLOADS)).map(|list| list.name)
    }

    /// Whether a path, with or without `payload`, leads into the payload of a message; `Some(true)` if any name would
    /// be accepted there. A name similar to a field of the message itself may be mistyped, and does not count.
    pub fn in_payload(&self, proto: &str, message: &str, path: &[&str]) -> Option<bool> {
        let find = |path: &[&str]| self.find(Some(proto), Some(message), path);
        if let ["payload", _, ..] = path {
            return find(path).ok().map(|found| found.guessed());
        }
        let known = find(path.get(..1)?).err()?.names;
        let found = find(&[&["payload"], path].concat()).ok()?;
        let mistyped = found.guessed() && nearest(path.first()?, known).is_some();
        (!mistyped).then_some(found.guessed())
    }

    /// The fields of the headers around messages to which the steps can lead, which `packet.` denotes.
    ///
    /// # Errors
    /// Those of [`Names::find`].
    pub(super) fn packet(&self, proto: Option<&str>, steps: &[&str]) -> Result<NamedFields<'static>, Deepest> {
        let (mut found, mut deepest) = (NamedFields::default(), Deepest::default());
        self.dissectors(proto).for_each(|d| walk(d.headers(), steps, 0, &mut found, &mut deepest));
        found.or(steps, deepest)
    }

    /// The protocols, or the one of this name or with this carrier.
    fn dissectors(&self, proto: Option<&str>) -> impl Iterator<Item = &'static dyn Dissector> {
        self.registry.iter().filter(move |d| proto.is_none_or(|p| d.name() == p || d.carriers().contains(&p)))
    }

    /// All fields to which the steps can lead.
    ///
    /// # Errors
    /// The index of the first step without a match, and the names available there.
    pub fn find(
        &self,
        proto: Option<&str>,
        message: Option<&str>,
        steps: &[&str],
    ) -> Result<NamedFields<'static>, Deepest> {
        let mut found = NamedFields::default();
        let mut deepest = Deepest::default();
        for dissector in self.dissectors(proto) {
            let layouts = dissector.tables().iter().flat_map(|t| t.layouts);
            for layout in layouts.filter(|l| message.is_none_or(|m| l.name == m)) {
                walk(layout.fields, steps, 0, &mut found, &mut deepest);
            }
            walk(dissector.headers(), steps, 0, &mut found, &mut deepest);
            for field in dissector.derived() {
                walk_one(field, steps, 0, &mut found, &mut deepest);
            }
            // Without a schema, the names in a payload printed outside the fields are not known.
            let opened = |f: &&&Field| f.is(flag::OPENED) && matches!(f.kind, Kind::Struct([]));
            if let ["payload", rest @ ..] = steps
                && !rest.is_empty()
                && proto.or(self.proto) == Some(dissector.name())
                && self.schemas.messages(dissector.name()).is_empty()
                && carries(dissector, message)
            {
                found.open |= dissector.derived().iter().any(|f| opened(&f));
            }
            if let [first, rest @ ..] = steps
                && (*first == "payload" || !rest.is_empty() && listed(dissector).any(|list| list.name == *first))
            {
                for message in self.schemas.messages(dissector.name()) {
                    for fields in message.fields.iter().flatten() {
                        walk(fields, rest, 1, &mut found, &mut deepest);
                    }
                }
            }
        }
        found.or(steps, deepest)
    }
}

/// The lists whose elements have the fields of schemas.
fn listed(dissector: &dyn Dissector) -> impl Iterator<Item = &'static Field> {
    let layouts = dissector.tables().iter().flat_map(|t| t.layouts);
    layouts.flat_map(|l| l.fields).filter(|f| f.is(flag::PAYLOADS))
}

/// Whether the message, or any message, has a payload.
fn carries(dissector: &dyn Dissector, message: Option<&str>) -> bool {
    let layouts = dissector.tables().iter().flat_map(|t| t.layouts);
    let mut fitting = layouts.filter(|l| message.is_none_or(|m| l.name == m));
    fitting.any(|l| l.fields.iter().any(|f| f.is(flag::PAYLOAD)))
}

/// The first step of a path that no field has, and the names of the fields there.
#[derive(Default)]
pub struct Deepest {
    pub step: usize,
    pub names: Vec<&'static str>,
}

fn walk(
    fields: &'static [Field],
    steps: &[&str],
    depth: usize,
    found: &mut NamedFields<'static>,
    deepest: &mut Deepest,
) {
    if depth > deepest.step {
        *deepest = Deepest { step: depth, names: Vec::new() };
    }
    if steps.is_empty() {
        return;
    }
    fields.iter().for_each(|f| walk_one(f, steps, depth, found, deepest));
}

fn walk_one(f: &'static Field, steps: &[&str], depth: usize, found: &mut NamedFields<'static>, deepest: &mut Deepest) {
    match &f.kind {
        kind if f.is_inline() => {
            let records = matches!(kind, Kind::Protobuf(_));
            found.open |= records && steps.first().is_some_and(|s| protobuf::TAKEN.contains(s));
            return walk(kind.fields(), steps, depth, found, deepest);
        }
        Kind::Switch { cases, other, .. } => {
            cases.iter().for_each(|c| walk(c.fields, steps, depth, found, deepest));
            if let Other::Fields(fields) = other {
                walk(fields, steps, depth, found, deepest);
            }
            found.open |= matches!(other, Other::Ask) && depth > 0;
            return;
        }
        _ => {}
    }
    // A count is a field of its own if the array could not be read to its end.
    if let Kind::Array { count: Count::Prefix(count), .. } = &f.kind {
        walk_one(count, steps, depth, found, deepest);
    }
    if depth == deepest.step {
        deepest.names.push(f.name);
    }
    let Some((first, rest)) = steps.split_first() else { return };
    if f.name != *first {
        return;
    }
    if rest.is_empty() {
        found.fields.push(innermost(f));
        found.listed |= matches!(f.kind, Kind::Array { .. });
    }
    match &f.kind {
        Kind::Struct([]) | Kind::Chosen(_) | Kind::Address(_) | Kind::Custom(_) => found.open = true,
        Kind::Ring { fields: [], ring } => walk(ring.fields(), rest, depth + 1, found, deepest),
        Kind::Array { of, .. } => match &of.kind {
            Kind::Struct([]) => found.open = true,
            Kind::Ring { fields: [], ring } => walk(ring.fields(), rest, depth + 1, found, deepest),
            Kind::Switch { .. } | Kind::Inline(_) => walk_one(of, rest, depth + 1, found, deepest),
            kind if !kind.fields().is_empty() => walk(kind.fields(), rest, depth + 1, found, deepest),
            _ if matches!(rest, [name] if super::path::component(name).is_some()) => found.fields.push(innermost(of)),
            // Elements are leaves: further steps do not match.
            _ if !rest.is_empty() => walk(&[], rest, depth + 1, found, deepest),
            _ => {}
        },
        kind if !kind.fields().is_empty() => walk(kind.fields(), rest, depth + 1, found, deepest),
        // A leaf: further steps do not match.
        _ if !rest.is_empty() => walk(&[], rest, depth + 1, found, deepest),
        _ => {}
    }
}

/// The field that comparisons with an array apply to: its elements.
fn innermost(field: &'static Field) -> &'static Field {
    if let Kind::Array { of, .. } = &field.kind { innermost(of) } else { field }
}
