//! Asking a server of the nano family: handshake, and by its answer which server it is.
//!
//! No data package is ever sent: a default pomelo or pinus process ends at an empty or truncated
//! one. Round trips are measured with what the server answers by itself: handshakes before the ack
//! (nano, pitaya), heartbeats after it (pomelo, pinus), pings of WebSocket.

use crate::net::{Heard, Link, Trouble};
use crate::probe::statistics::milliseconds;
use crate::protocols::probe::{Aside, Ask, Carrier, Course, Failure, Outcome, Probe, Tale};
use crate::protocols::{Role, websocket};
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

/// How servers of the nano family are asked.
pub struct Probing;

static COURSES: [Course; 2] = [
    Course {
        name: "",
        carrier: Carrier::Tcp,
        rank: 140,
        why: "stops a Riptide server that has not been recognised before; for GNE it is garbage in a handshake",
    },
    Course { name: "", carrier: Carrier::Ws, rank: 150, why: "an HTTP request: as the handshake" },
];

/// What pomelo's servers demand, and nano's ignore.
const HELLO: &str = r#"{"sys":{"type":"netkit","version":"1.1.1"},"user":{}}"#;
/// How long a second handshake is waited for, where nothing else tells the family.
const SECOND: Duration = Duration::from_millis(500);
/// pomelo and pinus send a heartbeat of their own right after the ack.
const UNASKED: Duration = Duration::from_millis(50);
/// How long a polite end may take.
const ENDING: Duration = Duration::from_millis(500);

impl Probe for Probing {
    fn port(&self) -> Option<u16> {
        None
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs(3)
    }

    fn courses(&self) -> &'static [Course] {
        &COURSES
    }

    fn answers(&self) -> &'static [&'static str] {
        &["handshake", "upgrade_response"]
    }

    fn run(&self, course: &Course, ask: &Ask<'_>, tale: &mut Tale<'_>) -> Result<(), Failure> {
        let link = ask.open(course.carrier, None)?;
        let mut client = Client { link, carrier: course.carrier, aside: Aside::default(), hands: 0 };
        let result = match course.carrier {
            Carrier::Ws => client.upgrade(ask).and_then(|()| client.talk(ask, tale)),
            _ => client.talk(ask, tale),
        };
        client.leave();
        match tale.found {
            Some(_) => result,
            None => result.map_err(|failure| client.aside.at_end(failure, ask, course.carrier, &client.link.raw)),
        }
    }
}

struct Client<'a> {
    link: Link<'a>,
    carrier: Carrier,
    aside: Aside,
    /// Answers to handshakes so far.
    hands: u32,
}

/// Which server it is, and by what it answers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    /// Answers handshakes before the ack.
    Handshakes(&'static str),
    /// Answers heartbeats after the ack.
    Heartbeats(&'static str),
    Unknown,
}

impl Family {
    fn of(sys: &Json) -> Family {
        let has = |key: &str| sys.get(key).is_some();
        match () {
            _ if has("serializer") => Family::Handshakes("pitaya or cherry"),
            _ if has("servertime") => Family::Handshakes("nano 0.5.1 or later"),
            _ if has("routeToCode") => Family::Heartbeats("pomelo"),
            _ if has("useDict") || has("useProto") => Family::Heartbeats("pinus, or pomelo with a cached dictionary"),
            _ => Family::Unknown,
        }
    }

    fn name(self) -> Option<&'static str> {
        match self {
            Family::Handshakes(name) | Family::Heartbeats(name) => Some(name),
            Family::Unknown => None,
        }
    }
}

