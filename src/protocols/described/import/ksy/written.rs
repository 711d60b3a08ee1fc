//! Writes types as structs of a protocol file.

use super::condition::Condition;
use super::model::{Files, Model, field};
use super::shape::{Shape, shape, targets};
use super::value::Resolver;
use super::views::{View, Whole, views};
use crate::protocols::described::export::{key, quoted};
use crate::protocols::described::import::yaml::{Node, Value};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

/// Takes a line of the file, and the struct and key of the field that it describes.
type Lines<'a> = &'a mut dyn FnMut(&str, Option<(String, String)>);

/// The longest `doc` of a field, in characters.
const DOC: usize = 160;

/// The keys of a field, with their values.
#[derive(Clone, Debug, Default)]
pub struct Keys(Vec<(&'static str, String)>);

impl Keys {
    /// Sets a key. The type is the first one.
    pub fn set(&mut self, key: &'static str, value: String) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = value,
            None if key == "type" => self.0.insert(0, (key, value)),
            None => self.0.push((key, value)),
        }
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &str) {
        self.0.retain(|(known, _)| *known != key);
    }

    /// Whether the key is set.
    pub fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == key)
    }

    /// The type, if there are no keys but these.
    pub fn plain(&self, besides: &[&str]) -> Option<&str> {
        let alone = self.0.iter().all(|(key, _)| *key == "type" || besides.contains(key));
        let kind = self.0.iter().find(|(key, _)| *key == "type").filter(|_| alone);
        kind.map(|(_, kind)| kind.trim_matches('"'))
    }
}

impl Keys {
    /// The word for bytes, or text, of that size, if there are no other keys.
    pub fn sized_bytes(&self) -> Option<String> {
        let [("type", kind), ("size", size)] = self.0.as_slice() else { return None };
        let kind = kind.trim_matches('"');
        let word = ["bytes", "text"].contains(&kind) && !size.starts_with('{');
        word.then(|| format!("{kind}[{}]", size.trim_matches('"')))
    }
}

/// A field of the protocol file.
#[derive(Clone, Debug)]
pub struct Out {
    pub key: String,
    pub keys: Keys,
    pub condition: Condition,
}

/// The fields that do not load, by struct and key: why, and how many attempts failed.
#[derive(Debug, Default)]
pub struct Broken(HashMap<(String, String), (usize, String)>);

impl Broken {
    /// Adds a field that did not load.
    pub fn add(&mut self, place: (String, String), why: String) {
        let known = self.0.entry(place).or_insert((0, why));
        known.0 += 1;
    }

    /// The reason why a field does not load.
    pub fn why(&self, name: &str, key: &str) -> Option<&str> {
        self.of(name, key).map(|(_, why)| why)
    }

    fn of(&self, name: &str, key: &str) -> Option<(usize, &str)> {
        self.0.get(&(name.to_owned(), key.to_owned())).map(|(level, why)| (*level, why.as_str()))
    }
}

/// A protocol file in the making.
#[derive(Debug)]
pub struct Writing<'m, 'a> {
    pub model: &'m Model<'a>,
    pub resolver: Resolver<'m, 'a>,
    pub broken: &'m Broken,
    files: &'m Files,
    views: Vec<Vec<View<'a>>>,
    whole: Vec<Option<Whole>>,
    /// The types that nothing follows, wherever they are used.
    last: Vec<bool>,
    /// The structs that are written, and the types that are to be.
    structs: Vec<(String, Vec<Out>)>,
    open: Vec<usize>,
    wanted: BTreeSet<usize>,
    used: BTreeSet<usize>,
    /// The enumerations that fields have as a whole.
    tables: BTreeSet<usize>,
    /// The statements that were carried over, and all.
    pub carried: usize,
    pub all: usize,
    pub left_out: Vec<(usize, String)>,
}

