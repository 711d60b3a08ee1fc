//! A welcome client: the handshake's end, heartbeats, acknowledgements.

use super::Client;
use super::answer::ended;
use crate::live::NetError;
use crate::live::OwnedMessage;
use crate::live::probe::{Ask, Failure, Findings};
use serde_json::json;
use std::time::{Duration, Instant};

/// Servers answer in a tick of their own: 20 ms is Unity's.
const TICK_NANOS: u32 = 20_000_000;

/// Which reliable messages of the server came, as acks tell it.
#[derive(Default)]
pub struct Received {
    /// The newest.
    pub last: u16,
    /// Which of the 16 before it.
    pub bits: u16,
}

impl Received {
    /// Takes one in.
    pub fn take(&mut self, sequence: u16) {
        match sequence.wrapping_sub(self.last) as i16 {
            ahead @ 1.. => {
                let shift = ahead as u32;
                let moved = if shift < 16 { self.bits << shift } else { 0 };
                self.bits = if shift <= 16 { moved | 1 << (shift - 1) } else { 0 };
                self.last = sequence;
            }
            behind @ ..0 => {
                let bit = behind.unsigned_abs() as u32 - 1;
                self.bits |= if bit < 16 { 1 << bit } else { 0 };
            }
            0 => {}
        }
    }
}

impl Client<'_> {
    /// Completes the handshake, and measures heartbeats.
    pub(super) fn talk(&mut self, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        let mut rtt: i64 = -1;
        // TCP: the first answer is late by interplay of the stacks' own timers.
        let warm_up = u32::from(!self.datagrams());
        for ping in 0..ask.samples + warm_up {
            if !self.seen_ack {
                self.send("welcome", json!({"sequence_id": 1, "client_id": self.id}))?;
            }
            let id = ping as u8;
            let sent = self.send("heartbeat", json!({"ping_id": id, "rtt": rtt}))?;
            let answer = self.heartbeat(id, sent + ask.timeout.min(Duration::from_secs(1)), findings)?;
            let took = answer.map(|at| at.saturating_duration_since(sent));
            rtt = took.map_or(rtt, |took| took.as_millis().min(i16::MAX as u128) as i64);
            if ping >= warm_up {
                findings.sample("heartbeat", took);
            }
            if ping + 1 < ask.samples + warm_up {
                // A random moment, so that the server's tick is met in every phase.
                self.idle(ask, sent + ask.interval + phase(), findings)?;
            }
        }
        findings.note("round trips include up to one tick of the server (20 ms in Unity); the minimum is the nearest to the network's");
        Ok(())
    }

    /// Waits for the answer to a ping: when it came.
    pub(super) fn heartbeat(
        &mut self,
        id: u8,
        until: Instant,
        findings: &mut Findings<'_>,
    ) -> Result<Option<Instant>, Failure> {
        while let Some(heard) = self.recv(until)? {
            if heard.message == "heartbeat" && heard.fault.is_none() {
                match heard.number("ping_id") == Some(id as u64) {
                    true => return Ok(heard.first),
                    false => findings.duplicates += 1,
                }
                continue;
            }
            self.other(heard, findings)?;
        }
        Ok(None)
    }

    pub(super) fn idle(&mut self, ask: &Ask<'_>, until: Instant, findings: &mut Findings<'_>) -> Result<(), Failure> {
        while let Some(heard) = self.recv(until)? {
            match heard.message {
                "heartbeat" => findings.duplicates += 1,
                _ => self.other(heard, findings)?,
            }
        }
        if ask.stop.is_set() { Err(Failure::interrupted()) } else { Ok(()) }
    }

    pub(super) fn recv(&mut self, until: Instant) -> Result<Option<OwnedMessage>, Failure> {
        self.link.recv(until).map_err(|trouble| {
            self.open &= !matches!(trouble, NetError::Closed { .. } | NetError::Refused);
            self.trouble(trouble)
        })
    }

    /// Whatever else a server sends to its client.
    pub(super) fn other(&mut self, heard: OwnedMessage, findings: &mut Findings<'_>) -> Result<(), Failure> {
        match (heard.message, &heard.fault) {
            (_, Some(_)) => self.aside.put(heard),
            ("disconnect", None) => {
                self.open = false;
                return Err(ended(&heard));
            }
            ("reject", None) => {
                self.open = false;
                return Err(self.rejected(&heard));
            }
            ("ack", None) => {
                self.seen_ack = true;
                let extra = heard.fields.get("is_extra").and_then(serde_json::Value::as_bool);
                if self.version != "2.0"
                    && let Some(found) = &mut findings.found
                {
                    // 2.1 always sends for_seq_id, 2.2 only where is_extra says so.
                    let old = extra == Some(false) && heard.fields.get("for_seq_id").is_some();
                    self.version = if old { "2.1" } else { "2.2" };
                    found.version = Some(self.version.into());
                }
            }
            _ => self.reliable(&heard)?,
        }
        Ok(())
    }
}

/// A part of a tick that nobody can foresee.
fn phase() -> Duration {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Duration::from_nanos((now.subsec_nanos().wrapping_mul(2_654_435_761) % TICK_NANOS) as u64)
}
