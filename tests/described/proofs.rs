//! Protocols that are hard to describe, with traffic of real programs: the values match those of tshark's own
//! dissectors (`fixtures/described/NAME.tshark.tsv`, made once), and packets encode to their bytes.

use crate::common::fixture;
use crate::described::cases::{lines, pcap, toml};
use crate::described::run;
use serde_json::{Value as Json, json};

/// A column of tshark, and the function that finds its values in a line.
type Column = (&'static str, fn(&Json) -> Vec<String>);

fn text(value: &Json) -> Option<String> {
    match value {
        Json::Null => None,
        Json::Bool(set) => Some(u8::from(*set).to_string()),
        Json::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The values under this path of every record of a DNS message.
fn records(line: &Json, path: &str) -> Vec<String> {
    let lists = ["answer", "authority", "additional"].into_iter().filter_map(|list| line["fields"][list].as_array());
    lists.flatten().filter_map(|record| text(record.pointer(path)?)).collect()
}

/// The names of a DNS message, as tshark prints them.
fn named(names: Vec<String>) -> Vec<String> {
    names.into_iter().map(|name| if name.is_empty() { "<Root>".into() } else { name }).collect()
}

/// A record's kind as a number.
fn kind(name: &str) -> String {
    let known = [("a", 1), ("ns", 2), ("cname", 5), ("soa", 6), ("ptr", 12), ("mx", 15), ("txt", 16)];
    let known = known.iter().chain(&[("aaaa", 28), ("srv", 33), ("opt", 41), ("any", 255)]);
    known.into_iter().find(|(known, _)| *known == name).map_or(name.into(), |(_, number)| number.to_string())
}

const DNS: [Column; 18] = [
    ("dns.id", |line| vec![format!("0x{:04x}", line["fields"]["id"].as_u64().unwrap())]),
    ("dns.flags.response", |line| text(&line["fields"]["response"]).into_iter().collect()),
    ("dns.qry.name", |line| named(text(&line["fields"]["question"][0]["name"]).into_iter().collect())),
    ("dns.qry.type", |line| text(&line["fields"]["question"][0]["kind"]).iter().map(|name| kind(name)).collect()),
    ("dns.resp.name", |line| {
        // tshark shows the parts of an srv record's name under other names.
        let (names, kinds) = (records(line, "/name"), records(line, "/kind"));
        named(names.into_iter().zip(kinds).filter(|(_, kind)| kind != "srv").map(|(name, _)| name).collect())
    }),
    ("dns.resp.type", |line| records(line, "/kind").iter().map(|name| kind(name)).collect()),
    ("dns.a", |line| records(line, "/data/address")),
    ("dns.aaaa", |line| records(line, "/data/address6")),
    ("dns.ns", |line| of_kind(line, "ns")),
    ("dns.cname", |line| of_kind(line, "cname")),
    ("dns.ptr.domain_name", |line| of_kind(line, "ptr")),
    ("dns.mx.preference", |line| records(line, "/data/mx/preference")),
    ("dns.mx.mail_exchange", |line| records(line, "/data/mx/exchange")),
    ("dns.srv.port", |line| records(line, "/data/srv/port")),
    ("dns.srv.target", |line| records(line, "/data/srv/target")),
    ("dns.soa.mname", |line| records(line, "/data/soa/server")),
    ("dns.soa.rname", |line| records(line, "/data/soa/mailbox")),
    ("dns.soa.serial_number", |line| records(line, "/data/soa/serial")),
];

fn of_kind(line: &Json, kind: &str) -> Vec<String> {
    let lists = ["answer", "authority", "additional"].into_iter().filter_map(|list| line["fields"][list].as_array());
    let records = lists.flatten().filter(|record| record["kind"] == kind);
    records.filter_map(|record| text(&record["data"]["target"])).collect()
}

/// The values of a CoAP option: its number is the sum of the steps up to it.
fn options(line: &Json, wanted: u64) -> Vec<String> {
    let mut number = 0;
    let list = line["fields"]["options"].as_array().into_iter().flatten();
    list.filter_map(|option| {
        number += option["delta"].as_u64()?;
        (number == wanted).then(|| option["value"].as_str().map(String::from))?
    })
    .collect()
}

fn decoded(hex: Vec<String>) -> Vec<String> {
    hex.iter().map(|hex| String::from_utf8(hex::decode(hex).unwrap()).unwrap()).collect()
}

const COAP: [Column; 7] = [
    ("coap.type", |line| {
        let kinds = ["confirmable", "non_confirmable", "acknowledgement", "reset"];
        kinds.iter().position(|kind| line["packet"]["kind"] == *kind).map(|at| at.to_string()).into_iter().collect()
    }),
    ("coap.code", |line| {
        let codes =
            [("empty", 0), ("get", 1), ("post", 2), ("put", 3), ("delete", 4), ("deleted", 66), ("changed", 68)];
        let codes = codes.iter().chain(&[("content", 69), ("continue", 95), ("not_found", 132)]);
        codes
            .into_iter()
            .find(|(name, _)| line["message"] == *name)
            .map(|(_, code)| code.to_string())
            .into_iter()
            .collect()
    }),
    ("coap.mid", |line| text(&line["packet"]["id"]).into_iter().collect()),
    ("coap.token", |line| text(&line["packet"]["token"]).filter(|token| !token.is_empty()).into_iter().collect()),
    ("coap.opt.uri_path", |line| decoded(options(line, 11))),
    ("coap.opt.uri_query", |line| decoded(options(line, 15))),
    ("coap.opt.etag", |line| options(line, 4)),
];

/// The values under this path of every attribute of a STUN message.
fn attributes(line: &Json, kind: &str, path: &str) -> Vec<String> {
    let list = line["fields"]["attributes"].as_array().into_iter().flatten();
    let list = list.filter(|attribute| kind.is_empty() || attribute["kind"] == kind);
    list.filter_map(|attribute| text(attribute.pointer(path)?)).collect()
}

/// A part of every address of a STUN message, masked or not.
fn addresses(line: &Json, part: &str) -> Vec<String> {
    let list = line["fields"]["attributes"].as_array().into_iter().flatten();
    let values = list.flat_map(|attribute| ["masked", "plain"].map(|form| &attribute["value"][form][part]));
    values.filter_map(text).collect()
}

const STUN: [Column; 9] = [
    ("stun.type", |line| {
        let kinds = [("binding_request", "0x0001"), ("binding_response", "0x0101")];
        kinds.iter().filter(|(name, _)| line["message"] == *name).map(|(_, id)| id.to_string()).collect()
    }),
    ("stun.id", |line| text(&line["packet"]["transaction"]).into_iter().collect()),
    ("stun.att.username", |line| attributes(line, "username", "/value/text")),
    ("stun.att.priority", |line| attributes(line, "priority", "/value/priority")),
    ("stun.att.ipv4", |line| addresses(line, "ip")),
    ("stun.att.port", |line| addresses(line, "port")),
    ("stun.att.hmac", |line| attributes(line, "message_integrity", "/value/bytes")),
    ("stun.att.crc32", |line| {
        attributes(line, "fingerprint", "/value/bytes").iter().map(|sum| format!("0x{sum}")).collect()
    }),
    ("stun.att.tie-breaker", |line| {
        let breakers = attributes(line, "", "/value/breaker");
        breakers.iter().map(|number| format!("{:016x}", number.parse::<u64>().unwrap())).collect()
    }),
];

/// A time of NTP, as tshark prints it: with nine decimals, the others cut off.
fn time(line: &Json, name: &str) -> Vec<String> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let Some(time) = line["fields"][name].as_str() else {
        assert_eq!(line["fields"][name], 0, "{line}");
        return vec!["NULL".into()];
    };
    let month = MONTHS[time[5..7].parse::<usize>().unwrap() - 1];
    let fraction = netkit::codec::Clock::Ntp.number(time).unwrap() & 0xffff_ffff;
    let nanos = (fraction * 1_000_000_000) >> 32;
    vec![format!("{month} {:>2}, {} {}.{nanos:09} UTC", time[8..10].trim_start_matches('0'), &time[..4], &time[11..19])]
}

const NTP: [Column; 12] = [
    ("ntp.flags.vn", |line| text(&line["packet"]["version"]).iter().map(|version| version.replace('v', "")).collect()),
    ("ntp.flags.mode", |line| vec![if line["message"] == "request" { "3" } else { "4" }.into()]),
    ("ntp.stratum", |line| text(&line["fields"]["stratum"]).into_iter().collect()),
    // tshark has both without their sign.
    ("ntp.ppoll", |line| vec![(line["fields"]["poll"].as_i64().unwrap() as u8).to_string()]),
    ("ntp.precision", |line| vec![(line["fields"]["precision"].as_i64().unwrap() as u8).to_string()]),
    ("ntp.rootdelay", |line| vec![(line["fields"]["root_delay"].as_f64().unwrap() * 65536.0).to_string()]),
    ("ntp.rootdispersion", |line| vec![(line["fields"]["root_dispersion"].as_f64().unwrap() * 65536.0).to_string()]),
    ("ntp.refid", |line| match line["fields"]["server"].as_str() {
        Some(server) => vec![hex::encode(server.parse::<std::net::Ipv4Addr>().unwrap().octets())],
        None => text(&line["fields"]["source"]).into_iter().collect(),
    }),
    ("ntp.reftime", |line| time(line, "reference")),
    ("ntp.org", |line| time(line, "origin")),
    ("ntp.rec", |line| time(line, "receive")),
    ("ntp.xmt", |line| time(line, "transmit")),
];

/// The numbers and the texts of bencode in their order. tshark has addresses in fields of their own, and shows what
/// nobody reads in hex.
fn bencoded(value: &Json, key: &str, numbers: &mut Vec<String>, texts: &mut Vec<String>) {
    numbers.extend(value["number"].as_i64().map(|number| number.to_string()));
    let hex = ["id", "info_hash", "t", "target", "token", "v"].contains(&key);
    texts.extend(value.get("text").map(|text| match (text["raw"].as_str(), text.as_str()) {
        (Some(raw), _) => raw.to_owned(),
        (None, Some(text)) if hex => hex::encode(text),
        (None, text) => text.unwrap_or_default().to_owned(),
    }));
    value["list"].as_array().into_iter().flatten().for_each(|value| bencoded(value, "", numbers, texts));
    for entry in value["entries"].as_array().into_iter().flatten() {
        let key = entry["key"].as_str().unwrap();
        texts.push(key.to_owned());
        if !["ip", "nodes", "values"].contains(&key) {
            bencoded(&entry["value"], key, numbers, texts);
        }
    }
}

const DHT: [Column; 2] = [
    ("bt-dht.bencoded.int", |line| {
        let (mut numbers, mut texts) = Default::default();
        bencoded(&line["fields"], "", &mut numbers, &mut texts);
        numbers
    }),
    ("bt-dht.bencoded.string", |line| {
        let (mut numbers, mut texts) = Default::default();
        bencoded(&line["fields"], "", &mut numbers, &mut texts);
        texts
    }),
];

/// The text after the colon of an IRC line; tshark leaves out empty ones.
fn trailer(line: &Json) -> Vec<String> {
    let fields = &line["fields"];
    let given = ["text", "what", "name"].iter().find_map(|name| fields[*name].as_str());
    let trailer = match fields["params"].as_str() {
        Some(params) => params.strip_prefix(':').or_else(|| params.split_once(" :").map(|(_, trailer)| trailer)),
        None => given.filter(|_| fields["colon"] == 58),
    };
    // tshark reads ASCII, and replaces each other byte.
    let ascii = |c: char| if c.is_ascii() { c.to_string() } else { "\u{fffd}".repeat(c.len_utf8()) };
    let trailer = trailer.map(|trailer| trailer.chars().map(ascii).collect::<String>());
    trailer.filter(|trailer| !trailer.is_empty()).into_iter().collect()
}

/// A value of the lines of one side: tshark has the requests in other columns than the responses.
fn of_side(line: &Json, side: &str, value: Vec<String>) -> Vec<String> {
    if line["from"] == side { value } else { Vec::new() }
}

/// The number of a reply.
fn reply(line: &Json) -> Vec<String> {
    let command = line["packet"]["command"].as_str().unwrap();
    command.parse::<u32>().iter().map(u32::to_string).collect()
}

const IRC: [Column; 6] = [
    ("irc.request.command", |line| of_side(line, "client", vec![line["packet"]["command"].as_str().unwrap().into()])),
    ("irc.request.trailer", |line| of_side(line, "client", trailer(line))),
    ("irc.response.prefix", |line| of_side(line, "server", text(&line["packet"]["prefix"]).into_iter().collect())),
    // Numbers are commands, too.
    ("irc.response.command", |line| of_side(line, "server", vec![line["packet"]["command"].as_str().unwrap().into()])),
    ("irc.response.num_command", |line| of_side(line, "server", reply(line))),
    ("irc.response.trailer", |line| of_side(line, "server", trailer(line))),
];

/// The value of an entry of NBT, as Python has it.
fn nbt(entry: &Json) -> Json {
    let value = &entry[entry["kind"].as_str().unwrap()];
    match entry["kind"].as_str().unwrap() {
        "compound" => compound(value),
        "list" => nbt_list(value),
        _ => value.clone(),
    }
}

fn compound(entries: &Json) -> Json {
    let entries = entries.as_array().unwrap().iter();
    entries
        .map(|entry| (entry["name"].as_str().unwrap().to_owned(), nbt(entry)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn nbt_list(list: &Json) -> Json {
    let Some((name, values)) = list.as_object().unwrap().iter().find(|(_, values)| values.is_array()) else {
        return Json::Array(Vec::new());
    };
    let values = values.as_array().unwrap().iter();
    match name.as_str() {
        "lists" => values.map(nbt_list).collect(),
        "compounds" => values.map(|one| compound(&one["entries"])).collect(),
        _ => values.cloned().collect(),
    }
}

/// A value of MessagePack, as msgpack has it.
fn unpacked(value: &Json) -> Json {
    let list = |list: &Json, of: fn(&Json) -> Json| list.as_array().unwrap().iter().map(of).collect::<Json>();
    let pair = |pair: &Json| -> Json { [unpacked(&pair["key"]), unpacked(&pair["value"])].into_iter().collect() };
    match (value["kind"].as_str(), &value["kind"]) {
        (Some("nil"), _) => Json::Null,
        (Some(truth @ ("true" | "false")), _) => (truth == "true").into(),
        (Some("f32"), _) => f64::from(value["number"].as_f64().unwrap() as f32).into(),
        _ if !value["number"].is_null() => value["number"].clone(),
        _ if !value["text"].is_null() => value["text"].clone(),
        _ if !value["list"].is_null() => list(&value["list"], unpacked),
        _ if !value["pairs"].is_null() => json!({"map": list(&value["pairs"], pair)}),
        _ if !value["type"].is_null() => json!({"type": value["type"], "bytes": value["bytes"]}),
        _ if !value["bytes"].is_null() => json!({"bytes": value["bytes"]}),
        (_, kind) => panic!("no value: {kind}"),
    }
}

fn same_as_tshark(name: &str, columns: &[Column]) {
    let table = std::fs::read_to_string(fixture(&format!("described/{name}.tshark.tsv"))).unwrap();
    let mut rows = table.lines().map(|row| row.split('\t').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let proto = name.split('-').next().unwrap();
    let done = run(&["decode", &pcap(name), "-p", &toml(proto), "-f", "ndjson"]);
    let all = lines(&String::from_utf8(done.stdout).unwrap());
    let ours: Vec<&Json> = all.iter().filter(|line| line["proto"] == proto).collect();
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows.len(), ours.len(), "{name}");
    for (column, of) in columns {
        let at = head.iter().position(|known| known == column).unwrap();
        let mut compared = 0;
        for (row, line) in rows.iter().zip(&ours) {
            assert_eq!(line["frame"].to_string(), row[0]);
            let wanted: Vec<&str> = row[at].split('|').filter(|value| !value.is_empty()).collect();
            assert_eq!(of(line), wanted, "{name} {column}, frame {}", row[0]);
            compared += wanted.len();
        }
        assert!(compared > 0, "{column} is in no packet");
    }
}

fn given_back(name: &str, packets: u64) {
    file_gives_back(&toml(name.split('-').next().unwrap()), name, packets);
}

fn file_gives_back(file: &str, name: &str, packets: u64) {
    let done = run(&["check", file, &pcap(name), "-f", "json"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stdout));
    let text = String::from_utf8(done.stdout).unwrap();
    let human = run(&["check", file, &pcap(name)]);
    let human = String::from_utf8(human.stdout).unwrap();
    assert!(
        human.contains(&format!("round trip  {packets} packets, each encodes back to its bytes")),
        "{human}\n{text}"
    );
}

#[test]
fn dns_is_as_tshark_says() {
    same_as_tshark("dns", &DNS);
    given_back("dns", 30);
    // Most names are compressed as encode would do it.
    let done = run(&["decode", &pcap("dns"), "-p", &toml("dns"), "-f", "ndjson"]);
    assert!(!String::from_utf8(done.stdout).unwrap().contains("_wire"));
}

#[test]
fn stun_is_as_tshark_says() {
    same_as_tshark("stun", &STUN);
    given_back("stun", 4);
    // It is recognised on any port.
    let done = run(&["decode", &pcap("stun"), "--protocol-file", &toml("stun"), "-f", "ndjson"]);
    let all = lines(&String::from_utf8(done.stdout).unwrap());
    assert_eq!(all.iter().filter(|line| line["proto"] == "stun").count(), 4);
}

/// Over TCP, the length counts what follows the transaction.
#[test]
fn stun_over_tcp_is_as_tshark_says() {
    let [kind, id, _, _, ip, port, ..] = STUN;
    same_as_tshark("stun-tcp", &[kind, id, ip, port]);
    given_back("stun-tcp", 12);
    let done = run(&["decode", &pcap("stun-tcp"), "--protocol-file", &toml("stun"), "-f", "ndjson"]);
    let all = lines(&String::from_utf8(done.stdout).unwrap());
    assert_eq!(all.iter().filter(|line| line["proto"] == "stun").count(), 12);
}

#[test]
fn coap_is_as_tshark_says() {
    same_as_tshark("coap", &COAP);
    given_back("coap", 48);
    // Answers are matched by tokens, acknowledgements by message numbers.
    let stats = run(&["stats", &pcap("coap"), "-p", &toml("coap"), "-f", "json"]);
    let stats: Json = serde_json::from_slice(&stats.stdout).unwrap();
    let row = stats["delivery"].as_array().unwrap().iter().find(|row| row["from"] == "client").unwrap();
    assert_eq!((&row["never_acked"], &row["lost"]), (&Json::from(0), &Json::from(0)), "{row}");
}

#[test]
fn ntp_is_as_tshark_says() {
    same_as_tshark("ntp", &NTP);
    given_back("ntp", 24);
    // Times are in order.
    let later = "transmit > '2026-11-24T14:00:53' and message == response";
    let done = run(&["decode", &pcap("ntp"), "-p", &toml("ntp"), "-f", "ndjson", "--filter", later]);
    let all = lines(&String::from_utf8(done.stdout).unwrap());
    assert_eq!(all.len(), 6);
    assert!(all.iter().all(|line| line["fields"]["transmit"].as_str().unwrap().starts_with("2026-11-24T14:00:53.")));
    // The form in which they are printed is compared as a time. One that is not set, as in requests, has no order.
    for (filter, kept) in [
        ("transmit > '2026-11-24T14:00:53Z' and message == response", 6),
        ("reference < '2027-01-01T00:00:00Z' and message == request", 0),
    ] {
        let done = run(&["decode", &pcap("ntp"), "-p", &toml("ntp"), "-f", "ndjson", "--filter", filter]);
        assert_eq!(lines(&String::from_utf8(done.stdout).unwrap()).len(), kept, "{filter}");
    }
    let done = run(&["decode", &pcap("ntp"), "-p", &toml("ntp"), "--filter", "transmit == yesterday"]);
    assert!(String::from_utf8(done.stderr).unwrap().contains("is a time, such as"));
}

/// The length of an extension counts its kind and itself.
#[test]
fn ntp_with_extensions_is_as_tshark_says() {
    fn data(line: &Json) -> Vec<String> {
        line["fields"]["extensions"].as_array().unwrap().iter().filter_map(|one| text(&one["data"])).collect()
    }
    let extensions: [Column; 3] = [
        ("ntp.ext.type", |line| {
            let all = line["fields"]["extensions"].as_array().unwrap().iter();
            all.map(|one| format!("0x{:04x}", one["kind"].as_u64().unwrap())).collect()
        }),
        ("ntp.ext.length", |line| data(line).iter().map(|hex| (hex.len() / 2 + 4).to_string()).collect()),
        ("ntp.ext.value", data),
    ];
    same_as_tshark("ntp-ext", &NTP);
    same_as_tshark("ntp-ext", &extensions);
    let done = run(&["check", &toml("ntp"), &pcap("ntp-ext"), "-p", "ntp"]);
    let page = String::from_utf8(done.stdout).unwrap();
    assert!(page.contains("round trip  12 packets, each encodes back to its bytes"), "{page}");
}

/// Frames of a stream end with a mark; commands are found by their text.
#[test]
fn irc_is_as_tshark_says() {
    let all = decoded_lines("irc");
    let table = std::fs::read_to_string(fixture("described/irc.tshark.tsv")).unwrap();
    let mut rows = table.lines().map(|row| row.split('\t').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let rows: Vec<_> = rows.collect();
    for (column, of) in IRC {
        let at = head.iter().position(|known| *known == column).unwrap();
        let mut compared = 0;
        for row in &rows {
            let own = all.iter().filter(|line| line["frame"] == row[0].parse::<u64>().unwrap());
            let ours: Vec<String> = own.flat_map(of).collect();
            let theirs: Vec<&str> = row[at].split('|').filter(|value| !value.is_empty()).collect();
            assert_eq!(ours, theirs, "{column}, frame {}", row[0]);
            compared += theirs.len();
        }
        assert!(compared > 0, "{column} is in no line");
    }
    given_back("irc", 77);
    let done = run(&["decode", &pcap("irc"), "--protocol-file", &toml("irc"), "-f", "ndjson"]);
    assert_eq!(lines(&String::from_utf8(done.stdout).unwrap()).len(), 77);
}

fn decoded_lines(name: &str) -> Vec<Json> {
    let done = run(&["decode", &pcap(name), "-p", &toml(name), "-f", "ndjson"]);
    lines(&String::from_utf8(done.stdout).unwrap())
}

/// Compounds and lists contain themselves. `nbt.values.ndjson` has what nbtlib reads from the same bytes.
#[test]
fn nbt_is_as_nbtlib_says() {
    let truth = lines(&std::fs::read_to_string(fixture("described/nbt.values.ndjson")).unwrap());
    let all = decoded_lines("nbt");
    assert_eq!(all.len(), truth.len());
    for (line, want) in all.iter().zip(&truth) {
        assert_eq!((&line["frame"], &line["fields"]["name"]), (&want["frame"], &want["name"]));
        assert_eq!(compound(&line["fields"]["entries"]), want["values"], "frame {}", line["frame"]);
    }
    given_back("nbt", 50);
    let done = run(&["decode", &pcap("nbt"), "--protocol-file", &toml("nbt"), "-f", "ndjson"]);
    assert_eq!(lines(&String::from_utf8(done.stdout).unwrap()).len(), 50);
}

/// `msgpack-rpc.values.ndjson` has what msgpack's own decoder reads from the same bytes.
#[test]
fn msgpack_rpc_is_as_msgpack_says() {
    let truth = lines(&std::fs::read_to_string(fixture("described/msgpack-rpc.values.ndjson")).unwrap());
    let all = decoded_lines("msgpack-rpc");
    assert_eq!(all.len(), truth.len());
    for (line, want) in all.iter().zip(&truth) {
        let fields = &line["fields"];
        let ours = match line["message"].as_str().unwrap() {
            "request" => json!([0, fields["id"], unpacked(&fields["method"]), unpacked(&fields["params"])]),
            "response" => json!([1, fields["id"], unpacked(&fields["error"]), unpacked(&fields["result"])]),
            _ => json!([2, unpacked(&fields["method"]), unpacked(&fields["params"])]),
        };
        assert_eq!((&line["frame"], &ours), (&want["frame"], &want["value"]));
    }
    file_gives_back(&toml("msgpack-rpc"), "msgpack-rpc", 64);
    let stats = run(&["stats", &pcap("msgpack-rpc"), "--protocol-file", &toml("msgpack-rpc"), "-f", "json"]);
    let stats: Json = serde_json::from_slice(&stats.stdout).unwrap();
    let requests: Vec<_> =
        stats["request"].as_array().unwrap().iter().map(|row| (&row["requests"], &row["unanswered"])).collect();
    assert_eq!(requests, [(&json!(18), &json!(0)), (&json!(12), &json!(0))]);
}

/// Lists in lists are read up to 16 levels; deeper ones are a fault, however long the packet is.
#[test]
fn msgpack_rpc_is_bounded() {
    let file = std::fs::read_to_string(toml("msgpack-rpc")).unwrap();
    let packet = |levels: usize| [&b"\x93\x02\xa1m"[..], &vec![0x91; levels], b"\x90"].concat();
    assert!(crate::described::words::read(&file, &packet(14))[0].get("fault").is_none());
    for levels in [16, 17, 100, 60_000] {
        let line = &crate::described::words::read(&file, &packet(levels))[0];
        assert!(line["fault"]["text"].as_str().unwrap().contains("nested too deeply"), "{levels}: {line}");
    }
    // Counts and lengths of four bytes, with next to nothing after them.
    for kind in [0xdd, 0xdf, 0xdb, 0xc6, 0xc9] {
        let packet = [b"\x93\x02\xa1m", &[kind][..], b"\xff\xff\xff\xff\x01"].concat();
        assert!(crate::described::words::read(&file, &packet)[0].get("fault").is_some(), "{kind:x}");
    }
    // What no value begins with.
    let line = &crate::described::words::read(&file, b"\x93\x02\xa1m\xc1")[0];
    assert!(line["fault"]["text"].as_str().unwrap().contains("no value begins with 0xc1"), "{line}");
}

#[test]
fn dht_is_as_tshark_says() {
    same_as_tshark("dht", &DHT);
    given_back("dht", 96);
    // It is recognised without its port, and any level of its lists can be asked for.
    let deep = "entries.value.entries.value.entries.value.list.list.list.number == 3";
    let done = run(&["decode", &pcap("dht"), "--protocol-file", &toml("dht"), "-f", "ndjson", "--filter", deep]);
    assert_eq!(lines(&String::from_utf8(done.stdout).unwrap()).len(), 5);
}

#[test]
fn foreign_traffic_is_not_claimed() {
    for capture in crate::common::entries(&fixture("foreign")) {
        let capture = capture.display().to_string();
        if !capture.ends_with("pcap") {
            continue;
        }
        let done = run(&[
            "decode",
            &capture,
            "--protocol-file",
            &toml("dns"),
            "--protocol-file",
            &toml("coap"),
            "--protocol-file",
            &toml("ntp"),
            "--protocol-file",
            &toml("dht"),
            "--protocol-file",
            &toml("msgpack-rpc"),
            "-f",
            "ndjson",
        ]);
        for line in lines(&String::from_utf8(done.stdout).unwrap()) {
            // Some of the traffic is DNS, on its ports.
            let port = |end: &str| [":53", ":5353"].iter().any(|port| line[end].as_str().unwrap().ends_with(port));
            let dns = line["proto"] == "dns" && (port("src") || port("dst"));
            // One conversation is NTP.
            let ntp = line["proto"] == "ntp" && line["dst"].as_str().unwrap().ends_with(":123");
            assert!(
                dns || ntp
                    || ["dns", "coap", "dht", "msgpack-rpc", "ntp", "stun"].iter().all(|proto| line["proto"] != *proto),
                "{capture}: {line}"
            );
        }
    }
}
