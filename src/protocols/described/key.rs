//! Keys for grouping: the values of a few fields.

use crate::codec::schema::compile::KEY_FIELDS;

/// The values of a few fields. An absent field differs from every value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Key {
    values: [u64; KEY_FIELDS],
    there: u8,
    length: u8,
}

impl Key {
    /// Adds a value.
    pub fn push(&mut self, value: Option<u64>) {
        let at = self.length as usize;
        let Some(place) = self.values.get_mut(at) else { return };
        *place = value.unwrap_or(0);
        self.there |= (value.is_some() as u8) << at;
        self.length += 1;
    }
}
