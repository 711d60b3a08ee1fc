//! Assignment of packets to conversations.

use super::*;
use crate::flow::Transport;

#[test]
fn both_directions_are_one_conversation() {
    let mut lab = Lab::new();
    lab.udp("10.0.0.1:1", "10.0.0.2:2", b"a");
    lab.udp("10.0.0.2:2", "10.0.0.1:1", b"b");
    lab.udp("10.0.0.2:1", "10.0.0.1:2", b"c");
    lab.udp("[::1]:1", "[::2]:2", b"d");
    lab.udp("[::2]:2", "[::1]:1", b"e");
    lab.udp("10.0.0.1:1", "10.0.0.2:2", b"f");
    lab.packet("10.0.0.1:1", "10.0.0.2:2", Body::Udp { payload: b"cut", length: 900 });
    let datagram = |id, from, payload: &[u8]| Event::Datagram(id, from, payload.to_vec(), payload.len());
    assert_eq!(
        lab.events(),
        [
            datagram(1, Side::A, b"a"),
            datagram(1, Side::B, b"b"),
            datagram(2, Side::A, b"c"),
            datagram(3, Side::A, b"d"),
            datagram(3, Side::B, b"e"),
            datagram(1, Side::A, b"f"),
            Event::Datagram(1, Side::A, b"cut".to_vec(), 900),
        ]
    );
    lab.finish();
    assert_eq!(lab.events(), [1, 2, 3].map(Event::Closed));
}

#[test]
fn transports_are_apart() {
    let mut lab = Lab::open();
    lab.udp("10.0.0.1:5000", "10.0.0.2:80", b"a");
    assert_eq!(lab.events(), [Event::Datagram(2, Side::A, b"a".to_vec(), 1)]);
}

#[test]
fn both_ends_are_the_same() {
    let mut lab = Lab::new();
    lab.udp("10.0.0.1:1", "10.0.0.1:1", b"a");
    lab.packet("10.0.0.1:1", "10.0.0.1:1", Body::Tcp(bytes(1, b"abc")));
    lab.finish();
    assert_eq!(lab.statistics().conversations, 2);
}

/// Records the facts of conversations when they are closed.
#[derive(Default)]
struct Closing(Vec<Conversation<u32>>);

impl Handler<u32> for Closing {
    fn datagram(&mut self, c: &mut Conversation<u32>, _: Side, _: &Packet, _: &[u8], _: usize) {
        c.state += 1;
    }
    fn data(&mut self, c: &mut Conversation<u32>, _: Side, stream: &mut Stream, d: &Delivery) {
        c.state += d.new as u32;
        stream.consume(usize::MAX);
    }
    fn gap(&mut self, _: &mut Conversation<u32>, _: Side, _: &mut Stream, _: &Gap) {}
    fn end(&mut self, _: &mut Conversation<u32>, _: Side, _: &mut Stream, _: End, _: u64) {}
    fn closed(&mut self, c: &mut Conversation<u32>) {
        self.0.push(c.clone());
    }
}

#[test]
fn serial_numbers_are_of_all_tables() {
    let mut closing = Closing::default();
    for _ in 0..2 {
        let mut table = Table::new(Caps::default());
        for src in ["10.0.0.1:1", "10.0.0.1:2", "10.0.0.1:1"] {
            let (src, dst) = (src.parse().unwrap(), "10.0.0.2:2".parse().unwrap());
            let body = Body::Udp { payload: b"a", length: 1 };
            table.packet(
                &Packet { frame: 1, frames: &[], time: Time::default(), src, dst, leg: None, body },
                &mut closing,
            );
        }
        table.finish(&mut closing);
    }
    let mut serials: Vec<_> = closing.0.iter().map(|c| c.serial).collect();
    serials.sort_unstable();
    serials.dedup();
    assert_eq!((closing.0.len(), serials.len(), serials.contains(&0)), (4, 4, false));
}

#[test]
fn facts_of_a_conversation() {
    let mut table = Table::new(Caps::default());
    let mut closing = Closing::default();
    let mut frame = 0;
    let mut send = |src: &str, dst: &str, segment| {
        frame += 1;
        let time = Time::micros(frame, 5);
        let (src, dst) = (src.parse().unwrap(), dst.parse().unwrap());
        let body = Body::Tcp(segment);
        let packet = Packet { frame: frame as u64, frames: &[], time, src, dst, leg: None, body };
        table.packet(&packet, &mut closing);
    };
    let (a, b) = ("[2001:db8::1]:7777", "192.0.2.1:9");
    send(a, b, Segment { syn: true, seq: 9, ..acks(100) });
    send(b, a, Segment { length: 50, ..bytes(100, b"abc") });
    send(b, a, bytes(100, b"abc"));
    table.finish(&mut closing);
    let [c] = &closing.0[..] else { panic!() };
    assert_eq!((c.id, c.transport, c.state), (1, Transport::Tcp, 3));
    assert_eq!((c.name(Side::A), c.name(Side::B)), (a, b));
    assert_eq!((c.opener, c.syn_seen), (Some(Side::B), [true, false]));
    assert_eq!((c.packets, c.bytes), ([1, 2], [0, 53]));
    assert_eq!((c.first, c.last), (Time::micros(1, 5), Time::micros(3, 5)));
    assert_eq!(c.ended, [Some(End::Capture); 2]);
    assert_eq!(c.transport.to_string(), "tcp");
}

/// An evicted conversation comes back under its number, in either direction; a SYN begins another one.
#[test]
fn evicted_conversations_keep_their_numbers() {
    let mut closing = Closing::default();
    let mut table = Table::new(Caps { conversations: 1, returning: 2, ..Caps::default() });
    let mut send = |src: &str, dst: &str, body: Body<'_>| {
        let (src, dst) = (src.parse().unwrap(), dst.parse().unwrap());
        let packet = Packet { frame: 1, frames: &[], time: Time::default(), src, dst, leg: None, body };
        table.packet(&packet, &mut closing);
        table.statistics()
    };
    let udp = || Body::Udp { payload: b"a", length: 1 };
    let (a, b, server) = ("10.0.0.1:1", "10.0.0.2:1", "10.0.0.9:9");
    send(a, server, udp());
    send(b, server, Body::Tcp(bytes(1, b"abc")));
    send(server, a, udp());
    send(server, b, Body::Tcp(bytes(1, b"abc")));
    send(a, server, udp());
    send(b, server, Body::Tcp(Segment { syn: true, ..bytes(9, b"") }));
    send(a, server, Body::Tcp(bytes(1, b"abc")));
    // Two numbers are kept: that of the last one is not.
    send(server, b, udp());
    let seen = send(a, server, Body::Tcp(bytes(9, b"abc")));
    assert_eq!((seen.conversations, seen.evicted, seen.evicted_again, seen.forgotten), (6, 8, 3, 2));
    table.finish(&mut closing);
    let seen: Vec<_> = closing.0.iter().map(|c| (c.id, c.resumed)).collect();
    let first = [(1, false), (2, false), (1, true), (2, true), (1, true), (3, false)];
    assert_eq!(seen, [&first[..], &[(4, false), (5, false), (6, false)]].concat());
}
