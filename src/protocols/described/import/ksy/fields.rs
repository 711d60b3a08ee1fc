//! The fields of a type: one for each alternative of its size, count and type.

use super::condition::Condition;
use super::expr::{Expr, Op, number};
use super::forms::{Linear, cases};
use super::shape::{Shape, named, shape};
use super::value::{Element, Path, Place, Val};
use super::written::{Keys, Out, Writing};
use crate::protocols::described::export::quoted;
use crate::protocols::described::import::yaml::{Node, Value};

/// The most fields that one becomes.
const ALTERNATIVES: usize = 64;
/// The most cases of a type.
const CASES: usize = 512;

/// The bytes of a field.
enum Size {
    /// Those of its type.
    Own,
    Rest,
    Bytes(Result<Linear, String>),
}

/// The number of a field's elements.
enum Count {
    One,
    Rest,
    Times(Result<Linear, String>),
}

/// Alternatives, each with its condition.
type Cases<T> = Vec<(Condition, T)>;

impl Writing<'_, '_> {
    /// The condition of an expression.
    pub fn condition(&self, text: &str, place: &Place) -> Result<Condition, String> {
        Condition::of(&self.resolver.value(text, place)?, self.model)
    }

    /// The condition of a field.
    pub fn condition_of(&self, own: usize, node: &Node) -> Result<Condition, String> {
        match node.get("if") {
            Some(text) => self.condition(text.text(), &Place::of(own)).map_err(|why| format!("if: {why}")),
            None => Ok(Condition::Always),
        }
    }

    /// The values of an expression, each with its condition.
    fn numbers(&self, text: &str, own: usize) -> Result<Cases<Result<Linear, String>>, String> {
        let val = self.resolver.value(text, &Place::of(own))?;
        let mut all = Vec::new();
        for (conditions, val) in cases(&val)? {
            let conditions = conditions.iter().map(|one| Condition::of(one, self.model));
            let condition = Condition::all(conditions.collect::<Result<Vec<_>, _>>()?);
            let why = || format!("{text}: {}", val.unknown().unwrap_or("arithmetic is not supported"));
            all.push((condition, Linear::of(&val).ok_or_else(why)));
        }
        Ok(all)
    }

    /// The fields of one in the description. Those that are not described have an error.
    pub fn alternatives(&mut self, own: usize, k: usize) -> Cases<Result<Option<Keys>, String>> {
        let attr = &self.model.types[own].seq[k];
        let node = attr.node;
        let base = match self.condition_of(own, node) {
            Ok(base) => base,
            Err(why) => return vec![(Condition::Always, Err(why))],
        };
        let parts = || Ok::<_, String>((self.sizes(own, node)?, self.counts(own, node)?, self.kinds(own, node)?));
        let (sizes, counts, kinds) = match parts() {
            Ok(parts) => parts,
            Err(why) => return vec![(base, Err(why))],
        };
        if sizes.len() * counts.len() * kinds.len() > ALTERNATIVES {
            return vec![(base, Err(format!("more than {ALTERNATIVES} alternatives")))];
        }
        let mut all = Vec::new();
        for (if_size, size) in &sizes {
            for (if_count, count) in &counts {
                for (if_kind, kind) in &kinds {
                    let condition = [&base, if_size, if_count, if_kind].into_iter().cloned();
                    let condition = Condition::all(condition);
                    if condition != Condition::Never {
                        let keys = self.keys(own, k, kind, size, count);
                        all.push((condition, keys));
                    }
                }
            }
        }
        all
    }

    fn sizes(&self, own: usize, node: &Node) -> Result<Cases<Size>, String> {
        if node.is_set("size-eos") {
            return Ok(vec![(Condition::Always, Size::Rest)]);
        }
        let Some(size) = node.get("size") else { return Ok(vec![(Condition::Always, Size::Own)]) };
        let all = self.numbers(size.text(), own).map_err(|why| format!("size: {}: {why}", size.text()))?;
        Ok(all.into_iter().map(|(condition, size)| (condition, Size::Bytes(size))).collect())
    }

