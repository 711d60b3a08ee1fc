//! The files that describe protocols: from the command line, the environment, and the user's configuration folder.

use super::usage::{Usage, usage};
use crate::cli::configured;
use netkit::dissect::{Dissector, Registry};
use netkit::live::probe::Probe;
use netkit::live::{Client, Clients};
use netkit::nearest::{hint, nearest};
use netkit::printable::Printable;
use netkit::protocols;
use netkit::protocols::described::{Described, load as compile, mistakes};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The protocols described by files.
pub struct Loaded {
    /// All protocols.
    pub all: Vec<&'static Described>,
    /// The name of the one that was given as the protocol itself.
    pub own: Option<&'static str>,
}

/// Reads protocol files: those of the configuration folder, those given, and `own`, the file of the protocol that all
/// bytes are read as.
pub fn load(given: &[PathBuf], own: Option<&Path>) -> anyhow::Result<Loaded> {
    let mut loaded = Loaded { all: Vec::new(), own: None };
    let given: Vec<&Path> = given.iter().map(PathBuf::as_path).filter(|path| !path.as_os_str().is_empty()).collect();
    for path in own.into_iter().chain(given) {
        let described = read(path)?;
        let again = loaded.all.iter().any(|other| other.facts().name == described.facts().name);
        match again {
            // The same file, named twice.
            true if own == Some(path) || loaded.own == Some(described.facts().name) => {}
            true => {
                let why = format!("{}: another file describes {}, too", path.display(), described.facts().name);
                return usage(why);
            }
            false => loaded.all.push(described),
        }
        if own == Some(path) {
            loaded.own = Some(described.facts().name);
        }
    }
    for path in configured() {
        // The user did not name this file in this run, so an error in it is only reported.
        let described = match read(&path) {
            Ok(described) => described,
            Err(error) => {
                report(&path, true, format_args!("{error:#}: the file is left out"));
                continue;
            }
        };
        match loaded.all.iter().find(|other| other.facts().name == described.facts().name) {
            None => {
                report(&path, false, format_args!("{}: loaded for {}", path.display(), described.facts().name));
                loaded.all.push(described);
            }
            Some(_) => {
                let name = described.facts().name;
                report(&path, false, format_args!("{}: left out: another file describes {name}", path.display()));
            }
        }
    }
    Ok(loaded)
}

/// Reports the outcome for a file of the configuration folder, once for each file: with `-v`, or always if there is an
/// error.
fn report(path: &Path, wrong: bool, what: std::fmt::Arguments<'_>) {
    static LISTED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if !wrong && !VERBOSE.load(Ordering::Relaxed) {
        return;
    }
    if LISTED.lock().is_ok_and(|mut paths| paths.insert(path.to_owned())) {
        let text = Printable(what);
        // A closed stderr is ignored.
        let _ = writeln!(std::io::stderr(), "netkit: {text}");
    }
}

/// Whether files of the configuration folder are reported.
static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Makes files of the configuration folder be reported as they are loaded.
pub fn name_files() {
    VERBOSE.store(true, Ordering::Relaxed);
}

impl Loaded {
    /// Returns the protocols as dissectors.
    pub fn dissectors(&self) -> impl Iterator<Item = &'static dyn Dissector> + '_ {
        self.all.iter().map(|described| *described as &'static dyn Dissector)
    }

    /// Returns the clients: the built-in ones, and those of files. A file with a `[probe]` describes requests to servers.
    pub fn clients(&self) -> Clients {
        let client = |described: &&'static Described| {
            let probe = described.description().is_asked().then_some(*described as &'static dyn Probe);
            Client { dissector: *described, probe, replay: Some(*described) }
        };
        Clients::new(protocols::clients().iter().chain(self.all.iter().map(client)))
    }
}

/// Reads one file.
pub fn read(path: &Path) -> anyhow::Result<&'static Described> {
    let name = path.display().to_string();
    let text = super::input::bytes(path).map_err(|error| error.context(name.clone()))?;
    let text = String::from_utf8(text).map_err(|_| Usage(format!("{name}: not UTF-8, as TOML is")))?;
    let all = |_| {
        let lines: Vec<String> = mistakes(&name, &text).iter().map(ToString::to_string).collect();
        Usage(lines.join("\nnetkit: "))
    };
    Ok(compile(&name, &text).map_err(all)?)
}

/// Checks that a protocol of this name is known.
pub fn known(name: &str, registry: &Registry) -> anyhow::Result<()> {
    if registry.by_name(name).is_some() {
        return Ok(());
    }
    let names: Vec<&str> = registry.iter().map(|dissector| dissector.name()).collect();
    let near = hint(nearest(name, names.iter().copied()));
    usage(format!("no protocol {name:?}{near}; there are {}", names.join(", ")))
}
