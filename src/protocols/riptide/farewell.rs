//! The end of a Riptide connection: the reason of a reject or disconnect, and the application's data with it.

use super::layout::Message::{self, Reject};
use super::layout::{DATA, DISCONNECT_20, DISCONNECT_21, REASON, REJECT_20, REJECT_21};
use super::version::Version;
use crate::codec::{Tree, Value, bits};
use crate::dissect::delivery::{Event, Step};
use crate::dissect::{Dissection, Provenance};

/// A reason that 2.1.0 to 2.2.0 encode wrongly.
const MISENCODED_STOP: u64 = 80;
/// The shortest text that is recognised: fewer bytes look like text by chance.
const LEADING: usize = 4;

/// Adds the events and texts of a reject or disconnect. `timeout` is the library's, in nanoseconds.
pub(super) fn farewell(
    message: Message,
    version: Version,
    timeout: i64,
    place: &Provenance<'_>,
    dissection: &mut Dissection,
) {
    let step = match (message, reason(message, version, &dissection.tree)) {
        (Reject, reason) => Step::Refused(reason.unwrap_or("rejected")),
        // Clients send no reason, and before 2.0 servers send none either.
        (_, None) => Step::Left("disconnected"),
        (_, Some("kicked")) => Step::Kicked("kicked"),
        (_, Some("timed_out")) => Step::TimedOut(timeout),
        (_, Some("poor_connection")) => Step::Poor,
        (_, Some(reason @ "connection_rejected")) => Step::Refused(reason),
        (_, Some(reason @ "disconnected")) => Step::Left(reason),
        (_, Some(reason)) => Step::LeftFor(reason),
    };
    dissection.delivery.push(Event::Step(step));
    dissection.farewell = data(&dissection.tree, place.bytes).map(|words| Box::new(words.into()));
}

/// The name of the reason on the wire; `None`: there is none.
fn reason(message: Message, version: Version, tree: &Tree) -> Option<&'static str> {
    let number = tree.number(&REASON)?;
    let names = match (message, version.packed()) {
        (Reject, false) => REJECT_20,
        (Reject, true) => REJECT_21,
        (_, false) => DISCONNECT_20,
        (_, true) if number == MISENCODED_STOP => return Some("server_stopped"),
        (_, true) => DISCONNECT_21,
    };
    Some(names.iter().find(|(value, _)| *value == number).map_or("unknown", |(_, name)| name))
}

/// The application's data: as text if it is text, else as hex.
fn data(tree: &Tree, message: &[u8]) -> Option<String> {
    let Value::Bytes { bit, bits } = tree.find(&DATA)?.value else { return None };
    let bytes: Vec<u8> = (0..bits / 8).map(|k| bits::get(message, (bit + 8 * k) as usize, 8) as u8).collect();
    if bytes.is_empty() {
        return None;
    }
    Some(data_text(&bytes).or_else(|| leading_text(&bytes)).unwrap_or_else(|| hex::encode(&bytes)))
}

/// A string before other values: its text, and the rest as hex.
fn leading_text(bytes: &[u8]) -> Option<String> {
    let (length, rest) = bytes.split_first()?;
    let (text, rest) = rest.split_at_checked(*length as usize).filter(|(text, _)| text.len() >= LEADING)?;
    let text = std::str::from_utf8(text).ok().filter(|text| !text.chars().any(char::is_control))?;
    Some(format!("{text} {}", hex::encode(rest)))
}

/// The text of a string in an application's data. Its length comes first.
pub(super) fn data_text(bytes: &[u8]) -> Option<String> {
    let text = match bytes {
        [length, rest @ ..] if *length as usize == rest.len() => rest,
        // From 128 bytes on the length has two bytes: 2.0 sets the highest bit of the first, 2.1 of each but the last.
        [a @ 0x80..=0xff, b, rest @ ..]
            if usize::from(*a & 0x7f) << 8 | usize::from(*b) == rest.len()
                || usize::from(*b) << 7 | usize::from(*a & 0x7f) == rest.len() =>
        {
            rest
        }
        all => all,
    };
    let text = std::str::from_utf8(text).ok()?;
    (!text.is_empty() && !text.chars().any(char::is_control)).then(|| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::data_text as printable;

    #[test]
    fn data_that_is_text() {
        let text = "x".repeat(300);
        let long = |head: [u8; 2]| printable(&[&head[..], text.as_bytes()].concat());
        assert_eq!(long([0x81, 44]), Some(text.clone()), "2.0");
        assert_eq!(long([0xac, 2]), Some(text.clone()), "2.1 and later");
        assert_eq!((long([0x81, 45]), printable(&[2, b'h', b'i'])), (None, Some("hi".into())));
    }
}
