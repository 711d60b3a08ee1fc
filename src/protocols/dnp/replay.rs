//! Playing one side of a recorded DNP conversation to a live peer.
//!
//! Numbers begin at 0 again, at most ten commands are on their way, and only what is not
//! acknowledged is sent again. Links are answered as the capture did, for the link ids that the
//! live peer chooses (facts, sections 3 and 6).

use super::RESEND;
use crate::protocols::Role;
use crate::protocols::replay::{Actor, Cast, Fate, Heed, Outbox, Recorded, Replay, Said, Unacknowledged, without};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Numbers count modulo this: 65535 is never used.
const MODULUS: u32 = 65535;
/// How many commands are on their way at once.
const WINDOW: u32 = 10;
/// The libraries' interval of requests that nobody answers.
const REQUEST: Duration = Duration::from_millis(1000);
/// How long an update waits for a link_up that may be lost: it is never sent again.
const LINK_UP: Duration = Duration::from_millis(1000);
/// A close is not acknowledged, and duplicates are harmless (probe.md).
const GOODBYES: usize = 3;
/// A link_up is not acknowledged, and a link that is up does not change by another.
const ANSWERS: usize = 2;

/// The protocol's part in replays.
pub struct Replaying;

impl Replay for Replaying {
    fn actor(&self, cast: &Cast<'_>) -> Box<dyn Actor> {
        let resend =
            cast.options.settings.get("dnp.resend").and_then(|text| super::seconds(text).ok()).unwrap_or(RESEND);
        Box::new(Playing::new(cast, Duration::from_nanos(resend.max(10_000_000) as u64)))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    New,
    Requested,
    Connected,
    Over,
}

/// A link_state of the capture, and what became of it there.
#[derive(Debug)]
struct Offer {
    by: Role,
    id: u64,
    content: Json,
    /// `link_up`, `link_down`, or nothing.
    answer: Option<&'static str>,
    /// Its frame.
    frame: u64,
    /// The live link's id.
    live: Option<u64>,
    /// When it was said or heard.
    at: Option<Instant>,
    up: bool,
}

struct Playing {
    role: Role,
    state: State,
    why: Option<String>,
    timeout: Duration,
    resend: Duration,
    next: u32,
    sent: Unacknowledged,
    /// The next number of the peer's, and those beyond it that are there.
    expects: u32,
    beyond: BTreeSet<u32>,
    request: Option<(Said, Instant, Instant)>,
    /// The server's answer, for requests that come again.
    answer: Option<Said>,
    offers: Vec<Offer>,
    /// Links that the peer has made, and the state's answer: for copies.
    answered: BTreeMap<u64, &'static str>,
    stirred: Option<Instant>,
    has_request: bool,
    has_answer: bool,
    begun: bool,
}

fn is_numbered(message: &str) -> bool {
    matches!(message, "reliable_message" | "link_state" | "long_message" | "long_link_state")
}

impl Playing {
    fn new(cast: &Cast<'_>, resend: Duration) -> Playing {
        let ours =
            |name: &str| cast.messages.iter().any(|m| m.said.from == cast.role && m.said.message == name && !m.dropped);
        Playing {
            role: cast.role,
            state: State::New,
            why: None,
            timeout: cast.timeout,
            resend,
            next: 0,
            sent: Unacknowledged::new(resend, cast.timeout),
            expects: 0,
            beyond: BTreeSet::new(),
            request: None,
            answer: None,
            offers: Vec::new(),
            answered: BTreeMap::new(),
            stirred: None,
            has_request: ours("connection_request"),
            has_answer: ours("connection_acknowledge"),
            begun: false,
        }
    }

    fn message(&self, message: &'static str, fields: Json) -> Said {
        Said { proto: "dnp", message, from: self.role, fields, ..Said::default() }
    }

    fn afresh(&mut self, out: &mut Outbox) {
        self.sent.abandon(out);
        (self.next, self.expects) = (0, 0);
        self.beyond.clear();
        self.answered.clear();
        (self.state, self.why, self.answer) = (State::New, None, None);
    }

    fn request(&mut self, said: Said, now: Instant, out: &mut Outbox) {
        self.request = Some((said.clone(), now, now));
        self.state = State::Requested;
        out.say.push_back(said);
    }

