//! Layouts as messages: the number of each, its versions, and the common head.

use super::super::lines::Nameless;
use super::Export;
use super::keys::Place;
use super::lines::{Line, body, quoted};
use crate::codec::Layout;
use crate::codec::layout::{Field, Flags, Kind, Order, Show, When, flag};
use crate::dissect::{Role, Table};

/// The messages in the tables.
pub struct Found {
    /// The fields before the messages: the number, a length, the message itself.
    pub head: Vec<Line>,
    pub messages: Vec<Message>,
    /// Notes on parts that were left out, beside the comments on fields.
    pub notes: Vec<String>,
}

/// The numbers that select a message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Id {
    One(u64),
    Range(u64, u64),
    Any,
}

/// One `[[message]]`.
pub struct Message {
    name: String,
    doc: &'static str,
    /// The message that carries it.
    carrier: &'static str,
    from: Role,
    id: Id,
    versions: Vec<&'static str>,
    condition: Option<String>,
    fields: Vec<Line>,
}

impl Message {
    pub fn print(&self, out: &mut String) {
        let mut lines = vec![Line::plain("name", quoted(&self.name))];
        if !self.carrier.is_empty() {
            lines.push(Line::plain("message", quoted(self.carrier)));
        }
        lines.push(match self.id {
            Id::One(id) => Line::plain("id", id.to_string()),
            Id::Range(least, most) => Line::plain("id", quoted(&format!("{least:#x}..{most:#x}"))),
            Id::Any => Line::plain("any", "true".into()),
        });
        if self.from != Role::Unknown {
            lines.push(Line::plain("from", quoted(self.from.name())));
        }
        if let Some(when) = &self.condition {
            lines.push(Line::plain("if", quoted(when)));
        }
        if !self.doc.is_empty() {
            lines.push(Line::plain("doc", quoted(self.doc)));
        }
        *out += "\n[[message]]\n";
        body(&lines, out);
        if !self.fields.is_empty() {
            *out += "[message.fields]\n";
            body(&self.fields, out);
        }
    }
}

/// A type of the number by which messages are selected, and the versions that have it.
struct NumberWord {
    word: String,
    versions: Vec<&'static str>,
}

/// The number at the beginning of a layout.
struct Selector {
    bits: u8,
    order: Order,
    id: Id,
}

impl Selector {
    fn of(layout: &Layout) -> Option<Selector> {
        let first = layout.fields.first()?;
        let (bits, order) = first.kind.width()?;
        let id = match (&first.kind, first.default) {
            (Kind::Tag { value, .. }, _) => Id::One(*value),
            (Kind::UInt { .. }, Some(base)) if first.is(flag::PRESENCE) => {
                let base = base as u64;
                let mut asked = 0;
                crate::codec::names::everywhere(layout.fields, &mut |field| asked |= bits_of(&field.when, first.name));
                Id::Range(base, base | asked)
            }
            (Kind::UInt { .. }, _) => Id::Any,
            _ => return None,
        };
        Some(Selector { bits: bits as u8, order, id })
    }
}

/// The bits of a number that a condition checks.
fn bits_of(when: &When, name: &str) -> u64 {
    match when {
        When::Bit(asked, bit) | When::Clear(asked, bit) if asked.text == name => 1 << bit,
        When::Mask(asked, mask) if asked.text == name => *mask,
        When::Any(several) | When::All(several) => several.iter().fold(0, |all, when| all | bits_of(when, name)),
        When::Not(when) => bits_of(when, name),
        _ => 0,
    }
}

/// The name of a carrier's byte whose fixed bits select its messages; `KIND`: that of those bits.
const FLAGS: &str = "flags_byte";
const KIND: &str = "kind";

impl Found {
    /// Collects the messages of all tables that begin with the outline's number.
    pub fn of(export: &mut Export<'_>) -> Result<Found, String> {
        let by = export.outline.by;
        let own = |layout: &&'static Layout| layout.fields.first().is_some_and(|first| first.name == by);
        let mut found = Found { head: Vec::new(), messages: Vec::new(), notes: Vec::new() };
        let mut words: Vec<NumberWord> = Vec::new();
        let (mut hidden, mut doc, mut length) = (true, "", None);
        let mut carriers: Vec<u64> = Vec::new();
        for table in export.dissector.tables() {
            for layout in table.layouts.iter().filter(own) {
                let Some(selector) = Selector::of(layout) else { continue };
                let word = export.number_word(selector.bits, selector.order);
                match words.iter_mut().find(|known| known.word == word) {
                    Some(NumberWord { versions, .. }) if versions.contains(&table.version) => {}
                    Some(NumberWord { versions, .. }) => versions.push(table.version),
                    None => words.push(NumberWord { word, versions: vec![table.version] }),
                }
                hidden &= !matches!(selector.id, Id::Range(..));
                if doc.is_empty() && matches!(selector.id, Id::One(_)) {
                    doc = layout.fields.first().map_or("", |first| first.doc);
                }
                let mut rest = layout.fields.get(1..).unwrap_or_default();
                if let Some((measure, after)) = rest.split_first().filter(|(field, _)| field.is(flag::MEASURES_REST)) {
                    length = Some(measure);
                    rest = after;
                } else if length.is_some() {
                    found.notes.push(format!("{}: {}.", layout.name, layout.doc));
                    continue;
                }
                found.add(export, table, layout, rest, selector, &mut carriers);
            }
        }
        if found.messages.is_empty() {
            return Err(format!("no message begins with {by}"));
        }
        for message in &mut found.messages {
            message.versions.retain(|version| !version.is_empty());
            message.condition = if message.versions.is_empty() { None } else { export.version_is(&message.versions) };
        }
        found.head(export, &words, hidden, doc, length);
        Ok(found)
    }

