//! A capture's messages as an iterator.

use super::OwnedMessage;
use crate::capture::{Capture, CaptureError, Time};
use crate::codec::Notes;
use crate::dissect::{Message, Options, Sink};
use crate::flow::Transport;
use crate::read::{CaptureSink, Drive, STACK, Summary};
use std::io::{self, Read};
use std::net::SocketAddr;
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::{mem, panic, vec};

/// The number of messages that are handed over together.
const BATCH: usize = 256;
/// The number of their bytes from which fewer are.
const BATCH_BYTES: usize = 1 << 20;
/// The number of batches that may wait for the iterator's user.
const BATCHES: usize = 2;

/// A message of a capture, with memory of its own.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CapturedMessage {
    /// The number of its conversation, from 1.
    pub flow: u64,
    /// The frame that completed it, from 1.
    pub frame: u64,
    /// The capture time of that frame.
    pub time: Time,
    /// UDP or TCP.
    pub transport: Transport,
    /// The addresses of the sender and of the receiver; `None` for bytes without packet headers.
    pub ends: Option<[SocketAddr; 2]>,
    /// The message's length on the wire, in bytes.
    pub length: usize,
    /// The notes of the analysis.
    pub notes: Notes,
    /// Its name, fields and bytes.
    pub message: OwnedMessage,
}

impl CapturedMessage {
    /// Copies a message.
    pub fn of(message: &Message<'_>) -> CapturedMessage {
        let (place, flow_info) = (message.place, message.flow_info);
        CapturedMessage {
            flow: flow_info.flow,
            frame: place.frame,
            time: place.time,
            transport: flow_info.transport,
            ends: flow_info.ends.map(|ends| [ends[place.side.index()], ends[place.side.other().index()]]),
            length: place.length,
            notes: message.dissection.notes.clone(),
            message: OwnedMessage::of(message),
        }
    }
}

/// The messages of a capture, which a thread of its own reads. An error that ends the capture early is the last item.
/// If the iterator is dropped, the reading ends with the next frame.
#[derive(Debug)]
pub struct Messages {
    batches: mpsc::Receiver<Vec<CapturedMessage>>,
    batch: vec::IntoIter<CapturedMessage>,
    reader: Option<JoinHandle<Result<Summary, CaptureError>>>,
    summary: Option<Summary>,
    /// As long as it is there, the reading goes on.
    _alive: Arc<()>,
}

/// Reads a capture, and returns its messages one by one. [`decode`](crate::decode) is faster: its messages have no
/// memory of their own.
///
/// # Errors
/// The thread cannot be started. If the input is not a capture, the first item is that error.
pub fn messages(reader: impl Read + Send + 'static, options: &Options) -> io::Result<Messages> {
    let options = options.clone();
    Messages::of(move |sink| {
        let capture = Capture::open(Box::new(reader))?;
        Ok(Drive::new(&options).read(capture, sink))
    })
}

impl Messages {
    /// Returns the messages that `read` passes to its sink: of several captures, with links, or of one conversation.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn of(
        read: impl FnOnce(&mut Sender) -> Result<Summary, CaptureError> + Send + 'static,
    ) -> io::Result<Messages> {
        let (to, batches) = mpsc::sync_channel(BATCHES);
        let alive = Arc::new(());
        let mut sender = Sender { to, batch: Vec::new(), bytes: 0, alive: Arc::downgrade(&alive) };
        let work = move || {
            let summary = read(&mut sender);
            sender.send();
            summary
        };
        let reader = thread::Builder::new().name("messages".into()).stack_size(STACK).spawn(work)?;
        Ok(Messages { batches, batch: Vec::new().into_iter(), reader: Some(reader), summary: None, _alive: alive })
    }

    /// The results of the reading apart from the messages; `None` before its end, and if the input is not a capture. Its
    /// error is the iterator's last item.
    pub fn summary(&self) -> Option<&Summary> {
        self.summary.as_ref()
    }

    /// Takes the reader's result after the last message, once.
    fn end(&mut self) -> Option<CaptureError> {
        let mut summary = match self.reader.take()?.join() {
            Ok(Ok(summary)) => summary,
            Ok(Err(error)) => return Some(error),
            Err(payload) => panic::resume_unwind(payload),
        };
        let error = summary.error.take();
        self.summary = Some(summary);
        error
    }
}

impl Iterator for Messages {
    type Item = Result<CapturedMessage, CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(message) = self.batch.next() {
                return Some(Ok(message));
            }
            match self.batches.recv() {
                Ok(batch) => self.batch = batch.into_iter(),
                Err(_) => return self.end().map(Err),
            }
        }
    }
}

