//! What became of what each side sent, over all connections.

use super::Stats;
use super::connections::directions;
use super::delivery::Direction;
use super::histogram::Delays;

/// The sums of one side of a protocol. Where a connection's figure is no sum, it is added up by
/// connection: what one lacks is not made good by another.
#[derive(Clone, Debug, Default)]
pub struct Summed {
    /// Numbers seen.
    pub messages: u64,
    /// All copies of them.
    pub copies: u64,
    /// Copies before an acknowledgement.
    pub resent: u64,
    /// Copies after one.
    pub duplicates: u64,
    /// Acknowledged messages.
    pub acked: u64,
    /// Those that no acknowledgement names.
    pub never_acked: u64,
    /// Messages after their sender's last try.
    pub given_up: u64,
    /// How often a number came too early.
    pub gaps: u64,
    /// First copies with a number below the highest.
    pub late: u64,
    /// Numbers that never came.
    pub lost: u64,
    /// What the receiver's application gets twice.
    pub handled_twice: u64,
    /// What it never gets.
    pub never_handled: u64,
    /// First copy to first acknowledgement.
    pub ack_delay: Delays,
    /// The same, of messages sent once.
    pub round_trip: Delays,
    /// Request to answer.
    pub answer_time: Delays,
}

impl Summed {
    fn add(&mut self, d: &Direction) {
        self.messages += d.messages;
        self.copies += d.copies;
        self.resent += d.resent;
        self.duplicates += d.duplicates;
        self.acked += d.acked;
        self.never_acked += d.never_acked();
        self.given_up += d.given_up();
        self.gaps += d.gaps;
        self.late += d.late;
        self.lost += d.lost();
        self.handled_twice += d.handled_twice;
        self.never_handled += d.never_handled;
        self.ack_delay.merge(&d.ack_delay);
        self.round_trip.merge(&d.round_trip);
        self.answer_time.merge(&d.answer_time);
    }
}

/// By protocol and side, in order of their first connections.
pub fn summed(stats: &Stats) -> Vec<(&'static str, &'static str, Summed)> {
    let mut list: Vec<(&'static str, &'static str, Summed)> = Vec::new();
    for (connection, role, d) in directions(stats) {
        let proto = stats.flow(connection.flow).map_or("", |flow| flow.proto);
        let at = list.iter().position(|(p, r, _)| (*p, *r) == (proto, role)).unwrap_or_else(|| {
            list.push((proto, role, Summed::default()));
            list.len() - 1
        });
        list[at].2.add(d);
    }
    list
}
