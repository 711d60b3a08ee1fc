//! Whose server it may be: recorded messages sent to somebody else's by mistake, or many at once, are an attack.

use std::net::IpAddr;

/// Whether an address is this machine's, or of a network that is nobody's but its owner's (RFC 1918,
/// 4193, 3927, 6598). Nothing is sent to another one unless the user says so.
///
/// ```
/// use netkit::live::net::is_private;
/// let private = ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.1.1", "0.0.0.0"];
/// assert!(private.iter().all(|address| is_private(address.parse().unwrap())));
/// assert!(["::1", "fd00::1", "fe80::1", "::ffff:10.0.0.1"].iter().all(|a| is_private(a.parse().unwrap())));
/// let public = ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2001:db8::1", "::ffff:8.8.8.8", "255.255.255.255", "224.0.0.1"];
/// assert!(!public.iter().any(|address| is_private(address.parse().unwrap())));
/// ```
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
