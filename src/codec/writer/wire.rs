//! Implements [`Wire`](crate::codec::walk::Wire) for the writer: the walk over the tables, field by field.

use super::put::raw_form;
use super::{Cursor, WriteStop, Writer};
use crate::codec::context::Recalled;
use crate::codec::kinds::{LEVELS, Ring};
use crate::codec::layout::{Count, Field, Kind, Len, Name, Order, flag};
use crate::codec::walk::{self, Wire};
use crate::codec::{Reader, Tree, bits};
use crate::plural::Plural;
use serde_json::Value as Json;

/// Reads the number in a count's bits, in any encoding.
fn counted(prefix: &'static Field, bytes: &[u8]) -> Option<u64> {
    if let Kind::VarInt { sign, .. } = prefix.kind {
        let groups = bytes.iter().zip((0..64).step_by(7));
        return Some(sign.read(groups.fold(0, |n, (group, shift)| n | (*group as u64 & 0x7f) << shift)) as u64);
    }
    let mut tree = Tree::default();
    Reader::new(bytes, &mut tree).read(std::slice::from_ref(prefix));
    tree.nodes().first()?.number()
}

/// An open list.
pub struct List {
    /// Whether a broken message ends with this list.
    ends: bool,
    count: &'static Count,
    length: usize,
    /// The position where the newest element begins.
    at: usize,
}

impl List {
    /// Whether it has no elements.
    pub(in crate::codec) fn is_empty(&self) -> bool {
        self.length == 0
    }
}