impl<'m, 'a> Writing<'m, 'a> {
    /// Writes all types that the first one has. `broken`: the fields that did not load.
    pub fn new(model: &'m Model<'a>, files: &'m Files, broken: &'m Broken) -> Writing<'m, 'a> {
        let (resolver, views, whole) = views(model, &|name, key| broken.why(name, key).is_some());
        let mut own = Writing {
            model,
            resolver,
            broken,
            files,
            views,
            whole,
            last: last(model),
            structs: Vec::new(),
            open: vec![0],
            wanted: BTreeSet::from([0]),
            used: BTreeSet::new(),
            tables: BTreeSet::new(),
            carried: 0,
            all: 0,
            left_out: Vec::new(),
        };
        while let Some(place) = own.open.pop() {
            let at = own.structs.len();
            own.structs.push((own.model.types[place].name.clone(), Vec::new()));
            own.structs[at].1 = own.build(place);
            own.count(place);
        }
        own.rest();
        own
    }

    /// The name of a type's struct, which will be written.
    pub fn structure(&mut self, place: usize) -> String {
        if self.wanted.insert(place) {
            self.open.push(place);
        }
        self.model.types[place].name.clone()
    }

    /// Adds a struct of one field.
    pub fn extra(&mut self, mut name: String, field: Out) -> String {
        let taken = |name: &String| {
            self.model.types.iter().any(|own| own.name == *name) || self.structs.iter().any(|(known, _)| known == name)
        };
        while taken(&name) {
            name.push('_');
        }
        self.structs.push((name.clone(), vec![field]));
        name
    }

    /// Counts a statement as carried over but for something.
    pub fn note(&mut self, own: usize, line: usize, why: String) {
        let file = self.model.types.get(own).map_or(0, |own| own.file);
        self.note_in(file, line, why);
    }

    fn note_in(&mut self, file: usize, line: usize, why: String) {
        let one = match self.files.all.get(file) {
            Some((name, from, _)) if file > 0 => {
                (*from, format!("{}:{line}: {why}", name.rsplit(['/', '\\']).next().unwrap_or(name)))
            }
            _ => (line, why),
        };
        if !self.left_out.contains(&one) {
            self.left_out.push(one);
        }
    }

    fn leave(&mut self, own: usize, line: usize, why: String) {
        self.all += 1;
        self.note(own, line, why);
    }

    fn keep(&mut self) {
        self.carried += 1;
        self.all += 1;
    }

    /// The type of a number.
    pub fn word(&self, bits: u32, signed: bool, float: bool, big: Option<bool>) -> Result<String, String> {
        let letter = if float {
            'f'
        } else if signed {
            'i'
        } else {
            'u'
        };
        let big = big.ok_or("no byte order is known")?;
        let suffix = match (bits, self.model.types[0].big) {
            (..=8, _) => "",
            (_, Some(own)) if own == big => "",
            _ if big => "be",
            _ => "le",
        };
        Ok(format!("{letter}{bits}{suffix}"))
    }

    /// Sets the names of a number's values.
    pub fn names(&mut self, own: usize, node: &Node, number: (u32, bool), keys: &mut Keys) {
        if let Some(names) = self.named(own, node, number) {
            keys.set("enum", names);
        }
    }

    fn named(&mut self, own: usize, node: &Node, (bits, signed): (u32, bool)) -> Option<String> {
        let id = node.text_of("enum");
        if id.is_empty() {
            return None;
        }
        let path: Vec<&str> = id.split("::").collect();
        let Some(place) = self.model.find_enum(&path, own) else {
            self.note(own, node.line, format!("enum {id}: none of this name"));
            return None;
        };
        let all = &self.model.enums[place];
        let (least, most) =
            if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
        let fits = |n: &i128| (least..=most).contains(n);
        self.used.insert(place);
        if all.values.iter().all(|(n, ..)| fits(n)) {
            self.tables.insert(place);
            return (!all.values.is_empty()).then(|| quoted(&all.name));
        }
        let some = all.values.iter().filter(|(n, ..)| fits(n));
        let some: Vec<String> = some.map(|(n, name, _)| format!("{} = {n}", key(name))).collect();
        (!some.is_empty()).then(|| format!("{{ {} }}", some.join(", ")))
    }

