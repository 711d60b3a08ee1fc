//! Filters: on the tree they select what the same condition, evaluated on the JSON lines, selects.

use netkit::codec::schema::Schemas;
use netkit::filter::{Filter, Names};
use proptest::prelude::*;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

fn decode(file: &str, filter: Option<&str>) -> Vec<Json> {
    decode_with(file, filter, &["-q"])
}

fn decode_with(file: &str, filter: Option<&str>, args: &[&str]) -> Vec<Json> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(file);
    let mut command = Command::new(env!("CARGO_BIN_EXE_netkit"));
    command.arg("decode").arg(&path).args(["-f", "ndjson"]).args(args);
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
    [
        "riptide/riptide22-udp.pcap",
        "dnp/dnp-states.pcap",
        "nano/pomelo-ws.pcap",
        "gne/gne-be-udp-full.pcap",
        "acknex/acknex-steps45.pcap",
    ]
    .map(|file| (file, decode(file, None)))
    .into()
});

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

/// The values that a path leads to, through lists; `[2]` is that element alone.
fn values<'a>(line: &'a Json, path: &str) -> Vec<&'a Json> {
    raw(line, path).into_iter().flat_map(leaves).collect()
}

/// The same, lists whole.
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

/// Numbers are in no order with words, and equal to none.
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
    !raw(line, path).is_empty()
}

impl Condition {
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
        "copy",
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
        let text = condition.text();
        for (file, lines) in CAPTURES.iter() {
            let want: Vec<&Json> = lines.iter().filter(|line| condition.holds(line)).collect();
            let got = decode(file, Some(&text));
            let frames = |list: &[&Json]| list.iter().map(|l| l["frame"].to_string()).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(frames(&got.iter().collect::<Vec<_>>()), frames(&want), "{} {}", file, text);
        }
    }
}

