//! Rules for a described protocol with several messages in a datagram: the other messages stay as they are, and what
//! all of them share follows.
#![cfg(unix)]

use crate::common::Receive;
use crate::proxy::command::{Proxy, lines, sockets};

const FILE: &str = r#"
protocol = "mygame"
encoding = "be"

[packet.fields]
seq    = "u16"
count  = "u8"
parts  = { type = "part[count]" }
sum    = { type = "crc32", over = "before" }

[struct.part]
kind = { type = "u8", hidden = true }
body = { type = "message", by = "kind" }

[[message]]
id = 1
name = "move"
[message.fields]
x = "u8"

[[message]]
id = 2
name = "chat"
[message.fields]
text = { type = "text", size = "u8" }
"#;

/// The parts as the peers write them.
fn step(x: u8) -> Vec<u8> {
    vec![1, x]
}

fn chat(text: &str) -> Vec<u8> {
    [&[2, text.len() as u8], text.as_bytes()].concat()
}

fn packet(seq: u16, parts: &[Vec<u8>]) -> Vec<u8> {
    let [high, low] = seq.to_be_bytes();
    let mut bytes = [&[high, low, parts.len() as u8][..], &parts.concat()].concat();
    let mut crc = flate2::Crc::new();
    crc.update(&bytes);
    bytes.extend(crc.sum().to_be_bytes());
    bytes
}

/// One of several messages is edited or removed, also the first of them, which comes after the packet's header.
#[test]
fn one_of_several_messages_is_changed() {
    let file = std::env::temp_dir().join(format!("netkit-several-{}.toml", std::process::id()));
    std::fs::write(&file, FILE).unwrap();
    let rules = [
        "text == short: text='much longer than before'",
        "text == secret: drop",
        "x == 13: drop",
        "x == 21: packet.seq=700, x=22",
    ];
    let [server, client] = sockets();
    let on: Vec<&str> = rules.iter().flat_map(|rule| ["--on", rule]).collect();
    let named = ["-p", file.to_str().unwrap(), "--transport", "udp", "-f", "ndjson", "--fail-on", "not_applied > 0"];
    let proxy = Proxy::start(&server, &[&named[..], &on].concat());
    client.connect(&proxy.at).unwrap();
    let mut buffer = [0; 256];
    let cases = [
        (packet(1, &[step(1), chat("same"), step(2)]), packet(1, &[step(1), chat("same"), step(2)])),
        (
            packet(2, &[step(1), chat("short"), step(2)]),
            packet(2, &[step(1), chat("much longer than before"), step(2)]),
        ),
        (packet(3, &[step(1), chat("secret"), step(2)]), packet(3, &[step(1), step(2)])),
        (packet(4, &[step(13), chat("short")]), packet(4, &[chat("much longer than before")])),
        (packet(5, &[step(1), step(13)]), packet(5, &[step(1)])),
        (packet(6, &[step(21), chat("same")]), packet(700, &[step(22), chat("same")])),
        (packet(7, &[chat("short")]), packet(7, &[chat("much longer than before")])),
    ];
    for (sent, want) in &cases {
        client.send(sent).unwrap();
        let length = server.receive(&mut buffer).unwrap();
        assert_eq!(hex::encode(&buffer[..length]), hex::encode(want), "{}", hex::encode(sent));
    }
    let (out, reported) = proxy.end();
    std::fs::remove_file(&file).unwrap();
    let count = |key: &str| lines(&out).iter().filter(|line| !line[key].is_null()).count();
    assert_eq!((count("edited"), count("not_edited")), (4, 0), "{reported}");
    assert!(reported.contains("16 messages arrived"), "{reported}");
}
