//! Structs, also those that contain themselves.

use super::{Compiled, Compiler, DEPTH, lasting, takes_the_rest};
use crate::codec::digits;
use crate::codec::kinds::Ring;
use crate::codec::layout::{Kind, flag};
use crate::codec::schema::Form;
use crate::codec::schema::text::FieldText;
use crate::codec::schema::types::WORDS;

/// A struct whose fields are being compiled.
pub(super) struct Open<'a> {
    name: &'a str,
    /// The number of open fields around it that could end a ring.
    endings: usize,
    /// The places where it contains itself.
    ring: Option<&'static Ring>,
}

/// Whether the field can end a ring: it has a condition, or is a list with an end or with a field as its count. A count
/// of its own says nothing of what the struct is.
pub(super) fn may_end(t: &FieldText) -> bool {
    let mut counts = t.kind.split('[').skip(1).filter_map(|times| times.split(']').next().map(str::trim));
    // In payloads, `T[]` has the protocol's own count.
    let own = |count: &str| count.is_empty() || WORDS.split(' ').any(|word| word == count);
    let ends = |count: &str| digits::unsigned::<u32>(count).is_none() && !own(count);
    t.condition.is_some() || t.repeats.is_none() && counts.any(ends)
}

/// Whether fields are preceded by their numbers.
pub(super) fn is_tagged(fields: &[FieldText]) -> bool {
    fields.iter().any(|t| t.tag.is_some())
}

impl<'a> Compiler<'a> {
    /// Whether the fields of this struct are being compiled, or those of a struct or message in it.
    pub fn is_within(&self, name: &str) -> bool {
        self.structs.iter().any(|open| open.name == name)
    }

    /// Compiles a struct: its fields, or the place where it contains itself.
    pub fn structure(&mut self, name: &str, t: &FieldText) -> Compiled<Option<Kind>> {
        let (text, form) = (self.text, self.form());
        let Some((name, line, fields)) = text.structs.iter().find(|(other, ..)| other == name) else { return Ok(None) };
        if let Some(open) = self.structs.iter_mut().find(|open| open.name == name) {
            if t.inline {
                return t.fail(format!("struct {name} contains itself: it cannot be inline"));
            }
            if form != Form::Sequence {
                return t.fail(format!("struct {name} contains itself"));
            }
            if open.endings == self.endings {
                return t.fail(format!(
                    "struct {name} contains itself, and nothing ends that: a condition (if), or a list with a size, a mark or an earlier field as its count"
                ));
            }
            let ring = *open.ring.get_or_insert_with(|| lasting(Ring::default()));
            return Ok(Some(Kind::Ring { fields: &[], ring }));
        }
        if self.structs.len() >= DEPTH {
            return t.fail(format!("structs in structs, more than {DEPTH} deep"));
        }
        if fields.is_empty() {
            return Err((*line, format!("struct {name} has no fields")));
        }
        self.structs.push(Open { name, endings: self.endings, ring: None });
        self.opened |= text.payload.as_ref().is_some_and(|payload| payload.name == *name);
        self.used_structs.insert(name);
        if form == Form::Tagged || form == Form::Sequence && is_tagged(fields) {
            let message = self.protobuf(fields);
            self.structs.pop();
            return match t.inline {
                true => t.fail("fields with tags cannot be inline"),
                false => Ok(Some(Kind::Protobuf(message?))),
            };
        }
        let known = self.known.len();
        let list = self.list(fields);
        let ring = self.structs.pop().and_then(|open| open.ring);
        let list = list?;
        if let Some(ring) = ring {
            if list.iter().any(|field| field.is(flag::CARRIES)) {
                return t.fail(format!("struct {name} contains itself, so it cannot contain messages"));
            }
            if list.iter().any(takes_the_rest) {
                return t.fail(format!(
                    "struct {name} contains itself, so nothing in it can take everything up to the end: say its size"
                ));
            }
            if t.inline {
                return t.fail(format!("struct {name} contains itself: it cannot be inline"));
            }
            let list = self.ended(list, known);
            ring.close(list);
            return Ok(Some(Kind::Ring { fields: list, ring }));
        }
        Ok(Some(Kind::Struct(list)))
    }
}
