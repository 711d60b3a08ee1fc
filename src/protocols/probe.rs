//! What a protocol has to say for itself when live servers are asked: its courses, what answers
//! mean, and how it leaves without harm.
//!
//! A probe is a [`Probe::run`] over [`Link`]s: the messages are written by the protocol's encoder
//! and read by its session. What was found is told to a [`Tale`]; why it went no further is a
//! [`Failure`] with a stable [`Outcome`] and a line of advice.

use super::{Dissector, Options};
use crate::flow::Transport;
use crate::net::{Heard, Link, Open, Recorder, Stop, Trouble, Watch};
use serde_json::{Map, Value as Json, json};
use std::cell::Cell;
use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What carries a protocol's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// UDP datagrams.
    Udp,
    /// A TCP stream.
    Tcp,
    /// WebSocket, over TCP.
    Ws,
}

impl Carrier {
    /// The word on the command line and in the output.
    pub const fn name(self) -> &'static str {
        match self {
            Carrier::Udp => "udp",
            Carrier::Tcp => "tcp",
            Carrier::Ws => "ws",
        }
    }

    /// The transport below.
    pub const fn transport(self) -> Transport {
        match self {
            Carrier::Udp => Transport::Udp,
            Carrier::Tcp | Carrier::Ws => Transport::Tcp,
        }
    }
}

/// One way of asking for a protocol.
#[derive(Debug)]
pub struct Course {
    /// What tells it from the protocol's other courses: `2.0`; empty where it needs no name.
    pub name: &'static str,
    /// The carrier.
    pub carrier: Carrier,
    /// Its place in the order in which a server of unknown protocol is asked: UDP below 100. A
    /// course comes behind all those whose servers it would harm.
    pub rank: u8,
    /// Why it stands there.
    pub why: &'static str,
}

/// How a protocol's servers are asked.
pub trait Probe: Sync {
    /// The port where servers listen, where there is a usual one.
    fn port(&self) -> Option<u16>;

    /// How long an answer is waited for, if the user says nothing.
    fn timeout(&self) -> Duration;

    /// Its courses, in the order in which they are tried.
    fn courses(&self) -> &'static [Course];

    /// Messages that only a server of this protocol answers with: what other probes know it by.
    fn answers(&self) -> &'static [&'static str];

    /// Asks. What is found is told to `tale`, also where it then fails.
    ///
    /// # Errors
    /// Why there is no answer, or none that helps.
    fn run(&self, course: &Course, ask: &Ask<'_>, tale: &mut Tale<'_>) -> Result<(), Failure>;
}

/// What the user wants to know, and of whom.
pub struct Ask<'a> {
    /// The protocol.
    pub dissector: &'static dyn Dissector,
    /// The server.
    pub peer: SocketAddr,
    /// The server's name, as the user wrote it.
    pub host: &'a str,
    /// WebSocket: the path.
    pub path: &'a str,
    /// Settings.
    pub options: &'a Options,
    /// How many round trips are measured.
    pub samples: u32,
    /// The time from one to the next.
    pub interval: Duration,
    /// How long an answer is waited for.
    pub timeout: Duration,
    /// Complete the handshake where that makes a player.
    pub connect: bool,
    /// Acknex: make an entity of this model.
    pub create: Option<&'a str>,
    /// The name to join under.
    pub name: &'a str,
    /// Where the exchange is recorded.
    pub recorder: Option<&'a Recorder>,
    /// Who sees the messages.
    pub watch: Option<Watch<'a>>,
    /// The user's wish to stop.
    pub stop: &'a Stop,
    /// The number of the last conversation, counted over all targets.
    pub flows: &'a AtomicU64,
}

