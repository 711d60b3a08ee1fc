//! Loads a protocol file: from its text to a dissector.

use super::codes::Codes;
use super::description::{Description, Remembered, Tries, Value};
use super::lines::Names;
use super::over::{self, Carriers};
use super::shown::{JOINED, MEMORY};
use super::traffic::Fields;
use super::{Described, about, advice, client, frames, lines, probe, recognise, traffic};
use crate::codec::layout::{Field, When, flag, uint};
use crate::codec::reader::TRAILING;
use crate::codec::schema::SchemaError;
use crate::codec::schema::compile::{CARRIERS, Compiled, Compiler, Hook, Mistakes, asked, lasting, statics};
use crate::codec::schema::compose::CARRIER;
use crate::codec::schema::known::Carried;
use crate::codec::schema::named::{identifier, leak};
use crate::codec::schema::text::{File, First, MessageText};
use crate::dissect::{Dissector, Facts, Setting};
use crate::flow::Transport;
use crate::live::probe::Carrier;
use std::collections::BTreeSet;

/// Compiles a protocol file. The result lives as long as the program: its size is limited by the file's.
///
/// # Errors
/// The first mistake, with its line.
pub fn load(file: &str, text: &str) -> Result<&'static Described, SchemaError> {
    load_over(file, text, &|_| None)
}

/// Compiles a protocol file, which may be over another one. `carriers`: the file of a protocol, and its text.
///
/// # Errors
/// The first mistake, with its line.
pub fn load_over(file: &str, text: &str, carriers: Carriers<'_>) -> Result<&'static Described, SchemaError> {
    all(file, text, carriers).map_err(|mut wrong| wrong.swap_remove(0))
}

/// Compiles a protocol file. On error: all mistakes, by line.
pub(super) fn all(file: &str, text: &str, carriers: Carriers<'_>) -> Result<&'static Described, Vec<SchemaError>> {
    let (parsed, carrier) = over::parsed(file, text, carriers)?;
    build(&parsed, text).map_err(|mut wrong| {
        wrong.sort();
        let error = |(line, reason)| over::mistake(file, &carrier, line, reason);
        wrong.into_iter().map(error).collect()
    })
}

/// The first value of a remembered value or setting.
fn first(compiler: &Compiler<'_>, first: &First) -> Compiled<(&'static str, u64)> {
    identifier(&first.name, &["from", "left", "not", "and", "in", "client", "server"])
        .map_err(|why| (first.line, why))?;
    let names = compiler.enum_names(&first.name);
    let value = compiler.word(&first.value, &names);
    let value = value.ok_or_else(|| {
        let why = format!("{}: expected a number, true, false, or a name of [enum.{}]", first.name, first.name);
        (first.line, why)
    })?;
    Ok((leak(&first.name), value))
}

/// Compiles a parsed file. On error: all mistakes.
pub(super) fn build(file: &File, source: &str) -> Result<&'static Described, Mistakes> {
    let mut compiler = Compiler::new(file, None);
    let packet = head(file, &mut compiler);
    let packet = compiler.or_later(packet);
    match packet.filter(|_| compiler.mistakes.is_empty()) {
        Some((packet, memory, values)) => {
            finish(file, source, &mut compiler, packet, memory, values).map_err(|mistake| vec![mistake])
        }
        None => Err(compiler.mistakes),
    }
}

/// Whether a file's protocol cannot have this name.
pub(super) fn is_taken(name: &str) -> bool {
    crate::protocols::registry().names().any(|known| known == name) || ["auto", "udp", "tcp", "ws"].contains(&name)
}

/// The packet's fields, the remembered values, and the settings.
type Head = (&'static [Field], Vec<Remembered>, Vec<Value>);

fn head(file: &File, compiler: &mut Compiler<'_>) -> Compiled<Head> {
    let name_line = file.protocol_line;
    let good = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b)) && name.len() <= 32;
    if !good(&file.protocol) {
        return Err((name_line, format!("protocol: {:?}: expected a name of letters, digits, _ and -", file.protocol)));
    }
    if is_taken(&file.protocol) {
        return Err((name_line, format!("protocol: {:?} is the name of a built-in one", file.protocol)));
    }
    let (mut memory, mut values) = (Vec::new(), Vec::new());
    for one in &file.memory {
        let first = first(compiler, one);
        let first = compiler.or_later(first);
        memory.extend(first.map(|(name, first)| Remembered { name, first }));
    }
    for one in &file.settings {
        if memory.iter().any(|known: &Remembered| known.name == one.name) {
            compiler.mistakes.push((one.line, format!("{}: [memory] has the name, too", one.name)));
            continue;
        }
        let first = first(compiler, one);
        let first = compiler.or_later(first).map(|(name, value)| (name, value, compiler.enum_names(name)));
        values.extend(first);
    }
    if memory.len() > 64 {
        return Err((1, "memory: more than 64 names".into()));
    }
    Ok((compiler.packet()?, memory, values))
}

