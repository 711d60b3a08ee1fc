//! `netkit dump` of packets: what a packet dump means is what the capture means.

mod common;

use common::{Done, fixture};
use serde_json::Value as Json;
use std::fmt::Write as _;

fn netkit(args: &[&str], input: &str) -> Done {
    common::run(args, input.as_bytes())
}

fn lines(done: &Done) -> Vec<Json> {
    done.lines()
}

fn errors(done: &Done) -> String {
    done.err.clone()
}

/// The frames of a classic little-endian capture.
fn frames(name: &str) -> Vec<Vec<u8>> {
    let file = std::fs::read(fixture(name)).expect("the fixture");
    let (mut at, mut all) = (24, Vec::new());
    while let Some(head) = file.get(at..at + 16) {
        let length = u32::from_le_bytes(head[8..12].try_into().expect("4 bytes")) as usize;
        all.push(file[at + 16..at + 16 + length].to_vec());
        at += 16 + length;
    }
    all
}

/// As Wireshark's bytes pane and `tshark -x` have it, without their first `skip` bytes.
fn dumped(frames: &[Vec<u8>], skip: usize) -> String {
    let mut text = String::new();
    for frame in frames {
        for (k, row) in frame[skip..].chunks(16).enumerate() {
            let hex: Vec<String> = row.iter().map(|b| format!("{b:02x}")).collect();
            let _ = writeln!(text, "{:04x}   {}", k * 16, hex.join(" "));
        }
        text.push('\n');
    }
    text
}

/// What does not depend on frames, times and what was said before.
fn plain(line: &Json) -> Json {
    let keys = ["proto", "transport", "src", "dst", "message", "length"];
    keys.iter().map(|key| ((*key).to_string(), line[*key].clone())).collect::<serde_json::Map<_, _>>().into()
}

#[test]
fn packets_mean_what_their_capture_means() {
    for (file, args) in [
        ("dnp/dnp-basic.pcap", &[][..]),
        ("dnp/dnp-ipv6.pcap", &[]),
        ("riptide/riptide20-udp.pcap", &["-p", "riptide"]),
        ("riptide/riptide20-udp.pcap", &["--port", "17777=riptide"]),
        // Named: one conversation has too little of its own, and a file is read with what others say.
        ("riptide/riptide22-tcp.pcap", &["-p", "riptide"]),
        ("nano/nano-protobuf-tcp.pcap", &[]),
        ("nano/pomelo-ws.pcap", &[]),
    ] {
        let path = fixture(file);
        let mut decode = vec!["decode", "-q", "-f", "ndjson", path.to_str().expect("a name")];
        decode.extend(args);
        let mut expected: Vec<Json> = lines(&netkit(&decode, "")).iter().map(plain).collect();
        assert!(expected.len() > 5, "{file}");
        expected.sort_by_key(Json::to_string);
        for skip in [0, 14] {
            let mut dump = vec!["dump", "-q", "-f", "ndjson"];
            dump.extend(args);
            let done = netkit(&dump, &dumped(&frames(file), skip));
            let mut got: Vec<Json> = lines(&done).iter().map(plain).collect();
            got.sort_by_key(Json::to_string);
            assert_eq!(got.len(), expected.len(), "{file} {args:?} {}", errors(&done));
            assert_eq!(got, expected, "{file} {args:?}");
        }
    }
}

#[test]
fn dumps_as_tools_print_them() {
    for name in ["tcpdump-x", "tcpdump-text", "tcpdump-v-text", "tcpdump-link", "tcpdump-link-text"] {
        let path = fixture(&format!("hex/{name}.txt"));
        let done = netkit(&["dump", "-f", "ndjson", path.to_str().expect("a name")], "");
        assert_eq!(done.status, Some(0), "{name}: {}", errors(&done));
        let got = lines(&done);
        assert_eq!(got.len(), 2, "{name}");
        for line in &got {
            let ends = (line["src"].as_str(), line["dst"].as_str(), line["transport"].as_str());
            assert_eq!(ends, (Some("127.0.0.1:7777"), Some("127.0.0.1:50001"), Some("udp")), "{name}");
            assert!(line.get("frame").is_none() && line.get("time").is_none() && line.get("flow").is_none());
        }
        assert_eq!(got[0]["message"], "welcome");
        assert_eq!(got[1]["message"], "reliable");
        assert!(errors(&done).contains("a whole packet, udp 127.0.0.1:7777 > 127.0.0.1:50001"), "{}", errors(&done));
    }
    // What tshark has unmasked and joined stands in its frames already.
    let path = fixture("hex/tshark-websocket.txt");
    let done = netkit(&["dump", "-f", "ndjson", path.to_str().expect("a name")], "");
    let names: Vec<String> = lines(&done).iter().map(|l| format!("{}.{}", l["proto"], l["message"])).collect();
    assert_eq!(names.join(" ").replace('"', ""), "websocket.upgrade_request websocket.upgrade_response nano.handshake");
}