    fn add(
        &mut self,
        export: &mut Export<'_>,
        table: &Table,
        layout: &'static Layout,
        rest: &'static [Field],
        selector: Selector,
        carriers: &mut Vec<u64>,
    ) {
        let (version, from) = (table.version, table.from);
        let known = |id: &Id| match id {
            Id::One(id) => export.outline.carriers.iter().find(|(number, _)| number == id).copied(),
            _ => None,
        };
        let mut name = layout.name.to_owned();
        let mut place = Place { names: vec![name.clone()], scope: Vec::new() };
        if !version.is_empty() {
            place.names.push(version.replace('.', "_"));
        }
        let (mut fields, mut id, mut carrier, mut rest) = (Vec::new(), selector.id, "", rest);
        if let Some((number, common)) = known(&id) {
            let Some((first, after)) = rest.split_first() else { return };
            let Show::Flags(flags) = first.show else { return };
            if let Kind::Custom(codec) = first.kind {
                self.notes.push(format!("{}: {}; {}.", layout.name, layout.doc, codec.describe()));
                return;
            }
            if !carriers.contains(&number) {
                carriers.push(number);
                self.messages.push(carrier_message(common, number, first, flags, version, from));
            }
            let low = flags.fixed_mask.trailing_zeros();
            let high = 63 - flags.fixed_mask.leading_zeros();
            let names = quoted(&export.pool.flags(&[first.name.to_owned()], flags.names));
            let bits = format!("{{ at = \"7..0\", except = \"{high}..{low}\", flags = {names} }}");
            let view = format!("{{ of = {}, bits = {{ {} = {bits} }} }}", quoted(FLAGS), first.name);
            let mut line = Line::plain("flags_view", view);
            line.comments.extend((!first.doc.is_empty()).then(|| first.doc.to_owned()));
            fields.push(line);
            place.scope.push((first.name, FLAGS.into(), &[]));
            (id, carrier, rest) = (Id::One(flags.fixed >> low), common, after);
        }
        if id == Id::Any {
            // The number is also shown in the message.
            let high = selector.bits - 1;
            let by = export.outline.by;
            let first = layout.fields.first().map_or("", |first| first.doc);
            let mut line = Line::plain(
                &format!("{by}_view"),
                format!("{{ of = {}, bits = {{ {by} = \"{high}..0\" }} }}", quoted(by)),
            );
            line.comments.extend((!first.is_empty()).then(|| first.to_owned()));
            fields.push(line);
        }
        if Nameless::named(layout.name).is_some() {
            name = format!("{}_{}", layout.name, export.outline.by);
        }
        export.fields(rest, &[Vec::new()], &mut place, &mut fields);
        let same = |other: &&mut Message| {
            (&other.name, other.from, &other.id, other.carrier) == (&name, from, &id, carrier) && other.fields == fields
        };
        match self.messages.iter_mut().find(same) {
            Some(same) => same.versions.push(version),
            None => {
                let versions = vec![version];
                let doc = layout.doc;
                self.messages.push(Message { name, doc, carrier, from, id, versions, condition: None, fields });
            }
        }
    }

    fn head(
        &mut self,
        export: &Export<'_>,
        words: &[NumberWord],
        hidden: bool,
        doc: &str,
        length: Option<&'static Field>,
    ) {
        let by = export.outline.by;
        for NumberWord { word, versions } in words {
            let versions: Vec<&str> = versions.iter().copied().filter(|version| !version.is_empty()).collect();
            let mut keys = vec![("type", quoted(word))];
            if hidden {
                keys.push(("hidden", "true".into()));
            }
            if let Some(when) = export.version_is(&versions).filter(|_| !versions.is_empty()) {
                keys.push(("if", quoted(&when)));
            }
            if !doc.is_empty() {
                keys.push(("doc", quoted(doc)));
            }
            let line = Line::unique(&self.head, by, &keys, None);
            self.head.push(line);
        }
        let mut message = vec![("type", quoted("message")), ("by", quoted(by))];
        if let Some(length) = length
            && let Some((bits, order)) = length.kind.width()
        {
            let word = export.number_word(bits as u8, order);
            let mut keys = vec![("type", quoted(&word)), ("hidden", "true".into())];
            if !length.doc.is_empty() {
                keys.push(("doc", quoted(length.doc)));
            }
            self.head.push(Line::field(length.name, &keys));
            message.push(("size", quoted(length.name)));
        }
        self.head.push(Line::field("message", &message));
    }
}

/// A message whose own messages are selected by the fixed bits of their flags.
fn carrier_message(
    name: &'static str,
    id: u64,
    first: &'static Field,
    flags: &'static Flags,
    version: &'static str,
    from: Role,
) -> Message {
    let low = flags.fixed_mask.trailing_zeros();
    let high = 63 - flags.fixed_mask.leading_zeros();
    let bits = first.kind.width().map_or(8, |(bits, _)| bits);
    let kinds =
        format!("{{ of = {}, bits = {{ {KIND} = {{ at = \"{high}..{low}\", hidden = true }} }} }}", quoted(FLAGS));
    let fields = vec![
        Line::plain(FLAGS, quoted(&format!("u{bits}"))),
        Line::plain("kind_view", kinds),
        Line::field("message", &[("type", quoted("message")), ("by", quoted(KIND))]),
    ];
    Message {
        name: name.into(),
        doc: "",
        carrier: "",
        from,
        id: Id::One(id),
        versions: vec![version],
        condition: None,
        fields,
    }
}
