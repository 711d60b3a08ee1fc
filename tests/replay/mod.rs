//! Replays against themselves: both sides of a capture, over loopback and through a simulated bad network.

mod acknex;
mod command;
mod dangerous;
mod delays;
mod delivery;
mod described;
mod dnp;
mod edit;
mod flood;
mod gne;
mod gne_live;
pub mod gne_peer;
mod interrupt;
mod listen;
mod load;
mod nano;
mod real;
mod report;
mod riptide;
mod simulated;
mod stage;
mod unread;
