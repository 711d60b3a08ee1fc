//! `netkit fields --examples`: the built-in files that describe protocols.

use crate::nearest::{hint, nearest};
use crate::plural::Plural;
use crate::printable::Printable;
use crate::process::usage::usage;
use crate::protocols::described::examples::{FILES, TUTORIAL, about};
use anyhow::Context;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Writes all files into a folder, in the places that the pages name. Files that are there are kept.
fn write(folder: &Path) -> anyhow::Result<u8> {
    let protocols = FILES.map(|(name, text)| (format!("fixtures/protocols/{name}.toml"), text.as_bytes()));
    let tutorial = TUTORIAL.map(|(name, bytes)| (name.to_owned(), bytes));
    let mut written = 0;
    for (name, bytes) in protocols.into_iter().chain(tutorial) {
        let path = folder.join(name);
        let failed = || path.display().to_string();
        fs::create_dir_all(path.parent().unwrap_or(folder)).with_context(failed)?;
        match fs::File::create_new(&path) {
            Ok(mut file) => {
                file.write_all(bytes).with_context(failed)?;
                written += 1;
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(failed),
        }
    }
    let folder = folder.display();
    let _ = writeln!(io::stderr(), "netkit: {} written to {}", Plural(written, "file"), Printable(folder));
    Ok(0)
}

/// Lists the files with a line each, prints one unchanged, or writes all into a folder.
pub fn run(name: Option<&str>) -> anyhow::Result<u8> {
    let Some(name) = name else {
        let mut page = String::new();
        for (name, text) in FILES {
            let _ = writeln!(page, "{name:10} {}", about(text));
        }
        page += "\n`netkit fields --examples NAME > NAME.toml` writes one; `netkit help protocol-files` has the language.\n";
        page += "`netkit fields --examples DIR/` writes all, and those of `netkit help your-protocol`.\n";
        io::stdout().write_all(page.as_bytes())?;
        return Ok(0);
    };
    if name.ends_with(['/', std::path::MAIN_SEPARATOR]) {
        return write(Path::new(name));
    }
    let wanted = name.strip_suffix(".toml").unwrap_or(name);
    let Some((_, text)) = FILES.iter().find(|(name, _)| *name == wanted) else {
        let names = FILES.map(|(name, _)| name);
        let near = hint(nearest(wanted, names));
        return usage(format!("no example {name:?}{near}; there are {}", names.join(", ")));
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}
