//! `netkit help TOPIC`: every page prints, fits the terminal, and names only existing pages.

mod common;

use common::{Done, feed, root};

fn netkit(args: &[&str], columns: Option<u32>) -> Done {
    let mut command = common::netkit(args);
    command.envs(columns.map(|columns| ("COLUMNS", columns.to_string())));
    feed(&mut command, b"")
}

fn text(args: &[&str], columns: Option<u32>) -> String {
    let done = netkit(args, columns).ok();
    assert_eq!(done.err, "", "{args:?}");
    done.text().into()
}

/// The names below a heading of `netkit help`.
fn listed(heading: &str) -> Vec<String> {
    let all = text(&["help"], Some(100));
    let (_, below) = all.split_once(heading).expect("the heading");
    let names = below.lines().skip(1).take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    names.map(|line| line.split_whitespace().next().expect("a name").to_owned()).collect()
}

/// The commands that `netkit help` lists before its usage line, under several headings.
fn commands() -> Vec<String> {
    let all = text(&["help"], Some(100));
    let (overview, _) = all.split_once("\nUsage").expect("the usage line");
    let lines = overview.lines().filter_map(|line| line.strip_prefix("  "));
    let name = |line: &str| line.trim_start_matches("netkit ").split_whitespace().next().expect("a name").to_owned();
    let list: Vec<String> = lines.map(name).collect();
    assert!(["decode", "encode", "help", "man"].iter().all(|name| list.iter().any(|known| known == name)), "{list:?}");
    list
}

#[test]
fn every_topic_prints() {
    let topics = listed("\nTopics");
    for name in ["riptide", "dnp", "nano", "gne", "acknex", "output", "filters", "contributing"] {
        assert!(topics.iter().any(|topic| topic == name), "{name} is no topic: {topics:?}");
    }
    for topic in &topics {
        let page = text(&["help", topic], Some(80));
        assert!(page.lines().count() > 15, "{topic}: {page}");
        for (k, line) in page.lines().enumerate() {
            // Code is not wrapped.
            let code = line.starts_with("    ");
            assert!(code || line.chars().count() <= 80, "{topic}, line {}: {line}", k + 1);
            assert!(!line.contains("```") && !line.starts_with('#') || code, "{topic}, line {}: {line}", k + 1);
            assert!(!line.contains('\x1b'), "{topic}: colours in a pipe");
        }
        // In colour the text is the same.
        let mut coloured = text(&["help", topic, "--color", "always"], Some(80));
        assert!(coloured.contains("\x1b[1m"), "{topic}");
        for code in ["\x1b[0m", "\x1b[1m", "\x1b[36m"] {
            coloured = coloured.replace(code, "");
        }
        assert_eq!(coloured, page, "{topic}");
    }
}

#[test]
fn pages_name_topics_that_there_are() {
    let known: Vec<String> = listed("\nTopics").into_iter().chain(commands()).collect();
    for topic in listed("\nTopics") {
        let words: Vec<String> = text(&["help", &topic], Some(20000)).split_whitespace().map(String::from).collect();
        for named in words.windows(3).filter(|w| w[0] == "netkit" && w[1] == "help").map(|w| &w[2]) {
            let name: String = named.chars().take_while(|c| c.is_ascii_lowercase()).collect();
            assert!(name.is_empty() || known.contains(&name), "{topic} names the page {named:?}");
        }
    }
}

#[test]
fn commands_have_their_own_help() {
    for command in commands() {
        assert!(text(&["help", &command], Some(100)).contains(&format!("Usage: netkit {command}")), "{command}");
    }
}

#[test]
fn what_is_meant_is_said() {
    for (wrong, meant) in [("riptid", "riptide"), ("filter", "filters"), ("decod", "decode"), ("schema", "schemas")] {
        let done = netkit(&["help", wrong], None);
        let said = done.err.clone();
        assert_eq!(done.status, Some(2), "{wrong}");
        assert!(said.contains(&format!("did you mean {meant:?}?")), "{said}");
        assert!(done.out.is_empty());
    }
    let none = netkit(&["help", "xyzzy"], None);
    assert!(none.err.starts_with("netkit: no command or topic \"xyzzy\" (netkit help"));
}

/// Everything that the README shows is executed (tests/golden.rs), and whoever opens it reads it to the end.
#[test]
fn the_readme_is_short_and_runs() {
    let text = std::fs::read_to_string(root().join("README.md")).expect("the README");
    let lines = text.lines().count();
    assert!(lines <= 200, "{lines} lines, at most 200");
    let blocks: Vec<&str> = text.lines().filter(|line| line.starts_with("```") && *line != "```").collect();
    assert!(blocks.len() >= 5 && blocks.iter().all(|block| *block == "```console"), "not executed: {blocks:?}");
}
