//! Recognises Riptide conversations. Datagrams and streams have different rules.

use super::evidence;
use super::framing::{Framing, Next};
use super::layout::Message;
use super::version::{Numbering, Version};
use crate::codec::Tree;
use crate::dissect::{Evidence, Observation};
use crate::flow::Transport;

/// The evidence that a conversation is Riptide.
pub fn identify(observation: &Observation<'_>) -> Evidence {
    match observation.transport {
        Transport::Udp => identify_datagrams(observation),
        Transport::Tcp => identify_streams(observation),
    }
}

/// Evidence by a handshake or by consistent numbers: see [`evidence`] for the bits of each.
fn identify_datagrams(observation: &Observation<'_>) -> Evidence {
    let (mut best, mut tree) = (Evidence::No, Tree::default());
    for version in Version::TRIED {
        let mut numbering = Numbering::default();
        let mut fits = |side, data, length| numbering.read(version, side, data, length, &mut tree).is_some();
        if !observation.payloads.iter().all(|(side, data, length)| fits(*side, data, *length)) {
            continue;
        }
        let early = observation.payloads.len() < evidence::FEW && !observation.last;
        let numbers = evidence::numbers(version, observation.payloads.iter().copied());
        let numbers =
            numbers.map(|bits| if early { (0, "its numbers behave so far") } else { (bits, "its numbers behave") });
        let shaken = evidence::handshake(version, observation.payloads, observation.last);
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

/// Evidence by each side's frames: a length prefix that fits a connect or a welcome, or consistent numbers in frames
/// ([`evidence`]).
///
/// | observed | u16 (2.0) | i32 (from 2.1 on) |
/// |---|---|---|
/// | a connect of one byte first: 1, zeros, the type | 10 | 10: a hello of one small number is not rare, however its length is written |
/// | a welcome first: 5, zeros, the type, and its id is 1 or 2; after a connect | 8+4+4+2, 4 | 8+6+4+3+6 |
/// | a connect, then a reject; the connect is one byte long, or nothing follows the reject | 18, 10 | 20, 0 |
/// | each side has a frame, the first length's high bytes are zero; a second one follows | 2, 2 | 3, 3 |
/// | a frame without a message after the first one: the library sends none | 10 at most; -6 from the numbers | 10 at most; -6 |
fn identify_streams(observation: &Observation<'_>) -> Evidence {
    let (mut best, mut tree) = (0, Tree::default());
    let mut why = "frames, and numbers that behave";
    let (mut version, mut all, mut chains) = (None, Vec::new(), 0);
    let (mut opened, mut one_byte, mut empty) = (false, false, false);
    let mut numbering = Numbering::default();
    for (side, bytes, _) in observation.payloads {
        let mut framing = Framing::new(version, None, true, [true; 2]);
        let (mut rest, mut frames) = (*bytes, 0);
        loop {
            let (prefix, length) = match framing.next(rest) {
                Next::Message { prefix, length } => (prefix, length),
                Next::Skip(bytes) => {
                    rest = &rest[bytes..];
                    empty |= frames > 0;
                    continue;
                }
                Next::More => break,
                Next::Lost => return Evidence::No,
            };
            let by = framing.version().unwrap_or(Version::V20);
            let (data, after) = rest[prefix..].split_at(length);
            let Some(message) = numbering.read(by, *side, data, length, &mut tree) else { return Evidence::No };
            version = Some(by);
            let id = crate::codec::bits::get(data, if by.packed() { 4 } else { 8 }, 16);
            let (bits, what) = match message {
                // Other protocols begin with a frame of one small number too: the answer decides.
                Message::Connect if frames == 0 && length == 1 => (Evidence::KNOWN, "a framed connect of one byte"),
                Message::Welcome if frames == 0 && matches!(id, 1 | 2) => {
                    (if by.packed() { 27 } else { if opened { 22 } else { 18 } }, "a framed welcome")
                }
                Message::Reject if frames == 0 && opened => {
                    // Nothing follows a reject; until then only a connect of one byte is enough with it.
                    let ended = one_byte || observation.last && after.is_empty();
                    let bits = if by.packed() {
                        20
                    } else if ended {
                        28
                    } else {
                        18
                    };
                    (bits, "a framed connect, and a reject")
                }
                _ => (0, why),
            };
            let connects = frames == 0 && message == Message::Connect;
            (opened, one_byte) = (opened || connects, one_byte || connects && length == 1);
            if bits > best {
                (best, why) = (bits, what);
            }
            // A hello of one byte has counted as the framed connect.
            if !(connects && length == 1) {
                all.push((*side, data, length));
            }
            (rest, frames) = (after, frames + 1);
        }
        if rest.len() >= 8 && !begun(&framing, rest) {
            return Evidence::No;
        }
        chains += frames.min(2) * if version.is_some_and(Version::packed) { 3 } else { 2 };
    }
    let early = all.len() < evidence::FEW && !observation.last;
    let Some(numbers) = evidence::numbers(version.unwrap_or(Version::V20), all.into_iter()) else {
        return Evidence::No;
    };
    let mut numbers = if early { 0 } else { numbers } + chains;
    if empty {
        (best, numbers) = (best.min(Evidence::KNOWN), numbers.saturating_sub(6));
    }
    Evidence::Bits(best.max(numbers), if numbers > best { "frames, and numbers that behave" } else { why })
}

/// Whether the bytes begin a message that the library may send.
fn begun(framing: &Framing, bytes: &[u8]) -> bool {
    let version = framing.version().unwrap_or(Version::V20);
    framing.cut(bytes).is_some_and(|(_, length)| length <= version.largest())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Side::{self, A, B};

    fn evidence(transport: Transport, payloads: &[(Side, &str)]) -> Evidence {
        let bytes: Vec<_> = payloads.iter().map(|(side, hex)| (*side, hex::decode(hex).unwrap())).collect();
        let payloads: Vec<_> = bytes.iter().map(|(side, data)| (*side, &data[..], data.len())).collect();
        let ends = ["10.0.0.1:40000", "10.0.0.2:17851"].map(|end| end.parse().unwrap());
        identify(&Observation {
            transport,
            ends,
            payloads: &payloads,
            begun: [true; 2],
            last: false,
            few: false,
            time: None,
            options: &crate::protocols::options(),
        })
    }

    fn udp(payloads: &[(Side, &str)]) -> Evidence {
        evidence(Transport::Udp, payloads)
    }

    #[test]
    fn a_connect_and_its_answer_are_sure() {
        for payloads in [
            &[(A, "03"), (B, "0801000100")][..],
            &[(A, "02"), (B, "2300")],
            // The connect was lost and is resent.
            &[(A, "02"), (A, "02"), (B, "1800100000")],
            // The server's application had to decide.
            &[(A, "03"), (B, "03"), (B, "0801000100")],
            &[(A, "02"), (B, "02"), (A, "02"), (B, "2300")],
            // Application data after a connect.
            &[(A, "02ff"), (A, "02ff"), (B, "1800100000")],
        ] {
            assert!(udp(payloads).suffices(false), "{payloads:?}");
        }
    }

    #[test]
    fn a_connect_alone_is_not() {
        for few in [&[(A, "02")][..], &[(A, "02"), (A, "02")]] {
            assert!(udp(few).suffices(true) && !udp(few).suffices(false), "{few:?}");
        }
        let again = udp(&[(A, "02"), (A, "02"), (A, "02")]);
        assert!(again.suffices(true) && !again.suffices(false));
        // One of another byte is no connect that is repeated.
        assert!(!udp(&[(A, "03"), (A, "05"), (A, "03"), (A, "03")]).suffices(true));
        assert!(matches!(udp(&[(A, "02"), (B, "0bff")]), Evidence::No));
        let hidden = [(A, "02"), (B, "2900200000"), (A, "1100200000"), (B, "3700500141"), (A, "1100200000")];
        assert!(matches!(udp(&hidden), Evidence::Bits(..Evidence::CLAIM, _)), "{:?}", udp(&hidden));
        // A number, and a small one after it, are no ack with bits that move on, even if some would.
        let numbers = ["b8000000", "b9000500", "ba000b00", "bb002900"].map(|all| (format!("01{all}"), &all[..4]));
        let answers = numbers.each_ref().map(|(_, number)| format!("04{number}00"));
        let both: Vec<_> = numbers.iter().zip(&answers).flat_map(|((a, _), b)| [(A, &a[..]), (B, &b[..])]).collect();
        assert!(matches!(udp(&both), Evidence::Bits(..Evidence::CLAIM, _)), "{:?}", udp(&both));
    }

    #[test]
    fn frames_of_a_stream_are_known_by_the_first_of_each_side() {
        let tcp = |payloads: &[(Side, &str)]| evidence(Transport::Tcp, payloads);
        assert!(!tcp(&[(A, "0100000002"), (B, "0100000002")]).suffices(false));
        assert!(tcp(&[(A, "0100000002"), (B, "0100000002050000001800100000")]).suffices(true));
        assert!(tcp(&[(A, "0100000002")]).suffices(true) && !tcp(&[(A, "0100000002")]).suffices(false));
        assert!(tcp(&[(A, "02000000ff"), (B, "050000001800100000")]).suffices(false));
        assert!(tcp(&[(A, "0300000002ab0c"), (B, "020000002300")]).suffices(false));
        assert!(matches!(tcp(&[(A, "03000000ffab0c")]), Evidence::No));
        // Empty frames are not messages.
        assert!(tcp(&[(A, "0000010003"), (B, "000005000801000100")]).suffices(false));
        // The first message is not complete yet.
        assert!(matches!(tcp(&[(A, "140000000201020304050607")]), Evidence::Bits(0..Evidence::KNOWN, _)));
        // nano's handshake of 1000 bytes, not a connect of one byte.
        assert!(matches!(tcp(&[(A, "010003e87b22737973223a7b")]), Evidence::No));
        assert!(matches!(tcp(&[(A, "474554202f20485454502f")]), Evidence::No));
    }
}
