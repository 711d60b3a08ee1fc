//! Nothing is left out silently: the account, its lines on stderr, and the conditions on it.

use crate::common;
use crate::common::{Done, Scratch, fixture, records, run};
use flate2::{Compression, write::GzEncoder};
use netkit::capture::{Body, LinkType, PcapWriter, Time, ethernet};
use serde_json::Value as Json;
use std::io::Write;
use std::net::SocketAddr;

/// A capture of datagrams.
#[derive(Default)]
struct Wire(Vec<(SocketAddr, SocketAddr, Vec<u8>)>);

impl Wire {
    /// Adds a datagram of the client number `client` to the server, or back.
    fn say(&mut self, client: usize, up: bool, payload: &[u8]) {
        let client: SocketAddr = format!("10.1.{}.{}:40000", client >> 8, client & 255).parse().unwrap();
        let server: SocketAddr = "10.2.0.1:9999".parse().unwrap();
        let (src, dst) = if up { (client, server) } else { (server, client) };
        self.0.push((src, dst, payload.to_vec()));
    }

    fn file(&self) -> Vec<u8> {
        let (mut file, mut bytes) = (Vec::new(), Vec::new());
        let mut writer = PcapWriter::new(&mut file, LinkType::ETHERNET, 6).unwrap();
        for (k, (src, dst, payload)) in self.0.iter().enumerate() {
            ethernet(*src, *dst, &Body::Udp { payload, length: payload.len() }, &mut bytes).unwrap();
            writer.frame(Time::micros(1_800_000_000 + k as i64 / 1000, (k % 1000) as u32 * 1000), &bytes).unwrap();
        }
        file
    }
}

/// Clients of Riptide 2.2 that connect and then send messages, in turns packet by packet.
fn riptide(clients: usize, rounds: usize) -> Wire {
    let mut wire = Wire::default();
    for round in 0..rounds {
        for client in 0..clients {
            match round {
                0 => wire.say(client, true, &[0x02]),
                1 => wire.say(client, false, &[0x18, 0, 0x10, 0, 0]),
                _ => wire.say(client, round % 2 == 0, &[0x76, 1, 2, 3, 4, 5, 6, 7]),
            }
        }
    }
    wire
}

/// The account in the last line of ndjson.
fn account(done: &Done) -> Json {
    let last = done.text().lines().last().expect("a line");
    serde_json::from_str::<Json>(last).expect("JSON")["account"].clone()
}

/// Packets that wait too long for their conversation to be claimed are not read, which is a limit of its own.
#[test]
fn packets_dropped_before_a_claim() {
    let mut wire = Wire::default();
    (0..200u8).for_each(|n| wire.say(0, n % 2 == 0, &[0, 1, n, 7]));
    for id in 9..13 {
        wire.say(0, true, &[id << 4 | 4, 0x10, 0, 0]);
        wire.say(0, false, &[id << 4 | 4, 0]);
    }
    let args = ["decode", "-", "-q", "-f", "ndjson", "--account"];
    let done = run(&args, &wire.file()).ok();
    let account = account(&done);
    let dropped = account["limits"]["undecided"].as_u64().expect("a count");
    assert!(dropped > 0 && done.text().lines().count() as u64 - 1 + dropped == 208, "{account}");
    assert!(done.err.contains(&format!("recognised too late: {dropped} packets")), "{}", done.err);
    assert_eq!(run(&[&args[..], &["--fail-on", "limit"]].concat(), &wire.file()).status, Some(1));
}

#[test]
fn a_limit_is_reported_also_quietly() {
    let bytes = riptide(1000, 10).file();
    let args = ["decode", "-", "-q", "-f", "ndjson", "--account", "--limit", "conversations=100"];
    let done = run(&args, &bytes).ok();
    assert!(done.err.contains("conversations were evicted to limit memory"), "{}", done.err);
    let account = account(&done);
    let evicted = account["limits"]["conversations"].as_u64().expect("a count");
    let conversations = |of: &str| account[of]["conversations"].as_u64().unwrap();
    // Each of them comes back nine times, under its number.
    assert!(done.err.contains("1000 conversations were evicted to limit memory, 9900 times in all"), "{}", done.err);
    assert_eq!((evicted, conversations("claimed") + conversations("unclaimed")), (9900, 1000));
    assert_eq!(account["frames"], 10_000);
    let done = run(&[&args[..], &["--fail-on", "limit"]].concat(), &bytes);
    assert_eq!(done.status, Some(1), "{}", done.err);
    let done = run(&["decode", "-", "-q", "-f", "ndjson", "--fail-on", "limit,unclaimed"], &bytes).ok();
    assert_eq!((done.text().lines().count(), done.err.as_str()), (10_000, ""));
}

