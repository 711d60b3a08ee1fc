//! The life of a connection: who asked for it, whether it was accepted, how it ended, and by whom.
//!
//! Sessions report [`Step`]s; times and the end of the transport come from the flow table. The conclusion is one
//! [`Ending`]. It relies on the behaviour of the protocols' libraries: a side that receives no heartbeat within its
//! timeout drops the connection, often without sending anything. If the capture ends before the timeout, the connection
//! is open.

use crate::flow::{Closing, End, Side};

/// The share of a timeout by which it may act late: libraries check timeouts on a timer.
const LATE: i64 = 4;
/// The time, in nanoseconds, after which a request is unanswered: a capture that ends sooner proves nothing.
const ANSWERED_IN: i64 = 1_000_000_000;
/// A stream that ends within this many timeouts of the last heartbeat ended because of the silence.
const SOON: i64 = 2;

/// A message's effect on its connection. Reasons are the protocol's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The sender asks for a connection.
    Asked,
    /// The sender accepts it.
    Accepted,
    /// The sender leaves the decision to its application, which has not decided.
    Undecided,
    /// The sender refuses the connection.
    Refused(&'static str),
    /// The sender leaves. It may do so because of a timeout.
    Left(&'static str),
    /// The sender leaves, for a reason that it states.
    LeftFor(&'static str),
    /// The sender ends the other side's session.
    Kicked(&'static str),
    /// The sender leaves because it has received no heartbeat from the other side for this many nanoseconds.
    TimedOut(i64),
    /// The sender leaves because a message of its own was not acknowledged for this many nanoseconds.
    Unacknowledged(i64),
    /// The sender reports that the connection is too poor.
    Poor,
    /// The message keeps the sender's session alive at the other side for this many nanoseconds.
    Alive(i64),
    /// The message is the last try: without an acknowledgement the sender drops the connection.
    LastTry {
        /// The message's number, without wrap.
        number: i64,
        /// The longest time, in nanoseconds, until the sender drops it.
        patience: i64,
    },
}

/// The outcome of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A side left.
    Left,
    /// A side ended the other's session.
    Kicked,
    /// The connection was not accepted.
    Refused,
    /// A side received nothing within its timeout.
    TimedOut,
    /// A side dropped the connection because messages did not arrive.
    PoorConnection,
    /// The request was never answered.
    Unanswered,
    /// The capture has no decision of the other side.
    Pending,
    /// The stream was reset.
    Reset,
    /// The capture ended before the connection.
    Open,
}

crate::named!(Outcome:
    Left = "left", Kicked = "kicked", Refused = "refused", TimedOut = "timed_out",
    PoorConnection = "poor_connection", Unanswered = "unanswered", Pending = "pending", Reset = "reset",
    Open = "open",
);

/// The thing that a side did not receive before a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// Any message of the other side.
    Message,
    /// A heartbeat. Other messages arrived, which do not count.
    Heartbeat,
    /// The acknowledgement of a message.
    Acknowledgement,
}

/// The end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The outcome.
    pub outcome: Outcome,
    /// The side that ended it.
    pub by: Option<Side>,
    /// The protocol's word for the reason.
    pub reason: Option<&'static str>,
    /// For [`Outcome::TimedOut`]: what did not arrive, and the nanoseconds without it.
    pub silence: Option<(Awaited, i64)>,
}

impl Ending {
    const fn new(outcome: Outcome, by: Option<Side>) -> Ending {
        Ending { outcome, by, reason: None, silence: None }
    }

    const fn timed_out(by: Side, awaited: Awaited, nanos: i64) -> Ending {
        Ending { silence: Some((awaited, nanos)), ..Ending::new(Outcome::TimedOut, Some(by)) }
    }
}

