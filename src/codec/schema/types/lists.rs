//! Lists: `T[5]`, `T[FIELD]`, `T[u16]`, `T[*]`.

use super::super::compile::{Compiled, Compiler, counted, lasting, packed, region};
use super::super::known::{Found, used};
use super::super::parse::condition::Expr;
use super::super::text::FieldText;
use super::contents::content;
use super::{MOST, prefix};
use crate::codec::digits;
use crate::codec::kinds::{Address, Extent, Settles};
use crate::codec::layout::{Charset, Count, Field, Kind, Len, array, flag, of, uint};
use crate::codec::names::everywhere;
use crate::codec::schema::Form;
use crate::codec::schema::named::leak;
use crate::nearest::{hint, nearest};
use crate::plural::Plural;

impl<'a> Compiler<'a> {
    /// The character that ends a list's bytes, if it has one.
    pub(super) fn list_ends(&self, t: &FieldText, kind: &str) -> Compiled<Option<u8>> {
        let (Some(until), true) = (&t.until, kind.ends_with(']')) else { return Ok(None) };
        let fail = |why: &str| t.fail(format!("until: {why}"));
        let content = ["bytes[", "payload[", "text["].iter().any(|of| kind.starts_with(of));
        match until[..] {
            _ if content || !kind.ends_with("[*]") => fail("is for text, bytes and lists T[*]"),
            [_] if t.until_number => Ok(None),
            _ if t.or_end => fail("or_end is for text, bytes, and lists up to a number (until = 0xff)"),
            [end] => Ok(Some(end)),
            _ => fail("a list has one end character; with several, encode could not know which to write"),
        }
    }

