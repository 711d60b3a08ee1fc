//! Packets that the capture cut: what goes on to the end of the packet is not taken for whole.

use crate::common::{Scratch, Wire};
use crate::described::run;
use crate::described::words::encoded;
use netkit::codec::{Reader, Tree};
use netkit::dissect::Dissector;
use netkit::protocols::described::load;
use serde_json::json;

#[test]
fn what_goes_on_to_the_end_is_not_whole() {
    for fields in [
        "a = \"u16[*]\"",
        "a = { type = \"u16[*]\", until = 255, or_end = true }",
        "a = { type = \"text\", until = \";\", or_end = true }",
        "a = { type = \"bytes\", xor = 7 }",
        "a = { type = \"bytes\", compressed = \"zlib\" }",
        "a = \"p\"\n[struct.p]\nx = { type = \"uint32\", tag = 1 }",
    ] {
        let file = format!("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n{fields}\n");
        let toy = load("test.toml", &file).unwrap_or_else(|why| panic!("{why}\n{file}"));
        let table = toy.facts().tables[0].layouts.iter().find(|layout| layout.name == "packet").unwrap();
        // The two bytes are a number, a text, or a protobuf field. Of the cut packet two more were on the wire.
        for wire in [2, 4] {
            let mut tree = Tree::default();
            let outcome = Reader::new(b"\x08\x01", &mut tree).wire_length(wire).read(table.fields);
            let is_cut = outcome.fault().is_some_and(|fault| fault.is_cut());
            assert_eq!(is_cut, wire == 4, "{fields}: {wire} bytes");
        }
    }
}

/// Datagrams that the capture cut in their last list are recognised by what was captured of them.
#[test]
fn cut_packets_are_recognised() {
    let file = "protocol = \"toy\"\nencoding = \"be\"\n[udp]\nports = [7001]\n[packet.fields]\n\
        magic = { type = \"u32\", value = 0x746f7921 }\nlist = \"u16[*]\"\n";
    let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:7001".parse().unwrap()];
    let mut wire = Wire::default();
    (0..5u8).for_each(|n| wire.datagram(ends, n % 2 == 0, &[&b"toy!"[..], &[n; 40]].concat()));
    let folder = Scratch::new("described-snapped-claim");
    let file = folder.write("toy.toml", file);
    // The headers of Ethernet, IPv4 and UDP, the constant, and two numbers.
    for snap in [usize::MAX, 14 + 20 + 8 + 4 + 4] {
        let capture = folder.write("list.pcap", wire.cut(snap));
        let done = run(&["decode", &capture, "--protocol-file", &file, "-f", "ndjson"]);
        let text = String::from_utf8(done.stdout).unwrap();
        let err = String::from_utf8_lossy(&done.stderr);
        assert_eq!(text.matches("\"proto\":\"toy\"").count(), 5, "{snap}: {text}{err}");
    }
}

/// A checksum of bytes that the capture lacks is not called wrong, also in a region that is whole.
#[test]
fn checksums_of_missing_bytes_are_not_compared() {
    let file = "protocol = \"toy\"\nencoding = \"be\"\n[udp]\nports = [7001]\n[packet.fields]\n\
        head = { type = \"head\", size = 4 }\nrest = \"bytes\"\n[struct.head]\nkind = \"u16\"\n\
        sum = { type = \"crc16\", over = \"after\" }\n";
    let packet = encoded(file, &json!({"head": {"kind": 1}, "rest": "0102030405060708"})).unwrap();
    let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:7001".parse().unwrap()];
    let mut wire = Wire::default();
    wire.datagram(ends, true, &packet);
    let folder = Scratch::new("described-snapped-sums");
    let file = folder.write("toy.toml", file);
    // The headers of Ethernet, IPv4 and UDP, the region, and three of the eight bytes after it.
    for (snap, is_cut) in [(usize::MAX, false), (14 + 20 + 8 + 4 + 3, true)] {
        let capture = folder.write("sums.pcap", wire.cut(snap));
        let done = run(&["decode", &capture, "-p", &file, "-f", "ndjson"]);
        let text = String::from_utf8(done.stdout).unwrap();
        assert!(text.contains("\"kind\":1"), "{text}{}", String::from_utf8_lossy(&done.stderr));
        assert_eq!((text.contains("\"fault\""), text.contains("toy.checksum")), (is_cut, false), "{text}");
    }
}
