//! Offers the datagrams that do not fit a file to the protocols of other files.

use super::super::description::Description;
use crate::capture::Time;
use crate::dissect::{Dissection, Dissector, Evidence, FlowInfo, Nowhere, Observation, Out, Provenance, Session};
use crate::flow::{Side, Transport};
use std::net::SocketAddr;

/// The sessions of the other protocols in one conversation.
#[derive(Default)]
pub(super) struct Others {
    /// With the bits that a datagram must rule out. `None`: no datagram has been offered yet.
    sessions: Option<Vec<(Box<dyn Session>, u32)>>,
}

impl std::fmt::Debug for Others {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Others").field("sessions", &self.sessions.as_ref().map(Vec::len)).finish()
    }
}

impl Others {
    /// For a session that is offered datagrams itself: it offers none.
    pub fn none() -> Others {
        Others { sessions: Some(Vec::new()) }
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
            let session = |(other, bits): (&'static dyn Dissector, u32)| {
                let mut session = other.session(flow_info);
                if let Some(server) = server {
                    session.set_server(server);
                }
                (session, bits)
            };
            all.filter(|(other, _)| reads(*other, flow_info)).map(session).collect()
        });
        sessions.iter_mut().any(|(session, bits)| session.offered(place, *bits, out))
    }

    /// The approximate number of bytes of the sessions.
    pub fn memory(&self) -> usize {
        self.sessions.iter().flatten().map(|(session, _)| size_of_val(&**session) + session.memory()).sum()
    }
}

/// The sender, the bytes and the length of a datagram.
type Datagram<'a> = (Side, &'a [u8], usize);

/// A protocol beside the file's, and the datagrams that it explains.
struct Other<'a> {
    dissector: &'static dyn Dissector,
    session: Box<dyn Session>,
    datagrams: Vec<Datagram<'a>>,
}

/// Reads the datagrams of an undecided conversation that only a protocol beside it explains.
pub struct Explained<'a> {
    others: Vec<Other<'a>>,
    dissection: Dissection,
}

impl<'a> Explained<'a> {
    /// For the protocols that the file names.
    pub fn new(description: &Description, flow_info: &FlowInfo<'_>) -> Explained<'a> {
        let all = named(description, flow_info).filter(|other| reads(*other, flow_info));
        let other = |dissector: &'static dyn Dissector| {
            let session = dissector.session(flow_info);
            Other { dissector, session, datagrams: Vec::new() }
        };
        Explained { others: all.map(other).collect(), dissection: Dissection::default() }
    }

    /// Whether one of them explains a datagram.
    pub fn explains(&mut self, datagram: Datagram<'a>, flow_info: &FlowInfo<'_>) -> bool {
        let (side, bytes, length) = datagram;
        let place = Provenance { side, bytes, length, frame: 0, frames: &[], time: Time::default() };
        let mut nowhere = Nowhere;
        let out = &mut Out::new(&mut self.dissection, &mut nowhere, flow_info, [""; 2]);
        let reader = self.others.iter_mut().find_map(|other| other.session.offered(&place, 0, out).then_some(other));
        reader.map(|other| other.datagrams.push(datagram)).is_some()
    }

    /// The bits of evidence in these datagrams, without those of ports. A protocol that explains as many as the file
    /// itself, `own`, does not count: that one may claim the conversation.
    pub fn bits(&self, observation: &Observation<'a>, own: usize) -> u32 {
        let ends = observation.ends.map(|end| SocketAddr::new(end.ip(), 0));
        let bits = |other: &Other<'_>| {
            let part = Observation { payloads: &other.datagrams, ends, last: true, ..*observation };
            match other.dissector.identify(&part) {
                Evidence::Bits(bits, _) => bits,
                Evidence::No => 0,
            }
        };
        self.others.iter().filter(|other| (1..own).contains(&other.datagrams.len())).map(bits).sum()
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

/// Whether a protocol reads single datagrams of a conversation.
fn reads(other: &'static dyn Dissector, flow_info: &FlowInfo<'_>) -> bool {
    flow_info.transport == Transport::Udp && flow_info.ends.is_some() && other.reads_offered()
}
