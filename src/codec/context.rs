//! The inputs of a walk that are not in the table: values of earlier fields, and of earlier
//! messages.

use super::layout::{Field, Order};

/// The values of this message's earlier fields that later ones refer to.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    entries: Vec<Entry>,
}

/// One value of a [`Scope`], and its position, so that a writer can fill it in later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub field: &'static Field,
    pub value: u64,
    pub bit: u32,
    pub given: bool,
    /// Some list or text already has its length from this field.
    pub counted: bool,
}

impl Scope {
    /// The value of the nearest earlier field with that name.
    #[inline]
    pub fn get(&self, name: &str) -> Option<u64> {
        self.entries.iter().rev().find(|e| e.field.name == name).map(|e| e.value)
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }

    pub(super) fn push(&mut self, field: &'static Field, value: u64, bit: u32, given: bool) {
        self.entries.push(Entry { field, value, bit, given, counted: false });
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.entries.truncate(len);
    }

    pub(super) fn entry(&mut self, name: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().rev().find(|e| e.field.name == name)
    }
}

/// What earlier messages established for a [`super::layout::Kind::Derived`] field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recalled {
    /// This value.
    Value(u64),
    /// Not known: what follows cannot be read, but the bytes are not at fault.
    Unknown,
    /// The message contradicts what is known: a fault, with this reason.
    Fault(&'static str),
}

/// The conversation's state, as far as layouts need it. Sessions and encoders implement it.
pub trait Context {
    /// The byte order of fields in [`Order::Conversation`].
    fn order(&self) -> Order {
        Order::Little
    }

    /// The value of a setting that conditions refer to; see [`super::layout::When::Setting`].
    fn setting(&self, _name: &str) -> u64 {
        0
    }

    /// The value of a derived field.
    fn recall(&mut self, _field: &'static Field, _scope: &Scope) -> Recalled {
        Recalled::Unknown
    }

    /// The fields after `value` of a switch whose unlisted values are
    /// [`super::layout::Other::Ask`], or the fields of a payload, from the user's schema.
    fn layout(&mut self, _field: &'static Field, _value: Option<u64>, _scope: &Scope) -> Option<&'static [Field]> {
        None
    }
}

/// A context that knows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoContext;

impl Context for NoContext {}