    /// The fields of a type.
    fn build(&mut self, own: usize) -> Vec<Out> {
        let model = self.model;
        let kind = &model.types[own];
        let mut outs = Vec::new();
        let mut ended = (Condition::Never, String::new());
        // The bits after the last whole byte; `None`: the data decides.
        let mut odd = Some(0);
        self.view(own, None, &Condition::Always, &mut outs);
        if self.number(own, &mut outs) {
            return outs;
        }
        let mut k = 0;
        while let Some(attr) = kind.seq.get(k) {
            if ended.0 == Condition::Always {
                self.leave(own, attr.line, format!("{}: after {}, which is not described", attr.id, ended.1));
                k += 1;
                continue;
            }
            let bits = bit_field(model, own, attr.node);
            let run = self.run(own, k);
            if let (Some(0), Some(parts)) = (odd, run) {
                k += self.word_of_bits(own, k, parts, &ended.0.clone().not(), &mut outs);
                continue;
            }
            match (bits, odd) {
                (Some(bits), Some(before)) => odd = self.after_bits(own, k, bits, before),
                (None, Some(before @ 1..)) => {
                    outs.push(padding(&attr.name, 8 - before, kind.lowest_first));
                    odd = Some(0);
                }
                (_, None) => {
                    let why = "its place in a byte depends on the data".to_owned();
                    self.undescribed((own, k, 0), attr.name.clone(), (Condition::Always, why), &mut outs);
                    self.leave(own, attr.line, format!("{}: its place in a byte depends on the data", attr.id));
                    ended = (Condition::Always, attr.id.to_owned());
                    k += 1;
                    continue;
                }
                _ => {}
            }
            self.field(own, k, &mut ended, &mut outs);
            k += 1;
        }
        if let Some(before @ 1..) = odd.filter(|_| ended.0 != Condition::Always) {
            outs.push(padding("last", 8 - before, kind.lowest_first));
        }
        outs
    }

    /// Writes a type that an instance reads as one number. Returns false if there is none.
    fn number(&mut self, own: usize, outs: &mut Vec<Out>) -> bool {
        let Some(whole) = self.whole.get_mut(own).and_then(Option::take) else { return false };
        let seq = &self.model.types[own].seq;
        let mut keys = Keys::default();
        keys.set("type", quoted(&self.word(whole.bits, false, false, Some(true)).unwrap_or_default()));
        outs.push(Out { key: whole.key.clone(), keys, condition: Condition::Always });
        self.keep();
        for (condition, parts) in &whole.parts {
            let mut all = Vec::new();
            for (k, range) in parts {
                let Some(attr) = seq.get(*k) else { continue };
                let names = self.named(own, attr.node, (range.0 - range.1 + 1, false));
                all.push(part(&attr.name, *range, names, doc(attr.node.text_of("doc"))));
                self.keep();
            }
            let key = format!("{}_view{}", whole.key, outs.len());
            let mut keys = Keys::default();
            keys.set("of", quoted(&whole.key));
            keys.set("bits", format!("{{ {} }}", all.join(", ")));
            outs.push(Out { key, keys, condition: condition.clone() });
        }
        for attr in seq {
            self.view(own, Some(&attr.name), &Condition::Always, outs);
        }
        self.whole[own] = Some(whole);
        true
    }

