//! Packets of a hex dump: each datagram is read by itself, the segments of a TCP conversation as its
//! two streams. A dump has no times, so nothing is remembered from one datagram to the next: what
//! would be said about round trips and resends would be false.

use super::fit::{Score, ranked};
use super::output::say;
use crate::cli::Global;
use netkit::capture::{Decoded, Fragments, LinkType, Packet, decode, frame};
use netkit::dissect::inspector::{Carrier, Piece, carried, recognise};
use netkit::dissect::{Dissection, Dissector, Options, Sink};
use netkit::flow::{Conversation, Delivery, End, Gap, Handler, Side, Stream, Table, Transport};

/// The packets of a dump, on their way to a sink.
pub struct Packets<'a, S> {
    table: Table<Said>,
    fragments: Fragments,
    reader: Reader<'a, S>,
    count: u64,
}

/// Reads what packets carry.
struct Reader<'a, S> {
    options: &'a Options,
    named: Option<&'static dyn Dissector>,
    global: &'a Global,
    sink: &'a mut S,
    dissection: Dissection,
    /// Where the packet at hand begins in the text.
    line: usize,
    /// Packets with a payload.
    read: u64,
    unread: Vec<(usize, String)>,
}

/// A conversation of the dump.
#[derive(Debug, Default)]
struct Said {
    /// TCP: what its sides said.
    bytes: Vec<u8>,
    /// Who said how many of them, in order, behind how many that are missing.
    pieces: Vec<(Side, usize, u64)>,
    /// Bytes that are missing before the next piece of a side.
    missing: [u64; 2],
    /// The line where the first one begins.
    line: usize,
    /// UDP: as what an earlier datagram was read.
    known: Option<&'static dyn Dissector>,
}

impl<'a, S: Sink> Packets<'a, S> {
    /// No packets yet. `named`: the protocol by `-p`.
    pub fn new(
        options: &'a Options,
        named: Option<&'static dyn Dissector>,
        global: &'a Global,
        sink: &'a mut S,
    ) -> Packets<'a, S> {
        let (dissection, unread) = (Dissection::default(), Vec::new());
        Packets {
            table: Table::new(options.limits.flow),
            fragments: Fragments::new(options.limits.fragments),
            reader: Reader { options, named, global, sink, dissection, line: 0, read: 0, unread },
            count: 0,
        }
    }

    /// Where the messages go.
    pub fn sink(&mut self) -> &mut S {
        self.reader.sink
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Takes the packet that begins in a line. What cannot be read is [kept](Packets::unread).
    pub fn packet(&mut self, bytes: &[u8], link: LinkType, line: usize) {
        self.count += 1;
        self.reader.line = line;
        match decode(&frame(bytes, link, self.count), &mut self.fragments) {
            Decoded::Packet(packet) => {
                if self.count == 1 {
                    self.reader.told(&packet);
                }
                self.table.packet(&packet, &mut self.reader);
            }
            Decoded::Other(why) => {
                self.reader.unread.push((line, format!("a packet without UDP or TCP: {why}")));
            }
        }
    }

    /// What could not be read since the last call, with the lines where it begins.
    pub fn unread(&mut self) -> Vec<(usize, String)> {
        std::mem::take(&mut self.reader.unread)
    }

    /// The text has ended: reads the streams. Returns how many payloads there were.
    pub fn finish(&mut self) -> u64 {
        self.table.finish(&mut self.reader);
        self.reader.read
    }
}

