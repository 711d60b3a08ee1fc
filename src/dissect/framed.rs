//! A stream read PDU by PDU: the loop of every session over TCP, and what it knows of gaps.

use super::dissector::StreamEvent;
use super::message::{Dissection, GAP, Out, Provenance, Unit, UnitKind};
use crate::codec::Level;
use crate::flow::{Side, Stream};
use crate::plural::Plural;

/// What the unread bytes of a direction begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<K> {
    /// Nothing whole: more bytes are needed, or none are there.
    Wait,
    /// So many bytes that are no message: they are dropped.
    Skip(usize),
    /// A message.
    Pdu(Pdu<K>),
}

/// Where a message stands in the unread bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pdu<K> {
    /// What the framing tells of it.
    pub kind: K,
    /// Bytes of the frame's header, which do not belong to the message.
    pub header: usize,
    /// How many of its bytes are there.
    pub there: usize,
    /// How many it has; more than `there` where the end of the stream or a gap cuts it.
    pub length: usize,
}

impl<K> Pdu<K> {
    /// A message that is there as a whole.
    pub fn whole(kind: K, header: usize, length: usize) -> Pdu<K> {
        Pdu { kind, header, there: length, length }
    }
}

/// What reading both directions remembers from message to message.
#[derive(Debug, Default)]
pub struct StreamState {
    /// Bytes missing before each direction's next message.
    gaps: [Option<u64>; 2],
    /// Memory for the frames of a message.
    pub(crate) frames: Vec<u64>,
}

impl StreamState {
    /// So many bytes of a direction are missing before its next message; 0: nobody knows how many.
    pub fn lose(&mut self, side: Side, missing: u64) {
        if missing > 0 {
            self.gaps[side.index()] = Some(missing);
        }
    }

    /// The bytes missing before the next message, told once.
    pub fn take_gap(&mut self, side: Side) -> Option<u64> {
        self.gaps[side.index()].take()
    }

    /// Notes the gap before this message, if there is one.
    pub fn note_gap(&mut self, side: Side, dissection: &mut Dissection) {
        note_gap(self.take_gap(side), dissection);
    }

    /// How many bytes it holds.
    pub fn memory(&self) -> usize {
        self.frames.capacity() * 8
    }
}

/// Notes the bytes that are missing before a message.
pub fn note_gap(missing: Option<u64>, dissection: &mut Dissection) {
    if let Some(missing) = missing {
        let text = format_args!("{} of the stream missing before this message", Plural(missing, "byte"));
        dissection.notes.add(Level::Warning, GAP, text);
    }
}

/// A session whose streams are messages one behind the other. It says where a message ends and what
/// it is; [`read`](Framed::read) does the rest.
pub trait Framed {
    /// What the framing tells of a message beside its place.
    type Kind;

    /// Its memory.
    fn state(&mut self) -> &mut StreamState;

