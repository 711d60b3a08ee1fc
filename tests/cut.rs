//! `decode -w`: frames of messages as a capture of their own.

mod common;

use common::{Done, Scratch, Wire, args_of, fixture, run};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;

/// The records of a classic capture, with their headers.
fn records(file: &[u8]) -> Vec<Vec<u8>> {
    let (mut rest, mut list) = (&file[24..], Vec::new());
    while !rest.is_empty() {
        let length = u32::from_le_bytes(rest[8..12].try_into().expect("four bytes")) as usize;
        let (record, behind) = rest.split_at(16 + length);
        list.push(record.to_vec());
        rest = behind;
    }
    list
}

fn decode(path: &str, args: &[&str]) -> Done {
    run(&[&["decode", path], args].concat(), b"")
}

/// All frames of these lines.
fn frames(lines: &[Json]) -> BTreeSet<u64> {
    let list = |line: &Json| match line["frames"].as_array() {
        Some(frames) => frames.iter().filter_map(Json::as_u64).collect(),
        None => vec![line["frame"].as_u64().expect("a number")],
    };
    lines.iter().flat_map(list).collect()
}

#[test]
fn the_frames_of_messages_unchanged() {
    let folder = Scratch::new("cut");
    for (capture, filter) in [
        ("riptide/riptide22-lossy.pcap", "message == reliable and from == client"),
        // In IP fragments.
        ("dnp/dnp-frag.pcap", "length > 1000"),
        // Over TCP, in several segments.
        ("nano/nano-tcp-bad.pcap", "message in {handshake, request}"),
        ("riptide/riptide22-lossy.pcap", "frame == 0"),
    ] {
        let path = fixture(capture);
        let path = path.to_str().expect("UTF-8");
        let args = args_of(Path::new(path));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (cut, next) = (folder.file("cut.pcap"), folder.file("cut.PCAPNG"));
        for to in [&cut, &next] {
            let done = decode(path, &[&["-F", filter, "-w", to, "--force"], &args[..]].concat()).ok();
            assert_eq!(done.text(), "", "{capture}: nothing is printed");
        }
        let lines = decode(path, &[&["-F", filter, "-f", "ndjson"], &args[..]].concat()).ok().lines();
        let wanted = frames(&lines);
        let all = records(&std::fs::read(path).expect("a capture"));
        let chosen: Vec<Vec<u8>> = wanted.iter().map(|frame| all[*frame as usize - 1].clone()).collect();
        assert_eq!(records(&std::fs::read(&cut).expect("written")), chosen, "{capture}");
        assert!(filter == "frame == 0" || chosen.len() > 1 && chosen.len() < all.len(), "{capture}: {}", chosen.len());
        // Both files hold the same.
        let both = [&cut, &next].map(|file| decode(file, &[&["-f", "ndjson", "-q"], &args[..]].concat()).ok());
        assert_eq!(both[0], both[1], "{capture}");
        assert_eq!(&std::fs::read(&next).expect("written")[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
    }
}

#[test]
fn whole_conversations() {
    let folder = Scratch::new("cut-whole");
    for (capture, filter, flow) in [
        ("riptide/riptide22-lossy.pcap", "flow == 2 and message == welcome", "2"),
        ("gne/gne-le-two-clients.pcap", "flow == 3", "3"),
        ("dnp/dnp-frag.pcap", "length > 1000 and flow == 1", "1"),
    ] {
        let path = fixture(capture);
        let (path, cut) = (path.to_str().expect("UTF-8"), folder.file("cut.pcap"));
        let args = args_of(Path::new(path));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        decode(path, &[&["-F", filter, "--whole", "-w", &cut, "--force", "-c", "1"], &args[..]].concat()).ok();
        let plain = |done: Done| -> Vec<Json> {
            let pick = |line: Json| serde_json::json!([line["time"], line["src"], line["message"], line["fields"]]);
            done.lines().into_iter().map(pick).collect()
        };
        let got = plain(decode(&cut, &[&["-f", "ndjson"], &args[..]].concat()).ok());
        let expected = plain(decode(path, &[&["-f", "ndjson", "--flow", flow], &args[..]].concat()).ok());
        assert!(expected.len() > 2, "{capture}: {}", expected.len());
        assert_eq!(got, expected, "{capture}");
    }
}

/// What the format cannot hold is refused, and leaves nothing behind.
#[test]
fn frames_of_two_kinds() {
    use netkit::capture::{Capture, LinkType, PcapWriter, Time};
    let folder = Scratch::new("cut-kinds");
    let mut wire = Wire::default();
    let ends = ["127.0.0.1:50000".parse().expect("an end"), "127.0.0.1:7777".parse().expect("an end")];
    (0..3).for_each(|_| wire.datagram(ends, true, &[5, 3, 20, 0]));
    let a = folder.write("a.pcap", wire.file());
    let mut raw = Vec::new();
    let mut writer = PcapWriter::new(&mut raw, LinkType(101), 9).expect("a header");
    for (k, record) in records(&wire.file()).iter().enumerate() {
        // One frame was cut when it was captured: that stays so.
        let data = &record[30..];
        writer.record(Time { secs: 90_000 + k as i64, frac: 1, digits: 9 }, data, data.len() + 7 * k).expect("written");
    }
    let b = folder.write("b.pcap", raw);
    let options = ["-p", "riptide", "-s", "riptide.version=2.0", "--join"];
    let to = |name: &str| {
        let (name, mut args) = (folder.file(name), vec!["decode", &*a, &*b]);
        args.extend(options);
        args.extend(["-w", &name]);
        run(&args, b"")
    };
    let done = to("both.pcap");
    assert_eq!(done.status, Some(3), "{}", done.err);
    assert!(done.err.contains("frame 4: ") && done.err.contains("name the file .pcapng"), "{}", done.err);
    assert_eq!(common::entries(folder.path()).len(), 2, "nothing is left behind");
    to("both.pcapng").ok();
    let file = std::fs::File::open(folder.file("both.pcapng")).expect("it");
    let mut capture = Capture::open(Box::new(file)).expect("a capture");
    let mut seen = Vec::new();
    while let Some(frame) = capture.next().expect("a frame") {
        seen.push((frame.link.0, frame.time.digits, frame.length - frame.data.len()));
    }
    assert_eq!(seen, [(1, 6, 0), (1, 6, 0), (1, 6, 0), (101, 9, 0), (101, 9, 7), (101, 9, 14)]);
}

#[test]
fn what_is_refused() {
    let folder = Scratch::new("cut-refused");
    let capture = std::fs::read(fixture("riptide/riptide20-udp.pcap")).expect("it");
    let path = folder.write("a.pcap", &capture);
    let (older, text) = (folder.write("older.pcap", "older"), folder.write("text", "08 01 00 01 00\n"));
    let new = folder.file("new.pcap");
    for (args, status, why) in [
        (vec![&*path, "-w", &older], 2, "--force"),
        (vec![&*path, "-w", &path, "--force"], 2, "a.pcap"),
        (vec!["-", "-w", &new], 2, "more than once"),
        (vec![&*path, &*path, "-w", &new], 2, "--join"),
        (vec![&*path, "-w", &new, "-f", "ndjson"], 2, "cannot be used with"),
        (vec![&*path, "--whole"], 2, "--write"),
        (vec![&*text, "-w", &new, "-p", "riptide"], 3, "hex text has no frames"),
        (vec!["nosuch.pcap", "-w", &new], 3, "nosuch.pcap"),
    ] {
        let done = run(&[&["decode"], &args[..]].concat(), &capture);
        assert_eq!(done.status, Some(status), "{args:?}: {}", done.err);
        assert!(done.err.contains(why), "{args:?}: {}", done.err);
        assert!(!Path::new(&new).exists(), "{args:?}");
    }
    assert_eq!(std::fs::read_to_string(&older).expect("it"), "older");
    // A capture that is cut: what could be read is written, and the status says so.
    let cut = folder.write("cut.pcap", &capture[..3000]);
    let done = run(&["decode", &cut, "-w", &new], b"");
    assert_eq!(done.status, Some(3), "{}", done.err);
    assert!(records(&std::fs::read(&new).expect("written")).len() > 10);
    // Gates hold or not as without -w.
    let done = run(&["decode", &path, "-w", &new, "--force", "--reject", "message == welcome"], b"");
    assert_eq!(done.status, Some(1), "{}", done.err);
}
