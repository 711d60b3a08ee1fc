//! Advice for the author: files that load, but probably differ from the intention.

use super::description::Description;
use crate::codec::kinds::Choice;
use crate::codec::layout::When;
use crate::codec::schema::compile::{BY_ID, asked};
use crate::codec::schema::reading::Named;
use crate::codec::schema::text::File;
use std::collections::HashSet;

/// Advice, with the line that it concerns.
pub type Advice = Vec<(usize, String)>;

/// Adds advice on the whole file. `text`: its source, for the lines of enumerations; `silent`: its packets have nothing
/// that distinguishes them from others.
pub fn advise(file: &File, text: &str, description: &Description, silent: bool, advice: &mut Advice) {
    unused(file, text, advice);
    hidden_by_others(file, description, advice);
    conversations(file, description, silent, advice);
    advice.sort();
    advice.dedup();
}

/// The line of `[enum.NAME]`, or of its first entry.
fn line_of(text: &str, table: &str, name: &str) -> usize {
    let heads = [format!("[{table}.{name}]"), format!("{table}.{name}"), format!("{name} ")];
    let found = heads.iter().find_map(|head| text.lines().position(|line| line.trim_start().starts_with(head)));
    found.map_or(1, |line| line + 1)
}

/// Advises on names that nothing refers to.
fn unused(file: &File, text: &str, advice: &mut Advice) {
    let asked = asked(file);
    let set: HashSet<&str> = file
        .fields()
        .flat_map(|field| &field.sets)
        .map(|(name, _)| name)
        .chain(file.messages.iter().flat_map(|m| &m.sets).map(|(name, _)| name))
        .map(|name| name.rsplit('.').next().unwrap_or(name))
        .collect();
    for one in &file.memory {
        let name = one.name.as_str();
        match (asked.contains(name), set.contains(name)) {
            (false, _) => advice.push((one.line, format!("memory {name} is never used: nothing depends on it"))),
            (true, false) => advice.push((one.line, format!("memory {name} is never set: it keeps its first value"))),
            (true, true) => {}
        }
    }
    for one in file.settings.iter().filter(|one| !asked.contains(one.name.as_str())) {
        advice.push((one.line, format!("setting {} is never used: nothing depends on it", one.name)));
    }
    let mut used: HashSet<&str> = file.memory.iter().chain(&file.settings).map(|one| one.name.as_str()).collect();
    let refer = |named: &'_ Option<Named>| match named {
        Some(Named::Reference(name)) => Some(name.clone()),
        _ => None,
    };
    let mut named: Vec<String> = Vec::new();
    for field in file.fields() {
        named.extend([&field.names, &field.flags].into_iter().filter_map(refer));
        let parts = field.bits.iter().flat_map(|part| [&part.own.names, &part.own.flags]);
        named.extend(parts.filter_map(refer));
    }
    used.extend(named.iter().map(String::as_str));
    for (table, list) in [("enum", &file.enums), ("flags", &file.flags)] {
        for (name, _) in list.iter().filter(|(name, _)| !used.contains(name.as_str())) {
            advice.push((line_of(text, table, name), format!("{table} {name} is never used")));
        }
    }
}

/// Advises on messages whose numbers belong to an earlier one.
fn hidden_by_others(file: &File, description: &Description, advice: &mut Advice) {
    let same = |a: &When, b: &When| matches!(a, When::Always) || format!("{a:?}") == format!("{b:?}");
    let within =
        |choice: &Choice, (least, most): &(u64, u64)| choice.ids.iter().any(|(from, to)| from <= least && most <= to);
    for (carrier, choices) in &description.carried {
        if file.messages.iter().any(|m| m.message == *carrier && m.name == BY_ID) {
            continue;
        }
        let lines = file.messages.iter().filter(|m| m.message == *carrier);
        for (k, (choice, text)) in choices.iter().zip(lines).enumerate() {
            let earlier = choices.iter().take(k).find(|first| {
                (first.from == 0 || first.from == choice.from)
                    && same(&first.when, &choice.when)
                    && match choice.ids {
                        [] => first.any && first.ids.is_empty(),
                        ids => ids.iter().all(|range| within(first, range)),
                    }
            });
            if let Some(first) = earlier {
                let (key, has) = match choice.ids {
                    [] => ("any", "takes any id"),
                    _ => ("id", "has all of its ids"),
                };
                let why = format!("{}: never selected: {} before it {has}", text.name, first.field.name);
                advice.push((text.lines.at(key), why));
            }
        }
    }
}

/// Advises on rules for conversations.
fn conversations(file: &File, description: &Description, silent: bool, advice: &mut Advice) {
    for numbers in &file.numbers {
        if numbers.acks.is_empty() {
            let why = format!(
                "numbers.{}: nothing acknowledges them (ack, ack_below, ack_bits, ack_ranges, nack): copies and gaps \
                 are counted, delays and what was never acknowledged are not",
                numbers.name
            );
            advice.push((numbers.line, why));
        }
    }
    let transports = [&file.udp, &file.tcp, &file.websocket];
    let ports = transports.into_iter().flatten().any(|ports| !ports.ports.is_empty());
    let from = file.messages.iter().any(|m| !m.from.is_empty());
    if description.udp.is_some() && !ports && !from && file.recognise.server.is_none() {
        let why = "nothing decides who the server is (ports, from, [recognise] server): the side that sends second is \
                   assumed to be the server";
        advice.push((file.protocol_line, why.into()));
    }
    if silent {
        let why = match ports {
            true => {
                "only its ports distinguish it from others: nothing in its packets rules any out (constant, closed \
                 enumeration, checksum, numbers that no message has)"
            }
            false => {
                "nothing distinguishes it from others (port, constant, closed enumeration, checksum, numbers that no message \
                 has): only -p and --port read it"
            }
        };
        advice.push((file.protocol_line, why.into()));
    }
}
