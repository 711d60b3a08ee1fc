//! Several protocols on one conversation: `beside`. A session of WebRTC (`webrtc.pcap`) has STUN, DTLS, SRTP and SRTCP
//! between one pair of ports; `webrtc.tshark.tsv` is what tshark's dissectors say of it.

use crate::common::late::{ensure, unless_late};
use crate::common::{Scratch, fixture, numbered_files};
use crate::described::cases::{lines, pcap, toml};
use crate::described::run;
use netkit::live::replay::LINGER;
use serde_json::Value as Json;
use std::collections::BTreeMap;

const FILES: [&str; 4] = ["stun", "dtls", "rtcp", "rtp"];

/// The arguments that name these files, the first one with `-p`.
fn files(names: &[&str]) -> Vec<String> {
    let option = |k: usize| if k == 0 { "-p" } else { "--protocol-file" };
    names.iter().enumerate().flat_map(|(k, name)| [option(k).to_owned(), toml(name)]).collect()
}

fn run_with(first: &[&str], files: &[String]) -> std::process::Output {
    let files = files.iter().map(String::as_str);
    run(&first.iter().copied().chain(files).collect::<Vec<_>>())
}

fn decoded(files: &[String]) -> Vec<Json> {
    let done = run_with(&["decode", &pcap("webrtc"), "-f", "ndjson"], files);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    lines(&String::from_utf8(done.stdout).unwrap())
}

fn counts(all: &[Json]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for line in all {
        *counts.entry(line["proto"].as_str().unwrap()).or_default() += 1;
    }
    counts
}

/// A number of a name, as tshark prints it.
fn number(names: &[(&str, &str)], name: &Json) -> String {
    names.iter().find(|(known, _)| name == known).expect("a known name").1.into()
}

fn handshakes<'l>(line: &'l Json, key: &'l str) -> impl Iterator<Item = Json> + 'l {
    line["fields"]["messages"].as_array().into_iter().flatten().map(move |one| one[key].clone())
}

/// A column of tshark, its protocol here, and the function that finds its values in a line.
type Column = (&'static str, &'static str, fn(&Json) -> Vec<String>);

fn packet(line: &Json, name: &str) -> Vec<String> {
    vec![line["packet"][name].to_string().replace('"', "")]
}

const COLUMNS: [Column; 17] = [
    ("stun.type", "stun", |line| {
        vec![number(&[("binding_request", "0x0001"), ("binding_response", "0x0101")], &line["message"])]
    }),
    ("stun.id", "stun", |line| packet(line, "transaction")),
    ("dtls.record.content_type", "dtls", |line| {
        let names = [("change_cipher_spec", "20"), ("alert", "21"), ("handshake", "22"), ("application_data", "23")];
        vec![number(&names, &line["message"])]
    }),
    ("dtls.record.epoch", "dtls", |line| packet(line, "epoch")),
    ("dtls.record.sequence_number", "dtls", |line| packet(line, "number")),
    ("dtls.record.length", "dtls", |line| {
        // The record's own head has 13 bytes.
        vec![(line["length"].as_u64().unwrap() - 13).to_string()]
    }),
    ("dtls.handshake.type", "dtls", |line| {
        let names = [
            ("client_hello", "1"),
            ("server_hello", "2"),
            ("certificate", "11"),
            ("server_key_exchange", "12"),
            ("certificate_request", "13"),
            ("server_hello_done", "14"),
            ("certificate_verify", "15"),
            ("client_key_exchange", "16"),
        ];
        handshakes(line, "step").map(|step| number(&names, &step)).collect()
    }),
    ("dtls.handshake.message_seq", "dtls", |line| {
        handshakes(line, "message_seq").map(|number| number.to_string()).collect()
    }),
    ("dtls.handshake.fragment_offset", "dtls", |line| {
        handshakes(line, "offset").map(|number| number.to_string()).collect()
    }),
    ("rtp.marker", "rtp", |line| vec![u8::from(line["packet"]["marker"] == true).to_string()]),
    ("rtp.p_type", "rtp", |line| packet(line, "payload_type")),
    ("rtp.seq", "rtp", |line| packet(line, "number")),
    ("rtp.timestamp", "rtp", |line| packet(line, "timestamp")),
    ("rtp.ssrc", "rtp", |line| vec![format!("0x{:08x}", line["packet"]["ssrc"].as_u64().unwrap())]),
    ("rtcp.pt", "rtcp", |line| {
        vec![number(&[("sender_report", "200"), ("receiver_report", "201"), ("goodbye", "203")], &line["message"])]
    }),
    ("rtcp.length", "rtcp", |line| packet(line, "words")),
    ("rtcp.senderssrc", "rtcp", |line| {
        // tshark lists the sources of a goodbye elsewhere.
        let ssrc = line["packet"]["ssrc"].as_u64().filter(|_| line["message"] != "goodbye");
        ssrc.map(|ssrc| format!("0x{ssrc:08x}")).into_iter().collect()
    }),
];