/// The IP header of this packet is a whole Riptide message, `disconnect reason=kicked`.
const PACKET: &str = "450000211234000040116a967f0000017f0000011e61c351000d00000801000100";

#[test]
fn the_user_has_the_last_word() {
    let of = |args: &[&str], input: &str| {
        let done = netkit(&[&["dump", "-f", "ndjson"], args].concat(), input);
        (lines(&done), errors(&done), done.status)
    };
    let (packet, said, status) = of(&[], PACKET);
    assert_eq!((packet.len(), status), (1, Some(0)), "{said}");
    assert_eq!(packet[0]["message"], "welcome");
    let (payload, _, status) = of(&["--payload", "-p", "riptide"], PACKET);
    assert_eq!(status, Some(0));
    assert!(payload[0].get("src").is_none() && payload[0]["length"] == 33);
    // A check sum or a length that is not right: only where the user says so.
    let wrong = PACKET.replace("6a96", "6a97");
    let (forced, _, status) = of(&["--packet"], &wrong);
    assert_eq!((forced[0]["message"].as_str(), status), (Some("welcome"), Some(0)));
    let (none, said, status) = of(&[], &wrong);
    assert!(none.is_empty() && said.contains("less than half of it is explained as"), "{said}");
    assert_eq!(status, Some(3));
    let (none, said, status) = of(&["--packet"], "0801000100");
    assert!(none.is_empty() && said.contains("in which no IP packet begins"), "{said}");
    assert_eq!(status, Some(3));
    assert_eq!(of(&["--packet", "--payload"], "").2, Some(2));
    let (none, said, status) = of(&["-p", "nano"], PACKET);
    assert!(none.is_empty() && said.contains("nano is not spoken over udp"), "{said}");
    assert_eq!(status, Some(3));
}

/// Traffic of other protocols, as in a capture: nothing of it is one of ours.
#[test]
fn foreign_packets_are_refused() {
    let done = netkit(&["dump", "-f", "ndjson"], &dumped(&frames("foreign/foreign.pcap"), 0));
    assert!(done.out.is_empty(), "{}", done.text());
    assert_eq!(done.status, Some(3));
    assert!(errors(&done).contains("a packet without UDP or TCP: icmp"));
    assert!(errors(&done).ends_with("messages could not be read\n"), "{}", errors(&done));
}

/// A guess that explains less than half names the runners-up; the other messages are read.
#[test]
fn a_guess_is_no_answer() {
    let opaque = format!("0702 00c8 00{}", "5a".repeat(40)).replace(' ', "");
    let done = netkit(&["dump", "-f", "ndjson"], &format!("0801000100\n\n{opaque}\n\n0801000200\n"));
    let clients: Vec<Json> = lines(&done).iter().map(|l| l["fields"]["client_id"].clone()).collect();
    assert_eq!(clients, [1, 2]);
    assert_eq!(done.status, Some(3));
    let said = errors(&done);
    assert!(
        said.contains("line 3: ") && said.contains(" as riptide (1 message, ") && said.contains(", then "),
        "{said}"
    );
    // Who names the protocol does not guess.
    let done = netkit(&["dump", "-f", "ndjson", "-p", "riptide"], &opaque);
    assert_eq!((lines(&done).len(), done.status), (1, Some(0)));
}

#[test]
fn packets_without_a_payload() {
    let syn: Vec<Vec<u8>> = frames("riptide/riptide22-tcp.pcap").into_iter().take(1).collect();
    let done = netkit(&["dump"], &dumped(&syn, 0));
    assert_eq!(done.status, Some(3));
    assert!(errors(&done).contains("1 packet without a payload"), "{}", errors(&done));
}