/// Of evicted conversations that are not recognised again, there are only parts.
#[test]
fn parts_of_conversations_are_reported() {
    let scratch = Scratch::new("account-parts");
    let path = scratch.write("parts.pcap", riptide(200, 10).file());
    let done = run(&["decode", &path, "-q", "-f", "ndjson", "--limit", "conversations=20"], b"").ok();
    let reported = "parts of conversations (";
    assert!(done.err.contains(reported) && done.err.contains("with recognised servers are of no"), "{}", done.err);
}

/// A conversation that is given up and comes back keeps its number, is counted once, and its messages are printed in the
/// same order by any number of threads. Above the limit of numbers that are kept it is counted again, which is reported.
#[test]
fn what_comes_back_keeps_its_number() {
    let bytes = riptide(500, 8).file();
    let scratch = Scratch::new("account-back");
    let path = scratch.write("back.pcap", &bytes);
    let args = ["decode", &path, "-q", "-p", "riptide", "-f", "ndjson", "--account"];
    let numbers = |done: &Done| -> Vec<(Json, Json)> {
        let lines = done.lines();
        lines.iter().filter(|line| line["frame"].is_u64()).map(|l| (l["flow"].clone(), l["src"].clone())).collect()
    };
    let whole = numbers(&run(&args, b"").ok());
    assert_eq!(whole.len(), 4000);
    for conversations in [1, 7, 100] {
        let limit = format!("conversations={conversations}");
        let mut before = None;
        for threads in ["1", "2", "4"] {
            let done = run(&[&args[..], &["--limit", &limit, "--threads", threads]].concat(), b"").ok();
            assert_eq!(numbers(&done), whole);
            let of = account(&done);
            assert_eq!(
                (&of["claimed"]["conversations"], &of["claimed"]["packets"]),
                (&500.into(), &4000.into()),
                "{of}"
            );
            assert_eq!(of["limits"], serde_json::json!({"conversations": 4000 - conversations}));
            let before = before.get_or_insert_with(|| done.out.clone());
            assert_eq!(*before, done.out, "{threads} threads");
        }
        let stats = run(&["stats", args[1], "-p", "riptide", "-f", "json", "--limit", &limit], b"").ok();
        let stats: Json = serde_json::from_str(stats.text()).expect("JSON");
        assert_eq!(stats["account"]["claimed"]["conversations"], 500);
    }
    let done = run(&[&args[..], &["--limit", "conversations=100", "--limit", "returning=30"]].concat(), b"").ok();
    let of = account(&done);
    let (more, forgotten) =
        (of["claimed"]["conversations"].as_u64().unwrap(), of["limits"]["returning"].as_u64().unwrap());
    assert!(more > 500 && forgotten >= more - 500, "{of}");
    assert!(done.err.contains(&format!("the limit returning was reached {forgotten} times")), "{}", done.err);
}

