//! The parts of messages that a reader needs besides their fields: unread parts are not made.

use std::ops::BitOr;

/// The parts of a [`Dissection`](super::Dissection) that a reader of messages needs besides the fields. A session may
/// omit the others. The notes' levels and codes are always there: conversations are recognised by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    /// The delivery events.
    pub delivery: bool,
    /// The relations to other messages.
    pub relations: bool,
    /// The texts of the notes.
    pub notes: bool,
    /// The values known from other messages.
    pub derived: bool,
    /// The hidden tags, such as a message's type: its name implies them.
    pub tags: bool,
}

impl Wants {
    /// All parts.
    pub const ALL: Wants = Wants { delivery: true, relations: true, notes: true, derived: true, tags: true };
    /// The fields only.
    pub const FIELDS: Wants = Wants { delivery: false, relations: false, notes: false, derived: false, tags: false };
    /// The fields, and the delivery events.
    pub const DELIVERY: Wants = Wants { delivery: true, ..Wants::FIELDS };
    /// The fields, and the relations.
    pub const RELATIONS: Wants = Wants { relations: true, ..Wants::FIELDS };
    /// The fields, and the values known from other messages.
    pub const DERIVED: Wants = Wants { derived: true, ..Wants::FIELDS };
    /// The parts that are printed: all but the delivery events.
    pub const PRINTED: Wants = Wants { delivery: false, ..Wants::ALL };
}

impl Default for Wants {
    fn default() -> Wants {
        Wants::ALL
    }
}

/// Returns the parts that either of the two needs.
impl BitOr for Wants {
    type Output = Wants;

    fn bitor(self, other: Wants) -> Wants {
        Wants {
            delivery: self.delivery || other.delivery,
            relations: self.relations || other.relations,
            notes: self.notes || other.notes,
            derived: self.derived || other.derived,
            tags: self.tags || other.tags,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Decoded, Packets};
    use crate::codec::Tree;
    use crate::codec::layout::Kind;
    use crate::dissect::{Inspector, Message, Options, Sink};
    use crate::flow::{Caps, Table};
    use crate::protocols;
    use std::path::Path;

    /// The parts of each message as text.
    #[derive(Default)]
    struct Parts {
        fields: Vec<String>,
        delivery: Vec<String>,
        relations: Vec<String>,
        notes: Vec<String>,
        derived: Vec<String>,
        tags: Vec<String>,
    }

    /// Whether a node is a tag that is left out if nobody reads it.
    fn is_tag(tree: &Tree, at: usize) -> bool {
        let node = &tree.nodes()[at];
        node.hidden() && matches!(node.field.kind, Kind::Tag { .. }) && tree.children(None).any(|top| top == at)
    }

    impl Sink for Parts {
        fn message(&mut self, message: &Message<'_>) {
            let (dissection, place) = (message.dissection, message.place);
            let codes: Vec<_> = dissection.notes.iter().map(|(note, _)| (note.level, note.code)).collect();
            let names = (dissection.proto, dissection.message, dissection.version, dissection.from);
            let nodes = |tags: bool| {
                [&dissection.packet, &dissection.tree].map(|tree| {
                    let some = (0..tree.nodes().len()).filter(|at| is_tag(tree, *at) == tags);
                    let nodes = some.map(|at| &tree.nodes()[at]);
                    nodes.map(|node| (node.field.name, node.value, node.bit)).collect::<Vec<_>>()
                })
            };
            self.tags.push(format!("{:?}", nodes(true)));
            let nodes = nodes(false);
            self.fields.push(format!("{} {names:?} {nodes:?} {codes:?} {:?}", place.frame, dissection.fault));
            self.delivery.push(format!("{:?}", &dissection.delivery[..]));
            let related = &dissection.related;
            self.relations.push(format!("{:?} {:?}", related.iter().collect::<Vec<_>>(), related.hidden()));
            self.notes.push(dissection.notes.iter().map(|(_, text)| text).collect());
            let derived = dissection.derived.nodes().iter();
            self.derived.push(format!("{:?}", derived.map(|node| (node.field.name, node.value)).collect::<Vec<_>>()));
        }
    }

    fn read(capture: &Path, wants: Wants) -> Parts {
        let options = Options { wants, ..protocols::options() };
        let (mut parts, mut table) = (Parts::default(), Table::new(Caps::default()));
        let mut inspector = Inspector::new(&options, &mut parts);
        let mut packets = Packets::open(Box::new(std::fs::File::open(capture).unwrap())).unwrap();
        while let Ok(Some(item)) = packets.next() {
            if let Decoded::Packet(packet) = &item.decoded {
                table.packet(packet, &mut inspector);
            }
        }
        table.finish(&mut inspector);
        parts
    }

    /// Omitting a part changes no other, nor the recognition of conversations.
    #[test]
    fn what_is_wanted_is_there_and_the_rest_is_not_made() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let mut seen = [0; 5];
        for proto in ["riptide", "dnp", "nano", "gne", "acknex"] {
            let files = std::fs::read_dir(fixtures.join(proto)).unwrap().flatten().map(|file| file.path());
            for capture in files.filter(|file| file.extension().is_some_and(|extension| extension == "pcap")) {
                let all = read(&capture, Wants::ALL);
                let texts = Wants { notes: true, ..Wants::FIELDS };
                let tags = Wants { tags: true, ..Wants::FIELDS };
                for wants in [Wants::FIELDS, Wants::DELIVERY, Wants::RELATIONS, Wants::DERIVED, texts, tags] {
                    let some = read(&capture, wants);
                    assert_eq!(some.fields, all.fields, "{capture:?} {wants:?}");
                    let empty = |parts: &[String], nothing: &str| parts.iter().all(|part| part == nothing);
                    for (k, (wanted, part, whole, nothing)) in [
                        (wants.delivery, &some.delivery, &all.delivery, "[]"),
                        (wants.relations, &some.relations, &all.relations, "[] []"),
                        (wants.derived, &some.derived, &all.derived, "[]"),
                        (wants.notes, &some.notes, &all.notes, ""),
                        (wants.tags, &some.tags, &all.tags, "[[], []]"),
                    ]
                    .into_iter()
                    .enumerate()
                    {
                        if wanted {
                            assert_eq!(part, whole, "{capture:?} {wants:?}");
                            seen[k] += 1 - usize::from(empty(whole, nothing));
                        } else if k != 2 && !(k == 3 && wants.relations) {
                            // Sessions may derive values for their own use.
                            assert!(empty(part, nothing), "{capture:?} {wants:?}");
                        }
                    }
                }
            }
        }
        assert!(seen.iter().all(|n| *n > 1), "{seen:?}");
    }
}
