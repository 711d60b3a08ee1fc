//! Long messages: joined in any order, as a plain walk would join them.

use super::super::joined::{Chain, JoinedKind, follow};
use super::super::runs::{Marks, Runs};
use super::*;
use serde_json::json;
use std::collections::BTreeMap;

const NONE: [&str; 0] = [];

#[test]
fn parts_are_joined_in_any_order() {
    let mut talking = Talking::connected();
    assert_eq!(talking.say(C, "0a 0300 02 64").derived, None);
    assert_eq!(talking.say(C, "0a 0000 01 61").derived, None);
    assert_eq!(talking.say(C, "0a 0100 00 62").derived, None);
    // A number that belongs to another command is skipped, but completes nothing.
    assert_eq!(talking.say(C, "04 0200 63").derived, None);
    assert_eq!(talking.notes(C, "0a 0300 02 64"), ["dnp.duplicate"]);
    assert_eq!(talking.say(C, "0a 0400 03 65").derived, Some(json!({"message": "65", "parts": 1})));
    assert_eq!(talking.notes(C, "0a 0500 00 66"), ["dnp.orphan_part"]);
    talking.say(C, "0a 0600 01 67");
    talking.say(C, "0b 0700 0000 02 0000");
    assert_eq!(talking.notes(C, "0a 0800 01 68"), ["dnp.long_message_dropped"]);
    assert_eq!(talking.say(C, "0a 0900 02 69").derived, Some(json!({"message": "6869", "parts": 2})));
    // Nothing is joined across a broken part.
    talking.say(C, "0a 0a00 01 61");
    assert_eq!(talking.notes(C, "0a 0b00"), NONE);
    assert_eq!(talking.notes(C, "0a 0c00 00 61"), NONE);
    let sent = talking.say(C, "0a 0d00 02 61");
    assert_eq!((&sent.derived, sent.codes().len()), (&None, 0));
    assert_eq!(talking.notes(S, "0a 0000 02 61"), ["dnp.orphan_part"]);
}

#[test]
fn parts_before_the_capture_make_orphans() {
    let mut talking = Talking::new();
    assert_eq!(talking.notes(C, "0a 0500 00 61"), ["dnp.orphan_part"]);
    assert_eq!(talking.notes(C, "0a 0700 00 61"), ["dnp.gap"]);
    assert_eq!(talking.notes(C, "0a 0600 02 61"), ["dnp.out_of_order", "dnp.orphan_part"]);
}

#[test]
fn long_link_states_offer() {
    let mut talking = Talking::connected();
    // One count and values over both parts; read_only is the first part's, link_id the last one's.
    talking.say(C, "0b 0000 0100 03 0100 61 0200 01 07 03");
    let sent = talking.say(C, "0b 0100 0200 04 0100 62 0900");
    let values = json!([{"type": "uint8", "value": 7}, {"type": "uint16", "value": 9}]);
    assert_eq!(sent.derived, Some(json!({"message": "6162", "parts": 2, "values": values})));
    assert_eq!(talking.notes(S, "07 0100"), ["dnp.link_unknown"]);
    assert_eq!(talking.notes(S, "07 0200"), ["dnp.link_accepted"]);
    assert_eq!(talking.notes(S, "09 01 0200 01 0100 0500"), ["dnp.read_only_update"]);
    // A count and values in each part.
    talking.say(C, "0b 0200 0300 02 0000 0100 01 07");
    let sent = talking.say(C, "0b 0300 0300 04 0000 0200 03 0900 00 ff");
    let values = json!([{"type": "uint8", "value": 7}, {"type": "uint16", "value": 9}, {"type": "sint8", "value": -1}]);
    assert_eq!(sent.derived, Some(json!({"message": "", "parts": 2, "values": values})));
    assert_eq!(talking.notes(S, "07 0300"), ["dnp.link_accepted"]);
    // Neither form.
    for data in ["", "0100", "0100 26 00", "0100 01 07 07"] {
        let mut talking = Talking::connected();
        let sent = talking.say(C, &format!("0b 0000 0100 06 0000 {data}"));
        assert_eq!(sent.codes(), ["dnp.values_unreadable"], "{data}");
        assert_eq!(sent.derived, Some(json!({"message": "", "parts": 1})));
        assert_eq!(talking.notes(S, "07 0100"), ["dnp.link_unknown"]);
    }
}

#[test]
fn long_messages_of_old_engines_are_known() {
    let mut talking = Talking::connected();
    let full = "61".repeat(1357);
    assert_eq!(talking.notes(C, &format!("04 0000 01 {full}")), NONE);
    assert_eq!(talking.notes(C, &format!("04 0100 00 {full}")), NONE);
    assert_eq!(talking.notes(C, &format!("04 0100 00 {full}")), ["dnp.duplicate"]);
    assert_eq!(talking.notes(C, "04 0200 02 61"), ["dnp.old_long_message"]);
    assert_eq!(talking.notes(C, "04 0300 02 61"), NONE);
}

/// A plain walk, with which the runs are compared.
fn walk(seen: &BTreeMap<i64, Option<(bool, bool)>>, number: i64) -> Chain {
    let flags = |n: i64| seen.get(&n).copied();
    let mut begin = number;
    loop {
        match flags(begin) {
            None => return Chain::Open,
            Some(Some((_, true))) if begin != number => return Chain::Orphan,
            Some(Some((true, _))) => break,
            _ if begin == 0 => return Chain::Orphan,
            _ => begin -= 1,
        }
    }
    let mut end = begin;
    loop {
        match flags(end) {
            None => return Chain::Open,
            Some(Some((true, _))) if end != begin => return Chain::Open,
            Some(Some((_, true))) => return Chain::Whole(begin, end),
            _ => end += 1,
        }
    }
}

#[test]
fn runs_join_as_a_walk_does() {
    let mut state = 99u64;
    let mut random = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    let mut whole = 0;
    for _ in 0..3000 {
        let (mut runs, mut seen) = (Runs::default(), BTreeMap::new());
        for _ in 0..30 {
            let number = random(16) as i64;
            if seen.contains_key(&number) {
                continue;
            }
            let part = (random(4) > 0).then(|| (random(4) == 0, random(4) == 0));
            let marks = part.map_or(Marks::default(), |(first, last)| Marks::part(number, first, last));
            seen.insert(number, part);
            let around = runs.insert(number, [marks, Marks::default()]);
            let Some((first, last)) = part else { continue };
            let chain = follow(number, first, last, JoinedKind::Message, &around, 0);
            assert_eq!(chain, walk(&seen, number), "{number} in {seen:?}");
            whole += matches!(chain, Chain::Whole(..)) as usize;
        }
    }
    assert!(whole > 1000, "{whole}");
}
