//! `netkit encode` as a user runs it: the documented examples, the output formats, the errors.

use crate::common::{Done, Scratch, args_of, ends_in, entries, fixture, run as netkit};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::Command;

fn encode(args: &[&str]) -> Done {
    netkit(&[&["encode"], args].concat(), b"")
}

/// Encodes, and returns the single line of hex.
fn hex(args: &[&str]) -> String {
    let done = encode(args);
    assert_eq!((done.err.as_str(), done.status), ("", Some(0)), "{args:?}");
    done.text().strip_suffix('\n').expect("a line").into()
}

/// Fails with status 3 and no output; returns the error.
fn wrong(args: &[&str]) -> String {
    let done = encode(args);
    assert_eq!((done.text(), done.status), ("", Some(3)), "{args:?}");
    assert_eq!(done.err.lines().count(), 1, "{}", done.err);
    done.err.trim_end().strip_prefix("netkit: ").expect("the program's name").into()
}

#[test]
fn fields_of_a_command_line() {
    assert_eq!(hex(&["riptide.heartbeat", "ping_id=3", "rtt=20"]), "05031400");
    assert_eq!(hex(&["riptide.heartbeat", "ping_id=0x03"]), "0503");
    assert_eq!(hex(&["--proto", "dnp", "link_up", "link_id=4"]), "070400");
    assert_eq!(hex(&["-p", "riptide", "-s", "riptide.version=2.2", "reject", "reason=server_full"]), "2300");
    assert_eq!(hex(&["riptide.reject", "reason=3"]), hex(&["riptide.reject", "reason=server_full"]));
    assert_eq!(hex(&["riptide.unreliable", "message_id=1", "payload=C0ffee"]), "000100c0ffee");
    // A message's name that only one protocol has.
    assert_eq!(hex(&["link_up", "link_id=4"]), "070400");
}

#[test]
fn nested_values_lists_flags_and_derived_ones() {
    let state = ["dnp.link_state", "number=1", "link_id=4", "flags=read_only", "message=6162"];
    let want = "0501000400010200616201000107";
    assert_eq!(hex(&[&state[..], &["values=[{\"type\":\"uint8\",\"value\":7}]"]].concat()), want);
    assert_eq!(hex(&[&state[..], &["values[0].type=uint8", "values[0].value=7"]].concat()), want);
    assert_eq!(hex(&[&state[..], &["values:=[{\"type\":1,\"value\":7}]"]].concat()), want);
    // Counts are computed; a given count is written as given.
    assert_eq!(
        hex(&[&state[..], &["value_count=9", "values=[{\"type\":\"uint8\",\"value\":7}]"]].concat()),
        "0501000400010200616209000107"
    );
    let update = ["dnp.link_update", "links=[{\"link_id\":4,\"values\":[{\"index\":0,\"value\":7}]}]"];
    let want = "090104000100000700";
    assert_eq!(hex(&[&update[..], &["derived.links=[{\"values\":[{\"type\":\"uint16\"}]}]"]].concat()), want);
    assert_eq!(hex(&[&["-s", "dnp.types=4:uint16"], &update[..]].concat()), want);
    assert!(wrong(&update).contains("links[0].values[0].type: not known"));
}

/// `derived.` is never a name of the payload; what only shows the payload is set there.
#[test]
fn derived_values_are_no_payload() {
    let request = ["nano.request", "id=1", "route=X"];
    let plain = hex(&[&request[..], &["a=1"]].concat());
    assert_eq!(plain, hex(&[&request[..], &["payload.a=1"]].concat()));
    let done = encode(&[&request[..], &["a=1", "derived.json={\"a\":1}"]].concat());
    assert_eq!((done.status, done.text()), (Some(2), ""));
    assert!(done.err.contains("derived.json") && done.err.contains("payload.NAME"), "{}", done.err);
    // Any other has no effect on a request's payload.
    assert_eq!(plain, hex(&[&request[..], &["a=1", "derived.route=X"]].concat()));
}

