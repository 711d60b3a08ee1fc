//! From a file's structure to tables.

use super::known::{Known, Use, used};
use super::text::{FieldText, File, IdText, JoinText, MessageText};
use crate::codec::kinds::{By, Choice, Chosen, Packed, Packing, Region};
use crate::codec::layout::{Count, Field, Kind, Layout, Len, When, bytes, custom, flag, group};
use crate::codec::schema::named::{identifier, leak};
use crate::nearest::{hint, nearest};
use rustc_hash::{FxHashMap, FxHashSet};

/// The cap on fields of a message with those of its structs, and of all of a file.
const MOST_FIELDS: usize = 1 << 13;
const MOST_ALL: usize = 1 << 16;
/// The cap on structs in structs, and on messages in messages.
const DEPTH: usize = 16;
const CARRIERS: usize = 8;

/// On error: the line, and what is wrong.
pub type Compiled<T> = Result<T, (usize, String)>;

/// Tables live as long as the program; their size is bounded by the file's.
pub fn statics<T>(list: Vec<T>) -> &'static [T] {
    Box::leak(list.into_boxed_slice())
}

/// One value that lives as long as the program.
pub fn lasting<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// What the session does at a field.
#[derive(Debug, Default)]
pub struct Hook {
    /// What the field, or the message, changes: the name, the side it is for, and the value (`None`:
    /// the field's own).
    pub sets: Vec<Set>,
    /// Its bytes are a part of something longer.
    pub join: Option<&'static Join>,
    /// A number that is hidden: the masks that fields ask of it, and those that also ask for more.
    pub presence: Option<(Vec<u64>, u64)>,
}

/// A change of what a conversation remembers.
#[derive(Debug)]
pub struct Set {
    /// The place among what is remembered.
    pub memory: usize,
    /// Only for messages of the client (0) or the server (1).
    pub side: Option<usize>,
    /// The new value; `None`: that of the field.
    pub value: Option<u64>,
}

/// How parts are put together.
#[derive(Debug)]
pub struct Join {
    /// Its number among all.
    pub number: usize,
    pub when: Option<When>,
    pub key: Vec<&'static str>,
    pub index: Option<&'static str>,
    pub offset: Option<&'static str>,
    pub count: Option<&'static str>,
    pub total: Option<&'static str>,
    pub remaining: Option<&'static str>,
    /// The count-down is a flag that says: it is the last.
    pub negated: bool,
    /// The whole is a packet.
    pub is_packet: bool,
    /// What the whole is; empty: bytes, or a packet.
    pub whole: std::sync::OnceLock<&'static [Field]>,
}

/// A join whose whole is looked up when all messages are there.
struct Later {
    join: &'static Join,
    line: usize,
    is: Option<String>,
    by: Option<String>,
    own: Option<&'static Field>,
}

/// Compiles one file.
pub struct Compiler<'a> {
    pub text: &'a File,
    /// The fields that later ones may refer to, those of open groups.
    pub known: Vec<Known>,
    /// All fields, and what is done with them.
    pub all: Vec<Use>,
    pub hooks: Vec<Hook>,
    /// What encode writes where a field is not given, if that is no number.
    pub defaults: Vec<(&'static str, &'static str, serde_json::Value)>,
    /// The names that anything refers to, with and without their group.
    referred: FxHashSet<String>,
    counted: FxHashSet<String>,
    viewed: FxHashSet<String>,
    selecting: FxHashSet<String>,
    structs: Vec<&'a str>,
    /// The fields of the groups that are open.
    siblings: Vec<&'a [FieldText]>,
    used_structs: FxHashSet<&'a str>,
    carriers: Vec<&'a str>,
    choices: FxHashMap<String, &'static [Choice]>,
    later: Vec<Later>,
    left: usize,
    /// How many lists without a length of their own are open.
    pub listed: usize,
    pub advice: Vec<(usize, String)>,
    /// The bits that each message's number rules out, by the place of the message's field.
    pub id_bits: FxHashMap<usize, u32>,
}

/// The words of a condition that may be names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).filter(|word| !word.is_empty())
}

