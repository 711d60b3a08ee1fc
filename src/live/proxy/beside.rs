//! Datagrams beside a stream: a protocol whose stream names ports for them. Each name is replaced by a
//! port of the proxy's, behind which the two sockets wait.

use crate::codec::layout::Field;
use crate::dissect::PortNames;
use crate::message::OwnedMessage;
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};

/// Of so many streams the ports are remembered.
const STREAMS: usize = 4096;

/// The sockets of one stream's datagrams.
#[derive(Debug)]
pub struct Opened {
    /// Where the client sends.
    pub client: UdpSocket,
    /// From where they go to the server.
    pub server: UdpSocket,
    /// Where the server waits for them.
    pub target: SocketAddr,
    /// The stream's client.
    pub of: SocketAddr,
}

/// What a stream's datagrams go through.
#[derive(Debug, Default)]
struct Ports {
    ours: [u16; 2],
    client: Option<u16>,
}

/// Opens sockets for datagrams as streams name them.
#[derive(Debug)]
pub struct Beside {
    /// Where clients come.
    listen: IpAddr,
    ports: BTreeMap<u64, Ports>,
    /// Opened since they were asked for.
    opened: Vec<Opened>,
}

impl Beside {
    /// For clients that come to this address.
    pub fn new(listen: IpAddr) -> Beside {
        Beside { listen, ports: BTreeMap::new(), opened: Vec::new() }
    }

    /// The sockets that were opened since the last call.
    pub fn opened(&mut self) -> Vec<Opened> {
        std::mem::take(&mut self.opened)
    }

    /// The field of a message that names a port, and the port that is to stand there. `ends`: the
    /// client's and the server's, of the stream.
    ///
    /// # Errors
    /// There is no socket.
    pub fn replace(
        &mut self,
        names: &PortNames,
        said: &OwnedMessage,
        flow: u64,
        ends: [SocketAddr; 2],
    ) -> io::Result<Option<(&'static str, u16)>> {
        let named =
            |field: &Field| said.number(field).and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0);
        if said.message == names.offer.0 {
            let Some(port) = named(names.offer.1) else { return Ok(None) };
            let target = SocketAddr::new(ends[1].ip(), port);
            let own: IpAddr = if target.is_ipv4() { [0u8; 4].into() } else { [0u16; 8].into() };
            let [client, server] = [UdpSocket::bind((self.listen, 0))?, UdpSocket::bind((own, 0))?];
            server.connect(target)?;
            let ours = [client.local_addr()?.port(), server.local_addr()?.port()];
            if self.ports.len() >= STREAMS {
                self.ports.pop_first();
            }
            self.ports.insert(flow, Ports { ours, client: None });
            self.opened.push(Opened { client, server, target, of: ends[0] });
            return Ok(Some((names.offer.1.name, ours[0])));
        }
        if said.message == names.answer.0
            && let Some(ports) = self.ports.get_mut(&flow)
        {
            ports.client = named(names.answer.1);
            return Ok(ports.client.map(|_| (names.answer.1.name, ports.ours[1])));
        }
        Ok(None)
    }
}
