//! The figures of many sessions, in total and second by second.

use super::client::{Client, Ended, LATE};
use super::counts::Count::{self, *};
use super::counts::Counts;
use super::tempo::Tempo;
use crate::flow::Transport;
use crate::live::NetError;
use crate::live::replay::actor::RoundTrip;
use crate::plural::Plural;
use crate::traffic::histogram::Delays;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

/// The number of different reasons that are counted separately.
const REASONS: usize = 16;
/// The number of kinds of messages whose times are counted separately. The others share one entry.
const KINDS: usize = 64;
/// If clients are woken this late (p99), they may have missed an answer.
const SILENCE: Duration = Duration::from_secs(1);
/// A loop that is busy for this share of the time has none left.
pub(super) const BUSY: f64 = 0.9;
/// If this side does not look for answers for this long, that is no stall of the server.
const AWAY: Duration = Duration::from_millis(10);

/// The counts and times of a period.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    /// The counts.
    pub counts: Counts,
    /// The times from a request to its response, or from a message to its acknowledgement.
    pub requests: Delays,
    /// The times from the beginning to the answered handshake.
    pub connects: Delays,
}

impl Counted {
    fn add(&mut self, other: &Counted) {
        self.counts.add(&other.counts);
        self.requests.merge(&other.requests);
        self.connects.merge(&other.connects);
    }

    fn json(&self, value: &mut Json) {
        for (count, name) in Count::all() {
            value[name] = self.counts[count].into();
        }
        value["requests"] = self.requests.count().into();
        for (name, time) in times(&self.requests) {
            value[name] = time.map_or(Json::Null, |nanos| millis(nanos).into());
        }
    }
}

/// The counts and times since the last report.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The time since the beginning.
    pub at: Duration,
    /// The number of sessions in progress.
    pub active: u64,
    /// The counts and times.
    pub counted: Counted,
}

impl Part {
    /// Returns one JSON object.
    pub fn json(&self) -> Json {
        let mut value = json!({"report": "interval", "seconds": seconds(self.at), "active": self.active});
        self.counted.json(&mut value);
        value
    }
}

/// Writes one line.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counted { counts, requests, .. } = &self.counted;
        write!(f, "{:>6.1} s  {} active", self.at.as_secs_f64(), self.active)?;
        write!(f, ", {} {}", counts[Connected], Connected.words())?;
        f.write_str(&counts.list(&[Refused, Silent, Dropped, Own, Unanswered, Resent]))?;
        let [(_, p50), _, (_, p99), _] = times(requests);
        match (p50, p99) {
            (Some(p50), Some(p99)) => {
                let count = Plural(requests.count(), "request");
                write!(f, ", {count} p50 {:.3} p99 {:.3} ms", millis(p50), millis(p99))
            }
            _ => Ok(()),
        }
    }
}

/// The counts and times of a whole run.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The number of clients that were wanted.
    pub clients: usize,
    /// The counts and times.
    pub all: Counted,
    /// Whether the user stopped it.
    pub stopped: bool,
    /// The duration of the run.
    pub took: Duration,
    /// The time in which the loop had nothing to do.
    pub(super) idle: Duration,
    /// The delays with which clients were woken.
    pub lateness: Delays,
    /// The reasons why sessions were refused or broke, and their number.
    pub reasons: BTreeMap<String, u64>,
    /// The times of `Counted::requests`, by the subject of the message.
    pub kinds: BTreeMap<String, Delays>,
    /// The largest number of answered sessions at the same time.
    pub most: u64,
    /// The sessions of the stages for which no client was free.
    pub not_begun: u64,
    /// The tempo of the server.
    pub(crate) tempo: Tempo,
    now: Counted,
    active: u64,
    playing: u64,
    begin: Instant,
}

impl Figures {
    pub(super) fn new(clients: usize, transport: Transport, begin: Instant) -> Figures {
        Figures {
            clients,
            all: Counted::default(),
            stopped: false,
            took: Duration::ZERO,
            idle: Duration::ZERO,
            lateness: Delays::default(),
            reasons: BTreeMap::new(),
            kinds: BTreeMap::new(),
            most: 0,
            not_begun: 0,
            tempo: Tempo::over(transport),
            now: Counted::default(),
            active: 0,
            playing: 0,
            begin,
        }
    }

    /// Counts a session that begins.
    pub(super) fn begun(&mut self) {
        self.now.counts[Started] += 1;
        self.all.counts[Started] += 1;
        self.active += 1;
    }

