//! Splits lists into single packets, however the sender grouped them.
//!
//! A sender puts all packets that it has into one frame or datagram, so timing decides how many packets share a frame.
//! After a packet without a table the rest of the frame cannot be read, so two such packets in one frame look like one.
//! Their bytes are the same as when each was sent alone: bytes that once filled a frame to its end are recognised
//! within other frames.

use super::super::layout::Message::*;
use super::super::layout::{END, ID, IDS, PACKET};
use super::super::link::{WireFormat, order_by_name};
use super::dialect::Dialect;
use super::packets;
use crate::codec::json::fields_json;
use crate::codec::layout::Order;
use crate::codec::reader::UNPARSED;
use crate::codec::schema::Schemas;
use crate::codec::{Reader, Sources, Tree};
use crate::message::OwnedMessage;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// The most unreadable packets that are remembered. An application has few kinds.
const MOST: usize = 4096;
/// The longest bytes that are remembered. A receiver's buffer has 512.
const LONGEST: usize = 2048;

/// Bytes from a packet of unknown length to the end of its list, without the mark.
#[derive(Debug, Default)]
pub struct PacketSplitter {
    /// By their first byte.
    known: BTreeMap<u8, BTreeSet<Vec<u8>>>,
    count: usize,
}

impl PacketSplitter {
    /// Remembers the unreadable end of a message.
    pub fn learn(&mut self, decoded: &OwnedMessage) {
        let Some(rest) = unread(decoded).filter(|rest| rest.len() <= LONGEST) else { return };
        let Some(first) = rest.first().copied().filter(|_| self.count < MOST) else { return };
        self.count += self.known.entry(first).or_default().insert(rest) as usize;
    }

    /// Calls `each` with each packet of a message, as a message of its own.
    pub fn parts(&self, decoded: OwnedMessage, dialect: Dialect, each: &mut dyn FnMut(OwnedMessage)) {
        let all = packets(&decoded);
        if decoded.message != Packets || all.is_empty() {
            return each(decoded);
        }
        let part = |fields: Json| OwnedMessage { fault: decoded.fault.clone(), ..header(&decoded).with_fields(fields) };
        let rest = decoded.field(&UNPARSED).cloned();
        let readable = if rest.is_some() { all.len().saturating_sub(1) } else { all.len() };
        all.iter().take(readable).for_each(|packet| each(part(json!({ "packets": [packet] }))));
        let (Some(last), Some(rest)) = (all.get(readable), rest) else { return };
        match unread(&decoded) {
            Some(bytes) => self.cut(&bytes, dialect).into_iter().for_each(|fields| each(part(fields))),
            // The fault is within another packet, so it stays whole.
            None => {
                let text = rest.as_str().unwrap_or_default();
                each(part(json!({ "packets": [last], "unparsed": text.strip_suffix("ff").unwrap_or(text) })));
            }
        }
    }

