//! Compiles a file's structure to tables.

mod check;
mod encoded;
mod exclusive;
mod hooks;
mod joins;
mod messages;
mod over;
mod references;
mod settled;
mod sizes;
mod structs;
mod unique;

pub use encoded::{counted, own_key};
pub use hooks::{Hook, Join, Set};
pub use joins::KEY_FIELDS;
pub use messages::{BY_ID, IdBits};
pub use over::payloads;
pub use references::asked;
pub use sizes::{packed, padded, region, takes_the_rest};

use super::known::{At, Known, Use, used};
use super::parse::condition::Expr;
use super::text::{FieldText, File, MessageText, PartText, Word};
use crate::codec::bits::mask;
use crate::codec::kinds::{Choice, Extent, Packing, Settled, Settles};
use crate::codec::layout::{Field, ValueName, When};
use crate::codec::schema::named::leak;
use crate::codec::schema::{Encoding, Form};
use crate::nearest::{hint, nearest};
use exclusive::excludes;
use hooks::Presence;
use references::{References, lengths};
use rustc_hash::{FxHashMap, FxHashSet};
use sizes::{is_chosen, mixed};
use structs::Open;

/// The cap on fields of a message with those of its structs, and of all of a file.
const MOST_FIELDS: usize = 1 << 13;
const MOST_ALL: usize = 1 << 16;
/// The cap on structs in structs, and on messages in messages.
const DEPTH: usize = 16;
pub const CARRIERS: usize = 8;

/// On error: the line and the mistake.
pub type Compiled<T> = Result<T, (usize, String)>;

/// Mistakes, each with its line.
pub type Mistakes = Vec<(usize, String)>;

/// Makes a list that lives as long as the program. The size of tables is limited by the file's.
pub fn statics<T>(list: Vec<T>) -> &'static [T] {
    Box::leak(list.into_boxed_slice())
}

/// Makes a value that lives as long as the program.
pub fn lasting<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// A join whose content is looked up after all messages are compiled.
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
    /// The carrier's encoding of values.
    pub encoding: Option<&'static Encoding>,
    /// The fields that later ones may refer to, including those of open groups.
    pub known: Vec<Known>,
    /// All fields and their uses.
    pub all: Vec<Use>,
    pub hooks: Vec<Hook>,
    /// The values that encode writes for fields that are not given, if they are not numbers.
    pub defaults: Vec<(&'static str, &'static str, serde_json::Value)>,
    references: References,
    /// The texts in conditions and ids, sorted.
    pub texts: &'static [&'static str],
    structs: Vec<Open<'a>>,
    /// The number of open fields that may be missing, or that may be empty lists: they can end a ring.
    endings: usize,
    /// The later fields of the open groups.
    siblings: Vec<&'a [FieldText]>,
    used_structs: FxHashSet<&'a str>,
    carriers: Vec<&'a str>,
    choices: FxHashMap<String, &'static [Choice]>,
    later: Vec<Later>,
    left: usize,
    /// The number of open lists without a length of their own.
    pub listed: usize,
    /// The number of open fields whose place is unknown until they are written.
    pub moving: usize,
    /// The place of the field that is being compiled.
    pub at: At,
    /// The number of lists so far.
    lists: usize,
    /// The notes that precede the field that is being compiled.
    notes: Vec<Settled>,
    pub advice: Vec<(usize, String)>,
    /// Mistakes after which compilation continued.
    pub mistakes: Mistakes,
    /// Whether a payload that another file describes was compiled.
    opened: bool,
    /// The messages around such payloads.
    pub around: Vec<&'static Field>,
    /// The conditions of the field that is being compiled, and of those around it.
    conditions: Vec<When>,
    /// The bits that each message's number rules out, by the address of the message's field.
    pub id_bits: FxHashMap<usize, IdBits>,
}

