//! Conditions of fields, and the values they depend on.

use super::{Name, Text};

/// The condition for a field's presence. When encoding, a conditional field is present if it is given.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// Always.
    Always,
    /// An earlier field has this bit set; encoding a field sets the bit.
    Bit(Name, u8),
    /// An earlier field does not have this bit set.
    Clear(Name, u8),
    /// An earlier field has this value.
    Eq(Name, u64),
    /// An earlier text is this one.
    Is(Name, Text),
    /// An earlier field has one of these values.
    In(Name, &'static [u64]),
    /// At least this many bits are left.
    Left(u32),
    /// One of these conditions holds.
    Any(&'static [When]),
    /// All of these conditions hold.
    All(&'static [When]),
    /// This condition does not hold.
    Not(&'static When),
    /// An earlier field, or a value of the conversation, is below this number.
    Below(Name, i64),
    /// An earlier field, or a value of the conversation, has one of the bits of this mask.
    Mask(Name, u64),
    /// An earlier field, or a value of the conversation, is not zero.
    Set(Name),
    /// A setting of the conversation has this value, see [`setting`](crate::codec::Context::setting).
    Setting(&'static str, u64),
}

/// The source of the values that conditions depend on.
pub(crate) trait Look {
    /// Returns the value of an earlier field, or of the conversation.
    fn value(&mut self, name: &Name) -> Option<u64>;
    /// Whether this many bits are left; `None` if that is not known.
    fn left(&mut self, bits: u32) -> Option<bool>;
    /// Returns the value of a setting.
    fn setting(&mut self, name: &str) -> u64;
}

impl When {
    /// Whether it holds; `None` if that depends on the bytes that are left.
    pub(crate) fn holds(&self, look: &mut impl Look) -> Option<bool> {
        Some(match self {
            When::Always => true,
            When::Left(bits) => return look.left(*bits),
            When::Setting(name, value) => look.setting(name) == *value,
            When::Not(when) => !when.holds(look)?,
            When::Any(any) => return first(any, look, true),
            When::All(all) => return first(all, look, false),
            When::Bit(name, bit) => look.value(name).is_some_and(|v| v >> bit & 1 == 1),
            When::Clear(name, bit) => look.value(name).is_some_and(|v| v >> bit & 1 == 0),
            When::Eq(name, value) => look.value(name) == Some(*value),
            When::Is(name, text) => look.value(name) == Some(text.id),
            When::In(name, values) => look.value(name).is_some_and(|v| values.contains(&v)),
            When::Below(name, than) => (look.value(name).unwrap_or(0) as i64) < *than,
            When::Mask(name, mask) => look.value(name).is_some_and(|v| v & mask != 0),
            When::Set(name) => look.value(name).is_some_and(|v| v != 0),
        })
    }

    /// Returns the names that it refers to.
    pub(crate) fn names(&self) -> Vec<Name> {
        match self {
            When::Always | When::Left(_) | When::Setting(..) => Vec::new(),
            When::Not(when) => when.names(),
            When::Any(all) | When::All(all) => all.iter().flat_map(When::names).collect(),
            When::Bit(name, _) | When::Clear(name, _) | When::Eq(name, _) => vec![*name],
            When::Is(name, _) | When::In(name, _) => vec![*name],
            When::Below(name, _) | When::Mask(name, _) | When::Set(name) => vec![*name],
        }
    }
}

/// Returns `sought` if one of several conditions has that value, else the opposite; `None` if that is not known.
fn first(several: &[When], look: &mut impl Look, sought: bool) -> Option<bool> {
    let mut known = true;
    for when in several {
        match when.holds(look) {
            Some(holds) if holds == sought => return Some(sought),
            Some(_) => {}
            None => known = false,
        }
    }
    known.then_some(!sought)
}