    /// Splits bytes that begin with a packet of unknown length into packets.
    fn cut(&self, bytes: &[u8], dialect: Dialect) -> Vec<Json> {
        let mut tree = Tree::default();
        // For each place, the place where the packet before it begins.
        let mut from: Vec<Option<usize>> = vec![None; bytes.len() + 1];
        for at in 0..bytes.len() {
            if at > 0 && from.get(at).is_none_or(Option::is_none) {
                continue;
            }
            let rest = bytes.get(at..).unwrap_or_default();
            let first = rest.first().copied().unwrap_or_default();
            let known = self.known.get(&first).into_iter().flatten();
            // A packet as long as all the bytes would not split them.
            let lengths = known.filter(|p| p.len() < bytes.len() && rest.starts_with(p)).map(Vec::len);
            for length in lengths.chain(own(rest, dialect, &mut tree).filter(|_| at > 0)) {
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
        let range = |at: &[usize]| match at {
            [from, to] => packet(bytes.get(*from..*to).unwrap_or_default(), dialect, *from == 0),
            _ => Json::Null,
        };
        cuts.windows(2).map(range).collect()
    }
}

/// A copy of a message without its fields.
fn header(decoded: &OwnedMessage) -> OwnedMessage {
    let OwnedMessage { proto, message, version, from, channel, left_out, first, .. } = *decoded;
    OwnedMessage { proto, message, version, from, channel, left_out, first, ..OwnedMessage::default() }
}

/// The ids of packets that embed another one directly after their own id.
const EMBEDDING: RangeInclusive<u64> = 5..=8;

/// The bytes from a message's last packet on, if the length of that packet is unknown.
fn unread(decoded: &OwnedMessage) -> Option<Vec<u8>> {
    let rest = hex::decode(decoded.text(&UNPARSED)?).ok()?;
    let (mut bytes, mut packet) = (Vec::new(), packets(decoded).last()?);
    loop {
        match packet.get(ID.name)? {
            Json::String(name) => {
                bytes.push(IDS.iter().find(|(id, known)| EMBEDDING.contains(id) && known == name)?.0 as u8);
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

/// Reads a packet of the library's that embeds no other one. Returns its length.
fn own(bytes: &[u8], dialect: Dialect, tree: &mut Tree) -> Option<usize> {
    bytes.first().filter(|id| (1..*EMBEDDING.start()).contains(&u64::from(**id)))?;
    tree.clear();
    let order = dialect.order.and_then(order_by_name).unwrap_or(Order::Little);
    let (schemas, short_ping) = (Schemas::default(), dialect.short_pings == Some(true));
    let mut reading = WireFormat { order, short_ping, schemas: &schemas, from: "", made: Default::default() };
    let outcome = Reader::new(bytes, tree).context(&mut reading).read(&PACKET);
    outcome.stop.is_none().then_some(outcome.bits as usize / 8)
}

/// A packet as the tables show it; `unknown`: it is not one of the library's.
fn packet(bytes: &[u8], dialect: Dialect, unknown: bool) -> Json {
    let mut tree = Tree::default();
    if !unknown && own(bytes, dialect, &mut tree) == Some(bytes.len()) {
        let mut text = Vec::new();
        fields_json(&tree, Sources { main: bytes, more: &[] }, &mut text);
        return json!({ "packets": [serde_json::from_slice::<Json>(&text).unwrap_or_default()] });
    }
    let (id, rest) = bytes.split_first().map_or((0, bytes), |(id, rest)| (u64::from(*id), rest));
    let name = IDS.iter().find(|(known, _)| *known == id && EMBEDDING.contains(known));
    let id = name.map_or(Json::from(id), |(_, name)| Json::from(*name));
    json!({"packets": [{ "id": id }], "unparsed": hex::encode(rest)})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(packets: Json, unparsed: &str) -> OwnedMessage {
        let fields = json!({"packets": packets, "unparsed": unparsed});
        OwnedMessage { message: Packets.name(), ..OwnedMessage::default().with_fields(fields) }
    }

    fn parts(splitter: &PacketSplitter, message: &OwnedMessage) -> Vec<Json> {
        let mut all = Vec::new();
        let dialect = Dialect { order: Some("le"), short_pings: None };
        splitter.parts(message.clone(), dialect, &mut |part| all.push(part.to_json().clone()));
        all
    }

    #[test]
    fn together_or_one_by_one() {
        let mut splitter = PacketSplitter::default();
        let one = decoded(json!([{"id": 16}]), "0568656c6c6fff");
        let two = decoded(json!([{"id": 17}]), "0100ff0200ff");
        let ping = "0407000000".to_string() + &"00".repeat(16);
        // Before anything is known, they are whole.
        let text = format!("0568656c6c6f110100ff0200{ping}0104000102030410{}ff", "0568656c6c6f");
        let merged = decoded(json!([{"id": "custom", "data": "00"}, {"id": 16}]), &text);
        assert_eq!(parts(&splitter, &merged).len(), 2);
        [&one, &two, &merged].into_iter().for_each(|decoded| splitter.learn(decoded));
        let found = parts(&splitter, &merged);
        assert_eq!(found[0], json!({"packets": [{"id": "custom", "data": "00"}]}));
        assert_eq!(found[1..2], parts(&splitter, &one)[..]);
        assert_eq!(found[2..3], parts(&splitter, &two)[..]);
        assert_eq!(found[3]["packets"][0]["id"], "ping");
        assert_eq!(found[4], json!({"packets": [{"id": "custom", "data": "01020304"}]}));
        assert_eq!(found[5..], parts(&splitter, &one)[..]);
        // A packet that was never seen alone stays as it is.
        let other = decoded(json!([{"id": 16}]), "0568656c6c70110100ff0200ff");
        assert_eq!(
            parts(&splitter, &other),
            [json!({"packets": [{"id": 16}], "unparsed": "0568656c6c70110100ff0200"})]
        );
    }
}
