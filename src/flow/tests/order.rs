//! Retransmitted, late and overlapping segments.

use super::*;

#[test]
fn in_order() {
    let mut lab = Lab::open();
    lab.a(0, b"abc");
    lab.a(3, b"de");
    let data = |frame, bytes: &[u8]| Event::Data(1, Side::A, frame, bytes.to_vec(), vec![0]);
    assert_eq!(lab.events(), [data(4, b"abc"), data(5, b"de")]);
}

#[test]
fn repeated_segments_bring_nothing() {
    let mut lab = Lab::open();
    lab.a(0, b"abc");
    lab.a(0, b"xyz");
    lab.a(1, b"x");
    assert_eq!(lab.delivered(), (b"abc".to_vec(), vec![4]));
    assert_eq!(lab.statistics().ignored_segments, 0);
}

#[test]
fn first_bytes_count_at_the_front() {
    let mut lab = Lab::open();
    lab.a(0, b"abc");
    lab.a(1, b"XXde");
    // The new bytes do not start at the segment's start.
    let expected = Event::Data(1, Side::A, 5, b"de".to_vec(), vec![]);
    assert_eq!(lab.events()[1], expected);
}

#[test]
fn first_bytes_count_in_what_is_held() {
    let mut lab = Lab::open();
    lab.a(4, b"ef");
    lab.a(8, b"ij");
    // This covers both and the gaps around them.
    lab.a(2, b"cdXXghXXk");
    assert_eq!(lab.delivered().0, b"");
    lab.a(0, b"abXXX");
    let events = lab.events();
    assert_eq!(
        events,
        [Event::Data(1, Side::A, 7, b"abcdefghijk".to_vec(), vec![0, 2, 4, 8])],
        "the frame that fills the gap delivers all"
    );
}

#[test]
fn first_bytes_count_when_the_filler_overlaps() {
    let mut lab = Lab::open();
    lab.a(3, b"def");
    lab.a(0, b"abcXXXghi");
    assert_eq!(lab.delivered(), (b"abcdefghi".to_vec(), vec![5]));
}

#[test]
fn out_of_order() {
    let mut lab = Lab::open();
    lab.a(4, b"e");
    lab.a(2, b"cd");
    lab.a(5, b"f");
    lab.a(0, b"a");
    lab.a(1, b"b");
    assert_eq!(lab.delivered(), (b"abcdef".to_vec(), vec![7, 8]));
}

#[test]
fn sequence_numbers_wrap() {
    for first in [u32::MAX - 3, u32::MAX, 0, 0x7fff_fffe] {
        let mut lab = Lab::new();
        let syn = Segment { syn: true, ..bytes(first.wrapping_sub(1), b"") };
        lab.tcp(Side::A, syn);
        for at in [3u32, 0, 6] {
            let text = &b"abcdefghi"[at as usize..][..3];
            lab.tcp(Side::A, bytes(first.wrapping_add(at), text));
        }
        assert_eq!(lab.delivered(), (b"abcdefghi".to_vec(), vec![3, 4]), "from {first}");
    }
}

#[test]
fn more_than_four_gigabytes() {
    let mut lab = Lab::open();
    let block = vec![7; 1 << 24];
    for i in 0..260u32 {
        lab.recorder.events.clear();
        lab.a(i << 24, &block);
    }
    lab.a(4 << 24, b"end");
    let events = lab.events();
    assert!(matches!(&events[0], Event::Data(1, _, _, new, _) if new.len() == 1 << 24));
    assert_eq!(events[1], Event::Data(1, Side::A, 264, b"end".to_vec(), vec![0]));
}

#[test]
fn keep_alives_and_window_probes() {
    let mut lab = Lab::open();
    lab.a(u32::MAX, b"");
    lab.a(u32::MAX, b"\0");
    lab.a(0, b"ab");
    lab.a(1, b"");
    lab.a(1, b"\0");
    // A probe of a closed window carries the next byte, which is sent again after that.
    lab.a(2, b"c");
    lab.a(2, b"cd");
    assert_eq!(lab.delivered(), (b"abcd".to_vec(), vec![6, 9, 10]));
    assert_eq!(lab.statistics().gaps, 0);
}

#[test]
fn keep_alive_without_bytes_does_not_begin_a_stream() {
    let mut lab = Lab::new();
    lab.a(99, b"");
    lab.a(100, b"ab");
    assert_eq!(lab.delivered().0, b"ab");
}

#[test]
fn capture_begins_inside() {
    let mut lab = Lab::new();
    lab.a(100, b"ab");
    lab.a(90, b"0123456789ab");
    lab.a(90, b"0123456789abcd");
    lab.a(0, b"early");
    assert_eq!(lab.delivered(), (b"abcd".to_vec(), vec![1, 3]));
    lab.finish();
}

#[test]
fn fast_open() {
    let mut lab = Lab::new();
    let syn = Segment { syn: true, ..bytes(ISN[0], b"hello") };
    lab.tcp(Side::A, syn.clone());
    lab.tcp(Side::A, syn);
    lab.a(5, b" you");
    assert_eq!(lab.delivered().0, b"hello you");
    assert_eq!(lab.statistics().conversations, 1);
}
