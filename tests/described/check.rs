//! `netkit check`: checks a file alone, and against captures.

use super::{cases, run};
use crate::common::{self, Scratch, Wire, fixture, json};
use serde_json::{Value as Json, json as js};
use std::net::SocketAddr;
use std::process::Output;

fn tutorial(name: &str) -> String {
    fixture(&format!("described/tutorial/{name}")).display().to_string()
}

fn check(args: &[&str]) -> Output {
    run(&[&["check"], args].concat())
}

fn text(done: &Output) -> String {
    String::from_utf8(done.stdout.clone()).unwrap()
}

/// The findings as JSON, and the status.
fn findings(args: &[&str]) -> (Json, Option<i32>) {
    let done = check(&[args, &["-f", "json"]].concat());
    assert!(!done.stdout.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    (json(&text(&done)), done.status.code())
}

/// Step 3 of the newcomer's page, with a wrong type for the text of `chat`.
fn wrong(scratch: &Scratch) -> String {
    let file = std::fs::read_to_string(tutorial("3.toml")).unwrap();
    assert_eq!(file.matches("\"string8\"").count(), 1);
    scratch.write("wrong.toml", file.replace("\"string8\"", "\"string16\""))
}

#[test]
fn what_fits_is_counted() {
    let (found, status) = findings(&[&tutorial("3.toml"), &tutorial("mygame.pcap")]);
    let one = &found["captures"][0];
    let all = |n: u64| js!({ "of": n, "all": n, "percent": 100.0 });
    assert_eq!(status, Some(0));
    assert_eq!((&found["protocol"], &found["holds"], &found["messages"]), (&js!("mygame"), &js!(true), &js!(5)));
    assert_eq!((&one["conversations"], &one["packets"], &one["bytes"]), (&all(1), &all(16), &all(85)));
    assert_eq!(one["explained"], js!({ "packets": all(16), "bytes": all(85) }));
    assert_eq!(one["round_trip"], js!({ "messages": 16, "packets": 16, "different": 0, "first": [] }));
    assert_eq!((&one["misfits"], &one["rejected"]["all"], &found["never_seen"]), (&js!([]), &js!(0), &js!([])));
    // The same on stdin.
    let capture = std::fs::read(tutorial("mygame.pcap")).unwrap();
    let reported = common::run(&["check", &tutorial("3.toml"), "-"], &capture).ok();
    assert!(
        reported.text().contains("explained   16 of 16 packets (100.0%), 85 of 85 bytes (100.0%)"),
        "{}",
        reported.text()
    );
}

#[test]
fn the_place_that_does_not_fit_is_shown() {
    let scratch = Scratch::new("check-place");
    let wrong = wrong(&scratch);
    let (found, status) = findings(&[&wrong, &tutorial("mygame.pcap"), "-p", "mygame"]);
    assert_eq!(status, Some(1));
    let one = &found["captures"][0];
    // Frames 3, 8 and 16 are chats of 6, 11 and 7 bytes, of which the first 3 are kind and seq.
    assert_eq!(one["explained"]["packets"], js!({ "of": 13, "all": 16, "percent": 81.2 }));
    assert_eq!(one["explained"]["bytes"], js!({ "of": 85 - 3 - 8 - 4, "all": 85, "percent": 82.3 }));
    assert_eq!(one["places"][0]["packets"], 3);
    assert_eq!(one["round_trip"]["different"], 0);
    let frames: Vec<&Json> = one["misfits"].as_array().unwrap().iter().map(|misfit| &misfit["frame"]).collect();
    assert_eq!(frames, [3, 8, 16]);
    let first = &one["misfits"][0];
    for (key, value) in [
        ("flow", js!(1)),
        ("from", js!("client")),
        ("message", js!("chat")),
        ("kind", js!("fault")),
        ("path", js!("chat.text")),
        ("offset", js!(3)),
        ("length", js!(6)),
        ("expected", js!("text (u16be length before it)")),
        ("around", js!({ "start": 0, "bytes": "07002a026869" })),
    ] {
        assert_eq!(first[key], value, "{key} of {first}");
    }
    // The two bytes of the length are 0x0268.
    assert_eq!(first["text"], "needs 618 bytes, 3 bytes left (length 616 from text_length)");
    let shown = text(&check(&[&wrong, &tutorial("mygame.pcap"), "-p", "mygame", "--first", "1"]));
    assert!(shown.contains("0x0000   07 00 2a[02]68 69 "), "{shown}");
    assert_eq!(shown.matches("byte 3, chat.text").count(), 1, "{shown}");
    let coloured = text(&check(&[&wrong, &tutorial("mygame.pcap"), "-p", "mygame", "--color", "always"]));
    assert!(coloured.contains("\x1b[1;31m[02"), "{coloured}");
}

/// Messages that are found by texts have no numbers.
#[test]
fn a_text_that_no_message_has_is_shown_as_an_id() {
    let scratch = Scratch::new("check-text");
    let file = std::fs::read_to_string(cases::toml("quake3")).unwrap();
    let file = scratch.write("quake3.toml", file.replace("id = \"getstatus\"", "id = \"getstates\""));
    let page = text(&check(&[&file, &cases::pcap("quake3"), "-p", "quake3"]));
    assert!(
        page.contains("no message has this id, first in frame") && page.contains("expected: one of getinfo, "),
        "{page}"
    );
    assert!(!page.contains("has the number"), "{page}");
}

#[test]
fn a_claim_that_is_rejected_says_by_what() {
    let scratch = Scratch::new("check-rejected");
    let (found, status) = findings(&[&wrong(&scratch), &tutorial("mygame.pcap")]);
    assert_eq!(status, Some(1));
    let one = &found["captures"][0];
    assert_eq!(one["conversations"], js!({ "of": 0, "all": 1, "percent": 0.0 }));
    let rejected = &one["rejected"]["first"][0];
    assert_eq!((&rejected["flow"], &rejected["by"], &rejected["port"]), (&js!(1), &js!("misfit"), &js!(true)));
    let why = rejected["text"].as_str().unwrap();
    assert!(why.starts_with("its packet 3, from 127.0.0.1:40001, does not fit: byte 3, chat.text: needs"), "{why}");
    assert_eq!(rejected["around"]["bytes"], "07002a026869");
    // Step 2 has no pings: the number itself is marked, and the known numbers are listed.
    let shown = text(&check(&[&tutorial("2.toml"), &tutorial("mygame.pcap")]));
    assert!(shown.contains("byte 0, unknown: no message has the number 1"), "{shown}");
    assert!(shown.contains("expected: one of chat=7, ack=8, move=9"), "{shown}");
    assert!(shown.contains("  [01]ca fe 00 01 "), "{shown}");
    // Step 1 has nothing to recognise the protocol by.
    let (found, status) = findings(&[&tutorial("1.toml"), &tutorial("mygame.pcap")]);
    assert_eq!((&found["captures"][0]["rejected"]["first"][0]["by"], status), (&js!("bits"), Some(1)));
    // Traffic of a built-in protocol does not count against the file; but nothing was checked.
    let riptide = fixture("riptide/riptide20-udp.pcap").display().to_string();
    let (found, status) = findings(&[&tutorial("3.toml"), &riptide]);
    let rejected = &found["captures"][0]["rejected"];
    assert_eq!((&rejected["taken_by"]["riptide"], status), (&rejected["all"], Some(1)), "{rejected}");
    assert_eq!(rejected["first"][0]["taken_by"]["proto"], "riptide");
    let (_, status) = findings(&[&tutorial("3.toml"), &riptide, "--allow-empty"]);
    assert_eq!(status, Some(0));
    // With a second capture that fits, the check succeeds.
    let (found, status) = findings(&[&tutorial("3.toml"), &riptide, &tutorial("mygame.pcap")]);
    assert_eq!((found["captures"].as_array().unwrap().len(), status), (2, Some(0)));
}

#[test]
fn a_tie_is_named() {
    let scratch = Scratch::new("check-tie");
    let text = std::fs::read_to_string(tutorial("3.toml")).unwrap();
    let other = scratch.write("other.toml", text.replace("protocol = \"mygame\"", "protocol = \"other\""));
    let (file, capture) = (tutorial("3.toml"), tutorial("mygame.pcap"));
    let decoded =
        |other: &str| run(&["decode", &capture, "--protocol-file", &file, "--protocol-file", other, "-f", "ndjson"]);
    let done = decoded(&other);
    let reported = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.stdout.is_empty());
    assert!(
        reported.contains("netkit: 1 conversation fits mygame and other equally well and was not read"),
        "{reported}"
    );
    let (found, status) = findings(&[&file, &capture, "--protocol-file", &other]);
    let why = found["captures"][0]["rejected"]["first"][0]["text"].as_str().unwrap().to_owned();
    assert!(why.contains("mygame and other tie, so neither is used"), "{why}");
    assert_eq!(status, Some(1));
    // A file that fits less well does not compete.
    let less = text.replace("protocol = \"mygame\"", "protocol = \"less\"").replace("7001", "7002");
    let less = scratch.write("less.toml", less);
    let done = decoded(&less);
    assert_eq!(cases::lines(&String::from_utf8_lossy(&done.stdout)).len(), 16);
    assert!(!String::from_utf8_lossy(&done.stderr).contains("equally well"));
}

