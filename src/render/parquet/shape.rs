//! The types of a message's fields as columns. They are fixed by the tables alone, so that they are the same for all
//! captures.

use crate::codec::layout::{Field, Kind, Other, Show, flag};

/// The type of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A whole number within these bounds, both inclusive.
    Number {
        /// The smallest.
        min: i128,
        /// The largest.
        max: i128,
    },
    /// A binary32 number.
    F32,
    /// A binary64 number; also binary16, and scaled numbers.
    F64,
    /// True or false.
    Bool,
    /// Text: the name of an enumeration's value, or its digits if it has no name.
    Text,
    /// Bytes.
    Bytes,
    /// Anything, as JSON text: values whose type differs between messages.
    Json,
    /// The names of the bits that are set. A bit without a name is given by its digits.
    Flags,
    /// Named members.
    Group(Vec<Member>),
    /// Elements of one shape.
    List(Box<Shape>),
}

/// A member of a [`Shape::Group`].
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its name in JSON.
    pub name: String,
    /// Its type.
    pub shape: Shape,
}

impl Member {
    /// Creates a member of this name and type.
    pub fn new(name: impl Into<String>, shape: Shape) -> Member {
        Member { name: name.into(), shape }
    }
}

impl Shape {
    /// Returns a whole number of up to 64 bits.
    pub const fn int() -> Shape {
        Shape::Number { min: i64::MIN as i128, max: i64::MAX as i128 }
    }

    /// Returns a list of elements of this shape.
    pub fn list(of: Shape) -> Shape {
        Shape::List(Box::new(of))
    }

    /// Returns a type for the values of both.
    pub fn merged(self, other: Shape) -> Shape {
        use Shape::*;
        // Binary64 numbers hold all whole numbers up to here.
        const EXACT: i128 = 1 << 53;
        match (self, other) {
            (a, b) if a == b => a,
            (Number { min: a, max: b }, Number { min: c, max: d }) => Number { min: a.min(c), max: b.max(d) },
            (Number { min, max }, F32 | F64) | (F32 | F64, Number { min, max }) if min >= -EXACT && max <= EXACT => F64,
            (F32, F64) | (F64, F32) => F64,
            (List(a), List(b)) => Shape::list(a.merged(*b)),
            (Group(mut a), Group(b)) => {
                b.into_iter().for_each(|member| add(&mut a, member));
                Group(a)
            }
            _ => Json,
        }
    }
}

/// Adds a member, or merges it with the member of the same name.
pub fn add(members: &mut Vec<Member>, member: Member) {
    match members.iter_mut().find(|there| there.name == member.name) {
        Some(there) => {
            let before = std::mem::replace(&mut there.shape, Shape::Json);
            there.shape = before.merged(member.shape);
        }
        None => members.push(member),
    }
}

/// Adds the members of a group with these fields. `payload`: the members of payloads in the user's schemas, empty if
/// there are none.
pub fn members(fields: &'static [Field], payload: &[Member], into: &mut Vec<Member>) {
    Walk { open: Vec::new(), payload }.members(fields, into);
}

/// Adds a value that is known from other messages.
pub fn derived(field: &'static Field, payload: &[Member], into: &mut Vec<Member>) {
    if !field.name.is_empty() {
        Walk { open: Vec::new(), payload }.shown(field, into);
    }
}

struct Walk<'a> {
    /// The lists of fields being walked: a table may contain itself.
    open: Vec<*const Field>,
    payload: &'a [Member],
}

