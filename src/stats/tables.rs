//! The tables of a capture's statistics: messages, conversations, peers, seconds.

use super::ends::{self, Ended};
use super::sides::{client, end_text, role, transport_end};
use super::table::{Cell, Column, Shape, Table, column};
use super::timeline::Bucket;
use super::{Flow, Kind, Stats};
use crate::flow::{Side, StreamLosses};
use rustc_hash::FxHashMap;
use std::net::SocketAddr;

/// The traffic of a kind of message, of a payload or of a group, with the totals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// The protocol and the name.
    pub name: (&'static str, &'static str),
    /// The number of messages.
    pub messages: u64,
    /// Their bytes on the wire.
    pub bytes: u64,
    /// The length of the longest message.
    pub largest: u64,
    /// The number of messages with a fault.
    pub faults: u64,
    /// Whether they were sent reliably.
    pub reliable: bool,
    /// The number of all messages, and their bytes.
    pub total: [u64; 2],
    /// The duration in seconds.
    pub seconds: f64,
}

impl Counted {
    /// The traffic of a kind of message.
    pub fn new(proto: &'static str, name: &'static str, kind: &Kind, stats: &Stats) -> Counted {
        Counted {
            name: (proto, name),
            messages: kind.count,
            bytes: kind.bytes,
            largest: kind.largest,
            faults: kind.faults,
            reliable: kind.reliable,
            total: [stats.messages, stats.bytes],
            seconds: stats.duration(),
        }
    }
}

/// The figures of traffic: the same by message, by schema, by any field, and in comparisons.
pub const TRAFFIC: [Column<Counted>; 8] = [
    column("messages", |c| c.messages.into()),
    column("message_share", |c| Cell::share(c.messages, c.total[0])),
    column("message_rate", |c| Cell::rate(c.messages, c.seconds, 1)),
    column("bytes", |c| c.bytes.into()),
    column("byte_share", |c| Cell::share(c.bytes, c.total[1])),
    column("byte_rate", |c| Cell::rate(c.bytes, c.seconds, 0)),
    column("size_mean", |c| match c.messages {
        0 => Cell::Null,
        n => Cell::Real(c.bytes as f64 / n as f64, 1),
    }),
    column("size_max", |c| c.largest.into()),
];
const PROTO: Column<Counted> = column("proto", |c| c.name.0.into());
const RELIABLE: Column<Counted> = column("reliable", |c| c.reliable.into());
/// A conversation and its start.
struct Conversation {
    flow: Flow,
    /// The end of its last connection.
    ended: Option<Ended>,
    start: i128,
}

impl Conversation {
    fn client(&self) -> usize {
        client(&self.flow).index()
    }

    fn server(&self) -> usize {
        1 - self.client()
    }
}

const FLOWS: [Column<Conversation>; 19] = [
    column("flow", |c| c.flow.id.into()),
    column("proto", |c| c.flow.proto.into()),
    column("version", |c| c.flow.version.map_or(Cell::Null, Cell::from)),
    column("transport", |c| c.flow.transport.name().into()),
    column("client", |c| end_text(&c.flow, client(&c.flow))),
    column("server", |c| end_text(&c.flow, client(&c.flow).other())),
    column("roles", |c| if c.flow.server.is_some() { "known" } else { "unknown" }.into()),
    column("client_messages", |c| c.flow.messages[c.client()].into()),
    column("server_messages", |c| c.flow.messages[c.server()].into()),
    column("client_bytes", |c| c.flow.bytes[c.client()].into()),
    column("server_bytes", |c| c.flow.bytes[c.server()].into()),
    column("start", |c| seconds(c.start)),
    column("duration", |c| seconds(c.flow.last.since(c.flow.first))),
    column("end", |c| ends::outcome(c.ended.as_ref())),
    column("end_by", |c| ends::by(c.ended.as_ref(), &c.flow)),
    column("end_reason", |c| ends::reason(c.ended.as_ref())),
    column("end_data", |c| ends::data(c.ended.as_ref())),
    column("transport_end", |c| transport_end(&c.flow)),
    column("last_message", |c| c.flow.last_message.into()),
];

/// One direction of a TCP conversation.
struct Streamed {
    flow: u64,
    proto: &'static str,
    from: &'static str,
    losses: StreamLosses,
}

const STREAMS: [Column<Streamed>; 6] = [
    column("flow", |s| s.flow.into()),
    column("proto", |s| s.proto.into()),
    column("from", |s| s.from.into()),
    column("resent_bytes", |s| s.losses.resent.into()),
    column("filled_bytes", |s| s.losses.filled.into()),
    column("missing_bytes", |s| s.losses.missing.into()),
];

/// The TCP directions with bytes that show losses.
pub fn streams(stats: &Stats) -> Table {
    let both = |flow: &Flow| {
        let (id, proto, first) = (flow.id, flow.proto, client(flow));
        let of = |side: Side| (role(flow, side), flow.closing.losses[side.index()]);
        [of(first), of(first.other())].map(|(from, losses)| Streamed { flow: id, proto, from, losses })
    };
    let shows = |one: &Streamed| one.losses.resent + one.losses.filled + one.losses.missing > 0;
    let rows: Vec<_> = stats.flows.iter().flat_map(both).filter(shows).collect();
    Table::of(Shape { kind: "stream", title: "Losses of TCP", keys: 3 }, &STREAMS, &rows)
}

