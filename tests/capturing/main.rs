//! `-i IFACE`: capture programs that behave, those that do not, and real ones.
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;
mod program;
mod real;
mod wireshark;
