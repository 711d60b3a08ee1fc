//! The beginnings and ends of packages, and the plausibility of a package (README.md, "Broken streams").

use super::layout::package;

/// The number of bytes of a package's header.
pub const HEADER: usize = 4;
/// The longest body that nano's receiver accepts.
pub const LIMIT: usize = 65536;

/// The beginning of a stream's unread bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Not enough bytes for a whole package.
    More,
    /// A whole package with this many bytes.
    Package(usize),
    /// No package type.
    Unknown,
}

/// The length that a header announces, including its own four bytes.
pub fn announced(bytes: &[u8]) -> Option<usize> {
    if let [_, a, b, c, ..] = bytes { Some(HEADER + u32::from_be_bytes([0, *a, *b, *c]) as usize) } else { None }
}

/// Returns the package, or the part of one, at the beginning of `bytes`.
pub fn next(bytes: &[u8]) -> Next {
    match (bytes.first(), announced(bytes)) {
        (Some(package::HANDSHAKE..=package::KICK), Some(length)) if length <= bytes.len() => Next::Package(length),
        (Some(package::HANDSHAKE..=package::KICK) | None, _) => Next::More,
        (Some(_), _) => Next::Unknown,
    }
}

/// Whether a package may begin here, for streams that are out of step.
pub fn plausible(bytes: &[u8]) -> bool {
    let Some(length) = announced(bytes) else { return false };
    let body = length - HEADER;
    match (bytes.first(), bytes.get(HEADER)) {
        (Some(&package::HANDSHAKE | &package::KICK), first) => {
            body == 0 || first.is_none_or(|b| matches!(b, b'{' | b'x'))
        }
        (Some(&package::ACK | &package::HEARTBEAT), _) => body == 0,
        (Some(&package::DATA), flags) => body > 0 && flags.is_none_or(|f| f & 0x08 == 0 && f & 0xc0 == 0),
        _ => false,
    }
}

/// Whether these few bytes may be the beginning of a package's header: segments may have one byte each.
pub fn may_begin(bytes: &[u8]) -> bool {
    match bytes {
        [package::ACK | package::HEARTBEAT, length @ ..] => length.len() < 3 && length.iter().all(|byte| *byte == 0),
        [package::HANDSHAKE..=package::KICK, length @ ..] => length.len() < 3,
        _ => false,
    }
}

/// Whether the bytes are whole plausible packages only.
pub fn all_plausible(mut bytes: &[u8]) -> bool {
    let some = !bytes.is_empty();
    while !bytes.is_empty() {
        match next(bytes) {
            Next::Package(length) if plausible(bytes) => bytes = bytes.get(length..).unwrap_or_default(),
            _ => return false,
        }
    }
    some
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_package() {
        assert!(plausible(&[3, 0, 0, 0]) && plausible(&[4, 0, 0, 9]) && plausible(&[4, 0, 0, 9, 0x06]));
        assert!(plausible(&[1, 0, 0, 9, b'{']) && plausible(&[1, 0, 0, 0, 9]) && plausible(&[5, 0, 0, 1]));
        for bad in
            [&[3, 0, 0, 1][..], &[4, 0, 0, 0], &[4, 0, 0, 9, 8], &[4, 0, 0, 9, 64], &[1, 0, 0, 1, 0], &[6, 0, 0, 0]]
        {
            assert!(!plausible(bad), "{bad:?}");
        }
        assert!(may_begin(&[4, 9, 9]) && may_begin(&[1]) && may_begin(&[3, 0]) && !may_begin(&[3, 0, 1]));
        assert!(!may_begin(&[4, 0, 0, 9]) && !may_begin(&[6]) && !may_begin(&[]));
        assert!(!plausible(&[3, 0, 0]) && !all_plausible(&[]) && all_plausible(&[3, 0, 0, 0, 2, 0, 0, 0]));
        assert!(!all_plausible(&[3, 0, 0, 0, 4, 0, 0, 2, 0]));
    }
}