    /// Compiles `T[5]`, `T[FIELD]`, `T[u16]`, `T[*]`.
    pub(super) fn repeated(&mut self, t: &'a FieldText, kind: &'a str, all: &'a [FieldText]) -> Compiled<Field> {
        let Some(open) = kind.rfind('[') else { return t.fail(format!("no type {kind:?}: [ is missing")) };
        if kind.matches('[').count() > 16 {
            return t.fail("lists in lists, more than 16 deep");
        }
        let (Some(element), Some(times)) = (kind.get(..open), kind.get(open + 1..kind.len() - 1)) else {
            return t.fail(format!("no type {kind:?}"));
        };
        let (element, times) = (element.trim(), times.trim());
        let form = self.form();
        if form == Form::Tagged && (!times.is_empty() || element.ends_with(']')) {
            return t.fail(format!("lists are written {element}[] here: how many there are is on the wire"));
        }
        let count = if let ("", Some(prefix)) = (times, self.encoding.and_then(|encoding| encoding.length)) {
            Count::Prefix(counted(prefix, t, all))
        } else if times.is_empty() && form != Form::Sequence {
            Count::Rest
        } else if let ("", Some(_)) = (times, self.encoding) {
            let ways = format!("write {element}[5], {element}[FIELD] or {element}[*]");
            return t.fail(format!("arrays have no count of their own here: {ways}"));
        } else if times.is_empty() {
            return t.fail(format!(
                "the number of elements is missing: expected {element}[5], {element}[FIELD], {element}[u16] or \
                 {element}[*]; lengths = \"u16\" gives {element}[] a count, for the file"
            ));
        } else if times == "*" {
            match t.until.as_deref() {
                Some([mark]) if t.until_number && t.kind.trim() == kind && t.or_end => {
                    let mut end = uint("", 8).doc("what ends the list, where nothing follows it");
                    end.set_name(leak(&format!("{}_end", t.name)));
                    end.default = Some((*mark).into());
                    Count::UntilOrEnd(lasting(end))
                }
                Some([mark]) if t.until_number && t.kind.trim() == kind => Count::Until(*mark),
                _ => Count::Rest,
            }
        } else if t.kind.trim() == kind && (t.plus != 0 || !t.cases.is_empty()) {
            let number = self.extended(t, times, t.plus, &t.cases, t.most)?;
            Count::Prefix(prefix(number, t, "count", all)?)
        } else if let Some(n) = digits::unsigned::<u32>(times) {
            if n > 1 << 24 {
                return t.fail(format!("{}: more than 2^24", Plural(n, "element")));
            }
            Count::Const(n)
        } else if let Some(number) = self.word_type(times, t.line)? {
            if matches!(number.kind, Kind::Float { .. } | Kind::Bool { .. }) {
                return t.fail(format!("{times} is not a whole number"));
            }
            let what = if ["bytes", "payload", "text"].contains(&element) { "length" } else { "count" };
            Count::Prefix(prefix(number, t, what, all)?)
        } else {
            match self.find(times) {
                Some(Found::Field(place)) if self.known[place].scale.is_some() => {
                    let is_content = ["bytes", "payload", "text"].contains(&element);
                    let element = if is_content { element.to_owned() } else { format!("{element}[*]") };
                    let instead = format!("write type = {element:?}, size = {times:?}");
                    return t.fail(format!("{times} has a scale, which only a size takes: {instead}"));
                }
                Some(Found::Field(place)) if self.known[place].number => {
                    self.uses(times, used::LENGTH);
                    self.settles(times, Settles::Length);
                    Count::Field(self.name(times))
                }
                Some(Found::Other(_)) => Count::Field(self.name(times)),
                Some(_) => return t.fail(format!("{times} is not a number")),
                None => {
                    let fields = self.known.iter().map(|known| known.name.as_str());
                    let near = hint(nearest(times, fields));
                    return t.fail(format!("no earlier field is called {times:?}{near}"));
                }
            }
        };
        let byte = self.encoding.is_some_and(|encoding| encoding.byte == element);
        if byte && (t.scale.is_some() || t.names.is_some() || t.flags.is_some()) {
            return t.fail("scale, enum and flags are for whole numbers, not for bytes");
        }
        if let Some(mut field) = self.encoding.and_then(|encoding| encoding.array?(element, count)) {
            self.know(t, &t.name, false, Vec::new(), false);
            field.set_name(leak(&t.name));
            return Ok(field);
        }
        let own = form == Form::Sequence && ["bytes", "payload", "text"].contains(&element);
        if own && self.encoded(element).is_none() || byte {
            let letters = if element == "text" { Some(self.letters(t)?) } else { None };
            self.know(t, &t.name, false, Vec::new(), t.hidden);
            let len = match count {
                Count::Const(n) => Len::Const(n),
                Count::Prefix(prefix) => Len::Prefix(prefix),
                Count::Field(name) => Len::Field(name),
                _ => Len::Rest,
            };
            let wide = matches!(letters, Some(Charset::Utf16(_)));
            if !wide && t.compressed.is_none() && t.xor.is_none() {
                // Padding bits of the last byte are not part of it.
                let field = content(letters, len);
                return Ok(if byte { field.padded() } else { field });
            }
            let mut field = content(letters, Len::Rest);
            field.set_name(leak(&t.name));
            let extent = match len {
                Len::Const(n) => Extent::Const(n),
                Len::Prefix(prefix) => Extent::Prefix(prefix),
                Len::Field(name) => Extent::Field(name),
                _ => return Ok(field),
            };
            return match self.packing(t)? {
                // The length is that of the packed bytes, so they are wrapped here.
                Some(packing) => {
                    let inner = packed(field, packing, MOST as usize, None, &t.name);
                    Ok(region(inner, extent, &t.name))
                }
                None => Ok(region(field, extent, &t.name)),
            };
        }
        if element == "message" {
            return t.fail("a list of messages is a list of a struct that holds one");
        }
        self.listed += 1;
        let mark = (self.known.len(), self.all.len());
        let of = if element.ends_with(']') { self.repeated(t, element, all) } else { self.element(t, element, all) };
        // A mistake inside may have left it at 0.
        self.listed = self.listed.saturating_sub(1);
        let mut of = of?;
        self.repeats(t, element, &of)?;
        if let Kind::Struct(fields) = of.kind {
            of.kind = Kind::Struct(self.ended(fields, mark.0));
        }
        let count = match &t.repeats {
            Some(text) if t.kind.trim() == kind => self.repeating(t, text, count, &mut of, (element, mark.0))?,
            _ => count,
        };
        self.known.truncate(mark.0);
        self.know(t, &t.name, false, Vec::new(), false);
        if !matches!(count, Count::While(_)) {
            of.set_name(leak(element.split(['[', '(']).next().unwrap_or(element)));
        }
        let carries = of.flags & flag::CARRIES;
        if carries != 0 {
            of.flags |= flag::ELEMENT;
        }
        if matches!(count, Count::Rest | Count::Until(_) | Count::UntilOrEnd(_)) && of.kind.bits() == Some(0) {
            return t.fail(format!("{element} takes no bytes, so their number is unknown"));
        }
        let of = lasting(of);
        let mut field = array(leak(&t.name), count, of);
        field.flags |= carries;
        if let Count::Until(_) | Count::UntilOrEnd(_) = count {
            field.flags |= flag::ENDED;
        }
        if let (Some([end]), true) = (t.until.as_deref(), t.kind.trim() == kind) {
            self.suits_end(t, element, of, *end)?;
        }
        if t.checked {
            if !matches!(count, Count::Prefix(_)) {
                return t.fail("checked is for lists with a count before them");
            }
            field.flags |= flag::CHECKED;
        }
        Ok(field)
    }

