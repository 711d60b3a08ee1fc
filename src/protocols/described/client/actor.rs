//! Decides how each recorded message is sent, and handles each live message.

use super::super::traffic::{Shown, What};
use super::super::{Description, lines::Nameless};
use super::numbers::{Live, NumberId};
use super::values::{Draft, value};
use crate::flow::Transport;
use crate::live::replay::actor::{Actor, Disposition, Handling, Outbox, Recorded, ReplayContext};
use crate::live::replay::{Life, Phase, Rules};
use crate::message::OwnedMessage;
use crate::plural::Plural;
use crate::protocols::websocket;
use serde_json::Value as Json;
use std::time::Instant;

/// The transmissions of a goodbye that is not acknowledged.
const GOODBYES: usize = 3;

/// Plays one side of a conversation.
pub struct DescribedActor {
    life: Life,
    description: &'static Description,
    live: Live,
    /// The newest value for each field of ours that the peer decides.
    taken: Vec<Option<Json>>,
    /// For each rule of `[numbers]`, a recorded acknowledgement of ours.
    acks: Vec<Option<OwnedMessage>>,
    /// A recorded goodbye and a recorded keepalive of ours.
    goodbye: Option<OwnedMessage>,
    keepalive: Option<OwnedMessage>,
    /// The headers around our last message.
    headers: Json,
    stream: bool,
    websocket: bool,
    /// Whether there is no session to be left: it is a probe, and its question opens none.
    sessionless: bool,
    /// The time of our last message, and the newest time that is known.
    spoke: Option<Instant>,
    clock: Option<Instant>,
}

/// Returns the trees of a message that was read.
fn line_of(message: &OwnedMessage) -> Option<Shown<'_>> {
    let [tree, packet] = message.trees()?;
    Some(Shown { message: message.message, tree, packet, cut: false })
}

impl DescribedActor {
    /// Creates the actor of one side.
    pub fn new(description: &'static Description, context: &ReplayContext<'_>) -> DescribedActor {
        let (session, rules) = (&description.session, &description.traffic.numbers);
        let port = context.host.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
        let taken = |(_, theirs): &(_, Vec<_>)| port.filter(|_| theirs.is_empty()).map(Json::from);
        let opening = description.probe.is_some_and(|plan| session.rules.opens[0].contains(&plan.send()));
        DescribedActor {
            life: Life::new(description.facts.name, session.rules, context),
            description,
            live: Live::new(rules, context.transport == Transport::Udp, context.timeout),
            taken: session.takes.iter().map(taken).collect(),
            acks: vec![None; rules.len()],
            goodbye: None,
            keepalive: None,
            headers: Json::Null,
            stream: context.transport == Transport::Tcp,
            sessionless: context.probe && !opening,
            websocket: context.path.is_some() || context.messages.iter().any(|m| m.decoded.proto == websocket::NAME),
            spoke: None,
            clock: None,
        }
    }

    /// Whether it is a message of the file.
    fn is_own(&self, message: &OwnedMessage) -> bool {
        message.proto == self.description.facts.name
    }

    /// Sets the values of a message of ours that the peer has named.
    fn put_taken(&self, draft: &mut Draft) {
        for ((ours, _), value) in self.description.session.takes.iter().zip(&self.taken) {
            if let Some(value) = value {
                draft.put(ours, value.clone());
            }
        }
    }

    /// Whether the peer decides a field of that name.
    fn decided(&self, name: &str) -> bool {
        self.description.session.takes.iter().any(|(ours, _)| ours.names().1 == name)
    }

    /// Remembers what the peer decides.
    fn learn_values(&mut self, message: &OwnedMessage) {
        for ((_, theirs), taken) in self.description.session.takes.iter().zip(&mut self.taken) {
            if let Some(value) = theirs.iter().find_map(|path| value(message, path)) {
                *taken = Some(value.clone());
            }
        }
    }

    /// Sends a copy of a recorded message with live values. `line`: the message as it was recorded.
    fn send_live(
        &mut self,
        message: &OwnedMessage,
        line: Option<Shown<'_>>,
        times: usize,
        now: Instant,
        out: &mut Outbox,
    ) {
        let mut draft = Draft::of(message);
        let mut given = Vec::new();
        if let Some(line) = line {
            given = self.live.number(line, &mut draft);
            self.live.acknowledge(line, &mut draft);
        }
        self.put_taken(&mut draft);
        let message = draft.done(&|name| self.decided(name));
        self.live.keep(&given, &message, now);
        self.headers = message.packet_json().clone();
        self.spoke = Some(now);
        let times = if self.stream { 1 } else { times };
        out.messages.extend(std::iter::repeat_n(message, times));
    }

