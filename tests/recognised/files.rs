//! Protocols of files at ports without a meaning, whole and from their middle: the messages that are recognised, compared
//! with those that `-p` finds.

use super::captured::{Cut, Kept, Line, other_ports, packets, read, read_file};
use crate::common::{ends_in, entries, fixture};
use netkit::dissect::Options;
use std::collections::BTreeSet;

/// The cuts: whole, from 30 %, from 50 %.
const CUTS: [Cut; 3] = [Cut::Whole, Cut::From(30), Cut::From(50)];

/// Captures by their file, and the files beside it: the least messages recognised in each cut, of those that `-p` finds,
/// when the file is scanned as a whole before a line is printed, and when packets are read as they arrive.
type Least = (&'static str, &'static str, [usize; 3], [usize; 3]);
const LEAST: [Least; 23] = [
    ("mqtt", "mqtt", [31, 22, 11], [31, 22, 11]),
    ("ntp", "ntp", [24, 17, 12], [24, 17, 12]),
    ("raknet", "raknet", [133, 95, 67], [133, 95, 67]),
    ("a2s", "a2s", [25, 18, 13], [25, 18, 13]),
    ("coap", "coap", [48, 34, 24], [48, 34, 24]),
    ("dht", "dht", [96, 68, 48], [96, 68, 48]),
    ("dns", "dns", [30, 16, 7], [30, 16, 7]),
    ("enet", "enet", [101, 69, 48], [101, 69, 48]),
    ("enet-game", "enet enet-game", [90, 62, 44], [90, 62, 44]),
    ("enet-loss", "enet", [118, 88, 57], [118, 88, 57]),
    ("io-tcp", "io", [30, 25, 17], [30, 25, 17]),
    ("irc", "irc", [77, 31, 22], [77, 31, 22]),
    ("kcp", "kcp", [46, 37, 21], [46, 37, 21]),
    ("laminar", "laminar", [83, 59, 42], [83, 59, 42]),
    ("luanti", "luanti", [219, 154, 110], [219, 154, 110]),
    ("minecraft-login", "minecraft", [18, 14, 10], [18, 14, 10]),
    ("msgpack-rpc", "msgpack-rpc", [64, 44, 29], [64, 44, 29]),
    ("nbt", "nbt", [50, 35, 25], [50, 35, 25]),
    ("quake3", "quake3", [11, 8, 6], [11, 8, 6]),
    ("stun", "stun", [4, 3, 2], [4, 3, 2]),
    ("stun-tcp", "stun", [12, 8, 6], [12, 8, 6]),
    ("webrtc", "stun dtls rtcp rtp", [312, 210, 150], [312, 210, 150]),
    ("ntp-ext", "ntp", [12, 9, 6], [12, 9, 6]),
];

/// The options with these files.
fn options<'a>(files: impl Iterator<Item = &'a str>) -> Options {
    let mut registry = netkit::protocols::registry();
    for name in files {
        let text = std::fs::read_to_string(fixture(&format!("protocols/{name}.toml"))).expect("a file");
        // Some describe what another file's packets carry.
        if let Ok(described) = netkit::protocols::described::load("test.toml", &text) {
            registry = registry.with(described);
        }
    }
    Options::new(registry)
}

#[test]
fn from_the_middle_at_other_ports() {
    let mut failures = Vec::new();
    for (capture, files, least, live) in LEAST {
        let all = other_ports(&packets(&fixture(&format!("described/{capture}.pcap"))));
        let plain = options(files.split(' '));
        let mut forced = options(files.split(' '));
        forced.proto = files.split(' ').next().map(Into::into);
        for (cut, least) in CUTS.into_iter().zip(least.into_iter().zip(live)) {
            let rest = cut.of(&all, &|_| false);
            let ours = |lines: Vec<Line>| lines.iter().filter(|line| files.split(' ').any(|f| f == line.proto)).count();
            let (found, wanted) = (ours(read_file(&rest, &plain).0), ours(read_file(&rest, &forced).0));
            let live = ours(read(&rest, &plain).0.lines);
            println!("{capture} {cut:?}: {found} of {wanted}, live {live}");
            if found < least.0 || live < least.1 || found.max(live) > wanted {
                failures.push(format!("{capture} {cut:?}: {found} of {wanted}, live {live}, at least {least:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The middle of a capture, changed, gives no message: the changed fields hold the evidence.
fn nothing_without(capture: &str, files: &str, change: fn(&mut Kept)) {
    let mut rest = Cut::From(30).of(&other_ports(&packets(&fixture(&format!("described/{capture}.pcap")))), &|_| false);
    // A record of DTLS is evidence enough.
    rest.retain(|kept| kept.payload.get(1..3) != Some(&[0xfe, 0xfd]));
    let plain = options(files.split(' '));
    assert!(!read_file(&rest, &plain).0.is_empty(), "{capture}");
    rest.iter_mut().for_each(change);
    assert_eq!(read_file(&rest, &plain).0.len(), 0, "{capture}");
}

/// Times in messages are evidence only if the capture has a clock, and only within a day of it.
#[test]
fn times_agree_with_the_capture() {
    nothing_without("ntp-ext", "ntp", |kept| kept.time.secs += 2 * 86_400);
    nothing_without("ntp-ext", "ntp", |kept| kept.time.secs %= 86_400);
}

/// Numbers that count up need a key: a source of RTP that is the same in all packets, and more than a small number.
#[test]
fn numbers_have_a_key() {
    fn sources(kept: &mut Kept, source: [u8; 4]) {
        // Short reports of RTCP have none.
        if let ([0x80..=0xbf, ..], 12..) = (&kept.payload[..], kept.payload.len()) {
            kept.payload[8..12].copy_from_slice(&source);
        }
    }
    nothing_without("webrtc", "rtcp rtp", |kept| sources(kept, [0, 0, 0, 7]));
    nothing_without("webrtc", "rtcp rtp", |kept| {
        sources(kept, (kept.frame as u32).wrapping_mul(0x9e37_79b1).to_be_bytes())
    });
}

/// With all files loaded, foreign traffic is claimed by the file that describes it, or by nobody.
#[test]
fn foreign_captures() {
    let names: Vec<String> = entries(&fixture("protocols"))
        .iter()
        .filter(|path| ends_in(path, "toml"))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    let options = options(names.iter().map(String::as_str));
    let mut checked = 0;
    for path in entries(&fixture("foreign")).iter().filter(|path| ends_in(path, "pcap")) {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let own: &[&str] = match &name[..] {
            "foreign-dtls_app_data" => &["dtls"],
            "foreign-kcp_push_conv_0x20" => &["kcp"],
            "foreign-quake_oob" => &["quake3"],
            // Messages of these, each at its own port.
            "foreign" => &["dns", "mqtt", "ntp"],
            _ => &[],
        };
        let claimed: BTreeSet<&str> = read_file(&packets(path), &options).0.iter().map(|line| line.proto).collect();
        assert_eq!(claimed.into_iter().collect::<Vec<_>>(), own, "{name}");
        checked += 1;
    }
    assert!(checked > 30, "{checked}");
}
