//! The fields of a plain message as JSON, into a line of fixed size: no groups, no lists, and values
//! that are numbers, names, flags of one bit or whole bytes. Most messages of most games are such;
//! [`Walks`](super::fields::Walks) writes all others, and a test holds both ways equal. With the head of
//! such a line that saves about 90 of 2,330 instructions a message of ndjson (see [`crate::render`]).

use super::fixed_line::Pieces;
use super::value::name_of;
use crate::codec::layout::Show;
use crate::codec::quoted::Short;
use crate::codec::{Node, Sources, Tree, Value};

/// Messages with more nodes have groups, as a rule: it would be in vain to begin.
const MOST: usize = 12;

/// May the fields of a message be plain?
#[inline(always)]
pub fn may_be(tree: &Tree) -> bool {
    tree.nodes().len() <= MOST
}

/// Appends the members of a tree, and the brace behind them; the one before them has been written.
/// `None`: something in it is not plain, and what was appended is of no use.
#[inline(always)]
pub fn fields(tree: &Tree, sources: Sources<'_>, line: &mut Pieces<'_>) -> Option<()> {
    if !may_be(tree) {
        return None;
    }
    for node in tree.nodes() {
        if node.hidden() || node.derived() {
            // Below a group there are nodes that are no members.
            if node.nests() {
                return None;
            }
            continue;
        }
        if tree.name_from_traffic(node) || !node.field.quoted.is_there() {
            return None;
        }
        line.short(node.field.quoted.short());
        value(node, sources, line)?;
    }
    line.close(b'}');
    Some(())
}

/// Has the tree anything that [`fields`] shows?
pub fn is_shown(tree: &Tree) -> bool {
    let nodes = tree.nodes();
    let mut at = 0;
    while let Some(node) = nodes.get(at) {
        if !node.hidden() && !node.derived() {
            return true;
        }
        at = (node.end as usize).max(at + 1);
    }
    false
}

/// A value with a comma behind it.
#[inline(always)]
fn value(node: &Node, sources: Sources<'_>, line: &mut Pieces<'_>) -> Option<()> {
    // The kinds that nearly all of them are.
    let number = match node.value {
        Value::UInt(n) => Some(n),
        Value::Int(n) => u64::try_from(n).ok(),
        _ => None,
    };
    if let (Some(n), Show::Plain) = (number, node.field.show) {
        line.uint(n);
        line.constant(b",");
    } else if let Value::Bytes { bit, bits } = node.value
        && (bit | bits).is_multiple_of(8)
    {
        let (from, to) = (bit as usize / 8, (bit as usize + bits as usize) / 8);
        line.constant(b"\"");
        line.hex(sources.get(node.source).get(from..to)?);
        line.constant(b"\",");
    } else {
        line.short(&other(node)?);
        line.constant(b",");
    }
    Some(())
}

/// The text of what is neither a number as it is nor bytes, if it is short. Apart from the line: its
/// position stays in a register.
#[inline(never)]
fn other(node: &Node) -> Option<Short> {
    let mut text = Short::default();
    match (node.value, node.field.show) {
        (Value::Bool(true), _) => text.set(b"true"),
        (Value::Bool(false), _) => text.set(b"false"),
        (Value::Int(n), Show::Plain) => text.set(itoa::Buffer::new().format(n).as_bytes()),
        (Value::UInt(n), Show::Enum(names)) => match name_of(names, n) {
            Some(name) if name.len() + 2 <= Short::ROOM => {
                let mut quoted = [b'"'; Short::ROOM];
                quoted.get_mut(1..=name.len())?.copy_from_slice(name.as_bytes());
                text.set(quoted.get(..name.len() + 2)?);
            }
            Some(_) => return None,
            None => text.set(itoa::Buffer::new().format(n).as_bytes()),
        },
        _ => return None,
    }
    Some(text)
}
