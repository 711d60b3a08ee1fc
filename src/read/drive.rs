//! Reads a capture: packets pass through the flow table to the inspector, messages to a sink. Uses one thread, or one
//! that reads and several that dissect.

use super::merging::{Merging, Producer, Receiver, Shard};
use super::sink::{Any, CaptureSink};
use super::summary::Summary;
use crate::capture::{Capture, CaptureError, Decoded, Frame, Packets};
use crate::dissect::inspector::{Ahead, Crew, Dispatcher};
use crate::dissect::{Inspector, LinkedSink, Links, Options};
use crate::flow::Table;
use std::thread;

/// The stack of a thread: encoding messages again recurses as deep as they are nested.
pub(crate) const STACK: usize = 64 << 20;

/// Observes every frame of a capture as it is read.
pub trait Tap {
    /// Receives a frame that was read.
    fn frame(&mut self, _frame: &Frame<'_>) {}

    /// Whether to continue after this frame. `waits` returns whether the next one has to be waited for.
    fn go_on(&mut self, _waits: impl FnOnce() -> bool) -> bool {
        true
    }
}

impl Tap for () {}

/// Reads one capture.
#[derive(Debug)]
pub struct Drive<'a, K = ()> {
    options: &'a Options,
    stop: fn() -> bool,
    tap: K,
}

impl<'a> Drive<'a> {
    /// A reader with these options.
    pub fn new(options: &'a Options) -> Drive<'a> {
        Drive { options, stop: || false, tap: () }
    }
}

impl<'a, K: Tap> Drive<'a, K> {
    /// Stops when `stop` returns true; it is called after each packet.
    #[must_use]
    pub fn until(self, stop: fn() -> bool) -> Drive<'a, K> {
        Drive { stop, ..self }
    }

    /// Passes the frames to a tap, too.
    #[must_use]
    pub fn tap<L: Tap>(self, tap: L) -> Drive<'a, L> {
        Drive { options: self.options, stop: self.stop, tap }
    }

    /// Reads a capture with one thread.
    pub fn read(self, capture: Capture, sink: &mut impl CaptureSink) -> Summary {
        let mut summary = self.dissect(capture, None, sink);
        summary.account();
        summary
    }

    /// Reads a capture twice: first the relations between its messages, then the messages, with the notes and relations
    /// that only later messages reveal.
    ///
    /// # Errors
    /// `open` fails.
    pub fn linked(
        self,
        open: impl Fn() -> Result<Capture, CaptureError>,
        sink: &mut impl CaptureSink,
    ) -> Result<Summary, CaptureError> {
        let first = Options { wants: Links::READS, ..self.options.clone() };
        let mut links = Links::new(first.limits.lists.links);
        let read = Drive::new(&first).until(self.stop).read(open()?, &mut Any(&mut links));
        let linked = links.finish(read.error.is_none() && !read.stopped);
        Ok(self.read(open()?, &mut Any(&mut LinkedSink { sink, linked })))
    }

    /// Reads a capture with a thread for each of the producers but one, which is for conversations that only the reader
    /// can read. The receiver gets all items in the order that one thread would produce; the producers are returned.
    pub fn divide<T: Send, M: Producer<T>>(
        self,
        capture: Capture,
        producers: Vec<M>,
        receiver: &mut dyn Receiver<T>,
    ) -> (Summary, Vec<M>) {
        let (options, merging) = (self.options, Merging::new(receiver, producers.len()));
        let shards = producers.into_iter().enumerate().map(|(number, producer)| Shard::new(producer, number, &merging));
        let mut shards: Vec<_> = shards.collect();
        let Some(mut mine) = shards.pop() else { return (Summary::default(), Vec::new()) };
        let helpers = shards.len().saturating_sub(1);
        let crew = Crew::new(options, &mut shards, &merging);
        let mut summary = thread::scope(|scope| {
            let watch = crew.watch();
            for _ in 0..helpers {
                // If it cannot be started, the other threads read its shards.
                let _ = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || crew.work());
            }
            let summary = self.dissect(capture, Some(Dispatcher::new(&crew)), &mut mine);
            crew.work();
            drop(watch);
            summary
        });
        for (counters, flows) in crew.counters() {
            summary.counters.add(&counters);
            summary.flows.add(&flows);
        }
        summary.account();
        shards.push(mine);
        (summary, shards.into_iter().map(|shard| shard.producer).collect())
    }

    /// Dissects a capture, or the part of it that the `dispatcher` leaves to this thread.
    fn dissect(mut self, capture: Capture, dispatcher: Option<Dispatcher<'_>>, sink: &mut impl CaptureSink) -> Summary {
        let (options, stop) = (self.options, self.stop);
        let (fragments, leg) = (options.limits.fragments, options.leg);
        let mut packets = Packets::new(capture.leg(options.leg)).caps(fragments);
        let (mut summary, mut table) = (Summary::default(), Table::new(options.limits.flow));
        let ahead = match options.proto {
            None if sink.looks_ahead() => packets.take_again(),
            _ => None,
        };
        let ahead =
            ahead.map(|again| Ahead::new(options, move || Some(Packets::new(again()?.leg(leg)).caps(fragments)), stop));
        let mut inspector = Inspector::new(options, sink).dispatcher(dispatcher).ahead(ahead);
        let mut whole = false;
        while !stop() {
            let next = packets.next_with(|frame, decoded| {
                summary.frame(frame);
                self.tap.frame(frame);
                inspector.sink().frame(frame.time);
                inspector.sink().raw(frame, decoded);
                let gone = inspector.frame(frame.time);
                if let Decoded::Packet(packet) = decoded {
                    summary.packet(packet);
                    table.packet(packet, &mut inspector);
                }
                gone
            });
            let gone = match next {
                Ok(Some(gone)) => gone,
                Ok(None) => {
                    whole = true;
                    break;
                }
                // A growing capture that was stopped may end inside a record.
                Err(_) if stop() => break,
                Err(error) => {
                    summary.error = Some(error);
                    break;
                }
            };
            let waits = || packets.capture().waiting() == 0;
            if gone || !self.tap.go_on(waits) || !inspector.sink().go_on(&waits) {
                break;
            }
        }
        summary.stopped = stop();
        table.finish(&mut inspector);
        inspector.end();
        summary.counters = inspector.counters;
        (summary.leg, summary.dropped) = (packets.capture().one_leg(), packets.capture().dropped());
        (summary.flows, summary.fragments) = (table.statistics(), packets.fragments().statistics());
        if !whole {
            // Their rest may follow in what was not read.
            summary.fragments.used += packets.fragments().held();
        }
        (summary.others, summary.tunnels) = (packets.others().clone(), packets.tunnels().clone());
        summary
    }
}
