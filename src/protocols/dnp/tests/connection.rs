//! Requests, answers, closes; the server's side; the recognition of DNP.

use super::*;
use crate::dissect::{Evidence, Observation, Role};

#[test]
fn requests_begin_and_repeat() {
    let mut talking = Talking::new();
    assert_eq!(talking.notes(C, "0001000000"), [""; 0]);
    assert_eq!(talking.notes(C, "0001000000"), ["dnp.request_repeated"]);
    assert_eq!(talking.notes(S, "04 0000 61"), ["dnp.before_acknowledge"]);
    assert_eq!(talking.notes(S, "01000000"), [""; 0]);
    assert_eq!(talking.notes(C, "0001000000"), ["dnp.request_while_connected"]);
    // A repeat changes nothing: number 0 is still known.
    assert_eq!(talking.notes(C, "06 0000 00"), ["dnp.acknowledges"]);
    assert_eq!(talking.notes(C, "04 0000 61"), [""; 0]);
    assert_eq!(talking.notes(C, "02"), ["dnp.unacknowledged"]);
    assert_eq!(talking.notes(C, "02"), ["dnp.after_close"]);
    assert_eq!(talking.notes(S, "06 0000 00"), ["dnp.after_close", "dnp.acknowledges"]);
    // Another connection counts from 0 again.
    assert_eq!(talking.notes(C, "0001000000"), [""; 0]);
    assert_eq!(talking.notes(S, "0102"), ["dnp.connection_refused"]);
    assert_eq!(talking.notes(C, "0001000000"), [""; 0]);
    assert_eq!(talking.notes(S, "01000000"), [""; 0]);
    assert_eq!(talking.notes(C, "04 0100 61"), ["dnp.gap"]);
    assert_eq!(talking.notes(S, "0c"), ["dnp.unknown_command"]);
    assert_eq!(talking.notes(C, "0261"), ["dnp.unacknowledged", "dnp.trailing_bytes"]);
}

#[test]
fn a_capture_of_one_direction_does_not_accuse_the_other_side() {
    for (answer, alone) in [(None, true), (Some("01000000"), false)] {
        let mut talking = Talking::new();
        talking.say(C, "0001000000");
        answer.into_iter().for_each(|answer| drop(talking.say(S, answer)));
        talking.say(C, "04 0000 61");
        let close = talking.say(C, "02");
        let (_, text) = close.notes.iter().find(|(code, _)| *code == "dnp.unacknowledged").expect("the note");
        assert_eq!(text.ends_with("; nothing of the other side was captured"), alone, "{text}");
    }
}

#[test]
fn messages_show_which_side_is_the_server() {
    let mut talking = Talking::with(crate::protocols::options(), 4000);
    assert_eq!(talking.say(S, "0361").from.name(), "unknown");
    // Complete or not.
    assert_eq!(talking.say(C, "00").from.name(), "client");
    assert_eq!(talking.say(S, "0361").from.name(), "server");
    assert_eq!(talking.say(C, "01").from.name(), "server");
    assert_eq!(talking.say(S, "0361").from.name(), "client");
    // A request outweighs the port, and the user's option outweighs both.
    let mut talking = Talking::new();
    assert_eq!(talking.say(S, "0361").from.name(), "server");
    assert_eq!(talking.say(S, "0001000000").from.name(), "client");
    let options = Options { server: "10.0.0.2:50000".parse().ok(), ..crate::protocols::options() };
    let mut talking = Talking::with(options, 3413);
    assert_eq!(talking.say(C, "0001000000").from.name(), "server");
    let options = Options { ports: vec![(4000, "dnp".into())], ..crate::protocols::options() };
    assert_eq!(Talking::with(options, 4000).say(C, "0361").from.name(), "client");
    let options = Options { from: Some(Role::Server), ..crate::protocols::options() };
    assert_eq!(dump(&[0, 1, 0, 0, 0], &options).map(|sent| sent.from), Some(Role::Server));
}

