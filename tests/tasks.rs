//! Questions of users, each answered by a few lines of shell: `tests/tasks/*.sh`.
//!
//! A script runs in a shell at the project's root with `netkit` on the path and an empty folder in `$TMP`. It fails
//! with any status but 0; 77 means that it lacks a tool, named on stderr, and counts as skipped.
#![cfg(unix)]

use crate::common::{NETKIT, Scratch, ends_in, entries, feed, root};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn every_task_ends_in_the_right_answer() {
    let scripts: Vec<_> = entries(&root().join("tests/tasks")).into_iter().filter(|path| ends_in(path, "sh")).collect();
    assert!(!scripts.is_empty());
    let bin = Path::new(NETKIT).parent().expect("a folder").display();
    let path = format!("{bin}:{}", std::env::var("PATH").unwrap_or_default());
    let mut failed = Vec::new();
    for script in scripts {
        let name = script.file_stem().expect("a name").to_string_lossy().into_owned();
        let folder = Scratch::new(&format!("task-{name}"));
        let mut command = Command::new("sh");
        command.arg("-eu").arg(&script).current_dir(root()).env("PATH", &path).env("TMP", folder.path());
        command.env_remove("COLUMNS").env_remove("NO_COLOR").env_remove("NETKIT_SCHEMA");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let done = feed(&mut command, b"");
        match done.status {
            Some(0) => {}
            // Not by a macro, whose output a passing test hides: nothing is skipped silently.
            Some(77) => writeln!(std::io::stderr(), "SKIPPED: {name}: {}", done.err.trim()).expect("stderr"),
            _ => failed.push(format!("{name}: {:?}\n{}{}", done.status, String::from_utf8_lossy(&done.out), done.err)),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
