//! Hidden numbers whose content may be absent: where encode would write another number, it is shown.

use crate::common::Random;
use crate::described::generated::{bytes_of, gives_back};
use netkit::codec::schema::Schemas;
use netkit::dissect::{Options, Role};
use netkit::protocols::described::load;

/// The fields of a packet. A hidden number is called `hid..`. `shown`: some packets show it; the others never do.
const FILES: &[(&str, bool)] = &[
    (
        "k = \"u8\"\nhid = { type = \"u8\", hidden = true }\na = { type = \"bytes\", size = \"hid\", if = \"k == 1\" }",
        true,
    ),
    (
        "k = \"u8\"\nhid = { type = \"u8\", hidden = true, if = \"k == 1\" }\na = { type = \"bytes\", size = \"hid\", if = \"k == 1\" }",
        false,
    ),
    ("hid = { type = \"u8\", hidden = true }\na = { type = \"bytes\", size = \"hid\" }", false),
    // Whether a constant is present follows from a length after it.
    (
        "hid = { type = \"u8\", hidden = true }\ny = { type = \"u8\", value = 1, hidden = true, if = \"hid & 1\" }\na = { type = \"bytes\", size = \"hid\" }",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\ny = { type = \"u8\", value = 1, hidden = true, if = \"hid > 1\" }\na = { type = \"bytes\", size = \"hid\" }",
        true,
    ),
    // The same of a number with a condition, of named fields, and of bits that only hidden fields ask for.
    (
        "k = \"u8\"\nhid = { type = \"u8\", hidden = true, if = \"k & 2\" }\nd = { type = \"bytes\", size = \"hid\" }\na = { type = \"u8\", if = \"hid & 1\" }",
        true,
    ),
    (
        "k = \"u8\"\nhid = { type = \"u8\", hidden = true, if = \"k & 2\" }\na = { type = \"bytes\", size = \"hid\", if = \"hid & 3\" }",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\nb = { type = \"u8\", if = \"not hid\" }\na = { type = \"bytes\", size = \"hid\" }",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\na = { type = \"bytes\", size = \"hid\", if = \"hid < 2\" }\nb = { type = \"bytes\", size = \"hid\", if = \"hid > 1\" }",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\nx = { type = \"u8\", if = \"hid & 3\" }\ny = { type = \"u8\", if = \"hid & 2\" }\nd = { type = \"bytes\", size = \"hid\" }",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\nx = { type = \"u8\", if = \"hid\" }\ny = { type = \"u8\", if = \"hid & 1\" }\nd = { type = \"bytes\", size = \"hid\" }",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\nn = { type = \"u8\", hidden = true, if = \"hid & 1\" }\nd = { type = \"bytes\", size = \"n\", if = \"hid & 1\" }",
        true,
    ),
    (
        "f = { type = \"u8\", bits = { hid = { at = 0, hidden = true }, x = \"7..1\" } }\nn = { type = \"u8\", hidden = true, if = \"hid\" }\nd = { type = \"bytes\", size = \"n\", if = \"hid\" }",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\nm = { type = \"u8\", value = 1, hidden = true, if = \"hid & 2\" }\nz = \"u8\"",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\nm = { type = \"u8\", value = 1, hidden = true, if = \"hid & 2\" }\nz = { type = \"u8\", if = \"hid & 2\" }",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\ns = \"s\"\n[struct.s]\nn = { type = \"u8\", hidden = true, if = \"hid & 2\" }\nd = { type = \"bytes\", size = \"n\", if = \"hid & 2\" }",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\ns = \"s\"\nz = \"u8\"\n[struct.s]\nm = { type = \"u8\", value = 1, hidden = true, if = \"hid & 2\" }",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\na = { type = \"text\", size = \"hid\", if = \"hid < 2\" }\nd = \"s\"\n[struct.s]\nd1 = { type = \"u8[hid]\", if = \"hid & 2\" }",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\na = { type = \"bytes\", size = { type = \"hid\", plus = 1 }, if = \"hid > 1\" }",
        true,
    ),
    // Content and views give the number back, whatever else asks for its bits.
    ("hid = { type = \"u8\", hidden = true }\na = { type = \"bytes\", size = \"hid\", if = \"hid\" }", false),
    (
        "hid = { type = \"u8\", hidden = true }\na = { type = \"bytes\", size = \"hid\" }\nb = { type = \"u8\", if = \"hid & 1\" }",
        false,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\nv = { of = \"hid\", bits = { va = \"7..0\" } }\nb = { type = \"u8\", if = \"hid & 1\" }",
        false,
    ),
    (
        "k = \"u8\"\nhid = { type = \"u8\", hidden = true }\na = { type = \"bytes\", size = \"hid\", if = \"k == 1\" }\nb = { type = \"u8[hid]\", if = \"k != 1\" }",
        false,
    ),
    ("k = \"u8\"\nhid = { type = \"varint\", hidden = true }\na = { type = \"u16[hid]\", if = \"k & 1\" }", true),
    (
        "k = \"u8\"\nhid = { type = \"u8\", hidden = true }\ns = { type = \"s\", if = \"k < 2\" }\n[struct.s]\na = { type = \"text\", size = \"hid\" }",
        true,
    ),
    (
        "s = \"s[2]\"\n[struct.s]\nk = \"u8\"\nhid = { type = \"u8\", hidden = true }\na = { type = \"u8[hid]\", if = \"k & 1\" }",
        true,
    ),
    (
        "s = \"s[u8]\"\nz = \"u8\"\n[struct.s]\nk = \"u8\"\nhid = { type = \"u16\", hidden = true }\na = { type = \"bytes\", size = \"hid\", if = \"k & 1\" }",
        true,
    ),
    (
        "h = \"h\"\na = { type = \"bytes\", size = \"h.hid\", if = \"h.k == 1\" }\n[struct.h]\nk = \"u8\"\nhid = { type = \"u8\", hidden = true }",
        true,
    ),
    (
        "h = { type = \"h\", inline = true }\na = { type = \"bytes\", size = \"hid\", if = \"k == 1\" }\n[struct.h]\nk = \"u8\"\nhid = { type = \"u8\", hidden = true }",
        true,
    ),
    (
        "n = \"u8\"\nhid = { type = \"u8\", hidden = true }\nl = \"s[n]\"\n[struct.s]\na = { type = \"u8[hid]\" }\nb = \"u8\"",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\ns = \"s\"\nz = \"u8\"\n[struct.s]\na = { type = \"u8\", if = \"hid & 1\" }\nb = { type = \"u8\", if = \"hid & 4\" }",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\ns = \"s\"\nz = \"u8\"\n[struct.s]\na = { type = \"u8\", if = \"hid\" }",
        true,
    ),
    ("hid = { type = \"u8\", hidden = true }\na = { type = \"u8\", if = \"hid\" }\nz = \"u8\"", true),
    ("hid = { type = \"bool\", hidden = true }\na = { type = \"u8\", if = \"hid\" }\nz = \"u8\"", true),
    (
        "h = { type = \"u8\", bits = { hid = { at = \"7..4\", hidden = true }, k = \"3..0\" } }\na = { type = \"bytes\", size = \"hid\", if = \"k & 1\" }",
        true,
    ),
    (
        "k = \"u8\"\nhid = { type = \"u8\", hidden = true }\nv = { of = \"hid\", bits = { va = \"7..4\", vb = \"3..0\" }, if = \"k == 1\" }",
        true,
    ),
    (
        "k = \"u8\"\nhid = { type = \"u8\", hidden = true }\nv = { of = \"hid\", bits = { va = \"7..4\", vb = \"3..0\" } }",
        false,
    ),
    (
        "k = \"u8\"\nhid = { type = \"text\", until = \";\", number = { text = \"dec\" }, hidden = true }\na = { type = \"bytes\", size = \"hid\", if = \"k & 1\" }",
        true,
    ),
    (
        "k = \"u8\"\nhid = { type = \"u8\", hidden = true }\na = { type = \"bytes\", size = { type = \"hid\", scale = 2 }, if = \"k & 1\" }",
        true,
    ),
    (
        "k = \"u8\"\nhid = { type = \"u8\", hidden = true }\na = { type = \"bytes\", size = { type = \"hid\", plus = 1 }, optional = true }",
        false,
    ),
    (
        "k = \"u8\"\nhid = { type = \"u8\", hidden = true }\na = { of = \"hid\", type = \"u8\", 13 = \"u16\", if = \"k & 1\" }",
        true,
    ),
    ("k = \"u8\"\nhid = { type = \"i8\", hidden = true }\na = { type = \"u8[hid]\" }", false),
    ("k = \"u8\"\nhid = { type = \"zigzag\", hidden = true }\na = { type = \"bytes\", size = \"hid\" }", true),
    (
        "k = \"u8\"\nhid = { type = \"u8\", hidden = true }\na = { type = \"bytes\", size = \"hid\" }\nb = { type = \"bytes\", size = \"hid\", if = \"k & 1\" }",
        false,
    ),
    (
        "k = \"u8\"\nhid = { type = \"u8\", hidden = true }\na = { type = \"e[hid]\" }\n[struct.e]\nx = { type = \"u8\", if = \"k & 1\" }",
        false,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\nm = { type = \"message\", by = \"u8\" }\n[[message]]\nname = \"one\"\nid = 1\nif = \"hid == 3\"\n[message.fields]\na = \"u8\"\n[[message]]\nname = \"two\"\nid = 2\n[message.fields]\na = \"u8\"",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\nm = { type = \"message\", by = \"hid\" }\n[[message]]\nname = \"one\"\nid = 1\n[message.fields]\na = \"u8\"\n[[message]]\nname = \"two\"\nid = 2\n[message.fields]\na = { type = \"bytes\" }",
        true,
    ),
    (
        "k = \"u8\"\nhid = { type = \"u8\", hidden = true }\nm = { type = \"message\", by = \"hid\", if = \"k & 1\" }\n[[message]]\nname = \"one\"\nid = 1\n[message.fields]\na = \"u8\"\n[[message]]\nname = \"two\"\nid = 2\n[message.fields]\na = \"u8\"",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\nm = { type = \"message\", by = \"u8\" }\n[[message]]\nname = \"one\"\nid = 1\n[message.fields]\na = { type = \"bytes\", size = \"hid\" }\n[[message]]\nname = \"two\"\nid = 2\n[message.fields]\na = \"u8\"",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\nm = { type = \"message\", by = \"hid\" }\n[[message]]\nname = \"one\"\nid = [1, 2]\n[message.fields]\na = { type = \"bytes\", size = \"hid\" }\n[[message]]\nname = \"two\"\nid = 4\n[message.fields]\na = \"u8\"",
        true,
    ),
    (
        "l = \"s[*]\"\n[struct.s]\nhid = { type = \"u8\", hidden = true }\nk = \"u8\"\nm = { type = \"message\", by = \"u8\", size = \"hid\", if = \"k & 1\" }\n[[message]]\nname = \"one\"\nid = 1\n[message.fields]\na = \"u8\"",
        true,
    ),
    (
        "l = \"s[*]\"\n[struct.s]\nhid = { type = \"u8\", hidden = true }\nm = { type = \"message\", by = \"hid\" }\n[[message]]\nname = \"one\"\nid = 1\n[message.fields]\na = \"u8\"\n[[message]]\nname = \"two\"\nid = 2\n[message.fields]\na = \"u16\"",
        true,
    ),
    (
        "r = \"r\"\nz = \"u8\"\n[struct.r]\nk = \"u8\"\nhid = { type = \"u8\", hidden = true }\na = { type = \"u8[hid]\", if = \"k & 2\" }\nown = { type = \"r\", if = \"k & 1\" }",
        true,
    ),
    (
        "all = { type = \"u8\", hidden = true }\nv = { of = \"all\", bits = { k = \"7..4\", hid = { at = \"3..0\", hidden = true } } }\na = { type = \"text\", size = \"hid\" }",
        false,
    ),
    (
        "all = { type = \"u8\", hidden = true }\nv = { of = \"all\", bits = { k = \"7..4\", hid = { at = \"3..0\", hidden = true } } }\na = { type = \"u8[hid]\", if = \"k & 1\" }\nz = \"u8\"",
        true,
    ),
    (
        "l = \"s[*]\"\n[struct.s]\nall = { type = \"u16le\", hidden = true }\nv = { of = \"all\", bits = { hid = { at = \"15..8\", hidden = true }, k = \"7..0\" } }\na = { type = \"u8\", if = \"hid & 1\" }\nb = { type = \"u8\", if = \"hid & 4\" }",
        true,
    ),
    (
        "all = { type = \"u8\", hidden = true }\nv = { of = \"all\", bits = { k = \"7..4\", hid = { at = \"3..0\", hidden = true } } }\nw = { of = \"all\", bits = { same = \"6..1\" } }\na = { type = \"text\", size = \"hid\" }",
        false,
    ),
    (
        "k = \"u8\"\nall = { type = \"u8\", hidden = true }\nv = { of = \"all\", bits = { x = \"7..4\", hid = { at = \"3..0\", hidden = true } } }\nw = { of = \"hid\", bits = { y = \"3..2\", low = { at = \"1..0\", hidden = true } } }\na = { type = \"text\", size = \"low\" }",
        false,
    ),
    (
        "h = { type = \"u8\", bits = { k = \"7..6\", hid = { at = \"5..0\", hidden = true, signed = true } } }\nv = { of = \"hid\", bits = { x = \"5..3\", low = { at = \"2..0\", hidden = true } } }\na = { type = \"text\", size = \"low\" }",
        false,
    ),
    (
        "all = { type = \"u8\", hidden = true }\nv = { of = \"all\", bits = { hid = { at = \"7..4\", hidden = true }, x = \"3..0\" } }\nm = { type = \"message\", by = \"hid\" }\n[[message]]\nname = \"one\"\nid = 0\n[message.fields]\na = \"u8\"\n[[message]]\nname = \"two\"\nid = 2\n[message.fields]\na = \"u16\"",
        true,
    ),
    (
        "all = { type = \"u8\", hidden = true }\nv = { of = \"all\", bits = { hid = { at = \"7..4\", signed = true, hidden = true }, x = \"3..0\" } }\nm = { type = \"message\", by = \"u8\" }\n[[message]]\nname = \"one\"\nid = 0\nif = \"hid == -1\"\n[message.fields]\na = \"u8\"\n[[message]]\nname = \"two\"\nid = 2\n[message.fields]\na = \"u8\"",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\nv = { of = \"hid\", bits = { va = \"7..0\" }, if = \"hid < 128\" }\nw = { of = \"hid\", bits = { wa = \"7..0\" }, if = \"hid >= 128\" }",
        true,
    ),
    (
        "hid = { type = \"u8\", hidden = true }\nv = { of = \"hid\", bits = { va = \"7..6\" } }\ns = { type = \"s\", if = \"hid in 2, 64..70\" }\n[struct.s]\nw = { of = \"hid\", bits = { wa = \"5..0\" } }",
        true,
    ),
    ("hid = { type = \"u8\", hidden = true }\na = { type = \"text\", size = \"hid\", if = \"hid > 2\" }", true),
    (
        "hid = { type = \"u8\", hidden = true }\na = { type = \"text\", size = \"hid\", if = \"hid < 3\" }\nz = \"bytes\"",
        true,
    ),
    ("k = \"u8\"\nhid = { type = \"text\", until = \";\", hidden = true }\nz = \"u8\"", true),
    (
        "hid = { type = \"cstring\", hidden = true }\nm = { type = \"message\", by = \"hid\" }\n[[message]]\nname = \"one\"\nid = \"\\u0001\"\n[message.fields]\na = \"u8\"",
        true,
    ),
];

#[test]
fn hidden_numbers_that_encode_would_lose_are_shown() {
    let (mut random, mut wrong) = (Random(3), Vec::new());
    for (fields, shown) in FILES {
        let text = format!("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n{fields}\n");
        let described = match load("test.toml", &text) {
            Ok(described) => described,
            Err(why) => panic!("{why}\n{text}"),
        };
        // All packets of up to two bytes, then random ones of small numbers.
        let short = (0..=255).map(|a| vec![a]).chain((0..=255u8).flat_map(|a| (0..=255).map(move |b| vec![a, b])));
        let mut packets: Vec<Vec<u8>> = short.step_by(41).collect();
        for _ in 0..1200 {
            let length = 1 + random.below(9);
            let small = |random: &mut Random| {
                if random.below(5) == 0 { *random.one(b";\0\xff10\x80") } else { random.below(5) as u8 }
            };
            packets.push((0..length).map(|_| small(&mut random)).collect());
        }
        let found = gives_back(described, packets.into_iter(), &text);
        if (found > 0) != *shown {
            wrong.push(format!("{found} lines show it:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Over a built-in protocol, too: whole payloads and broken ones, which show their hidden numbers.
#[test]
fn hidden_numbers_of_payloads_are_shown() {
    let (mut random, mut loaded, mut shown) = (Random(4), 0, 0);
    let encodings = |name: &str| netkit::protocols::by_name(name).map(|d| d.encodings()).filter(|e| !e.is_empty());
    for (carrier, head) in [("riptide", &b"\0\x07\0"[..]), ("dnp.reliable_message", b"\x04\0\0\x07")] {
        let described = netkit::protocols::by_name(carrier.split('.').next().unwrap()).unwrap();
        for (fields, _) in FILES {
            let text = format!(
                "protocol = \"toy\"\nencoding = \"be\"\n[over]\nprotocol = \"{carrier}\"\n[[message]]\nid = 7\nname = \"m\"\n[message.fields]\n{fields}\n"
            );
            let mut schemas = Schemas::default();
            // Some files have messages of their own, which payloads have not.
            if schemas.add("toy.toml", &text, &encodings).is_err() {
                continue;
            }
            loaded += 1;
            let mut options = Options::new(netkit::protocols::registry());
            (options.schemas, options.from) = (schemas.into(), Some(Role::Client));
            options.set("riptide.version=2.0").unwrap();
            for _ in 0..300 {
                let payload = (0..random.below(9))
                    .map(|_| if random.below(5) == 0 { *random.one(b";\0\xff10\x80") } else { random.below(5) as u8 });
                let packet: Vec<u8> = head.iter().copied().chain(payload).collect();
                let (lines, written) = bytes_of(described, &packet, &options);
                assert_eq!(written, hex::encode(&packet), "{lines:?}\n{text}");
                shown += usize::from(lines.iter().any(|line| line.contains("\"hid\"")));
            }
        }
    }
    assert!(loaded > 40 && shown > 1000, "{loaded} schemas, {shown} packets");
}
