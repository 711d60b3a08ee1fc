//! The options of dissection, and the files that they name.

use super::described::{self, Files, Loaded};
use crate::cli::{Dissect, is_file};
use crate::dissect::{Options, Registry};
use crate::process::usage::Usage;
use crate::protocols;
use std::path::{Path, PathBuf};

/// Returns the user's options for dissection.
pub fn options(dissect: &Dissect) -> anyhow::Result<Options> {
    described_options(dissect).map(|(options, _)| options)
}

/// Returns the same, and the protocols that files describe.
pub fn described_options(dissect: &Dissect) -> anyhow::Result<(Options, Loaded)> {
    let mut options = Options { from: dissect.from, ..protocols::options() };
    let named = dissect.proto.clone().filter(|name| name != "auto");
    let own = named.as_deref().filter(|name| crate::cli::is_file(name)).map(PathBuf::from);
    let files = Files { protocols: &dissect.protocol_file, schemas: &dissect.schema, own: own.as_deref() };
    let mut described = files.load()?;
    options.registry = Registry::new(options.registry.iter().chain(described.dissectors()));
    options.proto = described.own.clone().or(named.filter(|_| own.is_none()));
    if let Some(name) = &options.proto {
        described::known(name, &options.registry)?;
    }
    settings(&dissect.set, &mut options)?;
    options.schemas = std::mem::take(&mut described.schemas).into();
    Ok((options, described))
}

/// Applies `-s`.
///
/// # Errors
/// Fails if a setting is unknown or invalid.
pub fn settings(given: &[String], options: &mut Options) -> Result<(), Usage> {
    given.iter().try_for_each(|text| options.set(text).map_err(|why| Usage(format!("-s {text}: {why}"))))
}

/// Returns all files that a command reads. None of them may be its output.
///
/// # Errors
/// Fails if stdin is named more than once: the second reading would find nothing.
pub fn inputs<'a>(read: impl IntoIterator<Item = &'a PathBuf>, dissect: &'a Dissect) -> Result<Vec<&'a Path>, Usage> {
    let mut read: Vec<&Path> = read.into_iter().map(PathBuf::as_path).collect();
    if read.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Usage("-: stdin can be read only once: save it to a file".into()));
    }
    read.extend(dissect.schema.iter().chain(&dissect.protocol_file).map(PathBuf::as_path));
    read.extend(dissect.proto.as_deref().filter(|name| is_file(name)).map(Path::new));
    Ok(read)
}
