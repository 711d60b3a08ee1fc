//! Packets of a hex dump: each datagram is dissected on its own, the segments of a TCP conversation
//! as its two streams. A dump has no times, so no state is kept between datagrams: statements about
//! round trips and retransmissions would be wrong.

use super::fit::{Reporter, Score, chosen, ranked};
use super::{Carrier, Payload, carried, recognise};
use crate::capture::{Decoded, Fragments, LinkType, Other, Packet, decode, frame};
use crate::dissect::{Dissection, Dissector, Options, Sink};
use crate::flow::{Conversation, Delivery, End, Gap, Handler, Side, Stream, Table, Transport};
use std::collections::BTreeMap;

/// Dissects the packets of a dump and passes the messages to a sink.
pub(crate) struct Packets<'a, S> {
    table: Table<DumpFlow>,
    fragments: Fragments,
    reader: Reader<'a, S>,
    /// The number of packets.
    pub(crate) count: u64,
    /// Fragments of incomplete datagrams: the packet's number, and its line.
    parts: BTreeMap<u64, usize>,
}

/// Dissects the packets' payloads.
struct Reader<'a, S> {
    options: &'a Options,
    named: Option<&'static dyn Dissector>,
    report: &'a Reporter<'a>,
    sink: &'a mut S,
    dissection: Dissection,
    /// The line of the current packet.
    line: usize,
    /// Packets with a payload.
    read: u64,
    unread: Vec<(usize, String)>,
}

/// A conversation of the dump.
#[derive(Debug, Default)]
struct DumpFlow {
    /// TCP: the payload of both sides.
    bytes: Vec<u8>,
    /// Sender, length and number of missing bytes before it, for each payload in `bytes`.
    payloads: Vec<(Side, usize, u64)>,
    /// The number of bytes missing before the next payload of each side.
    missing: [u64; 2],
    /// The line of the first payload.
    line: usize,
    /// UDP: the dissector of an earlier datagram.
    known: Option<&'static dyn Dissector>,
}

impl<'a, S: Sink> Packets<'a, S> {
    /// Creates it without packets. `named`: the protocol given by `-p`.
    pub(crate) fn new(
        options: &'a Options,
        named: Option<&'static dyn Dissector>,
        report: &'a Reporter<'a>,
        sink: &'a mut S,
    ) -> Packets<'a, S> {
        let (dissection, unread) = (Dissection::default(), Vec::new());
        Packets {
            table: Table::new(options.limits.flow),
            fragments: Fragments::new(options.limits.fragments),
            reader: Reader { options, named, report, sink, dissection, line: 0, read: 0, unread },
            count: 0,
            parts: BTreeMap::new(),
        }
    }

    /// Returns the sink of the messages.
    pub(crate) fn sink(&mut self) -> &mut S {
        self.reader.sink
    }

    /// Processes the packet that begins at a line. Unreadable ones are
    /// [collected](Packets::unread).
    pub(crate) fn packet(&mut self, bytes: &[u8], link: LinkType, line: usize) {
        self.count += 1;
        self.reader.line = line;
        match decode(&frame(bytes, link, self.count), &mut self.fragments) {
            Decoded::Packet(packet) => {
                packet.frames.iter().for_each(|number| _ = self.parts.remove(number));
                if self.count == 1 {
                    self.reader.report_headers(&packet);
                }
                self.table.packet(&packet, &mut self.reader);
            }
            Decoded::Other(Other::Fragment) => _ = self.parts.insert(self.count, line),
            Decoded::Other(why) => {
                self.reader.unread.push((line, format!("a packet without UDP or TCP: {why}")));
            }
        }
    }

    /// Returns the unreadable packets since the last call, each with its line and the reason.
    pub(crate) fn unread(&mut self) -> Vec<(usize, String)> {
        std::mem::take(&mut self.reader.unread)
    }

    /// Ends the text: dissects the streams. Returns the number of payloads.
    pub(crate) fn finish(&mut self) -> u64 {
        for line in std::mem::take(&mut self.parts).into_values() {
            let why = "an IP fragment: the text does not have the rest of its datagram";
            self.reader.unread.push((line, why.into()));
        }
        self.table.finish(&mut self.reader);
        self.reader.read
    }
}

