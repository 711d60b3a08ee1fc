//! Addresses and ports: the operands of `src`, `dst`, `host`, `ip` and `port`.

use super::{Comparison, Envelope, Literal, Number, Test};
use crate::codec::digits;
use crate::dissect::Message;
use std::cmp::Ordering;
use std::net::{IpAddr, SocketAddr};

/// An address operand: `10.0.0.1`, `10.0.0.1:7777`, `[::1]:7777`, `10.0.0.0/8`, `2001:db8::/32`. An
/// address without a port matches any port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    addr: IpAddr,
    /// The prefix length.
    bits: u8,
    port: Option<u16>,
}

impl Ends {
    /// Parses an address, one with a port, or a prefix.
    pub fn parse(text: &str) -> Option<Ends> {
        if let Ok(end) = text.parse::<SocketAddr>() {
            let addr = end.ip().to_canonical();
            return Some(Ends { addr, bits: width(addr), port: Some(end.port()) });
        }
        if let Some((net, bits)) = text.split_once('/') {
            let addr: IpAddr = net.parse().ok()?;
            let bits = digits::unsigned(bits).filter(|bits| *bits <= width(addr))?;
            return Some(Ends { addr, bits, port: None });
        }
        let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).filter(|bare| bare.contains(':'));
        let addr = bare.unwrap_or(text).parse::<IpAddr>().ok()?.to_canonical();
        Some(Ends { addr, bits: width(addr), port: None })
    }

    /// Whether this endpoint matches.
    pub fn has(&self, end: SocketAddr) -> bool {
        if self.port.is_some_and(|port| port != end.port()) {
            return false;
        }
        // IPv4-mapped IPv6 addresses equal their IPv4 address, but match IPv6 prefixes only in their IPv6 form.
        let addr = if self.bits == width(self.addr) { end.ip().to_canonical() } else { end.ip() };
        match (addr, self.addr) {
            (IpAddr::V4(a), IpAddr::V4(b)) => same(a.to_bits().into(), b.to_bits().into(), 32 - self.bits),
            (IpAddr::V6(a), IpAddr::V6(b)) => same(a.to_bits(), b.to_bits(), 128 - self.bits),
            _ => false,
        }
    }
}

fn width(addr: IpAddr) -> u8 {
    if addr.is_ipv4() { 32 } else { 128 }
}

/// Whether both are equal, ignoring the last `rest` bits.
fn same(a: u128, b: u128, rest: u8) -> bool {
    (a ^ b).checked_shr(rest.into()).is_none_or(|differing| differing == 0)
}

/// The error for a literal that does not suit such a comparison; `None` if it is valid.
pub fn wrong(envelope: Envelope, literal: &Literal) -> Option<String> {
    let text = &literal.text;
    match envelope {
        Envelope::Port if literal.number.is_none() => Some(format!("{text:?} is not a port: expected 0 to 65535")),
        Envelope::Src | Envelope::Dst | Envelope::Host if literal.ends.is_none() => Some(format!(
            "{text:?} is not an address: expected one such as 10.0.0.1, 10.0.0.1:7777, [::1]:7777 or 10.0.0.0/8"
        )),
        _ => None,
    }
}

/// Whether the comparison holds for the message's endpoints. `==` and similar ones hold if one endpoint matches, `!=`
/// if none does. Nothing holds for messages without addresses.
pub fn holds(envelope: Envelope, test: &Test, message: &Message<'_>) -> bool {
    let Some(ends) = message.flow_info.ends else { return false };
    let side = message.place.side;
    let (src, dst) = (ends[side.index()], ends[side.other().index()]);
    let both = match envelope {
        Envelope::Src => [Some(src), None],
        Envelope::Dst => [Some(dst), None],
        _ => [Some(src), Some(dst)],
    };
    let any = |fits: &dyn Fn(SocketAddr) -> bool| both.into_iter().flatten().any(fits);
    let text = |fits: &dyn Fn(&str) -> bool| match envelope {
        Envelope::Src => fits(message.src()),
        Envelope::Dst => fits(message.dst()),
        _ => any(&|end| fits(&if envelope == Envelope::Port { end.port().to_string() } else { end.ip().to_string() })),
    };
    let is = |end: SocketAddr, literal: &Literal| match envelope {
        Envelope::Port => of_port(end, literal) == Some(Ordering::Equal),
        _ => literal.ends.is_some_and(|ends| ends.has(end)),
    };
    match test {
        Test::Exists => true,
        Test::Compare(Comparison::Equal, literal) => any(&|end| is(end, literal)),
        Test::Compare(Comparison::Unequal, literal) => !any(&|end| is(end, literal)),
        Test::Compare(comparison, literal) => {
            envelope == Envelope::Port && any(&|end| of_port(end, literal).is_some_and(|order| comparison.is(order)))
        }
        Test::In(list) => any(&|end| list.iter().any(|literal| is(end, literal))),
        Test::Contains(literal) => text(&|text| text.contains(&literal.text)),
        Test::Matches(regex) => text(&|text| regex.is_match(text)),
    }
}

/// The order of an endpoint's port and a number.
fn of_port(end: SocketAddr, literal: &Literal) -> Option<Ordering> {
    Number::Whole(end.port().into()).compare(literal.number?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_ports_and_nets() {
        let has = |text: &str, end: &str| Ends::parse(text).unwrap().has(end.parse().unwrap());
        for (text, yes, no) in [
            ("10.0.0.1", "10.0.0.1:5", "10.0.0.2:5"),
            ("10.0.0.1:5", "10.0.0.1:5", "10.0.0.1:6"),
            ("10.0.0.0/8", "10.255.0.1:5", "11.0.0.1:5"),
            ("10.9.9.9/8", "10.1.2.3:5", "9.0.0.1:5"),
            ("10.0.0.1/32", "10.0.0.1:5", "10.0.0.0:5"),
            ("10.0.0.1/31", "10.0.0.0:5", "10.0.0.2:5"),
            ("0.0.0.0/0", "1.2.3.4:5", "[::1]:5"),
            ("::/0", "[2001:db8::1]:5", "1.2.3.4:5"),
            ("2001:db8::/32", "[2001:db8:ffff::1]:5", "[2001:db9::1]:5"),
            ("2001:db8::/127", "[2001:db8::1]:5", "[2001:db8::2]:5"),
            ("::1", "[::1]:5", "[::2]:5"),
            ("[::1]", "[::1]:5", "127.0.0.1:5"),
            ("[::1]:5", "[::1]:5", "[::1]:6"),
            ("::ffff:10.0.0.1", "10.0.0.1:5", "10.0.0.2:5"),
            ("10.0.0.1", "[::ffff:10.0.0.1]:5", "[::10.0.0.1]:5"),
        ] {
            assert!(has(text, yes), "{text} {yes}");
            assert!(!has(text, no), "{text} {no}");
        }
        for none in [
            "",
            "abc",
            "10",
            "10.0.0",
            "10.0.0.1:",
            "10.0.0.1:65536",
            "10.0.0.1:+5",
            "10.0.0.0/33",
            "10.0.0.0/",
            "/8",
            "10.0.0.0/-1",
            "10.0.0.0/+8",
            "::/129",
            "[10.0.0.1]",
            "[::1",
            "::1]:5",
            "10.0.0.0/8:5",
            "1.2.3.4/8/9",
        ] {
            assert_eq!(Ends::parse(none), None, "{none:?}");
        }
    }
}