#[test]
fn every_protocol_is_as_tshark_says() {
    let all = decoded(&files(&FILES));
    assert_eq!(counts(&all), BTreeMap::from([("dtls", 43), ("rtcp", 9), ("rtp", 256), ("stun", 4)]));
    let table = std::fs::read_to_string(fixture("described/webrtc.tshark.tsv")).unwrap();
    let mut rows = table.lines().map(|row| row.split('\t').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows.len(), 299);
    for (column, proto, of) in COLUMNS {
        let at = head.iter().position(|known| *known == column).unwrap();
        let mut compared = 0;
        for row in &rows {
            let own =
                all.iter().filter(|line| line["frame"] == row[0].parse::<u64>().unwrap() && line["proto"] == proto);
            let ours: Vec<String> = own.flat_map(of).collect();
            let theirs: Vec<&str> = row[at].split('|').filter(|value| !value.is_empty()).collect();
            assert_eq!(ours, theirs, "{column}, frame {}", row[0]);
            compared += theirs.len();
        }
        assert!(compared > 0, "{column} is in no packet");
    }
}

/// The order of the files does not matter, nor which of them claims the conversation; it is recognised without `-p`.
#[test]
fn any_of_them_may_claim_the_conversation() {
    let wanted = decoded(&files(&FILES));
    let without: Vec<String> = FILES.iter().flat_map(|name| ["--protocol-file".into(), toml(name)]).collect();
    assert_eq!(decoded(&without), wanted);
    // STUN and DTLS have enough constants to be found among datagrams of a file that does not name them.
    for order in [["rtp", "rtcp", "stun", "dtls"], ["rtcp", "dtls", "rtp", "stun"]] {
        let all = decoded(&files(&order));
        assert_eq!(counts(&all), counts(&wanted), "{order:?}");
    }
}

/// A protocol without enough constants is not read where no file names it.
#[test]
fn what_is_not_named_must_be_certain() {
    let folder = Scratch::new("beside");
    let stun = std::fs::read_to_string(toml("stun")).unwrap();
    let alone = folder.file("stun.toml");
    std::fs::write(&alone, stun.lines().filter(|line| !line.starts_with("beside")).collect::<Vec<_>>().join("\n"))
        .unwrap();
    let named = [vec!["-p".into(), alone], files(&FILES)[2..].to_vec()].concat();
    let all = decoded(&named);
    assert_eq!(all.iter().filter(|line| line["proto"] == "rtp" || line["proto"] == "rtcp").count(), 0);
    // A record of DTLS rules out 16 bits by its version, and more by its kind.
    assert!(all.iter().filter(|line| line["proto"] == "dtls").count() > 0);
}

/// Lines encode to their datagrams, whichever file describes them.
#[test]
fn lines_are_given_back() {
    let folder = Scratch::new("beside-encode");
    let (text, path) = (folder.file("all.ndjson"), folder.file("all.pcap"));
    let done = run_with(&["decode", &pcap("webrtc"), "-f", "ndjson"], &files(&FILES));
    std::fs::write(&text, &done.stdout).unwrap();
    let done = run_with(&["encode", "--json", &text, "-o", &path], &files(&FILES));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let payloads = |path: &str| -> Vec<Json> {
        let done = run_with(&["decode", path, "-f", "ndjson", "--bytes"], &files(&FILES));
        let all = lines(&String::from_utf8(done.stdout).unwrap());
        all.iter().map(|line| line["bytes"].clone()).collect()
    };
    let ours = payloads(&path);
    assert!(ours.len() == 312 && ours[0].is_string(), "{}", ours[0]);
    assert_eq!(ours, payloads(&pcap("webrtc")));
    for name in FILES {
        let rest: Vec<&str> = FILES.iter().copied().filter(|other| *other != name).collect();
        let rest: Vec<String> = rest.iter().flat_map(|name| ["--protocol-file".into(), toml(name)]).collect();
        let done = run_with(&["check", &toml(name), &pcap("webrtc")], &rest);
        let page = String::from_utf8(done.stdout).unwrap();
        assert!(page.contains("each encodes back to its bytes") && !page.contains("given up"), "{page}");
    }
}

