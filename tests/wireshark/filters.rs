//! Filters of netkit and of Wireshark select the same frames; notes are expert information.

use crate::common::*;
use crate::wireshark::annotated;
use crate::wireshark::pdml;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;

/// The captures, and filters for each: netkit's and Wireshark's.
const FILTERS: [(&str, &[(&str, &str)]); 6] = [
    (
        "riptide/riptide22-lossy",
        &[
            ("rtt > 10", "netkit.riptide.rtt > 10"),
            ("riptide.heartbeat.rtt > 10", "netkit.riptide.heartbeat.rtt > 10"),
            ("rtt == -1", "netkit.riptide.rtt == -1"),
            ("riptide.heartbeat", "netkit.riptide.heartbeat"),
            ("message == heartbeat", "netkit.message == \"heartbeat\""),
            ("message in {ack, notify}", "netkit.message in {\"ack\", \"notify\"}"),
            ("message != ack", "netkit.message != \"ack\""),
            ("from == server", "netkit.from == \"server\""),
            ("version == 2.2", "netkit.version == \"2.2\""),
            ("flow == 2", "netkit.flow == 2"),
            ("length >= 20", "netkit.length >= 20"),
            ("sequence_id == 7", "netkit.riptide.sequence_id == 7"),
            ("riptide.reliable.sequence_id in {3, 4, 5}", "netkit.riptide.reliable.sequence_id in {3, 4, 5}"),
            (
                "message_id >= 501 and message_id < 510",
                "netkit.riptide.message_id >= 501 && netkit.riptide.message_id < 510",
            ),
            ("is_extra == true", "netkit.riptide.ack.is_extra == 1"),
            ("for_seq_id", "netkit.riptide.ack.for_seq_id"),
            ("not message == reliable", "!(netkit.message == \"reliable\")"),
            ("payload contains 656e", "netkit.riptide.payload contains 65:6e"),
            ("message == reliable and from == client", "netkit.riptide.reliable && netkit.from == \"client\""),
            ("derived.acked == 2", "netkit.riptide.derived.acked == 2"),
            ("derived.copy > 1", "netkit.riptide.derived.copy > 1"),
            ("note == riptide.resent", "netkit.note == \"riptide.resent\""),
            ("note == riptide.acked_by", "netkit.note == \"riptide.acked_by\""),
            ("has warning", "netkit.note.level == \"warning\""),
            ("related.kind == acknowledges", "netkit.related.acknowledges"),
            ("related.kind == copy_of", "netkit.related.copy_of"),
        ],
    ),
    (
        "riptide/riptide20-udp",
        &[
            ("reason == server_full", "netkit.riptide.reject.reason == \"server_full\""),
            (
                "reason in {kicked, server_stopped}",
                "netkit.riptide.disconnect.reason in {\"kicked\", \"server_stopped\"}",
            ),
            ("riptide.reject", "netkit.riptide.reject"),
            ("has fault", "netkit.fault"),
            ("client_id == 2", "netkit.riptide.client_id == 2"),
            ("message ~ '^client_'", "netkit.message matches \"^client_\""),
        ],
    ),
    (
        "dnp/dnp-basic",
        &[
            ("number == 1", "netkit.dnp.number == 1"),
            ("dnp.reliable_message.number > 3", "netkit.dnp.reliable_message.number > 3"),
            ("result == accepted", "netkit.dnp.connection_acknowledge.result == \"accepted\""),
            ("result == success", "netkit.dnp.reliable_acknowledge.result == \"success\""),
            ("protocols == 1", "netkit.dnp.connection_request.protocols == 1"),
            ("has unparsed", "netkit.dnp.unparsed"),
            ("data contains 0a0b", "netkit.dnp.data contains 0a:0b"),
        ],
    ),
    (
        "nano/nano-tcp",
        &[
            (
                "route == 'Room.Echo'",
                "netkit.nano.route == \"Room.Echo\" || netkit.nano.derived.route == \"Room.Echo\"",
            ),
            ("derived.route == 'Room.Join'", "netkit.nano.derived.route == \"Room.Join\""),
            ("id >= 127", "netkit.nano.id >= 127"),
            ("nano.request", "netkit.nano.request"),
            ("route_code == 300", "netkit.nano.push.route_code == 300"),
            ("flags contains route_code", "netkit.flag == \"route_code\""),
            (
                "nano.request.route contains Big",
                "netkit.nano.request.route contains \"Big\" || netkit.nano.request && netkit.nano.derived.route contains \"Big\"",
            ),
        ],
    ),
    (
        "acknex/acknex-sim-le",
        &[
            ("player_name == Alice", "netkit.acknex.join.player_name == \"Alice\""),
            ("pan > 100", "netkit.acknex.pan > 100"),
            ("entity == 7 and message == skill3", "netkit.acknex.skill3 && netkit.acknex.skill3.entity == 7"),
            ("skill > 80.5", "netkit.acknex.skill.skill > 80.5"),
            ("color.green == 200", "netkit.acknex.color.green == 200"),
            ("derived.member == skill40", "netkit.acknex.derived.member == \"skill40\""),
            ("text contains '!'", "netkit.acknex.string.text contains \"!\""),
            ("round_trip_ms > 21", "netkit.acknex.derived.round_trip_ms > 21"),
            ("round_trip_ms > 100", "netkit.acknex.derived.round_trip_ms > 100"),
        ],
    ),
    (
        "gne/gne-probe",
        &[
            ("pings.round_trip > 0.1", "netkit.gne.derived.pings.round_trip > 0.1"),
            ("pings.round_trip < 0.001", "netkit.gne.derived.pings.round_trip < 0.001"),
            ("pings.offset > 0", "netkit.gne.derived.pings.offset > 0"),
        ],
    ),
];

