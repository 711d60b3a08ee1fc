//! FIN, RST, and reused ports.

use super::*;

fn end(id: u64, from: Side, why: End) -> Event {
    Event::End(id, from, why, vec![])
}

#[test]
fn fin_in_order() {
    let mut lab = Lab::open();
    lab.tcp(Side::A, Segment { fin: true, ..bytes(ISN[0] + 1, b"ab") });
    lab.fin(2);
    lab.a(2, b"behind");
    let data = Event::Data(1, Side::A, 4, b"ab".to_vec(), vec![0]);
    assert_eq!(lab.events(), [data, end(1, Side::A, End::Fin)]);
    lab.finish();
    assert_eq!(lab.events(), [end(1, Side::B, End::Capture), Event::Closed(1)]);
    assert_eq!(lab.statistics().ignored_segments, 1);
}

#[test]
fn fin_before_the_bytes() {
    let mut lab = Lab::open();
    lab.a(4, b"efgh");
    lab.fin(6);
    assert_eq!(lab.events(), []);
    lab.a(0, b"abcd");
    let data = Event::Data(1, Side::A, 6, b"abcdef".to_vec(), vec![0, 4]);
    assert_eq!(lab.events(), [data, end(1, Side::A, End::Fin)]);
}

/// A FIN counts from when it is captured, even if bytes before it never come.
#[test]
fn fin_after_a_gap_before_the_other_sides_rst() {
    let mut lab = Lab::open();
    lab.a(0, b"ab");
    lab.fin(4);
    lab.tcp(Side::B, Segment { rst: true, ..bytes(ISN[1] + 1, b"") });
    lab.finish();
    let ends = lab.events().into_iter().filter(|event| matches!(event, Event::End(..)));
    let ends: Vec<_> =
        ends.map(|event| if let Event::End(_, from, why, _) = event { (from, why) } else { panic!() }).collect();
    assert_eq!(ends, [(Side::B, End::Rst), (Side::A, End::Fin)]);
}

/// Also if the ports are used again; but not one that no receiver would take.
#[test]
fn fins_near_their_bytes_count() {
    for (offset, why) in [(4, End::Fin), (70_000, End::Reused)] {
        let mut lab = Lab::open();
        lab.a(0, b"ab");
        lab.fin(offset);
        lab.tcp(Side::A, Segment { syn: true, ..bytes(77, b"") });
        let ends = lab.events().into_iter();
        let ends: Vec<_> =
            ends.filter_map(|e| if let Event::End(_, from, why, _) = e { Some((from, why)) } else { None }).collect();
        assert!(ends.contains(&(Side::A, why)) && ends.contains(&(Side::B, End::Reused)), "{offset}: {ends:?}");
    }
}

#[test]
fn fin_after_a_gap_without_bytes() {
    let mut lab = Lab::open();
    lab.a(0, b"ab");
    lab.fin(4);
    lab.ack(4);
    assert_eq!(lab.events().len(), 1);
    lab.ack(5);
    assert_eq!(lab.events(), [end(1, Side::A, End::Fin)]);
    assert_eq!(lab.statistics().missing_bytes, 2);
}

#[test]
fn rst_ends_its_senders_direction_only() {
    let mut lab = Lab::open();
    lab.tcp(Side::B, Segment { rst: true, ..bytes(ISN[1] + 1, b"") });
    lab.a(0, b"still");
    let data = Event::Data(1, Side::A, 5, b"still".to_vec(), vec![0]);
    assert_eq!(lab.events(), [end(1, Side::B, End::Rst), data]);
    lab.finish();
    assert_eq!(lab.events(), [end(1, Side::A, End::Capture), Event::Closed(1)]);
}

#[test]
fn rst_out_of_the_window_is_ignored() {
    let mut lab = Lab::open();
    lab.tcp(Side::A, Segment { rst: true, ..bytes(ISN[0].wrapping_add(1 << 30), b"") });
    lab.a(0, b"a");
    assert_eq!(lab.delivered().0, b"a");
}

/// RFC 5961: a receiver accepts the number that it expects, and no other. Far from it is no end.
#[test]
fn rst_far_from_the_number_that_is_expected() {
    let rst = |seq: u32| Segment { rst: true, ..bytes((ISN[0] + 1).wrapping_add(seq), b"") };
    // A sender without the connection answers any segment with the number that this acknowledges. Bytes before the RST
    // may be missing in the capture, if they fit into a window.
    for (seq, ends) in
        [(6, true), (3, true), (6 + 65_000, true), (6 + 500_000, false), (6u32.wrapping_sub(500_000), false)]
    {
        let mut lab = Lab::open();
        lab.a(0, b"abcdef");
        lab.ack(3);
        lab.tcp(Side::A, rst(seq));
        assert_eq!(lab.events().contains(&end(1, Side::A, End::Rst)), ends, "{seq}");
        lab.a(6, b"g");
        assert_eq!(lab.delivered().0, if ends { &b""[..] } else { b"g" }, "{seq}");
        assert_eq!(lab.statistics().ignored_segments, u64::from(ends), "{seq}");
    }
    // The receiver has acknowledged a long range that is not in the capture.
    let mut lab = Lab::open();
    lab.ack(500_000);
    lab.tcp(Side::A, rst(500_000));
    assert_eq!(lab.events(), [end(1, Side::A, End::Rst)]);
}

