//! Captures as lists of packets, parts cut out of them, and the messages read from the parts.

use crate::common;
use netkit::capture::{Body, Capture, Decoded, LinkType, Packet, Packets, PcapWriter, Segment, Time, ethernet};
use netkit::dissect::{Counters, Decision, Evidence, Inspector, Message, Observation, Options, Sink};
use netkit::flow::{Caps, Table};
use netkit::read::{CaptureSink, Drive, Summary};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::io::Cursor;
use std::net::SocketAddr;
use std::path::Path;

/// A packet that outlives its capture.
#[derive(Clone)]
pub struct Kept {
    /// Its number in the whole capture.
    pub frame: u64,
    pub time: Time,
    pub src: SocketAddr,
    pub dst: SocketAddr,
    /// The segment without its payload; `None` for a datagram.
    pub segment: Option<Segment<'static>>,
    pub payload: Vec<u8>,
    pub length: usize,
}

impl Kept {
    /// Both endpoints, in the same order for both directions.
    pub fn ends(&self) -> [SocketAddr; 2] {
        [self.src.min(self.dst), self.src.max(self.dst)]
    }

    fn body<'a>(&'a self, payload: &'a [u8]) -> Body<'a> {
        match self.segment.clone() {
            Some(segment) => Body::Tcp(Segment { payload, length: self.length, ..segment }),
            None => Body::Udp { payload, length: self.length },
        }
    }

    pub fn packet(&self) -> Packet<'_> {
        let body = self.body(&self.payload);
        Packet { frame: self.frame, frames: &[], time: self.time, src: self.src, dst: self.dst, leg: None, body }
    }
}

/// Packets as a capture file, the one at index `n` in frame `n + 1`.
pub fn file(packets: &[Kept]) -> Vec<u8> {
    let (mut file, mut frame, mut payload) = (Vec::new(), Vec::new(), Vec::new());
    let mut writer = PcapWriter::new(&mut file, LinkType::ETHERNET, 9).expect("a header");
    for kept in packets {
        payload.clone_from(&kept.payload);
        payload.resize(kept.length.max(kept.payload.len()), 0);
        frame.clear();
        ethernet(kept.src, kept.dst, &kept.body(&payload), &mut frame).expect("a frame");
        let held = frame.len() - (payload.len() - kept.payload.len());
        writer.record(kept.time, &frame[..held], frame.len()).expect("a record");
    }
    file
}

/// The packets of a capture, up to its damage if it has any.
pub fn packets(path: &Path) -> Vec<Kept> {
    let file = std::fs::read(path).expect("a file");
    let mut packets = Packets::open(Box::new(Cursor::new(file))).expect("a capture");
    let mut all = Vec::new();
    while let Ok(Some(item)) = packets.next() {
        if let Decoded::Packet(packet) = item.decoded {
            let (segment, payload, length) = match packet.body {
                Body::Udp { payload, length } => (None, payload, length),
                Body::Tcp(segment) => {
                    (Some(Segment { payload: &[], length: 0, ..segment }), segment.payload, segment.length)
                }
            };
            let Packet { frame, time, src, dst, .. } = packet;
            all.push(Kept { frame, time, src, dst, segment, payload: payload.to_vec(), length });
        }
    }
    all
}

/// A message: its sender, its name, and a hash of its fields.
#[derive(Clone, Debug)]
pub struct Line {
    pub frame: u64,
    pub src: SocketAddr,
    pub proto: &'static str,
    pub version: Option<&'static str>,
    pub message: &'static str,
    pub from: &'static str,
    pub fields: u64,
    pub ends: [SocketAddr; 2],
    /// The first frame with a part of it.
    pub begins: u64,
    /// The codes of its notes.
    pub notes: Vec<&'static str>,
}

/// A conversation that no protocol claimed, with its bits of evidence for each protocol.
#[derive(Clone, Debug)]
pub struct Unclaimed {
    pub ends: [SocketAddr; 2],
    pub bits: BTreeMap<&'static str, (u32, &'static str)>,
}

/// The messages read from packets.
pub struct Read<'a> {
    options: &'a Options,
    pub lines: Vec<Line>,
    pub unclaimed: Vec<Unclaimed>,
}

impl Sink for Read<'_> {
    fn message(&mut self, message: &Message<'_>) {
        let dissection = message.dissection;
        let mut fields = std::hash::DefaultHasher::new();
        message.place.bytes.hash(&mut fields);
        for node in dissection.tree.nodes() {
            node.field.name.hash(&mut fields);
            format!("{:?}", node.value).hash(&mut fields);
        }
        let ends = message.flow_info.ends.expect("a conversation");
        self.lines.push(Line {
            frame: message.place.frame,
            src: ends[message.place.side.index()],
            proto: dissection.proto,
            version: dissection.version,
            message: dissection.message,
            from: dissection.from.name(),
            fields: fields.finish(),
            ends: [ends[0].min(ends[1]), ends[0].max(ends[1])],
            begins: message.place.frames.first().copied().unwrap_or(message.place.frame),
            notes: dissection.notes.iter().map(|(note, _)| note.code).collect(),
        });
    }

    fn decided(&mut self, decision: &Decision<'_>) {
        if decision.taken.is_some() {
            return;
        }
        let observation = Observation::again(decision, self.options);
        let each = self.options.registry.iter().filter_map(|dissector| match dissector.identify(&observation) {
            Evidence::Bits(bits, why) => Some((dissector.name(), (bits, why))),
            Evidence::No => None,
        });
        self.unclaimed.push(Unclaimed { ends: decision.ends, bits: each.collect() });
    }
}

