//! Any number of threads prints the same bytes, under every limit, and limits apply to the whole run.

use crate::common;
use crate::common::{Done, all_fixtures, feed};
use netkit::capture::{Body, Decoded, LinkType, Packets, PcapWriter, Segment, Time, ethernet};
use std::collections::BTreeMap;
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// One conversation's packets: whether the side that began it sent each, and the packet.
type FlowInfo = Vec<(bool, Packet)>;

#[derive(Clone)]
enum Packet {
    Udp(Vec<u8>),
    /// A segment without its payload, and the payload.
    Tcp(Segment<'static>, Vec<u8>),
}

/// The first packets of a fixture's first conversation.
fn flow_info(fixture: &str, most: usize) -> FlowInfo {
    let file = File::open(common::fixture(fixture)).expect("a fixture");
    let mut packets = Packets::open(Box::new(file)).expect("a capture");
    let (mut flow_info, mut ends): (FlowInfo, Option<(SocketAddr, SocketAddr)>) = (Vec::new(), None);
    while let Some(item) = packets.next().expect("frames") {
        let Decoded::Packet(packet) = item.decoded else { continue };
        let ends = *ends.get_or_insert((packet.src, packet.dst));
        let first = ends == (packet.src, packet.dst);
        if flow_info.len() == most || !first && ends != (packet.dst, packet.src) {
            continue;
        }
        flow_info.push((
            first,
            match packet.body {
                Body::Udp { payload, .. } => Packet::Udp(payload.to_vec()),
                Body::Tcp(segment) => {
                    let payload = segment.payload.to_vec();
                    let Segment { seq, ack, has_ack, syn, fin, rst, length, .. } = segment;
                    Packet::Tcp(Segment { seq, ack, has_ack, syn, fin, rst, payload: &[], length }, payload)
                }
            },
        ));
    }
    assert!(!flow_info.is_empty(), "{fixture}");
    flow_info
}

/// A capture in which conversations take turns, packet by packet; the servers' ports count from `port`.
fn in_turns(name: &str, talks: &[FlowInfo], conversations: usize, port: usize) -> PathBuf {
    written(name, talks, conversations, port, false)
}

/// A UDP datagram in an Ethernet frame with IPv4, as two IP fragments; other frames as they are.
fn split(frame: &[u8]) -> Vec<Vec<u8>> {
    let (head, body) = frame.split_at(34);
    if head[23] != 17 || body.len() <= 16 {
        return vec![frame.to_vec()];
    }
    let part = |offset: u16, more: bool, body: &[u8]| {
        let mut head = head.to_vec();
        head[16..18].copy_from_slice(&(20 + body.len() as u16).to_be_bytes());
        // Every datagram has a number of its own: here its checksum serves.
        head.copy_within(24..26, 18);
        head[20..22].copy_from_slice(&((offset / 8) | (u16::from(more) << 13)).to_be_bytes());
        head[24..26].fill(0);
        let sum: u32 = head[14..34].chunks(2).map(|pair| (u32::from(pair[0]) << 8) | u32::from(pair[1])).sum();
        head[24..26].copy_from_slice(&(!((sum & 0xffff) + (sum >> 16)) as u16).to_be_bytes());
        [&head, body].concat()
    };
    vec![part(0, true, &body[..16]), part(16, false, &body[16..])]
}

/// The same, with each datagram in two IP fragments if asked for.
fn written(name: &str, talks: &[FlowInfo], conversations: usize, port: usize, fragments: bool) -> PathBuf {
    let path = std::env::temp_dir().join(format!("netkit-threads-{}-{name}.pcap", std::process::id()));
    let file = std::io::BufWriter::new(File::create(&path).expect("a file"));
    let mut writer = PcapWriter::new(file, LinkType::ETHERNET, 6).expect("a header");
    let (mut bytes, mut frames) = (Vec::new(), 0);
    for round in 0..talks.iter().map(Vec::len).max().unwrap_or(0) {
        for n in 0..conversations {
            let kind = n % talks.len();
            let Some((first, packet)) = talks[kind].get(round) else { continue };
            let client: SocketAddr = format!("10.{}.{}.2:{}", n >> 8, n & 255, 20_000 + n % 1000).parse().unwrap();
            let server: SocketAddr = format!("192.168.{kind}.1:{}", port + kind).parse().unwrap();
            let (src, dst) = if *first { (client, server) } else { (server, client) };
            let body = match packet {
                Packet::Udp(payload) => Body::Udp { payload, length: payload.len() },
                Packet::Tcp(segment, payload) => Body::Tcp(Segment { payload, ..segment.clone() }),
            };
            ethernet(src, dst, &body, &mut bytes).expect("a frame");
            for frame in if fragments { split(&bytes) } else { vec![bytes.clone()] } {
                frames += 1;
                let time = Time::micros(1_800_000_000 + frames / 1000, (frames % 1000) as u32 * 1000);
                writer.frame(time, &frame).expect("written");
            }
        }
    }
    writer.flush().expect("written");
    path
}

/// Runs a command on files with this number of threads.
fn run(command: &str, files: &[&Path], threads: usize, more: &[&str]) -> Done {
    let mut command = common::netkit(&[command]);
    feed(command.args(files).args(["-v", "--threads", &threads.to_string()]).args(more), b"")
}

/// The output of `decode` with one thread, checked to be the same with several.
fn same(files: &[&Path], more: &[&str]) -> Done {
    same_of("decode", files, more)
}

/// The same for any command. The options choose the number of threads: over all calls, each number is tried many times.
fn same_of(command: &str, files: &[&Path], more: &[&str]) -> Done {
    let sum: usize = more.iter().flat_map(|option| option.bytes()).map(usize::from).sum();
    same_with(&[[2, 3, 5][sum % 3]], command, files, more)
}

/// The same with these numbers of threads.
fn same_with(threads: &[usize], command: &str, files: &[&Path], more: &[&str]) -> Done {
    let (one, others) = std::thread::scope(|scope| {
        let runs = [1].iter().chain(threads);
        let runs = runs.map(|threads| scope.spawn(move || (threads, run(command, files, *threads, more))));
        let runs: Vec<_> = runs.collect();
        let mut done = runs.into_iter().map(|run| run.join().expect("a run"));
        (done.next().expect("one thread").1, done.collect::<Vec<_>>())
    });
    assert_ne!(one.status, Some(2), "{more:?}: {}", one.err);
    for (threads, several) in others {
        assert_eq!(one.status, several.status, "{more:?} {threads}: {}", several.err);
        assert_eq!(one.err, several.err, "{more:?} {threads}");
        if one.out != several.out {
            let [one, several] = [one.text(), several.text()];
            let at = one.lines().zip(several.lines()).position(|(a, b)| a != b);
            let (n, m) = (one.lines().count(), several.lines().count());
            let differ = at.map(|at| (at, one.lines().nth(at), several.lines().nth(at)));
            panic!("{more:?}: {threads} threads print {m} lines, one {n}: {differ:?}");
        }
    }
    one
}

/// The number of conversations evicted, as `decode` reports it.
fn evicted(done: &Done) -> u64 {
    // After the name of the file.
    let lines = done.err.lines().filter_map(|line| line.strip_prefix("netkit: ")?.split_once(" conversation"));
    let count = |before: &str| before.rsplit(' ').next()?.parse::<u64>().ok();
    lines.filter(|(_, what)| what.contains("evicted")).filter_map(|(before, _)| count(before)).sum()
}

/// Every limit, small.
const SMALL: [&str; 22] = [
    "conversations=1",
    "conversations=2",
    "returning=0",
    "buffered_bytes=0",
    "buffered_bytes=20K",
    "unread_bytes=64",
    "held_bytes=16",
    "held_segments=1",
    "fragments=1",
    "fragment_bytes=2000",
    "name_bytes=2",
    "inflate_ratio=1",
    "live_unread=1",
    "live_kept=1",
    "replay_messages=1",
    "replay_bytes=1",
    "pcap_bytes=1",
    "proxy_queue=1",
    "links=1",
    "link_bytes=1",
    "waiting=1",
    "groups=1",
];

/// Messages are printed in the order of the frames that completed them, by any number of threads. Only a message that is
/// known to be cut when its direction ends, or goes on with another one, may come later, before the next of its direction.
#[test]
fn messages_are_in_the_order_of_frames() {
    let external = common::external_captures().iter().flat_map(|folder| common::entries(folder)).collect::<Vec<_>>();
    let external = external.iter().filter(|folder| folder.is_dir()).flat_map(|folder| common::entries(folder));
    let captures = all_fixtures().into_iter().chain(external).filter(|path| path.to_string_lossy().contains(".pcap"));
    let (late, read) = (AtomicUsize::new(0), AtomicUsize::new(0));
    common::side_by_side(captures, |path| {
        let args = common::args_of(&path);
        let args: Vec<&str> = ["-f", "ndjson"].into_iter().chain(args.iter().map(String::as_str)).collect();
        let done = [1, 4].map(|threads| run("decode", &[&path], threads, &args));
        assert!(done[0].out == done[1].out, "{}", path.display());
        let (mut last, mut of_direction) = (0, BTreeMap::new());
        for line in done[0].lines() {
            let frame = line["frame"].as_u64().expect("a number");
            // A carrier's messages are apart from those that it carries.
            let direction = ["flow", "src", "proto"].map(|key| line[key].to_string());
            let before = of_direction.entry(direction).or_insert(0);
            let unfinished = line["notes"].as_array().is_some_and(|notes| {
                notes.iter().any(|note| note["code"] == "hawknl.unfinished" || note["code"] == "websocket.package_cut")
            });
            let cut = line["fault"].is_object() || unfinished;
            assert!(frame >= last || cut && frame >= *before, "{}: after {last}: {line}", path.display());
            late.fetch_add(usize::from(frame < last), Ordering::Relaxed);
            (last, *before) = (frame.max(last), frame);
            read.fetch_add(1, Ordering::Relaxed);
        }
    });
    let (late, read) = (late.into_inner(), read.into_inner());
    assert!(read > 20_000 && late > 0 && late < 20, "{late} of {read}");
}

#[test]
fn fixtures_under_every_limit() {
    for limit in netkit::dissect::LIMITS.iter().map(|limit| limit.name) {
        assert!(SMALL.iter().any(|small| small.starts_with(&format!("{limit}="))), "{limit} is not tried");
    }
    let files: Vec<PathBuf> =
        all_fixtures().into_iter().filter(|path| path.to_string_lossy().contains(".pcap")).collect();
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    assert!(files.len() > 50, "{}", files.len());
    let all = same_with(&[2, 3, 5], "decode", &files, &["-f", "ndjson"]);
    assert!(all.out.len() > 100_000);
    let mut given_up = 0;
    for limit in SMALL {
        given_up += evicted(&same(&files, &["-f", "ndjson", "--limit", limit]));
    }
    assert!(given_up > 100, "{given_up}");
    for format in ["json", "summary"] {
        same(&files, &["-f", format]);
        same(&files, &["-f", format, "--limit", "conversations=2", "--limit", "buffered_bytes=20K"]);
    }
    same(&files, &["-f", "ndjson", "-F", "length > 20", "--fail-on", "fault"]);
    same(&files, &["-f", "csv", "--limit", "buffered_bytes=20K"]);
    same(&files, &["-f", "ndjson", "--link", "--limit", "links=2"]);
    let columns = "frame,time,src,message,notes,payload,position.x";
    same(&files, &["-f", "tsv", "--columns", columns, "--time", "delta"]);
    same(&files, &["-f", "summary", "--columns", columns, "--time", "relative"]);
    same(&files, &["-f", "ndjson", "--port", "17820=riptide", "--port", "3413=dnp"]);
    same(&files, &["-f", "ndjson", "-p", "gne", "--limit", "buffered_bytes=20K"]);
    same(&files, &["-f", "tree", "--limit", "buffered_bytes=20K"]);
    same(&files, &["-f", "tree", "--time", "delta"]);
    same(&files, &["-f", "table", "--limit", "buffered_bytes=20K"]);
    same(&files, &["-f", "table", "--time", "delta", "-F", "fault"]);
    same(&files, &["-f", "table", "--time", "relative", "-F", "length > 200"]);
    let check = same(&files, &["--check"]);
    assert!(check.err.contains("each encodes back to its bytes"), "{}", check.err);
    same(&files, &["--check", "--limit", "conversations=2", "--limit", "buffered_bytes=20K", "-F", "length > 4"]);
}

/// The figures of several threads equal those of one: every table, in every format.
#[test]
fn statistics_of_every_fixture() {
    let files = all_fixtures();
    let files: Vec<&Path> =
        files.iter().map(PathBuf::as_path).filter(|path| path.to_string_lossy().contains(".pcap")).collect();
    let mut numbered = 0;
    for file in &files {
        let all = same_of("stats", &[file], &["-f", "json", "--delivery"]);
        numbered += usize::from(all.text().contains("ack_p50"));
    }
    same_of("stats", &files, &["-f", "json"]);
    assert!(numbered > 5, "{numbered}");
}

#[test]
fn ten_thousand_conversations_in_turns() {
    let talks = [
        flow_info("riptide/riptide22-udp.pcap", 3),
        flow_info("dnp/dnp-basic.pcap", 4),
        flow_info("nano/nano-protobuf-tcp.pcap", 6),
        flow_info("gne/gne-le-udp-full.pcap", 6),
        flow_info("acknex/acknex-a5.pcap", 3),
        flow_info("riptide/riptide20-tcp.pcap", 5),
    ];
    let path = in_turns("ten-thousand", &talks, 10_000, 3000);
    let all = same_with(&[2, 3, 5], "decode", &[&path], &["-f", "ndjson"]);
    assert_eq!(evicted(&all), 0);
    let lines = all.out.iter().filter(|b| **b == b'\n').count();
    assert!(lines > 10_000, "{lines}");
    for limit in ["conversations=700", "buffered_bytes=300K"] {
        let some = same(&[&path], &["-f", "ndjson", "--limit", limit]);
        assert!(evicted(&some) > 1000, "{limit}: {}", evicted(&some));
    }
    let others = ["unread_bytes=64", "held_bytes=16", "held_segments=1", "fragments=1", "fragment_bytes=2000"];
    let others: Vec<&str> = others.iter().flat_map(|limit| ["--limit", limit]).collect();
    same(&[&path], &[&["-f", "summary"], &others[..]].concat());
    // More connections than the statistics distinguish.
    let stats = same_of("stats", &[&path], &["-f", "json", "--limit", "conversations=700"]);
    assert!(stats.out.len() > 100_000, "{}", stats.text());
    same_of("stats", &[&path], &["--delivery", "-f", "json"]);
    // More messages than a table has rows.
    let table = same(&[&path], &["-f", "table"]);
    assert!(table.err.contains("are left out"), "{}", table.err);
    let check = same(&[&path], &["--check", "--limit", "buffered_bytes=300K"]);
    assert!(evicted(&check) > 1000, "{}", check.err);
    std::fs::remove_file(path).expect("removed");
}

/// A former bug: each thread gave up other conversations, so that messages were missing or repeated.
#[test]
fn sessions_that_remember_much_in_turns() {
    // A client that is accepted, and then sends messages that nobody acknowledges.
    let mut flow_info: FlowInfo =
        vec![(true, Packet::Udp(vec![0, 1, 0, 0, 0])), (false, Packet::Udp(vec![1, 0, 0, 0]))];
    flow_info.extend((0..98).map(|n| (true, Packet::Udp(vec![4, n, 0, 7, 7, 7, n]))));
    let path = in_turns("dnp", &[flow_info], 400, 3413);
    let all = same(&[&path], &["-f", "ndjson"]);
    let lines = |out: &Done| out.out.iter().filter(|b| **b == b'\n').count();
    assert_eq!((evicted(&all), lines(&all)), (0, 40_000));
    let some = same(&[&path], &["-f", "ndjson", "--limit", "buffered_bytes=1M"]);
    assert!((1..100_000).contains(&evicted(&some)), "{}", evicted(&some));
    // A conversation that was given up begins again, recognised by its port: no message is lost or repeated.
    assert_eq!(lines(&some), 40_000);
    std::fs::remove_file(path).expect("removed");
}

/// The parts of a capture's conversations together have what the whole has, with any number of threads.
#[test]
fn parts_are_the_whole() {
    let talks = [
        flow_info("riptide/riptide22-udp.pcap", 12),
        flow_info("dnp/dnp-basic.pcap", 12),
        flow_info("nano/nano-protobuf-tcp.pcap", 12),
        flow_info("gne/gne-le-udp-full.pcap", 12),
        // Of no known protocol.
        vec![(true, Packet::Udp(vec![0xee; 40])); 5],
    ];
    let mixed = written("parts", &talks, 200, 7000, true);
    let fixtures = all_fixtures().into_iter().filter(|path| path.to_string_lossy().contains(".pcap"));
    for path in fixtures.chain([mixed.clone()]) {
        let files = [path.as_path()];
        let args = common::args_of(&path);
        let lines = |threads: usize, more: &[&str]| -> Vec<String> {
            let args: Vec<&str> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
            run("decode", &files, threads, &args).text().lines().map(String::from).collect()
        };
        let mut whole = lines(1, &["-f", "ndjson"]);
        whole.sort();
        for (of, threads) in if path == mixed { vec![(2, 1), (8, 3)] } else { vec![(3, 2)] } {
            let part = |k: usize| lines(threads, &["-f", "ndjson", "--conversations", &format!("{k}/{of}")]);
            let parts: Vec<Vec<String>> = (1..=of).map(part).collect();
            assert!(path != mixed || parts.iter().all(|part| part.len() > whole.len() / of / 3), "uneven");
            let mut all = parts.concat();
            all.sort();
            assert!(all == whole, "{} in {of} parts: {} lines, expected {}", path.display(), all.len(), whole.len());
        }
    }
    let account = |more: &[&str]| {
        let stats = run("stats", &[&mixed], 1, &[&["-f", "json"], more].concat());
        let stats: serde_json::Value = serde_json::from_str(stats.text()).expect("JSON");
        let count = |key: &str, of: &str| stats["account"][key][of].as_u64().expect("a count");
        let claimed = ["conversations", "packets", "bytes"].map(|of| count("claimed", of));
        let unclaimed = ["conversations", "packets", "bytes"].map(|of| count("unclaimed", of));
        (claimed, unclaimed, ["messages", "bytes", "conversations"].map(|key| stats[key].as_u64().expect("a count")))
    };
    let whole = account(&[]);
    let parts = (1..=8).map(|k| account(&["--conversations", &format!("{k}/8")]));
    let add = |a: [u64; 3], b: [u64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    let sum = parts.fold(([0; 3], [0; 3], [0; 3]), |(a, b, c), part| (add(a, part.0), add(b, part.1), add(c, part.2)));
    assert_eq!(sum, whole);
    assert!(whole.0[0] >= 160 && whole.1[0] == 40, "{whole:?}");
    std::fs::remove_file(mixed).expect("removed");
}