    /// What the unread bytes begin with. `event`: what happened; after anything but
    /// [`Data`](StreamEvent::Data) no more bytes come behind these, so that a message which is not
    /// whole never will be. Each PDU and each skipped range has to take bytes.
    fn next(&mut self, side: Side, stream: &Stream, event: &StreamEvent<'_>) -> Next<Self::Kind>;

    /// A message.
    fn pdu(&mut self, kind: Self::Kind, place: &Provenance<'_>, out: &mut Out<'_>);

    /// Bytes are missing: the direction is out of step.
    fn lost(&mut self, side: Side);

    /// Reads all that can be read after an event.
    fn read(&mut self, side: Side, stream: &mut Stream, event: StreamEvent<'_>, out: &mut Out<'_>) {
        let mut frames = std::mem::take(&mut self.state().frames);
        loop {
            match self.next(side, stream, &event) {
                Next::Wait => break,
                Next::Skip(bytes) => stream.consume(bytes),
                Next::Pdu(Pdu { kind, header, there, length }) => {
                    let (start, whole) = (stream.offset(), (header + there) as u64);
                    out.unit = Some(Unit { start, end: start + whole, kind: UnitKind::Framed });
                    let place = Provenance::in_stream(side, stream, header, there, &mut frames);
                    self.pdu(kind, &Provenance { length, ..place }, out);
                    stream.consume(header + there);
                }
            }
        }
        self.state().frames = frames;
        out.unit = None;
        if let StreamEvent::Gap { missing } = event {
            self.state().lose(side, missing);
            self.lost(side);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissect::{FlowInfo, Message, Options, Registry, Sink};
    use crate::flow::{Origin, Transport};

    /// A byte of length before each message; out of step, bytes are dropped up to a zero.
    #[derive(Default)]
    struct Toy {
        state: StreamState,
        lost: [bool; 2],
    }

    impl Framed for Toy {
        type Kind = &'static str;

        fn state(&mut self) -> &mut StreamState {
            &mut self.state
        }

        fn next(&mut self, side: Side, stream: &Stream, event: &StreamEvent<'_>) -> Next<&'static str> {
            let bytes = stream.bytes();
            let [length, rest @ ..] = bytes else { return Next::Wait };
            if self.lost[side.index()] {
                let zero = bytes.iter().position(|b| *b == 0);
                self.lost[side.index()] = zero.is_none();
                return Next::Skip(zero.map_or(bytes.len(), |at| at + 1));
            }
            match (*length as usize, event) {
                (length, _) if length <= rest.len() => Next::Pdu(Pdu::whole("whole", 1, length)),
                (_, StreamEvent::Data { .. }) => Next::Wait,
                (length, _) => Next::Pdu(Pdu { kind: "cut", header: 1, there: rest.len(), length }),
            }
        }

        fn pdu(&mut self, kind: &'static str, place: &Provenance<'_>, out: &mut Out<'_>) {
            let dissection = out.begin("toy");
            dissection.message = kind;
            self.state.note_gap(place.side, dissection);
            out.emit(place);
        }

        fn lost(&mut self, side: Side) {
            self.lost[side.index()] = true;
        }
    }

    type Row = (&'static str, Vec<u8>, usize, u64, Vec<u64>, usize);

    #[derive(Default)]
    struct Rows(Vec<Row>);

    impl Sink for Rows {
        fn message(&mut self, message: &Message<'_>) {
            let (dissection, place) = (message.dissection, message.place);
            let notes = dissection.notes.iter().filter(|(_, text)| text.starts_with("3 bytes of the stream")).count();
            assert_eq!(dissection.notes.iter().count(), notes);
            let row =
                (dissection.message, place.bytes.to_vec(), place.length, place.frame, place.frames.to_vec(), notes);
            self.0.push(row);
        }
    }

    #[test]
    fn whole_cut_and_lost() {
        let options = Options::new(Registry::new([]));
        let flow_info = FlowInfo {
            flow: 1,
            serial: 0,
            transport: Transport::Tcp,
            ends: None,
            opener: None,
            begun: [true; 2],
            options: &options,
        };
        let (mut dissection, mut rows, mut toy) = (Dissection::default(), Rows::default(), Toy::default());
        let mut out = Out::new(&mut dissection, &mut rows, &flow_info, ["", ""]);
        let mut stream = Stream::default();
        let data = |toy: &mut Toy, stream: &mut Stream, frame, bytes: &[u8], out: &mut Out<'_>| {
            stream.append(bytes, Origin { frame, ..Origin::default() });
            toy.read(Side::A, stream, StreamEvent::Data { new: bytes.len(), segments: &[0], frame }, out);
        };
        data(&mut toy, &mut stream, 1, &[1, 7, 2, 8], &mut out);
        data(&mut toy, &mut stream, 2, &[9, 5, 1], &mut out);
        toy.read(Side::A, &mut stream, StreamEvent::Gap { missing: 3 }, &mut out);
        // Nothing was missing on the other side.
        let mut other = Stream::default();
        other.append(&[1, 6], Origin::default());
        toy.read(Side::B, &mut other, StreamEvent::Data { new: 2, segments: &[0], frame: 0 }, &mut out);
        // Bytes of a message whose beginning is missing, then one that follows the zero.
        stream = Stream::default();
        data(&mut toy, &mut stream, 3, &[3, 3], &mut out);
        data(&mut toy, &mut stream, 4, &[3, 0, 1, 4, 1], &mut out);
        toy.read(Side::A, &mut stream, StreamEvent::End, &mut out);
        assert!(stream.bytes().is_empty());
        let row = |kind, bytes: &[u8], length, frame, frames: &[u64], notes| {
            (kind, bytes.to_vec(), length, frame, frames.to_vec(), notes)
        };
        assert_eq!(
            rows.0,
            [
                row("whole", &[7], 1, 1, &[], 0),
                row("whole", &[8, 9], 2, 2, &[1, 2], 0),
                row("cut", &[1], 5, 2, &[], 0),
                row("whole", &[6], 1, 0, &[], 0),
                row("whole", &[4], 1, 4, &[], 1),
                row("cut", &[], 1, 4, &[], 0),
            ]
        );
    }
}
