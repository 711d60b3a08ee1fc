//! What goes out: written by the protocol's encoder, read by its session as the peer will, and let
//! out by the gate.

use super::super::gate::{self, Reading};
use super::super::record::now;
use super::super::trouble::Trouble;
use super::Link;
use super::socket::Socket;
use crate::dissect::Line;
use crate::flow::{Side, Transport};
use serde_json::Value as Json;
use std::io::Write;
use std::time::Instant;

impl Link<'_> {
    /// Writes a message of the protocol, and sends it: when it was sent.
    ///
    /// # Errors
    /// Why it was not.
    pub fn say(&mut self, message: &str, fields: &Json) -> Result<Instant, Trouble> {
        self.say_as(self.proto, message, fields)
    }

    /// The same with a message of the protocol's carrier.
    ///
    /// # Errors
    /// Why it was not.
    pub fn say_as(&mut self, proto: &str, message: &str, fields: &Json) -> Result<Instant, Trouble> {
        let line = self.line(proto, message, fields);
        let bytes = self.write(&line)?;
        self.send(&bytes)
    }

    fn line<'l>(&self, proto: &'l str, message: &'l str, fields: &'l Json) -> Line<'l> {
        let (from, flow) = (self.role, self.flow);
        Line { message, proto, version: self.version, from, flow, fields, derived: None, broken: false }
    }

    fn write(&mut self, line: &Line<'_>) -> Result<Vec<u8>, Trouble> {
        self.write_line(line)
    }

    /// The bytes of a line as it goes on the wire.
    ///
    /// # Errors
    /// What is wrong with its fields.
    pub fn write_line(&mut self, line: &Line<'_>) -> Result<Vec<u8>, Trouble> {
        let bytes = self.encoder.encode(line).map_err(|error| Trouble::Encode(error.to_string()))?;
        let framed = match self.transport {
            Transport::Tcp if self.websocket => self.encoder.websocket(&bytes, line),
            Transport::Tcp => self.encoder.frame(&bytes, line),
            Transport::Udp => None,
        };
        Ok(framed.unwrap_or(bytes))
    }

    /// Sends bytes that the gate would not let out, because the user wants it so.
    ///
    /// # Errors
    /// Those of the socket and the recorder.
    pub fn send_dangerous(&mut self, bytes: &[u8]) -> Result<Instant, Trouble> {
        if !bytes.is_empty() {
            self.dissect(Side::A, bytes, Instant::now());
        }
        self.send_now(bytes)
    }

    /// Sends whole messages, in one datagram or one write, if the [`gate`] lets them out.
    ///
    /// # Errors
    /// Why they were not sent.
    pub fn send(&mut self, bytes: &[u8]) -> Result<Instant, Trouble> {
        let messages = if bytes.is_empty() { Vec::new() } else { self.dissect(Side::A, bytes, Instant::now()) };
        let unread = self.streams[Side::A.index()].bytes().len();
        gate::admit(&Reading { role: self.role, length: bytes.len(), messages: &messages, unread })?;
        self.send_now(bytes)
    }

    fn send_now(&mut self, bytes: &[u8]) -> Result<Instant, Trouble> {
        let (time, at) = (now(), Instant::now());
        match &mut self.socket {
            Socket::Udp(socket) => {
                socket.send(bytes).map_err(Trouble::of_datagram)?;
                self.tape.datagram(0, bytes, time).map_err(Trouble::Record)?;
            }
            Socket::Tcp(stream) => {
                stream.write_all(bytes).map_err(Trouble::of)?;
                self.tape.data(0, bytes, time).map_err(Trouble::Record)?;
            }
        }
        Ok(at)
    }
}
