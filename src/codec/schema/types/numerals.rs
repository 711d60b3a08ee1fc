//! Numbers in text.

use super::super::compile::{Compiled, Compiler, lasting};
use super::super::text::FieldText;
use crate::codec::describe;
use crate::codec::kinds::{Numeral, Radix, Ratio};
use crate::codec::layout::{Charset, Field, Kind, Len, Show, of};
use crate::codec::scale::Scale;

/// The longest number of a fixed size, in characters.
const LONGEST: u32 = 64;

impl Compiler<'_> {
    /// Makes a number of the newest field, a text.
    pub(super) fn numeral(&mut self, t: &FieldText, radix: Radix, text: &Field) -> Compiled<Field> {
        let Kind::Text { len, charset: Charset::Utf8 | Charset::Latin1 } = text.kind else {
            return t.fail("number is for text, not for text in UTF-16 or lists");
        };
        match len {
            Len::Through(_) => return t.fail("number: one character ends it (until), without or_end"),
            Len::Const(n) if !(1..=LONGEST).contains(&n) => {
                return t.fail(format!("number: size: expected 1 to {LONGEST} characters, got {n}"));
            }
            Len::Const(_) | Len::Until(_) => {}
            _ if t.hidden => {
                return t.fail("hidden: a number in text has a fixed size or ends with a character (until)");
            }
            _ => {}
        }
        let mut field = of(text.name, Kind::Numeral(lasting(Numeral { len, radix })));
        // The scale of a length is that of what it counts.
        let scale = t.scale.filter(|_| !t.hidden && !self.is_derived(&t.name, t.line));
        let show = self.show(scale, &t.names, &None, &field.kind);
        field.show = show.map_err(|why| (t.line, format!("{}: {why}", t.name)))?;
        if let (true, Some(Ratio { num, den })) = (t.rounded, scale) {
            field.show = Show::Scaled(Scale::Ratio { num, den });
        }
        if let Some(known) = self.known.last_mut() {
            (known.number, known.text, known.width) = (true, false, 7);
            known.names = describe::names(&field.show).unwrap_or_default();
            self.all[known.place].hidden = t.hidden;
        }
        self.derived_or_default(t, &mut field, u64::BITS)?;
        if !matches!(len, Len::Const(_) | Len::Until(_)) && t.default.is_none() {
            field.default = None;
        }
        Ok(field)
    }
}
