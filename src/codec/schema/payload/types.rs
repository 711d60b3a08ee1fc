//! Compiles a schema's types: scalar names, structs, arrays.

use super::parse::FieldText;
use super::{Compiled, Compiler, takes_the_rest};
use crate::codec::digits;
use crate::codec::layout::{Count, Field, Kind, Len, Name, array, bytes, group, of, uint};
use crate::codec::schema::Form;
use crate::codec::schema::named::leak;

/// The cap on nesting of structs in structs, and lists in lists.
const DEPTH: usize = 16;

impl<'a> Compiler<'a> {
    /// Compiles a type to a field, shown as the schema states. The caller sets its name. `all` are the fields of the
    /// same group.
    pub fn kind(&mut self, t: &'a FieldText, kind: &'a str, all: &'a [FieldText]) -> Compiled<Field> {
        let Some(open) = kind.rfind('[').filter(|_| kind.ends_with(']')) else { return self.single(t, kind, all) };
        if kind.matches('[').count() > DEPTH {
            return t.fail(format!("lists in lists, more than {DEPTH} deep"));
        }
        let (element, times) = (kind[..open].trim(), kind[open + 1..kind.len() - 1].trim());
        if self.encoding.form == Form::Tagged && (!times.is_empty() || element.ends_with(']')) {
            return t.fail(format!("lists are written {element}[] here: how many there are is on the wire"));
        }
        if element == self.encoding.byte {
            if t.has_names() {
                return t.fail("scale, enum and flags are for whole numbers, not for bytes");
            }
            // Padding bits of the last byte are not part of it.
            return Ok(bytes("", self.length(t, element, times, all)?).padded());
        }
        let count = match self.length(t, element, times, all)? {
            Len::Prefix(prefix) => Count::Prefix(prefix),
            Len::Field(name) => Count::Field(name),
            Len::Const(n) => Count::Const(n),
            _ => Count::Rest,
        };
        if let Some(field) = self.encoding.array.and_then(|array| array(element, count)) {
            return self.shown(t, field);
        }
        let mut of = self.kind(t, element, all)?;
        of.set_name(leak(element.split(['[', '(']).next().unwrap_or(element)));
        if self.encoding.form == Form::Sequence && takes_the_rest(&of) {
            return t.fail(format!("{element} takes everything up to the end: there is one at most"));
        }
        Ok(array("", count, Box::leak(Box::new(of))))
    }

    /// Returns the length between the brackets of an array.
    fn length(&self, t: &FieldText, element: &str, times: &str, all: &[FieldText]) -> Compiled<Len> {
        match (times, self.encoding.form, self.encoding.length) {
            ("", Form::Sequence, None) => {
                let ways = format!("write {element}[5], {element}[FIELD] or {element}[*]");
                t.fail(format!("arrays have no count of their own here: {ways}"))
            }
            ("", Form::Sequence, Some(prefix)) => Ok(Len::Prefix(named_prefix(prefix, &t.name, all))),
            ("" | "*", ..) => Ok(Len::Rest),
            (n, ..) => match digits::unsigned(n) {
                Some(n) => Ok(Len::Const(n)),
                None => {
                    earlier(t, n, all)?;
                    Ok(Len::Field(Name::new(leak(n))))
                }
            },
        }
    }

    fn single(&mut self, t: &'a FieldText, kind: &'a str, all: &'a [FieldText]) -> Compiled<Field> {
        let bits =
            kind.strip_prefix("bits(").and_then(|k| k.strip_suffix(')')).and_then(|n| digits::unsigned::<u8>(n.trim()));
        if let (Some(n @ 1..=64), true) = (bits, self.encoding.bits) {
            return self.shown(t, uint("", n));
        }
        if let Some((_, field)) = self.encoding.types.iter().find(|(word, _)| *word == kind) {
            return self.shown(t, copy(field, &t.name, all));
        }
        if let Some((name, _, fields)) = self.text.structs.iter().find(|(name, ..)| name == kind) {
            if self.open.contains(&name.as_str()) || self.open.len() >= DEPTH {
                return t.fail(format!("struct {name} contains itself, or is nested too deep"));
            }
            self.open.push(name);
            let field = match self.encoding.form {
                Form::Tagged => of("", Kind::Protobuf(self.tagged(fields)?)),
                Form::Sequence | Form::Members => group("", self.list(fields)?),
            };
            self.open.pop();
            return self.shown(t, field);
        }
        let words =
            self.encoding.types.iter().map(|(word, _)| *word).chain(self.text.structs.iter().map(|(n, ..)| n.as_str()));
        let hint = crate::nearest::hint(crate::nearest::nearest(kind, words));
        t.fail(format!("no type {kind:?} in the encoding {}{hint}", self.encoding.name))
    }
}

/// Checks that there is a field of that name before `t`.
pub fn earlier(t: &FieldText, name: &str, all: &[FieldText]) -> Compiled<()> {
    let mut before = all.iter().take_while(|other| !std::ptr::eq(*other, t)).map(|other| other.name.as_str());
    if before.clone().any(|other| other == name) {
        return Ok(());
    }
    let hint = crate::nearest::hint(crate::nearest::nearest(name, &mut before));
    t.fail(format!("no field {name:?} is before it{hint}"))
}

/// Returns the number before an array or text. Its name, by which it can be shown and given, is one that no other field
/// of the group has.
fn named_prefix(prefix: &'static Field, name: &str, all: &[FieldText]) -> &'static Field {
    let mut own = format!("{name}_length");
    while all.iter().any(|t| t.name == own) {
        own.push('_');
    }
    let mut copy = copy(prefix, name, all);
    copy.set_name(leak(&own));
    Box::leak(Box::new(copy))
}

/// Copies a template's field. The length before it gets a name of its own.
fn copy(field: &'static Field, name: &str, all: &[FieldText]) -> Field {
    let mut copy = field.clone();
    if let Kind::Text { len: Len::Prefix(prefix), charset } = field.kind {
        copy.kind = Kind::Text { len: Len::Prefix(named_prefix(prefix, name, all)), charset };
    }
    copy
}
