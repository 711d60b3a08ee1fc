//! Riptide Networking: all wire families from 1.0 to 2.2, over UDP and TCP.
//!
//! A C# library for games made with Unity and others. There is no version, magic or connection id
//! on the wire: the version is found per conversation (`version`). 2.1 and later are bit-packed.
//!
#![doc = include_str!("README.md")]

pub(crate) mod evidence;
pub(crate) mod framing;
pub(crate) mod layout;
pub(crate) mod notes;
pub(crate) mod probe;
pub(crate) mod receiver;
pub(crate) mod reliable;
mod remarks;
pub(crate) mod replay;
pub(crate) mod session;
pub(crate) mod values;
pub(crate) mod version;

use crate::codec::layout::Field;
use crate::codec::schema::{Encoding, Schemas};
use crate::codec::{EncodeError, Writer};
use crate::dissect::{
    Dissector, Encoder, Evidence, FlowInfo, Line, NoteDoc, Observation, Options, Session, Setting, Table,
};
use crate::flow::Transport;
use framing::{Framing, Next};
use std::sync::Arc;
use version::{Version, fits};

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

    fn identify(&self, observation: &Observation<'_>) -> Evidence {
        match observation.transport {
            Transport::Udp => identify_datagrams(observation),
            Transport::Tcp => identify_streams(observation),
        }
    }

    fn session(&self, flow_info: &FlowInfo<'_>) -> Box<dyn Session> {
        Box::new(session::RiptideSession::new(flow_info))
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

/// A handshake, or numbers that behave: see [`evidence`] for the bits of each.
fn identify_datagrams(observation: &Observation<'_>) -> Evidence {
    let mut best = Evidence::No;
    for version in Version::TRIED {
        if !observation.payloads.iter().all(|(_, data, length)| fits(version, data, *length)) {
            continue;
        }
        let early = observation.payloads.len() < evidence::FEW && !observation.last;
        let numbers = evidence::numbers(version, observation.payloads.iter().copied());
        let numbers =
            numbers.map(|bits| if early { (0, "its numbers behave so far") } else { (bits, "its numbers behave") });
        let shaken = evidence::handshake(version, observation.payloads);
        let (bits, why) = match (shaken, numbers) {
            (Some(shaken), Some(numbers)) if shaken.0 < numbers.0 => numbers,
            (Some(shaken), None) if shaken.0 < Evidence::CLAIM => continue,
            (Some(either), _) | (None, Some(either)) => either,
            (None, None) => continue,
        };
        if !matches!(best, Evidence::Bits(before, _) if before >= bits) {
            best = Evidence::Bits(bits, why);
        }
    }
    best
}

/// The frames of each side: a length prefix that is the length of a connect or a welcome, or what
/// numbers do in frames ([`evidence`]).
///
/// | observed | u16 (2.0) | i32 (from 2.1 on) |
/// |---|---|---|
/// | a connect of one byte first: 1, zeros, the type; and an answer in frames, or none at all | 8+4+8 | 8+6+8: zeros are 8 and 24 bits |
/// | a welcome first: 5, zeros, the type, and its id is 1 or 2 | 8+4+8+2 | 8+6+4+3+6 |
/// | each side's frames follow each other, the first length's high bytes are zero | 4 | 6 |
fn identify_streams(observation: &Observation<'_>) -> Evidence {
    let mut best = 0;
    let mut why = "frames, and numbers that behave";
    let (mut version, mut all, mut chains, mut opened) = (None, Vec::new(), 0, false);
    // A frame of one small number is what others begin with too: the answer tells, if there is one.
    let alone = observation.payloads.len() > 1 || observation.last;
    for (side, bytes, _) in observation.payloads {
        let mut framing = Framing::new(version, None, true);
        let (mut rest, mut frames) = (*bytes, 0);
        loop {
            let (prefix, length) = match framing.next(rest) {
                Next::Message { prefix, length } => (prefix, length),
                Next::Skip(bytes) => {
                    rest = &rest[bytes..];
                    continue;
                }
                Next::More => break,
                Next::Lost => return Evidence::No,
            };
            let by = framing.version().unwrap_or(Version::V20);
            let (data, behind) = rest[prefix..].split_at(length);
            if !fits(by, data, length) {
                return Evidence::No;
            }
            version = Some(by);
            let id = crate::codec::bits::get(data, if by.packed() { 4 } else { 8 }, 16);
            let (bits, what) = match by.layout(data[0]).name {
                "connect" if frames == 0 && length == 1 && alone => {
                    (if by.packed() { 22 } else { 20 }, "a framed connect of one byte")
                }
                "connect" if frames == 0 && length == 1 => (Evidence::KNOWN, "a framed connect of one byte"),
                "welcome" if frames == 0 && matches!(id, 1 | 2) => {
                    (if by.packed() { 27 } else { 22 }, "a framed welcome")
                }
                "reject" if frames == 0 && opened => {
                    (if by.packed() { 20 } else { 28 }, "a framed connect, and a reject")
                }
                _ => (0, why),
            };
            opened |= frames == 0 && by.layout(data[0]).name == "connect";
            if bits > best {
                (best, why) = (bits, what);
            }
            all.push((*side, data, length));
            (rest, frames) = (behind, frames + 1);
        }
        if rest.len() >= 8 && !begun(&framing, rest) {
            return Evidence::No;
        }
        chains += if frames > 0 { if version.is_some_and(Version::packed) { 6 } else { 4 } } else { 0 };
    }
    let early = all.len() < evidence::FEW && !observation.last;
    let Some(numbers) = evidence::numbers(version.unwrap_or(Version::V20), all.into_iter()) else {
        return Evidence::No;
    };
    let numbers = if early { 0 } else { numbers };
    if numbers + chains > best {
        Evidence::Bits(numbers + chains, "frames, and numbers that behave")
    } else {
        Evidence::Bits(best, why)
    }
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
        Riptide.identify(&Observation {
            transport,
            ends,
            payloads: &said,
            begun: [true; 2],
            last: false,
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
            assert!(udp(said).suffices(false), "{said:?}");
        }
    }

    #[test]
    fn a_connect_alone_is_not() {
        for few in [&[(A, "02")][..], &[(A, "02"), (A, "02")]] {
            assert!(udp(few).suffices(true) && !udp(few).suffices(false), "{few:?}");
        }
        assert!(udp(&[(A, "02"), (A, "02"), (A, "02")]).suffices(false));
        assert!(matches!(udp(&[(A, "02"), (B, "0bff")]), Evidence::No));
        let hidden = [(A, "02"), (B, "2900200000"), (A, "1100200000"), (B, "3700500141"), (A, "1100200000")];
        assert!(matches!(udp(&hidden), Evidence::Bits(..Evidence::CLAIM, _)), "{:?}", udp(&hidden));
    }

    #[test]
    fn frames_of_a_stream_are_told_by_the_first_of_each_side() {
        let tcp = |said: &[(Side, &str)]| evidence(Transport::Tcp, said);
        assert!(tcp(&[(A, "0100000002"), (B, "0100000002")]).suffices(false));
        assert!(tcp(&[(A, "0100000002")]).suffices(true) && !tcp(&[(A, "0100000002")]).suffices(false));
        assert!(tcp(&[(A, "02000000ff"), (B, "050000001800100000")]).suffices(false));
        assert!(tcp(&[(A, "0300000002ab0c"), (B, "020000002300")]).suffices(false));
        assert!(matches!(tcp(&[(A, "03000000ffab0c")]), Evidence::No));
        // Empty frames are none.
        assert!(tcp(&[(A, "0000010003"), (B, "0000050008010001")]).suffices(false));
        // The first message is not whole yet.
        assert!(matches!(tcp(&[(A, "140000000201020304050607")]), Evidence::Bits(0..Evidence::KNOWN, _)));
        // nano's handshake of 1000 bytes, not a connect of one byte.
        assert!(matches!(tcp(&[(A, "010003e87b22737973223a7b")]), Evidence::No));
        assert!(matches!(tcp(&[(A, "474554202f20485454502f")]), Evidence::No));
    }
}
