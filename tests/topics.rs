//! `netkit help TOPIC`: every page prints, fits the terminal, and names only existing pages.

mod common;

use common::{Done, Scratch, entries, feed, fixture, root};

fn netkit(args: &[&str], columns: Option<u32>) -> Done {
    let mut command = common::netkit(args);
    command.envs(columns.map(|columns| ("COLUMNS", columns.to_string())));
    feed(&mut command, b"")
}

/// The pages of all folders, and the README: their paths and texts.
fn pages() -> Vec<(String, String)> {
    let carriers = entries(&root().join("src/protocols")).into_iter().map(|folder| folder.join("README.md"));
    let all = entries(&root().join("src/docs")).into_iter().chain(carriers).chain([root().join("README.md")]);
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a page");
        (path.strip_prefix(root()).expect("below the project").display().to_string().replace('\\', "/"), text)
    };
    all.filter(|path| path.is_file()).map(read).collect()
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
fn what_is_meant_is_suggested() {
    for (wrong, meant) in [("riptid", "riptide"), ("filter", "filters"), ("decod", "decode"), ("schema", "schemas")] {
        let done = netkit(&["help", wrong], None);
        let sent = done.err.clone();
        assert_eq!(done.status, Some(2), "{wrong}");
        assert!(sent.contains(&format!("did you mean {meant:?}?")), "{sent}");
        assert!(done.out.is_empty());
    }
    let none = netkit(&["help", "xyzzy"], None);
    assert!(none.err.starts_with("netkit: no command or topic \"xyzzy\" (netkit help"));
}

/// The first screen of a page has a command to run or a file to write.
#[test]
fn first_screens_have_an_example() {
    let example = |line: &str| line.strip_prefix("    ").is_some_and(|code| !code.starts_with(' '));
    let mut topics = listed("\nTopics");
    topics.retain(|topic| !text(&["help", topic], Some(80)).lines().take(24).any(example));
    assert!(topics.is_empty(), "no example in the first 24 lines of {topics:?}");
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

/// The code in backquotes, and the lines of code blocks.
fn code(page: &str) -> Vec<String> {
    let mut list = Vec::new();
    for (k, part) in page.split("```").enumerate() {
        match k % 2 {
            0 => list.extend(
                part.split('`').skip(1).step_by(2).map(|code| code.split_whitespace().collect::<Vec<_>>().join(" ")),
            ),
            _ => list.extend(part.replace("\\\n", " ").lines().skip(1).map(String::from)),
        }
    }
    list
}

/// Options of other programs that pages name.
const FOREIGN: [&str; 3] = ["--immediate-mode", "--features", "--test"];

#[test]
fn pages_name_commands_and_options_that_there_are() {
    let commands = commands();
    let manual = std::fs::read_to_string(root().join("completions/netkit.1")).expect("the man page");
    let manual = manual.replace("\\-", "-").replace("\\f", " ");
    let options: Vec<&str> = manual.match_indices("--").map(|(at, _)| option(&manual[at..])).collect();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (page, text) in pages() {
        for code in code(&text) {
            let words: Vec<&str> = code.split_whitespace().collect();
            for named in words.windows(2).filter(|pair| pair[0] == "netkit").map(|pair| pair[1]) {
                let command = named.chars().all(|c| c.is_ascii_lowercase());
                if command && !commands.iter().any(|known| known == named) {
                    wrong.push(format!("{page}: no command {named:?}: {code}"));
                }
                count += usize::from(command);
            }
            let ours = words.first().is_some_and(|word| word.starts_with("--"))
                || words.contains(&"netkit") && !words.contains(&"cargo");
            let foreign = |word: &&str| FOREIGN.iter().any(|other| word.starts_with(other));
            for word in words.iter().filter(|word| ours && word.starts_with("--") && word.len() > 2 && !foreign(word)) {
                if !options.contains(&option(word)) {
                    wrong.push(format!("{page}: no option {word:?}: {code}"));
                }
                count += 1;
            }
        }
    }
    assert!(count > 400, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The option that a text begins with.
fn option(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '-').unwrap_or(text.len());
    &text[..end]
}

#[test]
fn pages_name_files_that_there_are() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (page, text) in pages() {
        // The pages of protocols name files of their libraries.
        let foreign = |path: &str| page.contains("protocols/") && path.starts_with("src/");
        for word in code(&text).iter().flat_map(|code| code.split_whitespace()) {
            let path = word.trim_matches(|c: char| "'\",;:()".contains(c));
            let below =
                ["src/", "tests/", "fixtures/", "completions/", ".ci/"].iter().any(|folder| path.starts_with(folder));
            // `src/protocols/P/layout.rs` and `fixtures/*.pcap` are patterns.
            let pattern = path
                .split(['/', '.'])
                .any(|part| ["P", "NAME", "FORMAT", "COMMAND"].contains(&part) || part.contains('*'));
            if below && !pattern && !foreign(path) {
                count += 1;
                if !root().join(path).exists() {
                    wrong.push(format!("{page}: no file {path:?}"));
                }
            }
        }
    }
    assert!(count > 100, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A reader without the repository makes the tutorial's capture from its page.
#[test]
fn the_tutorial_makes_its_capture() {
    let page = text(&["help", "your-protocol"], Some(20000));
    let lines: String =
        page.lines().filter(|line| line.trim().starts_with("{\"time\"")).map(|l| format!("{}\n", l.trim())).collect();
    let file = fixture("described/tutorial/3.toml");
    let folder = Scratch::new("tutorial");
    let made = folder.file("mygame.pcap");
    let mut encode = common::netkit(&["encode", "--json", "-", "--as", "pcap", "-o", &made, "--protocol-file"]);
    feed(encode.arg(&file), lines.as_bytes()).ok();
    let rows = |capture: &str| {
        let columns = "frame,from,message,length,fields,related";
        let mut decode = common::netkit(&["decode", capture, "-f", "csv", "--columns", columns, "-p"]);
        feed(decode.arg(&file), b"").ok().text().to_owned()
    };
    let shown = rows(&fixture("described/tutorial/mygame.pcap").display().to_string());
    assert_eq!(shown.lines().count(), 17);
    assert_eq!(rows(&made), shown);
}
