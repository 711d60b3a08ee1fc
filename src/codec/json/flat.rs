//! The fields of a plain message as JSON, into a line of fixed size: no groups, no lists, and values
//! that are numbers, names, flags of one bit or whole bytes. Most messages of most games are such;
//! [`Walks`](super::fields::Walks) writes all others, and a test holds both ways equal. With the head of
//! such a line that saves about 90 of 2,330 instructions a message of ndjson (see [`crate::render`]).

use super::fields::behind;
use super::fixed_line::Pieces;
use super::value::name_of;
use crate::codec::layout::Show;
use crate::codec::{Node, Sources, Tree, Value};

/// Messages with more nodes have groups, as a rule: it would be in vain to begin.
const MOST: usize = 12;

/// Appends the members of a tree, and the brace behind them; the one before them has been written.
/// `None`: something in it is not plain, and what was appended is of no use.
#[inline(always)]
pub fn fields(tree: &Tree, sources: Sources<'_>, line: &mut Pieces<'_>) -> Option<()> {
    let nodes = tree.nodes();
    if nodes.len() > MOST {
        return None;
    }
    let mut at = 0;
    while let Some(node) = nodes.get(at) {
        if !node.hidden() && !node.derived() {
            if tree.name_from_traffic(node) || !node.field.quoted.is_there() {
                return None;
            }
            line.short(node.field.quoted.short());
            value(node, sources, line)?;
        }
        at = behind(node, at);
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
        at = behind(node, at);
    }
    false
}

/// A value with a comma behind it.
#[inline(always)]
fn value(node: &Node, sources: Sources<'_>, line: &mut Pieces<'_>) -> Option<()> {
    match (node.value, node.field.show) {
        (Value::UInt(n), Show::Plain) => line.uint(n),
        (Value::UInt(n), Show::Enum(names)) => match name_of(names, n) {
            Some(name) => {
                line.constant(b"\"");
                line.text(name.as_bytes());
                line.constant(b"\"");
            }
            None => line.uint(n),
        },
        (Value::Int(n), Show::Plain) => {
            if n < 0 {
                line.constant(b"-");
            }
            line.uint(n.unsigned_abs());
        }
        (Value::Bool(true), _) => line.constant(b"true"),
        (Value::Bool(false), _) => line.constant(b"false"),
        (Value::Bytes { bit, bits }, _) if (bit | bits).is_multiple_of(8) => {
            let (from, to) = (bit as usize / 8, (bit as usize + bits as usize) / 8);
            line.constant(b"\"");
            line.hex(sources.get(node.source).get(from..to)?);
            line.constant(b"\",");
            return Some(());
        }
        _ => return None,
    }
    line.constant(b",");
    Some(())
}
