//! Named cases: the first things that an attacker would try.

use super::program::{File, client, netkit, netkit_in, server, set_seconds};
use crate::common::HANG;
use crate::harness;
use netkit::protocols::by_name;
use std::io::Write;
use std::time::{Duration, Instant};

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// Runs work that would take very long if it were quadratic. The limit is a guard against hanging, far above the time
/// on any machine. The step `quadratic` of `.ci/run`, which has the machine to itself, sets NETKIT_MEASURE for a
/// stricter limit.
fn soon(what: &str, work: impl FnOnce()) {
    let begun = Instant::now();
    work();
    let most = if std::env::var_os("NETKIT_MEASURE").is_some() { Duration::from_secs(30) } else { 3 * HANG };
    assert!(begun.elapsed() < most, "{what}: {:?}", begun.elapsed());
}

#[test]
fn pcapng_blocks_of_absurd_length() {
    let section = |length: u32| {
        let mut file = vec![0x0a, 0x0d, 0x0d, 0x0a];
        file.extend(length.to_le_bytes());
        file.extend([0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0]);
        file.extend([0xff; 8]);
        file.extend(length.to_le_bytes());
        file
    };
    for length in [0u32, 3, 11, 27, 29, 0x0100_0001, 0x7fff_ffff, 0x8000_0000, 0xffff_fffc, u32::MAX] {
        assert_eq!(harness::capture(&section(length), None), (0, 0), "section {length}");
        let mut file = section(28);
        file.extend([6, 0, 0, 0]);
        file.extend(length.to_le_bytes());
        file.extend([0; 64]);
        assert_eq!(harness::capture(&file, None), (0, 0), "packet {length}");
        let done = netkit_in(200, &["decode", "-"], &file);
        assert_eq!(done.status.code(), Some(3), "{length}: {}", text(&done.stderr));
        assert_eq!(text(&done.stderr).lines().count(), 1);
    }
    // A packet that declares more bytes than its block has.
    let mut file = section(28);
    file.extend([1, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0]);
    file.extend([6, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    file.extend([0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 32, 0, 0, 0]);
    assert_eq!(harness::capture(&file, None), (0, 0));
}

/// Compressed files are read as a stream: their content is never stored as a whole.
#[test]
fn gzip_bombs() {
    let zeros = vec![0; 1 << 20];
    let packed = |first: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(first).expect("packed");
        for _ in 0..96 {
            out.write_all(&zeros).expect("packed");
        }
        out.finish().expect("packed")
    };
    soon("gzip", || {
        // Six million frames without bytes: the first million is read.
        let file = packed(&File::new().done());
        assert!(file.len() < 1 << 20);
        let done = netkit_in(96, &["decode", "-", "-f", "ndjson"], &file);
        assert_eq!((done.status.code(), done.stdout.len()), (Some(3), 0), "{}", text(&done.stderr));
        assert!(text(&done.stderr).contains("(limit empty_records)"), "{}", text(&done.stderr));
        // Zeros: no capture.
        let done = netkit_in(96, &["decode", "-"], &packed(b""));
        assert_eq!(done.status.code(), Some(3), "{}", text(&done.stderr));
        // Hex text in one endless line.
        let done = netkit_in(400, &["decode", "-p", "dnp", "-"], &packed(b"00"));
        assert_eq!(done.status.code(), Some(3), "{}", text(&done.stderr));
    });
}

fn data_package(body: &[u8]) -> Vec<u8> {
    let mut package = vec![4];
    package.extend(&(body.len() as u32).to_be_bytes()[1..]);
    package.extend(body);
    package
}

/// 64 MiB of zeros, as one zlib stream.
fn zlib_bomb() -> Vec<u8> {
    let mut out = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..64 {
        out.write_all(&vec![b' '; 1 << 20]).expect("packed");
    }
    out.finish().expect("packed")
}

#[test]
fn bombs_in_nano() {
    let nano = by_name("nano").expect("nano");
    soon("bombs", || {
        let mut body = vec![0x10 | 6, 0];
        body.extend(zlib_bomb());
        assert_eq!(harness::dump(nano, 0, &data_package(&body)), 1);
        let (c, s) = (client(0), server());
        // permessage-deflate: an upgrade, then one message that inflates without end.
        let mut file = File::new();
        let request = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
        let answer = b"HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n";
        file.syn(c, s, 0);
        file.syn(s, c, 0);
        file.tcp(c, s, 1, request);
        file.tcp(s, c, 1, answer);
        let bomb = zlib_bomb();
        let raw = &bomb[2..bomb.len() - 4];
        let mut frame = vec![0xc2, 127];
        frame.extend((raw.len() as u64).to_be_bytes());
        frame.extend(raw);
        let mut seq = 1 + answer.len() as u32;
        for chunk in frame.repeat(4).chunks(1400) {
            file.tcp(s, c, seq, chunk);
            seq += chunk.len() as u32;
        }
        let done = netkit_in(256, &["decode", "-", "-p", "nano", "-f", "ndjson"], &file.done());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        let page = text(&done.stdout);
        // Each is 64 MiB: the ratio would allow more than the fixed limit does.
        assert!(page.contains("compressed data of a message larger than 16 MiB"), "{page:.2000}");
        assert!(done.stdout.len() < 64 << 20);
    });
}

#[test]
fn websocket_lengths_of_2_to_the_63() {
    for length in [1u64 << 63, u64::MAX, (1 << 63) - 1, 1 << 32, (16 << 20) + 1] {
        for second in [127, 0xff] {
            let mut records = vec![0];
            let mut frame = vec![0x82, second];
            frame.extend(length.to_be_bytes());
            frame.extend([0x55; 64]);
            for (flags, bytes) in [
                (2, &b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"[..]),
                (3, b"HTTP/1.1 101 OK\r\nUpgrade: websocket\r\n\r\n"),
                (0, &frame),
                (1, &frame),
                (0, b"behind it"),
            ] {
                records.push(flags);
                records.extend((bytes.len() as u16).to_le_bytes());
                records.extend(bytes);
            }
            let messages = harness::conversation("nano", true, &records);
            assert!((4..=8).contains(&messages), "{length} {second}: {messages}");
        }
    }
}

/// The table's limit of conversations, and as many more.
#[test]
fn a_hundred_thousand_flows_of_one_packet() {
    soon("flows", || {
        for payload in [&[0u8][..], &[3], b"NL\0\x01"] {
            let mut file = File::new();
            for k in 0..130_000 {
                file.udp(client(k), server(), payload);
            }
            let done = netkit_in(256, &["decode", "-q", "-f", "ndjson", "-"], &file.done());
            assert_eq!(done.status.code(), Some(0), "{payload:?}: {}", text(&done.stderr));
        }
        let mut file = File::new();
        for k in 0..130_000 {
            file.tcp(client(k), server(), 1, b"GET / HTTP/1.1\r\n");
        }
        let done = netkit_in(400, &["decode", "-q", "-f", "ndjson", "-"], &file.done());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    });
}

/// The memory of sessions counts as well: each of these conversations has inflate states and half of a large package,
/// which cost the sender almost nothing.
#[test]
fn conversations_that_hold_much() {
    let mut file = File::new();
    let mut packed = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    // A package of 16 MiB that is never complete.
    packed.write_all(&[4, 0xff, 0xff, 0xff]).expect("packed");
    packed.write_all(&vec![0; 4 << 20]).expect("packed");
    let packed = packed.finish().expect("packed");
    let mut frame = vec![0xc2, 126];
    frame.extend((packed.len() as u16).to_be_bytes());
    frame.extend(&packed);
    for k in 0..200 {
        let (c, s) = (client(k), server());
        file.syn(c, s, 0);
        let request = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
        file.tcp(c, s, 1, request);
        let answer = b"HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n";
        file.syn(s, c, 0);
        file.tcp(s, c, 1, answer);
        let mut seq = 1 + answer.len() as u32;
        for chunk in frame.chunks(1400) {
            file.tcp(s, c, seq, chunk);
            seq += chunk.len() as u32;
        }
    }
    let done = netkit_in(640, &["decode", "-q", "-f", "summary", "-p", "nano", "-"], &file.done());
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
}

#[test]
fn tcp_with_endless_gaps() {
    soon("holes", || {
        for backwards in [false, true] {
            let mut file = File::new();
            file.syn(client(0), server(), 0);
            for k in 0..100_000u32 {
                let k = if backwards { 100_000 - k } else { k };
                file.tcp(client(0), server(), 2 + 2 * k, b"N");
            }
            let done = netkit_in(200, &["decode", "-q", "-f", "ndjson", "-p", "gne", "-"], &file.done());
            assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        }
    });
}

#[test]
fn overlapping_ip_fragments() {
    let mut whole = Vec::new();
    let payload = [7u8; 1200];
    let body = netkit::capture::Body::Udp { payload: &payload, length: payload.len() };
    netkit::capture::ethernet(client(0), server(), &body, &mut whole).expect("a frame");
    let mut file = File::new();
    // Fragments whose offsets and lengths overlap, repeat and conflict, and which never complete.
    for k in 0..40_000u32 {
        let (offset, length) = ((k * 37 % 150) as u16, 8 * (1 + k as usize * 13 % 60));
        let mut frame = whole[..34].to_vec();
        frame.extend(whole[34..].iter().cycle().skip(k as usize % 7).take(length));
        let total = (frame.len() - 14) as u16;
        frame[16..18].copy_from_slice(&total.to_be_bytes());
        frame[18..20].copy_from_slice(&((k % 3) as u16).to_be_bytes());
        let more = if k % 5 == 0 { 0 } else { 0x2000 };
        frame[20..22].copy_from_slice(&(offset | more).to_be_bytes());
        file.raw(&frame);
    }
    // The largest offset.
    let mut frame = whole.clone();
    frame[20..22].copy_from_slice(&0x1fffu16.to_be_bytes());
    file.raw(&frame);
    soon("fragments", || {
        let done = netkit_in(100, &["decode", "-q", "-f", "ndjson", "-p", "acknex", "-"], &file.done());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    });
}

#[test]
fn nesting() {
    let deep = 200_000;
    // JSON as input of encode.
    let json = [b"{\"message\":\"ack\",\"fields\":".repeat(deep), b"1".to_vec()].concat();
    harness::encode_deeply(&json);
    harness::encode_deeply(&b"[".repeat(deep));
    let done = netkit(&["encode", "--json", "-"], &json);
    assert_eq!(done.status.code(), Some(3), "{}", text(&done.stderr));
    // JSON inside a message.
    let nano = by_name("nano").expect("nano");
    for open in [&b"["[..], b"{\"a\":"] {
        let mut body = vec![6, 0];
        body.extend(open.repeat(20_000.min(65_000 / open.len())));
        harness::dump(nano, 0, &data_package(&body));
    }
    // GNE's packets in packets: a frame full of each byte that may begin one.
    let gne = by_name("gne").expect("gne");
    for byte in 0..=255u8 {
        let mut frame = b"NL\x3f\xff".to_vec();
        frame.extend([byte; 0x3fff]);
        harness::dump(gne, 0, &frame);
    }
    // Brackets in a filter.
    for (open, what) in [("(", "brackets"), ("!", "nots"), ("not ", "nots"), ("length {", "braces")] {
        // As long as an argument may be.
        let filter = open.repeat(120_000 / open.len());
        let refused = netkit(&["decode", "-", "-F", &filter], b"");
        assert_eq!(refused.status.code(), Some(2), "{what}: {}", text(&refused.stderr).len());
    }
}

/// A count without data causes no work: nothing is there, so nothing is read.
#[test]
fn counts_without_bytes() {
    let dnp = by_name("dnp").expect("dnp");
    soon("counts", || {
        for dissector in netkit::protocols::ALL {
            for first in 0..=255u8 {
                for tail in [&[0xff; 2][..], &[0xff; 3], &[0xff; 6], &[0xff; 11]] {
                    let mut bytes = vec![first];
                    bytes.extend(tail);
                    assert!(harness::dump(dissector, 0, &bytes) <= 12, "{} {bytes:02x?}", dissector.name());
                }
            }
        }
        // A link_update of 255 links with 255 values each, and no data.
        for command in 0..32 {
            harness::dump(dnp, 0, &[command, 255, 255, 255, 255, 255]);
        }
    });
}

/// Found by fuzzing: together with the length of the number itself, such a length exceeds 64 bits.
#[test]
fn lengths_near_2_to_the_63() {
    use netkit::codec::layout::{Count, Field, Len, array, bytes, text, u8, u64le, varint};
    use netkit::codec::{Reader, Tree};
    static GROUPS: Field = varint("length", 10);
    static PLAIN: Field = u64le("length");
    static ONE: Field = u8("one");
    static TEXTS: [Field; 1] = [text("text", Len::Prefix(&GROUPS))];
    static BYTES: [Field; 1] = [bytes("bytes", Len::Prefix(&PLAIN))];
    static LIST: [Field; 1] = [array("list", Count::Prefix(&PLAIN), &ONE)];
    for table in [&TEXTS, &BYTES, &LIST] {
        for top in 0..=255u8 {
            for data in [[[0xff; 9].as_slice(), &[top, 1]].concat(), [[0xff; 7].as_slice(), &[top, 1]].concat()] {
                let mut tree = Tree::default();
                let fault = Reader::new(&data, &mut tree).read(table).fault().expect("a fault");
                assert!(fault.bit as usize <= data.len() * 8, "{data:02x?}: {fault}");
            }
        }
    }
}

#[test]
fn schemas_that_recurse() {
    let head = "proto = \"riptide\"\n[[message]]\nid = 1\nname = \"m\"\n[message.fields]\nx = \"a\"\n";
    for structs in [
        "[struct.a]\nx = \"a\"\n",
        "[struct.a]\nx = \"a[]\"\n",
        "[struct.a]\nx = \"b\"\n[struct.b]\nx = \"a\"\n",
        "[struct.a]\nx = \"b[2]\"\n[struct.b]\ny = \"c\"\n[struct.c]\nz = \"a[3]\"\n",
    ] {
        assert!(!harness::schema(format!("{head}{structs}").as_bytes()), "{structs}");
    }
    // No recursion, but each struct contains the next one eight times.
    let mut bomb = head.to_string();
    for k in 0..20 {
        let name = |k: usize| if k == 0 { "a".to_string() } else { format!("s{k}") };
        bomb += &format!("[struct.{}]\n", name(k));
        for field in 0..8 {
            bomb += &format!("f{field} = {:?}\n", if k == 19 { "byte".into() } else { name(k + 1) });
        }
    }
    soon("a schema", || _ = harness::schema(bomb.as_bytes()));
    // Nested lists.
    let lists = format!(
        "proto = \"riptide\"\n[[message]]\nid = 1\nname = \"m\"\n[message.fields]\nx = \"int{}\"\n",
        "[1]".repeat(300_000)
    );
    assert!(!harness::schema(lists.as_bytes()));
    // Each struct contains the next one eight times, but they are not too deep.
    let mut wide = head.to_string();
    for k in 0..15 {
        let name = |k: usize| if k == 0 { "a".to_string() } else { format!("s{k}") };
        wide += &format!("[struct.{}]\n", name(k));
        for field in 0..8 {
            wide += &format!("f{field} = {:?}\n", if k == 14 { "byte".into() } else { name(k + 1) });
        }
    }
    soon("a wide schema", || assert!(!harness::schema(wide.as_bytes())));
    // Comparing each with all others has a limit.
    let many: String = (0..200_000).map(|k| format!("f{k}=\"byte\"\n")).collect();
    soon("many fields", || assert!(!harness::schema(format!("{head}{many}[struct.a]\nx = \"byte\"\n").as_bytes())));
    let many: String = (0..40_000).map(|k| format!("[[message]]\nid = {k}\nname = \"m\"\n")).collect();
    soon("many messages", || assert!(harness::schema(format!("proto = \"riptide\"\n{many}").as_bytes())));
    // Nested fixed counts.
    let counts = "[struct.a]\nx = \"b[65535]\"\n[struct.b]\nx = \"c[65535]\"\n[struct.c]\nx = \"byte[65535]\"\n";
    soon("counts", || _ = harness::schema(format!("{head}{counts}\0\x02\x01\x01").as_bytes()));
}

/// Clears the screen, sets the title, rings the bell, reverses text: none of it may reach the terminal.
const ESCAPES: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\r\n\u{7f}\u{8}";

#[test]
fn escapes_never_reach_the_terminal() {
    let mut file = File::new();
    let (c, s) = (client(0), server());
    // An Acknex name, a route and JSON of nano, an HTTP head.
    file.udp(c, SocketAddr::from(([10, 0, 0, 2], 2300)), format!("\u{2}{ESCAPES}\0").as_bytes());
    let mut seq = 1;
    file.syn(c, s, 0);
    let mut route = vec![0, 1, ESCAPES.len() as u8];
    route.extend(ESCAPES.as_bytes());
    route.extend(format!("{{\"{}\":\"{ESCAPES}\"}}", "k\\u001b").as_bytes());
    let handshake = format!("{{\"sys\":{{\"type\":\"\\u001b[2J{ESCAPES}\",\"version\":\"1\"}}}}");
    let mut hand = vec![1, 0, 0, handshake.len() as u8];
    hand.extend(handshake.as_bytes());
    for bytes in [hand, vec![2, 0, 0, 0], data_package(&route)] {
        file.tcp(c, s, seq, &bytes);
        seq += bytes.len() as u32;
    }
    let head = format!("GET /{ESCAPES} HTTP/1.1\r\nUpgrade: websocket\r\nX: {ESCAPES}\r\n\r\n");
    file.syn(client(1), s, 0);
    file.tcp(client(1), s, 1, head.as_bytes());
    let file = file.done();
    for format in ["tree", "summary", "table", "ndjson", "json"] {
        for extra in [&["-v"][..], &["-p", "nano"], &["-p", "acknex"], &["-p", "riptide"]] {
            let args = [&["decode", "-", "--color", "never", "-f", format][..], extra].concat();
            let done = netkit(&args, &file);
            assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
            match format {
                "ndjson" | "json" => harness::no_controls(format, &done.stdout),
                _ => harness::harmless(format, &done.stdout),
            }
            harness::harmless("stderr", &done.stderr);
            if extra == ["-v"] {
                assert!(text(&done.stdout).contains("owned"), "{format}: {}", text(&done.stdout));
            }
        }
    }
}

/// Errors escape arguments and names of files, too.
#[test]
fn escapes_in_errors() {
    let name = format!("/no/such/{ESCAPES}");
    let line = format!("{{\"proto\":\"dnp\",\"message\":\"link_up\",\"{ESCAPES}\":1}}");
    let schema = std::env::temp_dir().join(format!("netkit-hostile-{}.toml", std::process::id()));
    std::fs::write(&schema, format!("proto = \"riptide\"\n[[message]]\nid = 1\nname = {ESCAPES:?}\n"))
        .expect("written");
    let schema_name = schema.to_string_lossy().into_owned();
    for (args, input) in [
        (&["decode", &name][..], ""),
        (&["decode", "-"], ESCAPES),
        (&["dump", "-"], ESCAPES),
        (&["dump", "-p", ESCAPES], "00"),
        (&["dump", "-p", "dnp", "--schema", &schema_name], "00"),
        (&["decode", "-", "-F", ESCAPES], ""),
        (&["encode", "--json", "-"], &line),
        (&["encode", "--json", "-", "--keep-going"], &format!("{{{ESCAPES}}}\n{line}\n")),
        (&["encode", ESCAPES], ""),
        (&["encode", "dnp.link_up", ESCAPES], ""),
        (&["encode", "dnp.link_up", &format!("{ESCAPES}=1")], ""),
        (&["fields", ESCAPES], ""),
    ] {
        let done = netkit(args, input.as_bytes());
        assert!(!done.status.success(), "{args:?}");
        assert!(!done.stderr.is_empty(), "{args:?}");
        harness::harmless(&format!("{args:?}"), &done.stderr);
        harness::harmless(&format!("{args:?}"), &done.stdout);
    }
    std::fs::remove_file(schema).expect("removed");
}

#[cfg(unix)]
#[test]
fn names_of_unusual_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = std::env::temp_dir().join(format!("netkit-hostile-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(OsStr::from_bytes(b"\xff\x1b[2J \n-.pcap"));
    let mut file = File::new();
    file.udp(client(0), server(), &[0]);
    let mut file = file.done();
    file.truncate(file.len() - 1);
    std::fs::write(&path, file).expect("written");
    let done = crate::common::netkit(&["decode"]).arg(&path).output().expect("runs");
    assert_eq!(done.status.code(), Some(3));
    harness::harmless("stderr", &done.stderr);
    assert!(text(&done.stderr).contains("truncated"), "{}", text(&done.stderr));
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn time_stamps_that_run_backwards() {
    let mut file = File::new();
    for k in 0..40u8 {
        let (a, b) = if k % 2 == 0 { (client(0), server()) } else { (server(), client(0)) };
        // Riptide 2.0: reliable messages and their acknowledgements, heartbeats.
        file.udp(a, b, &[[2, k, 0, 1, 0, 9], [1, k, 0, 0, 0, 0], [5, k, 1, 0, 0, 0]][k as usize % 3]);
    }
    let mut file = file.done();
    let record = 16 + 14 + 20 + 8 + 6;
    for (k, at) in (24..file.len()).step_by(record).enumerate() {
        set_seconds(&mut file, at, [u32::MAX, 0, 1_700_000_000, 5][k % 4]);
    }
    for proto in ["riptide", "dnp", "acknex"] {
        assert_eq!(harness::capture(&file, Some(proto)).0, 40);
        let done = netkit(&["decode", "-", "-p", proto, "-v"], &file);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    }
    assert!(harness::capture(&file, Some("riptide")).1 >= 40);
}

use std::net::SocketAddr;

/// One byte a segment: the work for each byte must not grow with the number of waiting bytes.
#[test]
fn streams_of_single_bytes() {
    let stream = |bytes: &[u8]| {
        let mut file = File::new();
        file.syn(client(0), server(), 0);
        file.syn(server(), client(0), 0);
        for (k, byte) in bytes.iter().enumerate() {
            file.tcp(client(0), server(), 1 + k as u32, &[*byte]);
        }
        file.done()
    };
    let mut head = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n".to_vec();
    head.extend(b"X: y\r\n".repeat(10_000));
    let mut body = head.clone();
    body.extend(b"Content-Length: 100000\r\n\r\n");
    body.extend([b'b'; 60_000]);
    let mut fragments = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n".to_vec();
    fragments.extend([0x02, 1, 4]);
    fragments.extend([0x00, 1, 0xff].repeat(30_000));
    let mut package = vec![4, 0x7f, 0xff, 0xff];
    package.extend([b'p'; 100_000]);
    for (what, proto, bytes) in [
        ("a head without end", "nano", head),
        ("a body", "nano", body),
        ("fragments", "nano", fragments),
        ("a package", "nano", package.clone()),
        ("a Riptide message", "riptide", [&[0xff, 0xff, 0xff, 0][..], &package].concat()),
        ("no frame", "gne", vec![b'N'; 100_000]),
        ("half a header", "gne", b"NL".repeat(50_000)),
    ] {
        soon(what, || {
            let done = netkit_in(200, &["decode", "-q", "-f", "summary", "-p", proto, "-"], &stream(&bytes));
            assert_eq!(done.status.code(), Some(0), "{what}: {}", text(&done.stderr));
        });
    }
}
