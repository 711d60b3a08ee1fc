//! Words and openings that need a second reading are not used in comments, pages, help, errors and notes, nor in the
//! texts of the sources. The page `contributing` has the rules.

mod common;

use common::{ends_in, entries, root};
use std::fs;
use std::path::Path;

/// A doc comment begins with a verb or a noun phrase: none of these, and no question.
const OPENINGS: [&str; 8] = ["What ", "How ", "So many ", "Who ", "Where ", "Which ", "Why ", "Whose "];

/// Words, and what to write instead.
const WORDS: [(&str, &str); 20] = [
    ("tell", "print, report, show"),
    ("tells", "prints, reports, shows"),
    ("told", "printed, reported, shown"),
    ("said", "sent, printed, reported"),
    ("behind", "after"),
    ("so many", "at most, the number of"),
    ("is well,", "is right"),
    ("stand", "are"),
    ("stands", "is"),
    ("either end", "either endpoint"),
    ("we know", "known"),
    ("all the same", "still"),
    ("a line a message", "one line for each message"),
    ("piece", "chunk, segment, fragment, payload"),
    ("pieces", "chunks, segments, fragments, payloads"),
    ("maker", "builder, or what it makes"),
    ("wishes", "choices, settings"),
    ("unsaid", "unsent"),
    ("untold", "deferred, not reported"),
    ("came", "arrived, was sent"),
];

