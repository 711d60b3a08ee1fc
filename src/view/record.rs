//! A message as a record of bytes, which is opened again when it is looked at.

use super::packing::{Parts, pack, unpack};
pub use super::row::{FAULT, Row, WARNING};
use crate::capture::{Leg, Time};
use crate::codec::packed::{Known, Numbers};
use crate::dissect::{Account, Dissection, FlowInfo, Linked, Links, Message, Options, Provenance, Role, Sink, Target};
use crate::flow::{Closing, Side, Transport};
use crate::read::Producer;
use rustc_hash::{FxHashMap, FxHashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The bytes of a row before its record; the record's length comes first.
const HEAD: usize = 4 + 8 + 8 + 4 + 4 + 2 + 2;

/// A conversation of kept messages.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// Its number.
    pub flow: u64,
    /// UDP or TCP.
    pub transport: Transport,
    ends: Option<[SocketAddr; 2]>,
    opener: Option<Side>,
    begun: [bool; 2],
    leg: Option<Leg>,
    /// Both ends as text.
    pub names: [String; 2],
    /// The protocol of its first message.
    pub proto: &'static str,
    /// The client's side according to its first message, or else the side that opened it.
    client: Side,
}

/// The state of the capture that recorders share.
#[derive(Debug, Default)]
pub struct About {
    /// The conversations that were seen.
    pub conversations: FxHashMap<u64, Arc<Conversation>>,
    /// The time of the first frame.
    pub origin: Option<Time>,
    /// The ends of conversations that were seen.
    pub ended: FxHashMap<u64, Closing>,
    /// The counts of what was read and left out, once the input has been read.
    pub account: Account,
    /// The links of recorders that have ended.
    pub links: Vec<Links>,
}

/// Makes records, in one of several workers.
#[derive(Debug)]
pub struct Recorder {
    numbers: Numbers,
    about: Arc<Mutex<About>>,
    seen: FxHashSet<u64>,
    links: Links,
}

impl Recorder {
    pub(super) fn new(known: &Arc<Mutex<Known>>, about: &Arc<Mutex<About>>, links: usize) -> Recorder {
        let (numbers, about) = (Numbers::of(known), Arc::clone(about));
        Recorder { numbers, about, seen: FxHashSet::default(), links: Links::new(links) }
    }

    fn about(&self) -> MutexGuard<'_, About> {
        self.about.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn conversation(&mut self, message: &Message<'_>) {
        let about = message.flow_info;
        if self.seen.insert(about.flow) {
            let conversation = Conversation {
                flow: about.flow,
                transport: about.transport,
                ends: about.ends,
                opener: about.opener,
                begun: about.begun,
                leg: about.leg,
                names: message.names.map(String::from),
                proto: message.dissection.proto,
                client: match message.dissection.from {
                    Role::Client => message.place.side,
                    Role::Server => message.place.side.other(),
                    Role::Unknown => about.opener.unwrap_or(Side::A),
                },
            };
            self.about().conversations.insert(about.flow, Arc::new(conversation));
        }
    }
}

/// Its relations are known when it is done.
impl Drop for Recorder {
    fn drop(&mut self) {
        let links = std::mem::replace(&mut self.links, Links::new(0));
        self.about().links.push(links);
    }
}

impl Producer<u8> for Recorder {
    fn first(&mut self, time: Time) {
        self.about().origin.get_or_insert(time);
    }

    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) -> bool {
        self.conversation(message);
        self.links.message(message);
        let (dissection, place) = (message.dissection, message.place);
        let severity = match (&dissection.fault, dissection.notes.worst()) {
            (Some(_), _) => FAULT,
            (None, worst) => worst.map_or(0, |level| level as u8 + 1),
        };
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&place.frame.to_le_bytes());
        out.extend_from_slice(&place.time.near_nanos().to_le_bytes());
        out.extend_from_slice(&(message.flow_info.flow as u32).to_le_bytes());
        out.extend_from_slice(&dissection.index.to_le_bytes());
        out.extend_from_slice(&(place.length.min(0xffff) as u16).to_le_bytes());
        out.extend_from_slice(&[dissection.from as u8, severity]);
        pack(message, &mut self.numbers, out);
        let length = ((out.len() - start - HEAD) as u32).to_le_bytes();
        if let Some(place) = out.get_mut(start..start + 4) {
            place.copy_from_slice(&length);
        }
        true
    }

    fn ended(&mut self, flow: u64, how: Closing, _: &mut Vec<u8>) {
        if self.seen.contains(&flow) {
            self.about().ended.insert(flow, how);
        }
    }
}

