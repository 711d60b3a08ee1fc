//! Delivery figures of each side: for one connection, or summed over all of them.

use super::Stats;
use super::delivery::{Connection, Direction, Tally};
use super::sides::{client, role};
use super::table::{Cell, Column, column};
use crate::flow::Side;
use crate::traffic::path::Counts;
use crate::traffic::path::estimate::{Estimate, Numbered, estimate};

/// One side of a connection or, summed, of a protocol. Figures that are differences are summed by connection, so that a
/// surplus in one connection does not hide a deficit in another.
#[derive(Clone, Debug, Default)]
pub struct Sender {
    /// The conversation; 0 for a sum.
    pub flow: u64,
    /// The number of the connection in the conversation, from 1.
    pub connection: u32,
    /// The protocol.
    pub proto: &'static str,
    /// The side.
    pub from: &'static str,
    /// Its figures.
    pub tally: Tally,
    /// Messages without an acknowledgement; `None` if the protocol acknowledges none.
    pub never_acked: Option<u64>,
    /// Numbers that never arrived.
    pub lost: u64,
    /// Requests without a response.
    pub unanswered: u64,
    /// The outcomes of its numbers.
    counts: Counts,
    /// All messages, numbered or not.
    all: u64,
    /// The path to the other side.
    pub path: Estimate,
}

/// The columns that identify a sum.
pub const SIDES: [Column<Sender>; 2] = [
    // The sum of connections above the cap has no protocol.
    column("proto", |s| Cell::from(if s.proto.is_empty() { "further connections" } else { s.proto })),
    column("from", |s| s.from.into()),
];

impl Sender {
    /// One side of one connection.
    fn of(stats: &Stats, connection: &Connection, from: &'static str, d: &Direction) -> Sender {
        let flow = stats.flow(connection.flow);
        let side = if std::ptr::eq(d, &connection.directions[0]) { 0 } else { 1 };
        let (proto, all) =
            (connection.proto(flow), flow.map_or(0, |flow| flow.messages_of(connection.own_proto)[side]));
        let mut sender =
            Sender { flow: connection.flow, connection: connection.ordinal, proto, from, ..Sender::default() };
        sender.add(d, &connection.path.counts(side), all);
        sender
    }

    fn add(&mut self, d: &Direction, counts: &Counts, all: u64) {
        self.counts.add(counts);
        self.all += all;
        self.tally.add(&d.tally);
        self.never_acked = self.never_acked.into_iter().chain(d.never_acked()).reduce(|a, b| a + b);
        self.lost += d.lost();
        self.unanswered += d.unanswered();
    }
}

/// Estimates the path of each of two sides.
fn estimate_both(both: &mut [Sender]) {
    let [a, b] = both else { return };
    fn of(sender: &Sender) -> Numbered<'_> {
        Numbered { counts: &sender.counts, trips: &sender.tally.rtt, messages: sender.all }
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

/// The figures by connection and side.
pub fn senders(stats: &Stats) -> Vec<Sender> {
    let mut list: Vec<Sender> =
        directions(stats).map(|(connection, from, d)| Sender::of(stats, connection, from, d)).collect();
    // The two sides of a connection are adjacent.
    list.chunks_mut(2).for_each(estimate_both);
    list
}

/// The figures by protocol and side, in order of their first connections.
pub fn summed(stats: &Stats) -> Vec<Sender> {
    let mut list: Vec<Sender> = Vec::new();
    for (connection, from, d) in directions(stats) {
        let sender = Sender::of(stats, connection, from, d);
        match list.iter_mut().find(|sum| (sum.proto, sum.from) == (sender.proto, sender.from)) {
            Some(sum) => sum.add(d, &sender.counts, sender.all),
            None => list.push(Sender { flow: 0, connection: 0, ..sender }),
        }
    }
    list.chunks_mut(2).for_each(estimate_both);
    list
}
