//! Conditions in the language: terms joined by `and`. An `or` becomes one field for each alternative.

use super::Export;
use crate::codec::layout::{Name, ValueName, When};

/// A setting that conditions refer to, with the names of its values from 0 on.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub name: &'static str,
    pub values: &'static [&'static str],
    pub doc: &'static str,
}

/// A setting's documentation without the part on automatic values, which files do not have.
fn found_by_itself(doc: &'static str) -> &'static str {
    doc.split("; auto").next().unwrap_or(doc)
}

/// Fields that conditions may refer to: their names in the tables, their names in the file, and the names of their
/// values.
pub type Scope = Vec<(&'static str, String, &'static [ValueName])>;

/// Terms that hold together.
pub type Terms = Vec<String>;

impl Export<'_> {
    /// The condition as alternatives of which at most one holds.
    pub fn alternatives(&mut self, when: &When, scope: &Scope) -> Result<Vec<Terms>, String> {
        match when {
            When::Always => Ok(vec![Vec::new()]),
            When::All(all) => {
                let mut product: Vec<Terms> = vec![Vec::new()];
                for when in *all {
                    let each = self.alternatives(when, scope)?;
                    let joined = |one: &Terms| each.iter().map(|more| [&one[..], more].concat()).collect::<Vec<_>>();
                    product = product.iter().flat_map(joined).collect();
                }
                Ok(product)
            }
            When::Any(several) => {
                let (mut all, mut before) = (Vec::new(), Vec::new());
                for when in *several {
                    for one in self.alternatives(when, scope)? {
                        all.push([&before[..], &one].concat());
                    }
                    if all.len() < several.len() {
                        before.push(self.term(when, scope, true)?);
                    }
                }
                Ok(all)
            }
            when => Ok(vec![vec![self.term(when, scope, false)?]]),
        }
    }

    fn term(&mut self, when: &When, scope: &Scope, not: bool) -> Result<String, String> {
        let known = |name: &Name| scope.iter().rev().find(|(known, ..)| *known == name.text);
        let shown = |name: &Name| known(name).map_or(name.to_string(), |(_, shown, _)| shown.clone());
        let value = |name: &Name, number: u64| {
            let named = known(name).and_then(|(.., names)| names.iter().find(|(n, _)| *n == number));
            named.map_or(number.to_string(), |(_, name)| (*name).to_owned())
        };
        let masked = |name: &Name, mask: u64, not: bool| {
            let not = if not { "not " } else { "" };
            format!("{not}{} & {mask:#x}", shown(name))
        };
        Ok(match (when, not) {
            (When::Bit(name, bit), not) => masked(name, 1 << bit, not),
            (When::Clear(name, bit), not) => masked(name, 1 << bit, !not),
            (When::Mask(name, mask), not) => masked(name, *mask, not),
            (When::Eq(name, number), false) => format!("{} == {}", shown(name), value(name, *number)),
            (When::Eq(name, number), true) => format!("{} != {}", shown(name), value(name, *number)),
            (When::In(name, list), not) => {
                let list: Vec<String> = list.iter().map(|number| value(name, *number)).collect();
                format!("{} {} {}", shown(name), if not { "not in" } else { "in" }, list.join(", "))
            }
            (When::Left(bits), false) if bits.is_multiple_of(8) => format!("left {}", bits / 8),
            (When::Below(name, than), not) => format!("{} {} {than}", shown(name), if not { ">=" } else { "<" }),
            (When::Set(name), not) => format!("{}{}", if not { "not " } else { "" }, shown(name)),
            (When::Not(when), not) => self.term(when, scope, !not)?,
            (When::Setting(key, number), not) => {
                let setting = self.setting(key)?;
                let value =
                    setting.values.get(*number as usize).ok_or_else(|| format!("{key} has no value {number}"))?;
                format!("{} {} {value}", setting.name, if not { "!=" } else { "==" })
            }
            (when, _) => return Err(format!("no word for the condition {when:?}")),
        })
    }

    /// The setting with this name in a condition.
    pub fn setting(&mut self, key: &str) -> Result<Setting, String> {
        let own = self.dissector.settings().iter();
        let suffix =
            |setting: &'static crate::dissect::Setting| setting.key.split_once('.').map_or("", |(_, name)| name);
        let chosen = self.outline.choices.iter().find(|(known, ..)| *known == key);
        let setting = match chosen {
            Some((_, name, values)) => {
                let doc = own
                    .clone()
                    .find(|setting| suffix(setting) == key)
                    .map_or("", |setting| found_by_itself(setting.doc));
                Setting { name, values, doc }
            }
            None => {
                let found = own.clone().find(|setting| setting.key == key && !setting.values.is_empty());
                let found = found.ok_or_else(|| format!("no setting says {key}"))?;
                Setting { name: suffix(found), values: found.values, doc: found_by_itself(found.doc) }
            }
        };
        Ok(self.ask(setting))
    }

    /// The terms for both byte orders of fields that have the conversation's order.
    pub fn orders(&mut self) -> Result<[String; 2], String> {
        let name = self.outline.order;
        if name.is_empty() {
            return Err("numbers in the byte order that the conversation has shown".into());
        }
        let own = self.dissector.settings().iter().find(|setting| setting.key.ends_with(&format!(".{name}")));
        let setting = Setting {
            name,
            values: &["be", "le"],
            doc: own.map_or("the byte order", |setting| found_by_itself(setting.doc)),
        };
        self.ask(setting);
        Ok(["be", "le"].map(|order| format!("{name} == {order}")))
    }

    fn ask(&mut self, setting: Setting) -> Setting {
        if self.asked.iter().all(|known| known.name != setting.name) {
            self.pool.take(setting.name);
            self.asked.push(setting);
        }
        setting
    }
}