/// A packet of another protocol without its last part is reported, as one of the first protocol is.
#[test]
fn no_part_is_lost() {
    let folder = Scratch::new("beside-parts");
    let text = folder.file("lines.ndjson");
    let all = decoded(&files(&FILES));
    let encode = |lines: Vec<&Json>| {
        std::fs::write(&text, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        let done = run_with(&["encode", "--json", &text], &files(&FILES));
        (done.status.success(), String::from_utf8(done.stderr).unwrap())
    };
    let (records, other) = (all.iter().filter(|line| line["frame"] == 8), &all[0]);
    let records: Vec<&Json> = records.collect();
    assert_eq!((records.len(), &records[0]["proto"]), (2, &Json::from("dtls")));
    assert!(encode(vec![other, records[0], records[1], other]).0);
    for lines in [vec![records[0]], vec![records[0], other]] {
        let (done, stderr) = encode(lines);
        assert!(!done && stderr.contains("part 2 of 2 is missing"), "{stderr}");
    }
}

/// Each protocol has figures of its own.
#[test]
fn figures_are_by_protocol() {
    let done = run_with(&["stats", &pcap("webrtc"), "-f", "json"], &files(&FILES));
    let stats: Json = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(stats["flow"][0]["proto"], "stun", "the conversation is that of the file that claims it");
    let rows = |table: &str, proto: &str| -> Vec<Json> {
        stats[table].as_array().unwrap().iter().filter(|row| row["proto"] == proto).cloned().collect()
    };
    let rtp = rows("delivery", "rtp");
    let sent: Vec<_> = rtp.iter().map(|row| (&row["messages"], &row["sent"], &row["lost"])).collect();
    let (all, none) = (Json::from(128), Json::from(0));
    assert_eq!(sent, [(&all, &all, &none); 2], "{stats}");
    let asked: Vec<_> = rows("request", "stun").iter().map(|row| row["responses"].clone()).collect();
    assert_eq!(asked, [1, 1]);
}

/// A path's figures are of its own protocol, whatever else is sent between the same ports.
#[test]
fn paths_are_by_protocol() {
    let folder = Scratch::new("beside-paths");
    let paths = [false, true].map(|other| {
        let done = run_with(&["stats", "-f", "json"], &numbered_files(&folder, other));
        let stats: Json = serde_json::from_slice(&done.stdout).unwrap();
        let sent: u64 = stats["flow"][0]["client_messages"].as_u64().unwrap();
        assert_eq!(sent, if other { 2400 } else { 1200 }, "{stats}");
        let all = stats["path"].as_array().unwrap().clone();
        all.into_iter().filter(|row| row["proto"] == "mine").collect::<Vec<_>>()
    });
    assert_eq!(paths[0], paths[1]);
    // Runs of three, of half of the packets: the others are acks.
    let burst = paths[0][0]["burst"].as_f64().unwrap();
    assert!((3.0..6.0).contains(&burst), "{burst}");
}

/// A verdict's evidence is of its own protocol.
#[test]
fn evidence_is_by_protocol() {
    let folder = Scratch::new("beside-evidence");
    let files = numbered_files(&folder, true);
    let stats: Json = serde_json::from_slice(&run_with(&["stats", "-f", "json"], &files).stdout).unwrap();
    let gaps = |proto: &str| -> u64 {
        let mut rows = stats["delivery"].as_array().unwrap().iter();
        rows.find(|row| row["proto"] == proto && row["from"] == "client").unwrap()["gaps"].as_u64().unwrap()
    };
    assert!(gaps("mine") > 0 && gaps("other") > 6, "{stats}");
    let mut verdicts = stats["verdicts"].as_array().unwrap().iter();
    assert_eq!(verdicts.find(|verdict| verdict["rule"] == "lost").unwrap()["proto"], "other");
    let page = String::from_utf8(run_with(&["report", "-o", "-"], &files).stdout).unwrap();
    let (_, lost) = page.split_once("data-rule=\"lost\"").unwrap();
    let lost = lost.split("</li>").next().unwrap();
    assert!(lost.contains(&format!("and {} more", gaps("other") - 6)), "{lost}");
}

/// Every output has the messages of all four protocols.
#[test]
fn every_output_has_them() {
    let folder = Scratch::new("beside-outputs");
    let kept = folder.file("redacted.pcap");
    let done = run_with(&["decode", &pcap("webrtc"), "--redact", "-w", &kept], &files(&FILES));
    assert!(done.status.success());
    let done = run_with(&["decode", &kept, "-f", "ndjson"], &files(&FILES));
    let all = lines(&String::from_utf8(done.stdout).unwrap());
    assert_eq!(counts(&all), BTreeMap::from([("dtls", 43), ("rtcp", 9), ("rtp", 256), ("stun", 4)]));
    let page = run_with(&["report", &pcap("webrtc"), "-o", "-"], &files(&FILES));
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(FILES.iter().all(|name| page.contains(&format!(">{name}</td>"))));
    let commented = run_with(&["decode", &pcap("webrtc"), "-f", "pcapng"], &files(&FILES)).stdout;
    let commented = String::from_utf8_lossy(&commented).into_owned();
    assert!(FILES.iter().all(|name| commented.contains(&format!("netkit: {name} "))));
    let difference = run_with(&["diff", &pcap("webrtc"), &kept], &files(&FILES));
    assert!(difference.status.success(), "{}", String::from_utf8_lossy(&difference.stderr));
}

/// Both sides of the recorded call are played against each other: every datagram is sent and arrives. A side that has
/// sent everything leaves if nothing arrives for half a second, and what is sent to it later is refused: on a busy
/// machine that may be so in some of the runs.
#[test]
fn the_conversation_is_played() {
    let names = files(&FILES);
    let play = ["replay", &pcap("webrtc"), "--asap", "-W", "60s", "-f", "ndjson"].map(String::from);
    let of = |more: &[&str]| -> Vec<String> {
        play.iter().cloned().chain(names.iter().cloned()).chain(more.iter().map(|text| text.to_string())).collect()
    };
    let listen = of(&["--listen", "127.0.0.1:0"]);
    // Status, sent, received, trouble: of the client, and of the server.
    let wanted: [(Option<i32>, u64, u64, Json); 2] = [(Some(0), 154, 158, Json::Null), (Some(0), 158, 154, Json::Null)];
    unless_late(LINGER, 0..10, |_| {
        let mut server = crate::common::netkit(&listen.iter().map(String::as_str).collect::<Vec<_>>());
        let mut server = server.env_remove("NETKIT_PROTOCOLS").spawn().unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(server.stderr.take().unwrap()), &mut line).unwrap();
        let at = line.trim().rsplit(' ').next().unwrap().to_owned();
        let to = of(&["--to", &at]);
        let client = run(&to.iter().map(String::as_str).collect::<Vec<_>>());
        let server = server.wait_with_output().unwrap();
        let both = [client, server].map(|done| {
            let report = lines(&String::from_utf8(done.stdout).unwrap());
            let session = report.last().unwrap();
            let [sent, received] = ["sent", "received"].map(|name| session[name].as_u64().unwrap());
            (done.status.code(), sent, received, session["trouble"].clone())
        });
        let each = || both.iter().zip(&wanted);
        assert!(each().all(|(one, all)| one.1 <= all.1 && one.2 <= all.2), "{both:?}");
        assert!(each().any(|(one, all)| (one.0, one.1) == (all.0, all.1)), "who leaves first was done: {both:?}");
        ensure(both == wanted, format!("{both:?}"))
    });
}

