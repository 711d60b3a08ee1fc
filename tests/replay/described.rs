//! Protocols of files: numbers, acknowledgements and values of the session are live.

use crate::common::netkit;
use crate::delivery::delivered;
use crate::stage::{Stage, conversation};
use std::net::UdpSocket;
use std::time::Duration;

const MYGAME: &str = "described/tutorial/mygame.pcap";
const FILE: &str = "described/tutorial/3.toml";

#[test]
fn against_themselves() {
    for (path, file) in
        [(MYGAME, FILE), ("described/enet.pcap", "protocols/enet.toml"), ("described/kcp.pcap", "protocols/kcp.toml")]
    {
        let stage = Stage { file: Some(file), ..Stage::default() };
        delivered(path, &conversation(path, 1, &stage), &stage);
    }
}

/// Messages with an acknowledgement are resent until they have arrived.
#[test]
fn through_a_bad_network() {
    for seed in 0..8 {
        let stage = Stage { lossy: Some(seed), file: Some(FILE), ..Stage::default() };
        delivered(MYGAME, &conversation(MYGAME, 1, &stage), &stage);
    }
}

/// A server that shares no code with netkit. It does not answer the first transmission of the number 44.
fn server(socket: &UdpSocket) -> Vec<(u8, u32)> {
    let (mut seen, mut buffer, mut silent, mut greeted) = (Vec::new(), [0; 512], true, false);
    socket.set_read_timeout(Some(Duration::from_secs(2))).expect("a timeout");
    while let Ok((length, from)) = socket.recv_from(&mut buffer) {
        let bytes = &buffer[..length];
        let number = u32::from(u16::from_be_bytes([bytes[1], bytes[2]]));
        let say = |bytes: &[u8]| socket.send_to(bytes, from).expect("sent");
        match bytes[0] {
            1 => {
                let token = u32::from_be_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]);
                seen.push((1, token));
                say(&[&[2][..], &bytes[1..5]].concat());
            }
            7 | 9 => {
                seen.push((bytes[0], number));
                if number != 44 || !std::mem::take(&mut silent) {
                    say(&[8, bytes[1], bytes[2]]);
                }
                if number == 44 && !std::mem::replace(&mut greeted, true) {
                    say(b"\x07\x00\x07\x07welcome");
                }
            }
            kind => seen.push((kind, number)),
        }
        if seen.contains(&(7, 46)) && !silent && seen.iter().filter(|one| one.1 == 44).count() == 2 {
            break;
        }
    }
    seen
}

#[test]
fn to_a_server() {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let at = socket.local_addr().expect("its address").to_string();
    let (seen, done) = std::thread::scope(|scope| {
        let serving = scope.spawn(|| server(&socket));
        let [capture, file] = [MYGAME, FILE].map(|name| format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR")));
        let args = ["replay", &capture, "-p", &file, "--to", &at, "--asap", "-f", "ndjson"];
        let done = netkit(&args).output().expect("runs");
        (serving.join().expect("the server"), done)
    });
    let report = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    // The recording lacks the number 45 and has 46 and 47: live numbers have no gap.
    let mut numbered: Vec<_> = seen.iter().copied().filter(|(kind, _)| [7, 9].contains(kind)).collect();
    assert_eq!(numbered.iter().filter(|one| one.1 == 44).count(), 2, "{seen:?}: {report}");
    numbered.dedup();
    numbered.sort_by_key(|one| one.1);
    numbered.dedup();
    assert_eq!(numbered, [(7, 42), (9, 43), (9, 44), (9, 45), (7, 46)], "{report}");
    assert_eq!(
        seen.iter().filter(|one| one.0 == 8).collect::<Vec<_>>(),
        [&(8, 7)],
        "the welcome is acknowledged: {report}"
    );
    assert_eq!(seen.iter().filter(|one| one.0 == 1).count(), 2, "{seen:?}");
    assert!(report.contains("\"resent\":1"), "{report}");
    assert_eq!(done.status.code(), Some(0), "{report}");
}
