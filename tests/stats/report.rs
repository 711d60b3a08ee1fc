//! The pages of `netkit report`: what they say of every fixture is what `stats -f json` says.

use super::common::{self, Scratch, args_of, ends_in, entries, feed, fixture};
use super::stats;
use serde_json::Value as Json;
use std::path::Path;

/// What stands between two marks, the first time.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let start = text.find(before)? + before.len();
    Some(&text[start..start + text[start..].find(after)?])
}

/// A text without elements, and with the characters that HTML replaces.
fn plain(html: &str) -> String {
    let (mut out, mut inside) = (String::new(), false);
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            c if !inside => out.push(c),
            _ => {}
        }
    }
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        .into_iter()
        .fold(out, |text, (code, character)| text.replace(code, character))
}

/// The rows of a table: the names of its cells, and their exact values or their text.
fn rows(page: &str, id: &str) -> Vec<Vec<(String, String)>> {
    let Some(table) = between(page, &format!("<table id=\"{id}\">"), "</table>") else { return Vec::new() };
    let body = between(table, "<tbody>", "</tbody>").expect("a body");
    let cell = |text: &str| {
        let name = between(text, "data-c=\"", "\"")?;
        let tag = &text[..text.find('>')?];
        let value = match between(tag, "data-v=\"", "\"") {
            Some(value) => value.to_owned(),
            None => plain(&text[text.find('>')? + 1..]),
        };
        Some((name.to_owned(), value))
    };
    body.split("<tr").skip(1).map(|row| row.split("<td").skip(1).filter_map(cell).collect()).collect()
}

/// Every number of the table is that of the list, row by row.
fn same(page: &str, id: &str, list: &Json, most: usize, name: &str) -> usize {
    let (rows, list) = (rows(page, id), list.as_array().expect("a list"));
    assert_eq!(rows.len(), list.len().min(most), "{name}: rows of {id}");
    let mut compared = 0;
    for (row, want) in rows.iter().zip(list) {
        for (column, value) in row {
            if let Json::Number(want) = &want[column] {
                let value = value.replace(',', "").parse::<f64>();
                assert_eq!(value.ok(), want.as_f64(), "{name}: {column} of {want} in {id}");
                compared += 1;
            } else if let Json::String(want) = &want[column] {
                assert!(value.contains(want.as_str()), "{name}: {column}: {value:?} for {want:?}");
            }
        }
    }
    compared
}

fn page(capture: &Path, scratch: &Scratch) -> String {
    let out = scratch.file("page.html");
    let mut command = common::netkit(&["report", "-o", &out, "--force", "-q"]);
    feed(command.arg(capture).args(args_of(capture)), b"").ok();
    std::fs::read_to_string(out).expect("a page")
}

#[test]
fn pages_say_what_stats_say() {
    let scratch = Scratch::new("report-sums");
    let folders = ["acknex", "dnp", "gne", "nano", "riptide"];
    let captures: Vec<_> =
        folders.into_iter().flat_map(|name| entries(&fixture(name))).filter(|path| ends_in(path, "pcap")).collect();
    assert!(captures.len() > 50);
    let mut compared = 0;
    for capture in captures {
        let name = capture.display().to_string();
        let (page, stats) = (page(&capture, &scratch), stats(&capture, &[]));
        for sum in ["messages", "bytes", "faults", "warnings", "conversations", "duration"] {
            let value =
                between(&page, &format!("data-sum=\"{sum}\" value=\""), "\"").and_then(|v| v.parse::<f64>().ok());
            assert_eq!(value, stats[sum].as_f64(), "{name}: {sum}");
        }
        compared += same(&page, "kinds", &stats["message"], 200, &name);
        compared += same(&page, "flows", &stats["flow"], 100, &name);
        let verdicts = stats["verdicts"].as_array().expect("verdicts");
        let said = between(&page, "<section id=\"verdicts\"", "</section>").map(plain).expect("a section");
        for verdict in verdicts {
            let text = verdict["text"].as_str().expect("a text");
            assert!(said.contains(text), "{name}: {text}");
        }
        // One script and what it reads; no element got in with a text.
        assert_eq!(page.matches("<script").count(), if stats["messages"] == 0 { 1 } else { 3 }, "{name}");
    }
    assert!(compared > 3_000, "{compared} numbers");
}
