//! Streaming gzip decompression of consecutive members, with a bound on empty ones.

use super::Reached;
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, Read};

/// The largest number of consecutive empty gzip members or zstd frames.
pub(super) const EMPTY: u64 = 1 << 16;

/// The error above that number.
pub(super) fn too_many() -> io::Error {
    io::Error::other(Reached { name: "empty_members", what: "packed members without a byte in a row", most: EMPTY })
}

/// Reads the unpacked data of a gzip file.
pub(super) struct Gzip<R> {
    /// `None` after the end or an error.
    member: Option<GzDecoder<R>>,
    /// The number of consecutive empty members.
    empty: u64,
}

impl<R: BufRead> Gzip<R> {
    pub(super) fn new(source: R) -> Gzip<R> {
        Gzip { member: Some(GzDecoder::new(source)), empty: 0 }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        while let Some(member) = &mut self.member {
            let read = member.read(out)?;
            if read > 0 {
                self.empty = 0;
                return Ok(read);
            }
            // The member is kept until here, since an interrupted read is repeated.
            let more = !member.get_mut().fill_buf()?.is_empty();
            let Some(source) = self.member.take().map(GzDecoder::into_inner).filter(|_| more) else { break };
            self.empty += 1;
            if self.empty > EMPTY {
                return Err(too_many());
            }
            self.member = Some(GzDecoder::new(source));
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn member(data: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::fast());
        out.write_all(data).unwrap();
        out.finish().unwrap()
    }

    fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        Gzip::new(packed).read_to_end(&mut all).map(|_| all)
    }

    #[test]
    fn members_follow_each_other() {
        let packed = [member(b"one "), member(b""), member(b""), member(b"two")].concat();
        assert_eq!(unpack(&packed).unwrap(), b"one two");
        assert_eq!(unpack(&packed[..packed.len() - 9]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(unpack(&[&packed[..], b"garbage"].concat()).is_err());
    }

    #[test]
    fn members_without_a_byte_are_bounded() {
        let many = member(b"").repeat(EMPTY as usize + 1);
        let error = unpack(&[member(b"x"), many].concat()).unwrap_err();
        assert!(error.to_string().ends_with("(limit empty_members)"), "{error}");
        let as_many = member(b"").repeat(EMPTY as usize - 1);
        assert_eq!(unpack(&[member(b"x"), as_many, member(b"y")].concat()).unwrap(), b"xy");
    }
}
