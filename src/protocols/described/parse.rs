//! The TOML of a protocol file: its structure, with the line of each key.

use super::text::{
    FieldText, File, First, FrameText, IdText, JoinText, MessageText, NumbersText, PartText, Place, Ports, ProbeText,
    RequestsText, SizeText, ValueText, Word,
};
use crate::codec::digits;
use crate::codec::schema::SchemaError;
use crate::codec::schema::parse::{Item, LONGEST, Reader};
use crate::nearest::{hint, nearest};
use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Value<'i> = Spanned<DeValue<'i>>;
type Done<T> = Result<T, SchemaError>;

/// Parses a file.
pub fn parse(file: &str, text: &str) -> Done<File> {
    let reader = Reader::new(file, text);
    if text.len() > LONGEST {
        return Err(reader.error(0, format!("a protocol file of more than {LONGEST} bytes")));
    }
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        reader.error(at, format!("column {}: {}", reader.column(text, at), error.message()))
    })?;
    Parser { reader }.file(table.get_ref())
}

struct Parser<'a> {
    reader: Reader<'a>,
}

const FILE: [&str; 18] = [
    "protocol",
    "doc",
    "encoding",
    "udp",
    "tcp",
    "websocket",
    "packet",
    "message",
    "struct",
    "enum",
    "flags",
    "memory",
    "settings",
    "numbers",
    "requests",
    "recognise",
    "probe",
    "version",
];
const FIELD: [&str; 31] = [
    "type",
    "doc",
    "unit",
    "scale",
    "enum",
    "flags",
    "closed",
    "if",
    "size",
    "until",
    "or_end",
    "bits",
    "of",
    "value",
    "optional",
    "hidden",
    "hidden_id",
    "by",
    "join",
    "compressed",
    "inflated",
    "most",
    "over",
    "holds",
    "holds_order",
    "holds_if",
    "order",
    "sets",
    "default",
    "charset",
    "xor",
];

/// A number without its sign's trouble.
fn whole(value: &DeValue<'_>) -> Option<i128> {
    let n = value.as_integer()?;
    i128::from_str_radix(&n.as_str().replace('_', ""), n.radix()).ok()
}

impl<'a> Parser<'a> {
    fn line(&self, item: &Item<'_, '_>) -> usize {
        self.reader.line(item.0.span().start)
    }

    fn fail<T>(&self, item: &Item<'_, '_>, why: impl Into<String>) -> Done<T> {
        Err(self.reader.error(item.0.span().start, why.into()))
    }

    fn word(&self, key: &str, value: &Value<'_>) -> Done<Word> {
        match value.get_ref() {
            DeValue::String(text) => Ok(Word::Name(text.to_string())),
            DeValue::Boolean(set) => Ok(Word::Number(*set as i128)),
            other => whole(other).map(Word::Number).ok_or_else(|| self.reader.wrong(key, value, "a number or a name")),
        }
    }

    /// A text, or a list of texts.
    fn texts(&self, key: &str, value: &Value<'_>) -> Done<Vec<String>> {
        match value.get_ref() {
            DeValue::Array(list) => list.iter().map(|one| self.reader.text(key, one)).collect(),
            _ => Ok(vec![self.reader.text(key, value)?]),
        }
    }

    fn order(&self, key: &str, value: &Value<'_>) -> Done<bool> {
        let text = self.reader.text(key, value)?;
        match text.as_str() {
            "be" => Ok(true),
            "le" => Ok(false),
            other => {
                let near = hint(nearest(other, ["be", "le"]));
                Err(self.reader.error(value.span().start, format!("{key}: expected be or le, got {other:?}{near}")))
            }
        }
    }

