//! Finds the wire family of a conversation. No message contains it, so messages rule out the versions that they do not
//! fit (README.md, "How a conversation is recognised").

use super::layout::{DATA, ID, Message, REASON, SEQUENCE, TRAILING, is_numbered};
use crate::codec::{Node, Reader, Tree, Value};
use crate::dissect::counts::is_near;
use crate::flow::Side;

/// A wire family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 1.0 and 1.1.
    V10,
    /// 1.2.
    V12,
    /// 2.0, as the specification has it.
    V20,
    /// 2.1: like 2.2, but its acks always have 7 bytes.
    V21,
    /// 2.2.
    V22,
}

crate::named!(Version: V10 = "1.0", V12 = "1.2", V20 = "2.0", V21 = "2.1", V22 = "2.2");

impl Version {
    /// The versions that are tried, in this order. 2.1 is only ever found as a kind of 2.2.
    pub(super) const TRIED: [Version; 4] = [Version::V20, Version::V22, Version::V12, Version::V10];

    /// Whether it is bit-packed, with a type of 4 bits.
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

    /// The layout of a message that begins with this byte. The type is the layout's index; unknown types have the last
    /// layout, `unknown`.
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

/// The candidates that no message has ruled out yet.
#[derive(Clone, Copy, Debug)]
pub struct Candidates {
    standing: u8,
    /// They are from another conversation, and no message of this one has been seen.
    lent: bool,
}

impl Default for Candidates {
    fn default() -> Self {
        Candidates { standing: 0b1111, lent: false }
    }
}

impl Candidates {
    /// Rules out the candidates that the message does not fit. A message that fits none changes nothing. `tree` is
    /// reused memory, and empty afterwards.
    pub fn see(&mut self, data: &[u8], length: usize, tree: &mut Tree) {
        if self.standing.is_power_of_two() && !self.lent {
            return;
        }
        let fitting = Version::TRIED.iter().enumerate().filter(|(_, v)| read(**v, data, length, tree).is_some());
        let all = fitting.fold(0, |mask, (k, _)| mask | 1 << k);
        tree.clear();
        let mask = match all & self.standing {
            // Clients may try a server in several versions.
            0 if self.lent => all,
            mask => mask,
        };
        if mask != 0 {
            (self.standing, self.lent) = (mask, false);
        }
    }

    /// The candidates for another conversation with that server. Its first message may overrule them.
    pub fn lent(self) -> Candidates {
        Candidates { lent: true, ..self }
    }

    /// Whether only one is left.
    pub fn is_one(&self) -> bool {
        self.standing.is_power_of_two()
    }

    /// The first candidate that is left.
    pub fn first(&self) -> Version {
        Version::TRIED[self.standing.trailing_zeros().min(3) as usize]
    }
}

/// Reads a message that may not be Riptide's. If the library of that version [writes](is_written) such a message,
/// returns its name, and leaves its fields in `tree`. `length` is the length on the wire.
pub fn read(version: Version, data: &[u8], length: usize, tree: &mut Tree) -> Option<Message> {
    Numbering::default().read(version, Side::A, data, length, tree)
}

/// The state of both sides' numbers: 1 is a welcome's number, unless they have wrapped.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbering {
    wraps: [bool; 2],
}

impl Numbering {
    /// Like [`read`], for the next message of a conversation.
    pub fn read(
        &mut self,
        version: Version,
        side: Side,
        data: &[u8],
        length: usize,
        tree: &mut Tree,
    ) -> Option<Message> {
        let message = read_any(version, data, length, tree)?;
        if is_numbered(message) {
            let (wraps, number) = (&mut self.wraps[side.index()], tree.number(&SEQUENCE).map(|id| id as u16));
            *wraps |= number.is_some_and(|id| id as i16 <= 0 && is_near(id, 0));
            if number == Some(1) && message != Message::Welcome && !*wraps {
                return None;
            }
        }
        Some(message)
    }
}

/// Reads a message with any number.
fn read_any(version: Version, data: &[u8], length: usize, tree: &mut Tree) -> Option<Message> {
    tree.clear();
    let layout = version.layout(*data.first()?);
    let outcome = Reader::new(data, tree).wire_length(length).read(layout.fields);
    let message = Message::of(layout);
    let whole = match outcome.fault() {
        None => true,
        // Bytes that the capture has cut off may be data, but not bytes that the library never writes.
        Some(fault) => fault.is_cut() && layout.fields.last().is_some_and(|f| !f.is_named_as(&TRAILING)),
    };
    (whole && is_written(version, message, tree)).then_some(message)
}

/// Whether [`read`] accepts the message.
pub fn fits(version: Version, data: &[u8], length: usize) -> bool {
    read(version, data, length, &mut Tree::default()).is_some()
}

/// Returns the bytes after the message's last field.
#[inline]
pub fn trailing(tree: &Tree) -> Option<&Node> {
    // The last node may also be one in the application's data.
    tree.nodes().last().filter(|node| node.field.is_named_as(&TRAILING)).and_then(|_| tree.find(&TRAILING))
}

/// Whether the library of that version writes such a message. The tables also have forms that only receivers accept;
/// these are excluded here.
#[inline]
pub fn is_written(version: Version, message: Message, tree: &Tree) -> bool {
    // Most messages.
    if matches!(
        message,
        Message::Unreliable | Message::UnreliableAutoRelay | Message::Reliable | Message::ReliableAutoRelay
    ) {
        // Before 2.1 the id is two bytes.
        return !version.packed() || tree.find(&ID).is_none_or(|id| matches!(id.value, Value::UInt(..=0xffff)));
    }
    is_session_message_written(version, message, tree)
}

