//! `netkit report`: the page's figures equal those of `stats -f json`, the content of a capture stays text, and the
//! page's policy allows only its own style and script.

use super::{Json, fixtures, netkit, stats};
use crate::common::{self, Scratch, Wire, args_of, ends_in, feed, fixture, run};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// An element of a page read like a browser does, with its attributes and text.
struct Element {
    tag: String,
    attributes: BTreeMap<String, String>,
    /// All text inside it, including that of inner elements.
    text: String,
    /// The index after its last inner element.
    end: usize,
}

impl Element {
    fn is(&self, name: &str, value: &str) -> bool {
        self.attributes.get(name).is_some_and(|own| own == value)
    }
}

struct Page(Vec<Element>);

const VOID: [&str; 6] = ["meta", "br", "col", "hr", "input", "link"];

impl Page {
    /// Parses a page. Fails if the markup is not well-formed: a character of the capture would be out of place.
    fn parse(html: &str) -> Page {
        let mut list: Vec<Element> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut rest = html.strip_prefix("<!DOCTYPE html>").expect("a doctype");
        while let Some(at) = rest.find('<') {
            let text = unescape(&rest[..at]);
            open.iter().for_each(|k| list[*k].text += &text);
            rest = &rest[at + 1..];
            if let Some(name) = rest.strip_prefix('/') {
                let end = name.find('>').expect("the end of an end tag");
                let at = open.pop().expect("an element to end");
                assert_eq!(list[at].tag, name[..end], "what ends is what began last");
                list[at].end = list.len();
                rest = &name[end + 1..];
                continue;
            }
            let end = rest.find([' ', '>']).expect("the end of a tag");
            let tag = rest[..end].to_string();
            assert!(tag.chars().all(|c| c.is_ascii_alphanumeric()), "{tag:?} is an element");
            rest = &rest[end..];
            let mut attributes = BTreeMap::new();
            while let Some(more) = rest.strip_prefix(' ') {
                let (name, value) = more.split_once("=\"").expect("an attribute with its value");
                assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{name:?} is an attribute");
                let (value, more) = value.split_once('"').expect("the end of a value");
                assert!(attributes.insert(name.to_string(), unescape(value)).is_none(), "{name} twice");
                rest = more;
            }
            rest = rest.strip_prefix('>').expect("the end of a tag");
            let raw = ["script", "style"].contains(&tag.as_str());
            list.push(Element { tag: tag.clone(), attributes, text: String::new(), end: list.len() + 1 });
            if raw {
                let (inside, more) = rest.split_once(&format!("</{tag}>")).expect("its end");
                list.last_mut().expect("it").text = inside.into();
                rest = more;
            } else if !VOID.contains(&tag.as_str()) {
                open.push(list.len() - 1);
            }
        }
        assert!(open.is_empty() && rest.trim().is_empty(), "everything has ended");
        Page(list)
    }

    fn with<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.0.iter().filter(move |element| element.attributes.contains_key(name))
    }

    fn id(&self, id: &str) -> Option<usize> {
        self.0.iter().position(|element| element.is("id", id))
    }

    /// The rows of a table: cells by column; the exact value if the text is rounded.
    fn rows(&self, id: &str) -> Vec<BTreeMap<String, String>> {
        let Some(at) = self.id(id) else { return Vec::new() };
        let inside = |k: usize| &self.0[k + 1..self.0[k].end];
        let body = (at..self.0[at].end).find(|k| self.0[*k].tag == "tbody").expect("a body");
        let rows = (body + 1..self.0[body].end).filter(|k| self.0[*k].tag == "tr");
        rows.map(|row| {
            let cells = inside(row).iter().filter_map(|cell| Some((cell.attributes.get("data-c")?, cell)));
            cells
                .map(|(name, cell)| {
                    let value = cell.attributes.get("data-v").cloned();
                    (name.clone(), value.unwrap_or_else(|| cell.text.replace(',', "")))
                })
                .collect()
        })
        .collect()
    }
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out += &rest[..at];
        let (name, more) = rest[at + 1..].split_once(';').expect("a reference");
        out.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#39" => '\'',
            other => panic!("&{other};"),
        });
        rest = more;
    }
    assert!(!rest.contains('>'), "{rest:?} is text");
    out + rest
}

