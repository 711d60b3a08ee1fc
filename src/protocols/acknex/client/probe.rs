//! Probes an Acknex server: joins, and waits for its info. An entity is created only if the user asks for it.
//!
//! A real engine first expects its network library's own connection, which is not public, so silence proves nothing.
//! There is no message for leaving. Entities made for `--create` are removed again, also after Ctrl-C.

use super::super::PORT;
use super::super::layout::Message::{self, Create, Info, Join, Unknown};
use super::super::layout::{ENTITY, IDENTIFIER, PROTOCOL_VERSION, SERVER_TIME, TEXT};
use super::AcknexClient;
use crate::dissect::Role;
use crate::live::probe::statistics::milliseconds;
use crate::live::probe::{
    Carrier, Engine, Failure, Findings, Meaning, Method, Outcome, Probe, Question, Questions, Read, Series, Servers,
    hex_of,
};
use crate::message::OwnedMessage;
use crate::plural::Plural;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

static SERVERS: Servers = Servers {
    port: Some(PORT),
    timeout: Duration::from_secs(3),
    answers: &["info"],
    methods: &[Method {
        name: "",
        carrier: Carrier::Udp,
        rank: 30,
        why: "a Riptide server of 2.1 or later would take the join for a connect: it is asked before",
    }],
};

/// The time to listen after the first info.
const MORE: Duration = Duration::from_secs(1);
/// The time to wait for late answers to creates before leaving.
const LATE: Duration = Duration::from_millis(200);
/// The most texts and entities that are reported.
const MOST: usize = 16;
/// The likely units of the server's clock, by its rate.
const GUESSES: [(f64, &str); 2] = [(1.0, "seconds"), (16.0, "ticks of a sixteenth of a second")];

impl Probe for AcknexClient {
    fn servers(&self) -> &'static Servers {
        &SERVERS
    }

    fn questions(&self, _method: &Method) -> Box<dyn Questions + '_> {
        Box::new(Acknex::default())
    }
}

#[derive(Default)]
struct Acknex {
    /// The message that is waited for.
    wants: Wants,
    seen: Seen,
    made: Made,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Wants {
    /// Any message from the server.
    #[default]
    Anything,
    /// An info.
    Info,
    /// The entity that was requested.
    Entity,
}

/// An info: when it arrived, and the server's clock in it.
struct ClockReading {
    at: Instant,
    time: f64,
}

/// The messages that the server has sent.
#[derive(Default)]
struct Seen {
    version: Option<&'static str>,
    first: Option<Instant>,
    messages: u64,
    infos: Vec<ClockReading>,
    protocol_version: Option<u64>,
    texts: BTreeSet<String>,
    entities: BTreeSet<i64>,
}

/// The creates that were sent, and their answers.
#[derive(Default)]
struct Made {
    model: String,
    base: i64,
    asked: BTreeSet<i64>,
    entities: Vec<i64>,
    answers: Vec<i64>,
}

impl Questions for Acknex {
    fn ask(&mut self, engine: &mut Engine<'_, '_>) -> Result<(), Failure> {
        let ask = engine.ask;
        let start = Instant::now();
        engine.open(Carrier::Udp, None)?;
        // The join is sent at once, after a sixth and after half of the timeout.
        for wait in [ask.timeout / 6, ask.timeout / 2, ask.timeout] {
            engine.session()?.send("acknex", Join.name(), &json!({"player_name": ask.request.name}))?;
            let received = engine.wait(self, None, start + wait)?;
            if received.is_some() || !engine.session()?.raw().is_empty() {
                break;
            }
        }
        self.wants = Wants::Info;
        if self.seen.infos.is_empty() {
            engine.wait(self, None, start + ask.timeout)?;
        }
        // Any byte may be read as a command. Only an info answers a join.
        let Some(first) = self.seen.first.filter(|_| !self.seen.infos.is_empty()) else { return Err(silence(engine)) };
        engine.listen(self, Instant::now() + MORE.min(ask.timeout / 2))?;
        engine.findings.find("acknex", Carrier::Udp, self.seen.version.map(String::from));
        let took = milliseconds(first.saturating_duration_since(start));
        engine.findings.fact("first_answer_ms", took);
        self.report(&mut engine.findings);
        engine
            .findings
            .note(format!("first answer after {took} ms: no round trip, for a server sends its info at its own times"));
        let Some(model) = ask.request.create.as_deref() else { return Ok(()) };
        if self.seen.version == Some("a5") {
            let why = "a server of A5 expects the player's id in a create, which netkit does not have";
            engine.findings.note(format!("{why}: nothing was created"));
            return Ok(());
        }
        // Creates measure exact round trips: the server answers each by its identifier.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        self.made.base = i64::from(now.subsec_nanos() >> 16) & 0x3fff;
        self.made.model = model.into();
        self.wants = Wants::Entity;
        let trips = engine.series(self, &Series::of(ask, Create.name()).at_most(1))?;
        if ask.request.samples > 0 && trips.answered == 0 {
            let note = format!("the exact round trip could not be measured; first answer after {took} ms");
            engine.findings.note(note);
        }
        Ok(())
    }

    fn question(&mut self, number: u32) -> Question {
        let identifier = self.made.base + i64::from(number);
        self.made.asked.insert(identifier);
        let model = &self.made.model;
        let fields = json!({"file_name": model, "start": [0.0, 0.0, 0.0], "action": 0, "identifier": identifier});
        Question::new(Create.name(), fields)
    }

