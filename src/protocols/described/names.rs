//! What a condition, a length or a key refers to: earlier fields, what a conversation remembers,
//! settings; and conditions themselves.

use super::compile::{Compiled, Compiler};
use super::known::{Condition, Found, Known};
use super::state::slot;
use super::text::Word;
use crate::codec::digits;
use crate::codec::layout::{Name, When};
use crate::codec::schema::named::leak;
use crate::nearest::{hint, nearest};

impl<'a> Compiler<'a> {
    /// Looks up a name: the innermost earlier field, then outwards, then what is remembered, then
    /// settings.
    pub fn find(&self, name: &str) -> Option<Found> {
        let bare = name.strip_prefix("packet.").unwrap_or(name);
        let is = |known: &Known| match &known.group {
            None => known.name == bare,
            Some(group) => bare.strip_prefix(group.as_str()).and_then(|n| n.strip_prefix('.')) == Some(&known.name),
        };
        if let Some(place) = self.known.iter().rposition(is) {
            return Some(Found::Field(place));
        }
        let side = bare.strip_prefix("server.").or(bare.strip_prefix("client.")).unwrap_or(bare);
        let firsts = self.text.memory.iter().chain(&self.text.settings);
        if firsts.clone().any(|first| first.name == side) {
            return Some(Found::Other(self.enum_names(side)));
        }
        match name {
            "from" => Some(Found::Other(vec![(0, "unknown"), (1, "client"), (2, "server")])),
            _ => None,
        }
    }

    /// The names of the enumeration called `name`.
    pub fn enum_names(&self, name: &str) -> Vec<(u64, &'static str)> {
        let found = self.text.enums.iter().find(|(other, _)| other == name);
        found
            .map(|(_, list)| list.iter().map(|(name, value)| (*value as u64, leak(name))).collect())
            .unwrap_or_default()
    }

    /// The error that nothing has this name.
    pub fn nothing(&self, line: usize, key: &str, name: &str) -> (usize, String) {
        let fields = self.known.iter().map(|known| known.name.as_str());
        let others = self.text.memory.iter().chain(&self.text.settings).map(|first| first.name.as_str());
        let near = hint(nearest(name, fields.chain(others)));
        (line, format!("{key}: no field {name:?} stands before it, and nothing else has this name{near}"))
    }

    /// A name as reading knows it: the fields and the values of the conversation that have it.
    pub fn name(&self, name: &str) -> Name {
        let text = leak(name.trim().strip_prefix("packet.").unwrap_or(name.trim()));
        match (self.find(text), slot(text, self.text)) {
            (Some(Found::Other(_)), Some(slot)) => Name::of_slot(text, slot),
            (_, slot) => Name::new(text).or_slot(slot),
        }
    }

