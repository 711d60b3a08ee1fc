//! One side of a recorded conversation as a state machine. It sends the plan's messages in time, takes received data,
//! lets the actor answer, and leaves.
//!
//! A [`Player`] has no socket and no clock. Its caller executes the actions of [`Player::poll_action`], passes on
//! received data ([`Player::recv`], [`Player::closed`], [`Player::failed`]), and wakes it at [`Player::poll_timeout`]
//! with [`Player::handle_timeout`], until [`Player::is_done`].

mod channels;
mod expectations;
mod kept;
mod late;
mod leave;
mod settings;
mod steps;
pub(in crate::live::replay) mod stranger;

pub use channels::Channels;
#[cfg(feature = "cli")]
pub(crate) use settings::Ending;
pub use settings::{Pace, Progress, Settings};

use super::compare::{Compared, compare, expected_parts, parts};
use super::plan::{Plan, Step, Unsent};
use super::report::Report;
use crate::live::NetError;
use crate::live::replay::actor::{Actor, Cause, Counts, Handling, Outbox};
use crate::live::replay::life::Phase as Progressed;
use crate::message::{Channel, OwnedMessage};
use expectations::Expectations;
use kept::Kept;
use late::Late;
use leave::Goodbyes;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The longest wait between two checks.
const SLICE: Duration = Duration::from_millis(10);

/// The cap on the list of answers that could not be sent, because the peer decides how many there are.
const UNSENT: usize = 1 << 16;

/// The end of a peer whose system reports that not all data was read.
const RESET: &str = "it reset the connection";

/// A player's request to the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Sends a datagram, or bytes of the stream.
    Send(Channel, Vec<u8>),
    /// Leaves this connection and makes a new one to the same peer, for [`Player::connected`].
    Reconnect,
    /// Connects the socket for datagrams beside the stream to a port of the peer's.
    ConnectDatagrams(u16),
    /// Closes our direction of the stream.
    Finish,
}

/// The player's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing was done yet.
    New,
    /// The plan is played.
    Playing,
    /// A new connection is being made.
    Connecting,
    /// Goodbye was sent. The peer may end the session until the first time, or until the second if it stays silent.
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
    /// The actions that wait, each with the step that is sent with it.
    actions: VecDeque<(Action, Option<&'p Step>)>,
    /// The step of the last action that was taken.
    taken: Option<&'p Step>,
    out: Outbox,
    received: Kept,
    expectations: Expectations,
    /// The next step.
    next: usize,
    /// The steps before it that are delayed.
    late: Late,
    sent: u64,
    unsent: Vec<Unsent>,
    /// The steps that a broken stream did not take.
    unwritten: Vec<&'p Step>,
    error: Option<String>,
    stopped: bool,
    /// The time that leaving may take, once it was asked to stop.
    hurried: Option<Duration>,
    left: bool,
    /// Whether it leaves without a goodbye, so that a reset is no answer to one.
    mute: bool,
    goodbyes: Goodbyes,
    /// Whether our direction of the stream has been closed.
    finished: bool,
    /// Whether nothing more can be sent.
    closed: bool,
    /// The way in which the peer closed its stream, if it was not left before.
    cut: Option<&'static str>,
    /// Whether the peer has sent enough to be recognised.
    spoken: bool,
    /// The number of recorded messages of the peer that have arrived, and whether one of them was more than its
    /// handshake.
    arrived: (u64, bool),
    /// Whether the peer has let us wait in vain. Waits are short from then on, until it is in step again.
    impatient: bool,
    begin: Instant,
    /// The last time when a message of the capture arrived.
    last_met: Instant,
    /// The time of each step after the recording's beginning, and last the recording's end.
    schedule: Vec<Duration>,
    /// The recording's beginning in this session, later by all the time that the peer has let us wait.
    clock: Instant,
    /// The time since when the next step has been waiting for the peer.
    blocked: Option<Instant>,
    /// The time since when everything has been sent.
    rested: Option<Instant>,
    wake: Instant,
}

