//! Notes on a single message's form: forms that the library does not write, and how its receiver reads them.

use super::layout::{DATA, ID, Message, REASON};
use super::version::{self, Version};
use crate::codec::layout::{Field, u16le};
use crate::codec::reader::UNPARSED;
use crate::codec::{Fault, Node, Reason, Value};
use crate::dissect::{Dissection, Provenance};
use crate::plural::Plural;

/// Derived for a message id in a form that the library does not write.
pub(super) static DERIVED_ID: Field = u16le("message_id").doc("the id that the library uses: the value modulo 65536");
/// Derived for a reason that the sender encoded wrongly.
pub(super) static DERIVED_REASON: Field = u16le("reason").names(&[(80, "server_stopped")]).doc("what the sender meant");

/// Notes forms of a message id that the library does not write, and the id that it reads.
#[inline]
pub(super) fn message_id(version: Version, place: &Provenance<'_>, dissection: &mut Dissection) {
    // Before 2.1 it is two bytes, and every value is valid.
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
    let text = format_args!("the library never writes this form of the id, and reads it as {low}");
    dissection.notes.warn("riptide.message_id", text);
}

/// Notes the reason of a reject or disconnect, and data that does not fit it.
pub(super) fn reason(message: Message, version: Version, place: &Provenance<'_>, dissection: &mut Dissection) {
    let Some(reason) = dissection.tree.number(&REASON) else { return };
    if message == Message::Disconnect && version.packed() && place.bytes == [5, 5] && reason == 80 {
        dissection.derived.push(&DERIVED_REASON, Value::UInt(80), 0, 0);
        dissection.notes.note(
            "riptide.server_stopped_misencoded",
            format_args!("server_stopped, as 2.1.0 to 2.2.0 pack it wrongly"),
        );
    }
    let custom = match (message, version) {
        (Message::Reject, Version::V20) => 5,
        _ => 4,
    };
    if reason != custom && dissection.tree.find(&DATA).is_some() {
        dissection.notes.warn("riptide.unexpected_data", format_args!("data after a reason that has none"));
    }
}

/// Notes bytes after a message's last field.
pub(super) fn trailing(dissection: &mut Dissection) {
    if let Some(bits) = version::trailing(&dissection.tree).map(|node| node.bits) {
        // Counted as the tree counts them.
        let count = if bits % 8 == 0 { Plural(bits / 8, "byte") } else { Plural(bits, "bit") };
        dissection.notes.warn("riptide.trailing", format_args!("{count} after the message, which the library ignores"));
    }
}

/// A message id's value, also for forms that are shown raw.
fn id_value(node: &Node, bytes: &[u8]) -> u64 {
    match node.value {
        Value::Raw { bit, bits } => (0..bits / 8).take(10).fold(0u64, |value, k| {
            let group = crate::codec::bits::get(bytes, (bit + 8 * k) as usize, 7);
            value | group.checked_shl(7 * k).unwrap_or(0)
        }),
        _ => node.number().unwrap_or(0),
    }
}

/// The fault of a datagram without a byte.
pub(super) fn empty(version: Version, place: &Provenance<'_>, dissection: &mut Dissection) {
    let cut = place.length > 0;
    let reason = if cut { Reason::Cut } else { Reason::Short };
    let (path, bits) = ("riptide.unknown.type".into(), if version.packed() { 4 } else { 8 });
    dissection.fault = Some(Fault { path, ..Fault::new(reason, 0, bits, 0) });
    if !cut {
        dissection
            .notes
            .error("riptide.empty_datagram", format_args!("an empty datagram: a C# server on Linux never reads again"));
    }
}

/// The fault of a stream's bytes that begin with a length that no sender uses, or with a part of a length.
pub(super) fn too_long(version: Version, place: &Provenance<'_>, dissection: &mut Dissection) {
    let bits = (place.bytes.len() as u32).saturating_mul(8);
    dissection.tree.push(&UNPARSED, Value::Bytes { bit: 0, bits }, 0, bits);
    let need = if version.packed() { 32 } else { 16 };
    // Less than a length is its beginning, at the end of the text.
    let reason = if bits < need { Reason::Short } else { Reason::Undefined("a length above 16 MiB") };
    let path = "riptide.unknown.length".into();
    dissection.fault = Some(Fault { path, ..Fault::new(reason, 0, need.into(), bits.into()) });
}