    fn numbered(&mut self, said: Said, now: Instant, out: &mut Outbox) {
        let said = said.with("number", self.next);
        out.say.push_back(said.clone());
        self.sent.push(self.next as u16, said, now);
        self.next = (self.next + 1) % MODULUS;
    }

    /// Is there room in the window?
    fn room(&self) -> bool {
        self.sent.oldest().is_none_or(|oldest| (self.next + MODULUS - oldest as u32) % MODULUS < WINDOW)
    }

    /// Takes in a numbered command, as the libraries do: `None`, if it is far ahead and not even
    /// acknowledged; else whether it is new.
    fn take(&mut self, number: u32) -> Option<bool> {
        let ahead = (number + MODULUS - self.expects) % MODULUS;
        if ahead >= WINDOW {
            return (number < self.expects).then_some(false);
        }
        let new = self.beyond.insert(number);
        while self.beyond.remove(&self.expects) {
            self.expects = (self.expects + 1) % MODULUS;
        }
        Some(new)
    }

    /// An id that neither side uses, the recorded one if possible.
    fn free_id(&self, wanted: u64) -> u64 {
        let used = |id: u64| self.offers.iter().any(|o| o.live == Some(id));
        if !used(wanted) {
            return wanted;
        }
        (0..MODULUS as u64).find(|id| !used(*id)).unwrap_or(wanted)
    }

    /// Which answer the capture gave to a link_state like this one.
    fn linked(&mut self, said: &Said, now: Instant, out: &mut Outbox) {
        let Some(id) = said.number("link_id") else { return };
        let (peer, content) = (self.role.other(), link_content(said));
        let open = |o: &&mut Offer| o.by == peer && o.live.is_none();
        let place = match self.offers.iter().any(|o| o.by == peer && o.live.is_none() && o.content == content) {
            true => self.offers.iter_mut().filter(open).find(|o| o.content == content),
            false => self
                .offers
                .iter_mut()
                .find(|o| o.by == peer && o.live.is_none() && types(&o.content) == types(&content)),
        };
        let answer = match place {
            Some(offer) => {
                (offer.live, offer.at, offer.up) = (Some(id), Some(now), offer.answer == Some("link_up"));
                offer.answer
            }
            // The capture does not know it: refused, as an application would that does not.
            None => Some("link_down"),
        };
        if let Some(answer) = answer {
            self.answered.insert(id, answer);
            self.link_answer(id, answer, out);
        }
    }

    fn link_answer(&self, id: u64, answer: &'static str, out: &mut Outbox) {
        let copies = if answer == "link_up" { ANSWERS } else { 1 };
        (0..copies).for_each(|_| out.live(self.message(answer, json!({ "link_id": id }))));
    }

    /// The recorded link that an update before this frame is about.
    fn offer(&self, id: u64, before: u64) -> Option<&Offer> {
        self.offers
            .iter()
            .rev()
            .filter(|o| o.id == id && o.frame <= before)
            .find(|o| o.answer == Some("link_up"))
            .or_else(|| self.offers.iter().rev().find(|o| o.id == id && o.frame <= before))
    }

    /// The update with live link ids; links that are not there are left out.
    fn rekeyed(&self, message: &Recorded) -> Option<Said> {
        let links = message.said.fields.get("links")?.as_array()?;
        let mut kept = Vec::new();
        for link in links {
            let id = link.get("link_id").and_then(Json::as_u64)?;
            let Some(live) = self.offer(id, message.frame).and_then(|o| o.live) else { continue };
            let mut link = link.clone();
            link.as_object_mut()?.insert("link_id".into(), live.into());
            kept.push(link);
        }
        // A keep-alive has none, and stays.
        if kept.is_empty() && !links.is_empty() {
            return None;
        }
        Some(Said { fields: json!({ "links": kept }), derived: Json::Null, ..message.said.clone() })
    }
}

/// What a link_state offers, without the numbers of its session.
fn link_content(said: &Said) -> Json {
    without(&said.fields, &["number", "link_id"])
}

fn types(content: &Json) -> Vec<Option<&Json>> {
    let values = content.get("values").and_then(Json::as_array);
    values.map(|list| list.iter().map(|v| v.get("type")).collect()).unwrap_or_default()
}

impl Actor for Playing {
    fn fate(&mut self, message: &Recorded) -> Fate {
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
            return Fate::Live("link answers");
        }
        if let Some(fault) = &said.fault {
            return Fate::Danger(format!("broken: {fault}; the C++ library reads past its end"));
        }
        if noted("dnp.bare_link_id") {
            return Fate::Danger("a link_update that ends with a bare link id: it is cut off".into());
        }
        match said.message {
            "unknown" => Fate::Danger("no command of DNP".into()),
            "long_link_state" => {
                Fate::Danger("a malformed long link_state writes outside of a C++ server's memory".into())
            }
            "link_update" if noted("dnp.unknown_types") => Fate::Danger("the types of its links are not known".into()),
            "reliable_acknowledge" => Fate::Live("acknowledges"),
            "connection_request" if std::mem::replace(&mut self.begun, true) => Fate::Live("repeated requests"),
            "connection_close" => {
                self.begun = false;
                Fate::Say
            }
            "connection_acknowledge" => {
                self.begun = said.text("result") == Some("accepted");
                Fate::Say
            }
            _ if noted("dnp.retransmission") || noted("dnp.duplicate") => Fate::Live("resends"),
            _ => Fate::Say,
        }
    }

