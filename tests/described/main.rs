//! Protocols that a file describes, against captures of real programs.

mod cases;
mod check;
#[path = "../common/mod.rs"]
mod common;
mod edition;
mod export;
mod generated;
mod hostile;
mod loading;
mod mistakes;
mod proofs;
mod raknet;
mod second;
mod steady;
mod traffic;
mod websocket;
mod words;

/// What the program does with these arguments; no configuration of whoever runs the tests is read.
fn run(args: &[&str]) -> std::process::Output {
    let mut command = common::netkit(args);
    command.env_remove("NETKIT_PROTOCOLS").env("XDG_CONFIG_HOME", common::root().join("fixtures"));
    command.output().expect("the program")
}