    fn file(&self, table: &DeTable<'_>) -> Done<File> {
        let mut file = File { protocol_line: 1, ..File::default() };
        for item in self.reader.in_order(table) {
            let (key, value) = item;
            match key.get_ref().as_ref() {
                "protocol" => {
                    file.protocol = self.reader.text("protocol", value)?;
                    file.protocol_line = self.line(&item);
                }
                "doc" => file.doc = self.reader.text("doc", value)?,
                "version" => _ = self.reader.text("version", value)?,
                "encoding" => file.big = Some(self.order("encoding", value)?),
                "udp" => file.udp = Some(self.ports(item, &["ports"])?),
                "tcp" => file.tcp = Some(self.ports(item, &["ports", "frame"])?),
                "websocket" => file.websocket = Some(self.ports(item, &["ports", "path"])?),
                "packet" => {
                    for inner in self.reader.table("packet", value)? {
                        match inner.0.get_ref().as_ref() {
                            "fields" => file.packet = Some((self.line(&inner), self.fields(inner.1)?)),
                            _ => return Err(self.reader.unknown(inner, &["fields"])),
                        }
                    }
                }
                "message" => {
                    let list = value.get_ref().as_array();
                    let list = list.ok_or_else(|| self.reader.wrong("message", value, "[[message]] tables"))?;
                    for message in list.iter() {
                        file.messages.push(self.message(message)?);
                    }
                }
                "struct" => {
                    for (name, fields) in self.reader.table("struct", value)? {
                        let line = self.reader.line(name.span().start);
                        file.structs.push((name.get_ref().to_string(), line, self.fields(fields)?));
                    }
                }
                "enum" => file.enums = self.reader.name_tables("enum", value)?,
                "flags" => file.flags = self.reader.name_tables("flags", value)?,
                "memory" => file.memory = self.firsts("memory", value)?,
                "settings" => file.settings = self.firsts("settings", value)?,
                "numbers" => {
                    for inner in self.reader.table("numbers", value)? {
                        file.numbers.push(self.numbers(inner)?);
                    }
                }
                "requests" => {
                    for inner in self.reader.table("requests", value)? {
                        file.requests.push(self.requests(inner)?);
                    }
                }
                "recognise" => {
                    for inner in self.reader.table("recognise", value)? {
                        match inner.0.get_ref().as_ref() {
                            "server" => {
                                file.recognise.server = Some((self.line(&inner), self.reader.text("server", inner.1)?));
                            }
                            "packets" => {
                                let packets = self.reader.number("packets", inner.1)?;
                                if !(1..=64).contains(&packets) {
                                    return self.fail(&inner, format!("packets: expected 1 to 64, got {packets}"));
                                }
                                file.recognise.packets = Some(packets);
                            }
                            _ => return Err(self.reader.unknown(inner, &["server", "packets"])),
                        }
                    }
                }
                "probe" => file.probe = Some(self.probe(item)?),
                _ => return Err(self.reader.unknown(item, &FILE)),
            }
        }
        if file.protocol.is_empty() {
            let why = "protocol is missing: expected protocol = \"NAME\", as the output will call it";
            return Err(self.reader.error(0, why.into()));
        }
        Ok(file)
    }

    fn firsts(&self, key: &str, value: &Value<'_>) -> Done<Vec<First>> {
        let items = self.reader.table(key, value)?;
        let one = |(name, value): Item<'_, '_>| {
            let (line, name) = (self.reader.line(name.span().start), name.get_ref().to_string());
            let mut first = First { line, value: Word::Number(0), doc: String::new(), name };
            match value.get_ref() {
                DeValue::Table(table) => {
                    for inner in self.reader.in_order(table) {
                        match inner.0.get_ref().as_ref() {
                            "default" | "first" => first.value = self.word(&first.name, inner.1)?,
                            "doc" => first.doc = self.reader.text("doc", inner.1)?,
                            _ => return Err(self.reader.unknown(inner, &["default", "doc"])),
                        }
                    }
                }
                _ => first.value = self.word(&first.name, value)?,
            }
            Ok(first)
        };
        items.into_iter().map(one).collect()
    }

