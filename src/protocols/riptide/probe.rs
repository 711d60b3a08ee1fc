//! Asking a Riptide server: connect, welcome, heartbeats, disconnect.
//!
//! Over UDP both wire forms are asked at once, each from a socket of its own: a 2.0 server ignores
//! the connect of 2.1 from an unknown endpoint, and the other way round. Over TCP 2.0 comes first:
//! a 2.1 server waits for the fourth byte of its length, but a 2.0 server would take the length of
//! 2.1 for a message to the application.
//!
//! 2.1 and later answer heartbeats only after the client's welcome, so the handshake is completed;
//! the server's application sees a client come and go. Every connect is followed by a disconnect,
//! also when nothing came back: the answer may have been lost, and the place be taken.

use crate::net::{Heard, Link, Trouble};
use crate::probe::statistics::milliseconds;
use crate::protocols::probe::{Aside, Ask, Carrier, Course, Failure, Outcome, Probe, Tale};
use serde_json::json;
use std::time::{Duration, Instant};

/// How Riptide's servers are asked.
pub struct Probing;

static COURSES: [Course; 3] = [
    Course {
        name: "",
        carrier: Carrier::Udp,
        rank: 20,
        why: "one byte, which servers of the others ignore from an unknown address",
    },
    Course { name: "2.0", carrier: Carrier::Tcp, rank: 110, why: "three bytes, for which all others wait for more" },
    Course {
        name: "2.2",
        carrier: Carrier::Tcp,
        rank: 120,
        why: "all other bytes over TCP stop a Riptide server: it must have been asked before",
    },
];

/// The real client tries five times, a second apart; so often within the timeout.
const TRIES: u32 = 5;
/// How long an open race sleeps between two looks.
const LOOK: Duration = Duration::from_micros(300);
/// Servers answer in a tick of their own: 20 ms is Unity's.
const TICK_NANOS: u32 = 20_000_000;

impl Probe for Probing {
    fn port(&self) -> Option<u16> {
        Some(7777)
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs(5)
    }

    fn courses(&self) -> &'static [Course] {
        &COURSES
    }

    fn answers(&self) -> &'static [&'static str] {
        &["welcome", "reject"]
    }

    fn run(&self, course: &Course, ask: &Ask<'_>, tale: &mut Tale<'_>) -> Result<(), Failure> {
        let mut links = Vec::new();
        for version in ["2.2", "2.0"] {
            if course.name.is_empty() || course.name == version {
                links.push(Client::open(course.carrier, version, ask)?);
            }
        }
        let result = race(&mut links, ask, tale).and_then(|winner| {
            // The other socket's connect is ignored by this server: nobody is there to be left.
            let mut client = links.swap_remove(winner);
            links.clear();
            let result = client.talk(ask, tale);
            client.leave();
            result
        });
        links.iter_mut().for_each(Client::leave);
        result
    }
}

/// One socket, and what was heard on it.
struct Client<'a> {
    link: Link<'a>,
    carrier: Carrier,
    version: &'static str,
    aside: Aside,
    /// The server has our connect, as far as we know: it has to be left.
    open: bool,
    pending: bool,
    began: Instant,
    received: Received,
    id: u64,
    seen_ack: bool,
}

/// Which reliable messages of the server came, as acks tell it.
#[derive(Default)]
struct Received {
    last: u16,
    bits: u16,
}

impl Received {
    fn take(&mut self, sequence: u16) {
        match sequence.wrapping_sub(self.last) as i16 {
            ahead @ 1.. => {
                let shift = ahead as u32;
                let moved = if shift < 16 { self.bits << shift } else { 0 };
                self.bits = if shift <= 16 { moved | 1 << (shift - 1) } else { 0 };
                self.last = sequence;
            }
            behind @ ..0 => {
                let bit = behind.unsigned_abs() as u32 - 1;
                self.bits |= if bit < 16 { 1 << bit } else { 0 };
            }
            0 => {}
        }
    }
}

