//! Packets one by one, however the sender puts them together.
//!
//! A sender puts what it has into one frame or datagram, so how many packets are in one is a matter of
//! time. Behind a packet that no table explains the rest cannot be read, and so two that came one by
//! one in the capture look like one when they come together. But both say the same bytes: what stood
//! alone somewhere is found again in what came together.

use super::super::layout::ID;
use super::super::layout::Message::*;
use super::dialect::Dialect;
use super::packets;
use crate::codec::reader::UNPARSED;
use crate::message::OwnedMessage;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// The end of a frame's packets.
const END: u8 = 255;
/// So many packets that nobody can read are remembered: an application has a few kinds.
const MOST: usize = 4096;
/// The longest that is looked into: a receiver's buffer has 512.
const LONGEST: usize = 2048;

/// Bytes that began with a packet of unknown length and ended with their frame, without the end.
#[derive(Debug, Default)]
pub struct Pieces {
    /// By their first byte.
    known: BTreeMap<u8, BTreeSet<Vec<u8>>>,
    count: usize,
}

impl Pieces {
    /// Takes in what a message ends with.
    pub fn learn(&mut self, said: &OwnedMessage) {
        let Some(rest) = unread(said).filter(|rest| rest.len() <= LONGEST) else { return };
        let Some(first) = rest.first().copied().filter(|_| self.count < MOST) else { return };
        self.count += self.known.entry(first).or_default().insert(rest) as usize;
    }

    /// A message's packets, each as a message of its own.
    pub fn parts(&self, said: OwnedMessage, dialect: Dialect, each: &mut dyn FnMut(OwnedMessage)) {
        let all = packets(&said);
        if said.message != Packets || all.is_empty() {
            return each(said);
        }
        let part = |fields: Json| OwnedMessage { fault: said.fault.clone(), ..header(&said).with_fields(fields) };
        let rest = said.field(&UNPARSED).cloned();
        let readable = if rest.is_some() { all.len().saturating_sub(1) } else { all.len() };
        all.iter().take(readable).for_each(|packet| each(part(json!({ "packets": [packet] }))));
        let (Some(last), Some(rest)) = (all.get(readable), rest) else { return };
        match unread(&said) {
            Some(bytes) => self.cut(&bytes, dialect).into_iter().for_each(|fields| each(part(fields))),
            // Broken within another packet: it stays whole.
            None => {
                let text = rest.as_str().unwrap_or_default();
                each(part(json!({ "packets": [last], "unparsed": text.strip_suffix("ff").unwrap_or(text) })));
            }
        }
    }

    /// The packets in bytes of which the first packet has no known length: as many as there are.
    fn cut(&self, bytes: &[u8], dialect: Dialect) -> Vec<Json> {
        // From where each place is reached, and by what.
        let mut from: Vec<Option<usize>> = vec![None; bytes.len() + 1];
        for at in 0..bytes.len() {
            if at > 0 && from.get(at).is_none_or(Option::is_none) {
                continue;
            }
            let rest = bytes.get(at..).unwrap_or_default();
            let first = rest.first().copied().unwrap_or_default();
            let known = self.known.get(&first).into_iter().flatten();
            // All of them is what is to be cut.
            let lengths = known.filter(|p| p.len() < bytes.len() && rest.starts_with(p)).map(Vec::len);
            for length in lengths.chain(own(rest, dialect).filter(|_| at > 0)) {
                if let Some(place) = from.get_mut(at + length) {
                    place.get_or_insert(at);
                }
            }
        }
        let mut cuts = vec![bytes.len()];
        while let Some(before) = cuts.last().filter(|at| **at > 0).and_then(|at| from.get(*at).copied().flatten()) {
            cuts.push(before);
        }
        cuts.reverse();
        if cuts.first() != Some(&0) {
            return vec![packet(bytes, dialect, true)];
        }
        let piece = |at: &[usize]| match at {
            [from, to] => packet(bytes.get(*from..*to).unwrap_or_default(), dialect, *from == 0),
            _ => Json::Null,
        };
        cuts.windows(2).map(piece).collect()
    }
}

/// What a part has of its message.
fn header(said: &OwnedMessage) -> OwnedMessage {
    let OwnedMessage { proto, message, version, from, channel, left_out, first, .. } = *said;
    OwnedMessage { proto, message, version, from, channel, left_out, first, ..OwnedMessage::default() }
}

/// Packets that have another one in them, right behind their own id.
const EMBEDDING: [(u8, &str); 4] = [(5, "channel"), (6, "object_creation"), (7, "object_update"), (8, "object_death")];

