//! Numbers that are points in time.

use crate::described::words::{encoded, fields, plain};
use serde_json::json;

#[test]
fn numbers_are_shown_as_times() {
    let unix = "a = { type = \"u32\", time = \"unix\" }\nb = { type = \"i32le\", time = \"unix\" }";
    assert_eq!(
        plain(unix, b"\x6b\x01\x08\x9c\xff\xff\xff\xff"),
        json!({"a": "2026-11-21T02:57:32Z", "b": "1969-12-31T23:59:59Z"})
    );
    let millis = "a = { type = \"u64\", time = \"unix_ms\" }\nb = { type = \"i64[u8]\", time = \"unix_ms\" }";
    let packet = [&1_795_229_852_007u64.to_be_bytes()[..], b"\x01", &(-1i64).to_be_bytes()].concat();
    assert_eq!(plain(millis, &packet), json!({"a": "2026-11-21T02:57:32.007Z", "b": ["1969-12-31T23:59:59.999Z"]}));
    // What means no time is shown as a number.
    assert_eq!(plain(millis, &[0xff; 8].iter().chain(b"\0").copied().collect::<Vec<_>>())["a"], json!(u64::MAX));
}

#[test]
fn times_of_ntp() {
    let ntp = "a = { type = \"u64\", time = \"ntp\" }\nb = { type = \"u8\", if = \"a == 0\" }";
    for (hex, value) in [
        ("0000000000000000ff", json!({"a": 0, "b": 255})),
        ("8000000000000000", json!({"a": "1968-01-20T03:14:08.0000000000Z"})),
        ("eb21a0de80000001", json!({"a": "2025-01-02T23:33:50.5000000002Z"})),
        ("0000000000000001", json!({"a": "2036-02-07T06:28:16.0000000002Z"})),
    ] {
        assert_eq!(plain(ntp, &hex::decode(hex).unwrap()), value, "{hex}");
    }
}

#[test]
fn encode_takes_a_time_or_a_number() {
    let file = "protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\na = { type = \"u32\", time = \"unix\" }\n\
        b = { type = \"u64\", time = \"ntp\", default = 0 }\n";
    let written = |a| encoded(file, &json!({"a": a})).map(hex::encode);
    assert_eq!(written(json!("1970-01-02")), Ok("000151800000000000000000".into()));
    assert_eq!(written(json!(7)), Ok("000000070000000000000000".into()));
    for wrong in ["1969-12-31T23:59:59Z", "2026-11-21T02:57:32.5Z", "yesterday"] {
        let why = written(json!(wrong)).unwrap_err();
        assert!(why.starts_with("a: "), "{why}");
    }
    let why = encoded(file, &json!({"a": 0, "b": "2200-01-01"})).unwrap_err();
    assert!(why.contains("b: expected a time in UTC, such as 2026-11-24T14:00:53.0000000000Z"), "{why}");
    let packet = [&[0; 4][..], &[0xff; 8]].concat();
    assert_eq!(fields(file, &packet), json!({"a": "1970-01-01T00:00:00Z", "b": "2036-02-07T06:28:15.9999999998Z"}));
}
