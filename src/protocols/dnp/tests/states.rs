//! Links: offers, answers, and the types of updates.

use super::*;
use serde_json::json;

const NONE: [&str; 0] = [];
/// Number 0, link 1: one uint8.
const OFFER: &str = "05 0000 0100 00 0000 0100 01 07";

fn value(sent: &Row) -> Json {
    sent.fields["links"][0]["values"][0]["value"].clone()
}

#[test]
fn an_accepted_offer_has_the_types() {
    let mut talking = Talking::connected();
    let sent = talking.say(S, "09 01 0100 01 0000 05");
    assert_eq!((sent.codes(), sent.fault), (vec!["dnp.unknown_types"], None));
    assert_eq!(sent.fields["unparsed"], json!("05"));
    // Without values no types are needed. Without bytes after the values nothing is unparsed.
    assert_eq!(talking.notes(S, "09 01 0100 00"), NONE);
    let sent = talking.say(S, "09 01 0100 01 0000");
    assert_eq!(
        sent.fields,
        json!({"link_count": 1, "links": [{"link_id": 1, "value_count": 1, "values": [{"index": 0}]}]})
    );
    assert_eq!(sent.encoded(&talking.conversation.options).map(hex::encode), Ok("09010100010000".into()));

    talking.say(C, OFFER);
    let sent = talking.say(C, "09 01 0100 01 0000 05");
    assert_eq!((value(&sent), sent.codes()), (json!(5), vec!["dnp.link_up_missing"]));
    assert_eq!(sent.derived, Some(json!({"links": [{"values": [{"type": "uint8"}]}]})));
    // No side can accept its own offer.
    assert_eq!(talking.notes(C, "07 0100"), ["dnp.link_unknown"]);
    assert_eq!(talking.notes(S, "07 0100"), ["dnp.link_accepted"]);
    assert_eq!(talking.notes(S, "07 0100"), NONE);
    for side in [C, S] {
        assert_eq!(talking.notes(side, "09 01 0100 01 0000 05"), NONE);
    }
    let sent = talking.say(C, "09 01 0100 01 0100 05");
    assert_eq!((sent.codes(), sent.fault.is_some()), (vec!["dnp.index_out_of_range"], true));
    assert_eq!(talking.notes(C, "09 01 0100"), ["dnp.bare_link_id"]);
    assert_eq!(talking.notes(S, "08 0100"), ["dnp.link_ended"]);
    assert_eq!(talking.notes(S, "08 0100"), ["dnp.link_unknown"]);
    assert_eq!(talking.notes(S, "09 01 0100 01 0000 05"), ["dnp.unknown_types"]);
}

#[test]
fn copies_and_broken_ones_offer_nothing() {
    let mut talking = Talking::connected();
    talking.say(C, OFFER);
    assert_eq!(talking.notes(C, "05 0000 0100 00 0000 0100 03 0700"), ["dnp.changed_copy"]);
    assert_eq!(talking.notes(C, "05 0100 0200 00 0000 0200 01 07"), NONE);
    assert_eq!(talking.notes(S, "07 0200"), ["dnp.link_unknown"]);
    assert_eq!(value(&talking.say(C, "09 01 0100 01 0000 05")), json!(5));
    assert_eq!(talking.notes(S, "08 0100"), ["dnp.link_refused"]);
    talking.say(C, OFFER);
    assert_eq!(talking.notes(S, "07 0100"), ["dnp.link_unknown"]);
    // An offer with several flags, and with bytes after it, is still an offer.
    assert_eq!(talking.notes(C, "05 0200 0100 03 0000 0100 01 07 ff"), ["dnp.flags_ignored", "dnp.trailing_bytes"]);
    assert_eq!(talking.notes(S, "07 0100"), ["dnp.link_accepted"]);
    assert_eq!(talking.notes(C, "05 0300 0300 00 0000 0100 26"), ["dnp.unknown_type"]);
}

#[test]
fn both_sides_choose_from_the_same_ids() {
    let mut talking = Talking::connected();
    talking.say(C, OFFER);
    assert_eq!(talking.notes(S, "05 0000 0100 01 0000 0100 03 0700"), ["dnp.link_id_collision"]);
    // With two open offers, the link's types are ambiguous.
    assert_eq!(talking.notes(C, "09 01 0100 01 0000 05"), ["dnp.unknown_types"]);
    assert_eq!(talking.notes(C, "07 0100"), ["dnp.link_accepted"]);
    assert_eq!(value(&talking.say(S, "09 01 0100 01 0000 0500")), json!(5));
    assert_eq!(talking.notes(C, "09 01 0100 01 0000 0500"), ["dnp.read_only_update"]);
    assert_eq!(talking.notes(C, "09 01 0100 00"), NONE);
    assert_eq!(talking.notes(S, "05 0100 0100 00 0000 0100 01 07"), ["dnp.link_id_in_use", "dnp.link_id_collision"]);
    // The link in force still counts.
    assert_eq!(value(&talking.say(S, "09 01 0100 01 0000 0500")), json!(5));
    // An accepted offer replaces the old link.
    assert_eq!(talking.notes(S, "07 0100"), ["dnp.link_accepted"]);
    assert_eq!(value(&talking.say(S, "09 01 0100 01 0000 05")), json!(5));
}

#[test]
fn another_connection_has_other_links() {
    let mut talking = Talking::connected();
    talking.say(C, OFFER);
    talking.say(S, "07 0100");
    talking.say(C, "02");
    assert_eq!(talking.notes(S, "09 01 0100 01 0000 05"), ["dnp.after_close"]);
    talking.say(C, "0001000000");
    assert_eq!(talking.notes(S, "09 01 0100 01 0000 05"), ["dnp.before_acknowledge", "dnp.unknown_types"]);
}

#[test]
fn the_setting_comes_last() {
    let mut talking = Talking::with(set(&["dnp.types=1:uint16;2:uint16"]), 3413);
    talking.say(C, OFFER);
    talking.say(S, "07 0100");
    let sent = talking.say(C, "09 02 0100 01 0000 05 0200 01 0000 0600");
    assert_eq!(sent.fields["links"][1]["values"][0]["value"], json!(6));
    assert_eq!((value(&sent), sent.codes().len(), sent.fault), (json!(5), 0, None));
}

#[test]
fn many_values_are_noted() {
    let types = vec!["uint8"; 300].join(",");
    let mut talking = Talking::with(set(&[&format!("dnp.types=0:{types}")]), 3413);
    let values: String = (0..255).map(|k| format!("{k:02x}0000")).collect();
    assert_eq!(talking.notes(C, &format!("09 01 0000 ff {values}")), ["dnp.values_lost"]);
}

#[test]
fn programs_are_known_by_their_faults() {
    let mut talking = Talking::connected();
    // A vector of the Python library: the code of a float, and two of them.
    let sent = talking.say(C, "05 0000 0100 00 0000 0200 09 0000803f cdcc0040");
    assert_eq!(sent.codes(), ["dnp.python_vectors", "dnp.unknown_type"]);
    assert_eq!(talking.notes(C, "09 00 00"), ["dnp.specification_layout", "dnp.trailing_bytes"]);
    let sent = talking.say(C, "09 0100 0500 0100 01 07");
    assert_eq!((sent.codes(), sent.derived), (vec!["dnp.specification_layout", "dnp.trailing_bytes"], None));
}
