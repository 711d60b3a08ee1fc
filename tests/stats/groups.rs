//! `stats --by FIELD`: the groups are those of decode's lines, and add up to the total.

use crate::common::{Done, Scratch, Wire, args_of, feed, fixture, netkit};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

const FILES: [&str; 5] = [
    "riptide/riptide20-lossy.pcap",
    "dnp/dnp-states.pcap",
    "nano/nano-tcp-midstream.pcap",
    "gne/gne-be-udp-full.pcap",
    "acknex/acknex-steps45.pcap",
];

fn on(file: &str, command: &str, args: &[&str]) -> Done {
    let path = fixture(file);
    feed(netkit(&[command, "-q"]).arg(&path).args(args_of(&path)).args(args), b"")
}

fn lines(file: &str) -> Vec<Json> {
    on(file, "decode", &["-f", "ndjson"]).ok().lines()
}

/// The groups, and their sums.
fn groups(file: &str, args: &[&str]) -> (Vec<Json>, Json) {
    let done = on(file, "stats", &[args, &["-f", "json"]].concat()).ok();
    let all: Json = serde_json::from_str(done.text()).unwrap();
    (all["group"].as_array().unwrap().clone(), all)
}

fn sum(rows: &[Json], column: &str) -> u64 {
    rows.iter().map(|row| row[column].as_u64().unwrap()).sum()
}

/// The value that decode prints for a field, in any part of the line.
fn value(line: &Json, name: &str) -> Json {
    [line, &line["fields"], &line["derived"]].into_iter().find_map(|part| part.get(name)).cloned().unwrap_or(Json::Null)
}

#[test]
fn groups_are_those_of_the_lines() {
    for file in FILES {
        let lines = lines(file);
        for name in ["message_id", "proto", "src", "length", "from", "route", "number", "entity", "version"] {
            let mut want: BTreeMap<String, [u64; 2]> = BTreeMap::new();
            for line in &lines {
                let one = want.entry(value(line, name).to_string()).or_default();
                one[0] += 1;
                one[1] += line["length"].as_u64().unwrap();
            }
            let (rows, all) = groups(file, &["--by", name]);
            let got: BTreeMap<String, [u64; 2]> = rows
                .iter()
                .map(|row| (row[name].to_string(), ["messages", "bytes"].map(|column| row[column].as_u64().unwrap())))
                .collect();
            assert_eq!(got, want, "{file} {name}");
            assert_eq!((sum(&rows, "messages"), rows.len()), (lines.len() as u64, got.len()));
            assert_eq!(all["messages"].as_u64(), Some(lines.len() as u64));
            let bytes: Vec<u64> = rows.iter().map(|row| row["bytes"].as_u64().unwrap()).collect();
            assert!(bytes.is_sorted_by(|a, b| a >= b), "{bytes:?}");
        }
    }
}

/// A message with several notes is in the group of all of them, and --columns and --track have them all.
#[test]
fn groups_by_notes() {
    let file = "riptide/riptide22-lossy.pcap";
    let mut want: BTreeMap<String, u64> = BTreeMap::new();
    let mut cells = Vec::new();
    for line in lines(file) {
        let codes: Vec<&Json> = line["notes"].as_array().into_iter().flatten().map(|note| &note["code"]).collect();
        let code = match codes.as_slice() {
            [] => String::new(),
            [one] => one.as_str().unwrap().to_owned(),
            several => serde_json::to_string(several).unwrap(),
        };
        *want.entry(code.clone()).or_default() += 1;
        cells.push(code);
    }
    assert!(want.keys().any(|codes| codes.contains("riptide.given_up") && codes.starts_with('[')), "{want:?}");
    let text = |cell: &Json| cell.as_str().unwrap_or_default().to_owned();
    let rows = groups(file, &["--by", "note"]).0;
    let got =
        rows.iter().map(|row| (text(&row["note"]), row["messages"].as_u64().unwrap())).collect::<BTreeMap<_, _>>();
    assert_eq!(got, want);
    let column = on(file, "decode", &["-f", "tsv", "--columns", "note"]).ok();
    let column: Vec<String> =
        column.text().lines().skip(1).map(|cell| cell.trim_matches('"').replace("\"\"", "\"")).collect();
    assert_eq!(column, cells);
    let track = on(file, "stats", &["--track", "note", "-f", "ndjson"]).ok();
    assert!(track.text().contains("riptide.given_up"), "{}", track.text());
}

