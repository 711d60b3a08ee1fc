//! Decides whose server an address may be. Recorded messages that are sent to somebody else's server by mistake, or in
//! large numbers, are an attack.

use std::net::IpAddr;

/// Whether an address belongs to this machine or to a private network (RFC 1918, 4193, 3927, 6598). Nothing is sent to
/// any other address without the user's permission.
pub fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            v4.is_loopback()
                || v4.is_unspecified()
                || v4.is_private()
                || v4.is_link_local()
                || a == 100 && b & 0xc0 == 64
        }
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unspecified() || v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn private_addresses() {
        use crate::live::net::is_private;
        let private = ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.1.1", "0.0.0.0"];
        assert!(private.iter().all(|address| is_private(address.parse().unwrap())));
        assert!(["::1", "fd00::1", "fe80::1", "::ffff:10.0.0.1"].iter().all(|a| is_private(a.parse().unwrap())));
        let public =
            ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2001:db8::1", "::ffff:8.8.8.8", "255.255.255.255", "224.0.0.1"];
        assert!(!public.iter().any(|address| is_private(address.parse().unwrap())));
    }
}
