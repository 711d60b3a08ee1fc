//! A part of a capture's conversations, so that several programs can divide one capture.

use std::net::{IpAddr, SocketAddr};

/// Part K of N: the conversations whose hash falls to it. Each conversation is in one part of N, in every run and on
/// every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    number: u32,
    of: u32,
}

impl Part {
    /// Whether the conversation between these endpoints is in it. Their order does not matter.
    pub fn has(&self, ends: &[SocketAddr; 2]) -> bool {
        let [a, b] = ends.map(hash);
        mixed(a.wrapping_add(b)) % u64::from(self.of) == u64::from(self.number - 1)
    }
}

impl std::str::FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Part { number, of }),
            _ => Err("expected K/N, from 1/N to N/N, such as 3/8".into()),
        }
    }
}

/// FNV-1a of the address and the port.
fn hash(end: SocketAddr) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let port = end.port().to_be_bytes();
    let address = match end.ip() {
        IpAddr::V4(ip) => port.iter().chain(&ip.octets()).copied().fold(0xcbf2_9ce4_8422_2325, step),
        IpAddr::V6(ip) => port.iter().chain(&ip.octets()).copied().fold(0xcbf2_9ce4_8422_2325, step),
    };
    mixed(address)
}

/// The finalizer of MurmurHash3: each bit of the input changes half of the output's.
fn mixed(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers must never change: parts of one capture may be read by different releases.
    #[test]
    fn parts_are_stable() {
        let part = |a: &str, b: &str| {
            let ends = [a.parse().unwrap(), b.parse().unwrap()];
            let back = [ends[1], ends[0]];
            let has = |k: &u32| Part { number: *k, of: 8 }.has(&ends);
            let all: Vec<u32> = (1..=8).filter(has).collect();
            assert_eq!(all, (1..=8).filter(|k| Part { number: *k, of: 8 }.has(&back)).collect::<Vec<_>>());
            all
        };
        assert_eq!(part("10.0.0.1:50000", "10.0.0.2:7777"), [8]);
        assert_eq!(part("[::1]:50000", "[::1]:7777"), [3]);
        assert_eq!(part("127.0.0.1:7777", "127.0.0.1:7777"), [2]);
    }

    #[test]
    fn parts_are_alike_in_size() {
        let mut counts = [0; 8];
        for client in 0..8000u16 {
            let ends = [
                SocketAddr::from(([10, 0, (client >> 8) as u8, client as u8], 50_000)),
                "10.9.9.9:7777".parse().unwrap(),
            ];
            counts[(0..8).find(|k| Part { number: k + 1, of: 8 }.has(&ends)).unwrap() as usize] += 1;
        }
        assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
    }

    #[test]
    fn what_is_no_part() {
        for text in ["", "3", "0/8", "9/8", "1/0", "-1/8", "1/8/2", "a/b"] {
            assert!(text.parse::<Part>().is_err(), "{text}");
        }
    }
}