/// Gives each row and its record, of those that were appended.
pub fn records<'a>(mut bytes: &'a [u8], mut each: impl FnMut(Row, &'a [u8])) {
    while let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() {
        let word = |at: usize| head.get(at..at + 8).and_then(|part| part.try_into().ok()).map_or(0, u64::from_le_bytes);
        let (size, frame, nanos) = (word(0) as u32 as usize, word(4), word(12) as i64);
        let (flow, index) = (word(20) as u32, (word(20) >> 32) as u32);
        let [.., low, high, from, severity] = *head;
        let length = u16::from_le_bytes([low, high]);
        let Some((record, rest)) = rest.split_at_checked(size) else { return };
        each(Row { frame, nanos, flow, start: 0, index, length, from, severity }, record);
        bytes = rest;
    }
}

/// A message that was opened again.
#[derive(Debug)]
pub struct Opened {
    parts: Parts,
    frame: u64,
    conversation: Arc<Conversation>,
}

impl Opened {
    /// Opens the record of a row; `None`: it is none.
    pub(super) fn of(row: &Row, record: &[u8], known: &Known, conversation: Arc<Conversation>) -> Option<Opened> {
        Some(Opened { parts: unpack(row, record, known)?, frame: row.frame, conversation })
    }

    /// Adds the relations that later messages show.
    pub(super) fn link(&mut self, linked: &mut Linked, options: &Options) {
        struct Take(Option<Dissection>);
        impl Sink for Take {
            fn message(&mut self, message: &Message<'_>) {
                self.0 = Some(message.dissection.clone());
            }
        }
        let mut take = Take(None);
        self.with(options, |message| linked.message(message, &mut take));
        if let Some(dissection) = take.0 {
            self.parts.dissection = dissection;
        }
    }

    /// Its conversation.
    pub fn flow(&self) -> u64 {
        self.conversation.flow
    }

    /// The names of both sides, the client's first.
    pub fn sides(&self) -> [&str; 2] {
        let client = self.conversation.client;
        [client, client.other()].map(|side| &*self.conversation.names[side.index()])
    }

    /// Whether the client sent it.
    pub fn is_of_client(&self) -> bool {
        self.parts.side == self.conversation.client
    }

    /// Its dissection.
    pub fn dissection(&self) -> &Dissection {
        &self.parts.dissection
    }

    /// The frame that completed it.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Its place among the messages.
    pub fn target(&self) -> Target {
        Target { frame: self.frame, index: self.parts.dissection.index }
    }

    /// All frames that contain it.
    pub fn frames(&self) -> impl Iterator<Item = u64> {
        self.parts.frames.iter().copied().chain([self.frame])
    }

    /// The bytes that nodes refer to.
    pub fn source(&self, number: u8) -> &[u8] {
        self.parts.dissection.sources(&self.parts.bytes).get(number)
    }

    /// Shows it as the message that it was.
    pub fn with<R>(&self, options: &Options, show: impl FnOnce(&Message<'_>) -> R) -> R {
        let Conversation { flow, transport, ends, opener, begun, leg, ref names, .. } = *self.conversation;
        let place = Provenance {
            side: self.parts.side,
            bytes: &self.parts.bytes,
            length: self.parts.length,
            frame: self.frame,
            frames: &self.parts.frames,
            time: self.parts.time,
        };
        let flow_info = FlowInfo { flow, serial: 0, transport, ends, opener, begun, leg, options };
        let names = [&names[0][..], &names[1][..]];
        show(&Message { dissection: &self.parts.dissection, place: &place, flow_info: &flow_info, names })
    }
}