/// The state of a connection so far. Times are nanoseconds since the epoch; arrays are indexed by [`Side`].
#[derive(Clone, Debug, Default)]
pub struct Life {
    /// The side that asked first, and the time.
    asked: Option<(Side, i64)>,
    /// The time of the last request for the connection.
    last_request: i64,
    /// The number of requests for the connection.
    pub requests: u32,
    accepted: bool,
    undecided: Option<Side>,
    /// The end caused by the first step that ends the connection, and its time.
    farewell: Option<(Ending, i64)>,
    /// Whether that step may answer one of the other side.
    pub may_answer: bool,
    /// The time of the last heartbeat or other [`Step::Alive`], and the timeout that it starts.
    alive: [Option<(i64, i64)>; 2],
    /// The sides that send heartbeats of their own accord.
    pings: [bool; 2],
    /// Whether it is over a stream, which loses no request.
    pub is_stream: bool,
    /// The last tries without an acknowledgement: the message's number, and the time by which the sender drops the
    /// connection.
    last_try: [Option<(i64, i64)>; 2],
}

/// The time of each side's last message, in nanoseconds since the epoch.
pub type LastSeen = [Option<i64>; 2];

impl Life {
    /// Whether any step shows that there is a connection.
    pub fn is_used(&self) -> bool {
        self.asked.is_some() || self.accepted || self.farewell.is_some() || self.undecided.is_some()
    }

    /// Whether a message has ended the connection.
    pub fn has_ended(&self) -> bool {
        self.farewell.is_some()
    }

    /// Records a step of a message that `side` sent at `now`. `last_seen` does not include that message.
    pub fn step(&mut self, step: Step, side: Side, now: i64, last_seen: LastSeen) {
        match step {
            Step::Asked => {
                self.asked.get_or_insert((side, now));
                self.last_request = now;
                self.requests = self.requests.saturating_add(1);
            }
            Step::Accepted => {
                self.accepted = true;
                self.undecided = None;
            }
            Step::Undecided => self.undecided = Some(side),
            Step::Alive(timeout) => self.alive[side.index()] = Some((now, timeout)),
            Step::LastTry { number, patience } => {
                self.last_try[side.index()] = Some((number, now.saturating_add(patience)));
            }
            Step::Left(reason) => match self.timed_out(side, now, last_seen) {
                Some(ending) => self.ends(ending, now),
                // It was asked, and its goodbye is the first thing that the capture has of it.
                None if self.says_no(side, last_seen) => {
                    match self.is_stream || now.saturating_sub(self.last_request) < ANSWERED_IN {
                        true => self.ends_for(Outcome::Refused, side, reason, now),
                        false => self.ends(Ending::new(Outcome::Unanswered, None), now),
                    }
                }
                None => {
                    self.may_answer |= self.farewell.is_none();
                    self.ends_for(Outcome::Left, side, reason, now);
                }
            },
            Step::Refused(reason) => self.ends_for(Outcome::Refused, side, reason, now),
            Step::LeftFor(reason) => self.ends_for(Outcome::Left, side, reason, now),
            Step::Kicked(reason) => self.ends_for(Outcome::Kicked, side, reason, now),
            Step::Poor => self.ends(Ending::new(Outcome::PoorConnection, Some(side)), now),
            Step::TimedOut(nanos) => {
                let others = last_seen[side.other().index()].is_some_and(|last| now.saturating_sub(last) < nanos);
                let awaited = if others { Awaited::Heartbeat } else { Awaited::Message };
                self.ends(Ending::timed_out(side, awaited, nanos), now);
            }
            Step::Unacknowledged(nanos) => self.ends(Ending::timed_out(side, Awaited::Acknowledgement, nanos), now),
        }
    }

    /// Records a heartbeat that `side` sends of its own accord.
    pub fn pings(&mut self, side: Side) {
        self.pings[side.index()] = true;
    }

    /// Whether the other side has waited for `side`. One that sends heartbeats of its own accord would have sent them until
    /// its timeout.
    fn is_awaited(&self, side: Side, last_seen: LastSeen) -> bool {
        let by = side.other().index();
        let (Some((at, timeout)), Some(last)) = (self.alive[side.index()], last_seen[by]) else { return true };
        !self.pings[by] || last.saturating_sub(at) >= timeout / 2
    }