#[test]
fn every_capture_of_the_examples_fits_its_file() {
    for (case, file) in cases::CASES {
        let args = [&*cases::toml(file), &*cases::pcap(case)];
        let (found, status) = findings(&args);
        let one = &found["captures"][0];
        assert_eq!(status, Some(0), "{case}: {found:#}");
        assert_eq!((&one["explained"]["packets"]["percent"], &one["skipped_bytes"]), (&js!(100.0), &js!(0)), "{case}");
        assert_eq!(one["packets"]["percent"], 100.0, "{case}");
    }
    let (found, _) = findings(&[&cases::toml("kcp"), &cases::pcap("kcp")]);
    assert_eq!(found["never_seen"], js!(["wask", "wins"]));
}

const FRAMED: &str = "protocol = \"framed\"\nencoding = \"be\"\n[tcp]\nports = [7100]\nframe = { length = \"u16\", most = 99 }\n\
    [[message]]\nid = 1\nname = \"one\"\nfrom = \"client\"\nfields = { a = \"u8\" }\n\
    [[message]]\nid = 2\nname = \"two\"\nfrom = \"server\"\nfields = { a = \"u32\" }\n";

fn ends() -> [SocketAddr; 2] {
    ["127.0.0.1:50000", "127.0.0.1:7100"].map(|end| end.parse().unwrap())
}

