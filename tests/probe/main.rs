//! Probes against small scripted peers, which answer with bytes that real servers sent.

mod acknex;
mod command;
mod described;
mod dnp;
mod gate;
mod gne;
mod monitor;
mod nano;
mod peer;
mod riptide;
mod riptide_tcp;
mod strangers;