/// Makes the page of these captures.
#[track_caller]
fn page(files: &[&Path], args: &[&str]) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let scratch = Scratch::new(&format!("report-page-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
    let out = scratch.file("page.html");
    let mut command = common::netkit(&["report", "-q", "-o", &out]);
    command.args(files).args(args_of(files[0])).args(args);
    let done = feed(&mut command, b"");
    assert_eq!(done.status, Some(0), "{files:?}: {}", done.err);
    std::fs::read_to_string(&out).expect("a page")
}

/// Checks the properties of every page: nothing loads, and only the policy's style and script run.
fn harmless(html: &str) -> Page {
    assert!(!html.contains(|c: char| c.is_control() && c != '\n'), "controls are visible");
    assert!(!html.contains(['\u{202e}', '\u{2066}', '\u{200f}']), "marks of direction are visible");
    let page = Page::parse(html);
    let mut ids: Vec<&str> = page.with("id").map(|element| element.attributes["id"].as_str()).collect();
    ids.sort_unstable();
    let all = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), all, "every id is there once");
    for element in &page.0 {
        for (name, value) in &element.attributes {
            assert!(!name.starts_with("on") && name != "style" && name != "src", "{name} of {}", element.tag);
            assert!(name != "href" || value.starts_with('#'), "{name}={value}");
        }
        let known = ["iframe", "object", "embed", "link", "base", "form", "img"];
        assert!(!known.contains(&element.tag.as_str()), "{}", element.tag);
    }
    let headers = page.0.iter().filter(|element| element.tag == "th");
    assert!(headers.clone().all(|header| !header.text.trim().is_empty()), "every header says what it is of");
    let policy = page.0.iter().find(|e| e.is("http-equiv", "Content-Security-Policy")).expect("a policy");
    let policy = &policy.attributes["content"];
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
    let run: Vec<&Element> =
        page.0.iter().filter(|e| e.tag == "script" && !e.attributes.contains_key("type")).collect();
    assert_eq!((run.len(), page.0.iter().filter(|e| e.tag == "style").count()), (1, 1));
    page
}

fn captures() -> impl Iterator<Item = PathBuf> {
    let files = fixtures().into_iter().filter(|path| ends_in(path, "pcap") || ends_in(path, "pcapng"));
    files.filter(|path| !path.to_string_lossy().contains("described"))
}

/// A number in the form of both.
fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is a number"))
}

/// Checks that the rows of a table equal JSON's, in the columns of the page.
fn same_rows(page: &Page, id: &str, want: &Json, at: &Path) {
    let (rows, want) = (page.rows(id), want.as_array().expect("rows"));
    for (row, want) in rows.iter().zip(want) {
        for (column, value) in row {
            let same = match &want[column] {
                Json::Null => value == "–",
                Json::Number(n) => (number(value) - n.as_f64().expect("a number")).abs() < 1e-9,
                Json::String(text) => value == text || value.contains('…'),
                Json::Bool(yes) => value == if *yes { "yes" } else { "no" },
                other => panic!("{other}"),
            };
            assert!(same, "{}: {id}: {column}: {value:?} for {}", at.display(), want[column]);
        }
    }
    assert!(rows.len() == want.len() || rows.len() >= 60, "{}: {id}: {} of {}", at.display(), rows.len(), want.len());
}

