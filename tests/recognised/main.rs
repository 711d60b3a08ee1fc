//! How well conversations are recognised: how much of real captures that begin in their middle, have
//! one side, or have lost something; and that nobody claims what is nearly a protocol of ours.

mod captured;
mod cuts;
mod midway;
mod tested;

#[path = "../common/mod.rs"]
mod common;
mod foundry;
mod generators;
