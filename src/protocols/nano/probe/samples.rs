//! Round trips, by what the server answers of itself.

use super::Client;
use crate::dissect::Role;
use crate::live::probe::{Ask, Failure, Findings};
use crate::protocols::websocket;
use serde_json::json;
use std::time::{Duration, Instant};

impl Client<'_> {
    /// Measures with `one`, which sends and names the message that answers.
    pub(super) fn samples(
        &mut self,
        method: &'static str,
        ask: &Ask<'_>,
        findings: &mut Findings<'_>,
        one: fn(&mut Self) -> Result<(Instant, &'static str), Failure>,
    ) -> Result<(), Failure> {
        for number in 0..ask.samples {
            let (sent, wanted) = one(self)?;
            let until = sent + ask.timeout.min(Duration::from_secs(1));
            let mut took = None;
            while took.is_none() {
                let Some(heard) = self.recv(until)? else { break };
                match heard.message == wanted && heard.fault.is_none() && heard.from == Role::Server {
                    true => took = Some(heard.since(sent)),
                    false => self.other(heard)?,
                }
            }
            findings.sample(method, took);
            if took.is_none() && number > 0 && findings.samples.iter().all(|sample| sample.rtt.is_none()) {
                findings
                    .note(format!("the server answers no {method}: the time of its first handshake is all there is"));
                break;
            }
            if number + 1 < ask.samples {
                self.quiet(sent + ask.interval)?;
            }
        }
        Ok(())
    }

    pub(super) fn again(&mut self) -> Result<(Instant, &'static str), Failure> {
        Ok((self.shake()?, "handshake"))
    }

    pub(super) fn heartbeat(&mut self) -> Result<(Instant, &'static str), Failure> {
        Ok((self.send("heartbeat", &json!({}))?, "heartbeat"))
    }

    pub(super) fn ping(&mut self) -> Result<(Instant, &'static str), Failure> {
        let fields = json!({"mask": "6e65746b", "data": "6e6b"});
        let sent = self.link.send_as(websocket::NAME, "ping", &fields).map_err(|trouble| self.failure(trouble))?;
        Ok((sent, "pong"))
    }
}
