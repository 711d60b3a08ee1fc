//! What a probe has found so far: the server, round trips, notes.

use super::Carrier;
use crate::codec::layout::Field;
use crate::message::OwnedMessage;
use serde_json::{Map, Value as Json};
use std::cell::Cell;
use std::time::Duration;

/// One round trip asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Its number, from 1.
    pub number: u32,
    /// What was sent and answered: `heartbeat`.
    pub method: &'static str,
    /// How long the answer took; `None`: it did not come.
    pub rtt: Option<Duration>,
}

/// What is told while a probe runs.
#[derive(Clone, Debug)]
pub enum Event {
    /// A server was identified.
    Found(Found),
    /// A round trip, or its loss.
    Sample(Sample),
}

/// What a server is.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The protocol.
    pub proto: &'static str,
    /// What carries it.
    pub carrier: &'static str,
    /// The protocol's version, where it has several.
    pub version: Option<String>,
    /// Which program or family of programs, as far as its answers tell.
    pub family: Option<String>,
    /// The server's own words: game, heartbeat interval, client id.
    pub facts: Map<String, Json>,
}

/// What a probe has found so far.
pub struct Findings<'a> {
    /// What the server is, once it is known.
    pub found: Option<Found>,
    /// The round trips.
    pub samples: Vec<Sample>,
    /// What people should know of the figures.
    pub notes: Vec<String>,
    /// Answers that came twice.
    pub duplicates: u64,
    /// Sockets of the server that could not be given back.
    pub left: u64,
    tell: &'a dyn Fn(Event),
    told: Cell<bool>,
}

impl<'a> Findings<'a> {
    /// An empty findings, told to `tell`.
    pub fn new(tell: &'a dyn Fn(Event)) -> Findings<'a> {
        Findings {
            found: None,
            samples: Vec::new(),
            notes: Vec::new(),
            duplicates: 0,
            left: 0,
            tell,
            told: Cell::new(false),
        }
    }

    /// A server was identified.
    pub fn find(&mut self, proto: &'static str, carrier: Carrier, version: Option<String>) -> &mut Found {
        let carrier = carrier.name();
        self.found.insert(Found { proto, carrier, version, ..Found::default() })
    }

    /// Adds one of the server's own words.
    pub fn fact(&mut self, key: &str, value: impl Into<Json>) {
        if let Some(found) = &mut self.found {
            found.facts.insert(key.into(), value.into());
        }
    }

    /// Adds fields of an answer, by their names.
    pub fn fields(&mut self, heard: &OwnedMessage, fields: &[&Field]) {
        for field in fields {
            self.fact(field.name, heard.field(field).cloned().unwrap_or_default());
        }
    }

    /// Tells what was found, once: before the first sample, or at the end.
    pub fn introduce(&self) {
        if let Some(found) = &self.found
            && !self.told.replace(true)
        {
            (self.tell)(Event::Found(found.clone()));
        }
    }

    /// A round trip was measured, or its answer is lost.
    pub fn sample(&mut self, method: &'static str, rtt: Option<Duration>) {
        self.introduce();
        let sample = Sample { number: self.samples.len() as u32 + 1, method, rtt };
        self.samples.push(sample);
        (self.tell)(Event::Sample(sample));
    }

    /// A socket stays with the server; why.
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
