//! Behaviour that needs several datagrams, and the lines that the encoder accepts and refuses.

use super::super::{ACKNEX, PORT};
use super::encoder;
use crate::capture::Time;
use crate::dissect::{Dissector, Line, Observation, Options, Role};
use crate::flow::{Side, Transport};
use crate::protocols::tests::{Conversation, Row, options};
use serde_json::{Value as Json, json};
use std::net::SocketAddr;

/// Reads datagrams of a conversation, each with its side, its time in microseconds and its length on the wire.
fn conversation(ports: [u16; 2], options: &Options, sent: &[(Side, i64, &str, usize)]) -> Vec<Row> {
    let ends = ports.map(|port| SocketAddr::from(([10, 0, 0, (port % 2) as u8 + 1], port)));
    let mut session = Conversation::new(&ACKNEX, Transport::Udp, ends, options.clone());
    let say = |(side, micros, hex, length): &(Side, i64, &str, usize)| {
        let bytes = hex::decode(hex).expect("hex");
        let time = Time::micros(micros / 1_000_000, (micros % 1_000_000) as u32);
        session.datagram(*side, time, &bytes, (*length).max(bytes.len()))
    };
    sent.iter().flat_map(say).collect()
}

#[test]
fn ports_show_the_server_one_test_after_the_other() {
    let none = crate::protocols::options();
    let from =
        |ports, options: &Options| conversation(ports, options, &[(Side::A, 0, "0a0500010000060000", 0)])[0].from;
    assert_eq!(from([PORT, 5000], &none), Role::Server);
    assert_eq!(from([2301, PORT], &none), Role::Client);
    assert_eq!(from([2301, 5000], &none), Role::Server);
    assert_eq!(from([2301, 2302], &none), Role::Unknown);
    assert_eq!(from([5000, 6000], &none), Role::Unknown);
    let named = Options { ports: vec![(5000, "acknex".into())], ..crate::protocols::options() };
    assert_eq!(from([5000, PORT], &named), Role::Server);
    assert_eq!(from([5000, PORT], &options(&["--server", "10.0.0.1:2300"])), Role::Client);
}

#[test]
fn a_learned_direction_stays() {
    let sent = [(Side::A, 0, "0701000000", 0), (Side::B, 1, "0a0500010000060000", 0), (Side::A, 2, "07", 0)];
    let none = crate::protocols::options();
    let rows = conversation([5000, 6000], &none, &sent);
    // Neither a ping followed by something whole, nor a whole info.
    assert_eq!((rows[0].message, rows[0].from), ("unknown", Role::Unknown));
    assert!(rows[0].has_note("acknex.direction_unknown") && rows[0].fault.is_none());
    assert_eq!(rows[1].from, Role::Unknown);
    assert_eq!((rows[2].message, rows[2].from), ("ping", Role::Client));
    let rows = conversation([5000, 6000], &none, &[(Side::A, 0, "07", 0), (Side::B, 1, "0a0500010000060000", 0)]);
    assert_eq!(rows[1].from, Role::Server);
}

#[test]
fn a5_is_not_found_in_what_a_client_sends() {
    let info = "07181219113400006040000080 3d".replace(' ', "");
    let none = crate::protocols::options();
    let rows = conversation([PORT, 5000], &none, &[(Side::B, 0, &info, 0), (Side::A, 1, &info, 0)]);
    assert_eq!(rows[0].version, Some("a6"));
    let last = rows.last().expect("a line");
    assert_eq!((last.message, last.version), ("info", Some("a5")));
    assert!(last.has_note("acknex.version"));
}

#[test]
fn an_empty_datagram_is_no_line() {
    let none = crate::protocols::options();
    assert!(conversation([PORT, 5000], &none, &[(Side::B, 0, "", 0)]).is_empty());
    let skipped = options(&["-s", "acknex.skip=4"]);
    assert!(conversation([PORT, 5000], &skipped, &[(Side::B, 0, "01020304", 0)]).is_empty());
    let rows = conversation([PORT, 5000], &skipped, &[(Side::B, 0, "0102030407", 0)]);
    assert_eq!((rows[0].message, rows[0].bytes.as_slice(), rows[0].length), ("ping", &[7][..], 1));
}

#[test]
fn what_the_capture_cut_is_a_fault() {
    let none = crate::protocols::options();
    let rows = conversation([PORT, 5000], &none, &[(Side::A, 0, "04070003", 30)]);
    assert_eq!(rows.len(), 2);
    assert!(rows[0].fault.is_none());
    let fault = rows[1].fault.as_ref().expect("a fault");
    assert_eq!((fault.reason, rows[1].length), (crate::codec::fault::Reason::Cut, 27));
    let rows = conversation([PORT, 5000], &none, &[(Side::A, 0, "040700", 30)]);
    assert_eq!((rows.len(), rows[1].message), (2, "unknown"));
    rows[1].check(&mut *encoder());
}

