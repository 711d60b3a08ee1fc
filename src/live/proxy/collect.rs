//! Takes the messages that pass, and makes of each what the rules say.

use super::writing::Writing;
use super::{Beside, Way};
use crate::dissect::{Message, Options, Sink, Unit};
use crate::filter::Names;
use crate::flow::{Side, Transport};
use crate::live::rules::{Action, Counters, RuleSet, Tally, edit};
use crate::message::OwnedMessage;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Of so many conversations it is remembered what rules have met: the oldest are forgotten first.
const CONVERSATIONS: usize = 1 << 16;

/// What a rule has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edited {
    /// The fields, as the user named them.
    pub fields: Vec<String>,
    /// Why they were not changed.
    pub not: Option<String>,
}

/// A message that passed.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The number of the packet that completed it, as [`Watch::frame`](super::Watch::frame) counts.
    pub frame: u64,
    /// As the output has it.
    pub text: Vec<u8>,
    /// A rule has left it out.
    pub dropped: bool,
    /// What a rule has changed.
    pub edited: Option<Edited>,
    /// In a stream: how much later it goes than what is around it.
    pub delay: Duration,
    /// How much later it goes in all, where that is more than what is around it.
    pub delayed: Option<Duration>,
    /// In a stream: how often it goes besides.
    pub copies: u32,
    /// The rules that wanted to do something to it, and whether they change fields.
    pub(super) rules: Vec<(usize, bool)>,
    /// Why nothing of what rules wanted was done.
    pub(super) refused: Option<Box<str>>,
}

impl Seen {
    /// What a rule wanted cannot be.
    pub(super) fn refuse(&mut self, why: &str) {
        (self.dropped, self.delay, self.copies) = (false, Duration::ZERO, 0);
        self.edited = Some(Edited { fields: Vec::new(), not: Some(why.into()) });
        self.refused = Some(why.into());
    }
}

/// One message, and what is left of it.
pub(super) struct Piece {
    /// Its bytes, as they came: only their count for a datagram.
    pub old: Vec<u8>,
    pub length: usize,
    /// What goes instead.
    pub bytes: Option<Vec<u8>>,
    pub kept: bool,
    pub delay: Duration,
    pub copies: u32,
    /// Where it stands in its stream.
    pub unit: Option<Unit>,
    pub way: Way,
    pub flow: u64,
    /// Which of the messages seen it is.
    pub seen: usize,
    /// What it says: where it is changed.
    pub said: Option<Box<OwnedMessage>>,
}

impl Piece {
    /// Do the rules want anything but to see it?
    pub fn touched(&self) -> bool {
        !self.kept || self.bytes.is_some() || self.copies > 0
    }
}

/// A writer of one message's text.
pub type Render<'a> = Box<dyn FnMut(&Message<'_>, &mut Vec<u8>) + 'a>;

/// Takes the messages.
pub struct Collector<'a> {
    rules: Arc<RuleSet>,
    /// There are rules, or there may be some later.
    pub(super) follows: bool,
    /// Rules are followed, or may be later: streams wait for whole messages.
    pub(super) rules_come: bool,
    /// Others may take their place.
    changes: bool,
    /// A stream has ended: what it tells now is not whole, and passes.
    pub(super) ending: bool,
    pub(super) beside: Option<Beside>,
    /// Why sockets for datagrams beside a stream could not be opened.
    pub(super) unopened: Vec<String>,
    render: Option<Render<'a>>,
    counters: BTreeMap<u64, Counters>,
    pub(super) writing: BTreeMap<u64, Writing>,
    pub(super) seen: Vec<Seen>,
    pub(super) pieces: Vec<Piece>,
    /// The packet that is being read.
    pub(super) frame: u64,
    /// What each direction had to say again.
    pub(super) resent: [u64; 2],
    /// What each rule has done.
    tallies: Vec<Tally>,
}

impl<'a> Collector<'a> {
    /// Follows these rules, and writes messages with `render` where they are to be shown. `changes`:
    /// others may take their place later.
    pub fn new(rules: Arc<RuleSet>, changes: bool, render: Option<Render<'a>>) -> Collector<'a> {
        Collector {
            tallies: rules.iter().map(|_| Tally::default()).collect(),
            follows: changes || !rules.is_empty(),
            rules_come: changes || !rules.is_empty(),
            changes,
            ending: false,
            beside: None,
            unopened: Vec::new(),
            rules,
            render,
            counters: BTreeMap::new(),
            writing: BTreeMap::new(),
            seen: Vec::new(),
            pieces: Vec::new(),
            frame: 0,
            resent: [0; 2],
        }
    }

    /// Follows the datagrams that streams name beside them.
    #[must_use]
    pub fn beside(mut self, beside: Option<Beside>) -> Collector<'a> {
        self.follows |= beside.is_some();
        self.beside = beside;
        self
    }

    /// The field of a message that names a port, and the port that is to stand there.
    fn named(&mut self, said: &OwnedMessage, message: &Message<'_>) -> Option<(&'static str, u16)> {
        let names = message.flow_info.options.registry.for_line(said.proto)?.port_names()?;
        let (beside, ends) = (self.beside.as_mut()?, message.flow_info.ends?);
        match beside.replace(&names, said, message.flow_info.flow, ends) {
            Ok(named) => named,
            Err(error) => {
                self.unopened.push(format!("{}: no socket for datagrams beside its stream: {error}", ends[0]));
                None
            }
        }
    }

