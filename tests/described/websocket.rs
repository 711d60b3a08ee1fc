//! A described protocol over WebSocket: plain and deflated messages, recognised by the URL's path.

use crate::common::{Scratch, Wire};
use crate::described::cases::lines;
use crate::described::run;
use flate2::{Compress, Compression, FlushCompress};
use serde_json::{Value as Json, json};

const FILE: &str = r#"
protocol = "webgame"
encoding = "le"

[websocket]
ports = [8090]
path  = "/webgame/socket"

[[message]]
id = 1
name = "hello"
from = "client"
[message.fields]
magic = { type = "bytes[4]", value = "57474d45", hidden = true }
name  = "string8"

[[message]]
id = 2
name = "state"
from = "server"
[message.fields]
magic    = { type = "bytes[4]", value = "57474d45", hidden = true }
entities = "entity[u16]"

[struct.entity]
id = "u16"
x  = { type = "i16", scale = 0.1 }
"#;

/// A frame, masked if a client sends it; `deflated` sets the bit for compression.
fn frame(client: bool, deflated: bool, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x82 | (deflated as u8) << 6];
    let mask = if client { 0x80 } else { 0 };
    match payload.len() {
        short @ 0..126 => frame.push(mask | short as u8),
        long => {
            frame.push(mask | 126);
            frame.extend((long as u16).to_be_bytes());
        }
    }
    let key = [7, 11, 13, 17];
    if client {
        frame.extend(key);
    }
    frame.extend(payload.iter().enumerate().map(|(k, byte)| if client { byte ^ key[k % 4] } else { *byte }));
    frame
}

/// Compresses a message by permessage-deflate: the state is kept from one message to the next.
fn deflate(state: &mut Compress, message: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len() + 64);
    state.compress_vec(message, &mut out, FlushCompress::Sync).expect("compressed");
    out.truncate(out.len() - 4);
    out
}

#[test]
fn deflated_messages_are_read_and_given_back() {
    let folder = Scratch::new("described-websocket");
    let file = folder.write("webgame.toml", FILE);
    let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:8090".parse().unwrap()];
    let extension = "Sec-WebSocket-Extensions: permessage-deflate\r\n";
    let upgrade = format!(
        "GET /webgame/socket?token=1 HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{extension}\r\n"
    );
    let answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n{extension}\r\n"
    );
    let mut state = Compress::new(Compression::default(), false);
    let entities: Vec<u8> = (0..80u16).flat_map(|k| [k.to_le_bytes(), (k * 5).to_le_bytes()].concat()).collect();
    let long = [&[2][..], b"WGME", &80u16.to_le_bytes(), &entities].concat();
    let mut sent = vec![
        (true, upgrade.into_bytes()),
        (false, answer.into_bytes()),
        (true, frame(true, false, b"\x01WGME\x03Ada")),
    ];
    // The second is shorter because the compressor remembers the first.
    let packed = [deflate(&mut state, &long), deflate(&mut state, &long)];
    assert!(packed[1].len() < packed[0].len() / 2 && packed[0].len() < long.len());
    sent.extend(packed.map(|packed| (false, frame(false, true, &packed))));
    let mut wire = Wire::default();
    wire.stream(ends, &sent);
    let capture = folder.write("webgame.pcap", wire.file());
    // The path alone identifies the protocol, so -p is not needed.
    for option in ["-p", "--protocol-file"] {
        let printed = run(&["decode", &capture, option, &file, "-f", "ndjson"]);
        let text = String::from_utf8(printed.stdout).unwrap();
        let printed: Vec<Json> = lines(&text).into_iter().filter(|line| line["proto"] == "webgame").collect();
        let names: Vec<&str> = printed.iter().map(|line| line["message"].as_str().unwrap()).collect();
        assert_eq!(names, ["hello", "state", "state"], "{option}: {text}");
        assert_eq!(printed[0]["fields"], json!({"name": "Ada"}));
        for state in &printed[1..] {
            let entities = state["fields"]["entities"].as_array().unwrap();
            assert_eq!((entities.len(), &entities[79]), (80, &json!({"id": 79, "x": 39.5})), "{state}");
            assert_eq!((&state["from"], &state["length"]), (&json!("server"), &json!(long.len())));
        }
    }
    let check = run(&["decode", &capture, "-p", &file, "--check"]);
    assert_eq!(check.status.code(), Some(0), "{}", String::from_utf8_lossy(&check.stderr));

    // A new capture has them in frames, too; with a framing for TCP, as well.
    let text = FILE.replace("[websocket]", "[tcp]\nports = [8089]\nframe = { length = \"u16\" }\n\n[websocket]");
    for file in [file, folder.write("both.toml", text)] {
        let decode = |capture: &str| {
            let printed = run(&["decode", capture, "-p", &file, "-f", "ndjson"]);
            String::from_utf8(printed.stdout).unwrap()
        };
        let printed = folder.write("webgame.ndjson", decode(&capture));
        let copy = folder.file("copy.pcap");
        let _ = std::fs::remove_file(&copy);
        let made = run(&["encode", "--json", &printed, "--protocol-file", &file, "--as", "pcap", "-o", &copy]);
        assert_eq!(made.status.code(), Some(0), "{}", String::from_utf8_lossy(&made.stderr));
        let messages = |text: &str| -> Vec<Json> {
            let own = lines(text).into_iter().filter(|line| line["proto"] == "webgame");
            own.map(|line| json!([line["message"], line["from"], line["fields"]])).collect()
        };
        let original = messages(&decode(&capture));
        assert_eq!((original.len(), messages(&decode(&copy))), (3, original));
    }
}

/// A file with both carriers: if the capture lacks the upgrade, the port decides.
#[test]
fn the_port_decides_the_carrier_of_a_stream_without_upgrade() {
    let folder = Scratch::new("described-carriers");
    let text = FILE.replace("[websocket]", "[tcp]\nports = [8089]\nframe = { length = \"u16\" }\n\n[websocket]");
    let file = folder.write("webgame.toml", text);
    let hello = b"\x01WGME\x03Ada";
    let framed = [&(hello.len() as u16).to_le_bytes()[..], hello].concat();
    for (port, carrier, bytes) in [(8089, "tcp", framed), (8090, "websocket", frame(true, false, hello))] {
        let mut wire = Wire::default();
        let ends = ["127.0.0.1:40000".parse().unwrap(), format!("127.0.0.1:{port}").parse().unwrap()];
        wire.stream(ends, &[(true, bytes)]);
        let capture = folder.write(&format!("{carrier}.pcap"), wire.file());
        let printed = run(&["decode", &capture, "-p", &file, "-f", "ndjson"]);
        let printed = lines(&String::from_utf8(printed.stdout).unwrap());
        let seen: Vec<_> = printed.iter().map(|line| (&line["message"], &line["fields"])).collect();
        assert_eq!(seen, [(&json!("hello"), &json!({"name": "Ada"}))], "{carrier}");
    }
}
