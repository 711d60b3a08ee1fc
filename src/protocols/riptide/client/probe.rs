//! Probes a Riptide server: connect, welcome, heartbeats, disconnect.
//!
//! Over UDP both wire forms are sent at once, each from its own socket: a 2.0 server ignores a 2.1 connect from an
//! unknown endpoint, and vice versa.
//!
//! 2.1 and later answer heartbeats only after the client's welcome, so the handshake is completed: the server's
//! application sees a client come and go. Every connect is followed by a disconnect, even without an answer: the answer
//! may have been lost, and the server may keep a place for us.

use super::super::layout::Message::{self, *};
use super::super::layout::{CLIENT, DATA, FOR_SEQ, IS_EXTRA, PING, REASON, SEQUENCE, TRAILING};
use super::RiptideClient;
use crate::live::probe::statistics::milliseconds;
use crate::live::probe::{
    Carrier, ConnectData, Engine, Failure, Meaning, Method, Outcome, Probe, Question, Questions, Read, Series, Servers,
    Session, echo,
};
use crate::message::OwnedMessage;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::time::Duration;

static SERVERS: Servers = Servers {
    port: Some(7777),
    timeout: Duration::from_secs(5),
    answers: &[Welcome.name(), Reject.name()],
    methods: &[
        Method {
            name: "",
            carrier: Carrier::Udp,
            rank: 20,
            why: "one byte, which servers of the others ignore from an unknown address",
        },
        Method {
            name: "",
            carrier: Carrier::Tcp,
            rank: 110,
            why: "2.0's three bytes, for which all others wait for more; all other bytes over TCP stop a Riptide server, so it is asked before them",
        },
    ],
};

impl Probe for RiptideClient {
    fn servers(&self) -> &'static Servers {
        &SERVERS
    }

    fn data(&self, data: &ConnectData) -> Result<Json, String> {
        match data {
            ConnectData::Bytes(bytes) => Ok(hex::encode(bytes).into()),
            ConnectData::Values(values) => Ok(values.clone()),
            // Up to this length, a text has the same form in all versions that are probed.
            ConnectData::Text(text) if text.len() < 128 => {
                Ok(hex::encode([&[text.len() as u8], text.as_bytes()].concat()).into())
            }
            ConnectData::Text(_) => {
                Err("a text of more than 127 bytes has another form in each version: give hex".into())
            }
        }
    }

    fn questions(&self, method: &Method) -> Box<dyn Questions + '_> {
        let carrier = method.carrier;
        Box::new(Riptide { carrier, ..Riptide::default() })
    }
}

/// The longest silence of a client: a server forgets it 5 s after its last heartbeat, without a word.
const SILENCE: Duration = Duration::from_secs(2);

/// Servers answer in their ticks: 20 ms in Unity.
const TICK_NANOS: u32 = 20_000_000;

/// The state of a probe.
#[derive(Default)]
pub(super) struct Riptide {
    pub(super) carrier: Carrier,
    /// The version of the server's answer.
    pub(super) version: &'static str,
    /// An ack has distinguished 2.1 from 2.2.
    pub(super) version_known: bool,
    /// The version in which it leaves the decision to its application.
    pub(super) pending: Option<&'static str>,
    /// It has welcomed us.
    pub(super) welcome: bool,
    /// The version is known from the server's own answer.
    pub(super) sure: bool,
    /// The connect carries the user's data.
    pub(super) given: bool,
    /// The time that opening the last connection took.
    pub(super) distance: Duration,
    /// The last round trip, which the next heartbeat carries.
    pub(super) rtt: Option<Duration>,
    /// The last heartbeat, those without an answer in time, and those with an answer.
    pub(super) asked: u8,
    pub(super) late: BTreeSet<u8>,
    pub(super) answered: BTreeSet<u8>,
}

/// Whether a server writes such a reject: with a reason of the library's, and with data only if the reason is `custom`.
/// Any text with the right first letter has the form of one.
fn is_reject(received: &OwnedMessage) -> bool {
    let reason = received.field(&REASON).and_then(Json::as_str);
    reason.is_some_and(|reason| reason == "custom" || !received.has(&DATA))
}

impl Questions for Riptide {
    fn ask(&mut self, engine: &mut Engine<'_, '_>) -> Result<(), Failure> {
        let ask = engine.ask;
        if self.carrier == Carrier::Udp {
            self.given = ask.request.data.is_some();
            for version in ["2.2", "2.0"] {
                self.open(version, ask.request.data.as_ref(), engine)?;
            }
            if engine.wait(self, None, ask.until())?.is_none() {
                return Err(self.unanswered(engine, "connect of 2.0 (03) and of 2.1, 2.2 (02)"));
            }
            // The server ignores the other socket's connect, so that socket needs no disconnect.
            engine.keep();
        } else {
            self.stream(engine)?;
        }
        // TCP: timers of the two network stacks delay the first answer. A random pause lets heartbeats meet the
        // server's tick in every phase.
        let (warm_up, pause) = (u32::from(self.carrier != Carrier::Udp), ask.request.interval + phase());
        engine.series(self, &Series { warm_up, pause, silence: SILENCE, ..Series::of(ask, Heartbeat.name()) })?;
        engine.findings.note("round trips include up to one tick of the server (20 ms in Unity); the minimum is the nearest to the network's");
        Ok(())
    }

    fn question(&mut self, number: u32) -> Question {
        let rtt = self.rtt.map_or(-1, |took| took.as_millis().min(i16::MAX as u128) as i64);
        self.asked = number as u8;
        // Ids come again after 256 questions.
        self.late.remove(&self.asked);
        self.answered.remove(&self.asked);
        Question::new(Heartbeat.name(), json!({"ping_id": number as u8, "rtt": rtt}))
    }

