//! The modules' layers: each top-level module imports only those that stand before it in the table
//! of `src/lib.rs`, and no import goes in a circle between files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Helpers of a few lines that know nothing of netkit's types: any layer may use them.
const HELPERS: [&str; 4] = ["duration", "nearest", "plural", "printable"];

/// The layers in the order of the table in `src/lib.rs`.
fn layers() -> Vec<String> {
    let text = fs::read_to_string("src/lib.rs").expect("src/lib.rs");
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | [`"));
    rows.filter_map(|row| row.split('`').next()).map(String::from).collect()
}

fn sources(dir: &Path, list: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a folder").map(|e| e.expect("an entry").path()) {
        match entry.is_dir() {
            true => sources(&entry, list),
            false if entry.extension().is_some_and(|e| e == "rs") => list.push(entry),
            false => {}
        }
    }
}

/// The code without comments, and without the tests at the end of a file: those may use any layer.
fn code(text: &str) -> String {
    let tests = text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..tests].lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths that begin with `crate::`, groups opened.
fn imports(code: &str) -> BTreeSet<Vec<String>> {
    fn open(prefix: &[String], text: &str, found: &mut BTreeSet<Vec<String>>) {
        let text = text.trim_start();
        if let Some(group) = text.strip_prefix('{') {
            let (mut depth, mut start) = (0, 0);
            for (k, c) in group.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => return open(prefix, &group[start..k], found),
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        open(prefix, &group[start..k], found);
                        start = k + 1;
                    }
                    _ => {}
                }
            }
            return;
        }
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        if end == 0 {
            return;
        }
        let path: Vec<String> = prefix.iter().cloned().chain([text[..end].to_string()]).collect();
        match text[end..].strip_prefix("::") {
            Some(rest) => open(&path, rest, found),
            None => _ = found.insert(path),
        }
    }
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        open(&[], &code[at + "crate::".len()..], &mut found);
    }
    found
}

/// Every source file of the library outside its tests, and what it imports.
fn library() -> BTreeMap<String, BTreeSet<Vec<String>>> {
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files);
    let mut library = BTreeMap::new();
    for file in files {
        let name = file.strip_prefix("src").expect("below src").to_string_lossy().replace('\\', "/");
        let of_tests = name.contains("/tests/") || name.ends_with("/tests.rs");
        let of_the_program =
            name == "main.rs" || ["cli/", "commands/", "platform/"].iter().any(|folder| name.starts_with(folder));
        if !of_tests && !of_the_program && name != "lib.rs" {
            let text = fs::read_to_string(&file).expect("a source file");
            let only_for_tests = text.contains("#![cfg(test)]");
            if !only_for_tests {
                library.insert(name, imports(&code(&text)));
            }
        }
    }
    library
}

/// `flow/table.rs` and `printable.rs` belong to `flow` and `printable`.
fn layer_of(file: &str) -> &str {
    file.split('/').next().unwrap_or(file).trim_end_matches(".rs")
}

#[test]
fn imports_look_down() {
    let layers = layers();
    assert!(layers.len() >= 9, "the table in src/lib.rs: {layers:?}");
    let rank = |name: &str| layers.iter().position(|layer| layer == name);
    let mut wrong = Vec::new();
    let library = library();
    assert!(library.len() > 200, "{} files", library.len());
    for (file, imports) in &library {
        let own = layer_of(file);
        let own_rank = rank(own);
        assert!(own_rank.is_some() || HELPERS.contains(&own), "{own} is not in the table of src/lib.rs");
        for path in imports {
            let other = path[0].as_str();
            if other == own || HELPERS.contains(&other) {
                continue;
            }
            match (own_rank, rank(other)) {
                (Some(own), Some(other)) if other < own => {}
                _ => wrong.push(format!("{file}: crate::{}", path.join("::"))),
            }
        }
    }
    assert!(wrong.is_empty(), "imports that look up:\n{}", wrong.join("\n"));
}

#[test]
fn the_reader_of_imports_reads() {
    let found = imports("use crate::{a, b::{C, d::E}};\nfn f() { crate::g::h() }");
    let found: Vec<String> = found.iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["a", "b::C", "b::d::E", "g::h"]);
    assert_eq!(code("a\n// crate::x\n#[cfg(test)]\nmod tests {\n}"), "a");
}