#[test]
fn steps_of_time_and_several_fields() {
    let file = "riptide/riptide20-lossy.pcap";
    let lines = lines(file);
    let nanos = |line: &Json| (line["time"].to_string().parse::<f64>().unwrap() * 1e6).round() as i64;
    let start = nanos(&lines[0]);
    for (args, step, name) in [
        (&["--step", "500ms", "--by", "message_id"][..], 500_000, "message_id"),
        (&["--by", "from,second"], 1_000_000, "from"),
    ] {
        let mut want: BTreeMap<(i64, String), u64> = BTreeMap::new();
        for line in &lines {
            *want.entry(((nanos(line) - start) / step, value(line, name).to_string())).or_default() += 1;
        }
        let got: BTreeMap<(i64, String), u64> = groups(file, args)
            .0
            .iter()
            .map(|row| {
                let at = (row["second"].as_f64().unwrap() * 1e6 / step as f64).round() as i64;
                ((at, row[name].to_string()), row["messages"].as_u64().unwrap())
            })
            .collect();
        assert_eq!(got, want, "{args:?}");
    }
    // Without other fields, steps without a message are listed, too.
    let rows = groups(file, &["--step", "250ms"]).0;
    let at: Vec<f64> = rows.iter().map(|row| row["second"].as_f64().unwrap()).collect();
    assert!(at.windows(2).all(|pair| pair[1] - pair[0] == 0.25) && rows.iter().any(|row| row["messages"] == 0));
    assert_eq!(sum(&rows, "messages"), lines.len() as u64);
    // Steps before the selected part are not empty, but left out. They count from the first frame.
    let rows = groups(file, &["--step", "1s", "--since", "5s"]).0;
    assert!(rows[0]["messages"] != 0 && rows[0]["second"].as_f64() >= Some(5.0), "{}", rows[0]);
}

/// Rates are per second from the first selected message to the last one, as in the tables that --by names.
#[test]
fn rates_are_those_of_the_named_table() {
    let file = "riptide/riptide22-lossy.pcap";
    let part = ["--since", "5s", "--until", "8s"];
    let rate = |rows: &[Json]| rows.iter().map(|row| row["message_rate"].as_f64().unwrap()).sum::<f64>();
    let own = rate(&groups(file, &[&["--by", "src"][..], &part].concat()).0);
    let named = on(file, "stats", &[&["--by", "message", "-f", "json"][..], &part].concat()).ok();
    let named: Json = serde_json::from_str(named.text()).unwrap();
    let named = rate(named["message"].as_array().unwrap());
    assert!(named > 1.0 && (own - named).abs() < 0.01, "{own} {named}");
}

/// Numbers that are keys are printed as decode prints them, with all their digits.
#[test]
fn numbers_of_keys_are_exact() {
    let text = on("riptide/riptide22-lossy.pcap", "stats", &["--by", "rtt"]).ok();
    assert!(text.text().lines().any(|line| line.trim_start().starts_with("-1 ")), "{}", text.text());
    let folder = Scratch::new("groups-exact");
    let file = folder.write(
        "exact.toml",
        "protocol = \"exact\"\nencoding = \"be\"\n[udp]\nports = [7777]\n[packet.fields]\n\
         body = { type = \"message\", by = \"u8\" }\n[[message]]\nname = \"one\"\nid = 1\n\
         fields = { small = \"f64\", whole = \"i64\" }\n",
    );
    let ends = ["10.0.0.1:50000", "10.0.0.2:7777"].map(|end| end.parse().unwrap());
    let mut wire = Wire::default();
    // The last whole number is one that no double has.
    for (small, whole) in [(1e-7_f64, -1_i64), (2e-7, -2), (1e305, -9_007_199_254_740_993)] {
        wire.datagram(ends, true, &[&[1_u8][..], &small.to_be_bytes(), &whole.to_be_bytes()].concat());
    }
    let capture = folder.write("exact.pcap", wire.file());
    let run = |args: &[&str]| feed(netkit(args).args(["-q", &capture, "-p", &file]), b"").ok();
    let lines = run(&["decode", "-f", "ndjson"]).lines();
    for name in ["small", "whole"] {
        let want: BTreeSet<String> = lines.iter().map(|line| value(line, name).to_string()).collect();
        let all: Json = serde_json::from_str(run(&["stats", "--by", name, "-f", "json"]).text()).unwrap();
        let got: BTreeSet<String> = all["group"].as_array().unwrap().iter().map(|row| row[name].to_string()).collect();
        assert_eq!((got.len(), &got), (3, &want), "{name}");
    }
}