#[test]
fn refused() {
    let mut lab = Lab::new();
    let syn = Segment { syn: true, ..bytes(ISN[0], b"") };
    lab.tcp(Side::A, syn.clone());
    lab.tcp(Side::B, Segment { rst: true, ..acks(ISN[0] + 1) });
    // Windows repeats the same SYN after a RST.
    lab.tcp(Side::A, syn);
    assert_eq!(lab.events(), [end(1, Side::B, End::Rst)]);
    lab.tcp(Side::A, Segment { syn: true, ..bytes(77, b"") });
    assert_eq!(lab.events(), [end(1, Side::A, End::Reused), Event::Closed(1)]);
    assert_eq!(lab.statistics().conversations, 2);
}

/// A host that still has an earlier connection with these ports answers a SYN with what it expects of that one.
#[test]
fn an_acknowledgement_of_an_earlier_connection_counts_for_nothing() {
    let mut lab = Lab::new();
    lab.tcp(Side::A, Segment { syn: true, ..bytes(ISN[0], b"") });
    let expected = ISN[0] + 300_000_000;
    lab.tcp(Side::B, Segment { seq: 77, ..acks(expected) });
    lab.tcp(Side::A, Segment { rst: true, ..bytes(expected, b"") });
    lab.handshake();
    lab.a(0, b"abc");
    lab.ack(3);
    lab.finish();
    assert_eq!(lab.delivered().0, b"abc");
    let statistics = lab.statistics();
    assert_eq!((statistics.conversations, statistics.missing_bytes, statistics.ignored_segments), (1, 0, 0));
}

/// The capture lacks the answer to a SYN, and the bytes of the opener, whose acknowledgement shows the answer.
#[test]
fn an_opener_that_acknowledges_has_no_earlier_connection() {
    let mut lab = Lab::new();
    lab.tcp(Side::A, Segment { syn: true, ..bytes(ISN[0], b"") });
    lab.tcp(Side::A, Segment { seq: ISN[0] + 1, ..acks(ISN[1] + 1) });
    // It acknowledges 50 bytes, which are missing.
    lab.tcp(Side::B, Segment { ack: ISN[0] + 51, has_ack: true, ..bytes(ISN[1] + 1, b"abc") });
    lab.finish();
    let is_read = |event: &Event| matches!(event, Event::Data(_, Side::B, _, data, _) if data == b"abc");
    assert!(lab.events().iter().any(is_read));
    assert_eq!(lab.statistics().ignored_segments, 0);
}

#[test]
fn late_packets_of_a_closed_conversation() {
    let mut lab = Lab::open();
    lab.fin(0);
    lab.tcp(Side::B, Segment { fin: true, seq: ISN[1] + 1, ..acks(ISN[0] + 2) });
    lab.events();
    lab.tcp(Side::A, Segment { seq: ISN[0] + 2, ..acks(ISN[1] + 2) });
    lab.tcp(Side::A, Segment { rst: true, seq: ISN[0] + 2, ..Segment::default() });
    lab.tcp(Side::B, Segment { fin: true, seq: ISN[1] + 1, ..acks(ISN[0] + 2) });
    assert_eq!(lab.events(), []);
    lab.finish();
    assert_eq!(lab.events(), [Event::Closed(1)]);
    assert_eq!(lab.statistics().conversations, 1);
}

#[test]
fn ports_used_again() {
    let mut lab = Lab::open();
    lab.a(0, b"one");
    // A retransmitted SYN does not begin a new conversation.
    lab.tcp(Side::A, Segment { syn: true, ..bytes(ISN[0], b"") });
    assert_eq!(lab.events().len(), 1);
    lab.tcp(Side::A, Segment { syn: true, ..bytes(500_000, b"") });
    let reused = |side| end(1, side, End::Reused);
    assert_eq!(lab.events(), [reused(Side::A), reused(Side::B), Event::Closed(1)]);
    lab.tcp(Side::B, Segment { syn: true, seq: 600_000, ..acks(500_001) });
    lab.tcp(Side::A, bytes(500_001, b"two"));
    assert_eq!(lab.events(), [Event::Data(2, Side::A, 8, b"two".to_vec(), vec![0])]);
    assert_eq!(lab.statistics().reused, 1);
}

