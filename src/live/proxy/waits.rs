//! Messages that wait for the user, where they are read: which ones wait, and what the user's decision makes of them.

use super::collect::{Collector, InTransit};
use super::datagram_ports::PortField;
use super::holds::{Choice, HeldOutcome, Waited, Waits};
use super::writing::Change;
use crate::dissect::{Message, Options, Target};
use crate::filter::Names;
use crate::live::rules::{Assignment, Decision, edit};
use crate::message::OwnedMessage;

impl Collector<'_> {
    /// Lets a message wait for the user, if it has to.
    pub(super) fn hold(
        &self,
        message: &Message<'_>,
        transit: &mut InTransit,
        decoded: &OwnedMessage,
        decision: &Decision<'_>,
        named: Option<PortField>,
        passed: bool,
    ) {
        let Some(holds) = self.holds.as_ref().filter(|_| !passed && !decision.dropped) else { return };
        let Some(id) = holds.wants(message) else { return };
        let edits = decision.edits.iter().map(|edit| (*edit).clone()).collect();
        let bytes = message.place.bytes.to_vec();
        transit.held = Some(Box::new(Waits { id, decoded: decoded.clone(), edits, named, bytes }));
        transit.waited =
            Some(Waited { id, target: Target { frame: message.place.frame, index: message.dissection.index } });
    }

    /// Applies the user's decision to a message that waits. If its changes cannot be made, it goes on waiting.
    pub(super) fn decide(&mut self, transit: &mut InTransit, choice: &Choice, outcome: HeldOutcome, options: &Options) {
        let (Some(waits), Some(holds)) = (transit.held.take(), self.holds.clone()) else { return };
        let direction = transit.direction.index();
        match choice {
            Choice::Drop => {
                (transit.kept, transit.change) = (false, Change::Dropped);
                self.messages[direction].dropped += 1;
            }
            Choice::Pass(edits) if !edits.is_empty() => {
                let edits: Vec<&Assignment> = waits.edits.iter().chain(edits).collect();
                let before = transit.changes();
                // The messages of a packet are written together, once all of them are decided.
                let made = if transit.unit.is_none() && transit.decoded.is_some() {
                    edit(&edits, &waits.decoded, &Names::new(options))
                        .map(|(puts, changed)| transit.change = Change::Edited(puts, Box::new(changed)))
                } else {
                    self.changed(&waits.decoded, &edits, waits.named, transit.flow, options, &waits.bytes)
                        .map(|(_, bytes)| transit.bytes = Some(bytes))
                };
                if let Err(why) = made {
                    holds.failed(waits.id, why);
                    transit.held = Some(waits);
                    return;
                }
                self.messages[direction].edited += u64::from(!before);
            }
            Choice::Pass(_) => {}
        }
        holds.done(waits.id, outcome);
    }
}
