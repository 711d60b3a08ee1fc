//! Requests and links, counted over the lines that decode prints.

use super::{fixtures, netkit, stats};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::Path;

/// What one side asked in one conversation: how often, the times to the answers, and answers to
/// nothing.
#[derive(Debug, Default)]
struct Asked {
    requests: u64,
    answers: Vec<f64>,
    /// Not answered by what can be read; but there is something that cannot.
    hidden: u64,
    unmatched: u64,
}

type AllAsked = BTreeMap<(u64, String), Asked>;

fn role(name: &str) -> &'static str {
    if name == "client" { "server" } else { "client" }
}

/// nano: a response has the id of its request, and no route of its own. A broken one asks nothing.
fn nano_asked(lines: &[Json]) -> AllAsked {
    let (mut all, mut open) = (AllAsked::new(), BTreeMap::new());
    for line in lines.iter().filter(|l| l["proto"] == "nano" && l.get("fault").is_none()) {
        let (flow, from) = (line["flow"].as_u64().expect("a flow"), line["from"].as_str().expect("a role"));
        let Some(id) = line["derived"]["id"].as_u64().or(line["fields"]["id"].as_u64()) else { continue };
        let time = line["time"].as_f64().expect("a time");
        let noted = |code: &str| line["notes"].as_array().is_some_and(|list| list.iter().any(|n| n["code"] == code));
        match line["message"].as_str() {
            Some("request") => {
                all.entry((flow, from.into())).or_default().requests += 1;
                open.insert((flow, id), time);
            }
            Some("response") => {
                let asked = all.entry((flow, role(from).into())).or_default();
                match open.remove(&(flow, id)) {
                    Some(before) => asked.answers.push((time - before) * 1e3),
                    None => asked.unmatched += noted("nano.unmatched_response") as u64,
                }
            }
            _ => {}
        }
    }
    all
}

/// GNE: pings of a connection, over TCP and UDP: a reply may come over the other one.
fn gne_asked(lines: &[Json]) -> AllAsked {
    let mut all = AllAsked::new();
    let sender = |frame: &Json| {
        let line = lines.iter().find(|l| l["frame"] == *frame).expect("the request's line");
        (line["flow"].as_u64().expect("a flow"), line["from"].as_str().expect("a role").to_string())
    };
    for line in lines {
        let own = (line["flow"].as_u64().expect("a flow"), line["from"].as_str().expect("a role").to_string());
        for ping in line["derived"]["pings"].as_array().into_iter().flatten() {
            match (ping["request"].as_bool(), ping.get("request_frame")) {
                (Some(true), _) => {
                    let asked = all.entry(own.clone()).or_default();
                    asked.requests += 1;
                    let number = &ping["req_id"];
                    asked.hidden += (is_hidden(lines, line) && !is_answered(lines, line, number)) as u64;
                }
                (_, Some(frame)) => {
                    let trip = ping["round_trip"].as_f64().expect("a number") * 1e3;
                    all.entry(sender(frame)).or_default().answers.push(trip);
                }
                // As a note it says that the request may be in bytes that nobody can read.
                (_, None) => {
                    let noted = |n: &Json| n["code"] == "gne.ping_unsolicited" && n["level"] == "warning";
                    let accused = line["notes"].as_array().is_some_and(|list| list.iter().any(noted));
                    all.entry((own.0, role(&own.1).into())).or_default().unmatched += accused as u64;
                }
            }
        }
    }
    all
}

/// Does a later line answer the ping of that number in this one?
fn is_answered(lines: &[Json], asked: &Json, number: &Json) -> bool {
    let pings = lines.iter().flat_map(|l| l["derived"]["pings"].as_array().into_iter().flatten());
    pings.into_iter().any(|p| p["request_frame"] == asked["frame"] && p["req_id"] == *number)
}

/// Does the other side say something behind it that cannot be read to its end: in the connection's
/// stream, or in the datagrams beside it?
fn is_hidden(lines: &[Json], asked: &Json) -> bool {
    let stream = |l: &Json| l["derived"]["tcp_flow"].as_u64().or(l["flow"].as_u64());
    let unread =
        |l: &Json| l["notes"].as_array().is_some_and(|list| list.iter().any(|n| n["code"] == "gne.unknown_id"));
    let behind = lines.iter().filter(|l| l["frame"].as_u64() > asked["frame"].as_u64() && l["from"] != asked["from"]);
    behind.filter(|l| stream(l) == stream(asked)).any(|l| unread(l) || l.get("fault").is_some())
}