/// DNP: a payload is written by the schema that reads its bytes, whatever the order in the file.
#[test]
fn payloads_have_the_form_by_which_they_are_read() {
    let folder = Scratch::new("encode-read");
    let message = |keys: &str, hp: &str| {
        format!("[[message]]\n{keys}\nname = \"{hp}\"\n[message.fields]\nkind = \"u8\"\nhp = \"{hp}\"\n")
    };
    let by_sender = [message("id = 7\nfrom = \"client\"", "u8"), message("id = 7\nfrom = \"server\"", "u16")];
    let by_id = [message("message = \"reliable_message\"", "u8"), message("id = 7", "u16")];
    for (messages, from, kind, want) in [
        // The command, its number, and the payload: the kind and hp.
        (&by_sender, "client", 7, "040100 07 03"),
        (&by_sender, "server", 7, "040100 07 0300"),
        (&by_id, "server", 7, "040100 07 0300"),
        (&by_id, "server", 8, "040100 08 03"),
    ] {
        let schema = folder.write("read.toml", format!("proto = \"dnp\"\n{}", messages.concat()));
        let kind = format!("payload.kind={kind}");
        let args = ["dnp.reliable_message", "number=1", &kind, "payload.hp=3", "--from", from, "--schema", &schema];
        assert_eq!(hex(&args), want.replace(' ', ""), "{from} {kind}: {messages:?}");
    }
}

/// A length or count that is given is written as given, also if its form is the protocol's own.
#[test]
fn given_lengths_of_riptides_own_form() {
    let folder = Scratch::new("encode-given");
    let schema = "proto = \"riptide\"\n[[message]]\nid = 7\nname = \"m\"\n[message.fields]\nname = \"string\"\n\
                  [[message]]\nid = 8\nname = \"n\"\n[message.fields]\nalive = \"bool[]\"\n";
    let schema = folder.write("given.toml", schema);
    for (fields, want) in [
        (["message_id=7", "payload.name=Ada", "payload.name_length=5"], "000700 05 416461"),
        // Of two bytes from 128 on.
        (["message_id=7", "payload.name=Ada", "payload.name_length=128"], "000700 8080 416461"),
        (["message_id=8", "payload.alive=[true]", "payload.alive_length=3"], "000800 03 01"),
    ] {
        let own = ["riptide.unreliable", "-s", "riptide.version=2.0", "--schema", &schema];
        assert_eq!(hex(&[&own[..], &fields].concat()), want.replace(' ', ""), "{fields:?}");
    }
}

/// The last line of `decode --account` is no message, and none of its lines is refused.
#[test]
fn the_account_is_skipped() {
    let capture = fixture("riptide/riptide22-lossy.pcap");
    let capture = capture.to_str().expect("UTF-8");
    for format in ["ndjson", "json"] {
        let text = netkit(&["decode", capture, "-q", "-c", "3", "-f", format, "--account"], b"").ok();
        assert!(text.text().contains("\"account\":{"), "{}", text.text());
        let without = netkit(&["decode", capture, "-q", "-c", "3", "-f", format], b"").ok();
        let [hex, want] = [text, without].map(|text| netkit(&["encode", "--json", "-"], &text.out).ok());
        assert!(hex == want && hex.text().lines().count() == 3, "{format}: {}", hex.err);
    }
    // No other object without a message is skipped.
    for wrong in ["{\"account\":1}", "{\"account\":{},\"frame\":1}", "{}"] {
        assert_eq!(netkit(&["encode", "--json", "-"], wrong.as_bytes()).status, Some(3), "{wrong}");
    }
}

