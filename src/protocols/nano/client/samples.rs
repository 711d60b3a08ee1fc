//! Round trips, by what the server answers of itself.

use super::super::layout::Message::{Handshake, Heartbeat};
use super::MASK;
use super::probe::{Asks, Client};
use crate::dissect::Role;
use crate::live::probe::{Ask, Failure, Findings, Sampler, Session, session};
use crate::message::OwnedMessage;
use crate::protocols::websocket;
use crate::protocols::websocket::layout::Message::{Ping, Pong};
use serde_json::json;
use std::time::{Duration, Instant};

impl Asks {
    /// Its name in the output.
    fn method(self) -> &'static str {
        match self {
            Asks::Handshake => Handshake.name(),
            Asks::Heartbeat => Heartbeat.name(),
            Asks::Ping => "websocket ping",
        }
    }

    /// The message that answers.
    fn answer(self) -> &'static str {
        match self {
            Asks::Ping => Pong.name(),
            other => other.method(),
        }
    }
}

impl Client<'_> {
    pub(super) fn samples(&mut self, asks: Asks, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        self.asks = asks;
        session::series(self, ask.samples, ask.answer_wait(), &|| ask.interval, ask, findings)
    }
}

impl<'a> Sampler<'a> for Client<'a> {
    fn session(&mut self) -> &mut Session<'a> {
        &mut self.session
    }

    fn ask(&mut self, _number: u32) -> Result<Instant, Failure> {
        match self.asks {
            Asks::Handshake => self.shake(),
            Asks::Heartbeat => self.session.send(Heartbeat.name(), &json!({})),
            Asks::Ping => self.session.send_as(websocket::NAME, Ping.name(), &json!({"mask": MASK, "data": "6e6b"})),
        }
    }

    fn message(
        &mut self,
        heard: OwnedMessage,
        number: Option<u32>,
        _findings: &mut Findings<'_>,
    ) -> Result<bool, Failure> {
        let answers = heard.message == self.asks.answer() && heard.fault.is_none() && heard.from == Role::Server;
        match (number, answers) {
            (Some(_), true) => return Ok(true),
            (None, _) if heard.message == Heartbeat => {}
            _ => self.other(heard)?,
        }
        Ok(false)
    }

    fn sampled(&mut self, number: u32, took: Option<Duration>, findings: &mut Findings<'_>) -> bool {
        let method = self.asks.method();
        findings.sample(method, took);
        let silent = took.is_none() && number > 0 && findings.samples.iter().all(|sample| sample.rtt.is_none());
        if silent {
            findings.note(format!("the server answers no {method}: the time of its first handshake is all there is"));
        }
        !silent
    }
}