/// The sums of an endpoint.
struct Peer {
    end: SocketAddr,
    flows: u64,
    messages: [u64; 2],
    bytes: [u64; 2],
    seconds: f64,
}

const PEERS: [Column<Peer>; 7] = [
    column("peer", |p| Cell::Text(p.end.to_string())),
    column("flows", |p| p.flows.into()),
    column("messages_sent", |p| p.messages[0].into()),
    column("messages_received", |p| p.messages[1].into()),
    column("bytes_sent", |p| p.bytes[0].into()),
    column("bytes_received", |p| p.bytes[1].into()),
    column("byte_rate_sent", |p| Cell::rate(p.bytes[0], p.seconds, 0)),
];

const SECONDS: [Column<(u64, Bucket)>; 3] = [
    column("second", |(second, _)| (*second).into()),
    column("messages", |(_, step)| step.messages.into()),
    column("bytes", |(_, step)| step.bytes.into()),
];

type MessageTable = FxHashMap<(&'static str, &'static str), Kind>;

/// The kinds of message, most bytes first.
pub fn sorted(kinds: &MessageTable) -> Vec<((&'static str, &'static str), &Kind)> {
    let mut list: Vec<_> = kinds.iter().map(|(name, kind)| (*name, kind)).collect();
    list.sort_by(|(a, x), (b, y)| y.bytes.cmp(&x.bytes).then(a.cmp(b)));
    list
}

fn counted(kinds: &MessageTable, stats: &Stats) -> Vec<Counted> {
    // A message may have several payloads, or none.
    let total = kinds.values().fold([0; 2], |[count, bytes], kind| [count + kind.count, bytes + kind.bytes]);
    let row = |((proto, name), kind): (_, &Kind)| Counted { total, ..Counted::new(proto, name, kind, stats) };
    sorted(kinds).into_iter().map(row).collect()
}

/// The messages by protocol and name, most bytes first.
pub fn messages(stats: &Stats) -> Table {
    let rows = counted(&stats.kinds, stats);
    let keys = [PROTO, column("message", |c| c.name.1.into())];
    let faults = [column("faults", |c: &Counted| c.faults.into()), RELIABLE];
    let shape = Shape { kind: "message", title: "Messages, most bytes first", keys: keys.len() };
    Table::of(shape, &keys, &rows).with(&TRAFFIC, &rows).with(&faults, &rows)
}

/// The payloads by schema message; the bytes are those of payloads. Faults count for the carrying messages only.
pub fn schemas(stats: &Stats) -> Table {
    let rows = counted(&stats.schemas, stats);
    let keys = [PROTO, column("schema", |c| c.name.1.into())];
    let shape = Shape { kind: "schema", title: "Payloads by schema, most bytes first", keys: keys.len() };
    Table::of(shape, &keys, &rows).with(&TRAFFIC, &rows).with(&[RELIABLE], &rows)
}

/// The conversations.
pub fn flows(stats: &Stats) -> Table {
    let start = |flow: &Flow| stats.first.map_or(0, |first| flow.first.since(first));
    let row = |flow: &Flow| Conversation { flow: flow.clone(), ended: stats.last_end(flow), start: start(flow) };
    let rows: Vec<_> = stats.flows.iter().map(row).collect();
    Table::of(Shape { kind: "flow", title: "Conversations", keys: 1 }, &FLOWS, &rows)
}

fn seconds(nanos: i128) -> Cell {
    Cell::Seconds(nanos as f64 / 1e9)
}

/// The endpoints of the conversations, most bytes first.
pub fn peers(stats: &Stats) -> Table {
    let seconds = stats.duration();
    let mut peers: FxHashMap<SocketAddr, Peer> = FxHashMap::default();
    for flow in &stats.flows {
        for (side, end) in Side::BOTH.into_iter().zip(flow.ends.into_iter().flatten()) {
            let none = Peer { end, flows: 0, messages: [0; 2], bytes: [0; 2], seconds };
            let peer = peers.entry(end).or_insert(none);
            peer.flows += 1;
            for (k, from) in [side, side.other()].into_iter().enumerate() {
                peer.messages[k] += flow.messages[from.index()];
                peer.bytes[k] += flow.bytes[from.index()];
            }
        }
    }
    let mut rows: Vec<Peer> = peers.into_values().collect();
    rows.sort_by_key(|peer| (std::cmp::Reverse(peer.bytes.iter().sum::<u64>()), peer.end));
    Table::of(Shape { kind: "peer", title: "Peers, most bytes first", keys: 1 }, &PEERS, &rows)
}

/// The traffic over time: a row per second, or longer steps if the capture is longer than a day.
pub fn seconds_table(stats: &Stats) -> Table {
    let width = (stats.seconds.width() / 1_000_000_000) as u64;
    let steps = stats.seconds.steps().iter().enumerate();
    let rows: Vec<(u64, Bucket)> = steps.map(|(k, step)| (k as u64 * width, *step)).collect();
    Table::of(Shape { kind: "second", title: "", keys: 1 }, &SECONDS, &rows)
}
