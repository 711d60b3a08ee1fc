//! Decides whether and when each recorded message is sent, and handles each live message.

use super::super::layout::Message::{self, *};
use super::super::layout::{CONTENT, LINK_ID, LINKS, NUMBER, RESULT, is_numbered};
use super::links::{LINK_UP, Offer, link_content};
use super::{DnpActor, WINDOW};
use crate::dissect::Role;
use crate::live::replay::actor::{Actor, Disposition, Handling, Outbox, Recorded, without};
use crate::live::replay::{Arrival, Life, Numbers, Phase, Rules};
use crate::message::OwnedMessage;
use crate::plural::Plural;
use serde_json::{Value as Json, json};
use std::time::Instant;

/// A close is not acknowledged. Duplicates are harmless: a server ignores an unknown address.
const GOODBYES: usize = 3;

pub static RULES: Rules = Rules {
    empty: "",
    broken: "; the C++ library reads past its end",
    live: &[(ReliableAcknowledge.name(), "acknowledges")],
    opens: [&[ConnectionRequest.name()], &[ConnectionAcknowledge.name()]],
    closes: &[ConnectionClose.name()],
    answers: &[ConnectionAcknowledge.name()],
    // An update contains the newest values at any moment, so it may replace several recorded ones.
    others: &[(LinkUpdate.name(), "link updates")],
    volatile: &[(&[], &[NUMBER.name, LINK_ID.name])],
    decided: &[(&[], &[NUMBER.name, LINK_ID.name, "links.link_id"])],
};

impl Actor for DnpActor {
    fn life(&self) -> &Life {
        &self.life
    }

    fn disposition(&mut self, message: &Recorded) -> Disposition {
        let decoded = &message.decoded;
        let noted = |code: &str| message.notes.contains(&code);
        if decoded.message == LinkState
            && decoded.fault.is_none()
            && !noted("dnp.retransmission")
            && !noted("dnp.duplicate")
        {
            self.offers.push(Offer {
                by: decoded.from,
                id: decoded.number(&LINK_ID).unwrap_or(0),
                content: link_content(decoded),
                answer: None,
                frame: message.frame,
                live: None,
                at: None,
                up: false,
                awaited: None,
                delayed: decoded.from == self.life.role && !message.dropped && !message.changed.delay.is_zero(),
            });
        }
        if let Some(answer @ (LinkUp | LinkDown)) = Message::named(decoded.message) {
            let id = decoded.number(&LINK_ID).unwrap_or(0);
            let asked = decoded.from.other();
            let offer = self.offers.iter_mut().rev().find(|o| o.id == id && o.by == asked && o.answer.is_none());
            if let Some(offer) = offer {
                offer.answer = Some(answer);
            }
            return Disposition::Live("link answers");
        }
        if let Some(danger) = RULES.danger(message) {
            return danger;
        }
        if noted("dnp.bare_link_id") {
            return Disposition::Danger("a link_update that ends with a bare link id: it is cut off".into());
        }
        match Message::named(decoded.message) {
            Some(Unknown) => Disposition::Danger("not a DNP command".into()),
            Some(LongLinkState) => {
                Disposition::Danger("a malformed long link_state writes outside of a C++ server's memory".into())
            }
            Some(LinkUpdate) if noted("dnp.unknown_types") => {
                Disposition::Danger("the types of its links are not known".into())
            }
            Some(ConnectionRequest) if std::mem::replace(&mut self.begun, true) => {
                Disposition::Live("repeated requests")
            }
            Some(ConnectionClose) => {
                self.begun = false;
                Disposition::Send
            }
            Some(ConnectionAcknowledge) => {
                self.begun = decoded.text(&RESULT) == Some("accepted");
                Disposition::Send
            }
            _ if noted("dnp.retransmission") || noted("dnp.duplicate") => Disposition::Live("resends"),
            _ => RULES.disposition(message),
        }
    }

    fn begin(&mut self, now: Instant, out: &mut Outbox) {
        if self.life.role == Role::Client && !self.has_request {
            let request = self.life.message(ConnectionRequest.name(), json!({"protocols": [0]}));
            self.request(request, now, out);
        }
    }

