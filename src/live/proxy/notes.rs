//! The notes of a proxy on stderr, or on its screen, while it runs. The proxy never
//! waits for them, and prints at most one line a second for each topic.

use super::relay::Topic;
use crate::live::Background;
use crate::printable::Lines;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// The maximum number of bytes that wait for stderr.
const WAITING: usize = 256 << 10;
/// The time between two lines of one topic.
const BETWEEN: Duration = Duration::from_secs(1);
/// The longest time that the end of the program waits for a blocked stderr.
const PATIENCE: Duration = Duration::from_secs(1);

/// Writes the notes.
pub(crate) struct Notes {
    out: Background,
    quiet: bool,
    /// The time of each topic's last line, and the number of lines left out since.
    last: BTreeMap<Topic, (Instant, u64)>,
}

impl Notes {
    /// Starts the thread, which writes the lines to `out`.
    ///
    /// # Errors
    /// Fails if the thread cannot be started.
    pub(crate) fn new(quiet: bool, out: Box<dyn Write + Send>) -> io::Result<Notes> {
        let out = Background::start("notes", out, WAITING)?;
        Ok(Notes { out, quiet, last: BTreeMap::new() })
    }

    /// Prints a line, unless its topic had one less than a second ago.
    pub(crate) fn note(&mut self, topic: Topic, text: &str, now: Instant) {
        // Notes without a topic are few, and all different.
        if topic == Topic::Other {
            return self.line(text);
        }
        match self.last.get_mut(&topic) {
            Some((last, left_out)) if *left_out > 0 || now.saturating_duration_since(*last) < BETWEEN => *left_out += 1,
            _ => {
                self.last.insert(topic, (now, 0));
                self.line(text);
            }
        }
    }

    /// Prints the number of lines that were left out, after a second.
    pub(crate) fn left_out(&mut self, now: Instant) {
        let mut lines = Vec::new();
        for (topic, (last, left_out)) in &mut self.last {
            if *left_out > 0 && now.saturating_duration_since(*last) >= BETWEEN {
                lines.push(format!("{}: {left_out} more", of(*topic)));
                (*last, *left_out) = (now, 0);
            }
        }
        lines.iter().for_each(|line| self.line(line));
    }

    /// Prints a line, unless the user wants none.
    pub(crate) fn line(&mut self, text: impl Display) {
        if !self.quiet {
            self.always(text);
        }
    }

    /// Prints a line even with `--quiet`: a part of the output is missing.
    pub(crate) fn always(&mut self, text: impl Display) {
        self.out.push(format!("netkit: {}\n", Lines(text)).into_bytes());
    }

    /// Prints the waiting lines.
    pub(crate) fn finish(mut self) {
        self.left_out(Instant::now() + BETWEEN);
        self.out.finish(PATIENCE);
    }
}

/// Returns the text for a topic's notes.
fn of(topic: Topic) -> &'static str {
    match topic {
        Topic::TurnedAway => "clients turned away",
        Topic::Idle => "clients silent for too long",
        Topic::Server => "notes about the server",
        Topic::Other => "notes",
    }
}