    /// Writes a field, all of its alternatives.
    fn field(&mut self, own: usize, k: usize, ended: &mut (Condition, String), outs: &mut Vec<Out>) {
        let model = self.model;
        let (kind, attr) = (&model.types[own], &model.types[own].seq[k]);
        let noted = self.left_out.len();
        let mut lost = None;
        for (at, (condition, keys)) in self.alternatives(own, k).into_iter().enumerate() {
            let condition = Condition::all([condition, ended.0.clone().not()]);
            if condition == Condition::Never {
                continue;
            }
            let mut name = if at == 0 { attr.name.clone() } else { format!("{}_{}", attr.name, at + 1) };
            while at > 0 && kind.seq.iter().any(|other| other.name == name) {
                name.push('_');
            }
            let (level, keys) = match self.broken.of(&kind.name, &name) {
                Some((level, why)) => (level, Err(why.to_owned())),
                None => (0, keys),
            };
            match keys {
                Ok(None) => {}
                Ok(Some(mut keys)) => {
                    if name != attr.name {
                        keys.set("name", quoted(&attr.name));
                    }
                    if let Some(doc) = doc(attr.node.text_of("doc")) {
                        keys.set("doc", quoted(&doc));
                    }
                    outs.push(Out { key: name, keys, condition });
                }
                Err(why) => {
                    let condition = if level > 2 { Condition::Always } else { condition };
                    self.undescribed((own, k, level), name, (condition.clone(), why.clone()), outs);
                    *ended = (Condition::any([ended.0.clone(), condition]), attr.id.to_owned());
                    lost = Some(why);
                }
            }
        }
        match lost {
            Some(why) => self.leave(own, attr.line, format!("{}: {why}", attr.id)),
            None if self.left_out.len() > noted => self.all += 1,
            None => self.keep(),
        }
        if let Ok(condition) = self.condition_of(own, attr.node) {
            let condition = Condition::all([condition, ended.0.clone().not()]);
            if condition != Condition::Never {
                self.view(own, Some(&attr.name), &condition, outs);
            }
        }
    }

    /// A part that cannot be described: bytes up to the end if nothing follows, else the end of reading.
    fn undescribed(
        &mut self,
        (own, k, level): (usize, usize, usize),
        key: String,
        (condition, why): (Condition, String),
        outs: &mut Vec<Out>,
    ) {
        let kind = &self.model.types[own];
        let (attr, mut keys) = (&kind.seq[k], Keys::default());
        let file = self.files.all.get(kind.file).map_or("", |(name, ..)| name);
        let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
        match self.last[own] && level < 2 {
            true => {
                keys.set("type", quoted("bytes"));
                keys.set("name", quoted("undescribed"));
            }
            false => keys.set("type", quoted("fault")),
        }
        keys.set("doc", quoted(&format!("from {} on: {file}:{}: {}", attr.id, attr.line, one_line(&why))));
        outs.push(Out { key, keys, condition });
    }

    /// The number of bit fields in a row that are whole bytes, or that padding follows.
    fn run(&self, own: usize, k: usize) -> Option<usize> {
        let (model, seq) = (self.model, &self.model.types[own].seq);
        let free = |node: &Node| bit_field(model, own, node).filter(|_| node.get("if").is_none());
        let (mut sum, mut at) = (0, k);
        while let Some(bits) = seq.get(at).and_then(|attr| free(attr.node)).filter(|bits| sum + bits <= 64) {
            (sum, at) = (sum + bits, at + 1);
            if sum % 8 == 0 {
                return Some(at - k);
            }
        }
        let more = seq.get(at).is_some_and(|next| bit_field(model, own, next.node).is_some());
        (at > k && !more).then_some(at - k)
    }

