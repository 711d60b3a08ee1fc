//! Other spellings of types: the words of the first schemas, and halves of bytes. Both are rewritten before a file is
//! compiled, so that the compiler knows one form of each.

use super::compile::{Mistakes, own_key};
use super::text::{FieldText, File, IdText, MessageText, PartText};
use super::types::ALIASES;
use super::{Encoding, Form};

/// Text with the length of the file, `lengths`, before it.
const STRING: &str = "string";

/// Half of a byte.
pub const HALF: &str = "u4";

/// The number types that a length may have, without a byte order.
const LENGTHS: [&str; 6] = ["u8", "u16", "u24", "u32", "u64", "varint"];

/// Rewrites a file's types. `encodings`: those of the built-in protocol that carries its messages, whose own words stay.
pub fn respell(file: &mut File, encodings: &[Encoding]) -> Mistakes {
    let mut wrong = Mistakes::new();
    let (lengths, line) = &file.lengths;
    let length = alias(lengths).unwrap_or(lengths).to_owned();
    let bare = length.strip_suffix("le").or(length.strip_suffix("be")).unwrap_or(&length);
    if !length.is_empty() && !LENGTHS.contains(&bare) {
        wrong.push((*line, format!("lengths: expected {}, got {lengths:?}", LENGTHS.join(", "))));
    } else if !length.is_empty() && encodings.iter().any(|encoding| encoding.length.is_some()) {
        wrong.push((*line, "lengths: the protocol that carries the messages has its own".into()));
    }
    let structs: Vec<String> = file.structs.iter().map(|(name, ..)| name.clone()).collect();
    // Its number alone does not find such a message when encoding.
    let several = |m: &MessageText| m.any || !matches!(m.ids.as_deref(), Some([IdText::One(_)]));
    let ranged = file.messages.iter().any(several);
    let mut spelling = Spelling { encodings, encoding: String::new(), structs, length, used: false };
    let whole = &file.encoding.0;
    let packet = file.packet.iter_mut().map(|(_, fields)| (whole, fields));
    let structs = file.structs.iter_mut().map(|(.., fields)| (whole, fields));
    let messages = file.messages.iter_mut();
    let messages = messages.map(|m| (if m.encoding.is_empty() { whole } else { &m.encoding }, &mut m.fields));
    for (encoding, fields) in packet.chain(structs).chain(messages) {
        spelling.encoding.clone_from(encoding);
        fields.iter_mut().filter(|t| t.tag.is_none()).for_each(|t| spelling.field(t));
        halves(fields, ranged, &mut wrong);
    }
    for frame in file.tcp.iter_mut().flat_map(|tcp| &mut tcp.frames) {
        spelling.number(&mut frame.length);
        spelling.number(&mut frame.header);
    }
    if wrong.is_empty() && !spelling.length.is_empty() && !spelling.used {
        wrong.push((*line, "lengths has no effect: the file has no string, and no list T[]".into()));
    }
    wrong
}

fn alias(word: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(other, _)| *other == word).map(|(_, of)| *of)
}

struct Spelling<'a> {
    encodings: &'a [Encoding],
    /// The name of the encoding of the current fields; empty, or none of the encodings' names: any.
    encoding: String,
    structs: Vec<String>,
    length: String,
    /// Whether a type has the length of the file.
    used: bool,
}

impl Spelling<'_> {
    /// Whether a word means something else here.
    fn is_own(&self, word: &str) -> bool {
        let named = self.encodings.iter().any(|encoding| encoding.name == self.encoding);
        let mut own = self.encodings.iter().filter(|encoding| !named || encoding.name == self.encoding);
        own.any(|encoding| encoding.types.iter().any(|(known, _)| *known == word))
            || self.structs.iter().any(|name| name == word)
    }

    fn number(&self, word: &mut String) {
        if let Some(of) = alias(word).filter(|of| !of.ends_with(']') && !self.is_own(word)) {
            *word = of.into();
        }
    }

    fn field(&mut self, t: &mut FieldText) {
        t.by.iter_mut().for_each(|word| self.number(word));
        let sizes = t.size.iter_mut().flat_map(|size| std::iter::once(&mut size.word).chain(words(&mut size.cases)));
        sizes.chain(words(&mut t.cases)).for_each(|word| self.number(word));
        let kind = t.kind.trim();
        let (base, times) = kind.split_at(kind.find('[').unwrap_or(kind.len()));
        let base = base.trim();
        let mut spelt = match alias(base) {
            _ if self.is_own(base) => base.to_owned(),
            Some("u8") if !times.is_empty() && base == "byte" => "bytes".into(),
            None if base == STRING && !self.length.is_empty() => {
                self.used = true;
                format!("text[{}]", self.length)
            }
            of => of.unwrap_or(base).to_owned(),
        };
        let sequence = self.encodings.iter().all(|encoding| encoding.form == Form::Sequence);
        for count in times.split('[').skip(1) {
            let (count, after) = count.split_once(']').map_or((count, ""), |(count, after)| (count, after));
            let mut word = count.trim().to_owned();
            self.number(&mut word);
            if word.is_empty() && sequence {
                word.clone_from(&self.length);
                self.used |= !word.is_empty();
            }
            spelt += &format!("[{word}]{after}");
        }
        if spelt != kind && kind.matches('[').count() == kind.matches(']').count() {
            t.kind = spelt;
        }
    }
}

