//! Bytes that came without a transport.

use crate::dissect::dissector::Dissector;
use crate::dissect::{Draft, Options, SessionReader, Sink, Talk};
use crate::flow::{Origin, Side};

/// Dissects bytes that came without a transport: one block of hex text.
pub fn dump(dissector: &dyn Dissector, bytes: &[u8], options: &Options, draft: &mut Draft, sink: &mut dyn Sink) {
    let transport = dissector.dump_transport(options);
    let talk = Talk { flow: 0, transport, ends: None, opener: None, begun: [true; 2], options };
    let mut reader = SessionReader::new(dissector, &talk).with(std::mem::take(draft));
    reader.bytes(Side::A, bytes, Origin::default(), ["", ""], &talk, sink);
    reader.end(Side::A, ["", ""], &talk, sink);
    *draft = reader.into_draft();
}
