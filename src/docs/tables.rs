//! The tables of protocols as text: the output of `netkit fields`.

use crate::codec::describe;
use crate::codec::layout::{Field, Kind, Layout};
use crate::codec::schema::{self, SchemaMessage};
use crate::dissect::{Dissector, LIMITS, Registry, RelationKind, Role, Table, message_names};
use crate::render::palette::Palette;

/// Text wrapped at the terminal's width.
pub(crate) struct Page {
    out: String,
    width: Option<usize>,
    colour: bool,
}

impl Page {
    /// Begins a page of this width.
    pub(crate) fn new(width: Option<usize>, colour: bool) -> Page {
        Page { out: String::new(), width, colour }
    }

    /// Returns its text.
    pub(crate) fn text(self) -> String {
        self.out
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Adds a title line.
    fn title(&mut self, text: &str) {
        let palette = Palette::of(self.colour);
        let blank = text.len() - text.trim_start().len();
        let (before, text) = text.split_at(blank);
        self.out += &format!("{before}{}{text}{}\n", palette.title, palette.reset);
    }

    /// Adds a name before its words, in colour. The part after two blanks is secondary.
    fn head(&mut self, head: &str) {
        let palette = Palette::of(self.colour);
        let name = head.trim();
        if !self.colour || name.is_empty() {
            self.out.push_str(head);
            return;
        }
        let at = head.len() - head.trim_start().len();
        let (before, rest) = head.split_at(at);
        let end = rest.find(' ').unwrap_or(rest.len());
        let (name, more) = rest.split_at(end);
        let (colour, dim, reset) = (palette.name, palette.dim, palette.reset);
        self.out += &format!("{before}{colour}{name}{reset}{dim}{more}{reset}");
    }

    /// Adds a heading followed by wrapped words, indented to their start, or less if that leaves too little room.
    fn words(&mut self, head: &str, words: &str) {
        let start = head.chars().count();
        let width = self.width.unwrap_or(usize::MAX);
        let below = if start + NARROWEST <= width { start } else { 6 };
        let mut column = start;
        self.head(head);
        for (k, word) in words.split(' ').enumerate() {
            let long = word.chars().count();
            if k > 0 && column + 1 + long > width {
                self.out.truncate(self.out.trim_end().len());
                self.out.push('\n');
                self.out.extend(std::iter::repeat_n(' ', below));
                column = below;
            } else if k > 0 {
                self.out.push(' ');
                column += 1;
            }
            self.out.push_str(word);
            column += long;
        }
        self.out.truncate(self.out.trim_end_matches(' ').len());
        self.out.push('\n');
    }
}

/// The minimum number of columns for words. Fewer are hard to read.
const NARROWEST: usize = 24;

/// With fewer bits, a conversation without a port of the file needs much evidence to be claimed.
const FEW_BITS: u32 = 12;

/// Adds the properties of a protocol file that serve to recognise its conversations.
pub(crate) fn recognition(bits: u32, page: &mut Page) {
    page.title("\nRecognition");
    let text =
        format!("a packet rules out at most {bits} bits; a port of the file is worth 15, and 20 claim a conversation");
    page.words("  ", &text);
    if bits < FEW_BITS {
        page.words(
            "  ",
            "these are few: give the file more constants or closed enumerations, or name it by -p or --port",
        );
    }
}

/// Adds the protocols, and the names and limits that are the same for all of them.
pub(crate) fn overview(registry: &Registry, page: &mut Page) {
    for d in registry.iter() {
        page.words(&format!("{:10} ", d.name()), d.about());
        page.words(&format!("{:10} messages: ", ""), &message_names(d).join(" "));
        page.line("");
    }
    page.title("Envelope: names for filters (-F) and --track that every message has, besides its fields");
    for (name, doc) in crate::filter::envelope() {
        page.words(&format!("  {name:10} "), doc);
    }
    page.line("");
    page.title("Relations of a message to others, for filters (-F), and under `related` in JSON");
    for (name, doc) in crate::filter::related() {
        page.words(&format!("  {name:16} "), doc);
    }
    for (_, name, doc) in RelationKind::ALL {
        page.words(&format!("    {name:14} "), doc);
    }
    page.line("");
    page.title("Verdicts: what stats reports in words, and when");
    for (name, doc) in crate::stats::RULES {
        page.words(&format!("  {name:14} "), doc);
    }
    page.line("");
    page.title("Limits of memory (--limit NAME=N) and their defaults");
    for limit in &LIMITS {
        page.words(&format!("  {:14} {:>7}  ", limit.name, limit.default()), limit.doc);
    }
    page.line("");
    page.words("", "`netkit fields PROTO` prints more, `netkit fields PROTO.MESSAGE` one message's fields.");
}

/// Adds a protocol, or one of its messages: tables, derived values, settings and notes.
pub(crate) fn protocol_text(d: &dyn Dissector, only: Option<&str>, page: &mut Page) {
    if only.is_none() {
        page.words(&format!("{}: ", d.name()), d.about());
        page.title("\nMessages");
    }
    // Tables with the same layout of a message share one paragraph.
    let mut shown: Vec<(&Layout, String, Vec<String>)> = Vec::new();
    for table in d.tables() {
        for layout in table.layouts.iter().filter(|l| only.is_none_or(|n| n == l.name)) {
            let mut text = Page::new(page.width, page.colour);
            text.words("  ", layout.doc);
            fields_text(layout.fields, describe::kind, &mut text);
            match shown.iter_mut().find(|(same, body, _)| same.name == layout.name && *body == text.out) {
                Some((.., places)) => places.push(label(table)),
                None => shown.push((layout, text.out, vec![label(table)])),
            }
        }
    }
    for (layout, body, mut places) in shown {
        places.retain(|place| !place.is_empty());
        let proto = d.name();
        match places.is_empty() {
            true => page.title(&format!("{proto}.{}", layout.name)),
            false => page.words(&format!("{proto}.{}   ", layout.name), &format!("[{}]", places.join(", "))),
        }
        page.line(&body);
    }
    if only.is_some() {
        return;
    }
    if !d.headers().is_empty() {
        page.title("Headers (under `packet` in JSON)");
        fields_text(d.headers(), describe::kind, page);
        page.line("");
    }
    if !d.derived().is_empty() {
        page.title("Derived (known from elsewhere, not in the message's bytes)");
        d.derived().iter().for_each(|f| fields_text(std::slice::from_ref(*f), describe::kind, page));
        page.line("");
    }
    schema_words(d, page);
    if !d.settings().is_empty() {
        page.title("Settings (-s KEY=VALUE)");
        for s in d.settings() {
            let values = if s.values.is_empty() { String::new() } else { format!(" ({})", s.values.join(", ")) };
            page.words(&format!("  {}={}", s.key, s.default), &values);
            page.words("      ", s.doc);
        }
        page.line("");
    }
    page.title("Notes");
    for n in d.notes() {
        page.words(&format!("  {:32} {:8} ", n.code, n.level), n.doc);
    }
}

/// Adds the types that schemas may use for its payloads.
fn schema_words(d: &dyn Dissector, page: &mut Page) {
    let Some(first) = d.encodings().first() else { return };
    let id = first.keys.ids.map(|(least, most)| format!("id = {least} to {most}"));
    let route = first.keys.routes.map(|words| match words {
        [] => "route = \"..\"".into(),
        words => format!("route = {:?}", words.join(", ")),
    });
    let keys: Vec<String> = id.into_iter().chain(route).collect();
    let (keys, carriers) = (keys.join(" or "), first.keys.carriers.join(", "));
    page.words("Payload schemas (--schema): ", &format!("{keys}, message = {carriers}"));
    for encoding in d.encodings() {
        let name = match encoding.versions {
            [] if d.encodings().len() > 1 => format!("encoding = {:?}", encoding.name),
            [] => String::new(),
            versions => versions.join(", "),
        };
        let bits = encoding.bits.then_some("bits(1) to bits(64)");
        let words: Vec<&str> = encoding.types.iter().map(|(word, _)| *word).chain(bits).collect();
        let name = if name.is_empty() { name } else { format!("{name}: ") };
        page.words(&format!("  {name}"), &words.join(" "));
    }
    page.line("");
}

fn label(table: &Table) -> String {
    match (table.version, table.from) {
        ("", Role::Unknown) => String::new(),
        ("", from) => format!("from the {}", from.name()),
        (version, Role::Unknown) => version.into(),
        (version, from) => format!("{version} from the {}", from.name()),
    }
}

/// Adds one line per field, indented by its depth.
fn fields_text(fields: &'static [Field], kind: fn(&Field) -> String, page: &mut Page) {
    describe::lines(fields, &mut |depth, field| {
        let indent = "  ".repeat(depth + 2);
        let name = if field.name.is_empty() { "-" } else { field.name };
        let mut more = Vec::new();
        more.extend(describe::condition(&field.when));
        if let Kind::Tag { value, .. } = field.kind {
            more.push(format!("= {value}"));
        }
        if field.is_hidden() {
            more.push("not shown in JSON".into());
        }
        if !field.unit.is_empty() {
            more.push(format!("in {}", field.unit));
        }
        if !field.doc.is_empty() {
            more.push(field.doc.into());
        }
        let width = 26usize.saturating_sub(indent.len());
        page.words(&format!("{indent}{name:width$} {:22} ", kind(field)), &more.join("; "));
        if let Some(names) = describe::names(&field.show) {
            let list = names.iter().map(|(v, n)| format!("{n}={v}")).collect::<Vec<_>>().join(" ");
            page.words(&format!("{indent}  "), &list);
        }
    });
}

/// Adds the payloads that schemas describe for a protocol.
pub(crate) fn schema_text(d: &dyn Dissector, messages: &[SchemaMessage], page: &mut Page) {
    if !messages.is_empty() {
        page.title(&format!("\nPayloads of {} by your schemas", d.name()));
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
        page.line(&format!("{}.{}   [{}]", d.name(), m.name, found.join(" ")));
        page.words("  ", if m.doc.is_empty() { m.name } else { m.doc });
        let kind = if encoding.form == schema::Form::Members { describe::member } else { describe::kind };
        fields_text(fields, kind, page);
        page.line("");
    }
}