/// In every format, the parts of the account add up to the whole.
#[test]
fn everything_is_accounted_for() {
    let path = fixture("nano/pomelo-ws-bad.pcap");
    let path = path.to_str().unwrap();
    let done = run(&["decode", path, "-f", "ndjson", "--account"], b"").ok();
    let line = account(&done);
    let packets: u64 =
        ["claimed", "unclaimed", "no_payload"].iter().map(|of| line[*of]["packets"].as_u64().unwrap()).sum();
    let left: u64 = ["not_ip", "not_udp_tcp", "damaged"].iter().map(|of| line[*of].as_u64().unwrap()).sum();
    assert_eq!(line["frames"].as_u64().unwrap(), packets + left, "{line}");
    let json = run(&["decode", path, "-f", "json", "--account"], b"").ok();
    let json: Json = serde_json::from_str(json.text()).expect("JSON");
    assert_eq!(json.as_array().unwrap().last().unwrap()["account"], line);
    let stats = run(&["stats", path, "-f", "json"], b"").ok();
    assert_eq!(serde_json::from_str::<Json>(stats.text()).unwrap()["account"], line);
    for threads in ["1", "2", "4"] {
        let done = run(&["decode", path, "-f", "ndjson", "--account", "--threads", threads], b"").ok();
        assert_eq!(account(&done), line);
    }
    // In pcapng it is a comment of a statistics block; annotated again, there is one, too.
    let once = run(&["decode", path, "-f", "pcapng"], b"").ok().out;
    for file in [run(&["decode", "-", "-f", "pcapng"], &once).ok().out, once] {
        let at: Vec<usize> = memchr::memmem::find_iter(&file, b"netkit:account ").collect();
        assert_eq!(at.len(), 1);
        let mut json =
            serde_json::Deserializer::from_slice(&file[at[0] + b"netkit:account ".len()..]).into_iter::<Json>();
        assert_eq!(json.next().expect("JSON").expect("JSON"), line);
        assert_eq!(account(&run(&["decode", "-", "-f", "ndjson", "--account"], &file).ok())["frames"], line["frames"]);
    }
    let done = run(&["diff", path, path, "-f", "json"], b"").ok();
    assert_eq!(serde_json::from_str::<Json>(done.text()).unwrap()["account"], serde_json::json!([line, line]));
    let done = run(&["decode", path, "-f", "csv", "--account"], b"");
    assert_eq!(done.status, Some(2), "{}", done.err);
}

/// Fragments of an incomplete datagram are damaged frames, which is reported also with `-q`.
#[test]
fn a_missing_fragment_is_reported() {
    let whole = std::fs::read(fixture("capture/dnp-frag.pcap")).unwrap();
    let mut frames = records(&whole);
    // The second half of the datagram in frames 8 and 9.
    frames.remove(8);
    let cut = [&whole[..24], &frames.concat()].concat();
    let text = "1 IP fragment was not read: no complete datagram";
    for (file, damaged) in [(whole, 0), (cut, 1)] {
        let done = run(&["decode", "-", "-q", "-f", "ndjson", "--account"], &file).ok();
        assert_eq!(account(&done)["damaged"], damaged);
        assert_eq!(done.err.matches(text).count(), damaged, "{}", done.err);
    }
}

/// Reading that stops early does not report fragments of which the rest may follow.
#[test]
fn fragments_are_not_missing_where_reading_stops() {
    let whole = std::fs::read(fixture("capture/dnp-frag.pcap")).unwrap();
    let frames = records(&whole);
    // The datagram in frames 8 and 9 is complete before that in frames 10 to 13.
    let order = (0..7).chain([9, 7, 8, 10, 11, 12]);
    let file = [&whole[..24], &order.map(|k| frames[k].clone()).collect::<Vec<_>>().concat()].concat();
    let args = ["decode", "-", "-q", "-p", "dnp", "-f", "ndjson", "--threads", "1", "--account"];
    let mut ended = Vec::new();
    for messages in 1..=10 {
        let done = run(&[&args[..], &["-c", &messages.to_string()]].concat(), &file).ok();
        let of = account(&done);
        assert!(of["damaged"] == 0 && !done.err.contains("no complete datagram"), "{of} {}", done.err);
        ended.push(of["frames"].as_u64().unwrap());
    }
    // One of them stops between the two datagrams.
    assert!(ended.contains(&10), "{ended:?}");
}

