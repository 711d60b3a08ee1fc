//! Reads messages from hex text: detects whether the bytes are messages or packets, and their protocol.

use super::CaptureSink;
use crate::capture::hextext::{Block, HexError};
use crate::capture::{HexText, LinkType, dumped_packet, forced_packet};
use crate::dissect::inspector::{self, Packets, Reporter, chosen, ranked};
use crate::dissect::{Dissection, Dissector, Options, Role};
use crate::plural::Plural;
use std::borrow::Cow;
use std::io::BufRead;

/// The interpretation of a hex text's bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Bytes {
    /// Packets if their headers are consistent, else messages.
    #[default]
    Detect,
    /// Messages.
    Payload,
    /// Packets.
    Packet,
}

/// The reasons for which a hex text cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TextError {
    /// It is no hex text.
    #[error(transparent)]
    Hex(#[from] HexError),
    /// It is empty.
    #[error("there is no hex digit in it")]
    Empty,
    /// Valid hex text, but of no recognisable protocol.
    #[error("{0}")]
    Unreadable(String),
}

/// Dissects each message of a hex text, until `stop` returns true. `lines`: each line of plain hex is one message.
/// Returns their number.
///
/// # Errors
/// Fails if the text is not hex, or empty, or if its bytes cannot be interpreted.
pub(crate) fn text(
    reader: impl BufRead,
    lines: bool,
    bytes: Bytes,
    options: &Options,
    report: &Reporter<'_>,
    stop: fn() -> bool,
    sink: &mut impl CaptureSink,
) -> Result<u64, TextError> {
    let mut text = HexText::new(reader).lines(lines);
    let mut dissection = Dissection::default();
    let named = options.proto.as_deref().and_then(|name| options.registry.by_name(name));
    let mut packets = Packets::new(options, named, report, sink);
    let (mut blocks, mut refused) = (0u64, Refused::default());
    let ended = loop {
        let block = match text.next() {
            Ok(Some(block)) if !stop() => block,
            // Input that was stopped may end inside a line.
            Err(_) if stop() => break Ok(()),
            Ok(_) => break Ok(()),
            Err(error) => break Err(error),
        };
        blocks += 1;
        match link(&block, bytes) {
            Ok(Some(link)) => packets.packet(block.bytes, link, block.line),
            Ok(None) => match named.map_or_else(|| guess(block.bytes, options, report), Ok) {
                Ok(dissector) => {
                    let options = sent_by(&block, options);
                    inspector::dump(dissector, block.bytes, &options, &mut dissection, packets.sink());
                }
                Err(why) => refused.add(block.line, why, report),
            },
            Err(why) => refused.add(block.line, why, report),
        }
        packets.unread().into_iter().for_each(|(line, why)| refused.add(line, why, report));
        if !packets.sink().go_on(&|| true) {
            break Ok(());
        }
    };
    let payloads = packets.finish();
    packets.unread().into_iter().for_each(|(line, why)| refused.add(line, why, report));
    ended?;
    match blocks {
        0 if !stop() => Err(TextError::Empty),
        n if n == packets.count && n > 0 && payloads == 0 && refused.count == 0 => {
            let why = format!("{} without a payload: there is nothing to read", Plural(n, "packet"));
            Err(TextError::Unreadable(why))
        }
        _ => {
            refused.end(blocks, report)?;
            Ok(blocks)
        }
    }
}

/// Returns the link type of a block that is a packet; `None` for a message.
fn link(block: &Block<'_>, bytes: Bytes) -> Result<Option<LinkType>, String> {
    match bytes {
        Bytes::Payload => Ok(None),
        Bytes::Packet => match forced_packet(block.bytes) {
            Some(link) => Ok(Some(link)),
            None => Err(format!("--packet: {} in which no IP packet begins", Plural(block.bytes.len(), "byte"))),
        },
        // tcpdump prints packets only; with checksum offload their checksum may be wrong.
        Bytes::Detect => Ok(dumped_packet(block.bytes).or(block.link)),
    }
}

/// Returns the options with the sender that the text names. `--from` takes precedence; inbound bytes are a client's.
fn sent_by<'a>(block: &Block<'_>, options: &'a Options) -> Cow<'a, Options> {
    match (options.from, block.inbound) {
        (None, Some(inbound)) => {
            let from = if inbound { Role::Client } else { Role::Server };
            Cow::Owned(Options { from: Some(from), ..options.clone() })
        }
        _ => Cow::Borrowed(options),
    }
}

/// Returns the protocol that explains a message's bytes best.
fn guess(bytes: &[u8], options: &Options, report: &Reporter<'_>) -> Result<&'static dyn Dissector, String> {
    let ranked = ranked(bytes.len(), options, |dissector, score| {
        inspector::dump(dissector, bytes, options, &mut Dissection::default(), score);
    });
    chosen(&ranked, false, report)
}

/// Blocks that could not be read, while others could.
#[derive(Default)]
struct Refused {
    count: u64,
    /// The last one, not reported yet: if it is the only one, it becomes the error.
    last: Option<String>,
}

impl Refused {
    fn add(&mut self, line: usize, why: String, report: &Reporter<'_>) {
        self.count += 1;
        if let Some(before) = self.last.replace(format!("line {line}: {why}")) {
            report(false, format_args!("{before}"));
        }
    }

    /// Reports the last one. Fails if there was any.
    fn end(self, blocks: u64, report: &Reporter<'_>) -> Result<(), TextError> {
        match (self.last, self.count) {
            (None, _) => Ok(()),
            (Some(last), 1) => Err(TextError::Unreadable(last)),
            (Some(last), count) => {
                report(false, format_args!("{last}"));
                let why = format!("{count} of {} could not be read", Plural(blocks, "message"));
                Err(TextError::Unreadable(why))
            }
        }
    }
}
