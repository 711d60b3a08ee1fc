//! Who must have heard what: what a protocol delivers for sure came once and as it was; for all
//! else the network's log tells why it did not come, or came twice.

use crate::simulated::{Sent, lossy};
use crate::stage::{Stage, both, told};
use netkit::capture::Time;
use netkit::dissect::{Dissection, FlowInfo, Message, Options, Out, Provenance, Sink};
use netkit::flow::{Side, Transport};
use netkit::live::replay::{Conversation, Divergence, Report};
use std::collections::HashMap;

/// Is this said once, or so often as not to matter, and never acknowledged? By the first word of
/// what a message is about. Goodbyes too: who is gone cannot acknowledge (three copies of each).
fn unsure(name: &str, proto: &str) -> bool {
    match proto {
        // Not one of its messages is acknowledged.
        "acknex" => true,
        "gne" => name == "datagram",
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

/// What one side was sent, by name.
#[derive(Debug, Default)]
struct Ways {
    /// Lost, or passed when somebody had said goodbye already: it may have met nobody.
    lost: HashMap<String, usize>,
    doubled: HashMap<String, usize>,
    passed: HashMap<String, usize>,
}

/// What both sides said, as the network saw it.
fn ways(log: &[Sent], conversation: &Conversation, options: &Options) -> [Ways; 2] {
    let mut ways = [Ways::default(), Ways::default()];
    let mut parted = false;
    let ends = conversation.ends;
    let flow_info = FlowInfo {
        flow: 1,
        serial: 0,
        transport: Transport::Udp,
        ends: Some(ends),
        opener: Some(Side::A),
        begun: [true; 2],
        options,
    };
    let mut session = conversation.dissector.session(&flow_info);
    for (k, Sent { side, came, bytes, .. }) in log.iter().enumerate() {
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
            // Beside a stream: what they are about says the replay.
            let name = if conversation.transport == Transport::Tcp { "datagram" } else { name };
            let this = &mut ways[*side];
            let mut count = |list: fn(&mut Ways) -> &mut HashMap<String, usize>| {
                *list(this).entry(name.to_string()).or_default() += 1;
            };
            match came {
                0 => count(|w| &mut w.lost),
                1 => count(|w| &mut w.passed),
                _ => {
                    count(|w| &mut w.passed);
                    count(|w| &mut w.doubled);
                }
            }
            if parted && *came > 0 {
                count(|w| &mut w.lost);
            }
            parted |= *came > 0 && goodbye(name);
        }
    }
    ways
}

/// Both sides said everything, and heard everything that was said in the capture, as far as the
/// network let it through.
pub fn delivered(name: &str, conversation: &Conversation, stage: &Stage) -> [Report; 2] {
    let (reports, log) = match stage.lossy {
        None => (both(conversation, stage), Vec::new()),
        Some(_) => {
            let played = lossy(conversation, stage);
            (played.reports, played.log)
        }
    };
    let ways = ways(&log, conversation, &told(conversation, stage));
    for (k, (side, report)) in ["client", "server"].iter().zip(&reports).enumerate() {
        let whole = || format!("{name} {side}:\n{}\n{}\n{ways:?}", reports[0], reports[1]);
        assert!(report.complete(), "{}", whole());
        // The client hears what the server said.
        let Ways { lost, doubled, passed } = &ways[1 - k];
        if lost.is_empty() && doubled.is_empty() {
            assert!(report.divergences.is_empty(), "{}", whole());
            assert_eq!(report.heard, report.expected, "{}", whole());
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