/// Traffic of another protocol at a recognised server is reported, also with `-q`, and a condition can test it.
#[test]
fn others_at_a_recognised_server_are_reported() {
    let mut wire = riptide(3, 20);
    for n in 0..30u8 {
        wire.say(200, n % 2 == 0, &[0xff, 0xff, 0xff, 0xff, n.wrapping_mul(77), 0xfe, n, 3]);
    }
    for args in [&["decode", "-q", "-f", "ndjson", "--account"][..], &["decode", "-f", "ndjson", "--account"]] {
        let bytes = wire.file();
        let scratch = Scratch::new("account-others");
        let path = scratch.write("others.pcap", &bytes);
        for input in ["-", &path] {
            let done = run(&[args, &[input]].concat(), &bytes).ok();
            assert!(done.err.contains("the first with 10.2.0.1:9999 (riptide)"), "{input}: {}", done.err);
            let account = account(&done);
            assert_eq!(account["unclaimed"]["at_claimed_servers"]["packets"], 30, "{account}");
            assert_eq!(account["claimed"]["conversations"], 3);
        }
        let done = run(&[args, &["-", "--fail-on", "unclaimed"]].concat(), &bytes);
        assert_eq!(done.status, Some(1), "{}", done.err);
    }
}

/// Traffic apart from recognised servers is reported, too, unless the user wants no notes.
#[test]
fn others_among_recognised_ones_are_reported() {
    let server = |port: u16| SocketAddr::from(([10, 3, 0, 1], port));
    let mut wire = riptide(2, 20);
    for n in 0..30u8 {
        let sent = vec![0xff, 0xff, 0xff, 0xff, n.wrapping_mul(77), 0xfe, n, 3];
        wire.0.push((server(50_000 + u16::from(n % 2)), server(9), sent));
    }
    let done = run(&["decode", "-"], &wire.file()).ok();
    let text = "2 conversations (30 packets, 240 bytes) are of no known protocol: -v lists them";
    assert_eq!(done.err.matches(text).count(), 1, "{}", done.err);
    assert_eq!(run(&["decode", "-", "-q"], &wire.file()).ok().err, "");
    assert!(!run(&["decode", "-", "-v"], &wire.file()).ok().err.contains(text));
}

#[test]
fn what_is_not_there_is_reported() {
    let path = fixture("riptide/riptide22-udp.pcap");
    let path = path.to_str().unwrap();
    for (option, value, why) in [("--flow", "99", "there are 9 conversations"), ("--since", "1h", "lasts 19.128 s")] {
        for more in [&["decode", "-f", "ndjson"][..], &["stats"]] {
            let done = run(&[more, &[path, option, value]].concat(), b"");
            assert!(done.err.contains(why), "{}", done.err);
            assert_eq!(done.status, Some(1));
        }
    }
    run(&["decode", path, "-f", "ndjson", "--flow", "9"], b"").ok();
}

/// A protocol that the user names is used even if the traffic does not look like it, and the mismatch is reported.
#[test]
fn what_does_not_look_like_it_is_reported() {
    let look = |done: &Done| done.err.lines().filter(|line| line.contains("does not look like")).count();
    let riptide = fixture("riptide/riptide22-udp.pcap");
    let done = run(&["decode", riptide.to_str().unwrap(), "-p", "nano", "-f", "ndjson"], b"");
    assert!(done.err.contains("conversation 1 does not look like nano: it looks like riptide"), "{}", done.err);
    let files = common::entries(&fixture("protocols"));
    let files = files.iter().map(|path| path.to_str().unwrap());
    let (mut conversations, mut sent) = (0, 0);
    for proto in ["riptide", "dnp", "acknex", "gne", "nano"].into_iter().chain(files) {
        let name = std::path::Path::new(proto).file_stem().unwrap().to_str().unwrap();
        for foreign in common::entries(&fixture("foreign")).iter().filter(|path| common::ends_in(path, "pcap")) {
            let path = foreign.to_str().unwrap();
            if path.contains(name.split('-').next().unwrap()) {
                continue;
            }
            let done = run(&["decode", path, "-p", proto, "-f", "ndjson", "--account"], b"").ok();
            conversations += account(&done)["claimed"]["conversations"].as_u64().unwrap().min(20);
            sent += look(&done);
        }
    }
    assert!(conversations > 250 && sent as f64 >= 0.95 * conversations as f64, "{sent} of {conversations}");
    let folders = ["riptide", "dnp", "acknex", "gne", "nano", "described"].map(|name| (name, fixture(name)));
    for (proto, folder) in folders {
        for real in common::entries(&folder).iter().filter(|path| common::ends_in(path, "pcap")) {
            let args = common::args_of(real);
            let mut command = vec!["decode", real.to_str().unwrap(), "-f", "ndjson"];
            command.extend(args.iter().map(String::as_str));
            if proto != "described" {
                command.extend(["-p", proto]);
            }
            let done = run(&command, b"");
            // These are not of the game: answers of a DNS resolver, the monitor of pinus (MQTT), invalid frames.
            let other = |line: &str| match real.file_stem().unwrap().to_str().unwrap() {
                "gne-edge" => {
                    line.contains("ation 9 ") || line.contains("ation 10 ") || line.contains("looks like HTTP")
                }
                "probe-all" => proto == "nano" && (1..=4).any(|n| line.contains(&format!("conversation {n} "))),
                _ => line.contains("looks like DNS"),
            };
            let wrong = done.err.lines().filter(|line| line.contains("does not look like"));
            let wrong: Vec<&str> = wrong.filter(|line| !other(line)).collect();
            assert!(wrong.is_empty(), "{}: {wrong:?}", real.display());
        }
    }
}