#[test]
fn bytes_of_a_stream_that_belong_to_no_packet_are_counted() {
    let scratch = Scratch::new("check-stream");
    let file = scratch.write("framed.toml", FRAMED);
    let mut wire = Wire::default();
    let one = b"\0\x02\x01\x07".to_vec();
    let sent = |by, bytes: &[u8]| (by, bytes.to_vec());
    wire.stream(ends(), &[sent(true, &one), sent(true, &one), sent(false, b"\0\x05\x02\0\0\0\x09")]);
    let good = scratch.write("good.pcap", wire.file());
    let (found, status) = findings(&[&file, &good, "-p", "framed"]);
    let explained = &found["captures"][0]["explained"];
    // The lengths are framing.
    assert_eq!((&explained["packets"]["of"], &explained["bytes"]["all"], status), (&js!(3), &js!(2 + 2 + 5), Some(0)));
    // A length above `most`: nothing is a message until a segment begins with one.
    let mut wire = Wire::default();
    let lost = [sent(true, &one), sent(true, b"\xff\xff\xff\xff"), sent(true, &[0xee; 5]), sent(true, &one)];
    wire.stream(ends(), &lost);
    let bad = scratch.write("bad.pcap", wire.file());
    let (found, status) = findings(&[&file, &bad, "-p", "framed"]);
    let one = &found["captures"][0];
    assert_eq!((&one["skipped_bytes"], status), (&js!(5), Some(1)), "{found:#}");
    assert_eq!(one["explained"]["packets"], js!({ "of": 2, "all": 3, "percent": 66.6 }), "{found:#}");
}

