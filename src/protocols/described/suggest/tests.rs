//! Finds the fields of made packets, and nothing in random ones.

use super::frame::{Framing, Kept};
use super::numbers::{Does, Number, numbers};
use super::sample::{Sample, Sent};
use super::{Node, suggest};

/// Numbers that look random, always the same ones.
fn random(seed: u64) -> impl FnMut() -> u8 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    }
}

fn packets(count: usize, mut bytes: impl FnMut(usize) -> Vec<u8>) -> Vec<Sent> {
    let sent = |k: usize| {
        let bytes = bytes(k);
        Sent { flow: 0, by_server: k % 2 == 1, time: k as i64 * 20_000_000, length: bytes.len(), bytes }
    };
    (0..count).map(sent).collect()
}

fn found(packets: &[Sent]) -> Vec<Number> {
    let all: Vec<&Sent> = packets.iter().collect();
    numbers(&all, 0, all.iter().map(|sent| sent.bytes.len()).min().unwrap_or(0), None)
}

#[test]
fn random_bytes_say_nothing() {
    for seed in 1..=40 {
        let mut next = random(seed);
        let packets = packets(200, |_| (0..12 + usize::from(next() % 20)).map(|_| next()).collect());
        let all: Vec<&Sent> = packets.iter().collect();
        let node = Node::new(all, 0, 0, None);
        assert!(node.numbers.is_empty() && node.kind.is_none(), "{seed}: {:?} {:?}", node.numbers, node.kind);
    }
}

/// A counter that carries shows the order of its bytes, wherever it is.
#[test]
fn counters_of_both_orders() {
    for (big, at, first) in
        [(true, 3, 200u16), (false, 3, 200), (true, 0, 65_400), (false, 0, 65_400), (true, 7, 0x1f0)]
    {
        let mut next = random(7);
        let packets = packets(400, |k| {
            let value = first.wrapping_add((k / 2) as u16);
            let mut bytes: Vec<u8> = (0..12).map(|_| next()).collect();
            bytes[at..at + 2].copy_from_slice(&if big { value.to_be_bytes() } else { value.to_le_bytes() });
            bytes
        });
        let wanted = Number { at, width: 2, big: Some(big), does: Does::Counts(100) };
        assert_eq!(found(&packets), [wanted], "{big} {at} {first}");
    }
}

#[test]
fn lengths_and_clocks() {
    let mut next = random(3);
    let packets = packets(300, |k| {
        let body = 4 + usize::from(next() % 30);
        let mut bytes = vec![next(), 0, body as u8 + 3];
        bytes.extend((k as u32 * 20 + 5_000_000).to_le_bytes());
        bytes.extend((0..body - 4).map(|_| next()));
        bytes
    });
    let length = Number { at: 1, width: 2, big: Some(true), does: Does::Length(3, 100) };
    let clock = Number { at: 3, width: 4, big: Some(false), does: Does::Clock(1000.0) };
    assert_eq!(found(&packets), [length, clock]);
}

fn stream(frames: &[(&[u8], &[u8])]) -> Kept {
    let mut kept = Kept::default();
    for (k, (head, body)) in frames.iter().enumerate() {
        kept.bytes.extend_from_slice(head);
        kept.bytes.extend_from_slice(body);
        kept.times.push((kept.bytes.len(), k as i64));
    }
    kept
}

#[test]
fn frames_of_streams() {
    let body = |k: usize| -> Vec<u8> { (0..5 + k * 3 % 11).map(|i| (k * 31 + i * 7) as u8).collect() };
    let bodies: Vec<Vec<u8>> = (0..20).map(body).collect();
    type Head = fn(usize) -> Vec<u8>;
    let heads: [(&str, bool, u64, Head); 4] = [
        ("u16be", false, 0, |n| (n as u16).to_be_bytes().into()),
        ("u32le", false, 4, |n| (n as u32 + 4).to_le_bytes().into()),
        ("u24be", true, 0, |n| vec![4, 0, 0, n as u8]),
        ("varint32", true, 0, |n| vec![0x30, n as u8]),
    ];
    for (word, with_header, added, head) in heads {
        let heads: Vec<Vec<u8>> = bodies.iter().map(|body| head(body.len())).collect();
        let frames: Vec<(&[u8], &[u8])> =
            heads.iter().zip(&bodies).map(|(head, body)| (&head[..], &body[..])).collect();
        let kept = stream(&frames);
        let framing = Framing::of([&kept].into_iter()).expect(word);
        let Framing::Length { kind, header, plus, .. } = &framing else { panic!("{framing:?}") };
        assert_eq!((*kind, *header, *plus), (word, with_header, added));
        let cut = framing.cut(&kept);
        assert_eq!(cut.len(), bodies.len(), "{word}");
        for (k, (time, frame)) in cut.iter().enumerate() {
            assert_eq!((*time, &frame[usize::from(with_header)..]), (k as i64, &bodies[k][..]), "{word}");
        }
    }
    let lines = stream(&[(b"NICK a\r\n", b"USER b\r\n"), (b"JOIN #c\r\n", b"")]);
    assert_eq!(Framing::of([&lines].into_iter()), Some(Framing::Lines));
    // A message ends before the mark.
    let cut: Vec<Vec<u8>> = Framing::Lines.cut(&lines).into_iter().map(|(_, line)| line).collect();
    assert_eq!(cut, [&b"NICK a\r"[..], b"USER b\r", b"JOIN #c\r"]);
    let mut next = random(5);
    let noise: Vec<u8> = (0..2000).map(|_| next()).collect();
    assert_eq!(Framing::of([&stream(&[(&noise, b"")])].into_iter()), None);
}

/// Whatever the packets hold, the file that is written has no mistakes.
#[test]
fn every_file_loads() {
    for seed in 1..=60u64 {
        let mut next = random(seed);
        let kinds = 2 + next() % 5;
        let packets = packets(20 + usize::from(next()), |k| {
            let kind = next() % kinds;
            let mut bytes = vec![next() % 2 + 1, kind, k as u8, (k >> 8) as u8];
            bytes.extend((0..usize::from(kind) * 3).map(|i| if seed % 3 == 0 { b'a' + i as u8 } else { next() }));
            bytes.extend((0..next() % 9).map(|_| next()));
            bytes
        });
        let text = suggest(&Sample { tcp: false, port: 7000, flows: 1, framing: None, packets });
        assert_eq!(crate::protocols::described::mistakes("made.toml", &text), [], "{seed}:\n{text}");
    }
}
