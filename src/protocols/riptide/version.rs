//! Which of Riptide's wire families a conversation speaks: no message says so, so candidates are
//! struck out by messages that do not fit them (README.md, "How a conversation
//! is recognised").

use super::layout::{DATA, ID, Message, REASON, SEQUENCE, TRAILING, is_numbered};
use crate::codec::{Reader, Reason, Tree, Value};
use crate::dissect::counts::is_near;
use crate::flow::Side;

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
    /// They are another conversation's, and no message of this one has been seen.
    lent: bool,
}

impl Default for Candidates {
    fn default() -> Self {
        Candidates { standing: 0b1111, lent: false }
    }
}

impl Candidates {
    /// Strikes out those that the message does not fit. One that fits none changes nothing. `tree`: memory, which is
    /// empty behind it.
    pub fn see(&mut self, data: &[u8], length: usize, tree: &mut Tree) {
        if self.standing.is_power_of_two() && !self.lent {
            return;
        }
        let fitting = Version::TRIED.iter().enumerate().filter(|(_, v)| read(**v, data, length, tree).is_some());
        let all = fitting.fold(0, |mask, (k, _)| mask | 1 << k);
        tree.clear();
        let mask = match all & self.standing {
            // Clients may ask a server in several versions.
            0 if self.lent => all,
            mask => mask,
        };
        if mask != 0 {
            (self.standing, self.lent) = (mask, false);
        }
    }

    /// The same for another conversation with that server, unless its first message says otherwise.
    pub fn lent(self) -> Candidates {
        Candidates { lent: true, ..self }
    }

    /// Is only one left?
    pub fn is_one(&self) -> bool {
        self.standing.is_power_of_two()
    }

    /// The first one standing.
    pub fn first(&self) -> Version {
        Version::TRIED[self.standing.trailing_zeros().min(3) as usize]
    }
}

/// Reads a message of which nobody knows whether it is Riptide's. Returns which it is, and leaves its fields in
/// `tree`, if it is what the library of that version [writes](is_written). `length` is the length on the wire.
pub fn read(version: Version, data: &[u8], length: usize, tree: &mut Tree) -> Option<Message> {
    Numbering::default().read(version, (Side::A, data, length), tree)
}

/// How far the numbers of both sides are: 1 is a welcome's, unless they have wrapped.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbering {
    wraps: [bool; 2],
}

impl Numbering {
    /// [`read`], the next message of a conversation.
    pub fn read(
        &mut self,
        version: Version,
        (side, data, length): (Side, &[u8], usize),
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
        // What the capture has cut off may be data, but nothing that nobody writes.
        Some(fault) => fault.reason == Reason::Cut && layout.fields.last().is_some_and(|f| !f.is_named_as(&TRAILING)),
    };
    (whole && is_written(version, message, tree)).then_some(message)
}

/// [`read`], where only that matters.
pub fn fits(version: Version, data: &[u8], length: usize) -> bool {
    read(version, data, length, &mut Tree::default()).is_some()
}

/// Does something stand behind the message's last field?
#[inline]
pub fn has_trailing(tree: &Tree) -> bool {
    tree.nodes().last().is_some_and(|node| node.field.is_named_as(&TRAILING))
}

/// Does the library of that version write the whole message like this? Its tables also have what receivers
/// accept: a message is what its table says, except for the following.
pub fn is_written(version: Version, message: Message, tree: &Tree) -> bool {
    // Before 2.1 it is two bytes.
    let short_id = || !version.packed() || tree.find(&ID).is_none_or(|id| matches!(id.value, Value::UInt(..=0xffff)));
    let exact = || !has_trailing(tree);
    let data = || tree.find(&DATA).map(|data| data.bits);
    // Less than a byte is no data.
    let may_have_data = |may: bool| data().is_none_or(|bits| may && bits >= 8);
    let reason = if matches!(message, Message::Reject | Message::Disconnect) { tree.number(&REASON) } else { None };
    match (message, reason) {
        (Message::Unknown, _) => false,
        (Message::Unreliable | Message::UnreliableAutoRelay, _) => short_id(),
        (Message::Reliable | Message::ReliableAutoRelay, _) => short_id(),
        (Message::Connect, _) => may_have_data(!matches!(version, Version::V10 | Version::V12)),
        (Message::Welcome, _) => exact() && may_have_data(version == Version::V12),
        // Only the last reason has data, and the first two are for what never sends a reject.
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
        // Nothing here names a notify: whoever adds a message to the tables has no more to do.
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
        // Nothing but the size and the zero nibble at its end speaks for 2.2's welcome.
        assert_eq!(all("0801000100"), ["2.0", "2.2"]);
        assert_eq!(all("1800100000"), ["2.2"]);
        assert_eq!(all("1100100000"), ["2.2"]);
        assert_eq!(all("11001000200000"), ["2.2"]);
        // The misencoded stop of 2.1.0 to 2.2.0; to byte-aligned versions it is a heartbeat's answer.
        assert_eq!(all("0505"), ["2.0", "2.2", "1.2"]);
        assert_eq!(all(""), [""; 0]);
    }

    /// The number 1 is the welcome's, and another's only after the last numbers of the same side.
    #[test]
    fn numbers_wrap() {
        let all = |said: &[(Side, &str)]| {
            let (mut numbering, mut tree) = (Numbering::default(), Tree::default());
            said.iter().all(|(side, hex)| {
                let data = hex::decode(hex).unwrap();
                numbering.read(Version::V20, (*side, &data, data.len()), &mut tree).is_some()
            })
        };
        assert!(all(&[(Side::A, "07feff0100"), (Side::A, "0700000100"), (Side::A, "0701000100")]));
        assert!(all(&[(Side::A, "07feff0100"), (Side::A, "0702000100"), (Side::A, "0701000100")]), "resent");
        assert!(!all(&[(Side::B, "07feff0100"), (Side::A, "0701000100")]));
        assert!(!all(&[(Side::A, "0700010100"), (Side::A, "0701000100")]));
    }

    /// What `ack_extra` acknowledges beside the newest is all that follows: no byte less or more.
    #[test]
    fn an_ack_extra_has_one_length() {
        let fits = |hex: &str| all(hex).into_iter().filter(|version| *version != "2.2").collect::<Vec<_>>();
        assert_eq!(fits("02010002000300"), ["2.0", "1.0"]);
        assert_eq!(fits("03010002000300"), ["2.0", "1.2"], "to 2.0 it is a connect with data");
        for other in ["020100020003", "0201000200030000", "030100020003", "0301000200030000"] {
            assert!(fits(other).iter().all(|version| other.starts_with("03") && *version == "2.0"), "{other}");
        }
    }

    /// Messages of any size whose bytes have no numbers say nothing, however many there are.
    #[test]
    fn unreliable_messages_prove_nothing() {
        use crate::flow::Side;
        let said = |bytes: &'static [u8]| [(Side::A, bytes, bytes.len()), (Side::B, bytes, bytes.len())].repeat(6);
        let numbers = |version, bytes| super::super::evidence::numbers(version, said(bytes).into_iter());
        assert_eq!(numbers(Version::V22, &[0x10, 0x50]), Some(0));
        // But for their one type, less what the choice of a version takes.
        assert_eq!(numbers(Version::V20, &[0, 1, 0x50]), Some(2 - 2));
    }
}
