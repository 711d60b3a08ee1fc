//! The bytes of one conversation: a socket, and a recording of its traffic.

use super::cancel::{CancelToken, LEAVING, SLICE};
use super::own_port::{check_stream, datagram_socket};
use super::record::{Recorder, Tape, now};
use super::socket::{Other, Socket};
use crate::flow::Transport;
use crate::live::NetError;
use crate::live::error::waited;
use std::collections::VecDeque;
use std::io::{ErrorKind, Write};
use std::net::{Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Larger than any datagram.
const BUFFER: usize = 1 << 16;
/// The most bytes of a stream that are read at once. Their messages are handled before the clock is checked.
const CHUNK: usize = 1 << 14;

/// The number of errors of earlier datagrams that one call handles. Each is reported only once, and another may arrive
/// meanwhile.
const ERRORS: usize = 4;

/// The result of a read.
#[derive(Debug)]
pub enum Arrived<'b> {
    /// Nothing arrived in time.
    Nothing,
    /// A datagram, or the stream's next bytes, and the time before they were recorded.
    Bytes(&'b [u8], Instant),
    /// The peer has closed its direction. True: with a RST.
    End(bool),
}

/// A socket for one peer.
pub struct Wire<'a> {
    socket: Socket,
    ends: [SocketAddr; 2],
    tape: Tape<'a>,
    buffer: Vec<u8>,
    /// The longest time in which the peer may take none of the data sent to it.
    patience: Duration,
    stop: CancelToken,
    /// The time at which a write has first met the request to stop.
    stopped: Option<Instant>,
    /// The system's error about an earlier datagram or write. It is reported after all data that arrived before.
    deferred: Option<NetError>,
    /// Whether a write to the stream has failed. What follows would come after a part of a message.
    broken: bool,
}