impl Client<'_> {
    fn failure(&self, trouble: Trouble) -> Failure {
        match trouble {
            Trouble::Closed { .. } if self.link.raw.is_empty() => {
                let text = "the server ends the connection without a word";
                let advice = "nano's own check of handshakes refuses netkit's, or the server is of another protocol";
                Failure::new(Outcome::Closed, text, advice)
            }
            other => Failure::from_trouble(other, self.carrier),
        }
    }

    fn say(&mut self, message: &str, fields: &Json) -> Result<Instant, Failure> {
        self.link.say(message, fields).map_err(|trouble| self.failure(trouble))
    }

    fn hear(&mut self, until: Instant) -> Result<Option<Heard>, Failure> {
        self.link.hear(until).map_err(|trouble| self.failure(trouble))
    }

    fn silence(&self, ask: &Ask<'_>, sent: &str, advice: &str) -> Failure {
        self.aside.verdict(ask, self.carrier, &self.link.raw, sent, advice)
    }

    /// Goes over to WebSocket.
    fn upgrade(&mut self, ask: &Ask<'_>) -> Result<(), Failure> {
        let host = if ask.host.contains(':') { format!("[{}]", ask.host) } else { ask.host.to_string() };
        let head = format!(
            "GET {} HTTP/1.1\r\nHost: {host}:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: {}\r\nSec-WebSocket-Version: 13\r\n\r\n",
            ask.path,
            ask.peer.port(),
            key()
        );
        let fields = json!({"head": head});
        self.link.say_as(websocket::NAME, "upgrade_request", &fields).map_err(|trouble| self.failure(trouble))?;
        let until = ask.until();
        while let Some(heard) = self.hear(until)? {
            if heard.message != "upgrade_response" || heard.fault.is_some() {
                self.aside.put(heard);
                continue;
            }
            let status = heard.derived.get("status").and_then(Json::as_u64).unwrap_or(0);
            if status == 101 {
                self.link.upgraded();
                return Ok(());
            }
            let (outcome, advice) = match status {
                404 => {
                    (Outcome::Rejected, "no WebSocket under that path: give it as ws://HOST:PORT/PATH (nano's WSPath)")
                }
                _ => (Outcome::OtherProtocol, "an HTTP server that does no WebSocket here: check port and path"),
            };
            let text = format!("HTTP status {status} in answer to the upgrade of {}", ask.path);
            return Err(Failure::new(outcome, text, advice).with("status", status));
        }
        Err(self.silence(
            ask,
            "an HTTP upgrade",
            "nothing there that speaks HTTP: check the port, or use --transport tcp",
        ))
    }

    /// Handshake, family, round trips, ack.
    fn talk(&mut self, ask: &Ask<'_>, tale: &mut Tale<'_>) -> Result<(), Failure> {
        let sent = self.shake()?;
        let Some(answer) = self.answer(ask.until())? else {
            let advice = match self.carrier {
                Carrier::Tcp => "a WebSocket port answers nothing to raw TCP: try --transport ws, or check the port",
                _ => "it speaks WebSocket, but no handshake of this family: check the path",
            };
            return Err(self.silence(ask, "the handshake", advice));
        };
        let took = answer.first.saturating_duration_since(sent);
        let said = answer.derived.get("json").cloned().unwrap_or(Json::Null);
        tale.find("nano", self.carrier, None);
        tale.fact("handshake_ms", milliseconds(took));
        accepted(&said, answer.text("body").unwrap_or_default())?;
        let sys = said.get("sys").cloned().unwrap_or(Json::Null);
        tell(&sys, &said, tale);
        let mut family = Family::of(&sys);
        if family == Family::Unknown && self.carrier == Carrier::Tcp {
            self.shake()?;
            family = match self.answer(Instant::now() + SECOND.min(ask.timeout))? {
                Some(_) => Family::Handshakes("nano or pitaya (a second handshake is answered)"),
                None => Family::Heartbeats("pomelo or pinus (a second handshake is ignored)"),
            };
        }
        if let Some(found) = &mut tale.found {
            found.family = family.name().map(String::from);
        }
        match (self.carrier, family) {
            (Carrier::Ws, _) => {
                self.say("handshake_ack", &json!({}))?;
                self.samples("websocket ping", ask, tale, Client::ping)
            }
            (_, Family::Heartbeats(_)) => {
                self.say("handshake_ack", &json!({}))?;
                self.quiet(Instant::now() + UNASKED)?;
                self.samples("heartbeat", ask, tale, Client::heartbeat)?;
                if sys.get("heartbeat").is_none() {
                    tale.note("the server names no heartbeat interval: it need not answer heartbeats");
                }
                Ok(())
            }
            _ => {
                self.samples("handshake", ask, tale, Client::again)?;
                self.say("handshake_ack", &json!({})).map(|_| ())
            }
        }
    }

    fn shake(&mut self) -> Result<Instant, Failure> {
        self.say("handshake", &json!({"body": HELLO}))
    }

    /// The server's handshake.
    fn answer(&mut self, until: Instant) -> Result<Option<Heard>, Failure> {
        while let Some(heard) = self.hear(until)? {
            match (heard.message, &heard.fault) {
                ("handshake", None) if heard.from == Role::Server => {
                    self.hands += 1;
                    return Ok(Some(heard));
                }
                _ if self.carrier == Carrier::Tcp && heard.bytes.starts_with(b"HTTP/1.") => {
                    let text = "an HTTP server answers: this may be a WebSocket port";
                    return Err(Failure::new(Outcome::Closed, text, "try --transport ws, or ws://HOST:PORT/PATH"));
                }
                _ => self.other(heard)?,
            }
        }
        Ok(None)
    }

    fn other(&mut self, heard: Heard) -> Result<(), Failure> {
        match (heard.message, &heard.fault) {
            ("kick", None) => {
                let reason = heard.text("body").unwrap_or_default().to_string();
                let failure = Failure::new(
                    Outcome::Rejected,
                    format!("the server kicks: {reason}"),
                    "the server's application refuses this client: see its log",
                );
                Err(failure.with("reason", reason))
            }
            ("close", None) => {
                let code = heard.number("code");
                let text =
                    format!("the server closes the WebSocket{}", code.map_or(String::new(), |c| format!(": {c}")));
                Err(Failure::new(Outcome::Closed, text, "see the server's log").with("code", json!(code)))
            }
            _ => {
                self.aside.put(heard);
                Ok(())
            }
        }
    }

    fn quiet(&mut self, until: Instant) -> Result<(), Failure> {
        while let Some(heard) = self.hear(until)? {
            if heard.message != "heartbeat" {
                self.other(heard)?;
            }
        }
        Ok(())
    }

    /// Measures with `one`, which sends and names the message that answers.
    fn samples(
        &mut self,
        method: &'static str,
        ask: &Ask<'_>,
        tale: &mut Tale<'_>,
        one: fn(&mut Self) -> Result<(Instant, &'static str), Failure>,
    ) -> Result<(), Failure> {
        for number in 0..ask.samples {
            let (sent, wanted) = one(self)?;
            let until = sent + ask.timeout.min(Duration::from_secs(1));
            let mut took = None;
            while took.is_none() {
                let Some(heard) = self.hear(until)? else { break };
                match heard.message == wanted && heard.fault.is_none() && heard.from == Role::Server {
                    true => took = Some(heard.first.saturating_duration_since(sent)),
                    false => self.other(heard)?,
                }
            }
            tale.sample(method, took);
            if took.is_none() && number > 0 && tale.samples.iter().all(|sample| sample.rtt.is_none()) {
                tale.note(format!("the server answers no {method}: the time of its first handshake is all there is"));
                break;
            }
            if number + 1 < ask.samples {
                self.quiet(sent + ask.interval)?;
            }
        }
        Ok(())
    }

    fn again(&mut self) -> Result<(Instant, &'static str), Failure> {
        Ok((self.shake()?, "handshake"))
    }

    fn heartbeat(&mut self) -> Result<(Instant, &'static str), Failure> {
        Ok((self.say("heartbeat", &json!({}))?, "heartbeat"))
    }

    fn ping(&mut self) -> Result<(Instant, &'static str), Failure> {
        let fields = json!({"mask": "6e65746b", "data": "6e6b"});
        let sent = self.link.say_as(websocket::NAME, "ping", &fields).map_err(|trouble| self.failure(trouble))?;
        Ok((sent, "pong"))
    }

    /// Leaves: a half-close, which all of them answer with theirs; before it WebSocket's own close.
    fn leave(&mut self) {
        self.link.leave();
        if self.hands > 0 && self.carrier == Carrier::Ws {
            let fields = json!({"mask": "6e65746b", "code": 1000});
            let sent = self.link.say_as(websocket::NAME, "close", &fields);
            let until = Instant::now() + ENDING;
            while sent.is_ok() {
                match self.link.hear(until) {
                    Ok(Some(heard)) if heard.message != "close" => {}
                    _ => break,
                }
            }
        }
        self.link.finish();
        if self.hands > 0 {
            self.link.drain(ENDING);
        }
    }
}

