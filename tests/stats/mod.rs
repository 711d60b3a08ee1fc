//! Statistics compared with independent sources: the delivery files of real programs' captures, and counts over
//! decode's lines.

mod ends;
mod groups;
mod report;
mod requests;
mod waiting;
mod when;

use crate::common;
use crate::common::{Scratch, Wire, all_fixtures as fixtures, args_of, feed, fixture, numbered_files, run};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn netkit(command: &str, capture: &Path, args: &[&str]) -> String {
    let mut command = common::netkit(&[command]);
    feed(command.arg(capture).args(args_of(capture)).args(args), b"").text().into()
}

fn stats(capture: &Path, args: &[&str]) -> Json {
    let text = netkit("stats", capture, &[args, &["-f", "json", "-q"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}: {text}", capture.display()))
}

fn delivery_files() -> Vec<(PathBuf, Json)> {
    // Those of described protocols need their files, and have tests of their own.
    let files = fixtures().into_iter().filter(|p| p.to_string_lossy().ends_with(".delivery.json"));
    let files = files.filter(|p| !p.parent().is_some_and(|folder| folder.ends_with("described")));
    files
        .map(|p| {
            let want = serde_json::from_str(&std::fs::read_to_string(&p).expect("text")).expect("JSON");
            (p.with_extension("").with_extension("pcap"), want)
        })
        .collect()
}

/// Only the keys of `want` are compared; the protocol's name of a number is `number` here.
fn project(row: &Json, want: &Json) -> Json {
    let keys = want.as_object().expect("an object").keys();
    let key = |k: &String| if k == "sequence_id" { "number".to_string() } else { k.clone() };
    Json::Object(keys.map(|k| (k.clone(), row[key(k)].clone())).collect::<Map<_, _>>())
}

/// Riptide's files: an object a conversation, with both senders.
fn riptide(want: &Json, got: &[Json]) {
    let want = want["conversations"].as_array().expect("conversations");
    assert_eq!(want.len(), got.len());
    for (w, g) in want.iter().zip(got) {
        for side in ["client", "server"] {
            assert_eq!(w[side], g[side]);
            let (w, g) = (&w["from"][side], &g["from"][side]);
            for key in ["messages", "copies", "never_acked", "given_up", "gaps", "late_frames"] {
                assert_eq!(w[key], g[key], "{side} {key}");
            }
            for key in ["handled_twice", "never_handled"] {
                let (w, g) = (w[key].as_array().expect("a list"), g[key].as_array().expect("a list"));
                assert_eq!(w.len(), g.len(), "{side} {key}");
                for (w, g) in w.iter().zip(g) {
                    assert_eq!(*w, project(g, w), "{side} {key}");
                }
            }
            let (w, g) = (w["reliable"].as_array().expect("rows"), g["reliable"].as_array().expect("rows"));
            assert_eq!(w.len(), g.len());
            for (w, g) in w.iter().zip(g) {
                assert_eq!(*w, project(g, w));
            }
        }
    }
}

/// DNP's files: an object for each direction of each connection, client before server.
fn dnp(want: &Json, got: &[Json]) {
    let mut directions = Vec::new();
    for connection in got {
        for (order, side) in ["client", "server"].into_iter().enumerate() {
            let from = &connection["from"][side];
            if from["messages"].as_u64() > Some(0) {
                directions.push((
                    (connection["flow"].as_u64(), order, connection["connection"].as_u64()),
                    side,
                    connection,
                ));
            }
        }
    }
    directions.sort_by_key(|d| d.0);
    let want = want.as_array().expect("directions");
    assert_eq!(want.len(), directions.len());
    for (w, (_, side, connection)) in want.iter().zip(directions) {
        let other = if side == "client" { "server" } else { "client" };
        let ends = json!([w["flow"], w["from"], w["src"], w["dst"]]);
        assert_eq!(ends, json!([connection["flow"], side, connection[side], connection[other]]));
        let rows = connection["from"][side]["reliable"].as_array().expect("rows");
        let commands = w["commands"].as_array().expect("commands");
        assert_eq!(commands.len(), rows.len());
        for (w, g) in commands.iter().zip(rows) {
            assert_eq!(*w, project(g, w));
        }
    }
}

#[test]
fn delivery_is_as_the_delivery_files_say() {
    let files = delivery_files();
    assert!(files.len() >= 8, "{}", files.len());
    for (capture, want) in files {
        eprintln!("{}", capture.display());
        let got = stats(&capture, &["--delivery"]);
        let got = got["connections"].as_array().expect("connections");
        if want.is_array() { dnp(&want, got) } else { riptide(&want, got) }
    }
}

/// A conversation lasts from its earliest message to its latest, also if a message that turned out to be incomplete is
/// printed after those of later frames.
#[test]
fn conversations_last_from_the_first_message_to_the_last() {
    let mut late = 0;
    for name in ["nano/pomelo-ws-bad.pcap", "nano/nano-tcp-midstream.pcap", "riptide/riptide22-lossy.pcap"] {
        let capture = common::fixture(name);
        let mut times: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for line in common::run(
            &[
                &["decode", "-q", "-f", "ndjson", capture.to_str().expect("UTF-8")],
                &args_of(&capture).iter().map(String::as_str).collect::<Vec<_>>()[..],
            ]
            .concat(),
            b"",
        )
        .ok()
        .lines()
        {
            times
                .entry(line["flow"].as_u64().expect("a number"))
                .or_default()
                .push(line["time"].as_f64().expect("a time"));
        }
        let got = stats(&capture, &["--by", "flow"]);
        for row in got["flow"].as_array().expect("rows") {
            let times = &times[&row["flow"].as_u64().expect("a number")];
            let [first, last] = [f64::min, f64::max].map(|of| times.iter().copied().reduce(of).expect("a time"));
            late += u64::from(times.last() < Some(&last));
            let duration = row["duration"].as_f64().expect("a duration");
            assert!((duration - (last - first)).abs() < 2e-6, "{name}: {row}");
        }
    }
    assert!(late > 0, "a conversation whose last line is not its latest");
}

/// Other bytes under a number that was acknowledged are a resend; the same bytes are a duplicate.
#[test]
fn other_bytes_are_no_duplicate() {
    let capture = common::fixture("dnp/dnp-vectors.pcap");
    let args =
        ["decode", "-q", "-p", "dnp", "-f", "ndjson", "--bytes", "--flow", "32", capture.to_str().expect("UTF-8")];
    let lines = common::run(&args, b"").ok().lines();
    let numbered = |line: &&Json| line["from"] == "client" && line["fields"].get("number").is_some();
    let sent: Vec<&Json> = lines.iter().filter(numbered).collect();
    let [first, second, _] = sent[..] else { panic!("three transmissions: {sent:?}") };
    assert_eq!(first["fields"]["number"], second["fields"]["number"]);
    assert_ne!(first["bytes"], second["bytes"]);
    let between =
        |line: &&Json| line["message"] == "reliable_acknowledge" && line["frame"].as_u64() < second["frame"].as_u64();
    assert!(lines.iter().any(|line| between(&line)), "acknowledged before");
    let got = stats(&capture, &["--flow", "32", "--delivery"]);
    let row =
        got["delivery"].as_array().and_then(|rows| rows.iter().find(|row| row["from"] == "client")).expect("a row");
    assert_eq!([&row["sent"], &row["resent"], &row["duplicates"]], [3, 1, 0].map(Json::from).each_ref());
    let message = &got["connections"][0]["from"]["client"]["reliable"][0];
    assert_eq!([&message["resent_frames"], &message["duplicate_frames"]], [&json!([second["frame"]]), &json!([])]);
    let groups = stats(&capture, &["--flow", "32", "--by", "from,proto"]);
    let row =
        groups["group"].as_array().and_then(|rows| rows.iter().find(|row| row["from"] == "client")).expect("a row");
    assert_eq!([&row["resent"], &row["duplicates"]], [1, 0].map(Json::from).each_ref());
}

/// The figures of the table equal those of the rows.
#[test]
fn delivery_figures_are_those_of_the_rows() {
    for (capture, _) in delivery_files() {
        let got = stats(&capture, &["--delivery"]);
        for row in got["delivery"].as_array().expect("rows") {
            let of = |c: &&Json| c["flow"] == row["flow"] && c["connection"] == row["connection"];
            let connection = got["connections"].as_array().expect("connections").iter().find(of).expect("listed");
            let from = &connection["from"][row["from"].as_str().expect("a role")];
            let list = from["reliable"].as_array().expect("rows");
            let sum = |key: &str| list.iter().map(|m| m[key].as_array().map_or(0, Vec::len)).sum::<usize>();
            let missing = from["gaps"].as_array().expect("gaps").iter().map(|g| g["missing"].as_u64().unwrap_or(0));
            let want = json!({
                "messages": list.len(), "sent": sum("frames"), "resent": sum("resent_frames"),
                "duplicates": sum("duplicate_frames"), "never_acked": from["never_acked"].as_array().map(Vec::len),
                "given_up": from["given_up"].as_array().map(Vec::len), "missing": missing.sum::<u64>(),
                "gaps": from["gaps"].as_array().map(Vec::len), "late": from["late_frames"].as_array().map(Vec::len),
                "handled_twice": from["handled_twice"].as_array().map(Vec::len),
                "never_handled": from["never_handled"].as_array().map(Vec::len),
            });
            assert_eq!(project(row, &want), want, "{}", capture.display());
        }
    }
}

/// The counts of a name: messages, bytes, largest, faults.
type Counts = BTreeMap<(String, String), [u64; 4]>;

#[test]
fn counts_are_those_of_the_lines() {
    let mut captures = 0;
    for capture in fixtures().into_iter().filter(|p| p.extension().is_some_and(|e| e == "pcap")) {
        captures += 1;
        let (mut kinds, mut flows, mut bytes) = (Counts::new(), BTreeMap::<u64, [u64; 2]>::new(), 0);
        let text = netkit("decode", &capture, &["-q", "-f", "ndjson", "--bytes"]);
        for line in text.lines() {
            let mut reader = serde_json::Deserializer::from_str(line);
            reader.disable_recursion_limit();
            let line: Json = reader.into_iter().next().expect("a line").expect("JSON");
            let length = line["length"].as_u64().expect("a length");
            // Of a message over TCP that is cut, the bytes that are there.
            let there = line["bytes"].as_str().map_or(0, str::len) as u64 / 2;
            let length = if line["transport"] == "tcp" { length.min(there) } else { length };
            let name = |key: &str| line[key].as_str().expect("a name").to_string();
            let kind = kinds.entry((name("proto"), name("message"))).or_default();
            *kind = [kind[0] + 1, kind[1] + length, kind[2].max(length), kind[3] + line.get("fault").is_some() as u64];
            let flow = flows.entry(line["flow"].as_u64().expect("a flow")).or_default();
            *flow = [flow[0] + 1, flow[1] + length];
            bytes += length;
        }
        let got = stats(&capture, &[]);
        let number = |row: &Json, key: &str| row[key].as_u64().unwrap_or_else(|| panic!("{key}: {row}"));
        let rows = got["message"].as_array().expect("rows").iter().map(|row| {
            let name = |key: &str| row[key].as_str().expect("a name").to_string();
            let counts = ["messages", "bytes", "size_max", "faults"].map(|key| number(row, key));
            ((name("proto"), name("message")), counts)
        });
        assert_eq!(rows.collect::<Counts>(), kinds, "{}", capture.display());
        let rows = got["flow"].as_array().expect("rows").iter().map(|row| {
            let sum = |a: &str, b: &str| number(row, a) + number(row, b);
            let sums = [sum("client_messages", "server_messages"), sum("client_bytes", "server_bytes")];
            (number(row, "flow"), sums)
        });
        assert_eq!(rows.collect::<BTreeMap<_, _>>(), flows, "{}", capture.display());
        let total: u64 = kinds.values().map(|k| k[0]).sum();
        assert_eq!((number(&got, "messages"), number(&got, "bytes")), (total, bytes));
        let steps =
            |key: &str| got["timeline"][key].as_array().expect("steps").iter().filter_map(Json::as_u64).sum::<u64>();
        assert_eq!((steps("messages"), steps("bytes")), (total, bytes), "{}", capture.display());
    }
    assert!(captures > 10);
}

/// A capture does not differ from itself, but from another one.
#[test]
fn a_capture_does_not_differ_from_itself() {
    let diff = |a: &str, b: &str, limit: &str| {
        let [a, b] = [a, b].map(|name| fixture(&format!("riptide/{name}")).to_str().expect("UTF-8").to_owned());
        let done = run(&["diff", "-q", "-p", "riptide", "-f", "json", "--fail-on", limit, &a, &b], b"");
        (common::json(done.text())["differences"].as_array().expect("a list").len(), done.status)
    };
    assert_eq!(diff("riptide22-lossy.pcap", "riptide22-lossy.pcap", "rate>0%"), (0, Some(0)));
    let (count, status) = diff("riptide22-lossy.pcap", "riptide20-lossy.pcap", "rate>1%");
    assert!(count > 0 && status == Some(1), "{count} {status:?}");
}

/// Text fits the terminal's width, whatever is counted; except the line with the file's name.
#[test]
fn tables_fit_the_terminal() {
    for capture in fixtures().into_iter().filter(|p| p.extension().is_some_and(|e| e == "pcap")) {
        for (columns, args) in [("80", &[][..]), ("80", &["--delivery"]), ("80", &["--by", "peer"]), ("132", &[])] {
            let mut command = common::netkit(&["stats"]);
            command.arg(&capture).args(args_of(&capture)).args(args).env("COLUMNS", columns);
            let done = feed(&mut command, b"");
            let text = done.text();
            let width: usize = columns.parse().expect("a number");
            for line in text.lines().skip(1) {
                assert!(line.chars().count() <= width, "{} {args:?} {columns}: {line}", capture.display());
            }
        }
    }
}

/// Beyond a number of connections only the sums are kept. Forms without a sentence about it report it on stderr.
#[test]
fn sums_of_further_connections_are_reported() {
    let folder = Scratch::new("stats-connections");
    let mut args = numbered_files(&folder, false);
    let server = "10.0.0.2:7777".parse().expect("an end");
    let mut wire = Wire::default();
    for k in 0..1030_u16 {
        let client = std::net::SocketAddr::from(([10, 0, 0, 1], 20_000 + k));
        // A numbered message of each client: its mark, its kind and its number.
        wire.at(k.into()).datagram([client, server], true, b"mi\x01\0\x01");
    }
    args[0] = folder.write("many.pcap", wire.file());
    let stats = |form: &str| feed(common::netkit(&["stats", "-q", "--delivery", "-f", form]).args(&args), b"").ok();
    let sentence = "connections after the first 1024: only sums are kept";
    for form in ["json", "ndjson", "csv"] {
        assert!(stats(form).err.contains(sentence), "{form}: {}", stats(form).err);
    }
    let text = stats("text");
    assert!(text.text().contains(sentence) && !text.err.contains(sentence), "{}", text.err);
}

/// A conversation with figures of its own that begins another connection beyond that number goes on in the sums.
#[test]
fn a_connection_beyond_the_last_one_is_in_no_other() {
    const VISITS: &str = "protocol = \"visits\"\nencoding = \"be\"\n[packet.fields]\n\
        message = { type = \"message\", by = \"u8\" }\n[numbers.all]\nnumber = \"data.seq\"\n\
        [session]\nopens = \"hello\"\ncloses = \"bye\"\n[[message]]\nid = 1\nname = \"hello\"\n\
        [[message]]\nid = 2\nname = \"data\"\nfields = { seq = \"u16\" }\n[[message]]\nid = 3\nname = \"bye\"\n";
    let folder = Scratch::new("stats-beyond");
    let file = folder.write("visits.toml", VISITS);
    let server = "10.0.0.2:7001".parse().expect("an end");
    let mut wire = Wire::default();
    // A number of each of 1,024 clients; then the first one's goodbye, and two numbers of its next connection.
    let again = [&[3][..], &[1], &[2, 0, 1], &[2, 0, 2]].map(|bytes| (0, bytes));
    for (at, (k, bytes)) in (0..).zip((0..1024_u16).map(|k| (k, &[2, 0, 1][..])).chain(again)) {
        let client = std::net::SocketAddr::from(([10, 0, 0, 1], 20_000 + k));
        wire.at(at).datagram([client, server], true, bytes);
    }
    let path = folder.write("many.pcap", wire.file());
    let all = stats(Path::new(&path), &["-p", &file, "--server", "10.0.0.2:7001"]);
    let row = all["delivery"].as_array().expect("rows").iter().find(|row| row["flow"] == 1).expect("a row");
    assert_eq!(row["messages"], 1, "{row}");
}

/// The numbers of a text, but not the lengths of a chart's columns.
fn numbers(text: &str) -> std::collections::BTreeSet<String> {
    let lines = text.lines().filter(|line| !line.contains("a column is"));
    let words = lines.flat_map(|line| line.split(|c: char| !c.is_ascii_digit() && c != '.'));
    words.map(|word| word.trim_matches('.').to_owned()).filter(|word| !word.is_empty()).collect()
}

/// A narrower terminal shows fewer figures, but no others.
#[test]
fn no_figure_depends_on_the_width() {
    let of = |args: &[&str], capture: &std::path::Path, width: &str| {
        let mut command = common::netkit(args);
        command.arg(capture).args(args_of(capture)).env("COLUMNS", width);
        feed(&mut command, b"").text().to_owned()
    };
    let other = fixture("riptide/riptide22-lossy.pcap");
    let other = other.to_str().expect("UTF-8");
    let (mut seen, mut losses) = (0, 0);
    for capture in fixtures().into_iter().filter(|p| p.extension().is_some_and(|e| e == "pcap")) {
        let riptide = capture.to_string_lossy().contains("/riptide/");
        for args in [&["stats"][..], &["stats", "--delivery"], &["diff", other]] {
            if args[0] == "diff" && !riptide {
                continue;
            }
            let wide = of(args, &capture, "250");
            let all = numbers(&wide);
            seen += all.len();
            losses += wide.matches("at most").count();
            for width in ["60", "80", "120", "160"] {
                let text = of(args, &capture, width);
                let more: Vec<_> = numbers(&text).difference(&all).cloned().collect();
                assert!(more.is_empty(), "{} {args:?}: {width} columns: {more:?}", capture.display());
            }
        }
    }
    assert!(seen > 5000 && losses > 50, "{seen} {losses}");
}
