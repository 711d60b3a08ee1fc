//! Parts of a number, by bit numbers.

use super::super::compile::{Compiled, Compiler, lasting, statics};
use super::super::known::{Found, used};
use super::super::text::{FieldText, PartText};
use super::WORDS;
use super::numbers::{EXACT, close};
use crate::codec::kinds::{Part, Parts, Settles};
use crate::codec::layout::{Field, Flags, Kind, Show, Sign, flag, int, uint};
use crate::codec::schema::named::leak;
use crate::codec::{bits, describe};
use crate::nearest::{hint, nearest};
use crate::plural::Plural;

impl<'a> Compiler<'a> {
    /// Compiles the parts of a number.
    pub(super) fn parts(&mut self, t: &'a FieldText, kind: &str) -> Compiled<Field> {
        if t.bits.is_empty() {
            return t.fail("bits is missing: the parts of the number");
        }
        let number = match &t.of {
            None => match self.word_type(kind, t.line)? {
                Some(number) if matches!(number.kind, Kind::UInt { .. } | Kind::VarInt { sign: Sign::None, .. }) => {
                    number
                }
                Some(_) => return t.fail(format!("bits are of a u8, u16, u32, u64 or varint, not of {kind}")),
                None => {
                    let near = hint(nearest(kind, WORDS.split(' ')));
                    return t.fail(format!("no type {kind:?}{near}"));
                }
            },
            Some(of) => match self.find(of) {
                Some(Found::Field(place)) if self.known[place].number => {
                    self.uses(of, used::VIEW);
                    uint("", 64)
                }
                Some(_) => return t.fail(format!("of: {of} is not an earlier number")),
                None => return Err(self.nothing(t.line, &format!("{}: of", t.name), of)),
            },
        };
        let varies = matches!(number.kind, Kind::VarInt { .. });
        let width = if kind == "varint32" { 32 } else { number.kind.width().map_or(64, |(bits, _)| bits) };
        // The number that this is a view of, if only its views can give it back.
        let viewed = t.of.as_ref().and_then(|of| match self.find(of) {
            Some(Found::Field(place)) => Some((self.known[place].place, self.known[place].width)),
            _ => None,
        });
        // A view has the bits of the widest number of that name. 7: variable; numbers in text have none.
        let places = t.of.as_ref().map_or(Vec::new(), |of| self.places(of));
        let widths = self.known.iter().filter(|known| places.contains(&known.place)).map(|known| known.width);
        let width = widths.map(|bits| if matches!(bits, 0 | 7) { width } else { bits }).max().unwrap_or(width);
        let viewed = viewed.filter(|(place, _)| self.all.get(*place).is_some_and(|number| number.hidden));
        let mut taken = 0u64;
        let (mut fields, mut places) = (Vec::new(), Vec::new());
        for part in &t.bits {
            let count = part.high - part.low + 1;
            if part.high as u32 >= width {
                return t.fail(format!("{}: bit {} of {}", part.own.name, part.high, Plural(width, "bit")));
            }
            let except = part.except.map_or(0, |(high, low)| bits::mask((high - low + 1) as u32) << low);
            let mask = bits::mask(count as u32) << part.low & !except;
            if taken & mask != 0 {
                let bit = (taken & mask).trailing_zeros();
                return t.fail(format!("{}: bit {bit} is in two parts", part.own.name));
            }
            taken |= mask;
            let mut field = self.part(part, count)?;
            if matches!(field.show, Show::Scaled(_)) && count as u32 > EXACT {
                if t.of.is_some() || varies {
                    return t.fail(format!("{}: scale is for up to {EXACT} bits of a varint or a view", part.own.name));
                }
                field.flags |= flag::WIDE;
            }
            let early = varies
                || viewed.is_some_and(|(place, width)| width == 7 || self.all.get(place).is_some_and(|of| of.early));
            if let Some(own) = self.all.last_mut() {
                own.early = early;
            }
            places.push(Part::new(part.low, count, &field, &number, t.of.is_some() || varies));
            fields.push(field);
        }
        if let Some(of) = &t.of {
            self.settles(of, Settles::View(taken));
        }
        if let Some((place, width)) = viewed
            && let Some(number) = self.all.get_mut(place)
        {
            let unseen = number.unseen.get_or_insert(if width == 7 { u64::MAX } else { bits::mask(width) });
            *unseen &= !taken;
        }
        let mut raw = number;
        raw.set_name(leak(&t.name));
        raw.flags |= flag::HIDDEN;
        if varies && taken != bits::mask(width) {
            return t.fail(format!("bits: the parts of a {kind} are {}..0, all of them", width - 1));
        }
        if varies {
            // Its parts are a view of it.
            raw.flags |= flag::REFERENCED;
            raw.default = Some(0);
            self.know(t, &t.name, true, Vec::new(), false);
            let of = Some(self.name(&t.name));
            let parts = Parts { number: lasting(raw.clone()), places: statics(places), fields: statics(fields), of };
            let view = crate::codec::layout::of("", Kind::Parts(lasting(parts)));
            return Ok(crate::codec::layout::inline("", statics(vec![raw, view])));
        }
        if self.is_referred(&t.name) && t.of.is_none() {
            raw.flags |= flag::REFERENCED;
            self.know(t, &t.name, true, Vec::new(), false);
        }
        if t.of.is_none() {
            fields.push(raw.clone());
        }
        let of = t.of.as_deref().map(|of| self.name(of));
        let parts = Parts { number: lasting(raw), places: statics(places), fields: statics(fields), of };
        Ok(crate::codec::layout::of("", Kind::Parts(lasting(parts))))
    }

