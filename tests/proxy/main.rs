//! `netkit proxy` on loopback: traffic that passes unchanged, impairments, edits, and limits.

#[path = "../common/mod.rs"]
mod common;
#[cfg(unix)]
#[path = "../common/terminal.rs"]
mod terminal;

mod command;
mod datagrams;
mod ends;
mod forms;
mod headers;
mod hostile;
mod notify;
mod output;
mod payloads;
mod relay;
mod reload;
mod rules;
mod several;
mod streams;
mod timing;
mod wrong;
