//! Known files that are neither captures nor text: their first bytes, and the commands that unpack them.

/// The number of first bytes needed.
pub(super) const ENOUGH: usize = 265;

/// The offset, the bytes, the file's kind, the command that converts it.
type Magic = (usize, &'static [u8], &'static str, &'static str);

const KNOWN: &[Magic] = &[
    (0, b"\xfd7zXZ\0", "an xz file", "xz -dc FILE"),
    (0, b"\x5d\0\0\x80\0", "an lzma file", "xz -dc FILE"),
    (0, b"LZIP\x01", "an lzip file", "lzip -dc FILE"),
    (0, b"\x04\x22\x4d\x18", "an lz4 file", "lz4 -dc FILE"),
    (0, b"\x1f\x9d", "a compress (.Z) file", "gzip -dc FILE"),
    (0, b"PK\x03\x04", "a zip archive", "unzip -p FILE NAME"),
    (0, b"PK\x05\x06", "an empty zip archive", ""),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", "7z x -so FILE NAME"),
    (0, b"Rar!\x1a\x07", "a rar archive", "unrar p -inul FILE NAME"),
    (0, b"MSCF\0\0\0\0", "a cabinet archive", "cabextract -p FILE"),
    (0, b"!<arch>\n", "an ar archive", "ar p FILE NAME"),
    (257, b"ustar", "a tar archive", "tar -xOf FILE NAME"),
    (0, b"snoop\0\0\0\0", "a Solaris snoop capture", "editcap FILE NEW.pcap"),
    (0, b"btsnoop\0", "a Bluetooth snoop capture", "editcap FILE NEW.pcap"),
    (0, b"GMBU", "a Network Monitor capture", "editcap FILE NEW.pcap"),
    (0, b"RTSS", "a Network Monitor capture", "editcap FILE NEW.pcap"),
    (0, b"TRSNIFF data", "a Sniffer capture", "editcap FILE NEW.pcap"),
    (0, b"XCP\0", "a NetXray capture", "editcap FILE NEW.pcap"),
    (0, b"iptrace ", "an AIX iptrace capture", "editcap FILE NEW.pcap"),
    (0, b"%PDF-", "a PDF document", ""),
    (0, b"%!PS", "a PostScript document", ""),
    (0, b"{\\rtf", "an RTF document", ""),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office document", ""),
    (0, b"\x7fELF", "an ELF program", ""),
    (0, b"\xcf\xfa\xed\xfe", "a Mach-O program", ""),
    (0, b"\xca\xfe\xba\xbe", "a Mach-O program or a Java class", ""),
    (0, b"\0asm", "a WebAssembly module", ""),
    (0, b"\x89PNG\r\n", "a PNG picture", ""),
    (0, b"\xff\xd8\xff", "a JPEG picture", ""),
    (0, b"GIF8", "a GIF picture", ""),
    (0, b"RIFF", "a RIFF file", ""),
    (0, b"OggS", "an Ogg file", ""),
    (4, b"ftyp", "an MP4 file", ""),
    (0, b"SQLite format 3\0", "an SQLite database", ""),
    (0, b"PAR1", "a Parquet file", ""),
    (0, b"<?xml", "an XML document", ""),
];

/// The kind of a file with these first bytes, and the command that unpacks or converts it, if any. `None` if it may be
/// a capture or text.
pub(super) fn known(first: &[u8]) -> Option<(&'static str, &'static str)> {
    let begins = |at: usize, bytes: &[u8]| first.get(at..).is_some_and(|rest| rest.starts_with(bytes));
    if let Some((_, _, what, how)) = KNOWN.iter().find(|(at, bytes, ..)| begins(*at, bytes)) {
        return Some((what, how));
    }
    match *first {
        // The magic of the first block, or of the end of an empty file.
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..]
        | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, ..] => Some(("a bzip2 file", "bzip2 -dc FILE")),
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some(("UTF-32 text", "iconv -f UTF-32 -t UTF-8 FILE")),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(("UTF-16 text", "iconv -f UTF-16 -t UTF-8 FILE")),
        // UTF-16 text without a byte order mark: ASCII with every other byte 0.
        [a, 0, b, 0, c, 0, ..] if [a, b, c].iter().all(printable) => {
            Some(("UTF-16 text", "iconv -f UTF-16LE -t UTF-8 FILE"))
        }
        [0, a, 0, b, 0, c, ..] if [a, b, c].iter().all(printable) => {
            Some(("UTF-16 text", "iconv -f UTF-16BE -t UTF-8 FILE"))
        }
        _ => html(first).then_some(("an HTML page", "")),
    }
}

fn printable(byte: &u8) -> bool {
    byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn html(first: &[u8]) -> bool {
    let text = first.trim_ascii_start();
    [&b"<!doctype html"[..], b"<html"]
        .iter()
        .any(|tag| text.get(..tag.len()).is_some_and(|t| t.eq_ignore_ascii_case(tag)))
}
