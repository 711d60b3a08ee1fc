//! The protocols: one folder each, with its tables (`layout.rs`), its memory (`session.rs`) and its
//! documentation. A sixth protocol is one more folder, and one more entry in [`ALL`].
//!
//! # Add a protocol in one page
//!
//! `tests/sixth_protocol.rs` is such a protocol in one file, and proves that this page is all there
//! is to do. `riptide/` is the model of a large one, `acknex/` of one over UDP alone, `gne/` of one
//! whose frames are a carrier's (`hawknl/`).
//!
//! 1. **Tables.** `src/protocols/NAME/layout.rs`: the messages' names as [`messages!`](crate::messages), one
//!    [`Layout`](crate::codec::Layout) a message in the words of [`codec::layout`](crate::codec::layout), reading like the specification;
//!    collect them in one [`Table`](crate::dissect::Table) a version and direction. Decoding, encoding, `netkit fields`,
//!    filters, samples and the exact round trip follow from them. What no word describes is a
//!    [`Custom`](crate::codec::walk::Custom), in both directions at once.
//! 2. **Session.** `session.rs`: a [`Session`](crate::dissect::Session) is one conversation's memory.
//!    For each message: pick the layout, [`Out::begin`](crate::dissect::Out::begin), read with a
//!    [`Reader`](crate::codec::Reader), set in the [`Dissection`](crate::dissect::Dissection) who sent
//!    it (`from`), which message it is, what the analysis notes;
//!    [`Out::emit`](crate::dissect::Out::emit). Over TCP, implement
//!    [`Framed`](crate::dissect::Framed): it asks where the next message ends, and finds its place,
//!    keeps what is incomplete, and remembers gaps. Bound whatever grows by a named cap, and count it
//!    in [`Session::memory`](crate::dissect::Session::memory).
//! 3. **Encoder.** An [`Encoder`](crate::dissect::Encoder) is a [`Writer`](crate::codec::Writer) over
//!    the same tables; [`Line::layout`](crate::dissect::Line::layout) and
//!    [`Line::version`](crate::dissect::Line::version) look up what to write, with their errors.
//! 4. **Description.** `mod.rs`: a static [`Protocol`](crate::dissect::Protocol) with name, transports,
//!    tables, settings, notes, and the functions of the steps above; how many bits of
//!    [`Evidence`](crate::dissect::Evidence) [`identify`](Dissector::identify) has, and by what, so
//!    that foreign traffic is not claimed: the arithmetic stands beside each rule.
//!    What the tables leave open is its [`Outline`](crate::dissect::Outline): `netkit fields NAME --as-toml`
//!    then writes it as a protocol file, or says why none can be.
//! 5. **Registry.** `pub mod NAME;` and one entry in [`ALL`]; one in [`clients`] where it can be
//!    probed or replayed: `client/` then holds an [`Actor`](crate::live::replay::actor::Actor), which
//!    shakes hands, acknowledges and leaves, and is driven by replays and probes alike, and the probe's
//!    [`Questions`](crate::live::probe::Questions): what is asked, and what the answers mean. Its
//!    `README.md` (wire format, sources, how it is recognised) stands in [`pages`]. A program that uses
//!    the library need not touch them: it adds its own [`with`](Registry::with) the built-in ones, and
//!    its [`Client`] by [`Clients::with`].
//! 6. **Proof.** `fixtures/NAME/`: captures of real peers with `NAME.expected.ndjson`, messages in
//!    `vectors.json`. The suite finds them by itself: expected lines, bytes given back, every
//!    truncation and bit flip. Add the protocol to the lists in `tests/fuzz/seeds.rs` and a target
//!    in `tests/fuzz/targets/`.

pub(crate) mod acknex;
pub mod described;
pub mod dnp;
pub(crate) mod gne;
pub(crate) mod hawknl;
pub(crate) mod nano;
pub mod pages;
pub(crate) mod riptide;
#[cfg(test)]
mod tests;
pub(crate) mod websocket;

use crate::dissect::{Dissector, Options, Registry};
use crate::live::probe::Probe;
use crate::live::replay::actor::Replay;
use crate::live::{Client, Clients};

/// All dissectors, in the order in which they are listed and asked.
pub static ALL: [&dyn Dissector; 5] = [&riptide::RIPTIDE, &dnp::DNP, &nano::NANO, &gne::GNE, &acknex::ACKNEX];

/// The built-in dissectors as a registry.
pub fn registry() -> Registry {
    Registry::new(ALL)
}

/// Options of a run with the built-in protocols, nothing said yet.
pub fn options() -> Options {
    Options::new(registry())
}

/// How the built-in protocols are spoken to live peers.
pub fn clients() -> Clients {
    let client = |dissector: &'static dyn Dissector, probe: &'static dyn Probe, replay: &'static dyn Replay| Client {
        dissector,
        probe: Some(probe),
        replay: Some(replay),
    };
    Clients::new([
        client(&riptide::RIPTIDE, &riptide::client::RiptideClient, &riptide::client::RiptideClient),
        client(&dnp::DNP, &dnp::client::DnpClient, &dnp::client::DnpClient),
        client(&nano::NANO, &nano::client::NanoClient, &nano::client::NanoClient),
        client(&gne::GNE, &gne::client::GneClient, &gne::client::GneClient),
        client(&acknex::ACKNEX, &acknex::client::AcknexClient, &acknex::client::AcknexClient),
    ])
}

/// The built-in dissector of that name.
pub fn by_name(name: &str) -> Option<&'static dyn Dissector> {
    registry().by_name(name)
}
