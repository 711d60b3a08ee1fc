//! The state of a conversation: the dictionary, the protos, the open requests.

use super::protos::Protos;
use super::settings::{self, Payload};
use crate::capture::Time;
use crate::dissect::delivery::Event;
use crate::dissect::limits::PeerCaps;
use crate::dissect::{Dissection, Options, Target};
use crate::flow::Side;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value as Json;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Weak};

/// The most open requests that are remembered.
const MOST_OPEN: usize = 65536;
/// The estimated memory of a route with its counters: most have about ten letters, none more than 255.
const ROUTE: usize = 64;
/// The most responses that may precede their requests: a capture swaps neighbours.
const EARLY: u64 = 4;
/// The most routes, received as text, that are kept to be shared by requests.
const MOST_ROUTES: usize = 4096;

/// Routes by their codes.
#[derive(Debug, Default, PartialEq)]
pub struct Dictionary {
    routes: FxHashMap<u16, Arc<[u8]>>,
    /// The bytes of all routes.
    bytes: usize,
    longest: usize,
}

impl Dictionary {
    /// Reads `{route: code}`. Codes that no message can have are left out.
    pub fn read(json: &Json) -> Dictionary {
        let routes = json.as_object().into_iter().flatten();
        let code = |value: &Json| value.as_u64().and_then(|code| u16::try_from(code).ok());
        let mut all = Dictionary::default();
        for (route, code) in routes.filter_map(|(route, value)| Some((route, code(value)?))) {
            all.bytes += route.len();
            all.longest = all.longest.max(route.len());
            all.routes.insert(code, route.as_bytes().into());
        }
        all
    }

    /// The route of a code.
    pub fn route(&self, code: u16) -> Option<Arc<[u8]>> {
        self.routes.get(&code).cloned()
    }
}

/// The tables in all conversations' handshakes. A server sends the same ones to all its clients, so they are shared.
#[derive(Debug, Default)]
pub struct Known {
    dictionaries: SharedTables<Dictionary>,
    protos: SharedTables<Protos>,
}

/// Tables by a [`key`] of their text, as long as a conversation uses them.
type SharedTables<T> = FxHashMap<u64, Weak<T>>;

/// The number of tables at which unused ones are removed. Later removals follow after each doubling.
const MANY: usize = 64;

/// The key of a text, the same in any thread: its hash, never below 2.
fn key(json: &Json) -> u64 {
    let mut hasher = DefaultHasher::new();
    json.to_string().hash(&mut hasher);
    hasher.finish() | 2
}

/// Returns the known table if it is the same.
fn shared<T: PartialEq>(known: &mut SharedTables<T>, key: u64, new: T) -> Arc<T> {
    if let Some(same) = known.get(&key).and_then(Weak::upgrade).filter(|same| **same == new) {
        return same;
    }
    if known.len() >= MANY && known.len().is_power_of_two() {
        known.retain(|_, weak| weak.strong_count() > 0);
    }
    let new = Arc::new(new);
    known.insert(key, Arc::downgrade(&new));
    new
}

/// A request that waits for its response.
#[derive(Clone, Debug)]
pub struct PendingRequest {
    /// Its route, if it is known.
    pub route: Option<Arc<[u8]>>,
    /// The request's message.
    pub target: Target,
    /// Its time.
    pub time: Time,
}

/// The state of a side.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// It has sent a handshake.
    pub handshake: bool,
    /// It has acknowledged one.
    pub ack: bool,
    /// The time of its last handshake, ack or heartbeat.
    pub there: Option<Time>,
}

/// One conversation's state.
#[derive(Debug, Default)]
pub struct Memory {
    /// The dictionary of routes, if it is known.
    pub dictionary: Option<Arc<Dictionary>>,
    /// The protos, if they are known.
    pub protos: Option<Arc<Protos>>,
    /// The keys of both, if the server has sent them; else 0.
    keys: [u64; 2],
    /// The number of handshakes from which something was learned.
    announced: u8,
    /// The server uses protos, according to its handshake.
    pub uses_protos: bool,
    /// Any JSON value may be a payload.
    pub any_json: bool,
    /// The reading of payloads.
    pub payload: Payload,
    /// The heartbeat interval in nanoseconds, according to the handshake.
    pub heartbeat: Option<i64>,
    /// The server is of a kind for which only a client's heartbeats keep its session alive.
    pub heartbeats_alone: bool,
    /// The state of each side.
    pub progress: [Progress; 2],
    /// The caps on data that the peers choose.
    pub caps: PeerCaps,
    routes: FxHashSet<Arc<[u8]>>,
    open: FxHashMap<u64, PendingRequest>,
    /// Open requests whose response may be in bytes that cannot be read.
    hidden: FxHashMap<u64, PendingRequest>,
    /// Those of them that no line of the other side has reported.
    unreported: Vec<Target>,
    /// The largest id of a request.
    newest: Option<u64>,
    /// The id of the first request that was read: answers to lower ones may be to requests before the capture.
    pub first: Option<u64>,
    /// Responses that may precede their requests in the capture.
    early: Vec<(u64, PendingRequest)>,
    /// The side that sent the last request.
    pub asked: Option<Side>,
    forgotten: bool,
}