/// A server that receives malformed packets is not given up while its own messages are right.
#[test]
fn a_server_that_behaves_is_not_given_up() {
    let mut wire = riptide(1, 40);
    for n in 0..200usize {
        // The type or the length is invalid.
        wire.say(0, true, &[0x0f, 0xff, n as u8]);
        if n % 4 == 0 {
            wire.say(0, false, &[0x76, 1, 2, 3, 4, 5, 6, 7]);
        }
    }
    let done = run(&["decode", "-", "-f", "ndjson", "--account"], &wire.file()).ok();
    assert_eq!(account(&done)["given_up"], 0, "{}", done.err);
    assert_eq!(done.text().lines().count(), 40 + 250 + 1);
}

/// A capture that begins in mid-session: one recognised conversation gives the others its version and sides.
/// Conversations that begin before it are read from their first packet on, in the order of the frames.
#[test]
fn a_server_that_is_known_teaches() {
    let whole = run(&["decode", fixture("riptide/riptide22-udp.pcap").to_str().unwrap(), "-f", "ndjson"], b"").ok();
    let (sides, versions): (Vec<Json>, Vec<Json>) =
        whole.lines().iter().map(|line| (line["from"].clone(), line["version"].clone())).unzip();
    let bytes = std::fs::read(fixture("riptide/riptide22-udp.pcap")).unwrap();
    let mut frames = Vec::new();
    let mut at = 24;
    while at < bytes.len() {
        let length = u32::from_le_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize;
        frames.push(&bytes[at..at + 16 + length]);
        at += 16 + length;
    }
    let from = frames.len() * 3 / 10;
    let scratch = Scratch::new("account-cut");
    let cut = scratch.write("cut.pcap", [&bytes[..24], &frames[from..].concat()].concat());
    let mut all = Vec::new();
    for threads in ["1", "2", "3"] {
        let done = run(&["decode", &cut, "-f", "ndjson", "--threads", threads], b"").ok();
        all.push(done.out.clone());
        let lines = done.lines();
        assert_eq!(lines.len(), frames.len() - from);
        for (k, line) in lines.iter().enumerate() {
            assert_eq!(line["frame"], k as u64 + 1);
            assert_eq!((&line["from"], &line["version"]), (&sides[from + k], &versions[from + k]), "{line}");
        }
    }
    assert!(all.windows(2).all(|two| two[0] == two[1]));
}

