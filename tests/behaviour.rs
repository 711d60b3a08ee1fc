//! The program and the library as their users meet them, in one test program: it is built and linked once, and tests
//! that wait for a peer run beside those that compute. `cargo test --test behaviour probe::` runs one module.
//!
//! Some tests are programs of their own: what reads the project's text, so that it is built in a moment (`golden`,
//! `layers`, `public`, `schemas`, `topics`, `words`), what is a user of the library and nothing else (`forms`,
//! `sixth_protocol`), and what needs another build (`columns`).

mod account;
mod after_gaps;
mod capture;
mod captures;
mod capturing;
mod claims;
mod common;
mod context;
mod cut;
mod damage;
mod decode;
mod described;
mod diff;
mod dump;
mod encode;
mod endless;
mod filter;
mod follow;
mod gates;
mod hextext;
mod hostile;
mod identify;
mod join;
mod json_lines;
mod live;
mod lost_beginning;
mod outfile;
mod probe;
mod properties;
mod proxy;
mod recognised;
mod replay;
mod schema_properties;
mod signals;
mod sources;
mod stats;
mod tables;
mod tasks;
mod terminal;
mod threads;
mod view;
mod wireshark;

#[path = "fuzz/harness.rs"]
mod harness;
#[path = "fuzz/seeds.rs"]
mod seeds;