#[test]
fn ports_used_again_by_the_other_side_or_with_the_same_number() {
    let mut lab = Lab::open();
    lab.fin(0);
    lab.tcp(Side::B, Segment { fin: true, seq: ISN[1] + 1, ..acks(ISN[0] + 2) });
    lab.events();
    lab.handshake();
    lab.a(0, b"again");
    let again = Event::Data(2, Side::A, 9, b"again".to_vec(), vec![0]);
    assert_eq!(lab.events(), [Event::Closed(1), again]);
    lab.tcp(Side::B, Segment { syn: true, ..bytes(31, b"") });
    lab.tcp(Side::B, bytes(32, b"b opens"));
    // The sides are swapped now: A is the first sender.
    let b = Event::Data(3, Side::A, 11, b"b opens".to_vec(), vec![0]);
    assert_eq!(lab.events().pop(), Some(b));
}

/// The SYNs of the next connection are not in the capture.
#[test]
fn ports_used_again_without_a_syn() {
    let b = |seq| Segment { seq, ..acks(ISN[0] + 4) };
    let closed = || {
        let mut lab = Lab::open();
        lab.a(0, b"abc");
        lab.fin(3);
        lab.tcp(Side::B, Segment { fin: true, ..b(ISN[1] + 1) });
        lab.events();
        lab
    };
    for seq in [900_000u32, ISN[0] + 5, ISN[0].wrapping_sub(900_000)] {
        let mut lab = closed();
        lab.tcp(Side::A, bytes(seq, b"two"));
        let two = Event::Data(2, Side::A, 7, b"two".to_vec(), vec![0]);
        assert_eq!(lab.events(), [Event::Closed(1), two], "{seq}");
        assert_eq!((lab.statistics().reused, lab.statistics().ignored_segments), (1, 0));
    }
    // Bytes of the same connection again, an acknowledgement, a late RST.
    let mut lab = closed();
    lab.a(1, b"bc");
    lab.ack(4);
    lab.tcp(Side::A, Segment { rst: true, ..bytes(900_000, b"") });
    assert_eq!((lab.events(), lab.statistics().ignored_segments), (vec![], 0));
    // The other direction is still open: it may be the same connection.
    let mut lab = Lab::open();
    lab.fin(0);
    lab.events();
    lab.tcp(Side::A, bytes(900_000, b"two"));
    assert_eq!((lab.events(), lab.statistics().ignored_segments), (vec![], 1));
    lab.finish();
    assert_eq!(lab.recorder.losses[0].ignored, 1);
}

#[test]
fn syn_with_another_number_before_any_data() {
    let mut lab = Lab::open();
    lab.tcp(Side::A, Segment { syn: true, ..bytes(5_000, b"") });
    lab.tcp(Side::A, bytes(5_001, b"hi"));
    assert_eq!(lab.delivered().0, b"hi");
    assert_eq!(lab.statistics().conversations, 1);
}

#[test]
fn syn_ack_of_an_unseen_syn() {
    let mut lab = Lab::open();
    lab.tcp(Side::B, bytes(ISN[1] + 1, b"data"));
    lab.tcp(Side::B, Segment { syn: true, seq: 70_000, ..acks(8) });
    lab.tcp(Side::A, bytes(8, b"new"));
    let events = lab.events();
    assert_eq!(events.last(), Some(&Event::Data(2, Side::B, 6, b"new".to_vec(), vec![0])));
    lab.finish();
    // The opener is the receiver of the SYN-ACK: its direction ends first.
    assert_eq!(lab.events()[0], end(2, Side::B, End::Capture));
}

/// Nothing follows a FIN: neither bytes after it in its segment nor bytes held for later.
#[test]
fn bytes_after_a_fin_are_none() {
    let mut lab = Lab::open();
    lab.a(2, b"cd");
    lab.fin(4);
    lab.a(0, b"abcdXY");
    let data = Event::Data(1, Side::A, 6, b"abcd".to_vec(), vec![0, 2]);
    assert_eq!(lab.events(), [data, end(1, Side::A, End::Fin)]);
    // Bytes captured before the FIN at offsets after it.
    let mut lab = Lab::open();
    lab.a(2, b"cdXY");
    lab.fin(4);
    lab.a(0, b"ab");
    assert_eq!(lab.delivered().0, b"abcd");
    // Bytes captured after the FIN at offsets before and after it.
    let mut lab = Lab::open();
    lab.fin(4);
    lab.a(2, b"cdXY");
    lab.a(0, b"ab");
    assert_eq!(lab.delivered().0, b"abcd");
    lab.finish();
    assert_eq!(lab.statistics().missing_bytes, 0);
}
