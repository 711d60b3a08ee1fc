//! Tables and messages for the tests of this layer.

use crate::capture::Time;
use crate::codec::layout::*;
use crate::codec::{Context, Reader, Recalled, Scope};
use crate::dissect::{Dissection, FlowInfo, Message, Provenance, Role};
use crate::flow::{Side, Transport};

/// A context with types that the wire does not carry.
pub struct Types(pub u64);

impl Context for Types {
    fn recall(&mut self, _: &'static Field, _: &Scope) -> Recalled {
        Recalled::Value(self.0)
    }
}

pub static TYPES: [(u64, &str); 2] = [(0, "int8"), (1, "uint8")];
pub static LINKS: [Field; 2] = [tag("type", 8, 4), array("links", Count::Prefix(&LINK_COUNT), &LINK)];
static LINK_COUNT: Field = u8("link_count");
static LINK: Field = group("link", &LINK_FIELDS);
static LINK_FIELDS: [Field; 2] = [u16le("link_id"), array("values", Count::Prefix(&VALUE_COUNT), &VALUE)];
static VALUE_COUNT: Field = u8("value_count");
static VALUE: Field = group("value", &VALUE_FIELDS);
static VALUE_FIELDS: [Field; 3] = [u16le("index"), derived("type").names(&TYPES), u8("value")];

/// Fields at odd bits, of every [`Show`](crate::codec::layout::Show) variant.
pub static PACKED: [Field; 10] = [
    tag("kind", 3, 5),
    boolean("reliable", 1),
    uint("state", 4).names(&TYPES).doc("what it is in"),
    u16le("sequence").unit("ms"),
    uint("odd", 5).flags(&ODD),
    f32le("speed").unit("m/s"),
    text("name", Len::Prefix(&NAME_LENGTH)),
    tuple("place", 3, &COORDINATE),
    int("angle", 8).scaled(crate::codec::scale::Scale::Over(16)),
    payload("rest"),
];
static ODD: Flags = Flags { names: &[(1, "one"), (4, "four")], shift: 3, fixed_mask: 0, fixed: 0 };
static NAME_LENGTH: Field = u8("name_length");
static COORDINATE: Field = f16le("coordinate");

/// Plain fields at byte boundaries.
pub static PLAIN: [Field; 7] = [
    u8("id").names(&TYPES),
    i16le("rtt").unit("ms").doc("there and back"),
    f64le("clock"),
    varint("length", 10),
    latin1("motd", Len::Until(0)),
    text("user", Len::Padded(4)),
    bytes("rest", Len::Rest),
];

/// Calls `use_it` with the message that `table` reads from `bytes`.
pub fn with(table: &'static [Field], bytes: &[u8], use_it: impl FnMut(&Message<'_>)) {
    with_annotated(table, bytes, |_| {}, use_it);
}

/// Does the same after `annotate` has changed the dissection.
pub fn with_annotated(
    table: &'static [Field],
    bytes: &[u8],
    annotate: impl FnOnce(&mut Dissection),
    mut use_it: impl FnMut(&Message<'_>),
) {
    let mut dissection = Dissection::default();
    (dissection.proto, dissection.message, dissection.version, dissection.from) =
        ("test", "ping", Some("2.0"), Role::Server);
    let outcome = Reader::new(bytes, &mut dissection.tree).named("test", "ping").context(&mut Types(1)).read(table);
    dissection.ended(outcome);
    annotate(&mut dissection);
    let options = crate::dissect::Options::new(crate::dissect::Registry::new([]));
    let ends = Some([([127, 0, 0, 1], 3413).into(), ([127, 0, 0, 1], 58817).into()]);
    let flow_info = FlowInfo { flow: 2, ends, begun: [false; 2], ..FlowInfo::alone(Transport::Udp, &options) };
    let place = Provenance {
        side: Side::A,
        bytes,
        length: bytes.len(),
        frame: 14,
        frames: &[],
        time: Time::micros(1795229852, 841544),
    };
    use_it(&Message {
        dissection: &dissection,
        place: &place,
        flow_info: &flow_info,
        names: ["127.0.0.1:3413", "127.0.0.1:58817"],
    });
}

/// Adds a derived value, and two notes, one of which has control characters.
pub fn annotate(dissection: &mut Dissection) {
    static ROUTE: Field = u8("route");
    dissection.derived.push(&ROUTE, crate::codec::Value::UInt(9), 0, 0);
    dissection.notes.note("test.accepted", format_args!("as \"asked\""));
    dissection.notes.warn("test.odd", format_args!("\x1b[31mred"));
}

/// Returns [`PACKED`] complete, with a text that contains a bidi override.
pub fn packed() -> Vec<u8> {
    let mut buf = crate::codec::bits::BitBuf::default();
    let name = "hi\u{202e}\"".as_bytes();
    for (value, count) in [(5, 3), (1, 1), (1, 4), (0x1234, 16), (0x15, 5), (2.5f32.to_bits() as u64, 32)] {
        buf.put(value, count);
    }
    buf.put(name.len() as u64, 8);
    buf.put_bytes(name);
    [0x3c00, 0x4000, 0xc200u64].into_iter().for_each(|half| buf.put(half, 16));
    buf.put(0x18, 8);
    buf.put_bytes(b"\x1b[2J");
    buf.into_bytes()
}
