//! Protocols of files at ports without a meaning, whole and from their middle: the messages that are recognised, compared
//! with those that `-p` finds.

use super::captured::{Cut, other_ports, packets, read_file};
use super::common::{ends_in, entries, fixture};
use netkit::dissect::Options;
use std::collections::BTreeSet;

/// The cuts: whole, from 30 %, from 50 %.
const CUTS: [Cut; 3] = [Cut::Whole, Cut::From(30), Cut::From(50)];

/// Captures by their file: the least messages recognised in each cut, of those that `-p` finds.
const LEAST: [(&str, &str, [usize; 3]); 18] = [
    ("mqtt", "mqtt", [31, 22, 11]),
    ("ntp", "ntp", [24, 17, 12]),
    ("raknet", "raknet", [133, 95, 67]),
    ("a2s", "a2s", [25, 18, 13]),
    ("coap", "coap", [48, 34, 24]),
    ("dht", "dht", [96, 68, 48]),
    ("enet", "enet", [101, 69, 48]),
    ("enet-loss", "enet", [118, 88, 57]),
    ("io-tcp", "io", [30, 25, 17]),
    ("irc", "irc", [77, 31, 22]),
    ("kcp", "kcp", [46, 37, 21]),
    ("laminar", "laminar", [83, 59, 42]),
    ("luanti", "luanti", [219, 154, 110]),
    ("msgpack-rpc", "msgpack-rpc", [64, 44, 29]),
    ("nbt", "nbt", [50, 35, 25]),
    ("quake3", "quake3", [11, 8, 6]),
    ("stun", "stun", [4, 3, 2]),
    // In four of its six conversations the answer has another time as its origin.
    ("ntp-ext", "ntp", [4, 0, 0]),
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
    for (capture, file, least) in LEAST {
        let all = other_ports(&packets(&fixture(&format!("described/{capture}.pcap"))));
        let plain = options(std::iter::once(file));
        let mut forced = options(std::iter::once(file));
        forced.proto = Some(file.into());
        for (cut, least) in CUTS.into_iter().zip(least) {
            let rest = cut.of(&all, &|_| false);
            let count = |options| read_file(&rest, options).0.iter().filter(|line| line.proto == file).count();
            let (found, wanted) = (count(&plain), count(&forced));
            println!("{capture} {cut:?}: {found} of {wanted}");
            if found < least || found > wanted {
                failures.push(format!("{capture} {cut:?}: {found} of {wanted}, at least {least}"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
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
