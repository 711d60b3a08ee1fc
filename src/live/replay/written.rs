//! Edited messages are written before the first packet: what cannot be is refused with its place.

use super::edit::Changes;
use super::plan::Wishes;
use super::recording::Conversation;
use crate::dissect::{Options, Role};
use crate::live::replay::actor::{Actor, Recorded};

impl Conversation {
    /// The rules that none of our messages has met.
    pub fn idle<'c>(&self, changes: &'c Changes, role: Role) -> impl Iterator<Item = &'c str> {
        let ours = || self.messages.iter().filter(move |m| m.said.from == role);
        let met: Vec<usize> = ours().flat_map(|m| m.changed.rules.iter().copied()).collect();
        changes.rules.iter().enumerate().filter(move |(at, _)| !met.contains(at)).map(|(_, rule)| rule.text.as_str())
    }

    /// Writes our edited messages, so that what cannot be sent is known before the first packet;
    /// from then on their bytes and lengths are those of the edited ones. `actor`: whoever is going
    /// to say them.
    ///
    /// # Errors
    /// The message and the field that cannot be as the user wants it.
    pub(super) fn write_edits(&mut self, wishes: &Wishes, options: &Options, actor: &dyn Actor) -> Result<(), String> {
        let Wishes { role, until, .. } = *wishes;
        let played = |m: &Recorded| until.is_none_or(|until| m.frame <= until);
        let ours = |m: &Recorded| m.said.from == role && !m.dropped && played(m);
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
            if !wanted && !encoder.remembers(proto, message) {
                continue;
            }
            let written = captured.as_ref().filter(|_| said.from != role).unwrap_or(said);
            let written = encoder.encode(&written.line(self.flow));
            if wanted {
                let bytes = written.map_err(|error| place(&error.to_string()))?;
                *length = (*length + bytes.len()).saturating_sub(said.bytes().len());
                said.set_bytes(bytes);
            }
        }
        Ok(())
    }
}