#[test]
fn the_pages_of_all_fixtures_have_the_figures_of_stats() {
    let mut protocols = BTreeSet::new();
    let (mut all, mut verdicts, mut steps, mut pictures) = (0, 0, 0, 0);
    for path in captures() {
        let html = page(&[&path], &[]);
        let page = harmless(&html);
        let want = stats(&path, &[]);
        for name in ["messages", "bytes", "conversations", "faults", "warnings", "duration"] {
            let shown = page.with("data-sum").find(|element| element.is("data-sum", name)).expect(name);
            let shown = number(&shown.attributes["value"]);
            assert_eq!(shown, want[name].as_f64().unwrap_or(0.0), "{}: {name}", path.display());
        }
        for (id, kind) in [
            ("kinds", "message"),
            ("flows", "flow"),
            ("delivery-rows", "delivery"),
            ("request-rows", "request"),
            ("ping-rows", "ping"),
            ("links", "link"),
            ("path-rows", "path"),
        ] {
            same_rows(&page, id, &want[kind], &path);
        }
        let reported: Vec<&str> =
            page.with("data-rule").map(|element| element.attributes["data-rule"].as_str()).collect();
        let rules = want["verdicts"].as_array().expect("verdicts");
        let spoken = page.id("verdicts").map(|k| page.0[k].text.as_str()).expect("a section");
        for text in rules.iter().take(60).filter_map(|verdict| verdict["text"].as_str()) {
            assert!(spoken.contains(text), "{}: {text}", path.display());
        }
        let rules: Vec<&str> = rules.iter().filter_map(|verdict| verdict["rule"].as_str()).collect();
        assert_eq!(reported, rules.iter().take(60).copied().collect::<Vec<_>>(), "{}", path.display());
        // Both charts contain every byte.
        for id in ["by-message", "by-direction"] {
            let Some(at) = page.id(id) else { continue };
            let mut sums = page.0[at..page.0[at].end].iter().filter(|element| element.is("data-c", "sum"));
            let sum = sums.next_back().map(|element| element.text.replace(',', ""));
            assert_eq!(sum.as_deref().map(number), want["bytes"].as_f64(), "{}: {id}", path.display());
        }
        // `stats` has the same steps as the pictures.
        let text = netkit("stats", &path, &["-f", "text"]);
        let own = text.split_once("; at most ").and_then(|(_, rest)| rest.lines().next()?.split_once(" in "));
        for picture in html.split("Bytes per second, in steps of ").skip(1) {
            pictures += 1;
            let (_, step) = own.unwrap_or_else(|| panic!("{}: {text}", path.display()));
            assert!(picture.starts_with(&format!("{step}.")), "{}: {step}, {}", path.display(), &picture[..20]);
        }
        // Steps of time are 1, 2 or 5 times a power of ten.
        for step in html.split("in steps of ").skip(1).filter_map(|text| text.split(' ').next()) {
            let digits = step.trim_matches(['0', '.']);
            assert!(["1", "2", "5"].contains(&digits), "{}: steps of {step}", path.display());
            steps += 1;
        }
        protocols.extend(
            want["flow"].as_array().expect("flows").iter().filter_map(|f| f["proto"].as_str().map(String::from)),
        );
        (all, verdicts) = (all + 1, verdicts + rules.len());
    }
    let names: Vec<&str> = protocols.iter().map(String::as_str).collect();
    assert!(["acknex", "dnp", "gne", "nano", "riptide"].iter().all(|name| names.contains(name)), "{names:?}");
    assert!(pictures > 100, "{pictures} pictures have the steps of stats");
    assert!(all > 50 && verdicts > 20 && steps > 200, "{all} pages, {verdicts} verdicts, {steps} steps");
}

/// Checks the 12 longest waits of the list, for acks or for answers.
fn longest_first(page: &Page, id: &str, slow: &Json, acks: bool) {
    let all = slow["slow"].as_array().expect("rows").iter().filter(|row| row["sent"].is_null() != acks);
    let mut all: Vec<f64> = all.filter_map(|row| row["after"].as_f64()).collect();
    all.sort_by(|a, b| b.total_cmp(a));
    all.truncate(12);
    let shown: Vec<f64> = page.rows(id).iter().map(|row| number(&row["after"])).collect();
    assert!(!all.is_empty() && shown == all, "{id}: {shown:?} {all:?}");
}

