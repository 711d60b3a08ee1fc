//! Conversations that the file does not claim, with the reasons.

use super::excerpt::Excerpt;
use crate::dissect::{Decision, Evidence};
use crate::flow::Transport;
use crate::protocols::described::{Broken, Rejection};
use serde_json::{Value as Json, json};
use std::net::SocketAddr;

/// A conversation that the file does not claim.
#[derive(Clone, Debug)]
pub struct Rejected {
    pub flow: u64,
    pub transport: Transport,
    pub ends: [SocketAddr; 2],
    /// Its packets and bytes, known at its end.
    pub packets: u64,
    pub bytes: u64,
    /// Whether it has a port of the file.
    pub port: bool,
    /// The protocol that claimed it instead, and the reason.
    pub taken: Option<(&'static str, &'static str)>,
    /// The reason as a short word, for JSON.
    pub by: &'static str,
    /// The observation that ruled it out.
    pub why: String,
    /// The expected value in its place.
    pub expected: String,
    /// The bytes that ruled it out.
    pub excerpt: Option<Excerpt>,
}

impl Rejected {
    /// Creates it from a decision.
    pub fn new(decision: &Decision<'_>, port: bool, rejection: Rejection) -> Rejected {
        let mut rejected = Rejected {
            flow: decision.flow,
            transport: decision.transport,
            ends: decision.ends,
            packets: 0,
            bytes: 0,
            port,
            taken: decision.taken,
            by: "",
            why: String::new(),
            expected: String::new(),
            excerpt: None,
        };
        (rejected.by, rejected.why) = match rejection {
            Rejection::Transport => {
                ("transport", format!("it is {}, which the file does not have", decision.transport))
            }
            Rejection::Path => ("path", "it is not a WebSocket with the file's path or port".into()),
            Rejection::Few => ("few", "no packet could be tried: no stream begins with a complete packet".into()),
            Rejection::Bits(bits) => {
                let needed = Evidence::CLAIM;
                let why = format!("its packets fit, but do not identify it: {bits} of {needed} bits of evidence");
                ("bits", format!("{why} (a port of the file counts 15)"))
            }
            Rejection::Less(bits) => {
                let tie = decision.tied.map_or(String::new(), |(one, other)| {
                    format!(": {one} and {other} tie, so neither is used (choose one with -p or --port)")
                });
                ("less", format!("its packets fit, with {bits} bits of evidence{tie}"))
            }
            Rejection::Framing(side, bytes) => {
                rejected.excerpt = Some(Excerpt::around(&bytes, Some(0)));
                let from = decision.ends[side.index()];
                ("framing", format!("what {from} sends does not begin with a message as [tcp] frame describes it"))
            }
            Rejection::Misfit(Broken { number, side, bytes, misfit }) => {
                let at = misfit.bit.map(|bit| bit as usize / 8);
                rejected.excerpt = Some(Excerpt::around(&bytes, at));
                rejected.expected = misfit.expected;
                let from = decision.ends[side.index()];
                let place = at.map_or(String::new(), |at| format!("byte {at}, "));
                let why =
                    format!("its packet {number}, from {from}, does not fit: {place}{}: {}", misfit.path, misfit.what);
                ("misfit", why)
            }
        };
        rejected
    }

    /// Whether the reason was a packet that should fit.
    pub fn is_of_the_file(&self) -> bool {
        self.port && self.taken.is_none() && ["misfit", "framing"].contains(&self.by)
    }

    /// Returns it as JSON.
    pub fn json(&self) -> Json {
        let mut line = json!({
            "flow": self.flow,
            "transport": self.transport.name(),
            "ends": self.ends.map(|end| end.to_string()),
            "packets": self.packets,
            "bytes": self.bytes,
            "port": self.port,
            "by": self.by,
            "text": self.why,
        });
        if !self.expected.is_empty() {
            line["expected"] = self.expected.as_str().into();
        }
        if let Some(excerpt) = &self.excerpt {
            line["around"] = excerpt.json();
        }
        if let Some((proto, why)) = self.taken {
            line["taken_by"] = json!({ "proto": proto, "why": why });
        }
        line
    }
}
