//! What became of what each side sent: of one connection, or over all of them.

use super::Stats;
use super::delivery::{Connection, Direction};
use super::histogram::Delays;
use super::sides::{client, role};
use super::table::{Cell, Column, column};
use crate::flow::Side;
use crate::traffic::path::Counts;
use crate::traffic::path::estimate::{Estimate, Numbered, estimate};

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
    /// Messages that no acknowledgement names; `None`: the protocol acknowledges none.
    pub never_acked: Option<u64>,
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
    /// Pings and heartbeats.
    pub pings: u64,
    /// Answers to them.
    pub pongs: u64,
    /// Answers without a ping seen.
    pub stray_pongs: u64,
    /// Ping to answer.
    pub ping: Delays,
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
    /// What became of its numbers.
    counts: Counts,
    /// Messages, numbered or not.
    all: u64,
    /// The path to the other side.
    pub path: Estimate,
}

/// The columns that identify a sum.
pub const SIDES: [Column<Sender>; 2] = [
    // The sum of connections past the cap is of no protocol.
    column("proto", |s| Cell::from(if s.proto.is_empty() { "further connections" } else { s.proto })),
    column("from", |s| s.from.into()),
];

impl Sender {
    /// One side of one connection.
    fn of(stats: &Stats, (connection, from, d): (&Connection, &'static str, &Direction)) -> Sender {
        let flow = stats.flow(connection.flow);
        let side = if std::ptr::eq(d, &connection.directions[0]) { 0 } else { 1 };
        let (proto, all) = flow.map_or(("", 0), |flow| (flow.proto, flow.messages[side]));
        let mut sender =
            Sender { flow: connection.flow, connection: connection.ordinal, proto, from, ..Sender::default() };
        sender.add(d, &connection.path.counts(side), all);
        sender
    }

    fn add(&mut self, d: &Direction, counts: &Counts, all: u64) {
        self.counts.add(counts);
        self.all += all;
        self.messages += d.messages;
        self.sent += d.sent;
        self.resent += d.resent;
        self.duplicates += d.duplicates;
        self.acked += d.acked;
        self.never_acked = self.never_acked.into_iter().chain(d.never_acked()).reduce(|a, b| a + b);
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
        self.pings += d.pings;
        self.pongs += d.pongs;
        self.stray_pongs += d.stray_pongs;
        self.ping.merge(&d.ping_time);
        self.offered += d.offered;
        self.accepted += d.accepted;
        self.refused += d.refused;
        self.ended += d.ended;
        self.life.merge(&d.life);
    }
}

/// Estimates the path of each of two sides.
fn estimate_both(both: &mut [Sender]) {
    let [a, b] = both else { return };
    fn of(sender: &Sender) -> Numbered<'_> {
        Numbered { counts: &sender.counts, trips: &sender.rtt, messages: sender.all }
    }
    (a.path, b.path) = (estimate(of(a), of(b)), estimate(of(b), of(a)));
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
    let mut list: Vec<Sender> = directions(stats).map(|one| Sender::of(stats, one)).collect();
    // Both sides of a connection are next to one another.
    list.chunks_mut(2).for_each(estimate_both);
    list
}

/// By protocol and side, in order of their first connections.
pub fn summed(stats: &Stats) -> Vec<Sender> {
    let mut list: Vec<Sender> = Vec::new();
    for one in directions(stats) {
        let sender = Sender::of(stats, one);
        match list.iter_mut().find(|sum| (sum.proto, sum.from) == (sender.proto, sender.from)) {
            Some(sum) => sum.add(one.2, &sender.counts, sender.all),
            None => list.push(Sender { flow: 0, connection: 0, ..sender }),
        }
    }
    list.chunks_mut(2).for_each(estimate_both);
    list
}
