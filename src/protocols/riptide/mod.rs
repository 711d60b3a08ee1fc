//! Riptide Networking: all wire families from 1.0 to 2.2, over UDP and TCP.
//!
//! A C# library for games made with Unity and others. There is no version, magic or connection id
//! on the wire: the version is found per conversation ([`version`]). 2.1 and later are bit-packed.

pub mod framing;
pub mod layout;
pub mod notes;
pub mod probe;
pub mod reliable;
pub mod replay;
pub mod session;
pub mod values;
pub mod version;

use super::{Dissector, Encoder, Evidence, Line, NoteDoc, Options, Session, Setting, Sight, Table, Talk};
use crate::codec::layout::Field;
use crate::codec::schema::{Encoding, Schemas};
use crate::codec::{EncodeError, Writer};
use crate::flow::Transport;
use std::sync::Arc;
use version::{Candidates, Version, fits};

/// The dissector.
pub struct Riptide;

static SETTINGS: [Setting; 2] = [
    Setting {
        key: "riptide.version",
        default: "auto",
        values: &["auto", "1.0", "1.2", "2.0", "2.1", "2.2"],
        parse: |_| Ok(()),
        doc: "the wire family; auto: found for each conversation by striking out what does not fit",
    },
    Setting {
        key: "riptide.framing",
        default: "auto",
        values: &["auto", "none", "u16", "i32"],
        parse: |_| Ok(()),
        doc: "the length before each message: reads dump's input as a TCP stream (auto: none in dump)",
    },
];

static DERIVED: [&Field; 4] = [&reliable::ACKED, &reliable::COPY, &session::DERIVED_ID, &session::DERIVED_REASON];

impl Dissector for Riptide {
    fn name(&self) -> &'static str {
        "riptide"
    }

    fn about(&self) -> &'static str {
        "Riptide Networking 1.0 to 2.2, over UDP and TCP"
    }

    fn tables(&self) -> &'static [Table] {
        &layout::TABLES
    }

    fn derived(&self) -> &'static [&'static Field] {
        &DERIVED
    }

    fn settings(&self) -> &'static [Setting] {
        &SETTINGS
    }

    fn notes(&self) -> &'static [NoteDoc] {
        notes::NOTES
    }

    fn takes(&self, _transport: Transport, _named: bool) -> bool {
        true
    }

    fn identify(&self, sight: &Sight<'_>) -> Evidence {
        match sight.transport {
            Transport::Udp => identify_datagrams(sight),
            Transport::Tcp => identify_streams(sight),
        }
    }

    fn session(&self, talk: &Talk<'_>) -> Box<dyn Session> {
        Box::new(session::Conversation::new(talk))
    }

    fn port(&self) -> Option<u16> {
        Some(7777)
    }

    fn dump_transport(&self, options: &Options) -> Transport {
        match options.settings.get("riptide.framing") {
            Some("u16" | "i32") => Transport::Tcp,
            _ => Transport::Udp,
        }
    }

    fn probe(&self) -> Option<&'static dyn super::Probe> {
        Some(&probe::Probing)
    }

    fn encoder(&self, options: &Options) -> Box<dyn Encoder> {
        let set = options.settings.get("riptide.version").and_then(Version::by_name);
        Box::new(Writing { default: set.unwrap_or(Version::V20), schemas: options.schemas.clone() })
    }

    fn encodings(&self) -> &'static [Encoding] {
        &values::ENCODINGS
    }

    fn replay(&self) -> Option<&'static dyn super::replay::Replay> {
        Some(&replay::Replaying)
    }
}

/// How many datagrams must fit one version before they alone are taken for Riptide.
const ENOUGH: usize = 4;