#[test]
fn stream_framing() {
    assert_eq!(hex(&["riptide.heartbeat", "ping_id=3", "--transport", "tcp"]), "02000503");
    assert_eq!(
        hex(&["riptide.heartbeat", "ping_id=3", "--transport", "tcp", "-s", "riptide.version=2.2"]),
        "020000003400"
    );
    assert_eq!(hex(&["riptide.heartbeat", "ping_id=3", "--transport", "udp"]), "0503");
    assert_eq!(hex(&["gne.packets", "packets=[]", "--transport", "tcp"]), "4e4c0001ff");
    assert_eq!(hex(&["nano.heartbeat", "--transport", "ws", "--from", "server"]), "820403000000");
    // A client's message is masked: four bytes more.
    let masked = hex(&["nano.heartbeat", "--transport", "ws", "--from", "client"]);
    assert!(masked.starts_with("8284") && masked.len() == 20, "{masked}");
    assert!(wrong(&["dnp.link_up", "link_id=4", "--transport", "tcp"]).contains("dnp has no tcp framing"));
    // The length of 2.0 has 16 bits: three bytes of message are before the payload.
    let unreliable = |payload: usize| {
        let fields = format!("{{\"message_id\":1,\"payload\":\"{}\"}}", "00".repeat(payload));
        let line = format!("{{\"proto\":\"riptide\",\"message\":\"unreliable\",\"fields\":{fields}}}");
        netkit(&["encode", "--json", "-", "--transport", "tcp"], line.as_bytes())
    };
    assert!(unreliable(65_532).ok().text().starts_with("ffff000100"));
    let done = unreliable(65_533);
    assert_eq!((done.text(), done.status), ("", Some(3)));
    assert!(done.err.contains("has no tcp framing, or none for a message of 65536 bytes"), "{}", done.err);
}

#[test]
fn errors_name_the_path_and_what_was_expected() {
    assert_eq!(
        wrong(&["riptide.heartbeat", "ping_id=300"]),
        "riptide.heartbeat: ping_id: 300 is out of range: 0 to 255"
    );
    assert_eq!(
        wrong(&["riptide.heartbeat", "ping_id=3", "rtt=x"]),
        "riptide.heartbeat: rtt: expected a whole number, got \"x\""
    );
    assert_eq!(
        wrong(&["riptide.heartbeat", "png_id=3"]),
        "riptide.heartbeat: png_id: unknown field, did you mean \"ping_id\"?"
    );
    assert!(wrong(&["riptide.heartbeat", "ping_id=3", "zz=1"]).contains("zz: unknown field: there are ping_id, rtt"));
    assert!(wrong(&["riptide.heartbeat"]).ends_with("ping_id: required, but not given (u8)"));
    assert!(wrong(&["riptide.unreliable", "message_id=1", "payload=0g"]).contains("payload: expected hex"));
    assert!(wrong(&["riptide.hartbeat"]).contains("did you mean \"heartbeat\"?"));
    assert!(wrong(&["riptid.heartbeat"]).contains("did you mean \"riptide\"?"));
    assert!(wrong(&["heartbeat", "ping_id=3"]).contains("is a message of riptide and nano: say which"));
    let nested = wrong(&["dnp.link_update", "links=[{\"link_id\":4,\"valeus\":[]}]"]);
    assert!(nested.contains("links[0].valeus: unknown field, did you mean \"values\"?"), "{nested}");
    let nested = wrong(&["gne.packets", "packets=[{\"id\":\"rate_adjust\",\"rate\":1,\"ratte\":2}]"]);
    assert!(nested.contains("packets[0].ratte: unknown field"), "{nested}");
}

#[test]
fn wrong_usage() {
    for args in [
        &["riptide.heartbeat", "ping_id"][..],
        &["riptide.heartbeat", "ping_id=3", "ping_id=4"],
        &["riptide.unreliable", "payload:={"],
        &["-p", "nothing", "heartbeat"],
        &["-s", "riptide.version=9", "riptide.connect"],
        &["riptide.connect", "--to", "paper"],
        &["riptide.connect", "--json", "-"],
        &[],
    ] {
        let done = encode(args);
        assert_eq!((done.text(), done.status), ("", Some(2)), "{args:?}: {}", done.err);
    }
}

const LINES: &str = r#"{"proto":"riptide","message":"heartbeat","fields":{"ping_id":3}}
{"proto":"riptide","message":"heartbeat","fields":{"ping_id":300}}

