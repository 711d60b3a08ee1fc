//! The sessions' view: offsets, and the frames of ranges.

use super::*;
use crate::flow::stream::Spare;

/// Records, for each message of 4 bytes, its offset, frame and frames.
#[derive(Default)]
struct Fours(Vec<(u64, u64, Vec<u64>)>);

impl Handler<()> for Fours {
    fn datagram(&mut self, _: &mut Conversation<()>, _: Side, _: &Packet, _: &[u8], _: usize) {}
    fn data(&mut self, _: &mut Conversation<()>, _: Side, stream: &mut Stream, _: &Delivery) {
        let mut frames = vec![99];
        while stream.bytes().len() >= 4 {
            let at = stream.offset();
            let before = stream.origin(at + 3);
            stream.consume(4);
            assert_eq!(stream.consumed(), before);
            stream.frames_of(at..at + 4, &mut frames);
            self.0.push((at, stream.consumed().unwrap().frame, frames.clone()));
        }
    }
    fn gap(&mut self, _: &mut Conversation<()>, _: Side, _: &mut Stream, _: &Gap) {}
    fn end(&mut self, _: &mut Conversation<()>, _: Side, _: &mut Stream, _: End, _: u64) {}
    fn closed(&mut self, _: &mut Conversation<()>) {}
}

#[test]
fn frames_of_messages() {
    let mut table = Table::new(Caps::default());
    let mut fours = Fours::default();
    let text = b"aaaabbbbccccddddeeee";
    let ranges = [(0, 2), (2, 3), (5, 5), (12, 4), (10, 2), (30, 1), (16, 14)];
    for (frame, (start, length)) in (1..).zip(ranges) {
        let payload = text.get(start..start + length).unwrap_or(&text[..length]);
        let packet = Packet {
            frame,
            frames: &[],
            time: Time::default(),
            src: "[2001:db8::1]:5000".parse().unwrap(),
            dst: "[2001:db8::2]:80".parse().unwrap(),
            leg: None,
            body: Body::Tcp(bytes(start as u32, payload)),
        };
        table.packet(&packet, &mut fours);
    }
    let expected = [
        (0, 2, vec![1, 2]),
        (4, 3, vec![2, 3]),
        (8, 5, vec![3, 5]),
        // These arrived in frame 4, were held, and are delivered by frame 5.
        (12, 5, vec![4, 5]),
        (16, 7, vec![7]),
        (20, 7, vec![7]),
        (24, 7, vec![7]),
    ];
    assert_eq!(fours.0, expected);
}

#[test]
fn a_stream_alone() {
    use crate::flow::stream::Origin;
    let mut spare = Spare::default();
    let mut stream = Stream::default();
    let by = |frame| Origin { frame, time: Time::default() };
    let mut frames = Vec::new();
    let mut read = 0u64;
    for i in 1..500u64 {
        let new = vec![i as u8; (i % 7) as usize + 1];
        stream.push(&new, i, by(i), &mut spare);
        assert_eq!(stream.newest(), Some(by(i)));
        let take = stream.bytes().len() * (i as usize % 3) / 2;
        stream.consume(take);
        read += take as u64;
        assert_eq!(stream.offset(), read);
        stream.settle(&mut spare);
        let end = read + stream.bytes().len() as u64;
        for (at, &byte) in (read..end).zip(stream.bytes()) {
            assert_eq!(stream.origin(at).unwrap().frame as u8, byte);
            stream.frames_of(at..at + 1, &mut frames);
            assert_eq!(frames.len(), 1);
        }
        assert_eq!(stream.origin(end), None);
    }
    stream.consume(usize::MAX);
    assert_eq!(stream.bytes(), b"");
    stream.frames_of(0..3, &mut frames);
    assert!(frames.is_empty());
    let unread = stream.restart(1 << 40);
    assert_eq!((unread, stream.offset(), stream.consumed()), (0, 1 << 40, None));
}

#[test]
fn idle_streams_keep_little() {
    let mut lab = Lab::open();
    for i in 0..100 {
        lab.a(i * 60_000, &[0; 60_000]);
    }
    assert!(lab.table.buffered() <= 1024, "{} bytes", lab.table.buffered());
    // A little allocated memory is retained.
    lab.recorder.leave = Some(1);
    for i in 0..100 {
        lab.a(6_000_000 + i, &[0]);
        let allocated = lab.table.buffered();
        assert!((1..=1024).contains(&allocated), "{allocated} bytes");
    }
}
