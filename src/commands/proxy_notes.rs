//! What a proxy reports on stderr while it runs: never waited for, and of each topic at most a line a
//! second.

use netkit::live::Background;
use netkit::live::proxy::relay::Topic;
use netkit::printable::Lines;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::time::{Duration, Instant};

/// The most bytes that wait for stderr.
const WAITING: usize = 256 << 10;
/// The time between two lines of one topic.
const BETWEEN: Duration = Duration::from_secs(1);
/// How long the end of the program waits for a blocked stderr.
const PATIENCE: Duration = Duration::from_secs(1);

/// Writes the notes.
pub struct Notes {
    out: Background,
    quiet: bool,
    /// When each topic had its last line, and how many were left out since.
    last: BTreeMap<Topic, (Instant, u64)>,
}

impl Notes {
    /// Begins.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn new(quiet: bool) -> io::Result<Notes> {
        let out = Background::start("notes", Box::new(io::stderr()), WAITING)?;
        Ok(Notes { out, quiet, last: BTreeMap::new() })
    }

    /// Prints a line, unless its topic had one less than a second ago.
    pub fn note(&mut self, topic: Topic, text: &str, now: Instant) {
        // Notes of no topic are few, and each says something else.
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

    /// Prints how many lines were left out, where a second has passed.
    pub fn left_out(&mut self, now: Instant) {
        let mut lines = Vec::new();
        for (topic, (last, left_out)) in &mut self.last {
            if *left_out > 0 && now.saturating_duration_since(*last) >= BETWEEN {
                lines.push(format!("{left_out} more {}", of(*topic)));
                (*last, *left_out) = (now, 0);
            }
        }
        lines.iter().for_each(|line| self.line(line));
    }

    /// Prints a line, unless the user wants none.
    pub fn line(&mut self, text: impl Display) {
        if !self.quiet {
            self.always(text);
        }
    }

    /// Prints a line: something is missing in the output.
    pub fn always(&mut self, text: impl Display) {
        self.out.push(format!("netkit: {}\n", Lines(text)).into_bytes());
    }

    /// Prints what waits.
    pub fn finish(mut self) {
        self.left_out(Instant::now() + BETWEEN);
        self.out.finish(PATIENCE);
    }
}

/// What a topic's notes are of.
fn of(topic: Topic) -> &'static str {
    match topic {
        Topic::TurnedAway => "clients were turned away",
        Topic::Idle => "clients were silent for too long",
        Topic::Server => "notes about the server",
        Topic::Other => "notes",
    }
}