/// A limit of a file has a name and is not reported as damage.
#[test]
fn limits_of_files_have_names() {
    let mut zeros = Vec::new();
    {
        let mut header = Vec::new();
        PcapWriter::new(&mut header, LinkType::ETHERNET, 6).unwrap().flush().unwrap();
        let mut packed = GzEncoder::new(&mut zeros, Compression::fast());
        packed.write_all(&header).unwrap();
        (0..64).for_each(|_| packed.write_all(&vec![0; 1 << 20]).unwrap());
        packed.finish().unwrap();
    }
    let empty = {
        let mut member = GzEncoder::new(Vec::new(), Compression::fast());
        member.write_all(b"").unwrap();
        member.finish().unwrap().repeat(100_000)
    };
    let interfaces = {
        let section = [0x0a0d_0d0au32, 28, 0x1a2b_3c4d, 1, u32::MAX, u32::MAX, 28];
        let interface = [1u32, 20, 1, 0, 20].repeat(70_000);
        section.iter().chain(&interface).flat_map(|word| word.to_le_bytes()).collect()
    };
    for (name, bytes) in [("empty_records", zeros), ("empty_members", empty), ("interfaces", interfaces)] {
        let done = run(&["decode", "-", "-f", "ndjson", "--account"], &bytes);
        assert!(done.err.contains(&format!("limit {name}")), "{name}: {}", done.err);
        assert_eq!(done.status, Some(3), "{name}");
        assert!(!done.err.contains("damaged"), "{}", done.err);
    }
}

/// Conversations without a packet that shows which side is the client are named once each, and counted.
#[test]
fn unknown_sides_are_named_once() {
    // Unreliable messages of DNP, which both sides may send, on ports of no protocol.
    let mut wire = Wire::default();
    (0..60).for_each(|k| wire.say(k % 30, k % 3 > 0, &[5, 0]));
    let bytes = wire.file();
    let args = ["decode", "-", "-p", "dnp", "-f", "ndjson", "--account"];
    let done = run(&args, &bytes).ok();
    let named: Vec<&str> = done.err.lines().filter(|line| line.contains("no packet shows which side")).collect();
    assert_eq!(named.len(), 5, "{}", done.err);
    assert!(
        named[0].contains("conversation 1 (10.2.0.1:9999 - 10.1.0.0:40000, dnp)"),
        "the sender of the first packet is first: {}",
        done.err
    );
    assert!(done.err.contains("and 25 more conversations of this kind"), "{}", done.err);
    assert_eq!(account(&done)["sides_unknown"], 30);
    let detailed = run(&[&args[..], &["-v"]].concat(), &bytes).ok();
    assert_eq!(detailed.err.matches("no packet shows which side").count(), 20, "{}", detailed.err);
    // Whoever names the server reads no such line, and the senders are known.
    let done = run(&[&args[..], &["--server", "10.2.0.1:9999"]].concat(), &bytes).ok();
    assert!(!done.err.contains("no packet shows"), "{}", done.err);
    assert_eq!(account(&done)["sides_unknown"], 0);
    assert!(!done.text().contains("\"from\":\"unknown\""));
    // `-q` hides the lines: no message is missing.
    let done = run(&[&args[..], &["-q"]].concat(), &bytes).ok();
    assert!(!done.err.contains("no packet shows"), "{}", done.err);
    assert_eq!(account(&done)["sides_unknown"], 30);
}

