//! Words and openings that need a second reading are not used in comments, pages, help, errors and notes. The page
//! `contributing` has the rules.

mod common;

use common::{ends_in, entries, root};
use std::fs;
use std::path::Path;

/// A doc comment begins with a verb or a noun phrase: none of these, and no question.
const OPENINGS: [&str; 8] = ["What ", "How ", "So many ", "Who ", "Where ", "Which ", "Why ", "Whose "];

/// Words, and what to write instead.
const WORDS: [(&str, &str); 6] = [
    ("tells", "prints, reports, shows"),
    ("told", "printed, reported, shown"),
    ("behind", "after"),
    ("so many", "at most, the number of"),
    ("is well,", "is right"),
    ("stands", "is"),
];

/// Lines with such a word that are right: the end of the file's name, and a part of the line.
const RIGHT: [(&str, &str); 5] = [
    // The page shows the words that are not used.
    ("docs/contributing.md", "`// The last one is told by what stands behind it.`"),
    // The term for time zones.
    ("tests/tables.rs", "Newfoundland is behind UTC"),
    // Names in the code, and the text of a hint.
    ("src/nearest.rs", "did you mean"),
    ("nano/memory.rs", "`told` changes the number"),
    ("path/estimate.rs", "fewer than `TOLD` losses"),
];

/// The files with this ending below a folder.
fn files(folder: &str, ending: &str) -> Vec<String> {
    fn below(folder: &Path, ending: &str, list: &mut Vec<String>) {
        for entry in entries(folder) {
            match entry.is_dir() {
                true => below(&entry, ending, list),
                false if ends_in(&entry, ending) => {
                    let path = entry.strip_prefix(root()).expect("below the project");
                    list.push(path.to_string_lossy().replace('\\', "/"));
                }
                false => {}
            }
        }
    }
    let mut list = Vec::new();
    below(&root().join(folder), ending, &mut list);
    assert!(!list.is_empty(), "{folder}: no file ends in {ending}");
    list
}

fn lines_of(file: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(file)).expect("a text file");
    text.lines().map(String::from).collect()
}

/// The first of the words that a line has, as a word of its own.
fn word_of(line: &str) -> Option<(&'static str, &'static str)> {
    let line = line.to_lowercase();
    let alone = |at: usize, word: &str| {
        let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !inside(line[..at].chars().next_back()) && !inside(line[at + word.len()..].chars().next())
    };
    WORDS.into_iter().find(|(word, _)| line.match_indices(word).any(|(at, _)| alone(at, word)))
}

/// The words in these lines of a file, and what to write instead.
fn found<'a>(file: &str, lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<String> {
    let right = |line: &str| RIGHT.iter().any(|(ending, part)| file.ends_with(ending) && line.contains(part));
    let all = lines.filter(|(_, line)| !right(line));
    all.filter_map(|(at, line)| {
        let (word, instead) = word_of(line)?;
        Some(format!("{file}:{}: {word:?}: write {instead}: {}", at + 1, line.trim()))
    })
    .collect()
}

#[test]
fn comments() {
    let mut wrong = Vec::new();
    for file in files("src", "rs").into_iter().chain(files("tests", "rs")) {
        let lines = lines_of(&file);
        let comment = |line: &str| line.trim_start().starts_with("//");
        wrong.extend(found(&file, lines.iter().map(String::as_str).enumerate().filter(|(_, line)| comment(line))));
        let doc = |line: &str| {
            let line = line.trim_start();
            line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(|text| text.trim().to_string())
        };
        for (at, line) in lines.iter().enumerate() {
            let first = at == 0 || doc(&lines[at - 1]).is_none();
            let Some(text) = doc(line).filter(|_| first) else { continue };
            let sentence = text.split_inclusive(['.', '?', '`']).next().unwrap_or_default();
            if OPENINGS.iter().any(|opening| text.starts_with(opening)) || sentence.ends_with('?') {
                wrong.push(format!("{file}:{}: begin with a verb or a noun phrase: {text}", at + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
}

/// Pages, help, errors and notes, as people read them.
#[test]
fn texts() {
    let mut all = files("src", "md");
    all.extend(["README.md", "completions/netkit.1"].map(String::from));
    all.extend(files("tests/golden", "txt"));
    let mut wrong = Vec::new();
    for file in all {
        wrong.extend(found(&file, lines_of(&file).iter().map(String::as_str).enumerate()));
    }
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
}
