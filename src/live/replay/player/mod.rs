//! One side of a recorded conversation as a state machine: says the plan's messages in time, takes
//! what comes, lets the actor answer, and leaves.
//!
//! A [`Player`] has no socket and no clock. Whoever drives it does what [`Player::poll_action`]
//! wants, hands it what came ([`Player::recv`], [`Player::closed`], [`Player::failed`]), and wakes
//! it at [`Player::poll_timeout`] with [`Player::handle_timeout`], until [`Player::is_done`].

mod channels;
mod expectations;
mod kept;
mod late;
mod leave;
mod settings;
mod steps;
pub(in crate::live::replay) mod stranger;

pub use channels::Channels;
pub use settings::{Ending, Pace, Progress, Settings};

use super::compare::{Compared, apart, compare, parts};
use super::plan::{Plan, Step, Unsaid};
use super::report::Report;
use crate::live::NetError;
use crate::live::replay::actor::{Actor, Cause, Counts, Handling, Outbox};
use crate::live::replay::life::Phase as Progressed;
use crate::message::{Channel, OwnedMessage};
use expectations::Expectations;
use kept::Kept;
use late::Late;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The longest wait without looking around.
const SLICE: Duration = Duration::from_millis(10);

/// How many answers are listed that could not be sent: the peer decides how many there are.
const UNSAID: usize = 1 << 16;

/// What a player wants of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Sends a datagram, or bytes of the stream.
    Send(Channel, Vec<u8>),
    /// Leaves this connection and makes a new one to the same peer: [`Player::connected`].
    Reconnect,
    /// Connects the socket for datagrams beside the stream to a port of the peer's.
    ConnectBeside(u16),
    /// We have nothing more to say: the stream's end.
    Finish,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing was done yet.
    New,
    /// The plan is played.
    Playing,
    /// A new connection is being made.
    Connecting,
    /// Goodbye was said; the peer may end it, at most until the first of these; until the second
    /// where it stays silent.
    Leaving(Instant, Instant),
    /// Nothing more is to be done.
    Done,
}

/// One session.
pub struct Player<'p, 'a> {
    plan: &'p Plan,
    actor: Box<dyn Actor>,
    channels: Channels<'a>,
    settings: Settings,
    phase: Phase,
    actions: VecDeque<Action>,
    out: Outbox,
    heard: Kept,
    met: Expectations,
    /// The next step.
    next: usize,
    /// Those before it that are still to be said.
    late: Late,
    said: u64,
    unsaid: Vec<Unsaid>,
    error: Option<String>,
    stopped: bool,
    /// It is to stop: how long leaving may take.
    hurried: Option<Duration>,
    left: bool,
    closed: bool,
    /// The peer has said something.
    spoken: bool,
    /// How many recorded messages of the peer have come, and whether one of them was more than its
    /// handshake.
    came: (u64, bool),
    /// The peer has let us wait in vain: from now on it is waited for but shortly, until it is in
    /// step again.
    impatient: bool,
    begin: Instant,
    /// When something came last that the capture has.
    last_met: Instant,
    /// When each step is made, behind the recording's beginning; at last its end.
    schedule: Vec<Duration>,
    /// When the recording would have begun: later by all that the peer has let us wait.
    clock: Instant,
    /// Since when the next step waits for the peer.
    blocked: Option<Instant>,
    /// Since when all was said.
    rested: Option<Instant>,
    wake: Instant,
}

impl<'p, 'a> Player<'p, 'a> {
    /// Plays a plan. It does nothing before [`Player::handle_timeout`] is called for the first time.
    pub fn new(
        plan: &'p Plan,
        actor: Box<dyn Actor>,
        channels: Channels<'a>,
        settings: &Settings,
        now: Instant,
    ) -> Player<'p, 'a> {
        let met = Expectations::new(&*actor, &plan.expected, settings.pace.speed.is_none());
        Player {
            plan,
            actor,
            channels,
            settings: settings.clone(),
            phase: Phase::New,
            actions: VecDeque::new(),
            out: Outbox::default(),
            heard: Kept::new(settings.kept),
            met,
            next: 0,
            late: Late::default(),
            said: 0,
            unsaid: Vec::new(),
            error: None,
            stopped: false,
            hurried: None,
            left: false,
            closed: false,
            spoken: false,
            came: (0, false),
            impatient: false,
            begin: now,
            last_met: now,
            schedule: settings.pace.schedule(plan),
            clock: now,
            blocked: None,
            rested: None,
            wake: now,
        }
    }

    /// What is to be done next.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// When it wants to be woken, if nothing comes before.
    pub fn poll_timeout(&self) -> Option<Instant> {
        match self.phase {
            Phase::New | Phase::Playing => Some(self.wake),
            Phase::Leaving(most, silent) => Some(most.min(silent)),
            Phase::Connecting | Phase::Done => None,
        }
    }