fn words(cases: &mut [super::text::CaseText]) -> impl Iterator<Item = &mut String> {
    cases.iter_mut().map(|case| &mut case.word)
}

/// Rewrites each two halves of bytes as the parts of a byte before the first field that has one. `ranged`: a message has
/// several numbers, so those of messages are shown.
fn halves(fields: &mut Vec<FieldText>, ranged: bool, wrong: &mut Mistakes) {
    let names: Vec<String> = fields.iter().map(|t| t.name.clone()).collect();
    let mut all: Vec<FieldText> = Vec::with_capacity(fields.len());
    // The place of the byte that has one half so far, and the name of the field with that half.
    let mut open: Option<(usize, String)> = None;
    for mut t in std::mem::take(fields) {
        let (line, name) = (t.line, t.name.clone());
        let mut fail = |line: usize, name: &str, why: &str| wrong.push((line, format!("{name}: {why}")));
        let made = half(&mut t, &names, ranged);
        if let Err(key) = made {
            fail(line, &name, &format!("{key} is not for u4"));
        }
        let Ok(Some((mut part, stays))) = made else {
            if let Some((place, name)) = open.take().filter(|_| made.is_ok()) {
                fail(all[place].line, &name, ALONE);
            }
            all.push(t);
            continue;
        };
        match open.take() {
            Some((place, _)) => {
                let byte = &mut all[place];
                if byte.condition != t.condition {
                    fail(line, &name, "two u4 in one byte need the same condition (if)");
                }
                (part.high, part.low) = (3, 0);
                byte.bits.push(part);
            }
            None => {
                let own = unused(format!("{name}_byte"), &names);
                let condition = t.condition.clone();
                open = Some((all.len(), name));
                let bits = vec![part];
                all.push(FieldText { line, name: own, kind: "u8".into(), condition, bits, ..FieldText::default() });
            }
        }
        if stays {
            all.push(t);
        }
    }
    if let Some((place, name)) = open {
        wrong.push((all[place].line, format!("{name}: {ALONE}")));
    }
    *fields = all;
}

/// Appends to a name until no field has it.
fn unused(mut name: String, names: &[String]) -> String {
    while names.contains(&name) {
        name.push('_');
    }
    name
}

const ALONE: &str = "u4 is half of a byte: the field before or after it has to begin with the other half";

/// Makes the upper half of a byte of a field's type, size, count or key, and has the field refer to it. The flag is
/// false if the half is the whole field. On error: a key that such a field does not have.
fn half(t: &mut FieldText, names: &[String], ranged: bool) -> Result<Option<(PartText, bool)>, &'static str> {
    let own = FieldText { line: t.line, hidden: true, ..FieldText::default() };
    let mut part = PartText { own, high: 7, low: 4, ..PartText::default() };
    let extended = t.plus != 0 || !t.cases.is_empty();
    let named = |own: Option<String>, t: &FieldText, what: &str| {
        own.unwrap_or_else(|| unused(format!("{}_{what}", t.name), names))
    };
    if t.kind.trim() == HALF {
        if extended {
            part.own.name = named(None, t, "head");
            t.of = Some(part.own.name.clone());
            t.kind.clear();
            return Ok(Some((part, true)));
        }
        part.own = std::mem::take(t);
        t.condition = part.own.condition.take();
        part.own.keys.retain(|key| key != "hidden");
        return match own_key(&part.own).or(part.own.first_of("optional time")) {
            Some(key) => Err(key),
            None => Ok(Some((part, false))),
        };
    }
    let size = t.size.as_ref().filter(|size| size.word == HALF).map(|size| size.cases.is_empty());
    if let Some(plain) = size {
        let own = if plain { t.prefix.take() } else { None };
        part.own.name = named(own, t, if plain { "length" } else { "head" });
        t.size.iter_mut().for_each(|size| size.word.clone_from(&part.own.name));
    } else if let Some(list) = t.kind.trim().strip_suffix("[u4]").map(str::to_owned) {
        let own = if extended { None } else { t.prefix.take() };
        part.own.name = named(own, t, if extended { "head" } else { "count" });
        t.kind = format!("{list}[{}]", part.own.name);
    } else if t.by.as_deref() == Some(HALF) {
        part.own.name = named(None, t, "id");
        part.own.hidden = !ranged;
        t.by = Some(part.own.name.clone());
    } else {
        return Ok(None);
    }
    Ok(Some((part, true)))
}
