//! DnpActor one side of a recorded DNP conversation to a live peer.
//!
//! Numbers begin at 0 again, at most ten commands are on their way, and only what is not
//! acknowledged is sent again. Links are answered as the capture did, for the link ids that the
//! live peer chooses (README.md, "Numbers, acknowledgements, time-outs" and "Links and updates").

mod actor;
mod links;
mod probe;

use super::RESEND;
use crate::live::OwnedMessage;
use crate::live::replay::actor::{Actor, Outbox, Replay, ReplayContext};
use crate::live::replay::{Asking, Copies, Unacknowledged};
use crate::live::replay::{Life, Phase};
use links::Offer;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Numbers count modulo this: 65535 is never used.
const MODULUS: u32 = 65535;
/// How many commands are on their way at once.
const WINDOW: u32 = 10;

/// A peer that does not rest is left after so long.
const REST: Duration = Duration::from_millis(1500);

/// A probe asks so often for a connection that is not acknowledged.
const TRIES: u32 = 5;

/// How DNP's servers are asked, and its recorded conversations played.
pub struct DnpClient;

impl Replay for DnpClient {
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor> {
        let resend =
            context.options.settings.get("dnp.resend").and_then(|text| super::seconds(text).ok()).unwrap_or(RESEND);
        Box::new(DnpActor::new(context, Duration::from_nanos(resend.max(10_000_000) as u64)))
    }
}

struct DnpActor {
    life: Life,
    resend: Duration,
    next: u32,
    sent: Unacknowledged,
    /// The next number of the peer's, and those beyond it that are there.
    expects: u32,
    beyond: BTreeSet<u32>,
    copies: Copies,
    request: Option<Asking>,
    /// The server's answer, for requests that come again.
    answer: Option<OwnedMessage>,
    offers: Vec<Offer>,
    /// Links that the peer has made, and the state's answer: for copies.
    answered: BTreeMap<u64, &'static str>,
    stirred: Option<Instant>,
    has_request: bool,
    has_answer: bool,
    begun: bool,
    asap: bool,
    /// Since when the goodbye waits for its time.
    parting: Option<Instant>,
}

fn is_numbered(message: &str) -> bool {
    matches!(message, "reliable_message" | "link_state" | "long_message" | "long_link_state")
}

impl DnpActor {
    fn new(context: &ReplayContext<'_>, resend: Duration) -> DnpActor {
        let ours = |name: &str| {
            context.messages.iter().any(|m| m.said.from == context.role && m.said.message == name && !m.dropped)
        };
        DnpActor {
            life: Life::new("dnp", context),
            resend,
            next: 0,
            sent: Unacknowledged::new(resend, context.timeout),
            expects: 0,
            beyond: BTreeSet::new(),
            copies: Copies::default(),
            request: None,
            answer: None,
            offers: Vec::new(),
            answered: BTreeMap::new(),
            stirred: None,
            has_request: ours("connection_request"),
            has_answer: ours("connection_acknowledge"),
            begun: false,
            asap: context.asap,
            parting: None,
        }
    }

    fn afresh(&mut self, out: &mut Outbox) {
        self.sent.abandon(out);
        (self.next, self.expects) = (0, 0);
        self.beyond.clear();
        self.copies = Copies::default();
        self.answered.clear();
        self.life.afresh();
        (self.answer, self.parting) = (None, None);
    }

    /// What a goodbye still waits for. A peer that goes on talking has no rest: it is left all the
    /// same.
    fn rests(&mut self, now: Instant) -> Option<&'static str> {
        let since = *self.parting.get_or_insert(now);
        match self.sent.is_empty() {
            false => Some("the last acknowledgements"),
            // By the recording's clock the goodbye has its time.
            true if !self.asap || self.settled(now) || now.saturating_duration_since(since) >= REST => None,
            true => Some("the peer's last copies"),
        }
    }

    fn request(&mut self, said: OwnedMessage, now: Instant, out: &mut Outbox) {
        let mut asking = Asking::new(said, now, out);
        if self.life.probe {
            asking.most = TRIES;
        }
        self.request = Some(asking);
        self.life.phase = Phase::Asked;
    }

    fn numbered(&mut self, said: OwnedMessage, now: Instant, out: &mut Outbox) {
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
}
