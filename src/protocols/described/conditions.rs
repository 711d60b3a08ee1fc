//! Conditions on fields anywhere in a packet.

use crate::codec::describe;
use crate::codec::layout::{Field, Look, Name, When};
use crate::codec::schema::compile::{Compiled, Compiler};
use crate::codec::schema::parse::condition::Expr;
use crate::codec::schema::text::FieldText;
use crate::nearest::{hint, nearest};

/// The values for conditions outside of a walk.
struct Values<'a>(&'a dyn Fn(&Name) -> Option<u64>);

impl Look for Values<'_> {
    fn value(&mut self, name: &Name) -> Option<u64> {
        (self.0)(name)
    }

    fn left(&mut self, _bits: u32) -> Option<bool> {
        Some(false)
    }

    fn setting(&mut self, _name: &str) -> u64 {
        0
    }
}

/// Whether a condition holds for these values.
pub fn holds(when: &When, value: &dyn Fn(&Name) -> Option<u64>) -> bool {
    when.holds(&mut Values(value)) == Some(true)
}

/// Compiles a condition on fields anywhere in a packet.
pub fn condition(
    text: &str,
    line: usize,
    key: &str,
    compiler: &Compiler<'_>,
    fields: impl Iterator<Item = &'static Field>,
) -> Compiled<When> {
    let mut other = Compiler::new(compiler.text, None);
    for field in fields.filter(|field| !field.name.is_empty()) {
        let names = describe::names(&field.show).unwrap_or_default();
        let t = FieldText { line, ..FieldText::default() };
        other.know(&t, field.name, true, names, false);
    }
    // A name may have its message's name and a dot before it.
    let bare = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    let expr = Expr::parse(text).map_err(|why| (line, format!("{key}: {why}")))?;
    // The part before the dot: a message, the packet, a group, or a side.
    let file = compiler.text;
    let groups = || {
        let messages = file.messages.iter().map(|m| m.name.as_str());
        messages.chain(file.fields().map(|field| field.name.as_str())).chain(["packet", "server", "client"])
    };
    let mut unknown = None;
    expr.terms(&mut |_, name| {
        let group = name.split_once('.').map(|(group, _)| group);
        unknown = unknown.take().or(group.filter(|group| groups().all(|known| known != *group)).map(str::to_owned));
    });
    if let Some(group) = unknown {
        let near = hint(nearest(&group, groups()));
        return Err((line, format!("{key}: no message {group:?} has fields{near}")));
    }
    other.numbers_alone(&expr.renamed(&bare), line, key)
}