    /// The number of a word.
    pub fn number(&self, word: &str, names: &[(u64, &'static str)]) -> Option<u64> {
        let whole = digits::whole(word).and_then(|n| u64::try_from(n).ok().or(i64::try_from(n).ok().map(|n| n as u64)));
        let named = || names.iter().find(|(_, name)| *name == word).map(|(n, _)| *n);
        whole.or_else(named).or(match word {
            "true" => Some(1),
            "false" => Some(0),
            _ => None,
        })
    }

    /// The number of a word of the file.
    pub fn word(&self, word: &Word, names: &[(u64, &'static str)]) -> Option<u64> {
        match word {
            Word::Number(n) => u64::try_from(*n).ok().or(i64::try_from(*n).ok().map(|n| n as u64)),
            Word::Name(name) => self.number(name, names),
        }
    }

    /// A condition.
    pub fn condition(&mut self, text: &str, line: usize, key: &str) -> Compiled<Condition> {
        let terms: Vec<&str> = text.split(" and ").map(str::trim).collect();
        let mut condition = Condition { when: When::Always, masks: Vec::new(), equal: Vec::new() };
        let mut all = Vec::new();
        for term in terms {
            all.push(self.term(term, line, key, &mut condition)?);
        }
        condition.when = match all.len() {
            1 => all.remove(0),
            _ => When::All(Box::leak(all.into_boxed_slice())),
        };
        Ok(condition)
    }

    fn term(&mut self, text: &str, line: usize, key: &str, into: &mut Condition) -> Compiled<When> {
        let expected = "X == N, !=, <, >=, in, not in, X & MASK, not X & MASK, X, not X, or left N; joined by and";
        let wrong = |why: String| (line, format!("{key}: {why}"));
        if text.split_whitespace().any(|word| word == "or") {
            return Err(wrong(format!("there is no or: expected {expected}")));
        }
        if let Some(bytes) = text.strip_prefix("left ") {
            let bytes = digits::unsigned::<u32>(bytes.trim()).filter(|bytes| *bytes < 1 << 24);
            let bytes = bytes.ok_or_else(|| wrong(format!("left: expected a number of bytes, got {text:?}")))?;
            return Ok(When::Left(bytes * 8));
        }
        for (sign, not, below, more) in [
            ("==", false, false, 0),
            ("!=", true, false, 0),
            (">=", true, true, 0),
            ("<=", false, true, 1),
            ("<", false, true, 0),
            (">", true, true, 1),
        ] {
            let Some((name, value)) = text.split_once(sign) else { continue };
            let (bare, names) = self.referred(name.trim(), line, key)?;
            let number = self.value(value.trim(), &names, &bare).map_err(wrong)?;
            let when = match below {
                true => When::Below(bare, (number as i64).saturating_add(more)),
                false => When::Eq(bare, number),
            };
            if !not && !below {
                into.equal.push((bare.text, number));
            }
            return Ok(if not { When::Not(Box::leak(Box::new(when))) } else { when });
        }
        let (list, not) = match (text.split_once(" not in "), text.split_once(" in ")) {
            (Some(found), _) => (Some(found), true),
            (None, found) => (found, false),
        };
        if let Some((name, values)) = list {
            let (bare, names) = self.referred(name.trim(), line, key)?;
            let values = values.trim().trim_start_matches('[').trim_end_matches(']');
            let numbers: Result<Vec<u64>, String> =
                values.split(',').map(|value| self.value(value.trim(), &names, &bare)).collect();
            let when = When::In(bare, Box::leak(numbers.map_err(wrong)?.into_boxed_slice()));
            return Ok(if not { When::Not(Box::leak(Box::new(when))) } else { when });
        }
        if let Some((name, mask)) = text.split_once('&') {
            let (name, not) = match name.trim().strip_prefix("not ") {
                Some(name) => (name, true),
                None => (name, false),
            };
            let (bare, names) = self.referred(name.trim(), line, key)?;
            let mask = self.value(mask.trim(), &names, &bare).map_err(wrong)?;
            if mask == 0 {
                return Err(wrong(format!("{text:?} never holds: the mask is 0")));
            }
            // A number of which only this is asked is not known from what is there.
            if !not {
                into.masks.push((bare.text, mask));
            }
            return Ok(match (mask.is_power_of_two(), not) {
                (true, false) => When::Bit(bare, mask.trailing_zeros() as u8),
                (true, true) => When::Clear(bare, mask.trailing_zeros() as u8),
                (false, false) => When::Mask(bare, mask),
                (false, true) => When::Not(Box::leak(Box::new(When::Mask(bare, mask)))),
            });
        }
        if let Some(name) = text.strip_prefix("not ") {
            let (bare, _) = self.referred(name.trim(), line, key)?;
            return Ok(When::Not(Box::leak(Box::new(When::Set(bare)))));
        }
        if text.is_empty() || text.contains(' ') {
            return Err(wrong(format!("expected {expected}, got {text:?}")));
        }
        let (bare, _) = self.referred(text, line, key)?;
        into.masks.push((bare.text, 1));
        Ok(When::Set(bare))
    }

    /// What a condition's name refers to: the name as reading knows it, and the names of its values.
    fn referred(&mut self, name: &str, line: usize, key: &str) -> Compiled<(Name, Vec<(u64, &'static str)>)> {
        match self.find(name) {
            Some(Found::Field(place)) => {
                let known = &self.known[place];
                if !known.number {
                    return Err((line, format!("{key}: {name} is no number, so nothing can be asked of it")));
                }
                Ok((self.name(name), known.names.clone()))
            }
            Some(Found::Other(names)) => Ok((self.name(name), names)),
            None => Err(self.nothing(line, key, name)),
        }
    }

    fn value(&self, word: &str, names: &[(u64, &'static str)], of: &Name) -> Result<u64, String> {
        self.number(word, names).ok_or_else(|| {
            let near = hint(nearest(word, names.iter().map(|(_, name)| *name)));
            format!("{word:?} is no number, and no name of a value of {of}{near}")
        })
    }

    /// Notes what is done with an earlier field.
    pub fn uses(&mut self, name: &str, what: u8) {
        let Some(Found::Field(found)) = self.find(name) else { return };
        let is_it = |known: &Known| known.name == self.known[found].name && known.group == self.known[found].group;
        // Of fields of one name with a condition each, one is there.
        let mut places = Vec::new();
        for known in self.known.iter().take(found + 1).rev().filter(|known| is_it(known)) {
            places.push(known.place);
            if !known.conditional {
                break;
            }
        }
        places.into_iter().for_each(|place| self.all[place].uses |= what);
    }
}
