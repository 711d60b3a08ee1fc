//! Finds the messages of the users' schemas in a tree by their fields, for any protocol.

use crate::codec::layout::Field;
use crate::codec::{Tree, names};
use crate::dissect::Options;
use rustc_hash::FxHashMap;

/// The schemas' fields by address: each belongs to one message of one schema.
#[derive(Debug, Default)]
pub struct Payloads {
    fields: FxHashMap<usize, (&'static str, usize)>,
}

fn place(field: &'static Field) -> usize {
    std::ptr::from_ref(field).addr()
}

impl Payloads {
    /// Collects all schemas of a run.
    pub fn new(options: &Options) -> Payloads {
        let mut fields = FxHashMap::default();
        for message in options.registry.iter().flat_map(|d| options.schemas.messages(d.name())) {
            for list in message.fields.iter().flatten() {
                let mut k = 0;
                names::in_group(list, &mut |field| {
                    fields.insert(place(field), (message.name, k));
                    k += 1;
                });
            }
        }
        Payloads { fields }
    }

    /// Whether there are no schemas.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Calls `each` with the name and the size of every schema message in the tree. The size is that of its group, if
    /// that contains nothing else, or the distance from its first field to its last.
    pub fn each(&self, tree: &Tree, mut each: impl FnMut(&'static str, u64)) {
        let nodes = tree.nodes();
        // The current message: its name, its last field so far, its first and last bit.
        let mut at: Option<(&'static str, usize, u32, u32)> = None;
        let mut end_of = |found: Option<(&'static str, usize, u32, u32)>| {
            if let Some((name, _, from, to)) = found {
                each(name, (to.saturating_sub(from) as u64).div_ceil(8));
            }
        };
        let mut skip = 0;
        for (k, node) in nodes.iter().enumerate() {
            // Nodes below a schema's field are part of that field.
            if k < skip {
                continue;
            }
            let Some((name, index)) = self.fields.get(&place(node.field)).copied() else { continue };
            skip = node.end as usize;
            let to = node.bit + node.bits;
            match &mut at {
                Some((same, last, _, end)) if *same == name && *last < index => (*last, *end) = (index, to),
                _ => {
                    end_of(at.take());
                    let parent = k.checked_sub(1).and_then(|p| nodes.get(p)).filter(|p| p.end as usize > k);
                    at = Some(match parent {
                        Some(parent) => (name, index, parent.bit, parent.bit + parent.bits),
                        None => (name, index, node.bit, to),
                    });
                }
            }
        }
        end_of(at);
    }
}
