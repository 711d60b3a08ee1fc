//! The options of dissection, and the files that they name.

use super::described::{self, Loaded};
use super::usage::Usage;
use crate::cli::Dissect;
use anyhow::Context;
use netkit::codec::schema::Schemas;
use netkit::dissect::{Options, Registry};
use netkit::protocols;
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
    let described = described::load(&dissect.protocol_file, own.as_deref())?;
    options.registry = Registry::new(options.registry.iter().chain(described.dissectors()));
    options.proto = described.own.map(Into::into).or(named.filter(|_| own.is_none()));
    if let Some(name) = &options.proto {
        described::known(name, &options.registry)?;
    }
    for text in &dissect.set {
        options.set(text).map_err(|why| Usage(format!("-s {text}: {why}")))?;
    }
    options.schemas = schemas(&dissect.schema)?.into();
    Ok((options, described))
}

/// Returns all files that a command reads. None of them may be its output.
pub fn inputs<'a>(read: impl IntoIterator<Item = &'a PathBuf>, schemas: &'a [PathBuf]) -> Vec<&'a Path> {
    read.into_iter().chain(schemas).map(PathBuf::as_path).collect()
}

/// Reads the users' schemas.
pub fn schemas(files: &[PathBuf]) -> anyhow::Result<Schemas> {
    let mut schemas = Schemas::default();
    let encodings = |proto: &str| protocols::by_name(proto).map(|d| d.encodings()).filter(|e| !e.is_empty());
    for path in files {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        schemas.add(&path.display().to_string(), &text, &encodings).map_err(|e| Usage(e.to_string()))?;
    }
    Ok(schemas)
}
