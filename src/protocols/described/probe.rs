//! Probes servers of a described protocol by the file's `[probe]`: sends one message and waits for the answer. Values
//! of an earlier answer may go into a second question.

use super::Described;
use crate::codec::Tree;
use crate::codec::kinds::COMPUTED;
use crate::codec::schema::compile::{Compiled, Compiler, lasting, statics};
use crate::codec::schema::named::leak;
use crate::codec::schema::text::{File, MessageText, ProbeText};
use crate::dissect::{Encoder, Line, Role};
use crate::live::probe::{
    Carrier, Engine, Failure, Findings, Meaning, Method, Outcome, Probe, Question, Questions, Read, Series, Servers,
};
use crate::message::OwnedMessage;
use crate::nearest::{hint, nearest};
use crate::plural::Plural;
use serde_json::{Map, Value as Json};
use std::time::{Duration, Instant};

/// The most intermediate answers that ask for another question.
const ROUNDS: usize = 4;
/// The resends of a question without an answer, unless the file sets another number.
const RETRIES: u64 = 2;
/// The wait for an answer, unless the user sets another.
const TIMEOUT: Duration = Duration::from_secs(3);

static NOBODY: Servers = Servers { port: None, timeout: TIMEOUT, answers: &[], methods: &[] };

/// The file's plan for probing servers.
#[derive(Debug)]
pub struct Plan {
    send: &'static str,
    fields: Map<String, Json>,
    answers: &'static [&'static str],
    /// The values that the answer must have.
    expect: Map<String, Json>,
    /// A field of the question, and the message and field with its value.
    again: Vec<(String, String, String)>,
    tell: Vec<String>,
    retries: u64,
    servers: &'static Servers,
}

/// Compiles `[probe]` and looks up its names.
pub fn compile(
    file: &File,
    compiler: &Compiler<'_>,
    carriers: &[Carrier],
    port: Option<u16>,
) -> Compiled<Option<&'static Plan>> {
    let Some(text) = &file.probe else { return Ok(None) };
    let message = |name: &str, key: &str, from: &str| -> Compiled<&MessageText> {
        let all = || file.messages.iter().filter(|m| m.from.is_empty() || m.from == from);
        all().find(|m| m.name == name).ok_or_else(|| {
            let near = hint(nearest(name, all().map(|m| m.name.as_str())));
            let why = match file.messages.iter().any(|m| m.name == name) {
                true => format!("probe: {key}: the {from} does not send {name:?}{near}"),
                false => format!("probe: {key}: no message {name:?}{near}"),
            };
            (text.lines.at(key), why)
        })
    };
    let has = |m: &MessageText, name: &str, key: &str| -> Compiled<()> {
        let names = || compiler.names_of(m);
        match names().any(|known| known == name) {
            true => Ok(()),
            false => {
                let near = hint(nearest(name, names()));
                Err((text.lines.at(key), format!("probe: {key}: {} has no field {name:?}{near}", m.name)))
            }
        }
    };
    let sent = message(&text.send, "send", "client")?;
    let fields = object(&text.fields, "fields", text)?;
    let mut answers = Vec::new();
    for name in &text.answer {
        answers.push(message(name, "answer", "server")?);
    }
    let expect = object(&text.expect, "expect", text)?;
    for (key, names) in [("expect", expect.keys().collect::<Vec<_>>()), ("tell", text.tell.iter().collect())] {
        for name in names {
            let known = answers.iter().map(|m| has(m, name, key)).find(Result::is_ok);
            if let (None, Some(first)) = (known, answers.first()) {
                has(first, name, key)?;
            }
        }
    }
    let mut again = Vec::new();
    for (field, source) in &text.again {
        has(sent, field, "again")?;
        let Some((from, name)) = source.split_once('.') else {
            let why = format!("probe: again: {field}: expected MESSAGE.FIELD, got {source:?}");
            return Err((text.lines.at("again"), why));
        };
        has(message(from, "again", "server")?, name, "again")?;
        again.push((field.clone(), from.to_owned(), name.to_owned()));
    }
    let retries = text.retries.unwrap_or(RETRIES);
    if retries > 10 {
        return Err((text.lines.at("retries"), format!("probe: retries: expected 0 to 10, got {retries}")));
    }
    let why = "as the file of its protocol says, after the built-in ones";
    let method = |carrier: &Carrier| {
        let rank = if *carrier == Carrier::Udp { 90 } else { 190 };
        Method { name: "", carrier: *carrier, rank, why }
    };
    let answers: &'static [&'static str] = statics(answers.iter().map(|m| leak(&m.name)).collect());
    let methods = statics(carriers.iter().map(method).collect());
    let servers = lasting(Servers { port, timeout: TIMEOUT, answers, methods });
    let send = leak(&text.send);
    Ok(Some(lasting(Plan { send, fields, answers, expect, again, tell: text.tell.clone(), retries, servers })))
}

fn object(value: &Json, key: &str, text: &ProbeText) -> Compiled<Map<String, Json>> {
    match value {
        Json::Object(map) => Ok(map.clone()),
        _ => Err((text.lines.at(key), format!("probe: {key}: expected a table"))),
    }
}

