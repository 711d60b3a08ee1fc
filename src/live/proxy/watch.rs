//! Reads what passes, as the receiver will, and says what the rules make of it.

use super::Way;
use crate::capture::{Body, Packet, Segment, Time};
use crate::dissect::inspector::Classification;
use crate::dissect::{Encoder, Inspector, Message, Options, Sink};
use crate::filter::Names;
use crate::flow::Table;
use crate::live::OwnedMessage;
use crate::live::rules::{Action, Counters, RuleSet, edit};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

/// Of so many conversations it is remembered what rules have met: the oldest are forgotten first.
const CONVERSATIONS: usize = 1 << 16;

/// What a rule has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edited {
    /// The fields, as the user named them.
    pub fields: Vec<String>,
    /// Why they were not changed.
    pub not: Option<String>,
}

/// A message that passed.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The number of the packet that completed it, as [`Watch::frame`] counts.
    pub frame: u64,
    /// As the output has it.
    pub text: Vec<u8>,
    /// A rule has left it out.
    pub dropped: bool,
    /// What a rule has changed.
    pub edited: Option<Edited>,
}

/// What the rules make of a datagram.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Nothing of it is left.
    pub dropped: bool,
    /// How much later it comes.
    pub delay: Duration,
    /// How often it comes beside the first time.
    pub copies: u32,
    /// What comes instead of it.
    pub bytes: Option<Vec<u8>>,
}

/// One message of a datagram, and what is left of it.
struct Piece {
    length: usize,
    bytes: Option<Vec<u8>>,
    kept: bool,
}

/// A writer of one message's text.
pub type Render<'a> = Box<dyn FnMut(&Message<'_>, &mut Vec<u8>) + 'a>;

/// Takes the messages of a datagram.
pub struct Collector<'a> {
    rules: &'a RuleSet,
    edits: bool,
    render: Option<Render<'a>>,
    counters: BTreeMap<u64, Counters>,
    encoders: BTreeMap<u64, Box<dyn Encoder>>,
    seen: Vec<Seen>,
    pieces: Vec<Piece>,
    verdict: Verdict,
    /// The packet that is being read.
    frame: u64,
    text: Vec<u8>,
}

impl<'a> Collector<'a> {
    /// Follows these rules, and writes messages with `render` where they are to be shown.
    pub fn new(rules: &'a RuleSet, render: Option<Render<'a>>) -> Collector<'a> {
        let edits = rules.iter().any(|rule| rule.actions().iter().any(|action| matches!(action, Action::Set(_))));
        Collector {
            rules,
            edits,
            render,
            counters: BTreeMap::new(),
            encoders: BTreeMap::new(),
            seen: Vec::new(),
            pieces: Vec::new(),
            verdict: Verdict::default(),
            frame: 0,
            text: Vec::new(),
        }
    }

    /// Follows the rules for one message.
    fn follow(&mut self, message: &Message<'_>, seen: &mut Seen) {
        let bytes = message.place.bytes;
        let mut piece = Piece { length: bytes.len(), bytes: None, kept: true };
        let flow = message.flow_info.flow;
        if self.counters.len() > CONVERSATIONS {
            self.counters.pop_first();
            self.encoders.pop_first();
        }
        let decision = self.rules.decide(message, self.counters.entry(flow).or_default());
        seen.dropped = decision.dropped;
        piece.kept = !decision.dropped;
        self.verdict.delay = self.verdict.delay.max(decision.delay);
        self.verdict.copies = self.verdict.copies.max(decision.copies);
        if self.edits {
            let options = message.flow_info.options;
            // The encoder has to meet all messages: earlier ones say how later ones are written.
            let dissector = options.registry.for_line(message.dissection.proto);
            let said = OwnedMessage::of(message, &mut self.text);
            let encoder = dissector.map(|d| self.encoders.entry(flow).or_insert_with(|| d.encoder(options)));
            let again = encoder.map(|encoder| (encoder.encode(&said.line(flow)), encoder));
            if !decision.edits.is_empty() && !decision.dropped {
                let kind = (said.proto, said.message);
                let mut changed = said.clone();
                let made = match again {
                    Some((Ok(same), encoder)) if same == bytes => {
                        edit(&decision.edits, kind, &mut changed.fields, &Names::new(options)).and_then(|puts| {
                            let bytes = encoder.encode(&changed.line(flow)).map_err(|error| error.to_string())?;
                            Ok((puts, bytes))
                        })
                    }
                    Some((Err(error), _)) => Err(format!("it cannot be written: {error}")),
                    _ => Err("written again, it has other bytes".into()),
                };
                seen.edited = Some(match made {
                    Ok((puts, bytes)) => {
                        piece.bytes = Some(bytes);
                        Edited { fields: puts.into_iter().map(|put| put.name).collect(), not: None }
                    }
                    Err(why) => Edited { fields: Vec::new(), not: Some(why) },
                });
            }
        }
        self.pieces.push(piece);
    }
}

impl Sink for Collector<'_> {
    fn message(&mut self, message: &Message<'_>) {
        let mut seen = Seen { frame: message.place.frame, ..Seen::default() };
        // What was held back until its protocol was known has passed already.
        if !self.rules.is_empty() && seen.frame == self.frame {
            self.follow(message, &mut seen);
        }
        if let Some(render) = &mut self.render {
            render(message, &mut seen.text);
        }
        self.seen.push(seen);
    }
}

