//! `--edit` and `--drop`: [rules](crate::live::rules) for recorded messages, followed before the
//! first packet: what cannot be written is refused with its place.

use super::recording::Conversation;
use crate::dissect::{Line, Message, Options, Role};
use crate::filter::Names;
use crate::live::replay::actor::{Actor, Recorded};
use crate::live::rules::{Counters, Put, Rule, RuleSet, edit};
use std::collections::BTreeMap;
use std::time::Duration;

/// All changes.
#[derive(Debug, Default)]
pub struct Changes {
    rules: RuleSet,
}

/// What the rules made of a recorded message.
#[derive(Clone, Debug, Default)]
pub struct Changed {
    /// What was put where.
    pub puts: Vec<Put>,
    /// It is said so much later.
    pub delay: Duration,
    /// It is said so often beside the first time.
    pub copies: u32,
    /// The rules that were followed.
    pub rules: Vec<usize>,
    /// Why one cannot be followed.
    pub wrong: Option<String>,
}

impl Changes {
    /// No changes yet; the seed decides which messages a `drop P%` leaves out.
    pub fn new(seed: u64) -> Changes {
        Changes { rules: RuleSet::new(Vec::new(), seed) }
    }

    /// Adds an `EXPR: [after N] [once] ACTION, ...`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn edit(&mut self, text: &str, names: &Names<'_>) -> Result<(), String> {
        self.rules.push(Rule::parse(text, names).map_err(|e| e.to_string())?);
        Ok(())
    }

    /// Adds the same, or an expression alone: messages that fit are left out.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn drop(&mut self, text: &str, names: &Names<'_>) -> Result<(), String> {
        self.rules.push(Rule::parse_drop(text, names).map_err(|e| e.to_string())?);
        Ok(())
    }

    /// Makes the changes that concern a message.
    pub(super) fn make(&self, message: &Message<'_>, recorded: &mut Recorded, met: &mut Meetings) {
        if self.rules.is_empty() {
            return;
        }
        let options = message.flow_info.options;
        let decision = self.rules.decide(message, met.0.entry(message.flow_info.flow).or_default());
        recorded.dropped = decision.dropped;
        recorded.changed.delay = decision.delay;
        recorded.changed.copies = decision.copies;
        if !decision.edits.is_empty() {
            let said = &mut recorded.said;
            let captured = said.fields.clone();
            match edit(&decision.edits, (said.proto, said.message), &mut said.fields, &Names::new(options)) {
                Ok(puts) => {
                    recorded.changed.puts = puts;
                    recorded.captured = Some(captured);
                    recorded.edited = true;
                }
                Err(what) => recorded.changed.wrong = Some(what),
            }
        }
        recorded.changed.rules = decision.rules;
    }

    /// The rules that none of these messages has met.
    pub fn idle(&self, conversation: &Conversation, role: Role) -> impl Iterator<Item = &str> {
        let ours = || conversation.messages.iter().filter(move |m| m.said.from == role);
        let met: Vec<usize> = ours().flat_map(|m| m.changed.rules.iter().copied()).collect();
        self.rules.iter().enumerate().filter(move |(at, _)| !met.contains(at)).map(|(_, rule)| rule.text.as_str())
    }
}

/// How many messages of each conversation the rules have met.
#[derive(Debug, Default)]
pub(super) struct Meetings(BTreeMap<u64, Counters>);

impl Conversation {
    /// Writes our edited messages, so that what cannot be sent is known before the first packet;
    /// from then on their bytes and lengths are those of the edited ones. `actor`: whoever is going
    /// to say them.
    ///
    /// # Errors
    /// The message and the field that cannot be as the user wants it.
    pub(super) fn write_edits(&mut self, role: Role, options: &Options, actor: &dyn Actor) -> Result<(), String> {
        let ours = |m: &Recorded| m.said.from == role && !m.dropped;
        if !self.messages.iter().any(|m| ours(m) && (m.edited || m.changed.wrong.is_some())) {
            return Ok(());
        }
        let mut encoder = self.dissector.encoder(options);
        for recorded in &mut self.messages {
            let wanted = ours(recorded) && (recorded.edited || recorded.changed.wrong.is_some());
            let Recorded { said, changed, frame, captured, length, .. } = recorded;
            let (proto, message) = (said.proto, said.message);
            let place = |what: &str| format!("frame {frame}, {proto}.{message}: {what}");
            if let Some(what) = changed.wrong.as_ref().filter(|_| wanted) {
                return Err(place(what));
            }
            if let Some(put) = changed.puts.iter().find(|put| wanted && actor.decides(said, &put.plain())) {
                return Err(place(&format!("{} is decided by the live session: an edit would be undone", put.name)));
            }
            // The peer's are as they were captured: what the encoder learns of them is needed.
            let fields = captured.as_ref().filter(|_| said.from != role).unwrap_or(&said.fields);
            let written = encoder.encode(&Line { fields, ..said.line(self.flow) });
            if wanted {
                let bytes = written.map_err(|error| place(&error.to_string()))?;
                *length = (*length + bytes.len()).saturating_sub(said.bytes.len());
                said.bytes = bytes;
            }
        }
        Ok(())
    }
}