impl Walk<'_> {
    fn members(&mut self, fields: &'static [Field], into: &mut Vec<Member>) {
        if self.open.contains(&fields.as_ptr()) {
            return;
        }
        self.open.push(fields.as_ptr());
        fields.iter().for_each(|field| self.field(field, into));
        self.open.pop();
    }

    fn field(&mut self, field: &'static Field, into: &mut Vec<Member>) {
        match &field.kind {
            kind if field.is_inline() => return self.members(kind.fields(), into),
            Kind::Switch { cases, other, .. } => {
                cases.iter().for_each(|case| self.members(case.fields, into));
                match other {
                    Other::Fields(fields) => self.members(fields, into),
                    Other::Ask => self.payload.iter().for_each(|member| add(into, member.clone())),
                    Other::Fault(_) => {}
                }
                return;
            }
            Kind::Derived => return,
            _ => {}
        }
        if !field.is(flag::HIDDEN) && !field.is(flag::DERIVED) && !field.name.is_empty() {
            self.shown(field, into);
        }
    }

    fn shown(&mut self, field: &'static Field, into: &mut Vec<Member>) {
        if field.is(flag::PAYLOAD) && !self.payload.is_empty() {
            add(into, Member::new(field.name, Shape::Group(self.payload.to_vec())));
            add(into, Member::new(format!("{}_bytes", field.name), Shape::Bytes));
            return;
        }
        let shape = self.shape(field);
        add(into, Member::new(field.name, shape));
    }

    fn shape(&mut self, field: &'static Field) -> Shape {
        match &field.show {
            Show::Enum(_) | Show::Time { .. } => return Shape::Text,
            Show::Flags(_) => return Shape::Flags,
            Show::Scaled(_) => return Shape::F64,
            Show::Plain | Show::Asked(_) => {}
        }
        match &field.kind {
            Kind::Numeral(_) => Shape::Number { min: i64::MIN.into(), max: i64::MAX.into() },
            Kind::Tag { .. } | Kind::UInt { .. } | Kind::Int { .. } | Kind::VarInt { .. } | Kind::Extended(_) => {
                let (min, max) = field.kind.range().unwrap_or_default();
                Shape::Number { min, max }
            }
            Kind::Float { bits: 32, .. } => Shape::F32,
            Kind::Float { .. } => Shape::F64,
            Kind::Bool { .. } => Shape::Bool,
            Kind::Text { .. } | Kind::Address(_) => Shape::Text,
            Kind::Bytes { .. } => Shape::Bytes,
            Kind::Checksum(sum) => Shape::Number { min: 0, max: (1i128 << sum.bits()) - 1 },
            Kind::Constant(constant) => self.shape(constant.of),
            Kind::Array { of, .. } => Shape::list(self.element(of)),
            Kind::Struct(fields) => self.group(fields),
            Kind::Parts(_) | Kind::Region(_) | Kind::Packed(_) | Kind::Protobuf(_) => self.group(field.kind.fields()),
            // Further levels have no columns of their own.
            Kind::Ring { fields: [], .. } => Shape::Json,
            Kind::Ring { fields, .. } => self.group(fields),
            Kind::Inline(_)
            | Kind::Settled(_)
            | Kind::Switch { .. }
            | Kind::Derived
            | Kind::Chosen(_)
            | Kind::Custom(_) => Shape::Json,
        }
    }

    /// Returns the shape of an element. If its fields belong to their parent, it is the shape of their only member, or
    /// JSON if there are several.
    fn element(&mut self, of: &'static Field) -> Shape {
        match &of.kind {
            Kind::Inline(_) | Kind::Switch { .. } => {
                let mut into = Vec::new();
                self.field(of, &mut into);
                // One value, whose type an earlier field determines.
                match <[Member; 1]>::try_from(into) {
                    Ok([member]) => member.shape,
                    Err(_) => Shape::Json,
                }
            }
            _ => self.shape(of),
        }
    }

    /// Returns a group's shape: JSON if the group contains itself, or if the tables contain none of its members.
    fn group(&mut self, fields: &'static [Field]) -> Shape {
        let mut into = Vec::new();
        if !self.open.contains(&fields.as_ptr()) {
            self.members(fields, &mut into);
        }
        if into.is_empty() { Shape::Json } else { Shape::Group(into) }
    }
}
