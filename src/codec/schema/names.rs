//! Resolves the names in conditions, lengths and keys (earlier fields, remembered values, settings), and compiles
//! conditions.

use super::compile::{Compiled, Compiler, lasting, statics};
use super::known::{Condition, Found, Known};
use super::parse::condition::{Expr, Sign};
use super::text::{File, First, Word};
use crate::codec::context::FROM;
use crate::codec::digits;
use crate::codec::layout::{Name, Text, ValueName, When};
use crate::codec::schema::named::leak;
use crate::nearest::{hint, nearest};

/// The first slot of settings.
pub const SETTINGS: usize = 2;
/// Each remembered value has a slot for the sender's, the client's and the server's.
pub const SIDES: usize = 3;

/// The slot of a name; `None`: no value has it.
fn slot(name: &str, file: &File) -> Option<u16> {
    let place = |list: &[First], name: &str| list.iter().position(|first| first.name == name);
    let memory =
        |name: &str, side: usize| Some(SETTINGS + file.settings.len() + SIDES * place(&file.memory, name)? + side);
    let slot = memory(name, 0).or_else(|| Some(SETTINGS + place(&file.settings, name)?)).or_else(|| match name {
        "from" => Some(FROM.into()),
        _ => match name.split_once('.') {
            Some(("client", name)) => memory(name, 1),
            Some(("server", name)) => memory(name, 2),
            _ => None,
        },
    })?;
    u16::try_from(slot).ok()
}

