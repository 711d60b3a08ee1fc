//! Asking a Riptide server: connect, welcome, heartbeats, disconnect.
//!
//! Over UDP both wire forms are asked at once, each from a socket of its own: a 2.0 server ignores
//! the connect of 2.1 from an unknown endpoint, and the other way round.
//!
//! 2.1 and later answer heartbeats only after the client's welcome, so the handshake is completed;
//! the server's application sees a client come and go. Every connect is followed by a disconnect,
//! also when nothing came back: the answer may have been lost, and the place be taken.

use super::super::layout::Message::{Reject, Welcome};
use super::RiptideClient;
use super::asked::Asked;
use super::race::race;
use super::stream;
use crate::live::probe::{Ask, Carrier, ConnectData, Failure, Findings, Method, Probe, Servers};
use serde_json::Value as Json;
use std::time::Duration;

static SERVERS: Servers = Servers {
    port: Some(7777),
    timeout: Duration::from_secs(5),
    answers: &[Welcome.name(), Reject.name()],
    methods: &[
        Method {
            name: "",
            carrier: Carrier::Udp,
            rank: 20,
            why: "one byte, which servers of the others ignore from an unknown address",
        },
        Method {
            name: "",
            carrier: Carrier::Tcp,
            rank: 110,
            why: "2.0's three bytes, for which all others wait for more; all other bytes over TCP stop a Riptide server, so it is asked before them",
        },
    ],
};

impl Probe for RiptideClient {
    fn servers(&self) -> &'static Servers {
        &SERVERS
    }

    fn data(&self, data: &ConnectData) -> Result<Json, String> {
        match data {
            ConnectData::Bytes(bytes) => Ok(hex::encode(bytes).into()),
            ConnectData::Values(values) => Ok(values.clone()),
            // Up to there, the length of a text has one form in all versions that can be asked.
            ConnectData::Text(text) if text.len() < 128 => {
                Ok(hex::encode([&[text.len() as u8], text.as_bytes()].concat()).into())
            }
            ConnectData::Text(_) => {
                Err("a text of more than 127 bytes has another form in each version: give hex".into())
            }
        }
    }

    fn run(&self, course: &Method, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        if course.carrier != Carrier::Udp {
            return stream::ask(course.carrier, ask, findings);
        }
        let mut links = Vec::new();
        for version in ["2.2", "2.0"] {
            links.push(Asked::open(course.carrier, version, ask)?);
        }
        let result = race(&mut links, 0, ask.until(), ask, findings).and_then(|winner| {
            // The other socket's connect is ignored by this server: nobody is there to be left.
            let mut client = links.swap_remove(winner);
            links.clear();
            let result = client.sample(ask, findings);
            client.leave();
            result
        });
        links.iter_mut().for_each(Asked::leave);
        result
    }
}