#[test]
fn streams_are_rejected_by_their_framing_and_others_by_their_transport() {
    let scratch = Scratch::new("check-framing");
    let file = scratch.write("framed.toml", FRAMED);
    let mut wire = Wire::default();
    wire.stream(ends(), &[(true, b"\xff\xfe\x01\x02\x03".to_vec())]);
    let capture = scratch.write("framing.pcap", wire.file());
    let (found, status) = findings(&[&file, &capture]);
    let rejected = &found["captures"][0]["rejected"]["first"][0];
    assert_eq!((&rejected["by"], &rejected["around"]["bytes"]), (&js!("framing"), &js!("fffe010203")), "{found:#}");
    assert_eq!(status, Some(1));
    // The traffic has a port of the file, so the file is checked against it, whatever else is there.
    assert_eq!(findings(&[&file, &capture, "--allow-empty"]).1, Some(1));
    let (found, status) = findings(&[&file, &tutorial("mygame.pcap"), "--allow-empty"]);
    assert_eq!((&found["captures"][0]["rejected"]["by"], status), (&js!({ "transport": 1 }), Some(0)));
}

#[test]
fn a_packet_that_the_capture_cut_is_not_held_against_the_file() {
    let scratch = Scratch::new("check-cut");
    let file = scratch.write("toy.toml", "protocol = \"toy\"\nencoding = \"be\"\n[udp]\nports = [7100]\n[[message]]\nid = 1\nname = \"one\"\nfields = { a = \"u64\" }\n");
    let mut wire = Wire::default();
    for _ in 0..3 {
        wire.datagram(ends(), true, b"\x01\0\0\0\0\0\0\0\x05");
    }
    // The second of three frames of one size lacks its last five bytes.
    let mut file_of_three = wire.file();
    let record = (file_of_three.len() - 24) / 3;
    let second = 24 + record;
    let there = (record - 16 - 5) as u32;
    file_of_three[second + 8..second + 12].copy_from_slice(&there.to_le_bytes());
    file_of_three.drain(second + record - 5..second + record);
    let capture = scratch.write("cut.pcap", file_of_three);
    let (found, status) = findings(&[&file, &capture, "-p", "toy"]);
    let one = &found["captures"][0];
    assert_eq!((&one["cut"], &one["explained"]["packets"]["all"], status), (&js!(1), &js!(2), Some(0)), "{found:#}");
}

#[test]
fn mistakes_are_reported_together() {
    let scratch = Scratch::new("check-mistakes");
    let message =
        |id: u8, fields: &str| format!("[[message]]\nid = {id}\nname = \"m{id}\"\n[message.fields]\n{fields}\n");
    // Two mistakes in the text itself, in different messages.
    let head = "protocol = \"toy\"\nencoding = \"be\"\n";
    let file = scratch.write(
        "text.toml",
        format!("{head}{}{}", message(1, "a = { type = 1 }\nb = { hiden = true, type = \"u8\" }"), message(2, "c = 3")),
    );
    let (found, status) = findings(&[&file]);
    let lines: Vec<&Json> = found["mistakes"].as_array().unwrap().iter().map(|m| &m["line"]).collect();
    assert_eq!((lines, status), (vec![&js!(7), &js!(8), &js!(13)], Some(1)), "{found:#}");
    assert!(found["mistakes"][1]["text"].as_str().unwrap().contains("did you mean \"hidden\"?"), "{found:#}");
    // Two mistakes found when the file is compiled; the third message has none.
    let three = [message(1, "a = \"u9\""), message(2, "b = \"u8\""), message(3, "c = { type = \"u8\", if = \"d\" }")];
    let file = scratch.write("compiled.toml", format!("{head}{}", three.concat()));
    let (found, status) = findings(&[&file, "no-such.pcap"]);
    let lines: Vec<&Json> = found["mistakes"].as_array().unwrap().iter().map(|m| &m["line"]).collect();
    assert_eq!((lines, status), (vec![&js!(7), &js!(17)], Some(1)), "{found:#}");
    assert_eq!(found["protocol"], Json::Null);
    // As text: each with its file and line, and nothing else.
    let reported = text(&check(&[&file]));
    assert_eq!(reported.lines().count(), 2, "{reported}");
    assert!(reported.starts_with(&format!("{file}: line 7: a: no type \"u9\"")), "{reported}");
    // A name that follows from an id is no mistake of its own.
    let by = "[packet.fields]\nk = { type = \"u8\", enum = { one = 1 } }\nm = { type = \"message\", by = \"k\" }\n";
    let file = scratch.write("named.toml", format!("{head}{by}[[message]]\nid = \"two\"\nname = \"{{id}}\"\n"));
    let reported = text(&check(&[&file]));
    assert_eq!(reported, format!("{file}: line 7: id: \"two\" is neither a number nor a name of one\n"));
}

