//! Names as option values: for completions, and suggestions in errors.

use clap::builder::{OsStringValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use netkit::docs::{self, Page};
use netkit::filter::Names;
use netkit::nearest::{hint, nearest};
use netkit::protocols::{ALL, by_name, pages};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A text with some known values. Others may be valid too: `check` decides.
#[derive(Clone)]
pub struct Listed {
    list: fn() -> Vec<PossibleValue>,
    check: fn(&str) -> Result<String, String>,
}

impl Listed {
    /// These values, and any other.
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

/// Is this a file that describes a protocol, not the name of one?
pub fn is_file(name: &str) -> bool {
    by_name(name).is_none() && name.contains(['.', '/', std::path::MAIN_SEPARATOR])
}

/// The name of a protocol: a built-in one, or, as long as no file is read, one that may be described.
pub fn named_proto(name: &str) -> Result<String, String> {
    match by_name(name) {
        Some(dissector) => Ok(dissector.name().into()),
        None if described() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b)) => any(name),
        None => known_proto(name),
    }
}

/// A file that describes a protocol. An empty one is none: `NETKIT_PROTOCOLS=` loads nothing.
pub fn protocol_file() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// Does the command line itself name protocol files, not only the environment?
pub fn protocol_files_given() -> bool {
    std::env::args_os().any(|arg| arg.to_string_lossy().starts_with("--protocol-file"))
}

/// May protocols be described by files in this run?
fn described() -> bool {
    std::env::var_os("NETKIT_PROTOCOLS").is_some_and(|files| !files.is_empty())
        || protocol_files_given()
        || std::env::args_os().any(|arg| arg.to_string_lossy().ends_with(".toml") || arg == "check")
        || !configured().is_empty()
}

/// A protocol, or `auto`.
pub fn proto() -> Listed {
    Listed {
        list: protocols,
        check: |name| if name == "auto" || is_file(name) { any(name) } else { named_proto(name) },
    }
}

/// `KEY=VALUE` of a setting.
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
            // A described protocol's: its file says what there is.
            Some((proto, _)) if described() && by_name(proto).is_none() && text.contains('=') => any(text),
            _ => netkit::protocols::options().set(text).map(|()| text.into()),
        },
    }
}

/// `PROTO.MESSAGE`.
fn messages() -> Vec<String> {
    let all = ALL.into_iter().flat_map(|d| {
        let layouts = d.tables().iter().flat_map(|t| t.layouts);
        layouts.map(|layout| format!("{}.{}", d.name(), layout.name))
    });
    let mut list: Vec<String> = all.collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// A message to encode.
pub fn message() -> Listed {
    Listed { list: || plain(messages()), check: any }
}

/// A protocol or one of its messages.
pub fn documented() -> Listed {
    fn list() -> Vec<PossibleValue> {
        let mut list = protocols();
        list.extend(plain(messages()));
        list
    }
    Listed { list, check: any }
}

/// A filter; completes its first name.
pub fn filter() -> Listed {
    Listed { list: || plain(Names::new(&netkit::protocols::options()).all()), check: any }
}

/// One table of statistics, or a field.
pub fn table() -> Listed {
    Listed { list: || plain(["message", "flow", "peer", "second"]), check: any }
}

/// All pages: the protocols', then those of no particular module.
pub fn topics() -> impl Iterator<Item = &'static Page> {
    pages::PAGES.iter().chain(&docs::PAGES)
}

/// The protocol files of the configuration folder, in the order of their names; none where the
/// environment says so.
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