/// Addresses in fields stay addresses, so that no message is left out.
#[test]
fn redacted_messages_are_written() {
    let folder = Scratch::new("beside-redacted");
    for capture in ["dns", "ntp-ext", "raknet", "stun", "webrtc"] {
        let (kept, path) = (folder.file("kept.pcap"), fixture(&format!("described/{capture}.args")));
        let own = std::fs::read_to_string(path).unwrap_or_else(|_| format!("-p {}", toml(capture)));
        let own: Vec<String> = own.split_whitespace().map(String::from).collect();
        let count = |path: &str| {
            let done = run_with(&["decode", path, "-f", "ndjson"], &own);
            lines(&String::from_utf8(done.stdout).unwrap()).len()
        };
        let done = run_with(&["decode", &pcap(capture), "--redact", "--force", "-w", &kept], &own);
        let stderr = String::from_utf8(done.stderr).unwrap();
        assert!(done.status.success() && !stderr.contains("left out"), "{capture}: {stderr}");
        assert_eq!(count(&kept), count(&pcap(capture)), "{capture}");
    }
}

#[test]
fn mistakes_are_refused() {
    let folder = Scratch::new("beside-mistakes");
    let file = |beside: &str, transport: &str| {
        let path = folder.file("mine.toml");
        let text = format!(
            "protocol = \"mine\"\nbeside = [{beside}]\n{transport}\n[packet.fields]\nmark = {{ type = \"u8\", value = 7 }}\n"
        );
        std::fs::write(&path, text).unwrap();
        let done = run(&["check", &path]);
        assert!(!done.status.success(), "{beside}");
        String::from_utf8([done.stdout, done.stderr].concat()).unwrap()
    };
    let tcp = "encoding = \"be\"\n[tcp]\nframe = { length = \"u16\" }";
    for (beside, transport, why) in [
        ("\"mine\"", "[udp]", "this is the protocol itself"),
        ("\"rtp\", \"rtp\"", "[udp]", "listed twice"),
        ("\"riptide\"", "[udp]", "a built-in protocol"),
        ("\"rtp\"", tcp, "only datagrams are offered"),
        ("7", "[udp]", "beside: expected"),
    ] {
        let text = file(beside, transport);
        assert!(text.contains("mine.toml: line 2: beside") && text.contains(why), "{beside}: {text}");
    }
}
