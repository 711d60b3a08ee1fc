//! Reads messages from hex text: detects whether the bytes are messages or packets, and their protocol.

use super::fit::{chosen, ranked};
use super::interrupt::{self, stop};
use super::notify::notify;
use super::packets::Packets;
use super::stopped::{ReadResult, Stopped};
use crate::capture::hextext::Block;
use crate::capture::{HexText, LinkType, dumped_packet, forced_packet};
use crate::cli::Global;
use crate::dissect::{Dissection, Dissector, Options, Role, inspector};
use crate::plural::Plural;
use crate::read::CaptureSink;
use std::borrow::Cow;
use std::io::BufRead;

/// The interpretation of a hex text's bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bytes {
    /// Packets if their headers are consistent, else messages.
    #[default]
    Detect,
    /// Messages.
    Payload,
    /// Packets.
    Packet,
}

/// Dissects each message of a hex text. `lines`: each line of plain hex is one message. Returns the place where a
/// signal stopped it.
///
/// # Errors
/// Fails if the text is not hex, or empty, or if its bytes cannot be interpreted.
pub fn text(
    reader: impl BufRead,
    lines: bool,
    bytes: Bytes,
    options: &Options,
    global: &Global,
    sink: &mut impl CaptureSink,
) -> ReadResult {
    let mut text = HexText::new(reader).lines(lines);
    let mut dissection = Dissection::default();
    let named = options.proto.as_deref().and_then(|name| options.registry.by_name(name));
    let mut packets = Packets::new(options, named, global, sink);
    let (mut blocks, mut refused) = (0u64, Refused::default());
    let ended = loop {
        let block = match text.next() {
            Ok(Some(block)) if !stop().is_set() => block,
            // Input that was stopped may end inside a line.
            Err(_) if stop().is_set() => break Ok(()),
            Ok(_) => break Ok(()),
            Err(error) => break Err(error),
        };
        blocks += 1;
        match link(&block, bytes) {
            Ok(Some(link)) => packets.packet(block.bytes, link, block.line),
            Ok(None) => match named.map_or_else(|| guess(block.bytes, options, global), Ok) {
                Ok(dissector) => {
                    let options = sent_by(&block, options);
                    inspector::dump(dissector, block.bytes, &options, &mut dissection, packets.sink());
                }
                Err(why) => refused.add(block.line, why, global),
            },
            Err(why) => refused.add(block.line, why, global),
        }
        packets.unread().into_iter().for_each(|(line, why)| refused.add(line, why, global));
        if !packets.sink().go_on(&|| true) {
            break Ok(());
        }
    };
    let payloads = packets.finish();
    packets.unread().into_iter().for_each(|(line, why)| refused.add(line, why, global));
    ended?;
    match blocks {
        0 if !stop().is_set() => anyhow::bail!("there is no hex digit in it"),
        n if n == packets.count && n > 0 && payloads == 0 && refused.count == 0 => {
            let why = format!("{} without a payload: there is nothing to read", Plural(n, "packet"));
            Err(Unreadable(why).into())
        }
        _ => {
            refused.report(blocks, global)?;
            Ok(interrupt::status(false).map(|_| Stopped::blocks(blocks)))
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
fn guess(bytes: &[u8], options: &Options, global: &Global) -> Result<&'static dyn Dissector, String> {
    let ranked = ranked(bytes.len(), options, |dissector, score| {
        inspector::dump(dissector, bytes, options, &mut Dissection::default(), score);
    });
    chosen(&ranked, false, global)
}

/// Valid hex text, but of no recognisable protocol.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(String);

/// Blocks that could not be read, while others could.
#[derive(Default)]
struct Refused {
    count: u64,
    /// The last one, not reported yet: if it is the only one, it becomes the error.
    last: Option<String>,
}

impl Refused {
    fn add(&mut self, line: usize, why: String, global: &Global) {
        self.count += 1;
        if let Some(before) = self.last.replace(format!("line {line}: {why}")) {
            notify(global, format_args!("{before}"));
        }
    }

    fn report(self, blocks: u64, global: &Global) -> anyhow::Result<()> {
        match (self.last, self.count) {
            (None, _) => Ok(()),
            (Some(last), 1) => Err(Unreadable(last).into()),
            (Some(last), count) => {
                notify(global, format_args!("{last}"));
                let why = format!("{count} of {} could not be read", Plural(blocks, "message"));
                Err(Unreadable(why).into())
            }
        }
    }
}
