//! Which of Riptide's wire families a conversation speaks: no message says so, so candidates are
//! struck out by messages that do not fit them (README.md, "How a conversation
//! is recognised").

/// A wire family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 1.0 and 1.1.
    V10,
    /// 1.2.
    V12,
    /// 2.0, the specification's.
    V20,
    /// 2.1: as 2.2, with acks of always 7 bytes.
    V21,
    /// 2.2.
    V22,
}

impl Version {
    /// All, in the order in which they are tried: 2.1 is only ever found as a kind of 2.2.
    pub(super) const TRIED: [Version; 4] = [Version::V20, Version::V22, Version::V12, Version::V10];

    /// The name in the output.
    pub const fn name(self) -> &'static str {
        match self {
            Version::V10 => "1.0",
            Version::V12 => "1.2",
            Version::V20 => "2.0",
            Version::V21 => "2.1",
            Version::V22 => "2.2",
        }
    }

    /// The version of that name.
    pub fn by_name(name: &str) -> Option<Version> {
        [Version::V10, Version::V12, Version::V20, Version::V21, Version::V22].into_iter().find(|v| v.name() == name)
    }

    /// Is it bit-packed, with a type of 4 bits?
    pub const fn packed(self) -> bool {
        matches!(self, Version::V21 | Version::V22)
    }

    /// Its messages.
    pub fn layouts(self) -> &'static [crate::codec::Layout] {
        match self {
            Version::V10 => &super::layout::V10,
            Version::V12 => &super::layout::V12,
            Version::V20 => &super::layout::V20,
            Version::V21 | Version::V22 => &super::layout::V21,
        }
    }

    /// The layout for a message that begins with this byte: its type is the layout's index, and
    /// types above the known ones are the last layout, `unknown`.
    pub fn layout(self, first: u8) -> &'static crate::codec::Layout {
        let layouts = self.layouts();
        let index = if self.packed() { first & 15 } else { first } as usize;
        &layouts[index.min(layouts.len() - 1)]
    }

    /// The largest message that the library sends by default.
    pub const fn largest(self) -> usize {
        match self {
            Version::V10 | Version::V12 => 1250,
            Version::V20 => 1230,
            Version::V21 | Version::V22 => 1231,
        }
    }
}

/// The candidates that no message has struck out yet.
#[derive(Clone, Copy, Debug)]
pub struct Candidates {
    standing: u8,
}

impl Default for Candidates {
    fn default() -> Self {
        Candidates { standing: 0b1111 }
    }
}

impl Candidates {
    /// Strikes out those that the message does not fit. One that fits none changes nothing.
    pub fn see(&mut self, data: &[u8], length: usize) {
        if self.standing.is_power_of_two() {
            return;
        }
        let fitting = Version::TRIED.iter().enumerate().filter(|(_, v)| fits(**v, data, length));
        let mask = fitting.fold(0, |mask, (k, _)| mask | 1 << k) & self.standing;
        if mask != 0 {
            self.standing = mask;
        }
    }

    /// The first one standing.
    pub fn first(&self) -> Version {
        Version::TRIED[self.standing.trailing_zeros().min(3) as usize]
    }
}

/// Is this exactly what the library of that version writes? `length` is the length on the wire;
/// bytes that the capture cut off count as zeros.
pub fn fits(version: Version, data: &[u8], length: usize) -> bool {
    let Some(&first) = data.first() else { return false };
    if version.packed() { fits_packed(data, length, first) } else { fits_bytes(version, data, length, first) }
}

fn fits_bytes(version: Version, data: &[u8], length: usize, first: u8) -> bool {
    let byte = |k: usize| data.get(k).copied().unwrap_or(0);
    let sequence = u16::from_le_bytes([byte(1), byte(2)]);
    if first as usize >= version.layouts().len() - 1 {
        return false;
    }
    match version.layout(first).name {
        "unreliable" | "unreliable_auto_relay" => length >= 3,
        "reliable" | "reliable_auto_relay" => length >= 5 && sequence != 1,
        "ack" => length == 5,
        "ack_extra" => length == 7,
        "connect" => version == Version::V20 || length == 1,
        "heartbeat" => length == 2 || length == 4,
        "welcome" => length == 5 || version == Version::V12 && length > 5,
        "client_connected" | "client_disconnected" => length == 5 && sequence != 1,
        "reject" => match byte(1) {
            5 => length >= 2,
            2..=4 => length == 2,
            _ => false,
        },
        "disconnect" => match (length, byte(1)) {
            (1, _) => true,
            (2, 4 | 5) | (3.., 4) => version == Version::V20,
            _ => false,
        },
        _ => false,
    }
}

fn fits_packed(data: &[u8], length: usize, first: u8) -> bool {
    let bits = |at: usize, count: u32| crate::codec::bits::get(data, at, count);
    // Zero up to the end of a message of fixed size.
    let padded = |used: usize| bits(used, (length * 8).saturating_sub(used) as u32) == 0;
    let id_at = |at: usize| match (bits(at, 8), bits(at + 8, 8), bits(at + 16, 8)) {
        (a, ..) if a < 0x80 => Some(8),
        (_, b, _) if (1..0x80).contains(&b) => Some(16),
        (_, b, c) if b >= 0x80 && (1..4).contains(&c) => Some(24),
        _ => None,
    };
    let whole_id = |at: usize| id_at(at).is_some_and(|n: usize| at + n <= length * 8);
    match first & 15 {
        0 => whole_id(4),
        1 => match (length, bits(36, 1)) {
            (5, 0) => padded(37),
            (7, _) => padded(53),
            _ => false,
        },
        2 => length > 1 || first == 2,
        3 => match bits(4, 8) {
            4 => length >= 2,
            2 | 3 => length == 2 && padded(12),
            _ => false,
        },
        4 => length == 2 && padded(12) || length == 4 && padded(28),
        5 => match (length, bits(4, 8)) {
            (1, _) => padded(4),
            (2, 4 | 5) => padded(12),
            (3.., 4) => true,
            (2, _) => data == [5, 5],
            _ => false,
        },
        6 => length >= 6,
        7 => whole_id(20) && bits(4, 16) != 1,
        8 => length == 5 && padded(36),
        9 | 10 => length == 5 && padded(36) && bits(4, 16) != 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(hex: &str) -> Vec<&'static str> {
        let data = hex::decode(hex).unwrap();
        Version::TRIED.into_iter().filter(|v| fits(*v, &data, data.len())).map(Version::name).collect()
    }

    #[test]
    fn strict_fits() {
        assert_eq!(all("03"), ["2.0", "1.0"]);
        assert_eq!(all("02"), ["2.2"]);
        assert_eq!(all("04"), ["1.2"]);
        // Nothing but the size and the zero nibble at its end speaks for 2.2's welcome.
        assert_eq!(all("0801000100"), ["2.0", "2.2"]);
        assert_eq!(all("1800100000"), ["2.2"]);
        assert_eq!(all("1100100000"), ["2.2"]);
        assert_eq!(all("11001000200000"), ["2.2"]);
        // The misencoded stop of 2.1.0 to 2.2.0; to byte-aligned versions it is a heartbeat's answer.
        assert_eq!(all("0505"), ["2.0", "2.2", "1.2"]);
        assert_eq!(all(""), [""; 0]);
    }
}
