//! Several files as one capture.
#![cfg(unix)]

use crate::common;
use crate::common::{Done, Scratch, args_of, fixture, run};
use serde_json::Value as Json;

/// Cuts a classic capture into files with these numbers of frames; the last file has the rest.
fn split(capture: &str, sizes: &[usize]) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(fixture(capture)).expect("a capture");
    let (header, mut rest) = bytes.split_at(24);
    let mut files = vec![header.to_vec()];
    let mut frames = 0;
    while !rest.is_empty() {
        while sizes.get(files.len() - 1).is_some_and(|size| frames == *size) {
            files.push(header.to_vec());
            frames = 0;
        }
        let length = u32::from_le_bytes(rest[8..12].try_into().expect("four bytes")) as usize;
        let (record, following) = rest.split_at(16 + length);
        files.last_mut().expect("a file").extend_from_slice(record);
        (frames, rest) = (frames + 1, following);
    }
    files
}

/// Writes the files under names whose order differs from that of their times.
fn written(folder: &Scratch, files: &[Vec<u8>]) -> Vec<String> {
    let mut names: Vec<String> = files
        .iter()
        .enumerate()
        .map(|(k, file)| folder.write(&format!("{}-ring.pcap", (k * 7 + 3) % 10), file))
        .collect();
    names.sort();
    names
}

fn decode(files: &[String], more: &[&str]) -> Done {
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    run(&[&["decode"], &files[..], more].concat(), b"")
}

/// The output for the parts equals that for the whole; each line of the parts has its file.
#[test]
fn rotated_files_are_the_whole() {
    for (capture, sizes) in [
        ("riptide/riptide22-lossy.pcap", vec![100, 1, 0, 300]),
        ("nano/nano-tcp-bad.pcap", vec![30, 90, 100, 120]),
        ("gne/gne-le-udp-full.pcap", vec![9, 8, 7, 20]),
        ("dnp/dnp-frag.pcap", vec![2, 3, 2, 1]),
    ] {
        let folder = Scratch::new("join");
        let parts = split(capture, &sizes);
        assert_eq!(parts.len(), 5, "{capture}");
        let names = written(&folder, &parts);
        let args = args_of(&fixture(capture));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        for format in ["ndjson", "json"] {
            let whole =
                run(&[&["decode", fixture(capture).to_str().expect("UTF-8"), "-f", format], &args[..]].concat(), b"");
            let mut all = Vec::new();
            for threads in ["1", "2", "3"] {
                let more = [&["--join", "-f", format, "--threads", threads], &args[..]].concat();
                all.push(decode(&names, &more).ok());
            }
            assert!(all.iter().all(|done| *done == all[0]), "{capture}: threads");
            let lines = |done: &Done| -> Vec<Json> {
                match format {
                    "ndjson" => done.lines(),
                    _ => common::json(done.text()).as_array().expect("an array").clone(),
                }
            };
            let (mut joined, whole) = (lines(&all[0]), lines(&whole));
            for line in &mut joined {
                let frame = line["frame"].as_u64().expect("a number") as usize;
                let object = line.as_object_mut().expect("an object");
                let file = object.remove("file").expect("a file");
                let own = object.remove("file_frame").expect("a number").as_u64().expect("a number") as usize;
                // The part that holds the frame, counted here and not by the program.
                let (mut part, mut before) = (0, 0);
                while part < sizes.len() && frame > before + sizes[part] {
                    before += sizes[part];
                    part += 1;
                }
                assert_eq!(own, frame - before, "{capture} frame {frame}");
                assert_eq!(std::fs::read(file.as_str().expect("text")).expect("it"), parts[part], "{capture} {frame}");
            }
            assert_eq!(joined, whole, "{capture} {format}");
        }
        // Also as rows and in a summary.
        let rows =
            decode(&names, &[&["--join", "-f", "csv", "--columns", "frame,file,file_frame"], &args[..]].concat()).ok();
        assert!(rows.text().lines().nth(1).is_some_and(|row| row.contains("-ring.pcap,")), "{}", rows.text());
    }
}

