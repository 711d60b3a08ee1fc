//! The frames of the annotated copy equal those of the capture, whatever it is.

use crate::common::*;
use netkit::capture::{Capture, LinkType, PcapNgWriter, PcapWriter, Time};
use std::io::Cursor;
use std::path::Path;

fn pcapng(path: &Path, more: &[&str]) -> Vec<u8> {
    let path = path.display().to_string();
    let args = [&["decode", &path, "-f", "pcapng", "-q"], more].concat();
    run(&args, b"").ok().out
}

/// Number, link type, time, bytes and length of every frame.
fn frames(file: &[u8]) -> Vec<(u64, LinkType, Time, Vec<u8>, usize)> {
    let mut capture = Capture::open(Box::new(Cursor::new(file.to_vec()))).expect("a capture");
    let mut list = Vec::new();
    while let Some(frame) = capture.next().expect("a frame") {
        list.push((frame.number, frame.link, frame.time, frame.data.to_vec(), frame.length));
    }
    list
}

#[test]
fn frames_stay_and_a_second_run_changes_nothing() {
    let folder = Scratch::new("wireshark-copies");
    let layers = entries(&fixture("capture/layers"));
    let own =
        ["riptide/riptide22-lossy.pcap", "nano/pomelo-ws.pcap", "gne/gne-le-udp-full.pcap", "capture/dnp-frag.pcap"];
    let captures: Vec<_> = own.map(fixture).into_iter().chain(layers).collect();
    let mut captures = captures;
    let mut file = Vec::new();
    let mut writer = PcapWriter::new(&mut file, LinkType::ETHERNET, 9).expect("written");
    let mut packets = Vec::new();
    heartbeat(&mut packets);
    for (k, packet) in packets.iter().enumerate() {
        let time = Time { secs: 1_795_229_852, frac: 123_456_789 + k as u64, digits: 9 };
        writer.record(time, packet, packet.len() + k % 2).expect("written");
    }
    captures.push(folder.write("nanoseconds.pcap", &file).into());
    // A capture without frames.
    let mut file = Vec::new();
    PcapWriter::new(&mut file, LinkType::ETHERNET, 6).expect("written");
    captures.push(folder.write("empty.pcap", &file).into());
    let mut nanoseconds = 0;
    for capture in captures.iter().filter(|path| ends_in(path, "pcap") || ends_in(path, "pcapng")) {
        let args = args_of(capture);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let before = frames(&std::fs::read(capture).expect("a file"));
        for detail in ["tree", "plain"] {
            let more = [&args[..], &["--comments", detail]].concat();
            let once = pcapng(capture, &more);
            assert_eq!(frames(&once), before, "{}", capture.display());
            let again = folder.write("once.pcapng", &once);
            assert!(pcapng(Path::new(&again), &more) == once, "{}: changed", capture.display());
            // From a pipe, too.
            let piped = run(&["decode", "-", "-f", "pcapng", "-q"], &once).ok().out;
            assert_eq!(frames(&piped), before, "{}", capture.display());
        }
        nanoseconds += usize::from(before.iter().any(|(_, _, time, ..)| time.digits == 9));
    }
    assert!(captures.len() > 10 && nanoseconds > 0, "{} {nanoseconds}", captures.len());
}

/// The frames of a capture of Riptide 2.0.
fn heartbeat(frames: &mut Vec<Vec<u8>>) {
    let mut capture =
        Capture::open(Box::new(std::fs::File::open(fixture("riptide/riptide20-udp.pcap")).expect("a file")))
            .expect("a capture");
    while let Some(frame) = capture.next().expect("a frame") {
        frames.push(frame.data.to_vec());
    }
}

fn word(value: u32, big: bool) -> [u8; 4] {
    if big { value.to_be_bytes() } else { value.to_le_bytes() }
}

fn block(kind: u32, body: &[u8], big: bool) -> Vec<u8> {
    let mut body = body.to_vec();
    body.resize(body.len().next_multiple_of(4), 0);
    let length = word(body.len() as u32 + 12, big);
    [&word(kind, big)[..], &length, &body, &length].concat()
}

