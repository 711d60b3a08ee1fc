//! Links: the capture's answer to each link_state, and the live ids for the recorded ones (README.md, "Links and
//! updates").

use super::super::layout::Message::{self, *};
use super::super::layout::{LINK_ID, LINKS, NUMBER, TYPE, VALUES};
use super::{DnpActor, MODULUS};
use crate::dissect::Role;
use crate::live::replay::actor::{Outbox, Recorded, without};
use crate::message::OwnedMessage;
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

/// The time that an update waits for a link_up, which may be lost and is never resent, or for a link that the live peer
/// may not make.
pub const LINK_UP: Duration = Duration::from_millis(1000);
/// The number of times a link_up is sent: it is not acknowledged, and a second one changes nothing.
const ANSWERS: usize = 2;

/// A link_state of the capture, with its answer.
#[derive(Debug)]
pub struct Offer {
    /// The side that sent it.
    pub by: Role,
    /// The recorded link's id.
    pub id: u64,
    /// The content of the offer, without number and link id.
    pub content: Json,
    /// The answer to it: `link_up`, `link_down`, or nothing.
    pub answer: Option<Message>,
    /// Its frame.
    pub frame: u64,
    /// The live link's id.
    pub live: Option<u64>,
    /// The time when it was sent or received.
    pub at: Option<Instant>,
    /// The live link is up.
    pub up: bool,
    /// The time since which an update waits for the live peer to make it.
    pub awaited: Option<Instant>,
    /// It is ours, and an edit delays it.
    pub delayed: bool,
}

impl DnpActor {
    /// Returns an id that neither side uses: the recorded one if possible.
    pub(super) fn free_id(&self, wanted: u64) -> u64 {
        let used = |id: u64| self.offers.iter().any(|o| o.live == Some(id));
        if !used(wanted) {
            return wanted;
        }
        (0..MODULUS as u64).find(|id| !used(*id)).unwrap_or(wanted)
    }

    /// Answers a link_state as the capture answered the same one, or else one with the same types.
    pub(super) fn linked(&mut self, decoded: &OwnedMessage, now: Instant, out: &mut Outbox) {
        let Some(id) = decoded.number(&LINK_ID) else { return };
        let (peer, content) = (self.life.role.other(), link_content(decoded));
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
                (offer.live, offer.at, offer.up) = (Some(id), Some(now), offer.answer == Some(LinkUp));
                offer.answer
            }
            // The capture has no such link. Refuse it, as an application would that does not know it.
            None => Some(LinkDown),
        };
        if let Some(answer) = answer {
            self.answered.insert(id, answer);
            self.link_answer(id, answer, out);
        }
    }

    pub(super) fn link_answer(&self, id: u64, answer: Message, out: &mut Outbox) {
        let copies = if answer == LinkUp { ANSWERS } else { 1 };
        (0..copies).for_each(|_| out.live(self.life.message(answer.name(), json!({ "link_id": id }))));
    }

    /// The recorded link that an update before this frame concerns.
    pub(super) fn offer(&self, id: u64, before: u64) -> Option<&Offer> {
        self.offers.get(self.place(id, before)?)
    }

    fn place(&self, id: u64, before: u64) -> Option<usize> {
        let about = |o: &Offer| o.id == id && o.frame <= before;
        let accepted = self.offers.iter().rposition(|o| about(o) && o.answer == Some(LinkUp));
        accepted.or_else(|| self.offers.iter().rposition(about))
    }

    /// The recorded link ids in an update.
    fn updated(message: &Recorded) -> impl Iterator<Item = u64> {
        let links = message.decoded.field(&LINKS).and_then(Json::as_array).into_iter().flatten();
        links.filter_map(|link| link.get(LINK_ID.name).and_then(Json::as_u64))
    }

    /// The reason why an update still waits: its links may still come up.
    pub(super) fn unlinked(&mut self, message: &Recorded, now: Instant) -> Option<&'static str> {
        for id in DnpActor::updated(message) {
            let Some(at) = self.place(id, message.frame) else { continue };
            let Some(offer) = self.offers.get_mut(at).filter(|o| o.answer == Some(LinkUp) && !o.up) else { continue };
            if offer.delayed && offer.live.is_none() {
                return Some("the link that it updates");
            }
            // Each link is awaited once only: later updates do not wait for it again.
            let since = offer.at.unwrap_or(*offer.awaited.get_or_insert(now));
            if now.saturating_duration_since(since) < LINK_UP {
                return Some("the link that it updates");
            }
        }
        None
    }

    /// The reason why an update cannot be sent.
    pub(super) fn missing_links(&self, message: &Recorded) -> String {
        let ids: Vec<String> = DnpActor::updated(message).map(|id| id.to_string()).collect();
        format!("the live peer has not made its link (link_id {} of the capture)", ids.join(", "))
    }

    /// The update with live link ids. Links without a live id are left out.
    pub(super) fn rekeyed(&self, message: &Recorded) -> Option<OwnedMessage> {
        let links = message.decoded.field(&LINKS)?.as_array()?;
        let types = message.decoded.derived(&LINKS).and_then(Json::as_array);
        let (mut kept, mut known) = (Vec::new(), Vec::new());
        for (at, link) in links.iter().enumerate() {
            let id = link.get(LINK_ID.name).and_then(Json::as_u64)?;
            let Some(live) = self.offer(id, message.frame).and_then(|o| o.live) else { continue };
            let mut link = link.clone();
            link.as_object_mut()?.insert(LINK_ID.name.into(), live.into());
            kept.push(link);
            known.push(types.and_then(|types| types.get(at)).cloned().unwrap_or_default());
        }
        // A keep-alive has no links, and is sent.
        if kept.is_empty() && !links.is_empty() {
            return None;
        }
        let decoded = message.decoded.clone();
        Some(decoded.with_fields(json!({ LINKS.name: kept })).with_derived(json!({ LINKS.name: known })))
    }
}

/// The content of a link_state, without number and link id.
pub fn link_content(decoded: &OwnedMessage) -> Json {
    without(decoded.to_json(), &[NUMBER.name, LINK_ID.name])
}

fn types(content: &Json) -> Vec<Option<&Json>> {
    let values = content.get(VALUES.name).and_then(Json::as_array);
    values.map(|list| list.iter().map(|v| v.get(TYPE.name)).collect()).unwrap_or_default()
}
