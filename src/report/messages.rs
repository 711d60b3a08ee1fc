//! Selects and stores the messages of the page, with their relations to later messages.
//!
//! All messages are stored while they are few. If there are too many, those with a warning or a fault stay first, then
//! those near one in the same conversation, then the first of the capture. Memory is bounded by the number of messages
//! and by their bytes.

use super::entry::{self, Builder, Entry};
use super::held::{Ends, Held, Kind, MOST};
use crate::codec::Level;
use crate::dissect::{Message, Options, Relation, RelationKind, Role, Target};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::sync::Arc;

/// The default number of messages in a page, and of the bytes that they take in memory: the page then has 8 MB at most,
/// which a browser opens within 2 s.
const MESSAGES: usize = 100_000;
const PAGE: usize = 32 << 20;
/// The number of messages of a conversation, before and after a warning, that count as near it.
pub const NEAR: usize = 12;
/// The most memory of all messages if their number was named, in bytes.
const BYTES: usize = 192 << 20;
/// The number of latest messages that a reduction always keeps: a warning may follow.
const LATEST: usize = 1_024;
/// The number of conversations that are watched for warnings at once.
const WATCHED: usize = 4_096;

/// The latest messages of a conversation, and the number of following messages that count as near a warning.
#[derive(Clone, Copy, Debug, Default)]
struct Watch {
    latest: [u64; NEAR],
    next: usize,
    follow: usize,
}

/// Messages with their trees and bytes, up to a bound.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    most: usize,
    bytes: usize,
    /// Whether more messages may be asked for.
    may_grow: bool,
    weight: usize,
    seen: u64,
    warned: u64,
    entries: Vec<Entry>,
    kinds: Vec<Kind>,
    kind_places: FxHashMap<Kind, usize>,
    shapes: FxHashSet<Arc<str>>,
    flows: FxHashMap<u64, Ends>,
    watched: FxHashMap<u64, Watch>,
    /// Relations of later messages to earlier ones: the earlier message, and its relation.
    later: Vec<(Target, Relation)>,
    /// The most relations that are stored.
    links: usize,
    builder: Builder,
}

impl Messages {
    /// Stores at most `limit` messages; 0: nothing is stored. `None`: as many as a page opens quickly with.
    pub fn new(limit: Option<usize>, options: &Options) -> Messages {
        match limit {
            Some(limit) => Messages { may_grow: false, ..Messages::within(limit, BYTES, options) },
            None => Messages { may_grow: true, ..Messages::within(MESSAGES, PAGE, options) },
        }
    }

    fn within(limit: usize, bytes: usize, options: &Options) -> Messages {
        Messages { most: limit.min(MOST), bytes, links: options.limits.lists.links, ..Messages::default() }
    }

    /// Adds a message.
    pub fn message(&mut self, message: &Message<'_>) {
        let (dissection, place) = (message.dissection, message.place);
        self.seen += 1;
        let fault = dissection.fault.as_ref().map(|_| Level::Error);
        let worst = dissection.notes.worst().max(fault);
        let warned = worst >= Some(Level::Warning);
        self.warned += u64::from(warned);
        if self.most == 0 {
            return;
        }
        let own = Target { frame: place.frame, index: dissection.index };
        let near = self.watch(message.flow_info.flow, warned);
        let nth = self.ends(message);
        self.relations(own, message);
        let name = (dissection.proto, dissection.version, dissection.message);
        let kinds = &mut self.kinds;
        let kind = *self.kind_places.entry(name).or_insert_with(|| {
            kinds.push(name);
            kinds.len() - 1
        });
        let made = self.builder.texts(message);
        let shape = match self.shapes.get(made.shape) {
            Some(shape) => Arc::clone(shape),
            None => {
                let shape: Arc<str> = made.shape.into();
                self.weight += shape.len();
                self.shapes.insert(Arc::clone(&shape));
                shape
            }
        };
        let (bytes, parts) = entry::bytes(message);
        let entry = Entry {
            order: self.seen,
            nth,
            own,
            frames: place.frames.len().max(1),
            time: place.time,
            flow: message.flow_info.flow,
            kind,
            from: dissection.from,
            side: place.side.index(),
            length: place.length,
            captured: place.bytes.len(),
            worst,
            mark: entry::mark(message),
            near,
            shape,
            values: made.values.into(),
            bytes,
            parts,
            notes: made.notes.into(),
            related: entry::relations(message),
        };
        self.weight += entry.weight();
        self.entries.push(entry);
        if self.entries.len() >= self.room() || self.weight > self.bytes + self.bytes / 4 {
            self.reduce();
        }
    }