    /// Records that the other side has acknowledged a message of `side`.
    pub fn acknowledged(&mut self, side: Side, number: i64) {
        let last = &mut self.last_try[side.index()];
        if last.is_some_and(|(tried, _)| tried == number) {
            *last = None;
        }
    }

    /// Records that the capture has missed bytes of `side` that the other side had at `until`: they may contain
    /// heartbeats, so that silence up to then proves nothing. `last`: they come after its last message in the capture,
    /// so that the other side's goodbye may answer one in them.
    pub fn missed(&mut self, side: Side, until: i64, last: bool) {
        self.alive[side.index()].take_if(|(at, _)| *at < until);
        if let Some((ending, at)) = &mut self.farewell
            && (last && self.may_answer && until <= *at && ending.by == Some(side.other()))
        {
            ending.by = None;
        }
    }

    /// Records the end of the connection; only the first one counts.
    fn ends(&mut self, ending: Ending, now: i64) {
        self.farewell.get_or_insert((ending, now));
    }

    fn ends_for(&mut self, outcome: Outcome, by: Side, reason: &'static str, now: i64) {
        self.ends(Ending { reason: Some(reason), ..Ending::new(outcome, Some(by)) }, now);
    }

    /// Whether `side` was asked for the connection, and the capture has nothing else of it: neither an answer, nor anything
    /// that follows one.
    fn says_no(&self, side: Side, last_seen: LastSeen) -> bool {
        !self.accepted && last_seen[side.index()].is_none() && self.asked.is_some_and(|(by, _)| by != side)
    }

    /// The timeout that is the cause, if `by` leaves at `now`. A side that comes back after its timeout has no connection
    /// to leave; a side that leaves at the other's timeout leaves because of the timeout.
    fn timed_out(&self, by: Side, now: i64, last_seen: LastSeen) -> Option<Ending> {
        let other = by.other();
        if self.dropped(by, now, last_seen) {
            return self.timeout_by(other, last_seen);
        }
        if self.just_expired(other, now) { self.timeout_by(by, last_seen) } else { None }
    }

    /// The end by the timeout of `by`, which has received no heartbeat of the other side, or nothing at all.
    fn timeout_by(&self, by: Side, last_seen: LastSeen) -> Option<Ending> {
        let silent = by.other().index();
        let (at, timeout) = self.alive[silent]?;
        let other_messages = last_seen[silent].is_some_and(|last| last > at);
        let awaited = if other_messages { Awaited::Heartbeat } else { Awaited::Message };
        Some(Ending::timed_out(by, awaited, timeout))
    }

    /// Whether the other side has dropped `side` at `now`: `side` was silent for its timeout and the delay of a timer,
    /// and the other side sent nothing after that. If the capture has none of its messages, nothing is known.
    fn dropped(&self, side: Side, now: i64, last_seen: LastSeen) -> bool {
        let (Some((at, timeout)), Some(last)) = (self.alive[side.index()], last_seen[side.other().index()]) else {
            return false;
        };
        let acts = timeout.saturating_add(timeout / LATE);
        now.saturating_sub(at) > acts && last.saturating_sub(at) <= acts
    }

    /// Whether `side` was silent at `now` for about its timeout.
    fn just_expired(&self, side: Side, now: i64) -> bool {
        self.alive[side.index()]
            .is_some_and(|(at, timeout)| (timeout..timeout.saturating_mul(SOON)).contains(&now.saturating_sub(at)))
    }

