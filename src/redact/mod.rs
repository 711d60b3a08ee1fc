//! Messages without what is personal in them: `--redact`.
//!
//! [`Redactor`] makes of each message one with the same fields, lengths and times, in which
//!
//! - addresses are others, one to one, of the same kind (loopback, private, public, ..); ports stay;
//! - words of the application's text are others of the same length, one to one: the same word is
//!   the same in every message, so that routes and names can still be followed;
//! - bytes of the application that no field tells apart are others.
//!
//! Numbers of fields stay, and with them what analysis needs; so does what the protocol says
//! [of itself](Public). The values are changed in the bytes that they are read from, so that no form
//! of output shows the originals. What stands for what depends on a secret of the run.
//!
//! ```
//! use netkit::redact::Redactor;
//!
//! let mut redactor = Redactor::new();
//! let mapped = redactor.address("10.1.2.3:7777".parse().unwrap());
//! assert!(mapped.to_string().starts_with("10.") && mapped.port() == 7777);
//! assert_eq!(redactor.address("10.1.2.3:7777".parse().unwrap()), mapped);
//! ```

mod addresses;
mod letters;
mod patches;
mod words;

use crate::codec::{Fault, Notes, Sources};
use crate::dissect::{FlowInfo, Message, Provenance, Public};
use addresses::Addresses;
use patches::Patches;
use std::net::SocketAddr;
use words::Words;

/// Makes messages that tell nothing of whom they are. One for a run.
#[derive(Debug, Default)]
pub struct Redactor {
    addresses: Addresses,
    words: Words,
    patches: Patches,
}

impl Redactor {
    /// With a secret of its own.
    pub fn new() -> Redactor {
        Redactor::default()
    }

    /// The address that stands for this one.
    pub fn address(&mut self, address: SocketAddr) -> SocketAddr {
        SocketAddr::new(self.addresses.map(address.ip()), address.port())
    }

    /// Passes on the message as it may be shown.
    pub fn message(&mut self, message: &Message<'_>, then: impl FnOnce(&Message<'_>)) {
        let public = public_of(message);
        let mut dissection = message.dissection.clone();
        let mut main = message.place.bytes.to_vec();
        self.patches.collect(message, &public);
        self.patches.write(message.sources(), &public, &mut self.words, &mut main, dissection.buffers());
        dissection.notes = self.notes(&message.dissection.notes);
        if let Some(fault) = &mut dissection.fault {
            self.fault(fault, message, &public);
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

    /// The name that stands for a file's: without its folder, and with its ending.
    pub fn file(&mut self, name: &str) -> String {
        const ENDINGS: Public = Public { fields: &[], words: "pcap pcapng cap gz zst lz4 txt hex", lines: &[] };
        let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
        String::from_utf8_lossy(&self.words.text(last.as_bytes(), false, &ENDINGS)).into()
    }

    /// A text of netkit's own: addresses in it are those that stand for them, and what it quotes is
    /// as text in messages is.
    pub fn text(&mut self, text: &str) -> String {
        let mut out = String::new();
        for (k, part) in text.split('"').enumerate() {
            out.push_str(if k > 0 { "\"" } else { "" });
            match k % 2 {
                0 => self.plain(part, &mut out),
                _ => {
                    let quoted = self.words.text(part.as_bytes(), true, &Public::default());
                    out.push_str(&String::from_utf8_lossy(&quoted));
                }
            }
        }
        out
    }

    /// Text without quotes: only addresses are looked for.
    fn plain(&mut self, text: &str, out: &mut String) {
        for word in text.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '[' | ']'))) {
            let token = word.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || c == ']'));
            let (token, behind) = word.split_at(token.len());
            if let Ok(end) = token.parse::<SocketAddr>() {
                out.push_str(&self.address(end).to_string());
            } else if let Ok(ip) = token.parse() {
                out.push_str(&self.addresses.map(ip).to_string());
            } else {
                out.push_str(token);
            }
            out.push_str(behind);
        }
    }

    fn notes(&mut self, notes: &Notes) -> Notes {
        let mut own = Notes::default();
        for (note, text) in notes.iter() {
            let text = self.text(text);
            own.add(note.level, note.code, format_args!("{text}"));
        }
        own
    }

    /// The path may have names of the traffic's.
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

/// What the message's protocol says of itself, and its carrier.
fn public_of(message: &Message<'_>) -> Public {
    let dissector = message.flow_info.options.registry.for_line(message.dissection.proto);
    dissector.map(|dissector| dissector.public()).unwrap_or_default()
}

/// The bytes of a source, as they were read.
fn source(sources: Sources<'_>, index: u8) -> &[u8] {
    sources.get(index)
}
