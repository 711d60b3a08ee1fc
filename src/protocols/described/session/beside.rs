//! Offers the datagrams that do not fit a file to the protocols of other files.

use super::super::description::Description;
use crate::capture::Time;
use crate::dissect::{Dissection, Dissector, Evidence, FlowInfo, Nowhere, Out, Provenance, Session};
use crate::flow::{Side, Transport};

/// The sessions of the other protocols in one conversation.
#[derive(Default)]
pub(super) struct Beside {
    /// With the bits that a datagram must rule out. `None`: no datagram has been offered yet.
    sessions: Option<Vec<(Box<dyn Session>, u32)>>,
}

impl std::fmt::Debug for Beside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Beside").field("sessions", &self.sessions.as_ref().map(Vec::len)).finish()
    }
}

impl Beside {
    /// For a session that is offered datagrams itself: it offers none.
    pub fn none() -> Beside {
        Beside { sessions: Some(Vec::new()) }
    }

    /// Offers a datagram to the protocols that the file names, which it only has to fit, then to the other files in
    /// their order, for which it has to rule out enough to be claimed by itself. True: one has read it.
    pub fn offer(
        &mut self,
        description: &Description,
        server: Option<Side>,
        place: &Provenance<'_>,
        out: &mut Out<'_>,
    ) -> bool {
        let flow_info = out.flow_info;
        let sessions = self.sessions.get_or_insert_with(|| {
            let is_other = |name: &str| name != description.facts.name && !description.beside.contains(&name);
            let others = flow_info.options.registry.iter().filter(|other| is_other(other.name()));
            let all = named(description, flow_info).map(|other| (other, 0));
            let all = all.chain(others.map(|other| (other, Evidence::CLAIM)));
            of(all, server, flow_info)
        });
        sessions.iter_mut().any(|(session, bits)| session.offered(place, *bits, out))
    }

    /// The approximate number of bytes of the sessions.
    pub fn memory(&self) -> usize {
        self.sessions.iter().flatten().map(|(session, _)| size_of_val(&**session) + session.memory()).sum()
    }
}

/// Reads the datagrams at the beginning of a conversation that only a protocol beside it explains.
pub struct Explained {
    sessions: Vec<(Box<dyn Session>, u32)>,
    dissection: Dissection,
}

impl Explained {
    /// For the protocols that the file names.
    pub fn new(description: &Description, flow_info: &FlowInfo<'_>) -> Explained {
        let all = named(description, flow_info).map(|other| (other, 0));
        Explained { sessions: of(all, None, flow_info), dissection: Dissection::default() }
    }

    /// Whether one of them explains a datagram.
    pub fn explains(&mut self, side: Side, bytes: &[u8], length: usize, flow_info: &FlowInfo<'_>) -> bool {
        let place = Provenance { side, bytes, length, frame: 0, frames: &[], time: Time::default() };
        let mut nowhere = Nowhere;
        let out = &mut Out::new(&mut self.dissection, &mut nowhere, flow_info, [""; 2]);
        self.sessions.iter_mut().any(|(session, bits)| session.offered(&place, *bits, out))
    }
}

/// The protocols that a file names.
fn named<'a>(
    description: &Description,
    flow_info: &FlowInfo<'a>,
) -> impl Iterator<Item = &'static dyn Dissector> + use<'a> {
    let registry = &flow_info.options.registry;
    description.beside.iter().filter_map(|name| registry.by_name(name))
}

/// The sessions of those that read single datagrams.
fn of(
    all: impl Iterator<Item = (&'static dyn Dissector, u32)>,
    server: Option<Side>,
    flow_info: &FlowInfo<'_>,
) -> Vec<(Box<dyn Session>, u32)> {
    let session = |(other, bits): (&'static dyn Dissector, u32)| {
        let mut session = other.session(flow_info);
        if let Some(server) = server {
            session.set_server(server);
        }
        (session, bits)
    };
    let datagrams = flow_info.transport == Transport::Udp && flow_info.ends.is_some();
    all.filter(|(other, _)| datagrams && other.reads_offered()).map(session).collect()
}
