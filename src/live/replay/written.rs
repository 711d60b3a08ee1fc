//! Writes edited messages before the first packet is sent. One that cannot be written is refused, with its place.

use super::edit::Changes;
use super::plan::Choices;
use super::recording::Conversation;
use crate::dissect::{Options, Role};
use crate::live::replay::actor::{Actor, Recorded};
use std::borrow::Cow;

impl Conversation {
    /// Returns the rules that were applied to none of our messages.
    pub fn idle<'c>(&self, changes: &'c Changes, role: Role) -> impl Iterator<Item = &'c str> {
        let ours = || self.messages.iter().filter(move |m| m.decoded.from == role);
        let applied: Vec<usize> = ours().flat_map(|m| m.changed.rules.iter().copied()).collect();
        changes
            .rules
            .iter()
            .enumerate()
            .filter(move |(at, _)| !applied.contains(at))
            .map(|(_, rule)| rule.text.as_str())
    }

    /// Writes our edited messages, so that mistakes are known before the first packet. From then on their bytes and
    /// lengths are those of the edited messages. `actor` is the one that will send them, for each of these `clients`.
    ///
    /// # Errors
    /// Returns the message and the field that cannot be as the user wants it.
    pub(super) fn write_edits(
        &mut self,
        choices: &Choices,
        options: &Options,
        actor: &dyn Actor,
        clients: Option<u32>,
    ) -> Result<(), String> {
        let Choices { role, until, .. } = *choices;
        let played = |m: &Recorded| until.is_none_or(|until| m.frame <= until);
        let ours = |m: &Recorded| m.decoded.from == role && !m.dropped && played(m);
        if !self.messages.iter().any(|m| ours(m) && (m.edited || m.changed.wrong.is_some())) {
            return Ok(());
        }
        let mut encoder = self.dissector.encoder(options);
        for recorded in &mut self.messages {
            let wanted = ours(recorded) && (recorded.edited || recorded.changed.wrong.is_some());
            let numbered = recorded.of_client(clients.unwrap_or(1));
            let mut template = None;
            if let Cow::Owned(numbered) = numbered {
                let by_client = std::mem::replace(recorded, numbered);
                template = clients.map(|_| (by_client.decoded, by_client.changed));
            }
            let Recorded { decoded, changed, frame, captured, length, .. } = recorded;
            let (proto, message) = (decoded.proto, decoded.message);
            let place = |what: &str| format!("frame {frame}, {proto}.{message}: {what}");
            if let Some(what) = changed.wrong.as_ref().filter(|_| wanted) {
                return Err(place(what));
            }
            if let Some(put) = changed.puts.iter().find(|put| wanted && actor.decides(decoded, &put.plain())) {
                let why = "is set by the live session, which would overwrite the edit";
                return Err(place(&format!("{} {why}", put.name)));
            }
            // The peer's messages are written as captured, because the encoder may have to learn from them.
            if !wanted && !encoder.remembers(proto, message) {
                continue;
            }
            let written = captured.as_ref().filter(|_| decoded.from != role).unwrap_or(decoded);
            let written = encoder.encode(&written.line(self.flow));
            if wanted {
                let bytes = written.map_err(|error| place(&error.to_string()))?;
                let before = captured.as_ref().map_or(0, |captured| captured.bytes().len());
                *length = (*length + bytes.len()).saturating_sub(before);
                decoded.set_bytes(bytes);
            }
            if let Some(template) = template {
                (recorded.decoded, recorded.changed) = template;
            }
        }
        Ok(())
    }
}