    /// The end of the connection, if the capture ends or the next connection begins at `now`.
    pub fn ending(&self, closing: Closing, last_seen: LastSeen, now: i64) -> Ending {
        let first = closing.first.filter(|(side, _)| matches!(closing.by[side.index()], Some(End::Fin | End::Rst)));
        // The capture has none of the other side's packets. A stream needs both sides.
        let is_half = closing.only_sender().is_some();
        let is_stream = closing.by.iter().any(Option::is_some);
        if let Some((ending, at)) = self.farewell {
            if self.may_answer && is_half {
                return Ending { by: None, ..ending };
            }
            // A side may answer the end of the other one's stream with a goodbye.
            let answers = first.is_some_and(|(side, closed)| Some(side) != ending.by && closed < at);
            if ending.outcome != Outcome::Left || !answers {
                return ending;
            }
        }
        let reset = first.filter(|(side, _)| closing.by[side.index()] == Some(End::Rst) && !is_half);
        if let Some(by) = self.gave_up(last_seen) {
            return Ending::new(Outcome::PoorConnection, Some(by));
        }
        let expired = first.filter(|(side, at)| self.just_expired(side.other(), *at));
        if let Some(ending) = expired.and_then(|(side, _)| self.timeout_by(side, last_seen)) {
            return ending;
        }
        if let Some((side, _)) = reset {
            return Ending::new(Outcome::Reset, Some(side));
        }
        if !self.accepted {
            if self.undecided.is_some() && !is_half {
                // The end of the stream ends the wait: the side that was asked does not want the other, or that one left.
                return match first {
                    None => Ending::new(Outcome::Pending, None),
                    Some((by, _)) if self.undecided != Some(by) => Ending::new(Outcome::Left, Some(by)),
                    Some((by, _)) => Ending { reason: Some("closed"), ..Ending::new(Outcome::Refused, Some(by)) },
                };
            }
            // A side that goes on after its last request may have an answer that the capture lacks, unless the capture has
            // the end of the other side's stream.
            let closes = first.is_some_and(|(by, _)| self.asked.is_some_and(|(side, _)| by != side));
            if let Some((side, at)) = self.asked
                && last_seen[side.other().index()].is_none()
                && !(is_half && is_stream)
                && (closes || last_seen[side.index()].is_none_or(|last| last <= self.last_request))
            {
                return match first {
                    Some((by, _)) if by != side => {
                        Ending { reason: Some("closed"), ..Ending::new(Outcome::Refused, Some(by)) }
                    }
                    None if now.saturating_sub(at) < ANSWERED_IN => Ending::new(Outcome::Open, None),
                    _ => Ending::new(Outcome::Unanswered, None),
                };
            }
        }
        if let Some((side, _)) = first {
            // Otherwise the other side may have closed its stream before.
            let is_first = !is_half && !closing.losses[side.other().index()].end;
            return Ending::new(Outcome::Left, Some(side).filter(|_| is_first));
        }
        self.lost(last_seen, now).unwrap_or(Ending::new(Outcome::Open, None))
    }

    /// Whether a capture that goes on after `now` could show another outcome than this one of [`Life::ending`].
    pub fn may_change(&self, outcome: Outcome, last_seen: LastSeen, now: i64) -> bool {
        match outcome {
            Outcome::Open | Outcome::Pending => true,
            // An answer to the last request could follow.
            Outcome::Unanswered => self.asked.is_some_and(|(side, _)| {
                last_seen[side.index()].is_some_and(|at| now.saturating_sub(at) < ANSWERED_IN)
            }),
            // The sender could go on, or the acknowledgement follow.
            Outcome::PoorConnection if self.farewell.is_none() => {
                self.last_try.iter().flatten().any(|(_, drops)| now <= *drops)
            }
            _ => false,
        }
    }

    /// The side that dropped the connection after a message's last try: it sent nothing after that.
    fn gave_up(&self, last_seen: LastSeen) -> Option<Side> {
        let gave_up = |side: &Side| {
            let Some((_, drops)) = self.last_try[side.index()] else { return false };
            last_seen[side.index()].is_none_or(|last| last <= drops)
        };
        Side::BOTH.into_iter().find(gave_up)
    }

