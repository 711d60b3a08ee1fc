//! `-i IFACE`: capture programs that behave, those that do not, and real ones.
#![cfg(unix)]

mod program;
mod real;
mod wireshark;
