//! Many clients at once: sessions of one recording, each with its own ids and numbers, in one event loop.
//!
//! Each client is a [`Player`](crate::live::replay::Player), the state machine that plays a single session, with
//! sockets that never block. Their results are counted in [`Figures`].

mod bound;
mod client;
mod counts;
mod figures;
mod socket;
mod stages;
mod tempo;
mod text;

pub use bound::Bound;
pub use figures::{Figures, Part};
pub use stages::Stages;

use crate::dissect::Options;
use crate::live::NetError;
use crate::live::replay::Order;
use client::{Client, Shared};
use counts::Count;
use mio::{Events, Poll, Token};
use std::collections::{BTreeSet, VecDeque};
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// The interval between two reports.
const INTERVAL: Duration = Duration::from_secs(1);
/// The longest wait before the request to stop is checked.
const SLICE: Duration = Duration::from_millis(50);
/// The interval between two checks of the stages.
const STAGE: Duration = Duration::from_millis(2);
/// Larger than any datagram.
const BUFFER: usize = 1 << 16;
/// The longest wait for sessions that were all asked to leave.
const LEAVING: Duration = Duration::from_secs(5);

/// Many sessions of one recording.
pub struct Load<'a> {
    /// The conversation that each of them plays.
    pub order: Order<'a>,
    /// The server.
    pub peer: SocketAddr,
    /// The number of clients at once.
    pub clients: usize,
    /// The number of sessions that begin each second, until there are as many as wanted.
    pub ramp: f64,
    /// Rates by time, instead of the ramp. Sessions for which no slot is free do not begin.
    pub stages: Option<Stages>,
    /// The period in which sessions that end are followed by new ones: whole ones at once, others at the ramp. `None`:
    /// each client has one session, or the stages set the period.
    pub lasting: Option<Duration>,
}

impl Load<'_> {
    /// Plays all sessions, and passes the figures of each second to `print`.
    ///
    /// # Errors
    /// Returns the errors of the event loop, and of `print`.
    pub fn run(&self, options: &Options, print: &mut dyn FnMut(&Part) -> io::Result<()>) -> io::Result<Figures> {
        let (plan, _) = self.order.plan(options);
        let begin = Instant::now();
        let mut round = Round {
            load: self,
            shared: Shared { order: &self.order, options, plan: &plan, peer: self.peer },
            poll: Poll::new()?,
            slots: Vec::new(),
            free: (0..self.clients).collect(),
            timers: BTreeSet::new(),
            figures: Figures::new(self.clients, self.order.conversation.transport, begin),
            end: self.stages.as_ref().map(Stages::whole).or(self.lasting).map(|lasting| begin + lasting),
            begin,
            staged: 0,
            replaced: 0,
            stopping: None,
            next_start: begin,
            unprinted: None,
            buffer: vec![0; BUFFER],
        };
        round.slots.resize_with(self.clients, || None);
        let mut events = Events::with_capacity(1024);
        let (mut next_print, mut woken) = (begin + INTERVAL, begin);
        loop {
            let now = Instant::now();
            round.stop(now);
            round.start(now);
            if round.is_over(now) {
                break;
            }
            let timeout = round.timeout(now).min(next_print.saturating_duration_since(now));
            let before = Instant::now();
            match round.poll.poll(&mut events, Some(timeout)) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => other?,
            }
            let idle = before.elapsed();
            round.figures.idle += idle;
            // Either the work since the last look, or the waking, took too long.
            let work = before.saturating_duration_since(woken);
            woken = before + idle;
            round.figures.away(work.max(idle.saturating_sub(timeout)), woken);
            for event in &events {
                let Token(at) = event.token();
                if let Some(client) = round.slots.get_mut(at / 2).and_then(Option::as_mut) {
                    client.ready(at % 2, event);
                }
                round.turn(at / 2, None);
            }
            let now = Instant::now();
            while let Some((at, slot)) = round.timers.first().copied().filter(|(at, _)| *at <= now) {
                round.timers.remove(&(at, slot));
                round.turn(slot, Some(at));
            }
            if now >= next_print {
                // A program that was stopped prints one line for all that it has missed.
                while next_print <= now {
                    next_print += INTERVAL;
                }
                if let Err(error) = print(&round.figures.part(now)) {
                    // If the figures cannot be reported any more, the sessions still leave the server.
                    round.unprinted.get_or_insert(error);
                }
            }
        }
        let now = Instant::now();
        let printed = print(&round.figures.part(now));
        round.unprinted.map_or(printed, Err)?;
        // The connections of sessions that did not leave in time are closed with the program.
        Ok(round.figures.finished(now))
    }
}