impl<'a> Wire<'a> {
    /// Connects to a peer: a UDP socket that receives from nobody else, or a TCP connection.
    ///
    /// # Errors
    /// Returns the reason why the peer is not reached.
    pub fn connect(
        transport: Transport,
        peer: SocketAddr,
        timeout: Duration,
        recorder: Option<&'a Recorder>,
        stop: &CancelToken,
    ) -> Result<Wire<'a>, NetError> {
        match transport {
            Transport::Udp => {
                let socket = datagram_socket(peer).map_err(NetError::of_datagram)?;
                Wire::datagrams(socket, peer, recorder)
            }
            Transport::Tcp => {
                let stream = connect(peer, timeout.max(Duration::from_millis(1)), stop)?;
                Wire::stream(stream, peer, timeout, recorder, true, stop)
            }
        }
    }

    /// Uses a bound socket, from now on for this peer alone.
    ///
    /// # Errors
    /// Returns the socket's error.
    pub fn datagrams(
        socket: UdpSocket,
        peer: SocketAddr,
        recorder: Option<&'a Recorder>,
    ) -> Result<Wire<'a>, NetError> {
        // A connected socket drops datagrams of other addresses, and reports ICMP errors.
        socket.connect(peer).map_err(NetError::of_datagram)?;
        let ends = [socket.local_addr().map_err(NetError::of_datagram)?, peer];
        Ok(Wire::of_datagrams(Socket::Udp(socket), ends, recorder))
    }

    /// Uses a bound socket that stays open to all. Only this peer's datagrams are taken; others get no answer, and the
    /// last ones are [kept](Wire::others).
    pub fn shared(socket: UdpSocket, ends: [SocketAddr; 2], recorder: Option<&'a Recorder>) -> Wire<'a> {
        Wire::of_datagrams(Socket::Shared(socket, ends[1], VecDeque::new()), ends, recorder)
    }

    fn of_datagrams(socket: Socket, ends: [SocketAddr; 2], recorder: Option<&'a Recorder>) -> Wire<'a> {
        let (tape, buffer) = (Tape::new(recorder, ends), vec![0; BUFFER]);
        let (patience, stop, stopped) = (Duration::ZERO, CancelToken::default(), None);
        Wire { socket, ends, tape, buffer, patience, stop, stopped, deferred: None, broken: false }
    }

    /// Uses a TCP connection, which we have opened (`ours`) or the peer.
    ///
    /// # Errors
    /// Returns the socket's error.
    pub fn stream(
        stream: TcpStream,
        peer: SocketAddr,
        timeout: Duration,
        recorder: Option<&'a Recorder>,
        ours: bool,
        stop: &CancelToken,
    ) -> Result<Wire<'a>, NetError> {
        stream.set_nodelay(true).map_err(NetError::of)?;
        stream.set_write_timeout(Some(SLICE)).map_err(NetError::of)?;
        let ends = [stream.local_addr().map_err(NetError::of)?, peer];
        let mut tape = Tape::new(recorder, ends);
        tape.connected(!ours as usize, now());
        let (socket, buffer) = (Socket::Tcp(stream), vec![0; CHUNK]);
        let (patience, stop, stopped) = (timeout.max(SLICE), stop.clone(), None);
        Ok(Wire { socket, ends, tape, buffer, patience, stop, stopped, deferred: None, broken: false })
    }

    /// Heeds another request to stop from now on.
    pub fn heed(&mut self, stop: &CancelToken) {
        self.stop = stop.clone();
    }

    /// Our address and the peer's.
    pub fn ends(&self) -> [SocketAddr; 2] {
        self.ends
    }

    /// Takes the last datagrams of others.
    pub fn others(&mut self) -> VecDeque<Other> {
        if let Socket::Shared(_, _, others) = &mut self.socket { std::mem::take(others) } else { VecDeque::new() }
    }

    /// Reads once: data that is there, or that arrives in time. A closed port of the peer is reported after the
    /// datagrams that had arrived: the system reports it before them, and one of them may be the peer's goodbye.
    ///
    /// # Errors
    /// Returns the socket's error.
    pub fn recv(&mut self, wait: Duration) -> Result<Arrived<'_>, NetError> {
        let datagrams = !matches!(self.socket, Socket::Tcp(_));
        let mut wait = if self.deferred.is_some() { Duration::ZERO } else { wait };
        let mut errors = 0..ERRORS;
        let read = loop {
            match self.socket.read(&mut self.buffer, wait) {
                Err(error) if datagrams && !waited(&error) && errors.next().is_some() => {
                    (self.deferred, wait) = (Some(NetError::of_datagram(error)), Duration::ZERO);
                }
                other => break other,
            }
        };
        let reset = match read {
            Err(error) if waited(&error) => match self.deferred.take() {
                None => return Ok(Arrived::Nothing),
                Some(NetError::Closed { reset }) if !datagrams => reset,
                Some(error) => return Err(error),
            },
            Err(error) if datagrams => return Err(NetError::of_datagram(error)),
            Err(error) => match NetError::of(error) {
                NetError::Closed { reset } => reset,
                other => return Err(other),
            },
            // The system reports a reset once, and to a write if one meets it first.
            Ok(0) if !datagrams => matches!(self.deferred, Some(NetError::Closed { reset: true })),
            Ok(length) => {
                let (bytes, at) = (self.buffer.get(..length).unwrap_or_default(), Instant::now());
                self.tape.bytes(1, bytes, datagrams, now());
                return Ok(Arrived::Bytes(bytes, at));
            }
        };
        self.tape.ended(1, reset, now());
        Ok(Arrived::End(reset))
    }

    /// Records data that arrived before this wire existed: a datagram, or the stream's first bytes.
    pub fn received(&mut self, bytes: &[u8]) {
        let datagrams = !matches!(self.socket, Socket::Tcp(_));
        self.tape.bytes(1, bytes, datagrams, now());
    }

    /// Sends a datagram, or bytes of the stream. If the peer has closed the stream, [`recv`](Wire::recv) reports that
    /// after the data that had arrived: it may be the peer's goodbye, or the reason why it left. A [broken](Wire::is_broken)
    /// stream takes nothing more.
    ///
    /// # Errors
    /// Returns the socket's error; for a stream, also the request to stop, if the peer takes
    /// nothing then.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), NetError> {
        let time = now();
        if let Socket::Tcp(_) = self.socket {
            if self.broken {
                return Ok(());
            }
            let mut rest = bytes;
            let written = self.write(&mut rest);
            self.broken = written.is_err();
            let taken = bytes.len() - rest.len();
            self.tape.bytes(0, bytes.get(..taken).unwrap_or_default(), false, time);
            return match written {
                Err(error @ NetError::Closed { .. }) => {
                    self.deferred = Some(error);
                    Ok(())
                }
                other => other,
            };
        }
        let mut errors = 0..ERRORS;
        loop {
            match self.socket.datagram(bytes).map_err(NetError::of_datagram) {
                Ok(()) => break,
                // The system reports an earlier datagram's error instead of sending this one.
                Err(error @ NetError::Refused) if errors.next().is_some() => self.deferred = Some(error),
                Err(error) => return Err(error),
            }
        }
        self.tape.bytes(0, bytes, true, time);
        Ok(())
    }

    /// Writes all bytes, to a peer that takes some of them now and then. Leaves in `rest` those that were not written.
    /// After a request to stop, all writes together may take half the time for leaving.
    fn write(&mut self, rest: &mut &[u8]) -> Result<(), NetError> {
        let Socket::Tcp(stream) = &mut self.socket else { return Ok(()) };
        let mut last = Instant::now();
        while !rest.is_empty() {
            match stream.write(rest) {
                Ok(0) => return Err(NetError::of(ErrorKind::WriteZero.into())),
                Ok(taken) => {
                    *rest = rest.get(taken..).unwrap_or_default();
                    last = Instant::now();
                }
                Err(error) if waited(&error) => {}
                Err(error) => return Err(NetError::of(error)),
            }
            if !rest.is_empty()
                && let Err(why) = self.stop.check()
                && self.stopped.get_or_insert_with(Instant::now).elapsed() >= LEAVING.min(self.patience) / 2
            {
                return Err(why);
            }
            if last.elapsed() >= self.patience {
                return Err(NetError::Stuck(last.elapsed()));
            }
        }
        Ok(())
    }

    /// Whether the stream takes nothing more, because a write has failed: the last bytes were not written, or only a
    /// part of them.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// TCP: closes our direction.
    pub fn finish(&mut self) {
        if let Socket::Tcp(stream) = &self.socket {
            // The peer may be gone already.
            let _ = stream.shutdown(Shutdown::Write);
            self.tape.ended(0, false, now());
        }
    }
}

