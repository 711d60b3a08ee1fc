//! A timer that ends a wait for sockets, on systems with timers as files.
//!
//! The library's relay includes this file: platform-specific code is in this folder only.

pub use system::{Timer, coarse};

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
            // Events are edge-triggered: setting the timer again causes another one, without reading it.
            registry.register(&mut SourceFd(&file.as_raw_fd()), token, Interest::READABLE)?;
            Ok(Timer(file))
        }

        /// Fires after this time; cancels the previous time.
        pub fn set(&self, wait: Duration) -> bool {
            let Ok(it_value) = Timespec::try_from(wait) else { return false };
            let once = Itimerspec { it_interval: Timespec::default(), it_value };
            timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &once).is_ok()
        }
    }

    /// Rounded up to epoll's milliseconds it would be late: the rest is spent spinning.
    pub fn coarse(wait: Duration) -> Duration {
        Duration::from_millis(wait.as_millis() as u64)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use mio::{Registry, Token};
    use std::io;
    use std::time::Duration;

    /// There is no timer.
    pub enum Timer {}

    impl Timer {
        pub fn new(_: &Registry, _: Token) -> io::Result<Timer> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub fn set(&self, _: Duration) -> bool {
            match *self {}
        }
    }

    /// kqueue has nanoseconds. On Windows, rounding up would be late: the rest is spent spinning.
    pub fn coarse(wait: Duration) -> Duration {
        if cfg!(windows) { Duration::from_millis(wait.as_millis() as u64) } else { wait }
    }
}
