//! Finds where the live peer diverged from the capture. Messages are paired by their subject, and compared without the
//! fields that differ from session to session.

use crate::live::replay::actor::{Actor, Cause, Recorded};
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// The number of differences that are listed for one message.
const FIELDS: usize = 8;

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub enum Divergence {
    /// The peer did not send it this time.
    Missing {
        /// The frame in the capture.
        frame: u64,
        /// Its subject.
        message: String,
    },
    /// The peer sent it this time only.
    Extra {
        /// Its subject.
        message: String,
        /// Its content.
        content: Json,
    },
    /// The peer sent it with other content.
    Differs {
        /// The frame in the capture.
        frame: u64,
        /// Its subject.
        message: String,
        /// Path, value in the capture, value now.
        fields: Vec<(String, Json, Json)>,
    },
}

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// The divergences of the peer.
    pub divergences: Vec<Divergence>,
    /// The divergences of others, with the kind of these messages in the plural.
    pub others: Vec<(&'static str, Divergence)>,
}

/// Splits the expected messages into parts. Each has a flag: it is known to have arrived, though it was not kept.
pub fn expected_parts(
    actor: &dyn Actor,
    expected: &[Recorded],
    arrived: &dyn Fn(usize) -> bool,
) -> Vec<(Recorded, bool)> {
    let mut all = Vec::with_capacity(expected.len());
    for (at, message) in expected.iter().enumerate() {
        actor.parts(message.decoded.clone(), &mut |decoded| {
            all.push((Recorded { decoded, frame: message.frame, ..Recorded::default() }, arrived(at)));
        });
    }
    all
}

/// Splits the received messages into parts.
pub fn parts(actor: &dyn Actor, received: Vec<OwnedMessage>) -> Vec<OwnedMessage> {
    let mut all = Vec::with_capacity(received.len());
    received.into_iter().for_each(|decoded| actor.parts(decoded, &mut |part| all.push(part)));
    all
}

/// Compares the received messages with the expected ones, both in parts.
pub fn compare(actor: &dyn Actor, expected: &[(Recorded, bool)], received: &[OwnedMessage]) -> Compared {
    let (expected, received): (Vec<_>, Vec<_>) = (
        expected.iter().filter(|(m, _)| !m.decoded.left_out).collect(),
        received.iter().filter(|m| !m.left_out).collect(),
    );
    // Equal messages cancel out first, whatever their order, because datagrams overtake each other.
    let key = |decoded: &OwnedMessage| (actor.identity(decoded), actor.content(decoded).to_string());
    let mut live: HashMap<(String, String), VecDeque<usize>> = HashMap::new();
    for (k, decoded) in received.iter().enumerate() {
        live.entry(key(decoded)).or_default().push_back(k);
    }
    // A message that the capture has, too, is one too many, and no other content.
    let known: HashSet<(String, String)> = expected.iter().map(|(m, _)| key(&m.decoded)).collect();
    let mut paired = vec![false; received.len()];
    let mut open: Vec<(bool, &Recorded)> = Vec::new();
    for (recorded, arrived) in expected {
        match live.get_mut(&key(&recorded.decoded)).and_then(VecDeque::pop_front) {
            Some(k) => paired.get_mut(k).into_iter().for_each(|m| *m = true),
            None => open.push((*arrived, recorded)),
        }
    }
    // The rest is paired by subject, in order.
    let mut rest: BTreeMap<String, VecDeque<&OwnedMessage>> = BTreeMap::new();
    let mut order = Vec::new();
    let mut found = Compared::default();
    let mut find = |decoded: &OwnedMessage, divergence: Divergence| match actor.cause(decoded) {
        Cause::Others(kind) => found.others.push((kind, divergence)),
        Cause::Answer | Cause::Application => found.divergences.push(divergence),
    };
    for (decoded, _) in received.iter().zip(&paired).filter(|(_, paired)| !**paired) {
        let about = actor.identity(decoded);
        if known.contains(&key(decoded)) {
            find(decoded, Divergence::Extra { message: about, content: actor.content(decoded) });
            continue;
        }
        order.push((about.clone(), decoded));
        rest.entry(about).or_default().push_back(decoded);
    }
    for (arrived, recorded) in open {
        let message = actor.identity(&recorded.decoded);
        let divergence = match rest.get_mut(&message).and_then(VecDeque::pop_front) {
            None if arrived => continue,
            None => Divergence::Missing { frame: recorded.frame, message },
            Some(decoded) => {
                let mut fields = Vec::new();
                differences(&actor.content(&recorded.decoded), &actor.content(decoded), String::new(), &mut fields);
                Divergence::Differs { frame: recorded.frame, message, fields }
            }
        };
        find(&recorded.decoded, divergence);
    }
    for (message, decoded) in order {
        if let Some(first) =
            rest.get_mut(&message).filter(|list| list.front().is_some_and(|s| std::ptr::eq(*s, *decoded)))
        {
            first.pop_front();
            find(decoded, Divergence::Extra { message, content: actor.content(decoded) });
        }
    }
    found
}

fn differences(old: &Json, new: &Json, path: String, found: &mut Vec<(String, Json, Json)>) {
    if old == new || found.len() >= FIELDS {
        return;
    }
    let name = |key: &str| if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
    match (old, new) {
        (Json::Object(a), Json::Object(b)) => {
            for key in a.keys().chain(b.keys().filter(|k| !a.contains_key(*k))) {
                differences(a.get(key).unwrap_or(&Json::Null), b.get(key).unwrap_or(&Json::Null), name(key), found);
            }
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            for (k, (a, b)) in a.iter().zip(b).enumerate() {
                differences(a, b, format!("{path}[{k}]"), found);
            }
        }
        _ => found.push((path, old.clone(), new.clone())),
    }
}
