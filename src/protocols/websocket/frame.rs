//! A frame's head: flags, opcode, length, mask (RFC 6455, section 5.2).

/// Opcodes with a meaning.
pub mod opcode {
    /// Continues a message.
    pub const CONTINUATION: u8 = 0;
    /// Begins a text message.
    pub const TEXT: u8 = 1;
    /// Begins a binary message.
    pub const BINARY: u8 = 2;
    /// Ends the connection.
    pub const CLOSE: u8 = 8;
    /// Asks for a pong.
    pub const PING: u8 = 9;
    /// Answers a ping.
    pub const PONG: u8 = 10;
}

/// The longest payload of a control frame, with a length of one byte.
pub const CONTROL_MOST: u64 = 125;

/// A frame's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The message's last frame.
    pub fin: bool,
    /// RSV1 to RSV3: 4, 2, 1.
    pub rsv: u8,
    /// The opcode, see [`opcode`].
    pub opcode: u8,
    /// The mask, in a client's frames.
    pub mask: Option<[u8; 4]>,
    /// The number of bytes of the payload.
    pub length: u64,
    /// The number of bytes of the head itself.
    pub size: usize,
}

impl Head {
    /// Reads the head at the beginning of `bytes`; `None`: it is not complete.
    pub fn read(bytes: &[u8]) -> Option<Head> {
        let (first, second) = (*bytes.first()?, *bytes.get(1)?);
        let wide = match second & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        let length = match wide {
            0 => (second & 0x7f) as u64,
            _ => bytes.get(2..2 + wide)?.iter().fold(0, |n, b| n << 8 | *b as u64),
        };
        let mut size = 2 + wide;
        let mut mask = None;
        if second & 0x80 != 0 {
            mask = Some(bytes.get(size..size + 4)?.try_into().ok()?);
            size += 4;
        }
        Some(Head { fin: first & 0x80 != 0, rsv: first >> 4 & 7, opcode: first & 15, mask, length, size })
    }

    /// Whether it is a close, ping, pong, or a reserved control frame.
    pub fn is_control(&self) -> bool {
        self.opcode & 8 != 0
    }

    /// The number of bytes of head and payload.
    pub fn whole(&self) -> u64 {
        self.length.saturating_add(self.size as u64)
    }

    /// Whether it agrees with the standard, so that a frame may begin here.
    pub fn plausible(&self) -> bool {
        let known = matches!(self.opcode, 0..=2 | 8..=10);
        let control = !self.is_control() || self.fin && self.rsv == 0 && self.length <= CONTROL_MOST;
        known && control && self.rsv & 3 == 0 && self.length < 1 << 32
    }
}

/// Applies or removes a mask.
pub fn mask(bytes: &mut [u8], mask: [u8; 4]) {
    let (chunks, rest) = bytes.as_chunks_mut::<4>();
    chunks.iter_mut().for_each(|four| *four = (u32::from_ne_bytes(*four) ^ u32::from_ne_bytes(mask)).to_ne_bytes());
    rest.iter_mut().zip(mask).for_each(|(byte, m)| *byte ^= m);
}

/// The head of a frame with FIN, without RSV, with the shortest form of the length.
pub fn head(opcode: u8, key: Option<[u8; 4]>, length: u64) -> Vec<u8> {
    let masked = if key.is_some() { 0x80 } else { 0 };
    let mut out = vec![0x80 | opcode & 15];
    match length {
        0..=125 => out.push(masked | length as u8),
        126..=0xffff => {
            out.push(masked | 126);
            out.extend((length as u16).to_be_bytes());
        }
        _ => {
            out.push(masked | 127);
            out.extend(length.to_be_bytes());
        }
    }
    out.extend(key.iter().flatten());
    out
}

/// Writes a frame with that head.
pub fn write(opcode: u8, key: Option<[u8; 4]>, payload: &[u8]) -> Vec<u8> {
    let mut out = head(opcode, key, payload.len() as u64);
    let size = out.len();
    out.extend_from_slice(payload);
    if let (Some(key), Some(payload)) = (key, out.get_mut(size..)) {
        mask(payload, key);
    }
    out
}

/// Writes frames with these consecutive heads. Each takes as much of the payload as its length, the last one all the
/// rest.
pub fn rebuild(heads: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(heads.len() + payload.len());
    let (mut heads, mut payload) = (heads, payload);
    while let Some(head) = Head::read(heads) {
        let (this, rest) = heads.split_at(head.size.min(heads.len()));
        let length = if rest.is_empty() { payload.len() as u64 } else { head.length.min(payload.len() as u64) };
        let (part, more) = payload.split_at(length as usize);
        out.extend_from_slice(this);
        let start = out.len();
        out.extend_from_slice(part);
        if let (Some(key), Some(part)) = (head.mask, out.get_mut(start..)) {
            mask(part, key);
        }
        (heads, payload) = (rest, more);
    }
    // Bytes that are no head are written as given.
    out.extend_from_slice(heads);
    out.extend_from_slice(payload);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_of_length() {
        for (length, key) in [(0, None), (125, Some([1, 2, 3, 4])), (126, None), (65535, Some([9; 4])), (65536, None)] {
            let payload = vec![7; length];
            let mut frame = write(opcode::BINARY, key, &payload);
            let head = Head::read(&frame).unwrap();
            assert_eq!((head.length, head.mask, head.opcode, head.fin), (length as u64, key, 2, true));
            let rest = frame.split_off(head.size);
            let mut plain = rest.clone();
            if let Some(key) = key {
                mask(&mut plain, key);
            }
            assert_eq!(plain, payload);
            assert!((0..head.size).all(|n| Head::read(&frame[..n]).is_none()));
        }
    }

    /// A longer control frame is not plausible: the place is in the middle of something else.
    #[test]
    fn control_frames_are_short_and_whole() {
        let plausible = |bytes: &[u8]| Head::read(bytes).unwrap().plausible();
        for control in [opcode::CLOSE, opcode::PING, opcode::PONG] {
            assert!(plausible(&head(control, None, 0)) && plausible(&head(control, Some([1; 4]), 125)));
            assert!(!plausible(&head(control, None, 126)) && !plausible(&head(control, Some([1; 4]), 65536)));
            // A fragment, and a frame with a reserved bit.
            assert!(!plausible(&[control, 3]) && !plausible(&[0xc0 | control, 3]));
        }
        for data in [opcode::CONTINUATION, opcode::TEXT, opcode::BINARY] {
            assert!(plausible(&head(data, None, 126)) && plausible(&[data, 3]) && plausible(&[0xc0 | data, 3]));
        }
        assert!(!plausible(&head(3, None, 5)) && !plausible(&head(11, None, 5)));
    }
}
