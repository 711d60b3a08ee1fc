//! Where the live peer diverged from the capture: messages are paired by what they are about, and
//! compared without what differs from session to session.

use crate::live::replay::actor::{Actor, Cause, Recorded};
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// How many differences of one message are listed.
const FIELDS: usize = 8;

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub enum Divergence {
    /// The peer did not say it this time.
    Missing {
        /// The frame in the capture.
        frame: u64,
        /// What it is about.
        message: String,
    },
    /// The peer said it this time only.
    Extra {
        /// What it is about.
        message: String,
        /// What it says.
        content: Json,
    },
    /// It said something else.
    Differs {
        /// The frame in the capture.
        frame: u64,
        /// What it is about.
        message: String,
        /// Path, value in the capture, value now.
        fields: Vec<(String, Json, Json)>,
    },
}

/// What a comparison has found.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Where the peer said something else.
    pub divergences: Vec<Divergence>,
    /// Where others did, and what these messages are, in the plural.
    pub others: Vec<(&'static str, Divergence)>,
}

/// The parts of what is expected, each with whether it is known to have come, though it was not kept.
pub fn apart(actor: &dyn Actor, expected: &[Recorded], came: &dyn Fn(usize) -> bool) -> Vec<(Recorded, bool)> {
    let mut all = Vec::with_capacity(expected.len());
    for (at, message) in expected.iter().enumerate() {
        actor.parts(message.said.clone(), &mut |said| {
            all.push((Recorded { said, frame: message.frame, ..Recorded::default() }, came(at)));
        });
    }
    all
}

/// The parts of what was heard.
pub fn parts(actor: &dyn Actor, heard: Vec<OwnedMessage>) -> Vec<OwnedMessage> {
    let mut all = Vec::with_capacity(heard.len());
    heard.into_iter().for_each(|said| actor.parts(said, &mut |part| all.push(part)));
    all
}

/// Compares what came with what was expected, both in parts.
pub fn compare(actor: &dyn Actor, expected: &[(Recorded, bool)], heard: &[OwnedMessage]) -> Compared {
    let (expected, heard): (Vec<_>, Vec<_>) =
        (expected.iter().filter(|(m, _)| !m.said.left_out).collect(), heard.iter().filter(|m| !m.left_out).collect());
    // Equal messages cancel out first, whatever their order: datagrams overtake each other.
    let key = |said: &OwnedMessage| (actor.identity(said), actor.content(said).to_string());
    let mut live: HashMap<(String, String), VecDeque<usize>> = HashMap::new();
    for (k, said) in heard.iter().enumerate() {
        live.entry(key(said)).or_default().push_back(k);
    }
    // A copy of what the capture has is one too many, not something else.
    let known: HashSet<(String, String)> = expected.iter().map(|(m, _)| key(&m.said)).collect();
    let mut met = vec![false; heard.len()];
    let mut open: Vec<(bool, &Recorded)> = Vec::new();
    for (recorded, came) in expected {
        match live.get_mut(&key(&recorded.said)).and_then(VecDeque::pop_front) {
            Some(k) => met.get_mut(k).into_iter().for_each(|m| *m = true),
            None => open.push((*came, recorded)),
        }
    }
    // What is left is paired by what it is about, in order.
    let mut rest: BTreeMap<String, VecDeque<&OwnedMessage>> = BTreeMap::new();
    let mut order = Vec::new();
    let mut found = Compared::default();
    let mut find = |said: &OwnedMessage, divergence: Divergence| match actor.cause(said) {
        Cause::Others(kind) => found.others.push((kind, divergence)),
        Cause::Answer | Cause::Application => found.divergences.push(divergence),
    };
    for (said, _) in heard.iter().zip(&met).filter(|(_, met)| !**met) {
        let about = actor.identity(said);
        if known.contains(&key(said)) {
            find(said, Divergence::Extra { message: about, content: actor.content(said) });
            continue;
        }
        order.push((about.clone(), said));
        rest.entry(about).or_default().push_back(said);
    }
    for (came, recorded) in open {
        let message = actor.identity(&recorded.said);
        let divergence = match rest.get_mut(&message).and_then(VecDeque::pop_front) {
            None if came => continue,
            None => Divergence::Missing { frame: recorded.frame, message },
            Some(said) => {
                let mut fields = Vec::new();
                differences(&actor.content(&recorded.said), &actor.content(said), String::new(), &mut fields);
                Divergence::Differs { frame: recorded.frame, message, fields }
            }
        };
        find(&recorded.said, divergence);
    }
    for (message, said) in order {
        if let Some(first) = rest.get_mut(&message).filter(|list| list.front().is_some_and(|s| std::ptr::eq(*s, *said)))
        {
            first.pop_front();
            find(said, Divergence::Extra { message, content: actor.content(said) });
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
