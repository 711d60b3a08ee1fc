//! Plays recorded conversations of a described protocol, by the file's `[numbers]`, `[requests]` and `[session]`.
//!
//! Recorded messages are sent again, each in a datagram or frame of its own, with live numbers. Acknowledgements are
//! copies of a recorded one with live values. `[session]` adds what a live peer needs besides: which message leaves it,
//! which one keeps it alive, and which values of ours are those that the peer has named in this session.

mod actor;
mod numbers;
mod values;

use super::Described;
use super::traffic::{self, Fields, Path};
use crate::codec::schema::compile::{Compiled, lasting, statics};
use crate::codec::schema::known::Carried;
use crate::codec::schema::text::{File, SessionText};
use crate::live::replay::Rules;
use crate::live::replay::actor::{Actor, Replay, ReplayContext};
use crate::nearest::{hint, nearest};
use serde_json::Value as Json;
use std::time::Duration;

/// The compiled `[session]`, and what follows from the rules for numbers and requests.
#[derive(Debug)]
pub struct Session {
    rules: &'static Rules,
    /// The message that leaves the peer, and its values if none was recorded.
    goodbye: Option<(&'static str, Json)>,
    keepalive: Option<(&'static str, Duration)>,
    /// Fields of ours, and the fields of the peer's messages whose newest value they have; none: the peer's port.
    takes: Vec<(Path, Vec<Path>)>,
    /// Messages, and those that answer them. An answered message was received.
    answered: Vec<(Vec<&'static str>, Vec<&'static str>)>,
    /// Fields of our acknowledgements, and the fields of the acknowledged message that they repeat.
    echoes: Vec<(Path, Vec<Path>)>,
}

impl Session {
    /// The messages that open and close a session.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }
}

/// The name in `takes` of the port that we send to.
const PEER_PORT: &str = "peer.port";

/// Compiles `[session]`.
pub fn compile(file: &File, fields: &Fields, carried: &[Carried], traffic: &traffic::Rules) -> Compiled<Session> {
    let none = SessionText::default();
    let text = file.session.as_ref().unwrap_or(&none);
    let message = |name: &str, key: &str| -> Compiled<&'static str> {
        let all = || carried.iter().flat_map(|(_, list)| list.iter()).map(|choice| choice.field.name);
        all().find(|known| *known == name).ok_or_else(|| {
            let near = hint(nearest(name, all()));
            (text.lines.at(key), format!("session: {key}: no message {name:?}{near}"))
        })
    };
    let all = |list: &[String], key: &str| list.iter().map(|name| message(name, key)).collect::<Compiled<Vec<_>>>();
    let (opens, opened) = (all(&text.opens, "opens")?, all(&text.opened, "opened")?);
    let named = |name: &str, key: &str| (!name.is_empty()).then(|| message(name, key)).transpose();
    let (closes, keepalive) = (named(&text.closes, "closes")?, named(&text.keepalive, "keepalive")?);
    if closes.is_none() && text.fields.as_object().is_some_and(|fields| !fields.is_empty()) {
        return Err((text.lines.at("fields"), "session: fields are those of the message that closes names".into()));
    }
    let path =
        |name: &str, key: &str| fields.path(name, text.lines.at(key), &format!("session: {key}")).map(|(path, _)| path);
    if let (Some(closes), Some(given)) = (closes, text.fields.as_object()) {
        for name in given.keys() {
            path(&format!("{closes}.{name}"), "fields").or_else(|why| path(name, "fields").map_err(|_| why))?;
        }
    }
    let pairs = |list: &[(String, Vec<String>)], key: &str| -> Compiled<Vec<(Path, Vec<Path>)>> {
        let theirs = |names: &[String]| match names {
            [] => Err((text.lines.at(key), format!("session: {key}: expected fields of the peer's messages"))),
            [name] if key == "takes" && name == PEER_PORT => Ok(Vec::new()),
            names => names.iter().map(|name| path(name, key)).collect(),
        };
        list.iter().map(|(ours, names)| Ok((path(ours, key)?, theirs(names)?))).collect()
    };
    let (takes, echoes) = (pairs(&text.takes, "takes")?, pairs(&text.echoes, "echoes")?);
    let differs = text.differs.iter().map(|name| path(name, "differs")).collect::<Compiled<Vec<_>>>()?;
    // Fields that the live session sets.
    let numbers = traffic.numbers.iter().flat_map(|rule| {
        let acks = rule.acks.iter().map(|ack| &ack.field);
        [&rule.number].into_iter().chain(&rule.resent_as).chain(acks)
    });
    let decided: Vec<&'static str> =
        numbers.chain(takes.iter().chain(&echoes).map(|(ours, _)| ours)).map(|path| path.names().1).collect();
    // The values that the peer decides differ from session to session, too.
    let theirs = takes.iter().flat_map(|(_, theirs)| theirs).chain(&differs).map(|path| path.names().1);
    let volatile: &'static [&'static str] = statics(decided.iter().copied().chain(theirs).collect());
    let decided: &'static [&'static str] = statics(decided);
    let mut answered: Vec<_> =
        traffic.requests.iter().map(|requests| (requests.asks.clone(), requests.answers.clone())).collect();
    answered.push((opens.clone(), opened));
    let answers = answered.iter().flat_map(|(_, answers)| answers.iter().copied());
    let opens: &'static [&'static str] = statics(opens);
    let kept = keepalive.into_iter().map(|name| (name, "keepalives")).collect();
    let rules = lasting(Rules {
        empty: "",
        broken: "",
        live: statics(kept),
        opens: [opens, opens],
        closes: statics(closes.into_iter().collect()),
        answers: statics(answers.collect()),
        others: &[],
        volatile: statics(vec![(&[][..], volatile)]),
        decided: statics(vec![(&[][..], decided)]),
    });
    let goodbye = closes.map(|name| (name, text.fields.clone()));
    Ok(Session { rules, goodbye, keepalive: keepalive.zip(text.every), takes, echoes, answered })
}

impl Replay for Described {
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor> {
        Box::new(actor::DescribedActor::new(self.description(), context))
    }
}
