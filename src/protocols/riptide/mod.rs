//! Riptide Networking: all wire families from 1.0 to 2.2, over UDP and TCP.
//!
//! A C# library for games made with Unity and others. There is no version, magic or connection id
//! on the wire: the version is found per conversation ([`version`]). 2.1 and later are bit-packed.

pub mod client;
pub mod framing;
pub mod layout;
pub mod notes;
pub mod receiver;
pub mod reliable;
mod remarks;
pub mod session;
pub mod values;
pub mod version;

use crate::codec::layout::Field;
use crate::codec::schema::{Encoding, Schemas};
use crate::codec::{EncodeError, Writer};
use crate::dissect::{Dissector, Encoder, Evidence, Line, NoteDoc, Options, Session, Setting, Sight, Table, Talk};
use crate::flow::Transport;
use framing::{Framing, Next};
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

static DERIVED: [&Field; 4] = [&reliable::ACKED, &reliable::COPY, &remarks::DERIVED_ID, &remarks::DERIVED_REASON];

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

    fn encoder(&self, options: &Options) -> Box<dyn Encoder> {
        let set = options.settings.get("riptide.version").and_then(Version::by_name);
        Box::new(Writing { default: set.unwrap_or(Version::V20), schemas: options.schemas.clone() })
    }

    fn encodings(&self) -> &'static [Encoding] {
        &values::ENCODINGS
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
    let name = |data: &[u8]| data.first().map(|b| version.layout(*b).name);
    let Some((opener, first, _)) = sight.said.first() else { return Evidence::No };
    let other = |(side, ..): &&(_, &[u8], _)| side != opener;
    let two_sides = sight.said.iter().any(|said| other(&said));
    let opens = name(first) == Some("connect");
    // The very first thing anybody says is a connect. It may be lost and said again, and the server
    // may say another itself before it answers: the application has to decide.
    let answer = sight.said.iter().filter(other).map(|(_, data, _)| name(data)).find(|name| *name != Some("connect"));
    match answer.flatten() {
        Some("welcome" | "reject") if opens => Evidence::Sure(90, "connect, answered by welcome or reject"),
        None if opens && sight.said.len() >= 3 && sight.said.iter().all(|(_, d, _)| d.len() == 1) => {
            Evidence::Sure(10, "connects of one byte, again and again")
        }
        _ if two_sides && sight.said.len() >= 2 * ENOUGH => {
            Evidence::Likely("every datagram has the exact form of a message")
        }
        _ if opens && first.len() == 1 => Evidence::Maybe("a connect of one byte"),
        _ => Evidence::Maybe("the datagrams so far fit"),
    }
}

/// The first frames of each side: a connect, or what answers it, or several that all fit.
fn identify_streams(sight: &Sight<'_>) -> Evidence {
    let mut best = Evidence::No;
    let mut opened = false;
    for (_, bytes, _) in sight.said {
        let mut framing = Framing::new(None, None, true);
        let (mut rest, mut frames) = (*bytes, 0);
        loop {
            let (prefix, length) = match framing.next(rest) {
                Next::Message { prefix, length } => (prefix, length),
                Next::Skip(bytes) => {
                    rest = &rest[bytes..];
                    continue;
                }
                Next::More | Next::Lost => break,
            };
            let version = framing.version().unwrap_or(Version::V20);
            let (data, behind) = rest[prefix..].split_at(length);
            if !fits(version, data, length) {
                return Evidence::No;
            }
            match version.layout(data[0]).name {
                "connect" if frames == 0 && length == 1 => return Evidence::Sure(80, "a framed connect of one byte"),
                "welcome" if frames == 0 => return Evidence::Sure(90, "a framed welcome"),
                "reject" if frames == 0 && opened => return Evidence::Sure(80, "a framed connect, and a reject"),
                "connect" if frames == 0 => opened = true,
                _ => {}
            }
            (rest, frames) = (behind, frames + 1);
        }
        best = match frames {
            0 if bytes.len() >= 8 && !begun(&framing, rest) => return Evidence::No,
            ENOUGH.. => return Evidence::Likely("frames, every one with a message that fits"),
            _ => Evidence::Maybe("a frame that fits"),
        };
    }
    best
}

