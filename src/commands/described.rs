//! The files that describe protocols: from the command line, the environment, and the user's configuration folder.

use crate::cli::configured;
use crate::codec::schema::{Encoding, Schemas};
use crate::dissect::{Dissector, Registry};
use crate::live::probe::Probe;
use crate::live::{Client, Clients};
use crate::nearest::{hint, nearest};
use crate::printable::Printable;
use crate::process::input;
use crate::process::usage::{Usage, usage};
use crate::protocols;
use crate::protocols::described::examples::describing;
use crate::protocols::described::{Described, carrier, described, load_over, mistakes_over};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The protocols and payloads that files describe.
pub struct Loaded {
    /// All protocols.
    pub all: Vec<&'static Described>,
    /// The name of the one that was given as the protocol itself.
    pub own: Option<String>,
    /// The payloads of built-in protocols.
    pub schemas: Schemas,
}

/// The files of a run: those given for protocols and for payloads, and `own`, the file of the protocol that all bytes are
/// read as.
#[derive(Clone, Copy, Default)]
pub struct Files<'a> {
    pub protocols: &'a [PathBuf],
    pub schemas: &'a [PathBuf],
    pub own: Option<&'a Path>,
}

impl<'a> Files<'a> {
    fn given(&self) -> impl Iterator<Item = &'a Path> {
        let named = self.protocols.iter().chain(self.schemas).map(PathBuf::as_path);
        self.own.into_iter().chain(named.filter(|path| !path.as_os_str().is_empty()))
    }

    /// The file that describes a protocol, and its text: one of those given, of the configuration folder, or built in.
    pub fn carrier(&self, name: &str) -> Option<(String, String)> {
        let own = self.given().map(Path::to_owned).chain(configured());
        let describes = |path: PathBuf| {
            let text = text(&path).ok()?;
            (described(&text).as_deref() == Some(name)).then(|| (path.display().to_string(), text))
        };
        own.into_iter().find_map(describes).or_else(|| {
            let (file, text) = describing(name)?;
            Some((format!("{file}.toml"), text.into()))
        })
    }

    /// Reads the files, and those of the configuration folder.
    pub fn load(&self) -> anyhow::Result<Loaded> {
        let mut loaded = Loaded { all: Vec::new(), own: None, schemas: Schemas::default() };
        let mut read = BTreeSet::new();
        // A file may be named twice.
        for path in self.given().filter(|path| read.insert(path.to_path_buf())) {
            let name = self.one(path, &mut loaded)?;
            if self.own == Some(path) {
                loaded.own = Some(name);
            }
        }
        for path in configured() {
            // The user did not name this file in this run, so an error in it is only reported.
            let named = |text: &str| described(text).filter(|name| !name.is_empty());
            let name = text(&path).ok().and_then(|text| named(&text));
            let taken = name.filter(|name| loaded.all.iter().any(|other| other.facts().name == *name));
            let shown = path.display();
            if let Some(name) = taken {
                report(&path, false, format_args!("{shown}: left out: another file describes {name}"));
                continue;
            }
            match self.one(&path, &mut loaded) {
                Ok(name) => report(&path, false, format_args!("{shown}: loaded for {name}")),
                Err(error) => report(&path, true, format_args!("{error:#}: the file is left out")),
            }
        }
        for described in &loaded.all {
            let is_loaded = |name: &str| loaded.all.iter().any(|other| other.facts().name == name);
            for name in described.description().beside().iter().filter(|name| !is_loaded(name)) {
                let of = described.facts().name;
                let why = "but no loaded file describes it (--protocol-file loads one)";
                report(Path::new(name), false, format_args!("the file of {of} names {name:?} in beside, {why}"));
            }
        }
        Ok(loaded)
    }

    /// Reads one file, and returns the name of its protocol, or of the built-in one whose payloads it describes.
    fn one(&self, path: &Path, loaded: &mut Loaded) -> anyhow::Result<String> {
        let (file, text) = (path.display().to_string(), text(path)?);
        if let Some(built_in) = carrier(&text).filter(|name| protocols::by_name(name).is_some()) {
            loaded.schemas.add(&file, &text, &encodings).map_err(|error| Usage(error.to_string()))?;
            return Ok(built_in);
        }
        let carriers = |name: &str| self.carrier(name);
        let described = load_over(&file, &text, &carriers).map_err(|_| {
            let all = mistakes_over(&file, &text, &carriers);
            Usage(all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\nnetkit: "))
        })?;
        let name = described.facts().name;
        if loaded.own.as_deref() == Some(name) {
            return Ok(name.into());
        }
        if loaded.all.iter().any(|other| other.facts().name == name) {
            return usage(format!("{file}: another file describes {name}, too: load only one of them"));
        }
        loaded.all.push(described);
        Ok(name.into())
    }
}

/// The encodings of a built-in protocol's payloads.
pub fn encodings(name: &str) -> Option<&'static [Encoding]> {
    protocols::by_name(name).map(|d| d.encodings()).filter(|encodings| !encodings.is_empty())
}

/// Reads the text of a file.
fn text(path: &Path) -> anyhow::Result<String> {
    let name = path.display().to_string();
    let text = input::bytes(path).map_err(|error| error.context(name.clone()))?;
    Ok(String::from_utf8(text).map_err(|_| Usage(format!("{name}: not UTF-8, as TOML is")))?)
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

/// Checks that a protocol of this name is known.
pub fn known(name: &str, registry: &Registry) -> anyhow::Result<()> {
    if registry.by_name(name).is_some() {
        return Ok(());
    }
    let names: Vec<&str> = registry.iter().map(|dissector| dissector.name()).collect();
    let near = hint(nearest(name, names.iter().copied()));
    usage(format!("no protocol {name:?}{near}; there are {}", names.join(", ")))
}
