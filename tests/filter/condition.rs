//! The property: any condition selects the same messages on the tree and on the JSON lines.

use super::{CAPTURES, decode};
use netkit::filter::{Filter, Names};
use proptest::prelude::*;
use serde_json::Value as Json;

/// A condition, written as a filter and evaluated on a line.
#[derive(Clone, Debug)]
enum Condition {
    /// A number of the envelope or the fields, compared.
    Number(&'static str, &'static str, i64),
    /// The same, written in hex.
    Hex(&'static str, &'static str, i64),
    /// A number with a fraction.
    Real(&'static str, &'static str, f64),
    /// A part of a text, or one of the flags.
    Contains(&'static str, &'static str),
    /// The beginning of a text.
    Begins(&'static str, &'static str),
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

/// The values at a path, through lists; `[2]` is that element alone.
fn values<'a>(line: &'a Json, path: &str) -> Vec<&'a Json> {
    raw(line, path).into_iter().flat_map(leaves).collect()
}

/// The same, with whole lists.
fn raw<'a>(line: &'a Json, path: &str) -> Vec<&'a Json> {
    let envelope = ["frame", "flow", "length", "time", "from", "proto", "message", "src"].contains(&path);
    if envelope {
        return vec![&line[path]];
    }
    let (parts, path) = match path.split_once('.') {
        Some((part @ ("fields" | "derived"), rest)) => (vec![line.get(part)], rest),
        _ => (vec![line.get("fields"), line.get("derived")], path),
    };
    let mut now: Vec<&Json> = parts.into_iter().flatten().collect();
    for step in path.split('.') {
        let (name, index) = step.split_once('[').map_or((step, None), |(name, rest)| (name, rest.strip_suffix(']')));
        let index: Option<usize> = index.map(|n| n.parse().expect("an index"));
        let inside = now.into_iter().flat_map(leaves).filter_map(|v| v.get(name));
        now = match index {
            Some(index) => inside.filter_map(|v| v.get(index)).collect(),
            None => inside.collect(),
        };
    }
    now
}

/// Numbers have no order with words, and equal none.
fn compared(line: &Json, path: &str, sign: &str, n: f64) -> bool {
    let found: Vec<f64> = values(line, path).into_iter().filter_map(Json::as_f64).collect();
    match sign {
        "!=" => !values(line, path).is_empty() && found.iter().all(|x| *x != n),
        "==" => found.contains(&n),
        "<" => found.iter().any(|x| *x < n),
        "<=" => found.iter().any(|x| *x <= n),
        ">" => found.iter().any(|x| *x > n),
        _ => found.iter().any(|x| *x >= n),
    }
}

fn leaves(value: &Json) -> Vec<&Json> {
    value.as_array().map_or(vec![value], |list| list.iter().flat_map(leaves).collect())
}

fn there(line: &Json, path: &str) -> bool {
    // Any protocol's copies, although not all lines have their number.
    if path == "copy" {
        return line["related"].as_array().is_some_and(|list| list.iter().any(|one| one["kind"] == "copy_of"));
    }
    !raw(line, path).is_empty()
}

