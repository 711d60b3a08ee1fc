//! Messages without personal data: `--redact`.
//!
//! [`Redactor`] turns each message into one with the same fields, lengths and times, with these changes:
//!
//! - addresses are replaced one to one by others of the same kind (loopback, private, public, ..); ports are kept;
//! - words of the application's text are replaced one to one by others of the same length, with the same replacement in
//!   every message, so that routes and names can still be followed;
//! - bytes of the application that no field describes are replaced, as is the payload of packets of unknown protocols.
//!
//! Numbers in fields but checksums are kept, and with them everything that analysis needs; so are public
//! [fields](crate::codec::layout::Field::public) and [words](Public). The values are replaced in the bytes from which they are read, so that no output format shows the
//! originals. The replacements depend on a secret of the run.

mod addresses;
mod letters;
mod notation;
mod patches;
#[cfg(feature = "cli")]
pub(crate) mod run;
mod words;

use crate::capture::{Body, Packet, Segment};
use crate::codec::kinds::COMPUTED;
use crate::codec::layout::{Kind, Order};
use crate::codec::{Fault, Notes, Sources, Tree, Value};
use crate::dissect::{FlowInfo, Message, Provenance, Public};
use addresses::Addresses;
use patches::Patches;
use std::net::SocketAddr;
use words::Words;

/// Removes personal data from messages. One for a run.
#[derive(Debug, Default)]
pub struct Redactor {
    addresses: Addresses,
    words: Words,
    patches: Patches,
}

impl Redactor {
    /// A redactor with its own secret.
    pub fn new() -> Redactor {
        Redactor::default()
    }

    /// The replacement of this address.
    pub fn address(&mut self, address: SocketAddr) -> SocketAddr {
        SocketAddr::new(self.addresses.map(address.ip()), address.port())
    }

