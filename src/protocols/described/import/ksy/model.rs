//! The types and enumerations of .ksy files, and their names in a protocol file.

use super::super::yaml::{self, Node, Value};
use super::expr::number;
use crate::codec::schema::{reading::LONGEST, types::WORDS};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

/// The most types of a description, those of imported files included.
const TYPES: usize = 1024;
/// The most fields and instances of all types, and the most enumerations.
const FIELDS: usize = 4096;
const ENUMS: usize = 1024;
/// The most imported files.
const FILES: usize = 64;

/// Words of conditions, types of lengths, and names that the language itself gives.
const TAKEN: &str = "left not and or in packet true false unparsed unended undescribed bool bit varint varint32 svarint \
    svarint32 zigzag zigzag32";

/// The file that another one imports: the importing file's name, the import; its name and text.
pub(crate) type Others<'a> = &'a dyn Fn(&str, &str) -> Option<(String, String)>;

/// The files of a description.
#[derive(Debug, Default)]
pub struct Files {
    /// The first one is the description itself. For others: the name, the line of the import in the first file, the tree.
    pub all: Vec<(String, usize, Node)>,
    /// The imports without a file: the line in the first file, the import.
    pub missing: Vec<(usize, String)>,
}

impl Files {
    /// Reads a file and those that it imports.
    pub fn read(name: &str, text: &str, others: Others<'_>) -> Result<Files, (usize, String)> {
        let mut files = Files { all: vec![(name.to_owned(), 0, yaml::parse(text)?)], missing: Vec::new() };
        let mut at = 0;
        while let Some((name, line, node)) = files.all.get(at).cloned() {
            at += 1;
            for import in node.get("meta").and_then(|meta| meta.get("imports")).map_or(&[][..], Node::list) {
                let from = if line == 0 { import.line } else { line };
                let Some((path, text)) = others(&name, import.text()).filter(|_| files.all.len() < FILES) else {
                    files.missing.push((from, import.text().to_owned()));
                    continue;
                };
                if files.all.iter().any(|(known, ..)| *known == path) {
                    continue;
                }
                if text.len() > LONGEST {
                    return Err((from, format!("{path}: a description of more than {LONGEST} bytes")));
                }
                let node = yaml::parse(&text).map_err(|(at, why)| (from, format!("{path}:{at}: {why}")))?;
                files.all.push((path, from, node));
            }
        }
        Ok(files)
    }
}

/// A field of a type.
#[derive(Debug)]
pub struct Attr<'a> {
    pub id: &'a str,
    /// Its name in the protocol file.
    pub name: String,
    pub line: usize,
    pub node: &'a Node,
}

/// A type: a struct of the protocol file.
#[derive(Debug, Default)]
pub struct Type<'a> {
    /// Its name in the description, and that of its struct.
    pub id: &'a str,
    pub name: String,
    pub around: Option<usize>,
    pub file: usize,
    pub line: usize,
    pub node: Option<&'a Node>,
    /// The byte order; `None`: none, or one that the data decides.
    pub big: Option<bool>,
    /// Numbers of bits begin with the lowest bit.
    pub lowest_first: bool,
    pub encoding: &'a str,
    pub seq: Vec<Attr<'a>>,
    types: Vec<(&'a str, usize)>,
    enums: Vec<(&'a str, usize)>,
}

/// An enumeration.
#[derive(Debug)]
pub struct Enumeration<'a> {
    pub name: String,
    pub file: usize,
    /// The numbers, their names and lines.
    pub values: Vec<(i128, &'a str, usize)>,
    /// The entries that are left out, and why.
    pub left_out: Vec<(usize, String)>,
}

/// All types and enumerations.
#[derive(Debug, Default)]
pub struct Model<'a> {
    pub types: Vec<Type<'a>>,
    pub enums: Vec<Enumeration<'a>>,
    /// The number of fields and instances.
    fields: usize,
    /// The types of files, by their names.
    files: Vec<(&'a str, usize)>,
}

/// Whether a name can be a word of a condition.
pub fn is_free(name: &str) -> bool {
    let numbered = name.starts_with(['u', 'i', 'f']) && name.get(1..2).is_some_and(|c| ("0"..="9").contains(&c));
    !TAKEN.split(' ').any(|word| word == name) && !numbered
}

/// A name for a field that is none of the language's own. `kind`: for a struct.
fn free(name: &str, kind: bool) -> String {
    let mut free: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !free.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        free.insert(0, '_');
    }
    let word = kind && (name.starts_with("crc") || WORDS.split(' ').any(|word| word == name));
    if word || !is_free(name) {
        free.push('_');
    }
    free
}

/// The name of a field.
pub fn field(name: &str) -> String {
    free(name, false)
}

