//! The extcap entry: a program in Wireshark's folder that runs netkit, wherever netkit is.
//!
//! It is not a link, because it contains the marker, and the schemas that the script was made with.

use crate::platform;
use std::path::{Path, PathBuf};

/// The file's name. Wireshark uses it for nothing but display.
pub const NAME: &str = if platform::WINDOWS { "netkit.bat" } else { "netkit" };
/// The beginning of a comment in it.
pub const REMARK: &str = if platform::WINDOWS { "rem" } else { "#" };

/// Returns the entry for this program. Wireshark runs it with its own arguments.
///
/// # Errors
/// Fails if a path cannot be written as text.
pub fn text(program: &Path, protocol_files: &[PathBuf], schemas: &[PathBuf]) -> anyhow::Result<String> {
    let lists = [("NETKIT_PROTOCOLS", protocol_files), ("NETKIT_SCHEMA", schemas)];
    let mut text = String::from(if platform::WINDOWS { "@echo off\r\n" } else { "#!/bin/sh\n" });
    for (variable, files) in lists.into_iter().filter(|(_, files)| !files.is_empty()) {
        let list = joined(files)?;
        text += &match platform::WINDOWS {
            true => format!("set \"{variable}={}\"\r\n", list.replace('%', "%%")),
            false => format!("export {variable}={}\n", quoted(&list)),
        };
    }
    let program = named(program)?;
    text += &match platform::WINDOWS {
        true => format!("\"{}\" %*\r\n", program.replace('%', "%%")),
        // With `exec`, signals reach netkit itself.
        false => format!("exec {} \"$@\"\n", quoted(&program)),
    };
    Ok(text)
}

/// Returns the files by their full paths, since Wireshark may run in any folder.
fn joined(files: &[PathBuf]) -> anyhow::Result<String> {
    let files = files.iter().filter(|file| !file.as_os_str().is_empty());
    let all = files.map(|file| named(&std::path::absolute(file)?)).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(all.join(&crate::platform::LIST_SEPARATOR.to_string()))
}

fn named(path: &Path) -> anyhow::Result<String> {
    match path.to_str().filter(|text| !text.contains(['\n', '\r', '"'])) {
        Some(text) => Ok(text.into()),
        None => anyhow::bail!("{}: a path with line feeds or quotes cannot be written into the entry", path.display()),
    }
}

/// Quotes a text for the shell, which takes everything in single quotes literally.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn any_path_is_quoted() {
        let entry = |path: &str| text(Path::new(path), &[], &[Path::new("/a b/x'y.toml").into()]);
        assert_eq!(
            entry("/opt/it's $HOME/netkit").expect("a text"),
            "#!/bin/sh\nexport NETKIT_SCHEMA='/a b/x'\\''y.toml'\nexec '/opt/it'\\''s $HOME/netkit' \"$@\"\n"
        );
        assert!(entry("/a\nb").is_err());
    }
}