impl<'p, 'a> Player<'p, 'a> {
    /// Creates the player of a plan. It does nothing before [`Player::handle_timeout`] is called for the first time.
    pub fn new(
        plan: &'p Plan,
        actor: Box<dyn Actor>,
        channels: Channels<'a>,
        settings: &Settings,
        now: Instant,
    ) -> Player<'p, 'a> {
        let expectations = Expectations::new(&*actor, &plan.expected, settings.pace.speed.is_none());
        Player {
            plan,
            actor,
            channels,
            settings: settings.clone(),
            phase: Phase::New,
            actions: VecDeque::new(),
            taken: None,
            out: Outbox::default(),
            received: Kept::new(settings.kept),
            expectations,
            next: 0,
            late: Late::default(),
            sent: 0,
            unsent: Vec::new(),
            unwritten: Vec::new(),
            error: None,
            stopped: false,
            hurried: None,
            left: false,
            mute: false,
            goodbyes: Goodbyes::default(),
            finished: false,
            closed: false,
            cut: None,
            spoken: false,
            arrived: (0, false),
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

    /// Returns the next action.
    pub fn poll_action(&mut self) -> Option<Action> {
        let (action, step) = self.actions.pop_front().unzip();
        self.taken = step.flatten();
        action
    }

    /// Notes that the stream is broken: it did not take the last action's bytes, or not all of them, and takes nothing
    /// more.
    pub fn unwritten(&mut self) {
        let known = self.unwritten.len();
        self.unwritten.extend(self.taken.take());
        self.actions.retain(|(action, step)| {
            let waits = matches!(action, Action::Send(Channel::Main, _));
            self.unwritten.extend(step.filter(|_| waits));
            !waits
        });
        self.sent -= (self.unwritten.len() - known) as u64;
    }

    /// Returns the time at which it wants to be woken, if nothing arrives before.
    pub fn poll_timeout(&self) -> Option<Instant> {
        match self.phase {
            Phase::New | Phase::Playing => Some(self.goodbyes.wake().map_or(self.wake, |at| at.min(self.wake))),
            Phase::Leaving(most, silent) => Some(most.min(self.goodbyes.wake().unwrap_or(silent))),
            Phase::Connecting | Phase::Done => None,
        }
    }

    /// Whether nothing more is to be done.
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done && self.actions.is_empty()
    }

    /// Acts when time has passed.
    pub fn handle_timeout(&mut self, now: Instant) {
        if self.phase == Phase::New {
            self.phase = Phase::Playing;
            (self.out.datagram_port, self.clock) = (self.settings.datagram_port, now);
            self.actor.begin(now, &mut self.out);
        }
        self.repeat_goodbye(now);
        match self.phase {
            Phase::Playing => {
                if let Err(error) = self.advance(now) {
                    self.fail(error);
                    self.leave(now);
                }
            }
            Phase::Leaving(most, silent) if now >= most || now >= silent && self.goodbyes.wake().is_none() => {
                self.done();
            }
            _ => {}
        }
    }

    /// Takes received bytes: a datagram, or the stream's next bytes.
    pub fn recv(&mut self, channel: Channel, bytes: &[u8], now: Instant) {
        if let Some(exchange) = self.channels.get(channel) {
            exchange.recv(bytes, now);
        }
        if channel == Channel::Main
            && !self.spoken
            && let Some(what) = self.stranger()
        {
            // This peer would not understand a goodbye.
            self.left = true;
            return self.failed(NetError::Foreign(what), now);
        }
        self.read(channel, now);
    }

    /// Describes the peer if it is somebody else, once enough bytes have arrived to decide.
    fn stranger(&mut self) -> Option<String> {
        let exchange = &self.channels.main;
        let first = exchange.raw().first().filter(|first| first.len() >= stranger::ENOUGH)?;
        self.spoken = true;
        stranger::first(exchange.setup(), first)
    }

    /// Notes that the peer has closed its stream.
    pub fn closed(&mut self, reset: bool, now: Instant) {
        self.channels.main.closed(reset, now);
        self.read(Channel::Main, now);
    }

    /// Notes that an action failed, or that no more can be received.
    pub fn failed(&mut self, error: NetError, now: Instant) {
        // A write that has not ended: a goodbye would come after a part of a message.
        self.closed |= matches!(error, NetError::Stuck(_) | NetError::Interrupted | NetError::MaxTime(_));
        match self.phase {
            // A peer that was left closes its socket, so packets still in flight are refused.
            _ if self.left && matches!(error, NetError::Refused) => self.goodbyes.clear(),
            Phase::Leaving(..) => {
                if !self.unwritten.is_empty() {
                    self.fail(error);
                } else if self.mute && matches!(error, NetError::Closed { reset: true }) {
                    self.cut = Some(RESET);
                }
                self.done();
            }
            Phase::Done => {}
            _ => {
                self.fail(error);
                self.leave(now);
            }
        }
    }

    /// Continues on a new connection, between these addresses.
    pub fn connected(&mut self, ends: [std::net::SocketAddr; 2], now: Instant) {
        if self.phase == Phase::Connecting {
            self.channels.reconnected(ends);
            self.spoken = false;
            (self.phase, self.wake) = (Phase::Playing, now);
        }
    }

    /// Takes the messages that were read.
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
            // Datagrams have no end: silence counts as one.
            self.phase = Phase::Leaving(most, if self.settings.stream { most } else { now + SLICE });
        }
        let (before, closes) = (self.actor.life().phase, self.actor.rules().closes.contains(&message.message));
        if closes {
            self.goodbyes.clear();
        }
        if self.actor.recv(&message, now, &mut self.out) == Handling::New {
            let (actor, expectations, received) = (&*self.actor, &mut self.expectations, &mut self.received);
            let mut expected = false;
            actor.parts(message, &mut |part| {
                expected |= expectations.recv(actor, &part);
                received.push(part);
            });
            if expected {
                self.last_met = now;
                let phase = self.actor.life().phase;
                let greeted = before >= Progressed::Working || phase == Progressed::New && self.arrived.0 > 0;
                self.arrived.0 += 1;
                self.arrived.1 |= greeted && !closes && phase != Progressed::Over;
            }
        }
        self.wake = now;
        self.flush(None, now)
    }

    /// Returns the report of the session.
    pub fn report(self, now: Instant) -> Report {
        let Player {
            plan,
            mut actor,
            mut out,
            received,
            expectations,
            sent,
            mut unsent,
            unwritten,
            error,
            stopped,
            next,
            mut late,
            cut,
            ..
        } = self;
        let left = late.abandon().chain(next..plan.steps.len()).filter_map(|number| plan.steps.get(number));
        for step in unwritten.into_iter().chain(left) {
            unsent.push(unsent_step(step, error.as_deref().unwrap_or("the session was over")));
        }
        // Messages that were no longer kept have arrived, too.
        let arrived = |at: usize| received.more > 0 && expectations.arrived(at);
        // With all messages of both sides at hand, more parts can be distinguished.
        actor.learn(&mut plan.expected.iter().map(|m| &m.decoded).chain(&received.messages));
        let (expected, messages) =
            (expected_parts(&*actor, &plan.expected, &arrived), parts(&*actor, received.messages));
        let Compared { divergences, others } = compare(&*actor, &expected, &messages);
        // The reason why the rest of its messages is missing. A reset also means that the peer may not have read all of
        // ours.
        let cut = cut.filter(|how| {
            *how == RESET || divergences.iter().any(|one| matches!(one, super::Divergence::Missing { .. }))
        });
        // Messages that others cause are counted separately.
        let counted = |decoded: &&OwnedMessage| !matches!(actor.cause(decoded), Cause::Others(_));
        if out.counts.more_trips > 0 {
            out.remarks.push(format!("the figures of round trips leave out the last {}", out.counts.more_trips));
        }
        Report {
            steps: plan.steps.len() as u64,
            sent,
            expected: expected.iter().map(|(m, _)| &m.decoded).filter(counted).count() as u64,
            received: messages.iter().filter(counted).count() as u64 + received.more,
            uncompared: received.more,
            unsent,
            refused: plan.refused.clone(),
            live: plan.live.clone(),
            dropped: plan.dropped,
            unknown: plan.unknown,
            counts: out.counts,
            remarks: out.remarks,
            ended: actor.over().or(cut.map(str::to_string)).filter(|why| error.as_ref() != Some(why)),
            stopped,
            trouble: error,
            divergences,
            others,
            took: now.saturating_duration_since(self.begin),
        }
    }

    /// Returns the result of the session, without the peer's messages.
    #[cfg(feature = "cli")]
    pub(crate) fn ending(self) -> Ending {
        // Who was stopped has not waited for the last answers.
        let asked = self.plan.steps.get(self.next).map_or(self.plan.expected.len(), |step| step.after);
        let unanswered = self.expectations.unanswered((!self.stopped).then_some(asked)) as u64;
        let Player { plan, actor, channels, out, unsent, unwritten, error, stopped, next, mut late, .. } = self;
        let left = unwritten.first().copied().or_else(|| plan.steps.get(late.abandon().next().unwrap_or(next)));
        let left = left.map(|step| format!("{} was not sent: the session was over", step.name()));
        let unsent = unsent.first().map(|unsent| format!("{} was not sent: {}", unsent.message, unsent.why)).or(left);
        Ending {
            complete: error.is_none() && unsent.is_none() && out.counts.unacknowledged == 0,
            over: actor.over().filter(|_| unsent.is_some()),
            trouble: error,
            unsent,
            stopped,
            unanswered,
            answered: !channels.main.raw().is_empty() && !actor.life().silent,
        }
    }

    /// Whether the peer is being left, or was left.
    pub fn is_leaving(&self) -> bool {
        self.left || matches!(self.phase, Phase::Leaving(..) | Phase::Done)
    }

    /// Whether the peer has answered the handshake, and the session is not over.
    pub fn is_connected(&self) -> bool {
        (Progressed::Answered..Progressed::Over).contains(&self.actor.life().phase)
    }

    /// Whether the peer has sent more of the recording than its handshake and its goodbye. A probe does not.
    pub fn is_engaged(&self) -> bool {
        self.arrived.1
    }

    /// Returns the counts so far. Round trips may be taken out.
    pub fn counts(&mut self) -> &mut Counts {
        &mut self.out.counts
    }

    /// The number of answers made live so far.
    pub fn answered(&self) -> u64 {
        self.out.counts.live
    }

    /// Returns the progress of the session.
    pub fn progress(&self) -> Progress {
        let (sent, all) = (self.next, self.plan.steps.len());
        Progress { sent, all, received: self.received.count() as usize, expected: self.plan.expected.len() }
    }

    /// Whether nothing of the plan is left to send.
    fn is_sent(&self) -> bool {
        self.next >= self.plan.steps.len() && self.late.is_empty() && self.unwritten.is_empty()
    }

    fn fail(&mut self, error: NetError) {
        match error {
            // The peer has closed the stream, which is no trouble if nothing is left to send.
            NetError::Closed { reset } if self.is_sent() => {
                let how = if reset { RESET } else { "it closed the connection" };
                self.cut = Some(how).filter(|_| !self.is_leaving());
                self.closed = true;
            }
            // A peer that was left closes its socket, so packets still in flight are refused.
            NetError::Refused if self.left || self.actor.over().is_some() => {}
            NetError::Closed { .. } if self.actor.over().is_some() => self.closed = true,
            other => {
                self.closed |= matches!(other, NetError::Closed { .. });
                self.stopped |= matches!(other, NetError::Interrupted | NetError::MaxTime(_));
                self.error.get_or_insert(other.to_string());
            }
        }
    }

    /// Sends the actor's messages: a step, or messages that it makes live.
    fn flush(&mut self, step: Option<&Step>, now: Instant) -> Result<(), NetError> {
        let dangerous = step.is_some_and(|s| s.recorded.decoded.fault.is_some() || self.settings.allow_dangerous);
        if std::mem::take(&mut self.out.reconnect) {
            if matches!(self.phase, Phase::Leaving(..)) {
                self.out.messages.clear();
                self.done();
                return Ok(());
            }
            if !self.channels.caller {
                return Err(NetError::Encode("a listening side cannot connect again".into()));
            }
            self.phase = Phase::Connecting;
            self.actions.push_back((Action::Reconnect, None));
        }
        if self.phase == Phase::Connecting {
            return Ok(());
        }
        if let Some(trouble) = self.out.trouble.take() {
            self.error.get_or_insert(trouble);
        }
        while let Some(decoded) = self.out.messages.pop_front() {
            match self.channels.send(&decoded, dangerous && self.settings.allow_dangerous, now) {
                Ok(()) => {}
                Err(error @ (NetError::Gate(_) | NetError::Encode(_))) => {
                    self.out.remark(format!("{}.{}: {error}", decoded.proto, decoded.message));
                    self.actor.unsendable(&decoded);
                    let unsent = Unsent {
                        frame: step.map_or(0, |step| step.recorded.frame),
                        message: format!("{}.{}", decoded.proto, decoded.message),
                        why: error.to_string(),
                    };
                    // A goodbye is sent several times.
                    if self.unsent.last() != Some(&unsent) && self.unsent.len() < UNSENT {
                        self.unsent.push(unsent);
                    }
                }
                Err(error) => return Err(error),
            }
            self.transmit();
        }
        if let Some(port) = self.out.connect.take()
            && let Some(ours) = self.settings.datagram_port
            && self.channels.connect_datagrams(ours, port)
        {
            self.actions.push_back((Action::ConnectDatagrams(port), None));
        }
        Ok(())
    }

    fn transmit(&mut self) {
        for channel in [Channel::Main, Channel::Datagrams] {
            while let Some(bytes) = self.channels.get(channel).and_then(|exchange| exchange.poll_transmit()) {
                self.actions.push_back((Action::Send(channel, bytes), None));
            }
        }
    }
}

fn unsent_step(step: &Step, why: &str) -> Unsent {
    Unsent { frame: step.recorded.frame, message: step.name(), why: why.into() }
}