    fn counts(&self, own: usize, node: &Node) -> Result<Cases<Count>, String> {
        let always = |count| Ok(vec![(Condition::Always, count)]);
        match node.text_of("repeat") {
            "eos" | "until" => always(Count::Rest),
            "expr" => {
                let text = node.text_of("repeat-expr");
                let all = self.numbers(text, own).map_err(|why| format!("repeat-expr: {text}: {why}"))?;
                Ok(all.into_iter().map(|(condition, count)| (condition, Count::Times(count))).collect())
            }
            "" => always(Count::One),
            other => Err(format!("repeat: {other}")),
        }
    }

    fn kinds(&self, own: usize, node: &Node) -> Result<Cases<Shape>, String> {
        let Some(kind) = node.get("type").filter(|kind| matches!(kind.value, Value::Map(_))) else {
            return Ok(vec![(Condition::Always, shape(self.model, own, node))]);
        };
        let on = kind.text_of("switch-on");
        let fail = |why: String| format!("switch-on: {on}: {why}");
        let on = self.resolver.value(on, &Place::of(own)).map_err(fail)?;
        let mut all: Vec<(Vec<Condition>, Shape)> = Vec::new();
        let mut other = if node.get("size").is_some() || node.is_set("size-eos") || node.get("terminator").is_some() {
            Some(Shape::Bytes)
        } else {
            None
        };
        let listed = kind.get("cases").map_or(&[][..], Node::entries);
        if listed.len() > CASES {
            return Err(fail(format!("more than {CASES} cases")));
        }
        for (key, kind) in listed {
            let shape = named(self.model, own, kind.text());
            if key.text() == "_" {
                other = Some(shape);
                continue;
            }
            let value = self.resolver.value(key.text(), &Place::of(own)).map_err(fail)?;
            let equal = Val::Binary(Op::Equal, Box::new(on.clone()), Box::new(value));
            let condition = Condition::of(&equal, self.model).map_err(fail)?;
            match all.iter_mut().find(|(_, known)| *known == shape) {
                Some((list, _)) => list.push(condition),
                None => all.push((vec![condition], shape)),
            }
        }
        let mut all: Cases<Shape> = all.into_iter().map(|(list, shape)| (Condition::any(list), shape)).collect();
        let none = Condition::all(all.iter().map(|(condition, _)| condition.clone().not()));
        all.extend(other.map(|shape| (none, shape)));
        Ok(all)
    }

    /// The keys of a field; `None`: it takes no bytes.
    fn keys(&mut self, own: usize, k: usize, kind: &Shape, size: &Size, count: &Count) -> Result<Option<Keys>, String> {
        let attr = &self.model.types[own].seq[k];
        let node = attr.node;
        if let Count::One = count {
            return self.single(own, k, kind, size);
        }
        if let (Shape::Bits(bits), false) = (kind, self.is_whole(kind, count)) {
            return Err(format!("a list of {bits} bits each"));
        }
        let plain = matches!(size, Size::Own) && node.get("terminator").is_none();
        let Some(mut keys) = self.single(own, k, kind, size)? else {
            return Err("a list of what takes no bytes".into());
        };
        // An element that is more than a word is a struct of its own.
        let element = match (keys.plain(&["enum"]), keys.sized_bytes()) {
            (Some(word), _) if plain => word.to_owned(),
            (_, Some(word)) => {
                keys = Keys::default();
                word
            }
            _ => self.element(own, k, kind, std::mem::take(&mut keys))?,
        };
        let times = match count {
            Count::Times(Err(why)) => return Err(format!("repeat-expr: {why}")),
            Count::Times(Ok(times)) => {
                if let Some(n) = times.fixed() {
                    match n {
                        0 => return Ok(None),
                        1..=0xff_ffff => n.to_string(),
                        _ => return Err(format!("{n} elements")),
                    }
                } else {
                    match times.of_path() {
                        Some(path) if (times.num, times.den, times.plus) == (1, 1, 0) => path.text.clone(),
                        Some(path) => {
                            // The bytes of all elements, where each has the same number.
                            let bytes = self.fixed(kind, 0).filter(|_| plain);
                            let bytes = bytes.filter(|bytes| times.den == 1 || times.down && *bytes == times.den);
                            let bytes = bytes.ok_or("arithmetic is not supported")?;
                            let factor = times.num * bytes / times.den;
                            keys.set("size", sized(path, factor, 1, -times.plus * bytes)?);
                            "*".into()
                        }
                        None => return Err("a number of elements that is not supported".into()),
                    }
                }
            }
            _ => "*".into(),
        };
        if let Some(until) = node.get("repeat-until").filter(|_| node.text_of("repeat") == "until") {
            let newest = match kind {
                Shape::Type(inner) => Element::Type(*inner, element.clone()),
                Shape::Number { bits, signed, .. } => Element::Number(Path {
                    text: attr.name.clone(),
                    bits: *bits,
                    signed: *signed,
                    is_text: false,
                    names: None,
                }),
                _ => return Err("repeat-until of text or bytes".into()),
            };
            let mut place = Place::of(own);
            place.element = Some(newest);
            let until = self.condition(until.text(), &place).map_err(|why| format!("repeat-until: {why}"))?;
            match until.not() {
                Condition::Always => {}
                // It ends after one.
                Condition::Never => return Err("repeat-until always holds".into()),
                going => keys.set("while", quoted(&going.text().unwrap_or_default())),
            }
        }
        keys.set("type", quoted(&format!("{element}[{times}]")));
        Ok(Some(keys))
    }

