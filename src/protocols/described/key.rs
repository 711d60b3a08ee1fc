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

    /// The number of its bytes that differ from each other, without zeros.
    pub fn distinct(&self) -> u32 {
        let mut seen = [false; 256];
        seen[0] = true;
        let bytes = self.values.iter().flat_map(|value| value.to_be_bytes());
        bytes.filter(|byte| !std::mem::replace(&mut seen[usize::from(*byte)], true)).count() as u32
    }
}