impl CaptureSink for Read<'_> {}

/// Reads packets as a file, which is scanned as a whole before a line is printed.
pub fn read_file(packets: &[Kept], options: &Options) -> (Vec<Line>, Summary) {
    let bytes = file(packets);
    let open = |bytes: Vec<u8>| Capture::open(Box::new(Cursor::new(bytes)));
    let again = bytes.clone();
    let capture = open(bytes).expect("a capture").reopening(Box::new(move || open(again.clone()).ok()));
    let mut found = Read { options, lines: Vec::new(), unclaimed: Vec::new() };
    let summary = Drive::new(options).read(capture, &mut found);
    for line in &mut found.lines {
        [line.frame, line.begins] = [line.frame, line.begins].map(|frame| packets[frame as usize - 1].frame);
    }
    (found.lines, summary)
}

/// Reads packets as they arrive.
pub fn read<'a>(packets: &[Kept], options: &'a Options) -> (Read<'a>, Counters) {
    let mut found = Read { options, lines: Vec::new(), unclaimed: Vec::new() };
    let mut inspector = Inspector::new(options, &mut found);
    let mut table = Table::new(Caps::default());
    packets.iter().for_each(|kept| table.packet(&kept.packet(), &mut inspector));
    table.finish(&mut inspector);
    let counters = std::mem::take(&mut inspector.counters);
    (found, counters)
}

/// The settings that a capture needs to be read at all, whatever its protocol.
pub fn options(path: &Path) -> Options {
    let mut options = netkit::protocols::options();
    let args = common::args_of(path);
    for pair in args.windows(2).filter(|pair| pair[0] == "-s") {
        options.set(&pair[1]).expect("a setting");
    }
    options
}

/// Parts of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cut {
    Whole,
    /// The packets that the client sent, or those that the server sent.
    Client,
    Server,
    /// Without this percentage of its packets, from the beginning.
    From(usize),
    /// This number of packets from its middle.
    Middle(usize),
    /// The conversation with the most packets, from its middle.
    Busiest,
    /// All pairs of neighbouring packets swapped.
    Exchanged,
    /// This number of bytes of each frame.
    Snapped(usize),
}

/// All parts.
pub const CUTS: [Cut; 10] = [
    Cut::Whole,
    Cut::Client,
    Cut::Server,
    Cut::From(30),
    Cut::From(50),
    Cut::Middle(20),
    Cut::Middle(100),
    Cut::Busiest,
    Cut::Exchanged,
    Cut::Snapped(96),
];

impl Cut {
    /// Cuts a capture. `servers`: whether the sender of a packet is a server.
    pub fn of(self, all: &[Kept], servers: &dyn Fn(&Kept) -> bool) -> Vec<Kept> {
        let middle = |list: &[Kept], count: usize| {
            let from = (list.len() / 2).saturating_sub(count / 2);
            list[from..].iter().take(count).cloned().collect()
        };
        match self {
            Cut::Whole => all.to_vec(),
            Cut::Client => all.iter().filter(|kept| !servers(kept)).cloned().collect(),
            Cut::Server => all.iter().filter(|kept| servers(kept)).cloned().collect(),
            Cut::From(share) => all[all.len() * share / 100..].to_vec(),
            Cut::Middle(count) => middle(all, count),
            Cut::Busiest => {
                let mut counts: BTreeMap<_, usize> = BTreeMap::new();
                for kept in all {
                    *counts.entry((kept.ends(), kept.segment.is_some())).or_default() += 1;
                }
                let busiest = counts.into_iter().max_by_key(|(_, count)| *count).map(|(key, _)| key);
                let own: Vec<Kept> =
                    all.iter().filter(|kept| Some((kept.ends(), kept.segment.is_some())) == busiest).cloned().collect();
                own[own.len() / 2..].to_vec()
            }
            Cut::Exchanged => {
                let mut list = all.to_vec();
                for pair in list.chunks_exact_mut(2) {
                    let times = [pair[0].time, pair[1].time];
                    pair.swap(0, 1);
                    (pair[0].time, pair[1].time) = (times[0], times[1]);
                }
                list
            }
            Cut::Snapped(bytes) => {
                let mut list = all.to_vec();
                for kept in &mut list {
                    let headers = if kept.src.is_ipv4() { 34 } else { 54 };
                    let left = bytes.saturating_sub(headers + if kept.segment.is_some() { 20 } else { 8 });
                    kept.payload.truncate(left);
                }
                list
            }
        }
    }
}

/// Replaces the ports by others without a meaning: 40000 to 59999.
pub fn other_ports(all: &[Kept]) -> Vec<Kept> {
    let other = |end: SocketAddr| {
        let port = 40_000 + (u32::from(end.port()) * 7919 % 20_000) as u16;
        SocketAddr::new(end.ip(), port)
    };
    all.iter().cloned().map(|kept| Kept { src: other(kept.src), dst: other(kept.dst), ..kept }).collect()
}
