//! What became of what each side sent: of one connection, or over all of them.

use super::Stats;
use super::delivery::{Connection, Direction};
use super::histogram::Delays;
use super::sides::{client, role};
use super::table::{Cell, Column, column};
use crate::flow::Side;

/// One side of a connection or, summed, of a protocol. Where a connection's figure is no sum, it is
/// added up by connection: what one lacks is not made good by another.
#[derive(Clone, Debug, Default)]
pub struct Sender {
    /// The conversation; 0 where it is a sum.
    pub flow: u64,
    /// The connection in it, from 1.
    pub connection: u32,
    /// The protocol.
    pub proto: &'static str,
    /// The side.
    pub from: &'static str,
    /// Numbers seen.
    pub messages: u64,
    /// Transmissions of them.
    pub sent: u64,
    /// Transmissions before an acknowledgement, after the first.
    pub resent: u64,
    /// Transmissions after an acknowledgement.
    pub duplicates: u64,
    /// Acknowledged messages.
    pub acked: u64,
    /// Messages that no acknowledgement names.
    pub never_acked: u64,
    /// Messages after their sender's last try.
    pub given_up: u64,
    /// How often a number came too early.
    pub gaps: u64,
    /// How many numbers these skipped.
    pub missing: u64,
    /// First transmissions with a number below the highest.
    pub late: u64,
    /// Numbers that never came.
    pub lost: u64,
    /// Messages that the receiver's application gets twice.
    pub handled_twice: u64,
    /// Messages that it never gets.
    pub never_handled: u64,
    /// First transmission to first acknowledgement.
    pub ack: Delays,
    /// The same, of messages sent once.
    pub rtt: Delays,
    /// Requests.
    pub requests: u64,
    /// Responses to them.
    pub responses: u64,
    /// Requests without a response.
    pub unanswered: u64,
    /// Responses without a request seen.
    pub unmatched: u64,
    /// Request to response.
    pub response: Delays,
    /// Links that this side offered.
    pub offered: u64,
    /// Of those: accepted.
    pub accepted: u64,
    /// Of those: refused.
    pub refused: u64,
    /// Links that this side ended.
    pub ended: u64,
    /// How long those lived.
    pub life: Delays,
}

/// The columns that identify a sum.
pub const SIDES: [Column<Sender>; 2] = [
    // The sum of connections past the cap is of no protocol.
    column("proto", |s| Cell::from(if s.proto.is_empty() { "further connections" } else { s.proto })),
    column("from", |s| s.from.into()),
];

impl Sender {
    fn add(&mut self, d: &Direction) {
        self.messages += d.messages;
        self.sent += d.sent;
        self.resent += d.resent;
        self.duplicates += d.duplicates;
        self.acked += d.acked;
        self.never_acked += d.never_acked();
        self.given_up += d.given_up();
        self.gaps += d.gaps;
        self.missing += d.missing;
        self.late += d.late;
        self.lost += d.lost();
        self.handled_twice += d.handled_twice;
        self.never_handled += d.never_handled;
        self.ack.merge(&d.ack_delay);
        self.rtt.merge(&d.round_trip);
        self.requests += d.requests;
        self.responses += d.answers;
        self.unanswered += d.unanswered();
        self.unmatched += d.unmatched;
        self.response.merge(&d.answer_time);
        self.offered += d.offered;
        self.accepted += d.accepted;
        self.refused += d.refused;
        self.ended += d.ended;
        self.life.merge(&d.life);
    }
}

/// The directions of all connections: the connection, the sender's role, the figures.
pub fn directions(stats: &Stats) -> impl Iterator<Item = (&Connection, &'static str, &Direction)> {
    stats.delivery.iter().flat_map(|connection| {
        let flow = stats.flow(connection.flow);
        let first = flow.map_or(Side::A, client);
        [first, first.other()].map(|side| {
            let role = flow.map_or(if side == Side::A { "first" } else { "second" }, |flow| role(flow, side));
            (connection, role, &connection.directions[side.index()])
        })
    })
}

/// By connection and side.
pub fn senders(stats: &Stats) -> Vec<Sender> {
    let one = |(connection, from, d): (&Connection, &'static str, &Direction)| {
        let proto = stats.flow(connection.flow).map_or("", |flow| flow.proto);
        let (flow, connection) = (connection.flow, connection.ordinal);
        let mut sender = Sender { flow, connection, proto, from, ..Sender::default() };
        sender.add(d);
        sender
    };
    directions(stats).map(one).collect()
}

/// By protocol and side, in order of their first connections.
pub fn summed(stats: &Stats) -> Vec<Sender> {
    let mut list: Vec<Sender> = Vec::new();
    for (connection, from, d) in directions(stats) {
        let proto = stats.flow(connection.flow).map_or("", |flow| flow.proto);
        let at = list.iter().position(|sum| (sum.proto, sum.from) == (proto, from)).unwrap_or_else(|| {
            list.push(Sender { proto, from, ..Sender::default() });
            list.len() - 1
        });
        list[at].add(d);
    }
    list
}
