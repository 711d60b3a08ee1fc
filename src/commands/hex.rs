//! Hex text to messages, and which protocol's they are.

use super::interrupt::{self, stop};
use super::output::say;
use super::read::{Reading, Stopped};
use crate::cli::Global;
use netkit::capture::HexText;
use netkit::codec::{Level, Notes};
use netkit::dissect::{Dissector, Draft, Message, Options, Sink, inspector};
use std::io::BufRead;

/// Dissects each message of a hex text. `lines`: each line of plain hex is one. Returns where a
/// signal has stopped it.
///
/// # Errors
/// Where the text is no hex; that there is none.
pub fn text(
    reader: impl BufRead,
    lines: bool,
    options: &Options,
    global: &Global,
    sink: &mut impl Reading,
) -> anyhow::Result<Option<Stopped>> {
    let mut text = HexText::new(reader).lines(lines);
    let mut draft = Draft::default();
    let named = options.proto.as_deref().and_then(|name| options.registry.by_name(name));
    let mut read = 0;
    loop {
        let block = match text.next() {
            Ok(Some(block)) if !stop().is_set() => block,
            // Where it is stopped, it may well be inside a line.
            Err(_) if stop().is_set() => break,
            Ok(_) => break,
            Err(error) => return Err(error.into()),
        };
        read += 1;
        let dissector = match named {
            Some(dissector) => dissector,
            None => best(block.bytes, options, global),
        };
        inspector::dump(dissector, block.bytes, options, &mut draft, sink);
        if !sink.go_on(|| true) {
            break;
        }
    }
    match read {
        0 if !stop().is_set() => anyhow::bail!("there is no hex digit in it"),
        _ => Ok(interrupt::status(false).map(|_| Stopped::blocks(read))),
    }
}

/// The protocol that the bytes fit best, named on stderr: the one that leaves least unexplained.
fn best(bytes: &[u8], options: &Options, global: &Global) -> &'static dyn Dissector {
    let mut ranked: Vec<(Score, &'static dyn Dissector)> = options
        .registry
        .iter()
        .map(|dissector| {
            let mut score = Score { length: bytes.len(), ..Score::default() };
            inspector::dump(dissector, bytes, options, &mut Draft::default(), &mut score);
            (score, dissector)
        })
        .collect();
    ranked.sort_by_key(|(score, _)| score.key());
    let (score, dissector) = &ranked[0];
    say(global, format_args!("netkit: read as {} ({}); -p names another", dissector.name(), score.words()));
    if global.verbose > 0 {
        for (score, dissector) in &ranked[1..] {
            say(global, format_args!("netkit: not as {}: {}", dissector.name(), score.words()));
        }
    }
    *dissector
}

/// How well some bytes fit a protocol.
#[derive(Debug, Default)]
struct Score {
    length: usize,
    messages: usize,
    faults: usize,
    warnings: usize,
    opaque: usize,
}

impl Score {
    /// Sorts the better fit first.
    fn key(&self) -> (usize, usize, usize, usize) {
        (self.faults + (self.messages == 0) as usize, self.warnings, self.opaque, self.messages)
    }

    fn words(&self) -> String {
        let Score { length, messages, faults, warnings, opaque } = self;
        match (messages, faults, warnings) {
            (0, ..) => "no message".into(),
            (_, 0, 0) => {
                format!("{messages} message(s), {} of {length} bytes explained", length.saturating_sub(*opaque))
            }
            _ => format!("{messages} message(s), {faults} fault(s), {warnings} warning(s)"),
        }
    }
}

impl Sink for Score {
    fn message(&mut self, message: &Message<'_>) {
        let worse = |notes: &Notes| notes.worst().is_some_and(|l| l >= Level::Warning);
        self.messages += 1;
        self.faults += message.draft.fault.is_some() as usize;
        self.warnings += (worse(&message.draft.notes) || message.draft.message == "unknown") as usize;
        // Bytes that belong to the application explain nothing: any protocol can have those.
        let tree = &message.draft.tree;
        let opaque = |name: &str| ["payload", "data", "unparsed", "trailing", "body"].contains(&name);
        self.opaque += tree
            .children(None)
            .map(|i| &tree.nodes()[i])
            .filter(|n| opaque(n.field.name))
            .map(|n| n.bits as usize / 8)
            .sum::<usize>();
    }
}
