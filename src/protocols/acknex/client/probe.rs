//! Asking an Acknex server: join, and wait for its info; an entity is created only on request.
//!
//! A real engine wants its network library's own connection first, which is not public: silence
//! shows nothing. There is no message for leaving. What `--create` makes is removed again, also
//! after Ctrl-C.

use super::super::PORT;
use super::super::layout::Message::{self, Create, Info, Join, Unknown};
use super::super::layout::{ENTITY, IDENTIFIER, PROTOCOL_VERSION, SERVER_TIME, TEXT};
use super::AcknexClient;
use crate::dissect::Role;
use crate::live::probe::statistics::milliseconds;
use crate::live::probe::{
    Ask, Carrier, Failure, Findings, Method, Outcome, Probe, Sampler, Servers, Session, hex_of, seconds, session,
};
use crate::message::OwnedMessage;
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

/// How long it listens behind the first info.
const MORE: Duration = Duration::from_secs(1);
/// How long answers to creates may still come when it is over.
const LATE: Duration = Duration::from_millis(200);
/// How many texts and entities are told.
const MOST: usize = 16;
/// What most readers would guess for the server's clock.
const GUESSES: [(f64, &str); 2] = [(1.0, "seconds"), (16.0, "ticks of a sixteenth of a second")];

impl Probe for AcknexClient {
    fn servers(&self) -> &'static Servers {
        &SERVERS
    }

    fn run(&self, _course: &Method, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        let session = Session::open(ask, &AcknexClient, Carrier::Udp, None, ask.options)?;
        let mut client = Client { session, seen: Seen::default(), made: Made::default() };
        let result = client.flow_info(ask, findings);
        client.leave();
        result
    }
}

struct Client<'a> {
    session: Session<'a>,
    seen: Seen,
    made: Made,
}

/// What the server has said.
#[derive(Default)]
struct Seen {
    version: Option<&'static str>,
    first: Option<Instant>,
    messages: u64,
    infos: Vec<(Instant, f64)>,
    protocol_version: Option<u64>,
    texts: BTreeSet<String>,
    entities: BTreeSet<i64>,
}

/// What was asked for, and what is there of it.
#[derive(Default)]
struct Made {
    model: String,
    base: i64,
    asked: BTreeSet<i64>,
    entities: Vec<i64>,
    answers: Vec<i64>,
}