    /// Refuses an end of a list that its elements cannot have: a character among their bytes, or a number in place of the
    /// next element.
    fn suits_end(&self, t: &FieldText, element: &str, of: &'static Field, end: u8) -> Compiled<()> {
        let ends = |field: &Field| match &field.kind {
            Kind::Text { len: Len::Until(own), .. } | Kind::Bytes { len: Len::Until(own) } => *own == end,
            Kind::Text { len: Len::Through(own), .. } | Kind::Bytes { len: Len::Through(own) } => {
                own.any.contains(&end)
            }
            Kind::Array { count: Count::Until(own), .. } => *own == end,
            Kind::Numeral(numeral) => matches!(numeral.len, Len::Until(own) if own == end),
            _ => false,
        };
        let goes_on = |field: &Field| match &field.kind {
            Kind::Text { len: Len::Through(own), .. } | Kind::Bytes { len: Len::Through(own) } => own.or_end,
            _ => false,
        };
        // Numbers of several bytes, and content whose length is elsewhere, have any bytes.
        let any = |field: &Field| match &field.kind {
            Kind::Text { len, .. } | Kind::Bytes { len } => !matches!(len, Len::Until(_) | Len::Through(_) | Len::Rest),
            Kind::VarInt { .. } | Kind::Float { .. } | Kind::Address(_) | Kind::Checksum(_) | Kind::Extended(_) => true,
            kind => kind.width().is_some_and(|(bits, _)| bits > 8),
        };
        let (mut own, mut open, mut binary) = (None, None, None);
        everywhere(std::slice::from_ref(of), &mut |field| {
            own = own.or(ends(field).then_some(field.name));
            open = open.or(goes_on(field).then_some(field.name));
            binary = binary.or(any(field).then_some(field.name));
        });
        let character = format!("until = {:?}", char::from(end).to_string());
        match (t.until_number, own, binary, open) {
            (false, Some(name), ..) => t.fail(format!(
                "until: {name} ends with this character, too, so the list would end in it: until = {end} ends the list \
                 in place of the next element"
            )),
            (false, _, Some(name), _) => t.fail(format!(
                "until: {name} may have this character among its bytes: until = {end} ends the list in place of the next \
                 {element}"
            )),
            (true, .., Some(name)) if !t.or_end => t.fail(format!(
                "until: {end} ends the list in place of the next {element}, but {name} goes on to the end (or_end): \
                 {character} ends both"
            )),
            _ => Ok(()),
        }
    }

    /// A list that continues while a condition holds for its newest element, which is called `element`.
    fn repeating(
        &mut self,
        t: &FieldText,
        text: &str,
        count: Count,
        of: &mut Field,
        (element, known): (&str, usize),
    ) -> Compiled<Count> {
        if !matches!(count, Count::Rest) || !t.kind.trim().ends_with("[*]") || t.until.is_some() {
            return t.fail("while is for lists T[*] without another end");
        }
        if let Kind::Struct(_) = of.kind {
            self.close(known, element);
        }
        // A number is referred to by the name of the list.
        let element = if let Kind::Struct(_) = of.kind { element } else { t.name.as_str() };
        of.flags |= flag::REFERENCED;
        of.set_name(leak(element));
        let own = |name: &str| name == element || name.split('.').next() == Some(element);
        let expr = Expr::parse(text).map_err(|why| (t.line, format!("{}: while: {why}", t.name)))?;
        let mut asks = text.contains("left ");
        expr.terms(&mut |_, name| asks |= own(name));
        if !asks {
            let why = format!("{}: while: the condition does not use {element} or a field of it", t.name);
            return Err((t.line, why));
        }
        let when = self.compiled(&expr, t.line, &format!("{}: while", t.name))?.when;
        Ok(Count::While(lasting(when)))
    }

    /// Compiles one element of a list.
    fn element(&mut self, t: &'a FieldText, element: &'a str, all: &[FieldText]) -> Compiled<Field> {
        if let Some(number) = self.number_type(t, element)? {
            let mut number = number;
            number.default = None;
            return Ok(number);
        }
        if let Some(field) = self.encoded(element) {
            if t.scale.is_some() || t.names.is_some() || t.flags.is_some() {
                return t.fail(format!("scale, enum and flags are for whole numbers, not for {element}"));
            }
            return Ok(self.copied(field, t, all));
        }
        match element {
            _ if self.form() != Form::Sequence => {}
            "string8" | "string16" | "string32" | "cstring" => {
                let letters = Some(self.letters(t)?);
                let len = match element {
                    "cstring" => Len::Until(0),
                    word => {
                        let bits = match word {
                            "string8" => "u8",
                            "string16" => "u16",
                            _ => "u32",
                        };
                        let Some(number) = self.word_type(bits, t.line)? else { return t.fail("no length") };
                        Len::Prefix(lasting(number))
                    }
                };
                if let Some(Charset::Utf16(_)) = letters {
                    return t.fail("a list of text in UTF-16 is a list of a struct that holds it");
                }
                return Ok(content(letters, len));
            }
            _ => {
                if let Some(address) = Address::named(element) {
                    return Ok(of("", Kind::Address(address)));
                }
            }
        }
        if let Some(kind) = self.structure(element, t)? {
            let carries = kind.fields().iter().fold(0, |flags, field| flags | field.flags) & flag::CARRIES;
            let mut group = of(leak(element), kind);
            group.flags |= carries;
            if carries != 0 {
                group.flags |= flag::KEEP_EMPTY;
            }
            return Ok(group);
        }
        self.no_type(t, element)
    }
}