/// Copies, gaps and round trips equal those of --delivery.
#[test]
fn figures_are_those_of_the_delivery() {
    for file in ["riptide/riptide20-lossy.pcap", "dnp/dnp-lossy.pcap"] {
        let done = on(file, "stats", &["--delivery", "-f", "json"]).ok();
        let delivery: Json = serde_json::from_str(done.text()).unwrap();
        let all = delivery["delivery"].as_array().unwrap();
        for by in ["flow,proto", "message,from", "second,proto"] {
            let rows = groups(file, &["--by", by, "--sort", "messages"]).0;
            for (column, of) in
                [("resent", "resent"), ("duplicates", "duplicates"), ("missing", "missing"), ("late", "late")]
            {
                assert_eq!(sum(&rows, column), sum(all, of), "{file} {by} {column}");
            }
        }
        assert!(sum(all, "resent") > 0);
    }
}

#[test]
fn sorted_cut_and_with_columns_by_choice() {
    let file = "riptide/riptide20-lossy.pcap";
    let (all, _) = groups(file, &["--by", "message,message_id"]);
    let (rows, sums) =
        groups(file, &["--by", "message,message_id", "--sort", "resent", "--top", "2", "--columns", "resent,messages"]);
    let keys: Vec<&str> = rows[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!((rows.len(), keys), (2, vec!["message", "message_id", "resent", "messages"]));
    assert!(rows[0]["resent"].as_u64() >= rows[1]["resent"].as_u64());
    let most = all.iter().map(|row| row["resent"].as_u64().unwrap()).max();
    assert_eq!(rows[0]["resent"].as_u64(), most);
    // Omitted groups are counted, so that the sums are complete.
    assert_eq!(sums["omitted_groups"].as_u64(), Some(all.len() as u64 - 2));
    assert_eq!(sum(&rows, "messages") + sums["omitted_messages"].as_u64().unwrap(), sum(&all, "messages"));
    let text = on(file, "stats", &["--by", "message,message_id", "--top", "2"]).ok();
    assert!(text.text().contains("more groups: "), "{}", text.text());
    for (args, why) in [
        (&["--by", "message_idd"][..], "did you mean \"message_id\""),
        (&["--by", "message_id", "--sort", "resnt"], "did you mean \"resent\""),
        (&["--by", "message_id", "--columns", "resnt"], "did you mean \"resent\""),
        (&["--top", "3"], "only with --by"),
        (&["--by", "peer", "--sort", "byte_sent"], "did you mean \"bytes_sent\""),
        // Lists of messages have an order of their own.
        (&["--slow", "1ms", "--top", "1"], "only with --by"),
        (&["--latency", "--sort", "answered"], "only with --by"),
        (&["--unanswered", "--top", "1"], "only with --by"),
        (&["--plot", "--sort", "bytes"], "only with --by"),
    ] {
        let done = on(file, "stats", args);
        assert!(done.status == Some(2) && done.err.contains(why) && done.out.is_empty(), "{args:?} {}", done.err);
    }
}

/// The tables that --by names are sorted and cut, too, with the same columns.
#[test]
fn named_tables_are_sorted_and_cut() {
    let file = "nano/nano-tcp.pcap";
    let table = |by: &str, args: &[&str]| {
        let done = on(file, "stats", &[&["--by", by, "-f", "json"], args].concat()).ok();
        let all: Json = serde_json::from_str(done.text()).unwrap();
        (all[by].as_array().unwrap_or_else(|| panic!("{all}")).clone(), all)
    };
    for (by, column) in
        [("message", "size_max"), ("flow", "client_bytes"), ("peer", "bytes_received"), ("second", "messages")]
    {
        let (mut want, _) = table(by, &[]);
        let rows = want.len();
        assert!(rows > 2, "{by}");
        let (first, all) = table(by, &["--top", "2"]);
        assert_eq!((first.as_slice(), all["omitted_rows"].as_u64()), (&want[..2], Some(rows as u64 - 2)), "{by}");
        want.sort_by_key(|row| std::cmp::Reverse(row[column].as_u64()));
        let (sorted, all) = table(by, &["--sort", column]);
        assert_eq!((sorted.as_slice(), all.get("omitted_rows")), (&want[..], None), "{by}");
        assert_eq!(table(by, &["--sort", column, "--top", "1"]).0, want[..1], "{by}");
        let csv = on(file, "stats", &["--by", by, "--sort", column, "--top", "2", "-f", "csv"]).ok();
        assert_eq!(csv.text().lines().count(), 3, "{by}");
        let text = on(file, "stats", &["--by", by, "--top", "2"]).ok();
        assert!(text.text().contains(&format!("\nand {} more\n", rows - 2)), "{by}: {}", text.text());
    }
    // The ends are those of the conversations shown.
    let (flows, all) = table("flow", &["--sort", "client_bytes", "--top", "2"]);
    let numbers =
        |rows: &[Json]| rows.iter().map(|row| row["flow"].as_u64().unwrap()).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(numbers(all["end"].as_array().unwrap()), numbers(&flows));
}

#[test]
fn groups_have_a_limit_that_is_reported() {
    let file = "riptide/riptide20-lossy.pcap";
    let path = fixture(file);
    let args = ["stats", "--by", "frame", "--limit", "groups=10", "-f", "json"];
    let done = feed(netkit(&args).arg(&path), b"").ok();
    let all: Json = serde_json::from_str(done.text()).unwrap();
    let rows = all["group"].as_array().unwrap();
    let total = lines(file).len() as u64;
    assert_eq!((rows.len(), sum(rows, "messages")), (11, total));
    assert_eq!((rows[10]["frame"].as_str(), all["past_limit"].as_u64()), (Some("(further groups)"), Some(total - 10)));
    assert!(done.err.contains("(further groups)") && done.err.contains("groups=N"), "{}", done.err);
}

/// Without messages there is no group, and no figure without data.
#[test]
fn nothing_is_no_group() {
    let (rows, all) = groups("foreign/foreign-ntp.pcap", &["--by", "src"]);
    assert_eq!((rows.len(), all["messages"].as_u64()), (0, Some(0)));
}

/// Several files: each as if alone, then all as one capture.
#[test]
fn several_files_each_and_together() {
    // In the order given, which is not that of time.
    let files = ["riptide/riptide22-lossy.pcap", "riptide/riptide20-lossy.pcap"].map(fixture);
    let run = |args: &[&str]| feed(netkit(&["stats", "-q"]).args(&files).args(args), b"");
    for args in [&["-f", "json"][..], &["--by", "message", "--sort", "bytes", "-f", "json"]] {
        let all: Json = serde_json::from_str(run(args).ok().text()).unwrap();
        let all = all.as_array().unwrap();
        assert_eq!(all.len(), 3);
        for (file, got) in files.iter().zip(all) {
            let alone = feed(netkit(&["stats", "-q"]).arg(file).args(args), b"").ok();
            assert_eq!(serde_json::from_str::<Json>(alone.text()).unwrap(), *got);
        }
        let messages = |one: &Json| one["messages"].as_u64().unwrap();
        assert_eq!(messages(&all[0]) + messages(&all[1]), messages(&all[2]));
    }
    let text = run(&[]).ok();
    assert!(text.text().contains("\nTogether: 2 files as one capture\n"), "{}", text.text());
    assert_eq!(run(&["-f", "csv"]).status, Some(2));
    // A wrong name is reported before anything is written.
    let wrong = run(&["-f", "json", "--by", "foo"]);
    assert_eq!((wrong.status, wrong.text()), (Some(2), ""));
}

/// A truncated file and one without a frame do not hold up the others.
#[test]
fn several_files_of_which_some_are_broken() {
    let scratch = Scratch::new("several-broken");
    let whole = fixture("riptide/riptide20-udp.pcap");
    let bytes = std::fs::read(&whole).unwrap();
    let (cut, empty) = (scratch.write("cut.pcap", &bytes[..5000]), scratch.write("empty", b""));
    let whole = scratch.write("whole.pcap", bytes);
    let run = |files: &[&str], args: &[&str]| feed(netkit(&["stats", "-q"]).args(files).args(args), b"");
    let alone = serde_json::from_str::<Json>(run(&[&whole], &["-f", "json"]).ok().text()).unwrap();
    let done = run(&[&cut, &whole], &["-f", "json"]);
    let all: Json = serde_json::from_str(done.text()).unwrap();
    assert_eq!((done.status, all.as_array().unwrap().len(), &all[1]), (Some(3), 3, &alone));
    assert!(all[2]["messages"].as_u64() > alone["messages"].as_u64() && done.err.contains("cut.pcap"), "{}", done.err);
    let done = run(&[&empty, &whole], &["-f", "json"]);
    let all: Json = serde_json::from_str(done.text()).unwrap();
    assert_eq!((done.status, &all[0], &all[1], &all[2]), (Some(3), &Json::Null, &alone, &Json::Null));
    let text = run(&[&cut, &whole], &[]);
    assert!(text.text().contains("\nTogether: 2 files as one capture\n"), "{}", text.text());
}

/// The plot has round columns that fit the width, and contains all bytes.
#[test]
fn a_plot_has_axes_and_all_bytes() {
    let file = "riptide/riptide20-lossy.pcap";
    let path = fixture(file);
    let total: u64 = lines(file).iter().map(|line| line["length"].as_u64().unwrap()).sum();
    for (by, width, step, end) in [("--plot", 60, "500 ms", "22 s"), ("--plot=direction", 130, "200 ms", "21.8 s")] {
        let mut command = netkit(&["stats", "-q", by]);
        let done = feed(command.arg(&path).env("COLUMNS", width.to_string()), b"").ok();
        let text = done.text();
        let widest = text.lines().map(|line| line.chars().count()).max();
        // A round step is at most 2.5 times the shortest that would fit.
        assert!(widest <= Some(width) && widest > Some(width * 2 / 5), "{widest:?} {text}");
        assert!(text.contains("B/s ┤") && text.contains("└──"), "{text}");
        assert!(text.contains(&format!(" {end}\n")) && text.contains(&format!("a column is {step};")), "{text}");
        let bytes =
            text.lines().filter_map(|line| line.strip_suffix(" bytes")?.rsplit_once(": ")?.1.parse::<u64>().ok());
        assert_eq!(bytes.sum::<u64>(), total, "{text}");
    }
    let none = feed(netkit(&["stats", "-q", "--plot"]).arg(fixture("foreign/foreign-ntp.pcap")), b"").ok();
    assert_eq!(none.text(), "no message\n");
}

/// By a part of `related`, a message counts once in the group of each of its relations.
#[test]
fn groups_by_relations() {
    for file in ["riptide/riptide20-lossy.pcap", "nano/nano-tcp.pcap", "dnp/dnp-frag.pcap"] {
        let lines = lines(file);
        for (name, key) in [("related.kind", "kind"), ("related.frame", "frame")] {
            let mut want: BTreeMap<String, u64> = BTreeMap::new();
            for line in &lines {
                let mut keys: Vec<String> = line["related"]
                    .as_array()
                    .map(|list| list.iter().map(|one| one[key].to_string()).collect())
                    .unwrap_or_else(|| vec!["null".into()]);
                keys.sort();
                keys.dedup();
                keys.into_iter().for_each(|key| *want.entry(key).or_default() += 1);
            }
            let (rows, all) = groups(file, &["--by", name]);
            let got: BTreeMap<String, u64> =
                rows.iter().map(|row| (row[name].to_string(), row["messages"].as_u64().unwrap())).collect();
            assert_eq!(got, want, "{file} {name}");
            assert_eq!(all["messages"].as_u64(), Some(lines.len() as u64), "each message once");
        }
        // Several parts belong to one relation, and can be combined with other fields.
        let (rows, _) = groups(file, &["--by", "related.kind,from"]);
        let kinds = groups(file, &["--by", "related.kind"]).0;
        assert_eq!(sum(&rows, "messages"), sum(&kinds, "messages"), "{file}");
    }
    let answers = groups("nano/nano-tcp.pcap", &["--by", "related.kind"]).0;
    let answers = answers.iter().find(|row| row["related.kind"] == "answers").unwrap();
    assert_eq!(answers["answered"], answers["messages"], "with the delays of these relations");
    for (wrong, why) in [("related", "not a value to group by"), ("related.kin", "related.after_ms")] {
        let done = on("nano/nano-tcp.pcap", "stats", &["--by", wrong]);
        assert_eq!(done.status, Some(2));
        assert!(done.err.contains(why), "{}", done.err);
    }
}

/// The shares of payloads are of all payloads with a schema, of which a message may have several or none.
#[test]
fn shares_of_payloads_are_of_all_payloads() {
    let schema = fixture("schemas/riptide.toml");
    let all = super::stats(&fixture("riptide/riptide20-udp.pcap"), &["--schema", schema.to_str().unwrap()]);
    let rows = all["schema"].as_array().unwrap();
    let sum = |key: &str| rows.iter().map(|row| row[key].as_f64().unwrap()).sum::<f64>();
    assert!(rows.len() > 3 && sum("messages") < all["messages"].as_f64().unwrap(), "{rows:?}");
    for share in ["message_share", "byte_share"] {
        assert!((sum(share) - 1.0).abs() < 1e-4, "{share}: {}", sum(share));
    }
}
