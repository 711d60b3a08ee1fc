//! Plays one side of a recorded Acknex conversation to a live peer.
//!
//! There is no session to keep: messages are sent as recorded, in the same datagrams. The server numbers the entities.
//! An entity's live number is in the create that echoes our identifier.

mod probe;

use super::a5::ENTITY_ID;
use super::layout::Message::{Create, Ping, Unknown};
use super::layout::{ENTITY, IDENTIFIER, SERVER_TIME};
use crate::dissect::Role;
use crate::live::replay::actor::{Actor, Cause, Disposition, Handling, Outbox, Recorded, Replay, ReplayContext};
use crate::live::replay::{Life, Rules};
use crate::message::OwnedMessage;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A server drops a client after 5 s of silence, according to the manual.
const SILENCE: Duration = Duration::from_secs(2);

/// Probes Acknex servers and replays recorded Acknex conversations.
pub struct AcknexClient;

impl Replay for AcknexClient {
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor> {
        Box::new(AcknexActor {
            life: Life::new("acknex", &RULES, context)
                .with_version(context.messages.iter().rev().find_map(|m| m.decoded.version)),
            bundles: BTreeMap::new(),
            creates: Vec::new(),
            entities: BTreeMap::new(),
            live: BTreeMap::new(),
            spoke: None,
        })
    }

    fn settings(&self, messages: &[Recorded]) -> Vec<String> {
        messages
            .iter()
            .rev()
            .find_map(|m| m.decoded.version)
            .map(|v| format!("acknex.version={v}"))
            .into_iter()
            .collect()
    }
}

struct AcknexActor {
    life: Life,
    /// The number of our messages that each recorded datagram still has.
    bundles: BTreeMap<u64, usize>,
    /// The identifiers of the recorded client's creates, each with the live client's.
    creates: Vec<(Json, Option<Json>)>,
    /// Recorded: the entities that answered each identifier, in order; and how many such answers were sent or received
    /// live so far.
    entities: BTreeMap<String, (Vec<Json>, usize)>,
    /// Recorded entities and their live ones.
    live: BTreeMap<String, Json>,
    /// The time when we last sent something that keeps the session alive.
    spoke: Option<Instant>,
}

impl AcknexActor {
    /// Whether the capture's server made this entity for a create of ours.
    fn is_own(&self, entity: &Json) -> bool {
        let answers = |identifier: &Json| self.entities.get(&identifier.to_string());
        self.creates.iter().any(|(identifier, _)| answers(identifier).is_some_and(|(all, _)| all.contains(entity)))
    }
}