/// Was the handshake accepted?
fn accepted(said: &Json, body: &str) -> Result<(), Failure> {
    let code = said.get("code").and_then(Json::as_i64);
    let words = ["message", "msg", "error"].iter().find_map(|key| said.get(key)?.as_str());
    let words = words.map_or(String::new(), |words| format!(", and says {words:?}"));
    match code {
        Some(200) => Ok(()),
        Some(501) => {
            let text = format!("the server does not take this client's type or version (501){words}");
            let advice = "its checkClient wants a client that netkit cannot know";
            Err(Failure::new(Outcome::OtherVersion, text, advice).with("code", 501).with("said", body))
        }
        Some(code) => {
            let text = format!("the server refuses the handshake ({code}){words}");
            let advice = "its handshake handler wants something of the user: see the server's log";
            Err(Failure::new(Outcome::Rejected, text, advice).with("code", code).with("said", body))
        }
        None => {
            let text = "a handshake answer without a code".to_string();
            let advice =
                "the body is neither JSON nor zlib of it, or of a server that nobody has described; -v shows it";
            Err(Failure::new(Outcome::Broken, text, advice).with("said", body))
        }
    }
}

/// The server's own words.
fn tell(sys: &Json, said: &Json, tale: &mut Tale<'_>) {
    for key in ["heartbeat", "servertime", "serializer", "dictVersion", "protoVersion", "useDict", "useProto"] {
        if let Some(value) = sys.get(key) {
            tale.fact(key, value.clone());
        }
    }
    let dictionary = sys.get("dict").or_else(|| sys.get("routeToCode")).and_then(Json::as_object);
    if let Some(dictionary) = dictionary {
        tale.fact("dictionary", dictionary.len());
    }
    if let Some(user) = said.get("user").filter(|user| user.as_object().is_none_or(|map| !map.is_empty())) {
        tale.fact("user", user.clone());
    }
}

/// Sixteen bytes that differ from call to call, as base64.
fn key() -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let bits = now.wrapping_mul(0x2545_f491_4f6c_dd1d_9e37_79b9_7f4a_7c15) | 1;
    // 128 bits are 21 letters and two bits, the last letter's highest.
    let letter = |k: u32| LETTERS[(if k == 21 { bits << 4 } else { bits >> (122 - 6 * k) } & 63) as usize] as char;
    (0..22).map(letter).chain("==".chars()).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn keys_are_base64_of_16_bytes() {
        let key = super::key();
        assert_eq!((key.len(), &key[22..]), (24, "=="));
        assert_ne!(key, super::key());
        // The last letter holds two bits.
        assert!("AQgw".contains(&key[21..22]), "{key}");
    }
}
