//! Fields.

use super::super::text::{CaseText, FieldText, JoinText, PartText, SizeText};
use super::values::whole;
use super::{Done, Parser, Value, keys};
use crate::codec::calendar::Clock;
use crate::codec::digits;
use crate::codec::kinds::Radix;
use crate::codec::schema::reading::Item;
use toml::de::DeValue;

impl Parser<'_> {
    pub(super) fn fields(&self, value: &Value<'_>) -> Done<Vec<FieldText>> {
        let items = self.reader.table("fields", value)?.into_iter();
        Ok(items.filter_map(|item| self.or_later(self.field(item))).collect())
    }

    fn field(&self, item: Item<'_, '_>) -> Done<FieldText> {
        let reader = &self.reader;
        let (line, name) = (self.line(&item), item.0.get_ref().to_string());
        let mut field = FieldText { line, name, ..FieldText::default() };
        // A field is `name = "type"`, or a table.
        let items = match item.1.get_ref().as_str() {
            Some(kind) => {
                field.kind = kind.into();
                Vec::new()
            }
            None => reader.table(&field.name, item.1)?,
        };
        for inner in items {
            if !self.key(&mut field, inner)? {
                match self.case(&inner)? {
                    Some(case) => field.cases.push(case),
                    None => return Err(reader.unknown(inner, keys::FIELD)),
                }
            }
        }
        if field.kind.is_empty() && field.of.is_none() {
            return self.fail(&item, format!("{}: type is missing", field.name));
        }
        Ok(field)
    }

    /// Parses a key of a field. Returns false if fields have no such key.
    fn key(&self, field: &mut FieldText, inner: Item<'_, '_>) -> Done<bool> {
        let (reader, (key, value)) = (&self.reader, inner);
        match key.get_ref().as_ref() {
            "name" => field.name = reader.text("name", value)?,
            "type" => field.kind = reader.text("type", value)?,
            "doc" => field.doc = reader.text("doc", value)?,
            "unit" => field.unit = reader.text("unit", value)?,
            "scale" => field.scale = Some(reader.scale(value)?),
            "enum" => field.names = Some(reader.named("enum", value)?),
            "flags" => field.flags = Some(reader.named("flags", value)?),
            "if" => field.condition = Some(reader.text("if", value)?),
            "optional" => field.optional = reader.truth("optional", value)?,
            "closed" => field.closed = reader.truth("closed", value)?,
            "size" => field.size = Some(self.size(value)?),
            "until" => {
                field.until = Some(self.characters(value)?);
                field.until_number = value.get_ref().is_integer();
            }
            "while" => field.repeats = Some(reader.text("while", value)?),
            "time" => {
                let word = reader.text("time", value)?;
                field.time = Clock::named(&word);
                if field.time.is_none() {
                    return self.fail(&inner, format!("time: expected unix, unix_ms or ntp, got {word:?}"));
                }
            }
            "number" => field.number = Some(self.number(value)?),
            "joined" => field.joined = Some(reader.text("joined", value)?),
            "back" => field.back = Some(self.back(value)?),
            "plus" => field.plus = self.plus(&inner)?,
            "or_end" => field.or_end = reader.truth("or_end", value)?,
            "bits" => {
                for part in reader.table("bits", value)? {
                    field.bits.push(self.part(part)?);
                }
                if field.bits.is_empty() {
                    return Err(reader.wrong("bits", value, "at least one part: { NAME = \"7..0\" }"));
                }
            }
            "of" => field.of = Some(reader.text("of", value)?),
            "value" => field.value = Some(self.constant("value", value)?),
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
            "tag" => field.tag = Some(reader.number("tag", value)?),
            "packed" => field.packed = Some(reader.truth("packed", value)?),
            "inline" => field.inline = reader.truth("inline", value)?,
            "align" => {
                let align = reader.number("align", value)?;
                field.align = match u32::try_from(align) {
                    Ok(align @ 2..=4096) => align,
                    _ => return self.fail(&inner, format!("align: expected 2 to 4096 bytes, got {align}")),
                };
            }
            "padded" => field.padded = reader.truth("padded", value)?,
            "checked" => field.checked = reader.truth("checked", value)?,
            "signed" => field.signed = reader.truth("signed", value)?,
            "angle" => field.angle = reader.truth("angle", value)?,
            "rounded" => field.rounded = reader.truth("rounded", value)?,
            "prefix" => field.prefix = Some(reader.text("prefix", value)?),
            _ => return Ok(false),
        }
        field.keys.push(key.get_ref().to_string());
        Ok(true)
    }

    /// Parses `{ at = "low 14 bits", from = "packet" }`, or the bits that mark a place, as `0xc000`.
    fn back(&self, value: &Value<'_>) -> Done<u16> {
        if let DeValue::Integer(_) = value.get_ref() {
            let mask = self.reader.number("back", value)?;
            let high = |mask: &u16| mask & 0xff == 0 && (*mask >> 8) as u8 == !(0xff >> mask.leading_ones());
            let high = u16::try_from(mask).ok().filter(|mask| high(mask) && *mask > 0 && *mask < 0xff00);
            let wrong = || format!("back: expected the highest bits of two bytes, such as 0xc000, got {mask:#x}");
            return high.ok_or_else(|| self.reader.error(value.span().start, wrong()));
        }
        let mut mask = None;
        for inner in self.reader.table("back", value)? {
            let text = |key: &str| self.reader.text(key, inner.1);
            match inner.0.get_ref().as_ref() {
                "at" => {
                    let word = text("at")?;
                    let bits = word.strip_prefix("low ").and_then(|bits| bits.strip_suffix(" bits"));
                    let bits: Option<u32> = bits.and_then(digits::unsigned).filter(|bits| (9..16).contains(bits));
                    let why = || format!("at: expected \"low 9 bits\" to \"low 15 bits\", got {word:?}");
                    mask = Some(u16::MAX << bits.map_or_else(|| self.fail(&inner, why()), Ok)?);
                }
                "from" => match text("from")?.as_str() {
                    "packet" => (),
                    other => return self.fail(&inner, format!("from: expected \"packet\", got {other:?}")),
                },
                _ => return Err(self.reader.unknown(inner, keys::BACK)),
            }
        }
        mask.ok_or_else(|| self.reader.error(value.span().start, "back: at is missing, such as \"low 14 bits\"".into()))
    }

    /// Parses `{ text = "dec" }`.
    fn number(&self, value: &Value<'_>) -> Done<Radix> {
        let mut digits = None;
        for inner in self.reader.table("number", value)? {
            let word = match inner.0.get_ref().as_ref() {
                "text" => self.reader.text("text", inner.1)?,
                _ => return Err(self.reader.unknown(inner, keys::NUMBER)),
            };
            digits = Radix::named(&word);
            if digits.is_none() {
                return self.fail(&inner, format!("text: expected dec or hex, got {word:?}"));
            }
        }
        digits.ok_or_else(|| self.reader.error(value.span().start, "number: text is missing: dec or hex".into()))
    }

    fn size(&self, value: &Value<'_>) -> Done<SizeText> {
        match value.get_ref() {
            DeValue::String(word) => Ok(SizeText { word: word.to_string(), ..SizeText::default() }),
            DeValue::Integer(_) => {
                Ok(SizeText { word: self.reader.number("size", value)?.to_string(), ..SizeText::default() })
            }
            _ => {
                let mut size = SizeText::default();
                for inner in self.reader.table("size", value)? {
                    match inner.0.get_ref().as_ref() {
                        "type" => size.word = self.reader.text("type", inner.1)?,
                        "scale" => size.scale = Some(self.reader.scale(inner.1)?),
                        "plus" => size.plus = self.plus(&inner)?,
                        "most" => size.most = Some(self.reader.number("most", inner.1)?),
                        _ => match self.case(&inner)? {
                            Some(case) => size.cases.push(case),
                            None => return Err(self.reader.unknown(inner, keys::SIZE)),
                        },
                    }
                }
                match size.word.is_empty() {
                    true => Err(self.reader.error(value.span().start, "size: type is missing".into())),
                    false => Ok(size),
                }
            }
        }
    }

    /// Parses `126 = "u16"` or `13 = { type = "u8", plus = 13 }`; `None`: the key is not a number.
    fn case(&self, item: &Item<'_, '_>) -> Done<Option<CaseText>> {
        let Some(head) = digits::unsigned::<u64>(item.0.get_ref()) else { return Ok(None) };
        let mut case = CaseText { value: head, word: String::new(), plus: 0 };
        match item.1.get_ref() {
            DeValue::String(word) => case.word = word.to_string(),
            _ => {
                for inner in self.reader.table("a number's value", item.1)? {
                    match inner.0.get_ref().as_ref() {
                        "type" => case.word = self.reader.text("type", inner.1)?,
                        "plus" => case.plus = self.plus(&inner)?,
                        _ => return Err(self.reader.unknown(inner, keys::CASE)),
                    }
                }
            }
        }
        match case.word.is_empty() {
            true => self.fail(item, format!("{head}: type is missing: the number that follows it")),
            false => Ok(Some(case)),
        }
    }

    /// Parses characters, as a text or as numbers.
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
        if all.is_empty() { Err(self.reader.wrong("until", value, "at least one character")) } else { Ok(all) }
    }

    fn part(&self, item: Item<'_, '_>) -> Done<PartText> {
        let (name, value) = item;
        let own = FieldText { name: name.get_ref().to_string(), line: self.line(&item), ..FieldText::default() };
        let mut part = PartText { own, ..PartText::default() };
        let mut at = None;
        if let DeValue::Table(table) = value.get_ref() {
            for inner in self.reader.in_order(table) {
                let (key, value) = inner;
                match key.get_ref().as_ref() {
                    "at" => at = Some(self.bits(&part.own.name, value)?),
                    "except" => part.except = Some(self.bits(&part.own.name, value)?),
                    key if keys::PART.split(' ').any(|known| known == key) => _ = self.key(&mut part.own, inner)?,
                    _ => return Err(self.reader.unknown(inner, keys::PART)),
                }
            }
        } else {
            at = Some(self.bits(&part.own.name, value)?);
        }
        let Some((high, low)) = at else {
            return self.fail(&item, format!("{}: at is missing: its bits", part.own.name));
        };
        (part.high, part.low) = (high, low);
        Ok(part)
    }

    /// Parses `14` or `"11..0"`.
    fn bits(&self, name: &str, value: &Value<'_>) -> Done<(u8, u8)> {
        let expected = "a bit's number (0 is the lowest), or the highest and the lowest, such as \"11..0\"";
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
                _ => return Err(self.reader.unknown(inner, keys::JOIN)),
            }
        }
        Ok(join)
    }
}
