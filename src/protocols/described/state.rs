//! Values of a conversation besides a packet's fields: the sender, settings, remembered values. Each has a slot that is
//! looked up when the file is loaded.

use super::conditions;
use crate::codec::context::{FROM, LIKELY_FROM};
use crate::codec::layout::{Name, When};
use crate::codec::schema::names::{SETTINGS, SIDES};
use crate::dissect::Role;
use std::cell::Cell;

/// The sender as a number.
pub fn sender(role: Role) -> u64 {
    match role {
        Role::Unknown => 0,
        Role::Client => 1,
        Role::Server => 2,
    }
}

/// The values of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    /// The remembered values, for packets of the client and of the server.
    pub memory: &'a [[u64; 2]],
    /// The settings' values.
    pub values: &'a [u64],
    /// The sender: 1 the client, 2 the server; 0: unknown.
    pub from: u64,
    /// The probable sender.
    pub likely: u64,
}

impl State<'_> {
    /// The value in a slot.
    #[inline]
    pub fn value(&self, slot: u16) -> Option<u64> {
        match slot {
            FROM => Some(self.from),
            LIKELY_FROM => Some(self.likely),
            slot => match self.values.get(slot as usize - SETTINGS) {
                Some(value) => Some(*value),
                None => self.sides(slot)?.get(self.side(slot)).copied(),
            },
        }
    }

    /// The value of a name that belongs to no field.
    pub fn named(&self, name: &Name) -> Option<u64> {
        self.value(name.slot()?)
    }

    /// Whether a condition may hold, as far as it does not depend on a packet's fields.
    pub fn allows(&self, when: &When) -> bool {
        let depends = Cell::new(false);
        let value = |name: &Name| {
            depends.set(depends.get() || name.slot().is_none());
            self.named(name)
        };
        conditions::holds(when, &value) || depends.get()
    }

    /// The index of the remembered value in a slot.
    pub fn place(&self, slot: u16) -> Option<usize> {
        (slot as usize).checked_sub(SETTINGS + self.values.len()).map(|at| at / SIDES)
    }

    fn sides(&self, slot: u16) -> Option<&[u64; 2]> {
        self.memory.get(self.place(slot)?)
    }

    fn side(&self, slot: u16) -> usize {
        match (slot as usize - SETTINGS - self.values.len()) % SIDES {
            0 => usize::from(self.from == 2),
            side => side - 1,
        }
    }
}
