//! Protocol recognition: the share that is recognised of real captures that begin in the middle, have one side, or have
//! lost packets; and that no protocol claims near misses.

mod captured;
mod cuts;
mod midway;
mod tested;

mod files;
mod foundry;
mod generators;
