//! netkit: decode, encode, replay and probe game-networking protocols.
//!
//! Each message's layout is written once, as data ([`codec::layout`]); one interpreter walks it
//! in both directions. The layers, each of which imports only what stands before it:
//!
//! | module | what it is |
//! |---|---|
//! | [`codec`] | layouts, the walk, reader, writer, sampler, the tree, faults |
//! | [`capture`] | where frames come from: pcap, pcapng, gzip, hex text; link layers, IP fragments |
//! | [`flow`] | conversations: the flow table and TCP reassembly |
//! | [`protocols`] | one folder a protocol: layouts, session, documentation |
//! | [`net`] | sockets with deadlines, the gate that all sends pass, names, the exchange as a capture |
//! | [`probe`] | asking live servers: courses, outcomes, statistics, reports |
//! | [`render`] | tree, summary, table, ndjson, json |
//! | [`replay`] | one side of a captured conversation played to a live peer |
//! | [`encode`] | JSON lines to bytes, hex or captures |

pub mod capture;
pub mod codec;
pub mod encode;
pub mod filter;
pub mod flow;
pub mod nearest;
pub mod net;
pub mod printable;
pub mod probe;
pub mod protocols;
pub mod render;
pub mod replay;
pub mod stats;