impl<'a> Compiler<'a> {
    /// Of this file.
    pub fn new(text: &'a File) -> Compiler<'a> {
        let mut compiler = Compiler {
            text,
            known: Vec::new(),
            all: Vec::new(),
            hooks: vec![Hook::default()],
            defaults: Vec::new(),
            referred: FxHashSet::default(),
            counted: FxHashSet::default(),
            viewed: FxHashSet::default(),
            selecting: FxHashSet::default(),
            structs: Vec::new(),
            siblings: Vec::new(),
            used_structs: FxHashSet::default(),
            carriers: Vec::new(),
            choices: FxHashMap::default(),
            later: Vec::new(),
            left: MOST_FIELDS,
            listed: 0,
            advice: Vec::new(),
            id_bits: FxHashMap::default(),
        };
        let packet = text.packet.iter().flat_map(|(_, fields)| fields);
        let structs = text.structs.iter().flat_map(|(.., fields)| fields);
        for field in packet.chain(structs).chain(text.messages.iter().flat_map(|m| &m.fields)) {
            compiler.collect(field);
        }
        for m in &text.messages {
            m.condition.iter().for_each(|text| compiler.refer(text));
            for word in m.condition.iter().flat_map(|text| words(text)) {
                compiler.selecting.insert(word.into());
            }
        }
        text.recognise.server.iter().for_each(|(_, text)| compiler.refer(text));
        compiler
    }

    fn refer(&mut self, text: &str) {
        for word in words(text) {
            self.referred.insert(word.into());
            word.split('.').for_each(|part| _ = self.referred.insert(part.into()));
        }
    }

    /// The names that a field refers to.
    fn collect(&mut self, field: &FieldText) {
        let texts = [&field.condition, &field.by, &field.of, &field.holds, &field.holds_if, &field.inflated];
        texts.into_iter().flatten().for_each(|text| self.refer(text));
        if let Some(super::text::ValueText::Text(text)) = &field.xor {
            self.refer(text);
        }
        if let Some(by) = &field.by {
            self.selecting.insert(by.rsplit('.').next().unwrap_or(by).into());
        }
        if let Some(of) = &field.of {
            self.viewed.insert(of.clone());
        }
        field.join.iter().flat_map(|join| &join.condition).for_each(|text| self.refer(text));
        let sizes = field.size.iter().map(|size| size.word.as_str()).chain(field.inflated.as_deref());
        let counts = field.kind.split('[').skip(1).filter_map(|times| times.split(']').next());
        let counts: Vec<String> = sizes.chain(counts).map(|word| word.trim().to_owned()).collect();
        for word in counts {
            self.refer(&word);
            let last = word.rsplit('.').next().unwrap_or(&word).to_owned();
            self.counted.insert(last);
        }
    }

    /// Is this name referred to?
    pub fn is_referred(&self, name: &str) -> bool {
        self.referred.contains(name)
    }

    /// Is a message found by it?
    pub fn selects(&self, name: &str) -> bool {
        self.selecting.contains(name)
    }

    /// Is a number of this name written from what else is given?
    pub fn is_derived(&self, name: &str) -> bool {
        self.counted.contains(name) || self.viewed.contains(name)
    }

    /// A new field that later ones may refer to.
    pub fn know(&mut self, t: &FieldText, name: &str, known: (bool, Vec<(u64, &'static str)>), hidden: bool) {
        let place = self.all.len();
        let (number, names) = known;
        let constant = t.value.is_some();
        let line = t.line;
        self.all.push(Use { line, name: name.into(), hidden, constant, uses: 0, ranged: false });
        self.known.push(Known { name: name.into(), names, number, scale: t.scale, group: None, place, width: 0 });
    }

    /// The packet's fields.
    pub fn packet(&mut self) -> Compiled<&'static [Field]> {
        let fields = match &self.text.packet {
            Some((line, fields)) if fields.is_empty() => return Err((*line, "packet.fields: there are none".into())),
            Some((_, fields)) => self.list(fields)?,
            None => {
                static PLAIN: std::sync::LazyLock<FieldText> = std::sync::LazyLock::new(|| FieldText {
                    line: 1,
                    name: "message".into(),
                    kind: "message".into(),
                    by: Some("u8".into()),
                    ..FieldText::default()
                });
                self.list(std::slice::from_ref(&*PLAIN))?
            }
        };
        self.joins()?;
        self.check()?;
        Ok(fields)
    }

    /// Fields one behind the other.
    pub fn list(&mut self, texts: &'a [FieldText]) -> Compiled<&'static [Field]> {
        if let Some(first) = texts.first() {
            let left = self.left.checked_sub(texts.len()).filter(|_| self.all.len() + texts.len() < MOST_ALL);
            let why = || (first.line, format!("more than {MOST_FIELDS} fields with those of all structs"));
            self.left = left.ok_or_else(why)?;
        }
        let mut fields: Vec<Field> = Vec::new();
        for (k, t) in texts.iter().enumerate() {
            let twin = |other: &FieldText| other.name == t.name && t.condition.is_none() && other.condition.is_none();
            if !t.name.is_empty() && texts.iter().take(k).any(twin) {
                return Err((t.line, format!("{}: the name stands twice", t.name)));
            }
            self.siblings.push(texts.get(k + 1..).unwrap_or_default());
            let field = self.field(t, texts);
            self.siblings.pop();
            fields.push(field?);
        }
        // What takes the rest leaves what the fields behind it need.
        for k in (0..fields.len()).rev() {
            let Some((rest, behind)) = fields.get(k..).and_then(<[Field]>::split_first) else { continue };
            if behind.is_empty() || !takes_the_rest(rest) {
                continue;
            }
            let t = &texts[k];
            let mut needs = Vec::new();
            for (later, text) in behind.iter().zip(texts.iter().skip(k + 1)) {
                match fixed(later) {
                    Some(bits) => needs.push((later.when, bits)),
                    // One of them is there, not both.
                    None if excludes(&rest.when, &later.when) => {}
                    None if is_chosen(rest) => {
                        needs.clear();
                        break;
                    }
                    None => {
                        let why = format!(
                            "{}: takes everything up to the end, and {} behind it has no fixed size",
                            t.name, text.name
                        );
                        return Err((t.line, why));
                    }
                }
            }
            if needs.is_empty() || is_chosen(rest) && self.listed > 0 {
                continue;
            }
            let rest = fields.remove(k);
            let wrapped = region(rest, crate::codec::kinds::Extent::Less(statics(needs)), (1, 1), &t.name);
            fields.insert(k, wrapped);
        }
        Ok(statics(fields))
    }

    fn field(&mut self, t: &'a FieldText, all: &'a [FieldText]) -> Compiled<Field> {
        let fail = |why: String| Err((t.line, why));
        identifier(&t.name, &["unparsed"]).map_err(|why| (t.line, why))?;
        let when = match &t.condition {
            Some(text) => {
                let condition = self.condition(text, t.line, &t.name)?;
                for (name, _) in condition.masks {
                    self.uses(name, used::PRESENCE);
                }
                condition.when
            }
            None => When::Always,
        };
        let mut hook = 0;
        if !t.sets.is_empty() || t.join.is_some() {
            let mut sets = Vec::new();
            for (name, value) in &t.sets {
                sets.push(self.set(name, t.line, value.as_ref())?);
            }
            hook = self.hooks.len() as u16;
            self.hooks.push(Hook { sets, ..Hook::default() });
        }
        let mut field = self.shaped(t, all, hook)?;
        if !matches!(when, When::Always) {
            field.when = match field.when {
                When::Always => when,
                own => When::All(statics(vec![when, own])),
            };
        }
        if t.hidden && field.name.is_empty() && t.value.is_none() && t.bits.is_empty() && t.kind != "message" {
            // Wrapped: the field itself is inside.
            return fail(format!("{}: hidden: only numbers and constants can be", t.name));
        }
        Ok(field)
    }

    /// What later fields ask of a hidden number: the masks for which one is there, and the bits that
    /// others ask together with more. A number that is not just the masks of those fields cannot be
    /// derived from them.
    pub fn presence(&mut self, name: &str, bits: u32, names: &[(u64, &'static str)]) -> u16 {
        let (mut masks, mut more) = (Vec::new(), 0);
        for text in self.siblings.last().copied().unwrap_or_default() {
            let Some(condition) = &text.condition else { continue };
            let terms: Vec<&str> = condition.split(" and ").map(str::trim).collect();
            for term in &terms {
                let mask = match term.split_once('&') {
                    Some((asked, mask)) if asked.trim() == name => self.number(mask.trim(), names).unwrap_or(u64::MAX),
                    None if *term == name && bits == 1 => 1,
                    None if *term == name => u64::MAX,
                    _ => continue,
                };
                match terms.len() == 1 && mask != u64::MAX {
                    true => masks.push(mask),
                    false => more |= mask,
                }
            }
        }
        if masks.is_empty() && more == 0 {
            return 0;
        }
        self.hooks.push(Hook { presence: Some((masks, more)), ..Hook::default() });
        (self.hooks.len() - 1) as u16
    }

    /// The change of something remembered.
    fn set(&mut self, name: &str, line: usize, value: Option<&super::text::Word>) -> Compiled<Set> {
        let (side, bare) = match name.split_once('.') {
            Some(("client", bare)) => (Some(0), bare),
            Some(("server", bare)) => (Some(1), bare),
            _ => (None, name),
        };
        let Some(memory) = self.text.memory.iter().position(|first| first.name == bare) else {
            let near = hint(nearest(bare, self.text.memory.iter().map(|first| first.name.as_str())));
            return Err((line, format!("sets: [memory] has no {bare:?}{near}")));
        };
        let names = self.enum_names(bare);
        let value = match value {
            None => None,
            Some(word) => match self.word(word, &names) {
                Some(number) => Some(number),
                None => return Err((line, format!("sets: {word:?} is no number, and no name of [enum.{bare}]"))),
            },
        };
        Ok(Set { memory, side, value })
    }

    /// A message by a number.
    pub fn chosen(&mut self, t: &'a FieldText, hook: u16) -> Compiled<Field> {
        let Some(by) = &t.by else {
            return Err((t.line, format!("{}: by is missing: the number that tells which message it is", t.name)));
        };
        let (way, names) = self.by(by, t, t.hidden_id)?;
        let carrier = self.carriers.last().copied().unwrap_or("");
        let among = self.choices(carrier, &names, t.line)?;
        if among.is_empty() {
            let whose = if carrier.is_empty() { "without one".into() } else { format!("of {carrier:?}") };
            return Err((t.line, format!("{}: by {by}, but there are no messages {whose}", t.name)));
        }
        let width = match way {
            By::Field(name) => match self.find(name) {
                Some(super::known::Found::Field(place)) => self.known[place].width,
                _ => 0,
            },
            By::Word(number) => number.kind.width().map_or(7, |(bits, _)| bits),
        };
        let known =
            |choice: &Choice| choice.ids.iter().map(|(least, most)| most - least).fold(1u64, u64::saturating_add);
        let taken = among.iter().map(known).fold(0, u64::saturating_add).max(1);
        let ruled = width.saturating_sub(64 - (taken - 1).leading_zeros());
        for choice in among {
            let ruled = if choice.any { 0 } else { ruled };
            self.id_bits.insert(std::ptr::from_ref(choice.field) as usize, ruled);
        }
        if let By::Field(name) = way {
            self.uses(name, used::BY);
            let ranged = among.iter().find(|choice| choice.id().is_none());
            if let (Some(super::known::Found::Field(place)), Some(_)) = (self.find(name), ranged) {
                let place = self.known[place].place;
                self.all[place].ranged = true;
            }
        }
        let mut field = custom("", lasting(Chosen::new(way, among)));
        field.set_name(leak(&t.name));
        field.flags |= flag::CARRIES;
        let Some(join) = &t.join else { return Ok(field) };
        let made = self.join(join, t, Some(lasting(field.clone())))?;
        let Some(when) = made.when else {
            return Err((t.line, format!("{}: join: if is missing: it tells a part from a message", t.name)));
        };
        self.hooks[hook as usize].join = Some(made);
        let name = if self.known.iter().any(|known| known.name == "data") { leak(&t.name) } else { "data" };
        let mut part = bytes(name, Len::Rest).doc("a part of a longer message");
        part.when = when;
        part.hook = hook;
        field.when = When::Not(lasting(when));
        let mut both = crate::codec::layout::inline("", statics(vec![part, field]));
        both.flags |= flag::CARRIES;
        Ok(both)
    }

    /// Where the number stands, and its names.
    fn by(&mut self, by: &str, t: &FieldText, hidden: bool) -> Compiled<(By, Vec<(u64, &'static str)>)> {
        if let Some(mut number) = self.word_type(by, t.line)? {
            number.set_name("id");
            number.flags |= flag::HIDDEN | flag::SELECTS;
            let _ = hidden;
            return Ok((By::Word(lasting(number)), Vec::new()));
        }
        match self.find(by) {
            Some(super::known::Found::Field(place)) => {
                let known = &self.known[place];
                if !known.number {
                    return Err((t.line, format!("{}: by: {by} is no number", t.name)));
                }
                Ok((By::Field(Self::bare(by)), known.names.clone()))
            }
            Some(super::known::Found::Other(names)) => Ok((By::Field(Self::bare(by)), names)),
            None => {
                let fields = self.known.iter().map(|known| known.name.as_str());
                let near = hint(nearest(by, fields));
                let why = format!("{}: by: no field {by:?} stands before it, and no word is called so{near}", t.name);
                Err((t.line, why))
            }
        }
    }

    /// The messages that another carries; "" are those of the packet itself.
    fn choices(&mut self, carrier: &'a str, names: &[(u64, &'static str)], line: usize) -> Compiled<&'static [Choice]> {
        if let Some(known) = self.choices.get(carrier) {
            return Ok(known);
        }
        if self.carriers.len() > CARRIERS {
            return Err((line, format!("messages in messages, more than {CARRIERS} deep")));
        }
        let mut choices: Vec<Choice> = Vec::new();
        let mut found: FxHashMap<(u64, &str, &str), &str> = FxHashMap::default();
        let text = self.text;
        for m in text.messages.iter().filter(|m| m.message == carrier) {
            let ids = self.ids(m, names)?;
            for id in ids.iter().filter(|(least, most)| least == most) {
                let condition = m.condition.as_deref().unwrap_or("");
                if let Some(twin) = found.insert((id.0, &m.from, condition), &m.name) {
                    return Err((m.line, format!("{}: {twin} is found by the same: it would never be used", m.name)));
                }
            }
            let choice = self.choice(m, ids)?;
            choices.push(choice);
        }
        let list = statics(choices);
        self.choices.insert(carrier.into(), list);
        Ok(list)
    }

    fn ids(&self, m: &MessageText, names: &[(u64, &'static str)]) -> Compiled<Vec<(u64, u64)>> {
        let Some(ids) = &m.ids else {
            return match m.any {
                true => Ok(Vec::new()),
                false => Err((m.line, format!("{}: id is missing: the number that names the message", m.name))),
            };
        };
        let one = |id: &IdText| match id {
            IdText::Range(least, most) => Ok((*least, *most)),
            IdText::One(word) => match self.word(word, names) {
                Some(id) => Ok((id, id)),
                None => {
                    let word = if let super::text::Word::Name(name) = word { name.as_str() } else { "" };
                    let near = hint(nearest(word, names.iter().map(|(_, name)| *name)));
                    let why = format!("id: {word:?} is no number, and no name of one{near}");
                    Err((m.at("id"), why))
                }
            },
        };
        ids.iter().map(one).collect()
    }

    fn choice(&mut self, m: &'a MessageText, ids: Vec<(u64, u64)>) -> Compiled<Choice> {
        if m.name.is_empty() {
            return Err((m.line, "name is missing: what the message is called".into()));
        }
        identifier(&m.name, &["packet", "unknown", "fragment"]).map_err(|why| (m.at("name"), why))?;
        if self.carriers.contains(&m.name.as_str()) {
            return Err((m.line, format!("{}: carries itself", m.name)));
        }
        let when = match &m.condition {
            Some(text) => {
                let condition = self.condition(text, m.at("if"), "if")?;
                for (name, _) in &condition.equal {
                    self.uses(name, used::EQUAL);
                }
                condition.when
            }
            None => When::Always,
        };
        let (known, left, listed) = (self.known.len(), self.left, self.listed);
        self.left = MOST_FIELDS;
        self.carriers.push(&m.name);
        let fields = self.list(&m.fields)?;
        self.carriers.pop();
        (self.left, self.listed) = (left, listed);
        self.known.truncate(known);
        let mut sets = Vec::new();
        for (name, value) in &m.sets {
            sets.push(self.set(name, m.at("sets"), Some(value))?);
        }
        let mut field = group(leak(&m.name), fields).doc(leak(&m.doc)).keep_empty();
        field.flags |= flag::MESSAGE;
        if !sets.is_empty() {
            field.hook = self.hooks.len() as u16;
            self.hooks.push(Hook { sets, ..Hook::default() });
        }
        let from = match m.from.as_str() {
            "client" => 1,
            "server" => 2,
            _ => 0,
        };
        let layout = lasting(Layout { name: leak(&m.name), doc: leak(&m.doc), fields });
        Ok(Choice { field: lasting(field), ids: statics(ids), any: m.any, from, when, layout })
    }

    /// The parts of something longer.
    pub fn join(&mut self, join: &JoinText, t: &FieldText, own: Option<&'static Field>) -> Compiled<&'static Join> {
        let fail = |why: &str| Err((t.line, format!("{}: join: {why}", t.name)));
        let when = match &join.condition {
            Some(text) => Some(self.condition(text, t.line, "join: if")?.when),
            None => None,
        };
        let name = |this: &Self, name: &Option<String>| -> Compiled<Option<&'static str>> {
            let Some(name) = name else { return Ok(None) };
            match this.find(name) {
                Some(super::known::Found::Field(place)) if this.known[place].number => Ok(Some(Self::bare(name))),
                Some(_) => Err((t.line, format!("{}: join: {name} is no number that stands before it", t.name))),
                None => Err(this.nothing(t.line, &format!("{}: join", t.name), name)),
            }
        };
        let (negated, remaining) = match &join.remaining {
            Some(text) => match text.strip_prefix("not ") {
                Some(flag) => (true, Some(flag.trim().to_owned())),
                None => (false, Some(text.clone())),
            },
            None => (false, None),
        };
        let mut key = Vec::new();
        for part in &join.key {
            match self.find(part) {
                Some(_) => key.push(Self::bare(part)),
                None => return Err(self.nothing(t.line, &format!("{}: join: key", t.name), part)),
            }
        }
        let made = Join {
            number: self.later.len(),
            when,
            key,
            index: name(self, &join.index)?,
            offset: name(self, &join.offset)?,
            count: name(self, &join.count)?,
            total: name(self, &join.total)?,
            remaining: name(self, &remaining)?,
            negated,
            is_packet: join.is.as_deref() == Some("packet"),
            whole: std::sync::OnceLock::new(),
        };
        match (made.index, made.offset, made.count.or(made.total), made.remaining) {
            (Some(_), _, Some(_), _) | (None, Some(_), Some(_), _) | (Some(_), None, None, Some(_)) => {}
            _ => return fail("expected index and count, offset and count, or index and remaining"),
        }
        let made = lasting(made);
        self.later.push(Later { join: made, line: t.line, is: join.is.clone(), by: join.by.clone(), own });
        Ok(made)
    }

    /// What the joined wholes are, now that all messages are there.
    fn joins(&mut self) -> Compiled<()> {
        for later in std::mem::take(&mut self.later) {
            let Some(is) = &later.is else { continue };
            let wrong = |why: String| (later.line, format!("join: is: {why}"));
            let fields = match (is.as_str(), later.own) {
                ("packet", _) => continue,
                ("message", Some(own)) => std::slice::from_ref(own),
                (carrier, _) => {
                    let carrier = if carrier == "message" { "" } else { carrier };
                    let Some(among) = self.choices.get(carrier).copied() else {
                        let all = self.choices.keys().map(String::as_str).chain(["packet", "message"]);
                        let near = hint(nearest(carrier, all));
                        return Err(wrong(format!("no message {carrier:?} carries others{near}")));
                    };
                    let by = later.by.as_deref().unwrap_or("u8");
                    let Some(mut number) = self.word_type(by, later.line)? else {
                        return Err(wrong(format!("by: {by:?} is no word: expected u8, u16, varint, ..")));
                    };
                    number.set_name("id");
                    number.flags |= flag::HIDDEN;
                    let chosen = Chosen::new(By::Word(lasting(number)), among);
                    let mut field = custom("message", lasting(chosen));
                    field.flags |= flag::CARRIES;
                    statics(vec![field])
                }
            };
            _ = later.join.whole.set(fields);
        }
        Ok(())
    }

    /// Everything that can be said only when the whole file is read.
    fn check(&mut self) -> Compiled<()> {
        let text = self.text;
        for m in &text.messages {
            if self.choices.contains_key(&m.message) {
                continue;
            }
            if m.message.is_empty() {
                return Err((m.line, format!("{}: no field of the packet holds messages", m.name)));
            }
            return Err(match text.messages.iter().any(|other| other.name == m.message) {
                true => (m.at("message"), format!("message: {:?} has no field of type message", m.message)),
                false => {
                    let near = hint(nearest(&m.message, text.messages.iter().map(|m| m.name.as_str())));
                    (m.at("message"), format!("message: no message {:?} carries it{near}", m.message))
                }
            });
        }
        for field in self.all.iter().filter(|field| field.hidden && !field.constant) {
            let name = &field.name;
            if field.uses & used::BY != 0 && field.ranged && field.uses & !(used::BY | used::PRESENCE) == 0 {
                let why = format!("{name}: hidden, but ids that are lists or ranges cannot give it back");
                return Err((field.line, why));
            }
            if field.uses == 0 {
                let why = format!(
                    "{name}: hidden, but encode could not give it back: it is no constant (value), no length or \
                     count of a later field, and nothing is found by it (by) or is there because of it (if)"
                );
                return Err((field.line, why));
            }
        }
        for (name, line, _) in &text.structs {
            if !self.used_structs.contains(name.as_str()) {
                self.advice.push((*line, format!("struct {name} is never used")));
            }
        }
        Ok(())
    }

    /// The fields of a struct.
    pub fn structure(&mut self, name: &str, t: &FieldText) -> Compiled<Option<&'static [Field]>> {
        let text = self.text;
        let Some((name, line, fields)) = text.structs.iter().find(|(other, ..)| other == name) else { return Ok(None) };
        if self.structs.contains(&name.as_str()) {
            return Err((t.line, format!("{}: struct {name} contains itself", t.name)));
        }
        if self.structs.len() >= DEPTH {
            return Err((t.line, format!("{}: structs in structs, more than {DEPTH} deep", t.name)));
        }
        if fields.is_empty() {
            return Err((*line, format!("struct {name} has no fields")));
        }
        self.structs.push(name);
        self.used_structs.insert(name);
        let list = self.list(fields);
        self.structs.pop();
        list.map(Some)
    }

    /// The message whose fields are being compiled; empty: the packet's.
    pub fn message_name(&self) -> &'static str {
        leak(self.carriers.last().copied().unwrap_or(""))
    }

    /// The messages that a carrier has.
    pub fn all_choices(&self) -> impl Iterator<Item = (&str, &'static [Choice])> {
        self.choices.iter().map(|(carrier, list)| (carrier.as_str(), *list))
    }

    /// What does not unpack further than this.
    pub fn packing(&self, t: &FieldText) -> Compiled<Option<Packing>> {
        let known = ["zlib", "deflate", "gzip"];
        Ok(Some(match t.compressed.as_deref() {
            Some("zlib") => Packing::Zlib,
            Some("deflate") => Packing::Deflate,
            Some("gzip") => Packing::Gzip,
            Some(other) => {
                let near = hint(nearest(other, known));
                let why = format!("{}: compressed: expected {}, got {other:?}{near}", t.name, known.join(", "));
                return Err((t.line, why));
            }
            None => return Ok(None),
        }))
    }
}

/// A field in a region.
pub fn region(mut of: Field, extent: crate::codec::kinds::Extent, scale: (u32, u32), name: &str) -> Field {
    let when = std::mem::replace(&mut of.when, When::Always);
    let carries = of.flags & flag::CARRIES;
    let left = Region::left(leak(&format!("{name}_trailing")));
    let mut field = custom("", lasting(Region { extent, scale, fields: lasting([of, left]) }));
    field.when = when;
    field.flags |= carries;
    field
}

/// A field in packed bytes.
pub fn packed(mut of: Field, packing: Packing, most: usize, inflated: Option<&'static str>, name: &str) -> Field {
    let when = std::mem::replace(&mut of.when, When::Always);
    let carries = of.flags & flag::CARRIES;
    let masked = matches!(packing, Packing::Xor(_) | Packing::XorField(_));
    let bits = if masked { fixed(&of) } else { None };
    let left = Region::left(leak(&format!("{name}_trailing")));
    let mut kept = bytes("compressed", Len::Rest).doc("the compressed bytes, where compressing again gives others");
    kept.flags |= flag::DERIVED;
    let fields = lasting([of, left, kept]);
    let mut field = custom("", lasting(Packed { packing, bits, most, inflated, fields }));
    field.when = when;
    field.flags |= carries;
    field
}

/// Can these conditions not hold together?
fn excludes(a: &When, b: &When) -> bool {
    let same = |a: &When, b: &When| format!("{a:?}") == format!("{b:?}");
    match (a, b) {
        (When::Not(a), b) | (b, When::Not(a)) => same(a, b),
        (When::Eq(a, m), When::Eq(b, n)) => a == b && m != n,
        (When::Bit(a, k), When::Clear(b, n)) | (When::Clear(a, k), When::Bit(b, n)) => a == b && k == n,
        (When::All(all), other) | (other, When::All(all)) => all.iter().any(|when| excludes(when, other)),
        (When::Eq(a, m), When::In(b, list)) | (When::In(b, list), When::Eq(a, m)) => a == b && !list.contains(m),
        (When::In(a, one), When::In(b, other)) => a == b && one.iter().all(|n| !other.contains(n)),
        _ => false,
    }
}

fn is_chosen(field: &Field) -> bool {
    field.is(flag::CARRIES) && !matches!(field.kind, Kind::Array { .. })
}

/// The bits that a field always has, when it is there.
pub fn fixed(field: &Field) -> Option<u32> {
    match &field.kind {
        Kind::Custom(codec) => codec.bits(),
        Kind::Struct(fields) | Kind::Inline(fields) => {
            fields.iter().map(|f| if matches!(f.when, When::Always) { fixed(f) } else { None }).sum()
        }
        Kind::Array { count: Count::Const(n), of } => fixed(of).and_then(|bits| bits.checked_mul(*n)),
        Kind::Text { len: Len::Const(n), .. } | Kind::Bytes { len: Len::Const(n) } => n.checked_mul(8),
        Kind::UInt { bits, .. } | Kind::Int { bits, .. } | Kind::Float { bits, .. } | Kind::Bool { bits } => {
            Some(*bits as u32)
        }
        _ => None,
    }
}

/// Does it leave nothing for the fields behind it?
fn takes_the_rest(field: &Field) -> bool {
    match &field.kind {
        Kind::Text { len: Len::Rest, .. } | Kind::Bytes { len: Len::Rest } => true,
        Kind::Array { count: Count::Rest, .. } => true,
        Kind::Array { of, .. } => takes_the_rest(of),
        Kind::Struct(fields) | Kind::Inline(fields) => fields.iter().any(takes_the_rest),
        Kind::Custom(codec) => codec.takes_the_rest(),
        _ => false,
    }
}
