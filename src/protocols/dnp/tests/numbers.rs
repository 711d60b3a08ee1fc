//! Numbered commands: repeats, gaps, the window, acknowledgements.

use super::*;

const NONE: [&str; 0] = [];

#[test]
fn copies() {
    let mut talking = Talking::connected();
    assert_eq!(talking.notes(C, "04 0000 61"), NONE);
    assert_eq!(talking.later(C, 249, "04 0000 61").codes(), ["dnp.duplicate"]);
    assert_eq!(talking.later(C, 250, "04 0000 61").codes(), ["dnp.retransmission"]);
    assert_eq!(talking.notes(S, "06 0000 01"), ["dnp.acknowledge_failed"]);
    assert_eq!(talking.notes(C, "04 0000 61"), ["dnp.retransmission"]);
    assert_eq!(talking.notes(C, "04 0000 62"), ["dnp.changed_copy"]);
    assert_eq!(talking.notes(C, "0a 0000 03 61"), ["dnp.changed_copy"]);
    assert_eq!(talking.notes(S, "06 0000 02"), NONE);
    assert_eq!(talking.notes(S, "06 0000 00"), ["dnp.acknowledges"]);
    assert_eq!(talking.notes(S, "06 0000 00"), ["dnp.acknowledge_repeated"]);
    assert_eq!(talking.notes(C, "06 0000 00"), ["dnp.acknowledge_unknown"]);
    assert_eq!(talking.notes(S, "06 0100 01"), ["dnp.acknowledge_unknown"]);
    assert_eq!(talking.notes(C, "02"), NONE);
    let mut talking = Talking::with(set(&["dnp.resend=20ms"]), 3413);
    talking.say(C, "04 0000 61");
    assert_eq!(talking.later(C, 9, "04 0000 61").codes(), ["dnp.duplicate"]);
    assert_eq!(talking.later(C, 10, "04 0000 61").codes(), ["dnp.retransmission"]);
}

#[test]
fn gaps_and_the_window() {
    let mut talking = Talking::connected();
    assert_eq!(talking.notes(C, "04 0900 61"), ["dnp.gap"]);
    assert_eq!(talking.notes(C, "04 0a00 61"), ["dnp.out_of_window"]);
    assert_eq!(talking.notes(C, "04 0000 61"), ["dnp.out_of_order"]);
    // The number of a broken command counts once it was read.
    assert_eq!(talking.notes(C, "05 0100"), ["dnp.out_of_order"]);
    assert_eq!(talking.notes(C, "04 02"), NONE);
    assert_eq!(talking.notes(C, "04 0b00 61"), NONE);
    assert_eq!(talking.notes(C, "04 0d00 61"), ["dnp.gap", "dnp.out_of_window"]);
    assert_eq!(talking.notes(C, "04 ffff 61"), ["dnp.number_65535"]);
    assert_eq!(talking.notes(C, "04 ffff 61"), ["dnp.number_65535"]);
    // Each direction has its own count.
    assert_eq!(talking.notes(S, "04 0000 61"), NONE);
}

/// The sender sends number 10 once it has the acknowledgement of 0: the capture lacks 0, not the receiver.
#[test]
fn a_number_past_the_window_blames_no_receiver() {
    let mut talking = Talking::connected();
    (1..10).for_each(|number| drop(talking.say(C, &format!("04 {number:02x}00 61"))));
    let row = talking.say(C, "04 0a00 61");
    let text = row.notes.iter().find(|(code, _)| *code == "dnp.out_of_window").map(|(_, text)| text.as_str());
    assert!(text.is_some_and(|text| text.contains("0, which the capture lacks")), "{row:?}");
}

/// The capture lacks command 5, which the receiver has: acknowledgements of numbers 10 or more past it show that.
#[test]
fn acknowledges_show_that_lower_numbers_have_arrived() {
    let mut talking = Talking::connected();
    for number in (0..40).filter(|number| *number != 5) {
        let expected: &[&str] = match number {
            6 => &["dnp.gap"],
            // Nothing so far shows that 5 has arrived.
            15 => &["dnp.out_of_window"],
            _ => &[],
        };
        assert_eq!(talking.notes(C, &format!("04 {number:02x}00 61")), expected, "{number}");
        assert_eq!(talking.notes(S, &format!("06 {number:02x}00 00")), ["dnp.acknowledges"], "{number}");
    }
    // Another connection begins anew.
    talking.say(C, "02");
    talking.say(C, "0001000000");
    talking.say(S, "01000000");
    assert_eq!(talking.notes(C, "04 0a00 61"), ["dnp.gap", "dnp.out_of_window"]);
}

#[test]
fn numbers_wrap_at_65535() {
    let mut talking = Talking::new();
    assert_eq!(talking.notes(C, "04 fdff 61"), NONE);
    assert_eq!(talking.notes(C, "04 feff 61"), NONE);
    assert_eq!(talking.notes(C, "04 0000 61"), NONE);
    assert_eq!(talking.notes(C, "04 0200 61"), ["dnp.gap"]);
    assert_eq!(talking.notes(C, "04 feff 61"), ["dnp.duplicate"]);
    // Before the first number seen: the count may have begun earlier.
    assert_eq!(talking.notes(C, "04 f0ff 61"), ["dnp.out_of_order"]);
    assert_eq!(talking.notes(C, "04 0b00 61"), ["dnp.gap", "dnp.out_of_window"]);
}

#[test]
fn numbers_far_below_are_forgotten() {
    let mut talking = Talking::connected();
    assert_eq!(talking.notes(C, "04 0000 61"), NONE);
    assert_eq!(talking.notes(C, "04 ff7f 61"), ["dnp.gap", "dnp.out_of_window"]);
    assert_eq!(talking.notes(C, "04 0000 61"), ["dnp.duplicate"]);
    // 32768 lower: the same number on the wire is a new one, far ahead.
    assert_eq!(talking.notes(C, "04 0080 61"), NONE.iter().copied().chain(["dnp.out_of_window"]).collect::<Vec<_>>());
    assert_eq!(talking.notes(C, "04 0000 61"), ["dnp.gap", "dnp.out_of_window"]);
}

#[test]
fn a_long_conversation_stays_quiet() {
    let mut talking = Talking::connected();
    for n in 0..70_000u32 {
        let number = (n % 65535) as u16;
        let [low, high] = number.to_le_bytes();
        assert_eq!(talking.notes(C, &format!("04{low:02x}{high:02x}61")), NONE);
        assert_eq!(talking.notes(S, &format!("06{low:02x}{high:02x}00")), ["dnp.acknowledges"]);
    }
}
