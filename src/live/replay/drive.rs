//! From a conversation and a peer's address to a report.

use super::compare::{Compared, apart, compare};
use super::opening::Opening;
use super::plan::{Plan, Wishes};
use super::player::{Channels, Pace, Player, Progress, Settings};
use super::recording::Conversation;
use super::report::Report;
use super::sockets::{Sockets, play};
use super::waiting::{Door, Waiting};
use crate::dissect::Options;
use crate::flow::Transport;
use crate::live::NetError;
use crate::live::exchange::{Observer, Setup};
use crate::live::net::{CancelToken, Open, Recorder};
use crate::live::replay::actor::{Actor, ReplayContext};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// How much longer than its recording a session may take, if the user says nothing.
const SPARE: Duration = Duration::from_secs(30);

/// What is wanted of a session.
#[derive(Clone)]
pub struct Order<'a> {
    /// What is played.
    pub conversation: &'a Conversation,
    /// Whom we play, and what is left out.
    pub wishes: Wishes,
    /// How fast.
    pub pace: Pace,
    /// How long the peer may take where the protocol needs its answer.
    pub timeout: Duration,
    /// How long the peer must be silent at the end before what is missing, and nothing rests on,
    /// is not waited for any more.
    pub linger: Duration,
    /// The peer as the user named it.
    pub host: &'a str,
    /// `ws://..`: the path.
    pub path: Option<&'a str>,
    /// Where the exchange is recorded.
    pub recorder: Option<&'a Recorder>,
    /// Who sees the messages.
    pub observer: Option<Observer<'a>>,
    /// Ctrl-C.
    pub stop: &'a CancelToken,
    /// How long a session may take in all; `None`: [`Order::most`]'s.
    pub max_time: Option<Duration>,
    /// The conversation's number in what is recorded and watched.
    pub flow: u64,
}

/// A peer's silence that is long enough for what nothing rests on.
pub const LINGER: Duration = Duration::from_millis(500);

impl<'a> Order<'a> {
    /// The user's options, with what the recording tells beside them.
    pub fn options(&self, options: &Options) -> Options {
        let mut options = options.clone();
        options.from = None;
        for setting in self.conversation.replay.settings(&self.conversation.messages) {
            let given = setting.split('=').next().is_some_and(|key| options.settings.get(key).is_some());
            if !given {
                // What a protocol says about itself is right, and otherwise only not helpful.
                let _ = options.set(&setting);
            }
        }
        options
    }

    /// How long a session may take in all: what the user said, else as long as the recording at this
    /// pace with all that edits delay it by, and half a minute; never shorter than a peer may take for
    /// one answer.
    pub fn most(&self) -> Duration {
        let Conversation { messages, .. } = self.conversation;
        let ours = messages.iter().filter(|m| m.said.from == self.wishes.role);
        let delayed = ours.fold(Duration::ZERO, |sum, m| sum.saturating_add(m.changed.delay));
        let recorded = self.pace.whole(self.conversation.duration()).saturating_add(delayed);
        self.max_time.unwrap_or_else(|| recorded.saturating_add(SPARE.max(self.timeout)))
    }

    fn context<'c>(&'c self, options: &'c Options) -> ReplayContext<'c> {
        ReplayContext {
            messages: &self.conversation.messages,
            role: self.wishes.role,
            transport: self.conversation.transport,
            timeout: self.timeout,
            asap: self.pace.speed.is_none(),
            host: self.host,
            path: self.path,
            options,
            probe: false,
            version: None,
            data: None,
        }
    }

    /// The plan, and who plays it.
    pub fn plan(&self, options: &Options) -> (Plan, Box<dyn Actor>) {
        let mut actor = self.conversation.replay.actor(&self.context(options));
        let plan = Plan::new(&self.conversation.messages, &self.wishes, &mut *actor);
        (plan, actor)
    }

    /// The conversation with all edited messages of ours written.
    ///
    /// # Errors
    /// The message and the field that cannot be as the user wants it.
    pub fn write_edits(&self, options: &Options) -> Result<Conversation, String> {
        let mut conversation = self.conversation.clone();
        if conversation.messages.iter().any(|m| m.edited || m.changed.wrong.is_some()) {
            let actor = self.plan(options).1;
            conversation.write_edits(&self.wishes, options, &*actor)?;
        }
        Ok(conversation)
    }