/// Times from which no duration follows are reported: of a clock that was set back, or the same for all frames.
#[test]
fn times_that_are_wrong() {
    let whole = riptide(3, 8).file();
    // The frames from 13 on are this much later.
    let moved = |seconds: i32| {
        let (mut file, mut at, mut frame) = (whole.clone(), 24, 0);
        while at < file.len() {
            let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
            let (time, length) = (word(at), word(at + 8) as usize);
            frame += 1;
            if frame > 12 {
                file[at..at + 4].copy_from_slice(&time.saturating_add_signed(seconds).to_le_bytes());
            }
            at += 16 + length;
        }
        file
    };
    let folder = Scratch::new("backward-step");
    let back = folder.write("back.pcap", moved(-3600));
    for more in [&[][..], &["-q"], &["--threads", "2"]] {
        let done = run(&[&["decode", &back, "-f", "ndjson", "--account"], more].concat(), b"").ok();
        let note = "the time of frame 13 is 3599.999 s before that of the frame before it";
        assert_eq!(done.err.matches(note).count(), 1, "{more:?}: {}", done.err);
        assert_eq!(
            account(&done)["backward_step"],
            serde_json::json!({"frame": 13, "seconds": 3599.999, "frames": 1}),
            "{more:?}"
        );
    }
    let page = folder.file("page.html");
    run(&["report", &back, "-q", "-o", &page], b"").ok();
    let page = std::fs::read_to_string(page).unwrap();
    assert_eq!(page.matches("Doubtful").count(), 1);
    // Every second frame comes after the next one.
    let mut swapped = riptide(3, 8);
    swapped.0.chunks_mut(2).for_each(|pair| pair.reverse());
    let swapped = swapped.file();
    let mut file = swapped[..24].to_vec();
    for pair in records(&swapped).chunks(2) {
        // Each has the other's time.
        file.extend([&pair[1][..8], &pair[0][8..], &pair[0][..8], &pair[1][8..]].concat());
    }
    let done = run(&["decode", "-", "-q", "-f", "ndjson", "--account"], &file).ok();
    let note = "netkit: 12 of 24 frames are up to 1.000 ms earlier than the frame before them, ";
    assert!(done.err.starts_with(note), "{}", done.err);
    assert_eq!(account(&done)["backward_step"]["frames"], 12);
    let forth = folder.write("forth.pcap", moved(3600));
    let done = run(&["decode", &forth, "-f", "ndjson", "--account"], b"").ok();
    assert!(!done.err.contains("before"), "{}", done.err);
    assert!(account(&done).get("backward_step").is_none(), "{}", account(&done));
    let mut same = whole.clone();
    let mut at = 24;
    while at < same.len() {
        same[at..at + 8].fill(0);
        at += 16 + u32::from_le_bytes(same[at + 8..at + 12].try_into().unwrap()) as usize;
    }
    let done = run(&["decode", "-", "-q"], &same).ok();
    assert!(done.err.starts_with("netkit: all 24 frames have the same time: "), "{}", done.err);
    let later = folder.write("later.pcap", &whole);
    let done = run(&["stats", "--join", &forth, &later], b"").ok();
    assert!(done.err.contains("s before the last frame of"), "{}", done.err);
    assert!(done.err.contains("the time of frame 25 "), "{}", done.err);
}

/// Packets that were recorded twice are reported, since every count includes both.
#[test]
fn packets_that_are_there_twice() {
    let once = riptide(3, 8);
    let twice = Wire(once.0.iter().flat_map(|datagram| [datagram.clone(), datagram.clone()]).collect());
    for threads in ["1", "2"] {
        let folder = Scratch::new(&format!("twice-{threads}"));
        let file = folder.write("twice.pcap", twice.file());
        let done = run(&["decode", &file, "-q", "-f", "ndjson", "--account", "--threads", threads], b"").ok();
        let note = "netkit: 24 of the first 48 packets are duplicates of one at most 1 ms before: ";
        assert_eq!(done.err.matches(note).count(), 1, "{}", done.err);
        assert_eq!(account(&done)["duplicate_packets"], serde_json::json!({"compared": 48, "duplicates": 24}));
    }
    let tcp = std::fs::read(fixture("riptide/riptide20-tcp.pcap")).unwrap();
    let mut twice = tcp[..24].to_vec();
    twice.extend(records(&tcp).into_iter().flat_map(|record| [record.clone(), record].concat()));
    for (file, is_reported) in [(&tcp, false), (&twice, true)] {
        let done = run(&["stats", "-", "-q"], file).ok();
        assert_eq!(done.err.contains("packets are duplicates of one at most 1 ms before"), is_reported, "{}", done.err);
    }
    // Neither where every second one is there twice, a third of all, as of a network that duplicates.
    let some = once.0.iter().enumerate().flat_map(|(k, datagram)| vec![datagram.clone(); 1 + k % 2]);
    for wire in [Wire(some.collect()), once] {
        let done = run(&["decode", "-", "-f", "ndjson", "--account"], &wire.file()).ok();
        assert!(done.err.is_empty() && account(&done).get("duplicate_packets").is_none(), "{}", done.err);
    }
}

