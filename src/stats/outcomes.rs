//! The ends of connections in input that goes on for any time: each conversation is forgotten when it is closed.

use super::ends::{Ended, Row, rows_table};
use super::sides::{client, end_text};
use super::table::{Cell, Table};
use super::{Flow, Observed, Observer, Stats, Wanted};
use crate::capture::Time;
use crate::dissect::delivery::Event;
use crate::dissect::{Message, Options};
use crate::flow::Closing;
use std::collections::BTreeMap;

/// The cap on connections that are listed; further ones are only counted.
const LISTED: usize = 1000;
/// Up to this many connections each has a line of text; more of them are counted by kind.
const FEW: u64 = 16;

/// Follows connections until they end.
#[derive(Debug, Default)]
pub struct Outcomes {
    stats: Stats,
    observer: Observer,
    observed: Vec<Observed>,
    listed: Vec<Row>,
    /// The number of connections by their end, and the side that ended them.
    counts: BTreeMap<(&'static str, Option<&'static str>), u64>,
}

impl Outcomes {
    /// No connections yet. `options` are those with which the input is read.
    pub fn new(options: &Options) -> Outcomes {
        Outcomes { stats: Stats::new(options, Wanted::default()), ..Outcomes::default() }
    }

    /// Follows the connection of a message.
    pub fn message(&mut self, message: &Message<'_>) {
        self.observed.clear();
        self.observer.message(message, &mut self.observed);
        // Numbers, requests and pings say nothing about an end.
        let matters = |event: &Event| matches!(event, Event::Begin | Event::Step(_) | Event::Acked { .. });
        self.observed.retain(|item| !matches!(item, Observed::Event(event) if !matters(event)));
        self.stats.count(&self.observed);
    }

    /// Forgets a conversation that was closed at `now`.
    pub fn closed(&mut self, flow: u64, how: Closing, now: Time) {
        let Some((flow, ends)) = self.stats.retire(flow, how, now) else { return };
        let count = ends.len();
        for (k, ended) in (1..).zip(ends) {
            *self.counts.entry((ended.ending.outcome.name(), ended.by(&flow))).or_default() += 1;
            if self.listed.len() < LISTED {
                self.listed.push(Row::new(&self.stats, &flow, ended, k == count));
            }
        }
    }

    /// The ends of all conversations that were closed: a line each, or their numbers by kind if there are many.
    /// `input` is what ended before open connections did.
    pub fn lines(&self, input: &str) -> Vec<String> {
        let all: u64 = self.counts.values().sum();
        if all > FEW {
            let kind = |((name, by), count): (&(&str, Option<&str>), &u64)| {
                let by = by.map_or(String::new(), |by| format!(" by the {by}"));
                format!("{count} {}{by}", name.replace('_', " "))
            };
            return vec![format!("ends: {}", self.counts.iter().map(kind).collect::<Vec<_>>().join(", "))];
        }
        let line = |row: &Row| {
            let Cell::Text(address) = end_text(&row.flow, client(&row.flow)) else { return String::new() };
            format!("{address} ({}): {}", row.flow.proto, row.ended.sentence(&row.flow, input))
        };
        self.listed.iter().map(line).collect()
    }

    /// The connections as a table, with the columns of `stats`. At most 1000; [`Outcomes::counts`] has all.
    pub fn table(&self) -> Table {
        rows_table(&self.listed)
    }

    /// The number of connections by their end, and the side that ended them.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, Option<&'static str>, u64)> {
        self.counts.iter().map(|((end, by), count)| (*end, *by, *count))
    }
}

impl Stats {
    /// Removes a conversation that was closed at `now`. Returns it with the ends of its connections.
    fn retire(&mut self, id: u64, how: Closing, now: Time) -> Option<(Flow, Vec<Ended>)> {
        let place = self.places.remove(&id)?;
        self.latest = (u64::MAX, 0);
        let mut flow = self.flows.swap_remove(place);
        if let Some(moved) = self.flows.get(place) {
            self.places.insert(moved.id, place);
        }
        flow.closing = how;
        let last = Stats::end_of(&flow, now);
        let mut all = Vec::new();
        if last.ordinal > 1 {
            all.extend(self.past.extract_if(.., |(of, _)| *of == id).map(|(_, ended)| ended));
        }
        all.push(last);
        Some((flow, all))
    }
}
