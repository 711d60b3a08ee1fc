//! The layers of modules: each top-level module imports only those before it in the table of `src/lib.rs`, and no
//! imports form a circle between files, except for the circles listed here with a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Helpers of a few lines that use none of netkit's types: any layer may import them.
const HELPERS: [&str; 6] = ["duration", "named", "nearest", "plural", "printable", "random"];

/// The layers in the order of the table in `src/lib.rs`.
fn layers() -> Vec<String> {
    let text = fs::read_to_string("src/lib.rs").expect("src/lib.rs");
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | ")?.trim_start_matches('[').strip_prefix('`'));
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

/// The code without comments, and without the tests at the end of a file, which may use any layer.
fn code(text: &str) -> String {
    let tests = text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..tests].lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths that begin with `crate::`, with groups expanded.
fn imports(code: &str) -> BTreeSet<Vec<String>> {
    let from_root = |path: &Import| !path.0.is_empty();
    let code = code.replace("super::", "_::").replace("self::", "_::");
    paths(&code, &[], &BTreeSet::new()).into_iter().filter(from_root).map(|(path, _)| path).collect()
}

/// The code of every source file without tests, by its path below `src`.
fn everything() -> BTreeMap<String, String> {
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files);
    let mut everything = BTreeMap::new();
    for file in files {
        let name = file.strip_prefix("src").expect("below src").to_string_lossy().replace('\\', "/");
        let of_tests = name.contains("/tests/") || name.ends_with("/tests.rs");
        if !of_tests && name != "lib.rs" && name != "main.rs" {
            let text = fs::read_to_string(&file).expect("a source file");
            let only_for_tests = text.contains("#![cfg(test)]");
            if !only_for_tests {
                everything.insert(name, code(&text));
            }
        }
    }
    everything
}

/// The imports of every source file.
fn all_imports() -> BTreeMap<String, BTreeSet<Vec<String>>> {
    everything().into_iter().map(|(name, code)| (name, imports(&code))).collect()
}

/// `flow/table.rs` and `printable.rs` belong to `flow` and `printable`.
fn layer_of(file: &str) -> &str {
    file.split('/').next().unwrap_or(file).trim_end_matches(".rs")
}

/// A path as written in code, and its name: that after `as`, or its last word.
type Import = (Vec<String>, String);

/// The paths that begin with `crate`, `self`, `super` or one of `children`, with groups expanded, as paths from the
/// crate's root. `own` is the module of the code.
fn paths(code: &str, own: &[String], children: &BTreeSet<String>) -> Vec<Import> {
    let mut found = Vec::new();
    let word = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in code.match_indices("::") {
        let start = code[..at].rfind(|c| !word(c)).map_or(0, |k| k + 1);
        let (before, first) = (&code[..start], &code[start..at]);
        if before.ends_with("::") || before.ends_with('$') {
            continue;
        }
        let (mut from, mut rest): (Vec<String>, &str) = match first {
            "crate" => (Vec::new(), &code[at + 2..]),
            "self" => (own.to_vec(), &code[at + 2..]),
            "super" => (own[..own.len().saturating_sub(1)].to_vec(), &code[at + 2..]),
            child if children.contains(child) => ([own, &[child.to_string()]].concat(), &code[at + 2..]),
            _ => continue,
        };
        while let Some(more) = rest.strip_prefix("super::") {
            from.pop();
            rest = more;
        }
        open(&from, rest, &mut found);
    }
    found
}

/// Expands groups: `{a, b::{C, d as e}}`.
fn open(prefix: &[String], text: &str, found: &mut Vec<Import>) {
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
    if text.starts_with('*') {
        return found.push((prefix.to_vec(), "*".into()));
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    if end == 0 {
        return;
    }
    let path: Vec<String> = match &text[..end] {
        "self" => prefix.to_vec(),
        word => prefix.iter().cloned().chain([word.to_string()]).collect(),
    };
    if let Some(rest) = text[end..].strip_prefix("::") {
        return open(&path, rest, found);
    }
    let alias = text[end..].trim_start().strip_prefix("as ").map(str::trim_start);
    let alias = alias.map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(text));
    let name = alias.map(String::from).or_else(|| path.last().cloned()).unwrap_or_default();
    found.push((path, name));
}

