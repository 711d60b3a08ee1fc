//! Plays one side of a recorded DNP conversation to a live peer.
//!
//! Numbers begin at 0 again, at most ten commands are on their way, and only what is not
//! acknowledged is sent again. Links are answered as the capture did, for the link ids that the
//! live peer chooses (README.md, "Numbers, acknowledgements, time-outs" and "Links and updates").

mod actor;
mod links;
mod probe;

use super::RESEND;
use super::layout::Message::{self, ConnectionAcknowledge, ConnectionRequest};
use super::layout::{NUMBER, is_numbered};
use crate::live::replay::actor::{Actor, Outbox, Replay, ReplayContext};
use crate::live::replay::{Life, Numbering, Numbers, Repeats, Unacknowledged, Window};
use crate::message::OwnedMessage;
use links::Offer;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Numbers count modulo this: 65535 is never used.
const MODULUS: u32 = 65535;
/// How many commands are on their way at once.
const WINDOW: u32 = 10;

/// A peer that does not rest is left after so long.
const REST: Duration = Duration::from_millis(1500);

static NUMBERING: Numbering = Numbering {
    field: &NUMBER,
    numbered: |name| Message::named(name).is_some_and(is_numbered),
    first: 0,
    modulus: MODULUS,
    window: Window::Span(WINDOW),
    full: "an acknowledgement: ten commands are on their way",
    patience: REST,
};

/// The libraries' interval of requests that nobody answers.
const REQUEST: Duration = Duration::from_millis(1000);
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
    numbers: Numbers,
    /// The next number of the peer's, and those beyond it that are there.
    expects: u32,
    beyond: BTreeSet<u32>,
    /// The server's answer, for requests that come again.
    answer: Option<OwnedMessage>,
    offers: Vec<Offer>,
    /// Links that the peer has made, and the state's answer: for copies.
    answered: BTreeMap<u64, Message>,
    has_request: bool,
    has_answer: bool,
    begun: bool,
}

impl DnpActor {
    fn new(context: &ReplayContext<'_>, resend: Duration) -> DnpActor {
        let ours = |message: Message| context.has(context.role, message.name());
        // A peer whose acknowledge was lost says it again.
        let rest = resend.mul_f64(2.5).min(resend + Duration::from_millis(200));
        DnpActor {
            life: Life::new("dnp", &actor::RULES, context),
            resend,
            numbers: Numbers::new(&NUMBERING, Unacknowledged::new(resend, context.timeout), rest, context.asap),
            expects: 0,
            beyond: BTreeSet::new(),
            answer: None,
            offers: Vec::new(),
            answered: BTreeMap::new(),
            has_request: ours(ConnectionRequest),
            has_answer: ours(ConnectionAcknowledge),
            begun: false,
        }
    }

    fn afresh(&mut self, out: &mut Outbox) {
        self.numbers.afresh(out);
        self.expects = 0;
        self.beyond.clear();
        self.answered.clear();
        self.life.afresh();
        self.answer = None;
    }

    fn request(&mut self, said: OwnedMessage, now: Instant, out: &mut Outbox) {
        let timeout = self.life.timeout;
        // A probe's own deadline comes first.
        let repeats = match self.life.probe {
            true => Repeats { every: timeout, patience: timeout * (TRIES + 1), most: TRIES },
            false => Repeats { every: REQUEST.min(self.resend * 2), patience: timeout, most: u32::MAX },
        };
        self.life.ask(said, repeats, now, out);
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