impl<S: Sink> Reader<'_, S> {
    /// Reports that headers were recognised, with their addresses.
    fn report_headers(&self, packet: &Packet<'_>) {
        let (transport, src, dst) = (Transport::of(packet), packet.src, packet.dst);
        let text = "its headers are not part of the message; --payload reads all bytes as a message";
        (self.report)(false, format_args!("a whole packet, {transport} {src} > {dst}: {text}"));
    }

    /// Dissects a datagram, or a conversation. Returns the dissector used.
    fn read(
        &mut self,
        carrier: &Carrier<'_>,
        payload: &[Payload<'_>],
        known: Option<&'static dyn Dissector>,
    ) -> Option<&'static dyn Dissector> {
        self.read += 1;
        let options = self.options;
        let reading = match (recognise(carrier, payload, options), self.named) {
            (Some((dissector, why)), _) => {
                (self.report)(true, format_args!("read as {}: {why}", dissector.name()));
                Ok(dissector)
            }
            (None, Some(named)) => Err(format!("{} does not run over {}", named.name(), carrier.transport.name())),
            (None, None) => known.map_or_else(|| self.guess(carrier, payload), Ok),
        };
        match reading {
            Ok(dissector) => {
                carried(dissector, carrier, payload, options, &mut self.dissection, self.sink);
                Some(dissector)
            }
            Err(why) => {
                let from = payload.first().map_or(0, |payload| payload.side.index());
                let (src, dst) = (carrier.names[from], carrier.names[1 - from]);
                self.unread.push((self.line, format!("{} {src} > {dst}: {why}", carrier.transport.name())));
                None
            }
        }
    }

    /// Returns the protocol that explains the bytes best, if neither ports nor format identify it.
    fn guess(&self, carrier: &Carrier<'_>, payload: &[Payload<'_>]) -> Result<&'static dyn Dissector, String> {
        let options = self.options;
        let length = payload.iter().map(|payload| payload.bytes.len()).sum();
        let ranked = ranked(length, options, |dissector, score: &mut Score| {
            if dissector.takes(carrier.transport, false) {
                carried(dissector, carrier, payload, options, &mut Dissection::default(), score);
            }
        });
        chosen(&ranked, true, self.report)
    }
}

impl<S: Sink> Handler<DumpFlow> for Reader<'_, S> {
    fn datagram(&mut self, c: &mut Conversation<DumpFlow>, side: Side, _: &Packet<'_>, bytes: &[u8], length: usize) {
        if length > 0 {
            let known = c.state.known;
            c.state.known = self.read(&carrier(c), &[Payload { side, missing: 0, bytes, length }], known).or(known);
        }
    }

    fn data(&mut self, c: &mut Conversation<DumpFlow>, side: Side, stream: &mut Stream, _: &Delivery<'_>) {
        let flow = &mut c.state;
        if flow.payloads.is_empty() {
            flow.line = self.line;
        }
        let missing = std::mem::take(&mut flow.missing[side.index()]);
        flow.payloads.push((side, stream.bytes().len(), missing));
        flow.bytes.extend_from_slice(stream.bytes());
        stream.consume(stream.bytes().len());
    }

    fn gap(&mut self, c: &mut Conversation<DumpFlow>, side: Side, _: &mut Stream, gap: &Gap) {
        c.state.missing[side.index()] += gap.missing;
    }

    fn end(&mut self, _: &mut Conversation<DumpFlow>, _: Side, _: &mut Stream, _: End, _: u64) {}

    fn closed(&mut self, c: &mut Conversation<DumpFlow>) {
        let DumpFlow { bytes, payloads, line, .. } = std::mem::take(&mut c.state);
        let mut rest = bytes.as_slice();
        let payload: Vec<Payload<'_>> = payloads
            .into_iter()
            .map(|(side, length, missing)| {
                let (bytes, after) = rest.split_at(length.min(rest.len()));
                rest = after;
                Payload { side, missing, bytes, length }
            })
            .collect();
        if !payload.is_empty() {
            self.line = line;
            self.read(&carrier(c), &payload, None);
        }
    }

    fn memory(&self, c: &Conversation<DumpFlow>) -> Option<usize> {
        Some(c.state.bytes.capacity() + c.state.payloads.capacity() * size_of::<(Side, usize, u64)>())
    }
}

fn carrier(c: &Conversation<DumpFlow>) -> Carrier<'_> {
    let [a, b] = c.names.of(&c.ends);
    Carrier { transport: c.transport, ends: c.ends, names: [a, b], opener: c.opener, begun: c.syn_seen }
}
