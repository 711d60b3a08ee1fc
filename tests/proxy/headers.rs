//! Edits of a described protocol whose headers are shown; a server checks the derived fields.
#![cfg(unix)]

use crate::common::Receive;
use crate::proxy::command::{Proxy, lines, sockets};

const FILE: &str = r#"
protocol = "mygame"
encoding = "be"

[packet.fields]
kind    = { type = "u8", hidden = true }
seq     = "u16"
length  = "u8"
message = { type = "message", by = "kind", size = "length" }
sum     = { type = "crc32", over = "before" }

[numbers.all]
number = "packet.seq"

[[message]]
id = 7
name = "chat"
[message.fields]
hp   = "u8"
text = "text"
"#;

fn packet(seq: u16, hp: u8, text: &str) -> Vec<u8> {
    let [high, low] = seq.to_be_bytes();
    let mut bytes = [&[7, high, low, text.len() as u8 + 1, hp][..], text.as_bytes()].concat();
    let mut crc = flate2::Crc::new();
    crc.update(&bytes);
    bytes.extend(crc.sum().to_be_bytes());
    bytes
}

/// Header and fields are edited together; derived fields follow, also if they are shown.
#[test]
fn headers_and_fields_are_edited_together() {
    let file = std::env::temp_dir().join(format!("netkit-headers-{}.toml", std::process::id()));
    std::fs::write(&file, FILE).unwrap();
    let rules =
        ["message == chat: text='much longer than before'", "hp > 20: packet.seq=700, hp=1", "seq == 3: seq=900"];
    let [server, client] = sockets();
    let on: Vec<&str> = rules.iter().flat_map(|rule| ["--on", rule]).collect();
    let named = ["-p", file.to_str().unwrap(), "--transport", "udp", "-f", "ndjson", "--fail-on", "not_applied > 0"];
    let proxy = Proxy::start(&server, &[&named[..], &on].concat());
    client.connect(&proxy.at).unwrap();
    let mut buffer = [0; 128];
    for seq in 1..=30u16 {
        client.send(&packet(seq, seq as u8, "short")).unwrap();
        let length = server.receive(&mut buffer).unwrap();
        let (number, hp) = match seq {
            21.. => (700, 1),
            3 => (900, 3),
            _ => (seq, seq as u8),
        };
        assert_eq!(buffer[..length], packet(number, hp, "much longer than before"), "{seq}");
    }
    let (out, reported) = proxy.end();
    std::fs::remove_file(&file).unwrap();
    let edited: Vec<_> = lines(&out).iter().map(|line| line["edited"].as_array().map_or(0, Vec::len)).collect();
    assert_eq!(edited.iter().sum::<usize>(), 30 + 10 * 2 + 1, "{reported}");
}
