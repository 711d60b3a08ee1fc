//! Tests of the grammar, of the checks against tables, and of the effects on messages.

#![cfg(test)]

use super::value::Given;
use super::*;
use crate::dissect::{Options, Role};
use crate::message::OwnedMessage;
use crate::protocols;
use serde_json::{Value as Json, json};

fn options(schema: &str) -> Options {
    let mut options = protocols::options();
    if !schema.is_empty() {
        let mut schemas = crate::codec::schema::Schemas::default();
        schemas.add("t.toml", schema, &|proto| Some(protocols::by_name(proto)?.encodings())).unwrap();
        options.schemas = schemas.into();
    }
    options
}

const TEAM: &str = "proto = \"riptide\"\n[[message]]\nid = 7\nname = \"join\"\n[message.fields]\n\
                    name = \"string\"\nteam = \"byte\"\nhp = \"int\"\nfast = \"bool\"\nat = \"vector3\"\n";

fn parsed(text: &str) -> Result<Rule, String> {
    let options = options(TEAM);
    Rule::parse(text, &Names::new(&options)).map_err(|error| error.to_string())
}

/// Returns the error's first line, and the text that the caret marks.
fn wrong(text: &str) -> (String, String) {
    let options = options(TEAM);
    let error = Rule::parse(text, &Names::new(&options)).map(|_| ()).unwrap_err();
    (error.what, error.text.chars().skip(error.at).take(error.len).collect())
}

#[test]
fn all_forms() {
    let rule = parsed("message == reliable: after 10 once drop 30%").unwrap();
    assert_eq!((rule.after, rule.once), (10, true));
    assert!(matches!(rule.actions()[..], [Action::Drop(Some(share))] if share == 0.3));
    let rule =
        parsed("message_id == 7: delay 400ms,duplicate, payload.name='a, b: \\'c\\'', payload.team = 0x10").unwrap();
    let [Action::Delay(time), Action::Duplicate, Action::Set(name), Action::Set(team)] = rule.actions() else {
        panic!("{rule:?}")
    };
    assert_eq!((*time, &name.value), (Duration::from_millis(400), &Given::Quoted("a, b: 'c'".into())));
    assert_eq!((&*team.path, &team.value), ("payload.team", &Given::Word("0x10".into())));
    let rule = parsed("src == [::1]:7777: payload:={\"name\":\"x\", \"team\":1} , message_id=7").unwrap();
    assert!(matches!(&rule.actions()[0], Action::Set(a) if a.value == Given::Json(json!({"name": "x", "team": 1}))));
    assert_eq!(rule.actions().len(), 2);
    assert!(parsed("payload.name == \"a: b\": drop").is_ok(), "a colon in quotes");
    assert!(parsed("message == reliable: name=x").is_ok(), "a payload's field without its prefix");
    assert!(parsed("nano.request: payload.hp=3, json.hp=3, hp=3").is_ok(), "a payload without a schema");
}

#[test]
fn wrong_rules_are_refused_with_their_place() {
    let reported = |text: &str, what: &str, place: &str| {
        let (got, under) = wrong(text);
        assert!(got.contains(what), "{text}: {got}");
        assert_eq!(under, place, "{text}: {got}");
    };
    reported("message == reliable", "expected 'EXPR: ACTION, ...'", "");
    reported(" message == relable: drop", "did you mean \"reliable\"", "relable");
    reported("message == reliable: payload.name=\"x\" payload.team=99", "expected a comma", "payload.team");
    reported("message == reliable: payload.name=a b", "quote text that has spaces", "b");
    reported("message == reliable: payload.team=300", "team is a whole number from 0 to 255, got 300", "300");
    reported("message == reliable: payload.team=\"3\"", "team is a number", "\"3\"");
    reported("message == reliable: payload.fast=1", "fast is true or false", "1");
    reported("message == reliable: payload.tem=3", "did you mean \"team\"", "payload.tem");
    reported("team == 3: drop", "did you mean \"payload.team\"", "team");
    reported("message == reliable: payload=zz", "expected hex digits, got \"zz\"", "zz");
    reported("message == reliable: payload=012", "odd number of hex digits", "012");
    reported("message == reliable: number=3", "riptide.reliable has no field \"number\"", "number");
    reported("nano.heartbeat: payload.hp=3", "nano.heartbeat has no field \"hp\"", "payload.hp");
    // The content of a payload without a schema is unknown, but this is a field of the message itself.
    reported("nano.request: rout=x", "did you mean \"route\"", "rout");
    reported("message == reliable: derived.copy=3", "not on the wire", "derived.copy");
    reported("message == reliable: drop 130%", "a share from 0% to 100%", "130%");
    reported("message == reliable: drop 30", "a share from 0% to 100%", "30");
    reported("message == reliable: delay", "delay: ", "");
    reported("message == reliable: delay 2h", "delay: ", "2h");
    reported("message == reliable: after drop", "the number of messages to skip", "drop");
    reported(
        "message == reliable: drop, payload=00",
        "a dropped message cannot be changed",
        "message == reliable: drop, payload=00",
    );
    reported("message == reliable: drop,", "expected an action", "");
    reported("message == reliable: payload=", "expected a value", "");
    reported("message == reliable: payload.name=\"x", "the closing quote is missing", "\"");
    reported("message == reliable: payload:={\"a\":", "invalid JSON", "{");
    reported("riptide.heartbeat and dnp.link_update: number=3", "no message matches", "number");
}