    /// Counts a session that did not even get a socket.
    pub(super) fn failed(&mut self, error: &NetError) {
        self.active -= 1;
        let count = match error {
            NetError::Refused => Refused,
            error if error.is_own() => Own,
            _ => Dropped,
        };
        self.now.counts[count] += 1;
        self.reason(error.to_string());
    }

    fn reason(&mut self, text: String) {
        // The details differ from session to session. The text before the first colon is the cause.
        let text = text.split(": ").next().unwrap_or_default().to_string();
        let known = self.reasons.len() < REASONS || self.reasons.contains_key(&text);
        *self.reasons.entry(if known { text } else { "something else".into() }).or_default() += 1;
    }

    /// Counts the delay with which a client was woken.
    pub(super) fn late(&mut self, late: Duration) {
        self.lateness.add(nanos(late));
    }

    /// Notes that the loop was occupied, or not woken, for this long until now.
    pub(super) fn away(&mut self, long: Duration, now: Instant) {
        if long >= AWAY {
            self.tempo.late(nanos(now.saturating_duration_since(self.begin)));
        }
    }

    /// Counts the progress of a client since the last call.
    pub(super) fn progressed(&mut self, client: &mut Client<'_, '_>) {
        let (connected, before) = (client.connected, client.resent);
        if let Some(took) = connected.filter(|_| !client.counted) {
            client.counted = true;
            self.now.counts[Connected] += 1;
            self.now.connects.add(nanos(took));
            self.playing += 1;
            self.most = self.most.max(self.playing);
        }
        let Some(counts) = client.player().map(|player| player.counts()) else { return };
        let resent = counts.resent;
        let trips = std::mem::take(&mut counts.round_trips);
        if !trips.is_empty() {
            let at = nanos(self.begin.elapsed());
            trips.into_iter().for_each(|trip| self.answered(trip, at));
        }
        self.now.counts[Resent] += resent - before.min(resent);
        client.resent = resent;
    }

    fn answered(&mut self, RoundTrip { subject, took, resent }: RoundTrip, at: i64) {
        let took = nanos(took);
        self.now.requests.add(took);
        let known = self.kinds.len() < KINDS || self.kinds.contains_key(&subject);
        let kind = self.kinds.entry(if known { subject } else { "others".into() }).or_default();
        kind.add(took);
        // A message that the network lost waits, too, and the server stalls for none of that.
        if !resent {
            self.tempo.answered(at, took, kind.min().unwrap_or(took));
        }
    }

    /// Counts a session that is over. `stopping`: it was asked to leave. Returns whether it was played whole.
    pub(super) fn ended(&mut self, ended: Ended, stopping: bool) -> bool {
        self.active -= 1;
        self.playing -= u64::from(ended.connected);
        let Ended { ending, connected, error, refused, own } = ended;
        let whole = ending.as_ref().is_some_and(|ending| ending.complete);
        let stopped = stopping && ending.as_ref().is_none_or(|ending| ending.stopped);
        let over = ending.as_ref().and_then(|ending| ending.over.clone());
        // Silence is not a refusal.
        let refused = refused || over.is_some() && ending.as_ref().is_some_and(|ending| ending.answered);
        if connected {
            self.now.counts[Unanswered] += ending.as_ref().map_or(0, |ending| ending.unanswered);
        }
        let trouble = error.or_else(|| ending.as_ref().and_then(|ending| ending.trouble.clone()));
        let count = match () {
            () if stopped => Left,
            () if whole && connected => Finished,
            () if own => Own,
            () if !connected && refused => Refused,
            () if !connected => Silent,
            () if trouble.is_some() || over.is_some() => Dropped,
            () => Incomplete,
        };
        self.now.counts[count] += 1;
        let well = stopped || whole && connected;
        if !well && let Some(why) = over.or(trouble).or_else(|| ending.and_then(|ending| ending.unsent)) {
            self.reason(why);
        }
        count == Finished
    }

    /// Returns the counts and times since the last call.
    pub(super) fn part(&mut self, now: Instant) -> Part {
        let counted = std::mem::take(&mut self.now);
        let started = self.all.counts[Started];
        self.all.add(&counted);
        self.all.counts[Started] = started;
        Part { at: now.saturating_duration_since(self.begin), active: self.active, counted }
    }

    /// Completes the figures.
    pub(super) fn finished(mut self, now: Instant) -> Figures {
        self.took = now.saturating_duration_since(self.begin);
        // Sessions that did not leave in time count as left.
        self.all.counts[Left] += self.active;
        self
    }

