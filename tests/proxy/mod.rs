//! `netkit proxy` on loopback: traffic that passes unchanged, impairments, edits, and limits.

mod command;
mod ends;
mod forms;
mod headers;
mod hostile;
mod notify;
mod output;
mod payloads;
mod reload;
mod rules;
mod several;
mod timing;
mod wrong;
