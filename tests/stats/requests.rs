//! Requests, pings and links, compared with counts over decode's lines.

use super::{fixtures, netkit, stats};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The requests of one side in one conversation: their number, the times to the answers, and answers without a request.
#[derive(Debug, Default)]
struct Asked {
    requests: u64,
    answers: Vec<f64>,
    unmatched: u64,
}

type AllAsked = BTreeMap<(u64, String), Asked>;

fn role(name: &str) -> &'static str {
    if name == "client" { "server" } else { "client" }
}

/// nano: a response has the id of its request, and no route of its own. A broken request does not count.
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

/// GNE: pings of a connection, over TCP and UDP: a reply may use the other transport.
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
                }
                (_, Some(frame)) => {
                    let trip = ping["round_trip"].as_f64().expect("a number") * 1e3;
                    all.entry(sender(frame)).or_default().answers.push(trip);
                }
                // Below a warning, the note says that the request may be in unreadable bytes.
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

/// Riptide: a client's heartbeat has a round trip, the server's has the number of one of the client's.
fn riptide_asked(lines: &[Json]) -> AllAsked {
    let (mut all, mut open) = (AllAsked::new(), BTreeMap::new());
    for line in lines.iter().filter(|l| l["message"] == "heartbeat" && l.get("fault").is_none()) {
        let (flow, time) = (line["flow"].as_u64().expect("a flow"), line["time"].as_f64().expect("a time"));
        let number = &line["fields"]["ping_id"];
        let from = line["from"].as_str().expect("a role").to_string();
        match line["fields"].get("rtt") {
            Some(_) => {
                all.entry((flow, from)).or_default().requests += 1;
                open.insert((flow, number.as_u64()), (time, line["from"].clone()));
            }
            None => {
                let other = |(_, by): &&(f64, Json)| *by != line["from"];
                if let Some((before, _)) = open.get(&(flow, number.as_u64())).filter(other) {
                    let asked = all.get_mut(&(flow, role(&from).to_string())).expect("it was asked");
                    asked.answers.push((time - before) * 1e3);
                    open.remove(&(flow, number.as_u64()));
                }
            }
        }
    }
    all
}

/// nano: heartbeats of both sides; no other heartbeat answers them.
fn nano_pinged(lines: &[Json]) -> AllAsked {
    let mut all = AllAsked::new();
    for line in lines.iter().filter(|l| l["message"] == "heartbeat" && l.get("fault").is_none()) {
        let (flow, from) = (line["flow"].as_u64().expect("a flow"), line["from"].as_str().expect("a role"));
        all.entry((flow, from.into())).or_default().requests += 1;
    }
    all
}

/// Compares the rows of a table with the lines. Returns the number of answers.
fn hold(capture: &Path, (rows, mut want): (&Json, AllAsked), keys: [&str; 4]) -> u64 {
    want.retain(|_, asked| asked.requests + asked.unmatched > 0 || !asked.answers.is_empty());
    let rows = rows.as_array().expect("rows");
    assert_eq!(rows.len(), want.len(), "{}", capture.display());
    let [count, answered, max, p50] = keys;
    let mut all = 0;
    for row in rows {
        let key = (row["flow"].as_u64().expect("a flow"), row["from"].as_str().expect("a role").to_string());
        let asked = want.get(&key).unwrap_or_else(|| panic!("{}: {row}", capture.display()));
        let answers = asked.answers.len() as u64;
        let counts = json!([asked.requests, answers, asked.unmatched]);
        assert_eq!(json!([row[count], row[answered], row["unmatched"]]), counts, "{} {key:?}", capture.display());
        if count == "requests" {
            assert_eq!(row["unanswered"], json!(asked.requests.saturating_sub(answers)), "{}", capture.display());
        }
        all += answers;
        let mut sorted = asked.answers.clone();
        sorted.sort_by(f64::total_cmp);
        if let (Some(max), Some(p50)) = (row[max].as_f64(), row[p50].as_f64()) {
            let (longest, median) = (sorted[sorted.len() - 1], sorted[(sorted.len() - 1) / 2]);
            assert!((max - longest).abs() < 0.002, "{} {key:?}: {max} {longest}", capture.display());
            assert!((p50 - median).abs() <= median / 64.0 + 0.002, "{} {key:?}: {p50}", capture.display());
        }
    }
    all
}

/// Requests without numbers and acknowledgements: their number, answers and delays. Pings and heartbeats are not
/// requests, and have their own figures.
#[test]
fn requests_and_pings_are_those_of_the_lines() {
    let (mut answers, mut pongs, mut heartbeats) = (0, [0, 0], 0);
    for capture in fixtures().into_iter().filter(|p| p.extension().is_some_and(|e| e == "pcap")) {
        let folder = capture.parent().and_then(Path::file_name).expect("a folder").to_os_string();
        let protocol = folder.to_str().expect("UTF-8");
        if !["nano", "gne", "riptide"].contains(&protocol) {
            continue;
        }
        let text = netkit("decode", &capture, &["-q", "-f", "ndjson"]);
        let lines: Vec<Json> = text.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
        let got = stats(&capture, &["--delivery"]);
        let asked = if protocol == "nano" { nano_asked(&lines) } else { AllAsked::new() };
        let of_requests = ["requests", "responses", "response_max", "response_p50"];
        answers += hold(&capture, (&got["request"], asked), of_requests);
        let pinged = match protocol {
            "nano" => nano_pinged(&lines),
            "gne" => gne_asked(&lines),
            _ => riptide_asked(&lines),
        };
        heartbeats += u64::from(protocol == "nano") * pinged.values().map(|asked| asked.requests).sum::<u64>();
        let answered = hold(&capture, (&got["ping"], pinged), ["pings", "pongs", "ping_max", "ping_p50"]);
        pongs[usize::from(protocol == "gne")] += answered;
        if protocol != "riptide" {
            assert_eq!(got["delivery"], json!([]), "{}: nothing is numbered", capture.display());
        }
    }
    assert!(answers > 100 && pongs[0] > 100 && pongs[1] > 20 && heartbeats > 100, "{answers} {pongs:?} {heartbeats}");
}

/// DNP's links, counted over the lines: offers are link_states, and the other side's answers are noted by frame.
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
