//! Waiting for sockets until an exact moment.
//!
//! The waits of epoll and of Windows count whole milliseconds. Spinning through the rest of one would
//! be exact as long as nobody else wants the processor: a thread that never sleeps has used up its
//! share, and waits for whole slices of the scheduler (some milliseconds) as soon as others run. So on
//! Linux a timer that is a file ends the wait: it has the resolution of the system's high-resolution
//! clock, and none of the slack (50 µs) of other waits.

use mio::{Registry, Token};
use std::time::{Duration, Instant};

/// Ends waits when something is due.
pub struct Alarm {
    timer: Option<system::Timer>,
    /// The moment for which the timer was set.
    at: Option<Instant>,
}

impl Alarm {
    /// An alarm of which the loop is told as of a socket.
    pub fn new(registry: &Registry, token: Token) -> Alarm {
        // Without it, as where no file is free, waits are exact to the millisecond, and spun through.
        Alarm { timer: system::Timer::new(registry, token).ok(), at: None }
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
            false => system::coarse(wait),
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use mio::unix::SourceFd;
    use mio::{Interest, Registry, Token};
    use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec};
    use rustix::time::{timerfd_create, timerfd_settime};
    use std::io;
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::time::Duration;

    /// A timer that is a file.
    pub struct Timer(OwnedFd);

    impl Timer {
        pub fn new(registry: &Registry, token: Token) -> io::Result<Timer> {
            let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
            let file = timerfd_create(TimerfdClockId::Monotonic, flags)?;
            // Events come at edges: each time it is set is one, without reading it.
            registry.register(&mut SourceFd(&file.as_raw_fd()), token, Interest::READABLE)?;
            Ok(Timer(file))
        }

        /// Goes off after this time, and not when it would have before.
        pub fn set(&self, wait: Duration) -> bool {
            let Ok(it_value) = Timespec::try_from(wait) else { return false };
            let once = Itimerspec { it_interval: Timespec::default(), it_value };
            timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &once).is_ok()
        }
    }

    /// Rounded up to the milliseconds of epoll it would be late: the rest is spun through.
    pub fn coarse(wait: Duration) -> Duration {
        Duration::from_millis(wait.as_millis() as u64)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use mio::{Registry, Token};
    use std::io;
    use std::time::Duration;

    /// There is none.
    pub enum Timer {}

    impl Timer {
        pub fn new(_: &Registry, _: Token) -> io::Result<Timer> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub fn set(&self, _: Duration) -> bool {
            match *self {}
        }
    }

    /// kqueue counts nanoseconds. On Windows, rounded up it would be late: the rest is spun through.
    pub fn coarse(wait: Duration) -> Duration {
        if cfg!(windows) { Duration::from_millis(wait.as_millis() as u64) } else { wait }
    }
}