    fn ports(&self, item: Item<'_, '_>, known: &[&str]) -> Done<Ports> {
        let mut ports = Ports { line: self.line(&item), ..Ports::default() };
        for inner in self.reader.table(item.0.get_ref(), item.1)? {
            let (key, value) = inner;
            match key.get_ref().as_ref() {
                "ports" => {
                    let list = value.get_ref().as_array();
                    let list = list.ok_or_else(|| self.reader.wrong("ports", value, "a list of numbers"))?;
                    for port in list.iter() {
                        let number = self.reader.number("ports", port)?;
                        let why = || self.reader.error(port.span().start, format!("ports: {number} is no port"));
                        ports.ports.push(u16::try_from(number).map_err(|_| why())?);
                    }
                }
                "path" if known.contains(&"path") => ports.path = self.reader.text("path", value)?,
                "frame" if known.contains(&"frame") => ports.frame = Some(self.frame(inner)?),
                _ => return Err(self.reader.unknown(inner, known)),
            }
        }
        Ok(ports)
    }

    fn frame(&self, item: Item<'_, '_>) -> Done<FrameText> {
        let mut frame = FrameText { line: self.line(&item), ..FrameText::default() };
        for inner in self.reader.table("frame", item.1)? {
            let (key, value) = inner;
            match key.get_ref().as_ref() {
                "length" => frame.length = self.reader.text("length", value)?,
                "header" => frame.header = self.reader.text("header", value)?,
                "until" => frame.until = Some(self.reader.text("until", value)?),
                "most" => frame.most = Some(self.reader.number("most", value)?),
                "plus" => {
                    let plus = self.reader.whole("plus", value)?;
                    frame.plus = i64::try_from(plus).unwrap_or(i64::MAX);
                    if frame.plus.unsigned_abs() > 1 << 16 {
                        return self.fail(&inner, format!("plus: expected a small number, got {plus}"));
                    }
                }
                _ => return Err(self.reader.unknown(inner, &["length", "plus", "header", "most", "until"])),
            }
        }
        if frame.length.is_empty() == frame.until.is_none() {
            return self.fail(&item, "frame: expected either length = \"u16\" (or another word) or until = \"\\n\"");
        }
        Ok(frame)
    }

    fn message(&self, value: &Value<'_>) -> Done<MessageText> {
        let mut message = MessageText { line: self.reader.line(value.span().start), ..MessageText::default() };
        for item in self.reader.table("message", value)? {
            let (key, value) = item;
            message.lines.push((key.get_ref().to_string(), self.line(&item)));
            match key.get_ref().as_ref() {
                "id" => message.ids = Some(self.ids(value)?),
                "any" => message.any = self.reader.truth("any", value)?,
                "message" => message.message = self.reader.text("message", value)?,
                "name" => message.name = self.reader.text("name", value)?,
                "doc" => message.doc = self.reader.text("doc", value)?,
                "if" => message.condition = Some(self.reader.text("if", value)?),
                "from" => {
                    message.from = self.reader.text("from", value)?;
                    if !["client", "server"].contains(&message.from.as_str()) {
                        let near = hint(nearest(&message.from, ["client", "server"]));
                        let why = format!("from: expected client or server, got {:?}{near}", message.from);
                        return self.fail(&item, why);
                    }
                }
                "sets" => {
                    for (name, value) in self.reader.table("sets", value)? {
                        message.sets.push((name.get_ref().to_string(), self.word(name.get_ref(), value)?));
                    }
                }
                "fields" => message.fields = self.fields(value)?,
                _ => {
                    let known = ["id", "any", "message", "name", "doc", "if", "from", "sets", "fields"];
                    return Err(self.reader.unknown(item, &known));
                }
            }
        }
        Ok(message)
    }

    fn ids(&self, value: &Value<'_>) -> Done<Vec<IdText>> {
        if let DeValue::Array(list) = value.get_ref() {
            let lists: Done<Vec<Vec<IdText>>> = list.iter().map(|one| self.ids(one)).collect();
            return Ok(lists?.into_iter().flatten().collect());
        }
        let word = self.word("id", value)?;
        if let Word::Name(text) = &word
            && let Some((least, most)) = text.split_once("..")
        {
            let number = |text: &str| digits::whole(text.trim()).and_then(|n| u64::try_from(n).ok());
            return match (number(least), number(most.trim_start_matches('='))) {
                (Some(least), Some(most)) if least <= most => Ok(vec![IdText::Range(least, most)]),
                _ => Err(self.reader.error(value.span().start, format!("id: expected \"0x80..0x9f\", got {text:?}"))),
            };
        }
        Ok(vec![IdText::One(word)])
    }

