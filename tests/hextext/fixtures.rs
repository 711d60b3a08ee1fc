//! Every form as tools print it: the fixtures are output of xxd, hexdump, od, tcpdump and Python's repr; those of
//! Wireshark imitate its layout.

use super::forms::{WELCOME, bytes, one};
use super::{Message, read};
use netkit::capture::LinkType;
use netkit::capture::hextext::Form::*;

const RELIABLE: &str = "070200c800c6c10100d2fc183c251939ad7a238a563ec47862e03797f1cf52bb3afd375c\
    1e001cc1c500000082b08318c1176669726520d09fd180d0b8d0b2d0b5d18220737061776e";

/// The message of 112 bytes in the `*` fixtures.
fn zeros() -> Vec<u8> {
    let mut all = bytes("070200c800c6c1");
    all.resize(107, 0);
    all.extend_from_slice(b"spawn");
    all
}

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../fixtures/hex/", $name, ".txt"))
    };
}

#[test]
fn fixtures_of_one_message() {
    let reliable = bytes(RELIABLE);
    for (form, text) in [
        (Plain, fixture!("spaced")),
        (Plain, fixture!("colons")),
        (HexList, fixture!("list")),
        (Array, fixture!("xxd-i")),
        (Array, fixture!("rust")),
        (Escaped, fixture!("escapes")),
        (Escaped, fixture!("python")),
        (Xxd, fixture!("xxd")),
        (Xxd, fixture!("xxd-c32")),
        (Xxd, fixture!("xxd-g1")),
        (Xxd, fixture!("xxd-g4")),
        (Xxd, fixture!("xxd-d")),
        (Hexdump, fixture!("hexdump")),
        (Od, fixture!("od-x")),
    ] {
        one(form, text, &reliable);
        one(form, &text.replace('\n', "\r\n"), &reliable);
        one(form, &format!("\u{feff}{}", text.trim_end()), &reliable);
    }
    for (form, text) in [
        (Xxd, fixture!("xxd-a")),
        (Hexdump, fixture!("hexdump-star")),
        (Od, fixture!("od-octal")),
        (Od, fixture!("od-decimal")),
    ] {
        one(form, text, &zeros());
    }
}

#[test]
fn fixtures_of_several_messages() {
    let of = |form, text: &str, messages: &[(usize, Option<LinkType>, &str)]| {
        let expected: Vec<Message> =
            messages.iter().map(|(line, link, hex)| (form, *link, *line, bytes(hex))).collect();
        let found = read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(found, expected, "{text}");
    };
    of(Plain, fixture!("plain"), &[(2, None, WELCOME), (4, None, RELIABLE)]);
    let c = fixture!("wireshark-c");
    of(Array, c, &[(1, None, WELCOME), (3, None, RELIABLE)]);

    let first = "450000211234000040116a967f0000017f0000011e61c351000d00000801000100";
    let second = format!("450000651235000040116a517f0000017f0000011e61c35100510000{RELIABLE}");
    let ethernet = "0000000000000000000000000800";
    let framed = [first, &second].map(|ip| format!("{ethernet}{ip}"));
    let (ip, link) = (Some(LinkType::RAW), Some(LinkType::ETHERNET));
    of(Tcpdump, fixture!("tcpdump-x"), &[(1, ip, first), (5, ip, &second)]);
    of(Tcpdump, fixture!("tcpdump-text"), &[(1, ip, first), (5, ip, &second)]);
    of(Tcpdump, fixture!("tcpdump-v-text"), &[(1, ip, first), (6, ip, &second)]);
    of(Tcpdump, fixture!("tcpdump-link"), &[(1, link, &framed[0]), (5, link, &framed[1])]);
    of(Tcpdump, fixture!("tcpdump-link-text"), &[(1, link, &framed[0]), (5, link, &framed[1])]);
    let bare: String =
        fixture!("tcpdump-text").lines().filter(|l| l.starts_with('\t')).map(|l| format!("{l}\n")).collect();
    of(Tcpdump, &bare, &[(1, ip, first), (4, ip, &second)]);

    let parts = [(1, None, &*framed[0]), (5, None, RELIABLE), (10, None, RELIABLE)];
    of(Wireshark, fixture!("wireshark"), &parts);
    let twice = format!("{0}{0}", fixture!("hexdump"));
    of(Hexdump, &twice, &[(1, None, RELIABLE), (7, None, RELIABLE)]);
    let twice = format!("{0}{0}", fixture!("xxd"));
    of(Xxd, &twice, &[(1, None, RELIABLE), (6, None, RELIABLE)]);
}
