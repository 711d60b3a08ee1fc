//! Expressions in terms of the protocol file's fields: instances are replaced by their values, names by paths.

use super::expr::{Expr, Op};
use super::model::Model;
use super::shape::{Shape, shape, targets};
use std::cell::Cell;
use std::collections::HashMap;

/// The deepest instances in instances.
const DEPTH: usize = 24;
/// The most parts of an expression after its instances are replaced.
const MOST: usize = 4096;
/// The most parts of all expressions together.
const IN_ALL: usize = 1 << 20;

/// An expression whose names are paths of fields.
#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    Int(i128),
    Bool(bool),
    Text(String),
    /// A value of an enumeration, and its name.
    Named(i128, usize, String),
    Path(Path),
    /// The bytes of the region, and those before the current place.
    Size,
    Pos,
    Not(Box<Val>),
    Binary(Op, Box<Val>, Box<Val>),
    Choice(Box<Val>, Box<Val>, Box<Val>),
    /// It is not known, and why.
    Unknown(String),
}

/// An earlier field.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// As the protocol file names it.
    pub text: String,
    /// The bits of a number; 0: it is none.
    pub bits: u32,
    pub signed: bool,
    /// It is text.
    pub is_text: bool,
    pub names: Option<usize>,
}

/// The place of an expression.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The type whose names it uses, or several that must agree.
    types: Vec<usize>,
    /// The path of that type's fields.
    prefix: String,
    /// The types whose fields would hide others of the same name.
    inside: Vec<usize>,
    /// `_`: the newest element of a list.
    pub element: Option<Element>,
}

/// The newest element of a list: its name, and its type or its own path.
#[derive(Clone, Debug)]
pub enum Element {
    Type(usize, String),
    Number(Path),
}

impl Place {
    /// The place of a type's own fields.
    pub fn of(own: usize) -> Place {
        Place { types: vec![own], ..Place::default() }
    }

    fn path(&self, name: &str) -> String {
        if self.prefix.is_empty() { name.to_owned() } else { format!("{}.{name}", self.prefix) }
    }
}

/// Finds the fields that expressions name.
#[derive(Debug)]
pub struct Resolver<'m, 'a> {
    pub model: &'m Model<'a>,
    /// The types that have fields of each type.
    parents: Vec<Vec<usize>>,
    /// The instances of each type that are fields of the protocol file.
    views: HashMap<(usize, String), Path>,
    left: Cell<usize>,
    left_in_all: Cell<usize>,
}

impl<'m, 'a> Resolver<'m, 'a> {
    /// A resolver without views.
    pub fn new(model: &'m Model<'a>) -> Resolver<'m, 'a> {
        let mut parents = vec![Vec::new(); model.types.len()];
        for (place, own) in model.types.iter().enumerate() {
            for target in own.seq.iter().flat_map(|attr| targets(model, place, attr.node)) {
                let list: &mut Vec<usize> = &mut parents[target];
                if !list.contains(&place) {
                    list.push(place);
                }
            }
        }
        Resolver { model, parents, views: HashMap::new(), left: Cell::new(0), left_in_all: Cell::new(IN_ALL) }
    }

    /// Adds an instance that is a field of the protocol file.
    pub fn view(&mut self, own: usize, id: &str, path: Path) {
        self.views.insert((own, id.to_owned()), path);
    }

    /// The value of an expression.
    pub fn value(&self, text: &str, place: &Place) -> Result<Val, String> {
        self.left.set(MOST);
        self.reduced(&Expr::parse(text)?, place, 0)
    }