/// Reads what passes.
pub struct Watch<'w, 'c> {
    table: Table<Classification>,
    inspector: Inspector<'w, Collector<'c>>,
    frame: u64,
    /// The next sequence number of each direction of a stream.
    next: FxHashMap<[SocketAddr; 2], [u32; 2]>,
}

impl<'w, 'c> Watch<'w, 'c> {
    /// Reads with the user's options, and hands the messages to `collector`.
    pub fn new(options: &'w Options, collector: &'w mut Collector<'c>) -> Watch<'w, 'c> {
        let inspector = Inspector::new(options, collector);
        Watch { table: Table::new(options.limits.flow), inspector, frame: 0, next: FxHashMap::default() }
    }

    /// A client has connected to a stream.
    pub fn opened(&mut self, ends: [SocketAddr; 2], time: Time) -> Vec<Seen> {
        self.next.insert(ends, [1000, 5000]);
        self.segment(ends, Way::Up, Segment { syn: true, ..Segment::default() }, time);
        self.segment(ends, Way::Down, Segment { syn: true, has_ack: true, ..Segment::default() }, time);
        std::mem::take(&mut self.inspector.sink().seen)
    }

    /// Bytes of a stream pass.
    pub fn bytes(&mut self, ends: [SocketAddr; 2], way: Way, payload: &[u8], time: Time) -> Vec<Seen> {
        self.segment(ends, way, Segment { payload, length: payload.len(), ..Segment::default() }, time);
        std::mem::take(&mut self.inspector.sink().seen)
    }

    /// A direction of a stream has ended.
    pub fn ended(&mut self, ends: [SocketAddr; 2], way: Way, reset: bool, time: Time) -> Vec<Seen> {
        self.segment(ends, way, Segment { fin: !reset, rst: reset, ..Segment::default() }, time);
        std::mem::take(&mut self.inspector.sink().seen)
    }

    /// The stream is gone.
    pub fn forget(&mut self, ends: [SocketAddr; 2]) {
        self.next.remove(&ends);
    }

    fn segment(&mut self, ends: [SocketAddr; 2], way: Way, segment: Segment<'_>, time: Time) {
        let Some(next) = self.next.get_mut(&ends) else { return };
        let (seq, ack) = (next[way.index()], next[way.other().index()]);
        let taken = segment.payload.len() as u32 + u32::from(segment.syn) + u32::from(segment.fin);
        next[way.index()] = seq.wrapping_add(taken);
        let has_ack = segment.has_ack || !segment.syn;
        let body = Body::Tcp(Segment { seq, ack: if has_ack { ack } else { 0 }, has_ack, ..segment });
        self.packet(ends, way, body, time);
    }

    fn packet(&mut self, ends: [SocketAddr; 2], way: Way, body: Body<'_>, time: Time) {
        self.frame += 1;
        self.inspector.sink().frame = self.frame;
        let [src, dst] = [ends[way.index()], ends[way.other().index()]];
        let packet = Packet { frame: self.frame, frames: &[], time, src, dst, body };
        self.table.packet(&packet, &mut self.inspector);
    }

    /// Servers that a stream has named for its datagrams, those before among them: they are
    /// reached past the proxy, if at all.
    pub fn named(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        self.inspector.expects()
    }

    /// How many packets there were.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Nothing passes any more: what was held back is told.
    pub fn finish(mut self) -> Vec<Seen> {
        self.table.finish(&mut self.inspector);
        std::mem::take(&mut self.inspector.sink().seen)
    }

    /// A datagram passes. `ends`: the client's, the server's.
    pub fn datagram(&mut self, ends: [SocketAddr; 2], way: Way, payload: &[u8], time: Time) -> (Verdict, Vec<Seen>) {
        self.packet(ends, way, Body::Udp { payload, length: payload.len() }, time);
        let collector = self.inspector.sink();
        let mut verdict = std::mem::take(&mut collector.verdict);
        let pieces = std::mem::take(&mut collector.pieces);
        let mut seen = std::mem::take(&mut collector.seen);
        let touched = pieces.iter().any(|piece| !piece.kept || piece.bytes.is_some());
        if touched {
            match pieces.iter().map(|piece| piece.length).sum::<usize>() == payload.len() {
                true => {
                    let (mut rest, mut bytes) = (payload, Vec::new());
                    for piece in &pieces {
                        let (own, behind) = rest.split_at(piece.length.min(rest.len()));
                        rest = behind;
                        if piece.kept {
                            bytes.extend_from_slice(piece.bytes.as_deref().unwrap_or(own));
                        }
                    }
                    verdict.dropped = pieces.iter().all(|piece| !piece.kept);
                    verdict.bytes = Some(bytes);
                }
                false => {
                    let why = "it is not known which bytes of the datagram it has";
                    for one in seen.iter_mut().filter(|one| one.dropped || one.edited.is_some()) {
                        one.dropped = false;
                        one.edited = Some(Edited { fields: Vec::new(), not: Some(why.into()) });
                    }
                }
            }
        }
        (verdict, seen)
    }
}
