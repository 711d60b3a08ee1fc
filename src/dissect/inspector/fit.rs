//! Ranks the protocols by how well they explain some bytes, if nothing else identifies the
//! protocol.

use crate::codec::layout::UNKNOWN;
use crate::codec::{Level, Notes};
use crate::dissect::{Dissector, Message, Options, Sink};
use crate::plural::Plural;
use std::fmt::Arguments;

/// Receives notes for the user; some are only for users who want details (`true`).
pub(crate) type Reporter<'a> = dyn Fn(bool, Arguments<'_>) + 'a;

/// Ranks all protocols, the one with the fewest unexplained bytes first. `read` dissects the `length` bytes as one of
/// them.
pub(crate) fn ranked(
    length: usize,
    options: &Options,
    mut read: impl FnMut(&'static dyn Dissector, &mut Score),
) -> Vec<(Score, &'static dyn Dissector)> {
    let mut ranked: Vec<(Score, &'static dyn Dissector)> = options
        .registry
        .iter()
        .map(|dissector| {
            let mut score = Score { length, ..Score::default() };
            read(dissector, &mut score);
            (score, dissector)
        })
        .collect();
    ranked.sort_by_key(|(score, _)| score.key());
    ranked
}

/// Returns the best of the ranked protocols, and reports it. `clean`: it must have no faults and warnings,
/// since dumps, like captures, contain packets of other protocols.
///
/// # Errors
/// Fails if the evidence is not sufficient. The error names the next candidates.
pub(crate) fn chosen(
    ranked: &[(Score, &'static dyn Dissector)],
    clean: bool,
    report: &Reporter<'_>,
) -> Result<&'static dyn Dissector, String> {
    let named =
        |(score, dissector): &(Score, &'static dyn Dissector)| format!("{} ({})", dissector.name(), score.words());
    let Some((first, rest)) = ranked.split_first() else { return Err("there is no protocol".into()) };
    let (score, dissector) = first;
    if !score.holds() || clean && !score.clean() {
        let why = if score.holds() { "every message has a fault or a warning" } else { "explains less than half" };
        let next: Vec<String> = rest.iter().take(2).map(named).collect();
        return Err(format!(
            "no protocol is recognised: {} fits best, but {why}; others: {}; -p names one",
            named(first),
            next.join(", ")
        ));
    }
    report(false, format_args!("read as {}; -p names another", named(first)));
    rest.iter().for_each(|other| report(true, format_args!("not as {}", named(other))));
    Ok(*dissector)
}

/// A measure of how well a protocol explains some bytes.
#[derive(Debug, Default)]
pub(crate) struct Score {
    length: usize,
    messages: usize,
    faults: usize,
    warnings: usize,
    covered: usize,
    opaque: usize,
}

impl Score {
    /// Returns the sort key: better fits first.
    fn key(&self) -> (usize, usize, usize, usize) {
        (self.faults + (self.messages == 0) as usize, self.warnings, self.opaque, self.messages)
    }

    /// Returns the number of bytes that are explained.
    fn explained(&self) -> usize {
        self.covered.min(self.length).saturating_sub(self.opaque)
    }

    /// Whether it is more than a guess: at least half of the bytes are explained.
    pub(crate) fn holds(&self) -> bool {
        self.messages > 0 && self.explained() * 2 >= self.length
    }

    /// Whether it has no faults and warnings.
    pub(crate) fn clean(&self) -> bool {
        self.messages > 0 && self.faults + self.warnings == 0
    }

    /// Returns it as text.
    pub(crate) fn words(&self) -> String {
        let Score { length, messages, faults, warnings, .. } = self;
        let mut text = match messages {
            0 => return "no message".into(),
            n => format!("{}, {} of {} explained", Plural(*n, "message"), self.explained(), Plural(*length, "byte")),
        };
        for (n, what) in [(faults, "fault"), (warnings, "warning")] {
            if *n > 0 {
                text += &format!(", {}", Plural(*n, what));
            }
        }
        text
    }
}

impl Sink for Score {
    fn message(&mut self, message: &Message<'_>) {
        let worse = |notes: &Notes| notes.worst().is_some_and(|l| l >= Level::Warning);
        self.messages += 1;
        self.covered += message.place.bytes.len();
        self.faults += message.dissection.fault.is_some() as usize;
        self.warnings += (worse(&message.dissection.notes) || message.dissection.message == UNKNOWN) as usize;
        // Opaque application bytes explain nothing: any protocol can carry them.
        let tree = &message.dissection.tree;
        let opaque = |name: &str| ["payload", "data", "unparsed", "trailing", "body"].contains(&name);
        self.opaque += tree
            .children(None)
            .map(|i| &tree.nodes()[i])
            .filter(|n| opaque(n.field.name))
            .map(|n| n.bits as usize / 8)
            .sum::<usize>();
    }
}
