//! A file over a protocol of another file: the payloads of that one's messages are the packets of this one. Both become
//! one file, so that everything that works for one file works for both.

use super::compile::Mistakes;
use super::text::{FieldText, File, JoinText, OverText, PayloadText, SizeText};

/// The number of the first line of the carrier's file. Smaller numbers are lines of the file over it.
pub const CARRIER: usize = 1 << 24;

/// The type of payloads. The carrier's fields of this type contain the messages of the file over it.
const PAYLOAD: &str = "payload";

/// Joins a file and the file of its carrier. `line`: that of `[over]`.
pub fn compose(mut base: File, own: File, over: &OverText) -> Result<File, Mistakes> {
    let fail = |why: String| Err(vec![(over.line, format!("over: {why}"))]);
    let name = format!("{}.payload", own.protocol);
    let carrier = &over.protocol;
    if !over.message.is_empty() && base.messages.iter().all(|m| m.name != over.message) {
        let near = crate::nearest::nearest(&over.message, base.messages.iter().map(|m| m.name.as_str()));
        return fail(format!("{carrier} has no message {:?}{}", over.message, crate::nearest::hint(near)));
    }
    // Fields in structs are reached from any of the messages.
    let all = over.message.is_empty();
    let structs = base.structs.iter_mut().map(|(.., fields)| fields);
    let messages = base.messages.iter_mut().filter(|m| all || m.name == over.message).map(|m| &mut m.fields);
    let opened: usize = structs.filter(|_| all).chain(messages).map(|fields| opened(fields, &name)).sum();
    let packet = base.packet.as_mut().filter(|_| all).map_or(0, |(_, fields)| self::opened(fields, &name));
    if opened + packet == 0 {
        let of = if all { carrier.clone() } else { format!("{carrier}.{}", over.message) };
        return fail(format!("{of} has no field of the type payload"));
    }
    let wrong = clashes(&base, &own, carrier);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    base.payload = Some(PayloadText { name: name.clone(), big: own.big.or(base.big) });
    let message = || FieldText {
        line: over.line,
        name: "message".into(),
        kind: "message".into(),
        by: Some("u8".into()),
        ..FieldText::default()
    };
    let (line, fields) = own.packet.unwrap_or_else(|| (over.line, vec![message()]));
    base.structs.push((name.clone(), line, fields));
    for mut m in own.messages {
        if m.message.is_empty() {
            m.message.clone_from(&name);
        }
        base.messages.push(m);
    }
    base.structs.extend(own.structs);
    base.enums.extend(own.enums);
    base.flags.extend(own.flags);
    base.memory.extend(own.memory);
    base.settings.extend(own.settings);
    base.numbers.extend(own.numbers);
    base.requests.extend(own.requests);
    base.beside.extend(own.beside);
    base.udp = own.udp.or(base.udp);
    base.websocket = own.websocket.or(base.websocket);
    match (&mut base.tcp, own.tcp) {
        (_, Some(own)) if !own.frames.is_empty() => {
            return Err(vec![(own.line, format!("tcp: frame is that of {carrier}"))]);
        }
        (Some(tcp), Some(own)) => tcp.ports = own.ports,
        (None, Some(own)) => return Err(vec![(own.line, format!("tcp: {carrier} has no [tcp], and so no frame"))]),
        _ => {}
    }
    if own.recognise.server.is_some() {
        base.recognise.server = own.recognise.server;
    }
    base.session = own.session.or(base.session);
    base.recognise.packets = own.recognise.packets.or(base.recognise.packets);
    Ok(File {
        protocol: own.protocol,
        protocol_line: own.protocol_line,
        doc: if own.doc.is_empty() { base.doc } else { own.doc },
        probe: own.probe,
        ..base
    })
}

/// Puts the struct `name` into the payloads among these fields, and counts them.
fn opened(fields: &mut [FieldText], name: &str) -> usize {
    let mut opened = 0;
    for field in fields {
        let times = field.kind.strip_prefix(PAYLOAD).map(str::trim);
        let Some(times) = times.filter(|times| times.is_empty() || times.starts_with('[')) else { continue };
        opened += 1;
        match &mut field.join {
            // The parts are bytes; the whole of them is a packet.
            Some(join) => *join = JoinText { is: Some(name.into()), ..std::mem::take(join) },
            None => {
                let times = times.trim_matches(['[', ']']).trim();
                if !times.is_empty() && times != "*" {
                    field.size = Some(SizeText { word: times.into(), ..SizeText::default() });
                }
                field.kind = name.into();
                field.inline = true;
            }
        }
    }
    opened
}

/// Names that both files have.
fn clashes(base: &File, own: &File, carrier: &str) -> Mistakes {
    let mut wrong = Mistakes::new();
    let mut has = |line: usize, what: &str, name: &str, taken: bool| {
        if taken {
            wrong.push((line, format!("{what} {name}: {carrier} has one of this name, choose another")));
        }
    };
    for m in &own.messages {
        has(m.lines.at("name"), "message", &m.name, base.messages.iter().any(|other| other.name == m.name));
    }
    for (name, line, _) in &own.structs {
        has(*line, "struct", name, base.structs.iter().any(|(other, ..)| other == name));
    }
    let line = own.protocol_line;
    for (name, _) in &own.enums {
        has(line, "enum", name, base.enums.iter().any(|(other, _)| other == name));
    }
    for (name, _) in &own.flags {
        has(line, "flags", name, base.flags.iter().any(|(other, _)| other == name));
    }
    for first in own.memory.iter().chain(&own.settings) {
        let taken = base.memory.iter().chain(&base.settings).any(|other| other.name == first.name);
        has(first.line, "the value", &first.name, taken);
    }
    for numbers in &own.numbers {
        has(numbers.line, "numbers", &numbers.name, base.numbers.iter().any(|other| other.name == numbers.name));
    }
    wrong
}
