//! Plays one side of a recorded DNP conversation to a live peer.
//!
//! Numbers begin at 0 again, at most ten commands are unacknowledged, and only unacknowledged commands are resent.
//! Links are answered as in the capture, with the link ids that the live peer chooses (README.md, "Numbers,
//! acknowledgements, time-outs" and "Links and updates").

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
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Numbers count modulo this: 65535 is never used.
const MODULUS: u32 = 65535;
/// At most this many commands are unacknowledged at a time.
const WINDOW: u32 = 10;

/// The longest wait for a peer to stop sending before the close.
const REST: Duration = Duration::from_millis(1500);

static NUMBERING: Numbering = Numbering {
    field: &NUMBER,
    numbered: |name| Message::named(name).is_some_and(is_numbered),
    first: 0,
    modulus: MODULUS,
    window: Window::Span(WINDOW),
    full: "an acknowledgement (ten commands are unacknowledged)",
    patience: REST,
};

/// The libraries' interval between requests that are not answered.
const REQUEST: Duration = Duration::from_millis(1000);
/// The most requests for a connection that a probe sends.
const TRIES: u32 = 5;

/// Probes DNP servers and replays recorded DNP conversations.
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
    /// The server's answer, for repeated requests.
    answer: Option<OwnedMessage>,
    offers: Vec<Offer>,
    /// Links that the peer has made, and our answers: for repeated offers.
    answered: BTreeMap<u64, Message>,
    has_request: bool,
    has_answer: bool,
    begun: bool,
    /// Whether the peer has refused or closed the connection, or we have closed it.
    closed: bool,
}

impl DnpActor {
    fn new(context: &ReplayContext<'_>, resend: Duration) -> DnpActor {
        let ours = |message: Message| context.has(context.role, message.name());
        // A peer whose acknowledgement was lost resends.
        let rest = resend.mul_f64(2.5).min(resend + Duration::from_millis(200));
        DnpActor {
            life: Life::new("dnp", &actor::RULES, context),
            resend,
            numbers: Numbers::new(&NUMBERING, Unacknowledged::new(resend, context.timeout), rest, context.asap),
            answer: None,
            offers: Vec::new(),
            answered: BTreeMap::new(),
            has_request: ours(ConnectionRequest),
            has_answer: ours(ConnectionAcknowledge),
            begun: false,
            closed: false,
        }
    }

    fn restart(&mut self, out: &mut Outbox) {
        self.numbers.restart(out);
        self.answered.clear();
        self.life.restart();
        (self.answer, self.closed) = (None, false);
    }

    fn request(&mut self, decoded: OwnedMessage, now: Instant, out: &mut Outbox) {
        let timeout = self.life.timeout;
        // The probe's own timeout applies first.
        let repeats = match self.life.probe {
            true => Repeats { every: timeout, patience: timeout * (TRIES + 1), most: TRIES },
            false => Repeats { every: REQUEST.min(self.resend * 2), patience: timeout, most: u32::MAX },
        };
        self.life.ask(decoded, repeats, now, out);
    }
}
