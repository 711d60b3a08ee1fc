//! The library's public paths: every item that another program can name, without methods and fields.
//! `tests/golden/public.txt` shows every change; `NETKIT_BLESS=1 cargo test --test public` writes it.
//!
//! The paths are read from the sources, because rustdoc's JSON, which is exact, needs a nightly compiler. So public
//! modules, items and `pub use` must start at the beginning of a line. `#[doc(hidden)]` items are not public. Items
//! made by macros (the numbers of `codec::layout`) are not found.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const LIST: &str = "tests/golden/public.txt";
const ITEMS: [&str; 10] =
    ["fn ", "const fn ", "struct ", "enum ", "union ", "trait ", "const ", "static ", "type ", "macro_rules! "];

/// The file of a module, given the folder of its submodules.
fn file_of(folder: &Path) -> PathBuf {
    let (alone, inner) = (folder.with_extension("rs"), folder.join("mod.rs"));
    assert!(alone.exists() != inner.exists(), "{}: one file a module", folder.display());
    if alone.exists() { alone } else { inner }
}

/// The names that `a::{b, c as d}` imports.
fn names(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    if let Some((_, group)) = tree.split_once('{') {
        let group = group.strip_suffix('}').expect("a group's end");
        assert!(!group.contains('{'), "groups within groups are not read: {tree}");
        return group.split(',').flat_map(names).collect();
    }
    let name = tree.rsplit("::").next().unwrap_or(tree);
    let name = name.rsplit(" as ").next().unwrap_or(name).trim();
    if name.is_empty() { Vec::new() } else { vec![name.into()] }
}

/// Lists the public items in a module's text.
fn list(path: &str, folder: &Path, text: &str, found: &mut BTreeSet<String>) {
    let mut hidden = false;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line == "#[doc(hidden)]" {
            hidden = true;
            continue;
        }
        let Some(rest) = line.strip_prefix("pub ") else {
            // Other attributes and comments may be between it and the item.
            hidden &= line.starts_with("#[") || line.starts_with("//");
            continue;
        };
        if std::mem::take(&mut hidden) {
            continue;
        }
        if let Some(module) = rest.strip_prefix("mod ") {
            let name = module.trim_end_matches(['{', ';', ' ']);
            let (path, folder) = (format!("{path}::{name}"), folder.join(name));
            let text = match module.ends_with(';') {
                true => fs::read_to_string(file_of(&folder)).expect("a source file"),
                false => {
                    let inside = lines.by_ref().take_while(|line| *line != "}");
                    inside.map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect()
                }
            };
            found.insert(path.clone());
            list(&path, &folder, &text, found);
        } else if let Some(used) = rest.strip_prefix("use ") {
            let mut used = used.to_string();
            while !used.ends_with(';') {
                used += lines.next().expect("a semicolon").trim();
            }
            let used = used.trim_end_matches(';');
            match used.strip_suffix("::*") {
                // `pub use` of everything in a private module.
                Some(module) => {
                    let folder = folder.join(module);
                    list(path, &folder, &fs::read_to_string(file_of(&folder)).expect("a source file"), found);
                }
                None => found.extend(names(used).into_iter().map(|name| format!("{path}::{name}"))),
            }
        } else {
            let item = ITEMS.iter().find_map(|word| rest.strip_prefix(word));
            let item = item.unwrap_or_else(|| panic!("{path}: not read: {line}"));
            let end = item.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(item.len());
            found.insert(format!("{path}::{}", &item[..end]));
        }
    }
}

#[test]
fn public_paths() {
    let mut found = BTreeSet::new();
    list("netkit", Path::new("src"), &fs::read_to_string("src/lib.rs").expect("src/lib.rs"), &mut found);
    // The items that other programs start with.
    for path in ["capture::Packets", "codec::layout::array", "dissect::Dissector", "encode::Encoders", "filter::Filter"]
    {
        assert!(found.contains(&format!("netkit::{path}")), "{path}");
    }
    let text = found.iter().map(|path| format!("{path}\n")).collect::<String>();
    if std::env::var_os("NETKIT_BLESS").is_some() {
        fs::write(LIST, &text).expect("writable");
    }
    let before = fs::read_to_string(LIST).unwrap_or_default();
    let before: BTreeSet<&str> = before.lines().collect();
    let now: BTreeSet<&str> = text.lines().collect();
    let (new, gone): (Vec<_>, Vec<_>) = (now.difference(&before).collect(), before.difference(&now).collect());
    assert!(new.is_empty() && gone.is_empty(), "public paths: new {new:#?}, gone {gone:#?}: NETKIT_BLESS=1 if wanted");
}

#[test]
fn what_is_read() {
    let mut found = BTreeSet::new();
    let text = "pub(crate) mod a;\nmod b;\npub use a::{B, c as d,\n    E};\npub use b::F;\npub const fn g() {}\n\
                #[doc(hidden)]\n#[inline]\npub fn h() {}\npub struct I<'a>(u8);\n    pub fn j() {}\npub mod k {\n    pub const L: u8 = 0;\n}\n";
    list("x", Path::new("nowhere"), text, &mut found);
    let expected = ["x::B", "x::E", "x::F", "x::I", "x::d", "x::g", "x::k", "x::k::L"];
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}
