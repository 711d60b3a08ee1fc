//! Fields as lines of the language.

use super::Export;
use super::conditions::Terms;
use super::keys::{Forms, Inexpressible, Keys, Place, wanted};
use super::lines::{Line, quoted};
use crate::codec::layout::{Case, Field, Kind, Name, Other, Show, ValueName, When, flag};
use crate::codec::scale::Scale;

impl Export<'_> {
    /// Writes consecutive fields. False: the rest of them could not be expressed.
    pub fn fields(&mut self, fields: &'static [Field], when: &[Terms], place: &mut Place, out: &mut Vec<Line>) -> bool {
        for field in fields {
            let before = out.len();
            let Err(Inexpressible(why)) = self.field(field, when, place, out) else { continue };
            out.truncate(before);
            for terms in self.joined(when, &field.when, place).unwrap_or_else(|_| when.to_vec()) {
                let name = fresh("undescribed", out);
                let mut line = Line::field(&name, &condition(vec![("type", quoted("payload"))], &terms, ""));
                line.comments.push(format!("{}: {why}", if field.name.is_empty() { "next" } else { field.name }));
                out.push(line);
            }
            // Without a condition, all later fields are lost. With one, fields that it excludes are kept.
            if matches!(field.when, When::Always) {
                return false;
            }
        }
        true
    }

    fn joined(&mut self, when: &[Terms], own: &When, place: &Place) -> Result<Vec<Terms>, Inexpressible> {
        let own = self.alternatives(own, &place.scope).map_err(Inexpressible)?;
        Ok(when.iter().flat_map(|terms| own.iter().map(move |more| [&terms[..], more].concat())).collect())
    }

    fn field(
        &mut self,
        field: &'static Field,
        when: &[Terms],
        place: &mut Place,
        out: &mut Vec<Line>,
    ) -> Result<(), Inexpressible> {
        let when = self.joined(when, &field.when, place)?;
        match &field.kind {
            Kind::Inline(fields) => {
                let before = out.len();
                return match self.fields(fields, &when, place, out) {
                    true => Ok(()),
                    false => {
                        let why = out.iter().skip(before).flat_map(|line| line.comments.first());
                        let why = why.last().cloned().unwrap_or_default();
                        Err(Inexpressible(why))
                    }
                };
            }
            Kind::Switch { on, cases, other } => return self.switch(*on, cases, other, &when, place, out),
            _ => {}
        }
        let forms = self.keys(field, place)?;
        for terms in &when {
            for (more, keys) in &forms {
                let all: Terms = terms.iter().cloned().chain(more.clone()).collect();
                // The word that distinguishes it from other fields with its name.
                let word = all.last().and_then(|term| term.rsplit(' ').next());
                let hint = word.filter(|word| word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
                let line = Line::unique(out, field.name, &condition(keys.clone(), &all, field.doc), hint);
                out.push(line);
            }
        }
        let names = if let Show::Enum(names) = field.show { names } else { &[] };
        let names: &'static [ValueName] = match field.kind {
            Kind::Bool { .. } => &[(0, "false"), (1, "true")],
            _ => names,
        };
        place.scope.push((field.name, field.name.into(), names));
        Ok(())
    }

    /// Writes the fields for each value of an earlier field.
    fn switch(
        &mut self,
        on: Name,
        cases: &'static [Case],
        other: &Other,
        when: &[Terms],
        place: &mut Place,
        out: &mut Vec<Line>,
    ) -> Result<(), Inexpressible> {
        let term = |export: &mut Self, when: When, place: &Place| {
            export.alternatives(&when, &place.scope).map_err(Inexpressible)
        };
        let and = |more: Vec<Terms>| -> Vec<Terms> {
            when.iter()
                .flat_map(|terms| more.iter().map(|more| [&terms[..], more].concat()).collect::<Vec<_>>())
                .collect()
        };
        for case in cases {
            let mark = place.scope.len();
            let terms = and(term(self, When::Eq(on, case.value), place)?);
            self.fields(case.fields, &terms, place, out);
            place.scope.truncate(mark);
        }
        let rest = match cases {
            [] => when.to_vec(),
            cases => {
                let values: Vec<u64> = cases.iter().map(|case| case.value).collect();
                // Consecutive numbers from 0 need no list.
                let terms = match values.iter().copied().eq(0..values.len() as u64) {
                    true => vec![vec![format!("{on} >= {}", values.len())]],
                    false => {
                        let list: Vec<String> = values.iter().map(u64::to_string).collect();
                        vec![vec![format!("{on} not in {}", list.join(", "))]]
                    }
                };
                and(terms)
            }
        };
        let why = match other {
            Other::Fields(fields) => {
                self.fields(fields, &rest, place, out);
                return Ok(());
            }
            Other::Fault(why) => *why,
            Other::Ask => "what follows is not described",
        };
        for terms in rest {
            let name = fresh("undefined", out);
            out.push(Line::field(&name, &condition(vec![("type", quoted("fault"))], &terms, why)));
        }
        Ok(())
    }

    fn keys(&mut self, field: &'static Field, place: &mut Place) -> Result<Forms, Inexpressible> {
        let mut forms = self.typed(field, place)?;
        for (_, keys) in &mut forms {
            let shown = match &field.kind {
                Kind::Array { of, .. } => of,
                Kind::Custom(codec) => codec.word().unwrap_or(field),
                _ => field,
            };
            self.shown(shown, field.name, place, keys)?;
            let unit = if field.unit.is_empty() { shown.unit } else { field.unit };
            if !unit.is_empty() {
                keys.push(("unit", quoted(unit)));
            }
            if let (Some(default), Kind::UInt { .. } | Kind::Int { .. } | Kind::Bool { .. }) =
                (field.default, &field.kind)
            {
                keys.push(("default", default.to_string()));
            }
            if field.is(flag::HIDDEN) {
                keys.push(("hidden", "true".into()));
            }
            if field.is(flag::CHECKED) {
                keys.push(("checked", "true".into()));
            }
            if field.is(flag::OMIT_EMPTY) && matches!(field.kind, Kind::Text { .. } | Kind::Bytes { .. }) {
                keys.push(("optional", "true".into()));
            }
            if field.is(flag::PADDED) {
                keys.push(("padded", "true".into()));
            }
        }
        Ok(forms)
    }

    /// Names, flags, scale.
    fn shown(&mut self, field: &Field, name: &str, place: &Place, keys: &mut Keys) -> Result<(), Inexpressible> {
        match &field.show {
            Show::Plain | Show::Asked(_) => {}
            Show::Enum(names) => {
                let wanted = wanted(name, &place.names);
                keys.push(("enum", quoted(&self.pool.names(&wanted, names))));
            }
            Show::Flags(flags) if flags.shift == 0 && flags.fixed_mask == 0 => {
                let wanted = wanted(name, &place.names);
                keys.push(("flags", quoted(&self.pool.flags(&wanted, flags.names))));
            }
            Show::Flags(_) => return Err(Inexpressible("flags of which some bits are fixed".into())),
            Show::Time { clock, .. } => keys.push(("time", quoted(clock.name()))),
            Show::Scaled(Scale::Degrees) => keys.push(("angle", "true".into())),
            Show::Scaled(scale) => {
                let (num, den, rounded) = match *scale {
                    Scale::Over(den) => (1, den, false),
                    Scale::Exact { num, den } => (num, den, false),
                    Scale::Ratio { num, den } => (num, den, true),
                    Scale::Degrees => return Ok(()),
                };
                keys.push(("scale", quoted(&format!("{num}/{den}"))));
                if rounded {
                    keys.push(("rounded", "true".into()));
                }
            }
        }
        Ok(())
    }
}

/// Adds the condition and the documentation.
fn condition(mut keys: Keys, terms: &[String], doc: &str) -> Keys {
    if !terms.is_empty() {
        keys.push(("if", quoted(&terms.join(" and "))));
    }
    if !doc.is_empty() {
        keys.push(("doc", quoted(doc)));
    }
    keys
}

/// A name that no line has.
fn fresh(name: &str, lines: &[Line]) -> String {
    let taken = |name: &str| lines.iter().any(|line| line.name == name);
    let numbered = (2..).map(|k| format!("{name}_{k}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}
