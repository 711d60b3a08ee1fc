//! Synthetic TCP connections for captures: the handshake, and running sequence numbers.

use crate::capture::Segment;

/// The maximum segment size: the payload of an Ethernet frame after the headers of IP and TCP.
pub(super) const fn most(ipv6: bool) -> usize {
    1500 - 20 - if ipv6 { 40 } else { 20 }
}

/// One connection: the next sequence number of each side. Side 0 opens it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connection {
    next: [u32; 2],
}

impl Connection {
    /// Creates the connection number `n`. Its sequence numbers begin far from those of the previous one, which may have
    /// had the same addresses.
    pub fn new(n: u64) -> Connection {
        let first = (n as u32).wrapping_mul(0x1000_0001).wrapping_add(1);
        Connection { next: [first, first.wrapping_add(0x0800_0000)] }
    }

    /// The segments of the handshake: the sender (0 or 1), and the segment.
    pub fn open(&mut self) -> [(usize, Segment<'static>); 3] {
        let [client, server] = self.next;
        self.next = [client.wrapping_add(1), server.wrapping_add(1)];
        [
            (0, Segment { seq: client, syn: true, ..Segment::default() }),
            (1, Segment { seq: server, ack: self.next[0], has_ack: true, syn: true, ..Segment::default() }),
            (0, Segment { seq: self.next[0], ack: self.next[1], has_ack: true, ..Segment::default() }),
        ]
    }

    /// The segments, of at most `most` bytes, in which `side` (0 or 1) sends `bytes`.
    pub fn send<'a>(
        &mut self,
        side: usize,
        bytes: &'a [u8],
        most: usize,
    ) -> impl Iterator<Item = Segment<'a>> + use<'a> {
        let (from, to) = if side == 0 { (0, 1) } else { (1, 0) };
        let (mut seq, ack) = (self.next[from], self.next[to]);
        self.next[from] = seq.wrapping_add(bytes.len() as u32);
        bytes.chunks(most.max(1)).map(move |payload| {
            let segment = Segment { seq, ack, has_ack: true, payload, length: payload.len(), ..Segment::default() };
            seq = seq.wrapping_add(payload.len() as u32);
            segment
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_on() {
        let mut connection = Connection::new(u64::MAX);
        let [(_, syn), (_, answer), (_, ack)] = connection.open();
        assert_eq!(answer.ack, syn.seq.wrapping_add(1));
        assert_eq!((ack.seq, ack.ack), (answer.ack, answer.seq.wrapping_add(1)));
        const MOST: usize = most(false);
        let bytes = [7; 2 * MOST + 1];
        let sent: Vec<_> =
            connection.send(0, &bytes, MOST).map(|s| (s.seq.wrapping_sub(ack.seq), s.payload.len())).collect();
        assert_eq!(sent, [(0, MOST), (MOST as u32, MOST), (2 * MOST as u32, 1)]);
        let answer = connection.send(1, b"x", MOST).next().unwrap();
        assert_eq!((answer.seq, answer.ack), (ack.ack, ack.seq.wrapping_add(2 * MOST as u32 + 1)));
    }
}
