//! Collects the messages that pass, and applies the rules to each.

use super::datagram_ports::PortField;
use super::holds::{Holds, Waited, Waits};
use super::writing::{Change, Writing};
use super::{DatagramPorts, Direction};
use crate::dissect::{Message, Options, Sink, Unit};
use crate::filter::Names;
use crate::flow::{Closing, Side, Transport};
use crate::live::net::now;
use crate::live::rules::{Action, Assignment, Counters, Put, RuleSet, Tally, edit};
use crate::message::OwnedMessage;
use crate::stats::Outcomes;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The number of conversations for which the state of rules is kept. The oldest are forgotten first.
const CONVERSATIONS: usize = 1 << 16;

/// The changes that rules made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edited {
    /// The fields, as the user named them.
    pub fields: Vec<String>,
    /// The reason why they were not changed.
    pub not: Option<String>,
}

impl Edited {
    /// The changed fields, or the reason why they were not changed.
    fn of(made: Result<Vec<String>, String>) -> Edited {
        match made {
            Ok(fields) => Edited { fields, not: None },
            Err(why) => Edited { fields: Vec::new(), not: Some(why) },
        }
    }
}

/// The counts of one direction's messages. A packet may have several, and a message several packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageCounts {
    /// Messages that were read.
    pub arrived: u64,
    /// Those that the sender has resent.
    pub resent: u64,
    /// Those that rules dropped.
    pub dropped: u64,
    /// Those that rules changed, or whose port was replaced.
    pub edited: u64,
    /// The additional copies that rules made.
    pub copies: u64,
}

/// A message that passed.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The number of the packet that completed it, as [`Watch::frame`](super::Watch::frame) counts.
    pub frame: u64,
    /// The index of its direction.
    pub(super) direction: usize,
    /// The message in the output's form.
    pub text: Vec<u8>,
    /// Whether a rule dropped it.
    pub dropped: bool,
    /// The changes that a rule made.
    pub edited: Option<Edited>,
    /// In a stream: the delay relative to the bytes around it.
    pub delay: Duration,
    /// The total delay, if it is longer than that of the bytes around it.
    pub delayed: Option<Duration>,
    /// In a stream: the number of additional copies.
    pub copies: u32,
    /// The rules that apply to it, and whether each changes fields.
    pub(super) rules: Vec<(usize, bool)>,
    /// The reason why no rule was applied.
    pub(super) refused: Option<Box<str>>,
}

impl Seen {
    /// Records that the rules cannot be applied.
    pub(super) fn refuse(&mut self, why: &str) {
        (self.dropped, self.delay, self.copies) = (false, Duration::ZERO, 0);
        self.edited = Some(Edited { fields: Vec::new(), not: Some(why.into()) });
        self.refused = Some(why.into());
    }
}

/// One message, and the outcome of the rules for it.
#[derive(Default)]
pub(super) struct InTransit {
    /// Its bytes as they arrived. Empty for a datagram, which only needs their number.
    pub old: Vec<u8>,
    pub length: usize,
    /// The bytes that replace them.
    pub bytes: Option<Vec<u8>>,
    pub kept: bool,
    pub delay: Duration,
    pub copies: u32,
    /// Its place in the stream.
    pub unit: Option<Unit>,
    pub direction: Direction,
    pub flow: u64,
    /// Its index among the messages seen.
    pub seen: usize,
    /// Its contents, if it is changed in a stream, or shares a datagram with others.
    pub decoded: Option<Box<OwnedMessage>>,
    /// The change to it, if it shares a datagram.
    pub(super) change: Change,
    /// Its message was reported before: it has waited, or arrived after one that has.
    pub late: bool,
    /// It waits for the user.
    pub held: Option<Box<Waits>>,
    /// Its place among the messages, if it has waited.
    pub waited: Option<Waited>,
}

/// The reason why a message cannot be changed alone.
pub(super) const UNKNOWN: &str = "the message's bytes in the datagram cannot be located";

impl InTransit {
    /// Whether the rules drop, change or copy it.
    pub fn touched(&self) -> bool {
        !self.kept || self.bytes.is_some() || self.copies > 0
    }

    /// Whether its datagram needs other bytes.
    pub fn changes(&self) -> bool {
        !self.kept || self.bytes.is_some() || matches!(self.change, Change::Edited(..))
    }
}

/// Writes one message's text.
pub type Render<'a> = Box<dyn FnMut(&Message<'_>, &mut Vec<u8>) + 'a>;