    /// Writes bit fields as the parts of one number. Returns how many these are.
    fn word_of_bits(&mut self, own: usize, k: usize, many: usize, condition: &Condition, outs: &mut Vec<Out>) -> usize {
        let model = self.model;
        let kind = &model.types[own];
        let attrs = kind.seq.get(k..k + many).unwrap_or_default();
        let bits: Vec<u32> = attrs.iter().filter_map(|attr| bit_field(model, own, attr.node)).collect();
        let width = bits.iter().sum::<u32>().next_multiple_of(8);
        let big = if kind.lowest_first { Some(false) } else { Some(true) };
        let Some(first) = attrs.first() else { return many.max(1) };
        let mut key = if many == 1 { first.name.clone() } else { format!("{}_bits", first.name) };
        while many > 1 && kind.seq.iter().any(|other| other.name == key) {
            key.push('_');
        }
        let noted = self.left_out.len();
        let mut keys = Keys::default();
        keys.set("type", quoted(&self.word(width, false, false, big).unwrap_or_default()));
        let whole = many == 1 && bits.first() == Some(&width);
        let (mut before, mut parts) = (0, Vec::new());
        for (attr, bits) in attrs.iter().zip(&bits) {
            let low = if kind.lowest_first { before } else { width - before - bits };
            before += bits;
            let names = self.named(own, attr.node, (*bits, false));
            let doc = doc(attr.node.text_of("doc"));
            if whole {
                names.into_iter().for_each(|names| keys.set("enum", names));
                doc.into_iter().for_each(|doc| keys.set("doc", quoted(&doc)));
            } else {
                parts.push(part(&attr.name, (low + bits - 1, low), names, doc));
            }
            if attr.node.get("valid").is_some() {
                self.note(own, attr.line, format!("{}: valid is not checked", attr.id));
            }
        }
        if !whole {
            keys.set("bits", format!("{{ {} }}", parts.join(", ")));
        }
        if let Some((level, why)) = self.broken.of(&kind.name, &key) {
            let why = (condition.clone(), why.to_owned());
            self.undescribed((own, k, level.max(2)), key, why.clone(), outs);
            attrs.iter().for_each(|attr| self.leave(own, attr.line, format!("{}: {}", attr.id, why.1)));
            return many;
        }
        outs.push(Out { key, keys, condition: condition.clone() });
        let lost = (self.left_out.len() - noted).min(many);
        self.all += many;
        self.carried += many - lost;
        attrs.iter().for_each(|attr| self.view(own, Some(&attr.name), condition, outs));
        many
    }

    /// The bits after the last whole byte after a bit field with a condition.
    fn after_bits(&self, own: usize, k: usize, bits: u32, before: u32) -> Option<u32> {
        let seq = &self.model.types[own].seq;
        let condition = |at: usize| self.condition_of(own, seq.get(at)?.node).ok();
        let same = |at: usize| seq.get(at).and_then(|attr| bit_field(self.model, own, attr.node)) == Some(bits);
        let this = condition(k)?;
        if this == Condition::Always || bits.is_multiple_of(8) {
            return Some((before + bits) % 8);
        }
        // One of two fields is there.
        let opposite = |other: Option<Condition>| other.is_some_and(|other| other == this.clone().not());
        if same(k + 1) && opposite(condition(k + 1)) {
            return Some(before);
        }
        (k > 0 && same(k - 1) && opposite(condition(k - 1))).then_some((before + bits) % 8)
    }

    /// Writes the views on a field of this name, or those on fields around the type.
    fn view(&mut self, own: usize, after: Option<&str>, condition: &Condition, outs: &mut Vec<Out>) {
        let model = self.model;
        let is_own = |name: &str| model.types[own].seq.iter().any(|attr| attr.name == name);
        let views = std::mem::take(&mut self.views[own]);
        for view in &views {
            let first = view.of.text.split('.').next().unwrap_or_default();
            if after.map_or(is_own(first), |after| first != after) {
                continue;
            }
            let mut parts = Vec::new();
            for one in &view.parts {
                let names = self.named(own, one.node, (one.high - one.low + 1, false));
                parts.push(part(&field(one.id), (one.high, one.low), names, doc(one.node.text_of("doc"))));
                self.keep();
            }
            let mut keys = Keys::default();
            keys.set("of", quoted(&view.of.text));
            keys.set("bits", format!("{{ {} }}", parts.join(", ")));
            outs.push(Out { key: view.key.clone(), keys, condition: condition.clone() });
        }
        self.views[own] = views;
    }

