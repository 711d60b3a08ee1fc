//! Bytes that are never captured.

use super::*;

#[test]
fn given_up_by_acknowledgement() {
    let mut lab = Lab::open();
    lab.recorder.leave = Some(1);
    lab.a(0, b"ab");
    lab.a(6, b"gh");
    lab.ack(2);
    lab.ack(6);
    assert_eq!(lab.events().len(), 1, "nothing after the gap was acknowledged yet");
    lab.ack(8);
    lab.a(2, b"late");
    lab.a(8, b"i");
    assert_eq!(
        lab.events(),
        [
            Event::Gap(1, Side::A, 4, 5, GapCause::Acknowledged, b"b".to_vec()),
            // Held bytes keep their own frame.
            Event::Data(1, Side::A, 5, b"gh".to_vec(), vec![0]),
            Event::Data(1, Side::A, 10, b"i".to_vec(), vec![0]),
        ]
    );
    let counted = lab.statistics();
    assert_eq!((counted.gaps, counted.missing_bytes, counted.dropped_bytes), (1, 4, 1));
}

#[test]
fn several_gaps_are_given_up_up_to_the_acknowledgement() {
    let mut lab = Lab::open();
    for at in [1, 2, 5, 9] {
        lab.a(at, b"x");
    }
    lab.ack(8);
    let gap = |missing, frame, cause| Event::Gap(1, Side::A, missing, frame, cause, vec![]);
    let data = |frame| Event::Data(1, Side::A, frame, b"x".to_vec(), vec![0]);
    let by = GapCause::Acknowledged;
    assert_eq!(lab.events(), [gap(1, 4, by), data(4), data(5), gap(2, 6, by), data(6)]);
    lab.finish();
    assert_eq!(lab.events()[..2], [gap(3, 7, GapCause::End), data(7)]);
}

#[test]
fn acknowledgement_before_the_bytes_loses_nothing() {
    let mut lab = Lab::open();
    lab.ack(6);
    lab.a(2, b"cd");
    lab.a(0, b"ab");
    lab.a(4, b"ef");
    assert_eq!(lab.delivered().0, b"abcdef");
    assert_eq!(lab.statistics().gaps, 0);
}

#[test]
fn acknowledgements_that_count_one_too_many() {
    let mut lab = Lab::open();
    lab.ack(1);
    lab.a(0, b"ab");
    lab.ack(3);
    lab.a(3, b"d");
    lab.ack(3);
    lab.a(2, b"c");
    assert_eq!(lab.delivered().0, b"abcd");
}

#[test]
fn cut_by_the_snap_length() {
    let mut lab = Lab::open();
    lab.recorder.leave = Some(2);
    lab.tcp(Side::A, Segment { length: 10, ..bytes(ISN[0] + 1, b"abcd") });
    lab.tcp(Side::A, Segment { length: 10, ..bytes(ISN[0] + 11, b"klmn") });
    lab.tcp(Side::A, Segment { length: 10, ..bytes(ISN[0] + 21, b"") });
    lab.tcp(Side::A, Segment { length: 4, fin: true, ..bytes(ISN[0] + 31, b"yz") });
    assert_eq!(
        lab.events(),
        [
            Event::Data(1, Side::A, 4, b"abcd".to_vec(), vec![0]),
            Event::Gap(1, Side::A, 6, 5, GapCause::Cut, b"cd".to_vec()),
            Event::Data(1, Side::A, 5, b"klmn".to_vec(), vec![0]),
            Event::Gap(1, Side::A, 16, 7, GapCause::Cut, b"mn".to_vec()),
            Event::Data(1, Side::A, 7, b"yz".to_vec(), vec![0]),
            Event::End(1, Side::A, End::Fin, b"yz".to_vec()),
        ]
    );
    assert_eq!(lab.statistics().missing_bytes, 6 + 16 + 2);
}

#[test]
fn cut_bytes_that_are_sent_again() {
    let mut lab = Lab::open();
    lab.tcp(Side::A, Segment { length: 6, ..bytes(ISN[0] + 1, b"abc") });
    lab.a(3, b"def");
    lab.a(6, b"ghi");
    assert_eq!(lab.delivered().0, b"abcdefghi");
}

#[test]
fn given_up_by_each_cap() {
    for caps in [Caps { held_bytes: 3, ..Caps::default() }, Caps { held_segments: 1, ..Caps::default() }] {
        let mut lab = Lab::with(caps);
        lab.handshake();
        lab.a(1, b"bc");
        lab.a(5, b"fg");
        lab.a(0, b"ABCDE");
        assert_eq!(
            lab.events(),
            [
                Event::Gap(1, Side::A, 1, 4, GapCause::Cap, vec![]),
                Event::Data(1, Side::A, 4, b"bc".to_vec(), vec![0]),
                // Bytes before the end of the stream are old now.
                Event::Data(1, Side::A, 6, b"DEfg".to_vec(), vec![2]),
            ]
        );
    }
}

#[test]
fn given_up_at_the_end() {
    for (why, seq) in [(End::Rst, Some(7)), (End::Capture, None)] {
        let mut lab = Lab::open();
        lab.recorder.leave = Some(9);
        lab.a(0, b"a");
        lab.a(4, b"e");
        match seq {
            Some(seq) => {
                lab.tcp(Side::A, Segment { rst: true, ..bytes(ISN[0] + seq, b"text") });
            }
            None => lab.finish(),
        }
        assert_eq!(
            lab.events()[1..4],
            [
                Event::Gap(1, Side::A, 3, 5, GapCause::End, b"a".to_vec()),
                Event::Data(1, Side::A, 5, b"e".to_vec(), vec![0]),
                Event::End(1, Side::A, why, b"e".to_vec()),
            ]
        );
    }
}

#[test]
fn unread_bytes_are_capped() {
    let mut lab = Lab::with(Caps { unread_bytes: 200, ..Caps::default() });
    lab.recorder.leave = Some(usize::MAX);
    lab.handshake();
    lab.a(0, &[1; 100]);
    lab.a(100, &[2; 100]);
    lab.a(200, b"next");
    let events = lab.events();
    assert_eq!(events.len(), 4);
    let dropped = [[1; 100], [2; 100]].concat();
    assert_eq!(events[2], Event::Gap(1, Side::A, 0, 5, GapCause::Unread, dropped));
    assert_eq!(events[3], Event::Data(1, Side::A, 6, b"next".to_vec(), vec![0]));
    assert_eq!(lab.statistics().dropped_bytes, 200);
}
