//! From a conversation and a peer's address to a report.

use super::engine::{Pace, Progress, Settings, play};
use super::live::{Live, Waiting};
use super::plan::{Plan, Wishes};
use super::recording::Conversation;
use super::report::Report;
use crate::dissect::Options;
use crate::flow::Transport;
use crate::live::net::{Open, Recorder, Stop, Trouble, Watch};
use crate::live::replay::actor::{Actor, Cast};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

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
    /// The peer as the user named it.
    pub host: &'a str,
    /// `ws://..`: the path.
    pub path: Option<&'a str>,
    /// Where the exchange is recorded.
    pub recorder: Option<&'a Recorder>,
    /// Who sees the messages.
    pub watch: Option<Watch<'a>>,
    /// Ctrl-C.
    pub stop: &'a Stop,
    /// The conversation's number in what is recorded and watched.
    pub flow: u64,
}

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

    fn cast<'c>(&'c self, options: &'c Options) -> Cast<'c> {
        Cast {
            messages: &self.conversation.messages,
            role: self.wishes.role,
            transport: self.conversation.transport,
            timeout: self.timeout,
            asap: self.pace.speed.is_none(),
            host: self.host,
            path: self.path,
            options,
        }
    }

    /// The plan, and who plays it.
    pub fn plan(&self, options: &Options) -> (Plan, Box<dyn Actor>) {
        let mut actor = self.conversation.replay.actor(&self.cast(options));
        let plan = Plan::new(&self.conversation.messages, &self.wishes, &mut *actor);
        (plan, actor)
    }

    fn open(&self, peer: SocketAddr) -> Open<'a> {
        Open {
            dissector: self.conversation.dissector,
            version: None,
            transport: self.conversation.transport,
            peer,
            timeout: self.timeout,
            recorder: self.recorder,
            watch: self.watch.clone(),
            stop: self.stop,
            flow: self.flow,
            role: self.wishes.role,
        }
    }

    fn websocket(&self) -> bool {
        self.path.is_some() || self.conversation.is_websocket()
    }

    fn settings(&self, options: &Options) -> Settings {
        Settings {
            pace: self.pace,
            timeout: self.timeout,
            kept: options.limits.peer.live_kept_bytes,
            stop: self.stop.clone(),
            allow_dangerous: self.wishes.allow_dangerous,
            stream: self.conversation.transport == Transport::Tcp,
            beside: self.conversation.transport == Transport::Tcp
                && self.conversation.replay.wants_beside(&self.conversation.messages),
        }
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
    ) -> Result<Report, Trouble> {
        let (plan, mut actor) = self.plan(options);
        let mut live = Live::to(self.open(peer), options, self.websocket())?;
        Ok(play(&plan, &mut *actor, &mut live, &self.settings(options), progress))
    }

    /// Waits for a peer and plays a session with it.
    ///
    /// # Errors
    /// Those of the sockets; nobody came before `until`.
    pub fn answer(
        &self,
        waiting: &Waiting,
        options: &Options,
        until: Option<Instant>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Report, Trouble> {
        let (plan, mut actor) = self.plan(options);
        let open = self.open(([0, 0, 0, 0], 0).into());
        let mut live = waiting.peer(open, options, self.websocket(), self.stop, until)?;
        Ok(play(&plan, &mut *actor, &mut live, &self.settings(options), progress))
    }
}
