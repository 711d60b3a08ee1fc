//! Constants and checksums, by which a protocol is recognised.

use super::super::compile::{Compiled, Compiler, lasting, statics};
use super::super::parse::condition::Expr;
use super::super::text::{FieldText, ValueText};
use crate::codec::kinds::{Checksum, Constant, Over, catalogue};
use crate::codec::layout::{Field, Kind, Order, When, flag, of};
use crate::codec::schema::named::leak;
use crate::codec::{Writer, bits};
use crate::nearest::{hint, nearest};

impl Compiler<'_> {
    pub(super) fn checksum(&mut self, t: &FieldText, sum: catalogue::Sum) -> Compiled<Field> {
        let known = ["packet", "before", "after"];
        let over = match t.over.as_deref() {
            Some("packet") => Over::Packet,
            Some("before") => Over::Before,
            Some("after") => Over::After,
            other => {
                let got = other.map_or(String::new(), |other| format!(", got {other:?}"));
                return t.fail(format!(
                    "over: expected {}{got}{}",
                    known.join(", "),
                    hint(nearest(other.unwrap_or(""), known))
                ));
            }
        };
        let big = t.big.or(self.text.big);
        if big.is_none() && sum.bits() > 8 {
            return t.fail("order is missing: the byte order of the sum: \"be\" or \"le\"");
        }
        let order = |big: Option<bool>| if big == Some(true) { Order::Big } else { Order::Little };
        let holds = match &t.holds {
            Some(name) => {
                if self.find(name).is_none() {
                    return Err(self.nothing(t.line, &format!("{}: holds", t.name), name));
                }
                let when = match &t.holds_if {
                    Some(text) => self.condition(text, t.line, &format!("{}: holds_if", t.name))?.when,
                    None => When::Always,
                };
                Some((self.name(name), order(t.holds_big.or(big)), when))
            }
            None => None,
        };
        self.know(t, &t.name, true, Vec::new(), t.hidden);
        Ok(of("", Kind::Checksum(lasting(Checksum { sum, order: order(big), over, holds }))))
    }

    /// A constant.
    pub(super) fn constant(
        &mut self,
        field: Field,
        t: &FieldText,
        value: &ValueText,
        all: &[FieldText],
    ) -> Compiled<Field> {
        let fail = |why: String| (t.line, format!("{}: value: {why}", t.name));
        let json = match value {
            ValueText::Number(n) if *n < 0 => serde_json::Value::from(*n as i64),
            ValueText::Number(n) => serde_json::Value::from(*n as u64),
            ValueText::Float(f) => serde_json::Value::from(*f),
            ValueText::Text(text) => serde_json::Value::from(text.as_str()),
        };
        let shown = lasting(Field { when: When::Always, flags: 0, hook: 0, ..field.clone() });
        let given = serde_json::json!({ t.name.clone(): json });
        let written =
            Writer::new(&given).write_bits(std::slice::from_ref(shown)).map_err(|why| fail(why.to_string()))?;
        let bits = written.len() as u32;
        if bits == 0 || bits > 1 << 15 {
            return Err(fail("expected 1 to 4096 bytes".into()));
        }
        let number = match shown.kind {
            Kind::UInt { bits, order } | Kind::Int { bits, order } => {
                let raw = written.number_at(0, bits as u32, order);
                Some(if let Kind::Int { .. } = shown.kind { bits::signed(raw, bits as u32) as u64 } else { raw })
            }
            _ => None,
        };
        // The fields that are present only with it.
        let asks = |other: &&FieldText| {
            let expr = other.condition.as_deref().and_then(|text| Expr::parse(text).ok());
            expr.is_some_and(|expr| expr.all().iter().any(|term| matches!(term, Expr::Set(name) if *name == t.name)))
        };
        let with: Vec<&'static str> = match t.optional {
            true => all.iter().filter(asks).map(|other| leak(&other.name)).collect(),
            false => Vec::new(),
        };
        // If it is hidden, a field that is always present with it shows its presence.
        let alone = |other: &&FieldText| other.condition.as_deref().is_some_and(|text| text.trim() == t.name);
        let is_known = !t.optional || all.iter().any(|other| alone(&other));
        if t.optional && t.hidden && !is_known {
            let why = "so encode could not know whether it is present";
            return t.fail(format!("hidden and optional: no field has if = {:?}, {why}", t.name));
        }
        let (optional, with) = (t.optional, statics(with));
        let kind = Kind::Constant(lasting(Constant {
            of: shown,
            wire: statics(written.into_bytes()),
            bits,
            number,
            optional,
            with,
        }));
        let Field { doc, hook, when, .. } = field;
        Ok(Field {
            doc,
            hook,
            when,
            flags: field.flags | if is_known { flag::HIDDEN } else { 0 },
            ..of(field.name, kind)
        })
    }
}