    /// Passes the redacted message on.
    pub fn message(&mut self, message: &Message<'_>, then: impl FnOnce(&Message<'_>)) {
        let public = public_of(message);
        let mut dissection = message.dissection.clone();
        let mut main = message.place.bytes.to_vec();
        self.patches.collect(message);
        self.patches.write(message.sources(), &public, &mut self.words, &mut main, dissection.buffers());
        for tree in [&mut dissection.packet, &mut dissection.tree, &mut dissection.derived] {
            self.checksums(tree);
        }
        dissection.notes = self.notes(&message.dissection.notes);
        if let Some(fault) = &mut dissection.fault {
            self.fault(fault, message, &public);
        }
        if let Some(farewell) = &mut dissection.farewell {
            let words = &mut farewell.words;
            *words = String::from_utf8_lossy(&self.words.text(words.as_bytes(), false, &public)).into();
        }
        let ends = message.flow_info.ends.map(|ends| ends.map(|end| self.address(end)));
        let names = match ends {
            Some(ends) => ends.map(|end| end.to_string()),
            None => message.names.map(String::from),
        };
        then(&Message {
            dissection: &dissection,
            place: &Provenance { bytes: &main, ..*message.place },
            flow_info: &FlowInfo { ends, serial: 0, ..*message.flow_info },
            names: [&names[0], &names[1]],
        });
    }

    /// Replaces checksums, and hides those that are right: encoding computes those of the replacements.
    fn checksums(&self, tree: &mut Tree) {
        for k in 0..tree.nodes().len() {
            let is_wrong = tree.nodes().get(k + 1).is_some_and(|next| std::ptr::eq(next.field, &COMPUTED));
            let Some(node) = tree.nodes_mut(k).first_mut() else { return };
            let Kind::Checksum(checksum) = &node.field.kind else { continue };
            let Value::UInt(sum) = node.value else { continue };
            // The bytes of the number as they are in the message: its replacement is the same there.
            let big = checksum.order == Order::Big;
            let mut wire = sum.to_le_bytes();
            let wire = wire.get_mut(..(node.bits as usize / 8).min(8)).unwrap_or_default();
            if big {
                wire.reverse();
            }
            let mut other = self.words.bytes(wire, None);
            if big {
                other.reverse();
            }
            node.value = Value::UInt(other.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)));
            match tree.nodes_mut(k + 1).first_mut().filter(|_| is_wrong) {
                Some(computed) => computed.value = Value::UInt(0),
                None => tree.hide(k),
            }
        }
    }

    /// Passes on a packet of an unknown protocol, with other addresses and, as its payload, as many other bytes as were
    /// captured. Equal payloads get equal replacements.
    pub fn packet(&mut self, packet: &Packet<'_>, then: impl FnOnce(&Packet<'_>)) {
        let (src, dst) = (self.address(packet.src), self.address(packet.dst));
        let other = |payload: &[u8]| self.words.bytes(payload, None);
        let payload = match &packet.body {
            Body::Udp { payload, .. } => other(payload),
            Body::Tcp(segment) => other(segment.payload),
        };
        let body = match &packet.body {
            Body::Udp { length, .. } => Body::Udp { payload: &payload, length: *length },
            Body::Tcp(segment) => Body::Tcp(Segment { payload: &payload, ..segment.clone() }),
        };
        then(&Packet { src, dst, body, ..packet.clone() });
    }

    /// The replacement of a file's name: without its folder, but with its extension.
    pub fn file(&mut self, name: &str) -> String {
        const ENDINGS: Public = Public { words: "pcap pcapng cap gz zst lz4 txt hex", lines: &[] };
        let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
        String::from_utf8_lossy(&self.words.text(last.as_bytes(), false, &ENDINGS)).into()
    }

    /// Redacts a text written by netkit: addresses are replaced, and quotations are redacted like text in messages.
    pub fn text(&mut self, text: &str) -> String {
        let (mut out, mut rest) = (String::new(), text);
        while let Some((before, quoted)) = rest.split_once('"') {
            self.plain(before, &mut out);
            // In a quotation, a quote may be escaped.
            let mut escaped = false;
            let end = quoted.find(|c: char| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let (inside, after) = quoted.split_at(end.unwrap_or(quoted.len()));
            let other = self.words.text(inside.as_bytes(), true, &Public::default());
            out.push('"');
            out.push_str(&String::from_utf8_lossy(&other));
            out.push_str(if end.is_some() { "\"" } else { "" });
            rest = after.strip_prefix('"').unwrap_or_default();
        }
        self.plain(rest, &mut out);
        out
    }

    /// Redacts text without quotations: replaces addresses only.
    fn plain(&mut self, text: &str, out: &mut String) {
        for word in text.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '[' | ']'))) {
            let token = word.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || c == ']'));
            let (token, after) = word.split_at(token.len());
            if let Ok(end) = token.parse::<SocketAddr>() {
                out.push_str(&self.address(end).to_string());
            } else if let Ok(ip) = token.parse() {
                out.push_str(&self.addresses.map(ip).to_string());
            } else {
                out.push_str(token);
            }
            out.push_str(after);
        }
    }

    fn notes(&mut self, notes: &Notes) -> Notes {
        let mut own = Notes::default();
        for (note, text) in notes.iter() {
            // The text has the checksum of the original.
            let text = if note.code.ends_with(".checksum") { "a wrong checksum".into() } else { self.text(text) };
            own.add(note.level, note.code, format_args!("{text}"));
        }
        own
    }

    /// The path may contain names from the traffic.
    fn fault(&mut self, fault: &mut Fault, message: &Message<'_>, public: &Public) {
        let sources = message.sources();
        let own = |names: &mut Vec<String>, tree: &crate::codec::Tree| {
            let nodes = tree.nodes().iter().filter(|node| tree.name_from_traffic(node));
            names.extend(nodes.map(|node| tree.name(node, sources).to_owned()));
        };
        let mut names = Vec::new();
        [&message.dissection.tree, &message.dissection.derived].into_iter().for_each(|tree| own(&mut names, tree));
        names.sort();
        names.dedup();
        let parts = fault.path.split_inclusive(['.', '[', ']']).map(|part| {
            let name = part.trim_end_matches(['.', '[', ']']);
            match names.iter().any(|own| own == name) {
                true => {
                    let other = self.words.text(name.as_bytes(), false, public);
                    format!("{}{}", String::from_utf8_lossy(&other), &part[name.len()..])
                }
                false => part.to_owned(),
            }
        });
        fault.path = parts.collect();
        fault.limit = self.text(&fault.limit);
    }
}

/// The public parts of the message's protocol and its carrier.
fn public_of(message: &Message<'_>) -> Public {
    let dissector = message.flow_info.options.registry.for_line(message.dissection.proto);
    dissector.map(|dissector| dissector.public()).unwrap_or_default()
}

/// The bytes of a source, as they were read.
fn source(sources: Sources<'_>, index: u8) -> &[u8] {
    sources.get(index)
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_address_is_mapped_once() {
        use crate::redact::Redactor;

        let mut redactor = Redactor::new();
        let mapped = redactor.address("10.1.2.3:7777".parse().unwrap());
        assert!(mapped.to_string().starts_with("10.") && mapped.port() == 7777);
        assert_eq!(redactor.address("10.1.2.3:7777".parse().unwrap()), mapped);
    }

    #[test]
    fn a_quotation_ends_at_a_quote_that_is_not_escaped() {
        use crate::redact::Redactor;

        let mut redactor = Redactor::new();
        let mapped = redactor.address("10.1.2.3:7777".parse().unwrap());
        let text = redactor.text(r#"no member "hidden\"secret", from 10.1.2.3:7777"#);
        assert!(text.starts_with("no member \"") && text.ends_with(&format!("\", from {mapped}")), "{text}");
        assert!(!text.contains("hidden") && !text.contains("secret"), "{text}");
    }
}
