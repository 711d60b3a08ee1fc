//! DNP's port is only a hint: the traffic has to be DNP, on this port and elsewhere.

use super::{Wire, dissect, ends};

/// The protocols of the messages of one conversation on this port; `sent` returns the datagrams that both sides send in
/// the `n`th turn.
fn claimed(port: u16, sent: impl Fn(u8) -> [Vec<u8>; 2]) -> Vec<&'static str> {
    let mut wire = Wire::default();
    let [client, mut server] = ends(0);
    server.set_port(port);
    for n in 0..12 {
        let [one, other] = sent(n);
        wire.datagram([client, server], true, &one);
        wire.datagram([client, server], false, &other);
    }
    let (found, _) = dissect(wire.file());
    found.0.into_iter().map(|(_, proto, _)| proto).collect()
}

#[test]
fn numbers_and_acknowledges_that_agree_are_its() {
    for port in [3413, 40_000] {
        assert_eq!(claimed(port, |n| [vec![4, n, 0, 1, 2, 3], vec![6, n, 0, 0]]), ["dnp"; 24], "{port}");
    }
}

/// Small opcodes in a valid form: other protocols send them on this port, too.
#[test]
fn two_commands_in_their_form_are_not() {
    // An acknowledgement of another message, and of this one, again and again.
    for acknowledgement in [[6, 9, 0, 0], [6, 5, 0, 0]] {
        assert_eq!(claimed(3413, |_| [vec![4, 5, 0, 1, 2, 3], acknowledgement.to_vec()]), [""; 0]);
    }
    // Numbers that increase, and an acknowledgement that does not.
    assert_eq!(claimed(3413, |n| [vec![4, n, 0, 1, 2, 3], vec![6, 0, 0, 0]]), [""; 0]);
}

#[test]
fn one_command_or_broken_ones_are_not() {
    for sent in [
        // The same command each time.
        [&[4, 5, 0, 1, 2, 3][..], &[4, 6, 0, 1, 2, 3]],
        [&[3, 1, 2, 3], &[3, 4, 5, 6]],
        // Commands of one size, too short for their type.
        [&[7], &[8]],
        [&[7, 1], &[8, 1]],
        // Commands that do not exist.
        [&[12, 1, 0, 0], &[200, 1, 0, 0]],
    ] {
        assert_eq!(claimed(3413, |_| sent.map(<[u8]>::to_vec)), [""; 0], "{sent:?}");
    }
}