fn finish(
    file: &File,
    source: &str,
    compiler: &mut Compiler<'_>,
    packet: &'static [Field],
    memory: Vec<Remembered>,
    values: Vec<Value>,
) -> Compiled<&'static Described> {
    let server = match &file.recognise.server {
        Some((line, text)) => Some(recognise::server(compiler, *line, text)?),
        None => None,
    };
    let (name, name_line) = (leak(&file.protocol), file.protocol_line);
    let carried: Vec<Carried> = {
        let mut all: Vec<_> = compiler.all_choices().map(|(carrier, list)| (leak(carrier), list)).collect();
        all.sort_by_key(|(carrier, _)| *carrier);
        all
    };
    if let Some(twice) = among_headers(file, packet, &carried) {
        return Err(twice);
    }
    let headers = lines::headers(packet, &carried);
    let udp = file.udp.as_ref().map(|ports| statics(ports.ports.clone()));
    let tcp = match &file.tcp {
        Some(ports) => Some((statics(ports.ports.clone()), frames::compile(compiler, ports, packet)?)),
        None => None,
    };
    let websocket = file.websocket.as_ref().map(|ports| statics(ports.ports.clone()));
    // A file without a transport describes datagrams.
    let udp = if udp.is_none() && tcp.is_none() && websocket.is_none() { Some(statics(Vec::new())) } else { udp };
    let beside = beside(file, udp.is_some())?;
    let carriers = [(udp.is_some(), Carrier::Udp), (tcp.is_some(), Carrier::Tcp), (websocket.is_some(), Carrier::Ws)];
    let carriers: Vec<Carrier> = carriers.into_iter().filter(|(there, _)| *there).map(|(_, carrier)| carrier).collect();
    let ports: Vec<u16> =
        [udp, tcp.as_ref().map(|(ports, _)| *ports), websocket].into_iter().flatten().flatten().copied().collect();
    let probe = probe::compile(file, compiler, &carriers, ports.first().copied())?;
    let (codes, nameless) = (Codes::of(name), Names::of(name, &carried));
    let fields = Fields::new(packet, headers, &carried, nameless);
    let traffic = traffic::compile(file, compiler, &fields, &carried, nameless)?;
    let session = client::compile(file, &fields, &carried, &traffic)?;
    let tables = about::tables(&carried, packet, nameless);
    let settings: Vec<Setting> =
        file.settings.iter().zip(&values).map(|(text, value)| about::setting(name, text, value)).collect();
    let bits = recognise::most(packet, &carried);
    let memory_field = |Remembered { name, .. }: &Remembered| {
        let names = compiler.enum_names(name);
        let field = uint(name, 64);
        if names.is_empty() { field } else { field.names(statics(names)) }
    };
    let memory_fields = statics(memory.iter().map(memory_field).collect());
    let named = |name: &str| compiler.enum_names(name).iter().map(|(value, _)| *value).collect();
    let tries = tries(file, &memory, &named, &compiler.hooks);
    let silent = recognise::is_silent(packet, &carried, &compiler.id_bits);
    let facts = Facts {
        about: leak(if file.doc.is_empty() { "described by a file" } else { &file.doc }),
        transports: match (udp.is_some(), tcp.is_some() || websocket.is_some()) {
            (true, true) => &[Transport::Udp, Transport::Tcp],
            (true, false) => &[Transport::Udp],
            _ => &[Transport::Tcp],
        },
        carriers: if websocket.is_some() { &[crate::protocols::websocket::NAME] } else { &[] },
        ports: statics(ports),
        tables,
        headers,
        derived: statics(vec![&JOINED, &MEMORY]),
        settings: statics(settings),
        notes: statics(about::notes(codes, &traffic, carriers.iter().any(|carrier| *carrier != Carrier::Udp))),
        yields: true,
        reads_offered: udp.is_some(),
        outline: Err("a file describes it already"),
        dump_transport: if udp.is_some() { |_| Transport::Udp } else { |_| Transport::Tcp },
        // Files whose packets rule out nothing fit only what has their lengths.
        lenient: !silent,
        ..Facts::new(name)
    };
    let mut described = Description {
        facts,
        packet,
        nameless,
        codes,
        memory,
        tries,
        values,
        written: statics(packet.iter().cloned().chain([TRAILING.clone()]).collect()),
        by_name: about::by_name(packet, &carried),
        has_joins: compiler.hooks.iter().any(|hook| hook.join.is_some()),
        id_bits: std::mem::take(&mut compiler.id_bits),
        memory_fields,
        carried,
        path: leak(file.websocket.as_ref().map_or("", |ports| &ports.path)),
        hooks: std::mem::take(&mut compiler.hooks),
        defaults: std::mem::take(&mut compiler.defaults),
        beside,
        udp,
        tcp,
        websocket,
        server_names: server.as_ref().map(When::names).unwrap_or_default(),
        server,
        packets: file.recognise.packets.unwrap_or(3) as usize,
        traffic,
        probe,
        session,
        bits,
        payload: file.payload.as_ref().map_or("", |payload| leak(&payload.name)),
        around: std::mem::take(&mut compiler.around),
        advice: std::mem::take(&mut compiler.advice),
    };
    let mut hints = std::mem::take(&mut described.advice);
    advice::advise(file, source, &described, silent, &mut hints);
    // Those on the carrier are for the author of its file.
    hints.retain(|(line, _)| *line < CARRIER);
    described.advice = hints;
    if let Some(alike) = over::alike(&described) {
        return Err((name_line, alike));
    }
    let described = lasting(Described(lasting(described)));
    if let (Some(plan), Some(text)) = (probe, &file.probe) {
        plan.check(&mut *described.encoder(&crate::protocols::options()), name)
            .map_err(|why| (text.lines.at("send"), why))?;
    }
    Ok(described)
}