impl<'a> Compiler<'a> {
    /// A compiler for this file.
    pub fn new(text: &'a File, encoding: Option<&'static Encoding>) -> Compiler<'a> {
        Compiler {
            text,
            encoding,
            known: Vec::new(),
            all: Vec::new(),
            hooks: vec![Hook::default()],
            defaults: Vec::new(),
            references: References::of(text),
            texts: references::texts(text),
            structs: Vec::new(),
            endings: 0,
            siblings: Vec::new(),
            used_structs: FxHashSet::default(),
            carriers: Vec::new(),
            choices: FxHashMap::default(),
            later: Vec::new(),
            left: MOST_FIELDS,
            listed: 0,
            moving: 0,
            at: At::default(),
            lists: 0,
            notes: Vec::new(),
            advice: Vec::new(),
            mistakes: Vec::new(),
            opened: false,
            around: Vec::new(),
            conditions: Vec::new(),
            id_bits: FxHashMap::default(),
        }
    }

    /// Adds a field that later ones may refer to.
    pub fn know(&mut self, t: &FieldText, name: &str, number: bool, names: Vec<ValueName>, hidden: bool) {
        let place = self.all.len();
        let (line, constant, conditional) = (t.line, t.value.is_some(), t.condition.is_some());
        self.all.push(Use { line, name: name.into(), hidden, constant, ..Use::default() });
        let (name, at, scale) = (name.into(), self.at.clone(), t.scale);
        self.known.push(Known { name, names, number, conditional, at, scale, place, ..Known::default() });
    }

    /// The result; a mistake is kept, so that others are found too.
    pub fn or_later<T>(&mut self, done: Compiled<T>) -> Option<T> {
        done.map_err(|mistake| self.mistakes.push(mistake)).ok()
    }

    /// Compiles the packet's fields.
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
        if self.mistakes.is_empty() {
            self.joins()?;
            self.check();
        }
        Ok(self.ended(fields, 0))
    }

    /// Refuses too many fields.
    fn room(&mut self, texts: &[FieldText]) -> Compiled<()> {
        if let Some(first) = texts.first() {
            let left = self.left.checked_sub(texts.len()).filter(|_| self.all.len() + texts.len() < MOST_ALL);
            let why = || (first.line, format!("more than {MOST_FIELDS} fields with those of all structs"));
            self.left = left.ok_or_else(why)?;
        }
        Ok(())
    }

    /// Compiles consecutive fields, or the members of an object.
    pub fn list(&mut self, texts: &'a [FieldText]) -> Compiled<&'static [Field]> {
        self.room(texts)?;
        self.lists += 1;
        let outer = std::mem::replace(&mut self.at, At { list: self.lists, condition: None });
        let done = self.consecutive(texts);
        self.at = outer;
        done
    }

    fn consecutive(&mut self, texts: &'a [FieldText]) -> Compiled<&'static [Field]> {
        let mut fields: Vec<Field> = Vec::new();
        let mut notes: Vec<settled::Note> = Vec::new();
        let mistakes = self.mistakes.len();
        for (k, t) in texts.iter().enumerate() {
            self.at.condition.clone_from(&t.condition);
            let outer = self.notes.len();
            self.siblings.push(texts.get(k + 1..).unwrap_or_default());
            let (known, structs) = (self.known.len(), self.structs.len());
            let field = self.field(t, texts);
            self.siblings.pop();
            notes.extend(self.notes.split_off(outer).into_iter().map(|settled| settled::Note { before: k, settled }));
            if field.is_err() {
                // Later fields may still refer to it.
                self.known.truncate(known);
                self.structs.truncate(structs);
                for name in t.bits.iter().map(|part| &part.own.name).chain([&t.name]) {
                    self.know(t, name, true, Vec::new(), false);
                    self.known.last_mut().into_iter().for_each(|known| known.wrong = true);
                }
            }
            fields.extend(self.or_later(field));
        }
        if self.mistakes.len() > mistakes {
            return Ok(statics(fields));
        }
        let fields = statics(fields);
        if let Some(mistake) = unique::twice(fields, texts).or_else(|| mixed(fields, texts)) {
            self.mistakes.push(mistake);
            return Ok(fields);
        }
        if self.form() == Form::Members {
            return Ok(fields);
        }
        let fields = self.left_to_others(fields, texts)?;
        Ok(settled::noted(fields, notes))
    }

    /// Limits each field that takes the rest, so that it leaves the bytes that later fields need.
    fn left_to_others(&mut self, fields: &'static [Field], texts: &[FieldText]) -> Compiled<&'static [Field]> {
        let mut fields = fields.to_vec();
        for k in (0..fields.len()).rev() {
            let Some((rest, after)) = fields.get(k..).and_then(<[Field]>::split_first) else { continue };
            if after.is_empty() || !takes_the_rest(rest) {
                continue;
            }
            let t = &texts[k];
            let mut needs = Vec::new();
            for (later, text) in after.iter().zip(texts.iter().skip(k + 1)) {
                match later.kind.bits() {
                    Some(bits) => needs.push((later.when, bits)),
                    // Only one of the two is present.
                    None if excludes(&rest.when, &later.when) => {}
                    None if is_chosen(rest) => {
                        needs.clear();
                        break;
                    }
                    None => {
                        let why = format!(
                            "{}: takes everything up to the end, and {} after it has no fixed size",
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
            let wrapped = region(rest, Extent::Less(statics(needs)), &t.name);
            fields.insert(k, wrapped);
        }
        Ok(statics(fields))
    }

    fn field(&mut self, t: &'a FieldText, all: &'a [FieldText]) -> Compiled<Field> {
        let fail = |why: String| Err((t.line, why));
        self.suits(t)?;
        let notes = self.notes.len();
        let outer = self.conditions.len();
        let when = match &t.condition {
            Some(text) => {
                let condition = self.condition(text, t.line, &t.name)?;
                self.conditions.push(condition.when);
                if t.value.is_some() || t.hidden || t.inline || t.kind == "message" {
                    self.asks(&condition.when);
                }
                for (name, mask) in condition.masks {
                    self.uses(name, used::PRESENCE);
                    self.settles(name, Settles::Mask(mask));
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
        let endings = usize::from(structs::may_end(t));
        self.endings += endings;
        let shaped = self.shaped(t, all, hook);
        self.conditions.truncate(outer);
        self.endings -= endings;
        // What the condition asks for matters to content after this field, not to its own.
        if settled::is_early(&when) {
            self.asks(&when);
        }
        let mut field = shaped?;
        if !matches!(when, When::Always) {
            field.when = match field.when {
                When::Always => when,
                own => When::All(statics(vec![when, own])),
            };
        }
        self.notes.iter_mut().skip(notes).for_each(|note| note.when = when);
        if t.hidden && field.name.is_empty() && t.value.is_none() && t.bits.is_empty() && t.kind != "message" {
            // A wrapped field has its kind inside.
            return fail(format!("{}: hidden: only numbers and constants can be", t.name));
        }
        Ok(field)
    }

    /// Collects the conditions of later fields on a hidden number: the masks of single conditions, the bits in compound
    /// ones, and the bits that its content or views give back. The others are derived only if they equal the masks of the
    /// fields that are present.
    pub fn presence(&mut self, name: &str, bits: u32, names: &[ValueName]) -> u16 {
        let mut found = Presence::default();
        for text in self.siblings.last().copied().unwrap_or_default() {
            if lengths(text).any(|word| word == name) {
                found.settled = u64::MAX;
            }
            if text.of.as_deref() == Some(name) {
                let mask = |part: &PartText| mask((part.high - part.low + 1) as u32) << part.low;
                found.settled |=
                    text.bits.iter().filter(|part| part.except.is_none()).fold(0, |all, part| all | mask(part));
            }
            let Some(condition) = &text.condition else { continue };
            let Ok(expr) = Expr::parse(condition) else { continue };
            // Lines do not have such a field, so that its bits follow from others alone.
            let parts_are_hidden = !text.bits.is_empty() && text.bits.iter().all(|part| part.own.hidden);
            let given = text.value.is_none() && !text.hidden && !text.inline && !parts_are_hidden;
            let known = found.masks.iter().fold(0, |all, mask| all | mask);
            let asks = |term: &Expr| match term {
                Expr::Mask(asked, mask) if asked == name => Some(self.number(&mask.text, names).unwrap_or(u64::MAX)),
                Expr::Set(asked) if asked == name => Some(if bits == 1 { 1 } else { u64::MAX }),
                _ => None,
            };
            for term in expr.all() {
                match (asks(term), term) {
                    (Some(mask), _) if given && expr.all().len() == 1 && mask != u64::MAX => found.masks.push(mask),
                    (Some(mask), _) => found.unset |= if given { mask } else { mask & !known },
                    (None, Expr::Any(_)) => term.terms(&mut |term, _| found.unset |= asks(term).unwrap_or(0)),
                    _ => {}
                }
            }
        }
        if found.masks.is_empty() && found.unset == 0 {
            return 0;
        }
        // Encode gives a number with a condition the bits that are asked for, and content does not change given numbers.
        if self.at.condition.is_some() {
            found.settled = 0;
        }
        self.hooks.push(Hook { presence: Some(found), ..Hook::default() });
        (self.hooks.len() - 1) as u16
    }

    /// Compiles a change of a remembered value.
    fn set(&mut self, name: &str, line: usize, value: Option<&Word>) -> Compiled<Set> {
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
                None => {
                    let word = if let Word::Name(name) = word { name.as_str() } else { "" };
                    let near = hint(nearest(word, names.iter().map(|(_, name)| *name)));
                    return Err((
                        line,
                        format!("sets: {word:?} is neither a number nor a name of [enum.{bare}]{near}"),
                    ));
                }
            },
        };
        Ok(Set { memory, side, value })
    }

    /// The message whose fields are being compiled; empty: the packet.
    pub fn message_name(&self) -> &'static str {
        leak(self.carriers.last().copied().unwrap_or(""))
    }

    /// The names of a message's fields, including parts of numbers and fields of inlined structs.
    pub fn names_of(&self, m: &'a MessageText) -> impl Iterator<Item = &'a str> {
        fn add<'t>(text: &'t File, fields: &'t [FieldText], depth: usize, all: &mut Vec<&'t str>) {
            for field in fields {
                all.push(&field.name);
                all.extend(field.bits.iter().map(|part| part.own.name.as_str()));
                let inner = text.structs.iter().find(|(name, ..)| field.inline && *name == field.kind);
                if let (Some((.., fields)), true) = (inner, depth < DEPTH) {
                    add(text, fields, depth + 1, all);
                }
            }
        }
        let mut all = Vec::new();
        add(self.text, &m.fields, 0, &mut all);
        all.into_iter()
    }

    /// The messages of each carrier.
    pub fn all_choices(&self) -> impl Iterator<Item = (&str, &'static [Choice])> {
        self.choices.iter().map(|(carrier, list)| (carrier.as_str(), *list))
    }

    /// The compression of a field.
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