    fn part(&mut self, part: &PartText, count: u8) -> Compiled<Field> {
        let t = &part.own;
        let fail = |why: String| (t.line, format!("{}: {why}", t.name));
        crate::codec::schema::named::identifier(&t.name, &["unparsed", "unended"]).map_err(|why| (t.line, why))?;
        if t.signed && t.flags.is_some() {
            return t.fail("signed is not for flags");
        }
        let named = t.names.is_some() || t.flags.is_some() || t.scale.is_some();
        let mut field = match count {
            n if t.signed => int(leak(&t.name), n),
            1 if !named => crate::codec::layout::boolean(leak(&t.name), 1),
            n => uint(leak(&t.name), n),
        };
        field.show = self.show(t.scale, &t.names, &t.flags, &field.kind).map_err(fail)?;
        if let Some((high, low)) = part.except {
            // Bits of the number, as `at` has them.
            let own = bits::mask(count as u32) << part.low;
            let except = bits::mask((high - low + 1) as u32) << low;
            let Show::Flags(flags) = field.show else { return t.fail("except is for flags") };
            if except & own != except {
                return t.fail(format!("except: {high}..{low} is not among its bits"));
            }
            let fixed_mask = except >> part.low;
            field.show = Show::Flags(lasting(Flags { names: flags.names, shift: 0, fixed_mask, fixed: 0 }));
        }
        (field.doc, field.unit) = (leak(&t.doc), leak(&t.unit));
        close(&mut field, t)?;
        let flags = [
            (t.hidden, flag::HIDDEN),
            (t.hidden && self.selects(&t.name), flag::SELECTS),
            (self.is_referred(&t.name), flag::REFERENCED),
        ];
        field.flags = flags.iter().filter(|(set, _)| *set).fold(field.flags, |all, (_, flag)| all | flag);
        if t.hidden || self.is_derived(&t.name, t.line) {
            field.default = Some(0);
        }
        let names = describe::names(&field.show).unwrap_or_default();
        if t.hidden {
            field.hook = self.presence(&t.name, count as u32, &names);
        }
        self.know(t, &t.name, true, names, t.hidden);
        if let Some(known) = self.known.last_mut() {
            known.width = count as u32;
        }
        Ok(field)
    }
}
