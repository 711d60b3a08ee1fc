//! Structs, enumerations and flags that several fields share: each is written once, under its own name.

use super::lines::{Line, section};

#[derive(Debug)]
struct Section {
    name: String,
    lines: Vec<Line>,
}

/// The structs and names of a file.
#[derive(Debug, Default)]
pub struct Pool {
    structs: Vec<Section>,
    enums: Vec<Section>,
    flags: Vec<Section>,
    /// Names that enumerations must not have, since they mean something else.
    taken: Vec<String>,
}

fn place(list: &mut Vec<Section>, taken: &[String], wanted: &[String], lines: Vec<Line>) -> String {
    if let Some(known) = list.iter().find(|known| known.lines == lines) {
        return known.name.clone();
    }
    let free = |name: &String| !taken.contains(name) && list.iter().all(|known| known.name != *name);
    let last = wanted.last().cloned().unwrap_or_default();
    let numbered = (2..).map(|k| format!("{last}_{k}"));
    let name = wanted.iter().cloned().chain(numbered).find(free).unwrap_or(last);
    list.push(Section { name: name.clone(), lines });
    name
}

impl Pool {
    /// Reserves a name: no enumeration gets it.
    pub fn take(&mut self, name: &str) {
        self.taken.push(name.into());
    }

    /// The name of a struct with these fields.
    pub fn structure(&mut self, wanted: &[String], lines: Vec<Line>) -> String {
        // `one` is the name of the elements of a packet's list.
        place(&mut self.structs, &["one".into()], wanted, lines)
    }

    /// The name of an enumeration.
    pub fn names(&mut self, wanted: &[String], names: &[(u64, &str)]) -> String {
        place(&mut self.enums, &self.taken, wanted, numbers(names))
    }

    /// The name of flags.
    pub fn flags(&mut self, wanted: &[String], names: &[(u64, &str)]) -> String {
        place(&mut self.flags, &[], wanted, numbers(names))
    }

    /// Writes all of them.
    pub fn print(&self, out: &mut String) {
        for (kind, list) in [("struct", &self.structs), ("enum", &self.enums), ("flags", &self.flags)] {
            list.iter().for_each(|one| section(&format!("{kind}.{}", one.name), &one.lines, out));
        }
    }
}

fn numbers(names: &[(u64, &str)]) -> Vec<Line> {
    names.iter().map(|(number, name)| Line::plain(name, number.to_string())).collect()
}