    fn begin(&mut self, now: Instant, out: &mut Outbox) {
        if self.role == Role::Client && !self.has_request {
            let request = self.message("connection_request", json!({"protocols": [0]}));
            self.request(request, now, out);
        }
    }

    fn ready(&mut self, message: &Recorded, now: Instant) -> bool {
        let said = &message.said;
        let connected = match self.role {
            Role::Client => self.state >= State::Connected,
            _ => self.state >= State::Requested,
        };
        match said.message {
            "connection_request" => true,
            "connection_close" => connected && self.settled(now),
            "link_update" => {
                let links = said.fields.get("links").and_then(Json::as_array).into_iter().flatten();
                connected
                    && links.filter_map(|link| link.get("link_id").and_then(Json::as_u64)).all(|id| {
                        match self.offer(id, message.frame) {
                            Some(o) if o.answer == Some("link_up") => {
                                o.up || o.at.is_some_and(|at| now.saturating_duration_since(at) >= LINK_UP)
                            }
                            _ => true,
                        }
                    })
            }
            name if is_numbered(name) => connected && self.room(),
            _ => connected,
        }
    }

    fn say(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let said = message.said.clone();
        match said.message {
            "connection_request" => {
                if self.state != State::New {
                    self.afresh(out);
                }
                self.request(said, now, out);
            }
            "connection_acknowledge" => {
                if said.text("result") == Some("accepted") {
                    self.state = self.state.max(State::Connected);
                    self.answer = Some(said.clone());
                } else {
                    self.state = State::New;
                }
                out.say.push_back(said);
            }
            "connection_close" => {
                self.sent.abandon(out);
                (0..GOODBYES).for_each(|_| out.say.push_back(said.clone()));
                self.state = State::Over;
            }
            "link_update" => match self.rekeyed(message) {
                Some(said) => out.say.push_back(said),
                None => return Err("none of its links is open in the live session".into()),
            },
            "link_state" => {
                let recorded = said.number("link_id").unwrap_or(0);
                let live = self.free_id(recorded);
                let role = self.role;
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

    fn heard(&mut self, said: &Said, now: Instant, out: &mut Outbox) -> Heed {
        match said.message {
            "connection_request" => {
                if self.state == State::Over {
                    self.afresh(out);
                }
                if self.state != State::New {
                    // Real servers ignore it, and a client whose acknowledge was lost has to begin
                    // anew from another port: we are more patient.
                    out.say.extend(self.answer.clone());
                    out.counts.copies += 1;
                    return Heed::Session;
                }
                self.state = State::Requested;
                if !self.has_answer {
                    let answer = self.message("connection_acknowledge", json!({"result": "accepted", "protocol": 0}));
                    self.answer = Some(answer.clone());
                    self.state = State::Connected;
                    out.live(answer);
                }
            }
            "connection_acknowledge" => {
                if self.request.take().is_none() {
                    return Heed::Session;
                }
                if said.text("result") == Some("accepted") {
                    self.state = self.state.max(State::Connected);
                } else {
                    let result = said.fields.get("result").map(ToString::to_string).unwrap_or_default();
                    self.why = Some(format!("the server does not accept: {result}"));
                    self.state = State::Over;
                }
            }
            "connection_close" => {
                if self.state == State::Over {
                    return Heed::Session;
                }
                self.why = Some("connection_close".into());
                self.state = State::Over;
                self.request = None;
                self.sent.abandon(out);
            }
            "reliable_acknowledge" => {
                if let Some(number) = said.number("number")
                    && let Some(trip) = self.sent.acknowledged(number as u16, now, out)
                {
                    out.counts.round_trip(trip);
                }
                return Heed::Session;
            }
            "link_up" | "link_down" => {
                let (role, id) = (self.role, said.number("link_id"));
                if let Some(offer) = self.offers.iter_mut().rev().find(|o| o.by == role && o.live == id) {
                    offer.up = said.message == "link_up";
                    offer.at = offer.at.map(|at| at.checked_sub(LINK_UP).unwrap_or(at));
                }
                return Heed::Session;
            }
            name if is_numbered(name) => {
                let Some(number) = said.number("number") else { return Heed::New };
                let Some(new) = self.take(number as u32) else { return Heed::Session };
                let acknowledge = self.message("reliable_acknowledge", json!({"number": number, "result": "success"}));
                out.live(acknowledge);
                self.stirred = Some(now);
                let link = said.number("link_id").filter(|_| name == "link_state");
                if !new {
                    out.counts.copies += 1;
                    // Its answer may be lost as well.
                    if let Some((id, answer)) = link.and_then(|id| self.answered.get(&id).map(|a| (id, *a))) {
                        self.link_answer(id, answer, out);
                    }
                    return Heed::Session;
                }
                if link.is_some() {
                    self.linked(said, now, out);
                }
            }
            _ => {}
        }
        Heed::New
    }

    fn tick(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let mut next = None;
        let mut at = |when: Instant| next = Some(next.map_or(when, |n: Instant| n.min(when)));
        if let Some((said, first, last)) = &mut self.request {
            let again = REQUEST.min(self.resend * 2);
            if now.saturating_duration_since(*first) >= self.timeout {
                self.why = Some("no answer to the connection_request".into());
                self.state = State::Over;
                self.request = None;
            } else {
                if now.saturating_duration_since(*last) >= again {
                    *last = now;
                    out.counts.resent += 1;
                    out.say.push_back(said.clone());
                }
                at((*last + again).min(*first + self.timeout));
            }
        }
        if self.state == State::Over {
            return None;
        }
        let (when, lost) = self.sent.tick(now, out);
        when.into_iter().for_each(&mut at);
        if lost {
            out.remark("reliable commands were not acknowledged in time");
        }
        next
    }

    fn settled(&self, now: Instant) -> bool {
        // A peer whose acknowledge was lost says it again.
        let rest = self.resend.mul_f64(2.5).min(self.resend + Duration::from_millis(200));
        self.sent.is_empty() && self.stirred.is_none_or(|at| now.saturating_duration_since(at) >= rest)
    }

    fn over(&self) -> Option<String> {
        self.why.clone().filter(|_| self.state == State::Over)
    }

    fn opens(&self, message: &Recorded) -> bool {
        matches!(
            (message.said.message, self.role),
            ("connection_request", Role::Client) | ("connection_acknowledge", Role::Server)
        )
    }

    fn closes(&self, message: &Recorded) -> bool {
        message.said.message == "connection_close"
    }

    fn leave(&mut self, out: &mut Outbox) {
        self.sent.abandon(out);
        if !matches!(self.state, State::Over | State::New) {
            // A server has no idle timeout: without it our place would be taken for good.
            let goodbye = self.message("connection_close", json!({}));
            (0..GOODBYES).for_each(|_| out.live(goodbye.clone()));
        }
        self.state = State::Over;
    }

    fn identity(&self, said: &Said) -> String {
        match (said.message, said.text("message")) {
            ("link_state", Some(message)) => format!("link_state {message}"),
            (name, _) => name.into(),
        }
    }

    fn content(&self, said: &Said) -> Json {
        let links = said.fields.get("links").and_then(Json::as_array);
        match (said.message, links) {
            ("link_update", Some(links)) => links.iter().map(|link| without(link, &["link_id"])).collect(),
            _ => link_content(said),
        }
    }

    fn sure(&self, said: &Said) -> bool {
        is_numbered(said.message) || matches!(said.message, "connection_request" | "connection_acknowledge")
    }
}
