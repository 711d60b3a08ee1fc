//! Hidden numbers whose content may be absent: notes by which the reader finds out what encode would write.

use super::{Compiler, lasting, statics};
use crate::codec::kinds::{Settled, Settles};
use crate::codec::layout::{Field, Kind, Name, When, of};
use crate::codec::schema::known::Found;

/// A note, and the index of the field that it belongs to.
pub(super) struct Note {
    pub before: usize,
    pub settled: Settled,
}

fn note(settled: Settled) -> Field {
    of("", Kind::Settled(lasting(settled)))
}

/// Puts each note before the field that it belongs to.
pub(super) fn noted(fields: &'static [Field], notes: Vec<Note>) -> &'static [Field] {
    if notes.is_empty() {
        return fields;
    }
    let mut all = fields.to_vec();
    notes.into_iter().rev().for_each(|n| all.insert(n.before.min(all.len()), note(n.settled)));
    statics(all)
}

/// Whether encode cannot make a condition true because it asks for more of a number than bits that are set.
fn in_vain(when: &When, name: &str) -> bool {
    let name = name.rsplit('.').next().unwrap_or(name);
    let asks = |when: &When| when.names().iter().any(|asked| asked.last() == name);
    match when {
        When::In(..) => asks(when),
        When::Not(not) => !matches!(not, When::Mask(..) | When::Bit(..)) && asks(not),
        When::All(all) | When::Any(all) => all.iter().any(|one| in_vain(one, name)),
        _ => false,
    }
}

/// Whether a condition may hold before encode knows the number, which is 0 at first, or set other bits than the number has.
pub(super) fn is_early(when: &When) -> bool {
    match when {
        When::Bit(..) => false,
        When::Mask(_, mask) => !mask.is_power_of_two(),
        When::Eq(_, value) => *value == 0,
        When::In(_, values) => values.contains(&0),
        When::Not(not) => !matches!(not, When::Below(..)),
        When::All(all) | When::Any(all) => all.iter().any(is_early),
        _ => true,
    }
}

impl Compiler<'_> {
    /// Notes that a condition asks for numbers before encode knows them.
    pub(super) fn asks(&mut self, when: &When) {
        let places: Vec<usize> = when.names().iter().flat_map(|name| self.places(name.text)).collect();
        for place in places {
            self.all.get_mut(place).into_iter().for_each(|number| number.asked = true);
        }
    }

    /// Notes that encode derives a hidden number from the field that is being compiled.
    pub fn settles(&mut self, name: &str, by: Settles) {
        let mut note = false;
        for place in self.places(name) {
            let Some(known) = self.known.iter().rev().find(|known| known.place == place) else { continue };
            let Some(number) = self.all.get_mut(place).filter(|number| number.hidden && !number.constant) else {
                continue;
            };
            let present = self.at.is_present_with(&known.at);
            let elsewhere = matches!(by, Settles::Mask(_)) && self.at.list != known.at.list;
            let late = number.asked && (elsewhere || matches!(by, Settles::Length | Settles::View(_)));
            if late || self.conditions.iter().any(|when| in_vain(when, name)) {
                number.unsettled = true;
                continue;
            }
            match by {
                Settles::Length if present => number.settled = u64::MAX,
                Settles::View(mask) if present => number.settled |= mask,
                // The session compares the bits with all that are checked by fields of the same list.
                Settles::Mask(_) if self.at.list == known.at.list => {}
                _ => (number.unsettled, note) = (true, true),
            }
        }
        if note {
            self.notes.push(Settled { name: self.name(name), when: When::Always, by });
        }
    }

    /// Takes the notes since there were `before`, as fields that precede others.
    pub(super) fn noted_since(&mut self, before: usize) -> Vec<Field> {
        self.notes.split_off(before).into_iter().map(note).collect()
    }

    /// Ends a list of fields after which nothing refers to the fields known since there were `first`.
    pub fn ended(&self, fields: &'static [Field], first: usize) -> &'static [Field] {
        let mut all = fields.to_vec();
        for known in self.known.iter().skip(first) {
            let Some(number) = self.all.get(known.place).filter(|number| number.unsettled) else { continue };
            let group = known.group.as_ref().map_or(String::new(), |group| format!("{group}."));
            let name = Name::new(crate::codec::schema::named::leak(&format!("{group}{}", known.name)));
            all.push(note(Settled { name, when: When::Always, by: Settles::End(number.settled) }));
        }
        if all.len() == fields.len() { fields } else { statics(all) }
    }

    /// The places of a name among all fields: of several with one name and a condition each, one is present.
    pub(in crate::codec::schema) fn places(&self, name: &str) -> Vec<usize> {
        let Some(Found::Field(found)) = self.find(name) else { return Vec::new() };
        let Some(newest) = self.known.get(found) else { return Vec::new() };
        let mut places = Vec::new();
        for known in self.known.iter().take(found + 1).rev() {
            if known.name != newest.name || known.group != newest.group {
                continue;
            }
            places.push(known.place);
            if !known.conditional {
                break;
            }
        }
        places
    }
}
