//! Writes netkit's findings into a capture: one packet comment per message. Any Wireshark shows the comments, and the
//! script `netkit.lua` draws their last line as a tree.
//!
//! A comment consists of lines of UTF-8 without control characters: `netkit: ` and the message in one line; a line for
//! each note (`warning riptide.last_try: ...`) and one for the fault (`fault: ...`); last `netkit:1 ` and the tree, see
//! `tree.rs`. A comment that is longer than pcapng allows continues in further comments that begin with `netkit:+ `.
//! Comments with these beginnings are netkit's own. They are replaced if a capture is annotated again; all others stay.

mod annotator;
mod chunk;
mod comment;
mod copy;
mod heads;
mod options;
mod script;
mod tree;
mod types;
mod window;

pub use annotator::{Annotation, Annotator};
pub use comment::{Commenter, Detail};
pub use copy::Annotated;
pub use script::script;
