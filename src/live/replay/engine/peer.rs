//! Who is spoken to: sockets, or anything else that takes messages.

use crate::live::OwnedMessage;
use crate::live::net::Trouble;
use std::time::Duration;

/// Who is spoken to.
pub trait Peer {
    /// Says a message; `dangerous`: also one that is broken.
    ///
    /// # Errors
    /// Why it was not said.
    fn say(&mut self, said: &OwnedMessage, dangerous: bool) -> Result<(), Trouble>;

    /// The next message, if one comes in time.
    ///
    /// # Errors
    /// Why none can come any more.
    fn hear(&mut self, wait: Duration) -> Result<Option<OwnedMessage>, Trouble>;

    /// Leaves this connection and makes a new one to the same peer.
    ///
    /// # Errors
    /// Why it is not reached again.
    fn reconnect(&mut self) -> Result<(), Trouble>;

    /// Opens a socket for datagrams beside the stream: its port.
    ///
    /// # Errors
    /// Those of the socket; also where there is none beside.
    fn open_beside(&mut self) -> Result<u16, Trouble>;

    /// Connects that socket to a port of the peer.
    ///
    /// # Errors
    /// Those of the socket.
    fn connect_beside(&mut self, port: u16) -> Result<(), Trouble>;

    /// From now on the user's wish to stop is known.
    fn leave(&mut self);

    /// We have nothing more to say.
    fn finish(&mut self);
}
