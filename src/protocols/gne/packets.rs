//! Lists of packets over either transport: reads them and follows the connection's state.

use super::PROTO;
use super::layout::{BOTH, CASES, GTIME, PACKET};
use super::link::{Link, WireFormat, order_name};
use crate::codec::layout::Order;
use crate::codec::reader::UNPARSED;
use crate::codec::schema::Schemas;
use crate::codec::{Fault, Layout, Node, Reader, Stop, Value};
use crate::dissect::delivery::{Event, Step};
use crate::dissect::payload::Made;
use crate::dissect::{Dissection, FlowInfo, Provenance};
use crate::plural::Plural;
/// The receiver's buffer after the handshake.
const BUFFER: usize = 512;
/// The id of the packet that leaves the connection.
const EXIT: u64 = 2;
/// The first id that applications may use.
const FIRST_USER_ID: u64 = 16;

/// The outcome of reading a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Read to its end, with no bytes after it.
    Whole,
    /// Read to its end, with this many bytes after it.
    Trailing(u32),
    /// Stopped at an id without a known layout.
    Unknown,
    /// Stopped at a field that does not fit.
    Broken,
}

/// Reads a content by its table. Bytes after its end become `unparsed`, which is not a fault.
pub fn read(
    layout: &'static Layout,
    place: &Provenance<'_>,
    dissection: &mut Dissection,
    reading: &mut WireFormat<'_>,
) -> Ended {
    dissection.message = layout.name;
    reading.made = Made::of(dissection);
    let outcome = Reader::new(place.bytes, &mut dissection.tree)
        .named(PROTO, layout.name)
        .wire_length(place.length)
        .context(reading)
        .read(layout.fields);
    std::mem::take(&mut reading.made).keep(dissection);
    let (end, all) = (outcome.bits, (place.bytes.len() as u32).saturating_mul(8));
    match outcome.stop {
        Some(Stop::Fault(fault)) => {
            dissection.fault = Some(fault);
            Ended::Broken
        }
        Some(Stop::Unknown { .. }) => Ended::Unknown,
        None if end < all => {
            dissection.tree.push(&UNPARSED, Value::Bytes { bit: end, bits: all - end }, end, all - end);
            Ended::Trailing((all - end) / 8)
        }
        None => Ended::Whole,
    }
}

/// Adds a note if the content is larger than the library's buffer.
pub fn frame_size(length: usize, buffer: usize, dissection: &mut Dissection) {
    if length > buffer {
        let bytes = Plural(length, "byte");
        dissection.notes.error(
            "gne.frame_size",
            format_args!("{bytes}, but the receiver's buffer holds {buffer} bytes: the receiver ends the connection"),
        );
    }
}

/// Reads a list of packets. `party`: the index of its sender.
pub fn packets(
    party: usize,
    flow_info: &FlowInfo<'_>,
    place: &Provenance<'_>,
    dissection: &mut Dissection,
    link: &mut Link,
) {
    let order = link.order();
    let schemas = &flow_info.options.schemas;
    let mut ended = read(&BOTH[0], place, dissection, &mut link.reading(order, schemas, dissection.from));
    if order.is_none() && flow_info.ends.is_some() {
        ended = own_order(ended, schemas, place, dissection, link);
    }
    dissection.version = link.order().map(order_name);
    match ended {
        Ended::Trailing(bytes) => dissection.notes.note(
            "gne.trailing",
            format_args!("{} after the end marker, which the library ignores", Plural(bytes, "byte")),
        ),
        Ended::Unknown => {
            // Another packet may follow it.
            link.pings.unsure = true;
            unknown_id(dissection);
        }
        // The capture lacks the rest: a request may be there.
        Ended::Broken if dissection.fault.as_ref().is_some_and(Fault::is_cut) => link.pings.unsure = true,
        _ if place.length == 0 => empty(dissection),
        _ => {}
    }
    frame_size(place.length, BUFFER, dissection);
    let seen = Seen::of(dissection.tree.nodes());
    if let Some(usec) = seen.odd_usec {
        dissection.notes.warn("gne.usec", format_args!("{usec} microseconds: readers make whole seconds of them"));
    }
    if seen.pings {
        // Hex text has no frames and no times.
        link.pings.see(party, flow_info, place, dissection);
    }
    if matches!(ended, Ended::Unknown | Ended::Broken) {
        link.pings.hide(party, dissection);
    }
    if let Some(exited) = link.exited.get_mut(party) {
        let left = *exited;
        after_exit(exited, seen.exits, dissection);
        if *exited && !left {
            dissection.delivery.push(Event::Step(Step::Left("exit")));
        }
    }
}

