//! `netkit dump` of packets: a packet dump gives the same messages as the capture.

use crate::common;
use crate::common::{Done, Scratch, Wire, all_fixtures, args_of, ends_in, fixture, records};
use netkit::capture::hextext::HexText;
use serde_json::Value as Json;
use std::fmt::Write as _;
use std::process::Command;

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

/// Bytes in the format of Wireshark's bytes pane and `tshark -x`, without their first `skip` bytes.
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

/// The parts of a line that do not depend on frames, times and earlier messages.
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
        // With `-p`: one conversation alone has too little traffic to be recognised; in a file others help.
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
    // The bytes that tshark unmasked and joined are in its frames already.
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
    let (packet, stderr, status) = of(&[], PACKET);
    assert_eq!((packet.len(), status), (1, Some(0)), "{stderr}");
    assert_eq!(packet[0]["message"], "welcome");
    let (payload, _, status) = of(&["--payload", "-p", "riptide"], PACKET);
    assert_eq!(status, Some(0));
    assert!(payload[0].get("src").is_none() && payload[0]["length"] == 33);
    // A wrong checksum or length is accepted only with `--packet`.
    let wrong = PACKET.replace("6a96", "6a97");
    let (forced, _, status) = of(&["--packet"], &wrong);
    assert_eq!((forced[0]["message"].as_str(), status), (Some("welcome"), Some(0)));
    let (none, stderr, status) = of(&[], &wrong);
    assert!(none.is_empty() && stderr.contains("explains less than half; others: "), "{stderr}");
    assert_eq!(status, Some(3));
    let (none, stderr, status) = of(&["--packet"], "0801000100");
    assert!(none.is_empty() && stderr.contains("in which no IP packet begins"), "{stderr}");
    assert_eq!(status, Some(3));
    assert_eq!(of(&["--packet", "--payload"], "").2, Some(2));
    let (none, stderr, status) = of(&["-p", "nano"], PACKET);
    assert!(none.is_empty() && stderr.contains("nano does not run over udp"), "{stderr}");
    assert_eq!(status, Some(3));
}

/// Traffic of other protocols, as in a capture: none of it is recognised.
#[test]
fn foreign_packets_are_refused() {
    let done = netkit(&["dump", "-f", "ndjson"], &dumped(&frames("foreign/foreign.pcap"), 0));
    assert!(done.out.is_empty(), "{}", done.text());
    assert_eq!(done.status, Some(3));
    assert!(errors(&done).contains("a packet without UDP or TCP: icmp"));
    assert!(errors(&done).ends_with("messages could not be read\n"), "{}", errors(&done));
}

/// A guess that explains less than half lists the runners-up; the other messages are read.
#[test]
fn a_guess_is_no_answer() {
    let opaque = format!("0702 00c8 00{}", "5a".repeat(40)).replace(' ', "");
    let done = netkit(&["dump", "-f", "ndjson"], &format!("0801000100\n\n{opaque}\n\n0801000200\n"));
    let clients: Vec<Json> = lines(&done).iter().map(|l| l["fields"]["client_id"].clone()).collect();
    assert_eq!(clients, [1, 2]);
    assert_eq!(done.status, Some(3));
    let stderr = errors(&done);
    assert!(
        stderr.contains("line 3: ")
            && stderr.contains("recognised: riptide (1 message, ")
            && stderr.contains("; others: "),
        "{stderr}"
    );
    // With `-p` nothing is guessed.
    let done = netkit(&["dump", "-f", "ndjson", "-p", "riptide"], &opaque);
    assert_eq!((lines(&done).len(), done.status), (1, Some(0)));
}

/// A datagram of two IP fragments, and its first fragment alone.
#[test]
fn fragments_are_joined() {
    let parts = &frames("capture/dnp-frag.pcap")[7..9];
    let done = netkit(&["dump", "-p", "dnp", "-f", "ndjson"], &dumped(parts, 0)).ok();
    assert_eq!(lines(&done).len(), 1);
    let done = netkit(&["dump", "-p", "dnp", "-f", "ndjson"], &dumped(&parts[..1], 0));
    assert_eq!((done.text(), done.status), ("", Some(3)));
    assert!(errors(&done).contains("the text does not have the rest of its datagram"), "{}", errors(&done));
}

/// As in a capture, neither of two protocol files that fit equally well is recognised. A guess is reported.
#[test]
fn a_tie_is_no_recognition() {
    let scratch = Scratch::new("dump-tie");
    let file = |name: &str| {
        let text = "encoding = 'be'\n[udp]\nports = [7001]\n[packet.fields]\n\
                    mark = { type = 'u32', value = 0x11223344 }\nbody = { type = 'message', by = 'u8' }\n\
                    [[message]]\nname = 'only'\nid = 1\nfields = { number = 'u16' }\n";
        scratch.write(&format!("{name}.toml"), format!("protocol = '{name}'\n{text}"))
    };
    let (first, second) = (file("first"), file("second"));
    let mut wire = Wire::default();
    let ends = ["10.1.2.3:50000", "10.9.8.7:7001"].map(|end| end.parse().expect("an end"));
    wire.datagram(ends, true, &[0x11, 0x22, 0x33, 0x44, 1, 0, 9]);
    // Without the record's header.
    let packet = records(&wire.file()).remove(0)[16..].to_vec();
    let one = ["dump", "-f", "ndjson", "--protocol-file", &first];
    for (more, guessed) in [(&[][..], false), (&["--protocol-file", second.as_str()], true)] {
        let done = netkit(&[&one[..], more].concat(), &dumped(std::slice::from_ref(&packet), 0)).ok();
        assert_eq!((lines(&done).len(), errors(&done).contains("; -p names another")), (1, guessed), "{done:?}");
    }
}

