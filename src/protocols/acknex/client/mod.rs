//! AcknexActor one side of a recorded Acknex conversation to a live peer.
//!
//! There is no session that could be kept: messages go as recorded, in the same datagrams. The
//! server numbers the entities: the live number of one that we asked for is known by the create
//! that echoes our identifier (facts, section 4).

mod probe;

use crate::dissect::Role;
use crate::live::OwnedMessage;
use crate::live::replay::actor::{Actor, Disposition, Handling, Outbox, Recorded, Replay, ReplayContext, without};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A server drops a client that was silent for 5 s (facts, section 4).
const SILENCE: Duration = Duration::from_secs(2);

/// How Acknex's servers are asked, and its recorded conversations played.
pub struct AcknexClient;

impl Replay for AcknexClient {
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor> {
        Box::new(AcknexActor {
            role: context.role,
            version: context.messages.iter().rev().find_map(|m| m.said.version),
            bundles: BTreeMap::new(),
            creates: Vec::new(),
            entities: BTreeMap::new(),
            live: BTreeMap::new(),
            spoke: None,
            probe: context.probe,
        })
    }

    fn settings(&self, messages: &[Recorded]) -> Vec<String> {
        messages.iter().rev().find_map(|m| m.said.version).map(|v| format!("acknex.version={v}")).into_iter().collect()
    }
}

struct AcknexActor {
    role: Role,
    version: Option<&'static str>,
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
    probe: bool,
}

impl Actor for AcknexActor {
    fn disposition(&mut self, message: &Recorded) -> Disposition {
        let said = &message.said;
        if let Some(fault) = &said.fault {
            return Disposition::Danger(format!("broken: {fault}"));
        }
        if matches!(said.message, "unknown" | "unreadable") || message.length == 0 {
            return Disposition::Danger("no message of the protocol: nobody knows what a server makes of it".into());
        }
        if said.message == "create" {
            let identifier = said.fields.get("identifier").cloned().unwrap_or_default();
            match (said.from, said.fields.get("entity")) {
                (Role::Client, _) => self.creates.push((identifier, None)),
                (_, Some(entity)) => _ = self.entities.insert(identifier.to_string(), entity.clone()),
                _ => {}
            }
        }
        if said.from == self.role && !message.dropped {
            *self.bundles.entry(message.frame).or_default() += 1;
        }
        Disposition::Send
    }

    fn ready(&mut self, _message: &Recorded, _now: Instant) -> bool {
        true
    }

    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let mut said = message.said.clone();
        if self.role == Role::Client {
            for key in ["entity", "entity_dpid"] {
                let live = said.fields.get(key).and_then(|entity| self.live.get(&entity.to_string())).cloned();
                if let Some(live) = live {
                    said = said.with(key, live);
                }
            }
        } else if said.message == "create" {
            let identifier = said.fields.get("identifier").cloned().unwrap_or_default();
            let live =
                self.creates.iter().find(|(recorded, _)| *recorded == identifier).and_then(|(_, live)| live.clone());
            if let Some(live) = live {
                said = said.with("identifier", live);
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
        if self.probe {
            // The server is there: its words tell the version, and from now on we are in.
            self.version = said.version.or(self.version);
            self.spoke.get_or_insert(now);
        }
        if said.message == "create" {
            let identifier = said.fields.get("identifier").cloned().unwrap_or_default();
            match self.role {
                Role::Client => {
                    let recorded = self.entities.get(&identifier.to_string());
                    if let (Some(recorded), Some(live)) = (recorded, said.fields.get("entity")) {
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
        let spoke = self.spoke.filter(|_| self.role == Role::Client && self.version == Some("a6"))?;
        if now.saturating_duration_since(spoke) < SILENCE {
            return Some(spoke + SILENCE);
        }
        self.spoke = Some(now);
        out.live(OwnedMessage {
            proto: "acknex",
            message: "ping",
            version: self.version,
            from: self.role,
            fields: json!({}),
            ..OwnedMessage::default()
        });
        Some(now + SILENCE)
    }

    fn settled(&self, _now: Instant) -> bool {
        true
    }

    fn over(&self) -> Option<String> {
        None
    }

    /// There is no goodbye: the server notices the silence.
    fn leave(&mut self, _out: &mut Outbox) {}

    fn identity(&self, said: &OwnedMessage) -> String {
        said.message.into()
    }

    fn content(&self, said: &OwnedMessage) -> Json {
        without(&said.fields, &["entity", "entity_dpid", "identifier", "server_time"])
    }

    fn sure(&self, _said: &OwnedMessage) -> bool {
        false
    }
}