/// The counts of notes equal decode's, and delays over time add up to the tables' counts.
#[test]
fn notes_and_delays_are_all_there() {
    let path = fixture("riptide/riptide22-lossy.pcap");
    let page = harmless(&page(&[&path], &[]));
    let decoded = super::netkit("decode", &path, &["-f", "ndjson", "-q"]);
    let mut want: BTreeMap<String, u64> = BTreeMap::new();
    for line in decoded.lines().map(common::json) {
        for note in line["notes"].as_array().into_iter().flatten() {
            *want.entry(note["code"].as_str().expect("a code").into()).or_default() += 1;
        }
    }
    let rows = page.with("data-note").map(|tr| tr.attributes["data-note"].clone());
    let times = page.rows("notes").into_iter().map(|row| row["times"].parse::<u64>().expect("a count"));
    assert_eq!(rows.zip(times).collect::<BTreeMap<_, _>>(), want);
    assert!(want.len() > 4, "{want:?}");
    let want = stats(&path, &["--delivery"]);
    let sum =
        |list: &str, key: &str| want[list].as_array().expect("rows").iter().filter_map(|row| row[key].as_f64()).sum();
    let acked: f64 = sum("delivery", "messages") - sum("delivery", "never_acked");
    for (id, want) in [("ack-course", acked), ("pong-course", sum("ping", "pongs"))] {
        let at = page.id(id).expect(id);
        let cells = page.0[at..page.0[at].end].iter().filter(|element| element.is("data-c", "count"));
        assert_eq!(cells.map(|element| number(&element.text)).sum::<f64>(), want, "{id}");
        assert!(want > 20.0, "{id}: {want}");
    }
    // The longest waits of all messages are listed, the longest first.
    let slow = stats(&path, &["--slow", "1ns"]);
    longest_first(&page, "slow-acks", &slow, true);
    assert!(page.id("slow-answers").is_none(), "heartbeats are pings");
    let path = fixture("nano/nano-ws-bad.pcap");
    longest_first(&harmless(&self::page(&[&path], &[])), "slow-answers", &stats(&path, &["--slow", "1ns"]), false);
    // A verdict links as many messages as it states.
    let of = |row: &Json| row["flow"] == 1 && row["from"] == "client";
    let row = want["delivery"].as_array().expect("rows").iter().find(|row| of(row)).expect("a row");
    let again = row["resent"].as_u64().expect("a count") + row["duplicates"].as_u64().expect("a count");
    let verdict =
        page.with("data-rule").find(|element| element.text.contains("client of flow 1: ")).expect("a verdict");
    assert!(verdict.text.contains(&format!(" and {} more; notes ", again - 6)), "{}", verdict.text);
}

/// Heartbeats have no numbers, but their answers show what was lost.
#[test]
fn losses_of_pings_are_shown_without_numbers() {
    let html = page(&[&fixture("riptide/riptide22-lossy.pcap")], &["-F", "message == heartbeat"]);
    let page = harmless(&html);
    assert!(page.rows("delivery-sides").is_empty() && !page.rows("path-rows").is_empty());
    assert!(!html.contains("No message in the capture is numbered"));
}

/// A page of one capture, of two, and of more names the options that selected messages.
#[test]
fn pages_name_what_selected_their_messages() {
    let files = ["riptide/riptide20-udp.pcap", "riptide/riptide22-udp.pcap"].map(fixture);
    let [a, b] = files.each_ref().map(PathBuf::as_path);
    for files in [&[a][..], &[a, b], &[a, b, a]] {
        let page = harmless(&page(files, &["--since", "100ms", "--until", "2500ms", "--leg", "client"]));
        let is_named = |element: &Element| {
            ["--since 0.1s", "--until 2.5s", "--leg client"].iter().all(|option| element.text.contains(option))
        };
        assert!(page.0.iter().any(|element| element.tag == "code" && is_named(element)), "{files:?}");
    }
}

#[test]
fn without_messages_there_is_a_page_too() {
    let scratch = Scratch::new("report-empty");
    let path = PathBuf::from(scratch.write("empty.pcap", Wire::default().file()));
    let one = harmless(&page(&[&path], &[]));
    assert!(one.with("data-sum").all(|element| element.is("value", "0")));
    // The menu leads to a section of that name, also without a message to draw.
    assert!(one.with("href").any(|link| link.is("href", "#sequences") && link.text.trim() == "Sequences"));
    assert!(one.id("sequences").is_some());
    let both = harmless(&page(&[&path, &fixture("riptide/riptide20-udp.pcap")], &[]));
    assert_eq!(both.with("data-v").filter(|element| element.is("data-c", "messages")).count(), 2);
    // Empty input is not a capture, and gives no page.
    let out = scratch.file("x.html");
    let nothing = run(&["report", "-", "-o", &out], b"");
    assert_eq!((nothing.status, Path::new(&out).exists()), (Some(3), false), "{}", nothing.err);
}

