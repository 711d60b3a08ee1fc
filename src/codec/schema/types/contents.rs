//! Text and bytes.

use super::super::compile::{Compiled, Compiler, lasting, statics};
use super::super::known::Known;
use super::super::text::FieldText;
use super::{Size, prefix};
use crate::codec::kinds::{Extent, Joined, Ratio, wire};
use crate::codec::layout::{Charset, Ends, Field, Kind, Len, Order, bytes, custom, flag, of};
use crate::codec::schema::named::leak;
use crate::nearest::{hint, nearest};

/// Text or bytes.
pub fn content(letters: Option<Charset>, len: Len) -> Field {
    if let Some(charset) = letters { of("", Kind::Text { len, charset }) } else { bytes("", len) }
}

impl<'a> Compiler<'a> {
    /// Texts up to an empty one, shown as one.
    fn joined(&mut self, t: &FieldText, kind: &str, between: &str) -> Compiled<Field> {
        if kind != "string8[*]" || t.until.as_deref() != Some(&[0]) || !t.until_number || t.or_end {
            return t.fail("joined is for texts up to an empty one: type = \"string8[*]\", until = 0");
        }
        let &[between] = between.as_bytes() else { return t.fail("joined: expected one character, such as \".\"") };
        let varies = |known: &Known| known.width == 7 && self.is_derived(&known.name, self.all[known.place].line);
        if t.back.is_some() && (self.moving > 0 || self.known.iter().any(varies)) {
            return t.fail(
                "back: its place in the packet is not known: a length before it has to be a field of fixed size (size = \"NAME\")",
            );
        }
        self.know(t, &t.name, false, Vec::new(), t.hidden);
        let wire = lasting(wire(leak(&format!("{}_wire", t.name))));
        Ok(custom("", lasting(Joined { between, back: t.back.unwrap_or(0), wire })))
    }

    pub(super) fn letters(&self, t: &FieldText) -> Compiled<Charset> {
        let known = ["utf-8", "ascii", "latin1", "utf-16be", "utf-16le", "utf-16"];
        Ok(match t.charset.as_deref().map(str::to_ascii_lowercase).as_deref() {
            None | Some("utf-8" | "utf8" | "ascii" | "us-ascii") => Charset::Utf8,
            Some("latin1" | "latin-1" | "iso-8859-1") => Charset::Latin1,
            Some("utf-16be" | "utf16be") => Charset::Utf16(Order::Big),
            Some("utf-16le" | "utf16le") => Charset::Utf16(Order::Little),
            Some("utf-16" | "utf16") => {
                Charset::Utf16(if self.big() == Some(true) { Order::Big } else { Order::Little })
            }
            Some(other) => {
                let near = hint(nearest(other, known));
                let why = format!("{}: charset: expected {}, got {other:?}{near}", t.name, known.join(", "));
                return Err((t.line, why));
            }
        })
    }

    /// The field of a type. A size that it has used itself is `None` afterwards.
    pub(super) fn typed(
        &mut self,
        t: &'a FieldText,
        kind: &'a str,
        all: &'a [FieldText],
        hook: u16,
        extent: Option<Size>,
    ) -> Compiled<(Field, Option<Size>)> {
        if let Some(between) = &t.joined {
            return Ok((self.joined(t, kind, between)?, extent));
        }
        if let Some(field) = self.foreign(t, kind, all)? {
            return Ok((field, extent));
        }
        if kind.ends_with(']') {
            return Ok((self.repeated(t, kind, all)?, extent));
        }
        let letters = match kind {
            "text" | "cstring" | "string8" | "string16" | "string32" => Some(self.letters(t)?),
            "bytes" | "payload" => None,
            _ => {
                if t.until.is_some() || t.charset.is_some() {
                    return t.fail(format!("until and charset are for text and bytes, not for {kind}"));
                }
                return Ok((self.other(t, kind, hook)?, extent));
            }
        };
        let wide = matches!(letters, Some(Charset::Utf16(_)));
        let ends = t.until.as_deref().or((kind == "cstring").then_some(&[0][..]));
        // A hidden text is empty, unless a message requires a value.
        let empty = match ends {
            Some([_]) if !t.or_end => letters.is_some() && t.value.is_none() && t.number.is_none(),
            Some(_) if t.hidden && t.value.is_none() => {
                return t.fail("hidden, but encode could not know which character ended it");
            }
            _ => false,
        };
        let left = t.condition.as_deref().is_some_and(|text| text.contains("left "));
        if empty && left && (t.hidden || t.optional) {
            return t.fail(
                "hidden or optional text cannot have a condition on what is left: when it is empty, encode could not \
                 know whether it is present",
            );
        }
        self.know(t, &t.name, false, Vec::new(), t.hidden && !empty);
        if let Some(known) = self.known.last_mut() {
            known.text = letters.is_some() && !wide;
        }
        let plain = t.align == 0 && t.size.as_ref().is_none_or(|size| size.plus == 0);
        let plain = plain && t.until.is_none() && t.compressed.is_none() && t.xor.is_none() && !wide;
        if wide && (t.until.is_some() || kind == "cstring") {
            return t.fail("the end of UTF-16 text cannot be recognised from its bytes: use text with size");
        }
        if let Some(ends) = &t.until {
            return Ok((
                match ends[..] {
                    [one] if !t.or_end => content(letters, Len::Until(one)),
                    _ => {
                        let ends = Ends { any: statics(ends.clone()), or_end: t.or_end };
                        content(letters, Len::Through(lasting(ends)))
                    }
                },
                extent,
            ));
        }
        let prefixed = |bits| match self.word_type(bits, t.line) {
            Ok(Some(number)) => prefix(number, t, "length", all),
            Ok(None) => Err((t.line, String::new())),
            Err(why) => Err(why),
        };
        match kind {
            "cstring" => Ok((content(letters, Len::Until(0)), extent)),
            "string8" | "string16" | "string32" => {
                let number = prefixed(match kind {
                    "string8" => "u8",
                    "string16" => "u16",
                    _ => "u32",
                })?;
                match plain {
                    true => Ok((content(letters, Len::Prefix(number)), extent)),
                    false if extent.is_some() => t.fail("size: a string has its own length"),
                    false => Ok((
                        content(letters, Len::Rest),
                        Some(Size { extent: Extent::Prefix(number), scale: Ratio::ONE }),
                    )),
                }
            }
            // The plain forms of text and bytes include their length.
            _ => Ok(match extent {
                None if kind == "payload" => {
                    let mut field = bytes("", Len::Rest);
                    field.flags |= flag::PAYLOAD;
                    (field, None)
                }
                Some(Size { extent: Extent::Prefix(number), scale: Ratio::ONE }) if plain => {
                    (content(letters, Len::Prefix(number)), None)
                }
                Some(Size { extent: Extent::Field(name), scale: Ratio::ONE }) if plain => {
                    (content(letters, Len::Field(name)), None)
                }
                Some(Size { extent: Extent::Const(n), scale: Ratio::ONE }) if plain => {
                    (content(letters, Len::Const(n)), None)
                }
                extent => (content(letters, Len::Rest), extent),
            }),
        }
    }
}
