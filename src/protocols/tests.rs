//! Helpers for the tests of every protocol: messages as their lines show them, conversations step by step, and the
//! checks that hold for every line.

use super::registry;
use crate::capture::Time;
use crate::codec::json::{derived_json, fields_json};
use crate::codec::{EncodeError, Fault, Level};
use crate::dissect::{
    Dissection, Dissector, Encoder, FlowInfo, Line, Message, Options, Out, Provenance, Role, Session, Sink,
    StreamEvent, inspector,
};
use crate::flow::{Origin, Side, Stream, Transport};
use serde_json::Value as Json;
use std::net::SocketAddr;

/// Reads JSON of any depth.
pub fn json(text: &[u8]) -> Json {
    crate::codec::json::parsed(text).expect("JSON")
}

/// One message, as its line shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    pub proto: &'static str,
    pub message: &'static str,
    pub version: Option<&'static str>,
    pub from: Role,
    pub fields: Json,
    pub derived: Option<Json>,
    /// Code and text.
    pub notes: Vec<(&'static str, String)>,
    pub fault: Option<Fault>,
    pub bytes: Vec<u8>,
    pub length: usize,
    pub frame: u64,
    pub frames: Vec<u64>,
}

impl Row {
    /// The codes of its notes.
    pub fn codes(&self) -> Vec<&'static str> {
        self.notes.iter().map(|(code, _)| *code).collect()
    }

    pub fn has_note(&self, code: &str) -> bool {
        self.notes.iter().any(|(c, _)| *c == code)
    }

    /// The derived values, or null.
    pub fn derived(&self) -> Json {
        self.derived.clone().unwrap_or(Json::Null)
    }

    /// The row as it is given to an encoder.
    pub fn line(&self) -> Line<'_> {
        Line {
            message: self.message,
            proto: self.proto,
            version: self.version,
            from: self.from,
            flow: 0,
            fields: &self.fields,
            derived: self.derived.as_ref(),
            packet: None,
            part: None,
            broken: self.fault.is_some(),
        }
    }

    /// Encodes the line with a new encoder.
    pub fn encoded(&self, options: &Options) -> Result<Vec<u8>, EncodeError> {
        registry().for_line(self.proto).expect("a protocol").encoder(options).encode(&self.line())
    }

    /// Checks that the line encodes to its bytes, and that its fault lies within them.
    pub fn check(&self, encoder: &mut dyn Encoder) {
        let encoded = encoder.encode(&self.line()).map(hex::encode);
        assert_eq!(encoded, Ok(hex::encode(&self.bytes)), "{self:?}");
        if let Some(fault) = &self.fault {
            assert!(fault.bit as usize <= self.bytes.len().min(self.length) * 8, "{self:?}");
            assert!(fault.path.starts_with(self.proto), "{self:?}");
        }
    }

    /// [`Row::check`] with a new encoder.
    pub fn check_alone(&self, options: &Options) {
        self.check(&mut *registry().for_line(self.proto).expect("a protocol").encoder(options));
    }
}

/// Keeps all messages. Checks that their notes are documented with the level that they have.
#[derive(Debug, Default)]
pub struct Rows(pub Vec<Row>);

impl Sink for Rows {
    fn message(&mut self, message: &Message<'_>) {
        let (dissection, place) = (message.dissection, message.place);
        let documented = registry().for_line(dissection.proto).expect("a protocol").notes();
        for (note, _) in dissection.notes.iter() {
            let doc = documented.iter().find(|doc| doc.code == note.code).expect(note.code);
            // The documentation may have two levels: "..; a note where ..".
            let lower = note.level == Level::Note && doc.doc.contains("; a note ");
            assert!(lower || doc.level == note.level.name(), "{}", note.code);
        }
        let (mut fields, mut derived) = (Vec::new(), Vec::new());
        fields_json(&dissection.tree, message.sources(), &mut fields);
        let has_derived = derived_json(&dissection.tree, &dissection.derived, message.sources(), &mut derived);
        self.0.push(Row {
            proto: dissection.proto,
            message: dissection.message,
            version: dissection.version,
            from: dissection.from,
            fields: json(&fields),
            derived: has_derived.then(|| json(&derived)),
            notes: dissection.notes.iter().map(|(note, text)| (note.code, text.to_owned())).collect(),
            fault: dissection.fault.clone(),
            bytes: place.bytes.to_vec(),
            length: place.length,
            frame: place.frame,
            frames: place.frames.to_vec(),
        });
    }
}

