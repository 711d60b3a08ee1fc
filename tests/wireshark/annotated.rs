//! Captures with netkit's comments, and the script.

use crate::common::*;
use netkit::protocols;
use netkit::render::pcapng;
use std::path::{Path, PathBuf};

/// Writes the script with the fields of these arguments' schemas and protocol files.
pub fn script(folder: &Scratch, args: &[String]) -> PathBuf {
    folder.write("netkit.lua", script_text(args)).into()
}

/// The script's text.
pub fn script_text(args: &[String]) -> String {
    let mut options = protocols::options();
    let mut schemas = netkit::codec::schema::Schemas::default();
    let encodings = |proto: &str| protocols::by_name(proto).map(|d| d.encodings()).filter(|e| !e.is_empty());
    for pair in args.windows(2) {
        let text = || std::fs::read_to_string(root().join(&pair[1])).expect("a file");
        match pair[0].as_str() {
            "--schema" => schemas.add(&pair[1], &text(), &encodings).expect("a schema"),
            "-p" if pair[1].ends_with(".toml") => {
                let described = protocols::described::load(&pair[1], &text()).expect("a protocol");
                options.registry = options.registry.with(described);
            }
            _ => {}
        }
    }
    options.schemas = schemas.into();
    pcapng::script(&options)
}

/// Writes the capture with its comments.
pub fn write(capture: &Path, args: &[String], out: &Path) {
    let (capture, out) = (capture.display().to_string(), out.display().to_string());
    let mut all = vec!["decode", &capture, "-f", "pcapng", "-o", &out, "--force", "-q"];
    all.extend(args.iter().map(String::as_str));
    let done = run(&all, b"").ok();
    assert_eq!(done.err, "", "{capture}");
}

/// The output of `decode` for it.
pub fn decoded(capture: &Path, args: &[String], format: &str) -> Vec<u8> {
    let capture = capture.display().to_string();
    let mut all = vec!["decode", &capture, "-f", format, "-q"];
    all.extend(args.iter().map(String::as_str));
    run(&all, b"").out
}
