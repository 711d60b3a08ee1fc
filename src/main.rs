//! The `netkit` command line: a thin shell around the library.
fn main() {}
