//! Golden files: commands and their output, as a user sees them.
//!
//! `tests/golden/*.txt` and the `console` blocks of README.md and of the pages (src/docs, src/protocols/*/README.md)
//! hold lines `$ COMMAND`, each followed by its output, and by `[exit N]` if the status is not 0. Commands run in a
//! shell at the project's root with `netkit` on the path. `NETKIT_BLESS=1 cargo test --test golden` writes the output
//! into the files of tests/golden (never into pages): read the difference before you commit it.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a command line; returns its output, and its status if that is not 0.
fn run(command: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_netkit"));
    let path =
        format!("{}:{}", binary.parent().expect("a folder").display(), std::env::var("PATH").unwrap_or_default());
    let done = Command::new("sh")
        .args(["-c", command])
        .current_dir(root())
        .env("PATH", path)
        .env_remove("COLUMNS")
        .env_remove("NO_COLOR")
        .env_remove("NETKIT_SCHEMA")
        .output()
        .expect("a shell");
    let mut text = String::from_utf8_lossy(&done.stdout).into_owned();
    text += &String::from_utf8_lossy(&done.stderr);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    match done.status.code() {
        Some(0) => text,
        code => format!("{text}[exit {}]\n", code.unwrap_or(-1)),
    }
}

/// The commands of a text, each with its expected output.
fn commands(text: &str) -> Vec<(String, String)> {
    let mut list: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), list.last_mut()) {
            (Some(command), _) => list.push((command.into(), String::new())),
            (None, Some((command, _))) if command.ends_with('\\') => {
                command.pop();
                command.push_str(line.trim_start());
            }
            (None, Some((_, output))) => {
                output.push_str(line);
                output.push('\n');
            }
            (None, None) => {}
        }
    }
    list
}

/// The reason why these commands test nothing: there is none, or one has no expected output, so that it would pass
/// whatever the program did. `None`: they test something.
fn empty(list: &[(String, String)]) -> Option<String> {
    if list.is_empty() {
        return Some("no command".into());
    }
    let (command, _) = list.iter().find(|(_, output)| output.trim().is_empty())?;
    Some(format!("$ {command}: no output"))
}

/// Compares a golden file with the output of its commands; returns the differences, and the file's correct text.
fn compared(text: &str) -> (Vec<String>, String) {
    let list = commands(text);
    let (mut wrong, mut new) = (Vec::from_iter(empty(&list)), String::new());
    for (command, expected) in &list {
        let got = run(command);
        if trimmed(&got) != trimmed(expected) {
            wrong.push(format!("$ {command}\n--- expected\n{expected}--- got\n{got}"));
        }
        // A command without output cannot be blessed: no text could test it.
        wrong.extend(got.trim().is_empty().then(|| format!("$ {command}: prints nothing")));
        new += &format!("$ {command}\n{}\n\n", trimmed(&got));
    }
    (wrong, trimmed(&new) + "\n")
}

/// Removes blank lines at the end: they separate commands.
fn trimmed(text: &str) -> String {
    text.trim_end_matches('\n').lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn golden_files() {
    let bless = std::env::var_os("NETKIT_BLESS").is_some();
    let mut wrong = Vec::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("tests/golden"))
        .expect("the folder")
        .map(|e| e.expect("an entry").path())
        .collect();
    // tests/public.rs owns the list of public paths.
    files.retain(|file| !file.ends_with("public.txt"));
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("text");
        if bless && !commands(&text).is_empty() {
            std::fs::write(&file, compared(&text).1).expect("written");
        } else {
            wrong.extend(compared(&text).0.into_iter().map(|what| format!("{}: {what}", file.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An empty golden file fails, and so does one with a command without expected output.
#[test]
fn what_holds_nothing_fails() {
    for (text, why) in [
        ("", "no command"),
        ("\n\n", "no command"),
        ("a remark\n", "no command"),
        ("$ echo a", "$ echo a: no output"),
        ("$ echo a\na\n\n$ echo b\n\n", "$ echo b: no output"),
        ("$ true\n", "$ true: no output"),
    ] {
        let (wrong, _) = compared(text);
        assert_eq!(wrong.first().map(String::as_str), Some(why), "{text:?}");
    }
    let (wrong, new) = compared("$ echo a\nb\n\n$ true\n");
    assert_eq!(wrong.len(), 3, "{wrong:?}");
    assert_eq!(new, "$ echo a\na\n\n$ true\n");
    assert_eq!(compared("$ echo a\na\n\n$ false\n[exit 1]\n").0, Vec::<String>::new());
}

/// All pages that may have `console` blocks.
fn pages() -> Vec<PathBuf> {
    let mut list = vec![root().join("README.md")];
    for folder in ["src/docs", "src/protocols"] {
        for entry in std::fs::read_dir(root().join(folder)).expect("the folder") {
            let path = entry.expect("an entry").path();
            let page = if path.is_dir() { path.join("README.md") } else { path };
            list.extend(Some(page).filter(|page| page.is_file() && page.extension().is_some_and(|e| e == "md")));
        }
    }
    list.sort();
    list
}

/// Runs every `console` block of the README and the pages: a `…` line in its output matches any lines.
#[test]
fn readme_blocks() {
    let pages = pages();
    assert!(pages.len() > 10, "{pages:?}");
    let mut with_blocks = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("text");
        let page = page.strip_prefix(root()).expect("below the root").display();
        let mut count = 0;
        for block in text.split("```console\n").skip(1) {
            let block = block.split("```").next().unwrap_or("");
            let list = commands(block);
            assert_eq!(empty(&list), None, "{page}: a console block");
            for (command, expected) in list {
                let got = trimmed(&run(&command));
                let expected = trimmed(&expected);
                let mut rest = got.as_str();
                for (k, part) in expected.split("…\n").flat_map(|p| p.split("\n…")).enumerate() {
                    let at = if k == 0 { rest.starts_with(part).then_some(0) } else { rest.find(part) };
                    let Some(at) = at else { panic!("{page}: $ {command}\n--- expected\n{expected}\n--- got\n{got}") };
                    rest = &rest[at + part.len()..];
                }
                if !expected.contains('…') {
                    assert_eq!(got, expected, "{page}: $ {command}");
                }
                count += 1;
            }
        }
        with_blocks += (count > 0) as usize;
    }
    assert!(with_blocks >= 4, "console blocks are gone");
}

/// The files in completions/ equal the program's output.
#[test]
fn completions_are_current() {
    for (shell, file) in [
        ("bash", "netkit.bash"),
        ("zsh", "netkit.zsh"),
        ("fish", "netkit.fish"),
        ("powershell", "netkit.ps1"),
        ("elvish", "netkit.elv"),
    ] {
        same_as(&run(&format!("netkit completions {shell}")), &format!("completions/{file}"));
    }
    same_as(&run("netkit man"), "completions/netkit.1");
}

fn same_as(got: &str, file: &str) {
    if std::env::var_os("NETKIT_BLESS").is_some() {
        std::fs::write(root().join(file), got).expect("written");
    }
    let referenced = std::fs::read_to_string(root().join(file)).unwrap_or_default();
    assert!(got == referenced, "{file} is not what the program prints: NETKIT_BLESS=1 cargo test --test golden");
}
