//! Counts the messages that a side resent.

use crate::dissect::Event;
use crate::traffic::sequence::Seen;

/// Returns the number of events that resend an earlier message.
pub fn of(events: &[Event]) -> u64 {
    events.iter().filter(|event| matches!(event, Event::Sent { seen: Seen::Copy { .. }, .. })).count() as u64
}