#[test]
fn filters_choose_the_same_frames() {
    if !pdml::tshark() {
        return;
    }
    assert!(FILTERS.iter().map(|(_, list)| list.len()).sum::<usize>() >= 50);
    let folder = Scratch::new("wireshark-filters");
    let (mut chosen, mut wrong) = (0, Vec::new());
    for (name, list) in FILTERS {
        let capture = fixture(&format!("{name}.pcap"));
        let args = args_of(&capture);
        let (script, out) = (annotated::script(&folder, &args), folder.path().join("filters.pcapng"));
        annotated::write(&capture, &args, &out);
        let shown = chosen_by(&folder, &script, &out, list.iter().map(|(_, theirs)| *theirs));
        for ((ours, theirs), shown) in list.iter().zip(shown) {
            let more: Vec<String> = ["-F", ours].map(String::from).into_iter().chain(args.clone()).collect();
            let frames: BTreeSet<u64> = lines(&annotated::decoded(&capture, &more, "ndjson"));
            chosen += usize::from(!frames.is_empty());
            if frames != shown {
                wrong.push(format!("{name}: {ours}: {frames:?}; {theirs}: {shown:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Filters without a match would compare nothing.
    assert!(chosen >= 45, "{chosen}");
}

/// The frames that each of Wireshark's filters selects, in one run of tshark: it takes longer to start than to filter.
/// Each filter is a listener's, created when the fields of the script are registered.
fn chosen_by<'a>(
    folder: &Scratch,
    script: &Path,
    capture: &Path,
    filters: impl Iterator<Item = &'a str>,
) -> Vec<BTreeSet<u64>> {
    let (mut asks, mut chosen) = (String::from("local filters = {\n"), Vec::new());
    for filter in filters {
        asks += &format!("{filter:?},\n");
        chosen.push(BTreeSet::new());
    }
    asks += "}\n\
        local asks, begun = Proto(\"asks\", \"asks\"), false\n\
        function asks.init()\n\
        if begun then return end\n\
        begun = true\n\
        for k, filter in ipairs(filters) do\n\
        local listener = Listener.new(\"frame\", filter)\n\
        function listener.packet(pinfo) print(k, pinfo.number) end\n\
        end\n\
        end\n";
    let asks = format!("lua_script:{}", folder.write("filters.lua", asks));
    for line in pdml::run(script, capture, &["-X", &asks, "-q"]).lines() {
        let (filter, frame) = line.split_once('\t').expect("a filter and a frame");
        let filter: usize = filter.parse().expect("a number");
        chosen[filter - 1].insert(frame.parse().expect("a number"));
    }
    chosen
}

fn lines(text: &[u8]) -> BTreeSet<u64> {
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice::<Json>(line).expect("JSON")["frame"].as_u64().expect("a frame")).collect()
}

/// Prints how many messages a capture has.
const COUNTER: &str = r#"
local message, tap, count = Field.new("netkit.message"), Listener.new("frame"), 0
function tap.packet() count = count + select('#', message()) end
function tap.draw() print(count) end
"#;

/// With `-T fields` only the fields that the command line names are added. A second script could read others: with one
/// all are.
#[test]
fn named_fields_are_those_of_the_whole_tree() {
    if !pdml::tshark() {
        return;
    }
    // What any message has, and fields of their own.
    const NAMES: [&[&str]; 2] = [
        &["message", "from", "version", "flow", "length", "proto", "part", "summary", "note", "note.level", "fault"],
        &[
            "riptide.sequence_id",
            "riptide.heartbeat.rtt",
            "riptide.ack",
            "related.acknowledges",
            "never_acked",
            "member",
            "flag",
            "raw",
            "nano.id",
            "nano.derived.route",
            "dnp.packet.length",
            "dnp.number",
            "acknex.derived.round_trip_ms",
            "gne.derived.pings.round_trip",
            "hawknl.frame.length",
            "message",
        ],
    ];
    let folder = Scratch::new("wireshark-named");
    let another = format!("lua_script:{}", folder.write("another.lua", "-- It reads nothing."));
    let counter = format!("lua_script:{}", folder.write("counter.lua", COUNTER));
    // In one file: tshark takes longer to start than to read them.
    let (script, joined) = (annotated::script(&folder, &[]), folder.path().join("joined.pcapng"));
    let mut captures = Vec::new();
    for name in
        ["riptide/riptide22-lossy", "dnp/dnp-lossy", "nano/nano-ws-bad", "acknex/acknex-sim-fixed", "gne/gne-probe"]
    {
        let (capture, out) = (fixture(&format!("{name}.pcap")), folder.path().join("named.pcapng"));
        let mut args = args_of(&capture);
        args.push("--link".into());
        annotated::write(&capture, &args, &out);
        captures.extend(std::fs::read(&out).expect("a capture"));
    }
    std::fs::write(&joined, captures).expect("a file");
    let known = std::fs::read_to_string(&script).expect("the script");
    let mut filled = 0;
    for names in NAMES {
        let there = |name: &&&str| known.contains(&format!("\"{name}\"")) || name.starts_with("related.");
        let names: Vec<String> = names.iter().filter(there).map(|name| format!("netkit.{name}")).collect();
        let mut fields = vec!["-T", "fields", "-E", "occurrence=a"];
        fields.extend(names.iter().flat_map(|name| ["-e", name.as_str()]));
        let named = pdml::run(&script, &joined, &fields);
        fields.extend(["-X", &another]);
        assert_eq!(named, pdml::run(&script, &joined, &fields), "{names:?}");
        filled += named.lines().filter(|line| !line.trim().is_empty()).count();
        // A filter names fields, too.
        let filter = ["-Y", "netkit.from == \"server\" && !netkit.note"];
        let chosen = pdml::run(&script, &joined, &[&filter, &fields[..fields.len() - 2]].concat());
        assert!(!chosen.is_empty());
        assert_eq!(chosen, pdml::run(&script, &joined, &[&filter, &fields[..]].concat()), "{names:?}");
    }
    // `-q` alone reads nothing, but a script that counts may be beside it.
    assert_eq!(pdml::run(&script, &joined, &["-q"]), "");
    let messages = pdml::run(&script, &joined, &["-T", "fields", "-E", "occurrence=a", "-e", "netkit.message"]);
    let count = messages.split([',', '\n']).filter(|name| !name.is_empty()).count();
    let counted = pdml::run(&script, &joined, &["-q", "-X", &counter]);
    assert_eq!(counted.trim().parse(), Ok(count), "{counted}");
    assert!(filled > 3_000, "{filled}");
}

/// A filter on the command line hides lines, and the script writes columns for the others alone: they are the lines
/// that tshark prints without a filter. With a second script all fields are added, and show which frames these are.
#[test]
fn filtered_lines_are_those_of_all() {
    if !pdml::tshark() {
        return;
    }
    let folder = Scratch::new("wireshark-columns");
    let another = format!("lua_script:{}", folder.write("another.lua", "-- It reads nothing."));
    let server = "netkit.from == \"server\"";
    for (name, filters) in [
        ("riptide/riptide22-lossy", vec![server, "!netkit.note || frame.number == 1"]),
        ("nano/nano-ws-bad", vec![server]),
        // A field of one message by the name that it has in any.
        ("real/st-hello-trunk", vec!["netkit.hawknl.magic"]),
    ] {
        let capture = fixture(&format!("{name}.pcap"));
        let args = args_of(&capture);
        let (script, out) = (annotated::script(&folder, &args), folder.path().join("columns.pcapng"));
        annotated::write(&capture, &args, &out);
        let all = pdml::run(&script, &out, &[]);
        for filter in filters {
            let number = ["-T", "fields", "-e", "frame.number", "-Y", filter, "-X", &another];
            let frames = pdml::run(&script, &out, &number);
            let frames: BTreeSet<&str> = frames.lines().collect();
            let shown = |line: &&str| line.split_whitespace().next().is_some_and(|number| frames.contains(number));
            let expected: Vec<&str> = all.lines().filter(shown).collect();
            assert!(!expected.is_empty() && expected.len() < all.lines().count(), "{name}: {filter}: {expected:?}");
            let joined = format!("-Y{filter}");
            let ways: [&[&str]; 5] = [&["-Y", filter], &["-nY", filter], &[&joined], &["-2", "-Y", filter], &[filter]];
            for way in ways {
                let lines = pdml::run(&script, &out, way);
                assert_eq!(lines.lines().collect::<Vec<_>>(), expected, "{name}: {way:?}");
            }
        }
    }
}

/// `-z expert` has the same counts as `decode`, by severity; relations to later frames are links.
#[test]
fn notes_are_expert_information() {
    if !pdml::tshark() {
        return;
    }
    let folder = Scratch::new("wireshark-expert");
    let mut all = 0;
    for name in
        ["riptide/riptide22-lossy", "dnp/dnp-lossy", "nano/nano-ws-bad", "acknex/acknex-malformed", "gne/gne-edge"]
    {
        let capture = fixture(&format!("{name}.pcap"));
        let mut args = args_of(&capture);
        args.push("--link".into());
        let (script, out) = (annotated::script(&folder, &args), folder.path().join("expert.pcapng"));
        annotated::write(&capture, &args, &out);
        let mut counts = [0; 4];
        let (mut later, mut states) = (0, 0);
        for line in annotated::decoded(&capture, &args, "ndjson").split(|byte| *byte == b'\n').filter(|l| !l.is_empty())
        {
            let text = String::from_utf8_lossy(line);
            let severities =
                ["\"level\":\"note\"", "\"level\":\"warning\"", "\"level\":\"error\"", "\"fault\":{\"path\""];
            for (count, severity) in counts.iter_mut().zip(severities) {
                *count += text.matches(severity).count();
            }
            later += text.matches("\"kind\":\"acked_by\"").count() + text.matches("\"kind\":\"answered_by\"").count();
            states += usize::from(text.contains("never_acked")) + usize::from(text.contains("unanswered"));
        }
        let _ = states;
        let sent = pdml::run(&script, &out, &["-q", "-z", "expert"]);
        let mut shown = [0; 4];
        let mut section = 0;
        for line in sent.lines() {
            for (k, word) in ["Notes", "Warns", "Errors"].into_iter().enumerate() {
                section = if line.starts_with(word) { k } else { section };
            }
            let columns: Vec<&str> = line.split_whitespace().collect();
            if let [count, group, "NETKIT", ..] = columns[..] {
                let place = if group == "Malformed" { 3 } else { section };
                shown[place] += count.parse::<usize>().expect("a count");
            }
        }
        assert_eq!(counts, shown, "{name}: {sent}");
        let fields = ["-e", "netkit.related.acked_by", "-e", "netkit.related.answered_by"];
        let links = pdml::run(&script, &out, &[&["-T", "fields", "-E", "occurrence=a"], &fields[..]].concat());
        let links = links.split([',', '\t', '\n']).filter(|text| !text.is_empty()).count();
        assert_eq!(links, later, "{name}");
        all += counts.iter().sum::<usize>();
    }
    assert!(all > 1_000, "{all}");
}
