//! What a single Riptide message says by its form alone: what the library would not have written, and
//! what its receiver makes of that.

use super::layout::{DATA, ID, Message, REASON, TRAILING};
use super::version::Version;
use crate::codec::layout::{Field, u16le};
use crate::codec::{Fault, Level, Node, Reason, Value};
use crate::dissect::{Dissection, Provenance};
use crate::plural::Plural;

/// Beside a message id of a form that the library does not write.
pub(super) static DERIVED_ID: Field = u16le("message_id").doc("the id that the library uses: the value modulo 65536");
/// Beside a reason that the sender packed wrongly.
pub(super) static DERIVED_REASON: Field = u16le("reason").names(&[(80, "server_stopped")]).doc("what the sender meant");

/// Forms of a message id that the library does not write, and what it makes of them.
#[inline]
pub(super) fn message_id(version: Version, place: &Provenance<'_>, dissection: &mut Dissection) {
    // Before 2.1 it is two bytes, of which all values are written.
    if version.packed() {
        varint_id(place, dissection);
    }
}

fn varint_id(place: &Provenance<'_>, dissection: &mut Dissection) {
    let Some(id) = dissection.tree.find(&ID) else { return };
    if matches!(id.value, Value::UInt(..=65535)) {
        return;
    }
    let low = id_value(id, place.bytes) & 0xffff;
    dissection.derived.push(&DERIVED_ID, Value::UInt(low), 0, 0);
    dissection.notes.add(
        Level::Warning,
        "riptide.message_id",
        format_args!("no form that the library writes: it uses {low}"),
    );
}

/// The reason of a reject or disconnect, and what may stand behind it.
pub(super) fn reason(message: Message, version: Version, place: &Provenance<'_>, dissection: &mut Dissection) {
    let Some(reason) = dissection.tree.number(&REASON) else { return };
    if message == Message::Disconnect && version.packed() && place.bytes == [5, 5] && reason == 80 {
        dissection.derived.push(&DERIVED_REASON, Value::UInt(80), 0, 0);
        dissection.notes.add(
            Level::Note,
            "riptide.server_stopped_misencoded",
            format_args!("server_stopped, as 2.1.0 to 2.2.0 pack it wrongly"),
        );
    }
    let custom = match (message, version) {
        (Message::Reject, Version::V20) => 5,
        _ => 4,
    };
    if reason != custom && dissection.tree.find(&DATA).is_some() {
        dissection.notes.add(
            Level::Warning,
            "riptide.unexpected_data",
            format_args!("data behind a reason that has none"),
        );
    }
}

/// What stands behind a message's last field.
pub(super) fn trailing(dissection: &mut Dissection) {
    if let Some(bits) =
        dissection.tree.nodes().last().filter(|node| node.field.is_named_as(&TRAILING)).map(|node| node.bits)
    {
        // As the tree counts them.
        let count = if bits % 8 == 0 { Plural(bits / 8, "byte") } else { Plural(bits, "bit") };
        dissection.notes.add(
            Level::Warning,
            "riptide.trailing",
            format_args!("{count} behind the message: the library ignores them"),
        );
    }
}

/// A message id's value, also of forms that are shown raw.
fn id_value(node: &Node, bytes: &[u8]) -> u64 {
    match node.value {
        Value::Raw { bit, bits } => (0..bits / 8).take(10).fold(0u64, |value, k| {
            let group = crate::codec::bits::get(bytes, (bit + 8 * k) as usize, 7);
            value | group.checked_shl(7 * k).unwrap_or(0)
        }),
        _ => node.number().unwrap_or(0),
    }
}

/// A datagram of which there is no byte.
pub(super) fn empty(place: &Provenance<'_>, dissection: &mut Dissection) {
    let cut = place.length > 0;
    let reason = if cut { Reason::Cut } else { Reason::Short };
    let path = "riptide.unknown.type".into();
    dissection.fault = Some(Fault { path, ..Fault::new(reason, 0, 4, 0) });
    if !cut {
        dissection.notes.add(
            Level::Error,
            "riptide.empty_datagram",
            format_args!("an empty datagram: a C# server on Linux stops reading for good"),
        );
    }
}