/// Requests without numbers and acknowledgements: what was asked, answered, and how fast.
#[test]
fn requests_are_those_of_the_lines() {
    let mut seen = [0, 0];
    for capture in fixtures().into_iter().filter(|p| p.extension().is_some_and(|e| e == "pcap")) {
        let folder = capture.parent().and_then(Path::file_name).expect("a folder").to_os_string();
        if folder != "nano" && folder != "gne" {
            continue;
        }
        let text = netkit("decode", &capture, &["-q", "-f", "ndjson"]);
        let lines: Vec<Json> = text.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
        let mut want = if folder == "nano" { nano_asked(&lines) } else { gne_asked(&lines) };
        want.retain(|_, asked| asked.requests + asked.unmatched > 0 || !asked.answers.is_empty());
        let got = stats(&capture, &["--delivery"]);
        assert_eq!(got["delivery"], json!([]), "{}: nothing is numbered", capture.display());
        let rows = got["request"].as_array().expect("rows");
        assert_eq!(rows.len(), want.len(), "{}", capture.display());
        for row in rows {
            let key = (row["flow"].as_u64().expect("a flow"), row["from"].as_str().expect("a role").to_string());
            let asked = want.get(&key).unwrap_or_else(|| panic!("{}: {row}", capture.display()));
            let answers = asked.answers.len() as u64;
            let counts = json!([
                asked.requests,
                answers,
                asked.requests.saturating_sub(answers + asked.hidden),
                asked.unmatched
            ]);
            let got = json!([row["requests"], row["responses"], row["unanswered"], row["unmatched"]]);
            assert_eq!(got, counts, "{} {key:?}", capture.display());
            seen[(folder == "gne") as usize] += answers;
            let mut sorted = asked.answers.clone();
            sorted.sort_by(f64::total_cmp);
            if let (Some(max), Some(p50)) = (row["response_max"].as_f64(), row["response_p50"].as_f64()) {
                let (longest, median) = (sorted[sorted.len() - 1], sorted[(sorted.len() - 1) / 2]);
                assert!((max - longest).abs() < 0.002, "{} {key:?}: {max} {longest}", capture.display());
                assert!((p50 - median).abs() <= median / 64.0 + 0.002, "{} {key:?}: {p50}", capture.display());
            }
        }
    }
    assert!(seen[0] > 100 && seen[1] > 20, "{seen:?}");
}

/// DNP's links, counted over the lines: offers are link_states, and what the other side answers to
/// them is noted by frame.
#[test]
fn links_are_those_of_the_lines() {
    let mut offers = 0;
    for name in ["dnp-states", "dnp-types", "dnp-lossy", "dnp-python"] {
        let capture = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/dnp/{name}.pcap"));
        let text = netkit("decode", &capture, &["-q", "-f", "ndjson"]);
        let lines: Vec<Json> = text.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
        let mut want: BTreeMap<(u64, String), [u64; 3]> = BTreeMap::new();
        for line in &lines {
            let noted =
                |code: &str| line["notes"].as_array().is_some_and(|list| list.iter().any(|n| n["code"] == code));
            let (flow, from) = (line["flow"].as_u64().expect("a flow"), line["from"].as_str().expect("a role"));
            if line["message"] == "link_state"
                && line.get("fault").is_none()
                && line["derived"]["copy"].is_null()
                && !noted("dnp.retransmission")
                && !noted("dnp.duplicate")
            {
                want.entry((flow, from.into())).or_default()[0] += 1;
            }
            for (k, code) in [(1, "dnp.link_accepted"), (2, "dnp.link_refused")] {
                if noted(code) {
                    want.entry((flow, role(from).into())).or_default()[k] += 1;
                }
            }
        }
        let got = stats(&capture, &["--delivery"]);
        let rows = got["link"].as_array().expect("rows").iter().map(|row| {
            let count = |key: &str| row[key].as_u64().expect("a number");
            let key = (count("flow"), row["from"].as_str().expect("a role").to_string());
            (key, [count("offered"), count("accepted"), count("refused")])
        });
        assert_eq!(rows.collect::<BTreeMap<_, _>>(), want, "{name}");
        offers += want.values().map(|n| n[0]).sum::<u64>();
    }
    assert!(offers > 40, "{offers}");
}