/// Captures, filters, and the same condition for `jq`, which counted the messages when this was
/// written; where it is there, it counts them again.
const COUNTED: [(&str, &str, &str, usize); 29] = [
    (
        "riptide/riptide22-udp.pcap",
        "riptide.heartbeat and rtt > 0x20",
        r#".message=="heartbeat" and (.fields.rtt//0) > 32"#,
        2,
    ),
    ("riptide/riptide22-udp.pcap", "riptide.reason == kicked", r#".fields.reason=="kicked""#, 1),
    ("riptide/riptide22-udp.pcap", r#"message ~ "^client_""#, r#".message|startswith("client_")"#, 12),
    ("riptide/riptide22-udp.pcap", "version == 2.2 and length < 5", r#".version=="2.2" and .length<5"#, 102),
    (
        "riptide/riptide22-lossy.pcap",
        "note == duplicate and derived.copy > 2",
        r#"(any(.notes[]?; .code=="riptide.duplicate")) and .derived.copy>2"#,
        20,
    ),
    ("riptide/riptide22-lossy.pcap", "acked[0] == 3", ".derived.acked[0]==3", 3),
    ("riptide/riptide22-lossy.pcap", "acked == 3", "any(.derived.acked[]?; .==3)", 4),
    ("riptide/riptide22-lossy.pcap", "flow == 2 and not payload", r#".flow==2 and (.fields|has("payload")|not)"#, 133),
    ("dnp/dnp-states.pcap", "values.value > 1e99", "any(.fields.values[]?.value|..|numbers; .>1e99)", 1),
    ("dnp/dnp-states.pcap", "flags == read_only", r#"any(.fields.flags[]?; .=="read_only")"#, 6),
    (
        "dnp/dnp-states.pcap",
        "message == link_state and not flags contains read_only",
        r#".message=="link_state" and (.fields.flags|index("read_only")|not)"#,
        5,
    ),
    ("dnp/dnp-states.pcap", "values.type == vector3_f64", r#"any(.fields.values[]?; .type=="vector3_f64")"#, 1),
    (
        "dnp/dnp-states.pcap",
        r#"values[11].value ~ "^Gr.+e ""#,
        r#"(.fields.values[11]?.value//"")|strings|test("^Gr.+e ")"#,
        1,
    ),
    (
        "dnp/dnp-states.pcap",
        r#"links.values.value contains "set by""#,
        r#"any(.fields.links[]?.values[]?.value|strings; contains("set by"))"#,
        2,
    ),
    ("dnp/dnp-states.pcap", "links.values", r#"any(.fields.links[]?; has("values"))"#, 23),
    (
        "dnp/dnp-states.pcap",
        "has fault or note == link_accepted",
        r#"has("fault") or any(.notes[]?; .code=="dnp.link_accepted")"#,
        9,
    ),
    (
        "dnp/dnp-states.pcap",
        r#"src ~ ":41001$" and time >= 1795229854"#,
        r#"(.src|endswith(":41001")) and .time>=1795229854"#,
        15,
    ),
    ("acknex/acknex-steps45.pcap", "position > 700", "any(.fields.position[]?; .>700)", 1),
    (
        "acknex/acknex-steps45.pcap",
        "position[2] == -32.5 and pan < 0",
        ".fields.position[2]==-32.5 and .fields.pan<0",
        8,
    ),
    ("nano/pomelo-ws.pcap", r#"fields.route contains "echo""#, r#"(.fields.route//"")|contains("echo")"#, 10),
    (
        "nano/pomelo-ws.pcap",
        r#"route contains "echo""#,
        r#"((.fields.route//"")|contains("echo")) or ((.derived.route//"")|contains("echo"))"#,
        57,
    ),
    ("nano/pomelo-ws.pcap", "derived.json.sys.heartbeat == 2", ".derived.json.sys.heartbeat?==2", 3),
    ("nano/pomelo-ws.pcap", "json.code in {200, 500}", ".derived.json.code? as $c | [200,500]|index($c)", 9),
    (
        "nano/pomelo-ws.pcap",
        "proto == websocket and message != close",
        r#".proto=="websocket" and .message!="close""#,
        14,
    ),
    ("nano/pomelo-ws.pcap", "websocket.status == 101", r#".proto=="websocket" and .derived.status==101"#, 6),
    (
        "gne/gne-be-udp-full.pcap",
        "gne.packets.id == ping",
        r#".message=="packets" and any(.fields.packets[]?; .id=="ping")"#,
        10,
    ),
    ("gne/gne-be-udp-full.pcap", "packets[1]", ".fields.packets[1]? != null", 1),
    ("gne/gne-be-udp-full.pcap", "pings.round_trip > 0.04", "any(.derived.pings[]?; .round_trip? > 0.04)", 4),
    (
        "gne/gne-be-udp-full.pcap",
        "derived.tcp_flow == 1 or pings.request == false",
        ".derived.tcp_flow==1 or any(.derived.pings[]?; .request==false)",
        13,
    ),
];

#[test]
fn filters_select_what_jq_selects() {
    for (file, filter, expression, count) in COUNTED {
        let got = decode(file, Some(filter));
        assert_eq!(got.len(), count, "{file} {filter}");
        if let Some(lines) = jq(file, expression) {
            assert_eq!(got.iter().map(|l| l["frame"].clone()).collect::<Vec<_>>(), lines, "{file} {filter}");
        }
    }
}

/// The frames that `jq` selects, where there is one.
fn jq(file: &str, expression: &str) -> Option<Vec<Json>> {
    let lines: Vec<String> = decode(file, None).iter().map(Json::to_string).collect();
    let mut child = Command::new("jq")
        .args(["-c", &format!("select({expression})|.frame")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut to = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || to.write_all((lines.join("\n") + "\n").as_bytes()));
    let done = child.wait_with_output().expect("jq's output");
    writer.join().expect("no panic").expect("written");
    assert!(done.status.success(), "{expression}");
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    Some(text.lines().map(|l| serde_json::from_str(l).expect("a number")).collect())
}

/// Fields of the user's own layouts, which `-F` knows with the schema only.
#[test]
fn fields_of_schemas() {
    let schema = ["-q", "--schema", concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/schemas/riptide.toml")];
    let file = "riptide/riptide22-udp.pcap";
    let all = decode_with(file, None, &schema);
    for (filter, path, least) in [
        ("payload.position.x > 100", "/position/0", 100.0),
        ("payload.position.y > 1", "/position/1", 1.0),
        ("riptide.payload.rotation[1] > 0x0", "/rotation/1", 0.0),
        ("payload.count > 0x3e8", "/count", 1000.0),
        ("riptide.reliable.payload.count > 3", "/count", 3.0),
    ] {
        let inside = |line: &&Json| {
            let value = line["fields"]["payload"].pointer(path).and_then(Json::as_f64);
            value.is_some_and(|n| n > least) && (!filter.contains("reliable") || line["message"] == "reliable")
        };
        let want: Vec<&Json> = all.iter().filter(inside).collect();
        assert!(!want.is_empty(), "{filter}");
        assert_eq!(decode_with(file, Some(filter), &schema).iter().collect::<Vec<_>>(), want, "{filter}");
    }
}

/// What completions offer to begin a filter with is taken.
#[test]
fn offered_names_are_known() {
    let names = Names { schemas: &Schemas::default() };
    let all = names.all();
    assert!(all.len() > 150 && all.contains(&"riptide.heartbeat".into()) && all.contains(&"nano.json".into()));
    for name in all {
        let alone = Filter::parse(&name, &names).is_ok();
        assert!(alone || Filter::parse(&format!("{name} ~ x"), &names).is_ok(), "{name}");
    }
}

/// Every field that decode prints of the captures can be asked for.
#[test]
fn printed_fields_are_known() {
    fn paths(value: &Json, path: &str, all: &mut BTreeSet<String>) {
        match value {
            // A leaf that plain JSON would not give back.
            Json::Object(map) if map.len() == 2 && map.contains_key("raw") && map.contains_key("bits") => {}
            Json::Object(map) => map.iter().for_each(|(name, inner)| {
                // Names of applications may be anything; filters take words.
                if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                    let path = format!("{path}.{name}");
                    paths(inner, &path, all);
                    all.insert(path);
                }
            }),
            Json::Array(list) => list.iter().for_each(|inner| paths(inner, path, all)),
            _ => {}
        }
    }
    let names = Names { schemas: &Schemas::default() };
    let mut all = BTreeSet::new();
    for (_, lines) in CAPTURES.iter() {
        for line in lines {
            let of = |part: &str| {
                format!("{}.{}.{part}", line["proto"].as_str().unwrap(), line["message"].as_str().unwrap())
            };
            for part in ["fields", "derived"] {
                paths(&line[part], &of(part), &mut all);
            }
        }
    }
    assert!(all.len() > 200, "{}", all.len());
    for path in all {
        assert!(Filter::parse(&path, &names).is_ok(), "{path}");
    }
}
