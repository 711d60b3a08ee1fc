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
    /// Messages without an acknowledgement; `None` if the protocol acknowledges none, and in a selection, which may leave
    /// the acknowledgements out.
    pub never_acked: Option<u64>,
    /// Numbers that never arrived; `None` in a selection.
    pub lost: Option<u64>,
    /// Requests without a response; `None` in a selection.
    pub unanswered: Option<u64>,
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
        let proto = connection.proto(flow);
        let whole = || flow.map_or([0; 2], |flow| flow.messages_of(connection.own_proto));
        let all = connection.until.unwrap_or_else(whole)[side].saturating_sub(connection.before[side]);
        Sender {
            flow: connection.flow,
            connection: connection.ordinal,
            proto,
            from,
            tally: d.tally.clone(),
            never_acked: d.never_acked().filter(|_| !stats.selected),
            lost: (!stats.selected).then(|| d.lost()),
            unanswered: (!stats.selected).then(|| d.unanswered()),
            counts: connection.path.counts(side),
            all,
            path: Estimate::default(),
        }
    }

    /// Whether a sum includes this side of a connection.
    fn has(&self, own: &Sender) -> bool {
        (self.proto, self.from) == (own.proto, own.from)
    }

    /// Adds the figures of another connection, without its path.
    fn add(&mut self, other: &Sender) {
        self.counts.add(&other.counts);
        self.all += other.all;
        self.tally.add(&other.tally);
        let sum = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).reduce(|a, b| a + b);
        self.never_acked = sum(self.never_acked, other.never_acked);
        self.lost = sum(self.lost, other.lost);
        self.unanswered = sum(self.unanswered, other.unanswered);
    }

    /// The path to `other`.
    fn path_to(&self, other: &Sender) -> Estimate {
        fn of(sender: &Sender) -> Numbered<'_> {
            Numbered { counts: &sender.counts, trips: &sender.tally.rtt, messages: sender.all }
        }
        estimate(of(self), of(other))
    }
}

/// The losses of one direction in several connections. Their counts are not one sample, since connections differ: an
/// estimate from the sum of the counts may be above that of each connection.
#[derive(Default)]
struct Losses {
    /// The estimates of connections, with their weights.
    known: Vec<(f64, [f64; 3])>,
    /// The senders and receivers of the connections that are too short for an estimate, which are taken as one.
    rest: [Sender; 2],
}

impl Losses {
    fn add(&mut self, own: &Sender, other: &Sender) {
        match own.path.loss {
            Some(loss) => self.known.push((weight(own, other), loss)),
            None => self.rest.iter_mut().zip([own, other]).for_each(|(sum, sender)| sum.add(sender)),
        }
    }

    /// The loss of all: the weighted mean, with the interval of a mean of independent estimates.
    fn mean(mut self) -> Option<[f64; 3]> {
        let [own, other] = &self.rest;
        self.known.extend(own.path_to(other).loss.map(|loss| (weight(own, other), loss)));
        let all: f64 = self.known.iter().map(|(weight, _)| weight).sum();
        let parts = || self.known.iter().map(|(weight, loss)| (weight / all, loss));
        let mean: f64 = parts().map(|(part, loss)| part * loss[0]).sum();
        let distance = |k: usize| parts().map(|(part, loss)| part * (loss[k] - loss[0])).fold(0.0, f64::hypot);
        (all > 0.0).then(|| [mean, (mean - distance(1)).max(0.0), (mean + distance(2)).min(1.0)])
    }
}

/// The weight of a connection's loss: a side sends its own numbered messages and pings, and answers those of the other.
fn weight(own: &Sender, other: &Sender) -> f64 {
    let sent = |counts: &Counts| counts.transmissions() + counts.pings + counts.listed[0] + counts.listed[1];
    (sent(&own.counts) + sent(&other.counts)) as f64
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

/// The figures by connection and side. The two sides of a connection are adjacent.
pub fn senders(stats: &Stats) -> Vec<Sender> {
    let mut list: Vec<Sender> =
        directions(stats).map(|(connection, from, d)| Sender::of(stats, connection, from, d)).collect();
    for both in list.chunks_mut(2) {
        if let [a, b] = both {
            (a.path, b.path) = (a.path_to(b), b.path_to(a));
        }
    }
    list
}

/// The figures by protocol and side, in order of their first connections; without paths.
pub fn summed(stats: &Stats) -> Vec<Sender> {
    let mut list: Vec<Sender> = Vec::new();
    for (connection, from, d) in directions(stats) {
        let sender = Sender::of(stats, connection, from, d);
        match list.iter_mut().find(|sum| sum.has(&sender)) {
            Some(sum) => sum.add(&sender),
            None => list.push(Sender { flow: 0, connection: 0, ..sender }),
        }
    }
    list
}

/// The same with the losses of their paths.
pub fn summed_with_losses(stats: &Stats) -> Vec<Sender> {
    let (mut list, senders) = (summed(stats), senders(stats));
    for sum in &mut list {
        let mut losses = Losses::default();
        for both in senders.chunks(2) {
            let ways = both.iter().zip(both.iter().rev());
            ways.filter(|(own, _)| sum.has(own)).for_each(|(own, other)| losses.add(own, other));
        }
        sum.path.loss = losses.mean();
    }
    list
}