/// A capture's own statistics say how many packets its interface dropped: they are missing in every figure.
#[test]
fn packets_that_the_interface_dropped() {
    let folder = Scratch::new("dropped-packets");
    let mut file =
        run(&["decode", fixture("riptide/riptide20-udp.pcap").to_str().unwrap(), "-q", "-f", "pcapng"], b"").ok().out;
    let numbers = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
    // Interface 0, its time, isb_ifdrop with 8 bytes, the end of the options. Repeated, it counts once.
    for _ in 0..2 {
        file.extend(numbers(&[5, 40, 0, 0, 0, 8 << 16 | 5, 1204, 0, 0, 40]));
    }
    let path = folder.write("dropped.pcapng", &file);
    for threads in ["1", "2"] {
        let done = run(&["decode", &path, "-q", "-f", "ndjson", "--account", "--threads", threads], b"").ok();
        assert_eq!(account(&done)["dropped_packets"], 1204);
        let right = done.err.starts_with("netkit: the capture lacks 1204 packets") && done.err.lines().count() == 1;
        assert!(right, "{}", done.err);
    }
}

/// A capture made with a short snap length says so: its messages have faults that the peers have not made.
#[test]
fn frames_that_are_cut() {
    let whole = std::fs::read(fixture("riptide/riptide20-udp.pcap")).unwrap();
    let (mut cut, mut frames) = (whole[..24].to_vec(), 0);
    for record in records(&whole) {
        let (head, data) = record.split_at(16);
        let kept = data.len().min(96);
        frames += u64::from(kept < data.len());
        cut.extend([&head[..8], &(kept as u32).to_le_bytes(), &head[12..], &data[..kept]].concat());
    }
    for threads in ["1", "2"] {
        let folder = Scratch::new(&format!("cut-frames-{threads}"));
        let file = folder.write("cut.pcap", &cut);
        let done = run(&["decode", &file, "-q", "-f", "ndjson", "--account", "--threads", threads], b"").ok();
        assert_eq!(account(&done)["cut_frames"], serde_json::json!({"frames": frames, "bytes": 96}));
        assert!(
            done.err.starts_with(&format!("netkit: {frames} of ")) && done.err.lines().count() == 1,
            "{}",
            done.err
        );
    }
    let done = run(&["decode", "-", "-f", "ndjson", "--account"], &whole).ok();
    assert!(done.err.is_empty() && account(&done).get("cut_frames").is_none(), "{}", done.err);
}

/// The losses of a conversation that was evicted and returned are those of both parts, in the table as in the note.
#[test]
fn losses_of_an_evicted_conversation_stay() {
    let ends = |port: u16| [format!("127.0.0.1:{port}"), "127.0.0.1:3250".into()].map(|end| end.parse().unwrap());
    let package = |kind: u8, text: &str| [&[kind, 0, 0, text.len() as u8][..], text.as_bytes()].concat();
    let mut wire = common::Wire::default();
    let asked = package(1, r#"{"sys":{"version":"1.1.1","type":"js-websocket"}}"#);
    let messages = [
        (true, asked.clone()),
        (false, package(1, r#"{"code":200,"sys":{"heartbeat":30}}"#)),
        (true, package(2, "")),
        (true, package(3, "")),
        (false, package(3, "")),
        (true, package(3, "")),
        (false, package(3, "")),
    ];
    wire.stream(ends(50_000), &messages);
    // The client's first heartbeat is not captured, and the server acknowledges it.
    wire.lose(6);
    wire.stream(ends(50_001), &[(true, asked)]);
    let sent = |side: bool| 1 + messages.iter().filter(|(by, _)| *by == side).map(|(_, b)| b.len() as u32).sum::<u32>();
    let beat = package(3, "");
    let segment = netkit::capture::Segment {
        has_ack: true,
        seq: sent(true),
        ack: sent(false),
        payload: &beat,
        ..netkit::capture::Segment::default()
    };
    wire.packet(ends(50_000), true, &netkit::capture::Body::Tcp(segment));
    let args = ["stats", "-", "-p", "nano", "-f", "json", "--limit", "conversations=1"];
    let done = run(&args, &wire.file()).ok();
    let stats: Json = serde_json::from_str(done.text()).unwrap();
    let missing: u64 = stats["stream"].as_array().unwrap().iter().filter_map(|row| row["missing_bytes"].as_u64()).sum();
    assert!(missing > 0 && done.err.contains(&format!("{missing} bytes of recognised TCP streams")), "{}", done.err);
}