fn identify_datagrams(sight: &Sight<'_>) -> Evidence {
    let mut standing = Candidates::default();
    let fitting = |v: Version| sight.said.iter().all(|(_, data, length)| fits(v, data, *length));
    let whole = [Version::V20, Version::V22, Version::V12, Version::V10].into_iter().find(|v| fitting(*v));
    let Some(_) = whole else { return Evidence::No };
    sight.said.iter().for_each(|(_, data, length)| standing.see(data, *length));
    let version = standing.first();
    let named = |k: usize| sight.said.get(k).and_then(|(_, d, _)| d.first()).map(|b| version.layout(*b).name);
    let two_sides = sight.said.iter().any(|(side, ..)| *side != sight.said[0].0);
    // The very first thing anybody says is a connect.
    match (named(0), named(1)) {
        (Some("connect"), Some("welcome" | "reject")) if two_sides => {
            Evidence::Sure(90, "connect, answered by welcome or reject")
        }
        (Some("connect"), Some("connect"))
            if sight.said.len() >= 3 && sight.said.iter().all(|(_, d, _)| d.len() == 1) =>
        {
            Evidence::Sure(10, "connects of one byte, again and again")
        }
        (Some("connect"), _) if sight.said[0].1.len() == 1 => Evidence::Maybe("a connect of one byte"),
        _ if two_sides && sight.said.len() >= 2 * ENOUGH => {
            Evidence::Likely("every datagram has the exact form of a message")
        }
        _ => Evidence::Maybe("the datagrams so far fit"),
    }
}

/// The first frames of each side: a connect, or what answers it, or several that all fit.
fn identify_streams(sight: &Sight<'_>) -> Evidence {
    let mut best = Evidence::No;
    for (_, bytes, _) in sight.said {
        let mut framing = framing::Framing::new(None, None, true);
        let (mut rest, mut frames) = (*bytes, 0);
        while let framing::Next::Message { prefix, length } = framing.next(rest) {
            let version = framing.version().unwrap_or(Version::V20);
            let (data, behind) = rest[prefix..].split_at(length);
            if !fits(version, data, length) {
                return Evidence::No;
            }
            match version.layout(data[0]).name {
                "connect" if frames == 0 && length == 1 => return Evidence::Sure(80, "a framed connect of one byte"),
                "welcome" if frames == 0 => return Evidence::Sure(90, "a framed welcome"),
                _ => (rest, frames) = (behind, frames + 1),
            }
        }
        best = match frames {
            0 if bytes.len() >= 8 => return Evidence::No,
            ENOUGH.. => return Evidence::Likely("frames, every one with a message that fits"),
            _ => Evidence::Maybe("a frame that fits"),
        };
    }
    best
}

struct Writing {
    default: Version,
    schemas: Arc<Schemas>,
}

impl Encoder for Writing {
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError> {
        let version = match line.version {
            Some(name) => Version::by_name(name).ok_or_else(|| EncodeError {
                path: "version".into(),
                what: format!("no version {name:?}: expected 1.0, 1.2, 2.0, 2.1 or 2.2"),
            })?,
            None => self.default,
        };
        let layouts = version.layouts();
        let Some(layout) = layouts.iter().find(|l| l.name == line.message) else {
            let near = crate::nearest::nearest(line.message, layouts.iter().map(|l| l.name));
            let hint = crate::nearest::hint(near);
            return Err(EncodeError {
                path: "message".into(),
                what: format!("riptide {} has no message {:?}{hint}", version.name(), line.message),
            });
        };
        // An empty datagram is a line without fields: not even a type was there.
        let nothing = line.broken && line.message == "unknown" && line.fields.as_object().is_some_and(|f| f.is_empty());
        if nothing {
            return Ok(Vec::new());
        }
        let (version, from) = (version.name(), line.from.name());
        let mut payloads = values::Payloads { schemas: &self.schemas, version, message: layout.name, from };
        Writer::new(line.fields).derived(line.derived).broken(line.broken).context(&mut payloads).write(layout.fields)
    }

    fn frame(&self, message: &[u8], line: &Line<'_>) -> Option<Vec<u8>> {
        let version = line.version.and_then(Version::by_name).unwrap_or(self.default);
        let mut framed = match version.packed() {
            true => (message.len() as u32).to_le_bytes().to_vec(),
            false => (message.len() as u16).to_le_bytes().to_vec(),
        };
        framed.extend_from_slice(message);
        Some(framed)
    }
}
