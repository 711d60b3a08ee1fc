//! Plays a conversation to a peer's address, and returns the report.

use super::compare::{Compared, compare, expected_parts};
use super::opening::Opening;
use super::plan::{Choices, Plan, Unsent};
use super::player::{Channels, Pace, Player, Progress, Settings};
use super::recording::Conversation;
use super::report::Report;
use super::sockets::{Sockets, play};
use super::waiting::{Acceptor, Waiting};
use crate::dissect::Options;
use crate::flow::Transport;
use crate::live::NetError;
use crate::live::exchange::{Observer, Setup};
use crate::live::net::socket::Other;
use crate::live::net::{CancelToken, Open, Recorder};
use crate::live::replay::actor::{Actor, ReplayContext};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// The time by which a session may exceed its recording, unless the user sets a limit.
const SPARE: Duration = Duration::from_secs(30);

/// The parameters of a session.
#[derive(Clone)]
pub struct Order<'a> {
    /// The conversation to play.
    pub conversation: &'a Conversation,
    /// The side to play, and the messages to leave out.
    pub choices: Choices,
    /// The speed.
    pub pace: Pace,
    /// The longest time for an answer that the protocol needs.
    pub timeout: Duration,
    /// The silence of the peer at the end after which missing messages are no longer waited for, if nothing depends on
    /// them.
    pub linger: Duration,
    /// The peer, as the user named it.
    pub host: &'a str,
    /// `ws://..`: the path.
    pub path: Option<&'a str>,
    /// Records the exchange.
    pub recorder: Option<&'a Recorder>,
    /// Sees the messages.
    pub observer: Option<Observer<'a>>,
    /// The user's request to stop.
    pub stop: &'a CancelToken,
    /// The time limit of a session; `None`: see [`Order::most`].
    pub max_time: Option<Duration>,
    /// The conversation's number in recordings and for observers.
    pub flow: u64,
}

/// A silence of the peer that is long enough if nothing depends on the missing messages.
pub const LINGER: Duration = Duration::from_millis(500);

/// A session that was played.
struct Played {
    report: Report,
    /// The peer has sent more than the recording's opening.
    engaged: bool,
    /// The last datagrams of others.
    others: VecDeque<Other>,
}

impl<'a> Order<'a> {
    /// Returns the user's options, with the settings that the recording determines.
    pub fn options(&self, options: &Options) -> Options {
        let mut options = options.clone();
        options.from = None;
        for setting in self.conversation.replay.settings(&self.conversation.messages) {
            let given = setting.split('=').next().is_some_and(|key| options.settings.get(key).is_some());
            if !given {
                // The protocol's own settings are valid. One that is not would only be of no help.
                let _ = options.set(&setting);
            }
        }
        options
    }

    /// Returns the time limit of a session: the user's, else the recording's duration at this pace, plus all delays by
    /// edits and half a minute. It is never shorter than the time for one answer of the peer.
    pub fn most(&self) -> Duration {
        let Conversation { messages, .. } = self.conversation;
        let ours = messages.iter().filter(|m| m.decoded.from == self.choices.role);
        let delayed = ours.fold(Duration::ZERO, |sum, m| sum.saturating_add(m.changed.delay));
        let recorded = self.pace.whole(self.conversation.duration()).saturating_add(delayed);
        self.max_time.unwrap_or_else(|| recorded.saturating_add(SPARE.max(self.timeout)))
    }