/// A module, read from its source file.
struct Module {
    file: String,
    /// Items of other modules that it re-exports: name and path.
    hands_on: BTreeMap<String, Vec<String>>,
    /// Modules that it re-exports with `*`.
    all_of: Vec<Vec<String>>,
    /// The items it defines, found by the keyword before the name.
    defines: BTreeSet<String>,
    /// The paths it uses itself.
    uses: Vec<Vec<String>>,
}

/// All modules of files, by their paths.
fn modules(files: &BTreeMap<String, String>) -> BTreeMap<Vec<String>, Module> {
    let mut all = BTreeMap::new();
    for (file, code) in files {
        let mut own: Vec<String> = file.trim_end_matches(".rs").split('/').map(String::from).collect();
        own.pop_if(|last| last == "mod");
        let words = |line: &str| line.split_whitespace().map(String::from).collect::<Vec<_>>();
        let children = code.lines().filter_map(|line| {
            let words = words(line.trim().strip_suffix(';')?);
            let [.., kind, name] = &words[..] else { return None };
            (kind == "mod").then(|| name.clone())
        });
        let children: BTreeSet<String> = children.collect();
        // `pub use` re-exports; if the file also uses the item, it is an import as well.
        let (mut handing, mut rest, mut inside) = (String::new(), String::new(), false);
        for line in code.lines() {
            let text = line.trim_start();
            inside |= text.starts_with("pub") && text.split('{').next().is_some_and(|t| t.contains(" use "));
            let to = if inside { &mut handing } else { &mut rest };
            to.push_str(line);
            to.push('\n');
            inside &= !text.contains(';');
        }
        let mut uses: Vec<Vec<String>> = paths(&rest, &own, &children).into_iter().map(|(path, _)| path).collect();
        let (mut hands_on, mut all_of) = (BTreeMap::new(), Vec::new());
        for (path, name) in paths(&handing, &own, &children) {
            if name == "*" {
                all_of.push(path);
                continue;
            }
            let mut words = rest.split(|c: char| !c.is_alphanumeric() && c != '_');
            if words.any(|word| word == name) {
                uses.push(path.clone());
            }
            hands_on.insert(name, path);
        }
        let words: Vec<&str> =
            rest.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
        let kinds = ["fn", "struct", "enum", "trait", "type", "const", "static", "union"];
        let defines =
            words.windows(2).filter(|pair| kinds.contains(&pair[0])).map(|pair| pair[1].to_string()).collect();
        all.insert(own, Module { file: file.clone(), hands_on, all_of, defines, uses });
    }
    all
}

/// The module that defines the item of a path, through re-exports.
fn defined<'a>(all: &'a BTreeMap<Vec<String>, Module>, path: &[String], depth: usize) -> Option<&'a Module> {
    let length = (1..=path.len()).rev().find(|&n| all.contains_key(&path[..n]))?;
    let module = &all[&path[..length]];
    let (Some(name), true) = (path.get(length), depth < 8) else { return Some(module) };
    if let Some(target) = module.hands_on.get(name) {
        let whole = [target, &path[length + 1..]].concat();
        return defined(all, &whole, depth + 1);
    }
    let by_glob = module.all_of.iter().filter_map(|target| defined(all, target, depth + 1));
    Some(
        by_glob
            .filter(|_| !module.defines.contains(name))
            .find(|target| target.defines.contains(name))
            .unwrap_or(module),
    )
}

/// Groups of files that import one another in a circle, each within one top-level module. A module's own file and the
/// files below it are one module in parts, so imports between them do not count.
fn circles(files: &BTreeMap<String, String>) -> Vec<BTreeSet<String>> {
    let below = |from: &str, to: &str| {
        let folder = from.strip_suffix("mod.rs").map_or_else(|| from.replace(".rs", "/"), String::from);
        to.starts_with(&folder)
    };
    circles_of(files, &|from, to| layer_of(from) == layer_of(to) && !below(from, to))
}

