//! Checks that a table is well-formed: every reference names an earlier field marked as referenced, cases are unique,
//! names have only letters, digits and `_`, nesting is bounded. A unit test checks every table of the protocols.

#![cfg(test)]

use super::layout::{Count, Field, Kind, Len, Name, Other, When, flag};

/// Checks the fields of one message.
///
/// # Errors
/// Returns the path of the first wrong field, and the reason.
pub fn check(fields: &'static [Field]) -> Result<(), String> {
    Checker { referenced: Vec::new(), seen: Vec::new() }.list(fields, "", 0)
}

struct Checker {
    referenced: Vec<&'static str>,
    /// The groups that are being checked, because a table may contain itself.
    seen: Vec<*const Field>,
}

impl Checker {
    fn list(&mut self, fields: &'static [Field], path: &str, depth: u32) -> Result<(), String> {
        if depth > 32 {
            return Err(format!("{path}: nested more than 32 levels deep"));
        }
        for (k, field) in fields.iter().enumerate() {
            let path = format!("{path}.{}", field.name);
            let named = !field.is_inline() && !matches!(field.kind, Kind::Switch { .. });
            if named && !field.name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                return Err(format!("{path}: expected a name of letters, digits and _"));
            }
            if named && field.name.is_empty() {
                return Err(format!("{path}: a field without a name"));
            }
            let twin = |f: &Field| f.name == field.name && matches!((f.when, field.when), (When::Always, When::Always));
            if named && fields[..k].iter().any(twin) {
                return Err(format!("{path}: the name is given twice"));
            }
            self.condition(&field.when, &path)?;
            self.field(field, &path, depth)?;
            if field.is(flag::REFERENCED) || matches!(field.kind, Kind::Derived) {
                self.referenced.push(field.name);
            }
        }
        Ok(())
    }

    fn field(&mut self, field: &'static Field, path: &str, depth: u32) -> Result<(), String> {
        match &field.kind {
            Kind::UInt { bits, .. } | Kind::Int { bits, .. } | Kind::Tag { bits, .. } if !(1..=64).contains(bits) => {
                Err(format!("{path}: {bits} bits"))
            }
            Kind::Float { bits, .. } if ![16, 32, 64].contains(bits) => Err(format!("{path}: a float of {bits} bits")),
            Kind::Text { len: Len::Field(name), .. } | Kind::Bytes { len: Len::Field(name) } => self.known(name, path),
            Kind::Array { count, of } => {
                if let Count::Field(name) = count {
                    self.known(name, path)?;
                }
                let referenced = self.referenced.len();
                self.condition(&of.when, path)?;
                self.field(of, path, depth + 1)?;
                self.referenced.truncate(referenced);
                Ok(())
            }
            Kind::Switch { on, cases, other } => {
                self.known(on, path)?;
                for (k, case) in cases.iter().enumerate() {
                    if cases[..k].iter().any(|c| c.value == case.value) {
                        return Err(format!("{path}: case {} is given twice", case.value));
                    }
                    let referenced = self.referenced.len();
                    self.list(case.fields, path, depth + 1)?;
                    self.referenced.truncate(referenced);
                }
                if let Other::Fields(fields) = other { self.list(fields, path, depth + 1) } else { Ok(()) }
            }
            kind => self.group(field, kind.fields(), path, depth),
        }
    }

    fn group(&mut self, field: &'static Field, fields: &'static [Field], path: &str, depth: u32) -> Result<(), String> {
        if self.seen.contains(&(field as *const Field)) {
            return Ok(());
        }
        self.seen.push(field);
        let referenced = self.referenced.len();
        let done = self.list(fields, path, depth + 1);
        if !matches!(field.kind, Kind::Inline(_)) {
            self.referenced.truncate(referenced);
        }
        self.seen.pop();
        done
    }

    fn condition(&self, when: &When, path: &str) -> Result<(), String> {
        when.names().iter().try_for_each(|name| self.known(name, path))
    }

    fn known(&self, name: &Name, path: &str) -> Result<(), String> {
        match self.referenced.contains(&name.text) {
            true => Ok(()),
            false => Err(format!("{path}: refers to {name}, which is no earlier field marked as referenced")),
        }
    }
}
