//! Plays one side of a recorded Acknex conversation to a live peer.
//!
//! There is no session that could be kept: messages go as recorded, in the same datagrams. The
//! server numbers the entities: the live number of one that we asked for is known by the create
//! that echoes our identifier.

mod probe;

use super::a5::ENTITY_ID;
use super::layout::Message::{Create, Ping, Unknown};
use super::layout::{ENTITY, IDENTIFIER, SERVER_TIME};
use crate::dissect::Role;
use crate::live::replay::actor::{Actor, Disposition, Handling, Outbox, Recorded, Replay, ReplayContext};
use crate::live::replay::{Life, Rules};
use crate::message::OwnedMessage;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A server drops a client that was silent for 5 s, by the manual.
const SILENCE: Duration = Duration::from_secs(2);

/// How Acknex's servers are asked, and its recorded conversations played.
pub struct AcknexClient;

impl Replay for AcknexClient {
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor> {
        Box::new(AcknexActor {
            life: Life::new("acknex", &RULES, context)
                .spoken(context.messages.iter().rev().find_map(|m| m.said.version)),
            bundles: BTreeMap::new(),
            creates: Vec::new(),
            entities: BTreeMap::new(),
            live: BTreeMap::new(),
            spoke: None,
        })
    }

    fn settings(&self, messages: &[Recorded]) -> Vec<String> {
        messages.iter().rev().find_map(|m| m.said.version).map(|v| format!("acknex.version={v}")).into_iter().collect()
    }
}

struct AcknexActor {
    life: Life,
    /// How many messages of ours a recorded datagram still has.
    bundles: BTreeMap<u64, usize>,
    /// Identifiers of the recorded client's creates, and of the live one's in their place.
    creates: Vec<(Json, Option<Json>)>,
    /// Recorded: which entity answered which identifier.
    entities: BTreeMap<String, Json>,
    /// Recorded entity to live one.
    live: BTreeMap<String, Json>,
    /// When we last said something that keeps us in the session.
    spoke: Option<Instant>,
}

static RULES: Rules = Rules {
    empty: "no message of the protocol: nobody knows what a server makes of it",
    broken: "",
    live: &[],
    opens: [&[], &[]],
    closes: &[],
    answers: &[],
    others: &[],
    volatile: &[(&[], &[ENTITY.name, ENTITY_ID.name, IDENTIFIER.name, SERVER_TIME.name])],
    decided: &[],
};

impl Actor for AcknexActor {
    fn life(&self) -> &Life {
        &self.life
    }

    fn disposition(&mut self, message: &Recorded) -> Disposition {
        let said = &message.said;
        if let Some(danger) = RULES.danger(message) {
            return danger;
        }
        if said.message == Unknown {
            return Disposition::Danger(RULES.empty.into());
        }
        if said.message == Create {
            let identifier = said.field(&IDENTIFIER).cloned().unwrap_or_default();
            match (said.from, said.field(&ENTITY)) {
                (Role::Client, _) => self.creates.push((identifier, None)),
                (_, Some(entity)) => _ = self.entities.insert(identifier.to_string(), entity.clone()),
                _ => {}
            }
        }
        if said.from == self.life.role && !message.dropped {
            *self.bundles.entry(message.frame).or_default() += 1;
        }
        Disposition::Send
    }

    fn waits(&mut self, _message: &Recorded, _now: Instant) -> Option<&'static str> {
        None
    }

    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let mut said = message.said.clone();
        if self.life.role == Role::Client {
            for field in [ENTITY, ENTITY_ID] {
                if message.changed.puts.iter().any(|put| put.plain() == field.name) {
                    continue;
                }
                let live = said.field(&field).and_then(|entity| self.live.get(&entity.to_string())).cloned();
                if let Some(live) = live {
                    said = said.with(&field, live);
                }
            }
        } else if said.message == Create {
            let identifier = said.field(&IDENTIFIER).cloned().unwrap_or_default();
            let live =
                self.creates.iter().find(|(recorded, _)| *recorded == identifier).and_then(|(_, live)| live.clone());
            if let Some(live) = live {
                said = said.with(&IDENTIFIER, live);
            }
        }
        let left = self.bundles.get_mut(&message.frame).map_or(0, |left| {
            *left = left.saturating_sub(1);
            *left
        });
        said.more = left > 0;
        self.spoke = Some(now);
        out.say.push_back(said);
        Ok(())
    }

    fn recv(&mut self, said: &OwnedMessage, now: Instant, _out: &mut Outbox) -> Handling {
        if self.life.probe {
            // The server is there: its words tell the version, and from now on we are in.
            self.life.version = said.version.or(self.life.version);
            self.spoke.get_or_insert(now);
        }
        if said.message == Create {
            let identifier = said.field(&IDENTIFIER).cloned().unwrap_or_default();
            match self.life.role {
                Role::Client => {
                    let recorded = self.entities.get(&identifier.to_string());
                    if let (Some(recorded), Some(live)) = (recorded, said.field(&ENTITY)) {
                        self.live.insert(recorded.to_string(), live.clone());
                    }
                }
                _ => {
                    if let Some(open) = self.creates.iter_mut().find(|(_, live)| live.is_none()) {
                        open.1 = Some(identifier);
                    }
                }
            }
        }
        Handling::New
    }

    fn tick(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        // A5's ping needs the player's id, which the recording's own pings have.
        let spoke = self.spoke.filter(|_| self.life.role == Role::Client && self.life.version == Some("a6"))?;
        if now.saturating_duration_since(spoke) < SILENCE {
            return Some(spoke + SILENCE);
        }
        self.spoke = Some(now);
        out.live(self.life.message(Ping.name(), json!({})));
        Some(now + SILENCE)
    }

    // There is no goodbye: the server notices the silence.

    fn sure(&self, _said: &OwnedMessage) -> bool {
        false
    }
}