impl<'a> Model<'a> {
    /// Collects the types of files.
    pub fn new(files: &'a Files) -> Result<Model<'a>, (usize, String)> {
        let mut model = Model::default();
        for (k, (_, line, node)) in files.all.iter().enumerate() {
            let meta = node.get("meta");
            let id = meta.map_or("", |meta| meta.text_of("id"));
            let defaults = Type { file: k, ..Type::default() };
            let place = model.add(id, node, defaults).map_err(|(at, why)| (if k == 0 { at } else { *line }, why))?;
            model.files.push((id, place));
        }
        model.name();
        Ok(model)
    }

    fn add(&mut self, id: &'a str, node: &'a Node, defaults: Type<'a>) -> Result<usize, (usize, String)> {
        if self.types.len() >= TYPES {
            return Err((node.line, format!("more than {TYPES} types")));
        }
        for (key, list) in [("seq", true), ("types", false), ("enums", false), ("instances", false), ("meta", false)] {
            let wrong = node.get(key).filter(|node| match node.value {
                Value::List(_) => !list,
                Value::Map(_) => list,
                Value::Text { ref text, .. } => !matches!(text.as_str(), "" | "~" | "null"),
            });
            if let Some(wrong) = wrong {
                return Err((wrong.line, format!("{key}: expected a {}", if list { "list" } else { "map" })));
            }
        }
        let mut own = Type { id, line: node.line, node: Some(node), ..defaults };
        if let Some(meta) = node.get("meta") {
            match meta.get("endian").map(|endian| (&endian.value, endian.text())) {
                None => {}
                Some((Value::Text { .. }, order)) => own.big = Some(order == "be"),
                Some(_) => own.big = None,
            }
            own.lowest_first = meta.get("bit-endian").map_or(own.lowest_first, |order| order.text() == "le");
            own.encoding = meta.get("encoding").map_or(own.encoding, Node::text);
        }
        let mut taken = BTreeSet::new();
        for (k, node) in node.get("seq").map_or(&[][..], Node::list).iter().enumerate() {
            let id = node.text_of("id");
            let mut name = if id.is_empty() { format!("unnamed{k}") } else { field(id) };
            while !taken.insert(name.clone()) {
                let _ = write!(name, "_{k}");
            }
            own.seq.push(Attr { id, name, line: node.line, node });
        }
        for (name, node) in node.get("enums").map_or(&[][..], Node::entries) {
            if self.enums.len() >= ENUMS {
                return Err((name.line, format!("more than {ENUMS} enumerations")));
            }
            own.enums.push((name.text(), self.enums.len()));
            self.enums.push(enumeration(name.text(), own.file, node));
        }
        let place = self.types.len();
        self.fields += own.seq.len() + node.get("instances").map_or(0, |all| all.entries().len());
        if self.fields > FIELDS {
            return Err((own.line, format!("more than {FIELDS} fields and instances")));
        }
        let Type { file, big, lowest_first, encoding, .. } = own;
        self.types.push(own);
        for (name, node) in node.get("types").map_or(&[][..], Node::entries) {
            let defaults = Type { around: Some(place), file, big, lowest_first, encoding, ..Type::default() };
            let inner = self.add(name.text(), node, defaults)?;
            self.types[place].types.push((name.text(), inner));
        }
        Ok(place)
    }

    /// Gives structs and enumerations names that are unique: their own, or with those of the types around them.
    fn name(&mut self) {
        let mut many: HashMap<String, usize> = HashMap::new();
        self.types.iter().for_each(|own| *many.entry(free(own.id, true)).or_default() += 1);
        let mut taken = BTreeSet::new();
        for k in 0..self.types.len() {
            let mut name = free(self.types[k].id, true);
            let mut around = self.types[k].around;
            while let Some(outer) =
                around.filter(|_| many.get(&name).copied().unwrap_or(0) > 1 || taken.contains(&name))
            {
                name = format!("{}_{name}", self.types[outer].id);
                around = self.types[outer].around;
            }
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            self.types[k].name = name;
        }
        let mut taken = BTreeSet::new();
        for own in &mut self.enums {
            while !taken.insert(own.name.clone()) {
                own.name.push('_');
            }
        }
    }

    /// The types from this one outwards.
    fn outwards(&self, place: usize) -> impl Iterator<Item = &Type<'a>> {
        std::iter::successors(self.types.get(place), |own| self.types.get(own.around?))
    }

    /// The type of this name, as seen from another one.
    pub fn find_type(&self, path: &[&str], from: usize) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        let inner = |own: &Type<'a>, name: &str| own.types.iter().find(|(id, _)| *id == name).map(|(_, place)| *place);
        let global = || self.files.iter().find(|(id, _)| id == first).map(|(_, place)| *place);
        let mut found = self.outwards(from).find_map(|own| inner(own, first)).or_else(global)?;
        for name in rest {
            found = inner(self.types.get(found)?, name)?;
        }
        Some(found)
    }

    /// The enumeration of this name, as seen from a type.
    pub fn find_enum(&self, path: &[&str], from: usize) -> Option<usize> {
        let (name, types) = path.split_last()?;
        let own = |own: &Type<'a>| own.enums.iter().find(|(id, _)| id == name).map(|(_, place)| *place);
        match types.is_empty() {
            true => self.outwards(from).find_map(own),
            false => own(self.types.get(self.find_type(types, from)?)?),
        }
    }

    /// A value of a type's instances.
    pub fn instance(&self, place: usize, id: &str) -> Option<&'a Node> {
        self.types.get(place)?.node?.get("instances")?.get(id)
    }
}

fn enumeration<'a>(id: &str, file: usize, node: &'a Node) -> Enumeration<'a> {
    let mut own = Enumeration { name: field(id), file, values: Vec::new(), left_out: Vec::new() };
    let (mut numbers, mut names) = (BTreeSet::new(), BTreeSet::new());
    for (key, value) in node.entries() {
        let name = if let Value::Map(_) = value.value { value.text_of("id") } else { value.text() };
        match number(key.text()) {
            None => own.left_out.push((key.line, format!("{id}: {:?} is not a number", key.text()))),
            Some(_) if name.is_empty() || !names.insert(name) => {
                own.left_out.push((key.line, format!("{id}: {:?}: the name is empty or given twice", key.text())));
            }
            Some(n) if !numbers.insert(n) => {
                own.left_out.push((key.line, format!("{id}: {name}: the number is given twice")));
            }
            Some(n) => own.values.push((n, name, key.line)),
        }
    }
    own
}
