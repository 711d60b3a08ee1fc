//! Tests of several printers at once, and the messages that the tests of this layer print.

mod caches;
pub(super) mod fixture;
mod golden;
