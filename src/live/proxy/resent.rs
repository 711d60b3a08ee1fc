//! What a side had to say again.

use crate::dissect::Event;
use crate::flow::Seen;

/// How many of a message's events are a further copy of what was said before.
pub fn of(events: &[Event]) -> u64 {
    events.iter().filter(|event| matches!(event, Event::Sent { seen: Seen::Copy { .. }, .. })).count() as u64
}
