//! Compressed captures, and files that are not captures.

use super::files::*;
use netkit::capture::{CaptureError, Input};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::{Cursor, Read};

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// A frame that decoders skip.
fn skippable(bytes: &[u8]) -> Vec<u8> {
    [&[0x53, 0x2a, 0x4d, 0x18][..], &(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

fn refused(file: &[u8]) -> Option<String> {
    Input::new(Box::new(Cursor::new(file.to_vec()))).err().map(|error| error.to_string())
}

#[test]
fn zstd_in_every_form() {
    let file = classic(0xa1b2_c3d4, false);
    let (expected, _) = read(&file);
    let (one, two) = file.split_at(60);
    for (name, packed) in [
        ("one frame", zstd(&file)),
        ("several", [zstd(one), zstd(two)].concat()),
        ("several, empty ones too", [zstd(&[]), zstd(one), zstd(&[]), zstd(two), zstd(&[])].concat()),
        ("skippable ones", [skippable(b"first"), zstd(one), skippable(&[]), zstd(two), skippable(&[7; 300])].concat()),
    ] {
        let (frames, error) = read(&packed);
        assert!(error.is_none(), "{name}: {error:?}");
        assert_eq!(frames, expected, "{name}");
        let (dripped, error) = read_from(Box::new(Drip(packed, 0)));
        assert!(error.is_none(), "{name}: {error:?}");
        assert_eq!(dripped, expected, "{name}");
    }
}

/// A capture that the `zstd` program compressed, with its checksum: see the README beside it.
#[test]
fn what_the_program_wrote() {
    let packed = std::fs::read("fixtures/capture/edge20-udp.pcap.zst").unwrap();
    let (expected, _) = read(&std::fs::read("fixtures/capture/edge20-udp.pcap").unwrap());
    let (frames, error) = read(&packed);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(frames, expected);

    let mut wrong = packed.clone();
    *wrong.last_mut().unwrap() ^= 1;
    let (_, error) = read(&wrong);
    let Some(CaptureError::Read { source, .. }) = error else { panic!("{error:?}") };
    assert_eq!(source.to_string(), "zstd: the checksum is wrong");
}

#[test]
fn a_cut_zstd_file_gives_what_is_there_and_says_so() {
    let file = std::fs::read("fixtures/capture/edge20-udp.pcap").unwrap();
    let (whole, _) = read(&file);
    // Two compressed parts, so that frames precede a cut in the second one.
    let packed = [zstd(&file[..file.len() / 2]), zstd(&file[file.len() / 2..])].concat();
    let middle = zstd(&file[..file.len() / 2]).len();
    for end in 4..packed.len() {
        let (frames, error) = read(&packed[..end]);
        assert_eq!(frames[..], whole[..frames.len()], "{end}");
        assert!(error.is_some(), "{end}");
        if end >= middle {
            assert!(frames.len() + 1 >= whole.len() / 3, "{end}: {} of {}", frames.len(), whole.len());
        }
    }
}

/// The blocks before a cut are returned, although the decoder holds back a window of them.
#[test]
fn blocks_before_a_cut_are_read() {
    let one = classic(0xa1b2_c3d4, false);
    let mut file = one[..24].to_vec();
    while file.len() < 400_000 {
        file.extend(&one[24..]);
    }
    let packed = zstd(&file);
    let (whole, _) = read(&file);
    let (frames, error) = read(&packed[..packed.len() - 1]);
    assert!(frames.len() > whole.len() / 2, "{} of {}", frames.len(), whole.len());
    assert_eq!(frames[..], whole[..frames.len()]);
    assert!(matches!(error, Some(CaptureError::Cut { .. } | CaptureError::CutPacked { .. })), "{error:?}");
}

#[test]
fn damaged_zstd_is_survived() {
    let file = std::fs::read("fixtures/capture/edge20-udp.pcap").unwrap();
    let packed = std::fs::read("fixtures/capture/edge20-udp.pcap.zst").unwrap();
    let (whole, _) = read(&file);
    for at in 4..packed.len() {
        for flip in [1, 0x80, 0xff] {
            let mut damaged = packed.clone();
            damaged[at] ^= flip;
            let (frames, error) = read(&damaged);
            // The checksum detects what the blocks do not.
            assert!(error.is_some() || frames == whole, "byte {at}");
        }
    }
}

#[test]
fn windows_are_bounded() {
    // A frame with a window of 2 GiB: the upper five bits are the exponent.
    let huge = [0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3, 1, 0, 0];
    let text = match Input::new(Box::new(Cursor::new(huge.to_vec()))).err() {
        Some(CaptureError::Read { source, .. }) => source.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(text.contains("a window of 2048 MiB") && text.contains("zstd -dc --long=31"), "{text}");
}

#[test]
fn what_is_no_capture_is_named() {
    let tar = [&b"capture.pcap"[..], &[0; 245], b"ustar\x0000"].concat();
    for (file, what, how) in [
        (&b"\xfd7zXZ\0\0\x04"[..], "an xz file", "xz -dc FILE"),
        (b"BZh91AY&SY", "a bzip2 file", "bzip2 -dc FILE"),
        (b"PK\x03\x04\x14\0", "a zip archive", "unzip -p FILE NAME"),
        (b"7z\xbc\xaf\x27\x1c\0", "a 7z archive", "7z x -so FILE NAME"),
        (b"Rar!\x1a\x07\x01\0", "a rar archive", "unrar p -inul FILE NAME"),
        (b"\x04\x22\x4d\x18d", "an lz4 file", "lz4 -dc FILE"),
        (&tar, "a tar archive", "tar -xOf FILE NAME"),
        (b"\xff\xfe0\0 \0", "UTF-16 text", "iconv -f UTF-16 -t UTF-8 FILE"),
        (b"0\x005\0 \x000\0", "UTF-16 text", "iconv -f UTF-16LE -t UTF-8 FILE"),
        (b"snoop\0\0\0\0\0\0\x02", "a Solaris snoop capture", "editcap FILE NEW.pcap"),
        (b"%PDF-1.7\n", "a PDF document", ""),
        (b"\x7fELF\x02\x01\x01", "an ELF program", ""),
        (b"\x89PNG\r\n\x1a\n", "a PNG picture", ""),
        (b"\n<!DOCTYPE HTML>", "an HTML page", ""),
    ] {
        let how = if how.is_empty() { String::new() } else { format!(": convert it first ({how})") };
        assert_eq!(refused(file), Some(format!("it is {what}, not a capture{how}")));
        let packed = format!("it is packed, and inside is {what}, not a capture{how}");
        assert_eq!(refused(&zstd(file)), Some(packed));
    }
    // Text that begins like one of these formats, but may be hex text.
    for text in ["7a 37", "50 4b 03 04", "BZh", "%PDF", "<", "0\0", "42 5a 68 39 31"] {
        assert_eq!(refused(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn text_is_unpacked_too() {
    let mut text = String::new();
    Input::new(Box::new(Cursor::new(zstd(b"05 03 14 00")))).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "05 03 14 00");
}
