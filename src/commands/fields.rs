//! `netkit fields`: prints the tables as documentation, as text and as JSON.

use super::described::Files;
use super::output::style;
use crate::cli::{Fields, Form, Global};
#[cfg(feature = "parquet")]
use crate::codec::schema::Schemas;
#[cfg(feature = "parquet")]
use crate::dissect::message_names;
use crate::dissect::{Dissector, Registry, document};
use crate::docs::tables::{Page, overview, protocol_text, recognition, schema_text};
use crate::printable::Printable;
use crate::process::input;
use crate::process::usage::{NO_PARQUET, Usage, usage};
use crate::protocols;
use serde_json::Value as Json;
use std::io::{self, Write};

/// Runs the command.
pub fn run(args: &Fields, global: &Global) -> anyhow::Result<u8> {
    if args.examples {
        return super::examples::run(args.what.as_deref());
    }
    if let Some(path) = &args.from {
        return convert(path);
    }
    let files = Files { protocols: &args.protocol_file, schemas: &args.schema, own: None };
    let described = files.load()?;
    let registry = Registry::new(protocols::registry().iter().chain(described.dissectors()));
    let style = style(global, false);
    // JSON and the names of columns are for programs.
    let colour = style.colour && args.format == Form::Text;
    let mut page = Page::new(style.width, colour);
    let (proto, message) =
        match args.what.as_deref().map(|w| w.split_once('.').map_or((w, None), |(p, m)| (p, Some(m)))) {
            None => (None, None),
            Some((proto, message)) => {
                super::described::known(proto, &registry)?;
                (registry.by_name(proto), message)
            }
        };
    if let (Some(d), Some(m)) = (proto, message) {
        let all = || d.tables().iter().flat_map(|t| t.layouts.iter().map(|l| l.name));
        if !all().any(|n| n == m) {
            let near = crate::nearest::nearest(m, all());
            return usage(format!("{} has no message {m:?}{}", d.name(), crate::nearest::hint(near)));
        }
    }
    if let (true, Some(d)) = (args.as_toml, proto) {
        return as_toml(d, message);
    }
    let schemas = &described.schemas;
    match (args.format, proto) {
        (Form::Json, Some(d)) => page.line(&format!("{:#}", document(d, message))),
        (Form::Json, None) => {
            let all: Vec<Json> = registry.iter().map(|d| document(d, None)).collect();
            page.line(&format!("{:#}", Json::from(all)));
        }
        #[cfg(feature = "parquet")]
        (Form::Parquet, proto) => columns(&registry, proto, message, schemas, &mut page)?,
        #[cfg(not(feature = "parquet"))]
        (Form::Parquet, _) => return usage(NO_PARQUET),
        (_, None) => overview(&registry, &mut page),
        (_, Some(d)) => protocol_text(d, message, &mut page),
    }
    if args.format == Form::Text && message.is_none() {
        for own in described.all.iter().filter(|own| proto.is_some_and(|p| p.name() == own.facts().name)) {
            recognition(own.description().bits(), &mut page);
        }
        for d in registry.iter().filter(|d| proto.is_none_or(|p| p.name() == d.name())) {
            schema_text(d, schemas.messages(d.name()), &mut page);
        }
    }
    // The page quotes the users' schemas, so it is escaped.
    match args.format {
        Form::Json => write!(io::stdout(), "{}", crate::printable::Json(page.text()))?,
        _ => super::output::page(&page.text(), colour)?,
    }
    Ok(0)
}

/// Prints the tables in the language of protocol files.
fn as_toml(d: &dyn Dissector, message: Option<&str>) -> anyhow::Result<u8> {
    if message.is_some() {
        return usage("--as-toml writes a whole protocol: name no message");
    }
    let text = protocols::described::export(d).map_err(Usage)?;
    io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

/// Prints a protocol file made from a description in another language, and the share that was carried over.
fn convert(path: &std::path::Path) -> anyhow::Result<u8> {
    let name = path.display().to_string();
    let text = input::bytes(path).map_err(|error| error.context(name.clone()))?;
    let text = String::from_utf8(text).map_err(|_| Usage(format!("{name}: not UTF-8")))?;
    let imported = protocols::described::import(&name, &text, &imported_file).map_err(|(line, why)| match line {
        0 => Usage(why),
        line => Usage(format!("{name}: line {line}: {why}")),
    })?;
    io::stdout().write_all(imported.text.as_bytes())?;
    let share = 100.0 * imported.carried as f64 / imported.all.max(1) as f64;
    let (carried, all) = (imported.carried, imported.all);
    let _ = writeln!(io::stderr(), "netkit: {}: {carried} of {all} statements ({share:.0} %)", Printable(&name));
    Ok(0)
}

/// The file that a .ksy file imports: from its own folder, or, where the import begins with /, from one around it.
fn imported_file(file: &str, import: &str) -> Option<(String, String)> {
    let path = format!("{}.ksy", import.trim_start_matches('/'));
    let around = if import.starts_with('/') { usize::MAX } else { 1 };
    let folders = std::path::Path::new(file).ancestors().skip(1).take(around);
    let found = folders.map(|folder| folder.join(&path)).find(|path| path.is_file())?;
    // One file has one name, whatever leads to it.
    let found = found.canonicalize().ok()?;
    let text = String::from_utf8(input::bytes(&found).ok()?).ok()?;
    Some((found.display().to_string(), text))
}

/// Prints one line per column: the message, the column, its type in SQL.
#[cfg(feature = "parquet")]
fn columns(
    registry: &Registry,
    proto: Option<&dyn Dissector>,
    message: Option<&str>,
    schemas: &Schemas,
    page: &mut Page,
) -> anyhow::Result<()> {
    let mut options = crate::dissect::Options::new(registry.clone());
    options.schemas = schemas.clone().into();
    for d in registry.iter().filter(|d| proto.is_none_or(|p| p.name() == d.name())) {
        for name in message_names(d).into_iter().filter(|name| message.is_none_or(|m| m == *name)) {
            for (column, word) in crate::render::parquet::describe(d.name(), name, &options) {
                page.line(&format!("{}.{name} {column} {word}", d.name()));
            }
        }
    }
    Ok(())
}