    /// Whether every session was played whole, except those that were asked to leave.
    pub fn complete(&self) -> bool {
        let counts = &self.all.counts;
        let none_failed = [Refused, Silent, Dropped, Own, Incomplete].iter().all(|count| counts[*count] == 0);
        none_failed && counts[Finished] + counts[Left] > 0 && counts[Connected] > 0
    }

    /// The share of the time in which this side had something to do.
    pub fn busy(&self) -> f64 {
        let whole = self.took.as_secs_f64();
        if whole > 0.0 { (1.0 - self.idle.as_secs_f64() / whole).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The side that limited the run, if something did not go well: the server, or this side, which was too busy to
    /// keep the time.
    pub fn limit(&self) -> Option<&'static str> {
        let counts = &self.all.counts;
        match () {
            // A shortage on this side is not the server's fault.
            () if counts[Own] > 0 => Some("client"),
            // Refusals are the server's own, however busy this side is.
            () if counts[Refused] > 0 => Some("server"),
            () if self.busy() >= BUSY => Some("client"),
            // A session that gets no answer for whole seconds does not fail because this side was a little late.
            () if counts[Silent] + counts[Dropped] > 0 && !self.is_late(SILENCE) => Some("server"),
            () if self.is_late(LATE) => Some("client"),
            () => None,
        }
    }

    /// Whether at least one of a hundred clients was woken this much too late.
    pub(super) fn is_late(&self, by: Duration) -> bool {
        self.lateness.percentile(99.0).unwrap_or(0) >= nanos(by)
    }

    /// Returns one JSON object.
    pub fn json(&self) -> Json {
        let mut value = json!({"report": "load", "clients": self.clients, "seconds": seconds(self.took),
            "complete": self.complete(), "stopped": self.stopped, "most_at_once": self.most});
        if self.not_begun > 0 {
            value["not_begun"] = self.not_begun.into();
        }
        self.all.json(&mut value);
        tempo(&self.tempo, &mut value);
        for (name, time) in times(&self.all.connects) {
            value[format!("connect_{name}")] = time.map_or(Json::Null, |nanos| millis(nanos).into());
        }
        value["late_p99"] = self.lateness.percentile(99.0).map_or(Json::Null, |nanos| millis(nanos).into());
        value["busy"] = ((self.busy() * 1e3).round() / 1e3).into();
        value["limit"] = self.limit().map_or(Json::Null, Json::from);
        value["reasons"] = json!(self.reasons);
        let kind = |(subject, delays): (&String, &Delays)| {
            let mut figures = json!({"requests": delays.count()});
            for (name, time) in times(delays) {
                figures[name] = time.map_or(Json::Null, |nanos| millis(nanos).into());
            }
            (subject.clone(), figures)
        };
        value["kinds"] = self.kinds.iter().map(kind).collect::<serde_json::Map<_, _>>().into();
        value
    }
}

/// Adds the tempo of the server.
fn tempo(tempo: &Tempo, value: &mut Json) {
    let stalls = tempo.stalls();
    let time = |nanos: Option<i64>| nanos.map_or(Json::Null, |nanos| millis(nanos).into());
    value["rate"] = tempo.rate().map_or(Json::Null, |rate| ((rate * 1e3).round() / 1e3).into());
    value["busiest_second"] = tempo.busiest_second().into();
    value["rate_limit"] = tempo.rate_limit().into();
    value["stalls"] = stalls.count.into();
    value["stall_p50"] = time(stalls.median);
    value["stall_max"] = time(stalls.longest);
    value["stall_every"] = time(stalls.every);
}

/// Returns percentiles in nanoseconds, by their names in the output.
pub(super) fn times(delays: &Delays) -> [(&'static str, Option<i64>); 4] {
    let percentile = |percent| if delays.count() > 0 { delays.percentile(percent) } else { None };
    [("p50", percentile(50.0)), ("p90", percentile(90.0)), ("p99", percentile(99.0)), ("max", delays.max())]
}

pub(super) fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

/// Converts to milliseconds with three decimals.
pub(super) fn millis(nanos: i64) -> f64 {
    (nanos as f64 / 1e3).round() / 1e3
}

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::replay::Ending;

    const MILLISECOND: i64 = 1_000_000;

    /// Intervals have the times that were measured in them. The report has the times of all intervals.
    #[test]
    fn times_of_all_intervals_are_in_the_report() {
        let begin = Instant::now();
        let mut figures = Figures::new(2, Transport::Udp, begin);
        for (interval, connect, request) in [(1, 10, 2), (2, 30, 4)] {
            figures.begun();
            figures.now.counts[Connected] += 1;
            figures.now.connects.add(connect * MILLISECOND);
            figures.now.requests.add(request * MILLISECOND);
            let part = figures.part(begin + Duration::from_secs(interval));
            assert_eq!((part.counted.counts[Connected], part.active), (1, interval));
            assert_eq!(part.counted.connects.max(), Some(connect * MILLISECOND));
            assert_eq!(part.counted.requests.max(), Some(request * MILLISECOND));
        }
        let report = figures.finished(begin + Duration::from_secs(2)).json();
        assert_eq!((&report["started"], &report["connected"]), (&json!(2), &json!(2)));
        assert_eq!((&report["connect_max"], &report["max"]), (&json!(30.0), &json!(4.0)));
        // Half of them took no longer than the shorter one, plus or minus a bucket.
        for (name, least, most) in [("connect_p50", 9.0, 11.0), ("p50", 1.8, 2.2)] {
            assert!((least..most).contains(&report[name].as_f64().unwrap()), "{name}: {report}");
        }
    }

    /// A message that was resent counts with its whole time, but the server did not stall for it.
    #[test]
    fn a_resent_message_is_slow_and_no_stall() {
        let mut figures = Figures::new(1, Transport::Udp, Instant::now());
        for (k, resent) in (0..200).map(|k| (k, k % 50 == 49)) {
            let took = Duration::from_millis(if resent { 300 } else { 1 });
            let subject = "reliable 1".into();
            figures.answered(RoundTrip { subject, took, resent }, (k + if resent { 30 } else { 0 }) * 10 * MILLISECOND);
        }
        assert_eq!(figures.tempo.stalls().count, 0);
        let requests = &figures.now.requests;
        assert_eq!((requests.all(), requests.max()), (200, Some(300 * MILLISECOND)));
    }

    /// The server may cause any number of kinds. The first ones are counted separately.
    #[test]
    fn kinds_of_messages_are_bounded() {
        let mut figures = Figures::new(1, Transport::Udp, Instant::now());
        for n in (0..1000).chain([0]) {
            let took = Duration::from_millis(1);
            figures.answered(RoundTrip { subject: format!("reliable {n}"), took, resent: false }, 0);
        }
        assert_eq!(figures.kinds.len(), KINDS + 1);
        assert_eq!(["reliable 0", "others"].map(|kind| figures.kinds[kind].count()), [2, 1000 - KINDS as u64]);
        let text = figures.to_string();
        assert!(text.contains("ms (936)  others\n") && text.contains("  49 more kinds of messages"), "{text}");
        assert_eq!(figures.json()["kinds"]["others"]["requests"], 936);
    }

    fn ending(complete: bool) -> Ending {
        let (over, trouble, unsent) = (None, None, None);
        Ending { complete, over, trouble, unsent, stopped: false, answered: true, unanswered: 0 }
    }

    /// Returns the count that a session with this end increases, and the reasons in the report.
    fn report(stopping: bool, ended: Ended) -> (&'static str, Vec<String>) {
        let mut figures = Figures::new(1, Transport::Udp, Instant::now());
        figures.begun();
        figures.playing += u64::from(ended.connected);
        figures.ended(ended, stopping);
        figures.part(Instant::now());
        let all = &figures.all;
        let places = Count::all().filter(|(count, _)| ![Started, Connected, Unanswered, Resent].contains(count));
        let met: Vec<&str> = places.filter(|(count, _)| all.counts[*count] == 1).map(|(_, name)| name).collect();
        assert_eq!((met.len(), figures.active, figures.playing), (1, 0, 0), "a session has one end");
        let place = met[0];
        (place, figures.reasons.into_keys().collect())
    }

    /// Only what happened is listed, in the words of each count.
    #[test]
    fn an_interval_is_a_line() {
        let mut part = Part { at: Duration::from_millis(2_500), active: 7, ..Part::default() };
        part.counted.counts[Connected] = 2;
        assert_eq!(part.to_string(), "   2.5 s  7 active, 2 connected");
        (part.counted.counts[Refused], part.counted.counts[Silent]) = (3, 4);
        part.counted.requests.add(2 * MILLISECOND);
        let text = part.to_string();
        let (counts, times) = text.split_once(", 1 request p50 ").unwrap_or_else(|| panic!("{text}"));
        assert_eq!(counts, "   2.5 s  7 active, 2 connected, 3 refused, 4 without an answer");
        assert!(times.contains(" p99 ") && times.ends_with(" ms"), "{text}");
    }

    #[test]
    fn each_end_has_its_place() {
        let some = |text: &str| Some(text.to_string());
        let session = |connected, ending| Ended { ending, connected, error: None, refused: false, own: false };
        let over = |answered| Ending { over: some("it is full"), answered, ..ending(false) };
        let trouble = Ending { trouble: some("reset: by 10.0.0.1"), ..ending(false) };
        let unsent = Ending { unsent: some("no field fits"), ..ending(false) };
        let refused = Ended { refused: true, error: some("refused"), ..session(false, None) };
        let own = Ended { own: true, error: some("Too many open files"), ..session(false, None) };
        let leaves = Ending { stopped: true, ..ending(false) };
        for (place, why, stopping, ended) in [
            ("finished", "", false, session(true, Some(ending(true)))),
            ("finished", "", true, session(true, Some(ending(true)))),
            ("left", "", true, session(true, Some(leaves.clone()))),
            ("left", "", true, session(false, None)),
            ("incomplete", "", false, session(true, Some(leaves))),
            ("incomplete", "no field fits", false, session(true, Some(unsent))),
            ("dropped", "it is full", false, session(true, Some(over(true)))),
            ("dropped", "reset", false, session(true, Some(trouble.clone()))),
            ("refused", "refused", false, refused),
            ("own", "Too many open files", false, own),
            ("refused", "it is full", false, session(false, Some(over(true)))),
            ("silent", "it is full", false, session(false, Some(over(false)))),
            ("silent", "reset", false, session(false, Some(trouble))),
            ("silent", "", false, session(false, Some(ending(true)))),
        ] {
            let (at, reasons) = report(stopping, ended);
            assert_eq!((at, reasons.concat().as_str()), (place, why));
        }
    }

    /// All counts of all intervals are in the report.
    #[test]
    fn counts_are_added_up() {
        let mut figures = Figures::new(9, Transport::Udp, Instant::now());
        for _ in 0..2 {
            for ((count, _), n) in Count::all().filter(|(count, _)| *count != Started).zip(1..) {
                figures.now.counts[count] += n;
            }
            figures.part(Instant::now());
        }
        let json = figures.finished(Instant::now()).json();
        for ((_, name), n) in Count::all().filter(|(count, _)| *count != Started).zip(1..) {
            assert_eq!(json[name], 2 * n, "{name}: {json}");
        }
    }

    /// The limit depends on how busy and how late this side was, and on the results of the sessions.
    #[test]
    fn the_limit_is_one_sides() {
        let figures = |idle: u64, late: &[u64], dropped: u64| {
            let mut figures = Figures::new(1, Transport::Udp, Instant::now());
            figures.took = Duration::from_secs(10);
            figures.idle = Duration::from_secs(idle);
            late.iter().for_each(|millis| figures.late(Duration::from_millis(*millis)));
            figures.all.counts[Dropped] = dropped;
            figures
        };
        assert_eq!([10, 6, 1, 0].map(|idle| figures(idle, &[], 0).busy()), [0.0, 0.4, 0.9, 1.0]);
        assert_eq!(figures(20, &[], 0).busy(), 0.0, "no less than nothing");
        assert_eq!(Figures::new(1, Transport::Udp, Instant::now()).busy(), 0.0, "before any time has passed");
        for (limit, idle, late, dropped) in [
            (None, 5, &[1][..], 0),
            (Some("client"), 1, &[1], 3),
            (Some("server"), 5, &[1], 3),
            (Some("server"), 5, &[200], 3),
            (Some("client"), 5, &[1500], 3),
            (Some("client"), 5, &[200], 0),
        ] {
            assert_eq!(figures(idle, late, dropped).limit(), limit, "{idle} {late:?} {dropped}");
        }
    }

    #[test]
    fn times_are_milliseconds_of_three_digits() {
        assert_eq!([0, 1_499, 1_500, 2_345_678, 61_000_000_000].map(millis), [0.0, 0.001, 0.002, 2.346, 61_000.0]);
        let mut delays = Delays::default();
        assert_eq!(times(&delays), [("p50", None), ("p90", None), ("p99", None), ("max", None)]);
        (1..=100).for_each(|n| delays.add(n * MILLISECOND));
        for ((name, time), (wanted, exact)) in
            times(&delays).into_iter().zip([("p50", 50.0), ("p90", 90.0), ("p99", 99.0), ("max", 100.0)])
        {
            let near = millis(time.unwrap()) / exact;
            assert!(name == wanted && (0.97..1.03).contains(&near), "{name}: {near}");
        }
    }
}
