//! `netkit proxy` on loopback: traffic that passes unchanged, impairments, edits, and limits.

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
