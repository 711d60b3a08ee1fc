//! The findings of a probe so far: the server, round trips, notes.

use super::Carrier;
use crate::codec::layout::Field;
use crate::message::OwnedMessage;
use serde_json::{Map, Value as Json};
use std::cell::Cell;
use std::time::Duration;

/// One round trip that was attempted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Its number, from 1.
    pub number: u32,
    /// The request that was sent: `heartbeat`.
    pub method: &'static str,
    /// The response time; `None` if there was no response.
    pub rtt: Option<Duration>,
}

/// An event that is reported while a probe runs.
#[derive(Clone, Debug)]
pub enum Event {
    /// A server was identified.
    Found(Found),
    /// A round trip was measured, or its answer is lost.
    Sample(Sample),
}

/// The description of a server.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Found {
    /// The protocol.
    pub proto: &'static str,
    /// The carrier.
    pub carrier: &'static str,
    /// The protocol's version, if it has several.
    pub version: Option<String>,
    /// The program or family of programs, as far as its answers reveal it.
    pub family: Option<String>,
    /// Facts that the server has reported: game, heartbeat interval, client id.
    pub facts: Map<String, Json>,
}

/// The findings of a probe so far.
pub struct Findings<'a> {
    /// The server, once it is known.
    pub found: Option<Found>,
    /// The round trips.
    pub samples: Vec<Sample>,
    /// Remarks for people about the figures.
    pub notes: Vec<String>,
    /// Repeated answers.
    pub duplicates: u64,
    /// Sockets of the server that could not be released.
    pub left: u64,
    emit: &'a dyn Fn(Event),
    has_advice: Cell<bool>,
}

impl<'a> Findings<'a> {
    /// Creates empty findings, which are reported to `emit`.
    pub fn new(emit: &'a dyn Fn(Event)) -> Findings<'a> {
        Findings {
            found: None,
            samples: Vec::new(),
            notes: Vec::new(),
            duplicates: 0,
            left: 0,
            emit,
            has_advice: Cell::new(false),
        }
    }

    /// Sets the server that was identified.
    pub fn find(&mut self, proto: &'static str, carrier: Carrier, version: Option<String>) -> &mut Found {
        let carrier = carrier.name();
        self.found.insert(Found { proto, carrier, version, ..Found::default() })
    }

    /// Adds a fact that the server has reported.
    pub fn fact(&mut self, key: &str, value: impl Into<Json>) {
        if let Some(found) = &mut self.found {
            found.facts.insert(key.into(), value.into());
        }
    }

    /// Adds fields of an answer, by their names.
    pub fn fields(&mut self, received: &OwnedMessage, fields: &[&Field]) {
        for field in fields {
            self.fact(field.name, received.field(field).cloned().unwrap_or_default());
        }
    }

    /// Reports the server, once: before the first sample, or at the end.
    pub fn introduce(&self) {
        if let Some(found) = &self.found
            && !self.has_advice.replace(true)
        {
            (self.emit)(Event::Found(found.clone()));
        }
    }

    /// Adds a round trip; `None` if its answer is lost.
    pub fn sample(&mut self, method: &'static str, rtt: Option<Duration>) {
        self.introduce();
        let sample = Sample { number: self.samples.len() as u32 + 1, method, rtt };
        self.samples.push(sample);
        (self.emit)(Event::Sample(sample));
    }

    /// Counts a socket that stays with the server, and notes the reason.
    pub fn leaves(&mut self, why: impl Into<String>) {
        self.left += 1;
        self.note(why);
    }

    /// Adds a note, once.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}
