//! Parses the TOML of a protocol file: its structure, with the line of each key.

pub mod condition;
mod fields;
mod keys;
mod traffic;
mod values;

pub use keys::KEYS;

use super::text::{File, First, FrameText, IdText, MessageText, OverText, Ports, Word};
use crate::codec::digits;
use crate::codec::schema::SchemaError;
use crate::codec::schema::reading::{Item, LONGEST, Reader};
use crate::nearest::{hint, nearest};
use std::cell::RefCell;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Value<'i> = Spanned<DeValue<'i>>;
type Done<T> = Result<T, SchemaError>;

/// Parses a file.
pub fn parse(file: &str, text: &str) -> Done<File> {
    parse_all(file, text, 1).map_err(|mut all| all.swap_remove(0))
}

/// Parses a file whose first line has this number. On error: all mistakes, by line.
pub fn parse_all(file: &str, text: &str, first: usize) -> Result<File, Vec<SchemaError>> {
    let parser = Parser { reader: Reader::new(file, text, first), more: RefCell::default() };
    let parsed = parser.parse(text);
    let mut all = parser.more.take();
    match parsed {
        Ok(parsed) if all.is_empty() => return Ok(parsed),
        Ok(_) => {}
        Err(error) => all.push(error),
    }
    all.sort_by_key(|mistake| mistake.line);
    Err(all)
}

impl Parser<'_> {
    fn parse(&self, text: &str) -> Done<File> {
        let reader = &self.reader;
        if text.len() > LONGEST {
            return Err(reader.error(0, format!("a protocol file of more than {LONGEST} bytes")));
        }
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            reader.error(at, format!("column {}: {}", reader.column(text, at), error.message()))
        })?;
        self.file(table.get_ref())
    }

    /// The result; a mistake is kept, so that others are found too.
    fn or_later<T>(&self, done: Done<T>) -> Option<T> {
        done.map_err(|error| self.more.borrow_mut().push(error)).ok()
    }
}

struct Parser<'a> {
    reader: Reader<'a>,
    /// Mistakes after which parsing continued.
    more: RefCell<Vec<SchemaError>>,
}

