//! `netkit dump`: hex text to messages.

use super::output::{Printer, say};
use super::selection::Selection;
use super::{input, options};
use crate::cli::{Dump, Global};
use netkit::capture::HexText;
use netkit::codec::{Level, Notes};
use netkit::protocols::{self, Dissector, Draft, Message, Options, Sink, inspector};
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::Path;

/// Runs the command.
pub fn run(args: &Dump, global: &Global) -> anyhow::Result<u8> {
    let options = options(&args.dissect)?;
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    if path.as_os_str() == "-" && io::stdin().is_terminal() {
        say(global, format_args!("netkit: reading hex from the terminal; end with Ctrl-D"));
    }
    let mut printer = Printer::new(&args.output, global, Selection::default(), None);
    let read = input::open(path)
        .and_then(|reader| text(BufReader::new(reader), args.lines, &options, global, &mut printer))
        .map_err(|e| e.context(input::name(path)));
    let status = printer.finish()?;
    read.map(|()| status)
}

/// Dissects each message of a hex text.
pub fn text(
    reader: impl BufRead,
    lines: bool,
    options: &Options,
    global: &Global,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let mut text = HexText::new(reader).lines(lines);
    let mut draft = Draft::default();
    let named = options.proto.as_deref().and_then(protocols::by_name);
    let mut empty = true;
    while let Some(block) = text.next()? {
        empty = false;
        let dissector = match named {
            Some(dissector) => dissector,
            None => best(block.bytes, options, global),
        };
        inspector::dump(dissector, block.bytes, options, &mut draft, printer);
        if printer.done() {
            break;
        }
        printer.flush();
    }
    match empty {
        true => anyhow::bail!("there is no hex digit in it"),
        false => Ok(()),
    }
}

/// The protocol that the bytes fit best, named on stderr: the one that leaves least unexplained.
fn best(bytes: &[u8], options: &Options, global: &Global) -> &'static dyn Dissector {
    let mut ranked: Vec<(Score, &'static dyn Dissector)> = protocols::ALL
        .into_iter()
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