    /// Is nothing more to be done?
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done && self.actions.is_empty()
    }

    /// Time has passed.
    pub fn handle_timeout(&mut self, now: Instant) {
        if self.phase == Phase::New {
            self.phase = Phase::Playing;
            (self.out.beside, self.clock) = (self.settings.beside, now);
            self.actor.begin(now, &mut self.out);
        }
        match self.phase {
            Phase::Playing => {
                if let Err(error) = self.advance(now) {
                    self.fail(error);
                    self.leave(now);
                }
            }
            Phase::Leaving(most, silent) if now >= most.min(silent) => self.done(),
            _ => {}
        }
    }

    /// Bytes came: a datagram, or the stream's next.
    pub fn recv(&mut self, channel: Channel, bytes: &[u8], now: Instant) {
        if let Some(exchange) = self.channels.get(channel) {
            exchange.recv(bytes, now);
        }
        if channel == Channel::Main
            && !self.spoken
            && let Some(what) = self.stranger()
        {
            // Nobody is there who would understand a goodbye.
            self.left = true;
            return self.failed(NetError::Foreign(what), now);
        }
        self.read(channel, now);
    }

    /// Who is there, as soon as enough has come to tell, where it is somebody else.
    fn stranger(&mut self) -> Option<String> {
        let exchange = &self.channels.main;
        let first = exchange.raw().first().filter(|first| first.len() >= stranger::ENOUGH)?;
        self.spoken = true;
        stranger::first(exchange.setup(), first)
    }

    /// The peer has ended its stream.
    pub fn closed(&mut self, reset: bool, now: Instant) {
        self.channels.main.closed(reset, now);
        self.read(Channel::Main, now);
    }

    /// Something could not be done, or no more be received.
    pub fn failed(&mut self, error: NetError, now: Instant) {
        match self.phase {
            // Who has left closes the socket: what was still under way meets nobody.
            _ if self.left && matches!(error, NetError::Refused) => {}
            Phase::Leaving(..) => self.done(),
            Phase::Done => {}
            _ => {
                self.fail(error);
                self.leave(now);
            }
        }
    }

    /// There is a new connection, between these ends.
    pub fn connected(&mut self, ends: [std::net::SocketAddr; 2], now: Instant) {
        if self.phase == Phase::Connecting {
            self.channels.reconnected(ends);
            self.spoken = false;
            (self.phase, self.wake) = (Phase::Playing, now);
        }
    }

    /// Takes the messages that came.
    fn read(&mut self, channel: Channel, now: Instant) {
        while let Some(message) = self.channels.next(channel) {
            if matches!(self.phase, Phase::Done | Phase::Connecting) {
                return;
            }
            if let Err(error) = self.take(message, now) {
                return self.failed(error, now);
            }
        }
        let ended = self.channels.get(channel).and_then(|exchange| exchange.ended());
        if let Some(error) = ended.filter(|_| self.phase != Phase::Connecting) {
            self.failed(error, now);
        }
    }

    fn take(&mut self, message: OwnedMessage, now: Instant) -> Result<(), NetError> {
        if let Phase::Leaving(most, _) = self.phase {
            // Datagrams have no end: silence is one.
            self.phase = Phase::Leaving(most, if self.settings.stream { most } else { now + SLICE });
        }
        let (before, closes) = (self.actor.life().phase, self.actor.rules().closes.contains(&message.message));
        if self.actor.recv(&message, now, &mut self.out) == Handling::New {
            let (actor, met, heard) = (&*self.actor, &mut self.met, &mut self.heard);
            let mut expected = false;
            actor.parts(message, &mut |part| {
                expected |= met.recv(actor, &part);
                heard.push(part);
            });
            if expected {
                self.last_met = now;
                let phase = self.actor.life().phase;
                let greeted = before >= Progressed::Working || phase == Progressed::New && self.came.0 > 0;
                self.came.0 += 1;
                self.came.1 |= greeted && !closes && phase != Progressed::Over;
            }
        }
        self.wake = now;
        self.flush(None, now)
    }

    /// What has become of it.
    pub fn report(self, now: Instant) -> Report {
        let Player { plan, mut actor, out, heard, met, said, mut unsaid, error, stopped, next, mut late, .. } = self;
        for step in late.abandon().chain(next..plan.steps.len()).filter_map(|number| plan.steps.get(number)) {
            unsaid.push(unsaid_step(step, error.as_deref().unwrap_or("the session was over")));
        }
        // What came when nothing was kept any more has come all the same.
        let came = |at: usize| heard.more > 0 && met.came(at);
        // With all that both have said at hand more may be told apart.
        actor.learn(&mut plan.expected.iter().map(|m| &m.said).chain(&heard.messages));
        let (expected, messages) = (apart(&*actor, &plan.expected, &came), parts(&*actor, heard.messages));
        let Compared { divergences, others } = compare(&*actor, &expected, &messages);
        // What others cause stands by itself.
        let counted = |said: &&OwnedMessage| !matches!(actor.cause(said), Cause::Others(_));
        Report {
            steps: plan.steps.len() as u64,
            said,
            expected: expected.iter().map(|(m, _)| &m.said).filter(counted).count() as u64,
            heard: messages.iter().filter(counted).count() as u64 + heard.more,
            uncompared: heard.more,
            unsaid,
            refused: plan.refused.clone(),
            live: plan.live.clone(),
            dropped: plan.dropped,
            unknown: plan.unknown,
            counts: out.counts,
            remarks: out.remarks,
            ended: actor.over().filter(|why| error.as_ref() != Some(why)),
            stopped,
            trouble: error,
            divergences,
            others,
            took: now.saturating_duration_since(self.begin),
        }
    }

    /// What has become of it, without what the peer said.
    pub fn ending(self) -> Ending {
        let Player { plan, actor, channels, out, unsaid, error, stopped, next, mut late, .. } = self;
        let left = late.abandon().next().unwrap_or(next);
        let left = plan.steps.get(left).map(|step| format!("{} was not said: the session was over", step.name()));
        let unsaid = unsaid.first().map(|unsaid| format!("{} was not said: {}", unsaid.message, unsaid.why)).or(left);
        Ending {
            complete: error.is_none() && unsaid.is_none() && out.counts.unacknowledged == 0,
            over: actor.over().filter(|_| unsaid.is_some()),
            trouble: error,
            unsaid,
            stopped,
            heard: !channels.main.raw().is_empty(),
        }
    }

    /// Is the peer being left, or was it?
    pub fn is_leaving(&self) -> bool {
        self.left || matches!(self.phase, Phase::Leaving(..) | Phase::Done)
    }

    /// Has the peer answered the handshake, and is the session not over?
    pub fn is_connected(&self) -> bool {
        (Progressed::Answered..Progressed::Over).contains(&self.actor.life().phase)
    }

    /// Has the peer said more of the recording than its handshake and its goodbye? A probe has not.
    pub fn is_engaged(&self) -> bool {
        self.came.1
    }

    /// What was counted so far; round trips may be taken.
    pub fn counts(&mut self) -> &mut Counts {
        &mut self.out.counts
    }

    /// How many answers were made live so far.
    pub fn answered(&self) -> u64 {
        self.out.counts.live
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        let (said, all) = (self.next, self.plan.steps.len());
        Progress { said, all, heard: self.heard.count() as usize, expected: self.plan.expected.len() }
    }

    fn fail(&mut self, error: NetError) {
        match error {
            // The peer has ended the stream: no trouble where nothing is left to be said.
            NetError::Closed { .. } if self.next >= self.plan.steps.len() && self.late.is_empty() => self.closed = true,
            // Who has left closes the socket: what was still under way meets nobody.
            NetError::Refused if self.left || self.actor.over().is_some() => {}
            NetError::Closed { .. } if self.actor.over().is_some() => self.closed = true,
            other => {
                self.closed |= matches!(other, NetError::Closed { .. });
                self.stopped |= matches!(other, NetError::Interrupted | NetError::MaxTime(_));
                self.error.get_or_insert(other.to_string());
            }
        }
    }

    /// Sends what the actor wants sent: a step, or what it makes live.
    fn flush(&mut self, step: Option<&Step>, now: Instant) -> Result<(), NetError> {
        let dangerous = step.is_some_and(|s| s.recorded.said.fault.is_some() || self.settings.allow_dangerous);
        if std::mem::take(&mut self.out.reconnect) {
            if matches!(self.phase, Phase::Leaving(..)) {
                self.out.say.clear();
                self.done();
                return Ok(());
            }
            if !self.channels.caller {
                return Err(NetError::Encode("who was called cannot connect again".into()));
            }
            self.phase = Phase::Connecting;
            self.actions.push_back(Action::Reconnect);
        }
        if self.phase == Phase::Connecting {
            return Ok(());
        }
        if let Some(trouble) = self.out.trouble.take() {
            self.error.get_or_insert(trouble);
        }
        while let Some(said) = self.out.say.pop_front() {
            match self.channels.send(&said, dangerous && self.settings.allow_dangerous, now) {
                Ok(()) => {}
                Err(error @ (NetError::Gate(_) | NetError::Encode(_))) => {
                    self.out.remark(format!("{}.{}: {error}", said.proto, said.message));
                    self.actor.unsendable(&said);
                    let unsaid = Unsaid {
                        frame: step.map_or(0, |step| step.recorded.frame),
                        message: format!("{}.{}", said.proto, said.message),
                        why: error.to_string(),
                    };
                    // A goodbye has several copies.
                    if self.unsaid.last() != Some(&unsaid) && self.unsaid.len() < UNSAID {
                        self.unsaid.push(unsaid);
                    }
                }
                Err(error) => return Err(error),
            }
            self.transmit();
        }
        if let Some(port) = self.out.connect.take()
            && let Some(ours) = self.settings.beside
            && self.channels.connect_beside(ours, port)
        {
            self.actions.push_back(Action::ConnectBeside(port));
        }
        Ok(())
    }

    fn transmit(&mut self) {
        for channel in [Channel::Main, Channel::Beside] {
            while let Some(bytes) = self.channels.get(channel).and_then(|exchange| exchange.poll_transmit()) {
                self.actions.push_back(Action::Send(channel, bytes));
            }
        }
    }
}

fn unsaid_step(step: &Step, why: &str) -> Unsaid {
    Unsaid { frame: step.recorded.frame, message: step.name(), why: why.into() }
}