/// Collects the messages.
#[derive(Default)]
pub struct Collector<'a> {
    rules: Arc<RuleSet>,
    /// Whether messages are followed: there are rules, or may be later, or ports are replaced.
    pub(super) follows: bool,
    /// Whether rules are applied, or may be later. If so, streams wait for whole messages.
    rules_come: bool,
    /// The messages that wait for the user.
    pub(super) holds: Option<Arc<Holds>>,
    /// Whether the rules may be replaced.
    changes: bool,
    /// Whether a stream is ending. Its remaining messages may be incomplete, and pass unchanged.
    pub(super) ending: bool,
    pub(super) datagram_ports: Option<DatagramPorts>,
    /// The reasons why sockets for datagrams beside a stream could not be opened.
    pub(super) unopened: Vec<String>,
    render: Option<Render<'a>>,
    /// The ends of connections, if they are followed.
    outcomes: Option<Outcomes>,
    counters: BTreeMap<u64, Counters>,
    pub(super) writing: BTreeMap<u64, Writing>,
    pub(super) seen: Vec<Seen>,
    pub(super) in_transit: Vec<InTransit>,
    /// The number of the packet that is being read.
    pub(super) frame: u64,
    /// The counts of each direction.
    pub(super) messages: [MessageCounts; 2],
    /// The outcomes of each rule.
    tallies: Vec<Tally>,
}

impl<'a> Collector<'a> {
    /// Applies these rules, and writes messages with `render` if they are to be shown. `changes`: the rules may be
    /// replaced later.
    pub fn new(rules: Arc<RuleSet>, changes: bool, render: Option<Render<'a>>) -> Collector<'a> {
        Collector {
            tallies: rules.iter().map(|_| Tally::default()).collect(),
            follows: changes || !rules.is_empty(),
            rules_come: changes || !rules.is_empty(),
            changes,
            rules,
            render,
            ..Collector::default()
        }
    }

    /// Relays the datagrams that streams announce.
    pub fn datagram_ports(mut self, datagram_ports: Option<DatagramPorts>) -> Collector<'a> {
        self.follows |= datagram_ports.is_some();
        self.datagram_ports = datagram_ports;
        self
    }