    /// The type of the field that an expression names, if it is one.
    fn reduced(&self, expr: &Expr, place: &Place, depth: usize) -> Result<Val, String> {
        let left = self.left.get().checked_sub(1).ok_or("its instances are too long")?;
        self.left.set(left);
        let left = self.left_in_all.get().checked_sub(1).ok_or("the expressions before it are too long")?;
        self.left_in_all.set(left);
        if depth > DEPTH {
            return Err(format!("instances in instances, more than {DEPTH} deep"));
        }
        let inner = |one: &Expr| Ok::<_, String>(Box::new(self.reduced(one, place, depth)?));
        Ok(match expr {
            Expr::Int(n) => Val::Int(*n),
            Expr::Text(text) => Val::Text(text.clone()),
            Expr::Bool(set) => Val::Bool(*set),
            Expr::Member(path) => {
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                let (name, path) = path.split_last().ok_or("an empty name")?;
                let from = place.types.first().copied().unwrap_or_default();
                let own =
                    self.model.find_enum(path, from).ok_or_else(|| format!("no enumeration {}", path.join("::")))?;
                let known = self.model.enums.get(own).into_iter().flat_map(|own| &own.values);
                let found = known.clone().find(|(_, known, _)| known == name);
                let (n, ..) = found.ok_or_else(|| format!("no value {name} of {}", path.join("::")))?;
                Val::Named(*n, own, (*name).to_owned())
            }
            Expr::Not(one) => Val::Not(inner(one)?),
            Expr::Binary(op, a, b) => Val::Binary(*op, inner(a)?, inner(b)?).folded(),
            Expr::Choice(condition, a, b) => Val::Choice(inner(condition)?, inner(a)?, inner(b)?),
            Expr::Name(name) => match (&place.element, name.as_str()) {
                (Some(Element::Number(path)), "_") => Val::Path(path.clone()),
                _ if name.starts_with('_') => return Err(format!("{name} is not supported")),
                _ => self.member(place, name, depth)?,
            },
            Expr::Field(base, name) => match (&**base, name.as_str()) {
                (Expr::Name(io), "eof") if io == "_io" => {
                    let left = Val::Binary(Op::Subtract, Box::new(Val::Size), Box::new(Val::Pos));
                    Val::Binary(Op::Equal, Box::new(left), Box::new(Val::Int(0)))
                }
                (Expr::Name(io), "size") if io == "_io" => Val::Size,
                (Expr::Name(io), "pos") if io == "_io" => Val::Pos,
                _ => self.member(&self.object(base, place)?, name, depth)?,
            },
        })
    }

    /// The place of the fields of an object.
    fn object(&self, expr: &Expr, place: &Place) -> Result<Place, String> {
        let parents = |place: &Place| {
            let mut all: Vec<usize> = place.types.iter().flat_map(|own| &self.parents[*own]).copied().collect();
            all.sort_unstable();
            all.dedup();
            let inside = [&place.inside[..], &place.types].concat();
            match place.prefix.is_empty() && !all.is_empty() {
                true => Ok(Place { types: all, inside, ..Place::default() }),
                false => Err("_parent is not known here".to_owned()),
            }
        };
        match expr {
            Expr::Name(name) => match (&place.element, name.as_str()) {
                (_, "_parent") => parents(place),
                (_, "_root") if place.types == [0] => Ok(place.clone()),
                (_, "_root") => Ok(Place { types: vec![0], inside: self.ancestors(place), ..Place::default() }),
                (Some(Element::Type(own, name)), "_") => {
                    Ok(Place { types: vec![*own], prefix: name.clone(), ..Place::default() })
                }
                _ => self.group(place, name),
            },
            Expr::Field(base, name) => {
                let base = self.object(base, place)?;
                if name == "_parent" { parents(&base) } else { self.group(&base, name) }
            }
            _ => Err("fields of a value are not supported".into()),
        }
    }

    /// These types and all around them, without the root.
    fn ancestors(&self, place: &Place) -> Vec<usize> {
        let (mut all, mut open) = (place.inside.clone(), place.types.clone());
        while let Some(one) = open.pop() {
            if one != 0 && !all.contains(&one) {
                all.push(one);
                open.extend(&self.parents[one]);
            }
        }
        all
    }

    /// The place of the fields of a field.
    fn group(&self, place: &Place, id: &str) -> Result<Place, String> {
        let mut found = None;
        for own in &place.types {
            let attr = self.model.types[*own].seq.iter().find(|attr| attr.id == id);
            let attr = attr.ok_or_else(|| format!("{id} is not a field before it"))?;
            match shape(self.model, *own, attr.node) {
                Shape::Type(inner) if attr.node.get("repeat").is_none() => match found {
                    Some((other, _)) if other != inner => {
                        return Err(format!("the type of {id} depends on the parent type"));
                    }
                    _ => found = Some((inner, &attr.name)),
                },
                _ => return Err(format!("fields of {id} are not supported")),
            }
        }
        let (own, name) = found.ok_or_else(|| format!("{id} is not known"))?;
        self.is_seen(place, name)?;
        Ok(Place { types: vec![own], prefix: place.path(name), inside: place.inside.clone(), element: None })
    }