#[test]
fn without_join_each_file_is_its_own() {
    let folder = Scratch::new("apart");
    let names = written(&folder, &split("riptide/riptide22-udp.pcap", &[50]));
    let both = decode(&names, &["-f", "ndjson"]).ok();
    let mut lines = Vec::new();
    for name in &names {
        for mut line in decode(std::slice::from_ref(name), &["-f", "ndjson"]).ok().lines() {
            assert_eq!(line.get("file"), None, "one file needs no name");
            let frame = line["frame"].clone();
            let object = line.as_object_mut().expect("an object");
            object.insert("file".into(), name.as_str().into());
            object.insert("file_frame".into(), frame);
            lines.push(line);
        }
    }
    assert_eq!(both.lines(), lines);
    // Such lines can still be encoded.
    let back = run(&["encode", "--json", "-"], &both.out).ok();
    assert_eq!(back.text().lines().count(), lines.len());
}

#[test]
fn gaps_and_overlaps_are_reported() {
    let folder = Scratch::new("gaps");
    let parts = split("riptide/riptide22-lossy.pcap", &[100, 100, 100]);
    let name = |k: usize| folder.write(&format!("{k}.pcap"), &parts[k]);
    let names = [name(0), name(1), name(2), name(3)];
    assert_eq!(decode(&names, &["--join", "-f", "ndjson"]).ok().err, "", "nothing is missing");
    let gap = decode(&[names[0].clone(), names[3].clone()], &["--join", "-f", "ndjson"]).ok();
    assert!(gap.err.contains(&format!("s without a frame between {} and {}", names[0], names[3])), "{}", gap.err);
    assert_eq!(gap.err.lines().count(), 1, "{}", gap.err);
    let twice = decode(&[names[0].clone(), names[0].clone()], &["--join", "-f", "ndjson"]).ok();
    assert!(twice.err.contains("what overlaps is read one file after the other"), "{}", twice.err);
}

#[test]
fn broken_files_and_wrong_ones() {
    let folder = Scratch::new("broken");
    let mut parts = split("riptide/riptide22-lossy.pcap", &[100, 100, 100]);
    let cut = parts[1].len() - 5;
    parts[1].truncate(cut);
    let names: Vec<String> = (0..4).map(|k| folder.write(&format!("{k}.pcap"), &parts[k])).collect();
    let done = decode(&names, &["--join", "-f", "ndjson"]);
    assert_eq!(done.status, Some(3), "{}", done.err);
    assert!(
        done.err.contains(&format!("netkit: {}: ", names[1])) && done.err.contains("after 99 frames"),
        "{}",
        done.err
    );
    let last = done.lines().pop().expect("lines");
    assert_eq!(last["file"], names[3].as_str(), "the others are read");
    // --link reads all files twice, but reports the error once.
    let linked = decode(&names, &["--join", "--link", "-q", "-f", "ndjson"]);
    let reported = linked.err.matches(&format!("netkit: {}: ", names[1])).count();
    assert_eq!((linked.status, reported), (Some(3), 1), "{}", linked.err);
    // -q leaves out no error of a file.
    let apart = [names[1].clone(), names[0].clone()];
    for done in [decode(&names, &["--join", "-q", "-f", "ndjson"]), decode(&apart, &["-q", "-f", "ndjson"])] {
        assert_eq!(done.status, Some(3), "{}", done.err);
        assert!(done.err.contains(&names[1]) && done.err.contains("after 99 frames"), "{}", done.err);
    }
    let text = folder.write("text", "no capture");
    for (file, status) in [(text.as_str(), 3), ("-", 2), ("nosuch.pcap", 3)] {
        let done = decode(&[names[0].clone(), file.into()], &["--join", "-f", "ndjson"]);
        assert_eq!((done.status, done.text()), (Some(status), ""), "{file}: {}", done.err);
        assert!(done.err.contains(if file == "-" { "stdin" } else { file }), "{}", done.err);
    }
    // Only headers: no output, and no error.
    let empty = folder.write("empty.pcap", &parts[0][..24]);
    let done = decode(&[empty.clone(), empty], &["--join", "-f", "csv", "-q"]).ok();
    assert_eq!(done.text().lines().count(), 1);
}

#[test]
fn patterns() {
    let folder = Scratch::new("patterns");
    let names: Vec<String> = split("riptide/riptide22-lossy.pcap", &[100, 100])
        .iter()
        .enumerate()
        .map(|(k, part)| folder.write(&format!("ring_{k}.pcap"), part))
        .collect();
    let all = decode(&names, &["--join", "-f", "ndjson"]).ok();
    assert_eq!(decode(&[folder.file("ring_*.pcap")], &["--join", "-f", "ndjson"]).ok(), all);
    let none = decode(&[folder.file("rong_*.pcap")], &["--join", "-f", "ndjson"]);
    assert_eq!(none.status, Some(3));
    assert!(none.err.contains("no file matches"), "{}", none.err);
}

