//! Bytes that came without a transport.

use crate::capture::Time;
use crate::dissect::dissector::{Dissector, StreamEvent};
use crate::dissect::{Draft, Options, Out, Place, Sink, Talk};
use crate::flow::{Side, Stream, Transport};

/// Dissects bytes that came without a transport: one block of hex text.
pub fn dump(dissector: &dyn Dissector, bytes: &[u8], options: &Options, draft: &mut Draft, sink: &mut dyn Sink) {
    let transport = dissector.dump_transport(options);
    let talk = Talk { flow: 0, transport, ends: None, opener: None, begun: [true; 2], options };
    let mut session = dissector.session(&talk);
    let mut out = Out::new(draft, sink, &talk, ["", ""]);
    match transport {
        Transport::Udp => {
            let place =
                Place { side: Side::A, bytes, length: bytes.len(), frame: 0, frames: &[], time: Time::default() };
            session.datagram(&place, &mut out);
        }
        Transport::Tcp => {
            let mut stream = Stream::of(bytes);
            let event = StreamEvent::Data { new: bytes.len(), segments: &[0], frame: 0 };
            session.stream(Side::A, &mut stream, event, &mut out);
            session.stream(Side::A, &mut stream, StreamEvent::End, &mut out);
        }
    }
}
