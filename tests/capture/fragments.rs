//! IP fragments in every order, overlapping, missing, and too many.

use super::files::udp;
use netkit::capture::{
    Body, Decoded, FragmentCaps, Fragments, Frame, LinkType, Other, Packets, Statistics, Time, decode,
};
use std::fs::File;

/// Splits the IP packet of `payload` (without link header) into fragments with these ranges of the datagram, its UDP
/// header included.
fn fragments(v6: bool, id: u16, payload: &[u8], ranges: &[(usize, usize)]) -> Vec<Vec<u8>> {
    let (src, dst) = if v6 { ("[fd00::1]:9", "[fd00::2]:8") } else { ("10.0.0.1:9", "10.0.0.2:8") };
    let whole = udp(src, dst, payload);
    let head = if v6 { 54 } else { 34 };
    let datagram = &whole[head..];
    let fragment = |&(start, end): &(usize, usize)| {
        let mut out = whole[14..head].to_vec();
        let more = u16::from(end < datagram.len());
        let length = (end - start) as u16;
        if v6 {
            out[4..6].copy_from_slice(&(length + 8).to_be_bytes());
            out[6] = 44;
            out.extend([17, 0]);
            out.extend((start as u16 | more).to_be_bytes());
            out.extend([0, 0]);
            out.extend(id.to_be_bytes());
        } else {
            out[2..4].copy_from_slice(&(length + 20).to_be_bytes());
            out[4..6].copy_from_slice(&id.to_be_bytes());
            out[6..8].copy_from_slice(&((start as u16 / 8) | (more << 13)).to_be_bytes());
        }
        out.extend(&datagram[start..end]);
        out
    };
    ranges.iter().map(fragment).collect()
}

fn frame(number: u64, secs: i64, data: &[u8]) -> Frame<'_> {
    let (time, length) = (Time::micros(secs, 0), data.len());
    Frame { number, time, link: LinkType::RAW, interface: 0, leg: None, data, length }
}

/// Payload and frames of the datagram that the last of these fragments completes; the earlier ones complete none.
fn join(fragments: &[&Vec<u8>], table: &mut Fragments) -> Option<(Vec<u8>, Vec<u64>)> {
    let mut found = None;
    for (number, fragment) in (1..).zip(fragments) {
        assert!(found.is_none(), "whole before fragment {number}");
        match decode(&frame(number, 0, fragment), table) {
            Decoded::Packet(packet) => {
                assert_eq!((packet.frame, packet.src.port()), (number, 9));
                let Body::Udp { payload, length } = packet.body else { panic!("no datagram") };
                assert_eq!(payload.len(), length);
                found = Some((payload.to_vec(), packet.frames.to_vec()));
            }
            Decoded::Other(other) => assert_eq!(other, Other::Fragment),
        }
    }
    found
}

fn payload(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7) as u8).collect()
}

#[test]
fn every_order() {
    let payload = payload(92);
    for v6 in [false, true] {
        let parts = fragments(v6, 1, &payload, &[(0, 24), (24, 48), (48, 96), (96, 100)]);
        let mut table = Fragments::default();
        let mut orders = 0;
        for order in 0..256 {
            let order: Vec<usize> = (0..4).map(|i| order >> (2 * i) & 3).collect();
            if (0..4).all(|i| order.contains(&i)) {
                orders += 1;
                let parts: Vec<_> = order.iter().map(|i| &parts[*i]).collect();
                let joined = join(&parts, &mut table);
                assert_eq!(joined, Some((payload.clone(), vec![1, 2, 3, 4])), "{order:?}");
            }
        }
        assert_eq!((orders, table.waiting()), (24, 0));
        assert_eq!(table.statistics().joined, 24);
    }
}

#[test]
fn duplicates_and_overlaps_leave_the_first_bytes() {
    let good = payload(92);
    let bad = vec![0xee; 92];
    let range = [(0, 24), (16, 56), (40, 100), (32, 64), (56, 100)];
    let first = fragments(false, 1, &good, &range);
    let later = fragments(false, 1, &bad, &range);
    // (16, 56), again with other bytes; (32, 64) adds only its end; then the rest.
    let mut table = Fragments::default();
    let parts = [&first[1], &later[1], &first[3], &later[3], &first[0], &first[4]];
    let (joined, frames) = join(&parts, &mut table).unwrap();
    assert_eq!((joined, frames), (good.clone(), vec![1, 3, 5, 6]));
    assert_eq!((table.statistics().duplicates, table.statistics().used), (2, 4));
    // (40, 100) surrounds (56, 64), which arrived first.
    let inner = fragments(false, 1, &good, &[(56, 64)]);
    let (joined, _) = join(&[&inner[0], &later[2], &first[0], &first[1]], &mut table).unwrap();
    assert_eq!(joined[48..56], good[48..56]);
    assert_eq!(joined[56..], bad[56..]);
    assert_eq!(joined[32..40], bad[32..40]);
    assert_eq!(joined[..32], good[..32]);
}

