//! A welcome client: round trips by heartbeats.

use super::super::layout::Message::{self, *};
use super::super::layout::{FOR_SEQ, IS_EXTRA, PING};
use super::answer::ended;
use super::asked::Asked;
use crate::live::probe::{Ask, Carrier, Failure, Findings, Sampler, Session, session};
use crate::message::OwnedMessage;
use serde_json::json;
use std::time::{Duration, Instant};

/// Servers answer in a tick of their own: 20 ms is Unity's.
const TICK_NANOS: u32 = 20_000_000;

impl Asked<'_> {
    /// TCP: the first answer is late by interplay of the stacks' own timers.
    fn warm_up(&self) -> u32 {
        u32::from(self.session.carrier() != Carrier::Udp)
    }

    /// Measures heartbeats.
    pub(super) fn sample(&mut self, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        let count = ask.samples + self.warm_up();
        // A random moment, so that the server's tick is met in every phase.
        session::series(self, count, ask.answer_wait(), &|| ask.interval + phase(), ask, findings)?;
        findings.note("round trips include up to one tick of the server (20 ms in Unity); the minimum is the nearest to the network's");
        Ok(())
    }

    /// 2.1 always sends for_seq_id, 2.2 only where is_extra says so.
    fn ack(&mut self, heard: &OwnedMessage, findings: &mut Findings<'_>) {
        let extra = heard.field(&IS_EXTRA).and_then(serde_json::Value::as_bool);
        if self.version != "2.0"
            && let Some(found) = &mut findings.found
        {
            let old = extra == Some(false) && heard.has(&FOR_SEQ);
            self.version = if old { "2.1" } else { "2.2" };
            self.told = true;
            found.version = Some(self.version.into());
        }
    }
}

impl<'a> Sampler<'a> for Asked<'a> {
    fn session(&mut self) -> &mut Session<'a> {
        &mut self.session
    }

    fn ask(&mut self, number: u32) -> Result<Instant, Failure> {
        self.session.send(Heartbeat.name(), &json!({"ping_id": number as u8, "rtt": self.rtt}))
    }

    fn message(
        &mut self,
        heard: OwnedMessage,
        number: Option<u32>,
        findings: &mut Findings<'_>,
    ) -> Result<bool, Failure> {
        match (Message::named(heard.message), &heard.fault) {
            (_, Some(_)) => self.session.unexpected.put(heard),
            (Some(Heartbeat), None) => {
                let wanted = number.map(|number| u64::from(number as u8));
                if wanted.is_some() && heard.number(&PING) == wanted {
                    return Ok(true);
                }
                findings.duplicates += 1;
            }
            (message, None) => {
                self.session.accept(&heard)?;
                match message {
                    Some(Disconnect) => return Err(ended(&heard)),
                    Some(Reject) => return Err(self.rejected(&heard)),
                    Some(Ack) => self.ack(&heard, findings),
                    _ => {}
                }
            }
        }
        Ok(false)
    }

    fn sampled(&mut self, number: u32, took: Option<Duration>, findings: &mut Findings<'_>) -> bool {
        self.rtt = took.map_or(self.rtt, |took| took.as_millis().min(i16::MAX as u128) as i64);
        if number >= self.warm_up() {
            findings.sample(Heartbeat.name(), took);
        }
        true
    }
}

/// A part of a tick that nobody can foresee.
fn phase() -> Duration {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Duration::from_nanos((now.subsec_nanos().wrapping_mul(2_654_435_761) % TICK_NANOS) as u64)
}
