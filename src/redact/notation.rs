//! Replacement of addresses in fields, by others whose notation has the same length.

use super::words::Words;
use crate::codec::kinds::Address;
use std::net::Ipv6Addr;

/// The replacement of an address as it is shown; `None` if this is none.
pub fn other(text: &[u8], address: Address, words: &mut Words) -> Option<Vec<u8>> {
    let bytes = address.parse(std::str::from_utf8(text).ok()?)?;
    let mut new = words.bytes(&bytes, None);
    match (address, <[u8; 4]>::try_from(&bytes[..]), <[u8; 16]>::try_from(&bytes[..])) {
        (Address::Ipv4, Ok(old), _) => octets(old, &mut new),
        (Address::Ipv6, _, Ok(old)) if Ipv6Addr::from(old).to_ipv4_mapped().is_some() => {
            let (head, tail) = new.split_at_mut(12);
            head.copy_from_slice(&old[..12]);
            octets([old[12], old[13], old[14], old[15]], tail);
        }
        (Address::Ipv6, _, Ok(old)) => {
            for (old, new) in old.as_chunks::<2>().0.iter().zip(new.as_chunks_mut::<2>().0) {
                let group = u16::from_be_bytes(*old);
                // Zeros may be left out, and remain.
                let least: u16 = if group == 0 { 0 } else { 1 << (group.ilog2() / 4 * 4) };
                *new = (least + u16::from_be_bytes(*new) % (least * 15).max(1)).to_be_bytes();
            }
        }
        _ => {}
    }
    let mut shown = Vec::with_capacity(text.len());
    (address.show(&new, &mut shown) && shown.len() == text.len()).then_some(shown)
}

/// Makes octets of the same numbers of digits from random ones.
fn octets(old: [u8; 4], new: &mut [u8]) {
    for (octet, new) in old.iter().zip(new) {
        let (least, span) = match octet {
            0..=9 => (0, 10),
            10..=99 => (10, 90),
            100.. => (100, 156),
        };
        *new = (least + u16::from(*new) % span) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::net::Ipv4Addr;

    #[test]
    fn addresses_stay_addresses_of_the_same_length() {
        let all = [
            (Address::Ipv4, "10.9.0.1"),
            (Address::Ipv4, "203.0.113.255"),
            (Address::Ipv6, "fe80::1"),
            (Address::Ipv6, "2001:db8:0:1::ffff"),
            (Address::Ipv6, "::"),
            (Address::Ipv6, "::ffff:127.0.0.1"),
            (Address::Mac, "02:00:5e:10:00:01"),
            (Address::Uuid, "123e4567-e89b-12d3-a456-426614174000"),
        ];
        for (address, text) in all {
            let mut seen = BTreeSet::new();
            for _ in 0..50 {
                let mut words = Words::default();
                let new = other(text.as_bytes(), address, &mut words).expect(text);
                assert_eq!(new.len(), text.len(), "{text}");
                assert!(address.parse(std::str::from_utf8(&new).unwrap()).is_some(), "{text}");
                assert_eq!(other(text.as_bytes(), address, &mut words).unwrap(), new, "equal ones stay equal");
                seen.insert(new);
            }
            assert!(seen.len() > 5 || text == "::", "{text}: {seen:?}");
        }
        assert_eq!(other(b"nobody", Address::Ipv4, &mut Words::default()), None);
    }

    #[test]
    fn octets_keep_their_digits() {
        for value in 0..=255u8 {
            let mut new = [value; 4];
            octets([7, 42, 100, 255], &mut new);
            assert!(new[0] < 10 && (10..100).contains(&new[1]) && new[2] >= 100 && new[3] >= 100, "{new:?}");
            assert_eq!(Ipv4Addr::from(new).to_string().len(), "7.42.100.255".len());
        }
    }
}
