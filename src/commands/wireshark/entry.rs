//! The extcap entry: a program in Wireshark's folder that runs netkit, wherever that is.
//!
//! Not a link: it carries the marker, and the schemas that the script was made with.

use crate::platform;
use std::path::{Path, PathBuf};

/// Its name, by which nothing else goes than what Wireshark shows.
pub const NAME: &str = if platform::WINDOWS { "netkit.bat" } else { "netkit" };
/// What begins a comment in it.
pub const REMARK: &str = if platform::WINDOWS { "rem" } else { "#" };

/// The entry for this program, which Wireshark runs with its own arguments.
///
/// # Errors
/// A path that no text can name.
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
        // Signals go to netkit itself.
        false => format!("exec {} \"$@\"\n", quoted(&program)),
    };
    Ok(text)
}

/// Files by their full names: Wireshark may run anywhere.
fn joined(files: &[PathBuf]) -> anyhow::Result<String> {
    let all = files.iter().map(|file| named(&std::path::absolute(file)?)).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(all.join(&crate::platform::LIST_SEPARATOR.to_string()))
}

fn named(path: &Path) -> anyhow::Result<String> {
    match path.to_str().filter(|text| !text.contains(['\n', '\r', '"'])) {
        Some(text) => Ok(text.into()),
        None => anyhow::bail!("{}: no program of the shell can name this path", path.display()),
    }
}

/// In single quotes, as the shell takes everything literally.
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