impl Parser<'_> {
    fn file(&self, table: &DeTable<'_>) -> Done<File> {
        let mut file = File { protocol_line: 1, ..File::default() };
        for item in self.reader.in_order(table) {
            let done = self.table(&mut file, item);
            self.or_later(done);
        }
        // Over another protocol, it may be the name of one of that protocol's encodings.
        if let (Some((_, value)), None, None) = (table.get_key_value("encoding"), &file.over, file.big) {
            let wrong = self.order("encoding", value);
            self.or_later(wrong);
        }
        if file.protocol.is_empty() && file.over.is_none() && self.more.borrow().is_empty() {
            let why = "protocol is missing: expected protocol = \"NAME\", as the output will call it";
            return Err(self.reader.error(0, why.into()));
        }
        Ok(file)
    }

    /// Parses `riptide`, or `riptide.reliable`.
    fn over(&self, item: &Item<'_, '_>, value: &Value<'_>) -> Done<OverText> {
        let text = self.reader.text(item.0.get_ref(), value)?;
        let (protocol, message) = text.split_once('.').unwrap_or((&text, ""));
        Ok(OverText { line: self.line(item), protocol: protocol.into(), message: message.into() })
    }

    /// Parses one key of the file.
    fn table(&self, file: &mut File, item: Item<'_, '_>) -> Done<()> {
        let (key, value) = item;
        file.lines.add(key.get_ref(), self.line(&item));
        match key.get_ref().as_ref() {
            "protocol" => {
                file.protocol = self.reader.text("protocol", value)?;
                file.protocol_line = self.line(&item);
            }
            "proto" => file.over = Some(self.over(&item, value)?),
            "over" => {
                for inner in self.reader.table("over", value)? {
                    match inner.0.get_ref().as_ref() {
                        "protocol" => file.over = Some(self.over(&inner, inner.1)?),
                        _ => return Err(self.reader.unknown(inner, keys::OVER)),
                    }
                }
                if file.over.is_none() {
                    return self.fail(&item, "over: protocol is missing: what carries the messages");
                }
            }
            "doc" => file.doc = self.reader.text("doc", value)?,
            "version" => _ = self.reader.text("version", value)?,
            "encoding" => {
                file.encoding = (self.reader.text("encoding", value)?, self.line(&item));
                file.big = self.order("encoding", value).ok();
            }
            "lengths" => file.lengths = (self.reader.text("lengths", value)?, self.line(&item)),
            "beside" => file.beside = self.beside(value)?,
            "udp" => file.udp = Some(self.ports(item, keys::UDP)?),
            "tcp" => file.tcp = Some(self.ports(item, keys::TCP)?),
            "websocket" => file.websocket = Some(self.ports(item, keys::WEBSOCKET)?),
            "packet" => {
                for inner in self.reader.table("packet", value)? {
                    match inner.0.get_ref().as_ref() {
                        "fields" => file.packet = Some((self.line(&inner), self.fields(inner.1)?)),
                        _ => return Err(self.reader.unknown(inner, keys::PACKET)),
                    }
                }
            }
            "message" => {
                let list = value.get_ref().as_array();
                let list = list.ok_or_else(|| self.reader.wrong("message", value, "[[message]] tables"))?;
                for message in list.iter() {
                    file.messages.extend(self.or_later(self.message(message)));
                }
            }
            "struct" => file.structs = self.reader.structs(value, |fields| self.fields(fields))?,
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
                        _ => return Err(self.reader.unknown(inner, keys::RECOGNISE)),
                    }
                }
            }
            "probe" => file.probe = Some(self.probe(item)?),
            "session" => file.session = Some(self.session(item)?),
            _ => return Err(self.reader.unknown(item, keys::FILE)),
        }
        Ok(())
    }

    /// Parses `["dtls", "rtp"]`.
    fn beside(&self, value: &Value<'_>) -> Done<Vec<(String, usize)>> {
        let list = value.get_ref().as_array();
        let list = list.ok_or_else(|| self.reader.wrong("beside", value, "a list of protocols"))?;
        let one = |value| Ok((self.reader.text("beside", value)?, self.reader.line(value.span().start)));
        list.iter().map(one).collect()
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
                            _ => return Err(self.reader.unknown(inner, keys::FIRST)),
                        }
                    }
                }
                _ => first.value = self.word(&first.name, value)?,
            }
            Ok(first)
        };
        items.into_iter().map(one).collect()
    }

    fn ports(&self, item: Item<'_, '_>, known: &str) -> Done<Ports> {
        let mut ports = Ports { line: self.line(&item), ..Ports::default() };
        for inner in self.reader.table(item.0.get_ref(), item.1)? {
            let (key, value) = inner;
            match key.get_ref().as_ref() {
                "ports" => {
                    let list = value.get_ref().as_array();
                    let list = list.ok_or_else(|| self.reader.wrong("ports", value, "a list of numbers"))?;
                    for port in list.iter() {
                        let number = self.reader.number("ports", port)?;
                        let why = || self.reader.error(port.span().start, format!("ports: {number} is not a port"));
                        ports.ports.push(u16::try_from(number).map_err(|_| why())?);
                    }
                }
                "path" if known.contains("path") => {
                    ports.path = self.reader.text("path", value)?;
                    if !ports.path.starts_with('/') {
                        let why = format!("path: expected a path from / on, such as \"/game\", got {:?}", ports.path);
                        return Err(self.reader.error(value.span().start, why));
                    }
                }
                "frame" if known.contains("frame") => ports.frames = self.frames(inner)?,
                _ => return Err(self.reader.unknown(inner, known)),
            }
        }
        Ok(ports)
    }

    /// Parses one table, or a list of them.
    fn frames(&self, item: Item<'_, '_>) -> Done<Vec<FrameText>> {
        match item.1.get_ref() {
            DeValue::Array(list) => list.iter().map(|value| self.frame((item.0, value))).collect(),
            _ => Ok(vec![self.frame(item)?]),
        }
    }

    fn frame(&self, item: Item<'_, '_>) -> Done<FrameText> {
        let line = self.reader.line(item.1.span().start);
        let mut frame = FrameText { line, ..FrameText::default() };
        for inner in self.reader.table("frame", item.1)? {
            let (key, value) = inner;
            match key.get_ref().as_ref() {
                "length" => frame.length = self.reader.text("length", value)?,
                "header" => frame.header = self.reader.text("header", value)?,
                "until" => frame.until = Some(self.reader.text("until", value)?),
                "if" => frame.condition = Some(self.reader.text("if", value)?),
                "fields" => frame.fields = self.reader.truth("fields", value)?,
                "most" => frame.most = Some(self.reader.number("most", value)?),
                "plus" => frame.plus = self.plus(&inner)?.into(),
                _ => return Err(self.reader.unknown(inner, keys::FRAME)),
            }
        }
        let ends = [!frame.length.is_empty(), frame.until.is_some(), frame.fields];
        if ends.into_iter().filter(|given| *given).count() != 1 {
            let ways = "length = \"u16\" (or another word), until = \"\\n\" or fields = true";
            return self.fail(&item, format!("frame: expected one of {ways}"));
        }
        if frame.most.is_some_and(|most| most > 1 << 24) {
            return self.fail(&item, "frame: most: expected at most 16777216 (2^24)");
        }
        if frame.length.is_empty() && (frame.plus != 0 || !frame.header.is_empty()) {
            return self.fail(&item, "frame: plus and header belong to a length");
        }
        Ok(frame)
    }

    /// Parses the number of bytes that a number counts in addition.
    fn plus(&self, item: &Item<'_, '_>) -> Done<i32> {
        let plus = self.reader.whole("plus", item.1)?;
        match i32::try_from(plus).ok().filter(|plus| plus.unsigned_abs() <= 1 << 16) {
            Some(plus) => Ok(plus),
            None => self.fail(item, format!("plus: expected a small number, got {plus}")),
        }
    }

    fn message(&self, value: &Value<'_>) -> Done<MessageText> {
        let mut message = MessageText::default();
        message.lines.line = self.reader.line(value.span().start);
        for item in self.reader.table("message", value)? {
            let (key, value) = item;
            message.lines.add(key.get_ref(), self.line(&item));
            match key.get_ref().as_ref() {
                "name" => message.name = self.reader.text("name", value)?,
                "doc" => message.doc = self.reader.text("doc", value)?,
                "message" => message.message = self.reader.text("message", value)?,
                "from" => {
                    let known = ["client", "server"];
                    message.from = self.reader.text("from", value)?;
                    if !known.contains(&message.from.as_str()) {
                        let near = hint(nearest(&message.from, known));
                        let why = format!("from: expected client or server, got {:?}{near}", message.from);
                        return Err(self.reader.error(value.span().start, why));
                    }
                }
                "id" => message.ids = Some(self.ids(value)?),
                "route" => message.route = Some(self.reader.text("route", value)?),
                "encoding" => message.encoding = self.reader.text("encoding", value)?,
                "any" => message.any = self.reader.truth("any", value)?,
                "if" => message.condition = Some(self.reader.text("if", value)?),
                "sets" => {
                    for (name, value) in self.reader.table("sets", value)? {
                        message.sets.push((name.get_ref().to_string(), self.word(name.get_ref(), value)?));
                    }
                }
                "fields" => message.fields = self.fields(value)?,
                _ => return Err(self.reader.unknown(item, keys::MESSAGE)),
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
}