#[test]
fn advice_is_given_for_what_is_probably_not_meant() {
    let scratch = Scratch::new("check-advice");
    let text = r#"protocol = "toy"
encoding = "be"

[memory]
state = 0
lonely = 0

[settings]
nobody = 1

[enum.kinds]
hello = 1
bye = 2

[flags.never]
x = 1

[struct.spare]
a = "u8"

[packet.fields]
kind = { type = "u8", enum = "kinds" }
seq = { type = "u16", if = "state == 0" }
body = { type = "message", by = "kind" }

[numbers.all]
number = "packet.seq"

[[message]]
id = "0..9"
name = "low"

[[message]]
id = 7
name = "hidden"

[[message]]
id = 300
name = "beyond"
sets = { lonely = 1 }
"#;
    let file = scratch.write("toy.toml", text);
    let (found, status) = findings(&[&file]);
    assert_eq!(status, Some(0));
    let at = |what: &str| text.lines().position(|line| line == what).unwrap() + 1;
    let advice: Vec<(u64, &str)> = found["advice"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| (a["line"].as_u64().unwrap(), a["text"].as_str().unwrap()))
        .collect();
    let expected = [
        (at("state = 0"), "memory state is never set"),
        (at("lonely = 0"), "memory lonely is never used"),
        (at("nobody = 1"), "setting nobody is never used"),
        (at("[flags.never]"), "flags never is never used"),
        (at("[struct.spare]"), "struct spare is never used"),
        (at("[numbers.all]"), "numbers.all: nothing acknowledges them"),
        (at("id = 7"), "hidden: never selected: low before it has all of its ids"),
        (at("id = 300"), "beyond: never selected: 300 does not fit into the 8 bits of kind"),
        (1, "nothing decides who the server is"),
    ];
    for (line, what) in expected {
        assert!(
            advice.iter().any(|(at, text)| *at == line as u64 && text.starts_with(what)),
            "line {line}: {what}: {advice:#?}"
        );
    }
    // The range 0 to 9 includes both names of the enumeration.
    assert_eq!(advice.len(), expected.len(), "{advice:#?}");
    let file = scratch.write("two.toml", text.replace("id = \"0..9\"", "id = 1"));
    let (found, _) = findings(&[&file]);
    let advice = found["advice"].to_string();
    assert!(advice.contains("kind: no message has bye") && !advice.contains("hidden: never selected"), "{advice}");
}

#[test]
fn what_cannot_be_read_is_reported() {
    let scratch = Scratch::new("check-input");
    let file = tutorial("3.toml");
    // A capture without packets.
    let empty = scratch.write("empty.pcap", Wire::default().file());
    let done = check(&[&file, &empty]);
    assert_eq!(done.status.code(), Some(1));
    assert!(
        text(&done).contains("no conversation was read as mygame: -p mygame reads every packet"),
        "{}",
        text(&done)
    );
    assert_eq!(check(&[&file, &empty, "--allow-empty"]).status.code(), Some(0));
    let nothing = scratch.write("nothing.pcap", "");
    for (args, status, what) in [
        (vec![&*file, &nothing], 3, "it is empty"),
        (vec![&*file, "no-such.pcap"], 3, "no-such.pcap"),
        (vec!["no-such.toml"], 3, "no-such.toml"),
        (vec![&*file, &empty, "-p", "riptide"], 2, "-p mygame reads every packet"),
        (vec![&*file, &empty, "--port", "7=nobody"], 2, "nobody"),
        (vec![&*file, &empty, "-s", "mygame.x=1"], 2, "mygame.x"),
    ] {
        let done = check(&args);
        let why = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(status), "{args:?}: {why}");
        assert!(why.starts_with("netkit: ") && why.contains(what), "{args:?}: {why}");
    }
    // The readable part of a truncated capture counts.
    let mut cut = std::fs::read(tutorial("mygame.pcap")).unwrap();
    cut.truncate(cut.len() - 5);
    let cut = scratch.write("cut.pcap", cut);
    let done = check(&[&file, &cut]);
    assert_eq!(done.status.code(), Some(3));
    assert!(text(&done).contains("explained   15 of 15 packets"), "{}", text(&done));
    // The environment may name the same file.
    let mut command = common::netkit(&["check", &file, &tutorial("mygame.pcap")]);
    let done = command.env("NETKIT_PROTOCOLS", &file).env("XDG_CONFIG_HOME", scratch.path()).output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
}

