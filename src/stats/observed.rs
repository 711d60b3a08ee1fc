//! Observations: the parts of messages that statistics need, made by any thread and counted by one thread in order.

use super::Stats;
use super::payloads::Payloads;
use crate::capture::Time;
use crate::codec::Level;
use crate::dissect::delivery::Event;
use crate::dissect::{Message, Options, Role, Unit, UnitKind, Wants};
use crate::flow::{Closing, Side, Transport};
use crate::read::{Producer, Receiver};
use std::cell;
use std::net::SocketAddr;

/// A message, followed by its parts; or the end of a conversation.
#[derive(Clone, Debug)]
pub enum Observed {
    /// A message.
    Message(Observation),
    /// A delivery event of the message before it.
    Event(Event),
    /// A schema message in the message before it: its name and its bytes.
    Schema(&'static str, u64),
    /// The application's words with which the message before it refuses or ends its connection.
    Farewell(Words),
    /// The end of a conversation: its number, and the end of its transport.
    Ended(u64, Closing),
}

/// Words of an application, cut to a fixed length: observations own no heap memory. Words that are cut end in "…".
#[derive(Clone, Copy, Debug)]
pub struct Words {
    bytes: [u8; Words::MOST],
    length: u8,
}

impl Words {
    const MOST: usize = 120;

    fn of(text: &str) -> Words {
        let whole = text.len() <= Words::MOST;
        let mark = if whole { "" } else { "…" };
        let most = text.len().min(Words::MOST - mark.len());
        let cut = (0..=most).rev().find(|cut| text.is_char_boundary(*cut)).unwrap_or(0);
        let mut words = Words { bytes: [0; Words::MOST], length: (cut + mark.len()) as u8 };
        let bytes = text.bytes().take(cut).chain(mark.bytes());
        words.bytes.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        words
    }

    /// The text.
    pub fn text(&self) -> &str {
        let bytes = self.bytes.get(..self.length.into()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

/// The counted properties of a message.
#[derive(Clone, Debug)]
pub struct Observation {
    pub(super) flow: u64,
    pub(super) proto: &'static str,
    pub(super) message: &'static str,
    pub(super) version: Option<&'static str>,
    pub(super) from: Role,
    pub(super) transport: Transport,
    pub(super) ends: Option<[SocketAddr; 2]>,
    pub(super) side: Side,
    pub(super) frame: u64,
    pub(super) time: Time,
    pub(super) bytes: u64,
    pub(super) fault: bool,
    pub(super) warned: bool,
    pub(super) reliable: bool,
    /// Whether it is a line of the carrier that carries nothing, such as an upgrade or a pong.
    pub(super) carrier_alone: bool,
}

/// Makes observations from messages.
#[derive(Debug, Default)]
pub struct Observer {
    payloads: Payloads,
}

impl Observer {
    /// An observer; `options` are those with which the capture is read.
    pub fn new(options: &Options) -> Observer {
        Observer { payloads: Payloads::new(options) }
    }

    /// The parts of a message that are counted, for [`Options::wants`].
    pub fn reads(&self) -> Wants {
        if self.payloads.is_empty() { Wants::DELIVERY } else { Wants::DELIVERY | Wants::DERIVED }
    }

    /// Appends a message and its parts.
    pub fn message(&self, message: &Message<'_>, out: &mut Vec<Observed>) {
        let Message { dissection, place, flow_info, .. } = *message;
        out.push(Observed::Message(Observation {
            flow: flow_info.flow,
            proto: dissection.proto,
            message: dissection.message,
            version: dissection.version,
            from: dissection.from,
            transport: flow_info.transport,
            ends: flow_info.ends,
            side: place.side,
            frame: place.frame,
            time: place.time,
            bytes: message.counted(),
            fault: dissection.fault.is_some(),
            warned: matches!(dissection.notes.worst(), Some(Level::Warning | Level::Error)),
            reliable: flow_info.transport == Transport::Tcp
                || dissection.delivery.iter().any(|e| matches!(e, Event::Sent { acknowledged: true, .. })),
            carrier_alone: dissection.fault.is_none()
                && matches!(dissection.unit, Some(Unit { kind: UnitKind::Carrier, .. })),
        }));
        if !self.payloads.is_empty() {
            // Schema messages are in the fields, or in the derived values if the payload stays hex.
            let seen = cell::Cell::new(false);
            let mut add = |name, bytes| {
                seen.set(seen.get() || dissection.schema == Some(name));
                out.push(Observed::Schema(name, bytes));
            };
            self.payloads.each(&dissection.tree, &mut add);
            self.payloads.each(&dissection.derived, &mut add);
            // A payload without any fields.
            if let Some(name) = dissection.schema.filter(|_| !seen.get()) {
                add(name, 0);
            }
        }
        // Messages of hex text have no time and no conversation.
        if flow_info.ends.is_some() {
            out.extend(dissection.delivery.iter().copied().map(Observed::Event));
            out.extend(dissection.farewell.iter().map(|words| Observed::Farewell(Words::of(&words.to_string()))));
        }
    }
}

impl Producer<Observed> for Observer {
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<Observed>) -> bool {
        Observer::message(self, message, out);
        true
    }

    fn ended(&mut self, flow: u64, how: Closing, out: &mut Vec<Observed>) {
        out.push(Observed::Ended(flow, how));
    }
}

impl Receiver<Observed> for Stats {
    fn receive(&mut self, items: &[Observed]) {
        self.count(items);
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn long_words_are_cut_visibly() {
        let whole = "a".repeat(Words::MOST);
        assert_eq!(Words::of(&whole).text(), whole);
        let cut = Words::of(&format!("{whole}b"));
        assert_eq!(cut.text(), format!("{}…", &whole[..Words::MOST - "…".len()]));
        // A cut never falls within a character.
        let wide = Words::of(&"漢".repeat(60));
        assert_eq!(wide.text(), format!("{}…", "漢".repeat(39)));
    }
}