    fn sampled(&mut self, took: Option<Duration>) {
        let ids = if took.is_none() { &mut self.late } else { &mut self.answered };
        ids.insert(self.asked);
        self.rtt = took.or(self.rtt);
    }

    /// Whether this message repeats ours: a server whose application decides sends the connect back.
    fn repeats(&self, received: &OwnedMessage) -> bool {
        received.message == Connect
    }

    fn read(&mut self, received: &OwnedMessage, number: Option<u32>, engine: &mut Engine<'_, '_>) -> Read {
        let written = engine.session()?.version.unwrap_or(self.version);
        Ok(match (Message::named(received.message), self.welcome) {
            (Some(Welcome), false) if !received.has(&TRAILING) => {
                let took = received.since(engine.session()?.begun);
                self.version = received.version.filter(|version| *version != "1.0").unwrap_or(written);
                let spoken = self.spoken().to_string();
                let found = engine.findings.find("riptide", self.carrier, Some(spoken));
                found.family = (received.number(&SEQUENCE) == Some(2)).then(|| "pytide".into());
                engine.findings.fields(received, &[&CLIENT]);
                engine.findings.fact("connect_ms", milliseconds(took));
                self.wanted(engine.ask)?;
                if self.pending.is_some() {
                    engine.findings.note("the server's application decides about clients (pending)");
                }
                self.welcome = true;
                Meaning::Answer
            }
            (Some(Reject), _) if !is_reject(received) => Meaning::Stray,
            (Some(Reject), welcome) => {
                self.version = written;
                if !welcome {
                    engine.findings.find("riptide", self.carrier, Some(self.spoken().into()));
                }
                // There is nothing to leave. The port is not used again: some servers no longer answer it.
                Meaning::Refused(self.wanted(engine.ask).err().unwrap_or_else(|| self.rejected(received)))
            }
            (Some(Connect), false) if received.bytes().len() == 1 => {
                self.pending = Some(written);
                Meaning::Session
            }
            (Some(Disconnect), welcome) if welcome || self.pending.is_some() => {
                Meaning::Refused(Riptide::ended(received))
            }
            (Some(Heartbeat), true)
                if number.is_some() && received.number(&PING) == number.map(|n| u64::from(n as u8)) =>
            {
                Meaning::Answer
            }
            (Some(Heartbeat), true) => {
                let asked = received.number(&PING).and_then(|id| u8::try_from(id).ok());
                if asked.is_some_and(|id| self.answered.contains(&id)) {
                    return Ok(Meaning::Again);
                }
                match asked.filter(|id| self.late.remove(id)) {
                    Some(id) => {
                        self.answered.insert(id);
                        engine.findings.note("some heartbeats that count as lost were answered late");
                    }
                    None => engine.findings.note("some answers have the id of no heartbeat"),
                }
                Meaning::Session
            }
            (_, false) => Meaning::Stray,
            (message, true) => {
                if message == Some(Ack) {
                    self.ack(received, engine);
                }
                Meaning::Session
            }
        })
    }

    fn leave(&mut self, engine: &mut Engine<'_, '_>, result: Result<(), Failure>) -> Result<(), Failure> {
        self.settled(engine, result)
    }
}

impl Riptide {
    /// Sends a connect in this version.
    pub(super) fn open(
        &mut self,
        version: &'static str,
        data: Option<&Json>,
        engine: &mut Engine<'_, '_>,
    ) -> Result<(), Failure> {
        let stop = engine.ask.stop.clone();
        self.open_until(version, data, &stop, engine)
    }

    /// The version, as far as it is known.
    pub(super) fn spoken(&self) -> &'static str {
        if self.version == "2.0" || self.version_known { self.version } else { "2.1 or 2.2" }
    }

    /// Distinguishes 2.1 from 2.2: 2.1 always sends for_seq_id, 2.2 only if is_extra is set.
    fn ack(&mut self, received: &OwnedMessage, engine: &mut Engine<'_, '_>) {
        let extra = received.field(&IS_EXTRA).and_then(Json::as_bool);
        if self.version != "2.0"
            && let Some(found) = &mut engine.findings.found
        {
            self.version = if extra == Some(false) && received.has(&FOR_SEQ) { "2.1" } else { "2.2" };
            self.version_known = true;
            found.version = Some(self.version.into());
        }
    }

    /// The failure when no server sent a welcome.
    pub(super) fn unanswered(&self, engine: &Engine<'_, '_>, sent: &str) -> Failure {
        let Some(version) = self.pending else {
            let advice = "nothing there, a firewall, a frozen server, or another protocol: check the port; without --proto all are tried";
            return engine.silent(sent, advice);
        };
        if engine.sessions.len() > 1 && engine.sessions.iter().all(|session| session.returned(false)) {
            return echo(engine.ask);
        }
        let others = |session: &&Session<'_>| session.version != Some(version);
        if engine.sessions.iter().filter(others).any(|session| !session.raw().is_empty()) {
            let text = "the port answers the connects of 2.0 and of 2.1 alike, as no Riptide server does";
            let failure = Failure::new(Outcome::OtherProtocol, text, "an echo, or another protocol: check the port");
            return failure.with("other", Json::Null);
        }
        let text = format!("the server ({version}) has left the decision to its application, which has not decided");
        let advice = "wait longer with -W; the server's accept handler decides on something netkit does not send";
        Failure::new(Outcome::Pending, text, advice).with("version", version)
    }
}

/// A random part of a tick.
fn phase() -> Duration {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Duration::from_nanos((now.subsec_nanos().wrapping_mul(2_654_435_761) % TICK_NANOS) as u64)
}
