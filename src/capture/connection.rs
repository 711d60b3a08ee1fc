//! Synthetic TCP connections for captures: the handshake, and running sequence numbers.

use super::Segment;

/// The maximum segment size: the payload of an Ethernet frame after the headers of IP and TCP.
pub const fn most(ipv6: bool) -> usize {
    1500 - 20 - if ipv6 { 40 } else { 20 }
}

/// One connection: the next sequence number of each side.
#[derive(Clone, Copy, Debug)]
pub struct Connection {
    next: [u32; 2],
}

impl Default for Connection {
    /// A connection whose addresses no other one has.
    fn default() -> Connection {
        Connection { next: [1000, 5000] }
    }
}

impl Connection {
    /// Creates the connection number `n`. Its sequence numbers begin far from those of the previous one, which may have
    /// had the same addresses.
    pub fn new(n: u64) -> Connection {
        let first = (n as u32).wrapping_mul(0x1000_0001).wrapping_add(1);
        Connection { next: [first, first.wrapping_add(0x0800_0000)] }
    }

    /// Leaves out the numbers of this many bytes of `side`, which are missing in the capture.
    pub fn skip(&mut self, side: usize, missing: u64) {
        self.next[side] = self.next[side].wrapping_add(missing as u32);
    }

    /// Fills in the numbers and the length of the next segment of `side` (0 or 1). All but a plain SYN acknowledge.
    pub fn next<'a>(&mut self, side: usize, segment: Segment<'a>) -> Segment<'a> {
        let (from, to) = if side == 0 { (0, 1) } else { (1, 0) };
        let (seq, length) = (self.next[from], segment.payload.len());
        let has_ack = segment.has_ack || !segment.syn;
        let ack = if has_ack { self.next[to] } else { 0 };
        self.next[from] = seq.wrapping_add(length as u32 + u32::from(segment.syn) + u32::from(segment.fin));
        Segment { seq, ack, has_ack, length, ..segment }
    }
}

/// The segments of the handshake, without numbers, and their sides: 0 opens the connection.
pub fn handshake() -> [(usize, Segment<'static>); 3] {
    let syn = |has_ack| Segment { syn: true, has_ack, ..Segment::default() };
    [(0, syn(false)), (1, syn(true)), (0, Segment::default())]
}

/// The last segment of a side, without numbers.
pub fn last(reset: bool) -> Segment<'static> {
    Segment { fin: !reset, rst: reset, ..Segment::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_on() {
        let mut connection = Connection::new(u64::MAX);
        let [syn, answer, ack] = handshake().map(|(side, segment)| connection.next(side, segment));
        assert!(!syn.has_ack && answer.has_ack && ack.has_ack);
        assert_eq!(answer.ack, syn.seq.wrapping_add(1));
        assert_eq!((ack.seq, ack.ack), (answer.ack, answer.seq.wrapping_add(1)));
        const MOST: usize = most(false);
        let bytes = [7; 2 * MOST + 1];
        let data = |payload| Segment { payload, ..Segment::default() };
        let sent = bytes.chunks(MOST).map(|payload| connection.next(0, data(payload)));
        let sent: Vec<_> = sent.map(|s| (s.seq.wrapping_sub(ack.seq), s.length)).collect();
        assert_eq!(sent, [(0, MOST), (MOST as u32, MOST), (2 * MOST as u32, 1)]);
        let answer = connection.next(1, data(b"x"));
        assert_eq!((answer.seq, answer.ack), (ack.ack, ack.seq.wrapping_add(2 * MOST as u32 + 1)));
    }
}