#[test]
fn only_whole_datagrams_on_the_port_are_taken_for_acknex() {
    let none = crate::protocols::options();
    let sure = |ports: [u16; 2], hex: &str| {
        let ends = ports.map(|port| SocketAddr::from(([10, 0, 0, 1], port)));
        let bytes: Vec<_> = hex.split(' ').map(|hex| hex::decode(hex).expect("hex")).collect();
        let sent: Vec<_> = bytes.iter().map(|bytes| (Side::A, &bytes[..], bytes.len())).collect();
        let observation = Observation {
            transport: Transport::Udp,
            ends,
            payloads: &sent,
            begun: [true; 2],
            last: false,
            few: false,
            time: None,
            options: &none,
        };
        ACKNEX.identify(&observation).suffices(false)
    };
    assert!(sure([5000, PORT], "02426f6200"));
    // A server's updates: three quarters of all bytes begin one.
    assert!(!sure([PORT, 5000], "8107000004000000080000000c0000"));
    assert!(sure([PORT, 5000], "8107000004000000080000000c0000 070100000000 8207008000"));
    assert!(!sure([PORT, 5000], "800700 800800 800900 800a00"));
    assert!(sure([PORT, 5000], "010718121911ff"));
    assert!(!sure([5000, PORT], "0718121911ff"));
    assert!(!sure([5000, 2301], "02426f6200"));
    assert!(!sure([5000, PORT], "02426f62"));
    // An empty name is none to print.
    assert!(!sure([5000, PORT], "0964686e73627175 0903030101030100 0479787473 0200"));
    assert!(!sure([5000, PORT], "8107008000000001008001 00".replace(' ', "").as_str()));
}

fn encoded(message: &str, from: Role, fields: Json, derived: Option<Json>) -> Result<String, String> {
    let line = Line {
        message,
        proto: "acknex",
        version: None,
        from,
        flow: 0,
        fields: &fields,
        derived: derived.as_ref(),
        packet: None,
        part: None,
        broken: false,
    };
    encoder().encode(&line).map(hex::encode).map_err(|error| error.to_string())
}

#[test]
fn the_command_follows_from_the_fields_unless_it_is_given() {
    let server = Role::Server;
    assert_eq!(encoded("update2", server, json!({"entity": 7, "pan": 180}), None), Ok("8207008000".into()));
    let le = json!({"reading": {"angle": "le"}});
    assert_eq!(encoded("update2", server, json!({"entity": 7, "pan": 180}), Some(le)), Ok("8207000080".into()));
    let given = json!({"command": 0xff, "entity": 7, "pan": 90, "tilt": 0, "roll": 0});
    assert!(encoded("update2", server, given, None).is_err());
    let given = json!({"command": 0x80, "entity": 7, "pan": 90});
    assert_eq!(encoded("update2", server, given, None), Ok("8007004000".into()));
    let flags = json!({"entity": 7, "flags": ["invisible", 11, "cast"]});
    assert_eq!(encoded("update2", server, flags, None), Ok("a007000980".into()));
}

#[test]
fn out_of_range_is_refused() {
    let server = Role::Server;
    for fields in [
        json!({"entity": 40000}),
        json!({"entity": 7, "position": [70000, 0, 0]}),
        json!({"entity": 7, "position": [1, 2]}),
        json!({"entity": 7, "frame": {"current": 1, "fraction": 1.1, "next": 2}}),
        json!({"entity": 7, "flags": ["nonsense"]}),
        json!({"entity": 7, "flags": [7]}),
        json!({"entity": 7, "flags": [24]}),
        json!({"entity": 7, "nonsense": 1}),
    ] {
        assert!(encoded("update2", server, fields.clone(), None).is_err(), "{fields}");
    }
    let join = |name: &str| encoded("join", Role::Client, json!({"player_name": name}), None);
    assert_eq!(join("J\u{fc}rgen"), Ok("024afc7267656e00".into()));
    assert!(join("\u{20ac}").is_err() && join("a\0b").is_err());
    assert!(encoded("join", Role::Server, json!({"player_name": ""}), None).is_err());
    assert!(encoded("nonsense", Role::Server, json!({}), None).is_err());
}

#[test]
fn the_fields_show_who_sends_if_only_one_side_can() {
    let unknown = Role::Unknown;
    assert_eq!(encoded("join", unknown, json!({"player_name": "A"}), None), Ok("024100".into()));
    assert_eq!(encoded("create", unknown, json!({"entity": 1, "identifier": 2}), None), Ok("0301000200".into()));
    assert_eq!(encoded("var", unknown, json!({"index": 1, "values": [1.5]}), None), Ok("0a0100010000060000".into()));
    assert!(encoded("remove", unknown, json!({"entity": 1}), None).is_err());
}

#[test]
fn open_creates_count_as_memory() {
    let ends = [5000, PORT].map(|port| SocketAddr::from(([10, 0, 0, 1], port)));
    let mut session = Conversation::new(&ACKNEX, Transport::Udp, ends, crate::protocols::options());
    // No file name, three coordinates of three bytes, no action, and the identifier.
    let creates: Vec<u8> = (0..100).flat_map(|k| [&[3, 0][..], &[0; 9], &[0; 2], &[k, 0]].concat()).collect();
    let rows = session.datagram(Side::A, Time::default(), &creates, creates.len());
    assert!(rows.len() == 100 && rows.iter().all(|row| row.message == "create" && row.fault.is_none()));
    assert!(session.memory() > creates.len(), "{}", session.memory());
}
