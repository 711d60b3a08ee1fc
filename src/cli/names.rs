//! Names as option values: for completions, and suggestions in errors.

use crate::dissect::{Dissector, message_names};
use crate::docs::{self, Page};
use crate::filter::Names;
use crate::live::proxy::Impairments;
use crate::nearest::{hint, nearest};
use crate::protocols::{ALL, by_name, pages};
use crate::stats::Groups;
use clap::builder::{OsStringValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A text with some known values. Others may be valid too; `check` decides.
#[derive(Clone)]
pub struct Listed {
    list: fn() -> Vec<PossibleValue>,
    check: fn(&str) -> Result<String, String>,
}

impl Listed {
    /// Creates a list that also accepts any other value.
    pub fn of(list: fn() -> Vec<PossibleValue>) -> Listed {
        Listed { list, check: any }
    }
}

impl TypedValueParser for Listed {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        self.check.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.list)().into_iter()))
    }
}

fn any(text: &str) -> Result<String, String> {
    Ok(text.into())
}

pub fn plain(names: impl IntoIterator<Item = impl Into<clap::builder::Str>>) -> Vec<PossibleValue> {
    names.into_iter().map(PossibleValue::new).collect()
}

fn protocols() -> Vec<PossibleValue> {
    plain(ALL.map(|d| d.name()))
}

/// Checks the name of a protocol.
pub fn known_proto(name: &str) -> Result<String, String> {
    let names = || ALL.iter().map(|d| d.name());
    match by_name(name) {
        Some(dissector) => Ok(dissector.name().into()),
        None => {
            let list = names().collect::<Vec<_>>().join(", ");
            Err(format!("no protocol {name:?}{}; there are {list}", hint(nearest(name, names()))))
        }
    }
}

/// Whether this is a file that describes a protocol, not the name of one.
pub fn is_file(name: &str) -> bool {
    by_name(name).is_none() && name.contains(['.', '/', std::path::MAIN_SEPARATOR])
}

/// Checks the name of a protocol: a built-in one, or one that a file may describe, since no file is read yet.
pub fn named_proto(name: &str) -> Result<String, String> {
    match by_name(name) {
        Some(dissector) => Ok(dissector.name().into()),
        None if described() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b)) => any(name),
        None => known_proto(name),
    }
}

/// Reads the name of a file that describes a protocol or payloads. An empty name is none: `NETKIT_PROTOCOLS=` loads no
/// file.
pub fn protocol_file() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// Whether the command line itself names protocol files, not only the environment.
pub fn protocol_files_given() -> bool {
    std::env::args_os().any(|arg| arg.to_string_lossy().starts_with("--protocol-file"))
}

/// Whether files may describe protocols in this run.
fn described() -> bool {
    std::env::var_os("NETKIT_PROTOCOLS").is_some_and(|files| !files.is_empty())
        || protocol_files_given()
        || std::env::args_os().any(|arg| arg.to_string_lossy().ends_with(".toml") || arg == "check")
        || !configured().is_empty()
}

/// Reads a protocol, or `auto`.
pub fn proto() -> Listed {
    Listed {
        list: protocols,
        check: |name| if name == "auto" || is_file(name) { any(name) } else { named_proto(name) },
    }
}

/// Reads `KEY=VALUE` of a setting.
pub fn setting() -> Listed {
    fn list() -> Vec<PossibleValue> {
        let settings = ALL.into_iter().flat_map(|d| d.settings());
        let pairs = settings.flat_map(|setting| {
            let values =
                if setting.values.is_empty() { std::slice::from_ref(&setting.default) } else { setting.values };
            values.iter().map(|value| format!("{}={value}", setting.key))
        });
        plain(pairs)
    }
    Listed {
        list,
        check: |text| match text.split_once('.') {
            // Only the file of a described protocol determines its settings.
            Some((proto, _)) if described() && by_name(proto).is_none() && text.contains('=') => any(text),
            _ => crate::protocols::options().set(text).map(|()| text.into()),
        },
    }
}

/// Returns all messages as `PROTO.MESSAGE`.
fn messages() -> Vec<String> {
    let of =
        |d: &'static dyn Dissector| message_names(d).into_iter().map(move |message| format!("{}.{message}", d.name()));
    let mut list: Vec<String> = ALL.into_iter().flat_map(of).collect();
    list.sort_unstable();
    list
}

/// Reads a message to encode.
pub fn message() -> Listed {
    Listed { list: || plain(messages()), check: any }
}

/// Reads a protocol or one of its messages.
pub fn documented() -> Listed {
    fn list() -> Vec<PossibleValue> {
        let mut list = protocols();
        list.extend(plain(messages()));
        list
    }
    Listed { list, check: any }
}

/// Reads a filter, and completes its first name.
pub fn filter() -> Listed {
    Listed { list: || plain(Names::new(&crate::protocols::options()).all()), check: any }
}

/// Reads the name of one table of statistics, or of a field.
pub fn table() -> Listed {
    Listed { list: || plain(["message", "flow", "peer", "second"]), check: any }
}

/// Reads a column to sort groups by: a figure, or a field.
pub fn sort() -> Listed {
    Listed { list: || plain(Groups::figures()), check: any }
}

/// Reads a kind of network.
pub fn network() -> Listed {
    let check = |name: &str| Impairments::default().set("network", name).map(|()| name.into());
    Listed { list: || plain(Impairments::networks()), check }
}

/// Returns all pages: those of protocols first, then the others.
pub fn topics() -> impl Iterator<Item = &'static Page> {
    pages::PAGES.iter().chain(&docs::PAGES)
}

/// Returns the protocol files of the configuration folder, sorted by name; none if the environment variable is empty.
pub fn configured() -> Vec<PathBuf> {
    if std::env::var_os("NETKIT_PROTOCOLS").is_some_and(|files| files.is_empty()) {
        return Vec::new();
    }
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".config"));
    let base = std::env::var_os("XDG_CONFIG_HOME").filter(|dir| !dir.is_empty()).map(PathBuf::from).or_else(home);
    let Some(folder) = base.map(|base| base.join("netkit").join("protocols")) else { return Vec::new() };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let toml = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "toml");
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(toml).collect();
    files.sort();
    files
}