/// The same for the messages that the library sends by itself.
fn is_session_message_written(version: Version, message: Message, tree: &Tree) -> bool {
    let exact = || trailing(tree).is_none();
    let data = || tree.find(&DATA).map(|data| data.bits);
    // Less than a byte is not data.
    let may_have_data = |may: bool| data().is_none_or(|bits| may && bits >= 8);
    let reason = if matches!(message, Message::Reject | Message::Disconnect) { tree.number(&REASON) } else { None };
    match (message, reason) {
        (Message::Unknown, _) => false,
        (Message::Connect, _) => may_have_data(!matches!(version, Version::V10 | Version::V12)),
        (Message::Welcome, _) => exact() && may_have_data(version == Version::V12),
        // Only the last reason has data. The first two are for endpoints that never send a reject.
        (Message::Reject, Some(reason @ 2..)) => {
            let custom = if version.packed() { 4 } else { 5 };
            reason <= custom && may_have_data(reason == custom)
        }
        (Message::Reject, _) => false,
        // A kick has data. 80: see `remarks::reason`.
        (Message::Disconnect, None) => exact() && may_have_data(false),
        (Message::Disconnect, Some(reason)) => {
            may_have_data(reason == 4) && (matches!(reason, 4 | 5) || reason == 80 && version.packed())
        }
        _ => exact(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::LAST;
    use super::*;

    fn all(hex: &str) -> Vec<&'static str> {
        let data = hex::decode(hex).unwrap();
        Version::TRIED.into_iter().filter(|v| fits(*v, &data, data.len())).map(Version::name).collect()
    }

    #[test]
    fn a_message_is_read_by_its_table_alone() {
        let mut tree = Tree::default();
        // Nothing here names a notify: a new message in the tables needs no other change.
        let notify = [0x56, 0, 0, 0x10, 0, 0];
        assert_eq!(read(Version::V22, &notify, notify.len(), &mut tree), Some(Message::Notify));
        assert_eq!((tree.number(&LAST), tree.number(&SEQUENCE)), (Some(5), Some(1)));
        assert_eq!(read(Version::V22, &notify[..5], 5, &mut tree), None);
        assert_eq!(read(Version::V20, &[11, 2, 0], 3, &mut tree), None, "no such type");
    }

    #[test]
    fn what_the_capture_has_cut_off_may_be_a_payload() {
        let mut tree = Tree::default();
        let reliable = [7, 2, 0, 1];
        assert_eq!(read(Version::V20, &reliable, 40, &mut tree), Some(Message::Reliable));
        assert_eq!(read(Version::V20, &reliable, 4, &mut tree), None);
        assert_eq!(read(Version::V20, &[1, 2, 0], 40, &mut tree), None, "an ack has five bytes");
    }

    #[test]
    fn strict_fits() {
        assert_eq!(all("03"), ["2.0", "1.0"]);
        assert_eq!(all("02"), ["2.2"]);
        assert_eq!(all("04"), ["1.2"]);
        // Only the size and the final zero nibble fit 2.2's welcome.
        assert_eq!(all("0801000100"), ["2.0", "2.2"]);
        assert_eq!(all("1800100000"), ["2.2"]);
        assert_eq!(all("1100100000"), ["2.2"]);
        assert_eq!(all("11001000200000"), ["2.2"]);
        // The misencoded stop of 2.1.0 to 2.2.0; to byte-aligned versions it is a heartbeat's answer.
        assert_eq!(all("0505"), ["2.0", "2.2", "1.2"]);
        assert_eq!(all(""), [""; 0]);
    }

    /// Number 1 is the welcome's. Another message has it only after the last numbers of the same side.
    #[test]
    fn numbers_wrap() {
        let all = |payloads: &[(Side, &str)]| {
            let (mut numbering, mut tree) = (Numbering::default(), Tree::default());
            payloads.iter().all(|(side, hex)| {
                let data = hex::decode(hex).unwrap();
                numbering.read(Version::V20, *side, &data, data.len(), &mut tree).is_some()
            })
        };
        assert!(all(&[(Side::A, "07feff0100"), (Side::A, "0700000100"), (Side::A, "0701000100")]));
        assert!(all(&[(Side::A, "07feff0100"), (Side::A, "0702000100"), (Side::A, "0701000100")]), "resent");
        assert!(!all(&[(Side::B, "07feff0100"), (Side::A, "0701000100")]));
        assert!(!all(&[(Side::A, "0700010100"), (Side::A, "0701000100")]));
    }

    /// `ack_extra` has exactly one id after the newest: no byte less or more.
    #[test]
    fn an_ack_extra_has_one_length() {
        let fits = |hex: &str| all(hex).into_iter().filter(|version| *version != "2.2").collect::<Vec<_>>();
        assert_eq!(fits("02010002000300"), ["2.0", "1.0"]);
        assert_eq!(fits("03010002000300"), ["2.0", "1.2"], "to 2.0 it is a connect with data");
        for other in ["020100020003", "0201000200030000", "030100020003", "0301000200030000"] {
            assert!(fits(other).iter().all(|version| other.starts_with("03") && *version == "2.0"), "{other}");
        }
    }

    /// Messages of any size without numbers prove nothing, however many there are.
    #[test]
    fn unreliable_messages_prove_nothing() {
        use crate::flow::Side;
        let payloads = |bytes: &'static [u8]| [(Side::A, bytes, bytes.len()), (Side::B, bytes, bytes.len())].repeat(6);
        let numbers = |version, bytes| super::super::evidence::numbers(version, payloads(bytes).into_iter());
        assert_eq!(numbers(Version::V22, &[0x10, 0x50]), Some(0));
        // Only their one type counts, less the choice of a version.
        assert_eq!(numbers(Version::V20, &[0, 1, 0x50]), Some(2 - 2));
    }
}