/// Makes a TCP connection, unless a stop is requested before. The system's own attempt cannot be cancelled. A
/// connection that succeeds a little later is still returned, so that it is left as its protocol wants. A slower
/// attempt is left to end in its thread.
fn connect(peer: SocketAddr, timeout: Duration, stop: &CancelToken) -> Result<TcpStream, NetError> {
    let (sender, results) = mpsc::channel();
    let attempt = move || {
        // Nobody may be waiting any more.
        let _ = sender.send(TcpStream::connect_timeout(&peer, timeout));
    };
    std::thread::Builder::new().spawn(attempt).map_err(NetError::Io)?;
    let mut stopped: Option<Instant> = None;
    loop {
        if let Err(why) = stop.check()
            && stopped.get_or_insert_with(Instant::now).elapsed() >= LEAVING / 2
        {
            return Err(why);
        }
        match results.recv_timeout(SLICE) {
            Ok(Ok(stream)) => return check_stream(&(&stream).into()).map(|()| stream).map_err(NetError::of),
            Ok(Err(error)) if waited(&error) => return Err(NetError::NoAnswer),
            Ok(Err(error)) => return Err(NetError::of(error)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(NetError::NoAnswer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wire, and its peer.
    fn pair() -> (Wire<'static>, UdpSocket) {
        let [ours, peer] = [0, 1].map(|_| UdpSocket::bind("127.0.0.1:0").unwrap());
        peer.connect(ours.local_addr().unwrap()).unwrap();
        let at = peer.local_addr().unwrap();
        (Wire::datagrams(ours, at, None).unwrap(), peer)
    }

    /// The peer sends two datagrams and is gone. Then `sent` datagrams go to its port, which is closed.
    #[test]
    fn a_closed_port_is_reported_after_what_had_arrived() {
        for sent in 1..4 {
            let (mut wire, peer) = pair();
            for message in [b"one", b"two"] {
                peer.send(message).unwrap();
            }
            drop(peer);
            for _ in 0..sent {
                wire.send(b"x").unwrap();
            }
            for message in [b"one", b"two"] {
                let received = wire.recv(Duration::ZERO);
                assert!(matches!(received, Ok(Arrived::Bytes(bytes, _)) if bytes == message), "{sent}: {received:?}");
            }
            let end = wire.recv(Duration::from_secs(60));
            assert!(matches!(end, Err(NetError::Refused)), "{sent}: {end:?}");
        }
    }

    /// The peer sends a goodbye and is gone. Then `sent` bytes are written to a stream that nobody reads. The system
    /// reports that with the second write.
    #[test]
    fn a_closed_stream_is_reported_after_what_had_arrived() {
        for (sent, reset) in [(1, false), (2, false), (5, false), (2, true), (5, true)] {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let at = listener.local_addr().unwrap();
            let ours = TcpStream::connect(at).unwrap();
            let (mut peer, _) = listener.accept().unwrap();
            let (stop, wait) = (CancelToken::default(), Duration::from_secs(60));
            let mut wire = Wire::stream(ours, at, wait, None, true, &stop).unwrap();
            if reset {
                // A close with unread bytes resets the connection at once.
                wire.send(b"unread").unwrap();
                while peer.peek(&mut [0; 6]).unwrap() < 6 {}
            }
            peer.write_all(b"goodbye").unwrap();
            drop(peer);
            for _ in 0..sent {
                wire.send(b"x").unwrap();
                // The system's response to data that nobody reads takes some time.
                std::thread::sleep(Duration::from_millis(20));
            }
            let received = wire.recv(wait);
            assert!(matches!(received, Ok(Arrived::Bytes(b"goodbye", _))), "{sent} {reset}: {received:?}");
            let end = wire.recv(wait);
            assert!(matches!(end, Ok(Arrived::End(was)) if was || !reset), "{sent} {reset}: {end:?}");
        }
    }

    /// A write that the peer lets wait ends by its patience, or half the time for leaving after the request to stop, and
    /// nothing is written after it.
    #[test]
    fn nothing_follows_half_a_message() {
        const SIZE: usize = 32 << 20;
        let (patient, short) = (Duration::from_secs(60), Duration::from_millis(100));
        for (patience, most) in [(short, None), (patient, Some(Duration::ZERO))] {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let at = listener.local_addr().unwrap();
            let ours = TcpStream::connect(at).unwrap();
            let (mut peer, _) = listener.accept().unwrap();
            let stop = most.map_or_else(CancelToken::default, |most| CancelToken::default().within(most));
            let mut wire = Wire::stream(ours, at, patience, None, true, &stop).unwrap();
            let ended = wire.send(&vec![1; SIZE]);
            match most {
                None => assert!(matches!(ended, Err(NetError::Stuck(long)) if long >= short), "{ended:?}"),
                Some(_) => assert!(matches!(ended, Err(NetError::MaxTime(_))), "{ended:?}"),
            }
            assert!(wire.is_broken());
            let reader = std::thread::spawn(move || {
                let mut bytes = Vec::new();
                std::io::Read::read_to_end(&mut peer, &mut bytes).map(|_| bytes)
            });
            while !reader.is_finished() {
                wire.send(&[2]).unwrap();
                wire.finish();
            }
            let bytes = reader.join().unwrap().unwrap();
            assert!(bytes.len() < SIZE && bytes.iter().all(|byte| *byte == 1), "{}", bytes.len());
        }
    }

    /// Recording may take its time.
    #[test]
    fn what_arrived_is_recorded_later() {
        const LONG: Duration = Duration::from_millis(20);
        struct Slow;
        impl Write for Slow {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                std::thread::sleep(LONG);
                Ok(bytes.len())
            }

            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let recorder = Recorder::new(Box::new(Slow)).unwrap();
        let [ours, peer] = [0, 1].map(|_| UdpSocket::bind("127.0.0.1:0").unwrap());
        let mut wire = Wire::datagrams(ours, peer.local_addr().unwrap(), Some(&recorder)).unwrap();
        peer.send_to(b"x", wire.ends()[0]).unwrap();
        let received = wire.recv(Duration::from_secs(60));
        assert!(matches!(received, Ok(Arrived::Bytes(b"x", at)) if at.elapsed() >= LONG), "{received:?}");
    }
}
