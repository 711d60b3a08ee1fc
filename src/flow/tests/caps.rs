//! Many conversations.

use super::*;
use crate::flow::entry::Entry;
use std::net::Ipv4Addr;

/// A datagram of conversation number `n`.
fn datagram(table: &mut Table<()>, recorder: &mut Recorder, frame: u64, n: u32) {
    let packet = Packet {
        frame,
        frames: &[],
        time: Time::default(),
        src: SocketAddr::new(Ipv4Addr::from_bits(0x0a00_0000 + n).into(), 1000),
        dst: SocketAddr::new(Ipv4Addr::from_bits(0x0b00_0000).into(), 2000),
        leg: None,
        body: Body::Udp { payload: b"x", length: 1 },
    };
    table.packet(&packet, recorder);
}

#[test]
fn the_longest_idle_is_evicted_first() {
    let mut lab = Lab::with(Caps { conversations: 3, ..Caps::default() });
    lab.handshake();
    lab.recorder.leave = Some(9);
    lab.a(0, b"ab");
    for n in [1, 2, 1] {
        datagram(&mut lab.table, &mut lab.recorder, 9, n);
    }
    lab.events();
    datagram(&mut lab.table, &mut lab.recorder, 9, 3);
    let evicted = |side, rest: &[u8]| Event::End(1, side, End::Evicted, rest.to_vec());
    let arrived = |id| Event::Datagram(id, Side::A, b"x".to_vec(), 1);
    assert_eq!(lab.events(), [evicted(Side::A, b"ab"), evicted(Side::B, b""), Event::Closed(1), arrived(4)]);
    datagram(&mut lab.table, &mut lab.recorder, 9, 4);
    assert_eq!(lab.events(), [Event::Closed(3), arrived(5)]);
    // The others are still found, also those chained after the evicted conversations.
    for n in [1, 3, 4] {
        datagram(&mut lab.table, &mut lab.recorder, 9, n);
    }
    assert_eq!(lab.events(), [arrived(2), arrived(4), arrived(5)]);
    assert_eq!((lab.statistics().evicted, lab.statistics().dropped_bytes), (2, 2));
    assert_eq!(lab.table.len(), 3);
}

#[test]
fn a_hundred_thousand_conversations() {
    let caps = Caps::default();
    let mut table = Table::new(caps);
    let mut recorder = Recorder::default();
    let count = caps.conversations as u32 + 5000;
    for n in 0..count {
        datagram(&mut table, &mut recorder, n.into(), n);
    }
    assert_eq!(table.len(), caps.conversations);
    assert_eq!(table.statistics().evicted, 5000);
    recorder.events.clear();
    for n in 5000..count {
        datagram(&mut table, &mut recorder, n.into(), n);
    }
    let known = |event: &Event| matches!(event, Event::Datagram(id, ..) if *id > 5000);
    assert!(recorder.events.iter().all(known));
    recorder.events.clear();
    table.finish(&mut recorder);
    let order: Vec<_> = (5001..=u64::from(count)).map(Event::Closed).collect();
    assert_eq!(recorder.events, order);
}

#[test]
fn a_conversation_is_small() {
    // With the slot (32), its place in the order (16), the map (16 to 36) and both names (48 on the heap), below 400.
    assert!(size_of::<Entry<()>>() <= 256, "{} bytes", size_of::<Entry<()>>());
}

#[test]
fn all_buffers_together_are_capped() {
    let mut lab = Lab::with(Caps { buffered_bytes: 10_000, ..Caps::default() });
    lab.recorder.leave = Some(usize::MAX);
    for port in 1..=200 {
        let src = format!("10.0.0.1:{port}");
        lab.packet(&src, "10.0.0.2:80", Body::Tcp(bytes(1, &[0; 1000])));
        // Including five epochs of traffic, and the records of the frames that carried the bytes.
        assert!(lab.table.buffered() <= (10_000 + 5 * 4096) * 3 / 2, "{}", lab.table.buffered());
    }
    let evicted = lab.statistics().evicted;
    assert!((165..195).contains(&evicted), "{evicted}");
    // A single conversation may hold more: its own caps apply.
    for n in 0..6 {
        lab.packet("10.0.0.1:200", "10.0.0.2:80", Body::Tcp(bytes(1001 + n * 10_000, &[0; 10_000])));
    }
    assert_eq!(lab.table.len(), 1);
    lab.finish();
    assert_eq!(lab.table.buffered(), 0);
}
