//! Filters: on the tree they select what the same condition, evaluated on the JSON lines, selects.

use proptest::prelude::*;
use serde_json::Value as Json;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

fn decode(file: &str, filter: Option<&str>) -> Vec<Json> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(file);
    let mut command = Command::new(env!("CARGO_BIN_EXE_netkit"));
    command.arg("decode").arg(&path).args(["-q", "-f", "ndjson"]);
    command.args(std::fs::read_to_string(path.with_extension("args")).unwrap_or_default().split_whitespace());
    if let Some(filter) = filter {
        command.args(["-F", filter]);
    }
    let done = command.output().expect("netkit runs");
    assert!(done.status.success(), "{filter:?}: {}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect()
}

/// Captures whose lines are read once.
static CAPTURES: LazyLock<Vec<(&str, Vec<Json>)>> = LazyLock::new(|| {
    ["riptide/riptide22-udp.pcap", "dnp/dnp-states.pcap", "acknex/acknex-midway.pcap"]
        .map(|file| (file, decode(file, None)))
        .into()
});

/// A condition, written as a filter and evaluated on a line.
#[derive(Clone, Debug)]
enum Condition {
    /// A number of the envelope or the fields, compared.
    Number(&'static str, &'static str, i64),
    /// A word.
    Word(&'static str, &'static str, bool),
    Message(Vec<&'static str>),
    Exists(&'static str),
    Fault,
    Note(&'static str),
    Matches(&'static str),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

/// The values that a path leads to, through lists.
fn values<'a>(line: &'a Json, path: &str) -> Vec<&'a Json> {
    let envelope = ["frame", "flow", "length", "from", "proto", "message"].contains(&path);
    if envelope {
        return vec![&line[path]];
    }
    let mut now: Vec<&Json> = [line.get("fields"), line.get("derived")].into_iter().flatten().collect();
    for step in path.split('.') {
        now = now.into_iter().filter_map(|v| v.get(step)).flat_map(leaves).collect();
    }
    now
}

fn leaves(value: &Json) -> Vec<&Json> {
    value.as_array().map_or(vec![value], |list| list.iter().flat_map(leaves).collect())
}

fn there(line: &Json, path: &str) -> bool {
    ["fields", "derived"].iter().filter_map(|part| line.get(part)).any(|part| part.get(path).is_some())
}

impl Condition {
    fn text(&self) -> String {
        match self {
            Condition::Number(path, sign, n) => format!("{path} {sign} {n}"),
            Condition::Word(path, word, equal) => format!("{path} {} {word}", if *equal { "==" } else { "!=" }),
            Condition::Message(names) => format!("message in {{{}}}", names.join(", ")),
            Condition::Exists(path) => (*path).into(),
            Condition::Fault => "has fault".into(),
            Condition::Note(code) => format!("note == {code}"),
            Condition::Matches(part) => format!("message ~ \"^{part}\""),
            Condition::Not(a) => format!("not ({})", a.text()),
            Condition::And(a, b) => format!("({}) and ({})", a.text(), b.text()),
            Condition::Or(a, b) => format!("({}) or ({})", a.text(), b.text()),
        }
    }

    fn holds(&self, line: &Json) -> bool {
        match self {
            Condition::Number(path, sign, n) => {
                let found: Vec<f64> = values(line, path).into_iter().filter_map(Json::as_f64).collect();
                let n = *n as f64;
                match *sign {
                    "!=" => !values(line, path).is_empty() && found.iter().all(|x| *x != n),
                    "==" => found.contains(&n),
                    "<" => found.iter().any(|x| *x < n),
                    "<=" => found.iter().any(|x| *x <= n),
                    ">" => found.iter().any(|x| *x > n),
                    _ => found.iter().any(|x| *x >= n),
                }
            }
            Condition::Word(path, word, equal) => {
                let found = values(line, path);
                let any = found.iter().any(|v| v.as_str() == Some(word));
                if *equal { any } else { !found.is_empty() && !any }
            }
            Condition::Message(names) => names.iter().any(|n| line["message"] == *n),
            Condition::Exists(path) => there(line, path),
            Condition::Fault => line.get("fault").is_some(),
            Condition::Note(code) => {
                line["notes"].as_array().is_some_and(|list| list.iter().any(|n| n["code"] == *code))
            }
            Condition::Matches(part) => line["message"].as_str().is_some_and(|m| m.starts_with(part)),
            Condition::Not(a) => !a.holds(line),
            Condition::And(a, b) => a.holds(line) && b.holds(line),
            Condition::Or(a, b) => a.holds(line) || b.holds(line),
        }
    }
}

fn condition() -> impl Strategy<Value = Condition> {
    use Condition as C;
    let paths = [
        "frame",
        "flow",
        "length",
        "message_id",
        "sequence_id",
        "ping_id",
        "rtt",
        "last_received_seq_id",
        "number",
        "link_id",
        "links.link_id",
        "entity",
        "identifier",
        "acked",
        "copy",
    ];
    let signs = ["==", "!=", "<", "<=", ">", ">="];
    let small = prop_oneof![0i64..40, 0i64..1000, Just(65535)];
    let words = [("from", "client"), ("from", "server"), ("proto", "dnp"), ("proto", "riptide"), ("result", "success")];
    let names = ["reliable", "ack", "heartbeat", "link_state", "link_update", "update2", "command_acknowledge"];
    let names: Vec<&'static str> = {
        let all: Vec<&str> =
            netkit::protocols::ALL.iter().flat_map(|d| d.tables()).flat_map(|t| t.layouts).map(|l| l.name).collect();
        names.into_iter().filter(|n| all.contains(n)).collect()
    };
    let exists = ["payload", "sequence_id", "number", "entity", "links", "copy", "acked", "trailing"];
    let notes = ["riptide.acked_by", "riptide.resent", "dnp.acknowledges", "dnp.link_accepted"];
    let leaf = prop_oneof![
        (prop::sample::select(paths.to_vec()), prop::sample::select(signs.to_vec()), small)
            .prop_map(|(p, s, n)| C::Number(p, s, n)),
        (prop::sample::select(words[..4].to_vec()), any::<bool>()).prop_map(|((p, w), e)| C::Word(p, w, e)),
        prop::sample::subsequence(names, 1..3).prop_map(C::Message),
        prop::sample::select(exists.to_vec()).prop_map(C::Exists),
        Just(C::Fault),
        prop::sample::select(notes.to_vec()).prop_map(C::Note),
        prop::sample::select(vec!["re", "link", "ack", "un"]).prop_map(C::Matches),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| C::Not(Box::new(a))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| C::And(Box::new(a), Box::new(b))),
            (inner.clone(), inner).prop_map(|(a, b)| C::Or(Box::new(a), Box::new(b))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_tree_and_the_lines_say_the_same(condition in condition()) {
        let text = condition.text();
        for (file, lines) in CAPTURES.iter() {
            let want: Vec<&Json> = lines.iter().filter(|line| condition.holds(line)).collect();
            let got = decode(file, Some(&text));
            let frames = |list: &[&Json]| list.iter().map(|l| l["frame"].to_string()).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(frames(&got.iter().collect::<Vec<_>>()), frames(&want), "{} {}", file, text);
        }
    }
}

/// How many messages of each capture these select, as `jq` counts them over the lines.
#[test]
fn filters_select() {
    for (file, filter, wanted) in [
        (
            "riptide/riptide22-udp.pcap",
            "riptide.reliable and from == client",
            Condition::And(
                Box::new(Condition::Message(vec!["reliable"])),
                Box::new(Condition::Word("from", "client", true)),
            ),
        ),
        ("dnp/dnp-states.pcap", "message == link_state", Condition::Message(vec!["link_state"])),
        ("acknex/acknex-midway.pcap", "entity >= 0x1", Condition::Number("entity", ">=", 1)),
    ] {
        let lines = &CAPTURES.iter().find(|(f, _)| *f == file).expect("a capture").1;
        let want = lines.iter().filter(|line| wanted.holds(line)).count();
        assert!(want > 0 && want < lines.len(), "{filter}: {want} of {}", lines.len());
        assert_eq!(decode(file, Some(filter)).len(), want, "{filter}");
    }
}