impl Memory {
    /// The state of a new conversation.
    pub fn new(options: &Options) -> Memory {
        let payload = settings::payload(options);
        Memory {
            dictionary: settings::dictionary(options),
            protos: settings::protos(options),
            any_json: payload == Payload::Json,
            payload,
            caps: options.limits.peer,
            ..Memory::default()
        }
    }

    /// The approximate number of bytes that it holds.
    pub fn memory(&self) -> usize {
        /// The estimated memory of a route received as text: most have about ten letters, none more than 255.
        const FULL: usize = 256;
        let requests = self.open.capacity() + self.hidden.capacity();
        let open = requests * size_of::<(u64, PendingRequest)>() + self.unreported.capacity() * size_of::<Target>();
        // `told` changes the number whenever shared tables may have changed.
        usize::from(self.announced) + self.routes.capacity() * ROUTE + self.routes.len() * FULL + open
    }

    /// Calls `each` with the key and number of bytes of every table that is shared with other conversations.
    pub fn shared(&self, each: &mut dyn FnMut(u64, usize)) {
        let [dictionary, protos] = self.keys;
        if let (1.., Some(d)) = (dictionary, &self.dictionary) {
            each(dictionary, d.routes.capacity() * ROUTE + d.bytes);
        }
        if let (1.., Some(p)) = (protos, &self.protos) {
            each(protos, p.memory());
        }
    }

    /// Whether the next requests will have this id, as clients count them.
    pub fn is_ahead(&self, id: u64) -> bool {
        let ahead = self.newest.and_then(|newest| id.checked_sub(newest));
        ahead.is_some_and(|ahead| (1..=EARLY).contains(&ahead)) && self.early.iter().all(|(early, _)| *early != id)
    }

    /// Keeps a response whose request may follow.
    pub fn put_early(&mut self, id: u64, response: PendingRequest) {
        if self.early.len() as u64 >= EARLY {
            self.early.remove(0);
        }
        self.early.push((id, response));
    }

    /// Takes the response that preceded its request.
    pub fn take_early(&mut self, id: u64) -> Option<PendingRequest> {
        self.first.get_or_insert(id);
        self.newest = self.newest.max(Some(id));
        let at = self.early.iter().position(|(early, _)| *early == id)?;
        Some(self.early.remove(at).1)
    }

    /// Whether a handshake of the server was learned.
    pub fn is_known(&self) -> bool {
        self.announced > 0
    }

    /// Takes over the facts from another conversation's handshake.
    pub fn take_over(&mut self, other: &Memory) {
        if !other.is_known() {
            return;
        }
        self.dictionary.clone_from(&other.dictionary);
        self.protos.clone_from(&other.protos);
        (self.keys, self.announced, self.heartbeat) = (other.keys, other.announced, other.heartbeat);
        (self.uses_protos, self.any_json) = (other.uses_protos, other.any_json);
        self.heartbeats_alone = other.heartbeats_alone;
    }

    /// Whether requests were forgotten, so that a response without a request proves nothing.
    pub fn forgot(&self) -> bool {
        self.forgotten
    }

    /// The route of a code.
    pub fn route(&self, code: u16) -> Option<Arc<[u8]>> {
        self.dictionary.as_ref()?.route(code)
    }

    /// Keeps a route received as text.
    pub fn keep(&mut self, route: &[u8]) -> Arc<[u8]> {
        if let Some(known) = self.routes.get(route) {
            return Arc::clone(known);
        }
        let new: Arc<[u8]> = route.into();
        if self.routes.len() < MOST_ROUTES {
            self.routes.insert(Arc::clone(&new));
        }
        new
    }

    /// Adds a request of `side`. Returns one with the same id that is certainly open.
    pub fn ask(&mut self, id: u64, side: Side, open: PendingRequest) -> Option<PendingRequest> {
        self.asked = Some(side);
        self.hidden.remove(&id);
        if self.open.len() + self.hidden.len() >= MOST_OPEN && !self.open.contains_key(&id) {
            // These requests will no longer be answered: begin anew.
            self.open.clear();
            self.hidden.clear();
            self.forgotten = true;
        }
        self.open.insert(id, open)
    }

    /// Removes the request that a response answers. Returns with it whether it was hidden.
    pub fn answer(&mut self, id: u64) -> Option<(PendingRequest, bool)> {
        let open = self.open.remove(&id).map(|request| (request, false));
        open.or_else(|| self.hidden.remove(&id).map(|request| (request, true)))
    }