impl<'a> Ask<'a> {
    /// Opens a conversation, whose messages are written in `version`.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open(&self, carrier: Carrier, version: Option<&'static str>) -> Result<Link<'a>, Failure> {
        self.open_with(carrier, version, self.options)
    }

    /// The same with other settings.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open_with(
        &self,
        carrier: Carrier,
        version: Option<&'static str>,
        options: &Options,
    ) -> Result<Link<'a>, Failure> {
        let flow = self.flows.fetch_add(1, Ordering::Relaxed) + 1;
        let (recorder, watch, stop) = (self.recorder, self.watch.clone(), self.stop);
        let (dissector, peer, timeout) = (self.dissector, self.peer, self.timeout);
        let transport = carrier.transport();
        let role = super::Role::Client;
        let open = Open { dissector, version, transport, peer, timeout, recorder, watch, stop, flow, role };
        Link::open(&open, options).map_err(|trouble| Failure::from_trouble(trouble, carrier))
    }

    /// Until when an answer to something sent now is waited for.
    pub fn until(&self) -> Instant {
        Instant::now() + self.timeout
    }

    /// Waits between two samples; `extra` shifts it against the server's tick.
    ///
    /// # Errors
    /// Interrupted.
    pub fn pause(&self, since: Instant, extra: Duration) -> Result<(), Failure> {
        match self.stop.sleep_until(since + self.interval + extra) {
            true => Ok(()),
            false => Err(Failure::interrupted()),
        }
    }
}

/// How it ended: the names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A server of the protocol answers.
    Ok,
    /// The name does not resolve.
    ResolveFailed,
    /// No way to the host.
    NoRoute,
    /// Nothing listens on the port.
    Refused,
    /// Nothing came back.
    Silent,
    /// What came back is another protocol's.
    OtherProtocol,
    /// A server of the protocol, of another version than the one asked for.
    OtherVersion,
    /// The server refuses this client.
    Rejected,
    /// The server has no place left.
    Full,
    /// The server leaves it to its application, which has not decided.
    Pending,
    /// The server ended the connection.
    Closed,
    /// The answer is the protocol's, but broken.
    Broken,
    /// The user wanted to stop.
    Interrupted,
    /// This side failed: no socket, no file.
    Failed,
}

impl Outcome {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::ResolveFailed => "resolve_failed",
            Outcome::NoRoute => "no_route",
            Outcome::Refused => "refused",
            Outcome::Silent => "silent",
            Outcome::OtherProtocol => "other_protocol",
            Outcome::OtherVersion => "other_version",
            Outcome::Rejected => "rejected",
            Outcome::Full => "full",
            Outcome::Pending => "pending",
            Outcome::Closed => "closed",
            Outcome::Broken => "broken",
            Outcome::Interrupted => "interrupted",
            Outcome::Failed => "failed",
        }
    }

    /// Of several courses' outcomes the highest is told: who answered anything comes first.
    pub const fn weight(self) -> u8 {
        match self {
            Outcome::NoRoute | Outcome::ResolveFailed => 0,
            Outcome::Refused => 1,
            Outcome::Silent => 2,
            Outcome::Closed => 3,
            Outcome::OtherProtocol => 4,
            Outcome::Broken => 5,
            Outcome::Failed => 6,
            _ => 7,
        }
    }
}

/// Why a probe went no further.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The stable outcome.
    pub outcome: Outcome,
    /// What was seen.
    pub text: String,
    /// What to do, in one line.
    pub advice: String,
    /// More for programs: the server's reason, data, the other protocol.
    pub details: Map<String, Json>,
}

impl Failure {
    /// A failure with its text and advice.
    pub fn new(outcome: Outcome, text: impl Into<String>, advice: impl Into<String>) -> Failure {
        Failure { outcome, text: text.into(), advice: advice.into(), details: Map::new() }
    }

