//! Messages that wait at a proxy: what keys do with them.

use super::prompt::{Asked, Prompt};
use super::state::State;
use crate::encode::{PathStep, steps};
use crate::filter::{Filter, FilterError, Names};
use crate::live::proxy::{Choice, Held, HeldOutcome, Holds};
use crate::live::rules::{Assignment, assignments};
use crate::message::OwnedMessage;
use crate::plural::Plural;
use serde_json::Value as Json;
use std::sync::Arc;

/// Longer values are not offered for editing.
const LONGEST: usize = 200;
/// The status if the selected message is not held.
const NOT_HELD: &str = "this message is not held: press H to go to one";

/// The words of an outcome in the list.
pub fn word(outcome: HeldOutcome) -> &'static str {
    match outcome {
        HeldOutcome::Passed => "passed",
        HeldOutcome::Edited => "edited",
        HeldOutcome::Dropped => "dropped",
        HeldOutcome::Late => "passed: time limit",
        HeldOutcome::Refused => "passed unedited",
        HeldOutcome::Gone => "connection ended",
    }
}

impl State {
    fn holds(&mut self) -> Option<Arc<Holds>> {
        let holds = self.subject.holds.clone();
        if holds.is_none() {
            self.show_status("only a proxy holds messages: netkit proxy --view");
        }
        holds
    }

    /// The selected message, if it waits.
    pub(crate) fn held(&self) -> Option<Held> {
        let row = self.row()?;
        let own = |held: &Held| (held.target.frame, held.target.index) == (row.frame, row.index);
        self.subject.holds.as_ref()?.list().into_iter().find(own)
    }

    /// The changes that the user has typed for a message that waits.
    pub(crate) fn edits(&self, held: &Held) -> Vec<Assignment> {
        let text = self.edits.get(&held.id).map(String::as_str).unwrap_or_default();
        assignments(text, &[held.kind], &Names::new(self.store.options())).unwrap_or_default()
    }

    /// Asks for the messages that have to wait.
    pub fn ask_hold(&mut self) {
        let Some(holds) = self.holds() else { return };
        let text = holds.expression().unwrap_or_default();
        self.prompt = Some(Prompt::new(Asked::Hold, &text, self.store.options()));
    }

    /// From now on messages that match wait; without an expression none do.
    pub fn hold(&mut self, text: &str, filter: Option<Filter>) {
        let Some(holds) = self.holds() else { return };
        self.show_status(if filter.is_some() { "messages that match are held" } else { "no more messages are held" });
        holds.hold(filter.map(|filter| (text.into(), filter)));
    }

    /// Selects the next message that waits.
    pub fn next_held(&mut self) {
        let Some(holds) = self.holds() else { return };
        let here = self.current();
        let held = holds.list();
        let mut all: Vec<usize> = held.iter().filter_map(|held| self.store.find(held.target)).collect();
        all.retain(|number| *number < self.len);
        all.sort_unstable();
        let next = all.iter().find(|number| Some(**number) > here).or(all.first());
        match next {
            Some(number) => self.go_to(*number),
            None if held.is_empty() => self.show_status("no message is held"),
            // A message is read into the list a moment after the proxy holds it.
            None => self.show_status("the list does not show the held messages yet"),
        }
    }

    /// Asks for the changes of the selected message, beginning with its selected field.
    pub fn ask_edit(&mut self) {
        if self.holds().is_none() {
            return;
        }
        let Some(held) = self.held() else { return self.show_status(NOT_HELD) };
        let mut text = self.edits.get(&held.id).cloned().unwrap_or_default();
        if let Some((path, value)) = self.selected_value()
            && !self.edits(&held).iter().any(|edit| edit.path == path)
        {
            let separator = if text.is_empty() { "" } else { ", " };
            text += &format!("{separator}{path}={value}");
        }
        self.prompt = Some(Prompt::new(Asked::Edit(held.kind), &text, self.store.options()));
    }

    /// Keeps the changes of the selected message until it passes.
    ///
    /// # Errors
    /// The mistake, which is shown under the text.
    pub fn edit(&mut self, text: &str) -> Result<(), FilterError> {
        let Some(held) = self.held() else {
            self.show_status("the message is no longer held");
            return Ok(());
        };
        if text.is_empty() {
            self.edits.remove(&held.id);
            self.show_status("no changes");
            return Ok(());
        }
        assignments(text, &[held.kind], &Names::new(self.store.options()))?;
        self.edits.insert(held.id, text.into());
        self.show_status("press a to pass it with these changes");
        Ok(())
    }

    /// Passes the selected message, with its changes.
    pub fn pass(&mut self) {
        if let Some(held) = self.decides() {
            self.choose(&held);
        }
    }

    fn choose(&mut self, held: &Held) {
        let edits = self.edits(held);
        if let Some(holds) = &self.subject.holds {
            holds.choose(held.id, Choice::Pass(edits));
        }
    }

    /// Leaves the selected message out.
    pub fn drop_held(&mut self) {
        if let (Some(held), Some(holds)) = (self.decides(), &self.subject.holds) {
            holds.choose(held.id, Choice::Drop);
        }
    }

    fn decides(&mut self) -> Option<Held> {
        self.holds()?;
        let held = self.held();
        if held.is_none() {
            self.show_status(NOT_HELD);
        }
        held
    }

    /// Passes all messages that wait, with their changes.
    pub fn pass_all(&mut self) {
        let Some(holds) = self.holds() else { return };
        let all = holds.list();
        all.iter().for_each(|held| self.choose(held));
        self.show_status(&format!("passing {}", Plural(all.len(), "message")));
    }

    /// Shows why a decision had no effect, and forgets the changes of messages that are gone.
    pub fn refresh_holds(&mut self) {
        let Some(holds) = self.subject.holds.clone() else { return };
        if let Some(why) = holds.refused() {
            self.status = why;
        }
        if !self.edits.is_empty() {
            let all = holds.list();
            self.edits.retain(|id, _| all.iter().any(|held| held.id == *id));
        }
    }

    /// The selected field as a rule names it, and its value as a rule writes it.
    fn selected_value(&self) -> Option<(String, String)> {
        let detail = self.detail.as_ref()?;
        let message = detail.opened.with(self.store.options(), OwnedMessage::of);
        let path = detail.path(detail.place()?, &message)?;
        let root = match path.split_once('.') {
            Some(("packet", _)) => message.packet_json(),
            Some(("payload", _)) => message.opened().map_or_else(|| message.to_json(), |(_, values)| values),
            _ => message.to_json(),
        };
        let all = steps(&path).ok()?;
        let inner = path.starts_with("packet.") || path.starts_with("payload.") && message.opened().is_some();
        let value = all.iter().skip(usize::from(inner)).try_fold(root, |value, step| match step {
            PathStep::Name(name) => value.get(*name),
            PathStep::Index(at) => value.get(*at),
        });
        Some((path.clone(), value.map(written).filter(|text| text.len() <= LONGEST).unwrap_or_default()))
    }
}

/// A value as a rule writes it.
fn written(value: &Json) -> String {
    let Json::String(text) = value else { return value.to_string() };
    match text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c)) && !text.is_empty() {
        true => text.clone(),
        false if text.chars().any(char::is_control) => String::new(),
        false => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
    }
}
