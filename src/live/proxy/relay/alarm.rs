//! Waiting for sockets until an exact moment.
//!
//! The waits of epoll and of Windows count whole milliseconds. Spinning through the rest of one would
//! be exact as long as nobody else wants the processor: a thread that never sleeps has used up its
//! share, and waits for whole slices of the scheduler (some milliseconds) as soon as others run. So on
//! Linux a timer that is a file ends the wait: it has the resolution of the system's high-resolution
//! clock, and none of the slack (50 µs) of other waits.

use super::timer::{self, Timer};
use mio::{Registry, Token};
use std::time::{Duration, Instant};

/// Ends waits when something is due.
pub struct Alarm {
    timer: Option<Timer>,
    /// The moment for which the timer was set.
    at: Option<Instant>,
}

impl Alarm {
    /// An alarm of which the loop is told as of a socket.
    pub fn new(registry: &Registry, token: Token) -> Alarm {
        // Without it, as where no file is free, waits are exact to the millisecond, and spun through.
        Alarm { timer: Timer::new(registry, token).ok(), at: None }
    }

    /// How long to wait so that the next thing that is due is not late, and `most` where nothing is.
    pub fn wait(&mut self, next: Option<Instant>, now: Instant, most: Duration) -> Duration {
        let wait = next.map_or(most, |at| at.saturating_duration_since(now));
        if wait >= most {
            return most;
        }
        if wait.is_zero() || next == self.at {
            return if wait.is_zero() { wait } else { most };
        }
        match self.timer.as_ref().is_some_and(|timer| timer.set(wait)) {
            true => {
                self.at = next;
                most
            }
            false => timer::coarse(wait),
        }
    }
}