#[test]
fn packets_without_a_payload() {
    let syn: Vec<Vec<u8>> = frames("riptide/riptide22-tcp.pcap").into_iter().take(1).collect();
    let done = netkit(&["dump"], &dumped(&syn, 0));
    assert_eq!(done.status, Some(3));
    assert!(errors(&done).contains("1 packet without a payload"), "{}", errors(&done));
}

/// Every message of every fixture: the dump gives its bytes and its sender.
#[test]
fn hexdump_is_read_back() {
    let mut all = 0;
    for path in all_fixtures().iter().filter(|path| ends_in(path, "pcap") || ends_in(path, "pcapng")) {
        let mut args = vec!["decode".into(), "-q".into(), path.display().to_string()];
        args.extend(args_of(path));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let expected = netkit(&[&args[..], &["-f", "ndjson", "--bytes"]].concat(), "");
        let mut expected = expected.lines().into_iter().filter(|line| line["bytes"] != "");
        let written = netkit(&[&args[..], &["-f", "hexdump"]].concat(), "");
        let mut text = HexText::new(written.text().as_bytes());
        while let Some(block) = text.next().unwrap_or_else(|why| panic!("{args:?}: {why}")) {
            let line = expected.next().unwrap_or_else(|| panic!("{args:?}: too many"));
            let hex = block.bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
            let from = block.inbound.map_or("unknown", |inbound| if inbound { "client" } else { "server" });
            assert_eq!((hex.as_str().into(), from.into()), (line["bytes"].clone(), line["from"].clone()), "{args:?}");
            all += 1;
        }
        assert!(expected.next().is_none(), "{args:?}: too few");
    }
    assert!(all > 5_000, "{all} messages");
}

/// `dump` reads the same messages, and so does decode from the capture that Wireshark's text2pcap makes.
#[test]
fn hexdump_means_the_same() {
    let folder = Scratch::new("hexdump");
    let has_text2pcap = Command::new("text2pcap").arg("-v").output().is_ok();
    if !has_text2pcap {
        eprintln!("SKIPPED: text2pcap: not there (Debian: apt-get install tshark)");
        assert!(std::env::var_os("NETKIT_TSHARK").is_none(), "NETKIT_TSHARK asks for it, and it is not there");
    }
    for (name, proto) in [("riptide/riptide22-udp.pcap", "riptide"), ("dnp/dnp-basic.pcap", "dnp")] {
        let path = fixture(name);
        let decode = ["decode", "-q", "--flow", "1", "-p", proto, path.to_str().expect("a name")];
        let bare =
            |line: &Json| ["proto", "version", "from", "message", "length", "fields", "fault"].map(|k| line[k].clone());
        let expected = netkit(&[&decode[..], &["-f", "ndjson"]].concat(), "").lines();
        assert!(expected.len() > 10, "{name}");
        let written = netkit(&[&decode[..], &["-f", "hexdump"]].concat(), "");
        let dumped = netkit(&["dump", "-q", "-p", proto, "-f", "ndjson"], written.text()).lines();
        // dump remembers nothing of earlier messages, so not every message is read to its end.
        let named = |line: &Json| ["proto", "from", "message", "length"].map(|key| line[key].clone());
        assert_eq!(
            dumped.iter().map(named).collect::<Vec<_>>(),
            expected.iter().map(named).collect::<Vec<_>>(),
            "{name}"
        );
        if !has_text2pcap {
            continue;
        }
        let (text, capture) = (folder.write("text", written.text()), folder.file("capture.pcapng"));
        let done = Command::new("text2pcap")
            .args(["-q", "-D", "-t", "%s.%f", "-u", "50000,7777"])
            .arg(text)
            .arg(&capture)
            .output()
            .expect("text2pcap");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let server = ["decode", "-q", "-p", proto, "--server", "10.2.2.2:7777", "-f", "ndjson", &capture];
        let again = netkit(&server, "").lines();
        assert_eq!(again.iter().map(bare).collect::<Vec<_>>(), expected.iter().map(bare).collect::<Vec<_>>(), "{name}");
        let time = |line: &Json| line["time"].as_f64();
        assert_eq!(again.iter().map(time).collect::<Vec<_>>(), expected.iter().map(time).collect::<Vec<_>>(), "{name}");
    }
}