    /// Acknowledges a message of the peer.
    fn acknowledge(&mut self, message: &OwnedMessage, numbers: &[NumberId], out: &mut Outbox) {
        for (space, number) in numbers.iter().copied() {
            let Some(rule) = self.description.traffic.numbers.get(space.0) else { continue };
            let Some(Some(template)) = self.acks.get(space.0) else {
                if rule.acks.iter().any(|ack| ack.range.is_some() || !ack.when.is_always()) {
                    out.remark("the recording has no acknowledgement by this side: the peer's messages get none");
                }
                continue;
            };
            let mut draft = Draft::of(template);
            for path in &rule.per {
                if let Some(value) = value(message, path) {
                    draft.put(path, value.clone());
                }
            }
            if let Some(line) = line_of(template) {
                self.live.acknowledge(line, &mut draft);
                draft.put(&rule.number, number);
                for ack in rule.acks.iter().filter(|ack| ack.when.holds(line)) {
                    match (ack.what, ack.range) {
                        (What::One, _) => draft.put(&ack.field, number),
                        (What::Ranges, Some(ends)) => draft.put_range(&ack.field, ends, number),
                        _ => {}
                    }
                }
            }
            self.put_taken(&mut draft);
            for (ours, theirs) in &self.description.session.echoes {
                if let Some(value) = theirs.iter().find_map(|path| value(message, path)) {
                    draft.put(ours, value.clone());
                }
            }
            out.live(draft.done(&|name| self.decided(name)));
        }
    }

    /// Sends the keepalive if nothing was sent for its time. Returns the time of the next one.
    fn keep_alive(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let (_, every) = self.description.session.keepalive?;
        let (spoke, template) = (self.spoke?, self.keepalive.as_ref()?);
        if self.life.phase != Phase::Working {
            return None;
        }
        if spoke + every > now {
            return Some(spoke + every);
        }
        let template = template.clone();
        self.send_live(&template, line_of(&template), 1, now, out);
        out.counts.live += 1;
        Some(now + every)
    }

    /// Leaves the peer with the recorded goodbye, or with one that the file describes.
    fn send_goodbye(&mut self, now: Instant, out: &mut Outbox) {
        let Some((name, fields)) = &self.description.session.goodbye else { return };
        let recorded = self.goodbye.clone();
        let message = match &recorded {
            Some(goodbye) => goodbye.clone(),
            None => {
                let mut packet = self.headers.as_object().cloned().unwrap_or_default();
                let mut given = fields.as_object().cloned().unwrap_or_default();
                given.retain(|name, _| !(packet.contains_key(name) && self.decided(name)));
                packet.retain(|name, _| !given.contains_key(name));
                self.life.message(name, Json::Object(given)).with_packet(Json::Object(packet))
            }
        };
        let line = recorded.as_ref().and_then(line_of);
        let message = if line.is_some() { message } else { self.live.number_unrecorded(message) };
        self.send_live(&message, line, GOODBYES, now, out);
        out.counts.live += 1;
    }
}

impl Actor for DescribedActor {
    fn life(&self) -> &Life {
        &self.life
    }