#[test]
fn gaps_ends_and_lengths_that_cannot_be() {
    let data = payload(92);
    let mut table = Fragments::default();
    let parts = fragments(false, 1, &data, &[(0, 24), (48, 100), (24, 44), (0, 0)]);
    assert_eq!(join(&[&parts[0], &parts[1]], &mut table), None);
    // A middle fragment of 20 bytes is invalid, and so is an empty one.
    assert_eq!(join(&[&parts[2], &parts[3]], &mut table), None);
    assert_eq!(table.statistics().malformed, 2);
    // A second end before bytes already received, and bytes after the first end.
    let shorter = fragments(false, 1, &data[..40], &[(40, 48)]);
    let longer = fragments(false, 1, &payload(200), &[(96, 128)]);
    assert_eq!(join(&[&longer[0]], &mut table), None);
    assert_eq!(table.statistics().malformed, 3);
    assert_eq!(join(&[&shorter[0]], &mut table), None);
    // The ping of death.
    let mut death = parts[1].clone();
    death[6..8].copy_from_slice(&[0x1f, 0xff]);
    assert_eq!(join(&[&death], &mut table), None);
    assert_eq!((table.statistics().malformed, table.waiting()), (4, 1));
    // A fragment cut by the snap length.
    let cut = Frame { length: parts[2].len(), ..frame(9, 0, &parts[2][..30]) };
    let decoded = decode(&cut, &mut table);
    assert!(matches!(decoded, Decoded::Other(Other::CutFragment)));
    assert_eq!(table.statistics().cut, 1);
}

#[test]
fn the_caps_hold() {
    let mut table = Fragments::default();
    let data = payload(92);
    for id in 0..300 {
        assert_eq!(join(&[&fragments(false, id, &data, &[(0, 24)])[0]], &mut table), None);
    }
    assert_eq!((table.waiting(), table.statistics().evicted), (256, 44));
    // 65 datagrams whose last bytes arrived first hold 4 MiB.
    let data = payload(65_000);
    for id in 1000..1300 {
        let last = &fragments(false, id, &data, &[(64_000, 65_008)])[0];
        assert_eq!(join(&[last], &mut table), None);
    }
    assert!(table.waiting() <= 64, "{}", table.waiting());
    // Thirty seconds later all have expired.
    let late = &fragments(false, 1, &data, &[(0, 8)])[0];
    decode(&frame(1, 31, late), &mut table);
    assert_eq!(table.waiting(), 1);
    let Statistics { fragments, evicted, expired, .. } = table.statistics();
    assert_eq!(fragments, 601);
    assert_eq!(evicted + expired + 1, 601);
}

/// A first part from before the clock was set back has expired, too: it is not joined with a new last part.
#[test]
fn parts_expire_when_the_clock_is_set_back() {
    let parts = [vec![0xee; 92], payload(92)].map(|data| fragments(false, 7, &data, &[(0, 48), (48, 100)]));
    let mut table = Fragments::default();
    decode(&frame(1, 1000, &parts[0][0]), &mut table);
    decode(&frame(2, 60, &parts[1][0]), &mut table);
    assert_eq!((table.waiting(), table.statistics().expired), (1, 1));
    let last = frame(3, 60, &parts[1][1]);
    let Decoded::Packet(packet) = decode(&last, &mut table) else { panic!("no packet") };
    let Body::Udp { payload: joined, .. } = packet.body else { panic!("no datagram") };
    assert_eq!((joined, packet.frames), (&payload(92)[..], &[2, 3][..]));
}

#[test]
fn the_caps_can_be_set() {
    let data = payload(92);
    for (datagrams, bytes, kept) in [(3, 4 << 20, 3), (256, 60, 2), (0, 0, 1)] {
        let mut table = Fragments::new(FragmentCaps { datagrams, bytes });
        for id in 0..10 {
            assert_eq!(join(&[&fragments(false, id, &data, &[(0, 24)])[0]], &mut table), None);
        }
        assert_eq!((table.waiting(), table.statistics().evicted), (kept, 10 - kept as u64), "{datagrams} {bytes}");
    }
}

#[test]
fn real_fragments() {
    let read = |name: &str| {
        let path = format!("{}/fixtures/capture/{name}", env!("CARGO_MANIFEST_DIR"));
        let mut packets = Packets::open(Box::new(File::open(path).unwrap())).unwrap();
        let (mut joined, mut frames, mut found) = (Vec::new(), 0, 0);
        while let Some(item) = packets.next().unwrap() {
            frames = item.frame.number;
            let Decoded::Packet(packet) = item.decoded else {
                continue;
            };
            found += 1;
            if let (Body::Udp { length, .. }, [first, ..]) = (packet.body, packet.frames) {
                joined.push((*first, packet.frame, packet.frames.len(), length));
            }
        }
        assert_eq!(packets.fragments().waiting(), 0);
        (frames, found, joined)
    };
    let dnp = [(8, 9, 2, 1473), (10, 13, 4, 5001), (14, 27, 14, 20001), (32, 35, 4, 5017)];
    let dnp = [&dnp[..], &[(38, 39, 2, 2509)]].concat();
    assert_eq!(read("dnp-frag.pcap"), (40, 19, dnp));
    assert_eq!(read("edge20-udp.pcap"), (29, 27, vec![(25, 27, 3, 2905)]));
}
