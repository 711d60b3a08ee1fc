//! The protocols: one folder each, with its tables (`layout.rs`), its state (`session.rs`) and its documentation. A
//! sixth protocol is one more folder, and one more entry in [`ALL`].
//!
//! # Add a protocol in one page
//!
//! `tests/sixth_protocol.rs` is such a protocol in one file. It proves that this page is complete. `riptide/` is the
//! model of a large protocol, `acknex/` of one over UDP alone, `gne/` of one whose frames belong to a carrier
//! (`hawknl/`).
//!
//! 1. **Tables.** `src/protocols/NAME/layout.rs`: the messages' names as [`messages!`](macro@crate::messages), and one
//!    [`Layout`](crate::codec::Layout) for each message in the words of [`codec::layout`](crate::codec::layout), so
//!    that it reads like the specification. Collect them in one [`Table`](crate::dissect::Table) for each version and
//!    direction. Decoding, encoding, `netkit fields`, filters, samples and the exact round trip follow from them. A
//!    form that no word describes is a [`Custom`](crate::codec::walk::Custom), which reads and writes it.
//! 2. **Session.** `session.rs`: a [`Session`](crate::dissect::Session) is the state of one conversation. For each
//!    message: pick the layout, call [`Out::begin`](crate::dissect::Out::begin), and read with a
//!    [`Reader`](crate::codec::Reader). Set its sender (`from`), its name and the notes in the
//!    [`Dissection`](crate::dissect::Dissection), and call [`Out::emit`](crate::dissect::Out::emit). Over TCP,
//!    implement [`Framed`](crate::dissect::Framed): it asks where the next message ends, finds the message's place,
//!    keeps incomplete bytes, and remembers gaps. Limit everything that grows by a named cap, and count it in
//!    [`Session::memory`](crate::dissect::Session::memory).
//! 3. **Encoder.** An [`Encoder`](crate::dissect::Encoder) is a [`Writer`](crate::codec::Writer) over the same tables.
//!    [`Line::layout`](crate::dissect::Line::layout) and [`Line::version`](crate::dissect::Line::version) find the
//!    layout and version of a line, or return the error.
//! 4. **Description.** `mod.rs`: a static [`Protocol`](crate::dissect::Protocol) with name, transports, tables,
//!    settings, notes, and the functions of the steps above. [`identify`](Dissector::identify) returns the bits of
//!    [`Evidence`](crate::dissect::Evidence) and their reason, so that foreign traffic is not claimed; document the
//!    arithmetic beside each rule. An [`Outline`](crate::dissect::Outline) adds what the tables leave open:
//!    `netkit fields NAME --as-toml` then writes the protocol as a file, or explains why it cannot.
//! 5. **Registry.** `pub mod NAME;` and one entry in [`ALL`]. A protocol that can be probed or replayed also has an
//!    entry in [`clients`] and a `client/`: an [`Actor`](crate::live::replay::actor::Actor) that shakes hands,
//!    acknowledges and leaves, for both replays and probes, and the probe's
//!    [`Questions`](crate::live::probe::Questions), which ask and interpret the answers. Its `README.md` (wire format,
//!    sources, how it is recognised) is listed in `pages`. A program that uses the library changes none of these: it
//!    adds its dissector [`with`](Registry::with) the built-in ones, and its [`Client`] by [`Clients::with`].
//! 6. **Proof.** `fixtures/NAME/`: captures of real peers with `NAME.expected.ndjson`, messages in `vectors.json`. The
//!    suite finds them by itself. It checks the expected lines, the encoded bytes, every truncation and every bit flip.
//!    Add the protocol to the lists in `tests/fuzz/seeds.rs` and a target in `tests/fuzz/targets/`.

pub(crate) mod acknex;
pub mod described;
mod dnp;
pub(crate) mod gne;
pub(crate) mod hawknl;
pub(crate) mod nano;
#[cfg(feature = "cli")]
pub(crate) mod pages;
pub(crate) mod riptide;
#[cfg(test)]
mod tests;
pub(crate) mod websocket;

use crate::dissect::{Dissector, Options, Registry};
use crate::live::probe::Probe;
use crate::live::replay::actor::Replay;
use crate::live::{Client, Clients};

/// All dissectors, in the order in which they are listed and asked.
#[doc(hidden)]
pub static ALL: [&dyn Dissector; 5] = [&riptide::RIPTIDE, &dnp::DNP, &nano::NANO, &gne::GNE, &acknex::ACKNEX];

/// The built-in dissectors as a registry.
pub fn registry() -> Registry {
    Registry::new(ALL)
}

/// Default options with the built-in protocols.
pub fn options() -> Options {
    Options::new(registry())
}

/// The clients that probe and replay the built-in protocols.
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

/// Returns the built-in dissector with that name.
pub fn by_name(name: &str) -> Option<&'static dyn Dissector> {
    registry().by_name(name)
}