/// Asks on all sockets until one is welcome: which.
fn race(clients: &mut [Client<'_>], ask: &Ask<'_>, tale: &mut Tale<'_>) -> Result<usize, Failure> {
    let (start, until) = (Instant::now(), ask.until());
    let mut tries = 0;
    loop {
        if start.elapsed() >= ask.timeout / TRIES * tries && tries < TRIES {
            tries += 1;
            for client in clients.iter_mut().filter(|client| !client.pending && (tries == 1 || client.datagrams())) {
                client.began = client.say("connect", json!({}))?;
                client.open = true;
            }
        }
        let mut closed = 0;
        for at in 0..clients.len() {
            let Some(client) = clients.get_mut(at) else { continue };
            match client.link.poll() {
                Ok(Some(heard)) => {
                    if client.answered(heard, ask, tale)? {
                        return Ok(at);
                    }
                }
                Ok(None) => {}
                Err(Trouble::Closed { .. }) => closed += 1,
                Err(trouble) => return Err(client.trouble(trouble)),
            }
        }
        if Instant::now() >= until || closed == clients.len() {
            return Err(unanswered(clients, ask, closed > 0));
        }
        std::thread::sleep(LOOK);
    }
}

/// Nobody was welcome.
fn unanswered(clients: &[Client<'_>], ask: &Ask<'_>, closed: bool) -> Failure {
    let Some(first) = clients.first() else { return Failure::interrupted() };
    if let Some(client) = clients.iter().find(|client| client.pending) {
        let text =
            format!("the server ({}) has left the decision to its application, which has not decided", client.version);
        let advice = "wait longer with -W; the server's accept handler decides on something netkit does not send";
        return Failure::new(Outcome::Pending, text, advice).with("version", client.version);
    }
    // Closed after some bytes: these tell more.
    let with_bytes = clients.iter().find(|client| !client.link.raw.is_empty());
    if closed && with_bytes.is_none() {
        return Failure::from_trouble(Trouble::Closed { reset: false }, first.carrier);
    }
    let client = with_bytes.unwrap_or(first);
    let sent = match first.carrier {
        Carrier::Udp => "connect of 2.0 (03) and of 2.1, 2.2 (02)".to_string(),
        _ => format!("connect of {}", first.version),
    };
    let advice = "nothing there, a firewall, a frozen server, or another protocol: check the port; without --proto all are tried";
    client.aside.verdict(ask, client.carrier, &client.link.raw, &sent, advice)
}

impl<'a> Client<'a> {
    fn open(carrier: Carrier, version: &'static str, ask: &Ask<'a>) -> Result<Client<'a>, Failure> {
        let mut options = ask.options.clone();
        // 2.1 and 2.2 are told apart by an ack: the session does that where nothing is set.
        let _ = options.settings.add(if version == "2.0" { "riptide.version=2.0" } else { "riptide.version=auto" });
        Ok(Client {
            link: ask.open_with(carrier, Some(version), &options)?,
            carrier,
            version,
            aside: Aside::default(),
            open: false,
            pending: false,
            began: Instant::now(),
            received: Received::default(),
            id: 0,
            seen_ack: false,
        })
    }

    fn datagrams(&self) -> bool {
        self.carrier == Carrier::Udp
    }

    fn trouble(&self, trouble: Trouble) -> Failure {
        Failure::from_trouble(trouble, self.carrier)
    }

    fn say(&mut self, message: &str, fields: serde_json::Value) -> Result<Instant, Failure> {
        self.link.say(message, &fields).map_err(|trouble| self.trouble(trouble))
    }

    /// Looks at what came before the welcome. `true`: it is the welcome.
    fn answered(&mut self, heard: Heard, ask: &Ask<'_>, tale: &mut Tale<'_>) -> Result<bool, Failure> {
        match (heard.message, &heard.fault) {
            ("welcome", None) if heard.fields.get("trailing").is_none() => {
                let took = heard.first.saturating_duration_since(self.began);
                self.version = heard.version.filter(|v| *v != "1.0").unwrap_or(self.version);
                self.id = heard.number("client_id").unwrap_or(0);
                tale.find("riptide", self.carrier, Some(self.version.into()));
                tale.fact("client_id", self.id);
                tale.fact("connect_ms", milliseconds(took));
                self.reliable(&heard)?;
                if heard.number("sequence_id") == Some(2)
                    && let Some(found) = &mut tale.found
                {
                    found.family = Some("pytide".into());
                }
                self.wanted(ask)?;
                Ok(true)
            }
            ("reject", None) => {
                // Nothing to leave, and the port is not used again: some servers stay silent for it.
                self.open = false;
                tale.find("riptide", self.carrier, Some(self.version.into()));
                self.wanted(ask)?;
                Err(self.rejected(&heard))
            }
            ("connect", None) if heard.bytes.len() == 1 => {
                self.pending = true;
                tale.note("the server's application decides about clients (pending)");
                Ok(false)
            }
            ("disconnect", None) => {
                self.open = false;
                Err(ended(&heard))
            }
            _ => {
                self.aside.put(heard);
                Ok(false)
            }
        }
    }

    /// Is it the version that the user asked for?
    fn wanted(&self, ask: &Ask<'_>) -> Result<(), Failure> {
        let Some(wanted) = ask.options.settings.get("riptide.version") else { return Ok(()) };
        let packed = |version: &str| matches!(version, "2.1" | "2.2");
        if wanted == self.version || packed(wanted) && packed(self.version) {
            return Ok(());
        }
        let text = format!("the server speaks {}, not {wanted}", self.version);
        let advice = format!("use a client of Riptide {}, or leave riptide.version alone", self.version);
        Err(Failure::new(Outcome::OtherVersion, text, advice).with("version", self.version).with("wanted", wanted))
    }

    fn rejected(&self, heard: &Heard) -> Failure {
        let reason = heard.fields.get("reason").map(|v| v.as_str().map_or(v.to_string(), str::to_string));
        let reason = reason.unwrap_or_default();
        let outcome = if reason == "server_full" { Outcome::Full } else { Outcome::Rejected };
        let data = heard.text("data").unwrap_or_default();
        let mut text = format!("the server ({}) rejects: {reason}", self.version);
        let said = hex::decode(data).ok().and_then(|bytes| printable(&bytes));
        match (&said, data) {
            (_, "") => {}
            (Some(said), _) => text += &format!(", and says {said:?}"),
            (None, data) => text += &format!(", with data {data}"),
        }
        let advice = match (outcome, self.version, data.is_empty()) {
            (Outcome::Full, ..) => "all places are taken: try again later, or raise the server's limit",
            (_, "2.0", _) | (_, _, false) => "the server's application refuses this client: see its accept handler",
            _ => {
                "the application refuses this client; pytide sends this number where its server is full (rejected) or refuses (custom)"
            }
        };
        let failure = Failure::new(outcome, text, advice).with("version", self.version).with("reason", reason);
        match (said, data) {
            (_, "") => failure,
            (Some(said), data) => failure.with("data", data).with("said", said),
            (None, data) => failure.with("data", data),
        }
    }

    /// Acknowledges a reliable message, so that the server does not send it again.
    fn reliable(&mut self, heard: &Heard) -> Result<(), Failure> {
        let Some(sequence) = heard.number("sequence_id").filter(|_| heard.message != "notify") else { return Ok(()) };
        self.received.take(sequence as u16);
        let fields = json!({"last_received_seq_id": self.received.last, "acks_bitfield": self.received.bits});
        self.say("ack", fields).map(|_| ())
    }

    /// Completes the handshake, and measures heartbeats.
    fn talk(&mut self, ask: &Ask<'_>, tale: &mut Tale<'_>) -> Result<(), Failure> {
        let mut rtt: i64 = -1;
        // TCP: the first answer is late by interplay of the stacks' own timers.
        let warm_up = u32::from(!self.datagrams());
        for ping in 0..ask.samples + warm_up {
            if !self.seen_ack {
                self.say("welcome", json!({"sequence_id": 1, "client_id": self.id}))?;
            }
            let id = ping as u8;
            let sent = self.say("heartbeat", json!({"ping_id": id, "rtt": rtt}))?;
            let answer = self.heartbeat(id, sent + ask.timeout.min(Duration::from_secs(1)), tale)?;
            let took = answer.map(|at| at.saturating_duration_since(sent));
            rtt = took.map_or(rtt, |took| took.as_millis().min(i16::MAX as u128) as i64);
            if ping >= warm_up {
                tale.sample("heartbeat", took);
            }
            if ping + 1 < ask.samples + warm_up {
                // A random moment, so that the server's tick is met in every phase.
                self.idle(ask, sent + ask.interval + phase(), tale)?;
            }
        }
        tale.note("round trips include up to one tick of the server (20 ms in Unity); the minimum is the nearest to the network's");
        Ok(())
    }

    /// Waits for the answer to a ping: when it came.
    fn heartbeat(&mut self, id: u8, until: Instant, tale: &mut Tale<'_>) -> Result<Option<Instant>, Failure> {
        while let Some(heard) = self.hear(until)? {
            if heard.message == "heartbeat" && heard.fault.is_none() {
                match heard.number("ping_id") == Some(id as u64) {
                    true => return Ok(Some(heard.first)),
                    false => tale.duplicates += 1,
                }
                continue;
            }
            self.other(heard, tale)?;
        }
        Ok(None)
    }

    fn idle(&mut self, ask: &Ask<'_>, until: Instant, tale: &mut Tale<'_>) -> Result<(), Failure> {
        while let Some(heard) = self.hear(until)? {
            match heard.message {
                "heartbeat" => tale.duplicates += 1,
                _ => self.other(heard, tale)?,
            }
        }
        if ask.stop.is_set() { Err(Failure::interrupted()) } else { Ok(()) }
    }

    fn hear(&mut self, until: Instant) -> Result<Option<Heard>, Failure> {
        self.link.hear(until).map_err(|trouble| {
            self.open &= !matches!(trouble, Trouble::Closed { .. } | Trouble::Refused);
            self.trouble(trouble)
        })
    }

    /// Whatever else a server sends to its client.
    fn other(&mut self, heard: Heard, tale: &mut Tale<'_>) -> Result<(), Failure> {
        match (heard.message, &heard.fault) {
            (_, Some(_)) => self.aside.put(heard),
            ("disconnect", None) => {
                self.open = false;
                return Err(ended(&heard));
            }
            ("reject", None) => {
                self.open = false;
                return Err(self.rejected(&heard));
            }
            ("ack", None) => {
                self.seen_ack = true;
                let extra = heard.fields.get("is_extra").and_then(serde_json::Value::as_bool);
                if self.version != "2.0"
                    && let Some(found) = &mut tale.found
                {
                    // 2.1 always sends for_seq_id, 2.2 only where is_extra says so.
                    let old = extra == Some(false) && heard.fields.get("for_seq_id").is_some();
                    self.version = if old { "2.1" } else { "2.2" };
                    found.version = Some(self.version.into());
                }
            }
            _ => self.reliable(&heard)?,
        }
        Ok(())
    }

    /// Gives the place back.
    fn leave(&mut self) {
        self.link.leave();
        if std::mem::take(&mut self.open) {
            // Nothing can be done where it does not go out.
            let _ = self.link.say("disconnect", &json!({}));
        }
        self.link.finish();
    }
}

fn ended(heard: &Heard) -> Failure {
    let reason = heard
        .fields
        .get("reason")
        .map_or("without a reason".into(), |v| v.as_str().map_or(v.to_string(), String::from));
    let advice = "the server's application or its time-out has ended it: see the server's log";
    Failure::new(Outcome::Closed, format!("the server disconnects: {reason}"), advice).with("reason", reason)
}

/// Text of strings that applications put into data: their length comes first.
fn printable(bytes: &[u8]) -> Option<String> {
    let text = match bytes {
        [length, rest @ ..] if *length as usize == rest.len() => rest,
        all => all,
    };
    let text = std::str::from_utf8(text).ok()?;
    (!text.is_empty() && !text.chars().any(char::is_control)).then(|| text.to_string())
}

/// A part of a tick that nobody can foresee.
fn phase() -> Duration {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Duration::from_nanos((now.subsec_nanos().wrapping_mul(2_654_435_761) % TICK_NANOS) as u64)
}