    /// Whether the elements are whole bytes together.
    fn is_whole(&self, kind: &Shape, count: &Count) -> bool {
        let Shape::Bits(bits) = kind else { return true };
        match count {
            Count::Times(Ok(times)) => times.fixed().map_or(bits % 8 == 0, |n| n * i128::from(*bits) % 8 == 0),
            _ => bits % 8 == 0,
        }
    }

    /// A struct for the elements of a list.
    fn element(&mut self, own: usize, k: usize, kind: &Shape, mut keys: Keys) -> Result<String, String> {
        let attr = &self.model.types[own].seq[k];
        if let Shape::Type(_) = kind {
            keys.set("inline", "true".into());
        }
        let name = format!("{}_{}_item", self.model.types[own].name, attr.name);
        if let Some(why) = self.broken.why(&name, &attr.name) {
            return Err(why.to_owned());
        }
        let field = Out { key: attr.name.clone(), keys, condition: Condition::Always };
        Ok(self.extra(name, field))
    }

    /// The keys of a field that is not a list.
    fn single(&mut self, own: usize, k: usize, kind: &Shape, size: &Size) -> Result<Option<Keys>, String> {
        let attr = &self.model.types[own].seq[k];
        let node = attr.node;
        let mut keys = Keys::default();
        match size {
            Size::Own | Size::Rest => {}
            Size::Bytes(Err(why)) => return Err(format!("size: {why}")),
            Size::Bytes(Ok(linear)) => match (linear.fixed(), linear.of_path()) {
                (Some(0), _) => return Ok(None),
                (Some(n @ 1..=0xff_ffff), _) => keys.set("size", n.to_string()),
                (_, Some(path)) if !linear.down => {
                    keys.set("size", sized(path, linear.num, linear.den, -linear.plus)?);
                }
                _ if linear.is_rest() && (linear.plus == 0 || self.after(own, k) == Some(-linear.plus)) => {}
                _ => return Err(format!("size: {} is not supported", node.text_of("size"))),
            },
        }
        let sized = keys.has("size");
        let rest = !sized && !matches!(size, Size::Own);
        match kind {
            Shape::Number { bits, signed, float, big } => {
                keys.set("type", quoted(&self.word(*bits, *signed, *float, *big)?));
                self.names(own, node, (*bits, *signed), &mut keys);
            }
            Shape::Bits(bits) => {
                let order = if self.model.types[own].lowest_first { "" } else { "be" };
                keys.set("type", quoted(&format!("bits({bits}){order}")));
                self.names(own, node, (*bits, false), &mut keys);
            }
            Shape::Type(inner) if self.model.types[*inner].seq.is_empty() => match sized || rest {
                true => keys.set("type", quoted("bytes")),
                false => return Ok(None),
            },
            Shape::Type(inner) => {
                let name = self.structure(*inner);
                keys.set("type", quoted(&name));
            }
            Shape::Bytes | Shape::Text { .. } => {
                if let Some(contents) = node.get("contents") {
                    let bytes = bytes(contents).ok_or("contents are not supported")?;
                    keys.set("size", bytes.len().to_string());
                    keys.set("value", quoted(&hex::encode(bytes)));
                    keys.set("type", quoted("bytes"));
                } else {
                    self.content(own, k, kind, sized, rest, &mut keys)?;
                }
            }
            Shape::Switch => return Err("a type in a type".into()),
            Shape::Other(name) if sized || rest => {
                self.note(own, attr.line, format!("{}: type {name}: shown as bytes", attr.id));
                keys.set("type", quoted("bytes"));
            }
            Shape::Other(name) => return Err(format!("type {name} is not supported")),
        }
        self.processed(own, k, sized || rest, kind, &mut keys)?;
        Ok(Some(keys))
    }