    /// Lets messages wait for the user.
    pub fn holds(mut self, holds: Option<Arc<Holds>>) -> Collector<'a> {
        // A message that is held later needs the state that those before it have made.
        self.follows |= holds.is_some();
        self.changes |= holds.is_some();
        self.holds = holds;
        self
    }

    /// Whether streams wait for whole messages.
    pub(super) fn needs_whole_messages(&self) -> bool {
        self.rules_come || self.holds.as_ref().is_some_and(|holds| holds.begun())
    }

    /// Follows how connections end.
    pub fn outcomes(mut self, outcomes: Outcomes) -> Collector<'a> {
        self.outcomes = Some(outcomes);
        self
    }

    /// Returns how the connections ended that are closed, if they are followed.
    pub fn ends(&self) -> Option<&Outcomes> {
        self.outcomes.as_ref()
    }

    /// Returns the field of a message that names a port.
    fn named(&mut self, decoded: &OwnedMessage, message: &Message<'_>) -> Option<PortField> {
        let names = message.flow_info.options.registry.for_line(decoded.proto)?.port_names()?;
        let (ports, ends) = (self.datagram_ports.as_mut()?, message.flow_info.ends?);
        match ports.replace(&names, decoded, message.flow_info.flow, ends) {
            Ok(named) => named,
            Err(error) => {
                self.unopened.push(format!("{}: no socket for its datagrams: {error}", ends[0]));
                None
            }
        }
    }

    /// Replaces the rules. Their counts start at zero.
    pub(super) fn replace(&mut self, rules: Arc<RuleSet>) {
        self.tallies = rules.iter().map(|_| Tally::default()).collect();
        self.rules = rules;
        self.counters.clear();
    }

    /// Returns the counts of the messages in each direction.
    pub fn messages(&self) -> [MessageCounts; 2] {
        self.messages
    }

    /// Returns each rule's text and outcomes, counted since the rule was read.
    pub fn tallies(&self) -> impl Iterator<Item = (&str, &Tally)> + Clone {
        self.rules.iter().map(|rule| rule.text.as_str()).zip(&self.tallies)
    }

    /// Counts the outcomes of the rules for messages, once they are final.
    pub(super) fn count(&mut self, seen: &[Seen]) {
        for one in seen {
            let counts = &mut self.messages[one.direction];
            counts.dropped += u64::from(one.dropped);
            counts.edited += u64::from(one.edited.as_ref().is_some_and(|edited| edited.not.is_none()));
            counts.copies += u64::from(one.copies);
            let not_edited = one.edited.as_ref().and_then(|edited| edited.not.as_deref());
            // The last of the rules has dropped the message: the others had no effect on it.
            let without_effect = if one.dropped { one.rules.len().saturating_sub(1) } else { 0 };
            for (rule, sets) in one.rules.iter().skip(without_effect) {
                let why = one.refused.as_deref().or(not_edited.filter(|_| *sets));
                if let Some(tally) = self.tallies.get_mut(*rule) {
                    tally.add(why);
                }
            }
        }
    }

    /// Counts the rules that match a message, and records those that apply to it.
    fn note(&mut self, matched: &[usize], followed: &[usize], seen: &mut Seen) {
        for rule in matched {
            if let Some(tally) = self.tallies.get_mut(*rule) {
                tally.matched += 1;
            }
        }
        let sets = |rule: usize| {
            let rule = self.rules.iter().nth(rule);
            rule.is_some_and(|rule| rule.actions().iter().any(|action| matches!(action, Action::Set(_))))
        };
        seen.rules = followed.iter().map(|rule| (*rule, sets(*rule))).collect();
    }

    /// Returns the number of conversations with state.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.counters.len().max(self.writing.len())
    }

    /// Forgets a conversation.
    pub(super) fn forget(&mut self, flow: u64) {
        self.counters.remove(&flow);
        self.writing.remove(&flow);
    }

    /// Returns the bytes of a datagram after the changes of its messages.
    ///
    /// # Errors
    /// The reason why it cannot be changed.
    pub(super) fn packet(&mut self, in_transit: Vec<InTransit>, payload: &[u8]) -> Result<Vec<u8>, String> {
        if in_transit.iter().map(|transit| transit.length).sum::<usize>() != payload.len() {
            return Err(UNKNOWN.into());
        }
        if in_transit.iter().all(|transit| transit.decoded.is_none()) {
            let (mut rest, mut bytes) = (payload, Vec::new());
            for transit in &in_transit {
                let (own, after) = rest.split_at(transit.length.min(rest.len()));
                rest = after;
                if transit.kept {
                    bytes.extend_from_slice(transit.bytes.as_deref().unwrap_or(own));
                }
            }
            return Ok(bytes);
        }
        let flow = in_transit.first().map_or(0, |transit| transit.flow);
        let (old, changes): (Vec<_>, Vec<_>) =
            in_transit.into_iter().filter_map(|transit| Some((*transit.decoded?, transit.change))).unzip();
        self.writing.get_mut(&flow).ok_or(UNKNOWN)?.changed(&old, &changes, flow, payload)
    }

    pub(super) fn writing(&mut self, flow: u64, proto: &str, options: &Options) -> Option<&mut Writing> {
        let dissector = options.registry.for_line(proto)?;
        Some(self.writing.entry(flow).or_insert_with(|| {
            let encoder = dissector.encoder(options);
            let rewriter = encoder.rewriter();
            Writing { encoder, rewriter }
        }))
    }

    /// Writes a message with changes. Returns the names of the changed fields, and the bytes.
    pub(super) fn changed(
        &mut self,
        decoded: &OwnedMessage,
        edits: &[&Assignment],
        named: Option<PortField>,
        flow: u64,
        options: &Options,
        bytes: &[u8],
    ) -> Result<(Vec<String>, Vec<u8>), String> {
        let (puts, mut changed) = edit(edits, decoded, &Names::new(options))?;
        if let Some(PortField { name, port }) = named {
            changed.edit(|fields| fields[name] = port.into());
        }
        let mut names = Put::names(&puts);
        names.extend(named.map(|field| field.name.to_string()));
        let change = [Change::Edited(puts, Box::new(changed))];
        let writing = self.writing(flow, decoded.proto, options).ok_or("messages of its protocol cannot be encoded")?;
        Ok((names, writing.changed(std::slice::from_ref(decoded), &change, flow, bytes)?))
    }

    /// Applies the rules to one message. `passed`: it has already passed.
    fn follow(&mut self, message: &Message<'_>, passed: bool, seen: &mut Seen) {
        let bytes = message.place.bytes;
        let (flow, options) = (message.flow_info.flow, message.flow_info.options);
        let stream = message.flow_info.transport == Transport::Tcp;
        if self.counters.len() > CONVERSATIONS {
            self.counters.pop_first();
        }
        if self.writing.len() > CONVERSATIONS {
            self.writing.pop_first();
        }
        let rules = self.rules.clone();
        let decision = match passed {
            true => Default::default(),
            false => rules.decide(message, self.counters.entry(flow).or_default()),
        };
        if !passed {
            self.note(&decision.matched, &decision.rules, seen);
        }
        seen.dropped = decision.dropped;
        let mut transit = InTransit {
            old: if stream { bytes.to_vec() } else { Vec::new() },
            length: bytes.len(),
            kept: !decision.dropped,
            delay: decision.delay,
            copies: decision.copies,
            unit: message.dissection.unit,
            direction: if message.place.side == Side::A { Direction::Up } else { Direction::Down },
            flow,
            seen: self.seen.len(),
            ..InTransit::default()
        };
        if stream {
            (seen.delay, seen.copies) = (decision.delay, decision.copies);
        }
        let edits = rules.iter().any(|rule| rule.actions().iter().any(|action| matches!(action, Action::Set(_))));
        if stream {
            // The rewriter needs all frames, including those before the first that a rule applies to.
            self.writing(flow, message.dissection.proto, options);
        }
        // The encoder needs the messages that determine the encoding of later ones. If rules may be added later, it
        // needs all messages of a stream.
        let names = || options.registry.for_line(message.dissection.proto).is_some_and(|d| d.port_names().is_some());
        let parted = !stream && message.dissection.part.is_some() && (!rules.is_empty() || self.holds.is_some());
        if parted {
            // The messages of a packet are written together, once all of them are read.
            let decoded = OwnedMessage::of(message);
            self.writing(flow, decoded.proto, options);
            transit.change = if decision.dropped { Change::Dropped } else { Change::Kept };
            if !decision.dropped && !decision.edits.is_empty() {
                let made = edit(&decision.edits, &decoded, &Names::new(options));
                seen.edited = Some(Edited::of(made.map(|(puts, changed)| {
                    let names = Put::names(&puts);
                    transit.change = Change::Edited(puts, Box::new(changed));
                    names
                })));
            }
            self.hold(message, &mut transit, &decoded, &decision, None, passed);
            transit.decoded = Some(Box::new(decoded));
        } else if edits
            || self.holds.is_some()
            || stream && (self.changes || transit.touched() || self.follows && names())
        {
            let decoded = OwnedMessage::of(message);
            let named = if stream && !passed && !decision.dropped { self.named(&decoded, message) } else { None };
            let wanted = (named.is_some() || !decision.edits.is_empty()) && !decision.dropped;
            let writing = self.writing(flow, decoded.proto, options);
            if let Some(writing) = writing.filter(|w| !wanted && w.encoder.remembers(decoded.proto, decoded.message)) {
                // The encoder needs the messages before.
                let _ = writing.encoder.encode(&decoded.line(flow));
            }
            if wanted {
                let made = self.changed(&decoded, &decision.edits, named, flow, options, bytes);
                seen.edited = Some(Edited::of(made.map(|(names, bytes)| {
                    transit.bytes = Some(bytes);
                    names
                })));
            }
            self.hold(message, &mut transit, &decoded, &decision, named, passed);
            if stream && (transit.touched() || transit.held.is_some()) {
                transit.decoded = Some(Box::new(decoded));
            }
        }
        self.in_transit.push(transit);
    }
}

impl Sink for Collector<'_> {
    fn message(&mut self, message: &Message<'_>) {
        let direction = message.place.side.index();
        let mut seen = Seen { frame: message.place.frame, direction, ..Seen::default() };
        self.messages[direction].arrived += 1;
        self.messages[direction].resent += super::resent::of(&message.dissection.delivery);
        if self.follows && !self.ending {
            // Messages that were held back until their protocol was known have already passed.
            let passed = seen.frame != self.frame;
            if passed && !self.rules.is_empty() {
                let matched = self.rules.clone().matching(message);
                self.note(&matched, &matched, &mut seen);
                seen.refused = Some("the message had passed before its protocol was recognised".into());
            }
            if !passed || message.flow_info.transport == Transport::Tcp {
                self.follow(message, passed, &mut seen);
            }
        }
        if let Some(render) = &mut self.render {
            render(message, &mut seen.text);
        }
        if let Some(outcomes) = &mut self.outcomes {
            outcomes.message(message);
        }
        self.seen.push(seen);
    }

    fn ended(&mut self, flow: u64, how: Closing) {
        if let Some(outcomes) = &mut self.outcomes {
            outcomes.closed(flow, how, now());
        }
    }
}
