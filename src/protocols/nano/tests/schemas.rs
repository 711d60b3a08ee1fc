//! Payloads by the user's schemas.

use super::super::NANO;
use super::lines;
use crate::dissect::{Dissector, Line, Role};
use crate::protocols::tests::options;
use serde_json::{Value as Json, json};

/// Payloads with a schema are written and read, compressed or not, by route or by code.
#[test]
fn payloads_by_schema() {
    let text = include_str!("../../../../fixtures/schemas/nano.toml");
    let mut schemas = crate::codec::schema::Schemas::default();
    schemas.add("nano.toml", text, &|_| Some(NANO.facts.encodings)).unwrap();
    let mut options = options(&["-s", "nano.dict={\"pong\":5}"]);
    options.schemas = schemas.into();
    let write = |message, fields: Json, derived: Option<Json>| {
        let (proto, version, from, flow, broken) = ("nano", None, Role::Unknown, 0, false);
        let line = Line {
            message,
            proto,
            version,
            from,
            flow,
            fields: &fields,
            derived: derived.as_ref(),
            packet: None,
            part: None,
            broken,
        };
        NANO.encoder(&options).encode(&line)
    };
    let payload = json!({"content": "hello ".repeat(20)});
    for fields in [
        json!({"route": "pong", "payload": payload}),
        json!({"route_code": "5", "payload": payload}),
        json!({"route_code": 5, "flags": ["route_code", "compressed"], "payload": payload}),
        json!({"route": "pong", "flags": "compressed", "payload": payload}),
        // The same flag as a number.
        json!({"route": "pong", "flags": 16, "payload": payload}),
        json!({"route": "pong", "flags": [16], "payload": payload}),
        json!({"route": "pong", "flags": "16", "payload": payload}),
    ] {
        let bytes = write("push", fields.clone(), None).unwrap();
        let seen = lines(&bytes, &options).remove(0);
        assert_eq!((&seen.derived()["payload"], seen.fault.is_some()), (&payload, false), "{fields}");
        let packed = fields.get("flags").is_some();
        assert_eq!((seen.derived().get("inflated").is_some(), bytes.len() < 60), (packed, packed), "{fields}");
        assert!(seen.notes.is_empty(), "{:?}", seen.notes);
    }
    // A response has the route of its request. An error has its own form.
    let route = Some(json!({"route": "TestHandler.Ping"}));
    let pong = write("response", json!({"id": 1, "payload": {"content": "x"}}), route).unwrap();
    assert_eq!(hex::encode(&pong), "040000050401120178");
    let ping = write("request", json!({"id": 1, "route": "TestHandler.Ping", "payload": ""}), None).unwrap();
    let both = lines(&[ping.clone(), pong.clone()].concat(), &options);
    assert_eq!(both[0].derived(), json!({"payload": {}}));
    assert_eq!(both[1].derived()["payload"], json!({"content": "x"}));
    let mut error = pong.clone();
    error[4] |= 0x20;
    assert_eq!(lines(&[ping, error].concat(), &options)[1].derived().get("payload"), None);
    // Without its request, a response has no schema.
    assert_eq!(lines(&pong, &options)[0].derived(), Json::Null);
    let wrong = |fields| write("push", fields, None).unwrap_err().to_string();
    assert_eq!(
        wrong(json!({"route": "q", "payload": {"content": "x"}})),
        "payload: expected hex: no schema has such a payload"
    );
    assert_eq!(wrong(json!({"route": "pong", "payload": {"content": 1}})), "payload.content: expected text, got 1");
    assert!(wrong(json!({"route_code": 5, "flags": [], "payload": "00"})).starts_with("route: required"));
}
