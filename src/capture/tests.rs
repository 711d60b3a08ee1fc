//! Tests that the fast path and the layer walk give the same results.

use super::fragments::Fragments;
use super::packets::{decode, slow};
use super::{Body, Capture, Decoded, Frame, Input, LinkType, Packet, Segment, Time, ethernet, fast};
use crate::random::Random;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A comparable form.
fn summary(packet: &Packet<'_>) -> String {
    format!("{packet:?}")
}

/// Whether the fast path accepts the frame; panics if its result differs from the walk's.
fn agree(link: LinkType, data: &[u8], length: usize) -> bool {
    let frame = Frame { number: 7, time: Time::micros(1, 2), link, interface: 0, leg: None, data, length };
    let taken = match fast::network(link, data) {
        Some((at, true)) => fast::v4(&data[at..]).is_some(),
        Some((at, false)) => fast::v6(&data[at..]).is_some(),
        None => false,
    };
    if !taken {
        return false;
    }
    let mut fragments = Fragments::default();
    let Decoded::Packet(fast) = decode(&frame, &mut fragments) else { panic!("no packet in {data:02x?}") };
    match slow(&frame, &mut Fragments::default()) {
        Decoded::Packet(slow) => {
            let same =
                (fast.src, fast.dst) == (slow.src, slow.dst) && slow.frames.is_empty() && same(&fast.body, &slow.body);
            assert!(same, "{} is {} for {data:02x?}", summary(&fast), summary(&slow));
        }
        Decoded::Other(other) => panic!("{} is {other} for {data:02x?}", summary(&fast)),
    }
    true
}

fn same(a: &Body<'_>, b: &Body<'_>) -> bool {
    match (a, b) {
        (Body::Udp { payload: a, length: m }, Body::Udp { payload: b, length: n }) => (a, m) == (b, n),
        (Body::Tcp(a), Body::Tcp(b)) => {
            let flags = |s: &Segment<'_>| (s.has_ack, s.syn, s.fin, s.rst);
            (a.seq, a.ack, a.payload, a.length) == (b.seq, b.ack, b.payload, b.length) && flags(a) == flags(b)
        }
        _ => false,
    }
}

fn captures(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => captures(&path, found),
            false if path.extension().is_some_and(|e| e == "pcap" || e == "pcapng") => found.push(path),
            false => {}
        }
    }
}

#[test]
fn over_all_captures() {
    let mut paths = Vec::new();
    captures(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"), &mut paths);
    let (mut fast, mut all) = (0, 0);
    for path in paths {
        let input = Input::new(Box::new(File::open(&path).expect("a file"))).expect("a capture");
        let Ok(mut capture) = Capture::new(input) else { continue };
        while let Ok(Some(frame)) = capture.next() {
            all += 1;
            fast += usize::from(agree(frame.link, frame.data, frame.length));
        }
    }
    // Nearly all traffic has to take the fast path, or it is not worth having.
    assert!(all > 1000 && fast * 10 > all * 9, "{fast} of {all}");
}

#[test]
fn over_a_million_frames() {
    let mut numbers = Random::of(1, &[]);
    let mut random = move |below: usize| (numbers.bits() >> 20) as usize % below;
    let mut seeds = Vec::new();
    for (src, dst) in
        [("10.0.0.1:5000", "10.0.0.2:7777"), ("[fd00::1]:5000", "[fd00::2]:7777"), ("10.0.0.1:9", "10.0.0.2:4789")]
    {
        for payload in [&b""[..], b"x", b"some bytes of payload"] {
            let segment = Segment { seq: 5, ack: 6, has_ack: true, payload, ..Segment::default() };
            for body in [Body::Udp { payload, length: payload.len() }, Body::Tcp(segment)] {
                let mut frame = Vec::new();
                ethernet(src.parse().expect("an end"), dst.parse().expect("an end"), &body, &mut frame)
                    .expect("a frame");
                let cooked = [&[0; 14][..], &frame[12..]].concat();
                seeds.push((LinkType::RAW, frame[14..].to_vec()));
                seeds.push((LinkType::LINUX_SLL, cooked));
                seeds.push((LinkType::ETHERNET, frame));
            }
        }
    }
    let (mut fast, mut frame) = (0, Vec::new());
    for _ in 0..1_000_000 {
        let (link, seed) = &seeds[random(seeds.len())];
        frame.clear();
        frame.extend_from_slice(seed);
        for _ in 0..random(4) {
            // Mostly in the headers, since the payload does not matter.
            let at = random(frame.len());
            frame[at] = match random(3) {
                0 => random(256) as u8,
                1 => frame[at] ^ 1 << random(8),
                _ => [0, 1, 4, 5, 8, 0x45, 0x60, 0xff][random(8)],
            };
        }
        match random(4) {
            0 => frame.truncate(random(frame.len() + 1)),
            1 => frame.resize(frame.len() + random(20), 0),
            _ => {}
        }
        let length = if random(4) == 0 { random(90_000) } else { 0 };
        fast += usize::from(agree(*link, &frame, length.max(frame.len())));
    }
    assert!((300_000..950_000).contains(&fast), "{fast}");
}