static RULES: Rules = Rules {
    empty: "not a message of the protocol: servers' reactions are unknown",
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
        let decoded = &message.decoded;
        if let Some(danger) = RULES.danger(message) {
            return danger;
        }
        if decoded.message == Unknown {
            return Disposition::Danger(RULES.empty.into());
        }
        if decoded.message == Create {
            let identifier = decoded.field(&IDENTIFIER).cloned().unwrap_or_default();
            match (decoded.from, decoded.field(&ENTITY)) {
                (Role::Client, _) => self.creates.push((identifier, None)),
                (_, Some(entity)) => self.entities.entry(identifier.to_string()).or_default().0.push(entity.clone()),
                _ => {}
            }
        }
        if decoded.from == self.life.role && !message.dropped {
            *self.bundles.entry(message.frame).or_default() += 1;
        }
        Disposition::Send
    }

    fn waits(&mut self, _message: &Recorded, _now: Instant) -> Option<&'static str> {
        None
    }

    /// Messages about an entity of ours need its live number, which the server's create has.
    fn cause(&self, decoded: &OwnedMessage) -> Cause {
        let is_ours = |(identifier, _): &(Json, _)| decoded.field(&IDENTIFIER) == Some(identifier);
        match decoded.from == Role::Server && decoded.message == Create && self.creates.iter().any(is_ours) {
            true => Cause::Answer,
            false => RULES.cause(decoded.message),
        }
    }

    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let mut decoded = message.decoded.clone();
        let left = self.bundles.get_mut(&message.frame).map_or(0, |left| {
            *left = left.saturating_sub(1);
            *left
        });
        decoded.more = left > 0;
        if self.life.role == Role::Client {
            for field in [ENTITY, ENTITY_ID] {
                if message.changed.puts.iter().any(|put| put.plain() == field.name) {
                    continue;
                }
                let Some(entity) = decoded.field(&field).cloned() else { continue };
                if let Some(live) = self.live.get(&entity.to_string()).cloned() {
                    decoded = decoded.with(&field, live);
                } else if self.is_own(&entity) {
                    return Err(format!("the live server has not made entity {entity} of the capture"));
                }
            }
        } else if decoded.message == Create {
            let identifier = decoded.field(&IDENTIFIER).cloned().unwrap_or_default();
            // The identifier may be used again: the answers are in the order of the requests.
            let (_, made) = self.entities.entry(identifier.to_string()).or_default();
            *made += 1;
            let asked = self.creates.iter().filter(|(recorded, _)| *recorded == identifier).take(*made).last();
            if let Some(live) = asked.and_then(|(_, live)| live.clone()) {
                decoded = decoded.with(&IDENTIFIER, live);
            }
        }
        self.spoke = Some(now);
        out.messages.push_back(decoded);
        Ok(())
    }

    fn recv(&mut self, decoded: &OwnedMessage, now: Instant, _out: &mut Outbox) -> Handling {
        if self.life.probe {
            // The server answers: its messages show the version, and from now on silence would end the session.
            self.life.version = decoded.version.or(self.life.version);
            self.spoke.get_or_insert(now);
        }
        if decoded.message == Create {
            let identifier = decoded.field(&IDENTIFIER).cloned().unwrap_or_default();
            match self.life.role {
                Role::Client => {
                    if let Some((all, made)) = self.entities.get_mut(&identifier.to_string())
                        && let (Some(recorded), Some(live)) = (all.get(*made), decoded.field(&ENTITY))
                    {
                        *made += 1;
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

    fn is_reliable(&self, _sent: &OwnedMessage) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Transport;
    use crate::protocols::acknex::layout::Message::Remove;

    /// The answers to an identifier are in the order of its requests, on both sides.
    #[test]
    fn an_identifier_is_used_twice() {
        let message = |name, from, fields| OwnedMessage::new("acknex", name, from, fields);
        let asked = |identifier: i64| message(Create.name(), Role::Client, json!({"identifier": identifier}));
        let made = |entity: i64| message(Create.name(), Role::Server, json!({"entity": entity, "identifier": 5}));
        let removed = |entity: i64| message(Remove.name(), Role::Client, json!({"entity": entity}));
        let recorded = |decoded: OwnedMessage| Recorded { decoded, length: 1, ..Recorded::default() };
        let (options, now) = (crate::protocols::options(), Instant::now());
        let play = |role, live: [OwnedMessage; 2], sent: [OwnedMessage; 2], field| {
            let mut actor = AcknexClient.actor(&ReplayContext {
                messages: &[],
                role,
                transport: Transport::Udp,
                timeout: Duration::ZERO,
                asap: true,
                host: "",
                path: None,
                options: &options,
                probe: false,
                version: None,
                data: None,
            });
            let mut out = Outbox::default();
            for decoded in [asked(5), made(7), asked(5), made(8)] {
                actor.disposition(&recorded(decoded));
            }
            for decoded in live {
                actor.recv(&decoded, now, &mut out);
            }
            for decoded in sent {
                actor.send(&recorded(decoded), now, &mut out).expect("sent");
            }
            out.messages.iter().map(|decoded| decoded.number(field)).collect::<Vec<_>>()
        };
        let entities = play(Role::Client, [made(70), made(80)], [removed(7), removed(8)], &ENTITY);
        assert_eq!(entities, [Some(70), Some(80)]);
        let identifiers = play(Role::Server, [asked(11), asked(12)], [made(7), made(8)], &IDENTIFIER);
        assert_eq!(identifiers, [Some(11), Some(12)]);
    }
}
