//! Replays against themselves: both sides of a capture, over loopback and through a bad network.

mod dnp;
mod nano;
mod relay;
mod riptide;
mod stage;
