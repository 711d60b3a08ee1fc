//! Is a conversation of a described protocol? The bits that its packets rule out tell: constants,
//! closed enumerations, checksums, known ids, exact ends.

use super::Description;
use super::compile::{Compiled, Compiler};
use super::reader::{Known, Work, read};
use crate::codec::kinds::{COMPUTED, Choice, UNKNOWN};
use crate::codec::layout::{Field, Kind, Show, When, flag};
use crate::codec::reader::TRAILING;
use std::cell::Cell;

/// The names that a condition asks.
pub fn names(when: &When) -> Vec<&'static str> {
    match when {
        When::Bit(name, _) | When::Clear(name, _) | When::Eq(name, _) | When::In(name, _) => vec![name],
        When::Below(name, _) | When::Mask(name, _) | When::Set(name) => vec![name],
        When::Any(all) | When::All(all) => all.iter().flat_map(names).collect(),
        When::Not(when) => names(when),
        When::Always | When::Left(_) | When::Setting(..) => Vec::new(),
    }
}

/// Does a condition hold for these values?
pub fn holds(when: &When, value: &dyn Fn(&str) -> Option<u64>) -> bool {
    match when {
        When::Always => true,
        When::Bit(name, bit) => value(name).is_some_and(|v| v >> bit & 1 == 1),
        When::Clear(name, bit) => value(name).is_some_and(|v| v >> bit & 1 == 0),
        When::Eq(name, n) => value(name) == Some(*n),
        When::In(name, list) => value(name).is_some_and(|v| list.contains(&v)),
        When::Left(_) | When::Setting(..) => false,
        When::Any(any) => any.iter().any(|when| holds(when, value)),
        When::All(all) => all.iter().all(|when| holds(when, value)),
        When::Not(when) => !holds(when, value),
        When::Below(name, than) => (value(name).unwrap_or(0) as i64) < *than,
        When::Mask(name, mask) => value(name).is_some_and(|v| v & mask != 0),
        When::Set(name) => value(name).is_some_and(|v| v != 0),
    }
}

/// A condition on fields that may stand anywhere.
pub fn condition(
    text: &str,
    line: usize,
    key: &str,
    compiler: &Compiler<'_>,
    fields: impl Iterator<Item = &'static Field>,
) -> Compiled<When> {
    let mut other = Compiler::new(compiler.text);
    for field in fields.filter(|field| !field.name.is_empty()) {
        let names = match field.show {
            Show::Enum(names) => names.to_vec(),
            Show::Flags(flags) => flags.names.to_vec(),
            _ => Vec::new(),
        };
        let t = super::text::FieldText { line, ..Default::default() };
        other.know(&t, field.name, (true, names), false);
    }
    // A name may be said with its message's.
    let plain: Vec<String> = text.split(' ').map(|word| word.rsplit('.').next().unwrap_or(word).to_owned()).collect();
    let plain = if text.contains("0x") || !text.contains('.') { text.to_owned() } else { plain.join(" ") };
    Ok(other.condition(&plain, line, key)?.when)
}

/// `[recognise] server`.
pub fn server(compiler: &mut Compiler<'_>, line: usize, text: &str) -> Compiled<When> {
    let when = compiler.condition(text, line, "server")?.when;
    Ok(when)
}

/// The bits that a field rules out.
fn ruled(field: &Field) -> u32 {
    match (&field.kind, field.show) {
        (Kind::Custom(codec), _) if codec.constant() > 0 => codec.constant(),
        (kind, Show::Enum(names)) if field.is(flag::CLOSED) => {
            kind.width().map_or(0, |(bits, _)| bits.saturating_sub(names.len().max(1).ilog2() + 1))
        }
        _ => 0,
    }
}

/// How many bits a packet rules out at most.
pub fn most(packet: &'static [Field], carried: &[(&'static str, &'static [Choice])]) -> u32 {
    let mut sum = 0;
    let mut each = |field: &'static Field| sum += ruled(field);
    crate::codec::names::everywhere(packet, &mut each);
    let ids = carried.iter().find(|(carrier, _)| carrier.is_empty()).map_or(0, |(_, list)| list.len());
    sum + if ids > 0 { 8u32.saturating_sub(ids.max(1).ilog2() + 1) } else { 0 }
}

/// The bits of an exact end, where nothing takes whatever is left: a packet of random bytes ends
/// there in one of 2^6.
const END: u32 = 6;

/// Does something in the packet take whatever is left?
fn open_end(tree: &crate::codec::Tree) -> bool {
    use crate::codec::layout::{Count, Len};
    tree.nodes().iter().any(|node| match &node.field.kind {
        Kind::Text { len: Len::Rest, .. } | Kind::Bytes { len: Len::Rest } => true,
        Kind::Array { count: Count::Rest, .. } => !node.field.is(flag::CARRIES),
        Kind::Custom(codec) => codec.takes_the_rest(),
        _ => false,
    })
}

/// What reading one packet tells: the bits that it rules out; `None`: it does not fit.
pub fn weigh_packet(
    description: &'static Description,
    bytes: &[u8],
    length: usize,
    work: &mut Work,
    (memory, values): (&mut [[u64; 2]], &[u64]),
    from: u64,
) -> Option<u32> {
    let used = Cell::new(0);
    let mut tree = std::mem::take(&mut work.tree);
    work.used = 0;
    let mut known = Known {
        description,
        memory,
        values,
        from,
        likely: from,
        used: &used,
        sources: &mut work.sources,
        used_sources: &mut work.used,
    };
    let fault = read(description.packet, (bytes, length, 0), &mut known, &mut tree);
    let mut bits = 0u32;
    let mut fits = fault.is_none();
    let mut exact = true;
    for node in tree.nodes() {
        if std::ptr::eq(node.field, &UNKNOWN) || std::ptr::eq(node.field, &COMPUTED) {
            fits = false;
        }
        if std::ptr::eq(node.field, &TRAILING) || node.field.hook == u16::MAX {
            exact = false;
        }
        bits += ruled(node.field);
        if node.field.is(flag::MESSAGE) {
            bits += description.id_bits(node);
        }
    }
    description.remember(&tree, memory);
    work.tree = tree;
    if exact && !open_end(&work.tree) {
        bits += END;
    }
    (fits && exact).then_some(bits)
}