/// The state of a run.
struct Round<'s, 'a> {
    load: &'s Load<'a>,
    shared: Shared<'s, 'a>,
    poll: Poll,
    slots: Vec<Option<Client<'s, 'a>>>,
    /// The slots without a session, the one that has been free for longest first: sessions that begin have different
    /// numbers, until all are used.
    free: VecDeque<usize>,
    timers: BTreeSet<(Instant, usize)>,
    figures: Figures,
    begin: Instant,
    end: Option<Instant>,
    /// The number of sessions that the stages have begun, or left out.
    staged: u64,
    /// The number of sessions to begin in place of whole ones.
    replaced: usize,
    stopping: Option<Instant>,
    next_start: Instant,
    /// The error of reporting the figures.
    unprinted: Option<io::Error>,
    buffer: Vec<u8>,
}

impl Round<'_, '_> {
    /// Asks all sessions to leave once the time is over, or the user wants to stop.
    fn stop(&mut self, now: Instant) {
        if self.stopping.is_some() {
            return;
        }
        let stopped = self.load.order.stop.is_set() || self.unprinted.is_some();
        if !stopped && self.end.is_none_or(|end| now < end) {
            return;
        }
        (self.stopping, self.figures.stopped) = (Some(now), stopped);
        for slot in 0..self.slots.len() {
            if let Some(client) = self.slots.get_mut(slot).and_then(Option::as_mut) {
                client.stop(NetError::Interrupted, now);
                self.turn(slot, None);
            }
        }
    }

    /// Begins the sessions that are due.
    fn start(&mut self, now: Instant) {
        if let Some(stages) = &self.load.stages {
            let due = stages.begun(now.saturating_duration_since(self.begin)) as u64;
            let count = due.saturating_sub(std::mem::replace(&mut self.staged, due));
            let begun = self.begin_some(count, now);
            if self.stopping.is_none() {
                self.figures.not_begun += count - begun;
            }
            return;
        }
        let replaced = std::mem::take(&mut self.replaced);
        self.begin_some(replaced as u64, now);
        let every = Duration::from_secs_f64(1.0 / self.load.ramp);
        while self.next_start <= now && !self.is_spent() {
            if !self.begin_one(now) {
                // Slots that become free are not filled in a burst.
                self.next_start = now;
                return;
            }
            self.next_start += every;
        }
    }

    /// Begins up to `count` sessions, if there are free slots. Returns their number.
    fn begin_some(&mut self, count: u64, now: Instant) -> u64 {
        (0..count).take_while(|_| self.begin_one(now)).count() as u64
    }

    /// Begins a session in a free slot. Returns false if there is none, or if all sessions leave.
    fn begin_one(&mut self, now: Instant) -> bool {
        let Some(slot) = (if self.stopping.is_none() { self.free.pop_front() } else { None }) else { return false };
        self.figures.begun();
        match Client::begin(&self.shared, self.poll.registry(), slot, now) {
            Ok(client) => {
                if let Some(place) = self.slots.get_mut(slot) {
                    *place = Some(client);
                }
                self.turn(slot, None);
            }
            Err(error) => {
                self.figures.failed(&error);
                self.free.push_back(slot);
            }
        }
        true
    }

    /// Whether no more sessions begin. Without a time, each client has one session.
    fn is_spent(&self) -> bool {
        self.end.is_none() && self.figures.all.counts[Count::Started] >= self.load.clients as u64
    }

    fn is_over(&self, now: Instant) -> bool {
        let active = self.slots.len() - self.free.len();
        match self.stopping {
            Some(since) => active == 0 || now >= since + LEAVING,
            None => active == 0 && self.is_spent(),
        }
    }

    fn timeout(&self, now: Instant) -> Duration {
        let next_start = self.load.stages.as_ref().map_or(self.next_start, |_| now + STAGE);
        let start = (self.stopping.is_none() && !self.is_spent() && !self.free.is_empty()).then_some(next_start);
        let next = [start, self.timers.first().map(|(at, _)| *at)].into_iter().flatten().min();
        next.map_or(SLICE, |at| at.saturating_duration_since(now).min(SLICE))
    }

    /// Lets a client do what it can now. `due` is the time at which it wanted to be woken.
    fn turn(&mut self, slot: usize, due: Option<Instant>) {
        let Some(client) = self.slots.get_mut(slot).and_then(Option::as_mut) else { return };
        if let Some(at) = client.wake.take() {
            self.timers.remove(&(at, slot));
        }
        let now = Instant::now();
        if let Some(due) = due {
            self.figures.late(now.saturating_duration_since(due));
        }
        client.go(&self.shared, self.poll.registry(), &mut self.buffer, now);
        self.figures.progressed(client);
        if client.is_done() {
            if let Some(client) = self.slots.get_mut(slot).and_then(Option::take) {
                let whole = self.figures.ended(client.end(self.poll.registry()), self.stopping.is_some());
                // A failed session is not replaced at once: that would be a flood.
                self.replaced += usize::from(whole && self.end.is_some());
            }
            self.free.push_back(slot);
            return;
        }
        let at = client.poll_timeout(now);
        client.wake = Some(at);
        self.timers.insert((at, slot));
    }
}