    /// Handles bytes of `side` that cannot be read: the response to any open request may be among them; only to that of
    /// `id`, if it is known. Responses that are read later count as before.
    pub fn hide(&mut self, side: Side, id: Option<u64>) {
        if self.asked == Some(side) {
            return;
        }
        let hidden: FxHashMap<u64, PendingRequest> = match id {
            Some(id) => self.open.remove_entry(&id).into_iter().collect(),
            None => std::mem::take(&mut self.open),
        };
        for (id, request) in hidden {
            self.unreported.push(request.target);
            self.hidden.insert(id, request);
        }
    }

    /// Reports newly hidden requests with a line of `side`.
    pub fn report(&mut self, side: Side, dissection: &mut Dissection) {
        if self.asked == Some(side) {
            return;
        }
        for target in self.unreported.drain(..) {
            dissection.delivery.push(Event::HiddenAnswer);
            dissection.related.may_answer(target);
        }
    }

    /// Handles missing bytes: requests may be among them.
    pub fn forget(&mut self) {
        self.forgotten = true;
        self.progress.iter_mut().for_each(|progress| progress.there = None);
    }

    /// Learns from a server's handshake answer. `known` has the tables of other conversations. Returns whether names
    /// are so long that they are cut.
    pub fn learn(&mut self, answer: &Json, known: &mut Known) -> bool {
        let Some(sys) = answer.get("sys") else { return false };
        let mut cut = false;
        self.announced = self.announced.wrapping_add(1);
        if let Some(dict) = sys.get("dict").filter(|dict| dict.is_object()) {
            let key = key(dict);
            let dictionary = shared(&mut known.dictionaries, key, Dictionary::read(dict));
            cut |= dictionary.longest > self.caps.name_bytes;
            self.keys[0] = key;
            self.dictionary = Some(dictionary);
        }
        if let Some(protos) = sys.get("protos").filter(|protos| protos.is_object()) {
            // A dictionary with the same text has another key.
            let key = key(protos) ^ 1;
            let protos = shared(&mut known.protos, key, Protos::read(protos, &self.caps));
            cut |= protos.cut() > 0;
            self.keys[1] = key;
            self.protos = Some(protos);
        }
        if let Some(seconds) = sys.get("heartbeat").and_then(Json::as_f64) {
            // An interval out of range is ignored.
            self.heartbeat = Some((seconds * 1e9) as i64).filter(|nanos| *nanos > 0);
        }
        self.uses_protos |= sys.get("useProto").and_then(Json::as_bool) == Some(true);
        if let Some(serializer) = sys.get("serializer").and_then(Json::as_str) {
            self.any_json = self.payload == Payload::Json || serializer == "json";
        }
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn taught(known: &mut Known, routes: usize) -> Memory {
        let dict: serde_json::Map<_, _> = (0..routes).map(|n| (format!("room.route{n}"), json!(n))).collect();
        let fields: serde_json::Map<_, _> =
            (1..=routes).map(|n| (format!("f{n}"), json!({"type": "uInt32", "tag": n}))).collect();
        let mut memory = Memory::new(&crate::protocols::options());
        memory.learn(&json!({"sys": {"dict": dict, "protos": {"server": {"onMove": fields}}}}), known);
        memory
    }

    #[test]
    fn what_a_server_sends_all_is_kept_once() {
        /// The bytes of these conversations, with shared tables counted once.
        fn held(all: &[Memory]) -> usize {
            let mut shared = FxHashMap::default();
            all.iter().for_each(|memory| memory.shared(&mut |key, bytes| _ = shared.insert(key, bytes)));
            all.iter().map(Memory::memory).sum::<usize>() + shared.values().sum::<usize>()
        }
        let alone = held(&[taught(&mut Known::default(), 200)]);
        // Also with two alternating servers.
        let mut known = Known::default();
        let all: Vec<Memory> = (0..100).map(|n| taught(&mut known, 199 + n % 2)).collect();
        let sum = held(&all);
        assert!(alone > 200 * 100 && sum < alone * 3, "{alone} {sum}");
        for (one, same) in all.iter().zip(all.iter().skip(2)) {
            let [one, same] = [one, same].map(|m| (m.dictionary.as_ref().unwrap(), m.protos.as_ref().unwrap()));
            assert!(Arc::ptr_eq(one.0, same.0) && Arc::ptr_eq(one.1, same.1));
        }
        // Tables of other servers are counted separately.
        let others: Vec<Memory> = (201..251).map(|n| taught(&mut known, n)).collect();
        let sum = held(&others);
        assert!(sum > alone * 40, "{alone} {sum}");
        // Unused tables are not kept.
        drop((all, others));
        (0..1000).for_each(|n| _ = taught(&mut known, n % 100));
        assert!(known.protos.len() <= 2 * MANY && known.dictionaries.len() <= 2 * MANY, "{}", known.protos.len());
    }
}
