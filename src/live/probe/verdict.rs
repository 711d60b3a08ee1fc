//! The verdict if the right answer did not arrive, based on the data that arrived instead.

use super::strangers::{banner, stranger};
use super::{Ask, Carrier, Failure, Outcome};
use crate::flow::Transport;
use crate::message::OwnedMessage;
use serde_json::{Value as Json, json};
use std::time::Duration;

/// Messages that were received unexpectedly. The verdict is based on them if the right message does not arrive.
#[derive(Debug, Default)]
pub struct Unexpected(Vec<OwnedMessage>);

/// The number of them that are kept.
const ASIDE: usize = 16;

impl Unexpected {
    /// Keeps a message.
    pub fn put(&mut self, received: OwnedMessage) {
        if self.0.len() < ASIDE {
            self.0.push(received);
        }
    }

    /// Whether nothing was unexpected.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the verdict if the answer did not arrive: a broken answer, another protocol's, or silence.
    pub fn verdict(&self, ask: &Ask<'_>, carrier: Carrier, raw: &[Vec<u8>], sent: &str, advice: &str) -> Failure {
        let name = ask.dissector.name();
        let ours = ask.request.clients.probe(name).map_or(&[][..], |probe| probe.servers().answers);
        let broken = |received: &&OwnedMessage| received.fault.is_some() && ours.contains(&received.message);
        if let Some(stranger) = stranger(raw) {
            let text = format!("the answer is {}, not {name}: {}", stranger.name, stranger.answer);
            return Failure::new(Outcome::OtherProtocol, text, stranger.advice)
                .with("other", Json::Null)
                .with("stranger", stranger.name)
                .with("bytes", hex_of(raw));
        }
        if let Some(proto) = recognise(ask, carrier.transport(), raw) {
            let text = format!("the answer is {proto}, not {name}: {}", hex_of(raw));
            let advice = format!("probe it with --proto {proto}");
            return Failure::new(Outcome::OtherProtocol, text, advice).with("other", proto).with("bytes", hex_of(raw));
        }
        // If nobody names a protocol, a single byte indicates none: it may be the first one of any message.
        let more = ask.request.proto.is_some() || raw.iter().any(|bytes| bytes.len() > 1);
        if let Some(received) = self.0.iter().find(broken).filter(|_| more) {
            let fault = received.fault.clone().unwrap_or_default();
            let bytes = if raw.is_empty() { String::new() } else { format!("; bytes {}", hex_of(raw)) };
            let text = format!("a broken answer: {fault}{bytes}");
            let advice =
                "something on the path may truncate packets, or the server speaks another protocol; -v shows the tree";
            let answer = json!({"message": received.message, "fields": received.to_json(), "fault": fault});
            return Failure::new(Outcome::Broken, text, advice).with("answer", answer).with("bytes", hex_of(raw));
        }
        if raw.iter().any(|bytes| !bytes.is_empty()) {
            let line = banner(raw).unwrap_or_else(|| hex_of(raw));
            let text = format!("something answered, but not {name}: {line}");
            let advice = "check the port; without --proto all protocols are tried";
            return Failure::new(Outcome::OtherProtocol, text, advice)
                .with("other", Json::Null)
                .with("bytes", hex_of(raw));
        }
        let text = format!("no answer within {} to {sent}", seconds(ask.timeout));
        Failure::new(Outcome::Silent, text, advice)
    }
}

/// Returns the verdict if the received data is the data that was sent.
pub fn echo(ask: &Ask<'_>) -> Failure {
    let text = format!("the port returns what it is sent: an echo, not {}", ask.dissector.name());
    Failure::new(Outcome::OtherProtocol, text, "check the port").with("other", Json::Null).with("stranger", "echo")
}

/// Returns the first bytes that were received, as hex.
pub fn hex_of(raw: &[Vec<u8>]) -> String {
    let first = raw.iter().find(|bytes| !bytes.is_empty()).map_or(&[][..], Vec::as_slice);
    let shown = first.get(..first.len().min(24)).unwrap_or_default();
    format!("{}{}", hex::encode(shown), if shown.len() < first.len() { ".." } else { "" })
}

/// Formats a time for people: `1.5 s`.
pub fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

/// Returns the other protocol whose server sends this.
fn recognise(ask: &Ask<'_>, transport: Transport, raw: &[Vec<u8>]) -> Option<&'static str> {
    let others = ask.request.clients.iter().filter(|client| client.dissector.name() != ask.dissector.name());
    let mut others = others.filter_map(|client| client.probe.map(|probe| (client.dissector, probe)));
    let found = others.find(|(dissector, probe)| {
        probe.servers().methods.iter().any(|course| course.carrier.transport() == transport)
            && raw.iter().filter(|bytes| !bytes.is_empty()).any(|bytes| {
                let first = crate::live::exchange::read_alone(*dissector, transport, bytes);
                first.is_some_and(|received| {
                    received.fault.is_none() && probe.servers().answers.contains(&received.message)
                })
            })
    });
    found.map(|(dissector, _)| dissector.name())
}
