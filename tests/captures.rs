//! Captures of real programs, compared with the results of independent decoders.
//!
//! `fixtures/PROTOCOL/NAME.pcap` has `NAME.expected.ndjson` (one line for each message), `NAME.args` (arguments) and
//! `NAME.notes.ndjson` (`line`, `code`: exactly these notes, among the codes in any notes file of the folder).
//! `vectors.json` holds hex with the expected lines. The tests compare proto, message, frame, version, from, fields,
//! the presence of a fault, and the given derived keys.

use crate::common;
use crate::common::{all_fixtures, args_of, ends_in, entries, fixture, json, json_lines as lines, run};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The printed lines, whatever the status: some captures are broken.
fn netkit(args: &[&str], input: &[u8]) -> Vec<Json> {
    run(args, input).lines()
}

/// `"*"` matches anything; numbers are compared as numbers.
fn same(want: &Json, got: &Json) -> bool {
    match (want, got) {
        (Json::String(any), _) if any == "*" => true,
        (Json::Number(a), Json::Number(b)) => match (a.as_i128(), b.as_i128()) {
            (Some(a), Some(b)) => a == b,
            _ => {
                let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
                a == b || (a - b).abs() <= 1e-15 * a.abs().max(b.abs())
            }
        },
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
        }
        _ => want == got,
    }
}

fn difference(want: &Json, got: &Json) -> Option<String> {
    for key in ["proto", "message", "frame", "version", "from"] {
        if want.get(key).is_some_and(|w| !same(w, &got[key])) {
            return Some(format!("{key}: expected {}, got {}", want[key], got[key]));
        }
    }
    let empty = Json::Object(Default::default());
    if !same(want.get("fields").unwrap_or(&empty), &got["fields"]) {
        return Some(format!("fields: expected {}, got {}", want["fields"], got["fields"]));
    }
    for (key, value) in want.get("derived").and_then(Json::as_object).into_iter().flatten() {
        if !same(value, &got["derived"][key]) {
            return Some(format!("derived.{key}: expected {value}, got {}", got["derived"][key]));
        }
    }
    let fault = |line: &Json| line.get("fault").is_some_and(|f| f.is_object() || f == &Json::Bool(true));
    (fault(want) != fault(got)).then(|| format!("fault: expected {}, got {}", fault(want), got["fault"]))
}

fn code_of(note: &Json) -> String {
    note["code"].as_str().unwrap_or("").into()
}

#[test]
fn captures_give_the_expected_lines() {
    let (mut files, mut wrong) = (0, Vec::new());
    for folder in entries(&fixture("")).into_iter().filter(|p| p.is_dir()) {
        let entries = entries(&folder);
        let notes_files = entries.iter().filter(|p| p.to_string_lossy().ends_with(".notes.ndjson"));
        let known: BTreeSet<String> = notes_files.flat_map(|p| lines(p)).map(|n| code_of(&n)).collect();
        for expected in entries.iter().filter(|p| p.to_string_lossy().ends_with(".expected.ndjson")) {
            files += 1;
            let stem = expected.to_string_lossy().trim_end_matches(".expected.ndjson").to_string();
            let capture = format!("{stem}.pcap");
            let extra = std::fs::read_to_string(format!("{stem}.args")).unwrap_or_default();
            let mut args = vec!["decode", &capture, "-q", "-f", "ndjson"];
            args.extend(extra.split_whitespace());
            let (want, got) = (lines(expected), netkit(&args, b""));
            let notes = PathBuf::from(format!("{stem}.notes.ndjson"));
            let noted = notes.exists().then(|| lines(&notes));
            for (k, w) in want.iter().enumerate() {
                let Some(g) = got.get(k) else { break };
                let mut found = difference(w, g);
                if let (None, Some(noted)) = (&found, &noted) {
                    let wanted: BTreeSet<String> = noted.iter().filter(|n| n["line"] == k + 1).map(code_of).collect();
                    let printed = g["notes"]
                        .as_array()
                        .into_iter()
                        .flatten()
                        .map(code_of)
                        .filter(|c| known.contains(c))
                        .collect();
                    found = (wanted != printed).then(|| format!("notes: expected {wanted:?}, got {printed:?}"));
                }
                if let Some(what) = found {
                    wrong.push(format!("{stem}: line {}: {what}", k + 1));
                    break;
                }
            }
            if want.len() != got.len() {
                wrong.push(format!("{stem}: {} lines expected, {} printed", want.len(), got.len()));
            }
        }
    }
    assert!(files > 0);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn captures_give_their_bytes_back() {
    let mut files = 0;
    for path in all_fixtures().into_iter().filter(|p| ends_in(p, "pcap")) {
        // Captures without our traffic have nothing to encode.
        let expected = std::fs::read_to_string(path.with_extension("expected.ndjson"));
        let none = path.parent().is_some_and(|p| p.ends_with("foreign"))
            || expected.is_ok_and(|lines| lines.trim().is_empty());
        let (mut own, name) = (args_of(&path), path.to_str().expect("UTF-8"));
        // A capture of a game has the protocol file of its name.
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("UTF-8");
        let file = common::fixture(&format!("protocols/{stem}.toml"));
        if own.is_empty() && file.exists() {
            own = vec!["-p".into(), file.to_str().expect("UTF-8").into()];
        }
        let mut args = vec!["decode", name, "-q", "--check"];
        args.extend(own.iter().map(String::as_str).chain(none.then_some("--allow-empty")));
        let done = run(&args, b"");
        assert_eq!(done.status, Some(0), "{name}: {}{}", done.text(), done.err);
        files += 1;
    }
    assert!(files > 0);
}

#[test]
fn vectors_give_the_expected_lines() {
    let (mut count, mut wrong) = (0, Vec::new());
    for folder in entries(&fixture("")) {
        let file = folder.join("vectors.json");
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let rows = json(&text);
        let proto = folder.file_name().expect("a name").to_string_lossy().into_owned();
        for row in rows.as_array().expect("a list") {
            count += 1;
            let mut args = vec!["dump", "-q", "-p", &proto, "-f", "ndjson"];
            args.extend(row["args"].as_array().into_iter().flatten().filter_map(Json::as_str));
            let got = netkit(&args, row["hex"].as_str().unwrap_or("").as_bytes());
            let want = row["expect"].as_array().expect("lines");
            let what = match want.iter().zip(&got).find_map(|(w, g)| difference(w, g)) {
                None if want.len() != got.len() => {
                    Some(format!("{} messages expected, {} printed", want.len(), got.len()))
                }
                found => found,
            };
            wrong.extend(what.map(|what| format!("{proto} {}: {what}", row["id"])));
        }
    }
    assert!(count > 0);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