/// The bytes from a message's last packet on, where nobody knows that packet's length.
fn unread(said: &OwnedMessage) -> Option<Vec<u8>> {
    let rest = hex::decode(said.text(&UNPARSED)?).ok()?;
    let (mut bytes, mut packet) = (Vec::new(), packets(said).last()?);
    loop {
        match packet.get(ID.name)? {
            Json::String(name) => {
                bytes.push(EMBEDDING.iter().find(|(_, embedding)| embedding == name)?.0);
                packet = packet.get("packet")?;
            }
            id => {
                bytes.push(u8::try_from(id.as_u64()?).ok()?);
                break;
            }
        }
    }
    bytes.extend(rest.strip_suffix(&[END]).unwrap_or(&rest));
    Some(bytes)
}

/// The length of one of the library's own packets.
fn own(bytes: &[u8], dialect: Dialect) -> Option<usize> {
    let length = match bytes {
        [1, a, b, ..] => 3 + usize::from(dialect.number([*a, *b])),
        [2, ..] => 1,
        [3, ..] => 5,
        [4, ..] if dialect.short_pings == Some(true) => 6,
        [4, ..] => 21,
        _ => return None,
    };
    (length <= bytes.len()).then_some(length)
}

/// A packet as the tables have it; `unknown`: it is none of the library's.
fn packet(bytes: &[u8], dialect: Dialect, unknown: bool) -> Json {
    let (id, rest) = bytes.split_first().map_or((0, bytes), |(id, rest)| (*id, rest));
    match (id, rest) {
        (1, [_, _, data @ ..]) if !unknown => json!({"packets": [{"id": "custom", "data": hex::encode(data)}]}),
        (2, []) if !unknown => json!({"packets": [{"id": "exit"}]}),
        (3, [a, b, c, d]) if !unknown => {
            json!({"packets": [{"id": "rate_adjust", "rate": dialect.long([*a, *b, *c, *d])}]})
        }
        (4, rest) if !unknown => {
            let request = match rest {
                [flag, _, _, _, _] => *flag != 0,
                rest => rest.get(4..12).is_some_and(|t2| t2 == [0; 8]),
            };
            // Only this of a ping is compared.
            let time = json!({"sec": i64::from(!request), "usec": 0});
            let ping = json!({"id": "ping", "t2": time});
            json!({ "packets": [ping] })
        }
        _ => match EMBEDDING.iter().find(|(embedding, _)| *embedding == id) {
            Some((_, name)) => json!({"packets": [{"id": name}], "unparsed": hex::encode(rest)}),
            None => json!({"packets": [{"id": id}], "unparsed": hex::encode(rest)}),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(packets: Json, unparsed: &str) -> OwnedMessage {
        let fields = json!({"packets": packets, "unparsed": unparsed});
        OwnedMessage { message: Packets.name(), ..OwnedMessage::default().with_fields(fields) }
    }

    fn parts(pieces: &Pieces, message: &OwnedMessage) -> Vec<Json> {
        let mut all = Vec::new();
        let dialect = Dialect { order: Some("le"), short_pings: None };
        pieces.parts(message.clone(), dialect, &mut |part| all.push(part.to_json().clone()));
        all
    }

    #[test]
    fn together_or_one_by_one() {
        let mut pieces = Pieces::default();
        let one = said(json!([{"id": 16}]), "0568656c6c6fff");
        let two = said(json!([{"id": 17}]), "0100ff0200ff");
        let ping = "0407000000".to_string() + &"00".repeat(16);
        // Before anything is known they are whole.
        let text = format!("0568656c6c6f110100ff0200{ping}0104000102030410{}ff", "0568656c6c6f");
        let merged = said(json!([{"id": "custom", "data": "00"}, {"id": 16}]), &text);
        assert_eq!(parts(&pieces, &merged).len(), 2);
        [&one, &two, &merged].into_iter().for_each(|said| pieces.learn(said));
        let found = parts(&pieces, &merged);
        assert_eq!(found[0], json!({"packets": [{"id": "custom", "data": "00"}]}));
        assert_eq!(found[1..2], parts(&pieces, &one)[..]);
        assert_eq!(found[2..3], parts(&pieces, &two)[..]);
        assert_eq!(found[3]["packets"][0]["id"], "ping");
        assert_eq!(found[4], json!({"packets": [{"id": "custom", "data": "01020304"}]}));
        assert_eq!(found[5..], parts(&pieces, &one)[..]);
        // What nobody has seen alone stays as it is.
        let other = said(json!([{"id": 16}]), "0568656c6c70110100ff0200ff");
        assert_eq!(parts(&pieces, &other), [json!({"packets": [{"id": 16}], "unparsed": "0568656c6c70110100ff0200"})]);
    }
}