    fn fields(&self, value: &Value<'_>) -> Done<Vec<FieldText>> {
        self.reader.table("fields", value)?.into_iter().map(|item| self.field(item)).collect()
    }

    fn field(&self, item: Item<'_, '_>) -> Done<FieldText> {
        let (name, value) = item;
        let mut field = FieldText { line: self.line(&item), name: name.get_ref().to_string(), ..FieldText::default() };
        if let Some(kind) = value.get_ref().as_str() {
            field.kind = kind.into();
            return Ok(field);
        }
        for inner in self.reader.table(&field.name.clone(), value)? {
            let (key, value) = inner;
            let reader = &self.reader;
            match key.get_ref().as_ref() {
                "type" => field.kind = reader.text("type", value)?,
                "doc" => field.doc = reader.text("doc", value)?,
                "unit" => field.unit = reader.text("unit", value)?,
                "scale" => field.scale = Some(reader.scale(value)?),
                "enum" => field.names = Some(reader.named("enum", value)?),
                "flags" => field.flags = Some(reader.named("flags", value)?),
                "closed" => field.closed = reader.truth("closed", value)?,
                "if" => field.condition = Some(reader.text("if", value)?),
                "size" => field.size = Some(self.size(value)?),
                "until" => field.until = Some(self.characters(value)?),
                "or_end" => field.or_end = reader.truth("or_end", value)?,
                "bits" => {
                    for part in reader.table("bits", value)? {
                        field.bits.push(self.part(part)?);
                    }
                }
                "of" => field.of = Some(reader.text("of", value)?),
                "value" => field.value = Some(self.constant("value", value)?),
                "optional" => field.optional = reader.truth("optional", value)?,
                "hidden" => field.hidden = reader.truth("hidden", value)?,
                "hidden_id" => field.hidden_id = reader.truth("hidden_id", value)?,
                "by" => field.by = Some(reader.text("by", value)?),
                "join" => field.join = Some(self.join(value)?),
                "compressed" => field.compressed = Some(reader.text("compressed", value)?),
                "inflated" => field.inflated = Some(reader.text("inflated", value)?),
                "most" => field.most = Some(reader.number("most", value)?),
                "over" => field.over = Some(reader.text("over", value)?),
                "holds" => field.holds = Some(reader.text("holds", value)?),
                "holds_order" => field.holds_big = Some(self.order("holds_order", value)?),
                "holds_if" => field.holds_if = Some(reader.text("holds_if", value)?),
                "order" => field.big = Some(self.order("order", value)?),
                "sets" => match value.get_ref() {
                    DeValue::Table(table) => {
                        for (name, value) in reader.in_order(table) {
                            let word = self.word(name.get_ref(), value)?;
                            field.sets.push((name.get_ref().to_string(), Some(word)));
                        }
                    }
                    _ => field.sets = self.texts("sets", value)?.into_iter().map(|name| (name, None)).collect(),
                },
                "default" => field.default = Some(self.json("default", value)?),
                "charset" => field.charset = Some(reader.text("charset", value)?),
                "xor" => field.xor = Some(self.constant("xor", value)?),
                "inline" => field.inline = reader.truth("inline", value)?,
                _ => {
                    let known: Vec<&str> = FIELD.into_iter().chain(["inline"]).collect();
                    return Err(reader.unknown(inner, &known));
                }
            }
        }
        if field.kind.is_empty() && field.of.is_none() {
            return self.fail(&item, format!("{}: type is missing", field.name));
        }
        Ok(field)
    }