    fn rules(&self) -> &'static Rules {
        self.description.session.rules
    }

    fn disposition(&mut self, message: &Recorded) -> Disposition {
        let (codes, session) = (self.description.codes, &self.description.session);
        let decoded = &message.decoded;
        if self.websocket {
            let why = "replay over WebSocket is not supported for protocols described by a file";
            return Disposition::Danger(why.into());
        }
        let noted = |code: &str| message.notes.contains(&code);
        if let Some(danger) = session.rules.danger(message) {
            return danger;
        }
        // Messages of another file's protocol are sent as they were.
        if !self.is_own(decoded) {
            return Disposition::Send;
        }
        if self.description.nameless.named(decoded.message) == Some(Nameless::Unknown) {
            return Disposition::Danger("not a message of the protocol file".into());
        }
        if noted(codes.numbered.resent) || noted(codes.numbered.duplicate) || noted(codes.asked_again) {
            return Disposition::Live("resends");
        }
        let ours = decoded.from == self.life.role;
        let read = message.captured.as_ref().unwrap_or(decoded);
        if let Some(line) = line_of(read) {
            if self.live.is_ack(line) {
                for (at, rule) in self.description.traffic.numbers.iter().enumerate() {
                    if ours && rule.acks.iter().any(|ack| ack.when.holds(line) && ack.field.find(line).is_some()) {
                        self.acks[at].get_or_insert_with(|| read.clone());
                    }
                }
                return Disposition::Live("acknowledgements");
            }
            if !ours {
                self.live.expect(line);
            }
        }
        if ours && session.rules.closes.contains(&decoded.message) {
            self.goodbye.get_or_insert_with(|| read.clone());
        }
        if ours && session.keepalive.is_some_and(|(name, _)| name == decoded.message) {
            self.keepalive.get_or_insert_with(|| read.clone());
        }
        session.rules.disposition(message)
    }

    fn waits(&mut self, message: &Recorded, _now: Instant) -> Option<&'static str> {
        let numbered = line_of(message.captured.as_ref().unwrap_or(&message.decoded));
        let numbered = numbered.is_some_and(|line| self.live.is_numbered(line));
        (numbered && !self.live.has_room()).then_some("an acknowledgement (too many messages are unacknowledged)")
    }

    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        if !self.is_own(&message.decoded) {
            self.spoke = Some(now);
            out.messages.push_back(message.decoded.clone());
            return Ok(());
        }
        if self.opens(message) && self.life.phase >= Phase::Answered {
            self.live.restart(out);
            self.life.restart();
        }
        self.life.reach(Phase::Asked);
        let closes = self.closes(message);
        let read = message.captured.as_ref().unwrap_or(&message.decoded);
        self.send_live(&message.decoded, line_of(read), if closes { GOODBYES } else { 1 }, now, out);
        if closes {
            self.life.phase = Phase::Over;
        }
        Ok(())
    }

    fn recv(&mut self, decoded: &OwnedMessage, now: Instant, out: &mut Outbox) -> Handling {
        if !self.is_own(decoded) {
            return if decoded.proto == websocket::NAME { Handling::Session } else { Handling::New };
        }
        self.clock = Some(now);
        self.learn_values(decoded);
        self.life.reach(Phase::Working);
        let Some(line) = line_of(decoded) else { return Handling::New };
        let (again, numbers) = self.live.recv(line, decoded.further, now, out);
        for (asks, answers) in &self.description.session.answered {
            if answers.contains(&decoded.message) {
                self.live.answered(asks, now, out);
            }
        }
        self.acknowledge(decoded, &numbers, out);
        if again || self.live.is_ack(line) {
            return Handling::Session;
        }
        let rules = self.rules();
        if rules.closes.contains(&decoded.message) {
            self.life.end(decoded.message);
            self.live.abandon(out);
        }
        if rules.live.iter().any(|(name, _)| *name == decoded.message) { Handling::Session } else { Handling::New }
    }

    fn tick(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        self.clock = Some(now);
        let (when, lost) = self.live.tick(now, out);
        if let Some((message, tries)) = lost {
            let name = message.message;
            let sent = Plural(tries, "transmission");
            let why = format!("the peer has stopped answering: {name} was not acknowledged after {sent}");
            if self.life.phase == Phase::Over {
                self.live.abandon(out);
                return None;
            }
            self.life.end(why.clone());
            self.live.abandon(out);
            out.trouble = Some(why);
            return None;
        }
        when.into_iter().chain(self.keep_alive(now, out)).min()
    }

    fn settled(&mut self, now: Instant) -> bool {
        self.live.is_settled(now)
    }

    fn leave(&mut self, out: &mut Outbox) {
        self.live.abandon(out);
        if self.life.phase != Phase::New && self.life.phase != Phase::Over && !self.sessionless {
            let now = self.clock.unwrap_or_else(Instant::now);
            self.send_goodbye(now, out);
        }
        self.life.phase = Phase::Over;
    }

    fn content(&self, decoded: &OwnedMessage) -> Json {
        let volatile = self.rules().volatile(decoded.message);
        let content = match decoded.derived_json()["joined"]["fields"].as_object() {
            Some(joined) => Json::Object(joined.clone()),
            None => decoded.to_json().clone(),
        };
        crate::live::replay::actor::without(&content, volatile)
    }

    fn is_reliable(&self, decoded: &OwnedMessage) -> bool {
        self.stream || line_of(decoded).is_some_and(|line| self.live.is_numbered(line))
    }
}