#[test]
fn the_first_datagrams_decide() {
    let options = crate::protocols::options();
    let by = |last: bool, port: u16, datagrams: &[&[u8]]| {
        let sent: Vec<_> = datagrams.iter().map(|d| (Side::A, *d, d.len())).collect();
        let observation = Observation {
            transport: Transport::Udp,
            ends: ends(port),
            payloads: &sent,
            begun: [true; 2],
            last,
            few: false,
            time: None,
            options: &options,
        };
        match DNP.identify(&observation) {
            enough if enough.suffices(false) => Some(true),
            Evidence::No => Some(false),
            _ => None,
        }
    };
    let sure = |port: u16, datagrams: &[&[u8]]| by(false, port, datagrams);
    let at_last = |port: u16, datagrams: &[&[u8]]| by(true, port, datagrams);
    // On the port a few commands are not enough: other protocols have small opcodes, and use the port too.
    assert_eq!(sure(3413, &[&[9, 0], &[7, 1, 0]]), None);
    assert_eq!(sure(3413, &[&[200, 7, 7], &[7, 1, 0], &[4, 0, 0, 1]]), None);
    assert_eq!(sure(3413, &[&[9, 0]]), None);
    assert_eq!(sure(3413, &[&[3, 0], &[3, 7], &[3]]), None);
    assert_eq!(sure(3413, &[&[200, 7, 7], &[9]]), None);
    // Small numbers begin like a request. The next datagrams decide, or that there are none.
    assert_eq!(sure(3413, &[&[0, 1, 0, 0, 0]]), None);
    assert_eq!(at_last(3413, &[&[0, 1, 0, 0, 0]]), Some(true));
    // A second byte that counts up is not a repeated request. The rest may still be DNP, from its middle.
    assert_eq!(at_last(4000, &[&[0, 1, 0, 0, 0], &[0, 2, 0, 0, 0]]), None);
    assert_eq!(at_last(4000, &[&[0, 1, 0, 0, 0]]), Some(true));
    assert_eq!(at_last(4000, &[&[], &[0, 4, 0, 0, 0, 1, 0, 2, 0, 3, 0]]), Some(true));
    assert_eq!(sure(4000, &[&[]]), None);
    for no in
        [&[0, 0, 0][..], &[0, 1, 0, 0, 0, 0], &[0, 1, 0, 0], &[0, 5, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0], &[1, 0, 0, 0]]
    {
        assert_ne!(at_last(4000, &[no, &[0, 1, 0, 0, 0]]), Some(true), "{no:?}");
    }
}

#[test]
fn a_cut_datagram_is_a_fault() {
    let options = crate::protocols::options();
    for (bytes, length) in [(&[][..], 5), (&[4, 0][..], 9), (&[4, 0, 0, 1][..], 9), (&[2][..], 3)] {
        let mut conversation = Conversation::new(&DNP, Transport::Udp, ends(3413), options.clone());
        let [row] = conversation.datagram(C, Time::default(), bytes, length).try_into().expect("one message");
        assert_eq!(row.fault.is_some(), bytes != [2], "{bytes:?}");
        assert_eq!(row.has_note("dnp.trailing_bytes"), bytes == [2]);
        assert_eq!(row.encoded(&options).as_deref(), Ok(bytes));
    }
}

/// A conversation of few byte values can rule out little.
#[test]
fn bytes_of_few_values_are_little_evidence() {
    let options = crate::protocols::options();
    let most = |datagrams: [&[u8]; 2]| {
        let observation = Observation {
            transport: Transport::Udp,
            ends: [5000, 5001].map(|port| ([10, 0, 0, 1], port).into()),
            payloads: &datagrams.map(|bytes| (Side::A, bytes, bytes.len())),
            begun: [true; 2],
            last: true,
            few: true,
            time: None,
            options: &options,
        };
        observation.most_bits(datagrams)
    };
    // Three bits for each length, and for each byte none, one, one and two.
    let all = [[0, 0, 0], [0, 1, 0], [0, 1, 2], [1, 2, 3]];
    assert_eq!(all.map(|second| most([&[0, 0, 0], &second])), [6, 12, 12, 18]);
}

/// A server in a connection accepts nothing: one that does was started again. A copy by the network arrives sooner.
#[test]
fn a_server_that_accepts_again_was_started_again() {
    for (millis, codes) in [(2_000, &["dnp.changed_copy"][..]), (4_000, &[][..])] {
        let mut talking = Talking::connected();
        talking.say(C, "04 0000 61");
        assert_eq!(talking.later(C, millis, "0001000000").codes(), ["dnp.request_while_connected"]);
        talking.say(S, "01000000");
        assert_eq!(talking.notes(C, "04 0000 62"), codes);
    }
}