impl Plan {
    /// The message that is sent.
    pub fn send(&self) -> &'static str {
        self.send
    }

    /// Checks that the question can be encoded.
    pub fn check(&self, encoder: &mut dyn Encoder, proto: &str) -> Result<(), String> {
        let fields = Json::Object(self.fields.clone());
        let line = Line {
            message: self.send,
            proto,
            version: None,
            from: Role::Client,
            flow: 0,
            fields: &fields,
            derived: None,
            packet: None,
            part: None,
            broken: false,
        };
        encoder.encode(&line).map(drop).map_err(|why| format!("probe: {}: {why}", self.send))
    }

    /// The name and fields of a message, or of the joined message that it completed.
    fn content(received: &OwnedMessage) -> (&str, &Json) {
        let joined = &received.derived_json()["joined"];
        match joined["message"].as_str() {
            Some(name) => (name, &joined["fields"]),
            None => (received.message, received.to_json()),
        }
    }

    fn answers(&self, message: &str, fields: &Json) -> bool {
        self.answers.contains(&message) && self.expect.iter().all(|(name, value)| fields.get(name) == Some(value))
    }

    /// Takes values for the question from a message. False: it has none.
    fn learn(&self, message: &str, answer: &Json, fields: &mut Map<String, Json>) -> bool {
        let mut any = false;
        for (field, _, name) in self.again.iter().filter(|(_, from, _)| from == message) {
            if let Some(value) = answer.get(name) {
                fields.insert(field.clone(), value.clone());
                any = true;
            }
        }
        any
    }

    /// Reports the values in the answer.
    fn tell(&self, fields: &Json, findings: &mut Findings<'_>) {
        let Some(fields) = fields.as_object() else { return };
        match self.tell.is_empty() {
            true => {
                let plain = fields.iter().filter(|(_, value)| !value.is_object() && !value.is_array());
                plain.for_each(|(name, value)| findings.fact(name, value.clone()));
            }
            false => {
                let chosen = self.tell.iter().filter_map(|name| Some((name, fields.get(name)?)));
                chosen.for_each(|(name, value)| findings.fact(name, value.clone()));
            }
        }
    }
}

/// The state of a probe.
struct Asking {
    /// `None`: the file has no `[probe]`, and so no method.
    plan: Option<&'static Plan>,
    carrier: Carrier,
    fields: Map<String, Json>,
    /// The number of further questions that are allowed.
    rounds: usize,
    /// The fields of an answer that has other values than the file expects.
    unexpected: Option<Json>,
}

impl Questions for Asking {
    fn ask(&mut self, engine: &mut Engine<'_, '_>) -> Result<(), Failure> {
        let (ask, Some(plan)) = (engine.ask, self.plan) else { return Err(Failure::interrupted()) };
        engine.open(self.carrier, None)?;
        // Only datagrams are resent, since they may be lost.
        let copies = if self.carrier == Carrier::Udp { plan.retries + 1 } else { 1 };
        let mut answer = None;
        for copy in 1..=copies {
            answer = engine.question(self, 0, ask.timeout / copies as u32)?.map(|answer| (copy, answer));
            if answer.is_some() {
                break;
            }
        }
        let Some((copy, (received, took))) = answer else {
            // Without --proto, a file with little evidence may have read the answer of another protocol.
            if let Some(fields) = self.unexpected.take().filter(|_| ask.request.proto.is_some()) {
                let text = format!("the answer has other values than expect in [probe]: {fields}");
                let advice = "the server refuses the question, or the file expects too much";
                return Err(Failure::new(Outcome::Rejected, text, advice).with("answer", fields));
            }
            let advice = "check the port and the file's [probe]; the server may answer only known clients";
            return Err(engine.silent(plan.send, advice));
        };
        engine.findings.find(ask.dissector.name(), self.carrier, None);
        plan.tell(Plan::content(&received).1, &mut engine.findings);
        engine.findings.introduce();
        let mut count = ask.request.samples;
        if copy == 1 {
            engine.findings.sample(plan.send, Some(took));
            count = count.saturating_sub(1);
        } else {
            // It is unknown which transmission was answered.
            let sent = Plural(copy - 1, "transmission");
            engine.findings.note(format!("no answer to {sent} of the first request: its time is not counted"));
        }
        if count > 0 {
            engine.listen(self, Instant::now() + ask.request.interval)?;
        }
        engine.series(self, &Series { count, ..Series::of(ask, plan.send) }).map(drop)
    }

    fn question(&mut self, _number: u32) -> Question {
        self.rounds = ROUNDS;
        Question::new(self.plan.map_or("", |plan| plan.send), Json::Object(self.fields.clone()))
    }

    fn read(&mut self, received: &OwnedMessage, number: Option<u32>, engine: &mut Engine<'_, '_>) -> Read {
        let (message, fields) = Plan::content(received);
        let Some(plan) = self.plan.filter(|_| received.proto == engine.ask.dissector.name()) else {
            return Ok(Meaning::Session);
        };
        // Clients drop such a packet.
        let is_computed = |tree: &Tree| tree.nodes().iter().any(|node| std::ptr::eq(node.field, &COMPUTED));
        if received.trees().is_some_and(|trees| trees.into_iter().any(is_computed)) {
            return Ok(Meaning::Stray);
        }
        if plan.answers(message, fields) {
            return Ok(if number.is_some() { Meaning::Answer } else { Meaning::Again });
        }
        if number.is_some() && self.rounds > 0 && plan.learn(message, fields, &mut self.fields) {
            self.rounds -= 1;
            return Ok(Meaning::AskAgain(Json::Object(self.fields.clone())));
        }
        if number.is_some() && plan.answers.contains(&message) {
            self.unexpected = Some(fields.clone());
        }
        Ok(Meaning::Stray)
    }
}

impl Probe for Described {
    fn servers(&self) -> &'static Servers {
        self.description().probe.map_or(&NOBODY, |plan| plan.servers)
    }

    fn questions(&self, method: &Method) -> Box<dyn Questions + '_> {
        let plan = self.description().probe;
        let fields = plan.map(|plan| plan.fields.clone()).unwrap_or_default();
        Box::new(Asking { plan, carrier: method.carrier, fields, rounds: ROUNDS, unexpected: None })
    }
}