    /// Counts a type that is written: itself, and what is left out of it.
    fn count(&mut self, place: usize) {
        let model = self.model;
        let kind = &model.types[place];
        self.keep();
        let Some(node) = kind.node else { return };
        for (id, instance) in node.get("instances").map_or(&[][..], Node::entries) {
            let viewed = self.views[place].iter().flat_map(|view| &view.parts).any(|part| part.id == id.text());
            let viewed = viewed || self.whole[place].as_ref().is_some_and(|whole| whole.id == id.text());
            if !viewed {
                let why = match instance.get("value") {
                    Some(_) => "computed: inlined into the sizes and conditions that use it",
                    None => "read at another position (pos)",
                };
                self.leave(place, id.line, format!("instance {}: {why}", id.text()));
            }
        }
        if let Some(params) = node.get("params") {
            self.leave(place, params.line, format!("params of {}", kind.id));
        }
        if let Some(endian) = node.get("meta").and_then(|meta| meta.get("endian"))
            && let Value::Map(_) = endian.value
        {
            self.leave(place, endian.line, "endian depends on the data".into());
        }
    }

    /// Counts enumerations, unused types and imports.
    fn rest(&mut self) {
        let model = self.model;
        for (place, kind) in model.types.iter().enumerate().filter(|(_, kind)| kind.file == 0) {
            if !self.wanted.contains(&place) {
                self.leave(place, kind.line, format!("type {}: not used by any field", kind.id));
            }
        }
        for (place, all) in model.enums.iter().enumerate() {
            if self.used.contains(&place) {
                self.carried += all.values.len();
                self.all += all.values.len() + all.left_out.len();
                for (line, why) in &all.left_out {
                    self.note_in(all.file, *line, why.clone());
                }
            } else if all.file == 0 {
                let line = all.values.first().map_or(1, |(.., line)| *line);
                self.all += 1;
                self.note_in(0, line, format!("enum {}: not used by any field", all.name));
            }
        }
        for (line, import) in &self.files.missing {
            self.all += 1;
            self.note_in(0, *line, format!("import {import}: there is no such file"));
        }
        self.left_out.sort();
    }

    /// The text of the file, and the struct and key of each of its lines.
    pub fn text(&self) -> (String, Vec<Option<(String, String)>>) {
        let (mut text, mut places) = (String::new(), Vec::new());
        let mut line = |line: &str, place: Option<(String, String)>| {
            let _ = writeln!(text, "{line}");
            places.push(place);
        };
        let root = &self.model.types[0];
        if let Some(doc) = root.node.and_then(|node| doc(node.get("meta")?.text_of("title"))) {
            line(&format!("doc = {}", quoted(&doc)), None);
        }
        if let Some(big) = root.big {
            line(&format!("encoding = {}", quoted(if big { "be" } else { "le" })), None);
        }
        line("", None);
        line("# Nothing in the description says what carries it: add [udp] or [tcp], and ports.", None);
        let (packet, structs) = match self.structs.split_first() {
            Some((packet, structs)) => (packet.1.as_slice(), structs),
            None => (&[][..], &[][..]),
        };
        // A type that contains the first one needs it as a struct.
        let again = self.structs.iter().flat_map(|(_, fields)| fields).any(|field| field.keys.names(&root.name));
        let first = self.structs.first().filter(|_| again && !packet.is_empty());
        line("[packet.fields]", None);
        if packet.is_empty() {
            line("data = \"bytes\"", None);
        }
        let fields = |name: &str, fields: &[Out], line: Lines<'_>| {
            for field in fields {
                line(&field.line(), Some((name.to_owned(), field.key.clone())));
            }
        };
        fields(&root.name, packet, &mut line);
        for (name, list) in first.into_iter().chain(structs).filter(|(_, list)| !list.is_empty()) {
            line("", None);
            line(&format!("[struct.{name}]"), None);
            fields(name, list, &mut line);
        }
        for place in &self.tables {
            let all = &self.model.enums[*place];
            line("", None);
            line(&format!("[enum.{}]", all.name), None);
            all.values.iter().for_each(|(n, name, _)| line(&format!("{} = {n}", key(name)), None));
        }
        (text, places)
    }
}