    /// Text and bytes.
    fn content(
        &mut self,
        own: usize,
        k: usize,
        kind: &Shape,
        sized: bool,
        rest: bool,
        keys: &mut Keys,
    ) -> Result<(), String> {
        let attr = &self.model.types[own].seq[k];
        let node = attr.node;
        let mut word = "bytes";
        let mut wide = false;
        if let Shape::Text { .. } = kind {
            let encoding = node.get("encoding").map_or(self.model.types[own].encoding, Node::text);
            let charset = match encoding.to_ascii_lowercase().replace('_', "-").as_str() {
                "" | "utf-8" | "utf8" | "ascii" | "us-ascii" => Some(""),
                "iso-8859-1" | "iso8859-1" | "latin1" => Some("latin1"),
                "utf-16le" => Some("utf-16le"),
                "utf-16be" => Some("utf-16be"),
                _ => None,
            };
            wide = charset.is_some_and(|charset| charset.starts_with("utf-16"));
            match charset {
                Some(charset) => {
                    word = "text";
                    if !charset.is_empty() {
                        keys.set("charset", quoted(charset));
                    }
                }
                None => self.note(own, attr.line, format!("{}: encoding {encoding}: shown as bytes", attr.id)),
            }
        }
        let zero = matches!(kind, Shape::Text { zero: true }).then_some(0);
        let end = match node.get("terminator") {
            Some(end) => {
                let byte = number(end.text()).filter(|n| (0..256).contains(n));
                Some(byte.ok_or("terminator: expected a byte, 0 to 255")?)
            }
            None => zero,
        };
        match end {
            Some(_) if wide && sized => {
                self.note(own, attr.line, format!("{}: shown with what follows its terminator", attr.id));
            }
            Some(_) if wide => return Err("text in UTF-16 that ends with zeros".into()),
            Some(_) if !sized && node.text_of("consume") == "false" => {
                return Err("a terminator that belongs to the next field (consume)".into());
            }
            Some(end) => {
                keys.set("until", end.to_string());
                if sized || rest || node.text_of("eos-error") == "false" {
                    keys.set("or_end", "true".into());
                }
                if node.is_set("include") {
                    self.note(own, attr.line, format!("{}: shown without its terminator (include)", attr.id));
                }
            }
            None if sized || rest => {}
            None => return Err("neither size nor terminator".into()),
        }
        if node.get("pad-right").is_some() {
            self.note(own, attr.line, format!("{}: shown with its padding (pad-right)", attr.id));
        }
        match (end, word, keys.has("or_end") || keys.has("charset")) {
            (Some(0), "text", false) => {
                keys.remove("until");
                keys.set("type", quoted("cstring"));
            }
            _ => keys.set("type", quoted(word)),
        }
        Ok(())
    }

