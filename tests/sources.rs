//! Rules for the text of the sources.

use std::path::{Path, PathBuf};

/// All files below `src`, with their paths from the root.
fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, list: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { walk(&path, list) } else { list.push(path) }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut list = Vec::new();
    walk(&root.join("src"), &mut list);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("text");
        (path.strip_prefix(root).expect("below the root").to_owned(), text)
    };
    let list: Vec<_> = list.into_iter().map(read).collect();
    assert!(list.len() > 200, "where are the sources?");
    list
}

/// The places of `words`, except in files below `allowed`.
fn places(words: &[&str], allowed: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in sources() {
        if !allowed.is_empty() && path.starts_with(allowed) {
            continue;
        }
        for (k, line) in text.lines().enumerate() {
            if words.iter().any(|word| line.contains(word)) {
                found.push(format!("{}:{}: {}", path.display(), k + 1, line.trim()));
            }
        }
    }
    found
}

/// Code for a platform is in one module, with its fallback.
#[test]
fn one_module_asks_for_the_platform() {
    let words = [
        "cfg(unix)",
        "cfg(not(unix))",
        "cfg(windows)",
        "cfg!(windows)",
        "cfg!(unix)",
        "target_os",
        "rustix::",
        "std::os::",
    ];
    assert_eq!(places(&words, "src/platform"), [""; 0]);
    assert!(!places(&words, "").is_empty(), "these words are not searched for");
}

/// Comments and pages cite only documents of the repository.
#[test]
fn citations_can_be_followed() {
    let words = ["facts, section", "(facts", "facts.md", "probe.md", "output.md", "live-peer", "../shared"];
    assert_eq!(places(&words, ""), [""; 0]);
}

/// A section that a comment cites exists in the protocol's page.
#[test]
fn named_sections_are_there() {
    let mut named = 0;
    for (path, text) in sources() {
        let folder = path.components().take(3).collect::<PathBuf>();
        // A comment may continue in the next line.
        let joined = text.replace("\n//! ", " ").replace("\n/// ", " ");
        for rest in joined.split("README.md, \"").skip(1) {
            let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder).join("README.md"));
            let page = page.unwrap_or_else(|_| panic!("{}: there is no page", path.display()));
            let quoted = rest.split(')').next().unwrap_or("");
            let sections = format!("\"{quoted}");
            for section in sections.split('"').skip(1).step_by(2) {
                let heading = format!("## {section}\n");
                assert!(page.contains(&heading), "{}: the page has no section {section:?}", path.display());
                named += 1;
            }
        }
    }
    assert!(named >= 10, "{named}");
}
