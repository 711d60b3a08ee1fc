//! Captures with netkit's comments, and the script.

use crate::common::*;
use std::path::{Path, PathBuf};

/// Writes the script with the fields of these arguments' schemas and protocol files.
pub fn script(folder: &Scratch, args: &[String]) -> PathBuf {
    folder.write("netkit.lua", script_text(args)).into()
}

/// The script's text.
pub fn script_text(args: &[String]) -> String {
    let mut all = vec!["wireshark", "print", "-q"];
    for pair in args.windows(2) {
        match pair[0].as_str() {
            "--schema" => all.extend(["--schema", &pair[1]]),
            "-p" if pair[1].ends_with(".toml") => all.extend(["--protocol-file", &pair[1]]),
            _ => {}
        }
    }
    run(&all, b"").ok().text().into()
}

/// Writes the capture with its comments.
pub fn write(capture: &Path, args: &[String], out: &Path) {
    let (capture, out) = (capture.display().to_string(), out.display().to_string());
    let mut all = vec!["decode", &capture, "-f", "pcapng", "-o", &out, "--force", "-q"];
    all.extend(args.iter().map(String::as_str));
    let done = run(&all, b"").ok();
    // `-q` does not hide what the capture lacks.
    let others = done.err.lines().filter(|line| !line.contains(" are missing in the capture"));
    assert_eq!(others.collect::<Vec<_>>(), [""; 0], "{capture}");
}

/// The output of `decode` for it.
pub fn decoded(capture: &Path, args: &[String], format: &str) -> Vec<u8> {
    let capture = capture.display().to_string();
    let mut all = vec!["decode", &capture, "-f", format, "-q"];
    all.extend(args.iter().map(String::as_str));
    run(&all, b"").out
}
