//! The network layer: addresses, the true length, and the content after extension headers.

use super::Other;
use etherparse::{
    IpAuthHeaderSlice, IpNumber, Ipv4HeaderSlice, Ipv6FragmentHeaderSlice, Ipv6HeaderSlice, Ipv6RawExtHeaderSlice,
    ip_number,
};
use std::net::IpAddr;

/// The cap on extension headers.
const EXTENSIONS: usize = 256;

/// The content of an IP packet or of an extension header.
#[derive(Clone, Copy)]
pub(super) struct Inner<'a> {
    /// The protocol of the first header in it.
    pub protocol: IpNumber,
    /// The captured bytes, none past the IP length.
    pub data: &'a [u8],
    /// Its length on the wire.
    pub length: usize,
}

/// The position of a fragment in its datagram.
#[derive(Clone, Copy)]
pub(super) struct Fragment {
    pub id: u32,
    /// The offset in bytes.
    pub offset: usize,
    pub more: bool,
}

/// One IP packet, extension headers not processed. `fragment` is from IPv4's fragment fields.
pub(super) struct Ip<'a> {
    pub src: IpAddr,
    pub dst: IpAddr,
    pub inner: Inner<'a>,
    pub fragment: Option<Fragment>,
}

/// Reads the IPv4 packet at the start of `data`, of which `length` bytes were on the wire. The
/// caller has checked the version.
#[inline(always)]
pub(super) fn v4(data: &[u8], length: usize) -> Result<Ip<'_>, Other> {
    let Ok(header) = Ipv4HeaderSlice::from_slice(data) else {
        return Err(match data.first().map_or(0, |first| first & 15) {
            0..5 => Other::Malformed("ipv4"),
            _ => Other::Cut("ipv4"),
        });
    };
    let total = match header.total_len() {
        // Segmentation offload leaves this to the network card; the frame's length is right.
        0 => length,
        total => usize::from(total),
    };
    let head = header.slice().len();
    let Some(rest) = total.checked_sub(head) else { return Err(Other::Malformed("ipv4")) };
    // Bytes past the IP length are Ethernet's padding.
    let data = &data[head..];
    let data = &data[..data.len().min(rest)];
    let inner = Inner { protocol: header.protocol(), data, length: rest };
    let fragment = header.is_fragmenting_payload().then(|| Fragment {
        id: header.identification().into(),
        offset: usize::from(header.fragments_offset().value()) * 8,
        more: header.more_fragments(),
    });
    let (src, dst) = (header.source_addr().into(), header.destination_addr().into());
    Ok(Ip { src, dst, inner, fragment })
}

/// Reads the IPv6 packet at the start of `data`, of which `length` bytes were on the wire. The
/// caller has checked the version.
#[inline(always)]
pub(super) fn v6(data: &[u8], length: usize) -> Result<Ip<'_>, Other> {
    let Ok(header) = Ipv6HeaderSlice::from_slice(data) else { return Err(Other::Cut("ipv6")) };
    let head = header.slice().len();
    let rest = match header.payload_length() {
        // A jumbogram, or segmentation offload.
        0 => length.saturating_sub(head),
        rest => rest.into(),
    };
    let data = &data[head..];
    let data = &data[..data.len().min(rest)];
    let inner = Inner { protocol: header.next_header(), data, length: rest };
    let (inner, fragment) = extensions(inner)?;
    let (src, dst) = (header.source_addr().into(), header.destination_addr().into());
    Ok(Ip { src, dst, inner, fragment })
}

/// Skips extension headers up to the transport header or a fragment's content.
pub(super) fn extensions(mut inner: Inner<'_>) -> Result<(Inner<'_>, Option<Fragment>), Other> {
    for _ in 0..=EXTENSIONS {
        let (protocol, len) = match inner.protocol {
            ip_number::UDP | ip_number::TCP => return Ok((inner, None)),
            ip_number::IPV6_FRAG => {
                let header = Ipv6FragmentHeaderSlice::from_slice(inner.data).map_err(|_| inner.short("fragment", 8))?;
                if header.is_fragmenting_payload() {
                    let fragment = Fragment {
                        id: header.identification(),
                        offset: usize::from(header.fragment_offset().value()) * 8,
                        more: header.more_fragments(),
                    };
                    return Ok((inner.after(header.next_header(), 8)?, Some(fragment)));
                }
                (header.next_header(), 8)
            }
            ip_number::AUTH => {
                let header = IpAuthHeaderSlice::from_slice(inner.data)
                    .map_err(|_| inner.short("authentication", inner.announced(4, 2)))?;
                (header.next_header(), header.slice().len())
            }
            protocol if Ipv6RawExtHeaderSlice::header_type_supported(protocol) => {
                let header = Ipv6RawExtHeaderSlice::from_slice(inner.data)
                    .map_err(|_| inner.short("extension", inner.announced(8, 1)))?;
                (header.next_header(), header.slice().len())
            }
            _ => return Ok((inner, None)),
        };
        inner = inner.after(protocol, len)?;
    }
    Err(Other::Nested)
}

impl<'a> Inner<'a> {
    /// The content after a header of `len` bytes, which `data` contains.
    fn after(self, protocol: IpNumber, len: usize) -> Result<Inner<'a>, Other> {
        let (data, length) = (self.data.get(len..), self.length.checked_sub(len));
        match (data, length) {
            (Some(data), Some(length)) => Ok(Inner { protocol, data, length }),
            _ => Err(Other::Malformed("extension")),
        }
    }

    /// The reason why a header of `need` bytes does not fit: the capture cut the packet, or the packet is too short.
    pub(super) fn short(&self, header: &'static str, need: usize) -> Other {
        if self.length >= need && self.data.len() < need { Other::Cut(header) } else { Other::Malformed(header) }
    }

    /// The length that an extension header's length byte announces: that many `units`, and `more`.
    fn announced(&self, units: usize, more: usize) -> usize {
        (self.data.get(1).map_or(0, |count| usize::from(*count)) + more) * units
    }
}