/// Text of a capture and its name is shown, and has no effect.
#[test]
fn hostile_text_stays_text() {
    let scratch = Scratch::new("report-hostile");
    let route = format!("</script><script>alert(2)</script><!--\u{0}\u{202e}\u{1b}[31m{}", "A".repeat(150));
    let packet = |kind: u8, body: &[u8]| [&[kind], &(body.len() as u32).to_be_bytes()[1..], body].concat();
    let request = [&[0, 7, route.len() as u8], route.as_bytes(), b"{\"<b>\":\"</td>\"}"].concat();
    let spoken = vec![
        (true, packet(1, b"{\"sys\":{\"type\":\"js\",\"version\":\"1\"},\"user\":{}}")),
        (false, packet(1, b"{\"code\":200,\"sys\":{\"heartbeat\":3}}")),
        (true, packet(2, b"")),
        (true, packet(4, &request)),
    ];
    let mut wire = Wire::default();
    let ends = ["127.0.0.1:40000", "127.0.0.1:3250"].map(|end| end.parse().expect("an address"));
    wire.stream(ends, &spoken);
    let name = "<script>alert(1)<\u{2215}script>\u{202e}<img src=x onerror=alert(1)>\"'&.pcap";
    let path = PathBuf::from(scratch.write(name, wire.file()));
    let page = harmless(&page(&[&path], &["-p", "nano"]));
    let of = |tag: &str, text: &str| page.0.iter().any(|element| element.tag == tag && element.text.contains(text));
    assert!(of("td", "</script><script>alert(2)</script><!--\\u{0}\\u{202e}\\u{1b}[31mAAA"), "the route, as text");
    assert!(of("title", "<script>alert(1)<") && of("h1", "\\u{202e}<img src=x onerror=alert(1)>\"'&.pcap"));
}

#[test]
fn two_captures_are_compared_as_diff_does() {
    let [a, b] = ["riptide/riptide20-udp.pcap", "riptide/riptide22-lossy.pcap"].map(fixture);
    let page = harmless(&page(&[&a, &b], &[]));
    let of = |path: &Path| stats(path, &[])["messages"].to_string();
    let cells = page.0.iter().filter(|e| e.is("data-c", "messages") && e.attributes.contains_key("data-v"));
    assert_eq!(cells.map(|e| e.attributes["data-v"].clone()).collect::<Vec<_>>(), [of(&a), of(&b)]);
    let text = run(&["diff", a.to_str().expect("UTF-8"), b.to_str().expect("UTF-8")], b"").ok();
    let rows = page.rows("differences");
    assert_eq!(rows.len(), text.text().lines().filter(|line| line.starts_with("riptide")).count());
    for row in rows.iter().take(5) {
        assert!(text.text().contains(&row["of"]), "{row:?}");
    }
    let alike = harmless(&self::page(&[&a, &a], &[]));
    assert!(alike.rows("differences").is_empty() && alike.id("differences").is_none());
}