impl<S: Sink> Reader<'_, S> {
    /// Says that headers were seen, and whose.
    fn told(&self, packet: &Packet<'_>) {
        let transport = match packet.body {
            netkit::capture::Body::Udp { .. } => Transport::Udp,
            netkit::capture::Body::Tcp(_) => Transport::Tcp,
        };
        let (src, dst) = (packet.src, packet.dst);
        say(
            self.global,
            format_args!(
                "netkit: a whole packet, {} {src} > {dst}: its headers are not part of the message; --payload reads all as one",
                transport.name()
            ),
        );
    }

    /// Reads a datagram, or a conversation. Returns as what.
    fn read(
        &mut self,
        carrier: &Carrier<'_>,
        said: &[Piece<'_>],
        known: Option<&'static dyn Dissector>,
    ) -> Option<&'static dyn Dissector> {
        self.read += 1;
        let options = self.options;
        let reading = match (recognise(carrier, said, options), self.named) {
            (Some((dissector, why)), _) => {
                if self.global.verbose > 0 {
                    say(self.global, format_args!("netkit: read as {}: {why}", dissector.name()));
                }
                Ok(dissector)
            }
            (None, Some(named)) => Err(format!("{} is not spoken over {}", named.name(), carrier.transport.name())),
            (None, None) => known.map_or_else(|| self.guess(carrier, said), Ok),
        };
        match reading {
            Ok(dissector) => {
                carried(dissector, carrier, said, options, &mut self.dissection, self.sink);
                Some(dissector)
            }
            Err(why) => {
                let from = said.first().map_or(0, |piece| piece.side.index());
                let (src, dst) = (carrier.names[from], carrier.names[1 - from]);
                self.unread.push((self.line, format!("{} {src} > {dst}: {why}", carrier.transport.name())));
                None
            }
        }
    }

    /// The protocol that the bytes fit best, where neither ports nor their form tell.
    fn guess(&self, carrier: &Carrier<'_>, said: &[Piece<'_>]) -> Result<&'static dyn Dissector, String> {
        let options = self.options;
        let length = said.iter().map(|piece| piece.bytes.len()).sum();
        let ranked = ranked(length, options, |dissector, score: &mut Score| {
            if dissector.takes(carrier.transport, false) {
                carried(dissector, carrier, said, options, &mut Dissection::default(), score);
            }
        });
        super::hex::chosen(&ranked, true, self.global)
    }
}

impl<S: Sink> Handler<Said> for Reader<'_, S> {
    fn datagram(&mut self, c: &mut Conversation<Said>, side: Side, _: &Packet<'_>, bytes: &[u8], length: usize) {
        if length > 0 {
            let known = c.state.known;
            c.state.known = self.read(&carrier(c), &[Piece { side, missing: 0, bytes, length }], known).or(known);
        }
    }

    fn data(&mut self, c: &mut Conversation<Said>, side: Side, stream: &mut Stream, _: &Delivery<'_>) {
        let said = &mut c.state;
        if said.pieces.is_empty() {
            said.line = self.line;
        }
        let missing = std::mem::take(&mut said.missing[side.index()]);
        said.pieces.push((side, stream.bytes().len(), missing));
        said.bytes.extend_from_slice(stream.bytes());
        stream.consume(stream.bytes().len());
    }

    fn gap(&mut self, c: &mut Conversation<Said>, side: Side, _: &mut Stream, gap: &Gap) {
        c.state.missing[side.index()] += gap.missing;
    }

    fn end(&mut self, _: &mut Conversation<Said>, _: Side, _: &mut Stream, _: End) {}

    fn closed(&mut self, c: &mut Conversation<Said>) {
        let Said { bytes, pieces, line, .. } = std::mem::take(&mut c.state);
        let mut rest = bytes.as_slice();
        let said: Vec<Piece<'_>> = pieces
            .into_iter()
            .map(|(side, length, missing)| {
                let (bytes, behind) = rest.split_at(length.min(rest.len()));
                rest = behind;
                Piece { side, missing, bytes, length }
            })
            .collect();
        if !said.is_empty() {
            self.line = line;
            self.read(&carrier(c), &said, None);
        }
    }

    fn memory(&self, c: &Conversation<Said>) -> usize {
        c.state.bytes.capacity() + c.state.pieces.capacity() * size_of::<(Side, usize, u64)>()
    }
}

fn carrier(c: &Conversation<Said>) -> Carrier<'_> {
    let [a, b] = c.names.of(&c.ends);
    Carrier { transport: c.transport, ends: c.ends, names: [a, b], opener: c.opener, begun: c.syn_seen }
}