    fn open(&self, peer: SocketAddr) -> Open<'a> {
        Open {
            dissector: self.conversation.dissector,
            version: None,
            transport: self.conversation.transport,
            websocket: self.path.is_some() || self.conversation.is_websocket(),
            peer,
            timeout: self.timeout,
            recorder: self.recorder,
            observer: self.observer.clone(),
            stop: self.stop.clone(),
            flow: self.flow,
            role: self.wishes.role,
        }
    }

    /// How a session is played; `beside`: the port of our socket for datagrams beside the stream.
    pub fn settings(&self, options: &Options, beside: Option<u16>) -> Settings {
        Settings {
            pace: self.pace,
            timeout: self.timeout,
            linger: self.linger,
            kept: options.limits.peer.live_kept_bytes,
            allow_dangerous: self.wishes.allow_dangerous,
            stream: self.conversation.transport == Transport::Tcp,
            beside,
        }
    }

    /// May there be datagrams beside the stream?
    pub fn wants_beside(&self) -> bool {
        let Conversation { transport, replay, messages, .. } = self.conversation;
        *transport == Transport::Tcp && replay.wants_beside(messages)
    }

    /// What an exchange between these ends needs to know.
    pub fn setup(&self, ends: [SocketAddr; 2]) -> Setup<'a> {
        Setup { compared: self.conversation.compared.clone(), ..self.open(ends[1]).setup(ends) }
    }

    /// Plays a session: what became of it, and whether the peer said more of the recording than its
    /// handshake and its goodbye.
    fn play(
        &self,
        mut sockets: Sockets<'a>,
        options: &Options,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(Report, bool), NetError> {
        let (plan, actor) = self.plan(options);
        let beside = if self.wants_beside() { Some(sockets.open_beside()?) } else { None };
        let settings = self.settings(options, beside);
        let setup = sockets.opened().setup(sockets.ends());
        let setup = Setup { compared: self.conversation.compared.clone(), ..setup };
        let channels = Channels::new(setup, options, sockets.is_caller());
        let mut player = Player::new(&plan, actor, channels, &settings, Instant::now());
        play(&mut player, &mut sockets, &self.stop.within(self.most()), progress);
        let engaged = player.is_engaged();
        Ok((player.report(Instant::now()), engaged))
    }

    /// Goes to the peer and plays a session. `options`: those of [`Order::options`].
    ///
    /// # Errors
    /// Why the peer is not reached.
    pub fn to(
        &self,
        peer: SocketAddr,
        options: &Options,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Report, NetError> {
        self.play(Sockets::to(self.open(peer))?, options, progress).map(|(report, _)| report)
    }

    /// Waits for a peer and plays a session with it. Whoever sends the recorded opening is played; a
    /// peer that leaves with nothing more said of the recording than its handshake gives the place
    /// back. That one, and others who came, are reported; the time for an answer runs from the last
    /// of them.
    ///
    /// # Errors
    /// Those of the sockets; nobody came before `until`, or before the user stopped it.
    pub fn answer(
        &self,
        waiting: &Waiting,
        options: &Options,
        until: Option<Instant>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Report, NetError> {
        let actor = || self.plan(options).1;
        let opening = Opening::new(self.conversation, self.wishes.role, options, &actor);
        let mut door = Door::new(waiting, opening);
        let mut open = self.open(([0, 0, 0, 0], 0).into());
        let mut last: Option<Report> = None;
        let report = loop {
            match door.next(&open, self.timeout, until) {
                Ok((sockets, peer)) => {
                    let (report, engaged) = self.play(sockets, options, progress)?;
                    if engaged || report.stopped || report.complete() {
                        break report;
                    }
                    door.left(peer, report.ended.as_ref().or(report.trouble.as_ref()).map_or("silent", |why| why));
                    last = Some(report);
                    // Its numbers, and those of the datagrams beside it.
                    open.flow += 2;
                }
                Err(error @ (NetError::NoAnswer | NetError::Interrupted)) => {
                    if door.visitors.last.is_none() {
                        return Err(error);
                    }
                    door.close();
                    break self.unplayed(last, options, &door, &error);
                }
                Err(error) => return Err(error),
            }
        };
        door.close();
        let mut remarks: Vec<String> = door.visitors.remarks().collect();
        remarks.extend(report.remarks);
        Ok(Report { remarks, ..report })
    }

    /// The report where whoever came was not played, or has left at once: then it is its session's.
    fn unplayed(&self, last: Option<Report>, options: &Options, door: &Door<'_, '_>, why: &NetError) -> Report {
        let stopped = matches!(why, NetError::Interrupted);
        let mut report = last.unwrap_or_else(|| {
            let (plan, actor) = self.plan(options);
            let expected = apart(&*actor, &plan.expected, &|_| false);
            let Compared { divergences, others } = compare(&*actor, &expected, &[]);
            let (steps, expected) = (plan.steps.len() as u64, divergences.len() as u64);
            let trouble = door.visitors.why.clone().filter(|_| !stopped);
            Report { steps, expected, divergences, others, trouble, ..Report::default() }
        });
        let nobody = format!("nobody else sent {}, the recording's opening, within {:?}", door.name(), self.timeout);
        report.stopped |= stopped;
        match &mut report.trouble {
            _ if stopped => _ = report.trouble.get_or_insert(why.to_string()),
            Some(trouble) => trouble.push_str(&format!("; {nobody}")),
            None => report.trouble = Some(nobody),
        }
        report
    }
}