/// Finds the byte order of a list whose handshake is not in the capture: its lengths and times may fit in only one
/// order. The list was read as little-endian; it is read again as big-endian if it does not fit.
fn own_order(
    ended: Ended,
    schemas: &Schemas,
    place: &Provenance<'_>,
    dissection: &mut Dissection,
    link: &mut Link,
) -> Ended {
    let fits = |ended: Ended, seen: &Seen| ended == Ended::Whole && seen.odd_usec.is_none();
    let seen = Seen::of(dissection.tree.nodes());
    if fits(ended, &seen) {
        link.request_order = seen.ordered.then_some(Order::Little);
        return ended;
    }
    if ended != Ended::Broken && seen.odd_usec.is_none() {
        return ended;
    }
    let mut again = |order: Order| {
        dissection.tree.clear();
        dissection.fault = None;
        let ended = read(&BOTH[0], place, dissection, &mut link.reading(Some(order), schemas, dissection.from));
        (ended, fits(ended, &Seen::of(dissection.tree.nodes())))
    };
    match again(Order::Big) {
        (ended, true) => {
            link.request_order = Some(Order::Big);
            ended
        }
        _ => again(Order::Little).0,
    }
}

/// Notes a frame or datagram without any byte.
pub fn empty(dissection: &mut Dissection) {
    dissection
        .notes
        .error("gne.empty", format_args!("no byte at all: the receiver takes it for the end of the connection"));
}

fn unknown_id(dissection: &mut Dissection) {
    let last = dissection.tree.nodes().iter().rfind(|n| is_id(n)).and_then(Node::number).unwrap_or(0);
    let why = if last < FIRST_USER_ID { "reserved" } else { "no schema" };
    dissection.notes.warn("gne.unknown_id", format_args!("packet id {last}: {why}; nothing after it can be read"));
}

/// Notes packets after an exit. The library still reads them.
fn after_exit(exited: &mut bool, exits: bool, dissection: &mut Dissection) {
    let mut later = 0;
    if *exited || exits {
        let nodes = dissection.tree.nodes();
        for packet in dissection.tree.children(Some(0)) {
            later += *exited as usize;
            *exited |= nodes.get(packet + 1).is_some_and(|n| is_id(n) && n.value == Value::UInt(EXIT));
        }
    }
    if later > 0 {
        dissection.notes.note(
            "gne.after_exit",
            format_args!("packets after the sender's exit: {later}; the library still reads those of the same frame"),
        );
    }
}

fn is_id(node: &Node) -> bool {
    std::ptr::eq(node.field, &PACKET[0])
}

/// The findings of one pass over all nodes.
#[derive(Default)]
struct Seen {
    pings: bool,
    exits: bool,
    odd_usec: Option<i64>,
    /// A length or a time fits only in the byte order of this reading.
    ordered: bool,
}

impl Seen {
    fn of(nodes: &[Node]) -> Seen {
        let mut seen = Seen::default();
        for node in nodes {
            match node.value {
                Value::UInt(4) if is_id(node) => seen.pings = true,
                Value::UInt(EXIT) if is_id(node) => seen.exits = true,
                Value::Int(usec) if !(0..1_000_000).contains(&usec) && std::ptr::eq(node.field, &GTIME[1]) => {
                    seen.odd_usec = seen.odd_usec.or(Some(usec));
                }
                Value::Int(usec) if std::ptr::eq(node.field, &GTIME[1]) => {
                    seen.ordered |= !(0..1_000_000).contains(&(usec as i32).swap_bytes());
                }
                Value::Bytes { bits, .. } if std::ptr::eq(node.field, &CASES[1].fields[0]) => {
                    seen.ordered |= (bits / 8) as u16 != ((bits / 8) as u16).swap_bytes();
                }
                _ => {}
            }
        }
        seen
    }
}