#[cfg(unix)]
#[test]
fn stopped_it_prints_what_was_counted() {
    use std::io::{Read, Write};
    let scratch = Scratch::new("check-stopped");
    let pipe = scratch.pipe("live.pcap");
    let mut child = common::netkit(&["check", &tutorial("3.toml"), &pipe]).spawn().unwrap();
    let mut writer = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    writer.write_all(&std::fs::read(tutorial("mygame.pcap")).unwrap()).unwrap();
    common::drained(&writer);
    common::rests(&child);
    common::signal(&child, "-INT");
    assert_eq!(common::ended(&mut child).code(), Some(130));
    let mut shown = String::new();
    child.stdout.take().unwrap().read_to_string(&mut shown).unwrap();
    assert!(shown.contains("stopped after frame 16") && shown.contains("16 of 16 packets"), "{shown}");
}

/// A mistake in the file of a carrier is reported with the carrier's name.
#[test]
fn mistakes_of_a_carrier_are_in_its_file() {
    let scratch = Scratch::new("check-carrier");
    let message = "[[message]]\nid = 1\nname = \"m\"\n[message.fields]\n";
    let carrier = format!(
        "protocol = \"car\"\nencoding = \"be\"\n[udp]\nports = [7001]\n{message}seq = \"u17\"\nbody = \"payload\"\n"
    );
    let carrier = scratch.write("carrier.toml", carrier);
    let game = format!("protocol = \"game\"\nencoding = \"be\"\n[over]\nprotocol = \"car\"\n{message}x = \"u8\"\n");
    let game = scratch.write("game.toml", game.replace("\"m\"", "\"g\""));
    let args = [game.as_str(), "--protocol-file", &carrier];
    let printed = text(&check(&args));
    assert!(printed.starts_with(&format!("{carrier}: line 9: ")), "{printed}");
    let (found, _) = findings(&args);
    assert_eq!((&found["file"], &found["mistakes"][0]["file"]), (&js!(game), &js!(carrier)), "{found}");
    let (own, _) = findings(&[&wrong(&scratch)]);
    assert_eq!(own["mistakes"][0].get("file"), None, "{own}");
}

/// A port of the file claims a WebSocket, with the path `/` in the file as without one.
#[test]
fn a_websocket_with_the_shortest_path_is_claimed() {
    let scratch = Scratch::new("check-path");
    let ends = ["10.0.0.1:50000", "10.0.0.2:7001"].map(|end| end.parse::<SocketAddr>().unwrap());
    let request = "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    let granted = common::granted(request.as_bytes());
    let mut wire = Wire::default();
    let messages = [
        (true, request.as_bytes().to_vec()),
        (false, granted),
        (true, hex::decode("8282000000000105").unwrap()),
        (false, hex::decode("82020106").unwrap()),
    ];
    wire.stream(ends, &messages);
    let capture = scratch.write("ws.pcap", wire.file());
    for path in ["", "path = \"/\"\n"] {
        let file = format!(
            "protocol = \"wsg\"\nencoding = \"be\"\n[websocket]\nports = [7001]\n{path}[[message]]\nid = 1\nname = \"a\"\n\
             [message.fields]\nx = \"u8\"\n"
        );
        let file = scratch.write("wsg.toml", file);
        let (found, _) = findings(&[&file, &capture]);
        assert_eq!(found["captures"][0]["conversations"]["of"], 1, "{path}: {found}");
    }
}
