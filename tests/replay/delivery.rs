//! Checks which messages each side received. Reliable messages must arrive once and unchanged; for all others the
//! network's log explains why one is missing or doubled.

use crate::replay::simulated::{Sent, lossy};
use crate::replay::stage::{Stage, both, reported};
use netkit::capture::Time;
use netkit::dissect::{Dissection, FlowInfo, Message, Options, Out, Provenance, Sink};
use netkit::flow::{Side, Transport};
use netkit::live::replay::{Conversation, Divergence, Report};
use std::collections::HashMap;

/// Whether this message, given by its name, is never acknowledged: it is sent once, or so often that a loss does not
/// matter. Goodbyes are included: a peer that has left cannot acknowledge (three copies of each).
fn unsure(name: &str, proto: &str) -> bool {
    match proto {
        // None of its messages is acknowledged.
        "acknex" => true,
        "gne" => name == "datagram",
        "mygame" => ["ping", "pong"].contains(&name),
        _ => {
            matches!(
                name,
                "unreliable" | "unreliable_auto_relay" | "notify" | "unreliable_message" | "link_update" | "reject"
            ) || goodbye(name)
        }
    }
}

fn goodbye(name: &str) -> bool {
    matches!(name, "disconnect" | "connection_close")
}

#[derive(Default)]
struct Names(Vec<&'static str>);

impl Sink for Names {
    fn message(&mut self, message: &Message<'_>) {
        self.0.push(message.dissection.message);
    }
}

/// The messages sent by one side, by name.
#[derive(Debug, Default)]
struct Ways {
    /// Lost, or delivered after a goodbye: nobody may have received it.
    lost: HashMap<String, usize>,
    doubled: HashMap<String, usize>,
    passed: HashMap<String, usize>,
}

/// The messages of both sides, as the network saw them.
fn ways(log: &[Sent], conversation: &Conversation, options: &Options) -> [Ways; 2] {
    let mut ways = [Ways::default(), Ways::default()];
    let mut parted = false;
    let ends = conversation.ends;
    let alone = FlowInfo::alone(Transport::Udp, options);
    let flow_info = FlowInfo { flow: 1, ends: Some(ends), opener: Some(Side::A), ..alone };
    let mut session = conversation.dissector.session(&flow_info);
    for (k, Sent { side, arrived, bytes, .. }) in log.iter().enumerate() {
        let (mut names, mut dissection) = (Names::default(), Dissection::default());
        let frame = k as u64 + 1;
        let place = Provenance {
            side: Side::BOTH[*side],
            bytes,
            length: bytes.len(),
            frame,
            frames: &[],
            time: Time::default(),
        };
        session.datagram(&place, &mut Out::new(&mut dissection, &mut names, &flow_info, ["", ""]));
        for name in names.0 {
            // Datagrams beside a stream have one name: only the replay knows their content.
            let name = if conversation.transport == Transport::Tcp { "datagram" } else { name };
            let this = &mut ways[*side];
            let mut count = |list: fn(&mut Ways) -> &mut HashMap<String, usize>| {
                *list(this).entry(name.to_string()).or_default() += 1;
            };
            match arrived {
                0 => count(|w| &mut w.lost),
                1 => count(|w| &mut w.passed),
                _ => {
                    count(|w| &mut w.passed);
                    count(|w| &mut w.doubled);
                }
            }
            if parted && *arrived > 0 {
                count(|w| &mut w.lost);
            }
            parted |= *arrived > 0 && goodbye(name);
        }
    }
    ways
}

/// Checks that both sides sent all messages, and received all messages of the capture that the network delivered.
pub fn delivered(name: &str, conversation: &Conversation, stage: &Stage) -> [Report; 2] {
    let (reports, log) = match stage.lossy {
        None => (both(conversation, stage), Vec::new()),
        Some(_) => {
            let played = lossy(conversation, stage);
            (played.reports, played.log)
        }
    };
    let ways = ways(&log, conversation, &reported(conversation, stage));
    for (k, (side, report)) in ["client", "server"].iter().zip(&reports).enumerate() {
        let whole = || format!("{name} {side}:\n{}\n{}\n{ways:?}", reports[0], reports[1]);
        assert!(report.complete(), "{}", whole());
        // The client receives the server's messages.
        let Ways { lost, doubled, passed } = &ways[1 - k];
        if lost.is_empty() && doubled.is_empty() {
            assert!(report.divergences.is_empty(), "{}", whole());
            assert_eq!(report.received, report.expected, "{}", whole());
        }
        let proto = conversation.dissector.name();
        let mut explained: HashMap<(&str, bool), usize> = HashMap::new();
        for divergence in &report.divergences {
            let (message, missing) = match divergence {
                Divergence::Missing { message, .. } => (message, true),
                Divergence::Extra { message, .. } => (message, false),
                Divergence::Differs { .. } => panic!("{divergence:?}: {}", whole()),
            };
            let word = message.split(' ').next().unwrap();
            assert!(unsure(word, proto), "{divergence:?}: {}", whole());
            let used = explained.entry((word, missing)).or_default();
            *used += 1;
            let list = if missing { lost } else { doubled };
            assert!(list.get(word).is_some_and(|count| *used <= *count), "{divergence:?}: {}", whole());
            // A goodbye has three copies.
            assert!(!(missing && goodbye(word) && passed.contains_key(word)), "{divergence:?}: {}", whole());
        }
    }
    reports
}
