//! The parameters of a conversation with a live peer.

use super::cancel::CancelToken;
use super::record::{Recorder, now};
use super::wire::Wire;
use crate::dissect::{Dissector, Role};
use crate::flow::Transport;
use crate::live::NetError;
use crate::live::exchange::{Clock, Observer, Setup};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// The parameters of a conversation to be opened.
#[derive(Clone)]
pub struct Open<'a> {
    /// The protocol.
    pub dissector: &'static dyn Dissector,
    /// The version in which messages are written.
    pub version: Option<&'static str>,
    /// UDP or TCP.
    pub transport: Transport,
    /// Whether messages are in WebSocket frames.
    pub websocket: bool,
    /// The peer.
    pub peer: SocketAddr,
    /// The longest time for TCP's handshake.
    pub timeout: Duration,
    /// Records the exchange.
    pub recorder: Option<&'a Recorder>,
    /// Sees the messages.
    pub observer: Option<Observer<'a>>,
    /// The request to stop.
    pub stop: CancelToken,
    /// The conversation's number.
    pub flow: u64,
    /// Our role.
    pub role: Role,
}

impl<'a> Open<'a> {
    /// Connects to the peer: a UDP socket that receives only from it, or a TCP connection.
    ///
    /// # Errors
    /// Returns the reason why it is not reached.
    pub fn connect(&self) -> Result<Wire<'a>, NetError> {
        self.stop.check()?;
        Wire::connect(self.transport, self.peer, self.timeout, self.recorder, &self.stop)
    }

    /// Returns the parameters of an exchange between these addresses.
    pub fn setup(&self, ends: [SocketAddr; 2]) -> Setup<'a> {
        let Open { dissector, version, transport, websocket, flow, role, .. } = *self;
        let clock = Clock { at: Instant::now(), time: now() };
        let observer = self.observer.clone();
        Setup { dissector, version, transport, ends, flow, role, websocket, observer, compared: None, clock }
    }
}
