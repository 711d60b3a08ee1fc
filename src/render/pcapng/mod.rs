//! What netkit says of a capture, written into it: a packet comment a message, which any Wireshark
//! shows, and whose last line the script `netkit.lua` draws as a tree.
//!
//! A comment is lines of UTF-8 without control characters: `netkit: ` and the message in one line; a
//! line for each note (`warning riptide.last_try: ...`) and one for the fault (`fault: ...`); last
//! `netkit:1 ` and the tree, see `tree.rs`. One that is longer than pcapng allows goes on in further
//! comments behind `netkit:+ `. Comments that begin so are netkit's own: they are replaced where a
//! capture is annotated again, all others stay.

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

pub use annotator::{Annotation, Annotator, AnnotatorWriter};
pub use comment::{Commenter, Detail};
pub use copy::{Annotated, Copied};
pub use script::script;
