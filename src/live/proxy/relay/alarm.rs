//! Waits for sockets until an exact moment.
//!
//! Waits of epoll and of Windows have a resolution of one millisecond. Spinning for the rest of the time is only exact
//! on an idle processor: a thread that never sleeps uses up its share, and then waits for whole slices of the scheduler
//! (some milliseconds) as soon as other threads run. On Linux a timer file descriptor therefore ends the wait. It has
//! the resolution of the system's high-resolution clock, without the slack (50 µs) of other waits.

use super::timer::{self, Timer};
use mio::{Registry, Token};
use std::time::{Duration, Instant};

/// Ends waits when a packet is due.
pub struct Alarm {
    timer: Option<Timer>,
    /// The time for which the timer was set.
    at: Option<Instant>,
}

impl Alarm {
    /// Creates an alarm that the event loop handles like a socket.
    pub fn new(registry: &Registry, token: Token) -> Alarm {
        // Without a timer, for example if no file descriptor is free, waits are exact to the millisecond, and the rest
        // is spun.
        Alarm { timer: Timer::new(registry, token).ok(), at: None }
    }

    /// Returns the time to wait, at most `most`, so that `next` is not late. The timer may end the wait earlier.
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