    fn size(&self, value: &Value<'_>) -> Done<SizeText> {
        match value.get_ref() {
            DeValue::String(word) => Ok(SizeText { word: word.to_string(), scale: None }),
            DeValue::Integer(_) => Ok(SizeText { word: self.reader.number("size", value)?.to_string(), scale: None }),
            _ => {
                let mut size = SizeText { word: String::new(), scale: None };
                for inner in self.reader.table("size", value)? {
                    match inner.0.get_ref().as_ref() {
                        "type" => size.word = self.reader.text("type", inner.1)?,
                        "scale" => size.scale = Some(self.reader.scale(inner.1)?),
                        _ => return Err(self.reader.unknown(inner, &["type", "scale"])),
                    }
                }
                match size.word.is_empty() {
                    true => Err(self.reader.error(value.span().start, "size: type is missing".into())),
                    false => Ok(size),
                }
            }
        }
    }

    /// Characters, as a text or as numbers.
    fn characters(&self, value: &Value<'_>) -> Done<Vec<u8>> {
        let one = |value: &Value<'_>| -> Done<Vec<u8>> {
            match value.get_ref() {
                DeValue::String(text) => Ok(text.as_bytes().to_vec()),
                _ => {
                    let number = self.reader.number("until", value)?;
                    let wrong = || self.reader.wrong("until", value, "characters, or numbers up to 255");
                    Ok(vec![u8::try_from(number).map_err(|_| wrong())?])
                }
            }
        };
        let all = match value.get_ref() {
            DeValue::Array(list) => list.iter().map(one).collect::<Done<Vec<_>>>()?.concat(),
            _ => one(value)?,
        };
        match all.is_empty() {
            true => Err(self.reader.wrong("until", value, "at least one character")),
            false => Ok(all),
        }
    }

    fn constant(&self, key: &str, value: &Value<'_>) -> Done<ValueText> {
        match value.get_ref() {
            DeValue::String(text) => Ok(ValueText::Text(text.to_string())),
            DeValue::Boolean(set) => Ok(ValueText::Number(*set as i128)),
            DeValue::Float(number) => {
                let parsed = number.as_str().replace('_', "").parse();
                parsed.map(ValueText::Float).map_err(|_| self.reader.wrong(key, value, "a number or a text"))
            }
            other => {
                whole(other).map(ValueText::Number).ok_or_else(|| self.reader.wrong(key, value, "a number or a text"))
            }
        }
    }

    fn part(&self, item: Item<'_, '_>) -> Done<PartText> {
        let (name, value) = item;
        let mut part = PartText { name: name.get_ref().to_string(), line: self.line(&item), ..PartText::default() };
        let mut at = None;
        if let DeValue::Table(table) = value.get_ref() {
            for inner in self.reader.in_order(table) {
                let (key, value) = inner;
                match key.get_ref().as_ref() {
                    "at" => at = Some(self.bits(&part.name, value)?),
                    "hidden" => part.hidden = self.reader.truth("hidden", value)?,
                    "enum" => part.names = Some(self.reader.named("enum", value)?),
                    "flags" => part.flags = Some(self.reader.named("flags", value)?),
                    "closed" => part.closed = self.reader.truth("closed", value)?,
                    "scale" => part.scale = Some(self.reader.scale(value)?),
                    "unit" => part.unit = self.reader.text("unit", value)?,
                    "doc" => part.doc = self.reader.text("doc", value)?,
                    _ => {
                        let known = ["at", "hidden", "enum", "flags", "closed", "scale", "unit", "doc"];
                        return Err(self.reader.unknown(inner, &known));
                    }
                }
            }
        } else {
            at = Some(self.bits(&part.name, value)?);
        }
        let Some((high, low)) = at else { return self.fail(&item, format!("{}: at is missing: its bits", part.name)) };
        (part.high, part.low) = (high, low);
        Ok(part)
    }

    /// `14` or `"11..0"`.
    fn bits(&self, name: &str, value: &Value<'_>) -> Done<(u8, u8)> {
        let expected = "a bit's number (0 is the lowest), or the highest and the lowest, as \"11..0\"";
        let wrong = || self.reader.wrong(name, value, expected);
        let (a, b) = match value.get_ref() {
            DeValue::String(text) => match text.split_once("..") {
                Some((a, b)) => (digits::unsigned(a.trim()), digits::unsigned(b.trim())),
                None => (digits::unsigned(text.trim()), digits::unsigned(text.trim())),
            },
            other => {
                let bit = whole(other).and_then(|n| u8::try_from(n).ok());
                (bit, bit)
            }
        };
        match (a, b) {
            (Some(a), Some(b)) if a < 64 && b < 64 => Ok((u8::max(a, b), u8::min(a, b))),
            _ => Err(match value.get_ref() {
                DeValue::String(text) => {
                    self.reader.error(value.span().start, format!("{name}: expected {expected}, got {text:?}"))
                }
                _ => wrong(),
            }),
        }
    }

    fn join(&self, value: &Value<'_>) -> Done<JoinText> {
        let mut join = JoinText::default();
        for inner in self.reader.table("join", value)? {
            let (key, value) = inner;
            let text = |key: &str| self.reader.text(key, value);
            match key.get_ref().as_ref() {
                "if" => join.condition = Some(text("if")?),
                "key" => join.key = self.texts("key", value)?,
                "index" => join.index = Some(text("index")?),
                "offset" => join.offset = Some(text("offset")?),
                "count" => join.count = Some(text("count")?),
                "total" => join.total = Some(text("total")?),
                "remaining" => join.remaining = Some(text("remaining")?),
                "is" => join.is = Some(text("is")?),
                "by" => join.by = Some(text("by")?),
                _ => {
                    let known = ["if", "key", "index", "offset", "count", "total", "remaining", "is", "by"];
                    return Err(self.reader.unknown(inner, &known));
                }
            }
        }
        Ok(join)
    }

    fn place(&self, key: &str, item: &Item<'_, '_>) -> Done<Place> {
        let (line, value) = (self.line(item), item.1);
        let mut place = Place { line, ..Place::default() };
        if let Some(field) = value.get_ref().as_str() {
            place.field = field.into();
            return Ok(place);
        }
        for inner in self.reader.table(key, value)? {
            let text = |key: &str| self.reader.text(key, inner.1);
            match inner.0.get_ref().as_ref() {
                "field" => place.field = text("field")?,
                "if" => place.condition = Some(text("if")?),
                "from" => place.from = text("from")?,
                "to" => place.to = text("to")?,
                _ => return Err(self.reader.unknown(inner, &["field", "if", "from", "to"])),
            }
        }
        match place.field.is_empty() {
            true => self.fail(item, format!("{key}: field is missing")),
            false => Ok(place),
        }
    }

    fn numbers(&self, item: Item<'_, '_>) -> Done<NumbersText> {
        let (line, name) = (self.line(&item), item.0.get_ref().to_string());
        let mut numbers = NumbersText { line, name, ..NumbersText::default() };
        for inner in self.reader.table("numbers", item.1)? {
            let key = inner.0.get_ref().to_string();
            let place = || self.place(&key, &inner).map(Some);
            match key.as_str() {
                "number" => numbers.number = place()?,
                "if" => {
                    numbers.condition = Some(self.reader.text("if", inner.1)?);
                    numbers.condition_line = self.line(&inner);
                }
                "per" => {
                    numbers.per = self.texts("per", inner.1)?;
                    numbers.per_line = self.line(&inner);
                }
                "ack" => numbers.ack = place()?,
                "ack_below" => numbers.ack_below = place()?,
                "ack_bits" => numbers.ack_bits = place()?,
                "ack_ranges" => numbers.ack_ranges = place()?,
                "nack" => numbers.nack = place()?,
                "resent_as" => numbers.resent_as = place()?,
                _ => {
                    let known =
                        ["number", "if", "per", "ack", "ack_below", "ack_bits", "ack_ranges", "nack", "resent_as"];
                    return Err(self.reader.unknown(inner, &known));
                }
            }
        }
        match numbers.number {
            None => self.fail(&item, format!("numbers.{}: number is missing: the field that counts", numbers.name)),
            Some(_) => Ok(numbers),
        }
    }

    fn requests(&self, item: Item<'_, '_>) -> Done<RequestsText> {
        let (line, name) = (self.line(&item), item.0.get_ref().to_string());
        let mut requests = RequestsText { line, name, ..RequestsText::default() };
        for inner in self.reader.table("requests", item.1)? {
            let (key, value) = inner;
            requests.lines.push((key.get_ref().to_string(), self.line(&inner)));
            match key.get_ref().as_ref() {
                "asks" => requests.asks = self.texts("asks", value)?,
                "answers" => requests.answers = self.texts("answers", value)?,
                "by" => match value.get_ref().as_str() {
                    Some(field) => requests.by = Some((field.into(), field.into())),
                    None => {
                        let (mut ask, mut answer) = (String::new(), String::new());
                        for by in self.reader.table("by", value)? {
                            match by.0.get_ref().as_ref() {
                                "ask" => ask = self.reader.text("ask", by.1)?,
                                "answer" => answer = self.reader.text("answer", by.1)?,
                                _ => return Err(self.reader.unknown(by, &["ask", "answer"])),
                            }
                        }
                        requests.by = Some((ask, answer));
                    }
                },
                _ => return Err(self.reader.unknown(inner, &["asks", "answers", "by"])),
            }
        }
        match requests.asks.is_empty() || requests.answers.is_empty() {
            true => self.fail(&item, format!("requests.{}: expected asks and answers: messages", requests.name)),
            false => Ok(requests),
        }
    }

    fn probe(&self, item: Item<'_, '_>) -> Done<ProbeText> {
        let mut probe =
            ProbeText { line: self.line(&item), fields: Json::Object(Default::default()), ..Default::default() };
        for inner in self.reader.table("probe", item.1)? {
            let (key, value) = inner;
            match key.get_ref().as_ref() {
                "send" => probe.send = self.reader.text("send", value)?,
                "fields" => probe.fields = self.json("fields", value)?,
                "answer" => probe.answer = self.texts("answer", value)?,
                "tell" => probe.tell = self.texts("tell", value)?,
                "retries" => probe.retries = Some(self.reader.number("retries", value)?),
                "again" => {
                    for (name, value) in self.reader.table("again", value)? {
                        probe.again.push((name.get_ref().to_string(), self.reader.text("again", value)?));
                    }
                }
                _ => {
                    let known = ["send", "fields", "answer", "again", "tell", "retries"];
                    return Err(self.reader.unknown(inner, &known));
                }
            }
        }
        match probe.send.is_empty() || probe.answer.is_empty() {
            true => self.fail(&item, "probe: expected send and answer: messages"),
            false => Ok(probe),
        }
    }

    /// A value as JSON.
    fn json(&self, key: &str, value: &Value<'_>) -> Done<Json> {
        Ok(match value.get_ref() {
            DeValue::String(text) => Json::from(text.as_ref()),
            DeValue::Boolean(set) => Json::from(*set),
            DeValue::Array(list) => list.iter().map(|one| self.json(key, one)).collect::<Done<Vec<_>>>()?.into(),
            DeValue::Table(table) => {
                let members = self.reader.in_order(table).into_iter();
                let member = |(name, value): Item<'_, '_>| Ok((name.get_ref().to_string(), self.json(key, value)?));
                Json::Object(members.map(member).collect::<Done<_>>()?)
            }
            DeValue::Float(number) => {
                let parsed = number.as_str().replace('_', "").parse::<f64>();
                parsed.ok().map(Json::from).ok_or_else(|| self.reader.wrong(key, value, "a value"))?
            }
            other => match whole(other) {
                Some(n) if n < 0 => Json::from(n as i64),
                Some(n) => Json::from(n as u64),
                None => return Err(self.reader.wrong(key, value, "a value")),
            },
        })
    }
}
