//! Recognises conversations of a described protocol by the bits that its packets rule out: constants, closed
//! enumerations, checksums, known ids, exact ends.

use super::Description;
use super::reader::{Known, Work, read};
use super::state::State;
use crate::codec::kinds::{COMPUTED, UNKNOWN};
use crate::codec::layout::{Field, Kind, Show, When, flag};
use crate::codec::node::Node;
use crate::codec::reader::TRAILING;
use crate::codec::schema::compile::{Compiled, Compiler, IdBits};
use crate::codec::schema::known::Carried;
use crate::codec::{Fault, Tree};
use rustc_hash::FxHashMap;

/// `[recognise] server`.
pub fn server(compiler: &mut Compiler<'_>, line: usize, text: &str) -> Compiled<When> {
    compiler.of_numbers(text, line, "server")
}

/// The bits that a field rules out.
fn ruled(field: &Field) -> u32 {
    match (&field.kind, field.show) {
        (Kind::Constant(constant), _) if !constant.optional => constant.bits,
        (Kind::Checksum(checksum), _) => checksum.bits(),
        (kind, Show::Enum(names)) if field.is(flag::CLOSED) => {
            kind.width().map_or(0, |(bits, _)| bits.saturating_sub(names.len().max(1).ilog2() + 1))
        }
        _ => 0,
    }
}

/// The most bits that a packet rules out.
pub fn most(packet: &'static [Field], carried: &[Carried]) -> u32 {
    let mut sum = 0;
    let mut each = |field: &'static Field| sum += ruled(field);
    crate::codec::names::everywhere(packet, &mut each);
    let ids = carried.iter().find(|(carrier, _)| carrier.is_empty()).map_or(0, |(_, list)| list.len());
    sum + if ids > 0 { 8u32.saturating_sub(ids.max(1).ilog2() + 1) } else { 0 }
}

/// Whether its packets rule out nothing: no constant, closed enumeration, checksum, or number of a message.
pub fn is_silent(packet: &'static [Field], carried: &[Carried], id_bits: &FxHashMap<usize, IdBits>) -> bool {
    let mut sum = id_bits.values().map(|ids| ids.bits).sum::<u32>();
    let mut each = |field: &'static Field| {
        sum += ruled(field);
    };
    crate::codec::names::everywhere(packet, &mut each);
    for choice in carried.iter().flat_map(|(_, list)| list.iter()) {
        crate::codec::names::everywhere(choice.layout.fields, &mut each);
    }
    sum == 0
}

/// The bits of an exact end, if no field takes the rest: a packet of random bytes ends there in one of 2^6. The same
/// for a field whose size an earlier number announces, once.
pub const END: u32 = 6;

/// Whether none of these fields takes the rest, so that they end where they do by their own content.
fn end_exactly(nodes: &[Node]) -> bool {
    nodes.iter().all(|node| match &node.field.kind {
        Kind::Array { .. } if node.field.is(flag::CARRIES) => true,
        kind => !kind.takes_the_rest(),
    })
}

/// Reads one packet, and returns the bits that it rules out; `None`: it does not fit.
pub fn weigh_packet(
    description: &'static Description,
    bytes: &[u8],
    length: usize,
    work: &mut Work,
    memory: &mut [[u64; 2]],
    values: &[u64],
    from: u64,
) -> Option<u32> {
    let mut tree = std::mem::take(&mut work.tree);
    work.used = 0;
    let state = State { memory, values, from, likely: from };
    let mut known = Known::new(description, state, &mut work.sources, &mut work.used);
    let fault = read(description.packet, bytes, length, 0, &mut known, &mut tree);
    let state = State { memory, values, from, likely: from };
    let bits = weigh_tree(description, &tree, fault.as_ref(), &state);
    if bits.is_some() {
        description.remember(&tree, memory);
    }
    (work.tree, work.fault) = (tree, fault);
    bits
}

/// Returns the bits that a packet's fields rule out; `None`: it does not fit.
pub fn weigh_tree(description: &Description, tree: &Tree, fault: Option<&Fault>, state: &State<'_>) -> Option<u32> {
    let mut bits = 0u32;
    // What was captured of it may fit.
    let mut fits = fault.is_none_or(Fault::is_cut);
    let mut exact = true;
    // The fields up to here have an announced size: they do not take the packet's rest.
    let (mut sized, mut measured, mut open) = (0, false, false);
    let nodes = tree.nodes();
    for (k, node) in nodes.iter().enumerate() {
        if std::ptr::eq(node.field, &UNKNOWN) || std::ptr::eq(node.field, &COMPUTED) {
            fits = false;
        }
        if std::ptr::eq(node.field, &TRAILING) || node.field.hook == u16::MAX {
            exact = false;
        }
        bits += ruled(node.field);
        if node.field.is(flag::MESSAGE) {
            bits += description.id_bits(node, state);
        }
        if node.field.is(flag::SIZED) && k >= sized {
            sized = node.end as usize;
            measured |= node.bits > 0 && end_exactly(nodes.get(k..sized).unwrap_or_default());
        }
        open |= k >= sized && !end_exactly(std::slice::from_ref(node));
    }
    let ends = exact && !open && fault.is_none();
    bits += END * (u32::from(ends) + u32::from(measured));
    (fits && exact).then_some(bits)
}
