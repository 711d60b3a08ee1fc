//! Probes, proxies and replays with real peers: Riptide by pytide-networking (PyPI), nano by pinus (npm).
//!
//! They need an install, so they are ignored; `.ci/run` makes it and runs them with `NETKIT_LIVE_PYTHON` (an
//! interpreter that has pytide) and `NETKIT_LIVE_NODE` (a folder with node_modules). A missing variable is a failure
//! here: nothing is skipped silently.

mod probe;
mod proxy;
mod replay;
pub mod server;