    /// Returns the number of messages at which they are reduced.
    fn room(&self) -> usize {
        self.most + self.most / 4 + 2 * LATEST
    }

    /// Marks the messages before a warning. Returns whether this message is near one, or has one itself.
    fn watch(&mut self, flow: u64, warned: bool) -> bool {
        if self.watched.len() >= WATCHED && !self.watched.contains_key(&flow) {
            self.watched.clear();
        }
        let watch = self.watched.entry(flow).or_default();
        let near = warned || watch.follow > 0;
        watch.follow = if warned { NEAR } else { watch.follow.saturating_sub(1) };
        if warned {
            for order in std::mem::take(&mut watch.latest).into_iter().filter(|order| *order > 0) {
                if let Ok(at) = self.entries.binary_search_by_key(&order, |entry| entry.order) {
                    self.entries[at].near = true;
                }
            }
        }
        watch.latest[watch.next] = self.seen;
        watch.next = (watch.next + 1) % NEAR;
        near
    }

    /// Stores, for earlier messages, that this one acknowledges, answers or joins them.
    fn relations(&mut self, own: Target, message: &Message<'_>) {
        for relation in message.dissection.related.iter() {
            if let Some(kind) = relation.kind.inverse()
                && own.index > 0
                && self.later.len() < self.links
            {
                self.later.push((relation.target, Relation { kind, target: own, several: own.index > 1, ..*relation }));
            }
        }
    }

    /// Stores the endpoints of a conversation, and counts its messages.
    fn ends(&mut self, message: &Message<'_>) -> u64 {
        let side = message.place.side.index();
        let server = match message.dissection.from {
            Role::Server => Some(side),
            Role::Client => Some(1 - side),
            Role::Unknown => None,
        };
        let ends = self.flows.entry(message.flow_info.flow).or_insert_with(|| Ends {
            names: message.names.map(String::from),
            server: None,
            transport: message.flow_info.transport,
            messages: 0,
        });
        ends.server = ends.server.or(server);
        ends.messages += 1;
        ends.messages
    }

    /// Returns which messages stay: the most important ones, and the `latest` ones.
    fn chosen(&self, latest: usize) -> Vec<bool> {
        let count = self.entries.len();
        if count <= self.most && self.weight <= self.bytes {
            return vec![true; count];
        }
        let mut ranks: Vec<usize> = (0..count.saturating_sub(latest)).collect();
        ranks.sort_by_key(|at| {
            let entry = &self.entries[*at];
            (Reverse((entry.warned(), entry.near)), entry.order)
        });
        let mut keep = vec![false; count];
        keep.iter_mut().rev().take(latest).for_each(|one| *one = true);
        let mut shapes: FxHashSet<&str> = FxHashSet::default();
        let mut weight = 0;
        for at in ranks.into_iter().take(self.most) {
            let entry = &self.entries[at];
            weight += entry.weight() + if shapes.insert(&entry.shape) { entry.shape.len() } else { 0 };
            if weight > self.bytes {
                break;
            }
            keep[at] = true;
        }
        keep
    }

    /// Removes the less important messages, with their shapes and relations.
    fn reduce(&mut self) {
        let mut places = self.chosen(LATEST).into_iter();
        self.entries.retain(|_| places.next() == Some(true));
        self.shapes = self.entries.iter().map(|entry| Arc::clone(&entry.shape)).collect();
        self.weight = self.entries.iter().map(Entry::weight).sum::<usize>();
        self.weight += self.shapes.iter().map(|shape| shape.len()).sum::<usize>();
        let flows: FxHashSet<u64> = self.entries.iter().map(|entry| entry.flow).collect();
        self.flows.retain(|flow, _| flows.contains(flow));
        let held: FxHashSet<Target> = self.entries.iter().map(|entry| entry.own).collect();
        self.later.retain(|(target, _)| held.contains(target));
    }

    /// Returns all messages that are stored now.
    #[cfg(test)]
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the part of them that the page shows.
    pub fn held(&self) -> Held<'_> {
        let chosen = self.chosen(0);
        let entries: Vec<&Entry> =
            self.entries.iter().zip(chosen).filter_map(|(one, keep)| keep.then_some(one)).collect();
        let mut later = self.later.clone();
        later.sort_by_key(|(target, one)| (*target, one.kind, one.target));
        later.dedup_by(|one, before| {
            one.0 == before.0 && one.1.kind == before.1.kind && one.1.kind == RelationKind::AckedBy
        });
        Held {
            heavy: entries.len() < self.most && !self.may_grow,
            entries,
            kinds: &self.kinds,
            flows: &self.flows,
            seen: self.seen,
            warned: self.warned,
            later,
        }
    }
}