    /// Follows other rules from now on: they begin to count anew.
    pub(super) fn replace(&mut self, rules: Arc<RuleSet>) {
        self.tallies = rules.iter().map(|_| Tally::default()).collect();
        self.rules = rules;
        self.counters.clear();
    }

    /// What each rule has done, as it was written: since it was read.
    pub fn tallies(&self) -> impl Iterator<Item = (&str, &Tally)> + Clone {
        self.rules.iter().map(|rule| rule.text.as_str()).zip(&self.tallies)
    }

    /// Counts what rules have done to messages, when that is certain.
    pub(super) fn count(&mut self, seen: &[Seen]) {
        for one in seen.iter().filter(|one| !one.rules.is_empty()) {
            let not_edited = one.edited.as_ref().and_then(|edited| edited.not.as_deref());
            for (rule, sets) in &one.rules {
                let why = one.refused.as_deref().or(not_edited.filter(|_| *sets));
                if let Some(tally) = self.tallies.get_mut(*rule) {
                    tally.add(why);
                }
            }
        }
    }

    /// Counts the rules that a message fits, and notes those that want to do something to it.
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

    /// Of how many conversations something is remembered.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.counters.len().max(self.writing.len())
    }

    /// Forgets a conversation.
    pub(super) fn forget(&mut self, flow: u64) {
        self.counters.remove(&flow);
        self.writing.remove(&flow);
    }

    fn writing(&mut self, flow: u64, proto: &str, options: &Options) -> Option<&mut Writing> {
        let dissector = options.registry.for_line(proto)?;
        Some(self.writing.entry(flow).or_insert_with(|| {
            let encoder = dissector.encoder(options);
            let rewriter = encoder.rewriter();
            Writing { encoder, rewriter }
        }))
    }

    /// Follows the rules for one message. `passed`: it has passed already.
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
        let mut piece = Piece {
            old: if stream { bytes.to_vec() } else { Vec::new() },
            length: bytes.len(),
            bytes: None,
            kept: !decision.dropped,
            delay: decision.delay,
            copies: decision.copies,
            unit: message.dissection.unit,
            way: if message.place.side == Side::A { Way::Up } else { Way::Down },
            flow,
            seen: self.seen.len(),
            said: None,
        };
        if stream {
            (seen.delay, seen.copies) = (decision.delay, decision.copies);
        }
        let edits = rules.iter().any(|rule| rule.actions().iter().any(|action| matches!(action, Action::Set(_))));
        if stream {
            // Its rewriter has to meet all frames, also those before the first that a rule is for.
            self.writing(flow, message.dissection.proto, options);
        }
        // The encoder has to meet the messages that say how later ones are written. So do a stream's,
        // whose rules may come later.
        let names = || options.registry.for_line(message.dissection.proto).is_some_and(|d| d.port_names().is_some());
        if edits || stream && (self.changes || piece.touched() || self.follows && names()) {
            let said = OwnedMessage::of(message);
            let named = if stream && !passed && !decision.dropped { self.named(&said, message) } else { None };
            let wanted = (named.is_some() || !decision.edits.is_empty()) && !decision.dropped;
            let writing = self.writing(flow, said.proto, options);
            let writing = writing.filter(|writing| wanted || writing.encoder.remembers(said.proto, said.message));
            let again = writing.map(|writing| (writing.encoder.encode(&said.line(flow)), writing));
            if wanted {
                let made = match again {
                    Some((Ok(same), writing)) if same == bytes => edit(&decision.edits, &said, &Names::new(options))
                        .and_then(|(puts, mut changed)| {
                            writing.reads_back(&said, &changed, flow, bytes)?;
                            if let Some((field, port)) = named {
                                changed.edit(|fields| fields[field] = port.into());
                            }
                            let changed = writing.follows(&said, changed, &puts, flow, bytes);
                            let written = writing.encoder.encode(&changed.line(flow));
                            Ok((puts, written.map_err(|error| error.to_string())?))
                        }),
                    Some((Err(error), _)) => Err(format!("it cannot be written: {error}")),
                    _ => Err("written again, it has other bytes".into()),
                };
                seen.edited = Some(match made {
                    Ok((puts, bytes)) => {
                        piece.bytes = Some(bytes);
                        let named = named.map(|(field, _)| field.to_string());
                        Edited { fields: puts.into_iter().map(|put| put.name).chain(named).collect(), not: None }
                    }
                    Err(why) => Edited { fields: Vec::new(), not: Some(why) },
                });
            }
            if stream && piece.touched() {
                piece.said = Some(Box::new(said));
            }
        }
        self.pieces.push(piece);
    }
}

impl Sink for Collector<'_> {
    fn message(&mut self, message: &Message<'_>) {
        let mut seen = Seen { frame: message.place.frame, ..Seen::default() };
        self.resent[message.place.side.index()] += super::resent::of(&message.dissection.delivery);
        if self.follows && !self.ending {
            // What was held back until its protocol was known has passed already.
            let passed = seen.frame != self.frame;
            if passed && !self.rules.is_empty() {
                let matched = self.rules.clone().matching(message);
                self.note(&matched, &matched, &mut seen);
                seen.refused = Some("it had passed before its protocol was recognised".into());
            }
            if !passed || message.flow_info.transport == Transport::Tcp {
                self.follow(message, passed, &mut seen);
            }
        }
        if let Some(render) = &mut self.render {
            render(message, &mut seen.text);
        }
        self.seen.push(seen);
    }
}