    /// Adds a detail for programs.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Json>) -> Failure {
        self.details.insert(key.into(), value.into());
        self
    }

    /// The user wanted to stop.
    pub fn interrupted() -> Failure {
        Failure::new(Outcome::Interrupted, "interrupted", "the server was left properly")
    }

    /// What a socket's trouble means.
    pub fn from_trouble(trouble: Trouble, carrier: Carrier) -> Failure {
        let (outcome, advice) = match (&trouble, carrier) {
            (Trouble::Refused, Carrier::Udp) => {
                let text = "the host answers with ICMP port unreachable: nothing listens on that UDP port";
                let advice = "check the port, and that the server runs and is bound to this address";
                return Failure::new(Outcome::Refused, text, advice);
            }
            (Trouble::Refused, _) => {
                let text = "nothing listens on that TCP port";
                let advice = "check the port, and that the server runs and is bound to this address";
                return Failure::new(Outcome::Refused, text, advice);
            }
            (Trouble::NoRoute(_), _) => (Outcome::NoRoute, "check the address, and this host's network and routes"),
            (Trouble::NoAnswer, _) => {
                let advice = "a firewall drops it, or the host is down: check the address and the port's filter";
                return Failure::new(Outcome::Silent, trouble.to_string(), advice).with("connected", false);
            }
            (Trouble::Closed { .. }, _) => {
                let advice = "the server may be of another protocol, or refuses without a word: see its log";
                return Failure::new(Outcome::Closed, trouble.to_string(), advice).with("ended", true);
            }
            (Trouble::Endless(_), _) => (Outcome::Broken, "this is hardly a server of this protocol"),
            (Trouble::Interrupted, _) => return Failure::interrupted(),
            (Trouble::Gate(_) | Trouble::Encode(_), _) => (Outcome::Failed, "this is a fault of netkit, or of -s"),
            (Trouble::Record(_), _) => (Outcome::Failed, "check the --pcap file and its file system"),
            (Trouble::Io(_), _) => (Outcome::Failed, "the system's own error: see its text"),
        };
        Failure::new(outcome, trouble.to_string(), advice)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.outcome.name(), self.text)
    }
}

/// One round trip asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Its number, from 1.
    pub number: u32,
    /// What was sent and answered: `heartbeat`.
    pub method: &'static str,
    /// How long the answer took; `None`: it did not come.
    pub rtt: Option<Duration>,
}

/// What is told while a probe runs.
#[derive(Clone, Debug)]
pub enum Event {
    /// A server was identified.
    Found(Found),
    /// A round trip, or its loss.
    Sample(Sample),
}

/// What a server is.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The protocol.
    pub proto: &'static str,
    /// What carries it.
    pub carrier: &'static str,
    /// The protocol's version, where it has several.
    pub version: Option<String>,
    /// Which program or family of programs, as far as its answers tell.
    pub family: Option<String>,
    /// The server's own words: game, heartbeat interval, client id.
    pub facts: Map<String, Json>,
}

/// What a probe has found so far.
pub struct Tale<'a> {
    /// What the server is, once it is known.
    pub found: Option<Found>,
    /// The round trips.
    pub samples: Vec<Sample>,
    /// What people should know of the figures.
    pub notes: Vec<String>,
    /// Answers that came twice.
    pub duplicates: u64,
    tell: &'a dyn Fn(Event),
    told: Cell<bool>,
}

