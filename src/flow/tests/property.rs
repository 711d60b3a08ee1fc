//! The bytes are the same however segments are cut, moved and repeated.

use super::*;
use proptest::prelude::*;

/// A random division of a stream into segments, by fractions of its length.
#[derive(Clone, Debug)]
struct Cuts {
    first: u32,
    text: Vec<u8>,
    /// Additional segments: start, length, and distance by which they are moved.
    extra: Vec<(prop::sample::Index, usize, usize)>,
    /// The segments that cover the stream: length, and distance by which they are moved.
    cover: Vec<(usize, usize)>,
    acks: bool,
}

fn cuts() -> impl Strategy<Value = Cuts> {
    (
        prop_oneof![any::<u32>(), (u32::MAX - 600)..=u32::MAX, 0x7fff_ff00u32..0x8000_0100],
        prop::collection::vec(any::<u8>(), 1..600),
        prop::collection::vec((any::<prop::sample::Index>(), 0..80usize, 0..40usize), 0..40),
        prop::collection::vec((1..60usize, 0..12usize), 1..40),
        any::<bool>(),
    )
        .prop_map(|(first, text, extra, cover, acks)| Cuts { first, text, extra, cover, acks })
}

/// The segments, as ranges, in order of arrival.
fn order(cuts: &Cuts) -> Vec<std::ops::Range<usize>> {
    let mut at = 0;
    let mut all = Vec::new();
    for &(length, moved) in cuts.cover.iter().cycle() {
        let end = (at + length).min(cuts.text.len());
        all.push((all.len() + moved, at..end));
        at = end;
        if at == cuts.text.len() {
            break;
        }
    }
    for (start, length, moved) in &cuts.extra {
        let start = start.index(cuts.text.len());
        all.push((moved * 2, start..(start + length).min(cuts.text.len())));
    }
    all.sort_by_key(|(key, _)| *key);
    all.into_iter().map(|(_, range)| range).collect()
}

proptest! {
    #[test]
    fn every_byte_once_and_in_order(cuts in cuts(), leave in 0..50usize) {
        let mut lab = Lab::new();
        lab.recorder.leave = Some(leave);
        lab.tcp(Side::A, Segment { syn: true, ..bytes(cuts.first.wrapping_sub(1), b"") });
        let mut got = Vec::new();
        let mut starts = 0;
        for range in order(&cuts) {
            let seq = cuts.first.wrapping_add(range.start as u32);
            lab.tcp(Side::A, bytes(seq, &cuts.text[range]));
            for event in lab.events() {
                let Event::Data(1, Side::A, frame, new, segments) = event else {
                    panic!("{event:?}")
                };
                prop_assert_eq!(frame, lab.frame);
                prop_assert!(segments.is_sorted());
                prop_assert!(segments.iter().all(|&at| at < new.len()));
                starts += segments.len();
                got.extend(new);
            }
            if cuts.acks {
                lab.tcp(Side::B, acks(cuts.first.wrapping_add(got.len() as u32)));
                prop_assert_eq!(lab.events(), []);
            }
        }
        prop_assert_eq!(&got, &cuts.text);
        prop_assert!(starts >= 1);
        lab.fin_at(cuts.first.wrapping_add(got.len() as u32));
        let rest = cuts.text[cuts.text.len() - leave.min(cuts.text.len())..].to_vec();
        let last = lab.events();
        prop_assert!(matches!(&last[..], [Event::End(1, Side::A, End::Fin, unread)]
            if rest.ends_with(unread)));
        prop_assert_eq!(lab.statistics().missing_bytes, 0);
    }

    #[test]
    fn garbage_is_survived(
        segments in prop::collection::vec(
            (any::<[bool; 6]>(), edges(), edges(), 0..70usize, 0..90usize, 0..3u16),
            0..120,
        ),
        leave in 0..9usize,
    ) {
        let caps = Caps {
            conversations: 2,
            // So each number is of one entry.
            returning: 0,
            held_bytes: 300,
            held_segments: 6,
            unread_bytes: 900,
            buffered_bytes: 2000,
        };
        let mut lab = Lab::with(caps);
        lab.recorder.leave = Some(leave * 100);
        let payload = [7; 70];
        for ([back, has_ack, syn, fin, rst, odd], seq, ack, captured, length, port) in segments {
            let segment = Segment {
                seq,
                ack,
                has_ack,
                syn: syn && odd,
                fin: fin && !odd,
                rst: rst && fin && syn,
                payload: &payload[..captured],
                length: if length == 89 { usize::MAX } else { length },
            };
            let ends = [format!("10.0.0.1:{}", 1 + port), "10.0.0.2:80".to_owned()];
            let [a, b] = if back { [&ends[1], &ends[0]] } else { [&ends[0], &ends[1]] };
            lab.packet(a, b, Body::Tcp(segment));
            prop_assert!(lab.table.len() <= 2);
        }
        lab.finish();
        let events = lab.events();
        let count = lab.statistics().conversations;
        for id in 1..=count {
            let closed = events.iter().filter(|event| **event == Event::Closed(id)).count();
            prop_assert_eq!(closed, 1);
            for side in Side::BOTH {
                let mine = |event: &&Event| matches!(event, Event::End(i, s, ..)
                    if (*i, *s) == (id, side));
                prop_assert_eq!(events.iter().filter(mine).count(), 1);
            }
        }
        prop_assert_eq!(lab.table.buffered(), 0);
    }
}

/// Numbers near each other and near the edges.
fn edges() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => 0..400u32,
        2 => (u32::MAX - 200)..=u32::MAX,
        1 => 0x3fff_ff80u32..0x4000_0080,
        1 => 0x7fff_ff80u32..0x8000_0080,
        1 => any::<u32>(),
    ]
}
