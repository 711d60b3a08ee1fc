//! UDP and TCP headers.

use super::ip::Inner;
use super::{Body, Other, Segment};
use etherparse::{TcpHeaderSlice, UdpHeaderSlice, ip_number};

/// A transport header and its payload.
pub(super) struct Transport<'a> {
    pub src: u16,
    pub dst: u16,
    pub body: Body<'a>,
}

/// Reads the transport header of `inner`, whose extension headers have been skipped.
#[inline(always)]
pub(super) fn transport<'a>(inner: Inner<'a>) -> Result<Transport<'a>, Other> {
    match inner.protocol {
        ip_number::UDP => udp(inner),
        ip_number::TCP => tcp(inner),
        ip_number::ICMP | ip_number::IPV6_ICMP => Err(Other::Icmp),
        ip_number::IGMP => Err(Other::Igmp),
        protocol => Err(Other::Protocol(protocol.0)),
    }
}

#[inline(always)]
fn udp<'a>(inner: Inner<'a>) -> Result<Transport<'a>, Other> {
    let Ok(header) = UdpHeaderSlice::from_slice(inner.data) else { return Err(inner.short("udp", 8)) };
    // The length includes the header. Zero means a jumbogram, or that the network card fills it in; more than the
    // length given by IP is cut to that.
    let length = match usize::from(header.length()) {
        0 => inner.length - 8,
        1..8 => return Err(Other::Malformed("udp")),
        length => length.min(inner.length) - 8,
    };
    let payload = &inner.data[8..];
    let payload = &payload[..payload.len().min(length)];
    let (src, dst) = (header.source_port(), header.destination_port());
    Ok(Transport { src, dst, body: Body::Udp { payload, length } })
}

#[inline(always)]
fn tcp<'a>(inner: Inner<'a>) -> Result<Transport<'a>, Other> {
    let Ok(header) = TcpHeaderSlice::from_slice(inner.data) else {
        let need = inner.data.get(12).map_or(20, |byte| usize::from(byte >> 4) * 4);
        return Err(inner.short("tcp", need));
    };
    let head = header.slice().len();
    let segment = Segment {
        seq: header.sequence_number(),
        ack: header.acknowledgment_number(),
        has_ack: header.ack(),
        syn: header.syn(),
        fin: header.fin(),
        rst: header.rst(),
        payload: &inner.data[head..],
        length: inner.length - head,
    };
    let (src, dst) = (header.source_port(), header.destination_port());
    Ok(Transport { src, dst, body: Body::Tcp(segment) })
}
