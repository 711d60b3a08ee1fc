//! Reads a stream message by message: the loop of every session over TCP, with its gaps.

use super::dissector::StreamEvent;
use super::message::{Dissection, GAP, Out, Provenance, Unit, UnitKind};
use crate::flow::{Side, Stream};
use crate::plural::Plural;

/// The content at the start of a direction's unread bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<K> {
    /// No complete message: more bytes are needed, or there are none.
    Wait,
    /// This many bytes that are not a message: they are dropped.
    Skip(usize),
    /// A message.
    Pdu(Pdu<K>),
}

/// The position of a message in the unread bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pdu<K> {
    /// The framing's own information about it.
    pub kind: K,
    /// The length of the frame's header, which is not part of the message.
    pub header: usize,
    /// The number of its bytes that are there.
    pub there: usize,
    /// Its length; more than `there` if the end of the stream or a gap cuts it.
    pub length: usize,
}

impl<K> Pdu<K> {
    /// A complete message.
    pub fn whole(kind: K, header: usize, length: usize) -> Pdu<K> {
        Pdu { kind, header, there: length, length }
    }
}

/// The state of reading both directions.
#[derive(Debug, Default)]
pub struct StreamState {
    /// The bytes missing before each direction's next message.
    gaps: [Option<u64>; 2],
    /// Reusable memory for the frames of a message.
    pub(crate) frames: Vec<u64>,
}

impl StreamState {
    /// Records that `missing` bytes of a direction are missing before its next message; 0 if the number is unknown.
    pub fn lose(&mut self, side: Side, missing: u64) {
        if missing > 0 {
            self.gaps[side.index()] = Some(missing);
        }
    }

    /// Returns the number of bytes missing before the next message, once.
    pub fn take_gap(&mut self, side: Side) -> Option<u64> {
        self.gaps[side.index()].take()
    }

    /// The number of bytes missing before the next message, if it is known.
    pub fn gap(&self, side: Side) -> Option<u64> {
        self.gaps[side.index()]
    }

    /// Adds a note about the gap before this message, if there is one.
    pub fn note_gap(&mut self, side: Side, dissection: &mut Dissection) {
        note_gap(self.take_gap(side), dissection);
    }

    /// The memory held, in bytes.
    pub fn memory(&self) -> usize {
        self.frames.capacity() * 8
    }
}

/// Adds a note about bytes that are missing before a message.
pub(crate) fn note_gap(missing: Option<u64>, dissection: &mut Dissection) {
    if let Some(missing) = missing {
        let text = format_args!("{} of the stream missing before this message", Plural(missing, "byte"));
        dissection.notes.warn(GAP.code, text);
    }
}

/// A session whose streams are consecutive messages. It determines the length and kind of each message;
/// [`read`](Framed::read) does the rest.
pub trait Framed {
    /// The framing's information about a message, besides its position.
    type Kind;

    /// The state of reading.
    fn state(&mut self) -> &mut StreamState;

    /// Determines the content at the start of the unread bytes. After any `event` but [`Data`](StreamEvent::Data), no
    /// more bytes follow these, so that an incomplete message stays incomplete. Each message and each skipped range
    /// must consume bytes.
    fn next(&mut self, side: Side, stream: &Stream, event: &StreamEvent<'_>) -> Next<Self::Kind>;

    /// Processes a message.
    fn pdu(&mut self, kind: Self::Kind, place: &Provenance<'_>, out: &mut Out<'_>);

    /// Records that bytes are missing: the direction has lost synchronisation.
    fn lost(&mut self, side: Side);

    /// Reads all complete messages after an event.
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
        if let StreamEvent::Gap { missing } | StreamEvent::End { missing: missing @ 1.. } = event {
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

    /// A length byte before each message; without synchronisation, bytes are dropped up to a zero.
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
        let flow_info = FlowInfo::alone(Transport::Tcp, &options);
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
        // No bytes were missing on the other side.
        let mut other = Stream::default();
        other.append(&[1, 6], Origin::default());
        toy.read(Side::B, &mut other, StreamEvent::Data { new: 2, segments: &[0], frame: 0 }, &mut out);
        // The rest of a message without its start, then a message after the zero.
        stream = Stream::default();
        data(&mut toy, &mut stream, 3, &[3, 3], &mut out);
        data(&mut toy, &mut stream, 4, &[3, 0, 1, 4, 1], &mut out);
        toy.read(Side::A, &mut stream, StreamEvent::End { missing: 0 }, &mut out);
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