{"proto":"riptide","message":"heartbeat","fields":{"ping_id":4}
{"proto":"riptide","message":"heartbeat","fields":{"ping_id":5}}
"#;

#[test]
fn lines_up_to_the_first_bad_one() {
    let done = netkit(&["encode", "--json", "-"], LINES.as_bytes());
    assert_eq!((done.text(), done.status), ("0503\n", Some(3)));
    assert_eq!(done.err, "netkit: stdin: line 2: riptide.heartbeat: ping_id: 300 is out of range: 0 to 255\n");
}

#[test]
fn keep_going_reports_each() {
    let done = netkit(&["encode", "--json", "-", "--keep-going"], LINES.as_bytes());
    assert_eq!((done.text(), done.status), ("0503\n0505\n", Some(3)));
    let places: Vec<&str> = done.err.lines().map(|l| l.split(": ").nth(2).expect("a place")).collect();
    assert_eq!(places, ["line 2", "line 4"]);
}

#[test]
fn a_file_is_made_only_for_what_is_right() {
    let folder = Scratch::new("encode-kept");
    let path = folder.write("kept", "kept");
    let name = path.as_str();
    assert_eq!(encode(&["riptide.heartbeat", "ping_id=300", "-o", name, "--force"]).status, Some(3));
    assert_eq!(std::fs::read_to_string(&path).expect("it"), "kept");
    assert_eq!(encode(&["riptide.heartbeat", "ping_id=3", "-o", name]).status, Some(2));
    assert_eq!(std::fs::read_to_string(&path).expect("it"), "kept");
    assert_eq!(encode(&["riptide.heartbeat", "ping_id=3", "-o", name, "--force"]).status, Some(0));
    assert_eq!(std::fs::read_to_string(&path).expect("it"), "0503\n");
    assert_eq!(netkit(&["encode", "--json", name, "-o", name], b"").status, Some(2));
    assert_eq!(encode(&["riptide.connect", "-o", "/nowhere/at/all"]).status, Some(3));
}

/// A connection whose first message is left out does not begin in the new capture, and is read from its middle.
#[test]
fn a_selection_of_a_stream_is_read_again() {
    let folder = Scratch::new("encode-selection");
    for name in ["nano/nano-tcp", "nano/pomelo-ws"] {
        let capture = fixture(&format!("{name}.pcap"));
        let capture = capture.to_str().expect("UTF-8");
        let lines = netkit(&["decode", capture, "-q", "-f", "ndjson", "-F", "message == request"], b"").ok();
        let [encoded, redacted] = ["encoded.pcap", "redacted.pcap"].map(|name| folder.file(name));
        netkit(&["encode", "--json", "-", "--force", "-o", &encoded], &lines.out).ok();
        netkit(&["decode", capture, "-F", "message == request", "--redact", "--force", "-w", &redacted], b"").ok();
        for new in [encoded, redacted] {
            let again = netkit(&["decode", &new, "-q", "-f", "ndjson"], b"").ok().lines();
            assert_eq!((again.len(), again.len() >= 40), (lines.lines().len(), true), "{new}");
        }
    }
}

/// An error names the option to whoever pipes lines without it.
#[test]
fn lines_are_read_only_where_they_are_named() {
    for args in [&["encode", "-"][..], &["encode", "-p", "riptide"]] {
        let done = netkit(args, b"{}");
        assert_eq!(done.status, Some(2), "{}", done.err);
        assert!(done.err.contains("--json - reads JSON lines from stdin"), "{}", done.err);
    }
}

#[test]
fn pretty_printed_objects_and_arrays() {
    let pretty = "[\n  {\n    \"message\": \"riptide.heartbeat\",\n    \"fields\": { \"ping_id\": 3 }\n  },\n  {\"message\": \"connect\"}\n]";
    let done = netkit(&["encode", "--json", "-", "-p", "riptide", "-s", "riptide.version=2.2"], pretty.as_bytes());
    assert_eq!((done.text(), done.err.as_str()), ("3400\n02\n", ""));
    let raw = netkit(&["encode", "--json", "-", "-p", "riptide", "--to", "raw"], pretty.as_bytes());
    assert_eq!(raw.out, [5, 3, 3]);
}

#[test]
fn nesting_is_bounded_but_deep_enough() {
    let nested = |levels: usize| {
        let open = "{\"id\":\"channel\",\"channel\":1,\"source\":2,\"packet\":".repeat(levels);
        let packets = format!("{open}null{}", "}".repeat(levels));
        format!("{{\"proto\":\"gne\",\"message\":\"packets\",\"fields\":{{\"packets\":[{packets}]}}}}\n")
    };
    let done = netkit(&["encode", "--json", "-"], nested(512).as_bytes());
    assert_eq!((done.err.as_str(), done.status), ("", Some(0)));
    // Each level has an id, a channel and a source; then the ends of the innermost and of the list.
    assert_eq!(done.text().trim_end().len() / 2, 3 * 512 + 2);
    let done = netkit(&["encode", "--json", "-"], nested(100_000).as_bytes());
    assert_eq!(done.status, Some(3));
    assert!(done.err.contains("line 1: nested more than 2000 levels deep"), "{}", done.err);
}

fn lines(args: &[&str], input: &[u8]) -> Vec<Json> {
    netkit(args, input).ok().lines()
}

/// All captures, with their arguments.
fn captures() -> Vec<(PathBuf, Vec<String>)> {
    let mut all = Vec::new();
    for dissector in netkit::protocols::ALL.iter() {
        let pcaps = entries(&fixture(dissector.name())).into_iter().filter(|path| ends_in(path, "pcap"));
        all.extend(pcaps.map(|path| (path.clone(), args_of(&path))));
    }
    all.sort();
    assert!(all.len() >= 10, "{}", all.len());
    all
}

/// `decode -f FORMAT --bytes` of a capture.
fn decoded(capture: &Path, args: &[String], format: &str) -> Vec<u8> {
    let mut all = vec!["decode", capture.to_str().expect("a name"), "-q", "--bytes", "-f", format];
    all.extend(args.iter().map(String::as_str));
    netkit(&all, b"").ok().out
}

#[test]
fn every_line_of_every_capture_gives_its_bytes() {
    netkit::encode::deeply(round_trips).expect("a thread");
}

fn round_trips() {
    for (capture, args) in captures() {
        for format in ["ndjson", "json"] {
            let text = decoded(&capture, &args, format);
            let objects: Vec<Json> = match format {
                "json" => netkit::encode::json(&text).expect("JSON").as_array().expect("an array").clone(),
                _ => text.split(|b| *b == b'\n').filter_map(|l| netkit::encode::json(l).ok()).collect(),
            };
            let done = netkit(&["encode", "--json", "-"], &text);
            assert_eq!((done.err.as_str(), done.status), ("", Some(0)), "{}", capture.display());
            let want: String = objects.iter().map(|o| format!("{}\n", o["bytes"].as_str().expect("hex"))).collect();
            assert!(done.text() == want, "{} as {format}", capture.display());
        }
    }
}

/// The parts of a line that a capture written by `encode` keeps. `frame` has other numbers, and notes mention them.
fn comparable(line: &Json) -> Json {
    let keys = ["time", "proto", "version", "from", "transport", "src", "dst", "message", "length", "fields", "bytes"];
    keys.iter().map(|k| (k.to_string(), line[*k].clone())).collect::<serde_json::Map<_, _>>().into()
}

/// One capture of each kind of transport and carrier.
const KINDS: [&str; 10] = [
    "riptide/riptide20-udp",
    "riptide/riptide22-tcp",
    "riptide/edge22-tcp",
    "riptide/edge20-udp",
    "dnp/dnp-ipv6",
    "dnp/dnp-frag",
    "gne/gne-le-udp-full",
    "nano/nano-protobuf-tcp",
    "nano/pomelo-ws",
    "acknex/acknex-a5",
];

#[test]
fn captures_of_what_was_decoded() {
    let folder = Scratch::new("encode-again");
    for name in KINDS {
        let capture = fixture(&format!("{name}.pcap"));
        let args = args_of(&capture);
        let first = decoded(&capture, &args, "ndjson");
        let path = folder.file(&format!("{}.pcap", name.replace('/', "-")));
        let done = netkit(&["encode", "--json", "-", "-o", &path], &first);
        assert_eq!((done.err.as_str(), done.status), ("", Some(0)), "{name}");
        let second = decoded(path.as_ref(), &args, "ndjson");
        let all = |text: &[u8]| -> Vec<Json> {
            let lines = text.split(|b| *b == b'\n').filter(|l| !l.is_empty());
            lines.map(|l| comparable(&serde_json::from_slice(l).expect("JSON"))).collect()
        };
        let (first, second) = (all(&first), all(&second));
        assert!(!first.is_empty(), "{name}");
        assert_eq!(first.len(), second.len(), "{name}");
        for (a, b) in first.iter().zip(&second) {
            assert_eq!(a, b, "{name}");
        }
    }
}

/// tshark, if it is installed, checks every checksum and finds malformed frames. `.ci/run` installs it or reports that
/// this was skipped, because the output of a passing test is not shown.
#[test]
fn tshark_has_no_complaint() {
    if Command::new("tshark").arg("-v").output().is_err() {
        eprintln!("SKIPPED: tshark_has_no_complaint: no tshark (Debian: apt-get install tshark)");
        assert!(std::env::var_os("NETKIT_TSHARK").is_none(), "NETKIT_TSHARK asks for it, and it is not there");
        return;
    }
    let folder = Scratch::new("encode-tshark");
    for name in KINDS {
        let capture = fixture(&format!("{name}.pcap"));
        let path = folder.file(&format!("{}.pcap", name.replace('/', "-")));
        let lines = decoded(&capture, &args_of(&capture), "ndjson");
        let done = netkit(&["encode", "--json", "-", "-o", &path], &lines);
        assert_eq!((done.err.as_str(), done.status), ("", Some(0)), "{name}");
        let sums = ["ip", "udp", "tcp"].map(|layer| format!("{layer}.check_checksum:TRUE"));
        let reported = ["frame.number", "ip.version", "udp.checksum.status", "tcp.checksum.status", "_ws.malformed"];
        let done = Command::new("tshark")
            .args(["-n", "-r", &path, "-T", "fields", "-e", "ip.checksum.status"])
            .args(sums.iter().flat_map(|sum| ["-o", sum]))
            .args(reported.iter().flat_map(|field| ["-e", field]))
            .output()
            .expect("tshark runs");
        let text = String::from_utf8(done.stdout).expect("text");
        assert!(done.status.success() && !text.is_empty(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        for line in text.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            let [ip, frame, version, udp, tcp, malformed] = columns[..] else { panic!("{name}: {line:?}") };
            // 1 is good; an absent header has an empty status.
            assert_eq!(ip, if version == "4" { "1" } else { "" }, "{name}, frame {frame}");
            assert!(matches!((udp, tcp, malformed), ("1", "", "") | ("", "1", "")), "{name}: {line:?}");
        }
    }
}

#[test]
fn a_capture_of_messages_written_by_hand() {
    let text = r#"{"proto":"riptide","message":"connect","from":"client"}
        {"proto":"riptide","message":"welcome","from":"server","fields":{"sequence_id":1,"client_id":1}}
        {"proto":"riptide","message":"welcome","from":"client","fields":{"sequence_id":1,"client_id":1},"time":3.000000001}"#;
    for transport in ["udp", "tcp"] {
        let done = netkit(
            &["encode", "--json", "-", "--to", "pcap", "--transport", transport, "-s", "riptide.version=2.2"],
            text.as_bytes(),
        );
        // The first message has no time and sets the file's resolution: microseconds.
        let cut = "netkit: 1 timestamp truncated to the resolution of the first message\n";
        assert_eq!((done.err.as_str(), done.status), (cut, Some(0)));
        let lines = lines(&["decode", "-", "-q", "-f", "ndjson"], &done.out);
        let sent: Vec<_> =
            lines.iter().map(|l| (l["from"].as_str(), l["message"].as_str(), l["transport"].as_str())).collect();
        let (client, server, by) = (Some("client"), Some("server"), Some(transport));
        let (connect, welcome) = (Some("connect"), Some("welcome"));
        assert_eq!(sent, [(client, connect, by), (server, welcome, by), (client, welcome, by)]);
        assert_eq!(lines[1]["dst"], "192.0.2.1:49152");
        assert_eq!(lines[2]["flow"], 1);
    }
}

#[test]
fn what_fits_no_frame_is_refused() {
    let long = format!("payload={}", "00".repeat(60_000));
    let done = encode(&["riptide.unreliable", "message_id=1", &long, "--to", "pcap"]);
    assert_eq!(done.status, Some(0), "{}", done.err);
    let long = format!(
        "{{\"proto\":\"riptide\",\"message\":\"unreliable\",\"fields\":{{\"message_id\":1,\"payload\":\"{}\"}}}}\n{}",
        "00".repeat(70_000),
        r#"{"proto":"riptide","message":"connect","time":5e20}{"proto":"riptide","message":"connect","src":"1.2.3.4:5","dst":"[::1]:6"}"#
    );
    let done = netkit(&["encode", "--json", "-", "--to", "pcap", "--keep-going"], long.as_bytes());
    assert_eq!(done.status, Some(3));
    let whys: Vec<&str> = done.err.lines().collect();
    assert_eq!(whys.len(), 3, "{}", done.err);
    assert!(whys[0].contains("line 1: a payload of 70003 bytes"), "{}", whys[0]);
    assert!(whys[1].contains("time: "), "{}", whys[1]);
    assert!(whys[2].contains("different IP versions"), "{}", whys[2]);
}

/// Lengths in a longer form than needed are kept, in whole messages and in broken ones.
#[test]
fn a_payload_with_lengths_in_odd_forms_comes_back() {
    let folder = Scratch::new("encode-lengths");
    let schema = "proto = \"riptide\"\n[[message]]\nid = 77\nname = \"m\"\n[message.fields]\n\
                  a = \"short[]\"\nb = \"string\"\nc = \"byte[]\"\nd = \"bool[]\"\ne = \"int[]\"\n\
                  [[message]]\nid = 78\nname = \"n\"\n[message.fields]\ntexts = \"string[]\"\nshorts = \"short[]\"\n";
    let schema = &*folder.write("lengths.toml", schema);
    for (version, text) in [
        // 8001 is one element, in 2.0's form for more than 127. The last bool[] has an extra bit.
        ("2.0", "004d00800101008001428001418003ff0102000000"),
        // The second of the two ints is missing, but the short[] before it was complete.
        ("2.0", "004d0080010100014180014180030702020000000300"),
        ("2.0", "004d008001010000018180030702020000000300"),
        // 8180 00: one, in three groups.
        ("2.2", "d014080830000000002020000000300000"),
        // Texts in a list have no field for their lengths: the list is shown as bits.
        ("2.0", "004e00028001410142800107000003"),
        ("2.0", "004e00028001410142020700"),
        ("2.0", "004e00038001410142800542"),
    ] {
        let set = format!("riptide.version={version}");
        let line = netkit(&["dump", "-p", "riptide", "-s", &set, "--schema", schema, "-f", "ndjson"], text.as_bytes());
        let back = netkit(&["encode", "--json", "-", "--schema", schema], &line.out);
        assert_eq!((back.text().trim_end(), back.err.as_str()), (text, ""), "{}", line.text());
        let line: Json = serde_json::from_slice(&line.out).expect("JSON");
        let payload = &line["fields"]["payload"];
        assert!(payload["e"] == serde_json::json!([2]) || payload["texts"]["raw"].is_string(), "{line}");
    }
}

/// Every message of captures of all protocols, as constants: the compilers and Python read the same bytes.
#[test]
fn constants_are_read_back() {
    let folder = Scratch::new("constants");
    let (mut lines, mut expected) = (Vec::new(), String::new());
    for name in KINDS {
        let capture = fixture(&format!("{name}.pcap"));
        let own = decoded(&capture, &args_of(&capture), "ndjson");
        let own_hex = netkit(&["encode", "--json", "-"], &own);
        own_hex.text().lines().filter(|line| !line.is_empty()).for_each(|line| expected += &format!("{line}\n"));
        lines.extend(own);
    }
    assert!(expected.lines().count() > 100);
    let written = |form: &str| {
        let done = netkit(&["encode", "--json", "-", "--as", form], &lines);
        assert_eq!((done.err.as_str(), done.status), ("", Some(0)), "{form}");
        let comment = if form == "python" { "  # " } else { "  // " };
        assert!(done.text().lines().filter(|line| line.contains(comment)).count() > 500, "{form}");
        done.text().to_owned()
    };
    // The names, and the hex that a program prints for them.
    let names = |text: &str, before: &str, after: char| -> Vec<String> {
        let all = text.lines().filter_map(|line| line.strip_prefix(before)?.split(after).next());
        all.filter(|name| !name.is_empty()).map(String::from).collect()
    };
    let ran = |program: &str, args: &[&str], runs: bool| {
        let done = Command::new(program).args(args).output().unwrap_or_else(|why| panic!("{program}: {why}"));
        assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
        if runs {
            assert_eq!(String::from_utf8_lossy(&done.stdout), expected, "{program} {args:?}");
        }
    };
    let c = written("c");
    let mut source = format!("#include <stdio.h>\n{c}\n#define P(a) print(a, sizeof a)\n");
    source += "static void print(const unsigned char *a, unsigned n) {\n    while (n--) printf(\"%02x\", *a++);\n    ";
    source += "puts(\"\");\n}\nint main(void) {\n";
    names(&c, "static const unsigned char ", '[').iter().for_each(|name| source += &format!("P({name});\n"));
    let (file, out) = (folder.write("c.c", source + "}\n"), folder.file("c"));
    ran("cc", &["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-o", &out, &file], false);
    ran(&out, &[], true);

    let rust = written("rust");
    let mut source = format!(
        "#![deny(warnings)]\n{rust}fn p(a: &[u8]) {{ a.iter().for_each(|b| print!(\"{{b:02x}}\")); println!() }}\nfn main() {{\n"
    );
    names(&rust, "pub const ", ':').iter().for_each(|name| source += &format!("p({name});\n"));
    let (file, out) = (folder.write("r.rs", source + "}\n"), folder.file("r"));
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    // rustup's `rustc` needs a home.
    if Command::new(&rustc).arg("-V").output().is_ok_and(|done| done.status.success()) {
        ran(&rustc, &["--edition", "2024", "-o", &out, &file], false);
        ran(&out, &[], true);
    } else {
        println!("SKIPPED: constants_are_read_back, in Rust: {rustc} does not run here");
    }

    // netkit reads its own constants, too.
    for text in [&c, &rust] {
        let mut text = netkit::capture::hextext::HexText::new(text.as_bytes());
        let mut again = String::new();
        while let Some(block) = text.next().expect("an array") {
            again += &(block.bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}")) + "\n");
        }
        assert_eq!(again, expected);
    }

    if Command::new("python3").arg("-V").output().is_err() {
        eprintln!("SKIPPED: constants of Python: no python3");
        return;
    }
    let mut python = written("python");
    names(&python.clone(), "", '=').iter().for_each(|name| {
        let name = name.trim_end();
        if name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
            python += &format!("print({name}.hex())\n");
        }
    });
    ran("python3", &[&folder.write("p.py", python)], true);
}

/// Comments explain the bytes, also if fields share a byte; uncertain bytes have no comment.
#[test]
fn comments_of_constants() {
    let literal = |args: &[&str], form: &str| encode(&[args, &["--as", form]].concat()).text().to_owned();
    let heartbeat = ["riptide.heartbeat", "ping_id=3", "rtt=20"];
    assert_eq!(
        literal(&[&heartbeat[..], &["--transport", "tcp"]].concat(), "rust"),
        "pub const RIPTIDE_HEARTBEAT: &[u8] = &[\n    0x04, 0x00,  // framing\n    0x05,        // type = 5\n    \
         0x03,        // ping_id = 3\n    0x14, 0x00,  // rtt = 20\n];\n\n"
    );
    let packed = literal(&["-p", "riptide", "-s", "riptide.version=2.2", "reject", "reason=server_full"], "python");
    assert!(packed.lines().any(|line| line.matches(" = ").count() > 1), "{packed}");
    // A text cannot end the comment's line.
    let text = literal(&["dnp.unreliable_message", "data=5c0a2a2f5c"], "c");
    assert_eq!(text.lines().count(), 5, "{text}");
}
