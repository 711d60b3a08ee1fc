//! Any number of threads prints the same bytes, under every limit, and the limits hold for the run.

mod common;

use common::{Done, all_fixtures, feed};
use netkit::capture::{Body, Decoded, LinkType, Packets, PcapWriter, Segment, Time, ethernet};
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// One conversation's packets: does who began it send, and what?
type FlowInfo = Vec<(bool, Packet)>;

#[derive(Clone)]
enum Packet {
    Udp(Vec<u8>),
    /// A segment without its bytes, and those.
    Tcp(Segment<'static>, Vec<u8>),
}

/// The first packets of the conversation that begins a fixture.
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

/// A capture in which so many conversations take turns, packet by packet; the servers' ports count
/// from `port`.
fn in_turns(name: &str, talks: &[FlowInfo], conversations: usize, port: usize) -> PathBuf {
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
            frames += 1;
            writer.frame(Time::micros(1_800_000_000 + frames / 1000, (frames % 1000) as u32 * 1000), &bytes).unwrap();
        }
    }
    writer.flush().expect("written");
    path
}

/// What a command prints of files, with so many threads.
fn run(command: &str, files: &[&Path], threads: usize, more: &[&str]) -> Done {
    let mut command = common::netkit(&[command]);
    feed(command.args(files).args(["-v", "--threads", &threads.to_string()]).args(more), b"")
}

/// The lines of one thread of `decode`, which any other number prints too.
fn same(files: &[&Path], more: &[&str]) -> Done {
    same_of("decode", files, more)
}

/// The same of any command.
fn same_of(command: &str, files: &[&Path], more: &[&str]) -> Done {
    let [one, others @ ..] = std::thread::scope(|scope| {
        let runs = [1, 2, 3, 5].map(|threads| scope.spawn(move || (threads, run(command, files, threads, more))));
        runs.map(|run| run.join().expect("a run"))
    });
    let (_, one) = one;
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

/// How many conversations were given up, by what `decode` says.
fn evicted(done: &Done) -> u64 {
    let lines = done.err.lines().filter_map(|line| line.strip_prefix("netkit: ")?.split_once(" conversation"));
    lines.filter(|(_, what)| what.contains("given up")).filter_map(|(n, _)| n.parse::<u64>().ok()).sum()
}

/// Every limit, small.
const SMALL: [&str; 21] = [
    "conversations=1",
    "conversations=2",
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

#[test]
fn fixtures_under_every_limit() {
    for limit in netkit::dissect::LIMITS.iter().map(|limit| limit.name) {
        assert!(SMALL.iter().any(|small| small.starts_with(&format!("{limit}="))), "{limit} is not tried");
    }
    let files: Vec<PathBuf> =
        all_fixtures().into_iter().filter(|path| path.to_string_lossy().contains(".pcap")).collect();
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    assert!(files.len() > 50, "{}", files.len());
    let all = same(&files, &["-f", "ndjson"]);
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
    assert!(check.err.contains("every one gives its bytes back"), "{}", check.err);
    same(&files, &["--check", "--limit", "conversations=2", "--limit", "buffered_bytes=20K", "-F", "length > 4"]);
}

/// The figures of several threads are those of one: every table, in every form.
#[test]
fn statistics_of_every_fixture() {
    let files = all_fixtures();
    let files: Vec<&Path> =
        files.iter().map(PathBuf::as_path).filter(|path| path.to_string_lossy().contains(".pcap")).collect();
    let mut numbered = 0;
    for file in files {
        let all = same_of("stats", &[file], &["-f", "json", "--delivery"]);
        numbered += usize::from(all.text().contains("ack_p50"));
        same_of("stats", &[file], &["-f", "json"]);
    }
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
    let all = same(&[&path], &["-f", "ndjson"]);
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
    // More connections than the statistics tell apart.
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

/// As it was seen: each thread gave up other conversations, so that messages were missing or came
/// twice.
#[test]
fn sessions_that_remember_much_in_turns() {
    // A client that is accepted, and then sends what nobody acknowledges.
    let mut flow_info: FlowInfo =
        vec![(true, Packet::Udp(vec![0, 1, 0, 0, 0])), (false, Packet::Udp(vec![1, 0, 0, 0]))];
    flow_info.extend((0..98).map(|n| (true, Packet::Udp(vec![4, n, 0, 7, 7, 7, n]))));
    let path = in_turns("dnp", &[flow_info], 400, 3413);
    let all = same(&[&path], &["-f", "ndjson"]);
    let lines = |out: &Done| out.out.iter().filter(|b| **b == b'\n').count();
    assert_eq!((evicted(&all), lines(&all)), (0, 40_000));
    let some = same(&[&path], &["-f", "ndjson", "--limit", "buffered_bytes=1M"]);
    assert!((1..100_000).contains(&evicted(&some)), "{}", evicted(&some));
    // Whoever was given up begins again, and is recognised by its port: nothing is lost or told twice.
    assert_eq!(lines(&some), 40_000);
    std::fs::remove_file(path).expect("removed");
}