/// Collects the remembered values that something depends on: the first one, those of its enumeration, and those that
/// fields and messages set.
fn tries(file: &File, memory: &[Remembered], named: &dyn Fn(&str) -> Vec<u64>, hooks: &[Hook]) -> Tries {
    let asked = asked(file);
    let values = |(index, Remembered { name, first }): (usize, &Remembered)| {
        let sets = hooks.iter().flat_map(|hook| &hook.sets).filter(|set| set.memory == index);
        let set = sets.filter_map(|set| set.value);
        let all: BTreeSet<u64> = named(name).into_iter().chain(set).chain([*first]).collect();
        (all.len() > 1 && asked.contains(*name)).then(|| (index, all.into_iter().collect()))
    };
    memory.iter().enumerate().filter_map(values).collect()
}

/// The protocols whose datagrams are among those of this one: `beside`.
fn beside(file: &File, udp: bool) -> Compiled<&'static [&'static str]> {
    let mut names: Vec<&'static str> = Vec::new();
    for (name, line) in &file.beside {
        let why = if !udp {
            "only datagrams are offered to other protocols: expected a file with [udp]"
        } else if *name == file.protocol {
            "this is the protocol itself"
        } else if crate::protocols::by_name(name).is_some() {
            "a built-in protocol: only those of files are offered datagrams"
        } else if names.contains(&name.as_str()) {
            "listed twice"
        } else {
            names.push(leak(name));
            continue;
        };
        return Err((*line, format!("beside: {name}: {why}")));
    }
    Ok(statics(names))
}

/// The first name in a message's fields that a header around it has too: both would be in `packet`.
fn among_headers(file: &File, packet: &'static [Field], carried: &[Carried]) -> Option<(usize, String)> {
    let fields_of = |name: &str| {
        let mut all = carried.iter().flat_map(|(_, list)| list.iter());
        all.find(|choice| choice.field.name == name).map_or(&[][..], |choice| choice.layout.fields)
    };
    let carries = |m: &&MessageText| fields_of(&m.name).iter().any(|field| field.is(flag::CARRIES));
    for m in file.messages.iter().filter(carries) {
        let own = lines::header(fields_of(&m.name));
        let mut above = lines::header(packet);
        let mut carrier = m.message.as_str();
        for _ in 0..CARRIERS {
            above.extend(lines::header(fields_of(carrier)));
            carrier = file.messages.iter().find(|m| m.name == carrier).map_or("", |m| m.message.as_str());
        }
        let shown = |field: &&Field| !field.name.is_empty() && !field.is(flag::HIDDEN);
        let twin = |field: &&Field| above.iter().filter(shown).any(|other| other.name == field.name);
        if let Some(field) = own.iter().filter(shown).find(twin) {
            let line = m.fields.iter().find(|t| t.name == field.name).map_or(m.lines.line, |t| t.line);
            let why = format!("{}: a header around {} has the name, too: both are in packet", field.name, m.name);
            return Some((line, why));
        }
    }
    None
}