    /// Whether no field nearer than that of the place has its name.
    fn is_seen(&self, place: &Place, name: &str) -> Result<(), String> {
        let nearer = |own: &usize| {
            let views = self.views.contains_key(&(*own, name.to_owned()));
            views || self.model.types[*own].seq.iter().any(|attr| attr.name == name)
        };
        match place.prefix.is_empty() && place.inside.iter().any(nearer) {
            true => Err(format!("{name} is shadowed by a field of an inner type")),
            false => Ok(()),
        }
    }

    /// A field or an instance of an object.
    fn member(&self, place: &Place, id: &str, depth: usize) -> Result<Val, String> {
        let mut found: Option<Val> = None;
        for own in &place.types {
            let one = self.member_of(*own, place, id, depth)?;
            if found.as_ref().is_some_and(|other| *other != one) {
                return Err(format!("{id} depends on the parent type"));
            }
            found = Some(one);
        }
        found.ok_or_else(|| format!("{id} is not known"))
    }

    fn member_of(&self, own: usize, place: &Place, id: &str, depth: usize) -> Result<Val, String> {
        if let Some(view) = self.views.get(&(own, id.to_owned())) {
            self.is_seen(place, id)?;
            return Ok(Val::Path(Path { text: place.path(&view.text), ..view.clone() }));
        }
        let kind = &self.model.types[own];
        if let Some(attr) = kind.seq.iter().find(|attr| attr.id == id) {
            self.is_seen(place, &attr.name)?;
            let (bits, signed, is_text) = match shape(self.model, own, attr.node) {
                _ if attr.node.get("repeat").is_some() => return Err(format!("{id} is a list")),
                Shape::Number { bits, signed, .. } => (bits, signed, false),
                Shape::Bits(bits) => (bits, false, false),
                Shape::Text { .. } => (0, false, true),
                _ => return Err(format!("{id} is not a number")),
            };
            let names = attr.node.text_of("enum");
            let names = self.model.find_enum(&names.split("::").collect::<Vec<_>>(), own);
            return Ok(Val::Path(Path { text: place.path(&attr.name), bits, signed, is_text, names }));
        }
        let Some(node) = self.model.instance(own, id) else { return Err(format!("{id} is not a field before it")) };
        let Some(value) = node.get("value") else {
            return Ok(Val::Unknown(format!("the instance {id} is read at another position (pos)")));
        };
        let own = Place { types: vec![own], element: None, ..place.clone() };
        self.reduced(&Expr::parse(value.text()).map_err(|why| format!("{id}: {why}"))?, &own, depth + 1)
    }
}

impl Val {
    /// The reason why it, or a part of it, is not known.
    pub fn unknown(&self) -> Option<&str> {
        match self {
            Val::Unknown(why) => Some(why),
            Val::Not(one) => one.unknown(),
            Val::Binary(_, a, b) => a.unknown().or_else(|| b.unknown()),
            Val::Choice(condition, a, b) => condition.unknown().or_else(|| a.unknown()).or_else(|| b.unknown()),
            _ => None,
        }
    }

    /// An operation on two numbers is their result.
    fn folded(self) -> Val {
        let Val::Binary(op, a, b) = &self else { return self };
        let (Val::Int(a), Val::Int(b)) = (&**a, &**b) else { return self };
        let small = |n: i128| (n.unsigned_abs() < 1 << 80).then_some(n);
        let shift = u32::try_from(*b).ok().filter(|n| *n < 64);
        let done = match op {
            Op::Add => a.checked_add(*b),
            Op::Subtract => a.checked_sub(*b),
            Op::Times => a.checked_mul(*b),
            Op::Divide if *b > 0 => a.checked_div_euclid(*b),
            Op::Left => shift.and_then(|n| a.checked_mul(1 << n)),
            Op::Right => shift.map(|n| a >> n),
            Op::BitAnd => Some(a & b),
            Op::BitOr => Some(a | b),
            Op::BitXor => Some(a ^ b),
            _ => None,
        };
        done.and_then(small).map_or(self, Val::Int)
    }
}