    fn context<'c>(&'c self, options: &'c Options) -> ReplayContext<'c> {
        ReplayContext {
            messages: &self.conversation.messages,
            role: self.choices.role,
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

    /// Returns the plan, and the actor that plays it.
    pub fn plan(&self, options: &Options) -> (Plan, Box<dyn Actor>) {
        let mut actor = self.conversation.replay.actor(&self.context(options));
        let plan = Plan::new(&self.conversation.messages, &self.choices, &mut *actor);
        (plan, actor)
    }

    /// Returns the conversation with all edited messages of ours written. Values that differ by client are kept as they
    /// are, and are written for the last of these `clients`, whose number is the longest. Without clients, the number
    /// is 1.
    ///
    /// # Errors
    /// Returns the message and the field that cannot be as the user wants it.
    pub fn write_edits(&self, options: &Options, clients: Option<u32>) -> Result<Conversation, String> {
        let mut conversation = self.conversation.clone();
        if conversation.messages.iter().any(|m| !m.changed.rules.is_empty()) {
            let (plan, actor) = self.plan(options);
            if let Some(Unsent { frame, message, why }) = plan.ineffective {
                return Err(format!(
                    "frame {frame}, {message}: the live session generates its own {why}: the rule would have no effect"
                ));
            }
            conversation.write_edits(&self.choices, options, &*actor, clients)?;
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
            role: self.choices.role,
        }
    }

    /// Returns the settings for a session. `datagram_port` is the port of our socket for datagrams beside the stream.
    pub fn settings(&self, options: &Options, datagram_port: Option<u16>) -> Settings {
        Settings {
            pace: self.pace,
            timeout: self.timeout,
            linger: self.linger,
            kept: options.limits.peer.live_kept_bytes,
            allow_dangerous: self.choices.allow_dangerous,
            stream: self.conversation.transport == Transport::Tcp,
            datagram_port,
            client: 1,
        }
    }

    /// Whether there may be datagrams beside the stream.
    pub fn wants_datagrams(&self) -> bool {
        let Conversation { transport, replay, messages, .. } = self.conversation;
        *transport == Transport::Tcp && replay.wants_datagrams(messages)
    }

    /// Returns the parameters of an exchange between these addresses.
    pub fn setup(&self, ends: [SocketAddr; 2]) -> Setup<'a> {
        Setup { compared: self.conversation.compared.clone(), ..self.open(ends[1]).setup(ends) }
    }

    /// Plays a session. Returns the report, and whether the peer sent more of the recording than its handshake and its
    /// goodbye.
    fn play(
        &self,
        mut sockets: Sockets<'a>,
        options: &Options,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Played, NetError> {
        let (plan, actor) = self.plan(options);
        let port = if self.wants_datagrams() { Some(sockets.open_datagrams()?) } else { None };
        let settings = self.settings(options, port);
        let setup = sockets.opened().setup(sockets.ends());
        let setup = Setup { compared: self.conversation.compared.clone(), ..setup };
        let channels = Channels::new(setup, options, sockets.caller);
        let mut player = Player::new(&plan, actor, channels, &settings, Instant::now());
        let stop = self.stop.within(self.most());
        sockets.heed(&stop);
        play(&mut player, &mut sockets, &stop, progress);
        let engaged = player.is_engaged();
        Ok(Played { report: player.report(Instant::now()), engaged, others: sockets.others() })
    }

    /// Connects to the peer and plays a session. `options`: those of [`Order::options`].
    ///
    /// # Errors
    /// Returns the reason why the peer is not reached.
    pub fn to(
        &self,
        peer: SocketAddr,
        options: &Options,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Report, NetError> {
        self.play(Sockets::to(self.open(peer))?, options, progress).map(|played| played.report)
    }

    /// Waits for a peer and plays a session with it, if it sends the recorded opening. A peer that leaves, with no more
    /// of the recording sent than its handshake, makes room for another. It is reported, and so are other visitors. The
    /// time for an answer starts anew with each of them.
    ///
    /// # Errors
    /// Returns the errors of the sockets. No peer arrived before `until`, or before the user stopped the wait.
    pub fn answer(
        &self,
        waiting: &Waiting,
        options: &Options,
        until: Option<Instant>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Report, NetError> {
        let actor = || self.plan(options).1;
        let opening = Opening::new(self.conversation, self.choices.role, options, &actor);
        let mut acceptor = Acceptor::new(waiting, opening);
        let mut open = self.open(([0, 0, 0, 0], 0).into());
        let mut last: Option<Report> = None;
        let report = loop {
            match acceptor.next(&open, self.timeout, until) {
                Ok((sockets, peer)) => {
                    let Played { report, engaged, others } = self.play(sockets, options, progress)?;
                    if engaged || report.stopped || report.complete() {
                        break report;
                    }
                    acceptor.left(
                        peer,
                        others,
                        report.ended.as_ref().or(report.trouble.as_ref()).map_or("silent", |why| why),
                    );
                    last = Some(report);
                    // The session has one number, and the datagrams beside it another.
                    open.flow += 2;
                }
                Err(error @ (NetError::NoAnswer | NetError::Interrupted)) => {
                    if acceptor.visitors.last.is_none() {
                        return Err(error);
                    }
                    acceptor.close();
                    break self.unplayed(last, options, &acceptor, &error);
                }
                Err(error) => return Err(error),
            }
        };
        acceptor.close();
        let mut remarks: Vec<String> = acceptor.visitors.remarks().collect();
        remarks.extend(report.remarks);
        Ok(Report { remarks, ..report })
    }

    /// Returns the report if no visitor was played, or if the last one has left at once: then it is that session's.
    fn unplayed(&self, last: Option<Report>, options: &Options, acceptor: &Acceptor<'_, '_>, why: &NetError) -> Report {
        let stopped = matches!(why, NetError::Interrupted);
        let mut report = last.unwrap_or_else(|| {
            let (plan, actor) = self.plan(options);
            let expected = expected_parts(&*actor, &plan.expected, &|_| false);
            let Compared { divergences, others } = compare(&*actor, &expected, &[]);
            let (steps, expected) = (plan.steps.len() as u64, divergences.len() as u64);
            let trouble = acceptor.visitors.why.clone().filter(|_| !stopped);
            Report { steps, expected, divergences, others, trouble, ..Report::default() }
        });
        let nobody =
            format!("nobody else sent {}, the recording's opening, within {:?}", acceptor.name(), self.timeout);
        report.stopped |= stopped;
        match &mut report.trouble {
            _ if stopped => _ = report.trouble.get_or_insert(why.to_string()),
            Some(trouble) => trouble.push_str(&format!("; {nobody}")),
            None => report.trouble = Some(nobody),
        }
        report
    }
}