#[test]
fn a_bare_expression_drops_where_that_is_asked() {
    let options = options("");
    let names = Names::new(&options);
    assert!(matches!(Rule::parse_drop("message == ack", &names).unwrap().actions(), [Action::Drop(None)]));
    assert!(matches!(Rule::parse_drop("message == ack: drop 5%", &names).unwrap().actions(), [Action::Drop(Some(_))]));
    assert!(Rule::parse("message == ack", &names).is_err());
}

fn made(rule: &str, kind: (&'static str, &'static str), fields: Json) -> Result<Json, String> {
    let options = options(TEAM);
    let names = Names::new(&options);
    let rule = Rule::parse(rule, &names).unwrap();
    let mut edits: Vec<&Assignment> = Vec::new();
    for action in rule.actions() {
        if let Action::Set(assignment) = action {
            edits.push(assignment);
        }
    }
    let decoded = OwnedMessage::new(kind.0, kind.1, Role::Client, fields);
    let (puts, changed) = edit(&edits, &decoded, &names)?;
    assert!(puts.iter().all(|put| put.is_in(&changed)));
    Ok(changed.to_json().clone())
}

#[test]
fn values_have_the_fields_type() {
    let reliable = ("riptide", "reliable");
    let fields = || json!({"sequence_id": 1, "message_id": 7, "payload": {"name": "a", "team": 1, "fast": false, "at": [1, 2, 3]}});
    let got = made("message_id == 7: name=99, payload.team=99, fast=true, at.y=2.5, message_id=8", reliable, fields());
    let want = json!({"sequence_id": 1, "message_id": 8,
        "payload": {"name": "99", "team": 99, "fast": true, "at": [1, 2.5, 3]}});
    assert_eq!(got.unwrap(), want);
    assert_eq!(made("message_id == 7: payload=0102", reliable, fields()).unwrap()["payload"], "0102");
    assert_eq!(made("message_id == 7: at[0]=5", reliable, fields()).unwrap()["payload"]["at"][0], 5.0);
    assert_eq!(made("message_id == 7: at=[4,5,6]", reliable, fields()).unwrap()["payload"]["at"], json!([4, 5, 6]));
    // The last of several values for a place is the one that counts, also inside another place.
    assert_eq!(made("message_id == 7: team=1, team=2", reliable, fields()).unwrap()["payload"]["team"], 2);
    let inside = made("message_id == 7: at=[4,5,6], at.y=2.5", reliable, fields()).unwrap();
    assert_eq!(inside["payload"]["at"], json!([4, 2.5, 6]));
    let list = made("message_id == 7: at=5", reliable, fields()).unwrap_err();
    assert!(list.contains("at is a list"), "{list}");
    // Another message of the same name has no such field, so nothing of it is changed.
    let none = made("message_id == 7: message_id=9, hp=5", reliable, fields()).unwrap_err();
    assert!(none.contains("no field \"hp\""), "{none}");
    let raw = made("message == reliable: name=x", reliable, json!({"payload": "00"})).unwrap_err();
    assert!(raw.contains("no field \"name\""), "{raw}");
}

#[test]
fn enumerations_and_flags() {
    let welcome = ("riptide", "disconnect");
    assert_eq!(
        made("message == disconnect: reason=kicked", welcome, json!({"reason": "timed_out"})).unwrap()["reason"],
        "kicked"
    );
    let error = wrong("message == disconnect: reason=kickt").0;
    assert!(error.contains("did you mean \"kicked\""), "{error}");
    let request = ("nano", "request");
    let got = made("message == request: flags=error", request, json!({"flags": [], "id": 1}));
    assert_eq!(got.unwrap()["flags"], json!(["error"]));
    assert_eq!(made("message == request: id=77", request, json!({"id": 1})).unwrap()["id"], json!(77), "no text");
}

/// `>=` and `<=` contain their number.
#[test]
fn bounds_contain_what_they_say() {
    let tally = Tally { applied: 3, ..Tally::default() };
    for (bound, broken) in [
        ("applied > 3", false),
        ("applied > 2", true),
        ("applied >= 3", true),
        ("applied >= 4", false),
        ("applied < 3", false),
        ("applied < 4", true),
        ("applied <= 3", true),
        ("applied <= 2", false),
    ] {
        let bound: Bound = bound.parse().unwrap();
        assert_eq!(bound.broken([&tally]), broken.then_some(3), "{bound}");
    }
}
