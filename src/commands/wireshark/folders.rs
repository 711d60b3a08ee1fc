//! The folders in which Wireshark looks for a user's files.
//!
//! | version | Lua scripts | extcap programs | source |
//! |---|---|---|---|
//! | up to 4.0 | `~/.local/lib/wireshark/plugins` | `extcap` in the personal configuration | `wsutil/filesystem.c` and `extcap.c` of that version: `get_persconffile_path("extcap", ..)`; tried with Debian's 4.0.17 |
//! | from 4.1 on | the same | `~/.local/lib/wireshark/extcap` | `get_extcap_pers_dir()` in `wsutil/filesystem.c`; tried with Debian's 4.4.18, whose `tshark -G folders` names it |
//! | Windows | `%APPDATA%\Wireshark\plugins` | `%APPDATA%\Wireshark\extcap` | the User's Guide, "Files and Folders" |
//!
//! The personal configuration is `$XDG_CONFIG_HOME/wireshark` (`~/.config/wireshark`), or `~/.wireshark` if only that
//! is a folder. If a version heeds `WIRESHARK_CONFIG_DIR` and `WIRESHARK_EXTCAP_DIR`, tshark reports the resulting
//! folders. Therefore netkit asks tshark (`tshark -G folders`). Without tshark, both extcap folders get the entry: each
//! version reads one.

use crate::platform;
use crate::process::capture::find;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folders of this user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folders {
    /// The folder of Lua scripts.
    pub scripts: PathBuf,
    /// The folders of extcap programs that the installed version reads, or all of them if the version is unknown.
    pub extcap: Vec<PathBuf>,
    /// The extcap folders of all versions, which may contain files for an earlier one.
    pub all_extcap: Vec<PathBuf>,
}

/// The environment that determines the folders.
struct Place {
    home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    config: Option<PathBuf>,
    /// `APPDATA`, on Windows.
    roaming: Option<PathBuf>,
}

/// Asks tshark; without it, uses the table.
///
/// # Errors
/// Fails if there is no home folder.
pub fn folders() -> anyhow::Result<Folders> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let place = Place {
        home: folder("HOME").or_else(|| folder("USERPROFILE")),
        config: folder("XDG_CONFIG_HOME").filter(|path| path.is_absolute()),
        roaming: folder("APPDATA").filter(|_| platform::WINDOWS),
    };
    let Some(known) = by_rule(&place) else {
        anyhow::bail!("HOME is not set, so Wireshark's folders are unknown");
    };
    Ok(match asked() {
        Some(text) => named_by(&text, known),
        None => known,
    })
}

/// Returns the output of `tshark -G folders`.
fn asked() -> Option<String> {
    let tshark = find(OsStr::new("tshark"))?;
    let done = Command::new(tshark).args(["-G", "folders"]).stdin(Stdio::null()).output().ok()?;
    done.status.success().then(|| String::from_utf8_lossy(&done.stdout).into_owned())
}

fn by_rule(place: &Place) -> Option<Folders> {
    if let Some(roaming) = &place.roaming {
        let own = roaming.join("Wireshark");
        let extcap = vec![own.join("extcap")];
        return Some(Folders { scripts: own.join("plugins"), all_extcap: extcap.clone(), extcap });
    }
    let home = place.home.as_deref()?;
    let library = home.join(".local/lib/wireshark");
    let config = place.config.clone().unwrap_or_else(|| home.join(".config")).join("wireshark");
    let old = home.join(".wireshark");
    let config = if !config.is_dir() && old.is_dir() { old } else { config };
    let extcap = vec![library.join("extcap"), config.join("extcap")];
    Some(Folders { scripts: library.join("plugins"), all_extcap: extcap.clone(), extcap })
}

/// Corrects the table by the output of tshark, which also reads its environment.
fn named_by(text: &str, mut known: Folders) -> Folders {
    let named = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map(|path| Path::new(path.trim()).to_owned()).filter(|path| path.is_absolute())
    };
    if let Some(scripts) = named("Personal Lua Plugins") {
        known.scripts = scripts;
    }
    // Up to 4.0, tshark names only the folder of all users, as "Extcap path".
    let extcap =
        named("Personal Extcap path").or_else(|| named("Personal configuration").map(|folder| folder.join("extcap")));
    if let Some(extcap) = extcap {
        if !known.all_extcap.contains(&extcap) {
            known.all_extcap.push(extcap.clone());
        }
        known.extcap = vec![extcap];
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_home() -> Folders {
        by_rule(&Place { home: Some("/nowhere/me".into()), config: None, roaming: None }).expect("a home")
    }

    #[test]
    fn every_version_has_its_folder() {
        let config = Path::new("/nowhere/me/.config/wireshark/extcap").to_path_buf();
        let library = Path::new("/nowhere/me/.local/lib/wireshark/extcap").to_path_buf();
        assert_eq!(by_home().extcap, [library.clone(), config.clone()], "nobody can be asked");
        let old = "Personal configuration:\t/nowhere/me/.config/wireshark\n\
                   Personal Lua Plugins:\t/nowhere/me/.local/lib/wireshark/plugins\n\
                   Extcap path:         \t/usr/lib/x86_64-linux-gnu/wireshark/extcap\n";
        assert_eq!(named_by(old, by_home()).extcap, [config]);
        let new = "Personal configuration:\t/nowhere/me/.config/wireshark\n\
                   Personal Extcap path:\t/nowhere/me/.local/lib/wireshark/extcap\n\
                   Global Extcap path:  \t/usr/libexec/wireshark/extcap\n";
        assert_eq!(named_by(new, by_home()).extcap, [library]);
        assert_eq!(named_by(new, by_home()).scripts, Path::new("/nowhere/me/.local/lib/wireshark/plugins"));
        assert_eq!(named_by("garbage", by_home()), by_home());
    }

    #[test]
    fn the_environment_counts() {
        let place = Place { home: Some("/nowhere/me".into()), config: Some("/nowhere/xdg".into()), roaming: None };
        assert_eq!(by_rule(&place).expect("a home").extcap[1], Path::new("/nowhere/xdg/wireshark/extcap"));
        let place = Place { home: None, config: None, roaming: Some("/nowhere/Roaming".into()) };
        let windows = by_rule(&place).expect("a folder");
        assert_eq!(windows.scripts, Path::new("/nowhere/Roaming/Wireshark/plugins"));
        assert_eq!(windows.extcap, [Path::new("/nowhere/Roaming/Wireshark/extcap")]);
        assert_eq!(by_rule(&Place { home: None, config: None, roaming: None }), None);
    }
}