    fn read(&mut self, received: &OwnedMessage, number: Option<u32>, _: &mut Engine<'_, '_>) -> Read {
        if received.message == Unknown || received.from != Role::Server {
            return Ok(Meaning::Stray);
        }
        self.take(received);
        let wanted = number.map(|number| self.made.base + i64::from(number));
        let answers = match self.wants {
            Wants::Anything => true,
            Wants::Info => received.message == Info,
            Wants::Entity => wanted.is_some_and(|wanted| self.made.answers.contains(&wanted)),
        };
        Ok(if answers { Meaning::Answer } else { Meaning::Session })
    }

    /// Removes the entities that were made.
    fn leave(&mut self, engine: &mut Engine<'_, '_>, result: Result<(), Failure>) -> Result<(), Failure> {
        // If sending fails now, nothing can be done, and nobody is left to report it to.
        if let Ok(session) = engine.session() {
            session.leaving();
        }
        if self.made.asked.len() > self.made.answers.len() {
            let _ = engine.listen(self, Instant::now() + LATE);
        }
        let open = self.made.asked.len().saturating_sub(self.made.answers.len());
        if open > 0 {
            let creates = Plural(open as u64, "create");
            engine
                .findings
                .note(format!("{creates} without an answer: what the server may have made of it stays in the game"));
        }
        for entity in std::mem::take(&mut self.made.entities) {
            let _ = engine.session().and_then(|s| s.send("acknex", "remove", &json!({"entity": entity})));
        }
        result
    }
}

/// The failure when nothing readable arrived.
fn silence(engine: &Engine<'_, '_>) -> Failure {
    let advice = "a real Gamestudio server expects its network library's connection first, which is not public: \
                  silence does not show that no server is there";
    let failure = engine.silent("join", advice);
    if failure.outcome == Outcome::OtherProtocol
        && failure.details.get("stranger").is_none()
        && failure.details.get("other") == Some(&Json::Null)
    {
        let raw = engine.sessions.first().map_or(&[][..], |session| session.raw());
        let text = format!("something answered, but not this protocol: {}", hex_of(raw));
        let advice = "it may be DirectPlay, ENet, or encrypted (dplay_encrypt); or the port is another program's";
        return Failure { text, advice: advice.into(), ..failure };
    }
    failure
}

impl Acknex {
    fn take(&mut self, received: &OwnedMessage) {
        let seen = &mut self.seen;
        seen.first = seen.first.or(received.first);
        seen.version = received.version.or(seen.version);
        seen.messages += 1;
        let entity = received.field(&ENTITY).and_then(Json::as_i64);
        if let Some(entity) = entity.filter(|_| seen.entities.len() < 1 << 16) {
            seen.entities.insert(entity);
        }
        match Message::named(received.message) {
            Some(Info) => {
                seen.protocol_version = received.number(&PROTOCOL_VERSION);
                if let Some(time) = received.field(&SERVER_TIME).and_then(Json::as_f64)
                    && seen.infos.len() < 4096
                {
                    seen.infos.extend(received.first.map(|at| ClockReading { at, time }));
                }
            }
            Some(Message::String) if seen.texts.len() < MOST => {
                seen.texts.extend(received.text(&TEXT).map(String::from));
            }
            Some(Create) => {
                let identifier = received.field(&IDENTIFIER).and_then(Json::as_i64);
                if let (Some(identifier), Some(entity)) = (identifier, entity)
                    && self.made.asked.contains(&identifier)
                    && !self.made.entities.contains(&entity)
                {
                    self.made.entities.push(entity);
                    self.made.answers.push(identifier);
                }
            }
            _ => {}
        }
    }

    fn report(&self, findings: &mut Findings<'_>) {
        let seen = &self.seen;
        findings.fact("messages", seen.messages);
        if let Some(version) = seen.protocol_version {
            findings.fact("protocol_version", version);
        }
        if let Some(info) = seen.infos.last() {
            findings.fact("server_time", info.time);
        }
        if let Some([infos, clock]) = rates(&seen.infos) {
            findings.fact("infos_per_second", infos);
            findings.fact("clock_per_second", clock);
            let near = GUESSES.iter().find(|(rate, _)| (clock - rate).abs() < rate * 0.1);
            if let Some((_, unit)) = near {
                findings.note(format!("the server's clock seems to count {unit}; the unit is not documented"));
            }
        }
        if !seen.texts.is_empty() {
            findings.fact("texts", json!(seen.texts));
        }
        if !seen.entities.is_empty() {
            findings.fact("entities", seen.entities.len());
        }
    }
}

/// The number of infos a second, and the server's clock units a second; `None` if no time has passed.
fn rates(infos: &[ClockReading]) -> Option<[f64; 2]> {
    let (first, last) = (infos.first()?, infos.last()?);
    let passed = last.at.saturating_duration_since(first.at).as_secs_f64();
    let rounded = |amount: f64, steps: f64| (amount / passed * steps).round() / steps;
    (passed > 0.0).then(|| [rounded((infos.len() - 1) as f64, 10.0), rounded(last.time - first.time, 1e3)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_clock() {
        let at = Instant::now();
        let infos = [(0, 1000.0), (90, 1000.75), (125, 1002.0), (250, 1004.0)];
        let infos = infos.map(|(passed, time)| ClockReading { at: at + Duration::from_millis(passed), time });
        assert_eq!(rates(&infos), Some([12.0, 16.0]));
        assert_eq!(rates(&infos[..3]), Some([16.0, 16.0]));
        assert_eq!((rates(&infos[..1]), rates(&[])), (None, None));
    }
}