/// Options as the command line has them.
pub fn options(args: &[&str]) -> Options {
    let mut options = super::options();
    for pair in args.chunks(2) {
        match pair {
            ["--set" | "-s", setting] => options.set(setting).expect("a setting"),
            ["--from", role] => options.from = Role::named(role),
            ["--server", server] => options.server = Some(server.parse().expect("a server")),
            ["-p", name] => options.proto = Some((*name).into()),
            other => panic!("{other:?}"),
        }
    }
    options
}

/// [`options`] from a vector's `args`.
pub fn options_of(args: &Json) -> Options {
    options(&args.as_array().into_iter().flatten().filter_map(Json::as_str).collect::<Vec<_>>())
}

/// The messages of bytes without a conversation.
pub fn dump(dissector: &'static dyn Dissector, bytes: &[u8], options: &Options) -> Vec<Row> {
    let mut rows = Rows::default();
    inspector::dump(dissector, bytes, options, &mut Dissection::default(), &mut rows);
    rows.0
}

/// A conversation of a dissector, fed datagram by datagram or segment by segment.
pub struct Conversation {
    session: Box<dyn Session>,
    pub options: Options,
    transport: Transport,
    ends: [SocketAddr; 2],
    opener: Option<Side>,
    begun: [bool; 2],
    streams: [Stream; 2],
    dissection: Dissection,
    frame: u64,
}

impl Conversation {
    /// A conversation that is captured from its beginning.
    pub fn new(
        dissector: &dyn Dissector,
        transport: Transport,
        ends: [SocketAddr; 2],
        options: Options,
    ) -> Conversation {
        Conversation::begun(dissector, transport, ends, options, None, [true; 2])
    }

    /// A conversation with its opener, and the directions whose beginning is captured.
    pub fn begun(
        dissector: &dyn Dissector,
        transport: Transport,
        ends: [SocketAddr; 2],
        options: Options,
        opener: Option<Side>,
        begun: [bool; 2],
    ) -> Conversation {
        let flow_info = FlowInfo { flow: 1, ends: Some(ends), opener, begun, ..FlowInfo::alone(transport, &options) };
        let session = dissector.session(&flow_info);
        let (streams, dissection) = (Default::default(), Dissection::default());
        Conversation { session, options, transport, ends, opener, begun, streams, dissection, frame: 0 }
    }

    fn with(&mut self, act: impl FnOnce(&mut dyn Session, &mut [Stream; 2], u64, &mut Out<'_>)) -> Vec<Row> {
        self.frame += 1;
        let &mut Conversation { transport, ends, opener, begun, .. } = self;
        let alone = FlowInfo::alone(transport, &self.options);
        let flow_info = FlowInfo { flow: 1, ends: Some(ends), opener, begun, ..alone };
        let mut rows = Rows::default();
        let mut out = Out::new(&mut self.dissection, &mut rows, &flow_info, ["", ""]);
        act(&mut *self.session, &mut self.streams, self.frame, &mut out);
        rows.0
    }

    /// The bytes of its session that grow with the traffic.
    pub fn memory(&self) -> usize {
        self.session.memory()
    }

    /// Reads a datagram with this length on the wire.
    pub fn datagram(&mut self, side: Side, time: Time, bytes: &[u8], length: usize) -> Vec<Row> {
        self.with(|session, _, frame, out| {
            session.datagram(&Provenance { side, bytes, length, frame, frames: &[], time }, out);
        })
    }

    /// Reads a segment of a direction's stream. Frames are a second apart.
    pub fn data(&mut self, side: Side, bytes: &[u8]) -> Vec<Row> {
        self.with(|session, streams, frame, out| {
            let stream = &mut streams[side.index()];
            stream.append(bytes, Origin { frame, time: Time::micros(frame as i64, 0) });
            session.stream(side, stream, StreamEvent::Data { new: bytes.len(), segments: &[0], frame }, out);
        })
    }

    /// Reads a gap in a direction's stream.
    pub fn gap(&mut self, side: Side, missing: u64) -> Vec<Row> {
        self.with(|session, streams, _, out| {
            session.stream(side, &mut streams[side.index()], StreamEvent::Gap { missing }, out);
            streams[side.index()] = Stream::default();
        })
    }

    /// Ends a direction.
    pub fn end(&mut self, side: Side) -> Vec<Row> {
        self.with(|session, streams, _, out| {
            session.stream(side, &mut streams[side.index()], StreamEvent::End { missing: 0 }, out);
        })
    }
}
