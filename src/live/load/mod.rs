//! Many clients at once: sessions of one recording, each with ids and numbers of its own, in one event
//! loop.
//!
//! Each client is a [`Player`](crate::live::replay::Player), the state machine that plays a single
//! session, behind sockets that never wait. What they find is counted in [`Figures`].

mod bound;
mod client;
mod counts;
mod figures;
mod socket;
mod stages;
mod text;

pub use bound::Bound;
pub use figures::Figures;
pub use figures::Part;
pub use stages::Stages;

use crate::dissect::Options;
use crate::live::NetError;
use crate::live::replay::Order;
use client::{Client, Shared};
use counts::Count;
use mio::{Events, Poll, Token};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// How often figures are told.
const INTERVAL: Duration = Duration::from_secs(1);
/// The longest without a look at the user's wish to stop.
const SLICE: Duration = Duration::from_millis(50);
/// How often stages are looked at.
const STAGE: Duration = Duration::from_millis(2);
/// Larger than any datagram.
const BUFFER: usize = 1 << 16;
/// Nobody is waited for longer than this once all are to leave.
const LEAVING: Duration = Duration::from_secs(5);

/// Many sessions of one recording.
pub struct Load<'a> {
    /// What each of them is.
    pub order: Order<'a>,
    /// The server.
    pub peer: SocketAddr,
    /// How many at once.
    pub clients: usize,
    /// How many begin each second, until there are as many as wanted.
    pub ramp: f64,
    /// Rates by time instead; sessions for which no place is free do not begin.
    pub stages: Option<Stages>,
    /// How long sessions that end are followed by new ones: whole ones at once, others at the ramp.
    /// `None`: each client has one session, or the stages' time.
    pub lasting: Option<Duration>,
}

impl Load<'_> {
    /// Plays all, and tells the figures of each second on the way.
    ///
    /// # Errors
    /// Those of the event loop, and of `tell`.
    pub fn run(&self, options: &Options, tell: &mut dyn FnMut(&Part) -> io::Result<()>) -> io::Result<Figures> {
        let (plan, _) = self.order.plan(options);
        let begin = Instant::now();
        let mut round = Round {
            load: self,
            shared: Shared { order: &self.order, options, plan: &plan, peer: self.peer },
            poll: Poll::new()?,
            slots: Vec::new(),
            free: (0..self.clients).rev().collect(),
            timers: BTreeSet::new(),
            figures: Figures::new(self.clients, begin),
            end: self.stages.as_ref().map(Stages::whole).or(self.lasting).map(|lasting| begin + lasting),
            begin,
            staged: 0,
            replaced: 0,
            stopping: None,
            next_start: begin,
            untold: None,
            buffer: vec![0; BUFFER],
        };
        round.slots.resize_with(self.clients, || None);
        let mut events = Events::with_capacity(1024);
        let mut next_told = begin + INTERVAL;
        loop {
            let now = Instant::now();
            round.stop(now);
            round.start(now);
            if round.is_over(now) {
                break;
            }
            let timeout = round.timeout(now).min(next_told.saturating_duration_since(now));
            let before = Instant::now();
            match round.poll.poll(&mut events, Some(timeout)) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => other?,
            }
            round.figures.idle += before.elapsed();
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
            if now >= next_told {
                next_told += INTERVAL;
                if let Err(error) = tell(&round.figures.part(now)) {
                    // Whoever does not want to know any more: the server is left all the same.
                    round.untold.get_or_insert(error);
                }
            }
        }
        let now = Instant::now();
        let told = tell(&round.figures.part(now));
        round.untold.map_or(told, Err)?;
        // The connections of those that did not leave in time are closed with the program.
        Ok(round.figures.finished(now))
    }
}

/// The state of a run.
struct Round<'s, 'a> {
    load: &'s Load<'a>,
    shared: Shared<'s, 'a>,
    poll: Poll,
    slots: Vec<Option<Client<'s, 'a>>>,
    free: Vec<usize>,
    timers: BTreeSet<(Instant, usize)>,
    figures: Figures,
    begin: Instant,
    end: Option<Instant>,
    /// How many sessions the stages have had begun, or left out.
    staged: u64,
    /// How many sessions are to be begun in the place of whole ones.
    replaced: usize,
    stopping: Option<Instant>,
    next_start: Instant,
    /// Why the figures could not be told.
    untold: Option<io::Error>,
    buffer: Vec<u8>,
}

impl Round<'_, '_> {
    /// The time is over, or the user wants to stop: all leave.
    fn stop(&mut self, now: Instant) {
        if self.stopping.is_some() {
            return;
        }
        let stopped = self.load.order.stop.is_set() || self.untold.is_some();
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

    /// Begins as many sessions as are due.
    fn start(&mut self, now: Instant) {
        if let Some(stages) = &self.load.stages {
            let due = stages.begun(now.saturating_duration_since(self.begin)) as u64;
            let count = due.saturating_sub(std::mem::replace(&mut self.staged, due));
            self.begin_some(count, now);
            return;
        }
        let replaced = std::mem::take(&mut self.replaced);
        self.begin_some(replaced as u64, now);
        let every = Duration::from_secs_f64(1.0 / self.load.ramp);
        while self.next_start <= now && !self.is_spent() {
            if !self.begin_one(now) {
                // Places that become free are not taken in a burst.
                self.next_start = now;
                return;
            }
            self.next_start += every;
        }
    }

    /// Begins so many sessions, as far as there are places.
    fn begin_some(&mut self, count: u64, now: Instant) {
        let _ = (0..count).take_while(|_| self.begin_one(now)).count();
    }

    /// Begins a session where there is a place. `false`: there is none, or all leave.
    fn begin_one(&mut self, now: Instant) -> bool {
        let Some(slot) = (if self.stopping.is_none() { self.free.pop() } else { None }) else { return false };
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
                self.free.push(slot);
            }
        }
        true
    }

    /// Without a time each client has one session.
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
        let next_start = match self.load.stages {
            Some(_) => now + STAGE,
            None => self.next_start,
        };
        let start = (self.stopping.is_none() && !self.is_spent() && !self.free.is_empty()).then_some(next_start);
        let next = [start, self.timers.first().map(|(at, _)| *at)].into_iter().flatten().min();
        next.map_or(SLICE, |at| at.saturating_duration_since(now).min(SLICE))
    }

    /// Lets a client do what it can now. `due`: the moment for which it wanted to be woken.
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
        self.figures.met(client);
        if client.is_done() {
            if let Some(client) = self.slots.get_mut(slot).and_then(Option::take) {
                let whole = self.figures.ended(client.end(self.poll.registry()), self.stopping.is_some());
                // One that failed is not followed at once: that would be a flood.
                self.replaced += usize::from(whole && self.end.is_some());
            }
            self.free.push(slot);
            return;
        }
        let at = client.poll_timeout(now);
        client.wake = Some(at);
        self.timers.insert((at, slot));
    }
}
