//! Datagrams beside a stream, for a protocol whose stream names their ports. The proxy replaces each port with one of
//! its own, and relays the datagrams through two sockets.

use crate::codec::layout::Field;
use crate::dissect::PortNames;
use crate::message::OwnedMessage;
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};

/// The number of streams whose ports are remembered.
const STREAMS: usize = 4096;

/// The sockets of one stream's datagrams.
#[derive(Debug)]
pub struct Opened {
    /// Receives the client's datagrams.
    pub client: UdpSocket,
    /// Sends them to the server.
    pub server: UdpSocket,
    /// The server's address for them.
    pub target: SocketAddr,
    /// The address of the stream's client.
    pub of: SocketAddr,
}

/// The ports of a stream's datagrams.
#[derive(Debug, Default)]
struct Ports {
    ours: [u16; 2],
}

/// A field that names a port, and the port to write into it.
#[derive(Clone, Copy, Debug)]
pub struct PortField {
    /// The field's name.
    pub name: &'static str,
    /// The port.
    pub port: u16,
}

/// Opens sockets for the datagrams that streams name.
#[derive(Debug)]
pub struct DatagramPorts {
    /// The address on which the proxy listens for clients.
    listen: IpAddr,
    ports: BTreeMap<u64, Ports>,
    /// The sockets that were opened since the last call.
    opened: Vec<Opened>,
}

impl DatagramPorts {
    /// Creates it for clients that connect to this address.
    pub fn new(listen: IpAddr) -> DatagramPorts {
        DatagramPorts { listen, ports: BTreeMap::new(), opened: Vec::new() }
    }

    /// Returns the sockets that were opened since the last call.
    pub fn opened(&mut self) -> Vec<Opened> {
        std::mem::take(&mut self.opened)
    }

    /// Returns the field of a message that names a port. `ends`: the client's and the server's address of the stream.
    ///
    /// # Errors
    /// Fails if no socket can be opened.
    pub fn replace(
        &mut self,
        names: &PortNames,
        decoded: &OwnedMessage,
        flow: u64,
        ends: [SocketAddr; 2],
    ) -> io::Result<Option<PortField>> {
        let named =
            |field: &Field| decoded.number(field).and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0);
        if decoded.message == names.offer.0 {
            let Some(port) = named(names.offer.1) else { return Ok(None) };
            let target = SocketAddr::new(ends[1].ip(), port);
            let own: IpAddr = if target.is_ipv4() { [0u8; 4].into() } else { [0u16; 8].into() };
            let [client, server] = [UdpSocket::bind((self.listen, 0))?, UdpSocket::bind((own, 0))?];
            server.connect(target)?;
            let ours = [client.local_addr()?.port(), server.local_addr()?.port()];
            if self.ports.len() >= STREAMS {
                self.ports.pop_first();
            }
            self.ports.insert(flow, Ports { ours });
            self.opened.push(Opened { client, server, target, of: ends[0] });
            return Ok(Some(PortField { name: names.offer.1.name, port: ours[0] }));
        }
        if decoded.message == names.answer.0
            && let Some(ports) = self.ports.get(&flow)
        {
            let replaced = PortField { name: names.answer.1.name, port: ports.ours[1] };
            return Ok(named(names.answer.1).map(|_| replaced));
        }
        Ok(None)
    }
}
