//! The status of a running proxy: SIGUSR1 and `--status` ask for it.

use super::proxy_summary::{bits, summary};
use crate::live::proxy::relay::Status;
use crate::platform;
use crate::plural::Plural;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The requests of the user.
pub struct Requests {
    signal: Arc<AtomicBool>,
    /// The interval, and the time of the next status.
    every: Option<(Duration, Instant)>,
}

impl Requests {
    /// Begins to listen for the signal.
    ///
    /// # Errors
    /// The system refuses to register a handler.
    pub fn new(every: Option<Duration>) -> io::Result<Requests> {
        let every = every.map(|every| (every, Instant::now() + every));
        Ok(Requests { signal: platform::status_signal()?, every })
    }

    /// Whether the status is to be printed now.
    pub fn are_due(&mut self) -> bool {
        // The usual answer needs neither a write nor a clock.
        if self.signal.load(Ordering::Relaxed) && self.signal.swap(false, Ordering::Relaxed) {
            return true;
        }
        match &mut self.every {
            Some((every, next)) if Instant::now() >= *next => {
                *next = Instant::now() + *every;
                true
            }
            _ => false,
        }
    }
}

/// Returns the status in lines: what there is now, then the counts so far with the rates of the last seconds.
pub fn lines(status: &Status) -> Vec<String> {
    let mut lines = summary(&status.counts, status.messages);
    for (line, rates) in lines.iter_mut().skip(1).zip(&status.rates) {
        let (arrived, sent, bits) = (rates.arrived, rates.passed, bits(rates.bytes * 8.0));
        line.push_str(&format!("; now {arrived:.1} packets/s arrive ({bits}/s), {sent:.1} packets/s are sent"));
    }
    let clients = Plural(status.datagram_clients, "client");
    let streams = Plural(status.streams, "stream");
    let queued = Plural(status.queued, "datagram");
    let (memory, waiting) = (status.queued_bytes, status.stream_bytes);
    lines.insert(
        0,
        format!(
            "status after {:.1} s: {clients} of datagrams and {streams} now; {queued} ({memory} bytes of memory) and {} \
             of streams wait",
            status.elapsed.as_secs_f64(),
            Plural(waiting, "byte")
        ),
    );
    lines
}