impl Client<'_> {
    fn flow_info(&mut self, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        let start = Instant::now();
        let until = start + ask.timeout;
        // At once, and at half a second and a second and a half of three.
        for wait in [ask.timeout / 6, ask.timeout / 2, ask.timeout] {
            self.session.send(Join.name(), &json!({"player_name": ask.name}))?;
            self.listen((start + wait).min(until), |seen, _| seen.first.is_some())?;
            if self.seen.first.is_some() || !self.session.raw().is_empty() {
                break;
            }
        }
        self.listen(until, |seen, _| !seen.infos.is_empty())?;
        let Some(first) = self.seen.first else { return Err(self.silence(ask)) };
        self.listen(Instant::now() + MORE.min(ask.timeout / 2), |_, _| false)?;
        findings.find("acknex", Carrier::Udp, self.seen.version.map(String::from));
        let took = milliseconds(first.saturating_duration_since(start));
        findings.fact("first_answer_ms", took);
        self.tell(findings);
        findings
            .note(format!("first answer after {took} ms: no round trip, for a server sends its info at its own times"));
        match ask.create {
            Some(model) => self.create(model, took, ask, findings),
            None => Ok(()),
        }
    }

    /// Nothing that could be read came.
    fn silence(&self, ask: &Ask<'_>) -> Failure {
        let advice = "a real Gamestudio server expects its network library's connection first, which is not public: \
                      silence does not show that no server is there";
        let failure = self.session.verdict(ask, "join", advice);
        if failure.outcome == Outcome::Silent {
            return Failure { text: format!("no answer within {} to join", seconds(ask.timeout)), ..failure };
        }
        if failure.details.get("other") == Some(&Json::Null) {
            let text = format!("something answered, but not this protocol: {}", hex_of(self.session.raw()));
            let advice = "it may be DirectPlay, ENet, or encrypted (dplay_encrypt); or the port is another program's";
            return Failure { text, advice: advice.into(), ..failure };
        }
        failure
    }

    fn listen(&mut self, until: Instant, enough: impl Fn(&Seen, &Made) -> bool) -> Result<(), Failure> {
        while !enough(&self.seen, &self.made) {
            let Some(heard) = self.session.recv(until)? else { break };
            self.take(heard)?;
        }
        Ok(())
    }

    fn take(&mut self, heard: OwnedMessage) -> Result<(), Failure> {
        if heard.fault.is_some() || heard.message == Unknown || heard.from != Role::Server {
            self.session.unexpected.put(heard);
            return Ok(());
        }
        self.session.accept(&heard)?;
        let seen = &mut self.seen;
        seen.first = seen.first.or(heard.first);
        seen.version = heard.version.or(seen.version);
        seen.messages += 1;
        let entity = heard.field(&ENTITY).and_then(Json::as_i64);
        if let Some(entity) = entity.filter(|_| seen.entities.len() < 1 << 16) {
            seen.entities.insert(entity);
        }
        match Message::named(heard.message) {
            Some(Info) => {
                seen.protocol_version = heard.number(&PROTOCOL_VERSION);
                if let Some(time) = heard.field(&SERVER_TIME).and_then(Json::as_f64)
                    && seen.infos.len() < 4096
                {
                    seen.infos.extend(heard.first.map(|at| (at, time)));
                }
            }
            Some(Message::String) if seen.texts.len() < MOST => {
                seen.texts.extend(heard.text(&TEXT).map(String::from));
            }
            Some(Create) => {
                let identifier = heard.field(&IDENTIFIER).and_then(Json::as_i64);
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
        Ok(())
    }

    fn tell(&self, findings: &mut Findings<'_>) {
        let seen = &self.seen;
        findings.fact("messages", seen.messages);
        if let Some(version) = seen.protocol_version {
            findings.fact("protocol_version", version);
        }
        if let Some((_, time)) = seen.infos.last() {
            findings.fact("server_time", *time);
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

    /// Exact round trips: creates, which the server answers by their identifier.
    fn create(&mut self, model: &str, first: f64, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        self.made.base = i64::from(now.subsec_nanos() >> 16) & 0x3fff;
        self.made.model = model.into();
        session::series(self, ask.samples, ask.answer_wait(), &|| ask.interval, ask, findings)?;
        if ask.samples > 0 && self.made.answers.is_empty() {
            findings.note(format!("the exact round trip could not be measured; first answer after {first} ms"));
        }
        Ok(())
    }

    /// Removes what was made.
    fn leave(&mut self) {
        self.session.leaving();
        if self.made.asked.len() > self.made.answers.len() {
            let until = Instant::now() + LATE;
            while let Ok(Some(heard)) = self.session.recv(until) {
                // Nobody is left to be told.
                let _ = self.take(heard);
            }
        }
        for entity in std::mem::take(&mut self.made.entities) {
            // Nothing can be done where it does not go out.
            let _ = self.session.send("remove", &json!({"entity": entity}));
        }
        self.session.leave();
    }
}

/// How many infos come in a second, and by how much the server's clock goes on; `None` where no time
/// has passed.
fn rates(infos: &[(Instant, f64)]) -> Option<[f64; 2]> {
    let ((first, began), (last, ended)) = (infos.first()?, infos.last()?);
    let passed = last.saturating_duration_since(*first).as_secs_f64();
    let rounded = |amount: f64, steps: f64| (amount / passed * steps).round() / steps;
    (passed > 0.0).then(|| [rounded((infos.len() - 1) as f64, 10.0), rounded(ended - began, 1e3)])
}

impl<'a> Sampler<'a> for Client<'a> {
    fn session(&mut self) -> &mut Session<'a> {
        &mut self.session
    }

    fn ask(&mut self, number: u32) -> Result<Instant, Failure> {
        let Made { model, base, .. } = &self.made;
        let identifier = base + i64::from(number);
        let fields = json!({"file_name": model, "start": [0.0, 0.0, 0.0], "action": 0, "identifier": identifier});
        self.made.asked.insert(identifier);
        self.session.send("create", &fields)
    }

    fn message(
        &mut self,
        heard: OwnedMessage,
        number: Option<u32>,
        _findings: &mut Findings<'_>,
    ) -> Result<bool, Failure> {
        self.take(heard)?;
        let wanted = number.map(|number| self.made.base + i64::from(number));
        Ok(wanted.is_some_and(|wanted| self.made.answers.contains(&wanted)))
    }

    fn sampled(&mut self, _number: u32, took: Option<Duration>, findings: &mut Findings<'_>) -> bool {
        findings.sample("create", took);
        took.is_some() || !self.made.answers.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_clock() {
        let at = Instant::now();
        let infos = [(0, 1000.0), (90, 1000.75), (125, 1002.0), (250, 1004.0)];
        let infos = infos.map(|(passed, time)| (at + Duration::from_millis(passed), time));
        assert_eq!(rates(&infos), Some([12.0, 16.0]));
        assert_eq!(rates(&infos[..3]), Some([16.0, 16.0]));
        assert_eq!((rates(&infos[..1]), rates(&[])), (None, None));
    }
}