/// The lines of a load and of a probe have pages of their own: their figures are those of the lines.
#[test]
fn lines_of_a_load_and_of_a_probe_have_a_page() {
    let scratch = Scratch::new("report-lines");
    let second = |at: u32, requests: u32| {
        format!(
            "{{\"report\":\"interval\",\"seconds\":{at},\"active\":2,\"refused\":0,\"silent\":1,\"dropped\":0,\"own\":0,\
             \"incomplete\":0,\"requests\":{requests},\"p50\":2.5,\"p99\":9,\"max\":12}}\n"
        )
    };
    let kind = "<script>alert(1)</script>";
    let whole = format!(
        "{{\"report\":\"load\",\"clients\":2,\"requests\":50,\"p99\":9.5,\"complete\":false,\
         \"reasons\":{{\"no answer\":2}},\"kinds\":{{\"{kind}\":{{\"requests\":50,\"p50\":2.5}}}}}}\n"
    );
    let text = [second(1, 20), second(2, 30), whole].concat();
    let load = harmless(&page(&[&PathBuf::from(scratch.write("run.ndjson", text.as_bytes()))], &[]));
    let cell = |name: &str, value: &str| load.0.iter().any(|e| e.is("data-c", name) && e.is("data-v", value));
    assert!(cell("clients", "2") && cell("requests", "50") && cell("p99", "9.5") && cell("no answer", "2"));
    assert!(load.0.iter().any(|e| e.tag == "th" && e.text == kind), "the kind, as text");
    for id in ["requests", "active", "latencies", "failed", "kinds", "reasons"] {
        assert!(load.id(id).is_some(), "{id}");
    }
    let round = |time: u32, target: &str, outcome: &str| {
        format!(
            "{{\"type\":\"summary\",\"target\":\"{target}\",\"outcome\":\"{outcome}\",\"time\":{time},\
             \"rtt\":{{\"sent\":4,\"received\":3,\"min_ms\":1,\"median_ms\":2,\"max_ms\":3}}}}\n"
        )
    };
    let text = [round(1000, "a:1", "ok"), round(1000, "b:2", "no_answer"), round(1060, "a:1", "ok")].concat();
    let probe = harmless(&page(&[&PathBuf::from(scratch.write("rounds.ndjson", text.as_bytes()))], &[]));
    let of = |name: &str| -> Vec<String> {
        probe.0.iter().filter(|e| e.is("data-c", name)).map(|e| e.text.clone()).collect()
    };
    assert_eq!(
        (of("rounds"), of("ok"), of("sent")),
        (vec!["2".into(), "1".into()], vec!["2".into(), "0".into()], vec!["8".into(), "4".into()])
    );
    let out = scratch.file("x.html");
    for option in ["--since", "--until"] {
        let done = run(&["report", &scratch.file("run.ndjson"), option, "1s", "-o", &out], b"");
        assert!(done.status == Some(2) && done.err.contains(option), "{}", done.err);
    }
    // Foreign and broken lines are named, and a page has the lines before.
    let foreign = scratch.write("foreign.ndjson", b"{\"frame\":1}\n");
    let done = run(&["report", &foreign, "-o", &out], b"");
    assert!(done.status == Some(3) && done.err.contains("line 1: neither a line of replay --clients"), "{}", done.err);
    assert!(!Path::new(&out).exists());
    let broken = scratch.write("broken.ndjson", [second(1, 20).as_bytes(), b"{\"report\":"].concat());
    let done = run(&["report", &broken, "-o", &out], b"");
    assert!(done.status == Some(3) && done.err.contains("line 2: invalid JSON"), "{}", done.err);
    assert!(std::fs::read_to_string(&out).expect("a page").contains("incomplete: line 2: invalid JSON"));
    let two = run(&["report", &broken, &foreign, "-o", &out, "--force"], b"");
    assert!(two.status == Some(2) && two.err.contains("a page of their own"), "{}", two.err);
}

/// Three captures and more are listed, with the figures of stats; one that is broken or missing has the reason.
#[test]
fn many_captures_have_a_row_each() {
    let files: Vec<PathBuf> = captures().filter(|path| args_of(path).is_empty()).collect();
    let refs: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let index = harmless(&page(&refs, &[]));
    let rows = index.rows("captures");
    assert_eq!(rows.len(), files.len());
    for (path, row) in files.iter().zip(&rows) {
        let want = stats(path, &[]);
        for name in ["conversations", "messages", "bytes", "faults", "warnings"] {
            assert_eq!(number(&row[name]), want[name].as_f64().unwrap_or(0.0), "{}: {name}", path.display());
        }
        assert_eq!(row["duration"], format!("{:.3}", want["duration"].as_f64().unwrap_or(0.0)), "{}", path.display());
        let first = want["verdicts"].as_array().expect("verdicts").first();
        let text = first.map_or("", |verdict| verdict["text"].as_str().expect("text"));
        // The commas of a cell are taken as those of numbers.
        assert!(row["verdict"].starts_with(&text.replace(',', "")), "{}: {}", path.display(), row["verdict"]);
    }
    let scratch = Scratch::new("report-index");
    let out = scratch.file("index.html");
    let a = "fixtures/riptide/riptide20-udp.pcap";
    let whole = std::fs::read(fixture("riptide/riptide20-udp.pcap")).expect("bytes");
    let cut = scratch.write("cut.pcap", &whole[..whole.len() / 2]);
    let missing = scratch.file("missing.pcap");
    let done = run(&["report", a, &cut, &missing, "-o", &out], b"");
    assert!(done.status == Some(3) && done.err.contains("missing.pcap: No such file"), "{}", done.err);
    let html = std::fs::read_to_string(&out).expect("a page");
    assert_eq!((harmless(&html).rows("captures").len(), html.matches("No such file").count()), (3, 1));
    // Errors are no summaries, which -q leaves out.
    let quiet = run(&["report", "-q", a, &cut, &missing, "-o", &out, "--force"], b"");
    assert!(quiet.status == Some(3) && quiet.err.contains("missing.pcap: No such file"), "{}", quiet.err);
}