impl<'a> Compiler<'a> {
    /// Looks up a name: the innermost earlier field, then outer ones, then remembered values, then settings.
    pub fn find(&self, name: &str) -> Option<Found> {
        let bare = name.strip_prefix("packet.").unwrap_or(name);
        let is = |known: &Known| match &known.group {
            None => known.name == bare,
            Some(group) => bare.strip_prefix(group.as_str()).and_then(|n| n.strip_prefix('.')) == Some(&known.name),
        };
        if let Some(place) = self.known.iter().rposition(is) {
            return Some(Found::Field(place));
        }
        if self.encoding.is_some() {
            // The carrier remembers nothing for its payloads.
            return None;
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

    /// Closes a group: later fields refer to those from `first` on by its name.
    pub fn close(&mut self, first: usize, name: &str) {
        for known in self.known.iter_mut().skip(first) {
            let inner = known.group.take().map_or(String::new(), |inner| format!(".{inner}"));
            known.group = Some(format!("{name}{inner}"));
        }
    }

    /// The names of the enumeration called `name`.
    pub fn enum_names(&self, name: &str) -> Vec<ValueName> {
        let found = self.text.enums.iter().find(|(other, _)| other == name);
        found
            .map(|(_, list)| list.iter().map(|(name, value)| (*value as u64, leak(name))).collect())
            .unwrap_or_default()
    }

    /// The error for an unknown name.
    pub fn nothing(&self, line: usize, key: &str, name: &str) -> (usize, String) {
        let fields = self.known.iter().map(|known| known.name.as_str());
        let others = self.text.memory.iter().chain(&self.text.settings).map(|first| first.name.as_str());
        let near = hint(nearest(name, fields.chain(others)));
        (line, format!("{key}: no earlier field, setting or memory is called {name:?}{near}"))
    }

    /// A name for reading: the fields, and the value of the conversation, that have it.
    pub fn name(&self, name: &str) -> Name {
        let text = leak(name.trim().strip_prefix("packet.").unwrap_or(name.trim()));
        match (self.find(text), slot(text, self.text)) {
            (Some(Found::Other(_)), Some(slot)) => Name::of_slot(text, slot),
            (_, slot) => Name::new(text).or_slot(slot),
        }
    }

    /// The number of a word.
    pub fn number(&self, word: &str, names: &[ValueName]) -> Option<u64> {
        let whole = digits::whole(word).and_then(|n| u64::try_from(n).ok().or(i64::try_from(n).ok().map(|n| n as u64)));
        let named = || names.iter().find(|(_, name)| *name == word).map(|(n, _)| *n);
        whole.or_else(named).or(match word {
            "true" => Some(1),
            "false" => Some(0),
            _ => None,
        })
    }

    /// The number of a word of the file.
    pub fn word(&self, word: &Word, names: &[ValueName]) -> Option<u64> {
        match word {
            Word::Number(n) => u64::try_from(*n).ok().or(i64::try_from(*n).ok().map(|n| n as u64)),
            Word::Name(name) => self.number(name, names),
        }
    }

    /// Compiles a condition.
    pub fn condition(&mut self, text: &str, line: usize, key: &str) -> Compiled<Condition> {
        let expr = Expr::parse(text).map_err(|why| (line, format!("{key}: {why}")))?;
        self.compiled(&expr, line, key)
    }

    /// Compiles a condition in a place where texts are not available.
    pub fn of_numbers(&mut self, text: &str, line: usize, key: &str) -> Compiled<When> {
        let expr = Expr::parse(text).map_err(|why| (line, format!("{key}: {why}")))?;
        self.numbers_alone(&expr, line, key)
    }

    /// Compiles a parsed condition in a place where texts are not available.
    pub fn numbers_alone(&mut self, expr: &Expr, line: usize, key: &str) -> Compiled<When> {
        let mut asked = None;
        expr.texts(&mut |text| asked = asked.take().or(Some(text.to_owned())));
        match asked {
            Some(text) => Err((line, format!("{key}: {text:?}: a condition here can use numbers only, not text"))),
            None => Ok(self.compiled(expr, line, key)?.when),
        }
    }

    /// Compiles a parsed condition.
    pub fn compiled(&mut self, expr: &Expr, line: usize, key: &str) -> Compiled<Condition> {
        let mut condition = Condition { when: When::Always, masks: Vec::new(), equal: Vec::new() };
        condition.when = self.when(expr, line, key, Some(&mut condition))?;
        Ok(condition)
    }

    /// Compiles an expression. `into`: receives its requirements on earlier fields, if all of its terms must hold.
    fn when(&mut self, expr: &Expr, line: usize, key: &str, mut into: Option<&mut Condition>) -> Compiled<When> {
        let wrong = |why: String| (line, format!("{key}: {why}"));
        let not = |when: When| When::Not(lasting(when));
        Ok(match expr {
            Expr::Left(bytes) => When::Left(bytes * 8),
            Expr::All(all) => {
                let each = all.iter().map(|one| self.when(one, line, key, into.as_deref_mut()));
                When::All(statics(each.collect::<Compiled<_>>()?))
            }
            Expr::Any(any) => {
                When::Any(statics(any.iter().map(|one| self.when(one, line, key, None)).collect::<Compiled<_>>()?))
            }
            Expr::Not(one) => match self.when(one, line, key, None)? {
                When::Bit(name, bit) => When::Clear(name, bit),
                when => not(when),
            },
            Expr::Compare(name, sign, value) => {
                let (bare, known) = self.asked(name, value.quoted, line, key)?;
                if value.quoted {
                    let is = When::Is(bare, self.asked_text(&value.text));
                    return match sign {
                        Sign::Equal => Ok(is),
                        Sign::Unequal => Ok(not(is)),
                        _ => Err(wrong(format!("{name} is a text: expected == or !="))),
                    };
                }
                let number = self.value(&value.text, &known, &bare).map_err(wrong)?;
                let is_wide = matches!(self.find(name), Some(Found::Field(place)) if self.known[place].wide)
                    && !value.text.trim().starts_with('-');
                let below = |more: i64| {
                    let plain = When::Below(bare, (number as i64).saturating_add(more));
                    // Comparisons are of signed numbers, of which those from 2^63 on are below zero.
                    let low = not(When::Below(bare, 0));
                    match (is_wide, number as i64 >= 0) {
                        (false, _) => plain,
                        (true, true) => When::All(statics(vec![plain, low])),
                        (true, false) => When::Any(statics(vec![low, plain])),
                    }
                };
                match sign {
                    Sign::Equal => {
                        into.iter_mut().for_each(|into| into.equal.push((bare.text, number)));
                        When::Eq(bare, number)
                    }
                    Sign::Unequal => not(When::Eq(bare, number)),
                    Sign::Below => below(0),
                    Sign::AtMost => below(1),
                    Sign::AtLeast => not(below(0)),
                    Sign::Above => not(below(1)),
                }
            }
            Expr::In(name, list) => {
                let quoted = list.iter().any(|(atom, _)| atom.quoted);
                let (bare, known) = self.asked(name, quoted, line, key)?;
                if quoted {
                    if let Some((atom, _)) = list.iter().find(|(atom, _)| !atom.quoted) {
                        return Err(wrong(format!("{} is not a text in quotes", atom.text)));
                    }
                    let each = list.iter().map(|(atom, _)| When::Is(bare, self.asked_text(&atom.text)));
                    return Ok(When::Any(statics(each.collect())));
                }
                let (mut single, mut all) = (Vec::new(), Vec::new());
                for (least, most) in list {
                    let least = self.value(&least.text, &known, &bare).map_err(wrong)?;
                    let Some(most) = most else {
                        single.push(least);
                        continue;
                    };
                    let most = self.value(&most.text, &known, &bare).map_err(wrong)?;
                    let Some(after) = (most as i64).checked_add(1).filter(|_| least as i64 <= most as i64) else {
                        return Err(wrong(format!(
                            "in: {least}..{most} is empty: the first number is larger than the last"
                        )));
                    };
                    let ends = vec![not(When::Below(bare, least as i64)), When::Below(bare, after)];
                    all.push(When::All(statics(ends)));
                }
                if !single.is_empty() {
                    all.push(When::In(bare, statics(single)));
                }
                if all.len() == 1 { all.remove(0) } else { When::Any(statics(all)) }
            }
            Expr::Mask(name, mask) => {
                let (bare, known) = self.asked(name, mask.quoted, line, key)?;
                let mask = self.value(&mask.text, &known, &bare).map_err(wrong)?;
                if mask == 0 {
                    return Err(wrong(format!("{name} & 0 never holds: the mask is 0")));
                }
                // Checking only this mask does not determine the number's other bits.
                into.iter_mut().for_each(|into| into.masks.push((bare.text, mask)));
                match mask.is_power_of_two() {
                    true => When::Bit(bare, mask.trailing_zeros() as u8),
                    false => When::Mask(bare, mask),
                }
            }
            Expr::Set(name) => {
                let (bare, _) = self.asked(name, false, line, key)?;
                into.iter_mut().for_each(|into| into.masks.push((bare.text, 1)));
                When::Set(bare)
            }
        })
    }

    /// A text for comparisons.
    pub fn asked_text(&self, text: &str) -> Text {
        let place = self.texts.binary_search(&text).map_or(u64::MAX, |place| place as u64 + 1);
        Text { text: leak(text), id: place }
    }

    /// The name in a term. `text`: the term compares it with a text.
    fn asked(&mut self, name: &str, text: bool, line: usize, key: &str) -> Compiled<(Name, Vec<ValueName>)> {
        if let Some(Found::Field(place)) = self.find(name) {
            let is = if self.known[place].wrong { text } else { self.known[place].text };
            if is != text && (is || self.known[place].number) {
                let what = if is { "a text: compare it with one in quotes" } else { "a number, not a text" };
                return Err((line, format!("{key}: {name} is {what}")));
            }
            if is {
                return Ok((self.name(name), Vec::new()));
            }
        } else if text && self.find(name).is_some() {
            return Err((line, format!("{key}: {name} is a number, not a text")));
        }
        self.referred(name, line, key)
    }

    /// The target of a condition's name: the name for reading, and the names of its values.
    fn referred(&mut self, name: &str, line: usize, key: &str) -> Compiled<(Name, Vec<ValueName>)> {
        match self.find(name) {
            Some(Found::Field(place)) => {
                let known = &self.known[place];
                if !known.number {
                    return Err((line, format!("{key}: {name} is not a number: a condition cannot use it")));
                }
                Ok((self.name(name), known.names.clone()))
            }
            Some(Found::Other(names)) => Ok((self.name(name), names)),
            None => Err(self.nothing(line, key, name)),
        }
    }

    fn value(&self, word: &str, names: &[ValueName], of: &Name) -> Result<u64, String> {
        let wrong = matches!(self.find(of.text), Some(Found::Field(place)) if self.known[place].wrong);
        self.number(word, names).or(wrong.then_some(1)).ok_or_else(|| {
            let near = hint(nearest(word, names.iter().map(|(_, name)| *name)));
            format!("{word:?} is neither a number nor a name of a value of {of}{near}")
        })
    }

    /// Records the use of an earlier field.
    pub fn uses(&mut self, name: &str, what: u8) {
        self.places(name).into_iter().for_each(|place| self.all[place].uses |= what);
    }
}