    /// `process` and `valid`.
    fn processed(&mut self, own: usize, k: usize, region: bool, kind: &Shape, keys: &mut Keys) -> Result<(), String> {
        let attr = &self.model.types[own].seq[k];
        let node = attr.node;
        if let Some(process) = node.get("process") {
            let text = process.text();
            let xor = text.strip_prefix("xor(").and_then(|key| key.strip_suffix(')'));
            let key = xor.and_then(|key| self.resolver.value(key, &Place::of(own)).ok());
            match (text, key) {
                ("zlib", _) => keys.set("compressed", quoted("zlib")),
                (_, Some(Val::Int(n @ 0..=255))) => keys.set("xor", n.to_string()),
                (_, Some(Val::Path(path))) if path.bits == 8 => keys.set("xor", quoted(&path.text)),
                _ if region => {
                    self.note(own, attr.line, format!("{}: process {text}: shown as it is", attr.id));
                    for key in ["until", "or_end", "charset"] {
                        keys.remove(key);
                    }
                    keys.set("type", quoted("bytes"));
                }
                _ => return Err(format!("process {text}")),
            }
        }
        if let Some(valid) = node.get("valid") {
            let eq = valid.get("eq").unwrap_or(valid);
            let val = Expr::parse(eq.text()).and_then(|_| self.resolver.value(eq.text(), &Place::of(own)));
            let whole = matches!(kind, Shape::Number { float: false, .. }) && node.get("repeat").is_none();
            match val {
                Ok(Val::Int(n) | Val::Named(n, ..)) if whole => {
                    keys.set("value", n.to_string());
                    keys.remove("enum");
                }
                _ if valid.is_set("in-enum") && keys.has("enum") => keys.set("closed", "true".into()),
                _ => self.note(own, attr.line, format!("{}: valid is not checked", attr.id)),
            }
        }
        Ok(())
    }

    /// The bytes of the fields after this one, if that is always the same number.
    fn after(&self, own: usize, k: usize) -> Option<i128> {
        let kind = &self.model.types[own];
        let each = kind.seq.iter().skip(k + 1).map(|attr| self.fixed_field(own, attr.node, 0));
        each.sum()
    }

    fn fixed_field(&self, own: usize, node: &Node, depth: usize) -> Option<i128> {
        if node.get("if").is_some() || node.get("repeat").is_some() {
            return None;
        }
        match node.get("size").and_then(|size| number(size.text())) {
            Some(size) => Some(size),
            None => self.fixed(&shape(self.model, own, node), depth),
        }
    }

    /// The bytes of a type, if they are always as many.
    fn fixed(&self, kind: &Shape, depth: usize) -> Option<i128> {
        match kind {
            Shape::Number { bits, .. } => Some(i128::from(bits / 8)),
            Shape::Type(inner) if depth < 8 => {
                let kind = &self.model.types[*inner];
                kind.seq.iter().map(|attr| self.fixed_field(*inner, attr.node, depth + 1)).sum()
            }
            _ => None,
        }
    }
}

/// `size`: a field, with a factor and a summand.
fn sized(path: &Path, num: i128, den: i128, plus: i128) -> Result<String, String> {
    let small = |n: i128| n.unsigned_abs() < 1 << 24;
    if !small(num) || !small(den) || !small(plus) {
        return Err("numbers that are too large".into());
    }
    let mut keys = vec![format!("type = {}", quoted(&path.text))];
    match (num, den) {
        (1, 1) if plus == 0 => return Ok(quoted(&path.text)),
        (1, 1) => {}
        (num, 1) => keys.push(format!("scale = {num}")),
        (num, den) => keys.push(format!("scale = \"{num}/{den}\"")),
    }
    if plus != 0 {
        keys.push(format!("plus = {plus}"));
    }
    Ok(format!("{{ {} }}", keys.join(", ")))
}

/// The bytes of `contents`.
fn bytes(node: &Node) -> Option<Vec<u8>> {
    let one = |node: &Node, listed: bool| match &node.value {
        Value::Text { text, plain } => match number(text).filter(|_| listed && *plain) {
            Some(n) => Some(vec![u8::try_from(n).ok()?]),
            None => Some(text.clone().into_bytes()),
        },
        _ => None,
    };
    let all = match &node.value {
        Value::List(list) => list.iter().map(|node| one(node, true)).collect::<Option<Vec<_>>>()?.concat(),
        _ => one(node, false)?,
    };
    (1..=4096).contains(&all.len()).then_some(all)
}