/// Statistics, differences and replays of the parts equal those of the whole.
#[test]
fn other_commands() {
    let folder = Scratch::new("others");
    let names: Vec<String> = split("riptide/riptide22-lossy.pcap", &[100, 100, 300])
        .iter()
        .enumerate()
        .map(|(k, part)| folder.write(&format!("ring_{k}.pcap"), part))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let whole = fixture("riptide/riptide22-lossy.pcap");
    let whole = whole.to_str().expect("UTF-8");
    for more in [&["-f", "ndjson"][..], &["--delivery", "-f", "ndjson"], &["--track", "rtt", "-f", "csv"]] {
        let parts = run(&[&["stats", "--join"], &names[..], more].concat(), b"").ok();
        assert_eq!(parts, run(&[&["stats", whole], more].concat(), b"").ok(), "{more:?}");
        assert!(parts.out.len() > 300);
    }
    // Without it each file is listed, and then their sum.
    let together = run(&[&["stats", "-f", "json"], &names[..]].concat(), b"").ok();
    let together = common::json(together.text());
    assert_eq!(together.as_array().map(Vec::len), Some(names.len() + 1));
    let pattern = run(&["stats", "-f", "json", &folder.file("ring_*.pcap")], b"").ok();
    assert_eq!(common::json(pattern.text()), together);
    let pattern = folder.file("ring_*.pcap");
    let diff = run(&["diff", "--join", &pattern, whole, "-f", "json", "--fail-on", "rate > 0%"], b"").ok();
    assert_eq!(common::json(diff.text())["differences"], Json::Array(vec![]));
    let list = |args: &[&str]| run(&[&["replay", "--list", "-f", "ndjson"], args].concat(), b"").ok();
    assert_eq!(list(&[&["--join"], &names[..]].concat()), list(&[whole]));
    assert!(!list(&[whole]).out.is_empty());
    assert_eq!(run(&[&["replay", "--list"], &names[..]].concat(), b"").status, Some(2));
}

/// --since and --until count from the first frame of all files.
#[test]
fn times_of_joined_files() {
    let folder = Scratch::new("times");
    let names = written(&folder, &split("riptide/riptide22-lossy.pcap", &[100, 100, 300]));
    let whole = fixture("riptide/riptide22-lossy.pcap");
    let whole = whole.to_str().expect("UTF-8");
    for times in [
        &["--since", "2s"][..],
        &["--until", "4500ms"],
        &["--since", "1s", "--until", "11s"],
        &["--since", "2026-11-21T03:30:20Z"],
        &["--since", "1h"],
    ] {
        let columns = [&["-f", "csv", "--columns", "frame,time,message"], times].concat();
        let parts = decode(&names, &[&["--join"], &columns[..]].concat());
        let all = run(&[&["decode", whole], &columns[..]].concat(), b"");
        // An hour after the beginning there is nothing, which is reported.
        assert_eq!(parts.status, Some(i32::from(times == ["--since", "1h"])), "{times:?}: {}", parts.err);
        assert_eq!((parts.status, parts.text()), (all.status, all.text()), "{times:?}");
        let files: Vec<&str> = names.iter().map(String::as_str).collect();
        let figures = [&["--by", "second", "-f", "csv"], times].concat();
        let parts = run(&[&["stats", "--join"], &files[..], &figures[..]].concat(), b"");
        assert_eq!(parts, run(&[&["stats", whole], &figures[..]].concat(), b""), "{times:?}");
    }
    let some = |times: &[&str]| decode(&names, &[&["--join", "-f", "ndjson"], times].concat()).ok().lines().len();
    let (all, late, early) = (some(&[]), some(&["--since", "10s"]), some(&["--until", "10s"]));
    assert!(late > 0 && early > 0 && late + early == all, "{all} {late} {early}");
    // The gap between files is reported whatever part of them is printed.
    let ends = [names.iter().min_by_key(|n| n.contains("3-ring")).expect("one").clone(), names[0].clone()];
    let report = decode(&ends, &["--join", "-f", "ndjson", "--since", "1s"]);
    assert!(!report.err.is_empty(), "{}", report.err);
}