impl Keys {
    /// Whether the type is this struct, or a list of it.
    fn names(&self, name: &str) -> bool {
        let kind = self.0.iter().find(|(key, _)| *key == "type").map_or("", |(_, kind)| kind.trim_matches('"'));
        kind.split('[').next() == Some(name)
    }
}

impl Out {
    /// The line of the protocol file.
    fn line(&self) -> String {
        let mut keys = self.keys.0.clone();
        if let Some(text) = self.condition.text() {
            let at = keys.iter().position(|(key, _)| *key == "doc").unwrap_or(keys.len());
            keys.insert(at, ("if", quoted(&text)));
        }
        match keys.as_slice() {
            [("type", kind)] => format!("{} = {kind}", self.key),
            keys => {
                let keys: Vec<String> = keys.iter().map(|(key, value)| format!("{key} = {value}")).collect();
                format!("{} = {{ {} }}", self.key, keys.join(", "))
            }
        }
    }
}

/// The bits of a field, if it is a number of bits and no list.
fn bit_field(model: &Model<'_>, own: usize, node: &Node) -> Option<u32> {
    match shape(model, own, node) {
        Shape::Bits(bits) if node.get("repeat").is_none() => Some(bits),
        _ => None,
    }
}

/// The types whose last field is the last one of its region or of the packet.
fn last(model: &Model<'_>) -> Vec<bool> {
    let mut last = vec![true; model.types.len()];
    // What types have in no region of its own, and whether it is at their end.
    let mut inner = Vec::new();
    for (place, own) in model.types.iter().enumerate() {
        for (k, attr) in own.seq.iter().enumerate() {
            let node = attr.node;
            let ends = k + 1 == own.seq.len() && node.get("repeat").is_none();
            if node.get("size").is_none() && !node.is_set("size-eos") {
                inner.extend(targets(model, place, node).into_iter().map(|target| (place, ends, target)));
            }
        }
    }
    loop {
        let mut changed = false;
        for (place, ends, target) in &inner {
            if !(last[*place] && *ends) {
                changed |= std::mem::replace(&mut last[*target], false);
            }
        }
        if !changed {
            return last;
        }
    }
}

/// The bits up to the next whole byte.
fn padding(name: &str, bits: u32, lowest_first: bool) -> Out {
    let mut keys = Keys::default();
    let order = if lowest_first { "" } else { "be" };
    keys.set("type", quoted(&format!("bits({bits}){order}")));
    Out { key: format!("before_{name}"), keys, condition: Condition::Always }
}

/// A part of a number.
fn part(name: &str, (high, low): (u32, u32), names: Option<String>, doc: Option<String>) -> String {
    let at = if high == low { high.to_string() } else { format!("\"{high}..{low}\"") };
    if names.is_none() && doc.is_none() {
        return format!("{name} = {at}");
    }
    let names = names.map_or(String::new(), |names| format!(", enum = {names}"));
    let doc = doc.map_or(String::new(), |doc| format!(", doc = {}", quoted(&doc)));
    format!("{name} = {{ at = {at}{names}{doc} }}")
}

/// One line of the first paragraph of a text.
fn doc(text: &str) -> Option<String> {
    let first = text.trim().split("\n\n").next().unwrap_or_default();
    let line = one_line(first);
    let short: String = line.chars().take(DOC).collect();
    let short = if short.len() < line.len() { format!("{short} ..") } else { short };
    (!short.is_empty()).then_some(short)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