impl Wire for Writer<'_> {
    type Stop = WriteStop;
    type Group = usize;
    type List = List;

    fn present(&mut self, field: &'static Field) -> Result<bool, WriteStop> {
        let holds = self.holds(&field.when);
        if let Kind::Switch { .. } = field.kind {
            return Ok(holds.unwrap_or(true));
        }
        if field.is_inline() {
            let gives = self.gives(field);
            if !gives || holds == Some(true) {
                return Ok(holds == Some(true));
            }
            self.make_true(&field.when);
            return Ok(self.holds(&field.when).unwrap_or(true));
        }
        let given = self.has(field) || matches!(field.kind, Kind::Tag { .. } | Kind::Derived) && holds == Some(true);
        if given && holds != Some(true) {
            self.make_true(&field.when);
            // The given value belongs to another of several fields with this name.
            if holds == Some(false) && self.holds(&field.when) == Some(false) && self.has_twin(field) {
                return Ok(false);
            }
        }
        match (given, holds) {
            (false, Some(true)) if field.default.is_some() => Ok(true),
            (false, Some(true)) if field.is(flag::CARRIES) => Ok(true),
            // Known by itself, or by the fields that are there with it.
            (false, Some(true)) if matches!(field.kind, Kind::Constant(_)) => Ok(true),
            (false, Some(true)) if field.is(flag::OMIT_EMPTY) => Ok(false),
            (false, Some(true)) if self.given_instead(&field.when) => Ok(false),
            (false, Some(true)) => Err(self.missing(field)),
            _ => Ok(given),
        }
    }

    fn leaf(&mut self, field: &'static Field) -> Result<(), WriteStop> {
        let at = self.out.len();
        if let Kind::Tag { bits, order, value } = field.kind {
            // Always the table's value.
            self.put(value, bits as u32, order);
            return Ok(());
        }
        match field.kind {
            Kind::Parts(parts) => return parts.write(self),
            Kind::Constant(constant) => return constant.write(field, self),
            Kind::Region(region) => return region.write(self),
            Kind::Packed(packed) => return packed.write(self),
            Kind::Checksum(checksum) => return checksum.write(field, self),
            Kind::Chosen(chosen) => return chosen.write(field, self),
            Kind::Protobuf(message) => return message.write(field, self),
            Kind::Custom(codec) => return codec.write(field, self),
            Kind::Settled(_) => return Ok(()),
            _ => {}
        }
        let bare = matches!(self.cursors.last(), Some(Cursor::List { .. }));
        self.names.push(if bare { "" } else { field.name });
        let given = self.input(field);
        let value = match (given, field.kind.width(), field.default) {
            (Some(value), ..) => self.leaf_value(field, value)?,
            (None, Some((bits, order)), _) if field.is(flag::MEASURES_REST) => {
                self.measures.push((at, bits, order));
                self.put(0, bits, order);
                0
            }
            // In a broken message, a shown field that is not given was never read.
            (None, Some((bits, order)), Some(default)) if !self.broken || field.is(flag::HIDDEN) && !self.explicit => {
                self.put(default as u64, bits, order);
                default as u64
            }
            (None, None, Some(default))
                if matches!(field.kind, Kind::VarInt { .. } | Kind::Extended(_) | Kind::Numeral(_))
                    && (!self.broken || field.is(flag::HIDDEN) && !self.explicit) =>
            {
                self.put_number(field, default as i128)?;
                default as u64
            }
            (None, ..) if matches!(field.kind, Kind::Text { len: Len::Until(_), .. }) && self.may_be_empty(field) => {
                let Kind::Text { len, .. } = field.kind else { return Ok(()) };
                self.put_extent(len, Default::default(), false)?;
                field.text_id("".chars())
            }
            (None, ..) if field.is(flag::OMIT_EMPTY) => 0,
            (None, ..) => {
                self.names.pop();
                return Err(self.missing(field));
            }
        };
        self.names.pop();
        if field.is(flag::REFERENCED) {
            self.scope.push(field, value, at as u32, given.is_some());
        }
        Ok(())
    }

    fn derived(&mut self, field: &'static Field) -> Result<(), WriteStop> {
        let given = match self.derived_input(field) {
            Some(value) => Some(self.number(field, value)? as u64),
            None => None,
        };
        let known = match (given, &mut self.context) {
            (Some(v), _) => Recalled::Value(v),
            (None, Some(context)) => context.recall(field, &self.scope),
            (None, None) => Recalled::Unknown,
        };
        match known {
            Recalled::Value(v) => {
                self.scope.push(field, v, self.out.len() as u32, true);
                Ok(())
            }
            _ => Err(self.missing(field)),
        }
    }

    fn enter(&mut self, field: &'static Field) -> Result<usize, WriteStop> {
        let bare = matches!(self.cursors.last(), Some(Cursor::List { .. }));
        let Some(value) = self.input(field) else { return Err(self.missing(field)) };
        self.names.push(if bare { "" } else { field.name });
        let Some(fields) = value.as_object() else {
            let error = self.wrong("an object", value);
            return Err(WriteStop::Error(error));
        };
        let derived = self.derived_input(field);
        let table = match field.kind {
            Kind::Struct(table) => table,
            Kind::Ring { ring, .. } => ring.fields(),
            _ => &[],
        };
        self.cursors.push(Cursor::Object { fields, derived, used: Vec::new(), table });
        Ok(self.scope.len())
    }

    fn leave(&mut self, field: &'static Field, scope: usize, whole: bool) {
        if whole && self.surplus.is_none() {
            self.surplus = self.check_used().err();
        }
        if whole || self.broken {
            self.cursors.pop();
            self.names.pop();
        }
        self.scope.leave(field, scope);
    }

    fn nest(&mut self, field: &'static Field, ring: &'static Ring) -> Result<(), WriteStop> {
        match self.scope.nest(ring) {
            true => Ok(()),
            false => Err(self.fail(format!("{}: nested too deeply: at most {LEVELS} levels", field.name))),
        }
    }

    fn unnest(&mut self) {
        self.scope.unnest();
    }

    fn begin(&mut self, field: &'static Field, count: &'static Count, _of: &'static Field) -> Result<List, WriteStop> {
        let derived = self.derived_input(field);
        let given = if let Count::Prefix(prefix) = count { self.given_prefix(prefix) } else { None };
        let bare = matches!(self.cursors.last(), Some(Cursor::List { .. }));
        static NOTHING: Json = Json::Array(Vec::new());
        let value = match self.input(field) {
            Some(value) => value,
            // A packet without messages.
            None if field.is(flag::CARRIES) && !self.broken => &NOTHING,
            None => return Err(self.missing(field)),
        };
        self.names.push(if bare { "" } else { field.name });
        if raw_form(value).is_some() {
            // The bits of the whole list, including its count.
            self.put_raw_form(value)?;
            self.cursors.push(Cursor::List { items: &[], derived, next: 0 });
            return Ok(List { ends: false, count: &Count::Rest, length: 0, at: 0 });
        }
        let Some(items) = value.as_array() else { return Err(WriteStop::Error(self.wrong("a list", value))) };
        // A count is given if the list was not read to its end, or if the count has an unusual encoding.
        let mut ends = given.is_some();
        match count {
            Count::Prefix(prefix) => match given {
                Some(value) if raw_form(value).is_some() => {
                    let raw = self.hex_or_raw(value)?;
                    ends = counted(prefix, &raw.bytes) != Some(items.len() as u64);
                    self.leaf_value(prefix, value)?;
                }
                Some(value) => {
                    let n = self.number(prefix, value)?;
                    match prefix.kind {
                        Kind::Custom(_) => self.put_prefix(prefix, n.max(0) as u64)?,
                        _ => self.put_number(prefix, n)?,
                    }
                }
                None => self.put_prefix(prefix, items.len() as u64)?,
            },
            Count::Const(n) if items.len() != *n as usize && !self.broken => {
                return Err(self.fail(format!("expected {}, got {}", Plural(*n, "element"), items.len())));
            }
            Count::While(_) if items.is_empty() && !self.broken => {
                return Err(self.fail("expected at least one element, which says whether others follow".into()));
            }
            Count::Field(name) => self.counted(name, items.len() as u64)?,
            _ => {}
        }
        self.cursors.push(Cursor::List { items, derived, next: 0 });
        Ok(List { ends, count, length: items.len(), at: self.out.len() })
    }

    fn more(&mut self, field: &'static Field, list: &mut List) -> Result<bool, WriteStop> {
        let stop = match list.count {
            Count::Until(stop) => Some(*stop as u64),
            Count::UntilOrEnd(mark) => mark.default.map(|mark| mark as u64),
            _ => None,
        };
        if let Some(stop) = stop {
            let begins = self.out.len() >= list.at + 8 && bits::get(self.out.bytes(), list.at, 8) == stop;
            if begins && !self.broken {
                return Err(
                    self.fail(format!("{}: an element begins with {stop:#04x}, which ends the list", field.name))
                );
            }
            list.at = self.out.len();
        }
        let Some(Cursor::List { next, .. }) = self.cursors.last_mut() else { return Ok(false) };
        *next += 1;
        Ok(*next <= list.length)
    }

    fn finish(&mut self, field: &'static Field, list: List, whole: bool) -> Result<(), WriteStop> {
        if whole || self.broken {
            self.cursors.pop();
            self.names.pop();
        }
        match list.count {
            _ if !whole => Ok(()),
            // In a broken message, a list lacks its end mark on the wire, or has fewer elements than its count.
            Count::Until(_) if self.broken && !field.is(flag::ENDED) || self.broke_off(field.name) => {
                Err(WriteStop::Broken)
            }
            Count::Until(stop) => {
                self.out.put_bytes(&[*stop]);
                Ok(())
            }
            Count::UntilOrEnd(_) if self.broken && self.broke_off(field.name) => Err(WriteStop::Broken),
            Count::UntilOrEnd(mark) => {
                let given = self.input(mark).is_some();
                self.put(mark.default.unwrap_or(0) as u64, 8, Order::Little);
                if !given {
                    self.open_end();
                }
                Ok(())
            }
            Count::Const(n) if self.broken && list.length < *n as usize => Err(WriteStop::Broken),
            _ if self.broken && list.ends => Err(WriteStop::Broken),
            _ => Ok(()),
        }
    }

    fn referenced(&self, name: &Name) -> Option<u64> {
        self.scope.get(name)
    }

    fn ask(&mut self, field: &'static Field, value: Option<u64>) -> Option<&'static [Field]> {
        self.context.as_mut().and_then(|context| context.layout(field, value, &self.scope))
    }

    fn payload(&mut self, field: &'static Field, fields: &'static [Field]) -> Result<(), WriteStop> {
        // Hex is written as it is, even if a schema has the fields.
        if let Some(Cursor::Object { fields: given, .. }) = self.cursors.last()
            && given.get(field.name).is_some_and(|v| v.is_string() || raw_form(v).is_some())
        {
            return self.leaf(field);
        }
        let group = self.enter(field)?;
        self.describe_group(fields);
        if let Some(Cursor::Object { fields, .. }) = self.cursors.last()
            && let Some(rest) = fields.get("unparsed")
        {
            (self.broken, self.explicit, self.unparsed) = (true, true, Some(rest));
        } else if self.broken && self.unparsed.is_none() {
            // It broke off at its end, unless it is before the last one of a list.
            let last = |cursor: &Cursor<'_>| !matches!(cursor, Cursor::List { items, next, .. } if *next < items.len());
            self.explicit |= self.cursors.iter().all(last);
        }
        let done = walk::walk(fields, self).and_then(|()| walk::field(&crate::codec::reader::TRAILING, self));
        self.leave(field, group, done.is_ok());
        done
    }

    fn undefined(&mut self, field: &'static Field, what: &'static str) -> WriteStop {
        if self.broken {
            return WriteStop::Broken;
        }
        self.names.push(field.name);
        let error = self.fail(format!("{what}: its layout cannot be known"));
        self.names.pop();
        error
    }

    fn unknown(&mut self) -> WriteStop {
        // Decoding stopped here, too. The rest is the line's `unparsed`.
        WriteStop::Broken
    }
}