/// Is this the beginning of a message that the library may send?
fn begun(framing: &Framing, bytes: &[u8]) -> bool {
    let version = framing.version().unwrap_or(Version::V20);
    framing.cut(bytes).is_some_and(|(_, length)| length <= version.largest())
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
        let mut payloads = values::Payloads { schemas: &self.schemas, version, message: layout.name, from: line.from };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Side::{self, A, B};

    fn evidence(transport: Transport, said: &[(Side, &str)]) -> Evidence {
        let bytes: Vec<_> = said.iter().map(|(side, hex)| (*side, hex::decode(hex).unwrap())).collect();
        let said: Vec<_> = bytes.iter().map(|(side, data)| (*side, &data[..], data.len())).collect();
        let ends = ["10.0.0.1:40000", "10.0.0.2:17851"].map(|end| end.parse().unwrap());
        Riptide.identify(&Sight {
            transport,
            ends,
            said: &said,
            begun: [true; 2],
            options: &crate::protocols::options(),
        })
    }

    fn udp(said: &[(Side, &str)]) -> Evidence {
        evidence(Transport::Udp, said)
    }

    #[test]
    fn a_connect_and_its_answer_are_sure() {
        for said in [
            &[(A, "03"), (B, "0801000100")][..],
            &[(A, "02"), (B, "2300")],
            // The connect was lost, and is said again.
            &[(A, "02"), (A, "02"), (B, "1800100000")],
            // The server's application had to decide.
            &[(A, "03"), (B, "03"), (B, "0801000100")],
            &[(A, "02"), (B, "02"), (A, "02"), (B, "2300")],
            // The application's data behind a connect.
            &[(A, "02ff"), (A, "02ff"), (B, "1800100000")],
        ] {
            assert!(matches!(udp(said), Evidence::Sure(90, _)), "{said:?}");
        }
    }

    #[test]
    fn a_connect_alone_is_not() {
        assert!(matches!(udp(&[(A, "02")]), Evidence::Maybe(_)));
        assert!(matches!(udp(&[(A, "02"), (A, "02")]), Evidence::Maybe(_)));
        assert!(matches!(udp(&[(A, "02"), (A, "02"), (A, "02")]), Evidence::Sure(10, _)));
        assert!(matches!(udp(&[(A, "02"), (B, "0bff")]), Evidence::No));
        let hidden = [(A, "02"), (B, "2900200000"), (A, "1100200000"), (B, "2700500141"), (A, "1100200000")];
        assert!(matches!(udp(&hidden), Evidence::Maybe(_)));
    }

    #[test]
    fn frames_of_a_stream_are_told_by_the_first_of_each_side() {
        let tcp = |said: &[(Side, &str)]| evidence(Transport::Tcp, said);
        assert!(matches!(tcp(&[(A, "0100000002")]), Evidence::Sure(80, _)));
        assert!(matches!(tcp(&[(A, "02000000ff"), (B, "050000001800100000")]), Evidence::Sure(90, _)));
        assert!(matches!(tcp(&[(A, "0300000002ab0c"), (B, "020000002300")]), Evidence::Sure(80, _)));
        assert!(matches!(tcp(&[(A, "03000000ffab0c")]), Evidence::No));
        // Empty frames are none.
        assert!(matches!(tcp(&[(A, "000001000302")]), Evidence::Sure(80, _)));
        // The first message is not whole yet.
        assert!(matches!(tcp(&[(A, "140000000201020304050607")]), Evidence::Maybe(_)));
        assert!(matches!(tcp(&[(A, "474554202f20485454502f")]), Evidence::No));
    }
}