    /// The end by the timeout for the side that was dropped first.
    fn lost(&self, last_seen: LastSeen, now: i64) -> Option<Ending> {
        let dropped = Side::BOTH.into_iter().filter(|side| self.dropped(*side, now, last_seen));
        let order = |side: &Side| (!self.is_awaited(*side, last_seen), self.alive[side.index()].map(|(at, _)| at));
        let side = dropped.min_by_key(order)?;
        self.timeout_by(side.other(), last_seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::StreamLosses;
    use Side::{A, B};

    const SECOND: i64 = 1_000_000_000;
    const NO_LOSSES: [StreamLosses; 2] =
        [StreamLosses { resent: 0, filled: 0, missing: 0, missing_until: None, ignored: 0, end: false }; 2];
    const NONE: Closing = Closing { by: [None; 2], first: None, losses: NO_LOSSES, packets: [1; 2] };

    #[derive(Default)]
    struct Session(Life, LastSeen);

    impl Session {
        fn step(&mut self, step: Step, side: Side, now: i64) {
            self.0.step(step, side, now, self.1);
            self.message(side, now);
        }

        fn message(&mut self, side: Side, now: i64) {
            self.1[side.index()] = Some(now);
        }
    }

    fn life(steps: &[(i64, Side, Option<Step>)]) -> Session {
        let mut life = Session::default();
        for (seconds, side, step) in steps {
            step.iter().for_each(|step| life.step(*step, *side, seconds * SECOND));
            life.message(*side, seconds * SECOND);
        }
        life
    }

    fn end(life: &Session, closing: Closing, seconds: i64) -> (Outcome, Option<Side>) {
        let ending = life.0.ending(closing, life.1, seconds * SECOND);
        (ending.outcome, ending.by)
    }

    #[test]
    fn words_on_the_wire_come_first() {
        let accepted = [(0, A, Some(Step::Asked)), (0, B, Some(Step::Accepted))];
        assert_eq!(end(&life(&accepted), NONE, 9), (Outcome::Open, None));
        for (step, outcome) in [
            (Step::Left("disconnected"), Outcome::Left),
            (Step::Kicked("kicked"), Outcome::Kicked),
            (Step::Refused("server_full"), Outcome::Refused),
            (Step::Poor, Outcome::PoorConnection),
            (Step::TimedOut(3), Outcome::TimedOut),
        ] {
            let mut life = life(&accepted);
            life.step(step, B, SECOND);
            // Later steps change nothing.
            life.step(Step::Left("late"), A, 2 * SECOND);
            assert_eq!(end(&life, NONE, 9), (outcome, Some(B)));
        }
    }

    #[test]
    fn requests_without_an_answer() {
        let asked = [(0, A, Some(Step::Asked)), (1, A, Some(Step::Asked))];
        assert_eq!(end(&life(&asked), NONE, 9), (Outcome::Unanswered, None));
        assert_eq!(end(&life(&asked[..1]), NONE, 0), (Outcome::Open, None));
        // It asks again at the second 1.
        assert!(life(&asked).0.may_change(Outcome::Unanswered, life(&asked).1, SECOND + 1));
        assert!(!life(&asked).0.may_change(Outcome::Unanswered, life(&asked).1, 2 * SECOND));
        let closes = |side| Closing { by: [Some(End::Fin); 2], first: Some((side, 0)), ..NONE };
        assert_eq!(end(&life(&asked[..1]), closes(A), 0), (Outcome::Unanswered, None));
        assert_eq!(end(&life(&asked[..1]), closes(B), 0), (Outcome::Refused, Some(B)));
        let pending = [(0, A, Some(Step::Asked)), (1, B, Some(Step::Undecided))];
        assert_eq!(end(&life(&pending), NONE, 9), (Outcome::Pending, None));
        assert_eq!(end(&life(&pending), closes(A), 2), (Outcome::Left, Some(A)));
        assert_eq!(end(&life(&pending), closes(B), 2), (Outcome::Refused, Some(B)));
        assert_eq!(end(&life(&pending[1..]), closes(A), 2), (Outcome::Left, Some(A)));
        let other = [(0, A, Some(Step::Asked)), (1, B, None)];
        assert_eq!(end(&life(&other), NONE, 9), (Outcome::Open, None));
    }

    #[test]
    fn who_falls_silent_is_timed_out_by_the_other() {
        let alive = Some(Step::Alive(5 * SECOND));
        let beats = |client: i64, server: i64| {
            let of = |side, last| (0..=last).map(move |at| (at, side, alive));
            let mut all: Vec<_> = of(A, client).chain(of(B, server)).collect();
            all.sort_by_key(|(at, ..)| *at);
            life(&all)
        };
        // Both sides are silent, or the capture ends before the timeout: neither has timed out.
        assert_eq!(end(&beats(3, 3), NONE, 9), (Outcome::Open, None));
        // The server sends until its timer acts.
        assert_eq!(end(&beats(3, 8), NONE, 15), (Outcome::TimedOut, Some(B)));
        assert_eq!(end(&beats(9, 3), NONE, 20), (Outcome::TimedOut, Some(A)));
        // The server goes on sending after the timeout: it has no such timeout.
        assert_eq!(end(&beats(3, 30), NONE, 34), (Outcome::Open, None));
        // A goodbye after the timeout.
        let mut late = beats(3, 8);
        late.step(Step::Left("disconnected"), A, 14 * SECOND);
        assert_eq!(end(&late, NONE, 15), (Outcome::TimedOut, Some(B)));
        let mut in_time = beats(3, 8);
        in_time.step(Step::Left("disconnected"), A, 8 * SECOND);
        assert_eq!(end(&in_time, NONE, 15), (Outcome::Left, Some(A)));
    }

    /// The first word of a side that was asked long ago: the request was lost, unless it was sent over a stream.
    #[test]
    fn a_goodbye_without_a_greeting() {
        for (is_stream, expected) in [(false, (Outcome::Unanswered, None)), (true, (Outcome::Refused, Some(B)))] {
            let mut session = life(&[(0, A, Some(Step::Asked))]);
            session.0.is_stream = is_stream;
            session.step(Step::Left("closed"), B, 4 * SECOND);
            assert_eq!(end(&session, NONE, 9), expected);
        }
    }

    /// A side that sends heartbeats of its own accord has waited only if it went on with them.
    #[test]
    fn who_stops_has_not_waited() {
        let alive = Step::Alive(5 * SECOND);
        // The last answer is lost. Then the client stops, or goes on until its timeout.
        for (last, by) in [(4, B), (8, A)] {
            let mut session = life(&[(3, A, Some(alive)), (3, B, Some(alive))]);
            session.0.pings(A);
            (4..=last).for_each(|at| session.step(alive, A, at * SECOND));
            assert_eq!(end(&session, NONE, 20), (Outcome::TimedOut, Some(by)));
        }
    }

    /// A capture of one direction does not show what the other side did.
    #[test]
    fn one_direction_proves_nothing_about_the_other() {
        let asked = [(0, A, Some(Step::Asked)), (1, A, Some(Step::Asked)), (2, A, Some(Step::Alive(5 * SECOND)))];
        assert_eq!(end(&life(&asked[..2]), NONE, 9), (Outcome::Unanswered, None));
        assert_eq!(end(&life(&asked), NONE, 20), (Outcome::Open, None));
        let mut leaves = life(&asked);
        leaves.step(Step::Left("disconnected"), A, 20 * SECOND);
        assert_eq!(end(&leaves, NONE, 20), (Outcome::Left, Some(A)));
        // Its goodbye may be an answer.
        assert_eq!(end(&leaves, Closing { packets: [9, 0], ..NONE }, 20), (Outcome::Left, None));
        let pending = life(&[(0, A, Some(Step::Undecided))]);
        assert_eq!(end(&pending, NONE, 20), (Outcome::Pending, None));
        assert_eq!(end(&pending, Closing { packets: [9, 0], ..NONE }, 20), (Outcome::Open, None));
        let closes = Closing { by: [Some(End::Fin), None], first: Some((A, 20 * SECOND)), ..NONE };
        assert_eq!(end(&life(&asked), closes, 20), (Outcome::Left, Some(A)));
        assert_eq!(end(&life(&asked), Closing { packets: [9, 0], ..closes }, 20), (Outcome::Left, None));
    }

    #[test]
    fn what_did_not_arrive() {
        let awaited = |life: &Session| {
            let ending = life.0.ending(NONE, life.1, 15 * SECOND);
            (ending.outcome, ending.by, ending.silence)
        };
        let alive = [(0, A, Some(Step::Alive(5 * SECOND))), (6, B, None)];
        let timed_out = |awaited| (Outcome::TimedOut, Some(B), Some((awaited, 5 * SECOND)));
        assert_eq!(awaited(&life(&alive)), timed_out(Awaited::Message));
        // Other messages do not keep the connection.
        assert_eq!(awaited(&life(&[alive[0], (4, A, None), alive[1]])), timed_out(Awaited::Heartbeat));
        for (last, expected) in [(0, Awaited::Message), (4, Awaited::Heartbeat)] {
            let stated = life(&[(last, A, None), (6, B, Some(Step::TimedOut(5 * SECOND)))]);
            assert_eq!(awaited(&stated), timed_out(expected));
        }
        let gave_up = life(&[(5, A, None), (6, B, Some(Step::Unacknowledged(5 * SECOND)))]);
        assert_eq!(awaited(&gave_up), timed_out(Awaited::Acknowledgement));
        // A stated reason is not a timeout, although the other side was silent.
        let states = life(&[alive[0], (6, B, Some(Step::LeftFor("server_stopped")))]);
        assert_eq!(awaited(&states), (Outcome::Left, Some(B), None));
    }

    #[test]
    fn a_goodbye_does_not_hide_who_closed_before() {
        let goodbye =
            life(&[(0, A, Some(Step::Asked)), (1, B, Some(Step::Accepted)), (5, B, Some(Step::Left("exit")))]);
        for (how, side, at, outcome) in [
            (End::Rst, A, 4, (Outcome::Reset, Some(A))),
            (End::Fin, A, 4, (Outcome::Left, Some(A))),
            (End::Fin, A, 6, (Outcome::Left, Some(B))),
            (End::Fin, B, 4, (Outcome::Left, Some(B))),
        ] {
            let mut closing = Closing { first: Some((side, at * SECOND)), ..NONE };
            closing.by[side.index()] = Some(how);
            assert_eq!(end(&goodbye, closing, 9), outcome, "{how:?} {at}");
        }
    }

    #[test]
    fn the_transport_shows_an_end_without_a_message() {
        let accepted = [(0, A, Some(Step::Alive(4 * SECOND))), (0, B, Some(Step::Accepted)), (3, B, None)];
        let closed = |how, side: Side, at: i64| {
            let mut by = [Some(End::Fin); 2];
            by[side.index()] = Some(how);
            Closing { by, first: Some((side, at * SECOND)), ..NONE }
        };
        assert_eq!(end(&life(&accepted), closed(End::Fin, A, 3), 9), (Outcome::Left, Some(A)));
        assert_eq!(end(&life(&accepted), closed(End::Rst, A, 3), 9), (Outcome::Reset, Some(A)));
        // The server closes when its timer acts.
        assert_eq!(end(&life(&accepted), closed(End::Fin, B, 5), 9), (Outcome::TimedOut, Some(B)));
        assert_eq!(end(&life(&accepted), closed(End::Fin, B, 2), 9), (Outcome::Left, Some(B)));
    }

    #[test]
    fn a_last_try_ends_it_if_nothing_follows() {
        let tries = [(0, B, Some(Step::Accepted)), (1, A, Some(Step::LastTry { number: 13, patience: SECOND }))];
        assert_eq!(end(&life(&tries), NONE, 3), (Outcome::PoorConnection, Some(A)));
        let may_change = |at| life(&tries).0.may_change(Outcome::PoorConnection, life(&tries).1, at * SECOND);
        assert_eq!([2, 3].map(may_change), [true, false]);
        let mut acknowledged = life(&tries);
        acknowledged.0.acknowledged(A, 13);
        assert_eq!(end(&acknowledged, NONE, 3), (Outcome::Open, None));
        let mut goes_on = life(&tries);
        goes_on.message(A, 4 * SECOND);
        assert_eq!(end(&goes_on, NONE, 5), (Outcome::Open, None));
    }
}