/// Hands messages over to the iterator.
#[derive(Debug)]
pub struct Sender {
    to: SyncSender<Vec<CapturedMessage>>,
    batch: Vec<CapturedMessage>,
    bytes: usize,
    /// Gone with the iterator.
    alive: Weak<()>,
}

impl Sender {
    fn send(&mut self) {
        self.bytes = 0;
        if !self.batch.is_empty() {
            // An error: the iterator was dropped, which `go_on` finds out.
            _ = self.to.send(mem::take(&mut self.batch));
        }
    }
}

impl Sink for Sender {
    fn message(&mut self, message: &Message<'_>) {
        self.bytes += message.place.bytes.len();
        self.batch.push(CapturedMessage::of(message));
        if self.batch.len() >= BATCH || self.bytes >= BATCH_BYTES {
            self.send();
        }
    }
}

impl CaptureSink for Sender {
    fn go_on(&mut self, waits: &dyn Fn() -> bool) -> bool {
        // Nothing is held back while the next frame has to be waited for.
        if waits() {
            self.send();
        }
        self.alive.strong_count() > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Input;
    use crate::protocols;
    use std::fs::File;

    const CAPTURE: &str = "fixtures/riptide/riptide20-udp.pcap";

    fn file() -> File {
        File::open(CAPTURE).expect("a capture")
    }

    #[test]
    fn they_are_those_that_a_function_receives() {
        let options = protocols::options();
        let mut expected = Vec::new();
        let summary = crate::decode(file(), &options, |message| expected.push(CapturedMessage::of(message)));
        let mut messages = messages(file(), &options).expect("a thread");
        let got: Vec<_> = messages.by_ref().map(|message| message.expect("a whole capture")).collect();
        assert_eq!(format!("{got:?}"), format!("{expected:?}"));
        let frames = summary.expect("a capture").frames;
        assert_eq!(messages.summary().expect("the end").frames, frames);
        assert!(got.len() > 10 && got.iter().all(|message| message.ends.is_some() && message.frame > 0));
        assert!(messages.next().is_none());
    }

    #[test]
    fn an_early_end_is_the_last_item() {
        let bytes = std::fs::read(CAPTURE).expect("a capture");
        let cut = bytes[..bytes.len() - 3].to_vec();
        let options = protocols::options();
        let items: Vec<_> = messages(io::Cursor::new(cut), &options).expect("a thread").collect();
        let (last, before) = items.split_last().expect("items");
        assert!(matches!(last, Err(CaptureError::Cut { .. })) && before.len() > 10 && before.iter().all(Result::is_ok));
        let none: Vec<_> = messages(io::Cursor::new(b"no capture".to_vec()), &options).expect("a thread").collect();
        assert!(matches!(none[..], [Err(CaptureError::NotACapture { .. })]), "{none:?}");
    }

    #[test]
    fn several_captures_are_one_and_links_are_added() {
        let options = protocols::options();
        let count = messages(file(), &options).expect("a thread").count();
        let open = || {
            let second = Input::new(Box::new(file()))?;
            Ok(Capture::open(Box::new(file()))?.followed_by([second].into_iter()))
        };
        let read = move |sink: &mut Sender| Drive::new(&options).linked(open, sink);
        let both: Vec<_> = Messages::of(read).expect("a thread").map(|message| message.expect("a message")).collect();
        assert!(both.len() >= 2 * count, "{} of {count}", both.len());
        assert!(both.iter().any(|message| message.notes.has("link.acked_by")), "no links");
        assert!(both.windows(2).any(|pair| pair[0].time.nanos() > pair[1].time.nanos()), "the second begins again");
    }

    #[test]
    fn dropping_it_ends_the_reading() {
        /// The frames of a capture again and again, without an end, and the position in it.
        struct Endless(Vec<u8>, usize);
        impl Read for Endless {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                let count = (&self.0[self.1..]).read(into)?;
                self.1 = if self.1 + count == self.0.len() { 24 } else { self.1 + count };
                Ok(count)
            }
        }
        let bytes = std::fs::read(CAPTURE).expect("a capture");
        let mut messages = messages(Endless(bytes, 0), &protocols::options()).expect("a thread");
        assert!(messages.next().is_some_and(|message| message.is_ok()));
        let reader = messages.reader.take().expect("a thread");
        drop(messages);
        assert!(reader.join().expect("no panic").expect("a capture").frames > 0);
    }
}
