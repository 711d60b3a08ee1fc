//! Capture files and frames, built byte by byte.

use netkit::capture::{Body, Capture, CaptureError, Segment, Time, ethernet};
use std::io::{self, Cursor, Read, Write};

/// Number, time, wire length and bytes of a frame, owned.
pub type Owned = (u64, Time, usize, Vec<u8>);

/// All frames of a file, and the error that ended reading.
pub fn read(file: &[u8]) -> (Vec<Owned>, Option<CaptureError>) {
    read_from(Box::new(Cursor::new(file.to_vec())))
}

/// All frames of a reader, and the error that ended reading.
pub fn read_from(reader: Box<dyn Read + Send>) -> (Vec<Owned>, Option<CaptureError>) {
    let mut frames = Vec::new();
    let mut capture = match Capture::open(reader) {
        Ok(capture) => capture,
        Err(error) => return (frames, Some(error)),
    };
    loop {
        match capture.next() {
            Ok(Some(f)) => frames.push((f.number, f.time, f.length, f.data.to_vec())),
            Ok(None) => return (frames, None),
            Err(error) => {
                assert!(matches!(capture.next(), Ok(None)), "no frames after an error");
                return (frames, Some(error));
            }
        }
    }
}

/// Writes numbers in one byte order.
pub struct Bytes {
    pub big: bool,
    pub out: Vec<u8>,
}

impl Bytes {
    pub fn new(big: bool) -> Bytes {
        Bytes { big, out: Vec::new() }
    }

    pub fn u16(&mut self, value: u16) -> &mut Self {
        self.out.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
        self
    }

    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.out.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
        self
    }

    /// A pcapng block with `body`, padded.
    pub fn block(&mut self, kind: u32, body: &[u8]) -> &mut Self {
        let length = body.len().next_multiple_of(4) as u32 + 12;
        self.u32(kind).u32(length);
        self.out.extend(body);
        self.out.resize(self.out.len().next_multiple_of(4), 0);
        self.u32(length)
    }

    pub fn section(&mut self, big: bool) -> &mut Self {
        self.big = big;
        let mut body = Bytes::new(big);
        body.u32(0x1a2b_3c4d).u16(1).u16(0).u32(u32::MAX).u32(u32::MAX);
        self.block(0x0a0d_0d0a, &body.out)
    }

    pub fn interface(&mut self, link: u16, snap: u32, options: &[(u16, &[u8])]) -> &mut Self {
        let mut body = Bytes::new(self.big);
        body.u16(link).u16(0).u32(snap);
        for (code, value) in options {
            body.u16(*code).u16(value.len() as u16);
            body.out.extend(*value);
            body.out.resize(body.out.len().next_multiple_of(4), 0);
        }
        if !options.is_empty() {
            body.u32(0);
        }
        self.block(1, &body.out)
    }

    pub fn enhanced(&mut self, interface: u32, units: u64, data: &[u8]) -> &mut Self {
        let mut body = Bytes::new(self.big);
        body.u32(interface).u32((units >> 32) as u32).u32(units as u32);
        body.u32(data.len() as u32).u32(data.len() as u32 + 1);
        body.out.extend(data);
        // A comment, as Wireshark writes them.
        body.out.resize(body.out.len().next_multiple_of(4), 0);
        body.u16(1).u16(2);
        body.out.extend(b"hi\0\0");
        body.u32(0);
        self.block(6, &body.out)
    }
}

/// A classic pcap file with three frames; the magic number decides its kind.
pub fn classic(magic: u32, big: bool) -> Vec<u8> {
    let mut file = Bytes::new(big);
    file.u32(magic).u16(2).u16(4).u32(0).u32(0).u32(65535).u32(1);
    for (index, data) in [&b"one"[..], b"", b"three"].into_iter().enumerate() {
        file.u32(100 + index as u32).u32(7).u32(data.len() as u32).u32(data.len() as u32 + 2);
        if magic == 0xa1b2_cd34 {
            file.u32(1).u32(0);
        }
        file.out.extend(data);
    }
    file.out
}

/// A pcapng file: three sections, both byte orders, all packet blocks, blocks to be skipped.
pub fn sections() -> Vec<u8> {
    let mut file = Bytes::new(false);
    for big in [false, true, false] {
        file.section(big).interface(1, 0, &[]);
        let offset = if big { 10i64.to_be_bytes() } else { 10i64.to_le_bytes() };
        file.interface(101, 4, &[(2, b"eth0"), (9, &[9]), (14, &offset)]);
        file.block(5, &[0; 20]).block(0x8000_0bad, b"whatever");
        file.enhanced(0, 5_000_001, b"micro");
        file.enhanced(1, 5_000_000_001, b"nano");
        file.block(3, &[&u32_of(big, 6)[..], b"simple"].concat());
        let mut body = Bytes::new(big);
        body.u16(1).u16(3).u32(0).u32(7).u32(3).u32(9);
        body.out.extend(b"old");
        file.block(2, &body.out);
    }
    file.out
}

pub fn u32_of(big: bool, value: u32) -> [u8; 4] {
    if big { value.to_be_bytes() } else { value.to_le_bytes() }
}

pub fn gzip(data: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(data).unwrap();
    packer.finish().unwrap()
}

/// A small file of every kind that is read.
pub fn every() -> Vec<(&'static str, Vec<u8>)> {
    let packed = [gzip(&sections()[..100]), gzip(&sections()[100..])].concat();
    vec![
        ("micro le", classic(0xa1b2_c3d4, false)),
        ("micro be", classic(0xa1b2_c3d4, true)),
        ("nano le", classic(0xa1b2_3c4d, false)),
        ("nano be", classic(0xa1b2_3c4d, true)),
        ("modified le", classic(0xa1b2_cd34, false)),
        ("modified be", classic(0xa1b2_cd34, true)),
        ("pcapng", sections()),
        ("pcap.gz", gzip(&classic(0xa1b2_c3d4, false))),
        ("pcapng.gz, two members", packed),
    ]
}

/// Returns one byte at a time, with interruptions, like a slow pipe.
pub struct Drip(pub Vec<u8>, pub usize);

impl Read for Drip {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.1 += 1;
        match self.1 % 2 {
            0 => Err(io::ErrorKind::Interrupted.into()),
            _ => self.0.get(self.1 / 2).map_or(Ok(0), |byte| {
                out[0] = *byte;
                Ok(1)
            }),
        }
    }
}

/// An Ethernet frame with a UDP datagram.
pub fn udp(src: &str, dst: &str, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let body = Body::Udp { payload, length: payload.len() };
    ethernet(src.parse().unwrap(), dst.parse().unwrap(), &body, &mut out).unwrap();
    out
}

/// An Ethernet frame with a TCP segment.
pub fn tcp(src: &str, dst: &str, segment: Segment<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let body = Body::Tcp(segment);
    ethernet(src.parse().unwrap(), dst.parse().unwrap(), &body, &mut out).unwrap();
    out
}