impl<'a> Tale<'a> {
    /// An empty tale, told to `tell`.
    pub fn new(tell: &'a dyn Fn(Event)) -> Tale<'a> {
        Tale { found: None, samples: Vec::new(), notes: Vec::new(), duplicates: 0, tell, told: Cell::new(false) }
    }

    /// A server was identified.
    pub fn find(&mut self, proto: &'static str, carrier: Carrier, version: Option<String>) -> &mut Found {
        let carrier = carrier.name();
        self.found.insert(Found { proto, carrier, version, ..Found::default() })
    }

    /// Adds one of the server's own words.
    pub fn fact(&mut self, key: &str, value: impl Into<Json>) {
        if let Some(found) = &mut self.found {
            found.facts.insert(key.into(), value.into());
        }
    }

    /// Tells what was found, once: before the first sample, or at the end.
    pub fn introduce(&self) {
        if let Some(found) = &self.found
            && !self.told.replace(true)
        {
            (self.tell)(Event::Found(found.clone()));
        }
    }

    /// A round trip was measured, or its answer is lost.
    pub fn sample(&mut self, method: &'static str, rtt: Option<Duration>) {
        self.introduce();
        let sample = Sample { number: self.samples.len() as u32 + 1, method, rtt };
        self.samples.push(sample);
        (self.tell)(Event::Sample(sample));
    }

    /// Adds a note, once.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}

/// Messages that came and were not waited for: what the verdict rests on when the right one does not.
#[derive(Debug, Default)]
pub struct Aside(Vec<Heard>);

/// How many of them are kept.
const ASIDE: usize = 16;

impl Aside {
    /// Keeps a message.
    pub fn put(&mut self, heard: Heard) {
        if self.0.len() < ASIDE {
            self.0.push(heard);
        }
    }

    /// The connection was ended: what was said before tells more, where anything was.
    pub fn at_end(&self, failure: Failure, ask: &Ask<'_>, carrier: Carrier, raw: &[Vec<u8>]) -> Failure {
        if failure.details.get("ended") != Some(&json!(true)) || raw.iter().all(Vec::is_empty) {
            return failure;
        }
        let verdict = self.verdict(ask, carrier, raw, "", "");
        if verdict.outcome == Outcome::Silent { failure } else { verdict }
    }

    /// What it means that the answer did not come: a broken answer, another protocol's, or silence.
    pub fn verdict(&self, ask: &Ask<'_>, carrier: Carrier, raw: &[Vec<u8>], sent: &str, advice: &str) -> Failure {
        let name = ask.dissector.name();
        let ours = ask.dissector.probe().map_or(&[][..], Probe::answers);
        let broken = |heard: &&Heard| heard.fault.is_some() && ours.contains(&heard.message);
        if let Some(proto) = recognise(ask.dissector, carrier.transport(), raw) {
            let text = format!("the answer is {proto}, not {name}: {}", hex_of(raw));
            let advice = format!("probe it with --proto {proto}");
            return Failure::new(Outcome::OtherProtocol, text, advice).with("other", proto).with("bytes", hex_of(raw));
        }
        if let Some(heard) = self.0.iter().find(broken) {
            let fault = heard.fault.clone().unwrap_or_default();
            let text = format!("a broken answer: {fault}; bytes {}", hex_of(raw));
            let advice = "something between may cut packets, or the server is of another protocol; -v shows the tree";
            let answer = json!({"message": heard.message, "fields": heard.fields, "fault": fault});
            return Failure::new(Outcome::Broken, text, advice).with("answer", answer).with("bytes", hex_of(raw));
        }
        if raw.iter().any(|bytes| !bytes.is_empty()) {
            let text = format!("something answered, but not {name}: {}", hex_of(raw));
            let advice = "check the port; without --proto all protocols are tried";
            return Failure::new(Outcome::OtherProtocol, text, advice)
                .with("other", Json::Null)
                .with("bytes", hex_of(raw));
        }
        let text = format!("no answer within {} to {sent}", seconds(ask.timeout));
        Failure::new(Outcome::Silent, text, advice)
    }
}

/// The first bytes that came, as hex.
pub fn hex_of(raw: &[Vec<u8>]) -> String {
    let first = raw.iter().find(|bytes| !bytes.is_empty()).map_or(&[][..], Vec::as_slice);
    let shown = first.get(..first.len().min(24)).unwrap_or_default();
    format!("{}{}", hex::encode(shown), if shown.len() < first.len() { ".." } else { "" })
}

/// A time for people: `1.5 s`.
pub fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

/// Which other protocol's server says this?
fn recognise(except: &dyn Dissector, transport: Transport, raw: &[Vec<u8>]) -> Option<&'static str> {
    let others = super::ALL.into_iter().filter(|d| d.name() != except.name());
    let mut others = others.filter_map(|d| d.probe().map(|probe| (d, probe)));
    let found = others.find(|(dissector, probe)| {
        probe.courses().iter().any(|course| course.carrier.transport() == transport)
            && raw.iter().filter(|bytes| !bytes.is_empty()).any(|bytes| {
                let first = crate::net::link::read_alone(*dissector, transport, bytes);
                first.is_some_and(|heard| heard.fault.is_none() && probe.answers().contains(&heard.message))
            })
    });
    found.map(|(dissector, _)| dissector.name())
}
