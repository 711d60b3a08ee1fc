//! Messages as rows: csv, tsv, and summaries with chosen columns.

use crate::common;
use crate::common::{Wire, args_of, fixture, netkit, run};
use serde_json::Value as Json;
use std::path::Path;
use std::process::Stdio;

/// The records of RFC 4180 text, with quotes, parsed without the program's code.
fn records(text: &str, separator: char) -> Vec<Vec<String>> {
    let (mut all, mut record, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => quoted = !quoted,
            '\n' if !quoted => {
                record.push(std::mem::take(&mut cell));
                all.push(std::mem::take(&mut record));
            }
            c if c == separator && !quoted => record.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    assert!(!quoted && cell.is_empty() && record.is_empty(), "it ends with a line");
    all
}

/// The cell of an ndjson value that needs no escape.
fn cell(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn ndjson(path: &str, more: &[&str]) -> Vec<Json> {
    run(&[&["decode", path, "-f", "ndjson", "--bytes"], more].concat(), b"").lines()
}

const KEYS: &str = "frame,frames,time,flow,proto,version,from,transport,src,dst,message,length,notes,fault,fields,\
                    derived,bytes";

#[test]
fn every_key_is_what_ndjson_has() {
    let captures = [
        "riptide/riptide20-lossy.pcap",
        "dnp/dnp-basic.pcap",
        "nano/pomelo-ws.pcap",
        "gne/gne-le-udp-full.pcap",
        "acknex/acknex-malformed.pcap",
    ];
    for (format, separator) in [("csv", ','), ("tsv", '\t')] {
        for capture in captures {
            let path = fixture(capture);
            let path = path.to_str().expect("UTF-8");
            let args = args_of(Path::new(path));
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let done = run(&[&["decode", path, "-f", format, "--columns", KEYS], &args[..]].concat(), b"").ok();
            let rows = records(done.text(), separator);
            assert_eq!(rows[0].join(","), KEYS);
            let lines = ndjson(path, &args);
            assert_eq!((rows.len(), done.text().lines().count()), (lines.len() + 1, lines.len() + 1), "{capture}");
            assert!(lines.len() > 20, "{capture}");
            for (row, line) in rows[1..].iter().zip(&lines) {
                for (name, got) in KEYS.split(',').zip(row) {
                    let value = match name {
                        // Always a list, also for a single frame.
                        "frames" => line.get("frames").cloned().unwrap_or_else(|| [line["frame"].clone()].into()),
                        _ => line[name].clone(),
                    };
                    match value.is_object() || value.is_array() {
                        true => assert_eq!(common::json(got), value, "{capture} {name} {line}"),
                        false if name == "time" => assert_eq!(got.parse::<f64>().ok(), value.as_f64()),
                        false => assert_eq!(*got, cell(&value), "{capture} {name} {line}"),
                    }
                }
            }
        }
    }
}

/// A field is empty in messages without it, and a list if it is inside a list, also of one element.
#[test]
fn fields_of_messages() {
    let path = fixture("dnp/dnp-states.pcap");
    let path = path.to_str().expect("UTF-8");
    let columns = "message,links.link_id,links.values.index,fields.length,number";
    let done = run(&["decode", path, "-f", "csv", "--columns", columns], b"").ok();
    let lines = ndjson(path, &[]);
    let rows = records(done.text(), ',');
    let (mut lists, mut none) = (0, 0);
    for (row, line) in rows[1..].iter().zip(&lines) {
        let ids: Option<Vec<Json>> =
            line["fields"]["links"].as_array().map(|links| links.iter().map(|link| link["link_id"].clone()).collect());
        match ids {
            Some(ids) => {
                lists += 1;
                assert_eq!(common::json(&row[1]), Json::Array(ids), "{line}");
            }
            None => {
                none += 1;
                assert_eq!(row[1], "", "{line}");
            }
        }
        assert_eq!(row[3], cell(&line["fields"]["length"]), "not the message's own length");
        assert_eq!(row[4], cell(&line["fields"]["number"]));
    }
    assert!(lists > 0 && none > 0, "{lists} {none}");
}

/// `fields.`, `derived.` and `packet.` are the parts of ndjson: also a list with values of two parts, and a derived
/// value among the headers.
#[test]
fn parts_of_lines() {
    let files = [
        ("dnp/dnp-ipv6.pcap", "fields.links,derived.links"),
        ("dnp/dnp-states.pcap", "fields.links,derived.links,fields.values"),
        ("described/minecraft-login.pcap", "derived.compressed,packet.data_length,derived.memory,fields.data"),
        ("described/raknet.pcap", "packet.id,packet.kind,raknet.packet.id,fields.data"),
        // A message may be called `packet`.
        ("described/dns.pcap", "dns.packet.id,fields.question"),
        ("nano/pomelo-ws.pcap", "derived.json,fields.payload"),
    ];
    for (file, columns) in files {
        let path = fixture(file);
        let args = args_of(&path);
        let args = ["-q", path.to_str().expect("UTF-8")].into_iter().chain(args.iter().map(String::as_str));
        let args: Vec<&str> = args.collect();
        let decode = |more: &[&str]| run(&[&["decode"], &args[..], more].concat(), b"").ok();
        let lines = decode(&["-f", "ndjson"]).lines();
        let rows = records(decode(&["-f", "csv", "--columns", columns]).text(), ',');
        assert_eq!(rows.len(), lines.len() + 1, "{file}");
        for (k, name) in columns.split(',').enumerate() {
            let path = name.replace("raknet.", "").replace("dns.packet", "fields");
            let value = |line| path.split('.').fold(line, |value: &Json, name| &value[name]);
            for (row, line) in rows[1..].iter().zip(&lines) {
                let value = value(line);
                match value.is_object() || value.is_array() {
                    true => assert_eq!(common::json(&row[k]), *value, "{file} {name} {line}"),
                    false => assert_eq!(row[k], cell(value), "{file} {name} {line}"),
                }
            }
            let some = lines.iter().filter(|line| !value(line).is_null()).count();
            assert!(some > 0, "{file} {name}");
            assert_eq!(decode(&["-f", "ndjson", "-F", name]).lines().len(), some, "{file} {name}: a filter");
        }
    }
    // What is derived is not under the others' names.
    let path = fixture("described/minecraft-login.pcap");
    let args = args_of(&path);
    let args = ["decode", path.to_str().expect("UTF-8")].into_iter().chain(args.iter().map(String::as_str));
    let done = run(&args.chain(["-F", "packet.compressed"]).collect::<Vec<_>>(), b"");
    assert!(done.status == Some(2) && done.err.contains("derived.compressed"), "{}", done.err);
}

/// Text of a capture reaches neither a terminal nor a spreadsheet as a command.
#[test]
fn hostile_texts() {
    let route = "=cmd|' /C calc'!A0,\"\u{1b}[2J\r\n\u{9b}31m\u{202e}x";
    let line = serde_json::json!({"proto": "nano", "message": "notify", "fields": {"route": route, "payload": "00"}});
    let hex = run(&["encode", "--json", "-"], line.to_string().as_bytes()).ok();
    for (format, separator) in [("csv", ','), ("tsv", '\t')] {
        let args = ["dump", "-p", "nano", "-f", format, "--columns", "frame,route,payload"];
        let done = run(&args, hex.text().as_bytes()).ok();
        assert_eq!(done.text().lines().count(), 2, "a row is one line");
        assert!(done.text().chars().all(|c| !c.is_control() || c == '\n' || c == separator), "{}", done.text());
        let shown = "'=cmd|' /C calc'!A0,\"\\u{1b}[2J\\r\\n\\u{9b}31m\\u{202e}x";
        assert_eq!(records(done.text(), separator)[1], ["", shown, "00"]);
    }
}

#[test]
fn nothing_gives_the_header_alone() {
    let path = fixture("foreign/rtp.pcap");
    let done = run(&["decode", path.to_str().expect("UTF-8"), "-f", "csv", "-q"], b"").ok();
    assert_eq!(done.text(), "frame,time,flow,proto,from,src,dst,message,length,fields\n");
}

#[test]
fn unknown_columns_are_refused_with_the_nearest() {
    let path = fixture("nano/pomelo-ws.pcap");
    let refused = |more: &[&str], what: &str| {
        let done = run(&[&["decode", path.to_str().expect("UTF-8")], more].concat(), b"");
        assert_eq!((done.status, done.text()), (Some(2), ""), "{more:?}");
        assert!(done.err.contains(what), "{more:?}: {}", done.err);
    };
    refused(&["-f", "csv", "--columns", "time,rout"], "no field \"rout\" here, did you mean \"route\"?");
    refused(&["-f", "csv", "--columns", "fautl"], "did you mean \"fault\"?");
    refused(&["-f", "csv", "--columns", "time,,src"], "--columns");
    refused(&["-f", "csv", "--columns", "riptide.reliable"], "expected a field's name");
    // Known, but of another protocol.
    refused(&["-f", "csv", "--columns", "message_id", "-p", "nano"], "nano has no field \"message_id\"");
    refused(&["-f", "ndjson", "--columns", "time"], "only with -f csv, tsv and summary");
}

#[test]
fn times() {
    let path = fixture("riptide/riptide20-udp.pcap");
    let column = |form: &str, zone: &str| -> Vec<String> {
        let args =
            ["decode", path.to_str().expect("UTF-8"), "-f", "csv", "--columns", "time", "--time", form, "-c", "3"];
        let done = common::feed(netkit(&args).env("TZ", zone), b"").ok();
        done.text().lines().skip(1).map(String::from).collect()
    };
    let epoch: Vec<f64> = column("epoch", "UTC").iter().map(|t| t.parse().expect("a number")).collect();
    let near = |a: f64, b: f64| (a - b).abs() < 2e-6;
    for (k, (relative, delta)) in column("relative", "UTC").iter().zip(column("delta", "UTC")).enumerate() {
        assert!(near(relative.parse().expect("a number"), epoch[k] - epoch[0]), "{relative}");
        assert!(near(delta.parse().expect("a number"), epoch[k] - epoch[k.saturating_sub(1)]), "{delta}");
    }
    let utc = column("utc", "UTC");
    assert!(utc[0].ends_with('Z') && utc[0].len() == 27, "{utc:?}");
    // India is half an hour off, Newfoundland is behind UTC; November has no daylight saving time.
    for (zone, offset) in [("Asia/Kolkata", "+05:30"), ("<-0330>3:30", "-03:30"), ("UTC", "+00:00")] {
        let local = column("local", zone);
        if zone == "Asia/Kolkata" && !Path::new("/usr/share/zoneinfo/Asia/Kolkata").exists() {
            continue;
        }
        assert!(local[0].ends_with(offset), "{zone}: {local:?}");
        let minutes = |text: &str| {
            text[11..13].parse::<i32>().expect("hours") * 60 + text[14..16].parse::<i32>().expect("minutes")
        };
        let shift = offset[1..3].parse::<i32>().expect("hours") * 60 + offset[4..6].parse::<i32>().expect("minutes");
        let shift = if offset.starts_with('-') { -shift } else { shift };
        assert_eq!((minutes(&utc[0]) + shift).rem_euclid(24 * 60), minutes(&local[0]), "{zone}: {local:?} {utc:?}");
        assert_eq!(utc[0][17..26], local[0][17..26]);
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let mut wire = Wire::default();
    let ends = ["127.0.0.1:50000".parse().expect("an end"), "127.0.0.1:7777".parse().expect("an end")];
    (0..20_000).for_each(|_| wire.datagram(ends, true, &[5, 3, 20, 0]));
    let mut args = vec!["decode", "-", "-p", "riptide", "-s", "riptide.version=2.0", "-f", "csv"];
    args.extend(["--columns", "fields,bytes,src,dst"]);
    let mut child = netkit(&args).stdin(Stdio::piped()).spawn().expect("netkit");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    drop(std::io::Write::write_all(&mut stdin, &wire.file()));
    drop(stdin);
    let done = common::finish(child);
    assert_eq!((done.status, done.err.as_str()), (Some(0), ""));
}

/// The route and the body of a request matter more than its flags, and are printed first.
#[test]
fn what_matters_comes_first_in_summaries() {
    let path = fixture("nano/pomelo-ws.pcap");
    let summary = |width: &str| {
        let args = ["decode", path.to_str().expect("UTF-8"), "-f", "summary", "-F", "frame == 14"];
        common::feed(netkit(&args).env("COLUMNS", width), b"").ok().text().to_owned()
    };
    let wide = summary("300");
    let at = |what: &str| wide.find(what).unwrap_or_else(|| panic!("{what}: {wide}"));
    assert!(at(" route=") < at(" flags=") && at(" json=") < at(" flags=") && at(" payload=") < at(" flags="), "{wide}");
    let narrow = summary("120");
    assert!(narrow.contains(" route=") && !narrow.contains(" flags="), "{narrow}");
}

#[test]
fn summaries_with_columns() {
    let path = fixture("nano/pomelo-ws.pcap");
    let args = ["decode", path.to_str().expect("UTF-8"), "-f", "summary", "--columns", "frame,from,message,route"];
    let done = run(&[&args[..], &["-F", "frame == 14"]].concat(), b"").ok();
    assert_eq!(done.text(), "14     client   request           connector.entryHandler.enter\n");
}

#[test]
fn columns_of_statistics() {
    let path = fixture("riptide/riptide20-udp.pcap");
    let stats =
        |more: &[&str]| run(&[&["stats", path.to_str().expect("UTF-8"), "--by", "message"], more].concat(), b"");
    let all = stats(&["-f", "csv"]).ok();
    let some = stats(&["-f", "tsv", "--columns", "messages,message"]).ok();
    let (all, some) = (records(all.text(), ','), records(some.text(), '\t'));
    let place = |name: &str| all[0].iter().position(|n| n == name).unwrap_or_else(|| panic!("{name}: {:?}", all[0]));
    assert_eq!(some[0], ["messages", "message"]);
    assert!(all.len() > 3 && all.len() == some.len());
    for (row, chosen) in all.iter().zip(&some) {
        assert_eq!(*chosen, [row[place("messages")].clone(), row[place("message")].clone()]);
    }
    let done = stats(&["-f", "csv", "--columns", "mesages"]);
    assert_eq!((done.status, done.text()), (Some(2), ""));
    assert!(done.err.contains("did you mean \"messages\"?"), "{}", done.err);
    assert_eq!(stats(&["-f", "json", "--columns", "count"]).status, Some(2));
    let track = |form: &str| run(&["stats", path.to_str().expect("UTF-8"), "--track", "length", "-f", form], b"").ok();
    assert_eq!(track("tsv").text(), track("csv").text().replace(',', "\t"));
}

/// The messages of both sides in two columns: answers beside their requests, copies marked.
#[test]
fn dialogues() {
    let dialogue = |capture: &str, width: &str, more: &[&str]| {
        let path = fixture(capture);
        let args = [&["decode", path.to_str().expect("UTF-8"), "-f", "dialogue"], more].concat();
        common::feed(netkit(&args).env("COLUMNS", width), b"").ok().text().to_owned()
    };
    let text = dialogue("nano/pomelo-ws.pcap", "140", &["--flow", "1"]);
    assert!(text.starts_with("conversation 1: websocket, client 127.0.0.1:58310, server 127.0.0.1:3020\n"), "{text}");
    let line = |what: &str| text.lines().find(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}: {text}"));
    // The answer is the next message: both are on one line, with the time between them.
    let both = line(" 14 request ");
    assert!(both.contains(" 15 11.927 ms response "), "{both}");
    // Another message is between them: the answer has a line of its own, which names its request.
    assert!(
        !line(" 38 request ").contains("response") && line(" 40 response ").contains("response (to 38) "),
        "{text}"
    );
    // Every message of the conversation occurs on its sender's side.
    let lines = ndjson(fixture("nano/pomelo-ws.pcap").to_str().expect("UTF-8"), &["--flow", "1"]);
    for one in &lines {
        let words = format!(" {} ", one["frame"]);
        let middle = 14 + (140 - 16) / 2;
        let found = text.lines().skip(1).any(|line| {
            let (left, right) = line.split_at(line.char_indices().nth(middle).map_or(line.len(), |(at, _)| at));
            let side = if one["from"] == "server" { right } else { left };
            side.contains(&words) && side.contains(one["message"].as_str().expect("a name"))
        });
        assert!(found, "{one}: {text}");
    }
    let text = dialogue("riptide/riptide22-lossy.pcap", "100", &["--flow", "2"]);
    let again = ndjson(fixture("riptide/riptide22-lossy.pcap").to_str().expect("UTF-8"), &["--flow", "2"]);
    let copies = again
        .iter()
        .filter(|line| line["related"].as_array().is_some_and(|all| all.iter().any(|one| one["kind"] == "copy_of")));
    assert_eq!(text.matches(" (again)").count(), copies.count());
    assert!(text.contains(" (again)") && text.lines().all(|line| line.chars().count() <= 100), "{text}");
    // Two conversations: each begins with a line that names it. Without messages there is no output.
    assert!(dialogue("riptide/riptide22-lossy.pcap", "100", &[]).contains("\nconversation 2: riptide, client "));
    assert_eq!(dialogue("foreign/rtp.pcap", "100", &["-q"]), "");
}

/// Two requests in one segment: no response is beside the other one's request.
#[test]
fn a_response_is_next_to_its_own_request_only() {
    let package = |kind: u8, body: &[u8]| [&[kind, 0, 0, body.len() as u8], body].concat();
    // Flags (0: a request with its route, 4: a response), the number, and the length of the route.
    let request = |id: u8| package(4, &[&[0, id, 4][..], b"chat{}"].concat());
    let response = |id: u8| package(4, &[&[4, id][..], b"{}"].concat());
    let mut wire = Wire::default();
    let sent = [
        (true, package(1, br#"{"sys":{"type":"js","version":"1.0"},"user":{}}"#)),
        (false, package(1, br#"{"code":200,"sys":{"heartbeat":30}}"#)),
        (true, package(2, b"")),
        // Frame 6: the two frames of the handshake of TCP are before these.
        (true, [request(1), request(2)].concat()),
        (false, response(1)),
        (false, response(2)),
    ];
    wire.stream(["10.1.2.3:50000", "10.9.8.7:3250"].map(|end| end.parse().expect("an end")), &sent);
    let folder = common::Scratch::new("dialogue");
    let path = folder.write("two.pcap", wire.file());
    let dialogue = |files: &[&str]| {
        let done = run(&[&["decode", "-q", "-p", "nano", "-f", "dialogue"], files].concat(), b"").ok();
        done.text().to_owned()
    };
    let text = dialogue(&[&path]);
    assert_eq!(text.matches(" response (to 6) ").count(), 2, "{text}");
    assert!(!text.lines().any(|line| line.contains(" request ") && line.contains(" response ")), "{text}");
    // The conversations of another file have the same numbers, and headings of their own.
    assert_eq!(dialogue(&[&path, &path]), format!("{text}\n{text}"));
}
