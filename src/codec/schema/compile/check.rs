//! The checks that need the whole file.

use super::{BY_ID, Compiler};
use crate::codec::schema::known::used;
use crate::codec::schema::text::MessageText;
use crate::nearest::{hint, nearest};

impl Compiler<'_> {
    /// Makes the checks that need the whole file.
    pub(super) fn check(&mut self) {
        let text = self.text;
        for m in &text.messages {
            if self.choices.contains_key(&m.message) {
                continue;
            }
            self.mistakes.push(match m.message.is_empty() {
                true => (m.lines.line, format!("{}: no field of the packet holds messages", m.name)),
                false if text.messages.iter().any(|other| other.name == m.message) => {
                    (m.lines.at("message"), format!("message: {:?} has no field of type message", m.message))
                }
                false => {
                    let near = hint(nearest(&m.message, text.messages.iter().map(|m| m.name.as_str())));
                    (m.lines.at("message"), format!("message: no message {:?} carries it{near}", m.message))
                }
            });
        }
        self.check_names();
        self.check_hidden();
        for (name, line, _) in &text.structs {
            if !self.used_structs.contains(name.as_str()) {
                self.advice.push((*line, format!("struct {name} is never used")));
            }
        }
    }

    /// Refuses a message with the name of an earlier one: encode finds a message by its name, its sender, and what is
    /// remembered.
    fn check_names(&mut self) {
        let meet = |a: &str, b: &str| a.is_empty() || b.is_empty() || a == b;
        let messages = || self.text.messages.iter().filter(|m| m.name != BY_ID && !m.name.is_empty());
        for (k, m) in messages().enumerate() {
            let is_same = |other: &MessageText| {
                other.name == m.name && other.condition == m.condition && meet(&other.from, &m.from)
            };
            let place = |m: &MessageText| format!("{} {:?} {}", m.message, m.ids, m.any);
            if messages().take(k).any(|other| is_same(other) && place(other) != place(m)) {
                let why = "an earlier message has this name: give one message all ids (id = [1, 2]), or another name";
                self.mistakes.push((m.lines.at("name"), format!("{}: {why}", m.name)));
            }
        }
    }

    /// Refuses hidden fields that encode could not give back.
    pub(super) fn check_hidden(&mut self) {
        for field in self.all.iter().filter(|field| field.hidden && !field.constant) {
            let name = &field.name;
            let alone = field.uses & !used::VIEW == 0;
            if let Some(unseen) = field.unseen.filter(|unseen| *unseen != 0 && alone) {
                let bit = unseen.trailing_zeros();
                let why = format!("{name}: hidden, but no view shows its bit {bit}, so encode could not restore it");
                self.mistakes.push((field.line, why));
            } else if field.early && field.uses & used::BY == 0 {
                let why = format!(
                    "{name}: hidden, but encode restores a number of variable size only if it is a message key (by)"
                );
                self.mistakes.push((field.line, why));
            } else if field.uses & used::BY != 0 && field.ranged && field.uses & !(used::BY | used::PRESENCE) == 0 {
                let why = format!("{name}: hidden, but a list or range of ids does not determine it");
                self.mistakes.push((field.line, why));
            } else if field.uses == 0 {
                let why = format!(
                    "{name}: hidden, but encode could not restore it: it is not a constant (value), a length or \
                     count of a later field, the key of a message (by) or the condition of a later field (if = \"{name}\", \
                     if = \"{name} & 4\")"
                );
                self.mistakes.push((field.line, why));
            }
        }
    }
}