/// The same, with `counts` deciding which imports count.
fn circles_of(files: &BTreeMap<String, String>, counts: &dyn Fn(&str, &str) -> bool) -> Vec<BTreeSet<String>> {
    let all = modules(files);
    let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for module in all.values() {
        let targets = module.uses.iter().filter_map(|path| defined(&all, path, 0));
        let targets = targets.map(|target| target.file.as_str()).filter(|file| *file != module.file);
        edges.insert(&module.file, targets.filter(|file| counts(&module.file, file)).collect());
    }
    let reached = |from: &str| {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![from.to_string()]);
        while let Some(file) = todo.pop() {
            for next in &edges[file.as_str()] {
                if seen.insert(next.to_string()) {
                    todo.push(next.to_string());
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&str, BTreeSet<String>> = edges.keys().map(|file| (*file, reached(file))).collect();
    let mut groups = BTreeSet::new();
    for (file, reached) in &reach {
        if reached.contains(*file) {
            groups.insert(reached.iter().filter(|other| reach[other.as_str()].contains(*file)).cloned().collect());
        }
    }
    groups.into_iter().collect()
}

#[test]
fn imports_look_down() {
    let layers = layers();
    assert!(layers.len() >= 9, "the table in src/lib.rs: {layers:?}");
    let rank = |name: &str| layers.iter().position(|layer| layer == name);
    let mut wrong = Vec::new();
    let files = all_imports();
    assert!(files.len() > 200, "{} files", files.len());
    for (file, imports) in &files {
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

/// The existing circles: files of one top-level module that depend on one another, with the reason. A circle that is
/// not listed, or that includes another file, fails; so does an entry that is no circle any more.
const KNOWN: [(&[&str], &str); 10] = [
    (
        &["capture/classic.rs", "capture/file.rs", "capture/input.rs", "capture/pcapng.rs", "capture/record.rs"],
        "an input knows how its capture is opened once more, and a capture reads an input",
    ),
    (
        &["capture/layers/ether.rs", "capture/layers/link.rs", "capture/layers/ppp.rs", "capture/layers/wifi.rs"],
        "link layers carry one another: Ethernet carries PPP and Ethernet, PPP and 802.11 what Ethernet carries",
    ),
    (
        &[
            "codec/bits.rs",
            "codec/context.rs",
            "codec/kinds/checksum.rs",
            "codec/kinds/chosen.rs",
            "codec/kinds/constant.rs",
            "codec/kinds/extended.rs",
            "codec/kinds/mod.rs",
            "codec/kinds/numeral.rs",
            "codec/kinds/packed.rs",
            "codec/kinds/parts.rs",
            "codec/kinds/region.rs",
            "codec/kinds/ring.rs",
            "codec/kinds/settled.rs",
            "codec/layout/kind.rs",
            "codec/layout/words.rs",
            "codec/names.rs",
            "codec/protobuf/mod.rs",
            "codec/reader/mod.rs",
            "codec/reader/value.rs",
            "codec/sampler/mod.rs",
            "codec/tree.rs",
            "codec/walk.rs",
            "codec/writer/mod.rs",
        ],
        "a kind holds what reads, writes and samples it: so fields know reader, writer and sampler, and these know fields",
    ),
    (
        &[
            "dissect/dissector.rs",
            "dissect/facts.rs",
            "dissect/flow_info.rs",
            "dissect/message.rs",
            "dissect/options.rs",
        ],
        "options hold the registry of dissectors, and a dissector is given options: both are the interface of a protocol",
    ),
    (
        &["flow/drive.rs", "flow/entry.rs", "flow/epoch.rs", "flow/handler.rs", "flow/partition.rs", "flow/tcp.rs"],
        "the trait `Handler` is told of `Moved` entries and of an epoch's `Report`, which the table makes of entries that call the handler",
    ),
    (
        &[
            "live/clients.rs",
            "live/probe/engine.rs",
            "live/probe/method.rs",
            "live/probe/session.rs",
            "live/probe/verdict.rs",
        ],
        "a request names the clients there are, and a client's questions are asked by the engine, for a request",
    ),
    (
        &["protocols/dnp/commands.rs", "protocols/dnp/reliable.rs", "protocols/dnp/session.rs"],
        "the order of reliable messages is kept by the session, and what comes in order is read as the session's commands",
    ),
    (
        &["protocols/gne/embedded.rs", "protocols/gne/layout.rs"],
        "packets nest in packets: the field of an embedded packet has the table of packets, in which it stands",
    ),
    (
        &["live/replay/actor.rs", "live/replay/life.rs"],
        "an actor tells its life and its rules, which are made of what it is given and say what becomes of a message",
    ),
    (
        &["protocols/nano/memory.rs", "protocols/nano/settings.rs"],
        "settings hold a dictionary as memory has it, and memory is made with settings",
    ),
];

#[test]
fn circles_between_files_have_a_reason() {
    let files = everything();
    assert!(files.len() > 250, "{} files", files.len());
    let circles = circles(&files);
    let listed = |circle: &BTreeSet<String>, files: &[&str]| circle.iter().all(|file| files.contains(&file.as_str()));
    let new: Vec<_> = circles.iter().filter(|c| !KNOWN.iter().any(|(files, _)| listed(c, files))).collect();
    assert!(new.is_empty(), "files that import one another in a circle, without a reason in KNOWN: {new:#?}");
    for (files, reason) in KNOWN {
        assert!(reason.len() > 20, "{files:?}: a reason");
        assert!(circles.iter().any(|circle| listed(circle, files)), "no circle any more, take it out: {files:?}");
    }
}

/// The program has layers, too: the files of options below the commands, the dispatch above all of them. Here each
/// import counts, also one from a module's own file to a file below it.
#[test]
fn the_program_is_in_layers() {
    let of_the_program = |file: &str| ["cli", "commands", "platform", "process"].contains(&layer_of(file));
    let files: BTreeMap<_, _> = everything().into_iter().filter(|(file, _)| of_the_program(file)).collect();
    assert!(files.len() > 60, "{} files", files.len());
    let order = ["platform", "cli", "process", "commands"];
    let rank = |file: &str| order.iter().position(|layer| *layer == layer_of(file));
    let (all, mut wrong) = (modules(&files), Vec::new());
    for module in all.values() {
        let used = module.uses.iter().filter(|path| order.contains(&path[0].as_str()));
        for target in used.filter_map(|path| defined(&all, path, 0)) {
            let up = rank(&target.file) > rank(&module.file);
            if up || ["commands/mod.rs", "process/mod.rs"].contains(&target.file.as_str()) && module.file != target.file
            {
                wrong.push(format!("{} imports {}", module.file, target.file));
            }
        }
    }
    assert!(wrong.is_empty(), "imports that look up:\n{}", wrong.join("\n"));
    let circles = circles_of(&files, &|_, _| true);
    let large: Vec<_> = circles.iter().filter(|circle| circle.len() > 3).collect();
    assert!(large.is_empty(), "circles: {large:#?}");
}

/// Tests the reader of imports: groups, `super`, children, re-exports.
#[test]
fn circles_are_found() {
    let tree = |files: &[(&str, &str)]| {
        let files = files.iter().map(|(file, code)| (file.to_string(), code.to_string()));
        circles(&files.collect()).into_iter().map(Vec::from_iter).collect::<Vec<_>>()
    };
    let found = |a: &str, b: &str, owner: &str| tree(&[("m/mod.rs", owner), ("m/a.rs", a), ("m/b.rs", b)]);
    let circle = vec![vec!["m/a.rs".to_string(), "m/b.rs".to_string()]];
    let none = Vec::<Vec<String>>::new();
    assert_eq!(found("use super::b::B;", "use crate::m::a::A;", ""), circle);
    assert_eq!(found("use super::{x, b::{self, C}};", "fn f() { super::a::g() }", ""), circle);
    assert_eq!(found("use super::B as C;", "use super::a::*;", "mod a;\nmod b;\npub use b::B;"), circle);
    assert_eq!(found("use super::C;", "use super::a;", "pub(crate) use self::b::B as C;"), circle);
    assert_eq!(found("use super::B;", "use super::a;", "mod b;\npub use b::*;"), none);
    assert_eq!(found("use super::B;", "use super::a;\npub struct B;", "mod b;\npub use b::*;"), circle);
    assert_eq!(found("use super::{D};", "use super::a;", "mod b;\npub use b::*;\nstruct D;"), none);
    assert_eq!(found("use super::b::B;", "use super::Owned;", "mod a;\nuse a::A;\npub struct Owned;"), none);
    assert_eq!(found("use super::b::B;", "use super::c::C;", ""), none);
    let deep = [("m/a.rs", "use super::b::x::X;"), ("m/b/mod.rs", ""), ("m/b/x.rs", "use super::super::a::A;")];
    assert_eq!(tree(&deep), [["m/a.rs", "m/b/x.rs"]]);
}
