//! Files over the protocol of another file.

use super::description::Description;
use super::lines;
use crate::codec::layout::{Field, flag};
use crate::codec::schema::SchemaError;
use crate::codec::schema::compose::{CARRIER, compose};
use crate::codec::schema::parse;
use crate::codec::schema::respell::respell;
use crate::codec::schema::text::File;

/// Finds the file that describes a protocol: its name and its text.
pub(crate) type Carriers<'a> = &'a dyn Fn(&str) -> Option<(String, String)>;

/// The transports, as the word after `over`.
const TRANSPORTS: [&str; 3] = ["udp", "tcp", "websocket"];

/// A mistake in a line of the file, or of its carrier's file.
pub fn mistake(file: &str, carrier: &str, line: usize, reason: String) -> SchemaError {
    match line.checked_sub(CARRIER) {
        Some(line) => SchemaError { file: carrier.into(), line: line + 1, reason },
        None => SchemaError { file: file.into(), line, reason },
    }
}

/// The built-in protocol, or the one of another file, that carries a file's messages. `None`: neither.
pub fn carrier(text: &str) -> Option<String> {
    let over = parse::parse_all("", text, 1).ok()?.over?;
    Some(over.protocol).filter(|name| !TRANSPORTS.contains(&name.as_str()))
}

/// The protocol that a file describes.
pub fn described(text: &str) -> Option<String> {
    Some(parse::parse_all("", text, 1).ok()?.protocol)
}

/// Parses a file with one spelling of each type.
fn spelt(file: &str, text: &str, first: usize) -> Result<File, Vec<SchemaError>> {
    let mut parsed = parse::parse_all(file, text, first)?;
    let error = |(line, reason)| SchemaError { file: file.into(), line, reason };
    let wrong: Vec<SchemaError> = respell(&mut parsed, &[]).into_iter().map(error).collect();
    if wrong.is_empty() { Ok(parsed) } else { Err(wrong) }
}

/// Parses a file, and joins it with its carrier's, whose name is the second result.
pub fn parsed(file: &str, text: &str, carriers: Carriers<'_>) -> Result<(File, String), Vec<SchemaError>> {
    let mut own = spelt(file, text, 1)?;
    let Some(over) = own.over.take() else { return Ok((own, String::new())) };
    let fail = |line: usize, why: String| Err(vec![SchemaError { file: file.into(), line, reason: why }]);
    if own.protocol.is_empty() {
        return fail(over.line, "protocol is missing: expected protocol = \"NAME\", as the output will call it".into());
    }
    match over.protocol.as_str() {
        "udp" => _ = own.udp.get_or_insert_default(),
        "websocket" => _ = own.websocket.get_or_insert_default(),
        "tcp" if own.tcp.is_none() => return fail(over.line, "over: [tcp] is missing: its frame".into()),
        "tcp" => {}
        name => {
            let Some((name, text)) = carriers(name) else {
                let why = format!("over: no file describes {name:?}: name it with --protocol-file, too");
                return fail(over.line, why);
            };
            let base = spelt(&name, &text, CARRIER)
                .map_err(|all| all.into_iter().map(|e| mistake(file, &name, e.line, e.reason)).collect::<Vec<_>>())?;
            if base.over.is_some() {
                return fail(over.line, format!("over: {} is over another protocol itself", over.protocol));
            }
            let composed = compose(base, own, &over);
            return composed.map(|file| (file, name)).map_err(|wrong| {
                wrong.into_iter().map(|(line, reason)| SchemaError { file: file.into(), line, reason }).collect()
            });
        }
    }
    Ok((own, String::new()))
}

/// Two messages around payloads that encode could not distinguish.
pub fn alike(description: &Description) -> Option<String> {
    let around = || description.choices().filter(|choice| description.is_around(choice.field));
    let shown = |field: &Field| !field.is(flag::HIDDEN) && !field.name.is_empty();
    let names = |fields| -> Vec<&str> {
        let mut names: Vec<_> = lines::header(fields).iter().filter(|field| shown(field)).map(|f| f.name).collect();
        names.sort_unstable();
        names
    };
    let all: Vec<_> = around().map(|choice| (choice, names(choice.layout.fields))).collect();
    let twin =
        |k: usize| all.iter().skip(k + 1).find(|(other, names)| *names == all[k].1 && other.is_from(all[k].0.from));
    let (one, other) = (0..all.len()).find_map(|k| Some((all[k].0, twin(k)?.0)))?;
    let (one, other) = (one.field.name, other.field.name);
    Some(format!(
        "over: {one} and {other} have the same fields around their payload, so encode could not distinguish them: name one of them, as over.protocol = \"CARRIER.{one}\""
    ))
}
