//! Addresses and other identifiers whose bytes have a notation of their own.

use std::io::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Bytes with a notation, in the order of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// `10.0.0.1`.
    Ipv4,
    /// `fe80::1`.
    Ipv6,
    /// `02:00:5e:10:00:01`.
    Mac,
    /// `123e4567-e89b-12d3-a456-426614174000`.
    Uuid,
}

/// The bytes after which a UUID has a hyphen.
const HYPHENS: [usize; 4] = [4, 6, 8, 10];

crate::named!(Address: Ipv4 = "ipv4", Ipv6 = "ipv6", Mac = "mac", Uuid = "uuid");

impl Address {
    /// A description with an example, for documentation and error messages.
    pub fn about(self) -> &'static str {
        match self {
            Address::Ipv4 => "an IPv4 address, such as 10.0.0.1",
            Address::Ipv6 => "an IPv6 address, such as fe80::1",
            Address::Mac => "a MAC address, such as 02:00:5e:10:00:01",
            Address::Uuid => "a UUID, such as 123e4567-e89b-12d3-a456-426614174000",
        }
    }

    /// The number of bits.
    pub fn bits(self) -> u32 {
        match self {
            Address::Ipv4 => 32,
            Address::Mac => 48,
            Address::Ipv6 | Address::Uuid => 128,
        }
    }

    /// Appends the notation of these bytes. Returns false if they are too few or too many.
    pub(crate) fn show(self, bytes: &[u8], text: &mut Vec<u8>) -> bool {
        // Writing to a vector cannot fail.
        let done = match self {
            Address::Ipv4 => <[u8; 4]>::try_from(bytes).ok().map(|bytes| write!(text, "{}", Ipv4Addr::from(bytes))),
            Address::Ipv6 => <[u8; 16]>::try_from(bytes).ok().map(|bytes| write!(text, "{}", Ipv6Addr::from(bytes))),
            Address::Mac | Address::Uuid => {
                for (k, byte) in bytes.iter().enumerate() {
                    let between = match self {
                        Address::Mac if k > 0 => ":",
                        Address::Uuid if HYPHENS.contains(&k) => "-",
                        _ => "",
                    };
                    let _ = write!(text, "{between}{byte:02x}");
                }
                Some(Ok(()))
            }
        };
        done.is_some_and(|done| done.is_ok())
    }

    /// Parses a notation into its bytes.
    pub(crate) fn parse(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Address::Ipv4 => text.parse::<Ipv4Addr>().ok().map(|address| address.octets().to_vec()),
            Address::Ipv6 => text.parse::<Ipv6Addr>().ok().map(|address| address.octets().to_vec()),
            Address::Mac | Address::Uuid => {
                let between = if self == Address::Mac { ':' } else { '-' };
                let bytes: Vec<u8> = hex::decode(text.replace(between, "")).ok()?;
                let mut shown = Vec::new();
                let whole = bytes.len() * 8 == self.bits() as usize && self.show(&bytes, &mut shown);
                (whole && text.as_bytes().eq_ignore_ascii_case(&shown)).then_some(bytes)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_notation_gives_its_bytes_back() {
        let all = [
            (Address::Ipv4, "0a000001", "10.0.0.1"),
            (Address::Ipv6, "fe800000000000000000000000000001", "fe80::1"),
            (Address::Ipv6, "00000000000000000000ffff7f000001", "::ffff:127.0.0.1"),
            (Address::Mac, "02005e100001", "02:00:5e:10:00:01"),
            (Address::Uuid, "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-426614174000"),
        ];
        for (address, bytes, notation) in all {
            let bytes = hex::decode(bytes).unwrap();
            let mut text = Vec::new();
            assert!(address.show(&bytes, &mut text));
            assert_eq!(String::from_utf8(text).unwrap(), notation);
            assert_eq!(address.parse(notation), Some(bytes));
            assert_eq!(Address::named(address.name()), Some(address));
        }
        assert_eq!(Address::Mac.parse("02:00:5e:10:00"), None);
        assert_eq!(Address::Uuid.parse("123e4567e89b12d3a456426614174000"), None);
    }
}
