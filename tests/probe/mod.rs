//! Probes of small scripted peers, which answer with bytes of real servers.

mod acknex;
mod command;
mod described;
mod dnp;
mod foreign;
mod gate;
mod gne;
mod monitor;
mod nano;
mod peer;
mod riptide;
mod riptide_tcp;
mod strangers;