fn option(code: u16, value: &[u8], big: bool) -> Vec<u8> {
    let halves = [code, value.len() as u16].map(|half| if big { half.to_be_bytes() } else { half.to_le_bytes() });
    let mut bytes = [halves.concat(), value.to_vec()].concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// Everything in pcapng besides frames is kept, byte for byte, in both byte orders: interfaces, names, unknown blocks,
/// other programs' comments and options, sections; also simple and obsolete packets.
#[test]
fn pcapng_keeps_what_it_has() {
    let folder = Scratch::new("wireshark-pcapng");
    let mut packets = Vec::new();
    heartbeat(&mut packets);
    let mut file = Vec::new();
    let mut others = Vec::new();
    for big in [false, true] {
        let header = [
            &word(0x1a2b_3c4d, big)[..],
            &if big { [0, 1, 0, 0] } else { [1, 0, 0, 0] },
            &[0xff; 8],
            &option(4, b"a test", big),
            &option(0, b"", big),
        ]
        .concat();
        let section = block(0x0a0d_0d0a, &header, big);
        // Ethernet (1), picoseconds and an offset.
        let link = if big { [0, 1, 0, 0] } else { [1, 0, 0, 0] };
        let offset = if big { 3600i64.to_be_bytes() } else { 3600i64.to_le_bytes() };
        let interface = [
            &link[..],
            &word(0, big),
            &option(2, b"eth7", big),
            &option(9, &[12], big),
            &option(14, &offset, big),
            &option(0, b"", big),
        ]
        .concat();
        let names = block(4, &[&[0; 4][..]].concat(), big);
        let unknown = block(0x8000_1234, b"whatever \xff it is", big);
        for part in [section, block(1, &interface, big), names, unknown] {
            others.push(part.clone());
            file.extend(part);
        }
        for (k, packet) in packets.iter().enumerate() {
            let length = word(packet.len() as u32, big);
            let mut body = match k % 7 {
                // Interface and drop count of the obsolete block.
                5 => [&[0; 4][..], &word(3, big), &word(k as u32, big), &length, &length].concat(),
                6 => length.to_vec(),
                _ => [&word(0, big)[..], &word(3, big), &word(k as u32, big), &length, &length].concat(),
            };
            body.extend(packet);
            body.resize(body.len().next_multiple_of(4), 0);
            if k % 7 != 6 {
                body.extend(option(2, &[1, 0, 0, 0], big));
                body.extend(option(1, b"mine: ]] \xff\x1b", big));
                body.extend(option(1, b"netkit: old", big));
                body.extend(option(1, b"netkit:+ older", big));
                body.extend(option(0, b"", big));
            }
            file.extend(block([6, 6, 6, 6, 6, 2, 3][k % 7], &body, big));
        }
    }
    let tail = block(5, &[0; 12], true);
    others.push(tail.clone());
    file.extend(tail);
    let path = folder.write("own.pcapng", &file);
    let args = ["-p", "riptide", "--comments", "plain"];
    let out = pcapng(Path::new(&path), &args);
    let (before, after) = (frames(&file), frames(&out));
    assert_eq!(before.len(), 2 * packets.len());
    let mut dated = 0;
    for (a, b) in before.iter().zip(&after) {
        assert_eq!((a.0, a.1, &a.3, a.4), (b.0, b.1, &b.3, b.4));
        // A simple packet has no time; with a comment it gets that of 1970, by its interface's clock.
        dated += usize::from(a.2 == b.2);
    }
    assert!(dated >= before.len() * 6 / 7, "{dated}");
    for part in others {
        assert!(out.windows(part.len()).any(|window| window == part), "{part:02x?}");
    }
    let count = |text: &[u8]| out.windows(text.len()).filter(|window| *window == text).count();
    let optioned = 2 * (0..packets.len()).filter(|k| k % 7 != 6).count();
    assert_eq!(count(b"mine: ]] \xff\x1b"), optioned);
    assert_eq!((count(b"netkit: old"), count(b"netkit:+ older")), (0, 0));
    assert!(count(b"netkit: riptide ") > packets.len());
    // Packets without a time get one in the first copy, and notes about times change; further copies are equal.
    let twice = pcapng(Path::new(&folder.write("again.pcapng", &out)), &args);
    assert!(pcapng(Path::new(&folder.write("twice.pcapng", &twice)), &args) == twice);
}

/// Hostile text stays within its line, and within its comment.
#[test]
fn hostile_text_breaks_no_comment() {
    let folder = Scratch::new("wireshark-hostile");
    // Packets with hostile comments of other programs.
    let mut file = Vec::new();
    let mut writer = PcapNgWriter::new(&mut file).expect("written");
    let mut packets = Vec::new();
    heartbeat(&mut packets);
    let hostile = [
        "",
        "]]",
        "]]==]--",
        "\nnetkit:1 p=x :f a,0,0,u1",
        "netkit: ",
        "\u{1b}[31m\0\r\u{202e}",
        &"x]]\n".repeat(15_000),
    ];
    for (k, packet) in packets.iter().enumerate() {
        let interface = writer.interface_of(LinkType::ETHERNET, 6).expect("written");
        let comments = hostile.iter().filter(|text| !text.starts_with("netkit: ")).copied();
        writer
            .packet(interface, Time::micros(1_795_229_852, k as u32), packet, packet.len(), comments)
            .expect("written");
    }
    let path = folder.write("hostile.pcapng", &file);
    let out = pcapng(Path::new(&path), &["-p", "riptide"]);
    assert_eq!(frames(&out), frames(&file));
    let kept = "x]]\n".repeat(15_000);
    let count = out.windows(kept.len()).filter(|window| *window == kept.as_bytes()).count();
    assert_eq!(count, packets.len());
    if crate::wireshark::pdml::tshark() {
        let script = crate::wireshark::annotated::script(&folder, &[]);
        let annotated = folder.path().join("annotated.pcapng");
        std::fs::write(&annotated, &out).expect("written");
        let shown = crate::wireshark::pdml::frames(&script, &annotated);
        assert_eq!(shown.len(), packets.len());
        // Other programs' comments that look like trees are not drawn, or are reported as invalid.
        let forged = [
            "netkit: a\nnetkit:1 p=riptide m=connect :f x,0,8,u1",
            "netkit: b\nnetkit:1 %%% ]]",
            "netkit: c\nnetkit:1 p=a :f .",
            "netkit: d\nnetkit:1 p=a h=00 :f a,9,99999999,x b,0,8,x9:9 c,0,8,e d,0,8,w ,,,",
            "netkit: e\nnetkit:1 p=a b=9999999+10 :f a,0,8,x",
            "netkit:+ alone",
            "netkit: ",
            "netkit: f\nnetkit:2 what will be",
        ];
        let mut file = Vec::new();
        let mut writer = PcapNgWriter::new(&mut file).expect("written");
        let interface = writer.interface_of(LinkType::ETHERNET, 6).expect("written");
        for text in forged {
            writer.packet(interface, Time::micros(1, 0), &packets[0], packets[0].len(), [text]).expect("written");
        }
        std::fs::write(&annotated, &file).expect("written");
        let forged_file = file;
        let shown = crate::wireshark::pdml::frames(&script, &annotated);
        assert_eq!(shown.len(), forged.len());
        // Escape sequences in them stay text.
        let mut file = Vec::new();
        let mut writer = PcapNgWriter::new(&mut file).expect("written");
        let interface = writer.interface_of(LinkType::ETHERNET, 6).expect("written");
        let text = "netkit: a\u{1b}[31m\u{9b}2J\u{202e}\nnote a.b: c\u{1b}[1m\nnote a\u{1b}[3m: e\nfault: d\u{1b}[2m\n\
                    netkit:1 p=riptide m=connect h=1b5b33 :f a%1b,0,24,t ~b%1b,0,24,s%1b%5b4m";
        writer.packet(interface, Time::micros(1, 0), &packets[0], packets[0].len(), [text]).expect("written");
        std::fs::write(&annotated, &file).expect("written");
        let shown = crate::wireshark::pdml::run(&script, &annotated, &["-V", "-O", "netkit"]);
        // Wireshark shows the comment itself above our tree.
        let tree = shown.split_once("netkit").map_or("", |(_, tree)| tree);
        let tree = tree.split_once("\\x1b[31m\\u{9b}2J\\u{202e}").map(|(_, tree)| tree);
        let tree = tree.unwrap_or_else(|| panic!("{shown:?}"));
        assert!(!tree.contains('\u{1b}') && tree.contains("\\x1b[4m"), "{tree:?}");
        std::fs::write(&annotated, &forged_file).expect("written");
        // Without a tree on the screen, and without a filter on its fields, comments are not read that far.
        let shown = crate::wireshark::pdml::run(&script, &annotated, &["-V", "-O", "netkit"]);
        assert!(shown.contains("this comment cannot be drawn"), "{shown}");
    }
}