/// Lines with such a word that are right: the end of the file's name, and a part of the line.
const RIGHT: [(&str, &str); 3] = [
    // The term for time zones.
    ("tests/tables.rs", "Newfoundland is behind UTC"),
    // A key of protocol files, for the fields that a probe prints.
    ("docs/protocol_files.md", "tell   = [\"name\", \"players\"]"),
    ("schema/parse/keys.rs", "send fields answer expect again tell retries"),
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

/// The first of the words that a line has, as a word of its own. Names of the code (in backquotes) may be any.
fn word_of(line: &str) -> Option<(&'static str, &'static str)> {
    let line: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`").to_lowercase();
    WORDS.into_iter().find(|(word, _)| has(&line, word))
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

/// A source file, divided.
struct Source {
    /// The texts in double quotes, with the numbers of their lines from 0.
    literals: Vec<(usize, String)>,
    /// Everything else without comments, in the lines of the file.
    code: String,
}

/// Divides a source file.
fn divided(source: &str) -> Source {
    let (mut list, mut code, mut line, mut rest) = (Vec::new(), String::new(), 0, source);
    while let Some(first) = rest.chars().next() {
        let comment = rest.starts_with("//").then(|| rest.find('\n').unwrap_or(rest.len()));
        let raw = (1..4).map(|n| "#".repeat(n)).find(|marks| rest.starts_with(&format!("r{marks}\"")));
        let length = match (comment, raw, first) {
            (Some(length), ..) => length,
            (_, Some(marks), _) => {
                let begin = marks.len() + 2;
                let end = rest[begin..].find(&format!("\"{marks}")).expect("the end of a raw text");
                list.push((line, rest[begin..begin + end].to_string()));
                begin + end + begin - 1
            }
            (_, _, '"') => {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                let end = end.expect("the end of a text");
                list.push((line, rest[1..1 + end].to_string()));
                end + 2
            }
            // A quote as a character.
            (_, _, '\'') if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") => {
                rest[1..].find('\'').expect("its end") + 2
            }
            _ => {
                code.extend((first != '\n').then_some(first));
                first.len_utf8()
            }
        };
        let lines = rest[..length].matches('\n').count();
        code.extend(std::iter::repeat_n('\n', lines));
        line += lines;
        rest = &rest[length..];
    }
    Source { literals: list, code }
}

/// The texts in double quotes of a source file, without its tests, with the numbers of their lines from 0.
fn literals(source: &str) -> Vec<(usize, String)> {
    divided(source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()).literals
}

/// Words that are no parts of names, since a term of the field says the same.
const IN_NAMES: [&str; 21] = [
    "tell", "tells", "told", "said", "behind", "stand", "stands", "hear", "heard", "hole", "holes", "fate", "whoever",
    "piece", "pieces", "maker", "wishes", "unsaid", "untold", "came", "beside",
];

/// Keys of protocol files, and the files that read or test them under their names.
const KEYS: [(&str, &[&str]); 2] = [
    ("tell", &["codec/schema/text.rs", "codec/schema/parse/traffic.rs", "protocols/described/probe.rs"]),
    (
        "beside",
        &[
            "codec/schema/compose.rs",
            "codec/schema/text.rs",
            "codec/schema/parse/mod.rs",
            "protocols/described/description.rs",
            "protocols/described/session/others.rs",
            "protocols/described/load.rs",
            "commands/described.rs",
            "common/mod.rs",
            "described/mod.rs",
            "described/beside.rs",
        ],
    ),
];

/// The words of a name: `behind_gap` and `BehindGap` are of two.
fn parts(name: &str) -> Vec<String> {
    let mut list = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if c == '_' || c.is_uppercase() && lower {
            list.push(String::new());
        }
        lower = c.is_lowercase();
        list.last_mut().expect("a word").extend(c.to_lowercase().filter(|c| *c != '_'));
    }
    list
}

#[test]
fn names() {
    let mut wrong = Vec::new();
    for file in files("src", "rs").into_iter().chain(files("tests", "rs")) {
        let source = fs::read_to_string(root().join(&file)).expect("a source");
        let is_key = |name: &str| {
            KEYS.iter().any(|(key, endings)| *key == name && endings.iter().any(|ending| file.ends_with(ending)))
        };
        for (at, line) in divided(&source).code.lines().enumerate() {
            let names = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !is_key(name));
            let bad = names.filter(|name| parts(name).iter().any(|part| IN_NAMES.contains(&part.as_str())));
            wrong.extend(bad.map(|name| format!("{file}:{}: {name}", at + 1)));
        }
    }
    assert!(wrong.is_empty(), "{} names:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn names_are_divided() {
    assert_eq!(parts("after_gap"), ["after", "gap"]);
    assert_eq!(parts("AfterGap2"), ["after", "gap2"]);
    assert_eq!(divided("let a = \"b\"; // c\nr#\"d\n\"#; e").code, "let a = ; \n\n; e");
}

#[test]
fn literals_are_found() {
    let source = "a('\"', \"x\\\"y\"); // \"no\"\n\nb(r#\"p\"q\"#, '\\\"', \"z\")\n#[cfg(test)]\nmod tests { \"not\" }";
    let found = literals(source);
    assert_eq!(found, [(0, "x\\\"y".to_string()), (2, "p\"q".to_string()), (2, "z".to_string())]);
}

/// Errors, notes and help, as the sources have them.
#[test]
fn messages() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for file in files("src", "rs").into_iter().filter(|file| !file.contains("/tests") && !file.ends_with("_tests.rs")) {
        let source = fs::read_to_string(root().join(&file)).expect("a source");
        let list = literals(&source);
        // A text of one word is a name.
        let texts = list
            .iter()
            .flat_map(|(at, text)| text.lines().map(|line| (*at, line)))
            .filter(|(_, line)| line.contains(' '));
        let texts: Vec<_> = texts.collect();
        count += texts.len();
        wrong.extend(found(&file, texts.into_iter()));
    }
    assert!(count > 2000, "where are the texts? {count}");
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
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
    all.extend(["README.md", "CHANGELOG.md", "completions/netkit.1"].map(String::from));
    all.extend(files("tests/golden", "txt"));
    let mut wrong = Vec::new();
    for file in all {
        wrong.extend(found(&file, lines_of(&file).iter().map(String::as_str).enumerate()));
    }
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
}

/// Synonyms of terms, which the glossary does not use: each thing has one name.
const SYNONYMS: [(&str, &[&str]); 10] = [
    ("acknowledgement", &["acknowledgment", "acknowledgments"]),
    ("conversation", &["5-tuple", "five-tuple"]),
    ("duplicate", &["dup", "dups"]),
    ("endpoint", &["both ends", "either end", "other end"]),
    ("evidence", &["heuristic", "heuristics"]),
    ("fault", &["parse error", "decode error"]),
    ("gap", &["hole", "holes"]),
    ("outcome", &["fate", "fates"]),
    ("resent", &["re-sent", "resent again"]),
    ("round trip", &["roundtrip", "round-trip time"]),
];

/// Whether the text has the words, not as a part of longer ones.
fn has(text: &str, words: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(words)
        .any(|(at, _)| !inside(text[..at].chars().next_back()) && !inside(text[at + words.len()..].chars().next()))
}

/// Every term of the glossary is used, and no synonym of it.
#[test]
fn terms() {
    let mut pages = files("src", "md");
    pages.extend(["README.md", "completions/netkit.1"].map(String::from));
    let texts: Vec<(String, String)> = pages
        .into_iter()
        .map(|file| {
            let words = lines_of(&file).join(" ").to_lowercase();
            (file, words.split_whitespace().collect::<Vec<_>>().join(" "))
        })
        .collect();
    let glossary = lines_of("src/docs/glossary.md");
    let rows = glossary.iter().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let terms: Vec<&str> = rows.filter(|cell| *cell != "term").flat_map(|cell| cell.split(", ")).collect();
    assert!(terms.len() > 40, "{terms:?}");
    let others = || texts.iter().filter(|(file, _)| !file.ends_with("glossary.md"));
    for term in &terms {
        let used = others().any(|(_, text)| has(text, term) || has(text, &format!("{term}s")));
        assert!(used, "{term:?} is in the glossary and in no other page");
    }
    let mut wrong = Vec::new();
    for (term, synonyms) in SYNONYMS {
        assert!(terms.contains(&term), "{term:?} is not in the glossary");
        for (file, text) in &texts {
            let found = synonyms.iter().filter(|synonym| has(text, synonym));
            wrong.extend(found.map(|synonym| format!("{file}: {synonym:?}: write {term:?}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