impl Condition {
    fn leaves<'a>(&'a self, all: &mut Vec<&'a Condition>) {
        match self {
            Condition::Not(a) => a.leaves(all),
            Condition::And(a, b) | Condition::Or(a, b) => {
                a.leaves(all);
                b.leaves(all);
            }
            leaf => all.push(leaf),
        }
    }

    fn text(&self) -> String {
        match self {
            Condition::Number(path, sign, n) => format!("{path} {sign} {n}"),
            Condition::Hex(path, sign, n) => format!("{path} {sign} {n:#x}"),
            Condition::Real(path, sign, x) => format!("{path} {sign} {x:?}"),
            Condition::Contains(path, part) => format!("{path} contains {part:?}"),
            Condition::Begins(path, part) => format!("{path} ~ \"^{part}\""),
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
            Condition::Number(path, sign, n) | Condition::Hex(path, sign, n) => compared(line, path, sign, *n as f64),
            Condition::Real(path, sign, x) => compared(line, path, sign, *x),
            Condition::Contains(path, part) => {
                let flags =
                    raw(line, path).into_iter().any(|v| v.as_array().is_some_and(|l| l.contains(&(*part).into())));
                flags || values(line, path).into_iter().any(|v| v.as_str().is_some_and(|text| text.contains(part)))
            }
            Condition::Begins(path, part) => {
                values(line, path).into_iter().any(|v| v.as_str().is_some_and(|text| text.starts_with(part)))
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
        "derived.copy",
        "acked[0]",
        "derived.request_frame",
        "id",
        "json.code",
        "derived.json.sys.heartbeat",
        "packets.req_id",
        "packets[0].t2.usec",
        "pings.req_id",
        "tcp_flow",
    ];
    let reals = ["position", "position[0]", "pan", "values.value", "links.values.value", "pings.round_trip", "time"];
    let real = prop_oneof![-800.0f64..800.0, 0.0f64..0.1, Just(-32.5), Just(1795229853.5), Just(-std::f64::consts::E)];
    let parts = [
        ("route", "echo"),
        ("derived.route", "Handler"),
        ("flags", "read_only"),
        ("flags", "route_code"),
        ("links.values.value", "set by"),
        ("json.uid", "ann"),
        ("src", ":3020"),
        ("src", ":41001"),
    ];
    let begins = [("route", "connector"), ("src", "127"), ("values.value", "Gr"), ("payload", "7b"), ("message", "re")];
    let signs = ["==", "!=", "<", "<=", ">", ">="];
    let small = prop_oneof![0i64..40, 0i64..1000, Just(65535)];
    let words = [("from", "client"), ("from", "server"), ("proto", "dnp"), ("proto", "riptide"), ("result", "success")];
    let names = ["reliable", "ack", "heartbeat", "link_state", "link_update", "update2", "command_acknowledge"];
    let names: Vec<&'static str> = {
        let all: Vec<&str> =
            netkit::protocols::ALL.iter().flat_map(|d| d.tables()).flat_map(|t| t.layouts).map(|l| l.name).collect();
        names.into_iter().filter(|n| all.contains(n)).collect()
    };
    let exists =
        ["payload", "sequence_id", "number", "links", "copy", "links.values", "json", "json.sys", "packets[1]"];
    let notes = ["riptide.acked_by", "riptide.resent", "dnp.acknowledges", "dnp.link_accepted"];
    let leaf = prop_oneof![
        (prop::sample::select(paths.to_vec()), prop::sample::select(signs.to_vec()), small)
            .prop_map(|(p, s, n)| C::Number(p, s, n)),
        (prop::sample::select(paths.to_vec()), prop::sample::select(signs.to_vec()), 0i64..300)
            .prop_map(|(p, s, n)| C::Hex(p, s, n)),
        (prop::sample::select(reals.to_vec()), prop::sample::select(signs.to_vec()), real)
            .prop_map(|(p, s, x)| C::Real(p, s, x)),
        prop::sample::select(parts.to_vec()).prop_map(|(p, part)| C::Contains(p, part)),
        prop::sample::select(begins.to_vec()).prop_map(|(p, part)| C::Begins(p, part)),
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
        // A condition that is refused as never true is true for no line.
        let mut leaves = Vec::new();
        condition.leaves(&mut leaves);
        let options = netkit::protocols::options();
        let names = Names::new(&options);
        let refused: Vec<_> = leaves.into_iter().filter(|leaf| Filter::parse(&leaf.text(), &names).is_err()).collect();
        for leaf in &refused {
            let fits = CAPTURES.iter().flat_map(|(_, lines)| lines).find(|line| leaf.holds(line));
            prop_assert!(fits.is_none(), "{}: {:?}", leaf.text(), fits);
        }
        prop_assume!(refused.is_empty());
        let text = condition.text();
        for (file, lines) in CAPTURES.iter() {
            let want: Vec<&Json> = lines.iter().filter(|line| condition.holds(line)).collect();
            let got = decode(file, Some(&text));
            let frames = |list: &[&Json]| list.iter().map(|l| l["frame"].to_string()).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(frames(&got.iter().collect::<Vec<_>>()), frames(&want), "{} {}", file, text);
        }
    }
}
