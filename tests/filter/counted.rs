//! Filters and the same conditions for `jq`.

use super::decode;
use serde_json::Value as Json;
use std::io::Write;
use std::process::{Command, Stdio};

/// Captures, filters, and the same condition for `jq`. `jq` counted the messages when this was written; if it is
/// installed, it counts them again.
const COUNTED: [(&str, &str, &str, usize); 36] = [
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
    ("riptide/riptide22-lossy.pcap", "acked[1..] == 3", "any(.derived.acked[1:][]?; .==3)", 1),
    ("riptide/riptide20-udp.pcap", "payload[0] >= 0x80", r#".fields.payload//""|length>1 and .[0:2]>="80""#, 36),
    ("riptide/riptide20-udp.pcap", "payload[..2] == C6c1", r#".fields.payload//""|.[0:4]=="c6c1""#, 8),
    ("riptide/riptide20-udp.pcap", "payload[3..] contains ff", r#".fields.payload//""|.[6:]|test("^(..)*ff")"#, 24),
    ("riptide/riptide20-udp.pcap", "payload[2..4] != 0100", r#".fields.payload//""|length>7 and .[4:8]!="0100""#, 65),
    ("acknex/acknex-sim-le.pcap", "round_trip_ms > 21", "(.derived.round_trip_ms//0)>21", 2),
    ("gne/gne-probe.pcap", "pings.round_trip > 0.1", "any(.derived.pings[]?; .round_trip>0.1)", 7),
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

/// The frames that `jq` selects, if it is installed.
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