    fn waits(&mut self, message: &Recorded, now: Instant) -> Option<&'static str> {
        let (name, client) = (Message::named(message.decoded.message), self.life.role == Role::Client);
        let connected = self.life.phase >= if client { Phase::Working } else { Phase::Asked };
        match name {
            Some(ConnectionRequest) => None,
            _ if !connected => Some(if client { "the connection_acknowledge" } else { "the connection_request" }),
            Some(ConnectionClose) => self.numbers.rests(now),
            Some(LinkUpdate) => self.unlinked(message, now),
            Some(message) if is_numbered(message) => self.numbers.full(),
            _ => None,
        }
    }

    fn numbers(&mut self) -> Option<&mut Numbers> {
        Some(&mut self.numbers)
    }

    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let decoded = message.decoded.clone();
        match Message::named(decoded.message) {
            Some(ConnectionRequest) => {
                if self.life.phase != Phase::New {
                    self.restart(out);
                }
                self.request(decoded, now, out);
            }
            Some(ConnectionAcknowledge) => {
                if decoded.text(&RESULT) == Some("accepted") {
                    self.life.reach(Phase::Working);
                    self.answer = Some(decoded.clone());
                } else {
                    self.life.phase = Phase::New;
                }
                out.messages.push_back(decoded);
            }
            Some(ConnectionClose) => {
                self.numbers.sent.abandon(out);
                (0..GOODBYES).for_each(|_| out.messages.push_back(decoded.clone()));
                (self.life.phase, self.closed) = (Phase::Over, true);
            }
            Some(LinkUpdate) => match self.rekeyed(message) {
                Some(decoded) => out.messages.push_back(decoded),
                None => return Err(self.missing_links(message)),
            },
            Some(LinkState) => {
                let recorded = decoded.number(&LINK_ID).unwrap_or(0);
                let live = self.free_id(recorded);
                let role = self.life.role;
                if let Some(offer) =
                    self.offers.iter_mut().find(|o| o.by == role && o.frame == message.frame && o.live.is_none())
                {
                    (offer.live, offer.at) = (Some(live), Some(now));
                }
                self.numbers.send(decoded.with(&LINK_ID, live), now, out);
            }
            Some(message) if is_numbered(message) => self.numbers.send(decoded, now, out),
            _ => out.messages.push_back(decoded),
        }
        Ok(())
    }

    fn recv(&mut self, decoded: &OwnedMessage, now: Instant, out: &mut Outbox) -> Handling {
        match Message::named(decoded.message) {
            Some(ConnectionRequest) => {
                if self.life.phase == Phase::Over {
                    self.restart(out);
                }
                if self.life.phase != Phase::New {
                    // Real servers ignore it, and a client whose acknowledgement was lost must begin again from another
                    // port. We answer again.
                    out.messages.extend(self.answer.clone());
                    out.counts.copies += 1;
                    return Handling::Session;
                }
                self.life.phase = Phase::Asked;
                if !self.has_answer {
                    let answer =
                        self.life.message(ConnectionAcknowledge.name(), json!({"result": "accepted", "protocol": 0}));
                    self.answer = Some(answer.clone());
                    self.life.phase = Phase::Working;
                    out.live(answer);
                }
            }
            Some(ConnectionAcknowledge) => {
                let accepted = decoded.text(&RESULT) == Some("accepted");
                // Even a probe's request may be accepted: then the connection must be closed.
                if !(self.life.answered() || self.life.probe && accepted) {
                    return Handling::Session;
                }
                if accepted {
                    self.life.reach(Phase::Working);
                } else {
                    let result = decoded.field(&RESULT).map(ToString::to_string).unwrap_or_default();
                    self.life.end(format!("the server does not accept: {result}"));
                    self.closed = true;
                }
            }
            Some(ConnectionClose) => {
                if self.life.phase == Phase::Over {
                    return Handling::Session;
                }
                self.life.end(ConnectionClose.name());
                self.closed = true;
                self.numbers.sent.abandon(out);
            }
            Some(ReliableAcknowledge) => {
                if let Some(number) = decoded.number(&NUMBER)
                    && let Some((message, took, resent)) = self.numbers.sent.acknowledged(number as u16, now, out)
                {
                    out.counts.round_trip(self.identity(&message), took, resent);
                }
                return Handling::Session;
            }
            Some(LinkUp | LinkDown) => {
                let (role, id) = (self.life.role, decoded.number(&LINK_ID));
                if let Some(offer) = self.offers.iter_mut().rev().find(|o| o.by == role && o.live == id) {
                    offer.up = decoded.message == LinkUp;
                    offer.at = offer.at.map(|at| at.checked_sub(LINK_UP).unwrap_or(at));
                }
                return Handling::Session;
            }
            Some(message) if is_numbered(message) => {
                let Some(number) = decoded.number(&NUMBER) else { return Handling::New };
                // A number so far ahead is not even acknowledged.
                if self.numbers.peer.ahead(number as i64) >= WINDOW.into() {
                    return Handling::Session;
                }
                let arrival = self.numbers.received(number as i64, now, out);
                if arrival == Arrival::Ignored {
                    return Handling::Session;
                }
                let acknowledge =
                    self.life.message(ReliableAcknowledge.name(), json!({"number": number, "result": "success"}));
                out.live(acknowledge);
                let link = decoded.number(&LINK_ID).filter(|_| message == LinkState);
                if arrival != Arrival::New {
                    // The answer to it may be lost as well.
                    if let Some((id, answer)) = link.and_then(|id| self.answered.get(&id).map(|a| (id, *a))) {
                        self.link_answer(id, answer, out);
                    }
                    return Handling::Session;
                }
                if link.is_some() && !self.life.probe {
                    self.linked(decoded, now, out);
                }
            }
            _ => {}
        }
        Handling::New
    }

    fn tick(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let silence = || {
            "no answer to the connection_request: nothing listens there that speaks DNP, or its acknowledgement was lost: \
             it then ignores this port, and another attempt helps"
                .into()
        };
        let asked = self.life.tick(silence, now, out);
        if self.life.phase == Phase::Over {
            return None;
        }
        let (when, lost) = self.numbers.sent.tick(now, out);
        if let Some((decoded, tries)) = lost {
            let number = decoded.number(&NUMBER).unwrap_or(0);
            let sent = Plural(tries, "transmission");
            let what = format!("{} {number} was not acknowledged after {sent}", decoded.message);
            match self.life.probe {
                true => out.remark(what),
                false => {
                    // The library leaves in this case.
                    let why = format!("the peer has stopped answering: {what}");
                    self.life.end(why.clone());
                    self.numbers.sent.abandon(out);
                    out.trouble = Some(why);
                }
            }
        }
        asked.into_iter().chain(when).min()
    }

    fn leave(&mut self, out: &mut Outbox) {
        self.numbers.sent.abandon(out);
        if self.life.phase != Phase::New && (self.life.probe || !self.closed) {
            // A server has no idle timeout: without a close our place would stay taken. One that seems silent may have
            // accepted, and its acknowledgement may be lost.
            let goodbye = self.life.message(ConnectionClose.name(), json!({}));
            (0..GOODBYES).for_each(|_| out.live(goodbye.clone()));
        }
        (self.life.phase, self.closed) = (Phase::Over, true);
    }

    fn identity(&self, decoded: &OwnedMessage) -> String {
        match decoded.text(&CONTENT) {
            Some(content) if decoded.message == LinkState => format!("{} {content}", decoded.message),
            _ => decoded.message.into(),
        }
    }

    fn content(&self, decoded: &OwnedMessage) -> Json {
        match decoded.field(&LINKS).and_then(Json::as_array) {
            Some(links) if decoded.message == LinkUpdate => {
                links.iter().map(|link| without(link, &[LINK_ID.name])).collect()
            }
            _ => link_content(decoded),
        }
    }

    fn is_reliable(&self, decoded: &OwnedMessage) -> bool {
        Message::named(decoded.message)
            .is_some_and(|message| is_numbered(message) || matches!(message, ConnectionRequest | ConnectionAcknowledge))
    }
}