#[test]
fn what_cannot_be_done_is_reported() {
    let scratch = Scratch::new("report-refused");
    let out = &scratch.file("x.html");
    let a = "fixtures/riptide/riptide20-udp.pcap";
    let own = run(&["report", a, "-o", a, "--force"], b"");
    assert_eq!(own.status, Some(2), "{}", own.err);
    assert_eq!(run(&["report", a, "-q", "-o", out], b"").status, Some(0));
    let again = run(&["report", a, "-o", out], b"");
    assert_eq!(again.status, Some(2));
    assert!(again.err.contains("--force"), "{}", again.err);
    // The page of a truncated capture has the readable part, and says so.
    let whole = std::fs::read(fixture("riptide/riptide20-udp.pcap")).expect("bytes");
    let cut = scratch.write("cut.pcap", &whole[..whole.len() / 2]);
    let done = run(&["report", &cut, "-o", out, "--force"], b"");
    assert_eq!(done.status, Some(3), "{}", done.err);
    let page = harmless(&std::fs::read_to_string(out).expect("a page"));
    assert!(page.0.iter().any(|e| e.is("class", "cut") && e.text.contains("incomplete")));
}

/// The printed page has each dot of each chart on the screen. Chromium prints, poppler reads.
#[test]
fn dots_are_printed() {
    use std::process::Command;
    let has = |program: &str, arg: &str| Command::new(program).arg(arg).output().is_ok();
    if !has("chromium", "--version") || !has("pdftocairo", "-v") {
        eprintln!("SKIPPED: dots_are_printed: no chromium, or no pdftocairo (Debian: chromium, poppler-utils)");
        return;
    }
    let scratch = Scratch::new("report-printed");
    let html = page(&[&fixture("riptide/riptide22-lossy.pcap")], &[]);
    let file = scratch.write("page.html", &html);
    let (pdf, svg) = (scratch.file("page.pdf"), scratch.file("page.svg"));
    let ran = |program: &str, args: &[&str]| {
        let done = Command::new(program).args(args).output().expect("it runs");
        assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let profile = format!("--user-data-dir={}", scratch.file("profile"));
    let print = format!("--print-to-pdf={pdf}");
    ran("chromium", &["--headless", "--no-sandbox", "--disable-gpu", &profile, &print, &file]);
    ran("pdftocairo", &["-svg", &pdf, &svg]);
    let shape = |element: &Element| ["round", "square"].into_iter().find(|s| element.attributes["class"].contains(s));
    let mut shown: Vec<(&str, usize)> = Vec::new();
    let parsed = Page::parse(&html);
    let dots = |element: &&Element| element.attributes.get("class").is_some_and(|class| class.contains("dots"));
    for element in parsed.0.iter().filter(dots) {
        shown.push((shape(element).expect("a shape"), element.attributes["d"].matches('M').count()));
    }
    let svg = std::fs::read_to_string(svg).expect("a picture");
    let mut printed: Vec<(&str, usize)> = Vec::new();
    for path in svg.split("<path ").skip(1).filter_map(|path| path.split("/>").next()) {
        let caps = ["round", "square"].into_iter().find(|cap| path.contains(&format!("stroke-linecap:{cap}")));
        let (Some(cap), Some((_, d))) = (caps, path.split_once(" d=\"")) else { continue };
        printed.push((cap, d.matches('M').count()));
    }
    shown.sort_unstable();
    printed.sort_unstable();
    assert!(shown.iter().any(|(shape, count)| *shape == "square" && *count > 50), "{shown:?}");
    assert_eq!(printed, shown);
}

/// The page says how conversations ended, as the table of stats does.
#[test]
fn the_page_says_how_conversations_ended() {
    let done = run(&["report", fixture("riptide/riptide20-udp.pcap").to_str().unwrap(), "-o", "-"], b"").ok();
    let page = Page::parse(done.text());
    let cell = |name: &str, text: &str| page.0.iter().any(|one| one.is("data-c", name) && one.text == text);
    assert!(cell("end", "kicked") && cell("end_by", "server") && cell("end", "left"));
}
