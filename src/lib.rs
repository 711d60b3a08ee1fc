//! netkit: decode, encode, replay and probe game-networking protocols.
//!
//! Each message's layout is written once, as data ([`codec::layout`]); one interpreter walks it in both directions.
//! Each of the layers imports only those before it:
//!
//! | module | content |
//! |---|---|
//! | [`codec`] | message layouts as tables, and their interpreter: reader, writer, sampler, tree, faults |
//! | [`capture`] | frames from pcap, pcapng, gzip, zstd, hex text; link layers, IP fragments |
//! | [`flow`] | conversations: the flow table and TCP reassembly |
//! | `traffic` | analyses for every protocol: numbers and acknowledgements, the life of a connection, losses on its path |
//! | [`dissect`] | recognition and dissection, independent of any protocol |
//! | [`encode`] | JSON lines to bytes or captures |
//! | `redact` | messages without addresses and application data |
//! | [`filter`] | filter expressions on messages |
//! | [`render`] | output formats: tree, summary, table, ndjson, json |
//! | [`read`] | reading captures to their ends, with one thread or several; the selection of their messages |
//! | [`stats`] | counts, delivery, round trips, differences |
//! | `report` | a page of a capture's statistics and messages, in HTML |
//! | [`message`] | messages that exist longer than their packet: tree, bytes, edits; an iterator of them |
//! | [`live`] | sockets, probes, replays |
//! | `docs` | pages: output, filters, schemas, recognition, contributing, ..; tables of protocols as text |
//! | [`protocols`] | the protocols, one folder each: layouts, session, client, documentation |
//! | `view` | the inspector in the terminal (feature `cli`, as the rest) |
//! | `platform` | what each operating system does in its own way: terminals, pipes, timers |
//! | `cli` | the command line: options and their help |
//! | `process` | the process: signals, messages to the user, input and output files, programs that capture |
//! | `commands` | the subcommands |
//! | `program` | parse, run, exit status |
//!
//! Printing the messages of a capture:
//!
//! ```
//! let file = std::fs::File::open("fixtures/riptide/riptide20-udp.pcap")?;
//! let mut names = Vec::new();
//! let summary = netkit::decode(file, &netkit::protocols::options(), |message| {
//!     names.push(format!("{}: {}", message.place.time, message.dissection.message));
//! })?;
//! assert!(summary.error.is_none() && names.len() > 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! As an iterator. [`message::Messages::of`] also reads several captures as one ([`capture::Capture::followed_by`]), or
//! with the links to later messages ([`read::Drive::linked`]).
//!
//! ```
//! let file = std::fs::File::open("fixtures/riptide/riptide20-udp.pcap")?;
//! for message in netkit::messages(file, &netkit::protocols::options())? {
//!     let message = message?;
//!     println!("{} {} {}", message.time, message.message.message, message.message.to_json());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Printing them in an output format, with a sink. [`read::Drive`] can also divide the work among threads.
//!
//! ```
//! use netkit::render::{Format, Renderer, Style};
//!
//! let file = std::fs::File::open("fixtures/riptide/riptide20-udp.pcap")?;
//! let mut out = Renderer::new(Format::NDJSON, Style::default(), Box::new(std::io::sink()));
//! netkit::decode(file, &netkit::protocols::options(), |message| netkit::dissect::Sink::message(&mut out, message))?;
//! out.finish()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Dissecting one message's bytes, with a schema for the payload that is opaque to the protocol, and
//! a custom sink:
//!
//! ```
//! use netkit::codec::schema::Schemas;
//! use netkit::dissect::{Dissection, Message, Options, Sink, dump};
//! use netkit::protocols;
//!
//! struct Hp(Option<u64>);
//! impl Sink for Hp {
//!     fn message(&mut self, message: &Message<'_>) {
//!         let hp = message.dissection.tree.nodes().iter().find(|n| n.field.name == "hp");
//!         self.0 = hp.and_then(|n| n.number());
//!     }
//! }
//!
//! let text = "proto = \"riptide\"\n[[message]]\nid = 7\nname = \"hurt\"\n[message.fields]\nhp = \"ushort\"\n";
//! let mut schemas = Schemas::default();
//! schemas.add("game.toml", text, &|name| Some(protocols::by_name(name)?.encodings()))?;
//! let mut options = Options { schemas: schemas.into(), ..netkit::protocols::options() };
//! options.set("riptide.version=2.0")?;
//! let riptide = protocols::by_name("riptide").ok_or("no such protocol")?;
//! let mut hp = Hp(None);
//! dump(riptide, &[0, 7, 0, 100, 0], &options, &mut Dissection::default(), &mut hp);
//! assert_eq!(hp.0, Some(100));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A program that needs only the library turns off the default feature `cli`, which contains the command line and the
//! table format.
//!
//! From JSON to bytes: [`encode`]. Adding a protocol: [`protocols`], "Add a protocol in one page".

// With the program, nothing may be left over. Without it, modules that only it uses are not compiled; the functions that
// only it uses in others are, because a condition at each of them would say less than this one.
#![cfg_attr(not(feature = "cli"), allow(dead_code))]

pub mod capture;
#[cfg(feature = "cli")]
mod cli;
#[macro_use]
pub mod codec;
#[cfg(feature = "cli")]
mod commands;
pub mod dissect;
#[cfg(feature = "cli")]
pub(crate) mod docs;
#[doc(hidden)]
pub mod duration;
pub mod encode;
pub mod filter;
pub mod flow;
pub mod live;
pub mod message;
mod named;
#[doc(hidden)]
pub mod nearest;
#[cfg(feature = "cli")]
mod platform;
#[doc(hidden)]
pub mod plural;
#[doc(hidden)]
pub mod printable;
#[cfg(feature = "cli")]
mod process;
#[cfg(feature = "cli")]
mod program;
pub mod protocols;
mod random;
pub mod read;
#[cfg(feature = "cli")]
pub(crate) mod redact;
pub mod render;
#[cfg(feature = "cli")]
pub(crate) mod report;
pub mod stats;
pub(crate) mod traffic;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod view;

pub use message::captured::messages;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use program::program;
pub use read::decode::decode;
