//! What becomes of each recorded message, and what is answered live.

use super::links::{LINK_UP, Offer, link_content};
use super::{DnpActor, TRIES, is_numbered};
use crate::dissect::Role;
use crate::live::OwnedMessage;
use crate::live::replay::actor::{Actor, Disposition, Handling, Outbox, Recorded, without};
use crate::live::replay::{Life, Phase, Rules};
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

/// The libraries' interval of requests that nobody answers.
const REQUEST: Duration = Duration::from_millis(1000);
/// A close is not acknowledged, and duplicates are harmless: an unknown address is ignored.
const GOODBYES: usize = 3;

static RULES: Rules = Rules {
    empty: "",
    broken: "; the C++ library reads past its end",
    live: &[("reliable_acknowledge", "acknowledges")],
    opens: [&["connection_request"], &["connection_acknowledge"]],
    closes: &["connection_close"],
    answers: &["connection_acknowledge"],
    // They tell the newest values at whatever moment, all that were in between in one.
    others: &[("link_update", "link updates")],
    volatile: &[(&[], &["number", "link_id"])],
    decided: &[(&[], &["number", "link_id", "links.link_id"])],
};

impl Actor for DnpActor {
    fn life(&self) -> &Life {
        &self.life
    }

    fn rules(&self) -> &'static Rules {
        &RULES
    }

    fn disposition(&mut self, message: &Recorded) -> Disposition {
        let said = &message.said;
        let noted = |code: &str| message.notes.contains(&code);
        if said.message == "link_state"
            && said.fault.is_none()
            && !noted("dnp.retransmission")
            && !noted("dnp.duplicate")
        {
            self.offers.push(Offer {
                by: said.from,
                id: said.number("link_id").unwrap_or(0),
                content: link_content(said),
                answer: None,
                frame: message.frame,
                live: None,
                at: None,
                up: false,
                awaited: None,
            });
        }
        if let "link_up" | "link_down" = said.message {
            let answer = if said.message == "link_up" { "link_up" } else { "link_down" };
            let id = said.number("link_id").unwrap_or(0);
            let asked = said.from.other();
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
        match said.message {
            "unknown" => Disposition::Danger("no command of DNP".into()),
            "long_link_state" => {
                Disposition::Danger("a malformed long link_state writes outside of a C++ server's memory".into())
            }
            "link_update" if noted("dnp.unknown_types") => {
                Disposition::Danger("the types of its links are not known".into())
            }
            "connection_request" if std::mem::replace(&mut self.begun, true) => Disposition::Live("repeated requests"),
            "connection_close" => {
                self.begun = false;
                Disposition::Send
            }
            "connection_acknowledge" => {
                self.begun = said.text("result") == Some("accepted");
                Disposition::Send
            }
            _ if noted("dnp.retransmission") || noted("dnp.duplicate") => Disposition::Live("resends"),
            _ => RULES.disposition(message),
        }
    }

    fn begin(&mut self, now: Instant, out: &mut Outbox) {
        if self.life.role == Role::Client && !self.has_request {
            let request = self.life.message("connection_request", json!({"protocols": [0]}));
            self.request(request, now, out);
        }
    }

    fn waits(&mut self, message: &Recorded, now: Instant) -> Option<&'static str> {
        let (name, client) = (message.said.message, self.life.role == Role::Client);
        let connected = self.life.phase >= if client { Phase::Working } else { Phase::Asked };
        match name {
            "connection_request" => None,
            _ if !connected => Some(if client { "the connection_acknowledge" } else { "the connection_request" }),
            "connection_close" => self.rests(now),
            "link_update" => self.unlinked(message, now),
            name if is_numbered(name) && !self.room() => Some("an acknowledgement: ten commands are on their way"),
            _ => None,
        }
    }

    fn unsendable(&mut self, said: &OwnedMessage) {
        if let Some(number) = said.number("number").filter(|_| is_numbered(said.message)) {
            self.sent.forget(number as u16);
            // Numbers without a gap: the peer waits for each.
            if (number as u32 + 1) % super::MODULUS == self.next {
                self.next = number as u32;
            }
        }
    }

    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let said = message.said.clone();
        match said.message {
            "connection_request" => {
                if self.life.phase != Phase::New {
                    self.afresh(out);
                }
                self.request(said, now, out);
            }
            "connection_acknowledge" => {
                if said.text("result") == Some("accepted") {
                    self.life.reach(Phase::Working);
                    self.answer = Some(said.clone());
                } else {
                    self.life.phase = Phase::New;
                }
                out.say.push_back(said);
            }
            "connection_close" => {
                self.sent.abandon(out);
                (0..GOODBYES).for_each(|_| out.say.push_back(said.clone()));
                self.life.phase = Phase::Over;
            }
            "link_update" => match self.rekeyed(message) {
                Some(said) => out.say.push_back(said),
                None => return Err(self.missing_links(message)),
            },
            "link_state" => {
                let recorded = said.number("link_id").unwrap_or(0);
                let live = self.free_id(recorded);
                let role = self.life.role;
                if let Some(offer) =
                    self.offers.iter_mut().find(|o| o.by == role && o.frame == message.frame && o.live.is_none())
                {
                    (offer.live, offer.at) = (Some(live), Some(now));
                }
                self.numbered(said.with("link_id", live), now, out);
            }
            name if is_numbered(name) => self.numbered(said, now, out),
            _ => out.say.push_back(said),
        }
        Ok(())
    }

    fn recv(&mut self, said: &OwnedMessage, now: Instant, out: &mut Outbox) -> Handling {
        match said.message {
            "connection_request" => {
                if self.life.phase == Phase::Over {
                    self.afresh(out);
                }
                if self.life.phase != Phase::New {
                    // Real servers ignore it, and a client whose acknowledge was lost has to begin
                    // anew from another port: we are more patient.
                    out.say.extend(self.answer.clone());
                    out.counts.copies += 1;
                    return Handling::Session;
                }
                self.life.phase = Phase::Asked;
                if !self.has_answer {
                    let answer =
                        self.life.message("connection_acknowledge", json!({"result": "accepted", "protocol": 0}));
                    self.answer = Some(answer.clone());
                    self.life.phase = Phase::Working;
                    out.live(answer);
                }
            }
            "connection_acknowledge" => {
                if self.request.take().is_none() {
                    return Handling::Session;
                }
                if said.text("result") == Some("accepted") {
                    self.life.reach(Phase::Working);
                } else {
                    let result = said.fields.get("result").map(ToString::to_string).unwrap_or_default();
                    self.life.end(format!("the server does not accept: {result}"));
                }
            }
            "connection_close" => {
                if self.life.phase == Phase::Over {
                    return Handling::Session;
                }
                self.life.end("connection_close");
                self.request = None;
                self.sent.abandon(out);
            }
            "reliable_acknowledge" => {
                if let Some(number) = said.number("number")
                    && let Some(trip) = self.sent.acknowledged(number as u16, now, out)
                {
                    out.counts.round_trip(trip);
                }
                return Handling::Session;
            }
            "link_up" | "link_down" => {
                let (role, id) = (self.life.role, said.number("link_id"));
                if let Some(offer) = self.offers.iter_mut().rev().find(|o| o.by == role && o.live == id) {
                    offer.up = said.message == "link_up";
                    offer.at = offer.at.map(|at| at.checked_sub(LINK_UP).unwrap_or(at));
                }
                return Handling::Session;
            }
            name if is_numbered(name) => {
                let Some(number) = said.number("number") else { return Handling::New };
                let Some(new) = self.take(number as u32) else { return Handling::Session };
                if new {
                    self.copies.begin(number as u16);
                } else if !self.copies.again(number as u16) {
                    out.counts.copies += 1;
                    return Handling::Session;
                }
                let acknowledge =
                    self.life.message("reliable_acknowledge", json!({"number": number, "result": "success"}));
                out.live(acknowledge);
                self.stirred = Some(now);
                let link = said.number("link_id").filter(|_| name == "link_state");
                if !new {
                    out.counts.copies += 1;
                    // Its answer may be lost as well.
                    if let Some((id, answer)) = link.and_then(|id| self.answered.get(&id).map(|a| (id, *a))) {
                        self.link_answer(id, answer, out);
                    }
                    return Handling::Session;
                }
                if link.is_some() && !self.life.probe {
                    self.linked(said, now, out);
                }
            }
            _ => {}
        }
        Handling::New
    }

    fn tick(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let mut next = None;
        let mut at = |when: Instant| next = Some(next.map_or(when, |n: Instant| n.min(when)));
        if let Some(asking) = &mut self.request {
            // A probe's own deadline comes first.
            let (every, patience) = match self.life.probe {
                true => (self.life.timeout, self.life.timeout * (TRIES + 1)),
                false => (REQUEST.min(self.resend * 2), self.life.timeout),
            };
            match asking.tick(every, patience, now, out) {
                Some(when) => at(when),
                None => {
                    let why = "no answer to the connection_request: nothing listens there that speaks DNP";
                    self.life.end(why);
                    out.trouble = Some(why.into());
                    self.request = None;
                }
            }
        }
        if self.life.phase == Phase::Over {
            return None;
        }
        let (when, lost) = self.sent.tick(now, out);
        when.into_iter().for_each(&mut at);
        if let Some((said, tries)) = lost {
            let number = said.number("number").unwrap_or(0);
            let what = format!("{} {number} is not acknowledged after {tries} copies", said.message);
            match self.life.probe {
                true => out.remark(what),
                false => {
                    // So the library leaves.
                    let why = format!("the peer has stopped answering: {what}");
                    self.life.end(why.clone());
                    self.sent.abandon(out);
                    out.trouble = Some(why);
                }
            }
        }
        next
    }

    fn settled(&self, now: Instant) -> bool {
        // A peer whose acknowledge was lost says it again.
        let rest = self.resend.mul_f64(2.5).min(self.resend + Duration::from_millis(200));
        self.sent.is_empty() && self.stirred.is_none_or(|at| now.saturating_duration_since(at) >= rest)
    }

    fn leave(&mut self, out: &mut Outbox) {
        self.sent.abandon(out);
        if self.life.phase != Phase::New && (self.life.probe || self.life.phase != Phase::Over) {
            // A server has no idle timeout: without it our place would be taken for good.
            let goodbye = self.life.message("connection_close", json!({}));
            (0..GOODBYES).for_each(|_| out.live(goodbye.clone()));
        }
        self.life.phase = Phase::Over;
    }

    fn identity(&self, said: &OwnedMessage) -> String {
        match (said.message, said.text("message")) {
            ("link_state", Some(message)) => format!("link_state {message}"),
            (name, _) => name.into(),
        }
    }

    fn content(&self, said: &OwnedMessage) -> Json {
        let links = said.fields.get("links").and_then(Json::as_array);
        match (said.message, links) {
            ("link_update", Some(links)) => links.iter().map(|link| without(link, &["link_id"])).collect(),
            _ => link_content(said),
        }
    }

    fn sure(&self, said: &OwnedMessage) -> bool {
        is_numbered(said.message) || matches!(said.message, "connection_request" | "connection_acknowledge")
    }
}
