//! Described protocols, tested with captures of real programs.

mod beside;
mod cases;
mod check;
mod edition;
mod export;
mod fields_end;
mod generated;
mod hidden;
mod hostile;
mod import;
mod import_limits;
mod joined;
mod loading;
mod middle;
mod mistakes;
mod numerals;
mod over;
mod proofs;
mod raknet;
mod redacted;
mod rings;
mod scaled;
mod second;
mod snapped;
mod spelling;
mod steady;
mod suggest;
mod times;
mod traffic;
mod websocket;
mod words;

use crate::common;

/// Runs the program with these arguments, without the configuration of the person who runs the tests.
fn run(args: &[&str]) -> std::process::Output {
    let mut command = common::netkit(args);
    command.env_remove("NETKIT_PROTOCOLS").env("XDG_CONFIG_HOME", common::root().join("fixtures"));
    command.output().expect("the program")
}
